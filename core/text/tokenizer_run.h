/* tokenizer_run.h: the places of the terms of a script run (tokenizer.h); tokens have only the
 * place of the whole run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

struct bs_tokenizer;

/* bs_tokenizer_begins_run: whether [start_byte, end_byte) of a token is a script run.
 * bs_tokenizer_step_in_run: moves *at past the next piece of the run that is folded separately,
 * nearly always one character; *n_terms_out is the number of its terms. Not during a call of
 * bs_tokenizer_analyze. BS_NO_MEMORY, BS_UNSUPPORTED (ICU). */
bool bs_tokenizer_begins_run(struct bs_tokenizer *tokenizer, const uint8_t *text,
                             uint64_t start_byte, uint64_t end_byte);
enum bs_status bs_tokenizer_step_in_run(struct bs_tokenizer *tokenizer, const uint8_t *text,
                                        uint64_t end_byte, size_t *at, size_t *n_terms_out,
                                        struct bs_error *err) BS_WARN_UNUSED;
