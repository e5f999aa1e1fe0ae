/* relocated.h: where the records of a collection that changed, or grew, stand now, by the hashes of
 * their ids. */
#pragma once

#include "core/base/vector.h"
#include "corpus/read/reader.h"
#include "corpus/read/source.h"

struct bs_relocated_record {
	uint64_t hash; /* of its id */
	uint64_t offset;
	uint64_t source_bytes;
	uint64_t line;
};

BS_VECTOR(bs_relocated_records, struct bs_relocated_record);

/* Zero-initialise. */
struct bs_relocated {
	/* sorted by hash; of records with the same hash the last in the file is first */
	struct bs_relocated_records records;
	/* a record there has an id of its own that begins as those by lines do */
	bool is_like_line;
};

/* Overwrites moved with what is left of a feed of the source. Fails as bs_reader_read_all does. */
enum bs_status bs_relocated_read(struct bs_relocated *moved, const struct bs_source *source,
                                 struct bs_reader *reader, struct bs_feed *feed,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_relocated_deinit(struct bs_relocated *moved);
/* The first of the records whose id has this hash, or of those behind it, or NULL; equal ones stand
 * one after the other. */
const struct bs_relocated_record *bs_relocated_find(const struct bs_relocated *moved, uint64_t hash,
                                                    const struct bs_relocated_record **end_out);

/* Overwrites id with that of a record that has been read. BS_NO_MEMORY. */
enum bs_status bs_relocated_id(const struct bs_source *source, const struct bs_document *document,
                               struct bs_buffer *id, struct bs_error *err) BS_WARN_UNUSED;
