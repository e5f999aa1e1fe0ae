/*
 * grep_text.h: the bytes of one file as they are searched: read into memory that is used again,
 * byte order marks taken off, other encodings made UTF-8. Files are read, never mapped: one may be
 * truncated while it is looked at.
 *
 * A file need not be in hand as a whole: what was searched is let go, and the next piece is read
 * into the same memory, which the processor then still has near. So neither a large file nor a
 * stream without end takes more memory than its longest line.
 */
#pragma once

#include "query/grep/read/grep_decode.h"
#include "query/grep/read/grep_input.h"
#include "query/grep/read/grep_source.h"

/* ripgrep reads this much at a time, and looks for NUL bytes in it. */
#define BS_GREP_PIECE_BYTES ((size_t)65536)

/* And of standard input first this much, the size of the buffer that it has there. */
#define BS_GREP_STDIN_BYTES ((size_t)8192)

struct bs_grep_text {
	struct bs_buffer bytes;
	/* what was read; decoded up to raw_off, but for raw_held bytes that need those behind
	 * them */
	struct bs_buffer raw;
	size_t raw_off, raw_held;
	bool had_mark; /* a byte order mark was taken off */
	bool is_decoded;
	bool has_more;       /* bytes is not all there is: bs_grep_text_more() reads on */
	bool by_pieces;      /* ... one at a time, as ripgrep reads it: decoded, or as it comes */
	uint64_t read_bytes; /* so far, of the file */
	struct bs_grep_input *input; /* NULL: closed */
	/* its wait and output are set before the first file is read */
	struct bs_grep_file_input file;
	bool is_at_end; /* of the input */
	struct bs_grep_decoder decoder;
	/* the folder below which files were opened last, NUL-ended; empty: none */
	struct bs_buffer root;
	int root_fd; /* ... open */
};

struct bs_grep_reading {
	const struct bs_grep_file *file;
	enum bs_grep_coding coding;
	bool in_pieces; /* only the first piece is read, */
	bool wants_all; /* but where memory can hold it */
	/* BS_GREP_PACKING_COMMAND: what is run, with the path as it is shown */
	const char *command;
};

/* Reads the beginning of the file, or all of it. BS_NOT_FOUND or BS_IO,
 * err saying why without the path; BS_NO_MEMORY; BS_STOPPED. */
enum bs_status bs_grep_text_read(struct bs_grep_text *text, const struct bs_grep_reading *reading,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Lets go of the first dropped_bytes of bytes, and reads until wanted_bytes of the others are
 * there, or a few more, or the file ends; by_pieces, one piece. Fails as bs_grep_text_read. */
enum bs_status bs_grep_text_more(struct bs_grep_text *text, size_t dropped_bytes,
                                 size_t wanted_bytes, struct bs_error *err) BS_WARN_UNUSED;
/* How many of the bytes that come next are a hole of a sparse file, whose first least_bytes were
 * read already; 0: none, or they cannot be passed over. */
uint64_t bs_grep_text_hole(const struct bs_grep_text *text, uint64_t least_bytes);
/* Skips n_bytes of that hole. */
void bs_grep_text_skip(struct bs_grep_text *text, uint64_t n_bytes);
/* No more of this file is wanted. Fails as bs_grep_text_read, where the input has something to say
 * in the end. */
enum bs_status bs_grep_text_close(struct bs_grep_text *text, struct bs_error *err);
void bs_grep_text_deinit(struct bs_grep_text *text);
