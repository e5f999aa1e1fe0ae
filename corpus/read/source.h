/*
 * source.h: "here is a place; give me its documents", and later "give me that document again".
 *
 * A source is a folder, a file, a JSONL collection or standard input. Reading is split in two so that it can run on
 * several threads: a feed cuts a source into batches, in document order, on one thread; readers, one per thread, turn
 * batches into documents. Neighbours: walk.h finds the files of a folder, record.h parses a JSONL line, text_store.h
 * keeps the text of sources that cannot be read twice.
 */
#ifndef BS_CORPUS_READ_SOURCE_H
#define BS_CORPUS_READ_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/base/source_kind.h"
#include "core/bitsift/skip.h"
#include "corpus/read/coding.h"
#include "corpus/walk/document.h"
#include "corpus/walk/walk.h"

/* How documents are read; recorded with the index. Strings are borrowed for as long as a feed or reader lives. */
struct bs_source_options {
	bool hidden;
	bool no_ignore;
	bool binary_as_text;            /* -a: files with NUL bytes too */
	uint64_t max_document_bytes;    /* what is larger is passed over; 0: only what is 4 GiB or more */
	uint64_t memory_bytes;          /* of a run: what is larger is passed over, too, one of a 128th told of; 0: any */
	const char *const *globs;
	size_t n_globs;
	bool reads_records;             /* files of folders that are collections by name are read as such */
	const char *const *records;     /* ... more globs of such names, NULL-ended; NULL: none */
	const char *id_field;           /* NULL: "id" */
	const char *const *text_fields; /* the fields that are text, or NULL: all but the id */
	size_t n_text_fields;
	dev_t skip_device;              /* the index directory, see walk.h */
	ino_t skip_inode;
	const struct bs_walk_listings *lists; /* for the walk of a folder; NULL: none */
	int64_t suspect_from_ns;        /* the start of the run: stamps not older are suspect; 0: never mind */
	void (*left_out)(void *context, enum bs_skip reason, const char *path); /* as in walk.h */
	void *left_out_context;
	bool *has_private;              /* nullable: set, by any thread, if something found is for its owner alone */
	struct bs_pulse *pulse;         /* nullable: asked where standard input keeps its reader waiting */
};

struct bs_source {
	enum bs_source_kind kind;
	bool is_inner; /* a collection that was found in a folder, */
	char *folder;  /* which has this path, */
	char *below;   /* and it stands there below it */
	char *label; /* the argument without leading "./" and trailing "/"; "" for "." */
	char *path;  /* openable from the current directory; "-" for standard input */
	char *down;  /* of a recorded folder that holds the current directory: the way there, "sub/deep"; NULL: it does not */
	char *shown; /* of a recorded folder: the path by which globs and ignore rules know it; NULL: path */
	bool is_refused; /* a recorded one that must not be looked at (recorded.h) */
	bool is_anew;    /* nothing is trusted that an index knows of it: it is read from the start. Those in it, too */
	const char *const *parts; /* of a folder: only these, paths below it, are looked at; NULL-ended, borrowed; NULL: all */
};

/* Whether its documents are records, not files. */
static inline bool bs_source_has_records(const struct bs_source *source)
{
	return source->kind == BS_SOURCE_COLLECTION || source->kind == BS_SOURCE_STDIN;
}

/* What an argument of the command line names. Owns label and path; release with bs_source_deinit.
 * BS_NOT_FOUND / BS_IO when it is not there or cannot be read, BS_INVALID when it is neither file nor folder. */
enum bs_status bs_source_init(struct bs_source *source, const char *argument, struct bs_error *err) BS_WARN_UNUSED;
void bs_source_deinit(struct bs_source *source);

/* Appends a document's id, the one way ids are made: label/name in a folder (no slash after "" and "/"), the label for
 * a file, the name for a record, label#name for one of a collection in a folder, label:line for a record without id (line
 * is 0 for all others). BS_NO_MEMORY. */
enum bs_status bs_source_append_id(const struct bs_source *source, const uint8_t *name, size_t name_bytes,
                                   uint64_t line, struct bs_buffer *id, struct bs_error *err) BS_WARN_UNUSED;

/* Appends what the document is called where ids are shown: of a file its path, relative to the current directory as far as
 * the source's is; of a record, the id, that of a collection in a folder begun with the file's path. BS_NO_MEMORY. */
