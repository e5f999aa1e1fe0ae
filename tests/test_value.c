/* test_value.c: numbers and dates as comparable bytes: their order, what is none, and ranges of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/date.h"
#include "core/base/value.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct bs_value value_of(const char *text)
{
	struct bs_value value;
	if (!bs_value_parse((const uint8_t *)text, strlen(text), &value))
		fail_msg("%s: no value", text);
	return value;
}

/* Ascending, equal ones on one line. */
static const char *const ascending[][6] = {
	{"-1e999999999"}, {"-1e400"}, {"-12345678901234567890123"}, {"-12345678901234567890122.9"}, {"-18446744073709551616"},
	{"-9007199254740993"}, {"-9007199254740992"}, {"-1000", "-1e3", "-1000.0", "-0.1e4"}, {"-10"}, {"-9.99"}, {"-9.9"}, {"-1.55"},
	{"-1.5"}, {"-1"}, {"-0.1", "-.1"}, {"-0.0999"}, {"-1e-400"}, {"-1e-999999999"}, {"0", "-0", "0.0", "+0", "000", "0e5"}, {"1e-999999999"},
	{"1e-400"}, {"1e-62"}, {"1e-61"}, {"1e-60"}, {"0.0999"}, {"0.1", ".1", "+0.1", "1e-1", "0.10"}, {"0.1000000000000000000001"}, {"1", "01", "1.", "1.000", "10e-1"},
	{"1.0000000000000000000000000000001"}, {"1.5"}, {"1.55"}, {"2"}, {"9.99"}, {"10", "1e1", "1E+1", "010"}, {"11"}, {"99"}, {"100"}, {"101"}, {"1990", "1990.0", "0001990"},
	{"2147483648"}, {"9007199254740992"}, {"9007199254740993"}, {"18446744073709551615"}, {"18446744073709551616"},
	{"123456789012345678901234567890"}, {"123456789012345678901234567891"}, {"1e59"}, {"1e60"}, {"1e61"}, {"1e400"}, {"1e401"}, {"1e999999999"},
	{"0000-01-01"}, {"0988-05-01"}, {"1492-10-12"}, {"1969-12-31T23:59:59.999999Z"}, {"1970-01", "1970-01-01", "1970-01-01T00:00Z", "1969-12-31T22-02"},
	{"1970-01-01T00:00:00.000001"}, {"2016-12-31T23:59:59.999999"}, {"2016-12-31T23:59:60Z", "2017-01-01"}, {"2024-05-17"}, {"9999-12-31"},
};

static void test_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(ascending); i++) {
		struct bs_value first = value_of(ascending[i][0]), end = first;
		assert_true(bs_value_is_key(first.bytes, first.n_bytes));
		end.bytes[end.n_bytes++] = 0;
		for (size_t k = 0; k < 6 && ascending[i][k]; k++) {
			struct bs_value same = value_of(ascending[i][k]);
			assert_int_equal(bs_value_compare(&first, &same), 0);
		}
		for (size_t k = i + 1; k < COUNT(ascending); k++) {
			struct bs_value greater = value_of(ascending[k][0]);
			if (bs_value_compare(&first, &greater) >= 0 || bs_value_compare(&end, &greater) >= 0)
				fail_msg("%s, %s", ascending[i][0], ascending[k][0]);
		}
	}
}

/* What is shown is the same value. */
static void test_format(void **state)
{
	static const char *const shown[][2] = {
		{"1990", "1990"}, {"-0", "0"}, {"0.00150", "0.0015"}, {"12e20", "1.2e21"}, {"1e20", "100000000000000000000"}, {"-15e-9", "-1.5e-8"},
		{"100.25", "100.25"}, {"2024-05", "2024-05-01T00:00:00Z"}, {"2024-02-29T12:30:59.5+02:00", "2024-02-29T10:30:59.5Z"},
		{"1678-12-31", "1678-12-31T00:00:00Z"}, {"0000-01-01", "0000-01-01T00:00:00Z"}, {"9999-12-31T23:59:59.000001", "9999-12-31T23:59:59.000001Z"},
	};
	char text[BS_VALUE_TEXT_BYTES];
	(void)state;
	for (size_t i = 0; i < COUNT(shown); i++) {
		struct bs_value value = value_of(shown[i][0]);
		assert_int_equal(bs_value_format(&value, text), strlen(shown[i][1]));
		assert_string_equal(text, shown[i][1]);
	}
	for (size_t i = 0; i < COUNT(ascending); i++) {
		struct bs_value value = value_of(ascending[i][0]);
		assert_true(bs_value_format(&value, text) > 0);
		struct bs_value again = value_of(text);
		assert_int_equal(bs_value_compare(&value, &again), 0);
	}
}

static void test_none(void **state)
{
	static const char *const texts[] = {"", "-", "+", ".", "e5", "1e", "1e+", "1e1234567890", "1 ", " 1", "1,5", "1..2", "1.2.3", "0x10", "inf", "nan", "1k",
	                                    "12a", "--1", "2024-13", "2024-5-17", "24-05-17", "2024-05-17T", "tomorrow", "1e5.5"};
	static const uint8_t keys[][4] = {{0}, {0x10}, {0x20, 1}, {0x30, 0x81}, {0x30, 0x81, 0}, {0x30, 0x81, 200}, {0x30, 0x81, 5}, {0x40, 1}, {0x50}};
	static const size_t n_bytes[] = {1, 1, 2, 2, 3, 3, 3, 2, 1};
	char many[BS_VALUE_MOST_TEXT + 2];
	struct bs_value value;
	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (bs_value_parse((const uint8_t *)texts[i], strlen(texts[i]), &value))
			fail_msg("%s", texts[i]);
	for (size_t i = 0; i < COUNT(keys); i++)
		assert_false(bs_value_is_key(keys[i], n_bytes[i]));
	assert_false(bs_value_is_key(keys[0], 0));
	memset(many, '7', sizeof(many));
	many[0] = '-';
	assert_true(bs_value_parse((const uint8_t *)many, BS_VALUE_MOST_TEXT, &value));
	assert_false(bs_value_parse((const uint8_t *)many, BS_VALUE_MOST_TEXT + 1, &value));
}

