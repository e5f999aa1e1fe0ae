/* check.c: see check.h. First what a segment holds: documents, slabs, its lexicon against itself and against the slabs,
 * grams. Then all files, the manifest and what stands beside segments. */
#include "core/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/source_kind.h"
#include "core/file/segment_sections.h"
#include "core/matrix/forward_list.h"
#include "core/matrix/slab_and.h"
#include "core/simd/kernels.h"
#include "core/store/doc_order.h"
#include "core/store/folder_listings.h"
#include "core/store/index_dir.h"

#define KNOWN_FLAGS    (BS_DOC_NAMED_BY_LINE | BS_DOC_SUSPECT)
#define PROGRESS_TERMS 256u                /* between two calls of progress ... */
#define TOUCH_BYTES    (UINT64_C(1) << 20) /* ... or so many bytes */

/* What is kept of a term: the number of its treatment, below 64, and */
#define TERM_HAS_LEVELS 0x40u /* tf levels */
#define TERM_IS_WORD    0x80u
_Static_assert(BS_MAX_TREATMENTS <= TERM_HAS_LEVELS, "a treatment's number has six bits");

struct check {
	const struct bs_check_request *request;
	bs_check_stored_text *stored_text; /* NULL: is not decoded */
	struct bs_snapshot snapshot;
	const struct bs_kernel *kernel;
	uint64_t done_bytes;
	uint64_t total_bytes;
	enum bs_status status; /* sticky: after the first thing that is wrong nothing is looked at any more */
	struct bs_error *err;
	const struct bs_container *file; /* that is looked at */
	/* The segment that is looked at. */
	const struct bs_segment *segment;
	uint32_t number;      /* in the snapshot */
	uint8_t *seen;        /* a bit a document: it has a row */
	uint32_t **popcounts; /* per slab, per column: its set bits; NULL where there are forward lists */
	uint32_t *listed;     /* per term: forward lists that hold it, and documents that lists of rare terms say have it */
	uint32_t *row_of;     /* per document: its row, counted through the slabs */
	uint64_t *hashes;     /* per term, for lists of rare terms */
	uint8_t *kinds;       /* per term: its treatment, an index into the table's entries; TERM_HAS_LEVELS, TERM_IS_WORD */
	uint64_t n_rare_exact; /* bits of exact columns of rare terms, less those that lists confirm */
	uint64_t *tf_sums;    /* per document: how often words stand there, by their codes */
};

/* Does it, and keeps its status, unless something is wrong already: then the call is not made. */
#define TRY(check, call) \
	do { \
		if (!(check)->status) \
			(check)->status = (call); \
	} while (0)

/* Says what is wrong with the file if it is not so. is_so is not looked at if something is wrong already, and tries
 * nothing itself. */
#define EXPECT(check, is_so, ...) \
	TRY(check, (is_so) ? BS_OK : bs_container_corrupt((check)->file, (check)->err, __VA_ARGS__))

/* n + 1 zeros; NULL if something is wrong, as that there is no memory. */
static void *allocate(struct check *check, uint64_t n, size_t item_bytes, const char *what)
{
	void *items = check->status ? NULL : calloc((size_t)n + 1, item_bytes);
	TRY(check, items ? BS_OK : bs_fail_memory(check->err, what, n * item_bytes));
	return items;
}

/* Tells the caller of n_bytes more. */
static void advance(struct check *check, uint64_t n_bytes)
{
	check->done_bytes += n_bytes;
	if (check->request->progress)
		check->request->progress(check->request->context, check->done_bytes, check->total_bytes);
}

static void touch_all(struct check *check, const struct bs_section *section)
{
	TRY(check, bs_section_touch(section, 0, section->n_bytes, check->err));
}

static uint32_t u32_at(const struct bs_section *section, uint64_t i)
{
	return bs_load_u32(section->data + i * 4);
}

static uint64_t u64_at(const struct bs_section *section, uint64_t i)
{
	return bs_load_u64(section->data + i * 8);
}

static void check_packed(struct check *check, const struct bs_packed *packed)
{
	TRY(check, bs_packed_check(packed, check->err));
}

static uint64_t packed_at(struct check *check, const struct bs_packed *packed, uint64_t i)
{
	uint64_t value = 0;
	TRY(check, bs_packed_get(packed, i, &value, check->err));
	return value;
}

static uint32_t packed_u32_at(struct check *check, const struct bs_packed *packed, uint64_t i)
{
	uint32_t value = 0;
	TRY(check, bs_packed_get_u32(packed, i, &value, check->err));
	return value;
}

/* Whether the bit of i was not set; now it is. */
static bool set_new(uint8_t *bits, uint32_t i)
{
	bool is_new = !(bits[i / 8] >> (i % 8) & 1);
	bits[i / 8] |= (uint8_t)(1u << (i % 8));
	return is_new;
}

/* Offsets, plain (u64 each) or packed, the other pointer being NULL: 0 first, never descending, end last. what names
 * their owner. */
static void check_offsets(struct check *check, const struct bs_section *plain, const struct bs_packed *packed,
                          uint64_t end, const char *what)
{
	uint64_t before = 0, n = plain ? plain->n_bytes / 8 : packed->n;
	if (plain)
		touch_all(check, plain);
	else
		check_packed(check, packed);
	for (uint64_t i = 0; i < n && !check->status; i++) {
		uint64_t offset = plain ? u64_at(plain, i) : packed_at(check, packed, i);
		EXPECT(check, i > 0 || offset == 0, "%s: the first does not begin at 0", what);
		EXPECT(check, before <= offset, "%s: number %llu ends before it begins", what, (unsigned long long)i - 1);
		before = offset;
	}
	EXPECT(check, before == end, "%s: the last ends at %llu of %llu", what, (unsigned long long)before,
	       (unsigned long long)end);
}

static void check_store(struct check *check)
{
	const struct bs_segment *segment = check->segment;
	const struct bs_section *offsets = &segment->store_offsets;
	if (offsets->n_bytes == 0 && segment->store_frames.n_bytes == 0 && segment->store_dictionary.n_bytes == 0)
		return;
	EXPECT(check, offsets->n_bytes >= 8 && offsets->n_bytes % 8 == 0, "stored text: its offsets are cut off");
	check_offsets(check, offsets, NULL, segment->store_frames.n_bytes, "stored text");
}

static void check_tfs(struct check *check)
{
	static const uint8_t pad[BS_TF_PAD_BYTES];
	const struct bs_tf_table *tfs = &check->segment->tfs;
	uint64_t end = tfs->bits.n_bytes - BS_TF_PAD_BYTES;
	check_offsets(check, NULL, &tfs->offsets, end, "words in documents");
	touch_all(check, &tfs->bits);
	EXPECT(check, memcmp(tfs->bits.data + end, pad, sizeof(pad)) == 0, "words in documents: bytes behind the last");
}

