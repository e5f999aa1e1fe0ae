/*
 * grep_printer.h: turns the events of searching a file into output: lines, JSON, or one line about
 * the whole file. A printer belongs to one thread and prints file after file, each into the buffer
 * to.out, from which the output may be taken line by line.
 */
#pragma once

#include "core/base/vector.h"
#include "core/bitsift/grep_request.h"
#include "core/program/options.h"
#include "query/grep/match/conditions.h"
#include "query/grep/match/function_context.h"
#include "query/grep/print/results.h"
#include "query/regex/text.h"

/* The effect of a NUL byte. */
enum bs_grep_binary {
	/* ends the search of the file; the default for files found by walking */
	BS_GREP_BINARY_QUIT,
	/* counts as a line end; a message replaces further lines; for named files and --binary */
	BS_GREP_BINARY_CONVERT,
	BS_GREP_BINARY_TEXT, /* an ordinary byte: -a */
};

/* How the search of a file ended. */
struct bs_grep_finish {
	uint64_t searched_bytes;
	bool is_binary;
	uint64_t binary_off;
	enum bs_grep_binary binary; /* the treatment of NUL bytes in this file */
};

/* The result of searching one file. */
struct bs_grep_outcome {
	bool has_matched;
	/* lines were printed, not only the message that a binary file matches */
	bool has_lines;
	uint64_t n_results; /* results found; only counted with `picks` */
	bool owes_end;      /* the JSON end message is still to be made from finish and sums */
	struct bs_grep_finish finish;
	struct bs_grep_sums sums;
};

BS_VECTOR(bs_grep_spans, struct bs_grep_span);

struct bs_grep_printer {
	const struct bs_grep_output *output;
	const struct bs_grep_program *program;
	uint8_t line_end;
	bool crlf, is_pcre2, is_multi_line;
	/* lines are stored for the request's callback, see bs_grep_deliver_lines() */
	bool keeps_lines;
	/* a matching line is printed verbatim after a prefix that is the same for the whole file */
	bool is_plain;
	/* outcome.sums are counted, so that -l and -q do not end the search of a file */
	bool counts;
	/* When a limit ends the call, the lines found so far are kept and the search of the file
	 * ends without failure. */
	bool shows_part;
	uint64_t max_count;
	/* group_separator.bytes is NULL if there is no group separator */
	struct bs_grep_separator match_separator, context_separator, group_separator;
	const struct bs_grep_traits *traits; /* traits of the matcher */
	struct bs_grep_scratch *scratch;     /* finds the matches of a line again */
	struct bs_condition_matcher *asker;  /* NULL: there are no conditions */
	/* NULL: not wanted; otherwise the function context of the next match */
	struct bs_function_context *context;
	/* Set before each file. */
	const char *path; /* as printed; NULL: not printed */
	/* The output, and the first failure. */
	struct bs_text_writer to;
	/* Called when to.out has offer_bytes or more, and before more of the file is read. Empties
	 * to.out if the output can be emitted now. False: stop. */
	bool (*offer)(void *context);
	void *offer_context;
	size_t offer_bytes;
	/* --max-results or --after is given, and results are lines. */
	bool picks;
	uint64_t most_results; /* results beyond this number are only counted */
	uint64_t passed_line;  /* results up to this line are skipped */
	/* with --max-results: where each shown result begins in the output, and where the first
	 * result that is only counted begins */
	struct bs_result_marks *marks;
	/* The state of the current file. */
	struct bs_grep_outcome outcome;
	uint64_t n_matched;  /* matching lines; with -U, in output about whole files: matches */
	uint64_t after_left; /* lines of context still to be shown after the last match */
	/* A NUL byte with BS_GREP_BINARY_CONVERT was found: in BS_GREP_LINES, a message that the
	 * file matches replaces all further lines. */
	bool has_nul;
	bool has_begun;          /* JSON: the begin message was written */
	bool has_place;          /* `place` is set */
	struct bs_buffer place;  /* link target of the file: grep_path.h */
	bool has_prefix;         /* `prefix` is set */
	struct bs_buffer prefix; /* is_plain: precedes each matching line */
	/* bytes of output that `offer` has removed from to.out so far */
	uint64_t taken_bytes;
	uint64_t escape_bytes; /* bytes of escape sequences in the file's output so far */
	size_t whole_bytes;    /* bytes in to.out without the current, incomplete line */
	uint64_t start_ns;
	/* The state of the current line. */
	struct bs_grep_spans matches;
	struct bs_buffer replaced;         /* the line with its matches replaced */
	struct bs_grep_spans replacements; /* the replacements' positions in `replaced` */
};

