/* test_record.c: lines of JSONL: the rules of record.h, valid JSON of many kinds, and invalid
 * lines. */
#include "core/base/buffer.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "corpus/read/record.h"
#include "corpus/read/record_scan.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

static const struct bs_record_options no_options;
static struct bs_record_parser *usual; /* with no_options */

static struct bs_record_parser *new_parser(const struct bs_record_options *options)
{
	struct bs_record_parser *parser = NULL;
	ok(bs_record_parser_new(options, &parser, ERR));
	return parser;
}

struct record {
	struct bs_document document;
	struct bs_refusal refusal;
};

/* Parses a copy of exactly line_bytes bytes, so that a sanitizer detects reads past the end. */
static struct record parse(struct bs_record_parser *parser, const void *line, size_t line_bytes)
{
	struct record record;
	FREED uint8_t *copy = must_malloc(line_bytes);
	memcpy(copy, line, line_bytes);
	ok(bs_record_parse(parser, copy, line_bytes, &record.document, &record.refusal, ERR));
	/* The document must borrow from the parser, not from the line. */
	memset(copy, 'X', line_bytes);
	return record;
}

/* Describes a record as "id=ID name=text|name=text", or "line ..." without an id, or a refusal as
 * "no text", "too large" or "bad". NUL bytes are printed as "<0>". */
static void describe(const struct record *record, struct bs_buffer *out)
{
	const struct bs_document *document = &record->document;
	bs_buffer_clear(out);
	if (record->refusal.reason) {
		const char *kind = record->refusal.skip == BS_SKIP_NO_TEXT     ? "no text"
		                   : record->refusal.skip == BS_SKIP_TOO_LARGE ? "too large"
		                                                               : "bad";
		append_bytes(out, kind, strlen(kind) + 1);
		return;
	}
	append_string(out, document->name.is_line ? "line" : "id=");
	append_bytes(out, document->name.bytes, document->name.n_bytes);
	for (size_t i = 0; i < document->text.n_fields; i++) {
		const struct bs_field *field = &document->text.fields[i];
		append_string(out, i ? "|" : " ");
		append_bytes(out, field->name, field->name_bytes);
		append_string(out, "=");
		for (size_t j = 0; j < field->text_bytes; j++)
			append_bytes(out, field->text[j] ? (const char *)field->text + j : "<0>",
			             field->text[j] ? 1 : 3);
	}
	append_bytes(out, "", 1);
}

struct example {
	const char *line;
	const char *expected;
};

static void check_examples(const struct bs_record_options *options, const struct example *examples,
                           size_t n)
{
	struct bs_record_parser *parser = new_parser(options);
	AUTO(bs_buffer_deinit) struct bs_buffer found = {0};
	for (size_t i = 0; i < n; i++) {
		struct record record = parse(parser, examples[i].line, strlen(examples[i].line));
		describe(&record, &found);
		if (strcmp((const char *)found.data, examples[i].expected))
			fail_msg("%s\n  gave     %s\n  expected %s\n  reason   %s",
			         examples[i].line, (const char *)found.data, examples[i].expected,
			         record.refusal.reason ? record.refusal.reason : "");
	}
	bs_record_parser_free(parser);
}

#define CHECK(options, examples) check_examples(options, examples, COUNT(examples))

