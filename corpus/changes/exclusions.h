/*
 * exclusions.h: documents that are excluded from an index although their sources still have them. A
 * deleted document gets a tombstone, and also an exclusion, because each later reading of its
 * source finds it again. An exclusion lasts until its document changes or disappears, or until the
 * deletion is undone. The exclusions of a snapshot are looked up here while sources are read; the
 * next commit records those that remain.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"
#include "core/collections/term_table.h"
#include "core/store/snapshot.h"
#include "corpus/changes/id_owners.h"
#include "corpus/read/source.h"

/* The state of an exclusion in this run. */
enum bs_exclusion_state {
	BS_EXCLUSION_UNSEEN,
	BS_EXCLUSION_UNCHANGED,  /* the file still has the recorded fingerprint */
	BS_EXCLUSION_READ_AGAIN, /* a document with its id was read */
	BS_EXCLUSION_OVER,       /* the document changed or is gone: the exclusion ends */
};

struct bs_exclusion {
	/* name: borrowed from the snapshot, or from bs_exclusions.names */
	struct bs_doc_record record;
	enum bs_exclusion_state state;
	/* READ_AGAIN: the last document that was read with this id; met.name is invalid */
	struct bs_doc_record met;
	/* READ_AGAIN: place of the document in met, for bs_id_owners_kill */
	struct bs_id_place place;
};

/* What happened to a source of the previous commit. */
struct bs_source_move {
	uint32_t number; /* number in the next manifest; BS_SOURCE_GONE: no longer a source */
	/* prefix that its documents' names get: the path of this source below the source that
	 * absorbed it; usually "" */
	const char *below;
	bool is_lost; /* its documents have other names now, so no exclusion can match them */
};
#define BS_SOURCE_GONE UINT32_MAX

/* Zero-initialise; release with bs_exclusions_deinit. One thread. */
struct bs_exclusions {
	struct bs_exclusion *entries;
	uint32_t n_entries;
	struct bs_term_table keys; /* key: id, then source number; df: index into entries */
	struct bs_buffer key;      /* scratch */
	/* the new names of documents whose source another source absorbed; entries point to them */
	struct bs_buffer names;
	bool is_changed; /* the exclusions to record differ from those of the snapshot */
};

/* Loads the exclusions of the snapshot (borrowed) and maps them to the sources of the manifest
 * `now`. moves (nullable): one for each source of the snapshot; NULL: the sources are unchanged.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_exclusions_init(struct bs_exclusions *exclusions,
                                  const struct bs_snapshot *snapshot, const struct bs_manifest *now,
                                  const struct bs_source_move *moves,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_exclusions_deinit(struct bs_exclusions *exclusions);

/* Finds the entry with the record's id in its source; *i_out: its index, UINT32_MAX if there is
 * none. BS_NO_MEMORY. */
enum bs_status bs_exclusions_find(struct bs_exclusions *exclusions, const struct bs_source *source,
                                  const struct bs_doc_record *record, uint32_t *i_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* If the record's id is excluded, notes that the document was read, and its place. A later document
 * with the same id replaces an earlier one. BS_NO_MEMORY. */
enum bs_status bs_exclusions_note_read(struct bs_exclusions *exclusions,
                                       const struct bs_source *source,
                                       const struct bs_doc_record *record, struct bs_id_place place,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Decides which exclusions of source `number` remain, after the source was read. Documents that
 * still have the deleted content are marked dead again; exclusions whose document has changed end.
 * is_whole: the whole source was read, so the exclusions of documents that were not read end too,
 * unless the file still exists (unreadable or ignored). BS_NO_MEMORY. */
enum bs_status bs_exclusions_settle(struct bs_exclusions *exclusions,
                                    const struct bs_source *source, uint32_t number, bool is_whole,
                                    struct bs_id_owners *owners,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Ends all exclusions of source `number`, which is no longer a source. */
void bs_exclusions_drop(struct bs_exclusions *exclusions, uint32_t number);
/* Appends the records of the entries that have not ended. BS_NO_MEMORY. */
enum bs_status bs_exclusions_record(const struct bs_exclusions *exclusions,
                                    struct bs_doc_table_builder *records,
                                    struct bs_error *err) BS_WARN_UNUSED;
