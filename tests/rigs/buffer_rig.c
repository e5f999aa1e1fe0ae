/* buffer_rig.c: see buffer_rig.h. */
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/test.h"

void append_bytes(struct bs_buffer *to, const void *bytes, size_t n_bytes)
{
	assert_int_equal(bs_buffer_append(to, bytes, n_bytes, NULL), BS_OK);
}

void append_string(struct bs_buffer *to, const char *text)
{
	append_bytes(to, text, strlen(text));
}

void append_repeated(struct bs_buffer *to, const char *text, size_t n_times)
{
	for (size_t i = 0; i < n_times; i++)
		append_string(to, text);
}

void append_format(struct bs_buffer *to, const char *format, ...)
{
	FREED char *text = NULL;
	va_list args;
	va_start(args, format);
	int n = vasprintf(&text, format, args);
	va_end(args);
	assert_true(n >= 0);
	append_bytes(to, text, (size_t)n);
}

void print_escaped(const char *name, const void *bytes, size_t n_bytes)
{
	const uint8_t *at = bytes;
	fprintf(stderr, "%s: ", name);
	for (size_t i = 0; i < n_bytes; i++)
		fprintf(stderr, at[i] >= ' ' && at[i] < 0x7f ? "%c" : "\\x%02x", at[i]);
	fprintf(stderr, "\n");
}
