/*
 * record_simdjson.cpp: record.h on top of simdjson's DOM parser, which validates all of a line, nested values too (its
 * On-Demand parser validates only what is looked at); record_scan.c then takes the texts, strings as simdjson resolved
 * them, since it does not tell how a number is spelled. No exception leaves this file.
 *
 * simdjson refuses some valid JSON (numbers beyond 64 bits or beyond a double, lone surrogate escapes) and all invalid
 * UTF-8. When it does, the line is rewritten into one that means the same to us and parsed again:
 *
 *   - an invalid UTF-8 sequence becomes U+FFFD, a lone surrogate escape becomes \ufffd;
 *   - a number that keeps to the grammar becomes the offset of its own text in the line, so that it can be read there;
 *   - all else stays, so that simdjson has the last word on what is not JSON.
 */
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/bitsift/terminal.h"
#include "corpus/read/record.h"

#ifdef BITSIFT_LOAD_LATE
/* The one function of the library that its headers call is ours, which hands the call on: a name for the linker that it
 * is given before the headers declare it. */
namespace simdjson {
class implementation;
namespace internal {
template <typename T> class atomic_ptr;
}
extern internal::atomic_ptr<const implementation> &get_active_implementation() __asm__("bs_simdjson_active");
}
#endif
#include <simdjson.h>

#include <pthread.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

#include "core/base/buffer.h"
#include "core/base/library.h"
#include "corpus/read/record_scan.h"

using simdjson::error_code;
namespace dom = simdjson::dom;

/* Lines shorter than this never cost an allocation after the first. */
static const size_t LEAST_CAPACITY_BYTES = 64 * 1024;
/* After a line longer than this the memory is given back as soon as lines are short again. */
static const size_t GENEROUS_CAPACITY_BYTES = 32 * 1024 * 1024;

struct bs_record_parser {
	struct bs_record_scan scan;
	dom::parser json;
	dom::document document;
	struct bs_buffer line; /* the line as given to simdjson, padded */
	char reason[256];
	struct bs_refusal refusal; /* of the line, if it is no document */
};

/* simdjson chooses its kernels when first used, and ends the program if the 60 bytes that it allocates for that are not
 * to be had (its functions are noexcept). So it is made to choose before there is much else: when it is loaded, or when
 * the program starts. */
static void choose_kernels()
{
	(void)simdjson::get_active_implementation()->name();
}

#ifdef BITSIFT_LOAD_LATE

static decltype(&simdjson::get_active_implementation) active;
static const simdjson::internal::error_code_info *error_codes;
static enum bs_status load_outcome;
static struct bs_error load_why;

simdjson::internal::atomic_ptr<const simdjson::implementation> &simdjson::get_active_implementation()
{
	return active();
}

static void load()
{
	/* Names as the linker has them: a build looks whether the library has the first. */
	static const struct bs_library_symbol symbols[] = {
		{"_ZN8simdjson25get_active_implementationEv", &active},
		{"_ZN8simdjson8internal11error_codesE", &error_codes},
	};
	load_outcome = bs_library_load("simdjson", BS_SIMDJSON_SONAME, BS_SIMDJSON_FOLDER, symbols, 2, &load_why);
	if (!load_outcome)
		choose_kernels();
}

static enum bs_status load_simdjson(struct bs_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	return load_outcome ? bs_fail(err, load_outcome, "%s", load_why.text) : BS_OK;
}

static const char *message_of(error_code error)
{
	return error_codes[static_cast<int>(error)].message;
}

#else

__attribute__((constructor)) static void choose_at_start()
{
	choose_kernels();
}

static enum bs_status load_simdjson(struct bs_error *)
{
	return BS_OK;
}

static const char *message_of(error_code error)
{
	return simdjson::error_message(error);
}

