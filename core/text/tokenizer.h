/*
 * tokenizer.h: the words analyzer, text -> terms with positions. The one definition of a word in
 * bitsift.
 *
 * Text is UTF-8, and is brought into NFC first; an invalid sequence counts as U+FFFD, and U+2019
 * and U+02BC as an apostrophe. Runs of Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar are
 * cut out first and give a term per folded code point; everything between goes to ICU's word break
 * iterator (root locale), is cut at each @, at . and : between letters (marks on the left go with
 * their letter) and at the T of 02T03, and is folded with NFKC_Casefold. So canonically equivalent
 * texts have the same words at the same positions. Two terms at adjacent positions that are both a
 * single letter, mark or digit of those scripts (wherever they come from: the sign U+3297 is a word
 * for ICU and folds to U+795D) give a pair term besides. Pairs depend on terms and positions only,
 * so that a document in which a phrase stands is sure to have the pairs of the phrase. README.md,
 * "Words", documents the same for users.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text/token.h"

struct bs_buffer;
struct bs_kernel;

/* An analyzer: ICU services and scratch. Belongs to one thread at a time; make one per thread. */
struct bs_tokenizer;

struct bs_tokenizer_options {
	/* a Snowball name ("english"), or NULL: no stemming; runs are never stemmed */
	const char *stem_language;
	/* of Latin, Greek and Cyrillic letters (tokenizer_accents.h), after folding; runs are left
	 * alone */
	bool fold_accents;
	/* A word of several parts (camelCase, HTTPServer2, snake_case, letters against digits)
	 * gives the whole, at the position of the first part, and its parts; see tokenizer_parts.h.
	 * For documents: bs_tokenizer_split. */
	bool split_identifiers;
	/* Words are those that somebody else cuts (struct bs_analyzer of bitsift.h): with none of
	 * the above. analyzer_name: by whom they must be; NULL: by the rules here. Borrowed while
	 * the analyzer lives. */
	const struct bs_analyzer *analyzer;
	const char *analyzer_name;
};

/* The revision of these rules, which an index records. 1 did not bring text into NFC, cut at @
 * between letters alone, and dropped the marks of all scripts with accents; 0 also knew no
 * apostrophes but that of ASCII, no flags, keycaps and dates. */
#ifndef BS_TOKENIZER_REVISION /* a test's build has a later one */
#define BS_TOKENIZER_REVISION 2u
#endif

/* What one analysis amounted to. */
struct bs_tokenizer_sum {
	uint32_t next_position; /* the position that the next word of this text would have had */
	/* positions taken by terms: gaps and pairs not counted. The length of BM25 */
	uint32_t n_positions;
};

/* BS_UNSUPPORTED, which names both, unless the analyzer (nullable) is the one of that name (NULL:
 * none is wanted). where: the thing whose words they are. */
enum bs_status bs_tokenizer_check_analyzer(const struct bs_analyzer *analyzer, const char *name,
                                           const char *where, struct bs_error *err) BS_WARN_UNUSED;

/* BS_INVALID for a name that is none. */
enum bs_status bs_tokenizer_check_analyzer_name(const char *name,
                                                struct bs_error *err) BS_WARN_UNUSED;

/* Fails with BS_INVALID for an unknown stemmer (the message lists the known ones), BS_UNSUPPORTED
 * if ICU's data is missing, BS_NO_MEMORY. options may be NULL: no stemming, accents kept. What only
 * text beyond ASCII needs of ICU is opened when the first such text comes, and may fail alike
 * then. */
enum bs_status bs_tokenizer_new(const struct bs_tokenizer_options *options,
                                struct bs_tokenizer **words_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* NULL is fine. */
void bs_tokenizer_free(struct bs_tokenizer *tokenizer);

/* Whether identifiers are split from now on, so that the analyzer of documents serves for queries,
 * which are not. */
void bs_tokenizer_split(struct bs_tokenizer *tokenizer, bool splits);

/* Analyses text[0..text_bytes) as one field whose first word has position first_position, calling
 * fn with its tokens. Memory does not grow with the text, only with its longest stretch without a
 * safe cut (a line feed, or white space or ASCII punctuation before an ASCII letter or digit).
 * sum_out may be NULL. BS_NO_MEMORY, BS_UNSUPPORTED of ICU, or what fn returned. */
enum bs_status bs_tokenizer_analyze(struct bs_tokenizer *tokenizer, const uint8_t *text,
                                    size_t text_bytes, uint32_t first_position, bs_token_fn fn,
                                    void *context, struct bs_tokenizer_sum *sum_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Appends the text in NFC, as words are cut from it (an analyzer gets it as it stands). Not while
 * this analyzer is at work. BS_NO_MEMORY, BS_UNSUPPORTED of ICU. */
enum bs_status bs_tokenizer_append_nfc(struct bs_tokenizer *tokenizer, const uint8_t *text,
                                       size_t text_bytes, struct bs_buffer *to,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* The versions of the libraries at run time, "72.1" and "15.0": recorded in an index, because they
 * define its words. BS_UNSUPPORTED: ICU cannot be loaded. */
enum bs_status bs_tokenizer_versions(char icu_out[16], char unicode_out[16],
                                     struct bs_error *err) BS_WARN_UNUSED;
