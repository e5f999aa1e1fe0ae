/*
 * snippet.c: see snippet.h. In three steps: find the stretch of hits that fits the width and holds most (find_window),
 * give it context on both sides and trim that to words (find_span), write it (write_span).
 *
 * A character here is what the line will show: white space in a row counts as one. No step looks at more bytes than
 * BYTES_PER_CHARACTER for each of them, so that a gigabyte of spaces, or of zero bytes, costs nothing either.
 */
#include "query/search/snippet.h"

#include <assert.h>
#include <stdlib.h>
#include "core/base/icu.h"
#include "core/base/visible.h"

#define MOST_WIDTH          (1u << 20)
#define BYTES_PER_CHARACTER 16           /* 4 for the longest character, the rest for indentation */
#define SKIPPED_BYTES       (64u * 1024) /* white space at the beginning of a text */

struct snippet {
	const struct bs_field *fields;
	size_t n_fields;
	const struct bs_snippet_hit *hits;
	size_t n_hits;
	const char *mark_start;
	const char *mark_stop;
	size_t width;
	size_t most_bytes; /* looked at for width characters */
};

/* Where a hit stands and ends, in characters from the first hit; other fields are far away. */
struct place {
	uint64_t start_char;
	uint64_t end_char;
};

/* hits[first..last] */
struct window {
	size_t first;
	size_t last;
	size_t n_distinct;
};

/* text[start..end) of a field, and what is a hit of it. */
struct span {
	const uint8_t *text;
	size_t text_bytes;
	size_t start;
	size_t end;
	const struct bs_snippet_hit *hits; /* all of the field */
	size_t n_hits;
};

static size_t clamp(uint64_t offset, size_t text_bytes)
{
	return offset < text_bytes ? (size_t)offset : text_bytes;
}

/* The code point at *at, forwards or, if `to` is not behind it, before it; *at moves over it. *at != to. */
static int32_t step(const uint8_t *text, size_t *at, size_t to)
{
	return *at < to ? bs_visible_next(text, to, at) : bs_visible_previous(text, at);
}

/* Moves from `from` over n_chars characters towards `to`, not beyond it; n_moved_out may be NULL. */
static size_t walk(const uint8_t *text, size_t from, size_t to, size_t n_chars, size_t *n_moved_out)
{
	bool is_back = to < from, after_space = false;
	size_t n_moved = 0, at = from;
	while (is_back ? at > to : at < to) {
		size_t next = at;
		bool is_space = bs_visible_is_space(step(text, &next, to));
		if (!(is_space && after_space)) {
			if (n_moved == n_chars)
				break;
			n_moved++;
		}
		after_space = is_space;
		at = next;
	}
	if (n_moved_out)
		*n_moved_out = n_moved;
	return is_back && at < to ? to : at;
}

/* The characters of text[from..to), or most + 1 if they are more. */
static size_t count_chars(const struct snippet *snippet, const uint8_t *text, size_t from, size_t to, size_t most)
{
	if (to > from && to - from > snippet->most_bytes)
		return most + 1;
	size_t n_chars;
	walk(text, from, to, most + 1, &n_chars);
	return n_chars;
}

/* Fills places[n_hits]. A hit too long for the width counts as its first quarter: more would crowd out others. */
static void measure(const struct snippet *snippet, struct place *places)
{
	size_t before_byte = 0;
	for (size_t i = 0; i < snippet->n_hits; i++) {
		const struct bs_snippet_hit *hit = &snippet->hits[i];
		assert(hit->field < snippet->n_fields);
		const struct bs_field *field = &snippet->fields[hit->field];
		size_t start = clamp(hit->start_byte, field->text_bytes), end = clamp(hit->end_byte, field->text_bytes);
		bool is_near = i > 0 && hit[-1].field == hit->field;
		uint64_t gap = snippet->width + 1;
		if (is_near)
			gap = count_chars(snippet, field->text, before_byte, start, snippet->width);
		places[i].start_char = i > 0 ? places[i - 1].start_char + gap : 0;
		size_t most = snippet->width / 4;
		size_t n_chars = count_chars(snippet, field->text, start, end, most);
		places[i].end_char = places[i].start_char + (n_chars < most ? n_chars : most);
		before_byte = start;
	}
}

/* Slides over the hits; counts[element], all zero, says how often each is in the window. */
static struct window slide(const struct snippet *snippet, const struct place *places, uint32_t *counts)
{
	struct window best = {0}, now = {0};
	for (now.last = 0; now.last < snippet->n_hits; now.last++) {
		now.n_distinct += counts[snippet->hits[now.last].element]++ == 0;
		uint64_t end = places[now.last].end_char;
		while (now.first < now.last && end - places[now.first].start_char > snippet->width)
			now.n_distinct -= --counts[snippet->hits[now.first++].element] == 0;
		bool is_equal = now.n_distinct == best.n_distinct;
		if (now.n_distinct > best.n_distinct || (is_equal && now.last - now.first > best.last - best.first))
			best = now;
	}
	return best;
}

