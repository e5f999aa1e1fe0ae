/*
 * searcher.h: a searcher (bitsift/search.h): what one thread keeps from query to query. It is
 * memory that is used again; what belongs to one query is in struct bs_run (run.h).
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/bitsift/limits.h"
#include "core/system/deadline.h"
#include "query/answer/batches.h"
#include "query/answer/document_text.h"
#include "query/answer/hit_assembly.h"
#include "query/language/query_analysis.h"
#include "query/load/loader.h"
#include "query/plan/feedback.h"
#include "query/plan/filter.h"
#include "query/plan/plan.h"
#include "query/rank/rank.h"
#include "query/rank/scan_top.h"
#include "query/rank/sorted_hits.h"
#include "query/search/index_handle.h"
#include "query/search/question.h"
#include "query/verify/filename_match.h"
#include "query/verify/verify_many.h"

/* The memory of the stages. Valid during a query, kept for the next. */
struct bs_query_memory {
	struct bs_plan plan;
	struct bs_filename_match named;
	struct bs_scan scan;
	struct bs_candidate_list candidates; /* of the segment that is being searched */
	struct bs_scorer scorer;
	struct bs_top_scan top_scan;
	struct bs_top top;
	struct bs_sorting sorting;
	struct bs_ranked_hits hits;
	struct bs_buffer text; /* of explanations and suggestions */
};

/* Words and documents that a query is expanded by. */
struct bs_learning {
	struct bs_feedback feedback;
	struct bs_ranked_hits best; /* the documents that it is learnt from, best first */
	/* the documents that hits are to be like, which are no hits themselves */
	struct bs_doc_refs like;
};

/* An opened index, as one of those that a searcher searches. */
struct bs_searcher_index {
	const struct bs_index *index; /* borrowed */
	const char *name;             /* as bs_list_entry has it */
	bool is_passed_over;          /* as bs_list_entry has it */
};

struct bs_searcher {
	/* the first; the only one of a searcher that the library's user made */
	const struct bs_index *index;
	struct bs_snapshot_list list;
	struct bs_prefix_checks **prefix_checks; /* list.n_entries; of the indexes */
	uint64_t n_unfollowed;                   /* of all indexes */
	bool has_other_words;                    /* some index has */
	/* one for each way in which the indexes read queries */
	struct bs_query_analysis *readings;
	uint32_t n_readings;
	struct bs_query_analysis *reading; /* of the run under way */
	struct bs_loader *loader;
	struct bs_verify_crew *crew;
	struct bs_filter *filter; /* NULL: no query had a selection yet */
	struct bs_query_memory memory;
	struct bs_learning learning;
	struct bs_hit_assembly assembly;
	struct bs_batches *batches; /* NULL: not needed yet */
	struct bs_document_texts texts;
	const struct bs_search_callbacks *listener; /* of the call under way; NULL between calls */
	/* of all that is above, and of what its threads hold */
	struct bs_memory_budget budget;
};

/* A call that uses a searcher: it ends by its own limits, and what it allocates counts for the
 * searcher. */
struct bs_searcher_use {
	struct bs_deadline deadline;
	struct bs_memory_budget *budget; /* of the call around it */
};

/* limits: nullable. After BS_OK, bs_searcher_leave must follow. Fails as bs_deadline_begin. */
enum bs_status bs_searcher_enter(struct bs_searcher *searcher, const struct bs_limits *limits,
                                 struct bs_searcher_use *use, struct bs_error *err) BS_WARN_UNUSED;
void bs_searcher_leave(struct bs_searcher_use *use);

/* A searcher of several indexes. As bs_searcher_new and bs_searcher_free of bitsift/search.h. */
enum bs_status bs_searcher_make(const struct bs_searcher_index *indexes, uint32_t n_indexes,
                                struct bs_searcher **searcher_out,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_searcher_destroy(struct bs_searcher *searcher);

/* Frees the memory of earlier queries if it is more than the limit of this call. After a failure
 * the searcher holds what it held. BS_NO_MEMORY and what bs_loader_new returns. */
enum bs_status bs_searcher_trim(struct bs_searcher *searcher, struct bs_error *err) BS_WARN_UNUSED;

/* The filter, made when it is first asked for. BS_NO_MEMORY. */
enum bs_status bs_searcher_need_filter(struct bs_searcher *searcher,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Passes a line to the caller's notice function, if there is one. */
void bs_searcher_notice(void *searcher, const char *message);

/* The document of a number, and of a hit. */
static inline struct bs_doc_ref bs_document_ref(uint64_t number)
{
	return (struct bs_doc_ref){(uint32_t)(number >> 32), (uint32_t)number};
}

static inline uint64_t bs_document_number(struct bs_doc_ref ref)
{
	return (uint64_t)ref.segment << 32 | ref.document;
}

static inline struct bs_doc_ref bs_find_hit_ref(const struct bs_hit *hit)
{
	return bs_document_ref(hit->document);
}
