/* pg_extent.c: see pg_extent.h. */
#include "bindings/postgresql/storage/pg_extent.h"

#include <zstd.h>

#include "access/generic_xlog.h"
#include "miscadmin.h"
#include "port/pg_crc32c.h"
#include "storage/lmgr.h"

/* zstd's fastest level. Higher levels search longer for repetitions, which bit matrices do not
 * have; all compression comes from zstd's entropy coder. */
#define LEVEL 1
/* The size of pieces of a file. It is large enough that the allocator returns the buffer of a piece
 * to the system when it is freed. */
#define PIECE_BYTES ((size_t)256 << 10)

struct writing {
	Relation index;
	bool is_build; /* see bsp_extent_write */
	struct bsp_file *file;
	Buffer buffer; /* where end_page copies `page` to; exclusively locked */
	union {
		char bytes[BLCKSZ];
		double aligner;
	} page;        /* the page that is being filled */
	uint32 number; /* of this page in the chain */
};

static Buffer new_block(const struct writing *writing)
{
	if (!writing->is_build)
		return bsp_block_new(writing->index);
	Buffer buffer = ReadBuffer(writing->index, P_NEW);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	return buffer;
}

static void begin_page(struct writing *writing, Buffer buffer, uint32 number)
{
	writing->buffer = buffer;
	writing->number = number;
	bsp_page_init(writing->page.bytes, BSP_PAGE_FILE, &writing->file->chain, number);
}

/* Copies the page to its block and releases the block. */
static void end_page(struct writing *writing, size_t n_bytes, BlockNumber next)
{
	bsp_special_of(writing->page.bytes)->next = next;
	((PageHeader)writing->page.bytes)->pd_lower =
		(LocationIndex)(MAXALIGN(SizeOfPageHeaderData) + n_bytes);
	if (writing->is_build) {
		START_CRIT_SECTION();
		memcpy(BufferGetPage(writing->buffer), writing->page.bytes, BLCKSZ);
		MarkBufferDirty(writing->buffer);
		END_CRIT_SECTION();
	} else {
		GenericXLogState *change = GenericXLogStart(writing->index);
		memcpy(GenericXLogRegisterBuffer(change, writing->buffer, GENERIC_XLOG_FULL_IMAGE),
		       writing->page.bytes, BLCKSZ);
		GenericXLogFinish(change);
	}
	UnlockReleaseBuffer(writing->buffer);
	writing->file->n_stored += n_bytes;
}

static void check_zstd(Relation index, size_t code)
{
	if (ZSTD_isError(code))
		ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
		                errmsg("index \"%s\": zstd: %s", RelationGetRelationName(index),
		                       ZSTD_getErrorName(code))));
}

/* Compresses a piece and writes the output to pages until the input is consumed. */
static void compress(struct writing *writing, ZSTD_CCtx *coder, ZSTD_inBuffer *in, bool is_last,
                     ZSTD_outBuffer *out)
{
	size_t left;
	do {
		if (out->pos == out->size) {
			Buffer next = new_block(writing);
			end_page(writing, out->size, BufferGetBlockNumber(next));
			begin_page(writing, next, writing->number + 1);
			out->pos = 0;
		}
		left = ZSTD_compressStream2(coder, out, in, is_last ? ZSTD_e_end : ZSTD_e_continue);
		check_zstd(writing->index, left);
	} while (is_last ? left > 0 : in->pos < in->size);
}

static void write_pages(struct writing *writing, ZSTD_CCtx *coder, const char *bytes,
                        size_t n_bytes)
{
	ZSTD_outBuffer out = {PageGetContents(writing->page.bytes), BSP_PAGE_BYTES, 0};
	pg_crc32c checksum;
	INIT_CRC32C(checksum);
	size_t done = 0;
	do {
		size_t n = Min(n_bytes - done, PIECE_BYTES);
		COMP_CRC32C(checksum, bytes + done, n);
		ZSTD_inBuffer in = {bytes + done, n, 0};
		done += n;
		compress(writing, coder, &in, done == n_bytes, &out);
	} while (done < n_bytes);
	FIN_CRC32C(checksum);
	end_page(writing, out.pos, InvalidBlockNumber);
	writing->file->checksum_written = checksum;
}