#endif

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_of_number(uint8_t c)
{
	return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* The longest text at `from` that could be a number. */
static std::string_view number_text(const uint8_t *from, const uint8_t *end)
{
	const uint8_t *at = from;
	while (at < end && is_of_number(*at))
		at++;
	return {reinterpret_cast<const char *>(from), static_cast<size_t>(at - from)};
}

/* RFC 8259: [ "-" ] ( "0" / 1-9 *DIGIT ) [ "." 1*DIGIT ] [ ( "e" / "E" ) [ "-" / "+" ] 1*DIGIT ] */
static bool is_number(std::string_view text)
{
	size_t at = 0;
	auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
	auto skip_digits = [&] {
		size_t from = at;
		while (is_digit(static_cast<uint8_t>(peek())))
			at++;
		return at > from;
	};
	if (peek() == '-')
		at++;
	if (peek() == '0')
		at++;
	else if (!skip_digits())
		return false;
	if (peek() == '.') {
		at++;
		if (!skip_digits())
			return false;
	}
	if (peek() == 'e' || peek() == 'E') {
		at++;
		if (peek() == '-' || peek() == '+')
			at++;
		if (!skip_digits())
			return false;
	}
	return at == text.size();
}

/* The code unit of the \uXXXX escape at `at`, or -1 if there is none. */
static int escaped_unit(const uint8_t *at, const uint8_t *end)
{
	unsigned unit = 0;
	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	const char *digits = reinterpret_cast<const char *>(at) + 2;
	auto [after, error] = std::from_chars(digits, digits + 4, unit, 16);
	return error == std::errc() && after == digits + 4 ? static_cast<int>(unit) : -1;
}

/* A line being rewritten: where we are, and how deep. Sticky: after BS_NO_MEMORY nothing more is written. */
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
	bool is_valid = bs_visible_next(r->at, static_cast<size_t>(r->end - r->at), &n_bytes) >= 0;
	emit(r, is_valid ? r->at : reinterpret_cast<const uint8_t *>("\xef\xbf\xbd"), is_valid ? n_bytes : 3);
	r->at += n_bytes;
}

static void rewrite_escape(struct rewriter *r)
{
	int unit = escaped_unit(r->at, r->end);
	if (unit < 0) {
		/* Also when a wrong byte follows: it is seen on its own next, unless it could end the string. */
		copy_bytes(r, r->end - r->at > 1 && r->at[1] < 0x80 ? 2 : 1);
		return;
	}
	if (unit < 0xd800 || unit > 0xdfff) {
		copy_bytes(r, 6);
		return;
	}
	int next = unit < 0xdc00 ? escaped_unit(r->at + 6, r->end) : -1;
	if (next >= 0xdc00 && next <= 0xdfff) {
		copy_bytes(r, 12);
	} else {
		emit(r, "\\ufffd", 6);
		r->at += 6;
	}
}

static void rewrite_number(struct rewriter *r)
{
	std::string_view text = number_text(r->at, r->end);
	r->status = bs_record_ask_bytes(text.size(), r->err);
	bool is_valid = !r->status && is_number(text);
	if (!r->status)
		r->status = bs_record_ask_bytes(text.size(), r->err);
	if (!is_valid) {
		copy_bytes(r, text.size());
		return;
	}
	char digits[24];
	size_t offset = static_cast<size_t>(r->at - r->line);
	emit(r, digits, static_cast<size_t>(std::to_chars(digits, digits + sizeof(digits), offset).ptr - digits));
	r->at += text.size();
}

/* A run of bytes inside a string that mean themselves. */
static void rewrite_plain(struct rewriter *r)
{
	const uint8_t *to = r->at;
	while (to < r->end && *to < 0x80 && *to != '"' && *to != '\\')
		to++;
	copy_bytes(r, static_cast<size_t>(to - r->at));
}

