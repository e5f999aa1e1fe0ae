/* grep_decode.c: see grep_decode.h. */
#include "query/grep/grep_decode.h"

#include <string.h>
#include <strings.h>

#include <unicode/utf8.h>

#include "corpus/walk/file.h"
#include "query/regex/text.h"

static const uint8_t utf8_mark[BS_GREP_MARK_BYTES] = {0xef, 0xbb, 0xbf};

enum bs_status bs_grep_coding_find(const char *name, enum bs_grep_coding *coding_out, struct bs_error *err)
{
	static const struct {
		const char *name;
		enum bs_grep_coding coding;
	} codings[] = {
		{"auto", BS_GREP_CODING_AUTO},         {"none", BS_GREP_CODING_NONE},
		{"utf-8", BS_GREP_CODING_UTF8},        {"utf8", BS_GREP_CODING_UTF8},
		{"utf-16", BS_GREP_CODING_UTF16LE},    {"utf-16le", BS_GREP_CODING_UTF16LE},
		{"utf-16be", BS_GREP_CODING_UTF16BE},  {"latin1", BS_GREP_CODING_LATIN1},
		{"iso-8859-1", BS_GREP_CODING_LATIN1}, {"windows-1252", BS_GREP_CODING_LATIN1},
		{"ascii", BS_GREP_CODING_LATIN1},
	};
	for (size_t i = 0; i < sizeof(codings) / sizeof(*codings); i++) {
		if (strcasecmp(name, codings[i].name) == 0) {
			*coding_out = codings[i].coding;
			return BS_OK;
		}
	}
	return bs_fail(err, BS_UNSUPPORTED, "--encoding %s: not known; see bitsift-grep(1)", name);
}

enum bs_grep_coding bs_grep_coding_sniff(const uint8_t *bytes, size_t n_bytes, enum bs_grep_coding coding,
                                         size_t *mark_bytes_out)
{
	*mark_bytes_out = 0;
	if (coding == BS_GREP_CODING_NONE)
		return coding;
	if (n_bytes >= sizeof(utf8_mark) && memcmp(bytes, utf8_mark, sizeof(utf8_mark)) == 0) {
		*mark_bytes_out = sizeof(utf8_mark);
		return coding;
	}
	if (bs_file_is_utf16(bytes, n_bytes)) {
		*mark_bytes_out = 2;
		return bytes[0] == 0xff ? BS_GREP_CODING_UTF16LE : BS_GREP_CODING_UTF16BE;
	}
	return coding;
}

bool bs_grep_coding_may_be_mark(const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes < BS_GREP_MARK_BYTES && (memcmp(bytes, utf8_mark, n_bytes) == 0 ||
	                                        (n_bytes == 1 && bytes[0] >= 0xfe));
}

void bs_grep_decoder_deinit(struct bs_grep_decoder *decoder)
{
	bs_buffer_deinit(&decoder->marked);
	bs_buffer_deinit(&decoder->decoded);
}

/* The bytes of the character at text (valid, or the longest beginning of one) and whether it is valid. */
static size_t utf8_length(const uint8_t *text, size_t n, bool *is_valid)
{
	int32_t at = 0;
	UChar32 code;
	U8_NEXT(text, at, (int32_t)(n < 4 ? n : 4), code);
	*is_valid = code >= 0;
	return (size_t)at;
}

/* Where the characters of from[0..n) end that need nothing of what follows. */
static size_t whole_utf8(const uint8_t *from, size_t n)
{
	bool is_valid;
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		const uint8_t *lead = from + n - back;
		if (U8_IS_LEAD(*lead) && back <= (size_t)U8_COUNT_TRAIL_BYTES_UNSAFE(*lead) &&
		    utf8_length(lead, back, &is_valid) == back)
			return n - back;
	}
	return n;
}

static enum bs_status decode_utf8(const uint8_t *from, size_t n, struct bs_buffer *out, struct bs_error *err)
{
	struct bs_text_writer to = {.out = out, .err = err};
	size_t valid = 0;
	if (bs_text_is_utf8(from, n))
		return bs_buffer_append(out, from, n, err);
	for (size_t at = 0; at < n && !to.status;) {
		bool is_valid = true;
		size_t length = from[at] < 0x80 ? 1 : utf8_length(from + at, n - at, &is_valid);
		if (!is_valid) {
			bs_text_put(&to, from + valid, at - valid);
			bs_text_put_string(&to, "\xef\xbf\xbd");
			valid = at + length;
		}
		at += length;
	}
	bs_text_put(&to, from + valid, n - valid);
	return to.status;
}

/* What 0x80..0x9f are in windows-1252; 0: themselves. */
static const uint16_t cp1252[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                    0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

static enum bs_status decode_latin1(const uint8_t *from, size_t n, struct bs_buffer *to, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(to, 3 * n, err);
	if (status)
		return status;
	size_t used = to->used_bytes;
	for (size_t i = 0; i < n; i++) {
		uint32_t code = from[i];
		if (code >= 0x80 && code < 0xa0 && cp1252[code - 0x80])
			code = cp1252[code - 0x80];
		U8_APPEND_UNSAFE(to->data, used, code);
	}
	to->used_bytes = used;
	return BS_OK;
}

static size_t whole_utf16(const uint8_t *from, size_t n, bool is_big)
{
	size_t whole = n & ~(size_t)1;
	return whole > 0 && (from[whole - (is_big ? 2 : 1)] & 0xfc) == 0xd8 ? whole - 2 : whole;
}

/* With a mark before them, which bs_file_transcode() wants. */
static enum bs_status decode_utf16(struct bs_grep_decoder *decoder, const uint8_t *from, size_t n, struct bs_buffer *to,
                                   struct bs_error *err)
{
	bool is_big = decoder->coding == BS_GREP_CODING_UTF16BE;
	bs_buffer_clear(&decoder->marked);
	enum bs_status status = bs_buffer_append(&decoder->marked, is_big ? "\xfe\xff" : "\xff\xfe", 2, err);
	if (!status)
		status = bs_buffer_append(&decoder->marked, from, n, err);
	if (!status)
		status = bs_file_transcode(decoder->marked.data, decoder->marked.used_bytes, &decoder->decoded, err);
	return status ? status : bs_buffer_append(to, decoder->decoded.data, decoder->decoded.used_bytes, err);
}

enum bs_status bs_grep_decode(struct bs_grep_decoder *decoder, const uint8_t *from, size_t n_bytes, bool is_last,
                              size_t *taken_out, struct bs_buffer *out, struct bs_error *err)
{
	enum bs_grep_coding coding = decoder->coding;
	size_t n = n_bytes;
	if (!is_last && coding == BS_GREP_CODING_UTF8)
		n = whole_utf8(from, n_bytes);
	else if (!is_last && coding != BS_GREP_CODING_LATIN1)
		n = whole_utf16(from, n_bytes, coding == BS_GREP_CODING_UTF16BE);
	*taken_out = n;
	if (n == 0)
		return BS_OK;
	if (coding == BS_GREP_CODING_UTF8)
		return decode_utf8(from, n, out, err);
	if (coding == BS_GREP_CODING_LATIN1)
		return decode_latin1(from, n, out, err);
	return decode_utf16(decoder, from, n, out, err);
}
