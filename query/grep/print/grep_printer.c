/*
 * grep_printer.c: see grep_printer.h.
 *
 * Parts of this file, in order: writing bytes; the matches of a line; the four ways of output
 * (lines, lines stored for a callback, JSON, about a whole file); last the functions of
 * grep_printer.h that choose one of them.
 */
#include "query/grep/print/grep_printer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/utf8.h"
#include "core/bitsift/grep_request.h"
#include "core/bitsift/terminal.h"
#include "core/system/deadline.h"
#include "core/text/printable.h"
#include "query/grep/print/grep_path.h"
#include "query/grep/print/json_text.h"
#include "query/regex/text.h"

#define NS 1000000000 /* per second */
/* With -U, a match may look this many bytes beyond its lines. */
#define LOOK_AHEAD_BYTES 128

#define PIECE_NS   50u /* estimated time per piece of output, without its bytes */
#define BYTES_A_NS 4u  /* estimated number of bytes that are put per nanosecond */

static void spend(struct bs_grep_printer *printer, size_t n_bytes)
{
	if (!printer->to.status)
		printer->to.status =
			bs_deadline_check_after(PIECE_NS + n_bytes / BYTES_A_NS, printer->to.err);
}

/* Appends the bytes, unless something has failed before. */
static void append(struct bs_grep_printer *printer, struct bs_buffer *to, const void *bytes,
                   size_t n_bytes)
{
	if (!printer->to.status)
		printer->to.status = bs_buffer_append(to, bytes, n_bytes, printer->to.err);
}

static void put(struct bs_grep_printer *printer, const void *bytes, size_t n_bytes)
{
	bs_text_put(&printer->to, bytes, n_bytes);
}

static void put_text(struct bs_grep_printer *printer, const char *text)
{
	bs_text_put_string(&printer->to, text);
}

/* Formats like printf. The output must be shorter than 640 bytes. */
__attribute__((format(printf, 2, 3))) static void put_format(struct bs_grep_printer *printer,
                                                             const char *format, ...)
{
	char text[640];
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put(printer, text, (size_t)n);
}

static void put_line_end(struct bs_grep_printer *printer)
{
	if (printer->crlf)
		put_text(printer, "\r");
	put(printer, &printer->line_end, 1);
}

static void put_escape(struct bs_grep_printer *printer, const char *sequence)
{
	size_t n_bytes = strlen(sequence);
	put(printer, sequence, n_bytes);
	printer->escape_bytes += n_bytes;
}

static const char reset[] = "\033[0m";

/* Puts text in a colour. color: the escape sequence that switches it on, or "". */
static void put_colored(struct bs_grep_printer *printer, const char *color, const void *text,
                        size_t n_bytes)
{
	bool is_colored = *color != '\0';
	if (is_colored)
		put_escape(printer, color);
	put(printer, text, n_bytes);
	if (is_colored)
		put_escape(printer, reset);
}

static void put_number(struct bs_grep_printer *printer, const char *color, uint64_t number)
{
	char digits[24], *end = digits + sizeof(digits), *start = bs_write_digits(end, number);
	put_colored(printer, color, start, (size_t)(end - start));
}

/* Begins a link to the line, or to the file for line 0, if there are links. */
static void begin_link(struct bs_grep_printer *printer, uint64_t line, uint64_t column)
{
	if (!printer->has_place && !printer->to.status)
		printer->to.status = bs_grep_link_place(printer->program, printer->path,
		                                        &printer->place, printer->to.err);
	printer->has_place = true;
	size_t n_bytes = printer->to.out->used_bytes;
	bs_grep_link_begin(printer->program, &printer->place, line, column, &printer->to);
	printer->escape_bytes += printer->to.out->used_bytes - n_bytes;
}

static void end_link(struct bs_grep_printer *printer)
{
	size_t n_bytes = printer->to.out->used_bytes;
	bs_grep_link_end(&printer->place, &printer->to);
	printer->escape_bytes += printer->to.out->used_bytes - n_bytes;
}

static void put_path_text(struct bs_grep_printer *printer)
{
	const char *color = printer->program->colors.path;
	bs_grep_path_append(printer->program, printer->path, &printer->to);
	printer->escape_bytes += *color ? strlen(color) + strlen(reset) : 0;
}

/* Puts the file's path, as a link to the file if links are wanted. */
static void put_path(struct bs_grep_printer *printer)
{
	if (printer->program->hyperlink)
		begin_link(printer, 0, 0);
	put_path_text(printer);
	if (printer->program->hyperlink)
		end_link(printer);
}

/* Puts the path and, after it, a NUL byte with -0, otherwise the separator, or a line end if
 * separator is NULL. */
static void put_path_and(struct bs_grep_printer *printer, const struct bs_grep_separator *separator)
{
	put_path(printer);
	if (printer->output->nul_after_path)
		put(printer, "", 1);
	else if (separator)
		put(printer, separator->bytes, separator->n_bytes);
	else
		put_line_end(printer);
}

/* The end of a line without its line end. */
static size_t trimmed_end(const struct bs_grep_printer *printer, const uint8_t *text, size_t start,
                          size_t end)
{
	if (end > start && text[end - 1] == printer->line_end) {
		end--;
		if (printer->crlf && end > start && text[end - 1] == '\r')
			end--;
	}
	return end;
}

/* Counts a matching line, and updates after_left. */
static void count_match(struct bs_grep_printer *printer)
{
	printer->outcome.has_matched = true;
	printer->n_matched++;
	/* After the limit (-m), a matching line is shown only as context of an earlier one, and
	 * counts as a line of that context. */
	if (printer->n_matched > printer->max_count)
		printer->after_left -= printer->after_left > 0;
	else
		printer->after_left = printer->output->after;
}

/* True if -m allows more lines. With -U but without -v, grep_search.c counts matches for -m. */
static bool wants_more(const struct bs_grep_printer *printer)
{
	return printer->n_matched < printer->max_count || printer->after_left > 0 ||
	       printer->output->passthru || !bs_grep_print_limits_lines(printer);
}

/* Call between complete lines, before next_bytes more are written. Offers the output if it is
 * large. False: stop. */
static bool goes_on(struct bs_grep_printer *printer, size_t next_bytes)
{
	spend(printer, next_bytes);
	bool is_wanted =
		!printer->to.status && (printer->to.out->used_bytes < printer->offer_bytes ||
	                                printer->offer(printer->offer_context));
	printer->whole_bytes = printer->to.out->used_bytes;
	return is_wanted;
}

