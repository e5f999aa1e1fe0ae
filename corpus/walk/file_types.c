/* file_types.c: see file_types.h. */
#include "corpus/walk/file_types.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "corpus/walk/glob.h"

/* Sorted entries "name: glob, glob". */
static const char *const known_types[] = {
#include "corpus/walk/file_types_text.h"
};

/* A glob of a type. Strings are not NUL-terminated, and borrowed from the table or the caller. */
struct definition {
	const char *name, *glob;
	size_t name_bytes, glob_bytes;
};
BS_VECTOR(definitions, struct definition);

/* A type that is wanted or excluded. */
struct choice {
	const char *name;
	size_t name_bytes;
	bool is_negated;
};
BS_VECTOR(choices, struct choice);

/* A glob of a choice. */
struct chosen {
	struct bs_glob glob;
	bool is_negated;
};
BS_VECTOR(chosen_globs, struct chosen);

struct bs_file_types {
	/* the globs of all types; those with equal names form a type */
	struct definitions definitions;
	struct choices choices;
	struct chosen_globs chosen;
	bool has_wanted;
};

static bool is_named(const struct definition *definition, const char *name, size_t name_bytes)
{
	return definition->name_bytes == name_bytes &&
	       memcmp(definition->name, name, name_bytes) == 0;
}

static enum bs_status define(struct bs_file_types *types, const char *name, size_t name_bytes,
                             const char *glob, size_t glob_bytes, struct bs_error *err)
{
	struct definition definition = {name, glob, name_bytes, glob_bytes};
	return bs_vector_append(&types->definitions, &definition, err);
}

enum bs_status bs_file_types_new(struct bs_file_types **types_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*types_out = NULL;
	struct bs_file_types *types = calloc(1, sizeof(*types));
	if (!types)
		return bs_fail_memory(err, "types of files", sizeof(*types));
	for (size_t i = 0; i < sizeof(known_types) / sizeof(*known_types) && !status; i++) {
		size_t name_bytes = strcspn(known_types[i], ":"), n;
		for (const char *glob = known_types[i] + name_bytes; *glob && !status; glob += n) {
			glob += 2; /* skip a colon or comma, and a space */
			n = strcspn(glob, ",");
			status = define(types, known_types[i], name_bytes, glob, n, err);
		}
	}
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
	struct chosen *chosen = types->chosen.items;
	for (size_t i = 0; i < bs_vector_n(&types->chosen); i++)
		bs_glob_deinit(&chosen[i].glob);
	bs_vector_deinit(&types->definitions);
	bs_vector_deinit(&types->choices);
	bs_vector_deinit(&types->chosen);
	free(types);
}

static bool is_name(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((name[i] >= '0' && name[i] <= '9') ||
		      ((name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z') ||
		      (uint8_t)name[i] >= 0x80))
			return false;
	return n > 0 && !(n == 3 && memcmp(name, "all", 3) == 0);
}

static bool is_known(const struct bs_file_types *types, const char *name, size_t name_bytes)
{
	for (size_t i = 0; i < bs_vector_n(&types->definitions); i++)
		if (is_named(&types->definitions.items[i], name, name_bytes))
			return true;
	return false;
}

/* Adds the globs that other types have now. others: "other,another". */
static enum bs_status include(struct bs_file_types *types, const char *name, size_t name_bytes,
                              const char *others, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t n;
	for (const char *other = others; *other; other += n + (other[n] == ',')) {
		n = strcspn(other, ",");
		if (!is_known(types, other, n))
			return bs_fail(err, BS_INVALID, "--type-add: unknown type of files: %.*s",
			               (int)n, other);
	}
	for (; *others && !status; others += n + (others[n] == ',')) {
		size_t n_before = bs_vector_n(&types->definitions);
		n = strcspn(others, ",");
		for (size_t i = 0; i < n_before && !status; i++) {
			struct definition definition = types->definitions.items[i];
			if (is_named(&definition, others, n))
				status = define(types, name, name_bytes, definition.glob,
				                definition.glob_bytes, err);
		}
	}
	return status;
}

enum bs_status bs_file_types_add(struct bs_file_types *types, const char *definition,
                                 struct bs_error *err)
{
	static const char mark[] = "include:";
	const char *colon = strchr(definition, ':');
	size_t n = colon ? (size_t)(colon - definition) : 0;
	bool includes = colon && strncmp(colon + 1, mark, sizeof(mark) - 1) == 0;
	const char *glob = includes ? colon + sizeof(mark) : colon ? colon + 1 : NULL;
	if (!glob || !*glob || strchr(glob, ':') || !is_name(definition, n))
		return bs_fail(err, BS_INVALID,
		               "--type-add %s: write NAME:GLOB or NAME:include:OTHER,...",
		               definition);
	return includes ? include(types, definition, n, glob, err)
	                : define(types, definition, n, glob, strlen(glob), err);
}

void bs_file_types_clear(struct bs_file_types *types, const char *name)
{
	size_t n = bs_vector_n(&types->definitions), n_kept = 0;
	struct definition *list = types->definitions.items;
	for (size_t i = 0; i < n; i++)
		if (!is_named(&list[i], name, strlen(name)))
			list[n_kept++] = list[i];
	bs_vector_set_n(&types->definitions, n_kept);
}

static enum bs_status choose(struct bs_file_types *types, const char *name, size_t name_bytes,
                             bool is_negated, struct bs_error *err)
{
	struct choice choice = {name, name_bytes, is_negated};
	return bs_vector_append(&types->choices, &choice, err);
}

enum bs_status bs_file_types_choose(struct bs_file_types *types, const char *name, bool is_negated,
                                    struct bs_error *err)
{
	const struct definition *list = types->definitions.items;
	enum bs_status status = BS_OK;
	types->has_wanted |= !is_negated;
	if (strcmp(name, "all") != 0)
		return choose(types, name, strlen(name), is_negated, err);
	/* The definitions of a type may not be adjacent in the list; then the type is chosen twice,
	 * which has no further effect. */
	for (size_t i = 0; i < bs_vector_n(&types->definitions) && !status; i++)
		if (i == 0 || !is_named(&list[i - 1], list[i].name, list[i].name_bytes))
			status = choose(types, list[i].name, list[i].name_bytes, is_negated, err);
	return status;
}

/* Compiles the globs of a chosen type. */
static enum bs_status compile(struct bs_file_types *types, const struct choice *choice,
                              struct bs_error *err)
{
	enum bs_status status = BS_OK;
	const struct definition *list = types->definitions.items;
	if (!is_known(types, choice->name, choice->name_bytes))
		return bs_fail(err, BS_INVALID,
		               "unknown type of files: %.*s; see `bitsift grep --type-list`",
		               (int)choice->name_bytes, choice->name);
	for (size_t i = 0; i < bs_vector_n(&types->definitions) && !status; i++) {
		struct chosen chosen = {.is_negated = choice->is_negated};
		if (!is_named(&list[i], choice->name, choice->name_bytes))
			continue;
		status = bs_glob_init(&chosen.glob, (const uint8_t *)list[i].glob,
		                      list[i].glob_bytes, 0, err);
		if (status)
			break;
		status = bs_vector_append(&types->chosen, &chosen, err);
		if (status)
			bs_glob_deinit(&chosen.glob);
	}
	return status;
}

enum bs_status bs_file_types_finish(struct bs_file_types *types, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < bs_vector_n(&types->choices) && !status; i++)
		status = compile(types, &types->choices.items[i], err);
	return status;
}

