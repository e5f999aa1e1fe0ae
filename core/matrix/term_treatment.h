/* term_treatment.h: how many columns of which level a term gets ("treatment", after BitFunnel), as
 * a pure function of its document frequency in the segment, through a table stored there. Index and
 * query both read the table; nothing else decides, so that a query cannot lose a document to a
 * changed formula. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Levels of a shard, in order: documents always, the coarser two where they pay. */
enum bs_level_kind {
	BS_LEVEL_DOCUMENT = 0, /* a bit a document */
	BS_LEVEL_GROUP = 3,    /* a bit for 8 consecutive documents */
	/* a bit for the 512 documents of a block, or fewer in a small shard: see shard.h */
	BS_LEVEL_BLOCK = 9,
};

#define BS_MAX_LEVELS     3u
#define BS_MAX_HASHES     16u /* columns of one level for one term */
#define BS_MAX_TREATMENTS 64u

/* Columns per level for terms with df >= min_df (and below the next entry's). */
struct bs_term_treatment {
	uint64_t min_df;
	uint8_t n_columns[BS_MAX_LEVELS]; /* of the document level at least one */
	/* rows that pass wrongly are listed (false_positives.h); else documents list the term
	 * (rare_term_list.h) */
	bool has_false_positives;
};

struct bs_term_treatment_table {
	uint32_t n_levels;
	uint8_t ranks[BS_MAX_LEVELS]; /* ranks[0] is BS_LEVEL_DOCUMENT */
	uint32_t n_entries;           /* >= 1; entries[0].min_df is 0; ascending */
	struct bs_term_treatment entries[BS_MAX_TREATMENTS];
};

/* What a treatment is chosen by. */
struct bs_term_treatment_policy {
	double density; /* wanted share of set bits in hashed columns, 0.05 .. 0.6 */
	/* a term in at least this share of a shard's documents gets a column of its own; > 1: none;
	 * < 0: where that costs less than hashed columns */
	double exact_share;
	/* the price of size: an index smaller by a bit a posting may cost so many nanoseconds a
	 * query; 0: that of short documents */
	double bit_ns;
	/* >= 1: a document that is looked up is paid so many times; 0: once. Each segment of an
	 * index adds its own, but a bit of one makes only its share of the index larger */
	double look_times;
	bool use_groups; /* have the group level */
	bool use_blocks; /* have the block level */
	/* list what frequent terms' columns get wrong; with is_forced, all terms' */
	bool use_false_positives;
	/* for tests: with is_forced, every term gets these counts of (document, group, block), and
	 * no shard leaves a level out for its size */
	uint8_t force[BS_MAX_LEVELS];
	bool is_forced;
	bool has_no_tf_levels; /* for tests and measurements: see tf_levels.h */
};

#define BS_DEFAULT_DENSITY     0.3
#define BS_DEFAULT_EXACT_SHARE (-1.0)

/* Defaults: the densities above, all levels. */
struct bs_term_treatment_policy bs_term_treatment_policy_default(void);

/* Sets bit_ns, and raises the density by up to 0.1, for documents of so many distinct terms in the
 * mean. Long documents are few for their bytes, so that their queries are fast anyway, and a bit
 * may cost them more time; and who asks for denser columns asks for less space. */
void bs_term_treatment_policy_price(struct bs_term_treatment_policy *policy, double terms_per_doc);

/* The table for a segment of n_docs documents. Levels that no term would use are left out. */
void bs_term_treatment_table_make(const struct bs_term_treatment_policy *policy, uint64_t n_docs,
                                  struct bs_term_treatment_table *table);

/* The share of a shard's documents from which on a term gets an exact column, in a segment of
 * n_docs documents. */
double bs_term_treatment_exact_share(const struct bs_term_treatment_policy *policy,
                                     uint64_t n_docs);

/* The entry for a df, never NULL. */
const struct bs_term_treatment *bs_term_treatment_find(const struct bs_term_treatment_table *table,
                                                       uint64_t df);

/* Whether a table read from a file keeps every rule stated above. */
bool bs_term_treatment_table_is_valid(const struct bs_term_treatment_table *table);
