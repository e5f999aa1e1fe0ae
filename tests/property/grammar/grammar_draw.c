/*
 * grammar_draw.c: random documents, small and of few words, so that queries match some of them; and
 * random query texts. A query text is grown from the grammar in all its spellings. Some are then
 * mutated, so that operators, quotes, brackets and signs are in odd places. See grammar.h.
 */
#include <sys/stat.h>

#include <unicode/utf8.h>

#include "tests/property/grammar/grammar.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/test.h"

#define PICK(array) ((array)[below(COUNT(array))])

/* The field "a:b" begins with the field name "a". Most texts of "year" and "when" are numbers or
 * dates. "name" must be the last element. */
const char *const grammar_names[GRAMMAR_N_NAMES] = {"title", "body", "year", "when",
                                                    "tags",  "a",    "a:b",  "name"};

/* The first words are drawn most often. */
static const char *const words[] = {
	"cat", "dog", "the", "bird", "cats", "running", "Dog", "or", "and", "big", "a", "not",
	"categories", "concat", "caf\u00e9", "cafe\u0301", "na\u00efve", "stra\u00dfe", "STRASSE",
	"\ufb01sh", "fish", "e-mail", "email", "obj.method", "method", "don't", "don\u2019t",
	"foo_bar", "f(x)", "f", "x", "a@b.com", "3.14", "42", "2^10", "1990", "2018-01-15",
	"\u6f22\u5b57", "\u6f22\u5b57\u304b\u306a", "\u5b57", "\u6f22", "\u0e44\u0e17\u0e22",
	"\u041f\u0440\u0438\u0432\u0435\u0442", "\u043f\u0440\u0438\u0432\u0435\u0442",
	"\u0939\u093f\u0928\u094d\u0926\u0940", "\u05e6\u05d4\"\u05dc", "\u05e6\u05d4",
	"\ud55c\uad6d\uc5b4", "\u0645\u0631\u062d\u0628\u0627", "\U0001f600",
	"\U0001f44d\U0001f3fd", "\U0001f1e9\U0001f1ea", "#\ufe0f\u20e3", "*\ufe0f\u20e3",
	/* Words with signs, words that look like syntax, and words that differ in few letters. */
	"C++", "\u00bd", "__", "title", "year:1990", "AND", "cat^2", "dog~1", "gray", "grey",
	"colour", "color", "x*y", "w\u0302", "\u0175", "\u212b", "\u00e5", "title:cat", "(cat",
	"dog)", "\"cat\""};

static const char *draw_word(void)
{
	return words[below(1 + below(COUNT(words)))];
}

/* Returns the start of the character that contains the byte. */
static size_t char_start(const void *text, size_t at)
{
	while (at > 0 && U8_IS_TRAIL(((const uint8_t *)text)[at]))
		at--;
	return at;
}

static size_t next_char(const char *text, size_t at)
{
	do
		at++;
	while (U8_IS_TRAIL((uint8_t)text[at]));
	return at;
}

/* ---- documents ---- */

static const char *const values[] = {
	"0", "7", "7.00", "-3", "12.5", "1e3", "1000", "1024", "1E400", "2017", "2018", "1990",
	"9007199254740993", "123456789012345678901234567890",
	/* Dates, and texts that are not values. */
	"2018-01", "2018-01-15", "2018-01-15T12:00:00", "2018-01-15 14:30", "1492-10-12",
	"9999-12-31", "n/a", "12,5", "cat", "2018-01-15 cat"};

static void draw_text(uint32_t n_words, struct bs_buffer *text)
{
	static const char *const between[] = {", ", ".", "-", "\n", "", "\u3000", " (", "/"};
	for (uint32_t i = 0; i < n_words; i++) {
		if (i > 0)
			append_string(text, by_chance(85) ? " " : PICK(between));
		append_string(text, draw_word());
	}
}

static void write_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++)
		fprintf(file,
		        *text == '\n'                   ? "\\n"
		        : *text == '"' || *text == '\\' ? "\\%c"
		                                        : "%c",
		        *text);
	fputc('"', file);
}

static void write_record(struct grammar *grammar, const char *id, FILE *file)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	fprintf(file, "{\"id\": \"%s\"", id);
	for (int field = 0; field < GRAMMAR_N_NAMES; field++) {
		bool is_value = field == 2 || field == 3, is_name = field == GRAMMAR_N_NAMES - 1;
		uint32_t n = by_chance(field < 2 ? 90 : is_value ? 70 : 35);
		if (n == 0)
			continue;
		/* Sometimes a field has several texts. */
		n += by_chance(15);
		fprintf(file, ", \"%s\": [", grammar_names[field]);
		for (uint32_t i = 0; i < n; i++) {
			bs_buffer_clear(&text);
			if (is_value)
				append_string(&text, PICK(values));
			else
				draw_text(roll_between(1, is_name ? 2 : 7), &text);
			oracle_add_field(&grammar->oracle, grammar_names[field], text.data,
			                 text.used_bytes);
			append_bytes(&text, "", 1);
			fputs(i > 0 ? ", " : "", file);
			write_string(file, (const char *)text.data);
		}
		fputs("]", file);
	}
	fputs("}\n", file);
	oracle_end_doc(&grammar->oracle, id, strlen(id));
	oracle_place_doc(&grammar->oracle, "", 0, 0);
}

