/* search_question.h: searches for a question that was made already (question.h): of one index by bs_find, of a list by a catalog. */
#pragma once

#include "query/search/finder.h"

/* As bs_find. */
enum bs_status bs_finder_find(struct bs_finder *finder, const struct bs_question *question,
                              const struct bs_limits *limits, struct bs_find_result *result_out,
                              struct bs_error *err) BS_WARN_UNUSED;

/* Reports words of the query that no document has, by the question's notice. Fails as bs_find. */
enum bs_status bs_finder_suggest(struct bs_finder *finder, const struct bs_question *question,
                                 struct bs_error *err) BS_WARN_UNUSED;
