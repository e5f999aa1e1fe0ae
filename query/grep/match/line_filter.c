/* line_filter.c: see line_filter.h. */
#include "query/grep/match/line_filter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/deadline.h"
#include "query/grep/match/automaton.h"
#include "query/grep/match/sequence_search.h"
#include "query/grep/match/text_lines.h"

/* A piece of text is scanned by one call. It has at most MOST_PIECE_BYTES and the rest of its last
 * line; the first piece has at most LEAST_PIECE_BYTES, because the caller may need only one
 * line. */
#define LEAST_PIECE_BYTES ((size_t)4096)
#define MOST_PIECE_BYTES  ((size_t)65536)
/* A piece ends after this many lines that may match. */
#define MOST_LINES 1024u
/* Each end of a match costs time. A piece with over bytes / BYTES_AN_END + SPARE_ENDS of them is
 * dense: its scan stops, because PCRE2 is faster there. */
#define BYTES_AN_END 16u
#define SPARE_ENDS   64u
/* A sequence that is expected at more than this share of the places is not used, because too many
 * lines would have it, unless it is a single run of at least LEAST_RUN bytes. */
#define MOST_RATE (1.0 / 100)
#define LEAST_RUN 12u
/* An automaton replaces a sequence that is not exact if more lines have had it than one for each
 * BYTES_A_LINE scanned bytes plus SPARE_LINES. */
#define BYTES_A_LINE 1024u
#define SPARE_LINES  1024u
/* A piece is also dense if its sequence is not exact and is in more lines than one for each
 * BYTES_A_DENSE_LINE bytes plus SPARE_ENDS. */
#define BYTES_A_DENSE_LINE 64u

/* How lines of one kind are found. */
struct scanner {
	struct bs_class_sequence sequence; /* n_runs is 0: no sequence */
	bool is_sequence_exact;            /* every line that has the sequence matches */
	struct bs_automaton *automaton;    /* NULL: no automaton */
	bool is_automaton_exact;
	/* if the sequence is not exact: the bytes scanned for it, and the lines that have it */
	_Atomic uint64_t n_bytes, n_lines;
	_Atomic bool has_automaton; /* the automaton is built and replaces the sequence */
	bool has_tried;             /* building the automaton was tried; protected by the mutex */
};

struct bs_line_filter {
	const struct bs_regex *regex; /* borrowed */
	struct bs_byte_superset_options options;
	const struct bs_kernel *kernel;   /* borrowed */
	struct scanner ascii;             /* for lines of ASCII */
	struct scanner any;               /* for all lines */
	bool may_build;                   /* an automaton may be built at once */
	_Atomic uint64_t n_scanned_bytes; /* not counted if may_build */
	pthread_mutex_t mutex;            /* held while an automaton is built */
};

struct line {
	size_t place; /* a position in the line */
	size_t end;   /* offset after its line feed; the end of the text if it has none */
};

struct bs_line_filter_scratch {
	struct bs_automaton_scratch *automaton; /* NULL: none of the automata was used */
	const struct bs_automaton *prepared[2]; /* the automata that `automaton` is prepared for */
	/* The piece [from, end) was scanned. lines[next..n_lines) may match and were not returned
	 * yet, in ascending order. */
	size_t from, end;
	size_t n_lines, next;
	struct line lines[MOST_LINES];
	bool is_exact; /* the lines found in the piece do match */
	bool is_dense; /* the piece had too many ends of matches, or lines with the sequence */
	/* size of the next piece, without the rest of its last line; 0: at first */
	size_t piece_bytes;
	/* Used during a scan. */
	size_t n_ends, most_ends; /* ends of matches so far; above most_ends, the piece is dense */
	const uint8_t *text;
	size_t line_end; /* the end of the last line found; later matches in it are ignored */
};

/* Chooses the sequence of a scanner, if there is a good one. */
static void make_sequence(const struct bs_regex *regex,
                          const struct bs_byte_superset_options *filter_options, bool is_ascii,
                          struct bs_class_sequence *sequence, bool *is_exact_out)
{
	struct bs_byte_superset_options options = *filter_options;
	double rate;
	options.is_ascii = is_ascii;
	bs_regex_class_sequence(regex, &options, false, sequence, &rate, is_exact_out);
	bool is_long_run = sequence->n_runs == 1 && sequence->n_bytes >= LEAST_RUN;
	if (rate > MOST_RATE && !is_long_run)
		sequence->n_runs = 0;
}

