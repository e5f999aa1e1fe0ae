/* rust_write.c: see rust_write.h. */
#include "query/regex/rust/rust_write.h"

#include <stdio.h>
#include <stdlib.h>

#include <unicode/utf8.h>

#include "core/bitsift/status.h"
#include "core/system/deadline.h"
#include "query/regex/rust/unicode_property.h"

static void put(struct bs_rust_writer *writer, const char *text)
{
	bs_text_put_string(&writer->to, text);
}

static void put_number(struct bs_text_writer *to, const char *format, uint32_t number)
{
	char text[32];
	snprintf(text, sizeof(text), format, number);
	bs_text_put_string(to, text);
}

static bool is_letter(uint32_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Writes a character, in a class or outside one. is_byte: c is a single byte, in a pattern that is
 * compiled without PCRE2_UTF. */
static void put_code(struct bs_text_writer *to, uint32_t c, bool is_byte)
{
	char text[2] = {(char)c, '\0'};
	if (bs_is_ascii_word(c))
		bs_text_put_string(to, text);
	else if (c == '\n' || c == '\r' || c == '\t')
		bs_text_put_string(to, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
	else if (c < 0x20 || c == 0x7f || c >= 0x80)
		put_number(to, is_byte ? "\\x%02x" : "\\x{%x}", c);
	else {
		bs_text_put_string(to, strchr("\\.+*?()|[]{}^$#&-~:=", (int)c) ? "\\" : "");
		bs_text_put_string(to, text);
	}
}

static void put_range(struct bs_text_writer *to, uint32_t first, uint32_t last, bool is_byte)
{
	put_code(to, first, is_byte);
	if (last > first + 1)
		bs_text_put_string(to, "-");
	if (last > first)
		put_code(to, last, is_byte);
}

/* True if the pattern is compiled without PCRE2_UTF. */
static bool is_by_bytes(const struct bs_rust_writer *writer)
{
	return writer->form != BS_RUST_CHARACTERS || !writer->initial.unicode;
}

bool bs_rust_is_several(const struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                        uint32_t c)
{
	return c >= 0x80 && (is_by_bytes(writer) || !flags->unicode);
}

/* Notes that a part may match beyond ASCII (is_opaque): characters or, without flags->unicode,
 * bytes. */
static void note(struct bs_rust_writer *writer, const struct bs_rust_flags *flags, bool is_opaque)
{
	writer->has_characters |= flags->unicode && is_opaque;
	writer->has_bytes |= !flags->unicode && is_opaque;
}

/*
 * The form of bytes.
 *
 * A set becomes a tree of the UTF-8 of its characters. Ranges of bytes with the same continuation
 * are merged: \x{800}-\x{fff} is \xe0(?:[\xa0-\xbf](?:[\x80-\xbf])).
 */

static void put_byte_range(struct bs_text_writer *to, uint32_t first, uint32_t last)
{
	bs_text_put_string(to, first < last ? "[" : "");
	put_range(to, first, last, true);
	bs_text_put_string(to, first < last ? "]" : "");
}

/* Writes a class of the last UTF-8 bytes of the set's characters in base..base + 63; nothing if the
 * set has none of them. */
static void put_leaf(struct bs_text_writer *to, struct bs_char_set *set, uint32_t base)
{
	bool is_open = false;
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t first = i;
		while (i < 64 && bs_char_set_has(set, base + i))
			i++;
		if (i == first)
			continue;
		bs_text_put_string(to, is_open ? "" : "[");
		is_open = true;
		put_range(to, 0x80 + first, 0x80 + i - 1, true);
	}
	bs_text_put_string(to, is_open ? "]" : "");
}

static bool has_any(struct bs_char_set *set, uint32_t first, uint32_t last)
{
	size_t low = 0, high = bs_char_set_n(set);
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (set->ranges.items[middle].last < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low < bs_char_set_n(set) && set->ranges.items[low].first <= last;
}

#define LEAF_NS 500u /* estimated time of put_leaf */

static void put_blocks(struct bs_text_writer *to, struct bs_char_set *set, uint32_t base,
                       unsigned n_more, uint32_t first_byte, uint32_t last_byte, uint32_t least);

/* The 64^n_more characters from base on differ only in the last n_more bytes of their UTF-8. Writes
 * these bytes of those that the set contains. */
static void put_rest(struct bs_text_writer *to, struct bs_char_set *set, uint32_t base,
                     unsigned n_more, uint32_t least)
{
	if (!has_any(set, base, base + (UINT32_C(1) << (6 * n_more)) - 1))
		return;
	if (n_more == 1) {
		to->status = to->status ? to->status : bs_deadline_check_after(LEAF_NS, to->err);
		put_leaf(to, set, base);
		return;
	}
	put_blocks(to, set, base, n_more - 1, 0x80, 0xbf, least);
}

/* Writes alternatives for the bytes first_byte..last_byte, each followed by n_more bytes. The
 * characters of first_byte begin at base. least: the first character that needs this number of
 * bytes; the UTF-8 of a smaller one would be overlong. */
static void put_blocks(struct bs_text_writer *to, struct bs_char_set *set, uint32_t base,
                       unsigned n_more, uint32_t first_byte, uint32_t last_byte, uint32_t least)
{
	struct bs_buffer before = {0}, now = {0};
	struct bs_text_writer rest = {.out = &now, .err = to->err};
	uint32_t first = first_byte, step = UINT32_C(1) << (6 * n_more);
	bool has_one = false;
	for (uint32_t byte = first_byte; byte <= last_byte + 1 && !to->status; byte++) {
		uint32_t from = base + (byte - first_byte) * step;
		bs_buffer_clear(&now);
		if (byte <= last_byte && from + step > least)
			put_rest(&rest, set, from, n_more, least);
		to->status = rest.status;
		if (bs_buffer_equals(&now, &before) && byte <= last_byte)
			continue;
		if (before.used_bytes) {
			bs_text_put_string(to, has_one ? "|" : "(?:");
			has_one = true;
			put_byte_range(to, first, byte - 1);
			bs_text_put(to, before.data, before.used_bytes);
		}
		struct bs_buffer swapped = before;
		before = now;
		now = swapped;
		first = byte;
	}
	bs_text_put_string(to, has_one ? ")" : "");
	bs_buffer_deinit(&before);
	bs_buffer_deinit(&now);
}

/* The lengths of characters beyond ASCII in UTF-8. first, last: the lead bytes. least: the first
 * character of this length. base: the first character that the lead byte `first` can express.
 * n_more: the number of continuation bytes. */
static const struct {
	uint32_t first, last, least, base;
	unsigned n_more;
} lengths[] = {
	{0xc2, 0xdf, 0x80, 0x80, 1},
	{0xe0, 0xef, 0x800, 0, 2},
	{0xf0, 0xf4, 0x10000, 0, 3},
};

/* Writes the characters whose UTF-8 has 2 + i bytes, as one item. False: there are none. */
static bool put_of_length(struct bs_text_writer *to, struct bs_char_set *set, size_t i)
{
	size_t n = to->out->used_bytes;
	put_blocks(to, set, lengths[i].base, lengths[i].n_more, lengths[i].first, lengths[i].last,
	           lengths[i].least);
	return to->out->used_bytes > n;
}

/* Writes the bytes up to `last` that are in the set, as a class. False: there are none. */
static bool put_single_bytes(struct bs_text_writer *to, struct bs_char_set *set, uint32_t last)
{
	bool is_open = false;
	for (size_t i = 0; i < bs_char_set_n(set); i++) {
		struct bs_char_range range = set->ranges.items[i];
		if (range.first > last)
			break;
		bs_text_put_string(to, is_open ? "" : "[");
		is_open = true;
		put_range(to, range.first, range.last < last ? range.last : last, true);
	}
	bs_text_put_string(to, is_open ? "]" : "");
	return is_open;
}

void bs_rust_define(struct bs_text_writer *to, struct bs_buffer *defined, size_t start)
{
	uint32_t n = 0;
	size_t n_bytes = to->out->used_bytes - start, at = 0;
	while (at < defined->used_bytes && !to->status) {
		size_t length = strlen((const char *)defined->data + at);
		if (length == n_bytes &&
		    memcmp(defined->data + at, to->out->data + start, n_bytes) == 0)
			break;
		at += length + 1;
		n++;
	}
	if (at == defined->used_bytes && !to->status)
		to->status = bs_buffer_append(defined, to->out->data + start, n_bytes, to->err);
	if (at + n_bytes == defined->used_bytes && !to->status)
		to->status = bs_buffer_append(defined, "", 1, to->err);
	if (!to->status)
		to->out->used_bytes = start;
	put_number(to, "(?&bitsift_set_%u)", n);
}

uint32_t bs_rust_put_defined(struct bs_text_writer *to, const struct bs_buffer *defined)
{
	uint32_t n = 0;
	for (size_t at = 0; at < defined->used_bytes && !to->status; n++) {
		const char *text = (const char *)defined->data + at;
		put_number(to, "(?<bitsift_set_%u>", n);
		bs_text_put_string(to, text);
		bs_text_put_string(to, ")");
		at += strlen(text) + 1;
	}
	return n;
}

static void define_if_called(struct bs_rust_writer *writer, size_t start)
{
	if (writer->calls)
		bs_rust_define(&writer->to, &writer->definitions, start);
}

#define LARGE_BYTES 64u /* a longer text becomes a definition */

void bs_rust_put_never(struct bs_rust_writer *writer)
{
	put(writer, writer->form == BS_RUST_LINEAR ? "[^\\x00-\\xff]" : "(?!)");
}

/* Writes the UTF-8 of a set of characters. */
static void put_as_bytes(struct bs_rust_writer *writer, struct bs_char_set *set)
{
	struct bs_text_writer *to = &writer->to;
	size_t start = to->out->used_bytes;
	bool has_one = false;
	size_t n_lengths = writer->is_ascii ? 0 : sizeof(lengths) / sizeof(*lengths);
	put(writer, "(?:");
	has_one = put_single_bytes(to, set, 0x7f);
	for (size_t i = 0; i < n_lengths && !to->status; i++) {
		size_t n = to->out->used_bytes;
		bs_text_put_string(to, has_one ? "|" : "");
		if (put_of_length(to, set, i))
			has_one = true;
		else
			to->out->used_bytes = n;
	}
	if (!to->status && !has_one)
		to->out->used_bytes = start;
	if (has_one)
		put(writer, ")");
	else
		bs_rust_put_never(writer);
	if (writer->form == BS_RUST_BYTES && !to->status &&
	    to->out->used_bytes - start > LARGE_BYTES)
		bs_rust_define(to, &writer->definitions, start);
}

/* How Rust's engine finds the character before a position: of the four bytes before the position,
 * the last one that is not a continuation byte begins the character. Continuation bytes after the
 * character are ignored. */
#define C "[\\x80-\\xbf]"
#define BEFORE(one, two, three, four)                                                   \
	one "|" one C "|" one C C "|" one C C C "|" two "|" two C "|" two C C "|" three \
	    "|" three C "|" four
#define ASCII_WORD "[0-9A-Z_a-z]"
#define ASCII      "[\\x00-\\x7f]"
#define WORD_BEFORE \
	BEFORE(ASCII_WORD, "(?&bitsift_word2)", "(?&bitsift_word3)", "(?&bitsift_word4)")
#define WORD_AFTER "(?:" ASCII_WORD "|(?&bitsift_word2)|(?&bitsift_word3)|(?&bitsift_word4))"
#define ANY_BEFORE BEFORE(ASCII, "(?&bitsift_any2)", "(?&bitsift_any3)", "(?&bitsift_any4)")
#define ANY        "(?:" ASCII "|(?&bitsift_any2)|(?&bitsift_any3)|(?&bitsift_any4))"
/* The start of the text, or a valid character before. */
#define VALID_BEFORE "(?:(?<![\\x00-\\xff])|(?<=" ANY_BEFORE "))"
/* The end of the text, or a valid character after. */
#define VALID_AFTER "(?:(?![\\x00-\\xff])|(?=" ANY "))"

void bs_rust_put_definitions(struct bs_rust_writer *writer)
{
	struct bs_char_set words = {.err = writer->to.err}, any = {.err = writer->to.err};
	if (writer->form != BS_RUST_BYTES ||
	    (!writer->uses_words && !writer->uses_any && !writer->definitions.used_bytes))
		return;
	if (writer->uses_words)
		bs_unicode_perl_class('w', &words);
	bs_char_set_add(&any, 0, BS_CODE_MAX);
	writer->to.status = writer->to.status ? writer->to.status
	                    : words.status    ? words.status
	                                      : any.status;
	put(writer, "(?(DEFINE)");
	for (uint32_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		if (writer->uses_words) {
			put_number(&writer->to, "(?<bitsift_word%u>", i + 2);
			put_of_length(&writer->to, &words, i);
			put(writer, ")");
		}
		if (writer->uses_any) {
			put_number(&writer->to, "(?<bitsift_any%u>", i + 2);
			put_of_length(&writer->to, &any, i);
			put(writer, ")");
		}
	}
	(void)bs_rust_put_defined(&writer->to, &writer->definitions);
	put(writer, ")");
	bs_char_set_deinit(&words);
	bs_char_set_deinit(&any);
}

static void put_char_as_bytes(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                              uint32_t c, bool is_byte)
{
	struct bs_char_set set = {.err = writer->to.err};
	uint8_t bytes[4];
	size_t n = 0;
	bool folds = flags->caseless && (flags->unicode ? c >= 0x80 || is_letter(c) : is_letter(c));
	if (folds) {
		bs_char_set_add(&set, c, c);
		bs_char_set_fold(&set, !flags->unicode);
		writer->to.status = writer->to.status ? writer->to.status : set.status;
	}
	if (folds && !writer->to.status &&
	    (bs_char_set_n(&set) > 1 || set.ranges.items[0].first < set.ranges.items[0].last)) {
		put_as_bytes(writer, &set);
	} else if (is_byte) {
		put_code(&writer->to, c, true);
	} else if (writer->is_ascii && c >= 0x80) {
		bs_rust_put_never(writer);
	} else {
		U8_APPEND_UNSAFE(bytes, n, c);
		for (size_t i = 0; i < n; i++)
			put_code(&writer->to, bytes[i], true);
	}
	bs_char_set_deinit(&set);
}

void bs_rust_put_char(struct bs_rust_writer *writer, const struct bs_rust_flags *flags, uint32_t c,
                      bool is_byte)
{
	bool follows_reference = writer->follows_reference;
	writer->follows_reference = false;
	is_byte &= !flags->unicode && c >= 0x80 && c <= 0xff;
	note(writer, flags, is_byte || (flags->unicode && c >= 0x80));
	/* With Unicode, k and s have other cases beyond ASCII. */
	bool is_far = is_letter(c) && strchr("kKsS", (int)c) && flags->caseless;
	writer->has_characters |= is_far && flags->unicode;
	if (writer->form != BS_RUST_CHARACTERS) {
		put_char_as_bytes(writer, flags, c, is_byte);
	} else if (c >= 0x80 && !is_byte) {
		uint8_t bytes[4];
		size_t n = 0;
		U8_APPEND_UNSAFE(bytes, n, c);
		put(writer, flags->caseless && !flags->unicode ? "(?-i:" : "");
		bs_text_put(&writer->to, bytes, n);
		put(writer, flags->caseless && !flags->unicode ? ")" : "");
	} else if (is_far && !flags->unicode) {
		put(writer, (c | 0x20) == 'k' ? "(?-i:[Kk])" : "(?-i:[Ss])");
	} else if (follows_reference && c >= '0' && c <= '9') {
		put_number(&writer->to, "\\x%02x", c);
	} else {
		put_code(&writer->to, c, is_byte);
	}
}

/* The characters that a dot does not match. */
static const char *dot_ends(const struct bs_rust_flags *flags)
{
	return flags->dot_all ? "" : flags->crlf ? "\\n\\r" : "\\n";
}

static void put_linear_dot(struct bs_rust_writer *writer, const struct bs_rust_flags *flags)
{
	struct bs_char_set set = {.err = writer->to.err}, ends = {.err = writer->to.err};
	bs_char_set_add(&set, 0, flags->unicode ? BS_CODE_MAX : BS_BYTE_MAX);
	if (!flags->dot_all)
		bs_char_set_add(&ends, '\n', '\n');
	if (!flags->dot_all && flags->crlf)
		bs_char_set_add(&ends, '\r', '\r');
	bs_char_set_subtract(&set, &ends);
	writer->to.status = writer->to.status ? writer->to.status
	                    : ends.status     ? ends.status
	                                      : set.status;
	if (!writer->to.status)
		bs_rust_put_set(writer, flags, &set);
	bs_char_set_deinit(&set);
	bs_char_set_deinit(&ends);
}

void bs_rust_put_dot(struct bs_rust_writer *writer, const struct bs_rust_flags *flags)
{
	writer->follows_reference = false;
	note(writer, flags, true);
	if (writer->form == BS_RUST_CHARACTERS) {
		if (flags->dot_all || flags->crlf == writer->initial.crlf)
			put(writer, ".");
		else
			put(writer, flags->crlf ? "[^\\n\\r]" : "[^\\n]");
		return;
	}
	if (writer->form == BS_RUST_LINEAR) {
		put_linear_dot(writer, flags);
		return;
	}
	const char *ends = writer->strips_cr && flags->dot_all ? "\\r"
	                   : writer->strips_cr                 ? "\\n\\r"
	                                                       : dot_ends(flags);
	size_t start = writer->to.out->used_bytes;
	writer->uses_any |= flags->unicode;
	if (*ends) {
		put(writer, "(?![");
		put(writer, ends);
		put(writer, "])");
	}
	put(writer, flags->unicode ? ANY : "[\\x00-\\xff]");
	define_if_called(writer, start);
}

static void put_perl_set(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                         char letter)
{
	struct bs_char_set set = {.err = writer->to.err};
	bs_unicode_perl_class((char)(letter | 0x20), &set);
	if (!(letter & 0x20))
		bs_char_set_negate(&set, BS_CODE_MAX);
	writer->to.status = writer->to.status ? writer->to.status : set.status;
	if (!writer->to.status)
		bs_rust_put_set(writer, flags, &set);
	bs_char_set_deinit(&set);
}

void bs_rust_put_perl(struct bs_rust_writer *writer, const struct bs_rust_flags *flags, char letter)
{
	char text[] = {'\\', letter, '\0'};
	bool is_negated = !(letter & 0x20);
	writer->follows_reference = false;
	if (!flags->unicode) {
		const char *ranges = (letter | 0x20) == 'd'   ? "0-9]"
		                     : (letter | 0x20) == 's' ? "\\t-\\r ]"
		                                              : "0-9A-Z_a-z]";
		note(writer, flags, is_negated);
		put(writer, writer->form == BS_RUST_BYTES && writer->strips_cr
		                    ? (is_negated || (letter | 0x20) == 's' ? "(?!\\r)" : "")
		                    : "");
		/* With PCRE2_CASELESS and PCRE2_UTF, k and s would also match U+212A and U+017F. */
		put(writer, flags->caseless ? "(?-i:" : "");
		put(writer, is_negated ? "[^" : "[");
		put(writer, ranges);
		put(writer, flags->caseless ? ")" : "");
		return;
	}
	note(writer, flags, true);
	if (writer->form == BS_RUST_CHARACTERS) {
		put(writer, text);
	} else if (writer->form == BS_RUST_BYTES && (letter | 0x20) == 'w') {
		size_t start = writer->to.out->used_bytes;
		writer->uses_words = true;
		writer->uses_any |= is_negated;
		put(writer, is_negated && writer->strips_cr ? "(?!\\r)" : "");
		put(writer, is_negated ? "(?!" WORD_AFTER ")" ANY : WORD_AFTER);
		define_if_called(writer, start);
	} else {
		put_perl_set(writer, flags, letter);
	}
}

void bs_rust_put_members(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                         const struct bs_rust_member *members, size_t n, bool is_negated)
{
	writer->follows_reference = false;
	writer->has_characters = true;
	put(writer, is_negated ? "[^" : "[");
	/* In PCRE2 10.42, a negated class of one letter with several other cases, such as
	 * (?i)[^k], matches invalid characters, too. Therefore the letter is written twice. */
	if (is_negated && n == 1 && !members->letter && members->first == members->last &&
	    flags->caseless)
		put_code(&writer->to, members->first, false);
	for (size_t i = 0; i < n; i++) {
		char text[] = {'\\', members[i].letter, '\0'};
		if (members[i].letter)
			put(writer, text);
		else
			put_range(&writer->to, members[i].first, members[i].last, false);
	}
	put(writer, "]");
}

/* Writes a set for a search by characters. A set that contains the last code point is written as
 * the negation of the others, which are usually few and ASCII. */
static void put_as_characters(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                              struct bs_char_set *set)
{
	struct bs_char_set others = {.err = writer->to.err};
	uint32_t max = flags->unicode ? BS_CODE_MAX : BS_BYTE_MAX;
	bool is_negated = bs_char_set_has(set, max);
	if (is_negated) {
		bs_char_set_unite(&others, set);
		bs_char_set_negate(&others, max);
		writer->to.status = writer->to.status ? writer->to.status : others.status;
	}
	struct bs_char_set *written = is_negated ? &others : set;
	put(writer, flags->caseless ? "(?-i:" : "");
	if (bs_char_set_n(written) == 0)
		put(writer, is_negated ? "(?s:.)" : "(?!)");
	else
		put(writer, is_negated ? "[^" : "[");
	for (size_t i = 0; i < bs_char_set_n(written) && !writer->to.status; i++)
		put_range(&writer->to, written->ranges.items[i].first,
		          written->ranges.items[i].last, !flags->unicode);
	put(writer, bs_char_set_n(written) ? "]" : "");
	put(writer, flags->caseless ? ")" : "");
	bs_char_set_deinit(&others);
}

void bs_rust_put_set(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                     struct bs_char_set *set)
{
	size_t n = bs_char_set_n(set);
	writer->follows_reference = false;
	note(writer, flags, n > 0 && set->ranges.items[n - 1].last >= 0x80);
	if (writer->form == BS_RUST_CHARACTERS) {
		put_as_characters(writer, flags, set);
		return;
	}
	put(writer, writer->strips_cr && bs_char_set_has(set, '\r') ? "(?:(?!\\r)" : "");
	if (flags->unicode)
		put_as_bytes(writer, set);
	else if (!put_single_bytes(&writer->to, set, BS_BYTE_MAX))
		bs_rust_put_never(writer);
	put(writer, writer->strips_cr && bs_char_set_has(set, '\r') ? ")" : "");
}

/* The assertions about words by place: in the form of characters, in the form of bytes, and without
 * Unicode (words of ASCII). */
static const char *const word_places[][3] = {
	[BS_RUST_WORD_BOUNDARY] = {"\\b",
                                   "(?:(?<=" WORD_BEFORE ")(?!" WORD_AFTER ")|(?<!" WORD_BEFORE
                                   ")(?=" WORD_AFTER "))",
                                   "(?:(?<=" ASCII_WORD ")(?!" ASCII_WORD ")|(?<!" ASCII_WORD
                                   ")(?=" ASCII_WORD "))"},
	[BS_RUST_NOT_WORD_BOUNDARY] = {"\\B",
                                       "(?:" VALID_BEFORE VALID_AFTER "(?:(?<=" WORD_BEFORE
                                       ")(?=" WORD_AFTER ")|(?<!" WORD_BEFORE ")(?!" WORD_AFTER
                                       ")))",
                                       "(?:(?<=" ASCII_WORD ")(?=" ASCII_WORD ")|(?<!" ASCII_WORD
                                       ")(?!" ASCII_WORD "))"},
	[BS_RUST_WORD_START] = {"(?<!\\w)(?=\\w)", "(?<!" WORD_BEFORE ")(?=" WORD_AFTER ")",
                                "(?<!" ASCII_WORD ")(?=" ASCII_WORD ")"},
	[BS_RUST_WORD_END] = {"(?<=\\w)(?!\\w)", "(?<=" WORD_BEFORE ")(?!" WORD_AFTER ")",
                              "(?<=" ASCII_WORD ")(?!" ASCII_WORD ")"},
	[BS_RUST_WORD_START_HALF] = {"(?<!\\w)", VALID_BEFORE "(?<!" WORD_BEFORE ")",
                                     "(?<!" ASCII_WORD ")"},
	[BS_RUST_WORD_END_HALF] = {"(?!\\w)", VALID_AFTER "(?!" WORD_AFTER ")",
                                   "(?!" ASCII_WORD ")"},
};

static void put_word_place(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                           enum bs_rust_place place)
{
	bool sees_validity = place == BS_RUST_NOT_WORD_BOUNDARY ||
	                     place == BS_RUST_WORD_START_HALF || place == BS_RUST_WORD_END_HALF;
	bool is_by_bytes = writer->form == BS_RUST_BYTES;
	note(writer, flags, flags->unicode);
	/* Without Unicode, the three assertions of sees_validity also match within the UTF-8 of a
	 * character. */
	writer->has_bytes |= !flags->unicode && sees_validity;
	writer->sees_validity |= flags->unicode;
	writer->uses_words |= is_by_bytes && flags->unicode;
	writer->uses_any |= is_by_bytes && flags->unicode && sees_validity;
	if (writer->form == BS_RUST_LINEAR) {
		writer->is_beyond_linear |=
			place > BS_RUST_NOT_WORD_BOUNDARY || (flags->unicode && !writer->is_ascii);
		put(writer, place == BS_RUST_WORD_BOUNDARY ? "\\b" : "\\B");
		return;
	}
	size_t start = writer->to.out->used_bytes;
	put(writer, flags->caseless && !flags->unicode ? "(?-i:" : "");
	put(writer, word_places[place][!flags->unicode ? 2 : is_by_bytes ? 1 : 0]);
	put(writer, flags->caseless && !flags->unicode ? ")" : "");
	define_if_called(writer, start);
}

void bs_rust_put_place(struct bs_rust_writer *writer, const struct bs_rust_flags *flags,
                       enum bs_rust_place place)
{
	bool is_line = place == BS_RUST_LINE_START || place == BS_RUST_LINE_END;
	bool is_start = place == BS_RUST_LINE_START || place == BS_RUST_TEXT_START;
	writer->follows_reference = false;
	if (place >= BS_RUST_WORD_BOUNDARY)
		put_word_place(writer, flags, place);
	else if (!is_line || !flags->multi_line)
		put(writer, is_start ? "\\A" : "\\z");
	else if (writer->form == BS_RUST_LINEAR && flags->crlf)
		writer->is_beyond_linear = true;
	else if (flags->crlf == writer->initial.crlf)
		/* To PCRE2, ^ and $ also match between \r and \n. */
		put(writer, !flags->crlf ? (is_start ? "^" : "$")
		            : is_start   ? "(?:^(?!(?<=\\r)\\n))"
		                         : "(?:$(?!(?<=\\r)\\n))");
	else if (flags->crlf)
		put(writer, is_start ? "(?:\\A|(?<=\\n)|(?<=\\r)(?!\\n))"
		                     : "(?:\\z|(?=\\r)|(?<!\\r)(?=\\n))");
	else
		put(writer, is_start ? "(?:\\A|(?<=\\n))" : "(?:\\z|(?=\\n))");
}
