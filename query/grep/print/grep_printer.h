/*
 * grep_printer.h: what the search of a file tells, event by event, and what is printed of it:
 * lines, JSON, or one line about the whole file. A printer belongs to one thread and prints file
 * after file, each into the buffer that out points to, from where it may be taken line by line.
 */
#pragma once

#include "core/base/vector.h"
#include "core/bitsift/grep_request.h"
#include "core/program/options.h"
#include "query/grep/match/conditions.h"
#include "query/grep/match/function_context.h"
#include "query/grep/print/results.h"
#include "query/regex/text.h"

/* What is done with a NUL byte. */
enum bs_grep_binary {
	/* ends the search of the file: the rule for files found by walking */
	BS_GREP_BINARY_QUIT,
	/* is a line's end; that the file matches is said instead of the lines: files named */
	BS_GREP_BINARY_CONVERT,
	BS_GREP_BINARY_TEXT, /* is a byte as any other: -a */
};

/* Sums, of one file or of many. */
struct bs_grep_sums {
	unsigned long long elapsed_ns, searches, searches_with_match;
	unsigned long long searched_bytes, printed_bytes, matched_lines, matches;
};

/* How the search of a file ended. */
struct bs_grep_finish {
	uint64_t searched_bytes;
	bool is_binary;
	uint64_t binary_off;
	enum bs_grep_binary binary; /* what was to be done with NUL bytes */
};

/* The result of searching one file. */
struct bs_grep_outcome {
	bool has_matched;
	bool has_lines;     /* a line was written: not only that a binary file matches */
	uint64_t n_results; /* where they are picked */
	bool owes_end;      /* ... the message that ends a file is to be made of finish and sums */
	struct bs_grep_finish finish;
	struct bs_grep_sums sums;
};

BS_VECTOR(bs_grep_spans, struct bs_grep_span);

struct bs_grep_printer {
	const struct bs_grep_output *output;
	const struct bs_grep_program *program;
	uint8_t line_end;
	bool crlf;
	bool keeps_lines; /* for a callback: out is what bs_grep_tell_lines() reads */
	/* a line that matches is printed as it is, behind what is the same for all of a file */
	bool is_plain;
	/* of a file, where there was no time for the rest: nothing is said of all of it */
	bool shows_part;
	uint64_t max_count;
	/* group: NULL if there is none */
	struct bs_grep_separator match_separator, context_separator, group_separator;
	const struct bs_grep_traits *traits; /* of the matcher */
	struct bs_grep_scratch *scratch;     /* to find matches again with */
	struct bs_condition_asker *asker;    /* NULL: a line that matches is found */
	/* NULL: it is not wanted; else that of the match that is told next */
	struct bs_function_context *context;
	/* Set before each file. */
	const char *path; /* as it is shown; NULL: not */
	/* where what is printed goes, and the first failure: no memory, or a match limit */
	struct bs_text_writer to;
	/* Takes what is in out, or leaves it for later; asked when that has offer_bytes, and before
	 * more of the file is read. False: no more is wanted. */
	bool (*offer)(void *context);
	void *offer_context;
	size_t offer_bytes;
	/* Where results are picked: --max-results, --after. */
	bool picks;
	uint64_t most_results;         /* those behind them are only counted */
	uint64_t passed_line;          /* those up to it are passed over */
	struct bs_result_marks *marks; /* of the results, and of the first that is only counted */
	/* Of the file in hand. */
	struct bs_grep_outcome outcome;
	uint64_t n_matched;  /* lines, or with -U in counts: matches */
	uint64_t after_left; /* context that is still wanted once the limit is reached */
	/* a NUL byte was met: no more lines are shown, it is said that the file matches */
	bool has_nul;
	bool has_begun;          /* JSON: the message that begins a file was written */
	bool has_place;          /* where links to the file lead is known */
	struct bs_buffer place;  /* ... it is this: grep_path.h */
	bool has_prefix;         /* is_plain: what stands before each line that matches is known */
	struct bs_buffer prefix; /* ... it is this */
	uint64_t taken_bytes;    /* of what was written, by offer */
	size_t whole_bytes;      /* of what is in out, without the line that is being put there */
	uint64_t start_ns;
	/* Of the line in hand. */
	struct bs_grep_spans matches;
	struct bs_buffer replaced;         /* the line with matches replaced */
	struct bs_grep_spans replacements; /* where, in replaced */
};

/* Everything is borrowed. */
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

/* A line, or with -U the lines that a run of matches touches. */
struct bs_grep_found {
	const uint8_t *text; /* of the part of the file that is in hand */
	size_t text_bytes;
	size_t start, end; /* offsets in text, the line's end included */
	uint64_t file_off; /* of start */
	uint64_t number;   /* 1-based; 0: not counted */
};

/* A file begins. */
void bs_grep_print_begin(struct bs_grep_printer *printer);
/* False: no more lines are wanted. */
bool bs_grep_print_line(struct bs_grep_printer *printer, enum bs_grep_line_kind kind,
                        const struct bs_grep_found *line);
/* Where results are picked: a result comes next, whose last line has that number. False: it is only
 * counted. */
bool bs_grep_print_result(struct bs_grep_printer *printer, uint64_t last_line);
/* A line that matches is passed over, or only counted. False: no more lines are wanted. */
bool bs_grep_print_unshown(struct bs_grep_printer *printer, bool is_passed);
/* Lines were left out between two that are shown. */
void bs_grep_print_gap(struct bs_grep_printer *printer);
/* A NUL byte was met, before the lines that follow are told. */
void bs_grep_print_nul(struct bs_grep_printer *printer, enum bs_grep_binary binary);
void bs_grep_print_finish(struct bs_grep_printer *printer, const struct bs_grep_finish *finish);

/* Of the request: "--", or what it wants; NULL: none. */
struct bs_grep_separator bs_grep_group_separator(const struct bs_grep_output *output);

/* Calls the request's line for each of the lines in out, which a printer with keeps_lines made of a
 * file. False: nobody wants more. */
bool bs_grep_tell_lines(const struct bs_grep_request *request, const char *path,
                        const struct bs_buffer *out);

/* Appends the message of --json that ends the file shown so, where it was left open because results
 * are picked. */
enum bs_status bs_grep_json_end(const struct bs_grep_program *program, const char *shown,
                                const struct bs_grep_finish *finish,
                                const struct bs_grep_sums *sums, struct bs_buffer *out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Appends the last message of --json. results NULL: there is no limit. */
enum bs_status bs_grep_json_summary(const struct bs_grep_sums *sums, uint64_t elapsed_ns,
                                    const struct bs_grep_results *results, struct bs_buffer *out,
                                    struct bs_error *err) BS_WARN_UNUSED;
