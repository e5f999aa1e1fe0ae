/*
 * catalog_file.h: what a catalog (bitsift/catalog.h) has of its indexes, as it is in its file, and
 * how it is come by. Bytes in FORMAT.md, "Catalogs".
 */
#pragma once

#include "core/store/manifest.h"
#include "core/store/summary.h"

/* Of so many words of an index the df is kept. */
#define BS_CATALOG_WORDS        256u
#define BS_CATALOG_FINGERPRINTS 4u

enum bs_catalog_flag {
	BS_CATALOG_IMPORTED = 1,
	BS_CATALOG_HAS_FILES = 2, /* `name:` is a field */
	BS_CATALOG_IS_NARROW = 4, /* it has not all files that a walk of its sources would search */
	BS_CATALOG_SUMMARY = 8,   /* it has one */
};

/* What is known of an index. Zero-initialise. */
struct bs_catalog_item {
	char *place, *name;
	/* of its manifest: size, mtime and ctime in ns, inode */
	uint64_t fingerprint[BS_CATALOG_FINGERPRINTS];
	uint64_t generation, n_docs, n_positions, analysis;
	unsigned flags;                  /* of enum bs_catalog_flag */
	struct bs_manifest read;         /* of it, how words are read and by which ICU */
	struct bs_summary summary;       /* if it has one */
	struct bs_section words, fields; /* see bs_catalog_df, bs_catalog_field_kinds */
	/* of what is not in a file: the same bytes */
	struct bs_buffer own_summary, own_words, own_fields;
};

void bs_catalog_item_deinit(struct bs_catalog_item *item);
/* In how many documents the word stands; *is_known_out false: that is not kept. BS_CORRUPT. */
enum bs_status bs_catalog_df(const struct bs_catalog_item *item, const uint8_t *word,
                             size_t word_bytes, bool *is_known_out, uint64_t *df_out,
                             struct bs_error *err) BS_WARN_UNUSED;
/* The next of the words, in order, from zeros on. False in *is_there_out: there are no more.
 * BS_CORRUPT, BS_NO_MEMORY. */
struct bs_catalog_word {
	struct bs_buffer word;
	uint64_t df;
	uint64_t offset; /* of the next one */
};
enum bs_status bs_catalog_next_word(const struct bs_catalog_item *item,
                                    struct bs_catalog_word *word, bool *is_there_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* What the name means there, of enum bs_field_kind (bitsift/query.h); 0: nothing. BS_CORRUPT. */
enum bs_status bs_catalog_field_kinds(const struct bs_catalog_item *item, const uint8_t *name,
                                      size_t name_bytes, unsigned *kinds_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* All that it points to, decoded. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_catalog_item_check(const struct bs_catalog_item *item,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* The file, open; items point into it. */
struct bs_catalog_file {
	struct bs_container *container; /* NULL: there is none yet */
	struct bs_catalog_item *items;
	size_t n_items;
};
/* A file that is not there is an empty one. BS_CORRUPT and so on as bs_container_open. Zeros are
 * fine to close. */
enum bs_status bs_catalog_file_open(const struct bs_dir *dir, const char *name,
                                    struct bs_catalog_file *file_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_catalog_file_close(struct bs_catalog_file *file);
/* Reads the list of items alone; the rest of each is to be set. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_catalog_read_items(const uint8_t *bytes, size_t n_bytes,
                                     struct bs_catalog_file *file,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* The name of a file of ours that lies beside the one of that name, where its owner has none: a
 * hidden one. NULL: no memory. */
char *bs_catalog_name_beside(const char *name, const char *end);
/* Puts a file with these items in the place of the one of that name; each has the flags of add,
 * too. As bs_manifest_write. */
enum bs_status bs_catalog_file_write(const struct bs_dir *dir, const char *name,
                                     struct bs_catalog_item *const *items, size_t n_items,
                                     unsigned add, struct bs_error *err) BS_WARN_UNUSED;
