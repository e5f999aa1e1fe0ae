/*
 * scan.c: see scan.h. From the bottom up: the AND of terms in one slab (the columns are core/matrix/slab_and.h's), the
 * tree on it, and the documents that this leaves; the same tree on forward lists; a segment.
 */
#include "query/scan/scan.h"

#include <stdlib.h>
#include <string.h>

#include "core/bitsift/find_result.h"
#include "core/bitsift/status.h"
#include "core/system/watch.h"
#include "query/plan/filter.h"

#define LINES_BYTES  (BS_SLAB_MAX_BLOCKS * BS_LINE_BYTES)
#define GROUPS_BYTES (BS_SLAB_MAX_BLOCKS / 8 * BS_LINE_BYTES)

/* A term in the slab under the scan, looked up when first needed. */
struct scan_term {
	const struct bs_slab *slab; /* for which here holds; NULL: none yet */
	struct bs_slab_term here;
};

#define FRAME_BYTES (LINES_BYTES + GROUPS_BYTES)

void bs_scan_deinit(struct bs_scan *scan)
{
	(void)!bs_account_add(-(int64_t)(scan->n_frames * FRAME_BYTES), NULL);
	for (uint32_t i = 0; i < scan->n_frames; i++) {
		free(scan->frames[i].lines);
		free(scan->frames[i].groups);
	}
	free(scan->frames);
	bs_and_deinit(&scan->and);
	bs_vector_deinit(&scan->here);
	bs_vector_deinit(&scan->terms);
	bs_vector_deinit(&scan->ordered);
	bs_vector_deinit(&scan->truths);
	bs_vector_deinit(&scan->merged);
	free(scan->best);
}

static enum bs_status need_frames(struct bs_scan *scan, uint32_t n_frames, struct bs_error *err)
{
	if (n_frames <= scan->n_frames)
		return BS_OK;
	struct bs_and_frame *frames = realloc(scan->frames, n_frames * sizeof(*frames));
	if (!frames)
		return bs_fail_memory(err, "a scan", n_frames * sizeof(*frames));
	scan->frames = frames;
	while (scan->n_frames < n_frames) {
		enum bs_status status = bs_account_add((int64_t)FRAME_BYTES, err);
		if (status)
			return status;
		struct bs_and_frame frame = {.lines = aligned_alloc(BS_LINE_BYTES, LINES_BYTES),
		                             .groups = aligned_alloc(BS_LINE_BYTES, GROUPS_BYTES)};
		if (!frame.lines || !frame.groups) {
			free(frame.lines);
			free(frame.groups);
			(void)!bs_account_add(-(int64_t)FRAME_BYTES, NULL);
			return bs_fail_memory(err, "a scan", FRAME_BYTES);
		}
		frames[scan->n_frames++] = frame;
	}
	return BS_OK;
}

enum bs_status bs_scan_start(struct bs_scan *scan, const struct bs_plan *plan, uint32_t n_frames, struct bs_error *err)
{
	/* Each node on the way to a leaf may take a frame, an element of several terms two more; eval_sure begins one
	 * deeper. */
	uint32_t n_deepest = plan->query->depth + 3;
	bs_vector_clear(&scan->here);
	bs_vector_clear(&scan->terms);
	enum bs_status status = bs_vector_reserve(&scan->here, plan->n_terms, err);
	for (uint32_t t = 0; t < plan->n_terms && !status; t++)
		scan->here.items[t] = (struct scan_term){.slab = NULL};
	return status ? status : need_frames(scan, n_frames > n_deepest ? n_frames : n_deepest, err);
}

#define PREFETCHED_TERMS 16u

void bs_scan_prefetch(const struct bs_plan *plan, uint32_t segment, uint32_t next_slab)
{
	const struct bs_segment *from = bs_plan_segment(plan, segment);
	if (next_slab >= from->meta.n_slabs || from->slabs[next_slab].hashed.n_levels < 2)
		return;
	for (uint32_t t = 0; t < plan->n_terms && t < PREFETCHED_TERMS; t++)
		if (bs_plan_place(plan, segment, t)->is_found)
			bs_slab_prefetch(&from->slabs[next_slab], &bs_plan_place(plan, segment, t)->term);
}

/* Every document of the live blocks: ones, but for the padding of the last block. */
static void fill_ones(const struct bs_slab_scan *at, uint64_t *lines, const struct bs_live *live)
{
	for (uint32_t block = 0; block < at->slab->n_blocks; block++)
		if (bs_scan_is_live(live, block))
			memset(lines + (size_t)block * BS_LINE_WORDS, 0xff, BS_LINE_BYTES);
	uint32_t n_last = at->slab->n_docs % BS_LINE_BITS;
	uint64_t *last = lines + (size_t)(at->slab->n_blocks - 1) * BS_LINE_WORDS;
	if (n_last == 0 || !bs_scan_is_live(live, at->slab->n_blocks - 1))
		return;
	for (uint32_t word = 0; word < BS_LINE_WORDS; word++) {
		uint32_t start = word * 64;
		if (n_last <= start)
			last[word] = 0;
		else if (n_last < start + 64)
			last[word] = (UINT64_C(1) << (n_last - start)) - 1;
	}
}

/* What is spent about, so that the watch (core/system/watch.h) is asked in time: on a term of a slab, on a row of it, on a block of
 * a column, on a look at a word pair, at a name, into a forward list. */
#define TERM_NS  200u
#define ROW_NS   50u
#define BLOCK_NS 4u
#define PAIR_NS  2u
#define NAME_NS  300u
#define LIST_NS  100u

static inline void spend(struct bs_slab_scan *at, uint64_t about_ns)
{
	if (!at->status)
		at->status = bs_watch_spend(about_ns, at->err);
}