/* before: the last live document, of source UINT32_MAX if there was none. */
static void check_document(struct check *check, uint32_t document, uint64_t *n_positions, struct bs_doc_record *before)
{
	struct bs_doc_record record = {.source = 0};
	TRY(check, bs_doc_table_get(&check->segment->docs, document, &record, check->err));
	const struct bs_manifest *manifest = &check->snapshot.manifest;
	uint32_t kind = manifest->sources[record.source].kind;
	bool is_row = !bs_snapshot_has_words(&check->snapshot, check->number);
	*n_positions += record.length;
	EXPECT(check, !(record.flags & ~KNOWN_FLAGS), "document %u has unknown flags %#x", document, record.flags);
	/* The source of a deleted one may have been a file, and be a folder by now. */
	if (check->status || bs_snapshot_is_deleted(&check->snapshot, check->number, document))
		return;
	EXPECT(check, kind != BS_SOURCE_FOLDER || bs_doc_name_is_below(record.name, record.name_bytes),
	       "document %u, \"%.*s\", is not below its source", document,
	       record.name_bytes < 100 ? (int)record.name_bytes : 100, (const char *)record.name);
	EXPECT(check, kind != BS_SOURCE_FORGOTTEN, "document %u is of a source that was forgotten", document);
	EXPECT(check, !is_row || kind == BS_SOURCE_FOLDER || (kind == BS_SOURCE_COLLECTION && record.name_bytes == 0),
	       "row %u is not of a collection", document);
	EXPECT(check, kind != BS_SOURCE_STDIN || record.place[0] + 1 < check->segment->store_offsets.n_bytes / 8,
	       "document %u has no stored text", document);
	/* Live documents of one source stand in document order: a cursor over several segments relies on it. */
	bool is_other = before->source == UINT32_MAX ||
	                bs_manifest_root(manifest, before->source) != bs_manifest_root(manifest, record.source);
	int order = is_other || !is_row ? 0 : bs_compare_records(BS_SOURCE_FOLDER, before, &record);
	EXPECT(check, is_other || (is_row ? order : bs_compare_documents(manifest, before, &record)) < 0,
	       "document %u stands behind one that it comes before", document);
	*before = record;
}

static void check_doc_table(struct check *check, const struct bs_doc_table *docs)
{
	check_packed(check, &docs->lengths);
	for (uint32_t word = 0; word < 4; word++)
		check_packed(check, &docs->places[word]);
	TRY(check, bs_names_check(&docs->names, check->err));
}

static void check_docs(struct check *check)
{
	uint64_t n_positions = 0;
	struct bs_doc_record before = {.source = UINT32_MAX};
	check_doc_table(check, &check->segment->docs);
	check_tfs(check);
	for (uint32_t document = 0; document < check->segment->docs.n_docs && !check->status; document++)
		check_document(check, document, &n_positions, &before);
	EXPECT(check, n_positions == check->segment->meta.n_positions, "%llu positions where the documents have %llu",
	       (unsigned long long)check->segment->meta.n_positions, (unsigned long long)n_positions);
}

static void check_rows(struct check *check, uint32_t s)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	uint64_t n_docs = check->segment->meta.n_docs;
	check_packed(check, &slab->rows);
	for (uint32_t row = 0; row < slab->n_docs && !check->status; row++) {
		uint32_t document = packed_u32_at(check, &slab->rows, row);
		EXPECT(check, document < n_docs, "slab %u: row %u is document %u of %llu", s, row, document,
		       (unsigned long long)n_docs);
		EXPECT(check, set_new(check->seen, document), "slab %u: row %u is document %u, which has a row already", s, row,
		       document);
		if (!check->status)
			check->row_of[document] = (uint32_t)slab->first_row + row;
	}
}

static bool has_bits_from(const uint64_t *line, uint32_t n_bits)
{
	for (uint32_t bit = n_bits; bit < BS_LINE_BITS; bit = (bit | 63) + 1)
		if (line[bit / 64] >> (bit % 64))
			return true;
	return false;
}

/* Counts the bits of every column, for those who compare; and of all of them. */
static uint64_t check_columns(struct check *check, uint32_t s, const struct bs_level *level, const char *name)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	uint64_t n_set = 0;
	/* Of the last line of a column, those that stand for something. */
	uint32_t n_bits = bs_level_lanes(level->rank, slab->n_docs) - (level->n_lines - 1) * BS_LINE_BITS;
	for (uint32_t c = 0; c < level->n_columns; c++) {
		bs_column column;
		TRY(check, bs_slab_column(slab, level, c, NULL, &column, check->err));
		if (check->status)
			return 0;
		uint32_t n = (uint32_t)check->kernel->popcount(column, level->n_lines);
		check->popcounts[s][level->first_column + c] = n;
		n_set += n;
		EXPECT(check, !has_bits_from(column + (size_t)(level->n_lines - 1) * BS_LINE_WORDS, n_bits),
		       "slab %u: %s column %u has bits past the last %s", s, name, c,
		       level->rank == BS_LEVEL_BLOCK ? "lane" : "document");
		/* The other half when every term was looked up in them: see tell_progress. */
		advance(check, (uint64_t)level->n_lines * BS_LINE_BYTES / 2);
	}
	return n_set;
}

static void check_level(struct check *check, uint32_t s, uint32_t l)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	uint8_t rank = slab->levels[l].rank;
	const char *name = rank == BS_LEVEL_DOCUMENT ? "document" : rank == BS_LEVEL_GROUP ? "group" : "block";
	uint64_t n_set = 0, n_counted = check_columns(check, s, &slab->levels[l], name);
	TRY(check, bs_slab_level_popcount(slab, l, &n_set, check->err));
	EXPECT(check, n_counted == n_set, "slab %u: the %s columns have %llu bits, their popcount says %llu", s, name,
	       (unsigned long long)n_counted, (unsigned long long)n_set);
}

static uint32_t exact_popcount(struct check *check, const struct bs_slab *slab, uint32_t c)
{
	uint32_t n = 0;
	TRY(check, bs_slab_exact_popcount(slab, c, &n, check->err));
	return n;
}

static void check_exact_popcount(struct check *check, uint32_t s, uint32_t c, uint32_t n_counted)
{
	uint32_t n = exact_popcount(check, &check->segment->slabs[s], c);
	EXPECT(check, n_counted == n, "slab %u: exact column %u has %u bits, its popcount says %u", s, c, n_counted, n);
}

/* Ordinals of terms, strictly ascending. */
static void check_exact_terms(struct check *check, uint32_t s)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	const struct bs_section *terms = &slab->exact_terms;
	uint64_t n_terms = check->segment->meta.n_terms;
	touch_all(check, terms);
	for (uint32_t i = 0; i < slab->exact.n_columns && !check->status; i++) {
		EXPECT(check, u32_at(terms, i) < n_terms, "slab %u: exact columns: term %u of %llu", s, u32_at(terms, i),
		       (unsigned long long)n_terms);
		EXPECT(check, i == 0 || u32_at(terms, i - 1) < u32_at(terms, i),
		       "slab %u: exact columns: term %u does not come after the one before", s, u32_at(terms, i));
	}
}

/* What the entry of a slab says beyond the bytes of its sections. */
static void check_entry(struct check *check, uint32_t s)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	uint32_t least = slab->exact.n_columns ? UINT32_MAX : 0;
	for (uint32_t l = slab->n_levels; l < BS_MAX_LEVELS; l++)
		EXPECT(check, slab->n_columns[l] == 0, "slab %u: %u columns of a level that is not", s, slab->n_columns[l]);
	for (uint32_t c = 0; c < slab->exact.n_columns; c++) {
		uint32_t n = exact_popcount(check, slab, c);
		least = n < least ? n : least;
	}
	EXPECT(check, slab->least_exact == least,
	       "slab %u: its entry says that the sparsest exact column has %u bits, and it has %u", s,
	       slab->least_exact, least);
}

static void check_least_length(struct check *check, uint32_t s)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	uint32_t least = UINT32_MAX;
	for (uint32_t row = 0; row < slab->n_docs; row++) {
		uint32_t document = packed_u32_at(check, &slab->rows, row);
		uint32_t length = packed_u32_at(check, &check->segment->docs.lengths, document);
		least = length < least ? length : least;
	}
	EXPECT(check, least == slab->least_length, "slab %u: its least length is %u, not %u", s, least, slab->least_length);
}