static void write_file(struct grammar *grammar, const char *name)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	char path[64];
	snprintf(path, sizeof(path), "files/%s", name);
	draw_text(roll_between(2, 9), &text);
	FILE *file = must_fopen(path, "w");
	fwrite(text.data, 1, text.used_bytes, file);
	assert_int_equal(fclose(file), 0);
	oracle_add_field(&grammar->oracle, "", text.data, text.used_bytes);
	oracle_end_doc(&grammar->oracle, path, strlen(path));
	oracle_place_doc(&grammar->oracle, path, strlen("files/"), 0);
}

void grammar_write(struct grammar *grammar)
{
	static const char *const names[GRAMMAR_N_FILES] = {
		"cat",       "big dog",         "cat-dog.txt",
		"sub/bird",  "sub/cat 1990.md", "\u6f22\u5b57.txt",
		"caf\u00e9", "foo_bar.c",       "running",
		"x y/z"};
	char id[16];
	memcpy(grammar->oracle.names, grammar_names, sizeof(grammar_names));
	grammar->oracle.n_names = GRAMMAR_N_NAMES;
	assert_int_equal(mkdir("files", 0700) | mkdir("files/sub", 0700) | mkdir("files/x y", 0700),
	                 0);
	FILE *file = must_fopen("records.jsonl", "w");
	for (uint32_t i = 0; i < GRAMMAR_N_RECORDS; i++) {
		snprintf(id, sizeof(id), "r%u", i);
		write_record(grammar, id, file);
	}
	assert_int_equal(fclose(file), 0);
	for (uint32_t i = 0; i < GRAMMAR_N_FILES; i++)
		write_file(grammar, names[i]);
}

/* ---- queries ---- */

struct growing {
	const struct grammar *grammar;
	struct bs_buffer *text;
};

static void put(struct growing *growing, const char *text)
{
	append_string(growing->text, text);
}

static void put_space(struct growing *growing)
{
	static const char *const spaces[] = {"  ", "\t", "\n", "\u00a0", "\u3000", " \r\n"};
	put(growing, by_chance(92) ? " " : PICK(spaces));
}

/* Appends a word of the list, a part of one, or one with a typing error. */
static void put_word(struct growing *growing)
{
	const char *word = draw_word();
	size_t at = char_start(word, below(strlen(word)));
	if (by_chance(80) || at == 0) {
		put(growing, word);
		return;
	}
	append_bytes(growing->text, word, at);
	if (by_chance(30)) {
		at = next_char(word, at);
		put(growing, by_chance(50) ? "e" : "");
		put(growing, word + at);
	}
}

static void put_weight(struct growing *growing)
{
	static const char *const weights[] = {"^2",   "^0",     "^.5",   "^2.5", "^1000",
	                                      "^1",   "^0.001", "^1001", "^2.",  "^-1",
	                                      "^1e2", "^",      "^007"};
	if (by_chance(12))
		put(growing, PICK(weights));
}

static void put_pattern(struct growing *growing)
{
	const char *word = draw_word();
	size_t n = strlen(word);
	if (by_chance(20))
		put(growing, by_chance(50) ? "foo." : "big-");
	for (size_t at = 0, next, n_wild = 0; at < n; at = next) {
		next = next_char(word, at);
		bool is_wild = n_wild < 3 && by_chance(25);
		n_wild += is_wild;
		if (is_wild && by_chance(50))
			put(growing, by_chance(70) ? "?" : "*");
		else if (is_wild)
			put(growing, "*");
		if (!is_wild || by_chance(30))
			append_bytes(growing->text, word + at, next - at);
	}
	put(growing, by_chance(20) ? "*" : "");
}

