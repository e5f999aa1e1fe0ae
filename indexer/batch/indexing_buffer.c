/* indexing_buffer.c: see indexing_buffer.h. */
#include "indexer/batch/indexing_buffer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/base/value.h"
#include "core/base/vector.h"
#include "core/store/manifest.h"
#include "core/system/deadline.h"

#define SPOOL_CHUNK_BYTES (8u << 20) /* of address space; only written pages are allocated */

/* Terms that are looked up at a time. */
#define LOOK_AHEAD 32u

/* Postings that are written at a time, after all their terms were added. A multiple of the four
 * numbers in a group. */
#define POSTINGS 128u
/* estimated cost of finding and recording a term, for the deadline */
#define TERM_NS 60u

/* The counterpart in the indexing buffer of a term of the batch. */
struct mapped {
	uint32_t number; /* term number in the indexing buffer; BS_TERM_NONE: not yet added */
	/* documents of the batch added so far that have the term; not yet counted in its df */
	uint32_t n_docs;
};

/* The header of an allocation of bs_spool_take. */
struct piece {
	size_t mapped_bytes; /* 0: allocated by malloc */
	max_align_t bytes[];
};

enum bs_status bs_spool_take(struct bs_spool_file *file, size_t n_bytes, void **bytes_out,
                             struct bs_error *err)
{
	size_t all = sizeof(struct piece) + n_bytes;
	void *taken;
	if (file) {
		all = bs_file_pages_bytes(all);
		uint64_t offset = __atomic_fetch_add(&file->n_bytes, all, __ATOMIC_RELAXED);
		enum bs_status status = bs_map_file(file->fd, offset, all, &taken, err);
		if (status)
			return status;
	} else {
		taken = malloc(all);
		if (!taken)
			return bs_fail_memory(err, "what is accumulated", all);
		bs_buffer_advise(taken, all);
	}
	struct piece *piece = taken;
	*piece = (struct piece){.mapped_bytes = file ? all : 0};
	*bytes_out = piece->bytes;
	return BS_OK;
}

void bs_spool_give_back(void *bytes)
{
	struct piece *piece = (struct piece *)bytes - 1;
	if (piece->mapped_bytes)
		munmap(piece, piece->mapped_bytes);
	else
		free(piece);
}

enum bs_status bs_spool_reserve(struct bs_spool *spool, size_t n_bytes, uint32_t first_doc,
                                uint8_t **to_out, struct bs_error *err)
{
	struct bs_spool_chunk *chunk = spool->chunks;
	if (chunk && n_bytes <= chunk->capacity_bytes - chunk->used_bytes) {
		*to_out = chunk->bytes + chunk->used_bytes;
		return BS_OK;
	}
	chunk = spool->spare;
	size_t capacity_bytes = n_bytes > SPOOL_CHUNK_BYTES ? n_bytes : SPOOL_CHUNK_BYTES;
	if (chunk && n_bytes <= chunk->capacity_bytes) {
		spool->spare = chunk->next;
		capacity_bytes = chunk->capacity_bytes;
	} else {
		void *taken = NULL;
		enum bs_status status =
			bs_spool_take(spool->file, sizeof(*chunk) + capacity_bytes, &taken, err);
		if (status)
			return status;
		chunk = taken;
	}
	*chunk = (struct bs_spool_chunk){
		.next = spool->chunks, .first_doc = first_doc, .capacity_bytes = capacity_bytes};
	spool->chunks = chunk;
	*to_out = chunk->bytes;
	return BS_OK;
}

static void free_chunks(struct bs_spool_chunk *chunks)
{
	while (chunks) {
		struct bs_spool_chunk *next = chunks->next;
		bs_spool_give_back(chunks);
		chunks = next;
	}
}

void bs_spool_deinit(struct bs_spool *spool)
{
	free_chunks(spool->chunks);
	free_chunks(spool->spare);
	*spool = (struct bs_spool){.file = spool->file};
}

