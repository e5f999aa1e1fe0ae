/*
 * catalog.h: searching many indexes as one. Indexes that cannot match are not even opened. Part of
 * the public interface; the rules are those of bitsift.h.
 *
 *      bs_catalog_open     opens a catalog: a file with the summaries of indexes (struct
 *                          bs_index_options, summary_rate)
 *      bs_catalog_add ...  changes the list of its indexes
 *      bs_catalog_search   a query -> the hits of all indexes, ranked as if they were one index
 *      bs_catalog_grep     regular expressions -> lines of the files of all indexes
 *
 * For each index the catalog has its directory, its name, the fingerprint of its last commit, its
 * summary, its numbers of documents and words, and the document frequencies of its most frequent
 * words. Before each search, the catalog compares the fingerprint of each index, and reads the
 * summaries of changed indexes. Adding an index to a catalog does not change the index; it may be
 * in several catalogs.
 */
#ifndef BITSIFT_CATALOG_H
#define BITSIFT_CATALOG_H

#include "grep.h"
#include "search.h"

BS_BEGIN_DECLS

/* An open catalog. Used by one thread at a time. */
struct bs_catalog;

struct bs_catalog_request {
	/* the path of the catalog; the first change creates a missing file, but not its folder */
	const char *file;
	const char *kernel; /* as in struct bs_open_request */
	/* host.consent applies to the catalog file and to each index. host.texts is not used. */
	struct bs_host host;
	uint64_t reserved[8];
};

/* Opens a catalog; close it with bs_catalog_close. The pointers of the request, except `file`, are
 * borrowed until then. *catalog_out is NULL on failure: BS_NOT_FOUND (no such folder), BS_INVALID,
 * BS_CORRUPT, BS_UNSUPPORTED (a newer format), BS_UNTRUSTED, BS_IO, BS_NO_MEMORY. */
