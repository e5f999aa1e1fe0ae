/* cmd_progress.h: how the commands that write an index are interrupted, and what they show of their
 * progress. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/bitsift/build.h"

/*
 * bs_interrupt_catch: from now on the first SIGINT or SIGTERM is noted, unless it is ignored, and
 * cancels the call that gets the limits returned. The second ends the program, and so does the
 * first if the call works on for a tenth of a second.
 *
 * bs_interrupt_end ends the program by the signal that came, with a line; it returns if none came.
 * is_done: the index was committed before.
 */
struct bs_limits bs_interrupt_catch(void);
void bs_interrupt_end(bool is_done);

/* A line on standard error that is drawn again and again, on a terminal, for work that takes over a
 * second. */
struct bs_progress {
	const char *verb; /* "indexing" */
	bool is_drawn;
	enum bs_build_step step;
	uint64_t last_drawn_ns;
};
/* Starts the line if it is due after elapsed_ns of work: erases it and prints the verb. False: not
 * due. */
bool bs_progress_begin(struct bs_progress *progress, uint64_t elapsed_ns);
/* For bs_build_request.progress: draws the line if it is time to. context begins with a struct
 * bs_progress. */
int bs_progress_show(void *context, const struct bs_build_report *report);
/* Before anything else is written to standard error. */
void bs_progress_clear(struct bs_progress *progress);
