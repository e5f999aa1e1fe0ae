/* gram_filter.c: see gram_filter.h. Works shard by shard, and within a shard on a limited number of
 * rows at a time, so that all intermediate sets stay in the first-level cache. */
#include "query/regex/gram_filter.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/source_kind.h"
#include "core/base/vector.h"
#include "core/matrix/gram_shard.h"
#include "core/system/deadline.h"
#include "core/system/workers.h"

#define PIECE_BYTES 512u /* a piece of a column: the bits of 4,096 rows */

/* Shards that justify a further thread: a shard takes about 10 us, starting a thread 50 us. */
#define SHARDS_A_THREAD 24u
#define MOST_THREADS    8u
/* Initial room for the documents that a thread finds, because a thread's first allocation costs it
 * a malloc arena. */
#define DOCUMENTS_AT_ONCE 1024u

/* How many columns ahead are prefetched; each column is on a page of its own. */
#define COLUMNS_AHEAD 2u
#define CACHE_LINE    64u

/* For an OR of at most this many literals, the hashes that they share are factored out. */
#define MOST_SHARING 8u

/* An estimate samples about this many shards. */
#define MOST_SAMPLES 24u

/* After each OR_STEP operands of an OR, the filter checks whether testing the other operands is
 * still worthwhile. */
#define OR_STEP 256u

/* For a LITERAL: its hashes in a segment, hashes[first..first + n). For an OR of few literals: the
 * hashes that all of them share, which are then removed from the literals. */
struct literal {
	uint32_t first;
	uint32_t n;
	uint32_t n_pieces; /* scratch pieces needed to test this node and its descendants */
};

BS_VECTOR(documents, uint32_t);

struct filtering {
	const struct bs_snapshot *snapshot;
	const struct bs_gram_tree *tree;
	struct bs_doc_bits *candidates;
	struct bs_gram_filter_how how;
	struct bs_gram_filter_stats stats;
	uint32_t segment;
	const struct bs_gram_shard *shard;
	struct literal *literals; /* indexed by node */
	/* hashes of all literals; in a shard, each hash selects a column */
	uint32_t *hashes;
	uint8_t *tiers; /* the tier of each key of the current literal */
	bool is_absent; /* the tree requires trigrams that no segment has */
	/* Scratch: sets of rows. After test_node of the root, pieces[0] has the rows that satisfy
	 * the tree. */
	uint8_t (*pieces)[PIECE_BYTES];
	/* sample_docs: the documents that one sample represents; 0: sample every shard. n_passed:
	 * the documents in the shards so far, plus sample_docs / 2. */
	uint64_t sample_docs, n_passed;
	uint8_t room[BS_SECTION_ROOM(PIECE_BYTES)]; /* holds a piece of a column */
	/* documents found in the shards of the segment, not yet added to the candidates */
	struct documents found;
	/* the states of the other threads; NULL: not allocated yet */
	struct filtering *helpers;
};

/* into &= from. Returns true if a bit is left. */
static bool and_bytes(uint8_t *into, const uint8_t *from, uint32_t n_bytes)
{
	uint64_t left = 0;
	uint32_t i = 0;
	for (; i + 8 <= n_bytes; i += 8) {
		uint64_t a, b;
		memcpy(&a, into + i, 8);
		memcpy(&b, from + i, 8);
		a &= b;
		memcpy(into + i, &a, 8);
		left |= a;
	}
	for (; i < n_bytes; i++) {
		into[i] &= from[i];
		left |= into[i];
	}
	return left != 0;
}

static void or_bytes(uint8_t *into, const uint8_t *from, uint32_t n_bytes)
{
	for (uint32_t i = 0; i < n_bytes; i++)
		into[i] |= from[i];
}

static inline __attribute__((always_inline)) void fetch_column(const struct filtering *at,
                                                               uint32_t hash, uint32_t first,
                                                               uint32_t n_bytes)
{
	uint64_t column = bs_gram_column(hash, at->shard->shape.n_columns);
	const uint8_t *bytes = at->shard->columns.data + column * at->shard->column_bytes + first;
	for (uint32_t byte = 0; byte < n_bytes; byte += CACHE_LINE)
		__builtin_prefetch(bytes + byte);
}