/* n_hits > 0. */
static enum bs_status find_window(const struct snippet *snippet, struct window *window_out, struct bs_error *err)
{
	size_t n_elements = 0;
	for (size_t i = 0; i < snippet->n_hits; i++)
		if (snippet->hits[i].element >= n_elements)
			n_elements = (size_t)snippet->hits[i].element + 1;
	struct place *places = calloc(snippet->n_hits, sizeof(*places));
	uint32_t *counts = calloc(n_elements, sizeof(*counts));
	enum bs_status status = BS_OK;
	if (places && counts) {
		measure(snippet, places);
		*window_out = slide(snippet, places, counts);
	} else {
		status = bs_fail_memory(err, "a snippet", snippet->n_hits * sizeof(*places));
	}
	free(places);
	free(counts);
	return status;
}

/* Letters and digits that white space divides into words, unlike those of Han, kana or Thai. */
static bool is_word_character(int32_t c)
{
	if (c < 0 || !(c == '_' || bs_icu.u_isalnum(c) || bs_icu.u_hasBinaryProperty(c, UCHAR_GRAPHEME_EXTEND)))
		return false;
	int line_break = bs_icu.u_getIntPropertyValue(c, UCHAR_LINE_BREAK);
	return line_break != U_LB_IDEOGRAPHIC && line_break != U_LB_COMPLEX_CONTEXT &&
	       line_break != U_LB_CONDITIONAL_JAPANESE_STARTER;
}

/* Whether c belongs to what stands before it: a mark, a skin tone, a joiner. */
static bool is_extension(int32_t c)
{
	return c >= 0 && (bs_icu.u_hasBinaryProperty(c, UCHAR_GRAPHEME_EXTEND) ||
	                  bs_icu.u_hasBinaryProperty(c, UCHAR_EMOJI_MODIFIER));
}

enum place_kind {
	INSIDE_CHARACTER,
	INSIDE_WORD,
	BETWEEN_WORDS,
};

static enum place_kind kind_of(const struct span *span, size_t at)
{
	if (at == 0 || at >= span->text_bytes)
		return BETWEEN_WORDS;
	size_t back = at, forth = at;
	int32_t before = bs_visible_previous(span->text, &back);
	int32_t after = bs_visible_next(span->text, span->text_bytes, &forth);
	if (bs_visible_is_space(before) || bs_visible_is_space(after))
		return BETWEEN_WORDS;
	if (is_extension(after) || before == 0x200d)
		return INSIDE_CHARACTER;
	return is_word_character(before) && is_word_character(after) ? INSIDE_WORD : BETWEEN_WORDS;
}

/*
 * The first place between words from `at` towards `to`, at most n_chars away and never beyond `to`; or else the first
 * between characters, or else `otherwise`.
 */
static size_t trim(const struct span *span, size_t at, size_t to, size_t n_chars, size_t otherwise)
{
	bool is_back = to < at, found = false;
	for (size_t i = 0; (is_back ? at > to : at < to) && i <= n_chars; i++) {
		enum place_kind kind = kind_of(span, at);
		if (kind == BETWEEN_WORDS)
			return at;
		otherwise = kind == INSIDE_WORD && !found ? at : otherwise;
		found |= kind == INSIDE_WORD;
		(void)step(span->text, &at, to);
	}
	return otherwise;
}

/* Skips white space from at towards `to`; whether nothing else is between. */
static bool skip_space(const struct span *span, size_t *at, size_t to)
{
	bool is_back = to < *at;
	while (is_back ? *at > to : *at < to) {
		size_t next = *at;
		if (!bs_visible_is_space(step(span->text, &next, to)))
			return false;
		*at = next;
	}
	return true;
}

static size_t ahead(const struct span *span, size_t at, size_t n_bytes)
{
	return span->text_bytes - at > n_bytes ? at + n_bytes : span->text_bytes;
}

static size_t back(size_t at, size_t n_bytes)
{
	return at > n_bytes ? at - n_bytes : 0;
}

/* Gives context to text[core_start..core_end), which is at most about width characters. */
static void find_span(const struct snippet *snippet, size_t core_start, size_t core_end, struct span *span)
{
	const uint8_t *text = span->text;
	size_t width = snippet->width, most_bytes = snippet->most_bytes;
	size_t core_chars = count_chars(snippet, text, core_start, core_end, width);
	size_t spare = core_chars < width ? width - core_chars : 0;
	size_t n_after;
	walk(text, core_end, ahead(span, core_end, most_bytes), spare, &n_after);
	size_t n_before = spare / 2 > spare - n_after ? spare / 2 : spare - n_after;
	size_t start = walk(text, core_start, back(core_start, most_bytes), n_before, NULL);
	span->start = trim(span, start, core_start, width / 4, core_start);
	size_t end = walk(text, span->start, ahead(span, span->start, 2 * most_bytes), width, NULL);
	span->end = trim(span, end, core_end < end ? core_end : span->start, width / 4, end);
}

