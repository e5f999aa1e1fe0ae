/*
 * limits.h: ending a call early, and the library's log. Part of the public interface; see
 * bitsift.h.
 */
#ifndef BITSIFT_LIMITS_H
#define BITSIFT_LIMITS_H

#include "status.h"

BS_BEGIN_DECLS

/*
 * Limits that end a call early. NULL in a request, or all zero: no limits. Every call that can take
 * long checks its limits about once a millisecond, except during:
 *
 * - calls of the operating system and callbacks;
 * - one step in the matching of a pattern, which may scan a whole line or, with is_multi_line, a
 *   whole file (about a millisecond per MB). A step that is expected to take more than twice the
 *   remaining time is not started;
 * - sorting the hits: less than a second for a million.
 *
 * A call that is ended leaves nothing half done: indexes are unchanged, as after any failure, and
 * searchers can be used again. Hits and lines that were passed to a callback before are valid. If a
 * callback makes a call with NULL as limits, the limits of the outer call apply to it.
 */
struct bs_limits {
	uint64_t deadline_ns; /* time from the start of the call; after it, BS_DEADLINE. 0: none */
	/* If *cancel is not 0, the call ends with BS_STOPPED. Any thread or signal handler may set
	 * it at any time. NULL: none. */
	const volatile int *cancel;
	/* Return 0 to continue; any other value ends the call with BS_STOPPED. Called about once a
	 * millisecond, on any thread that works for the call, one at a time. NULL: not called. */
	int (*stop)(void *context);
	void *context;
	/* bs_search, bs_grep: a call that is ended early returns BS_OK with the results found so
	 * far, and sets is_partial in its result. Passing the results to the callbacks may take
	 * additional time: a quarter of the time of the call so far, but at least a millisecond. */
	bool partial;
	/* bs_search and the other functions with a searcher: the most memory that the searcher may
	 * use. Memory that it has kept from earlier queries counts, too; bs_search releases this
	 * memory if it exceeds the limit. If a query needs more, the call fails with BS_NO_MEMORY,
	 * and the message names the limit. 0: no limit. */
	uint64_t memory_bytes;
	uint64_t reserved[4];
};

/* The largest number of threads that work for one call, except a search of files (bs_grep,
 * bs_catalog_grep). */
#define BS_MAX_THREADS 64

enum bs_log_level {
	BS_LOG_DEBUG = 0, /* each query and its cost, each step of a build */
	BS_LOG_INFO,      /* an index is opened, committed, compacted */
	/* a slow query, a partial answer, a source that cannot be read, maintenance of an index
	 * that was not done */
	BS_LOG_WARNING,
};

struct bs_log {
	/* Receives one printable line. Called on any thread that uses objects opened with the log,
	 * and by several threads at once. */
	void (*line)(void *context, enum bs_log_level level, const char *line);
	void *context;
	enum bs_log_level least; /* lower levels are not logged */
	uint64_t slow_ns;        /* searches that take longer are logged as warnings; 0: none */
	uint64_t reserved[4];
};

BS_END_DECLS
#endif
