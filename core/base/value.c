/* value.c: see value.h. */
#include "core/base/value.h"

#include <assert.h>
#include <stdio.h>

#include "core/base/date.h"

#define KEY_DIGITS    (BS_VALUE_MOST_DIGITS + 2u)
#define NEAR_EXPONENT 60
/* The maximum absolute exponent in a text (after the e). */
#define MOST_EXPONENT  INT64_C(999999999)
#define DATE_KEY_BYTES 9u

/* A sign, and 0.d1d2d3... * 10^exponent. */
struct decimal {
	bool is_negative;
	int64_t exponent;
	/* The number of digits, without leading and trailing zeros; 0 for the number zero. */
	size_t n_digits;
	/* The values (not the characters) of the first BS_VALUE_MOST_DIGITS digits. If the number
	 * was read from an open key, the digits 0 and 1 follow (value.h). */
	uint8_t digits[KEY_DIGITS];
	/* Further digits, in the text, up to the last nonzero one. NULL: none. */
	const uint8_t *tail;
	size_t tail_bytes;
};

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* Parses [+-] digits, which must fill [at, end). Saturates above MOST_EXPONENT. */
static bool take_exponent(const uint8_t *at, const uint8_t *end, int64_t *exponent_out)
{
	bool is_negative = at < end && *at == '-';
	int64_t exponent = 0;
	at += at < end && (*at == '-' || *at == '+');
	if (at == end)
		return false;
	for (; at < end && is_digit(*at); at++)
		exponent = exponent > MOST_EXPONENT ? exponent : exponent * 10 + (*at - '0');
	*exponent_out = is_negative ? -exponent : exponent;
	return at == end;
}

static bool parse_decimal(const uint8_t *text, size_t text_bytes, struct decimal *decimal)
{
	const uint8_t *at = text, *end = text + text_bytes, *last = text;
	bool has_digit = false, has_point = false;
	size_t n = 0;
	int64_t exponent = 0;
	decimal->is_negative = text_bytes > 0 && *text == '-';
	decimal->exponent = 0;
	decimal->n_digits = 0;
	decimal->tail = NULL;
	at += text_bytes > 0 && (*text == '-' || *text == '+');
	for (; at < end && (is_digit(*at) || (*at == '.' && !has_point)); at++) {
		if (*at == '.') {
			has_point = true;
			continue;
		}
		has_digit = true;
		if (n > 0 || *at != '0') {
			if (n < BS_VALUE_MOST_DIGITS)
				decimal->digits[n] = (uint8_t)(*at - '0');
			else if (n == BS_VALUE_MOST_DIGITS)
				decimal->tail = at;
			n++;
		}
		if (*at != '0') {
			decimal->n_digits = n;
			last = at;
		}
		/* Leading zeros change the exponent only after the decimal point. */
		decimal->exponent += has_point ? -(n == 0) : n > 0;
	}
	if (!has_digit ||
	    (at < end && ((*at != 'e' && *at != 'E') || !take_exponent(at + 1, end, &exponent))))
		return false;
	if (decimal->n_digits <= BS_VALUE_MOST_DIGITS)
		decimal->tail = NULL;
	decimal->tail_bytes = decimal->tail ? (size_t)(last + 1 - decimal->tail) : 0;
	decimal->exponent += exponent;
	return decimal->n_digits == 0 ||
	       (exponent <= MOST_EXPONENT && exponent >= -MOST_EXPONENT &&
	        decimal->exponent <= INT32_MAX && decimal->exponent >= -INT32_MAX);
}

static void begin(struct bs_value *value)
{
	value->n_bytes = 0;
	value->is_behind = false;
	value->tail = NULL;
	value->tail_bytes = 0;
}

static void put(struct bs_value *value, uint8_t byte)
{
	assert(value->n_bytes < BS_VALUE_MOST_BYTES - 1);
	value->bytes[value->n_bytes++] = byte;
}

static void put_u32(struct bs_value *value, uint32_t number)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		put(value, (uint8_t)(number >> shift));
}

