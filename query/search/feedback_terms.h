/* feedback_terms.h: adds to a query the typical words of its best documents, or of the documents
 * that hits should resemble. feedback.h has the formula. */
#pragma once

#include "query/search/searcher.h"

/*
 * Fills searcher->learning as the question requests. *learnt_out: the terms to be added to the
 * query, perhaps none. May run the query to find its best documents. The cost is added to stats.
 * *error_byte_out: for BS_INVALID the place of the error in the query, or SIZE_MAX. Fails as
 * bs_search.
 */
enum bs_status bs_learn(struct bs_searcher *searcher, const struct bs_question *question,
                        struct bs_query_stats *stats, const struct bs_feedback **learnt_out,
                        size_t *error_byte_out, struct bs_error *err) BS_WARN_UNUSED;
