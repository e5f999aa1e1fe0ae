/* reader.c: turns batches into documents, and reads documents again. See source.h; feed.c makes the
 * batches. */
#include "corpus/read/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/bitsift/skip.h"
#include "core/collections/term_table.h"
#include "core/system/deadline.h"
#include "core/text/printable.h"
#include "corpus/read/record.h"
#include "corpus/read/record_scan.h"
#include "corpus/walk/file.h"
#include "corpus/walk/holes.h"

/* Larger buffers, of a huge file or record, are freed. */
#define KEPT_BYTES ((size_t)1 << 20)
/* Limit of reading ahead: a window this small stays in the CPU cache, and two concurrent reads of
 * this size keep a disk busy. */
#define WINDOW_BYTES ((uint64_t)256 * 1024)
/* estimated speed of reading a file */
#define BYTES_A_NS 4u
/* A document over 1/LARGE_SHARE of the run's memory is read after all earlier ones were merged. */
#define LARGE_SHARE 128u

/* A collection that stays open, with a window of its bytes, so that records near each other are
 * read by one system call. */
struct collection {
	int fd; /* -1: none is open */
	char *path;
	enum bs_coding coding;
	struct bs_fingerprint fingerprint; /* fingerprint of the file when it was opened */
	struct bs_buffer window;           /* bytes from window_offset on */
	uint64_t window_offset;
	bool is_ahead; /* the window was read ahead and may serve later calls */
};

struct bs_reader {
	const struct bs_source *source;      /* source of the current batch */
	const struct bs_document_sink *sink; /* receives its documents */
	bool is_row;                         /* the batch has rows of collections */
	/* the row being read, if it is too large to be held; otherwise -1 */
	int row_fd;
	struct bs_holes row_holes; /* position in row_fd */
	struct bs_text_stream row; /* text of row_fd */
	bool binary_as_text;
	struct bs_access *access; /* see struct bs_source_options */
	uint64_t max_document_bytes;
	uint64_t large_bytes;      /* larger documents are announced to the sink */
	uint64_t most_parse_bytes; /* a record whose parsing needs more is refused */
	const char *too_large;     /* message for a document over max_document_bytes */
	int64_t racy_from_ns;      /* 0: not checked */
	struct bs_record_parser *records;
	bool has_large;         /* a record of the current batch was announced as large */
	struct bs_buffer bytes; /* the file or record as read */
	struct bs_buffer text;  /* bytes as UTF-8, if they have another coding */
	struct bs_buffer message;
	struct bs_field file_field;      /* the only field of a file */
	int folder_fd;                   /* the folder opened last; -1: none */
	char *folder_path;               /* its path */
	const struct bs_file_head *head; /* callbacks for files that are fetched; nullable */
	struct bs_file_place place;      /* folder of the file that was found last */
	uint64_t folder_hash;            /* checksum of folder_path */
	/* hashes of folders whose paths had no symlink when they were checked, in second
	 * linkless_s */
	struct bs_term_table linkless;
	time_t linkless_s;
	struct collection collection; /* the collection from which fetch_line read last */
	struct bs_record_scan scan;
	struct bs_recall recall;        /* functions of the last batch of stored texts */
	struct bs_stored_texts *stored; /* opened by recall; nullable */
};

static void close_folder(struct bs_reader *reader)
{
	bs_file_place_close(&reader->place);
	if (reader->folder_fd >= 0)
		close(reader->folder_fd);
	reader->folder_fd = -1;
	free(reader->folder_path);
	reader->folder_path = NULL;
}

/* Opens the folder at path, unless it is the open one. */
static enum bs_status open_root(struct bs_reader *reader, const char *path, struct bs_error *err)
{
	if (reader->folder_path && !strcmp(reader->folder_path, path))
		return BS_OK;
	close_folder(reader);
	reader->folder_fd = bs_file_open(AT_FDCWD, path, O_PATH | O_DIRECTORY);
	if (reader->folder_fd < 0)
		return bs_fail(err, bs_file_status(errno), "%s: %s", path, strerror(errno));
	reader->folder_path = strdup(path);
	if (!reader->folder_path) {
		close_folder(reader);
		return bs_fail_memory(err, "a path", strlen(path));
	}
	reader->folder_hash = bs_checksum(path, strlen(path));
	return BS_OK;
}

enum bs_status bs_reader_new(const struct bs_source_options *options, struct bs_reader **reader_out,
                             struct bs_error *err)
{
	struct bs_record_options record_options = {
		.id_field = options->id_field,
		.text_fields = options->text_fields,
		.n_text_fields = options->n_text_fields,
	};
	*reader_out = NULL;
	struct bs_reader *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return bs_fail_memory(err, "a reader", sizeof(*reader));
	reader->binary_as_text = options->binary_as_text;
	reader->access = options->access;
	reader->max_document_bytes =
		options->max_document_bytes ? options->max_document_bytes : BS_FILE_LIMIT_BYTES - 1;
	reader->large_bytes = UINT64_MAX;
	reader->most_parse_bytes = UINT64_MAX;
	reader->too_large = "larger than --max-document";
	if (options->memory_bytes) {
		reader->large_bytes = options->memory_bytes / LARGE_SHARE;
		reader->most_parse_bytes = options->memory_bytes + BS_BESIDE_MEMORY_BYTES;
		if (options->memory_bytes < reader->max_document_bytes) {
			reader->max_document_bytes = options->memory_bytes;
			reader->too_large = "larger than --memory";
		}
	}
	reader->racy_from_ns = options->racy_from_ns;
	reader->folder_fd = -1;
	reader->row_fd = -1;
	reader->collection.fd = -1;
	reader->scan.options = record_options;
	enum bs_status status = bs_record_parser_new(&record_options, &reader->records, err);
	if (status)
		bs_reader_free(reader);
	else
		*reader_out = reader;
	return status;
}

static void collection_deinit(struct collection *collection)
{
	if (collection->fd >= 0)
		close(collection->fd);
	free(collection->path);
	bs_buffer_deinit(&collection->window);
	*collection = (struct collection){.fd = -1};
}