static enum bs_status rewrite_line(const uint8_t *line, size_t line_bytes, struct bs_buffer *out, struct bs_error *err)
{
	struct rewriter r = {line, line, line + line_bytes, out, false, BS_OK, err};
	uint64_t n_rounds = 0;
	bs_buffer_clear(out);
	while (r.at < r.end && !r.status) {
		uint8_t c = *r.at;
		r.status = bs_record_ask(n_rounds++, err);
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

static void forget_document(struct bs_record_parser *parser)
{
	parser->json = dom::parser();
	parser->document = dom::document();
}

/* Room for simdjson's tape and strings, doubled as lines get longer; what one huge line took is given back. */
static error_code reserve_document(struct bs_record_parser *parser, size_t line_bytes)
{
	size_t capacity = parser->document.capacity();
	if (capacity > GENEROUS_CAPACITY_BYTES && line_bytes < capacity / 8) {
		forget_document(parser);
		capacity = 0;
	}
	if (line_bytes <= capacity)
		return simdjson::SUCCESS;
	size_t wanted = line_bytes < LEAST_CAPACITY_BYTES ? LEAST_CAPACITY_BYTES : line_bytes + line_bytes / 2;
	if (wanted > simdjson::SIMDJSON_MAXSIZE_BYTES)
		wanted = simdjson::SIMDJSON_MAXSIZE_BYTES;
	/* simdjson counts the value inside the deepest array as a level too. */
	error_code error = parser->json.allocate(wanted, BS_RECORD_MAX_DEPTH + 1);
	return error ? error : parser->document.allocate(wanted);
}

/* Pads and parses parser->line. */
static enum bs_status parse_padded(struct bs_record_parser *parser, dom::element *root_out, error_code *error_out,
                                   struct bs_error *err)
{
	static const uint8_t padding[simdjson::SIMDJSON_PADDING] = {0};
	size_t line_bytes = parser->line.used_bytes;
	if (line_bytes > simdjson::SIMDJSON_MAXSIZE_BYTES) {
		*error_out = simdjson::CAPACITY;
		return BS_OK;
	}
	enum bs_status status = bs_buffer_append(&parser->line, padding, sizeof(padding), err);
	if (status)
		return status;
	error_code error = reserve_document(parser, line_bytes);
	if (!error) {
		error = parser->json.parse_into_document(parser->document, parser->line.data, line_bytes, false)
		                .get(*root_out);
	}
	if (error == simdjson::MEMALLOC)
		return bs_fail_memory(err, "a JSON record", line_bytes);
	*error_out = error;
	return BS_OK;
}

static bool may_be_valid_after_all(error_code error)
{
	return error == simdjson::NUMBER_ERROR || error == simdjson::STRING_ERROR || error == simdjson::UTF8_ERROR;
}

/* A line that is no document. */
static enum bs_status refuse(struct bs_record_parser *parser, enum bs_skip skip, const char *reason)
{
	parser->refusal.skip = skip;
	parser->refusal.reason = reason;
	return BS_OK;
}

static enum bs_status refuse_error(struct bs_record_parser *parser, error_code error)
{
	if (error == simdjson::CAPACITY)
		return refuse(parser, BS_SKIP_TOO_LARGE, "a record of 4 GiB or more");
	std::snprintf(parser->reason, sizeof(parser->reason), "not valid JSON: %s", message_of(error));
	return refuse(parser, BS_SKIP_BAD_RECORD, parser->reason);
}

static enum bs_status refuse_id(struct bs_record_parser *parser, const char *what)
{
	std::string_view field(bs_record_id_field(&parser->scan.options));
	std::snprintf(parser->reason, sizeof(parser->reason),
	              "the id (field \"%.*s\") is %s, not a string or an integer",
	              static_cast<int>(field.size() < 100 ? field.size() : 100), field.data(), what);
	return refuse(parser, BS_SKIP_BAD_RECORD, parser->reason);
}

/* May turn the record into a refusal. */
static enum bs_status take_id(struct bs_record_parser *parser, struct bs_document *document)
{
	const struct bs_record_scan *scan = &parser->scan;
	std::string_view text(reinterpret_cast<const char *>(scan->id), scan->id_bytes);
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
		if (text.find_first_of(".eE") != std::string_view::npos)
			return refuse_id(parser, "a floating-point number");
		if (text == "-0")
			text.remove_prefix(1);
	}
	document->is_named_by_line = false;
	document->name = reinterpret_cast<const uint8_t *>(text.empty() ? "" : text.data());
	document->name_bytes = text.size();
	return BS_OK;
}

/* Of parser->line, which is valid. */
static enum bs_status take_record(struct bs_record_parser *parser, struct bs_document *document, struct bs_error *err)
{
	const struct bs_document unread = *document;
	bool is_known;
	/* As simdjson's own readers find them there, by offsets of its tape; it appends one when it meets it. */
	parser->scan.strings = parser->document.string_buf.get();
	enum bs_status status = bs_record_scan_line(&parser->scan, parser->line.data,
	                                            parser->line.used_bytes - simdjson::SIMDJSON_PADDING, false,
	                                            document, &is_known, err);
	document->raw = unread.raw;
	document->raw_bytes = unread.raw_bytes;
	if (status)
		return status;
	if (!is_known)
		return refuse(parser, BS_SKIP_TOO_LARGE, "a record of more than 16,777,216 strings and numbers");
	status = take_id(parser, document);
	if (!status && !parser->refusal.reason && !document->n_fields && !parser->scan.options.is_given)
		return refuse(parser, BS_SKIP_NO_TEXT, "no text: no field to index is a string or a number");
	return status;
}

/* A number of 2 * LONG_RUN_BYTES or more has all bytes between two multiples of that. */
#define LONG_RUN_BYTES ((size_t)32768)

/* Whether the line may have a number of that length. simdjson would read it for long, and refuse it. */
static bool may_have_long_number(const uint8_t *line, size_t line_bytes)
{
	for (size_t start = 0; line_bytes - start >= LONG_RUN_BYTES; start += LONG_RUN_BYTES) {
		size_t n = 0;
		while (n < LONG_RUN_BYTES && is_of_number(line[start + n]))
			n++;
		if (n == LONG_RUN_BYTES)
			return true;
	}
	return false;
}

static enum bs_status parse_line(struct bs_record_parser *parser, const uint8_t *line, size_t line_bytes,
                                 struct bs_document *document, struct bs_error *err)
{
	if (line_bytes > simdjson::SIMDJSON_MAXSIZE_BYTES)
		return refuse_error(parser, simdjson::CAPACITY);
	dom::element root;
	error_code error = simdjson::SUCCESS;
	parser->scan.original = nullptr;
	parser->scan.original_bytes = 0;
	if (parser->line.capacity_bytes > GENEROUS_CAPACITY_BYTES && line_bytes < parser->line.capacity_bytes / 8)
		bs_buffer_deinit(&parser->line);
	bs_buffer_clear(&parser->line);
	enum bs_status status = bs_record_ask_bytes(line_bytes, err);
	if (!status && may_have_long_number(line, line_bytes)) {
		error = simdjson::NUMBER_ERROR;
	} else if (!status) {
		status = bs_buffer_append(&parser->line, line, line_bytes, err);
		if (!status)
			status = parse_padded(parser, &root, &error, err);
	}
	if (!status)
		status = bs_record_ask_bytes(line_bytes, err);
	if (!status && may_be_valid_after_all(error)) {
		parser->scan.original = line;
		parser->scan.original_bytes = line_bytes;
		status = rewrite_line(line, line_bytes, &parser->line, err);
		if (!status)
			status = parse_padded(parser, &root, &error, err);
	}
	if (status)
		return status;
	if (error)
		return refuse_error(parser, error);
	if (!root.is_object())
		return refuse(parser, BS_SKIP_BAD_RECORD, "not a JSON object");
	return take_record(parser, document, err);
}

enum bs_status bs_record_parser_new(const struct bs_record_options *options, struct bs_record_parser **parser_out,
                                    struct bs_error *err)
{
	*parser_out = nullptr;
	if (enum bs_status status = load_simdjson(err))
		return status;
	struct bs_record_parser *parser = new (std::nothrow) bs_record_parser();
	if (!parser)
		return bs_fail_memory(err, "a JSON parser", sizeof(*parser));
	parser->scan.options = *options;
	parser->scan.is_valid = true;
	*parser_out = parser;
	return BS_OK;
}

void bs_record_parser_set_given(struct bs_record_parser *parser, bool is_given)
{
	parser->scan.options.is_given = is_given;
}

void bs_record_parser_forget(struct bs_record_parser *parser)
{
	forget_document(parser);
	bs_buffer_deinit(&parser->line);
	bs_record_scan_deinit(&parser->scan);
}

void bs_record_parser_free(struct bs_record_parser *parser)
{
	if (!parser)
		return;
	bs_buffer_deinit(&parser->line);
	bs_record_scan_deinit(&parser->scan);
	delete parser;
}

enum bs_status bs_record_parse(struct bs_record_parser *parser, const uint8_t *line, size_t line_bytes,
                               struct bs_document *document_out, struct bs_refusal *refusal_out, struct bs_error *err)
{
	enum bs_status status;
	*document_out = {};
	document_out->name = reinterpret_cast<const uint8_t *>("");
	document_out->is_named_by_line = true;
	document_out->known.segment = BS_DOC_NONE;
	document_out->raw = line;
	document_out->raw_bytes = line_bytes;
	parser->refusal = {};
	try {
		status = parse_line(parser, line, line_bytes, document_out, err);
	} catch (...) {
		/* simdjson reports through codes; only an allocation inside the C++ library can end here. */
		status = bs_fail_memory(err, "a JSON record", line_bytes);
	}
	*refusal_out = parser->refusal;
	return status;
}
