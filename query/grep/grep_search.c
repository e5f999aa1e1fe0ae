/* grep_search.c: see grep_search.h. */
#include "query/grep/grep_search.h"

#include <string.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/bitsift/grep_request.h"
#include "core/system/deadline.h"

/* The n_bytes NUL bytes of a hole directly before text[at] were skipped. n_lines: the number of
 * lines in them: n_bytes if a NUL byte ends a line, otherwise 0. */
struct skip {
	size_t at;
	uint64_t n_bytes, n_lines;
};
BS_VECTOR(skips, struct skip);

struct search_state {
	const struct bs_grep_matcher *matcher;
	const struct bs_grep_output *options;
	uint8_t line_end;
	bool counts_lines;
	bool is_alone; /* no context is printed, and --max-results and --after are not given */
	/* rg searches line by line (--passthru, --stop-on-nonmatch, --null-data without -U, -P).
	 * Then the lines after the limit (-m) are context even if they match. */
	bool is_slow;
	bool has_found;   /* a line was selected (--stop-on-nonmatch) */
	uint64_t n_finds; /* with -U: matches found, for -m */
	struct bs_grep_printer *printer;
	enum bs_grep_binary binary;
	bool is_slice;
	uint8_t *text;
	size_t n_bytes;
	size_t pos;
	size_t counted; /* line_number is that of the line at this offset */
	uint64_t line_number;
	size_t visited; /* the end of the last line printed or, in --passthru, skipped; >= base */
	/* the end of the last line passed to the printer or, in a slow search, read */
	size_t shown_end;
	uint64_t after_left;
	bool has_told;
	uint64_t told_end; /* the file offset of the end of the last line printed */
	/* the line of the function context was printed last; the next line follows without a gap */
	bool is_headed;
	/* With -U: the lines of the matches that are not printed yet. */
	struct bs_grep_span last;
	bool has_last;
	/* caches a line start: the line that contains text[head.end] begins at head.start */
	struct bs_grep_span head;
	/* caches a line end: the line that contains text[tail.start] ends at tail.end */
	struct bs_grep_span tail;
	bool has_nul;
	uint64_t nul_off; /* offset in the file of the first NUL byte */
	/* text[base..end) was read and is in memory; text[base..window) are its whole lines. The
	 * offset of text[i] in the file is i, plus gone_bytes (the bytes that were dropped), plus
	 * the bytes of the skips before text[i]. */
	struct bs_grep_text *source;
	uint64_t gone_bytes;
	size_t base, window, end;
	size_t capacity;
	struct skips skips; /* holes of which only the ends are in memory */
};

/* The offset in the file of the end of text[0..off), before a skip that follows directly. */
static uint64_t file_offset(const struct search_state *state, size_t off)
{
	uint64_t offset = state->gone_bytes + off;
	const struct skip *skips = state->skips.items;
	size_t n = bs_vector_n(&state->skips);
	for (size_t i = 0; i < n && skips[i].at < off; i++)
		offset += skips[i].n_bytes;
	return offset;
}

/* The number of lines in the skips whose position `at` is in from..upto - 1. */
static uint64_t skipped_lines(const struct search_state *state, size_t from, size_t upto)
{
	uint64_t n_lines = 0;
	const struct skip *skips = state->skips.items;
	size_t n = bs_vector_n(&state->skips);
	for (size_t i = 0; i < n && skips[i].at < upto; i++)
		n_lines += skips[i].at >= from ? skips[i].n_lines : 0;
	return n_lines;
}

/* The number of skipped bytes in a line. */
static uint64_t lacking_bytes(const struct search_state *state, struct bs_grep_span line)
{
	return file_offset(state, line.end) - file_offset(state, line.start) -
	       (line.end - line.start);
}

/* Removes the skips in text[0..n_bytes), which is dropped, and adds their bytes to gone_bytes. */
static void drop_skips(struct search_state *state, size_t n_bytes)
{
	struct skip *skips = state->skips.items;
	size_t n = bs_vector_n(&state->skips), n_gone = 0;
	for (; n_gone < n && skips[n_gone].at < n_bytes; n_gone++)
		state->gone_bytes += skips[n_gone].n_bytes;
	for (size_t i = n_gone; i < n; i++) {
		skips[i].at -= n_bytes;
		skips[i - n_gone] = skips[i];
	}
	bs_vector_set_n(&state->skips, n - n_gone);
}

static void count_to(struct search_state *state, size_t upto)
{
	if (!state->counts_lines || upto <= state->counted)
		return;
	state->line_number += bs_count_byte(state->text + state->counted, upto - state->counted,
	                                    state->line_end) +
	                      skipped_lines(state, state->counted, upto);
	state->counted = upto;
}

/* The number of the line that starts at text[start], even if later lines were already counted. */
static uint64_t number_at(struct search_state *state, size_t start)
{
	count_to(state, start);
	if (!state->counts_lines || state->counted == start)
		return state->line_number;
	return state->line_number -
	       bs_count_byte(state->text + start, state->counted - start, state->line_end) -
	       skipped_lines(state, start, state->counted);
}

