/*
 * date.h: dates as people write them: of ISO 8601, 2024, 2024-05, 2024-05-17, 2024-05-17T08,
 * ...T08:30, ...T08:30:59.5, a space for the T, with an offset (Z, +02, +02:00, +0200) or without:
 * UTC. A shorter one stands for the whole of its year, month, day, hour, minute, second or part of
 * one. In the proleptic Gregorian calendar, years 0 to 9999.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a date stands for: from the first us until before the next, since 1970. */
struct bs_date {
	int64_t first_us;
	int64_t next_us;
};

/* False: it is no such date; nothing may stand before or behind it. What is said beyond a us is
 * dropped. */
bool bs_date_parse_span(const uint8_t *text, size_t text_bytes, struct bs_date *date_out);

/* The first us of a year. */
int64_t bs_date_year_us(int year);

#define BS_DATE_TEXT_BYTES 32u
/* As 2024-05-17T08:30:59Z or ...59.5Z, NUL-ended, of years 0 to 9999. */
void bs_date_format(int64_t us, char text_out[BS_DATE_TEXT_BYTES]);

/* A point in time: seconds since 1970, and ns < 10^9 after that second. */
struct bs_moment {
	int64_t seconds;
	uint32_t ns;
};

/*
 * Codes a moment in 64 bits; codes compare as moments do. From 1681 to 2258 the code is the ns
 * since 1970 (less than 2^63 - 2^56 of them). Outside these years it counts on in steps of 2^-16 s.
 * Moments more than about 35,000 years away get the least or the largest code.
 */
int64_t bs_moment_code(struct bs_moment moment);

/* The first us from a moment on; the ends of 64 bits for what is further away. */
int64_t bs_moment_us(struct bs_moment moment);

/* The first moment of what the text stands for. False: it is no such date. */
bool bs_date_parse(const uint8_t *text, size_t text_bytes, struct bs_moment *start_out);

/* The same, or so long before now: 90s, 30m, 2h, 3d, 2w. */
bool bs_date_parse_or_age(const uint8_t *text, size_t text_bytes, struct bs_moment now,
                          struct bs_moment *start_out);
