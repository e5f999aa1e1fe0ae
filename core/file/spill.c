/* spill.c: see spill.h. */
#include "core/file/spill.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buffer.h"

#define CHUNK_BYTES      ((size_t)64 << 10)
#define FILE_CHUNK_BYTES ((size_t)1 << 20)

/* A chunk of memory from which pieces are taken. */
struct bs_spill_chunk {
	struct bs_spill_chunk *next;
	size_t used_bytes; /* number of bytes in `bytes` that belong to pieces */
	size_t n_bytes;    /* size of `bytes` in bytes */
	bool is_in_file;
	uint64_t bytes[];
};

void bs_spill_init(struct bs_spill *spill, const struct bs_dir *dir, uint64_t memory_bytes)
{
	*spill = (struct bs_spill){.dir = dir, .memory_bytes = memory_bytes};
	pthread_mutex_init(&spill->mutex, NULL);
}

void bs_spill_deinit(struct bs_spill *spill)
{
	if (!spill->dir)
		return;
	for (struct bs_spill_chunk *chunk = spill->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		if (chunk->is_in_file)
			munmap(chunk, sizeof(*chunk) + chunk->n_bytes);
		else
			free(chunk);
	}
	if (spill->file)
		close(spill->file - 1);
	pthread_mutex_destroy(&spill->mutex);
	*spill = (struct bs_spill){.dir = NULL};
}

static enum bs_status map_chunk(struct bs_spill *spill, size_t all, void **chunk_out,
                                struct bs_error *err)
{
	int fd;
	if (!spill->file) {
		enum bs_status status = bs_dir_create_nameless(spill->dir, 0600, &fd, err);
		if (status)
			return status;
		spill->file = fd + 1;
	}
	enum bs_status status =
		bs_map_file(spill->file - 1, spill->file_bytes, all, chunk_out, err);
	spill->file_bytes += status ? 0 : all;
	return status;
}

static enum bs_status add_chunk(struct bs_spill *spill, size_t n_bytes, struct bs_error *err)
{
	size_t all = bs_file_pages_bytes(sizeof(struct bs_spill_chunk) + n_bytes);
	bool is_in_file =
		spill->held_bytes + all > spill->memory_bytes && bs_dir_has_folder(spill->dir);
	size_t least = is_in_file ? FILE_CHUNK_BYTES : CHUNK_BYTES;
	all = all < least ? least : all;
	void *made = NULL;
	if (is_in_file) {
		enum bs_status status = map_chunk(spill, all, &made, err);
		if (status)
			return status;
	} else {
		made = malloc(all);
		if (!made)
			return bs_fail_memory(err, "what a run keeps", all);
		spill->held_bytes += all;
	}
	struct bs_spill_chunk *chunk = made;
	*chunk = (struct bs_spill_chunk){
		.next = spill->chunks, .n_bytes = all - sizeof(*chunk), .is_in_file = is_in_file};
	spill->chunks = chunk;
	return BS_OK;
}

enum bs_status bs_spill_alloc(struct bs_spill *spill, size_t n_bytes, void **bytes_out,
                              struct bs_error *err)
{
	enum bs_status status = BS_OK;
	n_bytes = (n_bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
	pthread_mutex_lock(&spill->mutex);
	if (!spill->chunks || n_bytes > spill->chunks->n_bytes - spill->chunks->used_bytes)
		status = add_chunk(spill, n_bytes, err);
	if (!status) {
		*bytes_out = (uint8_t *)spill->chunks->bytes + spill->chunks->used_bytes;
		spill->chunks->used_bytes += n_bytes;
	}
	pthread_mutex_unlock(&spill->mutex);
	return status;
}
