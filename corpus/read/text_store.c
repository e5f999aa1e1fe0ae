/* text_store.c: writing (sample, train, compress, spool) and reading. See text_store.h. */
#include "corpus/read/text_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/file/container.h"
#include "core/system/library.h"
#include "core/system/workers.h"

/* zstd, loaded on first use (core/system/library.h). The compiler checks the table against the
 * headers. */
/* clang-format off */
#define ZSTD_FUNCTIONS(each) \
	each(ZDICT_isError) each(ZDICT_trainFromBuffer) each(ZSTD_CCtx_loadDictionary) \
	each(ZSTD_CCtx_setParameter) each(ZSTD_compress2) each(ZSTD_compressBound) \
	each(ZSTD_createCCtx) each(ZSTD_createDCtx) each(ZSTD_createDDict) \
	each(ZSTD_decompress_usingDDict) each(ZSTD_decompress_usingDict) \
	each(ZSTD_findFrameCompressedSize) each(ZSTD_freeCCtx) each(ZSTD_freeDCtx) \
	each(ZSTD_freeDDict) each(ZSTD_getDictID_fromDict) each(ZSTD_getErrorCode) \
	each(ZSTD_getErrorName) each(ZSTD_getFrameContentSize) each(ZSTD_isError)
/* clang-format on */

BS_LIBRARY_TABLE(bs_zstd, ZSTD_FUNCTIONS);
BS_LIBRARY_DEFINE(bs_zstd, "zstd", BS_ZSTD_SONAME, BS_ZSTD_FOLDER, ZSTD_FUNCTIONS)

/* Small texts share frames of up to this many bytes, because zstd spends half of its time for a
 * short frame before the first byte. The whole frame is decoded even if only one of its texts is
 * needed, so decoding must be fast: level -2 does not compress literals, and a minimum match of six
 * bytes leaves fewer literals. For records of 300 bytes, compared with a frame for each record at
 * level 1: compressing takes half the time, decoding one record 0.76 us instead of 0.52, and the
 * size is equal. */
#define SHARED_BYTES 1536u
/* The kinds of frames, and their parameters. SHARED: of small texts, usually several. ALONE: of one
 * text; on such texts level 1 is 40 % faster than level 3, zstd's default, and the result 3 %
 * larger. least_match 0 is zstd's default. */
enum {
	SHARED,
	ALONE,
	KINDS
};
static const struct {
	int level, least_match, tells_size;
} kinds[KINDS] = {[SHARED] = {-2, 6, 0}, [ALONE] = {1, 0, 1}};
/* Total size of the sample for training. Twice the size took twice the time, 50 ms, and saved less
 * than 1 %. */
#define SAMPLE_BYTES ((size_t)256 << 10)
/* Most bytes that one document contributes to the sample, so that a long one does not fill it. */
#define SAMPLE_DOCUMENT_BYTES ((size_t)8 << 10)
/* If the sample has fewer bytes or documents than these, there is no dictionary. */
#define SAMPLE_LEAST_BYTES     ((size_t)64 << 10)
#define SAMPLE_LEAST_DOCUMENTS 200
/* Documents wait in memory for the dictionary. It is trained when the sample is full, or when the
 * waiting documents have this many bytes. */
#define WAITING_BYTES ((size_t)16 << 20)
/* Size of the dictionary. A dictionary of twice the size made texts less than 1 % smaller, and its
 * tables exceed the nearest caches. If the sample is small, the dictionary has an eighth of its
 * size, so that it costs less than it saves. */
#define DICTIONARY_BYTES ((size_t)16 << 10)
/* The memory that must be available before the dictionary is trained (see train). Training on a
 * sample of 1 MiB was measured to take 12.4 MB; the sample here is smaller (SAMPLE_BYTES). */
#define TRAINING_BYTES ((size_t)16 << 20)
/* A part of the store (enum bs_store_part) that becomes larger is moved to a temporary file. */
#define HELD_BYTES ((size_t)256 << 10)
/* Texts are compressed in pieces of this size, while zstd's tables are in the caches. With a
 * compressing thread there are three pieces: one is compressed, one waits, one is being filled. */
#define PIECE_BYTES ((size_t)256 << 10)
#define PIECES      3u

