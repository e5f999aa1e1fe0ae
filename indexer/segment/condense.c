/* condense.c: see condense.h. The first half condenses segments, the second half restores them. */
#include "indexer/segment/condense.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/bitsift/index_restore.h"
#include "core/bitsift/limits.h"
#include "core/collections/sort.h"
#include "core/file/memory.h"
#include "core/file/segment_sections.h"
#include "core/lexicon/lexicon.h"
#include "core/matrix/rare_term_list.h"
#include "core/matrix/term_vectors.h"
#include "core/store/segment.h"
#include "core/system/deadline.h"
#include "indexer/segment/shard_build.h"

#define SEGMENT   "seg-"
#define CONDENSED "condensed-"
/* Minimum number of documents in the sample from whose terms codes are chosen. If a segment has
 * fewer than twice as many, all its documents are used. */
#define SAMPLE_ROWS 65536u
#define COPY_BYTES  ((uint64_t)1 << 20)

const char *bs_condensed_name(const char *segment_name, char name_out[BS_INDEX_NAME_BYTES])
{
	return bs_index_file_name("condensed", strtoull(segment_name + strlen(SEGMENT), NULL, 10),
	                          name_out);
}

static enum bs_status copy_section(const struct bs_section *section, uint32_t instance,
                                   struct bs_file_writer *writer, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bs_file_writer_section(writer, section->id, instance);
	for (uint64_t at = 0, n; at < section->n_bytes && !status; at += n) {
		n = section->n_bytes - at < COPY_BYTES ? section->n_bytes - at : COPY_BYTES;
		status = bs_section_touch(section, at, n, err);
		if (!status)
			bs_file_writer_bytes(writer, section->data + at, (size_t)n);
	}
	return status ? status : bs_deadline_check(err);
}

/*
 * Packed arrays that mostly ascend (rows, and offsets of tf codes) are written as differences,
 * which compress better. A difference d is a varint: 2 d if d >= 0, otherwise -2 d - 1.
 */

struct steps {
	struct bs_section section;
	const uint8_t *at;
	uint64_t number; /* the last number read */
};

static enum bs_status open_steps(struct steps *steps, struct bs_section section,
                                 struct bs_error *err)
{
	*steps = (struct steps){.section = section, .at = section.data};
	return section.n_bytes ? bs_section_touch(&section, 0, section.n_bytes, err) : BS_OK;
}

static enum bs_status next_number(struct steps *steps, uint64_t most, uint64_t *number_out,
                                  struct bs_error *err)
{
	uint64_t step = 0;
	steps->at = bs_varint_get(steps->at, steps->section.data + steps->section.n_bytes, &step);
	steps->number += step >> 1 ^ (UINT64_C(0) - (step & 1));
	if (!steps->at || steps->number > most)
		return bs_container_corrupt(steps->section.file, err,
		                            "section %u has other numbers than there can be",
		                            steps->section.id);
	*number_out = steps->number;
	return BS_OK;
}

struct condensing {
	const struct bs_shard_plan *plan;
	struct bs_segment segment;
	/* by place: rank of the term in term vectors; RARE: the term is in the rare-term lists */
	uint32_t *ranks;
	struct bs_row_counts counts;
	struct bs_row_codes codes;
	struct bs_u32s row; /* scratch: the ranks of one row */
	struct bs_file_writer *writer;
};

static bool is_matrix(const struct bs_segment *segment, uint32_t shard)
{
	return shard < segment->meta.n_shards && segment->shards[shard].hashed.n_levels > 0;
}

static bool is_left_out(const struct bs_segment *segment, const struct bs_section *section,
                        uint32_t instance)
{
	switch (section->id) {
	case BS_SECTION_COLUMNS:
	case BS_SECTION_POPCOUNTS:
		return is_matrix(segment, instance);
	case BS_SECTION_FALSE_POSITIVE_TERMS:
	case BS_SECTION_FALSE_POSITIVE_OFFSETS:
	case BS_SECTION_FALSE_POSITIVE_ROWS:
		return true;
	default:
		return false;
	}
}

