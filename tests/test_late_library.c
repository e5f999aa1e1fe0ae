/* test_late_library.c: libraries of others that are loaded when first needed, and those that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/icu.h"
#include "core/base/library.h"
#include "core/text/words_term.h"

static void test_missing(void **state)
{
	(void)state;
	struct bs_error err = {""};
	void *function = NULL;
	struct bs_library_symbol symbol = {"any", &function};
	assert_int_equal(bs_library_load("Nothing", "libnothing.so.77", "/nowhere", &symbol, 1, &err), BS_UNSUPPORTED);
	assert_non_null(strstr(err.text, "Nothing cannot be loaded: "));
	assert_non_null(strstr(err.text, "libnothing.so.77"));
	assert_null(strchr(err.text, '\n'));
	assert_null(function);
}

static void test_missing_symbol(void **state)
{
	(void)state;
	struct bs_error err = {""};
	size_t (*length)(const char *) = NULL;
	void *other = NULL;
	struct bs_library_symbol symbols[] = {{"strlen", &length}, {"no_such_function", &other}};
	assert_int_equal(bs_library_load("C", "libc.so.6", "/nowhere", symbols, 1, &err), BS_OK);
	assert_int_equal(length("four"), 4);
	assert_int_equal(bs_library_load("C", "libc.so.6", "/nowhere", symbols, 2, &err), BS_UNSUPPORTED);
	assert_string_equal(err.text, "C cannot be used: libc.so.6 has no no_such_function");
}

static void test_ours(void **state)
{
	(void)state;
	struct bs_error err = {""};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(bs_icu_load(&err), BS_OK);
		assert_int_equal(bs_stemmer_load(&err), BS_OK);
	}
	assert_int_equal(bs_icu.u_foldCase(0xc4, U_FOLD_CASE_DEFAULT), 0xe4);
	assert_non_null(bs_stemmer.sb_stemmer_list());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_missing_symbol),
		cmocka_unit_test(test_ours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
