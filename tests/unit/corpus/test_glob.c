/* test_glob.c: globs and lines of ignore files. test_walk.c tests their effect on a walk. */
#include "corpus/walk/glob.h"
#include "corpus/walk/ignore.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

/* ---- globs ---- */

static bool glob_matches_with(unsigned flags, const char *pattern, const char *path)
{
	AUTO(bs_glob_deinit) struct bs_glob glob;
	const char *slash = strrchr(path, '/');
	struct bs_glob_path at = {.bytes = (const uint8_t *)path,
	                          .n_bytes = strlen(path),
	                          .name_off = slash ? (size_t)(slash - path) + 1 : 0};
	ok(bs_glob_init(&glob, (const uint8_t *)pattern, strlen(pattern), flags, ERR));
	return bs_glob_match(&glob, &at);
}

static bool glob_matches(const char *pattern, const char *path)
{
	return glob_matches_with(0, pattern, path);
}

/* A pattern, the paths that it matches, and paths that it does not match, separated by blanks. */
static const struct {
	const char *pattern, *yes, *no;
} glob_cases[] = {
	{"a", "a", "b aa a/a"},
	{"a/b", "a/b", "a b x/a/b"},
	{"*", "a .a abc", "a/b"},
	{"*.c", ".c x.c x.y.c", "x.cc a/x.c c"},
	{"a*b*c", "abc axbxc abbcc", "ab acb a/b/c"},
	{"a?c", "abc a.c", "ac a/c abbc"},
	{"**", "a a/b a/b/c", ""},
	{"**/a", "a x/a x/y/a", "xa a/x"},
	{"**/a/b", "a/b x/a/b", "xa/b a/x/b"},
	{"**/*.c", ".c x.c a/x.c", "x.h x.c/y"},
	{"**/?", "a x/b", "ab x/ab"},
	{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb x/a/b"},
	{"a/**/**/b", "a/b a/x/b", "ab"},
	{"a/**/*", "a/b a/b/c", "a b/a"},
	{"a**b", "ab axb a**b", "a/b"},
	{"**a", "a xa", "x/a"},
	{"a/**b", "a/b a/xb", "a/x/b"},
	{"[a-c]x", "ax bx cx", "dx x"},
	{"[!a-c]x", "dx /x", "ax"},
	{"[^a]", "b", "a"},
	{"[]]", "]", "["},
	{"[]-a]", "] ^ _ a", "b -"},
	{"[a-]", "a -", "b"},
	{"[-a]", "a -", "b"},
	{"[a-c-e]", "a b c d e", "- f"},
	{"[\\]", "\\", "]"},
	{"a[/]b", "a/b", "ab"},
	{"[é]", "\xc3 \xa9", "é e"},
	{"{a,b}c", "ac bc", "c abc {a,b}c"},
	{"{a,}b", "ab", "b"},
	{"{}b{,}", "b", "{}b"},
	{"a{b*,c}*d", "abd acd abxd acxd", "ad axd"},
	{"{a/**,b}", "a/x a/x/y b", "a"},
	{"{**/a,b}c", "ac x/ac bc", "x/bc"},
	{"{a,{b,c}d}e", "ae bde cde", "ade be bd e"},
	{"{{a,b},{c}}", "a b c", "ab"},
	{"x{{},a}", "xa", "x"},
	{"x{{},{,{}}}", "x", "xa"},
	{"{a,{**/b,c/**}}", "a b x/b c/x/y", "c"},
	{"{a{b,c*},d}**", "ab acx d dx acxx", "a b/d"},
	{"a,b", "a,b", "a"},
	{"\\*\\a", "*a", "xa \\*a"},
	{"\\é", "é", "e"},
	{"**/foo.", "foo. x/foo.", "foo"},
	{"a/foo.", "a/foo.", "foo."},
	{"*.", "a. .", "a"},
	{"\xff*", "\xff \xffx", "x"},
};

static void check_words(const char *pattern, const char *words, bool expected)
{
	char copy[256];
	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		if (glob_matches(pattern, word) != expected)
			fail_msg("glob '%s', path '%s': expected %d", pattern, word, expected);
}

static void test_globs(void **state)
{
	for (size_t i = 0; i < COUNT(glob_cases); i++) {
		check_words(glob_cases[i].pattern, glob_cases[i].yes, true);
		check_words(glob_cases[i].pattern, glob_cases[i].no, false);
	}
	assert_true(glob_matches("**/a*c", "x/a\nc"));
	assert_true(glob_matches("**/a*c", "x\ny/ac"));
	assert_true(glob_matches("**/*.c", "x\ny/a.c"));
	assert_true(glob_matches_with(BS_GLOB_CASELESS, "**/A[B-c]*D", "x/aCcd"));
	assert_true(glob_matches_with(BS_GLOB_CASELESS, "[Z-a]", "z"));
	assert_true(glob_matches_with(BS_GLOB_CASELESS, "*.C", "a.c"));
	assert_true(glob_matches_with(BS_GLOB_CASELESS, "x/É", "X/É"));
	assert_false(glob_matches_with(BS_GLOB_CASELESS, "É", "é"));
	assert_false(glob_matches_with(BS_GLOB_CASELESS, "[!a]", "A"));
	assert_true(glob_matches_with(BS_GLOB_UNCLOSED_SET, "[a{b[,c}", "[ac"));
	assert_true(glob_matches_with(BS_GLOB_UNCLOSED_SET, "[a{b[,c}", "[ab["));
}

static void test_bad_globs(void **state)
{
	static const char *const bad[] = {"[",  "[a", "[]",     "[!]",  "[b-a]", "{",
	                                  "{a", "a}", "{a,{b}", "{a}}", "a\\",   "[é-a]"};
	struct bs_glob glob;
	for (size_t i = 0; i < COUNT(bad); i++) {
		expect_error(bs_glob_init(&glob, (const uint8_t *)bad[i], strlen(bad[i]), 0, ERR),
		             BS_INVALID, bad[i]);
	}
	FREED char *huge = must_malloc(100000);
	memset(huge, '*', 100000);
	assert_int_equal(bs_glob_init(&glob, (const uint8_t *)huge, 100000, 0, ERR), BS_INVALID);
}

/* No pattern makes matching slow. With backtracking, this one would not end in practice. */
static void test_glob_time(void **state)
{
	char pattern[201], path[2001];
	for (size_t i = 0; i < 100; i++)
		memcpy(pattern + 2 * i, "a*", 2);
	pattern[200] = '\0';
	memset(path, 'a', 2000);
	path[2000] = '\0';
	assert_true(glob_matches(pattern, path));
	pattern[199] = 'b';
	assert_false(glob_matches(pattern, path));
}

/* ---- ignore lines ---- */

/* The text of an ignore file, a path (of a folder if it ends in a slash), and the verdict: - to
 * skip, + to keep, ? for none. */
static const struct {
	const char *text, *path;
	char verdict;
} ignore_cases[] = {
	{"a", "a", '-'},
	{"a", "x/a", '-'},
	{"a", "b", '?'},
	{"/a", "a", '-'},
	{"/a", "x/a", '?'},
	{"x/a", "x/a", '-'},
	{"x/a", "y/x/a", '?'},
	{"a/", "a", '?'},
	{"a/", "a/", '-'},
	{"a/", "x/a/", '-'},
	{"# a", "# a", '?'},
	{"\\#a", "#a", '-'},
	{"!a", "a", '+'},
	{"\\!a", "!a", '-'},
	{"a\n!a", "a", '+'},
	{"!a\na", "a", '-'},
	{"*\n!a/", "a", '-'},
	{"*\n!a/", "a/", '+'},
	{"a  ", "a", '-'},
	{"a\\ ", "a ", '-'},
	{"a\\  ", "a ", '?'},
	{" a", "a", '?'},
	{" a", " a", '-'},
	{"a\r\nb", "a", '-'},
	{"a\t\xc2\xa0", "a", '-'},
	{"{\nb", "b", '-'},
	{"a\n\xff\nb", "a", '-'},
	{"a\n\xff\nb", "b", '?'},
	{"!", "a", '+'},
	{"/", "a/", '?'},
	{"a/**", "a/", '?'},
	{"a/**", "a/b", '-'},
	{"**", "a/b", '-'},
	{"**/", "a/", '-'},
	{"**/", "a", '?'},
	{"/**", "a", '-'},
	{"a//", "a/", '?'},
	{"\\/a", "/a", '-'},
	{"a\\/", "a/", '-'},
	{"x/**/a", "x/y/a", '-'},
	{"", "a", '?'},
	{"\n\n  \n", "a", '?'},
	{"[a", "x/[a", '-'},
	{"[a[b]*", "[a[b]c", '-'},
	{"[b-a", "[b-a", '?'},
	{"\\/", "a/", '-'},
	{"\xef\xbb\xbf\xef\xbb\xbf/a", "a", '-'},
	{"b\n\xef\xbb\xbf/a", "a", '?'},
	{"foo.", "foo.", '-'},
	{"/foo.", "foo.", '-'},
	{"a\\ \r\nb", "a ", '-'},
};

static void test_ignore_lines(void **state)
{
	static const char verdicts[] = {
		[BS_IGNORE_SILENT] = '?', [BS_IGNORE_SKIP] = '-', [BS_IGNORE_KEEP] = '+'};
	for (size_t i = 0; i < COUNT(ignore_cases); i++) {
		const char *path = ignore_cases[i].path, *text = ignore_cases[i].text;
		size_t n = strlen(path);
		bool is_folder = path[n - 1] == '/';
		AUTO(bs_ignore_deinit) struct bs_ignore ignore = {0};
		struct bs_ignore_entry entry = {.path = (const uint8_t *)path,
		                                .path_bytes = n - is_folder,
		                                .is_folder = is_folder};
		while (entry.name_off < n &&
		       memchr(path + entry.name_off, '/', entry.path_bytes - entry.name_off))
			entry.name_off++;
		ok(bs_ignore_add_text(&ignore, (const uint8_t *)text, strlen(text), ERR));
		char verdict = verdicts[bs_ignore_match(&ignore, &entry, 0)];
		if (verdict != ignore_cases[i].verdict)
			fail_msg("line %zu '%s', path '%s': %c", i, text, path, verdict);
	}
}

RUN_TESTS(test_globs, test_bad_globs, test_glob_time, test_ignore_lines)
