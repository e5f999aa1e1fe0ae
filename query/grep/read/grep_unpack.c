/* grep_unpack.c: see grep_unpack.h. First start, step and stop for each library, then the code that
 * all share. */
#include "query/grep/read/grep_unpack.h"

#include <brotli/decode.h>
#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "core/system/library.h"

#define ZLIB_FUNCTIONS(each) each(inflateInit2_) each(inflate) each(inflateReset) each(inflateEnd)
/* clang-format off */
#define BZIP2_FUNCTIONS(each) \
	each(BZ2_bzDecompressInit) each(BZ2_bzDecompress) each(BZ2_bzDecompressEnd)
#define LZMA_FUNCTIONS(each) each(lzma_auto_decoder) each(lzma_code) each(lzma_end)
#define LZ4_FUNCTIONS(each) \
	each(LZ4F_createDecompressionContext) each(LZ4F_freeDecompressionContext) \
	each(LZ4F_decompress) each(LZ4F_isError) each(LZ4F_getErrorName)
#define UNZSTD_FUNCTIONS(each) \
	each(ZSTD_createDStream) each(ZSTD_freeDStream) each(ZSTD_decompressStream) \
	each(ZSTD_isError) each(ZSTD_getErrorName)
#define BROTLI_FUNCTIONS(each) \
	each(BrotliDecoderCreateInstance) each(BrotliDecoderDestroyInstance) \
	each(BrotliDecoderDecompressStream)
/* clang-format on */

BS_LIBRARY_TABLE(bs_zlib, ZLIB_FUNCTIONS);
BS_LIBRARY_TABLE(bs_bzip2, BZIP2_FUNCTIONS);
BS_LIBRARY_TABLE(bs_lzma, LZMA_FUNCTIONS);
BS_LIBRARY_TABLE(bs_lz4, LZ4_FUNCTIONS);
BS_LIBRARY_TABLE(bs_unzstd, UNZSTD_FUNCTIONS);
BS_LIBRARY_TABLE(bs_brotli, BROTLI_FUNCTIONS);
BS_LIBRARY_DEFINE(bs_zlib, "zlib", BS_ZLIB_SONAME, BS_ZLIB_FOLDER, ZLIB_FUNCTIONS)
BS_LIBRARY_DEFINE(bs_bzip2, "libbz2", BS_BZIP2_SONAME, BS_BZIP2_FOLDER, BZIP2_FUNCTIONS)
BS_LIBRARY_DEFINE(bs_lzma, "liblzma", BS_LZMA_SONAME, BS_LZMA_FOLDER, LZMA_FUNCTIONS)
BS_LIBRARY_DEFINE(bs_lz4, "liblz4", BS_LZ4_SONAME, BS_LZ4_FOLDER, LZ4_FUNCTIONS)
BS_LIBRARY_DEFINE(bs_unzstd, "zstd", BS_ZSTD_SONAME, BS_ZSTD_FOLDER, UNZSTD_FUNCTIONS)
BS_LIBRARY_DEFINE(bs_brotli, "libbrotlidec", BS_BROTLI_SONAME, BS_BROTLI_FOLDER, BROTLI_FUNCTIONS)

/* zlib: a window of 15 bits, the usual size, plus 16 for gzip headers. */
#define GZIP_WINDOW_BITS 31
/* More than any preset of xz(1) needs (65 MiB); a file may require 4 GiB. */
#define MOST_LZMA_BYTES ((uint64_t)1 << 30)
#define FROM_BYTES      ((size_t)65536)

struct unpack {
	struct bs_grep_input input, *of;
	const struct codec *codec;
	const uint8_t *from;
	uint8_t *to;
	size_t from_bytes, to_bytes; /* bytes left in `from` and in `to` */
	bool has_state, is_last;     /* is_last: no bytes follow those in `from` */
	bool is_whole;               /* the data is complete if it ends here */
	bool has_ended;              /* the end was reached: bytes that follow are ignored */
	enum bs_status held;         /* a failure, reported after the bytes before it */
	struct bs_error why;         /* the reason of the failure */
	union {
		z_stream zlib;
		bz_stream bzip2;
		lzma_stream lzma;
		LZ4F_dctx *lz4;
		ZSTD_DStream *zstd;
		BrotliDecoderState *brotli;
	} state;
	uint8_t buffer[FROM_BYTES];
};

