/*
 * catalog.h: many indexes asked as one, of which those that cannot match are not even opened. The rules of bitsift.h hold.
 *
 *      bs_catalog_open     a file that knows indexes by their summaries (bitsift.h, summary_rate)
 *      bs_catalog_add ...  which indexes these are
 *      bs_catalog_search     a query -> the hits of all, ranked as those of one index of everything
 *      bs_catalog_grep     regular expressions -> lines of the files of all
 *
 * A catalog has of each index its place, its name, the fingerprint of its last commit, its summary, how many documents of how many words it
 * has, and in how many documents its most frequent words stand. Before it answers it looks at each fingerprint, and at each index that has
 * another one. What an index is, is not changed by being in a catalog, or in several.
 */
#ifndef BITSIFT_CATALOG_H
#define BITSIFT_CATALOG_H

#include "grep.h"
#include "search.h"

BS_BEGIN_DECLS

/* An open catalog. One thread at a time may use it. */
struct bs_catalog;

struct bs_catalog_request {
	const char *file; /* made by the first change, if it is not there; its folder must be */
	const struct bs_consent *consent;   /* of the file, and of each index */
	const struct bs_analyzer *analyzer; /* as that of struct bs_open_request */
	const char *kernel;
	const struct bs_log *log;
	uint64_t reserved[8];
};

/* What the request points to, but for file, is borrowed until the catalog is closed. *catalog_out is the caller's, for
 * bs_catalog_close; NULL on failure: BS_CORRUPT, BS_UNSUPPORTED (a newer format), BS_UNTRUSTED, BS_IO, BS_NO_MEMORY. */
