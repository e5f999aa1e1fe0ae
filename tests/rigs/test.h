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

#define RUN_TESTS_WITH(set_up, tear_down, ...)                           \
	int main(void)                                                   \
	{                                                                \
		const struct CMUnitTest tests[] = {__VA_ARGS__};         \
		return cmocka_run_group_tests(tests, set_up, tear_down); \
	}
#define RUN_TESTS(...) RUN_TESTS_WITH(NULL, NULL, __VA_ARGS__)
#define RUN_NAMED_TESTS(name, ...)                                           \
	int main(void)                                                       \
	{                                                                    \
		const struct CMUnitTest tests[] = {__VA_ARGS__};             \
		return cmocka_run_group_tests_name(name, tests, NULL, NULL); \
	}

/* Variables of the declaration that follows are released at the end of their block by
 * release(&variable). */
#define AUTO(release) __attribute__((cleanup(release), unused))
/* Defines release_at for AUTO, if `release` takes the pointer itself. */
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
