/* oracle_range.c: numbers and dates of texts, and ranges of them. Uses regular expressions, numbers
 * as decimal text, and the C library's calendar. See oracle.h. */
#include <regex.h>
#include <time.h>

#include "tests/property/oracle/oracle.h"
#include "tests/rigs/test.h"

#define NUMBER "^[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]{1,9})?$"
#define DATE                                                                                \
	"^([0-9]{4})(-([0-9]{2})(-([0-9]{2})([Tt "                                          \
	"]([0-9]{2})(:([0-9]{2})(:([0-9]{2})([.,]([0-9]+))?)?)?([Zz]|([-+])([0-9]{2})(:?([" \
	"0-9]{2}))?)?)?)?)?$"
#define PARTS 20

static bool match(const char *pattern, const char *text, regmatch_t parts[PARTS])
{
	static regex_t expressions[2];
	static bool is_ready[2];
	int which = strcmp(pattern, DATE) == 0;
	if (!is_ready[which])
		assert_int_equal(regcomp(&expressions[which], pattern, REG_EXTENDED), 0);
	is_ready[which] = true;
	return regexec(&expressions[which], text, PARTS, parts, 0) == 0;
}

static long part(const char *text, regmatch_t at, long otherwise)
{
	return at.rm_so < 0 ? otherwise : strtol(text + at.rm_so, NULL, 10);
}

/* Converts a number to 0.DIGITS * 10^exponent, without zeros at either end of DIGITS. */
static void take_number(const char *text, struct oracle_value *value)
{
	const char *e = strpbrk(text, "eE");
	size_t n = 0, end = e ? (size_t)(e - text) : strlen(text);
	bool is_behind = false;
	value->is_negative = *text == '-';
	value->exponent = e ? strtol(e + 1, NULL, 10) : 0;
	for (size_t i = 0; i < end; i++) {
		if (text[i] == '.')
			is_behind = true;
		if (text[i] < '0' || text[i] > '9')
			continue;
		if (n > 0 || text[i] != '0')
			value->digits[n++] = text[i];
		if (!is_behind && n > 0)
			value->exponent++;
		if (is_behind && n == 0)
			value->exponent--;
	}
	while (n > 0 && value->digits[n - 1] == '0')
		n--;
	value->digits[n] = '\0';
}

static int64_t seconds_of(long year, long month, long day)
{
	struct tm parts = {
		.tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day};
	return (int64_t)timegm(&parts);
}

/* *next_us: the first microsecond after the interval that the text denotes. */
static bool take_date(const char *text, int64_t *us, int64_t *next_us)
{
	regmatch_t at[PARTS];
	if (!match(DATE, text, at))
		return false;
	long year = part(text, at[1], 0), month = part(text, at[3], 1), day = part(text, at[5], 1),
	     hour = part(text, at[7], 0);
	long minute = part(text, at[9], 0), second = part(text, at[11], 0),
	     zone_hour = part(text, at[16], 0);
	long zone_minute = part(text, at[18], 0), fraction = 0, unit = 1000000;
	if (month < 1 || month > 12 || day < 1 ||
	    seconds_of(year, month, day) >= seconds_of(year, month + 1, 1) || hour > 23 ||
	    minute > 59 || second > 60 || zone_hour > 23 || zone_minute > 59)
		return false;
	for (regoff_t i = at[13].rm_so; at[13].rm_so >= 0 && i < at[13].rm_eo && unit > 1; i++) {
		unit /= 10;
		fraction += unit * (text[i] - '0');
	}
	int64_t offset = (zone_hour * 60 + zone_minute) * 60 *
	                 (at[15].rm_so >= 0 && text[at[15].rm_so] == '-' ? -1 : 1);
	*us = (seconds_of(year, month, day) + hour * 3600 + minute * 60 + second - offset) *
	              1000000 +
	      fraction;
	if (at[11].rm_so >= 0)
		*next_us = *us + unit;
	else if (at[7].rm_so >= 0)
		*next_us = *us + (at[9].rm_so >= 0 ? 60 : 3600) * (int64_t)1000000;
	else if (at[5].rm_so >= 0)
		*next_us = *us + (int64_t)86400 * 1000000;
	else
		*next_us = (at[3].rm_so >= 0 ? seconds_of(year, month + 1, 1)
		                             : seconds_of(year + 1, 1, 1)) *
		           1000000;
	return true;
}

