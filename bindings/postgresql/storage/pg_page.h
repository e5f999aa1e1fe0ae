/*
 * pg_page.h: the blocks of an index' relation. Block 0 is the metapage, which says which files the
 * index is made of, and which rows wait; all else are pages of a chain: of the bytes of a file
 * (pg_extent.h), or of rows that wait (pg_pending.h); or free.
 *
 * Who changes what. A new file's pages are written first, then the metapage names it. Whoever makes
 * or takes away files holds the writer's lock (bsp_writer_lock), a heavyweight one; inserts of rows
 * hold content locks alone, the metapage's before a page's.
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_PAGE_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_PAGE_H

#include "postgres.h"

#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/rel.h"

#define BSP_META_BLOCK 0
#define BSP_MAGIC      0x42534654 /* of the metapage */
#define BSP_VERSION    2          /* 1 had no condensed segments */

enum bsp_page_kind {
	BSP_PAGE_FREE = 1,
	BSP_PAGE_META,
	BSP_PAGE_FILE,
	BSP_PAGE_PENDING,
};

/* A chain's name: drawn at random, so that a page that was freed and used again is not taken for
 * what it was. */
struct bsp_name {
	uint8 bytes[16];
};

/* At the end of each page. */
struct bsp_special {
	struct bsp_name chain;
	BlockNumber next; /* of the chain; InvalidBlockNumber: none */
	uint32 number;    /* in the chain, from 0 */
	uint16 n_rows;    /* pending: rows that begin here */
	uint16 kind;
	uint32 magic;
};

/* Bytes of a chain that a page holds. */
#define BSP_PAGE_BYTES \
	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - MAXALIGN(sizeof(struct bsp_special)))

/* What names of segments begin with, and those of the same condensed. */
#define BSP_SEGMENT   "seg-"
#define BSP_CONDENSED "condensed-"

/* A file of the library, in a chain of pages: as it is, or, if it is a segment, condensed, from
 * which the library restores it. */
struct bsp_file {
	char name[32];
	struct bsp_name chain;
	uint64 n_bytes;   /* of the file, as searches read it */
	uint64 n_written; /* of what was written into the pages, the file or that condensed, */
	uint64 n_stored;  /* and as it lies there, compressed */
	BlockNumber first;
	uint32 checksum;         /* CRC-32C of the file, */
	uint32 checksum_written; /* and of what was written */
	bool is_condensed;
	uint8 reserved[3];
};

/* Rows that wait. */
struct bsp_pending {
	struct bsp_name chain;
	BlockNumber head, tail; /* InvalidBlockNumber: there are none */
};

struct bsp_meta {
	uint32 magic, version;
	char stemmer[32];
	bool fold_accents, split_identifiers, grams;
	uint8 reserved;
	uint32 n_columns;
	uint64 generation;          /* another with each change but of the tail of pending */
	struct bsp_pending pending; /* to which inserts append, */
	/* and those before them, to which nobody does: the next files are made of them */
	struct bsp_pending closing;
	uint32 n_files, reserved_too;
	struct bsp_file files[FLEXIBLE_ARRAY_MEMBER];
};

#define BSP_MOST_FILES \
	((BSP_PAGE_BYTES - offsetof(struct bsp_meta, files)) / sizeof(struct bsp_file))

/* A metapage's copy. */
union bsp_meta_copy {
	struct bsp_meta meta;
	char bytes[BLCKSZ];
};

static inline struct bsp_special *bsp_special_of(Page page)
{
	return (struct bsp_special *)PageGetSpecialPointer(page);
}
static inline uint32 bsp_used_bytes(Page page)
{
	return ((PageHeader)page)->pd_lower - MAXALIGN(SizeOfPageHeaderData);
}

void bsp_page_init(Page page, enum bsp_page_kind kind, const struct bsp_name *chain, uint32 number);
/* Is it a page of that chain, the number-th? */
bool bsp_page_is_of(Page page, enum bsp_page_kind kind, const struct bsp_name *chain,
                    uint32 number);
void bsp_name_draw(struct bsp_name *name_out);
static inline bool bsp_name_equals(const struct bsp_name *a, const struct bsp_name *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* The metapage's contents, of a page that was locked: checked. */
struct bsp_meta *bsp_meta_of(Relation index, Page page);
/* In an image of the page: how far it goes, by its number of files. */
void bsp_meta_set_end(Page page);
void bsp_meta_read(Relation index, union bsp_meta_copy *copy_out);

/* A block to be written anew, pinned and locked exclusively: a free one or, if there is none, a new
 * one. */
Buffer bsp_block_new(Relation index);
/* Marks a page as free, which is locked exclusively. */
void bsp_page_free(Relation index, Buffer buffer);
/* Marks the pages of a chain that nobody can reach any more as free. Stops where the chain was
 * broken already. */
void bsp_chain_free(Relation index, enum bsp_page_kind kind, const struct bsp_name *chain,
                    BlockNumber first);

/* An error: the metapage names pages that are not there. */
void bsp_fail_lost_pages(Relation index) pg_attribute_noreturn();

/* The lock of those who make files. False: somebody has it, and wait is false. */
bool bsp_writer_lock(Relation index, bool wait);
void bsp_writer_unlock(Relation index);

#endif
