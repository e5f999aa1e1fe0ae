/*
 * grep_window.c: see grep_window.h. As regex_grams.c does it for grams, with classes for characters: of each part of a
 * pattern it is known which sequences of characters it matches, or, where these are too many or too long, with what it
 * begins and ends; where one part ends and the next begins, sequences are joined, and the rarest set met on the way is kept.
 *
 * A character that may be of several bytes is, at a window's start, its last byte and, at the end, its first; between
 * there is none.
 */
#include "query/grep_window.h"

#include <stdlib.h>
#include <string.h>

#include "query/regex_parse.h"

/* Characters of a sequence: beyond them only begin and end are known. */
#define MOST_CHARS 8u
/* Sequences of a set. More than a window has variants: then some share one. */
#define MOST_SEQUENCES 32u
/* Larger patterns are not looked at. */
#define MOST_NODES 1024u
/* A repetition is written out so often. */
#define MOST_COPIES 4u

struct sequence {
	uint32_t n;
	uint32_t classes[MOST_CHARS]; /* where in the regex' bytes */
};

struct set {
	uint32_t n;
	struct sequence sequences[MOST_SEQUENCES];
};

struct knowledge {
	bool is_exact; /* begins is all that matches */
	struct set begins, ends;
	double best_rate;
	struct set best; /* one of them stands in each match; none: not known */
};

struct analysis {
	const struct bs_regex *regex;
	const struct bs_grep_window_options *options;
	struct knowledge *known; /* of each node */
	double rates[0x80];      /* of each byte */
};

/* ---- how rare ---- */

/*
 * Of 1,000 bytes of source text, about so many are this one. Only the order of magnitude matters: how often a window is
 * wrong decides whether it is worth looking for, and if it deceives, the search goes without it.
 */
static double byte_rate(uint8_t byte)
{
	static const char by_rate[] = "etrisnoad_c0lfumpgh1byv2kw34568x79jqz";
	static const char marks[] = ",;()*->./=\"";
	const char *found;
	if (byte == ' ')
		return 150;
	if (byte == '\t')
		return 45;
	if (byte == '\n')
		return 35;
	if (byte && byte < 0x80 && (found = strchr(by_rate, byte)))
		return 50.0 / (1.0 + 0.3 * (double)(found - by_rate));
	if (byte >= 'A' && byte <= 'Z')
		return 4;
	if (byte && byte < 0x80 && strchr(marks, byte))
		return 10;
	return byte > ' ' && byte < 0x7f ? 2 : 0.1;
}

static const struct bs_regex_class *class_at(const struct analysis *analysis, uint32_t first_byte)
{
	return (const struct bs_regex_class *)(const void *)(analysis->regex->bytes.data + first_byte);
}

static bool class_has(const struct analysis *analysis, uint32_t first_byte, uint32_t byte)
{
	const struct bs_regex_class *class = class_at(analysis, first_byte);
	if (byte >= 0x80)
		return class->has_more;
	if (byte == analysis->options->line_end && !analysis->options->keeps_line_end)
		return false;
	return class->ascii[byte >> 3] >> (byte & 7) & 1;
}

static double class_rate(const struct analysis *analysis, uint32_t first_byte)
{
	double rate = 0;
	for (uint32_t byte = 0; byte < 0x80; byte++)
		if (class_has(analysis, first_byte, byte))
			rate += analysis->rates[byte];
	rate = (rate + (class_at(analysis, first_byte)->has_more ? 1 : 0)) / 1000;
	return rate < 1 ? rate : 1;
}

/* The n characters in a row that are rarest; *from_out: where they begin. */
static double sequence_rate(const struct analysis *analysis, const struct sequence *sequence, uint32_t n, uint32_t *from_out)
{
	double rates[MOST_CHARS], best = 2;
	for (uint32_t i = 0; i < sequence->n; i++)
		rates[i] = class_rate(analysis, sequence->classes[i]);
	for (uint32_t from = 0; from + n <= sequence->n; from++) {
		double rate = 1;
		for (uint32_t i = from; i < from + n; i++)
			rate *= rates[i];
		if (rate < best) {
			best = rate;
			*from_out = from;
		}
	}
	return best;
}

static uint32_t window_length(const struct set *set)
{
	uint32_t n = BS_WINDOW_MOST_BYTES;
	for (uint32_t i = 0; i < set->n; i++)
		n = set->sequences[i].n < n ? set->sequences[i].n : n;
	return n;
}

static double set_rate(const struct analysis *analysis, const struct set *set)
{
	uint32_t n = window_length(set), from;
	double rate = 0;
	if (set->n == 0 || n == 0)
		return 1;
	for (uint32_t i = 0; i < set->n; i++)
		rate += sequence_rate(analysis, &set->sequences[i], n, &from);
	return rate;
}

static void offer(const struct analysis *analysis, struct knowledge *x, const struct set *set)
{
	double rate = set_rate(analysis, set);
	if (rate >= x->best_rate)
		return;
	x->best_rate = rate;
	x->best = *set;
}

