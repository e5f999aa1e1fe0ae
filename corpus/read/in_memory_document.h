/*
 * in_memory_document.h: documents that a program passes as texts (bitsift/writer.h) instead of
 * naming a source. Makes their fields, which are analysed, and their JSON line, which the index
 * stores and whose checksum it records. Neither contains the id (BS_DOC_SEPARATE_ID).
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/bitsift/host.h"
#include "corpus/read/source.h"
#include "corpus/walk/document.h"

/* Overwrites line with the JSON object of these texts, without a line feed. Invalid UTF-8 becomes
 * U+FFFD. BS_NO_MEMORY. */
enum bs_status bs_in_memory_line(const struct bs_text *texts, size_t n_texts,
                                 struct bs_buffer *line, struct bs_error *err) BS_WARN_UNUSED;

/* Fills document_out as a reader of the JSON line would, except for the id. It borrows texts, line
 * (nullable: the document has no raw bytes), and fields. fields is overwritten with the text
 * fields, and with those names that a reader of the line would change. Fields that are not text
 * fields of the options are omitted. BS_NO_MEMORY. */
enum bs_status bs_in_memory_document(const struct bs_source_options *options,
                                     const struct bs_text *texts, size_t n_texts,
                                     const struct bs_buffer *line, struct bs_buffer *fields,
                                     struct bs_document *document_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
