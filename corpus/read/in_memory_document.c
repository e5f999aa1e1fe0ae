/* in_memory_document.c: see in_memory_document.h. */
#include "corpus/read/in_memory_document.h"

#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/bitsift/escape.h"
#include "core/bitsift/host.h"
#include "corpus/read/record.h"

#define ONES (UINT64_MAX / 255) /* eight bytes that are 1 */

/* The number of bytes, in memory order, before the first one that JSON must escape or that is not
 * ASCII. Borrows of the subtractions can only set wrong bits after that byte. */
static size_t plain_bytes(uint64_t word)
{
	uint64_t quote = word ^ ONES * '"', slash = word ^ ONES * '\\';
	uint64_t special =
		(word | (word - ONES * 0x20) | (quote - ONES) | (slash - ONES)) & ONES * 0x80;
	return special ? (size_t)__builtin_ctzll(special) / 8 : sizeof(word);
}

static bool is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* Writes a character that is not plain: escaped, or as its UTF-8 sequence. Returns the number of
 * bytes of text it consumed. */
static size_t put_special(const uint8_t *text, size_t n_bytes, uint8_t **to)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = 0;
	if (text[0] >= 0x80) {
		bool is_valid = bs_utf8_next(text, n_bytes, &n) >= 0;
		*to = mempcpy(*to, is_valid ? text : (const uint8_t *)"\xef\xbf\xbd",
		              is_valid ? n : 3);
		return n;
	}
	*(*to)++ = '\\';
	switch (text[0]) {
	case '"':
	case '\\':
		*(*to)++ = text[0];
		break;
	case '\n':
		*(*to)++ = 'n';
		break;
	case '\t':
		*(*to)++ = 't';
		break;
	case '\r':
		*(*to)++ = 'r';
		break;
	default:
		*to = mempcpy(*to, "u00", 3);
		*(*to)++ = (uint8_t)hex[text[0] >> 4];
		*(*to)++ = (uint8_t)hex[text[0] & 15];
	}
	return 1;
}

/* Largest number of bytes that one byte of text becomes: \u00xx. */
#define MOST_ESCAPE_BYTES 6u
/* Text is written in pieces of PIECE_BYTES, with memory reserved for each. put_piece may read up to
 * BEYOND_BYTES more: the rest of a 64-bit word and of a character. */
#define PIECE_BYTES  4096u
#define BEYOND_BYTES 16u

/* Writes text[0..least_bytes), or slightly more, as JSON. *to must have room. Returns the number of
 * bytes of text that were consumed. */
static size_t put_piece(const uint8_t *text, size_t n_bytes, size_t least_bytes, uint8_t **to)
{
	uint8_t *at = *to;
	size_t n = 0;
	while (n < least_bytes) {
		if (n_bytes - n >= sizeof(uint64_t)) {
			uint64_t word = bs_load_u64(text + n);
			size_t n_plain = plain_bytes(word);
			memcpy(at, text + n, sizeof(word));
			at += n_plain;
			n += n_plain;
			if (n_plain == sizeof(word))
				continue;
		} else if (is_plain(text[n])) {
			*at++ = text[n++];
			continue;
		}
		n += put_special(text + n, n_bytes - n, &at);
	}
	*to = at;
	return n;
}

static enum bs_status put_string(struct bs_buffer *line, const char *bytes, size_t n_bytes,
                                 struct bs_error *err)
{
	const uint8_t *text = (const uint8_t *)bytes;
	enum bs_status status = bs_buffer_append(line, "\"", 1, err);
	while (n_bytes > 0 && !status) {
		size_t piece_bytes = n_bytes < PIECE_BYTES ? n_bytes : PIECE_BYTES;
		status = bs_buffer_reserve(line, (piece_bytes + BEYOND_BYTES) * MOST_ESCAPE_BYTES,
		                           err);
		if (status)
			break;
		uint8_t *to = line->data + line->used_bytes;
		size_t n = put_piece(text, n_bytes, piece_bytes, &to);
		line->used_bytes = (size_t)(to - line->data);
		text += n;
		n_bytes -= n;
	}
	return status ? status : bs_buffer_append(line, "\"", 1, err);
}

