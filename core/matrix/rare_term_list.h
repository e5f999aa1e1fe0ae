/*
 * rare_term_list.h: rare-term lists: the rare terms of up to eight adjacent documents, each with
 * the documents that have it. For these terms, columns have false positives; the lists have none.
 *
 * Columns reduce a query for a rare term to some dozens of documents of a million, a few of which
 * have it. For frequent terms the false positives are listed by term (false_positives.h). A rare
 * term has more false positives than matches, and there are millions of rare terms, so lists by
 * term would be large. Therefore the lists are by document, similar to forward indexes
 * (forward_index.h), and a look-up reads about a hundred bytes. A list has the ordinals of terms.
 * The names that a source file defines share a prefix, so ordinals come in runs; and a term that is
 * rare in the index often occurs in several neighbouring documents, so up to eight of these share a
 * list.
 *
 * A list is a sequence of runs: the gap before each run, its length, and the set of documents that
 * have all of its terms, in Huffman codes made for the segment. For terms in fewer than 32
 * documents, the entropy of the symbols is 9.2 bits per posting in the files of a Linux tree, with
 * one list per file, and 11.1 in its paragraphs, with one list for eight of them. (Exponential
 * Golomb codes, with one list per document, take 10.0 bits in the files and 16.5 in the
 * paragraphs.) For each 64th run, a sample gives the position of the run. Format:
 * FORMAT.md, sections 53 to 55.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/collections/prefix_code.h"
#include "core/file/container.h"
#include "core/file/packed.h"

#define BS_RARE_MOST_DOCS_LOG2 3u /* log2 of the maximum number of documents per list */

/* A term, and the documents that have it: bit i is document i of the list. */
struct bs_rare_term {
	uint32_t ordinal;
	uint32_t docs;
};

BS_VECTOR(bs_rare_terms, struct bs_rare_term);

/* Reading. Any number of threads may read the same lists. */

struct bs_rare_term_lists {
	struct bs_packed offsets; /* byte offsets of the lists: one per list, plus one */
	struct bs_section bytes;  /* the lists, then BS_BITS_PAD_BYTES zero bytes */
	struct bs_code_set codes;
	uint64_t n_lists;
	uint32_t docs_log2; /* list i covers the documents from i << docs_log2 on */
};

/* Opens the lists into the caller's struct. Release it with bs_rare_term_lists_deinit, also after a
 * failure. BS_CORRUPT if the sections do not fit n_docs documents; BS_NO_MEMORY. */
enum bs_status bs_rare_term_lists_open(struct bs_rare_term_lists *lists,
                                       const struct bs_container *file, uint64_t n_docs,
                                       struct bs_error *err) BS_WARN_UNUSED;
void bs_rare_term_lists_deinit(struct bs_rare_term_lists *lists);

/* The number of the list of a document, for example to prefetch the list's offset (packed.h). */
static inline uint64_t bs_rare_term_list_of(const struct bs_rare_term_lists *lists,
                                            uint32_t document)
{
	return document >> lists->docs_log2;
}

/* Whether a document has a term in its list. BS_CORRUPT. */
enum bs_status bs_rare_term_lists_find(const struct bs_rare_term_lists *lists, uint32_t document,
                                       uint32_t ordinal, bool *has_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Replaces the contents of `terms` by all terms of a list, ascending. BS_CORRUPT, also if an
 * ordinal is not below n_terms; BS_NO_MEMORY. */
enum bs_status bs_rare_term_lists_read(const struct bs_rare_term_lists *lists, uint64_t list,
                                       uint64_t n_terms, struct bs_rare_terms *terms,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Like bs_rare_term_lists_read, but also fails with BS_CORRUPT if the bytes of the list differ from
 * the bytes that a writer makes of its terms. */
enum bs_status bs_rare_term_lists_check(const struct bs_rare_term_lists *lists, uint64_t list,
                                        uint64_t n_terms, struct bs_rare_terms *terms,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Writing: count the symbols of some lists, make the codes from these counts, then encode all
 * lists. */

#define BS_RARE_GAPS    64u /* symbols of gaps */
#define BS_RARE_LENGTHS 32u
#define BS_RARE_DOCS    256u /* sets of documents, as bits; the empty set does not occur */

struct bs_rare_counts {
	uint64_t gaps[BS_RARE_GAPS];
	uint64_t lengths[BS_RARE_LENGTHS];
	uint64_t docs[BS_RARE_DOCS];
};
/* Counts the symbols of a list. Ordinals ascend; each term has at least one document. */
void bs_rare_count(struct bs_rare_counts *counts, const struct bs_rare_term *terms, size_t n_terms);

struct bs_rare_codes {
	uint32_t docs_log2; /* log2 of the documents per list */
	/* code lengths in bits: of gaps, then of run lengths, then of sets of documents */
	uint8_t lengths[BS_RARE_GAPS + BS_RARE_LENGTHS + BS_RARE_DOCS];
	uint32_t values[BS_RARE_GAPS + BS_RARE_LENGTHS + BS_RARE_DOCS]; /* from bs_code_values */
};
/* Makes the codes, also for symbols that can occur but were not counted. BS_NO_MEMORY. */
enum bs_status bs_rare_codes_make(struct bs_rare_codes *codes, const struct bs_rare_counts *counts,
                                  uint32_t docs_log2, struct bs_error *err) BS_WARN_UNUSED;
/* Appends the bytes of a list; appends nothing if n_terms is 0. BS_NO_MEMORY. */
enum bs_status bs_rare_term_list_append(const struct bs_rare_codes *codes,
                                        const struct bs_rare_term *terms, size_t n_terms,
                                        struct bs_buffer *to, struct bs_error *err) BS_WARN_UNUSED;
/* Write the sections. Between the two calls the caller writes the lists, in order, with
 * bs_file_writer_bytes. offsets: the byte offset of each list, and the end of the last list. Errors
 * are sticky in the writer. */
void bs_rare_term_lists_begin(const struct bs_rare_codes *codes, struct bs_file_writer *writer);
void bs_rare_term_lists_end(const struct bs_u64s *offsets, struct bs_file_writer *writer);