bool bs_file_types_has_choice(const struct bs_file_types *types)
{
	return bs_vector_n(&types->choices) > 0;
}

bool bs_file_types_has_wanted(const struct bs_file_types *types)
{
	return types->has_wanted;
}

enum bs_ignore_verdict bs_file_types_match(struct bs_file_types *types, const char *name)
{
	struct bs_glob_path path = {.bytes = (const uint8_t *)name, .n_bytes = strlen(name)};
	struct chosen *chosen = types->chosen.items;
	if (path.n_bytes == 0)
		return BS_IGNORE_SILENT;
	/* As in ripgrep, a path that ends in a dot has no name. */
	if (name[path.n_bytes - 1] == '.')
		return types->has_wanted ? BS_IGNORE_SKIP : BS_IGNORE_SILENT;
	for (size_t i = bs_vector_n(&types->chosen); i > 0; i--) {
		struct chosen *one = &chosen[i - 1];
		int last = one->glob.last_byte;
		if ((last < 0 || last == path.bytes[path.n_bytes - 1]) &&
		    bs_glob_match(&one->glob, &path))
			return one->is_negated ? BS_IGNORE_SKIP : BS_IGNORE_KEEP;
	}
	return types->has_wanted ? BS_IGNORE_SKIP : BS_IGNORE_SILENT;
}

static int compare_definitions(const void *left, const void *right)
{
	const struct definition *a = left, *b = right;
	int order = bs_compare_bytes((const uint8_t *)a->name, a->name_bytes,
	                             (const uint8_t *)b->name, b->name_bytes);
	if (order)
		return order;
	return bs_compare_bytes((const uint8_t *)a->glob, a->glob_bytes, (const uint8_t *)b->glob,
	                        b->glob_bytes);
}

enum bs_status bs_file_types_list(const struct bs_file_types *types, struct bs_buffer *text,
                                  struct bs_error *err)
{
	struct definitions sorted = {0};
	size_t n = bs_vector_n(&types->definitions);
	enum bs_status status = bs_vector_extend(&sorted, types->definitions.items, n, err);
	const struct definition *list = sorted.items, *last = NULL;
	if (!status && n > 0)
		qsort(sorted.items, n, sizeof(*list), compare_definitions);
	for (size_t i = 0; i < n && !status; last = &list[i++]) {
		bool is_next = last && is_named(last, list[i].name, list[i].name_bytes);
		if (!is_next && last)
			status = bs_buffer_append(text, "\n", 1, err);
		if (!is_next && !status)
			status = bs_buffer_append(text, list[i].name, list[i].name_bytes, err);
		if (!status)
			status = bs_buffer_append(text, is_next ? ", " : ": ", 2, err);
		if (!status)
			status = bs_buffer_append(text, list[i].glob, list[i].glob_bytes, err);
	}
	bs_vector_deinit(&sorted);
	return status || n == 0 ? status : bs_buffer_append(text, "\n", 1, err);
}
