/*
 * ignore.h: ignore files: the meaning of a line, precedence of lines and files, and the global
 * file.
 *
 * The rules are those of ripgrep 15. Within a file, the last matching line decides. The kinds of
 * files, in descending precedence, are .rgignore, .ignore, .gitignore, .git/info/exclude and the
 * global excludes; within a kind, a deeper folder takes precedence over its parents. The three
 * kinds of git apply only inside a repository, up to its root. Private to corpus/; not thread-safe,
 * because globs have scratch. glob.h matches globs; walk.h applies the rules.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/walk/glob.h"

enum bs_ignore_verdict {
	BS_IGNORE_SILENT, /* no rule matches */
	BS_IGNORE_SKIP,
	/* a rule with ! matches: hidden entries that it matches are visited too */
	BS_IGNORE_KEEP,
};

/* An entry of a folder. Rules are matched against its path from a given offset on. */
struct bs_ignore_entry {
	const uint8_t *path;
	size_t path_bytes;
	size_t name_off; /* offset of the last component of path */
	bool is_folder;
};

struct bs_ignore_rule {
	struct bs_glob glob;
	bool keeps; /* the rule begins with ! */
	bool folders_only;
};
BS_VECTOR(bs_ignore_rules, struct bs_ignore_rule);

/* A set of rules. Zero-initialise; release with bs_ignore_deinit. */
struct bs_ignore {
	struct bs_ignore_rules rules;
	size_t n_plain; /* number of rules without ! */
	/* a NUL-terminated message "line 3: why" for each invalid line, up to about 4 KiB of
	 * messages */
	struct bs_buffer faults;
	/* ASCII letters in rules that are added later match in either case */
	bool is_caseless;
	/* a line that is not UTF-8 has a message in faults, too */
	bool reports_encoding;
};
void bs_ignore_deinit(struct bs_ignore *ignore);

static inline size_t bs_ignore_n_rules(const struct bs_ignore *ignore)
{
	return bs_vector_n(&ignore->rules);
}

/* Adds one line, without its line feed; comments and empty lines add no rule. BS_INVALID for an
 * invalid glob, which adds no rule; BS_NO_MEMORY. */
