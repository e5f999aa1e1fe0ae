/*
 * grep_printer.h: the printers: lines, JSON, and what is said of a whole file. One belongs to one thread and prints file
 * after file, each into the buffer that sink.out then points to.
 */
#ifndef BS_QUERY_GREP_GREP_PRINTER_H
#define BS_QUERY_GREP_GREP_PRINTER_H

#include "query/grep/grep_sink.h"

/* Sums, of one file or of many. */
struct bs_grep_sums {
	uint64_t elapsed_ns, searches, searches_with_match, searched_bytes, printed_bytes, matched_lines, matches;
};

struct bs_grep_printer {
	struct bs_grep_sink sink; /* path, out, status are set before each file */
	uint64_t n_matched;       /* lines, or with -U in counts: matches */
	uint64_t after_left;      /* context that is still wanted once the limit is reached */
	bool has_nul; /* a NUL byte was met: no more lines are shown, it is said that the file matches */
	struct bs_buffer matches;  /* of struct bs_grep_span: in the line in hand */
	struct bs_buffer replaced; /* the line in hand with matches replaced */
	struct bs_buffer replacements; /* of struct bs_grep_span: where, in replaced */
	bool in_color;
	bool has_lines; /* a line of the file was written */
	bool has_begun; /* JSON: the message that begins a file was written */
	uint64_t start_ns;
	struct bs_grep_sums sums; /* of the file in hand */
};

/* Chooses the methods by output->format. Everything is borrowed. */
void bs_grep_printer_init(struct bs_grep_printer *printer, const struct bs_grep_output *output,
                          const struct bs_grep_search *search, const struct bs_grep_matcher *matcher,
                          struct bs_grep_scratch *scratch);
void bs_grep_printer_deinit(struct bs_grep_printer *printer);

extern const struct bs_grep_sink_methods bs_grep_standard_methods, bs_grep_json_methods, bs_grep_summary_methods;

/* Appends the last message of --json. */
enum bs_status bs_grep_json_summary(const struct bs_grep_sums *sums, uint64_t elapsed_ns, struct bs_buffer *out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* For printers: text in a colour, whose bytes switch it on. */
void bs_grep_put_colored(struct bs_grep_printer *printer, const char *color, const void *text, size_t n_bytes);
/* The file's path, coloured; on a terminal without what that would obey. */
void bs_grep_put_path(struct bs_grep_printer *printer);
void bs_grep_put_line_end(struct bs_grep_printer *printer);
/* A line was matched: whether the limit (-m) and its context leave more to be wanted. */
void bs_grep_count_match(struct bs_grep_printer *printer);
bool bs_grep_wants_more(const struct bs_grep_printer *printer);

static inline struct bs_grep_printer *bs_grep_printer_of(struct bs_grep_sink *sink)
{
	return (struct bs_grep_printer *)sink;
}

#endif
