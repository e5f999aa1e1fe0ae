/* pg_store.c: see pg_store.h. */
#include "bindings/postgresql/storage/pg_store.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "access/generic_xlog.h"
#include "access/xloginsert.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/indexfsm.h"
#include "storage/smgr.h"
#include "utils/memutils.h"

#include "bindings/postgresql/base/pg_document.h"
#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_options.h"
#include "bindings/postgresql/storage/pg_cache.h"
#include "bindings/postgresql/storage/pg_extent.h"
#include "core/bitsift/writer.h"

#define MANIFEST "manifest"
/* The memory that a writer needs to add a row, as a multiple of the row's size. */
#define ROW_FACTOR 16
/* The space for word pairs, in bits for each posting (core/bitsift/writer.h). It is smaller than
 * the library's default of 4, because checking a phrase in the text is cheap here: one page of the
 * table has the texts of many rows. Measured with a million rows: with 4, an index is 7 % larger
 * and a phrase takes 4.8 ms; with .1 a phrase takes 5.6 ms, without word pairs 8.2 ms. */
#define PHRASE_BITS .1
/* A writer gets at least this much memory, even if maintenance_work_mem is less. */
#define LEAST_MEMORY ((size_t)64 << 20)
/* glibc's thresholds; see keep_little. */
#define LARGE_BYTES (1 << 20)

static void free_store(void *context)
{
	struct bsp_store *store = context;
	bs_writer_close(store->writer);
	bs_memory_index_free(store->memory);
	store->writer = NULL;
	store->memory = NULL;
}

static struct bsp_store *new_store(Relation index)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "bitsift writer",
	                                              ALLOCSET_DEFAULT_SIZES);
	struct bsp_store *store = MemoryContextAllocZero(context, sizeof(*store));
	store->index = index;
	store->context = context;
	store->on_reset = (MemoryContextCallback){.func = free_store, .arg = store};
	MemoryContextRegisterResetCallback(context, &store->on_reset);
	MemoryContext before = MemoryContextSwitchTo(context);
	store->reader = bsp_reader_begin(index, BSP_READER_OF_ALL);
	store->provider =
		(struct bs_text_provider){.texts = bsp_reader_texts, .context = store->reader};
	MemoryContextSwitchTo(before);
	return store;
}

void bsp_store_close(struct bsp_store *store)
{
	bsp_reader_end(store->reader);
	MemoryContextDelete(store->context);
}

struct bsp_store *bsp_store_open(Relation index)
{
	struct bsp_store *store = new_store(index);
	MemoryContext before = MemoryContextSwitchTo(store->context);
	bsp_meta_read(index, &store->copy);
	/* No other backend can remove files while we hold the writer's lock, so a missing file is
	 * lost. */
	if (!bsp_cache_load(index, &store->copy.meta, &store->memory))
		bsp_fail_lost_pages(index);
	MemoryContextSwitchTo(before);
	return store;
}

/* Keeps large files of the memory index in unlinked files on disk. */
static void use_temporary_folder(struct bs_memory_index *memory)
{
	(void)MakePGDirectory("base/" PG_TEMP_FILES_DIR);
	(void)!bs_memory_index_use_folder(memory, "base/" PG_TEMP_FILES_DIR, NULL);
}

static void fill_options(struct bsp_store *store)
{
	const struct bsp_options *options = (const struct bsp_options *)store->index->rd_options;
	struct bsp_meta *meta = &store->copy.meta;
	memset(&store->copy, 0, sizeof(store->copy));
	meta->magic = BSP_MAGIC;
	meta->version = BSP_VERSION;
	meta->generation = 1;
	meta->pending = meta->closing =
		(struct bsp_pending){.head = InvalidBlockNumber, .tail = InvalidBlockNumber};
	meta->n_columns = (uint32)IndexRelationGetNumberOfKeyAttributes(store->index);
	if (!options)
		return;
	strlcpy(meta->stemmer, bsp_stemmer(store->index), sizeof(meta->stemmer));
	meta->fold_accents = options->fold_accents;
	meta->split_identifiers = options->split_identifiers;
	meta->grams = options->grams;
}

