/* byte_superset.c: see byte_superset.h. */
#include "query/regex/prefilter/byte_superset.h"

#include <stdio.h>
#include <string.h>

#include "core/system/deadline.h"
#include "query/regex/regex_set.h"
#include "query/regex/text.h"

/* The weight of a pattern is the number of its character positions after repeats are written out: a
 * measure of the automaton's size and of the time to build it. */
#define MOST_WEIGHT 2000u
/* A repeat with a larger weight gets a smaller least count and no upper bound. */
#define MOST_REPEAT_WEIGHT 300u
/* The largest count of a repeated set. A larger least count is reduced to MOST_COUNT; if either
 * count is larger, the upper bound is removed. Hyperscan's limit is 32,767, and an upper bound may
 * be multiplied by MOST_CHARACTER_BYTES. */
#define MOST_COUNT 5000u
/* The most weight of a repeated set, because Hyperscan counts its repeats without writing them
 * out. */
#define SET_REPEAT_WEIGHT 16u
/* The most bytes of a character. */
#define MOST_CHARACTER_BYTES 4u

#define NODE_NS 100u /* estimated time per node */

struct superset {
	const struct bs_regex *regex;
	const struct bs_byte_superset_options *options;
	struct bs_text_writer out;
	bool gave_up;  /* no superset: the text is dropped */
	bool is_exact; /* nothing was made simpler so far */
};

/* Facts about the text that was written for a node. A text of weight 0 matches only the empty
 * text. */
struct piece {
	bool may_be_empty;
	uint32_t weight; /* at most TOO_HEAVY */
};
#define TOO_HEAVY 1000000u

/* The position of a node in the whole pattern. */
struct edges {
	bool is_first; /* nothing is matched before it */
	bool is_last;  /* nothing is matched after it */
};

static struct piece write_node(struct superset *to, uint32_t index, struct edges edges);

static void put(struct superset *to, const char *text)
{
	bs_text_put_string(&to->out, text);
}

static void put_byte(struct superset *to, uint8_t byte)
{
	char text[8];
	bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
	                (byte >= 'A' && byte <= 'Z') || byte == '_';
	snprintf(text, sizeof(text), is_plain ? "%c" : "\\x%02x", byte);
	put(to, text);
}

static void simplify(struct superset *to)
{
	to->is_exact = false;
}

static struct piece give_up(struct superset *to)
{
	to->gave_up = true;
	return (struct piece){.weight = 1};
}

/* Writes the set as a class of bytes, without line feed. Unless is_ascii, the bytes above 0x7f are
 * members if the set has characters beyond ASCII. False: the class would be empty. */
static bool put_class(struct superset *to, const struct bs_regex_set *set)
{
	bool is_open = false;
	for (uint32_t c = 0; c < 0x80; c++) {
		uint32_t first = c;
		while (c < 0x80 && c != '\n' && bs_regex_set_has(set, c))
			c++;
		to->is_exact &= !(to->options->is_crlf && first <= '\r' && '\r' < c);
		if (c == first)
			continue;
		put(to, is_open ? "" : "[");
		is_open = true;
		put_byte(to, (uint8_t)first);
		if (c - 1 > first) {
			put(to, "-");
			put_byte(to, (uint8_t)(c - 1));
		}
	}
	bool has_more = set->has_more && !to->options->is_ascii;
	if (has_more)
		put(to, is_open ? "\\x80-\\xff" : "[\\x80-\\xff");
	is_open |= has_more;
	to->is_exact &= set->is_sure && !has_more;
	put(to, is_open ? "]" : "");
	return is_open;
}

/* Writes a class that is repeated `least` to `most` times. A character may take several bytes. */
static struct piece put_repeated_class(struct superset *to, const struct bs_regex_set *set,
                                       uint32_t least, uint32_t most)
{
	char counts[40];
	bool has_more = set->has_more && !to->options->is_ascii;
	if (!put_class(to, set))
		return least ? give_up(to) : (struct piece){.may_be_empty = true};
	if (least > MOST_COUNT || (most > MOST_COUNT && most != BS_REGEX_NO_MAX)) {
		simplify(to);
		least = least > MOST_COUNT ? MOST_COUNT : least;
		most = BS_REGEX_NO_MAX;
	}
	if (most != BS_REGEX_NO_MAX && has_more)
		most *= MOST_CHARACTER_BYTES;
	if (most == BS_REGEX_NO_MAX)
		snprintf(counts, sizeof(counts), "{%u,}", least);
	else
		snprintf(counts, sizeof(counts), "{%u,%u}", least, most);
	put(to, least == 1 && most == 1 ? "" : counts);
	return (struct piece){.may_be_empty = least == 0,
	                      .weight = least < SET_REPEAT_WEIGHT ? least + 1 : SET_REPEAT_WEIGHT};
}

