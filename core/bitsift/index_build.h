/*
 * index_build.h: building, refreshing and compacting an index. Part of the public interface; see
 * bitsift.h.
 */
#ifndef BITSIFT_INDEX_BUILD_H
#define BITSIFT_INDEX_BUILD_H

#include "build.h"

BS_BEGIN_DECLS

/*
 * Builds an index, or refreshes the one in request->dir. Takes the writer's lock, checks the
 * sources, reads new and changed documents, writes new files next to the old ones and commits by
 * replacing the manifest. Then merges a few segments if merging is due. Until the commit, and after
 * a failure or a crash, the old index is unchanged; readers keep seeing the commit that they
 * opened. Equal input and options give equal bytes.
 *
 * A source that had documents and no longer exists, or is now an empty folder apart from the index
 * (perhaps it is not mounted), keeps its documents; `skipped` is called with BS_SKIP_GONE.
 * If everything must be read again (a rebuild without sources, another version of Unicode), the
 * documents of such a source are indexed again from their stored texts; the run fails if they are
 * not stored, or if a source cannot be read.
 *
 * BS_OK: committed, although documents may have been skipped or unreadable (n_unread). Any failure
 * leaves the index unchanged; a directory that the run created is removed, and *report_out has the
 * counts so far. BS_INVALID (an option out of range or unlike the recorded one, an unknown stemmer,
 * no source named or recorded, a rebuild of an unrecorded source, an invalid record with `strict`),
 * BS_BUSY, BS_NOT_FOUND (no source could be read, or one that must be read again is gone), BS_IO,
 * BS_CORRUPT (the old index; a rebuild mends it), BS_STOPPED, BS_UNSUPPORTED (an index of a newer
 * format, or of another analyzer), BS_DEADLINE, BS_UNTRUSTED (the old index; or everything must be
 * read again and a source is not followed), BS_NO_MEMORY.
 *
 * The directory and its files are private to their owner, unless `shared` is set and every source
 * may be read by its group or by others: each file that is read or unchanged, each collection, and
 * each folder that is a source, by its own mode. Standard input, a missing or unfollowed source,
 * and an unreadable file count as private.
 *
 * report_out may be NULL. Threads and processes may build different indexes at once, and may open
 * an index while it is built. The environment variables HOME and XDG_CONFIG_HOME are read to find
 * git's global excludes.
 */
BS_API enum bs_status bs_index_build(const struct bs_build_request *request,
                                     struct bs_build_report *report_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Merges all segments into a few large ones (refreshes do so in small steps), and removes deleted
 * documents. Matches stay the same; scores change because deleted documents no longer count.
 * Documents whose sources changed since they were indexed, or are not followed, are not moved. Uses
 * dir, memory, write, callbacks, host and limits of the request. The permissions of files do not
 * change. Fails as bs_index_build; BS_NOT_FOUND: there is no index. */
BS_API enum bs_status bs_index_compact(const struct bs_build_request *request,
                                       struct bs_build_report *report_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
