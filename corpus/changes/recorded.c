/* recorded.c: see recorded.h. */
#include "corpus/changes/recorded.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/host.h"
#include "core/bitsift/terminal.h"
#include "corpus/walk/file.h"

/* Overwrites absolute with the NUL-terminated absolute path. A relative path starts at base. */
static enum bs_status make_absolute(const char *base, const char *path, struct bs_buffer *absolute,
                                    struct bs_error *err)
{
	const char *whole = path[0] == '/' ? path : strcmp(path, ".") == 0 ? base : NULL;
	if (!whole)
		return bs_file_join(base, path, strlen(path), absolute, err);
	bs_buffer_clear(absolute);
	return bs_buffer_append(absolute, whole, strlen(whole) + 1, err);
}

/* *base_out: the path, without symlinks, of the folder that contains the index directory. The
 * caller frees it. */
static enum bs_status index_base(const struct bs_dir *dir, char **base_out, struct bs_error *err)
{
	char *base = strdup(dir->place);
	*base_out = base;
	if (!base)
		return bs_fail_memory(err, "a path", strlen(dir->place));
	char *slash = strrchr(base, '/');
	if (slash == base)
		slash++;
	*slash = '\0';
	return BS_OK;
}

const char *bs_recorded_below(const char *base, const char *path)
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

/* Overwrites path with a path to the absolute path `whole` that can be opened from the working
 * directory `here`. It is relative if `whole` is below `here`, or if both are below `base`, the
 * folder that contains the index. `here` and `base` have no symlinks, so ".." removes their last
 * component. */
static enum bs_status from_here(const char *base, const char *here, const char *whole,
                                struct bs_buffer *path, struct bs_error *err)
{
	const char *rest = bs_recorded_below(here, whole);
	enum bs_status status = BS_OK;
	bs_buffer_clear(path);
	if (!rest && bs_recorded_below(base, here) && bs_recorded_below(base, whole))
		status = bs_file_relative_path(here, whole, strlen(whole), path, err);
	else
		/* A file named "-" is spelled "./-", because "-" means standard input. */
		rest = !rest ? whole : strcmp(rest, "-") == 0 ? "./-" : rest;
	return status ? status
	              : bs_buffer_append(path, rest ? rest : "", strlen(rest ? rest : "") + 1, err);
}

static enum bs_status set_down(struct bs_source *source, const char *whole, const char *here,
                               struct bs_error *err)
{
	const char *down = source->kind == BS_SOURCE_FOLDER ? bs_recorded_below(whole, here) : NULL;
	if (!down || strcmp(down, ".") == 0)
		return BS_OK;
	source->down = strdup(down);
	return source->down ? BS_OK : bs_fail_memory(err, "a path", strlen(down));
}

/* Makes the source of a record without asking for consent and without accessing its path. */
static enum bs_status place_source(const char *base, const struct bs_source_record *record,
                                   struct bs_source *source_out, struct bs_error *err)
{
	struct bs_buffer absolute = {0}, path = {0};
	char *here = getcwd(NULL, 0);
	enum bs_status status = BS_OK;
	*source_out = (struct bs_source){.kind = (enum bs_source_kind)record->kind,
	                                 .label = strdup(record->label)};
	if (!source_out->label || (!here && errno == ENOMEM))
		status = bs_fail_memory(err, "a source",
		                        strlen(record->label) + strlen(record->path));
	else if (record->kind == BS_SOURCE_STDIN)
		status = bs_buffer_append(&path, record->path, strlen(record->path) + 1, err);
	else
		status = make_absolute(base, record->path, here ? &absolute : &path, err);
	if (!status && absolute.data)
		status = from_here(base, here, (const char *)absolute.data, &path, err);
	if (!status && absolute.data)
		status = set_down(source_out, (const char *)absolute.data, here, err);
	source_out->path = (char *)path.data;
	free(here);
	bs_buffer_deinit(&absolute);
	return status;
}

/* The absolute path of an existing or removed file, with symlinks resolved except in the last
 * component. */
