/*
 * snippet.c: see snippet.h. A snippet is made in three steps: slide() finds the window, the stretch
 * of hits that fits the width and has most distinct elements; find_span() and find_lines() add
 * context on both sides and trim it to whole words or lines; write_span() writes it.
 *
 * Columns are those of the line that will be shown: a run of white space counts as one. The bytes
 * that are decoded are limited by the width, so a gigabyte of spaces or of zero bytes costs little.
 */
#include "query/answer/snippet.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/bitsift/terminal.h"
#include "core/system/deadline.h"
#include "core/system/icu.h"
#include "core/text/clusters.h"
#include "core/text/printable.h"

#define BYTE_ORDER_MARK  0xfeff /* Never shown, wherever it is in a text. */
#define TAB_COLUMNS      4
#define MOST_WIDTHS      3 /* Limit of the total length of lines shown whole, in widths. */
#define MOST_ROWS        8 /* Limit of the number of lines. */
#define MOST_ROWS_BEFORE 2 /* Limit of the number of lines before that of the first hit. */
#define MOST_WIDTH       (1u << 20)
/* For each column, text is searched this many bytes far: 4 for the longest character, and 12 for
 * white space, which the snippet joins into one column. */
#define BYTES_PER_COLUMN 16
#define MOST_WORD_BYTES  64 /* Limit of the bytes searched for the beginning of a word. */
/* Limit of the white space skipped at the beginning of a text. */
#define SKIPPED_BYTES (64u * 1024)

struct snippet {
	const struct bs_field *fields;
	size_t n_fields;
	const struct bs_word_hit *hits;
	size_t n_hits;
	const char *mark_start;
	const char *mark_stop;
	size_t width;
	/* A longer hit counts as this many columns only, so that it does not crowd out others. */
	size_t hit_columns;
	bool favours_after;
	bool is_in_words;  /* The width is in words, not in columns. */
	size_t most_bytes; /* How many bytes may be read to find `width` columns. */
	enum bs_snippet_shape shape;
};

/* The columns of a hit, counted from the start of the first hit. Hits in different fields are more
 * than the width apart. */
struct place {
	uint64_t start_column;
	uint64_t end_column;
};

/* A stretch of a field's text to write, text[start..end), and the hits to mark. It may be extended
 * within text[low..text_bytes). */
struct span {
	const uint8_t *text;
	size_t low;
	size_t text_bytes;
	size_t start;
	size_t end;
	const struct bs_word_hit *hits; /* All hits in the field. */
	size_t n_hits;
};

static size_t clamp(uint64_t offset, size_t text_bytes)
{
	return offset < text_bytes ? (size_t)offset : text_bytes;
}

/* Moves *at by one code point towards `to`, and returns that code point. *at != to. */
static int32_t step(const uint8_t *text, size_t *at, size_t to)
{
	if (*at < to)
		return text[*at] < 0x80 ? text[(*at)++] : bs_utf8_next(text, to, at);
	return text[*at - 1] < 0x80 ? text[--*at] : bs_utf8_previous(text, at);
}

/* Moves from `from` towards `to` over at most n_columns columns, not past `to`. n_moved_out may be
 * NULL. */
static size_t walk(const uint8_t *text, size_t from, size_t to, size_t n_columns,
                   size_t *n_moved_out)
{
	bool is_back = to < from, after_space = false;
	size_t n_moved = 0, at = from;
	while (is_back ? at > to : at < to) {
		size_t next = at;
		int32_t c = step(text, &next, to);
		bool is_space = bs_is_white_space(c);
		size_t n = !is_space ? bs_display_columns(c) : !after_space;
		if (n_moved + n > n_columns)
			break;
		n_moved += n;
		after_space = is_space;
		at = next;
	}
	if (n_moved_out)
		*n_moved_out = n_moved;
	return is_back && at < to ? to : at;
}

/* The columns of text[from..to); most + 1 if there are more, or if it has too many bytes. */
static size_t count_columns(const struct snippet *snippet, const uint8_t *text, size_t from,
                            size_t to, size_t most)
{
	if (to > from && to - from > snippet->most_bytes)
		return most + 1;
	size_t n_columns;
	return walk(text, from, to, most, &n_columns) == to || from >= to ? n_columns : most + 1;
}

#define HIT_NS 60u /* Estimated cost of measuring a hit. */

