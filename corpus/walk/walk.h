/*
 * walk.h: the files below a folder, in document order, chosen by ripgrep's default rules.
 *
 * Order: by path component, bytewise ("a/x" before "a-b"). Left out by default, as `rg --files`
 * (13.0.0) does: hidden entries; what .gitignore files say inside a git repository, those of the
 * parent folders up to the repository's root too, .git/info/exclude and the global excludes file
 * (core.excludesFile or $XDG_CONFIG_HOME/git/ignore); what .ignore and .rgignore say, those of all
 * parent folders too. Symbolic links are reported, not followed, unless it is asked for; the root
 * itself may be one. Neighbour: source.h reads what this finds.
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
 * Whoever knows what folders held before, and whoever wants to know what they hold. To open a
 * folder and look at its fingerprint is a fourth of what it takes to read it. The fingerprint,
 * which is taken before the folder is read, says whether it holds what it did: each change of its
 * entries sets its times. Folders are named by their path below the root, a slash at its end, or an
 * empty one; they come in the order of the walk.
 */
struct bs_walk_listings {
	/* Whether the list is known of the folder with that fingerprint; it is borrowed until the
	 * walk is closed. May be NULL. */
	bool (*find)(void *context, const char *root, const char *path, size_t path_bytes,
	             const struct bs_fingerprint *fingerprint, struct bs_folder_listing *list_out);
	/* Told of each folder that was read or found. is_sure: its file system keeps the times of
	 * folders. BS_NO_MEMORY ends the walk. May be NULL. */
	enum bs_status (*take)(void *context, const char *path, size_t path_bytes,
	                       const struct bs_fingerprint *fingerprint, bool is_sure,
	                       const struct bs_folder_listing *list, struct bs_error *err);
	void *context;
};

struct bs_walk_options {
	bool hidden;              /* visit hidden entries too */
	bool no_ignore;           /* do not read any ignore file */
	unsigned no_ignore_kinds; /* BS_WALK_NO_*: kinds of ignore files that are not read */
	bool ignores_outside_git; /* git's ignore files count outside a repository too */
	/* ASCII letters in git's, .ignore and .rgignore match in either case */
	bool caseless_ignore_files;
	/* Files of such rules, NULL-ended, whatever is said of the others, which beat them; the
	 * last beats the first. They count from the current directory. NULL: none. */
	const char *const *ignore_files;
	bool one_file_system; /* folders on another device than the root are not visited */
	/* symbolic links are what they point to; a link to a folder it lies in is reported */
	bool follow;
	uint32_t max_depth; /* 0: any; 1: the entries of the root, and so on */
	const char *const
		/* -g: as rg's, "!" in front excludes, the last match wins; they beat the ignore
		 * files */
		*globs;
	size_t n_globs;
	const char *const
		/* --iglob: the same, whatever the case of ASCII letters; asked before globs */
		*caseless_globs;
	size_t n_caseless_globs;
	struct bs_file_types
		/* NULL: any; what they say of a file comes after the ignore files; see
		 * file_types.h */
		*types;
	/* The folder that stands before the paths that the rules of parent folders are asked about;
	 * NULL: the root. See walk.c. */
	const char *base;
	/* By what name the globs, and the rules of parent folders, know the root; NULL: by root. As
	 * for one who gives that name in another current directory. */
	const char *shown;
	/* Paths below the root, NULL-ended: nothing but what lies at or below one of them is
	 * visited, by the rules as they are. NULL: everything. */
	const char *const *parts;
	/* a folder with this device and inode (the index itself) is passed over in silence; */
	dev_t skip_device;
	ino_t skip_inode; /* 0: none */
	/* NULL: every folder is read, and nobody told; borrowed until close */
	const struct bs_walk_listings *lists;
	/*
	 * Told of each folder or entry that could not be looked at, by its path below the root;
	 * report is told as well. For those who must know all that is there: an ignore file that is
	 * there and cannot be read makes its folder one that cannot be read, and nothing is said of
	 * what has gone since its folder was read. A failure ends the walk. NULL: as ripgrep does.
	 */
	enum bs_status (*unread)(void *context, const char *path, size_t path_bytes,
	                         struct bs_error *err);
	void *unread_context;
	/* Told of each entry that is no regular file or cannot be visited; message is one printable
	 * line. May be NULL. */
	void (*report)(void *context, enum bs_skip reason, const char *message);
	void *report_context; /* bad_rule's too */
	/* Told of each line of an ignore file that is no rule, and so does not count: "src/.ignore:
	 * line 3: why". is_above: of one in a folder above the root. May be NULL. */
	void (*bad_rule)(void *context, bool is_above, const char *message);
	/* Told of each entry that the rules leave out, BS_SKIP_HIDDEN to BS_SKIP_IGNORED_FOLDER, by
	 * its path as report would name it; not of what would be found in such a folder, and not of
	 * an index. May be NULL. */
	void (*left_out)(void *context, enum bs_skip reason, const char *path);
	void *left_out_context;
};

/* root: a folder, openable from the current directory. It and globs are borrowed until close.
 * BS_INVALID for a bad glob, BS_IO if the root cannot be read (the message names it), BS_NO_MEMORY.
 * One thread at a time. */
enum bs_status bs_walk_open(const char *root, const struct bs_walk_options *options,
                            struct bs_walk **walk_out, struct bs_error *err) BS_WARN_UNUSED;

/* The next regular file: its path below the root, NUL-ended raw bytes, valid until the next call;
 * NULL at the end. Only BS_NO_MEMORY fails (and unread); an unreadable folder is reported and
 * passed over. */
enum bs_status bs_walk_next(struct bs_walk *walk, const char **path_out, size_t *path_bytes_out,
                            struct bs_error *err) BS_WARN_UNUSED;

/* Whether one of the parts has been visited so far, as a file or as a folder. */
bool bs_walk_has_met_part(const struct bs_walk *walk);

/* NULL is fine. */
void bs_walk_close(struct bs_walk *walk);
