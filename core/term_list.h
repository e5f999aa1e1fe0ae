/*
 * term_list.h: a plain signature: the ascending ordinals of one document's terms in about 2 + log2(terms / document's terms)
 * bits each (Elias-Fano), with a look-up that reads a handful of words.
 *
 * The low l bits of every ordinal stand packed; the rest, the bucket, in unary: for each bucket from 0 on a one bit for each
 * ordinal in it, and a zero. l is the greatest for which there are more buckets than ordinals, so a bucket has one or none
 * mostly. A sample says for every 128th bucket how many ordinals come before it. Bytes: FORMAT.md.
 */
#ifndef BS_CORE_TERM_LIST_H
#define BS_CORE_TERM_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/container.h"
#include "core/status.h"

/* Appends the list of n strictly ascending ordinals; no bytes if n is 0. BS_NO_MEMORY. */
enum bs_status bs_term_list_append(struct bs_buffer *to, const uint32_t *ordinals, uint32_t n, struct bs_error *err)
	BS_WARN_UNUSED;

/* Whether the list in bytes [start, end) of the section has the ordinal. Any thread. BS_CORRUPT. */
enum bs_status bs_term_list_has(const struct bs_section *section, uint64_t start, uint64_t end, uint64_t ordinal,
                                bool *has_out, struct bs_error *err) BS_WARN_UNUSED;

/* Its length. BS_CORRUPT. */
enum bs_status bs_term_list_count(const struct bs_section *section, uint64_t start, uint64_t end, uint32_t *n_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* All its ordinals, as u32 in place of what the buffer holds. BS_CORRUPT if it has not exactly the bytes that
 * bs_term_list_append makes of them; BS_NO_MEMORY. */
enum bs_status bs_term_list_read(const struct bs_section *section, uint64_t start, uint64_t end,
                                 struct bs_buffer *ordinals, struct bs_error *err) BS_WARN_UNUSED;

#endif
