/* pcre2_stack.c: see pcre2_stack.h. */
#include "query/regex/pcre2_stack.h"

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
