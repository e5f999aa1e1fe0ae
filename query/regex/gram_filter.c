/* gram_filter.c: see gram_filter.h. A shard at a time, and of it so many rows at a time that all
 * that is in between stays in the first level of cache. */
#include "query/regex/gram_filter.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/source_kind.h"
#include "core/base/vector.h"
#include "core/matrix/gram_shard.h"
#include "core/system/deadline.h"
#include "core/system/workers.h"

#define PIECE_BYTES 512u /* of a column: 4,096 rows */

/* A shard takes some 10 us, a thread's start 50: so many must there be for each. */
#define SHARDS_A_THREAD 24u
#define MOST_THREADS    8u
/* Room from the start for so many documents that a thread finds: its first allocation costs it an
 * arena. */
#define DOCUMENTS_AT_ONCE 1024u

/* Columns that are asked for before they are needed: each is on a page of its own. */
#define COLUMNS_AHEAD 2u
#define CACHE_LINE    64u

/* Of so many literals it is looked what they have in common. */
#define MOST_SHARING 8u

/* An estimate takes so many. */
#define MOST_SAMPLES 24u

/* After this number of operands of an OR, the filter checks whether the others are worth the
 * time. */
#define OR_STEP 256u

/* A literal in a segment: its hashes[first..first + n). Of an OR of literals, what all of them
 * have, and then they have not. */
struct literal {
	uint32_t first;
	uint32_t n;
	uint32_t n_pieces; /* that it takes to test this node and those below it */
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
	struct literal *literals; /* by node */
	/* of all literals; in a shard each is a column */
	uint32_t *hashes;
	uint8_t *tiers; /* of the keys of one literal */
	bool is_absent; /* no segment has all of its trigrams */
	/* sets of rows; at the end the first has those that satisfy the root */
	uint8_t (*pieces)[PIECE_BYTES];
	/* documents that one sample stands for, and of the shards so far */
	uint64_t sample_docs, n_passed;
	uint8_t room[BS_SECTION_ROOM(PIECE_BYTES)]; /* for a piece of a column */
	/* of the shards, not yet among the candidates */
	struct documents found;
	struct filtering *helpers; /* by thread */
};

/* into &= from; whether anything is left. */
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

#define COLUMN_NS 100u /* what a column costs about before it is read */

/* Leaves of the rows of a piece, of which there are some, those that have the literal. */
static enum bs_status test_literal(struct filtering *at, const struct literal *literal,
                                   uint8_t *piece, uint32_t first, uint32_t n_bytes,
                                   bool *is_any_left, struct bs_error *err)
{
	const uint32_t *hashes = at->hashes + literal->first;
	uint32_t m = at->shard->shape.n_columns;
	/* Without columns there are no grams, but those that are left out. */
	*is_any_left = m > 0 || literal->n == 0;
	if (!*is_any_left)
		memset(piece, 0, n_bytes);
	enum bs_status spent =
		bs_deadline_spend((uint64_t)(1 + literal->n) * (COLUMN_NS + n_bytes / 16), err);
	if (spent)
		return spent;
	for (uint32_t c = 0; c < literal->n && c < COLUMNS_AHEAD && *is_any_left; c++)
		fetch_column(at, hashes[c], first, n_bytes);
	for (uint32_t c = 0; c < literal->n && *is_any_left; c++) {
		const uint8_t *bytes;
		uint32_t column = bs_gram_column(hashes[c], m);
		if (c + COLUMNS_AHEAD < literal->n)
			fetch_column(at, hashes[c + COLUMNS_AHEAD], first, n_bytes);
		/* Of a thousand pages some hundred bytes each, and a process often asks once. */
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

/* Whether n operands would let most rows of the piece through, by what the first n_tested of them
 * do: then it is of no use to ask for the others. */
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

/* Literals are asked about after what they have in common. */
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

/* Leaves of the rows in pieces[0], of which there are some, those that satisfy the node. An AND
 * asks literals first. As deep as groups of the pattern are nested. */
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

/* The next byte from i on that is not zero. */
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

#define ROW_NS 50u

static enum bs_status take_rows(struct filtering *at, const uint8_t *piece, uint32_t first_row,
                                uint32_t n_bytes, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = next_byte(piece, 0, n_bytes); i < n_bytes && !status;
	     i = next_byte(piece, i + 1, n_bytes)) {
		status = bs_deadline_spend(ROW_NS, err);
		for (unsigned bits = piece[i]; bits && !status; bits &= bits - 1) {
			uint32_t row = first_row + i * 8 + (unsigned)__builtin_ctz(bits);
			/* The last byte has bits of no row, which a literal without columns leaves
			 * set. */
			if (row < at->shard->shape.n_docs)
				status = take_row(at, row, err);
		}
	}
	return status;
}

/* Places of a literal's grams in a segment: those of longer grams first, then of rare trigrams, and
 * so on: so the soonest nothing is left. */
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

/* Letters that are alike (an i with a dot above it) make several literals of one, which have most
 * in common. */
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
		    !(status = bs_deadline_spend(COLUMN_NS * at->tree->nodes[i].n_keys, err)))
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

/* A piece from the middle stands for the shard: what comes first was added first, and may be of
 * another kind. Where there is much, shards are asked where a comb goes through the documents of
 * all of them, whose teeth are as far apart as it takes for so many samples. */
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

/* 0: each shard is asked. */
static uint64_t distance_of_samples(const struct bs_snapshot *snapshot)
{
	uint64_t n_docs = 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++)
		n_docs += snapshot->segments[s].grams.meta.n_docs;
	return n_docs > MOST_SAMPLES * PIECE_BYTES * 8 ? n_docs / MOST_SAMPLES : 0;
}

/* A shard of the segment, on any of the threads. */
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

/* What a thread of its own needs; false if it is not to be had. */
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

/* As many as have no grams. */
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

/* Records are no files, but a row is one. */
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
	/* Some grams are nowhere: exact, and far fewer bytes than the columns. */
	const struct bs_coded_set grams = {.base = segment->trigrams.set};
	if (may_match && segment->trigrams.are_known)
		status = bs_gram_tree_may_match(at->tree, &grams, &may_match, err);
	if (!status && may_match)
		status = find_hashes(at, err);
	if (!status && may_match)
		status = filter_all_shards(at, err);
	return status ? status : find_unknown(at, err);
}

/* The summary, if it is at hand, is asked once for all segments. One that is damaged counts as
 * none. */
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
