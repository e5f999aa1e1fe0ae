/*
 * hostile.h: names, ids and records that break programs: NUL, invalid UTF-8, control characters,
 * line feeds, bidirectional controls, very long and empty names, names that differ little, and
 * strings with a special meaning (#, :, /, .., -). The same seed gives the same sequence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* n bytes on the heap and a NUL after them; freed by bytes_free. */
struct bytes {
	char *data;
	size_t n;
};
struct bytes bytes_of(const void *data, size_t n);
static inline void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
}
/* Does not free a or b. */
struct bytes bytes_join(struct bytes a, const char *between, struct bytes b);
bool bytes_equal(struct bytes a, struct bytes b);

/* A generator. Zero-initialise, and set `random` to a nonzero seed. */
struct hostile {
	uint64_t random;
	struct bytes last[8]; /* earlier results; some later results are small changes of these */
	size_t n_last;
};
uint64_t hostile_below(struct hostile *hostile, uint64_t bound);
void hostile_deinit(struct hostile *hostile);

struct bytes hostile_bytes(struct hostile *hostile);
/* Like hostile_bytes, but at least one byte, and no NUL. */
struct bytes hostile_string(struct hostile *hostile);
/* A file name: 1 to 255 bytes, ending with `end`. */
struct bytes hostile_file_name(struct hostile *hostile, const char *end);

/* The text that the index reads from a JSON string with these bytes: U+FFFD replaces invalid UTF-8
 * and, with as_name, NUL. */
struct bytes hostile_as_text(struct bytes bytes, bool as_name);
/* Appends the text to *json as a JSON string. Some characters are escaped at random, and some
 * invalid bytes become lone surrogates. */
void hostile_put_json(struct hostile *hostile, struct bytes bytes, struct bytes *json);
void bytes_put(struct bytes *to, const void *data, size_t n);

/* A printable form for messages, truncated if long, in one of two static buffers in turn. */
const char *bytes_shown(struct bytes bytes);
