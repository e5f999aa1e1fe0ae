/* feed.c: cuts a source into batches, on one thread, in document order. See source.h; reader.c
 * reads the batches. */
#include "corpus/read/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/bitsift/skip.h"
#include "core/system/deadline.h"
#include "corpus/walk/file.h"
#include "corpus/walk/holes.h"

/* number of paths of a batch if an entry lookup is set: most files then need only a stat */
#define BATCH_KNOWN 512

struct bs_feed {
	const struct bs_source *source;
	struct bs_walk *walk; /* for a folder */
	int fd;               /* for a collection or standard input */
	/* Coding of a collection or of standard input; for standard input known after its first
	 * bytes were read. */
	enum bs_coding coding;
	struct bs_holes holes; /* holes of the file fd, which are not read */
	/* the incomplete line after the last batch; the next batch begins with it */
	struct bs_buffer carry;
	/* offset of the first byte that is not yet in a batch; for a folder: number of files so
	 * far */
	uint64_t offset;
	uint64_t line;                       /* 1-based number of the line at offset */
	bool at_end;                         /* nothing more to read; carry may still hold a line */
	struct bs_checksum_stream *checksum; /* checksum of a collection's bytes before offset */
	/* Valid when all is read. `whole` is the end of the source. `ended` excludes a last line
	 * without a line feed. */
	struct bs_read_mark whole, ended;
	struct bs_entry_lookup lookup; /* lookup.fill is NULL if none is set */
	/* lookup yields documents to read again */
	bool is_recall;
	/* consecutive NUL-terminated paths that the walk could not read, in document order */
	struct bs_buffer unread;
	bool has_failed; /* reading a collection failed */
	/* longer lines are skipped without being held in memory */
	uint64_t max_line_bytes;
	const struct bs_inner_reader *inner_reader; /* nullable */
	/* the inner collection that the walk has reached; NULL: none */
	struct bs_inner *inner;
	struct bs_feed *inner_feed;   /* yields the lines of inner; borrowed */
	struct bs_buffer inner_path;  /* NUL-terminated; empty after the batch that begins inner */
	struct bs_progress *progress; /* nullable */
	/* the feed yields only this row of the collection; NULL: it yields documents */
	const struct bs_index_entry *row;
};

void bs_batch_deinit(struct bs_batch *batch)
{
	bs_buffer_deinit(&batch->bytes);
	bs_vector_deinit(&batch->entries);
	*batch = (struct bs_batch){0};
}

static enum bs_status note_unread(void *context, const char *path, size_t path_bytes,
                                  struct bs_error *err)
{
	struct bs_feed *feed = context;
	enum bs_status status = bs_buffer_append(&feed->unread, path, path_bytes, err);
	return status ? status : bs_buffer_append(&feed->unread, "", 1, err);
}

static enum bs_status open_walk(struct bs_feed *feed, const struct bs_source_options *options,
                                void (*report)(void *context, enum bs_skip reason,
                                               const char *message),
                                void *report_context, struct bs_error *err)
{
	struct bs_walk_options walk_options = {
		.hidden = options->hidden,
		.no_ignore = options->no_ignore,
		.globs = options->globs,
		.n_globs = options->n_globs,
		.skip_device = options->skip_device,
		.skip_inode = options->skip_inode,
		.shown = feed->source->shown,
		.parts = feed->source->parts,
		.lists = options->lists,
		.unread = note_unread,
		.unread_context = feed,
		.report = report,
		.report_context = report_context,
		.left_out = options->left_out,
		.left_out_context = options->left_out_context,
	};
	return bs_walk_open(feed->source->path, &walk_options, &feed->walk, err);
}

