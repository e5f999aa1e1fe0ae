/* sqlite_declaration.c: see sqlite_declaration.h. As in FTS5, an argument `name = value` is an
 * option, any other argument is a column. */
#include "bindings/sqlite/index/sqlite_declaration.h"

#include <stdlib.h>
#include <string.h>

#include <sqlite3ext.h>

#include "core/bitsift/build.h"
SQLITE_EXTENSION_INIT3

/* The share of set bits in the columns if the option `density` is not given. A higher density makes
 * the index smaller and searches slower. This one is higher than the library's default of
 * 0.3, because rows are short and each connection that searches has the whole index in memory. */
#define USUAL_DENSITY 0.35

static bool is_word_byte(char byte)
{
	return (byte & 0x80) || byte == '_' || (byte >= '0' && byte <= '9') ||
	       (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static void skip_spaces(const char **at)
{
	while (**at == ' ' || **at == '\t' || **at == '\n' || **at == '\r' || **at == '\f')
		++*at;
}

/* Returns the next name or value without its quotes, to be freed with sqlite3_free. NULL if no name
 * or value follows, if its closing quote is missing, or if memory runs out. */
static char *take_word(const char **at)
{
	char open = **at, close = open == '[' ? ']' : open;
	size_t n_bytes = 0;
	if (open != '\'' && open != '"' && open != '`' && open != '[') {
		const char *start = *at;
		while (is_word_byte(**at) || **at == '.' || **at == '-' || **at == '+')
			++*at;
		return *at > start ? sqlite3_mprintf("%.*s", (int)(*at - start), start) : NULL;
	}
	char *word = sqlite3_malloc64(strlen(*at) + 1);
	if (!word)
		return NULL;
	for (++*at; **at; ++*at) {
		if (**at == close && (close == ']' || (*at)[1] != close))
			break;
		*at += **at == close;
		word[n_bytes++] = **at;
	}
	word[n_bytes] = '\0';
	if (!**at) {
		sqlite3_free(word);
		return NULL;
	}
	++*at;
	return word;
}

static int read_switch(const char *name, const char *value, bool *on_out, char **message_out)
{
	*on_out = strcmp(value, "1") == 0;
	if (*on_out || strcmp(value, "0") == 0)
		return SQLITE_OK;
	*message_out = sqlite3_mprintf("%s must be 0 or 1, not %s", name, value);
	return SQLITE_ERROR;
}

/* Reads several weights, separated by commas or spaces. */
static int read_weights(struct bsql_declaration *declaration, const char *value, char **message_out)
{
	size_t n = 0;
	while (declaration->weights[n])
		n++;
	while (*(value += strspn(value, " ,"))) {
		size_t n_bytes = strcspn(value, " ,");
		if (n == BSQL_MOST_WEIGHTS) {
			*message_out = sqlite3_mprintf("more than %d weights", BSQL_MOST_WEIGHTS);
			return SQLITE_ERROR;
		}
		if (!(declaration->weights[n++] = sqlite3_mprintf("%.*s", (int)n_bytes, value)))
			return SQLITE_NOMEM;
		value += n_bytes;
	}
	return SQLITE_OK;
}

/* Reads the option `name`. If the declaration keeps the string *value, sets *value to NULL;
 * otherwise the caller still owns it. */
static int read_option(struct bsql_declaration *declaration, const char *name, char **value,
                       char **message_out)
{
	char **texts[] = {&declaration->content, &declaration->content_rowid, &declaration->stem};
	static const char *const names[] = {"content", "content_rowid", "stem"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (sqlite3_stricmp(name, names[i]))
			continue;
		if (*texts[i] || !**value) {
			*message_out = sqlite3_mprintf(
				*texts[i] ? "%s is given twice" : "%s is empty", name);
			return SQLITE_ERROR;
		}
		*texts[i] = *value;
		*value = NULL;
		return SQLITE_OK;
	}
	if (sqlite3_stricmp(name, "weight") == 0)
		return read_weights(declaration, *value, message_out);
	if (sqlite3_stricmp(name, "fold_accents") == 0)
		return read_switch(name, *value, &declaration->fold_accents, message_out);
	if (sqlite3_stricmp(name, "split_identifiers") == 0)
		return read_switch(name, *value, &declaration->split_identifiers, message_out);
	if (sqlite3_stricmp(name, "density") == 0) {
		char *end;
		declaration->density = strtod(*value, &end);
		if (*end == '\0' && declaration->density >= BS_MIN_DENSITY &&
		    declaration->density <= BS_MAX_DENSITY)
			return SQLITE_OK;
		*message_out = sqlite3_mprintf("density must be a number from %g to %g, not %s",
		                               BS_MIN_DENSITY, BS_MAX_DENSITY, *value);
		return SQLITE_ERROR;
	}
	*message_out = sqlite3_mprintf("no option %s: there are content, content_rowid, density, "
	                               "fold_accents, split_identifiers, "
	                               "stem, weight",
	                               name);
	return SQLITE_ERROR;
}

static int add_column(struct bsql_declaration *declaration, char **name, const char *rest,
                      char **message_out)
{
	if (declaration->n_columns == BSQL_MOST_COLUMNS) {
		*message_out = sqlite3_mprintf("more than %d columns", BSQL_MOST_COLUMNS);
		return SQLITE_ERROR;
	}
	if (sqlite3_stricmp(*name, "rank") == 0 || sqlite3_stricmp(*name, "rowid") == 0) {
		*message_out =
			sqlite3_mprintf("a column cannot be named %s: the name is reserved", *name);
		return SQLITE_ERROR;
	}
	bool is_indexed = *rest == '\0';
	if (!is_indexed && sqlite3_stricmp(rest, "unindexed")) {
		*message_out = sqlite3_mprintf(
			"column %s: unknown word %s; only UNINDEXED may follow the name", *name,
			rest);
		return SQLITE_ERROR;
	}
	size_t n_bytes = ((size_t)declaration->n_columns + 1) * sizeof(*declaration->columns);
	struct bsql_column *columns = sqlite3_realloc64(declaration->columns, n_bytes);
	if (!columns)
		return SQLITE_NOMEM;
	columns[declaration->n_columns++] = (struct bsql_column){*name, is_indexed};
	declaration->columns = columns;
	*name = NULL;
	return SQLITE_OK;
}

static int read_argument(struct bsql_declaration *declaration, const char *argument,
                         char **message_out)
{
	const char *at = argument;
	int code;
	skip_spaces(&at);
	char *name = take_word(&at), *value = NULL;
	skip_spaces(&at);
	if (!name) {
		*message_out = sqlite3_mprintf("neither a column nor an option: %s", argument);
		return SQLITE_ERROR;
	}
	if (*at == '=') {
		at++;
		skip_spaces(&at);
		value = take_word(&at);
		skip_spaces(&at);
		if (value && !*at) {
			code = read_option(declaration, name, &value, message_out);
		} else {
			*message_out = sqlite3_mprintf("option %s needs one value", argument);
			code = SQLITE_ERROR;
		}
	} else {
		char *rest = sqlite3_mprintf("%s", at);
		size_t n_bytes = rest ? strlen(rest) : 0;
		while (n_bytes > 0 && strchr(" \t\n\r\f", rest[n_bytes - 1]))
			rest[--n_bytes] = '\0';
		code = rest ? add_column(declaration, &name, rest, message_out) : SQLITE_NOMEM;
		sqlite3_free(rest);
	}
	sqlite3_free(name);
	sqlite3_free(value);
	return code;
}

static int check(struct bsql_declaration *declaration, char **message_out)
{
	declaration->fields = sqlite3_malloc64(((size_t)declaration->n_columns + 1) *
	                                       sizeof(*declaration->fields));
	if (!declaration->fields)
		return SQLITE_NOMEM;
	for (int i = 0; i < declaration->n_columns; i++) {
		if (declaration->columns[i].is_indexed)
			declaration->fields[declaration->n_fields++] = declaration->columns[i].name;
		if (sqlite3_stricmp(declaration->columns[i].name, declaration->table) == 0) {
			*message_out = sqlite3_mprintf(
				"a column cannot be named %s: that is the name of the table",
				declaration->table);
			return SQLITE_ERROR;
		}
	}
	declaration->fields[declaration->n_fields] = NULL;
	if (declaration->n_fields == 0) {
		*message_out = sqlite3_mprintf("a table needs a column that is indexed");
		return SQLITE_ERROR;
	}
	if (declaration->content_rowid && !declaration->content) {
		*message_out = sqlite3_mprintf(
			"content_rowid requires content: it names a column of that table");
		return SQLITE_ERROR;
	}
	if (!declaration->content_rowid)
		declaration->content_rowid = sqlite3_mprintf("rowid");
	return declaration->content_rowid ? SQLITE_OK : SQLITE_NOMEM;
}

int bsql_declaration_read(struct bsql_declaration *declaration, int argc, const char *const *argv,
                          char **message_out)
{
	*declaration = (struct bsql_declaration){.density = USUAL_DENSITY,
	                                         .schema = sqlite3_mprintf("%s", argv[1]),
	                                         .table = sqlite3_mprintf("%s", argv[2])};
	sqlite3_str *arguments = sqlite3_str_new(NULL);
	for (int i = 3; i < argc; i++)
		sqlite3_str_appendf(arguments, "%s\n", argv[i]);
	int code = sqlite3_str_errcode(arguments);
	declaration->arguments = sqlite3_str_finish(arguments);
	if (!code && (!declaration->schema || !declaration->table))
		code = SQLITE_NOMEM;
	for (int i = 3; i < argc && !code; i++)
		code = read_argument(declaration, argv[i], message_out);
	return code ? code : check(declaration, message_out);
}

/* True if `weight`, such as "title=3", names an indexed column. Also true without "=", because the
 * library reports that error. */
static bool is_weight_of_field(const struct bsql_declaration *declaration, const char *weight)
{
	const char *number = strrchr(weight, '=');
	size_t n_bytes = number ? (size_t)(number - weight) : 0;
	for (int i = 0; i < declaration->n_fields && number; i++)
		if (strlen(declaration->fields[i]) == n_bytes &&
		    memcmp(declaration->fields[i], weight, n_bytes) == 0)
			return true;
	return !number;
}

int bsql_declaration_check_new(const struct bsql_declaration *declaration, char **message_out)
{
	for (size_t i = 0; declaration->weights[i]; i++) {
		if (is_weight_of_field(declaration, declaration->weights[i]))
			continue;
		*message_out =
			sqlite3_mprintf("weight: %s: no indexed column of that name (case counts)",
		                        declaration->weights[i]);
		return SQLITE_ERROR;
	}
	if (!declaration->content || sqlite3_stricmp(declaration->content, declaration->table) != 0)
		return SQLITE_OK;
	*message_out = sqlite3_mprintf("content is the table itself: %s", declaration->content);
	return SQLITE_ERROR;
}

void bsql_declaration_deinit(struct bsql_declaration *declaration)
{
	for (int i = 0; i < declaration->n_columns; i++)
		sqlite3_free(declaration->columns[i].name);
	for (size_t i = 0; i < BSQL_MOST_WEIGHTS; i++)
		sqlite3_free(declaration->weights[i]);
	sqlite3_free(declaration->columns);
	sqlite3_free(declaration->fields);
	sqlite3_free(declaration->schema);
	sqlite3_free(declaration->table);
	sqlite3_free(declaration->arguments);
	sqlite3_free(declaration->content);
	sqlite3_free(declaration->content_rowid);
	sqlite3_free(declaration->stem);
}

bool bsql_declaration_equals(const struct bsql_declaration *a, const struct bsql_declaration *b)
{
	return sqlite3_stricmp(a->schema, b->schema) == 0 &&
	       sqlite3_stricmp(a->table, b->table) == 0 && strcmp(a->arguments, b->arguments) == 0;
}

char *bsql_declaration_schema(const struct bsql_declaration *declaration)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	sqlite3_str_appendall(text, "CREATE TABLE x(");
	for (int i = 0; i < declaration->n_columns; i++)
		sqlite3_str_appendf(text, "\"%w\", ", declaration->columns[i].name);
	sqlite3_str_appendf(text, "\"%w\" HIDDEN, rank HIDDEN)", declaration->table);
	return sqlite3_str_finish(text);
}
