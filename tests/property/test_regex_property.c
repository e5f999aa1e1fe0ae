/*
 * test_regex_property.c: the grams and the window that are derived from a pattern must occur in
 * every text that PCRE2 matches. Uses random patterns, texts that were made to match them, and
 * other texts.
 *
 * Arguments: [N_PATTERNS [SEED]], where N_PATTERNS is the number of random patterns of each kind.
 */

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "core/system/icu.h"
#include "core/text/grams.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/regex_rig.h"

#define TEXT_CAPACITY 4096u

struct text {
	uint8_t bytes[TEXT_CAPACITY];
	size_t n_bytes;
};

static void put_bytes(struct text *text, const void *bytes, size_t n)
{
	if (n > TEXT_CAPACITY - text->n_bytes)
		n = TEXT_CAPACITY - text->n_bytes;
	memcpy(text->bytes + text->n_bytes, bytes, n);
	text->n_bytes += n;
}

static void put(struct text *text, const char *string)
{
	put_bytes(text, string, strlen(string));
}

/* ---- counts and failures ---- */

static unsigned long n_texts, n_matches;

static void check(struct regex_rig *rig, const struct text *pattern, unsigned options,
                  const struct text *text)
{
	bool is_sound, holds;
	n_texts++;
	n_matches += rig_ask(rig, text->bytes, text->n_bytes, &is_sound, &holds) == RIG_MATCH;
	if (is_sound)
		return;
	char *tree = rig_tree_text(rig);
	print_escaped("pattern", pattern->bytes, pattern->n_bytes);
	print_escaped("text", text->bytes, text->n_bytes);
	fail_msg("options %u: %s: %s", options, rig->fault, tree);
}

/* ---- a pattern, and a text that it may match ---- */

struct maker {
	struct text pattern;
	struct text sample;
	struct text group; /* sample text of group 1 */
	unsigned n_groups;
	unsigned fuel;
};

static void make_either(struct maker *maker, unsigned depth);

static const char *const words[] = {
	"a",      "b",      "foo",    "bar",    "Mutex",  "LOCK",   "_",      "the",
	"k",      "s",      "\u212a", "\u017f", "\u00df", "\u1e9e", "I",      "\u0130",
	"\u0131", "i",      "abc",    "\u03c3", "\u03a3", "\u03c2", "\u01c5", "\u1c80",
	"\u00e9", "\u6f22", "1",      "x y",    "\u00b5", "\u03bc", "\u0345", "\u03b9",
	"\u1fbe", "\u10d0", "\u13a0", "\uab70", "\u2126"};

static void make_literal(struct maker *maker)
{
	size_t n = 1 + below(4);
	for (size_t i = 0; i < n; i++) {
		const char *word = words[below(below(2) ? 9 : COUNT(words))];
		put(&maker->pattern, word);
		put(&maker->sample, word);
	}
}

static uint32_t first_char(const char *word)
{
	UChar32 c;
	size_t at = 0;
	U8_NEXT_UNSAFE(word, at, c);
	return (uint32_t)c;
}

static void make_escape(struct maker *maker)
{
	/* Each escape is followed by a text that it matches. */
	static const char *const escapes[] = {
		"\\x41", "A", "\\x{e9}", "\u00e9", "\\xff", "\u00ff", "\\.", ".", "\\n", "\n",
		"\\t", "\t", "\\101", "", "\\0", "", "\\o{101}", "A", "\\cA", "\x01", "\\\\", "\\",
		"\\[", "[", "\\d", "7", "\\w", "w", "\\s", " ", "\\D", "x", "\\W", "-", "\\S", "S",
		"\\h", " ", "\\v", "\n", "\\R", "\r\n", "\\X", "e\u0301", "\\N", "n", "\\p{L}", "l",
		"\\pN", "4", "\\P{Lu}", "p",
		/* Places, and more classes and characters. */
		"\\b", "", "\\B", "", "\\A", "", "\\z", "", "\\Z", "", "\\G", "", "\\K", "", "^",
		"", "$", "", ".", "d", "[[:<:]]", "", "[[:>:]]", "", "\\N{U+6f22}", "\u6f22",
		"\\p{^Lu}", "p", "\\H", "h", "\\V", "v", "\\e", "\x1b", "\\a", "\a"};
	size_t i = below(COUNT(escapes) / 2) * 2;
	put(&maker->pattern, escapes[i]);
	put(&maker->sample, escapes[i + 1]);
}

