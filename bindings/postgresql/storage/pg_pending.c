/* pg_pending.c: see pg_pending.h. */
#include "bindings/postgresql/storage/pg_pending.h"

#include "access/generic_xlog.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"

#include "bindings/postgresql/base/pg_document.h"
#include "core/bitsift/host.h"

/* The number of the heavyweight "page" lock of bsp_append_lock. The number is only a name and has
 * nothing to do with block 1; block 0 names the writer's lock. */
#define APPEND_LOCK_BLOCK 1

static void append_u32(StringInfo bytes, uint32 value)
{
	appendBinaryStringInfo(bytes, (const char *)&value, sizeof(value));
}

/* Format of a row: size of the row, this number included (4 bytes), TID (6), has_null (1), number
 * of texts (1); for each text its size (4), the size of its field name (1), field name and text.
 * The field names are stored because texts of NULL columns are left out, so the position of a text
 * does not determine its column. */
static void write_row(StringInfo bytes, const ItemPointerData *tid, const struct bsp_texts *texts)
{
	char id[BSP_ID_BYTES + 1];
	append_u32(bytes, 0);
	(void)bsp_id_of_tid(tid, texts->has_null, id);
	appendBinaryStringInfo(bytes, id, BSP_ID_BYTES);
	appendStringInfoChar(bytes, (char)texts->has_null);
	appendStringInfoChar(bytes, (char)texts->n);
	for (size_t i = 0; i < texts->n; i++) {
		append_u32(bytes, (uint32)texts->texts[i].text_bytes);
		appendStringInfoChar(bytes, (char)texts->texts[i].field_bytes);
		appendBinaryStringInfo(bytes, texts->texts[i].field,
		                       (int)texts->texts[i].field_bytes);
		appendBinaryStringInfo(bytes, texts->texts[i].text,
		                       (int)texts->texts[i].text_bytes);
	}
	uint32 n_bytes = (uint32)bytes->len;
	memcpy(bytes->data, &n_bytes, sizeof(n_bytes));
}

static void put_bytes(Page page, const char *bytes, size_t n_bytes)
{
	memcpy((char *)page + ((PageHeader)page)->pd_lower, bytes, n_bytes);
	((PageHeader)page)->pd_lower += (LocationIndex)n_bytes;
}

static size_t room_in(Page page)
{
	return BSP_PAGE_BYTES - bsp_used_bytes(page);
}

/* Appends the row in the usual case, if the last page has room for it; otherwise returns false. */
static bool append_in_place(Relation index, const StringInfo row)
{
	Buffer meta_buffer = ReadBuffer(index, BSP_META_BLOCK);
	LockBuffer(meta_buffer, BUFFER_LOCK_SHARE);
	const struct bsp_meta *meta = bsp_meta_of(index, BufferGetPage(meta_buffer));
	bool is_done = false;
	if (meta->pending.tail != InvalidBlockNumber) {
		Buffer tail = ReadBuffer(index, meta->pending.tail);
		LockBuffer(tail, BUFFER_LOCK_EXCLUSIVE);
		is_done = room_in(BufferGetPage(tail)) >= (size_t)row->len;
		if (is_done) {
			/* The lock of the last page suffices from here: a backend that closes the
			 * chain waits for it. */
			LockBuffer(meta_buffer, BUFFER_LOCK_UNLOCK);
			GenericXLogState *change = GenericXLogStart(index);
			Page page = GenericXLogRegisterBuffer(change, tail, 0);
			put_bytes(page, row->data, (size_t)row->len);
			bsp_special_of(page)->n_rows++;
			GenericXLogFinish(change);
		} else {
			LockBuffer(meta_buffer, BUFFER_LOCK_UNLOCK);
		}
		UnlockReleaseBuffer(tail);
	} else {
		LockBuffer(meta_buffer, BUFFER_LOCK_UNLOCK);
	}
	ReleaseBuffer(meta_buffer);
	return is_done;
}

/* Initializes the page, fills it with as much of the row as fits, sets its next page, and releases
 * it. begins_row: `bytes` is the beginning of the row. Returns the number of bytes written. */
static size_t fill_page(Relation index, Buffer buffer, const struct bsp_name *chain, uint32 number,
                        const char *bytes, size_t n_bytes, BlockNumber next, bool begins_row)
{
	GenericXLogState *change = GenericXLogStart(index);
	Page page = GenericXLogRegisterBuffer(change, buffer, GENERIC_XLOG_FULL_IMAGE);
	bsp_page_init(page, BSP_PAGE_PENDING, chain, number);
	size_t n = Min(n_bytes, BSP_PAGE_BYTES);
	put_bytes(page, bytes, n);
	bsp_special_of(page)->next = next;
	bsp_special_of(page)->n_rows = begins_row;
	GenericXLogFinish(change);
	UnlockReleaseBuffer(buffer);
	return n;
}

/* Writes new pages for the rest of a row; the first is the `number`-th page of the chain. They are
 * not yet linked to the chain. Returns their number and the first and last block. */
