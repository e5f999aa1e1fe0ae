/* reader.c: batches turned into documents, and documents read a second time. See source.h; feed.c makes the batches. */
#include "corpus/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "corpus/collection.h"
#include "corpus/file.h"
#include "corpus/record.h"
#include "corpus/record_scan.h"
#include "corpus/stored_text.h"

/* Buffers larger than this are given back after each file. */
#define KEPT_BYTES (1u << 20)

/* A descriptor kept open from one call to the next, and the path it was opened by. fd is -1 when there is none. */
struct kept {
	int fd;
	char *path;
};

struct bs_reader {
	bool binary_as_text;
	uint64_t max_document_bytes;
	int64_t suspect_from_ns; /* 0: never mind */
	struct bs_record_parser *records;
	struct bs_buffer bytes; /* the file or record as read */
	struct bs_buffer text;  /* its UTF-8, if that is something else */
	struct bs_buffer message;
	struct bs_field file_field;       /* the one field of a file */
	struct kept folder;               /* the root of the last folder */
	struct bs_collection collection;  /* the last one of fetch_record */
	struct bs_record_scan scan;
	struct bs_stored_texts *stored;   /* made when it is needed, for recalled documents */
	const struct bs_snapshot *stored_of;
};

static void kept_close(struct kept *kept)
{
	if (kept->fd >= 0)
		close(kept->fd);
	free(kept->path);
	*kept = (struct kept){.fd = -1};
}

/* Makes kept the descriptor of path, opened anew only if it is another path than last time; *opened_out says so. */
static enum bs_status kept_open(struct kept *kept, const char *path, int flags, bool *opened_out, struct bs_error *err)
{
	*opened_out = !(kept->path && !strcmp(kept->path, path));
	if (!*opened_out)
		return BS_OK;
	kept_close(kept);
	int fd = bs_file_open(AT_FDCWD, path, flags);
	if (fd < 0)
		return bs_fail(err, bs_file_status(errno), "%s: %s", path, strerror(errno));
	kept->path = strdup(path);
	if (!kept->path) {
		close(fd);
		return bs_fail_memory(err, "a path", strlen(path));
	}
	kept->fd = fd;
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
	reader->max_document_bytes = options->max_document_bytes ? options->max_document_bytes : BS_FILE_LIMIT_BYTES - 1;
	reader->suspect_from_ns = options->suspect_from_ns;
	reader->folder.fd = -1;
	reader->collection.fd = -1;
	reader->scan.options = record_options;
	enum bs_status status = bs_record_parser_new(&record_options, &reader->records, err);
	if (status)
		bs_reader_free(reader);
	else
		*reader_out = reader;
	return status;
}

void bs_reader_free(struct bs_reader *reader)
{
	if (!reader)
		return;
	bs_record_parser_free(reader->records);
	bs_buffer_deinit(&reader->bytes);
	bs_buffer_deinit(&reader->text);
	bs_buffer_deinit(&reader->message);
	kept_close(&reader->folder);
	bs_collection_deinit(&reader->collection);
	bs_record_scan_deinit(&reader->scan);
	bs_stored_texts_free(reader->stored);
	free(reader);
}

/* ---- what cannot be a document ---- */

/* Like bs_fail, but of any length: a path may be longer than an error. */
static enum bs_status append_printable(struct bs_buffer *to, const uint8_t *text, size_t n_bytes, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_bytes && !status; i++) {
		char escape[5];
		if (text[i] >= 0x20 && text[i] != 0x7f) {
			status = bs_buffer_append(to, text + i, 1, err);
			continue;
		}
		snprintf(escape, sizeof(escape), "\\x%02x", text[i]);
		status = bs_buffer_append(to, escape, 4, err);
	}
	return status;
}