/* Sets places[0..n_hits) to the columns of the hits. A gap above the width counts as width + 1. */
static enum bs_status measure(const struct snippet *snippet, struct place *places,
                              struct bs_error *err)
{
	size_t before_byte = 0;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < snippet->n_hits && !(status = bs_deadline_each(i, HIT_NS, err));
	     i++) {
		const struct bs_word_hit *hit = &snippet->hits[i];
		assert(hit->field < snippet->n_fields);
		const struct bs_field *field = &snippet->fields[hit->field];
		size_t start = clamp(hit->start_byte, field->text_bytes),
		       end = clamp(hit->end_byte, field->text_bytes);
		bool is_near = i > 0 && hit[-1].field == hit->field;
		uint64_t gap = snippet->width + 1;
		if (is_near)
			gap = count_columns(snippet, field->text, before_byte, start,
			                    snippet->width);
		places[i].start_column = i > 0 ? places[i - 1].start_column + gap : 0;
		size_t most = snippet->hit_columns;
		size_t n_columns = count_columns(snippet, field->text, start, end, most);
		places[i].end_column =
			places[i].start_column + (n_columns < most ? n_columns : most);
		before_byte = start;
	}
	return status;
}

static bool is_blank(uint8_t byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The end of the word that begins at `at`: the next ASCII white space, or the end of its second
 * character from U+2000 on (Han, kana, Hangul, ...). */
static size_t word_end(const struct bs_field *field, size_t at)
{
	for (size_t n_wide = 0; at < field->text_bytes && !is_blank(field->text[at]);) {
		n_wide += field->text[at++] >= 0xe2;
		while (at < field->text_bytes && (field->text[at] & 0xc0) == 0x80)
			at++;
		if (n_wide == 2)
			return bs_cluster_boundary(field->text, field->text_bytes, at, true);
	}
	return at;
}

/* The beginning of the next word, or the end of the text. */
static size_t next_word(const struct bs_field *field, size_t at)
{
	at = word_end(field, at);
	while (at < field->text_bytes && is_blank(field->text[at]))
		at++;
	return at;
}

/* The end of the n-th word, counting from the word that begins at `at`. */
static size_t words_end(const struct bs_field *field, size_t at, size_t n)
{
	size_t end = at;
	for (; n > 0 && at < field->text_bytes; n--) {
		end = word_end(field, at);
		at = next_word(field, at);
	}
	return end;
}

/* The beginning of the n-th word before `at`. Here, only white space separates words. */
static size_t words_before(const struct bs_field *field, size_t at, size_t n)
{
	for (; at > 0 && n > 0; n--) {
		while (at > 0 && is_blank(field->text[at - 1]))
			at--;
		for (size_t end = at;
		     at > 0 && !is_blank(field->text[at - 1]) && end - at < MOST_WORD_BYTES;)
			at--;
		at = bs_cluster_boundary(field->text, field->text_bytes, at, false);
	}
	return at;
}

/* Sets places[0..n_hits) like measure(), but counts words instead of columns. The count starts
 * again at each hit that is farther than the width from the hit before it. */
static enum bs_status measure_words(const struct snippet *snippet, struct place *places,
                                    struct bs_error *err)
{
	size_t word = 0; /* The beginning of the word that contains the start of the hit. */
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < snippet->n_hits && !(status = bs_deadline_each(i, HIT_NS, err));
	     i++) {
		const struct bs_word_hit *hit = &snippet->hits[i];
		const struct bs_field *field = &snippet->fields[hit->field];
		size_t start = clamp(hit->start_byte, field->text_bytes),
		       end = clamp(hit->end_byte, field->text_bytes), next;
		uint64_t gap = snippet->width + 1, n_words = 1;
		if (i > 0 && hit[-1].field == hit->field) {
			for (gap = 0; gap <= snippet->width && word < start &&
			              (next = next_word(field, word)) <= start;
			     word = next)
				gap++;
		}
		word = gap > snippet->width ? start : word;
		for (size_t at = word;
		     n_words < snippet->width && (at = next_word(field, at)) < end;)
			n_words++;
		places[i].start_column = i > 0 ? places[i - 1].start_column + gap : 0;
		places[i].end_column = places[i].start_column + n_words;
	}
	return status;
}

/* The stretch of hits that fits the width and has most distinct elements; among equals, most hits.
 * counts[element]: the number of the element's hits in the current stretch; initially 0. */
