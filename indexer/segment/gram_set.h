/* gram_set.h: which trigrams the texts and words of a segment to be have, for its summary: a bit
 * for each that there can be. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/gram_hash.h"
#include "core/file/container.h"

#define BS_GRAM_SET_LINE_BITS 512u

/* Zero-initialise; release with bs_gram_set_clear, which makes it empty again. */
struct bs_gram_set {
	/* NULL: none is set. Bit b of the number whose highest byte is the first of the gram */
	uint64_t *bits;
	/* a bit for each 512 of those: some are set */
	uint64_t lines[BS_GRAM_TRIGRAMS / BS_GRAM_SET_LINE_BITS / 64];
};
void bs_gram_set_clear(struct bs_gram_set *set);

/* Adds trigrams as core/text/grams.h numbers them, the first byte lowest. BS_NO_MEMORY. */
enum bs_status bs_gram_set_add(struct bs_gram_set *set, const uint32_t *trigrams, size_t n,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Those that these bytes have. BS_NO_MEMORY. */
enum bs_status bs_gram_set_add_bytes(struct bs_gram_set *set, const uint8_t *bytes, size_t n_bytes,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* The section of the set. BS_NO_MEMORY. */
enum bs_status bs_gram_set_write(const struct bs_gram_set *set, struct bs_file_writer *writer,
                                 struct bs_error *err) BS_WARN_UNUSED;