void bsp_extent_write(Relation index, const void *bytes, size_t n_bytes, bool is_build,
                      struct bsp_file *file)
{
	struct writing *writing = palloc0(sizeof(*writing));
	*writing = (struct writing){.index = index, .is_build = is_build, .file = file};
	bsp_name_draw(&file->chain);
	file->n_written = n_bytes;
	file->n_stored = 0;
	ZSTD_CCtx *coder = ZSTD_createCCtx();
	if (!coder)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	PG_TRY();
	{
		check_zstd(index, ZSTD_CCtx_setParameter(coder, ZSTD_c_compressionLevel, LEVEL));
		begin_page(writing, new_block(writing), 0);
		file->first = BufferGetBlockNumber(writing->buffer);
		write_pages(writing, coder, bytes, n_bytes);
	}
	PG_FINALLY();
	{
		ZSTD_freeCCtx(coder);
	}
	PG_END_TRY();
	pfree(writing);
}

uint32 bsp_checksum(const void *bytes, size_t n_bytes)
{
	pg_crc32c checksum;
	INIT_CRC32C(checksum);
	COMP_CRC32C(checksum, bytes, n_bytes);
	FIN_CRC32C(checksum);
	return checksum;
}

struct reading {
	Relation index;
	const struct bsp_file *file;
	bool (*take)(void *context, const void *bytes, size_t n_bytes);
	void *context;
	ZSTD_DCtx *coder;
	char *piece; /* buffer for decompressed bytes */
	/* checksum and number of the bytes that were decompressed so far */
	pg_crc32c checksum;
	uint64 n_bytes;
	char page[BLCKSZ]; /* the payload of the current page */
};

/* Copies the payload of the page to reading->page and advances *block to the next page. False if
 * the page does not belong to the chain. */
static bool read_page(struct reading *reading, BlockNumber *block, uint32 number,
                      BufferAccessStrategy strategy, size_t *n_out)
{
	Buffer buffer =
		ReadBufferExtended(reading->index, MAIN_FORKNUM, *block, RBM_NORMAL, strategy);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	Page page = BufferGetPage(buffer);
	bool is_of = bsp_page_is_of(page, BSP_PAGE_FILE, &reading->file->chain, number);
	if (is_of) {
		*n_out = Min(bsp_used_bytes(page), BSP_PAGE_BYTES);
		memcpy(reading->page, PageGetContents(page), *n_out);
		*block = bsp_special_of(page)->next;
	}
	UnlockReleaseBuffer(buffer);
	return is_of;
}

static bool decompress(struct reading *reading, size_t n_bytes)
{
	ZSTD_inBuffer in = {reading->page, n_bytes, 0};
	ZSTD_outBuffer out;
	do {
		out = (ZSTD_outBuffer){reading->piece, PIECE_BYTES, 0};
		check_zstd(reading->index, ZSTD_decompressStream(reading->coder, &out, &in));
		COMP_CRC32C(reading->checksum, reading->piece, out.pos);
		reading->n_bytes += out.pos;
		if (out.pos && !reading->take(reading->context, reading->piece, out.pos))
			return false;
	} while (in.pos < in.size || out.pos == out.size);
	return true;
}

static bool read_pages(struct reading *reading)
{
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);
	BlockNumber block = reading->file->first;
	BlockNumber n_blocks = RelationGetNumberOfBlocks(reading->index);
	bool is_good = true;
	for (uint32 number = 0; is_good && block != InvalidBlockNumber; number++) {
		CHECK_FOR_INTERRUPTS();
		size_t n_bytes = 0;
		/* A block beyond the end of the relation was lost when the index was truncated. The
		 * limit for `number` ends damaged chains with a cycle. */
		is_good = block < n_blocks && number < n_blocks &&
		          read_page(reading, &block, number, strategy, &n_bytes) &&
		          decompress(reading, n_bytes);
	}
	FreeAccessStrategy(strategy);
	return is_good;
}

bool bsp_extent_read(Relation index, const struct bsp_file *file,
                     bool (*take)(void *context, const void *bytes, size_t n_bytes), void *context)
{
	struct reading *reading = palloc0(sizeof(*reading));
	*reading = (struct reading){.index = index,
	                            .file = file,
	                            .take = take,
	                            .context = context,
	                            .coder = ZSTD_createDCtx()};
	if (!reading->coder)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	bool is_good;
	PG_TRY();
	{
		reading->piece = palloc(PIECE_BYTES);
		INIT_CRC32C(reading->checksum);
		is_good = read_pages(reading);
		FIN_CRC32C(reading->checksum);
		if (is_good && (reading->n_bytes != file->n_written ||
		                !EQ_CRC32C(reading->checksum, file->checksum_written)))
			ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
			                errmsg("index \"%s\": %s has a wrong size or checksum",
			                       RelationGetRelationName(index), file->name),
			                errhint("REINDEX makes it anew.")));
		pfree(reading->piece);
	}
	PG_FINALLY();
	{
		ZSTD_freeDCtx(reading->coder);
	}
	PG_END_TRY();
	pfree(reading);
	return is_good;
}
