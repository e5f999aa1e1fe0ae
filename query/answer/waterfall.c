/* waterfall.c: the number of documents that remain after each operand of a query. See explain.h.
 * Runs the real scan for each prefix of the list of operands and for each operand alone, so the
 * numbers are exact, and the scan needs no hooks. */
#include "query/answer/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/language/query_format.h"
#include "query/scan/scan.h"

#define MOST_STEPS  24u /* Each step costs two scans. */
#define BAR_COLUMNS 20u
#define NAME_BYTES  48u
#define NO_OPERAND  "                           " /* As wide as the columns of an operand. */

/* The order of the steps of a query that is not an OR: single terms by df, ranges, elements with
 * several terms, groups, and NOTs. Like the scan, it has single terms first and then ranges. (The
 * scan evaluates the others in the order of the query, but file names last.) */
enum turn {
	TURN_TERM,
	TURN_RANGE,
	TURN_WIDE,
	TURN_GROUP,
	TURN_NOT
};

struct step {
	uint32_t node;
	enum turn turn;
	/* For a word: the df of its terms, added up. For a phrase: that of its most frequent word
	 * with a single term, so that the phrase comes after these words. */
	uint64_t df;
	/* A phrase or NEAR, whose words are steps of their own; this step checks their
	 * positions. */
	bool is_order;
};

BS_VECTOR(steps, struct step);

struct waterfall {
	/* The nodes of the query, nodes for the words of its phrases, and last a root for the
	 * operands of the current scan. */
	struct bs_query_tree query;
	struct bs_plan plan; /* A copy of the query's plan, with `query` as its tree. */
	const struct bs_kernel *kernel;
	struct bs_scan *scan;
	struct bs_query_nodes nodes;
	struct steps steps;
	struct bs_u32s children;
	struct bs_candidate_list candidates;
	struct bs_buffer *text;
	bool with_bars;
	uint64_t n_docs; /* The number of documents of all segments, without the deleted ones. */
	enum bs_status status;
	struct bs_error *err;
};

static void put(struct waterfall *to, const char *text)
{
	if (!to->status)
		to->status = bs_buffer_append(to->text, text, strlen(text), to->err);
}

static void put_number(struct waterfall *to, const char *format, uint64_t n)
{
	char line[64];
	snprintf(line, sizeof(line), format, (unsigned long long)n);
	put(to, line);
}

/* Writes a number as "1,038,932", right-aligned. */
static void put_count(struct waterfall *to, uint64_t n)
{
	char digits[24], line[40];
	int n_digits = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), at = 0;
	for (int i = 0; i < n_digits; i++) {
		if (i > 0 && (n_digits - i) % 3 == 0)
			line[at++] = ',';
		line[at++] = digits[i];
	}
	line[at] = '\0';
	for (; at < 14; at++)
		put(to, " ");
	put(to, line);
}

static const struct bs_query_node *node_of(const struct waterfall *at, uint32_t n)
{
	return &at->nodes.items[n];
}

static void add_step(struct waterfall *to, struct step step)
{
	if (!to->status)
		to->status = bs_vector_append(&to->steps, &step, to->err);
}

static void add_word(struct waterfall *to, uint32_t n)
{
	const struct bs_plan_element *element =
		&to->plan.elements.items[node_of(to, n)->items[0].element];
	struct step step = {.node = n, .turn = element->n_terms == 1 ? TURN_TERM : TURN_WIDE};
	for (uint32_t i = 0; i < element->n_terms; i++)
		step.df += to->plan.terms.items[element->first_term + i].df;
	add_step(to, step);
}

/* Adds a step for each word of a phrase or NEAR, and one for the whole, with the columns of its
 * word pairs and bigrams. A phrase of file names gets one step only, because names are matched by
 * node, and only nodes of the original query have matches. */
