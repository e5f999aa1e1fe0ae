/* feed.c: a source cut into batches, on one thread, in document order. See source.h; reader.c takes them from here. */
#include "corpus/read/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/store/doc_order.h"
#include "core/base/hash.h"
#include "corpus/walk/file.h"

/* Large enough that handing batches between threads costs nothing, small enough to stay in a core's cache. */
#define BATCH_BYTES ((size_t)1 << 20)
#define BATCH_PATHS 64
#define BATCH_KNOWN 512 /* paths that mostly need a stat */
#define BATCH_RECORDS 1024 /* to be read again */

/* carry holds the beginning of the line that the last batch was cut before; a batch starts with it. */
struct bs_feed {
	const struct bs_source *source;
	struct bs_walk *walk; /* of a folder */
	int fd;               /* of a collection or standard input */
	struct bs_buffer carry;
	uint64_t offset; /* of the first byte that no batch has had yet */
	uint64_t line;   /* its line, 1-based */
	bool at_end;     /* nothing more to read; carry may still hold something */
	struct bs_checksum_stream *checksum; /* of a collection, up to offset */
	struct bs_read_mark whole, ended;    /* at its end: all of it, and without a last line that has no end */
	struct bs_doc_cursor known;          /* what the index knows, from where the feed stands */
	bool has_known;
	struct bs_buffer unread;             /* what the walk could not look at: paths in document order, each NUL-ended */
	size_t unread_at;                    /* ... of which the first that may hold documents not yet passed */
	bool has_failed;                     /* at reading a collection */
	const struct bs_snapshot *recall;    /* documents are read again: known says which */
	uint64_t recall_bytes;               /* of text that may still be asked for */
	uint64_t max_line_bytes;             /* a longer line is not held */
};

void bs_batch_deinit(struct bs_batch *batch)
{
	bs_buffer_deinit(&batch->bytes);
	bs_buffer_deinit(&batch->known);
	*batch = (struct bs_batch){0};
}

static enum bs_status note_unread(void *context, const char *path, size_t path_bytes, struct bs_error *err)
{
	struct bs_feed *feed = context;
	enum bs_status status = bs_buffer_append(&feed->unread, path, path_bytes, err);
	return status ? status : bs_buffer_append(&feed->unread, "", 1, err);
}

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
		.lists = options->lists,
		.unread = note_unread,
		.unread_context = feed,
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
	feed->checksum = bs_checksum_stream_new();
	return feed->checksum ? BS_OK : bs_fail_memory(err, "a feed", sizeof(*feed));
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
	/* With its end. */
	feed->max_line_bytes = (options->max_document_bytes ? options->max_document_bytes : BS_FILE_LIMIT_BYTES - 1) + 2;
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
	bs_checksum_stream_free(feed->checksum);
	bs_doc_cursor_deinit(&feed->known);
	bs_buffer_deinit(&feed->carry);
	bs_buffer_deinit(&feed->unread);
	free(feed);
}

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
			break;
	}
	feed->has_failed = true;
	return bs_fail(err, BS_IO, "%s: %s", feed->source->label, strerror(errno));
}

/* Whether bytes, which begin with a line, hold nothing but the beginning of one that is too long. */
static bool is_long_line(const struct bs_feed *feed, const struct bs_buffer *bytes, size_t end)
{
	return end == 0 && bytes->used_bytes > feed->max_line_bytes;
}

/* Fills bytes with at least a batch's worth and at least one line end, or with all there is, or with the beginning of a line
 * that is too long. end_out: behind the last line end, 0 if there is none. */