/* Opens a collection, unless it is the open one. BS_NOT_FOUND also if it is not a regular file. */
static enum bs_status collection_open(struct collection *collection, const struct bs_source *source,
                                      struct bs_error *err)
{
	const char *path = source->path;
	struct stat found;
	enum bs_status status = BS_OK;
	if (collection->path && strcmp(collection->path, path) == 0)
		return BS_OK;
	collection_deinit(collection);
	collection->fd = bs_source_open(source, O_RDONLY | O_NONBLOCK);
	if (collection->fd < 0 || fstat(collection->fd, &found))
		status = bs_fail(err, bs_file_status(errno), "%s: %s", path, strerror(errno));
	else if (!S_ISREG(found.st_mode))
		status = bs_fail(err, BS_NOT_FOUND, "%s: not a regular file", path);
	else if ((collection->path = strdup(path)) == NULL)
		status = bs_fail_memory(err, "a path", strlen(path));
	if (status) {
		collection_deinit(collection);
		return status;
	}
	collection->fingerprint = bs_file_fingerprint(&found);
	collection->coding = bs_coding_of_file(collection->fd);
	return BS_OK;
}

/* True if the collection has these bytes. Checked before memory is allocated. The file may have
 * grown since it was opened. */
static bool reaches(const struct collection *collection, uint64_t offset, uint64_t n_bytes)
{
	struct stat found;
	if (offset > INT64_MAX || n_bytes > INT64_MAX - offset)
		return false;
	if (offset + n_bytes <= collection->fingerprint.size_bytes)
		return true;
	return !fstat(collection->fd, &found) && offset + n_bytes <= (uint64_t)found.st_size;
}

/* Most bytes of one read; the deadline is checked between reads. */
#define STEP_BYTES ((size_t)1 << 20)

/* Reads until the window holds wanted_bytes; at the end of the file, needed_bytes are enough. */
static enum bs_status fill_window(struct collection *collection, uint64_t needed_bytes,
                                  uint64_t wanted_bytes, struct bs_error *err)
{
	struct bs_buffer *window = &collection->window;
	while (window->used_bytes < wanted_bytes) {
		size_t left_bytes = (size_t)wanted_bytes - window->used_bytes;
		size_t asked_bytes = left_bytes < STEP_BYTES ? left_bytes : STEP_BYTES;
		enum bs_status status = bs_deadline_check_after(asked_bytes / BYTES_A_NS, err);
		if (status)
			return status;
		ssize_t n = pread(collection->fd, window->data + window->used_bytes, asked_bytes,
		                  (off_t)(collection->window_offset + window->used_bytes));
		if (n > 0)
			window->used_bytes += (size_t)n;
		else if (n == 0 && window->used_bytes >= needed_bytes)
			break;
		else if (n == 0)
			return bs_fail(err, BS_INVALID, "%s: ends before offset %" PRIu64,
			               collection->path, collection->window_offset + needed_bytes);
		else if (errno != EINTR)
			return bs_fail(err, BS_IO, "%s: %s", collection->path, strerror(errno));
	}
	return BS_OK;
}

/* Reads n_bytes at offset, borrowed until the next call. If they are not in the window, it is
 * filled with the bytes up to offset ahead_to, at most WINDOW_BYTES. ahead_to 0: nothing is read
 * ahead, and later calls do not use the window. BS_INVALID if the file is too short. */
static enum bs_status collection_read(struct collection *collection, uint64_t offset,
                                      uint64_t n_bytes, uint64_t ahead_to,
                                      const uint8_t **bytes_out, struct bs_error *err)
{
	struct bs_buffer *window = &collection->window;
	uint64_t skipped = offset - collection->window_offset;
	if (!collection->is_ahead || offset < collection->window_offset ||
	    skipped > window->used_bytes || n_bytes > window->used_bytes - skipped) {
		if (!reaches(collection, offset, n_bytes))
			return bs_fail(err, BS_INVALID, "%s: ends before offset %" PRIu64,
			               collection->path, offset + n_bytes);
		uint64_t most = offset + (n_bytes > WINDOW_BYTES ? n_bytes : WINDOW_BYTES);
		uint64_t to = ahead_to < most ? ahead_to : most;
		uint64_t wanted_bytes = to > offset + n_bytes ? to - offset : n_bytes;
		bs_buffer_trim(window, (size_t)wanted_bytes + KEPT_BYTES);
		collection->window_offset = offset;
		collection->is_ahead = ahead_to > 0;
		enum bs_status status = bs_buffer_reserve(window, (size_t)wanted_bytes + 1, err);
		if (!status)
			status = fill_window(collection, n_bytes, wanted_bytes, err);
		if (status) {
			bs_buffer_clear(window);
			return status;
		}
		skipped = 0;
	}
	*bytes_out = window->data + skipped;
	return BS_OK;
}

static void close_row(struct bs_reader *reader)
{
	if (reader->row_fd >= 0)
		close(reader->row_fd);
	reader->row_fd = -1;
}

static void close_stored(struct bs_reader *reader)
{
	if (reader->stored)
		reader->recall.close(reader->stored);
	reader->stored = NULL;
}

void bs_reader_free(struct bs_reader *reader)
{
	if (!reader)
		return;
	bs_record_parser_free(reader->records);
	bs_buffer_deinit(&reader->bytes);
	bs_buffer_deinit(&reader->text);
	bs_buffer_deinit(&reader->message);
	close_folder(reader);
	close_row(reader);
	bs_term_table_deinit(&reader->linkless);
	collection_deinit(&reader->collection);
	bs_record_scan_deinit(&reader->scan);
	close_stored(reader);
	free(reader);
}

/* Reports "ID: REASON" to the sink. Does not use bs_fail, because a path may be longer than an
 * error. */
static enum bs_status tell_skip(struct bs_reader *reader, const char *name, uint64_t line,
                                const struct bs_refusal *why, struct bs_error *err)
{
	struct bs_buffer *message = &reader->message;
	struct bs_buffer id = {0};
	if (!reader->sink->skip)
		return BS_OK;
	bs_buffer_clear(message);
	enum bs_status status = bs_source_append_id(reader->source, (const uint8_t *)name,
	                                            strlen(name), line, &id, err);
	if (!status)
		status = bs_escape_append(message, id.data, id.used_bytes, err);
	if (!status)
		status = bs_buffer_append(message, ": ", 2, err);
	if (!status)
		status = bs_escape_append(message, why->reason, strlen(why->reason), err);
	if (!status)
		status = bs_buffer_append(message, "", 1, err);
	if (!status)
		status = reader->sink->skip(reader->sink->context, why->skip,
		                            (const char *)message->data, err);
	bs_buffer_deinit(&id);
	return status;
}

static enum bs_status pass_over(struct bs_reader *reader, const char *name, uint64_t line,
                                const struct bs_refusal *why, struct bs_error *err)
{
	const struct bs_document_sink *sink = reader->sink;
	enum bs_status status = tell_skip(reader, name, line, why, err);
	if (!status && sink->non_documents && !bs_source_has_records(reader->source))
		status = sink->non_documents(sink->context, name, why, err);
	return status;
}