static void see_nul(struct search_state *state, size_t off)
{
	state->has_nul = true;
	state->nul_off = file_offset(state, off);
	bs_grep_print_nul(state->printer, state->binary);
}

/* Looks for the first NUL byte in text[from..end), unless it is known or irrelevant. True: the
 * search ends here. */
static bool detect_nul(struct search_state *state, size_t from, size_t end)
{
	if (!state->has_nul && state->binary != BS_GREP_BINARY_TEXT) {
		const uint8_t *found =
			from < end ? memchr(state->text + from, 0, end - from) : NULL;
		if (found)
			see_nul(state, (size_t)(found - state->text));
	}
	return state->has_nul && state->binary == BS_GREP_BINARY_QUIT;
}

/* True if the line is the one that printer->context holds, the function context of the next
 * match. */
static bool is_enclosing(const struct search_state *state, struct bs_grep_span line)
{
	const struct bs_function_context *around = state->printer->context;
	return around && around->has_line && around->file_off == file_offset(state, line.start);
}

#define LINE_NS 50u /* estimated time per line, for the deadline */

/* Checks the deadline and looks for NUL bytes in the next line of a file that is in memory as a
 * whole (for other files, reading does both). False: stop. */
static bool goes_on_in_slice(struct search_state *state, struct bs_grep_span line)
{
	if (!state->printer->to.status)
		state->printer->to.status =
			bs_deadline_check_after(LINE_NS, state->printer->to.err);
	return !state->printer->to.status && !detect_nul(state, line.start, line.end);
}

/* True if the lines of a file with NUL bytes are shown, and not a message, a count or a path. */
static bool shows_text(const struct search_state *state)
{
	enum bs_grep_format format = state->options->format;
	return format == BS_GREP_JSON || state->printer->keeps_lines ||
	       (format == BS_GREP_LINES && state->binary == BS_GREP_BINARY_TEXT);
}

/* Reports an error: a line with a hole of n_bytes would have to be in memory as a whole. Returns
 * false. */
static bool refuse_line(struct search_state *state, uint64_t n_bytes)
{
	if (!state->printer->to.status)
		state->printer->to.status =
			bs_fail(state->printer->to.err, BS_UNSUPPORTED,
		                "a line with a hole of %llu bytes is too long to be "
		                "shown",
		                (unsigned long long)n_bytes);
	return false;
}

/* Passes a line to the printer. False: stop. */
static bool tell(struct search_state *state, enum bs_grep_line_kind kind, struct bs_grep_span line)
{
	if (state->shown_end < line.end)
		state->shown_end = line.end;
	if (state->is_slice && !goes_on_in_slice(state, line))
		return false;
	bool has_context = state->options->before > 0 || state->options->after > 0;
	bool may_have_gap = kind == BS_GREP_LINE_MATCH || kind == BS_GREP_LINE_BEFORE;
	if (may_have_gap && has_context && state->has_told && state->visited < line.start &&
	    !state->is_headed)
		bs_grep_print_gap(state->printer);
	state->is_headed = false;
	if (kind == BS_GREP_LINE_BEFORE && is_enclosing(state, line))
		kind = BS_GREP_LINE_ENCLOSING;
	count_to(state, line.start);
	if (bs_vector_n(&state->skips) > 0 && shows_text(state) && lacking_bytes(state, line) > 0)
		return refuse_line(state, lacking_bytes(state, line));
	struct bs_grep_found told = {.text = state->text + state->base,
	                             .text_bytes = state->window - state->base,
	                             .start = line.start - state->base,
	                             .end = line.end - state->base,
	                             .file_off = file_offset(state, line.start),
	                             .number =
	                                     state->options->line_numbers ? state->line_number : 0};
	if (told.number && state->counted > line.start)
		told.number = number_at(state, line.start);
	bool is_wanted =
		bs_grep_print_line(state->printer, kind, &told) && !state->printer->to.status;
	if (kind == BS_GREP_LINE_AFTER)
		state->after_left--;
	if (!is_wanted)
		return false;
	state->visited = line.end;
	state->told_end = file_offset(state, line.end);
	state->has_told = true;
	if (kind == BS_GREP_LINE_MATCH)
		state->after_left = state->options->after;
	return true;
}

/* Passes the lines of text[from..upto) to the printer. For BS_GREP_LINE_AFTER, passes at most the
 * number of lines that -A asks for. */
static bool tell_lines(struct search_state *state, enum bs_grep_line_kind kind, size_t from,
                       size_t upto)
{
	while (from < upto && (kind != BS_GREP_LINE_AFTER || state->after_left > 0)) {
		struct bs_grep_span line = {
			from, bs_grep_line_end(state->text, from, upto, state->line_end)};
		if (!tell(state, kind, line))
			return false;
		from = line.end;
	}
	return true;
}