static enum bs_status make_canonical(const char *path, char **whole_out, struct bs_error *err)
{
	struct bs_buffer joined = {0};
	char *copy = strdup(path), *real = NULL;
	enum bs_status status = copy ? BS_OK : bs_fail_memory(err, "a path", strlen(path));
	for (size_t n = copy ? strlen(copy) : 0; n > 1 && copy[n - 1] == '/'; n--)
		copy[n - 1] = '\0';
	char *slash = copy ? strrchr(copy, '/') : NULL;
	const char *name = slash ? slash + 1 : copy;
	*whole_out = NULL;
	if (!status && (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)) {
		status = bs_file_real_path(copy, whole_out, err);
	} else if (!status) {
		if (slash)
			*slash = '\0';
		status = bs_file_real_path(!slash ? "." : *copy ? copy : "/", &real, err);
		if (!status && real)
			status = bs_file_join(real, name, strlen(name), &joined, err);
		*whole_out = (char *)joined.data;
	}
	/* Without a real path: the parent does not exist or cannot be searched. */
	if (!status && !*whole_out && (real = getcwd(NULL, 0)) == NULL)
		status = bs_fail(err, BS_IO, "the current directory: %s", strerror(errno));
	if (!status && !*whole_out) {
		status = make_absolute(real, path, &joined, err);
		*whole_out = (char *)joined.data;
	}
	free(copy);
	free(real);
	return status;
}

enum bs_status bs_recorded_path(const struct bs_dir *dir, const struct bs_source *source,
                                char **path_out, struct bs_error *err)
{
	char *base = NULL, *whole = NULL;
	*path_out = NULL;
	if (source->kind == BS_SOURCE_STDIN) {
		*path_out = strdup("-");
		return *path_out ? BS_OK : bs_fail_memory(err, "a path", 2);
	}
	enum bs_status status = index_base(dir, &base, err);
	if (!status)
		status = make_canonical(source->path, &whole, err);
	if (!status) {
		const char *rest = bs_recorded_below(base, whole);
		/* A file named "-" is recorded as "./-", because "-" is the recorded path of
		 * standard input. */
		*path_out = strdup(!rest ? whole : strcmp(rest, "-") == 0 ? "./-" : rest);
		status = *path_out ? BS_OK : bs_fail_memory(err, "a path", strlen(whole));
	}
	free(base);
	free(whole);
	return status;
}

enum bs_status bs_recorded_canonical(const struct bs_dir *dir, enum bs_source_kind kind,
                                     const char *path, bool is_refused, char **place_out,
                                     struct bs_error *err)
{
	char *base = NULL;
	struct bs_buffer whole = {0};
	*place_out = NULL;
	if (kind == BS_SOURCE_STDIN || kind == BS_SOURCE_FORGOTTEN)
		return BS_OK;
	enum bs_status status = index_base(dir, &base, err);
	if (!status)
		status = make_absolute(base, path, &whole, err);
	if (!status && !is_refused)
		status = bs_file_real_path((const char *)whole.data, place_out, err);
	if (status || *place_out)
		bs_buffer_deinit(&whole);
	else
		*place_out = (char *)whole.data;
	free(base);
	return status;
}

static bool has_step_up(const char *path)
{
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += strspn(at, "/");
		if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || !at[2]))
			return true;
	}
	return false;
}

static bool is_outside(const struct bs_dir *dir, const char *base, const char *path)
{
	const char *rest = path[0] == '/' ? bs_recorded_below(base, path) : path;
	if (!rest || has_step_up(rest))
		return true;
	return strcmp(rest, ".") != 0 && !bs_dir_parent_contains(dir, rest);
}

/* *may_out: the source may be read, because it is in the folder of the index, the user named it, or
 * the host consents. */
static enum bs_status may_follow(const struct bs_dir *dir, const char *base,
                                 const struct bs_source_record *record, bool *may_out,
                                 struct bs_error *err)
{
	const struct bs_consent *consent = dir->consent;
	bool is_open =
		record->kind == BS_SOURCE_STDIN || record->is_named || (consent && consent->all);
	*may_out = record->kind != BS_SOURCE_FORGOTTEN &&
	           (is_open || !is_outside(dir, base, record->path));
	if (*may_out || record->kind == BS_SOURCE_FORGOTTEN || !consent || !consent->follows)
		return BS_OK;
	struct bs_buffer path = {0};
	enum bs_status status = make_absolute(base, record->path, &path, err);
	*may_out =
		!status && consent->follows(consent->context, dir->place, (const char *)path.data);
	bs_buffer_deinit(&path);
	return status;
}

enum bs_status bs_recorded_name(const struct bs_dir *dir, struct bs_source_record *record,
                                struct bs_error *err)
{
	const struct bs_consent *consent = dir->consent;
	char *base = NULL;
	struct bs_buffer path = {0};
	enum bs_status status = index_base(dir, &base, err);
	if (!status && record->kind != BS_SOURCE_STDIN && consent && consent->named &&
	    is_outside(dir, base, record->path)) {
		status = make_absolute(base, record->path, &path, err);
		if (!status)
			consent->named(consent->context, dir->place, (const char *)path.data);
	}
	record->is_named = true;
	free(base);
	bs_buffer_deinit(&path);
	return status;
}