/* A shared frame begins with the number of its first text and the number of its texts, u32 each,
 * followed by the length of each text. */
#define SHARED_HEAD_BYTES 8u
#define SHARED_TEXT_BYTES 4u

BS_VECTOR(sizes, size_t);

/* Texts to compress. */
struct piece {
	struct bs_buffer raws;
	struct sizes sizes;
};

struct bs_store_writer {
	enum bs_status status; /* the first failure */
	struct bs_error error;
	const struct bs_dir *dir;
	struct bs_file_writer *file; /* receives the frames; NULL: they are a part */
	uint64_t frames_bytes;
	struct bs_buffer parts[BS_STORE_PARTS];
	bool is_trained; /* the dictionary is final, or left empty; no document waits any more */
	struct bs_buffer sample;
	struct sizes sample_sizes;
	struct piece waiting; /* documents that wait for the dictionary */
	/* The compressing thread; NULL: none. While it has tasks, only this thread may use the
	 * pieces of these tasks, `file`, `frames_bytes`, the parts BS_STORE_FRAMES and
	 * BS_STORE_OFFSETS, and the fields from `n_texts` to the end of the struct. */
	struct bs_workers *workers;
	struct piece pieces[PIECES]; /* task i is pieces[i % PIECES] */
	uint64_t n_handed;           /* pieces passed to the thread; the next one is being filled */
	uint32_t n_texts;            /* texts that have a frame */
	bool has_shared;
	struct bs_buffer frame;
	ZSTD_CCtx *contexts[KINDS];
};

/* Appends to a part, which is moved to a file if it becomes too large for memory. */
static enum bs_status append_part(struct bs_store_writer *writer, enum bs_store_part part,
                                  const void *bytes, size_t n_bytes, struct bs_error *err)
{
	enum bs_status status = bs_buffer_append(&writer->parts[part], bytes, n_bytes, err);
	return status ? status : bs_dir_spill(writer->dir, &writer->parts[part], HELD_BYTES, err);
}