static enum bs_status pass_over_record(struct bs_reader *reader, uint64_t line, enum bs_skip skip,
                                       const char *reason, struct bs_error *err)
{
	return tell_skip(reader, "", line, &(struct bs_refusal){.skip = skip, .reason = reason},
	                 err);
}

static void rewind_row(void *context)
{
	struct bs_reader *reader = context;
	struct stat found;
	reader->row.has_failed |=
		lseek(reader->row_fd, 0, SEEK_SET) != 0 || fstat(reader->row_fd, &found) != 0;
	if (!reader->row.has_failed)
		bs_holes_init(&reader->row_holes, reader->row_fd, &found);
}

static void next_of_row(void *context, const uint8_t **bytes_out, size_t *n_bytes_out)
{
	struct bs_reader *reader = context;
	ssize_t n;
	do
		n = reader->row.has_failed ? 0
		                           : bs_holes_read(&reader->row_holes, reader->bytes.data,
		                                           (size_t)WINDOW_BYTES);
	while (n < 0 && errno == EINTR);
	reader->row.has_failed |= n < 0;
	*bytes_out = reader->bytes.data;
	*n_bytes_out = n > 0 ? (size_t)n : 0;
}

/* Like next_of_row, for grams. Reads only the last WINDOW_BYTES of a hole and skips the rest,
 * because all grams of a hole are equal. */
static void next_for_grams(void *context, const uint8_t **bytes_out, size_t *n_bytes_out)
{
	struct bs_reader *reader = context;
	uint64_t left_bytes = bs_holes_left(&reader->row_holes);
	if (left_bytes > WINDOW_BYTES && !reader->row.has_failed)
		bs_holes_skip(&reader->row_holes, left_bytes - WINDOW_BYTES);
	next_of_row(context, bytes_out, n_bytes_out);
}

static enum bs_status sum_row(struct bs_reader *reader, struct bs_checksum_stream *sum,
                              struct bs_document *document, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	const uint8_t *bytes;
	size_t n_bytes = 1;
	while (n_bytes > 0 && !status) {
		next_of_row(reader, &bytes, &n_bytes);
		bs_checksum_stream_add(sum, bytes, n_bytes);
		document->text.n_bytes += n_bytes;
		status = bs_deadline_check_after(n_bytes / BYTES_A_NS, err);
	}
	document->raw.checksum = bs_checksum_stream_value(sum);
	return status;
}

/* Makes a row of a file that is too large to be held: a document with a text stream and a
 * checksum. */
static enum bs_status open_row(struct bs_reader *reader, int dir_fd, const char *path,
                               struct bs_document *document, struct bs_refusal *refusal,
                               struct bs_error *err)
{
	struct stat found;
	struct bs_checksum_stream *sum = bs_checksum_stream_new();
	enum bs_status status = sum ? bs_buffer_reserve(&reader->bytes, (size_t)WINDOW_BYTES, err)
	                            : bs_fail_memory(err, "a row", 1);
	close_row(reader);
	reader->row_fd = (dir_fd == AT_FDCWD ? bs_file_open : bs_file_open_below)(
		dir_fd, path, O_RDONLY | O_NONBLOCK);
	reader->row = (struct bs_text_stream){
		.context = reader, .rewind = rewind_row, .next = next_for_grams};
	reader->row.has_failed =
		reader->row_fd < 0 || fstat(reader->row_fd, &found) != 0 || !S_ISREG(found.st_mode);
	*refusal = (struct bs_refusal){
		.skip = BS_SKIP_UNREADABLE, .reason = "cannot be read", .error_number = EIO};
	if (!status && !reader->row.has_failed) {
		bs_file_keep_access_time(reader->row_fd, O_RDONLY | O_NONBLOCK);
		*document = (struct bs_document){.name.bytes = (const uint8_t *)"",
		                                 .fingerprint = bs_file_fingerprint(&found),
		                                 .text.stream = &reader->row,
		                                 .known = {BS_DOC_NONE, 0}};
		bs_holes_init(&reader->row_holes, reader->row_fd, &found);
		status = sum_row(reader, sum, document, err);
	}
	if (!reader->row.has_failed)
		*refusal = (struct bs_refusal){.reason = NULL};
	bs_checksum_stream_free(sum);
	return status;
}

/* Makes a document from the bytes of a file. */
static enum bs_status make_document(struct bs_reader *reader, const struct bs_buffer *bytes,
                                    bool refuse_binary, struct bs_document *document,
                                    struct bs_refusal *refusal, struct bs_error *err)
{
	const struct bs_buffer *text = bytes;
	if (bs_file_is_utf16(text->data, text->used_bytes)) {
		enum bs_status status =
			bs_file_decode_utf16(text->data + 2, text->used_bytes - 2,
		                             text->data[0] == 0xfe, &reader->text, err);
		if (status)
			return status;
		text = &reader->text;
		if (refuse_binary && bs_file_is_binary(text->data, text->used_bytes))
			*refusal = bs_file_refuse_binary(0);
		else if (text->used_bytes > reader->max_document_bytes)
			*refusal = (struct bs_refusal){
				.reason = "as UTF-8 larger than documents may be",
				.skip = BS_SKIP_TOO_LARGE};
	}
	reader->file_field = (struct bs_field){
		.name = "",
		.text = text->used_bytes ? text->data : (const uint8_t *)"",
		.text_bytes = text->used_bytes,
	};
	document->raw.bytes = bytes->used_bytes ? bytes->data : (const uint8_t *)"";
	document->raw.n_bytes = bytes->used_bytes;
	document->is_file = true;
	document->held_bytes = text->used_bytes + (text == bytes ? 0 : bytes->used_bytes);
	document->text.fields = &reader->file_field;
	document->text.n_fields = 1;
	document->text.n_bytes = text->used_bytes;
	return BS_OK;
}

/* Loads a file and makes a document of it, without a name. is_found: a walk found the file, so it
 * is refused if it is binary. */
