/* check_segment.c: a segment's slabs, documents, stored text and grams. See check_parts.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/check/check_parts.h"
#include "core/store/doc_order.h"
#include "core/base/source_kind.h"
#include "core/file/segment_sections.h"
#include "core/matrix/forward_list.h"

#define KNOWN_FLAGS (BS_DOC_NAMED_BY_LINE | BS_DOC_SUSPECT)

#define CORRUPT(at, ...) bs_container_corrupt((at)->segment->file, (at)->check->err, __VA_ARGS__)

/* A segment under examination. */
struct examined {
	struct bs_check *check;
	const struct bs_segment *segment;
	uint32_t number; /* of the segment in the snapshot */
	const struct bs_manifest *manifest;
	uint8_t *seen;    /* a bit a document: it has a row */
	uint32_t **popcounts; /* per slab, per column: its set bits; NULL where there are forward lists */
	uint32_t *listed; /* per term: forward lists that hold it; NULL if there is no such slab */
};

static enum bs_status touch_all(const struct examined *at, const struct bs_section *section)
{
	return bs_section_touch(section, 0, section->n_bytes, at->check->err);
}

static uint32_t u32_at(const struct bs_section *section, uint64_t i)
{
	return bs_load_u32(section->data + i * 4);
}

static uint64_t u64_at(const struct bs_section *section, uint64_t i)
{
	return bs_load_u64(section->data + i * 8);
}

/* Of an array that was checked. */
static uint64_t packed_at(const struct bs_packed *packed, uint64_t i)
{
	uint64_t value;
	enum bs_status status = bs_packed_get(packed, i, &value, NULL);
	assert(status == BS_OK);
	(void)status;
	return value;
}

/* Of either kind; the other pointer is NULL. */
struct offsets {
	const struct bs_section *plain; /* u64 each */
	const struct bs_packed *packed;
};

static uint64_t offset_at(const struct offsets *offsets, uint64_t i)
{
	return offsets->plain ? u64_at(offsets->plain, i) : packed_at(offsets->packed, i);
}

/* Offsets [0, n]: 0 first, never descending, end last. what names their owner. */
static enum bs_status check_bounds(const struct examined *at, const struct offsets *offsets, uint64_t n, uint64_t end,
                                   const char *what)
{
	const struct bs_container *file = at->segment->file;
	if (offset_at(offsets, 0) != 0)
		return bs_container_corrupt(file, at->check->err, "%s: the first does not begin at 0", what);
	for (uint64_t i = 0; i < n; i++)
		if (offset_at(offsets, i) > offset_at(offsets, i + 1))
			return bs_container_corrupt(file, at->check->err, "%s: number %llu ends before it begins", what,
			                            (unsigned long long)i);
	if (offset_at(offsets, n) != end)
		return bs_container_corrupt(file, at->check->err, "%s: the last ends at %llu of %llu", what,
		                            (unsigned long long)offset_at(offsets, n), (unsigned long long)end);
	return BS_OK;
}

static enum bs_status check_offsets(const struct examined *at, const struct bs_section *offsets, uint64_t n,
                                    uint64_t end, const char *what)
{
	enum bs_status status = touch_all(at, offsets);
	return status ? status : check_bounds(at, &(struct offsets){.plain = offsets}, n, end, what);
}

static enum bs_status check_packed_offsets(const struct examined *at, const struct bs_packed *offsets, uint64_t end,
                                           const char *what)
{
	enum bs_status status = bs_packed_check(offsets, at->check->err);
	return status ? status : check_bounds(at, &(struct offsets){.packed = offsets}, offsets->n - 1, end, what);
}

static enum bs_status check_rows(const struct examined *at, uint32_t s)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	enum bs_status status = bs_packed_check(&slab->rows, at->check->err);
	for (uint32_t row = 0; row < slab->n_docs && !status; row++) {
		uint32_t document;
		status = bs_slab_document(slab, row, &document, at->check->err);
		if (status)
			return status;
		if (document >= at->segment->meta.n_docs)
			status = CORRUPT(at, "slab %u: row %u is document %u of %llu", s,
			                              row, document, (unsigned long long)at->segment->meta.n_docs);
		else if (at->seen[document / 8] >> (document % 8) & 1)
			status = CORRUPT(at, "slab %u: row %u is document %u, which has a row already", s, row, document);
		else
			at->seen[document / 8] |= (uint8_t)(1u << (document % 8));
	}
	return status;
}

