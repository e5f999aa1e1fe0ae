/* manifest.h: the root of an index: its options, its sources, its segments. One small file,
 * replaced as a whole by each commit; whatever it does not name does not exist. */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/bitsift/skip.h"
#include "core/collections/string_list.h"
#include "core/collections/term_table.h"
#include "core/file/container.h"
#include "core/text/tokenizer.h"

/* Rates of summaries (summary.h). */
#define BS_SUMMARY_RATE_UNIT 1000000000u /* rates are recorded as so many of these */
#define BS_SUMMARY_DEFAULT   (BS_SUMMARY_RATE_UNIT / 100)
#define BS_SUMMARY_MOST_RATE (BS_SUMMARY_RATE_UNIT / 2)

/* Options recorded with the index: a refresh uses them again, a query analyses by them. Owns its
 * strings. */
struct bs_recorded_options {
	bool words;
	bool grams;
	bool store; /* keep the text of every source */
	bool fold_accents;
	char *stem_language; /* NULL: none */
	char *id_field;      /* NULL: "id" */
	char **text_fields;  /* NULL-ended, or NULL: all */
	bool hidden;
	bool no_ignore;
	bool binary_as_text;
	/* named collections have grams, too, whatever else there is; of no weight where options are
	 * compared */
	bool gram_collections;
	char **globs; /* NULL-ended, or NULL */
	/* files of folders that are collections by name are read record by record */
	bool reads_records;
	/* those of records: of an index that a writer made so. Of no weight where options are
	 * compared */
	bool record_grams;
	char **records; /* ... more globs of such names, NULL-ended, or NULL */
	double density;
	uint64_t
		/* bytes: what is larger is passed over; 0 counts as BS_DEFAULT_MAX_DOCUMENT */
		max_document;
	uint64_t
		/* of absent words, see summary.h; 0: no summary. Of no weight where options are
		 * compared */
		summary_rate;
	uint32_t
		/* BS_TOKENIZER_REVISION of who made it; of no weight where options are compared */
		words_revision;
	bool split_identifiers;
	char **weights;      /* of fields: see field_weights.h. NULL: none */
	char *analyzer_name; /* who cuts texts into words; NULL: the rules of tokenizer.h */
	const struct bs_analyzer
		*analyzer; /* that one, borrowed, once it is bound; copies have it, too */
};

/* The analyzer that words are to be cut with, nullable: BS_UNSUPPORTED, naming both, if it is not
 * the recorded one, or BS_INVALID. where: the index. */
