/* record_scan.c: see record_scan.h. */
#include "corpus/read/record_scan.h"

#include <string.h>
#include <unicode/utf8.h>

#include "core/base/utf8.h"
#include "core/system/deadline.h"

/* Buffers up to this capacity are kept for the next line. */
#define KEPT_BYTES ((size_t)1 << 20)

/* A position in a line, which only moves forward. Each step returns false if the expected token is
 * not there; then the scan ends. */
struct scanner {
	const uint8_t *at;
	const uint8_t *end;
};

/* A string of the line: its bytes between the quotes, or, if simdjson's strings are used, its text
 * with escapes resolved. */
struct raw_string {
	const uint8_t *bytes;
	size_t n_bytes;
};

void bs_record_scan_deinit(struct bs_record_scan *scan)
{
	bs_buffer_deinit(&scan->fields);
	bs_buffer_deinit(&scan->names);
	bs_buffer_deinit(&scan->levels);
	bs_buffer_deinit(&scan->text);
}

static void skip_space(struct scanner *scanner)
{
	while (scanner->at < scanner->end && (*scanner->at == ' ' || *scanner->at == '\n' ||
	                                      *scanner->at == '\t' || *scanner->at == '\r'))
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

/* Reads a string; the opening quote has been read. */
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

/* The character that a backslash followed by this byte means; 0 for \u and invalid escapes. */
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

/* The value of four hexadecimal digits, or -1. */
static int32_t hex_unit(const uint8_t *at)
{
	int32_t unit = 0;
	for (int i = 0; i < 4; i++) {
		uint8_t byte = at[i], letter = byte | 0x20;
		bool is_digit = (uint8_t)(byte - '0') < 10;
		if (!is_digit && (uint8_t)(letter - 'a') >= 6)
			return -1;
		unit = unit * 16 + (is_digit ? byte - '0' : letter - 'a' + 10);
	}
	return unit;
}

int32_t bs_record_code_point(const uint8_t *bytes, size_t n_bytes, size_t *at)
{
	int32_t unit = n_bytes - *at < 6 ? -1 : hex_unit(bytes + *at + 2);
	*at += unit < 0 ? 2 : 6;
	if (unit < 0xd800 || unit > 0xdfff)
		return unit;
	const uint8_t *next = bytes + *at;
	if (unit > 0xdbff || n_bytes - *at < 6 || next[0] != '\\' || next[1] != 'u')
		return 0xfffd;
	int32_t low = hex_unit(next + 2);
	if (low < 0xdc00 || low > 0xdfff)
		return 0xfffd;
	*at += 6;
	return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

bool bs_record_unescape(const uint8_t *bytes, size_t n_bytes, bool with_units, uint8_t *to,
                        size_t *n_out)
{
	size_t at = 0, n = 0;
	while (at < n_bytes) {
		const uint8_t *backslash = memchr(bytes + at, '\\', n_bytes - at);
		size_t n_plain = (backslash ? (size_t)(backslash - bytes) : n_bytes) - at;
		memcpy(to + n, bytes + at, n_plain);
		n += n_plain;
		at += n_plain;
		/* Fast path for consecutive escapes. */
		while (at < n_bytes && bytes[at] == '\\') {
			uint8_t next = n_bytes - at > 1 ? bytes[at + 1] : 0,
				byte = escaped_byte(next);
			if (byte) {
				to[n++] = byte;
				at += 2;
				continue;
			}
			int32_t c = next == 'u' && with_units
			                    ? bs_record_code_point(bytes, n_bytes, &at)
			                    : -1;
			if (c < 0)
				return false;
			U8_APPEND_UNSAFE(to, n, (uint32_t)c);
		}
	}
	*n_out = n;
	return true;
}

/* An object or array whose end has not been read yet; the outermost one is the record itself. The
 * range of scan->names is the prefix for the names of its members. */
struct level {
	size_t name_off; /* offset in scan->names */
	size_t name_bytes;
	uint8_t closer;
};

/* Memory for a part of a line. In simdjson: four bytes of index for each structural character and
 * value; eight bytes of tape for each, or 16 for a number; a length and a NUL for each string.
 * Here: a level for each bracket, and a field for each value. */
#define SIGN_BYTES    4u
#define BRACKET_BYTES (4u + 8u + sizeof(struct level))
#define SCALAR_BYTES  (4u + 16u + sizeof(struct bs_field))
#define STRING_BYTES  (4u + 8u + 5u + sizeof(struct bs_field))

uint64_t bs_record_parse_bytes(const uint8_t *line, size_t line_bytes)
{
	struct scanner scanner = {line, line + line_bytes};
	struct raw_string string = {0};
	uint64_t n_bytes = (uint64_t)line_bytes * 2;
	/* name_bytes: upper bound of the length of the enclosing object's name */
	size_t depth = 0, longest_key = 0, name_bytes = 0;
	bool is_scalar = false;
	while (scanner.at < scanner.end) {
		bool was_scalar = is_scalar;
		is_scalar = false;
		switch (*scanner.at++) {
		case '"':
			n_bytes += STRING_BYTES;
			if (!take_string(&scanner, &string))
				return n_bytes;
			break;
		case ':':
			/* The last string was a key, not a value, so its struct bs_field is
			 * subtracted. */
			longest_key = string.n_bytes > longest_key ? string.n_bytes : longest_key;
			n_bytes += SIGN_BYTES + name_bytes - sizeof(struct bs_field);
			break;
		case ',':
			n_bytes += SIGN_BYTES;
			break;
		case '{':
		case '[':
			name_bytes = depth++ * (longest_key + 1);
			name_bytes = name_bytes > BS_RECORD_NAME_BYTES ? BS_RECORD_NAME_BYTES
			                                               : name_bytes;
			n_bytes += BRACKET_BYTES;
			break;
		case '}':
		case ']':
			depth -= depth > 0;
			n_bytes += BRACKET_BYTES;
			break;
		case ' ':
		case '\t':
		case '\r':
			break;
		default:
			is_scalar = true;
			n_bytes += was_scalar ? 0 : SCALAR_BYTES;
		}
	}
	return n_bytes;
}

#define MEMBER_NS 100u /* estimated cost of a member of a record, for the deadline */

enum bs_status bs_record_check(uint64_t i, struct bs_error *err)
{
	return bs_deadline_each(i, MEMBER_NS, err);
}

enum bs_status bs_record_ask_bytes(uint64_t n_bytes, struct bs_error *err)
{
	return bs_deadline_check_after(n_bytes, err);
}

/* The state of scanning a record. */
struct walk {
	struct bs_record_scan *scan;
	struct scanner scanner;
	struct bs_document *document;
	bool as_it_is;
	/* the next string of scan->strings; NULL: escapes have to be resolved */
	const uint8_t *strings;
	struct bs_error *err;
	uint64_t n_members;
};

static struct level *top_level(const struct bs_record_scan *scan)
{
	return (struct level *)(void *)(scan->levels.data + scan->levels.used_bytes) - 1;
}

/* Reads a string, resolved if scan->strings is available; the opening quote has been read. */
static bool take_walk_string(struct walk *walk, struct raw_string *string_out)
{
	uint32_t n_bytes;
	if (!take_string(&walk->scanner, string_out))
		return false;
	if (!walk->strings)
		return true;
	memcpy(&n_bytes, walk->strings, sizeof(n_bytes));
	if (n_bytes > string_out->n_bytes)
		return false;
	*string_out = (struct raw_string){walk->strings + sizeof(n_bytes), n_bytes};
	walk->strings += sizeof(n_bytes) + n_bytes + 1;
	return true;
}

static size_t count_nuls(const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *end = bytes + n_bytes;
	size_t n = 0;
	while (bytes < end && (bytes = memchr(bytes, '\0', (size_t)(end - bytes))) != NULL) {
		bytes++;
		n++;
	}
	return n;
}

/* Replaces each NUL of a key by U+FFFD, because names with NUL could be neither stored nor typed.
 * key has room for two more bytes for each NUL. Returns the new length. */
static size_t replace_nuls(uint8_t *key, size_t key_bytes)
{
	const size_t n_bytes = key_bytes + 2 * count_nuls(key, key_bytes);
	for (size_t from = key_bytes, to = n_bytes; from < to;) {
		uint8_t byte = key[--from];
		to -= byte ? 1 : 3;
		memcpy(key + to, byte ? &byte : (const uint8_t *)"\xef\xbf\xbd", byte ? 1 : 3);
	}
	return n_bytes;
}

/* Reads a key and makes the full name, with the names of the enclosing objects unless that is too
 * long. In an array, the name is that of the array. */
static enum bs_status take_name(struct walk *walk, struct level *member_out, bool *is_known_out)
{
	struct bs_record_scan *scan = walk->scan;
	const struct level *object = top_level(scan);
	struct raw_string key;
	*member_out = *object;
	*is_known_out = false;
	if (object->closer == ']') {
		*is_known_out = true;
		return BS_OK;
	}
	if (!take(&walk->scanner, '"') || !take_walk_string(walk, &key) ||
	    (!scan->is_valid && !bs_text_is_utf8(key.bytes, key.n_bytes)) ||
	    !take(&walk->scanner, ':'))
		return BS_OK;
	size_t around_bytes =
		       scan->levels.used_bytes > sizeof(*object) ? object->name_bytes + 1 : 0,
	       key_bytes;
	/* A string from simdjson has one byte for each \u0000. Below, replace_nuls replaces it by
	 * U+FFFD, which takes three bytes. */
	size_t room_bytes =
		key.n_bytes + (walk->strings ? 2 * count_nuls(key.bytes, key.n_bytes) : 0);
	enum bs_status status =
		bs_buffer_reserve(&scan->names, around_bytes + room_bytes + 1, walk->err);
	if (status)
		return status;
	uint8_t *name = scan->names.data + scan->names.used_bytes;
	if (walk->strings)
		memcpy(name + around_bytes, key.bytes, key_bytes = key.n_bytes);
	else if (!bs_record_unescape(key.bytes, key.n_bytes, true, name + around_bytes, &key_bytes))
		return BS_OK;
	key_bytes = replace_nuls(name + around_bytes, key_bytes);
	*is_known_out = true;
	if (around_bytes > 0 && around_bytes + key_bytes > BS_RECORD_NAME_BYTES)
		return BS_OK;
	if (around_bytes > 0) {
		memcpy(name, scan->names.data + object->name_off, object->name_bytes);
		name[object->name_bytes] = '.';
	}
	*member_out = (struct level){scan->names.used_bytes, around_bytes + key_bytes, 0};
	scan->names.used_bytes += member_out->name_bytes;
	return BS_OK;
}

static bool is_of_number(uint8_t byte)
{
	return (uint8_t)(byte - '0') < 10 || byte == '-' || byte == '+' || byte == '.' ||
	       (byte | 0x20) == 'e';
}

size_t bs_record_number_bytes(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *from = at;
	while (at < end && is_of_number(*at))
		at++;
	return (size_t)(at - from);
}

static struct raw_string number_at(const uint8_t *at, const uint8_t *end)
{
	return (struct raw_string){at, bs_record_number_bytes(at, end)};
}

/* The end of scan->text, where resolved texts are appended; may be NULL. */
static uint8_t *text_end(const struct bs_record_scan *scan)
{
	return scan->text.used_bytes ? scan->text.data + scan->text.used_bytes : scan->text.data;
}

/* Replaces a string that has escapes by its resolved text in scan->text. */
static bool resolve_string(struct bs_record_scan *scan, const uint8_t **bytes, size_t *n_bytes)
{
	uint8_t *to = text_end(scan);
	if (*n_bytes == 0 || !memchr(*bytes, '\\', *n_bytes))
		return true;
	if (!bs_record_unescape(*bytes, *n_bytes, true, to, n_bytes))
		return false;
	*bytes = to;
	scan->text.used_bytes += *n_bytes;
	return true;
}

bool bs_record_scan_resolve(struct bs_record_scan *scan, struct bs_document *document)
{
	struct bs_field *fields = (struct bs_field *)(void *)scan->fields.data;
	document->text.n_bytes = 0;
	for (size_t i = 0; i < document->text.n_fields; i++) {
		if (!resolve_string(scan, &fields[i].text, &fields[i].text_bytes))
			return false;
		document->text.n_bytes += fields[i].text_bytes;
	}
	return true;
}

/* Resolves a string, or replaces a number's offset by its spelling, copied from the original line
 * into scan->text. */
static bool resolve(struct walk *walk, uint8_t kind, struct raw_string *value)
{
	struct bs_record_scan *scan = walk->scan;
	if (kind != '"' && scan->original) {
		size_t offset = 0;
		for (size_t i = 0; i < value->n_bytes && offset < scan->original_bytes; i++)
			offset = offset * 10 + (size_t)(value->bytes[i] - '0');
		if (offset >= scan->original_bytes)
			return false;
		*value = number_at(scan->original + offset, scan->original + scan->original_bytes);
		value->bytes = memcpy(text_end(scan), value->bytes, value->n_bytes);
		scan->text.used_bytes += value->n_bytes;
	}
	return kind != '"' || walk->strings || resolve_string(scan, &value->bytes, &value->n_bytes);
}

/* True if member is the id and its value is not inside an array. */
static bool is_id_value(const struct bs_record_scan *scan, const struct level *member)
{
	return top_level(scan)->closer == '}' &&
	       bs_record_is_id(&scan->options, (const char *)scan->names.data + member->name_off,
	                       member->name_bytes);
}

/* Reads a string, number or literal. kind: its first byte, which has been read. */
static enum bs_status take_scalar(struct walk *walk, const struct level *member, uint8_t kind,
                                  bool *is_known_out)
{
	struct bs_record_scan *scan = walk->scan;
	struct scanner *scanner = &walk->scanner;
	const uint8_t *start = scanner->at - 1;
	const char *name = (const char *)scan->names.data + member->name_off;
	bool is_id = is_id_value(scan, member);
	bool has_text = kind == '"' || is_of_number(kind);
	bool is_text = has_text && bs_record_is_text(&scan->options, name, member->name_bytes);
	struct raw_string value = number_at(start, scanner->end);
	if (kind == '"') {
		*is_known_out = take_walk_string(walk, &value);
	} else {
		while (!has_text && start + value.n_bytes < scanner->end &&
		       (uint8_t)(start[value.n_bytes] - 'a') < 26)
			value.n_bytes++;
		scanner->at = start + value.n_bytes;
		*is_known_out = value.n_bytes > 0;
	}
	if (*is_known_out && has_text && !walk->as_it_is && (is_id || is_text))
		*is_known_out = resolve(walk, kind, &value);
	if (is_id) {
		scan->id_kind = kind;
		scan->id = value.bytes;
		scan->id_bytes = value.n_bytes;
	}
	if (!is_text || !*is_known_out)
		return BS_OK;
	/* The name is an offset for now, because scan->names may still move; bs_record_scan_line
	 * turns it into a pointer. */
	struct bs_field field = {
		.name = (const char *)(uintptr_t)member->name_off,
		.name_bytes = member->name_bytes,
		.text = value.bytes,
		.text_bytes = value.n_bytes,
	};
	*is_known_out = ++walk->document->text.n_fields <= BS_RECORD_MAX_FIELDS;
	walk->document->text.n_bytes += field.text_bytes;
	return bs_buffer_append(&scan->fields, &field, sizeof(field), walk->err);
}

static enum bs_status open_level(struct walk *walk, struct level level, uint8_t opener)
{
	level.closer = opener == '{' ? '}' : ']';
	return bs_buffer_append(&walk->scan->levels, &level, sizeof(level), walk->err);
}

/* Reads from after the first brace to after the last one. Not recursive: open levels are in
 * scan->levels, so deep nesting takes no stack. */
static enum bs_status take_members(struct walk *walk, bool *is_known_out)
{
	struct bs_record_scan *scan = walk->scan;
	struct scanner *scanner = &walk->scanner;
	enum bs_status status = open_level(walk, (struct level){0}, '{');
	bool is_empty = true; /* the innermost level has no member yet */
	while (!status) {
		while (scan->levels.used_bytes > 0 && take(scanner, top_level(scan)->closer)) {
			scan->levels.used_bytes -= sizeof(struct level);
			is_empty = false;
		}
		*is_known_out = scan->levels.used_bytes == 0;
		if (*is_known_out || (!is_empty && !take(scanner, ',')))
			break;
		struct level member;
		size_t names_bytes = scan->names.used_bytes,
		       n_fields = walk->document->text.n_fields;
		bool goes_on = false;
		status = bs_record_check(walk->n_members++, walk->err);
		if (!status)
			status = take_name(walk, &member, &goes_on);
		skip_space(scanner);
		if (status || !goes_on || scanner->at == scanner->end)
			break;
		uint8_t kind = *scanner->at++;
		is_empty = kind == '{' || kind == '[';
		if (is_empty) {
			scan->id_kind = is_id_value(scan, &member) ? kind : scan->id_kind;
			goes_on = scan->levels.used_bytes <
			          BS_RECORD_MAX_DEPTH * sizeof(struct level);
			status = goes_on ? open_level(walk, member, kind) : BS_OK;
		} else {
			status = take_scalar(walk, &member, kind, &goes_on);
			if (walk->document->text.n_fields == n_fields)
				scan->names.used_bytes = names_bytes;
		}
		if (!goes_on)
			break;
	}
	return status;
}

enum bs_status bs_record_scan_line(struct bs_record_scan *scan, const uint8_t *line,
                                   size_t line_bytes, bool as_it_is,
                                   struct bs_document *document_out, bool *is_known_out,
                                   struct bs_error *err)
{
	struct walk walk = {
		scan, {line, line + line_bytes}, document_out, as_it_is, scan->strings, err, 0};
	*document_out = (struct bs_document){.name.bytes = (const uint8_t *)"",
	                                     .name.is_line = true,
	                                     .known = {BS_DOC_NONE, 0},
	                                     .raw.bytes = line,
	                                     .raw.n_bytes = line_bytes};
	*is_known_out = false;
	scan->id_kind = 0;
	bs_buffer_clear(&scan->levels);
	/* Frees most of the memory that an earlier, huge line took. */
	bs_buffer_trim(&scan->fields, line_bytes * sizeof(struct bs_field) + KEPT_BYTES);
	bs_buffer_trim(&scan->names, line_bytes * BS_RECORD_NAME_BYTES + KEPT_BYTES);
	bs_buffer_trim(&scan->text, line_bytes + scan->original_bytes + KEPT_BYTES);
	/* Resolved strings are not longer than the line, so text does not move while fields point
	 * into it. */
	size_t text_bytes = scan->strings ? scan->original_bytes : line_bytes;
	enum bs_status status = bs_buffer_reserve(&scan->text, text_bytes, err);
	if (!status && take(&walk.scanner, '{'))
		status = take_members(&walk, is_known_out);
	skip_space(&walk.scanner);
	*is_known_out &= !status && walk.scanner.at == walk.scanner.end &&
	                 (scan->is_valid || scan->options.has_separate_id ||
	                  document_out->text.n_fields > 0);
	struct bs_field *fields = (struct bs_field *)(void *)scan->fields.data;
	for (size_t i = 0; i < document_out->text.n_fields && !status; i++)
		fields[i].name = (const char *)scan->names.data + (uintptr_t)fields[i].name;
	document_out->text.fields = fields;
	return status;
}
