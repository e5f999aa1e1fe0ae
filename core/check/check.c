/* check.c: see check.h. The first part checks the contents of a segment, except its terms
 * (check_terms.c) and values (check_values.c). The second part checks all files, the manifest and
 * the data outside of segments. */
#include "core/check/check.h"

#include <stdio.h>
#include <string.h>

#include "core/base/source_kind.h"
#include "core/base/vector.h"
#include "core/check/check_state.h"
#include "core/check/check_terms.h"
#include "core/check/check_values.h"
#include "core/file/segment_sections.h"
#include "core/matrix/forward_index.h"
#include "core/simd/kernels.h"
#include "core/store/doc_order.h"
#include "core/store/folder_listings.h"
#include "core/store/summary_make.h"

#define VALID_FLAGS (BS_DOC_NAMED_BY_LINE | BS_DOC_RACY | BS_DOC_SEPARATE_ID | BS_DOC_NOT_STORED)
#define TOUCH_BYTES (UINT64_C(1) << 20) /* touch_pages reports progress after this many bytes */

/* Sets bit i. True if it was not set. */
static bool set_new(uint8_t *bits, uint32_t i)
{
	bool is_new = !(bits[i / 8] >> (i % 8) & 1);
	bits[i / 8] |= (uint8_t)(1u << (i % 8));
	return is_new;
}

/* Checks an array of offsets: the first is 0, they do not descend, and the last is `end`. The array
 * is `plain` (u64 each) or `packed`; the other is NULL. what: the owner of the offsets, for
 * messages. */
static void check_offsets(struct check *check, const struct bs_section *plain,
                          const struct bs_packed *packed, uint64_t end, const char *what)
{
	uint64_t before = 0, n = plain ? plain->n_bytes / 8 : packed->n;
	if (plain)
		touch_all(check, plain);
	else
		check_packed(check, packed);
	for (uint64_t i = 0; i < n && !check->status; i++) {
		uint64_t offset = plain ? u64_at(plain, i) : packed_at(check, packed, i);
		EXPECT(check, i > 0 || offset == 0, "%s: the first does not begin at 0", what);
		EXPECT(check, before <= offset, "%s: number %llu ends before it begins", what,
		       (unsigned long long)i - 1);
		before = offset;
		TRY(check, bs_deadline_each(i, NUMBER_NS, check->err));
	}
	EXPECT(check, before == end, "%s: the last ends at %llu of %llu", what,
	       (unsigned long long)before, (unsigned long long)end);
}

/* Checks the offsets of stored texts. */
static void check_store(struct check *check)
{
	const struct bs_segment *segment = check->segment;
	const struct bs_section *offsets = &segment->stored.offsets;
	if (offsets->n_bytes == 0 && segment->stored.frames.n_bytes == 0 &&
	    segment->stored.dictionary.n_bytes == 0)
		return;
	EXPECT(check, offsets->n_bytes >= 8 && offsets->n_bytes % 8 == 0,
	       "stored text: its offsets are cut off");
	check_offsets(check, offsets, NULL, segment->stored.frames.n_bytes, "stored text");
}

/* Checks the offsets and the padding of the tf codes; bs_check_terms checks the codes. */
static void check_tfs(struct check *check)
{
	static const uint8_t pad[BS_TF_PAD_BYTES];
	const struct bs_tf_table *tfs = &check->segment->terms.tfs;
	uint64_t end = tfs->bits.n_bytes - BS_TF_PAD_BYTES;
	check_offsets(check, NULL, &tfs->offsets, end, "words in documents");
	touch_all(check, &tfs->bits);
	EXPECT(check, memcmp(tfs->bits.data + end, pad, sizeof(pad)) == 0,
	       "words in documents: trailing bytes");
}

/* Checks that a look-up of the id in the id table finds this document, which must be live. */
static void check_id(struct check *check, uint32_t document, const struct bs_doc_record *record)
{
	const char *label = check->snapshot.manifest.sources[record->source].label;
	uint64_t at = 0, hash = bs_id_hash(record->name, record->name_bytes);
	uint32_t found = 0;
	char id[64];
	if (record->flags & BS_DOC_NAMED_BY_LINE)
		hash = bs_id_hash(id, (size_t)snprintf(id, sizeof(id), "%.40s:%llu", label,
		                                       (unsigned long long)record->place[2]));
	do
		TRY(check, bs_id_table_next(&check->segment->ids, hash, &at, &found, check->err));
	while (!check->status && found != document && found != UINT32_MAX);
	EXPECT(check, found == document, "document %u is not in the table of ids", document);
}

/* Checks that the document's id is greater than the id of the previous document, deleted or not, if
 * that one is an in-memory document, too. */
