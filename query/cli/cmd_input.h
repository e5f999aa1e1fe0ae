/*
 * cmd_input.h: files that options name, and standard input. All of them are read with these
 * functions, so that each has a limit of size, and a timer ends the wait for a pipe.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/bitsift/status.h"

#define BS_OPTION_FILE_BYTES ((size_t)16 << 20) /* the longest file that is read whole */

uint64_t bs_timer_now_ns(void); /* CLOCK_MONOTONIC */

struct bs_timer {
	uint64_t end_ns; /* of CLOCK_MONOTONIC; UINT64_MAX: never */
};
/* limit_ns 0: no limit. */
void bs_timer_start(struct bs_timer *timer, uint64_t limit_ns);
/* The time left, as a limit for the next calls: at least 1, or 0 where there is no limit. */
uint64_t bs_timer_left(const struct bs_timer *timer);

struct bs_input {
	const char *path; /* borrowed; "-": standard input */
	int fd;
	char bytes[65536]; /* the piece that was read last, from `at` on not used yet */
	size_t at, n_bytes;
};
enum bs_status bs_input_open(struct bs_input *input, const char *path,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_input_close(struct bs_input *input);
/* Reads the next piece; of no bytes at the end. BS_IO, BS_DEADLINE. */
enum bs_status bs_input_more(struct bs_input *input, const struct bs_timer *timer,
                             struct bs_error *err) BS_WARN_UNUSED;

/* All bytes of a file, and a NUL that is not counted, on the heap; NULL after a failure. BS_IO,
 * BS_DEADLINE, BS_NO_MEMORY, BS_INVALID: it has more than BS_OPTION_FILE_BYTES. */
enum bs_status bs_input_read_file(const char *path, const struct bs_timer *timer, char **bytes_out,
                                  size_t *n_bytes_out, struct bs_error *err) BS_WARN_UNUSED;
/* The next line of the bytes [*at, end), without the "\n" or "\r\n" that ends it; *at moves past
 * it. A last line that has no "\n" keeps a "\r". NULL: there is no line left. */
const char *bs_input_line(const char **at, const char *end, size_t *n_bytes_out);
