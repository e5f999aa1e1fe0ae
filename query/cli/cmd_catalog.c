/* cmd_catalog.c: `bitsift catalog`: manages the list of indexes of a catalog. cmd_query.c and
 * cmd_grep.c search it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/bitsift/catalog.h"
#include "query/cli/commands.h"
#include "query/format/hit_format.h"

struct catalog_arguments {
	struct bs_word_list catalogs;
	const char *name;
	bool json;
};

#define SETS(kind, field) BS_OPTION_SETS(kind, struct catalog_arguments, field)

static const struct bs_option catalog_options[] = {
	{0, "catalog", "FILE", "the file of the catalog [your catalog]; repeatable for has",
         SETS(LIST, catalogs)},
	{0, "name", "NAME", "a name for the index that is added [the name of its folder]",
         SETS(ONCE, name)},
	{0, "json", NULL, "with list and has: print a JSON object for each index",
         SETS(FLAG, json)},
	{0},
};

static const char *const catalog_examples[] = {
	"bitsift catalog add ~/src/* ~/mail",
	"these indexes, or those of these folders",
	"bitsift catalog list",
	"its indexes",
	"bitsift query --catalog ferry timetable",
	"search all",
	"bitsift grep --catalog 'mutex_(un)?lock'",
	"search the files of all",
	"bitsift catalog has ferry timetable",
	"which may have both words",
	"bitsift catalog export all.catalog",
	"for another user to import",
	NULL,
};

enum bs_status bs_cmd_open_catalog(const char *file, bool make, const char *kernel,
                                   const struct bs_consent *consent,
                                   struct bs_catalog **catalog_out, struct bs_error *err)
{
	char *own = *file ? NULL : bs_cmd_config_path("catalog", make);
	struct bs_catalog_request request = {
		.file = *file ? file : own, .kernel = kernel, .host.consent = consent};
	*catalog_out = NULL;
	enum bs_status status = BS_OK;
	if (!request.file)
		status = bs_fail(err, BS_IO,
		                 "there is no home directory to keep a catalog in: name one with "
		                 "--catalog FILE");
	if (!status && !make && access(request.file, F_OK) != 0 && errno == ENOENT)
		status = bs_fail(err, BS_NOT_FOUND,
		                 "%s: no catalog there; `bitsift catalog add DIR...` makes one",
		                 request.file);
	if (!status)
		status = bs_catalog_open(&request, catalog_out, err);
	free(own);
	return status;
}

/* The path of the index in a folder, even if the index is unreadable; if there is none, `dir`
 * itself. */
static char *index_in(const char *dir)
{
	char *below = NULL;
	if (asprintf(&below, "%s/.bitsift/manifest", dir) < 0)
		return NULL;
	if (access(below, F_OK) == 0 || errno == EACCES)
		*strrchr(below, '/') = '\0';
	else
		strcpy(below, dir);
	return below;
}

/* Adds the indexes one by one, because they cannot be added all at once, and reports those that
 * cannot be added. The failure of the last of them is returned instead of being reported. */
static enum bs_status add_each(struct bs_catalog *catalog, char *const *indexes, size_t n,
                               struct bs_error *err)
{
	enum bs_status failure = BS_OK;
	for (size_t i = 0; i < n && failure != BS_NO_MEMORY; i++) {
		const char *dir = indexes[i];
		struct bs_error why;
		enum bs_status status = bs_catalog_add(catalog, &dir, 1, NULL, &why);
		if (!status)
			continue;
		if (failure)
			bs_cmd_notice(NULL, err->text);
		failure = status;
		*err = why;
	}
	return failure;
}

static enum bs_status add(struct bs_catalog *catalog, char *const *dirs, size_t n, const char *name,
                          struct bs_error *err)
{
	char **indexes = calloc(n, sizeof(*indexes));
	enum bs_status status =
		indexes ? BS_OK : bs_fail_memory(err, "paths", n * sizeof(*indexes));
	for (size_t i = 0; i < n && !status; i++)
		if (!(indexes[i] = index_in(dirs[i])))
			status = bs_fail_memory(err, "a path", strlen(dirs[i]));
	if (!status)
		status = bs_catalog_add(catalog, (const char *const *)indexes, n, name, err);
	if (status && status != BS_NO_MEMORY && n > 1 && !name)
		status = add_each(catalog, indexes, n, err);
	for (size_t i = 0; i < n && indexes; i++)
		free(indexes[i]);
	free(indexes);
	return status;
}

