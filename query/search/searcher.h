/* searcher.h: a searcher (bitsift/search.h): the memory that one thread reuses from query to query.
 * The state of a single query is in struct bs_run (run.h). */
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

/* The memory of the stages. Its content is valid during one query; the memory is reused for the
 * next. */
struct bs_query_memory {
	struct bs_plan plan;
	struct bs_filename_match named; /* The evaluator of `name:` leaves. */
	struct bs_scan scan;
	struct bs_candidate_list candidates; /* The candidates of the segment being searched. */
	struct bs_scorer scorer;
	struct bs_top_scan top_scan;
	struct bs_top top;          /* The best hits by score (ranked.h). */
	struct bs_sorting sorting;  /* The first hits in the order of a field (sorted.h). */
	struct bs_ranked_hits hits; /* All hits (collect.h); scratch of ranked.c. */
	struct bs_buffer text;      /* The text of explanations and suggestions. */
};

/* Words that are added to a query, and the documents that they are taken from. */
struct bs_expansion {
	struct bs_feedback feedback;
	struct bs_ranked_hits best; /* The best documents of the query, whose words are taken. */
	/* The example documents, which are not hits themselves. */
	struct bs_doc_refs like;
};

struct bs_searcher_index {
	const struct bs_index *index; /* The opened index; borrowed. */
	const char *name;             /* The name of the index (see bs_list_entry). */
	/* No document of the index is a hit (see bs_list_entry). */
	bool is_passed_over;
};

struct bs_searcher {
	/* The first index; the only one unless a catalog made the searcher. */
	const struct bs_index *index;
	struct bs_snapshot_list list;
	struct bs_prefix_checks **prefix_checks; /* One per index; borrowed from the indexes. */
	/* The sum of the members n_unfollowed of the indexes. */
	uint64_t n_unfollowed;
	/* Some index was made with other tokenizer rules. */
	bool has_other_words;
	/* The distinct query analyses of the indexes. */
	struct bs_query_analysis *readings;
	uint32_t n_readings;
	struct bs_query_analysis *analysis; /* The query analysis that the current run uses. */
	struct bs_loader *loader;
	struct bs_verify_crew *crew;
	/* The filter of documents; NULL: not needed yet. */
	struct bs_filter *filter;
	struct bs_query_memory memory;
	struct bs_expansion learning;
	struct bs_hit_assembly assembly;
	struct bs_batches *batches; /* Batches of hits; NULL: not needed yet. */
	struct bs_document_texts texts;
	/* The callbacks of the current call; NULL: there is none. */
	const struct bs_search_callbacks *listener;
	/* Counts the memory of the members above, and of the searcher's threads. */
	struct bs_memory_budget budget;
};

/* The state of a call of a searcher: its deadline, and what bs_searcher_leave restores. */
struct bs_searcher_use {
	struct bs_deadline deadline;
	/* The thread's memory budget before the call. */
	struct bs_memory_budget *budget;
};

/* Begins a call. limits: nullable. After BS_OK, bs_searcher_leave must follow. Fails like
 * bs_deadline_begin. */
enum bs_status bs_searcher_enter(struct bs_searcher *searcher, const struct bs_limits *limits,
                                 struct bs_searcher_use *use, struct bs_error *err) BS_WARN_UNUSED;
void bs_searcher_leave(struct bs_searcher_use *use);

/* Like bs_searcher_new and bs_searcher_free of bitsift/search.h, for several indexes. n_indexes >=
 * 1. */
enum bs_status bs_searcher_make(const struct bs_searcher_index *indexes, uint32_t n_indexes,
                                struct bs_searcher **searcher_out,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_searcher_destroy(struct bs_searcher *searcher);

/* Frees the memory of earlier queries, if it exceeds the memory limit of this call. After a
 * failure, the searcher is unchanged. BS_NO_MEMORY and the failures of bs_loader_new. */
enum bs_status bs_searcher_trim(struct bs_searcher *searcher, struct bs_error *err) BS_WARN_UNUSED;

/* Creates the filter on first use. BS_NO_MEMORY. */
enum bs_status bs_searcher_need_filter(struct bs_searcher *searcher,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Passes a message to the caller's notice function, if there is one. searcher: a struct
 * bs_searcher. */
void bs_searcher_notice(void *searcher, const char *message);

/* These functions convert between document references and the document numbers of the public
 * interface. */
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