static void check_id_order(struct check *check, uint32_t document,
                           const struct bs_doc_record *record)
{
	struct bs_doc_record before = {.source = UINT32_MAX};
	if (document > 0)
		TRY(check,
		    bs_doc_table_get(&check->segment->docs, document - 1, &before, check->err));
	bool is_first = before.source >= check->snapshot.manifest.n_sources ||
	                check->snapshot.manifest.sources[before.source].kind != BS_SOURCE_STDIN;
	EXPECT(check,
	       !(record->flags & BS_DOC_NAMED_BY_LINE) &&
	               (is_first || bs_compare_bytes(before.name, before.name_bytes, record->name,
	                                             record->name_bytes) < 0),
	       "the id of document %u is out of order", document);
}

#define DOCUMENT_NS 100u /* estimated time of checking a document */

/* Checks a document. before: the previous live document (before->source UINT32_MAX: none); becomes
 * this document if it is live. */
static void check_document(struct check *check, uint32_t document, uint64_t *n_positions,
                           struct bs_doc_record *before)
{
	struct bs_doc_record record = {.source = 0};
	uint32_t lines = 0;
	TRY(check, bs_deadline_check_after(DOCUMENT_NS, check->err));
	TRY(check, bs_doc_table_get(&check->segment->docs, document, &record, check->err));
	TRY(check, bs_doc_table_lines(&check->segment->docs, document, &lines, check->err));
	const struct bs_manifest *manifest = &check->snapshot.manifest;
	uint32_t kind = manifest->sources[record.source].kind;
	bool is_row = !bs_snapshot_has_words(&check->snapshot, check->number);
	*n_positions += record.length;
	EXPECT(check, !(record.flags & ~VALID_FLAGS), "document %u has unknown flags %#x", document,
	       record.flags);
	/* Nothing else can be checked of a deleted document: for example, its source may have
	 * changed from a file to a folder. */
	if (check->status || bs_snapshot_is_deleted(&check->snapshot, check->number, document))
		return;
	EXPECT(check,
	       kind != BS_SOURCE_FOLDER || bs_doc_name_is_below(record.name, record.name_bytes),
	       "document %u, \"%.*s\", is not below its source", document,
	       record.name_bytes < 100 ? (int)record.name_bytes : 100, (const char *)record.name);
	EXPECT(check, kind != BS_SOURCE_FORGOTTEN, "document %u is of a source that was forgotten",
	       document);
	EXPECT(check,
	       !is_row || kind == BS_SOURCE_FOLDER ||
	               (kind == BS_SOURCE_COLLECTION && record.name_bytes == 0),
	       "row %u is not of a collection", document);
	bool is_file = kind == BS_SOURCE_FOLDER || kind == BS_SOURCE_FILE || is_row;
	EXPECT(check, lines == 0 || (is_file && lines - 1 <= record.place[0]),
	       "document %u has %u lines in fewer bytes, or is no file", document, lines - 1);
	bool is_stdin = kind == BS_SOURCE_STDIN, is_elsewhere = record.flags & BS_DOC_NOT_STORED;
	EXPECT(check, is_stdin || !(record.flags & (BS_DOC_SEPARATE_ID | BS_DOC_NOT_STORED)),
	       "document %u was given, but is of a source", document);
	EXPECT(check,
	       !is_stdin || is_elsewhere ||
	               record.place[0] + 1 < check->segment->stored.offsets.n_bytes / 8,
	       "document %u has no stored text", document);
	if (is_stdin && check->segment->ids.is_there)
		check_id(check, document, &record);
	if (is_stdin && check->segment->ids.n_ordered > 0)
		check_id_order(check, document, &record);
	/* Live documents of a source and its inner collections must be in document order, because
	 * the iterator of doc_order.h over several segments relies on it. */
	bool is_other =
		before->source == UINT32_MAX || bs_manifest_root(manifest, before->source) !=
							bs_manifest_root(manifest, record.source);
	int order = is_other || !is_row ? 0 : bs_compare_records(BS_SOURCE_FOLDER, before, &record);
	EXPECT(check,
	       is_other || (is_row ? order : bs_compare_documents(manifest, before, &record)) < 0,
	       "document %u is out of order", document);
	*before = record;
}

static void check_doc_table(struct check *check, const struct bs_doc_table *docs)
{
	check_packed(check, &docs->lengths);
	for (uint32_t word = 0; word < 4; word++)
		check_packed(check, &docs->places[word]);
	if (docs->lines.n > 0)
		check_packed(check, &docs->lines);
	TRY(check, bs_names_check(&docs->names, check->err));
}

static void check_docs(struct check *check)
{
	uint64_t n_positions = 0;
	struct bs_doc_record before = {.source = UINT32_MAX};
	check_doc_table(check, &check->segment->docs);
	check_tfs(check);
	if (check->segment->ids.is_there)
		TRY(check, bs_id_table_check(&check->segment->ids, check->segment->meta.n_docs,
		                             check->file, check->err));
	EXPECT(check, check->segment->ids.n_ordered <= check->segment->meta.n_docs,
	       "%llu ids ascend where there are fewer",
	       (unsigned long long)check->segment->ids.n_ordered);
	for (uint32_t document = 0; document < check->segment->docs.n_docs && !check->status;
	     document++)
		check_document(check, document, &n_positions, &before);
	EXPECT(check, n_positions == check->segment->meta.n_positions,
	       "%llu positions where the documents have %llu",
	       (unsigned long long)check->segment->meta.n_positions,
	       (unsigned long long)n_positions);
}

