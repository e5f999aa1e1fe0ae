/* value_build.c: see value_build.h. Sorts the distinct values by field name and key. Then collects
 * the values of each field, shard by shard. Layers are written immediately, lists at the end. */
#include "indexer/segment/value_build.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/collections/sort.h"
#include "core/file/names.h"
#include "core/file/segment_sections.h"
#include "core/matrix/value_column.h"
#include "core/system/deadline.h"

#define NO_PLACE UINT32_MAX /* see making.place_of */

/* A field that has values. */
struct field {
	uint32_t number; /* number of the field in the indexing buffer */
	/* number of distinct values */
	uint32_t n_values;
	/* number of bit slices: bits of a rank */
	uint32_t n_slices;
	/* index of its first value in the file */
	uint64_t first_value;
	/* number of shards that have values of the field */
	uint32_t n_parts;
};

/* The values of one field in one shard; becomes an entry of the file. */
struct part {
	uint32_t field, shard;            /* index in making.fields; number of the shard */
	uint32_t n_layers, n_entries;     /* number of layers; number of entries in its list */
	uint64_t first_line, first_entry; /* first line of its layers; first entry of its list */
};
BS_VECTOR(parts, struct part);

/* A value of the current field in a row. */
struct ranked {
	uint32_t row;
	uint32_t rank;
};
BS_VECTOR(ranked_list, struct ranked);

/* A value to be sorted. head consists of its field and the beginning of its key, and decides most
 * comparisons. */
struct ordered {
	uint64_t head;
	uint32_t number;
};

/* estimated cost of a value in each pass, for the deadline */
#define VALUE_NS 10u

struct making {
	const struct bs_indexing_buffer *indexing_buffer;
	struct bs_file_writer *writer;
	struct field *fields; /* sorted by name */
	uint32_t n_fields;
	/* by field number of the indexing buffer: index in fields, or NO_PLACE */
	uint32_t *place_of;
	struct ordered *order; /* the values, sorted as in the file */
	uint32_t *rank_of;     /* by value number: its rank in its field */
	/* by document: 1 + its index in value_docs, or 0 */
	uint32_t *values_of;
	/* by index in value_docs: where the document's values begin in value_numbers */
	uint64_t *starts;
	/* by field: where its values in ranked begin, then, when they are collected, where they
	 * end */
	uint64_t *ends;
	struct ranked_list ranked; /* values of the current shard, by field and row */
	struct bs_buffer words;    /* scratch: the words of a layer; later the keys */
	struct parts parts;
	/* (row, rank) entries of all parts that are not in layers, in the order of the file */
	struct ranked_list lists;
	uint64_t n_lines;
	enum bs_status status; /* the first failure */
	struct bs_error *err;
};

static const uint8_t *key_of(const struct making *making, uint32_t value, uint32_t *n_bytes_out)
{
	const struct bs_term_table *values = &making->indexing_buffer->values;
	*n_bytes_out = values->entries[value].n_bytes;
	return bs_term_table_key(values, value);
}

static uint32_t place_of_value(const struct making *making, uint32_t value)
{
	uint32_t n_bytes;
	return making->place_of[bs_load_u32(key_of(making, value, &n_bytes))];
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct bs_term_table *fields = context;
	uint32_t x = ((const struct field *)a)->number, y = ((const struct field *)b)->number;
	return bs_compare_bytes(bs_term_table_key(fields, x), fields->entries[x].n_bytes,
	                        bs_term_table_key(fields, y), fields->entries[y].n_bytes);
}

static int compare_values(const void *a, const void *b, void *context)
{
	const struct making *making = context;
	const struct ordered *x = a, *y = b;
	uint32_t x_bytes, y_bytes;
	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	const uint8_t *x_key = key_of(making, x->number, &x_bytes),
		      *y_key = key_of(making, y->number, &y_bytes);
	uint32_t x_place = making->place_of[bs_load_u32(x_key)],
		 y_place = making->place_of[bs_load_u32(y_key)];
	if (x_place != y_place)
		return x_place < y_place ? -1 : 1;
	return bs_compare_bytes(x_key + 4, x_bytes - 4, y_key + 4, y_bytes - 4);
}

