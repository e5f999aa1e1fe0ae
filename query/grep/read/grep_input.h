/*
 * grep_input.h: a source of the bytes of a file, before they are decoded: a file descriptor, or a
 * command or decompressor that processes another input. Implementations begin with a struct
 * bs_grep_input.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"
#include "corpus/walk/holes.h"

struct bs_grep_input {
	/* Reads up to n_bytes (> 0), perhaps fewer; waits until the first byte or the end arrives.
	 * *n_out is 0 at the end. BS_NO_MEMORY; BS_IO or BS_NOT_FOUND, whose message does not name
	 * the file; BS_DEADLINE; BS_STOPPED. */
	enum bs_status (*read)(struct bs_grep_input *input, void *to, size_t n_bytes, size_t *n_out,
	                       struct bs_error *err);
	/* Call once, at the end of the input or earlier. Reports a late failure, such as that of a
	 * command, with a status of read. */
	enum bs_status (*close)(struct bs_grep_input *input, struct bs_error *err);
	/* Not a regular file of known size: a read may have to wait for bytes, and the input may
	 * never end. */
	bool is_stream;
	size_t size_bytes; /* the size of the file; 0: unknown */
	/* The holes of a sparse file, which are read as NUL bytes. NULL: the input is not
	 * sparse. */
	struct bs_holes *holes;
};

/* run is called before a read that has to wait. If it returns false, the read fails with BS_STOPPED
 * instead. run is nullable. */
struct bs_grep_wait {
	bool (*run)(void *context);
	void *context;
};

struct bs_grep_file_input {
	struct bs_grep_input input;
	int fd;
	bool is_borrowed; /* fd is standard input and is not closed */
	/* the results are written to this same file, so it is read only up to its size when
	 * opened */
	bool is_output;
	struct bs_holes holes;
	uint64_t read_bytes;
	struct bs_grep_wait wait;
	uint64_t output_device, output_inode; /* from struct bs_grep_program */
};

/*
 * Reads the first n_bytes of a regular file, or all if it is shorter; *n_out is the number of bytes
 * read. *at_end_out: the file is not empty and these are all its bytes; `file` can then only be
 * closed, because a read would return the beginning again. Otherwise `file` becomes an input of the
 * rest, as by bs_grep_file_input_open with only_regular, which also gives the status.
 *
 * A file that is read to its end needs no fstat: a second pread shows that it ends, and pread fails
 * for pipes and terminals.
 */
enum bs_status bs_grep_file_input_read(struct bs_grep_file_input *file, int fd, void *to,
                                       size_t n_bytes, size_t *n_out, bool *at_end_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Makes an input of fd, which it closes unless is_borrowed, also after a failure. only_regular:
 * BS_INVALID for anything but a regular file. BS_IO, BS_NOT_FOUND. */
enum bs_status bs_grep_file_input_open(struct bs_grep_file_input *file, int fd, bool is_borrowed,
                                       bool only_regular, struct bs_error *err) BS_WARN_UNUSED;