static enum bs_status open_collection(struct bs_feed *feed, struct bs_error *err)
{
	const char *path = feed->source->path;
	struct stat found;
	feed->fd = bs_source_open(feed->source, O_RDONLY | O_NONBLOCK);
	if (feed->fd < 0 || fstat(feed->fd, &found))
		return bs_fail(err, bs_file_status(errno), "%s: %s", path, strerror(errno));
	if (!S_ISREG(found.st_mode))
		return bs_fail(err, BS_INVALID, "%s: not a regular file", path);
	feed->coding = bs_coding_of_file(feed->fd);
	bs_holes_init(&feed->holes, feed->fd, &found);
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
	feed->holes.fd = feed->fd = source->kind == BS_SOURCE_STDIN ? STDIN_FILENO : -1;
	struct stat found;
	if (feed->fd >= 0 && fstat(feed->fd, &found) == 0)
		bs_holes_init(&feed->holes, feed->fd, &found);
	feed->line = 1;
	feed->progress = options->progress;
	feed->max_line_bytes =
		options->max_document_bytes ? options->max_document_bytes : BS_FILE_LIMIT_BYTES - 1;
	if (options->memory_bytes && options->memory_bytes < feed->max_line_bytes)
		feed->max_line_bytes = options->memory_bytes;
	feed->max_line_bytes += 2; /* + 2: the line end */
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
	if (feed->lookup.close)
		feed->lookup.close(feed->lookup.context);
	bs_buffer_deinit(&feed->carry);
	bs_buffer_deinit(&feed->unread);
	bs_buffer_deinit(&feed->inner_path);
	free(feed);
}

/* Reads up to n_bytes and appends them to bytes; sets at_end if there are no more. */
static enum bs_status read_some(struct bs_feed *feed, struct bs_buffer *bytes, size_t n_bytes,
                                struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(bytes, n_bytes, err);
	if (!status)
		status = bs_deadline_wait_readable(feed->fd, err);
	if (status)
		return status;
	for (;;) {
		ssize_t n = bs_holes_read(&feed->holes, bytes->data + bytes->used_bytes, n_bytes);
		if (n >= 0) {
			bytes->used_bytes += (size_t)n;
			feed->at_end = n == 0;
			return BS_OK;
		}
		/* Another process that shares standard input may have made it non-blocking. */
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			(void)poll(&(struct pollfd){.fd = feed->fd, .events = POLLIN}, 1,
			           bs_deadline_here ? 2 : -1);
		else if (errno != EINTR)
			break;
		/* After a signal the caller may want to stop. */
		status = bs_progress_add(feed->progress, 0, err);
		if (status)
			return status;
	}
	feed->has_failed = true;
	return bs_fail(err, BS_IO, "%s: %s", feed->source->label, strerror(errno));
}

/* True if bytes contain only the beginning of a line, which is already too long. */
static bool is_long_line(const struct bs_feed *feed, const struct bs_buffer *bytes, size_t end)
{
	return end == 0 && bytes->used_bytes > feed->max_line_bytes;
}

/* Reads enough of standard input to recognize its coding. */
static enum bs_status read_mark(struct bs_feed *feed, struct bs_buffer *bytes, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t mark_bytes;
	while (!status && !feed->at_end && bytes->used_bytes < BS_CODING_MARK_BYTES)
		status = read_some(feed, bytes, BS_CODING_MARK_BYTES - bytes->used_bytes, err);
	feed->coding = bs_coding_of(bytes->data, bytes->used_bytes, &mark_bytes);
	return status;
}

/* Fills bytes with a batch's worth and at least one line end, or with the rest of the source, or
 * with the beginning of a line that is too long. *end_out: offset after the last line end, 0 if
 * there is none. */
static enum bs_status fill_lines(struct bs_feed *feed, struct bs_buffer *bytes, size_t *end_out,
                                 struct bs_error *err)
{
	enum bs_status status =
		bs_buffer_append(bytes, feed->carry.data, feed->carry.used_bytes, err);
	size_t looked = bytes->used_bytes; /* no line end before this offset */
	bs_buffer_clear(&feed->carry);
	*end_out = 0;
	if (!status && feed->source->kind == BS_SOURCE_STDIN && feed->offset == 0 && looked == 0)
		status = read_mark(feed, bytes, err);
	while (!status) {
		size_t unit = bs_coding_unit_bytes(feed->coding);
		looked -= looked % unit; /* begin at a unit boundary */
		const uint8_t *last = bs_coding_last_feed(feed->coding, bytes->data + looked,
		                                          bytes->used_bytes - looked);
		if (last)
			*end_out = (size_t)(last - bytes->data) + unit;
		looked = bytes->used_bytes;
		if (feed->at_end || is_long_line(feed, bytes, *end_out) ||
		    (bytes->used_bytes >= BS_BATCH_BYTES && *end_out))
			break;
		status = read_some(
			feed, bytes,
			looked < BS_BATCH_BYTES ? BS_BATCH_BYTES - looked : BS_BATCH_BYTES, err);
	}
	return status;
}

