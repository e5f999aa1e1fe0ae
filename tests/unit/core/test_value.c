/* test_value.c: numbers and dates as comparable bytes: their order, texts that are not values, and
 * ranges. */
#include "core/base/date.h"
#include "core/base/value.h"
#include "tests/rigs/core_rig.h"

static struct bs_value value_of(const char *text)
{
	struct bs_value value;
	if (!bs_value_parse((const uint8_t *)text, strlen(text), &value))
		fail_msg("%s: no value", text);
	return value;
}

/* In ascending order; "=" before a value: it equals the one before it. */
static const char *const ascending[] = {
	"-1e999999999", "-1e400", "-12345678901234567890123", "-12345678901234567890122.9",
	"-18446744073709551616", "-9007199254740993", "-9007199254740992", "-1000", "=-1e3",
	"=-1000.0", "=-0.1e4", "-10", "-9.99", "-9.9", "-1.55", "-1.5", "-1", "-0.1", "=-.1",
	"-0.0999", "-1e-400", "-1e-999999999",
	/* Zero, and positive numbers. */
	"0", "=-0", "=0.0", "=+0", "=000", "=0e5", "=0e99999999999", "1e-999999999", "1e-400",
	"1e-62", "1e-61", "1e-60", "0.0999", "0.1", "=.1", "=+0.1", "=1e-1", "=0.10",
	"0.1000000000000000000001", "1", "=01", "=1.", "=1.000", "=10e-1",
	"1.0000000000000000000000000000001", "1.5", "1.55", "2", "9.99", "10", "=1e1", "=1E+1",
	"=010", "11", "99", "100", "101", "1990", "=1990.0", "=0001990", "2147483648",
	"9007199254740992", "9007199254740993", "18446744073709551615", "18446744073709551616",
	"123456789012345678901234567890", "123456789012345678901234567891", "1e59", "1e60", "1e61",
	"1e400", "1e401", "1e999999999",
	/* Dates. */
	"0000-01-01", "0988-05-01", "1492-10-12", "1969-12-31T23:59:59.999999Z", "1970-01",
	"=1970-01-01", "=1970-01-01T00:00Z", "=1969-12-31T22-02", "1970-01-01T00:00:00.000001",
	"2016-12-31T23:59:59.999999", "2016-12-31T23:59:60Z", "=2017-01-01", "2024-05-17",
	"9999-12-31"};

static struct bs_value ascending_value(size_t i)
{
	return value_of(ascending[i] + (ascending[i][0] == '='));
}

static void test_order(void **state)
{
	for (size_t i = 0; i < COUNT(ascending); i++) {
		struct bs_value value = ascending_value(i), end = value;
		bool is_equal = true;
		assert_true(bs_value_is_key(value.bytes, value.n_bytes));
		end.is_behind = true;
		assert_true(bs_value_compare(&value, &end) < 0);
		for (size_t k = i + 1; k < COUNT(ascending); k++) {
			struct bs_value other = ascending_value(k);
			int order = bs_value_compare(&value, &other);
			is_equal &= ascending[k][0] == '=';
			if (is_equal ? order != 0
			             : order >= 0 || bs_value_compare(&end, &other) >= 0)
				fail_msg("%s, %s", ascending[i], ascending[k]);
		}
	}
}

/* Returns the value as a NUL-terminated text; the caller frees it. */
static char *format(const struct bs_value *value)
{
	struct bs_buffer out = {0};
	assert_int_equal(bs_value_format(value, &out, NULL), BS_OK);
	assert_int_equal(bs_buffer_append(&out, "", 1, NULL), BS_OK);
	return (char *)out.data;
}

/* A formatted value is parsed as the same value. */
static void test_format(void **state)
{
	static const char *const shown[][2] = {
		{"1990", "1990"},
		{"-0", "0"},
		{"0.00150", "0.0015"},
		{"12e20", "1.2e21"},
		{"1e20", "100000000000000000000"},
		{"-15e-9", "-1.5e-8"},
		{"100.25", "100.25"},
		{"2024-05", "2024-05-01T00:00:00Z"},
		{"2024-02-29T12:30:59.5+02:00", "2024-02-29T10:30:59.5Z"},
		{"1678-12-31", "1678-12-31T00:00:00Z"},
		{"0000-01-01", "0000-01-01T00:00:00Z"},
		{"9999-12-31T23:59:59.000001", "9999-12-31T23:59:59.000001Z"},
	};
	for (size_t i = 0; i < COUNT(shown); i++) {
		struct bs_value value = value_of(shown[i][0]);
		FREED char *text = format(&value);
		assert_string_equal(text, shown[i][1]);
	}
	for (size_t i = 0; i < COUNT(ascending); i++) {
		struct bs_value value = ascending_value(i);
		FREED char *text = format(&value);
		struct bs_value again = value_of(text);
		assert_int_equal(bs_value_compare(&value, &again), 0);
	}
}

