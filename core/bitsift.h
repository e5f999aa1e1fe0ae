/*
 * bitsift.h: exact full-text search and indexed grep without an inverted index. The public
 * interface of libbitsift.
 *
 *      bs_index_build    makes an index, which is a directory, from sources, or refreshes it
 *      bs_index_delete, bs_index_compact, bs_index_check   maintenance
 *      bs_index_open     an index -> a handle, immutable and shared by any number of threads
 *      bs_index_search   a query -> results to iterate over
 *      bs_searcher_new   the memory of one thread for searching
 *      bs_search         a query with all options -> hits, passed to a callback
 *      bs_document       an id -> the texts of the document
 *      bs_grep           regular expressions -> lines of files, with or without an index
 *
 * This header includes the headers of all these functions. If you need the following headers,
 * include them yourself:
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
 * - Zero is the default of every field of a request. Reserved fields must be zero, because later
 *   versions will use them; otherwise the function returns BS_UNSUPPORTED. Pointers in a request
 *   are borrowed until the function returns.
 * - Strings are NUL-ended UTF-8, paths NUL-ended bytes. Strings with a length next to them are any
 *   bytes, and not NUL-ended.
 * - A relative path is relative to the working directory. Later calls may resolve it again; so do
 *   not change the working directory while an object that was opened with a relative path is open.
 * - Sources are read, never mapped: a source that is truncated while it is read counts as changed
 *   or unreadable. The files of an index are mapped. bitsift only replaces or unlinks these files,
 *   and a mapping remains valid after that. If another program truncates a file of an open index,
 *   or the disk fails, the thread that reads the file gets SIGBUS. The program bitsift catches this
 *   signal, prints the results that it has, and exits. A host that must continue needs a signal
 *   handler of its own, or must keep the index where no other program writes.
 * - Callbacks run on the calling thread, except for those of bs_grep and where a struct says
 *   otherwise (bs_limits, bs_log, bs_analyzer, bs_text_provider, bs_consent). A callback must
 *   return normally (no longjmp, no C++ exception), and must not use the searcher or writer of the
 *   function that called it. The arguments of a callback are borrowed until it returns. `context`
 *   is passed to it unchanged.
 * - Different objects may be used by different threads at once. The comments of an object's
 *   functions say how several threads may use the same object.
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

/* The version of this header. The version of the library may be later; bs_version returns it. */
#define BS_VERSION       "0.1.0"
#define BS_VERSION_MAJOR 0
#define BS_VERSION_MINOR 1
#define BS_VERSION_PATCH 0

/* The version of the library, "0.1.0". Before 1.0 it is compatible with programs built for the same
 * major and minor version. */
BS_API const char *bs_version(void);

BS_END_DECLS
#endif