static const char *const state_names[] = {"", "changed", "unreachable"};

static void put_entry(const struct bs_catalog_entry *entry, bool json)
{
	if (json) {
		fputs("{\"name\":", stdout);
		(void)bs_format_json_string(entry->name, strlen(entry->name), stdout);
		fputs(",\"place\":", stdout);
		(void)bs_format_json_string(entry->place, strlen(entry->place), stdout);
		printf(",\"documents\":%llu,\"words\":%llu,\"commit\":%llu,\"summary_bytes\":%llu,"
		       "\"state\":\"%s\",\"imported\":%s}\n",
		       (unsigned long long)entry->n_docs, (unsigned long long)entry->n_positions,
		       (unsigned long long)entry->generation,
		       (unsigned long long)entry->summary_bytes,
		       entry->state ? state_names[entry->state] : "current",
		       entry->is_imported ? "true" : "false");
		return;
	}
	bs_format_escaped(entry->name, strlen(entry->name), stdout);
	printf("  %s  %s  ", BS_THINGS(entry->n_docs, "document"),
	       entry->has_summary ? BS_BYTES(entry->summary_bytes) : "no summary");
	bs_format_escaped(entry->place, strlen(entry->place), stdout);
	printf("%s%s%s\n", entry->state ? "  " : "", state_names[entry->state],
	       entry->is_imported ? "  imported" : "");
}

static void list(struct bs_catalog *catalog, bool json)
{
	struct bs_catalog_entry entry;
	for (size_t i = 0; bs_catalog_describe(catalog, i, &entry); i++)
		put_entry(&entry, json);
}

static enum bs_status refresh(struct bs_catalog *catalog, bool *is_complete, struct bs_error *err)
{
	uint64_t n_changed, n_unreachable;
	struct bs_catalog_entry entry;
	size_t n = 0;
	enum bs_status status =
		bs_catalog_refresh(catalog, bs_cmd_notice, NULL, &n_changed, &n_unreachable, err);
	if (status)
		return status;
	while (bs_catalog_describe(catalog, n, &entry))
		n++;
	/* BS_THINGS appends an s: "2 indexes". */
	fprintf(stderr, "%s of %s had changed\n", BS_COUNT(n_changed),
	        n == 1 ? "1 index" : BS_THINGS(n, "indexe"));
	*is_complete = n_unreachable == 0;
	return BS_OK;
}

/* Context of put_holder. any: some index may have all words. */
struct asking {
	struct bs_catalog *catalog;
	bool json, any;
};

static void put_holder(void *context, size_t i)
{
	struct asking *asking = context;
	struct bs_catalog_entry entry;
	asking->any = true;
	if (!bs_catalog_describe(asking->catalog, i, &entry))
		return;
	if (asking->json)
		put_entry(&entry, true);
	else {
		bs_format_escaped(entry.name, strlen(entry.name), stdout);
		putchar('\n');
	}
}

static enum bs_status ask(const struct catalog_arguments *arguments, char *const *words, size_t n,
                          const struct bs_consent *consent, bool *any, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t n_catalogs = arguments->catalogs.n;
	for (size_t i = 0; i < (n_catalogs ? n_catalogs : 1) && !status; i++) {
		struct asking asking = {.json = arguments->json};
		status = bs_cmd_open_catalog(n_catalogs ? arguments->catalogs.list[i] : "", false,
		                             NULL, consent, &asking.catalog, err);
		if (!status)
			status = bs_catalog_has(asking.catalog, (const char *const *)words, n,
			                        put_holder, &asking, err);
		*any |= asking.any;
		bs_catalog_close(asking.catalog);
	}
	return status;
}

/* Removes an index from the catalog. word: its name, its path, or the folder that contains or
 * contained it. */
static enum bs_status take_out(struct bs_catalog *catalog, const char *word, struct bs_error *err)
{
	char *below = NULL;
	struct bs_error why;
	enum bs_status status = bs_catalog_remove(catalog, word, err);
	if (status != BS_NOT_FOUND)
		return status;
	if (asprintf(&below, "%s/.bitsift", word) < 0)
		return bs_fail_memory(err, "a path", strlen(word));
	status = bs_catalog_remove(catalog, below, &why);
	free(below);
	return status && status != BS_NOT_FOUND ? bs_fail(err, status, "%s", why.text) : status;
}