enum bs_status bs_ignore_add_line(struct bs_ignore *ignore, const uint8_t *line, size_t line_bytes,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Adds the lines of a file. A byte order mark is skipped, and a [ without a ] is a literal byte.
 * Invalid globs are appended to faults. Reading stops at a line that is not UTF-8, or when `ignore`
 * has 65,536 rules. BS_NO_MEMORY, and statuses of the deadline. */
enum bs_status bs_ignore_add_text(struct bs_ignore *ignore, const uint8_t *text, size_t text_bytes,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* True if only names decide, so that the rules do not depend on the folder that paths are relative
 * to. */
bool bs_ignore_is_about_names(const struct bs_ignore *ignore);

/* The verdict of the rules for entry->path from path_off on. */
enum bs_ignore_verdict bs_ignore_match(const struct bs_ignore *ignore,
                                       const struct bs_ignore_entry *entry, size_t path_off);

/* Converts the verdict that the rules of `-g` globs give for an entry: a glob means the opposite of
 * an ignore rule. If n_plain (number of globs without !) is not 0, files that match no glob are
 * skipped. */
enum bs_ignore_verdict bs_ignore_as_globs(enum bs_ignore_verdict verdict, size_t n_plain,
                                          bool is_folder);

/* Reads the global excludes file. Its path is core.excludesFile of the first configuration file
 * that sets it: ~/.gitconfig, git/config in the folder $XDG_CONFIG_HOME (default ~/.config), then
 * $GIT_CONFIG_SYSTEM. $GIT_CONFIG_GLOBAL replaces the first two. If no file sets it, the path is
 * git/ignore in the folder $XDG_CONFIG_HOME (default ~/.config).
 * must_read, BS_NO_MEMORY, BS_IO: see bs_ignore_level_open (BS_IGNORE_MUST_READ). */
enum bs_status bs_ignore_read_global(bool must_read, struct bs_ignore *ignore,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Adds the rules of a file of any name. folder_fd: as for openat. must_read, BS_NO_MEMORY, BS_IO:
 * see bs_ignore_level_open (BS_IGNORE_MUST_READ). */
enum bs_status bs_ignore_read_file(int folder_fd, const char *path, bool must_read,
                                   struct bs_ignore *ignore, struct bs_error *err) BS_WARN_UNUSED;

/* The ignore files of one folder, linked to those of its parents. NULL ends the chain. */
struct bs_ignore_level;

/* Bits that select what bs_ignore_level_open reads. */
#define BS_IGNORE_HAS_RGIGNORE  1u
#define BS_IGNORE_HAS_IGNORE    2u
#define BS_IGNORE_HAS_GITIGNORE 4u
#define BS_IGNORE_HAS_GIT       8u
#define BS_IGNORE_HAS_JJ        16u
#define BS_IGNORE_HAS_ANY       31u
/* A .git entry only marks a repository; its exclude file is not read. */
#define BS_IGNORE_NO_EXCLUDE 32u
/* An ignore file that exists and applies must be readable; otherwise it would be unknown which
 * files are ignored. */
#define BS_IGNORE_MUST_READ 64u
/* The rules of the folder's files match ASCII letters in either case. */
#define BS_IGNORE_CASELESS 128u
/* The folder is a parent of the root of a walk: see bs_ignore_level_match. */
#define BS_IGNORE_ABOVE 256u
/* Git's files apply outside a repository, too, so that a folder with a .git does not end the search
 * for them in its parents. As in ripgrep, a folder with a .jj does, unless it is a parent of the
 * walk's root. */
#define BS_IGNORE_GIT_ANYWHERE 512u
/* The rules of the folder's files match nothing; only invalid ones are reported. */
#define BS_IGNORE_MUTE 1024u

/* The bit (BS_IGNORE_HAS_*) of a file name, which is not NUL-terminated; 0 for most names. */
unsigned bs_ignore_name_bit(const char *name, size_t name_bytes);

/*
 * Reads the ignore files that bits select in the folder folder_fd (which may be O_PATH). path_off:
 * offset of the part below this folder in paths to match. *level_out is parent if there is nothing
 * to keep. An unreadable file counts as absent, as in ripgrep, unless BS_IGNORE_MUST_READ is set:
 * BS_IO. Also BS_IO if the process is out of file descriptors; BS_NO_MEMORY, and statuses of the
 * deadline.
 */
enum bs_status bs_ignore_level_open(int folder_fd, unsigned bits, size_t path_off,
                                    struct bs_ignore_level *parent,
                                    struct bs_ignore_level **level_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Reports each invalid line: "NAME: line 3: why". */
void bs_ignore_tell_faults(const struct bs_ignore *ignore, const char *name,
                           void (*tell)(void *context, const char *fault), void *context);
/* Reports the invalid lines of the folder's own files. */
void bs_ignore_level_tell_faults(const struct bs_ignore_level *level,
                                 void (*tell)(void *context, const char *fault), void *context);

/* Frees `level` and its parents up to, but not including, `until`. */
void bs_ignore_level_close(struct bs_ignore_level *level, const struct bs_ignore_level *until);

/* The verdict of the ignore files of `level` and its parents. Levels opened with BS_IGNORE_ABOVE
 * are matched against seen_above, the same entry with its real path. git's files apply only inside
 * a repository; git_anywhere: everywhere. */
enum bs_ignore_verdict bs_ignore_level_match(const struct bs_ignore_level *level,
                                             const struct bs_ignore_entry *entry,
                                             const struct bs_ignore_entry *seen_above,
                                             bool git_anywhere);

/* The number of rules of the folder and its parents: how many may be matched against an entry. */
size_t bs_ignore_level_n_rules(const struct bs_ignore_level *level);

/* True if this folder or a parent is a git repository, so that the global excludes apply. */
bool bs_ignore_level_in_git(const struct bs_ignore_level *level);
