/*
 * check_rig.h: numbers of an index file changed under checksums that are right, and what `check`
 * says of it. For the small index of index_rig.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/bitsift/index_check.h"
#include "core/check/check.h"
#include "tests/rigs/index_rig.h"

#define MATRIX 0u /* shards of the first segment */
#define LISTS  1u

/* Sections of the manifest and of tombstones, and a number for what is in no section. */
#define MANIFEST_OPTIONS     1u
#define MANIFEST_SOURCES     2u
#define MANIFEST_SEGMENTS    3u
#define MANIFEST_PASSED_OVER 5u
#define MANIFEST_LEFT_OUT    6u
#define MANIFEST_SUMMARY     8u
#define TOMBSTONE_BITS       1u
#define WHOLE_FILE           0u

/* One number of a section: n_bytes wide at the offset (from the end, if negative) becomes value, or
 * changes by it. Of a packed array (PACKED_...): the value with the number offset (from the end, if
 * negative), which must fit its block. */
struct edit {
	uint32_t section;
	uint32_t instance;
	int64_t offset;
	unsigned n_bytes;
	enum {
		SET,
		ADD,
		PACKED_SET,
		PACKED_ADD
	} how;
	uint64_t value;
};

/* Value i of a packed array (from the end, if negative), and where its bits stand. */
struct packed_value {
	uint64_t base;
	uint64_t bit; /* of the section */
	uint64_t mask;
	uint64_t value;
};

struct packed_value find_packed(const uint8_t *array, uint64_t n_bytes, int64_t i);

void apply_edit(uint8_t *file, size_t file_bytes, const struct edit *edit);

/* To "c.jsonl": documents of many lengths, most words rare, some frequent. */
void write_documents(uint64_t *state, uint32_t n_docs);

/* Checks "index", stored text and all; sum may be NULL. */
enum bs_status check_index(struct bs_check_report *sum, struct bs_error *err);

/* The edits, n of them, in the which-th file of that name; check must fail like that, name the file
 * and say what. The file is as it was afterwards. */
void expect_damage(const char *prefix, unsigned which, const struct edit *edits, size_t n,
                   enum bs_status wanted, const char *what);

#define EXPECT_STATUS(status, prefix, which, what, ...)                          \
	do {                                                                     \
		const struct edit edits[] = {__VA_ARGS__};                       \
		expect_damage(prefix, which, edits, COUNT(edits), status, what); \
	} while (0)
#define EXPECT(...)         EXPECT_STATUS(BS_CORRUPT, __VA_ARGS__)
#define EXPECT_REFUSED(...) EXPECT_STATUS(BS_UNSUPPORTED, __VA_ARGS__)
