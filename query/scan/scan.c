/* scan.c: see scan.h. In order: evaluating the leaves of the query's tree in a window of a shard,
 * evaluating its inner nodes, collecting the documents that remain, scanning a segment. */
#include "query/scan/scan.h"

#include <string.h>

#include "query/plan/filter.h"

/* Estimated costs of a row, a block of lines, a word pair, and a file name. */
#define ROW_NS   50u
#define BLOCK_NS 4u
#define PAIR_NS  2u
#define NAME_NS  300u

static const struct bs_query_node *node_at(const struct bs_shard_scan *at, uint32_t node)
{
	return &at->plan->query->nodes[node];
}

static bool is_exact_leaf(struct bs_shard_scan *at, uint32_t n)
{
	bs_scan_spend(at, PAIR_NS * (1 + (node_at(at, n)->kind == BS_NODE_PHRASE
	                                          ? bs_plan_n_pairs(at->plan)
	                                          : 0)));
	return bs_plan_is_exact_leaf(at->plan, at->segment, n);
}

static void push_term(struct bs_shard_scan *at, uint32_t term)
{
	if (!at->status)
		at->status = bs_vector_append(&at->scan->terms, &term, at->err);
}

/* Pushes terms on scan->terms: those that every match of the leaf has, or the one term that is
 * equivalent to the leaf. Leaves out elements with no term or several terms; returns true if some
 * of these are not too broad (is_too_broad). */
static bool push_leaf(struct bs_shard_scan *at, uint32_t n)
{
	const struct bs_query_node *node = node_at(at, n);
	bs_scan_spend(at, PAIR_NS * 2 * bs_plan_n_pairs(at->plan));
	uint32_t whole = bs_plan_equivalent_term(at->plan, at->segment, n);
	bool has_wide = false;
	if (whole != UINT32_MAX) {
		push_term(at, whole);
		return false;
	}
	for (uint32_t i = 0; i < bs_plan_n_pairs(at->plan); i++)
		if (at->plan->pairs.items[i].node == n &&
		    bs_plan_is_widest(at->plan, at->segment, i))
			push_term(at, at->plan->pairs.items[i].term);
	for (uint32_t i = 0; i < node->n_items + node->n_aids; i++) {
		uint32_t e = i < node->n_items ? node->items[i].element
		                               : node->aids[i - node->n_items].element;
		const struct bs_plan_element *element = &at->plan->elements.items[e];
		if (element->n_terms == 1)
			push_term(at, element->first_term);
		else
			has_wide |= !element->is_too_broad;
	}
	return has_wide;
}

/* Combines frames[depth + 1], whose live blocks are `one`, into frames[depth], by an operation of
 * the kernel. */
#define TAKE_NEXT(at, operation, depth, live, one)                           \
	(at)->kernel->lines.operation((at)->scan->frames[depth].lines, live, \
	                              (at)->scan->frames[(depth) + 1].lines, one)

/* Reduces frames[depth] to the documents that have at least one term of each element of the leaf
 * that push_leaf left out and that is not too broad. */
static void keep_wide(struct bs_shard_scan *at, const struct bs_query_node *node,
                      enum bs_claim claim, uint32_t depth, struct bs_live *live)
{
	for (uint32_t i = 0; i < node->n_items && bs_live_any(live) && !bs_query_is_file_name(node);
	     i++) {
		const struct bs_plan_element *element =
			&at->plan->elements.items[node->items[i].element];
		if (element->n_terms != 1 && !element->is_too_broad)
			bs_scan_any_term(at, element->first_term, element->n_terms, claim, depth,
			                 live);
	}
}

/* Reduces frames[depth] to the documents whose file names match leaf n. */
static void keep_named(struct bs_shard_scan *at, uint32_t n, uint32_t depth,
                       const struct bs_live *live)
{
	uint64_t *lines = at->scan->frames[depth].lines;
	struct bs_file_names *names = at->plan->names;
	struct bs_row_walk walk = bs_scan_walk(at, lines, live);
	struct bs_scan_row rows[BS_SCAN_TOGETHER];
	for (size_t n_rows; !at->status && (n_rows = bs_scan_take_rows(&walk, rows)) > 0;) {
		bs_scan_spend(at, n_rows * NAME_NS);
		bs_scan_documents(at, rows, n_rows);
		for (size_t i = 0; i < n_rows && !at->status; i++) {
			uint32_t row = rows[i].row - walk.first_row;
			bool has = false;
			at->status = names->has(names, n,
			                        (struct bs_doc_ref){at->segment, rows[i].document},
			                        &has, at->err);
			lines[row / 64] &= ~((uint64_t)!has << (row % 64));
		}
	}
}