/* The start of the n_lines lines before the last line of text[from..upto), at least `from`. */
static size_t lines_before(const struct search_state *state, size_t from, size_t upto,
                           uint64_t n_lines)
{
	size_t at = upto;
	if (at > from && state->text[at - 1] == state->line_end)
		at--;
	for (;; n_lines--) {
		size_t start = bs_grep_line_start(state->text, from, at, state->line_end);
		if (start == from || n_lines == 0)
			return start;
		at = start - 1;
	}
}

/* Finds the function context at text[upto], where line `number` starts. False: failure. */
static bool find_enclosing(struct search_state *state, size_t upto, uint64_t number)
{
	struct bs_grep_printer *printer = state->printer;
	if (!printer->to.status)
		printer->to.status = bs_function_context_go_on(
			printer->context, state->text, state->gone_bytes, upto,
			state->options->line_numbers ? number : 0, printer->to.err);
	return !printer->to.status;
}

/* Prints the function context of a match, unless it was printed before or is in text[from..), which
 * is printed next. */
static bool tell_enclosing(struct search_state *state, size_t from)
{
	struct bs_grep_printer *printer = state->printer;
	const struct bs_function_context *around = printer->context;
	bool is_line = printer->output->format == BS_GREP_LINES && !printer->keeps_lines;
	if (!is_line || !around->has_line || around->file_off >= state->gone_bytes + from ||
	    around->file_off < state->told_end)
		return true;
	if (state->has_told && (state->options->before > 0 || state->options->after > 0) &&
	    around->file_off > state->told_end)
		bs_grep_print_gap(printer);
	struct bs_grep_found told = {.text = around->line.data,
	                             .text_bytes = around->line.used_bytes,
	                             .end = around->line.used_bytes,
	                             .file_off = around->file_off,
	                             .number = around->number};
	state->is_headed = true;
	return bs_grep_print_line(printer, BS_GREP_LINE_ENCLOSING, &told) && !printer->to.status;
}

/* True if -m allows no more matches. */
static bool is_full(const struct search_state *state)
{
	return state->printer->n_matched >= state->printer->max_count;
}

/* Prints the context after the last matching line, up to text[upto]. */
static bool tell_after(struct search_state *state, size_t upto)
{
	if (state->options->passthru)
		return tell_lines(state, BS_GREP_LINE_OTHER, state->visited, upto);
	return state->after_left == 0 ||
	       tell_lines(state, BS_GREP_LINE_AFTER, state->visited, upto);
}

/* Prints the context after the previous matching line, then the function context and the context
 * before the matching line that starts at text[upto]. */
static bool tell_context(struct search_state *state, size_t upto)
{
	bool has_enclosing = state->printer->context != NULL;
	if (has_enclosing &&
	    !find_enclosing(state,
	                    bs_grep_line_end(state->text, upto, state->window, state->line_end),
	                    number_at(state, upto) + 1))
		return false;
	if (!tell_after(state, upto))
		return false;
	bool has_before = state->options->before > 0 && state->visited < upto;
	/* As in rg, a slow search has read the matching line before it prints the context. */
	if (has_before && state->is_slow)
		state->shown_end =
			bs_grep_line_end(state->text, upto, state->window, state->line_end);
	size_t from =
		has_before ? lines_before(state, state->visited, upto, state->options->before - 1)
			   : upto;
	return (!has_enclosing || tell_enclosing(state, from)) &&
	       tell_lines(state, BS_GREP_LINE_BEFORE, from, upto);
}

/* For --max-results and --after: decides whether matching lines are shown, skipped or only counted.
 * False: stop. */
static bool pick(struct search_state *state, struct bs_grep_span lines, bool *is_shown)
{
	struct bs_grep_printer *printer = state->printer;
	uint64_t last_line = 0;
	bool is_counted = printer->outcome.n_results > printer->most_results;
	if (!is_counted)
		last_line = number_at(state, lines.start) +
		            bs_count_byte(state->text + lines.start, lines.end - lines.start - 1,
		                          state->line_end);
	*is_shown = false;
	if (state->is_slice && detect_nul(state, lines.start, lines.end))
		return false;
	if (!is_counted && last_line <= printer->passed_line) {
		state->visited = state->options->passthru ? lines.end : state->visited;
		return bs_grep_print_unshown(printer, true);
	}
	if (!is_counted && !tell_after(state, lines.start))
		return false;
	*is_shown = bs_grep_print_result(printer, last_line);
	/* With -m, the printer must see every matching line to know how much context is left to
	 * show. Output beyond the limit is cut off at the end. */
	*is_shown |= state->options->after > 0 && printer->max_count != UINT64_MAX;
	return *is_shown || bs_grep_print_unshown(printer, false);
}

