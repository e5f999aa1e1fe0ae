/* feedback_terms.h: the words that are typical of the best documents, or of what hits are to be
 * like, are taken into the query; feedback.h has the arithmetic. */
#pragma once

#include "query/search/searcher.h"

/*
 * Fills the searcher's learning as the question wants it; *learnt_out are the terms to be taken
 * into the query, perhaps none. May run the query for its best documents. The cost is added to
 * stats. *error_byte_out: where in the query BS_INVALID is; SIZE_MAX: nowhere. Fails as bs_search.
 */
enum bs_status bs_learn(struct bs_searcher *searcher, const struct bs_question *question,
                        struct bs_query_stats *stats, const struct bs_feedback **learnt_out,
                        size_t *error_byte_out, struct bs_error *err) BS_WARN_UNUSED;
