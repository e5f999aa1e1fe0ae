/* source.c: makes sources from command line arguments, and ids of documents. See source.h. */
#include "corpus/read/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corpus/walk/file.h"

/* "./a/b//" -> "a/b", "." -> "", "/" -> "/"; NULL if out of memory. */
static char *make_label(const char *argument)
{
	const char *from = argument;
	while (from[0] == '.' && from[1] == '/') {
		from += 2;
		while (*from == '/')
			from++;
	}
	size_t n_bytes = strlen(from);
	while (n_bytes > 1 && from[n_bytes - 1] == '/')
		n_bytes--;
	if (n_bytes == 1 && *from == '.')
		n_bytes = 0;
	return strndup(from, n_bytes);
}

static bool is_collection_name(const char *label)
{
	const char *dot = strrchr(label, '.');
	return dot && (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".ndjson") == 0);
}

/* Determines the kind of the source and whether it can be read. */
static enum bs_status find_kind(struct bs_source *source, const char *argument,
                                struct bs_error *err)
{
	struct stat found;
	if (bs_file_stat(AT_FDCWD, argument, &found))
		return bs_fail(err, bs_file_status(errno), "%s: %s", *argument ? argument : "\"\"",
		               strerror(errno));
	if (S_ISDIR(found.st_mode))
		source->kind = BS_SOURCE_FOLDER;
	else if (!S_ISREG(found.st_mode))
		return bs_fail(err, BS_INVALID, "%s: neither a file nor a folder", argument);
	else
		source->kind =
			is_collection_name(source->label) ? BS_SOURCE_COLLECTION : BS_SOURCE_FILE;
	int fd = bs_file_open(AT_FDCWD, argument, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return bs_fail(err, bs_file_status(errno), "%s: %s", argument, strerror(errno));
	close(fd);
	return BS_OK;
}

enum bs_status bs_source_init(struct bs_source *source, const char *argument, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*source = (struct bs_source){.label = make_label(argument), .path = strdup(argument)};
	if (!source->label || !source->path)
		status = bs_fail_memory(err, "the name of a source", strlen(argument));
	else if (!strcmp(argument, "-"))
		source->kind = BS_SOURCE_STDIN;
	else
		status = find_kind(source, argument, err);
	if (status)
		bs_source_deinit(source);
	return status;
}

void bs_source_deinit(struct bs_source *source)
{
	free(source->folder);
	free(source->below);
	free(source->label);
	free(source->path);
	free(source->down);
	free(source->shown);
	*source = (struct bs_source){0};
}

enum bs_status bs_source_append_id(const struct bs_source *source, const uint8_t *name,
                                   size_t name_bytes, uint64_t line, struct bs_buffer *id,
                                   struct bs_error *err)
{
	char number[24];
	enum bs_status status = BS_OK;
	bool is_below = source->kind == BS_SOURCE_FOLDER;
	if (is_below || source->kind == BS_SOURCE_FILE || source->is_inner || line)
		status = bs_buffer_append(id, source->label, strlen(source->label), err);
	if (is_below && *source->label && strcmp(source->label, "/") && !status)
		status = bs_buffer_append(id, "/", 1, err);
	if (source->is_inner && !line && !status)
		status = bs_buffer_append(id, "#", 1, err);
	if (line && !status) {
		snprintf(number, sizeof(number), ":%" PRIu64, line);
		status = bs_buffer_append(id, number, strlen(number), err);
	}
	return status ? status : bs_buffer_append(id, name, name_bytes, err);
}

enum bs_status bs_source_append_local_id(const struct bs_source *source, const uint8_t *name,
                                         size_t name_bytes, uint64_t line, struct bs_buffer *id,
                                         struct bs_error *err)
{
	struct bs_source here = *source;
	char none[] = "";
	if (source->down)
		return bs_file_relative_path(source->down, name, name_bytes, id, err);
	if (!bs_source_has_records(source) || source->is_inner)
		here.label = strcmp(source->path, ".") == 0 ? none : source->path;
	return bs_source_append_id(&here, name, name_bytes, line, id, err);
}

bool bs_path_is_at_or_below(const char *path, const uint8_t *name, size_t name_bytes)
{
	size_t n = strlen(path);
	return n <= name_bytes && memcmp(path, name, n) == 0 && (n == name_bytes || name[n] == '/');
}

bool bs_source_has_part(const struct bs_source *source, const uint8_t *name, size_t name_bytes)
{
	for (size_t i = 0; source->parts && source->parts[i]; i++)
		if (bs_path_is_at_or_below(source->parts[i], name, name_bytes))
			return true;
	return !source->parts;
}

enum bs_status bs_path_fingerprint(const char *path, struct bs_fingerprint *fingerprint_out,
                                   struct bs_error *err)
{
	struct stat found;
	*fingerprint_out = (struct bs_fingerprint){0};
	if (bs_file_stat(AT_FDCWD, path, &found))
		return bs_fail(err, bs_file_status(errno), "%s: %s", path, strerror(errno));
	*fingerprint_out = bs_file_fingerprint(&found);
	return BS_OK;
}

int bs_source_open(const struct bs_source *source, int flags)
{
	int folder_fd = source->is_inner
	                        ? bs_file_open(AT_FDCWD, source->folder, O_PATH | O_DIRECTORY)
	                        : -1;
	int fd = !source->is_inner ? bs_file_open(AT_FDCWD, source->path, flags)
	         : folder_fd < 0   ? -1
	                           : bs_file_open_below(folder_fd, source->below, flags);
	int saved = errno;
	if (folder_fd >= 0)
		close(folder_fd);
	if (fd >= 0)
		bs_file_keep_access_time(fd, flags);
	errno = saved;
	return fd;
}

enum bs_status bs_source_fingerprint(const struct bs_source *source,
                                     struct bs_fingerprint *fingerprint_out, struct bs_error *err)
{
	struct bs_file_place place = {.fd = -1};
	struct stat found;
	int saved;
	if (!source->is_inner)
		return bs_path_fingerprint(source->path, fingerprint_out, err);
	*fingerprint_out = (struct bs_fingerprint){0};
	int folder_fd = bs_file_open(AT_FDCWD, source->folder, O_PATH | O_DIRECTORY);
	int result =
		folder_fd < 0 ? -1 : bs_file_stat_below(folder_fd, source->below, &place, &found);
	saved = errno;
	bs_file_place_close(&place);
	if (folder_fd >= 0)
		close(folder_fd);
	if (result)
		return bs_fail(err, bs_file_status(saved), "%s: %s", source->path, strerror(saved));
	if (!S_ISREG(found.st_mode))
		return bs_fail(err, BS_NOT_FOUND, "%s: not a regular file", source->path);
	*fingerprint_out = bs_file_fingerprint(&found);
	return BS_OK;
}
