/* feed.c: a source cut into batches, on one thread, in document order. See source.h; reader.c takes them from here. */
#include "corpus/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corpus/file.h"

/* Large enough that handing batches between threads costs nothing, small enough to stay in a core's cache. */
#define BATCH_BYTES ((size_t)1 << 20)
#define BATCH_PATHS 64

/* carry holds the beginning of the line that the last batch was cut before; a batch starts with it. */
struct bs_feed {
	const struct bs_source *source;
	struct bs_walk *walk; /* of a folder */
	int fd;               /* of a collection or standard input */
	struct bs_buffer carry;
	uint64_t offset; /* of the first byte that no batch has had yet */
	uint64_t line;   /* its line, 1-based */
	bool at_end;     /* nothing more to read; carry may still hold something */
};

void bs_batch_deinit(struct bs_batch *batch)
{
	bs_buffer_deinit(&batch->bytes);
	*batch = (struct bs_batch){0};
}

/* ---- opening ---- */

static enum bs_status open_walk(struct bs_feed *feed, const struct bs_source_options *options,
                                void (*report)(void *context, enum bs_skip reason, const char *message),
                                void *report_context, struct bs_error *err)
{
	struct bs_walk_options walk_options = {
		.hidden = options->hidden,
		.no_ignore = options->no_ignore,
		.globs = options->globs,
		.n_globs = options->n_globs,
		.skip_device = options->skip_device,
		.skip_inode = options->skip_inode,
		.report = report,
		.report_context = report_context,
	};
	return bs_walk_open(feed->source->path, &walk_options, &feed->walk, err);
}

static enum bs_status open_collection(struct bs_feed *feed, struct bs_error *err)
{
	const char *path = feed->source->path;
	struct stat found;
	feed->fd = bs_file_open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK);
	if (feed->fd < 0 || fstat(feed->fd, &found))
		return bs_fail(err, bs_file_status(errno), "%s: %s", path, strerror(errno));
	if (!S_ISREG(found.st_mode))
		return bs_fail(err, BS_INVALID, "%s: not a regular file", path);
	return BS_OK;
}

enum bs_status bs_feed_open(const struct bs_source *source, const struct bs_source_options *options,
                            void (*report)(void *context, enum bs_skip reason, const char *message),
                            void *report_context, struct bs_feed **feed_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*feed_out = NULL;
	struct bs_feed *feed = calloc(1, sizeof(*feed));
	if (!feed)
		return bs_fail_memory(err, "a feed", sizeof(*feed));
	feed->source = source;
	feed->fd = source->kind == BS_SOURCE_STDIN ? STDIN_FILENO : -1;
	feed->line = 1;
	if (source->kind == BS_SOURCE_FOLDER)
		status = open_walk(feed, options, report, report_context, err);
	else if (source->kind == BS_SOURCE_COLLECTION)
		status = open_collection(feed, err);
	if (status)
		bs_feed_close(feed);
	else
		*feed_out = feed;
	return status;
}

void bs_feed_close(struct bs_feed *feed)
{
	if (!feed)
		return;
	bs_walk_close(feed->walk);
	if (feed->fd >= 0 && feed->source->kind == BS_SOURCE_COLLECTION)
		close(feed->fd);
	bs_buffer_deinit(&feed->carry);
	free(feed);
}

enum bs_status bs_feed_seek(struct bs_feed *feed, uint64_t offset, uint64_t line, struct bs_error *err)
{
	const char *label = feed->source->label;
	if (feed->source->kind != BS_SOURCE_COLLECTION || offset > INT64_MAX || line == 0)
		return bs_fail(err, BS_INVALID, "%s: cannot be read from the middle", label);
	if (lseek(feed->fd, (off_t)offset, SEEK_SET) < 0)
		return bs_fail(err, BS_IO, "%s: %s", label, strerror(errno));
	bs_buffer_clear(&feed->carry);
	feed->offset = offset;
	feed->line = line;
	feed->at_end = false;
	return BS_OK;
}

/* ---- lines ---- */

/* Standard input may have been made non-blocking by whoever shares it. */
static void wait_readable(int fd)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};
	(void)poll(&wanted, 1, -1);
}

