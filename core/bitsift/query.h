/*
 * query.h: matching a query against texts in memory, and ranking several indexes as one. Part of
 * the public interface; the rules are those of bitsift.h.
 *
 *      bs_query_new          parses a query
 *      bs_query_match        whether, and where, texts match
 *      bs_query_score        the score of texts
 *      bs_query_make_snippet the part of the texts to show
 *      bs_statistics_gather  document frequencies of the words of a query; summed over several
 *                            indexes, they rank as one
 *
 * The results are equal to those of bs_search for a document with the same texts; scores are equal
 * to the last bit.
 */
#ifndef BITSIFT_QUERY_H
#define BITSIFT_QUERY_H

#include "search.h"
#include "statistics.h"

BS_BEGIN_DECLS

/* A parsed query, and the memory for matching it. Used by one thread at a time, but not always by
 * the same thread. A query reuses its memory, so that after a few texts it allocates no more. */
struct bs_query;

struct bs_query_request {
	/* As in struct bs_search_query. */
	const char *query;
	size_t query_bytes;
	bool any;
	bool strict_query;
	const char *stop_language;
	const char *stop_words;
	size_t stop_words_bytes;

	/* The index whose rules split and fold words, and whose fields and weights are used. The
	 * index must stay open until the query is freed, and the options below must be zero. NULL:
	 * the options below are used instead. */
	const struct bs_index *index;
	const char *stem_language; /* as in struct bs_index_options */
	bool fold_accents;
	bool split_identifiers;
	const char *const *weights;
	/* the names of the fields that the query may use, NULL-ended; each may have numbers and
	 * dates. NULL: none */
	const char *const *fields;
	bool file_names; /* `name:` matches file names: bs_query_set_name */

	/* Called before bs_query_new returns with a printable line about a part of the query that
	 * may not mean what its author thinks, at most five times. NULL: not called. */
	void (*notice)(void *context, const char *message);
	void *context;
	/* limits of each call with the query, counted from the start of that call; borrowed until
	 * the query is freed. NULL: none */
	const struct bs_limits *limits;
	uint64_t reserved[7];
};

/* Parses a query. Free *query_out with bs_query_free; it is NULL on failure. BS_INVALID (an unknown
 * stemmer or list of stop words, an invalid weight, or a query that is empty or does not parse:
 * *error_byte_out, nullable, is then the offset of the error, otherwise SIZE_MAX), BS_UNSUPPORTED
 * (ICU data is missing), BS_CORRUPT or BS_IO (of the index), BS_DEADLINE, BS_STOPPED,
 * BS_NO_MEMORY. */