/* The head of a value (struct ordered) has the index of its field in this many bits, then the first
 * bits of its key. */
#define HEAD_FIELD_BITS 10u

static uint64_t head_of(const struct making *making, uint32_t value)
{
	uint32_t n_bytes;
	const uint8_t *key = key_of(making, value, &n_bytes);
	uint64_t place = making->place_of[bs_load_u32(key)],
		 most = (UINT64_C(1) << HEAD_FIELD_BITS) - 1;
	if (place >= most)
		return UINT64_MAX;
	return place << (64 - HEAD_FIELD_BITS) |
	       bs_first_eight(key + 4, n_bytes - 4) >> HEAD_FIELD_BITS;
}

static void order_fields(struct making *making)
{
	const struct bs_term_table *values = &making->indexing_buffer->values,
				   *fields = &making->indexing_buffer->fields;
	for (uint32_t i = 0; i < fields->n_terms; i++)
		making->place_of[i] = NO_PLACE;
	for (uint32_t i = 0; i < values->n_terms; i++) {
		uint32_t n_bytes, number = bs_load_u32(key_of(making, i, &n_bytes));
		if (making->place_of[number] == NO_PLACE) {
			making->place_of[number] = making->n_fields;
			making->fields[making->n_fields++] = (struct field){.number = number};
		}
		making->fields[making->place_of[number]].n_values++;
	}
	making->status = bs_sort(making->fields, making->n_fields, sizeof(*making->fields),
	                         compare_names, (void *)(uintptr_t)fields, making->err);
	uint64_t n_values = 0;
	for (uint32_t i = 0; i < making->n_fields; i++) {
		struct field *field = &making->fields[i];
		making->place_of[field->number] = i;
		field->n_slices = bs_value_slices(field->n_values);
		field->first_value = n_values;
		n_values += field->n_values;
	}
}

static void order_values(struct making *making)
{
	uint32_t n = making->indexing_buffer->values.n_terms, f = 0;
	for (uint32_t i = 0; i < n; i++)
		making->order[i] = (struct ordered){head_of(making, i), i};
	if (!making->status)
		making->status = bs_sort(making->order, n, sizeof(*making->order), compare_values,
		                         making, making->err);
	for (uint32_t i = 0; i < n && !making->status; i++) {
		f += i >= making->fields[f].first_value + making->fields[f].n_values;
		making->rank_of[making->order[i].number] =
			(uint32_t)(i - making->fields[f].first_value);
	}
}

static void find_documents(struct making *making)
{
	const struct bs_buffered_values *docs = making->indexing_buffer->value_docs.items;
	uint32_t n = (uint32_t)bs_vector_n(&making->indexing_buffer->value_docs);
	for (uint32_t i = 0; i < n; i++) {
		making->values_of[docs[i].document] = i + 1;
		making->starts[i + 1] = making->starts[i] + docs[i].n_values;
	}
}

/* Returns the numbers of a document's values; *n_out: how many. */
static const uint32_t *values_of(const struct making *making, uint32_t document, uint64_t *n_out)
{
	uint32_t at = making->values_of[document];
	*n_out = at ? making->starts[at] - making->starts[at - 1] : 0;
	return making->indexing_buffer->value_numbers.items + (at ? making->starts[at - 1] : 0);
}

static struct ranked *ranked_of(const struct making *making)
{
	return making->ranked.items;
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return bs_compare_u64(x->rank, y->rank);
}

static int compare_ranked_r(const void *a, const void *b, void *context)
{
	(void)context;
	return compare_ranked(a, b);
}

/* Collects the values of a shard in ranked, by field and row. Those of field f are from ends[f - 1]
 * to ends[f]. The values of a row may be unsorted and repeated. */
