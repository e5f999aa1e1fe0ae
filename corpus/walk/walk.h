/*
 * walk.h: yields the files below a folder, in document order, chosen by ripgrep's default rules.
 *
 * Order: by path component, bytewise ("a/x" before "a-b"). Skipped by default, as in `rg --files`
 * (15.0.0): hidden entries; inside a git repository the entries ignored by .gitignore files (also
 * those of parent folders up to the repository's root), .git/info/exclude and the global excludes
 * file (core.excludesFile or $XDG_CONFIG_HOME/git/ignore); the entries ignored by .ignore and
 * .rgignore files, also those of all parent folders. Symlinks are reported, not followed, unless
 * `follow` is set; the root itself may be a symlink. source.h reads the files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/folder_listing.h"
#include "core/bitsift/skip.h"
#include "core/bitsift/status.h"
#include "corpus/walk/document.h"

struct bs_walk;
struct bs_file_types;

/*
 * A cache of folder contents, because opening a folder and taking its fingerprint takes a fourth of
 * the time of reading it. Each change of a folder's entries sets the folder's times, so the
 * fingerprint, taken before the folder is read, shows whether its entries are unchanged. A folder
 * is named by its path below the root, ending in a slash; the root is "". Folders arrive in the
 * order of the walk.
 */
struct bs_walk_listings {
	/* Returns true and *list_out if the list of the folder with this fingerprint is known. The
	 * list is borrowed until the walk is closed. Nullable. */
	bool (*find)(void *context, const char *root, const char *path, size_t path_bytes,
	             const struct bs_fingerprint *fingerprint, struct bs_folder_listing *list_out);
	/* Receives each folder whose entries were read or found in the cache. is_sure: the folder's
	 * file system always updates the times of folders. BS_NO_MEMORY ends the walk. Nullable. */
	enum bs_status (*take)(void *context, const char *path, size_t path_bytes,
	                       const struct bs_fingerprint *fingerprint, bool is_sure,
	                       const struct bs_folder_listing *list, struct bs_error *err);
	void *context;
};

struct bs_walk_options {
	bool hidden;              /* visit hidden entries too */
	bool no_ignore;           /* do not read any ignore file */
	unsigned no_ignore_kinds; /* BS_WALK_NO_*: kinds of ignore files that are not read */
	bool ignores_outside_git; /* git's ignore files apply outside a repository too */
	/* ASCII letters in rules of git's files, .ignore and .rgignore match in either case */
	bool caseless_ignore_files;
	/* Further ignore files, NULL-terminated array, read even if the other kinds are not. Other
	 * ignore files take precedence over these, and a later one of these over an earlier one.
	 * Their rules are relative to the working directory. NULL: none. */
	const char *const *ignore_files;
	bool one_file_system; /* folders on another device than the root are not visited */
	/* symlinks are followed; a symlink to a folder that contains it is reported */
	bool follow;
	uint32_t max_depth; /* 0: unlimited; 1: only the entries of the root, and so on */
	/* -g globs, as in rg: "!" excludes, the last match decides; they override ignore files */
	const char *const *globs;
	size_t n_globs;
	/* --iglob globs: like globs, with ASCII letters in either case; they override globs */
	const char *const *caseless_globs;
	size_t n_caseless_globs;
	/* file types, applied after the ignore files; see file_types.h; nullable */
	struct bs_file_types *types;
	/* The path of the root that rules of the folders above the root are matched against, if it
	 * differs from the real path, because ripgrep has a defect there (see start_path in
	 * walk.c); NULL: the real path. It is inside the root's parent folder. */
	const char *base;
	/* The name of the root that globs and rules of the global excludes see, as if it were given
	 * in another working directory; NULL: the root as given. */
	const char *shown;
	/* Paths below the root, NULL-terminated array: only entries at or below one of them are
	 * visited. The rules apply unchanged. NULL: all entries. */
	const char *const *parts;
	/* a folder with this device and inode (the index itself) is skipped silently */
	dev_t skip_device;
	ino_t skip_inode; /* 0: none */
	/* nullable: then every folder is read; borrowed until the walk is closed */
	const struct bs_walk_listings *lists;
	/*
	 * Receives the path, below the root, of each folder or entry that could not be read, in
	 * addition to `report`: for callers that must know all existing files. If set, an ignore
	 * file that exists but cannot be read makes its folder unreadable, and entries that
	 * disappeared since their folder was read are not reported. A failure ends the walk. NULL:
	 * errors are handled as in ripgrep.
	 */
	enum bs_status (*unread)(void *context, const char *path, size_t path_bytes,
	                         struct bs_error *err);
	void *unread_context;
	/* Receives each entry that is not a regular file or cannot be visited. message: one
	 * printable line. Nullable. */
	void (*report)(void *context, enum bs_skip reason, const char *message);
	void *report_context; /* also for bad_rule */
	/* Receives each invalid line of an ignore file, which has no effect: "src/.ignore: line 3:
	 * why". is_above: the file is in a parent of the root. Nullable. */
	void (*bad_rule)(void *context, bool is_above, const char *message);
	/* Receives each entry that the rules skip, with BS_SKIP_HIDDEN to BS_SKIP_IGNORED_FOLDER,
	 * its path as in report, and its path below the root. is_special: it is neither a regular
	 * file nor a folder. Not called for entries of a skipped folder and for an index.
	 * Nullable. */
	void (*left_out)(void *context, enum bs_skip reason, bool is_special, const char *path,
	                 const char *below);
	void *left_out_context;
};

