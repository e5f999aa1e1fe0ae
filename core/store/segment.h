/*
 * segment.h: a segment, an immutable file with some documents, their lexicon, their shards and
 * their stored text.
 *
 * The functions bs_segment_write_* write the shards and the head of a segment, whose contents the
 * indexer computes. Any number of threads may use an open segment. Format: core/FORMAT.md.
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

/* The numbers of a segment, in the order of the file. */
struct bs_segment_meta {
	uint64_t n_docs;
	uint64_t n_terms;    /* distinct terms, including word pairs */
	uint64_t n_postings; /* (document, distinct term) pairs, including word pairs */
	/* Sum of the lengths of the documents. The avgdl of BM25 is the sum of n_positions over the
	 * segments, divided by the sum of n_docs. */
	uint64_t n_positions;
	uint64_t text_bytes; /* bytes of the analysed text */
	uint64_t n_shards;
	uint64_t density_ppm; /* target density, in millionths */
};

/* A shard to be written. Columns are native words, which must be little-endian. */
struct bs_shard_image {
	struct bs_shard_shape shape;
	const uint32_t *rows; /* shape.n_docs document numbers */
	/* Columns of all levels, then the exact columns: n_lines lines of 8 words. */
	const uint64_t *columns;
	uint64_t n_lines;
	/* shape.n_exact ordinals, ascending; for both kinds of shards */
	const uint32_t *exact_terms;
	const struct bs_kernel *kernel; /* for counting set bits */
	const struct bs_term_treatment_table *treatments;
	/* The remaining fields are for forward indexes (core/matrix/forward_index.h). */
	/* shape.n_docs + 1 offsets in forward_terms: where the terms of each row begin */
	const uint64_t *forward_offsets;
	const uint32_t *forward_terms; /* ordinals, ascending within a row */
	/* bs_forward_groups(shape.n_docs) + 1 offsets in filter_words, in words */
	const uint64_t *filter_offsets;
	const uint64_t *filter_words;
	/* bs_forward_groups(shape.n_docs) words per exact column */
	const uint64_t *forward_columns;
};

/* Writes shard i and appends its entry to `entries`, for bs_segment_write_head. Errors are sticky
 * in the writer. */
enum bs_status bs_segment_write_shard(struct bs_file_writer *writer, uint32_t i,
                                      const struct bs_shard_image *image, struct bs_buffer *entries,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Writes meta, field names (NUL-terminated), treatments, tf levels and shard entries. */
void bs_segment_write_head(struct bs_file_writer *writer, const struct bs_segment_meta *meta,
                           const struct bs_buffer *field_names,
                           const struct bs_term_treatment_table *treatments,
                           const struct bs_tf_levels *tf_levels, const struct bs_buffer *entries);

/* The lexicon of a segment, and the data of its terms outside the shards. */
struct bs_segment_terms {
	/* The numbers of columns of a term, by its df. */
	struct bs_term_treatment_table treatments;
	struct bs_lexicon lexicon;     /* the terms, in order */
	struct bs_tf_table tfs;        /* tf codes, by document */
	struct bs_tf_levels tf_levels; /* the minimum tf of each level */
	/* Rows that pass the columns of a frequent term without having it. */
	struct bs_false_positives false_positives;
	/* Rare terms, and the documents that have them. */
	struct bs_rare_term_lists rare_term_lists;
};

/* The trigrams that occur in the segment: in its terms, and in the texts of its files. */
struct bs_segment_trigrams {
	bool are_known;              /* false: the segment has no set of trigrams */
	struct bs_coded_section set; /* trigrams, numbered by bs_summary_gram */
};

/* The stored texts of the documents, see corpus/read/text_store.h. All empty if none is stored. */
struct bs_segment_store {
	struct bs_section dictionary; /* compression dictionary */
	struct bs_section offsets;    /* offsets of the frames */
	struct bs_section frames;
};

struct bs_segment {
	struct bs_container *file;
	struct bs_segment_meta meta;
	struct bs_segment_terms terms;
	/* Sources, names, lengths and places of the documents. */
	struct bs_doc_table docs;
	struct bs_shard *shards;      /* meta.n_shards */
	struct bs_gram_shards grams;  /* signatures of grams */
	struct bs_value_table values; /* numbers and dates of the fields */
	struct bs_id_table ids;       /* ids of records from standard input; may be empty */
	struct bs_segment_trigrams trigrams;
	struct bs_section field_names; /* NUL-terminated, consecutive */
	struct bs_segment_store stored;
};

/* Opens a segment into the caller's struct. Validates all of it except the contents of large
 * sections, whose pages are verified when touched. Release with bs_segment_deinit. Failures as
 * bs_container_open. */
enum bs_status bs_segment_open(struct bs_segment *segment, const struct bs_dir *dir,
                               const char *name, struct bs_error *err) BS_WARN_UNUSED;
/* Opens a condensed segment (indexer/segment/condense.h). Sets only file, meta, the treatments, the
 * tf levels and the lexicon. Failures as bs_container_open. */
enum bs_status bs_segment_open_condensed(struct bs_segment *segment, const struct bs_dir *dir,
                                         const char *name, struct bs_error *err) BS_WARN_UNUSED;
void bs_segment_deinit(struct bs_segment *segment);
/* Reads the shape of shard i of a segment or a condensed segment. BS_CORRUPT, BS_UNSUPPORTED. */
enum bs_status bs_segment_shape(const struct bs_segment *segment, uint32_t i,
                                struct bs_shard_shape *shape_out,
                                struct bs_error *err) BS_WARN_UNUSED;
