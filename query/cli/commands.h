/* commands.h: the program's commands and their common functions. Only for the program, because
 * these functions read the environment and print. */
#pragma once

#include "core/bitsift/host.h"
#include "core/bitsift/status.h"
#include "query/options/command_line.h"

struct bs_catalog;
struct bs_changes;

extern const struct bs_command bs_command_index, bs_command_query, bs_command_grep,
	bs_command_delete, bs_command_compact, bs_command_stats, bs_command_check, bs_command_trust,
	bs_command_catalog;

/* Parses the options in argv, which begins with the command's name, and runs the command or prints
 * its --help. Returns the exit status. */
int bs_command_run(const struct bs_command *command, int argc, char **argv,
                   const struct bs_consent *consent);

/* Installs a handler for SIGBUS, which occurs when a mapped file of an index is truncated. The
 * handler prints the output so far and a message, and ends the program with exit status 2. Sources
 * are read, never mapped. */
void bs_fault_catch(void);

/* Opens the catalog in `file`; "": the user's catalog, $XDG_CONFIG_HOME/bitsift/catalog. make: the
 * catalog need not exist, and the folder of the user's catalog is created. BS_NOT_FOUND: there is
 * no catalog, and make is false. */
enum bs_status bs_cmd_open_catalog(const char *file, bool make, const char *kernel,
                                   const struct bs_consent *consent,
                                   struct bs_catalog **catalog_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* The user's consent to read indexes and sources. Root also trusts indexes that belong to the user
 * who called sudo. */
struct bs_consent bs_user_consent(void);

/* The path of a file in the user's configuration folder of bitsift; the caller frees it. NULL:
 * there is no home directory. make: creates the folder. */
char *bs_cmd_config_path(const char *name, bool make);

/* Whether the function is called with this name for the first time by this user, in any process.
 * False if that cannot be stored. */
bool bs_cmd_is_first(const char *name);

/* Finds the index to read: `option` (the argument of --index, nullable), else BITSIFT_INDEX, else
 * the nearest .bitsift in this folder or above. The caller frees *dir_out. BS_NOT_FOUND: the
 * message explains how to make an index. BS_UNTRUSTED: a symlink was found. */
enum bs_status bs_cmd_locate(const char *option, char **dir_out,
                             struct bs_error *err) BS_WARN_UNUSED;
/* The value of the environment variable BITSIFT_INDEX; NULL: unset or empty. */
const char *bs_cmd_environment_index(void);

/* A callback for notices: flushes standard output and prints a line on standard error. */
void bs_cmd_notice(void *context, const char *message);

/* Whether an id contains NUL, so it cannot be printed where NUL ends ids. If so, reports that on
 * standard error. */
bool bs_cmd_refuse_nul(const char *id, size_t id_bytes);

/* Writes to command_out the command that refreshes the index, and returns its text. index: the
 * argument of --index; NULL: not given. */
const char *bs_cmd_refresh_command(const char *index, struct bs_error *command_out);

/* Reports on one line how many files changed since they were indexed, if any. names_all: the line
 * says that -v names all of them. */
void bs_cmd_show_changes(const struct bs_changes *changes, const char *index, bool names_all);

/* Reports the number of unreadable documents, if they were too many to be named one by one. */
void bs_cmd_show_unread(uint64_t n_documents);

/* If `--kernel list` was given, prints the kernels, best first, and returns true. */
bool bs_cmd_lists_kernels(const char *kernel);
