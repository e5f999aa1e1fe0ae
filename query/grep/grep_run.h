/*
 * grep_run.h: the files of a source searched by several threads, their output put out in the
 * source's order.
 *
 * A ring (core/system/workers.h) holds the files between the source and the output. The calling
 * thread fills it, workers search. Whoever searches the file that is next in order puts its output
 * out while it goes on, and in the end that of the finished files behind it. Memory is bounded: a
 * worker with much output for a file that is not next waits until it is. A stream is opened only
 * when it is next: nobody waits for it in vain.
 */
#pragma once

#include "query/grep/match/conditions.h"
#include "query/grep/print/grep_printer.h"
#include "query/grep/read/grep_source.h"
#include "query/grep/read/grep_text.h"

/* A search: the data that its parts share. */
struct bs_grep_search {
	const struct bs_grep_request *request; /* the pattern, and what comes out */
	const struct bs_grep_program *program;
	enum bs_grep_coding coding;
	bool is_text;    /* NUL is a byte as any other */
	bool maps_files; /* named files are searched as rg searches those it maps */
	unsigned n_threads;
	struct bs_grep_walk_options walk;
	struct bs_grep_analysis analysis; /* of the pattern */
	struct bs_grep_matcher *matcher;
	struct bs_conditions conditions;
	struct bs_grep_source *source;
	/* Results. */
	struct bs_results results;
	struct bs_grep_result *result;
	struct bs_grep_sums sums;
	/* Output of the file that is shown so, or what stands before it, in order; false: nobody
	 * wants more. On any thread; calls do not overlap. */
	bool (*put)(void *context, const char *shown, const struct bs_buffer *out);
	/* What was put is to be seen now. As put. */
	void (*flush)(void *context);
	/* A line about a file that could not be read or searched. On any thread, perhaps while put
	 * runs. */
	void (*report)(void *context, const char *message);
	void *context;
};

/* Whether the call ends so because of its limits, and what was found until then is the answer. */
bool bs_grep_is_cut(const struct bs_grep_request *request, enum bs_status status);

/* Searches the files of the source. BS_NO_MEMORY, or what the source fails with. */
enum bs_status bs_grep_run(struct bs_grep_search *search, struct bs_error *err) BS_WARN_UNUSED;
