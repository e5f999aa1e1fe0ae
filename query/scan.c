/* scan.c: the filter. See scan.h for the idea, core/slab.h for the picture of the matrix. */
#include "query/scan.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/slab.h"

#define LINES_BYTES (BS_SLAB_MAX_BLOCKS * BS_LINE_BYTES)
#define MASK_BYTES  (BS_SLAB_MAX_BLOCKS / 8 * BS_LINE_BYTES)

/* Intermediate results of one depth of the tree. */
struct frame {
	uint64_t *lines; /* one a block */
	uint64_t *mask;  /* one a group of blocks */
};

struct counted_column {
	bs_column column;
	uint32_t popcount;
};

struct bs_scan {
	struct frame *frames;
	uint32_t n_frames;
	struct bs_buffer terms;   /* u32: a stack of the terms that ANDs under evaluation look at */
	struct bs_buffer columns; /* struct counted_column: those of the level being read */
	struct bs_buffer pointers;
	struct bs_buffer truths;  /* struct truth, one a node: for plain signatures */
};

/* What every function below needs to know; lives for one slab. */
struct slab_scan {
	struct bs_scan *scan;
	const struct bs_plan *plan;
	const struct bs_slab *slab;
	const struct bs_kernel *kernel;
	struct bs_query_stats *stats;
	struct bs_error *err;
	uint32_t segment;
};

enum bs_status bs_scan_new(struct bs_scan **scan_out, struct bs_error *err)
{
	*scan_out = calloc(1, sizeof(**scan_out));
	return *scan_out ? BS_OK : bs_fail_memory(err, "a scan", sizeof(**scan_out));
}

void bs_scan_free(struct bs_scan *scan)
{
	if (!scan)
		return;
	for (uint32_t i = 0; i < scan->n_frames; i++) {
		free(scan->frames[i].lines);
		free(scan->frames[i].mask);
	}
	free(scan->frames);
	bs_buffer_deinit(&scan->terms);
	bs_buffer_deinit(&scan->columns);
	bs_buffer_deinit(&scan->pointers);
	bs_buffer_deinit(&scan->truths);
	free(scan);
}

static enum bs_status need_frame(struct slab_scan *at, uint32_t depth)
{
	struct bs_scan *scan = at->scan;
	if (depth < scan->n_frames)
		return BS_OK;
	struct frame *frames = realloc(scan->frames, ((size_t)depth + 1) * sizeof(*frames));
	if (!frames)
		return bs_fail_memory(at->err, "a scan", ((size_t)depth + 1) * sizeof(*frames));
	scan->frames = frames;
	struct frame frame = {.lines = aligned_alloc(BS_LINE_BYTES, LINES_BYTES),
	                      .mask = aligned_alloc(BS_LINE_BYTES, MASK_BYTES)};
	if (!frame.lines || !frame.mask) {
		free(frame.lines);
		free(frame.mask);
		return bs_fail_memory(at->err, "a scan", LINES_BYTES + MASK_BYTES);
	}
	frames[scan->n_frames++] = frame;
	return BS_OK;
}

/* ---- live masks ---- */

static void live_all(struct bs_live *live, uint32_t n)
{
	memset(live, 0, sizeof(*live));
	for (uint32_t i = 0; i < n / 64; i++)
		live->words[i] = UINT64_MAX;
	if (n % 64)
		live->words[n / 64] = (UINT64_C(1) << (n % 64)) - 1;
}

static bool live_any(const struct bs_live *live)
{
	uint64_t any = 0;
	for (size_t i = 0; i < BS_SLAB_MAX_BLOCKS / 64; i++)
		any |= live->words[i];
	return any != 0;
}

/* Every document of the live blocks: ones, but for the padding of the last block. */
static void fill_ones(const struct slab_scan *at, uint64_t *lines, const struct bs_live *live)
{
	for (uint32_t block = 0; block < at->slab->n_blocks; block++)
		if (live->words[block / 64] >> (block % 64) & 1)
			memset(lines + (size_t)block * BS_LINE_WORDS, 0xff, BS_LINE_BYTES);
	uint32_t n_last = at->slab->n_docs % BS_LINE_BITS;
	uint64_t *last = lines + (size_t)(at->slab->n_blocks - 1) * BS_LINE_WORDS;
	if (n_last == 0 || !(live->words[(at->slab->n_blocks - 1) / 64] >> ((at->slab->n_blocks - 1) % 64) & 1))
		return;
	for (uint32_t word = 0; word < BS_LINE_WORDS; word++) {
		uint32_t start = word * 64;
		if (n_last <= start)
			last[word] = 0;
		else if (n_last < start + 64)
			last[word] = (UINT64_C(1) << (n_last - start)) - 1;
	}
}