static void check_matrix(struct check *check, uint32_t s)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	const struct bs_level *exact = &slab->exact;
	check->popcounts[s] = allocate(check, exact->first_column + exact->n_columns, sizeof(uint32_t), "columns");
	check_entry(check, s);
	check_least_length(check, s);
	for (uint32_t l = 0; l < slab->n_levels && !check->status; l++)
		check_level(check, s, l);
	check_columns(check, s, exact, "exact");
	for (uint32_t c = 0; c < exact->n_columns && !check->status; c++)
		check_exact_popcount(check, s, c, check->popcounts[s][exact->first_column + c]);
	check_exact_terms(check, s);
}

/* Exact columns of forward lists: their bits are postings like those of the lists. */
static void check_list_columns(struct check *check, uint32_t s)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	uint32_t n_groups = bs_forward_groups(slab->n_docs);
	uint32_t n_last = slab->n_docs - (n_groups - 1) * BS_FORWARD_GROUP_ROWS;
	check_exact_terms(check, s);
	for (uint32_t c = 0; c < slab->exact.n_columns && !check->status; c++) {
		const uint8_t *words = NULL;
		uint32_t n = 0;
		TRY(check, bs_slab_forward_column(slab, c, &words, check->err));
		for (uint32_t group = 0; group < n_groups && !check->status; group++)
			n += (uint32_t)__builtin_popcountll(bs_load_u64(words + (size_t)group * 8));
		check_exact_popcount(check, s, c, n);
		EXPECT(check, n_last == 64 || bs_load_u64(words + (size_t)(n_groups - 1) * 8) >> n_last == 0,
		       "slab %u: exact column %u has bits past the last document", s, c);
		if (!check->status)
			check->listed[u32_at(&slab->exact_terms, c)] += n;
	}
}

/* A row's terms, in place of what the buffer holds: none has an exact column. */
static void check_forward_list(struct check *check, uint32_t s, uint32_t row, struct bs_buffer *ordinals)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	uint64_t n_terms = check->segment->meta.n_terms;
	uint64_t start = packed_at(check, &slab->forward_offsets, row);
	uint64_t end = packed_at(check, &slab->forward_offsets, (uint64_t)row + 1);
	TRY(check, bs_forward_list_read(&slab->forward_terms, start, end, n_terms, ordinals, check->err));
	const uint32_t *terms = (const uint32_t *)(const void *)ordinals->data;
	for (size_t i = 0; i < ordinals->used_bytes / sizeof(*terms) && !check->status; i++) {
		bool is_exact = false;
		uint32_t column;
		TRY(check, bs_slab_find_exact(slab, terms[i], &is_exact, &column, check->err));
		EXPECT(check, !is_exact, "slab %u: a forward list has term %u, which has an exact column", s, terms[i]);
		check->listed[terms[i]]++;
	}
}

/* 64 rows. The columns in front of them must be those of the rows' terms, bit by bit. filled, ordinals: scratch. */
static void check_group(struct check *check, uint32_t s, uint32_t group, struct bs_buffer *filled,
                        struct bs_buffer *ordinals)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	const struct bs_forward_filter *filter = &slab->forward_filter;
	uint64_t start = u64_at(&filter->offsets, group);
	uint64_t n_columns = u64_at(&filter->offsets, (uint64_t)group + 1) - start;
	uint32_t first = group * BS_FORWARD_GROUP_ROWS;
	EXPECT(check, n_columns > 0 && n_columns <= UINT32_MAX, "slab %u: filter %u has %llu columns", s, group,
	       (unsigned long long)n_columns);
	bs_buffer_clear(filled);
	TRY(check, bs_buffer_reserve(filled, (size_t)n_columns * 8, check->err));
	if (check->status)
		return;
	uint64_t *words = (uint64_t *)(void *)filled->data;
	memset(words, 0, (size_t)n_columns * 8);
	for (uint32_t row = first; row < slab->n_docs && row < first + BS_FORWARD_GROUP_ROWS && !check->status; row++) {
		check_forward_list(check, s, row, ordinals);
		bs_forward_filter_set(filter->hashing, words, (uint32_t)n_columns, row - first,
		                      (const uint32_t *)(const void *)ordinals->data,
		                      (uint32_t)(ordinals->used_bytes / sizeof(uint32_t)));
	}
	EXPECT(check, memcmp(words, filter->words.data + start * 8, (size_t)n_columns * 8) == 0,
	       "slab %u: filter %u does not have the bits of the forward lists behind it", s, group);
}

static void check_lists(struct check *check, uint32_t s)
{
	const struct bs_slab *slab = &check->segment->slabs[s];
	const struct bs_section *words = &slab->forward_filter.words;
	struct bs_buffer filled = {0}, ordinals = {0};
	check_entry(check, s);
	check_list_columns(check, s);
	touch_all(check, &slab->forward_terms);
	check_offsets(check, NULL, &slab->forward_offsets, slab->forward_terms.n_bytes, "forward lists");
	touch_all(check, words);
	EXPECT(check, words->n_bytes % 8 == 0, "slab %u: the filters are cut off", s);
	check_offsets(check, &slab->forward_filter.offsets, NULL, words->n_bytes / 8, "filters");
	for (uint32_t group = 0; group < bs_forward_groups(slab->n_docs) && !check->status; group++)
		check_group(check, s, group, &filled, &ordinals);
	bs_buffer_deinit(&filled);
	bs_buffer_deinit(&ordinals);
}

static void check_slabs(struct check *check)
{
	const struct bs_segment *segment = check->segment;
	for (uint32_t s = 0; s < segment->meta.n_slabs && !check->status; s++) {
		check_rows(check, s);
		if (segment->slabs[s].n_levels > 0) {
			check_matrix(check, s);
			continue;
		}
		check_lists(check, s);
	}
}

static const struct bs_slab *slab_of_row(const struct check *check, uint32_t row)
{
	const struct bs_slab *slab = check->segment->slabs;
	while (row >= slab->first_row + slab->n_docs)
		slab++;
	return slab;
}

/* Calls `say` with each document of each list of rare terms, and a term that it has. */
static void walk_rare_lists(struct check *check, void (*say)(struct check *check, uint32_t document, uint32_t ordinal))
{
	const struct bs_rare_lists *lists = &check->segment->rare_lists;
	struct bs_buffer buffer = {0};
	for (uint64_t list = 0; list < lists->n_lists && !check->status; list++) {
		TRY(check, bs_rare_lists_read(lists, list, check->segment->meta.n_terms, &buffer, check->err));
		const struct bs_rare_term *terms = (const struct bs_rare_term *)(const void *)buffer.data;
		for (size_t i = 0; i < buffer.used_bytes / sizeof(*terms) && !check->status; i++) {
			for (uint32_t docs = terms[i].docs; docs && !check->status; docs &= docs - 1) {
				uint64_t document = (list << lists->docs_log2) + (uint32_t)__builtin_ctz(docs);
				EXPECT(check, document < check->segment->meta.n_docs, "list %llu of rare terms has one of document %llu",
				       (unsigned long long)list, (unsigned long long)document);
				if (!check->status)
					say(check, (uint32_t)document, terms[i].ordinal);
			}
		}
	}
	bs_buffer_deinit(&buffer);
}

static void count_rare(struct check *check, uint32_t document, uint32_t ordinal)
{
	EXPECT(check, slab_of_row(check, check->row_of[document])->n_levels > 0,
	       "document %u, which has a forward list, has term %u in a list of rare terms, too", document, ordinal);
	if (!check->status)
		check->listed[ordinal]++;
}

