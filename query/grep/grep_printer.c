/* grep_printer.c: what the printers share. See grep_printer.h and grep_sink.h. */
#include "query/grep/grep_printer.h"

#include <stdio.h>
#include <string.h>

#include "core/base/visible.h"

void bs_grep_put(struct bs_grep_sink *sink, const void *bytes, size_t n_bytes)
{
	if (!sink->status && n_bytes > 0)
		sink->status = bs_buffer_append(sink->out, bytes, n_bytes, sink->err);
}

void bs_grep_put_text(struct bs_grep_sink *sink, const char *text)
{
	bs_grep_put(sink, text, strlen(text));
}

const char *bs_grep_digits(uint64_t number, char digits[24], size_t *n_out)
{
	size_t at = 24;
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	*n_out = 24 - at;
	return digits + at;
}

void bs_grep_put_number(struct bs_grep_sink *sink, uint64_t number)
{
	char digits[24];
	size_t n;
	const char *first = bs_grep_digits(number, digits, &n);
	bs_grep_put(sink, first, n);
}

size_t bs_grep_trimmed_end(const struct bs_grep_sink *sink, const uint8_t *text, size_t start, size_t end)
{
	if (end > start && text[end - 1] == sink->output->line_end) {
		end--;
		if (sink->output->crlf && end > start && text[end - 1] == '\r')
			end--;
	}
	return end;
}

void bs_grep_put_colored(struct bs_grep_printer *printer, const char *color, const void *text, size_t n_bytes)
{
	bool is_colored = printer->sink.output->use_color && *color;
	if (is_colored)
		bs_grep_put_text(&printer->sink, color);
	bs_grep_put(&printer->sink, text, n_bytes);
	if (is_colored)
		bs_grep_put_text(&printer->sink, "\033[0m");
}

void bs_grep_put_path(struct bs_grep_printer *printer)
{
	struct bs_grep_sink *sink = &printer->sink;
	struct bs_buffer escaped = {0};
	const char *path = sink->path, *color = sink->output->colors.path;
	if (sink->output->is_terminal) {
		if (!sink->status)
			sink->status = bs_visible_escape(&escaped, path, strlen(path), sink->err);
		bs_grep_put_colored(printer, color, escaped.data, escaped.used_bytes);
	} else {
		bs_grep_put_colored(printer, color, path, strlen(path));
	}
	bs_buffer_deinit(&escaped);
}

void bs_grep_put_line_end(struct bs_grep_printer *printer)
{
	if (printer->sink.output->crlf)
		bs_grep_put_text(&printer->sink, "\r");
	bs_grep_put(&printer->sink, &printer->sink.output->line_end, 1);
}

void bs_grep_count_match(struct bs_grep_printer *printer)
{
	const struct bs_grep_output *output = printer->sink.output;
	printer->sink.has_matched = true;
	printer->n_matched++;
	/* A match in the context of the last one wanted is shown, and uses that context up. */
	if (printer->n_matched > output->max_count)
		printer->after_left -= printer->after_left > 0;
	else
		printer->after_left = output->after;
}

bool bs_grep_wants_more(const struct bs_grep_printer *printer)
{
	return printer->n_matched < printer->sink.output->max_count || printer->after_left > 0;
}

void bs_grep_printer_init(struct bs_grep_printer *printer, const struct bs_grep_output *output,
                          const struct bs_grep_search *search, const struct bs_grep_matcher *matcher,
                          struct bs_grep_scratch *scratch)
{
	const struct bs_grep_sink_methods *methods = &bs_grep_summary_methods;
	if (output->format == BS_GREP_LINES)
		methods = &bs_grep_standard_methods;
	if (output->format == BS_GREP_JSON)
		methods = &bs_grep_json_methods;
	*printer = (struct bs_grep_printer){.sink = {.methods = methods,
	                                             .output = output,
	                                             .search = search,
	                                             .scratch = scratch,
	                                             .matcher = matcher,
	                                             .by_line = bs_grep_matcher_by_line(matcher)}};
}

void bs_grep_printer_deinit(struct bs_grep_printer *printer)
{
	bs_buffer_deinit(&printer->matches);
	bs_buffer_deinit(&printer->replaced);
	bs_buffer_deinit(&printer->replacements);
}
