/*
 * sqlite_declaration.h: the arguments of CREATE VIRTUAL TABLE t USING bitsift(...): columns and
 * options.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_DECLARATION_H
#define BINDINGS_SQLITE_INDEX_SQLITE_DECLARATION_H

#include <stdbool.h>

#define BSQL_MOST_COLUMNS 1000
#define BSQL_MOST_WEIGHTS 64

struct bsql_column {
	char *name;
	bool is_indexed; /* false if the column is UNINDEXED */
};

struct bsql_declaration {
	char *schema, *table; /* schema: for example "main"; table: the name of the virtual table */
	char *arguments;      /* the arguments in USING bitsift(...), verbatim, one per line */
	struct bsql_column *columns;
	int n_columns;
	char *content;       /* the table or view that has the rows; NULL: t_content has them */
	char *content_rowid; /* the rowid column of `content`; "rowid" if it is not given */
	char *stem;          /* the stemmer's language; NULL: none */
	bool fold_accents, split_identifiers;
	double density;                       /* as in struct bs_index_options */
	char *weights[BSQL_MOST_WEIGHTS + 1]; /* such as "title=3"; NULL-terminated */
	/* The names of the indexed columns; NULL-terminated, borrowed from `columns`. */
	const char **fields;
	int n_fields;
};

/* Reads argv as SQLite passes it to xCreate. Returns SQLITE_OK, SQLITE_ERROR with a message to be
 * freed with sqlite3_free, or SQLITE_NOMEM without a message. The declaration must be freed with
 * bsql_declaration_deinit even after a failure. */
int bsql_declaration_read(struct bsql_declaration *declaration, int argc, const char *const *argv,
                          char **message_out);
void bsql_declaration_deinit(struct bsql_declaration *declaration);

/* Checks that apply only to a new table. Returns SQLITE_ERROR with a message to be freed with
 * sqlite3_free. An existing table is opened without them: an unknown weight has no effect, and a
 * table that is its own content is an error when it is read. */
int bsql_declaration_check_new(const struct bsql_declaration *declaration, char **message_out);

/* True if both have the same schema, table and arguments. */
bool bsql_declaration_equals(const struct bsql_declaration *a, const struct bsql_declaration *b);

/* Returns CREATE TABLE x(...) for sqlite3_declare_vtab, to be freed with sqlite3_free; NULL if
 * memory runs out. */
char *bsql_declaration_schema(const struct bsql_declaration *declaration);

#endif
