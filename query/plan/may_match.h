/* may_match.h: a query meets the summary of an index (core/store/summary.h), which need not be
 * open. */
#pragma once

#include "core/store/summary.h"
#include "query/language/query_tree.h"

/*
 * *may_out false: no document of the index matches, as it was committed. By words, and of
 * beginnings and patterns by the trigrams of what they are sure to hold. Of names of files, ranges,
 * words with typing errors, and of what a NOT keeps out, nothing is known: they may match. The
 * query must be read as the index reads it: bs_summary.analysis is that of its reader. BS_CORRUPT.
 */
enum bs_status bs_element_may_match(const struct bs_summary *summary,
                                    const struct bs_element *element, bool *may_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_query_may_match(const struct bs_query_tree *query,
                                  const struct bs_summary *summary, bool *may_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