/* Removes a byte order mark from the beginning of a collection. */
static void drop_mark(struct bs_batch *batch)
{
	struct bs_buffer *bytes = &batch->bytes;
	size_t mark_bytes = 0;
	if (batch->offset == 0)
		(void)bs_coding_of(bytes->data, bytes->used_bytes, &mark_bytes);
	if (mark_bytes == 0)
		return;
	bytes->used_bytes -= mark_bytes;
	memmove(bytes->data, bytes->data + mark_bytes, bytes->used_bytes);
	batch->offset = mark_bytes;
}

static size_t count_lines(const struct bs_feed *of, const uint8_t *bytes, size_t n_bytes)
{
	size_t n = 0, unit = bs_coding_unit_bytes(of->coding);
	const uint8_t *end = bytes + n_bytes;
	for (const uint8_t *at = bytes; at < end; n++) {
		const uint8_t *feed = bs_coding_first_feed(of->coding, at, (size_t)(end - at));
		at = feed ? feed + unit : end;
	}
	return n;
}

/* Advances past the next n_bytes of the source, and counts n_lines lines in them. */
static void pass(struct bs_feed *feed, const uint8_t *bytes, size_t n_bytes, size_t n_lines)
{
	feed->offset += n_bytes;
	feed->line += n_lines;
	if (feed->checksum)
		bs_checksum_stream_add(feed->checksum, bytes, n_bytes);
}

static struct bs_read_mark mark_here(const struct bs_feed *feed)
{
	return (struct bs_read_mark){
		.n_bytes = feed->offset,
		.n_lines = feed->line - 1,
		.checksum = feed->checksum ? bs_checksum_stream_value(feed->checksum) : 0};
}

/* Skips a line that is too long, whose beginning is in bytes. The batch has this line as its only
 * item, but no bytes. Bytes that were read after the line are carried to the next batch. */
static enum bs_status skip_line(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	struct bs_buffer *bytes = &batch->bytes;
	struct bs_read_mark before = mark_here(feed);
	const uint8_t *end = NULL;
	size_t unit = bs_coding_unit_bytes(feed->coding), n_bytes = bytes->used_bytes / unit * unit;
	enum bs_status status = BS_OK;
	for (;;) {
		uint8_t part[BS_CODING_MARK_BYTES]; /* incomplete unit at the end */
		n_bytes = end            ? (size_t)(end - bytes->data) + unit
		          : feed->at_end ? bytes->used_bytes
		                         : n_bytes;
		size_t part_bytes =
			bytes->used_bytes - n_bytes < unit ? bytes->used_bytes - n_bytes : 0;
		pass(feed, bytes->data, n_bytes, 0);
		if (end)
			status = bs_buffer_append(&feed->carry, end + unit,
			                          bytes->used_bytes - n_bytes, err);
		memcpy(part, bytes->data + n_bytes, part_bytes);
		bs_buffer_trim(bytes, BS_BATCH_BYTES);
		if (status || end || feed->at_end)
			break;
		status = bs_buffer_append(bytes, part, part_bytes, err);
		if (!status)
			status = read_some(feed, bytes, BS_BATCH_BYTES, err);
		if (status)
			break;
		n_bytes = bytes->used_bytes / unit * unit;
		end = bs_coding_first_feed(feed->coding, bytes->data, bytes->used_bytes);
	}
	feed->line++;
	if (feed->at_end) {
		feed->ended = before;
		feed->whole = mark_here(feed);
	}
	batch->is_long_line = true;
	batch->n_items = 1;
	return status;
}

static enum bs_status next_lines(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	struct bs_buffer *bytes = &batch->bytes;
	size_t end = 0;
	batch->offset = feed->offset;
	batch->first_line = feed->line;
	if (feed->at_end)
		return BS_OK;
	enum bs_status status = fill_lines(feed, bytes, &end, err);
	if (status || is_long_line(feed, bytes, end))
		return status ? status : skip_line(feed, batch, err);
	batch->coding = feed->coding;
	pass(feed, bytes->data, end, count_lines(feed, bytes->data, end));
	if (!feed->at_end) {
		status = bs_buffer_append(&feed->carry, bytes->data + end, bytes->used_bytes - end,
		                          err);
		bytes->used_bytes = end;
	} else if (bytes->used_bytes > 0 || feed->offset != feed->whole.n_bytes) {
		/* This is skipped if reading resumed at a mark and nothing follows the mark:
		 * `ended` and `whole` then stay at the mark. */
		feed->ended = mark_here(feed);
		pass(feed, bytes->data + end, bytes->used_bytes - end, bytes->used_bytes > end);
		feed->whole = mark_here(feed);
	}
	batch->n_items = feed->line - batch->first_line;
	drop_mark(batch);
	return status;
}