static enum bs_status fail_zstd(size_t code, const char *what, struct bs_error *err)
{
	if (bs_zstd.ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
		return bs_fail_memory(err, what, 0);
	return bs_fail(err, BS_INVALID, "%s: %s", what, bs_zstd.ZSTD_getErrorName(code));
}

static enum bs_status append_offset(struct bs_store_writer *writer, struct bs_error *err)
{
	uint8_t bytes[8];
	bs_store_u64(bytes, writer->frames_bytes);
	return append_part(writer, BS_STORE_OFFSETS, bytes, sizeof(bytes), err);
}

static enum bs_status compress(struct bs_store_writer *writer, size_t kind, const uint8_t *content,
                               size_t content_bytes, struct bs_error *err)
{
	size_t bound = bs_zstd.ZSTD_compressBound(content_bytes);
	bs_buffer_clear(&writer->frame);
	enum bs_status status = bs_buffer_reserve(&writer->frame, bound, err);
	if (status)
		return status;
	size_t n = bs_zstd.ZSTD_compress2(writer->contexts[kind], writer->frame.data, bound,
	                                  content, content_bytes);
	if (bs_zstd.ZSTD_isError(n))
		return fail_zstd(n, "compressing stored text", err);
	writer->frames_bytes += n;
	if (writer->file)
		bs_file_writer_bytes(writer->file, writer->frame.data, n);
	else
		status = append_part(writer, BS_STORE_FRAMES, writer->frame.data, n, err);
	/* Free the memory of a huge document. */
	if (writer->frame.capacity_bytes > WAITING_BYTES)
		bs_buffer_deinit(&writer->frame);
	return status;
}

static enum bs_status put_shared(struct bs_store_writer *writer, const uint8_t *raws,
                                 size_t raws_bytes, const size_t *sizes, size_t n_texts,
                                 struct bs_error *err)
{
	uint8_t content[SHARED_BYTES], *to = content + SHARED_HEAD_BYTES;
	enum bs_status status = BS_OK;
	bs_store_u32(content, writer->n_texts);
	bs_store_u32(content + 4, (uint32_t)n_texts);
	for (size_t i = 0; i < n_texts && !status; i++, to += SHARED_TEXT_BYTES) {
		bs_store_u32(to, (uint32_t)sizes[i]);
		status = append_offset(writer, err);
	}
	if (raws_bytes > 0)
		to = mempcpy(to, raws, raws_bytes);
	writer->has_shared = true;
	return status ? status : compress(writer, SHARED, content, (size_t)(to - content), err);
}

/* Chooses the texts of the next shared frame: as many as fit, at least one. Returns the bytes of
 * the frame's content; *raws_bytes_out: of the texts alone. */
static size_t choose_shared(const size_t *sizes, size_t n_most, size_t *n_texts_out,
                            size_t *raws_bytes_out)
{
	size_t n = 0, content_bytes = SHARED_HEAD_BYTES;
	*raws_bytes_out = 0;
	while (n < n_most &&
	       (n == 0 || content_bytes + SHARED_TEXT_BYTES + sizes[n] <= SHARED_BYTES)) {
		content_bytes += SHARED_TEXT_BYTES + sizes[n];
		*raws_bytes_out += sizes[n++];
	}
	*n_texts_out = n;
	return content_bytes;
}

/* Trains the dictionary; leaves it empty if the sample is too small or too uniform. */
static enum bs_status train(struct bs_store_writer *writer, struct bs_error *err)
{
	const size_t *sizes = writer->sample_sizes.items;
	struct bs_buffer *dictionary = &writer->parts[BS_STORE_DICTIONARY];
	size_t n_documents = bs_vector_n(&writer->sample_sizes);
	size_t sample_bytes = writer->sample.used_bytes;
	if (n_documents < SAMPLE_LEAST_DOCUMENTS || sample_bytes < SAMPLE_LEAST_BYTES)
		return BS_OK;
	size_t capacity = sample_bytes / 8 < DICTIONARY_BYTES ? sample_bytes / 8 : DICTIONARY_BYTES;
	enum bs_status status = bs_buffer_reserve(dictionary, capacity, err);
	/* zstd 1.5.4 crashes if memory runs out while it builds a dictionary, which training does
	 * too. So the memory is requested before, all at once. */
	if (!status)
		status = bs_buffer_reserve(&writer->frame, TRAINING_BYTES, err);
	bs_buffer_deinit(&writer->frame);
	if (status)
		return status;
	size_t n = bs_zstd.ZDICT_trainFromBuffer(dictionary->data, capacity, writer->sample.data,
	                                         sizes, (unsigned)n_documents);
	if (bs_zstd.ZDICT_isError(n))
		return bs_zstd.ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation
		               ? fail_zstd(n, "a compression dictionary", err)
		               : BS_OK;
	dictionary->used_bytes = n;
	for (size_t i = 0; i < KINDS && !bs_zstd.ZSTD_isError(n); i++)
		n = bs_zstd.ZSTD_CCtx_loadDictionary(writer->contexts[i], dictionary->data,
		                                     dictionary->used_bytes);
	return bs_zstd.ZSTD_isError(n) ? fail_zstd(n, "a compression dictionary", err) : BS_OK;
}

static void piece_deinit(struct piece *piece)
{
	bs_buffer_deinit(&piece->raws);
	bs_vector_deinit(&piece->sizes);
}

static enum bs_status compress_piece(struct bs_store_writer *writer, struct piece *piece,
                                     struct bs_error *err)
{
	const size_t *sizes = piece->sizes.items;
	size_t n_documents = bs_vector_n(&piece->sizes);
	const uint8_t *raw = piece->raws.data;
	enum bs_status status = BS_OK;
	for (size_t i = 0, n, raws_bytes; i < n_documents && !status; i += n) {
		bool is_shared =
			choose_shared(sizes + i, n_documents - i, &n, &raws_bytes) <= SHARED_BYTES;
		if (!is_shared)
			status = append_offset(writer, err);
		if (!status)
			status = is_shared ? put_shared(writer, raw, raws_bytes, sizes + i, n, err)
			                   : compress(writer, ALONE, raw, raws_bytes, err);
		writer->n_texts += (uint32_t)n;
		raw += raws_bytes;
	}
	bs_buffer_trim(&piece->raws, 2 * PIECE_BYTES);
	bs_vector_clear(&piece->sizes);
	return status;
}

/* Decides on the dictionary, then compresses the waiting documents. */
static enum bs_status stop_waiting(struct bs_store_writer *writer, struct bs_error *err)
{
	enum bs_status status = train(writer, err);
	if (!status)
		status = compress_piece(writer, &writer->waiting, err);
	writer->is_trained = true;
	bs_buffer_deinit(&writer->sample);
	bs_vector_deinit(&writer->sample_sizes);
	piece_deinit(&writer->waiting);
	return status;
}

static enum bs_status append_sized(struct bs_buffer *bytes, struct sizes *sizes, const uint8_t *raw,
                                   size_t raw_bytes, struct bs_error *err)
{
	enum bs_status status = bs_buffer_append(bytes, raw, raw_bytes, err);
	return status ? status : bs_vector_append(sizes, &raw_bytes, err);
}

static enum bs_status wait_for_dictionary(struct bs_store_writer *writer, const uint8_t *raw,
                                          size_t raw_bytes, struct bs_error *err)
{
	size_t sampled_bytes =
		raw_bytes < SAMPLE_DOCUMENT_BYTES ? raw_bytes : SAMPLE_DOCUMENT_BYTES;
	enum bs_status status =
		append_sized(&writer->waiting.raws, &writer->waiting.sizes, raw, raw_bytes, err);
	if (!status && raw_bytes)
		status = append_sized(&writer->sample, &writer->sample_sizes, raw, sampled_bytes,
		                      err);
	if (!status && (writer->sample.used_bytes >= SAMPLE_BYTES ||
	                writer->waiting.raws.used_bytes >= WAITING_BYTES))
		status = stop_waiting(writer, err);
	return status;
}

static enum bs_status no_work(void *context, const struct bs_task *task, struct bs_error *err)
{
	(void)context, (void)task, (void)err;
	return BS_OK;
}

/* The task of the compressing thread: compresses one piece. There is one thread, so pieces stay in
 * order. */
static enum bs_status put_piece(void *context, uint64_t task, struct bs_error *err)
{
	struct bs_store_writer *writer = context;
	return compress_piece(writer, &writer->pieces[task % PIECES], err);
}

static enum bs_status start_thread(struct bs_store_writer *writer, struct bs_error *err)
{
	struct bs_workers_plan plan = {.n_threads = 1,
	                               .n_slots = PIECES,
	                               .work = no_work,
	                               .put = put_piece,
	                               .outlives_call = true,
	                               .context = writer};
	enum bs_status status = bs_workers_new(&plan, &writer->workers, err);
	if (!status)
		(void)bs_workers_start(writer->workers);
	return status;
}

/* Compresses the current piece, or passes it to the thread; on return the next piece is free. */
static enum bs_status hand_over(struct bs_store_writer *writer, struct bs_error *err)
{
	if (!writer->workers)
		return compress_piece(writer, &writer->pieces[0], err);
	(void)bs_workers_add(writer->workers, 1);
	writer->n_handed++;
	return bs_workers_wait_room(writer->workers) ? BS_OK
	                                             : bs_workers_finish(writer->workers, err);
}

static enum bs_status take(struct bs_store_writer *writer, const uint8_t *raw, size_t raw_bytes,
                           struct bs_error *err)
{
	struct piece *piece = &writer->pieces[writer->n_handed % PIECES];
	enum bs_status status = append_sized(&piece->raws, &piece->sizes, raw, raw_bytes, err);
	return status || piece->raws.used_bytes < PIECE_BYTES ? status : hand_over(writer, err);
}

/* Remembers the first failure, and returns it in this and all later calls. */
static enum bs_status keep(struct bs_store_writer *writer, enum bs_status status,
                           struct bs_error *err)
{
	if (!writer->status)
		writer->status = status;
	if (writer->status)
		return bs_fail(err, writer->status, "%s", writer->error.text);
	return BS_OK;
}

static enum bs_status make_context(size_t kind, ZSTD_CCtx **context_out, struct bs_error *err)
{
	*context_out = bs_zstd.ZSTD_createCCtx();
	if (!*context_out)
		return bs_fail_memory(err, "a compressor", 0);
	/* The number of the dictionary is omitted from frames, because there is only one and it
	 * would waste four bytes. A shared frame does not record its size either. */
	static const ZSTD_cParameter parameters[] = {ZSTD_c_compressionLevel, ZSTD_c_checksumFlag,
	                                             ZSTD_c_dictIDFlag, ZSTD_c_contentSizeFlag,
	                                             ZSTD_c_minMatch};
	const int values[] = {kinds[kind].level, 1, 0, kinds[kind].tells_size,
	                      kinds[kind].least_match};
	size_t n = 0;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values) && !bs_zstd.ZSTD_isError(n); i++)
		n = bs_zstd.ZSTD_CCtx_setParameter(*context_out, parameters[i], values[i]);
	return bs_zstd.ZSTD_isError(n) ? fail_zstd(n, "a compressor", err) : BS_OK;
}

