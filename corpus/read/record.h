/*
 * record.h: one line of JSONL -> an id and the texts to index: all its strings, and its numbers as
 * they are spelled.
 *
 * What stands in an object in the record is named by the keys on the way, with dots between; what
 * stands in an array, as the array. A name so made that would be longer than BS_RECORD_NAME_BYTES
 * is that of the object around. In names U+0000 is read as U+FFFD, because the index stores and
 * queries spell names without NUL bytes.
 *
 * Whatever RFC 8259 calls a JSON object is a record: integers of any length, exponents of any size,
 * lone surrogate escapes (read as U+FFFD), "\u0000" (a NUL byte in the text), duplicate keys,
 * nesting up to BS_RECORD_MAX_DEPTH. Bytes that are not UTF-8 do not make a line a bad one either:
 * each maximal invalid sequence is read as U+FFFD. This file knows nothing of files and line
 * numbers; source.h does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"
#include "corpus/read/record_options.h"
#include "corpus/walk/document.h"

/* Owns the memory of parsing: about 15 times the longest line so far as address space, touched only
 * as far as used. One thread at a time. */
struct bs_record_parser;

/* BS_NO_MEMORY. */
enum bs_status bs_record_parser_new(const struct bs_record_options *options,
                                    struct bs_record_parser **parser_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* From now on, whether lines are of records with ids of their own. */
void bs_record_parser_set_separate_id(struct bs_record_parser *parser, bool has_separate_id);
/* Gives back the memory, which may be much after a long line. What was parsed is gone. */
void bs_record_parser_forget(struct bs_record_parser *parser);
/* NULL is fine. */
void bs_record_parser_free(struct bs_record_parser *parser);

/*
 * Parses one line (white space around the object is fine; a line end is white space). line need not
 * be NUL-ended nor padded: it is copied. The last of several id fields is the id; all fields of a
 * repeated name count. A field listed in text_fields is text even if it is the id field.
 * document_out: its name is the id, a string's text as it is (it may be empty or hold NUL bytes) or
 * an integer's digits; name.is_line if the id field is absent or null; at least one field, in the
 * order of the record; place and raw.checksum are the caller's. Or else refusal_out says why it is
 * none: BS_SKIP_BAD_RECORD, BS_SKIP_NO_TEXT or BS_SKIP_TOO_LARGE. All is borrowed from the parser
 * and the line until the next call. BS_NO_MEMORY.
 */
enum bs_status bs_record_parse(struct bs_record_parser *parser, const uint8_t *line,
                               size_t line_bytes, struct bs_document *document_out,
                               struct bs_refusal *refusal_out, struct bs_error *err) BS_WARN_UNUSED;