static void offer_best(struct knowledge *x, const struct knowledge *of)
{
	if (of->best_rate >= x->best_rate)
		return;
	x->best_rate = of->best_rate;
	x->best = of->best;
}

/* ---- sets ---- */

static void set_empty(struct set *set)
{
	set->n = 1;
	set->sequences[0].n = 0;
}

/* left, then right; if that is too long, of an end the end and of a beginning the beginning. */
static void join_sequences(const struct sequence *left, const struct sequence *right, bool keeps_end,
                           struct sequence *joined)
{
	uint32_t classes[2 * MOST_CHARS], n = left->n + right->n;
	memcpy(classes, left->classes, left->n * sizeof(*classes));
	memcpy(classes + left->n, right->classes, right->n * sizeof(*classes));
	joined->n = n < MOST_CHARS ? n : MOST_CHARS;
	memcpy(joined->classes, classes + (keeps_end ? n - joined->n : 0), joined->n * sizeof(*classes));
}

/* False: too many. *is_cut_out: not all of them whole. */
static bool cross(const struct set *left, const struct set *right, bool keeps_end, struct set *crossed, bool *is_cut_out)
{
	*is_cut_out = false;
	crossed->n = 0;
	if (left->n * right->n > MOST_SEQUENCES)
		return false;
	for (uint32_t i = 0; i < left->n; i++) {
		for (uint32_t j = 0; j < right->n; j++) {
			*is_cut_out |= left->sequences[i].n + right->sequences[j].n > MOST_CHARS;
			join_sequences(&left->sequences[i], &right->sequences[j], keeps_end, &crossed->sequences[crossed->n++]);
		}
	}
	return true;
}

/* Adds those of `more`; with too many none are known: the empty one. */
static bool unite(struct set *set, const struct set *more)
{
	if (set->n + more->n > MOST_SEQUENCES) {
		set_empty(set);
		return false;
	}
	memcpy(set->sequences + set->n, more->sequences, more->n * sizeof(*more->sequences));
	set->n += more->n;
	return true;
}

/* ---- nodes ---- */

static void know_nothing(struct knowledge *x)
{
	x->is_exact = false;
	x->best_rate = 1;
	x->best.n = 0;
	set_empty(&x->begins);
	set_empty(&x->ends);
}

static void know_empty(struct knowledge *x)
{
	know_nothing(x);
	x->is_exact = true;
}

static void know_class(const struct analysis *analysis, uint32_t first_byte, struct knowledge *x)
{
	know_nothing(x);
	x->is_exact = !class_at(analysis, first_byte)->has_more;
	x->begins.sequences[0] = x->ends.sequences[0] = (struct sequence){.n = 1, .classes = {first_byte}};
	offer(analysis, x, &x->begins);
}

/* x, then y, which is x then. */
static void follow(const struct analysis *analysis, struct knowledge *x, const struct knowledge *y)
{
	struct set middle, ends;
	bool is_cut, is_end_cut, is_crossed = cross(&x->ends, &y->begins, false, &middle, &is_cut);
	bool are_exact = x->is_exact && y->is_exact && is_crossed && !is_cut;
	offer_best(x, y);
	if (is_crossed)
		offer(analysis, x, &middle);
	if (is_crossed && is_cut && cross(&x->ends, &y->begins, true, &ends, &is_end_cut))
		offer(analysis, x, &ends);
	if (!y->is_exact)
		x->ends = y->ends;
	else if (!cross(&x->ends, &y->ends, true, &ends, &is_end_cut))
		x->ends = y->ends;
	else
		x->ends = ends;
	if (x->is_exact && is_crossed)
		x->begins = middle;
	x->is_exact = are_exact;
}

static void know_sequence(const struct analysis *analysis, const struct bs_regex_node *node, struct knowledge *x)
{
	know_empty(x);
	for (uint32_t i = node->first_child; i != BS_REGEX_NO_NODE; i = bs_regex_node(analysis->regex, i)->next)
		follow(analysis, x, &analysis->known[i]);
}

/* One of the children. Each has a best set, or the whole has none. */
static void know_either(const struct analysis *analysis, const struct bs_regex_node *node, struct knowledge *x)
{
	bool has_best = true;
	know_empty(x);
	x->begins.n = x->ends.n = 0;
	struct set best = {.n = 0};
	for (uint32_t i = node->first_child; i != BS_REGEX_NO_NODE; i = bs_regex_node(analysis->regex, i)->next) {
		const struct knowledge *child = &analysis->known[i];
		/* What has overflowed holds the empty sequence, with which it stays of no use. */
		x->is_exact &= unite(&x->begins, &child->begins);
		x->is_exact &= unite(&x->ends, &child->ends) && child->is_exact;
		has_best = has_best && child->best.n > 0 && unite(&best, &child->best);
	}
	offer(analysis, x, &x->begins);
	offer(analysis, x, &x->ends);
	if (has_best)
		offer(analysis, x, &best);
}

