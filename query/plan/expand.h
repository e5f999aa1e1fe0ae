/* expand.h: the terms of an index that an element of a query stands for: a beginning, a pattern, a
 * word with typing errors. */
#pragma once

#include "core/store/snapshot.h"
#include "query/language/query_tree.h"

/* Calls take at each of them (cursor->term, ->df), one segment after the other: a term comes once
 * for each that has it. The element is no plain word. Returns what take returned if that is not
 * BS_OK, at once. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_expand(const struct bs_snapshot *snapshot, const struct bs_element *element,
                         enum bs_status (*take)(void *context,
                                                const struct bs_lexicon_cursor *cursor,
                                                struct bs_error *err),
                         void *context, struct bs_error *err) BS_WARN_UNUSED;
