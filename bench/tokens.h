/*
 * tokens.h: a corpus as the other engines get it: analysed once, by bitsift's analyzer, and kept in
 * a folder.
 *
 *   corpus.txt  what it is, as "name value" lines
 *   terms       per distinct term, in order of first appearance (its number): varint bytes, the
 *     bytes, varint df
 *   tokens      per document: varint number of tokens, then of each token varint (term number * 2 +
 *     jump), and after a
 *               jump varint how far its position is beyond the next one
 *   texts       per document: varint bytes, the text (fields joined by line feeds), for tokenizers
 *     of their own
 *
 * Pair terms are left out: they are an aid to bitsift's filter. LuceneEngine.java reads the same
 * files.
 */
#ifndef BENCH_TOKENS_H
#define BENCH_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct corpus {
	char *dir;    /* the folder */
	char *source; /* what bitsift indexes: a folder or a JSONL file */
	uint64_t n_docs;
	uint64_t n_tokens;
	uint64_t n_postings;
	uint64_t n_terms;
	uint64_t text_bytes;
};

/* Analyses source into dir. */
void corpus_make(const char *dir, const char *source);
/* Reads corpus.txt only. */
void corpus_open(const char *dir, struct corpus *corpus_out);
void corpus_close(struct corpus *corpus);

/* ---- terms ---- */

struct term {
	const char *text; /* NUL-ended; it may hold anything else */
	uint32_t n_bytes;
	uint32_t df;
};

struct terms {
	struct term *terms; /* by number */
	uint32_t n_terms;
	char *bytes;
};

void terms_read(const struct corpus *corpus, struct terms *terms_out);
void terms_free(struct terms *terms);

/* ---- documents ---- */

struct token {
	uint32_t term;
	uint32_t position;
};

/* Zero-initialise nothing: token_stream_open does. */
struct token_stream {
	FILE *file;
	char *path;
	uint64_t n_left;
	uint32_t document;    /* the number of the one read last, from 0 */
	struct token *tokens; /* its tokens, in order of position */
	size_t n_tokens;
	size_t capacity;
};

void token_stream_open(const struct corpus *corpus, struct token_stream *stream_out);
/* False at the end. */
bool token_stream_next(struct token_stream *stream);
void token_stream_close(struct token_stream *stream);

struct text_stream {
	FILE *file;
	char *path;
	uint64_t n_left;
	char *text; /* not NUL-ended */
	size_t n_bytes;
	size_t capacity;
};

void text_stream_open(const struct corpus *corpus, struct text_stream *stream_out);
bool text_stream_next(struct text_stream *stream);
void text_stream_close(struct text_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
