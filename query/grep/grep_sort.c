/* grep_sort.c: see grep_sort.h. Takes all files from the source, sorts them, and returns them one
 * by one. */
#include "query/grep/grep_sort.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "core/collections/sort.h"
#include "corpus/walk/file.h"
#include "query/regex/text.h"

struct sorted {
	/* file.path and file.shown point into `names`; they are set when `names` is complete */
	struct bs_grep_file file;
	size_t path_off, shown_off;
	size_t number; /* number of the file in the order in which the source yields files */
	bool has_time;
	int64_t seconds;
	uint32_t ns;
};

BS_VECTOR(sorted_files, struct sorted);

struct sort_source {
	struct bs_grep_source source;
	struct bs_grep_source *of;
	enum bs_grep_sort key;
	bool is_reversed, has_all;
	struct bs_buffer names;
	struct sorted_files files;
	size_t next;
};

bool bs_grep_sort_is_wanted(const struct bs_grep_files *files)
{
	return files->sort != BS_GREP_SORT_PATH || files->is_reversed;
}

/* Reads the time that the files are sorted by. Symlinks are followed. has_time stays false if the
 * file is missing, or its file system does not record the time. */
static void read_time(const struct sort_source *self, struct sorted *sorted)
{
	struct stat found;
	struct statx created = {.stx_mask = 0};
	const char *path = sorted->file.path;
	if (!path || self->key == BS_GREP_SORT_PATH)
		return;
	if (self->key == BS_GREP_SORT_CREATED) {
		sorted->has_time = statx(AT_FDCWD, path, 0, STATX_BTIME, &created) == 0 &&
		                   created.stx_mask & STATX_BTIME;
		sorted->seconds = created.stx_btime.tv_sec;
		sorted->ns = created.stx_btime.tv_nsec;
	} else if (bs_file_stat(AT_FDCWD, path, &found) == 0) {
		struct timespec time =
			self->key == BS_GREP_SORT_ACCESSED ? found.st_atim : found.st_mtim;
		sorted->has_time = true;
		sorted->seconds = time.tv_sec;
		sorted->ns = (uint32_t)time.tv_nsec;
	}
}

static enum bs_status add_file(struct sort_source *self, const struct bs_grep_file *file,
                               struct bs_error *err)
{
	struct sorted sorted = {.file = *file,
	                        .path_off = self->names.used_bytes,
	                        .number = bs_vector_n(&self->files)};
	struct bs_text_writer to = {.out = &self->names, .err = err};
	read_time(self, &sorted);
	if (file->path)
		bs_text_put(&to, file->path, strlen(file->path) + 1);
	sorted.shown_off = self->names.used_bytes;
	bs_text_put(&to, file->shown, strlen(file->shown) + 1);
	return to.status ? to.status : bs_vector_append(&self->files, &sorted, err);
}

/* Kinds of path components, in ripgrep's order. */
enum component {
	COMPONENT_NONE,
	COMPONENT_ROOT,    /* the slash of an absolute path */
	COMPONENT_CURRENT, /* a dot at the start; later dots are skipped */
	COMPONENT_PARENT,  /* .. */
	COMPONENT_NAME,
};

/* Takes the next component of a path. *name_out: its name. *at: the rest of the path. */
static enum component take_component(const char *path, const char **at, const char **name_out,
                                     size_t *n_out)
{
	if (*at == path && *path == '/') {
		(*at)++;
		return COMPONENT_ROOT;
	}
	for (;;) {
		*at += strspn(*at, "/");
		*name_out = *at;
		*n_out = strcspn(*at, "/");
		*at += *n_out;
		if (*n_out == 0)
			return COMPONENT_NONE;
		if (*n_out == 2 && memcmp(*name_out, "..", 2) == 0)
			return COMPONENT_PARENT;
		if (*n_out != 1 || **name_out != '.')
			return COMPONENT_NAME;
		if (*name_out == path)
			return COMPONENT_CURRENT;
	}
}

static int compare_paths(const char *x, const char *y)
{
	const char *at_x = x, *at_y = y, *name_x = x, *name_y = y;
	size_t n = 0, m = 0;
	for (;;) {
		enum component a = take_component(x, &at_x, &name_x, &n),
			       b = take_component(y, &at_y, &name_y, &m);
		if (a != b || a == COMPONENT_NONE)
			return (a > b) - (a < b);
		int order = a == COMPONENT_NAME ? bs_compare_bytes((const uint8_t *)name_x, n,
		                                                   (const uint8_t *)name_y, m)
		                                : 0;
		if (order)
			return order;
	}
}

/* Files without a time come last. */
static int compare_times(const struct sorted *a, const struct sorted *b)
{
	if (a->has_time != b->has_time)
		return a->has_time ? -1 : 1;
	if (!a->has_time)
		return 0;
	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	return (a->ns > b->ns) - (a->ns < b->ns);
}

static int compare(const void *left, const void *right, void *context)
{
	const struct sort_source *self = context;
	const struct sorted *a = left, *b = right;
	int order = self->key == BS_GREP_SORT_PATH ? compare_paths(a->file.shown, b->file.shown)
	                                           : compare_times(a, b);
	if (order)
		return self->is_reversed ? -order : order;
	return (a->number > b->number) - (a->number < b->number);
}

static enum bs_status read_all(struct sort_source *self, struct bs_error *err)
{
	struct bs_grep_file file;
	enum bs_status status;
	self->has_all = true;
	self->of->listener = self->source.listener;
	do {
		status = self->of->next(self->of, &file, err);
		if (!status && file.shown)
			status = add_file(self, &file, err);
	} while (!status && file.shown);
	self->source.n_ruled_out = self->of->n_ruled_out;
	self->source.n_passed = self->of->n_passed;
	self->source.passed_bytes = self->of->passed_bytes;
	self->source.n_unfollowed = self->of->n_unfollowed;
	size_t n = bs_vector_n(&self->files);
	for (size_t i = 0; i < n; i++) {
		struct sorted *sorted = &self->files.items[i];
		sorted->file.path = sorted->file.path
		                            ? (const char *)self->names.data + sorted->path_off
		                            : NULL;
		sorted->file.shown = (const char *)self->names.data + sorted->shown_off;
	}
	return status ? status
	              : bs_sort(self->files.items, n, sizeof(struct sorted), compare, self, err);
}

static enum bs_status sort_next(struct bs_grep_source *source, struct bs_grep_file *file_out,
                                struct bs_error *err)
{
	struct sort_source *self = (struct sort_source *)(void *)source;
	*file_out = (struct bs_grep_file){.path = NULL};
	enum bs_status status = self->has_all ? BS_OK : read_all(self, err);
	if (!status && self->next < bs_vector_n(&self->files))
		*file_out = self->files.items[self->next++].file;
	return status;
}

static void sort_close(struct bs_grep_source *source)
{
	struct sort_source *self = (struct sort_source *)(void *)source;
	self->of->close(self->of);
	bs_buffer_deinit(&self->names);
	bs_vector_deinit(&self->files);
	free(self);
}

enum bs_status bs_grep_sort_open(struct bs_grep_source *of, const struct bs_grep_files *files,
                                 struct bs_grep_source **source_out, struct bs_error *err)
{
	struct sort_source *self = calloc(1, sizeof(*self));
	*source_out = NULL;
	if (!self) {
		of->close(of);
		return bs_fail_memory(err, "an order of files", sizeof(*self));
	}
	*self = (struct sort_source){.source = {.next = sort_next, .close = sort_close},
	                             .of = of,
	                             .key = files->sort,
	                             .is_reversed = files->is_reversed};
	*source_out = &self->source;
	return BS_OK;
}