__attribute__((noinline)) static bool tell_match_in_context(struct search_state *state,
                                                            struct bs_grep_span lines, size_t pos)
{
	bool is_shown = true;
	if (state->printer->picks && !pick(state, lines, &is_shown))
		return false;
	if (is_shown && !tell_context(state, lines.start))
		return false;
	state->pos = pos;
	return !is_shown || tell(state, BS_GREP_LINE_MATCH, lines);
}

/* Prints matching lines after their context. The search continues at pos. False: stop. */
static inline bool tell_match(struct search_state *state, struct bs_grep_span lines, size_t pos)
{
	if (!state->is_alone)
		return tell_match_in_context(state, lines, pos);
	state->pos = pos;
	return tell(state, BS_GREP_LINE_MATCH, lines);
}

/* Prints the context after the last matching line of the window. */
static bool tell_rest(struct search_state *state)
{
	bool is_full = state->printer->picks &&
	               state->printer->outcome.n_results > state->printer->most_results;
	return state->is_alone || is_full || tell_after(state, state->window);
}

/* True if matching lines satisfy --and and --not. end: see bs_conditions_hold. */
static bool is_found(struct search_state *state, struct bs_grep_span lines, size_t end)
{
	struct bs_grep_printer *printer = state->printer;
	bool hold = true;
	if (!printer->to.status)
		printer->to.status = bs_conditions_hold(printer->asker, state->text, lines, end,
		                                        &hold, printer->to.err);
	return hold;
}

static bool next_line_from(struct search_state *state, size_t from, struct bs_grep_span *line,
                           bool *found)
{
	struct bs_grep_printer *printer = state->printer;
	printer->to.status = bs_grep_next_line(printer->scratch, state->text, from, state->window,
	                                       line, found, printer->to.err);
	return !printer->to.status;
}

/* Advances from a matching line to the first one, perhaps itself, that satisfies the conditions. */
__attribute__((noinline)) static bool choose_line(struct search_state *state,
                                                  struct bs_grep_span *line, bool *found)
{
	bool is_on = true;
	while (is_on && *found && !is_found(state, *line, state->window))
		is_on = next_line_from(state, line->end, line, found);
	return is_on && !state->printer->to.status;
}

static inline bool next_line(struct search_state *state, struct bs_grep_span *line, bool *found)
{
	return next_line_from(state, state->pos, line, found) &&
	       (!state->printer->asker || choose_line(state, line, found));
}

/* --stop-on-nonmatch: prints the line at pos, which follows a match, if -A or --passthru shows it.
 * Always returns false, which ends the search. */
static bool tell_nonmatch(struct search_state *state)
{
	struct bs_grep_span line = {state->pos, bs_grep_line_end(state->text, state->pos,
	                                                         state->window, state->line_end)};
	if (state->options->passthru)
		(void)tell(state, BS_GREP_LINE_OTHER, line);
	else if (state->after_left > 0)
		(void)tell(state, BS_GREP_LINE_AFTER, line);
	state->pos = line.end;
	return false;
}

/* -v: the search ends within a group of consecutive selected lines. As in rg, the whole group
 * counts as searched, and also the matching line after it, which ends at `next`. After a NUL byte,
 * rg goes on to the next piece. Returns whether to go on. */
static bool stop_inverted(struct search_state *state, size_t next)
{
	const struct bs_grep_printer *printer = state->printer;
	if (state->is_slow || printer->to.status)
		return false;
	bool goes_on = printer->has_nul && !is_full(state) && state->after_left == 0;
	if (printer->n_matched <= printer->max_count)
		state->pos = goes_on ? state->window : next;
	return goes_on && !state->is_slice;
}

/* -v: prints the lines up to the next matching line. */
static bool search_inverted(struct search_state *state)
{
	struct bs_grep_span line;
	bool found;
	if (!next_line(state, &line, &found))
		return false;
	size_t from = state->pos, upto = found ? line.start : state->window;
	while (from < upto) {
		struct bs_grep_span other = {
			from, bs_grep_line_end(state->text, from, upto, state->line_end)};
		if (!tell_match(state, other, other.end))
			return stop_inverted(state, found ? line.end : state->window);
		state->has_found = true;
		from = other.end;
	}
	state->pos = upto;
	if (found && state->has_found && state->options->stop_on_nonmatch)
		return tell_nonmatch(state);
	state->pos = found ? line.end : state->window;
	return true;
}

/* Finds the next matching line and prints it. *found_out: there is such a line. False: stop. */
static bool search_matching(struct search_state *state, bool *found_out)
{
	struct bs_grep_span line;
	if (!next_line(state, &line, found_out))
		return false;
	size_t next = *found_out ? line.start : state->window;
	if (state->options->stop_on_nonmatch && state->has_found && next > state->pos)
		return tell_nonmatch(state);
	if (!*found_out)
		return true;
	state->has_found = true;
	return tell_match(state, line, line.end);
}

/* As in rg, the context after the last match counts as searched only in a slow search. */
static void skip_shown(struct search_state *state)
{
	if (state->is_slow && state->pos < state->shown_end)
		state->pos = state->shown_end;
}