/* Each against itself; what the terms and columns say of them comes when the terms are known. */
static void check_rare_lists(struct check *check)
{
	const struct bs_rare_lists *lists = &check->segment->rare_lists;
	uint64_t n_bytes = lists->bytes.n_bytes - BS_BITS_PAD_BYTES;
	touch_all(check, &lists->bytes);
	EXPECT(check, bs_load_u64(lists->bytes.data + n_bytes) == 0, "lists of rare terms: bytes behind the last");
	check_offsets(check, NULL, &lists->offsets, n_bytes, "lists of rare terms");
	walk_rare_lists(check, count_rare);
}

/* How often a word stands in a document that has it, by its code. */
static uint32_t count_tf(struct check *check, uint32_t document, uint64_t hash)
{
	const uint8_t *bits;
	size_t n_bytes;
	TRY(check, bs_tf_table_get(&check->segment->tfs, document, &bits, &n_bytes, check->err));
	uint32_t tf = check->status ? BS_TF_UNKNOWN : bs_tf_decode(bits, n_bytes, hash);
	if (!check->status)
		check->tf_sums[document] += tf == BS_TF_UNKNOWN ? 1 : tf;
	return tf;
}

static bool has_bit(struct check *check, const struct bs_slab *slab, const struct bs_level *level, uint32_t column,
                    uint32_t row)
{
	bs_column bits;
	uint32_t lane = row >> bs_level_shift(level->rank, slab->n_docs);
	TRY(check, bs_slab_column(slab, level, column, NULL, &bits, check->err));
	return !check->status && bits[lane / 64] >> (lane % 64) & 1;
}

/* Whether a row has its bits in the n columns of a level that a hash stands for. */
static bool row_passes(struct check *check, const struct bs_slab *slab, const struct bs_level *level, uint64_t hash,
                       uint32_t n, uint32_t row)
{
	struct bs_probe probe = bs_hash_probe(hash, level->rank);
	bool passes = n == 0 || level->n_columns > 0;
	for (uint32_t i = 0; i < n && passes; i++)
		passes = has_bit(check, slab, level, bs_hash_position(probe, i, level->n_columns), row);
	return passes;
}

/* How often a word that is listed stands in a document, and whether its tf levels there say so. */
static void check_rare_tf(struct check *check, const struct bs_slab *slab, uint32_t document, uint32_t row,
                          uint32_t ordinal)
{
	const struct bs_tf_levels *levels = &check->segment->tf_levels;
	bool has_levels = check->kinds[ordinal] & TERM_HAS_LEVELS && slab->levels[0].n_columns > 0;
	uint32_t tf = count_tf(check, document, check->hashes[ordinal]);
	for (uint32_t l = 0; l < levels->n_levels && has_levels && tf != BS_TF_UNKNOWN && tf >= levels->least[l]; l++)
		EXPECT(check, row_passes(check, slab, &slab->levels[0], bs_tf_level_hash(check->hashes[ordinal], l),
		                         levels->n_columns, row),
		       "document %u has a word %u times, but not its tf level %u", document, tf, l);
}

/* A document that is listed must pass the term's columns, or have its bit in the exact one. */
static void find_rare(struct check *check, uint32_t document, uint32_t ordinal)
{
	const struct bs_slab *slab = slab_of_row(check, check->row_of[document]);
	const struct bs_treatment *treatment =
		&check->segment->treatments.entries[check->kinds[ordinal] & (TERM_HAS_LEVELS - 1)];
	uint32_t row = check->row_of[document] - (uint32_t)slab->first_row, exact;
	bool is_exact = false, passes = true;
	EXPECT(check, !treatment->has_exceptions, "document %u has term %u in a list, which is not rare", document, ordinal);
	TRY(check, bs_slab_find_exact(slab, ordinal, &is_exact, &exact, check->err));
	for (uint32_t l = 0; l < slab->n_levels && !is_exact && !check->status; l++)
		passes &= row_passes(check, slab, &slab->levels[l], check->hashes[ordinal],
		                     bs_slab_hashes(treatment, slab->n_columns, l), row);
	if (is_exact)
		passes = has_bit(check, slab, &slab->exact, exact, row);
	EXPECT(check, passes, "document %u has term %u in a list, but does not pass its columns", document, ordinal);
	check->n_rare_exact -= is_exact;
	if (check->kinds[ordinal] & TERM_IS_WORD)
		check_rare_tf(check, slab, document, row, ordinal);
}

/* After all terms. */
static void check_rare_documents(struct check *check)
{
	walk_rare_lists(check, find_rare);
	EXPECT(check, check->n_rare_exact == 0, "exact columns of rare terms have documents whose lists do not have them");
}

static void check_exceptions(struct check *check)
{
	const struct bs_exceptions *exceptions = &check->segment->exceptions;
	uint64_t lists_bytes = exceptions->rows.n_bytes - BS_EXCEPTIONS_PAD;
	unsigned long long before = 0;
	check_packed(check, &exceptions->terms);
	touch_all(check, &exceptions->rows);
	EXPECT(check, bs_load_u64(exceptions->rows.data + lists_bytes) == 0, "exceptions: bytes behind the last");
	check_offsets(check, NULL, &exceptions->offsets, lists_bytes, "exceptions");
	for (uint64_t i = 0; i < exceptions->n_terms && !check->status; i++) {
		unsigned long long term = packed_at(check, &exceptions->terms, i);
		uint64_t start = packed_at(check, &exceptions->offsets, i);
		uint64_t end = packed_at(check, &exceptions->offsets, i + 1);
		EXPECT(check, term < check->segment->meta.n_terms, "exceptions: term %llu of %llu", term,
		       (unsigned long long)check->segment->meta.n_terms);
		EXPECT(check, i == 0 || before < term, "exceptions: term %llu does not come after the one before", term);
		EXPECT(check, start < end, "exceptions: term %llu has none", term);
		before = term;
	}
}

/* Values below end, strictly ascending; number and what name them. */
static void check_list(struct check *check, uint32_t number, const struct bs_packed *list, uint64_t end,
                       const char *what)
{
	uint32_t before = 0;
	check_packed(check, list);
	for (uint64_t i = 0; i < list->n && !check->status; i++) {
		uint32_t value = packed_u32_at(check, list, i);
		EXPECT(check, value < end && (i == 0 || value > before), "grams, %s %u: value %llu is %u", what, number,
		       (unsigned long long)i, value);
		before = value;
	}
}

/* A document has one row at most; whether the bits are those of the files only the files can tell. */
static void check_gram_slab(struct check *check, uint32_t i)
{
	const struct bs_gram_slab *slab = &check->segment->grams.slabs[i];
	unsigned n_used = slab->shape.n_docs % 8;
	check_list(check, i, &slab->rows, check->segment->meta.n_docs, "rows of slab");
	for (uint32_t row = 0; row < slab->shape.n_docs && !check->status; row++) {
		uint32_t document = packed_u32_at(check, &slab->rows, row);
		EXPECT(check, set_new(check->seen, document), "gram slab %u: row %u is document %u, which has a row already", i,
		       row, document);
	}
	for (uint32_t c = 0; c < slab->shape.n_columns && !check->status; c++) {
		const uint8_t *bytes = NULL;
		TRY(check, bs_gram_slab_column(slab, c, 0, slab->column_bytes, &bytes, check->err));
		EXPECT(check, !n_used || bytes[slab->column_bytes - 1] >> n_used == 0,
		       "gram slab %u: column %u has bits past the last document", i, c);
	}
}