/* Opens a walk. root: a folder that can be opened from the working directory. root and globs are
 * borrowed until the walk is closed. BS_INVALID for an invalid glob, BS_IO if the root cannot be
 * read (the message names it), BS_NO_MEMORY. Not for concurrent use. */
enum bs_status bs_walk_open(const char *root, const struct bs_walk_options *options,
                            struct bs_walk **walk_out, struct bs_error *err) BS_WARN_UNUSED;

/* Yields the next regular file: its path below the root as NUL-terminated raw bytes, borrowed until
 * the next call; NULL at the end. Fails only with BS_NO_MEMORY, at the deadline, or with a status
 * of `unread`; an unreadable folder is reported and skipped. */
enum bs_status bs_walk_next(struct bs_walk *walk, const char **path_out, size_t *path_bytes_out,
                            struct bs_error *err) BS_WARN_UNUSED;

/* True if the walk so far has visited one of the parts, a file or a folder. */
bool bs_walk_has_met_part(const struct bs_walk *walk);

/*
 * Opens a walk that visits nothing, so that bs_walk_judge can apply these options to files and
 * folders that another walk found. Uses globs, caseless_globs, types, max_depth, base and shown.
 * BS_INVALID for a glob, BS_IO, BS_NO_MEMORY.
 */
enum bs_status bs_walk_open_rules(const char *root, const struct bs_walk_options *options,
                                  struct bs_walk **walk_out, struct bs_error *err) BS_WARN_UNUSED;

/* Why the walk yields a file or visits a folder, or does not. */
enum bs_walk_judgement {
	BS_WALK_NO,       /* it, or a folder above it, is excluded, or it is too deep */
	BS_WALK_BY_GLOB,  /* a glob selects it, even if it is hidden or ignored */
	BS_WALK_BY_TYPE,  /* a type selects it, even if it is hidden */
	BS_WALK_BY_RULES, /* no glob or type decides: yielded unless it is hidden or ignored */
};
/* Determines whether the walk would yield the file, or visit the folder, with this path below the
 * root. Calls may be in any order of names, but the order of a walk is fastest. BS_NO_MEMORY. */
enum bs_status bs_walk_judge(struct bs_walk *walk, const void *name, size_t name_bytes,
                             bool is_folder, enum bs_walk_judgement *judgement_out,
                             struct bs_error *err) BS_WARN_UNUSED;

/* NULL is allowed. */
void bs_walk_close(struct bs_walk *walk);
