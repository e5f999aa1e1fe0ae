/* doc_order.h: document order, the order of listings and of ties, across segments. Sources come in
 * the order of the manifest. Within a folder, documents are ordered by path component, bytewise
 * ("a/x" before "a-b"); within a collection by their place in the file. A collection that was found
 * in a folder has the position of its file. Records of standard input are in the order of
 * arrival. */
#pragma once

#include "core/base/error.h"
#include "core/store/snapshot.h"

/* Compares two documents of one source of this kind (enum bs_source_kind). */
int bs_compare_records(uint32_t kind, const struct bs_doc_record *a, const struct bs_doc_record *b);

/* Compares two documents of sources of the manifest. 0: the order does not distinguish them. */
int bs_compare_documents(const struct bs_manifest *manifest, const struct bs_doc_record *a,
                         const struct bs_doc_record *b);

/* Compares two documents of a snapshot. If a record cannot be read (damage), or the order does not
 * distinguish the documents, compares the numbers of their segments. */
int bs_document_order(const struct bs_snapshot *snapshot, struct bs_doc_ref a, struct bs_doc_ref b);

/* Iterates over the live documents of one source in document order, in all or some segments; with
 * flags, also over its exclusions and over documents of collections found in it. Empty if the
 * snapshot does not have the source. For one thread. Borrows the snapshot; while the cursor is in
 * use, only documents that it has passed may be marked as deleted or live. */
struct bs_doc_cursor {
	const struct bs_snapshot *snapshot;
	const struct bs_doc_bits *among; /* the documents to visit; NULL: all */
	uint32_t kind;                   /* kind of the source (enum bs_source_kind) */
	bool with_inner;                 /* the flag BS_CURSOR_INNER was passed */
	struct bs_doc_stream *streams;   /* a heap; the next document on top */
	size_t n_streams;
};

/* Flags of bs_doc_cursor_init: also visit these documents. */
enum {
	BS_CURSOR_EXCLUSIONS = 1, /* the exclusions of the source */
	/* Documents of the collections that were found in the source, which is a folder. */
	BS_CURSOR_INNER = 2,
};

/* Starts a cursor. chosen: for each segment, whether to visit it; NULL: visits all. among: visits
 * only these documents, which must be live (borrowed; not allowed with BS_CURSOR_EXCLUSIONS); NULL:
 * visits all. Release with bs_doc_cursor_deinit, also after a failure. BS_NO_MEMORY, BS_CORRUPT. */
enum bs_status bs_doc_cursor_init(struct bs_doc_cursor *cursor, const struct bs_snapshot *snapshot,
                                  uint32_t source, const bool *chosen, unsigned flags,
                                  const struct bs_doc_bits *among,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* The next document, without consuming it. Returns false at the end. record_out->name is borrowed
 * from the snapshot. */
bool bs_doc_cursor_peek(const struct bs_doc_cursor *cursor, struct bs_doc_ref *ref_out,
                        struct bs_doc_record *record_out);
/* Moves past the document that bs_doc_cursor_peek returns; there must be one. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_doc_cursor_advance(struct bs_doc_cursor *cursor,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* For files of a folder: moves forward to the first document whose name is not before `name` in
 * document order, by bisection. Does nothing if the cursor is there or later. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_doc_cursor_seek(struct bs_doc_cursor *cursor, const uint8_t *name,
                                  size_t name_bytes, struct bs_error *err) BS_WARN_UNUSED;
void bs_doc_cursor_deinit(struct bs_doc_cursor *cursor);
