/* gather.c: see gather.h. */
#include "indexer/gather.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/hash.h"
#include "core/lexicon.h"

#define FIELD_GAP         100u /* positions between two fields of a record */
#define SPOOL_CHUNK_BYTES (1u << 20)
#define PREFETCH_AHEAD    8u
#define KEPT_BYTES        (4u << 20) /* larger buffers of a harvest are given back after use */
#define UNMAPPED          UINT32_MAX

/* ---- harvest ---- */

void bs_harvest_clear(struct bs_harvest *harvest)
{
	bs_term_table_clear(&harvest->terms);
	bs_term_table_clear(&harvest->fields);
	bs_buffer_trim(&harvest->postings, KEPT_BYTES);
	bs_buffer_trim(&harvest->docs, KEPT_BYTES);
	bs_buffer_trim(&harvest->skips, KEPT_BYTES);
	bs_buffer_trim(&harvest->names, KEPT_BYTES);
	bs_buffer_trim(&harvest->raws, KEPT_BYTES);
	bs_buffer_trim(&harvest->messages, KEPT_BYTES);
	bs_buffer_trim(&harvest->unchanged, KEPT_BYTES);
	harvest->n_unchanged = 0;
	harvest->n_docs = 0;
	harvest->n_skips = 0;
}

void bs_harvest_deinit(struct bs_harvest *harvest)
{
	bs_term_table_deinit(&harvest->terms);
	bs_term_table_deinit(&harvest->fields);
	bs_buffer_deinit(&harvest->postings);
	bs_buffer_deinit(&harvest->docs);
	bs_buffer_deinit(&harvest->skips);
	bs_buffer_deinit(&harvest->names);
	bs_buffer_deinit(&harvest->raws);
	bs_buffer_deinit(&harvest->messages);
	bs_buffer_deinit(&harvest->unchanged);
	bs_buffer_deinit(&harvest->key);
}

/* The lexicon's key of a token: the term, or 0xff and the term for a pair. */
static enum bs_status token_key(struct bs_harvest *harvest, const struct bs_token *token, const uint8_t **key_out,
                                uint32_t *key_bytes_out, struct bs_error *err)
{
	static const uint8_t pair = BS_KEY_PAIR;
	*key_out = token->term;
	*key_bytes_out = token->term_bytes;
	if (!token->is_pair)
		return BS_OK;
	bs_buffer_clear(&harvest->key);
	enum bs_status status = bs_buffer_append(&harvest->key, &pair, 1, err);
	if (!status)
		status = bs_buffer_append(&harvest->key, token->term, token->term_bytes, err);
	*key_out = harvest->key.data;
	*key_bytes_out = (uint32_t)harvest->key.used_bytes;
	return status;
}

static enum bs_status harvest_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                                     struct bs_error *err)
{
	struct bs_harvest *harvest = context;
	for (size_t i = 0; i < n_tokens; i++) {
		const uint8_t *key;
		uint32_t key_bytes;
		uint32_t number;
		enum bs_status status = token_key(harvest, &tokens[i], &key, &key_bytes, err);
		if (!status)
			status = bs_term_table_intern(&harvest->terms, key, key_bytes, bs_hash_term(key, key_bytes), &number,
			                              NULL, err);
		if (status)
			return status;
		struct bs_term_entry *entry = &harvest->terms.entries[number];
		if (entry->last == harvest->n_docs + 1)
			continue;
		entry->last = harvest->n_docs + 1;
		entry->df++;
		status = bs_buffer_append(&harvest->postings, &number, sizeof(number), err);
		if (status)
			return status;
	}
	return BS_OK;
}

static enum bs_status harvest_fields(struct bs_harvest *harvest, const struct bs_document *document,
                                     uint32_t *length_out, struct bs_error *err)
{
	uint32_t position = 0;
	*length_out = 0;
	for (size_t i = 0; i < document->n_fields; i++) {
		const struct bs_field *field = &document->fields[i];
		struct bs_words_sum sum;
		uint32_t number;
		enum bs_status status = bs_words_analyze(harvest->words, field->text, field->text_bytes, position,
		                                         harvest_tokens, harvest, &sum, err);
		if (!status && field->name_bytes > 0)
			status = bs_term_table_intern(&harvest->fields, (const uint8_t *)field->name, (uint32_t)field->name_bytes,
			                              bs_hash_term(field->name, field->name_bytes), &number, NULL, err);
		if (status)
			return status;
		position = sum.next_position + FIELD_GAP;
		*length_out += sum.n_positions;
	}
	return BS_OK;
}