bool bs_feed_is_unread(const struct bs_feed *feed, const char *name)
{
	if (!bs_source_has_part(feed->source, (const uint8_t *)name, strlen(name)))
		return true;
	for (size_t at = 0; at < feed->unread.used_bytes;) {
		const char *path = (const char *)feed->unread.data + at;
		if (bs_path_is_at_or_below(path, (const uint8_t *)name, strlen(name)))
			return true;
		at += strlen(path) + 1;
	}
	return false;
}

static enum bs_status is_binary(const char *folder, const char *path, bool *is_out,
                                struct bs_error *err)
{
	struct bs_buffer whole = {0}, bytes = {0};
	struct bs_fingerprint fingerprint;
	struct bs_refusal refusal = {0};
	enum bs_status status = bs_file_join(folder, path, strlen(path), &whole, err);
	/* The limit of 1 byte makes this read only the head of the file. */
	if (!status)
		status = bs_file_load(AT_FDCWD, (const char *)whole.data, true, 1, NULL, &bytes,
		                      &fingerprint, &refusal, err);
	*is_out = refusal.reason && refusal.skip == BS_SKIP_BINARY;
	if (!status && refusal.skip == BS_SKIP_UNREADABLE && refusal.reason)
		status = bs_fail(err, BS_IO, "%s: %s", path, refusal.reason);
	bs_buffer_deinit(&whole);
	bs_buffer_deinit(&bytes);
	return status;
}

enum bs_status bs_feed_reaches(const struct bs_source *folder,
                               const struct bs_source_options *options, const char *path,
                               bool *reaches_out, struct bs_error *err)
{
	const char *parts[] = {path, NULL}, *met = NULL;
	struct bs_source part = *folder;
	struct bs_feed feed = {.source = &part};
	size_t met_bytes;
	bool is_passed_over = false;
	part.parts = parts;
	*reaches_out = false;
	enum bs_status status = open_walk(&feed, options, NULL, NULL, err);
	if (!status)
		status = bs_walk_next(feed.walk, &met, &met_bytes, err);
	if (!status)
		*reaches_out = bs_walk_has_met_part(feed.walk);
	if (!status && met && strcmp(met, path) == 0 && !options->binary_as_text)
		status = is_binary(folder->path, path, &is_passed_over, err);
	/* The walk did not reach `path`, but could not read everything on the way, so the answer is
	 * unknown. A guess of false is not safe: the caller would make `path` a source of its own,
	 * and a later walk that can read the folder would index the documents of `path` again. */
	if (!status && !*reaches_out && feed.unread.used_bytes > 0)
		status = bs_fail(err, BS_IO, "%s: %s cannot be looked at in this source",
		                 folder->path, path);
	*reaches_out &= !is_passed_over;
	bs_walk_close(feed.walk);
	bs_buffer_deinit(&feed.unread);
	return status;
}

bool bs_feed_has_failed(const struct bs_feed *feed)
{
	return feed->has_failed;
}

static enum bs_status add_path(struct bs_batch *batch, const char *path, size_t path_bytes,
                               struct bs_error *err)
{
	batch->n_items++;
	return bs_buffer_append(&batch->bytes, path, path_bytes + 1, err);
}

/* Makes the batch that begins the inner collection: its path only. */
static enum bs_status begin_inner(struct bs_feed *feed, struct bs_batch *batch,
                                  struct bs_error *err)
{
	enum bs_status status = add_path(batch, (const char *)feed->inner_path.data,
	                                 feed->inner_path.used_bytes - 1, err);
	bs_buffer_clear(&feed->inner_path);
	feed->offset++;
	if (!status && feed->lookup.fill)
		status = feed->lookup.fill(feed->lookup.context, &feed->unread, false, batch, err);
	batch->inner = feed->inner;
	batch->begins_inner = true;
	batch->is_row = feed->inner_reader->has_rows;
	batch->ends_inner = !feed->inner_feed;
	if (batch->ends_inner)
		feed->inner = NULL;
	return status;
}