static enum bs_status load_document(struct bs_reader *reader, int dir_fd, const char *path,
                                    bool is_found, struct bs_document *document,
                                    struct bs_refusal *refusal, struct bs_error *err)
{
	bool refuse_binary = is_found && !reader->binary_as_text;
	uint64_t max_bytes = reader->max_document_bytes;
	if (reader->is_row && max_bytes > KEPT_BYTES)
		max_bytes = KEPT_BYTES;
	/* A reader that fetches single documents has no sink. It also has no memory limit, so
	 * `sink` is not dereferenced for it. */
	bool is_announced = reader->large_bytes < max_bytes && reader->sink->large;
	*document =
		(struct bs_document){.name.bytes = (const uint8_t *)"", .known = {BS_DOC_NONE, 0}};
	enum bs_status status = bs_file_load(
		dir_fd, path, refuse_binary, is_announced ? reader->large_bytes : max_bytes,
		reader->head, &reader->bytes, &document->fingerprint, refusal, err);
	if (!status && is_announced && refusal->reason && refusal->skip == BS_SKIP_TOO_LARGE) {
		status = reader->sink->large(reader->sink->context,
		                             document->fingerprint.size_bytes, err);
		if (!status)
			status = bs_file_load(dir_fd, path, refuse_binary, max_bytes, NULL,
			                      &reader->bytes, &document->fingerprint, refusal, err);
	}
	/* UTF-16 is not read in pieces, because it is only decoded as a whole. */
	if (!status && reader->is_row && refusal->reason && refusal->skip == BS_SKIP_TOO_LARGE &&
	    !bs_file_is_utf16(reader->bytes.data, reader->bytes.used_bytes))
		return open_row(reader, dir_fd, path, document, refusal, err);
	if (!status && refusal->reason && refusal->skip == BS_SKIP_TOO_LARGE)
		refusal->reason = reader->too_large;
	if (status || refusal->reason)
		return status;
	return make_document(reader, &reader->bytes, refuse_binary, document, refusal, err);
}

static void note_mode(const struct bs_reader *reader, const struct bs_fingerprint *fingerprint)
{
	if (reader->access)
		bs_access_add(reader->access, fingerprint);
}

/* True if the file still has the known fingerprint. The file is not opened. Symlinks below dir_fd
 * are not followed, but a path that the user named may be one. */
static bool is_unchanged(struct bs_reader *reader, int dir_fd, const char *path,
                         const struct bs_index_entry *entry)
{
	struct stat found;
	if ((entry->ref.segment == BS_DOC_NONE && !entry->is_binary) || entry->is_racy)
		return false;
	int result = dir_fd == AT_FDCWD ? bs_file_stat(AT_FDCWD, path, &found)
	                                : bs_file_stat_below(dir_fd, path, &reader->place, &found);
	if (result)
		return false;
	struct bs_fingerprint fingerprint = bs_file_fingerprint(&found);
	/* The index has no text of a binary file, so its mode does not matter. */
	if (S_ISREG(found.st_mode) && !entry->is_binary)
		note_mode(reader, &fingerprint);
	return S_ISREG(found.st_mode) && bs_fingerprint_equals(&fingerprint, entry->place);
}

/* For a file that stays racy, such as one whose mtime is in the future: true if fingerprint and
 * checksum are those of the index. */
static bool is_unchanged_racy(const struct bs_document *document,
                              const struct bs_index_entry *entry)
{
	return entry->ref.segment != BS_DOC_NONE && document->is_racy &&
	       bs_fingerprint_equals(&document->fingerprint, entry->place) &&
	       document->raw.checksum == entry->checksum;
}

static enum bs_status keep(const struct bs_reader *reader, const struct bs_index_entry *entry,
                           struct bs_error *err)
{
	return reader->sink->unchanged
	               ? reader->sink->unchanged(reader->sink->context, entry->ref, err)
	               : BS_OK;
}

/* Handles a binary file that is unchanged since it was read. */
static enum bs_status pass_over_again(struct bs_reader *reader, const char *name,
                                      const struct bs_index_entry *entry, struct bs_error *err)
{
	struct bs_refusal why = bs_file_refuse_binary(entry->nul_end);
	if (reader->sink->ignores_unchanged_binary)
		return BS_OK;
	memcpy(why.fingerprint, entry->place, sizeof(why.fingerprint));
	return pass_over(reader, name, 0, &why, err);
}

/* Handles a file that is not a document. If the index has a file that cannot be read now, its entry
 * stays. A file that was removed since the walk found it is ignored. */
static enum bs_status refuse_file(struct bs_reader *reader, const char *name,
                                  const struct bs_index_entry *entry, const struct bs_refusal *why,
                                  struct bs_error *err)
{
	if (why->skip == BS_SKIP_UNREADABLE && bs_file_is_gone(why->error_number))
		return BS_OK;
	if (why->skip != BS_SKIP_UNREADABLE || entry->ref.segment == BS_DOC_NONE)
		return pass_over(reader, name, 0, why, err);
	enum bs_status status = tell_skip(reader, name, 0, why, err);
	return status ? status : keep(reader, entry, err);
}

/* Like load_document, but if the fingerprint is racy and bs_fingerprint_outwait can wait until it
 * no longer is, reads the file again. Sets document->is_racy. */
static enum bs_status load_settled(struct bs_reader *reader, int dir_fd, const char *path,
                                   bool is_found, struct bs_document *document,
                                   struct bs_refusal *refusal, struct bs_error *err)
{
	for (bool may_wait = true;; may_wait = false) {
		int64_t from_ns = reader->racy_from_ns ? bs_fingerprint_racy_from() : 0;
		enum bs_status status =
			load_document(reader, dir_fd, path, is_found, document, refusal, err);
		if (status || (refusal->reason && refusal->skip != BS_SKIP_BINARY) || !from_ns)
			return status;
		document->is_racy = bs_fingerprint_is_racy(&document->fingerprint, from_ns);
		if (!document->is_racy || !may_wait ||
		    !bs_fingerprint_outwait(&document->fingerprint, reader->racy_from_ns))
			break;
	}
	if (refusal->reason && !document->is_racy)
		bs_fingerprint_record(&document->fingerprint, refusal->fingerprint);
	return BS_OK;
}

/* For a collection that cannot be read or is too large: makes a row without grams, because grep
 * must search the file. Returns false in other cases. */
static bool is_bare_row(const struct bs_reader *reader, const struct bs_refusal *why,
                        struct bs_document *document)
{
	bool is_unreadable = why->skip == BS_SKIP_UNREADABLE && !bs_file_is_gone(why->error_number);
	if (!reader->is_row || !(is_unreadable || why->skip == BS_SKIP_TOO_LARGE))
		return false;
	*document = (struct bs_document){.name.bytes = (const uint8_t *)"",
	                                 .fingerprint = document->fingerprint,
	                                 .is_racy = is_unreadable,
	                                 .known = {BS_DOC_NONE, 0}};
	return true;
}

/* The checksum of a document. If the document has no bytes in memory, it was computed before: by
 * open_row for a text stream; it is 0 for a row without grams. */