/* Tells the sink "ID: REASON". */
static enum bs_status pass_over(struct bs_reader *reader, const struct bs_source *source, const char *name,
                                uint64_t line, const struct bs_file_refusal *why,
                                const struct bs_document_sink *sink, struct bs_error *err)
{
	struct bs_buffer *message = &reader->message;
	struct bs_buffer id = {0};
	bs_buffer_clear(message);
	enum bs_status status = bs_source_append_id(source, (const uint8_t *)name, strlen(name), line, &id, err);
	if (!status)
		status = append_printable(message, id.data, id.used_bytes, err);
	if (!status)
		status = bs_buffer_append(message, ": ", 2, err);
	if (!status)
		status = append_printable(message, (const uint8_t *)why->reason, strlen(why->reason), err);
	if (!status)
		status = bs_buffer_append(message, "", 1, err);
	if (!status)
		status = sink->skip(sink->context, why->skip, (const char *)message->data, err);
	if (!status && sink->passed_over && (source->kind == BS_SOURCE_FOLDER || source->kind == BS_SOURCE_FILE))
		status = sink->passed_over(sink->context, name, why->nul_end, err);
	bs_buffer_deinit(&id);
	return status;
}

/* ---- files ---- */

/* Loads a file and makes a document of it, unnamed. is_found: found in a folder, so that binary files are refused. */
static enum bs_status load_document(struct bs_reader *reader, int dir_fd, const char *path, bool is_found,
                                    struct bs_document *document, struct bs_file_refusal *refusal, struct bs_error *err)
{
	bool refuse_binary = is_found && !reader->binary_as_text;
	*document = (struct bs_document){.name = (const uint8_t *)"", .known = {BS_DOC_NONE, 0}};
	enum bs_status status =
		bs_file_load(dir_fd, path, refuse_binary, reader->max_document_bytes, &reader->bytes, &document->stamp,
			     refusal, err);
	if (status || refusal->reason)
		return status;
	const struct bs_buffer *text = &reader->bytes;
	if (bs_file_is_utf16(text->data, text->used_bytes)) {
		status = bs_file_transcode(text->data, text->used_bytes, &reader->text, err);
		if (status)
			return status;
		text = &reader->text;
		if (refuse_binary && bs_file_is_binary(text->data, text->used_bytes))
			*refusal = (struct bs_file_refusal){.reason = "binary file", .skip = BS_SKIP_BINARY};
		else if (text->used_bytes > reader->max_document_bytes)
			*refusal = (struct bs_file_refusal){
				.reason = "larger than --max-document as UTF-8", .skip = BS_SKIP_TOO_LARGE};
	}
	reader->file_field = (struct bs_field){
		.name = "",
		.text = text->used_bytes ? text->data : (const uint8_t *)"",
		.text_bytes = text->used_bytes,
	};
	document->raw = reader->bytes.used_bytes ? reader->bytes.data : (const uint8_t *)"";
	document->raw_bytes = reader->bytes.used_bytes;
	document->fields = &reader->file_field;
	document->n_fields = 1;
	document->text_bytes = text->used_bytes;
	return BS_OK;
}

static const struct bs_known nothing_known = {.ref = {BS_DOC_NONE, 0}};

/* By its stamp alone, without opening it. */
static bool is_unchanged(int dir_fd, const char *path, const struct bs_known *known)
{
	struct stat found;
	if (known->ref.segment == BS_DOC_NONE || known->is_suspect)
		return false;
	/* A path over PATH_MAX fails here, and is read. Links inside a folder are no files. */
	if (fstatat(dir_fd, path, &found, dir_fd == AT_FDCWD ? 0 : AT_SYMLINK_NOFOLLOW) || !S_ISREG(found.st_mode))
		return false;
	struct bs_stamp stamp = bs_file_stamp(&found);
	return bs_stamp_equals(&stamp, known->place);
}

/* A suspect one that will be as suspect when it is indexed again (its time lies in the future): its bytes decide. */
static bool is_unchanged_suspect(const struct bs_document *document, const struct bs_known *known)
{
	return known->ref.segment != BS_DOC_NONE && document->is_suspect && bs_stamp_equals(&document->stamp, known->place) &&
	       document->checksum == known->checksum;
}

