/*
 * matrix.h: what an index is made of, to be looked at and measured: its matrix, column by column, and what the filter makes
 * of a query. Part of the public interface of libbitsift; the rules are those of bitsift.h. Nobody needs it to search.
 *
 *      index -> segments -> shards -> levels -> columns
 *
 * A shard is a matrix of bits: a row a document, up to 262,144 of them. Each term sets a few columns of each level, by its
 * hash; how many, its treatment says, by the number of documents that it is in. A column of the level of documents has a bit
 * a row; one of a coarser level a bit for several rows in a row, which is set if one of theirs would be. An exact column is of one term,
 * and true. Documents that are far longer than the others, and segments of few documents, have shards of lists instead: of them there are exact
 * columns only, and of other terms a list a document. core/FORMAT.md has all of it byte by byte; ARCHITECTURE.md is shorter.
 *
 * Columns are borrowed: 64-bit words in the machine's order, mapped from the index, whose checksums have been verified; they stay
 * what they are until the index is closed. Bit i % 64 of word i / 64 is lane i; lanes stand for `lane_rows` rows each, and
 * those from n_lanes on are 0. Numbers of segments, shards, levels, columns, rows, treatments and terms count from 0; BS_INVALID: there is no such
 * thing. Any thread, but what has a searcher.
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
	BS_MATRIX_DOCUMENT = 0, /* a bit a row */
	BS_MATRIX_GROUP,        /* a bit for 8 rows */
	BS_MATRIX_BLOCK,        /* a bit for 512 rows; for fewer in a shard of less than 131,073 rows */
	BS_MATRIX_EXACT,        /* a bit a row, of one term: no hashing */
	BS_MATRIX_LEVELS
};

/* The segments of an index as opened: documents >> 32 of struct bs_hit, and one more. Documents that a fresh index found
 * in the sources are in none of them. */
BS_API uint32_t bs_matrix_n_segments(const struct bs_index *index);

struct bs_matrix_segment {
	uint64_t n_docs; /* deleted ones too */
	uint64_t n_deleted;
	uint64_t n_terms;     /* distinct words, bigrams and pairs of words */
	uint64_t n_postings;  /* (document, distinct term) pairs */
	uint64_t n_positions; /* sum of the documents' lengths */
	uint32_t n_shards;     /* 0: a segment of rows, which has no words */
	uint32_t n_treatments;
	double density; /* the share of set bits that hashed columns were made to have */
	uint64_t reserved[4];
};
BS_API enum bs_status bs_matrix_segment_at(const struct bs_index *index, uint32_t segment,
                                           struct bs_matrix_segment *segment_out, struct bs_error *err) BS_WARN_UNUSED;