static void make_number(const struct decimal *decimal, struct bs_value *value)
{
	uint8_t kind = decimal->is_negative ? BS_VALUE_NEGATIVE : BS_VALUE_POSITIVE;
	int32_t exponent = (int32_t)decimal->exponent;
	size_t n_digits = decimal->tail ? BS_VALUE_MOST_DIGITS : decimal->n_digits;
	begin(value);
	value->tail = decimal->tail;
	value->tail_bytes = decimal->tail_bytes;
	put(value, decimal->n_digits ? kind : BS_VALUE_ZERO);
	if (decimal->n_digits == 0)
		return;
	if (exponent < -NEAR_EXPONENT || exponent > NEAR_EXPONENT) {
		put(value, exponent < 0 ? 0x40 : 0xc0);
		put_u32(value, (uint32_t)exponent + (exponent < 0 ? UINT32_C(1) << 31 : 0));
	} else {
		put(value, (uint8_t)(0x80 + exponent));
	}
	for (size_t i = 0; i < n_digits; i += 2)
		put(value, (uint8_t)(10 * decimal->digits[i] +
		                     (i + 1 < n_digits ? decimal->digits[i + 1] : 0) + 1));
	if (decimal->tail)
		put(value, 0 * 10 + 1 + 1);
	for (uint32_t i = 1; i < value->n_bytes && decimal->is_negative; i++)
		value->bytes[i] = (uint8_t)~value->bytes[i];
	if (decimal->is_negative)
		put(value, 0xff);
}

static void make_date(int64_t us, struct bs_value *value)
{
	uint64_t shifted = (uint64_t)us + (UINT64_C(1) << 63);
	begin(value);
	put(value, BS_VALUE_DATE);
	put_u32(value, (uint32_t)(shifted >> 32));
	put_u32(value, (uint32_t)shifted);
}

static void make_kind(enum bs_value_kind kind, struct bs_value *value)
{
	begin(value);
	put(value, (uint8_t)kind);
}

bool bs_value_parse(const uint8_t *text, size_t text_bytes, struct bs_value *value_out)
{
	struct decimal decimal;
	struct bs_date date;
	/* Fast exit: most texts are words. */
	bool may_be =
		text_bytes > 0 && (is_digit(*text) || *text == '-' || *text == '+' || *text == '.');
	if (may_be && parse_decimal(text, text_bytes, &decimal)) {
		make_number(&decimal, value_out);
		return true;
	}
	if (!may_be || !bs_date_parse_span(text, text_bytes, &date))
		return false;
	make_date(date.first_us, value_out);
	return true;
}

static int compare_tails(const struct bs_value *a, const struct bs_value *b)
{
	const uint8_t *x = a->tail, *y = b->tail, *x_end = x + a->tail_bytes,
		      *y_end = y + b->tail_bytes;
	for (;; x++, y++) {
		x += x < x_end && *x == '.';
		y += y < y_end && *y == '.';
		if (x == x_end || y == y_end)
			return (x < x_end) - (y < y_end);
		if (*x != *y)
			return *x < *y ? -1 : 1;
	}
}

int bs_value_compare(const struct bs_value *a, const struct bs_value *b)
{
	int order = bs_compare_bytes(a->bytes, a->n_bytes, b->bytes, b->n_bytes);
	if (order == 0 && a->tail && b->tail)
		order = a->bytes[0] == BS_VALUE_NEGATIVE ? compare_tails(b, a)
		                                         : compare_tails(a, b);
	return order ? order : (int)a->is_behind - (int)b->is_behind;
}

