/* pg_page.c: see pg_page.h. */
#include "bindings/postgresql/storage/pg_page.h"

#include "access/generic_xlog.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/indexfsm.h"
#include "storage/lmgr.h"

void bsp_name_draw(struct bsp_name *name_out)
{
	if (!pg_strong_random(name_out->bytes, sizeof(name_out->bytes)))
		ereport(ERROR,
		        (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not draw a random name")));
}

void bsp_page_init(Page page, enum bsp_page_kind kind, const struct bsp_name *chain, uint32 number)
{
	PageInit(page, BLCKSZ, sizeof(struct bsp_special));
	struct bsp_special *special = bsp_special_of(page);
	if (chain)
		special->chain = *chain;
	special->next = InvalidBlockNumber;
	special->number = number;
	special->kind = (uint16)kind;
	special->magic = BSP_MAGIC;
}

static bool is_ours(Page page)
{
	return !PageIsNew(page) &&
	       PageGetSpecialSize(page) == MAXALIGN(sizeof(struct bsp_special)) &&
	       bsp_special_of(page)->magic == BSP_MAGIC;
}

bool bsp_page_is_of(Page page, enum bsp_page_kind kind, const struct bsp_name *chain, uint32 number)
{
	if (!is_ours(page))
		return false;
	const struct bsp_special *special = bsp_special_of(page);
	return special->kind == kind && special->number == number &&
	       bsp_name_equals(&special->chain, chain);
}

static bool chain_is_sane(const struct bsp_pending *chain)
{
	return (chain->head == InvalidBlockNumber) == (chain->tail == InvalidBlockNumber);
}

struct bsp_meta *bsp_meta_of(Relation index, Page page)
{
	struct bsp_meta *meta = is_ours(page) && bsp_special_of(page)->kind == BSP_PAGE_META
	                                ? (struct bsp_meta *)PageGetContents(page)
	                                : NULL;
	bool is_meta = meta && meta->magic == BSP_MAGIC;
	if (is_meta && meta->version != BSP_VERSION)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		                errmsg("index \"%s\" is of version %u, this is version %d",
		                       RelationGetRelationName(index), meta->version, BSP_VERSION),
		                errhint("REINDEX makes it anew.")));
	if (!is_meta || meta->n_files > BSP_MOST_FILES || !chain_is_sane(&meta->pending) ||
	    !chain_is_sane(&meta->closing))
		ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
		                errmsg("index \"%s\": it is not a bitsift index (invalid metapage)",
		                       RelationGetRelationName(index)),
		                errhint("REINDEX makes it anew.")));
	return meta;
}

void bsp_meta_set_end(Page page)
{
	struct bsp_meta *meta = (struct bsp_meta *)PageGetContents(page);
	size_t n_bytes = offsetof(struct bsp_meta, files) + meta->n_files * sizeof(struct bsp_file);
	((PageHeader)page)->pd_lower = (LocationIndex)(MAXALIGN(SizeOfPageHeaderData) + n_bytes);
}

void bsp_meta_read(Relation index, union bsp_meta_copy *copy_out)
{
	/* A standby has no pages of an unlogged index. The planner would report this error later,
	 * but first calls bsp_index_analysis, which calls this function. */
	if (!RelationIsPermanent(index) && RecoveryInProgress())
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("cannot access temporary or unlogged relations during recovery")));
	Buffer buffer = ReadBuffer(index, BSP_META_BLOCK);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	const struct bsp_meta *meta = bsp_meta_of(index, BufferGetPage(buffer));
	memcpy(copy_out, meta,
	       offsetof(struct bsp_meta, files) + meta->n_files * sizeof(struct bsp_file));
	UnlockReleaseBuffer(buffer);
}

/* Returns a free block that the free space map lists, or InvalidBuffer. Checks each block, because
 * the map is not logged and may be wrong after a crash. */
static Buffer take_free(Relation index)
{
	BlockNumber block;
	while ((block = GetFreeIndexPage(index)) != InvalidBlockNumber) {
		if (block == BSP_META_BLOCK)
			continue;
		Buffer buffer = ReadBuffer(index, block);
		/* A page that another backend has locked is in use. */
		if (ConditionalLockBuffer(buffer)) {
			Page page = BufferGetPage(buffer);
			if (PageIsNew(page) ||
			    (is_ours(page) && bsp_special_of(page)->kind == BSP_PAGE_FREE))
				return buffer;
			LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		}
		ReleaseBuffer(buffer);
	}
	return InvalidBuffer;
}

Buffer bsp_block_new(Relation index)
{
	Buffer buffer = take_free(index);
	if (BufferIsValid(buffer))
		return buffer;
	bool is_shared = !RELATION_IS_LOCAL(index);
	if (is_shared)
		LockRelationForExtension(index, ExclusiveLock);
	buffer = ReadBuffer(index, P_NEW);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	if (is_shared)
		UnlockRelationForExtension(index, ExclusiveLock);
	return buffer;
}

void bsp_page_free(Relation index, Buffer buffer)
{
	GenericXLogState *change = GenericXLogStart(index);
	Page page = GenericXLogRegisterBuffer(change, buffer, 0);
	bsp_page_init(page, BSP_PAGE_FREE, NULL, 0);
	GenericXLogFinish(change);
	RecordFreeIndexPage(index, BufferGetBlockNumber(buffer));
}

void bsp_chain_free(Relation index, enum bsp_page_kind kind, const struct bsp_name *chain,
                    BlockNumber first)
{
	for (uint32 number = 0; first != InvalidBlockNumber; number++) {
		CHECK_FOR_INTERRUPTS();
		Buffer buffer = ReadBuffer(index, first);
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		Page page = BufferGetPage(buffer);
		bool is_of = bsp_page_is_of(page, kind, chain, number);
		if (is_of) {
			first = bsp_special_of(page)->next;
			bsp_page_free(index, buffer);
		}
		UnlockReleaseBuffer(buffer);
		if (!is_of)
			return;
	}
}

void bsp_fail_lost_pages(Relation index)
{
	ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
	                errmsg("index \"%s\" lacks pages that its first one names",
	                       RelationGetRelationName(index)),
	                errhint("REINDEX makes it anew.")));
}

bool bsp_writer_lock(Relation index, bool wait)
{
	if (!wait)
		return ConditionalLockPage(index, BSP_META_BLOCK, ExclusiveLock);
	LockPage(index, BSP_META_BLOCK, ExclusiveLock);
	return true;
}

void bsp_writer_unlock(Relation index)
{
	UnlockPage(index, BSP_META_BLOCK, ExclusiveLock);
}