/* Reduces frames[depth] to the documents that are in a range. Keeps all if the index does not know
 * which are. */
static void keep_range(struct bs_shard_scan *at, uint32_t n, uint32_t depth, struct bs_live *live)
{
	const struct bs_plan_range *range = bs_plan_range(at->plan, at->segment, n);
	const struct bs_segment *segment = bs_plan_segment(at->plan, at->segment);
	const struct bs_and_frame *frames = &at->scan->frames[depth];
	uint64_t *scratch[2] = {frames[1].lines, frames[2].lines};
	struct bs_value_part part;
	bool found = false;
	if (!range->is_known)
		return;
	if (range->ranks.n > 0 && !at->status)
		at->status = bs_value_part_find(&segment->values, &range->field,
		                                (uint32_t)(at->shard - segment->shards),
		                                at->shard->n_docs, &found, &part, at->err);
	if (found && !at->status)
		at->stats->lines_read +=
			bs_value_part_keep(&part, at->kernel, &range->ranks, at->first_block,
		                           bs_scan_n_blocks(at), frames->lines, live, scratch);
	else
		memset(live, 0, sizeof(*live));
}

static void eval(struct bs_shard_scan *at, uint32_t n, enum bs_claim claim, uint32_t depth,
                 const uint64_t *within, struct bs_live *live);

/* Reduces frames[depth] to the documents that may match (claim BS_MAY) or surely match (BS_SURELY)
 * an inner child of an AND. For a NOT, the claim about its operand is the opposite: a document
 * surely matches the NOT if it cannot match the operand, and may match it unless it surely matches
 * the operand. */
static void and_child(struct bs_shard_scan *at, uint32_t n, enum bs_claim claim, uint32_t depth,
                      struct bs_live *live)
{
	const struct bs_query_node *child = node_at(at, n);
	const uint64_t *within = at->scan->frames[depth].lines;
	struct bs_live one = *live;
	if (child->kind == BS_NODE_NOT) {
		eval(at, child->children[0], claim == BS_MAY ? BS_SURELY : BS_MAY, depth + 1,
		     within, &one);
		TAKE_NEXT(at, and_not_lines, depth, live, &one);
	} else {
		eval(at, n, claim, depth + 1, within, &one);
		TAKE_NEXT(at, and_lines, depth, live, &one);
	}
}

/* Evaluates an AND of the children, or a single leaf: first one AND of all single terms, then
 * ranges, then the other children one by one, and last file names, because they are checked
 * document by document. */
static void eval_and(struct bs_shard_scan *at, const uint32_t *children, uint32_t n_children,
                     enum bs_claim claim, uint32_t depth, const uint64_t *within,
                     struct bs_live *live)
{
	struct bs_scan *scan = at->scan;
	size_t base = bs_vector_n(&scan->terms);
	bool has_wide = false;
	for (uint32_t i = 0; i < n_children && claim == BS_SURELY; i++)
		if (node_at(at, children[i])->n_children == 0 && !is_exact_leaf(at, children[i]))
			memset(live, 0, sizeof(*live));
	for (uint32_t i = 0; i < n_children && bs_live_any(live); i++)
		if (node_at(at, children[i])->n_children == 0 &&
		    !bs_query_is_file_name(node_at(at, children[i])))
			has_wide |= push_leaf(at, children[i]);
	size_t n_terms = bs_vector_n(&scan->terms) - base;
	if (n_terms > 0)
		bs_scan_terms(at, scan->terms.items + base, n_terms, claim, depth, within, live);
	else
		bs_scan_fill(at, depth, within, live);
	for (uint32_t i = 0; i < n_children && bs_live_any(live); i++)
		if (node_at(at, children[i])->kind == BS_NODE_RANGE)
			keep_range(at, children[i], depth, live);
	for (uint32_t i = 0; i < n_children && bs_live_any(live); i++) {
		if (node_at(at, children[i])->n_children > 0)
			and_child(at, children[i], claim, depth, live);
		else if (has_wide)
			keep_wide(at, node_at(at, children[i]), claim, depth, live);
	}
	for (uint32_t i = 0; i < n_children && bs_live_any(live); i++)
		if (bs_query_is_file_name(node_at(at, children[i])))
			keep_named(at, children[i], depth, live);
	bs_vector_set_n(&scan->terms, base);
}