static struct bs_snippet_window slide(const struct snippet *snippet, const struct place *places,
                                      uint32_t *counts)
{
	struct bs_snippet_window best = {0}, now = {0};
	size_t n_distinct = 0, most_distinct = 0;
	for (now.last = 0; now.last < snippet->n_hits; now.last++) {
		n_distinct += counts[snippet->hits[now.last].element]++ == 0;
		uint64_t end = places[now.last].end_column;
		while (now.first < now.last &&
		       end - places[now.first].start_column > snippet->width)
			n_distinct -= --counts[snippet->hits[now.first++].element] == 0;
		bool is_equal = n_distinct == most_distinct;
		if (n_distinct > most_distinct ||
		    (is_equal && now.last - now.first > best.last - best.first))
			best = now;
		most_distinct = n_distinct > most_distinct ? n_distinct : most_distinct;
	}
	return best;
}

static bool are_of_one_line(const struct snippet *snippet, const struct bs_word_hit *hit,
                            const struct bs_word_hit *next)
{
	const struct bs_field *field = &snippet->fields[hit->field];
	size_t start = clamp(hit->start_byte, field->text_bytes),
	       end = clamp(next->start_byte, field->text_bytes);
	return start >= end || !memchr(field->text + start, '\n', end - start);
}

/* Divides all hits into windows. `best`, the window that slide() found, may be divided, too, but no
 * window contains hits both inside and outside of it. A window ends with its line, unless the next
 * hit is of an element that the window does not have yet. *best_out: the window within `best` with
 * most distinct elements. in_window[element]: the number of the last window with the element,
 * counted from 1; initially 0. */
static enum bs_status cover(const struct snippet *snippet, const struct place *places,
                            struct bs_snippet_window best, uint32_t *in_window,
                            struct bs_snippet_windows *windows, size_t *best_out,
                            struct bs_error *err)
{
	const struct bs_word_hit *hits = snippet->hits;
	enum bs_status status = BS_OK;
	struct bs_snippet_window now;
	size_t most_distinct = 0;
	uint32_t number = 0;
	for (now.first = 0; now.first < snippet->n_hits && !status; now.first = now.last + 1) {
		bool is_best = now.first >= best.first && now.first <= best.last;
		size_t n_distinct = 1,
		       limit = now.first < best.first ? best.first : snippet->n_hits;
		limit = is_best ? best.last + 1 : limit;
		in_window[hits[now.first].element] = ++number;
		for (now.last = now.first; now.last + 1 < limit; now.last++) {
			const struct bs_word_hit *next = &hits[now.last + 1];
			bool is_new = in_window[next->element] != number;
			if (places[now.last + 1].end_column - places[now.first].start_column >
			            snippet->width ||
			    (!is_new && !are_of_one_line(snippet, next - 1, next)))
				break;
			n_distinct += is_new;
			in_window[next->element] = number;
		}
		if (is_best && n_distinct > most_distinct) {
			most_distinct = n_distinct;
			*best_out = number - 1;
		}
		status = bs_vector_append(windows, &now, err);
	}
	return status;
}

/* Finds the window that the snippet shows and, unless windows is NULL, divides all hits into
 * windows. n_hits > 0. */
static enum bs_status find_windows(const struct snippet *snippet,
                                   struct bs_snippet_window *window_out,
                                   struct bs_snippet_windows *windows, size_t *best_out,
                                   struct bs_error *err)
{
	size_t n_elements = 0;
	for (size_t i = 0; i < snippet->n_hits; i++)
		if (snippet->hits[i].element >= n_elements)
			n_elements = (size_t)snippet->hits[i].element + 1;
	struct place *places = calloc(snippet->n_hits, sizeof(*places));
	uint32_t *counts = calloc(n_elements, sizeof(*counts));
	enum bs_status status = BS_OK;
	if (places && counts)
		status = (snippet->is_in_words ? measure_words : measure)(snippet, places, err);
	else
		status = bs_fail_memory(err, "a snippet", snippet->n_hits * sizeof(*places));
	if (!status) {
		*window_out = slide(snippet, places, counts);
		memset(counts, 0, n_elements * sizeof(*counts));
		if (windows)
			status =
				cover(snippet, places, *window_out, counts, windows, best_out, err);
	}
	free(places);
	free(counts);
	return status;
}