bool oracle_value_take(const void *text, size_t text_bytes, struct oracle_value *value)
{
	regmatch_t at[PARTS];
	char copy[256];
	int64_t next_us;
	if (text_bytes == 0 || text_bytes > 255 || memchr(text, '\0', text_bytes))
		return false;
	memcpy(copy, text, text_bytes);
	copy[text_bytes] = '\0';
	*value = (struct oracle_value){.is_date = false};
	if (match(NUMBER, copy, at)) {
		take_number(copy, value);
		return true;
	}
	value->is_date = take_date(copy, &value->us, &next_us);
	return value->is_date;
}

static int compare_sizes(const struct oracle_value *a, const struct oracle_value *b)
{
	if (a->exponent != b->exponent)
		return a->exponent < b->exponent ? -1 : 1;
	return strcmp(a->digits, b->digits);
}

int oracle_value_compare(const struct oracle_value *a, const struct oracle_value *b)
{
	if (a->is_date != b->is_date)
		return a->is_date ? 1 : -1;
	if (a->is_date)
		return a->us < b->us ? -1 : a->us > b->us;
	int a_sign = !*a->digits      ? 0
	             : a->is_negative ? -1
	                              : 1,
	    b_sign = !*b->digits      ? 0
	             : b->is_negative ? -1
	                              : 1;
	if (a_sign != b_sign || a_sign == 0)
		return a_sign < b_sign ? -1 : a_sign > b_sign;
	return a_sign * compare_sizes(a, b);
}

/* Multiplies by 1024, digit by digit. */
static void multiply_1024(struct oracle_value *value)
{
	size_t n = strlen(value->digits), n_more;
	uint32_t carry = 0;
	char more[8];
	for (size_t i = n; i-- > 0; carry /= 10) {
		carry += (uint32_t)(value->digits[i] - '0') * 1024;
		value->digits[i] = (char)('0' + carry % 10);
	}
	n_more = (size_t)snprintf(more, sizeof(more), "%u", carry);
	if (carry == 0)
		return;
	assert_true(n + n_more < sizeof(value->digits));
	memmove(value->digits + n_more, value->digits, n + 1);
	memcpy(value->digits, more, n_more);
	value->exponent += (long)n_more;
	for (n += n_more; value->digits[n - 1] == '0'; n--)
		value->digits[n - 1] = '\0';
}

/* Parses an end of a range as a number, with a suffix for powers of 1000 or of 1024. */
static bool number_end(const char *text, struct oracle_value *value)
{
	size_t n = strlen(text);
	bool is_binary = n > 1 && text[n - 1] == 'i';
	n -= is_binary;
	const char *letters = "kMGTP",
		   *found = n == 0 ? NULL : strchr(letters, text[n - 1] == 'K' ? 'k' : text[n - 1]);
	if (is_binary && !found)
		return false;
	if (!oracle_value_take(text, n - (found != NULL), value) || value->is_date)
		return false;
	for (const char *letter = letters; found && letter <= found; letter++) {
		if (is_binary)
			multiply_1024(value);
		else
			value->exponent += *value->digits ? 3 : 0;
	}
	return true;
}

bool oracle_range_is_one(const struct oracle_range *range)
{
	struct oracle_value value;
	int64_t us, next_us;
	bool are_numbers = (!range->low || number_end(range->low, &value)) &&
	                   (!range->high || number_end(range->high, &value));
	bool are_dates = (!range->low || take_date(range->low, &us, &next_us)) &&
	                 (!range->high || take_date(range->high, &us, &next_us));
	return are_numbers || are_dates;
}

