/* commands.h: the program's commands, and what they have in common. Only for the program: it reads
 * the environment and prints. */
#pragma once

#include "core/bitsift/host.h"
#include "core/bitsift/status.h"
#include "query/options/command_line.h"

struct bs_catalog;
struct bs_changes;

extern const struct bs_command bs_command_index, bs_command_query, bs_command_grep,
	bs_command_delete, bs_command_compact, bs_command_stats, bs_command_check, bs_command_trust,
	bs_command_catalog;

/* Takes the options in argv, whose first is the command's name, and runs the command, or prints its
 * --help. Returns the exit status. */
int bs_command_run(const struct bs_command *command, int argc, char **argv,
                   const struct bs_consent *consent);

/* From now on SIGBUS, as of a file of an index that was truncated while it was mapped, ends the
 * program with a message, exit status 2 and the output that was complete. Sources are read, never
 * mapped. */
void bs_fault_catch(void);

/* Opens the catalog in that file; "": the user's, $XDG_CONFIG_HOME/bitsift/catalog, whose folder is
 * made. BS_NOT_FOUND: there is none, and make is false. */
enum bs_status bs_cmd_open_catalog(const char *file, bool make, const char *kernel,
                                   const struct bs_consent *consent,
                                   struct bs_catalog **catalog_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* The indexes and sources that the user has consented to. Root also trusts the user who called
 * sudo. */
struct bs_consent bs_user_consent(void);

/* The path of a file of this user in the folder of the program's configuration, for free(); NULL:
 * there is no home. make: makes its folders, too. */
char *bs_cmd_config_path(const char *name, bool make);

/* Whether this user asks for the first time with that name; false if that cannot be stored. */
bool bs_cmd_is_first(const char *name);

/* The index to read: the one that --index named (option, nullable), else BITSIFT_INDEX, else the
 * nearest .bitsift upward. To be freed by the caller. BS_NOT_FOUND says how to make one;
 * BS_UNTRUSTED: a link was found. */
enum bs_status bs_cmd_locate(const char *option, char **dir_out,
                             struct bs_error *err) BS_WARN_UNUSED;
/* What BITSIFT_INDEX names; NULL: nothing. */
const char *bs_cmd_environment_index(void);

/* A callback for notices: flushes standard output and prints a line on standard error. */
void bs_cmd_notice(void *context, const char *message);

/* Whether an id holds NUL, so that it cannot be printed where ids end with NUL; then it is named on
 * standard error. */
bool bs_cmd_refuse_nul(const char *id, size_t id_bytes);

/* What a user should run for a refresh, where `--index` named the index (NULL: nothing did), in
 * command_out. */
const char *bs_cmd_refresh_command(const char *index, struct bs_error *command_out);

/* One line on the files that changed since they were indexed, if there are any. names_all: -v would
 * name all of them. */
void bs_cmd_show_changes(const struct bs_changes *changes, const char *index, bool names_all);

/* Says how many documents could not be read, where they were too many to be named one by one. */
void bs_cmd_show_unread(uint64_t n_documents);

/* Whether `--kernel list` is asked for; prints them, best first. */
bool bs_cmd_lists_kernels(const char *kernel);
