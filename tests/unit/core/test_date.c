/* test_date.c: dates in all accepted forms, and texts that are not dates. */
#include <time.h>

#include "core/base/date.h"
#include "tests/rigs/test.h"

#define S INT64_C(1000000000)

static bool parse(const char *text, int64_t *ns_out)
{
	struct bs_moment moment;
	bool is_date = bs_date_parse((const uint8_t *)text, strlen(text), &moment);
	*ns_out = bs_moment_code(moment);
	return is_date;
}

static void test_dates(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} dates[] = {
		{"1970", 0},
		{"1970-01", 0},
		{"1970-01-01", 0},
		{"1970-01-01T00", 0},
		{"1970-01-01 00:00", 0},
		{"1969-12-31T23:59:59.5Z", -S / 2},
		{"1970-01-01T00:00:00,000000001", 1},
		{"1970-01-01T02:00+02", 0},
		{"1970-01-01t02:00:00+0200", 0},
		{"1969-12-31T20:30-03:30", 0},
		{"2000-02-29", 951782400 * S},
		{"2024-05-17T08:30:59.123456789123z", 1715934659 * S + 123456789},
		{"2024-12-31T23:59:60Z", 1735689600 * S},
		{"1681-01-01", -INT64_C(9119865600) * S},
		{"2258-12-31T23:59:59.999999999", INT64_C(9119952000) * S - 1},
	};
	for (size_t i = 0; i < COUNT(dates); i++) {
		int64_t ns = 7;
		if (!parse(dates[i].text, &ns) || ns != dates[i].ns)
			fail_msg("%s: %lld", dates[i].text, (long long)ns);
	}
}

static void test_no_dates(void **state)
{
	static const char *const texts[] = {
		"", "197", "19700", "1970-", "1970-1", "1970-13", "1970-00", "1970-01-",
		"1970-01-32", "2023-02-29", "1900-02-29",
		/* Invalid times. */
		"1970-01-01T", "1970-01-01T24", "1970-01-01T1:00", "1970-01-01T10:60",
		"1970-01-01T10:00:61", "1970-01-01T10:00:00.", "1970-01-01T10:00+",
		"1970-01-01T10:00+24", "1970-01-01T10:00+1",
		"1970-01-01T10:00+01:", "1970-01-01T10:00Z ", " 1970", "1970-01-01T10:00ZZ",
		"1970-01-01Z", "now", "-1970"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		int64_t ns;
		if (parse(texts[i], &ns))
			fail_msg("%s: taken for %lld", texts[i], (long long)ns);
	}
}

/* The time span of a date ends where the next date begins; each row has a date and the next one. */
static void test_spans(void **state)
{
	static const char *const spans[][2] = {
		{"2023", "2024"},
		{"2023-12", "2024-01"},
		{"2024-02", "2024-03-01"},
		{"2024-02-28", "2024-02-29"},
		{"2023-12-31", "2024"},
		{"2024-05-17T08", "2024-05-17T09"},
		{"2024-05-17T08:59", "2024-05-17T09"},
		{"2024-05-17T08:30:59", "2024-05-17T08:31"},
		{"2024-05-17T08:30:59.9", "2024-05-17T08:31"},
		{"2024-05-17T08:30:59.999999", "2024-05-17T08:31"},
	};
	for (size_t i = 0; i < COUNT(spans); i++) {
		struct bs_date date, next;
		assert_true(bs_date_parse_span((const uint8_t *)spans[i][0], strlen(spans[i][0]),
		                               &date) &&
		            bs_date_parse_span((const uint8_t *)spans[i][1], strlen(spans[i][1]),
		                               &next));
		if (date.next_us != next.first_us)
			fail_msg("%s ends at %lld us", spans[i][0], (long long)date.next_us);
	}
}

