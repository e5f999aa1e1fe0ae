/* sqlite_files.c: see sqlite_files.h. */
#include "bindings/sqlite/index/sqlite_files.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/sqlite/base/sqlite_base.h"
#include "core/bitsift/memory_index.h"

SQLITE_EXTENSION_INIT3

#define MANIFEST "manifest"

struct bsql_file {
	char name[BS_MEMORY_INDEX_NAME_BYTES];
	uint64_t sum;
};

/* The names and checksums of the files that t_files has. */
struct list {
	struct bsql_file *files;
	size_t n, capacity;
};

void bsql_files_deinit(struct bsql_files *files)
{
	bs_memory_index_free(files->memory);
	free(files->known);
	*files = (struct bsql_files){.memory = NULL};
}

int bsql_files_make(struct bsql_files *files, struct bsql_shadow *shadow)
{
	bsql_files_deinit(files);
	return bsql_code_of(bs_memory_index_new(&files->memory, &shadow->err));
}

static struct bsql_file *find_file(const struct bsql_files *files, const char *name)
{
	for (size_t i = 0; i < files->n_known; i++)
		if (strcmp(files->known[i].name, name) == 0)
			return &files->known[i];
	return NULL;
}

static int know_file(struct bsql_files *files, const char *name, uint64_t sum)
{
	struct bsql_file *file = find_file(files, name);
	if (!file &&
	    bsql_grow(&files->known, files->n_known, &files->capacity, sizeof(*files->known)))
		return SQLITE_NOMEM;
	if (!file)
		file = &files->known[files->n_known++];
	strncpy(file->name, name, sizeof(file->name) - 1);
	file->name[sizeof(file->name) - 1] = '\0';
	file->sum = sum;
	return SQLITE_OK;
}

static void forget_file(struct bsql_files *files, struct bsql_file *file)
{
	*file = files->known[--files->n_known];
}

/* True for files that are stored in t_files; lock files, for example, are not. */
static bool is_kept(const char *name)
{
	return strcmp(name, MANIFEST) == 0 || strncmp(name, "seg-", 4) == 0 ||
	       strncmp(name, "del-", 4) == 0 || strncmp(name, "exc-", 4) == 0 ||
	       strncmp(name, "summary-", 8) == 0;
}

static bool has_file(const struct bsql_files *files, const char *name)
{
	struct bs_memory_index_file file;
	for (size_t i = 0; i < bs_memory_index_n_files(files->memory); i++)
		if (!bs_memory_index_file_at(files->memory, i, &file, NULL) &&
		    strcmp(file.name, name) == 0)
			return true;
	return false;
}

bool bsql_files_have_index(const struct bsql_files *files)
{
	return has_file(files, MANIFEST);
}

void bsql_files_forget_changed(struct bsql_files *files)
{
	for (size_t i = 0; i < files->n_known;)
		if (strcmp(files->known[i].name, MANIFEST) == 0 ||
		    !has_file(files, files->known[i].name))
			forget_file(files, &files->known[i]);
		else
			i++;
}

static int take_name(struct list *list, struct bsql_shadow *shadow, sqlite3_stmt *statement)
{
	const char *name = (const char *)sqlite3_column_text(statement, 0);
	int code = bsql_grow(&list->files, list->n, &list->capacity, sizeof(*list->files));
	if (code)
		return code;
	if (!name || !is_kept(name) || strlen(name) >= BS_MEMORY_INDEX_NAME_BYTES) {
		(void)bs_fail(&shadow->err, BS_OK, "%s_files: invalid file name: %s",
		              shadow->declaration->table, name ? name : "NULL");
		return SQLITE_CORRUPT_VTAB;
	}
	struct bsql_file *file = &list->files[list->n++];
	strcpy(file->name, name);
	file->sum = (uint64_t)sqlite3_column_int64(statement, 1);
	return SQLITE_OK;
}

