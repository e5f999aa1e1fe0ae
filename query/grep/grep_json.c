/* grep_json.c: the printer of JSON lines, in ripgrep's messages: begin, match, context, end, summary. See grep_printer.h. */
#include "query/grep/grep_printer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <unicode/utf8.h>

#include "core/base/visible.h"

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- values ---- */

static bool is_utf8(const uint8_t *text, size_t n)
{
	for (size_t at = 0; at < n;) {
		int32_t used = 0;
		UChar32 code;
		U8_NEXT(text + at, used, (int32_t)(n - at < 4 ? n - at : 4), code);
		if (code < 0)
			return false;
		at += (size_t)used;
	}
	return true;
}

static void put_string(struct bs_grep_sink *sink, const uint8_t *text, size_t n)
{
	static const char marks[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	size_t done = 0;
	bs_grep_put(sink, "\"", 1);
	for (size_t at = 0; at < n;) {
		char escape[8];
		size_t from = at;
		int32_t c = sink->output->is_terminal ? bs_visible_next(text, n, &at) : text[at++];
		bool is_escaped = c < 0x20 || (sink->output->is_terminal && bs_visible_is_obeyed(c));
		if (!is_escaped && c != '"' && c != '\\')
			continue;
		bs_grep_put(sink, text + done, from - done);
		done = at;
		const char *mark = c > 0 && c < 0x80 ? strchr(marks, c) : NULL;
		if (mark)
			snprintf(escape, sizeof(escape), "\\%c", letters[mark - marks]);
		else
			snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)c);
		bs_grep_put_text(sink, escape);
	}
	bs_grep_put(sink, text + done, n - done);
	bs_grep_put(sink, "\"", 1);
}

static void put_base64(struct bs_grep_sink *sink, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	bs_grep_put(sink, "\"", 1);
	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t word = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
		                (left > 2 ? bytes[i + 2] : 0);
		char four[4] = {digits[word >> 18], digits[word >> 12 & 63], left > 1 ? digits[word >> 6 & 63] : '=',
		                left > 2 ? digits[word & 63] : '='};
		bs_grep_put(sink, four, 4);
	}
	bs_grep_put(sink, "\"", 1);
}

/* {"text":"..."}, or {"bytes":"..."} in base64 if it is not UTF-8. */
static void put_data(struct bs_grep_sink *sink, const void *bytes, size_t n)
{
	bool is_text = is_utf8(bytes, n);
	bs_grep_put_text(sink, is_text ? "{\"text\":" : "{\"bytes\":");
	if (is_text)
		put_string(sink, bytes, n);
	else
		put_base64(sink, bytes, n);
	bs_grep_put_text(sink, "}");
}

static void put_path(struct bs_grep_sink *sink)
{
	bs_grep_put_text(sink, "\"path\":");
	if (sink->path)
		put_data(sink, sink->path, strlen(sink->path));
	else
		bs_grep_put_text(sink, "null");
}

static void put_field(struct bs_grep_sink *sink, const char *name, uint64_t number)
{
	bs_grep_put_text(sink, name);
	bs_grep_put_number(sink, number);
}

/* ---- messages ---- */

static void put_begin(struct bs_grep_printer *printer)
{
	struct bs_grep_sink *sink = &printer->sink;
	if (printer->has_begun)
		return;
	printer->has_begun = true;
	bs_grep_put_text(sink, "{\"type\":\"begin\",\"data\":{");
	put_path(sink);
	bs_grep_put_text(sink, "}}\n");
}

static void put_line(struct bs_grep_printer *printer, const char *type, const struct bs_grep_line *line)
{
	struct bs_grep_sink *sink = &printer->sink;
	const struct bs_grep_span *matches = (const struct bs_grep_span *)(const void *)printer->matches.data;
	size_t n_matches = printer->matches.used_bytes / sizeof(*matches);
	const uint8_t *text = line->text + line->start;
	bs_grep_put_text(sink, "{\"type\":\"");
	bs_grep_put_text(sink, type);
	bs_grep_put_text(sink, "\",\"data\":{");
	put_path(sink);
	bs_grep_put_text(sink, ",\"lines\":");
	put_data(sink, text, line->end - line->start);
	if (line->number)
		put_field(sink, ",\"line_number\":", line->number);
	else
		bs_grep_put_text(sink, ",\"line_number\":null");
	put_field(sink, ",\"absolute_offset\":", line->file_off);
	bs_grep_put_text(sink, ",\"submatches\":[");
	for (size_t i = 0; i < n_matches; i++) {
		bs_grep_put_text(sink, i ? ",{\"match\":" : "{\"match\":");
		put_data(sink, text + matches[i].start, matches[i].end - matches[i].start);
		put_field(sink, ",\"start\":", matches[i].start);
		put_field(sink, ",\"end\":", matches[i].end);
		bs_grep_put_text(sink, "}");
	}
	bs_grep_put_text(sink, "]}}\n");
}

/* ---- events ---- */

