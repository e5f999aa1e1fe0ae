/* search_question.h: searches by a question that was already made (question.h): bs_search searches
 * one index, a catalog searches a list. */
#pragma once

#include "query/search/searcher.h"

/* Searches by the question. Fails as bs_search. */
enum bs_status bs_searcher_find(struct bs_searcher *searcher, const struct bs_question *question,
                                const struct bs_limits *limits, struct bs_search_result *result_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Reports words of the query that no document has, with similar words, to the question's notice
 * function. Fails as bs_search. */
enum bs_status bs_searcher_suggest(struct bs_searcher *searcher, const struct bs_question *question,
                                   struct bs_error *err) BS_WARN_UNUSED;
