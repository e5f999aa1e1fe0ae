/*
 * regex_grams.c: see regex_grams.h.
 *
 * The knowledge of a node describes the texts that it can match:
 *
 *     exact    all these texts; or, if there are too many,
 *     begins   strings, with one of which each text begins, and
 *     ends     strings, with one of which each text ends;
 *     need     what a file with a match must also contain.
 *
 * Where one node follows another, the ends of the first and the beginnings of the second make
 * longer strings, which every match and its file must contain. An edge (begins or ends) that is
 * already part of need is marked is_told, so that it is not added again.
 *
 * Parts of this file, in order, bottom-up: memory, sets of strings, needs (AND and OR, simplified
 * when they are made), knowledge for both kinds of results, the tree, and the window.
 */
#include "query/regex/prefilter/regex_grams.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/byte_rate.h"
#include "core/base/bytes.h"
#include "core/system/deadline.h"
#include "core/system/icu.h"
#include "core/text/grams.h"
#include "query/regex/regex_set.h"

/* For a literal of more than EXACT_BYTES, need contains only its first EXACT_BYTES, and an edge
 * only EDGE_BYTES. */
#define EXACT_BYTES 1024u
#define EDGE_BYTES  64u
/* most copies of a repeated part: x{100} is treated as containing x{16} */
#define MOST_COPIES 16u
/* a class of more characters counts as any text, because an OR of all of them would filter
 * nothing */
#define FEW_CHARS 4u

/* Limits of a set of strings. */
#define MOST_STRINGS      64u
#define MOST_STRING_BYTES 4096u

#define MOST_ANDED 256u   /* the most operands of an AND */
#define MOST_ORED  16384u /* the most operands of an OR; also the most leaves of an AND or OR */
/* Up to MOST_COMPARED operands, superfluous ones are searched for and dropped. A comparison of two
 * operands may take COMPARE_FUEL steps. */
#define MOST_COMPARED 64u
#define COMPARE_FUEL  256
/* Only the first bytes of a literal are used for grams: further ones rarely exclude more files. In
 * a long list, fewer bytes are enough. */
#define LITERAL_KEY_BYTES      256u
#define LIST_LITERAL_KEY_BYTES 32u

#define BLOCK_BYTES (1u << 20)
/* The most memory that a step takes. No step begins after MOST_ARENA_BYTES were taken. */
#define STEP_BYTES       (384u << 10)
#define MOST_ARENA_BYTES (48u << 20)

struct block {
	struct block *before;
	_Alignas(16) uint8_t bytes[BLOCK_BYTES];
};

struct arena {
	uint32_t least_bytes; /* shorter strings are useless */
	struct block *last;
	size_t used_bytes;  /* bytes used of the last block */
	size_t total_bytes; /* bytes taken in all, plus bytes searched by implies() */
	int fuel;           /* steps left for the current comparison of two needs */
};

/* Reserves STEP_BYTES for the next step. */
static enum bs_status prepare(struct arena *arena, struct bs_error *err)
{
	if (arena->last && BLOCK_BYTES - arena->used_bytes >= STEP_BYTES)
		return BS_OK;
	struct block *block = malloc(sizeof(*block));
	if (!block)
		return bs_fail_memory(err, "the analysis of a pattern", sizeof(*block));
	block->before = arena->last;
	arena->last = block;
	arena->used_bytes = 0;
	return BS_OK;
}

/* Returns memory from the prepared block, never NULL; aligned for all structs of this file. */
static void *take(struct arena *arena, size_t n_bytes)
{
	n_bytes = (n_bytes + 15) & ~(size_t)15;
	assert(arena->last && BLOCK_BYTES - arena->used_bytes >= n_bytes);
	void *taken = arena->last->bytes + arena->used_bytes;
	arena->used_bytes += n_bytes;
	arena->total_bytes += n_bytes;
	return taken;
}

static void arena_deinit(struct arena *arena)
{
	while (arena->last) {
		struct block *before = arena->last->before;
		free(arena->last);
		arena->last = before;
	}
}

/* A set of strings: sorted, distinct, n >= 1, immutable. As a set of beginnings or ends, a set of
 * only the empty string means that nothing is known. */
struct set {
	const struct bs_literal *strings;
	uint32_t n;
};

static const struct bs_literal empty_string = {(const uint8_t *)"", 0};

static struct set set_empty(void)
{
	return (struct set){&empty_string, 1};
}

static bool is_empty_string(const struct set *set)
{
	return set->n == 1 && set->strings[0].n_bytes == 0;
}

static struct set set_of(struct arena *arena, const uint8_t *bytes, uint32_t n_bytes)
{
	struct bs_literal *string = take(arena, sizeof(*string));
	uint8_t *copy = take(arena, n_bytes);
	memcpy(copy, bytes, n_bytes);
	*string = (struct bs_literal){copy, n_bytes};
	return (struct set){string, 1};
}

static size_t total_bytes(const struct set *set)
{
	size_t n = 0;
	for (uint32_t i = 0; i < set->n; i++)
		n += set->strings[i].n_bytes;
	return n;
}

/* Inserts a string in order, unless it is present. Returns the new length. */
static uint32_t insert(struct bs_literal *strings, uint32_t n, struct bs_literal string)
{
	uint32_t at = n;
	while (at > 0) {
		const struct bs_literal *before = &strings[at - 1];
		int order = bs_compare_bytes(before->bytes, before->n_bytes, string.bytes,
		                             string.n_bytes);
		if (order == 0)
			return n;
		if (order < 0)
			break;
		at--;
	}
	memmove(strings + at + 1, strings + at, (n - at) * sizeof(*strings));
	strings[at] = string;
	return n + 1;
}