static uint64_t line_of(const struct bs_doc_record *record)
{
	return record->flags & BS_DOC_NAMED_BY_LINE ? record->place[2] : 0;
}

enum bs_status bs_recorded_id(const struct bs_source *source, const struct bs_doc_record *record,
                              struct bs_buffer *id, struct bs_error *err)
{
	bs_buffer_clear(id);
	return bs_source_append_id(source, record->name, record->name_bytes, line_of(record), id,
	                           err);
}

enum bs_status bs_recorded_local_id(const struct bs_source *source,
                                    const struct bs_doc_record *record, struct bs_buffer *id,
                                    struct bs_error *err)
{
	bs_buffer_clear(id);
	return bs_source_append_local_id(source, record->name, record->name_bytes, line_of(record),
	                                 id, err);
}

/* Sets *standing_out to EMPTY if the folder contains nothing but the index, otherwise to THERE. */
static enum bs_status look_into(const struct bs_dir *dir, const char *path,
                                enum bs_source_presence *standing_out, struct bs_error *why)
{
	const struct dirent *entry = NULL;
	DIR *folder = opendir(path);
	bool is_empty = folder != NULL;
	int error = folder ? 0 : errno;
	while (is_empty && !error) {
		struct stat found;
		errno = 0;
		entry = readdir(folder);
		error = errno;
		if (!entry)
			break;
		is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		           (fstatat(dirfd(folder), entry->d_name, &found, 0) == 0 &&
		            S_ISDIR(found.st_mode) && found.st_dev == dir->device &&
		            found.st_ino == dir->inode);
	}
	if (folder)
		(void)closedir(folder);
	if (error)
		return bs_fail(why, bs_file_status(error), "%s: %s", path, strerror(error));
	*standing_out = is_empty ? BS_STANDING_EMPTY : BS_STANDING_THERE;
	return BS_OK;
}

enum bs_status bs_recorded_look(const struct bs_dir *dir, const struct bs_source *source,
                                enum bs_source_presence *standing_out, struct bs_error *why,
                                struct bs_error *err)
{
	struct bs_source found;
	*standing_out = BS_STANDING_THERE;
	if (source->kind == BS_SOURCE_STDIN || source->kind == BS_SOURCE_FORGOTTEN)
		return BS_OK;
	enum bs_status status = bs_source_init(&found, source->path, why);
	if (!status) {
		if (found.kind == BS_SOURCE_FOLDER)
			status = look_into(dir, found.path, standing_out, why);
		bs_source_deinit(&found);
	}
	if (bs_is_fatal(status))
		return bs_fail(err, status, "%s", why->text);
	if (status)
		*standing_out = status == BS_NOT_FOUND ? BS_STANDING_GONE : BS_STANDING_UNREAD;
	return BS_OK;
}

bool bs_recorded_has_documents(const struct bs_snapshot *snapshot, uint32_t number)
{
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		const struct bs_doc_table *docs = &snapshot->segments[s].docs;
		for (uint32_t i = 0; bs_snapshot_has_words(snapshot, s) && i < docs->n_ranges;
		     i++) {
			struct bs_source_range range = bs_doc_table_range(docs, i);
			if (bs_manifest_root(&snapshot->manifest, range.source) == number &&
			    bs_snapshot_n_live(snapshot, s, range.first, range.end) > 0)
				return true;
		}
	}
	return false;
}

enum bs_status bs_recorded_refuse(const struct bs_dir *dir, const struct bs_source *source,
                                  struct bs_error *err)
{
	(void)bs_fail(err, BS_UNTRUSTED,
	              "%s: not followed: outside the folder of the index, and not named by you",
	              source->path);
	bs_advise(err,
	          "; to consent: ", (const char *const[]){"bitsift", "trust", dir->place, NULL});
	return BS_UNTRUSTED;
}

enum bs_status bs_recorded_root(const struct bs_dir *dir, const struct bs_source_record *record,
                                struct bs_source *source_out, struct bs_error *err)
{
	char *base = NULL;
	bool may = false;
	*source_out = (struct bs_source){.label = NULL};
	enum bs_status status = index_base(dir, &base, err);
	if (!status)
		status = place_source(base, record, source_out, err);
	/* Globs and ignore rules refer to the recorded path, which differs here from the path from
	 * the working directory. */
	if (!status && record->kind != BS_SOURCE_STDIN && record->path[0] != '/' &&
	    strcmp(source_out->path, record->path) != 0) {
		source_out->shown = strdup(record->path);
		if (!source_out->shown)
			status = bs_fail_memory(err, "a source", strlen(record->path));
	}
	if (!status)
		status = may_follow(dir, base, record, &may, err);
	source_out->is_refused = !may;
	if (status)
		bs_source_deinit(source_out);
	free(base);
	return status;
}