/* ---- columns of one level for some terms ---- */

static const struct bs_term_place *place_of(const struct slab_scan *at, uint32_t term)
{
	return bs_plan_place(at->plan, at->segment, term);
}

static enum bs_status push_column(struct slab_scan *at, const struct bs_level *level, uint32_t c,
                                  const struct bs_live *live)
{
	struct counted_column counted;
	enum bs_status status = bs_slab_column(at->slab, level, c, live, &counted.column, at->err);
	if (!status)
		status = bs_slab_popcount(at->slab, level, c, &counted.popcount, at->err);
	if (!status)
		status = bs_buffer_append(&at->scan->columns, &counted, sizeof(counted), at->err);
	return status;
}

/* The distinct columns of a hashed term at one level. A slab whose document level holds nothing has no hashed term. */
static enum bs_status push_hashed(struct slab_scan *at, uint32_t term, uint32_t level_index, struct bs_live *live)
{
	const struct bs_level *level = &at->slab->levels[level_index];
	uint32_t k = bs_slab_hashes(place_of(at, term)->treatment, at->slab->n_columns, level_index);
	if (k > 0 && level->n_columns == 0) {
		memset(live, 0, sizeof(*live));
		return BS_OK;
	}
	struct bs_probe probe = bs_hash_probe(at->plan->terms[term].hash, level->rank);
	uint32_t seen[BS_SLAB_MAX_HASHES];
	uint32_t n_seen = 0;
	for (uint32_t i = 0; i < k; i++) {
		uint32_t c = bs_hash_position(probe, i, level->n_columns);
		bool is_new = true;
		for (uint32_t j = 0; j < n_seen; j++)
			is_new &= seen[j] != c;
		if (!is_new)
			continue;
		seen[n_seen++] = c;
		enum bs_status status = push_column(at, level, c, live);
		if (status)
			return status;
	}
	return BS_OK;
}

/* Whether the term has an exact column here, and which. */
static enum bs_status find_exact(struct slab_scan *at, uint32_t term, bool *found_out, uint32_t *column_out)
{
	*found_out = false;
	if (at->slab->exact.n_columns == 0 || !place_of(at, term)->is_found)
		return BS_OK;
	return bs_slab_find_exact(at->slab, place_of(at, term)->ordinal, found_out, column_out, at->err);
}

static int compare_columns(const void *a, const void *b)
{
	uint32_t x = ((const struct counted_column *)a)->popcount;
	uint32_t y = ((const struct counted_column *)b)->popcount;
	return x < y ? -1 : x > y;
}

/* The columns pushed, sparsest first. */
static enum bs_status sorted_columns(struct slab_scan *at, const bs_column **columns_out, size_t *n_out)
{
	struct bs_scan *scan = at->scan;
	size_t n = scan->columns.used_bytes / sizeof(struct counted_column);
	struct counted_column *counted = (struct counted_column *)(void *)scan->columns.data;
	*columns_out = NULL;
	*n_out = n;
	if (n == 0)
		return BS_OK;
	qsort(counted, n, sizeof(*counted), compare_columns);
	bs_buffer_clear(&scan->pointers);
	for (size_t i = 0; i < n; i++) {
		enum bs_status status = bs_buffer_append(&scan->pointers, &counted[i].column, sizeof(bs_column), at->err);
		if (status)
			return status;
	}
	*columns_out = (const bs_column *)(const void *)scan->pointers.data;
	return BS_OK;
}

/* Pushes the columns of one level for all terms; exact columns stand for a term at rank 0, and for nothing above. */
static enum bs_status push_level(struct slab_scan *at, const uint32_t *terms, size_t n_terms, uint32_t level_index,
                                 struct bs_live *live)
{
	bs_buffer_clear(&at->scan->columns);
	for (size_t i = 0; i < n_terms && live_any(live); i++) {
		bool is_exact;
		uint32_t c;
		enum bs_status status = find_exact(at, terms[i], &is_exact, &c);
		if (!status && !is_exact)
			status = push_hashed(at, terms[i], level_index, live);
		else if (!status && level_index == 0)
			status = push_column(at, &at->slab->exact, c, live);
		if (status)
			return status;
	}
	return BS_OK;
}

