/* tokenizer_term.h: the lower half of the words analyzer: raw words and script runs -> folded,
 * stemmed terms -> batches of tokens for the caller. Knows nothing of where words begin and end:
 * that is tokenizer.c's affair. Private to the words_*.c files and the tests. */
#pragma once

#include <libstemmer.h>

#include "core/system/library.h"
#include "core/text/tokenizer_state.h"

/* Snowball's stemmers, for an analyzer that stems (library.h). */
/* clang-format off */
#define BS_STEMMER_FUNCTIONS(each) \
	each(sb_stemmer_delete) each(sb_stemmer_length) each(sb_stemmer_list) \
	each(sb_stemmer_new) each(sb_stemmer_stem)
/* clang-format on */

BS_LIBRARY_TABLE(bs_stemmer, BS_STEMMER_FUNCTIONS);

/* A word that somebody else has cut and made a term of. BS_INVALID for one that is none. */
enum bs_status bs_tokenizer_put_given(struct bs_analysis *analysis, const uint8_t *term,
                                      size_t term_bytes, struct bs_byte_span span) BS_WARN_UNUSED;

/* Makes room for n_tokens with n_bytes of terms, so that pushing them cannot fail; their bytes go
 * to the arena's end. */
enum bs_status bs_tokenizer_make_room(struct bs_analysis *analysis, size_t n_tokens,
                                      size_t n_bytes) BS_WARN_UNUSED;

/* A word as it stands in the text, in ASCII: folds it and hands it on. n_bytes > 0. */
enum bs_status bs_tokenizer_put_ascii(struct bs_analysis *analysis, const uint8_t *raw,
                                      size_t n_bytes, uint64_t start_byte) BS_WARN_UNUSED;

/* The same for any word: units [start, end) of the window. One whose fold is empty is nothing. */
enum bs_status bs_tokenizer_put_word(struct bs_analysis *analysis,
                                     struct bs_tokenizer_window *window, int32_t start,
                                     int32_t end) BS_WARN_UNUSED;

/* A run: a term per folded code point. One whose fold is empty is nothing. */
enum bs_status bs_tokenizer_put_script_run(struct bs_analysis *analysis,
                                           struct bs_tokenizer_window *window, int32_t start,
                                           int32_t end) BS_WARN_UNUSED;

/* Hands the tokens gathered so far to the caller; what is in the arena stays. */
enum bs_status bs_tokenizer_hand_on(struct bs_analysis *analysis) BS_WARN_UNUSED;

/* The same, and empties the arena. */
enum bs_status bs_tokenizer_flush(struct bs_analysis *analysis) BS_WARN_UNUSED;