static void test_ids(void **state)
{
	static const struct example examples[] = {
		{"{\"id\":\"a\",\"t\":\"x\"}", "id=a t=x"},
		{"{\"t\":\"x\",\"id\":\"a\"}", "id=a t=x"},
		{"{\"id\":\"\",\"t\":\"x\"}", "id= t=x"},
		{"{\"id\":\" a\\tb/\\u00e9\",\"t\":\"x\"}", "id= a\tb/\xc3\xa9 t=x"},
		{"{\"\\u0069d\":\"a\",\"t\":\"x\"}", "id=a t=x"},
		{"{\"id\":0,\"t\":\"x\"}", "id=0 t=x"},
		{"{\"id\":-0,\"t\":\"x\"}", "id=0 t=x"},
		{"{\"id\":7,\"t\":\"x\"}", "id=7 t=x"},
		{"{\"id\":-42,\"t\":\"x\"}", "id=-42 t=x"},
		{"{\"id\":9223372036854775807,\"t\":\"x\"}", "id=9223372036854775807 t=x"},
		{"{\"id\":9223372036854775808,\"t\":\"x\"}", "id=9223372036854775808 t=x"},
		{"{\"id\":-9223372036854775808,\"t\":\"x\"}", "id=-9223372036854775808 t=x"},
		{"{\"id\":-9223372036854775809,\"t\":\"x\"}", "id=-9223372036854775809 t=x"},
		{"{\"id\":18446744073709551615,\"t\":\"x\"}", "id=18446744073709551615 t=x"},
		{"{\"id\":18446744073709551616,\"t\":\"x\"}", "id=18446744073709551616 t=x"},
		{"{ \"id\" : 123456789012345678901234567890 , \"t\" : \"x\" }",
	         "id=123456789012345678901234567890 t=x"},
		{"{\"t\":\"x\"}", "line t=x"},
		{"{\"id\":null,\"t\":\"x\"}", "line t=x"},
		{"{\"a\":{\"id\":\"z\"},\"t\":\"x\"}", "line a.id=z|t=x"},
		{"{\"id\":1.0,\"t\":\"x\"}", "bad"},
		{"{\"id\":1e3,\"t\":\"x\"}", "bad"},
		{"{\"id\":-0.0,\"t\":\"x\"}", "bad"},
		{"{\"id\":1e999,\"t\":\"x\"}", "bad"},
		{"{\"id\":true,\"t\":\"x\"}", "bad"},
		{"{\"id\":false,\"t\":\"x\"}", "bad"},
		{"{\"id\":{},\"t\":\"x\"}", "bad"},
		{"{\"id\":[1],\"t\":\"x\"}", "bad"},
		{"{\"id\":[123456789012345678901234567890],\"t\":\"x\"}", "bad"},
		/* The last id counts. */
		{"{\"id\":\"a\",\"t\":\"x\",\"id\":\"b\"}", "id=b t=x"},
		{"{\"id\":1.5,\"t\":\"x\",\"id\":2}", "id=2 t=x"},
		{"{\"id\":\"a\",\"t\":\"x\",\"id\":null}", "line t=x"},
		{"{\"id\":\"a\",\"t\":\"x\",\"id\":[]}", "bad"},
		/* An integer id in a line that is rewritten because of another value. */
		{"{\"big\":1e999,\"id\":12,\"t\":\"x\"}", "id=12 big=1e999|t=x"},
		{"{\"big\":1e999,\"id\":-0,\"t\":\"x\"}", "id=0 big=1e999|t=x"},
		{"{\"big\":1e999,\"id\":0,\"t\":\"x\"}", "id=0 big=1e999|t=x"},
		{"{\"big\":[{\"id\":5}],\"id\":1e1,\"t\":\"\\ud800\"}", "bad"},
		{"{\"id\":18446744073709551616,\"t\":\"\\udfff\"}",
	         "id=18446744073709551616 t=\xef\xbf\xbd"},
	};
	CHECK(&no_options, examples);
}

static void test_id_field(void **state)
{
	static const struct example examples[] = {
		{"{\"id\":\"a\",\"key\":\"b\",\"t\":\"x\"}", "id=b id=a|t=x"},
		{"{\"id\":\"a\",\"t\":\"x\"}", "line id=a|t=x"},
		{"{\"id\":1.5,\"key\":3,\"t\":\"x\"}", "id=3 id=1.5|t=x"},
	};
	struct bs_record_options options = {.id_field = "key"};
	CHECK(&options, examples);
}