/* Searches the lines of the window. False: stop. */
static bool search_window(struct search_state *state)
{
	bool found = true;
	while (state->pos < state->window && found && !(state->is_slow && is_full(state)))
		if (state->options->invert ? !search_inverted(state)
		                           : !search_matching(state, &found)) {
			skip_shown(state);
			return false;
		}
	if (state->is_slow && is_full(state) && state->options->stop_on_nonmatch &&
	    state->pos < state->window)
		return tell_nonmatch(state);
	bool goes_on = tell_rest(state);
	skip_shown(state);
	if (goes_on)
		state->pos = state->window;
	return goes_on;
}

/* Drops the text before base and reads on, until `capacity` bytes are in memory or the file ends.
 * With by_pieces, reads once. False: stop. */
static bool read_more(struct search_state *state)
{
	size_t gone = state->base;
	struct bs_grep_printer *printer = state->printer;
	if (!printer->offer(printer->offer_context))
		return false;
	count_to(state, gone);
	printer->to.status =
		bs_grep_text_more(state->source, gone, state->capacity, printer->to.err);
	state->text = state->source->bytes.data;
	state->n_bytes = state->source->bytes.used_bytes;
	bs_grep_scratch_reset(printer->scratch);
	if (printer->asker)
		bs_conditions_reset(printer->asker);
	drop_skips(state, gone);
	state->gone_bytes += gone;
	state->base = 0;
	state->window -= gone;
	state->end -= gone;
	state->pos -= gone;
	state->visited -= gone;
	state->shown_end -= state->shown_end < gone ? state->shown_end : gone;
	state->counted -= state->counted < gone ? state->counted : gone;
	return !printer->to.status;
}

/* The end of the next piece, which begins at state->end. */
static size_t read_end(const struct search_state *state)
{
	size_t most = state->base + state->capacity;
	return most < state->n_bytes ? most : state->n_bytes;
}

/* Handles the NUL bytes of a piece, text[from..end). True: the search ends here. */
static bool meet_nul(struct search_state *state, size_t from, size_t end)
{
	if (state->binary == BS_GREP_BINARY_TEXT || state->is_slice || from == end)
		return false;
	const uint8_t *found = memchr(state->text + from, 0, end - from);
	if (!found)
		return false;
	if (!state->has_nul)
		see_nul(state, (size_t)(found - state->text));
	if (state->binary == BS_GREP_BINARY_QUIT)
		return true;
	for (size_t i = (size_t)(found - state->text); i < end; i++)
		if (state->text[i] == 0)
			state->text[i] = state->line_end;
	return false;
}

/* Moves base over the searched text, except lines that may be context of the next match. */
static void roll(struct search_state *state)
{
	bool has_context = state->options->before > 0 || state->options->after > 0;
	size_t kept = state->window;
	/* As in rg, the last line is kept even if only context after a match is wanted; so the
	 * next piece ends earlier. */
	if (has_context && state->window > state->base) {
		kept = lines_before(state, state->base, state->window, state->options->before);
		kept = kept > state->visited ? kept : state->visited;
	}
	if (state->printer->context)
		(void)find_enclosing(state, kept, number_at(state, kept));
	state->base = kept;
	state->visited = state->visited > kept ? state->visited : kept;
}

/* True if more must be read. Text that arrives in pieces is searched one piece after the other. */
static bool wants_bytes(const struct search_state *state)
{
	const struct bs_grep_text *source = state->source;
	/* rg fills its buffer before it looks for NUL bytes, but the bytes that a pipe delivers are
	 * searched at once. */
	return source->has_more &&
	       (source->by_pieces ? state->end == state->n_bytes
	                          : state->n_bytes - state->base < state->capacity);
}

/* The number of NUL bytes that are kept at each end of a skipped hole: more than a pattern is
 * likely to look at. */
#define HOLE_END_BYTES ((uint64_t)512 << 10)
/* Fewer bytes of a hole are not skipped. In a line that is shown, nor are fewer than
 * SHOWN_HOLE_BYTES, because the line may fit into memory. */
#define LEAST_HOLE_BYTES ((uint64_t)4 << 20)
#define SHOWN_HOLE_BYTES ((uint64_t)1 << 30)
/* To decide whether all lines of a hole match, this many empty lines are searched, with
 * AROUND_LINES empty lines on each side: more than a lookbehind can see. */
#define EMPTY_LINES  16u
#define AROUND_LINES 65536u

/* *n_out: how many of EMPTY_LINES empty lines are selected; with -v, those that are not found.
 * False: failure. */