static uint64_t checksum_of(const struct bs_document *document)
{
	return document->raw.bytes ? bs_checksum(document->raw.bytes, (size_t)document->raw.n_bytes)
	                           : document->raw.checksum;
}

static enum bs_status read_file(struct bs_reader *reader, int dir_fd, const char *name,
                                const struct bs_index_entry *entry, struct bs_error *err)
{
	struct bs_document document;
	struct bs_refusal refusal;
	bool is_found = reader->source->kind == BS_SOURCE_FOLDER;
	const char *path = is_found ? name : reader->source->path;
	if (entry->is_kept || entry->is_unchanged || is_unchanged(reader, dir_fd, path, entry))
		return entry->is_binary ? pass_over_again(reader, name, entry, err)
		                        : keep(reader, entry, err);
	struct bs_error why = {""};
	enum bs_status status = load_settled(reader, dir_fd, path, is_found && !reader->is_row,
	                                     &document, &refusal, err);
	if (status)
		return status;
	if (refusal.reason && !is_bare_row(reader, &refusal, &document))
		return reader->is_row ? BS_OK : refuse_file(reader, name, entry, &refusal, err);
	note_mode(reader, &document.fingerprint);
	document.name.bytes = (const uint8_t *)name;
	document.name.n_bytes = strlen(name);
	document.known = entry->ref;
	document.raw.checksum = checksum_of(&document);
	if (reader->sink->unchanged && is_unchanged_racy(&document, entry))
		status = keep(reader, entry, err);
	else
		status = reader->sink->document(reader->sink->context, &document, &why);
	if (status == BS_UNSUPPORTED) {
		refusal = (struct bs_refusal){.skip = BS_SKIP_TOO_LARGE, .reason = why.text};
		status = refuse_file(reader, name, entry, &refusal, err);
	} else if (status) {
		status = bs_fail(err, status, "%s", why.text);
	}
	bs_buffer_trim(&reader->bytes, KEPT_BYTES);
	bs_buffer_trim(&reader->text, KEPT_BYTES);
	return status;
}

static enum bs_status read_files(struct bs_reader *reader, const struct bs_batch *batch,
                                 struct bs_error *err)
{
	static const struct bs_index_entry nothing_known = {.ref = {BS_DOC_NONE, 0}};
	struct bs_error why = {0};
	int dir_fd = AT_FDCWD;
	enum bs_status status = BS_OK;
	if (reader->source->kind == BS_SOURCE_FOLDER) {
		status = open_root(reader, reader->source->path, &why);
		if (status == BS_NO_MEMORY)
			return bs_fail(err, status, "%s", why.text);
		dir_fd = reader->folder_fd;
	}
	const char *name = (const char *)batch->bytes.data;
	const struct bs_index_entry *entry = batch->entries.items;
	bool has_known = bs_vector_n(&batch->entries) > 0;
	struct bs_refusal refusal = {.skip = BS_SKIP_UNREADABLE,
	                             .reason = status ? why.text : NULL,
	                             .error_number = status == BS_NOT_FOUND ? ENOENT : EIO};
	status = BS_OK;
	for (size_t i = 0; i < batch->n_items && !status; i++, name += strlen(name) + 1) {
		/* Rows use only entries of rows, and documents those of documents, unless
		 * is_kept. */
		bool is_known =
			has_known && (entry[i].is_kept || entry[i].is_row == reader->is_row);
		const struct bs_index_entry *of_file = is_known ? &entry[i] : &nothing_known;
		if (refusal.reason)
			status = refuse_file(reader, name, of_file, &refusal, err);
		else
			status = read_file(reader, dir_fd, name, of_file, err);
	}
	return status;
}

static bool is_blank(const uint8_t *line, size_t line_bytes)
{
	for (size_t i = 0; i < line_bytes; i++) {
		if (line[i] != ' ' && (line[i] < '\t' || line[i] > '\r'))
			return false;
	}
	return true;
}

/* Memory that a record takes until it is merged; 0 if its line is short or the sink has no memory
 * limit. */
static uint64_t record_bytes(const struct bs_reader *reader, const uint8_t *line, size_t line_bytes)
{
	bool is_long = line_bytes > KEPT_BYTES || line_bytes > reader->large_bytes;
	return is_long && reader->sink->large ? line_bytes + bs_record_parse_bytes(line, line_bytes)
	                                      : 0;
}

/* Announces a large record to the sink, so that all earlier documents are merged first. The
 * parser's memory is freed after the batch. */
static enum bs_status await_large(struct bs_reader *reader, uint64_t n_bytes, struct bs_error *err)
{
	reader->has_large = true;
	return reader->sink->large(reader->sink->context, n_bytes, err);
}

/* Reads one line, in UTF-8, without its line end. */
static enum bs_status read_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                uint64_t line_number, uint64_t offset, uint64_t source_bytes,
                                struct bs_error *err)
{
	struct bs_document document;
	struct bs_refusal refusal;
	if (line_bytes > reader->max_document_bytes)
		return pass_over_record(reader, line_number, BS_SKIP_TOO_LARGE, reader->too_large,
		                        err);
	if (is_blank(line, line_bytes))
		return BS_OK;
	uint64_t held_bytes = record_bytes(reader, line, line_bytes);
	if (held_bytes > reader->most_parse_bytes)
		return pass_over_record(reader, line_number, BS_SKIP_TOO_LARGE,
		                        "more values than --memory has room for", err);
	enum bs_status status = bs_deadline_check_after(line_bytes, err);
	if (!status && held_bytes > reader->large_bytes)
		status = await_large(reader, line_bytes, err);
	if (!status)
		status = bs_record_parse(reader->records, line, line_bytes, &document, &refusal,
		                         err);
	if (status || refusal.reason)
		return status ? status : tell_skip(reader, "", line_number, &refusal, err);
	document.place.line = line_number;
	document.place.offset = offset;
	document.place.n_bytes = source_bytes;
	document.held_bytes = held_bytes;
	document.raw.checksum = bs_checksum(line, line_bytes);
	struct bs_error why = {""};
	status = reader->sink->document(reader->sink->context, &document, &why);
	if (status == BS_UNSUPPORTED)
		return pass_over_record(reader, line_number, BS_SKIP_TOO_LARGE, why.text, err);
	return status ? bs_fail(err, status, "%s", why.text) : BS_OK;
}