#define COLUMN_NS 100u /* estimated time per column, without reading it */

/* Clears the rows of a piece that cannot contain the literal. At least one row must be set before.
 * *is_any_left: a row is still set. */
static enum bs_status test_literal(struct filtering *at, const struct literal *literal,
                                   uint8_t *piece, uint32_t first, uint32_t n_bytes,
                                   bool *is_any_left, struct bs_error *err)
{
	const uint32_t *hashes = at->hashes + literal->first;
	uint32_t m = at->shard->shape.n_columns;
	/* A shard without columns has no hashed grams, so only a literal without hashes (all its
	 * grams are left out) may match. */
	*is_any_left = m > 0 || literal->n == 0;
	if (!*is_any_left)
		memset(piece, 0, n_bytes);
	enum bs_status spent = bs_deadline_check_after(
		(uint64_t)(1 + literal->n) * (COLUMN_NS + n_bytes / 16), err);
	if (spent)
		return spent;
	for (uint32_t c = 0; c < literal->n && c < COLUMNS_AHEAD && *is_any_left; c++)
		fetch_column(at, hashes[c], first, n_bytes);
	for (uint32_t c = 0; c < literal->n && *is_any_left; c++) {
		const uint8_t *bytes;
		uint32_t column = bs_gram_column(hashes[c], m);
		if (c + COLUMNS_AHEAD < literal->n)
			fetch_column(at, hashes[c + COLUMNS_AHEAD], first, n_bytes);
		/* Columns are read, not mapped: a query needs some hundred bytes of each of a
		 * thousand pages, and many processes make only one query. */
		enum bs_status status = bs_section_read(
			&at->shard->columns, (uint64_t)column * at->shard->column_bytes + first,
			n_bytes, at->room, &bytes, err);
		if (status)
			return status;
		at->stats.n_columns += first == 0;
		at->stats.column_bytes += n_bytes;
		*is_any_left = and_bytes(piece, bytes, n_bytes);
	}
	return BS_OK;
}

/* True if n operands of an OR would let more than 3/4 of the rows of the piece through, judged by
 * the first n_tested. Then testing the others is useless. */
static bool is_hopeless(const uint8_t *piece, uint32_t n_bytes, uint64_t n_tested, uint64_t n)
{
	uint64_t n_rows = 0;
	for (uint32_t i = 0; i < n_bytes; i++)
		n_rows += (uint64_t)__builtin_popcount(piece[i]);
	return n_rows * n > n_tested * (8 * (uint64_t)n_bytes) * 3 / 4;
}

static enum bs_status test_node(struct filtering *at, uint32_t n, uint8_t (*pieces)[PIECE_BYTES],
                                uint32_t first, uint32_t n_bytes, bool *is_any_left,
                                struct bs_error *err);

/* Tests an OR. The hashes that its literals share are tested first. */
static enum bs_status test_or(struct filtering *at, uint32_t n, uint8_t (*pieces)[PIECE_BYTES],
                              uint32_t first, uint32_t n_bytes, bool *is_any_left,
                              struct bs_error *err)
{
	const struct bs_gram_node *node = &at->tree->nodes[n];
	uint8_t *found = pieces[0], *within = pieces[1], *child = pieces[2];
	bool is_within_left = true;
	enum bs_status status = BS_OK;
	memcpy(within, found, n_bytes);
	memset(found, 0, n_bytes);
	*is_any_left = false;
	if (at->literals[n].n > 0)
		status = test_literal(at, &at->literals[n], within, first, n_bytes, &is_within_left,
		                      err);
	for (uint32_t c = 0; c < node->n_children && is_within_left && !status; c++) {
		bool is_left;
		memcpy(child, within, n_bytes);
		status =
			test_node(at, node->children[c], pieces + 2, first, n_bytes, &is_left, err);
		or_bytes(found, child, n_bytes);
		*is_any_left |= is_left;
		if ((c + 1) % OR_STEP == 0 &&
		    is_hopeless(found, n_bytes, c + 1, node->n_children)) {
			memcpy(found, within, n_bytes);
			break;
		}
	}
	return status;
}

