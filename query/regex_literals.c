/*
 * regex_literals.c: see regex_literals.h.
 *
 * The window: as regex_grams.c does it for grams, with classes for characters: of each part of a pattern it is known which
 * sequences of characters it matches, or, where these are too many or too long, with what it begins and ends; where one part
 * ends and the next begins, sequences are joined, and the rarest set met on the way is kept. A character that may be of several
 * bytes is, at a window's start, its last byte and, at the end, its first; between there is none.
 */
#include "query/regex_literals.h"

#include <stdlib.h>
#include <string.h>

#include "query/regex_set.h"

struct literals {
	const struct bs_regex *regex;
	bool is_caseless;
	bool is_cut; /* more than one run, or some character was left out */
	struct bs_buffer run;
	struct bs_buffer *best;
	enum bs_status status;
	struct bs_error *err;
};

static void end_run(struct literals *literals)
{
	if (!literals->status && literals->run.used_bytes > literals->best->used_bytes) {
		bs_buffer_clear(literals->best);
		literals->status = bs_buffer_append(literals->best, literals->run.data, literals->run.used_bytes, literals->err);
	}
	bs_buffer_clear(&literals->run);
}

/* Letter case aside, k and s have third forms, U+212A and U+017F, and beyond ASCII nearly all have others of other bytes. */
static void take_run(struct literals *literals, const struct bs_regex_node *node)
{
	const uint8_t *bytes = literals->regex->bytes.data + node->first;
	bool is_caseless = bs_regex_is(node->caseless, literals->is_caseless);
	literals->is_cut |= is_caseless;
	for (uint32_t i = 0; i < node->n && !literals->status; i++) {
		if (is_caseless && (bytes[i] >= 0x80 || (bytes[i] && strchr("kKsS", bytes[i]))))
			end_run(literals);
		else
			literals->status = bs_buffer_append(&literals->run, bytes + i, 1, literals->err);
	}
}

/* Of what stands in every match. */
static void take_node(struct literals *literals, const struct bs_regex_node *node)
{
	bool is_needed = node->kind == BS_REGEX_SEQUENCE || (node->kind == BS_REGEX_REPEAT && node->least > 0);
	if (node->kind == BS_REGEX_RUN) {
		take_run(literals, node);
		return;
	}
	for (uint32_t i = node->first; is_needed && i != BS_REGEX_NO_NODE; i = bs_regex_node(literals->regex, i)->next)
		take_node(literals, bs_regex_node(literals->regex, i));
	if (node->kind != BS_REGEX_SEQUENCE)
		end_run(literals);
	literals->is_cut = true;
}

enum bs_status bs_regex_literal(const struct bs_regex *regex, bool is_caseless, struct bs_buffer *literal,
                                bool *is_match_out, struct bs_error *err)
{
	struct literals literals = {.regex = regex, .is_caseless = is_caseless, .best = literal, .err = err};
	take_node(&literals, bs_regex_node(regex, regex->root));
	end_run(&literals);
	bs_buffer_deinit(&literals.run);
	*is_match_out = literal->used_bytes > 0 && !literals.is_cut && regex->n_captures == 0 && !regex->has_control;
	return literals.status;
}

/* Characters of a sequence: beyond them only begin and end are known. */
#define MOST_CHARS 8u
/* Sequences of a set. More than a window has variants: then some share one. */
#define MOST_SEQUENCES 32u
/* Larger patterns are not looked at. */
#define MOST_NODES 1024u
/* A repetition is written out so often. */
#define MOST_COPIES 4u

/* Classes: of each character of ASCII, one of those beyond, the same where case is of no account; behind them, of nodes. */
#define BEYOND_CLASS   0x80u
#define CASELESS_CLASS 0x81u
#define NODE_CLASSES   (2 * CASELESS_CLASS)

struct class {
	struct bs_regex_set set;
	double rate;
};

struct sequence {
	uint32_t n;
	uint32_t classes[MOST_CHARS];
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
	const struct bs_regex_window_options *options;
	struct knowledge *known; /* of each node */
	struct class classes[NODE_CLASSES + MOST_NODES];
};

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

static bool class_has(const struct analysis *analysis, uint32_t class, uint32_t byte)
{
	if (byte == analysis->options->line_end && !analysis->options->keeps_line_end)
		return false;
	return bs_regex_set_has(&analysis->classes[class].set, byte);
}

static void define_class(struct analysis *analysis, uint32_t class, struct bs_regex_set set)
{
	double rate = set.has_more ? 1 : 0;
	analysis->classes[class].set = set;
	for (uint64_t word = 0; word < 2; word++)
		for (uint64_t bits = set.ascii[word]; bits; bits &= bits - 1) {
			uint32_t byte = (uint32_t)word * 64 + (uint32_t)__builtin_ctzll(bits);
			rate += class_has(analysis, class, byte) ? byte_rate((uint8_t)byte) : 0;
		}
	analysis->classes[class].rate = rate < 1000 ? rate / 1000 : 1;
}