static enum bs_status harvest_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct bs_harvest *harvest = context;
	struct bs_harvest_doc doc = {
		.first_posting = harvest->postings.used_bytes / 4,
		.name_bytes = (uint32_t)document->name_bytes,
		.name_offset = harvest->names.used_bytes,
		.raw_offset = harvest->raws.used_bytes,
		.text_bytes = document->text_bytes,
		.document = *document,
	};
	enum bs_status status = harvest_fields(harvest, document, &doc.length, err);
	if (!status)
		status = bs_buffer_append(&harvest->names, document->name, document->name_bytes, err);
	if (!status && harvest->keep_raws)
		status = bs_buffer_append(&harvest->raws, document->raw, (size_t)document->raw_bytes, err);
	doc.n_terms = (uint32_t)(harvest->postings.used_bytes / 4 - doc.first_posting);
	if (!status)
		status = bs_buffer_append(&harvest->docs, &doc, sizeof(doc), err);
	if (!status)
		harvest->n_docs++;
	return status;
}

static enum bs_status harvest_skip(void *context, enum bs_skip reason, const char *message, struct bs_error *err)
{
	struct bs_harvest *harvest = context;
	struct bs_harvest_skip skip = {.reason = reason, .message_offset = harvest->messages.used_bytes};
	enum bs_status status = bs_buffer_append(&harvest->messages, message, strlen(message) + 1, err);
	if (!status)
		status = bs_buffer_append(&harvest->skips, &skip, sizeof(skip), err);
	if (!status)
		harvest->n_skips++;
	return status;
}

static enum bs_status harvest_unchanged(void *context, struct bs_doc_ref known, struct bs_error *err)
{
	struct bs_harvest *harvest = context;
	harvest->n_unchanged++;
	return bs_buffer_append(&harvest->unchanged, &known, sizeof(known), err);
}

struct bs_document_sink bs_harvest_sink(struct bs_harvest *harvest)
{
	return (struct bs_document_sink){
		.context = harvest,
		.document = harvest_document,
		.skip = harvest_skip,
		.unchanged = harvest_unchanged,
	};
}

/* ---- spool: codes that never move ---- */

struct bs_spool_chunk {
	struct bs_spool_chunk *next;
	size_t used_bytes;
	size_t capacity_bytes;
	uint8_t bytes[];
};

static void spool_clear(struct bs_gather *gather)
{
	while (gather->chunks) {
		struct bs_spool_chunk *chunk = gather->chunks;
		gather->chunks = chunk->next;
		free(chunk);
	}
	gather->spool_bytes = 0;
}

/* Room for n_bytes in one piece. */
static uint8_t *spool_reserve(struct bs_gather *gather, size_t n_bytes, struct bs_error *err)
{
	struct bs_spool_chunk *chunk = gather->chunks;
	if (!chunk || n_bytes > chunk->capacity_bytes - chunk->used_bytes) {
		size_t capacity = n_bytes > SPOOL_CHUNK_BYTES ? n_bytes : SPOOL_CHUNK_BYTES;
		chunk = malloc(sizeof(*chunk) + capacity);
		if (!chunk) {
			(void)bs_fail_memory(err, "gathered terms", capacity);
			return NULL;
		}
		*chunk = (struct bs_spool_chunk){.next = gather->chunks, .capacity_bytes = capacity};
		gather->chunks = chunk;
	}
	return chunk->bytes + chunk->used_bytes;
}

/* ---- gather ---- */

void bs_gather_clear(struct bs_gather *gather)
{
	bs_term_table_clear(&gather->terms);
	bs_term_table_clear(&gather->fields);
	bs_doc_table_builder_clear(&gather->doc_table);
	bs_buffer_clear(&gather->docs);
	spool_clear(gather);
	gather->n_postings = 0;
	gather->n_positions = 0;
	gather->text_bytes = 0;
}

