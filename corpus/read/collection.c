/* collection.c: see collection.h. */
#include "corpus/read/collection.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corpus/walk/file.h"

/* A read ahead is cut here: the window is to stay in the cache, and two are enough to keep a disk busy. */
#define WINDOW_BYTES ((uint64_t)256 * 1024)
/* A window larger than this, for one giant record, is given back. */
#define KEPT_BYTES   ((size_t)1 << 20)

void bs_collection_forget(struct bs_collection *collection)
{
	bs_buffer_trim(&collection->window, KEPT_BYTES);
}

void bs_collection_deinit(struct bs_collection *collection)
{
	if (collection->fd >= 0)
		close(collection->fd);
	free(collection->path);
	bs_buffer_deinit(&collection->window);
	*collection = (struct bs_collection){.fd = -1};
}

static enum bs_status open_file(struct bs_collection *collection, const char *path, struct bs_error *err)
{
	struct stat found;
	collection->fd = bs_file_open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK);
	if (collection->fd < 0)
		return bs_fail(err, bs_file_status(errno), "%s: %s", path, strerror(errno));
	if (fstat(collection->fd, &found))
		return bs_fail(err, BS_IO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(found.st_mode))
		return bs_fail(err, BS_NOT_FOUND, "%s: not a regular file", path);
	collection->stamp = bs_file_stamp(&found);
	collection->path = strdup(path);
	return collection->path ? BS_OK : bs_fail_memory(err, "a path", strlen(path));
}

enum bs_status bs_collection_open(struct bs_collection *collection, const char *path, struct bs_error *err)
{
	if (collection->path && strcmp(collection->path, path) == 0)
		return BS_OK;
	bs_collection_deinit(collection);
	enum bs_status status = open_file(collection, path, err);
	if (status)
		bs_collection_deinit(collection);
	return status;
}

/* Are there that many bytes? Asked before memory is taken; a file that grew since it was opened may have them. */
static bool reaches(const struct bs_collection *collection, uint64_t offset, uint64_t n_bytes)
{
	struct stat found;
	if (offset > INT64_MAX || n_bytes > INT64_MAX - offset)
		return false;
	if (offset + n_bytes <= collection->stamp.size_bytes)
		return true;
	return !fstat(collection->fd, &found) && offset + n_bytes <= (uint64_t)found.st_size;
}

/* Reads on until the window holds wanted_bytes; if it ends before, it must at least hold needed_bytes. */
static enum bs_status fill(struct bs_collection *collection, uint64_t needed_bytes, uint64_t wanted_bytes,
                           struct bs_error *err)
{
	struct bs_buffer *window = &collection->window;
	while (window->used_bytes < wanted_bytes) {
		ssize_t n = pread(collection->fd, window->data + window->used_bytes,
		                  (size_t)wanted_bytes - window->used_bytes,
		                  (off_t)(collection->window_offset + window->used_bytes));
		if (n > 0)
			window->used_bytes += (size_t)n;
		else if (n == 0 && window->used_bytes >= needed_bytes)
			break;
		else if (n == 0)
			return bs_fail(err, BS_INVALID, "%s: ends before offset %" PRIu64, collection->path,
			               collection->window_offset + needed_bytes);
		else if (errno != EINTR)
			return bs_fail(err, BS_IO, "%s: %s", collection->path, strerror(errno));
	}
	return BS_OK;
}

enum bs_status bs_collection_read(struct bs_collection *collection, uint64_t offset, uint64_t n_bytes, uint64_t ahead_to,
                                  const uint8_t **bytes_out, struct bs_error *err)
{
	struct bs_buffer *window = &collection->window;
	uint64_t skipped = offset - collection->window_offset;
	if (!collection->is_ahead || offset < collection->window_offset || skipped > window->used_bytes ||
	    n_bytes > window->used_bytes - skipped) {
		if (!reaches(collection, offset, n_bytes))
			return bs_fail(err, BS_INVALID, "%s: ends before offset %" PRIu64, collection->path, offset + n_bytes);
		uint64_t most = offset + (n_bytes > WINDOW_BYTES ? n_bytes : WINDOW_BYTES);
		uint64_t to = ahead_to < most ? ahead_to : most;
		uint64_t wanted_bytes = to > offset + n_bytes ? to - offset : n_bytes;
		bs_buffer_trim(window, (size_t)wanted_bytes + KEPT_BYTES);
		collection->window_offset = offset;
		collection->is_ahead = ahead_to > 0;
		enum bs_status status = bs_buffer_reserve(window, (size_t)wanted_bytes + 1, err);
		if (!status)
			status = fill(collection, n_bytes, wanted_bytes, err);
		if (status) {
			bs_buffer_clear(window);
			return status;
		}
		skipped = 0;
	}
	*bytes_out = window->data + skipped;
	return BS_OK;
}
