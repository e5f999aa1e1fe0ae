/*
 * regex_build.h: creates the nodes of a tree in the order of the pattern and links them. Used by
 * the parser (regex_read.c) and by the functions that a host calls for each part of a pattern
 * (built_pattern.c).
 */
#pragma once

#include <string.h>

#include <unicode/utf8.h>

#include "core/system/deadline.h"
#include "query/regex/regex_tree.h"

/* The options that (?imsx) sets. */
struct bs_regex_options {
	uint8_t caseless, multi_line, dot_all; /* enum bs_regex_option_state */
	bool is_extended;                      /* white space and comments are ignored */
};

/* A list of siblings, the future children of one node. */
struct bs_regex_children {
	uint32_t n, first, last;
};

static const struct bs_regex_children bs_regex_no_children = {0, BS_REGEX_NO_NODE,
                                                              BS_REGEX_NO_NODE};

/* A tree under construction. */
struct bs_regex_build {
	struct bs_regex *regex;
	size_t at; /* bytes of the pattern read or written so far; the next node ends here */
	struct bs_regex_options options;
	bool gave_up; /* the tree is invalid, later nodes are ignored, and the caller replaces it */
	enum bs_status status;
	struct bs_error *err;
};

/* Functions that make a node return its index. After a failure or once gave_up is set, the index is
 * meaningless. */

#define BS_REGEX_NODE_NS 100u /* estimated time to read a node */

static inline struct bs_regex_node *bs_regex_node_of(struct bs_regex_build *build, uint32_t index)
{
	return &build->regex->nodes.items[index];
}

static inline bool bs_regex_is_lost(const struct bs_regex_build *build)
{
	return build->gave_up || build->status;
}

static inline uint32_t bs_regex_give_up(struct bs_regex_build *build)
{
	build->gave_up = true;
	return 0;
}

/* Adds a node for text[from..at). */
static inline uint32_t bs_regex_add(struct bs_regex_build *build, enum bs_regex_kind kind,
                                    size_t from, uint32_t letter)
{
	struct bs_regex_node node = {.kind = (uint8_t)kind,
	                             .letter = (uint8_t)letter,
	                             .caseless = build->options.caseless,
	                             .multi_line = build->options.multi_line,
	                             .dot_all = build->options.dot_all,
	                             .from = (uint32_t)from,
	                             .to = (uint32_t)build->at,
	                             .first = BS_REGEX_NO_NODE,
	                             .next = BS_REGEX_NO_NODE};
	if (bs_regex_is_lost(build))
		return 0;
	build->status = bs_deadline_check_after(BS_REGEX_NODE_NS, build->err);
	if (!build->status)
		build->status = bs_vector_append(&build->regex->nodes, &node, build->err);
	return build->status ? 0 : bs_regex_n_nodes(build->regex) - 1;
}

static inline void bs_regex_put_child(struct bs_regex_build *build,
                                      struct bs_regex_children *children, uint32_t child)
{
	if (bs_regex_is_lost(build))
		return;
	if (children->n++ == 0)
		children->first = child;
	else
		bs_regex_node_of(build, children->last)->next = child;
	children->last = child;
}

/* Appends a child to a sequence. A run that directly follows a run with the same `caseless` is
 * merged into it. An EMPTY node is left out. */
static inline void bs_regex_put_in_sequence(struct bs_regex_build *build,
                                            struct bs_regex_children *children, uint32_t child)
{
	if (bs_regex_is_lost(build) || bs_regex_node_of(build, child)->kind == BS_REGEX_EMPTY)
		return;
	const struct bs_regex_node *node = bs_regex_node_of(build, child);
	struct bs_regex_node *before = children->n ? bs_regex_node_of(build, children->last) : NULL;
	if (!before || before->kind != BS_REGEX_RUN || node->kind != BS_REGEX_RUN ||
	    before->caseless != node->caseless || before->first + before->n != node->first ||
	    child + 1 != bs_regex_n_nodes(build->regex)) {
		bs_regex_put_child(build, children, child);
		return;
	}
	before->n += node->n;
	before->to = node->to;
	bs_vector_set_n(&build->regex->nodes, child);
}

static inline uint32_t bs_regex_add_parent(struct bs_regex_build *build, enum bs_regex_kind kind,
                                           uint32_t first, uint32_t n, size_t from)
{
	uint32_t parent = bs_regex_add(build, kind, from, 0);
	if (!bs_regex_is_lost(build)) {
		bs_regex_node_of(build, parent)->n = n;
		bs_regex_node_of(build, parent)->first = first;
	}
	return parent;
}

/* Returns a node for a list of children: if it has one child, this child; if it has none, an EMPTY
 * node. */
static inline uint32_t bs_regex_join(struct bs_regex_build *build,
                                     const struct bs_regex_children *children,
                                     enum bs_regex_kind kind, size_t from)
{
	if (children->n == 1)
		return children->first;
	return bs_regex_add_parent(build, children->n ? kind : BS_REGEX_EMPTY, children->first,
	                           children->n, from);
}

static inline uint32_t bs_regex_add_run(struct bs_regex_build *build, const void *bytes,
                                        size_t n_bytes, size_t from)
{
	uint32_t run = bs_regex_add(build, BS_REGEX_RUN, from, 0);
	if (bs_regex_is_lost(build))
		return run;
	bs_regex_node_of(build, run)->first = (uint32_t)build->regex->bytes.used_bytes;
	bs_regex_node_of(build, run)->n = (uint32_t)n_bytes;
	build->status = bs_buffer_append(&build->regex->bytes, bytes, n_bytes, build->err);
	return run;
}

static inline uint32_t bs_regex_add_char(struct bs_regex_build *build, uint32_t c, size_t from)
{
	uint8_t bytes[4];
	size_t n = 0;
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return bs_regex_give_up(build);
	build->regex->is_ascii &= c < 0x80;
	U8_APPEND_UNSAFE(bytes, n, c);
	return bs_regex_add_run(build, bytes, n, from);
}

static inline uint32_t bs_regex_n_members(const struct bs_regex_build *build)
{
	return (uint32_t)bs_vector_n(&build->regex->members);
}

static inline void bs_regex_add_member(struct bs_regex_build *build, size_t from, uint32_t letter,
                                       uint32_t first, uint32_t last)
{
	struct bs_regex_member member = {(uint32_t)from, (uint32_t)build->at, first, last,
	                                 (uint8_t)letter};
	if (bs_regex_is_lost(build))
		return;
	build->regex->is_ascii &= letter || last < 0x80;
	build->status = bs_vector_append(&build->regex->members, &member, build->err);
}

/* Adds the set of members[first..]. letter '^': the characters that no member contains. */
static inline uint32_t bs_regex_add_set(struct bs_regex_build *build, size_t from, uint32_t letter,
                                        uint32_t first)
{
	uint32_t set = bs_regex_add(build, BS_REGEX_SET, from, letter);
	if (bs_regex_is_lost(build))
		return set;
	bs_regex_node_of(build, set)->first = first;
	bs_regex_node_of(build, set)->n = bs_regex_n_members(build) - first;
	return set;
}
