/* class_sequence.c: see class_sequence.h. */
#include "query/regex/prefilter/class_sequence.h"

#include <math.h>
#include <string.h>

#include "core/base/byte_rate.h"
#include "query/regex/text.h"

#define MOST_ITEMS 64u
/* UNBOUNDED replaces a maximum number of bytes that does not exist, or that is larger than
 * MOST_BOUND and therefore useless. */
#define UNBOUNDED            BS_SEQUENCE_UNBOUNDED
#define MOST_BOUND           (UINT32_C(1) << 16)
#define MOST_CHARACTER_BYTES 4u

enum item_kind {
	ITEM_RUN,      /* bytes of a class */
	ITEM_ANYTHING, /* anything */
	ITEM_BOUNDARY, /* \b */
};

/* A part of the pattern. Items are in the order of the pattern. */
struct item {
	enum item_kind kind;
	uint64_t class[4]; /* bit c & 63 of class[c >> 6]: byte c is in the class */
	uint32_t least;    /* ITEM_RUN: the minimum number of bytes, > 0 */
	bool is_fixed;     /* never more bytes than `least` */
	/* the maximum number of bytes of a match of this part, or UNBOUNDED */
	uint32_t most_bytes;
	/* a character may take several bytes of the class, so nothing is known of its neighbours'
	 * places */
	bool is_alone;
	bool is_sure; /* all characters of the class match */
};

/* Consecutive runs. */
struct stretch {
	const struct item *items[BS_SEQUENCE_MOST_RUNS];
	uint32_t n, n_bytes;
	bool has_gap_before, has_gap_after;
	/* the maximum number of bytes between the start of a match and the stretch, or UNBOUNDED */
	uint32_t before_bytes;
};

struct reader {
	const struct bs_regex *regex;
	const struct bs_byte_superset_options *options;
	bool spans_lines;
	struct item items[MOST_ITEMS + 1]; /* the last one is overwritten if there are more */
	uint32_t n_items;
	bool is_full;       /* the rest of the pattern was not read */
	bool has_assertion; /* assertions limit where the items match */
	struct stretch now, best;
	double best_rate;
};

static bool has_byte(const struct item *item, uint32_t byte)
{
	return item->class[byte >> 6] >> (byte & 63) & 1;
}

static uint32_t bounded(uint64_t n_bytes)
{
	return n_bytes > MOST_BOUND ? UNBOUNDED : (uint32_t)n_bytes;
}

static struct item *add_item(struct reader *reader, enum item_kind kind, uint64_t most_bytes)
{
	reader->is_full |= reader->n_items == MOST_ITEMS;
	struct item *item = &reader->items[reader->n_items];
	reader->n_items += !reader->is_full;
	*item = (struct item){.kind = kind, .most_bytes = bounded(most_bytes)};
	return item;
}

static void add_byte(struct item *item, uint32_t byte)
{
	item->class[byte >> 6] |= UINT64_C(1) << (byte & 63);
}

/* Adds `least` to `most` characters of a set. */
static void add_set(struct reader *reader, const struct bs_regex_set *set, uint32_t least,
                    uint32_t most)
{
	bool is_ascii = reader->options->is_ascii, is_alone = !is_ascii && set->has_more;
	struct item *item =
		add_item(reader, ITEM_RUN, (uint64_t)most * (is_alone ? MOST_CHARACTER_BYTES : 1));
	for (uint32_t c = 0; c < (is_ascii ? 0x80u : 0x100u); c++)
		if ((c != '\n' || reader->spans_lines) && bs_regex_set_has(set, c))
			add_byte(item, c);
	item->least = least;
	item->is_fixed = least == most;
	item->is_alone = is_alone;
	item->is_sure = set->is_sure;
	bool is_empty = !(item->class[0] | item->class[1] | item->class[2] | item->class[3]);
	if (is_empty || least == 0)
		item->kind = ITEM_ANYTHING;
}

/* Adds an ASCII character, `least` to `most` times, or a byte of another character in UTF-8. */
static void add_character(struct reader *reader, uint8_t byte, bool is_caseless, uint32_t least,
                          uint32_t most)
{
	if (byte >= 0x80) {
		/* Another case may have other bytes, even more. */
		bool is_unknown = is_caseless || reader->options->is_ascii;
		struct item *item = add_item(reader, is_unknown ? ITEM_ANYTHING : ITEM_RUN,
		                             MOST_CHARACTER_BYTES);
		add_byte(item, byte);
		item->least = 1;
		item->is_fixed = true;
		return;
	}
	struct bs_regex_set set = bs_regex_set_of_range(byte, byte);
	if (is_caseless)
		set = bs_regex_set_fold(set);
	add_set(reader, &set, least, most);
}

