/*
 * mutate.h: files of an index as somebody could make them on purpose: changed in some place, and
 * all checksums right.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"

/*
 * One to four changes of the file of an index in `file`, which must be a sound one: of bits, bytes,
 * numbers, ranges and lengths of its sections, of its table and of its head. Sections may come from
 * `other`, another file or the same one. Head, table and pages get the checksums of what they hold
 * then. The same state of random makes the same changes.
 */
void mutate_file(struct bs_buffer *file, const struct bs_buffer *other, uint64_t *random);