/* Clears the rows in pieces[0] that do not satisfy the node. At least one row must be set before.
 * An AND tests its literals first. Recursive, as deep as groups of the pattern are nested. */
static enum bs_status test_node(struct filtering *at, uint32_t n, uint8_t (*pieces)[PIECE_BYTES],
                                uint32_t first, uint32_t n_bytes, bool *is_any_left,
                                struct bs_error *err)
{
	const struct bs_gram_node *node = &at->tree->nodes[n];
	enum bs_status status = BS_OK;
	if (node->kind == BS_GRAM_LITERAL)
		return test_literal(at, &at->literals[n], pieces[0], first, n_bytes, is_any_left,
		                    err);
	if (node->kind == BS_GRAM_OR)
		return test_or(at, n, pieces, first, n_bytes, is_any_left, err);
	*is_any_left = true;
	for (uint32_t i = 0; i < 2 * node->n_children && *is_any_left && !status; i++) {
		uint32_t child = node->children[i % node->n_children];
		if ((at->tree->nodes[child].kind == BS_GRAM_LITERAL) == (i < node->n_children))
			status = test_node(at, child, pieces, first, n_bytes, is_any_left, err);
	}
	return status;
}

static enum bs_status take_document(struct filtering *at, uint32_t document, struct bs_error *err)
{
	if (bs_snapshot_is_deleted(at->snapshot, at->segment, document))
		return BS_OK;
	at->stats.n_candidates++;
	return bs_doc_bits_set(at->candidates, at->snapshot,
	                       (struct bs_doc_ref){at->segment, document}, err);
}

static enum bs_status take_row(struct filtering *at, uint32_t row, struct bs_error *err)
{
	uint32_t document;
	enum bs_status status = bs_packed_get_u32(&at->shard->rows, row, &document, err);
	if (status)
		return status;
	if (document >= at->snapshot->segments[at->segment].meta.n_docs)
		return bs_container_corrupt(at->shard->columns.file, err,
		                            "a row of grams is document %u", document);
	return bs_vector_append(&at->found, &document, err);
}

/* The index of the next nonzero byte at or after i, or n_bytes. */
static uint32_t next_byte(const uint8_t *piece, uint32_t i, uint32_t n_bytes)
{
	uint64_t eight = 0;
	while (i + 8 <= n_bytes && !eight) {
		memcpy(&eight, piece + i, 8);
		i += eight ? 0 : 8;
	}
	while (i < n_bytes && !piece[i])
		i++;
	return i;
}

#define ROW_NS 50u /* estimated time per byte of a piece: eight rows */

static enum bs_status take_rows(struct filtering *at, const uint8_t *piece, uint32_t first_row,
                                uint32_t n_bytes, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = next_byte(piece, 0, n_bytes); i < n_bytes && !status;
	     i = next_byte(piece, i + 1, n_bytes)) {
		status = bs_deadline_check_after(ROW_NS, err);
		for (unsigned bits = piece[i]; bits && !status; bits &= bits - 1) {
			uint32_t row = first_row + i * 8 + (unsigned)__builtin_ctz(bits);
			/* The last byte has bits beyond the last row. They are still set if only
			 * literals without hashes were tested. */
			if (row < at->shard->shape.n_docs)
				status = take_row(at, row, err);
		}
	}
	return status;
}

/* Collects the hashes of a literal's grams in a segment: longer grams first, then trigrams from
 * rare to frequent, because the first hashes should exclude as many rows as possible. */
static enum bs_status find_places(struct filtering *at, const struct bs_gram_node *node,
                                  struct literal *literal, struct bs_error *err)
{
	const struct bs_gram_shards *grams = &at->snapshot->segments[at->segment].grams;
	enum bs_status status = BS_OK;
	for (uint32_t k = 0; k < node->n_keys && !status; k++) {
		enum bs_gram_tier found = BS_GRAM_LEFT_OUT;
		status = bs_gram_shards_tier(grams, node->keys[k], &found, err);
		at->tiers[k] = (uint8_t)found;
	}
	literal->n = 0;
	for (uint32_t tier = BS_GRAM_TIERS; tier-- > 0 && !status;)
		for (uint32_t k = 0; k < node->n_keys; k++)
			for (uint32_t h = 0; h < grams->meta.n_hashes[tier] && at->tiers[k] == tier;
			     h++)
				at->hashes[literal->first + literal->n++] =
					bs_gram_hash(node->keys[k], h);
	return status;
}

