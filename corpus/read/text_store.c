/* text_store.c: the reading half of text_store.h. text_store_write.c makes what this reads. */
#include "corpus/read/text_store.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/bytes.h"
#include "corpus/read/zstd.h"

/* A block of zstd is at least 4 bytes (a run: 3 of header, 1 of content) and stands for 128 KiB at most. A frame that
 * promises more text than that is damaged, and is found out before memory is taken for it. */
#define MOST_TEXT_PER_BYTE (UINT64_C(128) * 1024 / 4)
/* The descriptor, which follows the magic number: this bit says that a checksum ends the frame. */
#define DESCRIPTOR_AT 4
#define CHECKSUM_BIT  0x04

struct bs_store {
	const uint8_t *offsets;
	const uint8_t *frames;
	uint64_t n_documents;
	uint64_t frames_bytes;
	ZSTD_DDict *dictionary; /* NULL: none */
};

struct bs_store_reader {
	const struct bs_store *store;
	ZSTD_DCtx *context;
};

static enum bs_status fail_corrupt(struct bs_error *err, const char *what)
{
	return bs_fail(err, BS_CORRUPT, "stored text: %s", what);
}

static enum bs_status fail_document(struct bs_error *err, uint64_t document, const char *what)
{
	return bs_fail(err, BS_CORRUPT, "stored text: document %" PRIu64 ": %s", document, what);
}

/* Making a dictionary ready fails without a reason; decoding an empty frame with it allocates nothing and has one. */
static enum bs_status explain_dictionary(const uint8_t *dictionary, size_t dictionary_bytes, struct bs_error *err)
{
	static const uint8_t empty_frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00};
	uint8_t text[1];
	size_t code = 0;
	ZSTD_DCtx *context = bs_zstd.ZSTD_createDCtx();
	if (context)
		code = bs_zstd.ZSTD_decompress_usingDict(context, text, sizeof(text), empty_frame, sizeof(empty_frame),
		                                 dictionary, dictionary_bytes);
	bs_zstd.ZSTD_freeDCtx(context);
	if (bs_zstd.ZSTD_isError(code))
		return fail_corrupt(err, bs_zstd.ZSTD_getErrorName(code));
	return bs_fail_memory(err, "a compression dictionary", dictionary_bytes);
}

static enum bs_status open_dictionary(struct bs_store *store, const uint8_t *dictionary, size_t dictionary_bytes,
                                      struct bs_error *err)
{
	if (!dictionary_bytes)
		return BS_OK;
	/* Without its magic number zstd would take anything for a dictionary. */
	if (!bs_zstd.ZSTD_getDictID_fromDict(dictionary, dictionary_bytes))
		return fail_corrupt(err, "the dictionary is none");
	store->dictionary = bs_zstd.ZSTD_createDDict(dictionary, dictionary_bytes);
	return store->dictionary ? BS_OK : explain_dictionary(dictionary, dictionary_bytes, err);
}

enum bs_status bs_store_open(const uint8_t *dictionary, size_t dictionary_bytes, const uint8_t *offsets,
                             size_t offsets_bytes, const uint8_t *frames, size_t frames_bytes,
                             struct bs_store **store_out, struct bs_error *err)
{
	*store_out = NULL;
	if (offsets_bytes < 8 || offsets_bytes % 8)
		return fail_corrupt(err, "the offsets are cut off");
	if (bs_load_u64(offsets) != 0 || bs_load_u64(offsets + offsets_bytes - 8) != frames_bytes)
		return fail_corrupt(err, "the offsets do not span the frames");
	enum bs_status status = bs_zstd_load(err);
	if (status)
		return status;
	struct bs_store *store = calloc(1, sizeof(*store));
	if (!store)
		return bs_fail_memory(err, "a store", sizeof(*store));
	store->offsets = offsets;
	store->frames = frames;
	store->n_documents = offsets_bytes / 8 - 1;
	store->frames_bytes = frames_bytes;
	status = open_dictionary(store, dictionary, dictionary_bytes, err);
	if (status)
		bs_store_close(store);
	else
		*store_out = store;
	return status;
}