BS_API enum bs_status bs_catalog_open(const struct bs_catalog_request *request, struct bs_catalog **catalog_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_catalog_close(struct bs_catalog *catalog);

/*
 * Changes of the file, each one whole or not at all: a new file takes the place of the old one. Others that change it at the same time
 * are waited for, and what they did is kept. BS_INVALID, BS_NOT_FOUND, BS_IO, BS_CORRUPT, BS_UNSUPPORTED, BS_UNTRUSTED,
 * BS_NO_MEMORY: nothing is changed.
 */
/* The indexes in these directories, one of them under a name: of any bytes but ":" and controls. NULL: each is called as the folder that holds
 * it, with as much of the path before that as makes it the only one. One that is there is looked at anew, and gets the name if there is
 * one. BS_INVALID: no name, several indexes for one, or another index has it. */
BS_API enum bs_status bs_catalog_add(struct bs_catalog *catalog, const char *const *dirs, size_t n_dirs, const char *name,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* That of the name, or else of the directory, which need not be there any more. BS_NOT_FOUND. */
BS_API enum bs_status bs_catalog_remove(struct bs_catalog *catalog, const char *name, struct bs_error *err) BS_WARN_UNUSED;
/* Looks at each index that has changed. notice is called with a line for each that cannot be looked at, which stays as it was; NULL: not
 * called. *n_changed_out, *n_unreachable_out: nullable. */
BS_API enum bs_status bs_catalog_refresh(struct bs_catalog *catalog, void (*notice)(void *context, const char *message),
                                         void *context, uint64_t *n_changed_out, uint64_t *n_unreachable_out,
                                         struct bs_error *err) BS_WARN_UNUSED;
/* Writes the catalog to another file, for somebody else; no file of that name may be there. The summaries are coded as small as they
 * can be, so that nothing is gained by compressing it. */
BS_API enum bs_status bs_catalog_export(struct bs_catalog *catalog, const char *file, struct bs_error *err) BS_WARN_UNUSED;
/* Adds what somebody exported, all of which is verified; what the catalog has of the same place stays, unless it was imported, too. An
 * index that is not here can be asked about (bs_catalog_has), but not searched. *n_out (nullable): how many were added. */
BS_API enum bs_status bs_catalog_import(struct bs_catalog *catalog, const char *file, uint64_t *n_out,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Reads all of the file: is it what the format says it must be? BS_CORRUPT, BS_NO_MEMORY. */
BS_API enum bs_status bs_catalog_check(struct bs_catalog *catalog, struct bs_error *err) BS_WARN_UNUSED;

enum bs_catalog_state {
	BS_CATALOG_CURRENT = 0, /* as the catalog knows it */
	BS_CATALOG_CHANGED,     /* committed since */
	BS_CATALOG_UNREACHABLE, /* there is no index in that place */
};

/* Strings are borrowed until the catalog is changed, asked or closed. */
struct bs_catalog_entry {
	const char *name;
	const char *place;          /* of the index directory; absolute */
	enum bs_catalog_state state; /* by one look at the fingerprint */
	bool is_imported;           /* and not found here since */
	bool has_summary;           /* else it is asked whatever the query is */
	uint64_t n_docs;            /* with deleted ones, as scores count */
	uint64_t n_positions;       /* the sum of their lengths */
	uint64_t generation;        /* of the commit */
	uint64_t summary_bytes;
	uint64_t n_words;           /* whose df is known */
	uint64_t reserved[6];
};

/* The i-th, from 0. False: there are not so many. */
BS_API bool bs_catalog_describe(struct bs_catalog *catalog, size_t i, struct bs_catalog_entry *entry_out);

/* Calls may_have with each index that may have documents with all of the words, each by itself, as they were when it was looked at last;
 * no index is opened. An index without a summary may have any. Each word is cut and folded as the index has it. BS_INVALID: nothing of a word can
 * be looked for. */
BS_API enum bs_status bs_catalog_has(struct bs_catalog *catalog, const char *const *words, size_t n_words,
                                     void (*may_have)(void *context, size_t entry), void *context,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* A hit, and where it is from. Borrowed until the callback returns. */
struct bs_catalog_hit {
	const struct bs_hit *hit; /* its rank is that among all; its document is a number within its index */
	const char *index;             /* the name in the catalog */
	const char *place;
	size_t entry;                  /* its number */
	uint64_t reserved[4];
};

struct bs_catalog_search_request {
	/* As for bs_search; hit, batch and statistics must be NULL. like_id: the id of a document of any index, or the name of an index, a
	 * colon, and the id of a document there. All indexes are opened for like_id, like_text, feedback_docs and brute. limits hold for
	 * the whole call, including opening; memory_bytes does not count the indexes. suggest: reports words that no index has, each with
	 * a similar word that some index has. explain gets one explanation of the whole search. */
	struct bs_search_request find;
	int (*hit)(void *context, const struct bs_catalog_hit *hit); /* with find.context */
	bool partial; /* what cannot be reached is told by notice, and left out; else it is a failure */
	bool fresh;   /* as that of bs_open_request, of all indexes: a catalog does not know what is new, and so each is opened */
	uint64_t reserved[8];
};

struct bs_catalog_result {
	struct bs_search_result find; /* of all of them: sums */
	uint64_t n_indexes;
	uint64_t n_asked;       /* opened and searched */
	uint64_t n_skipped;     /* not searched: no document there can match */
	uint64_t n_probed;      /* of those, opened all the same: to know in how many documents a word stands, or whether a place lies in it */
	uint64_t n_unreachable; /* with partial: not asked, and not counted by scores */
	uint64_t n_unread, n_unfollowed; /* with fresh: as those of bs_index_info */
	uint64_t reserved[8];
};

/*
 * The hits of all indexes as if they were one, in the order of the catalog: the best have the scores, to the last bit, that they would have
 * there, ids come index by index. A field of one is a field of all, and a
 * place of the request must be in one of them.
 *
 * As bs_search; BS_INVALID, too: scores are wanted of indexes that cut words in different ways; BS_IO, BS_NOT_FOUND, BS_CORRUPT and so on
 * without partial: one cannot be asked, of which the message has the name. Callbacks are on the caller's thread. result_out may be NULL.
 */
BS_API enum bs_status bs_catalog_search(struct bs_catalog *catalog, const struct bs_catalog_search_request *request,
                                      struct bs_catalog_result *result_out, struct bs_error *err) BS_WARN_UNUSED;

struct bs_catalog_grep_request {
	/* As for bs_grep. files.paths, index, try_index must not be set. A cursor has the name of an index and a colon in front. A search of
	 * JSON has a summary for each index that was searched, with the results of all up to there. */
	struct bs_grep_request grep;
	bool partial; /* as above; told by grep.notice */
	uint64_t reserved[8];
};

struct bs_catalog_grep_result {
	struct bs_grep_result grep; /* sums */
	uint64_t n_indexes, n_asked, n_skipped, n_unreachable;
	uint64_t reserved[8];
};

/*
 * Searches the sources of all indexes, but of those that cannot have a match by their trigrams; these are passed over as they were when they
 * were committed, whatever has become of their files since. Lines come index by index. As bs_grep, and BS_INVALID, and as bs_catalog_search.
 */
BS_API enum bs_status bs_catalog_grep(struct bs_catalog *catalog, const struct bs_catalog_grep_request *request,
                                      struct bs_catalog_grep_result *result_out, struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
