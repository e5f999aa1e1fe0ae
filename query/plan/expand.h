/* expand.h: expands a prefix, a pattern or a fuzzy word of a query to terms of an index. */
#pragma once

#include "core/store/snapshot.h"
#include "query/language/query_tree.h"

/* Calls take with a cursor at each term that the element expands to, segment by segment: a term
 * that several segments have is passed several times. The element must not be a plain word. Stops
 * with the status of take if that is not BS_OK. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_expand(const struct bs_snapshot *snapshot, const struct bs_element *element,
                         enum bs_status (*take)(void *context,
                                                const struct bs_lexicon_cursor *cursor,
                                                struct bs_error *err),
                         void *context, struct bs_error *err) BS_WARN_UNUSED;