enum bs_status bs_indexing_buffer_place(const struct bs_indexing_buffer *indexing_buffer,
                                        struct bs_buffer *buffer, struct bs_error *err)
{
	return indexing_buffer->dir ? bs_dir_place(indexing_buffer->dir, buffer, err) : BS_OK;
}

enum bs_status bs_indexing_buffer_use_files(struct bs_indexing_buffer *indexing_buffer,
                                            const struct bs_dir *dir, struct bs_error *err)
{
	struct bs_doc_table_builder *docs = &indexing_buffer->doc_table;
	struct bs_buffer *const buffers[] = {
		&indexing_buffer->docs.bytes,
		&indexing_buffer->tf_table.ends,
		&indexing_buffer->tf_table.bits,
		&docs->lengths,
		&docs->flags,
		&docs->places,
		&docs->checksums,
		&docs->lines,
		&docs->name_offsets,
		&docs->names,
	};
	enum bs_status status =
		bs_dir_create_nameless(dir, 0600, &indexing_buffer->spool_file.fd, err);
	if (status)
		return status;
	indexing_buffer->dir = dir;
	indexing_buffer->spool.file = &indexing_buffer->spool_file;
	for (size_t i = 0; i < sizeof(buffers) / sizeof(*buffers) && !status; i++)
		status = bs_indexing_buffer_place(indexing_buffer, buffers[i], err);
	return status;
}

/* Frees the chunks of document terms and truncates their file. */
static void drop_spool(struct bs_indexing_buffer *indexing_buffer)
{
	bs_spool_deinit(&indexing_buffer->spool);
	indexing_buffer->spool_file.n_bytes = 0;
	if (indexing_buffer->dir)
		(void)!ftruncate(indexing_buffer->spool_file.fd, 0);
}

void bs_indexing_buffer_clear(struct bs_indexing_buffer *indexing_buffer)
{
	bs_term_table_clear(&indexing_buffer->terms);
	bs_term_table_clear(&indexing_buffer->fields);
	bs_term_table_clear(&indexing_buffer->values);
	bs_vector_clear(&indexing_buffer->value_docs);
	bs_vector_clear(&indexing_buffer->value_numbers);
	bs_vector_clear(&indexing_buffer->field_texts);
	bs_vector_clear(&indexing_buffer->field_map);
	bs_vector_clear(&indexing_buffer->value_map);
	indexing_buffer->lacks_values = false;
	bs_doc_table_builder_clear(&indexing_buffer->doc_table);
	bs_tf_table_builder_clear(&indexing_buffer->tf_table);
	bs_vector_clear(&indexing_buffer->docs);
	bs_buffer_clear(&indexing_buffer->map);
	drop_spool(indexing_buffer);
	indexing_buffer->spool_bytes = 0;
	indexing_buffer->n_postings = 0;
	indexing_buffer->n_positions = 0;
	indexing_buffer->text_bytes = 0;
}

void bs_indexing_buffer_deinit(struct bs_indexing_buffer *indexing_buffer)
{
	drop_spool(indexing_buffer);
	if (indexing_buffer->dir)
		close(indexing_buffer->spool_file.fd);
	bs_term_table_deinit(&indexing_buffer->terms);
	bs_term_table_deinit(&indexing_buffer->fields);
	bs_term_table_deinit(&indexing_buffer->values);
	bs_vector_deinit(&indexing_buffer->value_docs);
	bs_vector_deinit(&indexing_buffer->value_numbers);
	bs_vector_deinit(&indexing_buffer->field_texts);
	bs_vector_deinit(&indexing_buffer->field_map);
	bs_vector_deinit(&indexing_buffer->value_map);
	bs_doc_table_builder_deinit(&indexing_buffer->doc_table);
	bs_tf_table_builder_deinit(&indexing_buffer->tf_table);
	bs_vector_deinit(&indexing_buffer->docs);
	bs_buffer_deinit(&indexing_buffer->map);
	*indexing_buffer = (struct bs_indexing_buffer){0};
}

