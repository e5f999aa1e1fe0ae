/* grep_search.c: see grep_search.h. */
#include "query/grep_search.h"

#include <string.h>

/* What a match may look at behind the lines it touches, with -U. */
#define LOOK_AHEAD_BYTES 128

struct run {
	const struct bs_grep_matcher *matcher;
	const struct bs_grep_search *options;
	struct bs_grep_sink *sink;
	enum bs_grep_binary binary;
	bool is_slice;
	uint8_t *text;
	size_t n_bytes;
	size_t pos;
	size_t counted; /* lines before this offset are in line_number */
	uint64_t line_number;
	size_t visited; /* end of the last line that was told */
	uint64_t after_left;
	bool has_told;
	bool has_nul;
	uint64_t nul_off; /* in the file */
	/* The pieces that are read: text[base..end) is in hand, of which [.., window) are whole lines. Offsets in text are
	 * those in the file less gone_bytes, which were let go. */
	struct bs_grep_text *source;
	uint64_t gone_bytes;
	size_t base, window, end;
	size_t capacity;
};

static bool quits(const struct run *run)
{
	return run->binary == BS_GREP_BINARY_QUIT;
}

/* ---- telling ---- */

static size_t count_lines(const uint8_t *text, size_t n, uint8_t line_end)
{
	size_t count = 0;
	while (n > 0) {
		/* Sums of bytes, so that many are compared at a step. */
		size_t block = n < 255 ? n : 255;
		uint8_t sum = 0;
		for (size_t i = 0; i < block; i++)
			sum = (uint8_t)(sum + (text[i] == line_end));
		count += sum;
		text += block;
		n -= block;
	}
	return count;
}

static void count_to(struct run *run, size_t upto)
{
	if (!run->options->line_numbers || upto <= run->counted)
		return;
	run->line_number += count_lines(run->text + run->counted, upto - run->counted, run->options->line_end);
	run->counted = upto;
}

static void see_nul(struct run *run, size_t off)
{
	run->has_nul = true;
	run->nul_off = run->gone_bytes + off;
	run->sink->methods->nul(run->sink, run->nul_off, run->binary);
}

/* Looks for a NUL byte in text[from..end), if that is still of interest; true: the search is over. */
static bool detect_nul(struct run *run, size_t from, size_t end)
{
	if (!run->has_nul && run->binary != BS_GREP_BINARY_TEXT) {
		const uint8_t *found = from < end ? memchr(run->text + from, 0, end - from) : NULL;
		if (found)
			see_nul(run, (size_t)(found - run->text));
	}
	return run->has_nul && quits(run);
}

/* False: enough. */
static bool tell(struct run *run, enum bs_grep_line_kind kind, struct bs_grep_span line)
{
	if (run->is_slice && detect_nul(run, line.start, line.end))
		return false;
	bool has_context = run->options->before > 0 || run->options->after > 0;
	bool may_have_gap = kind == BS_GREP_LINE_MATCH || kind == BS_GREP_LINE_BEFORE;
	if (may_have_gap && has_context && run->has_told && run->visited < line.start)
		run->sink->methods->gap(run->sink);
	count_to(run, line.start);
	struct bs_grep_line told = {.text = run->text + run->base,
	                            .text_bytes = run->window - run->base,
	                            .start = line.start - run->base,
	                            .end = line.end - run->base,
	                            .file_off = run->gone_bytes + line.start,
	                            .number = run->options->line_numbers ? run->line_number : 0};
	bool is_wanted = run->sink->methods->line(run->sink, kind, &told) && !run->sink->status;
	if (kind == BS_GREP_LINE_AFTER)
		run->after_left--;
	if (!is_wanted)
		return false;
	run->visited = line.end;
	run->has_told = true;
	if (kind == BS_GREP_LINE_MATCH)
		run->after_left = run->options->after;
	return true;
}

static bool tell_lines(struct run *run, enum bs_grep_line_kind kind, size_t from, size_t upto)
{
	while (from < upto) {
		struct bs_grep_span line = {from, bs_grep_line_end(run->text, from, upto, run->options->line_end)};
		if (!tell(run, kind, line))
			return false;
		from = line.end;
	}
	return true;
}