/* Makes the allocator return freed memory to the system at once. Otherwise glibc keeps up to twice
 * the largest block that was ever freed. Measured with maintenance_work_mem = 64 MB: a backend that
 * builds an index takes 94 MB without these settings and 65 MB with them; both include 4 MB that it
 * takes before the build. */
static void keep_little(void)
{
#ifdef __GLIBC__
	(void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	(void)mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
#endif
}

struct bsp_store *bsp_store_create(Relation index)
{
	/* The library's words and grams are defined for UTF-8. */
	if (GetDatabaseEncoding() != PG_UTF8)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		                errmsg("an index of bitsift needs a database with encoding UTF8, "
		                       "this one has %s",
		                       GetDatabaseEncodingName())));
	struct bsp_store *store = new_store(index);
	struct bs_error err;
	store->is_build = true;
	keep_little();
	fill_options(store);
	bsp_check(bs_memory_index_new(&store->memory, &err), &err, NULL);
	use_temporary_folder(store->memory);
	bsp_store_write(store, 0);
	return store;
}

static size_t memory_for(size_t largest_row_bytes)
{
	size_t n_bytes = (size_t)maintenance_work_mem * 1024;
	if (n_bytes < LEAST_MEMORY)
		n_bytes = LEAST_MEMORY;
	return Max(n_bytes, largest_row_bytes * ROW_FACTOR);
}

void bsp_store_write(struct bsp_store *store, size_t largest_row_bytes)
{
	const struct bsp_meta *meta = &store->copy.meta;
	struct bs_writer_request request = {
		.memory = store->memory,
		.index.stem_language = meta->stemmer[0] ? meta->stemmer : NULL,
		.index.fold_accents = meta->fold_accents,
		.index.split_identifiers = meta->split_identifiers,
		.index.grams = meta->grams,
		.index.summary_rate = -1,
		.phrase_bits = PHRASE_BITS,
		.not_stored = true,
		.no_checksums = true,
		.write.condensed = bsp_condenses(store->index),
		.host.texts = &store->provider,
		.write.memory_bytes = memory_for(largest_row_bytes),
		.document_memory_bytes = UINT64_MAX,
		.write.n_threads = 1,
		.limits = bsp_limits(),
	};
	struct bs_error err;
	if (!store->writer)
		bsp_check(bs_writer_open(&request, &store->writer, &err), &err,
		          store->is_build ? NULL : store->index);
}

void bsp_store_add(struct bsp_store *store, const ItemPointerData *tid,
                   const struct bsp_texts *texts)
{
	char id[BSP_ID_BYTES + 1];
	struct bs_error err;
	size_t id_bytes = bsp_id_of_tid(tid, texts->has_null, id);
	bsp_check(bs_writer_add(store->writer, id, id_bytes, texts->texts, texts->n, &err), &err,
	          store->index);
}

static const struct bsp_file *find_file(const struct bsp_meta *meta, const char *name)
{
	for (uint32 i = 0; i < meta->n_files; i++)
		if (strcmp(meta->files[i].name, name) == 0)
			return &meta->files[i];
	return NULL;
}

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* Finds the condensed form of a segment. False if the library has not written one. */
static bool find_condensed(struct bsp_store *store, const char *segment,
                           struct bs_memory_index_file *out)
{
	size_t n = bs_memory_index_n_files(store->memory);
	for (size_t i = 0; begins(segment, BSP_SEGMENT) && i < n; i++) {
		struct bs_error err;
		bsp_check(bs_memory_index_file_at(store->memory, i, out, &err), &err, store->index);
		if (begins(out->name, BSP_CONDENSED) &&
		    strcmp(out->name + strlen(BSP_CONDENSED), segment + strlen(BSP_SEGMENT)) == 0)
			return true;
	}
	return false;
}