/* The state of a line being written; the first failure sticks. */
struct writer {
	struct bs_buffer *out;
	bool is_marked;
	bool owes_space;
	bool space_is_hit;
	bool has_text;
	enum bs_status status;
	struct bs_error *err;
};

static void write_own(struct writer *writer, const char *text)
{
	if (!writer->status)
		writer->status = bs_visible_append_own(writer->out, text, writer->err);
}

static void set_mark(const struct snippet *snippet, struct writer *writer, bool marked)
{
	if (writer->is_marked != marked)
		write_own(writer, marked ? snippet->mark_start : snippet->mark_stop);
	writer->is_marked = marked;
}

static void write_character(const struct snippet *snippet, struct writer *writer, int32_t c, bool is_hit)
{
	if (bs_visible_is_space(c)) {
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
		writer->status = bs_visible_append(writer->out, c, writer->err);
}

static enum bs_status write_span(const struct snippet *snippet, const struct span *span, struct bs_buffer *out,
                                 struct bs_error *err)
{
	struct writer writer = {.out = out, .err = err};
	size_t i = 0, before = span->start, after = span->end;
	uint64_t hit_end = 0;
	if (!skip_space(span, &before, back(span->start, snippet->most_bytes)))
		write_own(&writer, "…");
	for (size_t at = span->start; at < span->end && !writer.status;) {
		for (; i < span->n_hits && span->hits[i].start_byte <= at; i++)
			hit_end = span->hits[i].end_byte > hit_end ? span->hits[i].end_byte : hit_end;
		bool is_hit = at < hit_end;
		write_character(snippet, &writer, bs_visible_next(span->text, span->end, &at), is_hit);
	}
	set_mark(snippet, &writer, false);
	skip_space(span, &after, ahead(span, span->end, snippet->most_bytes));
	if (after < span->text_bytes)
		write_own(&writer, "…");
	return writer.status;
}

/* The beginning of the first field that has any text. */
static enum bs_status write_beginning(const struct snippet *snippet, struct bs_buffer *out, struct bs_error *err)
{
	for (size_t i = 0; i < snippet->n_fields; i++) {
		struct span span = {.text = snippet->fields[i].text, .text_bytes = snippet->fields[i].text_bytes};
		size_t start = 0;
		skip_space(&span, &start, ahead(&span, 0, SKIPPED_BYTES));
		if (start == span.text_bytes)
			continue;
		find_span(snippet, start, start, &span);
		span.start = start;
		return write_span(snippet, &span, out, err);
	}
	return BS_OK;
}

static enum bs_status write_window(const struct snippet *snippet, const struct window *window, struct bs_buffer *out,
				   struct bs_error *err)
{
	const struct bs_snippet_hit *first = &snippet->hits[window->first], *last = &snippet->hits[window->last];
	const struct bs_field *field = &snippet->fields[first->field];
	struct span span = {.text = field->text, .text_bytes = field->text_bytes};
	size_t begin = window->first, end = window->last + 1;
	while (begin > 0 && snippet->hits[begin - 1].field == first->field)
		begin--;
	while (end < snippet->n_hits && snippet->hits[end].field == first->field)
		end++;
	span.hits = snippet->hits + begin;
	span.n_hits = end - begin;
	size_t core_start = clamp(first->start_byte, field->text_bytes);
	size_t last_start = clamp(last->start_byte, field->text_bytes);
	size_t last_end = clamp(last->end_byte, field->text_bytes);
	if (last_end > last_start && last_end - last_start > snippet->most_bytes)
		last_end = last_start + snippet->most_bytes;
	size_t core_end = walk(field->text, last_start, last_end, snippet->width / 4, NULL);
	find_span(snippet, core_start, core_end, &span);
	return write_span(snippet, &span, out, err);
}

enum bs_status bs_snippet_write(const struct bs_field *fields, size_t n_fields, const struct bs_snippet_hit *hits,
				size_t n_hits, const struct bs_snippet_options *options, struct bs_buffer *out,
				struct bs_error *err)
{
	struct snippet snippet = {.fields = fields, .n_fields = n_fields, .hits = hits, .n_hits = n_hits};
	snippet.width = options && options->width ? options->width : BS_SNIPPET_WIDTH;
	if (snippet.width > MOST_WIDTH)
		snippet.width = MOST_WIDTH;
	snippet.most_bytes = snippet.width * BYTES_PER_CHARACTER;
	snippet.mark_start = options ? options->mark_start : NULL;
	snippet.mark_stop = options ? options->mark_stop : NULL;
	enum bs_status status = bs_icu_load(err);
	if (status || n_hits == 0)
		return status ? status : write_beginning(&snippet, out, err);
	struct window window = {0};
	status = find_window(&snippet, &window, err);
	return status ? status : write_window(&snippet, &window, out, err);
}
