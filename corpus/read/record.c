/*
 * record.c: see record.h. simdjson (json.h) validates a line; record_scan.c then extracts the
 * texts, with the strings that simdjson resolved, because simdjson does not report how numbers are
 * spelled.
 *
 * simdjson rejects some valid JSON (numbers beyond 64 bits or beyond a double, lone surrogate
 * escapes) and all invalid UTF-8. In this case the line is rewritten into an equivalent one and
 * parsed again:
 *
 *   - an invalid UTF-8 sequence becomes U+FFFD, a lone surrogate escape becomes \ufffd;
 *   - a number with valid syntax becomes the offset of its spelling in the original line, where
 *     record_scan.c reads it;
 *   - all else stays unchanged, so that simdjson decides what is valid JSON.
 */
#include "corpus/read/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/bitsift/escape.h"
#include "core/bitsift/skip.h"
#include "core/system/library.h"
#include "corpus/read/json.h"
#include "corpus/read/record_scan.h"

BS_LIBRARY_TABLE(bs_json, BS_JSON_FUNCTIONS);
BS_LIBRARY_DEFINE_OWN(bs_json, "the JSON parser", "libbitsift-json.so", BS_JSON_VERSION,
                      BS_JSON_FUNCTIONS)

/* After a longer line, memory is freed when lines are short again. */
#define GENEROUS_CAPACITY_BYTES ((size_t)32 << 20)

struct bs_record_parser {
	struct bs_record_scan scan;
	struct bs_json_parser *json; /* NULL: no line was parsed yet */
	struct bs_buffer line;       /* the line as passed to simdjson, with padding */
	/* holds a formatted refusal.reason */
	char reason[256];
	struct bs_refusal refusal; /* reason why the line is not a document */
};

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static size_t skip_digits(const uint8_t *text, size_t n_bytes, size_t at)
{
	while (at < n_bytes && is_digit(text[at]))
		at++;
	return at;
}

/* RFC 8259: [ "-" ] ( "0" / 1-9 *DIGIT ) [ "." 1*DIGIT ] [ ( "e" / "E" ) [ "-" / "+" ] 1*DIGIT ] */
static bool is_number(const uint8_t *text, size_t n_bytes)
{
	size_t at = n_bytes > 0 && text[0] == '-', from = at;
	at = at < n_bytes && text[at] == '0' ? at + 1 : skip_digits(text, n_bytes, at);
	if (at == from)
		return false;
	if (at < n_bytes && text[at] == '.') {
		from = at + 1;
		at = skip_digits(text, n_bytes, from);
		if (at == from)
			return false;
	}
	if (at < n_bytes && (text[at] | 0x20) == 'e') {
		from = at + 1;
		from += from < n_bytes && (text[from] == '-' || text[from] == '+');
		at = skip_digits(text, n_bytes, from);
		if (at == from)
			return false;
	}
	return at == n_bytes;
}

/* A line that is being rewritten. After the first failure (status) nothing more is written. */
struct rewriter {
	const uint8_t *line;
	const uint8_t *at;
	const uint8_t *end;
	struct bs_buffer *out;
	bool in_string;
	enum bs_status status;
	struct bs_error *err;
};

static void emit(struct rewriter *r, const void *bytes, size_t n_bytes)
{
	if (!r->status)
		r->status = bs_buffer_append(r->out, bytes, n_bytes, r->err);
}

static void copy_bytes(struct rewriter *r, size_t n_bytes)
{
	emit(r, r->at, n_bytes);
	r->at += n_bytes;
}

static void rewrite_sequence(struct rewriter *r)
{
	size_t n_bytes = 0;
	bool is_valid = bs_utf8_next(r->at, (size_t)(r->end - r->at), &n_bytes) >= 0;
	emit(r, is_valid ? r->at : (const uint8_t *)"\xef\xbf\xbd", is_valid ? n_bytes : 3);
	r->at += n_bytes;
}