/* ---- AND of terms ---- */

static enum bs_status and_blocks(struct slab_scan *at, uint32_t level, const uint32_t *terms, size_t n_terms,
                                 struct bs_live *live)
{
	enum bs_status status = push_level(at, terms, n_terms, level, live);
	size_t n = at->scan->columns.used_bytes / sizeof(struct counted_column);
	const struct counted_column *counted = (const struct counted_column *)(const void *)at->scan->columns.data;
	for (size_t i = 0; i < n && !status && live_any(live); i++) {
		for (size_t word = 0; word < BS_SLAB_MAX_BLOCKS / 64; word++)
			live->words[word] &= counted[i].column[word];
		at->stats->lines_read++;
	}
	return status;
}

/* Groups of eight blocks are the bytes of the live mask. Leaves the groups' lanes in the lines of the live blocks;
 * *fresh_io becomes false if it did. */
static enum bs_status and_groups(struct slab_scan *at, uint32_t level, const uint32_t *terms, size_t n_terms,
                                 const struct frame *frame, struct bs_live *live, bool *fresh_io)
{
	const bs_column *columns;
	size_t n;
	enum bs_status status = push_level(at, terms, n_terms, level, live);
	if (!status)
		status = sorted_columns(at, &columns, &n);
	if (status || n == 0 || !live_any(live))
		return status;
	struct bs_live groups = {{0}};
	for (size_t g = 0; g < BS_SLAB_MAX_BLOCKS / 8; g++)
		if (live->words[g / 8] >> (g % 8 * 8) & 0xff)
			groups.words[0] |= UINT64_C(1) << g;
	at->stats->lines_read += at->kernel->and_columns(frame->mask, &groups, columns, n, true);
	for (size_t g = 0; g < BS_SLAB_MAX_BLOCKS / 8; g++)
		if (!(groups.words[0] >> g & 1))
			live->words[g / 8] &= ~(UINT64_C(0xff) << (g % 8 * 8));
	at->kernel->spread_groups(frame->lines, live, frame->mask);
	*fresh_io = false;
	return BS_OK;
}

static enum bs_status and_documents(struct slab_scan *at, const uint32_t *terms, size_t n_terms, uint64_t *lines,
                                    struct bs_live *live, bool fresh)
{
	const bs_column *columns;
	size_t n;
	enum bs_status status = push_level(at, terms, n_terms, 0, live);
	if (!status)
		status = sorted_columns(at, &columns, &n);
	if (status || !live_any(live))
		return status;
	if (n == 0) {
		if (fresh)
			fill_ones(at, lines, live);
		return BS_OK;
	}
	uint64_t n_read = at->kernel->and_columns(lines, live, columns, n, fresh);
	at->stats->lines_read += n_read;
	at->stats->document_lines += n_read;
	return BS_OK;
}

/* lines and live become the documents that may have all the terms, within live. Coarse levels first. */
static enum bs_status and_terms(struct slab_scan *at, const uint32_t *terms, size_t n_terms, const struct frame *frame,
                                struct bs_live *live)
{
	enum bs_status status = BS_OK;
	bool fresh = true;
	for (size_t i = 0; i < n_terms; i++) {
		if (!place_of(at, terms[i])->is_found) {
			memset(live, 0, sizeof(*live));
			return BS_OK;
		}
	}
	for (uint32_t level = at->slab->n_levels; level-- > 1 && !status && live_any(live);) {
		if (at->slab->levels[level].rank == BS_RANK_BLOCK)
			status = and_blocks(at, level, terms, n_terms, live);
		else
			status = and_groups(at, level, terms, n_terms, frame, live, &fresh);
	}
	if (!status && live_any(live))
		status = and_documents(at, terms, n_terms, frame->lines, live, fresh);
	return status;
}

/* ---- the tree ---- */

static const struct bs_query_node *node_at(const struct slab_scan *at, uint32_t node)
{
	return &at->plan->query->nodes[node];
}

