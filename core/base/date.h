/*
 * date.h: dates as people write them: of ISO 8601, 2024, 2024-05, 2024-05-17, 2024-05-17T08, ...T08:30, ...T08:30:59.5, a
 * space for the T, with an offset (Z, +02, +02:00, +0200) or without: UTC. A shorter one stands for the whole of its year,
 * month, day, hour, minute, second or part of one. In the proleptic Gregorian calendar, years 0 to 9999.
 */
#ifndef BS_CORE_BASE_DATE_H
#define BS_CORE_BASE_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a date stands for: from the first us until before the next, since 1970. */
struct bs_date {
	int64_t first_us;
	int64_t next_us;
};

/* False: it is no such date; nothing may stand before or behind it. What is said beyond a us is dropped. */
bool bs_date_parse_span(const uint8_t *text, size_t text_bytes, struct bs_date *date_out);

/* The first us of a year. */
int64_t bs_date_year_us(int year);

#define BS_DATE_TEXT_BYTES 32u
/* As 2024-05-17T08:30:59Z or ...59.5Z, NUL-ended, of years 0 to 9999. */
void bs_date_format(int64_t us, char text_out[BS_DATE_TEXT_BYTES]);

/* The first ns of what the text stands for. False: it is no such date, or not of years 1678 to 2261, which 64 bits of ns can hold. */
bool bs_date_parse(const uint8_t *text, size_t text_bytes, int64_t *start_ns_out);

/* The same, or so long before now_ns: 90s, 30m, 2h, 3d, 2w. */
bool bs_date_parse_or_age(const uint8_t *text, size_t text_bytes, int64_t now_ns, int64_t *start_ns_out);

#endif
