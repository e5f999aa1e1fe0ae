/*
 * search.h: an opened index (bitsift.h) from within. Immutable and shared by threads; a finder belongs to one thread
 * and holds everything that is written while searching.
 */
#ifndef BS_QUERY_SEARCH_SEARCH_H
#define BS_QUERY_SEARCH_SEARCH_H

#include "core/simd/kernels.h"
#include "core/store/snapshot.h"
#include "query/search/proof.h"

struct bs_index {
	struct bs_snapshot snapshot;
	struct bs_proofs *proofs; /* of collections that grew; filled by finders */
	const struct bs_kernel *kernel;
	const struct bs_log *log; /* nullable */
	struct bs_dir dir;
	uint64_t n_unfollowed; /* sources that a fresh index was not to look at */
	uint64_t n_unread;     /* files, folders and sources that it could not look at: answers may be incomplete */
	uint32_t longest_field_bytes; /* of those that a query can mean */
	bool has_files;        /* some source is of files, not of records */
	bool is_other_unicode; /* made with another ICU or Unicode version: its words are not today's, so only scan */
};

/* Of a hit's document number. */
static inline struct bs_doc_ref bs_find_hit_ref(const struct bs_find_hit *hit)
{
	return (struct bs_doc_ref){(uint32_t)(hit->document >> 32), (uint32_t)hit->document};
}

#endif