#define RARE UINT32_MAX /* in place of a rank: the term is in the rare-term lists */

/* Collects, in ascending order, the ranks of those terms of a document that term vectors have. */
static enum bs_status take_row(struct condensing *at, uint32_t document, struct bs_error *err)
{
	const struct bs_indexing_buffer *indexing_buffer = at->plan->indexing_buffer;
	struct bs_term_reader reader = bs_indexing_buffer_read(indexing_buffer, document);
	uint32_t n_terms = reader.n_left, places[BS_TERM_CHUNK];
	bs_vector_clear(&at->row);
	enum bs_status status = bs_vector_reserve(&at->row, 2 * ((size_t)n_terms + 1), err);
	if (status)
		return status;
	uint32_t *ranks = at->row.items, n_ranks = 0;
	for (uint32_t n; (n = bs_indexing_buffer_next(&reader, places)) > 0;) {
		for (uint32_t i = 0; i < n; i++)
			__builtin_prefetch(&at->ranks[places[i]]);
		for (uint32_t i = 0; i < n; i++) {
			ranks[n_ranks] = at->ranks[places[i]];
			n_ranks += ranks[n_ranks] != RARE;
		}
	}
	bs_sort_u32(ranks, ranks + n_terms + 1, n_ranks, at->plan->n_terms);
	bs_vector_set_n(&at->row, n_ranks);
	return BS_OK;
}

static enum bs_status count_rows(struct condensing *at, struct bs_error *err)
{
	uint32_t step = (uint32_t)(at->segment.meta.n_docs / SAMPLE_ROWS);
	enum bs_status status = BS_OK;
	for (uint64_t document = 0; document < at->segment.meta.n_docs && !status;
	     document += step > 1 ? step : 1) {
		status = take_row(at, (uint32_t)document, err);
		if (!status)
			bs_row_count(&at->counts, at->row.items, (uint32_t)bs_vector_n(&at->row));
	}
	return status ? status : bs_row_codes_make(&at->codes, &at->counts, err);
}

static enum bs_status write_rows(struct condensing *at, uint32_t shard, struct bs_error *err)
{
	const struct bs_shard *from = &at->segment.shards[shard];
	struct bs_row_writer rows = {.codes = &at->codes, .writer = at->writer};
	enum bs_status status = BS_OK, ended;
	bs_file_writer_section(at->writer, BS_SECTION_TERM_VECTORS, shard);
	for (uint32_t row = 0; row < from->n_docs && !status; row++) {
		uint64_t document;
		status = bs_packed_get(&from->rows, row, &document, err);
		if (!status)
			status = take_row(at, (uint32_t)document, err);
		if (!status)
			status = bs_row_put(&rows, at->row.items, (uint32_t)bs_vector_n(&at->row),
			                    err);
	}
	ended = bs_row_writer_end(&rows, err);
	return status ? status : ended;
}

/* Writes n numbers of a packed array as differences. */
static enum bs_status write_steps(struct condensing *at, const struct bs_packed *packed, uint64_t n,
                                  uint32_t id, uint32_t instance, struct bs_error *err)
{
	uint64_t number, before = 0;
	enum bs_status status = BS_OK;
	bs_file_writer_section(at->writer, id, instance);
	for (uint64_t i = 0; i < n && !status; i++, before = number) {
		status = bs_packed_get(packed, i, &number, err);
		const uint64_t step = number - before;
		if (!status)
			bs_file_writer_varint(at->writer, step << 1 ^ (UINT64_C(0) - (step >> 63)));
	}
	return status;
}

