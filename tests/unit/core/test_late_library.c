/* test_late_library.c: libraries that are loaded at their first use, missing ones, and our own
 * shared objects. */
#include <unistd.h>

#include "core/system/icu.h"
#include "core/system/library.h"
#include "core/text/tokenizer_term.h"
#include "tests/rigs/core_rig.h"

static void test_missing(void **state)
{
	void *function = NULL;
	struct bs_library_symbol symbol = {"any", &function};
	expect_error(bs_library_load("Nothing", "libnothing.so.77", "/nowhere", &symbol, 1, ERR),
	             BS_UNSUPPORTED, "Nothing cannot be loaded: ");
	assert_non_null(strstr(said.text, "libnothing.so.77"));
	assert_null(strchr(said.text, '\n'));
	assert_null(function);
}

static void test_missing_symbol(void **state)
{
	size_t (*length)(const char *) = NULL;
	void *other = NULL;
	struct bs_library_symbol symbols[] = {{"strlen", &length}, {"no_such_function", &other}};
	ok(bs_library_load("C", "libc.so.6", "/nowhere", symbols, 1, ERR));
	assert_int_equal(length("four"), 4);
	assert_int_equal(bs_library_load("C", "libc.so.6", "/nowhere", symbols, 2, ERR),
	                 BS_UNSUPPORTED);
	assert_string_equal(said.text, "C cannot be used: libc.so.6 has no no_such_function");
}

static void test_ours(void **state)
{
	for (int i = 0; i < 2; i++) {
		ok(bs_icu_load(ERR));
		ok(bs_stemmer_load(ERR));
	}
	assert_int_equal(bs_icu.u_foldCase(0xc4, U_FOLD_CASE_DEFAULT), 0xe4);
	assert_non_null(bs_stemmer.sb_stemmer_list());
}

#ifdef BITSIFT_LOAD_LATE
static enum bs_status load_object(const char *file, uint32_t version, const char *name,
                                  int (**answer)(void), struct bs_error *err)
{
	const struct bs_library_symbol symbol = {name, answer};
	return bs_library_load_own("The object", file, "object_version", version, &symbol, 1, err);
}

static void test_own_object(void **state)
{
	int (*answer)(void) = NULL;
	/* The object is found in the program's folder, whatever the current folder is. */
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(load_object("late_object.so", 3, "object_answer", &answer, ERR), BS_OK);
	assert_int_equal(answer(), 42);
}

static void test_own_object_of_another_version(void **state)
{
	int (*answer)(void) = NULL;
	expect_error(load_object("late_object.so", 4, "object_answer", &answer, ERR),
	             BS_UNSUPPORTED, "The object cannot be used: /");
	assert_non_null(
		strstr(said.text, "/late_object.so is of another bitsift (interface 3, not 4)"));
	assert_null(answer);
	/* The version is compared first, because an older object may lack a function. */
	expect_error(load_object("late_object.so", 4, "no_such_function", &answer, ERR),
	             BS_UNSUPPORTED, "(interface 3, not 4)");
	expect_error(load_object("late_object.so", 3, "no_such_function", &answer, ERR),
	             BS_UNSUPPORTED, "/late_object.so has no no_such_function");
}

static void test_own_object_missing(void **state)
{
	int (*answer)(void) = NULL;
	expect_error(load_object("libnothing.so", 3, "object_answer", &answer, ERR), BS_UNSUPPORTED,
	             "The object cannot be loaded: libnothing.so is neither in /");
	assert_non_null(strstr(said.text, ", its subfolders bitsift and "));
	assert_null(strchr(said.text, '\n'));
	assert_null(answer);
}

/* Needs root, because only root can change the owner of a file. */
static void test_own_object_of_another_user(void **state)
{
	int (*answer)(void) = NULL;
	char path[4096];
	if (geteuid() != 0)
		skip();
	ssize_t n_bytes = readlink("/proc/self/exe", path, sizeof(path) - 64);
	assert_true(n_bytes > 0);
	path[n_bytes] = '\0';
	snprintf(strrchr(path, '/'), 64, "/late_strange_%ld.so", (long)getpid());
	const char *file = strrchr(path, '/') + 1;
	assert_int_equal(symlink("late_object.so", path), 0);
	assert_int_equal(load_object(file, 3, "object_answer", &answer, ERR), BS_OK);
	answer = NULL;
	int changed = lchown(path, 65534, (gid_t)-1);
	enum bs_status status = load_object(file, 3, "object_answer", &answer, ERR);
	unlink(path);
	assert_int_equal(changed, 0);
	assert_int_equal(status, BS_UNSUPPORTED);
	assert_non_null(strstr(said.text, " belongs to another user"));
	assert_null(answer);
}

RUN_TESTS(test_missing, test_missing_symbol, test_ours, test_own_object,
          test_own_object_of_another_version, test_own_object_missing,
          test_own_object_of_another_user)
#else
RUN_TESTS(test_missing, test_missing_symbol, test_ours)
#endif