static uint32 write_pages(Relation index, const struct bsp_name *chain, uint32 number,
                          const char *bytes, size_t n_bytes, bool begins_row,
                          BlockNumber *first_out, BlockNumber *last_out)
{
	uint32 n = 0;
	Buffer buffer = bsp_block_new(index);
	*first_out = BufferGetBlockNumber(buffer);
	while (BufferIsValid(buffer)) {
		Buffer next = n_bytes > BSP_PAGE_BYTES ? bsp_block_new(index) : InvalidBuffer;
		BlockNumber next_block =
			BufferIsValid(next) ? BufferGetBlockNumber(next) : InvalidBlockNumber;
		*last_out = BufferGetBlockNumber(buffer);
		size_t done = fill_page(index, buffer, chain, number + n, bytes, n_bytes,
		                        next_block, begins_row && n == 0);
		bytes += done;
		n_bytes -= done;
		buffer = next;
		n++;
	}
	return n;
}

/* Appends the row to the last page and to new pages, and links them to the chain. The caller has
 * locked the metapage exclusively. Returns the number of pages of the chain. */
static uint32 append_pages(Relation index, const StringInfo row, Buffer meta_buffer)
{
	struct bsp_pending pending = bsp_meta_of(index, BufferGetPage(meta_buffer))->pending;
	Buffer tail = InvalidBuffer;
	size_t in_tail = 0;
	uint32 n_pages = 0;
	if (pending.tail != InvalidBlockNumber) {
		tail = ReadBuffer(index, pending.tail);
		LockBuffer(tail, BUFFER_LOCK_EXCLUSIVE);
		/* The last page may have room now: another backend may have added it. */
		in_tail = Min(room_in(BufferGetPage(tail)), (size_t)row->len);
		n_pages = bsp_special_of(BufferGetPage(tail))->number + 1;
	} else {
		bsp_name_draw(&pending.chain);
	}
	BlockNumber first = InvalidBlockNumber;
	if (in_tail < (size_t)row->len)
		n_pages += write_pages(index, &pending.chain, n_pages, row->data + in_tail,
		                       (size_t)row->len - in_tail, in_tail == 0, &first,
		                       &pending.tail);
	if (pending.head == InvalidBlockNumber)
		pending.head = first;
	GenericXLogState *change = GenericXLogStart(index);
	if (BufferIsValid(tail)) {
		Page page = GenericXLogRegisterBuffer(change, tail, 0);
		put_bytes(page, row->data, in_tail);
		bsp_special_of(page)->n_rows += in_tail > 0;
		if (first != InvalidBlockNumber)
			bsp_special_of(page)->next = first;
	}
	((struct bsp_meta *)PageGetContents(GenericXLogRegisterBuffer(change, meta_buffer, 0)))
		->pending = pending;
	GenericXLogFinish(change);
	if (BufferIsValid(tail))
		UnlockReleaseBuffer(tail);
	return n_pages;
}

size_t bsp_pending_append(Relation index, const ItemPointerData *tid, const struct bsp_texts *texts)
{
	StringInfoData row;
	initStringInfo(&row);
	write_row(&row, tid, texts);
	size_t n_waiting = 0;
	if (!append_in_place(index, &row)) {
		bsp_append_lock(index, ShareLock);
		Buffer meta_buffer = ReadBuffer(index, BSP_META_BLOCK);
		LockBuffer(meta_buffer, BUFFER_LOCK_EXCLUSIVE);
		n_waiting = (size_t)append_pages(index, &row, meta_buffer) * BSP_PAGE_BYTES;
		UnlockReleaseBuffer(meta_buffer);
		bsp_append_unlock(index, ShareLock);
	}
	pfree(row.data);
	return n_waiting;
}

void bsp_append_lock(Relation index, LOCKMODE mode)
{
	LockPage(index, APPEND_LOCK_BLOCK, mode);
}

void bsp_append_unlock(Relation index, LOCKMODE mode)
{
	UnlockPage(index, APPEND_LOCK_BLOCK, mode);
}

bool bsp_pending_close(Relation index, struct bsp_pending *closing_out)
{
	Buffer meta_buffer = ReadBuffer(index, BSP_META_BLOCK);
	LockBuffer(meta_buffer, BUFFER_LOCK_EXCLUSIVE);
	const struct bsp_meta *meta = bsp_meta_of(index, BufferGetPage(meta_buffer));
	struct bsp_pending closing = meta->closing;
	if (closing.head == InvalidBlockNumber && meta->pending.head != InvalidBlockNumber) {
		closing = meta->pending;
		/* A backend may have found the last page in the metapage and be appending to it,
		 * holding only the lock of that page (append_in_place). Wait for it. */
		Buffer tail = ReadBuffer(index, closing.tail);
		LockBuffer(tail, BUFFER_LOCK_EXCLUSIVE);
		GenericXLogState *change = GenericXLogStart(index);
		struct bsp_meta *changed = (struct bsp_meta *)PageGetContents(
			GenericXLogRegisterBuffer(change, meta_buffer, 0));
		changed->closing = closing;
		changed->pending = (struct bsp_pending){.head = InvalidBlockNumber,
		                                        .tail = InvalidBlockNumber};
		changed->generation++;
		GenericXLogFinish(change);
		UnlockReleaseBuffer(tail);
	}
	UnlockReleaseBuffer(meta_buffer);
	*closing_out = closing;
	return closing.head != InvalidBlockNumber;
}