static enum bs_status read_lines(struct bs_reader *reader, const struct bs_batch *batch,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t at = 0;
	if (batch->is_long_line)
		return pass_over_record(reader, batch->first_line, BS_SKIP_TOO_LARGE,
		                        reader->too_large, err);
	for (size_t i = 0; i < batch->n_items && !status; i++) {
		const uint8_t *line = batch->bytes.data + at;
		size_t left_bytes = batch->bytes.used_bytes - at;
		const uint8_t *feed = bs_coding_first_feed(batch->coding, line, left_bytes);
		size_t line_bytes = feed ? (size_t)(feed - line) : left_bytes;
		uint64_t offset = batch->offset + at,
			 source_bytes = bs_coding_without_return(batch->coding, line, line_bytes);
		at += line_bytes + (feed ? bs_coding_unit_bytes(batch->coding) : 0);
		line_bytes = (size_t)source_bytes;
		if (batch->coding != BS_CODING_UTF8) {
			status = bs_coding_decode(batch->coding, line, line_bytes, &reader->text,
			                          err);
			line = reader->text.data;
			line_bytes = reader->text.used_bytes;
		}
		if (!status)
			status = read_line(reader, line, line_bytes, batch->first_line + i, offset,
			                   source_bytes, err);
	}
	return status;
}

/* *fd_out: the descriptor of the folder; AT_FDCWD if folder is NULL. */
static enum bs_status open_folder(struct bs_reader *reader, const char *folder, int *fd_out,
                                  struct bs_error *err)
{
	*fd_out = AT_FDCWD;
	if (!folder)
		return BS_OK;
	enum bs_status status = open_root(reader, folder, err);
	*fd_out = reader->folder_fd;
	return status;
}

/*
 * Like bs_file_stat_below, but checks only once a second whether the path of a folder contains a
 * symlink. Consecutive files are often in different folders, and checking all folders of their
 * paths would take half of the time. The risk: a file that is reached through a symlink made within
 * that second is accepted if it is otherwise unchanged.
 */
static int look_again(struct bs_reader *reader, int dir_fd, const char *path, struct stat *found)
{
	const char *slash = strrchr(path, '/');
	uint64_t folder =
		slash ? bs_checksum(path, (size_t)(slash - path)) + reader->folder_hash : 0;
	const uint8_t *key = (const uint8_t *)&folder;
	uint64_t hash = bs_hash_slot(key, sizeof(folder));
	uint32_t number;
	bool is_linkless =
		slash && bs_term_table_find(&reader->linkless, key, sizeof(folder), hash, &number);
	int result = is_linkless ? fstatat(dir_fd, path, found, AT_SYMLINK_NOFOLLOW) : -1;
	if (is_linkless && (result == 0 || errno != ENAMETOOLONG))
		return result;
	result = bs_file_stat_below(dir_fd, path, &reader->place, found);
	if (result == 0 && slash && !is_linkless)
		(void)!bs_term_table_add(&reader->linkless, key, sizeof(folder), hash, &number,
		                         NULL);
	return result;
}

enum bs_status bs_reader_fingerprint(struct bs_reader *reader, const char *folder, const char *path,
                                     struct bs_fingerprint *fingerprint_out, struct bs_error *err)
{
	struct stat found;
	int dir_fd;
	*fingerprint_out = (struct bs_fingerprint){0};
	enum bs_status status = open_folder(reader, folder, &dir_fd, err);
	if (status)
		return status;
	if (folder ? look_again(reader, dir_fd, path, &found) : bs_file_stat(dir_fd, path, &found))
		return bs_fail(err, bs_file_status(errno), "%s: %s", path, strerror(errno));
	if (!S_ISREG(found.st_mode))
		return bs_fail(err, BS_INVALID, "%s: not a regular file", path);
	*fingerprint_out = bs_file_fingerprint(&found);
	return BS_OK;
}

void bs_reader_ask_head(struct bs_reader *reader, const struct bs_file_head *head)
{
	reader->head = head;
}

enum bs_status bs_reader_fetch_file(struct bs_reader *reader, const char *folder, const char *path,
                                    struct bs_document *document_out,
                                    struct bs_fingerprint *fingerprint_out, struct bs_error *err)
{
	struct bs_refusal refusal;
	int dir_fd;
	*document_out = (struct bs_document){0};
	*fingerprint_out = (struct bs_fingerprint){0};
	enum bs_status status = open_folder(reader, folder, &dir_fd, err);
	if (status)
		return status;
	status = load_document(reader, dir_fd, path, folder != NULL, document_out, &refusal, err);
	*fingerprint_out = document_out->fingerprint;
	if (status || !refusal.reason)
		return status;
	/* BS_INVALID: the file that is there now would not be a document. */
	status = refusal.skip == BS_SKIP_UNREADABLE ? bs_file_status(refusal.error_number)
	                                            : BS_INVALID;
	/* The message omits the folder ".", as ids do. */
	if (!folder || !strcmp(folder, "."))
		return bs_fail(err, status, "%s: %s", path, refusal.reason);
	bool has_slash = *folder && folder[strlen(folder) - 1] == '/';
	return bs_fail(err, status, "%s%s%s: %s", folder, has_slash ? "" : "/", path,
	               refusal.reason);
}

void bs_reader_set_separate_id(struct bs_reader *reader, bool has_separate_id)
{
	if (reader->scan.options.has_separate_id == has_separate_id)
		return;
	reader->scan.options.has_separate_id = has_separate_id;
	bs_record_parser_set_separate_id(reader->records, has_separate_id);
}

enum bs_status bs_reader_fetch_raw(struct bs_reader *reader, const uint8_t *raw, size_t raw_bytes,
                                   struct bs_document *document_out, struct bs_error *err)
{
	struct bs_refusal refusal;
	enum bs_status status =
		bs_record_parse(reader->records, raw, raw_bytes, document_out, &refusal, err);
	return status || !refusal.reason ? status : bs_fail(err, BS_INVALID, "%s", refusal.reason);
}

enum bs_status bs_reader_take_file(struct bs_reader *reader, const struct bs_buffer *bytes,
                                   struct bs_document *document_out, struct bs_error *err)
{
	struct bs_refusal refusal = {.reason = NULL};
	*document_out =
		(struct bs_document){.name.bytes = (const uint8_t *)"", .known = {BS_DOC_NONE, 0}};
	enum bs_status status = make_document(reader, bytes, false, document_out, &refusal, err);
	return status || !refusal.reason ? status : bs_fail(err, BS_INVALID, "%s", refusal.reason);
}