/* list->files must be freed with free(), even after a failure. */
static int read_list(struct bsql_shadow *shadow, struct list *list)
{
	sqlite3_stmt *statement;
	*list = (struct list){.n = 0};
	int code = bsql_shadow_statement(shadow, BSQL_FILES, &statement);
	if (code)
		return code;
	while (!code && (code = bsql_shadow_step(shadow, statement)) == SQLITE_ROW)
		code = take_name(list, shadow, statement);
	sqlite3_reset(statement);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static bool is_listed(const struct bsql_file *files, size_t n, const struct bsql_file *file)
{
	for (size_t i = 0; i < n; i++)
		if (files[i].sum == file->sum && strcmp(files[i].name, file->name) == 0)
			return true;
	return false;
}

static int load_file(struct bsql_files *files, struct bsql_shadow *shadow,
                     const struct bsql_file *file)
{
	void *bytes;
	size_t n_bytes;
	int code = bsql_shadow_load_file(shadow, file->name, file->sum, &bytes, &n_bytes);
	if (!code)
		code = bsql_code_of(bs_memory_index_put(files->memory, file->name,
		                                        bytes ? bytes : "", n_bytes, &shadow->err));
	if (!code)
		code = know_file(files, file->name, file->sum);
	free(bytes);
	return code;
}

/* Removes from memory all files but those known to be equal to files of t_files (`list`). */
static int drop_others(struct bsql_files *files, struct bsql_shadow *shadow,
                       const struct list *list)
{
	struct bs_memory_index_file file;
	int code = SQLITE_OK;
	for (size_t i = 0; i < bs_memory_index_n_files(files->memory) && !code;) {
		code = bsql_code_of(bs_memory_index_file_at(files->memory, i, &file, &shadow->err));
		const struct bsql_file *known = code ? NULL : find_file(files, file.name);
		if (!code && known && is_listed(list->files, list->n, known))
			i++;
		else if (!code)
			bs_memory_index_remove(files->memory, file.name);
	}
	for (size_t i = 0; i < files->n_known;)
		if (is_listed(list->files, list->n, &files->known[i]))
			i++;
		else
			forget_file(files, &files->known[i]);
	return code;
}

int bsql_files_load(struct bsql_files *files, struct bsql_shadow *shadow)
{
	struct list list = {.n = 0};
	int code = files->memory ? SQLITE_OK : bsql_files_make(files, shadow);
	if (!code)
		code = read_list(shadow, &list);
	if (!code)
		code = drop_others(files, shadow, &list);
	for (size_t i = 0; i < list.n && !code; i++)
		if (!is_listed(files->known, files->n_known, &list.files[i]))
			code = load_file(files, shadow, &list.files[i]);
	free(list.files);
	return code;
}

/* Stores the file in t_files. Does nothing if t_files has the file already (`list`), or if the file
 * is not one to be stored (is_kept). */
static int save_file(struct bsql_files *files, struct bsql_shadow *shadow, const struct list *list,
                     const struct bs_memory_index_file *file)
{
	const struct bsql_file *known = find_file(files, file->name);
	if (!is_kept(file->name) || (known && is_listed(list->files, list->n, known)))
		return SQLITE_OK;
	uint64_t sum = bsql_checksum(file->bytes, file->n_bytes);
	int code = bsql_shadow_save_file(shadow, file->name, sum, file->bytes, file->n_bytes);
	return code ? code : know_file(files, file->name, sum);
}

int bsql_files_save(struct bsql_files *files, struct bsql_shadow *shadow)
{
	struct bs_memory_index_file file;
	struct list list;
	int code = read_list(shadow, &list);
	for (size_t i = 0; i < bs_memory_index_n_files(files->memory) && !code; i++) {
		code = bsql_code_of(bs_memory_index_file_at(files->memory, i, &file, &shadow->err));
		if (!code)
			code = save_file(files, shadow, &list, &file);
	}
	for (size_t i = 0; i < list.n && !code; i++)
		if (!has_file(files, list.files[i].name))
			code = bsql_shadow_delete_file(shadow, list.files[i].name);
	free(list.files);
	return code;
}