/* Whether c is part of words separated by white space, unlike letters of Han, kana or Thai. */
static bool is_word_character(int32_t c)
{
	if (c < 0 || !(c == '_' || bs_icu.u_isalnum(c) ||
	               bs_icu.u_hasBinaryProperty(c, UCHAR_GRAPHEME_EXTEND)))
		return false;
	int line_break = bs_icu.u_getIntPropertyValue(c, UCHAR_LINE_BREAK);
	return line_break != U_LB_IDEOGRAPHIC && line_break != U_LB_COMPLEX_CONTEXT &&
	       line_break != U_LB_CONDITIONAL_JAPANESE_STARTER;
}

/* Whether no word continues across the boundary between characters at `at`. */
static bool is_between_words(const struct span *span, size_t at)
{
	if (at == 0 || at >= span->text_bytes)
		return true;
	size_t back = at, forth = at;
	int32_t before = bs_utf8_previous(span->text, &back);
	int32_t after = bs_utf8_next(span->text, span->text_bytes, &forth);
	if (bs_is_white_space(before) || bs_is_white_space(after))
		return true;
	return !is_word_character(before) || !is_word_character(after);
}

/* Moves from `from` towards `to` over at most n code points, not past `to`. */
static size_t steps(const uint8_t *text, size_t from, size_t to, size_t n)
{
	bool is_back = to < from;
	for (; n > 0 && (is_back ? from > to : from < to); n--)
		(void)step(text, &from, to);
	return is_back && from < to ? to : from;
}

/* The start of the text to show: the first boundary between words in at..to, at most n_code_points
 * after `at`; if there is none, the first boundary between characters in at..to; if there is none,
 * `otherwise`. */
static size_t trim_start(const struct span *span, size_t at, size_t to, size_t n_code_points,
                         size_t otherwise)
{
	struct bs_clusters clusters;
	size_t near = at < to ? steps(span->text, at, to, n_code_points) : to, found = to;
	if (at >= to)
		return otherwise;
	bs_clusters_seek(&clusters, span->text, span->text_bytes, at);
	if (clusters.at < at)
		(void)bs_clusters_next(&clusters);
	for (; clusters.at < to && (clusters.at <= near || found == to);
	     (void)bs_clusters_next(&clusters)) {
		found = found == to ? clusters.at : found;
		if (clusters.at <= near && is_between_words(span, clusters.at))
			return clusters.at;
	}
	return found < to ? found : otherwise;
}

/* The end of the text to show: the last boundary between words in to..at, at most n_code_points
 * before `at`; if there is none, the last boundary between characters in to..at; if there is none,
 * `at`. With is_free, a boundary between characters at `to` itself counts, too; otherwise only
 * boundaries after `to` do. */
static size_t trim_end(const struct span *span, size_t at, size_t to, size_t n_code_points,
                       bool is_free)
{
	struct bs_clusters clusters;
	size_t near = steps(span->text, at, to, n_code_points), found = to, between = to;
	bs_clusters_seek(&clusters, span->text, span->text_bytes, near);
	if (at <= to)
		return at;
	found = clusters.at > to ? clusters.at : to;
	do {
		if (clusters.at > to && clusters.at <= at) {
			found = clusters.at;
			between = clusters.at >= near && is_between_words(span, clusters.at)
			                  ? clusters.at
			                  : between;
		}
	} while (clusters.at < at && bs_clusters_next(&clusters));
	found = between > to ? between : found;
	bs_clusters_seek(&clusters, span->text, span->text_bytes, to);
	return found > to || (is_free && clusters.at == to) ? found : at;
}

/* Skips white space from *at towards `to`. Returns true if it reaches `to`. */
static bool skip_space(const struct span *span, size_t *at, size_t to)
{
	bool is_back = to < *at;
	while (is_back ? *at > to : *at < to) {
		size_t next = *at;
		if (!bs_is_white_space(step(span->text, &next, to)))
			return false;
		*at = next;
	}
	return true;
}

static size_t ahead(const struct span *span, size_t at, size_t n_bytes)
{
	return span->text_bytes - at > n_bytes ? at + n_bytes : span->text_bytes;
}

static size_t back(const struct span *span, size_t at, size_t n_bytes)
{
	return at - span->low > n_bytes ? at - n_bytes : span->low;
}

/* Extends the core (the text of the window's hits) to whole characters, unless these are very
 * long. */
static void complete(const struct snippet *snippet, const struct span *span, size_t *core_start,
                     size_t *core_end)
{
	size_t start = bs_cluster_boundary(span->text, span->text_bytes, *core_start, false),
	       most = snippet->hit_columns;
	size_t end = bs_cluster_boundary(span->text, span->text_bytes, *core_end, true);
	if (start < *core_start && start >= span->low &&
	    count_columns(snippet, span->text, start, *core_start, most) <= most)
		*core_start = start;
	if (end > *core_end && end <= span->text_bytes &&
	    count_columns(snippet, span->text, *core_end, end, most) <= most)
		*core_end = end;
}