static void rewrite_escape(struct rewriter *r)
{
	size_t left_bytes = (size_t)(r->end - r->at), n_bytes = 0;
	int32_t c = left_bytes > 1 && r->at[1] == 'u'
	                    ? bs_record_code_point(r->at, left_bytes, &n_bytes)
	                    : -1;
	if (c < 0) {
		/* Copies an invalid escape unchanged. A non-ASCII byte after the backslash is
		 * handled next, on its own. */
		copy_bytes(r, left_bytes > 1 && r->at[1] < 0x80 ? 2 : 1);
	} else if (c != 0xfffd) {
		copy_bytes(r, n_bytes);
	} else {
		emit(r, "\\ufffd", 6);
		r->at += n_bytes;
	}
}

static void rewrite_number(struct rewriter *r)
{
	size_t n_bytes = bs_record_number_bytes(r->at, r->end);
	r->status = bs_record_ask_bytes(n_bytes, r->err);
	bool is_valid = !r->status && is_number(r->at, n_bytes);
	if (!r->status)
		r->status = bs_record_ask_bytes(n_bytes, r->err);
	if (!is_valid) {
		copy_bytes(r, n_bytes);
		return;
	}
	char digits[24];
	size_t offset = (size_t)(r->at - r->line), at = sizeof(digits);
	do
		digits[--at] = (char)('0' + offset % 10);
	while ((offset /= 10) > 0);
	emit(r, digits + at, sizeof(digits) - at);
	r->at += n_bytes;
}

/* Copies bytes of a string up to an escape, a quote or a non-ASCII byte. */
static void rewrite_plain(struct rewriter *r)
{
	const uint8_t *to = r->at;
	while (to < r->end && *to < 0x80 && *to != '"' && *to != '\\')
		to++;
	copy_bytes(r, (size_t)(to - r->at));
}

static enum bs_status rewrite_line(const uint8_t *line, size_t line_bytes, struct bs_buffer *out,
                                   struct bs_error *err)
{
	struct rewriter r = {line, line, line + line_bytes, out, false, BS_OK, err};
	uint64_t n_rounds = 0;
	bs_buffer_clear(out);
	while (r.at < r.end && !r.status) {
		uint8_t c = *r.at;
		r.status = bs_record_check(n_rounds++, err);
		if (c >= 0x80) {
			rewrite_sequence(&r);
		} else if (c == '"') {
			r.in_string = !r.in_string;
			copy_bytes(&r, 1);
		} else if (r.in_string && c == '\\') {
			rewrite_escape(&r);
		} else if (r.in_string) {
			rewrite_plain(&r);
		} else if (c == '-' || is_digit(c)) {
			rewrite_number(&r);
		} else {
			copy_bytes(&r, 1);
		}
	}
	return r.status;
}

static enum bs_status parse_padded(struct bs_record_parser *parser, struct bs_json_result *result,
                                   struct bs_error *err)
{
	static const uint8_t padding[BS_JSON_PADDING] = {0};
	size_t line_bytes = parser->line.used_bytes;
	if (line_bytes > BS_JSON_MAX_BYTES) {
		*result = (struct bs_json_result){.outcome = BS_JSON_TOO_LARGE};
		return BS_OK;
	}
	enum bs_status status = bs_buffer_append(&parser->line, padding, sizeof(padding), err);
	if (status)
		return status;
	bs_json.bs_json_parse(parser->json, parser->line.data, line_bytes, result);
	return result->outcome == BS_JSON_NO_MEMORY
	               ? bs_fail_memory(err, "a JSON record", line_bytes)
	               : BS_OK;
}

/* Notes that the line is not a document. Always BS_OK. */
static enum bs_status refuse(struct bs_record_parser *parser, enum bs_skip skip, const char *reason)
{
	parser->refusal.skip = skip;
	parser->refusal.reason = reason;
	return BS_OK;
}

