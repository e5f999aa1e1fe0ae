/* pcre2_compile.c: see pcre2_compile.h. */
#include "query/regex/pcre2_compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/stack.h"

/* This depth fits into any stack. */
#define FEW_LEVELS  8u
#define MOST_LEVELS 250u /* PCRE2 rejects deeper patterns */

/* Stack bytes per level of the JIT compiler. Measured with PCRE2 10.42: 400 bytes a level plus 9
 * KiB. */
#define JIT_LEVEL_BYTES 1024u

static int guard(uint32_t depth, void *unused)
{
	(void)unused;
	return depth > FEW_LEVELS && bs_stack_levels(1) == 0;
}

void bs_pcre2_guard_stack(pcre2_compile_context *context)
{
	(void)pcre2_set_compile_recursion_guard(context, guard, NULL);
}

/* True for PCRE2 before 10.43, and for an unknown version. JIT code of these versions remembers the
 * place where a repeat has failed, and later lets the repeat fail at once up to this place. That is
 * wrong after a group with alternatives and in atomic groups, where an earlier place may be tried
 * later and match: (?:bb|b)x*bF does not match "bbF" (PCRE2's issue 336). */
static bool has_early_fail_fault(void)
{
	char version[64];
	unsigned major, minor;
	if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) > (int)sizeof(version) ||
	    pcre2_config(PCRE2_CONFIG_VERSION, version) < 0 ||
	    sscanf(version, "%u.%u", &major, &minor) != 2)
		return true;
	return major < 10 || (major == 10 && minor < 43);
}

/* True if the pattern may have alternatives, atomic groups or possessive quantifiers. */
static bool may_be_affected(const uint8_t *pattern, size_t n_bytes)
{
	static const char *const parts[] = {"|", "(?>", "(*", "*+", "++", "?+", "}+"};
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (memmem(pattern, n_bytes, parts[i], strlen(parts[i])))
			return true;
	return false;
}

/* Two beginnings of a pattern that prevent this fault: PCRE2 lets JIT code remember the places of
 * repeats only up to an empty assertion or a group that is skipped, not in the group after that.
 * After an empty assertion, JIT code still looks for the first characters of a match. After a
 * skipped group, PCRE2 still knows that a match begins a line. */
#define EMPTY_ASSERTION "(?=)(?:"
#define SKIPPED_GROUP   "(?:){0}(?:"

/* Compiles the pattern with `before` and a closing parenthesis around it. NULL: it does not
 * compile, for example because its end is a comment. */
static pcre2_code *compile_within(const char *before, const uint8_t *pattern, size_t n_bytes,
                                  uint32_t options, pcre2_compile_context *context)
{
	size_t n_before = strlen(before), off;
	int error;
	uint8_t *text = malloc(n_before + n_bytes + 1);
	if (!text)
		return NULL;
	memcpy(text, before, n_before);
	memcpy(text + n_before, pattern, n_bytes);
	text[n_before + n_bytes] = ')';
	pcre2_code *code =
		pcre2_compile(text, n_before + n_bytes + 1, options, &error, &off, context);
	free(text);
	return code;
}

pcre2_code *bs_pcre2_compile(const uint8_t *pattern, size_t n_bytes, uint32_t options, int *error,
                             size_t *off, pcre2_compile_context *context)
{
	uint32_t all_options = 0, first = 0;
	pcre2_code *plain = pcre2_compile(pattern, n_bytes, options, error, off, context), *code;
	if (!plain || !has_early_fail_fault() || !may_be_affected(pattern, n_bytes))
		return plain;
	(void)pcre2_pattern_info(plain, PCRE2_INFO_ALLOPTIONS, &all_options);
	(void)pcre2_pattern_info(plain, PCRE2_INFO_FIRSTCODETYPE, &first);
	if (all_options & PCRE2_ANCHORED)
		return plain;
	bool begins_line = first == 2;
	code = compile_within(begins_line ? SKIPPED_GROUP : EMPTY_ASSERTION, pattern, n_bytes,
	                      options, context);
	if (!code)
		code = pcre2_compile(pattern, n_bytes, options | PCRE2_NO_START_OPTIMIZE, error,
		                     off, context);
	pcre2_code_free(code ? plain : NULL);
	return code ? code : plain;
}

size_t bs_pcre2_groups(const uint8_t *pattern, size_t n_bytes)
{
	size_t n = 0;
	for (size_t i = 0; i < n_bytes; i++)
		n += pattern[i] == '(';
	return n;
}

int bs_pcre2_jit_compile(pcre2_code *code, size_t n_groups)
{
	size_t most = n_groups < MOST_LEVELS ? n_groups : MOST_LEVELS;
	if (most > FEW_LEVELS && bs_stack_levels(JIT_LEVEL_BYTES) < most)
		return PCRE2_ERROR_NOMEMORY;
	return pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
}
