/*
 * walk.h: the files below a folder, in document order, chosen by ripgrep's default rules.
 *
 * Order: by path component, bytewise ("a/x" before "a-b"). Left out by default, as `rg --files` (13.0.0) does: hidden
 * entries; what .gitignore files say inside a git repository, those of the parent folders up to the repository's root
 * too, .git/info/exclude and the global excludes file (core.excludesFile or $XDG_CONFIG_HOME/git/ignore); what .ignore
 * and .rgignore say, those of all parent folders too. Symbolic links are reported, not followed; the root itself may
 * be one. Neighbour: source.h reads what this finds.
 */
#ifndef BS_CORPUS_WALK_H
#define BS_CORPUS_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/status.h"
#include "corpus/document.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bs_walk;

struct bs_walk_options {
	bool hidden;              /* visit hidden entries too */
	bool no_ignore;           /* do not read any ignore file */
	const char *const *globs; /* -g: as rg's, "!" in front excludes, the last match wins; they beat the ignore files */
	size_t n_globs;
	dev_t skip_device;        /* a folder with this device and inode (the index itself) is passed over in silence; */
	ino_t skip_inode;         /* 0: none */
	/* Told of each entry that is no regular file or cannot be visited; message is one printable line. May be NULL. */
	void (*report)(void *context, enum bs_skip reason, const char *message);
	void *report_context;
};

/* root: a folder, openable from the current directory. globs is borrowed until close. BS_INVALID for a bad glob,
 * BS_IO if the root cannot be read (the message names it), BS_NO_MEMORY. One thread at a time. */
enum bs_status bs_walk_open(const char *root, const struct bs_walk_options *options, struct bs_walk **walk_out,
                            struct bs_error *err) BS_WARN_UNUSED;

/* The next regular file: its path below the root, NUL-ended raw bytes, valid until the next call; NULL at the end.
 * Only BS_NO_MEMORY fails; an unreadable folder is reported and passed over. */
enum bs_status bs_walk_next(struct bs_walk *walk, const char **path_out, size_t *path_bytes_out, struct bs_error *err)
	BS_WARN_UNUSED;

/* NULL is fine. */
void bs_walk_close(struct bs_walk *walk);

#ifdef __cplusplus
}
#endif
#endif