enum bs_status bs_recorded_inner(const struct bs_source *folder,
                                 const struct bs_source_record *record,
                                 struct bs_source *source_out, struct bs_error *err)
{
	struct bs_buffer path = {0};
	const uint8_t *below = (const uint8_t *)record->path;
	enum bs_status status =
		bs_source_append_local_id(folder, below, strlen(record->path), 0, &path, err);
	if (!status)
		status = bs_buffer_append(&path, "", 1, err);
	*source_out = (struct bs_source){
		.kind = (enum bs_source_kind)record->kind,
		.is_inner = true,
		.is_refused = folder->is_refused,
		.is_anew = folder->is_anew,
		.folder = strdup(folder->path),
		.below = strdup(record->path),
		.label = strdup(record->label),
		.path = (char *)path.data,
	};
	if (!status && (!source_out->folder || !source_out->below || !source_out->label))
		status = bs_fail_memory(err, "a source",
		                        strlen(folder->path) + strlen(record->label));
	if (status)
		bs_source_deinit(source_out);
	return status;
}

typedef enum bs_status (*root_fn)(const struct bs_dir *dir, const struct bs_source_record *record,
                                  struct bs_source *source_out, struct bs_error *err);

static enum bs_status make_source(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  uint32_t i, root_fn make, struct bs_source *source_out,
                                  struct bs_error *err)
{
	const struct bs_source_record *record = &manifest->sources[i];
	struct bs_source folder;
	if (!record->parent)
		return make(dir, record, source_out, err);
	enum bs_status status = make(dir, &manifest->sources[record->parent - 1], &folder, err);
	*source_out = (struct bs_source){.label = NULL};
	if (status)
		return status;
	status = bs_recorded_inner(&folder, record, source_out, err);
	bs_source_deinit(&folder);
	return status;
}

enum bs_status bs_recorded_source(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  uint32_t i, struct bs_source *source_out, struct bs_error *err)
{
	return make_source(dir, manifest, i, bs_recorded_root, source_out, err);
}

static enum bs_status place_root(const struct bs_dir *dir, const struct bs_source_record *record,
                                 struct bs_source *source_out, struct bs_error *err)
{
	char *base = NULL;
	*source_out = (struct bs_source){.label = NULL};
	enum bs_status status = index_base(dir, &base, err);
	if (!status)
		status = place_source(base, record, source_out, err);
	if (status)
		bs_source_deinit(source_out);
	free(base);
	return status;
}

enum bs_status bs_recorded_place(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 uint32_t i, struct bs_source *source_out, struct bs_error *err)
{
	return make_source(dir, manifest, i, place_root, source_out, err);
}

enum bs_status bs_recorded_places(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  struct bs_source **sources_out, struct bs_error *err)
{
	size_t n_bytes = ((size_t)manifest->n_sources + 1) * sizeof(**sources_out);
	struct bs_source *sources = *sources_out = calloc(1, n_bytes);
	enum bs_status status = sources ? BS_OK : bs_fail_memory(err, "sources", n_bytes);
	for (uint32_t i = 0; i < manifest->n_sources && !status; i++)
		status = bs_recorded_place(dir, manifest, i, &sources[i], err);
	return status;
}

void bs_recorded_places_free(struct bs_source *sources, uint32_t n_sources)
{
	for (uint32_t i = 0; sources && i < n_sources; i++)
		bs_source_deinit(&sources[i]);
	free(sources);
}

enum bs_status bs_recorded_check(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < manifest->n_sources && !status; i++) {
		struct bs_source source;
		if (manifest->sources[i].parent)
			continue;
		status = bs_recorded_root(dir, &manifest->sources[i], &source, err);
		if (!status && source.is_refused && source.kind != BS_SOURCE_FORGOTTEN)
			status = bs_recorded_refuse(dir, &source, err);
		bs_source_deinit(&source);
	}
	return status;
}

struct bs_source_options bs_recorded_options(const struct bs_recorded_options *options,
                                             const struct bs_dir *dir)
{
	struct bs_source_options out = {
		.hidden = options->hidden,
		.no_ignore = options->no_ignore,
		.binary_as_text = options->binary_as_text,
		.max_document_bytes = bs_max_document(options),
		.globs = (const char *const *)options->globs,
		.n_globs = bs_strings_length(options->globs),
		.reads_records = options->reads_records,
		.records = (const char *const *)options->records,
		.id_field = options->id_field,
		.text_fields = (const char *const *)options->text_fields,
		.n_text_fields = bs_strings_length(options->text_fields),
	};
	if (dir) {
		out.skip_device = dir->device;
		out.skip_inode = dir->inode;
	}
	return out;
}