static void make_class(struct maker *maker)
{
	static const char *const parts[] = {
		"a",   "b",         "c",      "x-z",    "A-C",   "k",      "s",     "\\d",
		"\\w", "[:alpha:]", "\u00e9", "\u03c3", "-",     "\\]",    "\\x41", "\\Qab\\E",
		"\\b", "[",         "^",      "\u212a", "i",     "\u0130", "a-a",   "[:^digit:]",
		"\\E", ":",         ".",      "=",      "\\101", "A-A"};
	static const char *const openings[] = {"[^",       "[]",    "[^]", "[\\E]",
	                                       "[\\Q\\E]", "[\\E^", "[ ^", "[ ]"};
	put(&maker->pattern, below(3) ? "[" : openings[below(COUNT(openings))]);
	size_t n = 1 + below(3), sampled = below(n);
	for (size_t i = 0; i < n; i++) {
		const char *part = parts[below(COUNT(parts))];
		put(&maker->pattern, part);
		uint8_t bytes[8];
		size_t n_bytes = 0;
		uint32_t c = first_char(part);
		U8_APPEND_UNSAFE(bytes, n_bytes, c);
		if (i == sampled)
			put_bytes(&maker->sample, bytes, n_bytes);
	}
	put(&maker->pattern, "]");
}

static void make_group(struct maker *maker, unsigned depth)
{
	static const char *const openings[] = {"(",       "(?:",     "(?>",      "(?|",
	                                       "(?i:",    "(?-i:",   "(?x:",     "(?s-i:",
	                                       "(?<n%u>", "(?'m%u'", "(?P<p%u>", "(*atomic:",
	                                       "(?^:",    "(?xx:",   "(*sr:",    "(?im-sx:"};
	const char *opening = openings[below(COUNT(openings))];
	char named[32];
	snprintf(named, sizeof(named), opening, maker->n_groups);
	put(&maker->pattern, named);
	bool is_first = maker->n_groups++ == 0 && opening[1] != '*' &&
	                (opening[1] != '?' || strchr("<'P", opening[2]));
	size_t start = maker->sample.n_bytes;
	make_either(maker, depth + 1);
	put(&maker->pattern, ")");
	if (!is_first)
		return;
	maker->group.n_bytes = 0;
	put_bytes(&maker->group, maker->sample.bytes + start, maker->sample.n_bytes - start);
}

/* The sample usually includes the content of lookarounds, which makes matches more likely. */
static void make_look(struct maker *maker, unsigned depth)
{
	static const char *const openings[] = {
		"(?=", "(?<=", "(?!", "(?<!",
		/* Other spellings. */
		"(*pla:", "(*plb:", "(*nla:", "(?*", "(?<*",
		"(*napla:", "(*positive_lookahead:", "(*negative_lookbehind:"};
	size_t i = below(COUNT(openings)), before = maker->sample.n_bytes;
	put(&maker->pattern, openings[i]);
	make_either(maker, depth + 1);
	put(&maker->pattern, ")");
	if (below(3) == 0)
		maker->sample.n_bytes = before;
}

