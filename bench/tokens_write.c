/*
 * tokens_write.c: converts a source into the files of tokens.h. Reads documents with corpus/read,
 * as the indexer does, so that every engine has bitsift's documents in bitsift's order.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tokens.h"
#include "bench/tool.h"
#include "core/base/hash.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/text/tokenizer.h"
#include "corpus/read/reader.h"
#include "corpus/read/source.h"

/* The number of positions between the fields of a record, as in indexer/batch/term_batch.c. */
#define FIELD_GAP 100

/* A term of the dictionary. */
struct entry {
	uint64_t hash, offset;      /* offset: of its bytes in writer.bytes */
	uint32_t n_bytes, df, last; /* last: the last document that has the term, + 1 */
};

struct writer {
	struct corpus corpus;
	FILE *tokens, *texts;
	struct bs_tokenizer *tokenizer;
	struct entry *entries;
	uint32_t n_entries, capacity;
	uint32_t *slots; /* entry + 1; 0: empty */
	uint32_t slot_mask;
	struct bs_buffer bytes; /* the bytes of all terms */
	struct token *found;    /* tokens of the current document */
	size_t n_found, found_capacity;
};

/* The dictionary. */

static void rehash(struct writer *writer)
{
	uint32_t n_slots = writer->slots ? (writer->slot_mask + 1) * 2 : 1u << 16;
	free(writer->slots);
	writer->slots = calloc(n_slots, sizeof(*writer->slots));
	if (!writer->slots)
		die("out of memory");
	writer->slot_mask = n_slots - 1;
	for (uint32_t i = 0; i < writer->n_entries; i++) {
		uint32_t slot = (uint32_t)writer->entries[i].hash & writer->slot_mask;
		while (writer->slots[slot])
			slot = (slot + 1) & writer->slot_mask;
		writer->slots[slot] = i + 1;
	}
}

static uint32_t add_entry(struct writer *writer, const struct bs_token *token, uint64_t hash)
{
	if (writer->n_entries == writer->capacity) {
		writer->capacity = writer->capacity ? writer->capacity * 2 : 1u << 15;
		writer->entries =
			grown(writer->entries, writer->capacity * sizeof(*writer->entries));
	}
	writer->entries[writer->n_entries] = (struct entry){
		.hash = hash, .offset = writer->bytes.used_bytes, .n_bytes = token->term_bytes};
	if (bs_buffer_append(&writer->bytes, token->term, token->term_bytes, NULL))
		die("out of memory");
	return writer->n_entries++;
}

static uint32_t term_number(struct writer *writer, const struct bs_token *token)
{
	if (writer->n_entries * 2 >= writer->slot_mask)
		rehash(writer);
	uint64_t hash = bs_hash_term(token->term, token->term_bytes);
	uint32_t slot = (uint32_t)hash & writer->slot_mask;
	for (; writer->slots[slot]; slot = (slot + 1) & writer->slot_mask) {
		const struct entry *entry = &writer->entries[writer->slots[slot] - 1];
		if (entry->hash == hash && entry->n_bytes == token->term_bytes &&
		    memcmp(writer->bytes.data + entry->offset, token->term, token->term_bytes) == 0)
			return writer->slots[slot] - 1;
	}
	uint32_t number = add_entry(writer, token, hash);
	writer->slots[slot] = number + 1;
	return number;
}

/* Documents. */

static enum bs_status take_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                                  struct bs_error *err)
{
	struct writer *writer = context;
	(void)err;
	if (writer->n_found + n_tokens > writer->found_capacity) {
		writer->found_capacity = (writer->n_found + n_tokens) * 2;
		writer->found =
			grown(writer->found, writer->found_capacity * sizeof(*writer->found));
	}
	for (size_t i = 0; i < n_tokens; i++) {
		if (tokens[i].is_bigram)
			continue;
		uint32_t number = term_number(writer, &tokens[i]);
		struct entry *entry = &writer->entries[number];
		if (entry->last != writer->corpus.n_docs + 1) {
			entry->last = (uint32_t)writer->corpus.n_docs + 1;
			entry->df++;
			writer->corpus.n_postings++;
		}
		writer->found[writer->n_found++] = (struct token){number, tokens[i].position};
	}
	return BS_OK;
}

static void write_tokens(struct writer *writer)
{
	uint32_t next = 0;
	put_varint(writer->tokens, writer->n_found);
	for (size_t i = 0; i < writer->n_found; i++) {
		uint32_t jump = writer->found[i].position - next;
		put_varint(writer->tokens, (uint64_t)writer->found[i].term * 2 + (jump > 0));
		if (jump)
			put_varint(writer->tokens, jump);
		next = writer->found[i].position + 1;
	}
}

