/*
 * grep_source.h: the source of the files to be searched, one after the other in the order of their
 * output: the paths in the given order; the files below a folder are sorted by path components. An
 * index that can list its candidates in this order replaces the walk.
 */
#pragma once

#include "core/base/buffer.h"
#include "corpus/walk/ignore.h"
#include "corpus/walk/walk.h"
#include "query/grep/read/grep_unpack.h"

/* The facts of a file without a match that an index knows, so that it need not be opened. */
struct bs_grep_known {
	bool is_known;
	/* a NUL byte ends its search before a match; the other facts are 0 */
	bool is_binary;
	uint64_t n_bytes, n_lines; /* the size of the file, and the number of its lines */
};

struct bs_grep_file {
	const char *path;  /* as it is opened; NULL: standard input */
	const char *shown; /* as it is printed */
	/* named on the command line: not excluded because of its type, name or size */
	bool is_named;
	bool is_stream;   /* not a regular file: opening or reading may block */
	uint64_t n_bytes; /* named files only: the size when the file was found */
	/* The first root_bytes of path are the named folder with a slash. Below it, symlinks are
	 * not followed and only regular files are read. 0: no such restriction. */
	size_t root_bytes;
	/* index of the command-line path that is this file or a folder above it */
	size_t root;
	/* offset in path of the part below the command-line path; 0: the file is that path
	 * itself */
	size_t below_off;
	enum bs_grep_compression packing; /* a decompressor or command whose output is searched */
	/* with a resume token: lines up to this one are skipped; set by the caller of next */
	uint64_t passed_line;
	struct bs_grep_known known; /* set if an index rules the file out */
};

/* Callbacks of a source, called while next runs. */
struct bs_grep_listener {
	/* A message about something that could not be read. */
	void (*report)(void *context, const char *message);
	void *report_context;
	/* A message about something odd that does not affect the results. */
	void (*remark)(void *context, const char *message);
	void *remark_context;
	/* Called now and then while next runs and returns no file. False: next returns
	 * BS_STOPPED. Nullable. */
	bool (*tick)(void *context);
	void *tick_context;
};

struct bs_grep_source {
	/* Returns the next file, valid until the next call; file_out->shown is NULL at the end.
	 * Unreadable files are reported and skipped. Fails with BS_NO_MEMORY or BS_INVALID, and
	 * with other statuses of the implementation. One thread at a time. */
	enum bs_status (*next)(struct bs_grep_source *source, struct bs_grep_file *file_out,
	                       struct bs_error *err);
	void (*close)(struct bs_grep_source *source);
	struct bs_grep_listener listener; /* set by the caller of next */
	bool is_quick;                    /* next is fast, because there is a list and no walk */
	/* files that the index ruled out so far (with no_stat perhaps too few); they are not
	 * returned, unless the output needs their bs_grep_known */
	uint64_t n_ruled_out;
	/* n_passed: the files ruled out that the output counts as searched; 0 if it has no such
	 * count. passed_bytes: the sum of the sizes of these files. */
	uint64_t n_passed, passed_bytes;
	/* sources that must not be read without the user's consent (corpus/changes/recorded.h), so
	 * that they cannot rule out files */
	uint64_t n_unfollowed;
};

struct bs_grep_walk_options {
	struct bs_walk_options walk; /* the source sets base, report, bad_rule and report_context */
	const char *const *paths;    /* "-": standard input */
	size_t n_paths;
	bool is_default_path; /* no path was given: paths are shown without "./" */
	bool only_files;      /* named folders are not searched */
	/* larger files below a folder are skipped; UINT64_MAX: no limit */
	uint64_t max_file_bytes;
	bool search_zip, preprocess;          /* -z and --pre */
	struct bs_ignore *preprocessor_globs; /* the files for --pre; without globs, all */
};

/* Fills *file_out for the file `name` below the folder paths[root], as the walk would. Overwrites
 * *path with the path of the file; file_out points into it. BS_NO_MEMORY. */
enum bs_status bs_grep_file_below(const struct bs_grep_walk_options *options, size_t root,
                                  const void *name, size_t name_bytes, struct bs_buffer *path,
                                  struct bs_grep_file *file_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Opens a walk. options, and what they point to, are borrowed. BS_NO_MEMORY. */
enum bs_status bs_grep_walk_open(const struct bs_grep_walk_options *options,
                                 struct bs_grep_source **source_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