/* What a term has that is in at least min_df documents of the segment, and in fewer than the next treatment says. */
struct bs_matrix_term_treatment {
	uint64_t min_df;
	/* Hashed ones of each level; where a shard has no columns of a level, so many more of documents. Of BS_MATRIX_EXACT 0: that
	 * is chosen shard by shard, and then there are no others. */
	uint32_t n_columns[BS_MATRIX_LEVELS];
	bool has_false_positives; /* the rows that its columns let through wrongly are listed; else documents list their rare terms */
	uint64_t reserved[2];
};
BS_API enum bs_status bs_matrix_term_treatment_at(const struct bs_index *index, uint32_t segment, uint32_t treatment,
                                             struct bs_matrix_term_treatment *treatment_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* The columns of a level of a shard; all of one shape. */
struct bs_matrix_columns {
	uint32_t n_columns;    /* 0: the shard has no such level */
	uint32_t column_words; /* 64-bit words of a column */
	uint32_t n_lanes;      /* bits of a column that stand for rows */
	uint32_t
		lane_rows; /* rows of a lane: lane i stands for rows i * lane_rows and so on, as far as there are any */
	uint64_t n_set;    /* set bits of all of them; density: n_set / (n_columns * n_lanes) */
	uint64_t reserved[2];
};

struct bs_matrix_shard {
	uint32_t n_rows;
	bool is_lists; /* of lists: of its columns there are only those of BS_MATRIX_EXACT */
	struct bs_matrix_columns levels[BS_MATRIX_LEVELS]; /* by enum bs_matrix_level */
	uint64_t reserved[4];
};
BS_API enum bs_status bs_matrix_shard_at(const struct bs_index *index, uint32_t segment, uint32_t shard,
                                        struct bs_matrix_shard *shard_out, struct bs_error *err) BS_WARN_UNUSED;

/* Columns [first, first + n) of a level, one after the other, column_words words each: n * column_words words at *words_out, aligned
 * to 8 bytes, borrowed until the index is closed. n may be 0. BS_INVALID: there are not so many; BS_CORRUPT. */
BS_API enum bs_status bs_matrix_words(const struct bs_index *index, uint32_t segment, uint32_t shard,
                                      enum bs_matrix_level level, uint32_t first, uint32_t n,
                                      const uint64_t **words_out, struct bs_error *err) BS_WARN_UNUSED;
/* Set bits of each of these columns, by counting them: n numbers. */
BS_API enum bs_status bs_matrix_popcounts(const struct bs_index *index, uint32_t segment, uint32_t shard,
                                          enum bs_matrix_level level, uint32_t first, uint32_t n, uint32_t *counts_out,
                                          struct bs_error *err) BS_WARN_UNUSED;

/* Which document each row of a shard is: n_rows numbers as that of struct bs_hit. */
BS_API enum bs_status bs_matrix_documents(const struct bs_index *index, uint32_t segment, uint32_t shard,
                                          uint64_t *documents_out, struct bs_error *err) BS_WARN_UNUSED;
/* Whether a document of a segment is deleted; true for what is none. */
BS_API bool bs_matrix_is_deleted(const struct bs_index *index, uint64_t document);
/* id, local_id and path of a document, by its number; the rest of the hit is zero. Borrowed from the searcher until its next use.
 * BS_INVALID, BS_CORRUPT, BS_NO_MEMORY. */
BS_API enum bs_status bs_matrix_name(struct bs_searcher *searcher, uint64_t document, struct bs_hit *hit_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* A term of a segment: a word as it is indexed, folded and perhaps stemmed (any other sort has a byte 0xff in it). */
struct bs_matrix_term {
	const char *term; /* not NUL-ended */
	size_t term_bytes;
	uint64_t ordinal; /* its place among the terms of the segment, by their bytes */
	uint64_t df;      /* documents of the segment that have it, deleted ones too */
	uint32_t treatment;
	uint64_t reserved[2];
};
/* The term of these bytes; term_out->term is the one given. BS_NOT_FOUND: the segment has none such. BS_CORRUPT. */
BS_API enum bs_status bs_matrix_find_term(const struct bs_index *index, uint32_t segment, const char *term,
                                          size_t term_bytes, struct bs_matrix_term *term_out,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* take is called for each term from the first on that is not less than `from`, in order of bytes; it returns 0 to go on, and anything else is
 * BS_STOPPED. BS_CORRUPT, BS_NO_MEMORY. */
BS_API enum bs_status bs_matrix_terms(const struct bs_index *index, uint32_t segment, const char *from,
                                      size_t from_bytes, int (*take)(void *context, const struct bs_matrix_term *term),
                                      void *context, struct bs_error *err) BS_WARN_UNUSED;

/* The columns that a term has in a shard: of each level the first n_columns, in the order of their hashing, in which some may come
 * twice. One exact column, and no others; or hashed ones; or in a shard of lists none. A document that has the term has its bit in each. */
#define BS_MATRIX_TERM_COLUMNS 48
struct bs_matrix_term_columns {
	uint32_t n_columns[BS_MATRIX_LEVELS];
	uint32_t columns[BS_MATRIX_LEVELS][BS_MATRIX_TERM_COLUMNS];
	uint64_t reserved[2];
};
/* BS_NOT_FOUND: the segment has no such term. BS_CORRUPT. */
BS_API enum bs_status bs_matrix_find_columns(const struct bs_index *index, uint32_t segment, uint32_t shard,
                                             const char *term, size_t term_bytes,
                                             struct bs_matrix_term_columns *columns_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* What the filter leaves of a shard before any text is read. */
struct bs_matrix_candidates {
	uint32_t segment, shard;
	uint32_t n_rows;
	size_t n_words;        /* n_rows bits, as those of a column */
	const uint64_t *words; /* row i: bit i % 64 of word i / 64 */
	uint64_t n_set;
	uint64_t n_sure; /* of them, those that match for sure, unless their sources have changed */
	uint64_t reserved[2];
};

/*
 * The candidates of a query, shard by shard: the documents that pass the columns, false positives and lists, that are not deleted and
 * that the request's filters (globs, places ...) let through. All that match are among them; where the query is of words alone, no others.
 * take is called for every shard of words, with what is borrowed until it returns; it returns 0 to go on. Of the request, all counts that says which
 * documents match, and limits; no hit is verified or shown. *error_byte_out (nullable) as in struct bs_search_result.
 *
 * As bs_search; BS_UNSUPPORTED: the words of the index were cut by other rules than those of the query (is_other_unicode).
 */
BS_API enum bs_status bs_matrix_query(struct bs_searcher *searcher, const struct bs_search_request *request,
                                    int (*take)(void *context, const struct bs_matrix_candidates *candidates),
                                    void *context, size_t *error_byte_out, struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