static void add_phrase(struct waterfall *to, uint32_t n)
{
	struct bs_query_node phrase = *node_of(to, n);
	struct step step = {.node = n, .turn = TURN_TERM, .is_order = true};
	for (uint32_t i = 0; i < phrase.n_items && !bs_query_is_file_name(&phrase) && !to->status;
	     i++) {
		struct bs_query_node word = {.kind = BS_NODE_WORD,
		                             .field = phrase.field,
		                             .n_items = 1,
		                             .items = &phrase.items[i],
		                             .weight = 1};
		to->status = bs_vector_append(&to->nodes, &word, to->err);
		if (to->status)
			return;
		add_word(to, (uint32_t)bs_vector_n(&to->nodes) - 1);
		const struct step *last = to->steps.items + bs_vector_n(&to->steps) - 1;
		if (!to->status && last->turn == TURN_WIDE)
			step.turn = TURN_WIDE;
		else if (!to->status && last->df > step.df)
			step.df = last->df;
	}
	add_step(to, step);
}

static void add_operand(struct waterfall *to, uint32_t n)
{
	switch (node_of(to, n)->kind) {
	case BS_NODE_WORD:
		add_word(to, n);
		break;
	case BS_NODE_PHRASE:
	case BS_NODE_NEAR:
		add_phrase(to, n);
		break;
	case BS_NODE_RANGE:
		add_step(to, (struct step){.node = n, .turn = TURN_RANGE});
		break;
	case BS_NODE_AND:
	case BS_NODE_OR:
		add_step(to, (struct step){.node = n, .turn = TURN_GROUP});
		break;
	case BS_NODE_NOT:
		add_step(to, (struct step){.node = n, .turn = TURN_NOT});
		break;
	}
}

static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	if (x->df != y->df)
		return x->df < y->df ? -1 : 1;
	return x->is_order != y->is_order ? (x->is_order ? 1 : -1)
	                                  : (x->node > y->node) - (x->node < y->node);
}

/* Scans for the operands `children`, joined by `kind` (AND or OR), and returns the number of
 * candidates. *n_sure_out: how many of them are certain. */
static uint64_t count(struct waterfall *at, enum bs_node_kind kind, const uint32_t *children,
                      uint32_t n_children, uint64_t *n_sure_out)
{
	struct bs_query_node *root = &at->nodes.items[at->query.n_nodes - 1];
	struct bs_scan_stats stats = {0};
	uint64_t n = 0;
	*root = (struct bs_query_node){.kind = kind,
	                               .field = BS_QUERY_ANY_FIELD,
	                               .n_children = n_children,
	                               .children = children};
	*n_sure_out = 0;
	for (uint32_t s = 0; s < at->plan.list->n_segments && !at->status; s++) {
		uint64_t n_counted = 0;
		if (!bs_plan_has_columns(&at->plan, s))
			continue;
		bs_vector_clear(&at->candidates);
		at->status = bs_scan_segment(at->scan, &at->plan, s, at->kernel, &at->candidates,
		                             &n_counted, &stats, at->err);
		size_t n_named = bs_vector_n(&at->candidates);
		for (size_t i = 0; i < n_named; i++)
			*n_sure_out += at->candidates.items[i].is_sure;
		*n_sure_out += n_counted;
		n += n_named + n_counted;
	}
	return n;
}

