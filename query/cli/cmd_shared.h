/* cmd_shared.h: what the commands that read an index have in common. Only for cmd_*.c: it reads the environment and prints. */
#ifndef BS_QUERY_CLI_CMD_SHARED_H
#define BS_QUERY_CLI_CMD_SHARED_H

#include "query/cli/command_line.h"
#include "core/bitsift.h"

/* The index to read: the one that --index named (option, nullable), else BITSIFT_INDEX, else the nearest .bitsift
 * upward. To be freed by the caller. BS_NOT_FOUND says how to make one; BS_UNTRUSTED: a link was found. */
enum bs_status bs_cmd_locate(const char *option, char **dir_out, struct bs_error *err) BS_WARN_UNUSED;

/* Behind `before` what a run or an index left out, on one line without its end: "130 binary files (40 png, 30 jpg, 60 other), 20
 * hidden files"; false: nothing, and nothing is printed. */
bool bs_cmd_put_left_out(const uint64_t skipped[BS_SKIP_MAX], const struct bs_skip_kind binary[BS_SKIP_KINDS],
                         const char *before, FILE *out);

/* One line on the files that changed since they were indexed, if there are any. names_all: -v would name all of them. */
void bs_cmd_show_changes(const struct bs_changes *changes, bool names_all);

/* Says how many documents could not be read, where they were too many to be named one by one. */
void bs_cmd_show_unread(uint64_t n_documents);

/* CLOCK_MONOTONIC. */
uint64_t bs_cmd_now_ns(void);

/* Prints a command's --help; returns the exit status. */
int bs_cmd_show_help(const struct bs_command *command);
/* `--kernel list`: prints them, best first; returns the exit status. */
int bs_cmd_list_kernels(void);

#endif
