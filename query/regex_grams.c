/*
 * regex_grams.c: see regex_grams.h. What is known of the texts that a node of a pattern can match:
 *
 *     exact    all of them, or
 *     begins   each begins with one of these, and
 *     ends     each ends with one of these;
 *     need     and where one of them stands, so does this.
 *
 * Where two nodes follow each other, the ends of the one and the beginnings of the other make longer strings, which
 * match and file must hold, too. Beginnings and ends that are in need already are marked as told, so that they are not
 * put there again.
 */
#include "query/regex_grams.h"

#include <stdlib.h>
#include <string.h>

#include "query/regex_needs.h"

/* A longer literal is known by its beginning and its end only, and what is needed by its first so many bytes. */
#define EXACT_BYTES 1024u
#define EDGE_BYTES  64u
#define MOST_COPIES 16u /* of what is repeated: x{100} holds x{16} */

struct knowledge {
	bool is_never; /* nothing below counts */
	bool is_exact; /* exact; else begins and ends */
	bool begins_are_told;
	bool ends_are_told;
	struct bs_set exact;
	struct bs_set begins;
	struct bs_set ends;
	const struct bs_need *need;
};

/* An analysis: what is known of every node. */
struct analysis {
	struct bs_arena *arena;
	const struct bs_regex *regex;
	struct knowledge *known; /* by node */
	bool is_full;            /* too much work: the pattern is anything */
	enum bs_status status;
	struct bs_error *err;
};

static const struct knowledge *known_of(const struct analysis *analysis, uint32_t index)
{
	return &analysis->known[index];
}

/* Before each step that allocates. */
static bool may_go_on(struct analysis *analysis)
{
	if (!analysis->status && !analysis->is_full)
		analysis->status = bs_arena_prepare(analysis->arena, &analysis->is_full, analysis->err);
	return !analysis->status && !analysis->is_full;
}

/* ---- simple knowledge ---- */

static struct knowledge know_exactly(struct bs_set exact)
{
	return (struct knowledge){.is_exact = true, .exact = exact, .need = &bs_need_any};
}

static struct knowledge know_nothing(void)
{
	return (struct knowledge){.begins_are_told = true,
	                          .ends_are_told = true,
	                          .begins = bs_set_empty(),
	                          .ends = bs_set_empty(),
	                          .need = &bs_need_any};
}

static struct knowledge know_never(void)
{
	return (struct knowledge){.is_never = true, .need = &bs_need_none};
}

static bool is_placeless(const struct knowledge *x)
{
	return x->is_exact && bs_set_is_empty_string(&x->exact);
}

static struct bs_set begins_of(const struct knowledge *x)
{
	return x->is_exact ? x->exact : x->begins;
}

static struct bs_set ends_of(const struct knowledge *x)
{
	return x->is_exact ? x->exact : x->ends;
}

static bool are_begins_told(const struct knowledge *x)
{
	return x->is_exact ? bs_set_is_empty_string(&x->exact) : x->begins_are_told;
}

static bool are_ends_told(const struct knowledge *x)
{
	return x->is_exact ? bs_set_is_empty_string(&x->exact) : x->ends_are_told;
}

static void need_one_of(struct analysis *analysis, struct knowledge *x, const struct bs_set *set, bool is_told)
{
	if (!is_told)
		x->need = bs_need_and(analysis->arena, x->need, bs_need_of_set(analysis->arena, set));
}

/* All that a file must hold where x matches. */
static const struct bs_need *whole_need(struct analysis *analysis, const struct knowledge *x)
{
	struct knowledge whole = *x;
	if (x->is_never)
		return &bs_need_none;
	struct bs_set begins = begins_of(x), ends = ends_of(x);
	need_one_of(analysis, &whole, &begins, are_begins_told(x));
	if (!x->is_exact)
		need_one_of(analysis, &whole, &ends, x->ends_are_told);
	return whole.need;
}

/* ---- one after the other ---- */

