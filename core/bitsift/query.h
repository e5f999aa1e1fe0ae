/*
 * query.h: a query apart from an index, and several indexes ranked as one. The rules of bitsift.h hold.
 *
 *      bs_query_new          a query -> something that texts in memory are asked by
 *      bs_query_match        does a text match, and where
 *      bs_query_score        with which score
 *      bs_query_make_snippet the part of the texts to show
 *      bs_statistics_gather  how frequent the words of a query are in an index: summed over several, they rank as one
 *
 * What bs_search says of the documents of an index, these say of their texts, scores to the last bit.
 */
#ifndef BITSIFT_QUERY_H
#define BITSIFT_QUERY_H

#include "search.h"
#include "statistics.h"

BS_BEGIN_DECLS

/* A query, parsed, with all that is written while texts are asked. One thread at a time may use it; it may pass from one to
 * another. It keeps its memory for the next text, so that soon nothing is allocated. */
struct bs_query;

struct bs_query_request {
	/* As those of struct bs_search_request. */
	const char *query;
	size_t query_bytes;
	bool any;
	bool strict_query;
	const char *stop_language;
	const char *stop_words;
	size_t stop_words_bytes;

	/* Words are cut and folded as in this index, its fields are fields, and their weights count. It must stay open for as long
	 * as the query lives. NULL: as what follows says, none of which may be set with an index. */
	const struct bs_index *index;
	const char *stem_language; /* as those of struct bs_build_request */
	bool fold_accents;
	bool split_identifiers;
	const char *const *weights;
	/* Names that are fields, NULL-ended; NULL: none is. Each may have numbers and dates. */
	const char *const *fields;
	bool file_names; /* `name:` asks for names of files: bs_query_set_name */

	/* Called with one printable line for what in the query may mean something else than it seems; at most five times, before
	 * bs_query_new returns. NULL: not called. */
	void (*notice)(void *context, const char *message);
	void *context;
	const struct bs_limits *limits; /* of each call that takes the query, from its beginning; borrowed as long. NULL: none */
	uint64_t reserved[7];
};

/* *query_out is the caller's, for bs_query_free; NULL on failure: BS_INVALID (the query does not parse or is empty: err says
 * why, *error_byte_out, which may be NULL, where, or SIZE_MAX: nowhere; or an unknown stemmer, a weight that is none, no such
 * list of stop words), BS_UNSUPPORTED (ICU has no data for it), BS_CORRUPT or BS_IO (of the index), BS_DEADLINE, BS_STOPPED,
 * BS_NO_MEMORY. */
