/*
 * holes.h: a file read from its beginning to its end, or from where it stands, without reading its
 * holes: where a sparse file has no data, its bytes are zeros that need not come from the file
 * system. A file that has as many blocks as bytes is read as any other, without further calls of
 * the system.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct bs_holes {
	int fd;
	bool may_have;     /* fewer blocks than bytes, and the file system can say where */
	uint64_t offset;   /* of what is read next, if it may have holes */
	uint64_t data_end; /* what was seen last: data up to there, */
	uint64_t hole_from, hole_end; /* or a hole */
};

/* For a file that was stat'ed as `found`, from its position on. fd is borrowed; its position moves
 * with what is read. */
void bs_holes_init(struct bs_holes *holes, int fd, const struct stat *found);
/* As read(2). */
ssize_t bs_holes_read(struct bs_holes *holes, void *to, size_t n_bytes);
/* How many of the bytes that come next are a hole; 0: data, the end, or not known. */
uint64_t bs_holes_left(struct bs_holes *holes);
/* Skips n_bytes <= bs_holes_left. */
void bs_holes_skip(struct bs_holes *holes, uint64_t n_bytes);
