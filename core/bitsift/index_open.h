/*
 * index_open.h: opening an index, and information about an open index. Part of the public
 * interface; see bitsift.h.
 */
#ifndef BITSIFT_INDEX_OPEN_H
#define BITSIFT_INDEX_OPEN_H

#include "host.h"
#include "limits.h"

BS_BEGIN_DECLS

/* An open index: its last commit at the time of opening. Immutable; threads share it without
 * locking. */
struct bs_index;

struct bs_open_request {
	const char *dir;
	/* an in-memory index instead of a directory; dir is then NULL */
	struct bs_memory_index *memory;
	/* The SIMD code to use: a name of bs_kernel_names. NULL: the best one for this machine. */
	const char *kernel;
	/* Checks every source for changes when the index is opened. Searches then cover the sources
	 * as they are at that time, including documents that are new or changed since the commit.
	 * Every query reads the texts of those documents; if there are many, refresh the index
	 * instead (bs_index_build). Nothing is written. */
	bool fresh;
	bool verbose; /* `notice` gets a line for everything that cannot be read */
	/* With `fresh`: gets a printable line for each source that is not followed, and for files
	 * and records that cannot be read: for the first BS_MAX_UNREADABLE_NOTICES of each reason
	 * (enum bs_skip), and then the number of all. Documents that cannot be read stay in the
	 * index (n_unread of struct bs_index_info). NULL: not called. */
	void (*notice)(void *context, const char *message);
	void *context;
	/* Must outlive the index. host.analyzer must be the one that the index was made with; NULL
	 * if it was made without one. */
	struct bs_host host;
	const struct bs_limits *limits; /* limits of opening the index; NULL: none */
	uint64_t reserved[8];
};

/* Opens the index in a directory, with the defaults of struct bs_open_request. Maps the files. The
 * structure of the files is checked when the index is opened, their contents when they are first
 * used. *index_out is NULL on failure; otherwise close it with bs_index_close. BS_NOT_FOUND (no
 * index there), BS_CORRUPT, BS_UNSUPPORTED (a newer format, an unknown kernel), BS_IO, BS_INVALID
 * (an index without words), BS_UNTRUSTED (an index of another user), BS_NO_MEMORY. */
BS_API enum bs_status bs_index_open(const char *dir, struct bs_index **index_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_index_open_with(const struct bs_open_request *request,
                                         struct bs_index **index_out,
                                         struct bs_error *err) BS_WARN_UNUSED;

/* Closes an index. Call it when all searchers of the index have been freed, and no other thread
 * uses the index. NULL is fine. */
BS_API void bs_index_close(struct bs_index *index);

/* Strings are borrowed until the index is closed. */
struct bs_index_info {
	uint64_t n_docs; /* searchable documents */
	/* deleted or replaced documents that are still in the index; scores count them */
	uint64_t n_deleted;
	uint64_t n_segments;
	uint64_t generation; /* number of the commit: 1, 2, ... */
	/* The index was made by another tokenizer: an earlier version of the library, of ICU or of
	 * Unicode. Its words may differ from those of queries, so every search of words reads every
	 * document. Matches are exact; scores use the words of the index. The next bs_index_build
	 * indexes all documents again; a writer does not. */
	bool is_other_unicode;
	const char *icu_version, *unicode_version; /* versions that the index was made with */
	const char *kernel;                        /* the SIMD code in use */
	/* Opened fresh: the number of files, folders and sources that could not be read, and of
	 * sources that are not followed. Answers may be incomplete if it is not 0. */
	uint64_t n_unread, n_unfollowed;
	uint64_t reserved[6];
};

BS_API void bs_index_describe(const struct bs_index *index, struct bs_index_info *info_out);

/* A source of the index. Borrowed until the index is closed. */
struct bs_source_info {
	const char *kind;  /* "folder", "file", "collection", "stdin" */
	const char *label; /* the source as the caller spelled it; "" for "." */
	const char *path;  /* absolute, or relative to the folder that holds the index */
	uint64_t reserved[5];
};

/* Fills in source i of the index, from 0. False: there are fewer sources. */
BS_API bool bs_index_source(const struct bs_index *index, size_t i,
                            struct bs_source_info *info_out);

BS_END_DECLS
#endif
