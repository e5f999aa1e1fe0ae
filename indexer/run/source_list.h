/*
 * source_list.h: which sources a run has, which of them it looks at, and what becomes of those that
 * the commit before recorded. A source is known by its place, without links, so that each file
 * belongs to one: what lies in a recorded folder is a part of it, and a folder absorbs what was
 * recorded inside of it, unless its rules leave that out.
 */
#pragma once

#include "core/base/vector.h"
#include "corpus/changes/exclusions.h"
#include "indexer/run/away.h"
#include "indexer/run/index_writer.h"

/* A source of the commit to be. */
struct bs_listed_source {
	char *place; /* see bs_recorded_place */
	bool is_followed;
	bool is_read; /* else it stays as it was */
	bool is_anew; /* a rebuild named it: nothing that is known of it is trusted */
	/* it cannot be read; of a full run its documents come from their stored texts */
	bool is_restored;
	/* its number in the previous commit, if it was carried over unchanged, or BS_SOURCE_GONE */
	uint32_t old;
	bool is_absorbing; /* it takes in others: the texts that they had are read again */
	/* its parts are other sources now: it may only have to drop what it had there */
	bool is_left;
	const char **parts; /* NULL-ended: only these are read; NULL: all of it */
	size_t n_parts;
};

BS_VECTOR(bs_source_strings, char *);

/* Zero-initialise; release with bs_source_list_deinit. */
struct bs_source_list {
	struct bs_listed_source *sources; /* one a source of the writer's manifest */
	struct bs_source_move *moves;     /* one a source of the commit before */
	uint32_t n_sources, n_moves;
	uint32_t n_read;
	bool is_changed; /* it is not the list of the commit before */
	bool read_stdin;
	struct bs_source_strings strings; /* what parts and moves point to */
};

/* How a run came to its list. */
struct bs_source_list_request {
	const struct bs_manifest *old;     /* the commit before, zeros if there is none */
	const struct bs_away_index *index; /* that of the commit before */
	bool is_full;                      /* nothing stays as it was */
	/* new sources are named by where they are, not as they are spelled */
	bool by_place;
};

/*
 * Checks the arguments of a rebuild: BS_INVALID if one is not a source of the commit before (of a
 * damaged index: is part of one), BS_NOT_FOUND or BS_IO if it is not there or cannot be read.
 * *left_out: a source that is neither named nor to be forgotten, standard input before all others,
 * or BS_SOURCE_GONE.
 */
enum bs_status bs_source_list_check_rebuild(struct bs_index_writer *writer,
                                            const struct bs_source_list_request *request,
                                            uint32_t *left_out,
                                            struct bs_error *err) BS_WARN_UNUSED;

/*
 * Fills in the sources of the writer's manifest, by the request of its run and the commit before.
 * An argument that cannot be read is reported, and the others go on. BS_INVALID (no source; a name
 * that is taken; one to be forgotten that is none), BS_NOT_FOUND (none of the arguments can be
 * read; of a full run, see bs_away_refuse), BS_NO_MEMORY, BS_IO.
 */
enum bs_status bs_source_list_make(struct bs_source_list *list, struct bs_index_writer *writer,
                                   const struct bs_source_list_request *request,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_source_list_deinit(struct bs_source_list *list);

/* BS_INVALID: nothing to do. */
enum bs_status bs_source_list_fail_empty(struct bs_error *err);
