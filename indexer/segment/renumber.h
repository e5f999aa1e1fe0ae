/*
 * renumber.h: documents of an accumulator with other numbers for their terms; on the way they are weighed, and how often words stand
 * in them is coded (core/matrix/tf_code.h), now that it is known which words are rare.
 */
#ifndef BS_INDEXER_SEGMENT_RENUMBER_H
#define BS_INDEXER_SEGMENT_RENUMBER_H

#include <stdint.h>

#include "core/simd/kernels.h"
#include "core/base/status.h"
#include "indexer/segment/size_classes.h"
#include "indexer/batch/accumulator.h"

#define BS_NOTE_IS_CODED 0x80u /* a word whose tf is coded; the rest is a weight */

struct bs_renumbering {
	const uint32_t *new_of; /* by number */
	const uint8_t *notes;   /* by new number, and at last for all from there on */
	const uint64_t *hashes; /* by new number */
	uint32_t last;
	uint32_t min_coded_length; /* documents of so many positions have the tf of all their terms coded */
	const struct bs_kernel *kernel;
};

/*
 * Puts new_of[i] in the place of term number i in all documents of the accumulator, on n_threads, and fills its tf_table.
 * docs_out[d]: terms of document d, and the sum of their weights. After a failure (BS_NO_MEMORY) the accumulator can only be
 * cleared.
 */
enum bs_status bs_renumber(struct bs_accumulator *accumulator, const struct bs_renumbering *renumbering, uint32_t n_threads,
                           struct bs_size_class_doc *docs_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