static bool has_bits_from(const uint64_t *line, uint32_t n_bits)
{
	for (uint32_t word = 0; word < BS_LINE_WORDS; word++) {
		uint32_t start = word * 64;
		uint64_t kept = n_bits >= start + 64 ? 0 : (n_bits <= start ? UINT64_MAX : UINT64_MAX << (n_bits - start));
		if (line[word] & kept)
			return true;
	}
	return false;
}

/* Counts the bits of every column, for those who compare. */
static enum bs_status check_columns(const struct examined *at, uint32_t s, const struct bs_level *level, const char *name)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	/* Of the last line of a column, those that stand for something. */
	uint32_t n_bits = bs_level_lanes(level->rank, slab->n_docs) - (level->n_lines - 1) * BS_LINE_BITS;
	for (uint32_t c = 0; c < level->n_columns; c++) {
		bs_column column;
		enum bs_status status = bs_slab_column(slab, level, c, NULL, &column, at->check->err);
		if (status)
			return status;
		at->popcounts[s][level->first_column + c] = (uint32_t)at->check->kernel->popcount(column, level->n_lines);
		if (has_bits_from(column + (size_t)(level->n_lines - 1) * BS_LINE_WORDS, n_bits))
			return CORRUPT(at, "slab %u: %s column %u has bits past the last "
			                            "%s", s, name, c, level->rank == BS_LEVEL_BLOCK ? "lane" : "document");
		/* The other half when every term was looked up in them: see check_terms.c. */
		bs_check_advance(at->check, (uint64_t)level->n_lines * BS_LINE_BYTES / 2);
	}
	return BS_OK;
}

static enum bs_status check_level(const struct examined *at, uint32_t s, uint32_t l, const char *name)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	const struct bs_level *level = &slab->levels[l];
	uint64_t n_counted = 0, n_set = 0;
	enum bs_status status = check_columns(at, s, level, name);
	for (uint32_t c = 0; c < level->n_columns && !status; c++)
		n_counted += at->popcounts[s][level->first_column + c];
	if (!status)
		status = bs_slab_level_popcount(slab, l, &n_set, at->check->err);
	if (!status && n_counted != n_set)
		status = CORRUPT(at, "slab %u: the %s columns have %llu bits, their "
		                              "popcount says %llu", s, name, (unsigned long long)n_counted,
		                              (unsigned long long)n_set);
	return status;
}

static enum bs_status check_exact_popcount(const struct examined *at, uint32_t s, uint32_t c, uint32_t n_counted)
{
	uint32_t popcount;
	enum bs_status status = bs_slab_exact_popcount(&at->segment->slabs[s], c, &popcount, at->check->err);
	if (!status && n_counted != popcount)
		status = CORRUPT(at, "slab %u: exact column %u has %u bits, its popcount says %u", s, c, n_counted, popcount);
	return status;
}

/* n ordinals of terms from [first], strictly ascending. */
static enum bs_status check_ordinals(const struct examined *at, uint32_t s, const struct bs_section *ordinals,
                                     uint64_t first, uint64_t n, const char *what)
{
	for (uint64_t i = first; i < first + n; i++) {
		if (u32_at(ordinals, i) >= at->segment->meta.n_terms)
			return CORRUPT(at, "slab %u: %s: term %u of %llu", s, what,
			                            u32_at(ordinals, i), (unsigned long long)at->segment->meta.n_terms);
		if (i > first && u32_at(ordinals, i - 1) >= u32_at(ordinals, i))
			return CORRUPT(at, "slab %u: %s: term %u does not come after the one before", s, what, u32_at(ordinals, i));
	}
	return BS_OK;
}

