/* index_stats.h: what an index is made of: shards and their densities, and which bytes are spent on
 * what. `bitsift stats` prints it; the benchmarks read it. */
#pragma once

#include "core/base/error.h"
#include "core/collections/term_table.h"
#include "core/store/snapshot.h"

/* What bytes are spent on. Every byte of every file belongs to one of them. */
enum bs_part {
	BS_PART_DOCUMENT_COLUMNS,
	BS_PART_GROUP_COLUMNS,
	BS_PART_BLOCK_COLUMNS,
	BS_PART_EXACT_COLUMNS,   /* with the numbers of their terms */
	BS_PART_FALSE_POSITIVES, /* rows that pass hashed columns wrongly */
	BS_PART_FORWARD_INDEXES, /* forward indexes */
	BS_PART_RARE_TERM_LISTS,
	BS_PART_POPCOUNTS,
	BS_PART_ROWS,
	BS_PART_LENGTHS,
	BS_PART_TFS, /* how often words stand in documents; their levels are document columns */
	BS_PART_LEXICON,
	BS_PART_GRAM_COLUMNS,
	BS_PART_GRAM_LISTS, /* which trigrams are frequent */
	BS_PART_GRAM_ROWS,
	BS_PART_VALUES, /* numbers and dates of records */
	BS_PART_NAMES,  /* of documents: ids, and their offsets */
	BS_PART_PLACES, /* of documents in their sources; flags */
	BS_PART_STORED_TEXT,
	BS_PART_SUMMARY, /* what the index lacks, and trigrams of segments for it */
	BS_PART_TOMBSTONES,
	BS_PART_CHECKSUMS, /* heads, section tables, page sums */
	BS_PART_REST,      /* manifest, small sections, alignment */
	BS_PARTS,
};

/* Those before the first are the index of the words, those from there on the index of the grams;
 * from the second on, what would be there without either. */
#define BS_FIRST_GRAM_PART  BS_PART_GRAM_COLUMNS
#define BS_FIRST_OTHER_PART BS_PART_VALUES

struct bs_shard_stats {
	uint32_t n_docs;
	uint32_t n_levels;                 /* 0: forward indexes */
	uint32_t n_columns[BS_MAX_LEVELS]; /* m; 0: the level is absent */
	double density
		[BS_MAX_LEVELS]; /* mean share of set bits among those that stand for documents */
	uint32_t n_exact;
	uint64_t n_exact_postings;
	uint64_t n_forward_postings; /* of forward indexes */
};

struct bs_segment_stats {
	uint64_t parts[BS_PARTS];      /* tombstones not counted */
	struct bs_shard_stats *shards; /* as many as the segment has */
};

/* The texts of a field in which at least one is a number or a date. */
struct bs_field_stats {
	uint32_t name;     /* in field_names of struct bs_index_stats */
	bool is_at_least;  /* older segments did not count theirs */
	uint64_t n_values; /* texts that are numbers or dates, */
	uint64_t
		/* and those that are not, which no range matches; deleted documents count */
		n_others;
};

struct bs_index_stats {
	struct bs_segment_stats *segments; /* as many as the snapshot has */
	uint32_t n_segments;
	uint64_t parts[BS_PARTS]; /* of all files */
	uint64_t n_bytes;         /* their sum */
	uint64_t n_words_bytes;   /* the sum of those before BS_FIRST_GRAM_PART */
	uint64_t n_grams_bytes;   /* ... from there to BS_FIRST_OTHER_PART */
	uint64_t n_terms;         /* summed over the segments */
	uint64_t n_postings;
	uint64_t text_bytes;
	uint64_t summary_bytes;   /* of the summary itself; 0: there is none. Then: */
	double summary_rate;      /* at which an absent word seems to be there */
	uint64_t n_summary_words; /* places that words have */
	uint64_t n_summary_grams;
	struct bs_term_table field_names; /* of all segments */
	struct bs_field_stats *fields;    /* by name; those that have values */
	uint32_t n_fields;
};

/* Reads all popcounts and nothing else of the columns. The caller's struct; release with
 * bs_index_stats_deinit. */
enum bs_status bs_index_stats_read(const struct bs_snapshot *snapshot,
                                   struct bs_index_stats *stats_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_index_stats_deinit(struct bs_index_stats *stats);

/* "document columns". Never NULL. */
const char *bs_part_name(enum bs_part part);