/* Iterates over the matches of a line. A match may look at the same text as in ripgrep: at text
 * before the line only with -P or if lines are not searched one by one (-U); at a few bytes after
 * the line only in the latter case; with -v, at nothing beyond the line. */
struct searcher {
	struct bs_grep_printer *printer;
	const uint8_t *text; /* text[0..n_bytes) may be looked at */
	size_t n_bytes;
	size_t text_off;  /* offset of text in line->text */
	bool is_ascii;    /* bs_grep_is_ascii() of text */
	bool is_by_bytes; /* bs_grep_is_by_bytes() of text */
	size_t limit;     /* matches start before this offset in text */
	size_t from;
	size_t last_end;
};

static void searcher_init(struct searcher *searcher, struct bs_grep_printer *printer,
                          const struct bs_grep_found *line)
{
	size_t end = line->text_bytes - line->end >= LOOK_AHEAD_BYTES ? line->end + LOOK_AHEAD_BYTES
	                                                              : line->text_bytes;
	bool is_alone = printer->output->invert;
	size_t start = printer->traits->looks_back && !is_alone ? 0 : line->start;
	if (is_alone)
		end = line->end;
	if (printer->traits->by_line)
		end = trimmed_end(printer, line->text, line->start, line->end);
	*searcher = (struct searcher){
		.printer = printer,
		.text = line->text + start,
		.n_bytes = end - start,
		.text_off = start,
		.is_ascii = bs_grep_is_ascii(printer->scratch, line->text + start, end - start),
		.is_by_bytes = bs_grep_is_by_bytes(printer->scratch, line->text + start,
	                                           line->start - start, end - start),
		.limit = line->end - start,
		.from = line->start - start,
		.last_end = SIZE_MAX};
}

/* The next match, as offsets in searcher->text. False: there is none. */
static bool searcher_next(struct searcher *searcher, struct bs_grep_span *at)
{
	struct bs_grep_printer *printer = searcher->printer;
	bool is_bare = printer->traits->is_bare, found = true;
	while (searcher->from <= searcher->n_bytes && !printer->to.status) {
		/* The search is now after an empty match and within a character. rg matches by
		 * bytes, so its patterns that match the empty string also match here. */
		if (!searcher->is_by_bytes && searcher->from > 0 &&
		    searcher->last_end == searcher->from - 1 &&
		    searcher->from < searcher->n_bytes &&
		    (searcher->text[searcher->from] & 0xc0) == 0x80) {
			*at = (struct bs_grep_span){searcher->from, searcher->from};
			if (!is_bare) {
				searcher->last_end = searcher->from++;
				continue;
			}
		} else {
			printer->to.status = bs_grep_next_match(
				printer->scratch, searcher->text, searcher->from, searcher->n_bytes,
				searcher->is_ascii, at, &found, printer->to.err);
		}
		if (printer->to.status || !found || at->start >= searcher->limit)
			return false;
		bool is_empty = at->start == at->end;
		/* An empty match directly after a match does not count. */
		bool is_counted = !is_empty || at->end != searcher->last_end;
		searcher->from = at->end + is_empty;
		searcher->last_end = at->end;
		if (is_counted)
			return true;
	}
	return false;
}

/* Collects the matches of a line, as offsets from its start. */
static void find_all(struct bs_grep_printer *printer, const struct bs_grep_found *line)
{
	struct searcher searcher;
	struct bs_grep_span at;
	searcher_init(&searcher, printer, line);
	while (searcher_next(&searcher, &at)) {
		size_t off = line->start - searcher.text_off;
		at = (struct bs_grep_span){at.start - off, at.end - off};
		append(printer, &printer->matches.bytes, &at, sizeof(at));
	}
	const struct bs_grep_span *spans = printer->matches.items;
	size_t n = bs_vector_n(&printer->matches);
	/* An empty match after the last byte does not count. */
	if (n > 0 && spans[n - 1].start == spans[n - 1].end &&
	    spans[n - 1].start >= line->end - line->start)
		bs_vector_set_n(&printer->matches, n - 1);
}

/* Counts a line that is shown, and finds its matches if they are wanted. With -v, matches are in
 * context lines. */
static void take_line(struct bs_grep_printer *printer, enum bs_grep_line_kind kind,
                      const struct bs_grep_found *line, bool wants_matches)
{
	bs_vector_clear(&printer->matches);
	bs_vector_clear(&printer->replacements);
	if (kind == BS_GREP_LINE_MATCH)
		count_match(printer);
	else if (kind == BS_GREP_LINE_AFTER)
		printer->after_left -= printer->after_left > 0;
	if (wants_matches && (kind == BS_GREP_LINE_MATCH || printer->output->invert))
		find_all(printer, line);
}

/*
 * Printing lines: path:line:column:text, with the options for colour, -o, --vimgrep, -r and -M.
 * Matches are found only if the output depends on them. With -U one match may span several lines,
 * which are passed to the printer together; each is printed with its own prefix.
 */

/* The current line, or a part of it, to be printed: text of the file, or with -r the text after
 * replacement. */
struct shown {
	const uint8_t *text;
	size_t n_bytes;
	const struct bs_grep_span *matches;
	size_t n_matches;
	size_t next_match; /* the first match that may be in the part not printed yet */
	size_t n_found;    /* matches in the text of the file */
	bool is_context, is_enclosing;
	bool is_each; /* --vimgrep with -U: the text around the match is not highlighted */
	uint64_t file_off;
	uint64_t number;
};

/* The separator between the path and the next field with -0. */
static const struct bs_grep_separator nul_byte = {"", 1};

static void put_between(struct bs_grep_printer *printer, const struct bs_grep_separator *between)
{
	if (between)
		put(printer, between->bytes, between->n_bytes);
}

/* Puts the fields before a line (path, line number, column, offset), each followed by a separator.
 * All fields are one link, which ends before the last separator. column 0: no column. */
