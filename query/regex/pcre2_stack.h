/*
 * pcre2_stack.h: PCRE2 on a small stack (core/system/stack.h). Its compiler and its JIT compiler
 * recurse as deep as parentheses are nested, up to 250 levels.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Makes pcre2_compile with this context fail with PCRE2_ERROR_PARENTHESES_STACK_CHECK if the stack
 * is too small. */
void bs_pcre2_guard_stack(pcre2_compile_context *context);

/* The number of opening parentheses, an upper bound of the nesting of groups. */
size_t bs_pcre2_groups(const uint8_t *pattern, size_t n_bytes);
/* Calls pcre2_jit_compile, unless the stack is too small for n_groups nested groups. Then it
 * returns PCRE2_ERROR_NOMEMORY, and the code is interpreted. */
int bs_pcre2_jit_compile(pcre2_code *code, size_t n_groups);
