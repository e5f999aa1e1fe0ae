/*
 * source.h: a source is a folder, a file, a JSONL collection or standard input. Reading is split so
 * that it can use several threads: a feed (feed.h) cuts a source into batches, in document order,
 * on one thread; readers (reader.h), one for each thread, turn batches into documents. See also
 * walk.h (finds the files of a folder), record.h (parses a JSONL line), text_store.h (stores texts
 * of sources that cannot be read again).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/source_kind.h"
#include "core/bitsift/skip.h"
#include "corpus/walk/document.h"
#include "corpus/walk/walk.h"

/* How documents are read; the index records most of it. Strings are borrowed while a feed or reader
 * exists. */
struct bs_source_options {
	bool hidden;
	bool no_ignore;
	bool binary_as_text; /* -a: also files with NUL bytes */
	/* larger documents are skipped; 0: only those of 4 GiB or more */
	uint64_t max_document_bytes;
	/* memory of the run; larger documents are skipped, and those over 1/128 of it are announced
	 * to the sink; 0: no limit */
	uint64_t memory_bytes;
	const char *const *globs;
	size_t n_globs;
	/* files that a walk finds and that look like collections (recognize.h) are read as
	 * collections */
	bool reads_records;
	/* globs for names of collections besides *.jsonl and *.ndjson; NULL-terminated; nullable */
	const char *const *records;
	const char *id_field;           /* NULL: "id" */
	const char *const *text_fields; /* names of the text fields; NULL: all but the id */
	size_t n_text_fields;
	dev_t skip_device; /* the index directory; see walk.h */
	ino_t skip_inode;
	const struct bs_walk_listings *lists; /* for the walk of a folder; nullable */
	/* start of the run: fingerprints not older than this are racy; 0: not checked */
	int64_t racy_from_ns;
	/* threads that compare fingerprints of files ahead of the reader; 0: the reader does */
	unsigned n_checkers;
	/* see walk.h */
	void (*left_out)(void *context, enum bs_skip reason, bool is_special, const char *path,
	                 const char *below);
	void *left_out_context;
	/* nullable; any thread adds the permissions that a source or a file denies */
	struct bs_access *access;
	/* nullable; bs_progress_add is called while reading waits for standard input */
	struct bs_progress *progress;
};

struct bs_source {
	enum bs_source_kind kind;
	bool is_inner; /* a collection that was found in a folder */
	char *folder;  /* path of the folder where the collection was found; NULL unless is_inner */
	char *below;   /* path of the collection below `folder`; NULL unless is_inner */
	char *label;   /* the argument without leading "./" and trailing "/"; "" for "." */
	char *path;    /* can be opened from the working directory; "-" for standard input */
	/* for a recorded folder that contains the working directory: the path from the folder to
	 * the working directory, such as "sub/deep"; otherwise NULL */
	char *down;
	/* recorded folder: the path that globs and ignore rules refer to; NULL: path */
	char *shown;
	bool is_refused; /* recorded source that must not be accessed (recorded.h) */
	/* read the source from its start, ignoring what an index knows of it and of its inner
	 * collections */
	bool is_anew;
	/* folder: only these paths below it are read; NULL-terminated array, borrowed; NULL: all */
	const char *const *parts;
};

/* True if its documents are records, not files. */
static inline bool bs_source_has_records(const struct bs_source *source)
{
	return source->kind == BS_SOURCE_COLLECTION || source->kind == BS_SOURCE_STDIN;
}

/* Makes the source that a command line argument names. Release with bs_source_deinit. BS_NOT_FOUND
 * or BS_IO if it does not exist or cannot be read, BS_INVALID if it is neither a file nor a
 * folder. */
enum bs_status bs_source_init(struct bs_source *source, const char *argument,
                              struct bs_error *err) BS_WARN_UNUSED;
void bs_source_deinit(struct bs_source *source);

/* Appends a document's id. All ids are made here: label/name in a folder (no slash after "" and
 * "/"), the label for a file, the name for a record, label#name for a record of an inner
 * collection, label:line for a record without id (line is 0 for all others). BS_NO_MEMORY. */
enum bs_status bs_source_append_id(const struct bs_source *source, const uint8_t *name,
                                   size_t name_bytes, uint64_t line, struct bs_buffer *id,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Appends a document's local id: for a file its path, relative to the working directory if the
 * source's path is; for a record its id; for a record of an inner collection the path of the
 * collection, '#' and its id. BS_NO_MEMORY. */
enum bs_status bs_source_append_local_id(const struct bs_source *source, const uint8_t *name,
                                         size_t name_bytes, uint64_t line, struct bs_buffer *id,
                                         struct bs_error *err) BS_WARN_UNUSED;

/* True if a file or folder is at or below one of the source's parts, or the source has no parts. */
bool bs_source_has_part(const struct bs_source *source, const uint8_t *name, size_t name_bytes);
/* True if name equals path or is below it. */
bool bs_path_is_at_or_below(const char *path, const uint8_t *name, size_t name_bytes);

/* The fingerprint of a source with a path, or of any path. An inner collection must not be reached
 * through a symlink. */
enum bs_status bs_source_fingerprint(const struct bs_source *source,
                                     struct bs_fingerprint *fingerprint_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_path_fingerprint(const char *path, struct bs_fingerprint *fingerprint_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Opens a FILE or COLLECTION by the same rules as bs_source_fingerprint. Returns -1 and sets errno
 * like openat. */
int bs_source_open(const struct bs_source *source, int flags);