static void make_condition(struct maker *maker, unsigned depth)
{
	static const char *const conditions[] = {
		"(?(1)",    "(?(?=a)", "(?(?!b)",  "(?(R)",           "(?(DEFINE)",
		"(?(<n0>)", "(?(+1)",  "(?(?<=o)", "(?(VERSION>=10)", "(?('m1')"};
	put(&maker->pattern, conditions[below(COUNT(conditions))]);
	make_either(maker, depth + 1);
	put(&maker->pattern, ")");
}

static void make_special(struct maker *maker)
{
	static const char *const specials[] = {
		"(?i)", "(?-i)", "(?x)", "(?-x)", "(?s)", "(?m)", "(?#note)", "(*SKIP)", "(*PRUNE)",
		"(*COMMIT)", "(*THEN)", "(*FAIL)", "(*F)", "(*MARK:a)", "(*:b)", "(*ACCEPT)",
		/* References, quoted text, options, and characters that are not always special. */
		"\\1", "\\g{1}", "\\g{-1}", "\\k<n0>", "(?P=p0)", "(?1)", "(?R)", "(?&n0)",
		"(?P>p0)", "\\g<1>", "\\Qa.b|c\\E", "\\Q\\E", "\\E", "(?xx)", "(?U)", "(?J)",
		"(?n)", "(?^)", " #c)\n", " ", "(?C1)", "{,3}", "{", "}", "{a}", "]", "\\12",
		"(?+1)", "(?-1)", "{ 1,2}", "\\g1", "\\Qx", "{ 2}", "{3 }", "(a)\\1",
		"(b|foo)\\g{-1}"};
	const char *special = specials[below(COUNT(specials))];
	put(&maker->pattern, special);
	if (strcmp(special, "\\Qa.b|c\\E") == 0)
		put(&maker->sample, "a.b|c");
	else if (strchr(special, '1') && special[0] == '\\')
		put_bytes(&maker->sample, maker->group.bytes, maker->group.n_bytes);
	else if (strncmp(special, "(a)", 3) == 0)
		put(&maker->sample, "aa");
	else if (strncmp(special, "(b|foo)", 7) == 0)
		put(&maker->sample, "foofoo");
	else if (strchr("{} ]", special[0]))
		put(&maker->sample, special);
}

static void make_item(struct maker *maker, unsigned depth)
{
	uint64_t draw = below(depth < 4 && maker->fuel ? 24 : 14);
	maker->fuel -= maker->fuel > 0;
	if (draw < 9)
		make_literal(maker);
	else if (draw < 11)
		make_escape(maker);
	else if (draw < 13)
		make_class(maker);
	else if (draw < 15)
		make_special(maker);
	else if (draw < 20)
		make_group(maker, depth);
	else if (draw < 22)
		make_look(maker, depth);
	else if (draw < 23)
		make_condition(maker, depth);
	else
		make_special(maker);
}

/* The quantifier decides how often the item's sample is repeated. */
static void make_quantified(struct maker *maker, unsigned depth)
{
	static const struct {
		const char *text;
		unsigned least, most;
	} quantifiers[] = {{"*", 0, 3},      {"+", 1, 3},     {"?", 0, 1},      {"*?", 0, 2},
	                   {"+?", 1, 2},     {"??", 0, 1},    {"*+", 0, 3},     {"++", 1, 2},
	                   {"?+", 0, 1},     {"{2}", 2, 2},   {"{0}", 0, 0},    {"{1,3}", 1, 3},
	                   {"{2,}", 2, 4},   {"{0,2}", 0, 2}, {"{18}", 18, 18}, {"{17,}", 17, 19},
	                   {"{3}?", 3, 3},   {"{1}", 1, 1},   {"{2}{2}", 4, 4}, {"+*", 0, 2},
	                   {" *", 0, 2},     {"(?#)+", 1, 2}, {"\\E?", 0, 1},   {"+ ?", 0, 2},
	                   {"\\Q\\E*", 0, 2}};
	size_t start = maker->sample.n_bytes;
	bool is_quantified = below(3) == 0, is_wrapped = is_quantified && below(2);
	put(&maker->pattern, is_wrapped ? "(?:" : "");
	make_item(maker, depth);
	put(&maker->pattern, is_wrapped ? ")" : "");
	if (!is_quantified)
		return;
	size_t i = below(COUNT(quantifiers)), n_bytes = maker->sample.n_bytes - start;
	unsigned n = quantifiers[i].least +
	             (unsigned)below(quantifiers[i].most - quantifiers[i].least + 1);
	put(&maker->pattern, quantifiers[i].text);
	uint8_t piece[TEXT_CAPACITY];
	memcpy(piece, maker->sample.bytes + start, n_bytes);
	maker->sample.n_bytes = start;
	for (unsigned k = 0; k < n; k++)
		put_bytes(&maker->sample, piece, n_bytes);
}

