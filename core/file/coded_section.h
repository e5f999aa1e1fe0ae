/* coded_section.h: coded numbers (core/file/coded.h) in a section of a file, whose pages are
 * verified as they are touched. */
#pragma once

#include "core/file/coded.h"
#include "core/file/container.h"

struct bs_coded_section {
	struct bs_section section;
	uint64_t offset; /* in it */
	struct bs_coded coded;
};

/* The numbers in exactly n_bytes from offset on; in no bytes there are none. BS_CORRUPT. */
enum bs_status bs_coded_section_open(struct bs_coded_section *at, const struct bs_section *section,
                                     uint64_t offset, uint64_t n_bytes,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Whether the number is among them. Any thread. BS_CORRUPT. */
enum bs_status bs_coded_section_has(const struct bs_coded_section *at, uint64_t number,
                                    bool *has_out, struct bs_error *err) BS_WARN_UNUSED;
/* Numbers that changed since they were coded: those of base that are not in gone, and those of
 * more. A list may be empty, of no bytes. */
struct bs_coded_set {
	struct bs_coded_section base, more, gone;
};
/* Whether the number is in the set. Any thread. BS_CORRUPT. */
enum bs_status bs_coded_set_has(const struct bs_coded_set *set, uint64_t number, bool *has_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Appends them, u64 each. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_coded_section_read(const struct bs_coded_section *at, struct bs_buffer *numbers,
                                     struct bs_error *err) BS_WARN_UNUSED;
