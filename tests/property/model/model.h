/*
 * model.h: an index in memory, as plain as can be, for test_model.c to compare the real one with:
 * the files as they are now, the documents that the last commit holds, and which of them a query
 * finds. Written by the law (the manual pages), not by the code: its own reading of records, words,
 * folders and queries.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bitsift/index.h"
#include "core/bitsift/status.h"

/* ---- chance ---- */

void model_seed(uint64_t seed);
/* 0 .. n - 1 */
uint32_t roll(uint32_t n);
bool chance(uint32_t percent);

/* ---- what was done, as lines of a shell script ---- */

/* Begins the next operation; forgets all if number is 0. */
void trace_start(unsigned number, const char *name);
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The lines of the last n_operations to standard error; all of them to the file, if path is not
 * NULL. */
void trace_print(unsigned n_operations, const char *path);

/* ---- the files ---- */

enum model_kind {
	MODEL_FOLDER,
	MODEL_FILE,
	MODEL_LINK,
};

struct model_node {
	char *path; /* below the current folder, which is "." and in no list */
	enum model_kind kind;
	char *bytes; /* NUL-ended besides */
	size_t n_bytes;
};

struct model_disk {
	struct model_node *nodes;
	size_t n_nodes;
};

enum model_time {
	MODEL_TIME_NOW,
	MODEL_TIME_KEPT, /* the mtime that was there before */
	MODEL_TIME_PAST,
	MODEL_TIME_FUTURE,
};

/* All of these change the real files too, and trace it. What stands in the way is removed, folders
 * are made. */
void disk_deinit(struct model_disk *disk);
struct model_node *disk_find(const struct model_disk *disk, const char *path);
void disk_make_folder(struct model_disk *disk, const char *path);
/* in_place: the file that is there is written to, if there is one; else another takes its name. */
void disk_write(struct model_disk *disk, const char *path, const char *bytes, size_t n_bytes,
                bool in_place, enum model_time time);
void disk_append(struct model_disk *disk, const char *path, const char *bytes, size_t n_bytes);
void disk_link(struct model_disk *disk, const char *path, const char *target);
void disk_remove(struct model_disk *disk, const char *path);
void disk_rename(struct model_disk *disk, const char *from, const char *to);

/* ---- random changes ---- */

#define MODEL_MAX_SOURCES 10

/* The files, and the sources among them that are edited: folders s0 and s1, files, collections. */
struct model_files {
	struct model_disk disk;
	const char *content[MODEL_MAX_SOURCES]; /* labels, borrowed */
	size_t n_content;
	char rest[128];                  /* of a line half of which was appended */
	char undo[4096], undo_path[256]; /* before the last edit */
	size_t undo_bytes;
};

struct model_edit {
	const char *name;
	unsigned weight;
	void (*run)(struct model_files *files);
};

extern const struct model_edit model_edits[];
extern const size_t n_model_edits;

/* Makes what belongs at a label. */
void model_make(struct model_files *files, const char *label);
/* Lines of a collection, NUL-ended, the last one perhaps without end. To be freed. */
char *model_lines(uint32_t n);

/* ---- documents ---- */

#define MODEL_BREAK 255 /* between the fields of a record */

struct model_doc {
	uint32_t source;
	char *id;
	char *raw; /* the file, or the record's line */
	size_t raw_bytes;
	uint8_t *words; /* N of each word wN, 100 of any other */
	size_t n_words;
};

struct model_docs {
	struct model_doc *at;
	size_t n;
};

void docs_deinit(struct model_docs *docs);
void docs_add(struct model_docs *docs, const struct model_doc *doc); /* copies it */
void docs_drop(struct model_docs *docs, size_t i);
struct model_doc *docs_find(const struct model_docs *docs, uint32_t source, const char *id);

/* The records of a collection, in the order of the last one of each id; those before that were in
 * docs are replaced. */
void model_read_records(const char *label, uint32_t source, const char *bytes, size_t n_bytes,
                        struct model_docs *docs);
/* Whether a file of a folder is one: by its name, and by the first line that is not blank, if there
 * is one. */
bool model_is_collection(const struct model_node *node);
/* What is found at label now, in document order. all_files: ignored ones too. False: nothing is
 * there. */
bool model_read_source(const struct model_disk *disk, const char *label, uint32_t source,
                       bool all_files, struct model_docs *docs);

/* ---- commits ---- */

struct model_state {
	const char *sources[MODEL_MAX_SOURCES]; /* labels, borrowed */
	uint32_t n_sources;
	struct model_docs docs;     /* in document order */
	struct model_docs excluded; /* deleted by id, with the bytes they had */
};

void state_deinit(struct model_state *state);
void state_copy(const struct model_state *from, struct model_state *to_out);
/* A refresh, or a rebuild. */
struct model_refresh {
	const char *const *sources; /* that are looked at; none: everything */
	size_t n_sources;
	bool rebuild;      /* of the sources that are named; others stay */
	const char *input; /* of "-", if it is one of the sources; NULL: it is not */
	bool is_fresh;     /* nothing is committed: what is gone is not there, for this once */
};
/* The state after a refresh. BS_INVALID, BS_NOT_FOUND: the refresh fails, and *after_out equals
 * *before. */
enum bs_status state_refresh(const struct model_state *before, const struct model_disk *disk,
                             const struct model_refresh *refresh, struct model_state *after_out);
/* Whether something is there, and no empty folder. */
bool source_stands(const struct model_disk *disk, const char *label);
/* Whether a source has documents and does not stand. */
bool state_is_away(const struct model_state *state, const struct model_disk *disk, uint32_t source);
bool state_has_away(const struct model_state *state, const struct model_disk *disk);
/* The id is deleted wherever it stands. */
void state_delete(struct model_state *state, const char *id);
/* The id is deleted nowhere any more; what is on disk comes back with a refresh. How many were. */
size_t state_undo(struct model_state *state, const char *id);

/* ---- queries ---- */

struct model_query {
	int kind;
	uint32_t words[3];
	char text[64];
};

bool query_matches(const struct model_query *query, const struct model_doc *doc);

enum model_view {
	MODEL_CLEAN,   /* the disk is what was committed */
	MODEL_CHANGED, /* perhaps it is not */
	MODEL_FRESH,   /* opened so: state is what a refresh would commit now */
};

/*
 * Compares what the index answers to some queries with what it should: state is the commit that it
 * was opened on, disk the files as they are now. Returns whether they agree; says if not.
 */
bool model_compare(struct bs_index *index, const struct model_state *state,
                   const struct model_disk *disk, enum model_view view, unsigned n_queries);