/* The term as it is in this slab; NULL after a failure. */
static const struct bs_slab_term *look_up(struct bs_slab_scan *at, uint32_t term)
{
	struct scan_term *found = &at->scan->here.items[term];
	if (found->slab != at->slab && !at->status)
		at->status = bs_watch_spend(TERM_NS, at->err);
	if (found->slab != at->slab && !at->status) {
		at->status = bs_slab_term_init(&found->here, at->slab, &bs_scan_place(at, term)->term, at->err);
		found->slab = at->status ? NULL : at->slab;
	}
	return at->status ? NULL : &found->here;
}

/* Leaves in scan->ordered the terms, rarest first: the order in which their columns are read. */
static void order_terms(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms)
{
	bs_vector_clear(&at->scan->ordered);
	at->status = bs_vector_reserve(&at->scan->ordered, n_terms, at->err);
	const struct bs_slab_term **ordered = at->scan->ordered.items;
	for (size_t i = 0; i < n_terms && !at->status; i++) {
		const struct bs_slab_term *here = look_up(at, terms[i]);
		size_t to = i;
		for (; here && to > 0 && ordered[to - 1]->term->df > here->term->df; to--)
			ordered[to] = ordered[to - 1];
		ordered[to] = here;
	}
}

/* Whether the rows that hashed columns leave must be told apart by exceptions, or else by lists. */
static bool has_exceptions(struct bs_slab_scan *at, uint32_t term, bool *by_list_out)
{
	const struct bs_slab_term *here = look_up(at, term);
	bool is_hashed = here && here->exact_column == BS_NO_COLUMN, has = bs_scan_place(at, term)->term.treatment->has_exceptions;
	*by_list_out = is_hashed && !has;
	return is_hashed && has;
}

/* The first live block from `block` on; BS_SLAB_MAX_BLOCKS if there is none. */
static uint32_t next_live(const struct bs_live *live, uint32_t block)
{
	while (block < BS_SLAB_MAX_BLOCKS) {
		uint64_t left = live->words[block / 64] >> (block % 64);
		if (left)
			return block + (uint32_t)__builtin_ctzll(left);
		block = (block / 64 + 1) * 64;
	}
	return BS_SLAB_MAX_BLOCKS;
}

size_t bs_scan_take_rows(struct bs_row_walk *walk, struct bs_scan_row rows[BS_SCAN_TOGETHER])
{
	size_t n = 0;
	while (n < BS_SCAN_TOGETHER) {
		if (walk->bits) {
			rows[n++].row = (walk->next_word - 1) * 64 + (uint32_t)__builtin_ctzll(walk->bits);
			walk->bits &= walk->bits - 1;
			continue;
		}
		if (walk->next_word % BS_LINE_WORDS == 0)
			walk->next_word = next_live(walk->live, walk->next_word / BS_LINE_WORDS) * BS_LINE_WORDS;
		if (walk->next_word == BS_SLAB_MAX_BLOCKS * BS_LINE_WORDS)
			break;
		walk->bits = walk->lines[walk->next_word++];
	}
	return n;
}

void bs_scan_documents(struct bs_slab_scan *at, struct bs_scan_row *rows, size_t n)
{
	const struct bs_packed *documents = &at->slab->rows;
	uint64_t n_docs = bs_plan_segment(at->plan, at->segment)->meta.n_docs;
	struct bs_packed_place places[BS_SCAN_TOGETHER];
	bool is_found[BS_SCAN_TOGETHER];
	for (size_t i = 0; i < n; i++)
		bs_packed_prefetch_entry(documents, rows[i].row);
	for (size_t i = 0; i < n; i++)
		is_found[i] = bs_packed_prefetch_place(documents, rows[i].row, &places[i]);
	for (size_t i = 0; i < n && !at->status; i++) {
		bool is_ready = is_found[i] && bs_packed_is_verified(documents, &places[i]);
		uint64_t document = is_ready ? bs_packed_value(documents, &places[i]) : n_docs;
		if (document < n_docs)
			rows[i].document = (uint32_t)document;
		else
			bs_scan_document(at, rows[i].row, &rows[i].document);
	}
}

static void ask_lists(struct bs_slab_scan *at, uint32_t ordinal, struct bs_scan_row *asked, size_t n, uint64_t *lines)
{
	const struct bs_rare_lists *lists = &bs_plan_segment(at->plan, at->segment)->terms.rare_lists;
	spend(at, n * ROW_NS);
	bs_scan_documents(at, asked, n);
	for (size_t i = 0; i < n && !at->status; i++)
		bs_packed_prefetch_entry(&lists->offsets, bs_rare_list_of(lists, asked[i].document));
	for (size_t i = 0; i < n && !at->status; i++)
		bs_packed_prefetch(&lists->offsets, bs_rare_list_of(lists, asked[i].document));
	for (size_t i = 0; i < n && !at->status; i++)
		bs_packed_prefetch_target(&lists->offsets, bs_rare_list_of(lists, asked[i].document), &lists->bytes);
	for (size_t i = 0; i < n && !at->status; i++) {
		bool has = false;
		at->status = bs_rare_lists_find(lists, asked[i].document, ordinal, &has, at->err);
		lines[asked[i].row / 64] &= ~((uint64_t)!has << (asked[i].row % 64));
	}
	at->stats->asked += n;
}

/* Clears the rows of this slab that only seem to have a term that is listed. */
static void keep_listed(struct bs_slab_scan *at, uint32_t term, const struct bs_live *live, uint64_t *lines)
{
	uint32_t ordinal = (uint32_t)bs_scan_place(at, term)->term.ordinal;
	struct bs_row_walk walk = {.lines = lines, .live = live};
	struct bs_scan_row asked[BS_SCAN_TOGETHER];
	for (size_t n; !at->status && (n = bs_scan_take_rows(&walk, asked)) > 0;)
		ask_lists(at, ordinal, asked, n, lines);
}

/* Clears the rows of this slab that only seem to have all the terms: first those that are written down, then, of what is
 * left, those whose own lists say so. */
