/* catalog.c: functions of bitsift/catalog.h that open, describe, change, check, export and import a
 * catalog. */
#include "core/bitsift/catalog.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/catalog/catalog_look.h"
#include "core/simd/kernels.h"
#include "query/catalog/catalog_handle.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Resolves a symlink. The lock, and the replacement of the catalog file, then concern the target,
 * whichever link or name the catalog was opened by. */
static char *follow_link(const char *file)
{
	struct stat found;
	char *real =
		lstat(file, &found) == 0 && S_ISLNK(found.st_mode) ? realpath(file, NULL) : NULL;
	return real ? real : strdup(file);
}

/* Opens the folder of a file. *name_out: the file's name in it. */
static enum bs_status open_folder(const char *path, const struct bs_consent *consent,
                                  struct bs_dir *dir, char **name_out, struct bs_error *err)
{
	char *file = follow_link(path);
	*name_out = NULL;
	if (!file)
		return bs_fail_memory(err, "a path", strlen(path));
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	char *folder =
		slash ? strndup(file, slash == file ? 1 : (size_t)(slash - file)) : strdup(".");
	*name_out = strdup(name);
	enum bs_status status =
		folder && *name_out ? BS_OK : bs_fail_memory(err, "a path", strlen(file));
	if (!status && !*name)
		status =
			bs_fail(err, BS_INVALID, "%s: not the name of a file", *file ? file : "''");
	if (!status)
		status = bs_dir_open(dir, folder, NULL, consent, err);
	if (status == BS_NOT_FOUND)
		status = bs_fail(err, status, "%s: no such folder", folder);
	free(folder);
	free(file);
	if (status) {
		free(*name_out);
		*name_out = NULL;
	}
	return status;
}

enum bs_status bs_catalog_open(const struct bs_catalog_request *request,
                               struct bs_catalog **catalog_out, struct bs_error *err)
{
	const struct bs_kernel *kernel;
	*catalog_out = NULL;
	enum bs_status status = BS_CHECK_RESERVED(err, BS_RESERVED(bs_catalog_request, *request),
	                                          BS_RESERVED(bs_host, request->host));
	if (!status)
		status = bs_kernel_choose(request->kernel, &kernel, err);
	struct bs_catalog *catalog = status ? NULL : calloc(1, sizeof(*catalog));
	if (!catalog)
		return status ? status : bs_fail_memory(err, "a catalog", sizeof(*catalog));
	catalog->consent = request->host.consent;
	catalog->analyzer = request->host.analyzer;
	catalog->kernel = request->kernel;
	catalog->log = request->host.log;
	status = open_folder(request->file, request->host.consent, &catalog->dir, &catalog->name,
	                     err);
	if (status) {
		free(catalog);
		return status;
	}
	status = bs_catalog_file_open(&catalog->dir, catalog->name, &catalog->file, err);
	if (status) {
		bs_catalog_close(catalog);
		return status;
	}
	*catalog_out = catalog;
	return BS_OK;
}

void bs_catalog_close(struct bs_catalog *catalog)
{
	if (!catalog)
		return;
	bs_catalog_file_close(&catalog->file);
	bs_dir_close(&catalog->dir);
	free(catalog->name);
	free(catalog);
}

bool bs_catalog_describe(struct bs_catalog *catalog, size_t i, struct bs_catalog_entry *entry)
{
	if (i >= catalog->file.n_items)
		return false;
	const struct bs_catalog_item *item = &catalog->file.items[i];
	struct bs_catalog_word word = {.offset = 0};
	uint64_t fingerprint[BS_CATALOG_FINGERPRINTS];
	bool is_there = true;
	*entry = (struct bs_catalog_entry){
		.name = item->name,
		.place = item->place,
		.is_imported = item->flags & BS_CATALOG_IMPORTED,
		.has_summary = item->flags & BS_CATALOG_SUMMARY,
		.n_docs = item->n_docs,
		.n_positions = item->n_positions,
		.generation = item->generation,
		.summary_bytes = item->flags & BS_CATALOG_SUMMARY ? item->summary.n_bytes : 0,
	};
	if (bs_catalog_fingerprint(item->place, fingerprint, NULL) != BS_OK)
		entry->state = BS_CATALOG_UNREACHABLE;
	else if (entry->is_imported ||
	         memcmp(fingerprint, item->fingerprint, sizeof(fingerprint)) != 0)
		entry->state = BS_CATALOG_CHANGED;
	while (bs_catalog_next_word(item, &word, &is_there, NULL) == BS_OK && is_there)
		entry->n_words++;
	bs_buffer_deinit(&word.word);
	return true;
}

static struct bs_catalog_item *find_item(const struct bs_catalog_change *change, const char *name,
                                         const char *place)
{
	for (size_t i = 0; i < change->n_items; i++)
		if ((name && strcmp(change->items[i]->name, name) == 0) ||
		    (place && strcmp(change->items[i]->place, place) == 0))
			return change->items[i];
	return NULL;
}

