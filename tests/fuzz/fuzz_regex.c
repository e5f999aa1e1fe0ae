/*
 * fuzz_regex.c: a fuzz target: for any pattern and text, a match of PCRE2 has the properties of
 * regex_rig.h, and the analysis does not read out of bounds.
 *
 * An input is a byte of options (regex_rig.h), the pattern, a 0xff and the text; without a 0xff the
 * pattern is also the text. With -DBITSIFT_FUZZ=ON and clang it is a libFuzzer program (fuzz_regex
 * FOLDER). Otherwise it runs once on each given file and on each file of given folders; the tests
 * give it seeds/regex.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rigs/regex_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	static struct regex_rig rig;
	bool is_sound = true, holds;
	if (n_bytes < 2)
		return 0;
	const uint8_t *pattern = data + 1, *end = data + n_bytes,
		      *cut = memchr(pattern, 0xff, n_bytes - 1);
	const uint8_t *text = cut ? cut + 1 : pattern;
	if (rig_open(&rig, pattern, (size_t)((cut ? cut : end) - pattern), data[0] & RIG_ALL) !=
	    RIG_NO_PATTERN)
		rig_ask(&rig, text, (size_t)(end - text), &is_sound, &holds);
	if (!is_sound) {
		fprintf(stderr, "%s: %s\n", rig.fault, rig_tree_text(&rig));
		abort();
	}
	return 0;
}