static enum bs_status refuse_too_large(struct bs_record_parser *parser)
{
	return refuse(parser, BS_SKIP_TOO_LARGE, "a record of 4 GiB or more");
}

static enum bs_status refuse_id(struct bs_record_parser *parser, const char *what)
{
	snprintf(parser->reason, sizeof(parser->reason),
	         "the id (field \"%.100s\") is %s, not a string or an integer",
	         bs_record_id_field(&parser->scan.options), what);
	return refuse(parser, BS_SKIP_BAD_RECORD, parser->reason);
}

/* Sets the document's name. Refuses a line whose id has a wrong type. */
static enum bs_status take_id(struct bs_record_parser *parser, struct bs_document *document)
{
	const struct bs_record_scan *scan = &parser->scan;
	const uint8_t *text = scan->id;
	size_t text_bytes = scan->id_bytes;
	switch (scan->id_kind) {
	case 0:
	case 'n':
		return BS_OK;
	case '{':
		return refuse_id(parser, "an object");
	case '[':
		return refuse_id(parser, "an array");
	case 't':
	case 'f':
		return refuse_id(parser, "true or false");
	case '"':
		break;
	default:
		for (size_t i = 0; i < text_bytes; i++)
			if (text[i] == '.' || (text[i] | 0x20) == 'e')
				return refuse_id(parser, "a floating-point number");
		if (text_bytes == 2 && memcmp(text, "-0", 2) == 0) {
			text++;
			text_bytes--;
		}
	}
	document->name.is_line = false;
	document->name.bytes = text_bytes ? text : (const uint8_t *)"";
	document->name.n_bytes = text_bytes;
	return BS_OK;
}

/* Extracts the texts and the id of parser->line, which is valid JSON. */
static enum bs_status take_record(struct bs_record_parser *parser, const uint8_t *strings,
                                  struct bs_document *document, struct bs_error *err)
{
	const struct bs_document unread = *document;
	bool is_known;
	parser->scan.strings = strings;
	enum bs_status status = bs_record_scan_line(&parser->scan, parser->line.data,
	                                            parser->line.used_bytes - BS_JSON_PADDING,
	                                            false, document, &is_known, err);
	document->raw.bytes = unread.raw.bytes;
	document->raw.n_bytes = unread.raw.n_bytes;
	if (status)
		return status;
	if (!is_known)
		return refuse(parser, BS_SKIP_TOO_LARGE,
		              "a record of more than 16,777,216 strings and numbers");
	status = take_id(parser, document);
	if (!status && !parser->refusal.reason && !document->text.n_fields &&
	    !parser->scan.options.has_separate_id)
		return refuse(parser, BS_SKIP_NO_TEXT,
		              "no text: no field to index is a string or a number");
	return status;
}

/* Any 2 * LONG_RUN_BYTES consecutive bytes include a whole block: LONG_RUN_BYTES bytes that begin
 * at a multiple of LONG_RUN_BYTES. So a number that long is found by testing blocks. */
#define LONG_RUN_BYTES ((size_t)32768)

/* True if the line may contain a number of at least 2 * LONG_RUN_BYTES bytes. simdjson would spend
 * long on it and then reject it. */
static bool may_have_long_number(const uint8_t *line, size_t line_bytes)
{
	for (size_t start = 0; line_bytes - start >= LONG_RUN_BYTES; start += LONG_RUN_BYTES)
		if (bs_record_number_bytes(line + start, line + start + LONG_RUN_BYTES) ==
		    LONG_RUN_BYTES)
			return true;
	return false;
}