static bool has_hash(const struct filtering *at, const struct literal *literal, uint32_t hash)
{
	for (uint32_t i = 0; i < literal->n; i++)
		if (at->hashes[literal->first + i] == hash)
			return true;
	return false;
}

static bool all_have(const struct filtering *at, const struct bs_gram_node *node, uint32_t hash)
{
	for (uint32_t c = 0; c < node->n_children; c++)
		if (!has_hash(at, &at->literals[node->children[c]], hash))
			return false;
	return true;
}

static bool is_of_few_literals(const struct filtering *at, const struct bs_gram_node *node)
{
	bool is = node->kind == BS_GRAM_OR && node->n_children <= MOST_SHARING;
	for (uint32_t c = 0; c < node->n_children && is; c++)
		is = at->tree->nodes[node->children[c]].kind == BS_GRAM_LITERAL;
	return is;
}

/* Factors out the hashes that all literals of an OR share. A letter with several foldings (such as
 * an i with a dot above it) turns one literal into an OR of several, which share most of their
 * hashes. */
static void share_hashes(struct filtering *at, uint32_t n)
{
	const struct bs_gram_node *node = &at->tree->nodes[n];
	struct literal *shared = &at->literals[n];
	const struct literal *model = &at->literals[node->children[0]];
	shared->n = 0;
	for (uint32_t i = 0; i < model->n; i++)
		if (all_have(at, node, at->hashes[model->first + i]))
			at->hashes[shared->first + shared->n++] = at->hashes[model->first + i];
	for (uint32_t c = 0; c < node->n_children && shared->n > 0; c++) {
		struct literal *literal = &at->literals[node->children[c]];
		uint32_t n_before = literal->n;
		literal->n = 0;
		for (uint32_t i = 0; i < n_before; i++)
			if (!has_hash(at, shared, at->hashes[literal->first + i]))
				at->hashes[literal->first + literal->n++] =
					at->hashes[literal->first + i];
	}
}

static enum bs_status find_hashes(struct filtering *at, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < at->tree->n_nodes && !status; i++)
		if (at->tree->nodes[i].kind == BS_GRAM_LITERAL &&
		    !(status = bs_deadline_check_after(COLUMN_NS * at->tree->nodes[i].n_keys, err)))
			status = find_places(at, &at->tree->nodes[i], &at->literals[i], err);
	for (uint32_t i = 0; i < at->tree->n_nodes && !status; i++)
		if (is_of_few_literals(at, &at->tree->nodes[i]))
			share_hashes(at, i);
	return status;
}

static enum bs_status filter_piece(struct filtering *at, uint32_t first, struct bs_error *err)
{
	uint32_t left = at->shard->column_bytes - first,
		 n_bytes = left < PIECE_BYTES ? left : PIECE_BYTES;
	bool is_any_left;
	memset(at->pieces[0], 0xff, n_bytes);
	enum bs_status status =
		test_node(at, at->tree->n_nodes - 1, at->pieces, first, n_bytes, &is_any_left, err);
	return status ? status : take_rows(at, at->pieces[0], first * 8, n_bytes, err);
}

/* Estimates the candidates of a shard from a piece in its middle, because the documents added first
 * may be of another kind. sample_docs > 0: documents are numbered over all shards, and only the
 * shards that contain document sample_docs / 2, 3 * sample_docs / 2 and so on are sampled, so that
 * about MOST_SAMPLES pieces are read. */
