/* printable.c: see printable.h. Error messages are escaped by bs_fail (core/base/error.c), which
 * needs neither a buffer nor ICU. */
#include "core/text/printable.h"

#include <string.h>
#include <unicode/utf8.h>

#include "core/bitsift/escape.h"
#include "core/system/icu.h"

bool bs_is_white_space(int32_t code_point)
{
	if (code_point < 0x80)
		return code_point == ' ' || (code_point >= '\t' && code_point <= '\r');
	return bs_icu.u_isUWhiteSpace(code_point);
}

size_t bs_display_columns_beyond(int32_t c)
{
	if (bs_is_terminal_control(c))
		return 1;
	uint32_t type = U_MASK(bs_icu.u_charType(c));
	int syllable = bs_icu.u_getIntPropertyValue(c, UCHAR_HANGUL_SYLLABLE_TYPE);
	if (type & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK) || syllable == U_HST_VOWEL_JAMO ||
	    syllable == U_HST_TRAILING_JAMO)
		return 0;
	int width = bs_icu.u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
	return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

enum bs_status bs_escape_append(struct bs_buffer *out, const void *text, size_t text_bytes,
                                struct bs_error *err)
{
	enum bs_status status = BS_OK;
	char shown[BS_MAX_ESCAPE_BYTES + 1];
	for (size_t at = 0; at < text_bytes && !status;)
		status = bs_buffer_append(out, shown, bs_escape_next(text, text_bytes, &at, shown),
		                          err);
	return status;
}

enum bs_status bs_printable_append(struct bs_buffer *out, int32_t code_point, struct bs_error *err)
{
	UChar32 c = code_point;
	/* Control characters: C0 and DEL, C1. */
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		c = 0xfffd;
	uint8_t bytes[U8_MAX_LENGTH];
	size_t n_bytes = 0;
	U8_APPEND_UNSAFE(bytes, n_bytes, (uint32_t)c);
	return bs_buffer_append(out, bytes, n_bytes, err);
}

enum bs_status bs_printable_append_own(struct bs_buffer *out, const char *text,
                                       struct bs_error *err)
{
	return text ? bs_buffer_append(out, text, strlen(text), err) : BS_OK;
}

enum bs_status bs_utf8_characters(const uint8_t *text, size_t text_bytes, uint64_t n,
                                  size_t *end_out, struct bs_error *err)
{
	UErrorCode code = U_ZERO_ERROR;
	int32_t end = 0;
	*end_out = 0;
	enum bs_status status = bs_icu_load(err);
	if (status)
		return status;
	UText *wrapped =
		bs_icu.utext_openUTF8(NULL, (const char *)text, (int64_t)text_bytes, &code);
	UBreakIterator *characters = bs_icu.ubrk_open(UBRK_CHARACTER, "", NULL, 0, &code);
	bs_icu.ubrk_setUText(characters, wrapped, &code);
	for (uint64_t i = 0; i < n && U_SUCCESS(code); i++) {
		int32_t next = bs_icu.ubrk_next(characters);
		if (next == UBRK_DONE)
			break;
		end = next;
	}
	bs_icu.ubrk_close(characters);
	bs_icu.utext_close(wrapped);
	if (U_FAILURE(code))
		return bs_fail(err, BS_UNSUPPORTED, "ICU finds no characters: %s",
		               bs_icu.u_errorName(code));
	*end_out = (size_t)end;
	return BS_OK;
}
