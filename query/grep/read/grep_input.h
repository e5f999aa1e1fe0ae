/*
 * grep_input.h: where the bytes of a file come from, before they are decoded: a file descriptor, or
 * what stands in front of another input (a decompressor, say, whose struct begins with a struct
 * bs_grep_input).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"
#include "corpus/walk/holes.h"

struct bs_grep_input {
	/* Up to n_bytes (> 0) of what comes next, as few as there are; it waits for the first.
	 * *n_out 0: the end. BS_NO_MEMORY, BS_IO, err saying why without the path; BS_STOPPED. */
	enum bs_status (*read)(struct bs_grep_input *input, void *to, size_t n_bytes, size_t *n_out,
	                       struct bs_error *err);
	/* Once, at the end or before. What it says of the bytes (a command that failed) fails as
	 * read. */
	enum bs_status (*close)(struct bs_grep_input *input, struct bs_error *err);
	/* It comes as it comes, and perhaps without end: no regular file. What is there is searched
	 * before more is waited for. */
	bool is_stream;
	size_t size_bytes; /* as it was announced; 0: not */
	/* The holes of a sparse file, whose NUL bytes are in no block; NULL: the input is not
	 * sparse. */
	struct bs_holes *holes;
};

/* What is to happen before a read that has to wait; false: it is not to wait, and fails with
 * BS_STOPPED. run NULL: nothing. */
struct bs_grep_wait {
	bool (*run)(void *context);
	void *context;
};

struct bs_grep_file_input {
	struct bs_grep_input input;
	int fd;
	bool is_borrowed; /* standard input: it is not closed */
	bool is_output;   /* what is found is written to it: it ends where it ended at first */
	struct bs_holes holes;
	uint64_t read_bytes;
	struct bs_grep_wait wait;
	uint64_t output_device, output_inode; /* struct bs_grep_program */
};

/* Makes an input of fd, which it closes unless fd is borrowed, also after a failure. BS_IO.
 * only_regular: refuses anything but a regular file. */
enum bs_status bs_grep_file_input_open(struct bs_grep_file_input *file, int fd, bool is_borrowed,
                                       bool only_regular, struct bs_error *err) BS_WARN_UNUSED;
