/* recorded.c: see recorded.h. */
#include "corpus/recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* a, "/" and b in one new string. */
static char *join_paths(const char *a, const char *b)
{
	size_t a_bytes = strlen(a);
	bool slash = a_bytes > 0 && a[a_bytes - 1] != '/';
	char *path = malloc(a_bytes + strlen(b) + 2);
	if (!path)
		return NULL;
	memcpy(path, a, a_bytes);
	path[a_bytes] = '/';
	strcpy(path + a_bytes + slash, b);
	return path;
}

/* The folder in which the index directory lies, without a link in it. */
static enum bs_status index_base(const char *index_dir, char **base_out, struct bs_error *err)
{
	char *base = realpath(index_dir, NULL);
	*base_out = base;
	if (!base)
		return bs_fail(err, BS_IO, "%s: %s", index_dir, strerror(errno));
	char *slash = strrchr(base, '/');
	if (slash == base)
		slash++;
	*slash = '\0';
	return BS_OK;
}

/* What remains of path below base, "." for base itself, NULL if it is not below. */
static const char *below(const char *base, const char *path)
{
	size_t n = strlen(base);
	if (strncmp(path, base, n) != 0)
		return NULL;
	if (n > 0 && base[n - 1] == '/')
		return path[n] ? path + n : ".";
	if (path[n] == '\0')
		return ".";
	return path[n] == '/' ? path + n + 1 : NULL;
}

enum bs_status bs_recorded_path(const char *index_dir, const struct bs_source *source, char **path_out,
                                struct bs_error *err)
{
	char *base = NULL;
	char *here = NULL;
	char *absolute = NULL;
	*path_out = NULL;
	if (source->kind == BS_SOURCE_STDIN) {
		*path_out = strdup("-");
		return *path_out ? BS_OK : bs_fail_memory(err, "a path", 2);
	}
	enum bs_status status = index_base(index_dir, &base, err);
	if (status)
		goto out;
	here = getcwd(NULL, 0);
	if (!here) {
		status = bs_fail(err, BS_IO, "the current directory: %s", strerror(errno));
		goto out;
	}
	const char *path = source->path;
	while (strncmp(path, "./", 2) == 0)
		path++, path += strspn(path, "/");
	if (path[0] == '/')
		absolute = strdup(path);
	else
		absolute = strcmp(path, ".") == 0 || path[0] == '\0' ? strdup(here) : join_paths(here, path);
	if (absolute) {
		for (size_t n = strlen(absolute); n > 1 && absolute[n - 1] == '/'; n--)
			absolute[n - 1] = '\0';
		const char *rest = below(base, absolute);
		*path_out = strdup(rest ? rest : absolute);
	}
	if (!*path_out)
		status = bs_fail_memory(err, "a path", strlen(path));
out:
	free(base);
	free(here);
	free(absolute);
	return status;
}

enum bs_status bs_recorded_source(const char *index_dir, const struct bs_source_record *record,
                                  struct bs_source *source_out, struct bs_error *err)
{
	char *base = NULL;
	char *here = NULL;
	*source_out = (struct bs_source){.kind = (enum bs_source_kind)record->kind};
	enum bs_status status = index_base(index_dir, &base, err);
	if (status)
		return status;
	here = getcwd(NULL, 0);
	bool is_as_it_is = record->path[0] == '/' || record->kind == BS_SOURCE_STDIN || (here && strcmp(here, base) == 0);
	source_out->label = strdup(record->label);
	bool is_base = strcmp(record->path, ".") == 0;
	if (is_as_it_is || is_base)
		source_out->path = strdup(is_as_it_is ? record->path : base);
	else
		source_out->path = join_paths(base, record->path);
	if (!source_out->label || !source_out->path) {
		bs_source_deinit(source_out);
		status = bs_fail_memory(err, "a source", strlen(record->path));
	}
	free(base);
	free(here);
	return status;
}

struct bs_source_options bs_recorded_options(const struct bs_index_options *options, const char *index_dir)
{
	struct bs_source_options out = {
		.hidden = options->hidden,
		.no_ignore = options->no_ignore,
		.binary_as_text = options->binary_as_text,
		.max_document_bytes = options->max_document,
		.globs = (const char *const *)options->globs,
		.n_globs = bs_list_length(options->globs),
		.id_field = options->id_field,
		.text_fields = (const char *const *)options->text_fields,
		.n_text_fields = bs_list_length(options->text_fields),
	};
	struct stat info;
	if (index_dir && stat(index_dir, &info) == 0) {
		out.skip_device = info.st_dev;
		out.skip_inode = info.st_ino;
	}
	return out;
}