enum bs_status bs_recorded_options_bind(struct bs_recorded_options *options,
                                        const struct bs_analyzer *analyzer, const char *where,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* How its words are analysed; borrowed from the options. */
struct bs_tokenizer_options bs_index_words_options(const struct bs_recorded_options *options);

#define BS_DEFAULT_MAX_DOCUMENT (UINT64_C(256) << 20)
uint64_t bs_max_document(const struct bs_recorded_options *options);

void bs_recorded_options_deinit(struct bs_recorded_options *options);
/* Equal in everything that decides the content of an index. */
bool bs_recorded_options_equal(const struct bs_recorded_options *a,
                               const struct bs_recorded_options *b);
/* Equal in what records are called and which of their fields are text. */
bool bs_recorded_options_read_same(const struct bs_recorded_options *a,
                                   const struct bs_recorded_options *b);
/* What a source has beside its documents. */
struct bs_left_out {
	uint64_t n[BS_SKIP_MAX]; /* by enum bs_skip; of a folder what a walk finds anew each time */
	struct bs_skip_kind binary[BS_SKIP_KINDS];
};

/* A source as recorded. kind is an enum bs_source_kind (source_kind.h); path is absolute, or
 * relative to the folder the index lies in.
 *
 * A collection that was found in a folder is a source of its own, with a parent: its path is the
 * one below that folder, and its label, which is that of the file, is made of the folder's. A
 * parent has the smaller number. */
struct bs_source_record {
	uint32_t kind;
	uint32_t parent; /* number of the folder + 1; 0: none */
	char *label;
	char *path;
	uint64_t fingerprint
		/* of a collection: size, mtime ns, ctime ns, inode when it was read; else zero */
		[4];
	bool is_racy; /* the fingerprint proves nothing (see SUSPECT in doc_table.h) */
	/* whoever runs now has named it, so it is followed wherever it is; not recorded */
	bool is_named;
	bool is_told;        /* it was said already that it is not followed; not recorded */
	uint64_t read_bytes; /* of a collection: how far it was read */
	uint64_t read_lines;
	struct bs_left_out
		/* of a folder, when it was last walked; of a collection, in what was read of it */
		left_out;
	uint64_t
		/* XXH3-64 of those bytes; of standard input, where read_lines is all it ever had:
		 * unused */
		read_checksum;
};

struct bs_segment_record {
	uint64_t number;     /* file seg-NUMBER */
	uint64_t tombstones; /* file del-NUMBER, or 0: no document of it is deleted */
	uint64_t n_docs;
	uint64_t n_deleted;
	uint64_t n_bytes;
	bool is_full; /* it ended because memory did: compaction need not make it larger */
	/* of collections as files, for searches of files alone: no documents to the index of
	 * words */
	bool is_rows;
};

BS_VECTOR(bs_segment_records, struct bs_segment_record);

/* Of commits and of files: a manifest with a greater one is corrupt, so that there is room for all
 * to come. */
#define BS_MOST_NUMBER (UINT64_MAX / 4)

/* The versions that the words of an index were cut with. */
struct bs_manifest_versions {
	char icu[16];
	char unicode[16];
};

/* The documents that were deleted by id. */
struct bs_manifest_exclusions {
	uint64_t number; /* file exc-NUMBER, or 0: nothing was deleted by id */
	uint64_t n_docs;
};

/* The summary of the segments (summary.h). */
struct bs_manifest_summary {
	uint64_t number;        /* file summary-NUMBER, or 0: these segments have no summary */
	uint64_t counts_number; /* file counts-NUMBER, or 0: the summary has no counts */
};

struct bs_manifest {
	uint64_t generation;  /* of the commit, from 1 */
	uint64_t next_number; /* for the next file */
	struct bs_manifest_versions versions;
	struct bs_recorded_options options;
	struct bs_source_record *sources;
	uint32_t n_sources;
	struct bs_segment_record *segments;
	uint32_t n_segments;
	struct bs_term_table
		fields; /* names of every field indexed since the index was made anew */
	struct bs_buffer non_documents; /* index of grams: files that are no documents, see below */
	struct bs_manifest_exclusions exclusions;
	struct bs_manifest_summary summary;
};

/* Zero-initialise; all functions leave it releasable. Deinit frees the strings and arrays. */
void bs_manifest_deinit(struct bs_manifest *manifest);
enum bs_status bs_manifest_add_source(struct bs_manifest *manifest,
                                      const struct bs_source_record *record,
                                      struct bs_error *err) BS_WARN_UNUSED; /* copies the strings */
/* The same in the place of source i. */
enum bs_status bs_manifest_replace_source(struct bs_manifest *manifest, uint32_t i,
                                          const struct bs_source_record *record,
                                          struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_manifest_add_segment(struct bs_manifest *manifest,
                                       const struct bs_segment_record *record,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* The source that is listed: itself, or the folder that a collection was found in. */
static inline uint32_t bs_manifest_root(const struct bs_manifest *manifest, uint32_t source)
{
	uint32_t parent = manifest->sources[source].parent;
	return parent ? parent - 1 : source;
}
/* The id of the file at path below a folder with this label. To be freed. BS_NO_MEMORY. */
enum bs_status bs_manifest_label_below(const char *label, const char *path, char **label_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Files of folders that are no documents, as when they are binary: a search of the sources must
 * look into them all the same, but for one that ends at a NUL byte and matches nothing that is as
 * short as what stands before. In document order, source by source. add: BS_NO_MEMORY. next: from
 * *at = 0 on, false at the end; the name is borrowed. */
struct bs_non_documents {
	uint32_t source;
	uint32_t nul_end; /* where its first NUL byte ends; 0: not known */
	const char *name;
};
enum bs_status bs_manifest_add_non_document(struct bs_manifest *manifest,
                                            const struct bs_non_documents *file,
                                            struct bs_error *err) BS_WARN_UNUSED;
bool bs_manifest_next_non_document(const struct bs_manifest *manifest, size_t *at,
                                   struct bs_non_documents *file_out);

/* Whether words of the index were cut by other rules than this program's: an earlier
 * BS_TOKENIZER_REVISION, or another version of ICU or Unicode. Then searches read every document.
 * Never where words are those of an analyzer. BS_UNSUPPORTED: ICU cannot be loaded. */
enum bs_status bs_manifest_has_other_words(const struct bs_manifest *manifest, bool *has_other_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* Whether the next build is to index everything again: that, or an index of grams alone or with an
 * analyzer was made with another version of ICU or Unicode. */
enum bs_status bs_manifest_is_outdated(const struct bs_manifest *manifest, bool *is_outdated_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Words of this program's rules are added to an index that has others: no program takes the
 * recorded versions for its own from then on. */
void bs_manifest_mix_words(struct bs_manifest *manifest);
/* An index knows so many names of fields at most, which are in memory whatever it is made of or
 * asked, and no longer ones, which no query names. Others are not fields: in a query they are
 * text. */
#define BS_MOST_FIELDS      131072u
#define BS_MOST_FIELD_BYTES 255u
/* Adds a field's name, or all those of a table, unless it is known or too long, or they are too
 * many. BS_NO_MEMORY. */
enum bs_status bs_manifest_add_field(struct bs_manifest *manifest, const char *name,
                                     size_t name_bytes, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_manifest_add_fields(struct bs_manifest *manifest,
                                      const struct bs_term_table *fields,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* A deep copy of everything but the segments. The caller's struct, for bs_manifest_deinit.
 * BS_NO_MEMORY. */
enum bs_status bs_manifest_copy_head(const struct bs_manifest *manifest,
                                     struct bs_manifest *copy_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* A deep copy. BS_NO_MEMORY leaves something for bs_recorded_options_deinit. */
enum bs_status bs_recorded_options_copy(const struct bs_recorded_options *options,
                                        struct bs_recorded_options *copy_out,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* PREFIX-NUMBER, put into name, which is returned. prefix: "seg", "del", "exc", "summary" or
 * "counts". */
#define BS_INDEX_NAME_BYTES 32
const char *bs_index_file_name(const char *prefix, uint64_t number, char name[BS_INDEX_NAME_BYTES]);
/* Starts the file of that name, in the place of one that a killed run may have left. As
 * bs_file_writer_open. */
enum bs_status bs_index_file_begin(const struct bs_dir *dir, const char *prefix, uint64_t number,
                                   enum bs_container_kind kind, struct bs_file_writer **writer_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Opens it. As bs_container_open. */
enum bs_status bs_index_file_open(const struct bs_dir *dir, const char *prefix, uint64_t number,
                                  enum bs_container_kind kind, struct bs_container **file_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* The files of the commit beside the manifest, from *at = 0 on; false at the end. */
bool bs_manifest_next_file(const struct bs_manifest *manifest, size_t *at, uint64_t *number_out,
                           char name_out[BS_INDEX_NAME_BYTES]);

/* Reads it. BS_NOT_FOUND if there is no index. */
enum bs_status bs_manifest_read(const struct bs_dir *dir, struct bs_manifest *manifest_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Replaces it: a temporary file, fsync, read it again, rename, fsync of the directory. This is the
 * commit. BS_CORRUPT: the new file breaks a rule of bs_manifest_read, and the old manifest
 * stays. */
enum bs_status bs_manifest_write(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Fails with `why`: a file of the commit that is being written cannot be read, for this reason. */
enum bs_status bs_manifest_refuse(const struct bs_dir *dir, enum bs_status why,
                                  const struct bs_error *reason,
                                  struct bs_error *err) BS_WARN_UNUSED;
