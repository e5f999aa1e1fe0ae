/*
 * mutate.h: crafted index files: changed in some place, with valid checksums.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"

/*
 * Makes one to four changes in the valid index file `file`: of bits, bytes, numbers, ranges and
 * lengths of its sections, of its section table and of its head. Sections may be copied from
 * `other`, which may be the same file. Then recomputes the checksums of head, table and pages. The
 * same state of `random` makes the same changes.
 */
void mutate_file(struct bs_buffer *file, const struct bs_buffer *other, uint64_t *random);
