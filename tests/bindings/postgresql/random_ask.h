/* random_ask.h: random texts, and queries about them that usually have hits: word queries, LIKE
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
unsigned random_below(struct random *random, unsigned n); /* returns 0 to n - 1 */
bool random_one_in(struct random *random, unsigned n);

/* A growing string, always NUL-terminated. */
struct text {
	char *bytes;
	size_t n_bytes, capacity;
};

void text_clear(struct text *text);
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *bytes, size_t n_bytes);
void text_add_quoted(struct text *text,
                     const char *string); /* Appends the string as an SQL literal. */
void text_free(struct text *text);
/* Declares a text that is freed at the end of its block. */
#define TEXT __attribute__((cleanup(text_free))) struct text

/* The state of the generator. Queries take parts of the recent texts, in `lately`. */
#define N_LATELY 256
struct asker {
	struct random random;
	char *lately[N_LATELY];
	unsigned n_made;
};

void asker_init(struct asker *asker, uint64_t seed);
void asker_deinit(struct asker *asker);
/* The functions below replace the content of their last argument. A text may be empty, but never
 * NULL. */
void ask_text(struct asker *asker, struct text *text_out);
void ask_query(struct asker *asker, struct text *query_out);
/* A query with words, for ORDER BY. */
void ask_ranking(struct asker *asker, struct text *query_out);
void ask_like(struct asker *asker, struct text *pattern_out);
void ask_regex(struct asker *asker, struct text *pattern_out);

#endif
