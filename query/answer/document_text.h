/* document_text.h: finds a document by its id, and reads its current texts (bs_document of
 * bitsift/search.h). */
#pragma once

#include "core/base/vector.h"
#include "core/bitsift/host.h"
#include "query/load/loader.h"

BS_VECTOR(bs_texts, struct bs_text);

/* The state of the functions below, reused from call to call. Used by one thread. Zero-initialise;
 * release with bs_document_texts_deinit. */
struct bs_document_texts {
	/* The lookup tables of ids, one per snapshot; NULL: no id has been looked up yet. */
	struct bs_document_ids *ids;
	uint32_t n_ids;
	struct bs_texts texts;
};
void bs_document_texts_deinit(struct bs_document_texts *texts);

/* Finds the first document with the id. BS_NOT_FOUND, BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_document_find(struct bs_document_texts *texts,
                                const struct bs_snapshot_list *list, const char *id,
                                size_t id_bytes, struct bs_doc_ref *ref_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Reads the current text of a document into texts->texts. *is_changed_out (nullable): the
 * document's file or collection has changed since it was indexed, so the text may differ from the
 * indexed one. BS_NOT_FOUND (the document is gone), BS_IO, or the failures of bs_load. */
enum bs_status bs_document_read(struct bs_document_texts *texts, struct bs_loader *loader,
                                struct bs_doc_ref ref, bool *is_changed_out,
                                struct bs_error *err) BS_WARN_UNUSED;