enum bs_status bs_reader_fetch_line(struct bs_reader *reader, const struct bs_source *source,
                                    uint64_t offset, uint64_t source_bytes, uint64_t ahead_to,
                                    const uint8_t **line_out, size_t *line_bytes_out,
                                    struct bs_fingerprint *fingerprint_out, struct bs_error *err)
{
	*fingerprint_out = (struct bs_fingerprint){0};
	*line_out = NULL;
	*line_bytes_out = (size_t)source_bytes;
	enum bs_status status = collection_open(&reader->collection, source, err);
	if (status)
		return status;
	*fingerprint_out = reader->collection.fingerprint;
	status =
		collection_read(&reader->collection, offset, source_bytes, ahead_to, line_out, err);
	if (status || reader->collection.coding == BS_CODING_UTF8)
		return status;
	status = bs_coding_decode(reader->collection.coding, *line_out, (size_t)source_bytes,
	                          &reader->text, err);
	*line_out = reader->text.data;
	*line_bytes_out = reader->text.used_bytes;
	return status;
}

enum bs_status bs_reader_fetch_record(struct bs_reader *reader, const struct bs_source *source,
                                      uint64_t offset, uint64_t source_bytes,
                                      struct bs_document *document_out,
                                      struct bs_fingerprint *fingerprint_out, struct bs_error *err)
{
	struct bs_error why = {0};
	const uint8_t *line;
	size_t line_bytes;
	*document_out = (struct bs_document){0};
	enum bs_status status = bs_reader_fetch_line(reader, source, offset, source_bytes, 0, &line,
	                                             &line_bytes, fingerprint_out, err);
	if (status)
		return status;
	bs_reader_set_separate_id(reader, false);
	status = bs_reader_fetch_raw(reader, line, line_bytes, document_out, &why);
	document_out->place.offset = offset;
	document_out->place.n_bytes = source_bytes;
	return status ? bs_fail(err, status, "%s: offset %" PRIu64 ": %s", source->path, offset,
	                        why.text)
	              : BS_OK;
}

enum bs_status bs_reader_cut_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                  struct bs_document *document_out, bool *is_known_out,
                                  struct bs_error *err)
{
	return bs_record_scan_line(&reader->scan, line, line_bytes, true, document_out,
	                           is_known_out, err);
}

bool bs_reader_resolve(struct bs_reader *reader, struct bs_document *document)
{
	return bs_record_scan_resolve(&reader->scan, document);
}

enum bs_status bs_reader_scan_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                   struct bs_document *document_out, struct bs_error *err)
{
	bool is_known = false;
	enum bs_status status = BS_OK;
	if (bs_text_is_utf8(line, line_bytes))
		status = bs_record_scan_line(&reader->scan, line, line_bytes, false, document_out,
		                             &is_known, err);
	return status || is_known
	               ? status
	               : bs_reader_fetch_raw(reader, line, line_bytes, document_out, err);
}

void bs_reader_forget(struct bs_reader *reader, bool collection_too)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec != reader->linkless_s)
		bs_term_table_deinit(&reader->linkless);
	reader->linkless_s = now.tv_sec;
	close_folder(reader);
	if (collection_too)
		collection_deinit(&reader->collection);
	else
		bs_buffer_trim(&reader->collection.window, KEPT_BYTES);
}

/* Prepares for reading a record of line_bytes again. If it may stay in its segment, refuses it if
 * it is too large, and announces it to the sink if it is large, as when it was first read. The size
 * limit of an in-memory document applies to its texts, so its line may be longer. */
static enum bs_status await_record(struct bs_reader *reader, uint64_t line_bytes,
                                   bool has_separate_id, bool may_stay, struct bs_refusal *refusal,
                                   struct bs_error *err)
{
	if (may_stay &&
	    line_bytes > (has_separate_id ? reader->most_parse_bytes : reader->max_document_bytes))
		*refusal =
			(struct bs_refusal){.skip = BS_SKIP_TOO_LARGE, .reason = reader->too_large};
	bool is_large = may_stay && !refusal->reason && line_bytes > reader->large_bytes;
	return is_large ? await_large(reader, line_bytes, err) : BS_OK;
}

/* Parses the record of a line, or refuses it. If the line is short, but the record needs much
 * memory because of its many values, announces it to the sink. */
static enum bs_status recall_line(struct bs_reader *reader, const uint8_t *line,
                                  uint64_t line_bytes, bool may_stay, struct bs_document *document,
                                  struct bs_refusal *refusal, struct bs_error *err)
{
	uint64_t held_bytes = may_stay ? record_bytes(reader, line, (size_t)line_bytes) : 0;
	enum bs_status status = BS_OK;
	if (held_bytes > reader->most_parse_bytes) {
		*refusal =
			(struct bs_refusal){.skip = BS_SKIP_TOO_LARGE, .reason = reader->too_large};
		return BS_OK;
	}
	if (held_bytes > reader->large_bytes && line_bytes <= reader->large_bytes)
		status = await_large(reader, line_bytes, err);
	if (!status)
		status = bs_reader_fetch_raw(reader, line, (size_t)line_bytes, document, err);
	document->held_bytes = held_bytes;
	return status;
}

static enum bs_status open_stored(struct bs_reader *reader, const struct bs_recall *recall,
                                  struct bs_error *err)
{
	if (reader->stored && reader->recall.index == recall->index)
		return BS_OK;
	close_stored(reader);
	reader->recall = *recall;
	return recall->open(recall->index, &reader->stored, err);
}

/* Reads the record again from its collection. */
static enum bs_status recall_record(struct bs_reader *reader, const struct bs_recall *recall,
                                    const struct bs_index_entry *entry,
                                    struct bs_document *document, struct bs_refusal *refusal,
                                    struct bs_error *err)
{
	struct bs_fingerprint fingerprint;
	const uint8_t *line;
	size_t line_bytes;
	enum bs_status status =
		bs_reader_fetch_line(reader, reader->source, entry->place[0], entry->place[1], 0,
	                             &line, &line_bytes, &fingerprint, err);
	if (!status)
		status = recall_line(reader, line, line_bytes, recall->may_stay, document, refusal,
		                     err);
	document->place.offset = entry->place[0];
	document->place.n_bytes = entry->place[1];
	return status;
}

/* Reads the document's text again: from the file, the collection, the index or the text
 * provider. */
