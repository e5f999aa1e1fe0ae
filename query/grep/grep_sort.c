/* grep_sort.c: see grep_sort.h. Reads all files of the source, sorts them, and returns them one by
 * one. */
#include "query/grep/grep_sort.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/vector.h"
#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "core/collections/sort.h"
#include "corpus/walk/file.h"
#include "query/regex/text.h"

/* seconds INT64_MIN: the file is missing */
struct sort_time {
	int64_t seconds;
	uint32_t ns;
};

struct sorted {
	/* path and shown point into names; they are set when names is complete */
	struct bs_grep_file file;
	size_t path_off, shown_off;
	/* the first of the file's times, one for each path component below the root */
	size_t times_off;
};

BS_VECTOR(sort_times, struct sort_time);
BS_VECTOR(sorted_files, struct sorted);

struct sort_source {
	struct bs_grep_source source;
	struct bs_grep_source *of;
	enum bs_grep_sort key;
	bool is_reversed, has_all;
	struct bs_buffer names;
	struct sort_times times;
	struct sorted_files files;
	struct bs_buffer folder; /* scratch: a file's path up to one of its components */
	size_t next;
};

bool bs_grep_sort_is_wanted(const struct bs_grep_files *files)
{
	return files->sort != BS_GREP_SORT_PATH || files->is_reversed;
}

static const struct sort_time *times_of(const struct sort_source *self, const struct sorted *file)
{
	return self->times.items + file->times_off;
}

/* Reads the time of the file at path. Symlinks are followed. A missing file sorts before all
 * others. */
static enum bs_status read_time(const struct sort_source *self, const char *path,
                                struct sort_time *time_out, struct bs_error *err)
{
	struct stat found;
	struct statx created = {.stx_mask = 0};
	*time_out = (struct sort_time){INT64_MIN, 0};
	if (self->key != BS_GREP_SORT_CREATED) {
		if (bs_file_stat(AT_FDCWD, path, &found) != 0)
			return BS_OK;
		struct timespec time =
			self->key == BS_GREP_SORT_ACCESSED ? found.st_atim : found.st_mtim;
		*time_out = (struct sort_time){time.tv_sec, (uint32_t)time.tv_nsec};
		return BS_OK;
	}
	if (statx(AT_FDCWD, path, 0, STATX_BTIME, &created) != 0)
		return BS_OK;
	if (!(created.stx_mask & STATX_BTIME))
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s: its file system does not tell when it was created", path);
	*time_out = (struct sort_time){created.stx_btime.tv_sec, created.stx_btime.tv_nsec};
	return BS_OK;
}

/* Adds the times of the path's components below the root. Components shared with the previous file
 * are copied from it. */
static enum bs_status add_times(struct sort_source *self, const struct sorted *before,
                                const char *before_path, const struct bs_grep_file *file,
                                struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool is_shared = before && before->file.root == file->root && file->below_off > 0;
	for (size_t end = file->below_off, i = 0; file->path[end] && !status; i++, end++) {
		size_t start = end;
		struct sort_time time = {0, 0};
		end += strcspn(file->path + end, "/");
		is_shared = is_shared &&
		            strncmp(before_path + start, file->path + start, end - start) == 0 &&
		            file->path[end] && before_path[end] == '/';
		if (is_shared) {
			time = times_of(self, before)[i];
		} else {
			struct bs_text_writer to = {.out = &self->folder, .err = err};
			bs_buffer_clear(&self->folder);
			bs_text_put(&to, file->path, end);
			bs_text_put(&to, "", 1);
			status = to.status ? to.status
			                   : read_time(self, (const char *)self->folder.data, &time,
			                               err);
		}
		if (!status)
			status = bs_vector_append(&self->times, &time, err);
		if (!file->path[end])
			break;
	}
	return status;
}

static enum bs_status add_file(struct sort_source *self, const struct bs_grep_file *file,
                               struct bs_error *err)
{
	size_t n = bs_vector_n(&self->files);
	const struct sorted *before = n > 0 ? &self->files.items[n - 1] : NULL;
	struct sorted sorted = {.file = *file,
	                        .path_off = self->names.used_bytes,
	                        .times_off = bs_vector_n(&self->times)};
	struct bs_text_writer to = {.out = &self->names, .err = err};
	if (self->key != BS_GREP_SORT_PATH && file->path && file->below_off > 0)
		to.status =
			add_times(self, before,
		                  before ? (const char *)self->names.data + before->path_off : NULL,
		                  file, err);
	if (file->path)
		bs_text_put(&to, file->path, strlen(file->path) + 1);
	sorted.shown_off = self->names.used_bytes;
	bs_text_put(&to, file->shown, strlen(file->shown) + 1);
	return to.status ? to.status : bs_vector_append(&self->files, &sorted, err);
}

static int compare(const void *left, const void *right, void *context)
{
	const struct sort_source *self = context;
	const struct sorted *a = left, *b = right;
	if (a->file.root != b->file.root || !a->file.path)
		return (a->file.root > b->file.root) - (a->file.root < b->file.root);
	const char *x = a->file.path + a->file.below_off, *y = b->file.path + b->file.below_off;
	size_t n, m, i = 0;
	while ((n = strcspn(x, "/")) == (m = strcspn(y, "/")) && memcmp(x, y, n) == 0 && x[n] &&
	       y[m]) {
		x += n + 1;
		y += m + 1;
		i++;
	}
	int order = memcmp(x, y, n < m ? n : m);
	order = order ? order : (n > m) - (n < m);
	if (self->key == BS_GREP_SORT_PATH)
		return self->is_reversed ? -order : order;
	const struct sort_time *s = &times_of(self, a)[i], *t = &times_of(self, b)[i];
	bool is_equal = s->seconds == t->seconds && s->ns == t->ns;
	bool is_earlier = s->seconds != t->seconds ? s->seconds < t->seconds : s->ns < t->ns;
	return is_equal ? order : is_earlier != self->is_reversed ? -1 : 1;
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
	bs_vector_deinit(&self->times);
	bs_vector_deinit(&self->files);
	bs_buffer_deinit(&self->folder);
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
