/*
 * plan.h: a plan: a parsed query with the terms of its elements, their dfs, and their ordinals and
 * columns in each segment of a list of indexes.
 *
 * An element of the query (query_tree.h) becomes one term; a prefix, a pattern or a fuzzy word
 * becomes all terms that it expands to. The plan is made once for a query. The scan (scan.h) uses
 * it for each shard; the verifier (verify.h) works on the query, and of the terms uses only dfs.
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
	bool is_found;           /* The segment has the term. */
	uint64_t df;             /* The number of documents of the segment that have the term. */
	struct bs_and_term term; /* The columns of the term; undefined if is_found is false. */
	/* The rows that pass the columns but lack the term; empty unless
	 * term.treatment->has_false_positives. */
	struct bs_term_false_positives false_positives;
};

/* The value of bs_plan_term.element for a term that is a word pair. */
#define BS_PLAN_WORD_PAIR UINT32_MAX

struct bs_plan_term {
	uint64_t hash;
	/* The number of documents that have the term, over all segments of the list. */
	uint64_t df;
	uint32_t element; /* The element that expands to the term; BS_PLAN_WORD_PAIR: none. */
	uint32_t key_bytes;
	uint64_t key_offset; /* The offset of the term's lexicon key in `keys`. */
	bool is_absent;      /* The summaries show that no segment of the list has the term. */
	/* While the plan is made: by its summary, the current snapshot lacks the term. */
	bool is_absent_here;
};

/* The terms of an element: terms[first_term .. first_term + n_terms). */
struct bs_plan_element {
	uint32_t first_term;
	uint32_t n_terms;
	/* The element expands to more terms than the limits below allow. In this case n_terms is 0,
	 * and only the texts of documents show whether they match the element. */
	bool is_too_broad;
};

/* Two or more adjacent words of a phrase, for which a segment may have a single term. */
struct bs_plan_word_pair {
	uint32_t node;       /* The phrase's node in the query. */
	uint32_t term;       /* That term: an index into the terms of the plan. */
	uint32_t first_item; /* Index into the items of the node. */
	uint32_t n_items;
};

/* A range of the query in one segment. */
struct bs_plan_range {
	/* The index knows which documents are in the range; otherwise only their texts show it. */
	bool is_known;
	/* The range's field in the segment. All zeros if no document of the segment has a value in
	 * it. */
	struct bs_value_field field;
	/* The ranks of the field's values in the range. Empty: no document is in the range. */
	struct bs_ranks ranks;
};

/* The most terms of one element, and of a query. If an element would exceed one of these limits,
 * its documents are found by reading texts. */
#define BS_PLAN_MAX_EXPANSION 16384u
#define BS_PLAN_MAX_TERMS     262144u

/* Which documents may be hits, independent of the query's words. */
struct bs_plan_scope {
	/* The filter that documents must pass; NULL: every document passes. */
	struct bs_filter *filter;
	/* Documents that must not be hits. The list is searched linearly, so it should be short. */
	const struct bs_doc_ref *left_out;
	size_t n_left_out;
	/* No document is a hit before its text was read, even if columns decide the match. */
	bool is_open;
	bool is_brute; /* Columns are not used: every document is a candidate. */
	/* The number of the query analysis that the query was parsed with. Indexes with another one
	 * have no hits. */
	uint32_t analysis;
};

/* The inputs of a plan, all borrowed for as long as the plan is used. */
struct bs_plan_inputs {
	const struct bs_query_tree *query;
	const struct bs_snapshot_list *list;
	struct bs_plan_scope scope;
	/* Not NULL. Its members may be set after the plan is made, but before the plan is used. */
	struct bs_file_names *names;
	struct bs_corpus corpus; /* The statistics that scores are computed from. */
};

/* Where the candidates of a segment come from. */
enum bs_plan_source {
	/* There are none: the segment has no documents with words, or its index takes no part in
	 * the query. */
	BS_PLAN_NOTHING,
	BS_PLAN_COLUMNS,
	BS_PLAN_ALL, /* Every document is a candidate. */
};

BS_VECTOR(bs_plan_elements, struct bs_plan_element);
BS_VECTOR(bs_plan_terms, struct bs_plan_term);
BS_VECTOR(bs_plan_places, struct bs_term_place);
BS_VECTOR(bs_plan_pairs, struct bs_plan_word_pair);
BS_VECTOR(bs_plan_ranges, struct bs_plan_range);

