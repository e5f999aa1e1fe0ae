/* commands.h: the program's commands, and what they have in common. Only for the program: it reads the environment and
 * prints. */
#ifndef BS_QUERY_CLI_COMMANDS_H
#define BS_QUERY_CLI_COMMANDS_H

#include "query/cli/command_line.h"

extern const struct bs_command bs_command_index, bs_command_query, bs_command_grep, bs_command_delete, bs_command_compact,
	bs_command_stats, bs_command_check, bs_command_trust, bs_command_catalog;

/* Takes the options in argv, whose first is the command's name, and runs the command, or prints its --help. Returns the
 * exit status. */
int bs_command_run(const struct bs_command *command, int argc, char **argv, const struct bs_consent *consent);

/* What the commands go by: what the user has consented to (cmd_trust.c). Root also trusts whoever called sudo. */
struct bs_consent bs_user_consent(void);

/* From now on SIGBUS, as of a file of an index that was truncated while mapped, ends the program with a message, exit
 * status 2, and the output that was complete (cmd_fault.c). Sources are read, never mapped. */
void bs_fault_catch(void);

/*
 * What writes an index is watched and stopped in one way (cmd_progress.c).
 *
 * bs_interrupt_catch: from now on the first SIGINT or SIGTERM is noted, unless it is ignored, and cancels the call that
 * gets the limits returned; the second ends the program, and so does a call that works on for a tenth of a second. bs_interrupt_end ends the program by it, with a line; it returns
 * if none came. is_done: the index was committed before.
 */
struct bs_limits bs_interrupt_catch(void);
void bs_interrupt_end(bool is_done);

/* A line on standard error that is drawn anew, on a terminal, for work over a second. */
struct bs_progress {
	const char *verb; /* "indexing" */
	bool is_drawn;
	enum bs_build_step step;
	uint64_t last_drawn_ns;
};
/* Draws it if it is time to; returns what bs_build_request.progress should. */
int bs_progress_show(struct bs_progress *progress, const struct bs_build_report *report);
/* Before anything else is written to standard error. */
void bs_progress_clear(struct bs_progress *progress);

/* The index to read: the one that --index named (option, nullable), else BITSIFT_INDEX, else the nearest .bitsift
 * upward. To be freed by the caller. BS_NOT_FOUND says how to make one; BS_UNTRUSTED: a link was found. */
enum bs_status bs_cmd_locate(const char *option, char **dir_out, struct bs_error *err) BS_WARN_UNUSED;
/* What BITSIFT_INDEX names; NULL: nothing. */
const char *bs_cmd_environment_index(void);

/* The catalog in that file; of no bytes: the user's, $XDG_CONFIG_HOME/bitsift/catalog, whose folder is made (cmd_catalog.c). BS_NOT_FOUND: there is
 * none, unless it is to be made. */
struct bs_catalog;
enum bs_status bs_cmd_open_catalog(const char *file, bool make, const char *kernel, const struct bs_consent *consent,
                                   struct bs_catalog **catalog_out, struct bs_error *err) BS_WARN_UNUSED;
/* A file of this user's in the folder of the program's configuration, on the heap; NULL: there is no home. make: its folders, too. */
char *bs_cmd_config_path(const char *name, bool make);

/*
 * Standard output of the commands that print answers one after the other (cmd_output.c): a buffer, written out when it
 * is full; unlike stdio's, it can be put out by a signal handler, whatever the program was at.
 */
/* Any thread. False and errno, from then on, if standard output cannot be written. */
bool bs_output_add(const void *bytes, size_t n_bytes);
bool bs_output_flush(void);

/* A stream into it, with a buffer of its own: fflush it before something else is added. BS_NO_MEMORY. */
enum bs_status bs_output_stream(FILE **stream_out, struct bs_error *err) BS_WARN_UNUSED;

/* In a signal handler, to be followed by the end of the process: writes what was added so far, and lets nobody add
 * more. */
void bs_output_rescue(void);

/*
 * Files that options name, and standard input (cmd_input.c). All of them are read with these functions, so that each has
 * a limit of size, and a timer ends the wait for a pipe.
 */
#define BS_OPTION_FILE_BYTES ((size_t)16 << 20) /* the longest file that is read whole */

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
enum bs_status bs_input_open(struct bs_input *input, const char *path, struct bs_error *err) BS_WARN_UNUSED;
void bs_input_close(struct bs_input *input);
/* Reads the next piece; of no bytes at the end. BS_IO, BS_DEADLINE. */
enum bs_status bs_input_more(struct bs_input *input, const struct bs_timer *timer, struct bs_error *err) BS_WARN_UNUSED;

/* All bytes of a file, and a NUL that is not counted, on the heap; NULL after a failure. BS_IO, BS_DEADLINE, BS_NO_MEMORY,
 * BS_INVALID: it has more than BS_OPTION_FILE_BYTES. */
enum bs_status bs_input_read_file(const char *path, const struct bs_timer *timer, char **bytes_out, size_t *n_bytes_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Behind `before` what a run or an index left out, on one line without its end: "130 binary files (40 png, 30 jpg, 60 other), 20
 * hidden files"; false: nothing, and nothing is printed. */
bool bs_cmd_put_left_out(const uint64_t skipped[BS_SKIP_MAX], const struct bs_skip_kind binary[BS_SKIP_KINDS],
                         const char *before, FILE *out);

/* Whether an id holds NUL, so that it cannot be printed where ids end with NUL; then it is named on standard error. */
bool bs_cmd_refuse_nul(const char *id, size_t id_bytes);

/* What a user should run for a refresh, where `--index` named the index (NULL: nothing did), in command_out. */
const char *bs_cmd_refresh_command(const char *index, struct bs_error *command_out);

/* One line on the files that changed since they were indexed, if there are any. names_all: -v would name all of them. */
void bs_cmd_show_changes(const struct bs_changes *changes, const char *index, bool names_all);

/* Says how many documents could not be read, where they were too many to be named one by one. */
void bs_cmd_show_unread(uint64_t n_documents);

/* Whether this is asked for the first time with that name by this user (cmd_trust.c); false where that cannot be kept. */
bool bs_cmd_is_first(const char *name);

/* Whether `--kernel list` is asked for; prints them, best first. */
bool bs_cmd_lists_kernels(const char *kernel);

#endif
