/* line_filter.c: see line_filter.h. */
#include "query/grep/match/line_filter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/deadline.h"
#include "query/grep/match/automaton.h"
#include "query/grep/match/class_run.h"
#include "query/grep/match/text_lines.h"

/* A piece of text is scanned by one call. It has this many bytes, and the rest of its last line.
 * The first piece of a text is small, because its first line may be all that is asked for. */
#define LEAST_PIECE_BYTES ((size_t)4096)
#define MOST_PIECE_BYTES  ((size_t)65536)
/* A piece ends after this many lines that may match. */
#define MOST_LINES 1024u
/* Each end of a match costs time. If a piece has more of them than one for each BYTES_AN_END bytes
 * plus SPARE_ENDS, the scan stops, and the piece is dense. */
#define BYTES_AN_END 16u
#define SPARE_ENDS   64u
/* Shorter runs of a class occur in many lines. */
#define LEAST_RUN 12u

/* How lines of one kind are found. */
struct scanner {
	struct bs_class_run run;        /* run.least is 0: no class run */
	struct bs_automaton *automaton; /* NULL: no automaton */
	bool is_exact;                  /* a line that it finds matches */
};

struct bs_line_filter {
	const struct bs_regex *regex; /* borrowed */
	struct bs_byte_superset_options options;
	const struct bs_kernel *kernel; /* borrowed */
	struct scanner ascii;           /* for lines of ASCII */
	struct scanner any;             /* for all lines; made when it is first needed */
	_Atomic bool has_any;           /* `any` was made */
	pthread_mutex_t mutex;          /* held while `any` is made */
};

struct line {
	size_t place; /* a position in it */
	size_t end;   /* after its line feed */
};

struct bs_line_filter_scratch {
	struct bs_automaton_scratch *automaton; /* NULL: none of the automata was used */
	const struct bs_automaton *prepared[2]; /* the automata that `automaton` is prepared for */
	/* The piece [from, end) was scanned. lines[next..n_lines) may match and were not returned
	 * yet, in ascending order. */
	size_t from, end;
	size_t n_lines, next;
	struct line lines[MOST_LINES];
	bool is_exact;      /* the lines of the piece do match */
	bool is_dense;      /* the piece had too many ends of matches */
	size_t piece_bytes; /* of the next piece, without the rest of its last line; 0: at first */
	/* Used during a scan. */
	size_t n_ends, most_ends; /* ends of matches so far, and before the scan stops */
	const uint8_t *text;
	size_t line_end; /* the end of the last line found; later matches in it are ignored */
};

/* The longest repeat of a set that every match contains. NULL: there is none of LEAST_RUN or
 * more. */
static const struct bs_regex_node *longest_repeat(const struct bs_regex *regex)
{
	const struct bs_regex_node *root = bs_regex_node(regex, regex->root), *longest = NULL;
	uint32_t i = root->kind == BS_REGEX_SEQUENCE ? root->first : regex->root;
	for (; i != BS_REGEX_NO_NODE; i = bs_regex_node(regex, i)->next) {
		const struct bs_regex_node *node = bs_regex_node(regex, i);
		bool is_run = node->kind == BS_REGEX_REPEAT && node->least >= LEAST_RUN &&
		              bs_regex_node(regex, node->first)->kind == BS_REGEX_SET;
		if (is_run && (!longest || node->least > longest->least))
			longest = node;
	}
	return longest;
}

/* Makes the class run of the scanner, if there is one. */
static void make_run(const struct bs_line_filter *filter, bool is_ascii, struct scanner *scanner)
{
	const struct bs_regex *regex = filter->regex;
	const struct bs_regex_node *repeat = longest_repeat(regex);
	if (!repeat)
		return;
	const struct bs_regex_node *child = bs_regex_node(regex, repeat->first);
	struct bs_regex_set set = bs_regex_set_for_bytes(regex, child, filter->options.is_caseless);
	/* A character of the set takes at least one byte. */
	for (uint32_t c = 0; c < 256; c++)
		scanner->run.has[c] =
			c != '\n' && (c < 0x80 || !is_ascii) && bs_regex_set_has(&set, c);
	scanner->run.least = repeat->least;
	scanner->is_exact = repeat == bs_regex_node(regex, regex->root) && set.is_sure &&
	                    is_ascii && !filter->options.is_line && !regex->has_control &&
	                    !regex->is_narrower &&
	                    !(filter->options.is_crlf && scanner->run.has['\r']);
}

static enum bs_status build(const struct bs_line_filter *filter, bool is_ascii,
                            struct scanner *scanner, struct bs_error *err)
{
	struct bs_buffer pattern = {0};
	struct bs_byte_superset_options options = filter->options;
	options.is_ascii = is_ascii;
	enum bs_status status =
		bs_regex_byte_superset(filter->regex, &options, &pattern, &scanner->is_exact, err);
	if (!status && pattern.used_bytes > 0)
		status = bs_automaton_new((const char *)pattern.data, &scanner->automaton, err);
	bs_buffer_deinit(&pattern);
	return status;
}

