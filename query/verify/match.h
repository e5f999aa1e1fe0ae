/*
 * match.h: the verifier: decides whether a text matches a query, exactly, by analysing the text. It
 * reads no columns.
 */
#pragma once

#include "core/base/vector.h"
#include "core/text/tokenizer.h"
#include "corpus/walk/document.h"
#include "query/language/query_tree.h"
#include "query/plan/file_names.h"

/* An occurrence of a word of the query in a text. */
struct bs_word_hit {
	uint32_t field; /* The index of the field among those of the document. */
	/* The index of the element among those of the query. */
	uint32_t element;
	uint64_t start_byte; /* The offset of the occurrence in the field's text. */
	uint64_t end_byte;   /* The offset of its end. */
	/* The members below are for the matcher only. position: in the document. nth: the index
	 * among the terms of the script run, if the word is in one. */
	uint32_t position, nth;
	bool is_kept; /* The hit is part of a match of a leaf. */
};

BS_VECTOR(bs_word_hits, struct bs_word_hit);

/* The verdict on a node or a document. */
enum bs_verdict {
	BS_VERDICT_NO,  /* Does not match. */
	BS_VERDICT_YES, /* Matches. */
	/* Undecided. Only from the byte verifier; then the whole document must be analysed. */
	BS_VERDICT_UNKNOWN,
};

/* Computes the verdict on node n from the verdicts on its leaves. An AND stops at its first NO, an
 * OR at its first YES. children: the query's own array, or a copy in which the children of each
 * node are in another order. Recurses as deep as the tree. */
enum bs_verdict bs_match_tree(const struct bs_query_tree *query, const uint32_t *children,
                              uint32_t n, enum bs_verdict (*ask_leaf)(void *context, uint32_t n),
                              void *context);

/* Whether a leaf of the query applies to a field of a document. */
bool bs_match_field(const struct bs_query_tree *query, const struct bs_query_node *leaf,
                    const struct bs_field *field);

/* Whether a document has its own field `name`, which replaces the name of its file. */
bool bs_match_has_own_name(const struct bs_field *fields, size_t n_fields);

/* A query prepared for matching many documents. Used by one thread. */
struct bs_matcher;

/* Creates a matcher for a query. query and tokenizer are borrowed. tokenizer must be the analyzer
 * of the index. BS_NO_MEMORY. */
enum bs_status bs_matcher_new(const struct bs_query_tree *query, struct bs_tokenizer *tokenizer,
                              struct bs_matcher **matcher_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_matcher_free(struct bs_matcher *matcher);

/* Sets the evaluator of `name:` leaves, which is borrowed. If the query has such leaves, call this
 * before the first document. */
void bs_matcher_ask_names(struct bs_matcher *matcher, struct bs_file_names *names);

/* Sets the weights of fields (core/store/field_weights.h), which are borrowed. By default, all
 * weights are 1. */
void bs_matcher_weigh_fields(struct bs_matcher *matcher, char *const *weights);

/* A distinct word of a document that matches an element of the query: a plain word, a prefix, a
 * pattern or a fuzzy word. */
struct bs_match_word {
	const uint8_t *term;
	uint32_t term_bytes;
	/* The number of occurrences in the document, multiplied by the weights of their fields; >=
	 * 1. */
	uint32_t tf;
	double weight; /* The sum of the weights of all elements that the word matches. */
	/* A place where the caller may store the word's idf. Kept from document to document;
	 * initially negative. */
	double *idf;
};

/* The result for one document, valid until the next call. */
struct bs_match {
	bool matches;
	uint32_t length; /* The document's length in positions: BM25's dl. */
	/* If the document matches: its words that score. Their order depends only on the document
	 * and the query, so that sums of floating-point numbers are reproducible. */
	const struct bs_match_word *words;
	size_t n_words;
};

/* Decides whether a document matches, by its fields. ref: the document, needed only for its file
 * name. BS_NO_MEMORY, or the failures of the analyzer and of names->has. */
enum bs_status bs_match_document(struct bs_matcher *matcher, struct bs_doc_ref ref,
                                 const struct bs_field *doc_fields, size_t n_doc_fields,
                                 struct bs_match *match_out, struct bs_error *err) BS_WARN_UNUSED;

/* Like bs_match_document, but sets `hits` instead of words: the occurrences of words that are not
 * negated, in text order, for display. Words of a phrase or NEAR are included only where it occurs
 * (everywhere if a phrase needs too many lookups), words for a field only in that field. of_match:
 * a document that does not match gets no hits. */
enum bs_status bs_match_hits(struct bs_matcher *matcher, struct bs_doc_ref ref,
                             const struct bs_field *doc_fields, size_t n_doc_fields, bool of_match,
                             struct bs_match *match_out, struct bs_word_hits *hits,
                             struct bs_error *err) BS_WARN_UNUSED;
