/* feed.h: cuts a source into batches, in document order, on one thread. See source.h. */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/vector.h"
#include "corpus/read/coding.h"
#include "corpus/read/source.h"

/* What the index knows of an item of a batch. */
struct bs_index_entry {
	/* segment BS_DOC_NONE: the index has no document for the item, but see is_binary */
	struct bs_doc_ref ref;
	bool is_racy;
	bool is_named_by_line;
	bool has_separate_id; /* its id was passed separately, not as a field of the record */
	bool is_elsewhere;    /* its text is not in the index (BS_DOC_NOT_STORED) */
	/* the walk could not read the path of the item, so the item counts as unchanged */
	bool is_kept;
	/* the file still has the fingerprint `place` */
	bool is_unchanged;
	/* not a document, but a row: grep's entry of a collection as a file */
	bool is_row;
	/* not a document, but a binary file; `place` is its fingerprint, and ref.segment is
	 * BS_DOC_NONE */
	bool is_binary;
	/* if is_binary: the offset after the file's first NUL byte; 0: unknown, as for UTF-16 */
	uint32_t nul_end;
	uint64_t place[4]; /* see struct bs_doc_record */
	uint64_t checksum;
};

BS_VECTOR(bs_index_entries, struct bs_index_entry);

/* Reads texts that an index stores. These are pointers to functions of
 * corpus/changes/stored_text.h, because corpus/read does not include corpus/changes. */
struct bs_stored_texts;
struct bs_recall {
	const struct bs_snapshot *index;
	enum bs_status (*open)(const struct bs_snapshot *index, struct bs_stored_texts **texts_out,
	                       struct bs_error *err);
	enum bs_status (*fetch)(struct bs_stored_texts *texts, uint32_t segment, uint64_t frame,
	                        struct bs_buffer *text, struct bs_error *err);
	/* Gets a document whose text is not in the index from the text provider. */
	enum bs_status (*ask)(struct bs_stored_texts *texts, struct bs_doc_ref ref,
	                      struct bs_document *document_out, struct bs_error *err);
	void (*close)(struct bs_stored_texts *texts);
	bool are_all; /* all documents are stored; frame i is document i */
	/* a document that needs too much memory may stay in its segment; false: it must be read,
	 * because its only copy would be lost */
	bool may_stay;
};

/* The work unit of a reader: paths of files, or whole lines of a collection, or documents to read
 * again. Zero-initialise; reused by bs_feed_next; may be passed between threads. */
struct bs_batch {
	/* folder: consecutive NUL-terminated paths below the source; collection: lines */
	struct bs_buffer bytes;
	struct bs_index_entries entries; /* one for each item, or none */
	/* how to read the items, if they are documents to read again; otherwise index is NULL */
	struct bs_recall recall;
	uint64_t offset;                /* collection: offset of bytes in the source */
	enum bs_coding coding;          /* collection: coding of bytes */
	uint64_t first_line;            /* collection: 1-based number of the first line */
	size_t n_items;                 /* paths or lines; 0 at the end of the source */
	const struct bs_source *source; /* the source of the items */
	/* the inner collection that the batch belongs to, begins or ends; NULL: none */
	struct bs_inner *inner;
	/* the batch begins inner: bytes has only the path of inner. Only its row is read from this
	 * path, and only if is_row is set. */
	bool begins_inner;
	/* the last batch of inner */
	bool ends_inner;
	bool has_failed; /* inner cannot be read further: bytes is the NUL-terminated reason */
	/* progress in the source so far, in bytes or files; 0 for documents to read again */
	uint64_t source_done;
	/* collection: the only item is a line that is longer than a document may be; bytes is
	 * empty */
	bool is_long_line;
	/* the items are collections, to be read as files for their rows */
	bool is_row;
};
void bs_batch_deinit(struct bs_batch *batch);

/* Large enough to make passing batches between threads cheap, small enough for the cache of a
 * core. */
#define BS_BATCH_BYTES ((size_t)1 << 20)
#define BS_BATCH_PATHS 64

struct bs_feed;
/* Opens a feed of a source. report (nullable) receives what the walk skips; see walk.h. source and
 * options are borrowed. */
