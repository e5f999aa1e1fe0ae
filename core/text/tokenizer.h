/*
 * tokenizer.h: the tokenizer: text -> terms with positions. Nothing else in bitsift defines words.
 *
 * Text is UTF-8 and is normalized to NFC first. An invalid sequence counts as U+FFFD, and U+2019
 * and U+02BC count as an apostrophe. Runs of Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar
 * are separated first; each of their folded code points is a term. The text between runs is split
 * by ICU's word break iterator (root locale), then at each @, at . and : between letters (marks on
 * the left belong to their letter) and at the T of 02T03, and is folded by NFKC_Casefold. So
 * canonically equivalent texts have the same words at the same positions.
 *
 * Two terms at adjacent positions that are both a single letter, mark or digit of those scripts
 * also give a bigram, even if one of them is not from a run: the sign U+3297, for example, is a
 * word for ICU and folds to U+795D. Bigrams depend only on terms and positions, so a document that
 * contains a phrase has all bigrams of the phrase. The manual page bitsift-index, "Words and
 * grams", documents words for users.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text/token.h"

struct bs_buffer;
struct bs_kernel;

/* A tokenizer: ICU services and scratch. One thread at a time; make one per thread. */
struct bs_tokenizer;

struct bs_tokenizer_options {
	/* A Snowball name ("english"), or NULL: no stemming. Script runs are never stemmed. */
	const char *stem_language;
	/* Remove accents of Latin, Greek and Cyrillic letters (tokenizer_accents.h), after folding.
	 * Script runs are unchanged. */
	bool fold_accents;
	/* A word of several parts (camelCase, HTTPServer2, snake_case, letters next to digits)
	 * gives the whole, at the position of the first part, and its parts; see tokenizer_parts.h.
	 * Queries do not split identifiers: see bs_tokenizer_split. */
	bool split_identifiers;
	/* The application's analyzer (core/bitsift/host.h); the options above do not apply to it.
	 * Borrowed for the life of the tokenizer. NULL: the rules of this file. */
	const struct bs_analyzer *analyzer;
	/* The name that the analyzer must have; NULL: there must be no analyzer. */
	const char *analyzer_name;
};

/* The revision of these rules, which an index records. Revisions 0 and 1 do not normalize to NFC,
 * split at @ only between letters, and with fold_accents remove the marks of all scripts. Revision
 * 0 moreover knows only the ASCII apostrophe, and no flags, keycaps and dates. */
#ifndef BS_TOKENIZER_REVISION /* a test defines a later revision */
#define BS_TOKENIZER_REVISION 2u
#endif

/* Totals of one analysis. */
struct bs_tokenizer_sum {
	uint32_t next_position; /* the position after the last word of the text */
	/* Positions taken by terms, without gaps and bigrams: the length for BM25. */
	uint32_t n_positions;
};

/* Checks that the analyzer has this name or, if name is NULL, that the analyzer is NULL, too.
 * Otherwise BS_UNSUPPORTED. where: the name of the index or other object that needs the analyzer,
 * for messages. */
enum bs_status bs_tokenizer_check_analyzer(const struct bs_analyzer *analyzer, const char *name,
                                           const char *where, struct bs_error *err) BS_WARN_UNUSED;

/* Returns BS_INVALID if the name is not a valid name of an analyzer. */
enum bs_status bs_tokenizer_check_analyzer_name(const char *name,
                                                struct bs_error *err) BS_WARN_UNUSED;

/* Makes a tokenizer. options may be NULL: no stemming, accents kept. BS_INVALID for an unknown
 * stemmer (the message lists the known ones), BS_UNSUPPORTED if ICU's data is missing,
 * BS_NO_MEMORY. The first tokenizer of the process opens ICU's word breaker at once; others open it
 * at their first text beyond ASCII, and may fail in the same ways then. */
enum bs_status bs_tokenizer_new(const struct bs_tokenizer_options *options,
                                struct bs_tokenizer **words_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* NULL does nothing. */
void bs_tokenizer_free(struct bs_tokenizer *tokenizer);

/* Switches splitting of identifiers on or off. One tokenizer can serve documents, where they are
 * split, and queries, where they are not. */
void bs_tokenizer_split(struct bs_tokenizer *tokenizer, bool splits);

/* Tokenizes text[0..text_bytes) as one field whose first word has position first_position, and
 * calls fn with its tokens. Memory does not grow with the text, only with its longest part without
 * a safe cut (after a line feed; between white space or most ASCII punctuation and an ASCII letter
 * or digit). sum_out is nullable. BS_NO_MEMORY, BS_UNSUPPORTED, BS_DEADLINE, BS_STOPPED,
 * BS_INVALID and BS_IO (from the application's analyzer), or the status of fn. */
enum bs_status bs_tokenizer_analyze(struct bs_tokenizer *tokenizer, const uint8_t *text,
                                    size_t text_bytes, uint32_t first_position, bs_token_fn fn,
                                    void *context, struct bs_tokenizer_sum *sum_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Appends the text from which words are cut: the NFC of the text or, if the tokenizer has an
 * application's analyzer, the text itself. Not during a call of bs_tokenizer_analyze. BS_NO_MEMORY,
 * BS_UNSUPPORTED (ICU). */
enum bs_status bs_tokenizer_append_nfc(struct bs_tokenizer *tokenizer, const uint8_t *text,
                                       size_t text_bytes, struct bs_buffer *to,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* The versions of ICU and Unicode at run time, such as "72.1" and "15.0". They are recorded in an
 * index, because they define its words. BS_UNSUPPORTED: ICU cannot be loaded. */
enum bs_status bs_tokenizer_versions(char icu_out[16], char unicode_out[16],
                                     struct bs_error *err) BS_WARN_UNUSED;
