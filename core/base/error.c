/* error.c: the text of errors. See error.h. */
#include "core/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/visible.h"
#include "core/bitsift/terminal.h"

/* Replaces what a terminal might obey, so that hostile file names cannot forge or split a message line. is_cut: from is
 * only the beginning of a longer text, and may end within a character. */
static void copy_visible(char *to, size_t to_bytes, const char *from, bool is_cut)
{
	size_t used = 0, n = strlen(from);
	while (is_cut && n > 0 && ((unsigned char)from[n - 1] & 0xc0) == 0x80)
		n--;
	n -= is_cut && n > 0 && (unsigned char)from[n - 1] >= 0xc0;
	for (size_t at = 0; at < n;) {
		char shown[BS_VISIBLE_MOST_BYTES + 1];
		size_t n_shown = bs_visible_escape_next((const uint8_t *)from, n, &at, shown);
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

enum bs_status bs_fail_memory(struct bs_error *err, const char *what, unsigned long long wanted_bytes)
{
	return bs_fail(err, BS_NO_MEMORY, "out of memory: %s (%llu bytes)", what, wanted_bytes);
}

struct shell_text {
	char *to;
	size_t to_bytes, used_bytes; /* used_bytes: wanted so far, whether they fit or not */
};

static void put(struct shell_text *text, const char *bytes, size_t n_bytes)
{
	if (text->used_bytes + n_bytes < text->to_bytes)
		memcpy(text->to + text->used_bytes, bytes, n_bytes);
	text->used_bytes += n_bytes;
}

/* Whether the next character, from *at on, would not come through a message unchanged. */
static bool is_unprintable(const char *word, size_t n_bytes, size_t *at)
{
	int32_t c = bs_visible_next((const uint8_t *)word, n_bytes, at);
	return c < 0 || bs_visible_is_obeyed(c);
}

/* Inside $'...'; octal numbers end after three digits. */
static void put_escaped(struct shell_text *text, const char *word)
{
	size_t n_bytes = strlen(word);
	for (size_t at = 0; at < n_bytes;) {
		size_t from = at;
		char code[8];
		bool is_hidden = is_unprintable(word, n_bytes, &at);
		for (size_t i = from; is_hidden && i < at; i++)
			put(text, code, (size_t)snprintf(code, sizeof(code), "\\%03o", (unsigned)(unsigned char)word[i]));
		if (is_hidden)
			continue;
		if (word[from] == '\'' || word[from] == '\\')
			put(text, "\\", 1);
		put(text, word + from, at - from);
	}
}

static void put_word(struct shell_text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+@%-";
	size_t n_bytes = strlen(word);
	bool is_hidden = false;
	if (n_bytes > 0 && strspn(word, plain) == n_bytes) {
		put(text, word, n_bytes);
		return;
	}
	for (size_t at = 0; at < n_bytes && !is_hidden;)
		is_hidden = is_unprintable(word, n_bytes, &at);
	put(text, "$'", 2 * is_hidden);
	put(text, "'", !is_hidden);
	if (is_hidden)
		put_escaped(text, word);
	for (const char *at = word; !is_hidden && *at;) {
		size_t n = strcspn(at, "'");
		put(text, at, n);
		put(text, "'\\''", at[n] ? 4 : 0);
		at += n + (at[n] != '\0');
	}
	put(text, "'", 1);
}

size_t bs_shell_command(const char *const *words, char *to, size_t to_bytes)
{
	struct shell_text text = {to, to_bytes, 0};
	for (size_t i = 0; words[i]; i++) {
		put(&text, " ", i > 0);
		put_word(&text, words[i]);
	}
	if (to_bytes > 0)
		to[text.used_bytes < to_bytes ? text.used_bytes : 0] = '\0';
	return text.used_bytes;
}

void bs_advise(struct bs_error *err, const char *lead, const char *const *words)
{
	char command[sizeof(err->text)];
	size_t used_bytes = err ? strlen(err->text) : sizeof(err->text);
	size_t n_bytes = strlen(lead) + bs_shell_command(words, command, sizeof(command));
	if (*command && used_bytes + n_bytes < sizeof(err->text))
		stpcpy(stpcpy(err->text + used_bytes, lead), command);
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
