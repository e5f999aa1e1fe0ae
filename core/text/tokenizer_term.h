/* tokenizer_term.h: the second half of the tokenizer: raw words and script runs -> folded, stemmed
 * terms -> batches of tokens for the caller. tokenizer.c finds the words. Private to the
 * tokenizer_*.c files and the tests. */
#pragma once

#include <libstemmer.h>

#include "core/system/library.h"
#include "core/text/tokenizer_state.h"

/* Snowball's functions, for a tokenizer that stems (library.h). */
/* clang-format off */
#define BS_STEMMER_FUNCTIONS(each) \
	each(sb_stemmer_delete) each(sb_stemmer_length) each(sb_stemmer_list) \
	each(sb_stemmer_new) each(sb_stemmer_stem)
/* clang-format on */

BS_LIBRARY_TABLE(bs_stemmer, BS_STEMMER_FUNCTIONS);

/* Adds a term of the application's analyzer. BS_INVALID if it is empty or not UTF-8. */
enum bs_status bs_tokenizer_put_analyzer_term(struct bs_analysis *analysis, const uint8_t *term,
                                              size_t term_bytes,
                                              struct bs_byte_span span) BS_WARN_UNUSED;

/* Makes room for n_tokens tokens with n_bytes of terms, so that adding them cannot fail. The caller
 * writes the terms at the arena's end. */
enum bs_status bs_tokenizer_make_room(struct bs_analysis *analysis, size_t n_tokens,
                                      size_t n_bytes) BS_WARN_UNUSED;

/* Folds an ASCII word of the text and adds it. n_bytes > 0. */
enum bs_status bs_tokenizer_put_ascii(struct bs_analysis *analysis, const uint8_t *raw,
                                      size_t n_bytes, uint64_t start_byte) BS_WARN_UNUSED;

/* Folds a word, units [start, end) of the window, and adds it. The word may be ASCII. Ignores a
 * word whose fold is empty. */
enum bs_status bs_tokenizer_put_word(struct bs_analysis *analysis,
                                     struct bs_tokenizer_window *window, int32_t start,
                                     int32_t end) BS_WARN_UNUSED;

/* Adds a term for each folded code point of a script run. Ignores a run whose fold is empty. */
enum bs_status bs_tokenizer_put_script_run(struct bs_analysis *analysis,
                                           struct bs_tokenizer_window *window, int32_t start,
                                           int32_t end) BS_WARN_UNUSED;

/* Passes the collected tokens to the caller; keeps the bytes in the arena. */
enum bs_status bs_tokenizer_deliver(struct bs_analysis *analysis) BS_WARN_UNUSED;

/* Passes the collected tokens to the caller and empties the arena. */
enum bs_status bs_tokenizer_flush(struct bs_analysis *analysis) BS_WARN_UNUSED;
