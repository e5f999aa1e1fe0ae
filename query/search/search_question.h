/* search_question.h: searches for a question that was made already (question.h): of one index by
 * bs_search, of a list by a catalog. */
#pragma once

#include "query/search/searcher.h"

/* As bs_search. */
enum bs_status bs_searcher_find(struct bs_searcher *searcher, const struct bs_question *question,
                                const struct bs_limits *limits, struct bs_search_result *result_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Reports words of the query that no document has, by the question's notice. Fails as bs_search. */
enum bs_status bs_searcher_suggest(struct bs_searcher *searcher, const struct bs_question *question,
                                   struct bs_error *err) BS_WARN_UNUSED;
