/*
 * plan.h: a parsed query resolved against a list of indexes: its terms, their df, and their
 * ordinals and columns in each segment.
 *
 * An element of the query (parse.h) becomes one term, or, for a prefix, a pattern or a fuzzy word,
 * the terms it expands to. The plan is made once a query. scan.h reads it for each shard. match.h
 * verifies by the query itself and takes only df from the plan.
 */
#pragma once

#include "core/base/vector.h"
#include "core/matrix/shard_and.h"
#include "core/store/snapshot_list.h"
#include "query/language/query_tree.h"
#include "query/plan/file_names.h"
#include "query/plan/filter.h"
#include "query/statistics/corpus_statistics.h"

/* A term in one segment. */
struct bs_term_place {
	bool is_found;
	uint64_t df;
	struct bs_and_term term; /* Its columns; undefined if is_found is false. */
	/* The rows that its columns let through although they lack the term; empty unless
	 * term.treatment->has_false_positives. */
	struct bs_term_false_positives false_positives;
};

#define BS_PLAN_WORD_PAIR UINT32_MAX

struct bs_plan_term {
	uint64_t hash;
	uint64_t df;      /* The documents that have the term, over all snapshots of the list. */
	uint32_t element; /* The element that expands to the term, or BS_PLAN_WORD_PAIR. */
	uint32_t key_bytes;
	uint64_t key_offset; /* The offset of its lexicon key in `keys`. */
	bool is_absent;      /* No segment has it. */
	/* No segment of the snapshot being resolved has it, so its lexicons are not searched. */
	bool is_absent_here;
};

/* The terms of an element: terms[first_term .. first_term + n_terms). */
struct bs_plan_element {
	uint32_t first_term;
	uint32_t n_terms;
	/* The element expands to too many terms (BS_PLAN_MAX_EXPANSION) and has none here; columns
	 * do not narrow it. */
	bool is_too_broad;
};

/* Two or more adjacent words of a phrase, and their term in segments that have the word pair. */
struct bs_plan_word_pair {
	uint32_t node;
	uint32_t term;
	uint32_t first_item; /* Index into the items of the node. */
	uint32_t n_items;
};

/* A range of the query in one segment. */
struct bs_plan_range {
	bool is_known; /* False: only texts show which documents are in the range. */
	struct bs_value_field field;
	/* The ranks of the field's values that are in the range; empty: no document is. */
	struct bs_ranks ranks;
};

/* The limits of expansion: terms of one element, and terms of a query. If an element exceeds
 * either, its documents can only be found by reading texts. */
#define BS_PLAN_MAX_EXPANSION 16384u
#define BS_PLAN_MAX_TERMS     262144u

/* The documents that may be hits, independent of the query. */
struct bs_plan_scope {
	/* The filter that documents must pass; NULL: every document passes. */
	struct bs_filter *filter;
	/* Documents that must not be hits; the list should be short, because it is searched
	 * linearly. */
	const struct bs_doc_ref *left_out;
	size_t n_left_out;
	/* Every text must be read before its document is a hit, even if columns decide the
	 * match. */
	bool is_open;
	bool is_brute; /* Columns are not used: every document is read. */
	/* The analysis that the query was parsed with. Entries with another analysis have no
	 * hits. */
	uint32_t analysis;
};

/* The inputs of a plan, all borrowed for as long as the plan is used. */
struct bs_plan_inputs {
	const struct bs_query_tree *query;
	const struct bs_snapshot_list *list;
	struct bs_plan_scope scope;
	struct bs_file_names *names; /* Not NULL; set up after the plan is made. */
	struct bs_corpus collection;
};

/* The source of a segment's candidates. */
enum bs_plan_source {
	/* None: the segment has no documents for words, or its entry takes no part in the query. */
	BS_PLAN_NOTHING,
	BS_PLAN_COLUMNS,
	BS_PLAN_ALL, /* Every document is a candidate. */
};

BS_VECTOR(bs_plan_elements, struct bs_plan_element);
BS_VECTOR(bs_plan_terms, struct bs_plan_term);
BS_VECTOR(bs_plan_places, struct bs_term_place);
BS_VECTOR(bs_plan_pairs, struct bs_plan_word_pair);
BS_VECTOR(bs_plan_ranges, struct bs_plan_range);

/* Zero-initialise; reusable; release with bs_plan_deinit. Constant while a query runs. */
struct bs_plan {
	const struct bs_query_tree *query;
	const struct bs_snapshot_list *list;
	struct bs_plan_scope scope;
	struct bs_file_names *names;
	struct bs_corpus collection;
	struct bs_plan_elements elements; /* The elements, as numbered in the query. */
	struct bs_plan_terms terms;       /* The terms, grouped by element; n_terms of them. */
	uint32_t n_terms;
	struct bs_plan_places places; /* Term t in segment s: s * n_terms + t. */
	struct bs_plan_pairs pairs;   /* The word pairs, sorted by node, first item and width. */
	struct bs_plan_ranges ranges; /* Range r in segment s: s * query->n_ranges + r. */
	struct bs_buffer keys;
};

