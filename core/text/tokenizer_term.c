/*
 * tokenizer_term.c: the second half of the tokenizer: folds raw words and script runs, applies the
 * options, assigns positions, and collects tokens into batches. See tokenizer_term.h.
 *
 * Options are applied after folding: first the stemmer, then the removal of accents, because
 * stemmers know the accents of their language (French "mangé" and "mange" have different stems). An
 * empty stem is not used.
 */
#include "core/text/tokenizer_term.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/bytes.h"
#include "core/base/utf8.h"
#include "core/bitsift/host.h"
#include "core/system/deadline.h"
#include "core/text/tokenizer_accents.h"
#include "core/text/tokenizer_class.h"
#include "core/text/tokenizer_nfc.h"
#include "core/text/tokenizer_parts.h"
#include "core/text/tokenizer_run.h"

/* A UTF-16 unit becomes at most 3 bytes of UTF-8; a surrogate pair becomes 4. */
#define UTF8_BYTES_PER_UNIT ((size_t)3)

#define PAIR_BYTES ((size_t)2 * U8_MAX_LENGTH) /* most bytes of a bigram */

BS_LIBRARY_DEFINE(bs_stemmer, "Snowball", BS_STEMMER_SONAME, BS_STEMMER_FOLDER,
                  BS_STEMMER_FUNCTIONS)

struct term {
	const uint8_t *bytes;
	size_t n_bytes;
};

/* Approximate costs for the deadline: TOKEN_NS for the caller's work on a token, UNIT_NS for
 * folding a UTF-16 unit. Within a word the deadline is checked every SPEND_UNITS units. */
#define TOKEN_NS    20u
#define UNIT_NS     10u
#define SPEND_UNITS 1024

enum bs_status bs_tokenizer_deliver(struct bs_analysis *analysis)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	if (analysis->next_position > UINT32_MAX)
		return bs_fail(analysis->err, BS_UNSUPPORTED, "a text of more than %lu words",
		               (unsigned long)UINT32_MAX);
	size_t n_tokens = tokenizer->batch.n_tokens;
	tokenizer->batch.n_tokens = 0;
	enum bs_status status = bs_deadline_check_after(n_tokens * TOKEN_NS, analysis->err);
	if (status)
		return status;
	return n_tokens ? analysis->fn(analysis->context, tokenizer->batch.tokens, n_tokens,
	                               analysis->err)
	                : BS_OK;
}

enum bs_status bs_tokenizer_flush(struct bs_analysis *analysis)
{
	enum bs_status status = bs_tokenizer_deliver(analysis);
	bs_buffer_clear(&analysis->tokenizer->batch.arena);
	return status;
}

enum bs_status bs_tokenizer_make_room(struct bs_analysis *analysis, size_t n_tokens, size_t n_bytes)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	struct bs_buffer *arena = &tokenizer->batch.arena;
	n_bytes += BS_TOKEN_SLACK_BYTES;
	if (tokenizer->batch.n_tokens + n_tokens > BS_TOKENIZER_BATCH_TOKENS ||
	    arena->capacity_bytes - arena->used_bytes < n_bytes) {
		enum bs_status status = bs_tokenizer_flush(analysis);
		if (!status)
			status = bs_buffer_reserve(arena, n_bytes, analysis->err);
		if (status)
			return status;
	}
	return BS_OK;
}

static uint8_t *arena_end(struct bs_tokenizer *tokenizer)
{
	return tokenizer->batch.arena.data + tokenizer->batch.arena.used_bytes;
}

/* Makes a token of the bytes at the arena's end: the term at the next position, or a bigram at the
 * one before. */
static void push(struct bs_analysis *analysis, size_t term_bytes, bool is_bigram,
                 struct bs_byte_span span)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	tokenizer->batch.tokens[tokenizer->batch.n_tokens++] = (struct bs_token){
		.term = arena_end(tokenizer),
		.term_bytes = (uint32_t)term_bytes,
		.position = (uint32_t)(analysis->next_position - is_bigram),
		.start_byte = span.start_byte,
		.end_byte = span.end_byte,
		.is_bigram = is_bigram,
	};
	tokenizer->batch.arena.used_bytes += term_bytes;
	if (is_bigram)
		return;
	tokenizer->batch.tokens[tokenizer->batch.n_tokens - 1].is_whole = analysis->is_whole;
	analysis->owes_position = analysis->is_whole;
	analysis->next_position += !analysis->is_whole;
	analysis->n_positions += !analysis->is_whole;
}