/* If both sets have several strings, the limit is lower, because crossing them makes many strings
 * that are only a little longer. */
static bool is_worth_crossing(const struct set *a, const struct set *b)
{
	uint32_t n = a->n * b->n;
	return n <= (a->n == 1 || b->n == 1 ? MOST_STRINGS : MOST_STRINGS / 4) &&
	       total_bytes(a) * b->n + total_bytes(b) * a->n <= MOST_STRING_BYTES;
}

/* Each string of a followed by each string of b. False if there are too many. */
static bool set_cross(struct arena *arena, const struct set *a, const struct set *b,
                      struct set *set_out)
{
	if (is_empty_string(a) || is_empty_string(b)) {
		*set_out = is_empty_string(a) ? *b : *a;
		return true;
	}
	if (!is_worth_crossing(a, b))
		return false;
	struct bs_literal *strings = take(arena, a->n * b->n * sizeof(*strings));
	uint32_t n = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		for (uint32_t k = 0; k < b->n; k++) {
			struct bs_literal x = a->strings[i], y = b->strings[k];
			uint8_t *bytes = take(arena, x.n_bytes + y.n_bytes);
			memcpy(bytes, x.bytes, x.n_bytes);
			memcpy(bytes + x.n_bytes, y.bytes, y.n_bytes);
			n = insert(strings, n, (struct bs_literal){bytes, x.n_bytes + y.n_bytes});
		}
	}
	*set_out = (struct set){strings, n};
	return true;
}

/* The union. False if it is too large. */
static bool set_join(struct arena *arena, const struct set *a, const struct set *b,
                     struct set *set_out)
{
	if (a->n + b->n > MOST_STRINGS || total_bytes(a) + total_bytes(b) > MOST_STRING_BYTES)
		return false;
	struct bs_literal *strings = take(arena, (a->n + b->n) * sizeof(*strings));
	memcpy(strings, a->strings, a->n * sizeof(*strings));
	uint32_t n = a->n;
	for (uint32_t i = 0; i < b->n; i++)
		n = insert(strings, n, b->strings[i]);
	*set_out = (struct set){strings, n};
	return true;
}

static bool has_part(const struct bs_literal *whole, const struct bs_literal *part, bool is_end)
{
	if (part->n_bytes >= whole->n_bytes)
		return false;
	size_t from = is_end ? whole->n_bytes - part->n_bytes : 0;
	return memcmp(whole->bytes + from, part->bytes, part->n_bytes) == 0;
}

/* For a set of beginnings (are_ends: ends): drops strings that begin (end) with another string of
 * the set. The shorter string is enough. */
static struct set set_shortest(struct arena *arena, const struct set *set, bool are_ends)
{
	if (set->n == 1)
		return *set;
	struct bs_literal *strings = take(arena, set->n * sizeof(*strings));
	uint32_t n = 0;
	for (uint32_t i = 0; i < set->n; i++) {
		bool is_longer = false;
		for (uint32_t k = 0; k < set->n && !is_longer; k++)
			is_longer = has_part(&set->strings[i], &set->strings[k], are_ends);
		if (!is_longer)
			strings[n++] = set->strings[i];
	}
	return (struct set){strings, n};
}

/* A node of the tree under construction. Immutable, and shared by its parents. */
struct need {
	enum bs_gram_node_kind kind;
	uint32_t n_children;
	const struct need *const *children;
	struct bs_literal literal;
	uint32_t n_leaves; /* leaves in the subtree; a shared leaf counts each time */
};

static const struct need need_any = {.kind = BS_GRAM_ANY}, need_none = {.kind = BS_GRAM_NONE};

/* The literal, or ANY if it is too short to be useful. */
static const struct need *need_literal(struct arena *arena, const uint8_t *bytes, uint32_t n_bytes)
{
	if (n_bytes < arena->least_bytes)
		return &need_any;
	struct need *need = take(arena, sizeof(*need));
	*need = (struct need){.kind = BS_GRAM_LITERAL, .literal = {bytes, n_bytes}, .n_leaves = 1};
	return need;
}

static bool implies(struct arena *arena, const struct need *a, const struct need *b);

/* True if a implies b, judged by the children of a (are_of_a) or of b: each child (wants_all), or
 * at least one child, must imply b or be implied by a. */
static bool children_imply(struct arena *arena, const struct need *a, const struct need *b,
                           bool are_of_a, bool wants_all)
{
	const struct need *parent = are_of_a ? a : b;
	for (uint32_t i = 0; i < parent->n_children; i++) {
		const struct need *child = parent->children[i];
		if ((are_of_a ? implies(arena, child, b) : implies(arena, a, child)) != wants_all)
			return !wants_all;
	}
	return wants_all;
}

/* True if every file that satisfies a also satisfies b. May return false if the fuel does not
 * suffice. */
static bool implies(struct arena *arena, const struct need *a, const struct need *b)
{
	if (a == b)
		return true;
	if (arena->fuel-- <= 0)
		return false;
	if (a->kind == BS_GRAM_LITERAL && b->kind == BS_GRAM_LITERAL) {
		/* Searched bytes count like allocated ones, so that the limit of total_bytes also
		 * limits this work. */
		arena->total_bytes += a->literal.n_bytes;
		return memmem(a->literal.bytes, a->literal.n_bytes, b->literal.bytes,
		              b->literal.n_bytes) != NULL;
	}
	if (a->kind == BS_GRAM_OR)
		return children_imply(arena, a, b, true, true);
	if (b->kind == BS_GRAM_AND)
		return children_imply(arena, a, b, false, true);
	return (a->kind == BS_GRAM_AND && children_imply(arena, a, b, true, false)) ||
	       (b->kind == BS_GRAM_OR && children_imply(arena, a, b, false, false));
}

