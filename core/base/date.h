/*
 * date.h: dates of ISO 8601.
 *
 * Forms: 2024, 2024-05, 2024-05-17, 2024-05-17T08, ...T08:30, ...T08:30:59.5. A space may replace
 * the T, and a comma the point. A time may have an offset (Z, +02, +02:00, +0200); without an
 * offset it is UTC. A date is a time span: the whole of the last unit that it names (year, month,
 * day, hour, minute, second or fraction). The calendar is the proleptic Gregorian, years 0 to 9999.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The time span of a date, in microseconds since 1970: [first_us, next_us). */
struct bs_date {
	int64_t first_us;
	int64_t next_us;
};

/* False if the text is not a date; leading and trailing characters are not allowed. Digits beyond
 * microseconds are dropped. */
bool bs_date_parse_span(const uint8_t *text, size_t text_bytes, struct bs_date *date_out);

/* The first moment of a year, in microseconds since 1970. */
int64_t bs_date_year_us(int year);

#define BS_DATE_TEXT_BYTES 32u
/* Writes the UTC time as 2024-05-17T08:30:59Z or ...59.5Z, NUL-terminated. us must be in
 * the years 0 to 9999, or less than a day outside. */
void bs_date_format(int64_t us, char text_out[BS_DATE_TEXT_BYTES]);

/* A point in time: seconds since 1970, plus ns < 10^9. */
struct bs_moment {
	int64_t seconds;
	uint32_t ns;
};

/* Encodes a moment in 64 bits. A later moment never has a lower code. Less than 2^63 - 2^56 ns (290
 * years) from 1970, the code is the ns since 1970; further away it continues in steps of 2^-16 s.
 * Moments more than about 35,000 years from 1970 have the least or the greatest code. */
int64_t bs_moment_code(struct bs_moment moment);

/* The moment in microseconds since 1970, rounded down. INT64_MIN or INT64_MAX if 64 bits do not
 * suffice. */
int64_t bs_moment_us(struct bs_moment moment);

/* The first moment of a date's time span. False if the text is not a date. */
bool bs_date_parse(const uint8_t *text, size_t text_bytes, struct bs_moment *start_out);

/* Like bs_date_parse, but also accepts an age, which is subtracted from `now`: 90s, 30m, 2h, 3d,
 * 2w. */
bool bs_date_parse_or_age(const uint8_t *text, size_t text_bytes, struct bs_moment now,
                          struct bs_moment *start_out);