static enum bs_status condense_section(struct condensing *at, const struct bs_section *section,
                                       uint32_t instance, struct bs_error *err)
{
	const struct bs_segment *segment = &at->segment;
	enum bs_status status;
	if (section->id == BS_SECTION_DOC_TF_OFFSETS)
		return write_steps(at, &segment->terms.tfs.offsets, segment->meta.n_docs + 1,
		                   section->id, 0, err);
	if (section->id != BS_SECTION_ROWS)
		return copy_section(section, instance, at->writer, err);
	status = write_steps(at, &segment->shards[instance].rows, segment->shards[instance].n_docs,
	                     section->id, instance, err);
	return status || !is_matrix(segment, instance) ? status : write_rows(at, instance, err);
}

static enum bs_status write_condensed(struct condensing *at, struct bs_error *err)
{
	const struct bs_container *file = at->segment.file;
	enum bs_status status = BS_OK;
	bs_file_writer_require(at->writer, bs_container_features(file));
	bs_row_codes_write(&at->codes, at->writer);
	for (size_t i = 0; i < bs_container_n_sections(file) && !status; i++) {
		uint32_t instance;
		struct bs_section section = bs_container_section_at(file, i, &instance);
		if (is_left_out(&at->segment, &section, instance))
			continue;
		status = condense_section(at, &section, instance, err);
	}
	return status;
}

static bool is_rare(const struct bs_shard_plan *plan, uint32_t place)
{
	uint8_t kind = plan->kinds[bs_shard_plan_repeated(plan, place)];
	return !plan->treatments->entries[kind & ~BS_KIND_HAS_LEVELS].has_false_positives;
}

/* Computes at->ranks. The ranks of terms (core/matrix/term_vectors.h) are computed by ordinal, and
 * then ordered by place (indexer/segment/shard_plan.h). */
static enum bs_status find_ranks(struct condensing *at, const uint32_t *term_dfs,
                                 struct bs_error *err)
{
	uint32_t n_terms = at->plan->n_terms;
	size_t n_bytes = ((size_t)n_terms + 1) * sizeof(uint32_t);
	uint32_t *by_ordinal = malloc(n_bytes);
	at->ranks = malloc(n_bytes);
	enum bs_status status =
		by_ordinal && at->ranks ? BS_OK : bs_fail_memory(err, "ranks of terms", n_bytes);
	if (!status)
		status = bs_row_ranks(term_dfs, n_terms, (uint32_t)at->segment.meta.n_docs,
		                      by_ordinal, err);
	for (uint32_t place = 0; place < n_terms && !status; place++)
		at->ranks[place] =
			is_rare(at->plan, place) ? RARE : by_ordinal[at->plan->ordinals[place]];
	free(by_ordinal);
	return status;
}

enum bs_status bs_condense(const struct bs_dir *dir, const char *segment_name,
                           const struct bs_shard_plan *plan, const uint32_t *term_dfs,
                           struct bs_error *err)
{
	char name[BS_INDEX_NAME_BYTES];
	struct condensing *at = calloc(1, sizeof(*at));
	if (!at)
		return bs_fail_memory(err, "a condensed segment", sizeof(*at));
	at->plan = plan;
	enum bs_status status = bs_segment_open(&at->segment, dir, segment_name, err);
	if (!status)
		status = find_ranks(at, term_dfs, err);
	if (!status)
		status = count_rows(at, err);
	if (!status)
		status = bs_file_writer_open(dir, bs_condensed_name(segment_name, name),
		                             BS_FILE_CONDENSED, &at->writer, err);
	if (!status)
		status = write_condensed(at, err);
	if (status)
		bs_file_writer_abort(at->writer);
	else
		status = bs_file_writer_finish(at->writer, &(uint64_t){0}, err);
	bs_vector_deinit(&at->row);
	free(at->ranks);
	bs_segment_deinit(&at->segment);
	free(at);
	return status;
}