/* Appends the bytes of a page after place->offset to `bytes` and advances place->offset. False if
 * the page does not belong to the chain. */
static bool read_page(Relation index, const struct bsp_pending *chain, struct bsp_place *place,
                      StringInfo bytes, BlockNumber *next_out)
{
	Buffer buffer = ReadBuffer(index, place->block);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	Page page = BufferGetPage(buffer);
	bool is_of = bsp_page_is_of(page, BSP_PAGE_PENDING, &chain->chain, place->number);
	if (is_of) {
		uint32 used = Min(bsp_used_bytes(page), (uint32)BSP_PAGE_BYTES);
		if (used > place->offset)
			appendBinaryStringInfo(bytes, PageGetContents(page) + place->offset,
			                       (int)(used - place->offset));
		place->offset = used;
		*next_out = bsp_special_of(page)->next;
	}
	UnlockReleaseBuffer(buffer);
	return is_of;
}

bool bsp_pending_read(Relation index, const struct bsp_pending *chain, struct bsp_place *place,
                      StringInfo bytes, size_t most_bytes, bool *is_end_out)
{
	*is_end_out = true;
	if (chain->head == InvalidBlockNumber)
		return true;
	if (!place->is_begun)
		*place = (struct bsp_place){.block = chain->head, .is_begun = true};
	BlockNumber next;
	do {
		CHECK_FOR_INTERRUPTS();
		if (!read_page(index, chain, place, bytes, &next))
			return false;
		if (next != InvalidBlockNumber)
			*place = (struct bsp_place){
				.block = next, .number = place->number + 1, .is_begun = true};
	} while (next != InvalidBlockNumber && (size_t)bytes->len < most_bytes);
	*is_end_out = next == InvalidBlockNumber;
	return true;
}

static bool take(const StringInfo bytes, size_t *at, size_t end, void *out, size_t n)
{
	if (end - *at < n)
		return false;
	memcpy(out, bytes->data + *at, n);
	*at += n;
	return true;
}

static bool take_text(const StringInfo bytes, size_t *at, size_t end, struct bsp_texts *texts,
                      size_t i)
{
	uint32 n_bytes;
	uint8 field_bytes;
	if (!take(bytes, at, end, &n_bytes, sizeof(n_bytes)) ||
	    !take(bytes, at, end, &field_bytes, 1) || field_bytes >= sizeof(texts->fields[i]) ||
	    !take(bytes, at, end, texts->fields[i], field_bytes) || end - *at < n_bytes)
		return false;
	texts->texts[i] =
		(struct bs_text){texts->fields[i], field_bytes, bytes->data + *at, n_bytes};
	*at += n_bytes;
	return true;
}

static bool take_row(const StringInfo bytes, size_t *at, struct bsp_row *row)
{
	uint32 n_bytes;
	char id[BSP_ID_BYTES];
	uint8 has_null, n_texts;
	size_t start = *at;
	if (!take(bytes, at, (size_t)bytes->len, &n_bytes, sizeof(n_bytes)) ||
	    n_bytes > (size_t)bytes->len - start)
		return false;
	size_t end = start + n_bytes;
	if (!take(bytes, at, end, id, sizeof(id)) || !take(bytes, at, end, &has_null, 1) ||
	    !take(bytes, at, end, &n_texts, 1) || n_texts > INDEX_MAX_KEYS)
		return false;
	row->tid = bsp_tid_of_id(id);
	row->texts.has_null = has_null;
	row->texts.n = n_texts;
	for (size_t i = 0; i < n_texts; i++)
		if (!take_text(bytes, at, end, &row->texts, i))
			return false;
	return *at == end;
}

/* True if the row at `at` is complete. */
static bool is_whole(const StringInfo bytes, size_t at)
{
	uint32 n_bytes;
	size_t start = at;
	return take(bytes, &at, (size_t)bytes->len, &n_bytes, sizeof(n_bytes)) &&
	       n_bytes <= (size_t)bytes->len - start;
}

bool bsp_pending_next(Relation index, const StringInfo bytes, bool is_end, size_t *at,
                      struct bsp_row *row_out)
{
	if (*at == (size_t)bytes->len || (!is_end && !is_whole(bytes, *at)))
		return false;
	if (!take_row(bytes, at, row_out))
		ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
		                errmsg("index \"%s\": rows that wait are not what was written",
		                       RelationGetRelationName(index)),
		                errhint("REINDEX makes it anew.")));
	return true;
}