struct codec {
	enum bs_status (*load)(struct bs_error *err);
	bool (*start)(struct unpack *self); /* false: out of memory */
	/* Decompresses bytes of `from` into `to` as far as possible. Returns NULL, or an error
	 * message. */
	const char *(*step)(struct unpack *self);
	void (*stop)(struct unpack *self);
};

static const char no_memory[] = "there is no memory to unpack it";

/* Advances `from` and `to`, given the bytes that a library left in each. */
static void advance(struct unpack *self, size_t from_left, size_t to_left)
{
	self->from += self->from_bytes - from_left;
	self->from_bytes = from_left;
	self->to += self->to_bytes - to_left;
	self->to_bytes = to_left;
}

static unsigned narrow(size_t n_bytes)
{
	return n_bytes > UINT32_MAX / 2 ? UINT32_MAX / 2 : (unsigned)n_bytes;
}

static bool gzip_start(struct unpack *self)
{
	return bs_zlib.inflateInit2_(&self->state.zlib, GZIP_WINDOW_BITS, ZLIB_VERSION,
	                             sizeof(z_stream)) == Z_OK;
}

static const char *gzip_step(struct unpack *self)
{
	z_stream *z = &self->state.zlib;
	/* Another gzip member may follow, or zero bytes, with which tapes are padded. */
	while (self->is_whole && self->from_bytes > 0 && *self->from == 0)
		advance(self, self->from_bytes - 1, self->to_bytes);
	if (self->from_bytes == 0 && self->is_whole)
		return NULL;
	if (self->is_whole && bs_zlib.inflateReset(z) != Z_OK)
		return no_memory;
	unsigned from = narrow(self->from_bytes), to = narrow(self->to_bytes);
	z->next_in = (uint8_t *)(uintptr_t)self->from;
	z->avail_in = from;
	z->next_out = self->to;
	z->avail_out = to;
	int result = bs_zlib.inflate(z, Z_NO_FLUSH);
	advance(self, self->from_bytes - (from - z->avail_in),
	        self->to_bytes - (to - z->avail_out));
	self->is_whole = result == Z_STREAM_END;
	if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
		return NULL;
	return result == Z_MEM_ERROR ? no_memory : z->msg ? z->msg : "damaged";
}

static void gzip_stop(struct unpack *self)
{
	(void)bs_zlib.inflateEnd(&self->state.zlib);
}

static bool bzip2_start(struct unpack *self)
{
	return bs_bzip2.BZ2_bzDecompressInit(&self->state.bzip2, 0, 0) == BZ_OK;
}

static const char *bzip2_step(struct unpack *self)
{
	bz_stream *bz = &self->state.bzip2;
	if (self->is_whole) {
		/* As in bzip2(1), only another bzip2 stream may follow; other bytes are ignored. */
		self->has_ended = self->from_bytes > 0 && *self->from != 'B';
		if (self->from_bytes == 0 || self->has_ended)
			return NULL;
		(void)bs_bzip2.BZ2_bzDecompressEnd(bz);
		*bz = (bz_stream){.next_in = NULL};
		self->has_state = bzip2_start(self);
		if (!self->has_state)
			return no_memory;
	}
	unsigned from = narrow(self->from_bytes), to = narrow(self->to_bytes);
	bz->next_in = (char *)(uintptr_t)self->from;
	bz->avail_in = from;
	bz->next_out = (char *)self->to;
	bz->avail_out = to;
	int result = bs_bzip2.BZ2_bzDecompress(bz);
	advance(self, self->from_bytes - (from - bz->avail_in),
	        self->to_bytes - (to - bz->avail_out));
	self->is_whole = result == BZ_STREAM_END;
	if (result == BZ_OK || result == BZ_STREAM_END)
		return NULL;
	return result == BZ_MEM_ERROR          ? no_memory
	       : result == BZ_DATA_ERROR_MAGIC ? "not bzip2"
	                                       : "damaged";
}

static void bzip2_stop(struct unpack *self)
{
	(void)bs_bzip2.BZ2_bzDecompressEnd(&self->state.bzip2);
}

static bool xz_start(struct unpack *self)
{
	return bs_lzma.lzma_auto_decoder(&self->state.lzma, MOST_LZMA_BYTES, LZMA_CONCATENATED) ==
	       LZMA_OK;
}