static enum bs_status check_exact_terms(const struct examined *at, uint32_t s)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	enum bs_status status = touch_all(at, &slab->exact_terms);
	return status ? status : check_ordinals(at, s, &slab->exact_terms, 0, slab->exact.n_columns, "exact columns");
}

/* What the entry of a slab says beyond the bytes of its sections. */
static enum bs_status check_entry(const struct examined *at, uint32_t s)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	uint32_t least = UINT32_MAX;
	for (uint32_t l = slab->n_levels; l < BS_MAX_LEVELS; l++)
		if (slab->n_columns[l] != 0)
			return CORRUPT(at, "slab %u: %u columns of a level that is not", s, slab->n_columns[l]);
	for (uint32_t c = 0; c < slab->exact.n_columns; c++) {
		uint32_t popcount;
		enum bs_status status = bs_slab_exact_popcount(slab, c, &popcount, at->check->err);
		if (status)
			return status;
		least = popcount < least ? popcount : least;
	}
	if (slab->least_exact != (slab->exact.n_columns ? least : 0))
		return CORRUPT(at, "slab %u: its entry says that the sparsest exact "
		                            "column has %u bits, and it has %u", s, slab->least_exact,
		                            slab->exact.n_columns ? least : 0);
	return BS_OK;
}

static enum bs_status check_least_length(const struct examined *at, uint32_t s)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	uint32_t least = UINT32_MAX;
	enum bs_status status = BS_OK;
	for (uint32_t row = 0; row < slab->n_docs && !status; row++) {
		uint32_t document, length = 0;
		status = bs_slab_document(slab, row, &document, at->check->err);
		if (!status)
			status = bs_doc_table_length(&at->segment->docs, document, &length, at->check->err);
		least = length < least ? length : least;
	}
	if (!status && least != slab->least_length)
		status = CORRUPT(at, "slab %u: its least length is %u, not %u", s, least, slab->least_length);
	return status;
}

static enum bs_status check_matrix(const struct examined *at, uint32_t s)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	uint64_t n_columns = slab->exact.first_column + slab->exact.n_columns;
	at->popcounts[s] = calloc((size_t)n_columns + 1, sizeof(**at->popcounts));
	enum bs_status status = at->popcounts[s] ? check_entry(at, s)
	                                         : bs_fail_memory(at->check->err, "columns", n_columns * sizeof(uint32_t));
	if (!status)
		status = check_least_length(at, s);
	for (uint32_t l = 0; l < slab->n_levels && !status; l++) {
		uint8_t rank = slab->levels[l].rank;
		status = check_level(at, s, l, rank == BS_LEVEL_DOCUMENT ? "document" : rank == BS_LEVEL_GROUP ? "group" : "block");
	}
	if (!status)
		status = check_columns(at, s, &slab->exact, "exact");
	for (uint32_t c = 0; c < slab->exact.n_columns && !status; c++)
		status = check_exact_popcount(at, s, c, at->popcounts[s][slab->exact.first_column + c]);
	return status ? status : check_exact_terms(at, s);
}

/* Exact columns of forward lists: their bits are postings like those of the lists. */
static enum bs_status check_list_columns(const struct examined *at, uint32_t s)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	uint32_t n_groups = bs_forward_groups(slab->n_docs);
	uint32_t n_last = slab->n_docs - (n_groups - 1) * BS_FORWARD_GROUP_ROWS;
	enum bs_status status = check_exact_terms(at, s);
	for (uint32_t c = 0; c < slab->exact.n_columns && !status; c++) {
		const uint8_t *words;
		uint32_t n = 0;
		status = bs_slab_forward_column(slab, c, &words, at->check->err);
		for (uint32_t group = 0; group < n_groups && !status; group++)
			n += (uint32_t)__builtin_popcountll(bs_load_u64(words + (size_t)group * 8));
		if (!status)
			status = check_exact_popcount(at, s, c, n);
		if (!status && n_last < 64 && bs_load_u64(words + (size_t)(n_groups - 1) * 8) >> n_last)
			status = CORRUPT(at, "slab %u: exact column %u has bits past the last document", s, c);
		if (!status)
			at->listed[u32_at(&slab->exact_terms, c)] += n;
	}
	return status;
}