static void put_fields(struct bs_grep_printer *printer, const struct shown *shown,
                       uint64_t file_off, uint64_t number, uint64_t column)
{
	const struct bs_grep_output *output = printer->output;
	const struct bs_grep_program *program = printer->program;
	static const struct bs_grep_separator equals = {"=", 1};
	const struct bs_grep_separator *separator = shown->is_enclosing ? &equals
	                                            : shown->is_context
	                                                    ? &printer->context_separator
	                                                    : &printer->match_separator;
	bool has_path = printer->path && !output->heading;
	if (!has_path && !number && !output->columns && !output->byte_offsets &&
	    !program->hyperlink)
		return;
	bool has_link = program->hyperlink && printer->path &&
	                (!output->heading || bs_grep_link_has_line(program));
	const struct {
		bool is_wanted;
		const char *color;
		uint64_t number;
	} fields[] = {
		{number, program->colors.line, number},
		{column && output->columns, program->colors.column, column},
		{output->byte_offsets, program->colors.column, file_off},
	};
	const struct bs_grep_separator *between = NULL;
	if (has_link)
		begin_link(printer, number, column);
	if (has_path) {
		put_path_text(printer);
		between = output->nul_after_path ? &nul_byte : separator;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (!fields[i].is_wanted)
			continue;
		put_between(printer, between);
		put_number(printer, fields[i].color, fields[i].number);
		between = separator;
	}
	if (has_link)
		end_link(printer);
	put_between(printer, between);
}

static bool is_too_long(const struct bs_grep_printer *printer, size_t n_bytes)
{
	uint64_t most = printer->output->max_columns;
	return most > 0 && n_bytes > most;
}

static size_t trimmed_start(const struct bs_grep_printer *printer, const uint8_t *text,
                            size_t start, size_t end)
{
	const struct bs_grep_output *output = printer->output;
	if (!output->trim)
		return start;
	while (start < end && text[start] && strchr(" \t\n\v\f\r", text[start]) &&
	       text[start] != printer->line_end && !(printer->crlf && text[start] == '\r'))
		start++;
	return start;
}

static unsigned long long count_lines(const struct bs_grep_printer *printer,
                                      const struct bs_grep_found *line)
{
	unsigned long long n_lines = 0;
	for (size_t at = line->start; at < line->end; n_lines++)
		at = bs_grep_line_end(line->text, at, line->end, printer->line_end);
	return n_lines;
}

/* True if matches have a colour, so that they are looked for. */
static bool colors_matches(const struct bs_grep_printer *printer)
{
	const char *color = printer->program->colors.match;
	return *color && strcmp(color, reset) != 0;
}

/* Puts a line without its line end, in the colours of matches and of the rest of the line. */
static void put_matches(struct bs_grep_printer *printer, struct shown *shown,
                        struct bs_grep_span line)
{
	const struct bs_grep_colors *colors = &printer->program->colors;
	bool has_color = *colors->match != '\0', in_color = false;
	bool is_highlighted = has_color && *colors->highlight && shown->n_matches > 0 &&
	                      !shown->is_context && !shown->is_each;
	const char *base = is_highlighted ? colors->highlight : reset;
	size_t end = trimmed_end(printer, shown->text, line.start, line.end);
	size_t at = line.start;
	if (is_highlighted)
		put_escape(printer, base);
	while (at < end && !printer->to.status) {
		while (shown->next_match < shown->n_matches &&
		       shown->matches[shown->next_match].end <= at)
			shown->next_match++;
		size_t upto = end;
		bool is_in = false;
		if (shown->next_match < shown->n_matches) {
			struct bs_grep_span match = shown->matches[shown->next_match];
			is_in = match.start <= at;
			upto = is_in ? match.end : match.start;
		}
		if (upto > end)
			upto = end;
		if (has_color && is_in != in_color)
			put_escape(printer, is_in ? colors->match : base);
		in_color = has_color && is_in;
		spend(printer, upto - at);
		put(printer, shown->text + at, upto - at);
		at = upto;
	}
	if (in_color)
		put_escape(printer, base);
	if (is_highlighted)
		put_escape(printer, reset);
	/* With -U, the last match may continue in the next line. */
	if (shown->n_matches > 0 && shown->next_match == shown->n_matches)
		shown->next_match--;
}

static void put_preview(struct bs_grep_printer *printer, struct shown *shown,
                        struct bs_grep_span line)
{
	const uint8_t *text = shown->text + line.start;
	struct bs_grep_span head = line;
	size_t n_left = 0, head_bytes = 0;
	if (!printer->to.status)
		printer->to.status = bs_utf8_characters(text, line.end - line.start,
		                                        printer->output->max_columns, &head_bytes,
		                                        printer->to.err);
	head.end = line.start + head_bytes;
	put_matches(printer, shown, head);
	for (size_t i = 0; i < shown->n_matches; i++)
		n_left += shown->matches[i].start >= head.end && shown->matches[i].start < line.end;
	if (shown->n_matches == 0)
		put_text(printer, " [... omitted end of long line]");
	else
		put_format(printer, " [... %zu more %s]", n_left,
		           n_left == 1 ? "match" : "matches");
}

static void put_too_long(struct bs_grep_printer *printer, struct shown *shown,
                         struct bs_grep_span line)
{
	const struct bs_grep_output *output = printer->output;
	if (output->max_columns_preview)
		put_preview(printer, shown, line);
	else if (shown->n_found == 0 || output->only_matching)
		put_format(printer, "[Omitted long %s line]",
		           shown->is_context ? "context" : "matching");
	else
		put_format(printer, "[Omitted long line with %zu matches]", shown->n_found);
	put_line_end(printer);
}

/* Puts a line without colours, after --trim, or what replaces a line that is too long. */
static void put_line(struct bs_grep_printer *printer, const struct shown *shown,
                     struct bs_grep_span line)
{
	size_t start = trimmed_start(printer, shown->text, line.start, line.end);
	/* As in rg, the preview of a long line counts the matches by their positions before
	 * --trim. */
	struct shown rest = *shown;
	rest.text += start;
	size_t n_bytes = line.end - start;
	if (is_too_long(printer, n_bytes)) {
		put_too_long(printer, &rest, (struct bs_grep_span){0, n_bytes});
		return;
	}
	put(printer, rest.text, n_bytes);
	if (n_bytes == 0 || rest.text[n_bytes - 1] != printer->line_end)
		put_line_end(printer);
}

/* Puts a line with its matches in colour, after --trim. whole_bytes: the length for -M; 0: that of
 * the line after --trim. */
static void put_marked_line(struct bs_grep_printer *printer, struct shown *shown,
                            struct bs_grep_span line, size_t whole_bytes)
{
	line.start = trimmed_start(printer, shown->text, line.start, line.end);
	if (is_too_long(printer, whole_bytes ? whole_bytes : line.end - line.start)) {
		put_too_long(printer, shown, line);
		return;
	}
	put_matches(printer, shown, line);
	put_line_end(printer);
}