/*
 * Adds the bigram of the previous term and the one to be pushed next, if both are single code
 * points of a script run. c: the code point of the next term; 0 if the next term is not a single
 * code point of a script run. There must be room for one more token and PAIR_BYTES.
 *
 * Whether there is a bigram depends only on the two terms, not on whether they are from a script
 * run or from a word: every document with both at adjacent positions has the bigram. Otherwise a
 * query of a run would ask for bigrams that a document with symbols (U+3297, which folds to U+795D)
 * or with marks that fold to letters (U+0345) lacks, and miss the document.
 */
static void bigram_with(struct bs_analysis *analysis, UChar32 c, struct bs_byte_span span)
{
	if (c && analysis->last_of_script_run) {
		uint8_t *pair = arena_end(analysis->tokenizer);
		size_t n_bytes = 0;
		U8_APPEND_UNSAFE(pair, n_bytes, (uint32_t)analysis->last_of_script_run);
		U8_APPEND_UNSAFE(pair, n_bytes, (uint32_t)c);
		push(analysis, n_bytes, true, span);
	}
	analysis->last_of_script_run = c;
}

/* The code point of a term that is a single code point of a script run, otherwise 0. */
static UChar32 find_of_script_run(struct bs_tokenizer *tokenizer, const struct term *term)
{
	if (term->n_bytes < 2 || term->n_bytes > U8_MAX_LENGTH || term->bytes[0] < 0x80)
		return 0;
	size_t at = 0;
	UChar32 c;
	U8_NEXT_OR_FFFD(term->bytes, at, term->n_bytes, c);
	return at == term->n_bytes && bs_tokenizer_is_of_script_run(tokenizer, c) ? c : 0;
}

static enum bs_status fail_long(struct bs_analysis *analysis)
{
	return bs_fail(analysis->err, BS_UNSUPPORTED, "a word of more than %lu bytes",
	               (unsigned long)UINT32_MAX);
}

/* Adds a word and perhaps its bigram. bs_tokenizer_make_room() must have been called for two tokens
 * and PAIR_BYTES more than the term. */
static enum bs_status push_word(struct bs_analysis *analysis, struct term term,
                                struct bs_byte_span span)
{
	if (term.n_bytes > UINT32_MAX)
		return fail_long(analysis);
	bigram_with(analysis, find_of_script_run(analysis->tokenizer, &term), span);
	memcpy(arena_end(analysis->tokenizer), term.bytes, term.n_bytes);
	push(analysis, term.n_bytes, false, span);
	analysis->after_script_run = false;
	return BS_OK;
}

enum bs_status bs_tokenizer_put_analyzer_term(struct bs_analysis *analysis, const uint8_t *term,
                                              size_t term_bytes, struct bs_byte_span span)
{
	/* A term must be UTF-8: then it lacks the bytes that mark the keys of bigrams and word
	 * pairs, because these bytes do not occur in UTF-8. */
	if (term_bytes == 0 || term_bytes > INT32_MAX || !bs_text_is_utf8(term, term_bytes))
		return bs_fail(analysis->err, BS_INVALID,
		               "the analyzer %s made a term that is empty, or not UTF-8",
		               analysis->tokenizer->rules.analyzer->name);
	enum bs_status status = bs_tokenizer_make_room(analysis, 1, term_bytes);
	if (status)
		return status;
	memcpy(arena_end(analysis->tokenizer), term, term_bytes);
	push(analysis, term_bytes, false, span);
	return BS_OK;
}

/* Writes UTF-8 and returns its size. There must be room. */
static size_t write_utf8(uint8_t *utf8, const UChar *units, int32_t n_units)
{
	size_t used = 0;
	for (int32_t at = 0; at < n_units;) {
		UChar32 c = bs_tokenizer_next(units, &at);
		U8_APPEND_UNSAFE(utf8, used, (uint32_t)c);
	}
	return used;
}

/* States of the cached fold of a BMP code point. Any other value is its fold, which is one unit. */
enum {
	FOLD_UNKNOWN = 0,
	/* Not exactly one unit, or dependent on the text before. */
	FOLD_COMPLEX = 0xffff,
};

