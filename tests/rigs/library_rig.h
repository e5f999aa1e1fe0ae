/*
 * library_rig.h: a temporary folder, files in it, and opened indexes. Uses the public interface
 * only. Every helper fails the test if something goes wrong.
 */
#pragma once

#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

/* Makes an empty folder; `folder` receives its absolute path. enter_new_folder also makes it the
 * current folder. */
#define FOLDER_BYTES 64
void make_folder(char folder[FOLDER_BYTES]);
void enter_new_folder(char folder[FOLDER_BYTES]);
void remove_folder(const char *folder);

/* Enters a new folder that has the record file a.jsonl. */
int library_setup(const char *records);
int library_teardown(void **state);

void write_text(const char *path, const char *text);
void append_text(const char *path, const char *text);

AUTO_OF(struct bs_index, bs_index_close)
AUTO_OF(struct bs_searcher, bs_searcher_free)

static inline struct bs_index *must_open(const char *dir)
{
	struct bs_index *index;
	ok(bs_index_open(dir, &index, ERR));
	return index;
}

static inline struct bs_index *must_open_with(const struct bs_open_request *request)
{
	struct bs_index *index;
	ok(bs_index_open_with(request, &index, ERR));
	return index;
}

static inline struct bs_searcher *must_searcher(const struct bs_index *index)
{
	struct bs_searcher *searcher;
	ok(bs_searcher_new(index, &searcher, ERR));
	return searcher;
}