static void gather(struct making *making, const uint32_t *documents, uint32_t n_docs)
{
	uint64_t sum = 0, n;
	memset(making->ends, 0, ((size_t)making->n_fields + 1) * sizeof(*making->ends));
	for (uint32_t row = 0; row < n_docs && !making->status; row++) {
		const uint32_t *values = values_of(making, documents[row], &n);
		for (uint64_t i = 0; i < n; i++)
			making->ends[place_of_value(making, values[i])]++;
		making->status = bs_deadline_check_after(n * VALUE_NS, making->err);
	}
	for (uint32_t f = 0; f <= making->n_fields; f++) {
		uint64_t n_here = making->ends[f];
		making->ends[f] = sum;
		sum += n_here;
	}
	bs_vector_clear(&making->ranked);
	if (!making->status)
		making->status = bs_vector_reserve(&making->ranked, (size_t)sum, making->err);
	for (uint32_t row = 0; row < n_docs && !making->status; row++) {
		const uint32_t *values = values_of(making, documents[row], &n);
		for (uint64_t i = 0; i < n; i++)
			ranked_of(making)[making->ends[place_of_value(making, values[i])]++] =
				(struct ranked){row, making->rank_of[values[i]]};
		making->status = bs_deadline_check_after(n * VALUE_NS, making->err);
	}
}

/* Sorts the values of a field in a shard and removes repetitions, if there are any; mostly a row
 * has only one value. Returns the number of values left. */
static uint64_t settle(struct making *making, struct ranked *ranked, uint64_t n)
{
	uint64_t n_kept = 0, i = 1;
	while (i < n && compare_ranked(&ranked[i - 1], &ranked[i]) < 0)
		i++;
	if (i >= n)
		return n;
	making->status =
		bs_sort(ranked, (size_t)n, sizeof(*ranked), compare_ranked_r, NULL, making->err);
	for (i = 0; i < n && !making->status; i++) {
		if (n_kept == 0 || compare_ranked(&ranked[n_kept - 1], &ranked[i]) != 0)
			ranked[n_kept++] = ranked[i];
		making->status = bs_deadline_each(i, VALUE_NS, making->err);
	}
	return n_kept;
}

static uint64_t count_rows(const struct ranked *ranked, uint64_t n)
{
	uint64_t n_rows = 0;
	for (uint64_t i = 0; i < n; i++)
		n_rows += i == 0 || ranked[i].row != ranked[i - 1].row;
	return n_rows;
}

/* Writes the first value of each row as a layer, and moves all other values to the front of ranked.
 * Returns the number of these. */
static uint64_t write_layer(struct making *making, const struct field *field, uint32_t n_blocks,
                            struct ranked *ranked, uint64_t n)
{
	size_t block_words = (size_t)(1 + field->n_slices) * BS_LINE_WORDS,
	       n_words = n_blocks * block_words;
	uint64_t n_left = 0;
	uint32_t before = UINT32_MAX;
	bs_buffer_clear(&making->words);
	making->status = bs_buffer_reserve(&making->words, n_words * sizeof(uint64_t), making->err);
	if (making->status)
		return 0;
	uint64_t *words = (uint64_t *)(void *)making->words.data;
	memset(words, 0, n_words * sizeof(*words));
	for (uint64_t i = 0; i < n; i++) {
		uint32_t row = ranked[i].row, lane = row % BS_LINE_BITS;
		uint64_t *word = words + row / BS_LINE_BITS * block_words + lane / 64,
			 bit = UINT64_C(1) << (lane % 64);
		if (row == before) {
			ranked[n_left++] = ranked[i];
			continue;
		}
		before = row;
		*word |= bit;
		for (uint32_t s = 0; s < field->n_slices; s++)
			if (ranked[i].rank >> (field->n_slices - 1 - s) & 1)
				word[(size_t)(1 + s) * BS_LINE_WORDS] |= bit;
	}
	bs_file_writer_bytes(making->writer, words, n_words * sizeof(*words));
	making->status = bs_deadline_check_after(n * VALUE_NS, making->err);
	return n_left;
}

/* Writes the values of a field in a shard: as layers while a layer takes no more space than its
 * values in a list, the rest as a list. */
