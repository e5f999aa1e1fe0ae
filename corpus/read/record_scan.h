/*
 * record_scan.h: the texts of a record, cut out of its line: every string and number, however deep.
 * Of a line that simdjson has found to be valid JSON this is the record; of one that was so when it
 * was indexed, and is verified again, it is so without asking simdjson, which is quicker.
 *
 * Of bytes that are no record any more the answer may be wrong, but it never reads or writes where
 * it must not.
 */
#pragma once

#include "core/base/buffer.h"
#include "corpus/read/record_options.h"
#include "corpus/walk/document.h"

/* What to take from a record, and the memory for it. Zero-initialise but for options (borrowed);
 * one thread. */
struct bs_record_scan {
	struct bs_record_options options;
	bool is_valid; /* the line is known to be JSON of valid UTF-8 */
	/* NULL, or the line as it came: each number in the line is an offset there */
	const uint8_t *original;
	size_t original_bytes;
	/* NULL, or what the line's strings stand for, in its order: a length of four bytes, the
	 * text, a NUL */
	const uint8_t *strings;
	/* after a scan: the first byte of the id's value; 0: it has none; */
	uint8_t id_kind;
	const uint8_t *id; /* a string's text or a number's spelling */
	size_t id_bytes;
	struct bs_buffer fields; /* struct bs_field each */
	struct bs_buffer names;  /* theirs */
	struct bs_buffer text;   /* strings that had escapes, and numbers of the original */
	struct bs_buffer levels; /* objects and arrays that are open */
};
void bs_record_scan_deinit(struct bs_record_scan *scan);

/*
 * Fills document_out as bs_record_parse would, but for the id, which is in scan; borrowed from scan
 * and line. With as_it_is the texts are what stands between the quotes, escapes and all.
 * *is_known_out is false if the line has something that only the parser knows how to read: keys
 * that are not UTF-8, more than BS_RECORD_MAX_FIELDS, what is no record or, unless the line
 * is_valid, has no text. Bytes that are not UTF-8 are left as they are. BS_NO_MEMORY.
 */
enum bs_status bs_record_scan_line(struct bs_record_scan *scan, const uint8_t *line,
                                   size_t line_bytes, bool as_it_is,
                                   struct bs_document *document_out, bool *is_known_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Resolves the escapes in the texts of a document that was scanned with as_it_is. False: one of
 * them is no escape. */
bool bs_record_scan_resolve(struct bs_record_scan *scan,
                            struct bs_document *document) BS_WARN_UNUSED;

/* Asks the deadline (core/system/deadline.h) at round i of a loop over a record's members, now and
 * then. */
enum bs_status bs_record_ask(uint64_t i, struct bs_error *err) BS_WARN_UNUSED;
/* Asks the deadline after a pass over n_bytes of a record. */
enum bs_status bs_record_ask_bytes(uint64_t n_bytes, struct bs_error *err) BS_WARN_UNUSED;

/* Most of the memory that bs_record_parse takes for a line, and its record holds: its copy, its
 * strings, and what simdjson notes of each value and sign. */
uint64_t bs_record_parse_bytes(const uint8_t *line, size_t line_bytes);

/* Writes what a piece of a string stands for to `to`, which must have n_bytes of room; *n_out: how
 * much. False for what is no escape, and unless with_units for \u, of which a piece may have half a
 * pair. */
bool bs_record_unescape(const uint8_t *bytes, size_t n_bytes, bool with_units, uint8_t *to,
                        size_t *n_out);

/* How many bytes at `at` may all belong to a number: digits, signs, a point, an E. */
size_t bs_record_number_bytes(const uint8_t *at, const uint8_t *end);

/* The code point of the \uXXXX at bytes[*at], of a pair of them if it is one, and moves behind it.
 * U+FFFD for half a pair; negative for what is no escape. */
int32_t bs_record_code_point(const uint8_t *bytes, size_t n_bytes, size_t *at);