/* Whether a word's columns say exactly which documents have it. */
static enum bs_status word_is_exact(struct slab_scan *at, const struct bs_query_node *node, bool *exact_out)
{
	const struct bs_plan_element *element = &at->plan->elements[node->items[0].element];
	*exact_out = node->field == BS_QUERY_ANY_FIELD && !element->is_too_broad;
	for (uint32_t i = 0; i < element->n_terms && *exact_out; i++) {
		uint32_t term = element->first_term + i;
		uint32_t column;
		if (!place_of(at, term)->is_found)
			continue;
		enum bs_status status = find_exact(at, term, exact_out, &column);
		if (status)
			return status;
	}
	return BS_OK;
}

/* Whether the lines of a node are exactly its matches in this slab. */
static enum bs_status node_is_exact(struct slab_scan *at, uint32_t n, bool *exact_out)
{
	const struct bs_query_node *node = node_at(at, n);
	if (node->kind == BS_NODE_WORD)
		return word_is_exact(at, node, exact_out);
	*exact_out = node->kind != BS_NODE_PHRASE && node->kind != BS_NODE_NEAR;
	for (uint32_t i = 0; i < node->n_children && *exact_out; i++) {
		enum bs_status status = node_is_exact(at, node->children[i], exact_out);
		if (status)
			return status;
	}
	return BS_OK;
}

static enum bs_status eval(struct slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live);

static enum bs_status push_term(struct slab_scan *at, uint32_t term)
{
	return bs_buffer_append(&at->scan->terms, &term, sizeof(term), at->err);
}

/* Pushes the single terms that every match of the leaf has; an element of several terms is left to *has_wide_out. */
static enum bs_status push_leaf(struct slab_scan *at, const struct bs_query_node *node, bool *has_wide_out)
{
	enum bs_status status = BS_OK;
	*has_wide_out = false;
	for (uint32_t i = 0; i < node->n_items + node->n_aids && !status; i++) {
		uint32_t e = i < node->n_items ? node->items[i].element : node->aids[i - node->n_items].element;
		const struct bs_plan_element *element = &at->plan->elements[e];
		if (element->n_terms == 1)
			status = push_term(at, element->first_term);
		else if (!element->is_too_broad)
			*has_wide_out = true;
	}
	return status;
}

/* The documents that have any of an element's terms, into frame depth. */
static enum bs_status eval_wide(struct slab_scan *at, uint32_t e, uint32_t depth, struct bs_live *live)
{
	const struct bs_plan_element *element = &at->plan->elements[e];
	enum bs_status status = need_frame(at, depth + 1);
	struct bs_live joined = {{0}};
	for (uint32_t i = 0; i < element->n_terms && !status; i++) {
		uint32_t term = element->first_term + i;
		struct bs_live one = *live;
		status = and_terms(at, &term, 1, &at->scan->frames[depth + 1], &one);
		if (!status)
			at->kernel->or_lines(at->scan->frames[depth].lines, &joined, at->scan->frames[depth + 1].lines, &one);
	}
	*live = joined;
	return status;
}

/* ANDs the elements of several terms among a leaf's items into frame depth. */
static enum bs_status and_wide_items(struct slab_scan *at, const struct bs_query_node *node, uint32_t depth,
                                     struct bs_live *live)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < node->n_items && !status && live_any(live); i++) {
		struct bs_live one = *live;
		const struct bs_plan_element *element = &at->plan->elements[node->items[i].element];
		if (element->n_terms == 1 || element->is_too_broad)
			continue;
		status = need_frame(at, depth + 1);
		if (!status)
			status = eval_wide(at, node->items[i].element, depth + 1, &one);
		if (!status)
			at->kernel->and_lines(at->scan->frames[depth].lines, live, at->scan->frames[depth + 1].lines, &one);
	}
	return status;
}

/* ANDs NOT child into frame depth, as far as it is exact. */
static enum bs_status and_not(struct slab_scan *at, uint32_t child, uint32_t depth, struct bs_live *live)
{
	bool is_exact;
	enum bs_status status = node_is_exact(at, child, &is_exact);
	if (status || !is_exact)
		return status;
	struct bs_live one = *live;
	status = need_frame(at, depth + 1);
	if (!status)
		status = eval(at, child, depth + 1, &one);
	if (!status)
		at->kernel->and_not_lines(at->scan->frames[depth].lines, live, at->scan->frames[depth + 1].lines, &one);
	return status;
}

