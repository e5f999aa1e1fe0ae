/*
 * grep_standard.c: the printer of lines: path:line:column:text, in colour or not, -o, --vimgrep, -r, -M. See grep_printer.h.
 *
 * A line comes with its matches only where something depends on them (colour, columns, -o, --vimgrep, -r). With -U one
 * event may hold several lines; each is printed with its own prefix.
 */
#include "query/grep/grep_printer.h"

#include <stdio.h>
#include <string.h>

#include "core/base/icu.h"

/* The line in hand as it is to be printed: the text of the file, or what -r made of it. */
struct shown {
	const uint8_t *text;
	size_t n_bytes;
	const struct bs_grep_span *matches;
	size_t n_matches;
	size_t n_found; /* matches in the text of the file */
	bool is_context;
	uint64_t file_off;
	uint64_t number;
};

static const struct bs_grep_output *output_of(const struct bs_grep_printer *printer)
{
	return printer->sink.output;
}

static bool needs_matches(const struct bs_grep_output *output)
{
	return (output->use_color && *output->colors.match) || output->columns || output->replacement || output->per_match ||
	       output->only_matching;
}

/* ---- fields ---- */

static void put_number(struct bs_grep_printer *printer, const char *color, uint64_t number, const char *separator)
{
	char digits[24];
	size_t n;
	const char *first = bs_grep_digits(number, digits, &n);
	bs_grep_put_colored(printer, color, first, n);
	bs_grep_put_text(&printer->sink, separator);
}

/* column 0: none. */
static void put_fields(struct bs_grep_printer *printer, const struct shown *shown, uint64_t file_off, uint64_t number,
                       uint64_t column)
{
	const struct bs_grep_output *output = output_of(printer);
	const char *separator = shown->is_context ? output->context_separator : output->match_separator;
	if (printer->sink.path && !output->heading) {
		bs_grep_put_path(printer);
		if (output->nul_after_path)
			bs_grep_put(&printer->sink, "", 1);
		else
			bs_grep_put_text(&printer->sink, separator);
	}
	if (number)
		put_number(printer, output->colors.line, number, separator);
	if (column && output->columns)
		put_number(printer, output->colors.column, column, separator);
	if (output->byte_offsets)
		put_number(printer, output->colors.column, file_off, separator);
}

/* Before the first line of a file. What stands between files is put where they are put together. */
static void put_heading(struct bs_grep_printer *printer)
{
	bool is_first = !printer->has_lines;
	printer->has_lines = true;
	if (!output_of(printer)->heading || !printer->sink.path || !is_first)
		return;
	bs_grep_put_path(printer);
	if (output_of(printer)->nul_after_path)
		bs_grep_put(&printer->sink, "", 1);
	else
		bs_grep_put_line_end(printer);
}

/* ---- text ---- */

static bool is_too_long(const struct bs_grep_printer *printer, size_t n_bytes)
{
	uint64_t most = output_of(printer)->max_columns;
	return most > 0 && n_bytes > most;
}

static size_t trimmed_start(const struct bs_grep_printer *printer, const uint8_t *text, size_t start, size_t end)
{
	const struct bs_grep_output *output = output_of(printer);
	if (!output->trim)
		return start;
	while (start < end && text[start] && strchr(" \t\n\v\f\r", text[start]) && text[start] != output->line_end &&
	       !(output->crlf && text[start] == '\r'))
		start++;
	return start;
}

static void color_on(struct bs_grep_printer *printer)
{
	if (!printer->in_color)
		bs_grep_put_text(&printer->sink, output_of(printer)->colors.match);
	printer->in_color = true;
}

static void color_off(struct bs_grep_printer *printer)
{
	if (printer->in_color)
		bs_grep_put_text(&printer->sink, "\033[0m");
	printer->in_color = false;
}

static bool colors_matches(const struct bs_grep_printer *printer)
{
	return output_of(printer)->use_color && *output_of(printer)->colors.match;
}

/* text[line) with its matches in colour; *index is that of the first that may lie in it. No line end. */
static void put_matches(struct bs_grep_printer *printer, const uint8_t *text, struct bs_grep_span line,
                        const struct bs_grep_span *matches, size_t n_matches, size_t *index)
{
	bool has_color = colors_matches(printer);
	size_t end = bs_grep_trimmed_end(&printer->sink, text, line.start, line.end);
	size_t at = trimmed_start(printer, text, line.start, end);
	while (at < end) {
		while (*index < n_matches && matches[*index].end <= at)
			++*index;
		bool is_in = *index < n_matches && matches[*index].start <= at;
		size_t upto = *index == n_matches ? end : is_in ? matches[*index].end : matches[*index].start;
		if (upto > end)
			upto = end;
		if (has_color && is_in)
			color_on(printer);
		else
			color_off(printer);
		bs_grep_put(&printer->sink, text + at, upto - at);
		at = upto;
	}
	color_off(printer);
	/* As it is remembered between the lines of one event: the last match stays in hand. */
	if (n_matches > 0 && *index == n_matches)
		*index = n_matches - 1;
}

