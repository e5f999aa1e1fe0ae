/* term_treatment.h: the number of columns that a term gets of each level (its "treatment",
 * BitFunnel's word), as a function of its document frequency in the segment. The function is a
 * table in the segment. Indexer and query read only the table, so a changed formula cannot make a
 * query miss a document. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Levels of a shard, in order. The document level always exists; each of the coarser two exists if
 * it makes the index cheaper. */
enum bs_level_kind {
	BS_LEVEL_DOCUMENT = 0, /* one bit per document */
	BS_LEVEL_GROUP = 3,    /* one bit for 8 consecutive documents */
	/* One bit for the 512 documents of a block, or for fewer in a small shard: see shard.h. */
	BS_LEVEL_BLOCK = 9,
};

#define BS_MAX_LEVELS     3u
#define BS_MAX_HASHES     16u /* maximum number of columns of one level for one term */
#define BS_MAX_TREATMENTS 64u

/* Columns per level for terms with df >= min_df and below the min_df of the next entry. */
struct bs_term_treatment {
	uint64_t min_df;
	uint8_t n_columns[BS_MAX_LEVELS]; /* by level; at least one column at the document level */
	/* Whether false positives of the term are listed (false_positives.h). Otherwise documents
	 * list the term (rare_term_list.h). */
	bool has_false_positives;
};

struct bs_term_treatment_table {
	uint32_t n_levels;
	uint8_t ranks[BS_MAX_LEVELS]; /* ranks[0] is BS_LEVEL_DOCUMENT */
	uint32_t n_entries;           /* number of entries, >= 1; their min_df ascends from 0 */
	struct bs_term_treatment entries[BS_MAX_TREATMENTS];
};

/* The parameters of bs_term_treatment_table_make. */
struct bs_term_treatment_policy {
	double density; /* target share of set bits in hashed columns, 0.05 to 0.6 */
	/* A term in at least this share of the rows of a matrix (a last block counts as full) gets
	 * an exact column. > 1: no term; < 0: where an exact column costs less than hashed ones. */
	double exact_share;
	/* The price of size: the nanoseconds that a query may take longer if the index is smaller
	 * by one bit per posting. 0: bs_term_treatment_table_make assumes short
	 * documents (the indexer calls bs_term_treatment_policy_price before). */
	double bit_ns;
	/* Factor of the time of look-ups, >= 1; 0 means 1. For an index of several segments:
	 * false candidates of all segments add up in a query, so each segment should have fewer.
	 */
	double look_times;
	bool use_groups; /* use the group level */
	bool use_blocks; /* use the block level */
	/* List false positives of frequent terms; with is_forced, of all terms. */
	bool use_false_positives;
	/* For tests, if is_forced: every term gets these numbers of (document, group, block)
	 * columns, and no shard omits a level for its size. */
	uint8_t force[BS_MAX_LEVELS];
	bool is_forced;        /* see force */
	bool has_no_tf_levels; /* for tests and measurements: the segment has no tf levels */
};

#define BS_DEFAULT_DENSITY     0.3
#define BS_DEFAULT_EXACT_SHARE (-1.0)

/* The default policy: the constants above, all levels, and false-positive lists. */
struct bs_term_treatment_policy bs_term_treatment_policy_default(void);

/* Sets bit_ns, and raises the density by up to 0.2, for documents of terms_per_doc distinct terms
 * on average. A corpus of long documents has few documents, so its queries are fast, and size
 * counts more. Size also counts more if the user chose a high density. */
void bs_term_treatment_policy_price(struct bs_term_treatment_policy *policy, double terms_per_doc);

/* Makes the table for a segment of n_docs documents, without the levels that no term uses. */
void bs_term_treatment_table_make(const struct bs_term_treatment_policy *policy, uint64_t n_docs,
                                  struct bs_term_treatment_table *table);

/* The policy's exact_share or, if that is < 0, the share of n_docs rows from which on an exact
 * column costs less than hashed ones. */
double bs_term_treatment_exact_share(const struct bs_term_treatment_policy *policy,
                                     uint64_t n_docs);

/* The entry for a df; never NULL. */
const struct bs_term_treatment *bs_term_treatment_find(const struct bs_term_treatment_table *table,
                                                       uint64_t df);

/* Whether a table read from a file keeps the rules above. */
bool bs_term_treatment_table_is_valid(const struct bs_term_treatment_table *table);