static enum bs_status read_file(struct bs_reader *reader, const struct bs_source *source, int dir_fd, const char *name,
                                const struct bs_known *known, const struct bs_document_sink *sink,
                                struct bs_error *err)
{
	struct bs_document document;
	struct bs_file_refusal refusal;
	bool is_found = source->kind == BS_SOURCE_FOLDER;
	const char *path = is_found ? name : source->path;
	if (is_unchanged(dir_fd, path, known))
		return sink->unchanged ? sink->unchanged(sink->context, known->ref, err) : BS_OK;
	enum bs_status status = load_document(reader, dir_fd, path, is_found, &document, &refusal, err);
	if (status)
		return status;
	if (refusal.reason)
		return pass_over(reader, source, name, 0, &refusal, sink, err);
	document.name = (const uint8_t *)name;
	document.name_bytes = strlen(name);
	document.known = known->ref;
	document.checksum = bs_checksum(document.raw, (size_t)document.raw_bytes);
	document.is_suspect = reader->suspect_from_ns && bs_stamp_is_suspect(&document.stamp, reader->suspect_from_ns);
	if (sink->unchanged && is_unchanged_suspect(&document, known))
		status = sink->unchanged(sink->context, known->ref, err);
	else
		status = sink->document(sink->context, &document, err);
	bs_buffer_trim(&reader->bytes, KEPT_BYTES);
	bs_buffer_trim(&reader->text, KEPT_BYTES);
	return status;
}

static enum bs_status read_files(struct bs_reader *reader, const struct bs_source *source, const struct bs_batch *batch,
                                 const struct bs_document_sink *sink, struct bs_error *err)
{
	struct bs_error why = {0};
	bool opened = false;
	int dir_fd = AT_FDCWD;
	enum bs_status status = BS_OK;
	if (source->kind == BS_SOURCE_FOLDER) {
		status = kept_open(&reader->folder, source->path, O_PATH | O_DIRECTORY, &opened, &why);
		if (status == BS_NO_MEMORY)
			return bs_fail(err, status, "%s", why.text);
		dir_fd = reader->folder.fd;
	}
	const char *name = (const char *)batch->bytes.data;
	const struct bs_known *known = (const struct bs_known *)(const void *)batch->known.data;
	bool has_known = batch->known.used_bytes > 0;
	bool is_gone = status != BS_OK;
	status = BS_OK;
	for (size_t i = 0; i < batch->n_items && !status; i++) {
		if (is_gone)
			status = pass_over(reader, source, name, 0,
			                   &(struct bs_file_refusal){.skip = BS_SKIP_UNREADABLE, .reason = why.text}, sink, err);
		else
			status = read_file(reader, source, dir_fd, name, has_known ? &known[i] : &nothing_known, sink, err);
		name += strlen(name) + 1;
	}
	return status;
}

/* ---- records ---- */

static void fill_document(const struct bs_record *record, const uint8_t *raw, size_t raw_bytes,
                          struct bs_document *document)
{
	*document = (struct bs_document){
		.name = record->id_bytes ? record->id : (const uint8_t *)"",
		.name_bytes = record->id_bytes,
		.is_named_by_line = !record->has_id,
		.raw = raw,
		.raw_bytes = raw_bytes,
		.known = {BS_DOC_NONE, 0},
		.fields = record->fields,
		.n_fields = record->n_fields,
		.text_bytes = record->text_bytes,
	};
}

static bool is_blank(const uint8_t *line, size_t line_bytes)
{
	for (size_t i = 0; i < line_bytes; i++) {
		if (line[i] != ' ' && (line[i] < '\t' || line[i] > '\r'))
			return false;
	}
	return true;
}

