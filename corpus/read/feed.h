/* feed.h: cuts a source into batches, in document order, on one thread. See source.h. */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/vector.h"
#include "corpus/read/coding.h"
#include "corpus/read/source.h"

/* What the index knows of an item of a batch. */
struct bs_index_entry {
	struct bs_doc_ref ref; /* segment BS_DOC_NONE: nothing */
	bool is_racy;
	bool is_named_by_line;
	bool has_separate_id; /* its id was given with its text, */
	bool is_elsewhere;    /* which is not in the index (BS_DOC_NOT_STORED) */
	/* what stands there could not be looked at: it counts as unchanged */
	bool is_kept;
	/* a row of a collection: it says nothing of a document, and a document nothing of a row */
	bool is_row;
	uint64_t place[4]; /* as in struct bs_doc_record */
	uint64_t checksum;
};

BS_VECTOR(bs_index_entries, struct bs_index_entry);

/* The way to the texts that an index stores, by the functions of who knows them
 * (corpus/changes/stored_text.h). */
struct bs_stored_texts;
struct bs_recall {
	const struct bs_snapshot *index;
	enum bs_status (*open)(const struct bs_snapshot *index, struct bs_stored_texts **texts_out,
	                       struct bs_error *err);
	enum bs_status (*fetch)(struct bs_stored_texts *texts, uint32_t segment, uint64_t frame,
	                        struct bs_buffer *text, struct bs_error *err);
	/* Of a document whose text is not in the index. document_out as from a reader. */
	enum bs_status (*ask)(struct bs_stored_texts *texts, struct bs_doc_ref ref,
	                      struct bs_document *document_out, struct bs_error *err);
	void (*close)(struct bs_stored_texts *texts);
	bool are_all; /* the texts of all documents are stored, each in the frame of its number */
	/* what takes more memory than there is is left where it is; else the only copy of it would
	 * be lost */
	bool may_stay;
};

/* A piece of work for a reader: the paths of some files, or whole lines of a collection, or
 * documents to read again. Zero-initialise; reused by bs_feed_next; may be handed from one thread
 * to another. */
struct bs_batch {
	/* folder: NUL-ended paths below the source, one after the other; collection: lines */
	struct bs_buffer bytes;
	struct bs_index_entries entries; /* one for each item, or none at all */
	/* the items are documents to read again; index NULL: they are not */
	struct bs_recall recall;
	uint64_t offset;                /* collection: where bytes stands in the source */
	enum bs_coding coding;          /* collection: of bytes */
	uint64_t first_line;            /* collection: 1-based number of the first line */
	size_t n_items;                 /* paths or lines; 0 at the end of the source */
	const struct bs_source *source; /* of which it is */
	/* the collection in a folder that it is of, begins or ends; NULL: none */
	struct bs_inner *inner;
	/* bytes is the path of the file alone; there is nothing to read but its row */
	bool begins_inner;
	bool ends_inner;
	bool has_failed; /* it cannot be read on: bytes is the reason, NUL-ended */
	/* of the source so far, for progress: bytes, or files; of a recall 0 */
	uint64_t source_done;
	/* collection: the one line is longer than a document may be, and bytes is empty */
	bool is_long_line;
	/* paths of collections, of which each is read as a file, for its row among the grams */
	bool is_row;
};
void bs_batch_deinit(struct bs_batch *batch);

/* Large enough that handing batches between threads costs nothing, small enough to stay in a core's
 * cache. */
#define BS_BATCH_BYTES ((size_t)1 << 20)
#define BS_BATCH_PATHS 64

struct bs_feed;
/* report (nullable) is told of what the walk passes over; see walk.h. source and options are
 * borrowed. */
