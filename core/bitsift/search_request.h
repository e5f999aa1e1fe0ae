/* search_request.h: the request of bs_search (bitsift/search.h). Part of the public interface; see
 * bitsift.h. */
#ifndef BITSIFT_SEARCH_REQUEST_H
#define BITSIFT_SEARCH_REQUEST_H

#include "limits.h"
#include "search_result.h"

BS_BEGIN_DECLS

#define BS_QUERY_MAX_BYTES (1u << 20) /* longest query text */

struct bs_statistics;

struct bs_search_query {
	/* In the query language of bitsift-query(1), at most BS_QUERY_MAX_BYTES. May be any bytes:
	 * invalid UTF-8 is read as U+FFFD. */
	const char *text;
	size_t text_bytes;
	bool any; /* documents with at least one of the words match; false: with all of them */
	/* A part of the query that would give a warning (callbacks.notice_query) makes the call
	 * fail: BS_INVALID, with its offset. */
	bool strict;
	/* Searches only this field of records. The query then cannot name fields: colons and ranges
	 * in it are read as text. BS_NOT_FOUND: no document has a field of that name. NULL: all
	 * fields. */
	const char *field;
	/* Stop words. If the query has other words, its stop words add nothing to scores, and with
	 * `any` they match nothing. stop_language names a built-in list: "english". stop_words is a
	 * list in UTF-8, separated by white space; # at the beginning of a line and | anywhere
	 * start a comment. NULL: none. */
	const char *stop_language;
	const char *stop_words;
	size_t stop_words_bytes;
	/* Relevance feedback: the query is first searched, and the words that are typical of this
	 * number of its best documents are added to it, with weights of their own. Documents with
	 * one of these words match, too, unless the query excludes them. 0: no feedback. */
	size_t feedback_docs;
	/* More like this: the typical words of a document, named by its id as in bs_delete_request,
	 * or of a text are added to the query, which may then be empty. The document itself is not
	 * a hit. Cannot be combined with feedback_docs. */
	const char *like_id;
	const char *like_text;
	size_t like_text_bytes;
	/* Statistics with the document frequencies from which scores are computed, instead of those
	 * of the index (bitsift/query.h). The query may also name the fields that are in the
	 * statistics. Borrowed until bs_search returns. BS_INVALID: a scored word of the query is
	 * missing in the statistics, or feedback_docs, like_id or like_text is set, too. NULL:
	 * scores are computed from the index. */
	const struct bs_statistics *statistics;
	uint64_t reserved[4];
};

/* Which documents may be hits. Texts of other documents are not read. Lists end with NULL; NULL: no
 * restriction. Scores do not depend on the filter. */
struct bs_document_filter {
	/* globs of paths, as in ripgrep's -g; "!" in front excludes the paths that match */
	const char *const *globs;
	const char *const *types;          /* files of these types, as ripgrep's -t */
	const char *const *excluded_types; /* no files of these types, as ripgrep's -T */
	const char *const *places;         /* these files, and files below these folders */
	/* newer: documents modified at this time or later; older: documents modified before this
	 * time. The time is a date in ISO 8601, in UTC unless it has a zone, or an age: 90s, 30m,
	 * 2h, 3d, 2w. The time of a document is the one that the index has recorded. */
	const char *newer, *older;
	/* A field of records that newer and older compare instead of the file's time. NULL: the
	 * file's time. */
	const char *date_field;
	uint64_t reserved[4];
};

enum bs_search_mode {
	/* the best `limit` hits by BM25, best first; equal scores in document order */
	BS_SEARCH_TOP = 0,
	BS_SEARCH_IDS,   /* every hit, in document order, without a score */
	BS_SEARCH_COUNT, /* the number of hits; callbacks.hit is not called */
};

