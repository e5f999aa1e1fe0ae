/*
 * sqlite_files.h: the files of an index in a connection's memory, and a list of those that are
 * equal to the ones in t_files, the table that stores them (sqlite_shadow.h). All files except the
 * manifest are immutable, so only files that are not in this list are read and written.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_FILES_H
#define BINDINGS_SQLITE_INDEX_SQLITE_FILES_H

#include <stdbool.h>

#include "bindings/sqlite/index/sqlite_shadow.h"

struct bs_memory_index;

struct bsql_file;

/* All zero: nothing is in memory. */
struct bsql_files {
	struct bs_memory_index *memory; /* NULL until it is created */
	/* The files that are equal in memory and in t_files, as of the last bsql_files_load or
	 * bsql_files_save. */
	struct bsql_file *known;
	size_t n_known, capacity;
};
void bsql_files_deinit(struct bsql_files *files);

/* Discards the files in memory and begins an index without files. A writer adds files to it;
 * bsql_files_save then makes t_files equal to the memory. */
int bsql_files_make(struct bsql_files *files, struct bsql_shadow *shadow);
/* bsql_files_load makes the memory equal to t_files, bsql_files_save makes t_files equal to the
 * memory. */
int bsql_files_load(struct bsql_files *files, struct bsql_shadow *shadow);
int bsql_files_save(struct bsql_files *files, struct bsql_shadow *shadow);
/* Called after a commit in memory: removes from `known` the manifest, which the commit has changed,
 * and files that the commit has removed. */
void bsql_files_forget_changed(struct bsql_files *files);
/* True if the memory has a manifest. */
bool bsql_files_have_index(const struct bsql_files *files);

#endif