static void make_sequence(struct maker *maker, unsigned depth)
{
	size_t n = below(4) ? 1 + below(3) : below(2) * 5;
	for (size_t i = 0; i < n; i++)
		make_quantified(maker, depth);
}

/* Puts alternatives; the sample is that of one of them. */
static void make_either(struct maker *maker, unsigned depth)
{
	size_t n = below(3) ? 1 : 1 + below(4), chosen = below(n), start = maker->sample.n_bytes;
	struct text kept;
	for (size_t i = 0; i < n; i++) {
		put(&maker->pattern, i ? "|" : "");
		maker->sample.n_bytes = start;
		make_sequence(maker, depth);
		if (i == chosen)
			kept = maker->sample;
	}
	maker->sample = kept;
}

/* ---- texts ---- */

/* Returns c, or a character that equals c in a caseless match. */
static uint32_t other_case(uint32_t c)
{
	static const uint32_t sets[][3] = {{'k', 'K', 0x212a},    {'s', 'S', 0x17f},
	                                   {0xdf, 0x1e9e, 0xdf},  {0x3c3, 0x3a3, 0x3c2},
	                                   {0xb5, 0x3bc, 0x39c},  {0x345, 0x3b9, 0x1fbe},
	                                   {0x3c9, 0x3a9, 0x2126}};
	for (size_t i = 0; i < COUNT(sets); i++)
		for (size_t k = 0; k < 3; k++)
			if (sets[i][k] == c)
				return sets[i][below(3)];
	return (uint32_t)(below(2)   ? u_toupper((UChar32)c)
	                  : below(2) ? u_tolower((UChar32)c)
	                             : u_totitle((UChar32)c));
}

static void put_other_case(struct text *text, const struct text *sample)
{
	for (size_t at = 0; at < sample->n_bytes && text->n_bytes + 8 < TEXT_CAPACITY;) {
		size_t start = at;
		UChar32 c;
		U8_NEXT(sample->bytes, at, sample->n_bytes, c);
		if (c < 0 || below(2)) {
			put_bytes(text, sample->bytes + start, at - start);
		} else {
			uint32_t other = other_case((uint32_t)c);
			U8_APPEND_UNSAFE(text->bytes, text->n_bytes, other);
		}
	}
}

static void put_noise(struct text *text)
{
	static const char *const noise[] = {" ", "\n",   "\xff", "\xe2\x84", "x",
	                                    "-", "\r\n", "\xc3", "\x80"};
	for (size_t n = below(3); n > 0; n--)
		put(text, below(2) ? noise[below(COUNT(noise))] : words[below(COUNT(words))]);
}

static void make_text(struct text *text, const struct text *sample)
{
	text->n_bytes = 0;
	put_noise(text);
	if (below(2))
		put_other_case(text, sample);
	else
		put_bytes(text, sample->bytes, sample->n_bytes);
	if (below(4) == 0 && text->n_bytes)
		text->bytes[below(text->n_bytes)] = (uint8_t)below(256);
	put_noise(text);
}