enum bs_status bs_feed_open(const struct bs_source *source, const struct bs_source_options *options,
                            void (*report)(void *context, enum bs_skip reason, const char *message),
                            void *report_context, struct bs_feed **feed_out,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Fills batch with the next part: about 1 MiB of lines, 64 paths, or 512 paths if an entry lookup
 * is set. n_items is 0 at the end. The last line need not end with a line feed. BS_IO if a
 * collection cannot be read further, BS_NO_MEMORY. */
enum bs_status bs_feed_next(struct bs_feed *feed, struct bs_batch *batch,
                            struct bs_error *err) BS_WARN_UNUSED;
void bs_feed_close(struct bs_feed *feed);

/*
 * Reads inner collections, which the walk of a folder finds, as sources of their own. meet is
 * called for each file, in the order of the walk. *inner_out: NULL if the file is not a collection
 * (*is_unread_out: whether it could not be read). Otherwise *feed_out, which the caller of meet
 * does not free, yields what is to be read; NULL: nothing. The folder's feed then returns a batch
 * that begins the inner collection, followed by the batches of its feed, the last of which ends it.
 * Without a feed the first batch does both.
 */
struct bs_inner;
struct bs_inner_reader {
	void *context;
	/* each collection has a row, which is read from the batch that begins the collection */
	bool has_rows;
	enum bs_status (*meet)(void *context, const char *path, struct bs_inner **inner_out,
	                       struct bs_feed **feed_out, bool *is_unread_out,
	                       struct bs_error *err);
};
/* Makes the feed of a folder recognize inner collections. reader is borrowed. */
void bs_feed_set_inner_reader(struct bs_feed *feed, const struct bs_inner_reader *reader);

/* True if the walk has not read the path `name` below the folder so far, because it could not, or
 * because the path is not in the source's parts. */
bool bs_feed_is_unread(const struct bs_feed *feed, const char *name);
/* True if a failure of bs_feed_next or bs_feed_resume was a failure to read the source. */
bool bs_feed_has_failed(const struct bs_feed *feed);

/* Looks up the items of batches in an index; implemented in corpus/changes/index_entries.c. Batches
 * are passed in document order. */
struct bs_entry_lookup {
	void *context;
	/* For a folder or file: appends one struct bs_index_entry for each path of the batch, in
	 * order, then items for indexed documents at places that the walk could not read. unread:
	 * these places as NUL-terminated paths, in document order. is_last: no more paths will
	 * follow. For documents to read again: fills the batch, which is empty. */
	enum bs_status (*fill)(void *context, const struct bs_buffer *unread, bool is_last,
	                       struct bs_batch *batch, struct bs_error *err);
	void (*close)(void *context);
};
/* Makes the later batches of a folder's or a file's feed contain index entries. The lookup is
 * closed with the feed. */
void bs_feed_set_entry_lookup(struct bs_feed *feed, const struct bs_entry_lookup *lookup);
/* Opens a feed of documents to read again. The lookup is closed with the feed, or on failure.
 * BS_NO_MEMORY. */
enum bs_status bs_feed_open_recall(const struct bs_source *source,
                                   const struct bs_entry_lookup *lookup, struct bs_feed **feed_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Opens a feed whose only item is the row of a collection. entry (of the row in the index) and
 * source are borrowed. BS_NO_MEMORY. */
enum bs_status bs_feed_open_row(const struct bs_source *source, const struct bs_index_entry *entry,
                                struct bs_feed **feed_out, struct bs_error *err) BS_WARN_UNUSED;

/* How far a collection was read; zeros: not at all. */
struct bs_read_mark {
	uint64_t n_bytes;
	uint64_t n_lines;
	uint64_t checksum; /* checksum of the first n_bytes bytes */
};

/* Compares the beginning of a collection with the mark. If it is unchanged, *is_appended_out is
 * true and reading continues after it; otherwise the feed begins at the start. If the mark is
 * inside a line, that line must not have been continued since. BS_IO. */
enum bs_status bs_feed_resume(struct bs_feed *feed, const struct bs_read_mark *mark,
                              bool *is_appended_out, struct bs_error *err) BS_WARN_UNUSED;
/* Returns how far a collection was read, when its feed has ended. last_line_counts: a last line
 * without a line feed was a document, so it counts as read. */
void bs_feed_mark(const struct bs_feed *feed, bool last_line_counts, struct bs_read_mark *mark_out);

/* Sets *reaches_out to whether the walk of a folder yields the file or folder at `path` below it,
 * and this is not skipped as a binary file. BS_IO if that cannot be determined, BS_NO_MEMORY. */
enum bs_status bs_feed_reaches(const struct bs_source *folder,
                               const struct bs_source_options *options, const char *path,
                               bool *reaches_out, struct bs_error *err) BS_WARN_UNUSED;
