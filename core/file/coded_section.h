/* coded_section.h: coded numbers (core/file/coded.h) in a section of a file. Pages are verified
 * when they are touched. */
#pragma once

#include "core/file/coded.h"
#include "core/file/container.h"

struct bs_coded_section {
	struct bs_section section;
	uint64_t offset; /* offset of the code in the section */
	struct bs_coded coded;
};

/* Opens the code that begins at `offset` in the section and has exactly n_bytes. n_bytes 0: an
 * empty list. BS_CORRUPT. */
enum bs_status bs_coded_section_open(struct bs_coded_section *at, const struct bs_section *section,
                                     uint64_t offset, uint64_t n_bytes,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Whether the list has the number. Thread-safe. BS_CORRUPT. */
enum bs_status bs_coded_section_has(const struct bs_coded_section *at, uint64_t number,
                                    bool *has_out, struct bs_error *err) BS_WARN_UNUSED;
/* A set with changes: the numbers of `base` that are not in `gone`, and the numbers of `more`. Each
 * list may be empty (0 bytes). */
struct bs_coded_set {
	struct bs_coded_section base, more, gone;
};
/* Whether the set has the number. Thread-safe. BS_CORRUPT. */
enum bs_status bs_coded_set_has(const struct bs_coded_set *set, uint64_t number, bool *has_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Appends the numbers of the list, a u64 each. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_coded_section_read(const struct bs_coded_section *at, struct bs_buffer *numbers,
                                     struct bs_error *err) BS_WARN_UNUSED;