static void settle_dfs(struct bs_indexing_buffer *indexing_buffer)
{
	struct mapped *map = (struct mapped *)(void *)indexing_buffer->map.data;
	for (size_t i = 0; i < indexing_buffer->map.used_bytes / sizeof(*map); i++) {
		if (!map[i].n_docs)
			continue;
		indexing_buffer->terms.entries[map[i].number].df += map[i].n_docs;
		map[i].n_docs = 0;
	}
}

void bs_indexing_buffer_finish(struct bs_indexing_buffer *indexing_buffer)
{
	settle_dfs(indexing_buffer);
	bs_term_table_seal(&indexing_buffer->terms);
	bs_term_table_seal(&indexing_buffer->values);
}

/* Looks up the batch's terms. For LOOK_AHEAD terms at a time, prefetches all slots, then all
 * entries, then all keys. */
static enum bs_status look_up(const struct bs_indexing_buffer *indexing_buffer,
                              const struct bs_term_batch *batch, struct mapped *map,
                              struct bs_error *err)
{
	const struct bs_term_table *terms = &indexing_buffer->terms;
	enum bs_status status = BS_OK;
	uint32_t guesses[LOOK_AHEAD];
	for (uint32_t first = 0, n; first < batch->terms.n_terms && !status; first += n) {
		const uint64_t *hashes = batch->terms.hashes.items + first;
		uint32_t left = batch->terms.n_terms - first;
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
			const uint8_t *key = bs_term_batch_key(batch, first + i, &key_bytes);
			map[first + i] = (struct mapped){.number = BS_TERM_NONE};
			if (number != BS_TERM_NONE &&
			    (bs_term_table_is(terms, number, key, key_bytes, hashes[i]) ||
			     bs_term_table_find(terms, key, key_bytes, hashes[i], &number)))
				map[first + i].number = number;
		}
		status = bs_deadline_check_after(n * TERM_NS, err);
	}
	return status;
}

/* The key of a value of the batch, in which the field's number is that of the indexing buffer. */
struct value_key {
	uint64_t hash;
	uint32_t n_bytes;
	uint8_t bytes[4 + BS_VALUE_MOST_BYTES];
};

/* Makes the key of a value. Returns false if the indexing buffer does not have its field. */
static bool make_value_key(const struct bs_indexing_buffer *indexing_buffer,
                           const struct bs_term_batch *batch, uint32_t number,
                           struct value_key *key)
{
	const uint8_t *of_batch = bs_term_table_key(&batch->values, number);
	uint32_t field = indexing_buffer->field_map.items[bs_load_u32(of_batch)];
	key->n_bytes = batch->values.entries[number].n_bytes;
	memcpy(key->bytes, of_batch, key->n_bytes);
	bs_store_u32(key->bytes, field);
	key->hash = bs_hash_slot(key->bytes, key->n_bytes);
	return field != BS_TERM_NONE;
}

/* Looks up the batch's values in the indexing buffer, like look_up. */
static enum bs_status look_up_values(const struct bs_indexing_buffer *indexing_buffer,
                                     const struct bs_term_batch *batch, uint32_t *map,
                                     struct bs_error *err)
{
	enum bs_status status = BS_OK;
	const struct bs_term_table *values = &indexing_buffer->values;
	struct value_key keys[LOOK_AHEAD];
	uint32_t guesses[LOOK_AHEAD];
	bool has_field[LOOK_AHEAD];
	for (uint32_t first = 0, n; first < batch->values.n_terms && !status; first += n) {
		uint32_t left = batch->values.n_terms - first;
		n = left < LOOK_AHEAD ? left : LOOK_AHEAD;
		for (uint32_t i = 0; i < n; i++) {
			has_field[i] = make_value_key(indexing_buffer, batch, first + i, &keys[i]);
			bs_term_table_prefetch(values, keys[i].hash);
		}
		for (uint32_t i = 0; i < n; i++) {
			guesses[i] = bs_term_table_guess(values, keys[i].hash);
			bs_term_table_prefetch_entry(values, guesses[i]);
		}
		for (uint32_t i = 0; i < n; i++)
			bs_term_table_prefetch_key(values, guesses[i]);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t number;
			bool is_known = has_field[i] && guesses[i] != BS_TERM_NONE &&
			                bs_term_table_find(values, keys[i].bytes, keys[i].n_bytes,
			                                   keys[i].hash, &number);
			map[first + i] = is_known ? number : BS_TERM_NONE;
		}
		status = bs_deadline_check_after(n * TERM_NS, err);
	}
	return status;
}

