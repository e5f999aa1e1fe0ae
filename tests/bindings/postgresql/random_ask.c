/* random_ask.c: see random_ask.h. */
#include "random_ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* Recent texts, of which queries take parts. NULL: none yet. */
static char *lately[N_LATELY];

bool one_in(unsigned n)
{
	return below(n) == 0;
}

void text_add_bytes(struct text *text, const char *bytes, size_t n_bytes)
{
	if (text->n_bytes + n_bytes >= text->capacity) {
		text->capacity = (text->n_bytes + n_bytes) * 2 + 64;
		text->bytes = realloc(text->bytes, text->capacity);
		if (!text->bytes)
			abort();
	}
	memcpy(text->bytes + text->n_bytes, bytes, n_bytes);
	text->n_bytes += n_bytes;
	text->bytes[text->n_bytes] = '\0';
}

void text_clear(struct text *text)
{
	text->n_bytes = 0;
	text_add_bytes(text, "", 0);
}

void text_add(struct text *text, const char *format, ...)
{
	char *added;
	va_list list;
	va_start(list, format);
	int n_bytes = vasprintf(&added, format, list);
	va_end(list);
	if (n_bytes < 0)
		abort();
	text_add_bytes(text, added, (size_t)n_bytes);
	free(added);
}

void text_add_quoted(struct text *text, const char *string)
{
	text_add_bytes(text, "'", 1);
	for (const char *quote; (quote = strchr(string, '\'')); string = quote + 1) {
		text_add_bytes(text, string, (size_t)(quote - string));
		text_add_bytes(text, "''", 2);
	}
	text_add(text, "%s'", string);
}

void text_free(struct text *text)
{
	free(text->bytes);
	*text = (struct text){0};
}

/* The first words are frequent. The others include letters whose case folds to other letters,
 * marks, script runs, emoji, identifiers and numbers. */
static const char *const words[] = {
	"the", "of", "index", "lantern", "harbour", "cold", "page", "a", "x", "foo_bar",
	"getHTTPServer2", "don't", "e-mail", "obj.method", "3.14", "2024-05-17", "café", "CAFE",
	"Straße", "STRASSE", "straße", "İstanbul", "ıssız", "Kelvin", "\u212Aelvin", "ſtate",
	"state", "ΣΊΣΥΦΟΣ", "σίσυφος", "ﬁne", "fine", "全文検索", "全文", "検索", "カタカナ",
	"ไทยแลนด์", "한국어", "日本語の", "🙂", "👩‍👩‍👧", "naïve", "e\u0301te\u0301",
	"été", "running", "runs", "ran", "run", "organization", "organize", "walks",
	/* Words that share grams; text that looks like operators; words of other scripts. */
	"abcdefgh", "bcdefghi", "cdefghij", "1234567", "0xdeadbeef", "v4.2.1", "%d", "100%", "a\\b",
	"under_score", "AND", "OR", "NOT", "title:x", "\"quoted\"", "(brack)", "-minus", "star*",
	"C++", "[x]", "ааа", "Привет", "привет", "мир", "zzz", "needle", "haystack", "merge",
	"vacuum", "tuple"};

static const char *word(void)
{
	unsigned n = N_OF(words), a = below(n), b = below(n);
	return words[a * b / n];
}

static const char *separator(void)
{
	static const char *const rare[] = {", ", ". ", "\n",     "\t",     "-", "_",  "/",   "",
	                                   "  ", "'",  "\u2019", "\u00a0", "%", "\\", "\r\n"};
	return one_in(5) ? rare[below(N_OF(rare))] : " ";
}

/* Appends any character except NUL, which text cannot hold, U+0001, which marks parameters, and
 * surrogates. */
static void add_character(struct text *text)
{
	static const unsigned ends[] = {0x80, 0x250, 0x800, 0x10000, 0x110000};
	unsigned c = 1 + below(ends[below(N_OF(ends))] - 1);
	if (c == 1 || (c >= 0xd800 && c < 0xe000))
		c = 'q';
	text_add(text, "%lc", (wint_t)c);
}

static unsigned text_words(void)
{
	unsigned kind = below(100);
	if (kind < 4)
		return 0;
	if (kind < 40)
		return 1 + below(5);
	if (kind < 99)
		return 5 + below(40);
	return 300 + below(4000);
}

void ask_remember(const char *text)
{
	static unsigned n_made;
	char **place = &lately[n_made++ % N_LATELY];
	free(*place);
	*place = strdup(text);
}

