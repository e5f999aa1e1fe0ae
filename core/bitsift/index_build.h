/*
 * index_build.h: building, refreshing and compacting an index. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_INDEX_BUILD_H
#define BITSIFT_INDEX_BUILD_H

#include "build.h"

BS_BEGIN_DECLS

/*
 * Makes an index, or refreshes the one in request->dir: takes the writer's lock, looks at its sources, reads what is
 * new or changed, writes new files beside the old ones and commits by replacing the manifest; then compacts a little,
 * if it is time to. Until then, and whatever happens (a crash too), the old index stays as it was, and those who have
 * it open keep what they opened. Equal input and options give equal bytes.
 *
 * A source that held documents and is gone, or is a folder without any entry but the index, as if its file system were not
 * mounted, keeps its documents; skipped is called with BS_SKIP_GONE and a line that says so. Where everything would be read
 * again (rebuild without sources; another version of Unicode), its documents are made anew from their stored texts; where
 * these are not stored, or the source cannot be read, the run fails.
 *
 * BS_OK: committed, even if documents were skipped or some could not be read (n_unread). Otherwise nothing changed, and
 * *report_out says how far it came, and a directory that the run itself made is gone again: BS_INVALID (an option out of its range or unlike the recorded ones, an unknown
 * stemmer, no source given or recorded, with rebuild one that is not recorded, with strict a bad record), BS_BUSY (another
 * writer), BS_NOT_FOUND (no source could be read; one that everything would be read of again is gone), BS_IO, BS_CORRUPT (of the old index: rebuild mends it), BS_STOPPED, BS_UNSUPPORTED (the old index is
 * of a newer format, or its words were cut by another analyzer), BS_DEADLINE, BS_UNTRUSTED (the old index; or everything would have to be read again, and a source is not
 * followed), BS_NO_MEMORY.
 *
 * The directory and its files are for their owner alone, unless shared is set and every source may be read by its group
 * or by others: each file read or found unchanged, each collection, and each folder named as a source, by its own mode.
 * Standard input, a source that is not there or not followed, or a file that cannot be read counts as one that may not.
 *
 * report_out may be NULL. Any number of threads and processes may build different indexes at once, and open this one.
 * To know a folder's files as ripgrep does, the environment's HOME and XDG_CONFIG_HOME are read, for git's excludes.
 */
BS_API enum bs_status bs_index_build(const struct bs_build_request *request, struct bs_build_report *report_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Everything that compaction can do, which a refresh does in small steps: few large segments instead of many small
 * ones, and deleted documents gone. Matches stay what they are; scores move as deleted documents no longer count.
 * Documents whose sources changed since they were indexed, or are not followed, are left as they are. Of the request,
 * dir, wait, memory_bytes, n_threads, consent and the callbacks count. Files stay as private as the index was. Returns
 * as bs_index_build; BS_NOT_FOUND: there is no index. */
BS_API enum bs_status bs_index_compact(const struct bs_build_request *request, struct bs_build_report *report_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