/* Lines after the last match, as many as are still wanted, before upto. */
static bool tell_after(struct run *run, size_t upto)
{
	size_t from = run->visited;
	while (run->after_left > 0 && from < upto) {
		struct bs_grep_span line = {from, bs_grep_line_end(run->text, from, upto, run->options->line_end)};
		if (!tell(run, BS_GREP_LINE_AFTER, line))
			return false;
		from = line.end;
	}
	return true;
}

/* Where the n_lines lines before the last line of text[from..upto) start. */
static size_t lines_before(const struct run *run, size_t from, size_t upto, uint64_t n_lines)
{
	size_t at = upto;
	if (at > from && run->text[at - 1] == run->options->line_end)
		at--;
	for (;; n_lines--) {
		size_t start = bs_grep_line_start(run->text, from, at, run->options->line_end);
		if (start == from || n_lines == 0)
			return start;
		at = start - 1;
	}
}

static bool tell_before(struct run *run, size_t upto)
{
	if (run->options->before == 0 || run->visited >= upto)
		return true;
	return tell_lines(run, BS_GREP_LINE_BEFORE, lines_before(run, run->visited, upto, run->options->before - 1), upto);
}

/* What stands before a line that matches. */
static bool tell_context(struct run *run, size_t upto)
{
	if (run->options->passthru)
		return tell_lines(run, BS_GREP_LINE_OTHER, run->visited, upto);
	return tell_after(run, upto) && tell_before(run, upto);
}

/* ---- line by line ---- */

static bool next_line(struct run *run, struct bs_grep_span *line, bool *found)
{
	struct bs_grep_sink *sink = run->sink;
	sink->status = bs_grep_next_line(sink->scratch, run->text, run->pos, run->window, line, found, sink->err);
	return !sink->status;
}

/* The lines that do not match, up to the next one that does. */
static bool search_inverted(struct run *run)
{
	struct bs_grep_span line;
	bool found;
	if (!next_line(run, &line, &found))
		return false;
	size_t from = run->pos, upto = found ? line.start : run->window;
	if (from < upto && !tell_context(run, from))
		return false;
	while (from < upto) {
		struct bs_grep_span other = {from, bs_grep_line_end(run->text, from, upto, run->options->line_end)};
		run->pos = other.end;
		if (!tell(run, BS_GREP_LINE_MATCH, other))
			return false;
		from = other.end;
	}
	run->pos = found ? line.end : run->window;
	return true;
}

/* The lines of the window; false: enough. */
static bool search_window(struct run *run)
{
	while (run->pos < run->window) {
		struct bs_grep_span line;
		bool found;
		if (run->options->invert) {
			if (!search_inverted(run))
				return false;
			continue;
		}
		if (!next_line(run, &line, &found))
			return false;
		if (!found)
			break;
		if (!tell_context(run, line.start))
			return false;
		run->pos = line.end;
		if (!tell(run, BS_GREP_LINE_MATCH, line))
			return false;
	}
	run->pos = run->window;
	if (run->options->passthru)
		return tell_lines(run, BS_GREP_LINE_OTHER, run->visited, run->window);
	return tell_after(run, run->window);
}

/* ---- pieces ---- */

/* Less is in hand than a piece takes: lets go of what is before it, and reads on. */
static bool read_more(struct run *run)
{
	size_t gone = run->base;
	struct bs_grep_sink *sink = run->sink;
	sink->status = bs_grep_text_more(run->source, gone, run->capacity, sink->err);
	run->text = run->source->bytes.data;
	run->n_bytes = run->source->bytes.used_bytes;
	run->gone_bytes += gone;
	run->base = 0;
	run->window -= gone;
	run->end -= gone;
	run->pos -= gone;
	run->visited -= gone;
	run->counted -= run->counted < gone ? run->counted : gone;
	return !sink->status;
}