static void check_texts(struct regex_rig *rig, const struct text *pattern,
                        const struct text *sample, unsigned options, size_t n)
{
	static struct text text;
	if (rig_open(rig, pattern->bytes, pattern->n_bytes, options) == RIG_NO_PATTERN)
		return;
	for (size_t i = 0; i < n; i++) {
		make_text(&text, sample);
		check(rig, pattern, options, &text);
	}
}

/* Enough texts must match, because nothing is tested by the others. */
static void expect_matches(void)
{
	assert_reached(n_matches > n_texts / 4);
	n_texts = n_matches = 0;
}

static void test_grammar(void **state)
{
	AUTO(rig_close) struct regex_rig rig = {0};
	static struct maker maker;
	for (unsigned long i = 0; i < rounds.n; i++) {
		maker.pattern.n_bytes = maker.sample.n_bytes = maker.group.n_bytes = 0;
		maker.n_groups = 0;
		maker.fuel = 12;
		make_either(&maker, 0);
		check_texts(&rig, &maker.pattern, &maker.sample, (unsigned)below(16), 4);
	}
	expect_matches();
}

/* Joins pieces of patterns in any order: PCRE2 and the parser must agree where each construct
 * begins and ends. */
static void test_soup(void **state)
{
	static const char *const pieces[] = {
		"a",     "b",     "abc",       "k",   "xyz",    "(",     ")",    "(?:",    "[",
		"]",     "[^",    "-",         "|",   "*",      "+",     "?",    "{",      "}",
		"{2}",   "{2,}",  "{,2}",      ",",   "1",      "2",     "\\",   "\\Q",    "\\E",
		"(?x)",  "(?-x)", "(?xx)",     " ",   "\t",     "\n",    "#",    "\\d",    "\\b",
		"[:",    ":]",    "[:alpha:]", "^",   "$",      ".",     "(?=",  "(?<=",   "(?!",
		"(?(1)", "(?i)",  "(?#",       "\\1", "\\x",    "41",    "\\x{", "\\o{",   "\\c",
		"\\N",   "\\p",   "{L}",       "\\g", "\\k",    "<",     ">",    "'",      "=",
		":",     "(*",    "F)",        "(*:", "(?<n>",  "(?&n)", "(?P",  "\u00e9", "\u212a",
		"\\K",   "\\0",   "(?|",       "\r",  "\u2028", "[a-",   "c]",   "\\]",    "(?^",
		"(?C",   "E",     "Q",         "\\s", "\\W",    "[^-",   "[^]"};
	static struct text pattern, sample;
	AUTO(rig_close) struct regex_rig rig = {0};
	for (unsigned long i = 0; i < rounds.n * 4; i++) {
		pattern.n_bytes = sample.n_bytes = 0;
		for (size_t n = 1 + below(9); n > 0; n--)
			put(&pattern, pieces[below(below(3) ? COUNT(pieces) : 5)]);
		for (size_t n = below(8); n > 0; n--)
			put(&sample, below(2) ? words[below(9)] : pieces[below(6)]);
		/* The pattern without its syntax characters and some others may match. */
		for (size_t k = 0; k < pattern.n_bytes; k++)
			if (below(8) && !strchr("\\()[]{}*+?|^$#", pattern.bytes[k]))
				put_bytes(&sample, pattern.bytes + k, 1);
		check_texts(&rig, &pattern, &sample, (unsigned)below(16), 3);
	}
	expect_matches();
}

/* Literal patterns (-F) of any characters. */
static void test_literals(void **state)
{
	AUTO(rig_close) struct regex_rig rig = {0};
	static struct maker maker;
	for (unsigned long i = 0; i < rounds.n / 4; i++) {
		maker.pattern.n_bytes = maker.sample.n_bytes = maker.group.n_bytes = 0;
		maker.fuel = 6;
		make_either(&maker, 0);
		check_texts(&rig, &maker.pattern, &maker.pattern, RIG_LITERAL | (unsigned)below(2),
		            3);
	}
	expect_matches();
}