/* Writes the file to pages, condensed if possible, and its plain form to the cache. */
static void write_file(struct bsp_store *store, const struct bs_memory_index_file *file,
                       struct bsp_file *to)
{
	struct bs_memory_index_file condensed;
	CHECK_FOR_INTERRUPTS();
	memset(to, 0, sizeof(*to));
	strlcpy(to->name, file->name, sizeof(to->name));
	to->n_bytes = file->n_bytes;
	to->checksum = bsp_checksum(file->bytes, file->n_bytes);
	to->is_condensed = find_condensed(store, file->name, &condensed);
	const struct bs_memory_index_file *written = to->is_condensed ? &condensed : file;
	bsp_extent_write(store->index, written->bytes, written->n_bytes, store->is_build, to);
	bsp_cache_put(store->index, to, file->bytes, file->n_bytes);
}

/* Lists the files of the memory index in *changed: files that the metapage already lists, and new
 * files, which are written here. */
static void write_files(struct bsp_store *store, struct bsp_meta *changed)
{
	size_t n = bs_memory_index_n_files(store->memory);
	changed->n_files = 0;
	for (size_t i = 0; i < n; i++) {
		struct bs_memory_index_file file;
		struct bs_error err;
		bsp_check(bs_memory_index_file_at(store->memory, i, &file, &err), &err,
		          store->index);
		if (begins(file.name, BSP_CONDENSED))
			continue;
		if (changed->n_files == BSP_MOST_FILES)
			ereport(ERROR,
			        (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			         errmsg("index \"%s\" is of more than %zu files",
			                RelationGetRelationName(store->index), BSP_MOST_FILES),
			         errhint("bitsift_merge makes them fewer.")));
		const struct bsp_file *known = find_file(&store->copy.meta, file.name);
		struct bsp_file *to = &changed->files[changed->n_files++];
		/* All files except the manifest are immutable. */
		if (known && strcmp(file.name, MANIFEST) != 0)
			*to = *known;
		else
			write_file(store, &file, to);
	}
}

/* Lists the new files in the metapage. If their rows come from the closing chain (was_closing),
 * removes that chain from the metapage. Other fields may have been changed by other backends and
 * are kept. */
static void name_files(struct bsp_store *store, const struct bsp_meta *changed, bool was_closing)
{
	Buffer buffer = ReadBuffer(store->index, BSP_META_BLOCK);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	(void)bsp_meta_of(store->index, BufferGetPage(buffer));
	GenericXLogState *change = GenericXLogStart(store->index);
	Page page = GenericXLogRegisterBuffer(change, buffer, 0);
	struct bsp_meta *meta = (struct bsp_meta *)PageGetContents(page);
	meta->n_files = changed->n_files;
	memcpy(meta->files, changed->files, changed->n_files * sizeof(changed->files[0]));
	if (was_closing)
		meta->closing = (struct bsp_pending){.head = InvalidBlockNumber,
		                                     .tail = InvalidBlockNumber};
	meta->generation++;
	bsp_meta_set_end(page);
	GenericXLogFinish(change);
	UnlockReleaseBuffer(buffer);
}

static bool names_chain(const struct bsp_meta *meta, const struct bsp_name *chain)
{
	for (uint32 i = 0; i < meta->n_files; i++)
		if (bsp_name_equals(&meta->files[i].chain, chain))
			return true;
	return false;
}

static void free_files(struct bsp_store *store, const struct bsp_meta *changed)
{
	const struct bsp_meta *meta = &store->copy.meta;
	for (uint32 i = 0; i < meta->n_files; i++)
		if (!names_chain(changed, &meta->files[i].chain))
			bsp_chain_free(store->index, BSP_PAGE_FILE, &meta->files[i].chain,
			               meta->files[i].first);
}

/* Writes the new files of a changed index to pages, lists them in the metapage, and frees the pages
 * of files that it no longer has. was_closing: see bsp_store_commit. */
static void save(struct bsp_store *store, bool was_closing)
{
	union bsp_meta_copy *changed = palloc(sizeof(*changed));
	*changed = store->copy;
	write_files(store, &changed->meta);
	/* Read the closing chain before name_files removes it from the metapage. */
	union bsp_meta_copy *now = palloc(sizeof(*now));
	bsp_meta_read(store->index, now);
	struct bsp_pending closing = now->meta.closing;
	name_files(store, &changed->meta, was_closing);
	free_files(store, &changed->meta);
	if (was_closing)
		bsp_chain_free(store->index, BSP_PAGE_PENDING, &closing.chain, closing.head);
	IndexFreeSpaceMapVacuum(store->index);
	bsp_cache_sweep(store->index, &changed->meta);
	memcpy(&store->copy, changed, sizeof(*changed));
	pfree(changed);
	pfree(now);
}

