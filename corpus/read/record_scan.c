/* record_scan.c: see record_scan.h. */
#include "corpus/read/record_scan.h"

#include <string.h>

#define KEPT_BYTES ((size_t)1 << 20)

/* A place in a line, moving forward. A step that does not find what it wants returns false, and all ends. */
struct scanner {
	const uint8_t *at;
	const uint8_t *end;
};

/* What stands between two quotes, as it is. */
struct raw_string {
	const uint8_t *bytes;
	size_t n_bytes;
};

void bs_record_scan_deinit(struct bs_record_scan *scan)
{
	bs_buffer_deinit(&scan->fields);
	bs_buffer_deinit(&scan->text);
}

static void skip_space(struct scanner *scanner)
{
	while (scanner->at < scanner->end &&
	       (*scanner->at == ' ' || *scanner->at == '\n' || *scanner->at == '\t' || *scanner->at == '\r'))
		scanner->at++;
}

static bool take(struct scanner *scanner, uint8_t byte)
{
	skip_space(scanner);
	if (scanner->at == scanner->end || *scanner->at != byte)
		return false;
	scanner->at++;
	return true;
}

/* Behind the opening quote. */
static bool take_string(struct scanner *scanner, struct raw_string *string_out)
{
	const uint8_t *start = scanner->at, *from = start;
	for (;;) {
		const uint8_t *quote = memchr(from, '"', (size_t)(scanner->end - from));
		if (!quote)
			return false;
		size_t n_backslashes = 0;
		while (quote - n_backslashes > from && quote[-1 - (ptrdiff_t)n_backslashes] == '\\')
			n_backslashes++;
		from = quote + 1;
		if (n_backslashes % 2 == 1)
			continue;
		scanner->at = quote + 1;
		string_out->bytes = start;
		string_out->n_bytes = (size_t)(quote - start);
		return true;
	}
}

/* Behind an opening bracket or brace: to behind the one that closes it, of whatever kind. */
static bool skip_nested(struct scanner *scanner)
{
	struct raw_string ignored;
	for (size_t depth = 1; depth > 0;) {
		if (scanner->at == scanner->end)
			return false;
		uint8_t byte = *scanner->at++;
		if (byte == '{' || byte == '[')
			depth++;
		else if (byte == '}' || byte == ']')
			depth--;
		else if (byte == '"' && !take_string(scanner, &ignored))
			return false;
	}
	return true;
}

/* A value that is no string. */
static bool skip_value(struct scanner *scanner)
{
	if (take(scanner, '{') || take(scanner, '['))
		return skip_nested(scanner);
	const uint8_t *start = scanner->at;
	while (scanner->at < scanner->end && *scanner->at != ',' && *scanner->at != '}' && *scanner->at != '"')
		scanner->at++;
	return scanner->at > start;
}

/* What a backslash and this byte stand for; 0: it takes more to know. */
static uint8_t escaped_byte(uint8_t byte)
{
	switch (byte) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case '"':
	case '\\':
	case '/':
		return byte;
	default:
		return 0;
	}
}

bool bs_record_unescape(const uint8_t *bytes, size_t n_bytes, uint8_t *to, size_t *n_out)
{
	const uint8_t *at = bytes, *end = bytes + n_bytes;
	uint8_t *start = to;
	while (at < end) {
		const uint8_t *backslash = memchr(at, '\\', (size_t)(end - at));
		size_t n = (size_t)((backslash ? backslash : end) - at);
		memcpy(to, at, n);
		to += n;
		at += n;
		/* Escapes stand together more often than not. */
		while (at < end && *at == '\\') {
			uint8_t byte = end - at > 1 ? escaped_byte(at[1]) : 0;
			if (!byte)
				return false;
			*to++ = byte;
			at += 2;
		}
	}
	*n_out = (size_t)(to - start);
	return true;
}

static bool is_plain_key(const struct raw_string *key)
{
	for (size_t i = 0; i < key->n_bytes; i++)
		if (key->bytes[i] >= 0x80 || key->bytes[i] == '\\')
			return false;
	return true;
}

static enum bs_status take_field(struct bs_record_scan *scan, const struct raw_string *key,
                                 const struct raw_string *value, bool as_it_is, struct bs_document *document,
                                 bool *is_known_out, struct bs_error *err)
{
	struct bs_field field = {
		.name = (const char *)key->bytes,
		.name_bytes = key->n_bytes,
		.text = value->bytes,
		.text_bytes = value->n_bytes,
	};
	*is_known_out = true;
	if (!as_it_is && value->n_bytes > 0 && memchr(value->bytes, '\\', value->n_bytes)) {
		uint8_t *to = scan->text.data + scan->text.used_bytes;
		*is_known_out = bs_record_unescape(value->bytes, value->n_bytes, to, &field.text_bytes);
		field.text = to;
		scan->text.used_bytes += *is_known_out ? field.text_bytes : 0;
	}
	document->n_fields++;
	document->text_bytes += field.text_bytes;
	return bs_buffer_append(&scan->fields, &field, sizeof(field), err);
}

static enum bs_status take_members(struct bs_record_scan *scan, struct scanner *scanner, bool as_it_is,
                                   struct bs_document *document, bool *is_known_out, struct bs_error *err)
{
	do {
		struct raw_string key, value;
		*is_known_out = false;
		if (!take(scanner, '"') || !take_string(scanner, &key) || !is_plain_key(&key) || !take(scanner, ':'))
			return BS_OK;
		if (!take(scanner, '"')) {
			if (!skip_value(scanner))
				return BS_OK;
			continue;
		}
		if (!take_string(scanner, &value))
			return BS_OK;
		if (!bs_record_is_text(&scan->options, (const char *)key.bytes, key.n_bytes))
			continue;
		enum bs_status status = take_field(scan, &key, &value, as_it_is, document, is_known_out, err);
		if (status || !*is_known_out)
			return status;
	} while (take(scanner, ','));
	*is_known_out = take(scanner, '}');
	return BS_OK;
}

enum bs_status bs_record_scan_line(struct bs_record_scan *scan, const uint8_t *line, size_t line_bytes, bool as_it_is,
                                   struct bs_document *document_out, bool *is_known_out, struct bs_error *err)
{
	struct scanner scanner = {line, line + line_bytes};
	*document_out = (struct bs_document){.name = (const uint8_t *)"",
	                                     .is_named_by_line = true,
	                                     .known = {BS_DOC_NONE, 0},
	                                     .raw = line,
	                                     .raw_bytes = line_bytes};
	*is_known_out = false;
	bs_buffer_clear(&scan->fields);
	/* What one huge line took is given back. */
	bs_buffer_trim(&scan->text, line_bytes + KEPT_BYTES);
	/* Resolved, no string is longer: the text does not move while fields point into it. */
	enum bs_status status = as_it_is ? BS_OK : bs_buffer_reserve(&scan->text, line_bytes, err);
	if (!status && take(&scanner, '{'))
		status = take_members(scan, &scanner, as_it_is, document_out, is_known_out, err);
	skip_space(&scanner);
	*is_known_out &= !status && scanner.at == scanner.end && document_out->n_fields > 0;
	document_out->fields = (const struct bs_field *)(const void *)scan->fields.data;
	return status;
}
