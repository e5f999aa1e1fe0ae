/*
 * candidates.h: finding documents that may match, without reading any text. For hosts that have the
 * texts and verify matches themselves, such as databases. Part of the public interface; the rules
 * are those of bitsift.h.
 *
 *      bs_search       with output.candidates: the candidates of a query, and which of them are
 *                      certain
 *      bs_candidates   the candidates of a pattern, by grams; a host builds its own syntax as a
 *                      tree (pattern_tree.h)
 *      bs_text_filter  whether a text of the host may match a pattern; cheaper than an exact match
 *      bs_estimate     the approximate number of hits, for query planners
 *
 * If the text of a document matched when it was added, the document is a candidate.
 */
#ifndef BITSIFT_CANDIDATES_H
#define BITSIFT_CANDIDATES_H

#include "grep.h"
#include "pattern_tree.h"
#include "search.h"

BS_BEGIN_DECLS

struct bs_candidates_request {
	/* The pattern is matched against each text of a document as a whole. Line ends are ordinary
	 * characters, as with is_multi_line; dot_all says whether a dot matches line ends. Invalid
	 * UTF-8 counts as U+FFFD. is_pcre2 and is_brute are not used. */
	struct bs_grep_pattern pattern;
	/* Called with candidates, in document order. Return 0 to continue; any other value ends the
	 * call with BS_STOPPED. NULL: the candidates are only counted. */
	int (*batch)(void *context, const struct bs_hit_batch *batch);
	/* Estimates n_candidates from a sample of some thousand documents, in a time that hardly
	 * depends on the size of the index. `batch` is not called. */
	bool estimate;
	void *context;
	const struct bs_limits *limits;     /* NULL: none */
	const struct bs_pattern_tree *tree; /* used instead of `pattern`; NULL: `pattern` is used */
	uint64_t reserved[7];
};

struct bs_candidates_result {
	uint64_t n_candidates;
	/* candidates that have no grams in the index, as every document without grams is a
	 * candidate; 0 if is_all */
	uint64_t n_unknown;
	bool is_all;           /* the pattern has no grams, so no document is ruled out */
	uint64_t column_bytes; /* column bytes read */
	uint64_t reserved[6];
};

/*
 * Finds the documents that may match a pattern, by their grams in the index (struct
 * bs_index_options, grams). Every document without grams is a candidate. If the index was opened
 * with `fresh` (struct bs_open_request), every document that is new or changed since the commit is
 * a candidate, too. BS_INVALID (a pattern that does not compile, a tree that was not ended),
 * BS_STOPPED, BS_DEADLINE, BS_CORRUPT, BS_IO, BS_UNSUPPORTED, BS_NO_MEMORY. After any of these
 * errors the searcher can be used for the next search. result_out may be NULL.
 */
BS_API enum bs_status bs_candidates(struct bs_searcher *searcher,
                                    const struct bs_candidates_request *request,
                                    struct bs_candidates_result *result_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* A pattern that is prepared to be matched against many texts. Used by one thread at a time. */
struct bs_text_filter;

/* Makes a filter from a pattern, which is interpreted as by bs_candidates. A pattern that does not
 * compile rules out nothing. BS_INVALID (a pattern that is not UTF-8), BS_UNSUPPORTED,
 * BS_NO_MEMORY. */
BS_API enum bs_status bs_text_filter_new(const struct bs_grep_pattern *pattern,
                                         struct bs_text_filter **filter_out,
                                         struct bs_error *err) BS_WARN_UNUSED;
/* Makes a filter from a tree, which the caller may free after the call. BS_INVALID (the tree was
 * not ended), BS_UNSUPPORTED, BS_NO_MEMORY. */
BS_API enum bs_status bs_text_filter_new_of_tree(const struct bs_pattern_tree *tree,
                                                 struct bs_text_filter **filter_out,
                                                 struct bs_error *err) BS_WARN_UNUSED;
/* False: the pattern certainly does not match the text. True: it may match. If the text is invalid
 * UTF-8, or matching would take long, the filter only looks for a literal that every match
 * contains. */
BS_API bool bs_text_filter_may_match(struct bs_text_filter *filter, const char *text,
                                     size_t text_bytes);
/* NULL is fine. */
BS_API void bs_text_filter_free(struct bs_text_filter *filter);

struct bs_search_estimate {
	/* documents of the index, including deleted ones that compaction has not removed */
	uint64_t n_docs;
	/* Estimated number of hits, as if words occurred independently of each other; exact for a
	 * single word if nothing is deleted. */
	uint64_t n_hits;
	/* An upper bound of n_hits: the df of the rarest word that each hit must have. n_docs if
	 * there is no such word. */
	uint64_t n_least_df;
	bool is_certain; /* a search with output.candidates would find only certain hits */
	uint64_t reserved[4];
};

/* Estimates the number of hits of a request. Uses query.text, query.any, the stop words,
 * query.field and the limits of the request, and nothing else of it. Looks words up in the lexicon
 * and reads no columns. Fails as bs_search. */
BS_API enum bs_status bs_estimate(struct bs_searcher *searcher,
                                  const struct bs_search_request *request,
                                  struct bs_search_estimate *estimate_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