/* Describes the columns and lists of a term, over all shards. */
static void put_columns(struct waterfall *to, uint32_t t)
{
	uint32_t n_exact = 0, n_lists = 0, least = UINT32_MAX, most = 0;
	bool has_false_positives = false, is_listed = false;
	for (uint32_t s = 0; s < to->plan.list->n_segments; s++) {
		const struct bs_segment *segment = bs_plan_segment(&to->plan, s);
		if (!segment)
			continue;
		const struct bs_term_place *place = bs_plan_place(&to->plan, s, t);
		for (uint32_t i = 0; i < segment->meta.n_shards && place->is_found && !to->status;
		     i++) {
			const struct bs_shard *shard = &segment->shards[i];
			bool is_exact = false;
			uint32_t column, n = 0;
			if (shard->hashed.n_levels > 0 && shard->exact.level.n_columns > 0)
				to->status = bs_shard_find_exact(shard, place->term.ordinal,
				                                 &is_exact, &column, to->err);
			for (uint32_t l = 0; l < shard->hashed.n_levels; l++)
				n += bs_shard_hashes(place->term.treatment, shard->hashed.n_columns,
				                     l);
			n_lists += shard->hashed.n_levels == 0;
			n_exact += is_exact;
			if (shard->hashed.n_levels == 0 || is_exact)
				continue;
			has_false_positives |= place->term.treatment->has_false_positives;
			is_listed |= !place->term.treatment->has_false_positives;
			least = n < least ? n : least;
			most = n > most ? n : most;
		}
	}
	const char *between = "";
	if (n_exact > 0) {
		put(to, "an exact column");
		between = ", ";
	}
	if (most > 0) {
		put(to, between);
		if (least < most)
			put_number(to, "%llu to ", least);
		put_number(to, most == 1 ? "1 hashed column" : "%llu hashed columns", most);
		put(to, has_false_positives ? " and false positives" : "");
		put(to, is_listed ? " and lists of rare words" : "");
		between = ", ";
	}
	if (n_lists > 0) {
		put(to, between);
		put(to, "forward indexes");
	}
	if (n_exact + n_lists + most == 0)
		put(to, "in no segment");
}

/* Describes the columns of a range, over all segments. */
static void put_range(struct waterfall *to, uint32_t n)
{
	uint64_t n_values = 0;
	uint32_t n_slices = 0;
	bool is_known = true;
	for (uint32_t s = 0; s < to->plan.list->n_segments; s++) {
		if (!bs_plan_has_columns(&to->plan, s))
			continue;
		const struct bs_plan_range *range = bs_plan_range(&to->plan, s, n);
		is_known &= range->is_known;
		n_values += range->field.n_values;
		n_slices = range->field.n_slices > n_slices ? range->field.n_slices : n_slices;
	}
	if (n_values > 0) {
		put_number(to, n_values == 1 ? "%llu value" : "%llu values", n_values);
		put_number(to, n_slices == 0 ? ", %llu column" : ", bit-sliced in %llu columns",
		           n_slices + 1);
	}
	if (n_values == 0 && is_known)
		put(to, "no values");
	if (!is_known)
		put(to, &"; segments of an earlier version need the text"[n_values > 0 ? 0 : 2]);
}

static void put_means(struct waterfall *to, const struct step *step)
{
	const struct bs_query_node *node = node_of(to, step->node);
	const struct bs_plan_element *element =
		node->n_items ? &to->plan.elements.items[node->items[0].element] : NULL;
	uint32_t n_pairs = 0;
	for (uint32_t i = 0; i < bs_plan_n_pairs(&to->plan); i++)
		n_pairs += to->plan.pairs.items[i].node == step->node &&
		           to->plan.terms.items[to->plan.pairs.items[i].term].df > 0;
	if (node->kind == BS_NODE_RANGE)
		put_range(to, step->node);
	else if (node->kind == BS_NODE_NOT)
		put(to, "certain documents are removed; the verifier decides about the others");
	else if (!element)
		put_number(to,
		           node->kind == BS_NODE_OR ? "any of %llu operands"
		                                    : "all of %llu operands",
		           node->n_children);
	else if (bs_query_is_file_name(node))
		put(to, "no columns: names of files are looked at");
	else if (step->is_order && n_pairs + node->n_aids == 0)
		put(to, "no columns: positions are only in the text");
	else if (step->is_order)
		put(to, n_pairs == 0        ? "columns of its bigrams"
		        : node->n_aids == 0 ? "columns of its word pairs"
		                            : "columns of its word pairs and bigrams");
	else if (node->n_items > 1)
		put_number(to, "columns of its %llu words", node->n_items);
	else if (element->is_too_broad)
		put(to, "too many terms to be used");
	else if (element->n_terms == 1)
		put_columns(to, element->first_term);
	else
		put_number(to, "columns of %llu terms", element->n_terms);
}

