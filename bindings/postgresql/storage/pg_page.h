/*
 * pg_page.h: the blocks of an index relation. Block 0 is the metapage: it lists the files of the
 * index and the chains of pending rows. Every other block is free or a page of a chain. A chain has
 * the bytes of a file (pg_extent.h) or pending rows (pg_pending.h).
 *
 * Locking: the pages of a new file are written before the metapage lists it. A backend that adds or
 * removes files holds the writer's lock (bsp_writer_lock), a heavyweight lock. Inserts do not take
 * it. They take content locks, the metapage's before that of a page, and bsp_append_lock
 * (pg_pending.h) if they add pages.
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_PAGE_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_PAGE_H

#include "postgres.h"

#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/rel.h"

#define BSP_META_BLOCK 0
#define BSP_MAGIC      0x42534654 /* in every page, and again in the metapage's contents */
#define BSP_VERSION    2          /* version 1 had no condensed segments */

enum bsp_page_kind {
	BSP_PAGE_FREE = 1,
	BSP_PAGE_META,
	BSP_PAGE_FILE,
	BSP_PAGE_PENDING,
};

/* The random name of a chain, so that a page that was freed and reused is not taken for its former
 * content. */
struct bsp_name {
	uint8 bytes[16];
};

/* The special space of every page. */
struct bsp_special {
	struct bsp_name chain;
	BlockNumber next; /* next page of the chain, or InvalidBlockNumber */
	uint32 number;    /* position of the page in the chain, from 0 */
	uint16 n_rows;    /* pages of pending rows: the number of rows that begin here */
	uint16 kind;
	uint32 magic;
};

/* The payload bytes of a page of a chain. */
#define BSP_PAGE_BYTES \
	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - MAXALIGN(sizeof(struct bsp_special)))

/* Prefixes of the names of segments and condensed segments. */
#define BSP_SEGMENT   "seg-"
#define BSP_CONDENSED "condensed-"

/* A file of the library, stored in a chain of pages. A segment may be stored condensed; the library
 * restores it. */
struct bsp_file {
	char name[32];
	struct bsp_name chain;
	uint64 n_bytes; /* size of the file as searches read it */
	/* size of the bytes that were written to pages, before compression: the file or its
	 * condensed form */
	uint64 n_written;
	uint64 n_stored; /* size of the written bytes after compression */
	BlockNumber first;
	uint32 checksum;         /* CRC-32C of the file as searches read it */
	uint32 checksum_written; /* CRC-32C of the bytes before compression */
	bool is_condensed;
	uint8 reserved[3];
};

/* A chain of pending rows. */
struct bsp_pending {
	struct bsp_name chain;
	BlockNumber head, tail; /* InvalidBlockNumber if the chain is empty */
};

struct bsp_meta {
	uint32 magic, version;
	char stemmer[32];
	bool fold_accents, split_identifiers, grams;
	uint8 reserved;
	uint32 n_columns;
	/* Changes with every change of the metapage, except when an insert changes `pending`. */
	uint64 generation;
	struct bsp_pending pending; /* the chain that inserts append to */
	/* A closed chain, which is no longer appended to; the next flush writes its rows to
	 * files. */
	struct bsp_pending closing;
	uint32 n_files, reserved_too;
	struct bsp_file files[FLEXIBLE_ARRAY_MEMBER];
};

#define BSP_MOST_FILES \
	((BSP_PAGE_BYTES - offsetof(struct bsp_meta, files)) / sizeof(struct bsp_file))

/* A copy of the metapage. */
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
/* True if the page is the `number`-th page of this chain. */
bool bsp_page_is_of(Page page, enum bsp_page_kind kind, const struct bsp_name *chain,
                    uint32 number);
void bsp_name_draw(struct bsp_name *name_out);
static inline bool bsp_name_equals(const struct bsp_name *a, const struct bsp_name *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* The validated contents of the metapage; the caller holds its content lock. Throws if it is not a
 * metapage of this version. */
struct bsp_meta *bsp_meta_of(Relation index, Page page);
/* Sets pd_lower of an image of the metapage to the end of its list of files. */
void bsp_meta_set_end(Page page);
void bsp_meta_read(Relation index, union bsp_meta_copy *copy_out);

/* Returns a free block or a new one, pinned and exclusively locked; its contents are undefined. */
Buffer bsp_block_new(Relation index);
/* Marks a page, which is exclusively locked, as free. */
void bsp_page_free(Relation index, Buffer buffer);
/* Frees the pages of a chain that is no longer reachable. Stops at the first page that does not
 * belong to the chain. */
void bsp_chain_free(Relation index, enum bsp_page_kind kind, const struct bsp_name *chain,
                    BlockNumber first);

/* Throws: the metapage refers to pages that do not exist. */
void bsp_fail_lost_pages(Relation index) pg_attribute_noreturn();

/* Takes the lock of backends that add or remove files. False if `wait` is false and another backend
 * holds the lock. */
bool bsp_writer_lock(Relation index, bool wait);
void bsp_writer_unlock(Relation index);

#endif