static bool show_line(struct bs_grep_printer *printer, struct shown *shown)
{
	const struct bs_grep_output *output = printer->output;
	bool is_each = output->only_matching || output->per_match;
	if (shown->n_matches == 0) {
		put_fields(printer, shown, shown->file_off, shown->number, 0);
		put_line(printer, shown, (struct bs_grep_span){0, shown->n_bytes});
		return true;
	}
	for (size_t i = 0; i < (is_each ? shown->n_matches : 1); i++) {
		struct bs_grep_span match = shown->matches[i], whole = {0, shown->n_bytes};
		struct shown part = *shown;
		if (i > 0 && !goes_on(printer, output->only_matching ? match.end - match.start
		                                                     : shown->n_bytes))
			return false;
		put_fields(printer, shown, shown->file_off + (is_each ? match.start : 0),
		           shown->number, match.start + 1);
		if (output->only_matching) {
			part.text += match.start;
			match = whole = (struct bs_grep_span){0, match.end - match.start};
		}
		/* As in rg, without colours the preview of a long line counts the omitted matches
		 * of the whole line. */
		if (!colors_matches(printer)) {
			put_line(printer, &part, whole);
			continue;
		}
		if (is_each) {
			part.matches = &match;
			part.n_matches = 1;
		}
		/* As in rg, with colours -M includes the text that --trim removes. */
		put_marked_line(printer, &part, whole, whole.end);
	}
	return true;
}

static struct bs_grep_span line_from(const struct bs_grep_printer *printer,
                                     const struct shown *shown, size_t from)
{
	return (struct bs_grep_span){
		from, bs_grep_line_end(shown->text, from, shown->n_bytes, printer->line_end)};
}

/* -o: shows each match; one that spans lines is shown in a part for each line. */
static bool show_parts(struct bs_grep_printer *printer, struct shown *shown)
{
	uint64_t n_before = 0;
	struct bs_grep_span line = {0};
	for (size_t from = 0; from < shown->n_bytes; from = line.end, n_before++) {
		line = line_from(printer, shown, from);
		size_t end = trimmed_end(printer, shown->text, line.start, line.end);
		size_t at = trimmed_start(printer, shown->text, line.start, end);
		while (at < end) {
			struct bs_grep_span match = shown->matches[shown->next_match];
			if (match.end <= at) {
				if (++shown->next_match < shown->n_matches)
					continue;
				shown->next_match--;
				break;
			}
			if (at < match.start) {
				at = match.start < end ? match.start : end;
				continue;
			}
			size_t upto = match.end < end ? match.end : end;
			if (!goes_on(printer, upto - at))
				return false;
			put_fields(printer, shown, shown->file_off + match.start,
			           shown->number ? shown->number + n_before : 0, match.start + 1);
			if (is_too_long(printer, upto - at)) {
				struct shown part = *shown;
				put_too_long(printer, &part, (struct bs_grep_span){at, upto});
			} else {
				put_colored(printer, printer->program->colors.match,
				            shown->text + at, upto - at);
				put_line_end(printer);
			}
			at = upto;
		}
	}
	return true;
}

/* Shows one line of a match, with this match marked. n_before: the number of lines of the shown
 * text before this line, from which its line number is computed. *was_long_out: the line is too
 * long. */
static bool show_match(struct bs_grep_printer *printer, const struct shown *shown,
                       const struct bs_grep_span *match, struct bs_grep_span line,
                       uint64_t n_before, bool *was_long_out)
{
	size_t start = match->start > line.start ? match->start - line.start : 0;
	struct bs_grep_span text = {line.start,
	                            trimmed_end(printer, shown->text, line.start, line.end)};
	struct shown one = *shown;
	if (!goes_on(printer, line.end - line.start))
		return false;
	one.matches = match;
	one.n_matches = 1;
	one.is_each = true;
	put_fields(printer, shown, shown->file_off + line.start,
	           shown->number ? shown->number + n_before : 0, start + 1);
	text.start = trimmed_start(printer, shown->text, text.start, text.end);
	*was_long_out = is_too_long(printer, text.end - text.start);
	put_marked_line(printer, &one, text, 0);
	return true;
}

/* --vimgrep: shows the first line of each match and, as in rg, the next line while lines are too
 * long. */
static bool show_each(struct bs_grep_printer *printer, const struct shown *shown)
{
	struct bs_grep_span first = line_from(printer, shown, 0);
	uint64_t n_before = 0;
	for (size_t i = 0; i < shown->n_matches; i++) {
		const struct bs_grep_span *match = &shown->matches[i];
		for (; first.end <= match->start && first.end < shown->n_bytes; n_before++)
			first = line_from(printer, shown, first.end);
		struct bs_grep_span line = first;
		bool is_wanted = line.end > match->start;
		for (uint64_t n = n_before; is_wanted && line.start < match->end; n++) {
			if (!show_match(printer, shown, match, line, n, &is_wanted))
				return false;
			if (line.end == shown->n_bytes)
				break;
			line = line_from(printer, shown, line.end);
		}
	}
	return true;
}

static bool show_lines(struct bs_grep_printer *printer, struct shown *shown)
{
	struct bs_grep_span line = {0};
	uint64_t n_before = 0;
	if (shown->n_matches > 0 && printer->output->only_matching)
		return show_parts(printer, shown);
	if (shown->n_matches > 0 && printer->output->per_match)
		return show_each(printer, shown);
	for (size_t from = 0; from < shown->n_bytes; from = line.end, n_before++) {
		line = line_from(printer, shown, from);
		put_fields(printer, shown, shown->file_off + line.start,
		           shown->number ? shown->number + n_before : 0,
		           shown->n_matches > 0 ? shown->matches[0].start + 1 : 0);
		if (shown->n_matches > 0)
			put_marked_line(printer, shown, line, 0);
		else
			put_line(printer, shown, line);
	}
	return true;
}

/* -r: makes a copy of the line with its matches replaced, and with the line's own line end. If a
 * match that begins in the line ends after it, the copy goes on to the end of searcher.text. */