static bool is_leaf(const struct bs_query_node *node)
{
	return node->kind == BS_NODE_WORD || node->kind == BS_NODE_PHRASE || node->kind == BS_NODE_NEAR;
}

/* A conjunction of the children (or of one leaf alone): all single terms in one AND, then the rest one by one. */
static enum bs_status eval_and(struct slab_scan *at, const uint32_t *children, uint32_t n_children, uint32_t depth,
                               struct bs_live *live)
{
	struct bs_scan *scan = at->scan;
	size_t base = scan->terms.used_bytes;
	bool has_wide = false;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < n_children && !status; i++) {
		bool wide = false;
		if (is_leaf(node_at(at, children[i])))
			status = push_leaf(at, node_at(at, children[i]), &wide);
		has_wide |= wide;
	}
	if (status)
		goto out;
	const uint32_t *terms = (const uint32_t *)(const void *)(scan->terms.data + base);
	size_t n_terms = (scan->terms.used_bytes - base) / sizeof(uint32_t);
	if (n_terms > 0)
		status = and_terms(at, terms, n_terms, &scan->frames[depth], live);
	else
		fill_ones(at, scan->frames[depth].lines, live);
	for (uint32_t i = 0; i < n_children && !status && live_any(live); i++) {
		const struct bs_query_node *child = node_at(at, children[i]);
		if (is_leaf(child)) {
			status = has_wide ? and_wide_items(at, child, depth, live) : BS_OK;
		} else if (child->kind == BS_NODE_NOT) {
			status = and_not(at, child->children[0], depth, live);
		} else {
			struct bs_live one = *live;
			status = need_frame(at, depth + 1);
			if (!status)
				status = eval(at, children[i], depth + 1, &one);
			if (!status)
				at->kernel->and_lines(scan->frames[depth].lines, live, scan->frames[depth + 1].lines, &one);
		}
	}
out:
	scan->terms.used_bytes = base;
	return status;
}

static enum bs_status eval_or(struct slab_scan *at, const struct bs_query_node *node, uint32_t depth,
                              struct bs_live *live)
{
	struct bs_live joined = {{0}};
	enum bs_status status = need_frame(at, depth + 1);
	for (uint32_t i = 0; i < node->n_children && !status; i++) {
		struct bs_live one = *live;
		status = eval(at, node->children[i], depth + 1, &one);
		if (!status)
			at->kernel->or_lines(at->scan->frames[depth].lines, &joined, at->scan->frames[depth + 1].lines, &one);
	}
	*live = joined;
	return status;
}

/* Leaves in frame depth, for the blocks of live, the documents that may match node n; live shrinks to where any do. */
static enum bs_status eval(struct slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live)
{
	const struct bs_query_node *node = node_at(at, n);
	switch (node->kind) {
	case BS_NODE_AND:
		return eval_and(at, node->children, node->n_children, depth, live);
	case BS_NODE_OR:
		return eval_or(at, node, depth, live);
	default:
		return eval_and(at, &n, 1, depth, live);
	}
}

/* ---- plain signatures: the same tree, one document at a time ---- */

/* What is known of a node for one document: it may match, it does match. */
struct truth {
	bool may;
	bool must;
};

static enum bs_status row_has_element(struct slab_scan *at, uint32_t row, uint32_t e, bool *has_out)
{
	const struct bs_plan_element *element = &at->plan->elements[e];
	*has_out = false;
	for (uint32_t i = 0; i < element->n_terms && !*has_out; i++) {
		const struct bs_term_place *place = place_of(at, element->first_term + i);
		if (!place->is_found)
			continue;
		enum bs_status status = bs_slab_list_has(at->slab, row, place->ordinal, has_out, at->err);
		if (status)
			return status;
	}
	return BS_OK;
}

static enum bs_status leaf_truth(struct slab_scan *at, uint32_t row, const struct bs_query_node *node,
                                 struct truth *truth_out)
{
	bool has = true;
	bool is_known = true;
	for (uint32_t i = 0; i < node->n_items && has; i++) {
		if (at->plan->elements[node->items[i].element].is_too_broad) {
			is_known = false;
			continue;
		}
		enum bs_status status = row_has_element(at, row, node->items[i].element, &has);
		if (status)
			return status;
	}
	truth_out->may = has;
	truth_out->must = has && is_known && node->kind == BS_NODE_WORD && node->field == BS_QUERY_ANY_FIELD;
	return BS_OK;
}

