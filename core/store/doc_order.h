/* doc_order.h: the order of documents that every listing and every tie goes by, whatever segments
 * they lie in: sources as recorded; in a folder by path component, bytewise ("a/x" before "a-b");
 * in a collection by place, and one that was found in a folder stands there where its file does; of
 * standard input in the order of arrival. */
#pragma once

#include "core/base/error.h"
#include "core/store/snapshot.h"

/* Paths below a folder: negative, zero or positive. */
int bs_compare_paths(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes);

/* Two documents of one source, of the kind given (enum bs_source_kind). */
int bs_compare_records(uint32_t kind, const struct bs_doc_record *a, const struct bs_doc_record *b);

/* Two documents of the sources of a manifest; 0 for some that cannot be told apart. */
int bs_compare_documents(const struct bs_manifest *manifest, const struct bs_doc_record *a,
                         const struct bs_doc_record *b);

/* Two documents of a snapshot. Those that cannot be read (damage) compare by their numbers. */
int bs_document_order(const struct bs_snapshot *snapshot, struct bs_doc_ref a, struct bs_doc_ref b);

/* The live documents of one source in document order, over all segments (or those chosen), and its
 * exclusions if asked for; none of a source that the snapshot does not have. One thread; the
 * snapshot is borrowed, and not changed meanwhile but for documents that the cursor has passed. */
struct bs_doc_cursor {
	const struct bs_snapshot *snapshot;
	const struct bs_doc_bits *among; /* NULL: of all live documents */
	uint32_t kind;
	bool with_inner;
	struct bs_doc_stream *streams; /* a heap, the next document on top */
	size_t n_streams;
};

/* More documents for a cursor. */
enum {
	BS_CURSOR_EXCLUSIONS = 1, /* the exclusions of the source */
	BS_CURSOR_INNER =
		/* documents of the collections that were found in the source, a folder, in their
		 * places */
		2,
};

/* chosen (nullable): of which segments. among (nullable, borrowed; then without exclusions): the
 * documents, all of them live, of which the others are passed over. Release with
 * bs_doc_cursor_deinit, also after a failure. BS_NO_MEMORY, BS_CORRUPT. */
enum bs_status bs_doc_cursor_init(struct bs_doc_cursor *cursor, const struct bs_snapshot *snapshot,
                                  uint32_t source, const bool *chosen, unsigned flags,
                                  const struct bs_doc_bits *among,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* The next document, without moving on; false at the end. record_out's name is borrowed from the
 * snapshot. */
bool bs_doc_cursor_peek(const struct bs_doc_cursor *cursor, struct bs_doc_ref *ref_out,
                        struct bs_doc_record *record_out);
enum bs_status bs_doc_cursor_advance(struct bs_doc_cursor *cursor,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Of a folder's files: goes on to the first that does not come before the name, if that lies ahead;
 * by bisection. */
enum bs_status bs_doc_cursor_seek(struct bs_doc_cursor *cursor, const uint8_t *name,
                                  size_t name_bytes, struct bs_error *err) BS_WARN_UNUSED;
void bs_doc_cursor_deinit(struct bs_doc_cursor *cursor);