struct restoring {
	struct bs_segment segment; /* the condensed segment */
	/* the segment's documents; term numbers are places */
	struct bs_indexing_buffer indexing_buffer;
	struct bs_lexicon_term *terms; /* by ordinal; freed when the plan is made */
	uint32_t *place_of;            /* by ordinal: the term's place in `plan` */
	/* by the number that a term has in term vectors (term_vectors.h): its place in `plan` */
	uint32_t *by_rank;
	struct bs_rare_term_lists lists;
	uint64_t list; /* number of the list whose terms are in rare */
	struct bs_rare_terms rare;
	struct bs_shard_plan plan;
	struct bs_shard_builder builder;
	struct bs_shard_product product; /* the current shard */
	struct bs_false_positives_builder false_positives;
	struct bs_code_set codes;
	struct bs_u32s ranks;     /* scratch: ranks of a row */
	struct bs_u32s places;    /* scratch: places of a row */
	uint32_t *rows;           /* documents of the current shard's rows */
	struct bs_buffer entries; /* entries of the shards written so far */
	uint64_t n_rows;          /* rows of the shards so far */
	struct bs_file_writer *writer;
};

static enum bs_status corrupt(const struct restoring *at, const char *what, struct bs_error *err)
{
	return bs_container_corrupt(at->segment.file, err, "%s", what);
}

/* *least_out: the least df of all terms that have an exact column in some shard. */
static enum bs_status find_least_exact(const struct restoring *at, double *least_out,
                                       struct bs_error *err)
{
	const struct bs_segment_meta *meta = &at->segment.meta;
	enum bs_status status = BS_OK;
	*least_out = (double)UINT32_MAX;
	for (uint32_t i = 0; i < meta->n_shards && !status; i++) {
		struct bs_section section =
			bs_container_section(at->segment.file, BS_SECTION_EXACT_TERMS, i);
		const uint32_t *ordinals = (const uint32_t *)(const void *)section.data;
		status = section.n_bytes ? bs_section_touch(&section, 0, section.n_bytes, err)
		                         : BS_OK;
		for (uint64_t k = 0; k < section.n_bytes / 4 && !status; k++) {
			if (ordinals[k] >= meta->n_terms)
				return corrupt(at, "an exact column of a term that is not there",
				               err);
			if (at->terms[ordinals[k]].df < *least_out)
				*least_out = at->terms[ordinals[k]].df;
		}
	}
	return status;
}

static enum bs_status read_lexicon(struct restoring *at, struct bs_error *err)
{
	struct bs_lexicon_cursor cursor = {.lexicon = &at->segment.terms.lexicon};
	uint64_t n_terms = at->segment.meta.n_terms, i = 0;
	bool is_end = false;
	enum bs_status status = bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, err);
	for (; !status && !is_end; i++) {
		status = bs_lexicon_cursor_next(&cursor, &is_end, err);
		if (status || is_end)
			break;
		if (i >= n_terms || cursor.df > at->segment.meta.n_docs) {
			status = corrupt(at, "a lexicon of more terms than there are", err);
			break;
		}
		at->terms[i] = (struct bs_lexicon_term){
			.hash = bs_hash_term(cursor.term.data, (uint32_t)cursor.term.used_bytes),
			.df = (uint32_t)cursor.df,
			.is_pair = cursor.term.used_bytes > 0 &&
		                   cursor.term.data[0] == BS_KEY_COMPOUND,
		};
		if (i % 4096 == 0)
			status = bs_deadline_check(err);
	}
	bs_lexicon_cursor_deinit(&cursor);
	return status || i == n_terms ? status
	                              : corrupt(at, "a lexicon of fewer terms than there are", err);
}

/* Fills by_rank, because term vectors number terms by rank, but shards are built from places. */
static enum bs_status place_ranks(struct restoring *at, struct bs_error *err)
{
	uint32_t n_terms = (uint32_t)at->segment.meta.n_terms;
	uint32_t *dfs = malloc(((size_t)n_terms + 1) * 2 * sizeof(*dfs)),
		 *rank_of = dfs + n_terms + 1;
	if (!dfs)
		return bs_fail_memory(err, "ranks of terms",
		                      ((size_t)n_terms + 1) * 2 * sizeof(*dfs));
	for (uint32_t i = 0; i < n_terms; i++)
		dfs[i] = at->terms[i].df;
	enum bs_status status =
		bs_row_ranks(dfs, n_terms, (uint32_t)at->segment.meta.n_docs, rank_of, err);
	for (uint32_t i = 0; i < n_terms && !status; i++)
		at->by_rank[rank_of[i]] = at->place_of[i];
	free(dfs);
	return status;
}

