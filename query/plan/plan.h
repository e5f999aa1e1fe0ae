/*
 * plan.h: a parsed query meets an index: which terms, how frequent, in which segment under which number.
 *
 * An element of the query (parse.h) becomes one term, or, for a prefix, a pattern or a fuzzy word, the terms it expands to. The
 * plan is made once a query; scan.h reads it per slab, match.h verifies by the query itself and takes only df from it.
 */
#ifndef BS_QUERY_PLAN_PLAN_H
#define BS_QUERY_PLAN_PLAN_H

#include "core/collections/term_table.h"
#include "core/matrix/slab_and.h"
#include "core/store/snapshot.h"
#include "query/language/parse.h"

/* A term in one segment. */
struct bs_term_place {
	bool is_found;
	uint64_t df;
	struct bs_and_term term;               /* its columns; of no use if it is not found */
	/* The rows that its columns wrongly let through; none unless term.treatment->has_exceptions. */
	struct bs_term_exceptions exceptions;
};

#define BS_PLAN_WORD_PAIR UINT32_MAX

struct bs_named;
struct bs_filter;

struct bs_plan_term {
	uint64_t hash;
	uint64_t df;          /* in the whole index */
	uint32_t element;     /* the element it stands for, or BS_PLAN_WORD_PAIR */
	uint32_t key_bytes;
	uint64_t key_offset;  /* of its lexicon key in keys */
	bool is_absent;       /* no segment has it: none is asked */
};

/* The terms of an element: terms[first .. first + n). */
struct bs_plan_element {
	uint32_t first_term;
	uint32_t n_terms;
	bool is_too_broad; /* it stands for more terms than that many, and the filter can do nothing with it */
};

/* Two or more words of a phrase that stand next to each other, and the term that they are in segments that know it. */
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

/* An element is expanded to at most this many terms, and while a query has no more than that many; of a broader one
 * every document must be read. */
#define BS_PLAN_MAX_EXPANSION 16384u
#define BS_PLAN_MAX_TERMS     262144u

/* Zero-initialise; reusable; release with bs_plan_deinit. */
struct bs_plan {
	const struct bs_query_tree *query;
	const struct bs_snapshot *snapshot;
	struct bs_plan_element *elements; /* query->n_elements */
	struct bs_plan_term *terms;
	struct bs_term_place *places; /* of term t in segment s: places[s * n_terms + t] */
	uint32_t n_terms;
	struct bs_plan_word_pair *pairs;   /* in order of nodes, first items and widths */
	uint32_t n_word_pairs;
	struct bs_plan_range *ranges; /* of range r in segment s: ranges[s * query->n_ranges + r] */
	struct bs_named *named;   /* whom to ask about names of files; may be NULL where no leaf does */
	struct bs_filter *filter; /* which documents may be hits at all; NULL: any */
	const struct bs_doc_ref *left_out; /* documents that may not be hits, a few */
	size_t n_left_out;
	const struct bs_statistics *statistics; /* by which scores are; NULL: by the index. Whoever makes the plan sets it, too */
	bool is_open; /* no document matches for sure before its text is read, whatever columns say */
	struct bs_buffer keys;
	struct bs_term_table expansion; /* of one element, over all segments */
	struct bs_buffer memory_elements, memory_terms, memory_places, memory_pairs, memory_ranges;
	struct bs_error *err;   /* while it is made */
	enum bs_status status; /* sticky */
};

/* Documents of the whole index that have the term (a lexicon key). BS_CORRUPT. */
enum bs_status bs_plan_df(const struct bs_snapshot *snapshot, const uint8_t *key, uint32_t key_bytes, uint64_t *df_out,
                          struct bs_error *err) BS_WARN_UNUSED;

/* Resolves every element. query and snapshot are borrowed until the next call. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_plan_make(struct bs_plan *plan, const struct bs_query_tree *query, const struct bs_snapshot *snapshot,
                            struct bs_error *err) BS_WARN_UNUSED;
/* The line about an element that stands for too many terms. */
void bs_plan_tell_broad(const struct bs_element *element, struct bs_error *line_out);
void bs_plan_deinit(struct bs_plan *plan);

static inline const struct bs_term_place *bs_plan_place(const struct bs_plan *plan, uint32_t segment, uint32_t term)
{
	return &plan->places[(size_t)segment * plan->n_terms + term];
}

static inline bool bs_plan_leaves_out(const struct bs_plan *plan, struct bs_doc_ref ref)
{
	for (size_t i = 0; i < plan->n_left_out; i++)
		if (plan->left_out[i].segment == ref.segment && plan->left_out[i].document == ref.document)
			return true;
	return false;
}

/* That of a node that is one. */
static inline const struct bs_plan_range *bs_plan_range(const struct bs_plan *plan, uint32_t segment, uint32_t node)
{
	return &plan->ranges[(size_t)segment * plan->query->n_ranges + plan->query->nodes[node].range];
}

/* The term of a segment that is all of a node: of its plain word, or of the pair that is the whole of its phrase. Every document
 * that has it matches, and no other. UINT32_MAX: none is. */
uint32_t bs_plan_whole(const struct bs_plan *plan, uint32_t segment, uint32_t node);

/* Whether what a segment's columns and lists say of a leaf is exactly its matches: that of a word is, of a phrase if all of it is a word pair
 * that the segment has as a term. */
bool bs_plan_is_exact_leaf(const struct bs_plan *plan, uint32_t segment, uint32_t node);

/* Whether a segment knows a pair, and no wider one that holds it. */
bool bs_plan_is_widest(const struct bs_plan *plan, uint32_t segment, uint32_t pair);

#endif