/* Initialises a printer. All arguments are borrowed. */
void bs_grep_printer_init(struct bs_grep_printer *printer, const struct bs_grep_request *request,
                          const struct bs_grep_program *program,
                          const struct bs_grep_matcher *matcher, struct bs_grep_scratch *scratch);
void bs_grep_printer_deinit(struct bs_grep_printer *printer);

enum bs_grep_line_kind {
	BS_GREP_LINE_MATCH,
	BS_GREP_LINE_BEFORE,
	BS_GREP_LINE_AFTER,
	BS_GREP_LINE_ENCLOSING,
	BS_GREP_LINE_OTHER, /* --passthru */
};

/* A line, or with -U the lines that one or more adjoining matches touch. */
struct bs_grep_found {
	const uint8_t *text; /* the part of the file in memory */
	size_t text_bytes;
	size_t start, end; /* offsets in text; includes the line end */
	uint64_t file_off; /* offset of start in the file */
	uint64_t number;   /* 1-based; 0: lines are not counted */
};

/* Begins a file. */
void bs_grep_print_begin(struct bs_grep_printer *printer);
/* Prints a line. False: stop. */
bool bs_grep_print_line(struct bs_grep_printer *printer, enum bs_grep_line_kind kind,
                        const struct bs_grep_found *line);
/* True if the printer stops after max_count matching lines. With -U but without -v, the search
 * itself stops after max_count matches. */
bool bs_grep_print_limits_lines(const struct bs_grep_printer *printer);
/* With `picks`: call before a result, whose last line is number last_line, is printed. False: do
 * not print the result, only count it. */
bool bs_grep_print_result(struct bs_grep_printer *printer, uint64_t last_line);
/* Counts a matching line that is skipped (is_passed) or only counted. False: stop. */
bool bs_grep_print_unshown(struct bs_grep_printer *printer, bool is_passed);
/* Prints the group separator, which marks lines that are left out between two printed lines. */
void bs_grep_print_gap(struct bs_grep_printer *printer);
/* Notes that a NUL byte was found. Call before the lines that follow it are printed. */
void bs_grep_print_nul(struct bs_grep_printer *printer, enum bs_grep_binary binary);
void bs_grep_print_finish(struct bs_grep_printer *printer, const struct bs_grep_finish *finish);

/* Prints the output for a file that was not opened, because an index shows that no line of it
 * matches. Only for output about whole files. */
void bs_grep_print_known(struct bs_grep_printer *printer, const struct bs_grep_known *known);

/* The group separator of the request, "--" by default; bytes NULL: none. */
struct bs_grep_separator bs_grep_group_separator(const struct bs_grep_output *output);

/* Calls the request's `line` callback for each line that a printer with keeps_lines stored in `out`
 * for a file. False: the callback asked to stop. */
bool bs_grep_deliver_lines(const struct bs_grep_request *request, const char *path,
                           const struct bs_buffer *out);

/* Appends the JSON end message of a file that was left open (owes_end). shown: its path as
 * printed. */
enum bs_status bs_grep_json_end(const struct bs_grep_program *program, const char *shown,
                                const struct bs_grep_finish *finish,
                                const struct bs_grep_sums *sums, struct bs_buffer *out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Appends the last JSON message. results NULL: without --max-results. */
enum bs_status bs_grep_json_summary(const struct bs_grep_sums *sums, uint64_t elapsed_ns,
                                    const struct bs_grep_results *results, struct bs_buffer *out,
                                    struct bs_error *err) BS_WARN_UNUSED;