BS_API enum bs_status bs_catalog_open(const struct bs_catalog_request *request,
                                      struct bs_catalog **catalog_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_catalog_close(struct bs_catalog *catalog);

/*
 * Changes of the file are atomic: a new file replaces the old one. Concurrent changes wait for each
 * other; none is lost. BS_INVALID, BS_NOT_FOUND, BS_IO, BS_CORRUPT, BS_UNSUPPORTED, BS_UNTRUSTED,
 * BS_NO_MEMORY: nothing is changed.
 */
/* Adds the indexes in these directories. If an index is in the catalog already, the catalog reads
 * it again. name: only for a single index; any bytes except ":" and control characters, but not
 * "", "." or "..". NULL: an index that is in the catalog keeps its name. The name of a new one is
 * the end of its path (without /.bitsift): as many components as make the name unique. BS_INVALID:
 * an invalid name, one name for several indexes, or a name that another index has. */
BS_API enum bs_status bs_catalog_add(struct bs_catalog *catalog, const char *const *dirs,
                                     size_t n_dirs, const char *name,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Removes the index with this name. If no index has this name, `name` is taken as the path of an
 * index directory, and the index with this path is removed. The directory need not exist any more.
 * BS_NOT_FOUND: neither is in the catalog. */
BS_API enum bs_status bs_catalog_remove(struct bs_catalog *catalog, const char *name,
                                        struct bs_error *err) BS_WARN_UNUSED;
/* Reads each index that has changed. The entry of an index that cannot be read stays unchanged, and
 * notice (nullable) gets a line about it. *n_changed_out (nullable): the number of indexes that had
 * changed. *n_unreachable_out (nullable): the number of indexes that cannot be read. */
BS_API enum bs_status bs_catalog_refresh(struct bs_catalog *catalog,
                                         void (*notice)(void *context, const char *message),
                                         void *context, uint64_t *n_changed_out,
                                         uint64_t *n_unreachable_out,
                                         struct bs_error *err) BS_WARN_UNUSED;
/* Writes the catalog to a new file, for bs_catalog_import elsewhere. BS_INVALID: the file exists.
 * Compressing the file gains nothing, because summaries have about the size of their entropy. */
BS_API enum bs_status bs_catalog_export(struct bs_catalog *catalog, const char *file,
                                        struct bs_error *err) BS_WARN_UNUSED;
/* Adds the entries of an exported file, after verifying all of it. If the catalog has an entry for
 * the same directory already, this entry is replaced only if it was imported, too. For imported
 * indexes that are not on this machine, bs_catalog_has works, but they cannot be searched. *n_out
 * (nullable): the number of entries added. */
BS_API enum bs_status bs_catalog_import(struct bs_catalog *catalog, const char *file,
                                        uint64_t *n_out, struct bs_error *err) BS_WARN_UNUSED;

/* Reads the whole file and checks it against the format. BS_CORRUPT, BS_NO_MEMORY. */
BS_API enum bs_status bs_catalog_check(struct bs_catalog *catalog,
                                       struct bs_error *err) BS_WARN_UNUSED;

enum bs_catalog_state {
	BS_CATALOG_CURRENT = 0, /* unchanged since the catalog read it */
	BS_CATALOG_CHANGED,     /* a commit was made since the catalog read it */
	BS_CATALOG_UNREACHABLE, /* the index is missing or cannot be read */
};

/* Strings are borrowed until the catalog is changed, searched or closed. */
struct bs_catalog_entry {
	const char *name;
	const char *place;           /* the index directory; absolute */
	enum bs_catalog_state state; /* as of this call, from the fingerprint */
	/* the entry was imported, and its index has not been found on this machine since */
	bool is_imported;
	bool has_summary;     /* without a summary, every query opens the index */
	uint64_t n_docs;      /* including deleted documents, because scores count them */
	uint64_t n_positions; /* the sum of the documents' lengths */
	uint64_t generation;  /* number of the commit */
	uint64_t summary_bytes;
	uint64_t n_words; /* words with known document frequency */
	uint64_t reserved[6];
};

/* Fills in entry i of the catalog, from 0. False: there are fewer entries. */
BS_API bool bs_catalog_describe(struct bs_catalog *catalog, size_t i,
                                struct bs_catalog_entry *entry_out);

/* Calls may_have for each index that may have all of the words, perhaps in different documents, as
 * of the commit that the catalog read last. No index is opened. An index without a summary may have
 * any word. Words are split and folded by the rules of each index. BS_INVALID: one of the strings
 * in `words` has no word. */
BS_API enum bs_status bs_catalog_has(struct bs_catalog *catalog, const char *const *words,
                                     size_t n_words, void (*may_have)(void *context, size_t entry),
                                     void *context, struct bs_error *err) BS_WARN_UNUSED;

/* A hit and its index. Borrowed until the callback returns. */
struct bs_catalog_hit {
	/* hit->rank is the rank among the hits of all indexes; hit->document is a number within its
	 * index */
	const struct bs_hit *hit;
	const char *index; /* the index's name in the catalog */
	const char *place; /* the index directory; absolute */
	size_t entry;      /* the number of the index's entry in the catalog */
	uint64_t reserved[4];
};

struct bs_catalog_search_request {
	/* As for bs_search; callbacks.hit, callbacks.batch and query.statistics must be NULL.
	 * query.like_id: an id of any index, or an index name, a colon and an id in that index.
	 * like_id, like_text, feedback_docs and brute open all indexes. limits apply to the whole
	 * call, including the opening of indexes; but the memory of opened indexes does not count
	 * against memory_bytes. callbacks.suggest reports words that no index has.
	 * callbacks.explain gets one explanation of the whole search. */
	struct bs_search_request search;
	/* Called for each hit, with search.callbacks.context. As callbacks.hit of bs_search. */
	int (*hit)(void *context, const struct bs_catalog_hit *hit);
	/* Leaves out indexes that cannot be opened, with a notice for each. If false, the search
	 * fails. */
	bool partial;
	/* As in struct bs_open_request. With it, every index is opened, because the catalog does
	 * not know about new documents in the sources. */
	bool fresh;
	uint64_t reserved[8];
};

struct bs_catalog_search_result {
	struct bs_search_result search; /* sums over the indexes */
	uint64_t n_indexes;
	uint64_t n_asked;   /* opened and searched */
	uint64_t n_skipped; /* not searched, because none of their documents can match */
	/* indexes of n_skipped that were opened only to get a document frequency or to look up a
	 * place */
	uint64_t n_probed;
	/* with `partial`: indexes left out; scores do not count their documents */
	uint64_t n_unreachable;
	/* with `fresh`: the number of files, folders and sources that could not be read, and of
	 * sources that are not followed (struct bs_index_info) */
	uint64_t n_unread, n_unfollowed;
	uint64_t reserved[8];
};

/*
 * Returns the hits of all indexes as if they were one index whose sources are in the order of the
 * catalog: the best hits have the same scores to the last bit, and BS_SEARCH_IDS returns the hits
 * of one index after the other. A query may name a field if one of the indexes has it. Each of the
 * filter's `places` must be in one of the indexes.
 *
 * Fails as bs_search. Also BS_INVALID: scores are requested, and the indexes have different
 * tokenizer options. Without `partial`, also BS_IO, BS_NOT_FOUND, BS_CORRUPT and so on: an index
 * cannot be opened; the message names it. Callbacks run on the caller's thread. result_out may be
 * NULL.
 */
BS_API enum bs_status bs_catalog_search(struct bs_catalog *catalog,
                                        const struct bs_catalog_search_request *request,
                                        struct bs_catalog_search_result *result_out,
                                        struct bs_error *err) BS_WARN_UNUSED;

struct bs_catalog_grep_request {
	/* As for bs_grep; files.paths, index.dir, index.is_optional, output.before_this and
	 * output.resume_name must not be set. Resume tokens begin with an index name and a colon.
	 * With BS_GREP_JSON, a summary follows the output of each searched index; it counts the
	 * results of all indexes so far. */
	struct bs_grep_request grep;
	/* as in struct bs_catalog_search_request; grep.callbacks.notice gets the notices */
	bool partial;
	uint64_t reserved[8];
};

struct bs_catalog_grep_result {
	struct bs_grep_result grep; /* sums over the indexes */
	/* as in struct bs_catalog_search_result */
	uint64_t n_indexes, n_asked, n_skipped, n_unreachable;
	uint64_t reserved[8];
};

/*
 * Searches the sources of all indexes, one index after the other. An index is skipped if its last
 * commit lacks a trigram that every match contains. It is skipped even if its files have changed
 * since that commit. No index is skipped if the request selects files by rules of its own, reads
 * files in another way (encoding, search_zip, preprocessor), has is_brute or BS_GREP_JSON, or
 * reports files or lines without a match. Fails as bs_grep and bs_catalog_search.
 */
BS_API enum bs_status bs_catalog_grep(struct bs_catalog *catalog,
                                      const struct bs_catalog_grep_request *request,
                                      struct bs_catalog_grep_result *result_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
