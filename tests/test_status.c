/* test_status.c: the one line of an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/status.h"
#include "core/bitsift/host.h"
#include "core_rig.h"

static void test_control_characters(void **state)
{
	(void)state;
	struct bs_error err;
	assert_int_equal(bs_fail(&err, BS_IO, "%s: no", "a\nb\x1b[31m\x7f\t\xc3\xa9"), BS_IO);
	assert_string_equal(err.text, "a\\x0ab\\x1b[31m\\x7f\\x09\xc3\xa9: no");
	/* C1, as UTF-8 and as a byte; marks of direction; other bytes that are no UTF-8, and joiners, stay. */
	bs_fail(&err, BS_IO, "%s", "\xc2\x9b\x9b\xe2\x80\xae\xd8\x9c\xe2\x81\xa6 \xe9\xe2\x80\x8d");
	assert_string_equal(err.text, "\\xc2\\x9b\\x9b\\xe2\\x80\\xae\\xd8\\x9c\\xe2\\x81\\xa6 \xe9\xe2\x80\x8d");
	assert_int_equal(bs_fail(NULL, BS_BUSY, "%d", 1), BS_BUSY);
	assert_int_equal(bs_fail_memory(&err, "a thing", 7), BS_NO_MEMORY);
	assert_non_null(strstr(err.text, "a thing (7 bytes)"));
}

/* Cut at 511 bytes, or a character before: the bytes left are whole characters, whatever they are. */
static void test_long_messages(void **state)
{
	(void)state;
	static const char *const letters[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\n"};
	char text[2048];
	struct bs_error err;
	for (size_t l = 0; l < COUNT(letters); l++) {
		size_t width = strlen(letters[l]);
		for (size_t n = 480; n < 1040; n++) {
			/* n bytes: some x, then letters. */
			size_t used = n % width;
			memset(text, 'x', used);
			for (; used < n; used += width)
				memcpy(text + used, letters[l], width);
			text[n] = '\0';
			bs_fail(&err, BS_IO, "%s", text);
			size_t n_left = strnlen(err.text, sizeof(err.text));
			assert_true(n_left <= 511);
			if (*letters[l] == '\n')
				continue;
			assert_memory_equal(err.text, text, n_left);
			assert_int_equal(n_left % width, n % width);
			assert_true(n <= 511 ? n_left == n : n_left >= 511 - 2 * width);
		}
	}
}

static void check_reworded(const char *from, size_t room, const char *to)
{
	static const char *const pairs[] = {"--memory", "memory", "^--weight ", "weight: ", "; see --more$", "",
	                                    "b", "bb", "\xc3\xa9", "e", NULL};
	char text[100] = "";
	strncpy(text, from, sizeof(text) - 1);
	bs_reword(text, room, pairs);
	assert_string_equal(text, to);
}

static void test_reword(void **state)
{
	(void)state;
	check_reworded("", 8, "");
	check_reworded("use less --memory, or more --memory", 90, "use less memory, or more memory");
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
	(void)state;
	for (int status = BS_OK; status <= BS_DEADLINE; status++)
		for (int other = BS_OK; other < status; other++)
			assert_string_not_equal(bs_status_name((enum bs_status)status),
			                        bs_status_name((enum bs_status)other));
	assert_string_equal(bs_status_name(BS_CORRUPT), "corrupt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_characters),
		cmocka_unit_test(test_long_messages),
		cmocka_unit_test(test_reword),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
