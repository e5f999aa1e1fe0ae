/*
 * index_build.h: building, refreshing and compacting an index. Part of the public interface; see
 * bitsift.h.
 */
#ifndef BITSIFT_INDEX_BUILD_H
#define BITSIFT_INDEX_BUILD_H

#include "build.h"

BS_BEGIN_DECLS

/*
 * Builds an index, or refreshes the one in request->dir. The run takes the writer's lock, checks
 * the sources, reads new and changed documents, writes new files next to the old ones and commits
 * by replacing the manifest. Then it merges a few segments if there are too many of about the same
 * size. Until the commit, and after a failure or a crash, the old index is unchanged. Readers keep
 * seeing the commit that they opened. Equal input and options give an index of equal bytes.
 *
 * A source that had documents may no longer exist, or may now be a folder that contains nothing but
 * the index (perhaps it is not mounted). Its documents stay in the index, and `skipped` is called
 * with BS_SKIP_GONE. If everything must be read again (in a rebuild that names no sources, or
 * because of another version of Unicode), the documents of a source that is gone are indexed again
 * from their stored texts; the run fails if their texts are not stored, or if another source cannot
 * be read.
 *
 * BS_OK: the index is up to date, except for documents that were skipped or could not be read
 * (n_unread). Any failure leaves the index unchanged; a directory that the run created is removed,
 * and *report_out has the counts so far. BS_INVALID (an option out of range or unlike the recorded
 * one, an unknown stemmer, no source named or recorded, a rebuild of an unrecorded source, an
 * invalid record with `strict`), BS_BUSY, BS_NOT_FOUND (no source could be read, or one that must
 * be read again is gone), BS_IO, BS_CORRUPT (the old index is damaged; a rebuild replaces it),
 * BS_STOPPED, BS_UNSUPPORTED (an index of a newer format, or of another analyzer), BS_DEADLINE,
 * BS_UNTRUSTED (the old index is not trusted; or everything must be read again, and a source is not
 * followed), BS_NO_MEMORY.
 *
 * The directory and its files are private to their owner. With `shared`, their group and others get
 * the access that the umask leaves them, if they may read every source. These are checked: each
 * file that is read or unchanged, each collection, and each folder that is a source. Standard
 * input, a missing or unfollowed source, and an unreadable file count as private to their owner. If
 * a file is not readable by all, its group must be that of the files of the index.
 *
 * report_out may be NULL. Several threads or processes may build different indexes at once, and may
 * open an index while another one builds it. The environment variables HOME and XDG_CONFIG_HOME are
 * read to find git's global excludes.
 */
BS_API enum bs_status bs_index_build(const struct bs_build_request *request,
                                     struct bs_build_report *report_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Merges all segments into a few large ones, and removes deleted documents. (Refreshes do this,
 * too, but in small steps.) The same documents match afterwards, but scores change because deleted
 * documents no longer count. Documents whose sources have changed since they were indexed, or are
 * not followed, stay in their segments. Uses dir, memory, write, callbacks, host and limits of the
 * request. The permissions of files do not change. Fails as bs_index_build; BS_NOT_FOUND: there is
 * no index. */
BS_API enum bs_status bs_index_compact(const struct bs_build_request *request,
                                       struct bs_build_report *report_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