/* What to return, and in which order. */
struct bs_search_output {
	enum bs_search_mode mode;
	size_t limit; /* BS_SEARCH_TOP: the number of hits; 0: 10 */
	/* BS_SEARCH_TOP, BS_SEARCH_IDS: skips this many hits first. So a caller can get the hits
	 * page by page; no hit is on two pages */
	size_t offset;
	/* BS_SEARCH_TOP: sorts by the numbers and dates in this field of records instead of by
	 * score; numbers are before dates. A document with several values counts with its smallest,
	 * or, descending, with its largest. Documents without a value come last. Documents with
	 * equal values are in document order. NULL: by score. */
	const char *sort_field;
	bool sort_descending;
	/* BS_SEARCH_TOP: hits have a snippet: some text around the words found. The snippet of a
	 * file is whole lines if they are short enough. */
	bool snippets;
	bool passages; /* BS_SEARCH_TOP: hits have the positions of the words found */
	/* inserted into a snippet before and after each word found; NULL: nothing */
	const char *mark_start;
	const char *mark_stop;
	/* BS_SEARCH_IDS, BS_SEARCH_COUNT: hits are all documents that the index does not rule out.
	 * No text is read and no file is looked at. bs_hit.is_candidate is true if a hit is not
	 * certain; certainty refers to the text as it was when indexed. BS_INVALID together with
	 * options that read texts: brute, feedback_docs, like_id, like_text. */
	bool candidates;
	uint64_t reserved[4];
};

/* How to search. These options do not change the answer, except for approx and no_stat. */
struct bs_search_method {
	/* BS_SEARCH_TOP: verifies only the most promising candidates; a notice gives their
	 * number */
	bool approx;
	bool brute; /* reads every document instead of using the index */
	/* Trusts the index: does not check files for changes. If the text of a file is needed, its
	 * current text is used without a check. */
	bool no_stat;
	/* BS_SEARCH_TOP: scores every match instead of skipping those that cannot be among the
	 * best, so that n_hits is exact. BS_SEARCH_COUNT: counts the hits by reading columns even
	 * if the lexicon has their number. */
	bool exhaustive;
	/* The number of threads that read texts, if many must be read. 0: one for each processor;
	 * 1: the caller's only; at most BS_MAX_THREADS. The other threads end with the search. */
	uint32_t n_threads;
	uint64_t reserved[4];
};

/* Called on the caller's thread. */
struct bs_search_callbacks {
	/* Gets each hit, after the search. Return 0 to continue; any other value ends the search
	 * with BS_STOPPED. Required unless `batch` is set or the mode is BS_SEARCH_COUNT. */
	int (*hit)(void *context, const struct bs_hit *hit);
	/* BS_SEARCH_IDS: is called instead of `hit`, with many hits in each call, which is several
	 * times as fast. Nullable. */
	int (*batch)(void *context, const struct bs_hit_batch *batch);
	/* Gets a printable line for each document that cannot be read, but at most
	 * BS_MAX_UNREADABLE_NOTICES such lines in the life of a searcher. Nullable. */
	void (*notice)(void *context, const char *message);
	/* Gets a printable line about a part of the query that may not mean what its author thinks:
	 * an unknown field, a lower-case "or", an unclosed bracket, an ignored word. At most five
	 * in a search. NULL: `notice` gets them. */
	void (*notice_query)(void *context, const char *message);
	/* Gets lines of text about how the query is answered, before and after the search.
	 * Nullable. */
	void (*explain)(void *context, const char *text, size_t text_bytes);
	void *context;
	/* `notice` gets a line for every document that cannot be read, and for every file changed
	 * since indexing or removed */
	bool verbose;
	/* if nothing matches, `notice` gets a similar word of the index for each word that the
	 * index lacks */
	bool suggest;
	uint64_t reserved[4];
};

/* If only a query and a callback are set, and everything else is zero, the search returns the ten
 * best hits. */
struct bs_search_request {
	struct bs_search_query query;
	struct bs_document_filter filter;
	struct bs_search_output output;
	struct bs_search_method method;
	struct bs_search_callbacks callbacks;
	const struct bs_limits *limits; /* NULL: none */
	uint64_t reserved[4];
};

BS_END_DECLS
#endif