struct operands {
	struct arena *arena;
	const struct need **needs;
	uint32_t n;
	enum bs_gram_node_kind kind;
};

/* True if b can be dropped next to a: from an AND if a implies b, from an OR if b implies a. */
static bool makes_superfluous(const struct operands *operands, const struct need *a,
                              const struct need *b)
{
	operands->arena->fuel = COMPARE_FUEL;
	return operands->kind == BS_GRAM_AND ? implies(operands->arena, a, b)
	                                     : implies(operands->arena, b, a);
}

static void add_operand(struct operands *operands, const struct need *need)
{
	uint32_t n_kept = 0;
	if (operands->n <= MOST_COMPARED) {
		for (uint32_t i = 0; i < operands->n; i++)
			if (makes_superfluous(operands, operands->needs[i], need))
				return;
		for (uint32_t i = 0; i < operands->n; i++)
			if (!makes_superfluous(operands, need, operands->needs[i]))
				operands->needs[n_kept++] = operands->needs[i];
		operands->n = n_kept;
	}
	operands->needs[operands->n++] = need;
}

static const struct need *join(const struct operands *operands)
{
	if (operands->n == 1)
		return operands->needs[0];
	struct need *need = take(operands->arena, sizeof(*need));
	*need = (struct need){
		.kind = operands->kind, .n_children = operands->n, .children = operands->needs};
	for (uint32_t i = 0; i < operands->n; i++)
		need->n_leaves += operands->needs[i]->n_leaves;
	return need;
}

static uint32_t n_operands_of(const struct need *need, enum bs_gram_node_kind kind)
{
	return need->kind == kind ? need->n_children : 1;
}

/* Adds a need, or its children if it has the same kind. */
static void add_operands(struct operands *operands, const struct need *need)
{
	if (need->kind != operands->kind)
		add_operand(operands, need);
	else
		for (uint32_t i = 0; i < need->n_children; i++)
			add_operand(operands, need->children[i]);
}

/* a AND b. If there are too many operands or leaves, b is dropped: the result then requires less,
 * which is sound. */
static const struct need *need_and(struct arena *arena, const struct need *a, const struct need *b)
{
	if (a->kind == BS_GRAM_ANY || b->kind == BS_GRAM_NONE || a == b)
		return b;
	if (b->kind == BS_GRAM_ANY || a->kind == BS_GRAM_NONE)
		return a;
	uint32_t n = n_operands_of(a, BS_GRAM_AND) + n_operands_of(b, BS_GRAM_AND);
	if (n > MOST_ANDED || a->n_leaves + b->n_leaves > MOST_ORED)
		return a;
	struct operands operands = {arena, take(arena, n * sizeof(*operands.needs)), 0,
	                            BS_GRAM_AND};
	/* The children of an AND were compared with each other when it was made. */
	if (a->kind == BS_GRAM_AND) {
		memcpy(operands.needs, a->children, a->n_children * sizeof(*operands.needs));
		operands.n = a->n_children;
	} else {
		operands.needs[operands.n++] = a;
	}
	add_operands(&operands, b);
	return join(&operands);
}

/* The OR of n needs. If n is 0: NONE. If there are more than MOST_ORED operands or leaves: ANY. */
static const struct need *need_or(struct arena *arena, const struct need **needs, uint32_t n)
{
	size_t n_operands = 0, n_leaves = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (needs[i]->kind == BS_GRAM_ANY)
			return &need_any;
		n_operands += n_operands_of(needs[i], BS_GRAM_OR);
		n_leaves += needs[i]->n_leaves;
	}
	if (n_leaves > MOST_ORED || n_operands > MOST_ORED)
		return &need_any;
	struct operands operands = {arena, take(arena, n_operands * sizeof(*operands.needs)), 0,
	                            BS_GRAM_OR};
	for (uint32_t i = 0; i < n; i++)
		if (needs[i]->kind != BS_GRAM_NONE)
			add_operands(&operands, needs[i]);
	return operands.n ? join(&operands) : &need_none;
}

/* The need that a file contains one of the strings. */
static const struct need *need_of_set(struct arena *arena, const struct set *set)
{
	const struct need *needs[MOST_STRINGS];
	for (uint32_t i = 0; i < set->n; i++)
		needs[i] = need_literal(arena, set->strings[i].bytes, set->strings[i].n_bytes);
	return need_or(arena, needs, set->n);
}

/* The beginnings, or the ends, of the texts of a node. */
struct edge {
	struct set set;
	bool is_told;
};

enum {
	BEGINS,
	ENDS,
};

struct knowledge {
	bool is_never; /* matches nothing; the other fields are meaningless */
	bool is_exact; /* both edges hold every whole text of the node */
	struct edge edges[2];
	const struct need *need;
};

/* The classes of which windows consist: sets of characters. For a character of several bytes, the
 * class only says that the bytes are not ASCII. */
#define MOST_CLASSES 255u

struct classes {
	const struct bs_regex_window_options *options;
	uint32_t n;
	struct bs_regex_set sets[MOST_CLASSES];
	double rates[MOST_CLASSES]; /* estimated share of positions whose byte is in the class */
};

/* The analysis of a pattern: what is known of every node. */
struct analysis {
	struct arena *arena;
	const struct bs_regex *regex;
	struct knowledge *known; /* indexed by node */
	/* strings consist of these classes; NULL: of folded bytes */
	struct classes *classes;
	struct bs_buffer folded; /* scratch: the folded text of a run */
	enum bs_status status;
	struct bs_error *err;
};