static enum bs_status make_plan(struct restoring *at, struct bs_error *err)
{
	const struct bs_segment_meta *meta = &at->segment.meta;
	size_t n_terms = (size_t)meta->n_terms + 1;
	double least_exact = 0;
	at->terms = malloc(n_terms * sizeof(*at->terms));
	at->place_of = malloc(n_terms * sizeof(*at->place_of));
	at->by_rank = malloc(n_terms * sizeof(*at->by_rank));
	if (!at->terms || !at->place_of || !at->by_rank)
		return bs_fail_memory(err, "terms of a segment", n_terms * sizeof(*at->terms));
	at->plan = (struct bs_shard_plan){
		.indexing_buffer = &at->indexing_buffer,
		.lexicon = at->terms,
		.n_terms = (uint32_t)meta->n_terms,
		.treatments = &at->segment.terms.treatments,
		.tf_levels = &at->segment.terms.tf_levels,
		.density = (double)meta->density_ppm / 1e6,
	};
	enum bs_status status = bs_kernel_choose(NULL, &at->plan.kernel, err);
	if (!status)
		status = read_lexicon(at, err);
	if (!status)
		status = find_least_exact(at, &least_exact, err);
	if (!status)
		status = bs_shard_plan_of_lexicon(&at->plan, least_exact, at->place_of, err);
	if (!status)
		status = place_ranks(at, err);
	at->plan.lexicon = NULL; /* the plan has copied this data to its own arrays */
	free(at->terms);
	at->terms = NULL;
	return status ? status : bs_shard_builder_init(&at->builder, &at->plan, err);
}

/* Adds all documents to the indexing buffer, with their tf codes, but without terms. */
static enum bs_status make_documents(struct restoring *at, struct bs_error *err)
{
	uint32_t n_docs = (uint32_t)at->segment.meta.n_docs;
	struct bs_buffered_doc_list *docs = &at->indexing_buffer.docs;
	enum bs_status status = bs_vector_reserve(docs, (size_t)n_docs + 1, err);
	at->indexing_buffer.doc_table.n_docs = n_docs;
	if (status)
		return status;
	memset(docs->items, 0, n_docs * sizeof(*docs->items));
	bs_vector_set_n(docs, n_docs);
	struct bs_section bits = bs_container_section(at->segment.file, BS_SECTION_DOC_TFS, 0);
	struct steps steps;
	uint64_t start = 0, end = 0;
	if (bits.n_bytes < BS_TF_PAD_BYTES)
		return corrupt(at, "the frequencies of words in documents are cut off", err);
	status = bs_section_touch(&bits, 0, bits.n_bytes, err);
	if (!status)
		status = open_steps(
			&steps,
			bs_container_section(at->segment.file, BS_SECTION_DOC_TF_OFFSETS, 0), err);
	if (!status)
		status = next_number(&steps, 0, &start, err);
	for (uint32_t document = 0; document < n_docs && !status; document++, start = end) {
		status = next_number(&steps, bits.n_bytes - BS_TF_PAD_BYTES, &end, err);
		if (!status && end < start)
			status = corrupt(at, "the frequencies of words in documents overlap", err);
		if (!status)
			status = bs_tf_table_add(&at->indexing_buffer.tf_table, bits.data + start,
			                         (size_t)(end - start), err);
	}
	return status ? status : bs_tf_table_pad(&at->indexing_buffer.tf_table, err);
}

/* Appends the terms of a document that are in its rare-term list to at->places, each as the term's
 * place in the plan (shard_plan.h). */
