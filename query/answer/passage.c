/* passage.c: see passage.h. */
#include "query/answer/passage.h"

#include <string.h>

#include "corpus/walk/file.h"

/* A place in the text of a field, with its line and its byte in the file. It only moves forward. */
struct place {
	const uint8_t *text;
	size_t at;     /* The offset of the place in `text`. */
	bool is_utf16; /* The file is UTF-16, and the text is its conversion to UTF-8. */
	/* The field belongs to a record: `line` is the record's line, and columns and bytes count
	 * from the beginning of the field's text. */
	bool is_record;
	uint64_t raw; /* The offset of the place in the file. */
	/* The size of the file, which limits `raw`: UTF-16 may end with half a unit. */
	uint64_t most_raw;
	uint64_t line;     /* 1-based. */
	size_t line_start; /* The offset in `text` of column 1. */
};

static struct place place_in(const struct bs_document *document, const struct bs_field *field)
{
	struct place place = {.text = field->text,
	                      .line = document->place.line,
	                      .is_record = document->place.line > 0};
	if (place.is_record)
		return place;
	place.line = 1;
	place.most_raw = document->raw.n_bytes;
	place.is_utf16 = bs_file_is_utf16(document->raw.bytes, (size_t)document->raw.n_bytes);
	place.raw = place.is_utf16 ? 2 : 0;
	/* Columns do not count a byte order mark. */
	if (field->text_bytes >= 3 && !place.is_utf16 &&
	    memcmp(field->text, "\xef\xbb\xbf", 3) == 0)
		place.line_start = 3;
	return place;
}

/* The number of bytes that the text has in UTF-16: 4 for each character of 4 bytes, 2 for any
 * other. */
static uint64_t utf16_bytes(const uint8_t *text, size_t n_bytes)
{
	uint64_t n = 0;
	for (size_t i = 0; i < n_bytes; i++)
		n += 2 * (uint64_t)((text[i] & 0xc0) != 0x80) + 2 * (uint64_t)(text[i] >= 0xf0);
	return n;
}

static void move_to(struct place *place, size_t to)
{
	const uint8_t *end;
	place->raw += place->is_utf16 ? utf16_bytes(place->text + place->at, to - place->at)
	                              : to - place->at;
	if (place->is_utf16 && place->raw > place->most_raw)
		place->raw = place->most_raw;
	while (!place->is_record && place->at < to &&
	       (end = memchr(place->text + place->at, '\n', to - place->at))) {
		place->at = (size_t)(end - place->text) + 1;
		place->line_start = place->at;
		place->line++;
	}
	place->at = to;
}

static size_t clamp(uint64_t offset, size_t most)
{
	return offset < most ? (size_t)offset : most;
}

/* Finds the line, the column and the bytes of a passage. *place moves to its start, so passages of
 * a field must be measured in text order. */
static struct bs_passage measure(const struct bs_field *field, uint64_t start_byte,
                                 uint64_t stop_byte, struct place *place)
{
	size_t start = clamp(start_byte, field->text_bytes),
	       stop = clamp(stop_byte, field->text_bytes);
	struct place end;
	move_to(place, start);
	end = *place;
	move_to(&end, stop);
	return (struct bs_passage){
		.line = place->line,
		.column = (start > place->line_start ? start - place->line_start : 0) + 1,
		.start_byte = place->raw,
		.stop_byte = end.raw,
		.field = field->name,
		.field_bytes = field->name_bytes,
	};
}

void bs_passages_deinit(struct bs_passages *passages)
{
	bs_vector_deinit(&passages->list);
	bs_vector_deinit(&passages->windows);
	bs_buffer_deinit(&passages->text);
}

enum bs_status bs_passages_find(struct bs_passages *passages, const struct bs_document *document,
                                const struct bs_word_hit *hits, size_t n_hits, struct bs_error *err)
{
	static const struct bs_snippet_options options = {.shape = BS_SNIPPET_OWN_LINES};
	static const struct bs_snippet_window only;
	static const struct bs_field no_field = {.name = "", .text = (const uint8_t *)""};
	const struct bs_field *fields = document->text.fields, *before = NULL;
	struct bs_word_hit beginning = {0};
	struct place place = {0};
	bs_vector_clear(&passages->list);
	bs_vector_clear(&passages->windows);
	bs_buffer_clear(&passages->text);
	enum bs_status status =
		bs_snippet_windows(fields, document->text.n_fields, hits, n_hits, &options,
	                           &passages->windows, &passages->best, err);
	const struct bs_snippet_window *windows = passages->windows.items;
	size_t n = bs_vector_n(&passages->windows);
	if (!status && n == 0) {
		if (!bs_snippet_beginning(fields, document->text.n_fields, &beginning)) {
			beginning.field = 0;
			fields = &no_field;
		}
		hits = &beginning;
		windows = &only;
		n_hits = n = 1;
	}
	for (size_t i = 0; i < n && !status; i++) {
		const struct bs_word_hit *first = &hits[windows[i].first];
		const struct bs_field *field = &fields[first->field];
		if (field != before)
			place = place_in(document, field);
		before = field;
		struct bs_passage passage =
			measure(field, first->start_byte, hits[windows[i].last].end_byte, &place);
		size_t from = passages->text.used_bytes;
		status = bs_snippet_write(fields, document->text.n_fields, hits, n_hits,
		                          &windows[i], &options, &passages->text, err);
		passage.text_bytes = passages->text.used_bytes - from;
		if (!status)
			status = bs_vector_append(&passages->list, &passage, err);
	}
	/* The pointers to the texts are set last, when the buffer no longer moves. */
	struct bs_passage *list = passages->list.items;
	const char *text = passages->text.used_bytes ? (const char *)passages->text.data : "";
	for (size_t i = 0; i < n && !status; text += list[i++].text_bytes)
		list[i].text = text;
	return status;
}