void bs_gather_deinit(struct bs_gather *gather)
{
	spool_clear(gather);
	bs_term_table_deinit(&gather->terms);
	bs_term_table_deinit(&gather->fields);
	bs_doc_table_builder_deinit(&gather->doc_table);
	bs_buffer_deinit(&gather->docs);
	bs_buffer_deinit(&gather->map);
}

static enum bs_status map_fields(struct bs_gather *gather, const struct bs_harvest *harvest, struct bs_error *err)
{
	const struct bs_term_table *from = &harvest->fields;
	for (uint32_t i = 0; i < from->n_terms; i++) {
		uint32_t number;
		enum bs_status status = bs_term_table_intern(&gather->fields, bs_term_table_key(from, i),
		                                             from->entries[i].n_bytes, from->entries[i].hash, &number, NULL,
		                                             err);
		if (status)
			return status;
	}
	return BS_OK;
}

enum bs_status bs_gather_start(struct bs_gather *gather, const struct bs_harvest *harvest, struct bs_error *err)
{
	size_t n_bytes = (size_t)harvest->terms.n_terms * sizeof(uint32_t);
	bs_buffer_clear(&gather->map);
	enum bs_status status = bs_buffer_reserve(&gather->map, n_bytes, err);
	if (status)
		return status;
	if (n_bytes)
		memset(gather->map.data, 0xff, n_bytes);
	return map_fields(gather, harvest, err);
}

/* The number here of the harvest's p-th posting from postings on; asks the memory for the one a few further. */
static enum bs_status map_posting(struct bs_gather *gather, const struct bs_harvest *harvest, const uint32_t *postings,
                                  uint32_t p, uint32_t n_postings, uint32_t *number_out, struct bs_error *err)
{
	const struct bs_term_table *from = &harvest->terms;
	uint32_t *map = (uint32_t *)(void *)gather->map.data;
	uint32_t term = postings[p];
	if (p + PREFETCH_AHEAD < n_postings && map[postings[p + PREFETCH_AHEAD]] == UNMAPPED)
		bs_term_table_prefetch(&gather->terms, from->entries[postings[p + PREFETCH_AHEAD]].hash);
	enum bs_status status = BS_OK;
	if (map[term] == UNMAPPED)
		status = bs_term_table_intern(&gather->terms, bs_term_table_key(from, term), from->entries[term].n_bytes,
		                              from->entries[term].hash, &map[term], NULL, err);
	*number_out = map[term];
	return status;
}

enum bs_status bs_gather_add(struct bs_gather *gather, const struct bs_harvest *harvest, uint32_t i,
                             const struct bs_doc_record *record, struct bs_error *err)
{
	const struct bs_harvest_doc *from = &bs_harvest_docs(harvest)[i];
	const uint32_t *postings = (const uint32_t *)(const void *)harvest->postings.data + from->first_posting;
	uint8_t *codes = spool_reserve(gather, (size_t)from->n_terms * 5 + 1, err);
	enum bs_status status = codes ? BS_OK : BS_NO_MEMORY;
	uint8_t *at = codes;
	for (uint32_t p = 0; p < from->n_terms && !status; p++) {
		uint32_t number;
		status = map_posting(gather, harvest, postings, p, from->n_terms, &number, err);
		if (status)
			return status;
		gather->terms.entries[number].df++;
		at += bs_varint_put(at, number);
	}
	struct bs_gathered_doc doc = {.codes = codes, .n_terms = from->n_terms};
	struct bs_doc_record named = *record;
	named.length = from->length;
	if (!status)
		status = bs_buffer_append(&gather->docs, &doc, sizeof(doc), err);
	if (!status)
		status = bs_doc_table_add(&gather->doc_table, &named, err);
	if (status)
		return status;
	gather->chunks->used_bytes += (size_t)(at - codes);
	gather->spool_bytes += (uint64_t)(at - codes);
	gather->n_postings += from->n_terms;
	gather->n_positions += from->length;
	gather->text_bytes += from->text_bytes;
	return BS_OK;
}

uint64_t bs_gather_bytes(const struct bs_gather *gather)
{
	return bs_term_table_bytes(&gather->terms) + bs_doc_table_builder_bytes(&gather->doc_table) +
	       gather->docs.used_bytes + gather->spool_bytes;
}