/* Where the n-th character of the text, as a reader counts them, ends. */
static size_t characters_end(struct bs_grep_sink *sink, const uint8_t *text, size_t n_bytes, uint64_t n)
{
	if (!sink->status)
		sink->status = bs_icu_load(sink->err);
	if (sink->status)
		return 0;
	UErrorCode status = U_ZERO_ERROR;
	UText *wrapped = bs_icu.utext_openUTF8(NULL, (const char *)text, (int64_t)n_bytes, &status);
	UBreakIterator *characters = bs_icu.ubrk_open(UBRK_CHARACTER, "", NULL, 0, &status);
	int32_t end = 0;
	bs_icu.ubrk_setUText(characters, wrapped, &status);
	for (uint64_t i = 0; i < n && U_SUCCESS(status); i++) {
		int32_t next = bs_icu.ubrk_next(characters);
		if (next == UBRK_DONE)
			break;
		end = next;
	}
	bs_icu.ubrk_close(characters);
	bs_icu.utext_close(wrapped);
	return U_SUCCESS(status) ? (size_t)end : 0;
}

static void put_preview(struct bs_grep_printer *printer, const uint8_t *text, struct bs_grep_span line,
                        const struct bs_grep_span *matches, size_t n_matches, size_t *index)
{
	struct bs_grep_span head = line;
	char note[64];
	size_t n_left = 0;
	head.end = line.start + characters_end(&printer->sink, text + line.start, line.end - line.start, output_of(printer)->max_columns);
	put_matches(printer, text, head, matches, n_matches, index);
	for (size_t i = 0; i < n_matches; i++)
		n_left += matches[i].start >= head.end && matches[i].start < line.end;
	if (n_matches == 0)
		snprintf(note, sizeof(note), " [... omitted end of long line]");
	else
		snprintf(note, sizeof(note), " [... %zu more %s]", n_left, n_left == 1 ? "match" : "matches");
	bs_grep_put_text(&printer->sink, note);
}

static void put_too_long(struct bs_grep_printer *printer, const struct shown *shown, const uint8_t *text,
                         struct bs_grep_span line, const struct bs_grep_span *matches, size_t n_matches, size_t *index)
{
	const struct bs_grep_output *output = output_of(printer);
	char note[64];
	if (output->max_columns_preview) {
		put_preview(printer, text, line, matches, n_matches, index);
	} else if (shown->n_found == 0 || output->only_matching) {
		bs_grep_put_text(&printer->sink,
		                 shown->is_context ? "[Omitted long context line]" : "[Omitted long matching line]");
	} else {
		snprintf(note, sizeof(note), "[Omitted long line with %zu matches]", shown->n_found);
		bs_grep_put_text(&printer->sink, note);
	}
	bs_grep_put_line_end(printer);
}

/* A line as it is. */
static void put_plain(struct bs_grep_printer *printer, const struct shown *shown, const uint8_t *text, size_t n_bytes)
{
	size_t start = trimmed_start(printer, text, 0, n_bytes), index = 0;
	/* What is trimmed counts. */
	if (is_too_long(printer, n_bytes)) {
		struct bs_grep_span whole = {0, n_bytes};
		put_too_long(printer, shown, text, whole, shown->matches, shown->n_matches, &index);
		return;
	}
	n_bytes -= start;
	text += start;
	bs_grep_put(&printer->sink, text, n_bytes);
	if (n_bytes == 0 || text[n_bytes - 1] != output_of(printer)->line_end)
		bs_grep_put_line_end(printer);
}

static void put_line(struct bs_grep_printer *printer, const struct shown *shown, const uint8_t *text, size_t n_bytes,
                     const struct bs_grep_span *matches, size_t n_matches)
{
	struct bs_grep_span whole = {0, n_bytes};
	size_t index = 0;
	if (!colors_matches(printer)) {
		put_plain(printer, shown, text, n_bytes);
	} else if (is_too_long(printer, n_bytes)) {
		put_too_long(printer, shown, text, whole, matches, n_matches, &index);
	} else {
		put_matches(printer, text, whole, matches, n_matches, &index);
		bs_grep_put_line_end(printer);
	}
}

/* ---- one line ---- */

