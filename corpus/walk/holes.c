/* holes.c: see holes.h. */
#include "corpus/walk/holes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 512u /* unit of st_blocks */

void bs_holes_init(struct bs_holes *holes, int fd, const struct stat *found)
{
	*holes = (struct bs_holes){.fd = fd};
	bool is_sparse = S_ISREG(found->st_mode) &&
	                 (uint64_t)found->st_blocks * BLOCK_BYTES < (uint64_t)found->st_size;
	off_t at = is_sparse ? lseek(fd, 0, SEEK_CUR) : -1;
	holes->may_have = at >= 0;
	holes->offset = at >= 0 ? (uint64_t)at : 0;
}

/* Determines whether the current offset is in data or in a hole, and where this ends. */
static void look(struct bs_holes *holes)
{
	off_t at = (off_t)holes->offset, next = lseek(holes->fd, at, SEEK_DATA);
	/* no data follows: the rest of the file is a hole, or `at` is the end of the file */
	if (next < 0 && errno == ENXIO) {
		next = lseek(holes->fd, 0, SEEK_END);
		holes->hole_from = holes->offset;
		holes->hole_end = next > at ? (uint64_t)next : 0;
	} else if (next > at) {
		holes->hole_from = holes->offset;
		holes->hole_end = (uint64_t)next;
	} else if (next == at) {
		next = lseek(holes->fd, at, SEEK_HOLE);
		holes->data_end = next > at ? (uint64_t)next : holes->offset + 1;
	} else {
		holes->may_have = false;
	}
	(void)lseek(holes->fd, at, SEEK_SET);
}

uint64_t bs_holes_left(struct bs_holes *holes)
{
	if (holes->may_have && holes->offset >= holes->data_end && holes->offset >= holes->hole_end)
		look(holes);
	return holes->may_have && holes->offset < holes->hole_end ? holes->hole_end - holes->offset
	                                                          : 0;
}

void bs_holes_skip(struct bs_holes *holes, uint64_t n_bytes)
{
	holes->offset += n_bytes;
	(void)lseek(holes->fd, (off_t)holes->offset, SEEK_SET);
}

ssize_t bs_holes_read(struct bs_holes *holes, void *to, size_t n_bytes)
{
	uint64_t left_bytes = bs_holes_left(holes);
	if (left_bytes > 0) {
		n_bytes = left_bytes < n_bytes ? (size_t)left_bytes : n_bytes;
		memset(to, 0, n_bytes);
		bs_holes_skip(holes, n_bytes);
		return (ssize_t)n_bytes;
	}
	if (holes->offset < holes->data_end && holes->data_end - holes->offset < n_bytes)
		n_bytes = (size_t)(holes->data_end - holes->offset);
	ssize_t n = read(holes->fd, to, n_bytes);
	holes->offset += n > 0 ? (uint64_t)n : 0;
	return n;
}