/* Zero-initialise; reusable; release with bs_plan_deinit. Constant while the query runs. */
struct bs_plan {
	const struct bs_query_tree *query;
	const struct bs_snapshot_list *list;
	struct bs_plan_scope scope;
	struct bs_file_names *names;
	struct bs_corpus corpus;
	/* The elements, with the numbers they have in the query. */
	struct bs_plan_elements elements;
	struct bs_plan_terms terms; /* The terms, grouped by element; n_terms of them. */
	uint32_t n_terms;
	struct bs_plan_places places; /* The place of term t in segment s is at s * n_terms + t. */
	struct bs_plan_pairs pairs;   /* The word pairs, sorted by node, first item and width. */
	struct bs_plan_ranges ranges; /* Range r in segment s is at s * query->n_ranges + r. */
	struct bs_buffer keys;        /* The lexicon keys of the terms. */
};

/* Counts the documents of all segments of a list that have a term. key: its lexicon key.
 * BS_CORRUPT. */
enum bs_status bs_plan_df(const struct bs_snapshot_list *list, const uint8_t *key,
                          uint32_t key_bytes, uint64_t *df_out,
                          struct bs_error *err) BS_WARN_UNUSED;

/* Makes the plan of a query. BS_CORRUPT, BS_NO_MEMORY. BS_INVALID: scores are computed from given
 * statistics only, and these do not suffice (bs_plan_check_statistics). */
enum bs_status bs_plan_make(struct bs_plan *plan, const struct bs_plan_inputs *inputs,
                            struct bs_error *err) BS_WARN_UNUSED;
void bs_plan_deinit(struct bs_plan *plan);

/* The idf of a word, by the statistics that the plan uses. BS_CORRUPT. BS_INVALID: the statistics
 * are inconsistent. */
enum bs_status bs_plan_idf(const struct bs_plan *plan, const uint8_t *term, uint32_t term_bytes,
                           double *idf_out, struct bs_error *err) BS_WARN_UNUSED;
/* The idf of a term of the plan. BS_INVALID: the statistics are inconsistent. */
enum bs_status bs_plan_term_idf(const struct bs_plan *plan, uint32_t term, double *idf_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Whether a segment of the plan's list has the term, or the plan's statistics count it. */
bool bs_plan_term_occurs(const struct bs_plan *plan, uint32_t term);

/* Checks that statistics suffice to score the query. BS_INVALID: they lack a plain word of the
 * query that scores. */
enum bs_status bs_plan_check_statistics(const struct bs_statistics *statistics,
                                        const struct bs_query_tree *query,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Formats the warning about an element that expands to too many terms. */
void bs_plan_describe_broad(const struct bs_element *element, struct bs_error *line_out);

static inline uint32_t bs_plan_n_pairs(const struct bs_plan *plan)
{
	return (uint32_t)bs_vector_n(&plan->pairs);
}

/* A segment of the plan's list; NULL: it is an overlay. */
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

/* Whether the segment has documents and columns, even if they are not used. False for an
 * overlay. */
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

/* The range of a node in a segment. The node must be a range. */
static inline const struct bs_plan_range *bs_plan_range(const struct bs_plan *plan,
                                                        uint32_t segment, uint32_t node)
{
	return &plan->ranges.items[(size_t)segment * plan->query->n_ranges +
	                           plan->query->nodes[node].range];
}

/* The term that is equivalent to a leaf in a segment: a document matches the leaf if and only if it
 * has the term. The term of a plain word, or the word pair that is a whole phrase. UINT32_MAX:
 * there is none. */
uint32_t bs_plan_equivalent_term(const struct bs_plan *plan, uint32_t segment, uint32_t node);

/* Whether the columns and lists of a segment give exactly the documents that match a leaf: without
 * a field, a word that does not expand to too many terms, or a phrase that is a single word pair of
 * the segment; also a range of known values, and a file name (unless names->is_loose). */
bool bs_plan_is_exact_leaf(const struct bs_plan *plan, uint32_t segment, uint32_t node);

/* Whether the segment has a word pair, and has no wider pair of the same phrase that contains
 * it. */
bool bs_plan_is_widest(const struct bs_plan *plan, uint32_t segment, uint32_t pair);
