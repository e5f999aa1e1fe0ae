/* manifest.h: the root of an index: its options, sources and segments. One small file, which each
 * commit replaces as a whole. Files that it does not name do not belong to the index. */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/bitsift/skip.h"
#include "core/collections/string_list.h"
#include "core/collections/term_table.h"
#include "core/file/container.h"
#include "core/text/tokenizer.h"

/* Rates of summaries (summary.h), as recorded: multiples of 1 / BS_SUMMARY_RATE_UNIT. */
#define BS_SUMMARY_RATE_UNIT 1000000000u
#define BS_SUMMARY_DEFAULT   (BS_SUMMARY_RATE_UNIT / 100)
#define BS_SUMMARY_MOST_RATE (BS_SUMMARY_RATE_UNIT / 2)

/* Options recorded in the index. A refresh uses them again, and queries are analysed by them. */
struct bs_recorded_options {
	bool words;
	bool grams;
	bool store; /* store the text of every source */
	bool fold_accents;
	char *stem_language; /* NULL: no stemming */
	char *id_field;      /* NULL: "id" */
	char **text_fields;  /* NULL-terminated; NULL: all fields */
	bool hidden;
	bool no_ignore;
	bool binary_as_text;
	/* With `grams`: whether collections that the user named get grams even if no source is a
	 * folder or a file. Ignored by comparisons of options. */
	bool gram_collections;
	char **globs; /* NULL-terminated, or NULL */
	/* Whether a file found in a folder is read record by record if it is a collection by its
	 * name and its first line (corpus/read/recognize.h). */
	bool reads_records;
	/* Whether records have grams. Set by a writer of in-memory documents whose request asks for
	 * grams, not by bs_index_build. Ignored by comparisons of options. */
	bool record_grams;
	/* Globs of the files that are read as collections, in addition to *.jsonl and *.ndjson;
	 * NULL-terminated, or NULL. */
	char **records;
	double density; /* target share of set bits in the columns of shards */
	/* Maximum bytes of a document; larger ones are skipped. 0: BS_DEFAULT_MAX_DOCUMENT. */
	uint64_t max_document;
	/* False positive rate of absent words in the summary, in units of 1 / BS_SUMMARY_RATE_UNIT.
	 * 0: no summary. Ignored by comparisons of options. */
	uint64_t summary_rate;
	/* BS_TOKENIZER_REVISION of the program that made the index. Ignored by comparisons of
	 * options. */
	uint32_t words_revision;
	bool split_identifiers;
	char **weights;      /* weights of fields, see field_weights.h; NULL: none */
	char *analyzer_name; /* the analyzer of texts; NULL: the tokenizer of tokenizer.h */
	/* The analyzer named analyzer_name, once bs_recorded_options_bind has set it; borrowed.
	 * Copies of the options share it. */
	const struct bs_analyzer *analyzer;
};

/* Sets options->analyzer to the caller's analyzer (nullable), or to NULL after a failure.
 * BS_UNSUPPORTED if it is not the recorded one (the message names both); BS_INVALID if it is
 * invalid. where: the name of the index, for messages. */
