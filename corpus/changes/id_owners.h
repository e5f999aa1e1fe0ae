/*
 * id_owners.h: who bears an id among the documents that are being read. A later record takes over
 * the id of an earlier one, which is dead from then on. Keeps the ids of the source being read, and
 * which documents of each segment died.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/store/doc_table.h"
#include "core/store/segment.h"
#include "corpus/read/source.h"

/* A document of the run. */
struct bs_id_place {
	uint32_t segment; /* of the run, from 0 */
	uint32_t document;
};

/* A segment of the run. */
struct bs_id_owners_segment {
	/* where its file is, borrowed; NULL while it is being accumulated */
	const struct bs_dir *dir;
	uint64_t number; /* of the file */
	/* number of its first document: they are counted through the run */
	uint64_t first;
	uint32_t n_documents;  /* up to the last one that bears an id */
	struct bs_buffer dead; /* bit d of byte d / 8 */
	uint64_t n_dead;
	struct bs_segment opened; /* only if an id had to be looked up in it */
	bool is_open;
};

/* Zero-initialise but for accumulated; release with bs_id_owners_deinit. One thread. */
struct bs_id_owners {
	/* Which documents bear an id, by open addressing, linear probing. Below number_bits the
	 * number of the document from first_number on, + 1; above, the upper bits of the id's hash,
	 * of which the first slots_log2 are its place here. 0: empty. Where all of these are equal,
	 * ids are compared. */
	uint64_t *slots;
	uint32_t slots_log2; /* 0: none */
	uint32_t number_bits;
	uint64_t first_number;
	uint64_t n_used;
	/* Ids that come in ascending order, byte by byte, as those of rows do, have no slots, up to
	 * the first that does not: so many, of the documents from first_number on. One of them is
	 * looked for by halves; when that has been done often, they get slots. */
	uint64_t n_ordered;
	uint64_t n_searches;
	struct bs_buffer last_ordered; /* the id of the last of them */
	struct bs_buffer slots_file;   /* where slots are if they take more than most_bytes */
	/* borrowed; where names are kept that had to be looked up; NULL: in memory, as slots are
	 * then */
	struct bs_spill *spill;
	/* what bs_id_owners_bytes may come to before slots are in a temporary file */
	uint64_t most_bytes;
	const struct bs_doc_table_builder *accumulated; /* the documents that are, borrowed */
	struct bs_id_owners_segment *segments;          /* the last one is being accumulated */
	uint32_t n_segments;
	uint64_t n_dead;
	struct bs_buffer id, other_id;
};
void bs_id_owners_deinit(struct bs_id_owners *owners);

/* Ids are unique within a source: forgets those of the one before. */
void bs_id_owners_start_source(struct bs_id_owners *owners);
/* What the ids of the source take, and for a while what they took before they were given more. */
uint64_t bs_id_owners_bytes(const struct bs_id_owners *owners);

/* The segment accumulated so far (if any) is now file seg-NUMBER of dir; another one begins.
 * BS_NO_MEMORY. */
enum bs_status bs_id_owners_next_segment(struct bs_id_owners *owners, const struct bs_dir *dir,
                                         uint64_t number, struct bs_error *err) BS_WARN_UNUSED;

/* Asks the memory for what a bs_id_owners_take of a record with this name, flags and place, soon to
 * come, will look at. */
void bs_id_owners_prefetch(struct bs_id_owners *owners, const struct bs_source *source,
                           const struct bs_doc_record *record);

/* Makes document number `document` of the segment being accumulated the owner of the id of record,
 * which is about to be added to accumulated. BS_NO_MEMORY, BS_INVALID (2^32 records of one source
 * in a run), or what opening an earlier segment of the run gives. */
enum bs_status bs_id_owners_take(struct bs_id_owners *owners, const struct bs_source *source,
                                 const struct bs_doc_record *record, uint32_t document,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Whether one of the documents read from this source bears the id of record, and then whether its
 * text is the same, by checksum. As above. */
enum bs_status bs_id_owners_find(struct bs_id_owners *owners, const struct bs_source *source,
                                 const struct bs_doc_record *record, bool *is_owned_out,
                                 bool *is_same_out, struct bs_error *err) BS_WARN_UNUSED;

/* Whether a document that is not dead bears the id of record. As above. */
enum bs_status bs_id_owners_lives(struct bs_id_owners *owners, const struct bs_source *source,
                                  const struct bs_doc_record *record, bool *lives_out,
                                  struct bs_id_place *place_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Marks all documents dead that were read from the source under way. BS_NO_MEMORY. */
enum bs_status bs_id_owners_withdraw(struct bs_id_owners *owners,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Marks a document dead. BS_NO_MEMORY. */
enum bs_status bs_id_owners_kill(struct bs_id_owners *owners, struct bs_id_place place,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* The dead of segment i as (n_docs + 7) / 8 bytes; NULL in *bits_out if there are none.
 * BS_NO_MEMORY. */
enum bs_status bs_id_owners_dead(struct bs_id_owners *owners, uint32_t i, uint64_t n_docs,
                                 const uint8_t **bits_out, uint64_t *n_dead_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
