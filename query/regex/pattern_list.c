/* pattern_list.c: see pattern_list.h. */
#include "query/regex/pattern_list.h"

#include <string.h>

#include <unicode/utf8.h>

#include "core/system/deadline.h"
#include "core/text/grams.h"
#include "query/regex/regex_read.h"

/* Limits of literals that only select candidate lines, for each part of the pattern: the bytes of a
 * literal, and the number of literals. */
#define LITERAL_MOST_BYTES 64u
#define LITERALS_MOST      64u
/* A literal this short is in nearly every line. A part with such literals also gets its next best
 * ones (n_more). */
#define WEAK_BYTES 2u
/* A tree may be deeper than its parentheses, because repetitions of repetitions need none. */
#define MOST_DEPTH (2 * BS_REGEX_MAX_DEPTH)

struct splitting {
	struct bs_pattern_list *list;
	const struct bs_regex *regex;
	bool is_caseless; /* as requested for the whole pattern */
	bool is_line;
	enum bs_status status;
	struct bs_error *err;
};

static const struct bs_regex_node *node_at(const struct splitting *at, uint32_t index)
{
	return bs_regex_node(at->regex, index);
}

/* True if a node makes the parts depend on each other or on the start of a match: an option such as
 * (?i) also applies to later parts, references count the groups of all parts, and \G and \K are
 * about the start of a match. */
static bool ties_parts(const struct bs_regex *regex, const struct bs_regex_node *node)
{
	bool is_option = node->kind == BS_REGEX_EMPTY && node->to - node->from > 2 &&
	                 memcmp(regex->text + node->from, "(?", 2) == 0;
	bool is_reference = node->kind == BS_REGEX_ANYTHING &&
	                    (node->letter == 'g' || (node->letter >= '0' && node->letter <= '9'));
	bool is_start =
		node->kind == BS_REGEX_ASSERTION && (node->letter == 'G' || node->letter == 'K');
	return is_option || is_reference || is_start || node->kind == BS_REGEX_UNKNOWN;
}

static bool can_split(const struct bs_regex *regex)
{
	bool can = !regex->has_control;
	for (uint32_t i = 0; i < bs_regex_n_nodes(regex) && can; i++)
		can = !ties_parts(regex, bs_regex_node(regex, i));
	return can;
}

static void put_literal(struct splitting *at, const uint8_t *bytes, size_t n_bytes)
{
	struct bs_literal literal = {bytes, (uint32_t)n_bytes};
	if (!at->status)
		at->status = bs_vector_append(&at->list->literals, &literal, at->err);
}

/* Adds a literal that every match of a run contains. If letter case is ignored, this is the longest
 * stretch without characters that have several foldings. False: there is none. */
static bool take_run(struct splitting *at, const struct bs_regex_node *node)
{
	const uint8_t *bytes = at->regex->bytes.data + node->first;
	size_t from = 0, n_bytes = node->n;
	if (at->list->is_caseless)
		n_bytes = bs_gram_longest_certain(bytes, n_bytes, &from);
	bytes += from;
	if (n_bytes > LITERAL_MOST_BYTES) {
		n_bytes = LITERAL_MOST_BYTES;
		U8_SET_CP_START_UNSAFE(bytes, n_bytes);
	}
	if (n_bytes)
		put_literal(at, bytes, n_bytes);
	return n_bytes > 0;
}

static uint32_t least_bytes(const struct splitting *at, uint32_t from, uint32_t to)
{
	uint32_t least = UINT32_MAX;
	for (uint32_t i = from; i < to; i++) {
		uint32_t n_bytes = bs_pattern_literal(at->list, i)->n_bytes;
		least = n_bytes < least ? n_bytes : least;
	}
	return to > from ? least : 0;
}

static bool take_needed(struct splitting *at, uint32_t index, unsigned depth);

/* Adds the literals of one child of a sequence: the one whose shortest literal is the longest.
 * Ignores the child but_for. *best_out: the child chosen. */
static bool take_best(struct splitting *at, const struct bs_regex_node *node, unsigned depth,
                      uint32_t but_for, uint32_t *best_out)
{
	uint32_t start = bs_pattern_n_literals(at->list), best = 0;
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE && !at->status;
	     i = node_at(at, i)->next) {
		uint32_t from = bs_pattern_n_literals(at->list);
		bool has_some = i != but_for && take_needed(at, i, depth);
		uint32_t to = bs_pattern_n_literals(at->list), least = least_bytes(at, from, to);
		struct bs_literal *literals = at->list->literals.items;
		if (has_some && least > best) {
			memmove(literals + start, literals + from, (to - from) * sizeof(*literals));
			bs_vector_set_n(&at->list->literals, start + to - from);
			best = least;
			*best_out = i;
		} else {
			bs_vector_set_n(&at->list->literals, from);
		}
	}
	return best > 0;
}