static struct truth join_truths(const struct bs_query_node *node, const struct truth *truths)
{
	struct truth first = truths[node->children[0]];
	if (node->kind == BS_NODE_NOT)
		return (struct truth){.may = !first.must, .must = !first.may};
	for (uint32_t i = 1; i < node->n_children; i++) {
		struct truth next = truths[node->children[i]];
		if (node->kind == BS_NODE_AND)
			first = (struct truth){first.may && next.may, first.must && next.must};
		else
			first = (struct truth){first.may || next.may, first.must || next.must};
	}
	return first;
}

static enum bs_status scan_row(struct slab_scan *at, uint32_t row, struct truth *truth_out)
{
	const struct bs_query *query = at->plan->query;
	bs_buffer_clear(&at->scan->truths);
	enum bs_status status = bs_buffer_reserve(&at->scan->truths, query->n_nodes * sizeof(struct truth), at->err);
	if (status)
		return status;
	struct truth *truths = (struct truth *)(void *)at->scan->truths.data;
	for (uint32_t n = 0; n < query->n_nodes && !status; n++) {
		const struct bs_query_node *node = &query->nodes[n];
		if (is_leaf(node))
			status = leaf_truth(at, row, node, &truths[n]);
		else
			truths[n] = join_truths(node, truths);
	}
	if (!status)
		*truth_out = truths[query->n_nodes - 1];
	return status;
}

/* ---- candidates ---- */

static enum bs_status add_candidate(struct slab_scan *at, uint32_t row, bool is_sure, struct bs_buffer *candidates)
{
	struct bs_candidate candidate = {.is_sure = is_sure};
	const struct bs_snapshot *snapshot = at->plan->snapshot;
	enum bs_status status = bs_slab_document(at->slab, row, &candidate.document, at->err);
	if (status)
		return status;
	if (candidate.document >= snapshot->segments[at->segment].meta.n_docs)
		return bs_container_corrupt(at->slab->rows.file, at->err, "row %u is document %u", row, candidate.document);
	if (bs_snapshot_is_deleted(snapshot, at->segment, candidate.document))
		return BS_OK;
	at->stats->candidates++;
	return bs_buffer_append(candidates, &candidate, sizeof(candidate), at->err);
}

static enum bs_status scan_lists(struct slab_scan *at, struct bs_buffer *candidates)
{
	enum bs_status status = BS_OK;
	for (uint32_t row = 0; row < at->slab->n_docs && !status; row++) {
		struct truth truth = {false, false};
		status = scan_row(at, row, &truth);
		if (!status && truth.may)
			status = add_candidate(at, row, truth.must, candidates);
	}
	return status;
}

static enum bs_status add_lines(struct slab_scan *at, const struct bs_live *live, bool is_sure,
                                struct bs_buffer *candidates)
{
	const uint64_t *lines = at->scan->frames[0].lines;
	enum bs_status status = BS_OK;
	for (uint32_t block = 0; block < at->slab->n_blocks && !status; block++) {
		if (!(live->words[block / 64] >> (block % 64) & 1))
			continue;
		at->stats->blocks_live++;
		for (uint32_t word = 0; word < BS_LINE_WORDS; word++) {
			uint64_t bits = lines[(size_t)block * BS_LINE_WORDS + word];
			for (; bits && !status; bits &= bits - 1) {
				uint32_t row = block * BS_LINE_BITS + word * 64 + (uint32_t)__builtin_ctzll(bits);
				if (row >= at->slab->n_docs)
					return bs_container_corrupt(at->slab->rows.file, at->err, "a column has bits past the last document");
				status = add_candidate(at, row, is_sure, candidates);
			}
		}
	}
	return status;
}

static enum bs_status scan_matrix(struct slab_scan *at, struct bs_buffer *candidates)
{
	struct bs_live live;
	bool is_sure = false;
	uint32_t root = (uint32_t)at->plan->query->n_nodes - 1;
	live_all(&live, at->slab->n_blocks);
	enum bs_status status = need_frame(at, 0);
	if (!status)
		status = eval(at, root, 0, &live);
	if (!status)
		status = node_is_exact(at, root, &is_sure);
	return status ? status : add_lines(at, &live, is_sure, candidates);
}

