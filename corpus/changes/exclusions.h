/*
 * exclusions.h: documents out of an index, though their sources still have them: they get
 * tombstones, and are recorded as exclusions, since every reading of a source meets them again;
 * they stay out until they have changed. What a snapshot records of them is looked up here while
 * sources are read, and becomes what the next commit records.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"
#include "core/collections/term_table.h"
#include "core/store/snapshot.h"
#include "corpus/changes/id_owners.h"
#include "corpus/read/source.h"

/* What came of an entry in this run. */
enum bs_exclusion_state {
	BS_EXCLUSION_UNSEEN,
	BS_EXCLUSION_UNCHANGED, /* its file is what it was, by its fingerprint */
	BS_EXCLUSION_MET,       /* a document was read that bears its id */
	BS_EXCLUSION_OVER,      /* it changed, or is gone: no exclusion any more */
};

struct bs_exclusion {
	struct bs_doc_record record; /* name borrowed from the snapshot, or from names */
	enum bs_exclusion_state state;
	struct bs_doc_record met; /* MET: the last one; its name is not to be used */
	struct bs_id_place place; /* MET: where that is, for bs_id_owners_kill */
};

/* What has become of a source of the commit before. */
struct bs_source_move {
	uint32_t number; /* in the manifest to be; BS_SOURCE_GONE: it is none any more */
	/* stands before the names of its documents now: where it lies below that source; ""
	 * mostly */
	const char *below;
	bool is_lost; /* its documents' names are others now: none of them is known again */
};
#define BS_SOURCE_GONE UINT32_MAX

/* Zero-initialise; release with bs_exclusions_deinit. One thread. */
struct bs_exclusions {
	struct bs_exclusion *entries;
	uint32_t n_entries;
	struct bs_term_table keys; /* df: the number of the entry */
	struct bs_buffer key;      /* scratch */
	struct bs_buffer names;    /* of documents whose source was absorbed */
	bool is_changed;           /* what is recorded is not what should be */
};

/* Those of the snapshot, which is borrowed, under the sources of now, a manifest: moves, one a
 * source of the snapshot, say which those are. Without moves they are the snapshot's. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_exclusions_init(struct bs_exclusions *exclusions,
                                  const struct bs_snapshot *snapshot, const struct bs_manifest *now,
                                  const struct bs_source_move *moves,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_exclusions_deinit(struct bs_exclusions *exclusions);

/* The entry of the record's id in its source; *i_out is UINT32_MAX if there is none.
 * BS_NO_MEMORY. */
enum bs_status bs_exclusions_find(struct bs_exclusions *exclusions, const struct bs_source *source,
                                  const struct bs_doc_record *record, uint32_t *i_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* A document of the source was read: is its id one of them? Later ones of the same id take its
 * place. BS_NO_MEMORY. */
enum bs_status bs_exclusions_meet(struct bs_exclusions *exclusions, const struct bs_source *source,
                                  const struct bs_doc_record *record, struct bs_id_place place,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Source `number` has been read; is_whole: all of it, so that what was not met is gone (a file that
 * is there, but could not be read or is ignored, is not). Documents that are what was deleted are
 * killed again, entries that are not so end. BS_NO_MEMORY. */
enum bs_status bs_exclusions_settle(struct bs_exclusions *exclusions,
                                    const struct bs_source *source, uint32_t number, bool is_whole,
                                    struct bs_id_owners *owners,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* The source is none any more: nothing of it stays deleted. */
void bs_exclusions_drop(struct bs_exclusions *exclusions, uint32_t number);
/* Appends the records of the entries that go on. BS_NO_MEMORY. */
enum bs_status bs_exclusions_record(const struct bs_exclusions *exclusions,
                                    struct bs_doc_table_builder *records,
                                    struct bs_error *err) BS_WARN_UNUSED;
