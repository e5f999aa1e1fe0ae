/* date.c: see date.h. */
#include "core/base/date.h"

#define NS_PER_S INT64_C(1000000000)

/* What is left of the text. */
struct rest {
	const uint8_t *at;
	const uint8_t *end;
};

/* Takes a number of just so many digits, from least to most. */
static bool take_number(struct rest *rest, int n_digits, int least, int most, int *number_out)
{
	int number = 0;
	for (; n_digits > 0 && rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9'; n_digits--)
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

/* The days from 1970-01-01 on. Years are counted from March, so that a leap day is the last (Hinnant, "chrono-Compatible
 * Low-Level Date Algorithms"). */
static int64_t count_days(int year, int month, int day)
{
	year -= month <= 2;
	int era = year / 400, of_era = year % 400;
	int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool is_day(int year, int month, int day)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return day <= lengths[month - 1] + (month == 2 && is_leap);
}

/* .5 or ,5: of any number of digits, those beyond a ns dropped. */
static bool take_fraction(struct rest *rest, int64_t *ns)
{
	int64_t unit = NS_PER_S / 10;
	if (!take_sign(rest, '.') && !take_sign(rest, ','))
		return true;
	const uint8_t *first = rest->at;
	for (; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9'; rest->at++, unit /= 10)
		*ns += unit * (*rest->at - '0');
	return rest->at > first;
}

/* Z, +02, -0330, +05:30. */
static bool take_offset(struct rest *rest, int64_t *seconds)
{
	int hours, minutes = 0;
	if (rest->at == rest->end || take_sign(rest, 'Z') || take_sign(rest, 'z'))
		return true;
	bool is_east = take_sign(rest, '+');
	if ((!is_east && !take_sign(rest, '-')) || !take_number(rest, 2, 0, 23, &hours))
		return false;
	if ((take_sign(rest, ':') || rest->at < rest->end) && !take_number(rest, 2, 0, 59, &minutes))
		return false;
	*seconds += (is_east ? -1 : 1) * (hours * 3600 + minutes * 60);
	return true;
}

static bool take_time(struct rest *rest, int64_t *seconds, int64_t *ns)
{
	int hour, minute = 0, second = 0;
	if (!take_number(rest, 2, 0, 23, &hour))
		return false;
	if (take_sign(rest, ':')) {
		if (!take_number(rest, 2, 0, 59, &minute))
			return false;
		if (take_sign(rest, ':') && (!take_number(rest, 2, 0, 60, &second) || !take_fraction(rest, ns)))
			return false;
	}
	*seconds += hour * 3600 + minute * 60 + second;
	return take_offset(rest, seconds);
}

bool bs_date_parse(const uint8_t *text, size_t text_bytes, int64_t *start_ns_out)
{
	struct rest rest = {text, text + text_bytes};
	int year, month = 1, day = 1;
	int64_t seconds = 0, ns = 0;
	if (!take_number(&rest, 4, 1678, 2261, &year))
		return false;
	if (take_sign(&rest, '-')) {
		if (!take_number(&rest, 2, 1, 12, &month))
			return false;
		if (take_sign(&rest, '-')) {
			if (!take_number(&rest, 2, 1, 31, &day) || !is_day(year, month, day))
				return false;
			bool has_time = take_sign(&rest, 'T') || take_sign(&rest, 't') || take_sign(&rest, ' ');
			if (has_time && !take_time(&rest, &seconds, &ns))
				return false;
		}
	}
	*start_ns_out = (count_days(year, month, day) * 86400 + seconds) * NS_PER_S + ns;
	return rest.at == rest.end;
}

bool bs_date_parse_or_age(const uint8_t *text, size_t text_bytes, int64_t now_ns, int64_t *start_ns_out)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
	int64_t n = 0;
	size_t at = 0;
	if (bs_date_parse(text, text_bytes, start_ns_out))
		return true;
	for (; at < text_bytes && at < 9 && text[at] >= '0' && text[at] <= '9'; at++)
		n = n * 10 + (text[at] - '0');
	for (size_t i = 0; i < sizeof(units) / sizeof(*units) && at > 0 && at + 1 == text_bytes; i++) {
		if (text[at] != (uint8_t)units[i].unit)
			continue;
		/* Long ago is before everything. */
		bool is_long_ago = n > (now_ns / NS_PER_S + (INT64_C(1) << 32)) / units[i].seconds;
		*start_ns_out = is_long_ago ? INT64_MIN : now_ns - n * units[i].seconds * NS_PER_S;
		return true;
	}
	return false;
}
