/*
 * source_list.h: determines the sources of a run, which of them it reads, and the changes of those
 * that the previous commit recorded. A source is identified by its path without symlinks, so that
 * each file belongs to one source: a path below a recorded folder is a part of that folder, and a
 * new folder absorbs recorded sources inside it, unless its rules skip them.
 */
#pragma once

#include "core/base/vector.h"
#include "corpus/changes/exclusions.h"
#include "indexer/run/away.h"
#include "indexer/run/index_writer.h"

/* A source of the next commit. */
struct bs_listed_source {
	char *place; /* see bs_recorded_canonical */
	bool is_followed;
	bool is_read; /* otherwise it stays unchanged */
	bool is_anew; /* a rebuild named it: ignore what the index knows of it */
	/* it cannot be read; a full run takes its documents from their stored texts */
	bool is_restored;
	/* number in the previous commit, if carried over unchanged; otherwise BS_SOURCE_GONE */
	uint32_t old;
	bool is_absorbing; /* it absorbs other sources: their texts are read again */
	/* its parts are other sources now: it is read only to drop their documents */
	bool is_left;
	const char **parts; /* NULL-terminated: only these parts are read; NULL: all of it */
	size_t n_parts;
};

BS_VECTOR(bs_source_strings, char *);

/* Zero-initialise; release with bs_source_list_deinit. */
struct bs_source_list {
	struct bs_listed_source *sources; /* one for each source of the writer's manifest */
	struct bs_source_move *moves;     /* one for each source of the previous commit */
	uint32_t n_sources, n_moves;
	uint32_t n_read;
	bool is_changed; /* it differs from the list of the previous commit */
	bool read_stdin;
	struct bs_source_strings strings; /* referenced by parts and moves */
};

/* The input of a list, besides the writer's request. */
struct bs_source_list_request {
	const struct bs_manifest *old;     /* the previous commit, zeros if there is none */
	const struct bs_away_index *index; /* index of the previous commit */
	bool is_full;                      /* everything is read again */
	/* new sources are labelled by their path from the index's folder, not as spelled */
	bool by_place;
};

/*
 * Checks the arguments of a rebuild: BS_INVALID if one is not a source of the previous commit (in a
 * damaged index: if it is only a part of one), BS_NOT_FOUND or BS_IO if it does not exist or cannot
 * be read. *left_out: a source that is neither named nor forgotten, preferably standard input, or
 * BS_SOURCE_GONE.
 */
enum bs_status bs_source_list_check_rebuild(struct bs_index_writer *writer,
                                            const struct bs_source_list_request *request,
                                            uint32_t *left_out,
                                            struct bs_error *err) BS_WARN_UNUSED;

/*
 * Fills in the sources of the writer's manifest, from the request of its run and the previous
 * commit. An argument that cannot be read is reported and skipped. BS_INVALID (no source; a label
 * that is in use; an unknown source to forget), BS_NOT_FOUND (no argument can be read; in a full
 * run, see bs_away_refuse), BS_NO_MEMORY, BS_IO.
 */
enum bs_status bs_source_list_make(struct bs_source_list *list, struct bs_index_writer *writer,
                                   const struct bs_source_list_request *request,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_source_list_deinit(struct bs_source_list *list);

/* Fails with BS_INVALID: there is no source. */
enum bs_status bs_source_list_fail_empty(struct bs_error *err);
