/*
 * file_checks.h: checks, on several threads and ahead of a walk, whether the files of an index are
 * unchanged.
 *
 * If nearly all files are unchanged, these checks are most of the cost of a search that does not
 * trust the index. They can run ahead because the index knows the names before the walk finds them.
 * grep's candidates are not checked, because they are searched in any case.
 */
#pragma once

#include "core/store/snapshot.h"

struct bs_file_checks;

/* Starts to compare the files of the folder that is source number `source`, documents and skipped
 * files, with their recorded fingerprints. candidates (nullable) are left out, because they are
 * searched anyway. path: the folder, relative to the working directory or absolute. n_threads:
 * threads in addition to the caller's; may be 0. All arguments are borrowed until the result is
 * freed. BS_NO_MEMORY. */
enum bs_status bs_file_checks_start(const struct bs_snapshot *snapshot,
                                    const struct bs_doc_bits *candidates, uint32_t source,
                                    const char *path, unsigned n_threads,
                                    struct bs_file_checks **checks_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Whether the file of a document, which must not be a candidate, is unchanged since it was indexed.
 * For a skipped file, `segment` is manifest.n_segments, and `document` its number among the skipped
 * files of the source. Waits for the result or helps to compute it. Call it only on the thread that
 * called bs_file_checks_start. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_file_checks_is_unchanged(struct bs_file_checks *checks, struct bs_doc_ref ref,
                                           bool *unchanged_out,
                                           struct bs_error *err) BS_WARN_UNUSED;

/* checks is nullable. */
void bs_file_checks_free(struct bs_file_checks *checks);
