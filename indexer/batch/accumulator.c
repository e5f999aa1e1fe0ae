/* accumulator.c: see accumulator.h. */
#include "indexer/batch/accumulator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/base/value.h"
#include "core/base/vector.h"
#include "core/store/manifest.h"
#include "core/system/watch.h"

#define SPOOL_CHUNK_BYTES (8u << 20) /* address space: only what is written becomes real */

/* So many terms are looked up ahead at one go. */
#define LOOK_AHEAD 32u

/* ... and so many postings are written, once all their terms are known: whole groups. */
#define POSTINGS 128u
/* The approximate cost of finding and noting a term, for the watch. */
#define TERM_NS 60u

/* A term of the batch as it is here. */
struct mapped {
	uint32_t number; /* BS_TERM_NONE: it is not known here */
	uint32_t n_docs; /* documents added that have it, not yet in the entry's df */
};

/* What bs_spool_take gives, and how it came. */
struct piece {
	size_t mapped_bytes; /* 0: from malloc */
	max_align_t bytes[];
};

enum bs_status bs_spool_take(struct bs_spool_file *file, size_t n_bytes, void **bytes_out, struct bs_error *err)
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

enum bs_status bs_spool_reserve(struct bs_spool *spool, size_t n_bytes, uint32_t first_doc, uint8_t **to_out,
                                struct bs_error *err)
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
		enum bs_status status = bs_spool_take(spool->file, sizeof(*chunk) + capacity_bytes, &taken, err);
		if (status)
			return status;
		chunk = taken;
	}
	*chunk = (struct bs_spool_chunk){.next = spool->chunks, .first_doc = first_doc, .capacity_bytes = capacity_bytes};
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

enum bs_status bs_accumulator_place(const struct bs_accumulator *accumulator, struct bs_buffer *buffer,
                                    struct bs_error *err)
{
	return accumulator->dir ? bs_dir_place(accumulator->dir, buffer, err) : BS_OK;
}

enum bs_status bs_accumulator_use_files(struct bs_accumulator *accumulator, const struct bs_dir *dir,
                                        struct bs_error *err)
{
	struct bs_doc_table_builder *docs = &accumulator->doc_table;
	struct bs_buffer *const buffers[] = {
		&accumulator->docs.bytes, &accumulator->tf_table.ends, &accumulator->tf_table.bits, &docs->lengths, &docs->flags,
		&docs->places, &docs->checksums, &docs->name_offsets, &docs->names,
	};
	enum bs_status status = bs_dir_create_nameless(dir, 0600, &accumulator->spool_file.fd, err);
	if (status)
		return status;
	accumulator->dir = dir;
	accumulator->spool.file = &accumulator->spool_file;
	for (size_t i = 0; i < sizeof(buffers) / sizeof(*buffers) && !status; i++)
		status = bs_accumulator_place(accumulator, buffers[i], err);
	return status;
}

/* What their file took, too. */
static void drop_spool(struct bs_accumulator *accumulator)
{
	bs_spool_deinit(&accumulator->spool);
	accumulator->spool_file.n_bytes = 0;
	if (accumulator->dir)
		(void)!ftruncate(accumulator->spool_file.fd, 0);
}

void bs_accumulator_clear(struct bs_accumulator *accumulator)
{
	bs_term_table_clear(&accumulator->terms);
	bs_term_table_clear(&accumulator->fields);
	bs_term_table_clear(&accumulator->values);
	bs_vector_clear(&accumulator->value_docs);
	bs_vector_clear(&accumulator->value_numbers);
	bs_vector_clear(&accumulator->field_texts);
	bs_vector_clear(&accumulator->field_map);
	bs_vector_clear(&accumulator->value_map);
	accumulator->lacks_values = false;
	bs_doc_table_builder_clear(&accumulator->doc_table);
	bs_tf_table_builder_clear(&accumulator->tf_table);
	bs_vector_clear(&accumulator->docs);
	bs_buffer_clear(&accumulator->map);
	drop_spool(accumulator);
	accumulator->spool_bytes = 0;
	accumulator->n_postings = 0;
	accumulator->n_positions = 0;
	accumulator->text_bytes = 0;
}