static void test_none(void **state)
{
	static const char *const texts[] = {
		"", "-", "+", ".", "e5", "1e", "1e+", "1e1234567890", "-1e-1000000000", "0.1e1e1",
		"1 ", " 1", "1,5", "1..2", "1.2.3", "0x10", "inf", "nan", "1k", "12a", "--1",
		/* Invalid dates. */
		"2024-13", "2024-5-17", "24-05-17", "2024-05-17T", "tomorrow", "1e5.5"};
	static const uint8_t keys[][4] = {{0},
	                                  {0x10},
	                                  {0x20, 1},
	                                  {0x30, 0x81},
	                                  {0x30, 0x81, 0},
	                                  {0x30, 0x81, 200},
	                                  {0x30, 0x81, 5},
	                                  {0x40, 1},
	                                  {0x50}};
	static const size_t n_bytes[] = {1, 1, 2, 2, 3, 3, 3, 2, 1};
	struct bs_value value;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (bs_value_parse((const uint8_t *)texts[i], strlen(texts[i]), &value))
			fail_msg("%s", texts[i]);
	for (size_t i = 0; i < COUNT(keys); i++)
		assert_false(bs_value_is_key(keys[i], n_bytes[i]));
	assert_false(bs_value_is_key(keys[0], 0));
}

/* A number in a form that this test understands: 0.digits * 10^exponent, without zeros at either
 * end. */
struct known {
	char digits[1200];
	size_t n_digits;
	int exponent;
	bool is_negative;
	char text[1500];
};

static void add(struct known *known, const char *text)
{
	assert_true(strlen(known->text) + strlen(text) < sizeof(known->text));
	strcat(known->text, text);
}

/* Writes the number with insignificant zeros, a point anywhere, and the exponent that compensates
 * for it. */
static void spell(struct known *known, uint64_t *random)
{
	char some[32];
	size_t n = known->n_digits, zeros = random_below(random, 4),
	       point = random_below(random, n + 1);
	known->text[0] = '\0';
	add(known, known->is_negative ? "-" : random_below(random, 8) == 0 ? "+" : "");
	add(known, random_below(random, 4) == 0 ? "000" : "");
	snprintf(known->text + strlen(known->text), n + 3, "%.*s.%s", (int)point, known->digits,
	         known->digits + point);
	if (known->text[strlen(known->text) - 1] == '.' && random_below(random, 2))
		known->text[strlen(known->text) - 1] = '\0';
	else
		while (zeros-- > 0)
			add(known, "0");
	if (known->exponent == (int)point && random_below(random, 2))
		return;
	snprintf(some, sizeof(some), "%c%s%d", random_below(random, 2) ? 'e' : 'E',
	         known->exponent >= (int)point && random_below(random, 2) ? "+" : "",
	         known->exponent - (int)point);
	add(known, some);
}

/* Draws a number. Many of these numbers begin with the same long sequence of digits. */
static void make_known(struct known *known, uint64_t *random)
{
	static const size_t lengths[] = {1, 2, 17, 254, 255, 256, 257, 258, 259, 300, 617, 1000};
	char last = '0';
	known->is_negative = random_below(random, 3) == 0;
	known->exponent =
		(int)random_below(random, 5) - 2 + (random_below(random, 4) == 0 ? 400 : 0);
	known->n_digits = lengths[random_below(random, COUNT(lengths))];
	memset(known->digits, random_below(random, 2) ? '7' : '0', known->n_digits);
	known->digits[0] = '7';
	for (uint64_t i = random_below(random, 3); i > 0; i--)
		known->digits[random_below(random, known->n_digits)] =
			(char)('0' + random_below(random, 10));
	if (random_below(random, 2) && known->n_digits > 256)
		known->digits[256 + random_below(random, known->n_digits - 256)] =
			(char)('0' + random_below(random, 10));
	known->digits[0] = known->digits[0] == '0' ? '1' : known->digits[0];
	while ((last = known->digits[known->n_digits - 1]) == '0')
		known->n_digits--;
	known->digits[known->n_digits] = '\0';
	spell(known, random);
}