/* Checks the document numbers of a shard's rows, and stores the row of each document in
 * check->row_of. */
static void check_rows(struct check *check, uint32_t s)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	uint64_t n_docs = check->segment->meta.n_docs;
	check_packed(check, &shard->rows);
	for (uint32_t row = 0; row < shard->n_docs && !check->status; row++) {
		uint32_t document = packed_u32_at(check, &shard->rows, row);
		EXPECT(check, document < n_docs, "shard %u: row %u is document %u of %llu", s, row,
		       document, (unsigned long long)n_docs);
		EXPECT(check, set_new(check->seen, document),
		       "shard %u: row %u is document %u, which has a row already", s, row,
		       document);
		if (!check->status)
			check->row_of[document] = (uint32_t)shard->first_row + row;
	}
}

/* True if a bit of the line from bit n_bits on is set. */
static bool has_bits_from(const uint64_t *line, uint32_t n_bits)
{
	for (uint32_t bit = n_bits; bit < BS_LINE_BITS; bit = (bit | 63) + 1)
		if (line[bit / 64] >> (bit % 64))
			return true;
	return false;
}

/* Checks the columns of a level, stores their popcounts in check->popcounts, and returns the sum of
 * the popcounts. */
static uint64_t check_columns(struct check *check, uint32_t s, const struct bs_level *level,
                              const char *name)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	uint64_t n_set = 0;
	/* The number of used bits in the last line of a column. */
	uint32_t n_bits =
		bs_level_lanes(level->rank, shard->n_docs) - (level->n_lines - 1) * BS_LINE_BITS;
	for (uint32_t c = 0; c < level->n_columns; c++) {
		bs_column column;
		TRY(check, bs_shard_column(shard, level, c, NULL, &column, check->err));
		if (check->status)
			return 0;
		uint32_t n = (uint32_t)check->kernel->lines.popcount(column, level->n_lines);
		check->popcounts[s][level->first_column + c] = n;
		n_set += n;
		EXPECT(check,
		       !has_bits_from(column + (size_t)(level->n_lines - 1) * BS_LINE_WORDS,
		                      n_bits),
		       "shard %u: %s column %u has bits past the last %s", s, name, c,
		       level->rank == BS_LEVEL_BLOCK ? "lane" : "document");
		/* The other half of the bytes is reported during the walk over the terms, see
		 * tell_progress in check_terms.c. */
		advance(check, (uint64_t)level->n_lines * BS_LINE_BYTES / 2);
	}
	return n_set;
}

static void check_level(struct check *check, uint32_t s, uint32_t l)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	uint8_t rank = shard->hashed.levels[l].rank;
	const char *name = rank == BS_LEVEL_DOCUMENT ? "document"
	                   : rank == BS_LEVEL_GROUP  ? "group"
	                                             : "block";
	uint64_t n_set = 0, n_counted = check_columns(check, s, &shard->hashed.levels[l], name);
	TRY(check, bs_shard_level_popcount(shard, l, &n_set, check->err));
	EXPECT(check, n_counted == n_set,
	       "shard %u: the %s columns have %llu bits, their popcount says %llu", s, name,
	       (unsigned long long)n_counted, (unsigned long long)n_set);
}

static uint32_t exact_popcount(struct check *check, const struct bs_shard *shard, uint32_t c)
{
	uint32_t n = 0;
	TRY(check, bs_shard_exact_popcount(shard, c, &n, check->err));
	return n;
}

static void check_exact_popcount(struct check *check, uint32_t s, uint32_t c, uint32_t n_counted)
{
	uint32_t n = exact_popcount(check, &check->segment->shards[s], c);
	EXPECT(check, n_counted == n, "shard %u: exact column %u has %u bits, its popcount says %u",
	       s, c, n_counted, n);
}

/* Checks that the ordinals of the terms with exact columns are valid and ascend strictly. */
static void check_exact_terms(struct check *check, uint32_t s)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	const struct bs_section *terms = &shard->exact.terms;
	uint64_t n_terms = check->segment->meta.n_terms;
	touch_all(check, terms);
	for (uint32_t i = 0; i < shard->exact.level.n_columns && !check->status; i++) {
		EXPECT(check, u32_at(terms, i) < n_terms,
		       "shard %u: exact columns: term %u of %llu", s, u32_at(terms, i),
		       (unsigned long long)n_terms);
		EXPECT(check, i == 0 || u32_at(terms, i - 1) < u32_at(terms, i),
		       "shard %u: exact columns: term %u does not come after the one before", s,
		       u32_at(terms, i));
	}
}

