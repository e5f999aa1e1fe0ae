/* gather.c: see gather.h. */
#include "indexer/gather.h"

#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/hash.h"

#define SPOOL_CHUNK_BYTES (8u << 20) /* address space: only what is written becomes real */

/* So many terms are looked up ahead at one go. */
#define LOOK_AHEAD 32u

/* ... and so many postings are written, once all their terms are known: whole groups. */
#define POSTINGS 128u

/* A term of the harvest as it is here. */
struct mapped {
	uint32_t number; /* BS_TERM_NONE: it is not known here */
	uint32_t n_docs; /* documents added that have it, not yet in the entry's df */
};

/* ---- spool: codes that never move ---- */

struct bs_spool_chunk *bs_spool_chunk_new(struct bs_spool_chunk *next, size_t n_bytes, struct bs_error *err)
{
	size_t capacity = n_bytes > SPOOL_CHUNK_BYTES ? n_bytes : SPOOL_CHUNK_BYTES;
	struct bs_spool_chunk *chunk = malloc(sizeof(*chunk) + capacity);
	if (!chunk) {
		(void)bs_fail_memory(err, "gathered terms", capacity);
		return NULL;
	}
	bs_buffer_advise(chunk, sizeof(*chunk) + capacity);
	*chunk = (struct bs_spool_chunk){.next = next, .capacity_bytes = capacity};
	return chunk;
}

void bs_spool_chunks_free(struct bs_spool_chunk *chunks)
{
	while (chunks) {
		struct bs_spool_chunk *next = chunks->next;
		free(chunks);
		chunks = next;
	}
}

static void spool_clear(struct bs_gather *gather)
{
	bs_spool_chunks_free(gather->chunks);
	gather->chunks = NULL;
	gather->spool_bytes = 0;
}

