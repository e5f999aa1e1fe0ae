/*
 * plan.h: a parsed query meets an index: which terms, how frequent, in which segment under which
 * number.
 *
 * An element of the query (parse.h) becomes one term, or, for a prefix, a pattern or a fuzzy word,
 * the terms it expands to. The plan is made once a query; scan.h reads it per shard, match.h
 * verifies by the query itself and takes only df from it.
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
	struct bs_and_term term; /* its columns; of no use if it is not found */
	/* The rows that its columns wrongly let through; none unless
	 * term.treatment->has_false_positives. */
	struct bs_term_false_positives false_positives;
};

#define BS_PLAN_WORD_PAIR UINT32_MAX

struct bs_plan_term {
	uint64_t hash;
	uint64_t df;      /* in the whole index */
	uint32_t element; /* the element it stands for, or BS_PLAN_WORD_PAIR */
	uint32_t key_bytes;
	uint64_t key_offset; /* of its lexicon key in keys */
	bool is_absent;      /* no segment has it: none is asked */
	bool is_absent_here; /* no segment of the snapshot that is being resolved has it */
};

/* The terms of an element: terms[first .. first + n). */
struct bs_plan_element {
	uint32_t first_term;
	uint32_t n_terms;
	/* it stands for more terms than that many, and the filter can do nothing with it */
	bool is_too_broad;
};

/* Two or more words of a phrase that stand next to each other, and the term that they are in
 * segments that know it. */
struct bs_plan_word_pair {
	uint32_t node;
	uint32_t term;
	uint32_t first_item; /* of the node */
	uint32_t n_items;
};

/* A range of the query in one segment. */
struct bs_plan_range {
	bool is_known; /* else only texts tell which documents are in it */
	struct bs_value_field field;
	struct bs_ranks ranks; /* of the field; none: no document is */
};

/* An element is expanded to at most this many terms, and while a query has no more than that many;
 * of a broader one every document must be read. */
#define BS_PLAN_MAX_EXPANSION 16384u
#define BS_PLAN_MAX_TERMS     262144u

/* Which documents may be hits, whatever the query says. */
struct bs_plan_scope {
	struct bs_filter *filter;          /* NULL: any */
	const struct bs_doc_ref *left_out; /* documents that may not be hits, a few */
	size_t n_left_out;
	/* no document matches for sure before its text is read, whatever columns say */
	bool is_open;
	bool is_brute; /* columns are not used: every document is read */
	/* the number of the entries that the query was read for: others have no hits */
	uint32_t analysis;
};

/* The inputs of a plan. All is borrowed for as long as the plan is used. */
struct bs_plan_inputs {
	const struct bs_query_tree *query;
	const struct bs_snapshot_list *list;
	struct bs_plan_scope scope;
	struct bs_file_names *names; /* not NULL; begun after the plan is made */
	struct bs_corpus collection;
};

/* Where the candidates of a segment come from. */
enum bs_plan_source {
	BS_PLAN_NOTHING, /* it has rows alone, no documents */
	BS_PLAN_COLUMNS,
	BS_PLAN_ALL, /* every document is one */
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
	struct bs_plan_elements elements; /* query->n_elements */
	struct bs_plan_terms terms;       /* n_terms */
	uint32_t n_terms;
	struct bs_plan_places places; /* of term t in segment s: s * n_terms + t */
	struct bs_plan_pairs pairs;   /* in order of nodes, first items and widths */
	struct bs_plan_ranges ranges; /* of range r in segment s: s * query->n_ranges + r */
	struct bs_buffer keys;
};

/* The number of documents in all snapshots that have the term (a lexicon key). BS_CORRUPT. */
enum bs_status bs_plan_df(const struct bs_snapshot_list *list, const uint8_t *key,
                          uint32_t key_bytes, uint64_t *df_out,
                          struct bs_error *err) BS_WARN_UNUSED;

/* Resolves every element. BS_CORRUPT, BS_NO_MEMORY; BS_INVALID: scores use statistics alone, and
 * they lack a word of the query. */
enum bs_status bs_plan_make(struct bs_plan *plan, const struct bs_plan_inputs *inputs,
                            struct bs_error *err) BS_WARN_UNUSED;
void bs_plan_deinit(struct bs_plan *plan);

/* The idf of a word in the plan's collection. BS_CORRUPT; BS_INVALID: the statistics contradict
 * themselves. */
enum bs_status bs_plan_idf(const struct bs_plan *plan, const uint8_t *term, uint32_t term_bytes,
                           double *idf_out, struct bs_error *err) BS_WARN_UNUSED;
/* The idf of a term of the plan. BS_INVALID: as above. */
enum bs_status bs_plan_term_idf(const struct bs_plan *plan, uint32_t term, double *idf_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Whether some document of the plan's collection has the term. */
bool bs_plan_term_occurs(const struct bs_plan *plan, uint32_t term);

/* Checks that the statistics have what scores of the query need. BS_INVALID: they do not name one
 * of its plain words that scores. */
enum bs_status bs_plan_check_statistics(const struct bs_statistics *statistics,
                                        const struct bs_query_tree *query,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Writes the line about an element that stands for too many terms. */
void bs_plan_describe_broad(const struct bs_element *element, struct bs_error *line_out);

static inline uint32_t bs_plan_n_pairs(const struct bs_plan *plan)
{
	return (uint32_t)bs_vector_n(&plan->pairs);
}

/* A segment that is no overlay. */
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

/* Whether the segment has documents and columns, used or not: it is no overlay. */
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

/* That of a node that is one. */
static inline const struct bs_plan_range *bs_plan_range(const struct bs_plan *plan,
                                                        uint32_t segment, uint32_t node)
{
	return &plan->ranges.items[(size_t)segment * plan->query->n_ranges +
	                           plan->query->nodes[node].range];
}

/* The term of a segment that is all of a node: of its plain word, or of the pair that is the whole
 * of its phrase. Every document that has it matches, and no other. UINT32_MAX: none is. */
uint32_t bs_plan_whole(const struct bs_plan *plan, uint32_t segment, uint32_t node);

/* Whether what a segment's columns and lists say of a leaf is exactly its matches: that of a word
 * is, of a phrase if all of it is a word pair that the segment has as a term. */
bool bs_plan_is_exact_leaf(const struct bs_plan *plan, uint32_t segment, uint32_t node);

/* Whether a segment knows a pair, and no wider one that holds it. */
bool bs_plan_is_widest(const struct bs_plan *plan, uint32_t segment, uint32_t pair);