/* The lists of the tiers; no trigram may be in two. */
static void check_tiers(struct check *check)
{
	uint8_t *seen = allocate(check, BS_GRAM_TRIGRAMS / 8, 1, "trigrams");
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++) {
		const struct bs_packed *list = &check->segment->grams.listed[tier];
		if (bs_gram_listed_end(tier) == 0)
			continue;
		check_list(check, tier, list, bs_gram_listed_end(tier), "list of tier");
		for (uint64_t i = 0; i < list->n && !check->status && tier < BS_GRAM_TRIGRAM_TIERS; i++) {
			uint32_t trigram = packed_u32_at(check, list, i);
			EXPECT(check, set_new(seen, trigram), "grams: trigram %06x is of two tiers", trigram);
		}
	}
	free(seen);
}

static void check_grams(struct check *check)
{
	const struct bs_segment *segment = check->segment;
	if (check->status)
		return;
	memset(check->seen, 0, (size_t)segment->meta.n_docs / 8 + 1);
	if (bs_container_section(segment->file, BS_SECTION_GRAM_META, 0).n_bytes > 0)
		check_tiers(check);
	for (uint32_t i = 0; i < segment->grams.n_slabs && !check->status; i++)
		check_gram_slab(check, i);
}

/* What the walk over all terms keeps. */
struct term_walk {
	struct check *check;
	const struct bs_segment *segment;
	struct bs_lexicon_cursor cursor;
	struct bs_buffer last; /* the term before */
	uint32_t *next_exact;  /* per slab: its first exact term that is not below the current one */
	uint64_t n_excepted;   /* terms so far that have exceptions */
	struct bs_buffer excepted; /* u32: the exceptions of the current term */
	size_t n_taken;            /* of them, by the slabs so far */
	struct bs_and_scratch scratch;
	struct bs_and_frame frame;
	enum bs_status tf_status; /* of the tfs of the current term: waits, for a wrong document is best told by its df */
	struct bs_error tf_err;
	uint64_t told_bytes;   /* to who waits: of the half of the columns' bytes that looking terms up stands for */
	uint64_t sum_df;
	struct bs_buffer last_separator;
	uint64_t terms_off;      /* where the next block begins */
	uint64_t separators_off; /* where its separator does */
};

static void expect_of_term(const struct term_walk *walk, bool is_so, const char *what)
{
	const struct bs_buffer *term = &walk->cursor.term;
	EXPECT(walk->check, is_so, "lexicon: term %llu (\"%.*s\") %s", (unsigned long long)walk->cursor.ordinal,
	       term->used_bytes < 60 ? (int)term->used_bytes : 60, (const char *)term->data, what);
}

static uint64_t hash_of(const struct term_walk *walk)
{
	return bs_hash_term(walk->cursor.term.data, walk->cursor.term.used_bytes);
}

/* A word in a slab: the columns of its tf levels. */
struct word_columns {
	const struct bs_slab *slab;
	const struct bs_tf_levels *levels;
	uint64_t hash;
	uint32_t n_levels; /* 0: the word has none */
	bs_column columns[BS_MAX_TF_LEVELS][BS_MAX_TF_COLUMNS];
};

static enum bs_status find_columns(struct term_walk *walk, struct word_columns *word)
{
	const struct bs_tf_levels *levels = word->levels;
	const struct bs_level *documents = &word->slab->levels[0];
	enum bs_status status = BS_OK;
	word->n_levels = walk->cursor.df >= levels->min_df && documents->n_columns > 0 ? levels->n_levels : 0;
	for (uint32_t l = 0; l < word->n_levels; l++) {
		struct bs_probe probe = bs_hash_probe(bs_tf_level_hash(word->hash, l), BS_LEVEL_DOCUMENT);
		for (uint32_t i = 0; i < levels->n_columns && !status; i++)
			status = bs_slab_column(word->slab, documents, bs_hash_position(probe, i, documents->n_columns), NULL,
			                        &word->columns[l][i], &walk->tf_err);
	}
	return status;
}

static bool reaches(const struct word_columns *word, uint32_t level, uint32_t row)
{
	for (uint32_t i = 0; i < word->levels->n_columns; i++)
		if (!(word->columns[level][i][row / 64] >> (row % 64) & 1))
			return false;
	return true;
}

static enum bs_status check_row(struct term_walk *walk, const struct word_columns *word, uint32_t row)
{
	const struct bs_segment *segment = walk->segment;
	const uint8_t *bits;
	size_t n_bytes;
	uint32_t document;
	enum bs_status status = bs_slab_document(word->slab, row, &document, &walk->tf_err);
	if (!status)
		status = bs_tf_table_get(&segment->tfs, document, &bits, &n_bytes, &walk->tf_err);
	if (status)
		return status;
	uint32_t tf = bs_tf_decode(bits, n_bytes, word->hash);
	walk->check->tf_sums[document] += tf == BS_TF_UNKNOWN ? 1 : tf;
	for (uint32_t l = 0; l < word->n_levels && tf != BS_TF_UNKNOWN && tf >= word->levels->least[l]; l++)
		if (!reaches(word, l, row))
			return bs_container_corrupt(segment->file, &walk->tf_err, "document %u has a word %u times, but not its tf "
			                            "level %u", document, tf, l);
	return BS_OK;
}

/* How often the current term stands in documents that surely have it, the lines of slab s, by their codes, against its
 * tf levels. Word pairs are not counted. */
static void check_word_tfs(struct term_walk *walk, uint32_t s, const uint64_t *lines, const struct bs_live *live)
{
	const struct bs_segment *segment = walk->segment;
	struct word_columns word = {.slab = &segment->slabs[s], .levels = &segment->tf_levels, .hash = hash_of(walk)};
	if (walk->cursor.term.data[0] == BS_KEY_COMPOUND)
		return;
	if (!walk->tf_status)
		walk->tf_status = find_columns(walk, &word);
	for (uint32_t block = 0; !walk->tf_status && block < word.slab->n_blocks; block++) {
		if (!(live->words[block / 64] >> (block % 64) & 1))
			continue;
		for (uint32_t at = block * BS_LINE_WORDS; at < (block + 1) * BS_LINE_WORDS; at++)
			for (uint64_t left = lines[at]; left && !walk->tf_status; left &= left - 1)
				walk->tf_status = check_row(walk, &word, at * 64 + (uint32_t)__builtin_ctzll(left));
	}
}

/* After all words: none may stand in a document more often than there is room for. */
static void check_tf_sums(const struct term_walk *walk)
{
	struct check *check = walk->check;
	for (uint32_t document = 0; document < walk->segment->meta.n_docs && !check->status; document++) {
		uint32_t length = packed_u32_at(check, &walk->segment->docs.lengths, document);
		EXPECT(check, walk->check->tf_sums[document] <= length,
		       "document %u has %llu words, by how often they stand in it, and %u positions", document,
		       (unsigned long long)walk->check->tf_sums[document], length);
	}
}

static size_t common_bytes(const struct bs_buffer *a, const struct bs_buffer *b)
{
	size_t n = 0;
	while (n < a->used_bytes && n < b->used_bytes && a->data[n] == b->data[n])
		n++;
	return n;
}

/* A chapter must begin where the one before ended, and its index say with what: a look-up trusts it. The cursor has
 * just read the chapter's first separator. */
static void check_chapter(const struct term_walk *walk, uint64_t chapter)
{
	const uint8_t *entry = walk->segment->lexicon.chapters.data + chapter * BS_LEXICON_CHAPTER_BYTES;
	const struct bs_buffer *separator = &walk->cursor.separator;
	expect_of_term(walk, bs_load_u64(entry) == bs_first_eight(separator->data, separator->used_bytes),
	               "is not behind what the index has as the first of its chapter");
	expect_of_term(walk, bs_load_u64(entry + 8) == walk->terms_off && bs_load_u64(entry + 16) == walk->separators_off,
	               "begins a chapter that does not begin where the one before ends");
}