/* Call before each step that allocates. False ends the analysis: after a failure, or because the
 * pattern needs too much work. Then it is assumed to match any text. */
static bool may_go_on(struct analysis *analysis)
{
	bool is_full = analysis->arena->total_bytes > MOST_ARENA_BYTES;
	if (!analysis->status && !is_full)
		analysis->status = prepare(analysis->arena, analysis->err);
	return !analysis->status && !is_full;
}

static struct knowledge know_exactly(struct set exact)
{
	struct edge edge = {exact, is_empty_string(&exact)};
	return (struct knowledge){.is_exact = true, .edges = {edge, edge}, .need = &need_any};
}

static struct knowledge know_nothing(void)
{
	struct knowledge nothing = know_exactly(set_empty());
	nothing.is_exact = false;
	return nothing;
}

static struct knowledge know_never(void)
{
	return (struct knowledge){.is_never = true, .need = &need_none};
}

static bool is_placeless(const struct knowledge *x)
{
	return x->is_exact && is_empty_string(&x->edges[BEGINS].set);
}

static void need_edge(struct analysis *analysis, struct knowledge *x, const struct edge *edge)
{
	if (!edge->is_told)
		x->need = need_and(analysis->arena, x->need,
		                   need_of_set(analysis->arena, &edge->set));
}

/* Everything that a file must contain if x matches in it: its need, and its edges. */
static const struct need *whole_need(struct analysis *analysis, const struct knowledge *x)
{
	struct knowledge whole = *x;
	if (x->is_never)
		return &need_none;
	need_edge(analysis, &whole, &x->edges[BEGINS]);
	if (!x->is_exact)
		need_edge(analysis, &whole, &x->edges[ENDS]);
	return whole.need;
}

/* Sets an edge of `both`: adds its strings to need, then shortens the set to its shortest
 * strings. */
static void tell(struct analysis *analysis, struct knowledge *both, int which, struct edge edge)
{
	need_edge(analysis, both, &edge);
	both->edges[which] =
		(struct edge){set_shortest(analysis->arena, &edge.set, which == ENDS), true};
}

/* middle: the strings that span the end of x and the beginning of y. If x is exact, all texts of
 * `both` begin with them; if y is exact, they end with them. Otherwise they become a part of
 * need. */
static void use_middle(struct analysis *analysis, struct knowledge *both, const struct knowledge *x,
                       const struct knowledge *y, const struct set *middle)
{
	const struct edge *end = &x->edges[ENDS], *begin = &y->edges[BEGINS];
	bool is_told = (is_empty_string(&end->set) && begin->is_told) ||
	               (is_empty_string(&begin->set) && end->is_told);
	int which = x->is_exact ? BEGINS : ENDS;
	if (x->is_exact || y->is_exact)
		both->edges[which] = (struct edge){
			set_shortest(analysis->arena, middle, which == ENDS), is_told};
	else
		need_edge(analysis, both, &(struct edge){*middle, is_told});
}

/* x followed by y. */
static struct knowledge follow(struct analysis *analysis, const struct knowledge *x,
                               const struct knowledge *y)
{
	const struct edge *end = &x->edges[ENDS], *begin = &y->edges[BEGINS];
	if (x->is_never || y->is_never)
		return know_never();
	struct set middle;
	bool is_crossed = set_cross(analysis->arena, &end->set, &begin->set, &middle);
	bool is_exact = x->is_exact && y->is_exact && is_crossed;
	struct knowledge both = is_exact ? know_exactly(middle) : know_nothing();
	both.need = need_and(analysis->arena, x->need, y->need);
	if (is_exact)
		return both;
	both.edges[BEGINS] = x->edges[BEGINS];
	both.edges[ENDS] = y->edges[ENDS];
	if (is_crossed) {
		use_middle(analysis, &both, x, y, &middle);
		return both;
	}
	need_edge(analysis, &both, end);
	need_edge(analysis, &both, begin);
	if (x->is_exact)
		tell(analysis, &both, BEGINS, (struct edge){end->set, true});
	if (y->is_exact)
		tell(analysis, &both, ENDS, (struct edge){begin->set, true});
	return both;
}

static struct knowledge know_sequence(struct analysis *analysis, const struct bs_regex_node *node)
{
	struct knowledge all = know_exactly(set_empty());
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE;
	     i = bs_regex_node(analysis->regex, i)->next) {
		if (!may_go_on(analysis))
			return know_nothing();
		all = follow(analysis, &all, &analysis->known[i]);
	}
	return all;
}

/* Unites the beginnings, or the ends, of all children. False if there are too many; then the set is
 * the empty string alone. */
static bool join_sets(struct analysis *analysis, const struct bs_regex_node *node, int which,
                      struct set *set_out)
{
	bool is_first = true;
	*set_out = set_empty();
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE;
	     i = bs_regex_node(analysis->regex, i)->next) {
		const struct knowledge *child = &analysis->known[i];
		if (child->is_never)
			continue;
		struct set set = child->edges[which].set;
		if (!may_go_on(analysis) ||
		    (!is_first && !set_join(analysis->arena, set_out, &set, &set))) {
			*set_out = set_empty();
			return false;
		}
		*set_out = set;
		is_first = false;
	}
	return true;
}

/* The OR of the needs of the children. are_exact: without the children's own strings, because the
 * caller keeps them as an exact set. */
