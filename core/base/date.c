/* date.c: see date.h. */
#include "core/base/date.h"

#include <stdio.h>

#define NS_PER_S  INT64_C(1000000000)
#define US_PER_S  INT64_C(1000000)
#define NS_PER_US INT64_C(1000)
#define DAY_S     INT64_C(86400)

/* The unread part of the text. */
struct rest {
	const uint8_t *at;
	const uint8_t *end;
};

/* Takes exactly n_digits digits; the number must be in least..most. */
static bool take_number(struct rest *rest, int n_digits, int least, int most, int *number_out)
{
	int number = 0;
	for (; n_digits > 0 && rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9';
	     n_digits--)
		number = number * 10 + (*rest->at++ - '0');
	*number_out = number;
	return n_digits == 0 && number >= least && number <= most;
}

static bool take_sign(struct rest *rest, char sign)
{
	bool has = rest->at < rest->end && *rest->at == (uint8_t)sign;
	rest->at += has;
	return has;
}

#define ERA_DAYS 146097 /* the days of 400 years */

/* Days since 1970-01-01. Years begin in March, so that the leap day is the last day of a year
 * (Hinnant, "chrono-Compatible Low-Level Date Algorithms"), and are shifted by 400, so that no year
 * is negative. */
static int64_t count_days(int year, int month, int day)
{
	year += 400 - (month <= 2);
	int era = year / 400, of_era = year % 400;
	int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return (int64_t)era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
	       719468 - ERA_DAYS;
}

static bool is_day(int year, int month, int day)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return day <= lengths[month - 1] + (month == 2 && is_leap);
}

/* A parsed date. */
struct told {
	int64_t seconds, ns; /* the first moment of its time span */
	int64_t span_us;     /* length of the time span */
};

/* Takes a fraction (.5 or ,5) with any number of digits, or nothing. Digits beyond ns are dropped.
 * False if no digit follows the point. */
static bool take_fraction(struct rest *rest, struct told *told)
{
	int64_t unit = NS_PER_S / 10;
	if (!take_sign(rest, '.') && !take_sign(rest, ','))
		return true;
	const uint8_t *first = rest->at;
	for (; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9';
	     rest->at++, unit /= 10) {
		told->ns += unit * (*rest->at - '0');
		told->span_us = unit > NS_PER_US ? unit / NS_PER_US : 1;
	}
	return rest->at > first;
}

/* Takes an offset (Z, +02, -0330 or +05:30) and subtracts it from *seconds, or takes nothing at the
 * end of the text. */
static bool take_offset(struct rest *rest, int64_t *seconds)
{
	int hours, minutes = 0;
	if (rest->at == rest->end || take_sign(rest, 'Z') || take_sign(rest, 'z'))
		return true;
	bool is_east = take_sign(rest, '+');
	if ((!is_east && !take_sign(rest, '-')) || !take_number(rest, 2, 0, 23, &hours))
		return false;
	if ((take_sign(rest, ':') || rest->at < rest->end) &&
	    !take_number(rest, 2, 0, 59, &minutes))
		return false;
	*seconds += (is_east ? -1 : 1) * (hours * 3600 + minutes * 60);
	return true;
}

static bool take_time(struct rest *rest, struct told *told)
{
	int hour, minute = 0, second = 0;
	told->span_us = 3600 * US_PER_S;
	if (!take_number(rest, 2, 0, 23, &hour))
		return false;
	if (take_sign(rest, ':')) {
		told->span_us = 60 * US_PER_S;
		if (!take_number(rest, 2, 0, 59, &minute))
			return false;
		if (take_sign(rest, ':')) {
			told->span_us = US_PER_S;
			if (!take_number(rest, 2, 0, 60, &second) || !take_fraction(rest, told))
				return false;
		}
	}
	told->seconds += hour * 3600 + minute * 60 + second;
	return take_offset(rest, &told->seconds);
}

static bool parse(const uint8_t *text, size_t text_bytes, int least_year, int most_year,
                  struct told *told)
{
	struct rest rest = {text, text + text_bytes};
	int year, month = 1, day = 1;
	*told = (struct told){.seconds = 0};
	if (!take_number(&rest, 4, least_year, most_year, &year))
		return false;
	int64_t next_day = count_days(year + 1, 1, 1);
	if (take_sign(&rest, '-')) {
		if (!take_number(&rest, 2, 1, 12, &month))
			return false;
		next_day = count_days(year + month / 12, month % 12 + 1, 1);
		if (take_sign(&rest, '-')) {
			if (!take_number(&rest, 2, 1, 31, &day) || !is_day(year, month, day))
				return false;
			next_day = count_days(year, month, day) + 1;
			bool has_time = take_sign(&rest, 'T') || take_sign(&rest, 't') ||
			                take_sign(&rest, ' ');
			if (has_time && !take_time(&rest, told))
				return false;
		}
	}
	int64_t first_day = count_days(year, month, day);
	told->seconds += first_day * DAY_S;
	if (told->span_us == 0)
		told->span_us = (next_day - first_day) * DAY_S * US_PER_S;
	return rest.at == rest.end;
}