/* Decodes the key of a number. False if it is invalid. */
static bool read_number(const uint8_t *bytes, size_t n_bytes, struct decimal *decimal)
{
	size_t at = 1;
	uint8_t flip = n_bytes && bytes[0] == BS_VALUE_NEGATIVE ? 0xff : 0;
	decimal->is_negative = flip != 0;
	decimal->exponent = 0;
	decimal->n_digits = decimal->tail_bytes = 0;
	decimal->tail = NULL;
	if (n_bytes == 0 || n_bytes >= BS_VALUE_MOST_BYTES ||
	    (bytes[0] == BS_VALUE_ZERO && n_bytes > 1))
		return false;
	if (bytes[0] == BS_VALUE_ZERO)
		return true;
	if ((!flip && bytes[0] != BS_VALUE_POSITIVE) || n_bytes < 3 + (size_t)(flip != 0) ||
	    (flip && bytes[--n_bytes] != 0xff))
		return false;
	uint8_t head = bytes[at++] ^ flip;
	if (head == 0x40 || head == 0xc0) {
		uint32_t exponent = 0;
		for (int i = 0; i < 4 && at < n_bytes; i++)
			exponent = exponent << 8 | (bytes[at++] ^ flip);
		decimal->exponent = (int32_t)(exponent - (head == 0x40 ? UINT32_C(1) << 31 : 0));
		if (head == 0x40 ? decimal->exponent >= -NEAR_EXPONENT
		                 : decimal->exponent <= NEAR_EXPONENT)
			return false;
	} else {
		decimal->exponent = head - 0x80;
		if (decimal->exponent < -NEAR_EXPONENT || decimal->exponent > NEAR_EXPONENT)
			return false;
	}
	for (; at < n_bytes; at++) {
		uint8_t pair = (uint8_t)((bytes[at] ^ flip) - 1);
		if (pair > 99 || decimal->n_digits + 2 > KEY_DIGITS)
			return false;
		decimal->digits[decimal->n_digits++] = pair / 10;
		decimal->digits[decimal->n_digits++] = pair % 10;
	}
	bool is_padded = decimal->n_digits > 0 && decimal->digits[decimal->n_digits - 1] == 0;
	decimal->n_digits -= is_padded;
	return decimal->n_digits > 0 && decimal->digits[0] > 0 &&
	       decimal->digits[decimal->n_digits - 1] > 0;
}

bool bs_value_is_key(const uint8_t *bytes, size_t n_bytes)
{
	struct decimal decimal;
	if (n_bytes > 0 && bytes[0] == BS_VALUE_DATE)
		return n_bytes == DATE_KEY_BYTES;
	return read_number(bytes, n_bytes, &decimal);
}

bool bs_value_is_open_key(const uint8_t *bytes, size_t n_bytes)
{
	struct decimal decimal;
	/* Only an open key has KEY_DIGITS digits. */
	return n_bytes > BS_VALUE_MOST_DIGITS / 2 && read_number(bytes, n_bytes, &decimal) &&
	       decimal.n_digits == KEY_DIGITS;
}

/* Iterates over the digits of a number to be formatted. */
struct digits {
	const struct decimal *decimal;
	const uint8_t *tail; /* the last digit that was taken from the tail */
	size_t n_taken;
};

static char next_digit(struct digits *digits)
{
	const struct decimal *decimal = digits->decimal;
	size_t n = digits->n_taken++;
	if (n >= decimal->n_digits)
		return '0';
	if (!decimal->tail || n < BS_VALUE_MOST_DIGITS)
		return (char)('0' + decimal->digits[n]);
	digits->tail = n == BS_VALUE_MOST_DIGITS ? decimal->tail : digits->tail + 1;
	digits->tail += *digits->tail == '.';
	return (char)*digits->tail;
}

static enum bs_status format_number(const struct decimal *decimal, struct bs_buffer *out,
                                    struct bs_error *err)
{
	int64_t exponent = decimal->exponent;
	bool is_plain = exponent > -5 && exponent <= 21, has_point = false;
	/* point: number of digits before the decimal point; may be negative. */
	int64_t point = is_plain ? exponent : 1, n_digits = (int64_t)decimal->n_digits;
	struct digits digits = {.decimal = decimal};
	enum bs_status status = bs_buffer_reserve(out, decimal->n_digits + 64, err);
	if (status)
		return status;
	char *at = (char *)out->data + out->used_bytes;
	if (n_digits == 0)
		*at++ = '0';
	if (n_digits > 0 && decimal->is_negative)
		*at++ = '-';
	for (int64_t i = point < 1 ? point - 1 : 0; n_digits > 0 && (i < n_digits || i < point);
	     i++) {
		if (i == point && !has_point) {
			*at++ = '.';
			has_point = true;
		}
		*at++ = i < 0 ? '0' : next_digit(&digits);
	}
	if (n_digits > 0 && !is_plain)
		at += snprintf(at, 16, "e%lld", (long long)exponent - 1);
	out->used_bytes = (size_t)(at - (char *)out->data);
	return BS_OK;
}