bool oracle_range_has(const struct oracle_range *range, const struct oracle_value *value)
{
	struct oracle_value low = {0}, high = {0};
	bool are_numbers = (!range->low || number_end(range->low, &low)) &&
	                   (!range->high || number_end(range->high, &high));
	int64_t low_us = INT64_MIN, low_next = INT64_MIN, high_us = INT64_MAX,
		high_next = INT64_MAX, us = value->us;
	bool are_dates = (!range->low || take_date(range->low, &low_us, &low_next)) &&
	                 (!range->high || take_date(range->high, &high_us, &high_next));
	if (!value->is_date && are_numbers) {
		int to_low = range->low ? oracle_value_compare(value, &low) : 1,
		    to_high = range->high ? oracle_value_compare(value, &high) : -1;
		return (to_low > 0 || (to_low == 0 && !range->is_out)) &&
		       (to_high < 0 || (to_high == 0 && !range->is_out));
	}
	if (!are_dates)
		return false;
	if (!value->is_date) {
		char year[5] = "0000";
		if (value->is_negative || value->exponent != 4)
			return false;
		memcpy(year, value->digits, strlen(value->digits) < 4 ? strlen(value->digits) : 4);
		us = seconds_of(strtol(year, NULL, 10), 1, 1) * 1000000;
	}
	return us >= (range->is_out ? low_next : low_us) &&
	       us < (range->is_out ? high_us : high_next);
}

const char *const oracle_values[ORACLE_N_VALUES] = {
	"0", "-0.0", "7", "7.00", "-3", "12.50", "1e3", "1000", "1E400", "-1e400", "0.001",
	"9007199254740993", "9007199254740992",
	/* Dates, texts that are neither numbers nor dates, and more numbers. */
	"2017", "2017.5", "2018-01", "2017-09-01", "2018-01-15T12:00:00.5Z",
	"2018-01-15 14:00:00+02:00", "2018-06-30T23:59:60Z", "1492-10-12", "9999-12-31", "12,5",
	"1e", "2017-13", "-.5", "+4", "500", "2048", "2018"};

/* Draws a range. Its ends are two numbers or two dates, because one of each is not a range. */
void oracle_range_draw(struct oracle_range *range, char text[ORACLE_RANGE_BYTES])
{
	static const char *const numbers[] = {
		"0", "-3", "7", "12.5", "0.5k", "1k", "2Ki", "1M", "1e400", "-1e399", ".001",
		/* 2^53, 2^53 + 1 (not exact as a double), years. */
		"9007199254740992", "9007199254740993", "2017", "2018", "1e-9"};
	static const char *const dates[] = {"2017", "2018", "2017-09", "2018-01", "2018-01-15",
	                                    /* Times, and other years. */
	                                    "2018-01-15T12", "2018-01-15T12:00:00",
	                                    "2018-07-01T00:00:00Z", "1492", "9999",
	                                    "2017-09-01T00:30+01:00", "2018-01-15T12:00:00.5"};
	bool is_date = by_chance(50);
	const char *a = is_date ? dates[below(12)] : numbers[below(16)],
		   *b = is_date ? dates[below(12)] : numbers[below(16)];
	uint32_t form = below(7);
	*range = (struct oracle_range){.low = a};
	if (form == 0) {
		range->high = b;
		/* a 0 before an end that begins with a dot, because three dots are not a range */
		snprintf(text, ORACLE_RANGE_BYTES, *b == '.' ? "%s..0%s" : "%s..%s", a, b);
	} else if (form == 1) {
		snprintf(text, ORACLE_RANGE_BYTES, "%s..", a);
	} else if (form < 4) {
		range->is_out = form == 2;
		snprintf(text, ORACLE_RANGE_BYTES, form == 2 ? ">%s" : ">=%s", a);
	} else {
		*range = (struct oracle_range){.high = b, .is_out = form == 4};
		snprintf(text, ORACLE_RANGE_BYTES,
		         form == 4   ? "<%s"
		         : form == 5 ? "<=%s"
		         : *b == '.' ? "..0%s"
		                     : "..%s",
		         b);
	}
}