/* Checks two fields of a shard's entry that can be computed: n_columns of absent levels (0), and
 * least_popcount of the exact columns. */
static void check_entry(struct check *check, uint32_t s)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	uint32_t least = shard->exact.level.n_columns ? UINT32_MAX : 0;
	for (uint32_t l = shard->hashed.n_levels; l < BS_MAX_LEVELS; l++)
		EXPECT(check, shard->hashed.n_columns[l] == 0,
		       "shard %u: %u columns of a level that is not", s,
		       shard->hashed.n_columns[l]);
	for (uint32_t c = 0; c < shard->exact.level.n_columns; c++) {
		uint32_t n = exact_popcount(check, shard, c);
		least = n < least ? n : least;
	}
	EXPECT(check, shard->exact.least_popcount == least,
	       "shard %u: its entry says that the sparsest exact column has %u bits, and it has %u",
	       s, shard->exact.least_popcount, least);
}

static void check_least_length(struct check *check, uint32_t s)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	uint32_t least = UINT32_MAX;
	for (uint32_t row = 0; row < shard->n_docs; row++) {
		uint32_t document = packed_u32_at(check, &shard->rows, row);
		uint32_t length = packed_u32_at(check, &check->segment->docs.lengths, document);
		least = length < least ? length : least;
	}
	EXPECT(check, least == shard->least_length, "shard %u: its least length is %u, not %u", s,
	       least, shard->least_length);
}

static void check_matrix(struct check *check, uint32_t s)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	const struct bs_level *exact = &shard->exact.level;
	check->popcounts[s] = allocate(check, exact->first_column + exact->n_columns,
	                               sizeof(uint32_t), "columns");
	check_entry(check, s);
	check_least_length(check, s);
	for (uint32_t l = 0; l < shard->hashed.n_levels && !check->status; l++)
		check_level(check, s, l);
	check_columns(check, s, exact, "exact");
	for (uint32_t c = 0; c < exact->n_columns && !check->status; c++)
		check_exact_popcount(check, s, c, check->popcounts[s][exact->first_column + c]);
	check_exact_terms(check, s);
}

/* Checks the exact columns of a shard of forward indexes. Adds the number of set bits of each to
 * check->listed. */
static void check_list_columns(struct check *check, uint32_t s)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	uint32_t n_groups = bs_forward_groups(shard->n_docs);
	uint32_t n_last = shard->n_docs - (n_groups - 1) * BS_FORWARD_GROUP_ROWS;
	check_exact_terms(check, s);
	for (uint32_t c = 0; c < shard->exact.level.n_columns && !check->status; c++) {
		const uint8_t *words = NULL;
		uint32_t n = 0;
		TRY(check, bs_shard_forward_column(shard, c, &words, check->err));
		for (uint32_t group = 0; group < n_groups && !check->status; group++)
			n += (uint32_t)__builtin_popcountll(bs_load_u64(words + (size_t)group * 8));
		check_exact_popcount(check, s, c, n);
		EXPECT(check,
		       n_last == 64 ||
		               bs_load_u64(words + (size_t)(n_groups - 1) * 8) >> n_last == 0,
		       "shard %u: exact column %u has bits past the last document", s, c);
		if (!check->status)
			check->listed[u32_at(&shard->exact.terms, c)] += n;
	}
}

/* Reads the terms of a row into `ordinals` and counts them in check->listed. No term of a forward
 * index may have an exact column. */
static void check_forward_index(struct check *check, uint32_t s, uint32_t row,
                                struct bs_u32s *ordinals)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	uint64_t n_terms = check->segment->meta.n_terms;
	uint64_t start = packed_at(check, &shard->forward.offsets, row);
	uint64_t end = packed_at(check, &shard->forward.offsets, (uint64_t)row + 1);
	TRY(check, bs_forward_index_read(&shard->forward.terms, start, end, n_terms,
	                                 &ordinals->bytes, check->err));
	const uint32_t *terms = ordinals->items;
	for (size_t i = 0; i < bs_vector_n(ordinals) && !check->status; i++) {
		bool is_exact = false;
		uint32_t column;
		TRY(check, bs_shard_find_exact(shard, terms[i], &is_exact, &column, check->err));
		EXPECT(check, !is_exact,
		       "shard %u: a forward index has term %u, which has an exact column", s,
		       terms[i]);
		check->listed[terms[i]]++;
	}
}

/* Checks 64 rows of a shard of forward indexes: the columns of the filter must have exactly the
 * bits of the terms of the rows. filled, ordinals: scratch. */
