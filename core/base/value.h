/*
 * value.h: numbers and dates as comparable bytes, and ranges of them. What a text of a record is in
 * a range, and in the order of a field, is said here once; indexer, query and check go by it.
 *
 * A number is [+-] digits [. digits] [e digits], all of the text, with a digit before or after the
 * point and an exponent below 10^9; a date is one of date.h. Values are compared exactly, whatever
 * their number of digits: no two different numbers are one value.
 *
 * A value's key, whose order by bytes (a beginning before what it is of) is that of values, numbers
 * before dates:
 *
 *     number  a byte for its sign: 10 negative, 20 zero, 30 positive; of zero this is all. Of
 *       others e with 0.1 <= m < 1 and
 *             |number| = m 10^e: one byte 80 + e for -60 <= e <= 60, else c0 and e, or 40 and e +
 *               2^31, of four bytes, the
 *             highest first; then the decimal digits of m, two a byte, ten times the first and the
 *               second and 1, the last
 *             filled up with a 0. Of a negative one all behind the sign is inverted, and an ff
 *               follows.
 *     date    40; the first us that it stands for, since 1970, and 2^63, in eight bytes, the
 *       highest first.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/bytes.h"

#define BS_VALUE_MOST_DIGITS 256u /* of a number that is its key */
#define BS_VALUE_MOST_BYTES  160u /* of a key, and more */

/* What a key begins with. */
enum bs_value_kind {
	BS_VALUE_NEGATIVE = 0x10,
	BS_VALUE_ZERO = 0x20,
	BS_VALUE_POSITIVE = 0x30,
	BS_VALUE_DATE = 0x40,
	BS_VALUE_END = 0x50, /* greater than all keys */
};

/* A value, or the place directly after it. */
struct bs_value {
	uint8_t n_bytes;
	bool is_behind;
	uint8_t bytes[BS_VALUE_MOST_BYTES]; /* the key */
	/* its digits beyond the 256th, with a point among them perhaps, the last one not 0; NULL:
	 * none */
	const uint8_t *tail;
	size_t tail_bytes;
};

/* Whether the text is a number or a date. A number of four digits is a number. The tail is borrowed
 * from the text. */
bool bs_value_parse(const uint8_t *text, size_t text_bytes, struct bs_value *value_out);

/* Where one of two equal keys has no tail, as they come from an index, they are equal. */
int bs_value_compare(const struct bs_value *a, const struct bs_value *b);

/* Whether bytes from a file are a key as it is made of some text. */
bool bs_value_is_key(const uint8_t *bytes, size_t n_bytes);
/* Whether a key stands for all numbers that begin with its digits. */
bool bs_value_is_open_key(const uint8_t *bytes, size_t n_bytes);

/* Appends, for people and JSON, a number as JSON has it, or a date as date.h writes it. The key
 * must be one. BS_NO_MEMORY. */
enum bs_status bs_value_format(const struct bs_value *value, struct bs_buffer *out,
                               struct bs_error *err) BS_WARN_UNUSED;

/* The values from first on, before end. */
struct bs_value_span {
	struct bs_value first;
	struct bs_value end;
};

enum bs_range_kind {
	BS_RANGE_NUMBERS,
	BS_RANGE_DATES,
	BS_RANGE_KINDS
};

/*
 * A range of values: of numbers and of dates, as its ends are one or the other, or, like 1990,
 * both; else nothing of the other kind, but that a number from 1000 up to 9999 stands for its year
 * where ends are dates.
 */
struct bs_range {
	struct bs_value_span spans[BS_RANGE_KINDS];
};

/* A..B (both included), A.., ..B, >A, >=A, <A, <=A. Ends are dates, where a shorter date is the
 * whole of its time, or numbers. A number may end in k (or K), M, G, T or P for a power of 1000, or
 * in one of these and i for a power of 1024. room: BS_RANGE_ROOM(text_bytes) bytes for the tails of
 * the range, kept by the caller while the range is used; NULL: the caller does not use the range
 * itself. */
#define BS_RANGE_ROOM(text_bytes) ((text_bytes)*2 + 64)
bool bs_range_parse(const uint8_t *text, size_t text_bytes, uint8_t *room,
                    struct bs_range *range_out);

/* Whether the text was meant to be a range, where values are asked for: so are =5, !=5, ≥5, [1 and
 * {1, which are none. */
bool bs_range_is_meant(const uint8_t *text, size_t text_bytes);

/* Whether no value at all is in it: its ends are in the wrong order. */
bool bs_range_is_empty(const struct bs_range *range);

bool bs_range_has(const struct bs_range *range, const struct bs_value *value);

/* The dates from one ns until before another, and the years of numbers in it. */
void bs_range_of_dates(int64_t first_us, int64_t end_us, struct bs_range *range_out);
