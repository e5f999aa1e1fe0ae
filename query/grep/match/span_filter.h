/*
 * span_filter.h: where a match that may span lines can begin. Each match contains a sequence of
 * byte classes (query/regex/prefilter/class_sequence.h). So the text before the next place of the
 * sequence is skipped, except the bytes that a match may have before the sequence.
 */
#pragma once

#include "core/simd/kernels.h"
#include "query/regex/prefilter/class_sequence.h"

/* Chooses a rare sequence. n_runs is 0 if no sequence is rare. */
void bs_span_filter_init(struct bs_class_sequence *sequence, const struct bs_regex *regex,
                         const struct bs_byte_superset_options *options);

/* The place in text[from..end) where the search for a match must begin, at the start of a
 * character; SIZE_MAX: there is no match. */
size_t bs_span_filter_start(const struct bs_class_sequence *sequence,
                            const struct bs_kernel *kernel, const uint8_t *text, size_t from,
                            size_t end);