static void check_group(struct check *check, uint32_t s, uint32_t group, struct bs_buffer *filled,
                        struct bs_u32s *ordinals)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	const struct bs_forward_filter *filter = &shard->forward.filter;
	uint64_t start = u64_at(&filter->offsets, group);
	uint64_t n_columns = u64_at(&filter->offsets, (uint64_t)group + 1) - start;
	uint32_t first = group * BS_FORWARD_GROUP_ROWS;
	EXPECT(check, n_columns > 0 && n_columns <= UINT32_MAX,
	       "shard %u: filter %u has %llu columns", s, group, (unsigned long long)n_columns);
	bs_buffer_clear(filled);
	TRY(check, bs_buffer_reserve(filled, (size_t)n_columns * 8, check->err));
	if (check->status)
		return;
	uint64_t *words = (uint64_t *)(void *)filled->data;
	memset(words, 0, (size_t)n_columns * 8);
	for (uint32_t row = first;
	     row < shard->n_docs && row < first + BS_FORWARD_GROUP_ROWS && !check->status; row++) {
		check_forward_index(check, s, row, ordinals);
		bs_forward_filter_set(filter->hashing, words, (uint32_t)n_columns, row - first,
		                      ordinals->items, (uint32_t)bs_vector_n(ordinals));
	}
	EXPECT(check, memcmp(words, filter->words.data + start * 8, (size_t)n_columns * 8) == 0,
	       "shard %u: filter %u lacks bits of its forward indexes", s, group);
}

/* Checks a shard of forward indexes. */
static void check_lists(struct check *check, uint32_t s)
{
	const struct bs_shard *shard = &check->segment->shards[s];
	const struct bs_section *words = &shard->forward.filter.words;
	struct bs_buffer filled = {0};
	struct bs_u32s ordinals = {0};
	check_entry(check, s);
	check_list_columns(check, s);
	touch_all(check, &shard->forward.terms);
	check_offsets(check, NULL, &shard->forward.offsets, shard->forward.terms.n_bytes,
	              "forward indexes");
	touch_all(check, words);
	EXPECT(check, words->n_bytes % 8 == 0, "shard %u: the filters are cut off", s);
	check_offsets(check, &shard->forward.filter.offsets, NULL, words->n_bytes / 8, "filters");
	for (uint32_t group = 0; group < bs_forward_groups(shard->n_docs) && !check->status;
	     group++)
		check_group(check, s, group, &filled, &ordinals);
	bs_buffer_deinit(&filled);
	bs_vector_deinit(&ordinals);
}

static void check_shards(struct check *check)
{
	const struct bs_segment *segment = check->segment;
	for (uint32_t s = 0; s < segment->meta.n_shards && !check->status; s++) {
		check_rows(check, s);
		if (segment->shards[s].hashed.n_levels > 0) {
			check_matrix(check, s);
			continue;
		}
		check_lists(check, s);
	}
}

/* Checks that the rare-term lists can be decoded. bs_check_terms compares them with the terms and
 * columns later. */
static void check_rare_term_lists(struct check *check)
{
	const struct bs_rare_term_lists *lists = &check->segment->terms.rare_term_lists;
	uint64_t n_bytes = lists->bytes.n_bytes - BS_BITS_PAD_BYTES;
	touch_all(check, &lists->bytes);
	EXPECT(check, bs_load_u64(lists->bytes.data + n_bytes) == 0,
	       "lists of rare terms: trailing bytes");
	check_offsets(check, NULL, &lists->offsets, n_bytes, "lists of rare terms");
	bs_check_listed_terms(check);
}

static void check_false_positives(struct check *check)
{
	const struct bs_false_positives *false_positives = &check->segment->terms.false_positives;
	uint64_t lists_bytes = false_positives->rows.n_bytes - BS_FALSE_POSITIVES_PAD;
	unsigned long long before = 0;
	check_packed(check, &false_positives->terms);
	touch_all(check, &false_positives->rows);
	EXPECT(check, bs_load_u64(false_positives->rows.data + lists_bytes) == 0,
	       "false positives: trailing bytes");
	check_offsets(check, NULL, &false_positives->offsets, lists_bytes, "false positives");
	for (uint64_t i = 0; i < false_positives->n_terms && !check->status; i++) {
		unsigned long long term = packed_at(check, &false_positives->terms, i);
		uint64_t start = packed_at(check, &false_positives->offsets, i);
		uint64_t end = packed_at(check, &false_positives->offsets, i + 1);
		EXPECT(check, term < check->segment->meta.n_terms,
		       "false positives: term %llu of %llu", term,
		       (unsigned long long)check->segment->meta.n_terms);
		EXPECT(check, i == 0 || before < term,
		       "false positives: term %llu does not come after the one before", term);
		EXPECT(check, start < end, "false positives: term %llu has none", term);
		before = term;
	}
}

/* Checks that the values of a list are below `end` and ascend strictly. number, what: for
 * messages. */
