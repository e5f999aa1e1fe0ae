/*
 * words_rig.h: shared by the tests of the tokenizer: recorded tokens, and a naive tokenizer to
 * compare with. The naive one follows the definition of a word literally: it analyses the whole
 * text at once with its own decoder, without windows, ASCII path and caches.
 */
#pragma once

#include <unicode/ubrk.h>
#include <unicode/unorm2.h>

#include "core/text/tokenizer.h"
#include "core/text/tokenizer_term.h"
#include "tests/rigs/error_rig.h"

/* A recorded struct bs_token. */
struct kept_token {
	size_t term_off; /* offset in kept.terms */
	size_t term_bytes;
	uint32_t position;
	uint64_t start_byte, end_byte;
	bool is_bigram;
	bool is_whole;
};

/* The tokens of a text. largest_batch: the most tokens that one call of keep_tokens received. */
struct kept {
	struct bs_buffer tokens; /* of struct kept_token */
	struct bs_buffer terms;
	struct bs_tokenizer_sum sum;
	size_t largest_batch;
};

void kept_deinit(struct kept *kept);
size_t kept_n(const struct kept *kept);
const struct kept_token *kept_at(const struct kept *kept, size_t i);

/* A bs_token_fn; its context is a struct kept. */
enum bs_status keep_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                           struct bs_error *err);

/* Analyses a text from position 0. A failure fails the test. */
void kept_analyze(struct bs_tokenizer *tokenizer, const void *text, size_t text_bytes,
                  struct kept *kept);

/* If the tokens differ, prints the text and both lists of tokens, and fails the test. */
void assert_same(const struct kept *expected, const struct kept *found, const uint8_t *text,
                 size_t text_bytes);

struct naive {
	UBreakIterator *breaks;
	const UNormalizer2 *nfkc_casefold, *nfd, *nfc;
	struct sb_stemmer *stemmer;
	bool fold_accents, split_identifiers;
	/* The text in NFC: code points, and the range of bytes that each represents. */
	UChar32 *c;
	size_t *byte, *end_byte;
	size_t n, capacity;
	/* Scratch: a part of the text in UTF-16, or a term that is being built. */
	UChar *units, *other;
	int32_t n_units, units_capacity;
	size_t *cp_of_unit;
	uint8_t *utf8;
	struct kept *out;
	uint32_t position;
	uint32_t n_positions;
	bool after_script_run;
};

void naive_init(struct naive *naive, const struct bs_tokenizer_options *options);
void naive_deinit(struct naive *naive);
/* True for a letter, mark or digit of a script without spaces (glossary: script run). */
bool naive_starts_run(UChar32 c);
void naive_analyze(struct naive *naive, const void *text, size_t text_bytes, struct kept *out);

/* Both tokenizers with the same options. */
struct rig {
	struct bs_tokenizer *tokenizer;
	struct naive naive;
	struct kept expected, found;
};

void rig_init(struct rig *rig, const struct bs_tokenizer_options *options);
void rig_deinit(struct rig *rig);

/* Fails the test unless the tokenizer finds the tokens of the naive one, on its ASCII path and on
 * its ICU path, with windows of these sizes. `expected` and `found` remain available. */
void rig_check(struct rig *rig, const void *text, size_t text_bytes, const size_t *windows,
               size_t n_windows);

/* rig_check with a window of one byte, a small one and the default one. */
void rig_check_all(struct rig *rig, const void *text, size_t text_bytes);