/* The bar's length is proportional to the number of binary digits of n, so that small numbers
 * differ, too. */
static void put_bar(struct waterfall *to, uint64_t n)
{
	uint32_t n_columns = 0;
	double whole = 1, part = 1;
	for (uint64_t left = to->n_docs; left > 0; left /= 2)
		whole++;
	for (uint64_t left = n; left > 0; left /= 2)
		part++;
	if (!to->with_bars)
		return;
	if (n > 0)
		n_columns = (uint32_t)(part / whole * BAR_COLUMNS + 0.5);
	put(to, "  ");
	for (uint32_t i = 0; i < BAR_COLUMNS; i++)
		put(to, i < n_columns ? "\xe2\x96\x88" : " ");
}

/* The operand, formatted like the query's tree and cut to NAME_BYTES. */
static void put_name(struct waterfall *to, uint32_t n)
{
	struct bs_query_tree operand = to->query;
	size_t start = to->text->used_bytes;
	struct bs_query_node *root = &to->nodes.items[to->query.n_nodes - 1];
	*root = *node_of(to, n);
	if (!to->status)
		to->status = bs_query_format(&operand, to->text, to->err);
	if (to->status || to->text->used_bytes - start <= NAME_BYTES)
		return;
	size_t end = start + NAME_BYTES;
	while (end > start && (to->text->data[end] & 0xc0) == 0x80)
		end--;
	to->text->used_bytes = end;
	put(to, "\xe2\x80\xa6");
}

static void put_step(struct waterfall *to, enum bs_node_kind kind, const uint32_t *children,
                     uint32_t n)
{
	const struct step *step = &to->steps.items[n];
	uint64_t n_sure, n_alone_sure;
	uint64_t n_left = count(to, kind, children, n + 1, &n_sure);
	uint64_t n_alone = count(to, kind, &children[n], 1, &n_alone_sure);
	put_count(to, n_left);
	put_bar(to, n_left);
	put_count(to, n_alone);
	bool is_sure = n_alone == n_alone_sure && (n_alone > 0 || !step->is_order);
	put(to, is_sure ? "  certain  " : n_alone_sure > 0 ? "  partly   " : "  to read  ");
	put_name(to, step->node);
	put(to, ": ");
	put_means(to, step);
	put(to, "\n");
}

/* Lists the operands of the query as steps, and appends a root for count(). */
static void list_steps(struct waterfall *at, const struct bs_query_tree *query)
{
	uint32_t root = (uint32_t)query->n_nodes - 1;
	struct bs_query_node above = {.kind = BS_NODE_AND};
	const struct bs_query_node *node = &query->nodes[root];
	if (!at->status)
		at->status = bs_vector_extend(&at->nodes, query->nodes, query->n_nodes, at->err);
	for (uint32_t i = 0; i < node->n_children && node->kind == BS_NODE_AND && !at->status; i++)
		add_operand(at, node->children[i]);
	for (uint32_t i = 0; i < node->n_children && node->kind == BS_NODE_OR && !at->status; i++)
		add_step(at, (struct step){.node = node->children[i], .turn = TURN_GROUP});
	if (node->kind != BS_NODE_AND && node->kind != BS_NODE_OR && !at->status)
		add_operand(at, root);
	if (!at->status)
		at->status = bs_vector_append(&at->nodes, &above, at->err);
	at->query.nodes = at->nodes.items;
	at->query.n_nodes = bs_vector_n(&at->nodes);
	at->query.depth = query->depth + 1;
}