/* Evaluates an OR. With forward indexes, each child is only looked up for documents that match no
 * earlier child. */
static void eval_or(struct bs_shard_scan *at, const struct bs_query_node *node, enum bs_claim claim,
                    uint32_t depth, const uint64_t *within, struct bs_live *live)
{
	const struct bs_and_frame *frames = &at->scan->frames[depth];
	const bool is_narrowed = at->is_lookup && !bs_scan_has_columns(at);
	struct bs_live joined = {{0}};
	if (is_narrowed)
		bs_scan_fill(at, depth + 1, within, live);
	for (uint32_t i = 0; i < node->n_children && !at->status; i++) {
		struct bs_live one = *live;
		bs_scan_spend(at, bs_scan_n_blocks(at) * BLOCK_NS);
		eval(at, node->children[i], claim, depth + 2,
		     is_narrowed ? frames[1].lines : within, &one);
		at->kernel->lines.or_lines(frames->lines, &joined, frames[2].lines, &one);
		if (is_narrowed)
			at->kernel->lines.and_not_lines(frames[1].lines, live, frames[2].lines,
			                                &one);
	}
	*live = joined;
}

/* Sets frames[depth] to the documents of the live blocks that may match (claim BS_MAY) or surely
 * match (BS_SURELY) node n; live shrinks to the blocks that have any. `within` (nullable) limits
 * the work: outside of it, the result may be wrong. Recurses as deep as the query; bs_query_parse
 * ensures that the stack is large enough. */
static void eval(struct bs_shard_scan *at, uint32_t n, enum bs_claim claim, uint32_t depth,
                 const uint64_t *within, struct bs_live *live)
{
	const struct bs_query_node *node = node_at(at, n);
	if (node->kind == BS_NODE_AND)
		eval_and(at, node->children, node->n_children, claim, depth, within, live);
	else if (node->kind == BS_NODE_OR)
		eval_or(at, node, claim, depth, within, live);
	else
		eval_and(at, &n, 1, claim, depth, within, live);
}

/* In a shard of forward indexes, first evaluates the tree by their filters, which reject nearly all
 * documents, and then by exact lookups for the documents that remain. */
bool bs_scan_matches(struct bs_shard_scan *at, struct bs_live *live)
{
	uint32_t n_nodes = (uint32_t)at->plan->query->n_nodes;
	at->is_lookup = at->has_doubts = false;
	eval(at, n_nodes - 1, BS_MAY, 0, NULL, live);
	at->is_lookup = true;
	if (at->has_doubts && bs_live_any(live)) {
		struct bs_live one = *live;
		eval(at, n_nodes - 1, BS_MAY, 1, at->scan->frames[0].lines, &one);
		TAKE_NEXT(at, and_lines, 0, live, &one);
	}
	if (at->status)
		memset(live, 0, sizeof(*live));
	bool is_sure = bs_live_any(live);
	for (uint32_t n = 0; n < n_nodes && is_sure; n++)
		is_sure = node_at(at, n)->n_children > 0 || is_exact_leaf(at, n);
	return is_sure;
}

bool bs_scan_is_out(struct bs_shard_scan *at, uint32_t document)
{
	const struct bs_plan *plan = at->plan;
	bool passes = !at->status &&
	              !bs_list_is_deleted(plan->list, (struct bs_doc_ref){at->segment, document});
	passes = passes && !bs_plan_leaves_out(plan, (struct bs_doc_ref){at->segment, document});
	if (passes && plan->scope.filter)
		at->status = bs_filter_passes(plan->scope.filter,
		                              (struct bs_doc_ref){at->segment, document}, &passes,
		                              at->err);
	return at->status || !passes;
}