static enum bs_status next_paths(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (feed->inner && feed->inner_path.used_bytes > 0)
		return begin_inner(feed, batch, err);
	if (feed->at_end)
		return BS_OK;
	/* A file has one batch with one item: an empty path below the source. */
	if (feed->source->kind == BS_SOURCE_FILE) {
		status = add_path(batch, "", 0, err);
		feed->at_end = true;
	}
	while (!status && batch->n_items < (feed->lookup.fill ? BATCH_KNOWN : BS_BATCH_PATHS) &&
	       !feed->at_end && !feed->inner) {
		const char *path = NULL;
		size_t path_bytes = 0;
		bool is_unread = false;
		status = bs_walk_next(feed->walk, &path, &path_bytes, err);
		feed->at_end = !status && !path;
		if (!status && path && feed->inner_reader)
			status = feed->inner_reader->meet(feed->inner_reader->context, path,
			                                  &feed->inner, &feed->inner_feed,
			                                  &is_unread, err);
		if (!status && path && feed->inner)
			status = bs_buffer_append(&feed->inner_path, path, path_bytes + 1, err);
		else if (!status && is_unread)
			status = note_unread(feed, path, path_bytes, err);
		else if (!status && path)
			status = add_path(batch, path, path_bytes, err);
	}
	feed->offset += batch->n_items;
	if (!status && batch->n_items == 0 && feed->inner)
		return begin_inner(feed, batch, err);
	if (!status && feed->lookup.fill)
		status = feed->lookup.fill(feed->lookup.context, &feed->unread, feed->at_end, batch,
		                           err);
	return status;
}

/* Reads the next lines of the inner collection into batch. If they cannot be read, the collection
 * ends, but not the folder. */
static enum bs_status next_inner(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	struct bs_feed *of = feed->inner_feed;
	struct bs_error why = {""};
	enum bs_status status = bs_feed_next(of, batch, &why);
	if (status && !of->has_failed)
		return bs_fail(err, status, "%s", why.text);
	batch->has_failed = of->has_failed;
	if (of->has_failed)
		bs_buffer_clear(&batch->bytes);
	status = of->has_failed
	                 ? bs_buffer_append(&batch->bytes, why.text, strlen(why.text) + 1, err)
	                 : BS_OK;
	batch->inner = feed->inner;
	batch->ends_inner = of->at_end || of->has_failed;
	/* A batch with 0 items would end the folder. */
	batch->n_items = batch->n_items ? batch->n_items : 1;
	if (batch->ends_inner)
		feed->inner = NULL;
	return status;
}

void bs_feed_set_inner_reader(struct bs_feed *feed, const struct bs_inner_reader *reader)
{
	feed->inner_reader = reader;
}

void bs_feed_set_entry_lookup(struct bs_feed *feed, const struct bs_entry_lookup *lookup)
{
	feed->lookup = *lookup;
}

/* Adds the first n_bytes of the file to the checksum. *is_there_out: whether the file has n_bytes
 * bytes. */
static enum bs_status sum_beginning(struct bs_feed *feed, uint64_t n_bytes, bool *is_there_out,
                                    struct bs_error *err)
{
	struct bs_buffer bytes = {0};
	enum bs_status status = BS_OK;
	uint64_t left = n_bytes;
	while (!status && left > 0 && !feed->at_end) {
		bs_buffer_clear(&bytes);
		status = read_some(feed, &bytes,
		                   left < BS_BATCH_BYTES ? (size_t)left : BS_BATCH_BYTES, err);
		if (status || bytes.used_bytes == 0)
			break;
		bs_checksum_stream_add(feed->checksum, bytes.data, bytes.used_bytes);
		left -= bytes.used_bytes;
	}
	*is_there_out = left == 0;
	feed->at_end = false;
	bs_buffer_deinit(&bytes);
	return status;
}

/* True if a line ends directly before the offset. */
static bool is_behind_line(const struct bs_feed *feed, uint64_t offset)
{
	uint8_t last[BS_CODING_MARK_BYTES];
	size_t unit = bs_coding_unit_bytes(feed->coding);
	return offset >= unit && offset % unit == 0 &&
	       pread(feed->fd, last, unit, (off_t)(offset - unit)) == (ssize_t)unit &&
	       bs_coding_first_feed(feed->coding, last, unit);
}