static const struct need *join_needs(struct analysis *analysis, const struct bs_regex_node *node,
                                     bool are_exact)
{
	const struct need *joined = &need_any;
	if (node->n > MOST_ORED)
		return joined;
	const struct need **needs = malloc(node->n * sizeof(*needs));
	if (!needs) {
		analysis->status =
			bs_fail_memory(analysis->err, "alternatives", node->n * sizeof(*needs));
		return joined;
	}
	uint32_t n = 0;
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE;
	     i = bs_regex_node(analysis->regex, i)->next) {
		const struct knowledge *child = &analysis->known[i];
		if (!may_go_on(analysis))
			break;
		needs[n++] = are_exact ? child->need : whole_need(analysis, child);
	}
	if (may_go_on(analysis))
		joined = need_or(analysis->arena, needs, n);
	free(needs);
	return joined;
}

static struct knowledge know_either(struct analysis *analysis, const struct bs_regex_node *node)
{
	bool are_exact = true, are_never = true;
	struct set exact;
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE;
	     i = bs_regex_node(analysis->regex, i)->next) {
		are_never &= analysis->known[i].is_never;
		are_exact &= analysis->known[i].is_never || analysis->known[i].is_exact;
	}
	if (are_never)
		return know_never();
	if (are_exact && join_sets(analysis, node, BEGINS, &exact)) {
		struct knowledge one = know_exactly(exact);
		one.need = join_needs(analysis, node, true);
		return one;
	}
	struct knowledge one = know_nothing();
	one.need = join_needs(analysis, node, false);
	for (int which = BEGINS; which <= ENDS; which++) {
		struct set *set = &one.edges[which].set;
		if (join_sets(analysis, node, which, set) && may_go_on(analysis))
			*set = set_shortest(analysis->arena, set, which == ENDS);
	}
	return one;
}

/* x once or more: it begins and ends as x does, and needs what x needs. */
static struct knowledge know_more(struct analysis *analysis, const struct knowledge *x)
{
	struct knowledge more = *x;
	struct edge edge = {x->edges[BEGINS].set, false};
	if (!x->is_exact)
		return more;
	more.is_exact = false;
	tell(analysis, &more, BEGINS, edge);
	edge.is_told = true;
	tell(analysis, &more, ENDS, edge);
	return more;
}

/* x zero times or more, up to `most`. */
static struct knowledge know_option(struct analysis *analysis, const struct knowledge *x,
                                    uint32_t most)
{
	struct set nothing = set_empty(), exact;
	if (x->is_never || most == 0 || is_placeless(x))
		return know_exactly(nothing);
	if (most == 1 && x->is_exact &&
	    set_join(analysis->arena, &x->edges[BEGINS].set, &nothing, &exact))
		return know_exactly(exact);
	return know_nothing();
}

static struct knowledge know_repeat(struct analysis *analysis, const struct bs_regex_node *node)
{
	const struct knowledge *x = &analysis->known[node->first];
	if (node->least == 0)
		return know_option(analysis, x, node->most);
	if (x->is_never || is_placeless(x))
		return *x;
	struct knowledge all = *x;
	uint32_t n_copies = node->least < MOST_COPIES ? node->least : MOST_COPIES;
	for (uint32_t i = 1; i < n_copies; i++) {
		if (!may_go_on(analysis))
			return know_nothing();
		all = follow(analysis, &all, x);
	}
	bool is_open = node->most > n_copies;
	return is_open && may_go_on(analysis) ? know_more(analysis, &all) : all;
}

static struct knowledge know_bytes(struct analysis *analysis, const uint8_t *bytes, size_t n_bytes)
{
	if (n_bytes <= EXACT_BYTES)
		return know_exactly(set_of(analysis->arena, bytes, (uint32_t)n_bytes));
	struct knowledge long_one = know_nothing();
	struct set whole = set_of(analysis->arena, bytes, EXACT_BYTES);
	long_one.need = need_of_set(analysis->arena, &whole);
	long_one.edges[BEGINS].set = set_of(analysis->arena, bytes, EDGE_BYTES);
	long_one.edges[ENDS].set =
		set_of(analysis->arena, bytes + n_bytes - EDGE_BYTES, EDGE_BYTES);
	return long_one;
}

static struct knowledge know_run(struct analysis *analysis, const struct bs_regex_node *node)
{
	struct bs_buffer *folded = &analysis->folded;
	struct knowledge run = know_exactly(set_empty()), nothing = know_nothing();
	bs_buffer_clear(folded);
	analysis->status = bs_grams_fold(analysis->regex->bytes.data + node->first, node->n, folded,
	                                 analysis->err);
	for (size_t at = 0, n_skipped; may_go_on(analysis) && at < folded->used_bytes;) {
		size_t n = bs_gram_find_uncertain(folded->data + at, folded->used_bytes - at,
		                                  &n_skipped);
		struct knowledge piece = n ? know_bytes(analysis, folded->data + at, n) : nothing;
		run = follow(analysis, &run, &piece);
		at += n ? n : n_skipped;
	}
	return run;
}

/* The folded, distinct characters of a class, if they are few; otherwise returns 0. */
static uint32_t few_chars(struct analysis *analysis, const struct bs_regex_node *node,
                          uint32_t *chars)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < node->n; i++) {
		const struct bs_regex_member *member =
			bs_regex_member(analysis->regex, node->first + i);
		if (member->letter ||
		    (member->last >= 0x80 && (analysis->status = bs_icu_load(analysis->err))))
			return 0;
		for (uint32_t c = member->first; c <= member->last; c++) {
			uint32_t folded = bs_gram_fold(c), at = 0;
			while (at < n && chars[at] != folded)
				at++;
			bool is_doubtful =
				c >= 0x80 && bs_icu.u_charType((UChar32)c) == U_UNASSIGNED;
			if (at == FEW_CHARS || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ||
			    is_doubtful)
				return 0;
			chars[at] = folded;
			n += at == n;
		}
	}
	return n;
}