static void put_bare(struct growing *growing)
{
	static const char *const glue[] = {"-", ".", "+", "&", "/", "(", ")", "()", "|",  ":", "::",
	                                   "!", "'", "~", "*", "?", ",", "<", "=",  "\\", "@"};
	static const char *const suffixes[] = {"*", "**",  "~1", "~2", "~3",
	                                       "~", "*~1", "?",  ".*", "~1*"};
	uint32_t what = below(100);
	if (what < 60) {
		put_word(growing);
	} else if (what < 70) {
		put_pattern(growing);
	} else if (what < 85) {
		put(growing, by_chance(30) ? PICK(glue) : "");
		put_word(growing);
		put(growing, PICK(glue));
		if (by_chance(70))
			put_word(growing);
		put(growing, by_chance(20) ? PICK(glue) : "");
	} else {
		put_word(growing);
		put(growing, PICK(suffixes));
	}
	if (by_chance(8))
		put(growing, PICK(suffixes));
}

static void put_number(struct growing *growing)
{
	static const char *const numbers[] = {"0", "7", "-3", "12.5", "1k", "1Ki", "0.5k", "1M",
	                                      "2Ki", "1e3", "2017", "2018", "1990", "1E400",
	                                      /* 2^53 and more, invalid numbers, a suffix. */
	                                      "9007199254740992", "9007199254740993",
	                                      "123456789012345678901234567890", "x", "", "1.5Gi"};
	static const char *const dates[] = {"2017", "2018", "2018-01", "2018-01-15",
	                                    /* Times, other years, invalid dates. */
	                                    "2018-01-15T12", "2018-01-15T14:30", "1492-10-12",
	                                    "1600", "9999-12-31", "2018-13", "", "2018-02-30"};
	put(growing, by_chance(50) ? PICK(numbers) : PICK(dates));
}

static void put_range(struct growing *growing)
{
	static const char *const fields[] = {
		"year:", "when:", "year:", "when:", "title:", "", "name:", "a:b:"};
	static const char *const signs[] = {">", "<", ">=", "<=", "=", ">>", "!="};
	static const char *const spaced[] = {"\"2018-01-15 12:00..2018-01-15 15:00\"",
	                                     "\">=2018-01-15 14:30\"",
	                                     "\"..2018-01-15 14\"",
	                                     "\"2018-01-15 14:30\"",
	                                     "\"< 5\"",
	                                     "\"2017-01-01 00:00..\"^2",
	                                     "\"1 .. 2\""};
	put(growing, PICK(fields));
	put(growing, by_chance(5) ? " " : "");
	if (by_chance(15)) {
		put(growing, PICK(spaced));
		return;
	}
	if (by_chance(50)) {
		put(growing, PICK(signs));
		put_number(growing);
		return;
	}
	put_number(growing);
	put(growing, by_chance(92) ? ".." : "...");
	put_number(growing);
}

static void put_phrase(struct growing *growing)
{
	static const char *const distances[] = {"~0", "~1",   "~2",   "~5",           "~100", "~",
	                                        "~x", "~1.5", "~3^2", "~99999999999", "~2x",  "*"};
	static const char *const curled[] = {"\u201c", "\u201d", "\u201e", "'", "\u00ab", "`"};
	uint32_t n = roll_between(by_chance(5) ? 0 : 1, 3);
	bool is_curled = by_chance(5);
	/* About half of the phrases are pieces of a document's text. */
	const struct oracle *oracle = &growing->grammar->oracle;
	const struct oracle_field *field =
		&oracle->fields.items[below(bs_vector_n(&oracle->fields))];
	const char *text = (const char *)oracle->bytes.data + field->text_off;
	size_t length = field->text_bytes;
	put(growing, is_curled ? PICK(curled) : "\"");
	if (by_chance(50) && !memchr(text, '"', length)) {
		size_t at = below(length + 1), end = at + below(16);
		while (at > 0 && text[at - 1] != ' ')
			at--;
		end = end < length ? end : length;
		end = char_start(text, end);
		if (by_chance(70))
			while (end < length && text[end] != ' ')
				end++;
		append_bytes(growing->text, text + at, end > at ? end - at : 0);
		put(growing, by_chance(10) ? "*" : "");
	} else {
		for (uint32_t i = 0; i < n; i++) {
			if (i > 0)
				put_space(growing);
			if (by_chance(80))
				put_word(growing);
			else
				put_bare(growing);
		}
		put(growing, by_chance(10) ? " " : "");
	}
	put(growing, is_curled ? PICK(curled) : "\"");
	if (by_chance(30))
		put(growing, PICK(distances));
}

static void put_or(struct growing *growing, uint32_t depth);

static void put_primary(struct growing *growing, uint32_t depth)
{
	static const char *const fields[] = {
		"title:", "body:", "a:",      "a:b:",        "name:",   "year:",   "tags:",
		"Title:", "none:", "title::", "title:body:", "title: ", "name:a:", ":"};
	uint32_t what = below(100);
	if (by_chance(22))
		put(growing, PICK(fields));
	if (depth > 0 && what < 22) {
		put(growing, by_chance(8) ? "( " : "(");
		if (!by_chance(3))
			put_or(growing, depth - 1);
		put(growing, by_chance(8) ? " )" : ")");
	} else if (what < 62) {
		put_bare(growing);
	} else if (what < 70) {
		put_range(growing);
	} else {
		put_phrase(growing);
	}
	put_weight(growing);
}