static bool take_each(struct splitting *at, const struct bs_regex_node *node, unsigned depth)
{
	uint32_t start = bs_pattern_n_literals(at->list);
	bool has_all = true;
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE && has_all && !at->status;
	     i = node_at(at, i)->next)
		has_all = take_needed(at, i, depth) &&
		          bs_pattern_n_literals(at->list) - start <= LITERALS_MOST;
	if (!has_all)
		bs_vector_set_n(&at->list->literals, start);
	return has_all;
}

/* Adds literals such that every match of the node contains one of them. False: no such literals are
 * known, and none were added. */
static bool take_needed(struct splitting *at, uint32_t index, unsigned depth)
{
	const struct bs_regex_node *node = node_at(at, index);
	uint32_t best;
	if (depth > MOST_DEPTH)
		return false;
	switch (node->kind) {
	case BS_REGEX_RUN:
		return take_run(at, node);
	case BS_REGEX_ALTERNATION:
		return take_each(at, node, depth + 1);
	case BS_REGEX_SEQUENCE:
		return take_best(at, node, depth + 1, BS_REGEX_NO_NODE, &best);
	case BS_REGEX_REPEAT:
		return node->least > 0 && take_needed(at, node->first, depth + 1);
	default:
		return false;
	}
}

static bool is_place(const struct splitting *at, uint32_t index, uint8_t letter)
{
	return node_at(at, index)->kind == BS_REGEX_ASSERTION &&
	       node_at(at, index)->letter == letter;
}

/* True if the node is ^...$. *index_out: the node between ^ and $; BS_REGEX_NO_NODE: nothing is
 * between them. */
static bool is_in_line(const struct splitting *at, uint32_t index, uint32_t *index_out)
{
	const struct bs_regex_node *node = node_at(at, index);
	if (node->kind != BS_REGEX_SEQUENCE || node->n < 2 || node->n > 3 ||
	    !is_place(at, node->first, '^'))
		return false;
	uint32_t second = node_at(at, node->first)->next;
	*index_out = node->n == 3 ? second : BS_REGEX_NO_NODE;
	return is_place(at, node->n == 3 ? node_at(at, second)->next : second, '$');
}

/* Adds the literals of a part. False if it is not exactly an alternation of literals. */
static bool take_literals(struct splitting *at, uint32_t index, unsigned depth)
{
	const struct bs_regex_node *node = node_at(at, index);
	size_t doubtful_bytes;
	bool is_literal = node->kind == BS_REGEX_ALTERNATION && depth < BS_REGEX_MAX_DEPTH;
	if (node->kind == BS_REGEX_RUN) {
		const uint8_t *bytes = at->regex->bytes.data + node->first;
		put_literal(at, bytes, node->n);
		return bs_regex_is(node->caseless, at->is_caseless) == at->list->is_caseless &&
		       (!at->list->is_caseless ||
		        bs_gram_find_uncertain(bytes, node->n, &doubtful_bytes) == node->n);
	}
	if (node->kind == BS_REGEX_EMPTY) {
		put_literal(at, (const uint8_t *)"", 0);
		at->list->has_empty = true;
		return true;
	}
	for (uint32_t i = node->first; is_literal && i != BS_REGEX_NO_NODE;
	     i = node_at(at, i)->next)
		is_literal = take_literals(at, i, depth + 1);
	return is_literal;
}

static bool take_part(struct splitting *at, uint32_t index)
{
	if (!at->is_line)
		return take_literals(at, index, 0);
	uint32_t inner;
	if (!is_in_line(at, index, &inner))
		return false;
	if (inner != BS_REGEX_NO_NODE)
		return take_literals(at, inner, 0);
	put_literal(at, (const uint8_t *)"", 0);
	at->list->has_empty = true;
	return true;
}

/* Adds the literals that a part needs, and the next best ones if they are weak. False: none are
 * known. */