static enum bs_status learn_fold(struct bs_tokenizer *tokenizer, UChar unit, struct bs_error *err)
{
	int32_t n_folded = 0;
	enum bs_status status =
		bs_tokenizer_normalize(tokenizer, tokenizer->icu.nfkc_casefold, &unit, 1,
	                               &tokenizer->term.folded, &n_folded, err);
	if (status)
		return status;
	UChar folded = *(const UChar *)(const void *)tokenizer->term.folded.data;
	bool is_simple = n_folded == 1 && folded != FOLD_UNKNOWN && folded != FOLD_COMPLEX &&
	                 !U16_IS_SURROGATE(unit) &&
	                 bs_icu.unorm2_hasBoundaryBefore(tokenizer->icu.nfkc_casefold, unit);
	tokenizer->icu.simple_folds[unit] = is_simple ? folded : FOLD_COMPLEX;
	return BS_OK;
}

/* Folds `raw` into term.folded, *n_folded_out units. Most text needs no normalizer: by ICU's
 * definition, a code point with a normalization boundary before it does not interact with the
 * preceding ones, so the fold of a sequence of such code points is the sequence of their folds,
 * which are cached. This is a quarter faster for French and Russian. */
static enum bs_status fold(struct bs_tokenizer *tokenizer, const UChar *raw, int32_t n_units,
                           int32_t *n_folded_out, struct bs_error *err)
{
	enum bs_status status = bs_tokenizer_need_icu(tokenizer, err);
	for (int32_t i = 0; i < n_units && !status; i++) {
		if (i % SPEND_UNITS == SPEND_UNITS - 1)
			status = bs_deadline_check_after(SPEND_UNITS * UNIT_NS, err);
		if (!status && tokenizer->icu.simple_folds[raw[i]] == FOLD_UNKNOWN)
			status = learn_fold(tokenizer, raw[i], err);
		if (!status && tokenizer->icu.simple_folds[raw[i]] == FOLD_COMPLEX)
			return bs_tokenizer_normalize(tokenizer, tokenizer->icu.nfkc_casefold, raw,
			                              n_units, &tokenizer->term.folded,
			                              n_folded_out, err);
	}
	if (!status)
		status = bs_buffer_reserve(&tokenizer->term.folded, (size_t)n_units * sizeof(UChar),
		                           err);
	if (status)
		return status;
	UChar *folded = (UChar *)(void *)tokenizer->term.folded.data;
	for (int32_t i = 0; i < n_units; i++)
		folded[i] = tokenizer->icu.simple_folds[raw[i]];
	*n_folded_out = n_units;
	return BS_OK;
}

static enum bs_status stem(struct bs_tokenizer *tokenizer, struct term *term, struct bs_error *err)
{
	if (term->n_bytes > INT_MAX)
		return bs_fail(err, BS_UNSUPPORTED, "a word of %zu bytes is too long for a stemmer",
		               term->n_bytes);
	const sb_symbol *stemmed = bs_stemmer.sb_stemmer_stem(tokenizer->rules.stemmer, term->bytes,
	                                                      (int)term->n_bytes);
	if (!stemmed)
		return bs_fail_memory(err, "a word's stem", term->n_bytes);
	int stemmed_bytes = bs_stemmer.sb_stemmer_length(tokenizer->rules.stemmer);
	if (stemmed_bytes > 0)
		*term = (struct term){stemmed, (size_t)stemmed_bytes};
	return BS_OK;
}

/* Converts well-formed UTF-8 to UTF-16 in `to`. */
static enum bs_status write_utf16(const struct term *term, struct bs_buffer *to,
                                  int32_t *n_units_out, struct bs_error *err)
{
	if (term->n_bytes > INT32_MAX)
		return bs_fail(err, BS_UNSUPPORTED,
		               "a word of %zu bytes is too long to fold its accents",
		               term->n_bytes);
	enum bs_status status = bs_buffer_reserve(to, term->n_bytes * sizeof(UChar), err);
	if (status)
		return status;
	UChar *units = (UChar *)(void *)to->data;
	int32_t n_units = 0;
	for (size_t at = 0; at < term->n_bytes;) {
		UChar32 c;
		U8_NEXT_OR_FFFD(term->bytes, at, term->n_bytes, c);
		U16_APPEND_UNSAFE(units, n_units, c);
	}
	*n_units_out = n_units;
	return BS_OK;
}

