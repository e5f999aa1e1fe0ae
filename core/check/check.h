/*
 * check.h: is an index what FORMAT.md says it must be? Verifies every byte and names the first inconsistency.
 *
 * Opening verifies what crashes are made of, touching verifies checksums; this looks at the rest: that columns have the
 * popcounts stored for them, that every document is in one slab, that the matrix has room for every term's documents
 * and for no more where it says that it is exact, and so on. It reads the bytes by itself where it can, so that it is a
 * second opinion on the writer's and the readers' understanding of the format. Stored text is decoded by
 * corpus/changes/stored_text.h, which knows its compression.
 */
#ifndef BS_CORE_CHECK_CHECK_H
#define BS_CORE_CHECK_CHECK_H

#include <stdint.h>

#include "core/base/error.h"
#include "core/store/snapshot.h"

/* Decodes the stored text of a segment that has some. */
typedef enum bs_status bs_check_stored_text(const struct bs_snapshot *snapshot, uint32_t segment, struct bs_error *err);

/*
 * Checks the last commit in dir. BS_CORRUPT with the file and what is wrong with it; BS_NOT_FOUND, BS_IO,
 * BS_UNSUPPORTED, BS_NO_MEMORY as bs_snapshot_open. Memory: beside the opened index, nine bytes a document and four a
 * term of one segment. request, nullable: only its progress counts. stored_text, nullable: bs_stored_text_check;
 * without it only the places of stored text are checked.
 */
enum bs_status bs_check_dir(const struct bs_dir *dir, const struct bs_check_request *request,
                            bs_check_stored_text *stored_text, struct bs_check_report *report_out,
                            struct bs_error *err) BS_WARN_UNUSED;

#endif