static bool is_caseless_at(const struct superset *to, const struct bs_regex_node *node)
{
	return bs_regex_is(node->caseless, to->options->is_caseless);
}

/* Writes an ASCII character in both cases. Kelvin sign and long s are cases of k and s. */
static void put_caseless(struct superset *to, uint8_t c)
{
	struct bs_regex_set set = bs_regex_set_fold(bs_regex_set_of_range(c, c));
	bool has_more = set.has_more && !to->options->is_ascii;
	set.has_more = false;
	put(to, has_more ? "(?:" : "");
	(void)put_class(to, &set);
	put(to, has_more ? "|[\\x80-\\xff]{2,3})" : "");
}

static struct piece write_run(struct superset *to, const struct bs_regex_node *node)
{
	const uint8_t *bytes = to->regex->bytes.data + node->first;
	bool is_caseless = is_caseless_at(to, node);
	for (uint32_t i = 0; i < node->n; i++) {
		/* In ASCII text a character beyond ASCII matches nothing, which Hyperscan cannot
		 * express. */
		if (bytes[i] == '\n' || (bytes[i] >= 0x80 && to->options->is_ascii))
			return give_up(to);
		if (!is_caseless)
			put_byte(to, bytes[i]);
		else if (bytes[i] < 0x80)
			put_caseless(to, bytes[i]);
		else if ((bytes[i] & 0xc0) != 0x80)
			/* Another case of this character may be k or s, or have another number of
			 * bytes. */
			put(to, "(?:[\\x80-\\xff]{1,4}|[kKsS])");
		to->is_exact &= bytes[i] < 0x80 && !(is_caseless && !to->options->is_ascii) &&
		                !(to->options->is_crlf && bytes[i] == '\r');
	}
	return (struct piece){.weight = node->n};
}

static struct bs_regex_set set_of(const struct superset *to, const struct bs_regex_node *node)
{
	return bs_regex_set_of(to->regex, node, to->options->is_caseless);
}

/* Whether each match of a node begins (or, with at_end, ends) with an ASCII word character. */
static bool has_word_edge(const struct superset *to, uint32_t index, bool at_end)
{
	static const uint64_t word[2] = {UINT64_C(0x03ff000000000000),
	                                 UINT64_C(0x07fffffe87fffffe)};
	const struct bs_regex_node *node = bs_regex_node(to->regex, index);
	const struct bs_regex_node *child;
	uint32_t edge = node->first;
	struct bs_regex_set set;
	switch (node->kind) {
	case BS_REGEX_RUN: {
		uint8_t c = to->regex->bytes.data[node->first + (at_end ? node->n - 1 : 0)];
		return bs_is_ascii_word(c) &&
		       (to->options->is_ascii || !(is_caseless_at(to, node) && strchr("kKsS", c)));
	}
	case BS_REGEX_SET:
		set = set_of(to, node);
		return (to->options->is_ascii || !set.has_more) && (set.ascii[0] & ~word[0]) == 0 &&
		       (set.ascii[1] & ~word[1]) == 0;
	case BS_REGEX_REPEAT:
		return node->least > 0 && has_word_edge(to, node->first, at_end);
	case BS_REGEX_SEQUENCE:
		while (at_end && (child = bs_regex_node(to->regex, edge))->next != BS_REGEX_NO_NODE)
			edge = child->next;
		return node->n > 0 && has_word_edge(to, edge, at_end);
	case BS_REGEX_ALTERNATION:
		for (; edge != BS_REGEX_NO_NODE; edge = bs_regex_node(to->regex, edge)->next)
			if (!has_word_edge(to, edge, at_end))
				return false;
		return node->n > 0;
	default:
		return false;
	}
}

