/* test_snippet.c: which window is chosen, where it is cut, what is marked, and that untrusted text
 * is escaped. */
#include <sys/mman.h>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "core/text/tokenizer.h"
#include "query/answer/snippet.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

#define MOST_HITS 64

static struct bs_field field_of(const char *text)
{
	struct bs_field field = {
		.name = "", .text = (const uint8_t *)text, .text_bytes = strlen(text)};
	return field;
}

static struct bs_word_hit hit_at(uint32_t field, uint32_t element, uint64_t start_byte,
                                 uint64_t end_byte)
{
	return (struct bs_word_hit){
		.field = field, .element = element, .start_byte = start_byte, .end_byte = end_byte};
}

/* Finds every occurrence of the words (NULL-terminated) in the fields, in text order. `element` of
 * a hit is the index of its word. */
static size_t find_hits(const struct bs_field *fields, size_t n_fields, const char *const *words,
                        struct bs_word_hit *hits)
{
	size_t n_hits = 0;
	for (size_t f = 0; f < n_fields; f++) {
		for (size_t at = 0; at < fields[f].text_bytes; at++) {
			for (uint32_t w = 0; words[w] && n_hits < MOST_HITS; w++) {
				size_t n_bytes = strlen(words[w]);
				if (fields[f].text_bytes - at < n_bytes ||
				    memcmp(fields[f].text + at, words[w], n_bytes) != 0)
					continue;
				hits[n_hits++] = hit_at((uint32_t)f, w, at, at + n_bytes);
			}
		}
	}
	return n_hits;
}

/* Returns a snippet as a NUL-terminated text; the caller frees it. */
static char *shaped(enum bs_snippet_shape shape, const struct bs_field *fields, size_t n_fields,
                    const struct bs_word_hit *hits, size_t n_hits, uint32_t width)
{
	struct bs_snippet_options options = {
		.mark_start = "[", .mark_stop = "]", .width = width, .shape = shape};
	struct bs_buffer out = {0};
	ok(bs_snippet_write(fields, n_fields, hits, n_hits, NULL, &options, &out, ERR));
	append_bytes(&out, "", 1);
	return (char *)out.data;
}

static char *snippet_of(const struct bs_field *fields, size_t n_fields,
                        const struct bs_word_hit *hits, size_t n_hits, uint32_t width)
{
	return shaped(BS_SNIPPET_JOINED, fields, n_fields, hits, n_hits, width);
}

static void check_shape(enum bs_snippet_shape shape, const char *text, const char *const *words,
                        uint32_t width, const char *wanted)
{
	struct bs_field field = field_of(text);
	struct bs_word_hit hits[MOST_HITS];
	FREED char *got = shaped(shape, &field, 1, hits, find_hits(&field, 1, words, hits), width);
	assert_string_equal(got, wanted);
}