enum bs_status bs_store_writer_new(const struct bs_dir *dir, bool has_thread,
                                   struct bs_store_writer **writer_out, struct bs_error *err)
{
	*writer_out = NULL;
	enum bs_status status = bs_zstd_load(err);
	if (status)
		return status;
	struct bs_store_writer *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return bs_fail_memory(err, "a store", sizeof(*writer));
	writer->dir = dir;
	for (size_t i = 0; i < KINDS && !status; i++)
		status = make_context(i, &writer->contexts[i], err);
	if (!status && has_thread)
		status = start_thread(writer, err);
	if (status)
		bs_store_writer_free(writer);
	else
		*writer_out = writer;
	return status;
}

void bs_store_writer_send(struct bs_store_writer *writer, struct bs_file_writer *file)
{
	writer->file = file;
}

enum bs_status bs_store_writer_add(struct bs_store_writer *writer, const uint8_t *raw,
                                   size_t raw_bytes, struct bs_error *err)
{
	enum bs_status status = writer->status;
	if (status)
		return keep(writer, status, err);
	if (raw_bytes >= BS_STORE_LIMIT_BYTES)
		status = bs_fail(&writer->error, BS_INVALID,
		                 "a text of 4 GiB or more cannot be stored");
	else if (writer->is_trained)
		status = take(writer, raw, raw_bytes, &writer->error);
	else
		status = wait_for_dictionary(writer, raw, raw_bytes, &writer->error);
	return keep(writer, status, err);
}