/* x is exact, but too much to be crossed or only a beginning: what it knows becomes need. */
static void tell_begins(struct analysis *analysis, struct knowledge *both, struct bs_set begins, bool are_told)
{
	need_one_of(analysis, both, &begins, are_told);
	both->begins = bs_set_shortest(analysis->arena, &begins, false);
	both->begins_are_told = true;
}

static void tell_ends(struct analysis *analysis, struct knowledge *both, struct bs_set ends, bool are_told)
{
	need_one_of(analysis, both, &ends, are_told);
	both->ends = bs_set_shortest(analysis->arena, &ends, true);
	both->ends_are_told = true;
}

/* What stands where x ends and y begins is known: it is the beginning of both if x was exact, their end if y was, and
 * else stands between. */
static void use_middle(struct analysis *analysis, struct knowledge *both, const struct knowledge *x,
                       const struct knowledge *y, const struct bs_set *middle)
{
	struct bs_set left = ends_of(x), right = begins_of(y);
	bool is_told = (bs_set_is_empty_string(&left) && are_begins_told(y)) ||
	               (bs_set_is_empty_string(&right) && are_ends_told(x));
	if (x->is_exact) {
		both->begins = bs_set_shortest(analysis->arena, middle, false);
		both->begins_are_told = is_told;
	} else if (y->is_exact) {
		both->ends = bs_set_shortest(analysis->arena, middle, true);
		both->ends_are_told = is_told;
	} else {
		need_one_of(analysis, both, middle, is_told);
	}
}

/* x, then y. */
static struct knowledge follow(struct analysis *analysis, const struct knowledge *x, const struct knowledge *y)
{
	if (x->is_never || y->is_never)
		return know_never();
	struct knowledge both = {.need = bs_need_and(analysis->arena, x->need, y->need)};
	struct bs_set left = ends_of(x), right = begins_of(y), middle;
	bool is_crossed = bs_set_cross(analysis->arena, &left, &right, &middle);
	if (x->is_exact && y->is_exact && is_crossed) {
		both.is_exact = true;
		both.exact = middle;
		return both;
	}
	both.begins = begins_of(x);
	both.begins_are_told = are_begins_told(x);
	both.ends = ends_of(y);
	both.ends_are_told = are_ends_told(y);
	if (is_crossed) {
		use_middle(analysis, &both, x, y, &middle);
		return both;
	}
	need_one_of(analysis, &both, &left, are_ends_told(x));
	need_one_of(analysis, &both, &right, are_begins_told(y));
	if (x->is_exact)
		tell_begins(analysis, &both, left, true);
	if (y->is_exact)
		tell_ends(analysis, &both, right, true);
	return both;
}

static struct knowledge know_sequence(struct analysis *analysis, const struct bs_regex_node *node)
{
	struct knowledge all = know_exactly(bs_set_empty());
	for (uint32_t i = node->first_child; i != BS_REGEX_NO_NODE; i = bs_regex_node(analysis->regex, i)->next) {
		if (!may_go_on(analysis))
			return know_nothing();
		all = follow(analysis, &all, known_of(analysis, i));
	}
	return all;
}

/* ---- one of several ---- */

/* Joins what all children begin with, or end with, or are; no knowledge if that is too much. */
static bool join_sets(struct analysis *analysis, const struct bs_regex_node *node,
                      struct bs_set (*set_of)(const struct knowledge *), struct bs_set *set_out)
{
	bool is_first = true;
	*set_out = bs_set_empty();
	for (uint32_t i = node->first_child; i != BS_REGEX_NO_NODE; i = bs_regex_node(analysis->regex, i)->next) {
		const struct knowledge *child = known_of(analysis, i);
		if (child->is_never)
			continue;
		struct bs_set set = set_of(child);
		if (!may_go_on(analysis) || (!is_first && !bs_set_join(analysis->arena, set_out, &set, &set))) {
			*set_out = bs_set_empty();
			return false;
		}
		*set_out = set;
		is_first = false;
	}
	return true;
}