static bool begin(struct bs_grep_sink *sink)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	printer->n_matched = 0;
	printer->after_left = 0;
	printer->has_begun = false;
	printer->sums = (struct bs_grep_sums){0};
	printer->start_ns = now_ns();
	return sink->output->max_count > 0;
}

static size_t count_lines(const struct bs_grep_sink *sink, const struct bs_grep_line *line)
{
	size_t n = 0;
	for (size_t at = line->start; at < line->end; n++)
		at = bs_grep_line_end(line->text, at, line->end, sink->output->line_end);
	return n;
}

static bool take_line(struct bs_grep_sink *sink, enum bs_grep_line_kind kind, const struct bs_grep_line *line)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	bool is_match = kind == BS_GREP_LINE_MATCH;
	put_begin(printer);
	bs_buffer_clear(&printer->matches);
	if (is_match)
		bs_grep_count_match(printer);
	else if (kind == BS_GREP_LINE_AFTER)
		printer->after_left -= printer->after_left > 0;
	if (is_match || sink->search->invert)
		bs_grep_find_all(sink, line, &printer->matches);
	if (is_match) {
		printer->sums.matches += printer->matches.used_bytes / sizeof(struct bs_grep_span);
		printer->sums.matched_lines += count_lines(sink, line);
	}
	put_line(printer, is_match ? "match" : "context", line);
	return bs_grep_wants_more(printer);
}

static void gap(struct bs_grep_sink *sink)
{
	(void)sink;
}

static void see_nul(struct bs_grep_sink *sink, uint64_t file_off, enum bs_grep_binary binary)
{
	(void)sink;
	(void)file_off;
	(void)binary;
}

static void finish(struct bs_grep_sink *sink, const struct bs_grep_finish *finish)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	struct bs_grep_sums *sums = &printer->sums;
	char elapsed[160];
	if (!printer->has_begun)
		return;
	sums->elapsed_ns = now_ns() - printer->start_ns;
	sums->searches = 1;
	sums->searches_with_match = printer->n_matched > 0;
	sums->searched_bytes = finish->searched_bytes;
	sums->printed_bytes = sink->out->used_bytes;
	bs_grep_put_text(sink, "{\"type\":\"end\",\"data\":{");
	put_path(sink);
	if (finish->is_binary)
		put_field(sink, ",\"binary_offset\":", finish->binary_off);
	else
		bs_grep_put_text(sink, ",\"binary_offset\":null");
	uint64_t seconds = sums->elapsed_ns / 1000000000, nanos = sums->elapsed_ns % 1000000000;
	snprintf(elapsed, sizeof(elapsed), ",\"stats\":{\"elapsed\":{\"secs\":%llu,\"nanos\":%llu,\"human\":\"%.6fs\"}",
	         (unsigned long long)seconds, (unsigned long long)nanos, (double)sums->elapsed_ns / 1e9);
	bs_grep_put_text(sink, elapsed);
	put_field(sink, ",\"searches\":", sums->searches);
	put_field(sink, ",\"searches_with_match\":", sums->searches_with_match);
	put_field(sink, ",\"bytes_searched\":", sums->searched_bytes);
	put_field(sink, ",\"bytes_printed\":", sums->printed_bytes);
	put_field(sink, ",\"matched_lines\":", sums->matched_lines);
	put_field(sink, ",\"matches\":", sums->matches);
	bs_grep_put_text(sink, "}}}\n");
}

enum bs_status bs_grep_json_summary(const struct bs_grep_sums *sums, uint64_t elapsed_ns, struct bs_buffer *out,
                                    struct bs_error *err)
{
	char text[640];
	int n = snprintf(text, sizeof(text),
	                 "{\"data\":{\"elapsed_total\":{\"human\":\"%.6fs\",\"nanos\":%llu,\"secs\":%llu},\"stats\":{"
	                 "\"bytes_printed\":%llu,\"bytes_searched\":%llu,\"elapsed\":{\"human\":\"%.6fs\",\"nanos\":%llu,"
	                 "\"secs\":%llu},\"matched_lines\":%llu,\"matches\":%llu,\"searches\":%llu,"
	                 "\"searches_with_match\":%llu}},\"type\":\"summary\"}\n",
	                 (double)elapsed_ns / 1e9, (unsigned long long)(elapsed_ns % 1000000000),
	                 (unsigned long long)(elapsed_ns / 1000000000), (unsigned long long)sums->printed_bytes,
	                 (unsigned long long)sums->searched_bytes, (double)sums->elapsed_ns / 1e9,
	                 (unsigned long long)(sums->elapsed_ns % 1000000000),
	                 (unsigned long long)(sums->elapsed_ns / 1000000000), (unsigned long long)sums->matched_lines,
	                 (unsigned long long)sums->matches, (unsigned long long)sums->searches,
	                 (unsigned long long)sums->searches_with_match);
	return bs_buffer_append(out, text, (size_t)n, err);
}

const struct bs_grep_sink_methods bs_grep_json_methods = {begin, take_line, gap, see_nul, finish};
