/* zstd.h: zstd, loaded when first needed (core/base/library.h): for stored text. As core/base/icu.h. */
#ifndef BS_CORPUS_READ_ZSTD_H
#define BS_CORPUS_READ_ZSTD_H

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/base/library.h"

#define BS_ZSTD_FUNCTIONS(each) \
	each(ZDICT_isError) each(ZDICT_trainFromBuffer) each(ZSTD_CCtx_refCDict) each(ZSTD_CCtx_setParameter) \
	each(ZSTD_compress2) each(ZSTD_compressBound) each(ZSTD_createCCtx) each(ZSTD_createCDict) each(ZSTD_createDCtx) \
	each(ZSTD_createDDict) each(ZSTD_decompress_usingDDict) each(ZSTD_decompress_usingDict) \
	each(ZSTD_findFrameCompressedSize) each(ZSTD_freeCCtx) each(ZSTD_freeCDict) each(ZSTD_freeDCtx) \
	each(ZSTD_freeDDict) each(ZSTD_getDictID_fromDict) each(ZSTD_getErrorCode) each(ZSTD_getErrorName) \
	each(ZSTD_getFrameContentSize) each(ZSTD_isError)

BS_LIBRARY_TABLE(bs_zstd, BS_ZSTD_FUNCTIONS);

#endif