/* Every day of more than five centuries, as the C library prints it, is parsed as that day. */
static void test_calendar(void **state)
{
	for (int64_t day = -105500; day < 105500; day++) {
		time_t seconds = (time_t)(day * 86400);
		struct tm parts;
		char text[32];
		int64_t ns;
		assert_non_null(gmtime_r(&seconds, &parts));
		(void)strftime(text, sizeof(text), "%Y-%m-%d", &parts);
		if (!parse(text, &ns) || ns != day * 86400 * S)
			fail_msg("%s", text);
	}
}

static void test_ages(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} ages[] = {{"0s", 0},    {"90s", 90},    {"30m", 1800},
	            {"2h", 7200}, {"3d", 259200}, {"2w", 1209600}};
	static const char *const none[] = {"", "d", "3", "3x", "3dd", "-3d", "3 d", "1234567890d"};
	const struct bs_moment now = {1800000000, 7};
	struct bs_moment then;
	for (size_t i = 0; i < COUNT(ages); i++) {
		assert_true(bs_date_parse_or_age((const uint8_t *)ages[i].text,
		                                 strlen(ages[i].text), now, &then));
		assert_int_equal(now.seconds - then.seconds, ages[i].seconds);
		assert_int_equal(then.ns, now.ns);
	}
	for (size_t i = 0; i < COUNT(none); i++)
		assert_false(bs_date_parse_or_age((const uint8_t *)none[i], strlen(none[i]), now,
		                                  &then));
	assert_true(bs_date_parse_or_age((const uint8_t *)"999999999w", 10, now, &then));
	assert_true(then.seconds < -INT64_C(600000000000000));
	assert_true(bs_date_parse_or_age((const uint8_t *)"2024", 4, now, &then));
}

/* Codes compare like moments: exactly where a code counts nanoseconds, and in steps of 2^-16 s for
 * moments whose nanoseconds do not fit into a code. */
static void test_codes(void **state)
{
	static const int64_t seconds[] = {INT64_MIN,   -INT64_MAX,  -0x10000000000, -9223372037,
	                                  -9223372036, -9151314443, -9151314442,    -1,
	                                  0,           1,           9151314442,     9151314443,
	                                  9223372036,  9223372037,  253402300799,   0x20000000000,
	                                  INT64_MAX};
	static const uint32_t parts[] = {0,         1,         15259,     183152128, 500000000,
	                                 816847871, 816847872, 816863131, 999999999};
	const size_t n = COUNT(seconds), n_parts = COUNT(parts);
	for (size_t i = 1; i < n * n_parts; i++) {
		struct bs_moment before = {seconds[(i - 1) / n_parts], parts[(i - 1) % n_parts]};
		struct bs_moment after = {seconds[i / n_parts], parts[i % n_parts]};
		int64_t a = bs_moment_code(before), b = bs_moment_code(after);
		bool is_near =
			after.seconds > -(INT64_C(1) << 39) && before.seconds < INT64_C(1) << 39;
		bool is_apart = (after.seconds > INT64_MIN && after.seconds - 1 > before.seconds) ||
		                (after.seconds - before.seconds) * S + after.ns - before.ns > 15259;
		if (a > b || (is_near && is_apart && a == b))
			fail_msg("%lld.%09u: %lld, but %lld.%09u: %lld", (long long)before.seconds,
			         before.ns, (long long)a, (long long)after.seconds, after.ns,
			         (long long)b);
	}
	for (int year = 0; year < 9999; year++) {
		char text[8];
		int64_t code, next;
		snprintf(text, sizeof(text), "%04d", year);
		assert_true(parse(text, &code));
		snprintf(text, sizeof(text), "%04d", year + 1);
		assert_true(parse(text, &next) && code < next);
		if (year > 1680 && year < 2258)
			assert_int_equal(next, bs_date_year_us(year + 1) * 1000);
	}
	assert_int_equal(bs_moment_us((struct bs_moment){-2, 999999999}), -1000001);
	assert_true(bs_moment_us((struct bs_moment){INT64_MIN, 0}) == INT64_MIN &&
	            bs_moment_us((struct bs_moment){INT64_MAX, 5}) == INT64_MAX);
}

RUN_TESTS(test_dates, test_no_dates, test_spans, test_calendar, test_ages, test_codes)
