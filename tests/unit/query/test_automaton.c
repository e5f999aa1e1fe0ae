/*
 * test_automaton.c: which versions of Hyperscan are used. The library is fake_hyperscan.c, which
 * ctest puts first in LD_LIBRARY_PATH. A process loads the library once, so each case is a process.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "query/grep/match/automaton.h"
#include "tests/rigs/test.h"

static const struct {
	const char *version, *n_matches, *expected;
} cases[] = {{"5.4.0 2020-12-01", "1", "Hyperscan 5.4.0"},
             {"5.4.2 2023-04-19", "1", "Hyperscan 5.4.2"},
             {"5.4.0 2020-12-01", "0", ""}, /* the scan misses a match */
             {"5.4.9 2023-03-23", "1", ""}, /* Vectorscan */
             {"5.4.12 2025-06-01", "1", ""},
             {"5.5.0 2027-01-01", "1", ""},
             {"5.4", "1", ""}};

static void test_versions(void **state)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		int status;
		pid_t child = fork();
		if (child == 0) {
			char version[64];
			setenv("FAKE_VERSION", cases[i].version, 1);
			setenv("FAKE_MATCHES", cases[i].n_matches, 1);
			bs_automaton_version(version);
			_exit(strcmp(version, cases[i].expected) == 0 ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

RUN_TESTS(test_versions)
