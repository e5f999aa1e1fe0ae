/*
 * renumber.h: documents of a gather with other numbers for their terms, and weighed on the way.
 */
#ifndef BS_INDEXER_RENUMBER_H
#define BS_INDEXER_RENUMBER_H

#include <stdint.h>

#include "core/status.h"
#include "indexer/classes.h"
#include "indexer/gather.h"

/*
 * Puts new_of[i] in the place of term number i in all documents of the gather, on n_threads. docs_out[d]: terms of document d,
 * and the sum of weights[n], n its new numbers, or last for those that are greater. After a failure (BS_NO_MEMORY) the
 * gather can only be cleared.
 */
enum bs_status bs_renumber(struct bs_gather *gather, const uint32_t *new_of, const uint8_t *weights, uint32_t last,
                           uint32_t n_threads, struct bs_class_doc *docs_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