bool bs_scan_has_all(const struct bs_shard_scan *at)
{
	return !at->plan->scope.filter && at->plan->scope.n_left_out == 0 &&
	       !at->plan->list->segments[at->segment].tombstones;
}

/* Adds a document to the candidates, unless it is excluded (bs_scan_is_out). If n_counted is not
 * NULL, sure candidates are only counted. */
static void add_candidate(struct bs_shard_scan *at, const struct bs_scan_row *row, bool is_sure,
                          struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	struct bs_candidate candidate = {.row = row->row,
	                                 .document = row->document,
	                                 .is_sure = is_sure && !at->plan->scope.is_open};
	if (bs_scan_is_out(at, candidate.document))
		return;
	at->stats->candidates++;
	if (candidate.is_sure && n_counted)
		++*n_counted;
	else
		at->status = bs_vector_append(candidates, &candidate, at->err);
}

static void add_rows(struct bs_shard_scan *at, struct bs_scan_row *rows, size_t n, bool is_sure,
                     struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	bs_scan_spend(at, n * ROW_NS);
	if (!at->status)
		bs_scan_documents(at, rows, n);
	for (size_t i = 0; i < n && !at->status; i++)
		add_candidate(at, &rows[i], is_sure, candidates, n_counted);
}

/* Whether bits after the last document are set. Only a maliciously made file can have such bits and
 * valid checksums. */
static bool has_bits_past_end(const struct bs_shard_scan *at, uint32_t depth,
                              const struct bs_live *live)
{
	uint32_t last = bs_scan_n_blocks(at) - 1;
	const uint64_t *line = at->scan->frames[depth].lines + (size_t)last * BS_LINE_WORDS;
	uint64_t past = 0;
	for (uint32_t word = 0; word < BS_LINE_WORDS && bs_scan_is_live(live, last); word++)
		past |= line[word] & ~bs_scan_rows(at, last, word);
	return past != 0;
}

/* Adds the documents of frames[depth] to the candidates, or, if they are sure and nothing is
 * excluded, only counts their bits. */
static void take_lines(struct bs_shard_scan *at, uint32_t depth, const struct bs_live *live,
                       bool is_sure, struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	const uint64_t *lines = at->scan->frames[depth].lines;
	bool is_count = is_sure && n_counted && bs_scan_has_all(at) && !at->plan->scope.is_open;
	if (at->status)
		return;
	if (is_count && has_bits_past_end(at, depth, live)) {
		bs_scan_fail_past_end(at);
	} else if (is_count) {
		uint64_t n = at->kernel->lines.count(lines, live);
		at->stats->candidates += n;
		*n_counted += n;
	} else {
		struct bs_row_walk walk = bs_scan_walk(at, lines, live);
		struct bs_scan_row rows[BS_SCAN_TOGETHER];
		for (size_t n; !at->status && (n = bs_scan_take_rows(&walk, rows)) > 0;)
			add_rows(at, rows, n, is_sure, candidates, n_counted);
	}
}

/* Scans a window of a shard. Finds the sure documents separately, because they need not be verified
 * even if others must. */
static void scan_window(struct bs_shard_scan *at, struct bs_candidate_list *candidates,
                        uint64_t *n_counted)
{
	struct bs_live live;
	bs_live_all(&live, bs_scan_n_blocks(at));
	bool is_sure = bs_scan_matches(at, &live);
	if (bs_scan_has_columns(at))
		at->stats->blocks_live += bs_scan_count_live(&live);
	if (!is_sure && bs_live_any(&live)) {
		struct bs_live sure = live;
		eval(at, (uint32_t)at->plan->query->n_nodes - 1, BS_SURELY, 1,
		     at->scan->frames[0].lines, &sure);
		/* Removes the sure documents from frame 0. They are among the candidates there,
		 * because both sets are computed from the same columns, except in a maliciously
		 * made file. */
		TAKE_NEXT(at, and_not_lines, 0, &live, &sure);
		take_lines(at, 1, &sure, true, candidates, n_counted);
	}
	take_lines(at, 0, &live, is_sure, candidates, n_counted);
}

