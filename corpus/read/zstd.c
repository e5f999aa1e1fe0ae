/* zstd.c: see zstd.h. */
#include "corpus/read/zstd.h"

BS_LIBRARY_DEFINE(bs_zstd, "zstd", BS_ZSTD_SONAME, BS_ZSTD_FOLDER, BS_ZSTD_FUNCTIONS)