static enum bs_status drop_accents(struct bs_tokenizer *tokenizer, struct term *term,
                                   struct bs_error *err)
{
	if (bs_is_ascii(term->bytes, term->n_bytes))
		return BS_OK;
	struct bs_buffer *one = &tokenizer->term.spare[0], *other = &tokenizer->term.spare[1];
	int32_t n_units = 0;
	enum bs_status status = write_utf16(term, one, &n_units, err);
	if (!status)
		status = bs_tokenizer_normalize(tokenizer, tokenizer->icu.nfd,
		                                (const UChar *)(void *)one->data, n_units, other,
		                                &n_units, err);
	if (!status)
		status = bs_buffer_reserve(one, (size_t)n_units * BS_ACCENTS_GROWTH * sizeof(UChar),
		                           err);
	if (status)
		return status;
	n_units = bs_accents_drop((const UChar *)(void *)other->data, n_units,
	                          (UChar *)(void *)one->data);
	status = bs_tokenizer_normalize(tokenizer, tokenizer->icu.nfc,
	                                (const UChar *)(void *)one->data, n_units, other, &n_units,
	                                err);
	if (!status)
		status = bs_buffer_reserve(&tokenizer->term.unmarked,
		                           (size_t)n_units * UTF8_BYTES_PER_UNIT, err);
	if (status)
		return status;
	*term = (struct term){tokenizer->term.unmarked.data,
	                      write_utf8(tokenizer->term.unmarked.data,
	                                 (const UChar *)(void *)other->data, n_units)};
	return BS_OK;
}

/* Applies the options to a folded word and adds it. */
static enum bs_status put_with_options(struct bs_analysis *analysis, struct term term,
                                       struct bs_byte_span span)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	enum bs_status status = BS_OK;
	if (tokenizer->rules.stemmer)
		status = stem(tokenizer, &term, analysis->err);
	if (!status && tokenizer->rules.fold_accents)
		status = drop_accents(tokenizer, &term, analysis->err);
	if (!status)
		status = bs_tokenizer_make_room(analysis, 2, term.n_bytes + PAIR_BYTES);
	return status ? status : push_word(analysis, term, span);
}

/* NFKC_Casefold of ASCII converts upper-case letters to lower case and changes nothing else. */
static void fold_ascii(uint8_t *to, const uint8_t *from, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		to[i] = bs_needle_fold(from[i]);
}

static enum bs_status put_ascii(struct bs_analysis *analysis, const uint8_t *raw, size_t n_bytes,
                                uint64_t start_byte)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	struct bs_byte_span span = {start_byte, start_byte + n_bytes};
	if (!tokenizer->rules.stemmer) {
		if (n_bytes > UINT32_MAX)
			return fail_long(analysis);
		enum bs_status status = bs_tokenizer_make_room(analysis, 1, n_bytes);
		if (status)
			return status;
		fold_ascii(arena_end(tokenizer), raw, n_bytes);
		push(analysis, n_bytes, false, span);
		analysis->last_of_script_run = 0;
		analysis->after_script_run = false;
		return BS_OK;
	}
	bs_buffer_clear(&tokenizer->term.whole);
	enum bs_status status = bs_buffer_reserve(&tokenizer->term.whole, n_bytes, analysis->err);
	if (status)
		return status;
	fold_ascii(tokenizer->term.whole.data, raw, n_bytes);
	return put_with_options(analysis, (struct term){tokenizer->term.whole.data, n_bytes}, span);
}

static enum bs_status put_word(struct bs_analysis *analysis, const UChar *raw, int32_t n_units,
                               struct bs_byte_span span)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	int32_t n_folded = 0;
	enum bs_status status = fold(tokenizer, raw, n_units, &n_folded, analysis->err);
	if (status || n_folded == 0)
		return status;
	bs_buffer_clear(&tokenizer->term.whole);
	status = bs_buffer_reserve(&tokenizer->term.whole, (size_t)n_folded * UTF8_BYTES_PER_UNIT,
	                           analysis->err);
	if (status)
		return status;
	const UChar *folded = (const UChar *)(void *)tokenizer->term.folded.data;
	struct term term = {tokenizer->term.whole.data,
	                    write_utf8(tokenizer->term.whole.data, folded, n_folded)};
	return put_with_options(analysis, term, span);
}

/* Called after the parts of an identifier. If all of them folded to nothing, advances the position
 * for the identifier itself. */