static int compare_candidates(const void *a, const void *b)
{
	uint32_t x = ((const struct bs_candidate *)a)->document;
	uint32_t y = ((const struct bs_candidate *)b)->document;
	return x < y ? -1 : x > y;
}

/* Slabs give their documents in order, but not one after the other. */
static void sort_candidates(struct bs_candidate *candidates, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (candidates[i - 1].document > candidates[i].document) {
			qsort(candidates, n, sizeof(*candidates), compare_candidates);
			return;
		}
	}
}

enum bs_status bs_scan_segment(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                               const struct bs_kernel *kernel, struct bs_buffer *candidates,
                               struct bs_query_stats *stats, struct bs_error *err)
{
	const struct bs_segment *segment = &plan->snapshot->segments[s];
	size_t base = candidates->used_bytes;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < segment->meta.n_slabs && !status; i++) {
		struct slab_scan at = {scan, plan, &segment->slabs[i], kernel, stats, err, s};
		status = at.slab->n_levels == 0 ? scan_lists(&at, candidates) : scan_matrix(&at, candidates);
	}
	if (!status && candidates->used_bytes > base)
		sort_candidates((struct bs_candidate *)(void *)(candidates->data + base),
		                (candidates->used_bytes - base) / sizeof(struct bs_candidate));
	return status;
}

/* ---- weights ---- */

static struct bs_candidate *find_candidate(struct bs_candidate *candidates, size_t n, uint32_t document)
{
	size_t low = 0;
	size_t high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (candidates[middle].document < document)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && candidates[low].document == document ? &candidates[low] : NULL;
}

/* Adds weight to the candidates among the documents of the slab that may have the term. */
static enum bs_status weigh_row(struct slab_scan *at, uint32_t row, double weight, struct bs_candidate *candidates,
                                size_t n)
{
	uint32_t document;
	enum bs_status status = bs_slab_document(at->slab, row, &document, at->err);
	struct bs_candidate *found = status ? NULL : find_candidate(candidates, n, document);
	if (found)
		found->weight += (float)weight;
	return status;
}

static enum bs_status weigh_lists(struct slab_scan *at, uint32_t term, double weight, struct bs_candidate *candidates,
                                  size_t n)
{
	enum bs_status status = BS_OK;
	for (uint32_t row = 0; row < at->slab->n_docs && !status && place_of(at, term)->is_found; row++) {
		bool has = false;
		status = bs_slab_list_has(at->slab, row, place_of(at, term)->ordinal, &has, at->err);
		if (!status && has)
			status = weigh_row(at, row, weight, candidates, n);
	}
	return status;
}

static enum bs_status weigh_matrix(struct slab_scan *at, uint32_t term, double weight, struct bs_candidate *candidates,
                                   size_t n)
{
	struct bs_live live;
	live_all(&live, at->slab->n_blocks);
	enum bs_status status = need_frame(at, 0);
	if (!status)
		status = and_terms(at, &term, 1, &at->scan->frames[0], &live);
	for (uint32_t block = 0; block < at->slab->n_blocks && !status; block++) {
		if (!(live.words[block / 64] >> (block % 64) & 1))
			continue;
		for (uint32_t word = 0; word < BS_LINE_WORDS; word++) {
			uint64_t bits = at->scan->frames[0].lines[(size_t)block * BS_LINE_WORDS + word];
			for (; bits && !status; bits &= bits - 1) {
				uint32_t row = block * BS_LINE_BITS + word * 64 + (uint32_t)__builtin_ctzll(bits);
				if (row < at->slab->n_docs)
					status = weigh_row(at, row, weight, candidates, n);
			}
		}
	}
	return status;
}

enum bs_status bs_scan_weigh(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                             const struct bs_kernel *kernel, const double *weights, struct bs_candidate *candidates,
                             size_t n_candidates, struct bs_query_stats *stats, struct bs_error *err)
{
	const struct bs_segment *segment = &plan->snapshot->segments[s];
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < segment->meta.n_slabs && !status; i++) {
		struct slab_scan at = {scan, plan, &segment->slabs[i], kernel, stats, err, s};
		for (uint32_t t = 0; t < plan->n_terms && !status; t++) {
			if (!(weights[t] > 0))
				continue;
			status = at.slab->n_levels == 0 ? weigh_lists(&at, t, weights[t], candidates, n_candidates)
			                                : weigh_matrix(&at, t, weights[t], candidates, n_candidates);
		}
	}
	return status;
}
