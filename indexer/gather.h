/*
 * gather.h: documents in, (document, distinct term) pairs out, in memory. The first half of an index run.
 *
 * In two steps, so that the costly one can run on several threads. A *harvest* (harvest.h) analyses one batch on its
 * own, with a small dictionary that stays in cache; then, one harvest after the other in document order, each is poured into the
 * *gather*, which holds the segment's dictionary and every document's terms as varints of term numbers. Numbers are
 * given in order of first appearance, so common terms have short ones. Pouring looks a term up once a batch, not once
 * a document. What a gather holds depends on the documents and their order only, never on the threads.
 */
#ifndef BS_INDEXER_GATHER_H
#define BS_INDEXER_GATHER_H

#include <stdint.h>

#include "core/buffer.h"
#include "core/doc_table.h"
#include "core/status.h"
#include "core/term_table.h"
#include "core/tf_table.h"
#include "indexer/harvest.h"

/* One document's terms: n_terms varints from codes on. Wherever one begins, eight bytes may be read. */
struct bs_gathered_doc {
	const uint8_t *codes;
	uint32_t n_terms;
};

struct bs_spool_chunk;

/* Zero-initialise. */
struct bs_gather {
	struct bs_term_table terms;
	struct bs_term_table fields;
	struct bs_doc_table_builder doc_table;
	struct bs_tf_table_builder tf_table;
	struct bs_buffer docs; /* struct bs_gathered_doc each */
	struct bs_spool_chunk *chunks;
	uint64_t spool_bytes;
	uint64_t n_postings;
	uint64_t n_positions;
	uint64_t text_bytes;
	struct bs_buffer map; /* scratch: number in the harvest -> what that term is here */
	uint32_t n_looked_ahead; /* of the harvest's terms, those that memory was asked about */
};
void bs_gather_clear(struct bs_gather *gather);
void bs_gather_deinit(struct bs_gather *gather);

/* Starts a harvest: call before adding its documents, and again after a bs_gather_clear in their midst. Terms become
 * known here with the first document that has them, so that what is held depends on the documents alone. */
enum bs_status bs_gather_start(struct bs_gather *gather, const struct bs_harvest *harvest, struct bs_error *err)
	BS_WARN_UNUSED;
/* Adds document i of the harvest as the next one, under the record given (its length is taken from the harvest). */
enum bs_status bs_gather_add(struct bs_gather *gather, const struct bs_harvest *harvest, uint32_t i,
                             const struct bs_doc_record *record, struct bs_error *err) BS_WARN_UNUSED;
/* Brings the df of all terms up to date, and pads the tf codes: before anyone looks at them. */
enum bs_status bs_gather_settle(struct bs_gather *gather, struct bs_error *err) BS_WARN_UNUSED;
/* Memory held, counted by content: the same for every number of threads. */
uint64_t bs_gather_bytes(const struct bs_gather *gather);

static inline uint32_t bs_gather_n_docs(const struct bs_gather *gather)
{
	return gather->doc_table.n_docs;
}

static inline const struct bs_gathered_doc *bs_gather_docs(const struct bs_gather *gather)
{
	return (const struct bs_gathered_doc *)(const void *)gather->docs.data;
}

/* The next term number of a document; *codes moves on. Only for codes that a gather made. */
static inline uint32_t bs_gather_next(const uint8_t **codes)
{
	uint32_t value = *(*codes)++;
	if (value < 0x80)
		return value;
	value &= 0x7f;
	for (unsigned shift = 7;; shift += 7) {
		uint8_t byte = *(*codes)++;
		value |= (uint32_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
}

#endif
