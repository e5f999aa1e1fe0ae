/* model.h: a simple model of an index, in memory, with which test_model.c compares the real one:
 * the current files, the documents of the last commit, and the documents that a query matches.
 * It follows the manual pages, not the code: it parses records, words, folders and queries on
 * its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bitsift/index.h"
#include "core/bitsift/status.h"
#include "tests/rigs/dice.h"

/* ---- the trace: operations as lines of a shell script ---- */

#define MODEL_OPERATIONS 100 /* the most operations of a trace */

/* Begins operation `number`. Operation 0 first discards the previous trace. */
void trace_start(unsigned number, const char *name);
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the lines of the last n_operations to standard error. Also writes the whole trace to the
 * file `path`, if it is not NULL. */
void trace_print(unsigned n_operations, const char *path);

/* ---- the files ---- */

enum model_kind {
	MODEL_FOLDER,
	MODEL_FILE,
	MODEL_LINK,
};

struct model_node {
	char *path; /* relative to the current folder, which itself has no node */
	enum model_kind kind;
	char *bytes; /* n_bytes bytes and a NUL */
	size_t n_bytes;
};

struct model_disk {
	struct model_node *nodes;
	size_t n_nodes;
};

enum model_time {
	MODEL_TIME_NOW,
	MODEL_TIME_KEPT, /* the file's previous mtime */
	MODEL_TIME_PAST,
	MODEL_TIME_FUTURE,
};

/* The functions from disk_make_folder on change the model's files and the real files, and append to
 * the trace. Existing files in the way are removed; missing parent folders are created. */
void disk_deinit(struct model_disk *disk);
struct model_node *disk_find(const struct model_disk *disk, const char *path);
void disk_make_folder(struct model_disk *disk, const char *path);
/* in_place: an existing file is overwritten; otherwise a new file is renamed over it. */
void disk_write(struct model_disk *disk, const char *path, const char *bytes, size_t n_bytes,
                bool in_place, enum model_time time);
void disk_append(struct model_disk *disk, const char *path, const char *bytes, size_t n_bytes);
void disk_link(struct model_disk *disk, const char *path, const char *target);
void disk_remove(struct model_disk *disk, const char *path);
void disk_rename(struct model_disk *disk, const char *from, const char *to);

/* ---- random changes ---- */

#define MODEL_MAX_SOURCES 10

/* The files, and one to three sources among them: s0 and s1 (folders), f.txt, c.jsonl, d.ndjson. */
struct model_files {
	struct model_disk disk;
	const char *content[MODEL_MAX_SOURCES]; /* source labels, borrowed */
	size_t n_content;
	char rest[128];                  /* of a line whose first part was appended; "": none */
	char undo[4096], undo_path[256]; /* a file's content before its last edit */
	size_t undo_bytes;
};

struct model_edit {
	const char *name;
	unsigned weight;
	void (*run)(struct model_files *files);
};

extern const struct model_edit model_edits[];
extern const size_t n_model_edits;

/* Creates a source with random content: a collection, a file or a folder, by its label. */
void model_make(struct model_files *files, const char *label);
/* Returns n lines of a collection as a NUL-terminated text, which the caller frees. The last line
 * may lack its line end. */
char *model_lines(uint32_t n);

/* ---- documents ---- */

#define MODEL_BREAK 255 /* separates the fields of a record */

struct model_doc {
	uint32_t source;
	char *id;
	char *raw; /* the file's bytes, or the record's line */
	size_t raw_bytes;
	uint8_t *words; /* N for each word wN, 100 for any other word, MODEL_BREAK between fields */
	size_t n_words;
};

struct model_docs {
	struct model_doc *at;
	size_t n;
};

void docs_deinit(struct model_docs *docs);
struct model_doc *docs_find(const struct model_docs *docs, uint32_t source, const char *id);

/* Adds the current documents of a source, in document order; all_files: also those of ignored
 * files. Returns false if the source does not exist. */
bool model_read_source(const struct model_disk *disk, const char *label, uint32_t source,
                       bool all_files, struct model_docs *docs);

/* ---- commits ---- */

struct model_state {
	const char *sources[MODEL_MAX_SOURCES]; /* source labels, borrowed */
	uint32_t n_sources;
	struct model_docs docs; /* in document order */
	/* Documents that were deleted by id, with the bytes that they had then. */
	struct model_docs excluded;
};

void state_deinit(struct model_state *state);
void state_copy(const struct model_state *from, struct model_state *to_out);
/* The request of a refresh or a rebuild. */
struct model_refresh {
	const char *const *sources; /* the sources to read; n_sources 0: all */
	size_t n_sources;
	bool rebuild;      /* rebuild the named sources; others keep their documents */
	const char *input; /* the text of standard input; NULL: "-" is not read */
	/* A fresh view: nothing is committed, and documents of missing sources are left out. */
	bool is_fresh;
};
/* Computes the state after a refresh. BS_INVALID, BS_NOT_FOUND: the refresh fails, and *after_out
 * is a copy of *before. */
enum bs_status state_refresh(const struct model_state *before, const struct model_disk *disk,
                             const struct model_refresh *refresh, struct model_state *after_out);
/* Whether the source exists and is not an empty folder. */
bool source_stands(const struct model_disk *disk, const char *label);
/* Whether some source has documents but no longer exists, or is an empty folder. */
bool state_has_away(const struct model_state *state, const struct model_disk *disk);
/* Deletes the id's documents in all sources. */
void state_delete(struct model_state *state, const char *id);
/* Undoes the deletion of an id in all sources and returns the number of undone exclusions. The next
 * refresh reads the documents again. */
size_t state_undo(struct model_state *state, const char *id);

/* ---- queries ---- */

enum model_view {
	MODEL_CLEAN,   /* the files have not changed since the commit */
	MODEL_CHANGED, /* the files may have changed since the commit */
	MODEL_FRESH,   /* the index was opened fresh: state is what a refresh would commit now */
};

/* Compares the index's answers to random queries with the model. state: the commit that the index
 * was opened on. disk: the current files. Returns whether all agree, and prints the first
 * difference. */
bool model_compare(struct bs_index *index, const struct model_state *state,
                   const struct model_disk *disk, enum model_view view, unsigned n_queries);
