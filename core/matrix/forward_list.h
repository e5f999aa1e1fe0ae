/*
 * forward_list.h: a forward list: the ascending ordinals of one document's terms, as runs of consecutive ones, with a
 * look-up that reads a hundred bytes.
 *
 * Ordinals are given in the order of the terms' bytes, and what is written side by side in a long document (the
 * registers of a chip, the symbols of a library) begins alike: two thirds of the ordinals of the long files of a Linux
 * tree follow the one before, four fifths of those of its long paragraphs. So a list is a row of runs: the gap before
 * each, in an exponential Golomb code, and its length, in Elias's gamma code. Measured: 4.3 and 2.0 bits a posting,
 * where Elias-Fano, which knows nothing of runs, takes 10.8 and 11.5. A sample says for every 32nd run where it begins.
 * Bytes: FORMAT.md.
 */
#ifndef BS_CORE_MATRIX_FORWARD_LIST_H
#define BS_CORE_MATRIX_FORWARD_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/file/container.h"
#include "core/base/status.h"

/* Appends the list of n strictly ascending ordinals; no bytes if n is 0. BS_NO_MEMORY. */
enum bs_status bs_forward_list_append(struct bs_buffer *to, const uint32_t *ordinals, uint32_t n, struct bs_error *err)
	BS_WARN_UNUSED;

/* The bytes that it would append. */
uint64_t bs_forward_list_bytes(const uint32_t *ordinals, uint32_t n);

/* Whether the list in bytes [start, end) of the section has the ordinal. Any thread. BS_CORRUPT. */
enum bs_status bs_forward_list_has(const struct bs_section *section, uint64_t start, uint64_t end, uint64_t ordinal,
                                   bool *has_out, struct bs_error *err) BS_WARN_UNUSED;

/* Its length. BS_CORRUPT. */
enum bs_status bs_forward_list_count(const struct bs_section *section, uint64_t start, uint64_t end, uint32_t *n_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* All its ordinals, below n_terms, as u32 in place of what the buffer holds. BS_CORRUPT if it has not exactly the bytes
 * that bs_forward_list_append makes of them; BS_NO_MEMORY. */
enum bs_status bs_forward_list_read(const struct bs_section *section, uint64_t start, uint64_t end, uint64_t n_terms,
                                    struct bs_buffer *ordinals, struct bs_error *err) BS_WARN_UNUSED;

#endif