void ask_text(struct text *text_out)
{
	text_clear(text_out);
	unsigned n = text_words();
	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			text_add(text_out, "%s", separator());
		if (one_in(40))
			add_character(text_out);
		else if (one_in(30))
			text_add(text_out, "w%u", below(500));
		else
			text_add(text_out, "%s", word());
	}
	ask_remember(text_out->bytes);
}

static bool begins_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

/* Replaces `out` by up to n_most consecutive characters of a recent text. */
static void part(unsigned n_most, struct text *out)
{
	text_clear(out);
	const char *from = lately[below(N_LATELY)];
	if (!from || !*from) {
		text_add(out, "%s", word());
		return;
	}
	size_t n_bytes = strlen(from), start = below(n_bytes);
	while (start > 0 && !begins_character(from[start]))
		start--;
	size_t end = start;
	for (unsigned n = 1 + below(n_most); n > 0 && end < n_bytes; n--)
		do
			end++;
		while (end < n_bytes && !begins_character(from[end]));
	text_add_bytes(out, from + start, end - start);
}

/* Appends consecutive words of a recent text, without double quotes. */
static void add_passage(struct text *out, unsigned n_words)
{
	const char *from = lately[below(N_LATELY)];
	if (!from || !*from)
		from = "cold harbour of the lantern";
	const char *start = from + below(strlen(from));
	while (start > from && start[-1] != ' ')
		start--;
	const char *end = start;
	for (; n_words > 0 && *end; n_words--) {
		end += *end == ' ';
		end += strcspn(end, " ");
	}
	for (; start < end; start++)
		if (*start != '"')
			text_add_bytes(out, start, 1);
}

static void add_term(struct text *out)
{
	const char *w = word();
	unsigned kind = below(14);
	if (kind == 0) {
		/* A prefix of a word, in whole characters. */
		size_t n = 1 + below(4);
		while (n < strlen(w) && !begins_character(w[n]))
			n++;
		text_add(out, "%.*s*", (int)n, w);
	} else if (kind == 1) {
		text_add(out, "%s~%u", w, 1 + below(2));
	} else if (kind == 2) {
		text_add(out, "w%u?", below(50));
	} else if (kind < 6) {
		text_add(out, "\"");
		add_passage(out, 1 + below(4));
		text_add(out, one_in(4) ? "\"~%u" : "\"", below(6));
	} else if (kind == 6) {
		add_passage(out, 1);
	} else if (kind == 7) {
		text_add(out, "w%u", below(600));
	} else {
		text_add(out, kind == 8 ? "%s^%u" : "%s", w, below(4));
	}
}

static void add_tree(struct text *out, unsigned depth)
{
	unsigned n = 1 + below(3);
	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			text_add(out, one_in(2) ? " " : " OR ");
		if (one_in(6))
			text_add(out, one_in(2) ? "-" : "NOT ");
		if (depth > 0 && one_in(4)) {
			text_add(out, "(");
			add_tree(out, depth - 1);
			text_add(out, ")");
		} else
			add_term(out);
	}
}

void ask_query(struct text *query_out)
{
	text_clear(query_out);
	if (one_in(60)) {
		/* Arbitrary characters, which may or may not be a syntax error. */
		part(8, query_out);
		return;
	}
	add_tree(query_out, 2);
}

void ask_ranking(struct text *query_out)
{
	text_clear(query_out);
	unsigned n = 1 + below(4);
	for (unsigned i = 0; i < n; i++) {
		text_add(query_out, i == 0 ? "" : one_in(3) ? " " : " OR ");
		add_term(query_out);
	}
}

/* Changes the case of random ASCII letters. `words` has some words with other letters in both
 * cases. */
