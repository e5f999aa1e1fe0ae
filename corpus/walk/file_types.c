/* file_types.c: see file_types.h. */
#include "corpus/walk/file_types.h"

#include <stdlib.h>
#include <string.h>

#include "corpus/walk/file_types_table.h"
#include "corpus/walk/glob.h"

struct type {
	char *name;
	struct bs_buffer globs; /* NUL-ended strings, one after the other */
};

struct chosen {
	struct bs_glob glob;
	bool is_negated;
};

struct bs_file_types {
	struct bs_buffer types;  /* of struct type */
	struct bs_buffer chosen; /* of struct chosen */
	bool has_wanted;
};

static struct type *types_of(const struct bs_file_types *types, size_t *n_out)
{
	*n_out = types->types.used_bytes / sizeof(struct type);
	return (struct type *)(void *)types->types.data;
}

static struct type *find(const struct bs_file_types *types, const char *name, size_t name_bytes)
{
	size_t n;
	struct type *list = types_of(types, &n);
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i].name) == name_bytes && memcmp(list[i].name, name, name_bytes) == 0)
			return &list[i];
	return NULL;
}

static enum bs_status find_or_add(struct bs_file_types *types, const char *name, size_t name_bytes, struct type **type_out,
                                  struct bs_error *err)
{
	*type_out = find(types, name, name_bytes);
	if (*type_out)
		return BS_OK;
	struct type type = {.name = strndup(name, name_bytes)};
	if (!type.name)
		return bs_fail_memory(err, "a type", name_bytes);
	enum bs_status status = bs_buffer_append(&types->types, &type, sizeof(type), err);
	if (status)
		free(type.name);
	*type_out = find(types, name, name_bytes);
	return status;
}

/* Adds globs that are apart by spaces. */
static enum bs_status add_globs(struct bs_file_types *types, const char *name, const char *globs, struct bs_error *err)
{
	struct type *type;
	enum bs_status status = find_or_add(types, name, strlen(name), &type, err);
	while (*globs && !status) {
		size_t n = strcspn(globs, " ");
		status = bs_buffer_append(&type->globs, globs, n, err);
		if (!status)
			status = bs_buffer_append(&type->globs, "", 1, err);
		globs += n + strspn(globs + n, " ");
	}
	return status;
}

enum bs_status bs_file_types_new(struct bs_file_types **types_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*types_out = NULL;
	struct bs_file_types *types = calloc(1, sizeof(*types));
	if (!types)
		return bs_fail_memory(err, "types of files", sizeof(*types));
	for (size_t i = 0; i < sizeof(known_types) / sizeof(*known_types) && !status; i++)
		status = add_globs(types, known_types[i].name, known_types[i].globs, err);
	if (status)
		bs_file_types_free(types);
	else
		*types_out = types;
	return status;
}

void bs_file_types_free(struct bs_file_types *types)
{
	if (!types)
		return;
	size_t n, n_chosen = types->chosen.used_bytes / sizeof(struct chosen);
	struct type *list = types_of(types, &n);
	struct chosen *chosen = (struct chosen *)(void *)types->chosen.data;
	for (size_t i = 0; i < n; i++) {
		free(list[i].name);
		bs_buffer_deinit(&list[i].globs);
	}
	for (size_t i = 0; i < n_chosen; i++)
		bs_glob_deinit(&chosen[i].glob);
	bs_buffer_deinit(&types->types);
	bs_buffer_deinit(&types->chosen);
	free(types);
}