static enum bs_status sample_shard(struct filtering *at, struct bs_error *err)
{
	uint32_t column_bytes = at->shard->column_bytes, n_docs = at->shard->shape.n_docs;
	uint32_t first = column_bytes > PIECE_BYTES ? (column_bytes - PIECE_BYTES) / 2 : 0;
	uint32_t n_sampled = n_docs < PIECE_BYTES * 8 ? n_docs : PIECE_BYTES * 8;
	uint64_t n_meant = n_docs;
	if (at->sample_docs > 0) {
		uint64_t n_teeth = at->n_passed / at->sample_docs;
		at->n_passed += n_docs;
		n_meant = (at->n_passed / at->sample_docs - n_teeth) * at->sample_docs;
	}
	if (n_meant == 0)
		return BS_OK;
	bs_vector_clear(&at->found);
	enum bs_status status = filter_piece(at, first, err);
	at->stats.n_candidates += bs_vector_n(&at->found) * n_meant / n_sampled;
	bs_vector_clear(&at->found);
	return status;
}

/* The documents that one sample represents; 0: sample every shard. */
static uint64_t distance_of_samples(const struct bs_snapshot *snapshot)
{
	uint64_t n_docs = 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++)
		n_docs += snapshot->segments[s].grams.meta.n_docs;
	return n_docs > MOST_SAMPLES * PIECE_BYTES * 8 ? n_docs / MOST_SAMPLES : 0;
}

/* A task: filters a shard of the segment, on any thread. */
static enum bs_status filter_shard(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct filtering *all = context;
	struct filtering *at = task->worker > 0 ? &all->helpers[task->worker - 1] : all;
	enum bs_status status = BS_OK;
	at->shard = &at->snapshot->segments[at->segment].grams.shards[task->number];
	if (at->how.is_sample)
		return sample_shard(at, err);
	for (uint32_t first = 0; first < at->shard->column_bytes && !status; first += PIECE_BYTES)
		status = filter_piece(at, first, err);
	return status;
}

static enum bs_status take_found(struct filtering *at, const struct filtering *by,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < bs_vector_n(&by->found) && !status; i++)
		status = take_document(at, by->found.items[i], err);
	return status;
}

static void free_copy(struct filtering *copy)
{
	free(copy->pieces);
	bs_vector_deinit(&copy->found);
}

static bool make_pieces(struct filtering *at)
{
	at->pieces = malloc(at->literals[at->tree->n_nodes - 1].n_pieces * sizeof(*at->pieces));
	return at->pieces;
}

/* Makes the state of a helper thread. False if memory is short. */
static bool make_copy(const struct filtering *at, struct filtering *copy_out)
{
	*copy_out = *at;
	copy_out->stats = (struct bs_gram_filter_stats){0};
	copy_out->found = (struct documents){0};
	if (make_pieces(copy_out) && !bs_vector_reserve(&copy_out->found, DOCUMENTS_AT_ONCE, NULL))
		return true;
	free_copy(copy_out);
	return false;
}

static enum bs_status filter_all_shards(struct filtering *at, struct bs_error *err)
{
	unsigned n_threads = at->how.is_sample ? 1 : at->how.n_threads;
	uint32_t n_shards = at->snapshot->segments[at->segment].grams.n_shards,
		 most = n_shards / SHARDS_A_THREAD;
	struct bs_workers_plan plan = {.n_threads = 1, .work = filter_shard, .context = at};
	bs_vector_clear(&at->found);
	most = n_threads < most ? n_threads : most;
	if (most > 1 && !at->helpers)
		at->helpers = malloc((MOST_THREADS - 1) * sizeof(*at->helpers));
	struct filtering *helpers = at->helpers;
	while (helpers && plan.n_threads < most && plan.n_threads < MOST_THREADS &&
	       make_copy(at, &helpers[plan.n_threads - 1]))
		plan.n_threads++;
	enum bs_status status = bs_workers_run(&plan, n_shards, err);
	if (!status)
		status = take_found(at, at, err);
	for (unsigned i = 0; i + 1 < plan.n_threads; i++) {
		at->stats.n_columns += helpers[i].stats.n_columns;
		at->stats.column_bytes += helpers[i].stats.column_bytes;
		if (!status)
			status = take_found(at, &helpers[i], err);
		free_copy(&helpers[i]);
	}
	return status;
}

