/*
 * cmd_input.h: reads a file that an option names, or standard input if it names "-" (not sources or
 * texts to search). A file that is read whole has a size limit; a timer limits the wait for a pipe.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/bitsift/status.h"

#define BS_OPTION_FILE_BYTES ((size_t)16 << 20) /* The size limit of a file that is read whole. */

uint64_t bs_timer_now_ns(void); /* The current time of CLOCK_MONOTONIC. */

struct bs_timer {
	uint64_t end_ns; /* When the time is over, by CLOCK_MONOTONIC; UINT64_MAX: never. */
};
/* Starts the timer. limit_ns 0: no limit. */
void bs_timer_start(struct bs_timer *timer, uint64_t limit_ns);
/* The remaining time in nanoseconds, as a limit for the next calls: at least 1; 0 if there is no
 * limit. */
uint64_t bs_timer_left(const struct bs_timer *timer);

struct bs_input {
	const char *path; /* The path of the file, borrowed; "-": standard input. */
	int fd;
	char bytes[65536]; /* The last piece read; bytes from `at` on are not consumed yet. */
	size_t at, n_bytes;
};
enum bs_status bs_input_open(struct bs_input *input, const char *path,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_input_close(struct bs_input *input);
/* Reads the next piece; it is empty at the end of the file. BS_IO, BS_DEADLINE. */
enum bs_status bs_input_more(struct bs_input *input, const struct bs_timer *timer,
                             struct bs_error *err) BS_WARN_UNUSED;

/* Reads a whole file onto the heap and appends a NUL, which is not counted. *bytes_out is NULL
 * after a failure. BS_IO, BS_DEADLINE, BS_NO_MEMORY. BS_INVALID: the file has more than
 * BS_OPTION_FILE_BYTES. */
enum bs_status bs_input_read_file(const char *path, const struct bs_timer *timer, char **bytes_out,
                                  size_t *n_bytes_out, struct bs_error *err) BS_WARN_UNUSED;
/* The next line of the bytes [*at, end), without the "\n" or "\r\n" that ends it; advances *at past
 * it. A last line without "\n" keeps its "\r". NULL: no line is left. */
const char *bs_input_line(const char **at, const char *end, size_t *n_bytes_out);
