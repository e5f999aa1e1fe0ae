/* grep_search.c: see grep_search.h. */
#include "query/grep/grep_search.h"

#include <string.h>

/* What a match may look at behind the lines it touches, with -U. */
#define LOOK_AHEAD_BYTES 128

struct search_state {
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

static bool quits(const struct search_state *search_state)
{
	return search_state->binary == BS_GREP_BINARY_QUIT;
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

static void count_to(struct search_state *search_state, size_t upto)
{
	if (!search_state->options->line_numbers || upto <= search_state->counted)
		return;
	search_state->line_number += count_lines(search_state->text + search_state->counted, upto - search_state->counted, search_state->options->line_end);
	search_state->counted = upto;
}

static void see_nul(struct search_state *search_state, size_t off)
{
	search_state->has_nul = true;
	search_state->nul_off = search_state->gone_bytes + off;
	search_state->sink->methods->nul(search_state->sink, search_state->nul_off, search_state->binary);
}

/* Looks for a NUL byte in text[from..end), if that is still of interest; true: the search is over. */
static bool detect_nul(struct search_state *search_state, size_t from, size_t end)
{
	if (!search_state->has_nul && search_state->binary != BS_GREP_BINARY_TEXT) {
		const uint8_t *found = from < end ? memchr(search_state->text + from, 0, end - from) : NULL;
		if (found)
			see_nul(search_state, (size_t)(found - search_state->text));
	}
	return search_state->has_nul && quits(search_state);
}

/* False: enough. */
static bool tell(struct search_state *search_state, enum bs_grep_line_kind kind, struct bs_grep_span line)
{
	if (search_state->is_slice && detect_nul(search_state, line.start, line.end))
		return false;
	bool has_context = search_state->options->before > 0 || search_state->options->after > 0;
	bool may_have_gap = kind == BS_GREP_LINE_MATCH || kind == BS_GREP_LINE_BEFORE;
	if (may_have_gap && has_context && search_state->has_told && search_state->visited < line.start)
		search_state->sink->methods->gap(search_state->sink);
	count_to(search_state, line.start);
	struct bs_grep_line told = {.text = search_state->text + search_state->base,
	                            .text_bytes = search_state->window - search_state->base,
	                            .start = line.start - search_state->base,
	                            .end = line.end - search_state->base,
	                            .file_off = search_state->gone_bytes + line.start,
	                            .number = search_state->options->line_numbers ? search_state->line_number : 0};
	bool is_wanted = search_state->sink->methods->line(search_state->sink, kind, &told) && !search_state->sink->status;
	if (kind == BS_GREP_LINE_AFTER)
		search_state->after_left--;
	if (!is_wanted)
		return false;
	search_state->visited = line.end;
	search_state->has_told = true;
	if (kind == BS_GREP_LINE_MATCH)
		search_state->after_left = search_state->options->after;
	return true;
}

static bool tell_lines(struct search_state *search_state, enum bs_grep_line_kind kind, size_t from, size_t upto)
{
	while (from < upto) {
		struct bs_grep_span line = {from, bs_grep_line_end(search_state->text, from, upto, search_state->options->line_end)};
		if (!tell(search_state, kind, line))
			return false;
		from = line.end;
	}
	return true;
}

/* Lines after the last match, as many as are still wanted, before upto. */
static bool tell_after(struct search_state *search_state, size_t upto)
{
	size_t from = search_state->visited;
	while (search_state->after_left > 0 && from < upto) {
		struct bs_grep_span line = {from, bs_grep_line_end(search_state->text, from, upto, search_state->options->line_end)};
		if (!tell(search_state, BS_GREP_LINE_AFTER, line))
			return false;
		from = line.end;
	}
	return true;
}

/* Where the n_lines lines before the last line of text[from..upto) start. */
static size_t lines_before(const struct search_state *search_state, size_t from, size_t upto, uint64_t n_lines)
{
	size_t at = upto;
	if (at > from && search_state->text[at - 1] == search_state->options->line_end)
		at--;
	for (;; n_lines--) {
		size_t start = bs_grep_line_start(search_state->text, from, at, search_state->options->line_end);
		if (start == from || n_lines == 0)
			return start;
		at = start - 1;
	}
}

static bool tell_before(struct search_state *search_state, size_t upto)
{
	if (search_state->options->before == 0 || search_state->visited >= upto)
		return true;
	return tell_lines(search_state, BS_GREP_LINE_BEFORE, lines_before(search_state, search_state->visited, upto, search_state->options->before - 1), upto);
}

/* What stands before a line that matches. */
static bool tell_context(struct search_state *search_state, size_t upto)
{
	if (search_state->options->passthru)
		return tell_lines(search_state, BS_GREP_LINE_OTHER, search_state->visited, upto);
	return tell_after(search_state, upto) && tell_before(search_state, upto);
}

/* ---- line by line ---- */

static bool next_line(struct search_state *search_state, struct bs_grep_span *line, bool *found)
{
	struct bs_grep_sink *sink = search_state->sink;
	sink->status = bs_grep_next_line(sink->scratch, search_state->text, search_state->pos, search_state->window, line, found, sink->err);
	return !sink->status;
}

/* The lines that do not match, up to the next one that does. */
static bool search_inverted(struct search_state *search_state)
{
	struct bs_grep_span line;
	bool found;
	if (!next_line(search_state, &line, &found))
		return false;
	size_t from = search_state->pos, upto = found ? line.start : search_state->window;
	if (from < upto && !tell_context(search_state, from))
		return false;
	while (from < upto) {
		struct bs_grep_span other = {from, bs_grep_line_end(search_state->text, from, upto, search_state->options->line_end)};
		search_state->pos = other.end;
		if (!tell(search_state, BS_GREP_LINE_MATCH, other))
			return false;
		from = other.end;
	}
	search_state->pos = found ? line.end : search_state->window;
	return true;
}

/* The lines of the window; false: enough. */
static bool search_window(struct search_state *search_state)
{
	while (search_state->pos < search_state->window) {
		struct bs_grep_span line;
		bool found;
		if (search_state->options->invert) {
			if (!search_inverted(search_state))
				return false;
			continue;
		}
		if (!next_line(search_state, &line, &found))
			return false;
		if (!found)
			break;
		if (!tell_context(search_state, line.start))
			return false;
		search_state->pos = line.end;
		if (!tell(search_state, BS_GREP_LINE_MATCH, line))
			return false;
	}
	search_state->pos = search_state->window;
	if (search_state->options->passthru)
		return tell_lines(search_state, BS_GREP_LINE_OTHER, search_state->visited, search_state->window);
	return tell_after(search_state, search_state->window);
}

/* ---- pieces ---- */

/* Less is in hand than a piece takes: lets go of what is before it, and reads on. */
static bool read_more(struct search_state *search_state)
{
	size_t gone = search_state->base;
	struct bs_grep_sink *sink = search_state->sink;
	sink->status = bs_grep_text_more(search_state->source, gone, search_state->capacity, sink->err);
	search_state->text = search_state->source->bytes.data;
	search_state->n_bytes = search_state->source->bytes.used_bytes;
	search_state->gone_bytes += gone;
	search_state->base = 0;
	search_state->window -= gone;
	search_state->end -= gone;
	search_state->pos -= gone;
	search_state->visited -= gone;
	search_state->counted -= search_state->counted < gone ? search_state->counted : gone;
	return !sink->status;
}

/* Where the first reads end: at the three bytes in which a mark is looked for, and at a buffer of standard input. */
static size_t first_end(const struct search_state *search_state)
{
	uint64_t read_bytes = search_state->gone_bytes + search_state->end;
	if (read_bytes == 0 && !search_state->source->had_mark && search_state->n_bytes > 3)
		return 3;
	if (search_state->source->is_stdin && read_bytes < BS_GREP_STDIN_BYTES && search_state->n_bytes > BS_GREP_STDIN_BYTES)
		return BS_GREP_STDIN_BYTES - (size_t)search_state->gone_bytes;
	return search_state->n_bytes;
}

/* How far the next read gets, from run->end on. */
static size_t read_end(const struct search_state *search_state)
{
	const size_t *ends = (const size_t *)(const void *)search_state->source->pieces.data;
	size_t n_ends = search_state->source->pieces.used_bytes / sizeof(*ends);
	size_t most = search_state->base + search_state->capacity;
	if (most > search_state->n_bytes)
		most = search_state->n_bytes;
	if (n_ends == 0) {
		size_t first = first_end(search_state);
		return first < most ? first : most;
	}
	for (size_t i = 0; i < n_ends; i++)
		if (ends[i] > search_state->end)
			return ends[i] < most ? ends[i] : most;
	return most;
}

/* A piece was read up to end: NUL bytes. True: the window ends here. */
static bool meet_nul(struct search_state *search_state, size_t from, size_t end)
{
	if (search_state->binary == BS_GREP_BINARY_TEXT || from == end)
		return false;
	const uint8_t *found = memchr(search_state->text + from, 0, end - from);
	if (!found)
		return false;
	if (!search_state->has_nul)
		see_nul(search_state, (size_t)(found - search_state->text));
	if (quits(search_state))
		return true;
	for (size_t i = (size_t)(found - search_state->text); i < end; i++)
		if (search_state->text[i] == 0)
			search_state->text[i] = search_state->options->line_end;
	return false;
}

/* Lets go of what was searched, but for the lines that the next match may want before it. */
static void roll(struct search_state *search_state)
{
	/* As rg: also for context behind a match, and so the next piece ends sooner. */
	uint64_t context = search_state->options->before > search_state->options->after ? search_state->options->before : search_state->options->after;
	size_t kept = search_state->window;
	if (context > 0 && search_state->window > search_state->base) {
		kept = lines_before(search_state, search_state->base, search_state->window, context);
		kept = kept > search_state->visited ? kept : search_state->visited;
	}
	count_to(search_state, kept);
	search_state->base = kept;
	search_state->visited = search_state->visited > kept ? search_state->visited : kept;
}

/* The next window; false: the text is over. */
static bool fill(struct search_state *search_state)
{
	size_t had_bytes = search_state->window - search_state->base;
	uint64_t old_base = search_state->gone_bytes + search_state->base;
	roll(search_state);
	for (;;) {
		if (search_state->end - search_state->base == search_state->capacity)
			search_state->capacity *= 3;
		if (search_state->source->has_more && search_state->n_bytes - search_state->base < search_state->capacity && !read_more(search_state))
			return false;
		size_t from = search_state->end;
		size_t to = read_end(search_state);
		if (to == from) {
			search_state->window = search_state->end;
			break;
		}
		if (meet_nul(search_state, from, to))
			return false;
		search_state->end = to;
		const uint8_t *last = memrchr(search_state->text + from, search_state->options->line_end, to - from);
		if (last) {
			search_state->window = (size_t)(last - search_state->text) + 1;
			break;
		}
	}
	if (search_state->window == search_state->base)
		return false;
	/* Only context is left, and nobody will want it. */
	if (search_state->gone_bytes + search_state->base == old_base && search_state->window - search_state->base == had_bytes) {
		search_state->base = search_state->window;
		return false;
	}
	return true;
}

/* Whether it can be told apart in what pieces the text was read. */
static bool pieces_matter(const struct search_state *search_state)
{
	return search_state->binary != BS_GREP_BINARY_TEXT && search_state->n_bytes && memchr(search_state->text, 0, search_state->n_bytes);
}

static void search_pieces(struct search_state *search_state)
{
	if (!search_state->source->has_more && !pieces_matter(search_state))
		search_state->capacity = search_state->n_bytes + 1;
	while (fill(search_state) && search_window(search_state))
		continue;
}

/* ---- across lines ---- */

struct multi {
	struct search_state *search_state;
	struct bs_grep_span last; /* lines of the matches not told yet */
	bool has_last;
};

static bool multi_find(struct search_state *search_state, struct bs_grep_span *found_at, bool *found)
{
	struct bs_grep_sink *sink = search_state->sink;
	sink->status = bs_grep_next_match(sink->scratch, search_state->text + search_state->pos, 0, search_state->n_bytes - search_state->pos, false, found_at,
	                                  found, sink->err);
	found_at->start += search_state->pos;
	found_at->end += search_state->pos;
	return !sink->status;
}

static void multi_advance(struct search_state *search_state, struct bs_grep_span at)
{
	search_state->pos = at.end;
	if (at.start == at.end && search_state->pos < search_state->n_bytes)
		for (search_state->pos++; search_state->pos < search_state->n_bytes && (search_state->text[search_state->pos] & 0xc0) == 0x80;)
			search_state->pos++;
}

static struct bs_grep_span lines_of(const struct search_state *search_state, struct bs_grep_span at)
{
	uint8_t line_end = search_state->options->line_end;
	struct bs_grep_span lines = {bs_grep_line_start(search_state->text, 0, at.start, line_end), at.end};
	if (at.end <= lines.start || search_state->text[at.end - 1] != line_end)
		lines.end = bs_grep_line_end(search_state->text, at.end, search_state->n_bytes, line_end);
	return lines;
}

static bool multi_tell(struct search_state *search_state, struct bs_grep_span lines)
{
	/* A match behind the last line feed is in no line. */
	return lines.start < lines.end && tell(search_state, BS_GREP_LINE_MATCH, lines);
}

static bool multi_inverted(struct search_state *search_state)
{
	struct bs_grep_span at;
	bool found;
	if (!multi_find(search_state, &at, &found))
		return false;
	struct bs_grep_span lines = found ? lines_of(search_state, at) : (struct bs_grep_span){search_state->n_bytes, search_state->n_bytes};
	struct bs_grep_span other = {search_state->pos, lines.start};
	if (found)
		multi_advance(search_state, lines);
	else
		search_state->pos = search_state->n_bytes;
	if (other.start >= other.end)
		return true;
	return tell_context(search_state, other.start) && tell_lines(search_state, BS_GREP_LINE_MATCH, other.start, other.end);
}

static bool multi_step(struct multi *multi)
{
	struct search_state *search_state = multi->search_state;
	struct bs_grep_span at;
	bool found;
	if (search_state->options->invert)
		return multi_inverted(search_state);
	if (!multi_find(search_state, &at, &found))
		return false;
	if (!found) {
		search_state->pos = search_state->n_bytes;
		return true;
	}
	multi_advance(search_state, at);
	struct bs_grep_span lines = lines_of(search_state, at), last = multi->last;
	bool had_last = multi->has_last;
	multi->has_last = true;
	if (had_last && last.end >= lines.start) {
		multi->last.end = lines.end;
		return true;
	}
	multi->last = lines;
	return !had_last || (tell_context(search_state, last.start) && multi_tell(search_state, last));
}

static void search_across(struct search_state *search_state)
{
	struct multi multi = {.search_state = search_state};
	search_state->window = search_state->n_bytes;
	bool is_on = true;
	while (search_state->pos < search_state->n_bytes && is_on)
		is_on = multi_step(&multi);
	if (is_on && multi.has_last && tell_context(search_state, multi.last.start))
		(void)multi_tell(search_state, multi.last);
	if (!is_on || search_state->sink->status)
		return;
	if (search_state->options->passthru)
		tell_lines(search_state, BS_GREP_LINE_OTHER, search_state->visited, search_state->n_bytes);
	else
		tell_after(search_state, search_state->n_bytes);
}

/* ---- a text ---- */

static bool begins_binary(struct search_state *search_state)
{
	return detect_nul(search_state, 0, search_state->n_bytes < BS_GREP_PIECE_BYTES ? search_state->n_bytes : BS_GREP_PIECE_BYTES);
}

static void search(struct search_state *search_state)
{
	if (!search_state->is_slice) {
		search_pieces(search_state);
		return;
	}
	if (begins_binary(search_state))
		return;
	if (bs_grep_matcher_by_line(search_state->matcher)) {
		search_state->window = search_state->n_bytes;
		search_window(search_state);
	} else {
		search_across(search_state);
	}
}

void bs_grep_search_text(const struct bs_grep_matcher *matcher, struct bs_grep_text *text, enum bs_grep_binary binary,
                         bool is_slice, struct bs_grep_sink *sink)
{
	struct search_state search_state = {.matcher = matcher,
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
	if (sink->methods->begin(sink) && search_state.n_bytes > 0)
		search(&search_state);
	struct bs_grep_finish finish = {.is_binary = search_state.has_nul, .binary_off = search_state.nul_off, .binary = binary};
	finish.searched_bytes = search_state.gone_bytes + (search_state.is_slice ? search_state.pos : search_state.base);
	if (search_state.is_slice && search_state.has_nul && search_state.nul_off < search_state.pos)
		finish.searched_bytes = search_state.nul_off;
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
