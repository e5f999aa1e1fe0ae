/* test_date.c: dates as people write them, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "core/base/date.h"

#define S INT64_C(1000000000)

static void test_dates(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} dates[] = {
		{"1970", 0}, {"1970-01", 0}, {"1970-01-01", 0}, {"1970-01-01T00", 0}, {"1970-01-01 00:00", 0},
		{"1969-12-31T23:59:59.5Z", -S / 2}, {"1970-01-01T00:00:00,000000001", 1}, {"1970-01-01T02:00+02", 0},
		{"1970-01-01t02:00:00+0200", 0}, {"1969-12-31T20:30-03:30", 0}, {"2000-02-29", 951782400 * S},
		{"2024-05-17T08:30:59.123456789123z", 1715934659 * S + 123456789}, {"2024-12-31T23:59:60Z", 1735689600 * S},
		{"1678-01-01", -INT64_C(9214560000) * S}, {"2261-12-31T23:59:59", INT64_C(9214646399) * S},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(dates) / sizeof(*dates); i++) {
		int64_t ns = 7;
		if (!bs_date_parse((const uint8_t *)dates[i].text, strlen(dates[i].text), &ns) || ns != dates[i].ns)
			fail_msg("%s: %lld", dates[i].text, (long long)ns);
	}
}

static void test_no_dates(void **state)
{
	static const char *const texts[] = {
		"", "197", "19700", "1677", "2262", "1970-", "1970-1", "1970-13", "1970-00", "1970-01-", "1970-01-32", "2023-02-29",
		"1900-02-29", "1970-01-01T", "1970-01-01T24", "1970-01-01T1:00", "1970-01-01T10:60", "1970-01-01T10:00:61",
		"1970-01-01T10:00:00.", "1970-01-01T10:00+", "1970-01-01T10:00+24", "1970-01-01T10:00+1", "1970-01-01T10:00+01:",
		"1970-01-01T10:00Z ", " 1970", "1970-01-01T10:00ZZ", "1970-01-01Z", "now", "-1970",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		int64_t ns;
		if (bs_date_parse((const uint8_t *)texts[i], strlen(texts[i]), &ns))
			fail_msg("%s: taken for %lld", texts[i], (long long)ns);
	}
}

/* Every day of some centuries, as the C library has it. */
static void test_calendar(void **state)
{
	(void)state;
	for (int64_t day = -106000; day < 106000; day++) {
		time_t seconds = (time_t)(day * 86400);
		struct tm parts;
		char text[32];
		int64_t ns;
		assert_non_null(gmtime_r(&seconds, &parts));
		size_t n = strftime(text, sizeof(text), "%Y-%m-%d", &parts);
		if (!bs_date_parse((const uint8_t *)text, n, &ns) || ns != day * 86400 * S)
			fail_msg("%s", text);
	}
}

static void test_ages(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} ages[] = {{"0s", 0}, {"90s", 90}, {"30m", 1800}, {"2h", 7200}, {"3d", 259200}, {"2w", 1209600}};
	static const char *const none[] = {"", "d", "3", "3x", "3dd", "-3d", "3 d", "1234567890d"};
	const int64_t now = INT64_C(1800000000) * S;
	int64_t ns;
	(void)state;
	for (size_t i = 0; i < sizeof(ages) / sizeof(*ages); i++) {
		assert_true(bs_date_parse_or_age((const uint8_t *)ages[i].text, strlen(ages[i].text), now, &ns));
		assert_int_equal(now - ns, ages[i].seconds * S);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_false(bs_date_parse_or_age((const uint8_t *)none[i], strlen(none[i]), now, &ns));
	assert_true(bs_date_parse_or_age((const uint8_t *)"999999999w", 10, now, &ns));
	assert_true(ns == INT64_MIN);
	assert_true(bs_date_parse_or_age((const uint8_t *)"2024", 4, now, &ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_no_dates),
		cmocka_unit_test(test_calendar),
		cmocka_unit_test(test_ages),
	};
	return cmocka_run_group_tests_name("date", tests, NULL, NULL);
}