static struct knowledge know_set(struct analysis *analysis, const struct bs_regex_node *node)
{
	uint32_t chars[FEW_CHARS],
		n_chars = node->letter == '[' ? few_chars(analysis, node, chars) : 0;
	struct set all = {NULL, 0};
	for (uint32_t i = 0; i < n_chars; i++) {
		uint8_t bytes[4];
		uint32_t n = 0;
		U8_APPEND_UNSAFE(bytes, n, chars[i]);
		struct set one = set_of(analysis->arena, bytes, n);
		if (i == 0)
			all = one;
		else if (!set_join(analysis->arena, &all, &one, &all))
			return know_nothing();
	}
	return n_chars ? know_exactly(all) : know_nothing();
}

static bool class_has(const struct classes *classes, uint32_t class, uint32_t byte)
{
	if (byte == classes->options->line_end && !classes->options->keeps_line_end)
		return false;
	return bs_regex_set_has(&classes->sets[class], byte);
}

/* The class of a set, new or existing. MOST_CLASSES if there are too many. */
static uint32_t class_of(struct classes *classes, const struct bs_regex_set *set)
{
	uint32_t class = 0;
	while (class < classes->n &&
	       (memcmp(classes->sets[class].ascii, set->ascii, sizeof(set->ascii)) != 0 ||
	        classes->sets[class].has_more != set->has_more))
		class ++;
	if (class < classes->n || class == MOST_CLASSES)
		return class;
	double rate = set->has_more ? 1 : 0;
	classes->sets[classes->n++] = *set;
	for (uint32_t byte = 0; byte < 0x80; byte++)
		rate += class_has(classes, class, byte) ? bs_byte_rate((uint8_t)byte) : 0;
	classes->rates[class] = rate < 1000 ? rate / 1000 : 1;
	return class;
}

/* The class of a character that may have several bytes represents the last of these bytes at the
 * start of a window, and the first one at the end. So the knowledge is not exact. */
static struct knowledge know_class(struct analysis *analysis, struct bs_regex_set set)
{
	uint32_t class = class_of(analysis->classes, &set);
	if (class == MOST_CLASSES)
		return know_nothing();
	struct knowledge x = know_exactly(set_of(analysis->arena, &(uint8_t){(uint8_t) class}, 1));
	x.is_exact = !set.has_more;
	return x;
}

static struct knowledge know_classes(struct analysis *analysis, const struct bs_regex_node *node)
{
	bool is_caseless = bs_regex_is(node->caseless, analysis->classes->options->is_caseless);
	const uint8_t *bytes = analysis->regex->bytes.data + node->first;
	struct knowledge run = know_exactly(set_empty());
	for (size_t at = 0; at < node->n && may_go_on(analysis);) {
		UChar32 c;
		U8_NEXT_UNSAFE(bytes, at, c);
		struct bs_regex_set set = bs_regex_set_of_range((uint32_t)c, (uint32_t)c);
		struct knowledge one =
			know_class(analysis, is_caseless ? bs_regex_set_fold(set) : set);
		run = follow(analysis, &run, &one);
	}
	return run;
}

static struct knowledge know_look(struct analysis *analysis, const struct knowledge *child)
{
	struct knowledge look = know_exactly(set_empty());
	/* The text that a lookaround sees may be in another line, so it is not used for windows. */
	if (!analysis->classes)
		look.need = whole_need(analysis, child);
	return child->is_never ? know_never() : look;
}

static struct knowledge know_node(struct analysis *analysis, const struct bs_regex_node *node)
{
	switch (node->kind) {
	case BS_REGEX_EMPTY:
	case BS_REGEX_ASSERTION:
		return know_exactly(set_empty());
	case BS_REGEX_RUN:
		return analysis->classes ? know_classes(analysis, node) : know_run(analysis, node);
	case BS_REGEX_SET:
		return analysis->classes
		               ? know_class(
					 analysis,
					 bs_regex_set_of(analysis->regex, node,
		                                         analysis->classes->options->is_caseless))
		               : know_set(analysis, node);
	case BS_REGEX_NEVER:
		return know_never();
	case BS_REGEX_LOOK:
		return know_look(analysis, &analysis->known[node->first]);
	case BS_REGEX_SEQUENCE:
		return know_sequence(analysis, node);
	case BS_REGEX_ALTERNATION:
		return know_either(analysis, node);
	case BS_REGEX_REPEAT:
		return know_repeat(analysis, node);
	default:
		return know_nothing();
	}
}

/* Computes what is known of each node (struct knowledge), in order, because children precede their
 * parents. *need_out: what a text must contain if the whole pattern matches in it; need_any if the
 * analysis ended early. */
static enum bs_status analyse(struct arena *arena, const struct bs_regex *regex,
                              struct classes *classes, const struct need **need_out,
                              struct bs_error *err)
{
	uint32_t n_nodes = bs_regex_n_nodes(regex);
	struct analysis analysis = {.arena = arena, .regex = regex, .classes = classes, .err = err};
	*need_out = &need_any;
	analysis.known = malloc(n_nodes * sizeof(*analysis.known));
	if (!analysis.known)
		return bs_fail_memory(err, "the analysis of a pattern",
		                      n_nodes * sizeof(*analysis.known));
	for (uint32_t i = 0; i < n_nodes && may_go_on(&analysis); i++)
		analysis.known[i] = know_node(&analysis, bs_regex_node(regex, i));
	if (may_go_on(&analysis))
		*need_out = whole_need(&analysis, &analysis.known[regex->root]);
	free(analysis.known);
	bs_buffer_deinit(&analysis.folded);
	return analysis.status;
}

