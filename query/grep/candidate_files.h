/*
 * candidate_files.h: the files of an index's sources that a search has to look into, given the
 * candidates (gram_filter.h).
 *
 * Two ways. Either the index is trusted, and lists them (bs_candidate_files): the candidates, and
 * the files that are no documents, as when they are binary (if a match may stand before the first
 * NUL byte), in document order. That list is right for a walk by the rules that the index was made
 * by (options in the manifest: hidden, no_ignore, globs), and for one that takes fewer of those
 * files; one that takes others must do its own walk. Or the tree is walked, and the index is asked
 * of each file (bs_gram_cover): of what is new, changed, or of no known age it knows nothing, and
 * it must be looked into.
 */
#pragma once

#include "core/store/doc_order.h"
#include "core/store/snapshot.h"

/* A list of one source's files. Of a folder, names are paths below it; a file, and a collection,
 * which is always listed if it has no row, has the empty name; of standard input there are none. */
struct bs_candidate_files {
	const struct bs_snapshot *snapshot;
	uint32_t source;
	uint32_t kind;
	struct bs_doc_cursor cursor; /* of the candidates */
	uint64_t least_bytes;        /* of a match */
	size_t non_documents_at;     /* in the manifest's list: behind non_documents */
	const char *non_documents;   /* the next; NULL: no more */
	bool has_no_row;             /* of a collection: it is still to be listed */
};

/* All is borrowed until deinit, also after a failure. source < the manifest's n_sources. Of a
 * folder's files that are no documents, those are left out of which fewer than least_bytes stand
 * before their first NUL byte: 0 where that does not end the search. BS_NO_MEMORY, BS_CORRUPT. */
enum bs_status bs_candidate_files_init(struct bs_candidate_files *list,
                                       const struct bs_snapshot *snapshot,
                                       const struct bs_doc_bits *candidates, uint32_t source,
                                       uint64_t least_bytes, struct bs_error *err) BS_WARN_UNUSED;
/* The next name, borrowed from the snapshot, not NUL-ended; NULL at the end. BS_CORRUPT, also for a
 * name that leads out of its source. */
enum bs_status bs_candidate_files_next(struct bs_candidate_files *list, const uint8_t **name_out,
                                       size_t *name_bytes_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_candidate_files_deinit(struct bs_candidate_files *list);

enum bs_gram_answer {
	BS_GRAM_NOT_COVERED, /* the index does not know this file as it is now: search it */
	BS_GRAM_CANDIDATE,   /* it does, and it may match: search it */
	BS_GRAM_NO_MATCH,    /* it does, and it cannot match */
};

struct bs_gram_cover {
	const struct bs_snapshot *snapshot;
	const struct bs_doc_bits *candidates;
	uint32_t source;
	struct bs_doc_cursor cursor;
	struct bs_buffer last; /* name asked last */
};

/* Of a folder's, file's or collection's source; of others nothing is covered. As above. */
enum bs_status bs_gram_cover_init(struct bs_gram_cover *cover, const struct bs_snapshot *snapshot,
                                  const struct bs_doc_bits *candidates, uint32_t source,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* name: below the source, as in the list. fingerprint: size, mtime ns, ctime ns, inode, as
 * bs_fingerprint_record makes them; NULL: take the index's word that it is unchanged. Quick where
 * names come in document order, which a walk's do; right in any. */
enum bs_status bs_gram_cover_ask(struct bs_gram_cover *cover, const uint8_t *name,
                                 size_t name_bytes, const uint64_t fingerprint[4],
                                 enum bs_gram_answer *answer_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_gram_cover_deinit(struct bs_gram_cover *cover);
