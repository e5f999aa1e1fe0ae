/*
 * matrix.h: the matrix of an index, column by column, and the candidates of a query, for study and
 * measurement. Searching does not need it. Part of the public interface; the rules are those of
 * bitsift.h.
 *
 *      index -> segments -> shards -> levels -> columns
 *
 * A shard is a matrix of bits with a row for each of up to 262,144 documents. A document sets its
 * bit in a few columns of each level for each of its terms. The hash of the term chooses these
 * columns; the term treatment, which depends on the document frequency, gives their number. A
 * column of the document level has one bit for each row. A column of a coarser level has one bit
 * for several adjacent rows, which is set if one of these rows sets it. An exact column belongs to
 * a single term and has no false positives. Documents that are far longer than the others, and the
 * documents of small segments, are in shards of lists instead. Such a shard has only exact columns,
 * and for each document a list of its other terms. core/FORMAT.md describes the format;
 * ARCHITECTURE.md gives an overview.
 *
 * Columns are 64-bit words in the machine's byte order, borrowed from the mapped index until the
 * index is closed. Their checksums have been verified. Lane i is bit i % 64 of word i / 64 and
 * represents `lane_rows` rows; lanes from n_lanes on are 0. Numbers of segments, shards, levels,
 * columns, rows, treatments and terms start at 0; BS_INVALID: there is no such number. Functions
 * without a searcher may be called on any thread.
 */
#ifndef BITSIFT_MATRIX_H
#define BITSIFT_MATRIX_H

#include "index.h"

struct bs_search_request;

struct bs_searcher;

struct bs_hit;

BS_BEGIN_DECLS

/* Kinds of columns. */
enum bs_matrix_level {
	BS_MATRIX_DOCUMENT = 0, /* one bit per row */
	BS_MATRIX_GROUP,        /* one bit per 8 rows */
	/* one bit per 512 rows; in shards of less than 131,073 rows, per fewer rows */
	BS_MATRIX_BLOCK,
	BS_MATRIX_EXACT, /* one bit per row, for a single term: no hashing */
	BS_MATRIX_LEVELS
};

/* The number of segments of an open index. The segment of a hit is bs_hit.document >> 32; documents
 * that a fresh index found in the sources are in no segment. */
BS_API uint32_t bs_matrix_n_segments(const struct bs_index *index);

struct bs_matrix_segment {
	uint64_t n_docs; /* including deleted ones */
	uint64_t n_deleted;
	uint64_t n_terms;     /* distinct words, bigrams and pairs of words */
	uint64_t n_postings;  /* (document, distinct term) pairs */
	uint64_t n_positions; /* sum of the documents' lengths */
	uint32_t n_shards;    /* 0: a segment for grep, without words */
	uint32_t n_treatments;
	double density; /* the intended share of set bits in hashed columns */
	uint64_t reserved[4];
};
BS_API enum bs_status bs_matrix_segment_at(const struct bs_index *index, uint32_t segment,
                                           struct bs_matrix_segment *segment_out,
                                           struct bs_error *err) BS_WARN_UNUSED;

/* How a shard indexes the terms whose df in the segment is at least min_df and less than min_df of
 * the next treatment. */
struct bs_matrix_term_treatment {
	uint64_t min_df;
	/* The number of hashed columns of each level. If a shard lacks a level, the columns of this
	 * level are added to those of the document level. The number for BS_MATRIX_EXACT is 0: each
	 * shard chooses the terms that get an exact column, and these terms have no other columns
	 * in the shard. */
	uint32_t n_columns[BS_MATRIX_LEVELS];
	/* True: the false positives of each term's columns are listed. False: the terms are rare
	 * terms, and the rare-term lists of the documents say which documents have them. */
	bool has_false_positives;
	uint64_t reserved[2];
};
BS_API enum bs_status bs_matrix_term_treatment_at(const struct bs_index *index, uint32_t segment,
                                                  uint32_t treatment,
                                                  struct bs_matrix_term_treatment *treatment_out,
                                                  struct bs_error *err) BS_WARN_UNUSED;

/* The columns of one level of a shard, which all have the same shape. */
struct bs_matrix_columns {
	uint32_t n_columns;    /* 0: the shard has no such level */
	uint32_t column_words; /* 64-bit words of a column */
	uint32_t n_lanes;      /* bits of a column that represent rows */
	uint32_t lane_rows;    /* rows per lane; lane i represents the rows from i * lane_rows on */
	uint64_t n_set;        /* set bits of all columns; density: n_set / (n_columns * n_lanes) */
	uint64_t reserved[2];
};

struct bs_matrix_shard {
	uint32_t n_rows;
	/* instead of hashed columns, each document has a list of its terms (a forward index); the
	 * only columns are those of BS_MATRIX_EXACT */
	bool is_lists;
	struct bs_matrix_columns levels[BS_MATRIX_LEVELS]; /* by enum bs_matrix_level */
	uint64_t reserved[4];
};
BS_API enum bs_status bs_matrix_shard_at(const struct bs_index *index, uint32_t segment,
                                         uint32_t shard, struct bs_matrix_shard *shard_out,
                                         struct bs_error *err) BS_WARN_UNUSED;