static enum bs_status take_unknown_of(struct filtering *at, const uint8_t *known, uint32_t first,
                                      uint32_t end, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t d = first; d < end && !status; d++) {
		if (known && (known[d / 8] >> (d % 8) & 1))
			continue;
		at->stats.n_unknown += !bs_snapshot_is_deleted(at->snapshot, at->segment, d);
		status = take_document(at, d, err);
	}
	return status;
}

/* For an estimate: counts the documents without grams; for an overlay, and if the tree is ANY, all
 * documents. */
static void count_unknown(struct filtering *at)
{
	const struct bs_segment *segment = &at->snapshot->segments[at->segment];
	bool is_overlay = at->segment == at->snapshot->manifest.n_segments;
	uint64_t n_docs = bs_snapshot_segment_docs(at->snapshot, at->segment);
	uint64_t n_known = is_overlay || bs_gram_tree_root(at->tree)->kind == BS_GRAM_ANY
	                           ? 0
	                           : segment->grams.meta.n_docs;
	uint64_t n_unknown = n_docs > n_known ? n_docs - n_known : 0;
	at->stats.n_unknown += n_unknown;
	at->stats.n_candidates += n_unknown;
}

/* Adds the documents without grams, or all if `known` is NULL, to the candidates. Without
 * of_documents, leaves out records, except those of an overlay. */
static enum bs_status take_unknown(struct filtering *at, const uint8_t *known, struct bs_error *err)
{
	const struct bs_manifest *manifest = &at->snapshot->manifest;
	enum bs_status status = BS_OK;
	if (at->how.of_documents || at->segment == manifest->n_segments)
		return take_unknown_of(at, known, 0,
		                       bs_snapshot_segment_docs(at->snapshot, at->segment), err);
	const struct bs_doc_table *docs = &at->snapshot->segments[at->segment].docs;
	for (uint32_t i = 0; i < docs->n_ranges && !status; i++) {
		struct bs_source_range range = bs_doc_table_range(docs, i);
		uint32_t kind = manifest->sources[range.source].kind;
		if (manifest->segments[at->segment].is_rows || kind == BS_SOURCE_FOLDER ||
		    kind == BS_SOURCE_FILE)
			status = take_unknown_of(at, known, range.first, range.end, err);
	}
	return status;
}

static enum bs_status find_unknown(struct filtering *at, struct bs_error *err)
{
	const struct bs_segment *segment = &at->snapshot->segments[at->segment];
	if (segment->grams.meta.n_docs == segment->meta.n_docs)
		return BS_OK;
	if (at->how.is_sample) {
		count_unknown(at);
		return BS_OK;
	}
	uint8_t *known = calloc((size_t)segment->meta.n_docs / 8 + 1, 1);
	enum bs_status status =
		known ? BS_OK : bs_fail_memory(err, "candidates", segment->meta.n_docs / 8 + 1);
	for (uint32_t i = 0; i < segment->grams.n_shards && !status; i++) {
		const struct bs_gram_shard *shard = &segment->grams.shards[i];
		for (uint32_t row = 0; row < shard->shape.n_docs && !status; row++) {
			uint32_t document;
			status = bs_packed_get_u32(&shard->rows, row, &document, err);
			if (!status && document < segment->meta.n_docs)
				known[document / 8] |= (uint8_t)(1u << (document % 8));
		}
	}
	if (!status)
		status = take_unknown(at, known, err);
	free(known);
	return status;
}

static enum bs_status filter_segment(struct filtering *at, uint32_t s, struct bs_error *err)
{
	at->segment = s;
	if (at->how.of_documents && !bs_snapshot_has_words(at->snapshot, s))
		return BS_OK;
	if (s == at->snapshot->manifest.n_segments ||
	    bs_gram_tree_root(at->tree)->kind == BS_GRAM_ANY) {
		if (!at->how.is_sample)
			return take_unknown(at, NULL, err);
		count_unknown(at);
		return BS_OK;
	}
	const struct bs_segment *segment = &at->snapshot->segments[s];
	bool may_match = segment->grams.n_shards > 0 && !at->is_absent;
	enum bs_status status = BS_OK;
	/* Checks first for trigrams that do not occur in the segment. This is exact, and reads far
	 * fewer bytes than the columns. */
	const struct bs_coded_set grams = {.base = segment->trigrams.set};
	if (may_match && segment->trigrams.are_known)
		status = bs_gram_tree_may_match(at->tree, &grams, &may_match, err);
	if (!status && may_match)
		status = find_hashes(at, err);
	if (!status && may_match)
		status = filter_all_shards(at, err);
	return status ? status : find_unknown(at, err);
}

