/*
 * sqlite_files.h: the files of an index in a connection's memory, and what is known of each: that
 * t_files has it, with which checksum. Files but the manifest are never changed, so that only those
 * that differ are read and written.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_FILES_H
#define BINDINGS_SQLITE_INDEX_SQLITE_FILES_H

#include <stdbool.h>

#include "bindings/sqlite/index/sqlite_shadow.h"

struct bs_memory_index;

struct bsql_file;

/* All zero: nothing is in memory. */
struct bsql_files {
	struct bs_memory_index *memory; /* NULL: none was made */
	/* in memory as t_files has them, or had them when it was looked at */
	struct bsql_file *known;
	size_t n_known, capacity;
};
void bsql_files_deinit(struct bsql_files *files);

/* An empty index instead; only what bsql_files_save is told then is in t_files. */
int bsql_files_make(struct bsql_files *files, struct bsql_shadow *shadow);
/* The memory becomes what t_files has; or t_files what the memory has. */
int bsql_files_load(struct bsql_files *files, struct bsql_shadow *shadow);
int bsql_files_save(struct bsql_files *files, struct bsql_shadow *shadow);
/* After a commit in memory: what is another file now is not known any more. */
void bsql_files_forget_changed(struct bsql_files *files);
/* Is there an index in them? */
bool bsql_files_have_index(const struct bsql_files *files);

#endif
