/*
 * bitsift.h: exact full-text search and indexed grep without an inverted index. The public
 * interface of libbitsift.
 *
 *      bs_index_build    sources -> an index, which is a directory; again: refreshes it
 *      bs_index_delete, bs_index_compact, bs_index_check   maintenance
 *      bs_index_open     an index -> a handle, immutable and shared by any number of threads
 *      bs_index_search   a query -> results to iterate over
 *      bs_searcher_new   the memory of one thread for searching
 *      bs_search         a query with all options -> hits, passed to a callback
 *      bs_document       an id -> the texts of the document
 *      bs_grep           regular expressions -> lines of files, with or without an index
 *
 * Included here. The headers below are included by those who need them:
 *
 *      bitsift/writer.h       documents from memory, and indexes in memory
 *      bitsift/catalog.h      many indexes searched as one
 *      bitsift/query.h        a query matched against texts in memory; statistics of several
 *                             indexes
 *      bitsift/candidates.h   candidates, for hosts that verify themselves
 *      bitsift/matrix.h       the columns of an index, to look at and measure
 *      bitsift/bloom.h        Bloom filters; a library of its own
 *
 * bitsift-index(1) and bitsift-query(1) define words, queries, ids, scores and changes; the library
 * and the program give the same answers. Link with bitsift::bitsift (CMake) or `pkg-config --cflags
 * --libs bitsift`.
 *
 * Rules for the whole interface:
 *
 * - The library never prints, never exits and installs no signal handlers. It has no global state,
 *   except that of ICU, the libraries that it has loaded, and a random seed for hash tables.
 * - A function that can fail returns enum bs_status and takes as its last argument a struct
 *   bs_error, or NULL.
 * - Zero is the default of every field of a request. Reserved fields must be zero, BS_UNSUPPORTED
 *   otherwise: later versions will use them. Pointers in a request are borrowed until the function
 *   returns.
 * - Strings are NUL-ended UTF-8, paths NUL-ended bytes. Strings with a length next to them are any
 *   bytes, and not NUL-ended.
 * - A relative path is relative to the working directory. Later calls may resolve it again; so do
 *   not change the working directory while an object that was opened with it is open.
 * - Sources are read, never mapped: a source that is truncated meanwhile counts as changed or
 *   unreadable. The files of an index are mapped. bitsift only replaces or unlinks them, which
 *   mappings survive. If something else truncates a file of an open index, or its disk fails, the
 *   thread that reads it gets SIGBUS. The program catches it, prints what it has, and ends; a host
 *   that must survive needs a handler of its own, or keeps the index where nobody else writes.
 * - Callbacks run on the calling thread, except for those of bs_grep and where a struct says
 *   otherwise (bs_limits, bs_log, bs_analyzer, bs_text_provider, bs_consent). They must return
 *   normally (no longjmp, no C++ exception), and must not use the same searcher or writer. Their
 *   arguments are borrowed until they return. context is passed to them unchanged.
 * - Different objects may be used by different threads at once. What threads may do with one object
 *   is said at its functions.
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

/* The version of this header. The library may be a later one: bs_version. */
#define BS_VERSION       "0.1.0"
#define BS_VERSION_MAJOR 0
#define BS_VERSION_MINOR 1
#define BS_VERSION_PATCH 0

/* The version of the library, "0.1.0". Before 1.0 it is compatible with programs built for the same
 * major and minor version. */
BS_API const char *bs_version(void);

BS_END_DECLS
#endif