/* Room for n_bytes in one piece, for the next document. */
static uint8_t *spool_reserve(struct bs_gather *gather, size_t n_bytes, struct bs_error *err)
{
	struct bs_spool_chunk *chunk = gather->chunks;
	if (!chunk || n_bytes > chunk->capacity_bytes - chunk->used_bytes) {
		chunk = bs_spool_chunk_new(gather->chunks, n_bytes, err);
		if (!chunk)
			return NULL;
		chunk->first_doc = bs_gather_n_docs(gather);
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
	bs_tf_table_builder_clear(&gather->tf_table);
	bs_buffer_clear(&gather->docs);
	spool_clear(gather);
	bs_buffer_clear(&gather->map);
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
	bs_tf_table_builder_deinit(&gather->tf_table);
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

static void settle_dfs(struct bs_gather *gather)
{
	struct mapped *map = (struct mapped *)(void *)gather->map.data;
	for (size_t i = 0; i < gather->map.used_bytes / sizeof(*map); i++) {
		if (!map[i].n_docs)
			continue;
		gather->terms.entries[map[i].number].df += map[i].n_docs;
		map[i].n_docs = 0;
	}
}

void bs_gather_settle(struct bs_gather *gather)
{
	settle_dfs(gather);
	bs_term_table_seal(&gather->terms);
}

/* What is known here of the harvest's terms. The memory is asked for what some of them will touch, a step at a time for all of
 * them: slots, then entries, then keys. */
static void look_up(const struct bs_gather *gather, const struct bs_harvest *harvest, struct mapped *map)
{
	const struct bs_term_table *terms = &gather->terms;
	uint32_t guesses[LOOK_AHEAD];
	for (uint32_t first = 0, n; first < harvest->terms.n_terms; first += n) {
		const uint64_t *hashes = bs_harvest_hashes(harvest) + first;
		uint32_t left = harvest->terms.n_terms - first;
		n = left < LOOK_AHEAD ? left : LOOK_AHEAD;
		for (uint32_t i = 0; i < n; i++)
			bs_term_table_prefetch(terms, hashes[i]);
		for (uint32_t i = 0; i < n; i++) {
			guesses[i] = bs_term_table_guess(terms, hashes[i]);
			bs_term_table_prefetch_entry(terms, guesses[i]);
		}
		for (uint32_t i = 0; i < n; i++)
			bs_term_table_prefetch_key(terms, guesses[i]);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t key_bytes;
			uint32_t number = guesses[i];
			const uint8_t *key = bs_harvest_key(harvest, first + i, &key_bytes);
			map[first + i] = (struct mapped){.number = BS_TERM_NONE};
			if (number != BS_TERM_NONE && (bs_term_table_is(terms, number, key, key_bytes, hashes[i]) ||
			                               bs_term_table_find(terms, key, key_bytes, hashes[i], &number)))
				map[first + i].number = number;
		}
	}
}

enum bs_status bs_gather_start(struct bs_gather *gather, const struct bs_harvest *harvest, struct bs_error *err)
{
	size_t n_bytes = (size_t)harvest->terms.n_terms * sizeof(struct mapped);
	settle_dfs(gather);
	bs_buffer_clear(&gather->map);
	enum bs_status status = bs_buffer_reserve(&gather->map, n_bytes, err);
	if (status)
		return status;
	look_up(gather, harvest, (struct mapped *)(void *)gather->map.data);
	gather->map.used_bytes = n_bytes;
	return map_fields(gather, harvest, err);
}

static enum bs_status add_term(struct bs_gather *gather, const struct bs_harvest *harvest, uint32_t term,
                               struct mapped *mapped, struct bs_error *err)
{
	uint32_t key_bytes;
	const uint8_t *key = bs_harvest_key(harvest, term, &key_bytes);
	return bs_term_table_add(&gather->terms, key, key_bytes, bs_harvest_hashes(harvest)[term], &mapped->number, err);
}

/* Makes those of the postings' terms known that are not. Where they go is asked for, for all of them, before the first one. */
static enum bs_status add_new_terms(struct bs_gather *gather, const struct bs_harvest *harvest, const uint32_t *postings,
                                    uint32_t n, struct bs_error *err)
{
	struct mapped *map = (struct mapped *)(void *)gather->map.data;
	uint32_t new_terms[POSTINGS];
	uint32_t n_new = 0;
	enum bs_status status = BS_OK;
	for (uint32_t p = 0; p < n; p++)
		__builtin_prefetch(&map[postings[p]], 1);
	for (uint32_t p = 0; p < n; p++) {
		new_terms[n_new] = postings[p];
		n_new += map[postings[p]].number == BS_TERM_NONE;
	}
	for (uint32_t i = 0; i < n_new; i++)
		bs_term_table_prefetch(&gather->terms, bs_harvest_hashes(harvest)[new_terms[i]]);
	for (uint32_t i = 0; i < n_new && !status; i++)
		status = add_term(gather, harvest, new_terms[i], &map[new_terms[i]], err);
	return status;
}

/* Writes the postings' terms, which are known; gives where the next ones go. */
static uint8_t *put_terms(struct bs_gather *gather, const uint32_t *postings, uint32_t n, uint8_t *at)
{
	struct mapped *map = (struct mapped *)(void *)gather->map.data;
	uint32_t numbers[POSTINGS];
	for (uint32_t p = 0; p < n; p++) {
		struct mapped *mapped = &map[postings[p]];
		mapped->n_docs++;
		numbers[p] = mapped->number;
	}
	return bs_group_put(at, numbers, n);
}

/* Writes how often the document's repeated words stand there. */
static uint8_t *put_tfs(const struct bs_harvest *harvest, const struct bs_harvest_doc *doc, uint8_t *at)
{
	const uint32_t *tfs = (const uint32_t *)(const void *)harvest->tfs.data + doc->first_tf;
	uint32_t numbers[POSTINGS];
	for (uint32_t p = 0; p < doc->n_repeated; p += POSTINGS) {
		uint32_t n = doc->n_repeated - p < POSTINGS ? doc->n_repeated - p : POSTINGS;
		memcpy(numbers, tfs + p, n * sizeof(*numbers));
		at = bs_group_put(at, numbers, n);
	}
	return at;
}

enum bs_status bs_gather_add(struct bs_gather *gather, const struct bs_harvest *harvest, uint32_t i,
                             const struct bs_doc_record *record, struct bs_error *err)
{
	const struct bs_harvest_doc *from = &bs_harvest_docs(harvest)[i];
	const uint32_t *postings = (const uint32_t *)(const void *)harvest->postings.data + from->first_posting;
	size_t most_bytes = BS_GROUP_MOST_BYTES(from->n_terms) + BS_GROUP_MOST_BYTES(from->n_repeated);
	uint8_t *codes = spool_reserve(gather, most_bytes, err);
	enum bs_status status = codes ? BS_OK : BS_NO_MEMORY;
	uint8_t *at = codes;
	for (uint32_t p = 0; p < from->n_terms && !status; p += POSTINGS) {
		uint32_t n = from->n_terms - p < POSTINGS ? from->n_terms - p : POSTINGS;
		status = add_new_terms(gather, harvest, postings + p, n, err);
		if (!status)
			at = put_terms(gather, postings + p, n, at);
	}
	if (!status)
		at = put_tfs(harvest, from, at);
	struct bs_gathered_doc doc = {.codes = codes, .n_terms = from->n_terms, .n_repeated = from->n_repeated};
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
