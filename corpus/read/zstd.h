/* zstd.h: zstd, loaded when first needed (core/base/library.h): for stored text. As core/base/icu.h. */
#ifndef BS_CORPUS_READ_ZSTD_H
#define BS_CORPUS_READ_ZSTD_H

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/base/status.h"

#define BS_ZSTD_FUNCTIONS(each) \
	each(ZDICT_isError) each(ZDICT_trainFromBuffer) each(ZSTD_CCtx_refCDict) each(ZSTD_CCtx_setParameter) \
	each(ZSTD_compress2) each(ZSTD_compressBound) each(ZSTD_createCCtx) each(ZSTD_createCDict) each(ZSTD_createDCtx) \
	each(ZSTD_createDDict) each(ZSTD_decompress_usingDDict) each(ZSTD_decompress_usingDict) \
	each(ZSTD_findFrameCompressedSize) each(ZSTD_freeCCtx) each(ZSTD_freeCDict) each(ZSTD_freeDCtx) \
	each(ZSTD_freeDDict) each(ZSTD_getDictID_fromDict) each(ZSTD_getErrorCode) each(ZSTD_getErrorName) \
	each(ZSTD_getFrameContentSize) each(ZSTD_isError)

struct bs_zstd {
#define BS_ZSTD_MEMBER(name) __typeof__(name) *name;
	BS_ZSTD_FUNCTIONS(BS_ZSTD_MEMBER)
#undef BS_ZSTD_MEMBER
};

#ifdef BITSIFT_LOAD_LATE
extern struct bs_zstd bs_zstd;
#else
extern const struct bs_zstd bs_zstd;
#endif

/* Once is enough, more do no harm. BS_UNSUPPORTED, each time. Any number of threads. */
enum bs_status bs_zstd_load(struct bs_error *err) BS_WARN_UNUSED;

#endif
