/* json.cpp: see json.h. No exception leaves this file. */
#include "corpus/read/json.h"

#include <simdjson.h>

#include <new>

#ifdef BITSIFT_LOAD_LATE
#define EXPORTED __attribute__((visibility("default")))
#else
#define EXPORTED
#endif

using simdjson::error_code;
namespace dom = simdjson::dom;

static_assert(simdjson::SIMDJSON_MAXSIZE_BYTES == BS_JSON_MAX_BYTES, "json.h says otherwise");
static_assert(simdjson::SIMDJSON_PADDING <= BS_JSON_PADDING, "json.h says otherwise");

/* The least capacity that is allocated, so that lines up to this size cause no allocation after the
 * first one. */
static const size_t LEAST_CAPACITY_BYTES = 64 * 1024;
/* A larger capacity, allocated for a long line, is freed when lines are short again. */
static const size_t GENEROUS_CAPACITY_BYTES = 32 * 1024 * 1024;

struct bs_json_parser {
	dom::parser json;
	dom::document document;
	size_t max_depth;
};

/* simdjson chooses its kernels on first use. If the 60 bytes that this allocates are not available,
 * it terminates the program (its functions are noexcept). So the choice is made as early as
 * possible: while this library is loaded. */
__attribute__((constructor)) static void choose_kernels()
{
	(void)simdjson::get_active_implementation()->name();
}

/* Allocates simdjson's tape and string buffer. Grows by half, so that lines of increasing length
 * cost few allocations. */
static error_code reserve(struct bs_json_parser *parser, size_t line_bytes)
{
	size_t capacity = parser->document.capacity();
	if (capacity > GENEROUS_CAPACITY_BYTES && line_bytes < capacity / 8) {
		bs_json_forget(parser);
		capacity = 0;
	}
	if (line_bytes <= capacity)
		return simdjson::SUCCESS;
	size_t wanted = line_bytes < LEAST_CAPACITY_BYTES ? LEAST_CAPACITY_BYTES
	                                                  : line_bytes + line_bytes / 2;
	if (wanted > simdjson::SIMDJSON_MAXSIZE_BYTES)
		wanted = simdjson::SIMDJSON_MAXSIZE_BYTES;
	/* simdjson also counts the value inside the deepest array as a level. */
	error_code error = parser->json.allocate(wanted, parser->max_depth + 1);
	return error ? error : parser->document.allocate(wanted);
}

static error_code parse(struct bs_json_parser *parser, const uint8_t *line, size_t line_bytes,
                        dom::element *root_out)
{
	if (line_bytes > simdjson::SIMDJSON_MAXSIZE_BYTES)
		return simdjson::CAPACITY;
	error_code error = reserve(parser, line_bytes);
	return error ? error
	             : parser->json.parse_into_document(parser->document, line, line_bytes, false)
	                       .get(*root_out);
}

static enum bs_json_outcome outcome_of(error_code error)
{
	switch (error) {
	case simdjson::CAPACITY:
		return BS_JSON_TOO_LARGE;
	case simdjson::MEMALLOC:
		return BS_JSON_NO_MEMORY;
	case simdjson::NUMBER_ERROR:
	case simdjson::STRING_ERROR:
	case simdjson::UTF8_ERROR:
		return BS_JSON_UNSUPPORTED;
	default:
		return BS_JSON_INVALID;
	}
}

EXPORTED uint32_t bs_json_version(void)
{
	return BS_JSON_VERSION;
}

EXPORTED struct bs_json_parser *bs_json_new(size_t max_depth)
{
	struct bs_json_parser *parser = new (std::nothrow) bs_json_parser();
	if (parser)
		parser->max_depth = max_depth;
	return parser;
}

EXPORTED void bs_json_free(struct bs_json_parser *parser)
{
	delete parser;
}

EXPORTED void bs_json_forget(struct bs_json_parser *parser)
{
	parser->json = dom::parser();
	parser->document = dom::document();
}

EXPORTED void bs_json_parse(struct bs_json_parser *parser, const uint8_t *line, size_t line_bytes,
                            struct bs_json_result *result_out)
{
	*result_out = {BS_JSON_NO_MEMORY, nullptr, nullptr};
	try {
		dom::element root;
		error_code error = parse(parser, line, line_bytes, &root);
		if (error) {
			result_out->outcome = outcome_of(error);
			result_out->reason = simdjson::error_message(error);
		} else {
			result_out->outcome = root.is_object() ? BS_JSON_OBJECT : BS_JSON_NO_OBJECT;
			/* The caller reads the strings directly from simdjson's string buffer,
			 * where they are in the order of the line, instead of by the offsets on
			 * simdjson's tape. */
			result_out->strings = parser->document.string_buf.get();
		}
	} catch (...) {
		/* Only an allocation inside the C++ library can throw; simdjson returns error
		 * codes. */
	}
}
