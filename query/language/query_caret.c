/* query_caret.c: bs_query_caret (bitsift/search.h): shows users the position of an error in a
 * query. */
#include <unicode/utf8.h>

#include "core/base/buffer.h"
#include "core/base/utf8.h"
#include "core/bitsift/escape.h"
#include "core/bitsift/search.h"
#include "core/text/printable.h"

/* The line fits a terminal of 80 columns, with more of the query before the caret than after it. */
#define CARET_BEFORE_COLUMNS 60
#define CARET_ALL_COLUMNS    77

/* The columns of text[start..end) as put_query shows it: U+FFFD has one column. */
static int columns_between(const uint8_t *text, size_t start, size_t end)
{
	int columns = 0;
	for (size_t at = start; at < end;)
		columns += (int)bs_display_columns(bs_utf8_next(text, end, &at));
	return columns;
}

/* A position about n_columns before `at`, at the start of a character. */
static size_t step_back(const uint8_t *text, size_t at, int n_columns)
{
	size_t start = at;
	size_t most_bytes = (size_t)n_columns * U8_MAX_LENGTH;
	while (start > 0) {
		size_t before = start;
		n_columns -= (int)bs_display_columns(bs_utf8_previous(text, &before));
		if (n_columns < 0 || at - before > most_bytes)
			break;
		start = before;
	}
	return start;
}

/* Appends as much of text[start..text_bytes) as fits into n_columns. */
static enum bs_status put_query(const uint8_t *text, size_t start, size_t text_bytes, int n_columns,
                                struct bs_buffer *out, struct bs_error *err)
{
	size_t most_bytes = (size_t)n_columns * U8_MAX_LENGTH;
	enum bs_status status = BS_OK;
	for (size_t at = start; at < text_bytes && !status;) {
		if (at - start > most_bytes)
			return bs_printable_append_own(out, "…", err);
		UChar32 c = bs_utf8_next(text, text_bytes, &at);
		n_columns -= (int)bs_display_columns(c);
		if (n_columns < 0)
			return bs_printable_append_own(out, "…", err);
		if (bs_is_white_space(c) && bs_display_columns(c) == 1)
			c = ' ';
		status = bs_printable_append(out, bs_is_terminal_control(c) ? -1 : c, err);
	}
	return status;
}

/* Uses terminal columns: wide characters have two; marks and format characters have none. */
enum bs_status bs_query_caret(const char *query, size_t query_bytes, size_t error_byte,
                              char **text_out, struct bs_error *err)
{
	const uint8_t *text = (const uint8_t *)query;
	struct bs_buffer out = {0};
	*text_out = NULL;
	if (error_byte > query_bytes)
		return bs_fail(err, BS_INVALID, "no place in the query");
	size_t start = step_back(text, error_byte, CARET_BEFORE_COLUMNS);
	int cut = start > 0 ? 1 : 0;
	int columns = cut + columns_between(text, start, error_byte);
	enum bs_status status = bs_printable_append_own(&out, cut ? "…" : "", err);
	if (!status)
		status = put_query(text, start, query_bytes, CARET_ALL_COLUMNS - cut, &out, err);
	if (!status)
		status = bs_printable_append_own(&out, "\n", err);
	for (int i = 0; i < columns && !status; i++)
		status = bs_printable_append_own(&out, " ", err);
	if (!status)
		status = bs_buffer_append(&out, "^", 2, err);
	if (status)
		bs_buffer_deinit(&out);
	*text_out = (char *)out.data;
	return status;
}