struct grown {
	struct bs_gram_tree tree;
	struct arena arena;
	struct bs_gram_nodes nodes;
	struct bs_gram_keys keys; /* keys of the current literal */
	uint32_t key_bytes;       /* only the grams of the first key_bytes of a literal are used */
};

static enum bs_status put_keys(struct grown *grown, struct bs_gram_node *node, struct bs_error *err)
{
	uint32_t n_bytes = node->n_bytes < grown->key_bytes ? node->n_bytes : grown->key_bytes;
	bs_vector_clear(&grown->keys);
	enum bs_status status = bs_grams_of_literal(node->bytes, n_bytes, &grown->keys.bytes, err);
	if (status)
		return status;
	size_t n = bs_vector_n(&grown->keys);
	uint64_t *keys = take(&grown->arena, n * sizeof(*keys));
	memcpy(keys, grown->keys.items, n * sizeof(*keys));
	node->keys = keys;
	node->n_keys = (uint32_t)n;
	return BS_OK;
}

/* Recursive: needs are nested no deeper than parentheses. */
static enum bs_status put_need(struct grown *grown, const struct need *need, uint32_t *index_out,
                               struct bs_error *err)
{
	enum bs_status status = prepare(&grown->arena, err);
	if (status)
		return status;
	uint32_t *children = take(&grown->arena, need->n_children * sizeof(*children));
	struct bs_gram_node node = {.kind = need->kind,
	                            .n_children = need->n_children,
	                            .children = children,
	                            .bytes = need->literal.bytes,
	                            .n_bytes = need->literal.n_bytes};
	for (uint32_t i = 0; i < need->n_children && !status; i++)
		status = put_need(grown, need->children[i], &children[i], err);
	if (!status && need->kind == BS_GRAM_LITERAL)
		status = put_keys(grown, &node, err);
	*index_out = (uint32_t)bs_vector_n(&grown->nodes);
	return status ? status : bs_vector_append(&grown->nodes, &node, err);
}

static void release(void *memory)
{
	struct grown *grown = memory;
	arena_deinit(&grown->arena);
	bs_vector_deinit(&grown->nodes);
	bs_vector_deinit(&grown->keys);
	free(grown);
}

static struct grown *new_grown(uint32_t key_bytes, struct bs_error *err)
{
	struct grown *grown = calloc(1, sizeof(*grown));
	if (!grown) {
		(void)bs_fail_memory(err, "a tree of grams", sizeof(*grown));
		return NULL;
	}
	grown->tree.memory = grown;
	grown->tree.release = release;
	grown->arena.least_bytes = BS_GRAM_LEAST;
	grown->key_bytes = key_bytes;
	return grown;
}

/* Makes the gram tree of a need. After a failure, also of the caller (status), frees grown. */
static enum bs_status finish(struct grown *grown, const struct need *need, enum bs_status status,
                             struct bs_gram_tree **tree_out, struct bs_error *err)
{
	uint32_t root;
	if (!status)
		status = put_need(grown, need, &root, err);
	if (status) {
		release(grown);
		return status;
	}
	grown->tree.nodes = grown->nodes.items;
	grown->tree.n_nodes = (uint32_t)bs_vector_n(&grown->nodes);
	*tree_out = &grown->tree;
	return BS_OK;
}

enum bs_status bs_regex_grams(const struct bs_regex *regex, struct bs_gram_tree **tree_out,
                              struct bs_error *err)
{
	return bs_regex_grams_of_all(&regex, 1, tree_out, err);
}

enum bs_status bs_regex_grams_of_all(const struct bs_regex *const *regexes, size_t n,
                                     struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct grown *grown = new_grown(LITERAL_KEY_BYTES, err);
	const struct need *all = &need_any, *need;
	enum bs_status status = BS_OK;
	*tree_out = NULL;
	if (!grown)
		return BS_NO_MEMORY;
	for (size_t i = 0; i < n && !status; i++) {
		status = analyse(&grown->arena, regexes[i], NULL, &need, err);
		if (!status)
			status = prepare(&grown->arena, err);
		if (!status)
			all = need_and(&grown->arena, all, need);
	}
	return finish(grown, all, status, tree_out, err);
}

/* Makes the need of one literal of a list. Uses only the beginning of a long literal. */
static enum bs_status need_of_literal(struct arena *arena, const struct bs_literal *literal,
                                      struct bs_buffer *folded, const struct need **need_out,
                                      struct bs_error *err)
{
	size_t n_bytes = literal->n_bytes, from;
	if (n_bytes > EXACT_BYTES) {
		n_bytes = EXACT_BYTES;
		U8_SET_CP_START_UNSAFE(literal->bytes, n_bytes);
	}
	bs_buffer_clear(folded);
	enum bs_status status = bs_grams_fold(literal->bytes, n_bytes, folded, err);
	if (!status)
		status = prepare(arena, err);
	if (status)
		return status;
	n_bytes = bs_gram_longest_certain(folded->data, folded->used_bytes, &from);
	struct set one = set_of(arena, folded->data + from, (uint32_t)n_bytes);
	*need_out = need_of_set(arena, &one);
	return BS_OK;
}

#define LITERAL_NS 300u /* estimated time per literal */

