/* feedback_terms.h: adds to a query the typical words of its best documents, or of the documents
 * that hits should resemble. feedback.h has the formula. */
#pragma once

#include "query/search/searcher.h"

/* Takes words from the best documents or from the example documents, as the question requests.
 * *learnt_out: the terms to add to the query, perhaps none. May run the query to find its best
 * documents, and adds the cost to stats. *error_byte_out: for BS_INVALID, the place of the error in
 * the query, or SIZE_MAX. Fails like bs_search. */
enum bs_status bs_expand_question(struct bs_searcher *searcher, const struct bs_question *question,
                                  struct bs_query_stats *stats,
                                  const struct bs_feedback **learnt_out, size_t *error_byte_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