static enum bs_status check_listed(const struct examined *at, uint32_t s, uint32_t term)
{
	bool is_exact;
	uint32_t column;
	enum bs_status status = bs_slab_find_exact(&at->segment->slabs[s], term, &is_exact, &column, at->check->err);
	if (!status && is_exact)
		return CORRUPT(at, "slab %u: a forward list has term %u, which has an exact column", s, term);
	at->listed[term]++;
	return status;
}

static enum bs_status check_lists(const struct examined *at, uint32_t s)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	enum bs_status status = check_entry(at, s);
	if (!status)
		status = check_list_columns(at, s);
	if (!status)
		status = touch_all(at, &slab->forward_terms);
	if (!status)
		status = check_packed_offsets(at, &slab->forward_offsets, slab->forward_terms.n_bytes, "forward lists");
	struct bs_buffer ordinals = {0};
	for (uint32_t row = 0; row < slab->n_docs && !status; row++) {
		uint64_t end = packed_at(&slab->forward_offsets, (uint64_t)row + 1);
		status = bs_forward_list_read(&slab->forward_terms, packed_at(&slab->forward_offsets, row), end, at->segment->meta.n_terms,
		                           &ordinals, at->check->err);
		const uint32_t *terms = (const uint32_t *)(const void *)ordinals.data;
		size_t n = ordinals.used_bytes / sizeof(*terms);
		for (size_t i = 0; i < n && !status; i++)
			status = check_listed(at, s, terms[i]);
	}
	bs_buffer_deinit(&ordinals);
	return status;
}

/* The columns in front of one group must be those of its rows' terms, bit by bit. filled and ordinals are scratch. */
static enum bs_status check_group(const struct examined *at, uint32_t s, uint32_t group, struct bs_buffer *filled,
                                  struct bs_buffer *ordinals)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	uint64_t start = u64_at(&slab->forward_filter.offsets, group);
	uint64_t n_columns = u64_at(&slab->forward_filter.offsets, (uint64_t)group + 1) - start;
	uint32_t first = group * BS_FORWARD_GROUP_ROWS;
	if (n_columns == 0 || n_columns > UINT32_MAX)
		return CORRUPT(at, "slab %u: filter %u has %llu columns", s, group, (unsigned long long)n_columns);
	bs_buffer_clear(filled);
	enum bs_status status = bs_buffer_reserve(filled, (size_t)n_columns * 8, at->check->err);
	if (status)
		return status;
	uint64_t *words = (uint64_t *)(void *)filled->data;
	memset(words, 0, (size_t)n_columns * 8);
	for (uint32_t row = first; row < slab->n_docs && row < first + BS_FORWARD_GROUP_ROWS && !status; row++) {
		status = bs_forward_list_read(&slab->forward_terms, packed_at(&slab->forward_offsets, row),
		                           packed_at(&slab->forward_offsets, (uint64_t)row + 1), at->segment->meta.n_terms, ordinals,
		                           at->check->err);
		if (!status)
			bs_forward_filter_set(slab->forward_filter.hashing, words, (uint32_t)n_columns, row - first,
			                   (const uint32_t *)(const void *)ordinals->data,
			                   (uint32_t)(ordinals->used_bytes / sizeof(uint32_t)));
	}
	if (!status && memcmp(words, slab->forward_filter.words.data + start * 8, (size_t)n_columns * 8) != 0)
		status = CORRUPT(at, "slab %u: filter %u does not have the bits of the forward lists behind it", s, group);
	return status;
}

static enum bs_status check_filters(const struct examined *at, uint32_t s)
{
	const struct bs_slab *slab = &at->segment->slabs[s];
	const struct bs_section *words = &slab->forward_filter.words;
	struct bs_buffer filled = {0}, ordinals = {0};
	enum bs_status status = touch_all(at, words);
	if (!status && words->n_bytes % 8 != 0)
		status = CORRUPT(at, "slab %u: the filters are cut off", s);
	if (!status)
		status = check_offsets(at, &slab->forward_filter.offsets, bs_forward_groups(slab->n_docs), words->n_bytes / 8, "filters");
	for (uint32_t group = 0; group < bs_forward_groups(slab->n_docs) && !status; group++)
		status = check_group(at, s, group, &filled, &ordinals);
	bs_buffer_deinit(&filled);
	bs_buffer_deinit(&ordinals);
	return status;
}

