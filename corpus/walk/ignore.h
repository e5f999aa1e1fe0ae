/*
 * ignore.h: ignore files. What a line means, which of several lines and files decides, where the
 * global one is.
 *
 * The rules are those of ripgrep 13: within a file the last line that matches decides. Of the kinds
 * of file, .rgignore beats .ignore beats .gitignore beats .git/info/exclude beats the global
 * excludes; within a kind the deeper folder beats the shallower. The three kinds that are git's
 * count only inside a repository, and only up to its root. Private to corpus/; not thread-safe,
 * since globs have scratch. Neighbours: glob.h matches, walk.h asks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/walk/glob.h"

enum bs_ignore_verdict {
	BS_IGNORE_SILENT, /* no rule matches */
	BS_IGNORE_SKIP,
	/* a rule with ! in front matches: hidden entries with one are visited too */
	BS_IGNORE_KEEP,
};

/* An entry of a folder. The rules look at the part of the path that starts where they were told to
 * begin. */
struct bs_ignore_entry {
	const uint8_t *path;
	size_t path_bytes;
	size_t name_off; /* where its last component starts */
	bool is_folder;
	const uint8_t
		/* the path with small letters, for rules that do not look at the case; NULL: there
		 * are none */
		*small;
};

struct bs_ignore_rule {
	struct bs_glob glob;
	bool keeps; /* ! in front */
	bool folders_only;
};
BS_VECTOR(bs_ignore_rules, struct bs_ignore_rule);

/* A set of rules. Zero-initialise; release with bs_ignore_deinit. */
struct bs_ignore {
	struct bs_ignore_rules rules;
	size_t n_plain; /* of them have no ! in front */
	/* lines of files that are no rules: "line 3: why", each NUL-ended */
	struct bs_buffer faults;
	/* set before rules are added: ASCII letters match in either case */
	bool is_caseless;
};
void bs_ignore_deinit(struct bs_ignore *ignore);

static inline size_t bs_ignore_n_rules(const struct bs_ignore *ignore)
{
	return bs_vector_n(&ignore->rules);
}

/* Adds one line, without its line feed; comments and empty lines add nothing. BS_INVALID for a bad
 * glob, which adds nothing; BS_NO_MEMORY. */
enum bs_status bs_ignore_add_line(struct bs_ignore *ignore, const uint8_t *line, size_t line_bytes,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Adds the lines of a file. Bad globs are noted as faults; a line that is not UTF-8 ends the file.
 * BS_NO_MEMORY, and what a deadline ends with. */
enum bs_status bs_ignore_add_text(struct bs_ignore *ignore, const uint8_t *text, size_t text_bytes,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* What the rules say of entry->path from path_off on. */
enum bs_ignore_verdict bs_ignore_match(const struct bs_ignore *ignore,
                                       const struct bs_ignore_entry *entry, size_t path_off);

/* What `-g` globs say of an entry, of which their rules say this: a glob means the opposite of an
 * ignore rule, and where any of them (n_plain) asks for files, other files are not wanted. */
enum bs_ignore_verdict bs_ignore_as_globs(enum bs_ignore_verdict verdict, size_t n_plain,
                                          bool is_folder);

/* Reads the global excludes file: core.excludesFile of ~/.gitconfig or of git/config below
 * $XDG_CONFIG_HOME (~/.config), else git/ignore there. must_read, BS_NO_MEMORY, BS_IO as below. */
enum bs_status bs_ignore_read_global(bool must_read, struct bs_ignore *ignore,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Adds the rules of a file of any name; folder_fd: as in openat; must_read, BS_NO_MEMORY, BS_IO as
 * below. */
enum bs_status bs_ignore_read_file(int folder_fd, const char *path, bool must_read,
                                   struct bs_ignore *ignore, struct bs_error *err) BS_WARN_UNUSED;

/* The files of one folder, linked to those of the folders above. NULL is the end of the chain. */
struct bs_ignore_level;

/* Bits: what bs_ignore_level_open is to look for. */
#define BS_IGNORE_HAS_RGIGNORE  1u
#define BS_IGNORE_HAS_IGNORE    2u
#define BS_IGNORE_HAS_GITIGNORE 4u
#define BS_IGNORE_HAS_GIT       8u
#define BS_IGNORE_HAS_ANY       15u
/* A .git is only to say that here is a repository. */
#define BS_IGNORE_NO_EXCLUDE 16u
/* A file that is there, and decides, must be read, or else it is not known what is ignored. */
#define BS_IGNORE_MUST_READ 32u
/* Their rules are caseless. */
#define BS_IGNORE_CASELESS 64u

/* The bit of a name found in a folder, not NUL-ended; 0 for most names. */
unsigned bs_ignore_name_bit(const char *name, size_t name_bytes);

/*
 * Reads those of the files of the folder at folder_fd (which may be O_PATH) that the bits name;
 * path_off is where, in the paths to be matched, the part below this folder starts. *level_out is
 * parent itself if there is nothing to remember. Files that cannot be read are as good as absent,
 * as in ripgrep, unless they must be read: BS_IO. BS_IO also if the process is out of file
 * descriptors, BS_NO_MEMORY, and what a deadline ends with.
 */
enum bs_status bs_ignore_level_open(int folder_fd, unsigned bits, size_t path_off,
                                    struct bs_ignore_level *parent,
                                    struct bs_ignore_level **level_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Tells of each fault noted: "NAME: line 3: why". */
void bs_ignore_tell_faults(const struct bs_ignore *ignore, const char *name,
                           void (*tell)(void *context, const char *fault), void *context);
/* Of those of the folder's own files. */
void bs_ignore_level_tell_faults(const struct bs_ignore_level *level,
                                 void (*tell)(void *context, const char *fault), void *context);

/* Frees the levels from level up to, not including, until. */
void bs_ignore_level_close(struct bs_ignore_level *level, const struct bs_ignore_level *until);

/* What the files of level and those above it say of the entry; git's only inside a repository, or
 * anywhere. */
enum bs_ignore_verdict bs_ignore_level_match(const struct bs_ignore_level *level,
                                             const struct bs_ignore_entry *entry,
                                             bool git_anywhere);

/* How many rules may be tried on an entry of the folder: its own and those of the folders above. */
size_t bs_ignore_level_n_rules(const struct bs_ignore_level *level);

/* Whether this folder or one above is a git repository, so that the global excludes count. */
bool bs_ignore_level_in_git(const struct bs_ignore_level *level);
