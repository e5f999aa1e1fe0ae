/* check_state.h: state shared by the parts of a check: check.c (files, and all of a segment except
 * terms and values), check_terms.c and check_values.c. */
#pragma once

#include <stdlib.h>

#include "core/base/bytes.h"
#include "core/store/snapshot.h"
#include "core/system/deadline.h"

struct check {
	void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes); /* nullable */
	void *context;               /* of progress */
	struct bs_snapshot snapshot; /* the commit being checked */
	const struct bs_kernel *kernel;
	uint64_t done_bytes;  /* bytes checked so far, for the progress callback */
	uint64_t total_bytes; /* bytes of all files to be checked */
	/* Sticky: after the first error nothing more is checked. */
	enum bs_status status;
	struct bs_error *err;
	const struct bs_container *file; /* the file being checked, for messages */
	/* The segment being checked. */
	const struct bs_segment *segment;
	uint32_t number; /* number of the segment in the snapshot */
	/* One bit per document: set if a row of the document was found, first in the shards, then
	 * (check_grams) in the gram shards. */
	uint8_t *seen;
	/* For each shard, the popcount of each of its columns. NULL for shards of forward
	 * indexes. */
	uint32_t **popcounts;
	/* For each term: the number of documents that have it by their forward index, by an exact
	 * column of a shard of forward indexes, or by a rare-term list. */
	uint32_t *listed;
	uint32_t *row_of; /* for each document: its row number, counted over all shards */
	uint64_t *hashes; /* for each term: its hash, for the check of rare-term lists */
	/* For each term: the index of its treatment in the table of treatments, ORed with flags
	 * (check_terms.c). */
	uint8_t *kinds;
	/* The number of set bits in the exact columns of rare terms, minus the number of those that
	 * were found in a rare-term list. */
	uint64_t n_rare_exact;
	uint64_t *tf_sums; /* for each document: the sum of the tfs that its tf codes give */
};

/* Evaluates the call and keeps its status. Does nothing after an earlier error. */
#define TRY(check, call)                          \
	do {                                      \
		if (!(check)->status)             \
			(check)->status = (call); \
	} while (0)

/* Fails with BS_CORRUPT and a message unless is_so. After an earlier error, is_so is not evaluated.
 * is_so must not contain TRY. */
#define EXPECT(check, is_so, ...) \
	TRY(check, (is_so) ? BS_OK : bs_container_corrupt((check)->file, (check)->err, __VA_ARGS__))

/* Estimated time of checking a term (TERM_NS) and a number (NUMBER_NS), for the deadline. */
#define TERM_NS   100u
#define NUMBER_NS 20u

/* Allocates n + 1 zeroed items, so that n may be 0, and n = N / 8 bytes suffice for N bits. The
 * caller frees them. NULL after an earlier error or without memory. */
static inline void *allocate(struct check *check, uint64_t n, size_t item_bytes, const char *what)
{
	void *items = check->status ? NULL : calloc((size_t)n + 1, item_bytes);
	TRY(check, items ? BS_OK : bs_fail_memory(check->err, what, n * item_bytes));
	return items;
}

/* Adds n_bytes to the progress and reports it to the callback; also checks the deadline. */
static inline void advance(struct check *check, uint64_t n_bytes)
{
	TRY(check, bs_deadline_check_after(n_bytes, check->err));
	check->done_bytes += n_bytes;
	if (check->progress)
		check->progress(check->context, check->done_bytes, check->total_bytes);
}

static inline void touch_all(struct check *check, const struct bs_section *section)
{
	TRY(check, bs_section_touch(section, 0, section->n_bytes, check->err));
}

static inline uint32_t u32_at(const struct bs_section *section, uint64_t i)
{
	return bs_load_u32(section->data + i * 4);
}

static inline uint64_t u64_at(const struct bs_section *section, uint64_t i)
{
	return bs_load_u64(section->data + i * 8);
}

static inline void check_packed(struct check *check, const struct bs_packed *packed)
{
	TRY(check, bs_packed_check(packed, check->err));
}

static inline uint64_t packed_at(struct check *check, const struct bs_packed *packed, uint64_t i)
{
	uint64_t value = 0;
	TRY(check, bs_packed_get(packed, i, &value, check->err));
	return value;
}

static inline uint32_t packed_u32_at(struct check *check, const struct bs_packed *packed,
                                     uint64_t i)
{
	uint32_t value = 0;
	TRY(check, bs_packed_get_u32(packed, i, &value, check->err));
	return value;
}
