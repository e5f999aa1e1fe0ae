/* search_request.h: what bs_search (bitsift/search.h) is asked. Part of the public interface; see bitsift.h. */
#ifndef BITSIFT_FIND_REQUEST_H
#define BITSIFT_FIND_REQUEST_H

#include "search_result.h"
#include "limits.h"

BS_BEGIN_DECLS

#define BS_QUERY_MAX_BYTES      (1u << 20) /* longest query text */

enum bs_search_mode {
	BS_SEARCH_TOP = 0, /* the best n_best hits by BM25, best first, equal ones in document order */
	BS_SEARCH_IDS,     /* every hit, in document order, not scored */
	BS_SEARCH_COUNT,   /* only how many: the hit callback is not called */
};

struct bs_statistics;

struct bs_search_request {
	/* In the query language of bitsift-query(1), at most BS_QUERY_MAX_BYTES. Any bytes: what is not UTF-8 counts as
	 * U+FFFD. */
	const char *query;
	size_t query_bytes;
	enum bs_search_mode mode;
	size_t n_best;   /* BS_SEARCH_TOP: how many; 0: 10 */
	size_t offset;   /* BS_SEARCH_TOP, BS_SEARCH_IDS: so many hits before them are passed over: page after page, each hit comes once */
	bool any;        /* documents with any of the words, not all */
	bool strict_query; /* what notice_query would be called for is an error: BS_INVALID, with its place */
	/* Words that do not score and, with any, do not match, while the query has others: the list of that name, which can be
	 * "english"; and these, in UTF-8, where a # begins a line that is a remark, and a | the rest of a line. NULL: none. */
	const char *stop_language;
	const char *stop_words;
	size_t stop_words_bytes;
	/* The words that are typical of so many of the best documents count beside the query, by weights of their own: documents
	 * that have one of them match, too, unless the query excludes them. 0: none are taken. */
	size_t feedback_docs;
	/* Likewise the words of a document, by its id as bs_delete_request has it, which is no hit itself; or those of a text.
	 * The query may then be without words, and not with feedback_docs. */
	const char *like_id;
	const char *like_text;
	size_t like_text_bytes;
	/* Scores are by these instead of what this index says, and their fields are fields here, too (bitsift/query.h): borrowed until
	 * bs_search returns. BS_INVALID: they do not name a word of the query that scores; or with feedback_docs, like_id or
	 * like_text. NULL: by this index. */
	const struct bs_statistics *statistics;
	bool approx;     /* BS_SEARCH_TOP: verify only the candidates that look best; a notice says how many */
	bool brute;      /* read every document instead of using the index: the same answer, for comparison */
	/* BS_SEARCH_IDS, BS_SEARCH_COUNT: no text is read and no file looked at. Hits are all documents that the index does not rule out; of
	 * each it says whether it only may match. What is certain, is so of the texts that were indexed. BS_INVALID with what reads texts: brute,
	 * feedback_docs, like_id, like_text. */
	bool candidates;
	bool no_stat;    /* take the index at its word: no file is looked at unless its text is needed. What is read counts as it is */
	bool exhaustive; /* BS_SEARCH_TOP: score every match, where bounds leave most unseen: n_hits is exact. BS_SEARCH_COUNT: by the columns,
	                  * where the lexicon knows the number */
	bool verbose;    /* notice is called for every file that changed or cannot be read; result.changes counts them */
	bool suggest;    /* nothing matches: notice is called for words that are not in the index, with one much like it */
	bool snippets;   /* BS_SEARCH_TOP: with some text around the words found: of a file whole lines, where they are short enough */
	bool passages;   /* BS_SEARCH_TOP: with the places where words of the query stand */
	uint32_t n_threads; /* that read texts, where many must be read; 0: one a processor; 1: the caller's; more than BS_MAX_THREADS count as that. The
	                     * others live for as long as they read. Callbacks are on the caller's; nothing else depends on it */
	/* BS_SEARCH_TOP: not the best by score, but the first in the order of the numbers and dates in this field of records, numbers
	 * before dates: of several values by the least, or, descending, by the greatest. Documents without one come last, equal
	 * ones in document order. NULL: by score. */
	const char *sort_field;
	bool sort_descending;
	const char *mark_start; /* in a snippet, written before and after each word found; NULL: nothing */
	const char *mark_stop;

	/*
	 * Which documents may be hits; without, all may. Of others no text is read. Lists are NULL-ended. Nothing of this
	 * changes a score.
	 */
	const char *const *globs;     /* paths of hits that match, as ripgrep's -g has it; with "!" in front, none of those */
	const char *const *types;     /* files of these types of ripgrep's */
	const char *const *type_nots; /* no files of these */
	const char *const *places;    /* files and folders: what is there, or below */
	/* Dates in ISO 8601, in UTC unless they say otherwise, or ages (90s, 30m, 2h, 3d, 2w): files that were changed then or
	 * later, and files that were changed earlier, by the times that the index has recorded; or, */
	const char *newer, *older;
	const char *date_field; /* records with such a date in this field; NULL: the file's time counts */

	/* Called for each hit after the search is done; return 0 to go on. Anything else ends it with BS_STOPPED. Not
	 * NULL, unless mode is BS_SEARCH_COUNT. */
	int (*hit)(void *context, const struct bs_hit *hit);
	/* BS_SEARCH_IDS: called instead of hit, with many at once, which takes a fraction of the time. NULL: hit is. */
	int (*batch)(void *context, const struct bs_hit_batch *batch);
	/* Called with one printable line for what the user should know: a document that cannot be read (the first
	 * BS_MAX_UNREADABLE_NOTICES in the life of a searcher); with verbose, every document that cannot be read, and every file
	 * that has changed since it was indexed or is gone. NULL: not called. */
	void (*notice)(void *context, const char *message);
	/* ... and for what in the query may mean something else than it seems: a field that is none, `or` in lower case, a
	 * bracket that is never closed, a word without letters that is ignored; at most five times. NULL: notice is. */
	void (*notice_query)(void *context, const char *message);
	/* Called with lines of text on how the query is answered, before and after the search. NULL: not made. */
	void (*explain)(void *context, const char *text, size_t text_bytes);
	void *context;
	const struct bs_limits *limits; /* NULL: none */
	/* The query asks for words in this field alone, and names none: what looks like a field or a range is text. BS_NOT_FOUND: no
	 * document has a field of that name. NULL: for words of all fields, or of those that it names. */
	const char *field;
	uint64_t reserved[7];
};

BS_END_DECLS
#endif
