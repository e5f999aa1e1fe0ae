/* test.h: cmocka, the headers of the C library that most tests need, and main(). */
#pragma once

/* cmocka.h requires the first three headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* main() of the tests with these names. Each runs between set_up and tear_down, or all of them
 * between all_set_up and all_tear_down. */
#define RUN_TESTS(...) RUN_TESTS_EACH_WITH(NULL, NULL, __VA_ARGS__)
#define RUN_TESTS_EACH_WITH(set_up, tear_down, ...)                           \
	int main(void)                                                        \
	{                                                                     \
		return RUN_NAMES(set_up, tear_down, NULL, NULL, __VA_ARGS__); \
	}
#define RUN_TESTS_WITH(all_set_up, all_tear_down, ...)                                \
	int main(void)                                                                \
	{                                                                             \
		return RUN_NAMES(NULL, NULL, all_set_up, all_tear_down, __VA_ARGS__); \
	}
#define RUN_NAMES(set_up, tear_down, all_set_up, all_tear_down, ...)                    \
	run_names(#__VA_ARGS__, (CMUnitTestFunction[]){__VA_ARGS__}, set_up, tear_down, \
	          all_set_up, all_tear_down)
/* main() of tests such as cmocka_unit_test(f), which may have different fixtures. */
#define RUN_UNIT_TESTS(...)                                       \
	int main(void)                                            \
	{                                                         \
		const struct CMUnitTest tests[] = {__VA_ARGS__};  \
		return cmocka_run_group_tests(tests, NULL, NULL); \
	}

/* names: the names of the functions, separated by commas. */
static inline int run_names(const char *names, const CMUnitTestFunction *functions,
                            CMFixtureFunction set_up, CMFixtureFunction tear_down,
                            CMFixtureFunction all_set_up, CMFixtureFunction all_tear_down)
{
	static char copy[4096];
	struct CMUnitTest tests[64];
	size_t n = 0;
	char *rest;
	snprintf(copy, sizeof(copy), "%s", names);
	for (char *name = strtok_r(copy, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
		tests[n] = (struct CMUnitTest){name, functions[n], set_up, tear_down, NULL};
		n++;
	}
	return _cmocka_run_group_tests("tests", tests, n, all_set_up, all_tear_down);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The text of a query, in the initializer of a request. */
#define QUERY(words) .query.text = (words), .query.text_bytes = strlen(words)

/* Variables of the declaration that follows are released at the end of their block by
 * release(&variable). */
#define AUTO(release) __attribute__((cleanup(release), unused))
/* Defines release_at() for AUTO, which calls `release` with the value of the pointer variable. */
#define AUTO_OF(type, release)                     \
	static inline void release##_at(type **at) \
	{                                          \
		release(*at);                      \
	}

static inline void free_at(void *at)
{
	free(*(void **)at);
}
#define FREED AUTO(free_at)

static inline void *must_malloc(size_t n_bytes)
{
	void *bytes = malloc(n_bytes ? n_bytes : 1);
	assert_non_null(bytes);
	return bytes;
}

static inline void *must_calloc(size_t n, size_t size)
{
	void *bytes = calloc(n ? n : 1, size);
	assert_non_null(bytes);
	return bytes;
}

static inline FILE *must_fopen(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);
	assert_non_null(file);
	return file;
}
