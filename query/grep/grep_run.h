/*
 * grep_run.h: searches the files of a source on several threads and emits their output in the order
 * of the source.
 *
 * A ring (core/system/workers.h) holds the files between source and output. The calling thread
 * fills it; workers search. The worker that searches the next file in order emits its output while
 * it searches, and then the output of the finished files that follow. Memory is bounded: a worker
 * with much output for a file that is not next waits for its turn. A stream is opened only when it
 * is next, so that no worker blocks on it earlier.
 */
#pragma once

#include "query/grep/match/conditions.h"
#include "query/grep/print/grep_printer.h"
#include "query/grep/read/grep_source.h"
#include "query/grep/read/grep_text.h"

/* A search: the data that its parts share. */
struct bs_grep_search {
	const struct bs_grep_request *request; /* has the patterns and the output options */
	const struct bs_grep_program *program;
	enum bs_grep_coding coding;
	bool is_text; /* a NUL byte does not make a file binary (-a, --null-data) */
	/* files are searched with the visible effects of rg's mmap */
	bool maps_files;
	/* a match may depend on text further back than the line before it */
	bool looks_far;
	unsigned n_threads;
	struct bs_grep_walk_options walk;
	struct bs_grep_analysis analysis; /* of the patterns */
	struct bs_grep_matcher *matcher;
	struct bs_conditions conditions;
	struct bs_grep_source *source;
	/* Results. */
	struct bs_results results;
	struct bs_grep_result *result;
	struct bs_grep_sums sums;
	/* Emits output, in order. shown: the printed path of the file that the output belongs to.
	 * False: stop. Called on any thread, one call at a time. */
	bool (*put)(void *context, const char *shown, const struct bs_buffer *out);
	/* Makes the output so far visible to the user. Called on any thread, never while put
	 * runs. */
	void (*flush)(void *context);
	/* Flushes output that has waited for a long time. Cheap; called on any thread between
	 * files, and between pieces of the file that is next in order. False: stop. */
	bool (*tick)(void *context);
	/* Reports a file that could not be read or searched. Called on any thread, perhaps while
	 * put runs. */
	void (*report)(void *context, const char *message);
	void *context;
};

/* True if the status means that a limit ended the call and the partial result is returned. */
bool bs_grep_is_cut(const struct bs_grep_request *request, enum bs_status status);

/* Searches the files of the source. BS_NO_MEMORY, BS_DEADLINE, and the failures of the source. */
enum bs_status bs_grep_run(struct bs_grep_search *search, struct bs_error *err) BS_WARN_UNUSED;
