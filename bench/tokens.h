/*
 * tokens.h: the corpus in the form that the other engines index: tokenized once by bitsift's
 * tokenizer and stored in a folder.
 *
 *   corpus.txt  numbers of the corpus, as "name value" lines
 *   terms       for each distinct term, in order of first appearance (its number): varint length,
 *               the bytes, varint df
 *   tokens      for each document: varint number of tokens; for each token varint
 *               (term number * 2 + jump) and, if jump is 1, varint the number of positions that
 *               are skipped before the token
 *   texts       for each document: varint length, the text (fields joined by line feeds), for
 *               engines with their own tokenizer
 *
 * Bigrams are left out, because they only help bitsift's filter. LuceneEngine.java reads the same
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
	char *dir;    /* the folder of the files above */
	char *source; /* what bitsift indexes: a folder or a JSONL file */
	uint64_t n_docs;
	uint64_t n_tokens;
	uint64_t n_postings;
	uint64_t n_terms;
	uint64_t text_bytes;
};

/* Tokenizes source into dir. */
void corpus_make(const char *dir, const char *source);
/* Reads only corpus.txt. */
void corpus_open(const char *dir, struct corpus *corpus_out);
void corpus_close(struct corpus *corpus);

/* Terms. */

struct term {
	const char *text; /* NUL-terminated; may contain NUL bytes */
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

/* Documents. */

struct token {
	uint32_t term;
	uint32_t position;
};

/* Initialised by token_stream_open. */
struct token_stream {
	FILE *file;
	char *path;
	uint64_t n_left;      /* documents that have not been read yet */
	uint32_t document;    /* number of the current document, the last one read, from 0 */
	struct token *tokens; /* tokens of that document, by position */
	size_t n_tokens;
	size_t capacity;
};

void token_stream_open(const struct corpus *corpus, struct token_stream *stream_out);
/* Reads the next document. Returns false at the end. */
bool token_stream_next(struct token_stream *stream);
void token_stream_close(struct token_stream *stream);

struct text_stream {
	FILE *file;
	char *path;
	uint64_t n_left;
	char *text; /* not NUL-terminated */
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