static void check_list(struct check *check, uint32_t number, const struct bs_packed *list,
                       uint64_t end, const char *what)
{
	uint32_t before = 0;
	check_packed(check, list);
	for (uint64_t i = 0; i < list->n && !check->status; i++) {
		uint32_t value = packed_u32_at(check, list, i);
		EXPECT(check, value < end && (i == 0 || value > before),
		       "grams, %s %u: value %llu is %u", what, number, (unsigned long long)i,
		       value);
		before = value;
		TRY(check, bs_deadline_each(i, NUMBER_NS, check->err));
	}
}

/* Checks a gram shard: a document has at most one row. Whether the bits are right cannot be checked
 * without the text of the files. */
static void check_gram_shard(struct check *check, uint32_t i)
{
	const struct bs_gram_shard *shard = &check->segment->grams.shards[i];
	unsigned n_used = shard->shape.n_docs % 8;
	check_list(check, i, &shard->rows, check->segment->meta.n_docs, "rows of shard");
	for (uint32_t row = 0; row < shard->shape.n_docs && !check->status; row++) {
		uint32_t document = packed_u32_at(check, &shard->rows, row);
		EXPECT(check, set_new(check->seen, document),
		       "gram shard %u: row %u is document %u, which has a row already", i, row,
		       document);
	}
	for (uint32_t c = 0; c < shard->shape.n_columns && !check->status; c++) {
		const uint8_t *bytes = NULL;
		TRY(check,
		    bs_gram_shard_column(shard, c, 0, shard->column_bytes, &bytes, check->err));
		EXPECT(check, !n_used || bytes[shard->column_bytes - 1] >> n_used == 0,
		       "gram shard %u: column %u has bits past the last document", i, c);
	}
}

/* Checks the lists of the tiers (bs_gram_listed_end). A trigram may be in only one of them. */
static void check_tiers(struct check *check)
{
	uint8_t *seen = allocate(check, BS_GRAM_TRIGRAMS / 8, 1, "trigrams");
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++) {
		const struct bs_packed *list = &check->segment->grams.listed[tier];
		if (bs_gram_listed_end(tier) == 0)
			continue;
		check_list(check, tier, list, bs_gram_listed_end(tier), "list of tier");
		for (uint64_t i = 0; i < list->n && !check->status && tier < BS_GRAM_TRIGRAM_TIERS;
		     i++) {
			uint32_t trigram = packed_u32_at(check, list, i);
			EXPECT(check, set_new(seen, trigram), "grams: trigram %06x is of two tiers",
			       trigram);
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
	for (uint32_t i = 0; i < segment->grams.n_shards && !check->status; i++)
		check_gram_shard(check, i);
}

/* Checks the segment's set of trigrams. It must include the trigrams of all words. */
static void check_gram_set(struct check *check)
{
	const struct bs_segment *segment = check->segment;
	struct bs_lexicon_cursor cursor = {.lexicon = &segment->terms.lexicon};
	struct bs_u64s numbers = {0};
	bool end = segment->meta.n_terms == 0;
	if (check->status || !segment->trigrams.are_known)
		return;
	uint8_t *has = allocate(check, BS_GRAM_TRIGRAMS / 8, 1, "trigrams");
	TRY(check, bs_coded_section_read(&segment->trigrams.set, &numbers.bytes, check->err));
	const uint64_t *all = numbers.items;
	size_t n = bs_vector_n(&numbers);
	EXPECT(check,
	       segment->trigrams.set.coded.is_set && (n == 0 || all[n - 1] < BS_GRAM_TRIGRAMS),
	       "an invalid set of trigrams");
	for (size_t i = 0; i < n && !check->status; i++)
		has[all[i] / 8] |= (uint8_t)(1u << (all[i] % 8));
	if (!end)
		TRY(check, bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, check->err));
	while (!check->status && !end) {
		TRY(check, bs_deadline_check_after(TERM_NS, check->err));
		TRY(check, bs_lexicon_cursor_next(&cursor, &end, check->err));
		const uint8_t *key = cursor.term.data;
		if (check->status || end || key[0] == BS_KEY_COMPOUND)
			break;
		for (size_t i = 2; i < cursor.term.used_bytes; i++) {
			uint32_t gram = bs_summary_gram(key + i - 2);
			EXPECT(check, has[gram / 8] >> (gram % 8) & 1,
			       "a trigram of word %llu is missing",
			       (unsigned long long)cursor.ordinal);
		}
	}
	bs_lexicon_cursor_deinit(&cursor);
	bs_vector_deinit(&numbers);
	free(has);
}

/* Checks a segment, except for the layout of its file, the pages that no check reads, and the
 * contents of stored texts. */