static void settle_position(struct bs_analysis *analysis)
{
	analysis->next_position += analysis->owes_position;
	analysis->n_positions += analysis->owes_position;
	analysis->owes_position = false;
}

/* Sets term.parts to the kinds of the characters of a word. */
static enum bs_status learn_parts(struct bs_tokenizer *tokenizer, const UChar *raw, int32_t n_units,
                                  size_t *n_out, struct bs_error *err)
{
	bs_buffer_clear(&tokenizer->term.parts);
	enum bs_status status = bs_buffer_reserve(&tokenizer->term.parts, (size_t)n_units, err);
	if (status)
		return status;
	for (int32_t at = 0; at < n_units;) {
		UChar32 c = bs_tokenizer_next(raw, &at);
		tokenizer->term.parts.data[tokenizer->term.parts.used_bytes++] =
			c < 0x80 ? tokenizer->ascii.parts[c] : (uint8_t)bs_part_kind_of(c);
	}
	*n_out = tokenizer->term.parts.used_bytes;
	return BS_OK;
}

/* Adds an ASCII identifier and its parts. This and split_word are not inlined, so that other words
 * do not pay for them. */
__attribute__((noinline)) static enum bs_status split_ascii(struct bs_analysis *analysis,
                                                            const uint8_t *raw, size_t n_bytes,
                                                            uint64_t start_byte)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	size_t start, end = 0;
	bs_buffer_clear(&tokenizer->term.parts);
	enum bs_status status = bs_buffer_reserve(&tokenizer->term.parts, n_bytes, analysis->err);
	if (status)
		return status;
	for (size_t i = 0; i < n_bytes; i++)
		tokenizer->term.parts.data[i] = tokenizer->ascii.parts[raw[i]];
	analysis->is_whole = bs_part_are_several(tokenizer->term.parts.data, n_bytes);
	status = put_ascii(analysis, raw, n_bytes, start_byte);
	bool has_parts = analysis->is_whole;
	analysis->is_whole = false;
	while (has_parts && !status &&
	       bs_part_next(tokenizer->term.parts.data, n_bytes, &start, &end))
		status = put_ascii(analysis, raw + start, end - start, start_byte + start);
	settle_position(analysis);
	return status;
}

enum bs_status bs_tokenizer_put_ascii(struct bs_analysis *analysis, const uint8_t *raw,
                                      size_t n_bytes, uint64_t start_byte)
{
	return analysis->tokenizer->rules.split_identifiers
	               ? split_ascii(analysis, raw, n_bytes, start_byte)
	               : put_ascii(analysis, raw, n_bytes, start_byte);
}

/* Returns the unit of character `to` of a word. `from` is the unit of character *at; sets *at to
 * `to`. */
static int32_t unit_of(const UChar *units, int32_t from, size_t *at, size_t to)
{
	for (; *at < to; ++*at)
		(void)bs_tokenizer_next(units, &from);
	return from;
}

/* Adds an identifier, units [first, behind) of the window, and its parts. The window's place must
 * not be after `first`. */
__attribute__((noinline)) static enum bs_status split_word(struct bs_analysis *analysis,
                                                           struct bs_tokenizer_window *window,
                                                           int32_t first, int32_t behind,
                                                           struct bs_byte_span span)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	size_t n = 0, start, end = 0, at = 0;
	enum bs_status status =
		learn_parts(tokenizer, window->units + first, behind - first, &n, analysis->err);
	if (status)
		return status;
	bool has_parts = bs_part_are_several(tokenizer->term.parts.data, n);
	analysis->is_whole = has_parts;
	status = put_word(analysis, window->units + first, behind - first, span);
	analysis->is_whole = false;
	while (has_parts && !status && bs_part_next(tokenizer->term.parts.data, n, &start, &end)) {
		int32_t from = first = unit_of(window->units, first, &at, start);
		first = unit_of(window->units, first, &at, end);
		status = put_word(analysis, window->units + from, first - from,
		                  bs_tokenizer_span(window, from, first));
	}
	settle_position(analysis);
	return status;
}