static void write_part(struct making *making, uint32_t f, uint32_t shard, uint32_t n_docs,
                       struct ranked *ranked, uint64_t n)
{
	struct field *field = &making->fields[f];
	uint32_t n_blocks = (n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
	uint64_t layer_lines = bs_value_layer_lines(n_blocks, field->n_slices);
	struct part part = {.field = f,
	                    .shard = shard,
	                    .first_line = making->n_lines,
	                    .first_entry = making->lists.bytes.used_bytes / BS_VALUE_ENTRY_BYTES};
	while (!making->status &&
	       layer_lines * BS_LINE_BYTES <= count_rows(ranked, n) * BS_VALUE_ENTRY_BYTES) {
		n = write_layer(making, field, n_blocks, ranked, n);
		part.n_layers++;
		making->n_lines += layer_lines;
	}
	part.n_entries = (uint32_t)n;
	field->n_parts++;
	if (!making->status)
		making->status = bs_vector_extend(&making->lists, ranked, n, making->err);
	if (!making->status)
		making->status = bs_vector_append(&making->parts, &part, making->err);
}

static void write_shard(struct making *making, uint32_t shard, const uint32_t *documents,
                        uint32_t n_docs)
{
	uint64_t begin = 0;
	if (!making->status)
		gather(making, documents, n_docs);
	for (uint32_t f = 0; f < making->n_fields && !making->status; f++) {
		struct ranked *ranked = ranked_of(making) + begin;
		uint64_t n = making->ends[f] - begin;
		begin = making->ends[f];
		if (n > 0)
			write_part(making, f, shard, n_docs, ranked, settle(making, ranked, n));
	}
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	if (x->field != y->field)
		return x->field < y->field ? -1 : 1;
	return x->shard < y->shard ? -1 : x->shard > y->shard;
}

static void write_parts(struct making *making)
{
	struct part *parts = making->parts.items;
	size_t n = bs_vector_n(&making->parts);
	if (n > 1)
		qsort(parts, n, sizeof(*parts), compare_parts);
	bs_file_writer_section(making->writer, BS_SECTION_VALUE_PARTS, 0);
	for (size_t i = 0; i < n; i++) {
		bs_file_writer_u32(making->writer, parts[i].shard);
		bs_file_writer_u32(making->writer, parts[i].n_layers);
		bs_file_writer_u64(making->writer, parts[i].first_line);
		bs_file_writer_u64(making->writer, parts[i].first_entry);
		bs_file_writer_u32(making->writer, parts[i].n_entries);
	}
}

static void write_fields(struct making *making)
{
	const struct bs_term_table *names = &making->indexing_buffer->fields;
	struct bs_file_writer *writer = making->writer;
	uint64_t first_part = 0;
	uint32_t name_off = 0;
	bs_file_writer_section(writer, BS_SECTION_VALUE_FIELDS, 0);
	bs_file_writer_u32(writer, making->n_fields);
	bs_file_writer_u32(writer, making->indexing_buffer->lacks_values ? BS_VALUE_IS_PARTIAL : 0);
	bs_file_writer_u64(writer, making->indexing_buffer->values.n_terms);
	for (uint32_t f = 0; f < making->n_fields; f++) {
		const struct field *field = &making->fields[f];
		bs_file_writer_u32(writer, name_off);
		bs_file_writer_u32(writer, names->entries[field->number].n_bytes);
		bs_file_writer_u64(writer, field->first_value);
		bs_file_writer_u32(writer, field->n_values);
		bs_file_writer_u32(writer, field->n_parts);
		bs_file_writer_u64(writer, first_part);
		first_part += field->n_parts;
		name_off += names->entries[field->number].n_bytes;
	}
	for (uint32_t f = 0; f < making->n_fields; f++) {
		uint32_t number = making->fields[f].number;
		bs_file_writer_bytes(writer, bs_term_table_key(names, number),
		                     names->entries[number].n_bytes);
	}
}

/* Writes the counts of texts, in the order of the names in the section FIELDS, which lacks names
 * with a NUL byte. */
static void write_field_texts(struct making *making)
{
	const struct bs_term_table *names = &making->indexing_buffer->fields;
	const struct bs_field_texts *texts = making->indexing_buffer->field_texts.items;
	bs_file_writer_section(making->writer, BS_SECTION_FIELD_TEXTS, 0);
	for (uint32_t i = 0; i < names->n_terms; i++) {
		if (memchr(bs_term_table_key(names, i), '\0', names->entries[i].n_bytes))
			continue;
		bs_file_writer_u32(making->writer, texts[i].n_values);
		bs_file_writer_u32(making->writer, texts[i].n_others);
	}
}

static void write_keys(struct making *making)
{
	uint32_t n = making->indexing_buffer->values.n_terms;
	uint64_t *offsets = calloc((size_t)n + 1, sizeof(*offsets));
	struct bs_buffer *keys = &making->words;
	bs_buffer_clear(keys);
	if (!offsets)
		making->status =
			bs_fail_memory(making->err, "values", (uint64_t)n * sizeof(*offsets));
	for (uint32_t i = 0; i < n && !making->status; i++) {
		uint32_t n_bytes;
		const uint8_t *key = key_of(making, making->order[i].number, &n_bytes);
		making->status = bs_buffer_append(keys, key + 4, n_bytes - 4, making->err);
		offsets[i + 1] = keys->used_bytes;
		if (!making->status)
			making->status = bs_deadline_each(i, VALUE_NS, making->err);
	}
	if (!making->status)
		making->status = bs_names_write(making->writer, bs_names_of_values, keys->data,
		                                offsets, n, making->err);
	free(offsets);
}

static enum bs_status allocate(struct making *making, struct bs_error *err)
{
	const struct bs_indexing_buffer *indexing_buffer = making->indexing_buffer;
	size_t n_values = (size_t)indexing_buffer->values.n_terms + 1,
	       n_fields = (size_t)indexing_buffer->fields.n_terms + 1;
	size_t n_docs = (size_t)bs_indexing_buffer_n_docs(indexing_buffer) + 1;
	making->fields = calloc(n_fields, sizeof(*making->fields));
	making->place_of = calloc(n_fields, sizeof(*making->place_of));
	making->ends = calloc(n_fields, sizeof(*making->ends));
	making->order = calloc(n_values, sizeof(*making->order));
	making->rank_of = calloc(n_values, sizeof(*making->rank_of));
	making->values_of = calloc(n_docs, sizeof(*making->values_of));
	making->starts =
		calloc(bs_vector_n(&indexing_buffer->value_docs) + 1, sizeof(*making->starts));
	if (making->fields && making->place_of && making->ends && making->order &&
	    making->rank_of && making->values_of && making->starts)
		return BS_OK;
	return bs_fail_memory(err, "values", (n_values + n_fields + n_docs) * sizeof(uint64_t));
}

static void write_values(struct making *making, const struct bs_shard_rows *rows)
{
	const uint32_t *documents = rows->documents.items;
	const uint32_t *n_docs = rows->n_docs.items;
	bs_file_writer_section(making->writer, BS_SECTION_VALUE_LINES, 0);
	for (uint32_t shard = 0; shard < bs_vector_n(&rows->n_docs); shard++) {
		write_shard(making, shard, documents, n_docs[shard]);
		documents += n_docs[shard];
	}
	bs_file_writer_section(making->writer, BS_SECTION_VALUE_LISTS, 0);
	bs_file_writer_bytes(making->writer, making->lists.bytes.data,
	                     making->lists.bytes.used_bytes);
	if (!making->status)
		write_parts(making);
	if (!making->status)
		write_keys(making);
}

enum bs_status bs_value_build(const struct bs_indexing_buffer *indexing_buffer,
                              const struct bs_shard_rows *rows, struct bs_file_writer *writer,
                              struct bs_error *err)
{
	struct making making = {.indexing_buffer = indexing_buffer, .writer = writer, .err = err};
	if (indexing_buffer->fields.n_terms == 0)
		return BS_OK;
	making.status = allocate(&making, err);
	if (!making.status) {
		order_fields(&making);
		order_values(&making);
		find_documents(&making);
	}
	if (!making.status && making.n_fields > 0)
		write_values(&making, rows);
	if (!making.status)
		write_fields(&making);
	if (!making.status)
		write_field_texts(&making);
	free(making.fields);
	free(making.place_of);
	free(making.ends);
	free(making.order);
	free(making.rank_of);
	free(making.values_of);
	free(making.starts);
	bs_vector_deinit(&making.ranked);
	bs_buffer_deinit(&making.words);
	bs_vector_deinit(&making.parts);
	bs_vector_deinit(&making.lists);
	return making.status;
}
