/* catalog_file.h: reads and writes the file of a catalog (bitsift/catalog.h): the list of its
 * indexes, with the data that the catalog keeps of each. FORMAT.md, "Catalogs", describes the
 * bytes. */
#pragma once

#include "core/store/manifest.h"
#include "core/store/summary.h"

/* The maximum number of words of an index whose df is stored. */
#define BS_CATALOG_WORDS        256u
#define BS_CATALOG_FINGERPRINTS 4u /* numbers of a fingerprint */

enum bs_catalog_flag {
	/* The item was imported from another catalog, and its index has not been read since. */
	BS_CATALOG_IMPORTED = 1,
	/* a source of the index is a folder or a file, so `name:` is a field */
	BS_CATALOG_HAS_FILES = 2,
	/* Globs restrict the folders of the index, so it may lack files that a walk of its sources
	 * would find. */
	BS_CATALOG_IS_NARROW = 4,
	BS_CATALOG_SUMMARY = 8, /* the index has a summary */
};

/* The data that a catalog keeps of an index. Zero-initialise. */
struct bs_catalog_item {
	/* place: the real path of the index's directory; name: the index's name in the catalog. */
	char *place, *name;
	/* The index's manifest when the catalog last read it: size, mtime and ctime
	 * (bs_moment_code), inode. A size of 0 means that the index must be read again. */
	uint64_t fingerprint[BS_CATALOG_FINGERPRINTS];
	/* generation: of the manifest; n_docs, n_positions: the totals for scores (struct
	 * bs_snapshot_totals); analysis: bs_summary_analysis of the manifest. */
	uint64_t generation, n_docs, n_positions, analysis;
	unsigned flags; /* of enum bs_catalog_flag */
	/* The part of the manifest that a catalog stores: the options that define words, and the
	 * versions of ICU and Unicode. */
	struct bs_manifest read;
	struct bs_summary summary; /* valid if flags has BS_CATALOG_SUMMARY */
	/* The frequent words with their df, and the names and kinds of fields. Read with
	 * bs_catalog_df, bs_catalog_next_word and bs_catalog_field_kinds. */
	struct bs_section words, fields;
	/* The bytes that `summary`, `words` and `fields` refer to if the item was not read from a
	 * file. */
	struct bs_buffer own_summary, own_words, own_fields;
};

void bs_catalog_item_deinit(struct bs_catalog_item *item);
/* The df of a word, which counts deleted documents, too. *is_known_out is false if the df of this
 * word is not stored. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_catalog_df(const struct bs_catalog_item *item, const uint8_t *word,
                             size_t word_bytes, bool *is_known_out, uint64_t *df_out,
                             struct bs_error *err) BS_WARN_UNUSED;
/* Iterates over the stored words in ascending order. Begin with a zero-initialised struct; at the
 * end call bs_buffer_deinit for `word`. *is_there_out is false after the last word. BS_CORRUPT,
 * BS_NO_MEMORY. */
struct bs_catalog_word {
	struct bs_buffer word; /* the current word */
	uint64_t df;           /* document frequency of the current word */
	uint64_t offset;       /* offset of the next word in the section */
};
enum bs_status bs_catalog_next_word(const struct bs_catalog_item *item,
                                    struct bs_catalog_word *word, bool *is_there_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* The kinds of the field `name` of records in this index: flags of enum bs_field_kind
 * (bitsift/host.h); 0: no such field. BS_CORRUPT. */
enum bs_status bs_catalog_field_kinds(const struct bs_catalog_item *item, const uint8_t *name,
                                      size_t name_bytes, unsigned *kinds_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Decodes `words`, `fields` and `summary` entirely. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_catalog_item_check(const struct bs_catalog_item *item,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* An open catalog file. Its items point into it. */
struct bs_catalog_file {
	struct bs_container *container; /* NULL: the file does not exist yet */
	struct bs_catalog_item *items;
	size_t n_items;
};
/* Opens the file; a missing file is an empty catalog. Fails like bs_container_open.
 * bs_catalog_file_close accepts a zero-initialised struct. */
enum bs_status bs_catalog_file_open(const struct bs_dir *dir, const char *name,
                                    struct bs_catalog_file *file_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_catalog_file_close(struct bs_catalog_file *file);
/* Decodes the list of items only; `words`, `fields` and `summary` of each remain empty. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_catalog_read_items(const uint8_t *bytes, size_t n_bytes,
                                     struct bs_catalog_file *file,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* The name of an auxiliary file in the catalog's folder: a dot, the catalog's name, and `end`. The
 * caller frees it. NULL: no memory. */
char *bs_catalog_sibling_name(const char *name, const char *end);
/* Replaces the catalog file by one with these items. `add`: flags that are set in every item. The
 * new file is read back before the old one is replaced. Fails like bs_manifest_write. */
enum bs_status bs_catalog_file_write(const struct bs_dir *dir, const char *name,
                                     struct bs_catalog_item *const *items, size_t n_items,
                                     unsigned add, struct bs_error *err) BS_WARN_UNUSED;
