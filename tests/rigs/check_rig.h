/*
 * check_rig.h: changes numbers in files of the small index (index_rig.h), under valid checksums,
 * and tests what `check` reports.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/bitsift/index_check.h"
#include "core/check/check.h"
#include "tests/rigs/index_rig.h"

/* Instances of the shard sections of the first segment: shard MATRIX has columns, shard LISTS has
 * forward indexes. */
#define MATRIX 0u
#define LISTS  1u

/* Ids of sections of the manifest and of tombstone files. WHOLE_FILE: the offset of an edit is an
 * offset in the file, not in a section. */
#define MANIFEST_OPTIONS        1u
#define MANIFEST_SOURCES        2u
#define MANIFEST_SEGMENTS       3u
#define MANIFEST_PASSED_OVER    5u
#define MANIFEST_LEFT_OUT       6u
#define MANIFEST_FINGERPRINTS   10u
#define MANIFEST_PASSED_ENTRIES 11u
#define MANIFEST_SUMMARY        8u
#define TOMBSTONE_BITS          1u
#define WHOLE_FILE              0u

/* Changes one number of a section: the n_bytes at `offset` (from the end, if negative). SET stores
 * `value`, ADD adds it. PACKED_...: the number is element `offset` of a packed array (from the end,
 * if negative); n_bytes is ignored, and the new value must fit the width of its block. */
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

/* An element of a packed array and the place of its bits. find_packed counts a negative i from the
 * end of the array. */
struct packed_value {
	uint64_t base;
	uint64_t bit; /* its first bit, from the start of the array */
	uint64_t mask;
	uint64_t value;
};

struct packed_value find_packed(const uint8_t *array, uint64_t n_bytes, int64_t i);

void apply_edit(uint8_t *file, size_t file_bytes, const struct edit *edit);

/* Writes "c.jsonl": documents of many lengths; some words are much more frequent than others. */
void write_documents(uint64_t *state, uint32_t n_docs);

/* Checks "index". `sum` may be NULL. */
enum bs_status check_index(struct bs_check_report *sum, struct bs_error *err);

/* Applies n edits to file number `which` with this prefix and recomputes its checksums. Fails the
 * test unless check returns `wanted` and, unless that is BS_OK, a message with the path of the file
 * and `what`. Restores the file afterwards. */
void expect_damage(const char *prefix, unsigned which, const struct edit *edits, size_t n,
                   enum bs_status wanted, const char *what);

#define EXPECT_STATUS(status, prefix, which, what, ...)                          \
	do {                                                                     \
		const struct edit edits[] = {__VA_ARGS__};                       \
		expect_damage(prefix, which, edits, COUNT(edits), status, what); \
	} while (0)
#define EXPECT(...)         EXPECT_STATUS(BS_CORRUPT, __VA_ARGS__)
#define EXPECT_REFUSED(...) EXPECT_STATUS(BS_UNSUPPORTED, __VA_ARGS__)

/* Changes one number of a segment or of the manifest, see struct edit. check must report `what`. */
#define DAMAGE_IN(segment, section, instance, offset, n_bytes, how, value, what) \
	EXPECT("seg", segment, what, {BS_SECTION_##section, instance, offset, n_bytes, how, value})
#define DAMAGE(...) DAMAGE_IN(0, __VA_ARGS__)
#define DAMAGE_MANIFEST(section, offset, n_bytes, how, value, what) \
	EXPECT("manifest", 0, what, {MANIFEST_##section, 0, offset, n_bytes, how, value})