enum bs_status bs_feed_open(const struct bs_source *source, const struct bs_source_options *options,
                            void (*report)(void *context, enum bs_skip reason, const char *message),
                            void *report_context, struct bs_feed **feed_out,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Fills batch with the next piece, about 1 MiB of lines or 64 paths; n_items == 0 at the end. BS_IO
 * when a collection cannot be read on, BS_NO_MEMORY. A last line without line feed is a line. */
enum bs_status bs_feed_next(struct bs_feed *feed, struct bs_batch *batch,
                            struct bs_error *err) BS_WARN_UNUSED;
void bs_feed_close(struct bs_feed *feed);

/*
 * Whoever reads the collections that the walk of a folder meets as sources of their own: asked of
 * each file, in the order of the walk. *inner_out: NULL, it is a file like others, or, with
 * *is_unread_out, one that could not be looked at; else *feed_out, which is the caller's, has what
 * is to be read of it (NULL: nothing). The folder's feed gives a batch that begins it, its feed's
 * batches, of which the last one ends it, or the first one does both.
 */
struct bs_inner;
struct bs_inner_reader {
	void *context;
	bool has_rows; /* they have rows among the grams: what begins one is to be read as a row */
	enum bs_status (*meet)(void *context, const char *path, struct bs_inner **inner_out,
	                       struct bs_feed **feed_out, bool *is_unread_out,
	                       struct bs_error *err);
};
/* Of a feed of a folder. reader is borrowed. */
void bs_feed_set_inner_reader(struct bs_feed *feed, const struct bs_inner_reader *reader);

/* Whether the name, below a folder, lies where the walk so far could not look, or was not to. */
bool bs_feed_is_unread(const struct bs_feed *feed, const char *name);
/* Whether a failure of bs_feed_next or bs_feed_resume was one to read the source. */
bool bs_feed_has_failed(const struct bs_feed *feed);

/* What an index has of a source: corpus/changes/index_entries.h knows. Asked by the batch, in
 * document order. */
struct bs_entry_lookup {
	void *context;
	/* Of a folder or file: one struct bs_index_entry for each path in the batch, in order, and
	 * behind them items for known documents where the walk could not look: unread, paths in
	 * document order, each NUL-ended. is_last: no more paths will come. Of documents to read
	 * again: fills the batch, which is empty. */
	enum bs_status (*fill)(void *context, const struct bs_buffer *unread, bool is_last,
	                       struct bs_batch *batch, struct bs_error *err);
	void (*close)(void *context);
};
/* Of a feed of a folder or file: from now on its batches say what is known. Closed with the
 * feed. */
void bs_feed_set_entry_lookup(struct bs_feed *feed, const struct bs_entry_lookup *lookup);
/* A feed of documents to read again, closed with it, or when it fails. BS_NO_MEMORY. */
enum bs_status bs_feed_open_recall(const struct bs_source *source,
                                   const struct bs_entry_lookup *lookup, struct bs_feed **feed_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Of a collection: a feed of its row. known, of the row that it has, and source are borrowed.
 * BS_NO_MEMORY. */
enum bs_status bs_feed_open_row(const struct bs_source *source, const struct bs_index_entry *entry,
                                struct bs_feed **feed_out, struct bs_error *err) BS_WARN_UNUSED;

/* How far a collection was read. All zero: not at all. */
struct bs_read_mark {
	uint64_t n_bytes;
	uint64_t n_lines;
	uint64_t checksum; /* of those bytes */
};

/* Of a collection: compares its beginning with what the mark says was read, and if it is the same,
 * goes on behind it. *is_appended_out: it is; else the feed begins at the start. A line that had no
 * end then must have been ended, not continued. BS_IO. */
enum bs_status bs_feed_resume(struct bs_feed *feed, const struct bs_read_mark *mark,
                              bool *is_appended_out, struct bs_error *err) BS_WARN_UNUSED;
/* At the end of a collection: how far it was read. A last line without end counts only if it was a
 * document. */
void bs_feed_mark(const struct bs_feed *feed, bool last_line_counts, struct bs_read_mark *mark_out);

/* Whether the walk of a folder meets what stands at path below it, and the file there is none that
 * is passed over as binary. BS_IO if that cannot be seen, BS_NO_MEMORY. */
enum bs_status bs_feed_reaches(const struct bs_source *folder,
                               const struct bs_source_options *options, const char *path,
                               bool *reaches_out, struct bs_error *err) BS_WARN_UNUSED;