static enum bs_status check_name(const char *name, struct bs_error *err)
{
	bool is_name = *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	for (const char *at = name; *at; at++)
		is_name &= (unsigned char)*at >= ' ' && *at != ':' && *at != 0x7f;
	return is_name ? BS_OK
	               : bs_fail(err, BS_INVALID,
	                         "%s: not an index name: it must have letters, and no : or control "
	                         "character",
	                         *name ? name : "''");
}

/* Names an index after its path without /.bitsift: the last components, as many as make the name
 * unique. Invalid characters become _. */
static enum bs_status make_name(const struct bs_catalog_change *change,
                                struct bs_catalog_item *item, struct bs_error *err)
{
	char *folder = strdup(item->place);
	if (!folder)
		return bs_fail_memory(err, "a name", strlen(item->place));
	char *slash = strrchr(folder, '/');
	if (strcmp(slash, "/.bitsift") == 0 && slash > folder)
		*slash = '\0';
	for (char *at = folder; *at; at++)
		if ((unsigned char)*at < ' ' || *at == ':' || *at == 0x7f)
			*at = '_';
	const char *name = strrchr(folder, '/') + 1;
	while (name > folder + 1 && (!*name || find_item(change, name, NULL)))
		for (name -= 2; name > folder && name[-1] != '/'; name--)
			;
	item->name = strdup(*name ? name : "root");
	free(folder);
	if (!item->name)
		return bs_fail_memory(err, "a name", strlen(item->place));
	return find_item(change, item->name, NULL)
	               ? bs_fail(err, BS_INVALID, "%s: another index has that name: choose one",
	                         item->name)
	               : BS_OK;
}

static enum bs_status give_name(const struct bs_catalog_change *change,
                                struct bs_catalog_item *item, const char *name,
                                struct bs_error *err)
{
	const struct bs_catalog_item *other = name ? find_item(change, name, NULL) : NULL;
	if (!name)
		return item->name ? BS_OK : make_name(change, item, err);
	if (other && other != item)
		return bs_fail(err, BS_INVALID, "%s: this name is already used by %s", name,
		               other->place);
	free(item->name);
	item->name = strdup(name);
	return item->name ? BS_OK : bs_fail_memory(err, "a name", strlen(name));
}

/* Adds an item to the list, or replaces the item of the same index. */
static enum bs_status put_item(struct bs_catalog_change *change, struct bs_catalog_item *added,
                               const char *name, struct bs_error *err)
{
	struct bs_catalog_item *item = find_item(change, NULL, added->place);
	if (!item) {
		enum bs_status status = give_name(change, added, name, err);
		if (!status)
			change->items[change->n_items++] = added;
		return status;
	}
	if (item == added)
		return BS_OK;
	added->name = item->name;
	item->name = NULL;
	bs_catalog_item_deinit(item);
	*item = *added;
	*added = (struct bs_catalog_item){.flags = 0};
	return give_name(change, item, name, err);
}

enum bs_status bs_catalog_add(struct bs_catalog *catalog, const char *const *dirs, size_t n_dirs,
                              const char *name, struct bs_error *err)
{
	struct bs_catalog_item *added = calloc(n_dirs + 1, sizeof(*added));
	struct bs_catalog_change change;
	enum bs_status status =
		added ? BS_OK : bs_fail_memory(err, "a catalog", n_dirs * sizeof(*added));
	if (!status && name)
		status = n_dirs == 1 ? check_name(name, err)
		                     : bs_fail(err, BS_INVALID,
		                               "%s: a name requires exactly one index", name);
	for (size_t i = 0; i < n_dirs && !status; i++)
		status = bs_catalog_look(dirs[i], catalog->consent, &added[i], err);
	if (!status) {
		status = bs_catalog_begin_change(catalog, true, n_dirs, &change, err);
		for (size_t i = 0; i < n_dirs && !status; i++)
			status = put_item(&change, &added[i], name, err);
		status = bs_catalog_end_change(catalog, &change, status, err);
	}
	for (size_t i = 0; i < n_dirs && added; i++)
		bs_catalog_item_deinit(&added[i]);
	free(added);
	return status;
}

enum bs_status bs_catalog_remove(struct bs_catalog *catalog, const char *name, struct bs_error *err)
{
	struct bs_catalog_change change;
	enum bs_status status = bs_catalog_begin_change(catalog, true, 0, &change, err);
	if (!status) {
		char *place = realpath(name, NULL);
		const struct bs_catalog_item *item = find_item(&change, name, NULL);
		if (!item)
			item = find_item(&change, NULL, place ? place : name);
		free(place);
		size_t n = 0;
		for (size_t i = 0; i < change.n_items; i++)
			if (change.items[i] != item)
				change.items[n++] = change.items[i];
		if (n == change.n_items)
			status = bs_fail(err, BS_NOT_FOUND, "%s: not in the catalog", name);
		change.n_items = n;
	}
	return bs_catalog_end_change(catalog, &change, status, err);
}