static enum bs_status add_rare(struct restoring *at, uint32_t document, struct bs_error *err)
{
	uint64_t list = document >> at->lists.docs_log2;
	uint32_t bit = document & ((1u << at->lists.docs_log2) - 1);
	enum bs_status status = BS_OK;
	if (list != at->list)
		status = bs_rare_term_lists_read(&at->lists, list, at->segment.meta.n_terms,
		                                 &at->rare, err);
	at->list = status ? UINT64_MAX : list;
	if (!status)
		status = bs_vector_reserve(&at->places, bs_vector_n(&at->rare), err);
	if (status)
		return status;
	const struct bs_rare_term *terms = at->rare.items;
	uint32_t *to = at->places.items + bs_vector_n(&at->places);
	for (size_t i = 0; i < bs_vector_n(&at->rare); i++) {
		*to = at->place_of[terms[i].ordinal];
		to += terms[i].docs >> bit & 1;
	}
	bs_vector_set_n(&at->places, (size_t)(to - at->places.items));
	return BS_OK;
}

/* Reads the next row of the term vectors, which is that of the document, and collects the places of
 * its terms. */
static enum bs_status read_row(struct restoring *at, struct bs_row_reader *reader,
                               uint32_t document, struct bs_error *err)
{
	enum bs_status status = bs_row_next(reader, &at->ranks, err);
	size_t n = bs_vector_n(&at->ranks);
	bs_vector_clear(&at->places);
	if (!status)
		status = bs_vector_reserve(&at->places, n + 1, err);
	if (status)
		return status;
	const uint32_t *ranks = at->ranks.items;
	uint32_t *places = at->places.items;
	for (size_t i = 0; i < n; i++)
		places[i] = at->by_rank[ranks[i]];
	bs_vector_set_n(&at->places, n);
	return add_rare(at, document, err);
}

/* Stores the collected places as the document's terms in the indexing buffer. */
static enum bs_status put_row(struct restoring *at, uint32_t document, struct bs_error *err)
{
	struct bs_buffered_doc *doc = at->indexing_buffer.docs.items + document;
	struct bs_spool *spool = &at->indexing_buffer.spool;
	uint32_t n_terms = (uint32_t)bs_vector_n(&at->places);
	size_t n_tf_bytes;
	uint8_t *to;
	enum bs_status status =
		bs_spool_reserve(spool, BS_GROUP_MOST_BYTES(n_terms), document, &to, err);
	if (!status)
		/* + 3: the last group of four is padded */
		status = bs_vector_reserve(&at->places, 3, err);
	if (status)
		return status;
	(void)bs_tf_table_added(&at->indexing_buffer.tf_table, document, &n_tf_bytes);
	/* If the document has a tf code, all terms count as repeated: the code says which of them
	 * really are. */
	*doc = (struct bs_buffered_doc){
		.codes = to, .n_terms = n_terms, .n_repeated = n_tf_bytes ? n_terms : 0};
	to = bs_group_put(to, at->places.items, n_terms);
	spool->chunks->used_bytes = (size_t)(to - spool->chunks->bytes);
	return BS_OK;
}

/* Reads which documents are the rows of a shard. */
static enum bs_status read_rows(struct restoring *at, uint32_t shard, uint32_t n_rows,
                                struct bs_error *err)
{
	struct steps steps;
	uint64_t document;
	free(at->rows);
	at->rows = malloc(((size_t)n_rows + 1) * sizeof(*at->rows));
	if (!at->rows)
		return bs_fail_memory(err, "a shard's rows", n_rows * sizeof(*at->rows));
	enum bs_status status = open_steps(
		&steps, bs_container_section(at->segment.file, BS_SECTION_ROWS, shard), err);
	for (uint32_t row = 0; row < n_rows && !status; row++) {
		status = next_number(&steps, at->segment.meta.n_docs - 1, &document, err);
		at->rows[row] = status ? 0 : (uint32_t)document;
	}
	return status;
}