static void replace(struct bs_grep_printer *printer, const struct bs_grep_found *line)
{
	const struct bs_grep_output *output = printer->output;
	struct bs_buffer *replaced = &printer->replaced;
	struct searcher searcher;
	struct bs_grep_span at;
	searcher_init(&searcher, printer, line);
	size_t copied = searcher.from, line_end = searcher.limit, end = searcher.n_bytes;
	bs_buffer_clear(replaced);
	while (searcher_next(&searcher, &at)) {
		append(printer, replaced, searcher.text + copied,
		       at.start > copied ? at.start - copied : 0);
		struct bs_grep_span written = {.start = replaced->used_bytes};
		if (!printer->to.status)
			printer->to.status = bs_grep_expand(
				printer->scratch, searcher.text, output->replacement,
				output->replacement_bytes, replaced, printer->to.err);
		written.end = replaced->used_bytes;
		copied = at.end;
		append(printer, &printer->replacements.bytes, &written, sizeof(written));
	}
	if (printer->traits->by_line || copied <= line_end)
		end = line_end;
	append(printer, replaced, searcher.text + copied, end > copied ? end - copied : 0);
}

static bool print_line(struct bs_grep_printer *printer, enum bs_grep_line_kind kind,
                       const struct bs_grep_found *line)
{
	const struct bs_grep_output *output = printer->output;
	take_line(printer, kind, line,
	          colors_matches(printer) || output->columns || output->replacement ||
	                  output->per_match || output->only_matching || printer->counts);
	if (kind == BS_GREP_LINE_MATCH && printer->counts) {
		printer->outcome.sums.matches += bs_vector_n(&printer->matches);
		printer->outcome.sums.matched_lines += count_lines(printer, line);
	}
	if (output->replacement && (kind == BS_GREP_LINE_MATCH || output->invert) &&
	    !printer->to.status)
		replace(printer, line);
	if (printer->to.status || printer->has_nul)
		return false;
	const struct bs_grep_spans *matches = &printer->matches;
	struct shown shown = {.text = line->text + line->start,
	                      .n_bytes = line->end - line->start,
	                      .n_found = bs_vector_n(matches),
	                      .is_context = kind != BS_GREP_LINE_MATCH,
	                      .is_enclosing = kind == BS_GREP_LINE_ENCLOSING,
	                      .file_off = line->file_off,
	                      .number = line->number};
	if (bs_vector_n(&printer->replacements) > 0) {
		matches = &printer->replacements;
		shown.text = printer->replaced.data;
		shown.n_bytes = printer->replaced.used_bytes;
	}
	shown.matches = matches->items;
	shown.n_matches = bs_vector_n(matches);
	/* The separator between files is added later, by grep_run.c. */
	if (output->heading && printer->path && !printer->outcome.has_lines)
		put_path_and(printer, NULL);
	printer->outcome.has_lines = true;
	bool is_across = !printer->traits->by_line && !shown.is_context;
	return (is_across ? show_lines(printer, &shown) : show_line(printer, &shown)) &&
	       wants_more(printer);
}

static void make_prefix(struct bs_grep_printer *printer)
{
	const struct bs_grep_separator *separator = &printer->match_separator;
	struct bs_text_writer to = {.out = &printer->prefix, .err = printer->to.err};
	printer->has_prefix = true;
	bs_buffer_clear(to.out);
	if (!printer->path)
		return;
	bs_grep_path_append(printer->program, printer->path, &to);
	if (printer->output->nul_after_path)
		separator = &nul_byte;
	bs_text_put(&to, separator->bytes, separator->n_bytes);
	printer->to.status = to.status;
}

/* Does what print_line() would do for a matching line if printer->is_plain. */
static bool print_plain(struct bs_grep_printer *printer, const struct bs_grep_found *line)
{
	struct bs_buffer *prefix = &printer->prefix;
	count_match(printer);
	if (printer->to.status || printer->has_nul)
		return false;
	if (!printer->has_prefix)
		make_prefix(printer);
	printer->outcome.has_lines = true;
	put(printer, prefix->data, prefix->used_bytes);
	put(printer, line->text + line->start, line->end - line->start);
	if (line->end == line->start || line->text[line->end - 1] != printer->line_end)
		put_line_end(printer);
	return wants_more(printer);
}

/* True if print_plain() is enough: whole lines are printed, without matches or positions. */
static bool is_plain(const struct bs_grep_printer *printer)
{
	const struct bs_grep_output *output = printer->output;
	return output->format == BS_GREP_LINES && !printer->keeps_lines &&
	       printer->traits->by_line && !colors_matches(printer) && !output->columns &&
	       !output->replacement && !output->per_match && !output->only_matching &&
	       !output->line_numbers && !output->byte_offsets && !printer->program->hyperlink &&
	       !output->heading && !output->trim && !output->max_columns && !printer->counts;
}

/* Puts a message about a file with NUL bytes: that it matches, or that its search ended early. */
static void note_binary(struct bs_grep_printer *printer, const struct bs_grep_finish *finish)
{
	bool is_quit = finish->binary == BS_GREP_BINARY_QUIT;
	if (printer->path) {
		put_path(printer);
		put_text(printer, ": ");
	}
	put_format(printer, "%s (found \"\\0\" byte around offset %llu)\n",
	           is_quit ? "WARNING: stopped searching binary file after match"
	                   : "binary file matches",
	           (unsigned long long)finish->binary_off);
}

/* Stores lines for the request's callback, which is called in the file's turn. Each is stored as a
 * struct bs_grep_line without pointers (`function` is only a flag), its matches, its text, and the
 * line of the function context. */

static bool keep_line(struct bs_grep_printer *printer, enum bs_grep_line_kind kind,
                      const struct bs_grep_found *line)
{
	static const uint8_t zeros[sizeof(uint64_t)];
	take_line(printer, kind, line, true);
	struct bs_grep_line kept = {.text_bytes = line->end - line->start,
	                            .number = line->number,
	                            .byte_off = line->file_off,
	                            .n_matches = bs_vector_n(&printer->matches),
	                            .is_context = kind != BS_GREP_LINE_MATCH};
	const struct bs_function_context *around = printer->context;
	if (around && around->has_line && !kept.is_context) {
		kept.function = "";
		kept.function_bytes = around->line.used_bytes;
		kept.function_number = around->number;
	}
	put(printer, &kept, sizeof(kept));
	put(printer, printer->matches.items, kept.n_matches * sizeof(*kept.matches));
	put(printer, line->text + line->start, kept.text_bytes);
	put(printer, kept.function ? around->line.data : NULL, kept.function_bytes);
	put(printer, zeros, -(kept.text_bytes + kept.function_bytes) % sizeof(zeros));
	return wants_more(printer);
}