/* Extends field_texts by new fields, with counts of 0. */
static enum bs_status start_field_texts(struct bs_indexing_buffer *indexing_buffer,
                                        struct bs_error *err)
{
	struct bs_field_texts_list *texts = &indexing_buffer->field_texts;
	const size_t n_before = bs_vector_n(texts),
		     n_new = indexing_buffer->fields.n_terms - n_before;
	enum bs_status status = n_new > 0 ? bs_vector_reserve(texts, n_new, err) : BS_OK;
	if (status || n_new == 0)
		return status;
	memset(texts->items + n_before, 0, n_new * sizeof(*texts->items));
	bs_vector_set_n(texts, n_before + n_new);
	return BS_OK;
}

static enum bs_status start_values(struct bs_indexing_buffer *indexing_buffer,
                                   const struct bs_term_batch *batch, struct bs_error *err)
{
	const struct bs_term_table *fields = &batch->fields;
	enum bs_status status = BS_OK;
	bs_vector_clear(&indexing_buffer->field_map);
	bs_vector_clear(&indexing_buffer->value_map);
	for (uint32_t i = 0; i < fields->n_terms && !status; i++) {
		uint32_t number;
		if (!bs_term_table_find(&indexing_buffer->fields, bs_term_table_key(fields, i),
		                        fields->entries[i].n_bytes, fields->entries[i].hash,
		                        &number))
			number = BS_TERM_NONE;
		status = bs_vector_append(&indexing_buffer->field_map, &number, err);
	}
	if (!status)
		status = bs_vector_reserve(&indexing_buffer->value_map, batch->values.n_terms, err);
	if (status)
		return status;
	status = look_up_values(indexing_buffer, batch, indexing_buffer->value_map.items, err);
	bs_vector_set_n(&indexing_buffer->value_map, batch->values.n_terms);
	return status;
}

enum bs_status bs_indexing_buffer_start(struct bs_indexing_buffer *indexing_buffer,
                                        const struct bs_term_batch *batch, struct bs_error *err)
{
	const struct bs_term_table *fields = &batch->fields;
	size_t n_bytes = (size_t)batch->terms.n_terms * sizeof(struct mapped);
	settle_dfs(indexing_buffer);
	bs_buffer_clear(&indexing_buffer->map);
	enum bs_status status = bs_buffer_reserve(&indexing_buffer->map, n_bytes, err);
	if (status)
		return status;
	status = look_up(indexing_buffer, batch, (struct mapped *)(void *)indexing_buffer->map.data,
	                 err);
	if (status)
		return status;
	indexing_buffer->map.used_bytes = n_bytes;
	for (uint32_t i = 0, number;
	     i < fields->n_terms && indexing_buffer->fields.n_terms < BS_MOST_FIELDS && !status;
	     i++)
		status = bs_term_table_intern(
			&indexing_buffer->fields, bs_term_table_key(fields, i),
			fields->entries[i].n_bytes, fields->entries[i].hash, &number, NULL, err);
	if (!status)
		status = start_field_texts(indexing_buffer, err);
	return status || fields->n_terms == 0 ? status : start_values(indexing_buffer, batch, err);
}

/* Adds those terms of the postings that the indexing buffer does not have. Prefetches the slots of
 * all of them first. */