BS_API enum bs_status bs_query_new(const struct bs_query_request *request, struct bs_query **query_out,
                                   size_t *error_byte_out, struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_query_free(struct bs_query *query);

/* The texts asked from now on are those of a file of this name, as `name:` asks for it: its path below the folder that is its
 * source, or the last part of the path of a file that is one itself. NULL, and at first: they are of no file.
 * BS_NO_MEMORY. */
BS_API enum bs_status bs_query_set_name(struct bs_query *query, const char *name, size_t name_bytes,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Where a word of the query stands, one that snippets would mark: those of a phrase count where the phrase stands, those for a
 * field in that field, those that a match must not have nowhere. */
struct bs_query_place {
	size_t text;         /* which of the texts */
	uint64_t line;       /* 1, 2, ...: of that text */
	uint64_t column;     /* 1, 2, ...: bytes of that line, without a byte order mark */
	size_t start_byte;   /* of that text */
	size_t stop_byte;
	uint64_t element;    /* which word of the query; equal at places of the same one */
	uint64_t reserved[1];
};

/* Borrowed until the query is asked again. */
struct bs_query_result {
	bool is_match;
	const struct bs_query_place *places; /* of a match, in the order of the texts; two may overlap */
	size_t n_places;
	uint32_t length;     /* of the texts in words, as scores count it */
	uint64_t reserved[4];
};

/*
 * Asks about a document: its texts are the fields of a record, or of a file the one text, with no name (field_bytes 0). Texts
 * are UTF-8; invalid sequences count as U+FFFD. What is made is the same for any division of the work over queries and threads.
 * BS_INVALID (more than BS_MAX_DOCUMENT_BYTES), BS_DEADLINE, BS_STOPPED, BS_NO_MEMORY: the query is fit for the next texts.
 */
BS_API enum bs_status bs_query_match(struct bs_query *query, const struct bs_text *texts, size_t n_texts,
                                     struct bs_query_result *result_out, struct bs_error *err) BS_WARN_UNUSED;

/*
 * Adds those of an index, for the words of a request's query: of its own and of all that its beginnings, patterns and words with
 * typing errors stand for. To rank several indexes as one: gather from each, once, with the request that each is then asked with
 * bs_search_request.statistics; of the hits of all, the best are those of one index of all documents, with the same scores.
 * Equal ones come in the order of the indexes.
 *
 * Of the request, the query, any, sort_field and limits count. Fails as bs_search; BS_INVALID, too, with feedback_docs, like_id or
 * like_text, whose words one index chooses. After a failure the statistics are of no use.
 */
BS_API enum bs_status bs_statistics_gather(struct bs_searcher *searcher, const struct bs_search_request *request,
                                           struct bs_statistics *statistics, struct bs_error *err) BS_WARN_UNUSED;

/*
 * The score that bs_search gives a document of these texts by such statistics; 0 if it does not match, or if no word of the query
 * scores. BS_INVALID (as bs_query_match; a word of the query, by itself or in a phrase, that statistics do not name; or a word
 * that they say is in more documents than there are), BS_DEADLINE, BS_STOPPED, BS_NO_MEMORY. A word that a beginning, a pattern or a word with typing errors
 * stands for, and that they do not name, counts as one that no other document has.
 */
BS_API enum bs_status bs_query_score(struct bs_query *query, const struct bs_text *texts, size_t n_texts,
                                     const struct bs_statistics *statistics, double *score_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

struct bs_query_snippet_request {
	const char *mark_start; /* written before and after each word that matches; NULL: nothing */
	const char *mark_stop;
	uint32_t columns;       /* of a terminal, wanted; marks and "…" do not count. 0: 160 */
	bool favours_after;     /* a third of the context stands before the words, instead of half, and a long word is not cut for it */
	uint64_t reserved[7];
};

/* Borrowed until the query is asked again. */
struct bs_query_snippet {
	const char *text; /* UTF-8, not NUL-ended */
	size_t text_bytes;
	bool is_match;
	uint64_t reserved[5];
};

/*
 * Makes the snippet that a hit of bs_search would have if its document had these texts: one line of about `columns` columns, from the
 * part of the texts where most words of the query are close together. "…" marks an end where the text continues. Texts that do not
 * match give their beginning. White space becomes one space; control characters and invalid UTF-8 become U+FFFD. Fails as
 * bs_query_match; BS_UNSUPPORTED: ICU cannot be loaded.
 */
BS_API enum bs_status bs_query_make_snippet(struct bs_query *query, const struct bs_text *texts, size_t n_texts,
                                            const struct bs_query_snippet_request *request,
                                            struct bs_query_snippet *snippet_out, struct bs_error *err) BS_WARN_UNUSED;

/* The bytes of one text to show. */
struct bs_query_span {
	size_t text; /* which of the texts */
	size_t start_byte;
	size_t stop_byte;
	uint64_t reserved[5];
};

/*
 * For a host that shows text verbatim and counts words. Chooses at most n_words words where most of the places are close together, as
 * bs_query_make_snippet does. Spare words go in equal parts before and after the places. places: from bs_query_match of these texts, or
 * those of one text; with none, the span is the beginning of the first text. White space separates words; in scripts without it, two
 * characters count as one word. A grapheme cluster is never cut. BS_NO_MEMORY.
 */
BS_API enum bs_status bs_query_choose_span(const struct bs_text *texts, size_t n_texts, const struct bs_query_place *places,
                                           size_t n_places, uint32_t n_words, struct bs_query_span *span_out,
                                           struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