static enum bs_status check_slabs(struct examined *at)
{
	const struct bs_segment *segment = at->segment;
	size_t n_terms = (size_t)segment->meta.n_terms + 1;
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s < segment->meta.n_slabs && !status; s++) {
		bool is_forward = segment->slabs[s].n_levels == 0;
		if (is_forward && !at->listed && !(at->listed = calloc(n_terms, sizeof(*at->listed))))
			return bs_fail_memory(at->check->err, "terms", n_terms * sizeof(*at->listed));
		status = check_rows(at, s);
		if (!status)
			status = is_forward ? check_lists(at, s) : check_matrix(at, s);
		if (!status && is_forward)
			status = check_filters(at, s);
	}
	return status;
}

static enum bs_status check_exceptions(const struct examined *at)
{
	const struct bs_exceptions *exceptions = &at->segment->exceptions;
	const struct bs_container *file = at->segment->file;
	enum bs_status status = bs_packed_check(&exceptions->terms, at->check->err);
	if (!status)
		status = touch_all(at, &exceptions->rows);
	uint64_t lists_bytes = exceptions->rows.n_bytes - BS_EXCEPTIONS_PAD;
	if (!status && bs_load_u64(exceptions->rows.data + lists_bytes) != 0)
		status = bs_container_corrupt(file, at->check->err, "exceptions: bytes behind the last");
	if (!status)
		status = check_packed_offsets(at, &exceptions->offsets, lists_bytes, "exceptions");
	for (uint64_t i = 0; i < exceptions->n_terms && !status; i++) {
		unsigned long long term = packed_at(&exceptions->terms, i);
		if (term >= at->segment->meta.n_terms)
			status = bs_container_corrupt(file, at->check->err, "exceptions: term %llu of %llu", term,
			                              (unsigned long long)at->segment->meta.n_terms);
		else if (i > 0 && packed_at(&exceptions->terms, i - 1) >= term)
			status = bs_container_corrupt(file, at->check->err, "exceptions: term %llu does not come after the one before",
			                              term);
		else if (packed_at(&exceptions->offsets, i) == packed_at(&exceptions->offsets, i + 1))
			status = bs_container_corrupt(file, at->check->err, "exceptions: term %llu has none", term);
	}
	return status;
}

/* Live documents of one source stand in document order: a cursor over several segments relies on it. before: the last
 * live one, of source UINT32_MAX if there was none. */
static enum bs_status check_order(const struct examined *at, uint32_t document, const struct bs_doc_record *record,
                                  struct bs_doc_record *before)
{
	uint32_t kind = at->manifest->sources[record->source].kind;
	if (before->source == record->source && bs_compare_records(kind, before, record) >= 0)
		return CORRUPT(at, "document %u stands behind one that it comes before", document);
	*before = *record;
	return BS_OK;
}

static enum bs_status check_document(const struct examined *at, uint32_t document, uint64_t *n_positions,
                                     struct bs_doc_record *before)
{
	struct bs_doc_record record;
	enum bs_status status = bs_doc_table_get(&at->segment->docs, document, &record, at->check->err);
	if (status)
		return status;
	uint32_t kind = at->manifest->sources[record.source].kind;
	*n_positions += record.length;
	if (record.flags & ~KNOWN_FLAGS)
		return CORRUPT(at, "document %u has unknown flags %#x", document, record.flags);
	/* The source of a deleted one may have been a file, and be a folder by now. */
	if (bs_snapshot_is_deleted(&at->check->snapshot, at->number, document))
		return BS_OK;
	if (kind == BS_SOURCE_FOLDER && !bs_doc_name_is_below(record.name, record.name_bytes))
		return CORRUPT(at, "document %u, \"%.*s\", is not below its source",
		                            document, record.name_bytes < 100 ? (int)record.name_bytes : 100,
		                            (const char *)record.name);
	if (kind == BS_SOURCE_STDIN && record.place[0] + 1 >= at->segment->store_offsets.n_bytes / 8)
		return CORRUPT(at, "document %u has no stored text", document);
	return check_order(at, document, &record, before);
}