/* A range, values in it, and values that are not. */
static const struct {
	const char *range;
	const char *in[8], *out[8];
} ranges[] = {
	{"1990..2000", {"1990", "1990.0", "2000", "2e3", "1990-01-01", "2000-12-31T23:59:59.999999Z"}, {"1989.9", "2000.1", "1989-12-31", "2001-01-01"}},
	{"..2000", {"-5", "2000", "0", "1066-10-14", "-1e400"}, {"2000.5", "2001-01-01"}},
	{"1990..", {"1990", "1e400", "9999-12-31"}, {"1989", "1989-12-31"}},
	{">2000", {"2000.1", "2001-01-01"}, {"2000", "2000-05", "2000-12-31T23:59:59.9"}},
	{">=2000", {"2000", "2000-01-01"}, {"1999.9", "1999-12-31"}},
	{"<2000", {"1999", "1999-12-31", "-1"}, {"2000", "2000-01-01"}},
	{"<=2000", {"2000", "2000-12-31"}, {"2000.1", "2001-01-01"}},
	{">10k", {"10001", "1e5"}, {"10000", "9999-12-31", "2024-05"}},
	{"1.5k..2Ki", {"1500", "2048"}, {"1499", "2048.5"}}, {"1.5Ki..1.5Mi", {"1536", "1572864"}, {"1535", "1572865"}},
	{"-1M..-1K", {"-1000", "-1e6"}, {"-999", "0"}}, {"-1.5..-1.55", {0}, {"-1.5", "-1.55", "-1.52"}}, {"-1.55..-1.5", {"-1.5", "-1.55", "-1.52"}, {"-1.551", "-1.49"}},
	{"0..0", {"-0", "0.0"}, {"1e-999", "-1e-999"}}, {">-0", {"1e-400"}, {"0"}}, {"<1e400", {"9e399"}, {"1e400", "1e401"}},
	{"9007199254740993..9007199254740993", {"9007199254740993"}, {"9007199254740992", "9007199254740994"}},
	{"1Pi..1Pi", {"1125899906842624"}, {"1125899906842623"}}, {"1T..1T", {"1e12"}, {"1e9"}}, {"1Gi..1Gi", {"1073741824"}, {"1e9"}},
	{"2024-01..2024-06", {"2024-01-01", "2024-06-30T23:59:59.999999", "2024-06", "2024-05-31T23:30-02:00", "2024"}, {"2024-07-01", "2023-12-31T23:59:59", "2024-07-01T00:30+00", "2023", "2025"}},
	{"2023-06..2025-03", {"2024", "2024.5", "2025", "2025-03-31"}, {"2023", "2026", "2025-04-01"}},
	{">2024-05-17T08", {"2024-05-17T09"}, {"2024-05-17T08:59:59.999999", "2024-05-17T08"}},
	{"..2024-05-17T08:30:59", {"2024-05-17T08:30:59.9"}, {"2024-05-17T08:31"}},
	{"2024-05-17T08:30+02:00..2024-05-17T08:30+02:00", {"2024-05-17T06:30:30Z"}, {"2024-05-17T08:30Z"}},
	{"2016-12-31T23:59:60..2016-12-31T23:59:60", {"2017-01-01T00:00:00Z"}, {"2016-12-31T23:59:59"}},
	{"0988..1066", {"1000", "988", "0988-05-01", "1066-12-31"}, {"1067", "0987-12-31"}},
};
static const char *const no_ranges[] = {"", "..", ">", "<", ">=", "<=", "5", "a..b", "5..b", "..b", "a..", ">b", "1990..2000-06x", "5..2000-06", "10m..", "1kk..", "1i..", "=5", "=<5"};

static void test_ranges(void **state)
{
	struct bs_range range;
	(void)state;
	for (size_t i = 0; i < COUNT(ranges); i++) {
		const char *text = ranges[i].range;
		if (!bs_range_is_meant((const uint8_t *)text, strlen(text)) || !bs_range_parse((const uint8_t *)text, strlen(text), &range))
			fail_msg("%s", text);
		for (size_t k = 0; k < 8 && ranges[i].in[k]; k++) {
			struct bs_value value = value_of(ranges[i].in[k]);
			if (!bs_range_has(&range, &value))
				fail_msg("%s has %s", text, ranges[i].in[k]);
		}
		for (size_t k = 0; k < 8 && ranges[i].out[k]; k++) {
			struct bs_value value = value_of(ranges[i].out[k]);
			if (bs_range_has(&range, &value))
				fail_msg("%s has not %s", text, ranges[i].out[k]);
		}
	}
	for (size_t i = 0; i < COUNT(no_ranges); i++)
		if (bs_range_parse((const uint8_t *)no_ranges[i], strlen(no_ranges[i]), &range))
			fail_msg("%s is a range", no_ranges[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_ranges),
	};
	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