static void add_node(struct reader *reader, uint32_t index);

static void add_repeat(struct reader *reader, const struct bs_regex_node *node)
{
	const struct bs_regex_node *child = bs_regex_node(reader->regex, node->first);
	if (child->kind == BS_REGEX_SET) {
		struct bs_regex_set set =
			bs_regex_set_of(reader->regex, child, reader->options->is_caseless);
		add_set(reader, &set, node->least, node->most);
	} else if (child->kind == BS_REGEX_RUN && child->n == 1) {
		add_character(reader, reader->regex->bytes.data[child->first],
		              bs_regex_is(child->caseless, reader->options->is_caseless),
		              node->least, node->most);
	} else if (node->least == 0) {
		add_item(reader, ITEM_ANYTHING, UNBOUNDED);
	} else {
		add_node(reader, node->first);
		if (node->most > 1)
			add_item(reader, ITEM_ANYTHING, UNBOUNDED);
	}
}

static void add_node(struct reader *reader, uint32_t index)
{
	const struct bs_regex_node *node = bs_regex_node(reader->regex, index);
	struct bs_regex_set set;
	switch (node->kind) {
	case BS_REGEX_RUN:
		for (uint32_t i = 0; i < node->n && !reader->is_full; i++)
			add_character(reader, reader->regex->bytes.data[node->first + i],
			              bs_regex_is(node->caseless, reader->options->is_caseless), 1,
			              1);
		break;
	case BS_REGEX_SET:
		set = bs_regex_set_of(reader->regex, node, reader->options->is_caseless);
		add_set(reader, &set, 1, 1);
		break;
	case BS_REGEX_SEQUENCE:
		for (uint32_t i = node->first; i != BS_REGEX_NO_NODE && !reader->is_full;
		     i = bs_regex_node(reader->regex, i)->next)
			add_node(reader, i);
		break;
	case BS_REGEX_REPEAT:
		add_repeat(reader, node);
		break;
	case BS_REGEX_ASSERTION:
		reader->has_assertion = true;
		if (node->letter == 'b')
			add_item(reader, ITEM_BOUNDARY, 0);
		break;
	case BS_REGEX_LOOK:
		reader->has_assertion = true;
		break;
	case BS_REGEX_EMPTY:
		break;
	default:
		add_item(reader, ITEM_ANYTHING, UNBOUNDED);
		break;
	}
}

/* Whether all bytes of the class are ASCII word characters. */
static bool is_word_class(const struct item *item)
{
	static const uint64_t word[2] = {UINT64_C(0x03ff000000000000),
	                                 UINT64_C(0x07fffffe87fffffe)};
	return !((item->class[0] & ~word[0]) | (item->class[1] & ~word[1]) | item->class[2] |
	         item->class[3]);
}

/* Estimates the share of offsets in a text where item->least bytes of the class follow each other.
 * The first has the rate of the class; the further ones have its square root, a guess, because
 * bytes of one class tend to be adjacent. */
static double run_rate(const struct item *item)
{
	double rate = 0;
	for (uint32_t byte = 0; byte < 0x100; byte++)
		rate += has_byte(item, byte) ? bs_byte_rate((uint8_t)byte) / 1000 : 0;
	rate = rate < 1 ? rate : 1;
	return rate * pow(sqrt(rate), item->least - 1);
}

static double stretch_rate(const struct stretch *stretch)
{
	double rate = 1;
	for (uint32_t i = 0; i < stretch->n; i++)
		rate *= run_rate(stretch->items[i]);
	/* About a third of the bytes are not word characters. */
	return rate / ((stretch->has_gap_before ? 3 : 1) * (stretch->has_gap_after ? 3 : 1));
}

static void end_stretch(struct reader *reader)
{
	double rate = reader->now.n > 0 ? stretch_rate(&reader->now) : 1;
	if (rate < reader->best_rate) {
		reader->best = reader->now;
		reader->best_rate = rate;
	}
	reader->now = (struct stretch){.n = 0};
}

static uint32_t n_classes(const struct stretch *stretch)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < stretch->n; i++) {
		uint32_t k = 0;
		while (memcmp(stretch->items[k]->class, stretch->items[i]->class,
		              sizeof(stretch->items[i]->class)) != 0)
			k++;
		n += k == i;
	}
	return n;
}

static void append_run(struct reader *reader, const struct item *item)
{
	struct stretch *now = &reader->now;
	if (now->n == BS_SEQUENCE_MOST_RUNS || n_classes(now) == BS_SEQUENCE_MOST_CLASSES ||
	    now->n_bytes + item->least > BS_SEQUENCE_MOST_BYTES || item->is_alone)
		end_stretch(reader);
	now->items[now->n++] = item;
	now->n_bytes += item->least;
	now->has_gap_after = false;
}