static void know_option(const struct knowledge *child, uint32_t most, struct knowledge *x)
{
	struct set nothing;
	know_empty(x);
	if (most == 0)
		return;
	set_empty(&nothing);
	if (most == 1 && child->is_exact && child->begins.n < MOST_SEQUENCES) {
		unite(&x->begins, &child->begins);
		x->ends = x->begins;
		return;
	}
	know_nothing(x);
}

static void know_repeat(const struct analysis *analysis, const struct bs_regex_node *node, struct knowledge *x)
{
	const struct knowledge *child = &analysis->known[node->first_child];
	uint32_t n_copies = node->least < MOST_COPIES ? node->least : MOST_COPIES;
	if (node->least == 0) {
		know_option(child, node->most, x);
		return;
	}
	*x = *child;
	for (uint32_t i = 1; i < n_copies; i++)
		follow(analysis, x, child);
	if (node->most == n_copies)
		return;
	x->is_exact = false;
}

static void know_node(const struct analysis *analysis, const struct bs_regex_node *node, struct knowledge *x)
{
	switch (node->kind) {
	case BS_REGEX_CLASS:
		know_class(analysis, node->first_byte, x);
		break;
	case BS_REGEX_SEQUENCE:
		know_sequence(analysis, node, x);
		break;
	case BS_REGEX_EITHER:
		know_either(analysis, node, x);
		break;
	case BS_REGEX_REPEAT:
		know_repeat(analysis, node, x);
		break;
	case BS_REGEX_EMPTY:
	case BS_REGEX_LOOK: /* what it sees may stand in another line */
		know_empty(x);
		break;
	default:
		know_nothing(x);
	}
}

/* ---- the window ---- */

static void make_window(const struct analysis *analysis, const struct set *set, struct bs_byte_window *window)
{
	uint32_t n = window_length(set);
	window->n_bytes = n;
	for (uint32_t i = 0; i < set->n; i++) {
		uint32_t from = 0;
		size_t variant = set->n <= BS_WINDOW_MOST_VARIANTS ? i : i * BS_WINDOW_MOST_VARIANTS / set->n;
		(void)sequence_rate(analysis, &set->sequences[i], n, &from);
		for (uint32_t at = 0; at < n; at++)
			for (uint32_t byte = 0; byte < 256; byte++)
				if (class_has(analysis, set->sequences[i].classes[from + at], byte))
					window->of[at][byte] |= (uint8_t)(1u << variant);
	}
	bs_byte_window_finish(window);
}

static enum bs_status analyse(const struct bs_regex *regex, const struct bs_grep_window_options *options,
                              struct bs_byte_window *window_out, double *rate_out, struct bs_error *err)
{
	struct analysis analysis = {.regex = regex, .options = options};
	uint32_t n_nodes = (uint32_t)(regex->nodes.used_bytes / sizeof(struct bs_regex_node));
	if (n_nodes > MOST_NODES)
		return BS_OK;
	analysis.known = malloc(n_nodes * sizeof(*analysis.known));
	if (!analysis.known)
		return bs_fail_memory(err, "the analysis of a pattern", n_nodes * sizeof(*analysis.known));
	for (uint32_t byte = 0; byte < 0x80; byte++)
		analysis.rates[byte] = byte_rate((uint8_t)byte);
	for (uint32_t i = 0; i < n_nodes; i++)
		know_node(&analysis, bs_regex_node(regex, i), &analysis.known[i]);
	struct knowledge *whole = &analysis.known[regex->root];
	offer(&analysis, whole, &whole->begins);
	if (whole->best.n > 0) {
		*rate_out = whole->best_rate;
		make_window(&analysis, &whole->best, window_out);
	}
	free(analysis.known);
	return BS_OK;
}

static enum bs_status parse(const uint8_t *pattern, size_t n_bytes, bool is_caseless, struct bs_regex *regex,
                            struct bs_error *err)
{
	struct bs_regex_options options = {.keeps_classes = true, .is_caseless = is_caseless};
	return bs_regex_parse(pattern, n_bytes, &options, regex, err);
}

enum bs_status bs_grep_window_choose(const uint8_t *pattern, size_t n_bytes, const struct bs_grep_window_options *options,
                                     struct bs_byte_window *window_out, double *rate_out, struct bs_error *err)
{
	struct bs_regex regex = {.root = 0};
	*window_out = (struct bs_byte_window){.n_bytes = 0};
	*rate_out = 1;
	enum bs_status status = parse(pattern, n_bytes, options->is_caseless, &regex, err);
	/* Where case is of no account is not looked at: then it is nowhere. */
	if (!status && regex.sets_caseless && !options->is_caseless)
		status = parse(pattern, n_bytes, true, &regex, err);
	if (!status)
		status = analyse(&regex, options, window_out, rate_out, err);
	bs_regex_deinit(&regex);
	return status;
}
