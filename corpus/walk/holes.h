/*
 * holes.h: reads a file sequentially and skips its holes: ranges of a sparse file that have no disk
 * blocks and whose bytes are zeros. A file that is not sparse is read normally, without further
 * system calls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct bs_holes {
	int fd;
	/* the file's blocks do not cover its size, and looking for holes has not failed yet */
	bool may_have;
	uint64_t offset;              /* offset of the next byte; valid if may_have */
	uint64_t data_end;            /* end of the data that was found last */
	uint64_t hole_from, hole_end; /* the hole that was found last */
};

/* Prepares to read the file fd, whose stat is `found`, from its current offset on. fd is borrowed;
 * reading moves its offset. */
void bs_holes_init(struct bs_holes *holes, int fd, const struct stat *found);
/* Like read(2). */
ssize_t bs_holes_read(struct bs_holes *holes, void *to, size_t n_bytes);
/* How many of the next bytes are in a hole; 0 for data, at the end, or if unknown. */
uint64_t bs_holes_left(struct bs_holes *holes);
/* Skips n_bytes <= bs_holes_left. */
void bs_holes_skip(struct bs_holes *holes, uint64_t n_bytes);