BS_API enum bs_status bs_query_new(const struct bs_query_request *request,
                                   struct bs_query **query_out, size_t *error_byte_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_query_free(struct bs_query *query);

/* Sets the name of the file that the next texts belong to, for `name:`. For a file in a folder that
 * is a source: its path below that folder. For a file that is a source itself: the last part of its
 * path. NULL: the texts are not from a file; this is also the state before the first call.
 * BS_NO_MEMORY. */
BS_API enum bs_status bs_query_set_name(struct bs_query *query, const char *name, size_t name_bytes,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* The position of a matching word: the words that snippets mark. A word of a phrase counts only
 * where the phrase matches, a word of a field only in that field. Negated words are never
 * marked. */
struct bs_query_place {
	size_t text;       /* the number of the text */
	uint64_t line;     /* from 1, in that text */
	uint64_t column;   /* from 1, in bytes of that line, not counting a byte order mark */
	size_t start_byte; /* in that text */
	size_t stop_byte;
	uint64_t element; /* identifies the word of the query; equal at all its positions */
	uint64_t reserved[1];
};

/* Borrowed until the query is used again. */
struct bs_query_result {
	bool is_match;
	/* positions of the matching words, in the order of the texts; two may overlap */
	const struct bs_query_place *places;
	size_t n_places;
	uint32_t length; /* length of the texts in words, as scores count it */
	uint64_t reserved[4];
};

/*
 * Matches a document: its texts are the fields of a record, or the one text of a file, without a
 * field name (field_bytes 0). Texts are UTF-8; invalid sequences count as U+FFFD. BS_INVALID (more
 * than BS_MAX_DOCUMENT_BYTES), BS_DEADLINE, BS_STOPPED, BS_NO_MEMORY: the query can be used for the
 * next texts.
 */
BS_API enum bs_status bs_query_match(struct bs_query *query, const struct bs_text *texts,
                                     size_t n_texts, struct bs_query_result *result_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/*
 * Adds the numbers of an index to the statistics, for all words that are in the request's query,
 * and for all words of the index that prefixes, wildcards and fuzzy words of the query match. To
 * rank several indexes as one, call this function once for each index with the same statistics.
 * Then search each index with these statistics (struct bs_search_query) and the same request. The
 * best of all hits have the scores that they would have in one index of all documents. Order hits
 * of equal scores by the indexes that they come from, in the same order in each search.
 *
 * Uses query.text, query.any, the stop words, output.sort_field and the limits of the request.
 * Fails as bs_search; also BS_INVALID with feedback_docs, like_id or like_text, whose words depend
 * on a single index. Do not use the statistics after a failure.
 */
BS_API enum bs_status bs_statistics_gather(struct bs_searcher *searcher,
                                           const struct bs_search_request *request,
                                           struct bs_statistics *statistics,
                                           struct bs_error *err) BS_WARN_UNUSED;

/*
 * The score that bs_search gives a document with these texts by these statistics; 0 if it does not
 * match, or if no word of the query scores. If a prefix, a wildcard or a fuzzy word of the query
 * matches a word that the statistics lack, this word counts as one that no other document has.
 * BS_INVALID (as bs_query_match; a word of the query that the statistics lack; a df above the
 * number of documents), BS_DEADLINE, BS_STOPPED, BS_NO_MEMORY.
 */
BS_API enum bs_status bs_query_score(struct bs_query *query, const struct bs_text *texts,
                                     size_t n_texts, const struct bs_statistics *statistics,
                                     double *score_out, struct bs_error *err) BS_WARN_UNUSED;

struct bs_query_snippet_request {
	const char *mark_start; /* written before and after each matching word; NULL: nothing */
	const char *mark_stop;
	/* approximate length in terminal columns, without marks and "…". 0: 160 */
	uint32_t columns;
	/* Puts a third instead of half of the context before the words, and does not cut the
	 * context to show a long word. */
	bool favours_after;
	uint64_t reserved[7];
};

/* Borrowed until the query is used again. */
struct bs_query_snippet {
	const char *text; /* UTF-8, not NUL-ended */
	size_t text_bytes;
	bool is_match;
	uint64_t reserved[5];
};

/*
 * Makes the snippet that a hit of bs_search would have if its document had these texts: one line of
 * about `columns` columns, from the part of the texts where most words of the query are close
 * together. "…" marks an end where the text continues. Texts that do not match give their
 * beginning. White space becomes one space; control characters and invalid UTF-8 become U+FFFD.
 * Fails as bs_query_match; BS_UNSUPPORTED: ICU cannot be loaded.
 */
BS_API enum bs_status bs_query_make_snippet(struct bs_query *query, const struct bs_text *texts,
                                            size_t n_texts,
                                            const struct bs_query_snippet_request *request,
                                            struct bs_query_snippet *snippet_out,
                                            struct bs_error *err) BS_WARN_UNUSED;

/* A range of bytes of one text, which is to be shown. */
struct bs_query_span {
	size_t text; /* the number of the text */
	size_t start_byte;
	size_t stop_byte;
	uint64_t reserved[5];
};

/*
 * For a host that shows text verbatim and measures it in words. Chooses at most n_words words where
 * most of the places are close together, as bs_query_make_snippet does. If the places leave room
 * for more words, half of these are before the places and half after them. places: all places that
 * bs_query_match found in these texts, or all places in one of the texts. Without places, the span
 * is the beginning of the first text. White space separates words; in scripts without it, two
 * characters count as one word. A grapheme cluster is never cut. BS_NO_MEMORY.
 */
BS_API enum bs_status bs_query_choose_span(const struct bs_text *texts, size_t n_texts,
                                           const struct bs_query_place *places, size_t n_places,
                                           uint32_t n_words, struct bs_query_span *span_out,
                                           struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
