/* reader.h: turns batches into documents, and reads a document again. See source.h. */
#pragma once

#include "corpus/read/feed.h"

/* Reads documents; buffers and a JSON parser. One per thread. */
struct bs_reader;
enum bs_status bs_reader_new(const struct bs_source_options *options, struct bs_reader **reader_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_reader_free(struct bs_reader *reader);

/*
 * Every document of the batch, in order, to the sink; what cannot be a document goes to sink->skip
 * and the rest goes on. A file whose fingerprint is the known one, and proves it, goes to
 * sink->unchanged and is not read; so does one that is known and cannot be read, which sink->skip
 * is told of, too. What is read for a row is not refused: what is too large, or cannot be read and
 * was not known, is a document without fields. Of documents to read again only those that are what
 * they were, by checksum, go to the sink; of the others sink->skip is told those that cannot be
 * read. Fails only with what the sink returned, BS_NO_MEMORY, or BS_CORRUPT (of stored text).
 */
enum bs_status bs_reader_read(struct bs_reader *reader, const struct bs_batch *batch,
                              const struct bs_document_sink *sink,
                              struct bs_error *err) BS_WARN_UNUSED;

/* All batches of the feed. Fails with what bs_feed_next fails with, too. */
enum bs_status bs_reader_read_all(struct bs_reader *reader, struct bs_feed *feed,
                                  const struct bs_document_sink *sink,
                                  struct bs_error *err) BS_WARN_UNUSED;

/*
 * One document again, for verification. The document is borrowed from the reader until its next
 * call.
 *   fetch_file:   the file at path below folder, by the rules of indexing: without following a
 *     link, and binary ones are
 *                 refused; folder NULL: as its user named it, binary or not. The last folder stays
 *                   open. fingerprint_out is
 *                 the fingerprint that it has now.
 *   ask_head:     what is asked about the beginning of large files (file.h), from then on; NULL:
 *     nothing. Of one whose
 *                 beginning is enough, that is the document's text.
 *   fetch_line:   source_bytes at offset of a collection, unparsed, in UTF-8. The last collection
 *     stays open, and what was
 *                 read of it is kept, up to ahead_to and some 256 KiB: so that neighbours cost one
 *                   pread. fingerprint_out as
 *                 found when the collection was opened.
 *   fetch_record: the same, parsed.
 *   fetch_raw:    a record's raw JSON line, parsed.
 *   take_file:    the document of a file's bytes, which somebody kept.
 *   scan_line:    the same quickly, without the id (record_scan.h): of a line that is what was
 *     indexed.
 *   cut_line:     the same with all escapes left in the texts, and all that is not UTF-8;
 *     *is_known_out is false if only
 *                 fetch_raw can read it.
 *   resolve:      puts what they stand for in the place of escapes in the texts of the line that
 *     was cut last. False: it cannot.
 * BS_NOT_FOUND when the file is gone, BS_IO, BS_INVALID when it would be no document or record any
 * more, BS_NO_MEMORY.
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
/* From then on, whether lines are of records that were given with their ids (BS_DOC_SEPARATE_ID). A
 * batch forgets it. */
void bs_reader_set_separate_id(struct bs_reader *reader, bool has_separate_id);
enum bs_status bs_reader_scan_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                   struct bs_document *document_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_reader_cut_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                  struct bs_document *document_out, bool *is_known_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

bool bs_reader_resolve(struct bs_reader *reader, struct bs_document *document) BS_WARN_UNUSED;

/* The fingerprint of the file that fetch_file would read, if it is a regular one. Errors as those
 * of fetch_file. */
enum bs_status bs_reader_fingerprint(struct bs_reader *reader, const char *folder, const char *path,
                                     struct bs_fingerprint *fingerprint_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Drops what was kept of sources: they may have changed. A collection stays open unless
 * collection_too, since what is read of it can be compared with its fingerprint. */
void bs_reader_forget(struct bs_reader *reader, bool collection_too);
