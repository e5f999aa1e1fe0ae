/* suggest.h: a word of the index, or a field, that is much like one that is not in it. */
#pragma once

#include "core/base/buffer.h"
#include "core/collections/term_table.h"
#include "core/store/snapshot_list.h"

struct bs_plan;

/* Overwrites word_out with the term that is one edit away (fuzzy.h), of a longer word also two, if
 * none is nearer; of several the most frequent. Before all those, of a word that ends with a Hangul
 * syllable or a digit, and after them of any, with the word itself, if terms begin with it
 * (*is_beginning_out): a particle may hide a noun, and an address its net. No bytes: there is none.
 * May walk the whole lexicon. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_suggest(const struct bs_snapshot_list *list, const uint8_t *term,
                          uint32_t term_bytes, struct bs_buffer *word_out, bool *is_beginning_out,
                          struct bs_error *err) BS_WARN_UNUSED;

/* Where nothing matches: tells of the first few words of the plan's query that are not in the
 * index, with one much like each. Of an index of stems the words are shown that begin with one.
 * text is scratch. */
enum bs_status bs_suggest_words(const struct bs_plan *plan, bool is_stemmed, struct bs_buffer *text,
                                void (*tell)(void *context, const char *message), void *context,
                                struct bs_error *err) BS_WARN_UNUSED;
