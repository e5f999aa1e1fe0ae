/* enclosing.c: see enclosing.h. */
#include "query/grep/match/enclosing.h"

#include <stdlib.h>

#include "query/grep/match/grep_matcher.h"

enum bs_status bs_enclosing_new(uint8_t line_end, struct bs_enclosing **enclosing_out, struct bs_error *err)
{
	struct bs_enclosing *enclosing = calloc(1, sizeof(*enclosing));
	*enclosing_out = enclosing;
	if (!enclosing)
		return bs_fail_memory(err, "headings", sizeof(*enclosing));
	enclosing->line_end = line_end;
	return bs_headings_new(&enclosing->headings, err);
}

void bs_enclosing_free(struct bs_enclosing *enclosing)
{
	if (!enclosing)
		return;
	bs_headings_free(enclosing->headings);
	bs_buffer_deinit(&enclosing->line);
	free(enclosing);
}

enum bs_status bs_enclosing_begin(struct bs_enclosing *enclosing, const char *path, struct bs_error *err)
{
	enclosing->has_line = false;
	enclosing->seen_end = 0;
	return bs_headings_choose(enclosing->headings, path, err);
}

static bool is_heading(const struct bs_enclosing *enclosing, const uint8_t *line, size_t n_bytes)
{
	if (n_bytes > 0 && line[n_bytes - 1] == enclosing->line_end)
		n_bytes--;
	if (n_bytes > 0 && line[n_bytes - 1] == '\r')
		n_bytes--;
	return bs_headings_has(enclosing->headings, line, n_bytes);
}

enum bs_status bs_enclosing_go_on(struct bs_enclosing *enclosing, const uint8_t *text, uint64_t text_off, size_t upto,
                                  uint64_t number, struct bs_error *err)
{
	if (text_off + upto <= enclosing->seen_end)
		return BS_OK;
	size_t from = (size_t)(enclosing->seen_end - text_off), end = upto, start = upto;
	for (uint64_t n_lines = 1; end > from; end = start, n_lines++) {
		start = bs_grep_line_start(text, from, end - 1, enclosing->line_end);
		if (!is_heading(enclosing, text + start, end - start))
			continue;
		enclosing->has_line = true;
		enclosing->file_off = text_off + start;
		enclosing->number = number ? number - n_lines : 0;
		bs_buffer_clear(&enclosing->line);
		enclosing->seen_end = text_off + upto;
		return bs_buffer_append(&enclosing->line, text + start, end - start, err);
	}
	enclosing->seen_end = text_off + upto;
	return BS_OK;
}
