/*
 * record_scan.h: the texts of a record once more, quickly. For a line that was a valid record when it was indexed and
 * is verified again; what is new to us is for record.h.
 *
 * Only what is looked for is looked at: the fields' strings are cut out and their short escapes resolved; what is
 * nested is passed over by its brackets and strings. Of bytes that are no record any more the answer may be wrong, but
 * it never reads or writes where it must not.
 */
#ifndef BS_CORPUS_READ_RECORD_SCAN_H
#define BS_CORPUS_READ_RECORD_SCAN_H

#include "core/base/buffer.h"
#include "corpus/read/record.h"

/* What to take from a record, and the memory for it. Zero-initialise but for options (borrowed); one thread. */
struct bs_record_scan {
	struct bs_record_options options;
	struct bs_buffer fields; /* struct bs_field each */
	struct bs_buffer text;   /* strings that had escapes */
};
void bs_record_scan_deinit(struct bs_record_scan *scan);

/*
 * Fills document_out as bs_record_parse would, but for the id, which is left out; borrowed from scan and line. With
 * as_it_is the texts are what stands between the quotes, escapes and all. *is_known_out is false if the line has
 * something that only the parser knows how to read: \u, keys with escapes or beyond ASCII, what is no record. Bytes
 * that are not UTF-8 are left as they are. BS_NO_MEMORY.
 */
enum bs_status bs_record_scan_line(struct bs_record_scan *scan, const uint8_t *line, size_t line_bytes, bool as_it_is,
                                   struct bs_document *document_out, bool *is_known_out, struct bs_error *err) BS_WARN_UNUSED;

/* Writes what a piece of a string stands for to `to`, which must have n_bytes of room; *n_out: how much. False for what
 * only the parser knows how to read, and for half an escape at the end. */
bool bs_record_unescape(const uint8_t *bytes, size_t n_bytes, uint8_t *to, size_t *n_out);

#endif
