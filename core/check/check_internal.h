/* check_internal.h: between check.c (the index, its files) and check_segment.c, check_terms.c (what a segment holds). */
#ifndef BS_CORE_CHECK_CHECK_INTERNAL_H
#define BS_CORE_CHECK_CHECK_INTERNAL_H

#include "core/check/check.h"
#include "core/simd/kernels.h"

struct bs_check {
	const struct bs_check_request *request;
	bs_check_stored_text *stored_text; /* NULL: is not decoded */
	struct bs_snapshot snapshot;
	const struct bs_kernel *kernel;
	uint64_t done_bytes;
	uint64_t total_bytes;
	struct bs_error *err;
};

/* Tells the caller of n_bytes more. */
void bs_check_advance(struct bs_check *check, uint64_t n_bytes);

/* Everything of a segment but the layout of its file, unread pages and stored text. */
enum bs_status bs_check_segment(struct bs_check *check, uint32_t s) BS_WARN_UNUSED;

/* How often words stand in documents: of words whose documents are known for certain, slab by slab. */
struct bs_tf_check {
	struct bs_check *check;
	const struct bs_segment *segment;
	uint64_t *sums; /* of a document's words so far */
	enum bs_status status; /* of the words so far: kept, since a wrong document is best told by the df it breaks */
	struct bs_error err;
};
enum bs_status bs_tf_check_init(struct bs_tf_check *tfs, struct bs_check *check, const struct bs_segment *segment)
	BS_WARN_UNUSED;
void bs_tf_check_deinit(struct bs_tf_check *tfs);
/* lines: the documents of slab s that have the word. */
void bs_tf_check_word(struct bs_tf_check *tfs, uint32_t s, uint64_t hash, uint64_t df, const uint64_t *lines,
                      const struct bs_live *live);
/* What was wrong with the words so far. */
enum bs_status bs_tf_check_result(const struct bs_tf_check *tfs) BS_WARN_UNUSED;
/* After all words: none may stand in a document more often than there is room for. */
enum bs_status bs_tf_check_end(const struct bs_tf_check *tfs) BS_WARN_UNUSED;

/* The lexicon against itself and against the slabs, exceptions included. popcounts[s] has the set bits of every column of
 * slab s, by first_column + its number; NULL for forward lists. listed[t] is in how many forward lists term t
 * stands; it may be NULL. */
enum bs_status bs_check_terms(struct bs_check *check, const struct bs_segment *segment, uint32_t *const *popcounts,
                              const uint32_t *listed) BS_WARN_UNUSED;

/* The slabs of grams. */
enum bs_status bs_check_grams(struct bs_check *check, const struct bs_segment *segment) BS_WARN_UNUSED;

#endif
