/*
 * json.h: the interface of libbitsift-json.so, in C. It validates one line of JSON and resolves its
 * strings by simdjson's DOM parser, which checks nested values too (its On-Demand parser checks
 * only the values that are read).
 *
 * json.cpp and query/grep/match/re2.cpp are the only C++ of the engine. record.c loads this library
 * when the first record is parsed (core/system/library.h), because linking to simdjson and the C++
 * runtime costs each start of the program about 3.5 million cycles. Without BITSIFT_LOAD_LATE it is
 * linked in.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of all declarations below; increased when any of them changes. A library with another
 * version is rejected. */
#define BS_JSON_VERSION 1u

/* Longer lines are BS_JSON_TOO_LARGE. */
#define BS_JSON_MAX_BYTES 0xffffffffu
/* Bytes after a line that must be readable; their values do not matter. */
#define BS_JSON_PADDING 64u

/* Results of parsing a line. */
enum bs_json_outcome {
	BS_JSON_OBJECT,
	BS_JSON_NO_OBJECT, /* valid, but another type of value */
	BS_JSON_INVALID,
	/* Invalid UTF-8, a bad string or a bad number. Some of these are valid JSON that simdjson
	 * does not support: numbers beyond 64 bits or beyond a double, lone surrogate escapes. */
	BS_JSON_UNSUPPORTED,
	BS_JSON_TOO_LARGE,
	BS_JSON_NO_MEMORY,
};

struct bs_json_result {
	enum bs_json_outcome outcome;
	const char *reason; /* for BS_JSON_INVALID and BS_JSON_UNSUPPORTED; static */
	/* For BS_JSON_OBJECT: each string of the line, in order, as a length of four bytes, the
	 * text without escapes, and a NUL. Valid until the next call. */
	const uint8_t *strings;
};

/* A parser and its memory, which is reused for the next line. Not for concurrent use. */
struct bs_json_parser;

/* Returns BS_JSON_VERSION of the loaded library. */
uint32_t bs_json_version(void);
/* Creates a parser. max_depth: the maximum nesting of objects and arrays. Returns NULL if out of
 * memory. */
struct bs_json_parser *bs_json_new(size_t max_depth);
/* NULL is allowed. */
void bs_json_free(struct bs_json_parser *parser);
/* Frees the memory that holds the results of the last line. */
void bs_json_forget(struct bs_json_parser *parser);
/* Parses one line. BS_JSON_PADDING bytes after its line_bytes bytes must be readable. */
void bs_json_parse(struct bs_json_parser *parser, const uint8_t *line, size_t line_bytes,
                   struct bs_json_result *result_out);

/* clang-format off */
#define BS_JSON_FUNCTIONS(each) \
	each(bs_json_new) each(bs_json_free) each(bs_json_forget) each(bs_json_parse)
/* clang-format on */

#ifdef __cplusplus
}
#endif