void bs_accumulator_deinit(struct bs_accumulator *accumulator)
{
	drop_spool(accumulator);
	if (accumulator->dir)
		close(accumulator->spool_file.fd);
	bs_term_table_deinit(&accumulator->terms);
	bs_term_table_deinit(&accumulator->fields);
	bs_term_table_deinit(&accumulator->values);
	bs_vector_deinit(&accumulator->value_docs);
	bs_vector_deinit(&accumulator->value_numbers);
	bs_vector_deinit(&accumulator->field_texts);
	bs_vector_deinit(&accumulator->field_map);
	bs_vector_deinit(&accumulator->value_map);
	bs_doc_table_builder_deinit(&accumulator->doc_table);
	bs_tf_table_builder_deinit(&accumulator->tf_table);
	bs_vector_deinit(&accumulator->docs);
	bs_buffer_deinit(&accumulator->map);
	*accumulator = (struct bs_accumulator){0};
}

static void settle_dfs(struct bs_accumulator *accumulator)
{
	struct mapped *map = (struct mapped *)(void *)accumulator->map.data;
	for (size_t i = 0; i < accumulator->map.used_bytes / sizeof(*map); i++) {
		if (!map[i].n_docs)
			continue;
		accumulator->terms.entries[map[i].number].df += map[i].n_docs;
		map[i].n_docs = 0;
	}
}

void bs_accumulator_finish(struct bs_accumulator *accumulator)
{
	settle_dfs(accumulator);
	bs_term_table_seal(&accumulator->terms);
	bs_term_table_seal(&accumulator->values);
}

/* What is known here of the batch's terms. What some of them touch is prefetched a step at a time for all of them:
 * slots, then entries, then keys. */
static enum bs_status look_up(const struct bs_accumulator *accumulator, const struct bs_term_batch *batch, struct mapped *map,
                              struct bs_error *err)
{
	const struct bs_term_table *terms = &accumulator->terms;
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
			if (number != BS_TERM_NONE && (bs_term_table_is(terms, number, key, key_bytes, hashes[i]) ||
			                               bs_term_table_find(terms, key, key_bytes, hashes[i], &number)))
				map[first + i].number = number;
		}
		status = bs_watch_spend(n * TERM_NS, err);
	}
	return status;
}

/* A value of the batch by the number that its field has here. */
struct value_key {
	uint64_t hash;
	uint32_t n_bytes;
	uint8_t bytes[4 + BS_VALUE_MOST_BYTES];
};

/* False: there is no such field here. */
static bool make_value_key(const struct bs_accumulator *accumulator, const struct bs_term_batch *batch, uint32_t number,
                           struct value_key *key)
{
	const uint8_t *of_batch = bs_term_table_key(&batch->values, number);
	uint32_t field = accumulator->field_map.items[bs_load_u32(of_batch)];
	key->n_bytes = batch->values.entries[number].n_bytes;
	memcpy(key->bytes, of_batch, key->n_bytes);
	bs_store_u32(key->bytes, field);
	key->hash = bs_hash_slot(key->bytes, key->n_bytes);
	return field != BS_TERM_NONE;
}

/* As look_up: what is known here of the batch's values. */
static enum bs_status look_up_values(const struct bs_accumulator *accumulator, const struct bs_term_batch *batch,
                                     uint32_t *map, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	const struct bs_term_table *values = &accumulator->values;
	struct value_key keys[LOOK_AHEAD];
	uint32_t guesses[LOOK_AHEAD];
	bool has_field[LOOK_AHEAD];
	for (uint32_t first = 0, n; first < batch->values.n_terms && !status; first += n) {
		uint32_t left = batch->values.n_terms - first;
		n = left < LOOK_AHEAD ? left : LOOK_AHEAD;
		for (uint32_t i = 0; i < n; i++) {
			has_field[i] = make_value_key(accumulator, batch, first + i, &keys[i]);
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
			                bs_term_table_find(values, keys[i].bytes, keys[i].n_bytes, keys[i].hash, &number);
			map[first + i] = is_known ? number : BS_TERM_NONE;
		}
		status = bs_watch_spend(n * TERM_NS, err);
	}
	return status;
}

/* Room for the texts of fields that are new here. */
static enum bs_status start_field_texts(struct bs_accumulator *accumulator, struct bs_error *err)
{
	struct bs_field_texts_list *texts = &accumulator->field_texts;
	const size_t n_before = bs_vector_n(texts), n_new = accumulator->fields.n_terms - n_before;
	enum bs_status status = n_new > 0 ? bs_vector_reserve(texts, n_new, err) : BS_OK;
	if (status || n_new == 0)
		return status;
	memset(texts->items + n_before, 0, n_new * sizeof(*texts->items));
	bs_vector_set_n(texts, n_before + n_new);
	return BS_OK;
}