static void keep_true(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms, const struct bs_live *live,
                      uint64_t *lines)
{
	bool by_list, any_listed = false;
	for (size_t i = 0; i < n_terms && !at->status; i++) {
		if (has_exceptions(at, terms[i], &by_list))
			at->status = bs_exceptions_clear(&bs_scan_place(at, terms[i])->exceptions, at->slab->first_row, live, lines,
			                                 at->err);
		any_listed |= by_list;
	}
	for (size_t i = 0; i < n_terms && any_listed && !at->status; i++)
		if (!has_exceptions(at, terms[i], &by_list) && by_list)
			keep_listed(at, terms[i], live, lines);
}

/* Leaves in the frame what the columns of all the terms let through. */
static void and_columns(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms, uint32_t frame, struct bs_live *live)
{
	struct bs_and_cost cost = {0, 0};
	spend(at, TERM_NS + n_terms * at->slab->n_blocks * BLOCK_NS);
	bool is_possible = !at->status;
	for (size_t i = 0; i < n_terms && is_possible; i++)
		is_possible = bs_scan_place(at, terms[i])->is_found;
	if (is_possible)
		order_terms(at, terms, n_terms);
	if (is_possible && !at->status)
		at->status = bs_slab_and(at->slab, at->kernel, at->scan->ordered.items, n_terms, &at->scan->and,
		                         &at->scan->frames[frame], live, &cost, at->err);
	at->stats->lines_read += cost.lines;
	at->stats->document_lines += cost.document_lines;
	if (!is_possible || at->status)
		memset(live, 0, sizeof(*live));
}

void bs_scan_and_terms(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms, uint32_t frame,
                       struct bs_live *live)
{
	and_columns(at, terms, n_terms, frame, live);
	if (bs_live_any(live))
		keep_true(at, terms, n_terms, live, at->scan->frames[frame].lines);
	if (at->status)
		memset(live, 0, sizeof(*live));
}

static const struct bs_query_node *node_at(const struct bs_slab_scan *at, uint32_t node)
{
	return &at->plan->query->nodes[node];
}

static bool is_exact_leaf(struct bs_slab_scan *at, uint32_t n)
{
	spend(at, PAIR_NS * (1 + (node_at(at, n)->kind == BS_NODE_PHRASE ? bs_plan_n_pairs(at->plan) : 0)));
	return bs_plan_is_exact_leaf(at->plan, at->segment, n);
}

/* Whether the lines of a node are exactly its matches in this slab. */
static bool is_exact_node(struct bs_slab_scan *at, uint32_t n)
{
	const struct bs_query_node *node = node_at(at, n);
	bool is_exact = node->n_children > 0 || is_exact_leaf(at, n);
	for (uint32_t i = 0; i < node->n_children && is_exact; i++)
		is_exact = is_exact_node(at, node->children[i]);
	return is_exact;
}

static void push_term(struct bs_slab_scan *at, uint32_t term)
{
	if (!at->status)
		at->status = bs_vector_append(&at->scan->terms, &term, at->err);
}

/* Pushes the single terms that every match of the leaf has, or the one that is all of it. Whether there is an element of
 * several terms besides. */
static bool push_leaf(struct bs_slab_scan *at, uint32_t n)
{
	const struct bs_query_node *node = node_at(at, n);
	spend(at, PAIR_NS * 2 * bs_plan_n_pairs(at->plan));
	uint32_t whole = bs_plan_whole(at->plan, at->segment, n);
	bool has_wide = false;
	if (whole != UINT32_MAX) {
		push_term(at, whole);
		return false;
	}
	for (uint32_t i = 0; i < bs_plan_n_pairs(at->plan); i++)
		if (at->plan->pairs.items[i].node == n && bs_plan_is_widest(at->plan, at->segment, i))
			push_term(at, at->plan->pairs.items[i].term);
	for (uint32_t i = 0; i < node->n_items + node->n_aids; i++) {
		uint32_t e = i < node->n_items ? node->items[i].element : node->aids[i - node->n_items].element;
		const struct bs_plan_element *element = &at->plan->elements.items[e];
		if (element->n_terms == 1)
			push_term(at, element->first_term);
		else
			has_wide |= !element->is_too_broad;
	}
	return has_wide;
}

/* Takes the next frame's documents, those of `one`, into frame depth by an operation of the kernel. */
#define TAKE_NEXT(at, operation, depth, live, one) \
	(at)->kernel->lines.operation((at)->scan->frames[depth].lines, live, (at)->scan->frames[(depth) + 1].lines, one)

/* ANDs the elements of several terms among a leaf's items into frame depth: each is the OR of its terms. */
static void and_wide_items(struct bs_slab_scan *at, const struct bs_query_node *node, uint32_t depth,
                           struct bs_live *live)
{
	for (uint32_t i = 0; i < node->n_items && bs_live_any(live); i++) {
		const struct bs_plan_element *element = &at->plan->elements.items[node->items[i].element];
		struct bs_live joined = {{0}};
		if (element->n_terms == 1 || element->is_too_broad)
			continue;
		for (uint32_t t = 0; t < element->n_terms && !at->status; t++) {
			uint32_t term = element->first_term + t;
			struct bs_live one = *live;
			bs_scan_and_terms(at, &term, 1, depth + 2, &one);
			TAKE_NEXT(at, or_lines, depth + 1, &joined, &one);
		}
		TAKE_NEXT(at, and_lines, depth, live, &joined);
	}
}

static bool is_named(struct bs_slab_scan *at, uint32_t n, uint32_t row)
{
	bool has = false;
	uint32_t document = 0;
	spend(at, NAME_NS);
	if (at->status)
		return false;
	bs_scan_document(at, row, &document);
	if (!at->status)
		at->status = at->plan->names->has(at->plan->names, n, (struct bs_doc_ref){at->segment, document}, &has, at->err);
	return has;
}

