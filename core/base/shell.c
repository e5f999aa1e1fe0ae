/* shell.c: quotes commands for a shell, and adds them to errors. See bitsift/terminal.h. */
#include "core/bitsift/terminal.h"

#include <stdio.h>
#include <string.h>

#include "core/bitsift/escape.h"

struct shell_text {
	char *to;
	/* to_bytes: room at `to`; used_bytes: length of the text, even if it does not fit. */
	size_t to_bytes, used_bytes;
};

/* Adds bytes to the text's length, and writes them if they fit. */
static void put(struct shell_text *text, const char *bytes, size_t n_bytes)
{
	if (text->used_bytes + n_bytes < text->to_bytes)
		memcpy(text->to + text->used_bytes, bytes, n_bytes);
	text->used_bytes += n_bytes;
}

/* True if the character at *at is invalid UTF-8 or a terminal control; bs_fail would write it as
 * \xNN. Advances *at. */
static bool is_unprintable(const char *word, size_t n_bytes, size_t *at)
{
	int32_t c = bs_utf8_next((const uint8_t *)word, n_bytes, at);
	return c < 0 || bs_is_terminal_control(c);
}

/* Writes the inside of $'...'. Octal escapes have three digits, so that a following digit is not
 * read as part of them. */
static void put_escaped(struct shell_text *text, const char *word)
{
	size_t n_bytes = strlen(word);
	for (size_t at = 0; at < n_bytes;) {
		size_t from = at;
		char code[8];
		bool is_hidden = is_unprintable(word, n_bytes, &at);
		for (size_t i = from; is_hidden && i < at; i++)
			put(text, code,
			    (size_t)snprintf(code, sizeof(code), "\\%03o",
			                     (unsigned)(unsigned char)word[i]));
		if (is_hidden)
			continue;
		if (word[from] == '\'' || word[from] == '\\')
			put(text, "\\", 1);
		put(text, word + from, at - from);
	}
}

static void put_word(struct shell_text *text, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+@%-";
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
