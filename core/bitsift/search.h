/*
 * search.h: searching an opened index for words. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_SEARCH_H
#define BITSIFT_SEARCH_H

#include "index.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All that is written while searching. One thread at a time may use it; it may pass from one to another. It keeps its
 * memory for the next search, and what it learnt of sources that changed since they were indexed: where those go on
 * changing, make a new one now and then. A collection that only grew is read once for all finders of an index, each time
 * that it has grown. */
struct bs_finder;

/* *finder_out is the caller's, for bs_finder_free; NULL on failure: BS_NO_MEMORY, BS_UNSUPPORTED (ICU has no data for
 * it), BS_CORRUPT, BS_IO. The index must stay open for longer. */
BS_API enum bs_status bs_finder_new(const struct bs_index *index, struct bs_finder **finder_out, struct bs_error *err)
	BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_finder_free(struct bs_finder *finder);

#define BS_QUERY_MAX_BYTES      (1u << 20) /* longest query text */

enum bs_find_mode {
	BS_FIND_TOP = 0, /* the best n_best hits by BM25, best first, equal ones in document order */
	BS_FIND_IDS,     /* every hit, in document order, not scored */
	BS_FIND_COUNT,   /* only how many: the hit callback is not called */
};

/*
 * A line of a document in which words of the query stand, or as much of it as has them within 160 columns; and of the next
 * lines, what has other words of the query. Words of a phrase count where the phrase stands, those for a field in that field.
 */
struct bs_passage {
	uint64_t line;   /* 1, 2, ...: of a file, where the first of the words stands; of a record, its line in the collection; 0:
	                  * the document could not be read again */
	uint64_t column; /* 1, 2, ...: in that line; of a record, in the text of the field. In UTF-8, of files in UTF-16 too */
	uint64_t start_byte; /* from the first of the words, */
	uint64_t stop_byte;  /* to the end of the last one: of the file; of a record, of the text of the field */
	const char *field;   /* of a record: its name; of a file of no bytes. Not NUL-ended, as text below */
	size_t field_bytes;
	const char *text;    /* the lines that the words stand in as one, of about 160 columns around them; as a snippet, without marks */
	size_t text_bytes;
	uint64_t reserved[2];
};

struct bs_find_hit {
	uint64_t rank;       /* BS_FIND_TOP: 1, 2, ...; else 0 */
	double score;        /* BS_FIND_TOP: > 0, or 0 if the query has no positive word, or hits are sorted; else 0 */
	const char *id;      /* any bytes, not NUL-ended */
	size_t id_bytes;
	const char *local_id; /* the id as `bitsift query --ids` prints it: of a file, its path; of a record, its id */
	size_t local_id_bytes;
	const char *path;    /* the file its text stands in, openable from the working directory, and relative to that if it lies
	                      * below, or both lie in the folder of the index; "-": in the index */
	const char *snippet; /* valid UTF-8, not NUL-ended, without control characters but the marks; of a record one line, of
	                      * a file lines with a line feed between; of no bytes unless asked for; NULL: the text is gone */
	size_t snippet_bytes;
	bool is_changed;     /* the text that snippet and passages are from is not what was indexed */
	bool is_candidate;   /* with candidates: it only may match */
	uint64_t document;   /* a number that no other document of this opened index has */
	const struct bs_passage *passages; /* if asked for: all, in the order of the text */
	size_t n_passages;
	struct bs_passage best; /* if asked for: one that the snippet shows, with most distinct words; or the beginning */
	const char *value;   /* with sort_field: the value that counts, a number as JSON has it or a date as 2024-05-17T08:30:59Z,
	                      * NUL-ended; NULL: it has none */
	bool is_date;        /* it is one */
	uint64_t reserved[6];
};

struct bs_statistics;
struct bs_hit_batch; /* bitsift/candidates.h */

