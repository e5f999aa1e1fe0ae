/* status.c: the text of errors. See status.h. */
#include "core/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Replaces control characters, so that hostile file names cannot forge or split a message line. is_cut: from is only
 * the beginning of a longer text. */
static void copy_printable(char *to, size_t to_bytes, const char *from, bool is_cut)
{
	size_t used = 0;
	for (; *from; from++) {
		unsigned char c = (unsigned char)*from;
		if (c >= 0x20 && c != 0x7f) {
			if (used + 1 >= to_bytes)
				break;
			to[used++] = (char)c;
		} else {
			if (used + 4 >= to_bytes)
				break;
			snprintf(to + used, 5, "\\x%02x", c);
			used += 4;
		}
	}
	to[used] = '\0';
	if (!*from && !is_cut)
		return;
	/* Cut: drop the continuation bytes, and the lead byte, of a character that no longer fits. */
	while (used > 0 && ((unsigned char)to[used - 1] & 0xc0) == 0x80)
		to[--used] = '\0';
	if (used > 0 && (unsigned char)to[used - 1] >= 0xc0)
		to[--used] = '\0';
}

enum bs_status bs_fail(struct bs_error *err, enum bs_status status, const char *format, ...)
{
	if (!err)
		return status;
	char raw[sizeof(err->text)];
	va_list args;
	va_start(args, format);
	int n_bytes = vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	copy_printable(err->text, sizeof(err->text), raw, n_bytes >= (int)sizeof(raw));
	return status;
}

enum bs_status bs_fail_memory(struct bs_error *err, const char *what, unsigned long long wanted_bytes)
{
	return bs_fail(err, BS_NO_MEMORY, "out of memory: %s (%llu bytes)", what, wanted_bytes);
}

enum bs_status bs_check_reserved(const char *name, const uint64_t *reserved, size_t n, struct bs_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (reserved[i] != 0)
			return bs_fail(err, BS_UNSUPPORTED, "%s: a reserved field is not zero: it was not initialised, or the "
			               "program was built for a later library", name);
	return BS_OK;
}

const char *bs_status_name(enum bs_status status)
{
	switch (status) {
	case BS_OK:
		return "ok";
	case BS_INVALID:
		return "invalid";
	case BS_NO_MEMORY:
		return "out of memory";
	case BS_IO:
		return "input/output error";
	case BS_NOT_FOUND:
		return "not found";
	case BS_CORRUPT:
		return "corrupt";
	case BS_UNSUPPORTED:
		return "unsupported";
	case BS_BUSY:
		return "busy";
	case BS_STOPPED:
		return "stopped";
	case BS_UNTRUSTED:
		return "not trusted";
	}
	return "unknown";
}