static enum bs_status start_values(struct bs_accumulator *accumulator, const struct bs_term_batch *batch,
                                   struct bs_error *err)
{
	const struct bs_term_table *fields = &batch->fields;
	enum bs_status status = BS_OK;
	bs_vector_clear(&accumulator->field_map);
	bs_vector_clear(&accumulator->value_map);
	for (uint32_t i = 0; i < fields->n_terms && !status; i++) {
		uint32_t number;
		if (!bs_term_table_find(&accumulator->fields, bs_term_table_key(fields, i), fields->entries[i].n_bytes,
		                        fields->entries[i].hash, &number))
			number = BS_TERM_NONE;
		status = bs_vector_append(&accumulator->field_map, &number, err);
	}
	if (!status)
		status = bs_vector_reserve(&accumulator->value_map, batch->values.n_terms, err);
	if (status)
		return status;
	status = look_up_values(accumulator, batch, accumulator->value_map.items, err);
	bs_vector_set_n(&accumulator->value_map, batch->values.n_terms);
	return status;
}

enum bs_status bs_accumulator_start(struct bs_accumulator *accumulator, const struct bs_term_batch *batch,
                                    struct bs_error *err)
{
	const struct bs_term_table *fields = &batch->fields;
	size_t n_bytes = (size_t)batch->terms.n_terms * sizeof(struct mapped);
	settle_dfs(accumulator);
	bs_buffer_clear(&accumulator->map);
	enum bs_status status = bs_buffer_reserve(&accumulator->map, n_bytes, err);
	if (status)
		return status;
	status = look_up(accumulator, batch, (struct mapped *)(void *)accumulator->map.data, err);
	if (status)
		return status;
	accumulator->map.used_bytes = n_bytes;
	for (uint32_t i = 0, number; i < fields->n_terms && accumulator->fields.n_terms < BS_MOST_FIELDS && !status; i++)
		status = bs_term_table_intern(&accumulator->fields, bs_term_table_key(fields, i), fields->entries[i].n_bytes,
		                              fields->entries[i].hash, &number, NULL, err);
	if (!status)
		status = start_field_texts(accumulator, err);
	return status || fields->n_terms == 0 ? status : start_values(accumulator, batch, err);
}

/* Makes those of the postings' terms known that are not. Where they go is prefetched for all of them first. */
static enum bs_status add_new_terms(struct bs_accumulator *accumulator, const struct bs_term_batch *batch,
                                    const uint32_t *postings, uint32_t n, struct bs_error *err)
{
	struct mapped *map = (struct mapped *)(void *)accumulator->map.data;
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
		bs_term_table_prefetch(&accumulator->terms, hashes[new_terms[i]]);
	for (uint32_t i = 0; i < n_new && !status; i++) {
		uint32_t key_bytes;
		const uint8_t *key = bs_term_batch_key(batch, new_terms[i], &key_bytes);
		status = bs_term_table_add(&accumulator->terms, key, key_bytes, hashes[new_terms[i]],
		                           &map[new_terms[i]].number, err);
	}
	return status;
}

/* Writes the postings' terms, which are known; gives where the next ones go. */
static uint8_t *put_terms(struct bs_accumulator *accumulator, const uint32_t *postings, uint32_t n, uint8_t *at)
{
	struct mapped *map = (struct mapped *)(void *)accumulator->map.data;
	uint32_t numbers[POSTINGS];
	for (uint32_t p = 0; p < n; p++) {
		struct mapped *mapped = &map[postings[p]];
		mapped->n_docs++;
		numbers[p] = mapped->number;
	}
	return bs_group_put(at, numbers, n);
}

/* Writes how often the document's repeated words stand there. */
static uint8_t *put_tfs(const struct bs_term_batch *batch, const struct bs_term_batch_doc *doc, uint8_t *at)
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

/* Makes a value of the batch known, unless its field is not. */
static enum bs_status know_value(struct bs_accumulator *accumulator, const struct bs_term_batch *batch, uint32_t number,
                                 uint32_t *known_out, struct bs_error *err)
{
	struct value_key key;
	if (!make_value_key(accumulator, batch, number, &key)) {
		accumulator->lacks_values = true;
		return BS_OK;
	}
	return bs_term_table_intern(&accumulator->values, key.bytes, key.n_bytes, key.hash, known_out, NULL, err);
}

