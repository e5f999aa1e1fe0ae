/* random_ask.h: random texts, and questions about them that find something: queries of words, LIKE
 * patterns, regular expressions. */
#ifndef BITSIFT_RANDOM_ASK_H
#define BITSIFT_RANDOM_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

uint64_t random_next(struct random *random);
unsigned random_below(struct random *random, unsigned n); /* 0 to n - 1 */
bool random_one_in(struct random *random, unsigned n);

/* Bytes that grow, always NUL-ended. */
struct text {
	char *bytes;
	size_t n_bytes, capacity;
};

void text_clear(struct text *text);
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *bytes, size_t n_bytes);
void text_add_quoted(struct text *text, const char *string); /* as a literal of SQL */
void text_free(struct text *text);
/* An empty text, freed at the end of its block. */
#define TEXT __attribute__((cleanup(text_free))) struct text

/* Texts that were made lately, from which questions take parts. */
#define N_LATELY 256
struct asker {
	struct random random;
	char *lately[N_LATELY];
	unsigned n_made;
};

void asker_init(struct asker *asker, uint64_t seed);
void asker_deinit(struct asker *asker);
/* All of these replace what text_out has. A text may be empty; NULL values are up to the caller. */
void ask_text(struct asker *asker, struct text *text_out);
void ask_query(struct asker *asker, struct text *query_out);
/* one that has words, for ORDER BY */
void ask_ranking(struct asker *asker, struct text *query_out);
void ask_like(struct asker *asker, struct text *pattern_out);
void ask_regex(struct asker *asker, struct text *pattern_out);

#endif
