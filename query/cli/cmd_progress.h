/* cmd_progress.h: interrupts `bitsift index` and `compact`; shows their progress and `check`'s. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/bitsift/build.h"

/*
 * bs_interrupt_catch: from now on, the first SIGINT or SIGTERM (unless ignored) cancels a call that
 * has the returned limits. The program ends at a second signal of the same kind, or if the call
 * continues for a tenth of a second of processor time.
 *
 * bs_interrupt_end: if a signal arrived, prints a line and ends the program by that signal;
 * otherwise returns. is_done: the index was committed before.
 */
struct bs_limits bs_interrupt_catch(void);
void bs_interrupt_end(bool is_done);

/* A status line on standard error. It is drawn only on a terminal, first after a second of work,
 * and then repeatedly. */
struct bs_progress {
	const char *verb;        /* What the command does, such as "indexing". */
	bool is_drawn;           /* The line is on the screen. */
	enum bs_build_step step; /* The step of the build when the line was last drawn. */
	uint64_t last_drawn_ns;  /* The elapsed_ns when the line was last drawn. */
};
/* If it is time to draw the line, after elapsed_ns of work, erases the old one, prints the verb and
 * returns true. */
bool bs_progress_begin(struct bs_progress *progress, uint64_t elapsed_ns);
/* A callback for bs_build_request.callbacks.progress: draws the line if it is time. context begins
 * with a struct bs_progress. */
int bs_progress_show(void *context, const struct bs_build_report *report);
/* Erases the line. Call this before anything else is written to standard error. */
void bs_progress_clear(struct bs_progress *progress);