enum bs_status bs_catalog_refresh(struct bs_catalog *catalog,
                                  void (*notice)(void *context, const char *message), void *context,
                                  uint64_t *n_changed_out, uint64_t *n_unreachable_out,
                                  struct bs_error *err)
{
	struct bs_unavailable_policy absence = {
		.partial = true, .not_done = "", .notice = notice, .context = context};
	uint64_t n_changed = 0;
	struct bs_catalog_change change;
	struct bs_catalog_file before = catalog->file;
	enum bs_status status = bs_catalog_begin_change(catalog, true, 0, &change, err);
	if (!status && !(absence.is_absent = calloc(change.file.n_items + 1, sizeof(bool))))
		status = bs_fail_memory(err, "a catalog", change.file.n_items);
	if (!status) {
		/* bs_catalog_look_at_all updates catalog->file, so the list that was just read from
		 * disk takes its place for the call. */
		catalog->file = change.file;
		status = bs_catalog_look_at_all(catalog, &absence, &n_changed, err);
		catalog->file = before;
		change.is_none = n_changed == 0;
	}
	free(absence.is_absent);
	if (n_changed_out)
		*n_changed_out = n_changed;
	if (n_unreachable_out)
		*n_unreachable_out = absence.n;
	return bs_catalog_end_change(catalog, &change, status, err);
}

/* Checks every byte of the catalog file, and the content of its items. */
static enum bs_status check_file(const struct bs_catalog_file *catalog, struct bs_error *err)
{
	const struct bs_container *file = catalog->container;
	enum bs_status status = file ? bs_container_check_layout(file, err) : BS_OK;
	for (size_t i = 0; file && i < bs_container_n_sections(file) && !status; i++) {
		uint32_t instance;
		struct bs_section section = bs_container_section_at(file, i, &instance);
		status = bs_section_touch(&section, 0, section.n_bytes, err);
	}
	for (size_t i = 0; i < catalog->n_items && !status; i++)
		status = bs_catalog_item_check(&catalog->items[i], err);
	return status;
}

enum bs_status bs_catalog_check(struct bs_catalog *catalog, struct bs_error *err)
{
	return check_file(&catalog->file, err);
}

enum bs_status bs_catalog_export(struct bs_catalog *catalog, const char *path, struct bs_error *err)
{
	struct bs_dir dir;
	char *name;
	size_t n = catalog->file.n_items;
	struct bs_catalog_item **items = malloc((n + 1) * sizeof(*items));
	if (!items)
		return bs_fail_memory(err, "a catalog", n * sizeof(*items));
	for (size_t i = 0; i < n; i++)
		items[i] = &catalog->file.items[i];
	enum bs_status status = open_folder(path, catalog->consent, &dir, &name, err);
	if (status) {
		free(items);
		return status;
	}
	if (bs_dir_has(&dir, name))
		status = bs_fail(err, BS_INVALID, "%s: already exists", path);
	if (!status)
		status = bs_catalog_file_write(&dir, name, items, n, BS_CATALOG_IMPORTED, err);
	bs_dir_close(&dir);
	free(name);
	free(items);
	return status;
}

static void put_in_place(struct bs_catalog_change *change, const struct bs_catalog_item *of,
                         struct bs_catalog_item *item)
{
	size_t i = 0;
	while (i < change->n_items && change->items[i] != of)
		i++;
	change->items[i] = item;
	change->n_items += i == change->n_items;
}

/* Imports the items of another catalog. An index that this catalog added itself is kept; one that
 * it imported earlier is replaced. An item is renamed if another index has its name. */
static enum bs_status take_all(struct bs_catalog_change *change, struct bs_catalog_file *from,
                               uint64_t *n_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < from->n_items && !status; i++) {
		struct bs_catalog_item *taken = &from->items[i],
				       *item = find_item(change, NULL, taken->place);
		status = check_name(taken->name, err);
		if (status || (item && !(item->flags & BS_CATALOG_IMPORTED)))
			continue;
		taken->flags |= BS_CATALOG_IMPORTED;
		const struct bs_catalog_item *other = find_item(change, taken->name, NULL);
		if (other && other != item) {
			free(taken->name);
			taken->name = item ? item->name : NULL;
			if (item)
				item->name = NULL;
			else
				status = make_name(change, taken, err);
		}
		put_in_place(change, item, taken);
		++*n_out;
	}
	return status;
}

enum bs_status bs_catalog_import(struct bs_catalog *catalog, const char *path, uint64_t *n_out,
                                 struct bs_error *err)
{
	struct bs_dir dir;
	struct bs_catalog_file from = {.container = NULL};
	struct bs_catalog_change change;
	char *name;
	uint64_t n = 0;
	enum bs_status status = open_folder(path, catalog->consent, &dir, &name, err);
	if (status)
		return status;
	status = bs_dir_has(&dir, name) ? bs_catalog_file_open(&dir, name, &from, err)
	                                : bs_fail(err, BS_NOT_FOUND, "%s: no such file", path);
	if (!status)
		status = check_file(&from, err);
	if (!status) {
		status = bs_catalog_begin_change(catalog, true, from.n_items, &change, err);
		if (!status)
			status = take_all(&change, &from, &n, err);
		status = bs_catalog_end_change(catalog, &change, status, err);
	}
	if (n_out)
		*n_out = status ? 0 : n;
	bs_catalog_file_close(&from);
	bs_dir_close(&dir);
	free(name);
	return status;
}