static const char *xz_step(struct unpack *self)
{
	lzma_stream *xz = &self->state.lzma;
	xz->next_in = self->from;
	xz->avail_in = self->from_bytes;
	xz->next_out = self->to;
	xz->avail_out = self->to_bytes;
	lzma_ret result = bs_lzma.lzma_code(xz, self->is_last ? LZMA_FINISH : LZMA_RUN);
	advance(self, xz->avail_in, xz->avail_out);
	self->is_whole = self->has_ended = result == LZMA_STREAM_END;
	switch (result) {
	case LZMA_OK:
	case LZMA_STREAM_END:
	case LZMA_BUF_ERROR:
		return NULL;
	case LZMA_FORMAT_ERROR:
		return "neither xz nor lzma";
	case LZMA_MEM_ERROR:
		return no_memory;
	case LZMA_MEMLIMIT_ERROR:
		return "it would take more than 1 GiB of memory to unpack it";
	default:
		return "damaged";
	}
}

static void xz_stop(struct unpack *self)
{
	bs_lzma.lzma_end(&self->state.lzma);
}

static bool lz4_start(struct unpack *self)
{
	self->is_whole = true;
	return !bs_lz4.LZ4F_isError(
		bs_lz4.LZ4F_createDecompressionContext(&self->state.lz4, LZ4F_VERSION));
}

static const char *lz4_step(struct unpack *self)
{
	size_t from = self->from_bytes, to = self->to_bytes;
	size_t result =
		bs_lz4.LZ4F_decompress(self->state.lz4, self->to, &to, self->from, &from, NULL);
	if (bs_lz4.LZ4F_isError(result))
		return bs_lz4.LZ4F_getErrorName(result);
	/* 0: the end of a frame, where the data may end. If it does not, the next call decodes the
	 * next frame. */
	self->is_whole = result == 0;
	advance(self, self->from_bytes - from, self->to_bytes - to);
	return NULL;
}

static void lz4_stop(struct unpack *self)
{
	(void)bs_lz4.LZ4F_freeDecompressionContext(self->state.lz4);
}

static bool zstd_start(struct unpack *self)
{
	self->state.zstd = bs_unzstd.ZSTD_createDStream();
	return self->state.zstd != NULL;
}

static const char *zstd_step(struct unpack *self)
{
	ZSTD_inBuffer from = {self->from, self->from_bytes, 0};
	ZSTD_outBuffer to = {self->to, self->to_bytes, 0};
	size_t result = bs_unzstd.ZSTD_decompressStream(self->state.zstd, &to, &from);
	if (bs_unzstd.ZSTD_isError(result))
		return bs_unzstd.ZSTD_getErrorName(result);
	self->is_whole = result == 0;
	advance(self, from.size - from.pos, to.size - to.pos);
	return NULL;
}

static void zstd_stop(struct unpack *self)
{
	(void)bs_unzstd.ZSTD_freeDStream(self->state.zstd);
}

static bool brotli_start(struct unpack *self)
{
	self->state.brotli = bs_brotli.BrotliDecoderCreateInstance(NULL, NULL, NULL);
	return self->state.brotli != NULL;
}

static const char *brotli_step(struct unpack *self)
{
	if (self->is_whole)
		return self->from_bytes > 0 ? "unexpected bytes after its end" : NULL;
	size_t from = self->from_bytes, to = self->to_bytes;
	const uint8_t *next_from = self->from;
	uint8_t *next_to = self->to;
	BrotliDecoderResult result = bs_brotli.BrotliDecoderDecompressStream(
		self->state.brotli, &from, &next_from, &to, &next_to, NULL);
	advance(self, from, to);
	self->is_whole = result == BROTLI_DECODER_RESULT_SUCCESS;
	return result == BROTLI_DECODER_RESULT_ERROR ? "not brotli, or damaged" : NULL;
}

static void brotli_stop(struct unpack *self)
{
	bs_brotli.BrotliDecoderDestroyInstance(self->state.brotli);
}

static const struct codec codecs[] = {
	[BS_GREP_PACKING_GZIP] = {bs_zlib_load, gzip_start, gzip_step, gzip_stop},
	[BS_GREP_PACKING_BZIP2] = {bs_bzip2_load, bzip2_start, bzip2_step, bzip2_stop},
	[BS_GREP_PACKING_XZ] = {bs_lzma_load, xz_start, xz_step, xz_stop},
	[BS_GREP_PACKING_LZ4] = {bs_lz4_load, lz4_start, lz4_step, lz4_stop},
	[BS_GREP_PACKING_ZSTD] = {bs_unzstd_load, zstd_start, zstd_step, zstd_stop},
	[BS_GREP_PACKING_BROTLI] = {bs_brotli_load, brotli_start, brotli_step, brotli_stop},
};