bool bs_grep_deliver_lines(const struct bs_grep_request *request, const char *path,
                           const struct bs_buffer *out)
{
	size_t n;
	for (size_t at = 0; at < out->used_bytes; at += n + -n % sizeof(uint64_t)) {
		struct bs_grep_line line =
			*(const struct bs_grep_line *)(const void *)(out->data + at);
		const uint8_t *matches = out->data + at + sizeof(line);
		line.path = path;
		line.matches = (const struct bs_grep_span *)(const void *)matches;
		line.text = (const char *)(matches + line.n_matches * sizeof(*line.matches));
		if (line.function)
			line.function = line.text + line.text_bytes;
		n = sizeof(line) + line.n_matches * sizeof(*line.matches) + line.text_bytes +
		    line.function_bytes;
		if (request->callbacks.line(request->callbacks.context, &line) != 0)
			return false;
	}
	return true;
}

/* JSON lines in ripgrep's format (begin, match, context, end, summary), with further members. */

#define LONG_TEXT_BYTES 4096u /* the time of shorter texts is not counted for the deadline */

static void put_data(struct bs_grep_printer *printer, const void *bytes, size_t n)
{
	if (n > LONG_TEXT_BYTES)
		spend(printer, n);
	bs_json_put_data(&printer->to, bytes, n, printer->program->is_terminal);
}

/* Puts the beginning of a message, including the path. */
static void put_json_begin(struct bs_grep_printer *printer, const char *type)
{
	put_text(printer, "{\"type\":\"");
	put_text(printer, type);
	put_text(printer, "\",\"data\":{\"path\":");
	if (printer->path)
		put_data(printer, printer->path, strlen(printer->path));
	else
		put_text(printer, "null");
}

static void put_json_number(struct bs_grep_printer *printer, const char *name, uint64_t number)
{
	put_text(printer, name);
	bs_json_put_number(&printer->to, number);
}

static void put_line_number(struct bs_grep_printer *printer, uint64_t number)
{
	if (number)
		put_json_number(printer, ",\"line_number\":", number);
	else
		put_text(printer, ",\"line_number\":null");
}

static void put_enclosing(struct bs_grep_printer *printer)
{
	const struct bs_function_context *around = printer->context;
	put_text(printer, around->has_line ? ",\"enclosing\":{\"lines\":" : ",\"enclosing\":null");
	if (!around->has_line)
		return;
	put_data(printer, around->line.data, around->line.used_bytes);
	put_line_number(printer, around->number);
	put_json_number(printer, ",\"absolute_offset\":", around->file_off);
	put_text(printer, "}");
}

static void put_message(struct bs_grep_printer *printer, bool is_match,
                        const struct bs_grep_found *line)
{
	const struct bs_grep_span *matches = printer->matches.items;
	const struct bs_grep_span *replacements = printer->replacements.items;
	size_t n_matches = bs_vector_n(&printer->matches),
	       n_replacements = bs_vector_n(&printer->replacements);
	const uint8_t *text = line->text + line->start;
	size_t n_bytes = line->end - line->start;
	put_json_begin(printer, is_match ? "match" : "context");
	put_text(printer, ",\"lines\":");
	put_data(printer, text, n_bytes);
	put_line_number(printer, line->number);
	put_json_number(printer, ",\"absolute_offset\":", line->file_off);
	put_text(printer, ",\"submatches\":[");
	for (size_t i = 0; i < n_matches && !printer->to.status; i++) {
		/* With -U and -m, the last match may end in a line that is not printed. */
		struct bs_grep_span match = matches[i];
		match.end = match.end < n_bytes ? match.end : n_bytes;
		spend(printer, match.end - match.start);
		put_text(printer, i ? "," : "");
		const struct bs_grep_span *with = i < n_replacements ? &replacements[i] : NULL;
		bs_json_put_match(&printer->to, text, match,
		                  with ? printer->replaced.data + with->start : NULL,
		                  with ? with->end - with->start : 0,
		                  printer->program->is_terminal);
	}
	put_text(printer, "]");
	if (printer->context && is_match)
		put_enclosing(printer);
	put_text(printer, "}}\n");
}

static bool print_json_line(struct bs_grep_printer *printer, enum bs_grep_line_kind kind,
                            const struct bs_grep_found *line)
{
	bool is_match = kind == BS_GREP_LINE_MATCH;
	take_line(printer, kind, line, true);
	if (printer->output->replacement && bs_vector_n(&printer->matches) > 0 &&
	    !printer->to.status)
		replace(printer, line);
	if (!printer->has_begun) {
		put_json_begin(printer, "begin");
		put_text(printer, "}}\n");
		printer->has_begun = !printer->to.status;
		printer->whole_bytes = printer->to.out->used_bytes;
	}
	put_message(printer, is_match, line);
	if (is_match && !printer->to.status) {
		printer->outcome.sums.matches += bs_vector_n(&printer->matches);
		printer->outcome.sums.matched_lines += count_lines(printer, line);
	}
	return wants_more(printer);
}

static void put_json_end(struct bs_grep_printer *printer, const struct bs_grep_finish *finish,
                         const struct bs_grep_sums *sums)
{
	put_json_begin(printer, "end");
	if (finish->is_binary)
		put_json_number(printer, ",\"binary_offset\":", finish->binary_off);
	else
		put_text(printer, ",\"binary_offset\":null");
	put_format(printer,
	           ",\"stats\":{\"elapsed\":{\"secs\":%llu,\"nanos\":%llu,\"human\":\"%.6fs\"},"
	           "\"searches\":%llu,"
	           "\"searches_with_match\":%llu,\"bytes_searched\":%llu,\"bytes_printed\":%llu,"
	           "\"matched_lines\":%llu,\"matches\":%llu}}}\n",
	           sums->elapsed_ns / NS, sums->elapsed_ns % NS, (double)sums->elapsed_ns / NS,
	           sums->searches, sums->searches_with_match, sums->searched_bytes,
	           sums->printed_bytes, sums->matched_lines, sums->matches);
}

/* Completes the sums of a file before its last output. printed_bytes: without that output. */
static void finish_sums(struct bs_grep_printer *printer, const struct bs_grep_finish *finish,
                        uint64_t printed_bytes)
{
	struct bs_grep_sums *sums = &printer->outcome.sums;
	if (!printer->counts)
		return;
	sums->elapsed_ns = bs_now_ns() - printer->start_ns;
	sums->searches = 1;
	sums->searches_with_match = printer->n_matched > 0;
	sums->searched_bytes = finish->searched_bytes;
	sums->printed_bytes = printed_bytes;
}

