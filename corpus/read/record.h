/*
 * record.h: parses one line of JSONL into an id and the texts to index: all strings, and numbers as
 * spelled.
 *
 * A value inside an object is named by the keys that lead to it, joined by dots; a value in an
 * array has the name of the array. If that name would be longer than BS_RECORD_NAME_BYTES, the
 * value has the name of the enclosing object. U+0000 in names becomes U+FFFD, because the index
 * stores and queries spell names without NUL bytes.
 *
 * Every JSON object of RFC 8259 is a record: integers of any length, exponents of any size, lone
 * surrogate escapes (read as U+FFFD), "\u0000" (a NUL byte in the text), duplicate keys, nesting up
 * to BS_RECORD_MAX_DEPTH. A line may contain invalid UTF-8: each maximal invalid sequence is read
 * as U+FFFD. This file does not handle files and line numbers; see source.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"
#include "corpus/read/record_options.h"
#include "corpus/walk/document.h"

/* Owns the memory for parsing: address space of about 15 times the longest line so far, of which
 * only used pages are touched. Not for concurrent use. */
struct bs_record_parser;

/* BS_NO_MEMORY. */
enum bs_status bs_record_parser_new(const struct bs_record_options *options,
                                    struct bs_record_parser **parser_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Sets whether the ids of later lines are passed separately, not as a field of the record
 * (BS_DOC_SEPARATE_ID). */
void bs_record_parser_set_separate_id(struct bs_record_parser *parser, bool has_separate_id);
/* Frees the memory, which may be large after a long line. Invalidates the last parsed document. */
void bs_record_parser_forget(struct bs_record_parser *parser);
/* NULL is allowed. */
void bs_record_parser_free(struct bs_record_parser *parser);

/*
 * Parses one line. White space around the object is allowed, including a line end. line is copied,
 * so it needs no NUL and no padding. If there are several id fields, the last one counts; all
 * fields with a repeated name are indexed. A field in text_fields is text even if it is the id
 * field.
 *
 * document_out: name is the id: a string's text, unchanged (it may be empty or contain NUL bytes),
 * or an integer's digits; name.is_line if the id field is absent or null. text.fields are in the
 * order of the record; at least one, unless has_separate_id is set. The caller sets place and
 * raw.checksum. If the line is not a document, refusal_out has the reason: BS_SKIP_BAD_RECORD,
 * BS_SKIP_NO_TEXT or BS_SKIP_TOO_LARGE. Results are borrowed from the parser and the line until the
 * next call. BS_NO_MEMORY.
 */
enum bs_status bs_record_parse(struct bs_record_parser *parser, const uint8_t *line,
                               size_t line_bytes, struct bs_document *document_out,
                               struct bs_refusal *refusal_out, struct bs_error *err) BS_WARN_UNUSED;
