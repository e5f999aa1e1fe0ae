/* index_stats.h: statistics of an index: shards with their densities, and the bytes of each part.
 * `bitsift stats` prints them; the benchmarks read them. */
#pragma once

#include "core/base/error.h"
#include "core/collections/term_table.h"
#include "core/store/snapshot.h"

/* The parts that bytes are counted for. Every byte of the files of a commit, and of the file
 * `folders`, belongs to one of them. */
enum bs_part {
	BS_PART_DOCUMENT_COLUMNS,
	BS_PART_GROUP_COLUMNS,
	BS_PART_BLOCK_COLUMNS,
	BS_PART_EXACT_COLUMNS,   /* exact columns, and the ordinals of their terms */
	BS_PART_FALSE_POSITIVES, /* false-positive lists */
	BS_PART_FORWARD_INDEXES,
	BS_PART_RARE_TERM_LISTS,
	BS_PART_POPCOUNTS,
	BS_PART_ROWS,
	BS_PART_LENGTHS,
	BS_PART_TFS, /* tf codes; tf levels are document columns */
	BS_PART_LEXICON,
	BS_PART_GRAM_COLUMNS,
	BS_PART_GRAM_LISTS, /* the lists of frequent trigrams and of buckets, by tier */
	BS_PART_GRAM_ROWS,
	BS_PART_VALUES, /* numbers and dates of records */
	BS_PART_NAMES,  /* names or ids of documents, and their offsets */
	BS_PART_PLACES, /* sources, places, flags, checksums and line counts of documents */
	BS_PART_STORED_TEXT,
	BS_PART_SUMMARY,    /* the summary, its counts, and the trigrams of segments for it */
	BS_PART_TOMBSTONES, /* tombstones and exclusions */
	/* headers, section tables and page checksums of the segments and the manifest */
	BS_PART_CHECKSUMS,
	BS_PART_REST, /* manifest, folder listings, small sections, alignment */
	BS_PARTS,
};

/* The parts before BS_FIRST_GRAM_PART are the index of words, those from there on and before
 * BS_FIRST_OTHER_PART the index of grams. The other parts belong to neither index. */
#define BS_FIRST_GRAM_PART  BS_PART_GRAM_COLUMNS
#define BS_FIRST_OTHER_PART BS_PART_VALUES

struct bs_shard_stats {
	uint32_t n_docs;
	uint32_t n_levels;                 /* 0: forward indexes */
	uint32_t n_columns[BS_MAX_LEVELS]; /* 0: the level is absent */
	/* Mean share of set bits, among the bits that represent documents. */
	double density[BS_MAX_LEVELS];
	uint32_t n_exact;          /* exact columns */
	uint64_t n_exact_postings; /* postings in exact columns */
	/* forward indexes: all postings of the shard, including those in exact columns */
	uint64_t n_forward_postings;
};

struct bs_segment_stats {
	uint64_t parts[BS_PARTS];      /* bytes of the segment's file (no tombstones), by part */
	struct bs_shard_stats *shards; /* one per shard */
};

/* Counts of the texts of a field, for fields with at least one number or date. */
struct bs_field_stats {
	uint32_t name; /* number in field_names of struct bs_index_stats */
	/* true: a segment lacks counts, or has the maximum count; the numbers may be greater */
	bool is_at_least;
	uint64_t n_values; /* texts that are numbers or dates */
	/* Texts that are neither numbers nor dates; no range matches them. This number and n_values
	 * include the texts of deleted documents. */
	uint64_t n_others;
};

struct bs_index_stats {
	struct bs_segment_stats *segments; /* one per segment of the snapshot */
	uint32_t n_segments;
	uint64_t parts[BS_PARTS]; /* bytes of all files of the index, by part */
	uint64_t n_bytes;         /* sum of parts */
	uint64_t n_words_bytes;   /* sum of the parts of the index of words */
	uint64_t n_grams_bytes;   /* sum of the parts of the index of grams */
	uint64_t n_terms;         /* sum over the segments */
	uint64_t n_postings;
	uint64_t text_bytes;    /* bytes of the texts of documents */
	uint64_t summary_bytes; /* bytes of the summary without its counts; 0: no summary */
	double summary_rate;    /* upper bound of the rate at which absent words appear present */
	/* an upper bound of the number of places that words of the summary have (summary.h) */
	uint64_t n_summary_words;
	uint64_t n_summary_grams;         /* distinct trigrams */
	struct bs_term_table field_names; /* of all segments */
	struct bs_field_stats *fields;    /* fields with values, sorted by name */
	uint32_t n_fields;
};

/* Reads the statistics into the caller's struct. Reads no columns, only their popcounts. Release
 * with bs_index_stats_deinit. */
enum bs_status bs_index_stats_read(const struct bs_snapshot *snapshot,
                                   struct bs_index_stats *stats_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_index_stats_deinit(struct bs_index_stats *stats);

/* A name such as "document columns". Never NULL. */
const char *bs_part_name(enum bs_part part);