/* Where the first reads end: at the three bytes in which a mark is looked for, and at a buffer of standard input. */
static size_t first_end(const struct run *run)
{
	uint64_t read_bytes = run->gone_bytes + run->end;
	if (read_bytes == 0 && !run->source->had_mark && run->n_bytes > 3)
		return 3;
	if (run->source->is_stdin && read_bytes < BS_GREP_STDIN_BYTES && run->n_bytes > BS_GREP_STDIN_BYTES)
		return BS_GREP_STDIN_BYTES - (size_t)run->gone_bytes;
	return run->n_bytes;
}

/* How far the next read gets, from run->end on. */
static size_t read_end(const struct run *run)
{
	const size_t *ends = (const size_t *)(const void *)run->source->pieces.data;
	size_t n_ends = run->source->pieces.used_bytes / sizeof(*ends);
	size_t most = run->base + run->capacity;
	if (most > run->n_bytes)
		most = run->n_bytes;
	if (n_ends == 0) {
		size_t first = first_end(run);
		return first < most ? first : most;
	}
	for (size_t i = 0; i < n_ends; i++)
		if (ends[i] > run->end)
			return ends[i] < most ? ends[i] : most;
	return most;
}

/* A piece was read up to end: NUL bytes. True: the window ends here. */
static bool meet_nul(struct run *run, size_t from, size_t end)
{
	if (run->binary == BS_GREP_BINARY_TEXT || from == end)
		return false;
	const uint8_t *found = memchr(run->text + from, 0, end - from);
	if (!found)
		return false;
	if (!run->has_nul)
		see_nul(run, (size_t)(found - run->text));
	if (quits(run))
		return true;
	for (size_t i = (size_t)(found - run->text); i < end; i++)
		if (run->text[i] == 0)
			run->text[i] = run->options->line_end;
	return false;
}

/* Lets go of what was searched, but for the lines that the next match may want before it. */
static void roll(struct run *run)
{
	/* As rg: also for context behind a match, and so the next piece ends sooner. */
	uint64_t context = run->options->before > run->options->after ? run->options->before : run->options->after;
	size_t kept = run->window;
	if (context > 0 && run->window > run->base) {
		kept = lines_before(run, run->base, run->window, context);
		kept = kept > run->visited ? kept : run->visited;
	}
	count_to(run, kept);
	run->base = kept;
	run->visited = run->visited > kept ? run->visited : kept;
}

/* The next window; false: the text is over. */
static bool fill(struct run *run)
{
	size_t had_bytes = run->window - run->base;
	uint64_t old_base = run->gone_bytes + run->base;
	roll(run);
	for (;;) {
		if (run->end - run->base == run->capacity)
			run->capacity *= 3;
		if (run->source->has_more && run->n_bytes - run->base < run->capacity && !read_more(run))
			return false;
		size_t from = run->end;
		size_t to = read_end(run);
		if (to == from) {
			run->window = run->end;
			break;
		}
		if (meet_nul(run, from, to))
			return false;
		run->end = to;
		const uint8_t *last = memrchr(run->text + from, run->options->line_end, to - from);
		if (last) {
			run->window = (size_t)(last - run->text) + 1;
			break;
		}
	}
	if (run->window == run->base)
		return false;
	/* Only context is left, and nobody will want it. */
	if (run->gone_bytes + run->base == old_base && run->window - run->base == had_bytes) {
		run->base = run->window;
		return false;
	}
	return true;
}

/* Whether it can be told apart in what pieces the text was read. */
static bool pieces_matter(const struct run *run)
{
	return run->binary != BS_GREP_BINARY_TEXT && run->n_bytes && memchr(run->text, 0, run->n_bytes);
}

static void search_pieces(struct run *run)
{
	if (!run->source->has_more && !pieces_matter(run))
		run->capacity = run->n_bytes + 1;
	while (fill(run) && search_window(run))
		continue;
}

/* ---- across lines ---- */

struct multi {
	struct run *run;
	struct bs_grep_span last; /* lines of the matches not told yet */
	bool has_last;
};

static bool multi_find(struct run *run, struct bs_grep_span *found_at, bool *found)
{
	struct bs_grep_sink *sink = run->sink;
	sink->status = bs_grep_next_match(sink->scratch, run->text + run->pos, 0, run->n_bytes - run->pos, false, found_at,
	                                  found, sink->err);
	found_at->start += run->pos;
	found_at->end += run->pos;
	return !sink->status;
}

