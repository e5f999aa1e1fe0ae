/* suggest.h: finds a word of the index that is similar to a word that the index lacks. */
#pragma once

#include "core/base/buffer.h"
#include "core/collections/term_table.h"
#include "core/store/snapshot_list.h"

struct bs_plan;

/* Finds a word similar to `term` and overwrites word_out with it: the most frequent term that is
 * one edit away (fuzzy.h) or, if there is none and `term` has at least 6 bytes, two edits away. If
 * there is none either, but terms of the index begin with `term`, suggests `term` as a prefix and
 * sets *is_beginning_out. A `term` that ends with a Hangul syllable (a particle may follow) or with
 * a digit (the rest of an address may follow) is suggested as a prefix before similar terms are
 * searched. A `term` of fewer than 3 bytes gets no suggestion. word_out is empty if there is no
 * suggestion. May read the whole lexicon. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_suggest(const struct bs_snapshot_list *list, const uint8_t *term,
                          uint32_t term_bytes, struct bs_buffer *word_out, bool *is_beginning_out,
                          struct bs_error *err) BS_WARN_UNUSED;

/* For a query without hits: reports the first few of its words that are not negated and not in the
 * index, each with a similar word, if there is one. is_stemmed: words are shown as prefixes, with a
 * star. text is scratch. tell receives one line for each word. */
enum bs_status bs_suggest_words(const struct bs_plan *plan, bool is_stemmed, struct bs_buffer *text,
                                void (*tell)(void *context, const char *message), void *context,
                                struct bs_error *err) BS_WARN_UNUSED;