enum bs_status bs_tokenizer_put_word(struct bs_analysis *analysis,
                                     struct bs_tokenizer_window *window, int32_t start, int32_t end)
{
	struct bs_tokenizer_window before;
	bool splits = analysis->tokenizer->rules.split_identifiers;
	if (splits)
		before = *window;
	struct bs_byte_span span = bs_tokenizer_span(window, start, end);
	size_t n_bytes = (size_t)(span.end_byte - span.start_byte);
	/* Only a word that has as many bytes as units can be ASCII. */
	if (n_bytes == (size_t)(end - start) &&
	    bs_is_ascii(analysis->text + span.start_byte, n_bytes))
		return bs_tokenizer_put_ascii(analysis, analysis->text + span.start_byte, n_bytes,
		                              span.start_byte);
	return splits ? split_word(analysis, &before, start, end, span)
	              : put_word(analysis, window->units + start, end - start, span);
}

static enum bs_status put_code_point(struct bs_analysis *analysis, UChar32 c,
                                     struct bs_byte_span span)
{
	enum bs_status status = bs_tokenizer_make_room(analysis, 2, U8_MAX_LENGTH + PAIR_BYTES);
	if (status)
		return status;
	bigram_with(analysis, bs_tokenizer_is_of_script_run(analysis->tokenizer, c) ? c : 0, span);
	uint8_t *room = arena_end(analysis->tokenizer);
	size_t n_bytes = 0;
	U8_APPEND_UNSAFE(room, n_bytes, (uint32_t)c);
	push(analysis, n_bytes, false, span);
	return BS_OK;
}

enum bs_status bs_tokenizer_put_script_run(struct bs_analysis *analysis,
                                           struct bs_tokenizer_window *window, int32_t start,
                                           int32_t end)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	struct bs_byte_span span = bs_tokenizer_span(window, start, end);
	int32_t n_folded = 0;
	enum bs_status status =
		fold(tokenizer, window->units + start, end - start, &n_folded, analysis->err);
	if (status || n_folded == 0)
		return status;
	if (analysis->after_script_run) {
		analysis->next_position++;
		analysis->last_of_script_run = 0;
	}
	analysis->after_script_run = true;
	const UChar *folded = (const UChar *)(void *)tokenizer->term.folded.data;
	for (int32_t at = 0; at < n_folded && !status;)
		status = put_code_point(analysis, bs_tokenizer_next(folded, &at), span);
	return status;
}

bool bs_tokenizer_begins_run(struct bs_tokenizer *tokenizer, const uint8_t *text,
                             uint64_t start_byte, uint64_t end_byte)
{
	size_t at = (size_t)start_byte;
	UChar32 c;
	if (text[at] < 0x80 || tokenizer->rules.analyzer)
		return false;
	U8_NEXT_OR_FFFD(text, at, (size_t)end_byte, c);
	return bs_tokenizer_is_of_script_run(tokenizer, c);
}

/* Whether the code points before c do not affect what c becomes in NFC and by folding. */
static bool begins_piece(const struct bs_tokenizer *tokenizer, UChar32 c)
{
	return bs_icu.unorm2_hasBoundaryBefore(tokenizer->icu.nfc, c) &&
	       bs_icu.unorm2_hasBoundaryBefore(tokenizer->icu.nfkc_casefold, c);
}

/* Finds the next piece of the run, and folds it to count its terms. The terms of a run are those of
 * its pieces, in order. */
enum bs_status bs_tokenizer_step_in_run(struct bs_tokenizer *tokenizer, const uint8_t *text,
                                        uint64_t end_byte, size_t *at, size_t *n_terms_out,
                                        struct bs_error *err)
{
	size_t start = *at, next = start;
	int32_t n_units = 0, n_folded = 0;
	*n_terms_out = 0;
	for (UChar32 c; next < end_byte; *at = next) {
		U8_NEXT_OR_FFFD(text, next, (size_t)end_byte, c);
		if (*at > start && begins_piece(tokenizer, c))
			break;
	}
	struct term piece = {text + start, *at - start};
	enum bs_status status = write_utf16(&piece, &tokenizer->normal.window, &n_units, err);
	if (!status)
		status = bs_tokenizer_normalize(
			tokenizer, tokenizer->icu.nfc,
			(const UChar *)(const void *)tokenizer->normal.window.data, n_units,
			&tokenizer->term.spare[0], &n_units, err);
	if (!status)
		status = fold(tokenizer, (const UChar *)(const void *)tokenizer->term.spare[0].data,
		              n_units, &n_folded, err);
	for (int32_t i = 0; i < n_folded && !status; ++*n_terms_out)
		(void)bs_tokenizer_next((const UChar *)(const void *)tokenizer->term.folded.data,
		                        &i);
	return status;
}
