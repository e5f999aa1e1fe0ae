/* grep_source.c: see grep_source.h. Finds files by walking. */
#include "query/grep/read/grep_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/vector.h"
#include "core/bitsift/skip.h"
#include "corpus/walk/file.h"
#include "query/regex/text.h"

BS_VECTOR(paths, char *);

struct walk_source {
	struct bs_grep_source source;
	const struct bs_grep_walk_options *options;
	size_t next_path;
	size_t root; /* the path being walked, a folder */
	struct bs_walk *walk;
	struct bs_buffer path;
	char *current;      /* real path of the working directory; NULL: not needed yet */
	struct paths roots; /* real paths of the folders walked so far; an unknown one is NULL */
	/* The root of the last walk, an element of roots. NULL: unknown, or a file or a missing
	 * path was named since. */
	const char *last_root;
	/* Elements of roots: for each folder above last_root, from / down, its base (find_base). */
	struct paths bases;
};

static void report(const struct walk_source *self, const char *path, int error_number)
{
	struct bs_error line;
	(void)bs_fail(&line, BS_IO, "%s: %s", path, strerror(error_number));
	self->source.listener.report(self->source.listener.report_context, line.text);
}

/* As in rg, skipped entries are reported only if they are unreadable. */
static void report_skip(void *context, enum bs_skip reason, const char *message)
{
	const struct walk_source *self = context;
	if (reason == BS_SKIP_UNREADABLE)
		self->source.listener.report(self->source.listener.report_context, message);
}

/* As in rg, an invalid rule in an ignore file is an error only if the file is in a folder above
 * those searched; otherwise it is a notice. */
static void report_rule(void *context, bool is_above, const char *message)
{
	const struct walk_source *self = context;
	if (is_above)
		self->source.listener.report(self->source.listener.report_context, message);
	else
		self->source.listener.remark(self->source.listener.remark_context, message);
}

/* The number of folders above a real path; the root folder has none. */
static size_t n_folders_above(const char *real)
{
	size_t n = 0;
	for (const char *at = real; at[1] && *at; at++)
		n += *at == '/';
	return n;
}

/* The number of folders that are above both real paths. */
static size_t n_common_folders(const char *real, const char *other)
{
	size_t n = 0;
	for (; *real && *real == *other; real++, other++)
		n += *real == '/' && real[1] && other[1];
	return n;
}

/* Forgets the folders above the last walk: ripgrep does so when it searches a file. */
static void forget_bases(struct walk_source *self)
{
	self->last_root = NULL;
	bs_vector_set_n(&self->bases, 0);
}

/*
 * Finds the `base` of the walk of root: the real path against which ripgrep matches the rules of
 * the folders above the root (see start_path in walk.c). bases[i] is the base for the folder at
 * depth i above the last root: the first of the consecutive roots, up to the last one, that were
 * all below this folder. *base_out: the base of the root's parent folder. NULL: none.
 */
static enum bs_status find_base(struct walk_source *self, const char *root, const char **base_out,
                                struct bs_error *err)
{
	char *real;
	*base_out = NULL;
	enum bs_status status = bs_file_real_path(root, &real, err);
	if (!status)
		status = bs_vector_append(&self->roots, &real, err);
	if (status) {
		free(real);
		return status;
	}
	if (!real || !self->last_root)
		forget_bases(self);
	size_t n_above = real ? n_folders_above(real) : 0;
	if (self->last_root)
		bs_vector_set_n(&self->bases, n_common_folders(real, self->last_root));
	while (!status && bs_vector_n(&self->bases) < n_above)
		status = bs_vector_append(&self->bases, &real, err);
	if (!status && n_above > 0)
		*base_out = self->bases.items[n_above - 1];
	self->last_root = real;
	return status;
}

static enum bs_status open_walk(struct walk_source *self, const char *root, struct bs_error *err)
{
	struct bs_walk_options options = self->options->walk;
	enum bs_status status = find_base(self, root, &options.base, err);
	if (status)
		return status;
	options.report = report_skip;
	options.bad_rule = report_rule;
	options.report_context = self;
	status = bs_walk_open(root, &options, &self->walk, err);
	if (status != BS_IO)
		return status;
	self->source.listener.report(self->source.listener.report_context, err->text);
	return BS_OK;
}

enum bs_status bs_grep_file_below(const struct bs_grep_walk_options *options, size_t root,
                                  const void *name, size_t name_bytes, struct bs_buffer *path,
                                  struct bs_grep_file *file_out, struct bs_error *err)
{
	const char *folder = options->paths[root];
	size_t n = strlen(folder);
	struct bs_text_writer to = {.out = path, .err = err};
	bs_buffer_clear(path);
	bs_text_put(&to, folder, n);
	bs_text_put_string(&to, n > 0 && folder[n - 1] != '/' ? "/" : "");
	*file_out = (struct bs_grep_file){.root_bytes = options->walk.follow ? 0 : path->used_bytes,
	                                  .root = root,
	                                  .below_off = path->used_bytes};
	bs_text_put(&to, name, name_bytes);
	bs_text_put(&to, "", 1);
	if (to.status)
		return to.status;
	file_out->path = (const char *)path->data;
	file_out->shown =
		file_out->path +
		(options->is_default_path && strncmp(file_out->path, "./", 2) == 0 ? 2 : 0);
	return BS_OK;
}

static void close_walk(struct walk_source *self)
{
	bs_walk_close(self->walk);
	self->walk = NULL;
}

