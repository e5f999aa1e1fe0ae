/*
 * hostile.h: names, ids and records that break programs: NUL, bytes that are not UTF-8, controls,
 * line feeds, marks that turn the direction of writing, very long names, empty ones, names that
 * differ by little, and what has a meaning somewhere (#, :, /, .., -). The same in every run with
 * the same seed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* On the heap, for free(), with a NUL behind the n bytes. */
struct bytes {
	char *data;
	size_t n;
};
struct bytes bytes_of(const void *data, size_t n);
static inline void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
}
/* the operands stay */
struct bytes bytes_join(struct bytes a, const char *between, struct bytes b);
bool bytes_equal(struct bytes a, struct bytes b);

/* A source of them. Zeros but for random, which is not 0. */
struct hostile {
	uint64_t random;
	struct bytes last[8]; /* made before: the next ones may be much like one of them */
	size_t n_last;
};
uint64_t hostile_below(struct hostile *hostile, uint64_t bound);
void hostile_deinit(struct hostile *hostile);

struct bytes hostile_bytes(struct hostile *hostile);
/* Of at least one byte, and no NUL. */
struct bytes hostile_string(struct hostile *hostile);
/* That a file can be called by: 1 to 255 bytes with this end. */
struct bytes hostile_file_name(struct hostile *hostile, const char *end);

/* As a record has it: U+FFFD for what is not UTF-8; as_name: for NUL, too. */
struct bytes hostile_as_text(struct bytes bytes, bool as_name);
/* A string of JSON that stands for that text: each character as it is or as an escape. Appends to
 * *json. */
void hostile_put_json(struct hostile *hostile, struct bytes bytes, struct bytes *json);
void bytes_put(struct bytes *to, const void *data, size_t n);

/* For a message: printable, cut if it is long. Borrowed until the next call but one. */
const char *bytes_shown(struct bytes bytes);