/* ---- case ---- */

static void append_code_point(struct bs_buffer *to, uint32_t c)
{
	uint8_t bytes[U8_MAX_LENGTH];
	size_t n = 0;
	U8_APPEND_UNSAFE(bytes, n, c);
	append_bytes(to, bytes, n);
}

static bool is_cased(uint32_t c)
{
	return u_hasBinaryProperty((UChar32)c, UCHAR_CASE_SENSITIVE) || bs_gram_fold(c) != c ||
	       u_toupper((UChar32)c) != (UChar32)c || u_tolower((UChar32)c) != (UChar32)c;
}

static pcre2_code *compile(const struct bs_buffer *pattern)
{
	int code;
	PCRE2_SIZE at;
	pcre2_code *compiled =
		pcre2_compile(pattern->data, pattern->used_bytes,
	                      PCRE2_UTF | PCRE2_UCP | PCRE2_CASELESS, &code, &at, NULL);
	assert_non_null(compiled);
	pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
	return compiled;
}

/* Checks that every character of text that a caseless c matches has the same fold as c. */
static void check_case_of(uint32_t c, const struct bs_buffer *text)
{
	AUTO(bs_buffer_deinit) struct bs_buffer pattern = {0};
	append_code_point(&pattern, '\\'); /* c may be a metacharacter */
	pattern.used_bytes -= c >= 0x80 || u_isalnum((UChar32)c);
	append_code_point(&pattern, c);
	pcre2_code *code = compile(&pattern);
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	size_t at = 0;
	while (pcre2_match(code, text->data, text->used_bytes, at, PCRE2_NO_UTF_CHECK, data, NULL) >
	       0) {
		UChar32 found;
		at = pcre2_get_ovector_pointer(data)[0];
		U8_NEXT_UNSAFE(text->data, at, found);
		if (bs_gram_fold((uint32_t)found) != bs_gram_fold(c))
			fail_msg(
				"a caseless U+%04x matches U+%04x, and they fold to different ones",
				c, (unsigned)found);
	}
	pcre2_match_data_free(data);
	pcre2_code_free(code);
}

/* PCRE2 must not treat characters as equal that bs_gram_fold distinguishes. */
static void test_case_of_all(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	for (uint32_t c = 0; c <= 0x10ffff; c++)
		if (!(c >= 0xd800 && c < 0xe000) && is_cased(c))
			append_code_point(&text, c);
	for (uint32_t c = 0; c <= 0x10ffff; c++)
		if (!(c >= 0xd800 && c < 0xe000) && is_cased(c))
			check_case_of(c, &text);
}

/* Characters without case for the library must have none for PCRE2: a caseless class of all of them
 * matches no cased character. */
static void test_case_of_none(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer pattern = {0}, text = {0};
	append_code_point(&pattern, '[');
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		uint32_t first = c;
		if (c >= 0xd800 && c < 0xe000)
			continue;
		if (is_cased(c)) {
			append_code_point(&text, c);
			continue;
		}
		while (c < 0x10ffff && c + 1 != 0xd800 && !is_cased(c + 1))
			c++;
		append_format(&pattern, "\\x{%x}-\\x{%x}", first, c);
	}
	append_code_point(&pattern, ']');
	pcre2_code *code = compile(&pattern);
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	assert_int_equal(pcre2_match(code, text.data, text.used_bytes, 0, 0, data, NULL),
	                 PCRE2_ERROR_NOMATCH);
	pcre2_match_data_free(data);
	pcre2_code_free(code);
}

/* bs_gram_fold needs ICU. */
static int load_icu(void **state)
{
	return bs_icu_load(NULL) == BS_OK ? 0 : -1;
}

RUN_RANDOM_TESTS_WITH(12000, 0, load_icu, NULL, test_grammar, test_soup, test_literals,
                      test_case_of_all, test_case_of_none)