/* Leaves in frame depth those of its documents that have a name that leaf n asks for. */
static void keep_named(struct bs_slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live)
{
	for (uint32_t block = 0; block < at->slab->n_blocks; block++) {
		uint64_t *line = at->scan->frames[depth].lines + (size_t)block * BS_LINE_WORDS, any = 0;
		for (uint32_t word = 0; word < BS_LINE_WORDS && bs_scan_is_live(live, block); word++) {
			for (uint64_t bits = line[word]; bits; bits &= bits - 1) {
				uint32_t lane = (uint32_t)__builtin_ctzll(bits);
				if (!is_named(at, n, block * BS_LINE_BITS + word * 64 + lane))
					line[word] &= ~(UINT64_C(1) << lane);
			}
			any |= line[word];
		}
		if (!any)
			live->words[block / 64] &= ~(UINT64_C(1) << (block % 64));
	}
}

/* What the slab under the scan has of the field of a range; NULL: nothing, or a failure. */
static const struct bs_value_part *find_part(struct bs_slab_scan *at, uint32_t n, struct bs_value_part *part)
{
	const struct bs_plan_range *range = bs_plan_range(at->plan, at->segment, n);
	const struct bs_segment *segment = bs_plan_segment(at->plan, at->segment);
	bool found = false;
	if (range->ranks.n > 0 && !at->status)
		at->status = bs_value_part_find(&segment->values, &range->field, (uint32_t)(at->slab - segment->slabs),
		                                at->slab->n_docs, &found, part, at->err);
	return found && !at->status ? part : NULL;
}

/* Leaves in frame depth those of its documents that are in a range; all of them, where only their texts tell. */
static void keep_range(struct bs_slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live)
{
	const struct bs_plan_range *range = bs_plan_range(at->plan, at->segment, n);
	const struct bs_and_frame *frames = &at->scan->frames[depth];
	uint64_t *scratch[2] = {frames[1].lines, frames[2].lines};
	struct bs_value_part memory;
	if (!range->is_known)
		return;
	const struct bs_value_part *part = find_part(at, n, &memory);
	if (part)
		at->stats->lines_read += bs_value_part_keep(part, at->kernel, &range->ranks, 0, part->n_blocks, frames->lines, live,
		                                            scratch);
	else
		memset(live, 0, sizeof(*live));
}

static void eval(struct bs_slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live);

/* A conjunction of the children (or of one leaf alone): all single terms in one AND, then ranges, then the rest one by one,
 * names last: each is looked at. */
static void eval_and(struct bs_slab_scan *at, const uint32_t *children, uint32_t n_children, uint32_t depth,
                     struct bs_live *live)
{
	struct bs_scan *scan = at->scan;
	size_t base = bs_vector_n(&scan->terms);
	bool has_wide = false;
	for (uint32_t i = 0; i < n_children && !at->status; i++)
		if (node_at(at, children[i])->n_children == 0 && !bs_query_is_file_name(node_at(at, children[i])))
			has_wide |= push_leaf(at, children[i]);
	size_t n_terms = bs_vector_n(&scan->terms) - base;
	if (n_terms > 0 || at->status)
		bs_scan_and_terms(at, scan->terms.items + base, n_terms, depth, live);
	else
		fill_ones(at, scan->frames[depth].lines, live);
	for (uint32_t i = 0; i < n_children && bs_live_any(live); i++)
		if (node_at(at, children[i])->kind == BS_NODE_RANGE)
			keep_range(at, children[i], depth, live);
	for (uint32_t i = 0; i < n_children && bs_live_any(live); i++) {
		const struct bs_query_node *child = node_at(at, children[i]);
		struct bs_live one = *live;
		if (child->n_children == 0) {
			if (has_wide && !bs_query_is_file_name(child))
				and_wide_items(at, child, depth, live);
		} else if (child->kind != BS_NODE_NOT) {
			eval(at, children[i], depth + 1, &one);
			TAKE_NEXT(at, and_lines, depth, live, &one);
		} else if (is_exact_node(at, child->children[0])) {
			eval(at, child->children[0], depth + 1, &one);
			TAKE_NEXT(at, and_not_lines, depth, live, &one);
		}
	}
	for (uint32_t i = 0; i < n_children && bs_live_any(live); i++)
		if (bs_query_is_file_name(node_at(at, children[i])))
			keep_named(at, children[i], depth, live);
	bs_vector_set_n(&scan->terms, base);
}

static void eval_or(struct bs_slab_scan *at, const struct bs_query_node *node, uint32_t depth, struct bs_live *live,
                    void (*eval_child)(struct bs_slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live))
{
	struct bs_live joined = {{0}};
	for (uint32_t i = 0; i < node->n_children && !at->status; i++) {
		struct bs_live one = *live;
		spend(at, at->slab->n_blocks * BLOCK_NS);
		eval_child(at, node->children[i], depth + 1, &one);
		TAKE_NEXT(at, or_lines, depth, &joined, &one);
	}
	*live = joined;
}

/* Leaves in frame depth, for the blocks of live, the documents that may match node n; live shrinks to where any do. */
static void eval(struct bs_slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live)
{
	const struct bs_query_node *node = node_at(at, n);
	if (node->kind == BS_NODE_AND)
		eval_and(at, node->children, node->n_children, depth, live);
	else if (node->kind == BS_NODE_OR)
		eval_or(at, node, depth, live, eval);
	else
		eval_and(at, &n, 1, depth, live);
}

/* The same for those that surely match: all matches of what is exact, and of an OR what its exact children say. */
static void eval_sure(struct bs_slab_scan *at, uint32_t n, uint32_t depth, struct bs_live *live)
{
	const struct bs_query_node *node = node_at(at, n);
	if (is_exact_node(at, n))
		eval(at, n, depth, live);
	else if (node->kind == BS_NODE_OR)
		eval_or(at, node, depth, live, eval_sure);
	else
		memset(live, 0, sizeof(*live));
}