/* The OR of what each child needs: besides what it is or begins and ends with, if that will be known otherwise. */
static const struct bs_need *join_needs(struct analysis *analysis, const struct bs_regex_node *node, bool are_exact)
{
	const struct bs_need *joined = &bs_need_any;
	if (node->n_children > BS_NEED_MOST_ORED)
		return joined;
	const struct bs_need **needs = malloc(node->n_children * sizeof(*needs));
	if (!needs) {
		analysis->status = bs_fail_memory(analysis->err, "alternatives", node->n_children * sizeof(*needs));
		return joined;
	}
	uint32_t n = 0;
	for (uint32_t i = node->first_child; i != BS_REGEX_NO_NODE; i = bs_regex_node(analysis->regex, i)->next) {
		const struct knowledge *child = known_of(analysis, i);
		if (!may_go_on(analysis))
			break;
		needs[n++] = are_exact ? child->need : whole_need(analysis, child);
	}
	if (may_go_on(analysis))
		joined = bs_need_or(analysis->arena, needs, n);
	free(needs);
	return joined;
}

static struct knowledge know_either(struct analysis *analysis, const struct bs_regex_node *node)
{
	bool are_exact = true, are_never = true;
	struct bs_set exact;
	for (uint32_t i = node->first_child; i != BS_REGEX_NO_NODE; i = bs_regex_node(analysis->regex, i)->next) {
		are_never &= known_of(analysis, i)->is_never;
		are_exact &= known_of(analysis, i)->is_never || known_of(analysis, i)->is_exact;
	}
	if (are_never)
		return know_never();
	if (are_exact && join_sets(analysis, node, begins_of, &exact)) {
		struct knowledge one = know_exactly(exact);
		one.need = join_needs(analysis, node, true);
		return one;
	}
	struct knowledge one = know_nothing();
	one.need = join_needs(analysis, node, false);
	if (join_sets(analysis, node, begins_of, &one.begins) && may_go_on(analysis))
		one.begins = bs_set_shortest(analysis->arena, &one.begins, false);
	if (join_sets(analysis, node, ends_of, &one.ends) && may_go_on(analysis))
		one.ends = bs_set_shortest(analysis->arena, &one.ends, true);
	return one;
}

/* ---- again and again ---- */

/* x at least once: it begins and ends as x does, and what x needs is needed. */
static struct knowledge know_more(struct analysis *analysis, const struct knowledge *x)
{
	struct knowledge more = *x;
	if (!x->is_exact)
		return more;
	more.is_exact = false;
	tell_begins(analysis, &more, x->exact, false);
	tell_ends(analysis, &more, x->exact, true);
	return more;
}

/* Perhaps x. */
static struct knowledge know_option(struct analysis *analysis, const struct knowledge *x, uint32_t most)
{
	struct bs_set nothing = bs_set_empty(), exact;
	if (x->is_never || most == 0 || is_placeless(x))
		return know_exactly(nothing);
	if (most == 1 && x->is_exact && bs_set_join(analysis->arena, &x->exact, &nothing, &exact))
		return know_exactly(exact);
	return know_nothing();
}

