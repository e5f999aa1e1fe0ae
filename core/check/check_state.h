/* check_state.h: what the parts of a check share: check.c, which looks at files and at all of a
 * segment but its terms and values, check_terms.c and check_values.c. */
#pragma once

#include <stdlib.h>

#include "core/base/bytes.h"
#include "core/store/snapshot.h"
#include "core/system/deadline.h"

struct check {
	void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes); /* nullable */
	void *context; /* of progress */
	struct bs_snapshot snapshot;
	const struct bs_kernel *kernel;
	uint64_t done_bytes;
	uint64_t total_bytes;
	/* sticky: after the first thing that is wrong nothing is looked at any more */
	enum bs_status status;
	struct bs_error *err;
	const struct bs_container *file; /* that is looked at */
	/* The segment that is looked at. */
	const struct bs_segment *segment;
	uint32_t number; /* in the snapshot */
	uint8_t *seen;   /* a bit a document: it has a row */
	/* per shard, per column: its set bits; NULL where there are forward indexes */
	uint32_t **popcounts;
	/* per term: forward indexes that hold it, and documents that lists of rare terms say have
	 * it */
	uint32_t *listed;
	uint32_t *row_of; /* per document: its row, counted through the shards */
	uint64_t *hashes; /* per term, for lists of rare terms */
	/* per term: its treatment, an index into the table's entries, and flags */
	uint8_t *kinds;
	/* bits of exact columns of rare terms, less those that lists confirm */
	uint64_t n_rare_exact;
	uint64_t *tf_sums; /* per document: how often words stand there, by their codes */
};

/* Does it, and keeps its status, unless something is wrong already: then the call is not made. */
#define TRY(check, call)                          \
	do {                                      \
		if (!(check)->status)             \
			(check)->status = (call); \
	} while (0)

/* Says what is wrong with the file if it is not so. is_so is not looked at if something is wrong
 * already, and tries nothing itself. */
#define EXPECT(check, is_so, ...) \
	TRY(check, (is_so) ? BS_OK : bs_container_corrupt((check)->file, (check)->err, __VA_ARGS__))

/* The approximate cost of checking one, for the deadline. */
#define TERM_NS   100u
#define NUMBER_NS 20u

/* n + 1 zeros; NULL if something is wrong, as that there is no memory. */
static inline void *allocate(struct check *check, uint64_t n, size_t item_bytes, const char *what)
{
	void *items = check->status ? NULL : calloc((size_t)n + 1, item_bytes);
	TRY(check, items ? BS_OK : bs_fail_memory(check->err, what, n * item_bytes));
	return items;
}

/* Tells the caller of n_bytes more. */
static inline void advance(struct check *check, uint64_t n_bytes)
{
	TRY(check, bs_deadline_spend(n_bytes, check->err));
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
