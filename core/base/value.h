/*
 * value.h: numbers and dates as comparable keys, and ranges of them. Indexer, query and check all
 * use these functions to decide the value of a text, its order, and whether it is in a range.
 *
 * A number is [+-] digits [. digits] [e [+-] digits] and covers the whole text. There is a digit
 * before or after the point, and the exponent is between -10^9 and 10^9. Dates are those of date.h.
 * Values are compared exactly, with any number of digits: different numbers are different values.
 *
 * A value has a key. The bytewise order of keys (a prefix first) is the order of values; numbers
 * are before dates. Bytes are hexadecimal:
 *
 *     number  sign byte: 10 negative, 20 zero, 30 positive. The key of zero ends here.
 *             |number| = m 10^e with 0.1 <= m < 1.
 *             exponent: one byte 80 + e for -60 <= e <= 60; otherwise c0 and e, or (for a negative
 *             e) 40 and e + 2^31, in four bytes, big-endian.
 *             digits of m: two decimal digits x, y a byte, as 10 x + y + 1; a missing y is 0.
 *             negative numbers: all bytes after the sign byte are inverted, and ff is appended.
 *     date    40, then the first us of the date since 1970, plus 2^63, in eight bytes, big-endian.
 *
 * Digits are counted without leading and trailing zeros. A number with more than 256 digits has an
 * open key: its first 256 digits and then the digits 0, 1. An open key represents all longer
 * numbers that begin with its 256 digits.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/bytes.h"

/* The maximum number of digits of a number in its key; an open key has two more. */
#define BS_VALUE_MOST_DIGITS 256u
/* Every key is shorter than this. */
#define BS_VALUE_MOST_BYTES 160u

/* The first byte of a key. */
enum bs_value_kind {
	BS_VALUE_NEGATIVE = 0x10,
	BS_VALUE_ZERO = 0x20,
	BS_VALUE_POSITIVE = 0x30,
	BS_VALUE_DATE = 0x40,
};

/* A value, or the position directly after a value, as an end of a span. */
struct bs_value {
	uint8_t n_bytes;                    /* length of the key */
	bool is_behind;                     /* true: the position directly after the value */
	uint8_t bytes[BS_VALUE_MOST_BYTES]; /* the key */
	/* The digits after the 256th, borrowed from the text. May contain a decimal point; the last
	 * digit is not 0. NULL if the number has at most 256 digits. */
	const uint8_t *tail;
	size_t tail_bytes;
};

/* True if the text is a number or a date. Four digits (1990) are a number. value_out->tail points
 * into the text. */
bool bs_value_parse(const uint8_t *text, size_t text_bytes, struct bs_value *value_out);

/* Negative, zero or positive. If the keys are equal and a value has no tail (keys read from an
 * index have none), the tails are not compared. */
int bs_value_compare(const struct bs_value *a, const struct bs_value *b);

/* True if bytes, read from a file, are a valid key. */
bool bs_value_is_key(const uint8_t *bytes, size_t n_bytes);
/* True if a key is open: it represents all numbers that begin with its digits. */
bool bs_value_is_open_key(const uint8_t *bytes, size_t n_bytes);

/* Appends a number in JSON syntax, or a date as bs_date_format writes it. Appends nothing if the
 * key of a number is invalid. BS_NO_MEMORY. */
enum bs_status bs_value_format(const struct bs_value *value, struct bs_buffer *out,
                               struct bs_error *err) BS_WARN_UNUSED;

/* The values v with first <= v < end. */
struct bs_value_span {
	struct bs_value first;
	struct bs_value end;
};

enum bs_range_kind {
	BS_RANGE_NUMBERS,
	BS_RANGE_DATES,
	BS_RANGE_KINDS
};

/* A range: a span of numbers and a span of dates. Ends that are both numbers and dates (1990) give
 * both spans. If the ends are numbers only, the span of dates is empty. If they are dates only, the
 * span of numbers has the years 1000..9999 whose first moment is in the range. */
struct bs_range {
	struct bs_value_span spans[BS_RANGE_KINDS];
};

/* Parses A..B (both included), A.., ..B, >A, >=A, <A, <=A. Ends are numbers or dates; a shorter
 * date means the whole of its time span. A number may end in k (or K), M, G, T or P for a power of
 * 1000, or in such a letter and i for a power of 1024. The tails of the ends may point into the
 * text and into `room`, which has BS_RANGE_ROOM(text_bytes) bytes; the caller keeps both as long as
 * it uses the range. room NULL: the caller only wants to know whether the text is a range. */
#define BS_RANGE_ROOM(text_bytes) ((text_bytes)*2 + 64)
bool bs_range_parse(const uint8_t *text, size_t text_bytes, uint8_t *room,
                    struct bs_range *range_out);

/* True if the text looks like an attempt at a range, valid or not. Includes the invalid forms =5,
 * !=5, ≥5, [1 and {1. */
bool bs_range_looks_like(const uint8_t *text, size_t text_bytes);

/* True if no value can be in the range, as in 5..3. */
bool bs_range_is_empty(const struct bs_range *range);

/* True if the value is in one of the two spans. */
bool bs_range_has(const struct bs_range *range, const struct bs_value *value);

/* Makes the range of the dates in [first_us, end_us), and of the numbers 1000..9999 that are years
 * whose first moment is in it. */
void bs_range_of_dates(int64_t first_us, int64_t end_us, struct bs_range *range_out);