static struct knowledge know_repeat(struct analysis *analysis, const struct bs_regex_node *node)
{
	const struct knowledge *x = known_of(analysis, node->first_child);
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

/* ---- nodes ---- */

static struct knowledge know_bytes(struct analysis *analysis, const struct bs_regex_node *node)
{
	const uint8_t *bytes = analysis->regex->bytes.data + node->first_byte;
	if (node->n_bytes <= EXACT_BYTES)
		return know_exactly(bs_set_of(analysis->arena, bytes, node->n_bytes));
	struct knowledge long_one = know_nothing();
	struct bs_set whole = bs_set_of(analysis->arena, bytes, EXACT_BYTES);
	long_one.need = bs_need_of_set(analysis->arena, &whole);
	long_one.begins = bs_set_of(analysis->arena, bytes, EDGE_BYTES);
	long_one.ends = bs_set_of(analysis->arena, bytes + node->n_bytes - EDGE_BYTES, EDGE_BYTES);
	return long_one;
}

static struct knowledge know_look(struct analysis *analysis, const struct knowledge *child)
{
	struct knowledge look = know_exactly(bs_set_empty());
	look.need = whole_need(analysis, child);
	return child->is_never ? know_never() : look;
}

static struct knowledge know_node(struct analysis *analysis, const struct bs_regex_node *node)
{
	switch (node->kind) {
	case BS_REGEX_EMPTY:
		return know_exactly(bs_set_empty());
	case BS_REGEX_BYTES:
		return know_bytes(analysis, node);
	case BS_REGEX_NEVER:
		return know_never();
	case BS_REGEX_LOOK:
		return know_look(analysis, known_of(analysis, node->first_child));
	case BS_REGEX_SEQUENCE:
		return know_sequence(analysis, node);
	case BS_REGEX_EITHER:
		return know_either(analysis, node);
	case BS_REGEX_REPEAT:
		return know_repeat(analysis, node);
	default:
		return know_nothing();
	}
}

/* Children stand before their parents. */
static enum bs_status analyze(struct bs_arena *arena, const struct bs_regex *regex, const struct bs_need **need_out,
                              struct bs_error *err)
{
	size_t n_nodes = regex->nodes.used_bytes / sizeof(struct bs_regex_node);
	struct analysis analysis = {.arena = arena, .regex = regex, .err = err};
	*need_out = &bs_need_any;
	if (bs_regex_node(regex, regex->root)->kind == BS_REGEX_ANYTHING)
		return BS_OK;
	analysis.known = malloc(n_nodes * sizeof(*analysis.known));
	if (!analysis.known)
		return bs_fail_memory(err, "the analysis of a pattern", n_nodes * sizeof(*analysis.known));
	for (uint32_t i = 0; i < n_nodes && may_go_on(&analysis); i++)
		analysis.known[i] = know_node(&analysis, bs_regex_node(regex, i));
	if (may_go_on(&analysis))
		*need_out = whole_need(&analysis, &analysis.known[regex->root]);
	free(analysis.known);
	return analysis.status;
}

/* The OR of all patterns. */
static enum bs_status analyze_all(struct bs_arena *arena, const struct bs_pattern *patterns, size_t n_patterns,
                                  const struct bs_regex_options *options, const struct bs_need **needs,
                                  const struct bs_need **need_out, struct bs_error *err)
{
	struct bs_regex regex = {.root = 0};
	enum bs_status status = BS_OK;
	bool is_full;
	*need_out = &bs_need_any;
	for (size_t i = 0; i < n_patterns && !status; i++) {
		status = bs_regex_parse(patterns[i].text, patterns[i].n_bytes, options, &regex, err);
		if (!status)
			status = analyze(arena, &regex, &needs[i], err);
		if (!status && needs[i]->kind == BS_GRAM_ANY)
			break;
	}
	bool is_any = !status && n_patterns && needs[n_patterns - 1]->kind == BS_GRAM_ANY;
	if (!status && !is_any)
		status = bs_arena_prepare(arena, &is_full, err);
	if (!status && !is_any && !is_full)
		*need_out = bs_need_or(arena, needs, (uint32_t)n_patterns);
	bs_regex_deinit(&regex);
	return status;
}

enum bs_status bs_regex_grams(const struct bs_pattern *patterns, size_t n_patterns,
                              const struct bs_regex_options *options, struct bs_gram_tree **tree_out,
                              struct bs_error *err)
{
	struct bs_arena arena = {.last = NULL};
	const struct bs_need *need = &bs_need_any;
	enum bs_status status = BS_OK;
	if (n_patterns <= BS_NEED_MOST_ORED) {
		const struct bs_need **needs = malloc((n_patterns + 1) * sizeof(*needs));
		if (!needs)
			return bs_fail_memory(err, "the analysis of patterns", (n_patterns + 1) * sizeof(*needs));
		/* What is not looked at any more, because one before it is ANY, is so, too. */
		for (size_t i = 0; i < n_patterns; i++)
			needs[i] = &bs_need_any;
		status = analyze_all(&arena, patterns, n_patterns, options, needs, &need, err);
		free(needs);
	}
	if (!status)
		status = bs_need_finish(need, tree_out, err);
	bs_arena_deinit(&arena);
	return status;
}