void bs_scan_shard(struct bs_shard_scan *at, struct bs_candidate_list *candidates,
                   uint64_t *n_counted)
{
	for (at->first_block = 0; at->first_block < at->shard->n_blocks && !at->status;
	     at->first_block += BS_SHARD_MAX_BLOCKS)
		scan_window(at, candidates, n_counted);
}

/* The end of the ascending run that begins at `from`. */
static size_t run_end(const struct bs_candidate *candidates, size_t from, size_t n)
{
	for (from++; from < n && candidates[from - 1].document <= candidates[from].document; from++)
		continue;
	return from;
}

static void merge_runs(const struct bs_candidate *a, const struct bs_candidate *a_end,
                       const struct bs_candidate *b, const struct bs_candidate *b_end,
                       struct bs_candidate *to)
{
	while (a < a_end && b < b_end)
		*to++ = a->document <= b->document ? *a++ : *b++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*to));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*to));
}

/* Sorts the candidates by document, by a natural merge sort. There are few ascending runs to merge,
 * because each window of a shard yields at most two: its sure candidates, and the others. */
static enum bs_status sort_candidates(struct bs_scan *scan, struct bs_candidate *candidates,
                                      size_t n, struct bs_error *err)
{
	if (run_end(candidates, 0, n) == n)
		return BS_OK;
	bs_vector_clear(&scan->merged);
	enum bs_status status = bs_vector_reserve(&scan->merged, n, err);
	if (status)
		return status;
	struct bs_candidate *from = candidates;
	struct bs_candidate *to = scan->merged.items;
	for (size_t n_runs = 2; n_runs > 1;) {
		n_runs = 0;
		for (size_t start = 0; start < n; n_runs++) {
			size_t middle = run_end(from, start, n);
			size_t end = middle < n ? run_end(from, middle, n) : n;
			merge_runs(from + start, from + middle, from + middle, from + end,
			           to + start);
			start = end;
		}
		struct bs_candidate *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != candidates)
		memcpy(candidates, from, n * sizeof(*candidates));
	return BS_OK;
}

enum bs_status bs_scan_segment(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                               const struct bs_kernel *kernel, struct bs_candidate_list *candidates,
                               uint64_t *n_counted, struct bs_scan_stats *stats,
                               struct bs_error *err)
{
	const struct bs_segment *segment = bs_plan_segment(plan, s);
	size_t base = bs_vector_n(candidates);
	enum bs_status status = bs_scan_start(scan, plan, 0, err);
	for (uint32_t i = 0; i < segment->meta.n_shards && !status; i++) {
		struct bs_shard_scan at = {scan,  plan, &segment->shards[i], kernel, stats, err, s,
		                           BS_OK, {0}};
		bs_scan_prefetch(plan, s, i + 1);
		bs_scan_shard(&at, candidates, n_counted);
		status = at.status;
	}
	if (!status && bs_vector_n(candidates) > base)
		status = sort_candidates(scan, candidates->items + base,
		                         bs_vector_n(candidates) - base, err);
	return status;
}

#define DOCUMENT_NS 5u /* Estimated cost of checking a document. */

enum bs_status bs_scan_all(const struct bs_plan *plan, uint32_t s,
                           struct bs_candidate_list *candidates, struct bs_scan_stats *stats,
                           struct bs_error *err)
{
	const struct bs_list_segment *segment = bs_list_segment(plan->list, s);
	enum bs_status status = BS_OK;
	for (uint32_t d = 0; d < segment->n_docs && !status; d++) {
		const struct bs_doc_ref ref = {s, d};
		struct bs_candidate candidate = {.document = d};
		bool passes =
			!bs_list_is_deleted(plan->list, ref) && !bs_plan_leaves_out(plan, ref);
		status = bs_deadline_check_after(DOCUMENT_NS, err);
		if (passes && plan->scope.filter && !status)
			status = bs_filter_passes(plan->scope.filter, ref, &passes, err);
		if (status || !passes)
			continue;
		stats->candidates++;
		status = bs_vector_append(candidates, &candidate, err);
	}
	return status;
}
