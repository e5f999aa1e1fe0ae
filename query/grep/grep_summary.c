/* grep_summary.c: the printer of what is said of a whole file: -c, --count-matches, -l, --files-without-match, -q. See
 * grep_printer.h. */
#include "query/grep/grep_printer.h"

#include <string.h>

static bool begin(struct bs_grep_sink *sink)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	printer->n_matched = 0;
	printer->after_left = 0;
	printer->sums = (struct bs_grep_sums){0};
	return sink->output->max_count > 0;
}

static bool take_line(struct bs_grep_sink *sink, enum bs_grep_line_kind kind, const struct bs_grep_line *line)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	enum bs_grep_format format = sink->output->format;
	uint64_t n_matches = 1;
	if (kind != BS_GREP_LINE_MATCH)
		return true;
	if (format == BS_GREP_COUNT_MATCHES || !sink->by_line) {
		struct bs_grep_finder finder;
		struct bs_grep_span at;
		bs_grep_finder_init(&finder, sink, line);
		for (n_matches = 0; bs_grep_finder_next(&finder, &at);)
			n_matches++;
	}
	printer->n_matched += sink->by_line ? 1 : n_matches;
	printer->sums.matches += n_matches;
	/* Not so for files without a match: a NUL byte further on would still decide what is said of the file. */
	if (format == BS_GREP_FILES_WITH || format == BS_GREP_QUIET)
		return false;
	return printer->n_matched < sink->output->max_count;
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

static void show_path(struct bs_grep_printer *printer)
{
	if (!printer->sink.path)
		return;
	bs_grep_put_path(printer);
	if (printer->sink.output->nul_after_path)
		bs_grep_put(&printer->sink, "", 1);
	else
		bs_grep_put_line_end(printer);
}

static void show_count(struct bs_grep_printer *printer, uint64_t count)
{
	struct bs_grep_sink *sink = &printer->sink;
	if (printer->n_matched == 0 && !sink->output->include_zero)
		return;
	if (sink->path && sink->output->with_path) {
		bs_grep_put_path(printer);
		bs_grep_put(sink, sink->output->nul_after_path ? "" : ":", 1);
	}
	bs_grep_put_number(sink, count);
	bs_grep_put_line_end(printer);
}

static void finish(struct bs_grep_sink *sink, const struct bs_grep_finish *finish)
{
	struct bs_grep_printer *printer = bs_grep_printer_of(sink);
	enum bs_grep_format format = sink->output->format;
	/* A file that the search was to be spared: it has no matches, nor is it one without. */
	bool is_spared = finish->is_binary && finish->binary == BS_GREP_BINARY_QUIT;
	if (is_spared)
		printer->n_matched = 0;
	sink->has_matched = format == BS_GREP_FILES_WITHOUT ? printer->n_matched == 0 : printer->n_matched > 0;
	if (is_spared)
		return;
	if (format == BS_GREP_COUNT)
		show_count(printer, printer->n_matched);
	else if (format == BS_GREP_COUNT_MATCHES)
		show_count(printer, printer->sums.matches);
	else if (format != BS_GREP_QUIET && sink->has_matched)
		show_path(printer);
}

const struct bs_grep_sink_methods bs_grep_summary_methods = {begin, take_line, gap, see_nul, finish};
