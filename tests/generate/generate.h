/*
 * generate.h: random text with the statistics of real text, for tests and benchmarks.
 *
 * Words are drawn by Zipf's law from a vocabulary of pronounceable strings. Document lengths are
 * log-normal. Neighbouring documents share topic words, like the files of a folder or the mails of
 * a week. The same options give the same bytes on every platform, because all arithmetic uses
 * integers; therefore real-valued options are given in thousandths. Document i depends only on the
 * options and on i, so that threads may make documents in any order. The text is not language: it
 * has no grammar, no morphology, and no letters outside ASCII. For real language see corpus/sample.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/buffer.h"
#include "core/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room for the longest word and its NUL. */
#define BS_GENERATOR_WORD_BYTES 10
/* The largest vocabulary: the table for draws (generate.c) has word numbers of 24 bits. */
#define BS_GENERATOR_MAX_WORDS (UINT32_C(1) << 24)

struct bs_generator_options {
	uint64_t seed;
	uint64_t n_docs;
	uint32_t n_words; /* vocabulary size, 1 to BS_GENERATOR_MAX_WORDS */
	/* Exponent s in frequency ~ rank^-s, in thousandths, 0 to 3000; 0: all words equally
	 * frequent. */
	uint32_t zipf_milli;
	uint32_t mean_words; /* mean document length, 1 to 1,000,000 */
	/* Standard deviation of log2(length), in thousandths, 0 to 2000; 0: all equally long. */
	uint32_t spread_milli;
	/* Share of the words that are drawn from the document's topic, in thousandths, 0 to
	 * 1000. */
	uint32_t topic_milli;
	uint32_t topic_docs; /* number of neighbouring documents that share a topic, >= 1 */
};

/* Seed 1; 1,000 documents of 200 words on average, spread 1.1; 100,000 words, exponent 1.07; a
 * quarter of the words from the topic, which 50 documents share. */
struct bs_generator_options bs_generator_defaults(void);

/* Immutable; may be shared by threads. Takes about 24 bytes per word of the vocabulary. */
struct bs_generator;

/* Copies options. BS_INVALID: an option is out of range; the message names it. BS_NO_MEMORY. */
enum bs_status bs_generator_new(const struct bs_generator_options *options,
                                struct bs_generator **generator_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* generator: nullable. */
void bs_generator_free(struct bs_generator *generator);

/* Writes the word of a rank (0: the most frequent) as lower-case ASCII letters with a NUL and
 * returns its length, 2 to 9. rank: 0 to BS_GENERATOR_MAX_WORDS - 1. Never fails. Words are
 * distinct and do not depend on the options; frequent words are short (see generate.c). */
size_t bs_generator_word(uint32_t rank, char word_out[BS_GENERATOR_WORD_BYTES]);

/* Replaces the content of text by document doc (any number; options.n_docs is not a limit here): at
 * least one word, in sentences that begin with a capital letter, and in lines of a few sentences
 * that end with a line feed. Contains only ASCII letters, space, comma, full stop and line feed.
 * BS_NO_MEMORY. */
enum bs_status bs_generator_document(const struct bs_generator *generator, uint64_t doc,
                                     struct bs_buffer *text, struct bs_error *err) BS_WARN_UNUSED;

/* Writes the documents to file as lines {"id": "d0", "text": "..."}; ids are d0, d1, ... Flushes
 * the file, but does not close it. BS_NO_MEMORY, BS_IO. */
enum bs_status bs_generator_write_jsonl(const struct bs_generator *generator, FILE *file,
                                        struct bs_error *err) BS_WARN_UNUSED;

#ifdef __cplusplus
}
#endif
