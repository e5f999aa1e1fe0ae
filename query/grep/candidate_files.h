/*
 * candidate_files.h: the files of an index's sources that a search must read, given the candidates
 * (gram_filter.h). There are two ways:
 *
 * Trust the index and list its files (bs_candidate_files): the candidates, and the skipped files,
 * such as binary files (if a match may be before their first NUL byte), in document order. The list
 * replaces a walk by the rules of the index, or a walk that selects some of the same files. A walk
 * by other rules may find files that the list lacks.
 *
 * Or walk, and ask the index about each file (bs_gram_cover). Files that are new or changed, or
 * whose recorded fingerprint is racy, are not covered by the index and must be read.
 */
#pragma once

#include "core/store/doc_order.h"
#include "core/store/snapshot.h"

/* The files of one source. Names are paths below a folder source, and empty for a source that is a
 * file or a collection. A collection without a row is always listed. Standard input has no
 * files. */
struct bs_candidate_files {
	const struct bs_snapshot *snapshot;
	uint32_t source;
	uint32_t kind;
	struct bs_doc_cursor cursor; /* over the listed documents */
	uint64_t least_bytes;        /* see bs_candidate_files_init */
	/* the place after the next skipped file in the manifest's list of skipped files */
	struct bs_non_document_place non_documents_at;
	const char *non_documents;            /* name of the next skipped file; NULL: no more */
	struct bs_non_documents next_skipped; /* entry of the next skipped file in the manifest */
	bool has_no_row; /* the collection has no row and is still to be listed */
	/* The last file returned, if it is a document; otherwise found.segment is BS_DOC_NONE. */
	struct bs_doc_ref found;
	struct bs_non_documents skipped; /* the last file returned, if it is a skipped file */
};

#define BS_ALL_BEFORE_NUL UINT64_MAX
/* True if a search need not read this skipped file of a folder: its first NUL byte ends the search
 * before a match. least_bytes: see bs_candidate_files_init. */
bool bs_skipped_file_is_out(const struct bs_non_documents *file, uint64_t least_bytes);

/* Begins the list of the files of source number `source` < manifest.n_sources. candidates NULL: all
 * documents are listed. A skipped file of a folder is left out if its first NUL byte is within its
 * first least_bytes bytes; UTF-16, where that byte's offset is unknown, only with
 * BS_ALL_BEFORE_NUL. Pass the least number of bytes of a match; BS_ALL_BEFORE_NUL if a NUL byte in
 * the first 64 KiB ends the search before anything is found; 0 if a NUL byte does not end the
 * search. All arguments are borrowed until deinit, also after a failure. BS_NO_MEMORY,
 * BS_CORRUPT. */
enum bs_status bs_candidate_files_init(struct bs_candidate_files *list,
                                       const struct bs_snapshot *snapshot,
                                       const struct bs_doc_bits *candidates, uint32_t source,
                                       uint64_t least_bytes, struct bs_error *err) BS_WARN_UNUSED;
/* Returns the next name, borrowed from the snapshot and not NUL-terminated; NULL at the end.
 * BS_CORRUPT, also for a name that leads out of its source. */
enum bs_status bs_candidate_files_next(struct bs_candidate_files *list, const uint8_t **name_out,
                                       size_t *name_bytes_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_candidate_files_deinit(struct bs_candidate_files *list);

enum bs_gram_answer {
	BS_GRAM_NOT_COVERED, /* the index does not know the current state of this file: search it */
	BS_GRAM_CANDIDATE,   /* the file may match: search it */
	BS_GRAM_NO_MATCH,    /* the file cannot match */
};

struct bs_gram_cover {
	const struct bs_snapshot *snapshot;
	const struct bs_doc_bits *candidates;
	uint32_t source;
	uint64_t least_bytes;
	struct bs_doc_cursor cursor;
	struct bs_buffer last; /* the name in the last call of bs_gram_cover_ask */
	/* After BS_GRAM_NO_MATCH: the file that cannot match. For a skipped file, `segment` is
	 * manifest.n_segments, and `document` its number among the skipped files of the source. */
	struct bs_doc_ref found;
	struct bs_non_documents skipped; /* the next skipped file of the source, if has_skipped */
	uint32_t n_skipped;              /* index of `skipped` among the source's skipped files */
	struct bs_non_document_place skipped_at; /* the place after `skipped` in the manifest */
	bool has_skipped;
};

/* Prepares bs_gram_cover_ask for the files of source number `source`: a folder, a file or a
 * collection. Other files are BS_GRAM_NOT_COVERED. candidates: documents that may match.
 * least_bytes: as in bs_candidate_files_init; skipped files that are left out there are
 * BS_GRAM_NO_MATCH here. All arguments are borrowed until deinit, also after a failure.
 * BS_NO_MEMORY, BS_CORRUPT. */
enum bs_status bs_gram_cover_init(struct bs_gram_cover *cover, const struct bs_snapshot *snapshot,
                                  const struct bs_doc_bits *candidates, uint32_t source,
                                  uint64_t least_bytes, struct bs_error *err) BS_WARN_UNUSED;
/* Decides whether a file must be searched. name: as returned by bs_candidate_files_next.
 * fingerprint: the file's size, mtime ns, ctime ns and inode, as made by bs_fingerprint_record;
 * NULL: assume the file is unchanged. Names may be passed in any order; document order, which is
 * the order of a walk, is fastest. BS_NO_MEMORY, BS_CORRUPT. */
enum bs_status bs_gram_cover_ask(struct bs_gram_cover *cover, const uint8_t *name,
                                 size_t name_bytes, const uint64_t fingerprint[4],
                                 enum bs_gram_answer *answer_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_gram_cover_deinit(struct bs_gram_cover *cover);
