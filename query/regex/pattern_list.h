/*
 * pattern_list.h: a pattern taken apart where it is a list: alternatives at the outermost level, or
 * in the one group that is all of the pattern. What PCRE2 would try one after the other at each
 * place can then be looked for at once, by literals of which each match holds one; and what is too
 * large for PCRE2 as a whole is not in parts.
 *
 * A pattern is split only where each part alone means what it means in the whole. Conservative:
 * where that is not certain there is no list.
 */
#pragma once

#include "query/regex/literal_set.h"
#include "query/regex/regex_tree.h"

/* regex->text[from..to), and its literals[first_literal..first_literal + n_literals): every match
 * holds one of them. Where these are very short, it also holds one of the n_more that follow, if
 * there are some. */
struct bs_pattern_part {
	uint32_t from, to;
	uint32_t first_literal, n_literals; /* none: nothing is known */
	uint32_t n_more;
};

BS_VECTOR(bs_pattern_parts, struct bs_pattern_part);

struct bs_pattern_list {
	uint32_t n_parts; /* 0: this is no list */
	/* whose parts these are: the pattern, or what stands in its one group */
	const struct bs_regex *regex;
	bool has_group; /* that group captures: it is group 1 of each match */
	/* the literals, in their order, are all that there is to match */
	bool is_literal;
	bool has_empty;     /* one of them is empty */
	bool is_caseless;   /* letter case is of no account to the literals */
	bool are_all_known; /* each part has literals */
	struct bs_pattern_parts parts;
	struct bs_literals literals;
	struct bs_regex inner; /* what stands in the one group */
};

/* is_caseless: as asked for the whole pattern; is_line: ^(?: and )$ stand around each part, and
 * count as not there for is_literal. regex must outlive the list and not move. Zero-initialise;
 * release with bs_pattern_list_deinit, also after a failure. BS_NO_MEMORY. */
enum bs_status bs_pattern_list_make(struct bs_pattern_list *list, const struct bs_regex *regex,
                                    bool is_caseless, bool is_line,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_pattern_list_deinit(struct bs_pattern_list *list);

/* The parts of a list that is_literal are its literals, which stand in the pattern one does not ask
 * where. */
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