bool bs_regex_has_word_edges(const struct bs_regex *regex, bool is_caseless)
{
	struct bs_byte_superset_options options = {.is_caseless = is_caseless, .is_ascii = true};
	struct superset to = {.regex = regex, .options = &options};
	return has_word_edge(&to, regex->root, false) && has_word_edge(&to, regex->root, true);
}

/* Writes an assertion, or nothing if Hyperscan's assertion might miss a match. before, after: the
 * neighbours in the sequence, or BS_REGEX_NO_NODE. True: something was written. */
static bool put_assertion(struct superset *to, const struct bs_regex_node *node, uint32_t before,
                          uint32_t after)
{
	bool is_by_word = to->options->is_ascii ||
	                  (before != BS_REGEX_NO_NODE && has_word_edge(to, before, true)) ||
	                  (after != BS_REGEX_NO_NODE && has_word_edge(to, after, false));
	switch (node->letter) {
	case '^':
	case 'A':
	case '$':
	case 'z':
	case 'Z':
		/* With is_crlf, these assertions may match at any carriage return. */
		to->is_exact &= !to->options->is_crlf && node->letter != 'Z';
		if (to->options->is_crlf)
			return false;
		put(to, node->letter == '^' || node->letter == 'A' ? "^" : "$");
		return true;
	case 'b':
		to->is_exact &= to->options->is_ascii;
		put(to, is_by_word ? "\\b" : "");
		return is_by_word;
	case 'B':
		to->is_exact &= to->options->is_ascii;
		put(to, to->options->is_ascii ? "\\B" : "");
		return to->options->is_ascii;
	default:
		simplify(to);
		return false;
	}
}

static uint32_t limited(uint64_t weight)
{
	return weight > TOO_HEAVY ? TOO_HEAVY : (uint32_t)weight;
}

/* Returns the last child of a sequence that is not optional, that is, neither empty, nor a
 * lookaround, nor a repeat of 0 times or more; if there is none, the first child. */
static uint32_t last_needed(const struct superset *to, const struct bs_regex_node *sequence)
{
	uint32_t last = sequence->first;
	for (uint32_t i = sequence->first; i != BS_REGEX_NO_NODE;) {
		const struct bs_regex_node *child = bs_regex_node(to->regex, i);
		bool is_optional = child->kind == BS_REGEX_LOOK || child->kind == BS_REGEX_EMPTY ||
		                   (child->kind == BS_REGEX_REPEAT && child->least == 0);
		last = is_optional ? last : i;
		i = child->next;
	}
	return last;
}

static struct piece write_sequence(struct superset *to, const struct bs_regex_node *node,
                                   struct edges edges)
{
	struct piece all = {.may_be_empty = true};
	bool is_first = edges.is_first;
	uint32_t before = BS_REGEX_NO_NODE;
	uint32_t last = edges.is_last ? last_needed(to, node) : BS_REGEX_NO_NODE;
	bool is_last = false;
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE;
	     i = bs_regex_node(to->regex, i)->next) {
		const struct bs_regex_node *child = bs_regex_node(to->regex, i);
		if (child->kind == BS_REGEX_ASSERTION) {
			is_first &= !put_assertion(to, child, before, child->next);
		} else {
			is_last |= i == last;
			struct piece piece = write_node(to, i, (struct edges){is_first, is_last});
			is_first &= piece.weight == 0;
			all.may_be_empty &= piece.may_be_empty;
			all.weight = limited((uint64_t)all.weight + piece.weight);
		}
		before = i;
	}
	return all;
}

static struct piece write_alternation(struct superset *to, const struct bs_regex_node *node,
                                      struct edges edges)
{
	struct piece all = {0};
	put(to, "(?:");
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE;
	     i = bs_regex_node(to->regex, i)->next) {
		put(to, i == node->first ? "" : "|");
		struct piece piece = write_node(to, i, edges);
		all.may_be_empty |= piece.may_be_empty;
		all.weight = limited((uint64_t)all.weight + piece.weight + 1);
	}
	/* If an alternative may match the empty text, such as an assertion that was left out, the
	 * whole group becomes optional. */
	to->is_exact &= !all.may_be_empty;
	put(to, all.may_be_empty ? ")?" : ")");
	return all;
}

