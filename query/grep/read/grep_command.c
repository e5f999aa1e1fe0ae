/* grep_command.c: see grep_command.h. */
#include "query/grep/read/grep_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/deadline.h"

/* most bytes kept of the command's standard error */
#define SAID_BYTES 300

struct command {
	struct bs_grep_input input;
	struct bs_grep_wait wait;
	pid_t process;
	int out, said;  /* pipes from its standard output and standard error; -1: closed */
	bool is_at_end; /* standard output is at its end */
	size_t said_bytes;
	char text[SAID_BYTES + 1]; /* the first said_bytes bytes of its standard error */
	char name[64];             /* argv[0], for messages */
};

/* Intervals at which the deadline is checked. */
#define WATCHED_MS 2 /* while waiting for output */
#define ENDING_MS  1 /* after the output has ended, while waiting for the command to end */

static void close_pipe(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Reads once from the command's standard error, which must be readable. */
static void listen(struct command *self)
{
	char bytes[512];
	ssize_t n = read(self->said, bytes, sizeof(bytes));
	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		close_pipe(&self->said);
		return;
	}
	size_t room = SAID_BYTES - self->said_bytes, kept = (size_t)n < room ? (size_t)n : room;
	memcpy(self->text + self->said_bytes, bytes, kept);
	self->said_bytes += kept;
}

/* Kills the command, because the deadline is over. Closes the pipe from its standard error, because
 * processes that the command started may keep the other end open. */
static void give_up(struct command *self)
{
	(void)kill(self->process, SIGKILL);
	close_pipe(&self->said);
}

/* Waits for the command to end and returns its wait status. */
static int wait_for(struct command *self)
{
	int how = 0;
	pid_t ended;
	while (self->said >= 0) {
		if (bs_deadline_wait_readable(self->said, NULL))
			give_up(self);
		else
			listen(self);
	}
	while ((ended = waitpid(self->process, &how, bs_deadline_here ? WNOHANG : 0)) == 0 ||
	       (ended < 0 && errno == EINTR)) {
		if (bs_deadline_check(NULL))
			give_up(self);
		(void)poll(NULL, 0, ENDING_MS);
	}
	self->process = 0;
	return how;
}

/* Waits for the command, which has ended or soon will, and reports its failure. */
static enum bs_status end(struct command *self, struct bs_error *err)
{
	close_pipe(&self->out);
	if (self->process <= 0) {
		close_pipe(&self->said);
		return BS_OK;
	}
	int how = wait_for(self);
	if (bs_deadline_is_over())
		return BS_OK;
	while (self->said_bytes > 0 && strchr(" \t\r\n", self->text[self->said_bytes - 1]))
		self->said_bytes--;
	self->text[self->said_bytes] = '\0';
	for (char *at = self->text; *at; at++)
		*at = strchr("\t\r\n", *at) ? ' ' : *at;
	if ((WIFEXITED(how) && WEXITSTATUS(how) == 0) ||
	    (!self->is_at_end && self->said_bytes == 0))
		return BS_OK;
	bool is_killed = WIFSIGNALED(how);
	return bs_fail(err, BS_IO, "%s %s %d%s%s", self->name,
	               is_killed ? "was ended by signal" : "failed with exit status",
	               is_killed ? WTERMSIG(how) : WEXITSTATUS(how), self->said_bytes ? ": " : "",
	               self->text);
}

static enum bs_status command_read(struct bs_grep_input *input, void *to, size_t n_bytes,
                                   size_t *n_out, struct bs_error *err)
{
	struct command *self = (struct command *)(void *)input;
	struct pollfd coming[2] = {{.fd = self->out, .events = POLLIN},
	                           {.fd = self->said, .events = POLLIN}};
	*n_out = 0;
	if (self->is_at_end)
		return BS_OK;
	if (self->wait.run && poll(coming, 1, 0) == 0 && !self->wait.run(self->wait.context))
		return bs_fail(err, BS_STOPPED, "nobody wants more");
	for (;;) {
		coming[1].fd = self->said;
		coming[0].revents = coming[1].revents = 0;
		enum bs_status status = bs_deadline_check(err);
		if (status) {
			give_up(self);
			return status;
		}
		if (poll(coming, 2, bs_deadline_here ? WATCHED_MS : -1) < 0) {
			if (errno != EINTR)
				return bs_fail(err, BS_IO, "%s", strerror(errno));
			continue;
		}
		if (coming[1].revents)
			listen(self);
		if (!coming[0].revents)
			continue;
		ssize_t n = read(self->out, to, n_bytes);
		if (n < 0 && errno != EINTR)
			return bs_fail(err, BS_IO, "%s", strerror(errno));
		if (n > 0) {
			*n_out = (size_t)n;
			return BS_OK;
		}
		self->is_at_end = n == 0;
		if (self->is_at_end)
			return end(self, err);
	}
}

static enum bs_status command_close(struct bs_grep_input *input, struct bs_error *err)
{
	struct command *self = (struct command *)(void *)input;
	enum bs_status status = end(self, err);
	free(self);
	return status;
}

/* Makes a pipe whose descriptors are not 0 to 2. A pipe gets these numbers if this process was
 * started with standard streams closed; then the redirections for the command would overwrite each
 * other. */
static bool make_pipe(int ends[2])
{
	int made[2];
	if (pipe2(made, O_CLOEXEC) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		ends[i] = made[i] > STDERR_FILENO
		                  ? made[i]
		                  : fcntl(made[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (ends[i] != made[i])
			close(made[i]);
	}
	return ends[0] >= 0 && ends[1] >= 0;
}

/* Starts the command; returns an errno. Signals are reset, because this process may ignore SIGPIPE
 * and SIGXFSZ, and its threads block others. */
static int spawn(pid_t *process_out, const char *const *argv, int in, int out, int said)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults, none;
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	int error = posix_spawn_file_actions_init(&actions);
	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error)
		goto out;
	(void)posix_spawnattr_setsigdefault(&attributes, &defaults);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	error = error ? error : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	error = error ? error : posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
	error = error ? error
	              : posix_spawnp(process_out, argv[0], &actions, &attributes,
	                             (char *const *)(uintptr_t)argv, environ);
	(void)posix_spawnattr_destroy(&attributes);
out:
	(void)posix_spawn_file_actions_destroy(&actions);
	return error;
}

enum bs_status bs_grep_command_open(const char *const *argv, int fd, struct bs_grep_wait wait,
                                    struct bs_grep_input **input_out, struct bs_error *err)
{
	int out[2] = {-1, -1}, said[2] = {-1, -1}, error;
	struct command *self = calloc(1, sizeof(*self));
	enum bs_status status = self ? BS_OK : bs_fail_memory(err, "a command", sizeof(*self));
	*input_out = NULL;
	if (!status) {
		error = make_pipe(out) && make_pipe(said) ? 0 : errno;
		pid_t process = 0;
		error = error ? error : spawn(&process, argv, fd, out[1], said[1]);
		if (error)
			status = bs_fail(err, BS_IO, "%s cannot be run: %s", argv[0],
			                 strerror(error));
		*self = (struct command){
			.input = {.read = command_read, .close = command_close, .is_stream = true},
			.wait = wait,
			.process = process,
			.out = out[0],
			.said = said[0]};
		snprintf(self->name, sizeof(self->name), "%s", argv[0]);
	}
	close(fd);
	close_pipe(&out[1]);
	close_pipe(&said[1]);
	if (!status) {
		*input_out = &self->input;
		return BS_OK;
	}
	close_pipe(&out[0]);
	close_pipe(&said[0]);
	free(self);
	return status;
}
