/*
 * cmd_fault.c: handles SIGBUS, which occurs when a mapped file of the index is truncated or cannot
 * be read. The handler uses only async-signal-safe functions and system calls. The library installs
 * no handlers.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "query/cli/cmd_output.h"
#include "query/cli/commands.h"

/* A line of /proc/self/maps, such as "7f12e000-7f12f000 r--p 00000000 08:01 131 /path". */
#define LINE_BYTES (PATH_MAX + 128)

static uintptr_t take_hex(const char **at)
{
	uintptr_t value = 0;
	for (;; (*at)++) {
		char c = **at;
		if (c >= '0' && c <= '9')
			value = value << 4 | (uintptr_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uintptr_t)(c - 'a' + 10);
		else
			return value;
	}
}

/* If the range of a line of /proc/self/maps contains the address, returns the path of the mapped
 * file; otherwise, or without a file, NULL. */
static const char *path_in(const char *line, uintptr_t address)
{
	uintptr_t start = take_hex(&line);
	line += *line == '-';
	uintptr_t end = take_hex(&line);
	return address >= start && address < end ? strchr(line, '/') : NULL;
}

/* Finds the line of /proc/self/maps for the address, and the path of the mapped file in it. */
static bool find_file(uintptr_t address, char line[LINE_BYTES], const char **path_out)
{
	char bytes[1024];
	size_t n_line = 0;
	ssize_t n = 0;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	*path_out = NULL;
	while (fd >= 0 && !*path_out && (n = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n && !*path_out; i++) {
			if (bytes[i] != '\n') {
				line[n_line] = bytes[i];
				n_line += n_line + 1 < LINE_BYTES;
				continue;
			}
			line[n_line] = '\0';
			n_line = 0;
			*path_out = path_in(line, address);
		}
	}
	if (fd >= 0)
		close(fd);
	return *path_out != NULL;
}

static void say(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
}

/* Prints the path on standard error, with control characters escaped. */
static void say_path(const char *path)
{
	static const char digits[] = "0123456789abcdef";
	for (; *path; path++) {
		uint8_t c = (uint8_t)*path;
		char escape[5] = {'\\', 'x', digits[c >> 4], digits[c & 15], '\0'};
		char plain[2] = {*path, '\0'};
		say(c < 0x20 || c >= 0x7f ? escape : plain);
	}
}

static void end_program(int number, siginfo_t *info, void *context)
{
	char line[LINE_BYTES];
	const char *path;
	(void)context;
	/* No file is mapped at the address, so the fault is a programming error. With the default
	 * action, it recurs when the handler returns, and ends the program. */
	if (info->si_code != BUS_ADRERR || !find_file((uintptr_t)info->si_addr, line, &path)) {
		signal(number, SIG_DFL);
		return;
	}
	bs_output_rescue();
	say("bitsift: ");
	say_path(path);
	say(": was truncated, or cannot be read, while in use\n");
	_exit(2);
}

void bs_fault_catch(void)
{
	struct sigaction action = {.sa_sigaction = end_program, .sa_flags = SA_SIGINFO};
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
