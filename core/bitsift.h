/*
 * bitsift.h: exact full-text search without an inverted index. The whole public interface of libbitsift.
 *
 *      bs_index_build    sources -> an index, which is a directory; again: a refresh of it
 *      bs_index_delete, bs_index_compact, bs_index_check   the rest of its life
 *      bs_index_open     an index -> a handle, immutable and shared by any number of threads
 *      bs_searcher_new     what one thread needs to search, besides the handle
 *      bs_search           a query -> hits, through a callback
 *      bs_document       an id -> the texts of that document
 *      bs_grep           regular expressions -> lines of files, with an index or without
 *
 * Documents from memory, and indexes in memory: bitsift/writer.h. Candidates for a host that verifies itself:
 * bitsift/candidates.h.
 *
 * What words, queries, ids, scores and "changed" mean is in bitsift-index(1) and bitsift-query(1); the library and the
 * program give the same answers. Link with bitsift::bitsift (CMake) or `pkg-config --cflags --libs bitsift`.
 *
 * The rules that hold everywhere:
 *
 * - The library never prints, never exits and installs no signal handlers. It keeps no global state but ICU's.
 * - A function that can fail returns enum bs_status and takes, last, a struct bs_error, or NULL.
 * - Zero is the default of every field of the request structs. The reserved fields must stay zero, or BS_UNSUPPORTED:
 *   later versions put them to use. Pointers in a request are borrowed until the function returns.
 * - Strings are NUL-ended UTF-8, paths NUL-ended bytes; where a length stands beside them, any bytes, not NUL-ended.
 * - A relative path counts from the working directory, now and for as long as what was opened by it stays open.
 * - Sources are read, never mapped: one that is truncated or fails meanwhile is changed, or cannot be read, and that is
 *   all. The files of an index are mapped. Nothing of bitsift truncates or rewrites one, it only replaces or unlinks
 *   them, which a mapping outlives. Should someone else truncate one that is open, or its disk fail, the thread that
 *   touches it gets SIGBUS. The program catches that, prints what it has, and ends; a host that wants to outlive it
 *   needs a handler of its own, or keeps the index where nobody else writes.
 * - Callbacks run on the thread that called, but those of bs_grep, and where a struct says otherwise (bs_limits, bs_log, bs_analyzer,
 *   bs_text_provider, bs_consent). They must return normally (no longjmp, no C++ exception), and must not use the same searcher or
 *   writer. What they are given is borrowed until they return. context is handed to them.
 * - Different objects may be used by different threads at once. What one object allows stands with its functions.
 */
#ifndef BITSIFT_H
#define BITSIFT_H

#include "bitsift/grep.h"
#include "bitsift/host.h"
#include "bitsift/index.h"
#include "bitsift/limits.h"
#include "bitsift/search.h"
#include "bitsift/status.h"
#include "bitsift/terminal.h"

BS_BEGIN_DECLS

/* The version of this header. The library in use may be a later one: bs_version. */
#define BS_VERSION       "0.1.0"
#define BS_VERSION_MAJOR 0
#define BS_VERSION_MINOR 1
#define BS_VERSION_PATCH 0

/* The version of the library, "0.1.0". Before 1.0, it fits a program built for the same major and minor number. */
BS_API const char *bs_version(void);

BS_END_DECLS
#endif
