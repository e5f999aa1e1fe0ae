/*
 * grep_unpack.h: what was compressed, as it was: an input that stands in front of another. The
 * libraries are loaded when they are first needed; all check what they read by the checksums it
 * has.
 */
#pragma once

#include "query/grep/read/grep_input.h"

enum bs_grep_packing {
	BS_GREP_PACKING_NONE,
	BS_GREP_PACKING_GZIP,
	BS_GREP_PACKING_BZIP2,
	BS_GREP_PACKING_XZ, /* and LZMA */
	BS_GREP_PACKING_LZ4,
	BS_GREP_PACKING_ZSTD,
	BS_GREP_PACKING_BROTLI,
	BS_GREP_PACKING_COMPRESS, /* compress(1)'s: no library has it, a command is run */
	BS_GREP_PACKING_COMMAND,  /* whatever --pre makes of it */
};

/* Of a file, by the ending of its name, as ripgrep 13 -z goes by it. */
enum bs_grep_packing bs_grep_packing_of(const char *path);

/* Takes of over, which is closed with the new input, or after a failure: BS_UNSUPPORTED, the
 * library is not there; BS_NO_MEMORY. Bytes that are not what packing says, or that end too soon,
 * fail as read: BS_IO, behind those before them. */
enum bs_status bs_grep_unpack_open(enum bs_grep_packing packing, struct bs_grep_input *of,
                                   struct bs_grep_input **input_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
