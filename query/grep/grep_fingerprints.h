/*
 * grep_fingerprints.h: whether the files of an index are what was indexed, found out on several
 * threads ahead of the walk.
 *
 * To look at each file's fingerprint is most of what a fresh search costs when grams rule nearly
 * all files out, and the index knows their names before a walk has found them. Files that are to be
 * searched in any case are not looked at.
 */
#pragma once

#include "core/store/snapshot.h"

struct bs_grep_fingerprints;

/* Begins with the files of a folder, the n-th source of the index, that are no candidates. path:
 * the folder, openable from the current directory. All is borrowed until free. n_threads >= 0
 * beside the caller's. BS_NO_MEMORY. */
enum bs_status bs_grep_fingerprints_start(const struct bs_snapshot *snapshot,
                                          const struct bs_doc_bits *candidates, uint32_t source,
                                          const char *path, unsigned n_threads,
                                          struct bs_grep_fingerprints **fingerprints_out,
                                          struct bs_error *err) BS_WARN_UNUSED;

/* Whether the file of a document that is no candidate is what was indexed. Waits for the answer, or
 * helps to find it. The caller's thread only. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_grep_fingerprints_is_unchanged(struct bs_grep_fingerprints *fingerprints,
                                                 struct bs_doc_ref ref, bool *unchanged_out,
                                                 struct bs_error *err) BS_WARN_UNUSED;

/* NULL is fine. */
void bs_grep_fingerprints_free(struct bs_grep_fingerprints *fingerprints);