static bool count_empty(struct search_state *state, uint32_t *n_out)
{
	struct bs_grep_printer *printer = state->printer;
	size_t n_bytes = AROUND_LINES + EMPTY_LINES + AROUND_LINES, at = AROUND_LINES;
	struct bs_buffer lines = {0};
	uint8_t *held = state->text;
	bool found = true;
	*n_out = 0;
	printer->to.status = bs_buffer_reserve(&lines, n_bytes, printer->to.err);
	if (printer->to.status)
		return false;
	memset(lines.data, state->line_end, n_bytes);
	state->text = lines.data;
	bs_grep_scratch_reset(printer->scratch);
	while (found && !printer->to.status) {
		struct bs_grep_span line = {0, 0};
		printer->to.status = bs_grep_next_line(printer->scratch, lines.data, at, n_bytes,
		                                       &line, &found, printer->to.err);
		at = line.end;
		found = found && line.start < AROUND_LINES + EMPTY_LINES;
		if (!printer->to.status && found)
			*n_out += !printer->asker || is_found(state, line, line.end);
	}
	state->text = held;
	bs_buffer_deinit(&lines);
	bs_grep_scratch_reset(printer->scratch);
	*n_out = state->options->invert ? EMPTY_LINES - *n_out : *n_out;
	return !printer->to.status;
}

/* For a hole whose NUL bytes are empty lines: reduces *n_bytes to the bytes that may be skipped,
 * because their lines are not selected or are only counted. Counts the skipped lines that are
 * selected. False: failure. */
static bool pass_lines(struct search_state *state, uint64_t *n_bytes)
{
	struct bs_grep_printer *printer = state->printer;
	enum bs_grep_format format = state->options->format;
	uint32_t n_found;
	if (state->options->after >= HOLE_END_BYTES || state->options->before >= HOLE_END_BYTES) {
		*n_bytes = 0;
		return true;
	}
	if (!count_empty(state, &n_found))
		return false;
	if (n_found == 0)
		return true;
	bool counts = format == BS_GREP_COUNT || format == BS_GREP_COUNT_MATCHES;
	uint64_t n_left = printer->max_count - printer->n_matched;
	if (n_found != EMPTY_LINES || !counts || n_left == 0)
		*n_bytes = 0;
	else if (*n_bytes >= n_left)
		*n_bytes = n_left - 1;
	printer->n_matched += *n_bytes;
	printer->outcome.sums.matches += *n_bytes;
	printer->outcome.has_matched |= *n_bytes > 0;
	return true;
}

/* For a hole within a line: reduces *n_bytes to the bytes that may be skipped. False: failure. */
static bool pass_nuls(struct search_state *state, uint64_t *n_bytes)
{
	struct bs_grep_printer *printer = state->printer;
	struct bs_grep_span at;
	bool is_whole = shows_text(state), found = false;
	/* --count-matches would have to count matches in the middle of the hole. */
	if (state->options->format == BS_GREP_COUNT_MATCHES && !state->options->invert) {
		size_t n = (size_t)HOLE_END_BYTES < state->n_bytes ? (size_t)HOLE_END_BYTES
		                                                   : state->n_bytes;
		bs_grep_scratch_reset(printer->scratch);
		printer->to.status =
			bs_grep_next_match(printer->scratch, state->text + state->n_bytes - n, 0, n,
		                           false, &at, &found, printer->to.err);
		bs_grep_scratch_reset(printer->scratch);
		if (printer->to.status || (found && *n_bytes >= SHOWN_HOLE_BYTES))
			return refuse_line(state, *n_bytes);
	}
	if ((is_whole || found) && *n_bytes < SHOWN_HOLE_BYTES)
		*n_bytes = 0;
	return true;
}

/* If the text read so far ends in a hole, skips the middle of the hole. False: stop. */
static bool skip_hole(struct search_state *state)
{
	const struct bs_grep_printer *printer = state->printer;
	bool is_possible = !printer->picks && !printer->context && !state->options->passthru;
	uint64_t left_bytes = is_possible && state->end == state->n_bytes
	                              ? bs_grep_text_hole(state->source, HOLE_END_BYTES)
	                              : 0;
	if (left_bytes < HOLE_END_BYTES + LEAST_HOLE_BYTES)
		return true;
	uint64_t n_bytes = left_bytes - HOLE_END_BYTES;
	bool are_lines =
		state->line_end == 0 || (state->binary != BS_GREP_BINARY_TEXT && !state->is_slice);
	if (are_lines ? !pass_lines(state, &n_bytes) : !pass_nuls(state, &n_bytes))
		return false;
	if (n_bytes == 0)
		return true;
	struct skip skip = {
		.at = state->n_bytes, .n_bytes = n_bytes, .n_lines = are_lines ? n_bytes : 0};
	state->printer->to.status = bs_vector_append(&state->skips, &skip, state->printer->to.err);
	if (!state->printer->to.status)
		bs_grep_text_skip(state->source, n_bytes);
	return !state->printer->to.status;
}

