/*
 * source_list.h: determines the sources of a run, which of them are read, and what becomes of the
 * sources in the previous commit. A source is identified by its path without symlinks, so that each
 * file belongs to one source: a path below a recorded folder is a part of that folder, and a new
 * folder absorbs recorded sources inside it, unless its rules skip them.
 */
#pragma once

#include "core/base/vector.h"
#include "corpus/changes/exclusions.h"
#include "indexer/run/away.h"
#include "indexer/run/index_writer.h"

/* A source of the next commit. */
struct bs_listed_source {
	char *place;      /* its path without symlinks; see bs_recorded_canonical */
	bool is_followed; /* it may be read, see struct bs_consent */
	bool is_read;     /* false: it is not read, and stays unchanged */
	bool is_anew;     /* a rebuild named it: ignore what the index knows of it */
	/* it cannot be read; a full run takes its documents from stored texts */
	bool is_restored;
	/* its number in the previous commit, if it was a source there; otherwise BS_SOURCE_GONE */
	uint32_t old;
	bool is_absorbing; /* it absorbs other sources, whose texts are read again */
	/* `parts` are now sources of their own, so they are read only to remove their documents
	 * from this source */
	bool is_left;
	/* NULL-terminated array: only these parts are read; NULL: the whole source */
	const char **parts;
	size_t n_parts;
};

BS_VECTOR(bs_source_strings, char *);

/* Zero-initialise; release with bs_source_list_deinit. */
struct bs_source_list {
	struct bs_listed_source *sources; /* one for each source of the writer's manifest */
	struct bs_source_move *moves;     /* one for each source of the previous commit */
	uint32_t n_sources, n_moves;
	uint32_t n_read;                  /* number of sources with is_read */
	bool is_changed;                  /* the list differs from that of the previous commit */
	bool read_stdin;                  /* the request names standard input */
	struct bs_source_strings strings; /* referenced by parts and moves */
};

/* The input of a list, in addition to the writer's request. */
struct bs_source_list_request {
	const struct bs_manifest *old;     /* the previous commit, zeros if there is none */
	const struct bs_away_index *index; /* for messages about missing sources */
	bool is_full;                      /* everything is read again */
	/* a new source is labelled by its path from the index's folder, not as the user spelled
	 * it */
	bool by_place;
};

/*
 * Checks the arguments of a rebuild. BS_INVALID if one is not a source of the previous commit. If
 * the index is damaged, unknown arguments are allowed, but not parts of a source. BS_NOT_FOUND or
 * BS_IO if one does not exist or cannot be read. *left_out: a source that is neither named nor
 * forgotten, preferably standard input; BS_SOURCE_GONE if there is none.
 */
enum bs_status bs_source_list_check_rebuild(struct bs_index_writer *writer,
                                            const struct bs_source_list_request *request,
                                            uint32_t *left_out,
                                            struct bs_error *err) BS_WARN_UNUSED;

/*
 * Fills in the sources of the writer's manifest, from the writer's request and the previous commit.
 * An argument that cannot be read is reported and skipped. BS_INVALID: there is no source, a label
 * is in use, or a source to forget is unknown. BS_NOT_FOUND: no argument can be read, or, in a full
 * run, a source is missing (bs_away_refuse). BS_NO_MEMORY, BS_IO.
 */
enum bs_status bs_source_list_make(struct bs_source_list *list, struct bs_index_writer *writer,
                                   const struct bs_source_list_request *request,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_source_list_deinit(struct bs_source_list *list);

/* Fails with BS_INVALID: there is no source. */
enum bs_status bs_source_list_fail_empty(struct bs_error *err);