enum bs_status bs_store_writer_finish(struct bs_store_writer *writer, struct bs_error *err)
{
	enum bs_status status = writer->status;
	if (!status && !writer->is_trained)
		status = stop_waiting(writer, &writer->error);
	if (!status)
		status = hand_over(writer, &writer->error);
	if (!status && writer->workers)
		status = bs_workers_finish(writer->workers, &writer->error);
	if (!status)
		status = append_offset(writer, &writer->error);
	return keep(writer, status, err);
}

bool bs_store_writer_has_shared(const struct bs_store_writer *writer)
{
	return writer->has_shared;
}

const struct bs_buffer *bs_store_writer_part(const struct bs_store_writer *writer,
                                             enum bs_store_part part)
{
	return &writer->parts[part];
}

void bs_store_writer_free(struct bs_store_writer *writer)
{
	if (!writer)
		return;
	bs_workers_free(writer->workers);
	for (size_t i = 0; i < BS_STORE_PARTS; i++)
		bs_buffer_deinit(&writer->parts[i]);
	bs_buffer_deinit(&writer->sample);
	bs_vector_deinit(&writer->sample_sizes);
	piece_deinit(&writer->waiting);
	for (size_t i = 0; i < PIECES; i++)
		piece_deinit(&writer->pieces[i]);
	bs_buffer_deinit(&writer->frame);
	for (size_t i = 0; i < KINDS; i++)
		bs_zstd.ZSTD_freeCCtx(writer->contexts[i]);
	free(writer);
}

/* A zstd block has at least 4 bytes (of RLE: 3 of header, 1 of content) and decodes to at most 128
 * KiB. A frame that declares more text is damaged, which is detected before memory is allocated for
 * it. */
#define MOST_TEXT_PER_BYTE (UINT64_C(128) * 1024 / 4)
/* Offset of a frame's descriptor byte, after the magic number. If its CHECKSUM_BIT is set, the
 * frame ends with a checksum. */
#define DESCRIPTOR_AT 4
#define CHECKSUM_BIT  0x04
/* Larger shared frames count as damaged, because a shared frame is decoded for each of its
 * texts. */