bool bs_date_parse_span(const uint8_t *text, size_t text_bytes, struct bs_date *date_out)
{
	struct told told;
	bool is_date = parse(text, text_bytes, 0, 9999, &told);
	date_out->first_us = told.seconds * US_PER_S + told.ns / NS_PER_US;
	date_out->next_us = date_out->first_us + told.span_us;
	return is_date;
}

int64_t bs_date_year_us(int year)
{
	return count_days(year, 1, 1) * DAY_S * US_PER_S;
}

void bs_date_format(int64_t us, char text_out[BS_DATE_TEXT_BYTES])
{
	/* A time with an offset from UTC can be slightly outside the years 0 to 9999. Shifting it
	 * by eight eras of 400 years makes it positive. */
	const int64_t era_us = ERA_DAYS * DAY_S * US_PER_S;
	int64_t shifted = us + 8 * era_us, day = shifted / (DAY_S * US_PER_S) + 719468,
		of_day = shifted % (DAY_S * US_PER_S);
	int64_t era = day / ERA_DAYS, of_era = day % ERA_DAYS;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / (ERA_DAYS - 1)) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100),
		march = (5 * of_year + 2) / 153;
	int month = (int)(march < 10 ? march + 3 : march - 9), n;
	year += era * 400 + (month <= 2) - 8 * 400;
	n = snprintf(text_out, BS_DATE_TEXT_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d",
	             (int)year % 100000, month, (int)(of_year - (153 * march + 2) / 5 + 1),
	             (int)(of_day / (3600 * US_PER_S)), (int)(of_day / (60 * US_PER_S) % 60),
	             (int)(of_day / US_PER_S % 60));
	if (of_day % US_PER_S)
		n += snprintf(text_out + n, BS_DATE_TEXT_BYTES - (size_t)n, ".%06d",
		              (int)(of_day % US_PER_S));
	for (; of_day % US_PER_S && text_out[n - 1] == '0'; n--)
		continue;
	snprintf(text_out + n, BS_DATE_TEXT_BYTES - (size_t)n, "Z");
}

/* Codes below FAR_CODE count ns; codes from FAR_CODE on count parts of a second, PARTS_A_S in each
 * second. FAR_CODE is a moment in second FAR_S. */
#define FAR_CODE  (INT64_MAX - (INT64_C(1) << 56) + 1)
#define FAR_S     (FAR_CODE / NS_PER_S)
#define PARTS_A_S INT64_C(65536)

int64_t bs_moment_code(struct bs_moment moment)
{
	/* The code of a time before 1970 is minus the code of the mirrored time after 1970. */
	if (moment.seconds < 0) {
		bool is_whole = moment.ns == 0;
		struct bs_moment mirrored = {is_whole && moment.seconds > INT64_MIN
		                                     ? -moment.seconds
		                                     : -(moment.seconds + 1),
		                             is_whole ? 0 : (uint32_t)(NS_PER_S - moment.ns)};
		return -bs_moment_code(mirrored);
	}
	if (moment.seconds < FAR_S || (moment.seconds == FAR_S && moment.ns < FAR_CODE % NS_PER_S))
		return moment.seconds * NS_PER_S + moment.ns;
	int64_t far_s = moment.seconds - FAR_S;
	if (far_s >= INT64_C(1) << 40)
		return INT64_MAX;
	return FAR_CODE + far_s * PARTS_A_S + moment.ns * PARTS_A_S / NS_PER_S -
	       (FAR_CODE % NS_PER_S) * PARTS_A_S / NS_PER_S;
}

int64_t bs_moment_us(struct bs_moment moment)
{
	const int64_t most_s = INT64_MAX / US_PER_S - 1;
	if (moment.seconds > most_s || moment.seconds < -most_s)
		return moment.seconds < 0 ? INT64_MIN : INT64_MAX;
	return moment.seconds * US_PER_S + moment.ns / NS_PER_US;
}

bool bs_date_parse(const uint8_t *text, size_t text_bytes, struct bs_moment *start_out)
{
	struct told told;
	bool is_date = parse(text, text_bytes, 0, 9999, &told);
	*start_out = (struct bs_moment){told.seconds, (uint32_t)told.ns};
	return is_date;
}

bool bs_date_parse_or_age(const uint8_t *text, size_t text_bytes, struct bs_moment now,
                          struct bs_moment *start_out)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
	int64_t n = 0;
	size_t at = 0;
	if (bs_date_parse(text, text_bytes, start_out))
		return true;
	for (; at < text_bytes && at < 9 && text[at] >= '0' && text[at] <= '9'; at++)
		n = n * 10 + (text[at] - '0');
	for (size_t i = 0; i < sizeof(units) / sizeof(*units) && at > 0 && at + 1 == text_bytes;
	     i++) {
		if (text[at] != (uint8_t)units[i].unit)
			continue;
		*start_out = (struct bs_moment){now.seconds - n * units[i].seconds, now.ns};
		return true;
	}
	return false;
}