uint32_t bs_line_filter_sequence_bytes(const struct bs_regex *regex,
                                       const struct bs_byte_superset_options *options)
{
	struct bs_class_sequence sequence;
	bool is_exact;
	make_sequence(regex, options, true, &sequence, &is_exact);
	return sequence.n_runs ? sequence.n_bytes : 0;
}

/* Builds the automaton of the scanner, unless that was tried before or the pattern has none. Does
 * nothing while another thread is building; a later call may build it. */
static enum bs_status build(struct bs_line_filter *filter, struct scanner *scanner,
                            struct bs_error *err)
{
	struct bs_buffer pattern = {0};
	struct bs_byte_superset_options options = filter->options;
	options.is_ascii = scanner == &filter->ascii;
	if (pthread_mutex_trylock(&filter->mutex) != 0)
		return BS_OK;
	enum bs_status status = BS_OK;
	if (!scanner->has_tried)
		status = bs_regex_byte_superset(filter->regex, &options, &pattern,
		                                &scanner->is_automaton_exact, err);
	if (!status && pattern.used_bytes > 0)
		status = bs_automaton_new((const char *)pattern.data, &scanner->automaton, err);
	scanner->has_tried = true;
	atomic_store_explicit(&scanner->has_automaton, scanner->automaton != NULL,
	                      memory_order_release);
	pthread_mutex_unlock(&filter->mutex);
	bs_buffer_deinit(&pattern);
	return status;
}

static bool has_automaton(const struct scanner *scanner)
{
	return atomic_load_explicit(&scanner->has_automaton, memory_order_acquire);
}

/* True if enough text was scanned to make an automaton worth the time that building it takes. */
static bool may_build_now(const struct bs_line_filter *filter)
{
	return filter->may_build ||
	       atomic_load_explicit(&filter->n_scanned_bytes, memory_order_relaxed) >=
	               BS_LINE_FILTER_AFTER_BYTES;
}

static bool can_scan(const struct scanner *scanner)
{
	return scanner->sequence.n_runs || has_automaton(scanner);
}

enum bs_status bs_line_filter_new(const struct bs_regex *regex,
                                  const struct bs_byte_superset_options *options,
                                  const struct bs_kernel *kernel, bool may_build,
                                  struct bs_line_filter **filter_out, struct bs_error *err)
{
	*filter_out = NULL;
	struct bs_line_filter *filter = calloc(1, sizeof(*filter));
	if (!filter)
		return bs_fail_memory(err, "a line filter", sizeof(*filter));
	filter->regex = regex;
	filter->options = *options;
	filter->kernel = kernel;
	filter->may_build = may_build;
	pthread_mutex_init(&filter->mutex, NULL);
	make_sequence(regex, options, true, &filter->ascii.sequence,
	              &filter->ascii.is_sequence_exact);
	make_sequence(regex, options, false, &filter->any.sequence, &filter->any.is_sequence_exact);
	enum bs_status status = BS_OK;
	if (!filter->ascii.sequence.n_runs && may_build)
		status = build(filter, &filter->ascii, err);
	if (!status && can_scan(&filter->ascii))
		*filter_out = filter;
	else
		bs_line_filter_free(filter);
	return status;
}

void bs_line_filter_free(struct bs_line_filter *filter)
{
	if (!filter)
		return;
	bs_automaton_free(filter->ascii.automaton);
	bs_automaton_free(filter->any.automaton);
	pthread_mutex_destroy(&filter->mutex);
	free(filter);
}

enum bs_status bs_line_filter_scratch_new(struct bs_line_filter_scratch **scratch_out,
                                          struct bs_error *err)
{
	*scratch_out = calloc(1, sizeof(**scratch_out));
	return *scratch_out ? BS_OK : bs_fail_memory(err, "a line filter", sizeof(**scratch_out));
}

void bs_line_filter_scratch_free(struct bs_line_filter_scratch *scratch)
{
	if (scratch)
		bs_automaton_scratch_free(scratch->automaton);
	free(scratch);
}