/* Executes remove, export or import with one operand. */
static enum bs_status do_one(struct bs_catalog *catalog, const char *verb, const char *word,
                             struct bs_error *err)
{
	if (strcmp(verb, "remove") == 0)
		return take_out(catalog, word, err);
	if (strcmp(verb, "export") == 0)
		return bs_catalog_export(catalog, word, err);
	return bs_catalog_import(catalog, word, NULL, err);
}

static const struct verb {
	const char *name;
	size_t least, most; /* The allowed numbers of operands. */
} verbs[] = {{"add", 1, SIZE_MAX}, {"remove", 1, SIZE_MAX}, {"list", 0, 0},   {"refresh", 0, 0},
             {"check", 0, 0},      {"has", 1, SIZE_MAX},    {"export", 1, 1}, {"import", 1, 1}};

static const struct verb *find_verb(const struct bs_operands *operands)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs) && operands->n > 0; i++)
		if (strcmp(operands->list[0], verbs[i].name) == 0)
			return &verbs[i];
	return NULL;
}

static enum bs_status check_arguments(const struct catalog_arguments *arguments,
                                      const struct verb *verb, size_t n, struct bs_error *err)
{
	if (!verb)
		return bs_fail(err, BS_INVALID,
		               "one of: bitsift catalog add, remove, list, refresh, check, has, "
		               "export, import; see `bitsift catalog --help`");
	bool has = strcmp(verb->name, "has") == 0;
	if (n < verb->least || n > verb->most)
		return bs_fail(err, BS_INVALID, "bitsift catalog %s: %s", verb->name,
		               n < verb->least ? "an argument is missing" : "too many arguments");
	if (arguments->name && (strcmp(verb->name, "add") != 0 || n != 1))
		return bs_fail(err, BS_INVALID, "--name requires exactly one index to add");
	if (arguments->json && !has && strcmp(verb->name, "list") != 0)
		return bs_fail(err, BS_INVALID, "--json is for list and has");
	return arguments->catalogs.n > 1 && !has
	               ? bs_fail(err, BS_INVALID, "several catalogs are for has only")
	               : BS_OK;
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent,
               struct bs_error *err)
{
	const struct catalog_arguments *arguments = set;
	const struct verb *verb = find_verb(operands);
	size_t n = operands->n ? operands->n - 1 : 0;
	struct bs_catalog *catalog = NULL;
	bool is_found = true, is_complete = true;
	enum bs_status status = check_arguments(arguments, verb, n, err);
	if (!status && strcmp(verb->name, "has") == 0) {
		is_found = false;
		status = ask(arguments, operands->list + 1, n, consent, &is_found, err);
	} else if (!status) {
		bool is_add = strcmp(verb->name, "add") == 0,
		     is_import = strcmp(verb->name, "import") == 0;
		const char *file = arguments->catalogs.n ? arguments->catalogs.list[0] : "";
		status = bs_cmd_open_catalog(file, is_add || is_import, NULL, consent, &catalog,
		                             err);
		if (!status && is_add)
			status = add(catalog, operands->list + 1, n, arguments->name, err);
		for (size_t i = 0; i < n && !status && !is_add; i++)
			status = do_one(catalog, verb->name, operands->list[1 + i], err);
		if (!status && strcmp(verb->name, "list") == 0)
			list(catalog, arguments->json);
		else if (!status && strcmp(verb->name, "refresh") == 0)
			status = refresh(catalog, &is_complete, err);
		else if (!status && strcmp(verb->name, "check") == 0)
			status = bs_catalog_check(catalog, err);
	}
	bs_catalog_close(catalog);
	if (status)
		return -1;
	return !is_complete ? 2 : is_found ? 0 : 1;
}

const struct bs_command bs_command_catalog = {
	.name = "catalog",
	.summary = "Manage a catalog, which searches many indexes as one.",
	.usage = "[OPTION]... add|remove|list|refresh|check|has|export|import [ARGUMENT]...",
	.options = catalog_options,
	.examples = catalog_examples,
	.arguments_bytes = sizeof(struct catalog_arguments),
	.run = run,
};