/* Reads the next whole lines into the window. False: there are no more, or the search ends. */
static bool fill(struct search_state *state)
{
	size_t had_bytes = state->window - state->base;
	uint64_t old_base = state->gone_bytes + state->base;
	roll(state);
	for (;;) {
		if (state->source->input && state->source->input->holes && !skip_hole(state))
			return false;
		if (state->end - state->base == state->capacity)
			state->capacity *= 3;
		while (wants_bytes(state))
			if (!read_more(state))
				return false;
		size_t from = state->end;
		size_t to = read_end(state);
		if (to == from) {
			state->window = state->end;
			break;
		}
		if (meet_nul(state, from, to))
			return false;
		state->end = to;
		const uint8_t *last = memrchr(state->text + from, state->line_end, to - from);
		if (last) {
			state->window = (size_t)(last - state->text) + 1;
			break;
		}
	}
	if (state->window == state->base)
		return false;
	/* The window has no new lines, only the kept context of a next match. */
	if (state->gone_bytes + state->base == old_base &&
	    state->window - state->base == had_bytes) {
		state->base = state->window;
		return false;
	}
	return true;
}

static void search_pieces(struct search_state *state)
{
	bool may_have_nul = state->binary != BS_GREP_BINARY_TEXT && state->n_bytes > 0;
	/* Without a NUL byte in the text, the sizes of the pieces do not matter. */
	if (!state->source->has_more &&
	    (state->is_slice || !(may_have_nul && memchr(state->text, 0, state->n_bytes))))
		state->capacity = state->n_bytes + 1;
	while (fill(state)) {
		if (search_window(state))
			continue;
		/* The text up to pos counts as searched. */
		state->base = state->pos;
		break;
	}
}

/* The position from which the match after `at` is searched for. */
static size_t multi_next(const struct search_state *state, struct bs_grep_span at)
{
	size_t pos = at.end;
	if (at.start == at.end && pos < state->n_bytes)
		for (pos++; pos < state->n_bytes && (state->text[pos] & 0xc0) == 0x80;)
			pos++;
	return pos;
}

/* The lines that a match touches. Caches line bounds, so that a long line is not scanned again for
 * each of its matches. */
static struct bs_grep_span lines_of(struct search_state *state, struct bs_grep_span at)
{
	struct bs_grep_span *head = &state->head, *tail = &state->tail;
	if (at.start < head->end)
		*head = (struct bs_grep_span){0, 0};
	size_t start = bs_grep_line_start(state->text, head->end, at.start, state->line_end);
	*head = (struct bs_grep_span){start == head->end ? head->start : start, at.start};
	if (at.end > head->start && state->text[at.end - 1] == state->line_end)
		return (struct bs_grep_span){head->start, at.end};
	if (at.end < tail->start || at.end >= tail->end)
		*tail = (struct bs_grep_span){
			at.end,
			bs_grep_line_end(state->text, at.end, state->n_bytes, state->line_end)};
	return (struct bs_grep_span){head->start, tail->end};
}

/* Finds the next match whose lines satisfy the conditions. */
static bool multi_find(struct search_state *state, struct bs_grep_span *at, bool *found)
{
	struct bs_grep_printer *printer = state->printer;
	for (size_t from = state->pos;; from = multi_next(state, *at)) {
		printer->to.status = bs_grep_next_match(printer->scratch, state->text + from, 0,
		                                        state->n_bytes - from, false, at, found,
		                                        printer->to.err);
		at->start += from;
		at->end += from;
		if (printer->to.status || !*found || !printer->asker)
			return !printer->to.status;
		struct bs_grep_span lines = lines_of(state, *at);
		if (is_found(state, lines, lines.end))
			return !printer->to.status;
		if (at->end == state->n_bytes) {
			*found = false;
			return true;
		}
	}
}

static bool multi_inverted(struct search_state *state)
{
	struct bs_grep_span at;
	bool found;
	if (!multi_find(state, &at, &found))
		return false;
	struct bs_grep_span lines = {state->n_bytes, state->n_bytes};
	if (found)
		lines = lines_of(state, at);
	struct bs_grep_span other = {state->pos, lines.start};
	state->pos = found ? multi_next(state, lines) : state->n_bytes;
	for (; other.start < other.end; other.start = lines.end) {
		lines = (struct bs_grep_span){
			other.start,
			bs_grep_line_end(state->text, other.start, other.end, state->line_end)};
		if (!tell_match(state, lines, state->pos))
			return false;
	}
	return true;
}

/* Prints the lines of matches, after their context. A match after the last line feed is in no line:
 * only its context is printed. False: stop. */
static bool multi_tell(struct search_state *state, struct bs_grep_span lines)
{
	if (lines.start < lines.end)
		return tell_match(state, lines, state->pos);
	(void)tell_context(state, lines.start);
	return false;
}

/* The end of a line without its line end. As in rg, --crlf removes CRLF only, not a lone LF. */
static size_t end_of_line_text(const struct search_state *state, struct bs_grep_span line)
{
	const uint8_t *text = state->text;
	if (text[line.end - 1] != state->line_end)
		return line.end;
	if (!state->printer->crlf)
		return line.end - 1;
	return line.end - line.start > 1 && text[line.end - 2] == '\r' ? line.end - 2 : line.end;
}

