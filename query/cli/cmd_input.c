/* cmd_input.c: see cmd_input.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "query/cli/cmd_input.h"

uint64_t bs_timer_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void bs_timer_start(struct bs_timer *timer, uint64_t limit_ns)
{
	uint64_t now = bs_timer_now_ns();
	bool has_limit = limit_ns > 0 && limit_ns < UINT64_MAX - now;
	*timer = (struct bs_timer){.end_ns = has_limit ? now + limit_ns : UINT64_MAX};
}

uint64_t bs_timer_left(const struct bs_timer *timer)
{
	uint64_t now = bs_timer_now_ns();
	if (timer->end_ns == UINT64_MAX)
		return 0;
	return now < timer->end_ns ? timer->end_ns - now : 1;
}

/* The time left as a timeout for poll; -1: no limit. */
static int left_ms(const struct bs_timer *timer)
{
	uint64_t now = bs_timer_now_ns();
	if (timer->end_ns == UINT64_MAX)
		return -1;
	uint64_t ms = now < timer->end_ns ? (timer->end_ns - now + 999999) / 1000000 : 0;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

enum bs_status bs_input_open(struct bs_input *input, const char *path, struct bs_error *err)
{
	*input = (struct bs_input){.path = path, .fd = STDIN_FILENO};
	/* O_NONBLOCK: opening a named pipe does not wait for its writer; bs_input_more waits, with
	 * a time limit. */
	if (strcmp(path, "-") != 0)
		input->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return input->fd >= 0 ? BS_OK
	                      : bs_fail(err, BS_IO, "%s: %s", *path ? path : "''", strerror(errno));
}

void bs_input_close(struct bs_input *input)
{
	if (input->fd > STDIN_FILENO)
		close(input->fd);
	input->fd = -1;
}

enum bs_status bs_input_more(struct bs_input *input, const struct bs_timer *timer,
                             struct bs_error *err)
{
	ssize_t n = -1;
	input->at = input->n_bytes = 0;
	while (n < 0) {
		int ms = left_ms(timer);
		int n_ready =
			ms == 0 ? 0
				: poll(&(struct pollfd){.fd = input->fd, .events = POLLIN}, 1, ms);
		if (n_ready == 0)
			return bs_fail(
				err, BS_DEADLINE,
				"%s: the time limit ended before the file was read to its end",
				input->path);
		n = n_ready > 0 ? read(input->fd, input->bytes, sizeof(input->bytes)) : -1;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return bs_fail(err, BS_IO, "%s: %s", input->path, strerror(errno));
	}
	input->n_bytes = (size_t)n;
	return BS_OK;
}

static enum bs_status read_all(struct bs_input *input, const struct bs_timer *timer, FILE *to,
                               struct bs_error *err)
{
	enum bs_status status;
	size_t n_bytes = 0;
	while (!(status = bs_input_more(input, timer, err)) && input->n_bytes > 0) {
		n_bytes += input->n_bytes;
		if (n_bytes > BS_OPTION_FILE_BYTES)
			return bs_fail(err, BS_INVALID, "%s: longer than %zu bytes", input->path,
			               BS_OPTION_FILE_BYTES);
		if (fwrite(input->bytes, 1, input->n_bytes, to) < input->n_bytes)
			return bs_fail_memory(err, input->path, n_bytes);
	}
	return status;
}

enum bs_status bs_input_read_file(const char *path, const struct bs_timer *timer, char **bytes_out,
                                  size_t *n_bytes_out, struct bs_error *err)
{
	struct bs_input *input = malloc(sizeof(*input));
	FILE *memory = open_memstream(bytes_out, n_bytes_out);
	enum bs_status status = input && memory ? bs_input_open(input, path, err)
	                                        : bs_fail_memory(err, path, sizeof(*input));
	if (!status) {
		status = read_all(input, timer, memory, err);
		bs_input_close(input);
	}
	free(input);
	if (memory && fclose(memory) != 0 && !status)
		status = bs_fail_memory(err, path, *n_bytes_out);
	if (status) {
		free(memory ? *bytes_out : NULL);
		*bytes_out = NULL;
	}
	return status;
}

const char *bs_input_line(const char **at, const char *end, size_t *n_bytes_out)
{
	const char *line = *at;
	if (line == end)
		return NULL;
	const char *feed = memchr(line, '\n', (size_t)(end - line));
	const char *stop = feed ? feed : end;
	*at = feed ? feed + 1 : end;
	*n_bytes_out = (size_t)(stop - line) - (feed && stop > line && stop[-1] == '\r');
	return line;
}
