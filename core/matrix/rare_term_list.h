/*
 * rare_term_list.h: the rare terms of some documents in a row, listed, with who of them has each.
 * They prove what columns only suggest: that a document that passes all columns of a rare term has
 * it.
 *
 * Columns bring a query for a rare term down to some dozens of documents of a million, a few of
 * which have it. For a frequent term what is wrong is listed (false_positives.h); a rare one has
 * more wrong documents than right ones, and there are millions of such terms, each of which would
 * have to be asked for. So here each document says what it has: its rare terms are a forward index
 * (forward_index.h), and a look-up reads a hundred bytes. Terms are ordinals, given in the order of
 * their bytes. What a source file defines begins alike, so ordinals come in runs; and what is rare
 * in a collection is often said in several neighbouring documents, so up to eight of these share a
 * list.
 *
 * A list is a row of runs: the gap before each, its length, and which documents have all of it, in
 * Huffman codes made for the segment. Of terms in fewer than 32 documents, by the entropy of the
 * symbols: 9.2 bits a posting in the files of a Linux tree, a list for each, and 11.1 in its
 * paragraphs, eight of them a list (exponential Golomb codes, each document alone: 10.0 and 16.5).
 * A sample says for every 64th run where it begins. In FORMAT.md: sections 53 to 55.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/collections/prefix_code.h"
#include "core/file/container.h"
#include "core/file/packed.h"

#define BS_RARE_MOST_DOCS_LOG2 3u /* of the documents that share a list */

/* A term and who has it: bit i, document i of those that share the list. */
struct bs_rare_term {
	uint32_t ordinal;
	uint32_t docs;
};

BS_VECTOR(bs_rare_terms, struct bs_rare_term);

/* Reading: any number of threads. */

struct bs_rare_term_lists {
	struct bs_packed offsets; /* one a list and one more: where it begins in bytes */
	struct bs_section bytes;  /* and BS_BITS_PAD_BYTES zero bytes */
	struct bs_code_set codes;
	uint64_t n_lists;
	uint32_t docs_log2; /* list i is that of documents i << docs_log2 and on */
};

/* The caller's struct; release with bs_rare_term_lists_deinit, also after a failure. BS_CORRUPT if
 * the sections do not fit n_docs documents, BS_NO_MEMORY. */
enum bs_status bs_rare_term_lists_open(struct bs_rare_term_lists *lists,
                                       const struct bs_container *file, uint64_t n_docs,
                                       struct bs_error *err) BS_WARN_UNUSED;
void bs_rare_term_lists_deinit(struct bs_rare_term_lists *lists);

/* The list of a document: the index into offsets, by which it can be prefetched (packed.h). */
static inline uint64_t bs_rare_term_list_of(const struct bs_rare_term_lists *lists,
                                            uint32_t document)
{
	return document >> lists->docs_log2;
}

/* Whether a document has a term. BS_CORRUPT. */
enum bs_status bs_rare_term_lists_find(const struct bs_rare_term_lists *lists, uint32_t document,
                                       uint32_t ordinal, bool *has_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* All terms of a list, below n_terms, ascending, in place of what `terms` holds. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_rare_term_lists_read(const struct bs_rare_term_lists *lists, uint64_t list,
                                       uint64_t n_terms, struct bs_rare_terms *terms,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* The same, and BS_CORRUPT if it has not exactly the bytes that a writer makes of them. */
enum bs_status bs_rare_term_lists_check(const struct bs_rare_term_lists *lists, uint64_t list,
                                        uint64_t n_terms, struct bs_rare_terms *terms,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Writing: first some lists are counted, then the codes are made for what was in them, then all
 * lists are coded. */

#define BS_RARE_GAPS    64u /* symbols of gaps */
#define BS_RARE_LENGTHS 32u
#define BS_RARE_DOCS    256u /* sets of documents, 1 to 255 */

struct bs_rare_counts {
	uint64_t gaps[BS_RARE_GAPS];
	uint64_t lengths[BS_RARE_LENGTHS];
	uint64_t docs[BS_RARE_DOCS];
};
/* Ascending ordinals; no term without a document. */
void bs_rare_count(struct bs_rare_counts *counts, const struct bs_rare_term *terms, size_t n_terms);

struct bs_rare_codes {
	uint32_t docs_log2;
	/* of the codes: of gaps, then lengths, then documents */
	uint8_t lengths[BS_RARE_GAPS + BS_RARE_LENGTHS + BS_RARE_DOCS];
	uint32_t values[BS_RARE_GAPS + BS_RARE_LENGTHS + BS_RARE_DOCS]; /* bs_code_values */
};
/* Whatever was not counted has a code, too. BS_NO_MEMORY. */
enum bs_status bs_rare_codes_make(struct bs_rare_codes *codes, const struct bs_rare_counts *counts,
                                  uint32_t docs_log2, struct bs_error *err) BS_WARN_UNUSED;
/* Appends a list; no bytes if it is empty. */
enum bs_status bs_rare_term_list_append(const struct bs_rare_codes *codes,
                                        const struct bs_rare_term *terms, size_t n_terms,
                                        struct bs_buffer *to, struct bs_error *err) BS_WARN_UNUSED;
/* The sections: between the two calls the lists, each behind the one before, by
 * bs_file_writer_bytes. offsets: u64 a list, where it begins in bytes, and one more, where the last
 * one ends. Sticky like the writer. */
void bs_rare_term_lists_begin(const struct bs_rare_codes *codes, struct bs_file_writer *writer);
void bs_rare_term_lists_end(const struct bs_u64s *offsets, struct bs_file_writer *writer);