static void check_segment(struct check *check, uint32_t s)
{
	const struct bs_segment *segment = &check->snapshot.segments[s];
	check->file = segment->file;
	check->segment = segment;
	check->number = s;
	check->seen = allocate(check, segment->meta.n_docs / 8, 1, "documents");
	check->popcounts =
		allocate(check, segment->meta.n_shards, sizeof(*check->popcounts), "shards");
	check->listed = allocate(check, segment->meta.n_terms, sizeof(*check->listed), "terms");
	check->hashes = allocate(check, segment->meta.n_terms, sizeof(*check->hashes), "terms");
	check->kinds = allocate(check, segment->meta.n_terms, sizeof(*check->kinds), "terms");
	check->row_of = allocate(check, segment->meta.n_docs, sizeof(*check->row_of), "documents");
	check->tf_sums =
		allocate(check, segment->meta.n_docs, sizeof(*check->tf_sums), "documents");
	check->n_rare_exact = 0;
	/* The offsets of stored texts and the document table come first, because later checks rely
	 * on them. */
	check_store(check);
	check_docs(check);
	check_shards(check);
	check_rare_term_lists(check);
	check_false_positives(check);
	bs_check_terms(check);
	bs_check_values(check);
	check_grams(check);
	check_gram_set(check);
	for (size_t i = 0; check->popcounts && i < segment->meta.n_shards; i++)
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
	/* Columns: check_segment has reported their bytes already. */
	bool is_counted = section->id == BS_SECTION_COLUMNS;
	for (uint64_t at = 0; at < section->n_bytes && !check->status; at += TOUCH_BYTES) {
		uint64_t left = section->n_bytes - at;
		uint64_t n = left < TOUCH_BYTES ? left : TOUCH_BYTES;
		TRY(check, bs_section_touch(section, at, n, check->err));
		advance(check, is_counted ? 0 : n);
	}
}

/* Checks the layout of a file, and the checksums of the pages of all its sections, including
 * unknown sections. Adds the bytes of the file to *end_bytes. */
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

/* Checks that the labels of sources are distinct, because ids begin with them. Removed sources and
 * inner collections are exempt. */
static void check_labels(struct check *check)
{
	const struct bs_manifest *manifest = &check->snapshot.manifest;
	size_t n = 0;
	const char **labels =
		allocate(check, manifest->n_sources, sizeof(*labels), "labels of sources");
	for (uint32_t i = 0; labels && i < manifest->n_sources; i++)
		if (manifest->sources[i].kind != BS_SOURCE_FORGOTTEN &&
		    !manifest->sources[i].parent)
			labels[n++] = manifest->sources[i].label;
	if (labels)
		qsort(labels, n, sizeof(*labels), compare_labels);
	for (size_t i = 1; i < n && !check->status; i++)
		EXPECT(check, strcmp(labels[i - 1], labels[i]) != 0,
		       "two sources are named \"%.100s\"", labels[i]);
	free(labels);
}

/* Checks that the names of skipped files do not lead out of their source, because a search opens
 * these files, and that they are in document order, because a refresh relies on it. */
static void check_non_documents(struct check *check)
{
	const struct bs_manifest *manifest = &check->snapshot.manifest;
	struct bs_non_documents entry, before = {.source = UINT32_MAX};
	struct bs_non_document_place place = {0};
	for (; bs_manifest_next_non_document(manifest, &place, &entry); before = entry) {
		EXPECT(check,
		       manifest->sources[entry.source].kind != BS_SOURCE_FOLDER ||
		               bs_doc_name_is_below((const uint8_t *)entry.name,
		                                    (uint32_t)strlen(entry.name)),
		       "a file that is passed over, \"%.100s\", is not below its source",
		       entry.name);
		EXPECT(check,
		       before.source != entry.source ||
		               bs_compare_paths((const uint8_t *)before.name, strlen(before.name),
		                                (const uint8_t *)entry.name,
		                                strlen(entry.name)) < 0,
		       "a file that is passed over, \"%.100s\", is out of order", entry.name);
	}
}

static void check_exclusions(struct check *check, uint64_t *end_bytes)
{
	const struct bs_doc_table *exclusions = &check->snapshot.exclusions.table;
	struct bs_doc_record record = {.source = 0}, before = {.source = UINT32_MAX};
	if (!check->snapshot.exclusions.file)
		return;
	check_file(check, check->snapshot.exclusions.file, end_bytes);
	check_doc_table(check, exclusions);
	for (uint32_t i = 0; i < exclusions->n_docs && !check->status; i++, before = record) {
		TRY(check, bs_doc_table_get(exclusions, i, &record, check->err));
		if (check->snapshot.manifest.sources[record.source].kind != BS_SOURCE_FOLDER)
			continue;
		EXPECT(check, bs_doc_name_is_below(record.name, record.name_bytes),
		       "the name of exclusion %u leads out of its source", i);
		/* A refresh that walks the folder relies on the order of the exclusions. */
		EXPECT(check,
		       before.source != record.source ||
		               bs_compare_records(BS_SOURCE_FOLDER, &before, &record) < 0,
		       "exclusion %u is out of order", i);
	}
}

/* Checks the file `folders`. It is not part of a commit, but searches rely on it. */
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