static uint32_t add_bounds(uint32_t a, uint32_t b)
{
	return a == UNBOUNDED || b == UNBOUNDED ? UNBOUNDED : bounded((uint64_t)a + b);
}

/* Looks through the items for the rarest stretch. */
static void find_stretch(struct reader *reader)
{
	bool is_after_boundary = false;
	/* the maximum number of bytes that the items before this one match, or UNBOUNDED */
	uint32_t before_bytes = 0;
	for (uint32_t i = 0; i < reader->n_items; i++) {
		const struct item *item = &reader->items[i];
		struct stretch *now = &reader->now;
		if (item->kind == ITEM_ANYTHING) {
			end_stretch(reader);
		} else if (item->kind == ITEM_BOUNDARY && now->n > 0) {
			now->has_gap_after = is_word_class(now->items[now->n - 1]);
		} else if (item->kind == ITEM_RUN) {
			append_run(reader, item);
			now->before_bytes = now->n == 1 ? before_bytes : now->before_bytes;
			now->has_gap_before |=
				now->n == 1 && is_after_boundary && is_word_class(item);
			bool is_long = item->least > BS_SEQUENCE_MOST_BYTES;
			if (!item->is_fixed || item->is_alone || is_long)
				end_stretch(reader);
			/* The end of a run of variable length may begin the next stretch. */
			if (!item->is_fixed && !item->is_alone && !is_long) {
				append_run(reader, item);
				now->before_bytes = add_bounds(before_bytes, item->most_bytes);
			}
		}
		before_bytes = add_bounds(before_bytes, item->most_bytes);
		is_after_boundary = item->kind == ITEM_BOUNDARY;
	}
	end_stretch(reader);
}

/* The index of the class of an item, new or existing. */
static uint32_t take_class(struct bs_class_sequence *sequence, const struct item *item)
{
	struct bs_byte_class class = {.rows = {{0}}};
	for (uint32_t byte = 0; byte < 0x100; byte++)
		class.has[byte] = has_byte(item, byte);
	for (uint32_t i = 0; i < sequence->n_classes; i++)
		if (memcmp(class.has, sequence->classes[i].has, sizeof(class.has)) == 0)
			return i;
	bs_byte_class_finish(&class);
	sequence->classes[sequence->n_classes] = class;
	return sequence->n_classes++;
}

static void take_stretch(const struct stretch *stretch, struct bs_class_sequence *sequence)
{
	double rates[BS_SEQUENCE_MOST_RUNS];
	for (uint32_t i = 0; i < stretch->n; i++) {
		const struct item *item = stretch->items[i];
		struct bs_class_run run = {take_class(sequence, item), sequence->n_bytes,
		                           item->least};
		double rate = run_rate(item);
		uint32_t at = sequence->n_runs++;
		for (; at > 0 && rates[at - 1] > rate; at--) {
			rates[at] = rates[at - 1];
			sequence->runs[at] = sequence->runs[at - 1];
		}
		rates[at] = rate;
		sequence->runs[at] = run;
		sequence->n_bytes += item->least;
	}
	for (uint32_t byte = 0; byte < 0x100; byte++)
		sequence->gap.has[byte] = !bs_is_ascii_word((uint8_t)byte);
	bs_byte_class_finish(&sequence->gap);
	sequence->before_bytes = stretch->before_bytes;
	sequence->has_gap_before = stretch->has_gap_before;
	sequence->has_gap_after = stretch->has_gap_after;
}

void bs_regex_class_sequence(const struct bs_regex *regex,
                             const struct bs_byte_superset_options *options, bool spans_lines,
                             struct bs_class_sequence *sequence_out, double *rate_out,
                             bool *is_exact_out)
{
	struct reader reader = {
		.regex = regex, .options = options, .spans_lines = spans_lines, .best_rate = 1};
	*sequence_out = (struct bs_class_sequence){.n_runs = 0};
	add_node(&reader, regex->root);
	find_stretch(&reader);
	if (reader.best.n > 0)
		take_stretch(&reader.best, sequence_out);
	*rate_out = reader.best_rate;
	*is_exact_out = !spans_lines && reader.n_items == 1 && reader.best.n == 1 &&
	                reader.items[0].is_sure && options->is_ascii && !options->is_line &&
	                !regex->has_control && !regex->is_superset && !reader.has_assertion &&
	                !(options->is_crlf && has_byte(&reader.items[0], '\r'));
}