static struct piece write_repeat(struct superset *to, const struct bs_regex_node *node,
                                 struct edges edges)
{
	const struct bs_regex_node *child = bs_regex_node(to->regex, node->first);
	bool is_edge = edges.is_first || edges.is_last;
	uint32_t least = node->least, most = is_edge ? least : node->most;
	char counts[40];
	if (most == 0)
		return (struct piece){.may_be_empty = true};
	if (child->kind == BS_REGEX_SET) {
		struct bs_regex_set set = set_of(to, child);
		return put_repeated_class(to, &set, least, most);
	}
	if (least == 1 && most == 1)
		return write_node(to, node->first, edges);
	put(to, "(?:");
	struct piece piece = write_node(to, node->first, (struct edges){false, false});
	if (piece.weight == 0)
		piece.may_be_empty = true;
	uint32_t most_count = MOST_REPEAT_WEIGHT / (piece.weight + 1) + 1;
	if (least > most_count || (most > most_count && most != BS_REGEX_NO_MAX)) {
		simplify(to);
		least = least > most_count ? most_count : least;
		most = BS_REGEX_NO_MAX;
	}
	if (most == BS_REGEX_NO_MAX)
		snprintf(counts, sizeof(counts), "){%u,}", least);
	else
		snprintf(counts, sizeof(counts), "){%u,%u}", least, most);
	put(to, counts);
	piece.may_be_empty |= least == 0;
	piece.weight =
		limited((uint64_t)piece.weight * (most == BS_REGEX_NO_MAX ? least + 1 : most));
	return piece;
}

static struct piece write_node(struct superset *to, uint32_t index, struct edges edges)
{
	const struct bs_regex_node *node = bs_regex_node(to->regex, index);
	struct bs_regex_set set;
	if (!to->out.status)
		to->out.status = bs_deadline_check_after(NODE_NS, to->out.err);
	if (to->out.status || to->gave_up)
		return (struct piece){.weight = 1};
	switch (node->kind) {
	case BS_REGEX_RUN:
		return write_run(to, node);
	case BS_REGEX_SET:
		set = set_of(to, node);
		return put_repeated_class(to, &set, 1, 1);
	case BS_REGEX_ASSERTION:
		(void)put_assertion(to, node, BS_REGEX_NO_NODE, BS_REGEX_NO_NODE);
		return (struct piece){.may_be_empty = true};
	case BS_REGEX_SEQUENCE:
		return write_sequence(to, node, edges);
	case BS_REGEX_ALTERNATION:
		return write_alternation(to, node, edges);
	case BS_REGEX_REPEAT:
		return write_repeat(to, node, edges);
	case BS_REGEX_EMPTY:
		return (struct piece){.may_be_empty = true};
	case BS_REGEX_LOOK:
		simplify(to);
		return (struct piece){.may_be_empty = true};
	case BS_REGEX_ANYTHING:
		simplify(to);
		if (!edges.is_first && !edges.is_last)
			put(to, "[^\\n]*");
		return (struct piece){.may_be_empty = true, .weight = 1};
	default:
		return give_up(to);
	}
}

enum bs_status bs_regex_byte_superset(const struct bs_regex *regex,
                                      const struct bs_byte_superset_options *options,
                                      struct bs_buffer *text_out, bool *is_exact_out,
                                      struct bs_error *err)
{
	struct superset to = {.regex = regex,
	                      .options = options,
	                      .out = {.out = text_out, .err = err},
	                      .is_exact = !regex->has_control && !regex->is_superset &&
	                                  (options->is_ascii || !options->is_pcre2)};
	size_t had_bytes = text_out->used_bytes;
	bool is_line = options->is_line && !options->is_crlf;
	put(&to, is_line ? "^(?:" : "");
	struct piece all = write_node(&to, regex->root, (struct edges){!is_line, !is_line});
	to.is_exact &= is_line == options->is_line;
	put(&to, is_line ? ")$" : "");
	bool is_useful = !to.gave_up && !all.may_be_empty && all.weight <= MOST_WEIGHT;
	bs_text_put(&to.out, "", 1);
	if (!is_useful || to.out.status)
		text_out->used_bytes = had_bytes;
	*is_exact_out = is_useful && to.is_exact;
	return to.out.status;
}