static void multi_advance(struct run *run, struct bs_grep_span at)
{
	run->pos = at.end;
	if (at.start == at.end && run->pos < run->n_bytes)
		for (run->pos++; run->pos < run->n_bytes && (run->text[run->pos] & 0xc0) == 0x80;)
			run->pos++;
}

static struct bs_grep_span lines_of(const struct run *run, struct bs_grep_span at)
{
	uint8_t line_end = run->options->line_end;
	struct bs_grep_span lines = {bs_grep_line_start(run->text, 0, at.start, line_end), at.end};
	if (at.end <= lines.start || run->text[at.end - 1] != line_end)
		lines.end = bs_grep_line_end(run->text, at.end, run->n_bytes, line_end);
	return lines;
}

static bool multi_tell(struct run *run, struct bs_grep_span lines)
{
	/* A match behind the last line feed is in no line. */
	return lines.start < lines.end && tell(run, BS_GREP_LINE_MATCH, lines);
}

static bool multi_inverted(struct run *run)
{
	struct bs_grep_span at;
	bool found;
	if (!multi_find(run, &at, &found))
		return false;
	struct bs_grep_span lines = found ? lines_of(run, at) : (struct bs_grep_span){run->n_bytes, run->n_bytes};
	struct bs_grep_span other = {run->pos, lines.start};
	if (found)
		multi_advance(run, lines);
	else
		run->pos = run->n_bytes;
	if (other.start >= other.end)
		return true;
	return tell_context(run, other.start) && tell_lines(run, BS_GREP_LINE_MATCH, other.start, other.end);
}

static bool multi_step(struct multi *multi)
{
	struct run *run = multi->run;
	struct bs_grep_span at;
	bool found;
	if (run->options->invert)
		return multi_inverted(run);
	if (!multi_find(run, &at, &found))
		return false;
	if (!found) {
		run->pos = run->n_bytes;
		return true;
	}
	multi_advance(run, at);
	struct bs_grep_span lines = lines_of(run, at), last = multi->last;
	bool had_last = multi->has_last;
	multi->has_last = true;
	if (had_last && last.end >= lines.start) {
		multi->last.end = lines.end;
		return true;
	}
	multi->last = lines;
	return !had_last || (tell_context(run, last.start) && multi_tell(run, last));
}

static void search_across(struct run *run)
{
	struct multi multi = {.run = run};
	run->window = run->n_bytes;
	bool is_on = true;
	while (run->pos < run->n_bytes && is_on)
		is_on = multi_step(&multi);
	if (is_on && multi.has_last && tell_context(run, multi.last.start))
		(void)multi_tell(run, multi.last);
	if (!is_on || run->sink->status)
		return;
	if (run->options->passthru)
		tell_lines(run, BS_GREP_LINE_OTHER, run->visited, run->n_bytes);
	else
		tell_after(run, run->n_bytes);
}

/* ---- a text ---- */

static bool begins_binary(struct run *run)
{
	return detect_nul(run, 0, run->n_bytes < BS_GREP_PIECE_BYTES ? run->n_bytes : BS_GREP_PIECE_BYTES);
}

static void search(struct run *run)
{
	if (!run->is_slice) {
		search_pieces(run);
		return;
	}
	if (begins_binary(run))
		return;
	if (bs_grep_matcher_by_line(run->matcher)) {
		run->window = run->n_bytes;
		search_window(run);
	} else {
		search_across(run);
	}
}