/* The bytes of the file's output so far, without escape sequences. */
static uint64_t printed_bytes(const struct bs_grep_printer *printer)
{
	return printer->taken_bytes + printer->to.out->used_bytes - printer->escape_bytes;
}

static void finish_json(struct bs_grep_printer *printer, const struct bs_grep_finish *finish)
{
	finish_sums(printer, finish, printed_bytes(printer));
	if (!printer->has_begun)
		return;
	printer->outcome.owes_end = printer->picks && printer->most_results != UINT64_MAX;
	printer->outcome.finish = *finish;
	if (!printer->outcome.owes_end)
		put_json_end(printer, finish, &printer->outcome.sums);
}

enum bs_status bs_grep_json_end(const struct bs_grep_program *program, const char *shown,
                                const struct bs_grep_finish *finish,
                                const struct bs_grep_sums *sums, struct bs_buffer *out,
                                struct bs_error *err)
{
	struct bs_grep_printer printer = {
		.program = program, .path = shown, .to = {.out = out, .err = err}};
	put_json_end(&printer, finish, sums);
	return printer.to.status;
}

static void put_json_results(struct bs_grep_printer *printer, const struct bs_grep_results *results)
{
	put_format(printer, "\"results\":{\"shown\":%llu,\"found\":%llu,\"files\":%llu,\"after\":",
	           (unsigned long long)results->n_shown, (unsigned long long)results->n_found,
	           (unsigned long long)results->n_files);
	if (results->resume_token)
		put_data(printer, results->resume_token, strlen(results->resume_token));
	else
		put_text(printer, "null");
	put_text(printer, "},");
}

enum bs_status bs_grep_json_summary(const struct bs_grep_sums *sums, uint64_t elapsed_ns,
                                    const struct bs_grep_results *results, struct bs_buffer *out,
                                    struct bs_error *err)
{
	static const struct bs_grep_program plain;
	struct bs_grep_printer printer = {.program = &plain, .to = {.out = out, .err = err}};
	unsigned long long all_ns = elapsed_ns;
	put_format(
		&printer,
		"{\"data\":{\"elapsed_total\":{\"human\":\"%.6fs\",\"nanos\":%llu,\"secs\":%llu},",
		(double)all_ns / NS, all_ns % NS, all_ns / NS);
	if (results)
		put_json_results(&printer, results);
	put_format(&printer,
	           "\"stats\":{"
	           "\"bytes_printed\":%llu,\"bytes_searched\":%llu,\"elapsed\":{\"human\":\"%."
	           "6fs\",\"nanos\":%llu,"
	           "\"secs\":%llu},\"matched_lines\":%llu,\"matches\":%llu,\"searches\":%llu,"
	           "\"searches_with_match\":%llu}},\"type\":\"summary\"}\n",
	           sums->printed_bytes, sums->searched_bytes, (double)sums->elapsed_ns / NS,
	           sums->elapsed_ns % NS, sums->elapsed_ns / NS, sums->matched_lines, sums->matches,
	           sums->searches, sums->searches_with_match);
	return printer.to.status;
}

/* Output about the whole file: one line for -c, --count-matches, -l and --files-without-match,
 * nothing for -q. count_line() takes a line of the file and does not print it. */

static bool count_line(struct bs_grep_printer *printer, enum bs_grep_line_kind kind,
                       const struct bs_grep_found *line)
{
	enum bs_grep_format format = printer->output->format;
	bool by_line = printer->traits->by_line;
	uint64_t n_matches = 1;
	if (kind == BS_GREP_LINE_AFTER)
		printer->after_left -= printer->after_left > 0;
	if (kind != BS_GREP_LINE_MATCH)
		return wants_more(printer);
	count_match(printer);
	if (format == BS_GREP_COUNT_MATCHES || !by_line || printer->counts) {
		struct searcher searcher;
		struct bs_grep_span at;
		searcher_init(&searcher, printer, line);
		for (n_matches = 0; searcher_next(&searcher, &at);)
			n_matches++;
		/* The line matches even if no match is found again: with -v, or because the match
		 * looks further ahead than the searcher. */
		n_matches += n_matches == 0;
	}
	printer->n_matched += by_line ? 0 : n_matches - 1;
	printer->outcome.sums.matches += n_matches;
	if (printer->counts)
		printer->outcome.sums.matched_lines += count_lines(printer, line);
	/* With -l and -q, the search of the file ends with the first match, except with -v, as in
	 * rg, and if sums are counted. --files-without-match searches on, because a later NUL byte
	 * decides what is reported. */
	if ((format == BS_GREP_FILES_WITH || format == BS_GREP_QUIET) && !printer->counts &&
	    !printer->output->invert)
		return false;
	return wants_more(printer);
}

static void print_count(struct bs_grep_printer *printer, uint64_t count)
{
	if (printer->n_matched == 0 && !printer->output->include_zero)
		return;
	if (printer->path && printer->output->with_path)
		put_path_and(printer, &(const struct bs_grep_separator){":", 1});
	put_number(printer, "", count);
	put_line_end(printer);
}

static void print_whole(struct bs_grep_printer *printer, const struct bs_grep_finish *finish)
{
	enum bs_grep_format format = printer->output->format;
	/* If a NUL byte ended the search early, the file is listed neither as matching nor as
	 * without a match. */
	bool is_spared = finish->is_binary && finish->binary == BS_GREP_BINARY_QUIT;
	finish_sums(printer, finish, 0);
	if (is_spared)
		printer->n_matched = 0;
	printer->outcome.has_matched =
		(printer->n_matched > 0) != (format == BS_GREP_FILES_WITHOUT);
	if (is_spared)
		return;
	if (format == BS_GREP_COUNT)
		print_count(printer, printer->n_matched);
	else if (format == BS_GREP_COUNT_MATCHES)
		print_count(printer, printer->outcome.sums.matches);
	else if (format != BS_GREP_QUIET && printer->outcome.has_matched && printer->path)
		put_path_and(printer, NULL);
}

static struct bs_grep_separator separator_or(const struct bs_grep_separator *text,
                                             const char *usual)
{
	return text->bytes ? *text : (struct bs_grep_separator){usual, strlen(usual)};
}

struct bs_grep_separator bs_grep_group_separator(const struct bs_grep_output *output)
{
	return output->no_group_separator ? (struct bs_grep_separator){NULL, 0}
	                                  : separator_or(&output->group_separator, "--");
}

