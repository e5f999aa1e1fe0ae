/*
 * search_result.h: what bs_search (bitsift/search.h) returns: hits, files that have changed, and what the search cost. Part of
 * the public interface; see bitsift.h.
 */
#ifndef BITSIFT_FIND_RESULT_H
#define BITSIFT_FIND_RESULT_H

#include "status.h"

BS_BEGIN_DECLS

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

struct bs_hit {
	uint64_t rank;       /* BS_SEARCH_TOP: 1, 2, ...; else 0 */
	double score;        /* BS_SEARCH_TOP: > 0, or 0 if the query has no positive word, or hits are sorted; else 0 */
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

/* Hits, in arrays of n each, for one call instead of n: from 1 to some thousands. */
struct bs_hit_batch {
	size_t n;
	const char *ids;          /* as those of struct bs_hit, one after the other, any bytes */
	const size_t *id_ends;    /* where the i-th of them ends; it begins where the one before ends, the first at 0 */
	const uint64_t *documents;
	const bool *are_candidates; /* as is_candidate of struct bs_hit */
	uint64_t reserved[4];
};

/* Documents that cannot be read are named one by one up to this number, in the life of a searcher or while an index is opened. */
#define BS_MAX_UNREADABLE_NOTICES 3u

/* Files that a search met and that are not what was indexed, each counted once in the life of a searcher. */
struct bs_changes {
	uint64_t n_changed, n_gone;
	char example[256]; /* the path of the first, printable, cut if it is long; empty: there is none */
	uint64_t reserved[4];
};

/* The stages of a search, in their order. */
enum bs_stage {
	BS_STAGE_PARSE,
	BS_STAGE_PLAN,
	BS_STAGE_SCAN,
	BS_STAGE_RANK,
	BS_STAGE_VERIFY,
	BS_STAGES,
};

/* The cost of the scan of columns. */
struct bs_scan_stats {
	uint64_t lines_read;     /* lines of 64 bytes read from the columns of the index */
	uint64_t document_lines; /* those of document and exact columns among them */
	uint64_t asked;          /* rows whose lists of rare terms were read */
	uint64_t blocks_live;    /* blocks of 512 documents with a candidate */
	uint64_t candidates;     /* documents that passed the scan and are not deleted */
	uint64_t reserved[4];
};

/* The cost of finding the best by bounds; zeros if every match was scored. */
struct bs_rank_stats {
	uint64_t blocks_skipped; /* left out with their shard: no document there could be among the best */
	uint64_t blocks_weighed; /* live blocks whose documents were weighed, 512 at a time */
	uint64_t blocks_dropped; /* those of them that have none of the best, by their weights */
	uint64_t scored;         /* documents whose scores, or bounds of them, were computed from the index */
	uint32_t planes;         /* bits of a sum of weights; 0: nothing was weighed */
	double threshold;        /* the score of the last of the best; 0: there are fewer than wanted */
	uint64_t reserved[4];
};

/* The cost of reading texts. */
struct bs_verify_stats {
	uint64_t verified;        /* documents whose text was read */
	uint64_t false_positives; /* those of them that are no hits */
	uint64_t bytes;           /* of their texts; of a record that fails unparsed, of its line */
	uint64_t reserved[4];
};

/* The cost of a search. */
struct bs_query_stats {
	uint64_t stage_ns[BS_STAGES]; /* without the callbacks for hits */
	uint64_t total_ns;            /* their sum */
	struct bs_scan_stats scan;
	struct bs_rank_stats rank;
	struct bs_verify_stats verify;
	uint64_t hits;
	uint64_t reserved[4];
};

struct bs_search_result {
	uint64_t n_hits;       /* exactly, of matching documents; BS_SEARCH_TOP: of those found on the way to the best,
	                        * at least as many as were shown: most need not be looked at */
	bool is_at_least;      /* BS_SEARCH_TOP: there may be more than n_hits */
	bool is_partial;       /* a limit ended it (partial): there may be more hits, and better ones; n_hits is a lower bound */
	uint64_t n_candidates; /* with candidates: of n_hits, those that only may match */
	uint64_t n_unreadable; /* documents that might match but could not be read: n_hits is then a lower bound */
	struct bs_changes changes;
	size_t error_byte;     /* BS_INVALID: where in the query the error stands, 0..query_bytes; SIZE_MAX: nowhere */
	struct bs_query_stats stats;
	uint64_t reserved[8];
};

BS_END_DECLS
#endif