static enum bs_status add_new_terms(struct bs_indexing_buffer *indexing_buffer,
                                    const struct bs_term_batch *batch, const uint32_t *postings,
                                    uint32_t n, struct bs_error *err)
{
	struct mapped *map = (struct mapped *)(void *)indexing_buffer->map.data;
	const uint64_t *hashes = batch->terms.hashes.items;
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
		bs_term_table_prefetch(&indexing_buffer->terms, hashes[new_terms[i]]);
	for (uint32_t i = 0; i < n_new && !status; i++) {
		uint32_t key_bytes;
		const uint8_t *key = bs_term_batch_key(batch, new_terms[i], &key_bytes);
		status = bs_term_table_add(&indexing_buffer->terms, key, key_bytes,
		                           hashes[new_terms[i]], &map[new_terms[i]].number, err);
	}
	return status;
}

/* Writes the term numbers of the postings; all of these terms have been added. Returns the end. */
static uint8_t *put_terms(struct bs_indexing_buffer *indexing_buffer, const uint32_t *postings,
                          uint32_t n, uint8_t *at)
{
	struct mapped *map = (struct mapped *)(void *)indexing_buffer->map.data;
	uint32_t numbers[POSTINGS];
	for (uint32_t p = 0; p < n; p++) {
		struct mapped *mapped = &map[postings[p]];
		mapped->n_docs++;
		numbers[p] = mapped->number;
	}
	return bs_group_put(at, numbers, n);
}

/* Writes the tfs of the document's repeated words. Returns the end. */
static uint8_t *put_tfs(const struct bs_term_batch *batch, const struct bs_term_batch_doc *doc,
                        uint8_t *at)
{
	const uint32_t *tfs = batch->tfs.items + doc->first_tf;
	uint32_t numbers[POSTINGS];
	for (uint32_t p = 0; p < doc->n_repeated; p += POSTINGS) {
		uint32_t n = doc->n_repeated - p < POSTINGS ? doc->n_repeated - p : POSTINGS;
		memcpy(numbers, tfs + p, n * sizeof(*numbers));
		at = bs_group_put(at, numbers, n);
	}
	return at;
}

/* *known_out: the number of a batch's value in the indexing buffer. Adds the value if it is new,
 * unless the indexing buffer does not have its field. */
static enum bs_status know_value(struct bs_indexing_buffer *indexing_buffer,
                                 const struct bs_term_batch *batch, uint32_t number,
                                 uint32_t *known_out, struct bs_error *err)
{
	struct value_key key;
	if (!make_value_key(indexing_buffer, batch, number, &key)) {
		indexing_buffer->lacks_values = true;
		return BS_OK;
	}
	return bs_term_table_intern(&indexing_buffer->values, key.bytes, key.n_bytes, key.hash,
	                            known_out, NULL, err);
}

static enum bs_status add_values(struct bs_indexing_buffer *indexing_buffer,
                                 const struct bs_term_batch *batch,
                                 const struct bs_term_batch_doc *doc, struct bs_error *err)
{
	const uint32_t *numbers = batch->value_numbers.items + doc->first_value;
	uint32_t *map = indexing_buffer->value_map.items;
	struct bs_buffered_values added = {.document = bs_indexing_buffer_n_docs(indexing_buffer)};
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < doc->n_values && !status; i++) {
		uint32_t *known = &map[numbers[i]];
		if (*known == BS_TERM_NONE)
			status = know_value(indexing_buffer, batch, numbers[i], known, err);
		if (status || *known == BS_TERM_NONE)
			continue;
		status = bs_vector_append(&indexing_buffer->value_numbers, known, err);
		if (!status)
			status = bs_deadline_each(added.n_values, TERM_NS, err);
		added.n_values++;
	}
	if (added.n_values == 0 || status)
		return status;
	return bs_vector_append(&indexing_buffer->value_docs, &added, err);
}

static void increment(uint32_t *n)
{
	*n += *n < UINT32_MAX;
}

/* Adds the texts of the document's fields to the counts of the fields. Fields beyond BS_MOST_FIELDS
 * are not counted. */