static void put_unary(struct growing *growing, uint32_t depth)
{
	static const char *const nots[] = {"-",     "-",        "-",  "!",  "NOT ",
	                                   "NOT ",  "NOT",      "- ", "--", "not ",
	                                   "NOT -", "NOT NOT ", "+",  "-+", "!("};
	if (by_chance(20))
		put(growing, PICK(nots));
	put_primary(growing, depth);
}

static void put_and(struct growing *growing, uint32_t depth)
{
	static const char *const ands[] = {"AND", "&&", "AND", "and", "&", "AND AND", "And"};
	uint32_t n = roll_between(1, 3);
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 && !by_chance(6))
			put_space(growing);
		if (i > 0 && by_chance(35)) {
			put(growing, PICK(ands));
			put(growing, by_chance(90) ? " " : "");
		}
		put_unary(growing, depth);
	}
}

static void put_or(struct growing *growing, uint32_t depth)
{
	static const char *const ors[] = {" OR ",     " OR ", " || ", " or ", " OR OR ",
	                                  " AND OR ", "||",   ")OR(", " | ",  " OR -"};
	uint32_t n = by_chance(45) ? roll_between(2, 3) : 1;
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0)
			put(growing, PICK(ors));
		put_and(growing, depth);
	}
}

/* ---- mutations ---- */

static size_t draw_place(struct growing *growing)
{
	const struct bs_buffer *text = growing->text;
	size_t at = below(text->used_bytes + 1);
	/* Some edits are within a character, which makes invalid UTF-8. */
	if (at < text->used_bytes && !by_chance(3))
		at = char_start(text->data, at);
	return at;
}

static void replace(struct growing *growing, size_t at, size_t n_old, const void *bytes,
                    size_t n_bytes)
{
	struct bs_buffer made = {0}, *text = growing->text;
	assert_int_equal(bs_buffer_reserve(&made, 1, NULL), BS_OK);
	append_bytes(&made, text->data, at);
	append_bytes(&made, bytes, n_bytes);
	append_bytes(&made, text->data + at + n_old, text->used_bytes - at - n_old);
	bs_buffer_deinit(text);
	*text = made;
}

static void mutate(struct growing *growing)
{
	static const char *const signs[] = {
		"(",      ")",      "\"",     "-",      "!",      "+",      "*",  "?",   "~1",
		"~2",     "^2",     "^",      ":",      "title:", "name:",  " ",  "AND", " OR ",
		" NOT ",  "||",     "&&",     "\\",     "'",      "..",     ">",  "1",   "cat",
		"\u6f22", "\u0301", "\u0338", "\u200d", "\ufe0f", "\u00a0", "~",  "@",   "_",
		"\u05dc", "\uac00", "()",     "\"\"",   " -",     "\" ",    " (", ") ",  "year:"};
	AUTO(bs_buffer_deinit) struct bs_buffer copy = {0};
	size_t a = draw_place(growing), b = draw_place(growing), start = a < b ? a : b,
	       end = a < b ? b : a;
	const char *sign = PICK(signs);
	end = end - start > 12 && by_chance(80) ? start + 1 : end;
	switch (below(6)) {
	case 0:
		replace(growing, start, end - start, "", 0);
		break;
	case 1:
		replace(growing, start, end - start, sign, strlen(sign));
		break;
	case 2:
		/* Copies a part of the query to another place. */
		append_bytes(&copy, growing->text->data + start, end - start);
		a = draw_place(growing);
		replace(growing, a, 0, copy.data, copy.used_bytes);
		break;
	case 3:
		if (by_chance(20))
			growing->text->used_bytes = a;
		break;
	default:
		replace(growing, a, 0, sign, strlen(sign));
	}
}

void grammar_draw(const struct grammar *grammar, struct bs_buffer *text)
{
	struct growing growing = {grammar, text};
	bool is_again =
		text->used_bytes > 0 && text->used_bytes < GRAMMAR_MAX_TEXT / 8 && by_chance(25);
	if (!is_again) {
		bs_buffer_clear(text);
		assert_int_equal(bs_buffer_reserve(text, 1, NULL), BS_OK);
		put_or(&growing, below(4));
	}
	for (uint32_t n = is_again || by_chance(40) ? roll_between(1, 4) : 0; n > 0; n--)
		mutate(&growing);
	if (text->used_bytes > GRAMMAR_MAX_TEXT / 4)
		text->used_bytes = GRAMMAR_MAX_TEXT / 4;
}
