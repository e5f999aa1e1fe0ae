/*
 * pattern_list.h: splits a pattern that is a list: alternatives at the outermost level, or in one
 * group that is the whole pattern. PCRE2 would try the alternatives one after the other at each
 * position. Instead, if each alternative has literals, a search can look for all of these at once:
 * each match contains one. And a pattern too large for PCRE2 can be compiled in parts.
 *
 * A pattern is split only if each part matches alone what it matches within the whole. If this is
 * uncertain, the pattern is not a list.
 */
#pragma once

#include "query/regex/literal_set.h"
#include "query/regex/regex_tree.h"

/* A part is regex->text[from..to). Every match of it contains one of the
 * literals[first_literal..first_literal + n_literals). If these are very short and n_more > 0,
 * every match also contains one of the n_more literals that follow. */
struct bs_pattern_part {
	uint32_t from, to;
	uint32_t first_literal, n_literals; /* n_literals 0: no literals are known */
	uint32_t n_more;
};

BS_VECTOR(bs_pattern_parts, struct bs_pattern_part);

struct bs_pattern_list {
	uint32_t n_parts; /* 0: not a list */
	/* the regex whose parts these are: the whole pattern, or `inner` */
	const struct bs_regex *regex;
	bool has_group; /* the group around the list captures; it is group 1 of each match */
	/* the pattern is exactly the alternation of the literals, in this order */
	bool is_literal;
	bool has_empty;     /* one of the literals is empty */
	bool is_caseless;   /* the literals ignore letter case */
	bool are_all_known; /* each part has literals; not set if is_literal */
	struct bs_pattern_parts parts;
	struct bs_literals literals;
	/* the content of the group around the list, parsed as a regex of its own */
	struct bs_regex inner;
};

/* Splits a pattern into a list. is_caseless: the whole pattern ignores letter case. is_line: each
 * part is ^(?:...)$, and it is literal if the text inside the group is. regex must outlive the list
 * and not move. Zero-initialise `list`; release it with bs_pattern_list_deinit, also after a
 * failure. BS_NO_MEMORY. */
enum bs_status bs_pattern_list_make(struct bs_pattern_list *list, const struct bs_regex *regex,
                                    bool is_caseless, bool is_line,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_pattern_list_deinit(struct bs_pattern_list *list);

/* In a list with is_literal, each literal is a part; from and to are not set. */
static inline struct bs_pattern_part bs_pattern_part_at(const struct bs_pattern_list *list,
                                                        uint32_t index)
{
	if (list->is_literal)
		return (struct bs_pattern_part){.first_literal = index, .n_literals = 1};
	return list->parts.items[index];
}

static inline const struct bs_literal *bs_pattern_literal(const struct bs_pattern_list *list,
                                                          uint32_t index)
{
	return &list->literals.items[index];
}

static inline uint32_t bs_pattern_n_literals(const struct bs_pattern_list *list)
{
	return (uint32_t)bs_vector_n(&list->literals);
}