void bs_grep_printer_init(struct bs_grep_printer *printer, const struct bs_grep_request *request,
                          const struct bs_grep_program *program,
                          const struct bs_grep_matcher *matcher, struct bs_grep_scratch *scratch)
{
	const struct bs_grep_output *output = &request->output;
	*printer = (struct bs_grep_printer){
		.output = output,
		.program = program,
		.line_end = bs_grep_end_byte(&request->pattern),
		.crlf = request->pattern.crlf,
		.is_pcre2 = request->pattern.is_pcre2,
		.is_multi_line = request->pattern.is_multi_line,
		.keeps_lines = request->callbacks.line && output->format == BS_GREP_LINES,
		.max_count = output->max_count ? output->max_count : UINT64_MAX,
		.match_separator = separator_or(&output->match_separator, ":"),
		.context_separator = separator_or(&output->context_separator, "-"),
		.group_separator = bs_grep_group_separator(output),
		.scratch = scratch,
		.traits = bs_grep_matcher_traits(matcher),
	};
	printer->counts = program->sums || output->format == BS_GREP_JSON;
	printer->is_plain = is_plain(printer);
	printer->shows_part = request->limits && request->limits->partial &&
	                      (output->format == BS_GREP_LINES || output->format == BS_GREP_JSON);
}

void bs_grep_printer_deinit(struct bs_grep_printer *printer)
{
	bs_buffer_deinit(&printer->place);
	bs_buffer_deinit(&printer->prefix);
	bs_vector_deinit(&printer->matches);
	bs_buffer_deinit(&printer->replaced);
	bs_vector_deinit(&printer->replacements);
}

void bs_grep_print_begin(struct bs_grep_printer *printer)
{
	printer->outcome = (struct bs_grep_outcome){0};
	printer->n_matched = 0;
	printer->after_left = 0;
	printer->has_nul = false;
	printer->has_begun = false;
	printer->has_place = printer->has_prefix = false;
	printer->taken_bytes = printer->escape_bytes = 0;
	printer->start_ns = printer->counts ? bs_now_ns() : 0;
}

/* Prints a line. After a failure, removes the incomplete line from the output. */
static bool print_by_format(struct bs_grep_printer *printer, enum bs_grep_line_kind kind,
                            const struct bs_grep_found *line)
{
	enum bs_grep_format format = printer->output->format;
	bool wants_more;
	printer->whole_bytes = printer->to.out->used_bytes;
	if (printer->keeps_lines)
		wants_more = keep_line(printer, kind, line);
	else if (format == BS_GREP_LINES)
		wants_more = print_line(printer, kind, line);
	else
		wants_more = format == BS_GREP_JSON ? print_json_line(printer, kind, line)
		                                    : count_line(printer, kind, line);
	if (printer->to.status)
		printer->to.out->used_bytes = printer->whole_bytes;
	return wants_more;
}

bool bs_grep_print_line(struct bs_grep_printer *printer, enum bs_grep_line_kind kind,
                        const struct bs_grep_found *line)
{
	bool wants_more = printer->is_plain && kind == BS_GREP_LINE_MATCH
	                          ? print_plain(printer, line)
	                          : print_by_format(printer, kind, line);
	return wants_more && (printer->to.out->used_bytes < printer->offer_bytes ||
	                      printer->offer(printer->offer_context));
}

void bs_grep_print_known(struct bs_grep_printer *printer, const struct bs_grep_known *known)
{
	enum bs_grep_format format = printer->output->format;
	bool ends_early = format == BS_GREP_FILES_WITH || format == BS_GREP_FILES_WITHOUT;
	struct bs_grep_finish finish = {.searched_bytes = known->n_bytes,
	                                .is_binary = known->is_binary,
	                                .binary = BS_GREP_BINARY_QUIT};
	bs_grep_print_begin(printer);
	if (printer->output->invert)
		printer->n_matched =
			known->n_lines < printer->max_count ? known->n_lines : printer->max_count;
	if (ends_early && printer->n_matched > 1)
		printer->n_matched = 1;
	printer->outcome.sums.matches = printer->n_matched;
	bs_grep_print_finish(printer, &finish);
}

/* True if one message about a binary file is printed instead of this line and all lines that
 * follow. */
static bool is_told_as_binary(const struct bs_grep_printer *printer)
{
	return printer->has_nul && printer->output->format == BS_GREP_LINES &&
	       !printer->keeps_lines;
}

bool bs_grep_print_limits_lines(const struct bs_grep_printer *printer)
{
	return printer->traits->by_line || printer->output->invert;
}

bool bs_grep_print_result(struct bs_grep_printer *printer, uint64_t last_line)
{
	struct bs_result_mark mark = {.out_off = printer->to.out->used_bytes,
	                              .last_line =
	                                      is_told_as_binary(printer) ? UINT64_MAX : last_line,
	                              .matched_lines = printer->outcome.sums.matched_lines,
	                              .matches = printer->outcome.sums.matches};
	if (printer->most_results != UINT64_MAX &&
	    printer->outcome.n_results <= printer->most_results)
		append(printer, &printer->marks->bytes, &mark, sizeof(mark));
	return printer->outcome.n_results++ < printer->most_results;
}

bool bs_grep_print_unshown(struct bs_grep_printer *printer, bool is_passed)
{
	printer->outcome.has_matched |= !is_passed;
	printer->n_matched += !is_passed || printer->output->format != BS_GREP_QUIET;
	return printer->n_matched < printer->max_count && !is_told_as_binary(printer);
}

void bs_grep_print_gap(struct bs_grep_printer *printer)
{
	if (printer->output->format != BS_GREP_LINES || printer->keeps_lines ||
	    !printer->group_separator.bytes)
		return;
	put(printer, printer->group_separator.bytes, printer->group_separator.n_bytes);
	put_line_end(printer);
}

void bs_grep_print_nul(struct bs_grep_printer *printer, enum bs_grep_binary binary)
{
	/* A NUL byte that ends the search does not hide the lines before it. */
	printer->has_nul = binary == BS_GREP_BINARY_CONVERT;
}

void bs_grep_print_finish(struct bs_grep_printer *printer, const struct bs_grep_finish *finish)
{
	enum bs_grep_format format = printer->output->format;
	if (format == BS_GREP_JSON)
		finish_json(printer, finish);
	else if (format != BS_GREP_LINES)
		print_whole(printer, finish);
	else {
		if (finish->is_binary && printer->outcome.has_matched && !printer->keeps_lines)
			note_binary(printer, finish);
		finish_sums(printer, finish, printed_bytes(printer));
	}
}