static enum bs_status recall_text(struct bs_reader *reader, const char *name,
                                  const struct bs_index_entry *entry,
                                  const struct bs_recall *recall, struct bs_document *document,
                                  struct bs_refusal *refusal, struct bs_error *err)
{
	const struct bs_source *source = reader->source;
	bool is_file = reader->is_row || !bs_source_has_records(source),
	     is_stored = recall->are_all && !reader->is_row;
	if (is_file && !is_stored)
		return source->kind == BS_SOURCE_FOLDER
		               ? load_document(reader, reader->folder_fd, name, !reader->is_row,
		                               document, refusal, err)
		               : load_document(reader, AT_FDCWD, source->path, false, document,
		                               refusal, err);
	enum bs_status status =
		await_record(reader, entry->place[is_file ? 0 : 1], entry->has_separate_id,
	                     recall->may_stay, refusal, err);
	if (status || refusal->reason)
		return status;
	if (source->kind == BS_SOURCE_COLLECTION && !is_stored)
		return recall_record(reader, recall, entry, document, refusal, err);
	status = open_stored(reader, recall, err);
	if (!status && entry->is_elsewhere)
		return recall->ask(reader->stored, entry->ref, document, err);
	if (!status)
		status = recall->fetch(reader->stored, entry->ref.segment,
		                       recall->are_all ? entry->ref.document : entry->place[0],
		                       &reader->bytes, err);
	if (status)
		return status;
	if (is_file)
		return make_document(reader, &reader->bytes, false, document, refusal, err);
	bs_reader_set_separate_id(reader, entry->has_separate_id);
	return recall_line(reader, reader->bytes.data, reader->bytes.used_bytes, recall->may_stay,
	                   document, refusal, err);
}

/* Reads a document of the index again. *is_there_out: whether it could be read. Fails if the
 * document would otherwise be lost, or if the failure is fatal. */
static enum bs_status recall(struct bs_reader *reader, const char *name,
                             const struct bs_index_entry *entry, const struct bs_recall *recalled,
                             struct bs_document *document, bool *is_there_out, struct bs_error *err)
{
	const struct bs_source *source = reader->source;
	struct bs_error why = {0};
	struct bs_refusal refusal = {0};
	*document = (struct bs_document){0};
	enum bs_status status =
		recall_text(reader, name, entry, recalled, document, &refusal, &why);
	*is_there_out = !status && (!refusal.reason || is_bare_row(reader, &refusal, document));
	if (refusal.skip == BS_SKIP_UNREADABLE && refusal.reason &&
	    !bs_file_is_gone(refusal.error_number))
		return tell_skip(reader, name, 0, &refusal, err);
	if (source->kind == BS_SOURCE_COLLECTION && status == BS_IO)
		return reader->sink->skip(reader->sink->context, BS_SKIP_UNREADABLE, why.text, err);
	/* If no other copy of the text would remain (!may_stay: a rebuild drops the old segments),
	 * a document that the options exclude is reported as skipped; this is not a failure. */
	bool is_only_copy = source->kind == BS_SOURCE_STDIN || !recalled->may_stay;
	if (is_only_copy && !status && !*is_there_out)
		return tell_skip(reader, name, 0, &refusal, err);
	if (is_only_copy && status == BS_INVALID)
		return pass_over_record(reader, entry->place[2], BS_SKIP_NO_TEXT, why.text, err);
	/* A text that the provider no longer has is not a failure. One that it cannot read now may
	 * stay in its segment, unless this is a rebuild, which would lose it. */
	bool is_away = entry->is_elsewhere &&
	               (status == BS_NOT_FOUND || (status == BS_IO && recalled->may_stay));
	bool is_ours = bs_is_fatal(status) || bs_deadline_ended(status) ||
	               (is_only_copy && status && !is_away);
	return is_ours ? bs_fail(err, status, "%s", why.text) : BS_OK;
}

static enum bs_status recall_batch(struct bs_reader *reader, const struct bs_batch *batch,
                                   struct bs_error *err)
{
	const struct bs_document_sink *sink = reader->sink;
	const struct bs_index_entry *entry = batch->entries.items;
	const char *name = (const char *)batch->bytes.data;
	enum bs_status status = BS_OK, opened = BS_OK;
	struct bs_error why = {0};
	if (reader->source->kind == BS_SOURCE_FOLDER && (!batch->recall.are_all || reader->is_row))
		opened = open_root(reader, reader->source->path, &why);
	if (opened == BS_NO_MEMORY)
		return bs_fail(err, opened, "%s", why.text);
	if (opened)
		return opened == BS_NOT_FOUND
		               ? BS_OK
		               : sink->skip(sink->context, BS_SKIP_UNREADABLE, why.text, err);
	for (size_t i = 0; i < batch->n_items && !status; i++, name += strlen(name) + 1) {
		struct bs_document document;
		bool is_there;
		status = recall(reader, name, &entry[i], &batch->recall, &document, &is_there, err);
		if (status || !is_there)
			continue;
		document.known = entry[i].ref;
		document.raw.checksum = checksum_of(&document);
		bool is_trusted = entry[i].is_elsewhere &&
		                  (entry[i].checksum == 0 || !batch->recall.may_stay);
		if (document.raw.checksum == entry[i].checksum || is_trusted)
			status = sink->document(sink->context, &document, &why);
		if (status)
			status = status == BS_UNSUPPORTED && batch->recall.may_stay
			                 ? BS_OK
			                 : bs_fail(err, status, "%s", why.text);
	}
	bs_buffer_trim(&reader->bytes, KEPT_BYTES);
	bs_buffer_trim(&reader->text, KEPT_BYTES);
	bs_buffer_trim(&reader->collection.window, KEPT_BYTES);
	return status;
}

enum bs_status bs_reader_read(struct bs_reader *reader, const struct bs_batch *batch,
                              const struct bs_document_sink *sink, struct bs_error *err)
{
	const struct bs_source *source = batch->source;
	if (!batch->bytes.used_bytes && !batch->is_long_line)
		return BS_OK;
	if ((batch->begins_inner && !batch->is_row) || batch->has_failed)
		return BS_OK;
	reader->source = source;
	reader->sink = sink;
	reader->is_row = batch->is_row;
	bs_reader_set_separate_id(reader, false);
	enum bs_status (*read_batch)(struct bs_reader *, const struct bs_batch *,
	                             struct bs_error *) = read_files;
	if (batch->recall.index)
		read_batch = recall_batch;
	else if (bs_source_has_records(source) && !batch->is_row)
		read_batch = read_lines;
	enum bs_status status = read_batch(reader, batch, err);
	if (reader->has_large)
		bs_record_parser_forget(reader->records);
	reader->has_large = false;
	return status;
}

enum bs_status bs_reader_read_all(struct bs_reader *reader, struct bs_feed *feed,
                                  const struct bs_document_sink *sink, struct bs_error *err)
{
	struct bs_batch batch = {0};
	enum bs_status status;
	do {
		status = bs_feed_next(feed, &batch, err);
		if (!status)
			status = bs_reader_read(reader, &batch, sink, err);
	} while (!status && batch.n_items > 0);
	bs_batch_deinit(&batch);
	return status;
}