static enum bs_status pass_over_long_line(struct bs_reader *reader, const struct bs_source *source, uint64_t line_number,
                                          const struct bs_document_sink *sink, struct bs_error *err)
{
	return pass_over(reader, source, "", line_number,
	                 &(struct bs_file_refusal){.skip = BS_SKIP_TOO_LARGE, .reason = "larger than --max-document"}, sink,
	                 err);
}

/* One line without its end. */
static enum bs_status read_line(struct bs_reader *reader, const struct bs_source *source, const uint8_t *line,
                                size_t line_bytes, uint64_t line_number, uint64_t offset,
                                const struct bs_document_sink *sink, struct bs_error *err)
{
	struct bs_record record;
	struct bs_document document;
	if (line_bytes > reader->max_document_bytes)
		return pass_over_long_line(reader, source, line_number, sink, err);
	if (is_blank(line, line_bytes))
		return BS_OK;
	enum bs_status status = bs_record_parse(reader->records, line, line_bytes, &record, err);
	if (status)
		return status;
	if (!record.is_document)
		return pass_over(reader, source, "", line_number,
		                 &(struct bs_file_refusal){.skip = record.skip, .reason = record.reason}, sink, err);
	fill_document(&record, line, line_bytes, &document);
	document.line = line_number;
	document.offset = offset;
	document.checksum = bs_checksum(line, line_bytes);
	return sink->document(sink->context, &document, err);
}

static enum bs_status read_lines(struct bs_reader *reader, const struct bs_source *source, const struct bs_batch *batch,
                                 const struct bs_document_sink *sink, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t at = 0;
	if (batch->is_long_line)
		return pass_over_long_line(reader, source, batch->first_line, sink, err);
	for (size_t i = 0; i < batch->n_items && !status; i++) {
		const uint8_t *line = batch->bytes.data + at;
		size_t left_bytes = batch->bytes.used_bytes - at;
		const uint8_t *feed = memchr(line, '\n', left_bytes);
		size_t line_bytes = feed ? (size_t)(feed - line) : left_bytes;
		size_t next = at + line_bytes + 1;
		if (line_bytes && line[line_bytes - 1] == '\r')
			line_bytes--;
		status = read_line(reader, source, line, line_bytes, batch->first_line + i, batch->offset + at, sink,
		                   err);
		at = next;
	}
	return status;
}

/* ---- once more ---- */

/* The descriptor of a folder, or of the working directory for NULL. */
static enum bs_status open_folder(struct bs_reader *reader, const char *folder, int *fd_out, struct bs_error *err)
{
	bool opened;
	*fd_out = AT_FDCWD;
	if (!folder)
		return BS_OK;
	enum bs_status status = kept_open(&reader->folder, folder, O_PATH | O_DIRECTORY, &opened, err);
	*fd_out = reader->folder.fd;
	return status;
}

enum bs_status bs_reader_stamp(struct bs_reader *reader, const char *folder, const char *path,
                               struct bs_stamp *stamp_out, struct bs_error *err)
{
	struct stat found;
	int dir_fd;
	*stamp_out = (struct bs_stamp){0};
	enum bs_status status = open_folder(reader, folder, &dir_fd, err);
	if (status)
		return status;
	if (bs_file_stat(dir_fd, path, &found))
		return bs_fail(err, bs_file_status(errno), "%s: %s", path, strerror(errno));
	*stamp_out = bs_file_stamp(&found);
	return BS_OK;
}

enum bs_status bs_reader_fetch_file(struct bs_reader *reader, const char *folder, const char *path,
                                    struct bs_document *document_out, struct bs_stamp *stamp_out, struct bs_error *err)
{
	struct bs_file_refusal refusal;
	int dir_fd;
	*document_out = (struct bs_document){0};
	*stamp_out = (struct bs_stamp){0};
	enum bs_status status = open_folder(reader, folder, &dir_fd, err);
	if (status)
		return status;
	status = load_document(reader, dir_fd, path, false, document_out, &refusal, err);
	*stamp_out = document_out->stamp;
	if (status || !refusal.reason)
		return status;
	/* Something that is no file any more, or a larger one than documents are, stands in its place: the document is gone. */
	status = refusal.skip == BS_SKIP_SPECIAL || refusal.skip == BS_SKIP_TOO_LARGE
			 ? BS_NOT_FOUND
			 : bs_file_status(refusal.error_number);
	return bs_fail(err, status, "%s: %s", path, refusal.reason);
}

