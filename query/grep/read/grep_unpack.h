/*
 * grep_unpack.h: an input that decompresses another input. Each library is loaded when it is first
 * needed, and verifies the checksums that its format has.
 */
#pragma once

#include "query/grep/read/grep_input.h"

enum bs_grep_compression {
	BS_GREP_PACKING_NONE,
	BS_GREP_PACKING_GZIP,
	BS_GREP_PACKING_BZIP2,
	BS_GREP_PACKING_XZ, /* also LZMA */
	BS_GREP_PACKING_LZ4,
	BS_GREP_PACKING_ZSTD,
	BS_GREP_PACKING_BROTLI,
	BS_GREP_PACKING_COMPRESS, /* compress(1): gzip -d is run, because no library reads it */
	BS_GREP_PACKING_COMMAND,  /* the output of the --pre command */
};

/* The compression format of a file, by the ending of its name, as in ripgrep 15 -z. */
enum bs_grep_compression bs_grep_packing_of(const char *path);

/* Opens an input that returns the decompressed bytes of the input `of`. Takes ownership of `of`,
 * which is closed with the new input or after a failure. BS_UNSUPPORTED: the library is missing.
 * BS_NO_MEMORY. If data is invalid or truncated, read returns the valid bytes before it and then
 * BS_IO. */
enum bs_status bs_grep_unpack_open(enum bs_grep_compression packing, struct bs_grep_input *of,
                                   struct bs_grep_input **input_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