static enum bs_status check_tfs(const struct examined *at)
{
	static const uint8_t pad[BS_TF_PAD_BYTES];
	const struct bs_tf_table *tfs = &at->segment->tfs;
	uint64_t end = tfs->bits.n_bytes - BS_TF_PAD_BYTES;
	enum bs_status status = check_packed_offsets(at, &tfs->offsets, end, "words in documents");
	if (!status)
		status = touch_all(at, &tfs->bits);
	if (!status && memcmp(tfs->bits.data + end, pad, sizeof(pad)) != 0)
		status = CORRUPT(at, "words in documents: bytes behind the last");
	return status;
}

static enum bs_status check_docs(const struct examined *at)
{
	const struct bs_doc_table *docs = &at->segment->docs;
	uint64_t n_positions = 0;
	struct bs_doc_record before = {.source = UINT32_MAX};
	enum bs_status status = bs_packed_check(&docs->lengths, at->check->err);
	for (uint32_t word = 0; word < 4 && !status; word++)
		status = bs_packed_check(&docs->places[word], at->check->err);
	if (!status)
		status = bs_names_check(&docs->names, at->check->err);
	if (!status)
		status = check_tfs(at);
	for (uint32_t document = 0; document < docs->n_docs && !status; document++)
		status = check_document(at, document, &n_positions, &before);
	if (!status && n_positions != at->segment->meta.n_positions)
		status = CORRUPT(at, "%llu positions where the documents have %llu",
		                              (unsigned long long)at->segment->meta.n_positions,
		                              (unsigned long long)n_positions);
	return status;
}

static enum bs_status check_store(const struct examined *at)
{
	const struct bs_segment *segment = at->segment;
	const struct bs_section *offsets = &segment->store_offsets;
	if (offsets->n_bytes == 0 && segment->store_frames.n_bytes == 0 && segment->store_dictionary.n_bytes == 0)
		return BS_OK;
	if (offsets->n_bytes < 8 || offsets->n_bytes % 8 != 0)
		return bs_container_corrupt(segment->file, at->check->err, "stored text: its offsets are cut off");
	return check_offsets(at, offsets, offsets->n_bytes / 8 - 1, segment->store_frames.n_bytes, "stored text");
}

/* Values below end, strictly ascending; number and what name them. */
static enum bs_status check_list(struct bs_check *check, uint32_t number, const struct bs_packed *list, uint64_t end,
                                 const char *what)
{
	uint32_t before = 0;
	enum bs_status status = bs_packed_check(list, check->err);
	for (uint64_t at = 0; at < list->n && !status; at++) {
		uint32_t value;
		status = bs_packed_get_u32(list, at, &value, check->err);
		if (!status && (value >= end || (at > 0 && value <= before)))
			return bs_container_corrupt(list->file, check->err, "grams, %s %u: value %llu is %u", what, number,
			                            (unsigned long long)at, value);
		before = value;
	}
	return status;
}

static enum bs_status check_gram_columns(struct bs_check *check, uint32_t i, const struct bs_gram_slab *slab)
{
	unsigned n_used = slab->shape.n_docs % 8;
	for (uint32_t c = 0; c < slab->shape.n_columns; c++) {
		const uint8_t *bytes;
		enum bs_status status = bs_gram_slab_column(slab, c, 0, slab->column_bytes, &bytes, check->err);
		if (status)
			return status;
		if (n_used && bytes[slab->column_bytes - 1] >> n_used)
			return bs_container_corrupt(slab->columns.file, check->err, "gram slab %u: column %u has bits past the last "
			                            "document", i, c);
	}
	return BS_OK;
}