static void test_text(void **state)
{
	static const struct example examples[] = {
		{"{\"id\":\"a\",\"b\":\"1\",\"a\":\"2\"}", "id=a b=1|a=2"},
		{"{\"t\":\"x\",\"t\":\"y\"}", "line t=x|t=y"},
		{"{\"t\":\"\"}", "line t="},
		{"{\"\":\"x\"}", "line =x"},
		{"{\"t\":\"a\\u0000b\"}", "line t=a<0>b"},
		{"{\"t\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "line t=\"\\/\b\f\n\r\t"},
		{"{\"t\":\"\\uD83D\\ude00\"}", "line t=\xf0\x9f\x98\x80"},
		{"{\"n\":1,\"b\":true,\"z\":null,\"a\":[\"in\"],\"o\":{\"k\":\"too\"},\"t\":\"x\"}",
	         "line n=1|a=in|o.k=too|t=x"},
		{" \t{\"t\":\"x\"} \r\n", "line t=x"},
		{"{}", "no text"},
		{"{\"id\":\"a\"}", "no text"},
		{"{\"id\":\"a\",\"n\":[true,null,[],{\"x\":{}}]}", "no text"},
		{"{\"id\":1.5}", "bad"},
	};
	CHECK(&no_options, examples);
}

static void test_text_fields(void **state)
{
	static const struct example examples[] = {
		{"{\"id\":\"a\",\"b\":\"1\",\"c\":\"2\",\"a\":\"3\"}", "id=a b=1|a=3"},
		{"{\"b\":\"1\",\"b\":\"2\"}", "line b=1|b=2"},
		{"{\"id\":\"a\",\"c\":\"2\"}", "no text"},
		{"{\"id\":\"a\",\"b\":5}", "id=a b=5"},
		{"{\"id\":\"a\",\"b\":{\"a\":5}}", "no text"},
		{"{\"c\":{\"d\":[{\"e\":\"1\",\"f\":\"2\"},\"3\"]},\"c.d\":{\"e\":4}}",
	         "line c.d.e=1|c.d.e=4"},
	};
	static const char *const fields[] = {"a", "b", "c.d.e"};
	struct bs_record_options options = {.text_fields = fields, .n_text_fields = 3};
	CHECK(&options, examples);
	/* The id field is also text if it is requested. */
	static const struct example id_examples[] = {
		{"{\"id\":\"a\",\"b\":\"1\"}", "id=a id=a|b=1"},
		{"{\"id\":12,\"b\":\"1\"}", "id=12 id=12|b=1"},
	};
	static const char *const id_fields[] = {"b", "id"};
	options.text_fields = id_fields;
	options.n_text_fields = 2;
	CHECK(&options, id_examples);
}

