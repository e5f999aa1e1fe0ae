/* tokens.c: reads the files of tokens_write.c. See tokens.h. */
#include "bench/tokens.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tool.h"

void corpus_open(const char *dir, struct corpus *corpus_out)
{
	char *path = text_of("%s/corpus.txt", dir);
	FILE *file = open_file(path, "r");
	char source[4096];
	*corpus_out = (struct corpus){.dir = text_of("%s", dir)};
	if (fscanf(file,
	           "documents %" SCNu64 "\ntokens %" SCNu64 "\npostings %" SCNu64 "\nterms %" SCNu64
	           "\ntext_bytes %" SCNu64 "\nsource %4095[^\n]",
	           &corpus_out->n_docs, &corpus_out->n_tokens, &corpus_out->n_postings,
	           &corpus_out->n_terms, &corpus_out->text_bytes, source) != 6)
		die("%s: not as it should be; make it again", path);
	corpus_out->source = text_of("%s", source);
	close_file(file, path);
	free(path);
}

void corpus_close(struct corpus *corpus)
{
	free(corpus->dir);
	free(corpus->source);
}

/* Terms. */

void terms_read(const struct corpus *corpus, struct terms *terms_out)
{
	char *path = text_of("%s/terms", corpus->dir);
	FILE *file = open_file(path, "r");
	struct terms terms = {.n_terms = (uint32_t)corpus->n_terms};
	terms.terms = grown(NULL, terms.n_terms * sizeof(*terms.terms));
	size_t n_left = path_bytes(path) + terms.n_terms;
	terms.bytes = grown(NULL, n_left);
	char *at = terms.bytes;
	for (uint32_t i = 0; i < terms.n_terms; i++) {
		uint32_t n_bytes = (uint32_t)get_varint(file);
		if (n_bytes >= n_left || fread(at, 1, n_bytes, file) != n_bytes)
			die("%s: ends too early", path);
		n_left -= n_bytes + 1;
		at[n_bytes] = '\0';
		terms.terms[i] = (struct term){
			.text = at, .n_bytes = n_bytes, .df = (uint32_t)get_varint(file)};
		at += n_bytes + 1;
	}
	close_file(file, path);
	free(path);
	*terms_out = terms;
}

void terms_free(struct terms *terms)
{
	free(terms->terms);
	free(terms->bytes);
}

/* Documents. */

void token_stream_open(const struct corpus *corpus, struct token_stream *stream_out)
{
	char *path = text_of("%s/tokens", corpus->dir);
	*stream_out = (struct token_stream){.file = open_file(path, "r"),
	                                    .path = path,
	                                    .n_left = corpus->n_docs,
	                                    .document = UINT32_MAX};
}

bool token_stream_next(struct token_stream *stream)
{
	if (stream->n_left == 0)
		return false;
	stream->n_left--;
	stream->document++;
	stream->n_tokens = get_varint(stream->file);
	if (stream->n_tokens > stream->capacity) {
		stream->capacity = stream->n_tokens * 2;
		stream->tokens = grown(stream->tokens, stream->capacity * sizeof(*stream->tokens));
	}
	uint32_t next = 0;
	for (size_t i = 0; i < stream->n_tokens; i++) {
		uint64_t code = get_varint(stream->file);
		if (code & 1)
			next += (uint32_t)get_varint(stream->file);
		stream->tokens[i] =
			(struct token){.term = (uint32_t)(code >> 1), .position = next++};
	}
	return true;
}

void token_stream_close(struct token_stream *stream)
{
	close_file(stream->file, stream->path);
	free(stream->path);
	free(stream->tokens);
}

void text_stream_open(const struct corpus *corpus, struct text_stream *stream_out)
{
	char *path = text_of("%s/texts", corpus->dir);
	*stream_out = (struct text_stream){
		.file = open_file(path, "r"), .path = path, .n_left = corpus->n_docs};
}

bool text_stream_next(struct text_stream *stream)
{
	if (stream->n_left == 0)
		return false;
	stream->n_left--;
	stream->n_bytes = get_varint(stream->file);
	if (stream->n_bytes > stream->capacity) {
		stream->capacity = stream->n_bytes * 2;
		stream->text = grown(stream->text, stream->capacity);
	}
	if (fread(stream->text, 1, stream->n_bytes, stream->file) != stream->n_bytes)
		die("%s: ends too early", stream->path);
	return true;
}

void text_stream_close(struct text_stream *stream)
{
	close_file(stream->file, stream->path);
	free(stream->path);
	free(stream->text);
}