/* Appends up to n_bytes to bytes; at_end is set when there are no more. */
static enum bs_status read_some(struct bs_feed *feed, struct bs_buffer *bytes, size_t n_bytes, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(bytes, n_bytes, err);
	if (status)
		return status;
	for (;;) {
		ssize_t n = read(feed->fd, bytes->data + bytes->used_bytes, n_bytes);
		if (n >= 0) {
			bytes->used_bytes += (size_t)n;
			feed->at_end = n == 0;
			return BS_OK;
		}
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			wait_readable(feed->fd);
		else if (errno != EINTR)
			return bs_fail(err, BS_IO, "%s: %s", feed->source->label, strerror(errno));
	}
}

/* Fills bytes with at least a batch's worth and at least one line end, or with all there is. end_out: behind the last
 * line end, 0 if there is none. */
static enum bs_status fill_lines(struct bs_feed *feed, struct bs_buffer *bytes, size_t *end_out, struct bs_error *err)
{
	enum bs_status status = bs_buffer_append(bytes, feed->carry.data, feed->carry.used_bytes, err);
	bs_buffer_clear(&feed->carry);
	*end_out = 0;
	while (!status && !feed->at_end && (bytes->used_bytes < BATCH_BYTES || !*end_out)) {
		size_t from = bytes->used_bytes;
		status = read_some(feed, bytes, from < BATCH_BYTES ? BATCH_BYTES - from : BATCH_BYTES, err);
		const uint8_t *last = status || bytes->used_bytes == from
		                              ? NULL
		                              : memrchr(bytes->data + from, '\n', bytes->used_bytes - from);
		if (last)
			*end_out = (size_t)(last - bytes->data) + 1;
	}
	return status;
}

/* A UTF-8 byte order mark at the very start of a collection is not part of its first line. */
static void drop_mark(struct bs_batch *batch, size_t *end)
{
	struct bs_buffer *bytes = &batch->bytes;
	if (batch->offset || bytes->used_bytes < 3 || memcmp(bytes->data, "\xef\xbb\xbf", 3))
		return;
	bytes->used_bytes -= 3;
	memmove(bytes->data, bytes->data + 3, bytes->used_bytes);
	batch->offset = 3;
	*end -= *end ? 3 : 0;
}

static size_t count_lines(const uint8_t *bytes, size_t n_bytes)
{
	size_t n = 0;
	const uint8_t *end = bytes + n_bytes;
	for (const uint8_t *at = bytes; at < end; n++) {
		const uint8_t *feed = memchr(at, '\n', (size_t)(end - at));
		at = feed ? feed + 1 : end;
	}
	return n;
}

static enum bs_status next_lines(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	size_t end = 0;
	batch->offset = feed->offset;
	batch->first_line = feed->line;
	enum bs_status status = fill_lines(feed, &batch->bytes, &end, err);
	if (status)
		return status;
	drop_mark(batch, &end);
	if (!feed->at_end) {
		status = bs_buffer_append(&feed->carry, batch->bytes.data + end, batch->bytes.used_bytes - end, err);
		batch->bytes.used_bytes = end;
	}
	batch->n_items = count_lines(batch->bytes.data, batch->bytes.used_bytes);
	feed->offset = batch->offset + batch->bytes.used_bytes;
	feed->line += batch->n_items;
	batch->source_bytes = feed->offset;
	return status;
}

/* ---- paths ---- */

static enum bs_status next_paths(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	while (batch->n_items < BATCH_PATHS && !feed->at_end) {
		const char *path = NULL;
		size_t path_bytes = 0;
		enum bs_status status = bs_walk_next(feed->walk, &path, &path_bytes, err);
		if (!status && path)
			status = bs_buffer_append(&batch->bytes, path, path_bytes + 1, err);
		if (status)
			return status;
		feed->at_end = !path;
		batch->n_items += path != NULL;
	}
	return BS_OK;
}

/* The one batch of a file: an empty path below the source. */
static enum bs_status next_file(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	if (feed->at_end)
		return BS_OK;
	feed->at_end = true;
	batch->n_items = 1;
	return bs_buffer_append(&batch->bytes, "", 1, err);
}

enum bs_status bs_feed_next(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	bs_buffer_clear(&batch->bytes);
	batch->offset = 0;
	batch->first_line = 0;
	batch->n_items = 0;
	batch->source_bytes = 0;
	switch (feed->source->kind) {
	case BS_SOURCE_FOLDER:
		return next_paths(feed, batch, err);
	case BS_SOURCE_FILE:
		return next_file(feed, batch, err);
	case BS_SOURCE_COLLECTION:
	case BS_SOURCE_STDIN:
		break;
	}
	return next_lines(feed, batch, err);
}