/* All of these are valid by RFC 8259. */
static void test_valid_is_never_refused(void **state)
{
	static const struct example examples[] = {
		{"{\"n\":123456789012345678901234567890,\"t\":\"x\"}",
	         "line n=123456789012345678901234567890|t=x"},
		{"{\"n\":[-123456789012345678901234567890],\"t\":\"x\"}",
	         "line n=-123456789012345678901234567890|t=x"},
		{"{\"n\":1e999,\"t\":\"x\"}", "line n=1e999|t=x"},
		{"{\"n\":-1E+999,\"t\":\"x\"}", "line n=-1E+999|t=x"},
		{"{\"n\":1e-999,\"t\":\"x\"}", "line n=1e-999|t=x"},
		{"{\"n\":1e99999999999999999999999999,\"t\":\"x\"}",
	         "line n=1e99999999999999999999999999|t=x"},
		{"{\"n\":0.1e-99999999999999999999999999,\"t\":\"x\"}",
	         "line n=0.1e-99999999999999999999999999|t=x"},
		{"{\"n\":{\"m\":[1e999,{\"k\":99999999999999999999}]},\"t\":\"x\"}",
	         "line n.m=1e999|n.m.k=99999999999999999999|t=x"},
		{"{\"t\":\"1e999\",\"n\":1e999}", "line t=1e999|n=1e999"},
		{"{\"t\":\"a\\\"1e999\\\"\",\"n\":1e999}", "line t=a\"1e999\"|n=1e999"},
		{"{\"t\":\"\\ud800\"}", "line t=\xef\xbf\xbd"},
		{"{\"t\":\"\\udc00\"}", "line t=\xef\xbf\xbd"},
		{"{\"t\":\"a\\uD800b\"}", "line t=a\ufffdb"},
		{"{\"t\":\"\\ud800\\ud800\"}", "line t=\xef\xbf\xbd\xef\xbf\xbd"},
		{"{\"t\":\"\\ud800\\ud83d\\ude00\"}", "line t=\xef\xbf\xbd\xf0\x9f\x98\x80"},
		{"{\"t\":\"\\ud800\\u0041\"}", "line t=\ufffdA"},
		{"{\"t\":\"\\ud800\\n\"}", "line t=\xef\xbf\xbd\n"},
		{"{\"t\":\"\\\\ud800\"}", "line t=\\ud800"},
		{"{\"t\":\"\\\\\\ud800\"}", "line t=\\\xef\xbf\xbd"},
		{"{\"\\ud800\":\"x\"}", "line \xef\xbf\xbd=x"},
		{"{\"id\":\"\\ud800\",\"t\":\"x\"}", "id=\xef\xbf\xbd t=x"},
		{"{\"t\":\"\x7f\xc2\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf\"}",
	         "line t=\x7f\xc2\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf"},
	};
	CHECK(&no_options, examples);
}