/* True if a line end (LF or CR LF) or the end of the file is at the offset. */
static bool is_line_end(const struct bs_feed *feed, uint64_t offset)
{
	uint8_t next[2 * BS_CODING_MARK_BYTES];
	size_t unit = bs_coding_unit_bytes(feed->coding);
	ssize_t n = pread(feed->fd, next, 2 * unit, (off_t)offset);
	const uint8_t *end = n > 0 ? bs_coding_first_feed(feed->coding, next, (size_t)n) : NULL;
	return offset % unit == 0 &&
	       (n == 0 ||
	        (end && bs_coding_without_return(feed->coding, next, (size_t)(end - next)) == 0));
}

enum bs_status bs_feed_resume(struct bs_feed *feed, const struct bs_read_mark *mark,
                              bool *is_appended_out, struct bs_error *err)
{
	*is_appended_out = false;
	if (mark->n_bytes == 0 || mark->n_bytes > INT64_MAX)
		return BS_OK;
	bool is_whole_line = is_behind_line(feed, mark->n_bytes);
	enum bs_status status = sum_beginning(feed, mark->n_bytes, is_appended_out, err);
	*is_appended_out = *is_appended_out &&
	                   bs_checksum_stream_value(feed->checksum) == mark->checksum &&
	                   (is_whole_line || is_line_end(feed, mark->n_bytes));
	if (status)
		return status;
	if (*is_appended_out) {
		feed->offset = mark->n_bytes;
		feed->line = mark->n_lines + is_whole_line;
		feed->whole = *mark;
		feed->ended = *mark;
		return BS_OK;
	}
	bs_checksum_stream_free(feed->checksum);
	feed->checksum = bs_checksum_stream_new();
	if (!feed->checksum)
		return bs_fail_memory(err, "a feed", sizeof(*feed));
	struct stat found;
	if (lseek(feed->fd, 0, SEEK_SET) < 0 || fstat(feed->fd, &found) != 0)
		return bs_fail(err, BS_IO, "%s: %s", feed->source->label, strerror(errno));
	bs_holes_init(&feed->holes, feed->fd, &found);
	return BS_OK;
}

void bs_feed_mark(const struct bs_feed *feed, bool last_line_counts, struct bs_read_mark *mark_out)
{
	*mark_out = last_line_counts ? feed->whole : feed->ended;
}

enum bs_status bs_feed_open_recall(const struct bs_source *source,
                                   const struct bs_entry_lookup *lookup, struct bs_feed **feed_out,
                                   struct bs_error *err)
{
	struct bs_feed *feed = calloc(1, sizeof(*feed));
	*feed_out = feed;
	if (!feed) {
		lookup->close(lookup->context);
		return bs_fail_memory(err, "a feed", sizeof(*feed));
	}
	*feed = (struct bs_feed){.source = source, .fd = -1, .lookup = *lookup, .is_recall = true};
	return BS_OK;
}

enum bs_status bs_feed_open_row(const struct bs_source *source, const struct bs_index_entry *entry,
                                struct bs_feed **feed_out, struct bs_error *err)
{
	struct bs_feed *feed = calloc(1, sizeof(*feed));
	*feed_out = feed;
	if (!feed)
		return bs_fail_memory(err, "a feed", sizeof(*feed));
	*feed = (struct bs_feed){.source = source, .fd = -1, .row = entry};
	return BS_OK;
}

static enum bs_status next_row(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	if (feed->at_end)
		return BS_OK;
	feed->at_end = batch->is_row = true;
	batch->source = feed->source;
	enum bs_status status = bs_vector_append(&batch->entries, feed->row, err);
	return status ? status : add_path(batch, "", 0, err);
}

enum bs_status bs_feed_next(struct bs_feed *feed, struct bs_batch *batch, struct bs_error *err)
{
	bs_buffer_clear(&batch->bytes);
	bs_vector_clear(&batch->entries);
	*batch = (struct bs_batch){.bytes = batch->bytes, .entries = batch->entries};
	enum bs_status status = BS_OK;
	if (feed->is_recall)
		return feed->lookup.fill(feed->lookup.context, &feed->unread, true, batch, err);
	if (feed->row)
		return next_row(feed, batch, err);
	if (feed->inner && feed->inner_path.used_bytes == 0) {
		status = next_inner(feed, batch, err);
	} else {
		batch->source = feed->source;
		status = bs_source_has_records(feed->source) ? next_lines(feed, batch, err)
		                                             : next_paths(feed, batch, err);
	}
	batch->source_done = feed->offset;
	return status;
}