/* Reads the terms of all documents of a shard. */
static enum bs_status read_terms(struct restoring *at, uint32_t shard, uint32_t n_rows,
                                 struct bs_error *err)
{
	struct bs_row_reader reader;
	enum bs_status status = bs_row_reader_open(
		&reader, &at->codes,
		bs_container_section(at->segment.file, BS_SECTION_TERM_VECTORS, shard),
		(uint32_t)at->segment.meta.n_terms, err);
	for (uint32_t row = 0; row < n_rows && !status; row++) {
		status = read_row(at, &reader, at->rows[row], err);
		if (!status)
			status = put_row(at, at->rows[row], err);
		if (!status && row % BS_LINE_BITS == 0)
			status = bs_deadline_check(err);
	}
	return status;
}

/* Reads the terms of a shard's documents, builds the matrix of the shard, and writes all its
 * sections. at->rows says which documents are its rows. */
static enum bs_status restore_matrix(struct restoring *at, uint32_t shard,
                                     const struct bs_shard_shape *shape, struct bs_error *err)
{
	struct bs_section exact =
		bs_container_section(at->segment.file, BS_SECTION_EXACT_TERMS, shard);
	if (exact.n_bytes != (uint64_t)shape->n_exact * 4)
		return corrupt(at, "exact columns of other terms than there are", err);
	enum bs_status status = read_terms(at, shard, shape->n_docs, err);
	if (!status)
		status = bs_shard_rebuild(&at->builder, at->rows, shape,
		                          (const uint32_t *)(const void *)exact.data, at->n_rows,
		                          &at->product, err);
	if (!status)
		status = bs_segment_write_shard(at->writer, shard, &at->product.image, &at->entries,
		                                err);
	if (!status)
		status = bs_false_positives_join(&at->false_positives, &at->product.false_positives,
		                                 err);
	bs_shard_product_deinit(&at->product);
	return status;
}

/* Restores a shard. Called at the section ROWS, the first one of a shard. */
static enum bs_status restore_shard(struct restoring *at, uint32_t shard,
                                    const struct bs_shard_shape *shape, struct bs_error *err)
{
	if (shape->n_docs == 0 || shape->n_docs > at->segment.meta.n_docs ||
	    (!shape->is_forward && shape->n_docs > BS_SHARD_MAX_DOCS))
		return corrupt(at, "a shard of other documents than there are", err);
	enum bs_status status = read_rows(at, shard, shape->n_docs, err);
	if (!status && !shape->is_forward)
		status = restore_matrix(at, shard, shape, err);
	if (!status && shape->is_forward)
		bs_packed_write_u32(at->writer, BS_SECTION_ROWS, shard, at->rows, shape->n_docs);
	at->n_rows += shape->n_docs;
	return status;
}

/* Restores one section. Sections come in order; those that the condensed form omits are written
 * where they were in the original. */
static enum bs_status restore_section(struct restoring *at, const struct bs_section *section,
                                      uint32_t instance, struct bs_error *err)
{
	struct bs_shard_shape shape = {.is_forward = true};
	enum bs_status status = BS_OK;
	switch (section->id) {
	case BS_SECTION_ROWS:
	case BS_SECTION_EXACT_TERMS:
		if (instance >= at->segment.meta.n_shards)
			return corrupt(at, "a shard more than there are", err);
		status = bs_segment_shape(&at->segment, instance, &shape, err);
		if (status || section->id == BS_SECTION_ROWS)
			return status ? status : restore_shard(at, instance, &shape, err);
		return shape.is_forward ? copy_section(section, instance, at->writer, err) : BS_OK;
	/* The condensed form omits the false-positive lists. In a segment they are before this
	 * section. */
	case BS_SECTION_RARE_CODES:
		status =
			bs_false_positives_write(&at->false_positives, at->n_rows, at->writer, err);
		return status ? status : copy_section(section, instance, at->writer, err);
	case BS_SECTION_DOC_TF_OFFSETS:
		bs_tf_table_write(&at->indexing_buffer.tf_table, at->writer);
		return BS_OK;
	case BS_SECTION_DOC_TFS:
	case BS_SECTION_ROW_CODES:
	case BS_SECTION_TERM_VECTORS:
		return BS_OK;
	default:
		return copy_section(section, instance, at->writer, err);
	}
}