void bs_line_filter_scratch_reset(struct bs_line_filter_scratch *scratch)
{
	if (scratch)
		scratch->from = scratch->end = scratch->n_lines = scratch->next =
			scratch->piece_bytes = 0;
}

/* Adds the line of a match. True: the piece ends with this line, because `lines` is full. */
static bool take_line(struct bs_line_filter_scratch *scratch, size_t place)
{
	scratch->line_end = bs_grep_line_end(scratch->text, place, scratch->end, '\n');
	scratch->lines[scratch->n_lines++] = (struct line){place, scratch->line_end};
	return scratch->n_lines == MOST_LINES;
}

static bool take_match(void *context, size_t match_end)
{
	struct bs_line_filter_scratch *scratch = context;
	size_t place = scratch->from + match_end - 1;
	if (++scratch->n_ends > scratch->most_ends)
		scratch->is_dense = true;
	if (place < scratch->line_end)
		return false;
	/* A piece must end with a whole line, so a dense piece ends with the next line found. */
	return take_line(scratch, place) || scratch->is_dense;
}

/* Chooses the piece that begins at text[from], and its scanner: `ascii` for the lines of ASCII
 * before the first line with other bytes; or, if that is the next line, `any` for a stretch of
 * lines that have other bytes, with short gaps of ASCII between them. If `any` cannot scan, the
 * scanner is NULL and the piece is one line. */
static enum bs_status choose_piece(struct bs_line_filter *filter,
                                   struct bs_line_filter_scratch *scratch, const uint8_t *text,
                                   size_t from, size_t end, struct scanner **scanner_out,
                                   struct bs_error *err)
{
	size_t n = scratch->piece_bytes ? scratch->piece_bytes : LEAST_PIECE_BYTES;
	size_t most = end - from > n ? bs_grep_line_end(text, from + n, end, '\n') : end;
	size_t opaque = filter->kernel->text.find_opaque(text, from, most, false);
	scratch->piece_bytes = n < MOST_PIECE_BYTES ? 2 * n : n;
	scratch->end = opaque == most ? most : bs_grep_line_start(text, from, opaque, '\n');
	*scanner_out = &filter->ascii;
	if (scratch->end > from)
		return BS_OK;
	struct scanner *any = &filter->any;
	enum bs_status status =
		can_scan(any) || !may_build_now(filter) ? BS_OK : build(filter, any, err);
	bool is_possible = !status && can_scan(any);
	*scanner_out = is_possible ? any : NULL;
	scratch->end = is_possible
	                       ? bs_grep_opaque_end(filter->kernel, text, from, opaque, most, '\n')
	                       : bs_grep_line_end(text, from, end, '\n');
	return status;
}

/* The `take` callback of the search for a sequence. */
static size_t take_place(void *context, size_t place)
{
	struct bs_line_filter_scratch *scratch = context;
	return take_line(scratch, place) ? SIZE_MAX : scratch->line_end;
}

static enum bs_automaton_result scan_for_sequence(const struct bs_line_filter *filter,
                                                  const struct bs_class_sequence *sequence,
                                                  struct bs_line_filter_scratch *scratch)
{
	struct bs_place_taker to = {take_place, scratch};
	bs_class_sequence_find(sequence, filter->kernel, scratch->text, scratch->from, scratch->end,
	                       &to);
	return scratch->n_lines == MOST_LINES ? BS_AUTOMATON_STOPPED : BS_AUTOMATON_DONE;
}

/* After a search for a sequence that is not exact: decides whether the piece is dense. Builds an
 * automaton to replace a sequence that was in too many lines. */
static enum bs_status check_sequence(struct bs_line_filter *filter, struct scanner *scanner,
                                     struct bs_line_filter_scratch *scratch, struct bs_error *err)
{
	bool is_whole = scratch->n_lines < MOST_LINES;
	size_t piece_bytes = (is_whole ? scratch->end : scratch->line_end) - scratch->from;
	if (scanner->is_sequence_exact)
		return BS_OK;
	scratch->is_dense = scratch->n_lines > piece_bytes / BYTES_A_DENSE_LINE + SPARE_ENDS;
	uint64_t n_bytes =
		atomic_fetch_add_explicit(&scanner->n_bytes, piece_bytes, memory_order_relaxed);
	uint64_t n_lines = atomic_fetch_add_explicit(&scanner->n_lines, scratch->n_lines,
	                                             memory_order_relaxed);
	bool is_frequent = n_lines > n_bytes / BYTES_A_LINE + SPARE_LINES;
	return is_frequent && may_build_now(filter) ? build(filter, scanner, err) : BS_OK;
}