static bool is_name(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((name[i] >= '0' && name[i] <= '9') || ((name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z') ||
		      (uint8_t)name[i] >= 0x80))
			return false;
	return n > 0 && !(n == 3 && memcmp(name, "all", 3) == 0);
}

/* name:include:other,another */
static enum bs_status include(struct bs_file_types *types, const char *name, size_t name_bytes, const char *others,
                              struct bs_error *err)
{
	struct type *type;
	enum bs_status status = BS_OK;
	while (*others && !status) {
		size_t n = strcspn(others, ",");
		const struct type *other = find(types, others, n);
		if (!other)
			return bs_fail(err, BS_INVALID, "--type-add: unknown type of files: %.*s", (int)n, others);
		struct bs_buffer globs = other->globs;
		status = find_or_add(types, name, name_bytes, &type, err);
		if (!status && globs.used_bytes && type->globs.data != globs.data)
			status = bs_buffer_append(&type->globs, globs.data, globs.used_bytes, err);
		others += n + (others[n] == ',');
	}
	return status;
}

enum bs_status bs_file_types_add(struct bs_file_types *types, const char *definition, struct bs_error *err)
{
	static const char mark[] = "include:";
	const char *colon = strchr(definition, ':');
	struct type *type;
	size_t n = colon ? (size_t)(colon - definition) : 0;
	if (!colon || !colon[1] || !is_name(definition, n))
		return bs_fail(err, BS_INVALID, "--type-add %s: write NAME:GLOB or NAME:include:OTHER,...", definition);
	if (strncmp(colon + 1, mark, sizeof(mark) - 1) == 0)
		return include(types, definition, n, colon + sizeof(mark), err);
	enum bs_status status = find_or_add(types, definition, n, &type, err);
	return status ? status : bs_buffer_append(&type->globs, colon + 1, strlen(colon), err);
}

void bs_file_types_clear(struct bs_file_types *types, const char *name)
{
	struct type *type = find(types, name, strlen(name));
	if (!type)
		return;
	/* As if it had never been: it cannot be chosen, but added to. */
	bs_buffer_deinit(&type->globs);
	free(type->name);
	size_t n;
	struct type *list = types_of(types, &n);
	memmove(type, type + 1, (size_t)(list + n - type - 1) * sizeof(*type));
	types->types.used_bytes -= sizeof(*type);
}

static enum bs_status choose(struct bs_file_types *types, const struct type *type, bool is_negated, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	const char *glob = (const char *)type->globs.data;
	for (size_t at = 0; at < type->globs.used_bytes && !status; at += strlen(glob + at) + 1) {
		struct chosen chosen = {.is_negated = is_negated};
		status = bs_glob_init(&chosen.glob, (const uint8_t *)glob + at, strlen(glob + at), err);
		if (status)
			break;
		status = bs_buffer_append(&types->chosen, &chosen, sizeof(chosen), err);
		if (status)
			bs_glob_deinit(&chosen.glob);
	}
	return status;
}

enum bs_status bs_file_types_choose(struct bs_file_types *types, const char *name, bool is_negated, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t n;
	const struct type *list = types_of(types, &n);
	const struct type *type = find(types, name, strlen(name));
	bool is_all = strcmp(name, "all") == 0;
	if (!type && !is_all)
		return bs_fail(err, BS_INVALID, "unknown type of files: %s; see `bitsift grep --type-list`", name);
	types->has_wanted |= !is_negated;
	for (size_t i = 0; i < n && is_all && !status; i++)
		status = choose(types, &list[i], is_negated, err);
	return is_all ? status : choose(types, type, is_negated, err);
}

bool bs_file_types_has_wanted(const struct bs_file_types *types)
{
	return types->has_wanted;
}

enum bs_ignore_verdict bs_file_types_match(struct bs_file_types *types, const char *name)
{
	struct bs_glob_path path = {.bytes = (const uint8_t *)name, .n_bytes = strlen(name)};
	struct chosen *chosen = (struct chosen *)(void *)types->chosen.data;
	if (path.n_bytes == 0)
		return BS_IGNORE_SILENT;
	for (size_t i = types->chosen.used_bytes / sizeof(*chosen); i > 0; i--) {
		struct chosen *one = &chosen[i - 1];
		int last = one->glob.last_byte;
		if ((last < 0 || last == path.bytes[path.n_bytes - 1]) && bs_glob_match(&one->glob, &path))
			return one->is_negated ? BS_IGNORE_SKIP : BS_IGNORE_KEEP;
	}
	return types->has_wanted ? BS_IGNORE_SKIP : BS_IGNORE_SILENT;
}

static int compare_types(const void *left, const void *right)
{
	return strcmp((*(const struct type *const *)left)->name, (*(const struct type *const *)right)->name);
}

static int compare_globs(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static enum bs_status list_one(const struct type *type, struct bs_buffer *text, struct bs_error *err)
{
	struct bs_buffer globs = {0};
	const char *data = (const char *)type->globs.data;
	enum bs_status status = bs_buffer_append(text, type->name, strlen(type->name), err);
	for (size_t at = 0; at < type->globs.used_bytes && !status; at += strlen(data + at) + 1) {
		const char *glob = data + at;
		status = bs_buffer_append(&globs, &glob, sizeof(glob), err);
	}
	const char **list = (const char **)(void *)globs.data;
	size_t n = globs.used_bytes / sizeof(*list);
	if (n > 1)
		qsort(list, n, sizeof(*list), compare_globs);
	for (size_t i = 0; i < n && !status; i++) {
		status = bs_buffer_append(text, i ? ", " : ": ", 2, err);
		if (!status)
			status = bs_buffer_append(text, list[i], strlen(list[i]), err);
	}
	bs_buffer_deinit(&globs);
	return status ? status : bs_buffer_append(text, "\n", 1, err);
}

enum bs_status bs_file_types_list(const struct bs_file_types *types, struct bs_buffer *text, struct bs_error *err)
{
	size_t n;
	const struct type *list = types_of(types, &n);
	enum bs_status status = BS_OK;
	const struct type **sorted = malloc((n + 1) * sizeof(const struct type *));
	if (!sorted)
		return bs_fail_memory(err, "types of files", n * sizeof(const struct type *));
	for (size_t i = 0; i < n; i++)
		sorted[i] = &list[i];
	qsort(sorted, n, sizeof(const struct type *), compare_types);
	for (size_t i = 0; i < n && !status; i++)
		status = list_one(sorted[i], text, err);
	free(sorted);
	return status;
}
