/*
 * grep_source.h: where the files to be searched come from, one after the other, in the order in
 * which their output stands: the paths in the order given, below a folder by path component. This
 * is the narrow gate: whoever can name candidates in that order (an index) takes the walk's place.
 */
#pragma once

#include "core/base/buffer.h"
#include "corpus/walk/ignore.h"
#include "corpus/walk/walk.h"
#include "query/grep/read/grep_unpack.h"

struct bs_grep_file {
	const char *path;  /* as it is opened; NULL: standard input */
	const char *shown; /* as it is printed */
	bool is_named;     /* on the command line: searched whatever it is */
	bool is_stream;    /* no regular file: it may keep whoever opens or reads it waiting */
	uint64_t n_bytes;  /* of one that was named, when it was looked at */
	/* So many bytes of path are the folder that was named, a slash at their end; from there on
	 * no link is followed, and what is no regular file is not read. 0: as it is named. */
	size_t root_bytes;
	size_t root;      /* of the paths of the command line, the one that it is, or lies below */
	size_t below_off; /* where in path what is below that begins; 0: it is that path */
	enum bs_grep_packing packing; /* what is searched is not the bytes of the file */
	/* set by whoever goes on behind a cursor: lines up to this one are passed over */
	uint64_t passed_line;
};

/* Callbacks of a source; called while next runs. */
struct bs_grep_listener {
	/* a line about something that could not be read */
	void (*report)(void *context, const char *message);
	void *report_context;
	/* a line about something odd; nothing is missing because of it */
	void (*remark)(void *context, const char *message);
	void *remark_context;
};

struct bs_grep_source {
	/* The next file, valid until the next call; file_out->shown NULL at the end. What cannot be
	 * read is reported and passed over; fails with BS_NO_MEMORY or BS_INVALID. One thread at a
	 * time. */
	enum bs_status (*next)(struct bs_grep_source *source, struct bs_grep_file *file_out,
	                       struct bs_error *err);
	void (*close)(struct bs_grep_source *source);
	struct bs_grep_listener listener; /* set by the caller of next */
	bool is_quick;                    /* next never takes long: there is a list of all files */
	uint64_t n_ruled_out;             /* files that need not be searched, and were not given */
	/* sources of the index that would say so of files, but are not followed */
	uint64_t n_unfollowed;
};

struct bs_grep_walk_options {
	struct bs_walk_options walk; /* report is set by the source */
	const char *const *paths;    /* "-": standard input */
	size_t n_paths;
	bool is_default_path; /* nobody named it: shown without its "./" */
	bool only_files;      /* folders named are not looked into */
	/* larger ones found below a folder are passed over; UINT64_MAX: none */
	uint64_t max_file_bytes;
	bool search_zip, preprocess;          /* -z; --pre, */
	struct bs_ignore *preprocessor_globs; /* for these files; without any, for all */
};

/* A file found below the root-th path, a folder, by its name there, as the walk shows it. path
 * holds its path. BS_NO_MEMORY. */
enum bs_status bs_grep_file_below(const struct bs_grep_walk_options *options, size_t root,
                                  const void *name, size_t name_bytes, struct bs_buffer *path,
                                  struct bs_grep_file *file_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* The walk. options and what they point to are borrowed. BS_NO_MEMORY. */
enum bs_status bs_grep_walk_open(const struct bs_grep_walk_options *options,
                                 struct bs_grep_source **source_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