enum bs_status bs_regex_grams_of_literals(const struct bs_literals *literals,
                                          struct bs_gram_tree **tree_out, struct bs_error *err)
{
	size_t n = bs_vector_n(literals);
	struct grown *grown = new_grown(LIST_LITERAL_KEY_BYTES, err);
	const struct need **needs = malloc(n * sizeof(*needs));
	struct need either = {.kind = BS_GRAM_OR, .n_children = (uint32_t)n, .children = needs},
		    *all = &either;
	struct bs_buffer folded = {0};
	enum bs_status status = BS_OK;
	*tree_out = NULL;
	if (!grown) {
		free(needs);
		return BS_NO_MEMORY;
	}
	if (!needs)
		status = bs_fail_memory(err, "a tree of grams", n * sizeof(*needs));
	for (size_t i = 0; i < n && !status && all->kind == BS_GRAM_OR; i++) {
		status = bs_deadline_check_after(LITERAL_NS, err);
		if (!status)
			status = need_of_literal(&grown->arena, &literals->items[i], &folded,
			                         &needs[i], err);
		if (!status && needs[i]->kind == BS_GRAM_ANY)
			either = need_any;
	}
	status = finish(grown, all, status, tree_out, err);
	bs_buffer_deinit(&folded);
	free(needs);
	return status;
}

/* Longer patterns get no window. */
#define WINDOW_PATTERN_BYTES 1024u

/* Strings of classes; every match contains a text that fits one of them. rate: the estimated share
 * of positions where one fits. */
struct variants {
	uint32_t n;
	struct bs_literal strings[MOST_STRINGS];
	double rate;
};

/* The estimated rate of the rarest n adjacent classes of a string. *from_out: where they begin. */
static double string_rate(const struct classes *classes, const struct bs_literal *string,
                          uint32_t n, uint32_t *from_out)
{
	double best = 2;
	for (uint32_t from = 0; from + n <= string->n_bytes; from++) {
		double rate = 1;
		for (uint32_t i = from; i < from + n; i++)
			rate *= classes->rates[string->bytes[i]];
		if (rate < best) {
			best = rate;
			*from_out = from;
		}
	}
	return best;
}

static uint32_t window_length(const struct variants *variants)
{
	uint32_t n = BS_WINDOW_MOST_BYTES;
	for (uint32_t i = 0; i < variants->n; i++)
		n = variants->strings[i].n_bytes < n ? variants->strings[i].n_bytes : n;
	return n;
}

static void rate(const struct classes *classes, struct variants *variants)
{
	uint32_t n = window_length(variants), from;
	variants->rate = 0;
	for (uint32_t i = 0; i < variants->n; i++)
		variants->rate += string_rate(classes, &variants->strings[i], n, &from);
}

/* Merges the variants of a child into best: an AND takes the rarer of the two, an OR takes both.
 * False: an OR has too many, or its child has none. */
static bool take_variants(const struct need *need, const struct variants *child,
                          struct variants *best)
{
	if (need->kind == BS_GRAM_AND) {
		if (child->n && child->rate < best->rate)
			*best = *child;
		return true;
	}
	if (child->n == 0 || best->n + child->n > MOST_STRINGS)
		return false;
	memcpy(best->strings + best->n, child->strings, child->n * sizeof(*child->strings));
	best->n += child->n;
	return true;
}

/* The rarest variants that a need implies. n is 0 if there are none or too many, or if an
 * allocation failed. Recursive, no deeper than parentheses are nested. */
static void choose(const struct classes *classes, const struct need *need, struct variants *best)
{
	struct variants *child = need->n_children ? malloc(sizeof(*child)) : NULL;
	*best = (struct variants){
		.n = need->kind == BS_GRAM_LITERAL, .strings = {need->literal}, .rate = 1};
	bool is_known = !need->n_children || child;
	for (uint32_t i = 0; i < need->n_children && is_known; i++) {
		choose(classes, need->children[i], child);
		is_known = take_variants(need, child, best);
	}
	free(child);
	if (!is_known)
		*best = (struct variants){.rate = 1};
	else if (best->n)
		rate(classes, best);
}

static void make_window(const struct classes *classes, const struct variants *variants,
                        struct bs_byte_window *window)
{
	uint32_t n = window_length(variants);
	window->n_bytes = n;
	for (uint32_t i = 0; i < variants->n; i++) {
		uint32_t from = 0;
		size_t variant = variants->n <= BS_WINDOW_MOST_VARIANTS
		                         ? i
		                         : i * BS_WINDOW_MOST_VARIANTS / variants->n;
		(void)string_rate(classes, &variants->strings[i], n, &from);
		for (uint32_t at = 0; at < n; at++)
			for (uint32_t byte = 0; byte < 256; byte++)
				if (class_has(classes, variants->strings[i].bytes[from + at], byte))
					window->of[at][byte] |= (uint8_t)(1u << variant);
	}
	bs_byte_window_finish(window);
}

enum bs_status bs_regex_window(const struct bs_regex *regex,
                               const struct bs_regex_window_options *options,
                               struct bs_byte_window *window_out, double *rate_out,
                               struct bs_error *err)
{
	struct arena arena = {.least_bytes = 1};
	const struct need *need;
	struct {
		struct classes classes;
		struct variants best;
	} * work;
	memset(window_out, 0, sizeof(*window_out));
	*rate_out = 1;
	if (regex->n_bytes > WINDOW_PATTERN_BYTES)
		return BS_OK;
	work = calloc(1, sizeof(*work));
	if (!work)
		return bs_fail_memory(err, "the analysis of a pattern", sizeof(*work));
	work->classes.options = options;
	enum bs_status status = analyse(&arena, regex, &work->classes, &need, err);
	if (!status)
		choose(&work->classes, need, &work->best);
	if (!status && work->best.n) {
		*rate_out = work->best.rate;
		make_window(&work->classes, &work->best, window_out);
	}
	arena_deinit(&arena);
	free(work);
	return status;
}
