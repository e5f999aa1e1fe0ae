/*
 * id_table.h: a hash table from ids to the documents of a segment that may have them, so that
 * changing a few documents need not read all. It has only documents of standard input, which
 * include those that a writer added.
 *
 *      bucket of an id     floor(h * buckets / 2^64), h = bs_checksum of the id
 *      entry               document << 8 | the lowest 8 bits of h; ordered by bucket, then document
 *
 * The file has two packed arrays: the start of each bucket (one more than there are buckets), and
 * the entries. An entry means only that the document may have the id; the document's record
 * decides. For a segment without a table in its file, because it is old or has few documents of
 * standard input, the table is made in memory. A segment whose ids of standard input ascend needs
 * no table: its file has a section that says so, and its ids are found by bisection.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/file/packed.h"

/* Minimum number of entries of a table in the file. If there are fewer, the table is not stored but
 * made when it is needed. */
#define BS_ID_TABLE_LEAST 256u

static inline uint64_t bs_id_hash(const void *id, size_t id_bytes)
{
	return bs_checksum(id, id_bytes);
}

/* The input of bs_id_table_make. */
struct bs_id_entry {
	uint64_t hash;
	uint32_t document;
};

BS_VECTOR(bs_id_entries, struct bs_id_entry);

/* Zero-initialise; release with bs_id_table_deinit. */
struct bs_id_table {
	bool is_there;
	/* If there is no table: the number of documents of standard input if the file says that
	 * their ids ascend bytewise with the document numbers; otherwise 0. */
	uint64_t n_ordered;
	uint64_t n_buckets;
	struct bs_packed starts, entries;   /* the table of a file, if own_starts is NULL */
	uint64_t *own_starts, *own_entries; /* the table made in memory; otherwise NULL */
};
/* Makes a table in memory. Documents ascend. BS_NO_MEMORY. */
enum bs_status bs_id_table_make(struct bs_id_table *table, const struct bs_id_entry *entries,
                                size_t n, struct bs_error *err) BS_WARN_UNUSED;
void bs_id_table_deinit(struct bs_id_table *table);

/* Writes the section that marks the ids of the segment's n documents of standard input as
 * ascending. Errors are sticky in the writer. */
void bs_id_table_write_order(struct bs_file_writer *writer, uint64_t n);
/* Writes the sections of a table made in memory. Errors are sticky in the writer. */
void bs_id_table_write(const struct bs_id_table *table, struct bs_file_writer *writer);
/* Opens the table of a file. is_there and n_ordered show whether the file has a table, the section
 * that marks its ids as ascending, or neither. BS_CORRUPT. */
enum bs_status bs_id_table_open(struct bs_id_table *table, const struct bs_container *file,
                                struct bs_error *err) BS_WARN_UNUSED;

/* The next document that may have an id of this hash; UINT32_MAX if there is none. The caller sets
 * *at to 0 before the first call. BS_CORRUPT. */
enum bs_status bs_id_table_next(const struct bs_id_table *table, uint64_t hash, uint64_t *at,
                                uint32_t *document_out, struct bs_error *err) BS_WARN_UNUSED;

/* Validates all of a table that was opened from `file`: its buckets must cover the entries in
 * order, and the document of each entry must be less than n_docs. BS_CORRUPT. */
enum bs_status bs_id_table_check(const struct bs_id_table *table, uint64_t n_docs,
                                 const struct bs_container *file,
                                 struct bs_error *err) BS_WARN_UNUSED;
