/*
 * finder.h: a finder (bitsift.h) from within, for the files that are one search together: search.c, where the stages meet; learn.c,
 * the words that are looked for beside the query; show.c, what is handed out of a hit.
 */
#ifndef BS_QUERY_SEARCH_FINDER_H
#define BS_QUERY_SEARCH_FINDER_H

#include "core/base/clock.h"
#include "core/bitsift/search.h"
#include "core/program/options.h"
#include "core/system/watch.h"
#include "query/answer/batches.h"
#include "query/answer/document_text.h"
#include "query/answer/passage.h"
#include "query/language/reading.h"
#include "query/plan/filter.h"
#include "query/plan/named.h"
#include "query/plan/plan.h"
#include "query/rank/rank.h"
#include "query/rank/scan_top.h"
#include "query/rank/sorted_hits.h"
#include "query/search/feedback.h"
#include "query/search/index_handle.h"
#include "query/verify/verify_many.h"

struct bs_finder {
	const struct bs_index *index;
	struct bs_reading reading;
	struct bs_fetcher *fetcher;
	struct bs_filter *filter; /* NULL: no request had one yet */
	bool is_filtered;         /* the request wants not all documents */
	bool has_dates;           /* those of its field of dates are in the query */
	struct bs_named named;
	struct bs_scan scan;
	struct bs_plan plan;
	struct bs_buffer candidates;
	struct bs_buffer hits;  /* struct bs_hit each */
	struct bs_buffer marks; /* struct bs_snippet_hit each */
	struct bs_batches *batches; /* NULL: no request wanted some yet */
	struct bs_passages passages;
	struct bs_feedback feedback;
	const struct bs_taught *taught; /* instead, if not NULL */
	struct bs_buffer best_hits; /* struct bs_hit each: what the query is fed with */
	struct bs_buffer like;  /* struct bs_doc_ref each: what hits are to be like */
	struct bs_buffer id, local_id, path, snippet, text;
	struct bs_document_texts texts;
	/* The query being run. */
	const struct bs_find_request *request; /* NULL between queries */
	const struct bs_find_program *program;
	uint32_t segment; /* whose candidates are verified */
	size_t n_best;
	struct bs_query_tree *query;
	struct bs_verify_request verify_request;
	struct bs_verifier verifier;
	struct bs_verify_crew *crew;
	double own_weight; /* of the query's words in all */
	bool is_feeding;   /* the query is run for its best documents, and told of once more */
	const struct bs_find_request *asked; /* then, what was asked */
	double avgdl;
	struct bs_top top;
	struct bs_sorting sorting; /* instead of top, if it has a field */
	bool is_trusted;           /* sorting: all documents of the segment are what was indexed */
	struct bs_find_result *result;
	struct bs_query_stats *stats; /* in the result */
	uint64_t since_ns;      /* when the stage under way began */
	struct bs_scorer scorer;
	struct bs_top_scan best;
	bool is_ranked;         /* the k best are found by bounds (scan_top.h), not by scoring every match */
	bool is_refused;        /* the callback for hits wants no more */
	struct bs_account account; /* of all that is above, and of what its threads hold */
};

/* Charges the time since the last charge to a stage. */
static inline void bs_finder_charge(struct bs_finder *finder, enum bs_stage stage)
{
	uint64_t now = bs_now_ns();
	finder->stats->stage_ns[stage] += now - finder->since_ns;
	finder->since_ns = now;
}

/* Runs the request that is begun. */
enum bs_status bs_finder_run(struct bs_finder *finder, struct bs_error *err) BS_WARN_UNUSED;

/* Takes the words that are looked for beside the query, if it wants some. */
enum bs_status bs_finder_learn(struct bs_finder *finder, struct bs_error *err) BS_WARN_UNUSED;

/* Hands out the hits, best first or in document order. */
enum bs_status bs_finder_show(struct bs_finder *finder, struct bs_error *err) BS_WARN_UNUSED;

/* The search was ended, or what is to be shown of it takes too long. Whether the hits so far are the answer. */
bool bs_finder_is_partial(struct bs_finder *finder, enum bs_status status);

#endif