enum bs_status bs_reader_fetch_raw(struct bs_reader *reader, const uint8_t *raw, size_t raw_bytes,
                                   struct bs_document *document_out, struct bs_error *err)
{
	struct bs_record record;
	*document_out = (struct bs_document){0};
	enum bs_status status = bs_record_parse(reader->records, raw, raw_bytes, &record, err);
	if (status)
		return status;
	if (!record.is_document)
		return bs_fail(err, BS_INVALID, "%s", record.reason);
	fill_document(&record, raw, raw_bytes, document_out);
	return BS_OK;
}

enum bs_status bs_reader_fetch_line(struct bs_reader *reader, const char *path, uint64_t offset, uint64_t raw_bytes,
                                    uint64_t ahead_to, const uint8_t **line_out, struct bs_stamp *stamp_out,
                                    struct bs_error *err)
{
	*stamp_out = (struct bs_stamp){0};
	*line_out = NULL;
	enum bs_status status = bs_collection_open(&reader->collection, path, err);
	if (status)
		return status;
	*stamp_out = reader->collection.stamp;
	return bs_collection_read(&reader->collection, offset, raw_bytes, ahead_to, line_out, err);
}

enum bs_status bs_reader_fetch_record(struct bs_reader *reader, const char *path, uint64_t offset, uint64_t raw_bytes,
                                      struct bs_document *document_out, struct bs_stamp *stamp_out,
                                      struct bs_error *err)
{
	struct bs_error why = {0};
	const uint8_t *line;
	*document_out = (struct bs_document){0};
	enum bs_status status = bs_reader_fetch_line(reader, path, offset, raw_bytes, 0, &line, stamp_out, err);
	if (status)
		return status;
	status = bs_reader_fetch_raw(reader, line, (size_t)raw_bytes, document_out, &why);
	document_out->offset = offset;
	return status ? bs_fail(err, status, "%s: offset %" PRIu64 ": %s", path, offset, why.text) : BS_OK;
}

enum bs_status bs_reader_cut_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                  struct bs_document *document_out, bool *is_known_out, struct bs_error *err)
{
	struct bs_record record;
	enum bs_status status = bs_record_scan_line(&reader->scan, line, line_bytes, true, &record, is_known_out, err);
	fill_document(&record, line, line_bytes, document_out);
	return status;
}

enum bs_status bs_reader_scan_line(struct bs_reader *reader, const uint8_t *line, size_t line_bytes,
                                   struct bs_document *document_out, struct bs_error *err)
{
	struct bs_record record;
	bool is_known;
	*document_out = (struct bs_document){0};
	enum bs_status status = bs_record_scan_line(&reader->scan, line, line_bytes, false, &record, &is_known, err);
	if (status)
		return status;
	if (!is_known)
		return bs_reader_fetch_raw(reader, line, line_bytes, document_out, err);
	fill_document(&record, line, line_bytes, document_out);
	return BS_OK;
}

void bs_reader_forget(struct bs_reader *reader, bool collection_too)
{
	kept_close(&reader->folder);
	if (collection_too)
		bs_collection_deinit(&reader->collection);
	else
		bs_collection_forget(&reader->collection);
}

/* ---- documents of the index, as they were ---- */

static enum bs_status recall_stored(struct bs_reader *reader, const struct bs_snapshot *snapshot,
                                    const struct bs_known *known, struct bs_document *document, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (reader->stored_of != snapshot) {
		bs_stored_texts_free(reader->stored);
		reader->stored = NULL;
		status = bs_stored_texts_new(snapshot, &reader->stored, err);
		reader->stored_of = status ? NULL : snapshot;
	}
	if (!status)
		status = bs_stored_texts_fetch(reader->stored, known->ref.segment, known->place[0], &reader->bytes, err);
	return status ? status : bs_reader_fetch_raw(reader, reader->bytes.data, reader->bytes.used_bytes, document, err);
}

