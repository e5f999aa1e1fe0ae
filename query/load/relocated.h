/* relocated.h: the current places of the records of a collection that changed or grew, found by the
 * hashes of their ids. */
#pragma once

#include "core/base/vector.h"
#include "corpus/read/reader.h"
#include "corpus/read/source.h"

struct bs_relocated_record {
	uint64_t hash;         /* The hash of the record's id. */
	uint64_t offset;       /* The offset of the record in the file. */
	uint64_t source_bytes; /* The length of the record in the file. */
	uint64_t line;         /* The line number of the record, 1-based. */
};

BS_VECTOR(bs_relocated_records, struct bs_relocated_record);

/* Zero-initialise. */
struct bs_relocated {
	/* Sorted by hash. Among records with the same hash, the last one in the file comes
	 * first. */
	struct bs_relocated_records records;
	/* Some record has an explicit id with the prefix of ids that are made from line numbers. */
	bool is_like_line;
};

/* Overwrites `moved` with the records that remain in a feed of the source. Returns the failures of
 * bs_reader_read_all and BS_NO_MEMORY. */
enum bs_status bs_relocated_read(struct bs_relocated *moved, const struct bs_source *source,
                                 struct bs_reader *reader, struct bs_feed *feed,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_relocated_deinit(struct bs_relocated *moved);
/* Returns the first record whose hash is at least `hash`; *end_out, the end of the records, if
 * there is none. The result and *end_out may be NULL if there are no records. */
const struct bs_relocated_record *bs_relocated_find(const struct bs_relocated *moved, uint64_t hash,
                                                    const struct bs_relocated_record **end_out);

/* Overwrites `id` with the id of a record that has been read. BS_NO_MEMORY. */
enum bs_status bs_relocated_id(const struct bs_source *source, const struct bs_document *document,
                               struct bs_buffer *id, struct bs_error *err) BS_WARN_UNUSED;