struct bs_find_request {
	/* In the query language of bitsift-query(1), at most BS_QUERY_MAX_BYTES. Any bytes: what is not UTF-8 counts as
	 * U+FFFD. */
	const char *query;
	size_t query_bytes;
	enum bs_find_mode mode;
	size_t n_best;   /* BS_FIND_TOP: how many; 0: 10 */
	size_t offset;   /* BS_FIND_TOP, BS_FIND_IDS: so many hits before them are passed over: page after page, each hit comes once */
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
	 * bs_find returns. BS_INVALID: they do not name a word of the query that scores; or with feedback_docs, like_id or
	 * like_text. NULL: by this index. */
	const struct bs_statistics *statistics;
	bool approx;     /* BS_FIND_TOP: verify only the candidates that look best; a notice says how many */
	bool brute;      /* read every document instead of using the index: the same answer, for comparison */
	/* BS_FIND_IDS, BS_FIND_COUNT: no text is read and no file looked at. Hits are all documents that the index does not rule out; of
	 * each it says whether it only may match. What is certain, is so of the texts that were indexed. BS_INVALID with what reads texts: brute,
	 * feedback_docs, like_id, like_text. */
	bool candidates;
	bool no_stat;    /* take the index at its word: no file is looked at unless its text is needed. What is read counts as it is */
	bool exhaustive; /* BS_FIND_TOP: score every match, where bounds leave most unseen: n_hits is exact. BS_FIND_COUNT: by the columns,
	                  * where the lexicon knows the number */
	bool verbose;    /* notice is called for every file that changed or cannot be read; result.changes counts them */
	bool suggest;    /* nothing matches: notice is called for words that are not in the index, with one much like it */
	bool snippets;   /* BS_FIND_TOP: with some text around the words found: of a file whole lines, where they are short enough */
	bool passages;   /* BS_FIND_TOP: with the places where words of the query stand */
	uint32_t n_threads; /* that read texts, where many must be read; 0: one a processor; 1: the caller's; more than 64 count as 64. The
	                     * others live for as long as they read. Callbacks are on the caller's; nothing else depends on it */
	/* BS_FIND_TOP: not the best by score, but the first in the order of the numbers and dates in this field of records, numbers
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
	 * NULL, unless mode is BS_FIND_COUNT. */
	int (*hit)(void *context, const struct bs_find_hit *hit);
	/* BS_FIND_IDS: called instead of hit, with many at once, which takes a fraction of the time. NULL: hit is. */
	int (*batch)(void *context, const struct bs_hit_batch *batch);
	/* Called with one printable line for what the user should know: a document that cannot be read (the first
	 * BS_FIND_TOLD_UNREADABLE in the life of a finder); with verbose, every document that cannot be read, and every file
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

enum bs_stage {
	BS_STAGE_PARSE,
	BS_STAGE_PLAN,
	BS_STAGE_SCAN,
	BS_STAGE_RANK,
	BS_STAGE_VERIFY,
	BS_STAGES,
};

/* What a search cost: the whole funnel from lines read to hits. */
struct bs_query_stats {
	uint64_t stage_ns[BS_STAGES]; /* without the callbacks for hits */
	uint64_t total_ns;            /* their sum */
	uint64_t lines_read;      /* lines of 64 bytes read from the columns of the index */
	uint64_t document_lines;  /* those of document and exact columns among them */
	uint64_t asked;           /* rows whose lists of rare terms were looked into */
	uint64_t blocks_live;     /* blocks of 512 documents with a candidate */
	uint64_t candidates;      /* documents that passed the filter and are not deleted */
	uint64_t blocks_skipped;  /* ranking: passed over with their slab: nothing there could be among the best */
	uint64_t blocks_weighed;  /* ranking: live blocks whose documents were weighed, 512 at a time */
	uint64_t blocks_dropped;  /* those of them that hold none of the best, by their weights */
	uint64_t scored;          /* documents whose scores, or bounds of them, were worked out from the index */
	uint32_t planes;          /* ranking: bits of a sum of weights; 0: nothing was weighed */
	double threshold;         /* ranking: the score of the last of the best; 0: there are fewer than wanted */
	uint64_t verified;        /* documents whose text was read */
	uint64_t hits;
	uint64_t false_positives; /* verified, and no hit */
	uint64_t bytes_verified;  /* of their texts; of a record that fails unparsed, of its line */
	uint64_t reserved[8];
};

struct bs_find_result {
	uint64_t n_hits;       /* exactly, of matching documents; BS_FIND_TOP: of those found on the way to the best,
	                        * at least as many as were shown: most need not be looked at */
	bool is_at_least;      /* BS_FIND_TOP: there may be more than n_hits */
	bool is_partial;       /* a limit ended it (partial): there may be more hits, and better ones; n_hits is a lower bound */
	uint64_t n_candidates; /* with candidates: of n_hits, those that only may match */
	uint64_t n_unreadable; /* documents that might match but could not be read: n_hits is then a lower bound */
	struct bs_changes changes;
	size_t error_byte;     /* BS_INVALID: where in the query the error stands, 0..query_bytes; SIZE_MAX: nowhere */
	struct bs_query_stats stats;
	uint64_t reserved[8];
};

/*
 * Runs one query: the hits are exactly the documents that match, as they are now if their sources have changed. They
 * are those of the index's commit; a document that is not in it is not found, unless the index was opened fresh.
 *
 * BS_INVALID (the query does not parse or is empty: err says why, result_out->error_byte where; or no callback for
 * hits, a bad glob, an unknown type, a date that is none, a field to sort by that has no numbers or dates), BS_NOT_FOUND
 * (nothing of a place is in the index, no document has like_id, no such field), BS_STOPPED, BS_DEADLINE, BS_CORRUPT, BS_UNSUPPORTED, BS_IO, BS_NO_MEMORY.
 * The finder is fit for the next search after any
 * of them. Hits that were handed out before a failure are hits. result_out may be NULL.
 */
BS_API enum bs_status bs_find(struct bs_finder *finder, const struct bs_find_request *request,
                              struct bs_find_result *result_out, struct bs_error *err) BS_WARN_UNUSED;

/*
 * The texts of the document that bears this id, as they are now: of a file one, of a field without name; of a record or a given
 * document the fields that are indexed, dots between names. The id is one of a given document, or else as those of
 * bs_delete_request: for the first of these the finder passes by all documents, and keeps some nine bytes of each, by which it
 * looks up the others; of several that have it this is the first. *is_changed_out (nullable): it is not what was indexed.
 * *texts_out is borrowed until the finder is used next. BS_NOT_FOUND: no document has that id, or its source is gone; BS_IO: it
 * cannot be read, or may not be; BS_CORRUPT, BS_NO_MEMORY; within a callback of a call with limits, BS_DEADLINE, BS_STOPPED.
 */
BS_API enum bs_status bs_document(struct bs_finder *finder, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                                  size_t *n_texts_out, bool *is_changed_out, struct bs_error *err) BS_WARN_UNUSED;
/* The same of a document by its number (struct bs_find_hit), which takes no look for it. */
BS_API enum bs_status bs_document_numbered(struct bs_finder *finder, uint64_t document, const struct bs_text **texts_out,
                                           size_t *n_texts_out, bool *is_changed_out, struct bs_error *err) BS_WARN_UNUSED;

/* For people: the query and, on a line of its own, a caret under the character at error_byte (or one past the end),
 * without a final line feed. Control characters and what is not UTF-8 are shown as U+FFFD; a long query is cut around
 * the caret. *text_out is for free(). BS_INVALID (error_byte > query_bytes), BS_NO_MEMORY: it is NULL. */
BS_API enum bs_status bs_query_caret(const char *query, size_t query_bytes, size_t error_byte, char **text_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

#ifdef __cplusplus
}
#endif
#endif