static int compare_known(const struct known *a, const struct known *b)
{
	int order = a->exponent != b->exponent ? (a->exponent > b->exponent ? 1 : -1)
	                                       : strcmp(a->digits, b->digits);
	if (a->is_negative != b->is_negative)
		return a->is_negative ? -1 : 1;
	order = (order > 0) - (order < 0);
	return a->is_negative ? -order : order;
}

static bool has(const char *range_text, const struct bs_value *value)
{
	struct bs_range range;
	size_t n = strlen(range_text);
	FREED uint8_t *room = must_malloc(BS_RANGE_ROOM(n));
	if (!bs_range_parse((const uint8_t *)range_text, n, room, &range))
		fail_msg("%s", range_text);
	return bs_range_has(&range, value);
}

/* Numbers of any length are ordered and printed correctly, also as ends of ranges. */
static void test_long(void **state)
{
	uint64_t random = 5;
	static struct known a, b;
	static char text[3100];
	for (size_t i = 0; i < 30000; i++) {
		make_known(&a, &random);
		make_known(&b, &random);
		if (random_below(&random, 4) == 0) {
			b = a;
			spell(&b, &random);
		}
		struct bs_value x = value_of(a.text), y = value_of(b.text);
		int order = compare_known(&a, &b), got = bs_value_compare(&x, &y);
		if ((got > 0) - (got < 0) != order)
			fail_msg("%s and %s: %d, not %d", a.text, b.text, got, order);
		assert_true(bs_value_is_key(x.bytes, x.n_bytes));
		assert_int_equal(bs_value_is_open_key(x.bytes, x.n_bytes),
		                 a.n_digits > BS_VALUE_MOST_DIGITS);
		int of_keys = bs_compare_bytes(x.bytes, x.n_bytes, y.bytes, y.n_bytes);
		assert_true(of_keys == 0 || (of_keys > 0) == (order > 0));
		FREED char *shown = format(&x);
		struct bs_value again = value_of(shown);
		assert_int_equal(bs_value_compare(&x, &again), 0);
		static const char *const kinds[] = {">%s", ">=%s", "<%s", "<=%s", "%s..", "..%s"};
		const bool wanted[] = {order > 0,  order >= 0, order < 0,
		                       order <= 0, order >= 0, order <= 0};
		/* "5." and ".." would make "5...", which is not a range */
		bool has_dot = b.text[0] == '.' || b.text[strlen(b.text) - 1] == '.';
		for (size_t k = 0; k < COUNT(kinds) && !(has_dot && k > 3); k++) {
			int at = snprintf(text, sizeof(text), "%.*s",
			                  (int)(strchr(kinds[k], '%') - kinds[k]), kinds[k]);
			snprintf(text + at, sizeof(text) - (size_t)at, "%s%s", b.text,
			         strchr(kinds[k], '%') + 2);
			if (has(text, &x) != wanted[k])
				fail_msg("%s: %s", text, a.text);
		}
	}
}

/* Multiplies by powers of 1024, up to the fifth. The expected product is computed by doubling ten
 * times for each factor. */
static void test_long_factors(void **state)
{
	uint64_t random = 6;
	static struct known known;
	static char product[1300], text[3100];
	for (size_t i = 0; i < 2000; i++) {
		make_known(&known, &random);
		if (known.exponent > 5 || known.text[0] == '.')
			continue;
		uint32_t power = 1 + (uint32_t)random_below(&random, 5);
		size_t n = known.n_digits;
		memcpy(product, known.digits, n + 1);
		for (uint32_t k = 0; k < 10 * power; k++) {
			uint32_t carry = 0;
			for (size_t d = n; d-- > 0; carry /= 10) {
				carry += (uint32_t)(product[d] - '0') * 2;
				product[d] = (char)('0' + carry % 10);
			}
			if (carry > 0) {
				memmove(product + 1, product, ++n);
				product[0] = (char)('0' + carry);
				product[n] = '\0';
			}
		}
		/* As an integer, with the exponent that restores the value. */
		snprintf(text, sizeof(text), "%s%se%d", known.is_negative ? "-" : "", product,
		         known.exponent - (int)known.n_digits);
		struct bs_value value = value_of(text);
		static char range[3200];
		snprintf(range, sizeof(range), "%s%ci..%s%ci", known.text, "kMGTP"[power - 1],
		         known.text, "kMGTP"[power - 1]);
		if (!has(range, &value))
			fail_msg("%s: %s", range, text);
		snprintf(range, sizeof(range), ">%s%ci", known.text, "kMGTP"[power - 1]);
		assert_false(has(range, &value));
	}
}