/* The separator must be the shortest that comes after the last term. */
static void check_block_start(struct term_walk *walk, uint64_t block)
{
	const struct bs_lexicon_cursor *cursor = &walk->cursor;
	const struct bs_buffer *separator = &cursor->separator;
	bool is_chapter = block % BS_LEXICON_CHAPTER_BLOCKS == 0;
	if (is_chapter)
		check_chapter(walk, block / BS_LEXICON_CHAPTER_BLOCKS);
	expect_of_term(walk, separator->used_bytes == (block == 0 ? 0 : cursor->n_shared + 1),
	               "is divided from the one before by a separator of a wrong length");
	expect_of_term(walk, is_chapter || common_bytes(&walk->last_separator, separator) == cursor->separator_shared,
	               "has a separator that does not share all that it has in common with the one before");
	walk->terms_off = cursor->next_block_off;
	walk->separators_off = (uint64_t)(cursor->next_separator - walk->segment->lexicon.separators.data);
	bs_buffer_clear(&walk->last_separator);
	TRY(walk->check, bs_buffer_append(&walk->last_separator, separator->data, separator->used_bytes, walk->check->err));
}

/* After the last term of a block: fewer than eight bits are left, and they are zeros. */
static void check_block_end(const struct term_walk *walk, uint64_t block)
{
	const struct bs_bits *bits = &walk->cursor.bits;
	int64_t n_left = (bits->end - bits->at) * 8 + bits->n_bits;
	EXPECT(walk->check, n_left == 0 || (n_left > 0 && n_left <= 7 && bits->window >> (64 - n_left) == 0),
	       "lexicon: block %llu does not end with its last term", (unsigned long long)block);
}

/* After the last of all: nothing is behind it but the padding. */
static void check_end(const struct term_walk *walk)
{
	const struct bs_lexicon *lexicon = &walk->segment->lexicon;
	const struct bs_segment_meta *meta = &walk->segment->meta;
	uint64_t pad_off = lexicon->n_terms ? lexicon->terms.n_bytes - BS_LEXICON_PAD_BYTES : 0;
	bool is_end = walk->terms_off == pad_off && walk->separators_off == lexicon->separators.n_bytes;
	EXPECT(walk->check, is_end && (!lexicon->n_terms || bs_load_u64(lexicon->terms.data + pad_off) == 0),
	       "lexicon: bytes behind its last term");
	EXPECT(walk->check, walk->sum_df == meta->n_postings, "%llu postings where the lexicon has %llu",
	       (unsigned long long)meta->n_postings, (unsigned long long)walk->sum_df);
}

/* Strictly ascending, sharing exactly what is common: a look-up leaves a block early because of that. */
static void check_term_order(const struct term_walk *walk)
{
	const struct bs_buffer *last = &walk->last;
	const struct bs_buffer *term = &walk->cursor.term;
	size_t n_common = common_bytes(last, term);
	if (walk->cursor.ordinal == 0)
		return;
	bool is_after = n_common < term->used_bytes &&
	                (n_common == last->used_bytes || last->data[n_common] < term->data[n_common]);
	expect_of_term(walk, is_after, "does not come after the one before");
	expect_of_term(walk, walk->cursor.n_shared == n_common,
	               "does not share all that it has in common with the one before");
}

static void check_term(struct term_walk *walk)
{
	uint64_t ordinal = walk->cursor.ordinal;
	uint64_t block = ordinal / BS_LEXICON_BLOCK_TERMS;
	bool is_last = ordinal + 1 == walk->segment->lexicon.n_terms;
	check_term_order(walk);
	expect_of_term(walk, walk->cursor.term.used_bytes > 0, "is empty");
	expect_of_term(walk, walk->cursor.df >= 1 && walk->cursor.df <= walk->segment->meta.n_docs,
	               "is in no document, or in more than there are");
	if (ordinal % BS_LEXICON_BLOCK_TERMS == 0)
		check_block_start(walk, block);
	if (is_last || (ordinal + 1) % BS_LEXICON_BLOCK_TERMS == 0)
		check_block_end(walk, block);
	walk->sum_df += walk->cursor.df;
}

/* Whether the slab has an exact column for the current term: it is next_exact then. */
static bool exact_in_slab(struct term_walk *walk, uint32_t s)
{
	const struct bs_slab *slab = &walk->segment->slabs[s];
	uint32_t *next = &walk->next_exact[s];
	while (*next < slab->exact.n_columns && u32_at(&slab->exact_terms, *next) < walk->cursor.ordinal)
		++*next;
	return *next < slab->exact.n_columns && u32_at(&slab->exact_terms, *next) == walk->cursor.ordinal;
}

/* The exceptions of the current term, if it has any, into walk->excepted, of which none is taken yet. */
static void find_exceptions(struct term_walk *walk, bool is_exact)
{
	const struct bs_exceptions *exceptions = &walk->segment->exceptions;
	struct check *check = walk->check;
	struct bs_term_exceptions list;
	bs_buffer_clear(&walk->excepted);
	walk->n_taken = 0;
	if (walk->n_excepted == exceptions->n_terms ||
	    packed_at(check, &exceptions->terms, walk->n_excepted) != walk->cursor.ordinal || check->status)
		return;
	walk->n_excepted++;
	expect_of_term(walk, is_exact, "has exceptions where its treatment has none");
	TRY(check, bs_exceptions_find(exceptions, walk->cursor.ordinal, &list, check->err));
	TRY(check, bs_exceptions_read(&list, &walk->excepted, check->err));
}

/* Takes the exceptions of slab s out of the documents that pass the term's columns; live NULL: there must be none. */
static void take_exceptions(struct term_walk *walk, uint32_t s, const struct bs_live *live)
{
	const struct bs_slab *slab = &walk->segment->slabs[s];
	const uint32_t *rows = (const uint32_t *)(const void *)walk->excepted.data;
	size_t n = walk->excepted.used_bytes / sizeof(*rows);
	for (; walk->n_taken < n && rows[walk->n_taken] < slab->first_row + slab->n_docs; walk->n_taken++) {
		uint64_t row = rows[walk->n_taken] - slab->first_row;
		uint64_t block = row / BS_LINE_BITS;
		uint64_t bit = UINT64_C(1) << (row % 64);
		expect_of_term(walk, live, "has exceptions in a slab where it has no hashed columns");
		if (walk->check->status)
			return;
		expect_of_term(walk, (live->words[block / 64] >> (block % 64) & 1) && (walk->frame.lines[row / 64] & bit),
		               "has an exception that does not pass its columns");
		walk->frame.lines[row / 64] &= ~bit;
	}
}

/* The documents of slab s that have the term by its hashed columns and its exceptions. */
static uint64_t count_hashed(struct term_walk *walk, uint32_t s, const struct bs_and_term *term)
{
	struct check *check = walk->check;
	const struct bs_slab *slab = &walk->segment->slabs[s];
	const struct bs_slab_term *only = &(struct bs_slab_term){.term = term, .exact_column = BS_NO_COLUMN};
	struct bs_and_cost cost = {0, 0};
	struct bs_live live;
	bs_live_all(&live, slab->n_blocks);
	TRY(check, bs_slab_and(slab, check->kernel, &only, 1, &walk->scratch, &walk->frame, &live, &cost, check->err));
	if (!check->status)
		take_exceptions(walk, s, &live);
	if (check->status)
		return 0;
	uint64_t n_docs = check->kernel->count(walk->frame.lines, &live);
	check_word_tfs(walk, s, walk->frame.lines, &live);
	return n_docs;
}