bool bs_scan_matches(struct bs_slab_scan *at, struct bs_live *live)
{
	uint32_t root = (uint32_t)at->plan->query->n_nodes - 1;
	eval(at, root, 0, live);
	if (at->status)
		memset(live, 0, sizeof(*live));
	return bs_live_any(live) && is_exact_node(at, root);
}

void bs_scan_fail_past_end(struct bs_slab_scan *at)
{
	at->status = bs_container_corrupt(at->slab->rows.file, at->err, "a column has bits past the last document");
}

bool bs_scan_is_out(struct bs_slab_scan *at, uint32_t document)
{
	const struct bs_plan *plan = at->plan;
	bool passes = !at->status && !bs_list_is_deleted(plan->list, (struct bs_doc_ref){at->segment, document});
	passes = passes && !bs_plan_leaves_out(plan, (struct bs_doc_ref){at->segment, document});
	if (passes && plan->scope.filter)
		at->status = bs_filter_passes(plan->scope.filter, (struct bs_doc_ref){at->segment, document}, &passes, at->err);
	return at->status || !passes;
}

/* Whether every document of the segment may be a hit. */
static bool has_all(const struct bs_slab_scan *at)
{
	return !at->plan->scope.filter && at->plan->scope.n_left_out == 0 && !at->plan->list->segments[at->segment].tombstones;
}

/* The document, unless it is out. With n_counted (nullable) a sure one is counted instead. */
static void add_candidate(struct bs_slab_scan *at, const struct bs_scan_row *row, bool is_sure,
                          struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	struct bs_candidate candidate = {
		.row = row->row, .document = row->document, .is_sure = is_sure && !at->plan->scope.is_open};
	if (bs_scan_is_out(at, candidate.document))
		return;
	at->stats->candidates++;
	if (candidate.is_sure && n_counted)
		++*n_counted;
	else
		at->status = bs_vector_append(candidates, &candidate, at->err);
}

static void add_rows(struct bs_slab_scan *at, struct bs_scan_row *rows, size_t n, bool is_sure,
                     struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	spend(at, n * ROW_NS);
	if (!at->status)
		bs_scan_documents(at, rows, n);
	for (size_t i = 0; i < n && !at->status; i++)
		add_candidate(at, &rows[i], is_sure, candidates, n_counted);
}

/* Whether lanes that stand for no document are set: only a file made to deceive has such under right checksums. */
static bool has_bits_past_end(const struct bs_slab_scan *at, uint32_t depth, const struct bs_live *live)
{
	uint32_t last = at->slab->n_blocks - 1;
	uint32_t n_last = at->slab->n_docs - last * BS_LINE_BITS;
	if (!bs_scan_is_live(live, last))
		return false;
	for (uint32_t lane = n_last; lane < BS_LINE_BITS; lane++)
		if (at->scan->frames[depth].lines[(size_t)last * BS_LINE_WORDS + lane / 64] >> (lane % 64) & 1)
			return true;
	return false;
}

/* The documents that frame depth was left with. Those that are sure need not be named to be counted. */
static void take_lines(struct bs_slab_scan *at, uint32_t depth, const struct bs_live *live, bool is_sure,
                       struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	const uint64_t *lines = at->scan->frames[depth].lines;
	bool is_count = is_sure && n_counted && has_all(at) && !at->plan->scope.is_open;
	if (at->status)
		return;
	if (is_count && has_bits_past_end(at, depth, live)) {
		bs_scan_fail_past_end(at);
	} else if (is_count) {
		uint64_t n = at->kernel->lines.count(lines, live);
		at->stats->candidates += n;
		*n_counted += n;
	} else {
		struct bs_row_walk walk = {.lines = lines, .live = live};
		struct bs_scan_row rows[BS_SCAN_TOGETHER];
		for (size_t n; !at->status && (n = bs_scan_take_rows(&walk, rows)) > 0;)
			add_rows(at, rows, n, is_sure, candidates, n_counted);
	}
}

static void scan_matrix(struct bs_slab_scan *at, struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	uint32_t root = (uint32_t)at->plan->query->n_nodes - 1;
	struct bs_live live;
	bs_live_all(&live, at->slab->n_blocks);
	bool is_sure = bs_scan_matches(at, &live);
	if (at->status || !bs_live_any(&live))
		return;
	at->stats->blocks_live += bs_scan_count_live(&live);
	/* Of a disjunction, those that one exact operand vouches for need no proof by another. */
	if (!is_sure && node_at(at, root)->kind == BS_NODE_OR) {
		struct bs_live sure = live;
		eval_sure(at, root, 1, &sure);
		/* Both come out of the same columns; only a file made to deceive has sure ones that were no
		 * candidates. */
		TAKE_NEXT(at, and_not_lines, 0, &live, &sure);
		take_lines(at, 1, &sure, true, candidates, n_counted);
	}
	take_lines(at, 0, &live, is_sure, candidates, n_counted);
}

/*
 * Forward lists: the tree on words of 64 documents, many words at a time. First by exact columns and, for terms without, by
 * the filter in front of the lists (core/matrix/forward_list.h), which nearly always says no to all; then, for the
 * documents that this leaves, by looking each word up in the list itself, which is exact.
 */

/* Words that the tree is evaluated on at one go: what is known of a node stays in the first cache. */
#define CHUNK_WORDS 64u

/* What is known of a node for each document: it may match, it does match. */
struct truth {
	uint64_t may[CHUNK_WORDS];
	uint64_t must[CHUNK_WORDS];
	uint64_t left[CHUNK_WORDS]; /* of an inner node: the rows that its next child is asked about */
};

/* Groups of rows, a word each. */
struct chunk {
	struct bs_slab_scan *at;
	uint32_t first;
	uint32_t n_words;
	bool is_lookup; /* second round: lists are looked into */
};