enum bs_status bs_source_append_local_id(const struct bs_source *source, const uint8_t *name, size_t name_bytes,
                                         uint64_t line, struct bs_buffer *id, struct bs_error *err) BS_WARN_UNUSED;

/* Whether a file or folder is at or below one of the source's parts. Without parts all are. */
bool bs_source_has_part(const struct bs_source *source, const uint8_t *name, size_t name_bytes);
/* Whether the walk of a folder meets what stands at path below it, and the file there is none that is passed over as
 * binary. BS_IO if that cannot be seen, BS_NO_MEMORY. */
enum bs_status bs_source_reaches(const struct bs_source *folder, const struct bs_source_options *options, const char *path,
                                 bool *reaches_out, struct bs_error *err) BS_WARN_UNUSED;

/* The stamp of the file behind a FILE or COLLECTION (or of any path). Of one in a folder: no link may lead there. */
enum bs_status bs_source_stamp(const struct bs_source *source, struct bs_stamp *stamp_out,
                               struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_path_stamp(const char *path, struct bs_stamp *stamp_out, struct bs_error *err) BS_WARN_UNUSED;

/* Opens the file behind a FILE or COLLECTION, as it is stamped. -1 and errno as openat. */
int bs_source_open(const struct bs_source *source, int flags);

/* What the index knows of an item of a batch. */
struct bs_known {
	struct bs_doc_ref ref; /* segment BS_DOC_NONE: nothing */
	bool is_suspect;
	bool is_named_by_line;
	bool is_given;         /* its id was given with its text, */
	bool is_elsewhere;     /* which is not in the index (BS_DOC_NOT_STORED) */
	bool is_kept;          /* what stands there could not be looked at: it counts as unchanged */
	bool is_row;           /* a row of a collection: it says nothing of a document, and a document nothing of a row */
	uint64_t place[4];     /* as in struct bs_doc_record */
	uint64_t checksum;
};

/* The way to the texts that an index stores, by the functions of who knows them (corpus/changes/stored_text.h). */
struct bs_stored_texts;
struct bs_recall {
	const struct bs_snapshot *index;
	enum bs_status (*open)(const struct bs_snapshot *index, struct bs_stored_texts **texts_out, struct bs_error *err);
	enum bs_status (*fetch)(struct bs_stored_texts *texts, uint32_t segment, uint64_t frame, struct bs_buffer *text,
	                        struct bs_error *err);
	/* Of a document whose text is not in the index. document_out as from a reader. */
	enum bs_status (*ask)(struct bs_stored_texts *texts, struct bs_doc_ref ref, struct bs_document *document_out,
	                      struct bs_error *err);
	void (*close)(struct bs_stored_texts *texts);
	bool are_all;  /* the texts of all documents are stored, each in the frame of its number */
	bool may_stay; /* what takes more memory than there is is left where it is; else the only copy of it would be lost */
};

/* A piece of work for a reader: the paths of some files, or whole lines of a collection, or documents to read again.
 * Zero-initialise; reused by bs_feed_next; may be handed from one thread to another. */
struct bs_batch {
	struct bs_buffer bytes; /* folder: NUL-ended paths below the source, one after the other; collection: lines */
	struct bs_buffer known; /* struct bs_known each, one an item; or none at all */
	struct bs_recall recall; /* the items are documents to read again; index NULL: they are not */
	uint64_t offset;        /* collection: where bytes stands in the source */
	enum bs_coding coding;  /* collection: of bytes */
	uint64_t first_line;    /* collection: 1-based number of the first line */
	size_t n_items;         /* paths or lines; 0 at the end of the source */
	const struct bs_source *source; /* of which it is */
	struct bs_inner *inner; /* the collection in a folder that it is of, begins or ends; NULL: none */
	bool begins_inner;      /* bytes is the path of the file alone; there is nothing to read but its row */
	bool ends_inner;
	bool has_failed;        /* it cannot be read on: bytes is the reason, NUL-ended */
	uint64_t source_done;   /* of the source so far, for progress: bytes, or files; of a recall 0 */
	bool is_long_line;      /* collection: the one line is longer than a document may be, and bytes is empty */
	bool is_row;            /* paths of collections, of which each is read as a file, for its row among the grams */
};
void bs_batch_deinit(struct bs_batch *batch);

/* Large enough that handing batches between threads costs nothing, small enough to stay in a core's cache. */
#define BS_BATCH_BYTES ((size_t)1 << 20)
#define BS_BATCH_PATHS 64

struct bs_feed;
/* report (nullable) is told of what the walk passes over; see walk.h. source and options are borrowed. */
enum bs_status bs_feed_open(const struct bs_source *source, const struct bs_source_options *options,
                            void (*report)(void *context, enum bs_skip reason, const char *message),
                            void *report_context, struct bs_feed **feed_out, struct bs_error *err) BS_WARN_UNUSED;
/* Fills batch with the next piece, about 1 MiB of lines or 64 paths; n_items == 0 at the end. BS_IO when a collection
 * cannot be read on, BS_NO_MEMORY. A last line without line feed is a line. */
enum bs_status bs_feed_next(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err) BS_WARN_UNUSED;
void bs_feed_close(struct bs_feed *feed);

/*
 * Whoever reads the collections that the walk of a folder meets as sources of their own: asked of each file, in the order of the
 * walk. *inner_out: NULL, it is a file like others, or, with *is_unread_out, one that could not be looked at; else *feed_out, which is the caller's, has what is to be read of
 * it (NULL: nothing). The folder's feed gives a batch that begins it, its feed's batches, of which the last one ends it,
 * or the first one does both.
 */
struct bs_inner;
struct bs_inner_reader {
	void *context;
	bool has_rows; /* they have rows among the grams: what begins one is to be read as a row */
	enum bs_status (*meet)(void *context, const char *path, struct bs_inner **inner_out, struct bs_feed **feed_out,
	                       bool *is_unread_out, struct bs_error *err);
};
/* Of a feed of a folder. reader is borrowed. */
void bs_feed_set_inner_reader(struct bs_feed *feed, const struct bs_inner_reader *reader);

/* Whether the name, below a folder, lies where the walk so far could not look, or was not to. */
bool bs_feed_is_unread(const struct bs_feed *feed, const char *name);
/* Whether a failure of bs_feed_next or bs_feed_resume was one to read the source. */
bool bs_feed_has_failed(const struct bs_feed *feed);

/* Whether the name is the path, or lies below it. */
bool bs_feed_is_at_or_below(const char *path, const uint8_t *name, size_t name_bytes);

/* What an index has of a source: corpus/changes/known.h knows. Asked by the batch, in document order. */
struct bs_known_source {
	void *context;
	/* Of a folder or file: one struct bs_known for each path in the batch, in order, and behind them items for
	 * known documents where the walk could not look: unread, paths in document order, each NUL-ended. is_last: no
	 * more paths will come. Of documents to read again: fills the batch, which is empty. */
	enum bs_status (*fill)(void *context, const struct bs_buffer *unread, bool is_last, struct bs_batch *batch,
	                       struct bs_error *err);
	void (*close)(void *context);
};
/* Of a feed of a folder or file: from now on its batches say what is known. Closed with the feed. */
void bs_feed_know(struct bs_feed *feed, const struct bs_known_source *known);
/* A feed of documents to read again, closed with it, or when it fails. BS_NO_MEMORY. */
enum bs_status bs_feed_open_recall(const struct bs_source *source, const struct bs_known_source *known,
                                   struct bs_feed **feed_out, struct bs_error *err) BS_WARN_UNUSED;

/* Of a collection: a feed of its row. known, of the row that it has, and source are borrowed. BS_NO_MEMORY. */
enum bs_status bs_feed_open_row(const struct bs_source *source, const struct bs_known *known,
                                struct bs_feed **feed_out, struct bs_error *err) BS_WARN_UNUSED;

/* How far a collection was read. All zero: not at all. */
struct bs_read_mark {
	uint64_t n_bytes;
	uint64_t n_lines;
	uint64_t checksum; /* of those bytes */
};

/* Of a collection: compares its beginning with what the mark says was read, and if it is the same, goes on behind it.
 * *is_appended_out: it is; else the feed begins at the start. A line that had no end then must have been ended, not
 * continued. BS_IO. */
enum bs_status bs_feed_resume(struct bs_feed *feed, const struct bs_read_mark *mark, bool *is_appended_out,
                              struct bs_error *err) BS_WARN_UNUSED;
/* At the end of a collection: how far it was read. A last line without end counts only if it was a document. */
void bs_feed_mark(const struct bs_feed *feed, bool last_line_counts, struct bs_read_mark *mark_out);

/* Reads documents; buffers and a JSON parser. One per thread. */
struct bs_reader;
enum bs_status bs_reader_new(const struct bs_source_options *options, struct bs_reader **reader_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_reader_free(struct bs_reader *reader);

/*
 * Every document of the batch, in order, to the sink; what cannot be a document goes to sink->skip and the rest goes
 * on. A file whose stamp is the known one, and proves it, goes to sink->unchanged and is not read; so does one that is
 * known and cannot be read, which sink->skip is told of, too. What is read for a row is not refused: what is too large,
 * or cannot be read and was not known, is a document without fields. Of documents to read again only those that are what they
 * were, by checksum, go to the sink; of the others sink->skip is told those that cannot be read.
 * Fails only with what the sink returned, BS_NO_MEMORY, or BS_CORRUPT (of stored text).
 */
enum bs_status bs_reader_read(struct bs_reader *reader, const struct bs_batch *batch, const struct bs_document_sink *sink,
                              struct bs_error *err) BS_WARN_UNUSED;

/* All batches of the feed. Fails with what bs_feed_next fails with, too. */
enum bs_status bs_reader_read_all(struct bs_reader *reader, struct bs_feed *feed, const struct bs_document_sink *sink,
                                  struct bs_error *err) BS_WARN_UNUSED;

/*
 * One document again, for verification. The document is borrowed from the reader until its next call.
 *   fetch_file:   the file at path below folder, by the rules of indexing: without following a link, and binary ones are
 *                 refused; folder NULL: as its user named it, binary or not. The last folder stays open. stamp_out is
 *                 the stamp that it has now.
 *   ask_head:     what is asked about the beginning of large files (file.h), from then on; NULL: nothing. Of one whose
 *                 beginning is enough, that is the document's text.
 *   fetch_line:   source_bytes at offset of a collection, unparsed, in UTF-8. The last collection stays open, and what was
 *                 read of it is kept, up to ahead_to and some 256 KiB: so that neighbours cost one pread. stamp_out as
 *                 found when the collection was opened.
 *   fetch_record: the same, parsed.
 *   fetch_raw:    a record's raw JSON line, parsed.
 *   take_file:    the document of a file's bytes, which somebody kept.
 *   scan_line:    the same quickly, without the id (record_scan.h): of a line that is what was indexed.
 *   cut_line:     the same with all escapes left in the texts; *is_known_out is false if only fetch_raw can read it.
 * BS_NOT_FOUND when the file is gone, BS_IO, BS_INVALID when it would be no document or record any more, BS_NO_MEMORY.
 */
enum bs_status bs_reader_fetch_file(struct bs_reader *reader, const char *folder, const char *path,
                                    struct bs_document *document_out, struct bs_stamp *stamp_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_take_file(struct bs_reader *reader, const struct bs_buffer *bytes, struct bs_document *document_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
struct bs_file_head;
void bs_reader_ask_head(struct bs_reader *reader, const struct bs_file_head *head);
enum bs_status bs_reader_fetch_line(struct bs_reader *reader, const struct bs_source *source, uint64_t offset,
                                    uint64_t source_bytes, uint64_t ahead_to, const uint8_t **line_out, size_t *line_bytes_out,
                                    struct bs_stamp *stamp_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_fetch_record(struct bs_reader *reader, const struct bs_source *source, uint64_t offset,
                                      uint64_t source_bytes, struct bs_document *document_out,
                                      struct bs_stamp *stamp_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_fetch_raw(struct bs_reader *reader, const uint8_t *raw, size_t raw_bytes,
                                   struct bs_document *document_out, struct bs_error *err) BS_WARN_UNUSED;
/* From then on, whether lines are of records that were given with their ids (BS_DOC_GIVEN). A batch forgets it. */
void bs_reader_expect_given(struct bs_reader *reader, bool is_given);
enum bs_status bs_reader_scan_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                   struct bs_document *document_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_cut_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                  struct bs_document *document_out, bool *is_known_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* The stamp of the file that fetch_file would read, if it is a regular one. Errors as those of fetch_file. */
enum bs_status bs_reader_stamp(struct bs_reader *reader, const char *folder, const char *path,
                               struct bs_stamp *stamp_out, struct bs_error *err) BS_WARN_UNUSED;
/* Drops what was kept of sources: they may have changed. A collection stays open unless collection_too, since what is
 * read of it can be compared with its stamp. */
void bs_reader_forget(struct bs_reader *reader, bool collection_too);

#endif