#define SHARED_MOST_BYTES ((size_t)64 << 10)

struct bs_store {
	const uint8_t *offsets;
	const uint8_t *frames;
	uint64_t n_documents;
	uint64_t frames_bytes;
	ZSTD_DDict *dictionary; /* nullable */
	ZSTD_DCtx *context;
	/* content of the shared frame that was read last; empty: none */
	struct bs_buffer shared;
	/* offset, in frames, of the frame whose content is in shared */
	uint64_t shared_from;
};

static enum bs_status fail_corrupt(struct bs_error *err, const char *what)
{
	return bs_fail(err, BS_CORRUPT, "stored text: %s", what);
}

/* Finds the reason why ZSTD_createDDict failed, which it does not report: decoding an empty frame
 * with the dictionary allocates nothing and returns an error code. */
static enum bs_status explain_dictionary(const struct bs_store *store, const uint8_t *dictionary,
                                         size_t dictionary_bytes, struct bs_error *err)
{
	static const uint8_t empty_frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00};
	uint8_t text[1];
	size_t code = bs_zstd.ZSTD_decompress_usingDict(store->context, text, sizeof(text),
	                                                empty_frame, sizeof(empty_frame),
	                                                dictionary, dictionary_bytes);
	if (bs_zstd.ZSTD_isError(code))
		return fail_corrupt(err, bs_zstd.ZSTD_getErrorName(code));
	return bs_fail_memory(err, "a compression dictionary", dictionary_bytes);
}

static enum bs_status open_dictionary(struct bs_store *store, const uint8_t *dictionary,
                                      size_t dictionary_bytes, struct bs_error *err)
{
	if (!dictionary_bytes)
		return BS_OK;
	/* Without its magic number zstd would accept any bytes as a dictionary. */
	if (!bs_zstd.ZSTD_getDictID_fromDict(dictionary, dictionary_bytes))
		return fail_corrupt(err, "invalid dictionary");
	store->dictionary = bs_zstd.ZSTD_createDDict(dictionary, dictionary_bytes);
	return store->dictionary ? BS_OK
	                         : explain_dictionary(store, dictionary, dictionary_bytes, err);
}

enum bs_status bs_store_open(const uint8_t *dictionary, size_t dictionary_bytes,
                             const uint8_t *offsets, size_t offsets_bytes, const uint8_t *frames,
                             size_t frames_bytes, struct bs_store **store_out, struct bs_error *err)
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
	store->context = bs_zstd.ZSTD_createDCtx();
	status = store->context ? open_dictionary(store, dictionary, dictionary_bytes, err)
	                        : bs_fail_memory(err, "a decompressor", 0);
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
	bs_zstd.ZSTD_freeDCtx(store->context);
	bs_buffer_deinit(&store->shared);
	free(store);
}

/* Checks that a frame with a checksum and a plausible size begins here. Returns NULL, or a
 * description of the error. A shared frame does not record its size; *text_bytes_out is then
 * unknown. */
static const char *check_frame(const uint8_t *frame, uint64_t most_bytes, size_t *frame_bytes_out,
                               uint64_t *text_bytes_out)
{
	/* A frame of an older format or a skippable frame would be decoded without a checksum. */
	if (most_bytes <= DESCRIPTOR_AT || bs_load_u32(frame) != ZSTD_MAGICNUMBER)
		return "not a frame";
	if (!(frame[DESCRIPTOR_AT] & CHECKSUM_BIT))
		return "a frame without checksum";
	*frame_bytes_out = bs_zstd.ZSTD_findFrameCompressedSize(frame, (size_t)most_bytes);
	if (*frame_bytes_out > most_bytes)
		return "a frame of another length";
	*text_bytes_out = bs_zstd.ZSTD_getFrameContentSize(frame, (size_t)most_bytes);
	if (*text_bytes_out != ZSTD_CONTENTSIZE_UNKNOWN &&
	    (*text_bytes_out >= BS_STORE_LIMIT_BYTES ||
	     *text_bytes_out > *frame_bytes_out * MOST_TEXT_PER_BYTE))
		return "a text that is too long";
	return NULL;
}

/* Overwrites content with the decoded frame. Returns a description of an error of the frame, or
 * NULL. *status_out: BS_NO_MEMORY if memory ran out. */