/* ... by the exact column that was found last, where exceptions have no place. */
static uint64_t count_exact(struct term_walk *walk, uint32_t s)
{
	struct check *check = walk->check;
	const struct bs_slab *slab = &walk->segment->slabs[s];
	struct bs_live live;
	bs_column column;
	bs_live_all(&live, slab->n_blocks);
	take_exceptions(walk, s, NULL);
	TRY(check, bs_slab_column(slab, &slab->exact, walk->next_exact[s], NULL, &column, check->err));
	if (!check->status)
		check_word_tfs(walk, s, column, &live);
	return check->popcounts[s][slab->exact.first_column + walk->next_exact[s]];
}

/* What there is to know of a term when lists of rare terms are looked at, after all terms. */
static void note_term(struct term_walk *walk, const struct bs_and_term *term, uint64_t hash)
{
	struct check *check = walk->check;
	bool is_word = walk->cursor.term.data[0] != BS_KEY_COMPOUND;
	size_t treatment = (size_t)(term->treatment - walk->segment->treatments.entries);
	if (check->status)
		return;
	check->hashes[walk->cursor.ordinal] = hash;
	check->kinds[walk->cursor.ordinal] =
		(uint8_t)(treatment | (is_word ? TERM_IS_WORD : 0) |
		          (is_word && walk->cursor.df >= walk->segment->tf_levels.min_df ? TERM_HAS_LEVELS : 0));
}

/* The documents that df promises must be in the slabs: those of a rare term are in as many as lists say. */
static void check_documents(struct term_walk *walk)
{
	const struct bs_segment *segment = walk->segment;
	struct check *check = walk->check;
	struct bs_and_term term;
	uint64_t hash = hash_of(walk);
	uint64_t n_sure = check->status ? 0 : check->listed[walk->cursor.ordinal];
	bs_and_term_init(&term, hash, walk->cursor.ordinal, walk->cursor.df, &segment->treatments);
	find_exceptions(walk, term.treatment->has_exceptions);
	note_term(walk, &term, hash);
	for (uint32_t s = 0; s < segment->meta.n_slabs && !check->status; s++) {
		const struct bs_slab *slab = &segment->slabs[s];
		if (slab->n_levels == 0)
			take_exceptions(walk, s, NULL);
		else if (exact_in_slab(walk, s) && !term.treatment->has_exceptions)
			check->n_rare_exact += check->popcounts[s][slab->exact.first_column + walk->next_exact[s]];
		else if (exact_in_slab(walk, s))
			n_sure += count_exact(walk, s);
		else if (term.treatment->has_exceptions)
			n_sure += count_hashed(walk, s, &term);
	}
	uint64_t df = walk->cursor.df;
	expect_of_term(walk, n_sure <= df, "is in more documents of the slabs than its frequency says");
	expect_of_term(walk, n_sure >= df, "is in fewer documents of the slabs than its frequency says");
	if (!check->status && walk->tf_status && check->err)
		*check->err = walk->tf_err;
	TRY(check, walk->tf_status);
}

/* Looking terms up takes longer than reading the columns, and stands for half of their bytes. */
static void tell_progress(struct term_walk *walk)
{
	uint64_t n_terms = walk->segment->lexicon.n_terms, n_bytes = 0;
	if ((walk->cursor.ordinal + 1) % PROGRESS_TERMS != 0)
		return;
	for (uint32_t s = 0; s < walk->segment->meta.n_slabs; s++)
		n_bytes += walk->segment->slabs[s].columns.n_bytes / 2;
	n_bytes = (uint64_t)((double)n_bytes * (double)walk->cursor.ordinal / (double)n_terms);
	advance(walk->check, n_bytes - walk->told_bytes);
	walk->told_bytes = n_bytes;
}

static void walk_terms(struct term_walk *walk)
{
	struct check *check = walk->check;
	const struct bs_buffer *term = &walk->cursor.term;
	for (bool end = false;;) {
		TRY(check, bs_lexicon_cursor_next(&walk->cursor, &end, check->err));
		if (check->status || end)
			return;
		check_term(walk);
		if (!check->status)
			check_documents(walk);
		tell_progress(walk);
		bs_buffer_clear(&walk->last);
		TRY(check, bs_buffer_append(&walk->last, term->data, term->used_bytes, check->err));
	}
}

static void check_terms(struct check *check)
{
	const struct bs_segment *segment = check->segment;
	const struct bs_lexicon *lexicon = &segment->lexicon;
	size_t lines_bytes = (size_t)BS_SLAB_MAX_BLOCKS * BS_LINE_BYTES;
	struct term_walk walk = {.check = check, .segment = segment, .cursor = {.lexicon = lexicon}};
	touch_all(check, &lexicon->chapters);
	EXPECT(check, lexicon->n_terms <= UINT32_MAX, "lexicon: %llu terms are more than can be numbered",
	       (unsigned long long)lexicon->n_terms);
	walk.next_exact = allocate(check, segment->meta.n_slabs, sizeof(*walk.next_exact), "slabs");
	walk.frame.lines = aligned_alloc(BS_LINE_BYTES, lines_bytes);
	walk.frame.groups = aligned_alloc(BS_LINE_BYTES, lines_bytes / 8);
	if (!walk.frame.lines || !walk.frame.groups)
		TRY(check, bs_fail_memory(check->err, "slabs", lines_bytes));
	walk_terms(&walk);
	check_rare_documents(check);
	check_tf_sums(&walk);
	check_end(&walk);
	free(walk.next_exact);
	free(walk.frame.lines);
	free(walk.frame.groups);
	bs_and_deinit(&walk.scratch);
	bs_buffer_deinit(&walk.last);
	bs_buffer_deinit(&walk.excepted);
	bs_buffer_deinit(&walk.last_separator);
	bs_lexicon_cursor_deinit(&walk.cursor);
}

/* Everything of a segment but the layout of its file, unread pages and stored text. */
static void check_segment(struct check *check, uint32_t s)
{
	const struct bs_segment *segment = &check->snapshot.segments[s];
	check->file = segment->file;
	check->segment = segment;
	check->number = s;
	check->seen = allocate(check, segment->meta.n_docs / 8, 1, "documents");
	check->popcounts = allocate(check, segment->meta.n_slabs, sizeof(*check->popcounts), "slabs");
	check->listed = allocate(check, segment->meta.n_terms, sizeof(*check->listed), "terms");
	check->hashes = allocate(check, segment->meta.n_terms, sizeof(*check->hashes), "terms");
	check->kinds = allocate(check, segment->meta.n_terms, sizeof(*check->kinds), "terms");
	check->row_of = allocate(check, segment->meta.n_docs, sizeof(*check->row_of), "documents");
	check->tf_sums = allocate(check, segment->meta.n_docs, sizeof(*check->tf_sums), "documents");
	check->n_rare_exact = 0;
	/* First the stored numbers that others are checked by, then the slabs, which make up most of the bytes. */
	check_store(check);
	check_docs(check);
	check_slabs(check);
	check_rare_lists(check);
	check_exceptions(check);
	check_terms(check);
	check_grams(check);
	for (size_t i = 0; check->popcounts && i < segment->meta.n_slabs; i++)
		free(check->popcounts[i]);
	free(check->popcounts);
	free(check->seen);
	free(check->listed);
	free(check->hashes);
	free(check->kinds);
	free(check->row_of);
	free(check->tf_sums);
}

