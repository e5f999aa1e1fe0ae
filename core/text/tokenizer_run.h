/* tokenizer_run.h: where the terms of a script run stand (tokenizer.h), whose tokens all have the
 * place of the whole run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

struct bs_tokenizer;

/*
 * begins_run: whether [start_byte, end_byte) of a token is a run. step_in_run: the piece of it from
 * *at on that is folded by itself, nearly always one character; *at moves behind it, *n_terms_out
 * is how many terms it gives. Not while the analyzer is at work. BS_NO_MEMORY, BS_UNSUPPORTED of
 * ICU.
 */
bool bs_tokenizer_begins_run(struct bs_tokenizer *tokenizer, const uint8_t *text,
                             uint64_t start_byte, uint64_t end_byte);
enum bs_status bs_tokenizer_step_in_run(struct bs_tokenizer *tokenizer, const uint8_t *text,
                                        uint64_t end_byte, size_t *at, size_t *n_terms_out,
                                        struct bs_error *err) BS_WARN_UNUSED;
