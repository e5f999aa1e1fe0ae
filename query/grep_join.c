/* grep_join.c: see grep_join.h. */
#include "query/grep_join.h"

#include <string.h>

#include <unicode/utf8.h>

#include "core/icu.h"

static enum bs_status append_fixed(struct bs_buffer *to, const char *pattern, size_t n, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n && !status; i++) {
		if (strchr("\\.+*?()|[]{}^$#&-~", pattern[i]) && pattern[i])
			status = bs_buffer_append(to, "\\", 1, err);
		if (!status)
			status = bs_buffer_append(to, pattern + i, 1, err);
	}
	return status;
}

static enum bs_status append_text(struct bs_buffer *to, const char *text, struct bs_error *err)
{
	return bs_buffer_append(to, text, strlen(text), err);
}

static enum bs_status append_pattern(const struct bs_grep_pattern *pattern, size_t i, struct bs_buffer *to,
                                     struct bs_error *err)
{
	const char *text = pattern->patterns[i];
	size_t n = pattern->pattern_bytes[i];
	enum bs_status status = BS_OK;
	if (i > 0)
		status = append_text(to, "|", err);
	/* One alone gets these afterwards, so that its literal is seen. */
	bool is_line = pattern->is_line && pattern->n_patterns > 1;
	if (!status && is_line)
		status = append_text(to, "^(?:", err);
	if (!status)
		status = pattern->is_fixed ? append_fixed(to, text, n, err) : bs_buffer_append(to, text, n, err);
	if (!status && is_line)
		status = append_text(to, ")$", err);
	return status;
}

static enum bs_status is_upper_case(int32_t code, bool *out, struct bs_error *err)
{
	*out = code >= 'A' && code <= 'Z';
	if (code < 0x80)
		return BS_OK;
	enum bs_status status = bs_icu_load(err);
	*out = !status && bs_icu.u_hasBinaryProperty(code, UCHAR_UPPERCASE);
	return status;
}

/* An upper-case letter that no backslash stands before; but for rg -P, names of groups and properties aside. */
enum bs_status bs_grep_has_upper_case(const uint8_t *text, size_t n, bool is_pcre2, bool *has_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*has_out = false;
	for (size_t i = 0; i < n && !*has_out && !status;) {
		UChar32 code;
		int32_t at = (int32_t)i;
		if (text[i] == '\\') {
			bool is_property = !is_pcre2 && i + 2 < n && (text[i + 1] | 0x20) == 'p' && text[i + 2] == '{';
			const uint8_t *close = is_property ? memchr(text + i, '}', n - i) : NULL;
			bool is_letter = !is_pcre2 && i + 1 < n && (text[i + 1] | 0x20) == 'p';
			i = close ? (size_t)(close - text) + 1 : i + 2 + is_letter;
			continue;
		}
		if (!is_pcre2 && n - i > 4 && (memcmp(text + i, "(?P<", 4) == 0)) {
			const uint8_t *close = memchr(text + i, '>', n - i);
			i = close ? (size_t)(close - text) + 1 : n;
			continue;
		}
		U8_NEXT(text, at, (int32_t)n, code);
		i = (size_t)at;
		status = is_upper_case(code, has_out, err);
	}
	return status;
}

static bool is_valid_utf8(const uint8_t *text, size_t n)
{
	for (int32_t at = 0; at < (int32_t)n;) {
		UChar32 code;
		U8_NEXT(text, at, (int32_t)n, code);
		if (code < 0)
			return false;
	}
	return true;
}

enum bs_status bs_grep_join(const struct bs_grep_pattern *pattern, struct bs_buffer *to, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < pattern->n_patterns && !status; i++) {
		if (!is_valid_utf8((const uint8_t *)pattern->patterns[i], pattern->pattern_bytes[i]))
			return bs_fail(err, BS_INVALID, "the pattern is not valid UTF-8");
		status = append_pattern(pattern, i, to, err);
	}
	return status;
}
