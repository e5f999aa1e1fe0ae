/* cmd_output.c: see cmd_output.h. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "query/cli/cmd_output.h"

#define OUTPUT_BYTES ((size_t)65536)

static struct {
	/* A spin lock instead of a mutex, because a signal handler takes it too. */
	atomic_flag is_locked;
	size_t n_bytes;
	int error_number; /* The errno of the first failure to write; 0: none. */
	uint8_t bytes[OUTPUT_BYTES];
} output = {.is_locked = ATOMIC_FLAG_INIT};

/* True while this thread has the lock. It copies bytes meanwhile, which may be those of a mapped
 * file, so a signal may interrupt it. */
static _Thread_local volatile sig_atomic_t has_lock;

static void lock(void)
{
	while (atomic_flag_test_and_set_explicit(&output.is_locked, memory_order_acquire))
		sched_yield();
	has_lock = true;
}

static bool unlock(void)
{
	int error_number = output.error_number;
	has_lock = false;
	atomic_flag_clear_explicit(&output.is_locked, memory_order_release);
	errno = error_number;
	return error_number == 0;
}

static void write_all(const uint8_t *bytes, size_t n_bytes)
{
	while (n_bytes > 0 && !output.error_number) {
		ssize_t n = write(STDOUT_FILENO, bytes, n_bytes);
		if (n < 0 && errno != EINTR)
			output.error_number = errno;
		bytes += n < 0 ? 0 : n;
		n_bytes -= n < 0 ? 0 : (size_t)n;
	}
}

static void empty(void)
{
	write_all(output.bytes, output.n_bytes);
	output.n_bytes = 0;
}

bool bs_output_add(const void *bytes, size_t n_bytes)
{
	lock();
	if (n_bytes > OUTPUT_BYTES - output.n_bytes)
		empty();
	if (n_bytes > OUTPUT_BYTES) {
		write_all(bytes, n_bytes);
	} else if (n_bytes > 0) {
		memcpy(output.bytes + output.n_bytes, bytes, n_bytes);
		output.n_bytes += n_bytes;
	}
	return unlock();
}

bool bs_output_flush(void)
{
	lock();
	empty();
	return unlock();
}

/* Errors are ignored here; bs_output_flush reports them. */
static ssize_t write_stream(void *cookie, const char *bytes, size_t n_bytes)
{
	(void)cookie;
	(void)bs_output_add(bytes, n_bytes);
	return (ssize_t)n_bytes;
}

enum bs_status bs_output_stream(FILE **stream_out, struct bs_error *err)
{
	static char buffer[OUTPUT_BYTES];
	*stream_out = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_stream});
	if (!*stream_out)
		return bs_fail_memory(err, "a stream", sizeof(buffer));
	(void)setvbuf(*stream_out, buffer, _IOFBF, sizeof(buffer));
	return BS_OK;
}

void bs_output_rescue(void)
{
	if (!has_lock)
		lock();
	empty();
}