/* Sets the span to the core, text[core_start..core_end), with context on both sides. The core has
 * at most about `width` columns. */
static void find_span(const struct snippet *snippet, size_t core_start, size_t core_end,
                      struct span *span)
{
	const uint8_t *text = span->text;
	complete(snippet, span, &core_start, &core_end);
	size_t width = snippet->width, most_bytes = snippet->most_bytes;
	size_t core_columns = count_columns(snippet, text, core_start, core_end, width);
	size_t spare = core_columns < width ? width - core_columns : 0;
	size_t n_after;
	walk(text, core_end, ahead(span, core_end, most_bytes), spare, &n_after);
	size_t n_before = snippet->favours_after ? spare / 3 : spare / 2;
	n_before = n_before > spare - n_after ? n_before : spare - n_after;
	size_t start = walk(text, core_start, back(span, core_start, most_bytes), n_before, NULL);
	span->start = trim_start(span, start, core_start, width / 4, core_start);
	size_t end = walk(text, span->start, ahead(span, span->start, 2 * most_bytes), width, NULL);
	bool has_core = core_end < end && core_end > span->start;
	span->end = trim_end(span, end, has_core ? core_end : span->start, width / 4, has_core);
}

/* If only blanks are between *at and the start (is_back) or the end of its line, moves *at there
 * and returns true. */
static bool reaches_line_end(const struct span *span, size_t *at, bool is_back, size_t most_bytes)
{
	size_t to = is_back ? back(span, *at, most_bytes) : ahead(span, *at, most_bytes), end = *at;
	while (end != to && memchr(" \t\r\f", span->text[end - is_back], 4))
		end += is_back ? (size_t)-1 : 1;
	bool is_end = end == (is_back ? span->low : span->text_bytes) ||
	              span->text[end - is_back] == '\n';
	*at = is_end ? end : *at;
	return is_end;
}

/* The beginning of the next line after `at`; in the last line, the end of the span + 1. */
static size_t next_line(const struct span *span, size_t at)
{
	const uint8_t *end = memchr(span->text + at, '\n', span->end - at);
	return end ? (size_t)(end - span->text) + 1 : span->end + 1;
}

/* Removes incomplete lines from both ends of the span, and lines before the core (the text of the
 * window's hits) in excess of MOST_ROWS_BEFORE. A line with a part of the core is kept. */
static void find_lines(const struct snippet *snippet, size_t core_start, size_t core_end,
                       struct span *span)
{
	const uint8_t *text = span->text, *end;
	/* The core may be past the end of the span if the text became shorter after indexing. */
	core_start = core_start < span->end ? core_start : span->end;
	bool is_whole = reaches_line_end(span, &span->start, true, snippet->most_bytes);
	end = is_whole || span->start >= core_start
	              ? NULL
	              : memchr(text + span->start, '\n', core_start - span->start);
	span->start = end ? (size_t)(end - text) + 1 : span->start;
	size_t n_before = 0;
	for (size_t at = span->start; at < core_start && (at = next_line(span, at)) <= core_start;)
		n_before++;
	for (; n_before > MOST_ROWS_BEFORE; n_before--)
		span->start = next_line(span, span->start);
	span->low = end || is_whole ? span->start : span->low;
	is_whole = reaches_line_end(span, &span->end, false, snippet->most_bytes);
	end = is_whole || span->end <= core_end
	              ? NULL
	              : memrchr(text + core_end, '\n', span->end - core_end);
	span->end = end ? (size_t)(end - text) : span->end;
	span->text_bytes = end || is_whole ? span->end : span->text_bytes;
}

/* Restricts the text that the span may show to the lines of the core, if their ends are near. */
static void limit_to_lines(const struct snippet *snippet, size_t core_start, size_t core_end,
                           struct span *span)
{
	size_t from = back(span, core_start, snippet->most_bytes),
	       to = ahead(span, core_end, snippet->most_bytes);
	const uint8_t *end =
		core_start > from ? memrchr(span->text + from, '\n', core_start - from) : NULL;
	span->low = end ? (size_t)(end - span->text) + 1 : 0;
	end = to > core_end ? memchr(span->text + core_end, '\n', to - core_end) : NULL;
	span->text_bytes = end ? (size_t)(end - span->text) : span->text_bytes;
}