/* The n characters in a row that are rarest; *from_out: where they begin. */
static double sequence_rate(const struct analysis *analysis, const struct sequence *sequence, uint32_t n, uint32_t *from_out)
{
	double rates[MOST_CHARS], best = 2;
	for (uint32_t i = 0; i < sequence->n; i++)
		rates[i] = analysis->classes[sequence->classes[i]].rate;
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

/* Keeps a set if it is rarer than what is kept. */
static void keep(struct knowledge *x, const struct set *set, double rate)
{
	if (rate >= x->best_rate)
		return;
	x->best_rate = rate;
	x->best = *set;
}

static void offer(const struct analysis *analysis, struct knowledge *x, const struct set *set)
{
	keep(x, set, set_rate(analysis, set));
}

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

static void know_class(const struct analysis *analysis, uint32_t class, struct knowledge *x)
{
	know_nothing(x);
	x->is_exact = !analysis->classes[class].set.has_more;
	x->begins.sequences[0] = x->ends.sequences[0] = (struct sequence){.n = 1, .classes = {class}};
	offer(analysis, x, &x->begins);
}

/* x, then y, which is x then. */
static void follow(const struct analysis *analysis, struct knowledge *x, const struct knowledge *y)
{
	struct set middle, ends;
	bool is_cut, is_end_cut, is_crossed = cross(&x->ends, &y->begins, false, &middle, &is_cut);
	bool are_exact = x->is_exact && y->is_exact && is_crossed && !is_cut;
	keep(x, &y->best, y->best_rate);
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

static void know_run(const struct analysis *analysis, const struct bs_regex_node *node, struct knowledge *x)
{
	const uint8_t *bytes = analysis->regex->bytes.data + node->first;
	bool is_caseless = bs_regex_is(node->caseless, analysis->options->is_caseless);
	struct knowledge one;
	know_empty(x);
	for (uint32_t i = 0; i < node->n; i++) {
		/* Of a character of several bytes the first stands for all. */
		if (bytes[i] >= 0x80 && bytes[i] < 0xc0)
			continue;
		uint32_t class = bytes[i] < BEYOND_CLASS ? bytes[i] : BEYOND_CLASS;
		know_class(analysis, class + (is_caseless ? CASELESS_CLASS : 0), &one);
		follow(analysis, x, &one);
	}
}

static void know_set(struct analysis *analysis, uint32_t index, struct knowledge *x)
{
	const struct bs_regex_node *node = bs_regex_node(analysis->regex, index);
	define_class(analysis, NODE_CLASSES + index, bs_regex_set_of(analysis->regex, node, analysis->options->is_caseless));
	know_class(analysis, NODE_CLASSES + index, x);
}

static void know_sequence(const struct analysis *analysis, const struct bs_regex_node *node, struct knowledge *x)
{
	know_empty(x);
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE; i = bs_regex_node(analysis->regex, i)->next)
		follow(analysis, x, &analysis->known[i]);
}

/* One of the children. Each has a best set, or the whole has none. */
static void know_either(const struct analysis *analysis, const struct bs_regex_node *node, struct knowledge *x)
{
	bool has_best = true;
	know_empty(x);
	x->begins.n = x->ends.n = 0;
	struct set best = {.n = 0};
	for (uint32_t i = node->first; i != BS_REGEX_NO_NODE; i = bs_regex_node(analysis->regex, i)->next) {
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
	const struct knowledge *child = &analysis->known[node->first];
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

static void know_node(struct analysis *analysis, uint32_t index, struct knowledge *x)
{
	const struct bs_regex_node *node = bs_regex_node(analysis->regex, index);
	switch (node->kind) {
	case BS_REGEX_RUN:
		know_run(analysis, node, x);
		break;
	case BS_REGEX_SET:
		know_set(analysis, index, x);
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
	case BS_REGEX_PLACE:
	case BS_REGEX_LOOK: /* what it sees may stand in another line */
		know_empty(x);
		break;
	default:
		know_nothing(x);
	}
}

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

static void define_classes(struct analysis *analysis)
{
	for (uint32_t class = 0; class <= BEYOND_CLASS; class++) {
		struct bs_regex_set set = bs_regex_set_of_range(class, class < BEYOND_CLASS ? class : 0x10ffff);
		define_class(analysis, class, set);
		define_class(analysis, class + CASELESS_CLASS, bs_regex_set_fold(set));
	}
}

enum bs_status bs_regex_window(const struct bs_regex *regex, const struct bs_regex_window_options *options,
                               struct bs_byte_window *window_out, double *rate_out, struct bs_error *err)
{
	uint32_t n_nodes = bs_regex_n_nodes(regex);
	*window_out = (struct bs_byte_window){.n_bytes = 0};
	*rate_out = 1;
	if (n_nodes + regex->bytes.used_bytes > MOST_NODES)
		return BS_OK;
	size_t n_bytes = sizeof(struct analysis) + n_nodes * sizeof(struct knowledge);
	struct analysis *analysis = malloc(n_bytes);
	if (!analysis)
		return bs_fail_memory(err, "the analysis of a pattern", n_bytes);
	analysis->regex = regex;
	analysis->options = options;
	analysis->known = (struct knowledge *)(void *)(analysis + 1);
	define_classes(analysis);
	for (uint32_t i = 0; i < n_nodes; i++)
		know_node(analysis, i, &analysis->known[i]);
	struct knowledge *whole = &analysis->known[regex->root];
	offer(analysis, whole, &whole->begins);
	if (whole->best.n > 0) {
		*rate_out = whole->best_rate;
		make_window(analysis, &whole->best, window_out);
	}
	free(analysis);
	return BS_OK;
}
