/*
 * source.h: "here is a place; give me its documents", and later "give me that document again".
 *
 * A source is a folder, a file, a JSONL collection or standard input. Reading is split in two so that it can run on
 * several threads: a feed cuts a source into batches, in document order, on one thread; readers, one per thread, turn
 * batches into documents. Neighbours: walk.h finds the files of a folder, record.h parses a JSONL line, store.h keeps
 * the text of sources that cannot be read twice.
 */
#ifndef BS_CORPUS_SOURCE_H
#define BS_CORPUS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/source_kind.h"
#include "core/status.h"
#include "corpus/document.h"
#include "corpus/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How documents are read; recorded with the index. Strings are borrowed for as long as a feed or reader lives. */
struct bs_source_options {
	bool hidden;
	bool no_ignore;
	bool binary_as_text;            /* -a: files with NUL bytes too */
	const char *const *globs;
	size_t n_globs;
	const char *id_field;           /* NULL: "id" */
	const char *const *text_fields; /* the fields that are text, or NULL: every top-level string but the id */
	size_t n_text_fields;
	dev_t skip_device;              /* the index directory, see walk.h */
	ino_t skip_inode;
};

struct bs_source {
	enum bs_source_kind kind;
	char *label; /* the argument without leading "./" and trailing "/"; "" for "." */
	char *path;  /* openable from the current directory; "-" for standard input */
};

/* What an argument of the command line names. Owns label and path; release with bs_source_deinit.
 * BS_NOT_FOUND / BS_IO when it is not there or cannot be read, BS_INVALID when it is neither file nor folder. */
enum bs_status bs_source_init(struct bs_source *source, const char *argument, struct bs_error *err) BS_WARN_UNUSED;
void bs_source_deinit(struct bs_source *source);

/* Appends a document's id, the one way ids are made: label/name in a folder (no slash after "" and "/"), the label for
 * a file, the name for a record, label:line for a record without id (line is 0 for all others). BS_NO_MEMORY. */
enum bs_status bs_source_append_id(const struct bs_source *source, const uint8_t *name, size_t name_bytes,
                                   uint64_t line, struct bs_buffer *id, struct bs_error *err) BS_WARN_UNUSED;

/* The stamp of the file behind a FILE or COLLECTION (or of any path). */
enum bs_status bs_path_stamp(const char *path, struct bs_stamp *stamp_out, struct bs_error *err) BS_WARN_UNUSED;

/* A piece of work for a reader: the paths of some files, or whole lines of a collection. Zero-initialise; reused by
 * bs_feed_next; may be handed from one thread to another. */
struct bs_batch {
	struct bs_buffer bytes; /* folder: NUL-ended paths below the source, one after the other; collection: lines */
	uint64_t offset;        /* collection: where bytes stands in the source */
	uint64_t first_line;    /* collection: 1-based number of the first line */
	size_t n_items;         /* paths or lines; 0 at the end of the source */
	uint64_t source_bytes;  /* collection and stdin: bytes of the source consumed so far (for progress); else 0 */
};
void bs_batch_deinit(struct bs_batch *batch);

struct bs_feed;
/* report (nullable) is told of what the walk passes over; see walk.h. source and options are borrowed. */
enum bs_status bs_feed_open(const struct bs_source *source, const struct bs_source_options *options,
                            void (*report)(void *context, enum bs_skip reason, const char *message),
                            void *report_context, struct bs_feed **feed_out, struct bs_error *err) BS_WARN_UNUSED;
/* Fills batch with the next piece, about 1 MiB of lines or 64 paths; n_items == 0 at the end. BS_IO when a collection
 * cannot be read on, BS_NO_MEMORY. A last line without line feed is a line. Start it at start_offset/start_line with
 * bs_feed_seek (collections only) to read only what was appended. */
enum bs_status bs_feed_next(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_feed_seek(struct bs_feed *feed, uint64_t offset, uint64_t line, struct bs_error *err) BS_WARN_UNUSED;
void bs_feed_close(struct bs_feed *feed);

/* Reads documents; buffers and a JSON parser. One per thread. */
struct bs_reader;
enum bs_status bs_reader_new(const struct bs_source_options *options, struct bs_reader **reader_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_reader_free(struct bs_reader *reader);

/* Every document of the batch, in order, to the sink; what cannot be a document goes to sink->skip and the rest goes on.
 * Fails only with what the sink returned, or BS_NO_MEMORY. */
enum bs_status bs_reader_read(struct bs_reader *reader, const struct bs_source *source, const struct bs_batch *batch,
                              const struct bs_document_sink *sink, struct bs_error *err) BS_WARN_UNUSED;

/*
 * One document again, for verification. The document is borrowed from the reader until its next call.
 *   fetch_file:   the file at path (full path); stamp_out is the stamp it has now. Binary or not, it is read.
 *   fetch_record: raw_bytes at offset of the collection at path, parsed; the last collection stays open, so that
 *                 successive calls cost one pread. stamp_out as found when the collection was opened.
 *   fetch_raw:    a record's raw JSON line, for text kept in a store.
 * BS_NOT_FOUND when the file is gone, BS_IO, BS_INVALID when the bytes are no longer a record, BS_NO_MEMORY.
 */
enum bs_status bs_reader_fetch_file(struct bs_reader *reader, const char *path, struct bs_document *document_out,
                                    struct bs_stamp *stamp_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_fetch_record(struct bs_reader *reader, const char *path, uint64_t offset, uint64_t raw_bytes,
                                      struct bs_document *document_out, struct bs_stamp *stamp_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_fetch_raw(struct bs_reader *reader, const uint8_t *raw, size_t raw_bytes,
                                   struct bs_document *document_out, struct bs_error *err) BS_WARN_UNUSED;

#ifdef __cplusplus
}
#endif
#endif