/* Whether the lines of the span are so short that they are shown whole. n_columns_out: their total
 * length. */
static bool are_short(const struct snippet *snippet, const struct span *span, size_t *n_columns_out)
{
	*n_columns_out = 0;
	for (size_t at = span->low, stop; at < span->text_bytes; at = stop + 1) {
		const uint8_t *end = memchr(span->text + at, '\n', span->text_bytes - at);
		stop = end ? (size_t)(end - span->text) : span->text_bytes;
		size_t n_columns = count_columns(snippet, span->text, at, stop, snippet->width);
		*n_columns_out += n_columns;
		if (n_columns > snippet->width || *n_columns_out > MOST_WIDTHS * snippet->width)
			return false;
	}
	return true;
}

/* The state of a line being written. The first failure is sticky. */
struct writer {
	struct bs_buffer *out;
	bool is_marked;    /* mark_start was written, and mark_stop was not yet. */
	bool owes_space;   /* White space was read; a space for it was not written yet. */
	bool space_is_hit; /* All of this white space is within hits. */
	bool has_text;     /* The line has text other than white space. */
	enum bs_status status;
	struct bs_error *err;
};

static void write_own(struct writer *writer, const char *text)
{
	if (!writer->status)
		writer->status = bs_printable_append_own(writer->out, text, writer->err);
}

static void set_mark(const struct snippet *snippet, struct writer *writer, bool marked)
{
	if (writer->is_marked != marked)
		write_own(writer, marked ? snippet->mark_start : snippet->mark_stop);
	writer->is_marked = marked;
}

static void write_character(const struct snippet *snippet, struct writer *writer, int32_t c,
                            bool is_hit)
{
	if (c == BYTE_ORDER_MARK)
		return;
	if (bs_is_white_space(c)) {
		writer->space_is_hit = is_hit && (writer->space_is_hit || !writer->owes_space);
		writer->owes_space = writer->has_text;
		return;
	}
	if (!is_hit || (writer->owes_space && !writer->space_is_hit))
		set_mark(snippet, writer, false);
	if (writer->owes_space)
		write_own(writer, " ");
	set_mark(snippet, writer, is_hit);
	writer->owes_space = writer->space_is_hit = false;
	writer->has_text = true;
	if (!writer->status)
		writer->status = bs_printable_append(writer->out, c, writer->err);
}

/* Writes text[start..end) as one line. *next_hit is the next hit of the span, and *hit_end the end
 * of the hits before it; both carry over from line to line. */
static void write_row(const struct snippet *snippet, const struct span *span, size_t start,
                      size_t end, struct writer *writer, size_t *next_hit, uint64_t *hit_end)
{
	writer->has_text = writer->owes_space = writer->space_is_hit = false;
	for (size_t at = start; at < end && !writer->status;) {
		for (; *next_hit < span->n_hits && span->hits[*next_hit].start_byte <= at;
		     ++*next_hit)
			*hit_end = span->hits[*next_hit].end_byte > *hit_end
			                   ? span->hits[*next_hit].end_byte
			                   : *hit_end;
		bool is_hit = at < *hit_end;
		write_character(snippet, writer, bs_utf8_next(span->text, end, &at), is_hit);
	}
	set_mark(snippet, writer, false);
}

/* A line of the span. `start` is after its indentation, which has n_indent columns. */
struct row {
	size_t start;
	size_t end;
	size_t n_indent;
};

/* Finds the next line that is not blank, from `at` on. False: there is none. */
static bool next_row(const struct snippet *snippet, const struct span *span, size_t at,
                     struct row *row_out)
{
	for (; at < span->end; at = row_out->end + 1) {
		const uint8_t *end = snippet->shape == BS_SNIPPET_LINES
		                             ? memchr(span->text + at, '\n', span->end - at)
		                             : NULL;
		*row_out = (struct row){.start = at,
		                        .end = end ? (size_t)(end - span->text) : span->end};
		bool is_indented = at == span->low && snippet->shape == BS_SNIPPET_LINES;
		is_indented |=
			at > 0 && span->text[at - 1] == '\n' && snippet->shape == BS_SNIPPET_LINES;
		for (; is_indented && row_out->start < row_out->end &&
		       memchr(" \t", span->text[row_out->start], 2);
		     row_out->start++)
			row_out->n_indent += span->text[row_out->start] == '\t'
			                             ? TAB_COLUMNS - row_out->n_indent % TAB_COLUMNS
			                             : 1;
		size_t text = row_out->start;
		if (!skip_space(span, &text, row_out->end))
			return true;
	}
	return false;
}