enum bs_grep_compression bs_grep_packing_of(const char *path)
{
	static const struct {
		const char *ending;
		enum bs_grep_compression packing;
	} endings[] = {
		{".gz", BS_GREP_PACKING_GZIP},   {".tgz", BS_GREP_PACKING_GZIP},
		{".bz2", BS_GREP_PACKING_BZIP2}, {".tbz2", BS_GREP_PACKING_BZIP2},
		{".xz", BS_GREP_PACKING_XZ},     {".txz", BS_GREP_PACKING_XZ},
		{".lzma", BS_GREP_PACKING_XZ},   {".lz4", BS_GREP_PACKING_LZ4},
		{".zst", BS_GREP_PACKING_ZSTD},  {".zstd", BS_GREP_PACKING_ZSTD},
		{".br", BS_GREP_PACKING_BROTLI}, {".Z", BS_GREP_PACKING_COMPRESS},
	};
	const char *ending = strrchr(path, '.');
	for (size_t i = 0; ending && i < sizeof(endings) / sizeof(*endings); i++)
		if (strcmp(ending, endings[i].ending) == 0)
			return endings[i].packing;
	return BS_GREP_PACKING_NONE;
}

static enum bs_status step(struct unpack *self, struct bs_error *err)
{
	size_t from_bytes = self->from_bytes, to_bytes = self->to_bytes;
	const char *wrong = self->codec->step(self);
	bool is_stuck = self->from_bytes == from_bytes && self->to_bytes == to_bytes;
	if (!wrong && is_stuck && !self->is_whole && (self->is_last || from_bytes > 0))
		wrong = self->is_last ? "it ends too soon" : "damaged";
	if (wrong == no_memory)
		return bs_fail(err, BS_NO_MEMORY, "%s", wrong);
	return wrong ? bs_fail(err, BS_IO, "cannot be unpacked: %s", wrong) : BS_OK;
}

static enum bs_status unpack_read(struct bs_grep_input *input, void *to, size_t n_bytes,
                                  size_t *n_out, struct bs_error *err)
{
	struct unpack *self = (struct unpack *)(void *)input;
	enum bs_status status = self->held;
	self->to = to;
	self->to_bytes = n_bytes;
	*n_out = 0;
	if (status)
		return bs_fail(err, status, "%s", self->why.text);
	while (!status && self->to_bytes == n_bytes && !self->has_ended) {
		if (self->from_bytes == 0 && !self->is_last) {
			self->from = self->buffer;
			status = self->of->read(self->of, self->buffer, sizeof(self->buffer),
			                        &self->from_bytes, &self->why);
			self->is_last = !status && self->from_bytes == 0;
		}
		self->has_ended = !status && self->is_last && self->is_whole;
		if (!status && !self->has_ended)
			status = step(self, &self->why);
	}
	*n_out = n_bytes - self->to_bytes;
	if (status && *n_out > 0) {
		self->held = status;
		return BS_OK;
	}
	return status ? bs_fail(err, status, "%s", self->why.text) : BS_OK;
}

static enum bs_status unpack_close(struct bs_grep_input *input, struct bs_error *err)
{
	struct unpack *self = (struct unpack *)(void *)input;
	enum bs_status status = self->of->close(self->of, err);
	if (self->has_state)
		self->codec->stop(self);
	free(self);
	return status;
}

enum bs_status bs_grep_unpack_open(enum bs_grep_compression packing, struct bs_grep_input *of,
                                   struct bs_grep_input **input_out, struct bs_error *err)
{
	const struct codec *codec = &codecs[packing];
	struct unpack *self = NULL;
	*input_out = NULL;
	enum bs_status status = codec->load(err);
	if (!status)
		self = calloc(1, sizeof(*self));
	if (!self) {
		(void)of->close(of, NULL);
		return status ? status : bs_fail_memory(err, "a file to unpack", sizeof(*self));
	}
	self->input = (struct bs_grep_input){
		.read = unpack_read, .close = unpack_close, .is_stream = true};
	self->of = of;
	self->codec = codec;
	self->has_state = codec->start(self);
	if (self->has_state) {
		*input_out = &self->input;
		return BS_OK;
	}
	(void)unpack_close(&self->input, NULL);
	return bs_fail(err, BS_NO_MEMORY, "%s", no_memory);
}