static void write_text(struct writer *writer, const struct bs_document *document)
{
	put_varint(writer->texts,
	           document->text.n_bytes +
	                   (document->text.n_fields ? document->text.n_fields - 1 : 0));
	for (size_t f = 0; f < document->text.n_fields; f++) {
		if (f)
			putc_unlocked('\n', writer->texts);
		fwrite_unlocked(document->text.fields[f].text, 1,
		                document->text.fields[f].text_bytes, writer->texts);
	}
}

static enum bs_status take_document(void *context, const struct bs_document *document,
                                    struct bs_error *err)
{
	struct writer *writer = context;
	struct bs_tokenizer_sum sum = {0};
	writer->n_found = 0;
	for (size_t f = 0; f < document->text.n_fields; f++) {
		enum bs_status status = bs_tokenizer_analyze(
			writer->tokenizer, document->text.fields[f].text,
			document->text.fields[f].text_bytes, f ? sum.next_position + FIELD_GAP : 0,
			take_tokens, writer, &sum, err);
		if (status)
			return status;
	}
	write_tokens(writer);
	write_text(writer, document);
	writer->corpus.n_docs++;
	writer->corpus.n_tokens += writer->n_found;
	writer->corpus.text_bytes += document->text.n_bytes;
	return BS_OK;
}

static enum bs_status pass_over(void *context, enum bs_skip reason, const char *message,
                                struct bs_error *err)
{
	(void)context, (void)reason, (void)message, (void)err;
	return BS_OK; /* nothing to do: the indexer skips the same documents */
}

static void read_source(struct writer *writer, const char *path)
{
	struct bs_source source;
	/* Ignore rules do not apply, because the corpus is in a folder that git ignores. */
	struct bs_source_options options = {.no_ignore = true};
	struct bs_document_sink sink = {
		.context = writer, .document = take_document, .skip = pass_over};
	struct bs_batch batch = {0};
	struct bs_feed *feed;
	struct bs_reader *reader;
	struct bs_error err;
	if (bs_source_init(&source, path, &err) ||
	    bs_feed_open(&source, &options, NULL, NULL, &feed, &err) ||
	    bs_reader_new(&options, &reader, &err))
		die("%s", err.text);
	do {
		if (bs_feed_next(feed, &batch, &err) || bs_reader_read(reader, &batch, &sink, &err))
			die("%s", err.text);
	} while (batch.n_items);
	bs_batch_deinit(&batch);
	bs_reader_free(reader);
	bs_feed_close(feed);
	bs_source_deinit(&source);
}

/* The end. */

static void write_terms(const struct writer *writer)
{
	char *path = text_of("%s/terms", writer->corpus.dir);
	FILE *file = open_file(path, "w");
	for (uint32_t i = 0; i < writer->n_entries; i++) {
		const struct entry *entry = &writer->entries[i];
		put_varint(file, entry->n_bytes);
		fwrite_unlocked(writer->bytes.data + entry->offset, 1, entry->n_bytes, file);
		put_varint(file, entry->df);
	}
	close_file(file, path);
	free(path);
}

/* Written last: if it exists, the other files are complete. */
static void write_summary(const struct writer *writer)
{
	char *path = text_of("%s/corpus.txt", writer->corpus.dir);
	FILE *file = open_file(path, "w");
	const struct corpus *corpus = &writer->corpus;
	fprintf(file,
	        "documents %" PRIu64 "\ntokens %" PRIu64 "\npostings %" PRIu64 "\nterms %" PRIu32
	        "\ntext_bytes %" PRIu64 "\nsource %s\n",
	        corpus->n_docs, corpus->n_tokens, corpus->n_postings, writer->n_entries,
	        corpus->text_bytes, corpus->source);
	close_file(file, path);
	free(path);
}

void corpus_make(const char *dir, const char *source)
{
	struct writer writer = {
		.corpus = {.dir = text_of("%s", dir), .source = realpath(source, NULL)}};
	struct bs_error err;
	if (!writer.corpus.source)
		die("%s: not there", source);
	make_folder(dir);
	char *tokens_path = text_of("%s/tokens", dir), *texts_path = text_of("%s/texts", dir);
	writer.tokens = open_file(tokens_path, "w");
	writer.texts = open_file(texts_path, "w");
	if (bs_tokenizer_new(NULL, &writer.tokenizer, &err))
		die("%s", err.text);
	read_source(&writer, source);
	close_file(writer.tokens, tokens_path);
	close_file(writer.texts, texts_path);
	write_terms(&writer);
	write_summary(&writer);
	bs_tokenizer_free(writer.tokenizer);
	bs_buffer_deinit(&writer.bytes);
	free(writer.entries);
	free(writer.slots);
	free(writer.found);
	free(tokens_path);
	free(texts_path);
	corpus_close(&writer.corpus);
}
