/* gram_set.h: the set of trigrams in the texts and words of a segment that is being built, for its
 * summary: a bit for each possible trigram. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/gram_hash.h"
#include "core/file/container.h"

#define BS_GRAM_SET_LINE_BITS 512u /* a line: a group of bits that has one bit in `lines` */

/* Zero-initialise; bs_gram_set_clear releases it and makes it empty. */
struct bs_gram_set {
	/* bit b: the trigram whose bytes are the big-endian number b; NULL: the set is empty */
	uint64_t *bits;
	/* bit i: at least one of the bits 512 i to 512 i + 511 is set */
	uint64_t lines[BS_GRAM_TRIGRAMS / BS_GRAM_SET_LINE_BITS / 64];
};
void bs_gram_set_clear(struct bs_gram_set *set);

/* Adds trigrams whose numbers have the first byte lowest, as in core/text/grams.h. BS_NO_MEMORY. */
enum bs_status bs_gram_set_add(struct bs_gram_set *set, const uint32_t *trigrams, size_t n,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Adds the trigrams of these bytes. BS_NO_MEMORY. */
enum bs_status bs_gram_set_add_bytes(struct bs_gram_set *set, const uint8_t *bytes, size_t n_bytes,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Writes the set as a section of the segment. BS_NO_MEMORY. */
enum bs_status bs_gram_set_write(const struct bs_gram_set *set, struct bs_file_writer *writer,
                                 struct bs_error *err) BS_WARN_UNUSED;
