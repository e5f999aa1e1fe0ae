/*
 * source.h: a source is a folder, a file, a JSONL collection or standard input. Reading it is split
 * in two so that it can run on several threads: a feed (feed.h) cuts a source into batches, in
 * document order, on one thread; readers (reader.h), one per thread, turn batches into documents.
 * Neighbours: walk.h finds the files of a folder, record.h parses a JSONL line, text_store.h keeps
 * the text of sources that cannot be read twice.
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

/* How documents are read; recorded with the index. Strings are borrowed for as long as a feed or
 * reader lives. */
struct bs_source_options {
	bool hidden;
	bool no_ignore;
	bool binary_as_text; /* -a: files with NUL bytes too */
	/* what is larger is passed over; 0: only what is 4 GiB or more */
	uint64_t max_document_bytes;
	/* of a run: what is larger is passed over, too, one of a 128th told of; 0: any */
	uint64_t memory_bytes;
	const char *const *globs;
	size_t n_globs;
	/* files of folders that are collections by name are read as such */
	bool reads_records;
	const char *const *records;     /* ... more globs of such names, NULL-ended; NULL: none */
	const char *id_field;           /* NULL: "id" */
	const char *const *text_fields; /* the fields that are text, or NULL: all but the id */
	size_t n_text_fields;
	dev_t skip_device; /* the index directory, see walk.h */
	ino_t skip_inode;
	const struct bs_walk_listings *lists; /* for the walk of a folder; NULL: none */
	/* the start of the run: fingerprints not older are racy; 0: never mind */
	int64_t racy_from_ns;
	void (*left_out)(void *context, enum bs_skip reason, const char *path); /* as in walk.h */
	void *left_out_context;
	/* nullable: set, by any thread, if something found is for its owner alone */
	bool *has_private;
	/* nullable: asked where standard input keeps its reader waiting */
	struct bs_progress *progress;
};

struct bs_source {
	enum bs_source_kind kind;
	bool is_inner; /* a collection that was found in a folder, */
	char *folder;  /* which has this path, */
	char *below;   /* and it stands there below it */
	char *label;   /* the argument without leading "./" and trailing "/"; "" for "." */
	char *path;    /* openable from the current directory; "-" for standard input */
	/* of a recorded folder that holds the current directory: the way there, "sub/deep"; NULL:
	 * it does not */
	char *down;
	/* of a recorded folder: the path by which globs and ignore rules know it; NULL: path */
	char *shown;
	bool is_refused; /* a recorded one that must not be looked at (recorded.h) */
	/* nothing is trusted that an index knows of it: it is read from the start. Those in it,
	 * too */
	bool is_anew;
	/* of a folder: only these, paths below it, are looked at; NULL-ended, borrowed; NULL:
	 * all */
	const char *const *parts;
};

/* Whether its documents are records, not files. */
static inline bool bs_source_has_records(const struct bs_source *source)
{
	return source->kind == BS_SOURCE_COLLECTION || source->kind == BS_SOURCE_STDIN;
}

/* What an argument of the command line names. Owns label and path; release with bs_source_deinit.
 * BS_NOT_FOUND / BS_IO when it is not there or cannot be read, BS_INVALID when it is neither file
 * nor folder. */
enum bs_status bs_source_init(struct bs_source *source, const char *argument,
                              struct bs_error *err) BS_WARN_UNUSED;
void bs_source_deinit(struct bs_source *source);

/* Appends a document's id, the one way ids are made: label/name in a folder (no slash after "" and
 * "/"), the label for a file, the name for a record, label#name for one of a collection in a
 * folder, label:line for a record without id (line is 0 for all others). BS_NO_MEMORY. */
enum bs_status bs_source_append_id(const struct bs_source *source, const uint8_t *name,
                                   size_t name_bytes, uint64_t line, struct bs_buffer *id,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Appends what the document is called where ids are shown: of a file its path, relative to the
 * current directory as far as the source's is; of a record, the id, that of a collection in a
 * folder begun with the file's path. BS_NO_MEMORY. */
enum bs_status bs_source_append_local_id(const struct bs_source *source, const uint8_t *name,
                                         size_t name_bytes, uint64_t line, struct bs_buffer *id,
                                         struct bs_error *err) BS_WARN_UNUSED;

/* Whether a file or folder is at or below one of the source's parts. Without parts all are. */
bool bs_source_has_part(const struct bs_source *source, const uint8_t *name, size_t name_bytes);
/* Whether the name is the path, or lies below it. */
bool bs_path_is_at_or_below(const char *path, const uint8_t *name, size_t name_bytes);

/* The fingerprint of the file behind a FILE or COLLECTION (or of any path). Of one in a folder: no
 * link may lead there. */
enum bs_status bs_source_fingerprint(const struct bs_source *source,
                                     struct bs_fingerprint *fingerprint_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_path_fingerprint(const char *path, struct bs_fingerprint *fingerprint_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Opens the file behind a FILE or COLLECTION, as it is stamped. -1 and errno as openat. */
int bs_source_open(const struct bs_source *source, int flags);