/* Never after a failure. */
static bool any(const struct chunk *chunk, const uint64_t *words)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < chunk->n_words; i++)
		all |= words[i];
	return all != 0 && !chunk->at->status;
}

/* Of the rows given, those whose lists have the term. */
static uint64_t look_up_rows(const struct chunk *chunk, uint32_t group, uint64_t ordinal, uint64_t rows)
{
	struct bs_slab_scan *at = chunk->at;
	uint64_t has = 0;
	for (uint64_t left = rows; left && !at->status; left &= left - 1) {
		uint32_t row = (uint32_t)__builtin_ctzll(left);
		bool found = false;
		spend(at, LIST_NS);
		at->status = bs_slab_forward_find(at->slab, group * BS_FORWARD_GROUP_ROWS + row, ordinal, &found, at->err);
		has |= (uint64_t)found << row;
	}
	return has;
}

static void add_exact_rows(const struct chunk *chunk, uint32_t column, const uint64_t *within, uint64_t *rows_io)
{
	const uint8_t *words;
	chunk->at->status = bs_slab_forward_column(chunk->at->slab, column, &words, chunk->at->err);
	for (uint32_t i = 0; i < chunk->n_words && !chunk->at->status; i++)
		rows_io[i] |= within[i] & bs_load_u64(words + ((size_t)chunk->first + i) * 8);
}

static void add_listed_rows(const struct chunk *chunk, uint64_t ordinal, const uint64_t *within, uint64_t *rows_io)
{
	struct bs_slab_scan *at = chunk->at;
	const struct bs_forward_filter *filter = &at->slab->forward.filter;
	struct bs_probe probe = bs_forward_filter_probe(filter->hashing, ordinal);
	spend(at, chunk->n_words * BLOCK_NS);
	for (uint32_t i = 0; i < chunk->n_words && !at->status; i++) {
		uint64_t wanted = within[i] & ~rows_io[i];
		uint64_t rows = 0;
		if (!wanted)
			continue;
		at->status = bs_forward_filter_rows(filter, chunk->first + i, probe, wanted, &rows, at->err);
		if (chunk->is_lookup && rows)
			rows = look_up_rows(chunk, chunk->first + i, ordinal, rows);
		rows_io[i] |= rows;
	}
}

/* Adds the rows within that have a term of the plan, or seem to; is_exact_io becomes false if they may only seem to. */
static void add_term_rows(const struct chunk *chunk, uint32_t term, const uint64_t *within, uint64_t *rows_io,
                          bool *is_exact_io)
{
	const struct bs_term_place *place = bs_scan_place(chunk->at, term);
	const struct bs_slab_term *here = place->is_found ? look_up(chunk->at, term) : NULL;
	if (!here)
		return;
	if (here->exact_column != BS_NO_COLUMN) {
		add_exact_rows(chunk, here->exact_column, within, rows_io);
	} else {
		*is_exact_io &= chunk->is_lookup;
		add_listed_rows(chunk, place->term.ordinal, within, rows_io);
	}
}

/* rows become those of them that have any of n terms of the plan, or seem to. */
static void keep_term_rows(const struct chunk *chunk, uint32_t first_term, uint32_t n, uint64_t *rows_io,
                           bool *is_exact_io)
{
	uint64_t within[CHUNK_WORDS];
	memcpy(within, rows_io, chunk->n_words * sizeof(*within));
	memset(rows_io, 0, chunk->n_words * sizeof(*rows_io));
	for (uint32_t i = 0; i < n && !chunk->at->status; i++)
		add_term_rows(chunk, first_term + i, within, rows_io, is_exact_io);
}

/* The frame's rows that have the term, or seem to, block by block. */
static void keep_forward(struct bs_slab_scan *at, uint32_t term, bool is_lookup, uint64_t *lines, struct bs_live *live)
{
	uint32_t n_groups = bs_forward_groups(at->slab->n_docs);
	bool is_exact = true;
	for (uint32_t block = 0; block < at->slab->n_blocks; block++) {
		struct chunk chunk = {.at = at, .first = block * BS_LINE_WORDS, .n_words = BS_LINE_WORDS, .is_lookup = is_lookup};
		if (!bs_scan_is_live(live, block))
			continue;
		if (n_groups - chunk.first < BS_LINE_WORDS)
			chunk.n_words = n_groups - chunk.first;
		keep_term_rows(&chunk, term, 1, lines + chunk.first, &is_exact);
		if (!any(&chunk, lines + chunk.first))
			live->words[block / 64] &= ~(UINT64_C(1) << (block % 64));
	}
}

void bs_scan_seek_term(struct bs_slab_scan *at, uint32_t term, uint32_t frame, struct bs_live *live)
{
	uint64_t *lines = at->scan->frames[frame].lines;
	if (at->slab->hashed.n_levels > 0) {
		and_columns(at, &term, 1, frame, live);
		return;
	}
	fill_ones(at, lines, live);
	keep_forward(at, term, false, lines, live);
}

void bs_scan_keep_term(struct bs_slab_scan *at, uint32_t term, uint32_t frame, struct bs_live *live)
{
	uint64_t *lines = at->scan->frames[frame].lines;
	if (!bs_live_any(live) || at->status)
		return;
	if (at->slab->hashed.n_levels > 0)
		keep_true(at, &term, 1, live, lines);
	else
		keep_forward(at, term, true, lines, live);
}

static struct truth *truth_of(const struct chunk *chunk, uint32_t n)
{
	return &chunk->at->scan->truths.items[n];
}

