/*
 * index_open.h: opening an index, and what an opened one is. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_INDEX_OPEN_H
#define BITSIFT_INDEX_OPEN_H

#include "host.h"
#include "limits.h"

BS_BEGIN_DECLS

/* An opened index: the commit that was the last one when it was opened. Immutable; threads share it without locking. */
struct bs_index;

struct bs_open_request {
	const char *dir;
	struct bs_memory_index *memory; /* instead; dir is NULL */
	const struct bs_text_provider *texts; /* of documents that are not stored. NULL: such that must be read cannot be */
	const char *kernel; /* the SIMD code to use, a name of bs_kernel_names; NULL: the best of this machine */
	const struct bs_consent *consent;
	/* Look at every source: the handle answers for what the sources hold now, documents that are new or changed
	 * since the commit included. Those are read for every query, so build when there are many. Nothing is
	 * written. */
	bool fresh;
	bool verbose; /* notice is called for each */
	/* With fresh, nullable: gets a printable line for each source, file or record that should be a document and
	 * cannot be read; of many such for the first BS_MAX_UNREADABLE_NOTICES, and a number; the index's word of it stays
	 * (n_unread of bs_index_describe). */
	void (*notice)(void *context, const char *message);
	void *context;
	/* NULL; or the one that the index was made with, which the handle keeps: it must outlive that, as log must. */
	const struct bs_analyzer *analyzer;
	const struct bs_limits *limits; /* of opening; NULL: none */
	const struct bs_log *log;       /* of opening, and of all queries; NULL: none */
	uint64_t reserved[8];
};

/* The files are mapped, their structure is checked now and their contents on first touch. *index_out is the caller's,
 * for bs_index_close; NULL on failure: BS_NOT_FOUND (no index there), BS_CORRUPT, BS_UNSUPPORTED (a newer format, an
 * unknown kernel), BS_IO, BS_INVALID (it has grams alone, and no words), BS_UNTRUSTED (another user's), BS_NO_MEMORY.
 * bs_index_open: without consent. */
BS_API enum bs_status bs_index_open(const char *dir, const char *kernel, struct bs_index **index_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_index_open_with(const struct bs_open_request *request, struct bs_index **index_out,
                                         struct bs_error *err) BS_WARN_UNUSED;

/* After all its searchers have been freed, with no other thread using it. NULL is fine. */
BS_API void bs_index_close(struct bs_index *index);

/* The strings are borrowed until the index is closed. */
struct bs_index_info {
	uint64_t n_docs;     /* that can be found */
	uint64_t n_deleted;  /* deleted or replaced, but still in the index; scores count them */
	uint64_t n_segments;
	uint64_t generation; /* of the commit: 1, 2, ... */
	/* The words of the index were cut by other rules than those of this library: by an earlier version of it, or of ICU or
	 * Unicode. They may differ from those of a query, so that every search of words reads every document: which match is
	 * exact, but scores go by what the index has. The next bs_index_build renews it; a writer does not. */
	bool is_other_unicode;
	const char *icu_version, *unicode_version; /* with which it was made */
	const char *kernel;                        /* in use */
	/* Opened fresh: files, folders and sources that could not be looked at, and of these the sources that are not
	 * followed: answers may be incomplete. */
	uint64_t n_unread, n_unfollowed;
	uint64_t reserved[6];
};

/* Never fails. */
BS_API void bs_index_describe(const struct bs_index *index, struct bs_index_info *info_out);

/* One of the index's sources. Borrowed until the index is closed. */
struct bs_source_info {
	const char *kind;  /* "folder", "file", "collection", "stdin" */
	const char *label; /* as it was named; "" for "." */
	const char *path;  /* absolute, or from the folder that holds the index */
	uint64_t reserved[5];
};

/* The i-th, from 0. False: there are not so many. */
BS_API bool bs_index_source(const struct bs_index *index, size_t i, struct bs_source_info *info_out);

BS_END_DECLS
#endif