static Buffer new_meta_block(Relation index, ForkNumber fork)
{
	Buffer buffer = ReadBufferExtended(index, fork, P_NEW, RBM_NORMAL, NULL);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	Assert(BufferGetBlockNumber(buffer) == BSP_META_BLOCK);
	return buffer;
}

static void fill_meta(Page page, const struct bsp_meta *meta)
{
	bsp_page_init(page, BSP_PAGE_META, NULL, 0);
	memcpy(PageGetContents(page), meta,
	       offsetof(struct bsp_meta, files) + meta->n_files * sizeof(meta->files[0]));
	bsp_meta_set_end(page);
}

/* Saves a new index. The relation is empty, and no other backend sees it yet. */
static void save_new(struct bsp_store *store)
{
	Relation index = store->index;
	Buffer buffer = new_meta_block(index, MAIN_FORKNUM);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	write_files(store, &store->copy.meta);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	START_CRIT_SECTION();
	fill_meta(BufferGetPage(buffer), &store->copy.meta);
	MarkBufferDirty(buffer);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0, RelationGetNumberOfBlocks(index), true);
}

static bool compact(struct bsp_store *store)
{
	struct bs_build_request request = {
		.memory = store->memory,
		.write.memory_bytes = memory_for(0),
		.write.n_threads = 1,
		.limits = bsp_limits(),
		.host.texts = &store->provider,
		.write.condensed = bsp_condenses(store->index),
	};
	struct bs_build_report report;
	struct bs_error err;
	use_temporary_folder(store->memory);
	bsp_check(bs_index_compact(&request, &report, &err), &err, store->index);
	return report.n_compacted > 0;
}

void bsp_store_commit(struct bsp_store *store, bool was_closing)
{
	MemoryContext before = MemoryContextSwitchTo(store->context);
	struct bs_error err;
	bsp_check(bs_writer_commit(store->writer, NULL, &err), &err, store->index);
	bs_writer_close(store->writer);
	store->writer = NULL;
	/* Each commit merges a few segments, which keeps the number of files small, except in an
	 * index that was made with other tokenizer rules. Because the metapage must have room for
	 * all files, such an index is merged here; it keeps its rules. */
	if (!store->is_build && bs_memory_index_n_files(store->memory) > BSP_MOST_FILES * 3 / 4)
		(void)compact(store);
	if (store->is_build)
		save_new(store);
	else
		save(store, was_closing);
	MemoryContextSwitchTo(before);
}

static bool has_other_rules(struct bsp_store *store)
{
	struct bs_open_request request = {.memory = store->memory};
	struct bs_index_info info;
	struct bs_index *handle;
	struct bs_error err;
	bsp_check(bs_index_open_with(&request, &handle, &err), &err, store->index);
	bs_index_describe(handle, &info);
	bs_index_close(handle);
	return info.is_other_unicode;
}

bool bsp_store_compact(struct bsp_store *store)
{
	MemoryContext before = MemoryContextSwitchTo(store->context);
	/* An index that was made with other tokenizer rules is not merged: a merge would read all
	 * rows, as does the REINDEX that such an index needs anyway. */
	bool waits = store->copy.meta.n_files > 0 && has_other_rules(store);
	if (!waits && compact(store))
		save(store, false);
	MemoryContextSwitchTo(before);
	return !waits;
}

void bsp_store_write_empty(Relation index, ForkNumber fork)
{
	/* The metapage lists no files; the first reader or writer makes an index without rows. */
	struct bsp_store *store = palloc0(sizeof(*store));
	store->index = index;
	fill_options(store);
	Buffer buffer = new_meta_block(index, fork);
	START_CRIT_SECTION();
	fill_meta(BufferGetPage(buffer), &store->copy.meta);
	MarkBufferDirty(buffer);
	log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
	pfree(store);
}