static const char *decode(const struct bs_store *store, const uint8_t *frame, size_t frame_bytes,
                          size_t most_bytes, struct bs_buffer *content, enum bs_status *status_out,
                          struct bs_error *err)
{
	*status_out = bs_buffer_reserve(content, most_bytes + 1, err);
	if (*status_out)
		return NULL;
	size_t n = bs_zstd.ZSTD_decompress_usingDDict(store->context, content->data, most_bytes,
	                                              frame, frame_bytes, store->dictionary);
	if (bs_zstd.ZSTD_isError(n) && bs_zstd.ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
		*status_out = bs_fail_memory(err, "stored text", most_bytes);
	if (bs_zstd.ZSTD_isError(n))
		return bs_zstd.ZSTD_getErrorName(n);
	content->used_bytes = n;
	return NULL;
}

/* Finds the text of a document in the shared frame that was read last. */
static const char *find_shared(const struct bs_store *store, uint64_t document,
                               const uint8_t **text_out, size_t *text_bytes_out)
{
	const uint8_t *content = store->shared.data;
	size_t n_bytes = store->shared.used_bytes;
	uint64_t first = n_bytes < SHARED_HEAD_BYTES ? 0 : bs_load_u32(content);
	uint64_t n_texts = n_bytes < SHARED_HEAD_BYTES ? 0 : bs_load_u32(content + 4);
	if (document < first || document - first >= n_texts)
		return "a frame of others";
	uint64_t at = SHARED_HEAD_BYTES + n_texts * SHARED_TEXT_BYTES;
	if (at > n_bytes)
		return "a frame that is cut off";
	const uint8_t *size = content + SHARED_HEAD_BYTES;
	for (uint64_t i = first; i < document; i++, size += SHARED_TEXT_BYTES)
		at += bs_load_u32(size);
	if (at > n_bytes || bs_load_u32(size) > n_bytes - at)
		return "a frame that is cut off";
	*text_out = content + at;
	*text_bytes_out = bs_load_u32(size);
	return NULL;
}

/* Fetches a text whose frame is at [from, to); a shared frame begins at `from`, but may end after
 * `to`. */
static const char *fetch(struct bs_store *store, uint64_t document, uint64_t from, uint64_t to,
                         struct bs_buffer *text, enum bs_status *status_out, struct bs_error *err)
{
	const uint8_t *frame = store->frames + from, *found;
	size_t frame_bytes, found_bytes;
	uint64_t text_bytes;
	if (store->shared.used_bytes == 0 || store->shared_from != from) {
		const char *wrong =
			check_frame(frame, store->frames_bytes - from, &frame_bytes, &text_bytes);
		if (wrong)
			return wrong;
		if (text_bytes != ZSTD_CONTENTSIZE_UNKNOWN)
			return frame_bytes == to - from
			               ? decode(store, frame, frame_bytes, (size_t)text_bytes, text,
			                        status_out, err)
			               : "a frame of another length";
		bs_buffer_clear(&store->shared);
		store->shared_from = from;
		wrong = decode(store, frame, frame_bytes, SHARED_MOST_BYTES, &store->shared,
		               status_out, err);
		if (wrong || *status_out)
			return wrong;
	}
	const char *wrong = find_shared(store, document, &found, &found_bytes);
	if (!wrong)
		*status_out = bs_buffer_append(text, found, found_bytes, err);
	return wrong;
}

enum bs_status bs_store_fetch(struct bs_store *store, uint64_t document, struct bs_buffer *text,
                              struct bs_error *err)
{
	bs_buffer_clear(text);
	if (document >= store->n_documents)
		return bs_fail(err, BS_NOT_FOUND, "stored text: no document %" PRIu64, document);
	uint64_t from = bs_load_u64(store->offsets + document * 8);
	uint64_t to = bs_load_u64(store->offsets + document * 8 + 8);
	enum bs_status status = BS_OK;
	const char *wrong = "its place is out of bounds";
	if (from <= to && to <= store->frames_bytes)
		wrong = fetch(store, document, from, to, text, &status, err);
	if (status || !wrong)
		return status;
	return bs_fail(err, BS_CORRUPT, "stored text: document %" PRIu64 ": %s", document, wrong);
}
