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

/* PCRE2 before 10.43: JIT code remembers where a repeat has failed, to fail there at once. It does
 * so after a group with alternatives, too, where an earlier place is tried later, so that
 * /(?:bb|b)x*bF/ does not match "bbF" (PCRE2's issue 336). */
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

/* PCRE2 looks no further for such repeats than to the first assertion. An empty one costs nothing,
 * but cannot stand before a quantifier or before verbs such as (*UTF). */
static const char EMPTY_ASSERTION[] = "(?=)";
#define ASSERTION_BYTES (sizeof(EMPTY_ASSERTION) - 1)

pcre2_code *bs_pcre2_compile(const uint8_t *pattern, size_t n_bytes, uint32_t options, int *error,
                             size_t *off, pcre2_compile_context *context)
{
	bool is_affected = n_bytes > 0 &&
	                   (memchr(pattern, '|', n_bytes) || memmem(pattern, n_bytes, "(?>", 3) ||
	                    memmem(pattern, n_bytes, "(*", 2)) &&
	                   has_early_fail_fault();
	bool can_prefix = is_affected && !memchr("*+?{", *pattern, 4) &&
	                  (n_bytes < 2 || memcmp(pattern, "(*", 2) != 0);
	uint8_t *text = can_prefix ? malloc(ASSERTION_BYTES + n_bytes) : NULL;
	if (!text)
		return pcre2_compile(pattern, n_bytes,
		                     options | (is_affected ? PCRE2_NO_START_OPTIMIZE : 0), error,
		                     off, context);
	memcpy(text, EMPTY_ASSERTION, ASSERTION_BYTES);
	memcpy(text + ASSERTION_BYTES, pattern, n_bytes);
	pcre2_code *code =
		pcre2_compile(text, ASSERTION_BYTES + n_bytes, options, error, off, context);
	*off = *off > ASSERTION_BYTES ? *off - ASSERTION_BYTES : 0;
	free(text);
	return code;
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