/* The number of documents in all snapshots that have the term. key: a lexicon key. BS_CORRUPT. */
enum bs_status bs_plan_df(const struct bs_snapshot_list *list, const uint8_t *key,
                          uint32_t key_bytes, uint64_t *df_out,
                          struct bs_error *err) BS_WARN_UNUSED;

/* Resolves every element. BS_CORRUPT, BS_NO_MEMORY. BS_INVALID: scores use statistics alone, and
 * the statistics lack a word of the query. */
enum bs_status bs_plan_make(struct bs_plan *plan, const struct bs_plan_inputs *inputs,
                            struct bs_error *err) BS_WARN_UNUSED;
void bs_plan_deinit(struct bs_plan *plan);

/* The idf of a word in the plan's collection. BS_CORRUPT. BS_INVALID: the statistics are
 * inconsistent. */
enum bs_status bs_plan_idf(const struct bs_plan *plan, const uint8_t *term, uint32_t term_bytes,
                           double *idf_out, struct bs_error *err) BS_WARN_UNUSED;
/* The idf of a term of the plan. BS_INVALID: the statistics are inconsistent. */
enum bs_status bs_plan_term_idf(const struct bs_plan *plan, uint32_t term, double *idf_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Whether some document of the plan's list or of its statistics has the term. */
bool bs_plan_term_occurs(const struct bs_plan *plan, uint32_t term);

/* Checks that the statistics suffice to score the query. BS_INVALID: they lack a plain word of the
 * query that scores. */
enum bs_status bs_plan_check_statistics(const struct bs_statistics *statistics,
                                        const struct bs_query_tree *query,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Writes the warning about an element that expands to too many terms. */
void bs_plan_describe_broad(const struct bs_element *element, struct bs_error *line_out);

static inline uint32_t bs_plan_n_pairs(const struct bs_plan *plan)
{
	return (uint32_t)bs_vector_n(&plan->pairs);
}

/* NULL for an overlay. */
static inline const struct bs_segment *bs_plan_segment(const struct bs_plan *plan, uint32_t segment)
{
	return plan->list->segments[segment].segment;
}

static inline enum bs_plan_source bs_plan_source(const struct bs_plan *plan, uint32_t segment)
{
	const struct bs_list_segment *of = bs_list_segment(plan->list, segment);
	const struct bs_list_entry *entry = &plan->list->entries[of->entry];
	if (!bs_list_has_words(plan->list, segment) || entry->is_passed_over ||
	    entry->analysis != plan->scope.analysis)
		return BS_PLAN_NOTHING;
	return !of->segment || plan->scope.is_brute || entry->has_other_words ? BS_PLAN_ALL
	                                                                      : BS_PLAN_COLUMNS;
}

/* Whether the segment has documents and columns, used or not; false for an overlay. */
static inline bool bs_plan_has_columns(const struct bs_plan *plan, uint32_t segment)
{
	return bs_plan_segment(plan, segment) && bs_list_has_words(plan->list, segment);
}

static inline const struct bs_term_place *bs_plan_place(const struct bs_plan *plan,
                                                        uint32_t segment, uint32_t term)
{
	return &plan->places.items[(size_t)segment * plan->n_terms + term];
}

static inline bool bs_plan_leaves_out(const struct bs_plan *plan, struct bs_doc_ref ref)
{
	for (size_t i = 0; i < plan->scope.n_left_out; i++)
		if (plan->scope.left_out[i].segment == ref.segment &&
		    plan->scope.left_out[i].document == ref.document)
			return true;
	return false;
}

/* node must be a range. */
static inline const struct bs_plan_range *bs_plan_range(const struct bs_plan *plan,
                                                        uint32_t segment, uint32_t node)
{
	return &plan->ranges.items[(size_t)segment * plan->query->n_ranges +
	                           plan->query->nodes[node].range];
}

/* The term of a segment that is equivalent to a node: the node's plain word, or the word pair that
 * is the node's whole phrase. A document matches the node if and only if it has the term.
 * UINT32_MAX: there is no such term. */
uint32_t bs_plan_whole(const struct bs_plan *plan, uint32_t segment, uint32_t node);

/* Whether the columns and lists of a segment give exactly the matches of a leaf. They do for a word
 * in any field, and for a phrase that is a word pair which the segment has as a term. */
bool bs_plan_is_exact_leaf(const struct bs_plan *plan, uint32_t segment, uint32_t node);

/* Whether a segment has a pair, and no wider pair of the same phrase that contains it. */
bool bs_plan_is_widest(const struct bs_plan *plan, uint32_t segment, uint32_t pair);