static enum bs_status write_span(const struct snippet *snippet, const struct span *span,
                                 struct bs_buffer *out, struct bs_error *err)
{
	struct writer writer = {.out = out, .err = err};
	struct row row = {0};
	size_t next_hit = 0, before = span->start, after = span->end, n_least = SIZE_MAX,
	       n_rows = 0;
	uint64_t hit_end = 0;
	bool is_cut = !skip_space(span, &before, back(span, span->start, snippet->most_bytes));
	for (size_t at = span->start; n_rows < MOST_ROWS && next_row(snippet, span, at, &row);
	     n_rows++, at = row.end + 1)
		n_least = row.n_indent < n_least ? row.n_indent : n_least;
	write_own(&writer, is_cut ? "…" : NULL);
	row.end = span->start - 1;
	for (size_t i = 0; i < n_rows && next_row(snippet, span, row.end + 1, &row); i++) {
		write_own(&writer, i > 0 ? "\n" : NULL);
		size_t n_columns =
			count_columns(snippet, span->text, row.start, row.end, snippet->width);
		for (size_t n = row.n_indent - n_least;
		     (i > 0 || !is_cut) && n > 0 && n_columns < snippet->width; n--, n_columns++)
			write_own(&writer, " ");
		write_row(snippet, span, row.start, row.end, &writer, &next_hit, &hit_end);
	}
	if (row.end < span->end)
		return writer.status;
	skip_space(span, &after, ahead(span, span->end, snippet->most_bytes));
	if (after < span->text_bytes)
		write_own(&writer, "…");
	return writer.status;
}

bool bs_snippet_beginning(const struct bs_field *fields, size_t n_fields,
                          struct bs_word_hit *hit_out)
{
	for (size_t i = 0; i < n_fields; i++) {
		struct span span = {.text = fields[i].text, .text_bytes = fields[i].text_bytes};
		size_t start = 0;
		skip_space(&span, &start, ahead(&span, 0, SKIPPED_BYTES));
		*hit_out = (struct bs_word_hit){
			.field = (uint32_t)i, .start_byte = start, .end_byte = start};
		if (start < span.text_bytes)
			return true;
	}
	return false;
}

static enum bs_status write_window(const struct snippet *snippet,
                                   const struct bs_snippet_window *window, struct bs_buffer *out,
                                   struct bs_error *err)
{
	const struct bs_word_hit *first = &snippet->hits[window->first],
				 *last = &snippet->hits[window->last];
	const struct bs_field *field = &snippet->fields[first->field];
	struct span span = {.text = field->text, .text_bytes = field->text_bytes};
	size_t begin = window->first, end = window->last + 1;
	/* Marks need all hits of the field. Without marks, the window's own hits suffice; looking
	 * for others would take quadratic time, because there may be as many windows as hits. */
	while (snippet->mark_start && begin > 0 && snippet->hits[begin - 1].field == first->field)
		begin--;
	while (snippet->mark_start && end < snippet->n_hits &&
	       snippet->hits[end].field == first->field)
		end++;
	span.hits = snippet->hits + begin;
	span.n_hits = end - begin;
	size_t core_start = clamp(first->start_byte, field->text_bytes);
	size_t last_start = clamp(last->start_byte, field->text_bytes);
	size_t last_end = clamp(last->end_byte, field->text_bytes);
	if (last_end > last_start && last_end - last_start > snippet->most_bytes)
		last_end = last_start + snippet->most_bytes;
	size_t core_end = walk(field->text, last_start, last_end, snippet->hit_columns, NULL);
	struct span own = span;
	limit_to_lines(snippet, core_start, core_end, &own);
	size_t n_columns = 0;
	bool is_whole = snippet->shape == BS_SNIPPET_LINES && are_short(snippet, &own, &n_columns);
	own.start = own.low;
	own.end = own.text_bytes;
	if (is_whole && n_columns >= snippet->width)
		return write_span(snippet, &own, out, err);
	core_start = is_whole ? own.start : core_start;
	core_end = is_whole ? own.end : core_end;
	if (!is_whole && snippet->shape != BS_SNIPPET_JOINED)
		span = own;
	find_span(snippet, core_start, core_end, &span);
	if (snippet->shape == BS_SNIPPET_LINES)
		find_lines(snippet, core_start, core_end, &span);
	return write_span(snippet, &span, out, err);
}