static void check_words(const char *text, const char *const *words, uint32_t width,
                        const char *wanted)
{
	check_shape(BS_SNIPPET_JOINED, text, words, width, wanted);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_WORDS   ((const char *const[]){NULL})

static void test_short_texts(void **state)
{
	check_words("a cat sat", WORDS("cat"), 0, "a [cat] sat");
	check_words("cat", WORDS("cat"), 0, "[cat]");
	check_words("a cat and a dog", WORDS("cat", "dog"), 0, "a [cat] and a [dog]");
	check_words("nothing here", NO_WORDS, 0, "nothing here");
	check_words("", NO_WORDS, 0, "");
	check_words(" \n\t ", NO_WORDS, 0, "");
	check_words("漢字の猫", WORDS("猫"), 0, "漢字の[猫]");
}

static void test_white_space(void **state)
{
	check_words("  a \n\n\t cat\r\nsat\xe3\x80\x80\xe3\x80\x80on \n", WORDS("cat"), 0,
	            "a [cat] sat on");
	check_words("\n\ncat\n\n", WORDS("cat"), 0, "[cat]");
	check_words("a\u2028b\u00a0\302\205c", NO_WORDS, 0, "a b c");
	/* white space within a hit and at its edges */
	check_words("x a  b y", WORDS("a  b"), 0, "x [a b] y");
	check_words("x a b y", WORDS("a ", "b"), 0, "x [a b] y");
	check_words("x a b y", WORDS("a", "b"), 0, "x [a] [b] y");
	check_words("x a b y", WORDS(" a "), 0, "x [a] b y");
}

static void test_hostile_text(void **state)
{
	check_words("a\x1b[2J cat \x01\x7f", WORDS("cat"), 0,
	            "a\xef\xbf\xbd[2J [cat] \xef\xbf\xbd\xef\xbf\xbd");
	check_words("\xc2\x9b cat", WORDS("cat"), 0, "\xef\xbf\xbd [cat]");
	check_words("\xff\xc3 cat \xe3\x81", WORDS("cat"), 0,
	            "\xef\xbf\xbd\xef\xbf\xbd [cat] \xef\xbf\xbd");
	struct bs_field field = {.name = "", .text = (const uint8_t *)"a\0cat", .text_bytes = 5};
	struct bs_word_hit hit = hit_at(0, 0, 2, 5);
	FREED char *got = snippet_of(&field, 1, &hit, 1, 0);
	assert_string_equal(got, "a\xef\xbf\xbd[cat]");
}

static void test_marks(void **state)
{
	/* overlapping and adjacent hits are merged */
	check_words("foobar x", WORDS("foo", "oob", "bar"), 0, "[foobar] x");
	check_words("foobar x", WORDS("foobar", "oo"), 0, "[foobar] x");
	check_words("foobarbaz", WORDS("foo", "baz"), 0, "[foo]bar[baz]");

	struct bs_field field = field_of("a cat sat");
	struct bs_word_hit hit = hit_at(0, 7, 2, 5);
	AUTO(bs_buffer_deinit) struct bs_buffer out = {0};
	ok(bs_snippet_write(&field, 1, &hit, 1, NULL, NULL, &out, ERR));
	struct bs_snippet_options bold = {.mark_start = "\033[1m", .mark_stop = "\033[0m"};
	ok(bs_snippet_write(&field, 1, &hit, 1, NULL, &bold, &out, ERR));
	append_bytes(&out, "", 1);
	assert_string_equal((const char *)out.data, "a cat sata \033[1mcat\033[0m sat");
}

static void test_windows(void **state)
{
	const char *text = "one cat two three four five six seven eight nine ten cat dog eleven "
			   "twelve thirteen cat cat "
			   "cat fourteen fifteen sixteen";
	/* the window with the most distinct elements is chosen */
	check_words(text, WORDS("cat", "dog"), 30, "…nine ten [cat] [dog] eleven…");
	/* if the elements are equal, the window with the most hits is chosen */
	check_words(text, WORDS("cat"), 30, "…thirteen [cat] [cat] [cat] fourteen…");
	/* if the hits are equal, too, the earliest window is chosen */
	check_words(text, WORDS("three", "fourteen"), 20, "…two [three] four five…");
	/* a window that is wide enough for all hits */
	check_words(text, WORDS("one", "sixteen"), 125,
	            "[one] cat two three four five six seven eight nine ten cat dog eleven twelve "
	            "thirteen cat cat cat "
	            "fourteen fifteen [sixteen]");
	/* at the ends of the text, more context is shown on the other side of the hit */
	check_words(text, WORDS("one"), 30, "[one] cat two three four five…");
	check_words(text, WORDS("sixteen"), 30, "…cat fourteen fifteen [sixteen]");
	check_words(text, NO_WORDS, 30, "one cat two three four five…");
}

static void test_cuts(void **state)
{
	/* a word longer than the context is cut between characters */
	check_words("abcdefghijklmnopqrstuvwxyz.cat.abcdefghijklmnopqrstuvwxyz", WORDS("cat"), 13,
	            "…wxyz.[cat].abcd…");
	check_words("abcdefghijklmnopqrstuvwxyz1cat1abcdefghijklmnopqrstuvwxyz", WORDS("cat"), 23,
	            "…rstuvwxyz1[cat]1abcdefghi…");
	/* a hit longer than the line */
	check_words("x abcdefghijklmnopqrstuvwxyz y", WORDS("abcdefghijklmnopqrstuvwxyz"), 10,
	            "x [abcdefgh]…");
	/* a text without spaces is cut between any two characters, but never before a mark */
	check_words("いろはにほへとちりぬるを", WORDS("へ"), 10, "…にほ[へ]とち…");
	check_words("ee\u0301ee\u0301ee\u0301cat", WORDS("cat"), 5, "…ee\u0301[cat]");
	/* no ellipsis if only white space was cut off */
	check_words("one two cat   \n", WORDS("cat"), 12, "one two [cat]");
	check_words("  \n one two cat", WORDS("cat"), 12, "one two [cat]");
}

static void test_columns(void **state)
{
	/* wide characters have two columns, marks and joiners none, half-width characters one */
	check_words("漢字漢字漢字 cat 漢字漢字漢字", WORDS("cat"), 13, "…漢字 [cat] 漢字…");
	check_words("e\u0301e\u0301e\u0301 cat e\u0301e\u0301e\u0301", WORDS("cat"), 11,
	            "e\u0301e\u0301e\u0301 [cat] e\u0301e\u0301e\u0301");
	check_words("ﾃｷｽﾄ cat ﾃｷｽﾄ", WORDS("cat"), 13, "ﾃｷｽﾄ [cat] ﾃｷｽﾄ");
	check_words("\u1112\u1161\u11ab cat", WORDS("cat"), 6, "\u1112\u1161\u11ab [cat]");
}

static void test_lines(void **state)
{
	const char *code = "int main(void)\n{\n\tif (cat)\n\t\treturn dog;\r\n\n\treturn 0;\n}\n";
	check_shape(BS_SNIPPET_LINES, code, WORDS("cat", "dog"), 160,
	            "int main(void)\n{\n    if ([cat])\n        return [dog];\n    return 0;\n}");
	/* lines that do not fit are omitted */
	check_shape(BS_SNIPPET_LINES, code, WORDS("cat", "dog"), 30,
	            "{\n    if ([cat])\n        return [dog];");
	check_shape(BS_SNIPPET_LINES, code, WORDS("dog"), 24, "return [dog];");
	check_shape(BS_SNIPPET_LINES, "a\n        b", WORDS("b"), 6, "a\n     [b]");
	/* a long line is cut, and shown without its neighbours */
	check_shape(BS_SNIPPET_LINES, "before\none two three four cat five six seven eight\nbehind",
	            WORDS("cat"), 20, "…four [cat] five six…");
	check_shape(BS_SNIPPET_LINES, "before\n\tone two three cat\nbehind", WORDS("cat"), 17,
	            "one two three [cat]");
	/* at most eight lines, at most two of them before the line of the first hit */
	check_shape(BS_SNIPPET_LINES, "1\n2\n3\n4\ncat\n6\n7\n8\n9\n10\n11\n", WORDS("cat"), 160,
	            "3\n4\n[cat]\n6\n7\n8\n9\n10");
	check_shape(BS_SNIPPET_LINES, "\n\n\n", NO_WORDS, 20, "");
	check_shape(BS_SNIPPET_LINES, "\n\n  a\n   b c\n", NO_WORDS, 20, "a\n b c");
	check_shape(BS_SNIPPET_OWN_LINES, code, WORDS("dog"), 160, "return [dog];");
	check_shape(BS_SNIPPET_OWN_LINES, code, WORDS("cat", "dog"), 160,
	            "if ([cat]) return [dog];");
	check_shape(BS_SNIPPET_OWN_LINES, "x\n\n  a b\n", NO_WORDS, 160, "x");
	check_shape(BS_SNIPPET_OWN_LINES, "x\none two three four cat five six\ny", WORDS("cat"), 14,
	            "…four [cat] five…");
}

static void test_passages(void **state)
{
	struct bs_field fields[2] = {
		field_of("cat one two three four five cat cat six seven eight nine dog cat ten"),
		field_of("dog")};
	struct bs_word_hit hits[MOST_HITS];
	struct bs_snippet_options options = {.width = 12};
	AUTO(vector_deinit) struct bs_snippet_windows windows = {0};
	size_t n_hits = find_hits(fields, 2, WORDS("cat", "dog"), hits), best;
	ok(bs_snippet_windows(fields, 2, hits, n_hits, &options, &windows, &best, ERR));
	static const struct bs_snippet_window wanted[] = {{0, 0}, {1, 2}, {3, 4}, {5, 5}};
	assert_int_equal(windows.bytes.used_bytes, sizeof(wanted));
	assert_memory_equal(windows.items, wanted, sizeof(wanted));
	assert_int_equal(best, 2);
}

static void check_fields(const struct bs_field *fields, size_t n_fields, const char *const *words,
                         const char *wanted)
{
	struct bs_word_hit hits[MOST_HITS];
	size_t n_hits = find_hits(fields, n_fields, words, hits);
	FREED char *got = snippet_of(fields, n_fields, hits, n_hits, 0);
	assert_string_equal(got, wanted);
}

static void test_fields(void **state)
{
	const struct bs_field fields[3] = {field_of("a cat"), field_of("  "),
	                                   field_of("a cat and a dog")};
	check_fields(fields, 3, WORDS("cat", "dog"), "a [cat] and a [dog]");
	check_fields(fields, 3, WORDS("cat"), "a [cat]");
	check_fields(fields + 1, 2, NO_WORDS, "a cat and a dog");
	check_fields(NULL, 0, NO_WORDS, "");
}

/* The hits of a script run cover all of it, however long it is. */
static void test_long_run(void **state)
{
	const size_t n_chars = 40000;
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	append_string(&text, "cat. ");
	append_repeated(&text, "字漢", n_chars / 2);
	struct bs_field field = {.name = "", .text = text.data, .text_bytes = text.used_bytes};
	FREED struct bs_word_hit *hits = calloc(n_chars + 1, sizeof(*hits));
	hits[0] = hit_at(0, 0, 0, 3);
	for (size_t i = 1; i <= n_chars; i++)
		hits[i] = hit_at(0, 1 + i % 2, 5, text.used_bytes);
	FREED char *got = snippet_of(&field, 1, hits, n_chars + 1, 12);
	assert_string_equal(got, "[cat]. [字漢字]…");
}

/* 64 MB of equal bytes around a few hits. Only the text near the hits is readable. */
static void check_huge(char filling)
{
	const size_t text_bytes = (size_t)1 << 26, near_bytes = 1 << 20;
	char *text = mmap(NULL, text_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(text, MAP_FAILED);
	struct bs_word_hit hits[3];
	for (size_t i = 0; i <= 4; i++) {
		size_t at = text_bytes / 4 * i, from = i > 0 ? at - near_bytes : 0,
		       to = i < 4 ? at + near_bytes : at;
		assert_int_equal(mprotect(text + from, to - from, PROT_READ | PROT_WRITE), 0);
		memset(text + from, filling, to - from);
		if (i == 0 || i == 4)
			continue;
		memcpy(text + at, " cat ", 5);
		hits[i - 1] = hit_at(0, 0, at + 1, at + 4);
	}
	struct bs_field field = {
		.name = "", .text = (const uint8_t *)text, .text_bytes = text_bytes};
	for (size_t i = 0; i < 4; i++) {
		FREED char *got = snippet_of(&field, 1, hits, i, 0);
		assert_true(strlen(got) < 600);
		assert_true(i == 0 || strstr(got, "[cat]"));
	}
	assert_int_equal(munmap(text, text_bytes), 0);
}

static void test_huge_texts(void **state)
{
	check_huge('x');
	check_huge(' ');
	check_huge('\0');
	check_huge('\xff');
	check_huge('\x81');
}

/* Expects a single line of valid UTF-8 without control characters, without double, leading and
 * trailing spaces, with paired marks around something, and at most as wide as requested. */
static void check_line(const char *line, size_t width)
{
	bool is_marked = false;
	UChar32 before = ' ';
	size_t n_columns = 0, n_bytes = strlen(line);
	for (size_t at = 0; at < n_bytes;) {
		UChar32 c;
		U8_NEXT((const uint8_t *)line, at, n_bytes, c);
		assert_true(c >= 0x20 && u_charType(c) != U_CONTROL_CHAR);
		assert_false(c == ' ' && before == ' ');
		if (c == '[' || c == ']') {
			assert_int_equal(is_marked, c == ']');
			assert_false(c == ']' && before == '[');
			is_marked = !is_marked;
		} else {
			/* The widths of the characters in these tests: ellipses (not counted),
			 * marks and joiners; wide characters; all others. */
			n_columns += c == 0x2026 || c == 0x301 || c == 0x200d ? 0
			             : c > 0x3040 && c != 0xfffd              ? 2
			                                                      : 1;
		}
		before = c;
	}
	assert_false(is_marked);
	assert_true(n_bytes == 0 || before != ' ');
	assert_true(n_columns <= width);
}

/* Checks each of several lines; an indentation counts as width. Frees them. */
static void check_lines(char *lines, size_t width)
{
	bool is_first = true;
	for (char *at = lines, *line; (line = strsep(&at, "\n")); is_first = false) {
		size_t n_indent = strspn(line, " ");
		assert_true(is_first || strlen(line) > n_indent);
		assert_true(n_indent == 0 || n_indent < width);
		check_line(line + n_indent, width - n_indent);
	}
	free(lines);
}

static void append_random_text(struct bs_buffer *text)
{
	static const char *const pieces[] = {
		"cat", "dog", " ", "  \n", "\n \t", ". ", "é", "e\xcc\x81", "漢字", "カ", "ไทย",
		/* Invalid UTF-8, a control character, emoji. */
		"\xff", "\xe3\x81", "\x80", "\x1b", "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd",
		"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7", "한국"};
	append_string(text, pieces[below(COUNT(pieces))]);
}

static int compare_starts(const void *a, const void *b)
{
	const struct bs_word_hit *left = a, *right = b;
	return (left->start_byte > right->start_byte) - (left->start_byte < right->start_byte);
}

/* Any text and any sorted hits, even within characters and beyond the end. */
static void test_random(void **state)
{
	random_state = 3;
	for (size_t i = 0; i < 30000; i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
		size_t n_pieces = below(60);
		for (size_t k = 0; k < n_pieces; k++)
			append_random_text(&text);
		struct bs_word_hit hits[8];
		size_t n_hits = below(8);
		for (size_t k = 0; k < n_hits; k++) {
			uint64_t start = below(text.used_bytes + 4);
			uint64_t end = start + below(9);
			hits[k] = hit_at(0, below(4), start, end);
		}
		qsort(hits, n_hits, sizeof(hits[0]), compare_starts);
		struct bs_field field = {
			.name = "", .text = text.data, .text_bytes = text.used_bytes};
		uint32_t width = 1 + below(50);
		char *got = shaped(i % 2 ? BS_SNIPPET_OWN_LINES : BS_SNIPPET_JOINED, &field, 1,
		                   hits, n_hits, width);
		check_line(got, width);
		free(got);
		check_lines(shaped(BS_SNIPPET_LINES, &field, 1, hits, n_hits, width), width);
	}
}

/* Grapheme clusters that do not join with each other. */
static const char *const characters[] = {
	"\U0001F468\u200d\U0001F469\u200d\U0001F467\u200d\U0001F466", /* a family */
	"\u0915\u094d\u0937\u093f",                                   /* a conjunct */
	"\u0915\u094d\u200d\u0937",
	"\u1112\u1161\u11ab", /* a syllable of jamo */
	"\U0001F1E9\U0001F1EA",
	"\U0001F1EB\U0001F1F7", /* flags */
	"e\u0301",
	"1\ufe0f\u20e3",
	"\U0001F44D\U0001F3FD",
	"\u0e01\u0e33",
	"\u06001",
	"x\u200d",
	"\u6f22",
	"a",
	"-",
	"\uac00",
	"\u2764\ufe0f\u200d\U0001F525",
	("a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030d"
         "\u030e\u030f\u0310\u0311\u0312\u0313")};

/* Appends n clusters, equal or random ones; ends: the end of each in `out`. */
static void append_characters(struct bs_buffer *out, size_t n, bool are_alike,
                              struct bs_buffer *ends)
{
	const char *last = characters[below(COUNT(characters))];
	for (size_t i = 0; i < n; i++) {
		append_string(out, are_alike ? last : characters[below(COUNT(characters))]);
		append_bytes(ends, &out->used_bytes, sizeof(size_t));
	}
}

static bool is_end(const struct bs_buffer *ends, size_t at)
{
	const size_t *end = (const size_t *)(const void *)ends->data;
	for (size_t i = 0; i < ends->used_bytes / sizeof(*end); i++)
		if (end[i] == at)
			return true;
	return at == 0;
}

/* The snippet before the hit is the end of the text before it, and begins at a cluster boundary.
 * The snippet after the hit is the beginning of the text after it, and ends at a cluster
 * boundary. */
static void check_clusters(const char *got, const struct bs_buffer *text, size_t hit,
                           const struct bs_buffer *ends)
{
	const char *open = strchr(got, '['), *close = strchr(got, ']'), *dots = "\u2026";
	assert_non_null(open);
	assert_non_null(close);
	const char *left = strncmp(got, dots, 3) == 0 ? got + 3 : got, *right = close + 1,
		   *end = got + strlen(got);
	end = end - right >= 3 && strcmp(end - 3, dots) == 0 ? end - 3 : end;
	size_t left_bytes = (size_t)(open - left), right_bytes = (size_t)(end - right);
	assert_true(left_bytes <= hit && hit + 6 + right_bytes <= text->used_bytes);
	assert_memory_equal(left, text->data + hit - left_bytes, left_bytes);
	assert_memory_equal(right, text->data + hit + 6, right_bytes);
	if (!is_end(ends, hit - left_bytes) || !is_end(ends, hit + 6 + right_bytes))
		fail_msg("cut within a character: %s", got);
}

static void test_clusters(void **state)
{
	random_state = 11;
	for (size_t i = 0; i < 3000; i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer text = {0}, ends = {0};
		size_t n_before = below(200), n_after = below(200);
		append_characters(&text, n_before, i % 2, &ends);
		size_t hit = text.used_bytes + 1;
		append_string(&text, ".needle.");
		for (size_t end = hit - 1; end <= text.used_bytes; end += end == hit ? 6 : 1)
			append_bytes(&ends, &end, sizeof(end));
		append_characters(&text, n_after, i % 3 == 0, &ends);
		struct bs_field field = {
			.name = "", .text = text.data, .text_bytes = text.used_bytes};
		struct bs_word_hit found = hit_at(0, 0, hit, hit + 6);
		static const enum bs_snippet_shape shapes[] = {BS_SNIPPET_JOINED, BS_SNIPPET_LINES,
		                                               BS_SNIPPET_OWN_LINES};
		FREED char *got = shaped(shapes[i % 3], &field, 1, &found, 1, 24 + below(150));
		check_clusters(got, &text, hit, &ends);
	}
}

/* A grapheme cluster that is longer than the window is cut. The snippet shows no more bytes of it
 * than of other text. */
static void test_long_cluster(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	append_string(&text, "needle a");
	append_repeated(&text, "\u0301", 200000);
	append_string(&text, " needle");
	struct bs_field field = {.name = "", .text = text.data, .text_bytes = text.used_bytes};
	const struct bs_word_hit hits[] = {hit_at(0, 0, 0, 6), hit_at(0, 1, 7, text.used_bytes - 7),
	                                   hit_at(0, 0, text.used_bytes - 6, text.used_bytes)};
	for (size_t i = 0; i < 3; i++) {
		FREED char *got = snippet_of(&field, 1, hits + i, 1, 0);
		assert_true(strlen(got) < 160 * 16 * 3);
		assert_non_null(strchr(got, '['));
	}
}

struct gathering {
	struct bs_word_hit hits[MOST_HITS];
	size_t n_hits;
};

static enum bs_status gather(void *context, const struct bs_token *tokens, size_t n_tokens,
                             struct bs_error *err)
{
	struct gathering *gathering = context;
	for (size_t i = 0; i < n_tokens && gathering->n_hits < MOST_HITS; i++) {
		struct bs_word_hit hit = hit_at(0, 0, tokens[i].start_byte, tokens[i].end_byte);
		if (!tokens[i].is_bigram)
			gathering->hits[gathering->n_hits++] = hit;
	}
	return BS_OK;
}

/* Takes all words of the tokenizer as hits, with the places that the verifier would find. */
static void test_analyzed(void **state)
{
	struct bs_tokenizer *tokenizer;
	ok(bs_tokenizer_new(NULL, &tokenizer, ERR));
	struct bs_field field = field_of("Don't: obj.method,  日本語ﾃｷｽﾄ! été 👍");
	struct gathering gathering = {.n_hits = 0};
	ok(bs_tokenizer_analyze(tokenizer, field.text, field.text_bytes, 0, gather, &gathering,
	                        NULL, ERR));
	FREED char *got = snippet_of(&field, 1, gathering.hits, gathering.n_hits, 0);
	assert_string_equal(got, "[Don't]: [obj].[method], [日本語ﾃｷｽﾄ]! [été] [👍]");
	bs_tokenizer_free(tokenizer);
}

RUN_TESTS(test_short_texts, test_white_space, test_hostile_text, test_marks, test_windows,
          test_cuts, test_fields, test_long_run, test_huge_texts, test_random, test_analyzed,
          test_columns, test_lines, test_passages, test_clusters, test_long_cluster)