static const char legend[] =
	"  A document is a candidate as long as the columns of an operand let it\n"
	"  through. A hashed column is shared by terms, and lets some through by chance;\n"
	"  an exact column has one term alone; false positives are the rows that hashed\n"
	"  columns wrongly let through; a list of rare words says which of them a\n"
	"  document has, a forward index all terms of a long one. Certain: the operand\n"
	"  is decided without a text; to read: the verifier decides by the text.\n";

enum bs_status bs_explain_waterfall(const struct bs_plan *plan, const struct bs_kernel *kernel,
                                    struct bs_scan *scan, const struct bs_query_stats *stats,
                                    bool is_all, bool with_bars, struct bs_buffer *text,
                                    struct bs_error *err)
{
	struct waterfall at = {.query = *plan->query,
	                       .plan = *plan,
	                       .kernel = kernel,
	                       .scan = scan,
	                       .text = text,
	                       .with_bars = with_bars,
	                       .err = err};
	bool is_or = plan->query->nodes[plan->query->n_nodes - 1].kind == BS_NODE_OR;
	uint32_t n_new = 0;
	at.plan.query = &at.query;
	list_steps(&at, plan->query);
	size_t n_steps = bs_vector_n(&at.steps);
	struct step *steps = at.steps.items;
	if (!at.status && !is_or)
		qsort(steps, n_steps, sizeof(*steps), compare_steps);
	for (size_t i = 0; i < n_steps && !at.status; i++)
		at.status = bs_vector_append(&at.children, &steps[i].node, err);
	const uint32_t *children = at.children.items;
	for (uint32_t s = 0; s < plan->list->n_segments; s++) {
		const struct bs_list_segment *segment = bs_list_segment(plan->list, s);
		if (!segment->segment)
			n_new += segment->n_docs;
		else if (bs_plan_has_columns(plan, s))
			at.n_docs += segment->n_docs -
			             bs_snapshot_n_deleted(segment->snapshot, segment->number);
	}
	put(&at,
	    is_or ? "waterfall: documents that the operands so far let through, in the order of "
	            "the query\n"
	          : "waterfall: documents left after each operand, in the order of the plan\n");
	put(&at, is_or ? "        so far" : "          left");
	put(&at, with_bars ? "                      " : "");
	put(&at, "         alone\n");
	put_count(&at, at.n_docs);
	put_bar(&at, at.n_docs);
	put(&at, NO_OPERAND "all documents\n");
	enum bs_node_kind kind = is_or ? BS_NODE_OR : BS_NODE_AND;
	for (uint32_t i = 0; i < n_steps && i < MOST_STEPS && !at.status; i++)
		put_step(&at, kind, children, i);
	uint64_t n_sure = 0,
		 n = at.status ? 0 : count(&at, kind, children, (uint32_t)n_steps, &n_sure);
	if (n_steps > MOST_STEPS) {
		put_count(&at, n);
		put_bar(&at, n);
		put_number(&at, NO_OPERAND "%llu operands more\n", n_steps - MOST_STEPS);
	}
	put_count(&at, n);
	put_bar(&at, n);
	put_number(&at, NO_OPERAND "candidates: %llu certain, ", n_sure);
	put_number(&at, "%llu to be read", n - n_sure);
	put_number(&at, "; %llu were read", stats->verify.verified);
	put_number(&at, ", %llu of them false positives\n", stats->verify.false_positives);
	if (n_new > 0) {
		put_count(&at, n_new);
		put_bar(&at, n_new);
		put(&at, NO_OPERAND "new or changed documents, which no segment has: all read\n");
	}
	put_count(&at, stats->hits);
	put_bar(&at, stats->hits);
	put(&at, is_all ? NO_OPERAND "hits\n"
	                : NO_OPERAND
	                 "hits, and those among what bounds left unseen (rank, below)\n");
	put(&at, legend);
	bs_vector_deinit(&at.nodes);
	bs_vector_deinit(&at.steps);
	bs_vector_deinit(&at.children);
	bs_vector_deinit(&at.candidates);
	return at.status;
}
