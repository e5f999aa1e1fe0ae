/* error.c: the texts of errors and statuses. See error.h. */
#include "core/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/bitsift/escape.h"

/* Copies `from` with terminal controls escaped, so that hostile file names cannot forge or split a
 * line of output. is_cut: `from` is a truncated text and may end within a character. */
static void copy_visible(char *to, size_t to_bytes, const char *from, bool is_cut)
{
	size_t used = 0, n = strlen(from);
	while (is_cut && n > 0 && ((unsigned char)from[n - 1] & 0xc0) == 0x80)
		n--;
	n -= is_cut && n > 0 && (unsigned char)from[n - 1] >= 0xc0;
	for (size_t at = 0; at < n;) {
		char shown[BS_MAX_ESCAPE_BYTES + 1];
		size_t n_shown = bs_escape_next((const uint8_t *)from, n, &at, shown);
		if (used + n_shown >= to_bytes)
			break;
		memcpy(to + used, shown, n_shown);
		used += n_shown;
	}
	to[used] = '\0';
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
	copy_visible(err->text, sizeof(err->text), raw, n_bytes >= (int)sizeof(raw));
	return status;
}

enum bs_status bs_fail_memory(struct bs_error *err, const char *what,
                              unsigned long long wanted_bytes)
{
	return bs_fail(err, BS_NO_MEMORY, "out of memory: %s (%llu bytes)", what, wanted_bytes);
}

enum bs_status bs_check_reserved(const struct bs_reserved *parts, size_t n_parts,
                                 struct bs_error *err)
{
	for (size_t part = 0; part < n_parts; part++)
		for (size_t i = 0; i < parts[part].n_fields; i++)
			if (parts[part].fields[i] != 0)
				return bs_fail(err, BS_UNSUPPORTED,
				               "%s: a reserved field is not zero: it was not "
				               "initialised, or the "
				               "program was built for a later library",
				               parts[part].struct_name);
	return BS_OK;
}

const char *bs_status_name(enum bs_status status)
{
	static const char *const names[] = {
		[BS_OK] = "ok",
		[BS_INVALID] = "invalid",
		[BS_NO_MEMORY] = "out of memory",
		[BS_IO] = "input/output error",
		[BS_NOT_FOUND] = "not found",
		[BS_CORRUPT] = "corrupt",
		[BS_UNSUPPORTED] = "unsupported",
		[BS_BUSY] = "busy",
		[BS_STOPPED] = "stopped",
		[BS_UNTRUSTED] = "not trusted",
		[BS_DEADLINE] = "out of time",
	};
	if ((unsigned)status < sizeof(names) / sizeof(*names))
		return names[status];
	return "unknown";
}
