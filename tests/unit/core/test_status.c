/* test_status.c: error messages: escaped control characters, truncation, and quoted commands. */
#include "core/base/error.h"
#include "core/bitsift/host.h"
#include "core/bitsift/terminal.h"
#include "tests/rigs/core_rig.h"

static void test_control_characters(void **state)
{
	assert_int_equal(bs_fail(ERR, BS_IO, "%s: no", "a\nb\x1b[31m\x7f\t\xc3\xa9"), BS_IO);
	assert_string_equal(said.text, "a\\x0ab\\x1b[31m\\x7f\\x09\xc3\xa9: no");
	/* Escaped: C1 controls, as UTF-8 and as a byte, and bidirectional controls. Not escaped:
	 * other invalid UTF-8, and joiners. */
	bs_fail(ERR, BS_IO, "%s", "\xc2\x9b\x9b\xe2\x80\xae\xd8\x9c\xe2\x81\xa6 \xe9\xe2\x80\x8d");
	assert_string_equal(
		said.text,
		"\\xc2\\x9b\\x9b\\xe2\\x80\\xae\\xd8\\x9c\\xe2\\x81\\xa6 \xe9\xe2\x80\x8d");
	assert_int_equal(bs_fail(NULL, BS_BUSY, "%d", 1), BS_BUSY);
	assert_int_equal(bs_fail_memory(ERR, "a thing", 7), BS_NO_MEMORY);
	assert_non_null(strstr(said.text, "a thing (7 bytes)"));
}

/* Messages are truncated at 511 bytes or at the character before, so that all characters are
 * complete. */
static void test_long_messages(void **state)
{
	static const char *const letters[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
	                                      "\n"};
	char text[2048];
	for (size_t l = 0; l < COUNT(letters); l++) {
		size_t width = strlen(letters[l]);
		for (size_t n = 480; n < 1040; n++) {
			/* A text of n bytes: some x, then copies of the letter. */
			size_t used = n % width;
			memset(text, 'x', used);
			for (; used < n; used += width)
				memcpy(text + used, letters[l], width);
			text[n] = '\0';
			bs_fail(ERR, BS_IO, "%s", text);
			size_t n_left = strnlen(said.text, sizeof(said.text));
			assert_true(n_left <= 511);
			if (*letters[l] == '\n')
				continue;
			assert_memory_equal(said.text, text, n_left);
			assert_int_equal(n_left % width, n % width);
			assert_true(n <= 511 ? n_left == n : n_left >= 511 - 2 * width);
		}
	}
}

/* Draws bytes of any kind, many of which are special in a shell. */
static void draw_word(char *word, size_t n_bytes, uint64_t *random)
{
	static const char minded[] = "'\\\"$ `;&|<>()*?[]#~!{}=\n\t\x1b\x7f";
	static const char *const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xe2\x80\xae",
	                                         "\xc2\x9b", "\xf0\x9f\x98\x80"};
	size_t used = 0;
	while (used + 4 < n_bytes) {
		uint32_t draw = (uint32_t)(next_random(random) >> 33);
		if (draw % 12 == 0)
			break;
		if (draw % 12 < 4)
			word[used++] = minded[draw / 12 % (sizeof(minded) - 1)];
		else if (draw % 12 < 6)
			used += strlen(
				strcpy(word + used, characters[draw / 12 % COUNT(characters)]));
		else
			word[used++] = draw % 12 < 8 ? (char)(1 + draw / 12 % 255)
			                             : (char)('0' + draw / 12 % 75);
	}
	word[used] = '\0';
}

/* A shell reads the original words from a quoted command. A message keeps the command unchanged. */
static void test_commands(void **state)
{
	static char words[300][32];
	uint64_t random = 1;
	FILE *script = must_fopen("commands.sh", "w");
	for (size_t i = 0; i < COUNT(words); i++) {
		char command[256];
		draw_word(words[i], sizeof(words[i]), &random);
		const char *list[] = {"printf", "%s\\0", words[i], NULL};
		size_t n_bytes = bs_shell_command(list, command, sizeof(command));
		assert_int_equal(n_bytes, strlen(command));
		assert_int_equal(bs_shell_command(list, NULL, 0), n_bytes);
		assert_int_equal(bs_shell_command(list, command, n_bytes), n_bytes);
		assert_string_equal(command, "");
		bs_shell_command(list, command, sizeof(command));
		bs_fail(ERR, BS_OK, "%s", command);
		assert_string_equal(said.text, command);
		fprintf(script, "%s\n", command);
	}
	assert_int_equal(fclose(script), 0);
	FILE *shell = popen("bash commands.sh", "r");
	assert_non_null(shell);
	for (size_t i = 0; i < COUNT(words); i++) {
		size_t n = strlen(words[i]) + 1;
		char read[sizeof(words[i])];
		assert_int_equal(fread(read, 1, n, shell), n);
		assert_memory_equal(read, words[i], n);
	}
	assert_int_equal(pclose(shell), 0);
}

static void test_advice(void **state)
{
	char text[600];
	bs_fail(ERR, BS_IO, "x");
	bs_advise(&said, "; do: ", (const char *const[]){"bitsift", "trust", "it's", "", NULL});
	assert_string_equal(said.text, "x; do: bitsift trust 'it'\\''s' ''");
	bs_advise(NULL, "; do: ", (const char *const[]){"a", NULL});
	/* A command is appended completely or not at all. */
	for (size_t n = 500; n < sizeof(said.text); n++) {
		memset(text, 'x', n);
		text[n] = '\0';
		bs_fail(ERR, BS_IO, "%s", text);
		bs_advise(&said, ": ", (const char *const[]){"a b", NULL});
		assert_string_equal(said.text + n, n + 7 < sizeof(said.text) ? ": 'a b'" : "");
	}
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	bs_fail(ERR, BS_IO, "x");
	bs_advise(&said, ": ", (const char *const[]){text, NULL});
	assert_string_equal(said.text, "x");
}

static void check_reworded(const char *from, size_t room, const char *to)
{
	static const char *const pairs[] = {
		"--memory", "memory",   "^--weight ", "weight: ", "; see --more$", "", "b",
		"bb",       "\xc3\xa9", "e",          NULL};
	char text[100] = "";
	strncpy(text, from, sizeof(text) - 1);
	bs_reword(text, room, pairs);
	assert_string_equal(text, to);
}

static void test_reword(void **state)
{
	check_reworded("", 8, "");
	check_reworded("use less --memory, or more --memory", 90,
	               "use less memory, or more memory");
	check_reworded("--weight x: no --weight y", 90, "weight: x: no --weight y");
	check_reworded("no such type; see --more of it", 90, "no such type");
	check_reworded("abcb", 90, "abbcbb");
	check_reworded("abcb", 6, "abbcb");
	check_reworded("abcb", 5, "abbc");
	check_reworded("bbb\xe2\x82\xac", 8, "bbbbbb");
	check_reworded("\xc3\xa9t\xc3\xa9", 6, "ete");
}

static void test_names(void **state)
{
	for (int status = BS_OK; status <= BS_DEADLINE; status++)
		for (int other = BS_OK; other < status; other++)
			assert_string_not_equal(bs_status_name((enum bs_status)status),
			                        bs_status_name((enum bs_status)other));
	assert_string_equal(bs_status_name(BS_CORRUPT), "corrupt");
}

RUN_FOLDER_TESTS(test_control_characters, test_long_messages, test_commands, test_advice,
                 test_reword, test_names)
