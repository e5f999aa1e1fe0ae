/*
 * writer.h: documents from memory, and indexes in memory. Part of the public interface of libbitsift; the rules are those of
 * bitsift.h.
 *
 *      bs_writer_open    an index, there or to be, in a directory or in memory -> a writer
 *      bs_writer_add ... documents in and out, seen by nobody else until
 *      bs_writer_commit  makes them the index's; or bs_writer_rollback forgets them
 *      bs_memory_new     an index that is no directory
 *
 * What is added to an index by its writer are its given documents, like those of JSONL on standard input: one source,
 * beside which it may have files, folders and collections, whose documents a writer leaves alone. An id names one given
 * document. `bitsift query` and all else that reads the directory finds them.
 */
#ifndef BITSIFT_WRITER_H
#define BITSIFT_WRITER_H

#include "index.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An empty one, for bs_memory_free. BS_NO_MEMORY, BS_IO (no descriptors left). Its files are kept in memory, each
 * behind a file descriptor. It may be handed wherever a request has `memory`, and used by many threads at once, as a
 * directory may: one writer at a time, whoever has it open keeps the commit that he opened. Sources that it records are
 * called by absolute paths, and lie beside nothing: they are followed by consent alone. */
BS_API enum bs_status bs_memory_new(struct bs_memory **memory_out, struct bs_error *err) BS_WARN_UNUSED;
/* Another one with the same files, of which nothing is copied; from then on each goes its way. As above. */
BS_API enum bs_status bs_memory_copy(const struct bs_memory *memory, struct bs_memory **copy_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* After all handles and writers of it have been closed. NULL is fine. */
BS_API void bs_memory_free(struct bs_memory *memory);

/*
 * The files themselves, for whoever keeps them elsewhere: they are those of FORMAT.md, the last commit is what `manifest` names,
 * and no file but that is ever changed once it is written. Bytes are borrowed until the next change of the file, or of which
 * files there are. None of these while a writer is writing.
 */
#define BS_MEMORY_NAME_BYTES 32
struct bs_memory_file {
	char name[BS_MEMORY_NAME_BYTES]; /* NUL-ended */
	const void *bytes;
	size_t n_bytes;
	uint64_t reserved[2];
};
BS_API size_t bs_memory_n_files(const struct bs_memory *memory);
/* The i-th by name, bytewise. BS_NOT_FOUND: there are not so many; BS_NO_MEMORY. */
BS_API enum bs_status bs_memory_file_at(const struct bs_memory *memory, size_t i, struct bs_memory_file *file_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* A file of that name, in the place of one that is there. BS_INVALID (the name is empty or too long), BS_IO, BS_NO_MEMORY. */
BS_API enum bs_status bs_memory_put(struct bs_memory *memory, const char *name, const void *bytes, size_t n_bytes,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* The same, but the file is the regular one behind fd, open for reading, of which nothing is copied: whoever opens the index maps it. Its
 * bytes must never change, though it may be renamed and unlinked. fd stays the caller's. BS_INVALID: it is no regular file, too. */
BS_API enum bs_status bs_memory_put_file(struct bs_memory *memory, const char *name, int fd, struct bs_error *err) BS_WARN_UNUSED;
/* A descriptor of the i-th file, to read it piece by piece (pread: its place is shared), to send or to map it. It is the caller's to
 * close, and outlives what becomes of the file. BS_NOT_FOUND: there are not so many; BS_IO. */
BS_API enum bs_status bs_memory_descriptor_at(const struct bs_memory *memory, size_t i, int *fd_out,
                                              struct bs_error *err) BS_WARN_UNUSED;
/* From now on, new files are nameless ones in that folder, for indexes that are larger than memory: they take disk space there
 * until they are gone from here and from all who have them open. A writer that is opened from now on keeps there, too, what it gathers
 * of documents, about as many bytes as their texts have: then memory_bytes is for words alone, and segments have more documents. Both
 * are mapped, and the system's to write out. NULL: in memory again. A copy has the same folder. BS_IO: no such folder, or its file
 * system has no nameless files (O_TMPFILE). */
BS_API enum bs_status bs_memory_use_folder(struct bs_memory *memory, const char *dir, struct bs_error *err) BS_WARN_UNUSED;
/* If it is there. */
BS_API void bs_memory_remove(struct bs_memory *memory, const char *name);

/*
 * Segments condensed, for whoever keeps an index where room is dear, and searches a copy of it. A file `condensed-N` is the segment `seg-N`
 * without what follows from the rest of it (columns and exceptions: most of its bytes), and with the terms of each row instead: two thirds of
 * the bytes, if both are compressed. No search reads one. Whoever keeps it instead of the segment has that made anew before the index is
 * opened, which takes a third of the time that indexing took.
 *
 * Makes the file `seg-N` of the condensed one of that name, beside it: byte for byte as it was. It takes memory as writing a segment does; in a
 * folder, if there is one (bs_memory_use_folder), all but some 40 bytes a distinct term. limits: NULL, or when it is to end. BS_NOT_FOUND: there
 * is no such file; BS_INVALID: its name does not begin with `condensed-`; BS_CORRUPT, BS_UNSUPPORTED, BS_IO, BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED.
 */
BS_API enum bs_status bs_memory_restore(struct bs_memory *memory, const char *name, const struct bs_limits *limits,
                                        struct bs_error *err) BS_WARN_UNUSED;

struct bs_writer_request {
	const char *dir;          /* made by the first change, if it is not there, as are the folders above it, and gone again if that is
	                           * taken back; */
	struct bs_memory *memory; /* or this one. One of the two */

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
 * kept, for a rebuild, but neither found nor given by bs_document. BS_INVALID (an id without bytes, or of more than 2 GiB; a document larger than the index allows, 256 MiB
 * unless it says otherwise, or than memory_bytes, or of more than 16,777,216 texts), BS_BUSY, BS_DEADLINE, BS_STOPPED, BS_IO,
 * BS_CORRUPT, BS_UNTRUSTED, BS_UNSUPPORTED (the index was made anew meanwhile, with another analyzer), BS_NO_MEMORY.
 */
BS_API enum bs_status bs_writer_add(struct bs_writer *writer, const char *id, size_t id_bytes, const struct bs_text *texts,
                                    size_t n_texts, struct bs_error *err) BS_WARN_UNUSED;
/* The same, but BS_NOT_FOUND, and nothing is done, if there is no such document. */
BS_API enum bs_status bs_writer_replace(struct bs_writer *writer, const char *id, size_t id_bytes, const struct bs_text *texts,
                                        size_t n_texts, struct bs_error *err) BS_WARN_UNUSED;
/* Deletes the given document of that id; *was_there_out (nullable) says whether there was one. It is gone, and can be added again. As
 * above. */
BS_API enum bs_status bs_writer_delete(struct bs_writer *writer, const char *id, size_t id_bytes, bool *was_there_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Deletes the given documents that match the query, of what is committed and of what was added since; *n_out (nullable): how many. Words
 * side by side must all be there. BS_INVALID: the query does not parse, or something in it may mean something else than it seems, as
 * with strict_query of bs_find; BS_IO: one that may match cannot be read. As above; but what ends or fails while it searches deletes
 * nothing, and ends nothing. What was added so far becomes a segment, so that it is better called once than after each document. */
BS_API enum bs_status bs_writer_delete_query(struct bs_writer *writer, const char *query, size_t query_bytes, uint64_t *n_out,
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

#ifdef __cplusplus
}
#endif
#endif
