/* search_question.h: runs a question that is already made (question.h). bs_search runs it on one
 * index, a catalog on a list of indexes. */
#pragma once

#include "query/search/searcher.h"

/* Runs a question. Fails like bs_search. */
enum bs_status bs_searcher_find(struct bs_searcher *searcher, const struct bs_question *question,
                                const struct bs_limits *limits, struct bs_search_result *result_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Passes notices about words of the query that no document has to the question's callback
 * (bs_suggest_words). Fails like bs_search. */
enum bs_status bs_searcher_suggest(struct bs_searcher *searcher, const struct bs_question *question,
                                   struct bs_error *err) BS_WARN_UNUSED;
