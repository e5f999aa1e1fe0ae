/*
 * id_table.h: which documents of a segment may bear an id. So that a change of a few documents need
 * not pass by all.
 *
 *      bucket of an id     floor(h * buckets / 2^64), h = bs_checksum of the id
 *      an entry            document << 8 | the lowest 8 bits of h; by bucket, and within one by
 *        document
 *
 * In the file: two packed arrays, where each bucket begins (one more than there are buckets), and
 * the entries. What an entry says is only that the document may bear the id: its record knows. A
 * segment without a table, or with few documents, gets one in memory; but one whose ids ascend
 * needs none, and says so: they are looked for by halves.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/file/packed.h"

/* Documents of which ids are looked up; with fewer, a table is made quicker than it is kept. */
#define BS_ID_TABLE_LEAST 256u

static inline uint64_t bs_id_hash(const void *id, size_t id_bytes)
{
	return bs_checksum(id, id_bytes);
}

/* What a table is made of. */
struct bs_id_entry {
	uint64_t hash;
	uint32_t document;
};

BS_VECTOR(bs_id_entries, struct bs_id_entry);

/* Zero-initialise; release with bs_id_table_deinit. */
struct bs_id_table {
	bool is_there;
	/* There is none, but the ids of so many documents, all that were given, ascend with their
	 * numbers, byte by byte. 0: they do not. */
	uint64_t n_ordered;
	uint64_t n_buckets;
	struct bs_packed starts, entries; /* of a file, if own_starts is NULL */
	uint64_t *own_starts, *own_entries;
};
/* Makes one in memory; documents ascend. BS_NO_MEMORY. */
enum bs_status bs_id_table_make(struct bs_id_table *table, const struct bs_id_entry *entries,
                                size_t n, struct bs_error *err) BS_WARN_UNUSED;
void bs_id_table_deinit(struct bs_id_table *table);

/* The section that says so, of n documents. Sticky like the writer. */
void bs_id_table_write_order(struct bs_file_writer *writer, uint64_t n);
/* Sections of a made one. Sticky like the writer. */
void bs_id_table_write(const struct bs_id_table *table, struct bs_file_writer *writer);
/* That of a file; is_there and n_ordered say what it has. BS_CORRUPT. */
enum bs_status bs_id_table_open(struct bs_id_table *table, const struct bs_container *file,
                                struct bs_error *err) BS_WARN_UNUSED;

/* The next document that may bear an id of this hash, from *at = 0 on; UINT32_MAX: there is none.
 * BS_CORRUPT. */
enum bs_status bs_id_table_next(const struct bs_id_table *table, uint64_t hash, uint64_t *at,
                                uint32_t *document_out, struct bs_error *err) BS_WARN_UNUSED;

/* Of a table of a file: that it is well made, of documents below n_docs. BS_CORRUPT. */
enum bs_status bs_id_table_check(const struct bs_id_table *table, uint64_t n_docs,
                                 const struct bs_container *file,
                                 struct bs_error *err) BS_WARN_UNUSED;