uint64_t bs_store_n_documents(const struct bs_store *store)
{
	return store->n_documents;
}

void bs_store_close(struct bs_store *store)
{
	if (!store)
		return;
	bs_zstd.ZSTD_freeDDict(store->dictionary);
	free(store);
}

enum bs_status bs_store_reader_new(const struct bs_store *store, struct bs_store_reader **reader_out,
                                   struct bs_error *err)
{
	*reader_out = NULL;
	struct bs_store_reader *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return bs_fail_memory(err, "a store's reader", sizeof(*reader));
	reader->store = store;
	reader->context = bs_zstd.ZSTD_createDCtx();
	if (!reader->context) {
		bs_store_reader_free(reader);
		return bs_fail_memory(err, "a decompressor", 0);
	}
	*reader_out = reader;
	return BS_OK;
}

void bs_store_reader_free(struct bs_store_reader *reader)
{
	if (!reader)
		return;
	bs_zstd.ZSTD_freeDCtx(reader->context);
	free(reader);
}

/* Is this exactly one frame, with a checksum, of a believable length? NULL if so, else what is wrong. */
static const char *check_frame(const uint8_t *frame, size_t frame_bytes, uint64_t *text_bytes_out)
{
	/* A frame of an older format, or one to be skipped, would be decoded without a checksum. */
	if (frame_bytes <= DESCRIPTOR_AT || bs_load_u32(frame) != ZSTD_MAGICNUMBER)
		return "not a frame";
	if (!(frame[DESCRIPTOR_AT] & CHECKSUM_BIT))
		return "a frame without checksum";
	if (bs_zstd.ZSTD_findFrameCompressedSize(frame, frame_bytes) != frame_bytes)
		return "a frame of another length";
	uint64_t text_bytes = bs_zstd.ZSTD_getFrameContentSize(frame, frame_bytes);
	if (text_bytes >= BS_STORE_LIMIT_BYTES || text_bytes > frame_bytes * MOST_TEXT_PER_BYTE)
		return "a text that is too long";
	*text_bytes_out = text_bytes;
	return NULL;
}

enum bs_status bs_store_fetch(struct bs_store_reader *reader, uint64_t document, struct bs_buffer *text,
                              struct bs_error *err)
{
	const struct bs_store *store = reader->store;
	bs_buffer_clear(text);
	if (document >= store->n_documents)
		return bs_fail(err, BS_NOT_FOUND, "stored text: no document %" PRIu64, document);
	uint64_t from = bs_load_u64(store->offsets + document * 8);
	uint64_t to = bs_load_u64(store->offsets + document * 8 + 8);
	if (from > to || to > store->frames_bytes)
		return fail_document(err, document, "its place is out of bounds");
	const uint8_t *frame = store->frames + from;
	size_t frame_bytes = (size_t)(to - from);
	uint64_t text_bytes = 0;
	const char *wrong = check_frame(frame, frame_bytes, &text_bytes);
	if (wrong)
		return fail_document(err, document, wrong);
	enum bs_status status = bs_buffer_reserve(text, (size_t)text_bytes + 1, err);
	if (status)
		return status;
	size_t n = bs_zstd.ZSTD_decompress_usingDDict(reader->context, text->data, (size_t)text_bytes, frame, frame_bytes,
	                                      store->dictionary);
	if (bs_zstd.ZSTD_isError(n) && bs_zstd.ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
		return bs_fail_memory(err, "stored text", text_bytes);
	if (bs_zstd.ZSTD_isError(n) || n != text_bytes)
		return fail_document(err, document, bs_zstd.ZSTD_isError(n) ? bs_zstd.ZSTD_getErrorName(n) : "cut off");
	text->used_bytes = n;
	return BS_OK;
}
