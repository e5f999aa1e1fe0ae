/*
 * loader.h: reads the current texts of the documents of a list of snapshots. Each snapshot has its
 * own snapshot loader (snapshot_loader.h), which does the work; the contracts there hold here
 * too.
 */
#pragma once

#include "core/bitsift/search_result.h"
#include "core/store/snapshot_list.h"
#include "query/load/snapshot_loader.h"

/* Passes on notices about the sources of one snapshot. */
struct bs_loader_notices {
	void (*notice)(void *context, const char *message);
	void *context;
	const char *name; /* The name that precedes each message; NULL: no prefix. */
};

/* Used by one thread. Its members are private to the functions below. */
struct bs_loader {
	const struct bs_snapshot_list *list;
	/* For each snapshot of the list: passes on its notices. */
	struct bs_loader_notices *notices;
	/* For each snapshot of the list: its loader. */
	struct bs_snapshot_loader *snapshot_loaders[];
};

/* Creates a loader for the snapshots of a list. All inputs are borrowed. prefix_checks has one
 * entry per snapshot. notice (nullable) receives printable lines, as for bs_snapshot_loader_new.
 * Returns the failures of bs_snapshot_loader_new and BS_NO_MEMORY. */
enum bs_status bs_loader_new(const struct bs_snapshot_list *list,
                             struct bs_prefix_checks *const *prefix_checks,
                             void (*notice)(void *context, const char *message), void *context,
                             struct bs_loader **loader_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_loader_free(struct bs_loader *loader); /* NULL does nothing. */

const struct bs_snapshot_list *bs_loader_list(const struct bs_loader *loader);
/* Returns the loader of snapshot number `entry` of the list. */
struct bs_snapshot_loader *bs_loader_snapshot_loader(const struct bs_loader *loader,
                                                     uint32_t entry);

/* These functions apply to all snapshots of the list: see bs_snapshot_load_begin,
 * bs_snapshot_load_skip_changed, bs_snapshot_load_ask_head and bs_snapshot_loader_failures. */
void bs_loader_begin(struct bs_loader *loader, bool verbose, bool trusts);
void bs_loader_leave_changed(struct bs_loader *loader);
void bs_loader_ask_head(struct bs_loader *loader,
                        bool (*is_enough)(void *context, const uint8_t *text, size_t n_bytes),
                        void *context);
uint64_t bs_loader_failures(const struct bs_loader *loader);
/* The changes found since bs_loader_begin that no earlier query had found, summed over the
 * snapshots. */
struct bs_changes bs_loader_changes(const struct bs_loader *loader);

/* The snapshot loader for a segment of the list. *own_out: the number of the segment in its
 * snapshot. */
static inline struct bs_snapshot_loader *bs_loader_snapshot_loader_of(
	const struct bs_loader *loader, uint32_t segment, uint32_t *own_out)
{
	const struct bs_list_segment *of = bs_list_segment(loader->list, segment);
	*own_out = of->number;
	return loader->snapshot_loaders[of->entry];
}

/* Functions on one document or one segment of the list: see bs_snapshot_load,
 * bs_snapshot_load_agrees, bs_snapshot_load_is_of_line, bs_snapshot_load_is_unchanged,
 * bs_snapshot_load_is_segment_unchanged and bs_snapshot_load_expect. Functions that are called for
 * every candidate are inline. */
BS_WARN_UNUSED static inline enum bs_status bs_load(struct bs_loader *loader, struct bs_doc_ref ref,
                                                    struct bs_document *document_out,
                                                    enum bs_load_state *fetched_out,
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

/* Functions on records: the line of JSON, its fields with their escapes, and its fields without
 * escapes. See bs_snapshot_load_line, bs_snapshot_load_cut_line and bs_snapshot_load_resolve. */
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

/* Ids and paths of documents: see bs_snapshot_load_id and bs_snapshot_load_in_memory_id. */
enum bs_status bs_loader_id(struct bs_loader *loader, struct bs_doc_ref ref, struct bs_buffer *id,
                            struct bs_buffer *local_id, struct bs_buffer *path,
                            struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_loader_in_memory_id(struct bs_loader *loader, struct bs_doc_ref ref,
                                      bool *is_in_memory_out, const uint8_t **id_out,
                                      uint32_t *id_bytes_out, const char **path_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
