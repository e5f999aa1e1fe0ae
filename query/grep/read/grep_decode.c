/* grep_decode.c: see grep_decode.h. */
#include "query/grep/read/grep_decode.h"

#include <string.h>
#include <strings.h>

#include "core/base/utf8.h"
#include "core/system/icu.h"
#include "corpus/walk/file.h"
#include "query/regex/text.h"

static const uint8_t utf8_mark[BS_GREP_MARK_BYTES] = {0xef, 0xbb, 0xbf};

/*
 * The WHATWG's encodings: their labels, the most similar ICU converter, and its differences:
 * characters to be replaced by others (fixes), a byte that ICU regards as invalid (odd_byte) with
 * its character, and control characters that are invalid.
 */
#define OWN(of, words)                            \
	{                                         \
		.labels = (words), .coding = (of) \
	}
#define BY_ICU(name, words, ...)                                    \
	{                                                           \
		.labels = (words), .converter = (name), __VA_ARGS__ \
	}
static const struct coding {
	const char *labels, *converter; /* converter NULL: not converted by ICU */
	enum bs_grep_coding coding;     /* if converter is NULL */
	struct {
		uint16_t from, to;
	} fixes[20]; /* ends with a zero */
	uint8_t odd_byte;
	uint16_t odd_character;
	bool has_no_controls; /* U+0080 to U+009F are invalid */
} codings[] = {
	OWN(BS_GREP_CODING_UTF8,
            "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"),
	OWN(BS_GREP_CODING_UTF16LE,
            "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"),
	OWN(BS_GREP_CODING_UTF16BE, "unicodefffe utf-16be"),
	OWN(BS_GREP_CODING_LATIN1,
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
            "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 "
            "x-cp1252"),
	OWN(BS_GREP_CODING_USER_DEFINED, "x-user-defined"),
	BY_ICU("ibm-866", "866 cp866 csibm866 ibm866"),
	BY_ICU("iso-8859-2",
               "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 "
               "latin2"),
	BY_ICU("iso-8859-3",
               "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 "
               "latin3"),
	BY_ICU("iso-8859-4",
               "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 "
               "latin4"),
	BY_ICU("iso-8859-5",
               "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 "
               "iso_8859-5:1988"),
	BY_ICU("iso-8859-6",
               "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 "
               "iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 "
               "iso_8859-6:1987"),
	BY_ICU("iso-8859-7", "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 "
                             "iso8859-7 iso88597 "
                             "iso_8859-7 iso_8859-7:1987 sun_eu_greek"),
	BY_ICU("iso-8859-8",
               "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e "
               "iso-8859-8-i "
               "iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 logical visual"),
	BY_ICU("iso-8859-10", "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
	BY_ICU("iso-8859-13", "iso-8859-13 iso8859-13 iso885913"),
	BY_ICU("iso-8859-14", "iso-8859-14 iso8859-14 iso885914"),
	BY_ICU("iso-8859-15", "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"),
	BY_ICU("iso-8859-16", "iso-8859-16"),
	BY_ICU("koi8-r", "cskoi8r koi koi8 koi8-r koi8_r"),
	BY_ICU("koi8-u", "koi8-ru koi8-u", .fixes = {{0x255d, 0x45e}, {0x256c, 0x40e}}),
	BY_ICU("macintosh", "csmacintosh mac macintosh x-mac-roman"),
	BY_ICU("ibm-1162", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"),
	BY_ICU("windows-1250", "cp1250 windows-1250 x-cp1250"),
	BY_ICU("windows-1251", "cp1251 windows-1251 x-cp1251"),
	BY_ICU("windows-1253", "cp1253 windows-1253 x-cp1253", .fixes = {{0xaa, 0xfffd}}),
	BY_ICU("windows-1254",
               "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
               "iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254"),
	BY_ICU("windows-1255", "cp1255 windows-1255 x-cp1255", .odd_byte = 0xca,
               .odd_character = 0x5ba),
	BY_ICU("windows-1256", "cp1256 windows-1256 x-cp1256"),
	BY_ICU("windows-1257", "cp1257 windows-1257 x-cp1257"),
	BY_ICU("windows-1258", "cp1258 windows-1258 x-cp1258"),
	BY_ICU("x-mac-cyrillic", "x-mac-cyrillic x-mac-ukrainian"),
	/* The fixes after the first are characters that GB 18030 moved in 2022. */
	BY_ICU("gb18030",
               "chinese csgb2312 csiso58gb231280 gb18030 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 "
               "x-gbk",
               .fixes = {{0xe5e5, 0x3000},
                         {0xe78d, 0xfe10},
                         {0xe78e, 0xfe12},
                         {0xe78f, 0xfe11},
                         {0xe790, 0xfe13},
                         {0xe791, 0xfe14},
                         {0xe792, 0xfe15},
                         {0xe793, 0xfe16},
                         {0xe794, 0xfe17},
                         {0xe795, 0xfe18},
                         {0xe796, 0xfe19},
                         {0xe81e, 0x9fb4},
                         {0xe826, 0x9fb5},
                         {0xe82b, 0x9fb6},
                         {0xe82c, 0x9fb7},
                         {0xe832, 0x9fb8},
                         {0xe843, 0x9fb9},
                         {0xe854, 0x9fba},
                         {0xe864, 0x9fbb}},
               .odd_byte = 0x80, .odd_character = 0x20ac),
	BY_ICU("big5-hkscs", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
	BY_ICU("euc-jp", "cseucpkdfmtjapanese euc-jp x-euc-jp", .has_no_controls = true),
	BY_ICU("iso-2022-jp", "csiso2022jp iso-2022-jp"),
	/* IBM's converter swaps three control characters; fixes undo this. */
	BY_ICU("ibm-943_P15A-2003",
               "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
               .fixes = {{0x1c, 0x1a}, {0x7f, 0x1c}, {0x1a, 0x7f}}, .odd_byte = 0x80,
               .odd_character = 0x80),
	BY_ICU("windows-949",
               "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
               "ksc5601 "
               "ksc_5601 windows-949",
               .has_no_controls = true),
};

enum bs_status bs_grep_coding_find(const char *name, enum bs_grep_coding *coding_out,
                                   struct bs_error *err)
{
	static const char space[] = " \t\n\f\r";
	struct bs_grep_decoder decoder = {.converter = NULL};
	const char *label = name + strspn(name, space);
	size_t n = strlen(label);
	while (n > 0 && strchr(space, label[n - 1]))
		n--;
	*coding_out = strcmp(name, "none") == 0 ? BS_GREP_CODING_NONE : BS_GREP_CODING_AUTO;
	if (*coding_out == BS_GREP_CODING_NONE || strcmp(name, "auto") == 0)
		return BS_OK;
	for (size_t i = 0; n > 0 && i < sizeof(codings) / sizeof(*codings); i++) {
		if (!bs_text_has_word(codings[i].labels, label, n))
			continue;
		*coding_out = codings[i].converter ? (enum bs_grep_coding)(BS_GREP_CODING_ICU + i)
		                                   : codings[i].coding;
		/* Fails here, before a file is opened, if ICU lacks the converter. */
		enum bs_status status = bs_grep_decoder_start(&decoder, *coding_out, err);
		bs_grep_decoder_deinit(&decoder);
		return status;
	}
	return bs_fail(err, BS_UNSUPPORTED, "--encoding %s: not known; see bitsift-grep(1)", name);
}

enum bs_grep_coding bs_grep_coding_sniff(const uint8_t *bytes, size_t n_bytes,
                                         enum bs_grep_coding coding, size_t *mark_bytes_out)
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
	return n_bytes < BS_GREP_MARK_BYTES &&
	       (memcmp(bytes, utf8_mark, n_bytes) == 0 || (n_bytes == 1 && bytes[0] >= 0xfe));
}

/* The longest invalid sequence that ICU passes to the callback. */
#define MOST_INVALID_BYTES 32

/* Replaces an invalid sequence by U+FFFD, and odd_byte by odd_character. Keeps ASCII bytes after
 * the first byte of the sequence. */
static void replace_invalid(const void *context, UConverterToUnicodeArgs *args, const char *bytes,
                            int32_t n_bytes, UConverterCallbackReason reason, UErrorCode *error)
{
	const struct coding *coding = context;
	UChar characters[MOST_INVALID_BYTES + 1];
	int32_t n = 0;
	if (reason > UCNV_IRREGULAR)
		return;
	bool is_odd = n_bytes == 1 && coding->odd_byte && (uint8_t)bytes[0] == coding->odd_byte;
	characters[n++] = is_odd ? coding->odd_character : 0xfffd;
	for (int32_t i = 1; i < n_bytes && n <= MOST_INVALID_BYTES; i++)
		if ((uint8_t)bytes[i] < 0x80)
			characters[n++] = (UChar)bytes[i];
	*error = U_ZERO_ERROR;
	bs_icu.ucnv_cbToUWriteUChars(args, characters, n, 0, error);
}

static enum bs_status refuse(const struct coding *coding, UErrorCode error, struct bs_error *err)
{
	return error == U_MEMORY_ALLOCATION_ERROR
	               ? bs_fail_memory(err, "a decoder", 0)
	               : bs_fail(err, BS_UNSUPPORTED, "--encoding: this ICU has no %s: %s",
	                         coding->converter, bs_icu.u_errorName(error));
}

enum bs_status bs_grep_decoder_start(struct bs_grep_decoder *decoder, enum bs_grep_coding coding,
                                     struct bs_error *err)
{
	UErrorCode error = U_ZERO_ERROR;
	decoder->coding = coding;
	decoder->is_at_start = true;
	if (coding < BS_GREP_CODING_ICU)
		return BS_OK;
	if (decoder->converter && decoder->converter_coding == coding) {
		bs_icu.ucnv_reset(decoder->converter);
		return BS_OK;
	}
	const struct coding *row = &codings[coding - BS_GREP_CODING_ICU];
	enum bs_status status = bs_icu_load(err);
	if (status)
		return status;
	if (decoder->converter)
		bs_icu.ucnv_close(decoder->converter);
	decoder->converter = bs_icu.ucnv_open(row->converter, &error);
	decoder->converter_coding = coding;
	if (U_SUCCESS(error))
		bs_icu.ucnv_setToUCallBack(decoder->converter, replace_invalid, row, NULL, NULL,
		                           &error);
	if (U_FAILURE(error))
		return refuse(row, error, err);
	bs_icu.ucnv_setFallback(decoder->converter, true);
	return BS_OK;
}

void bs_grep_decoder_deinit(struct bs_grep_decoder *decoder)
{
	if (decoder->converter)
		bs_icu.ucnv_close(decoder->converter);
	decoder->converter = NULL;
	bs_buffer_deinit(&decoder->decoded);
}

/* Returns the length of the character at text or, if it is invalid or incomplete, of the longest
 * beginning of a valid character. *is_valid: it is a complete character. */
static size_t utf8_length(const uint8_t *text, size_t n, bool *is_valid)
{
	int32_t at = 0;
	UChar32 code;
	U8_NEXT(text, at, (int32_t)(n < 4 ? n : 4), code);
	*is_valid = code >= 0;
	return (size_t)at;
}

/* The length of from[0..n) without an incomplete character at its end. */
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

static enum bs_status decode_utf8(const uint8_t *from, size_t n, struct bs_buffer *out,
                                  struct bs_error *err)
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

/* The characters of 0x80..0x9f in windows-1252; 0: unchanged. */
static const uint16_t cp1252[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                    0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

/* Decodes an encoding of single bytes. */
static enum bs_status decode_bytes(enum bs_grep_coding coding, const uint8_t *from, size_t n,
                                   struct bs_buffer *to, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(to, 3 * n, err);
	if (status)
		return status;
	size_t used = to->used_bytes;
	for (size_t i = 0; i < n; i++) {
		uint32_t code = from[i];
		if (coding == BS_GREP_CODING_USER_DEFINED)
			code += code >= 0x80 ? 0xf700 : 0;
		else if (code >= 0x80 && code < 0xa0 && cp1252[code - 0x80])
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

/* Appends UTF-16, which is valid except that the last character may be incomplete. *left_out: the
 * number of units of this character, which are not appended. */
static enum bs_status put_units(const struct coding *coding, const UChar *units, int32_t n,
                                int32_t *left_out, struct bs_buffer *to, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(to, 3 * (size_t)n, err);
	size_t used = to->used_bytes;
	*left_out = n > 0 && U16_IS_LEAD(units[n - 1]);
	for (int32_t at = 0; at < n - *left_out && !status;) {
		uint32_t code = units[at++];
		if (U16_IS_LEAD(code))
			code = ((code & 0x3ff) << 10) + (units[at++] & 0x3ffu) + 0x10000;
		for (size_t i = 0; coding->fixes[i].from; i++)
			if (code == coding->fixes[i].from) {
				code = coding->fixes[i].to;
				break;
			}
		if (coding->has_no_controls && code >= 0x80 && code < 0xa0)
			code = 0xfffd;
		U8_APPEND_UNSAFE(to->data, used, code);
	}
	to->used_bytes = used;
	return status;
}

/* Decodes with ICU. The converter itself keeps an incomplete character at the end. */
static enum bs_status decode_by_icu(struct bs_grep_decoder *decoder, const uint8_t *from, size_t n,
                                    bool is_last, struct bs_buffer *to, struct bs_error *err)
{
	const struct coding *coding = &codings[decoder->coding - BS_GREP_CODING_ICU];
	const char *at = (const char *)from, *end = at + n;
	UChar units[2048];
	int32_t left = 0;
	enum bs_status status = BS_OK;
	UErrorCode error = U_BUFFER_OVERFLOW_ERROR;
	while (!status && error == U_BUFFER_OVERFLOW_ERROR) {
		UChar *next = units + left;
		error = U_ZERO_ERROR;
		bs_icu.ucnv_toUnicode(decoder->converter, &next,
		                      units + sizeof(units) / sizeof(*units), &at, end, NULL,
		                      is_last, &error);
		if (U_FAILURE(error) && error != U_BUFFER_OVERFLOW_ERROR)
			return refuse(coding, error, err);
		status = put_units(coding, units, (int32_t)(next - units), &left, to, err);
		units[0] = left ? next[-1] : 0;
	}
	return status;
}

/* *skipped_out: the length of a byte order mark of the encoding at the start of the text. False:
 * more bytes are needed to decide. */
static bool skip_mark(struct bs_grep_decoder *decoder, const uint8_t *from, size_t n_bytes,
                      bool is_last, size_t *skipped_out)
{
	static const uint8_t little[] = {0xff, 0xfe}, big[] = {0xfe, 0xff};
	enum bs_grep_coding coding = decoder->coding;
	const uint8_t *mark = coding == BS_GREP_CODING_UTF16LE   ? little
	                      : coding == BS_GREP_CODING_UTF16BE ? big
	                                                         : utf8_mark;
	size_t mark_bytes = coding == BS_GREP_CODING_UTF8 ? sizeof(utf8_mark) : sizeof(big);
	bool is_mark = decoder->is_at_start &&
	               memcmp(from, mark, n_bytes < mark_bytes ? n_bytes : mark_bytes) == 0;
	*skipped_out = is_mark && n_bytes >= mark_bytes ? mark_bytes : 0;
	if (is_mark && n_bytes < mark_bytes && !is_last)
		return false;
	decoder->is_at_start = false;
	return true;
}

enum bs_status bs_grep_decode(struct bs_grep_decoder *decoder, const uint8_t *from, size_t n_bytes,
                              bool is_last, size_t *taken_out, struct bs_buffer *out,
                              struct bs_error *err)
{
	enum bs_grep_coding coding = decoder->coding;
	bool is_big = coding == BS_GREP_CODING_UTF16BE,
	     is_utf16 = is_big || coding == BS_GREP_CODING_UTF16LE;
	size_t skipped = 0;
	*taken_out = 0;
	if ((is_utf16 || coding == BS_GREP_CODING_UTF8) &&
	    !skip_mark(decoder, from, n_bytes, is_last, &skipped))
		return BS_OK;
	from += skipped;
	n_bytes -= skipped;
	size_t n = n_bytes;
	if (!is_last && coding == BS_GREP_CODING_UTF8)
		n = whole_utf8(from, n_bytes);
	else if (!is_last && is_utf16)
		n = whole_utf16(from, n_bytes, is_big);
	*taken_out = skipped + n;
	if (coding >= BS_GREP_CODING_ICU)
		return decode_by_icu(decoder, from, n, is_last, out, err);
	if (n == 0)
		return BS_OK;
	if (coding == BS_GREP_CODING_UTF8)
		return decode_utf8(from, n, out, err);
	if (!is_utf16)
		return decode_bytes(coding, from, n, out, err);
	enum bs_status status = bs_file_decode_utf16(from, n, is_big, &decoder->decoded, err);
	return status ? status
	              : bs_buffer_append(out, decoder->decoded.data, decoder->decoded.used_bytes,
	                                 err);
}