static void judge_name(const struct chunk *chunk, uint32_t n, const uint64_t *within)
{
	struct truth *truth = truth_of(chunk, n);
	for (uint32_t i = 0; i < chunk->n_words; i++) {
		truth->may[i] = within[i];
		truth->must[i] = 0;
		for (uint64_t left = within[i]; left; left &= left - 1) {
			uint32_t lane = (uint32_t)__builtin_ctzll(left);
			if (!is_named(chunk->at, n, (chunk->first + i) * BS_FORWARD_GROUP_ROWS + lane))
				truth->may[i] &= ~(UINT64_C(1) << lane);
		}
		if (!chunk->at->plan->names->is_loose)
			truth->must[i] = truth->may[i];
	}
}

/* Eight words are a block's line. */
_Static_assert(CHUNK_WORDS % BS_LINE_WORDS == 0, "chunks begin with a block");

static void judge_range(const struct chunk *chunk, uint32_t n, const uint64_t *within)
{
	struct bs_slab_scan *at = chunk->at;
	const struct bs_plan_range *range = bs_plan_range(at->plan, at->segment, n);
	struct truth *truth = truth_of(chunk, n);
	_Alignas(BS_LINE_BYTES) uint64_t lines[3][CHUNK_WORDS] = {{0}};
	uint64_t *scratch[2] = {lines[1], lines[2]};
	uint32_t n_blocks = (chunk->n_words + BS_LINE_WORDS - 1) / BS_LINE_WORDS;
	struct bs_value_part memory;
	struct bs_live live;
	const struct bs_value_part *part = find_part(at, n, &memory);
	bs_live_all(&live, part ? n_blocks : 0);
	memcpy(lines[0], within, chunk->n_words * sizeof(*within));
	if (part)
		at->stats->lines_read += bs_value_part_keep(part, at->kernel, &range->ranks, chunk->first / BS_LINE_WORDS, n_blocks,
		                                            lines[0], &live, scratch);
	for (uint32_t i = 0; i < chunk->n_words; i++) {
		truth->must[i] = bs_scan_is_live(&live, i / BS_LINE_WORDS) ? lines[0][i] : 0;
		truth->may[i] = range->is_known ? truth->must[i] : within[i];
	}
}

/* The words of a leaf, and those of its word pairs which the segment knows; or the one term that is all of it. Not inlined: judge,
 * which recurses, is to have a small frame. */
__attribute__((noinline)) static void judge_leaf(const struct chunk *chunk, uint32_t n, const uint64_t *within)
{
	const struct bs_plan *plan = chunk->at->plan;
	const struct bs_query_node *node = &plan->query->nodes[n];
	struct truth *truth = truth_of(chunk, n);
	spend(chunk->at, CHUNK_WORDS + PAIR_NS * (node->kind == BS_NODE_PHRASE ? bs_plan_n_pairs(plan) : 0));
	uint32_t whole = bs_plan_whole(plan, chunk->at->segment, n);
	bool is_exact = whole != UINT32_MAX || (node->kind == BS_NODE_WORD && node->field == BS_QUERY_ANY_FIELD);
	bool is_filter = true;
	if (bs_query_is_file_name(node)) {
		judge_name(chunk, n, within);
		return;
	}
	if (node->kind == BS_NODE_RANGE) {
		judge_range(chunk, n, within);
		return;
	}
	memcpy(truth->may, within, chunk->n_words * sizeof(*within));
	if (whole != UINT32_MAX)
		keep_term_rows(chunk, whole, 1, truth->may, &is_exact);
	for (uint32_t i = 0; i < node->n_items && whole == UINT32_MAX && any(chunk, truth->may); i++) {
		const struct bs_plan_element *element = &plan->elements.items[node->items[i].element];
		if (element->is_too_broad)
			is_exact = false;
		else
			keep_term_rows(chunk, element->first_term, element->n_terms, truth->may, &is_exact);
	}
	for (uint32_t i = 0; i < bs_plan_n_pairs(plan) && whole == UINT32_MAX && any(chunk, truth->may); i++)
		if (plan->pairs.items[i].node == n && bs_plan_is_widest(plan, chunk->at->segment, i))
			keep_term_rows(chunk, plan->pairs.items[i].term, 1, truth->may, &is_filter);
	for (uint32_t i = 0; i < chunk->n_words; i++)
		truth->must[i] = is_exact ? truth->may[i] : 0;
}

/* Recursive: as deep as the query (bs_query_parse sees to it that the stack is large enough).
 * Leaves in the node's truth what is known of the rows within, and nothing of others. A child of an AND is asked about
 * what those before it leave, a child of an OR about what no one before it surely has. */
static void judge(const struct chunk *chunk, uint32_t n, const uint64_t *within)
{
	const struct bs_query_node *node = &chunk->at->plan->query->nodes[n];
	struct truth *truth = truth_of(chunk, n);
	bool is_and = node->kind == BS_NODE_AND;
	uint64_t *left = truth->left;
	if (node->n_children == 0) {
		judge_leaf(chunk, n, within);
		return;
	}
	memcpy(left, within, chunk->n_words * sizeof(*within));
	for (uint32_t i = 0; i < chunk->n_words; i++)
		truth->may[i] = truth->must[i] = is_and ? within[i] : 0;
	for (uint32_t c = 0; c < node->n_children && (!is_and || any(chunk, left)); c++) {
		const struct truth *child = truth_of(chunk, node->children[c]);
		judge(chunk, node->children[c], left);
		if (is_and) {
			for (uint32_t i = 0; i < chunk->n_words; i++) {
				left[i] = truth->may[i] &= child->may[i];
				truth->must[i] &= child->must[i];
			}
		} else if (node->kind == BS_NODE_OR) {
			for (uint32_t i = 0; i < chunk->n_words; i++) {
				truth->may[i] |= child->may[i];
				truth->must[i] |= child->must[i];
				left[i] &= ~child->must[i];
			}
		} else {
			for (uint32_t i = 0; i < chunk->n_words; i++) {
				truth->may[i] = within[i] & ~child->must[i];
				truth->must[i] = within[i] & ~child->may[i];
			}
		}
	}
}