static enum bs_status prepare(const struct bs_automaton *automaton,
                              struct bs_line_filter_scratch *scratch, struct bs_error *err)
{
	const struct bs_automaton **prepared = scratch->prepared;
	if (prepared[0] == automaton || prepared[1] == automaton)
		return BS_OK;
	enum bs_status status = bs_automaton_prepare(automaton, &scratch->automaton, err);
	if (status)
		prepared[0] = prepared[1] = NULL;
	else
		prepared[prepared[0] != NULL] = automaton;
	return status;
}

static enum bs_status scan(struct bs_line_filter *filter, struct bs_line_filter_scratch *scratch,
                           const uint8_t *text, size_t from, size_t end, struct bs_error *err)
{
	struct scanner *scanner;
	enum bs_automaton_result result = BS_AUTOMATON_FAILED;
	scratch->from = scratch->line_end = from;
	scratch->text = text;
	scratch->n_lines = scratch->next = scratch->n_ends = 0;
	scratch->is_dense = scratch->is_exact = false;
	enum bs_status status = choose_piece(filter, scratch, text, from, end, &scanner, err);
	if (!status)
		status = bs_deadline_check_after(scratch->end - from, err);
	if (!filter->may_build)
		atomic_fetch_add_explicit(&filter->n_scanned_bytes, scratch->end - from,
		                          memory_order_relaxed);
	bool by_automaton = !status && scanner && has_automaton(scanner);
	bool by_sequence = !status && scanner && !by_automaton;
	if (by_automaton)
		status = prepare(scanner->automaton, scratch, err);
	if (status) {
		bs_line_filter_scratch_reset(scratch);
		return status;
	}
	scratch->most_ends = (scratch->end - from) / BYTES_AN_END + SPARE_ENDS;
	if (by_sequence) {
		result = scan_for_sequence(filter, &scanner->sequence, scratch);
		scratch->is_exact = scanner->is_sequence_exact;
		status = check_sequence(filter, scanner, scratch, err);
	} else if (by_automaton) {
		result = bs_automaton_scan(scanner->automaton, scratch->automaton, text + from,
		                           scratch->end - from, take_match, scratch);
		scratch->is_exact = scanner->is_automaton_exact;
	}
	if (result == BS_AUTOMATON_STOPPED) {
		scratch->end = scratch->line_end;
	} else if (result == BS_AUTOMATON_FAILED) {
		/* The text was not scanned: returns its first line, which may match. */
		scratch->end = bs_grep_line_end(text, from, end, '\n');
		scratch->lines[0] = (struct line){from, scratch->end};
		scratch->n_lines = 1;
		scratch->is_exact = scratch->is_dense = false;
	}
	return status;
}

enum bs_status bs_line_filter_next(struct bs_line_filter *filter,
                                   struct bs_line_filter_scratch *scratch, const uint8_t *text,
                                   size_t from, size_t end, struct bs_line_candidate *candidate_out,
                                   bool *found_out, struct bs_error *err)
{
	*found_out = false;
	while (from < end) {
		bool is_known = from >= scratch->from && from < scratch->end && scratch->end <= end;
		enum bs_status status =
			is_known ? BS_OK : scan(filter, scratch, text, from, end, err);
		if (status)
			return status;
		while (scratch->next < scratch->n_lines &&
		       scratch->lines[scratch->next].place < from)
			scratch->next++;
		if (scratch->next < scratch->n_lines) {
			const struct line *line = &scratch->lines[scratch->next];
			*candidate_out = (struct bs_line_candidate){
				line->place, line->end, scratch->is_exact, scratch->is_dense};
			*found_out = true;
			return BS_OK;
		}
		from = scratch->end;
	}
	return BS_OK;
}
