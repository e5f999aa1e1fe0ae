/*
 * candidates.h: for a host that has the texts and verifies itself, as a database does: which documents may match, without a look at
 * any text. Part of the public interface of libbitsift; the rules are those of bitsift.h.
 *
 *      bs_search         with `candidates`: those of a query, and which of them are certain
 *      bs_candidates   those of a pattern, by grams; a host's own syntax is built as a tree (pattern_tree.h)
 *      bs_text_filter  may a text that the host has match the pattern? For one who would pay more for an exact answer
 *      bs_estimate     how many a query has, about, for whoever plans
 *
 * Every document that matches is among them, as it was added.
 */
#ifndef BITSIFT_CANDIDATES_H
#define BITSIFT_CANDIDATES_H

#include "grep.h"
#include "pattern_tree.h"
#include "search.h"

BS_BEGIN_DECLS

struct bs_candidates_request {
	/* A document is asked text by text: each is one subject, its lines' ends characters as others, so that is_multi_line counts as
	 * set. dot_all says what a dot matches; invalid UTF-8 counts as U+FFFD. is_pcre2 and is_brute do not count. */
	struct bs_grep_pattern pattern;
	/* Called with the candidates, in document order; return 0 to go on, anything else ends it with BS_STOPPED. NULL: they are
	 * only counted. */
	int (*batch)(void *context, const struct bs_hit_batch *batch);
	/* Nothing is called, and n_candidates is estimated from some thousands of documents here and there, in a time that hardly grows with
	 * the index. */
	bool estimate;
	void *context;
	const struct bs_limits *limits; /* NULL: none */
	const struct bs_pattern_tree *tree; /* not NULL: in place of the pattern */
	uint64_t reserved[7];
};

struct bs_candidates_result {
	uint64_t n_candidates;
	uint64_t n_unknown;    /* of those, documents of which the index has no grams: each may match */
	bool is_all;           /* the pattern holds no gram: nothing is ruled out */
	uint64_t column_bytes; /* read of the index' columns */
	uint64_t reserved[6];
};

/*
 * Which documents may hold a match: not more is looked at than grams of in-memory documents and records (struct bs_writer_request has
 * `grams`). Documents of others kinds, of segments without grams and those that a fresh index found are candidates all. BS_INVALID (a
 * pattern that does not compile, a tree that has not been ended), BS_STOPPED, BS_DEADLINE, BS_CORRUPT, BS_IO, BS_UNSUPPORTED, BS_NO_MEMORY. The searcher is fit for the
 * next search. result_out may be NULL.
 */
BS_API enum bs_status bs_candidates(struct bs_searcher *searcher, const struct bs_candidates_request *request,
                                    struct bs_candidates_result *result_out, struct bs_error *err) BS_WARN_UNUSED;

/* A pattern, as bs_candidates takes it, made ready for many texts. One thread. */
struct bs_text_filter;

/* BS_INVALID (a pattern that is not UTF-8), BS_UNSUPPORTED, BS_NO_MEMORY. One that does not compile filters nothing. */
BS_API enum bs_status bs_text_filter_new(const struct bs_grep_pattern *pattern, struct bs_text_filter **filter_out,
                                         struct bs_error *err) BS_WARN_UNUSED;
/* The same for a tree, which the caller may free after the call. BS_INVALID (it has not been ended), BS_UNSUPPORTED, BS_NO_MEMORY. */
BS_API enum bs_status bs_text_filter_new_of_tree(const struct bs_pattern_tree *tree, struct bs_text_filter **filter_out,
                                                 struct bs_error *err) BS_WARN_UNUSED;
/* False: the pattern matches nowhere in the text. True where that is not sure: a text that is not UTF-8, or a match that takes long. */
BS_API bool bs_text_filter_may_match(struct bs_text_filter *filter, const char *text, size_t text_bytes);
/* NULL is fine. */
BS_API void bs_text_filter_free(struct bs_text_filter *filter);

struct bs_search_estimate {
	uint64_t n_docs;     /* of the index, deleted ones that compaction has not removed included */
	uint64_t n_hits;     /* about so many match, as if words met by chance; exact where one word is the query and nothing is deleted */
	uint64_t n_least_df; /* documents with the rarest word that each match must have: no more match; n_docs: there is none */
	bool is_certain;     /* with candidates, all hits would be certain */
	uint64_t reserved[4];
};

/* Of the request, the query, any, the stop words, field and limits count. Looks the words up and reads no column. Fails as bs_search. */
BS_API enum bs_status bs_estimate(struct bs_searcher *searcher, const struct bs_search_request *request,
                                  struct bs_search_estimate *estimate_out, struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