void bs_grep_search_text(const struct bs_grep_matcher *matcher, struct bs_grep_text *text, enum bs_grep_binary binary,
                         bool is_slice, struct bs_grep_sink *sink)
{
	struct run run = {.matcher = matcher,
	                  .options = sink->search,
	                  .sink = sink,
	                  .binary = binary,
	                  .is_slice = is_slice || !bs_grep_matcher_by_line(matcher),
	                  .text = text->bytes.data,
	                  .n_bytes = text->bytes.used_bytes,
	                  .line_number = 1,
	                  .source = text,
	                  .capacity = BS_GREP_PIECE_BYTES};
	bs_grep_scratch_reset(sink->scratch);
	if (sink->methods->begin(sink) && run.n_bytes > 0)
		search(&run);
	struct bs_grep_finish finish = {.is_binary = run.has_nul, .binary_off = run.nul_off, .binary = binary};
	finish.searched_bytes = run.gone_bytes + (run.is_slice ? run.pos : run.base);
	if (run.is_slice && run.has_nul && run.nul_off < run.pos)
		finish.searched_bytes = run.nul_off;
	if (!sink->status)
		sink->methods->finish(sink, &finish);
}

/* ---- the matches of a line ---- */

void bs_grep_finder_init(struct bs_grep_finder *finder, struct bs_grep_sink *sink, const struct bs_grep_line *line)
{
	size_t end = line->text_bytes - line->end >= LOOK_AHEAD_BYTES ? line->end + LOOK_AHEAD_BYTES : line->text_bytes;
	size_t start = bs_grep_matcher_looks_back(sink->matcher) ? 0 : line->start;
	if (sink->by_line)
		end = bs_grep_trimmed_end(sink, line->text, line->start, line->end);
	*finder = (struct bs_grep_finder){.sink = sink,
	                                  .text = line->text + start,
	                                  .n_bytes = end - start,
	                                  .text_off = start,
	                                  .is_ascii = bs_grep_is_ascii(sink->scratch, line->text + start, end - start),
	                                  .limit = line->end - start,
	                                  .from = line->start - start,
	                                  .last_end = SIZE_MAX};
}

/* Inside a character: rg's matches go by bytes, and what matches nothing matches there too. */
static bool is_inside_character(const struct bs_grep_finder *finder)
{
	return finder->last_end == finder->from - 1 && finder->from < finder->n_bytes &&
	       (finder->text[finder->from] & 0xc0) == 0x80;
}

bool bs_grep_finder_next(struct bs_grep_finder *finder, struct bs_grep_span *at)
{
	struct bs_grep_sink *sink = finder->sink;
	bool is_bare = bs_grep_matcher_is_bare(sink->matcher), found = true;
	while (finder->from <= finder->n_bytes && !sink->status) {
		bool was_empty = finder->last_end != SIZE_MAX && finder->from > finder->last_end;
		if (was_empty && is_inside_character(finder)) {
			*at = (struct bs_grep_span){finder->from, finder->from};
			if (!is_bare) {
				finder->last_end = finder->from++;
				continue;
			}
		} else {
			sink->status = bs_grep_next_match(sink->scratch, finder->text, finder->from, finder->n_bytes,
			                                  finder->is_ascii, at, &found, sink->err);
		}
		if (sink->status || !found || at->start >= finder->limit)
			return false;
		bool is_empty = at->start == at->end;
		/* An empty match right behind another is none. */
		bool is_counted = !is_empty || at->end != finder->last_end;
		finder->from = at->end + is_empty;
		finder->last_end = at->end;
		if (is_counted)
			return true;
	}
	return false;
}

void bs_grep_find_all(struct bs_grep_sink *sink, const struct bs_grep_line *line, struct bs_buffer *matches)
{
	struct bs_grep_finder finder;
	struct bs_grep_span at;
	bs_buffer_clear(matches);
	bs_grep_finder_init(&finder, sink, line);
	while (bs_grep_finder_next(&finder, &at)) {
		size_t off = line->start - finder.text_off;
		at = (struct bs_grep_span){at.start - off, at.end - off};
		sink->status = bs_buffer_append(matches, &at, sizeof(at), sink->err);
	}
	struct bs_grep_span *spans = (struct bs_grep_span *)(void *)matches->data;
	size_t n = matches->used_bytes / sizeof(*spans);
	/* An empty match behind the last byte is none either. */
	if (n > 0 && spans[n - 1].start == spans[n - 1].end && spans[n - 1].start >= line->end - line->start)
		matches->used_bytes -= sizeof(*spans);
}
