/*
 * grep_text.h: the bytes of one file as they are searched: read into reused memory, without byte
 * order mark (unless the coding is NONE), and converted to UTF-8 from other encodings. Files are
 * read and never mapped, because a file may be truncated while it is searched.
 *
 * A file need not be in memory as a whole: text that was searched is dropped, and the next piece is
 * read into the same memory, which is still in the processor's cache. So a search line by line
 * takes little more memory than the longest line, even for a large file or an endless stream.
 */
#pragma once

#include "corpus/walk/file.h"
#include "query/grep/read/grep_decode.h"
#include "query/grep/read/grep_input.h"
#include "query/grep/read/grep_source.h"

/* ripgrep reads this much at a time, and looks for NUL bytes in it. */
#define BS_GREP_PIECE_BYTES ((size_t)65536)

struct bs_grep_text {
	struct bs_buffer bytes;
	/* Undecoded bytes are raw[raw_off..]. The first raw_held of them are a character that was
	 * incomplete in the bytes decoded last. */
	struct bs_buffer raw;
	size_t raw_off, raw_held;
	bool had_mark; /* a byte order mark was removed */
	bool is_decoded;
	bool has_more; /* bs_grep_text_more() can read more of the file */
	/* a stream: bs_grep_text_more() reads only the bytes that have arrived */
	bool by_pieces;
	uint64_t read_bytes;         /* bytes of the file read so far */
	struct bs_grep_input *input; /* NULL: closed */
	/* the caller sets file.wait, file.output_device and file.output_inode before the first file
	 * is read */
	struct bs_grep_file_input file;
	bool is_at_end; /* the input is at its end */
	struct bs_grep_decoder decoder;
	/* the folder below which files were opened last, NUL-terminated; empty: none */
	struct bs_buffer root;
	int root_fd;                /* descriptor of the folder `root` */
	struct bs_file_place place; /* below root */
};

struct bs_grep_read_request {
	const struct bs_grep_file *file;
	enum bs_grep_coding coding;
	bool in_pieces; /* read only the first piece */
	/* with in_pieces: nevertheless read the whole file if it fits into memory */
	bool wants_all;
	/* BS_GREP_PACKING_COMMAND: the command, which gets the shown path as its argument */
	const char *command;
};

/* Reads the first piece of the file, or all of it. BS_NOT_FOUND, BS_IO, BS_INVALID, BS_UNSUPPORTED,
 * with a reason without the path. BS_NO_MEMORY, BS_STOPPED, BS_DEADLINE. */
enum bs_status bs_grep_text_read(struct bs_grep_text *text,
                                 const struct bs_grep_read_request *reading,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Drops the first dropped_bytes of `bytes`, then reads until at least wanted_bytes remain in it, or
 * to the end of the file. With by_pieces, reads once. Fails as bs_grep_text_read. */
enum bs_status bs_grep_text_more(struct bs_grep_text *text, size_t dropped_bytes,
                                 size_t wanted_bytes, struct bs_error *err) BS_WARN_UNUSED;
/* For sparse files. If the last least_bytes bytes read are all in one hole, returns how many bytes
 * of this hole were not read yet. 0: they are not, or the hole cannot be skipped. */
uint64_t bs_grep_text_hole(const struct bs_grep_text *text, uint64_t least_bytes);
/* Skips the next n_bytes of the hole that bs_grep_text_hole() found. */
void bs_grep_text_skip(struct bs_grep_text *text, uint64_t n_bytes);
/* Closes the file. Fails as bs_grep_text_read if the input reports a late failure. */
enum bs_status bs_grep_text_close(struct bs_grep_text *text, struct bs_error *err);
void bs_grep_text_deinit(struct bs_grep_text *text);
