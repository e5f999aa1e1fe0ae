/*
 * stored_text.h: the texts that the segments of a snapshot store: single texts for queries and
 * compaction, and a check of all texts for `bitsift check`. text_store.h has the encoding.
 */
#pragma once

#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/store/snapshot.h"
#include "corpus/walk/document.h"

/* Decodes every text of a segment that stores texts. Texts of standard input must have the length
 * that their documents record, and be valid records. If the index stores the texts of all
 * documents, each text must have the checksum of its document. BS_CORRUPT names the segment's file.
 * Can be passed as bs_check_stored_text (core/check/check.h). */
enum bs_status bs_stored_text_check(const struct bs_snapshot *snapshot, uint32_t segment,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* One thread's access to the stored texts of a snapshot (borrowed). The decoder of a segment is
 * made on first use. */
struct bs_stored_texts;
enum bs_status bs_stored_texts_new(const struct bs_snapshot *snapshot,
                                   struct bs_stored_texts **texts_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_stored_texts_free(struct bs_stored_texts *texts);
/* Gets the texts of a document that is not stored (BS_DOC_NOT_STORED) from the snapshot's text
 * provider; see `ask` of struct bs_recall. They are borrowed until the next call. BS_NOT_FOUND: the
 * document no longer exists; BS_IO: its text is not available; BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_stored_texts_ask(struct bs_stored_texts *texts, struct bs_doc_ref ref,
                                   struct bs_document *document_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Overwrites text with the text of one frame of a segment. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_stored_texts_fetch(struct bs_stored_texts *texts, uint32_t segment,
                                     uint64_t frame, struct bs_buffer *text,
                                     struct bs_error *err) BS_WARN_UNUSED;