static void show_line(struct bs_grep_printer *printer, const struct shown *shown)
{
	const struct bs_grep_output *output = output_of(printer);
	bool is_each = output->only_matching || output->per_match;
	if (shown->n_matches == 0) {
		put_fields(printer, shown, shown->file_off, shown->number, 0);
		put_plain(printer, shown, shown->text, shown->n_bytes);
		return;
	}
	for (size_t i = 0; i < (is_each ? shown->n_matches : 1); i++) {
		struct bs_grep_span match = shown->matches[i], own = {0, match.end - match.start};
		put_fields(printer, shown, shown->file_off + (is_each ? match.start : 0), shown->number, match.start + 1);
		if (output->only_matching)
			put_line(printer, shown, shown->text + match.start, own.end, &own, 1);
		else if (output->per_match)
			put_line(printer, shown, shown->text, shown->n_bytes, &match, 1);
		else
			put_line(printer, shown, shown->text, shown->n_bytes, shown->matches, shown->n_matches);
	}
}

/* ---- several lines ---- */

static struct bs_grep_span line_from(const struct bs_grep_printer *printer, const struct shown *shown, size_t from)
{
	return (struct bs_grep_span){
		from, bs_grep_line_end(shown->text, from, shown->n_bytes, output_of(printer)->line_end)};
}

/* -o: of each match the part in each line. */
static void show_parts(struct bs_grep_printer *printer, const struct shown *shown)
{
	size_t index = 0;
	uint64_t n_before = 0;
	struct bs_grep_span line = {0};
	for (size_t from = 0; from < shown->n_bytes; from = line.end, n_before++) {
		line = line_from(printer, shown, from);
		size_t end = bs_grep_trimmed_end(&printer->sink, shown->text, line.start, line.end);
		size_t at = trimmed_start(printer, shown->text, line.start, end);
		while (at < end) {
			struct bs_grep_span match = shown->matches[index];
			if (match.end <= at) {
				if (++index < shown->n_matches)
					continue;
				index--;
				break;
			}
			if (at < match.start) {
				at = match.start < end ? match.start : end;
				continue;
			}
			size_t upto = match.end < end ? match.end : end;
			put_fields(printer, shown, shown->file_off + match.start, shown->number ? shown->number + n_before : 0,
			           match.start + 1);
			struct bs_grep_span rest = {upto, end};
			if (is_too_long(printer, upto - at)) {
				put_too_long(printer, shown, shown->text, rest, shown->matches, shown->n_matches, &index);
			} else {
				bs_grep_put_colored(printer, output_of(printer)->colors.match, shown->text + at, upto - at);
				bs_grep_put_line_end(printer);
			}
			at = upto;
		}
	}
}

/* --vimgrep: the first line of each match. */
static void show_each(struct bs_grep_printer *printer, const struct shown *shown)
{
	for (size_t i = 0; i < shown->n_matches; i++) {
		struct bs_grep_span match = shown->matches[i], line = {0};
		uint64_t n_before = 0;
		size_t index = 0;
		for (size_t from = 0; from < shown->n_bytes; from = line.end, n_before++) {
			line = line_from(printer, shown, from);
			if (line.start >= match.end)
				break;
			if (line.end <= match.start)
				continue;
			put_fields(printer, shown, shown->file_off + line.start, shown->number ? shown->number + n_before : 0,
			           match.start - line.start + 1);
			if (is_too_long(printer, line.end - line.start)) {
				put_too_long(printer, shown, shown->text, line, &match, 1, &index);
			} else {
				put_matches(printer, shown->text, line, &match, 1, &index);
				bs_grep_put_line_end(printer);
			}
			break;
		}
	}
}

static void show_lines(struct bs_grep_printer *printer, const struct shown *shown)
{
	const struct bs_grep_output *output = output_of(printer);
	struct bs_grep_span line = {0};
	size_t index = 0;
	uint64_t n_before = 0;
	if (shown->n_matches > 0 && output->only_matching) {
		show_parts(printer, shown);
		return;
	}
	if (shown->n_matches > 0 && output->per_match) {
		show_each(printer, shown);
		return;
	}
	for (size_t from = 0; from < shown->n_bytes; from = line.end, n_before++) {
		line = line_from(printer, shown, from);
		put_fields(printer, shown, shown->file_off + line.start, shown->number ? shown->number + n_before : 0,
		           shown->n_matches > 0 ? shown->matches[0].start + 1 : 0);
		if (shown->n_matches == 0) {
			put_plain(printer, shown, shown->text + line.start, line.end - line.start);
		} else if (is_too_long(printer, line.end - line.start)) {
			put_too_long(printer, shown, shown->text, line, shown->matches, shown->n_matches, &index);
		} else {
			put_matches(printer, shown->text, line, shown->matches, shown->n_matches, &index);
			bs_grep_put_line_end(printer);
		}
	}
}

/* ---- replacing ---- */