static void count_texts(struct bs_indexing_buffer *indexing_buffer,
                        const struct bs_term_batch *batch, const struct bs_term_batch_doc *doc)
{
	const uint32_t *field_map = indexing_buffer->field_map.items;
	struct bs_field_texts *texts = indexing_buffer->field_texts.items;
	for (uint32_t i = 0; i < doc->n_others; i++) {
		uint32_t field = field_map[batch->other_fields.items[doc->first_other + i]];
		if (field != BS_TERM_NONE)
			increment(&texts[field].n_others);
	}
	for (uint32_t i = 0; i < doc->n_values; i++) {
		uint32_t value = batch->value_numbers.items[doc->first_value + i];
		uint32_t field = field_map[bs_load_u32(bs_term_table_key(&batch->values, value))];
		if (field != BS_TERM_NONE)
			increment(&texts[field].n_values);
	}
}

enum bs_status bs_indexing_buffer_add(struct bs_indexing_buffer *indexing_buffer,
                                      const struct bs_term_batch *batch, uint32_t i,
                                      const struct bs_doc_record *record, struct bs_error *err)
{
	const struct bs_term_batch_doc *from = &batch->docs.items[i];
	const uint32_t *postings = batch->postings.items + from->first_posting;
	size_t most_bytes =
		BS_GROUP_MOST_BYTES(from->n_terms) + BS_GROUP_MOST_BYTES(from->n_repeated);
	uint8_t *codes;
	enum bs_status status =
		bs_spool_reserve(&indexing_buffer->spool, most_bytes,
	                         bs_indexing_buffer_n_docs(indexing_buffer), &codes, err);
	uint8_t *at = codes;
	for (uint32_t p = 0; p < from->n_terms && !status; p += POSTINGS) {
		uint32_t n = from->n_terms - p < POSTINGS ? from->n_terms - p : POSTINGS;
		status = add_new_terms(indexing_buffer, batch, postings + p, n, err);
		if (!status)
			at = put_terms(indexing_buffer, postings + p, n, at);
		if (!status)
			status = bs_deadline_check_after(n * TERM_NS, err);
	}
	if (!status)
		at = put_tfs(batch, from, at);
	struct bs_buffered_doc doc = {
		.codes = codes, .n_terms = from->n_terms, .n_repeated = from->n_repeated};
	struct bs_doc_record named = *record;
	named.length = from->length;
	/* If the recorded size differs from the number of bytes read, the file changed while it was
	 * read, and its number of lines is unknown. */
	named.lines = record->place[0] == from->document.raw.n_bytes ? from->lines : 0;
	if (!status && from->n_values > 0)
		status = add_values(indexing_buffer, batch, from, err);
	if (!status)
		status = bs_vector_append(&indexing_buffer->docs, &doc, err);
	if (!status)
		status = bs_doc_table_add(&indexing_buffer->doc_table, &named, err);
	if (status)
		return status;
	count_texts(indexing_buffer, batch, from);
	indexing_buffer->spool.chunks->used_bytes += (size_t)(at - codes);
	indexing_buffer->spool_bytes += (uint64_t)(at - codes);
	indexing_buffer->n_postings += from->n_terms;
	indexing_buffer->n_positions += from->length;
	indexing_buffer->text_bytes += from->document.text.n_bytes;
	return BS_OK;
}

uint64_t bs_indexing_buffer_bytes(const struct bs_indexing_buffer *indexing_buffer)
{
	uint64_t n_bytes = bs_term_table_bytes(&indexing_buffer->terms) +
	                   bs_term_table_bytes(&indexing_buffer->values) +
	                   indexing_buffer->value_docs.bytes.used_bytes +
	                   indexing_buffer->value_numbers.bytes.used_bytes +
	                   indexing_buffer->field_texts.bytes.used_bytes;
	return indexing_buffer->dir
	               ? n_bytes
	               : n_bytes + bs_doc_table_builder_bytes(&indexing_buffer->doc_table) +
	                         indexing_buffer->docs.bytes.used_bytes +
	                         indexing_buffer->spool_bytes;
}