static bool is_too_large(const struct walk_source *self)
{
	struct stat found;
	if (self->options->max_file_bytes == UINT64_MAX)
		return false;
	return bs_file_stat(AT_FDCWD, (const char *)self->path.data, &found) == 0 &&
	       (uint64_t)found.st_size > self->options->max_file_bytes;
}

/* The next file of the folder; *file_out is all zero at the end. */
static enum bs_status next_below(struct walk_source *self, struct bs_grep_file *file_out,
                                 struct bs_error *err)
{
	const char *below;
	size_t n_bytes;
	enum bs_status status;
	do {
		*file_out = (struct bs_grep_file){0};
		status = bs_walk_next(self->walk, &below, &n_bytes, err);
		if (status || !below)
			return status;
		status = bs_grep_file_below(self->options, self->root, below, n_bytes, &self->path,
		                            file_out, err);
	} while (!status && is_too_large(self));
	return status;
}

/* Processes the next path of the command line: begins the walk of a folder, or returns a file. */
static enum bs_status next_path(struct walk_source *self, struct bs_grep_file *file_out,
                                struct bs_error *err)
{
	size_t root = self->root = self->next_path++;
	const char *path = self->options->paths[root];
	struct stat found;
	if (strcmp(path, "-") == 0) {
		*file_out = (struct bs_grep_file){.path = NULL,
		                                  .shown = "<stdin>",
		                                  .is_named = true,
		                                  .is_stream = true,
		                                  .root = root};
		return BS_OK;
	}
	if (bs_file_stat(AT_FDCWD, path, &found) != 0) {
		report(self, path, errno);
		forget_bases(self);
		return BS_OK;
	}
	if (S_ISDIR(found.st_mode)) {
		enum bs_status status = open_walk(self, path, err);
		/* Opening the walk reports invalid rules, also if nothing is searched. */
		if (self->options->only_files)
			close_walk(self);
		return status;
	}
	forget_bases(self);
	*file_out =
		(struct bs_grep_file){.path = path,
	                              .shown = path,
	                              .is_named = true,
	                              .is_stream = !S_ISREG(found.st_mode),
	                              .root = root,
	                              .n_bytes = found.st_size > 0 ? (uint64_t)found.st_size : 0};
	return BS_OK;
}

/* *out: --pre applies to this file. The globs of --pre are relative to the working directory. */
static enum bs_status ask_globs(struct walk_source *self, const char *path, bool *out,
                                struct bs_error *err)
{
	struct bs_ignore *globs = self->options->preprocessor_globs;
	enum bs_status status = BS_OK;
	const char *name = strrchr(path, '/');
	struct bs_ignore_entry entry = {.path = (const uint8_t *)path,
	                                .path_bytes = strlen(path),
	                                .name_off = name ? (size_t)(name - path) + 1 : 0};
	size_t off = strncmp(path, "./", 2) == 0 ? 2 : 0;
	if (*path == '/' && !self->current)
		status = bs_file_real_path(".", &self->current, err);
	size_t n = self->current ? strlen(self->current) : 0;
	if (*path == '/' && n > 0 && strncmp(path, self->current, n) == 0 && path[n] == '/')
		off = n + 1;
	enum bs_ignore_verdict verdict = bs_ignore_match(globs, &entry, off);
	*out = verdict == BS_IGNORE_SKIP || (verdict == BS_IGNORE_SILENT && globs->n_plain == 0);
	return status;
}

static enum bs_status choose_packing(struct walk_source *self, struct bs_grep_file *file,
                                     struct bs_error *err)
{
	bool is_for_command = self->options->preprocess;
	enum bs_status status =
		is_for_command ? ask_globs(self, file->shown, &is_for_command, err) : BS_OK;
	if (is_for_command)
		file->packing = BS_GREP_PACKING_COMMAND;
	else if (self->options->search_zip)
		file->packing = bs_grep_packing_of(file->shown);
	return status;
}

static enum bs_status walk_next(struct bs_grep_source *source, struct bs_grep_file *file_out,
                                struct bs_error *err)
{
	struct walk_source *self = (struct walk_source *)(void *)source;
	enum bs_status status = BS_OK;
	*file_out = (struct bs_grep_file){0};
	while (!status && !file_out->shown) {
		if (self->walk) {
			status = next_below(self, file_out, err);
			if (!status && !file_out->shown) {
				close_walk(self);
			}
		} else if (self->next_path < self->options->n_paths) {
			status = next_path(self, file_out, err);
		} else {
			break;
		}
	}
	return !status && file_out->path ? choose_packing(self, file_out, err) : status;
}

static void walk_close(struct bs_grep_source *source)
{
	struct walk_source *self = (struct walk_source *)(void *)source;
	bs_walk_close(self->walk);
	for (size_t i = 0; i < bs_vector_n(&self->roots); i++)
		free(self->roots.items[i]);
	bs_vector_deinit(&self->roots);
	bs_vector_deinit(&self->bases);
	bs_buffer_deinit(&self->path);
	free(self->current);
	free(self);
}

enum bs_status bs_grep_walk_open(const struct bs_grep_walk_options *options,
                                 struct bs_grep_source **source_out, struct bs_error *err)
{
	*source_out = NULL;
	struct walk_source *self = calloc(1, sizeof(*self));
	if (!self)
		return bs_fail_memory(err, "a walk", sizeof(*self));
	self->source = (struct bs_grep_source){.next = walk_next, .close = walk_close};
	self->options = options;
	*source_out = &self->source;
	return BS_OK;
}
