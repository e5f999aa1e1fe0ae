/*
 * segment.h: one immutable file of the index: some documents, their lexicon, their shards, their
 * stored text.
 *
 * Written by bs_segment_write_* in a fixed order (the indexer's part is to compute, this file's
 * part is to know the bytes), opened for reading by any number of threads. FORMAT.md is the prose.
 */
#pragma once

#include "core/base/error.h"
#include "core/file/coded_section.h"
#include "core/file/container.h"
#include "core/lexicon/lexicon.h"
#include "core/matrix/false_positives.h"
#include "core/matrix/gram_shard.h"
#include "core/matrix/rare_term_list.h"
#include "core/matrix/shard.h"
#include "core/matrix/term_treatment.h"
#include "core/matrix/tf_code.h"
#include "core/matrix/tf_levels.h"
#include "core/matrix/value_column.h"
#include "core/store/doc_table.h"
#include "core/store/id_table.h"

/* The numbers of a segment, as they stand in the file too. */
struct bs_segment_meta {
	uint64_t n_docs;
	uint64_t n_terms;    /* distinct terms, pairs included */
	uint64_t n_postings; /* (document, distinct term) pairs, pairs included */
	/* sum of the documents' lengths: BM25's avgdl is the sum over segments / n_docs */
	uint64_t n_positions;
	uint64_t text_bytes; /* of the analysed text */
	uint64_t n_shards;
	uint64_t density_ppm; /* the density asked for, in millionths */
};

/* A shard as the indexer hands it over. Columns are native words, which must be little-endian. */
struct bs_shard_image {
	struct bs_shard_shape shape;
	const uint32_t *rows; /* shape.n_docs document numbers */
	/* every level's columns, then the exact ones; n_lines lines of 8 words */
	const uint64_t *columns;
	uint64_t n_lines;
	const uint32_t *exact_terms;    /* shape.n_exact ordinals, ascending; both kinds */
	const struct bs_kernel *kernel; /* for the popcounts */
	const struct bs_term_treatment_table *treatments;
	/* forward indexes: shape.n_docs + 1, counted in ordinals */
	const uint64_t *forward_offsets;
	const uint32_t *forward_terms;  /* ascending within a row */
	const uint64_t *filter_offsets; /* bs_forward_groups(shape.n_docs) + 1 */
	const uint64_t *filter_words;
	/* bs_forward_groups(shape.n_docs) words an exact column */
	const uint64_t *forward_columns;
};

/* Appends shard number i and its entry to entries (written by bs_segment_write_head). Sticky like
 * the writer. */
enum bs_status bs_segment_write_shard(struct bs_file_writer *writer, uint32_t i,
                                      const struct bs_shard_image *image, struct bs_buffer *entries,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Meta, field names (NUL-ended, one after the other), treatments, tf levels and shard entries. */
void bs_segment_write_head(struct bs_file_writer *writer, const struct bs_segment_meta *meta,
                           const struct bs_buffer *field_names,
                           const struct bs_term_treatment_table *treatments,
                           const struct bs_tf_levels *tf_levels, const struct bs_buffer *entries);

/* The lexicon of a segment, and the data of its terms that is not in the shards. */
struct bs_segment_terms {
	/* the columns that a term has, by its frequency */
	struct bs_term_treatment_table treatments;
	struct bs_lexicon lexicon;     /* the terms, in order */
	struct bs_tf_table tfs;        /* term frequencies, by document */
	struct bs_tf_levels tf_levels; /* the frequencies at which each tf level begins */
	/* rows that only seem to have a frequent term */
	struct bs_false_positives false_positives;
	/* rare terms and the documents that have them */
	struct bs_rare_term_lists rare_term_lists;
};

/* The trigrams that occur in the segment: in its terms and in the text of its files. */
struct bs_segment_trigrams {
	bool are_known;              /* false: the segment has no such set */
	struct bs_coded_section set; /* a bit for each trigram, numbered by bs_summary_gram */
};

/* The stored text of the documents, see corpus/read/text_store.h. All empty if none is stored. */
struct bs_segment_store {
	struct bs_section dictionary; /* of the compression */
	struct bs_section offsets;    /* where each frame begins */
	struct bs_section frames;
};

struct bs_segment {
	struct bs_container *file;
	struct bs_segment_meta meta;
	struct bs_segment_terms terms;
	/* sources, names, lengths and fingerprints of the documents */
	struct bs_doc_table docs;
	struct bs_shard *shards;      /* meta.n_shards */
	struct bs_gram_shards grams;  /* the signatures of grams */
	struct bs_value_table values; /* the numbers and dates of the fields */
	struct bs_id_table ids;       /* of records from standard input; may be empty */
	struct bs_segment_trigrams trigrams;
	struct bs_section field_names; /* NUL-ended, one after the other */
	struct bs_segment_store stored;
};

/* Opens and validates everything but the checksums of pages, which are verified when touched. The
 * caller's struct; release with bs_segment_deinit. Errors as bs_container_open. */
enum bs_status bs_segment_open(struct bs_segment *segment, const struct bs_dir *dir,
                               const char *name, struct bs_error *err) BS_WARN_UNUSED;
/* The same of a condensed one (indexer/segment/condense.h), as far as it can be: its numbers,
 * treatments, tf levels and lexicon. */
enum bs_status bs_segment_open_condensed(struct bs_segment *segment, const struct bs_dir *dir,
                                         const char *name, struct bs_error *err) BS_WARN_UNUSED;
void bs_segment_deinit(struct bs_segment *segment);
/* What the entry of shard i says, of either. */
enum bs_status bs_segment_shape(const struct bs_segment *segment, uint32_t i,
                                struct bs_shard_shape *shape_out,
                                struct bs_error *err) BS_WARN_UNUSED;