static void test_invalid_utf8(void **state)
{
	static const struct example examples[] = {
		{"{\"t\":\"a\377b\"}", "line t=a\ufffdb"},
		{"{\"t\":\"\xc3\"}", "line t=\xef\xbf\xbd"},
		{"{\"t\":\"\xc3\\n\"}", "line t=\xef\xbf\xbd\n"},
		{"{\"t\":\"\xe2\x82\"}", "line t=\xef\xbf\xbd"},
		{"{\"t\":\"\xe2\x82\xe2\x82\xac\"}", "line t=\xef\xbf\xbd\xe2\x82\xac"},
		{"{\"t\":\"\xf0\x9f\x98\"}", "line t=\xef\xbf\xbd"},
		{"{\"t\":\"\xc0\x80\"}", "line t=\xef\xbf\xbd\xef\xbf\xbd"},
		{"{\"t\":\"\xed\xa0\x80\"}", "line t=\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"{\"t\":\"\xf4\x90\x80\x80\"}",
	         "line t=\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"{\"t\":\"\xe0\x9f\xbf\"}", "line t=\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"{\"t\xfe\":\"x\"}", "line t\xef\xbf\xbd=x"},
		{"{\"id\":\"\xfe\",\"t\":\"x\"}", "id=\xef\xbf\xbd t=x"},
		{"{\"id\":12345678901234567890123,\"t\":\"\xfe\"}",
	         "id=12345678901234567890123 t=\xef\xbf\xbd"},
		/* Replacing invalid bytes moves the id in the line. Its digits must still be
		 * found. */
		{"{\"t\":\"\xfe\xfe\xfe\",\"id\":77}",
	         "id=77 t=\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"{\"t\":\"x\"}\xff", "bad"},
		{"\xff{\"t\":\"x\"}", "bad"},
		{"{\"t\":\"\\\xff\"}", "bad"},
		{"{\"t\":\"\xff", "bad"},
	};
	CHECK(&no_options, examples);
}

static void test_bad_lines(void **state)
{
	static const char *const lines[] = {
		"", " ", "null", "\"t\"", "12", "123456789012345678901234567890", "[]",
		"[{\"t\":\"x\"}]", "{", "}", "{\"t\"", "{\"t\":", "{\"t\":}", "{\"t\":\"x\"",
		"{\"t\":\"x", "{\"t\":\"x\",}", "{\"t\":\"x\"}}", "{\"t\":\"x\"}{\"t\":\"x\"}",
		"{\"t\":\"x\"} y", "{t:\"x\"}", "{'t':'x'}", "{\"t\":\"x\" \"u\":\"y\"}",
		"{\"t\":\"x\",,\"u\":\"y\"}", "{\"t\":\"\t\"}", "{\"t\":\"\\x41\"}",
		"{\"t\":\"\\u12\"}", "{\"t\":\"\\u12g4\"}", "{\"t\":\"\\ud800\\uzzzz\"}",
		/* Invalid numbers, literals and arrays. */
		"{\"t\":\"x\",\"n\":01}", "{\"t\":\"x\",\"n\":1.}", "{\"t\":\"x\",\"n\":.5}",
		"{\"t\":\"x\",\"n\":1e}", "{\"t\":\"x\",\"n\":1e+}", "{\"t\":\"x\",\"n\":-}",
		"{\"t\":\"x\",\"n\":+1}", "{\"t\":\"x\",\"n\":--1}", "{\"t\":\"x\",\"n\":1-1}",
		"{\"t\":\"x\",\"n\":1e5e5}", "{\"t\":\"x\",\"n\":123456789012345678901x}",
		"{\"t\":\"x\",\"n\":123456789012345678901 2}", "{\"t\":\"x\",\"n\":1e999,\"m\":01}",
		"{\"t\":\"x\",\"n\":NaN}", "{\"t\":\"x\",\"n\":tru}",
		"{\"t\":\"x\",\"n\":[1,2,,3]}", "{\"t\":\"x\",\"n\":[1 2]}",
		"{\"t\":\"x\",\"n\":[1,2}", "{\"t\":\"x\",\"n\":{\"a\"}}",
		"{\"t\":\"x\",\"n\":{\"a\":[\"\\q\"]}}", "{\"t\":\"x\" /* no */}",
		"\xef\xbb\xbf{\"t\":\"x\"}"};
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct record record = parse(usual, lines[i], strlen(lines[i]));
		if (!record.refusal.reason || record.refusal.skip != BS_SKIP_BAD_RECORD)
			fail_msg("accepted: %s", lines[i]);
		assert_non_null(record.refusal.reason);
		assert_null(strchr(record.refusal.reason, '\n'));
		assert_true(strlen(record.refusal.reason) > 10);
	}
	/* A NUL byte in a line is a control character, which must be escaped. */
	struct record record = parse(usual, "{\"t\":\"\0\"}", 9);
	assert_non_null(record.refusal.reason);
	/* The parser still works after these errors. */
	record = parse(usual, "{\"t\":\"x\"}", 9);
	assert_null(record.refusal.reason);
}

/* Every prefix of a line is invalid, and none makes the parser read past its end. */
static void test_prefixes(void **state)
{
	static const char line[] =
		"{\"id\":12345678901234567890123,\"a\":[1e999,{\"b\":\"\\ud800\\udc00\xff\"}],"
		"\"t\":\"\\\\\\ud800\xe2\x82\xac\",\"u\":null}";
	size_t n_bytes = strlen(line);
	for (size_t i = 0; i < n_bytes; i++) {
		struct record record = parse(usual, line, i);
		assert_non_null(record.refusal.reason);
	}
	struct record record = parse(usual, line, n_bytes);
	assert_null(record.refusal.reason);
}

static void test_nesting(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer line = {0};
	static const size_t depths[] = {
		2, 1023, 1024, 1025, BS_RECORD_MAX_DEPTH, BS_RECORD_MAX_DEPTH + 1, 1000000};
	for (size_t i = 0; i < COUNT(depths); i++) {
		bs_buffer_clear(&line);
		append_string(&line, "{\"t\":\"x\",\"n\":");
		for (size_t j = 1; j < depths[i]; j++)
			append_string(&line, j % 2 ? "[" : "{\"a\":");
		append_string(&line, i % 2 ? "0" : "1e999");
		for (size_t j = depths[i] - 1; j > 0; j--)
			append_string(&line, j % 2 ? "]" : "}");
		append_string(&line, "}");
		struct record record = parse(usual, line.data, line.used_bytes);
		if (!record.refusal.reason != (depths[i] <= BS_RECORD_MAX_DEPTH))
			fail_msg("depth %zu: %s", depths[i],
			         record.refusal.reason ? record.refusal.reason : "accepted");
	}
}

static void check_giant(size_t text_bytes, const char *escape, const char *meaning)
{
	struct bs_buffer line = {0};
	append_string(&line, "{\"id\":\"giant\",\"t\":\"");
	ok(bs_buffer_reserve(&line, text_bytes, ERR));
	memset(line.data + line.used_bytes, 'y', text_bytes);
	line.used_bytes += text_bytes;
	append_string(&line, escape);
	append_string(&line, "\"}");
	struct record record = parse(usual, line.data, line.used_bytes);
	bs_buffer_deinit(&line);
	assert_null(record.refusal.reason);
	assert_memory_equal(record.document.name.bytes, "giant", 5);
	assert_int_equal(record.document.text.n_bytes, text_bytes + strlen(meaning));
	assert_int_equal(record.document.text.fields[0].text[text_bytes - 1], 'y');
	assert_memory_equal(record.document.text.fields[0].text + text_bytes, meaning,
	                    strlen(meaning));
}

static void test_giant_records(void **state)
{
	check_giant(200 << 20, "\\u00e9", "\xc3\xa9");
	check_giant(10, "\\n", "\n");
	check_giant(5 << 20, "\\ud800", "\xef\xbf\xbd");
	check_giant(100 << 20, "\xff", "\xef\xbf\xbd");
}

/* A line of 4 GiB is refused by its length, before its bytes are read: one byte suffices here. */
static void test_too_large(void **state)
{
	struct record record;
	ok(bs_record_parse(usual, (const uint8_t *)"{", (size_t)1 << 32, &record.document,
	                   &record.refusal, ERR));
	assert_non_null(record.refusal.reason);
	assert_int_equal(record.refusal.skip, BS_SKIP_TOO_LARGE);
}

/* Appends a random string literal to `json`, and its value to `meaning`. */
static void append_random_string(struct bs_buffer *json, struct bs_buffer *meaning)
{
	static const struct {
		const char *json;
		const char *meaning;
	} pieces[] = {
		{"a", "a"},
		{"word", "word"},
		{" ", " "},
		{"{", "{"},
		{"]", "]"},
		{",", ","},
		{"17", "17"},
		{"\\\"", "\""},
		{"\\\\", "\\"},
		{"\\n", "\n"},
		{"\\u00e9", "\xc3\xa9"},
		{"\\uD83D\\uDE00", "\xf0\x9f\x98\x80"},
		{"\xe2\x82\xac", "\xe2\x82\xac"},
		{"\\udc00", "\xef\xbf\xbd"},
		{"\xff", "\xef\xbf\xbd"},
	};
	/* Some strings have no pieces that simdjson refuses, so that both code paths are taken. */
	size_t n_pieces = COUNT(pieces) - (below(4) ? 2 : 0);
	append_string(json, "\"");
	for (uint32_t n = below(12); n; n--) {
		size_t i = below(n_pieces);
		append_string(json, pieces[i].json);
		append_string(meaning, pieces[i].meaning);
	}
	append_string(json, "\"");
}

/* Appends to `expected` what the description of a record has for a value with this name. */
static void append_expected(struct bs_buffer *expected, const char *name, const void *text,
                            size_t n_bytes)
{
	append_string(expected,
	              memchr(expected->data + 3, '=', expected->used_bytes - 3) ? "|" : "");
	append_string(expected, name);
	append_string(expected, "=");
	append_bytes(expected, text, n_bytes);
}

static void append_random_value(struct bs_buffer *json, struct bs_buffer *expected,
                                const char *name, int depth);

/* Appends a member with a random value. key: as JSON. suffix: appended to `name` in `expected`. */
static void append_random_member(struct bs_buffer *json, const char *key,
                                 struct bs_buffer *expected, const char *name, const char *suffix,
                                 int depth)
{
	char inner[64];
	snprintf(inner, sizeof(inner), "%s%s", name, suffix);
	append_string(json, key);
	append_random_value(json, expected, inner, depth);
}

static void append_random_value(struct bs_buffer *json, struct bs_buffer *expected,
                                const char *name, int depth)
{
	static const char *const plain[] = {"0",    "-1.5e3", "7E-2",
	                                    "true", "null",   "[]",
	                                    "{ }",  "1e999",  "99999999999999999999"};
	switch (depth < 4 ? below(5) : 4) {
	case 0:
		append_string(json, "[ ");
		append_random_value(json, expected, name, depth + 1);
		append_random_member(json, ",{\"\\u0061\":", expected, name, ".a", depth + 1);
		append_string(json, "}]");
		break;
	case 1:
		append_random_member(json, "{\"\": ", expected, name, ".", depth + 1);
		append_random_member(json, ", \"b.c\":", expected, name, ".b.c", depth + 1);
		append_string(json, " }");
		break;
	case 2: {
		struct bs_buffer meaning = {0};
		append_bytes(&meaning, "", 0);
		append_random_string(json, &meaning);
		append_expected(expected, name, meaning.data, meaning.used_bytes);
		bs_buffer_deinit(&meaning);
		break;
	}
	default: {
		const char *value = plain[below(9)];
		append_string(json, value);
		if (*value == '-' || (*value >= '0' && *value <= '9'))
			append_expected(expected, name, value, strlen(value));
	}
	}
}

/* The fast reader must find the same texts, unless the line has no text or is not UTF-8. */
static void check_scan_as(struct bs_record_scan *scan, bool as_it_is, const struct bs_buffer *json,
                          const struct bs_document *document, bool is_utf8)
{
	struct bs_document scanned;
	bool is_known;
	ok(bs_record_scan_line(scan, json->data, json->used_bytes, as_it_is, &scanned, &is_known,
	                       ERR));
	assert_true(is_known || document->text.n_fields == 0 || !is_utf8);
	assert_true(!as_it_is || !is_known || bs_record_scan_resolve(scan, &scanned));
	for (size_t i = 0; i < document->text.n_fields && is_utf8; i++) {
		const struct bs_field *field = &document->text.fields[i],
				      *quick = &scanned.text.fields[i];
		assert_int_equal(scanned.text.n_fields, document->text.n_fields);
		assert_int_equal(field->name_bytes, quick->name_bytes);
		assert_memory_equal(field->name, quick->name, field->name_bytes);
		assert_int_equal(field->text_bytes, quick->text_bytes);
		assert_memory_equal(field->text, quick->text, field->text_bytes);
	}
}

/* Scans the line with resolved escapes, and with unresolved ones that a second step resolves. */
static void check_scan(struct bs_record_scan *scan, const struct bs_buffer *json,
                       const struct bs_document *document, bool is_utf8)
{
	check_scan_as(scan, false, json, document, is_utf8);
	check_scan_as(scan, true, json, document, is_utf8);
}

static void test_random_records(void **state)
{
	AUTO(bs_record_scan_deinit) struct bs_record_scan scan = {0};
	AUTO(bs_buffer_deinit) struct bs_buffer json = {0}, expected = {0}, found = {0};
	for (int i = 0; i < 20000; i++) {
		char id[32];
		bs_buffer_clear(&json);
		bs_buffer_clear(&expected);
		snprintf(id, sizeof(id), "%" PRIu64,
		         ((uint64_t)below(UINT32_MAX) << 32 | below(UINT32_MAX)) >> below(64));
		append_format(&expected, "id=%s ", id);
		append_string(&json, "{");
		for (uint32_t n = 1 + below(8); n > 0; n--) {
			append_string(&json, "\"x\" : ");
			append_random_value(&json, &expected, "x", 0);
			append_string(&json, ", ");
		}
		append_format(&json, "\"t\":\"\",\"id\":%s}", id);
		append_expected(&expected, "t", "", 0);
		append_bytes(&expected, "", 1);
		struct record record = parse(usual, json.data, json.used_bytes);
		describe(&record, &found);
		if (strcmp((const char *)found.data, (const char *)expected.data))
			fail_msg("%.*s\n  gave     %s\n  expected %s", (int)json.used_bytes,
			         (const char *)json.data, (const char *)found.data,
			         (const char *)expected.data);
		check_scan(&scan, &json, &record.document,
		           !memchr(json.data, 0xff, json.used_bytes));
	}
}

/* A field's name with its prefixes (the names of the enclosing objects) has at most
 * BS_RECORD_NAME_BYTES. All texts of a deep record are found, also by the fast reader. */
static void test_deep_names(void **state)
{
	AUTO(bs_record_scan_deinit) struct bs_record_scan scan = {0};
	AUTO(bs_buffer_deinit) struct bs_buffer line = {0};
	const size_t depth = 60000;
	append_string(&line, "{");
	append_repeated(&line, "\"key\":{\"s\":\"x\",", depth - 1);
	append_string(&line, "\"t\":1");
	append_repeated(&line, "}", depth);
	struct record record = parse(usual, line.data, line.used_bytes);
	const struct bs_document *document = &record.document;
	assert_null(record.refusal.reason);
	assert_int_equal(document->text.n_fields, depth);
	assert_int_equal(document->text.fields[0].name_bytes, strlen("key.s"));
	assert_int_equal(document->text.fields[62].name_bytes, 253);
	assert_memory_equal(document->text.fields[62].name + 244, "key.key.s", 9);
	assert_int_equal(document->text.fields[63].name_bytes, 255);
	assert_memory_equal(document->text.fields[63].name + 244, "key.key.key", 11);
	for (size_t i = 64; i < depth; i++)
		assert_true(document->text.fields[i].name_bytes <= BS_RECORD_NAME_BYTES);
	check_scan(&scan, &line, document, true);
	assert_true(scan.fields.used_bytes + scan.names.used_bytes + depth * sizeof(size_t) * 3 <=
	            bs_record_parse_bytes(line.data, line.used_bytes));
	/* A name at the top level may be longer. */
	bs_buffer_clear(&line);
	append_string(&line, "{\"");
	append_repeated(&line, "k", 1000);
	append_string(&line, "\":[\"a\",{\"b\":[\"c\"]}]}");
	record = parse(usual, line.data, line.used_bytes);
	assert_int_equal(document->text.n_fields, 2);
	assert_int_equal(document->text.fields[0].name_bytes, 1000);
	assert_int_equal(document->text.fields[1].name_bytes, 1000);
}

static int open_usual(void **state)
{
	usual = new_parser(&no_options);
	return 0;
}

static int close_usual(void **state)
{
	bs_record_parser_free(usual);
	bs_record_parser_free(NULL);
	return 0;
}

RUN_TESTS_WITH(open_usual, close_usual, test_ids, test_id_field, test_text, test_text_fields,
               test_valid_is_never_refused, test_invalid_utf8, test_bad_lines, test_prefixes,
               test_nesting, test_giant_records, test_too_large, test_random_records,
               test_deep_names)
