/*
 * limits.h: what ends a call before it is done, and where the library logs. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_LIMITS_H
#define BITSIFT_LIMITS_H

#include "status.h"

BS_BEGIN_DECLS

/*
 * What ends a call before it is done; NULL in a request, or zero: nothing. Every call that may take long looks at it about
 * each millisecond, but for what the operating system, or a callback, takes for itself; for one step of a pattern, which may look
 * through a whole line, or with is_multi_line a whole file (a millisecond for a MB, and not begun if twice the time left is not
 * enough); and for bringing hits into order, where a million of them are wanted (less than a second). Nothing is half done then: what
 * bs_index_build promises of a failure holds, and a searcher is fit for the next search. What was handed to a callback
 * before, hits or lines, is right. A call that a callback makes without limits of its own has those of the call around it.
 */
struct bs_limits {
	uint64_t deadline_ns;       /* from the beginning of the call: then it ends with BS_DEADLINE. 0: none */
	const volatile int *cancel; /* not 0: it ends with BS_STOPPED. Any thread, or a signal handler, may set it at any time; NULL: none */
	/* Return 0 to go on, anything else ends the call with BS_STOPPED. Asked about each millisecond by any thread that
	 * works for the call, one at a time. NULL: not called. */
	int (*stop)(void *context);
	void *context;
	/* bs_search, bs_grep: what was found until then is the answer: BS_OK, with is_partial in the result. To hand hits out then takes
	 * up to a quarter of the time that went before, or a millisecond. */
	bool partial;
	/* bs_search: what the searcher may hold for queries, its memory from earlier ones included, which it gives back if that
	 * is more. One that needs more ends with BS_NO_MEMORY, and a message that names the limit. 0: none. */
	uint64_t memory_bytes;
	uint64_t reserved[4];
};

/* Threads that work for one call; bs_grep takes more. */
#define BS_MAX_THREADS 64

/* What the library does on its own, or what takes long, for whoever keeps a log. */
enum bs_log_level {
	BS_LOG_DEBUG = 0, /* each query and what it cost, each step of a build */
	BS_LOG_INFO,      /* an index is opened, committed, compacted */
	BS_LOG_WARNING,   /* a slow query, an answer that is cut off, a source that cannot be read, housekeeping not done */
};

struct bs_log {
	/* One printable line. On any thread that uses what the log was given to, and several at once if they do. */
	void (*line)(void *context, enum bs_log_level level, const char *line);
	void *context;
	enum bs_log_level least; /* lower ones are not made */
	uint64_t slow_ns;        /* a query, or grep, that takes longer is a warning; 0: none is */
	uint64_t reserved[4];
};

BS_END_DECLS
#endif
