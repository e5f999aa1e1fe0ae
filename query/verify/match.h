/*
 * match.h: the verifier: does this text match this query? Exactly, by analysing it again; no column
 * is looked at.
 */
#pragma once

#include "core/base/vector.h"
#include "core/text/tokenizer.h"
#include "corpus/walk/document.h"
#include "query/language/query_tree.h"
#include "query/plan/file_names.h"

/* A word of the query as it stands in the text. */
struct bs_word_hit {
	uint32_t field; /* index into the fields */
	/* index into the query's elements: small numbers, an array of the largest is made */
	uint32_t element;
	uint64_t start_byte; /* [start_byte, end_byte) of the field's text */
	uint64_t end_byte;
	/* The matcher's own: its position in the document, which of the terms that have its place
	 * it is, and whether it stays. */
	uint32_t position, nth;
	bool is_kept;
};

BS_VECTOR(bs_word_hits, struct bs_word_hit);

/* What is known of a node or a document. */
enum bs_verdict {
	BS_VERDICT_NO,  /* it does not match */
	BS_VERDICT_YES, /* it matches */
	BS_VERDICT_UNKNOWN,
};

/*
 * The verdict on node n from those on the leaves under it: an AND is left at its first NO, an OR at
 * its first YES. children is the query's own array, or the same with those of each node in another
 * order. Recurses as deep as the tree is.
 */
enum bs_verdict bs_match_tree(const struct bs_query_tree *query, const uint32_t *children,
                              uint32_t n, enum bs_verdict (*ask_leaf)(void *context, uint32_t n),
                              void *context);

/* Whether a document's field is the one that the leaf asks for. */
bool bs_match_field(const struct bs_query_tree *query, const struct bs_query_node *leaf,
                    const struct bs_field *field);

/* Whether a document has a field `name`, which takes the place of the name of its file. */
bool bs_match_has_own_name(const struct bs_field *fields, size_t n_fields);

/* A query made ready for many documents, with the scratch for one. One thread. */
struct bs_matcher;

/* query and words are borrowed. words must be the analyzer of the index. BS_NO_MEMORY. */
enum bs_status bs_matcher_new(const struct bs_query_tree *query, struct bs_tokenizer *tokenizer,
                              struct bs_matcher **matcher_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_matcher_free(struct bs_matcher *matcher);

/* Sets what is asked about names of files, borrowed; until then the query must not ask for any. */
void bs_matcher_ask_names(struct bs_matcher *matcher, struct bs_file_names *names);

/* Weights of fields (core/store/field_weights.h), borrowed; until then all weigh 1. */
void bs_matcher_weigh_fields(struct bs_matcher *matcher, char *const *weights);

/* A distinct word of a document that the query asks for, by itself or through a prefix or a fuzzy
 * word. */
struct bs_match_word {
	const uint8_t *term;
	uint32_t term_bytes;
	uint32_t tf;   /* occurrences in the whole document, by the weights of its fields, >= 1 */
	double weight; /* of all elements that it is an occurrence of */
	/* the caller's, kept for this word while the matcher lives; negative at first */
	double *idf;
};

/* What one document gave; until the next call. */
struct bs_match {
	bool matches;
	uint32_t length; /* positions: BM25's dl */
	/* The words that count for the score, if it matches; in an order that depends on nothing
	 * but the document and the query, so that sums of floating-point numbers are always the
	 * same. */
	const struct bs_match_word *words;
	size_t n_words;
};

/* Matches a document by its fields. ref: the document, by which its name is known; any value where
 * the query asks for no names. BS_NO_MEMORY. */
enum bs_status bs_match_document(struct bs_matcher *matcher, struct bs_doc_ref ref,
                                 const struct bs_field *doc_fields, size_t n_doc_fields,
                                 struct bs_match *match_out, struct bs_error *err) BS_WARN_UNUSED;

/* The same but for the words, of which none are listed; and overwrites hits with where the positive
 * words of the query stand (in text order), for people: those of a phrase where the phrase stands,
 * those for a field in that field. of_match: none of a document that does not match. */
enum bs_status bs_match_hits(struct bs_matcher *matcher, struct bs_doc_ref ref,
                             const struct bs_field *doc_fields, size_t n_doc_fields, bool of_match,
                             struct bs_match *match_out, struct bs_word_hits *hits,
                             struct bs_error *err) BS_WARN_UNUSED;
