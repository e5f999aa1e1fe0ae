/* text_lines.h: the bounds of lines in a text, and stretches of lines beyond ASCII. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/simd/kernels.h"

/* Lines with bytes beyond ASCII are matched together, in a stretch of lines. The stretch continues
 * after a line if fewer than BS_GREP_OPAQUE_GAP_BYTES are between the end of this line and the next
 * byte beyond ASCII. It ends with the line in which it reaches BS_GREP_OPAQUE_STRETCH_BYTES. */
#define BS_GREP_OPAQUE_GAP_BYTES     ((size_t)256)
#define BS_GREP_OPAQUE_STRETCH_BYTES ((size_t)65536)

/* The end of the line that contains text[at], after its line end; `end` if it has none. */
static inline size_t bs_grep_line_end(const uint8_t *text, size_t at, size_t end, uint8_t line_end)
{
	const uint8_t *found =
		at < end ? (const uint8_t *)memchr(text + at, line_end, end - at) : NULL;
	return found ? (size_t)(found - text) + 1 : end;
}

/* The start of the line that contains text[at], but not before `from`. */
static inline size_t bs_grep_line_start(const uint8_t *text, size_t from, size_t at,
                                        uint8_t line_end)
{
	const uint8_t *found =
		at > from ? (const uint8_t *)memrchr(text + from, line_end, at - from) : NULL;
	return found ? (size_t)(found - text) + 1 : from;
}

/* The end of a stretch of lines that begins at text[from] and is searched together because its
 * lines contain bytes beyond ASCII, the first of which is text[opaque]. */
static inline size_t bs_grep_opaque_end(const struct bs_kernel *kernel, const uint8_t *text,
                                        size_t from, size_t opaque, size_t end, uint8_t line_end)
{
	size_t at = bs_grep_line_end(text, opaque, end, line_end);
	while (at < end && at - from < BS_GREP_OPAQUE_STRETCH_BYTES) {
		size_t limit =
			end - at < BS_GREP_OPAQUE_GAP_BYTES ? end : at + BS_GREP_OPAQUE_GAP_BYTES;
		size_t next = kernel->text.find_opaque(text, at, limit, false);
		if (next == limit)
			break;
		at = bs_grep_line_end(text, next, end, line_end);
	}
	return at;
}