static void touch_pages(struct check *check, const struct bs_section *section)
{
	bool is_counted = section->id == BS_SECTION_COLUMNS; /* by check_segment, as it read them */
	for (uint64_t at = 0; at < section->n_bytes && !check->status; at += TOUCH_BYTES) {
		uint64_t left = section->n_bytes - at;
		uint64_t n = left < TOUCH_BYTES ? left : TOUCH_BYTES;
		TRY(check, bs_section_touch(section, at, n, check->err));
		advance(check, is_counted ? 0 : n);
	}
}

/* Layout, and the pages of every section, known or not. *end_bytes: of the files so far, to which it is added. */
static void check_file(struct check *check, const struct bs_container *file, uint64_t *end_bytes)
{
	check->file = file;
	TRY(check, bs_container_check_layout(file, check->err));
	for (size_t i = 0; i < bs_container_n_sections(file) && !check->status; i++) {
		uint32_t instance;
		struct bs_section section = bs_container_section_at(file, i, &instance);
		touch_pages(check, &section);
	}
	*end_bytes += bs_container_bytes(file);
	check->done_bytes = *end_bytes;
}

static int compare_labels(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Ids begin with them. */
static void check_labels(struct check *check)
{
	const struct bs_manifest *manifest = &check->snapshot.manifest;
	size_t n = 0;
	const char **labels = allocate(check, manifest->n_sources, sizeof(*labels), "labels of sources");
	for (uint32_t i = 0; labels && i < manifest->n_sources; i++)
		if (manifest->sources[i].kind != BS_SOURCE_FORGOTTEN && !manifest->sources[i].parent)
			labels[n++] = manifest->sources[i].label;
	if (labels)
		qsort(labels, n, sizeof(*labels), compare_labels);
	for (size_t i = 1; i < n && !check->status; i++)
		EXPECT(check, strcmp(labels[i - 1], labels[i]) != 0, "two sources are named \"%.100s\"", labels[i]);
	free(labels);
}

/* Files that a search opens by these names. */
static void check_non_documents(struct check *check)
{
	const struct bs_manifest *manifest = &check->snapshot.manifest;
	struct bs_non_documents entry;
	for (size_t at = 0; bs_manifest_next_non_document(manifest, &at, &entry);)
		EXPECT(check, manifest->sources[entry.source].kind != BS_SOURCE_FOLDER ||
		       bs_doc_name_is_below((const uint8_t *)entry.name, (uint32_t)strlen(entry.name)),
		       "a file that is passed over, \"%.100s\", is not below its source", entry.name);
}

static void check_exclusions(struct check *check, uint64_t *end_bytes)
{
	const struct bs_doc_table *exclusions = &check->snapshot.exclusions;
	struct bs_doc_record record = {.source = 0}, before = {.source = UINT32_MAX};
	if (!check->snapshot.exclusion_file)
		return;
	check_file(check, check->snapshot.exclusion_file, end_bytes);
	check_doc_table(check, exclusions);
	for (uint32_t i = 0; i < exclusions->n_docs && !check->status; i++, before = record) {
		TRY(check, bs_doc_table_get(exclusions, i, &record, check->err));
		if (check->snapshot.manifest.sources[record.source].kind != BS_SOURCE_FOLDER)
			continue;
		EXPECT(check, bs_doc_name_is_below(record.name, record.name_bytes),
		       "the name of exclusion %u leads out of its source", i);
		/* A walk meets them in order. */
		EXPECT(check, before.source != record.source || bs_compare_records(BS_SOURCE_FOLDER, &before, &record) < 0,
		       "exclusion %u stands behind one that it comes before", i);
	}
}

/* No part of the commit, but a search believes it. */
static void check_folders(struct check *check, const struct bs_dir *dir, uint64_t *end_bytes)
{
	struct bs_folders folders;
	if (check->status)
		return;
	enum bs_status status = bs_folders_open(dir, &folders, check->err);
	if (status == BS_NOT_FOUND)
		return;
	check->status = status;
	if (!status) {
		check->total_bytes += bs_container_bytes(folders.file);
		check_file(check, folders.file, end_bytes);
	}
	TRY(check, bs_folders_check(&folders, check->err));
	bs_folders_close(&folders);
}

static void check_all(struct check *check, const struct bs_dir *dir, const struct bs_container *manifest_file)
{
	const struct bs_snapshot *snapshot = &check->snapshot;
	uint64_t end_bytes = 0;
	check_file(check, manifest_file, &end_bytes);
	check_labels(check);
	check_non_documents(check);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !check->status; s++) {
		check_segment(check, s);
		check_file(check, snapshot->segments[s].file, &end_bytes);
		if (snapshot->segments[s].store_offsets.n_bytes > 0 && check->stored_text)
			TRY(check, check->stored_text(snapshot, s, check->err));
		if (snapshot->tombstone_files[s])
			check_file(check, snapshot->tombstone_files[s], &end_bytes);
	}
	check_exclusions(check, &end_bytes);
	check_folders(check, dir, &end_bytes);
}

static uint64_t sum_bytes(const struct bs_snapshot *snapshot)
{
	uint64_t n_bytes = 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		n_bytes += bs_container_bytes(snapshot->segments[s].file);
		if (snapshot->tombstone_files[s])
			n_bytes += bs_container_bytes(snapshot->tombstone_files[s]);
	}
	return n_bytes + (snapshot->exclusion_file ? bs_container_bytes(snapshot->exclusion_file) : 0);
}

/* Which file is it that the manifest names and that is missing? BS_OK if none is. */
static enum bs_status find_missing(const struct bs_dir *dir, struct bs_error *err)
{
	struct bs_manifest manifest;
	uint64_t number;
	char name[BS_INDEX_NAME_BYTES];
	enum bs_status status = bs_manifest_read(dir, &manifest, NULL);
	for (size_t at = 0; !status && bs_manifest_next_file(&manifest, &at, &number, name);)
		if (!bs_dir_has(dir, name))
			status = bs_fail(err, BS_CORRUPT, "%s/%s: corrupt: the manifest names it, but it is missing; rebuild it with "
			                 "`bitsift index --rebuild`", dir->path, name);
	bs_manifest_deinit(&manifest);
	return status;
}

enum bs_status bs_check_dir(const struct bs_dir *dir, const struct bs_check_request *request,
                            bs_check_stored_text *stored_text, struct bs_check_report *report_out, struct bs_error *err)
{
	static const struct bs_check_request none = {.dir = NULL};
	struct check check = {.request = request ? request : &none, .stored_text = stored_text, .err = err};
	struct bs_container *manifest_file = NULL; /* the snapshot keeps only what it says */
	*report_out = (struct bs_check_report){0};
	TRY(&check, bs_kernel_choose(NULL, &check.kernel, err));
	TRY(&check, bs_snapshot_open(dir, &check.snapshot, err));
	if (check.status == BS_CORRUPT) {
		enum bs_status missing = find_missing(dir, err);
		return missing == BS_CORRUPT ? missing : check.status;
	}
	if (check.status)
		return check.status;
	TRY(&check, bs_manifest_open(dir, &manifest_file, err));
	if (!check.status) {
		check.total_bytes = bs_container_bytes(manifest_file) + sum_bytes(&check.snapshot);
		check_all(&check, dir, manifest_file);
	}
	*report_out = (struct bs_check_report){
		.n_docs = check.snapshot.n_live_docs,
		.n_segments = check.snapshot.n_word_segments,
		.n_bytes = check.total_bytes,
	};
	bs_container_close(manifest_file);
	bs_snapshot_deinit(&check.snapshot);
	return check.status;
}