/* A document has one row at most. */
static enum bs_status check_gram_rows(struct bs_check *check, uint32_t i, const struct bs_gram_slab *slab, uint64_t n_docs,
                                      uint8_t *seen)
{
	enum bs_status status = check_list(check, i, &slab->rows, n_docs, "rows of slab");
	for (uint32_t row = 0; row < slab->shape.n_docs && !status; row++) {
		uint32_t document;
		status = bs_gram_slab_document(slab, row, &document, check->err);
		if (status)
			break;
		if (seen[document / 8] >> (document % 8) & 1)
			status = bs_container_corrupt(slab->columns.file, check->err, "gram slab %u: row %u is document %u, which has a "
			                              "row already", i, row, document);
		seen[document / 8] |= (uint8_t)(1u << (document % 8));
	}
	return status;
}

/* The lists of the tiers; no trigram may be in two. */
static enum bs_status check_tiers(struct bs_check *check, const struct bs_gram_slabs *grams)
{
	uint8_t *seen = calloc(BS_GRAM_TRIGRAMS / 8, 1);
	enum bs_status status = seen ? BS_OK : bs_fail_memory(check->err, "trigrams", BS_GRAM_TRIGRAMS / 8);
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS && !status; tier++) {
		const struct bs_packed *list = &grams->listed[tier];
		if (bs_gram_listed_end(tier) == 0)
			continue;
		status = check_list(check, tier, list, bs_gram_listed_end(tier), "list of tier");
		for (uint64_t at = 0; at < list->n && !status && tier < BS_GRAM_TRIGRAM_TIERS; at++) {
			uint32_t trigram;
			status = bs_packed_get_u32(list, at, &trigram, check->err);
			if (!status && (seen[trigram / 8] >> (trigram % 8) & 1))
				status = bs_container_corrupt(list->file, check->err, "grams: trigram %06x is of two tiers", trigram);
			if (!status)
				seen[trigram / 8] |= (uint8_t)(1u << (trigram % 8));
		}
	}
	free(seen);
	return status;
}

/* Whether the bits are those of the files only the files can tell. */
static enum bs_status check_grams(struct bs_check *check, const struct bs_segment *segment)
{
	uint8_t *seen = calloc((size_t)segment->meta.n_docs / 8 + 1, 1);
	enum bs_status status = seen ? BS_OK : bs_fail_memory(check->err, "documents", segment->meta.n_docs / 8 + 1);
	if (!status && bs_container_section(segment->file, BS_SECTION_GRAM_META, 0).n_bytes > 0)
		status = check_tiers(check, &segment->grams);
	for (uint32_t i = 0; i < segment->grams.n_slabs && !status; i++) {
		const struct bs_gram_slab *slab = &segment->grams.slabs[i];
		status = check_gram_rows(check, i, slab, segment->meta.n_docs, seen);
		if (!status)
			status = check_gram_columns(check, i, slab);
	}
	free(seen);
	return status;
}

enum bs_status bs_check_segment(struct bs_check *check, uint32_t s)
{
	const struct bs_segment *segment = &check->snapshot.segments[s];
	struct examined at = {.check = check, .segment = segment, .number = s, .manifest = &check->snapshot.manifest};
	enum bs_status status = BS_OK;
	size_t n_slabs = (size_t)segment->meta.n_slabs;
	at.seen = calloc((size_t)segment->meta.n_docs / 8 + 1, 1);
	at.popcounts = calloc(n_slabs + 1, sizeof(*at.popcounts));
	if (!at.seen || !at.popcounts)
		status = bs_fail_memory(check->err, "documents", segment->meta.n_docs / 8 + n_slabs * sizeof(*at.popcounts));
	/* First the stored numbers that others are checked by, then the slabs, which make up most of the bytes. */
	if (!status)
		status = check_store(&at);
	if (!status)
		status = check_docs(&at);
	if (!status)
		status = check_slabs(&at);
	if (!status)
		status = check_exceptions(&at);
	if (!status)
		status = bs_check_terms(check, segment, at.popcounts, at.listed);
	if (!status)
		status = check_grams(check, segment);
	for (size_t i = 0; at.popcounts && i < n_slabs; i++)
		free(at.popcounts[i]);
	free(at.popcounts);
	free(at.seen);
	free(at.listed);
	return status;
}