static enum bs_status fill_lines(struct bs_feed *feed, struct bs_buffer *bytes, size_t *end_out, struct bs_error *err)
{
	enum bs_status status = bs_buffer_append(bytes, feed->carry.data, feed->carry.used_bytes, err);
	bs_buffer_clear(&feed->carry);
	*end_out = 0;
	while (!status && !feed->at_end && !is_long_line(feed, bytes, *end_out) &&
	       (bytes->used_bytes < BATCH_BYTES || !*end_out)) {
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

/* Takes account of the next bytes of a collection, up to end or, at its end, all: first_line is theirs. */
static void sum_lines(struct bs_feed *feed, const struct bs_buffer *bytes, size_t end)
{
	if (!feed->checksum)
		return;
	bs_checksum_stream_add(feed->checksum, bytes->data, end);
	/* Nothing new behind where reading was resumed: the mark is the one given, whether its last line has an end or not. */
	if (!feed->at_end || (bytes->used_bytes == 0 && feed->offset == feed->whole.n_bytes))
		return;
	feed->ended = (struct bs_read_mark){
		.n_bytes = feed->offset + end,
		.n_lines = feed->line - 1 + count_lines(bytes->data, end),
		.checksum = bs_checksum_stream_value(feed->checksum),
	};
	bs_checksum_stream_add(feed->checksum, bytes->data + end, bytes->used_bytes - end);
	feed->whole = (struct bs_read_mark){
		.n_bytes = feed->offset + bytes->used_bytes,
		.n_lines = feed->ended.n_lines + (bytes->used_bytes > end),
		.checksum = bs_checksum_stream_value(feed->checksum),
	};
}

/* Goes past a line whose beginning is in bytes: it is a batch of its own, without bytes. What was read behind it is carried. */
static enum bs_status skip_line(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	struct bs_buffer *bytes = &batch->bytes;
	struct bs_read_mark before = {.n_bytes = feed->offset, .n_lines = feed->line - 1};
	const uint8_t *end = NULL;
	enum bs_status status = BS_OK;
	if (feed->checksum)
		before.checksum = bs_checksum_stream_value(feed->checksum);
	for (;;) {
		size_t n_bytes = end ? (size_t)(end - bytes->data) + 1 : bytes->used_bytes;
		feed->offset += n_bytes;
		if (feed->checksum)
			bs_checksum_stream_add(feed->checksum, bytes->data, n_bytes);
		if (end)
			status = bs_buffer_append(&feed->carry, end + 1, bytes->used_bytes - n_bytes, err);
		bs_buffer_trim(bytes, BATCH_BYTES);
		if (status || end || feed->at_end)
			break;
		status = read_some(feed, bytes, BATCH_BYTES, err);
		if (status)
			break;
		end = bytes->used_bytes ? memchr(bytes->data, '\n', bytes->used_bytes) : NULL;
	}
	batch->is_long_line = true;
	batch->n_items = 1;
	batch->source_bytes = feed->offset;
	feed->line++;
	if (status || !feed->checksum || !feed->at_end)
		return status;
	feed->ended = before;
	feed->whole = (struct bs_read_mark){
		.n_bytes = feed->offset, .n_lines = feed->line - 1, .checksum = bs_checksum_stream_value(feed->checksum)};
	return BS_OK;
}

static enum bs_status next_lines(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	size_t end = 0;
	batch->offset = feed->offset;
	batch->first_line = feed->line;
	batch->source_bytes = feed->offset;
	if (feed->at_end)
		return BS_OK;
	enum bs_status status = fill_lines(feed, &batch->bytes, &end, err);
	if (status || is_long_line(feed, &batch->bytes, end))
		return status ? status : skip_line(feed, batch, err);
	sum_lines(feed, &batch->bytes, end);
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

static struct bs_known make_known(struct bs_doc_ref ref, const struct bs_doc_record *record)
{
	struct bs_known known = {
		.ref = ref,
		.is_suspect = record->flags & BS_DOC_SUSPECT,
		.is_named_by_line = record->flags & BS_DOC_NAMED_BY_LINE,
		.checksum = record->checksum,
	};
	memcpy(known.place, record->place, sizeof(known.place));
	return known;
}

/* Whether the name is the path, or lies below it. */
static bool is_at_or_below(const char *path, const uint8_t *name, size_t name_bytes)
{
	size_t n = strlen(path);
	return n <= name_bytes && memcmp(path, name, n) == 0 && (n == name_bytes || name[n] == '/');
}

/* Whether a document that the walk did not meet lies where it could not look. They are asked of in document order. */
static bool is_unread(struct bs_feed *feed, const struct bs_doc_record *record)
{
	while (feed->unread_at < feed->unread.used_bytes) {
		const char *path = (const char *)feed->unread.data + feed->unread_at;
		size_t n = strlen(path);
		if (is_at_or_below(path, record->name, record->name_bytes))
			return true;
		if (bs_compare_paths((const uint8_t *)path, n, record->name, record->name_bytes) > 0)
			break;
		feed->unread_at += n + 1;
	}
	return false;
}

bool bs_feed_is_unread(const struct bs_feed *feed, const char *name)
{
	for (size_t at = 0; at < feed->unread.used_bytes;) {
		const char *path = (const char *)feed->unread.data + at;
		if (is_at_or_below(path, (const uint8_t *)name, strlen(name)))
			return true;
		at += strlen(path) + 1;
	}
	return false;
}

bool bs_feed_has_failed(const struct bs_feed *feed)
{
	return feed->has_failed;
}

static enum bs_status add_item(struct bs_batch *batch, const void *path, size_t path_bytes, const struct bs_known *known,
                               struct bs_error *err)
{
	enum bs_status status = bs_buffer_append(&batch->bytes, path, path_bytes, err);
	if (!status)
		status = bs_buffer_append(&batch->bytes, "", 1, err);
	if (!status && known)
		status = bs_buffer_append(&batch->known, known, sizeof(*known), err);
	batch->n_items++;
	return status;
}

/* Goes past the documents before the path (NULL: all), and says what is known of the path itself. They are gone, but for
 * those where nobody could look: these are items of their own. */
static enum bs_status pass_known(struct bs_feed *feed, const char *path, size_t path_bytes, struct bs_batch *batch,
                                 struct bs_known *known_out, struct bs_error *err)
{
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	enum bs_status status = BS_OK;
	*known_out = (struct bs_known){.ref = {BS_DOC_NONE, 0}};
	while (!status && bs_doc_cursor_peek(&feed->known, &ref, &record)) {
		int order = path ? bs_compare_paths(record.name, record.name_bytes, (const uint8_t *)path, path_bytes) : -1;
		if (order > 0)
			break;
		struct bs_known known = make_known(ref, &record);
		known.is_kept = order < 0;
		if (order == 0)
			*known_out = known;
		else if (is_unread(feed, &record))
			status = add_item(batch, record.name, record.name_bytes, &known, err);
		if (!status)
			status = bs_doc_cursor_advance(&feed->known, err);
	}
	return status;
}

static enum bs_status add_path(struct bs_feed *feed, const char *path, size_t path_bytes, struct bs_batch *batch,
                               struct bs_error *err)
{
	struct bs_known known;
	enum bs_status status = feed->has_known ? pass_known(feed, path, path_bytes, batch, &known, err) : BS_OK;
	return status ? status : add_item(batch, path, path_bytes, feed->has_known ? &known : NULL, err);
}

static enum bs_status next_paths(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	while (batch->n_items < (feed->has_known ? BATCH_KNOWN : BATCH_PATHS) && !feed->at_end) {
		const char *path = NULL;
		size_t path_bytes = 0;
		struct bs_known none;
		enum bs_status status = bs_walk_next(feed->walk, &path, &path_bytes, err);
		if (!status && path)
			status = add_path(feed, path, path_bytes, batch, err);
		else if (!status && feed->unread.used_bytes > 0 && feed->has_known)
			status = pass_known(feed, NULL, 0, batch, &none, err);
		if (status)
			return status;
		feed->at_end = !path;
	}
	return BS_OK;
}

/* The one batch of a file: an empty path below the source. */
static enum bs_status next_file(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	if (feed->at_end)
		return BS_OK;
	feed->at_end = true;
	return add_path(feed, "", 0, batch, err);
}

enum bs_status bs_feed_know(struct bs_feed *feed, const struct bs_snapshot *snapshot, uint32_t source,
                            struct bs_error *err)
{
	feed->has_known = true;
	return bs_doc_cursor_init(&feed->known, snapshot, source, NULL, true, err);
}

/* Sums up the first n_bytes; *is_there_out: there are as many. last_out: the last of them. */
static enum bs_status sum_beginning(struct bs_feed *feed, uint64_t n_bytes, bool *is_there_out, uint8_t *last_out,
                                    struct bs_error *err)
{
	struct bs_buffer bytes = {0};
	enum bs_status status = BS_OK;
	uint64_t left = n_bytes;
	while (!status && left > 0 && !feed->at_end) {
		bs_buffer_clear(&bytes);
		status = read_some(feed, &bytes, left < BATCH_BYTES ? (size_t)left : BATCH_BYTES, err);
		if (status || bytes.used_bytes == 0)
			break;
		bs_checksum_stream_add(feed->checksum, bytes.data, bytes.used_bytes);
		*last_out = bytes.data[bytes.used_bytes - 1];
		left -= bytes.used_bytes;
	}
	*is_there_out = left == 0;
	feed->at_end = false;
	bs_buffer_deinit(&bytes);
	return status;
}

/* Whether nothing but the end of a line stands at the offset. */
static bool is_line_end(const struct bs_feed *feed, uint64_t offset)
{
	char next[2] = "";
	ssize_t n = pread(feed->fd, next, sizeof(next), (off_t)offset);
	return n == 0 || (n > 0 && next[0] == '\n') || (n == 2 && next[0] == '\r' && next[1] == '\n');
}

enum bs_status bs_feed_resume(struct bs_feed *feed, const struct bs_read_mark *mark, bool *is_appended_out,
                              struct bs_error *err)
{
	uint8_t last = '\n';
	*is_appended_out = false;
	if (mark->n_bytes == 0 || mark->n_bytes > INT64_MAX)
		return BS_OK;
	enum bs_status status = sum_beginning(feed, mark->n_bytes, is_appended_out, &last, err);
	*is_appended_out = *is_appended_out && bs_checksum_stream_value(feed->checksum) == mark->checksum &&
	                   (last == '\n' || is_line_end(feed, mark->n_bytes));
	if (status)
		return status;
	if (*is_appended_out) {
		feed->offset = mark->n_bytes;
		feed->line = mark->n_lines + (last == '\n');
		feed->whole = *mark;
		feed->ended = *mark;
		return BS_OK;
	}
	bs_checksum_stream_free(feed->checksum);
	feed->checksum = bs_checksum_stream_new();
	if (!feed->checksum)
		return bs_fail_memory(err, "a feed", sizeof(*feed));
	if (lseek(feed->fd, 0, SEEK_SET) < 0)
		return bs_fail(err, BS_IO, "%s: %s", feed->source->label, strerror(errno));
	return BS_OK;
}

void bs_feed_mark(const struct bs_feed *feed, bool last_line_counts, struct bs_read_mark *mark_out)
{
	*mark_out = last_line_counts ? feed->whole : feed->ended;
}

enum bs_status bs_feed_recall(const struct bs_source *source, const struct bs_snapshot *snapshot, uint32_t number,
                              const bool *chosen, uint64_t limit_bytes, struct bs_feed **feed_out,
                              struct bs_error *err)
{
	struct bs_feed *feed = calloc(1, sizeof(*feed));
	*feed_out = NULL;
	if (!feed)
		return bs_fail_memory(err, "a feed", sizeof(*feed));
	feed->source = source;
	feed->fd = -1;
	feed->recall = snapshot;
	feed->recall_bytes = limit_bytes;
	enum bs_status status = bs_doc_cursor_init(&feed->known, snapshot, number, chosen, false, err);
	if (status)
		bs_feed_close(feed);
	else
		*feed_out = feed;
	return status;
}

static enum bs_status next_recalled(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	bool is_folder = feed->source->kind == BS_SOURCE_FOLDER;
	bool is_record = feed->source->kind == BS_SOURCE_COLLECTION || feed->source->kind == BS_SOURCE_STDIN;
	uint64_t n_bytes = 0;
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	enum bs_status status = BS_OK;
	batch->recall = feed->recall;
	while (!status && batch->n_items < (is_record ? BATCH_RECORDS : BATCH_PATHS) && n_bytes < BATCH_BYTES &&
	       feed->recall_bytes > 0 && bs_doc_cursor_peek(&feed->known, &ref, &record)) {
		struct bs_known known = make_known(ref, &record);
		if (is_folder && !bs_doc_name_is_below(record.name, record.name_bytes))
			return bs_container_corrupt(feed->recall->segments[ref.segment].file, err,
			                            "the name of document %u leads out of its source", ref.document);
		status = bs_buffer_append(&batch->known, &known, sizeof(known), err);
		if (!status)
			status = bs_buffer_append(&batch->bytes, record.name, record.name_bytes, err);
		if (!status)
			status = bs_buffer_append(&batch->bytes, "", 1, err);
		if (!status)
			status = bs_doc_cursor_advance(&feed->known, err);
		uint64_t size_bytes = is_record ? record.place[1] : record.place[0];
		n_bytes += size_bytes;
		feed->recall_bytes -= size_bytes < feed->recall_bytes ? size_bytes : feed->recall_bytes;
		batch->n_items++;
	}
	return status;
}

enum bs_status bs_feed_next(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	bs_buffer_clear(&batch->bytes);
	bs_buffer_clear(&batch->known);
	batch->recall = NULL;
	batch->offset = 0;
	batch->first_line = 0;
	batch->n_items = 0;
	batch->source_bytes = 0;
	batch->is_long_line = false;
	if (feed->recall)
		return next_recalled(feed, batch, err);
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