/* A range, values that are in it, and values that are not in it. */
static const struct {
	const char *range, *in[8], *out[8];
} ranges[] = {
	{"1990..2000",
         {"1990", "1990.0", "2000", "2e3", "1990-01-01", "2000-12-31T23:59:59.999999Z"},
         {"1989.9", "2000.1", "1989-12-31", "2001-01-01"}},
	{"..2000", {"-5", "2000", "0", "1066-10-14", "-1e400"}, {"2000.5", "2001-01-01"}},
	{"1990..", {"1990", "1e400", "9999-12-31"}, {"1989", "1989-12-31"}},
	{">2000", {"2000.1", "2001-01-01"}, {"2000", "2000-05", "2000-12-31T23:59:59.9"}},
	{">=2000", {"2000", "2000-01-01"}, {"1999.9", "1999-12-31"}},
	{"<2000", {"1999", "1999-12-31", "-1"}, {"2000", "2000-01-01"}},
	{"<=2000", {"2000", "2000-12-31"}, {"2000.1", "2001-01-01"}},
	{">10k", {"10001", "1e5"}, {"10000", "9999-12-31", "2024-05"}},
	{"1.5k..2Ki", {"1500", "2048"}, {"1499", "2048.5"}},
	{"1.5Ki..1.5Mi", {"1536", "1572864"}, {"1535", "1572865"}},
	{"-1M..-1K", {"-1000", "-1e6"}, {"-999", "0"}},
	{"-1.5..-1.55", {0}, {"-1.5", "-1.55", "-1.52"}},
	{"-1.55..-1.5", {"-1.5", "-1.55", "-1.52"}, {"-1.551", "-1.49"}},
	{"0..0", {"-0", "0.0"}, {"1e-999", "-1e-999"}},
	{">-0", {"1e-400"}, {"0"}},
	{"<1e400", {"9e399"}, {"1e400", "1e401"}},
	{"9007199254740993..9007199254740993",
         {"9007199254740993"},
         {"9007199254740992", "9007199254740994"}},
	{"1Pi..1Pi", {"1125899906842624"}, {"1125899906842623"}},
	{"1T..1T", {"1e12"}, {"1e9"}},
	{"1Gi..1Gi", {"1073741824"}, {"1e9"}},
	{"2024-01..2024-06",
         {"2024-01-01", "2024-06-30T23:59:59.999999", "2024-06", "2024-05-31T23:30-02:00", "2024"},
         {"2024-07-01", "2023-12-31T23:59:59", "2024-07-01T00:30+00", "2023", "2025"}},
	{"2023-06..2025-03",
         {"2024", "2024.5", "2025", "2025-03-31"},
         {"2023", "2026", "2025-04-01"}},
	{">2024-05-17T08", {"2024-05-17T09"}, {"2024-05-17T08:59:59.999999", "2024-05-17T08"}},
	{"..2024-05-17T08:30:59", {"2024-05-17T08:30:59.9"}, {"2024-05-17T08:31"}},
	{"2024-05-17T08:30+02:00..2024-05-17T08:30+02:00",
         {"2024-05-17T06:30:30Z"},
         {"2024-05-17T08:30Z"}},
	{"2016-12-31T23:59:60..2016-12-31T23:59:60",
         {"2017-01-01T00:00:00Z"},
         {"2016-12-31T23:59:59"}},
	{"0988..1066", {"1000", "988", "0988-05-01", "1066-12-31"}, {"1067", "0987-12-31"}},
};
static const char *const no_ranges[] = {"", "..", ">", "<", ">=", "<=",
                                        /* Invalid ends, ends of different kinds, or no range. */
                                        "5", "a..b", "5..b", "..b", "a..", ">b", "1990..2000-06x",
                                        "5..2000-06", "10m..", "1kk..", "1i..", "=5", "=<5"};

static void test_ranges(void **state)
{
	struct bs_range range;
	uint8_t room[BS_RANGE_ROOM(100)];
	for (size_t i = 0; i < COUNT(ranges); i++) {
		const char *text = ranges[i].range;
		if (!bs_range_looks_like((const uint8_t *)text, strlen(text)) ||
		    !bs_range_parse((const uint8_t *)text, strlen(text), room, &range))
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
		if (bs_range_parse((const uint8_t *)no_ranges[i], strlen(no_ranges[i]), NULL,
		                   &range))
			fail_msg("%s is a range", no_ranges[i]);
}

RUN_TESTS(test_order, test_format, test_none, test_ranges, test_long, test_long_factors)
