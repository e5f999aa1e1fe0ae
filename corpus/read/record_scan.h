/*
 * record_scan.h: extracts the texts of a record from its line: all strings and numbers at all
 * depths. For a line that simdjson has validated, the result is the record. For a line that was
 * valid when it was indexed and is read again for verification, simdjson is not needed, which is
 * faster.
 *
 * For bytes that are no longer a record the result may be wrong, but all memory accesses are in
 * bounds.
 */
#pragma once

#include "core/base/buffer.h"
#include "corpus/read/record_options.h"
#include "corpus/walk/document.h"

/* What to extract, and the memory for it. Zero-initialise all but options (borrowed). One
 * thread. */
struct bs_record_scan {
	struct bs_record_options options;
	bool is_valid; /* the caller guarantees that the line is valid JSON in valid UTF-8 */
	/* nullable: the original line; each number in the scanned line is then an offset in it */
	const uint8_t *original;
	size_t original_bytes;
	/* nullable: the resolved strings of the line, in order: a length of four bytes, the text, a
	 * NUL */
	const uint8_t *strings;
	/* result: first byte of the id's value; 0: the record has no id */
	uint8_t id_kind;
	const uint8_t *id; /* result: the text of a string id, or the spelling of a number */
	size_t id_bytes;
	struct bs_buffer fields; /* array of struct bs_field */
	struct bs_buffer names;  /* the names of the fields */
	/* Texts that are not in the line itself: strings with resolved escapes, and numbers copied
	 * from `original`. */
	struct bs_buffer text;
	struct bs_buffer levels; /* the open objects and arrays */
};
void bs_record_scan_deinit(struct bs_record_scan *scan);

/*
 * Fills document_out like bs_record_parse, except for the id, which is stored in scan. document_out
 * borrows from scan and line. as_it_is: texts are the bytes between the quotes, with escapes.
 * *is_known_out: false if only bs_record_parse can read the line: it has keys that are not UTF-8 or
 * more than BS_RECORD_MAX_FIELDS fields, is not a record or, unless is_valid or has_separate_id is
 * set, has no text. Invalid UTF-8 is not replaced. BS_NO_MEMORY.
 */
enum bs_status bs_record_scan_line(struct bs_record_scan *scan, const uint8_t *line,
                                   size_t line_bytes, bool as_it_is,
                                   struct bs_document *document_out, bool *is_known_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Resolves the escapes in the texts of a document that was scanned with as_it_is. Returns false for
 * an invalid escape. */
bool bs_record_scan_resolve(struct bs_record_scan *scan,
                            struct bs_document *document) BS_WARN_UNUSED;

/* Checks the deadline (core/system/deadline.h) occasionally, in round i of a loop over members. */
enum bs_status bs_record_check(uint64_t i, struct bs_error *err) BS_WARN_UNUSED;
/* Checks the deadline after a pass over n_bytes of a record. */
enum bs_status bs_record_ask_bytes(uint64_t n_bytes, struct bs_error *err) BS_WARN_UNUSED;

/* Upper bound of the memory that bs_record_parse and the resulting record use for a line: its copy,
 * its strings, and simdjson's data for each value and each structural character. */
uint64_t bs_record_parse_bytes(const uint8_t *line, size_t line_bytes);

/* Resolves the escapes in a part of a string. `to` needs room for n_bytes; *n_out: bytes written.
 * Returns false for an invalid escape and, unless with_units is set, for \u, because the part may
 * end within a surrogate pair. */
bool bs_record_unescape(const uint8_t *bytes, size_t n_bytes, bool with_units, uint8_t *to,
                        size_t *n_out);

/* The length of the run of bytes from `at` on that may occur in a number: digits, signs, a point,
 * an E. */
size_t bs_record_number_bytes(const uint8_t *at, const uint8_t *end);

/* The code point of the \uXXXX at bytes[*at], which may be a surrogate pair; advances *at past it.
 * U+FFFD for a lone surrogate; negative for an invalid escape. */
int32_t bs_record_code_point(const uint8_t *bytes, size_t n_bytes, size_t *at);
