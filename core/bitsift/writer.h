/*
 * writer.h: adding documents from memory. Part of the public interface; the rules are those of
 * bitsift.h.
 *
 *      bs_writer_open      a new or existing index, in a directory or in memory -> a writer
 *      bs_writer_add ...   changes documents; only the writer knows the changes until the commit
 *      bs_writer_commit    writes the changes to the index; bs_writer_rollback drops them
 *
 * The documents that writers add to an index are its in-memory documents, as are those of JSONL on
 * standard input. They form one source, in which ids are unique; a writer does not touch the
 * documents of other sources. Every reader of the index finds them.
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
	/* The index directory, or NULL with `memory`. The first change creates a missing directory
	 * and its missing parent folders; a rollback of this change removes them. */
	const char *dir;
	struct bs_memory_index *memory;
	struct bs_index_options index;
	struct bs_write_options write;
	/* Does not store the texts of added documents. When a text is needed (for phrases that the
	 * index cannot decide, snippets, compaction, brute searches), host.texts of the current
	 * request returns it by id. If a search cannot get the texts of a document, it reports the
	 * document as unreadable. */
	bool not_stored;
	/* With not_stored: the caller promises that texts change only by bs_writer_add. Then the
	 * index keeps no checksums for detecting changes, which saves eight bytes for each
	 * document. */
	bool no_checksums;
	/* For a new index: the space for word pairs, in bits for each posting of a word. Word pairs
	 * are terms that find phrases without reading texts. 0 to 16; 0: 4. The most useful pairs
	 * are taken first: with 0.1, the pairs take a fortieth of the space that they take with 4,
	 * and save half as much time. Pairs are chosen once, from the first 4 MB. This option is
	 * not recorded. */
	double phrase_bits;
	/* The memory limit for adding one document is the larger of this number and
	 * write.memory_bytes; bs_writer_add refuses a document that needs more. UINT64_MAX: no
	 * limit, for hosts that cannot refuse a document any more. */
	uint64_t document_memory_bytes;
	struct bs_build_callbacks callbacks; /* `skipped` is not called */
	/* host.texts is used by bs_writer_delete_query and when a commit merges segments */
	struct bs_host host;
	/* limits of each call of the writer, counted from the start of that call; NULL: none. A
	 * call that is ended early counts as failed (see bs_writer_open). */
	const struct bs_limits *limits;
	uint64_t reserved[4];
};

/* Used by one thread at a time. Writers of different indexes may be used by different threads at
 * once. */
struct bs_writer;

/*
 * Opens a writer; close it with bs_writer_close. *writer_out is NULL on failure. The pointers of
 * the request are borrowed until the writer is closed. Nothing is written yet, and no lock is held.
 * BS_INVALID (neither or both of dir and memory, an option out of range or unlike the recorded one,
 * an index without words), BS_CORRUPT, BS_IO, BS_UNTRUSTED, BS_UNSUPPORTED, BS_NO_MEMORY.
 *
 * A transaction begins with the first change. It takes the writer's lock and starts from the last
 * commit, which may be another writer's. Other writers must wait until the transaction ends: with a
 * commit, a rollback, or the first change that fails. A failed change rolls the transaction back,
 * and every call until the next commit or rollback returns the failure again. A refused change does
 * not count as failed and does not end the transaction: BS_INVALID for an id, a document or a
 * query, BS_NOT_FOUND, and BS_BUSY before the transaction has begun. Invalid output of an analyzer
 * is a failure. A crash loses only the changes that were not committed.
 */
BS_API enum bs_status bs_writer_open(const struct bs_writer_request *request,
                                     struct bs_writer **writer_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/*
 * Adds a document, or replaces the one with the same id. An id is any bytes, at least one. The
 * words of all its texts are indexed, in the order of the texts. A field name may be empty (queries
 * cannot name it) or occur again. Invalid UTF-8 in texts and field names, and U+0000 in field
 * names, are stored as U+FFFD. Nothing is borrowed after the call. Fields that are not to be
 * indexed (`bitsift index --text`) are stored for a later rebuild, but searches do not find them,
 * and bs_document does not return them. BS_INVALID (an empty id, or one over 2 GiB; texts with more
 * bytes in all than the index allows, 256 MiB by default; a document that needs more than
 * memory_bytes, about six times its text where texts are stored; more than 16,777,216 texts),
 * BS_BUSY, BS_DEADLINE, BS_STOPPED, BS_IO, BS_CORRUPT, BS_UNTRUSTED, BS_UNSUPPORTED (the index was
 * rebuilt with another analyzer meanwhile), BS_NO_MEMORY.
 */
BS_API enum bs_status bs_writer_add(struct bs_writer *writer, const char *id, size_t id_bytes,
                                    const struct bs_text *texts, size_t n_texts,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Replaces the document with that id. BS_NOT_FOUND: there is no such document; nothing changes.
 * Otherwise like bs_writer_add. */
BS_API enum bs_status bs_writer_replace(struct bs_writer *writer, const char *id, size_t id_bytes,
                                        const struct bs_text *texts, size_t n_texts,
                                        struct bs_error *err) BS_WARN_UNUSED;
/* Deletes the in-memory document with that id; *was_there_out (nullable): whether there was such a
 * document. A document with this id can be added again. Fails as bs_writer_add. */
BS_API enum bs_status bs_writer_delete(struct bs_writer *writer, const char *id, size_t id_bytes,
                                       bool *was_there_out, struct bs_error *err) BS_WARN_UNUSED;
/* Makes the changes visible to readers that open the index from now on, then merges a few segments
 * if there are too many of about the same size. Without changes it writes nothing, except that it
 * creates a missing index. report_out may be NULL. Fails as bs_index_build. If a change of the
 * transaction failed, the commit fails with the same error. After a failed commit the index is as
 * it was before the first change, and the next change begins a new transaction. */
BS_API enum bs_status bs_writer_commit(struct bs_writer *writer, struct bs_build_report *report_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Drops the changes since the last commit, forgets the failure of a change, and releases the
 * lock. */
BS_API void bs_writer_rollback(struct bs_writer *writer);
/* Rolls back and frees the writer. NULL is fine. */
BS_API void bs_writer_close(struct bs_writer *writer);

BS_END_DECLS
#endif
