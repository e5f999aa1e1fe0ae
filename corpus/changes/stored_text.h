/*
 * stored_text.h: the texts that the segments of a snapshot store: any one of them, for a query or a
 * compaction, and all in turn, for `bitsift check`. text_store.h knows the bytes.
 */
#pragma once

#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/store/snapshot.h"
#include "corpus/walk/document.h"

/* Decodes every text of a segment that stores some; those of standard input must have the bytes
 * their documents say, and be records. BS_CORRUPT names the segment's file. A bs_check_stored_text
 * (core/check/check.h). */
enum bs_status bs_stored_text_check(const struct bs_snapshot *snapshot, uint32_t segment,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* One thread's way to the stored texts of a snapshot (borrowed): decoders, made as segments are
 * asked for. */
struct bs_stored_texts;
enum bs_status bs_stored_texts_new(const struct bs_snapshot *snapshot,
                                   struct bs_stored_texts **texts_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_stored_texts_free(struct bs_stored_texts *texts);
/* Asks the snapshot's provider for the texts of a document that is not stored (BS_DOC_NOT_STORED),
 * as a bs_recall has it: borrowed until the next call. BS_NOT_FOUND: there is no such document any
 * more; BS_IO: they cannot be had; BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_stored_texts_ask(struct bs_stored_texts *texts, struct bs_doc_ref ref,
                                   struct bs_document *document_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Overwrites text with that of one frame of a segment. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_stored_texts_fetch(struct bs_stored_texts *texts, uint32_t segment,
                                     uint64_t frame, struct bs_buffer *text,
                                     struct bs_error *err) BS_WARN_UNUSED;
