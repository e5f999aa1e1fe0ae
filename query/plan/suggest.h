/* suggest.h: finds a word of the index that is similar to a word that the index lacks. */
#pragma once

#include "core/base/buffer.h"
#include "core/collections/term_table.h"
#include "core/store/snapshot_list.h"

struct bs_plan;

/* Overwrites word_out with the most frequent term that is one edit away (fuzzy.h), or, for a word
 * of at least 6 bytes and if there is none, two edits away. If other terms begin with the word, the
 * word itself may be suggested as a prefix (*is_beginning_out): before similar terms if it ends
 * with a Hangul syllable or a digit (a particle may follow a noun, the rest of an address its
 * network), otherwise after them. word_out is empty if there is no suggestion. May walk the whole
 * lexicon. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_suggest(const struct bs_snapshot_list *list, const uint8_t *term,
                          uint32_t term_bytes, struct bs_buffer *word_out, bool *is_beginning_out,
                          struct bs_error *err) BS_WARN_UNUSED;

/* For a query without hits: reports the first few positive words of the plan's query that are not
 * in the index, each with a similar word. is_stemmed: words are shown as prefixes, with a star.
 * text is scratch. */
enum bs_status bs_suggest_words(const struct bs_plan *plan, bool is_stemmed, struct bs_buffer *text,
                                void (*tell)(void *context, const char *message), void *context,
                                struct bs_error *err) BS_WARN_UNUSED;
