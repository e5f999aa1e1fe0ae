/*
 * grep_run.h: the files of a source searched by several threads, their output put out in the source's order.
 *
 * A ring (core/base/workers.h) holds the files between the source and the output. The calling thread fills it, workers search, and
 * whoever finishes the file that is next in order puts its output out, and that of the finished ones behind it. Memory is
 * bounded: a worker with much output for a file that is not next waits until it is.
 */
#ifndef BS_QUERY_GREP_GREP_RUN_H
#define BS_QUERY_GREP_GREP_RUN_H

#include "query/grep/grep_options.h"
#include "query/grep/grep_printer.h"
#include "query/grep/grep_source.h"
#include "query/grep/grep_text.h"

struct bs_grep_request {
	struct bs_grep_source *source;
	struct bs_grep_matcher *matcher;
	const struct bs_grep_search *search;
	const struct bs_grep_output *output;
	enum bs_grep_coding coding;
	bool is_text;          /* -a */
	bool search_binary;    /* --binary: also below folders a NUL byte does not end the search */
	bool maps_files;       /* named files are searched as rg searches those it maps */
	bool stop_after_match; /* -q */
	unsigned n_threads;
	/* Output, in order, often a little; false: nobody wants more. On any thread; calls do not overlap. */
	bool (*write)(void *context, const void *bytes, size_t n_bytes);
	/* A line about a file that could not be read or searched. May overlap. */
	void (*report)(void *context, const char *message);
	void *context;
};

struct bs_grep_outcome {
	bool has_match;
	uint64_t n_files, read_bytes, n_with_match;
	struct bs_grep_sums sums;
};

/* BS_NO_MEMORY, or what the source fails with. */
enum bs_status bs_grep_run(const struct bs_grep_request *request, struct bs_grep_outcome *outcome_out,
                           struct bs_error *err) BS_WARN_UNUSED;

#endif