static void scan_chunk(struct chunk *chunk, struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	struct bs_slab_scan *at = chunk->at;
	uint32_t n_left = at->slab->n_docs - chunk->first * BS_FORWARD_GROUP_ROWS;
	uint32_t root = (uint32_t)at->plan->query->n_nodes - 1;
	struct truth *truth = truth_of(chunk, root);
	struct truth first;
	uint64_t rows[CHUNK_WORDS];
	for (uint32_t i = 0; i < chunk->n_words; i++) {
		bool is_last = n_left - i * BS_FORWARD_GROUP_ROWS < BS_FORWARD_GROUP_ROWS;
		rows[i] = is_last ? (UINT64_C(1) << n_left % BS_FORWARD_GROUP_ROWS) - 1 : UINT64_MAX;
	}
	judge(chunk, root, rows);
	if (!any(chunk, truth->may))
		return;
	memcpy(&first, truth, sizeof(first));
	for (uint32_t i = 0; i < chunk->n_words; i++)
		rows[i] = first.may[i] & ~first.must[i];
	chunk->is_lookup = true;
	if (any(chunk, rows)) {
		judge(chunk, root, rows);
		for (uint32_t i = 0; i < chunk->n_words; i++) {
			first.may[i] = first.must[i] | truth->may[i];
			first.must[i] |= truth->must[i];
		}
	}
	for (uint32_t i = 0; i < chunk->n_words && !at->status; i++) {
		if (n_counted && has_all(at) && !at->plan->scope.is_open) {
			at->stats->candidates += bs_count_bits(first.must[i]);
			*n_counted += bs_count_bits(first.must[i]);
			first.may[i] &= ~first.must[i];
		}
		for (uint64_t left = first.may[i]; left && !at->status; left &= left - 1) {
			uint32_t lane = (uint32_t)__builtin_ctzll(left);
			struct bs_scan_row row = {.row = (chunk->first + i) * BS_FORWARD_GROUP_ROWS + lane};
			add_rows(at, &row, 1, first.must[i] >> lane & 1, candidates, n_counted);
		}
	}
}

void bs_scan_forward(struct bs_slab_scan *at, struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	uint32_t n_groups = bs_forward_groups(at->slab->n_docs);
	bs_vector_clear(&at->scan->truths);
	if (!at->status)
		at->status = bs_vector_reserve(&at->scan->truths, at->plan->query->n_nodes, at->err);
	for (uint32_t first = 0; first < n_groups && !at->status; first += CHUNK_WORDS) {
		uint32_t n_left = n_groups - first;
		struct chunk chunk = {.at = at, .first = first, .n_words = n_left < CHUNK_WORDS ? n_left : CHUNK_WORDS};
		scan_chunk(&chunk, candidates, n_counted);
	}
}

void bs_scan_slab(struct bs_slab_scan *at, struct bs_candidate_list *candidates, uint64_t *n_counted)
{
	if (at->slab->hashed.n_levels == 0)
		bs_scan_forward(at, candidates, n_counted);
	else
		scan_matrix(at, candidates, n_counted);
}

/* Where the ascending run that begins at `from` ends. */
static size_t run_end(const struct bs_candidate *candidates, size_t from, size_t n)
{
	for (from++; from < n && candidates[from - 1].document <= candidates[from].document; from++)
		continue;
	return from;
}

static void merge_runs(const struct bs_candidate *a, const struct bs_candidate *a_end, const struct bs_candidate *b,
                       const struct bs_candidate *b_end, struct bs_candidate *to)
{
	while (a < a_end && b < b_end)
		*to++ = a->document <= b->document ? *a++ : *b++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*to));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*to));
}

/* Slabs give their documents in order, but not one after the other: a natural merge sort, of as many runs as slabs. */
static enum bs_status sort_candidates(struct bs_scan *scan, struct bs_candidate *candidates, size_t n,
                                      struct bs_error *err)
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
			merge_runs(from + start, from + middle, from + middle, from + end, to + start);
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
                               const struct bs_kernel *kernel, struct bs_candidate_list *candidates, uint64_t *n_counted,
                               struct bs_scan_stats *stats, struct bs_error *err)
{
	const struct bs_segment *segment = bs_plan_segment(plan, s);
	size_t base = bs_vector_n(candidates);
	enum bs_status status = bs_scan_start(scan, plan, 0, err);
	for (uint32_t i = 0; i < segment->meta.n_slabs && !status; i++) {
		struct bs_slab_scan at = {scan, plan, &segment->slabs[i], kernel, stats, err, s, BS_OK};
		bs_scan_prefetch(plan, s, i + 1);
		bs_scan_slab(&at, candidates, n_counted);
		status = at.status;
	}
	if (!status && bs_vector_n(candidates) > base)
		status = sort_candidates(scan, candidates->items + base, bs_vector_n(candidates) - base, err);
	return status;
}

#define DOCUMENT_NS 5u /* the approximate cost of a look at a document */

enum bs_status bs_scan_all(const struct bs_plan *plan, uint32_t s, struct bs_candidate_list *candidates,
                           struct bs_scan_stats *stats, struct bs_error *err)
{
	const struct bs_list_segment *segment = bs_list_segment(plan->list, s);
	enum bs_status status = BS_OK;
	for (uint32_t d = 0; d < segment->n_docs && !status; d++) {
		const struct bs_doc_ref ref = {s, d};
		struct bs_candidate candidate = {.document = d};
		bool passes = !bs_list_is_deleted(plan->list, ref) && !bs_plan_leaves_out(plan, ref);
		status = bs_watch_spend(DOCUMENT_NS, err);
		if (passes && plan->scope.filter && !status)
			status = bs_filter_passes(plan->scope.filter, ref, &passes, err);
		if (status || !passes)
			continue;
		stats->candidates++;
		status = bs_vector_append(candidates, &candidate, err);
	}
	return status;
}
