/*
 * pcre2_compile.h: PCRE2's compilers, on a small stack (core/system/stack.h) and without a fault of
 * the JIT compiler before PCRE2 10.43. Both compilers recurse as deep as parentheses are nested, up
 * to 250 levels.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Like pcre2_compile, for code that is passed to the JIT compiler: avoids the JIT compiler's fault,
 * which pcre2_compile.c describes. */
pcre2_code *bs_pcre2_compile(const uint8_t *pattern, size_t n_bytes, uint32_t options, int *error,
                             size_t *off, pcre2_compile_context *context);

/* Makes pcre2_compile with this context fail with PCRE2_ERROR_PARENTHESES_STACK_CHECK if the stack
 * is too small. */
void bs_pcre2_guard_stack(pcre2_compile_context *context);

/* The number of opening parentheses, an upper bound of the nesting of groups. */
size_t bs_pcre2_groups(const uint8_t *pattern, size_t n_bytes);
/* Calls pcre2_jit_compile, unless the stack is too small for n_groups nested groups. Then it
 * returns PCRE2_ERROR_NOMEMORY, and the code is interpreted. */
int bs_pcre2_jit_compile(pcre2_code *code, size_t n_groups);
