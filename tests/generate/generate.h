/*
 * generate.h: seeded text with the statistics of text, for tests and benchmarks.
 *
 * Words are drawn by Zipf's law from a vocabulary of pronounceable strings, document lengths are
 * log-normal, and neighbouring documents share topic words, as the files of a folder or the mails
 * of a week do. The same options give the same bytes on every platform: all arithmetic is on
 * integers, which is why the real-valued options are given in thousandths. Document i depends on
 * the options and i alone, so that threads may make documents in any order. This is not language:
 * there is no grammar, no morphology, and no script but ASCII; for those see corpus/sample.
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
/* The largest vocabulary: an entry of the drawing table packs a word number into 24 bits. */
#define BS_GENERATOR_MAX_WORDS (UINT32_C(1) << 24)

struct bs_generator_options {
	uint64_t seed;
	uint64_t n_docs;
	uint32_t n_words; /* vocabulary size, 1 to BS_GENERATOR_MAX_WORDS */
	/* exponent s in frequency ~ rank^-s, in thousandths, 0 to 3000; 0: all words alike */
	uint32_t zipf_milli;
	uint32_t mean_words; /* mean document length, 1 to 1,000,000 */
	/* standard deviation of log2(length), in thousandths, 0 to 2000; 0: all equally long */
	uint32_t spread_milli;
	/* share of the words that come from the document's topic, in thousandths, 0 to 1000 */
	uint32_t topic_milli;
	uint32_t topic_docs; /* how many neighbouring documents share a topic, >= 1 */
};

/* Seed 1, 1,000 documents, 100,000 words, exponent 1.07, 200 words a document, spread 1.1, topics
 * 0.25 by 50. */
struct bs_generator_options bs_generator_defaults(void);

/* Immutable once made; threads may share it. About 24 bytes per word of the vocabulary. */
struct bs_generator;

/* BS_INVALID for an option out of range (the message names it), BS_NO_MEMORY. options is copied. */
enum bs_status bs_generator_new(const struct bs_generator_options *options,
                                struct bs_generator **generator_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* NULL is fine. */
void bs_generator_free(struct bs_generator *generator);

/*
 * The word of a rank (0: the most frequent) as lower-case ASCII letters with a NUL; returns its
 * length, 2 to 9. Ranks from 0 to BS_GENERATOR_MAX_WORDS - 1, no failure. Different ranks have
 * different words, whatever the options; frequent words are short (generate.c has the table).
 */
size_t bs_generator_word(uint32_t rank, char word_out[BS_GENERATOR_WORD_BYTES]);

/*
 * Replaces the contents of text with those of document doc (any number; options.n_docs is no limit
 * here): at least one word, in sentences that begin with a capital and lines of a few sentences,
 * ended by a line feed. Bytes are ASCII letters, space, comma, full stop and line feed.
 * BS_NO_MEMORY.
 */
enum bs_status bs_generator_document(const struct bs_generator *generator, uint64_t doc,
                                     struct bs_buffer *text, struct bs_error *err) BS_WARN_UNUSED;

/* Gets one document: id is NUL-ended ("d0", "d1", ...), both borrowed until it returns. Anything
 * but BS_OK stops. */
typedef enum bs_status (*bs_generator_fn)(void *context, const char *id, const uint8_t *text,
                                          size_t text_bytes, struct bs_error *err);

/* Calls fn with documents 0 to n_docs - 1 in this order. BS_NO_MEMORY, or what fn returned. */
enum bs_status bs_generator_run(const struct bs_generator *generator, bs_generator_fn fn,
                                void *context, struct bs_error *err) BS_WARN_UNUSED;

/* The same as lines {"id": "d0", "text": "..."} into file, which is flushed but not closed.
 * BS_NO_MEMORY, BS_IO. */
enum bs_status bs_generator_write_jsonl(const struct bs_generator *generator, FILE *file,
                                        struct bs_error *err) BS_WARN_UNUSED;

#ifdef __cplusplus
}
#endif
