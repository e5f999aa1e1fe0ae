/* regex_rewrite.c: see regex_rewrite.h. One pass over the nodes, in the order of the pattern. */
#include "query/regex/regex_rewrite.h"

#include <stdio.h>
#include <string.h>

#include "core/system/deadline.h"
#include "query/regex/regex_set.h"
#include "query/regex/text.h"

struct rewriting {
	const struct bs_regex *regex;
	const struct bs_regex_rewrite_options *options;
	struct bs_text_writer out;
	struct bs_regex_lines *lines;
	uint32_t copied; /* bytes of the pattern copied so far */
};

static void copy_to(struct rewriting *at, uint32_t end)
{
	if (end > at->copied)
		bs_text_put(&at->out, at->regex->text + at->copied, end - at->copied);
	at->copied = end;
}

/* The characters that end lines. No set in the rewritten pattern may contain them. */
static const char *ends(const struct rewriting *at)
{
	return at->options->is_crlf ? "\\n\\r" : "\\n";
}

static bool holds_ends(const struct rewriting *at, const struct bs_regex_set *set)
{
	return bs_regex_set_has(set, '\n') || (at->options->is_crlf && bs_regex_set_has(set, '\r'));
}

static void write_range(struct rewriting *at, uint32_t first, uint32_t last)
{
	char range[32];
	snprintf(range, sizeof(range), first < last ? "\\x{%x}-\\x{%x}" : "\\x{%x}", first, last);
	if (first <= last)
		bs_text_put_string(&at->out, range);
}

/* Writes a member of a class, with line ends removed from it. False: it cannot be written so. */
static bool narrow_member(struct rewriting *at, const struct bs_regex_member *member)
{
	struct bs_regex_set set = bs_regex_set_of_member(at->regex, member);
	if (!holds_ends(at, &set))
		return true;
	copy_to(at, member->from);
	at->copied = member->to;
	if (member->letter == 's') {
		/* The last escape, like \s, cannot begin a range if a hyphen follows. */
		bs_text_put_string(&at->out, at->options->is_crlf ? "" : "\\r");
		bs_text_put_string(&at->out, "\\x0b\\f\\x{85}\\p{Zl}\\p{Zp}\\h");
		return true;
	}
	if (member->letter || member->first == member->last)
		return false;
	uint32_t first = member->first;
	for (uint32_t c = '\n'; c <= '\r'; c += '\r' - '\n') {
		bool is_end = c == '\n' || at->options->is_crlf;
		if (!is_end || c < first || c > member->last)
			continue;
		if (first < c)
			write_range(at, first, c - 1);
		first = c + 1;
	}
	write_range(at, first, member->last);
	return true;
}

/* Rewrites a class [...] that contains a line end. False: impossible, and nothing was written. */
static bool narrow_class(struct rewriting *at, const struct bs_regex_node *node)
{
	size_t n_before = at->out.out->used_bytes;
	for (uint32_t i = 0; i < node->n; i++) {
		if (narrow_member(at, bs_regex_member(at->regex, node->first + i)))
			continue;
		at->out.out->used_bytes = n_before;
		at->copied = node->from;
		return false;
	}
	return true;
}

/* Rewrites an escape or dot that contains a line end. */
static bool narrow_escape(struct rewriting *at, const struct bs_regex_node *node)
{
	uint8_t letter = bs_regex_member(at->regex, node->first)->letter;
	char negated[] = {'\\', (char)(letter ^ 0x20), '\0'};
	if (letter == 'v')
		return false;
	bs_text_put_string(&at->out, "[^");
	at->copied = node->from;
	if (letter != '.' && letter != 'N') {
		bs_text_put_string(&at->out, negated);
		at->copied += 2;
		copy_to(at, node->to);
	}
	bs_text_put_string(&at->out, ends(at));
	bs_text_put_string(&at->out, "]");
	at->copied = node->to;
	return true;
}

static bool narrow(struct rewriting *at, const struct bs_regex_node *node)
{
	if (node->letter == '[')
		return narrow_class(at, node);
	if (node->letter != '^')
		return narrow_escape(at, node);
	/* The line ends are inserted before the first member. If that is ] or -, it must then be
	 * escaped. */
	uint32_t first = node->to;
	for (uint32_t i = 0; i < node->n; i++) {
		uint32_t from = bs_regex_member(at->regex, node->first + i)->from;
		first = from < first ? from : first;
	}
	copy_to(at, first);
	bs_text_put_string(&at->out, ends(at));
	bs_text_put_string(&at->out, strchr("]-", at->regex->text[first]) ? "\\" : "");
	return true;
}