/* Reads the document as it is now; *is_there_out: it could be read. Fails only with what no one else can mend. */
static enum bs_status recall(struct bs_reader *reader, const struct bs_source *source, const char *name,
                             const struct bs_known *known, const struct bs_snapshot *snapshot,
                             const struct bs_document_sink *sink, struct bs_document *document, bool *is_there_out,
                             struct bs_error *err)
{
	struct bs_error why = {0};
	struct bs_stamp stamp;
	struct bs_file_refusal refusal = {0};
	enum bs_status status = BS_OK;
	switch (source->kind) {
	case BS_SOURCE_FOLDER:
		status = load_document(reader, reader->folder.fd, name, true, document, &refusal, &why);
		break;
	case BS_SOURCE_FILE:
		status = load_document(reader, AT_FDCWD, source->path, false, document, &refusal, &why);
		break;
	case BS_SOURCE_COLLECTION:
		status = bs_reader_fetch_record(reader, source->path, known->place[0], known->place[1], document, &stamp, &why);
		break;
	case BS_SOURCE_STDIN:
		status = recall_stored(reader, snapshot, known, document, &why);
		break;
	}
	*is_there_out = !status && !refusal.reason;
	/* Stored text that the options of a rebuild make no document of is left out, as it would be from a pipe. */
	if (source->kind == BS_SOURCE_STDIN && status == BS_INVALID)
		return pass_over(reader, source, "", known->place[2],
		                 &(struct bs_file_refusal){.skip = BS_SKIP_NO_TEXT, .reason = why.text}, sink, err);
	bool is_ours = status == BS_NO_MEMORY || (source->kind == BS_SOURCE_STDIN && status);
	return is_ours ? bs_fail(err, status, "%s", why.text) : BS_OK;
}

static enum bs_status recall_batch(struct bs_reader *reader, const struct bs_source *source,
                                   const struct bs_batch *batch, const struct bs_document_sink *sink,
                                   struct bs_error *err)
{
	const struct bs_known *known = (const struct bs_known *)(const void *)batch->known.data;
	const char *name = (const char *)batch->bytes.data;
	enum bs_status status = BS_OK;
	bool opened;
	if (source->kind == BS_SOURCE_FOLDER &&
	    kept_open(&reader->folder, source->path, O_PATH | O_DIRECTORY, &opened, NULL) != BS_OK)
		return BS_OK;
	for (size_t i = 0; i < batch->n_items && !status; i++, name += strlen(name) + 1) {
		struct bs_document document;
		bool is_there;
		status = recall(reader, source, name, &known[i], batch->recall, sink, &document, &is_there, err);
		if (status || !is_there)
			continue;
		document.known = known[i].ref;
		document.checksum = bs_checksum(document.raw, (size_t)document.raw_bytes);
		if (document.checksum == known[i].checksum)
			status = sink->document(sink->context, &document, err);
	}
	bs_buffer_trim(&reader->bytes, KEPT_BYTES);
	bs_buffer_trim(&reader->text, KEPT_BYTES);
	return status;
}

/* ---- a batch of any kind ---- */

enum bs_status bs_reader_read(struct bs_reader *reader, const struct bs_source *source, const struct bs_batch *batch,
                              const struct bs_document_sink *sink, struct bs_error *err)
{
	if (!batch->n_items)
		return BS_OK;
	if (batch->recall)
		return recall_batch(reader, source, batch, sink, err);
	if (source->kind == BS_SOURCE_FOLDER || source->kind == BS_SOURCE_FILE)
		return read_files(reader, source, batch, sink, err);
	return read_lines(reader, source, batch, sink, err);
}