enum bs_status bs_in_memory_line(const struct bs_text *texts, size_t n_texts,
                                 struct bs_buffer *line, struct bs_error *err)
{
	bs_buffer_clear(line);
	enum bs_status status = bs_buffer_append(line, "{", 1, err);
	for (size_t i = 0; i < n_texts && !status; i++) {
		if (i > 0)
			status = bs_buffer_append(line, ",", 1, err);
		if (!status)
			status = put_string(line, texts[i].field, texts[i].field_bytes, err);
		if (!status)
			status = bs_buffer_append(line, ":", 1, err);
		if (!status)
			status = put_string(line, texts[i].text, texts[i].text_bytes, err);
	}
	return status ? status : bs_buffer_append(line, "}", 1, err);
}

/* True if a reader of the JSON line returns the field's name unchanged, because the name is ASCII
 * without NUL. Other names are copied; each of their bytes becomes at most three, those of
 * U+FFFD. */
static bool is_plain_name(const struct bs_text *text)
{
	bool is_plain = true;
	for (size_t i = 0; i < text->field_bytes && is_plain; i++)
		is_plain = text->field[i] && (uint8_t)text->field[i] < 0x80;
	return is_plain;
}

/* Writes a field's name as a reader of the JSON line returns it: with U+FFFD for NUL and invalid
 * UTF-8. Returns the end. */
static uint8_t *put_name(const struct bs_text *text, uint8_t *to)
{
	const uint8_t *name = (const uint8_t *)text->field;
	for (size_t start = 0, end = 0; start < text->field_bytes; start = end) {
		bool is_kept = bs_utf8_next(name, text->field_bytes, &end) > 0;
		to = mempcpy(to, is_kept ? name + start : (const uint8_t *)"\xef\xbf\xbd",
		             is_kept ? end - start : 3);
	}
	return to;
}

static size_t copied_bytes(const struct bs_text *texts, size_t n_texts)
{
	size_t n_bytes = 0;
	for (size_t i = 0; i < n_texts; i++)
		n_bytes += is_plain_name(&texts[i]) ? 0 : 3 * texts[i].field_bytes;
	return n_bytes;
}

enum bs_status bs_in_memory_document(const struct bs_source_options *options,
                                     const struct bs_text *texts, size_t n_texts,
                                     const struct bs_buffer *line, struct bs_buffer *fields,
                                     struct bs_document *document_out, struct bs_error *err)
{
	struct bs_record_options record = {.has_separate_id = true,
	                                   .text_fields = options->text_fields,
	                                   .n_text_fields = options->n_text_fields};
	*document_out = (struct bs_document){.name.bytes = (const uint8_t *)"",
	                                     .known = {BS_DOC_NONE, 0},
	                                     .place.line = 1,
	                                     .raw.bytes = line ? line->data : NULL,
	                                     .raw.n_bytes = line ? line->used_bytes : 0};
	bs_buffer_clear(fields);
	const size_t fields_bytes = (n_texts + 1) * sizeof(struct bs_field);
	enum bs_status status =
		bs_buffer_reserve(fields, fields_bytes + copied_bytes(texts, n_texts), err);
	struct bs_field *field = (struct bs_field *)(void *)fields->data;
	uint8_t *names_end = status ? NULL : fields->data + fields_bytes;
	document_out->text.fields = field;
	for (size_t i = 0; i < n_texts && !status; i++) {
		const char *text = texts[i].text_bytes ? texts[i].text : "",
			   *name = texts[i].field_bytes ? texts[i].field : "";
		size_t name_bytes = texts[i].field_bytes;
		if (!is_plain_name(&texts[i])) {
			name = (const char *)names_end;
			names_end = put_name(&texts[i], names_end);
			name_bytes = (size_t)((const char *)names_end - name);
		}
		if (!bs_record_is_text(&record, name, name_bytes))
			continue;
		*field++ = (struct bs_field){.name = name,
		                             .name_bytes = name_bytes,
		                             .text = (const uint8_t *)text,
		                             .text_bytes = texts[i].text_bytes};
		document_out->text.n_bytes += texts[i].text_bytes;
		document_out->text.n_fields++;
	}
	return status;
}
