/*
 * loader.h: the current texts of the documents of a list of snapshots. One snapshot loader
 * (snapshot_loader.h) for each snapshot does the work; what its functions say of documents holds
 * here.
 */
#pragma once

#include "core/bitsift/search_result.h"
#include "core/store/snapshot_list.h"
#include "query/load/snapshot_loader.h"

/* Passes on notices about the sources of one snapshot. */
struct bs_loader_notices {
	void (*notice)(void *context, const char *message);
	void *context;
	const char *name; /* precedes each message; NULL: nothing does */
};

/* One thread. Only the functions below look at the members. */
struct bs_loader {
	const struct bs_snapshot_list *list;
	struct bs_loader_notices *notices;             /* list->n_entries */
	struct bs_snapshot_loader *snapshot_loaders[]; /* list->n_entries */
};

/* All is borrowed; proofs: one for each snapshot. notice (nullable) gets one printable line for a
 * source that cannot be read. Fails as bs_snapshot_loader_new. */
enum bs_status bs_loader_new(const struct bs_snapshot_list *list,
                             struct bs_prefix_checks *const *prefix_checks,
                             void (*notice)(void *context, const char *message), void *context,
                             struct bs_loader **loader_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_loader_free(struct bs_loader *loader); /* NULL is fine */

const struct bs_snapshot_list *bs_loader_list(const struct bs_loader *loader);
/* The snapshot loader of a snapshot of the list. */
struct bs_snapshot_loader *bs_loader_snapshot_loader(const struct bs_loader *loader,
                                                     uint32_t entry);

/* For all snapshots. As bs_snapshot_load_begin, bs_snapshot_load_leave_changed,
 * bs_snapshot_load_ask_head, bs_snapshot_loader_failures. */
void bs_loader_begin(struct bs_loader *loader, bool verbose, bool trusts);
void bs_loader_leave_changed(struct bs_loader *loader);
void bs_loader_ask_head(struct bs_loader *loader,
                        bool (*is_enough)(void *context, const uint8_t *text, size_t n_bytes),
                        void *context);
uint64_t bs_loader_failures(const struct bs_loader *loader);
/* The changed sources that were met since bs_loader_begin. */
struct bs_changes bs_loader_changes(const struct bs_loader *loader);

/* The snapshot loader of a segment, and the number of the segment in its snapshot. */
static inline struct bs_snapshot_loader *bs_loader_snapshot_loader_of(
	const struct bs_loader *loader, uint32_t segment, uint32_t *own_out)
{
	const struct bs_list_segment *of = bs_list_segment(loader->list, segment);
	*own_out = of->number;
	return loader->snapshot_loaders[of->entry];
}

/* Of documents. As bs_snapshot_load, bs_snapshot_load_agrees, bs_snapshot_load_is_of_line,
 * bs_snapshot_load_is_unchanged, bs_snapshot_load_is_segment_unchanged, bs_snapshot_load_expect.
 * Those that are called for every candidate are inline. */
BS_WARN_UNUSED static inline enum bs_status bs_load(struct bs_loader *loader, struct bs_doc_ref ref,
                                                    struct bs_document *document_out,
                                                    enum bs_fetched *fetched_out,
                                                    struct bs_error *err)
{
	uint32_t own;
	struct bs_snapshot_loader *snapshot_loader =
		bs_loader_snapshot_loader_of(loader, ref.segment, &own);
	return bs_snapshot_load(snapshot_loader, own, ref.document, document_out, fetched_out, err);
}

static inline bool bs_loader_agrees(struct bs_loader *loader, struct bs_doc_ref ref)
{
	uint32_t own;
	struct bs_snapshot_loader *snapshot_loader =
		bs_loader_snapshot_loader_of(loader, ref.segment, &own);
	return bs_snapshot_load_agrees(snapshot_loader, own, ref.document);
}

bool bs_loader_is_of_line(struct bs_loader *loader, struct bs_doc_ref ref);
enum bs_status bs_loader_is_unchanged(struct bs_loader *loader, struct bs_doc_ref ref,
                                      bool *unchanged_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_loader_is_segment_unchanged(struct bs_loader *loader, uint32_t segment,
                                              bool *unchanged_out,
                                              struct bs_error *err) BS_WARN_UNUSED;
void bs_loader_expect(struct bs_loader *loader, uint32_t segment, const uint32_t *documents,
                      size_t n_documents);

/* Of records: the line of JSON, its fields with their escapes, these without them. As
 * bs_snapshot_load_line, bs_snapshot_load_cut_line, bs_snapshot_load_resolve. */
BS_WARN_UNUSED static inline enum bs_status bs_loader_line(struct bs_loader *loader,
                                                           struct bs_doc_ref ref,
                                                           const uint8_t **line_out,
                                                           size_t *line_bytes_out,
                                                           struct bs_error *err)
{
	uint32_t own;
	struct bs_snapshot_loader *snapshot_loader =
		bs_loader_snapshot_loader_of(loader, ref.segment, &own);
	return bs_snapshot_load_line(snapshot_loader, own, ref.document, line_out, line_bytes_out,
	                             err);
}

bool bs_loader_cut_line(struct bs_loader *loader, struct bs_doc_ref ref, const uint8_t *line,
                        size_t line_bytes, struct bs_document *document_out);
bool bs_loader_resolve(struct bs_loader *loader, struct bs_doc_ref ref,
                       struct bs_document *document);

/* Of names. As bs_snapshot_load_id, bs_snapshot_load_in_memory_id. */
enum bs_status bs_loader_id(struct bs_loader *loader, struct bs_doc_ref ref, struct bs_buffer *id,
                            struct bs_buffer *local_id, struct bs_buffer *path,
                            struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_loader_in_memory_id(struct bs_loader *loader, struct bs_doc_ref ref,
                                      bool *is_in_memory_out, const uint8_t **id_out,
                                      uint32_t *id_bytes_out, const char **path_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