static enum bs_status write_restored(struct restoring *at, struct bs_error *err)
{
	const struct bs_container *file = at->segment.file;
	enum bs_status status = BS_OK;
	bs_file_writer_require(at->writer, bs_container_features(file));
	for (size_t i = 0; i < bs_container_n_sections(file) && !status; i++) {
		uint32_t instance;
		struct bs_section section = bs_container_section_at(file, i, &instance);
		status = restore_section(at, &section, instance, err);
	}
	return status;
}

static void restoring_free(struct restoring *at)
{
	bs_shard_product_deinit(&at->product);
	bs_shard_builder_deinit(&at->builder);
	bs_shard_plan_deinit(&at->plan);
	bs_false_positives_builder_deinit(&at->false_positives);
	bs_indexing_buffer_deinit(&at->indexing_buffer);
	bs_code_set_deinit(&at->codes);
	bs_rare_term_lists_deinit(&at->lists);
	bs_vector_deinit(&at->rare);
	bs_vector_deinit(&at->ranks);
	bs_vector_deinit(&at->places);
	bs_buffer_deinit(&at->entries);
	bs_segment_deinit(&at->segment);
	free(at->rows);
	free(at->terms);
	free(at->place_of);
	free(at->by_rank);
	free(at);
}

enum bs_status bs_restore(const struct bs_dir *dir, const char *condensed_name,
                          struct bs_error *err)
{
	char name[BS_INDEX_NAME_BYTES];
	if (strncmp(condensed_name, CONDENSED, strlen(CONDENSED)) != 0)
		return bs_fail(err, BS_INVALID, "%s: no name of a condensed segment",
		               condensed_name);
	bs_index_file_name("seg", strtoull(condensed_name + strlen(CONDENSED), NULL, 10), name);
	struct restoring *at = calloc(1, sizeof(*at));
	if (!at)
		return bs_fail_memory(err, "a segment", sizeof(*at));
	at->list = UINT64_MAX;
	enum bs_status status = bs_segment_open_condensed(&at->segment, dir, condensed_name, err);
	if (!status && dir->memory && bs_memory_index_has_folder(dir->memory))
		status = bs_indexing_buffer_use_files(&at->indexing_buffer, dir, err);
	if (!status)
		status = bs_row_codes_read(&at->codes, at->segment.file, err);
	if (!status)
		status = bs_rare_term_lists_open(&at->lists, at->segment.file,
		                                 at->segment.meta.n_docs, err);
	if (!status)
		status = make_plan(at, err);
	if (!status)
		status = make_documents(at, err);
	if (!status)
		status = bs_file_writer_open(dir, name, BS_FILE_SEGMENT, &at->writer, err);
	if (!status)
		status = write_restored(at, err);
	if (status)
		bs_file_writer_abort(at->writer);
	else
		status = bs_file_writer_finish(at->writer, &(uint64_t){0}, err);
	restoring_free(at);
	return status;
}

enum bs_status bs_memory_index_restore(struct bs_memory_index *memory, const char *name,
                                       const struct bs_limits *limits, struct bs_error *err)
{
	struct bs_deadline deadline;
	struct bs_dir dir = {.place = NULL};
	enum bs_status status = bs_deadline_begin(&deadline, limits, err);
	if (status)
		return status;
	status = bs_dir_open(&dir, NULL, memory, NULL, err);
	if (!status)
		status = bs_restore(&dir, name, err);
	bs_dir_close(&dir);
	bs_deadline_end(&deadline);
	return status;
}