static enum bs_status parse_line(struct bs_record_parser *parser, const uint8_t *line,
                                 size_t line_bytes, struct bs_document *document,
                                 struct bs_error *err)
{
	if (line_bytes > BS_JSON_MAX_BYTES)
		return refuse_too_large(parser);
	struct bs_json_result result;
	parser->scan.original = NULL;
	parser->scan.original_bytes = 0;
	if (parser->line.capacity_bytes > GENEROUS_CAPACITY_BYTES &&
	    line_bytes < parser->line.capacity_bytes / 8)
		bs_buffer_deinit(&parser->line);
	bs_buffer_clear(&parser->line);
	enum bs_status status = bs_record_ask_bytes(line_bytes, err);
	if (!status && may_have_long_number(line, line_bytes)) {
		result = (struct bs_json_result){.outcome = BS_JSON_UNSUPPORTED};
	} else if (!status) {
		status = bs_buffer_append(&parser->line, line, line_bytes, err);
		if (!status)
			status = parse_padded(parser, &result, err);
	}
	if (!status)
		status = bs_record_ask_bytes(line_bytes, err);
	if (!status && result.outcome == BS_JSON_UNSUPPORTED) {
		parser->scan.original = line;
		parser->scan.original_bytes = line_bytes;
		status = rewrite_line(line, line_bytes, &parser->line, err);
		if (!status)
			status = parse_padded(parser, &result, err);
	}
	if (status)
		return status;
	switch (result.outcome) {
	case BS_JSON_OBJECT:
		return take_record(parser, result.strings, document, err);
	case BS_JSON_NO_OBJECT:
		return refuse(parser, BS_SKIP_BAD_RECORD, "not a JSON object");
	case BS_JSON_TOO_LARGE:
		return refuse_too_large(parser);
	default:
		snprintf(parser->reason, sizeof(parser->reason), "not valid JSON: %s",
		         result.reason);
		return refuse(parser, BS_SKIP_BAD_RECORD, parser->reason);
	}
}

enum bs_status bs_record_parser_new(const struct bs_record_options *options,
                                    struct bs_record_parser **parser_out, struct bs_error *err)
{
	struct bs_record_parser *parser = calloc(1, sizeof(*parser));
	*parser_out = parser;
	if (!parser)
		return bs_fail_memory(err, "a JSON parser", sizeof(*parser));
	parser->scan.options = *options;
	parser->scan.is_valid = true;
	return BS_OK;
}

void bs_record_parser_set_separate_id(struct bs_record_parser *parser, bool has_separate_id)
{
	parser->scan.options.has_separate_id = has_separate_id;
}

void bs_record_parser_forget(struct bs_record_parser *parser)
{
	if (parser->json)
		bs_json.bs_json_forget(parser->json);
	bs_buffer_deinit(&parser->line);
	bs_record_scan_deinit(&parser->scan);
}

void bs_record_parser_free(struct bs_record_parser *parser)
{
	if (!parser)
		return;
	if (parser->json)
		bs_json.bs_json_free(parser->json);
	bs_buffer_deinit(&parser->line);
	bs_record_scan_deinit(&parser->scan);
	free(parser);
}

static enum bs_status make_json_parser(struct bs_record_parser *parser, struct bs_error *err)
{
	enum bs_status status = bs_json_load(err);
	if (status)
		return status;
	parser->json = bs_json.bs_json_new(BS_RECORD_MAX_DEPTH);
	return parser->json ? BS_OK : bs_fail_memory(err, "a JSON parser", sizeof(*parser));
}

enum bs_status bs_record_parse(struct bs_record_parser *parser, const uint8_t *line,
                               size_t line_bytes, struct bs_document *document_out,
                               struct bs_refusal *refusal_out, struct bs_error *err)
{
	*document_out = (struct bs_document){.name.bytes = (const uint8_t *)"",
	                                     .name.is_line = true,
	                                     .known = {BS_DOC_NONE, 0},
	                                     .raw.bytes = line,
	                                     .raw.n_bytes = line_bytes};
	parser->refusal = (struct bs_refusal){0};
	enum bs_status status = parser->json ? BS_OK : make_json_parser(parser, err);
	if (!status)
		status = parse_line(parser, line, line_bytes, document_out, err);
	*refusal_out = parser->refusal;
	return status;
}