enum bs_status bs_recorded_options_bind(struct bs_recorded_options *options,
                                        const struct bs_analyzer *analyzer, const char *where,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* The tokenizer options of the index; borrows from options. */
struct bs_tokenizer_options bs_index_words_options(const struct bs_recorded_options *options);

#define BS_DEFAULT_MAX_DOCUMENT (UINT64_C(256) << 20)
uint64_t bs_max_document(const struct bs_recorded_options *options);

void bs_recorded_options_deinit(struct bs_recorded_options *options);
/* Whether all options are equal, except those that comparisons ignore (see the struct). */
bool bs_recorded_options_equal(const struct bs_recorded_options *a,
                               const struct bs_recorded_options *b);
/* Whether both read records in the same way: with the same id field and the same text fields. */
bool bs_recorded_options_read_same(const struct bs_recorded_options *a,
                                   const struct bs_recorded_options *b);
/* Counts of a source's files, or of a collection's records, that are not documents. */
struct bs_left_out {
	/* For each enum bs_skip: the number of skipped files or, of a collection, of skipped
	 * records. For a folder, the numbers of some reasons are always 0 (BS_SKIP_UNREADABLE,
	 * BS_SKIP_UNTRUSTED, BS_SKIP_BAD_RECORD, BS_SKIP_NO_TEXT), because a later walk need not
	 * find all these files again. */
	uint64_t n[BS_SKIP_MAX];
	struct bs_skip_kind binary[BS_SKIP_KINDS]; /* numbers of binary files, by file extension */
};

/*
 * A source as recorded. kind is an enum bs_source_kind (source_kind.h). path is absolute, or
 * relative to the folder that contains the index.
 *
 * A collection that was found in a folder is a source of its own, with a parent. Its path is
 * relative to that folder, and its label is that of the file, derived from the folder's label. A
 * parent has a smaller number than its children.
 */
struct bs_source_record {
	uint32_t kind;
	uint32_t parent; /* number of the folder + 1; 0: none */
	char *label;     /* the source as the user spelled it, for ids of documents; "" for "." */
	char *path;
	/* Of a collection: size, mtime ns, ctime ns and inode when it was read. Otherwise zeros. */
	uint64_t fingerprint[4];
	bool is_racy; /* the fingerprint proves nothing (BS_DOC_RACY in doc_table.h) */
	/* Whether the user has named the source in this run; it is then read even if it is outside
	 * the folder of the index. Not recorded. */
	bool is_named;
	bool is_told;        /* the user was notified that the source is not read; not recorded */
	uint64_t read_bytes; /* Of a collection: number of bytes that were read and indexed. */
	/* Of a collection: the number of lines in the first read_bytes bytes. Of standard input:
	 * the number of all lines that it ever had. */
	uint64_t read_lines;
	/* Of a folder: counts of its last walk. Of a collection: counts of what was read. */
	struct bs_left_out left_out;
	uint64_t read_checksum; /* Of a collection: XXH3-64 of the first read_bytes bytes. */
};

struct bs_segment_record {
	uint64_t number;     /* file seg-NUMBER */
	uint64_t tombstones; /* file del-NUMBER; 0: no document of the segment is deleted */
	uint64_t n_docs;
	uint64_t n_deleted;
	uint64_t n_bytes;
	/* the memory budget was full when the segment ended; compaction need not enlarge it */
	bool is_full;
	/* Whether the segment is a segment of rows: collections as files, for searches of files
	 * only. Word queries ignore it. */
	bool is_rows;
};

BS_VECTOR(bs_segment_records, struct bs_segment_record);

/* The numbers of commits and files in a manifest are less than this; others are corrupt. So numbers
 * cannot overflow later. */
#define BS_MOST_NUMBER (UINT64_MAX / 4)

/* The versions of the libraries that tokenized the index. */
struct bs_manifest_versions {
	char icu[16];
	char unicode[16];
};

/* The documents that were deleted by id. */
struct bs_manifest_exclusions {
	uint64_t number; /* file exc-NUMBER; 0: none was deleted by id */
	uint64_t n_docs;
};

/* The summary of the segments (summary.h). */
struct bs_manifest_summary {
	uint64_t number;        /* file summary-NUMBER; 0: no summary of these segments */
	uint64_t counts_number; /* file counts-NUMBER; 0: no counts */
};

/* A place in the list of skipped files. Zeros: its start. */
struct bs_non_document_place {
	size_t file_at;
	size_t fingerprint_at;
	/* the last fingerprint before the place that is not empty; the next one is coded as the
	 * difference from it */
	uint64_t last[4];
};
struct bs_non_document_start {
	struct bs_non_document_place place;
	uint32_t source;
};
BS_VECTOR(bs_non_document_starts, struct bs_non_document_start);

/* The list of skipped files, encoded as in the manifest's file, so that opening an index copies the
 * list as a whole. */
struct bs_non_document_list {
	struct bs_buffer files;
	struct bs_buffer fingerprints; /* one for each file, perhaps an empty one */
	/* the first file of each source that has some, by ascending numbers of sources */
	struct bs_non_document_starts starts;
	/* the last fingerprint in `fingerprints` that is not empty; zeros if all are empty */
	uint64_t last[4];
};

struct bs_manifest {
	uint64_t generation;  /* number of the commit, from 1 */
	uint64_t next_number; /* for the next new file */
	struct bs_manifest_versions versions;
	struct bs_recorded_options options;
	struct bs_source_record *sources;
	uint32_t n_sources;
	struct bs_segment_record *segments;
	uint32_t n_segments;
	/* Names of the fields indexed since the index was built from scratch (BS_MOST_FIELDS). */
	struct bs_term_table fields;
	/* skipped files, listed only in an index with grams */
	struct bs_non_document_list non_documents;
	struct bs_buffer passed_entries; /* entries (struct bs_passed_entry), encoded */
	/* passed_entries is complete: it has the hidden and ignored entries of all folders that are
	 * sources */
	bool has_passed_entries;
	struct bs_manifest_exclusions exclusions;
	struct bs_manifest_summary summary;
};

/* Zero-initialise; release with bs_manifest_deinit. After a failure of any function the struct can
 * still be released. */
void bs_manifest_deinit(struct bs_manifest *manifest);
/* Appends a source; copies its strings. BS_NO_MEMORY. */
enum bs_status bs_manifest_add_source(struct bs_manifest *manifest,
                                      const struct bs_source_record *record,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Replaces source i by a copy of the record. BS_NO_MEMORY. */
enum bs_status bs_manifest_replace_source(struct bs_manifest *manifest, uint32_t i,
                                          const struct bs_source_record *record,
                                          struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_manifest_add_segment(struct bs_manifest *manifest,
                                       const struct bs_segment_record *record,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* The number of the source or, for a collection that was found in a folder, of the folder. */
static inline uint32_t bs_manifest_root(const struct bs_manifest *manifest, uint32_t source)
{
	uint32_t parent = manifest->sources[source].parent;
	return parent ? parent - 1 : source;
}
/* The id of the file at path below a folder with this label. The caller frees it. BS_NO_MEMORY. */
enum bs_status bs_manifest_label_below(const char *label, const char *path, char **label_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* A skipped file: a file of a folder that is not a document, for example because it is binary. A
 * search of files must read it, too. But the search reads a binary file only up to the first NUL
 * byte, so it may skip a file in which this part is shorter than any match. The list of skipped
 * files is in document order, source by source. */
struct bs_non_documents {
	uint32_t source;
	uint32_t nul_end; /* offset after its first NUL byte; 0: unknown */
	/* The fingerprint of a binary file when it was read: size, mtime ns, ctime ns, inode.
	 * Zeros: not recorded, because the file is not binary, or the fingerprint was racy. */
	uint64_t fingerprint[4];
	const char *name;
};
bool bs_non_document_has_fingerprint(const struct bs_non_documents *file);
/* Appends a skipped file; the caller adds them in document order. BS_NO_MEMORY; BS_IO if the list
 * was moved to a temporary file and cannot be written. */
enum bs_status bs_manifest_add_non_document(struct bs_manifest *manifest,
                                            const struct bs_non_documents *file,
                                            struct bs_error *err) BS_WARN_UNUSED;
/* Reads the file at *place and moves *place after it; false at the end. The name is borrowed. */
bool bs_manifest_next_non_document(const struct bs_manifest *manifest,
                                   struct bs_non_document_place *place,
                                   struct bs_non_documents *file_out);
/* The place of the first skipped file of a source; the end if it has none. Files of the next source
 * follow those of this one. */
struct bs_non_document_place bs_manifest_find_non_documents(const struct bs_manifest *manifest,
                                                            uint32_t source);
struct bs_non_document_place bs_manifest_end_of_non_documents(const struct bs_manifest *manifest);
/* Removes the entries of files from `place` on. */
void bs_manifest_truncate_non_documents(struct bs_manifest *manifest,
                                        const struct bs_non_document_place *place);
bool bs_manifest_has_same_non_documents(const struct bs_manifest *a, const struct bs_manifest *b);
void bs_manifest_forget_non_documents(struct bs_manifest *manifest);

/* A file or folder in a source that the rules of the index (hidden, ignored) left out. A walk by
 * other rules may find it. The list of these entries is in the order of the walk, source by source.
 * It does not have the contents of folders that are left out. A list that would become too long is
 * not kept (has_passed_entries is false). */
struct bs_passed_entry {
	uint32_t source;
	enum bs_skip reason; /* BS_SKIP_HIDDEN to BS_SKIP_IGNORED_FOLDER */
	const char *path;    /* below the source */
};
/* If the list becomes too long, has_passed_entries becomes false. BS_NO_MEMORY. */
enum bs_status bs_manifest_add_passed_entry(struct bs_manifest *manifest,
                                            const struct bs_passed_entry *entry,
                                            struct bs_error *err) BS_WARN_UNUSED;
/* *at is 0 at first; returns false at the end. The path is borrowed. */
bool bs_manifest_next_passed_entry(const struct bs_manifest *manifest, size_t *at,
                                   struct bs_passed_entry *entry_out);
void bs_manifest_forget_passed_entries(struct bs_manifest *manifest);

/* Whether words of the index were tokenized by other rules than this library's: an earlier
 * BS_TOKENIZER_REVISION, or another version of ICU or Unicode. Then searches read every document.
 * Always false if the index has no words, or an analyzer. BS_UNSUPPORTED: ICU cannot be loaded. */
enum bs_status bs_manifest_has_other_words(const struct bs_manifest *manifest, bool *has_other_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* Whether the next build must index everything again: if bs_manifest_has_other_words; or if the
 * index has only grams, or an analyzer, and was made with another version of ICU or Unicode. */
enum bs_status bs_manifest_is_outdated(const struct bs_manifest *manifest, bool *is_outdated_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Records that the index has words by several rules. From then on, every program finds that
 * bs_manifest_has_other_words is true. */
void bs_manifest_mark_mixed_words(struct bs_manifest *manifest);
/* The number of field names in an index is limited, because all are held in memory. The length of a
 * name is limited, because no query names a longer field. Other names are not fields: in a query
 * they are text. */
#define BS_MOST_FIELDS      131072u
#define BS_MOST_FIELD_BYTES 255u
/* Adds the name of a field, or all names of a table. Ignores names that are known or too long, and
 * all once there are BS_MOST_FIELDS. BS_NO_MEMORY. */
enum bs_status bs_manifest_add_field(struct bs_manifest *manifest, const char *name,
                                     size_t name_bytes, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_manifest_add_fields(struct bs_manifest *manifest,
                                      const struct bs_term_table *fields,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* A deep copy of everything except the segments and their summary, into the caller's struct;
 * release it with bs_manifest_deinit. BS_NO_MEMORY. */
enum bs_status bs_manifest_copy_head(const struct bs_manifest *manifest,
                                     struct bs_manifest *copy_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* A deep copy. After BS_NO_MEMORY, too, release it with bs_recorded_options_deinit. */
enum bs_status bs_recorded_options_copy(const struct bs_recorded_options *options,
                                        struct bs_recorded_options *copy_out,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Writes PREFIX-NUMBER to `name` and returns it. index_dir.h lists the prefixes. */
#define BS_INDEX_NAME_BYTES 32
const char *bs_index_file_name(const char *prefix, uint64_t number, char name[BS_INDEX_NAME_BYTES]);
/* Creates the file PREFIX-NUMBER, replacing one that a killed run may have left. Failures as
 * bs_file_writer_open. */
enum bs_status bs_index_file_begin(const struct bs_dir *dir, const char *prefix, uint64_t number,
                                   enum bs_container_kind kind, struct bs_file_writer **writer_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Opens the file PREFIX-NUMBER. Failures as bs_container_open. */
enum bs_status bs_index_file_open(const struct bs_dir *dir, const char *prefix, uint64_t number,
                                  enum bs_container_kind kind, struct bs_container **file_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Iterates over the files of the commit except the manifest. *at is 0 at first; returns false at
 * the end. */
bool bs_manifest_next_file(const struct bs_manifest *manifest, size_t *at, uint64_t *number_out,
                           char name_out[BS_INDEX_NAME_BYTES]);

/* Reads the manifest. BS_NOT_FOUND if there is no index. */
enum bs_status bs_manifest_read(const struct bs_dir *dir, struct bs_manifest *manifest_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Replaces the manifest: writes a temporary file, syncs it, reads it back, renames it, syncs the
 * directory. This is the commit. If the new file cannot be read, or an earlier step fails, the old
 * manifest stays. */
enum bs_status bs_manifest_write(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Fails with status `why` because a file of the new commit cannot be read. reason: the error of
 * reading it. */
enum bs_status bs_manifest_refuse(const struct bs_dir *dir, enum bs_status why,
                                  const struct bs_error *reason,
                                  struct bs_error *err) BS_WARN_UNUSED;