enum bs_status bs_value_format(const struct bs_value *value, struct bs_buffer *out,
                               struct bs_error *err)
{
	struct decimal decimal;
	char date[BS_DATE_TEXT_BYTES];
	uint64_t us = 0;
	if (value->bytes[0] != BS_VALUE_DATE) {
		if (!read_number(value->bytes, value->n_bytes, &decimal))
			return BS_OK;
		decimal.tail = value->tail;
		for (size_t i = 0; i < value->tail_bytes; i++)
			decimal.n_digits += value->tail[i] != '.';
		decimal.n_digits -= value->tail ? KEY_DIGITS - BS_VALUE_MOST_DIGITS : 0;
		return format_number(&decimal, out, err);
	}
	for (uint32_t i = 1; i < DATE_KEY_BYTES; i++)
		us = us << 8 | value->bytes[i];
	bs_date_format((int64_t)(us - (UINT64_C(1) << 63)), date);
	return bs_buffer_append(out, date, strlen(date), err);
}

/* Multiplies *decimal by 1024^power, power <= 5. Writes the digits to *room, the unused part of the
 * room of bs_range_parse, and advances *room. *room NULL: does nothing, because the digits are not
 * needed. */
static void multiply(struct decimal *decimal, ptrdiff_t power, uint8_t **room)
{
	struct digits digits = {.decimal = decimal};
	size_t n = decimal->n_digits;
	uint8_t *end = *room ? *room + n + 20 : NULL, *first = *room ? end - n : NULL;
	if (!end || n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		first[i] = (uint8_t)next_digit(&digits);
	for (; power > 0; power--) {
		uint32_t carry = 0;
		for (uint8_t *at = end; at > first || carry > 0; carry /= 10) {
			carry += at > first ? (*(at - 1) - (uint32_t)'0') * 1024 : 0;
			*--at = (uint8_t)('0' + carry % 10);
			first = at < first ? at : first;
		}
	}
	int64_t exponent = decimal->exponent + (end - first) - (int64_t)n;
	bool is_negative = decimal->is_negative;
	(void)parse_decimal(first, (size_t)(end - first), decimal);
	decimal->exponent = exponent;
	decimal->is_negative = is_negative;
	*room = end;
}

/* One end of a range, parsed as a number, as a date, or as both if both are possible. */
struct value_end {
	bool is_there;
	bool is_number;
	bool is_date;
	struct bs_value number;
	struct bs_date date;
};

/* Parses a number with an optional size suffix (10k, 1.5Gi). Each letter of `letters` means 1000
 * times the one before it; with an i, 1024 times. */
static bool parse_sized(const uint8_t *text, size_t text_bytes, uint8_t **room,
                        struct bs_value *value)
{
	static const char letters[] = "kMGTP";
	struct decimal decimal;
	bool is_binary = text_bytes > 1 && text[text_bytes - 1] == 'i';
	size_t n_bytes = text_bytes - is_binary;
	uint8_t letter = n_bytes > 0 ? text[n_bytes - 1] : 0;
	const char *found = letter ? strchr(letters, letter == 'K' ? 'k' : letter) : NULL;
	if ((is_binary && !found) || !parse_decimal(text, n_bytes - (found != NULL), &decimal))
		return false;
	ptrdiff_t power = found ? found - letters + 1 : 0;
	if (is_binary)
		multiply(&decimal, power, room);
	else
		decimal.exponent += 3 * power;
	if (decimal.exponent > INT32_MAX)
		return false;
	make_number(&decimal, value);
	return true;
}

static void take_end(const uint8_t *text, size_t text_bytes, uint8_t **room, struct value_end *end)
{
	end->is_there = true;
	end->is_number = parse_sized(text, text_bytes, room, &end->number);
	end->is_date = bs_date_parse_span(text, text_bytes, &end->date);
}

/* The two ends of a range, as parsed. bs_range_parse turns them into spans of values. */
struct written {
	struct value_end low, high;
	/* True if the end itself is excluded. */
	bool is_low_out, is_high_out;
};

static const uint8_t *find_dots(const uint8_t *text, size_t text_bytes)
{
	for (size_t i = 0; i + 1 < text_bytes; i++)
		if (text[i] == '.' && text[i + 1] == '.')
			return text + i;
	return NULL;
}

static void read_range(const uint8_t *text, size_t text_bytes, uint8_t *room,
                       struct written *written)
{
	const uint8_t *end = text + text_bytes, *dots = find_dots(text, text_bytes);
	*written = (struct written){.is_low_out = false};
	if (text_bytes > 1 && (*text == '>' || *text == '<')) {
		bool is_equal_in = text[1] == '=';
		const uint8_t *at = text + 1 + is_equal_in;
		take_end(at, (size_t)(end - at), &room,
		         *text == '>' ? &written->low : &written->high);
		written->is_low_out = written->is_high_out = !is_equal_in;
	} else if (dots && !(dots + 2 < end && dots[2] == '.')) {
		if (dots > text)
			take_end(text, (size_t)(dots - text), &room, &written->low);
		if (dots + 2 < end)
			take_end(dots + 2, (size_t)(end - dots - 2), &room, &written->high);
	}
}

static void make_numbers(const struct written *written, struct bs_value_span *span)
{
	make_kind(BS_VALUE_NEGATIVE, &span->first);
	make_kind(BS_VALUE_DATE, &span->end);
	if (written->low.is_there)
		span->first = written->low.number;
	if (written->low.is_there && written->is_low_out)
		span->first.is_behind = true;
	if (written->high.is_there)
		span->end = written->high.number;
	if (written->high.is_there && !written->is_high_out)
		span->end.is_behind = true;
}

/* The first year in 1000..9999 that does not begin before `us`; 10000 if none. */
static int first_year(int64_t us)
{
	int low = 1000, high = 10000;
	while (low < high) {
		int middle = (low + high) / 2;
		if (bs_date_year_us(middle) < us)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void make_year(int year, struct bs_value *value)
{
	struct decimal decimal;
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", year);
	(void)parse_decimal((const uint8_t *)text, (size_t)n, &decimal);
	make_number(&decimal, value);
}

void bs_range_of_dates(int64_t first_us, int64_t end_us, struct bs_range *range_out)
{
	struct bs_value_span *dates = &range_out->spans[BS_RANGE_DATES],
			     *numbers = &range_out->spans[BS_RANGE_NUMBERS];
	make_date(first_us, &dates->first);
	make_date(end_us, &dates->end);
	make_year(first_year(first_us), &numbers->first);
	make_year(first_year(end_us), &numbers->end);
}

bool bs_range_parse(const uint8_t *text, size_t text_bytes, uint8_t *room,
                    struct bs_range *range_out)
{
	struct written written;
	read_range(text, text_bytes, room, &written);
	const struct value_end *low = &written.low, *high = &written.high;
	bool is_numbers =
		(!low->is_there || low->is_number) && (!high->is_there || high->is_number);
	bool is_dates = (!low->is_there || low->is_date) && (!high->is_there || high->is_date);
	if ((!low->is_there && !high->is_there) || (!is_numbers && !is_dates))
		return false;
	make_kind(BS_VALUE_DATE, &range_out->spans[BS_RANGE_DATES].first);
	range_out->spans[BS_RANGE_DATES].end = range_out->spans[BS_RANGE_DATES].first;
	if (is_dates)
		bs_range_of_dates(!low->is_there       ? INT64_MIN
		                  : written.is_low_out ? low->date.next_us
		                                       : low->date.first_us,
		                  !high->is_there       ? INT64_MAX
		                  : written.is_high_out ? high->date.first_us
		                                        : high->date.next_us,
		                  range_out);
	if (is_numbers)
		make_numbers(&written, &range_out->spans[BS_RANGE_NUMBERS]);
	return true;
}

bool bs_range_looks_like(const uint8_t *text, size_t text_bytes)
{
	bool is_sign =
		text_bytes > 1 && (memchr("<>=[{", *text, 5) || (text[0] == '!' && text[1] == '='));
	return is_sign ||
	       (text_bytes > 3 && (memcmp(text, "≤", 3) == 0 || memcmp(text, "≥", 3) == 0)) ||
	       find_dots(text, text_bytes);
}

bool bs_range_is_empty(const struct bs_range *range)
{
	bool is_empty = true;
	for (int i = 0; i < BS_RANGE_KINDS; i++)
		is_empty &= bs_value_compare(&range->spans[i].first, &range->spans[i].end) >= 0;
	return is_empty;
}

bool bs_range_has(const struct bs_range *range, const struct bs_value *value)
{
	bool has = false;
	for (int i = 0; i < BS_RANGE_KINDS; i++)
		has |= bs_value_compare(&range->spans[i].first, value) <= 0 &&
		       bs_value_compare(value, &range->spans[i].end) < 0;
	return has;
}