/* -U and -m: prints the context after the last match, in which lines that match are shown as
 * matching. */
static bool multi_tell_after(struct search_state *state)
{
	struct bs_grep_printer *printer = state->printer;
	while (state->after_left > 0 && state->visited < state->n_bytes) {
		struct bs_grep_span line = {state->visited,
		                            bs_grep_line_end(state->text, state->visited,
		                                             state->n_bytes, state->line_end)},
				    at;
		size_t n_bytes = end_of_line_text(state, line) - line.start;
		bool found = false;
		printer->to.status =
			bs_grep_next_match(printer->scratch, state->text + line.start, 0, n_bytes,
		                           false, &at, &found, printer->to.err);
		found = found && !printer->to.status &&
		        (!printer->asker || is_found(state, line, line.end));
		uint64_t left = state->after_left;
		/* As in rg, only the text up to the last match counts as searched. */
		state->pos = found ? line.end : state->pos;
		if (printer->to.status ||
		    !tell(state, found ? BS_GREP_LINE_MATCH : BS_GREP_LINE_AFTER, line))
			return false;
		state->after_left = left - 1;
	}
	return true;
}

/* -U: finds the next match. Merges its lines with those of the previous match if they adjoin or
 * overlap; otherwise prints the lines of the previous match. False: stop. */
static bool multi_step(struct search_state *state)
{
	struct bs_grep_span at;
	bool found;
	if (state->options->invert)
		return multi_inverted(state);
	if (state->n_finds >= state->printer->max_count)
		found = false;
	else if (!multi_find(state, &at, &found))
		return false;
	if (!found) {
		state->pos = state->n_bytes;
		return true;
	}
	state->n_finds++;
	state->pos = multi_next(state, at);
	struct bs_grep_span lines = lines_of(state, at), last = state->last;
	bool had_last = state->has_last;
	state->has_last = true;
	if (had_last && last.end >= lines.start) {
		state->last.end = lines.end;
		return true;
	}
	state->last = lines;
	return !had_last || multi_tell(state, last);
}

static void search_across(struct search_state *state)
{
	bool is_on = true;
	state->window = state->n_bytes;
	while (state->pos < state->n_bytes && is_on)
		is_on = multi_step(state);
	if (is_on && state->has_last)
		(void)multi_tell(state, state->last);
	if (!is_on || state->printer->to.status)
		return;
	if (state->n_finds >= state->printer->max_count && !state->options->passthru)
		(void)multi_tell_after(state);
	else
		(void)tell_rest(state);
}

static void search(struct search_state *state)
{
	if (!state->is_slice) {
		search_pieces(state);
		return;
	}
	if (detect_nul(state, 0,
	               state->n_bytes < BS_GREP_PIECE_BYTES ? state->n_bytes : BS_GREP_PIECE_BYTES))
		return;
	if (bs_grep_matcher_traits(state->matcher)->by_line)
		search_pieces(state);
	else
		search_across(state);
}

void bs_grep_search_text(const struct bs_grep_matcher *matcher, struct bs_grep_text *text,
                         enum bs_grep_binary binary, bool is_slice, struct bs_grep_printer *printer)
{
	struct search_state state = {
		.matcher = matcher,
		.options = printer->output,
		.line_end = printer->line_end,
		.is_alone = printer->output->before == 0 && printer->output->after == 0 &&
	                    !printer->output->passthru && !printer->context && !printer->picks,
		.is_slow = printer->output->passthru || printer->output->stop_on_nonmatch ||
	                   (printer->line_end == 0 && !printer->is_multi_line) || printer->is_pcre2,
		.counts_lines = printer->output->line_numbers || printer->picks,
		.printer = printer,
		.binary = binary,
		.is_slice = is_slice || !bs_grep_matcher_traits(matcher)->by_line,
		.text = text->bytes.data,
		.n_bytes = text->bytes.used_bytes,
		.line_number = 1,
		.source = text,
		.capacity = BS_GREP_PIECE_BYTES};
	bs_grep_scratch_reset(printer->scratch);
	if (printer->asker)
		bs_conditions_reset(printer->asker);
	bs_grep_print_begin(printer);
	if (state.n_bytes > 0 || text->has_more)
		search(&state);
	struct bs_grep_finish finish = {
		.is_binary = state.has_nul, .binary_off = state.nul_off, .binary = binary};
	finish.searched_bytes = file_offset(&state, state.is_slice ? state.pos : state.base);
	if (state.is_slice && state.has_nul && state.nul_off < finish.searched_bytes)
		finish.searched_bytes = state.nul_off;
	if (printer->shows_part && bs_deadline_ended(printer->to.status) && bs_deadline_is_over())
		printer->to.status = BS_OK;
	if (!printer->to.status)
		bs_grep_print_finish(printer, &finish);
	bs_vector_deinit(&state.skips);
}