static void only_by_line(struct rewriting *at)
{
	at->lines->is_exact = false;
	at->lines->can_span = true;
	at->lines->has_assertion = true;
}

/* True if the set has [:upper:] or [:lower:]. With -i and without Unicode properties, these match
 * any letter. */
static bool has_cased_name(const struct rewriting *at, const struct bs_regex_node *node)
{
	for (uint32_t i = 0; i < node->n; i++) {
		const struct bs_regex_member *member = bs_regex_member(at->regex, node->first + i);
		if (memmem(at->regex->text + member->from, member->to - member->from, "er:", 3))
			return true;
	}
	return false;
}

/* The dot and \N do not match a line feed, unless dot_all applies to the dot. */
static void rewrite_set(struct rewriting *at, const struct bs_regex_node *node)
{
	struct bs_regex_set set = bs_regex_set_of(at->regex, node, false);
	uint8_t letter = node->letter ? 0 : bs_regex_member(at->regex, node->first)->letter;
	at->lines->has_nul |= bs_regex_set_has(&set, 0);
	bool is_dot = letter == 'N' ||
	              (letter == '.' && !bs_regex_is(node->dot_all, at->options->dot_all));
	at->lines->is_ascii &= !has_cased_name(at, node);
	if (!holds_ends(at, &set) || (is_dot && !at->options->is_crlf))
		return;
	at->lines->can_span |= !is_dot && bs_regex_set_has(&set, '\n');
	copy_to(at, node->from);
	if ((letter == '.' && !is_dot && !at->options->is_crlf) || !narrow(at, node))
		only_by_line(at);
}

static void rewrite_place(struct rewriting *at, const struct bs_regex_node *node)
{
	bool is_line_end = node->letter == '$' && bs_regex_is(node->multi_line, true);
	at->lines->has_assertion = true;
	/* ^ and $ match no line feed, but they make ripgrep search across lines. */
	at->lines->can_span |= node->letter == '^' || node->letter == '$';
	if (strchr("AGKzZ", node->letter) ||
	    (strchr("^$", node->letter) && !bs_regex_is(node->multi_line, true)))
		only_by_line(at);
	if (!is_line_end || !at->options->end_passes_cr)
		return;
	copy_to(at, node->from);
	bs_text_put_string(&at->out, "(?=\\r?$)");
	at->copied = node->to;
}

static void rewrite_node(struct rewriting *at, const struct bs_regex_node *node)
{
	switch (node->kind) {
	case BS_REGEX_RUN:
		at->lines->has_nul |=
			memchr(at->regex->bytes.data + node->first, 0, node->n) != NULL;
		if (memchr(at->regex->bytes.data + node->first, '\n', node->n))
			only_by_line(at);
		break;
	case BS_REGEX_SET:
		rewrite_set(at, node);
		break;
	case BS_REGEX_ASSERTION:
		rewrite_place(at, node);
		break;
	case BS_REGEX_LOOK:
		at->lines->has_assertion = true;
		break;
	case BS_REGEX_ANYTHING:
		at->lines->has_nul = true;
		if (node->letter < '1' || node->letter > '9')
			only_by_line(at);
		break;
	case BS_REGEX_UNKNOWN:
		at->lines->has_nul = true;
		only_by_line(at);
		break;
	default:
		break;
	}
}

#define NODE_NS 50u /* estimated time per node */

enum bs_status bs_regex_rewrite(const struct bs_regex *regex,
                                const struct bs_regex_rewrite_options *options,
                                struct bs_buffer *text_out, struct bs_regex_lines *lines_out,
                                struct bs_error *err)
{
	struct rewriting at = {.regex = regex,
	                       .options = options,
	                       .out = {.out = text_out, .err = err},
	                       .lines = lines_out};
	*lines_out = (struct bs_regex_lines){.is_exact = true,
	                                     .is_ascii = regex->is_ascii && !regex->has_control};
	if (regex->has_control)
		only_by_line(&at);
	for (uint32_t i = 0; i < bs_regex_n_nodes(regex) && !at.out.status; i++) {
		at.out.status = bs_deadline_check_after(NODE_NS, err);
		rewrite_node(&at, bs_regex_node(regex, i));
	}
	copy_to(&at, (uint32_t)regex->n_bytes);
	return at.out.status;
}
