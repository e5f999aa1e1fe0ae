/*
 * writer.h: documents from memory, and indexes in memory. Part of the public interface of libbitsift; the rules are those of
 * bitsift.h.
 *
 *      bs_writer_open    an index, there or to be, in a directory or in memory -> a writer
 *      bs_writer_add ... documents in and out, seen by nobody else until
 *      bs_writer_commit  makes them the index's; or bs_writer_rollback forgets them
 *      bs_memory_index_new     an index that is no directory
 *
 * What is added to an index by its writer are its in-memory documents, like those of JSONL on standard input: one source,
 * beside which it may have files, folders and collections, whose documents a writer leaves alone. An id names one given
 * document. `bitsift query` and all else that reads the directory finds them.
 */
#ifndef BITSIFT_WRITER_H
#define BITSIFT_WRITER_H

#include "build.h"
#include "host.h"
#include "index.h"
#include "index_restore.h"
#include "limits.h"
#include "memory_index.h"

BS_BEGIN_DECLS

struct bs_writer_request {
	const char *dir;          /* made by the first change, if it is not there, as are the folders above it, and gone again if that is
	                           * taken back; */
	struct bs_memory_index *memory; /* or this one. One of the two */

	/* Options that are recorded with a new index, and those of one that is there: as in struct bs_build_request. */
	const char *stem_language;
	bool fold_accents;
	bool split_identifiers;
	const char *const *weights;
	double density;
	double summary_rate; /* which may be another than that of the index */

	/* Texts of added documents are not kept in the index. Where a text is needed (for phrases that the index cannot decide, snippets,
	 * compaction, brute searches), `texts` of the request there is asked for it by id. Of documents that a search may not
	 * read, it says that they could not be read. */
	bool not_stored;
	/* With not_stored: texts change only by being added again, so that no checksums are kept, by which it would be seen: eight bytes
	 * less a document. */
	bool no_checksums;
	/* Of a new index: the grams of texts are kept beside the words, so that bs_candidates rules documents out by a pattern.
	 * Recorded: later writers go on, whether they set it or not; BS_INVALID: set, but the index has none. */
	bool grams;
	const struct bs_text_provider *texts; /* of documents that are not stored: for delete_query, and when a commit compacts */
	uint64_t memory_bytes; /* to work with; 0: 1 GiB; less than 16 MiB counts as that */
	uint32_t n_threads;    /* that write segments; 0: one a processor. Words are analysed by the thread that adds */
	bool wait;             /* for another writer to be done, as long as limits allow; else BS_BUSY */
	const struct bs_consent *consent;
	const struct bs_analyzer *analyzer; /* as that of struct bs_build_request */
	const struct bs_limits *limits;     /* of each call, from its beginning; NULL: none. What they end is a failure, as below */
	const struct bs_log *log;

	/* As those of struct bs_build_request; progress is called while segments are written and compacted. */
	int (*progress)(void *context, const struct bs_build_report *so_far);
	void (*notice)(void *context, const char *message);
	void *context;

	/* Of a new index: bits for each posting of a word that pairs of words may take, which are kept as terms so that phrases are found
	 * without reading texts; 0: 4. The first pairs are worth most: .1 is a fortieth of the bytes, and a good half of the gain. Not recorded:
	 * pairs are chosen once, by the first 4 MB. 0 to 16. */
	double phrase_bits;
	bool condensed; /* as that of struct bs_build_request, for what a commit compacts, too */
	/* What one document may take where that is more than memory_bytes, which refuses documents that need more. UINT64_MAX is for hosts
	 * that have accepted a document before they add it, and could not refuse it any more. 0: no more. */
	uint64_t document_memory_bytes;
	uint64_t reserved[5];
};

/* One thread at a time may use it; different writers, of different indexes, are used by different threads at once. */
struct bs_writer;

/*
 * *writer_out is the caller's, for bs_writer_close; NULL on failure. What the request points to is borrowed until then. Nothing is
 * written yet, and no lock held. BS_INVALID (neither or both of dir and memory, an option out of its range or unlike the recorded
 * ones, an index of grams alone), BS_CORRUPT, BS_IO, BS_UNTRUSTED, BS_UNSUPPORTED, BS_NO_MEMORY.
 *
 * A transaction begins with the first change (it takes the writer's lock: from here on, what others write is seen, and
 * cannot be written until it ends), and ends with commit, rollback, or the first failure of a change, which rolls it back: until the
 * next commit or rollback each call then returns that failure again. (What is merely refused, an id, a document or a query as
 * BS_INVALID, or BS_NOT_FOUND, changes nothing and ends nothing; nor does what fails before a transaction has begun, as BS_BUSY does.
 * An analyzer that breaks its rules is a failure.) A crash loses what was not committed, and nothing else.
 */
BS_API enum bs_status bs_writer_open(const struct bs_writer_request *request, struct bs_writer **writer_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/*
 * Adds a document, in the place of the one with that id, if there is any. The id is any bytes, at least one. Words are those of all texts,
 * in their order; a field's name may be empty (then no query names it) or come again. What of a text or a field's
 * name is not UTF-8 counts, and is kept, as U+FFFD; so is U+0000 in a field's name. Nothing given is needed after the call. Fields that the index was told to leave out (`--text`) are
 * kept, for a rebuild, but neither found nor given by bs_document. BS_INVALID (an id without bytes, or of more than 2 GiB; a document whose
 * texts have more bytes together than the index allows, 256 MiB unless it says otherwise; one that takes more than memory_bytes, of which 6
 * may be a byte of text where texts are stored; one of more than 16,777,216 texts), BS_BUSY, BS_DEADLINE, BS_STOPPED, BS_IO,
 * BS_CORRUPT, BS_UNTRUSTED, BS_UNSUPPORTED (the index was made anew meanwhile, with another analyzer), BS_NO_MEMORY.
 */
BS_API enum bs_status bs_writer_add(struct bs_writer *writer, const char *id, size_t id_bytes, const struct bs_text *texts,
                                    size_t n_texts, struct bs_error *err) BS_WARN_UNUSED;
/* The same, but BS_NOT_FOUND, and nothing is done, if there is no such document. */
BS_API enum bs_status bs_writer_replace(struct bs_writer *writer, const char *id, size_t id_bytes, const struct bs_text *texts,
                                        size_t n_texts, struct bs_error *err) BS_WARN_UNUSED;
/* Deletes the in-memory document of that id; *was_there_out (nullable) says whether there was one. It is gone, and can be added again. As
 * above. */
BS_API enum bs_status bs_writer_delete(struct bs_writer *writer, const char *id, size_t id_bytes, bool *was_there_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Makes the index of what was changed; then compacts a little, if it is time to. Without a change nothing is written, but that an
 * index which is not there is made. report_out may be NULL. As bs_index_build; on failure, also one that a call before it had, all
 * is as it was before the first change, and the next change begins another transaction. */
BS_API enum bs_status bs_writer_commit(struct bs_writer *writer, struct bs_build_report *report_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Forgets the changes since the last commit, and a failure among them; the lock is free again. */
BS_API void bs_writer_rollback(struct bs_writer *writer);
/* The same, and frees it. NULL is fine. */
BS_API void bs_writer_close(struct bs_writer *writer);

BS_END_DECLS
#endif
