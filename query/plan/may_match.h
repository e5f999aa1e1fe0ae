/* may_match.h: tests a query against the summary of an index (core/store/summary.h), which need not
 * be open. */
#pragma once

#include "core/store/summary.h"
#include "query/language/query_tree.h"

/* Tests whether a document of an index may match an element, or a whole query. *may_out false: no
 * document of the index, as committed, matches. Only words, and trigrams of the fixed bytes of
 * prefixes and patterns, can decide this; file names, ranges, fuzzy words and NOTs may always
 * match. The query must have been parsed with the analysis of the index (bs_summary.analysis).
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_element_may_match(const struct bs_summary *summary,
                                    const struct bs_element *element, bool *may_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_query_may_match(const struct bs_query_tree *query,
                                  const struct bs_summary *summary, bool *may_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
