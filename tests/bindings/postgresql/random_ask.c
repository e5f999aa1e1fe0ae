/* random_ask.c: see random_ask.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* vasprintf */
#endif
#include "random_ask.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OF(array) (sizeof(array) / sizeof *(array))

uint64_t random_next(struct random *random)
{
	/* splitmix64 */
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

unsigned random_below(struct random *random, unsigned n)
{
	return (unsigned)(random_next(random) % n);
}

bool random_one_in(struct random *random, unsigned n)
{
	return random_below(random, n) == 0;
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
	char small[1024], *all = small;
	va_list list;
	va_start(list, format);
	int n_bytes = vsnprintf(small, sizeof small, format, list);
	va_end(list);
	if ((size_t)n_bytes >= sizeof small) {
		va_start(list, format);
		if (vasprintf(&all, format, list) < 0)
			abort();
		va_end(list);
	}
	text_add_bytes(text, all, (size_t)n_bytes);
	if (all != small)
		free(all);
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

static const char *word(struct asker *asker)
{
	unsigned n = N_OF(words), a = random_below(&asker->random, n),
		 b = random_below(&asker->random, n);
	return words[a * b / n];
}

static const char *separator(struct asker *asker)
{
	static const char *const rare[] = {", ", ". ", "\n",     "\t",     "-", "_",  "/",   "",
	                                   "  ", "'",  "\u2019", "\u00a0", "%", "\\", "\r\n"};
	return random_one_in(&asker->random, 5) ? rare[random_below(&asker->random, N_OF(rare))]
	                                        : " ";
}

/* Appends any character except NUL, which text cannot hold, U+0001, which marks parameters, and
 * surrogates. */
static void add_character(struct asker *asker, struct text *text)
{
	static const unsigned ends[] = {0x80, 0x250, 0x800, 0x10000, 0x110000};
	unsigned c = 1 + random_below(&asker->random,
	                              ends[random_below(&asker->random, N_OF(ends))] - 1);
	if (c == 1 || (c >= 0xd800 && c < 0xe000))
		c = 'q';
	char bytes[4];
	size_t n = 0;
	if (c < 0x80)
		bytes[n++] = (char)c;
	else if (c < 0x800)
		bytes[n++] = (char)(0xc0 | c >> 6);
	else if (c < 0x10000) {
		bytes[n++] = (char)(0xe0 | c >> 12);
		bytes[n++] = (char)(0x80 | (c >> 6 & 63));
	} else {
		bytes[n++] = (char)(0xf0 | c >> 18);
		bytes[n++] = (char)(0x80 | (c >> 12 & 63));
		bytes[n++] = (char)(0x80 | (c >> 6 & 63));
	}
	if (c >= 0x80)
		bytes[n++] = (char)(0x80 | (c & 63));
	text_add_bytes(text, bytes, n);
}

static unsigned text_words(struct asker *asker)
{
	unsigned kind = random_below(&asker->random, 100);
	if (kind < 4)
		return 0;
	if (kind < 40)
		return 1 + random_below(&asker->random, 5);
	if (kind < 99)
		return 5 + random_below(&asker->random, 40);
	return 300 + random_below(&asker->random, 4000);
}

void asker_init(struct asker *asker, uint64_t seed)
{
	*asker = (struct asker){.random = {seed * 0x2545f4914f6cdd1du + 1}};
}

void asker_deinit(struct asker *asker)
{
	for (unsigned i = 0; i < N_LATELY; i++)
		free(asker->lately[i]);
}

static void remember(struct asker *asker, const char *bytes)
{
	char **place = &asker->lately[asker->n_made++ % N_LATELY];
	free(*place);
	*place = strdup(bytes);
}

void ask_text(struct asker *asker, struct text *text_out)
{
	text_clear(text_out);
	unsigned n = text_words(asker);
	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			text_add(text_out, "%s", separator(asker));
		if (random_one_in(&asker->random, 40))
			add_character(asker, text_out);
		else if (random_one_in(&asker->random, 30))
			text_add(text_out, "w%u", random_below(&asker->random, 500));
		else
			text_add(text_out, "%s", word(asker));
	}
	remember(asker, text_out->bytes);
}

static bool begins_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

/* Replaces `out` by up to n_most consecutive characters of a recent text. */
static void part(struct asker *asker, unsigned n_most, struct text *out)
{
	text_clear(out);
	const char *from = asker->lately[random_below(&asker->random, N_LATELY)];
	if (!from || !*from) {
		text_add(out, "%s", word(asker));
		return;
	}
	size_t n_bytes = strlen(from), start = random_next(&asker->random) % n_bytes;
	while (start > 0 && !begins_character(from[start]))
		start--;
	size_t end = start;
	for (unsigned n = 1 + random_below(&asker->random, n_most); n > 0 && end < n_bytes; n--)
		do
			end++;
		while (end < n_bytes && !begins_character(from[end]));
	text_add_bytes(out, from + start, end - start);
}

/* Appends consecutive words of a recent text, without double quotes. */
static void add_passage(struct asker *asker, struct text *out, unsigned n_words)
{
	const char *from = asker->lately[random_below(&asker->random, N_LATELY)];
	if (!from || !*from)
		from = "cold harbour of the lantern";
	const char *start = from + random_next(&asker->random) % strlen(from);
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

static void add_term(struct asker *asker, struct text *out)
{
	const char *w = word(asker);
	switch (random_below(&asker->random, 14)) {
	case 0: {
		/* A prefix of a word, in whole characters. */
		size_t n = 1 + random_below(&asker->random, 4);
		while (n < strlen(w) && !begins_character(w[n]))
			n++;
		text_add(out, "%.*s*", (int)n, w);
		return;
	}
	case 1:
		text_add(out, "%s~%u", w, 1 + random_below(&asker->random, 2));
		return;
	case 2:
		text_add(out, "w%u?", random_below(&asker->random, 50));
		return;
	case 3:
	case 4:
	case 5:
		text_add(out, "\"");
		add_passage(asker, out, 1 + random_below(&asker->random, 4));
		text_add(out, random_one_in(&asker->random, 4) ? "\"~%u" : "\"",
		         random_below(&asker->random, 6));
		return;
	case 6:
		add_passage(asker, out, 1);
		return;
	case 7:
		text_add(out, "w%u", random_below(&asker->random, 600));
		return;
	case 8:
		text_add(out, "%s^%u", w, random_below(&asker->random, 4));
		return;
	default:
		text_add(out, "%s", w);
	}
}

static void add_tree(struct asker *asker, struct text *out, unsigned depth)
{
	unsigned n = 1 + random_below(&asker->random, 3);
	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			text_add(out, random_one_in(&asker->random, 2) ? " " : " OR ");
		if (random_one_in(&asker->random, 6))
			text_add(out, random_one_in(&asker->random, 2) ? "-" : "NOT ");
		if (depth > 0 && random_one_in(&asker->random, 4)) {
			text_add(out, "(");
			add_tree(asker, out, depth - 1);
			text_add(out, ")");
		} else
			add_term(asker, out);
	}
}

void ask_query(struct asker *asker, struct text *query_out)
{
	text_clear(query_out);
	if (random_one_in(&asker->random, 60)) {
		/* Arbitrary characters, which may or may not be a syntax error. */
		part(asker, 8, query_out);
		return;
	}
	add_tree(asker, query_out, 2);
}

void ask_ranking(struct asker *asker, struct text *query_out)
{
	text_clear(query_out);
	unsigned n = 1 + random_below(&asker->random, 4);
	for (unsigned i = 0; i < n; i++) {
		text_add(query_out, i == 0 ? "" : random_one_in(&asker->random, 3) ? " " : " OR ");
		add_term(asker, query_out);
	}
}

/* Changes the case of random ASCII letters. `words` has some words with other letters in both
 * cases. */
static void change_case(struct asker *asker, struct text *text)
{
	for (size_t i = 0; i < text->n_bytes; i++) {
		char c = text->bytes[i];
		if (((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) &&
		    random_one_in(&asker->random, 3))
			text->bytes[i] = (char)(c ^ 0x20);
	}
}

/* Appends a part of a text as a pattern. Special characters are usually escaped, and some
 * characters are replaced by "_". */
static void add_like_part(struct asker *asker, struct text *out)
{
	TEXT bytes = {0};
	part(asker, random_one_in(&asker->random, 3) ? 4 : 14, &bytes);
	if (random_one_in(&asker->random, 3))
		change_case(asker, &bytes);
	for (size_t i = 0; i < bytes.n_bytes;) {
		size_t end = i + 1;
		while (end < bytes.n_bytes && !begins_character(bytes.bytes[end]))
			end++;
		if (random_one_in(&asker->random, 15))
			text_add(out, "_");
		else {
			bool is_sign = strchr("%_\\", bytes.bytes[i]) != NULL;
			if (is_sign ? !random_one_in(&asker->random, 8)
			            : random_one_in(&asker->random, 30))
				text_add(out, "\\");
			text_add_bytes(out, bytes.bytes + i, end - i);
		}
		i = end;
	}
}

void ask_like(struct asker *asker, struct text *pattern_out)
{
	text_clear(pattern_out);
	unsigned n = 1 + random_one_in(&asker->random, 4);
	if (!random_one_in(&asker->random, 8))
		text_add(pattern_out, "%%");
	for (unsigned i = 0; i < n; i++) {
		text_add(pattern_out, i ? "%%" : "");
		add_like_part(asker, pattern_out);
	}
	/* A pattern that ends in a single backslash is an error, which must be the same with and
	 * without the index. */
	if (!random_one_in(&asker->random, 8))
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

static void add_literal(struct asker *asker, struct text *out, unsigned n_most)
{
	TEXT bytes = {0};
	part(asker, n_most, &bytes);
	if (random_one_in(&asker->random, 4))
		change_case(asker, &bytes);
	add_escaped(out, &bytes);
}

static void add_regex(struct asker *asker, struct text *out, unsigned depth)
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
	unsigned n = 1 + random_below(&asker->random, 3);
	for (unsigned i = 0; i < n; i++)
		switch (random_below(&asker->random, 8)) {
		case 0:
			text_add(out, "%s", atoms[random_below(&asker->random, N_OF(atoms))]);
			break;
		case 1:
			if (depth > 0) {
				text_add(out, random_one_in(&asker->random, 2) ? "(" : "(?:");
				add_regex(asker, out, depth - 1);
				text_add(out, "|");
				add_regex(asker, out, depth - 1);
				text_add(out, random_one_in(&asker->random, 4)   ? ")?"
				              : random_one_in(&asker->random, 4) ? ")*"
				                                                 : ")");
				break;
			}
			/* fall through */
		case 2:
			add_literal(asker, out, 6);
			text_add(out, "%s", atoms[random_below(&asker->random, N_OF(atoms))]);
			break;
		case 3:
			text_add(out, "\\m%s\\M",
			         random_one_in(&asker->random, 2) ? "lantern" : "index");
			break;
		case 4:
			add_literal(asker, out, 5);
			text_add(out, random_one_in(&asker->random, 3)   ? "?"
			              : random_one_in(&asker->random, 2) ? "+"
			                                                 : "{1,2}?");
			break;
		default:
			add_literal(asker, out, 12);
		}
}

void ask_regex(struct asker *asker, struct text *pattern_out)
{
	static const char *const beginnings[] = {"(?i)", "(?c)",     "(?n)", "(?x)", "(?s)",
	                                         "(?p)", "(?w)",     "(?e)", "(?q)", "(?b)",
	                                         "***:", "***:(?i)", "***="};
	text_clear(pattern_out);
	if (random_one_in(&asker->random, 5))
		text_add(pattern_out, "%s",
		         beginnings[random_below(&asker->random, N_OF(beginnings))]);
	add_regex(asker, pattern_out, 2);
	if (random_one_in(&asker->random, 6)) {
		text_add(pattern_out, "|");
		add_regex(asker, pattern_out, 1);
	}
}
