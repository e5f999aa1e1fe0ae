/*
 * sqlite_files.h: the files of an index in a connection's memory, and which of them t_files has
 * with which checksum. All files except the manifest are immutable, so only files that differ are
 * read and written.
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
	/* the files that are the same in memory and in t_files, as of the last look at t_files */
	struct bsql_file *known;
	size_t n_known, capacity;
};
void bsql_files_deinit(struct bsql_files *files);

/* Replaces the memory by an empty index; bsql_files_save later stores it in t_files. */
int bsql_files_make(struct bsql_files *files, struct bsql_shadow *shadow);
/* bsql_files_load makes the memory equal to t_files, bsql_files_save makes t_files equal to the
 * memory. */
int bsql_files_load(struct bsql_files *files, struct bsql_shadow *shadow);
int bsql_files_save(struct bsql_files *files, struct bsql_shadow *shadow);
/* Called after a commit in memory: changed and removed files no longer count as the same in
 * t_files. */
void bsql_files_forget_changed(struct bsql_files *files);
/* True if the memory has a manifest. */
bool bsql_files_have_index(const struct bsql_files *files);

#endif