/* Checks the summary. It may be missing if there is a newer commit, whose writer deleted it. */
static void check_summary(struct check *check, const struct bs_dir *dir, uint64_t *end_bytes)
{
	struct bs_summary_file file = {.container = NULL};
	struct bs_manifest now;
	if (check->status)
		return;
	check->status = bs_summary_verify(&check->snapshot, &file, check->err);
	if (check->status == BS_NOT_FOUND) {
		struct bs_error err = check->err ? *check->err : (struct bs_error){""};
		bool is_newer = bs_manifest_read(dir, &now, NULL) == BS_OK &&
		                now.generation > check->snapshot.manifest.generation;
		bs_manifest_deinit(&now);
		check->status = is_newer ? BS_OK
		                         : bs_fail(check->err, BS_CORRUPT,
		                                   "%s; the next `bitsift index` that finds "
		                                   "a change rebuilds this file",
		                                   err.text);
	}
	if (file.container) {
		check->total_bytes += bs_container_bytes(file.container);
		check_file(check, file.container, end_bytes);
		check->total_bytes += bs_container_bytes(file.counts_container);
		check_file(check, file.counts_container, end_bytes);
	}
	bs_summary_file_close(&file);
}

static void check_all(struct check *check, const struct bs_dir *dir,
                      const struct bs_container *manifest_file, bs_check_stored_text *stored_text)
{
	const struct bs_snapshot *snapshot = &check->snapshot;
	uint64_t end_bytes = 0;
	check_file(check, manifest_file, &end_bytes);
	check_labels(check);
	check_non_documents(check);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !check->status; s++) {
		check_segment(check, s);
		check_file(check, snapshot->segments[s].file, &end_bytes);
		if (snapshot->segments[s].stored.offsets.n_bytes > 0 && stored_text)
			TRY(check, stored_text(snapshot, s, check->err));
		if (snapshot->tombstones.files[s])
			check_file(check, snapshot->tombstones.files[s], &end_bytes);
	}
	check_exclusions(check, &end_bytes);
	check_summary(check, dir, &end_bytes);
	check_folders(check, dir, &end_bytes);
}

static uint64_t sum_bytes(const struct bs_snapshot *snapshot)
{
	uint64_t n_bytes = 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		n_bytes += bs_container_bytes(snapshot->segments[s].file);
		if (snapshot->tombstones.files[s])
			n_bytes += bs_container_bytes(snapshot->tombstones.files[s]);
	}
	return n_bytes +
	       (snapshot->exclusions.file ? bs_container_bytes(snapshot->exclusions.file) : 0);
}

/* Returns BS_CORRUPT, naming the file, if a file that the manifest names is missing. */
static enum bs_status find_missing(const struct bs_dir *dir, struct bs_error *err)
{
	struct bs_manifest manifest;
	uint64_t number;
	char name[BS_INDEX_NAME_BYTES];
	enum bs_status status = bs_manifest_read(dir, &manifest, NULL);
	for (size_t at = 0; !status && bs_manifest_next_file(&manifest, &at, &number, name);)
		if (!bs_dir_has(dir, name))
			status = bs_fail(err, BS_CORRUPT,
			                 "%s/%s: corrupt: the manifest names it, but it is "
			                 "missing; rebuild it with "
			                 "`bitsift index --rebuild`",
			                 dir->path, name);
	bs_manifest_deinit(&manifest);
	return status;
}

enum bs_status bs_check_dir(const struct bs_dir *dir, const struct bs_check_options *options,
                            struct bs_check_sums *sums_out, struct bs_error *err)
{
	struct check check = {.err = err};
	if (options) {
		check.progress = options->progress;
		check.context = options->context;
	}
	/* The manifest, opened as a file to check its layout; the snapshot keeps only its
	 * contents. */
	struct bs_container *manifest_file = NULL;
	*sums_out = (struct bs_check_sums){0};
	TRY(&check, bs_kernel_choose(NULL, &check.kernel, err));
	TRY(&check, bs_snapshot_open(dir, &check.snapshot, err));
	if (check.status == BS_CORRUPT) {
		enum bs_status missing = find_missing(dir, err);
		return missing == BS_CORRUPT ? missing : check.status;
	}
	if (check.status)
		return check.status;
	TRY(&check, bs_container_open(dir, "manifest", BS_FILE_MANIFEST, &manifest_file, err));
	if (!check.status) {
		check.total_bytes = bs_container_bytes(manifest_file) + sum_bytes(&check.snapshot);
		check_all(&check, dir, manifest_file, options ? options->stored_text : NULL);
	}
	*sums_out = (struct bs_check_sums){
		.n_docs = check.snapshot.totals.n_live_docs,
		.n_segments = check.snapshot.totals.n_word_segments,
		.n_bytes = check.total_bytes,
	};
	bs_container_close(manifest_file);
	bs_snapshot_deinit(&check.snapshot);
	return check.status;
}
