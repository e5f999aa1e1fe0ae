/* text.h: a writer that appends text to a buffer, and functions for words and lists of strings. */
#pragma once

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/base/buffer.h"

/* Sticky: after the first failure nothing is appended. */
struct bs_text_writer {
	struct bs_buffer *out;
	enum bs_status status; /* BS_OK, or the first failure */
	struct bs_error *err;
};

static inline void bs_text_put(struct bs_text_writer *writer, const void *bytes, size_t n_bytes)
{
	if (!writer->status)
		writer->status = bs_buffer_append(writer->out, bytes, n_bytes, writer->err);
}

static inline void bs_text_put_string(struct bs_text_writer *writer, const char *string)
{
	bs_text_put(writer, string, strlen(string));
}

/* True for ASCII letters, digits and _. */
static inline bool bs_is_ascii_word(uint32_t c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* The length of text[0..n_bytes), shortened to `most` bytes without cutting a character. The text
 * is valid UTF-8. */
static inline size_t bs_text_excerpt(const uint8_t *text, size_t n_bytes, size_t most)
{
	size_t n = n_bytes < most ? n_bytes : most;
	while (n > 0 && n < n_bytes && (text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* True if the blank-separated words contain this one, in any letter case. */
static inline bool bs_text_has_word(const char *words, const char *word, size_t n_bytes)
{
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == n_bytes && n > 0 && strncasecmp(words, word, n) == 0)
			return true;
	}
	return false;
}

/* The length of a NULL-ended list; 0 for NULL. */
static inline size_t bs_text_list_length(const char *const *list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	return n;
}
