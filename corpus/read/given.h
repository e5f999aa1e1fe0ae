/*
 * given.h: documents that are given as texts, by a program (bitsift/writer.h), not read from a source: as fields, which are analysed,
 * and as a line of JSON, which is what the index stores of one and what its checksum is of. Its id stands beside it (BS_DOC_GIVEN).
 */
#ifndef BS_CORPUS_READ_GIVEN_H
#define BS_CORPUS_READ_GIVEN_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/bitsift/host.h"
#include "corpus/read/source.h"
#include "corpus/walk/document.h"

/* Overwrites line with the object of these texts, without an end. What is not UTF-8 becomes U+FFFD. BS_NO_MEMORY. */
enum bs_status bs_given_line(const struct bs_text *texts, size_t n_texts, struct bs_buffer *line, struct bs_error *err) BS_WARN_UNUSED;

/* Fills document_out as the reader of that line would, but for the id. It points to the texts, to fields, which is overwritten
 * (and holds the names that a reader finds otherwise than they are given), and to line; NULL: there is none, and nothing raw. The
 * text fields of the options count. BS_NO_MEMORY. */
enum bs_status bs_given_document(const struct bs_source_options *options, const struct bs_text *texts, size_t n_texts,
                                 const struct bs_buffer *line, struct bs_buffer *fields, struct bs_document *document_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

#endif
