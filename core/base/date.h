/*
 * date.h: dates as people write them: of ISO 8601, 2024, 2024-05, 2024-05-17, 2024-05-17T08, ...T08:30, ...T08:30:59.5, a
 * space for the T, with an offset (Z, +02, +02:00, +0200) or without: UTC. A shorter one stands for the whole of its year,
 * month, day, hour, minute or second. In the proleptic Gregorian calendar, years 1678 to 2261, which 64 bits of ns can hold.
 */
#ifndef BS_CORE_BASE_DATE_H
#define BS_CORE_BASE_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first ns of what the text stands for, since 1970. False: it is no such date; nothing may stand before or behind it. */
bool bs_date_parse(const uint8_t *text, size_t text_bytes, int64_t *start_ns_out);

/* The same, or so long before now_ns: 90s, 30m, 2h, 3d, 2w. */
bool bs_date_parse_or_age(const uint8_t *text, size_t text_bytes, int64_t now_ns, int64_t *start_ns_out);

#endif
