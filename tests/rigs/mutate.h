/*
 * mutate.h: random changes of index files under valid checksums.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"

/*
 * Makes up to five changes in the valid index file `file`: of bits, bytes, numbers, ranges and
 * lengths of its sections, of its section table or of its head. Sections may be copied from
 * `other`, which may be the same file. Then recomputes the checksums, or only that of the head if
 * the section table is now outside the file. The same state of `random` makes the same changes.
 */
void mutate_file(struct bs_buffer *file, const struct bs_buffer *other, uint64_t *random);