/* Sets is_absent by the summary of the index, if it is open: one check for all segments. A damaged
 * summary is ignored. */
static enum bs_status ask_summary(struct filtering *at, struct bs_error *err)
{
	const struct bs_summary_file *file = &at->snapshot->summary;
	at->is_absent = false;
	if (!file->container || !file->summary.facts.has_text_grams ||
	    bs_gram_tree_root(at->tree)->kind == BS_GRAM_ANY)
		return BS_OK;
	bool may_match;
	enum bs_status status =
		bs_gram_tree_may_match(at->tree, &file->summary.grams, &may_match, err);
	at->is_absent = !status && !may_match;
	return status == BS_CORRUPT ? BS_OK : status;
}

static enum bs_status make_room(struct filtering *at, struct bs_error *err)
{
	const struct bs_gram_tree *tree = at->tree;
	uint32_t n_hashes = 0, most_keys = 0;
	at->literals = calloc(tree->n_nodes, sizeof(*at->literals));
	if (!at->literals)
		return bs_fail_memory(err, "a filter", tree->n_nodes * sizeof(*at->literals));
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		const struct bs_gram_node *node = &tree->nodes[i];
		struct literal *literal = &at->literals[i];
		uint32_t n_keys = is_of_few_literals(at, node)
		                          ? tree->nodes[node->children[0]].n_keys
		                          : node->n_keys;
		literal->first = n_hashes;
		literal->n_pieces = 1;
		for (uint32_t c = 0; c < node->n_children; c++) {
			uint32_t n_pieces = at->literals[node->children[c]].n_pieces +
			                    (node->kind == BS_GRAM_OR ? 2 : 0);
			literal->n_pieces =
				n_pieces > literal->n_pieces ? n_pieces : literal->n_pieces;
		}
		n_hashes += n_keys * BS_GRAM_MAX_HASHES;
		most_keys = n_keys > most_keys ? n_keys : most_keys;
	}
	at->hashes = malloc(((size_t)n_hashes + 1) * sizeof(*at->hashes));
	at->tiers = malloc(most_keys + (size_t)1);
	if (!make_pieces(at) || !at->hashes || !at->tiers)
		return bs_fail_memory(err, "a filter", n_hashes * sizeof(*at->hashes));
	return BS_OK;
}

enum bs_status bs_gram_filter(const struct bs_snapshot *snapshot, const struct bs_gram_tree *tree,
                              struct bs_gram_filter_how how, struct bs_doc_bits *candidates_out,
                              struct bs_gram_filter_stats *stats, struct bs_error *err)
{
	if (stats)
		*stats = (struct bs_gram_filter_stats){0};
	if (bs_gram_tree_root(tree)->kind == BS_GRAM_NONE)
		return BS_OK;
	struct filtering *at = malloc(sizeof(*at));
	if (!at)
		return bs_fail_memory(err, "a filter", sizeof(*at));
	*at = (struct filtering){
		.snapshot = snapshot, .tree = tree, .candidates = candidates_out, .how = how};
	at->sample_docs = how.is_sample ? distance_of_samples(snapshot) : 0;
	at->n_passed = at->sample_docs / 2;
	enum bs_status status = make_room(at, err);
	if (!status)
		status = ask_summary(at, err);
	for (uint32_t s = 0; s <= snapshot->manifest.n_segments && !status; s++)
		status = filter_segment(at, s, err);
	if (stats)
		*stats = at->stats;
	free(at->literals);
	free(at->pieces);
	free(at->hashes);
	free(at->tiers);
	free(at->helpers);
	bs_vector_deinit(&at->found);
	free(at);
	return status;
}