/* Columns [first, first + n) of a level, one after the other, column_words words each: n *
 * column_words words at *words_out, aligned to 8 bytes, borrowed until the index is closed. n may
 * be 0. BS_INVALID: there are fewer columns; BS_CORRUPT. */
BS_API enum bs_status bs_matrix_words(const struct bs_index *index, uint32_t segment,
                                      uint32_t shard, enum bs_matrix_level level, uint32_t first,
                                      uint32_t n, const uint64_t **words_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Counts the set bits of each of the columns [first, first + n), and writes n numbers to
 * counts_out. */
BS_API enum bs_status bs_matrix_popcounts(const struct bs_index *index, uint32_t segment,
                                          uint32_t shard, enum bs_matrix_level level,
                                          uint32_t first, uint32_t n, uint32_t *counts_out,
                                          struct bs_error *err) BS_WARN_UNUSED;

/* Writes the document of each row of a shard to documents_out: n_rows numbers, like
 * bs_hit.document. */
BS_API enum bs_status bs_matrix_documents(const struct bs_index *index, uint32_t segment,
                                          uint32_t shard, uint64_t *documents_out,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* True if the document is deleted or does not exist. */
BS_API bool bs_matrix_is_deleted(const struct bs_index *index, uint64_t document);
/* Fills in id, local_id and path of a document by its number; other fields are zero. Borrowed from
 * the searcher until its next use. BS_INVALID, BS_CORRUPT, BS_NO_MEMORY. */
BS_API enum bs_status bs_matrix_name(struct bs_searcher *searcher, uint64_t document,
                                     struct bs_hit *hit_out, struct bs_error *err) BS_WARN_UNUSED;

/* A term of a segment: a word in its indexed form, folded and perhaps stemmed. Terms of other kinds
 * contain a byte 0xff. */
struct bs_matrix_term {
	const char *term; /* not NUL-ended */
	size_t term_bytes;
	uint64_t ordinal; /* its rank among the terms of the segment, in bytewise order */
	uint64_t df;      /* documents of the segment with the term, including deleted ones */
	uint32_t treatment;
	uint64_t reserved[2];
};
/* Looks a term up by its bytes; term_out->term is the argument. BS_NOT_FOUND: the segment lacks it.
 * BS_CORRUPT. */
BS_API enum bs_status bs_matrix_find_term(const struct bs_index *index, uint32_t segment,
                                          const char *term, size_t term_bytes,
                                          struct bs_matrix_term *term_out,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* Calls take for each term from `from` on, in bytewise order. Return 0 to continue; any other value
 * ends the call with BS_STOPPED. BS_CORRUPT, BS_NO_MEMORY. */
BS_API enum bs_status bs_matrix_terms(const struct bs_index *index, uint32_t segment,
                                      const char *from, size_t from_bytes,
                                      int (*take)(void *context, const struct bs_matrix_term *term),
                                      void *context, struct bs_error *err) BS_WARN_UNUSED;

/* The columns of a term in a shard: the first n_columns[level] numbers of columns[level], in the
 * order in which the hash gives them; two may be equal. A term has either one exact column or
 * hashed columns; in a shard of lists it may have none. In each of these columns, the rows of the
 * documents with the term are set. */
#define BS_MATRIX_TERM_COLUMNS 48
struct bs_matrix_term_columns {
	uint32_t n_columns[BS_MATRIX_LEVELS];
	uint32_t columns[BS_MATRIX_LEVELS][BS_MATRIX_TERM_COLUMNS];
	uint64_t reserved[2];
};
/* Finds the columns of a term in a shard. BS_NOT_FOUND: the segment has no such term.
 * BS_CORRUPT. */
BS_API enum bs_status bs_matrix_find_columns(const struct bs_index *index, uint32_t segment,
                                             uint32_t shard, const char *term, size_t term_bytes,
                                             struct bs_matrix_term_columns *columns_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* The candidates in a shard, before any text is read. */
struct bs_matrix_candidates {
	uint32_t segment, shard;
	uint32_t n_rows;
	size_t n_words;        /* n_rows bits, as in a column */
	const uint64_t *words; /* row i: bit i % 64 of word i / 64 */
	uint64_t n_set;
	/* rows of n_set that certainly match, unless their sources have changed */
	uint64_t n_sure;
	uint64_t reserved[2];
};

/*
 * The candidates of a query, shard by shard: the documents that pass columns, false-positive lists
 * and term lists, are not deleted, and pass the request's filter. All matching documents are among
 * them, and no others if the query consists of words only. Calls take for every shard of words. The
 * argument of take is borrowed until take returns; take returns 0 to continue. Uses only the limits
 * of the request and the parts that determine which documents match; no hit is verified or
 * returned. *error_byte_out (nullable) as in struct bs_search_result.
 *
 * Fails as bs_search; also BS_UNSUPPORTED: the index was made by another tokenizer than the query's
 * (is_other_unicode).
 */
BS_API enum bs_status bs_matrix_query(
	struct bs_searcher *searcher, const struct bs_search_request *request,
	int (*take)(void *context, const struct bs_matrix_candidates *candidates), void *context,
	size_t *error_byte_out, struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
