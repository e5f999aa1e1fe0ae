/* reader.h: turns batches into documents, and reads a document again. See source.h. */
#pragma once

#include "corpus/read/feed.h"

/* Turns batches into documents; owns buffers and a JSON parser. One for each thread. */
struct bs_reader;
enum bs_status bs_reader_new(const struct bs_source_options *options, struct bs_reader **reader_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_reader_free(struct bs_reader *reader);

/*
 * Passes every document of the batch, in order, to the sink. Files and records that cannot be
 * documents are reported to sink->skip. A file whose fingerprint is the one in its index entry, and
 * is not racy, is passed to sink->unchanged without being read. A file that has an index entry but
 * cannot be read is passed to sink->unchanged, and reported to sink->skip. A row is not refused
 * because of its size or because its file cannot be read: a file of more than 1 MiB (or of more
 * than max_document_bytes, if that is less) becomes a document with a text stream instead of
 * fields; a file that cannot be read, or that is so large and in UTF-16, becomes a document without
 * text.
 *
 * A document to read again is passed only if its checksum is unchanged. A text of the text provider
 * is also passed if the index has no checksum of it, or if it must be read (may_stay of struct
 * bs_recall is false). If a file or collection exists but cannot be read, this is reported to
 * sink->skip. If the only copy of a text cannot be read, the failure is returned; but a text that
 * is invalid, or too large for the options, is reported to sink->skip.
 *
 * All other failures are statuses of the sink or of the deadline, BS_NO_MEMORY, or BS_CORRUPT (of
 * stored text).
 */
enum bs_status bs_reader_read(struct bs_reader *reader, const struct bs_batch *batch,
                              const struct bs_document_sink *sink,
                              struct bs_error *err) BS_WARN_UNUSED;

/* Reads all batches of the feed. Also fails with statuses of bs_feed_next. */
enum bs_status bs_reader_read_all(struct bs_reader *reader, struct bs_feed *feed,
                                  const struct bs_document_sink *sink,
                                  struct bs_error *err) BS_WARN_UNUSED;

/*
 * Single documents, for verification. A document is borrowed from the reader until its next call.
 *
 *   fetch_file    Reads the file at path below folder by the rules of indexing: symlinks are not
 *                 followed, binary files are refused. folder NULL: a file that the user named,
 *                 binary or not. The last folder stays open. *fingerprint_out: the file's, now.
 *   ask_head      Sets the callbacks that inspect the beginning of large files (file.h), for all
 *                 later fetch_file calls; NULL: none. If the beginning suffices, it is the text.
 *   fetch_line    Reads source_bytes at offset of a collection, unparsed, as UTF-8. The last
 *                 collection stays open. Reads ahead up to ahead_to, at most 256 KiB, so that
 *                 neighbouring records need one pread. *fingerprint_out: the collection's, when it
 *                 was opened.
 *   fetch_record  fetch_line without reading ahead, parsed.
 *   fetch_raw     Parses a record's raw JSON line.
 *   take_file     Makes the document from the bytes of a file, which the caller keeps.
 *   scan_line     Like fetch_raw, but fast and without the id (record_scan.h): for a line that is
 *                 unchanged since it was indexed.
 *   cut_line      Like scan_line, but texts keep escapes and invalid UTF-8. *is_known_out is
 *                 false if only fetch_raw can read the line.
 *   resolve       Resolves the escapes in the texts of the line that was last passed to cut_line.
 *                 Returns false if it cannot.
 *
 * BS_NOT_FOUND if the file is gone, BS_IO, BS_INVALID if it would no longer be a document or
 * record, BS_NO_MEMORY.
 */
enum bs_status bs_reader_fetch_file(struct bs_reader *reader, const char *folder, const char *path,
                                    struct bs_document *document_out,
                                    struct bs_fingerprint *fingerprint_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_take_file(struct bs_reader *reader, const struct bs_buffer *bytes,
                                   struct bs_document *document_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
struct bs_file_head;
void bs_reader_ask_head(struct bs_reader *reader, const struct bs_file_head *head);
enum bs_status bs_reader_fetch_line(struct bs_reader *reader, const struct bs_source *source,
                                    uint64_t offset, uint64_t source_bytes, uint64_t ahead_to,
                                    const uint8_t **line_out, size_t *line_bytes_out,
                                    struct bs_fingerprint *fingerprint_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_fetch_record(struct bs_reader *reader, const struct bs_source *source,
                                      uint64_t offset, uint64_t source_bytes,
                                      struct bs_document *document_out,
                                      struct bs_fingerprint *fingerprint_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_fetch_raw(struct bs_reader *reader, const uint8_t *raw, size_t raw_bytes,
                                   struct bs_document *document_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Sets whether the ids of later lines are passed separately, not as a field of the record
 * (BS_DOC_SEPARATE_ID). bs_reader_read resets it to false. */
void bs_reader_set_separate_id(struct bs_reader *reader, bool has_separate_id);
enum bs_status bs_reader_scan_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                   struct bs_document *document_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_cut_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                  struct bs_document *document_out, bool *is_known_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

bool bs_reader_resolve(struct bs_reader *reader, struct bs_document *document) BS_WARN_UNUSED;

/* The fingerprint of the file that fetch_file would read, if it is a regular file. Errors: see
 * fetch_file. */
enum bs_status bs_reader_fingerprint(struct bs_reader *reader, const char *folder, const char *path,
                                     struct bs_fingerprint *fingerprint_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Closes the last folder and drops cached bytes, because sources may have changed. The last
 * collection stays open unless collection_too is set, because bytes read from it can be checked by
 * its fingerprint. */
void bs_reader_forget(struct bs_reader *reader, bool collection_too);