/* -r: the line with its matches replaced. With -U what a match may look at behind the lines comes along, as in ripgrep 13. */
static void replace(struct bs_grep_printer *printer, const struct bs_grep_line *line)
{
	struct bs_grep_sink *sink = &printer->sink;
	struct bs_grep_finder finder;
	struct bs_grep_span at;
	bs_grep_finder_init(&finder, sink, line);
	finder.limit = SIZE_MAX;
	size_t copied = finder.from;
	bs_buffer_clear(&printer->replaced);
	bs_buffer_clear(&printer->replacements);
	while (bs_grep_finder_next(&finder, &at)) {
		struct bs_grep_span written;
		if (at.start > copied)
			sink->status = bs_buffer_append(&printer->replaced, finder.text + copied, at.start - copied, sink->err);
		written.start = printer->replaced.used_bytes;
		if (!sink->status)
			sink->status = bs_grep_expand(sink->scratch, finder.text, sink->output->replacement,
			                              sink->output->replacement_bytes, &printer->replaced, sink->err);
		written.end = printer->replaced.used_bytes;
		copied = at.end;
		if (!sink->status)
			sink->status = bs_buffer_append(&printer->replacements, &written, sizeof(written), sink->err);
	}
	if (!sink->status && finder.n_bytes > copied)
		sink->status = bs_buffer_append(&printer->replaced, finder.text + copied, finder.n_bytes - copied, sink->err);
}

/* ---- events ---- */

static bool begin(struct bs_grep_sink *sink)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	printer->n_matched = 0;
	printer->after_left = 0;
	printer->has_nul = false;
	printer->has_lines = false;
	return sink->output->max_count > 0;
}

static void show(struct bs_grep_printer *printer, enum bs_grep_line_kind kind, const struct bs_grep_line *line)
{
	struct bs_grep_span *matches = (struct bs_grep_span *)(void *)printer->matches.data;
	struct shown shown = {.text = line->text + line->start,
	                      .n_bytes = line->end - line->start,
	                      .matches = matches,
	                      .n_matches = printer->matches.used_bytes / sizeof(*matches),
	                      .is_context = kind != BS_GREP_LINE_MATCH,
	                      .file_off = line->file_off,
	                      .number = line->number};
	shown.n_found = shown.n_matches;
	if (printer->replacements.used_bytes > 0) {
		shown.text = printer->replaced.data;
		shown.n_bytes = printer->replaced.used_bytes;
		shown.matches = (struct bs_grep_span *)(void *)printer->replacements.data;
		shown.n_matches = printer->replacements.used_bytes / sizeof(*shown.matches);
	}
	put_heading(printer);
	if (!printer->sink.by_line && !shown.is_context)
		show_lines(printer, &shown);
	else
		show_line(printer, &shown);
}

static bool take_line(struct bs_grep_sink *sink, enum bs_grep_line_kind kind, const struct bs_grep_line *line)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	bool is_match = kind == BS_GREP_LINE_MATCH;
	bs_buffer_clear(&printer->matches);
	bs_buffer_clear(&printer->replacements);
	if (is_match)
		bs_grep_count_match(printer);
	else if (kind == BS_GREP_LINE_AFTER)
		printer->after_left -= printer->after_left > 0;
	/* With -v it is the context that holds matches. */
	if ((is_match || sink->search->invert) && needs_matches(sink->output)) {
		bs_grep_find_all(sink, line, &printer->matches);
		if (sink->output->replacement && !sink->status)
			replace(printer, line);
	}
	if (sink->status || printer->has_nul)
		return false;
	show(printer, kind, line);
	return bs_grep_wants_more(printer);
}

static void gap(struct bs_grep_sink *sink)
{
	if (!sink->output->group_separator)
		return;
	bs_grep_put_text(sink, sink->output->group_separator);
	bs_grep_put_line_end(bs_grep_printer_of(sink));
}

static void see_nul(struct bs_grep_sink *sink, uint64_t file_off, enum bs_grep_binary binary)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	/* Where it ends the search, lines that were found before it are still shown. */
	printer->has_nul = binary == BS_GREP_BINARY_CONVERT;
	(void)file_off;
}

static void finish(struct bs_grep_sink *sink, const struct bs_grep_finish *finish)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	char note[128];
	if (!finish->is_binary || printer->n_matched == 0)
		return;
	bool is_quit = finish->binary == BS_GREP_BINARY_QUIT;
	if (sink->path) {
		bs_grep_put_path(printer);
		bs_grep_put_text(sink, ": ");
	}
	snprintf(note, sizeof(note), "%s (found \"\\0\" byte around offset %llu)\n",
	         is_quit ? "WARNING: stopped searching binary file after match" : "binary file matches",
	         (unsigned long long)finish->binary_off);
	bs_grep_put_text(sink, note);
}

const struct bs_grep_sink_methods bs_grep_standard_methods = {begin, take_line, gap, see_nul, finish};