static enum bs_status make_scanner(const struct bs_line_filter *filter, bool is_ascii,
                                   bool may_build, struct scanner *scanner, struct bs_error *err)
{
	make_run(filter, is_ascii, scanner);
	return scanner->run.least || !may_build ? BS_OK : build(filter, is_ascii, scanner, err);
}

static bool can_scan(const struct scanner *scanner)
{
	return scanner->run.least || scanner->automaton;
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
	pthread_mutex_init(&filter->mutex, NULL);
	enum bs_status status = make_scanner(filter, true, may_build, &filter->ascii, err);
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

/* Adds the line of a match. True: the piece ends with this line, because there are enough. */
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
	/* The piece must end with a whole line, so a dense one stops at the next line. */
	return take_line(scratch, place) || scratch->is_dense;
}

/* The scanner for any text. It cannot scan if another thread is making it. */
static enum bs_status scanner_for_any(struct bs_line_filter *filter,
                                      const struct scanner **scanner_out, struct bs_error *err)
{
	static const struct scanner none;
	enum bs_status status = BS_OK;
	*scanner_out = &none;
	if (!atomic_load_explicit(&filter->has_any, memory_order_acquire)) {
		if (pthread_mutex_trylock(&filter->mutex) != 0)
			return BS_OK;
		if (!atomic_load_explicit(&filter->has_any, memory_order_relaxed))
			status = make_scanner(filter, false, true, &filter->any, err);
		atomic_store_explicit(&filter->has_any, true, memory_order_release);
		pthread_mutex_unlock(&filter->mutex);
	}
	*scanner_out = &filter->any;
	return status;
}

/* Chooses the piece that begins at text[from] and its scanner: lines of ASCII up to the first line
 * that has other bytes, or such lines. */
static enum bs_status choose_piece(struct bs_line_filter *filter,
                                   struct bs_line_filter_scratch *scratch, const uint8_t *text,
                                   size_t from, size_t end, const struct scanner **scanner_out,
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
	enum bs_status status = scanner_for_any(filter, scanner_out, err);
	bool is_possible = !status && can_scan(*scanner_out);
	scratch->end = is_possible
	                       ? bs_grep_opaque_end(filter->kernel, text, from, opaque, most, '\n')
	                       : bs_grep_line_end(text, from, end, '\n');
	return status;
}

static enum bs_automaton_result scan_for_run(const struct bs_class_run *run,
                                             struct bs_line_filter_scratch *scratch)
{
	size_t at = scratch->from;
	while ((at = bs_class_run_find(run, scratch->text, at, scratch->end)) < scratch->end) {
		if (take_line(scratch, at))
			return BS_AUTOMATON_STOPPED;
		at = scratch->line_end;
	}
	return BS_AUTOMATON_DONE;
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

/* Scans the piece that begins at text[from]. */
static enum bs_status scan(struct bs_line_filter *filter, struct bs_line_filter_scratch *scratch,
                           const uint8_t *text, size_t from, size_t end, struct bs_error *err)
{
	const struct scanner *scanner;
	enum bs_automaton_result result = BS_AUTOMATON_FAILED;
	scratch->from = scratch->line_end = from;
	scratch->text = text;
	scratch->n_lines = scratch->next = scratch->n_ends = 0;
	scratch->is_dense = false;
	enum bs_status status = choose_piece(filter, scratch, text, from, end, &scanner, err);
	if (!status)
		status = bs_deadline_check_after(scratch->end - from, err);
	if (!status && scanner->automaton)
		status = prepare(scanner->automaton, scratch, err);
	if (status) {
		bs_line_filter_scratch_reset(scratch);
		return status;
	}
	scratch->most_ends = (scratch->end - from) / BYTES_AN_END + SPARE_ENDS;
	if (scanner->run.least)
		result = scan_for_run(&scanner->run, scratch);
	else if (scanner->automaton)
		result = bs_automaton_scan(scanner->automaton, scratch->automaton, text + from,
		                           scratch->end - from, take_match, scratch);
	scratch->is_exact = scanner->is_exact;
	if (result == BS_AUTOMATON_STOPPED) {
		scratch->end = scratch->line_end;
	} else if (result == BS_AUTOMATON_FAILED) {
		/* The next line may match. */
		scratch->end = bs_grep_line_end(text, from, end, '\n');
		scratch->lines[0] = (struct line){from, scratch->end};
		scratch->n_lines = 1;
		scratch->is_exact = scratch->is_dense = false;
	}
	return BS_OK;
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
