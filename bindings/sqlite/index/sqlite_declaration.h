/*
 * sqlite_declaration.h: what stands between the brackets of CREATE VIRTUAL TABLE t USING
 * bitsift(...): columns and options.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_DECLARATION_H
#define BINDINGS_SQLITE_INDEX_SQLITE_DECLARATION_H

#include <stdbool.h>

#define BSQL_MOST_COLUMNS 1000
#define BSQL_MOST_WEIGHTS 64

struct bsql_column {
	char *name;
	bool is_indexed; /* false: UNINDEXED */
};

struct bsql_declaration {
	char *schema, *table; /* "main", the name of the virtual table */
	char *arguments;      /* as they were given, a line each */
	struct bsql_column *columns;
	int n_columns;
	char *content;       /* the table or view that has the rows; NULL: t_content has them */
	char *content_rowid; /* its column that is the rowid */
	char *stem;          /* NULL: none */
	bool fold_accents, split_identifiers;
	double density;                       /* as in struct bs_build_request */
	char *weights[BSQL_MOST_WEIGHTS + 1]; /* "title=3"; NULL-ended */
	/* the names of indexed columns; NULL-ended, borrowed from columns */
	const char **fields;
	int n_fields;
};

/* argv as SQLite hands it to xCreate. SQLITE_OK, or SQLITE_ERROR or SQLITE_NOMEM with a message for
 * sqlite3_free. On failure, too, it is to be freed. */
int bsql_declaration_read(struct bsql_declaration *declaration, int argc, const char *const *argv,
                          char **message_out);
void bsql_declaration_deinit(struct bsql_declaration *declaration);

/* Errors that only a new table reports: SQLITE_ERROR with a message, as above. Tables made by
 * releases that did not check this still open: such a weight has no effect, and such a content is
 * an error when it is read. */
int bsql_declaration_check_new(const struct bsql_declaration *declaration, char **message_out);

/* Do they declare the same table? */
bool bsql_declaration_equals(const struct bsql_declaration *a, const struct bsql_declaration *b);

/* CREATE TABLE x(...) for sqlite3_declare_vtab, for sqlite3_free; NULL: no memory. */
char *bsql_declaration_schema(const struct bsql_declaration *declaration);

#endif
