/*
 * search_result.h: what bs_search (bitsift/search.h) returns: hits, changed files, and the cost of
 * the search. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_SEARCH_RESULT_H
#define BITSIFT_SEARCH_RESULT_H

#include "status.h"

BS_BEGIN_DECLS

/* A line of a document that has words of the query; if the line is longer than about 160 columns,
 * only the part with the words. The lines that follow are part of the same passage if they have
 * words of the query that the passage does not have yet. A word of a phrase counts only where the
 * phrase matches, a word of a field only in that field. */
struct bs_passage {
	/* Line number, from 1. For a file: the line of the first word in it. For a record: the line
	 * of the record in its collection. 0: the document could not be read again. */
	uint64_t line;
	/* Column of the first word, from 1, in bytes of UTF-8, even if the file is UTF-16. For a
	 * file: in the line. For a record: in the text of the field. */
	uint64_t column;
	/* Offset of the first word. For a file: in the file. For a record: in the text of the
	 * field. */
	uint64_t start_byte;
	uint64_t stop_byte; /* the end of the last word */
	/* the name of the field of a record, not NUL-ended; empty for files */
	const char *field;
	size_t field_bytes;
	/* the lines joined into one, cut to about 160 columns around the words, like a snippet
	 * without marks; not NUL-ended */
	const char *text;
	size_t text_bytes;
	uint64_t reserved[2];
};

struct bs_hit {
	uint64_t rank; /* BS_SEARCH_TOP: 1, 2, ...; otherwise 0 */
	/* BS_SEARCH_TOP: by BM25. 0 if the document has none of the words that score (a negated
	 * word, a range or a file name can match, too), or if hits are sorted by a field. Other
	 * modes: 0. */
	double score;
	const char *id; /* any bytes, not NUL-ended */
	size_t id_bytes;
	/* the id as `bitsift query --ids` prints it: the path of a file, the id of a record */
	const char *local_id;
	size_t local_id_bytes;
	/* The file that has the text, or "-" if the text is in the index. The path can be opened
	 * from the working directory. It is relative to the working directory if the file is below
	 * the working directory, or if both are in the folder that holds the index. */
	const char *path;
	/* If requested: some text around the words found, in valid UTF-8, not NUL-ended, without
	 * control characters except the marks. For a record it is one line, for a file lines
	 * separated by line feeds. Empty if not requested, or if the text cannot be read; NULL: the
	 * text no longer exists. */
	const char *snippet;
	size_t snippet_bytes;
	/* the source has changed: snippet and passages are from the current text, which differs
	 * from the indexed text */
	bool is_changed;
	/* with output.candidates: the document may match, but is not certain to */
	bool is_candidate;
	uint64_t document; /* number of the document, unique in this open index */
	/* if requested: all passages, in the order of the text */
	const struct bs_passage *passages;
	size_t n_passages;
	/* if requested: the passage in the snippet that has the most distinct words of the query;
	 * if there is none, the beginning of the text */
	struct bs_passage best;
	/* With output.sort_field: the value that the hit is sorted by, NUL-ended: a number as in
	 * JSON, or a date such as 2024-05-17T08:30:59Z. NULL: the document has no value. */
	const char *value;
	bool is_date; /* value is a date */
	uint64_t reserved[6];
};

/* One to some thousands of hits, as arrays of n elements. */
struct bs_hit_batch {
	size_t n;
	const char *ids; /* all ids, one after the other, any bytes */
	/* id i ends at offset id_ends[i] of ids, where id i + 1 begins; id 0 begins at 0 */
	const size_t *id_ends;
	const uint64_t *documents;
	const bool *are_candidates; /* like bs_hit.is_candidate */
	uint64_t reserved[4];
};

/* The largest number of notices about single documents that cannot be read: in the life of a
 * searcher, or for each reason when an index is opened. With `verbose` there is no limit. */
#define BS_MAX_UNREADABLE_NOTICES 3u

/* Files that searches found to have changed, or to be gone, since they were indexed. Each file
 * counts once in the life of a searcher. */
struct bs_changes {
	uint64_t n_changed, n_gone;
	/* path of the first of these files, printable, cut if it is long; empty: no such file */
	char example[256];
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

/* The cost of scanning columns. */
struct bs_scan_stats {
	uint64_t lines_read; /* column lines of 64 bytes */
	/* lines counted in lines_read that are of document columns or exact columns */
	uint64_t document_lines;
	uint64_t asked;       /* look-ups in documents' rare-term lists */
	uint64_t blocks_live; /* blocks of 512 documents with a candidate */
	uint64_t candidates;  /* documents that passed the scan and are not deleted */
	uint64_t reserved[4];
};

/* The cost of finding the best hits by score bounds; zero if every match was scored. */
struct bs_rank_stats {
	/* blocks of shards that were skipped, because none of their documents could be among the
	 * best */
	uint64_t blocks_skipped;
	/* Blocks whose documents were weighed, 512 at a time: the weights of the words that a
	 * document has are added to an upper bound of its score. */
	uint64_t blocks_weighed;
	/* blocks that were weighed and then dropped, because the weights showed that none of their
	 * documents is among the best */
	uint64_t blocks_dropped;
	/* documents whose scores, or score bounds, were computed from the index */
	uint64_t scored;
	/* the number of bits in which a document's sum of weights is computed; 0: nothing was
	 * weighed */
	uint32_t planes;
	/* the lowest score of the best hits; 0: there are fewer hits than requested */
	double threshold;
	uint64_t reserved[4];
};

/* The cost of reading texts. */
struct bs_verify_stats {
	uint64_t verified;        /* documents whose text was read */
	uint64_t false_positives; /* documents of `verified` that do not match */
	/* bytes of the texts that were read. A record that was ruled out without parsing it counts
	 * with the bytes of its line */
	uint64_t bytes;
	uint64_t reserved[4];
};

struct bs_query_stats {
	uint64_t stage_ns[BS_STAGES]; /* time of each stage, without the callbacks for hits */
	uint64_t total_ns;            /* the sum of stage_ns */
	struct bs_scan_stats scan;
	struct bs_rank_stats rank;
	struct bs_verify_stats verify;
	uint64_t hits;
	uint64_t reserved[4];
};

struct bs_search_result {
	uint64_t n_hits; /* matching documents. Exact, unless is_at_least or is_partial */
	/* n_hits is a lower bound, because is_partial is set, or because (BS_SEARCH_TOP) the best
	 * hits were found without counting all matches */
	bool is_at_least;
	/* a limit ended the search (bs_limits.partial): there may be more hits, and better ones */
	bool is_partial;
	/* with output.candidates: hits that may match, but are not certain to */
	uint64_t n_candidates;
	/* Documents that may match, but cannot be read; if the index was opened fresh, also sources
	 * that are not followed. If not 0, n_hits is a lower bound. */
	uint64_t n_unreadable;
	struct bs_changes changes;
	/* BS_INVALID: the offset of the error in the query, 0 to text_bytes; SIZE_MAX: the error is
	 * not in the query */
	size_t error_byte;
	struct bs_query_stats stats;
	uint64_t reserved[8];
};

BS_END_DECLS
#endif
