/* grep_path.c: see grep_path.h. Links are OSC 8 sequences; their form and encoding are those of
 * ripgrep 15. */
#include "query/grep/print/grep_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitsift/status.h"
#include "core/text/printable.h"
#include "corpus/walk/file.h"
#include "query/regex/text.h"

static const char reset[] = "\033[0m", link_start[] = "\033]8;;", link_stop[] = "\033\\";

void bs_grep_path_append(const struct bs_grep_program *program, const char *path,
                         struct bs_text_writer *to)
{
	/* The common case: the path is printed verbatim. */
	if (!*program->colors.path && !program->is_terminal && !program->has_path_separator) {
		bs_text_put_string(to, path);
		return;
	}
	bs_text_put_string(to, program->colors.path);
	size_t from = to->out->used_bytes;
	if (!to->status && program->is_terminal)
		to->status = bs_escape_append(to->out, path, strlen(path), to->err);
	else
		bs_text_put_string(to, path);
	for (size_t i = from; i < to->out->used_bytes && program->has_path_separator; i++)
		if (to->out->data[i] == '/')
			to->out->data[i] = (uint8_t)program->path_separator;
	bs_text_put_string(to, *program->colors.path ? reset : "");
}

/* True for a byte that is not encoded in the path of a URL. Bytes beyond ASCII are not encoded. */
static bool is_plain(uint8_t byte)
{
	return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
	       byte >= 0x80 || (byte && strchr("/:-._~", byte));
}

enum bs_status bs_grep_link_place(const struct bs_grep_program *program, const char *path,
                                  struct bs_buffer *place, struct bs_error *err)
{
	char *real = NULL, code[4];
	bs_buffer_clear(place);
	if (!program->hyperlink || !*program->colors.path)
		return BS_OK;
	struct bs_text_writer to = {.out = place, .err = err};
	to.status = bs_file_real_path(path, &real, err);
	for (const char *at = real; at && *at; at++) {
		bool is_itself = is_plain((uint8_t)*at);
		snprintf(code, sizeof(code), is_itself ? "%c" : "%%%02X",
		         is_itself ? *at : (uint8_t)*at);
		bs_text_put_string(&to, code);
	}
	if (real)
		bs_text_put(&to, "", 1);
	free(real);
	return to.status;
}

/* The length of an escaped brace or a variable at the start of format; 0 if there is none. *value:
 * the text that replaces it. Line and column numbers are formatted in `number`. */
static size_t read_variable(const char *format, const char *place, const uint64_t values[2],
                            char number[24], const char **value)
{
	static const char *const names[] = {"{{", "}}", "{path}", "{line}", "{column}"};
	const char *const meant[] = {"{", "}", place, number, number};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strncmp(format, names[i], strlen(names[i])) != 0)
			continue;
		if (i >= 3)
			snprintf(number, 24, "%" PRIu64, values[i - 3] ? values[i - 3] : 1);
		*value = meant[i];
		return strlen(names[i]);
	}
	return 0;
}

void bs_grep_link_begin(const struct bs_grep_program *program, const struct bs_buffer *place,
                        uint64_t line, uint64_t column, struct bs_text_writer *to)
{
	if (place->used_bytes == 0)
		return;
	bs_text_put_string(to, link_start);
	for (const char *at = program->hyperlink; *at;) {
		char number[24];
		const char *value = at;
		size_t n = read_variable(at, (const char *)place->data,
		                         (const uint64_t[2]){line, column}, number, &value);
		bs_text_put(to, value, n ? strlen(value) : 1);
		at += n ? n : 1;
	}
	bs_text_put_string(to, link_stop);
}

void bs_grep_link_end(const struct bs_buffer *place, struct bs_text_writer *to)
{
	bs_text_put_string(to, place->used_bytes > 0 ? link_start : "");
	bs_text_put_string(to, place->used_bytes > 0 ? link_stop : "");
}

bool bs_grep_link_has_line(const struct bs_grep_program *program)
{
	const char *line = strstr(program->hyperlink, "{line}");
	return line && (line == program->hyperlink || line[-1] != '{');
}