static void change_case(struct text *text)
{
	for (size_t i = 0; i < text->n_bytes; i++) {
		char c = text->bytes[i];
		if (((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) && one_in(3))
			text->bytes[i] = (char)(c ^ 0x20);
	}
}

/* Appends a part of a text as a pattern. Special characters are usually escaped, and some
 * characters are replaced by "_". */
static void add_like_part(struct text *out)
{
	TEXT bytes = {0};
	part(one_in(3) ? 4 : 14, &bytes);
	if (one_in(3))
		change_case(&bytes);
	for (size_t i = 0; i < bytes.n_bytes;) {
		size_t end = i + 1;
		while (end < bytes.n_bytes && !begins_character(bytes.bytes[end]))
			end++;
		if (one_in(15))
			text_add(out, "_");
		else {
			bool is_sign = strchr("%_\\", bytes.bytes[i]) != NULL;
			if (is_sign ? !one_in(8) : one_in(30))
				text_add(out, "\\");
			text_add_bytes(out, bytes.bytes + i, end - i);
		}
		i = end;
	}
}

void ask_like(struct text *pattern_out)
{
	text_clear(pattern_out);
	unsigned n = 1 + one_in(4);
	if (!one_in(8))
		text_add(pattern_out, "%%");
	for (unsigned i = 0; i < n; i++) {
		text_add(pattern_out, i ? "%%" : "");
		add_like_part(pattern_out);
	}
	/* A pattern that ends in a single backslash is an error, which must be the same with and
	 * without the index. */
	if (!one_in(8))
		text_add(pattern_out, "%%");
}

static void add_escaped(struct text *out, const struct text *bytes)
{
	for (size_t i = 0; i < bytes->n_bytes; i++) {
		char c = bytes->bytes[i];
		if (strchr("\\^$.|?*+()[]{}#", c))
			text_add(out, "\\");
		if (c == '\n')
			text_add(out, "\\n");
		else
			text_add_bytes(out, &c, 1);
	}
}

static void add_literal(struct text *out, unsigned n_most)
{
	TEXT bytes = {0};
	part(n_most, &bytes);
	if (one_in(4))
		change_case(&bytes);
	add_escaped(out, &bytes);
}

static void add_regex(struct text *out, unsigned depth)
{
	static const char *const atoms[] = {
		".", ".*", ".+", ".*?", ".{0,9}", "\\s+", "\\w+", "\\d*", "\\S", "\\W", "\\D",
		"[[:alpha:]]+", "[^a]", "[a-m]", "[[:space:]]*", "[lL]", "[^\\w]", "\\y", "\\m",
		"\\M", "\\Y", "^", "$", "\\A", "\\Z", "(?=l)", "(?!x)", "(?<=e)", "(?<!e)",
		"\\u00e9", "\\x41", "\\t", "(a|e)\\1", "(l+).*\\1", "a{2,3}", "(?:)", "()", "x?",
		"(ab)*", "(?:cold)+", "[[.-.]]", "[[=e=]]", "\\U0001f642",
		/* More classes: of other scripts, negated, with ranges and names. */
		"[全カ]", "é*", "[a-z_]*", "[^a-z]", "[0-9a-f]{2,}", "[^\\s]+", "[\\w-]",
		"[^\\w\\s]", "[\\d_]+", "[k-s]*", "[^k-s]", "[I-K]", "[^i]", "[[:punct:]]",
		"[^[:alpha:]]", "[[:upper:]]", "[^[:upper:][:space:]]", "[]x-]", "[^]a]", "[--a]",
		"[a\\]]", "[é-ü]", "[^à-ÿ]", "[!-~]", "[ -é]", "[\\x41-z]", "[a-\\x7a]",
		"[^a-\\x7a]", "[\\u00e9a]", "[[.a.]-z]", "[[:<:]]", "[[:>:]]", "[[:xdigit:]]+",
		"[^\\d]*", "[[=e=]x]"};
	for (unsigned n = 1 + below(3); n > 0; n--) {
		unsigned kind = below(8);
		if (kind == 1 && depth > 0) {
			text_add(out, one_in(2) ? "(" : "(?:");
			add_regex(out, depth - 1);
			text_add(out, "|");
			add_regex(out, depth - 1);
			text_add(out, one_in(4) ? ")?" : one_in(4) ? ")*" : ")");
		} else if (kind < 3) {
			if (kind > 0)
				add_literal(out, 6);
			text_add(out, "%s", atoms[below(N_OF(atoms))]);
		} else if (kind == 3) {
			text_add(out, "\\m%s\\M", one_in(2) ? "lantern" : "index");
		} else if (kind == 4) {
			add_literal(out, 5);
			text_add(out, one_in(3) ? "?" : one_in(2) ? "+" : "{1,2}?");
		} else {
			add_literal(out, 12);
		}
	}
}

void ask_regex(struct text *pattern_out)
{
	static const char *const beginnings[] = {"(?i)", "(?c)",     "(?n)", "(?x)", "(?s)",
	                                         "(?p)", "(?w)",     "(?e)", "(?q)", "(?b)",
	                                         "***:", "***:(?i)", "***="};
	text_clear(pattern_out);
	if (one_in(5))
		text_add(pattern_out, "%s", beginnings[below(N_OF(beginnings))]);
	add_regex(pattern_out, 2);
	if (one_in(6)) {
		text_add(pattern_out, "|");
		add_regex(pattern_out, 1);
	}
}