static bool take_needs(struct splitting *at, uint32_t index, struct bs_pattern_part *part)
{
	const struct bs_regex_node *node = node_at(at, index);
	uint32_t best = BS_REGEX_NO_NODE,
		 first = part->first_literal = bs_pattern_n_literals(at->list), end;
	bool is_sequence = node->kind == BS_REGEX_SEQUENCE;
	bool is_known =
		is_sequence ? take_best(at, node, 0, best, &best) : take_needed(at, index, 0);
	end = bs_pattern_n_literals(at->list);
	part->n_literals = end - first;
	if (is_known && is_sequence && !at->status && least_bytes(at, first, end) <= WEAK_BYTES)
		(void)take_best(at, node, 0, best, &best);
	part->n_more = bs_pattern_n_literals(at->list) - end;
	return is_known;
}

#define PART_NS 200u /* estimated time per part */

/* Makes the parts, with the literals that each needs. */
static void split(struct splitting *at)
{
	struct bs_pattern_list *list = at->list;
	const uint32_t *bars = at->regex->bars.items;
	uint32_t n = (uint32_t)bs_vector_n(&at->regex->bars) + 1,
		 child = node_at(at, at->regex->root)->first;
	list->are_all_known = true;
	for (uint32_t i = 0; i < n && !at->status; i++, child = node_at(at, child)->next) {
		at->status = bs_deadline_check_after(PART_NS, at->err);
		struct bs_pattern_part part = {.from = i == 0 ? 0 : bars[i - 1] + 1,
		                               .to = i + 1 == n ? (uint32_t)at->regex->n_bytes
		                                                : bars[i]};
		list->are_all_known &= take_needs(at, child, &part);
		if (!at->status)
			at->status = bs_vector_append(&list->parts, &part, at->err);
	}
	list->n_parts = n;
}

/* True if all parts are literals, which are then added. Otherwise none are added. */
static bool is_all_literal(struct splitting *at)
{
	const struct bs_regex_node *root = node_at(at, at->regex->root);
	bool is_literal = !at->regex->n_captures;
	for (uint32_t i = root->first; i != BS_REGEX_NO_NODE && is_literal && !at->status;
	     i = node_at(at, i)->next) {
		at->status = bs_deadline_check_after(PART_NS, at->err);
		is_literal = take_part(at, i);
	}
	if (!is_literal)
		bs_vector_clear(&at->list->literals);
	return is_literal;
}

static void see_case(struct splitting *at)
{
	for (uint32_t i = 0; i < bs_regex_n_nodes(at->regex) && !at->list->is_caseless; i++) {
		const struct bs_regex_node *node = node_at(at, i);
		at->list->is_caseless =
			node->kind == BS_REGEX_RUN && bs_regex_is(node->caseless, at->is_caseless);
	}
}

/* Returns the regex that is the list: the whole pattern, or the content of the group around it. */
static const struct bs_regex *find_list(struct splitting *at, const struct bs_regex *whole)
{
	static const char *const openings[] = {"(", "(?:"};
	const struct bs_regex_node *root = bs_regex_node(whole, whole->root);
	if (root->kind != BS_REGEX_ALTERNATION || bs_vector_n(&whole->bars) > 0)
		return whole;
	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(openings[i]);
		if (root->from != n || root->to + 1 != whole->n_bytes ||
		    memcmp(whole->text, openings[i], n) != 0)
			continue;
		at->list->has_group = n == 1;
		at->status = bs_regex_read(&at->list->inner, whole->text + n,
		                           whole->n_bytes - n - 1, at->err);
		return &at->list->inner;
	}
	return whole;
}

enum bs_status bs_pattern_list_make(struct bs_pattern_list *list, const struct bs_regex *regex,
                                    bool is_caseless, bool is_line, struct bs_error *err)
{
	struct splitting at = {
		.list = list, .is_caseless = is_caseless, .is_line = is_line, .err = err};
	if (bs_regex_node(regex, regex->root)->kind != BS_REGEX_ALTERNATION || !can_split(regex))
		return BS_OK;
	at.regex = list->regex = find_list(&at, regex);
	if (at.status || bs_regex_node(at.regex, at.regex->root)->kind != BS_REGEX_ALTERNATION ||
	    bs_vector_n(&at.regex->bars) == 0)
		return at.status;
	see_case(&at);
	list->is_literal = is_all_literal(&at);
	if (!at.status && list->is_literal)
		list->n_parts = bs_pattern_n_literals(list);
	else if (!at.status)
		split(&at);
	return at.status;
}

void bs_pattern_list_deinit(struct bs_pattern_list *list)
{
	bs_vector_deinit(&list->parts);
	bs_vector_deinit(&list->literals);
	bs_regex_deinit(&list->inner);
}