static enum bs_status add_values(struct bs_accumulator *accumulator, const struct bs_term_batch *batch,
                                 const struct bs_term_batch_doc *doc, struct bs_error *err)
{
	const uint32_t *numbers = batch->value_numbers.items + doc->first_value;
	uint32_t *map = accumulator->value_map.items;
	struct bs_accumulated_values added = {.document = bs_accumulator_n_docs(accumulator)};
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < doc->n_values && !status; i++) {
		uint32_t *known = &map[numbers[i]];
		if (*known == BS_TERM_NONE)
			status = know_value(accumulator, batch, numbers[i], known, err);
		if (status || *known == BS_TERM_NONE)
			continue;
		status = bs_vector_append(&accumulator->value_numbers, known, err);
		if (!status)
			status = bs_watch_each(added.n_values, TERM_NS, err);
		added.n_values++;
	}
	if (added.n_values == 0 || status)
		return status;
	return bs_vector_append(&accumulator->value_docs, &added, err);
}

static void increment(uint32_t *n)
{
	*n += *n < UINT32_MAX;
}

/* Counts the texts of the document's fields. Those of fields that are too many are not counted. */
static void count_texts(struct bs_accumulator *accumulator, const struct bs_term_batch *batch, const struct bs_term_batch_doc *doc)
{
	const uint32_t *field_map = accumulator->field_map.items;
	struct bs_field_texts *texts = accumulator->field_texts.items;
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

enum bs_status bs_accumulator_add(struct bs_accumulator *accumulator, const struct bs_term_batch *batch, uint32_t i,
                                  const struct bs_doc_record *record, struct bs_error *err)
{
	const struct bs_term_batch_doc *from = &batch->docs.items[i];
	const uint32_t *postings = batch->postings.items + from->first_posting;
	size_t most_bytes = BS_GROUP_MOST_BYTES(from->n_terms) + BS_GROUP_MOST_BYTES(from->n_repeated);
	uint8_t *codes;
	enum bs_status status = bs_spool_reserve(&accumulator->spool, most_bytes, bs_accumulator_n_docs(accumulator), &codes, err);
	uint8_t *at = codes;
	for (uint32_t p = 0; p < from->n_terms && !status; p += POSTINGS) {
		uint32_t n = from->n_terms - p < POSTINGS ? from->n_terms - p : POSTINGS;
		status = add_new_terms(accumulator, batch, postings + p, n, err);
		if (!status)
			at = put_terms(accumulator, postings + p, n, at);
		if (!status)
			status = bs_watch_spend(n * TERM_NS, err);
	}
	if (!status)
		at = put_tfs(batch, from, at);
	struct bs_accumulated_doc doc = {.codes = codes, .n_terms = from->n_terms, .n_repeated = from->n_repeated};
	struct bs_doc_record named = *record;
	named.length = from->length;
	if (!status && from->n_values > 0)
		status = add_values(accumulator, batch, from, err);
	if (!status)
		status = bs_vector_append(&accumulator->docs, &doc, err);
	if (!status)
		status = bs_doc_table_add(&accumulator->doc_table, &named, err);
	if (status)
		return status;
	count_texts(accumulator, batch, from);
	accumulator->spool.chunks->used_bytes += (size_t)(at - codes);
	accumulator->spool_bytes += (uint64_t)(at - codes);
	accumulator->n_postings += from->n_terms;
	accumulator->n_positions += from->length;
	accumulator->text_bytes += from->document.text.n_bytes;
	return BS_OK;
}

uint64_t bs_accumulator_bytes(const struct bs_accumulator *accumulator)
{
	uint64_t n_bytes = bs_term_table_bytes(&accumulator->terms) + bs_term_table_bytes(&accumulator->values) +
	                   accumulator->value_docs.bytes.used_bytes + accumulator->value_numbers.bytes.used_bytes +
	                   accumulator->field_texts.bytes.used_bytes;
	return accumulator->dir ? n_bytes
	                        : n_bytes + bs_doc_table_builder_bytes(&accumulator->doc_table) +
	                                  accumulator->docs.bytes.used_bytes + accumulator->spool_bytes;
}