static struct snippet make_snippet(const struct bs_field *fields, size_t n_fields,
                                   const struct bs_word_hit *hits, size_t n_hits,
                                   const struct bs_snippet_options *options)
{
	static const struct bs_snippet_options usual;
	options = options ? options : &usual;
	size_t width = options->width ? options->width : BS_SNIPPET_WIDTH;
	width = width < MOST_WIDTH ? width : MOST_WIDTH;
	return (struct snippet){
		.fields = fields,
		.n_fields = n_fields,
		.hits = hits,
		.n_hits = n_hits,
		.mark_start = options->mark_start,
		.mark_stop = options->mark_stop,
		.width = width,
		.hit_columns = options->favours_after ? width : width / 4,
		.favours_after = options->favours_after,
		.most_bytes = width * BYTES_PER_COLUMN,
		.shape = options->shape,
	};
}

enum bs_status bs_snippet_windows(const struct bs_field *fields, size_t n_fields,
                                  const struct bs_word_hit *hits, size_t n_hits,
                                  const struct bs_snippet_options *options,
                                  struct bs_snippet_windows *windows, size_t *best_out,
                                  struct bs_error *err)
{
	struct snippet snippet = make_snippet(fields, n_fields, hits, n_hits, options);
	struct bs_snippet_window best;
	enum bs_status status = bs_icu_load(err);
	*best_out = 0;
	return status || n_hits == 0 ? status
	                             : find_windows(&snippet, &best, windows, best_out, err);
}

enum bs_status bs_snippet_write(const struct bs_field *fields, size_t n_fields,
                                const struct bs_word_hit *hits, size_t n_hits,
                                const struct bs_snippet_window *window,
                                const struct bs_snippet_options *options, struct bs_buffer *out,
                                struct bs_error *err)
{
	struct snippet snippet = make_snippet(fields, n_fields, hits, n_hits, options);
	struct bs_snippet_window best = {0};
	struct bs_word_hit beginning;
	enum bs_status status = bs_icu_load(err);
	if (status)
		return status;
	if (n_hits == 0) {
		if (!bs_snippet_beginning(fields, n_fields, &beginning))
			return BS_OK;
		snippet.hits = &beginning;
		snippet.n_hits = 1;
	} else if (!window) {
		status = find_windows(&snippet, &best, NULL, NULL, err);
	}
	return status ? status
	              : write_window(&snippet, n_hits > 0 && window ? window : &best, out, err);
}

enum bs_status bs_snippet_span(const struct bs_field *fields, size_t n_fields,
                               const struct bs_word_hit *hits, size_t n_hits, size_t n_words,
                               struct bs_word_hit *span_out, struct bs_error *err)
{
	const struct snippet snippet = {.fields = fields,
	                                .n_fields = n_fields,
	                                .hits = hits,
	                                .n_hits = n_hits,
	                                .width = n_words,
	                                .is_in_words = true};
	struct bs_snippet_window window = {0};
	*span_out = (struct bs_word_hit){.end_byte = words_end(fields, 0, n_words)};
	enum bs_status status =
		n_hits > 0 ? find_windows(&snippet, &window, NULL, NULL, err) : BS_OK;
	if (status || n_hits == 0)
		return status;
	const struct bs_field *field = &fields[hits[window.first].field];
	size_t start =
		bs_cluster_boundary(field->text, field->text_bytes,
	                            clamp(hits[window.first].start_byte, field->text_bytes), false);
	size_t core_end = 0, n_used = 0;
	for (size_t i = window.first; i <= window.last; i++)
		core_end = hits[i].end_byte > core_end ? clamp(hits[i].end_byte, field->text_bytes)
		                                       : core_end;
	for (size_t at = start; at < core_end; at = next_word(field, at))
		n_used++;
	start = words_before(field, start, n_used < n_words ? (n_words - n_used) / 2 : 0);
	size_t end = words_end(field, start, n_words);
	/* If the text ends before n_words words, the span begins earlier. */
	size_t last_start = end == field->text_bytes ? words_before(field, end, n_words) : start;
	*span_out = (struct bs_word_hit){.field = hits[window.first].field,
	                                 .start_byte = last_start < start ? last_start : start,
	                                 .end_byte = end};
	return BS_OK;
}
