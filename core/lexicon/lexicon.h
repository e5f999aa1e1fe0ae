/*
 * lexicon.h: the distinct terms of a segment with their document frequencies, sorted by bytes.
 *
 * Front-coded in blocks of 32, each term as what to drop from the end of the one before and a rest,
 * both in prefix codes made for the segment (term_codes.h): under four bytes a term on source code,
 * df and index counted, bench/NOTES.md. A block has a separator, the shortest string that divides
 * it from the one before. 64 blocks are a chapter, whose separators stand together, front-coded in
 * plain bytes. A look-up is a binary search over the first eight bytes of every chapter, then a
 * walk over its separators and a walk over the terms of one block.
 *
 * A term's ordinal is its place in this order; exact columns and forward indexes name terms by it.
 *
 * Keys: a word is its folded UTF-8; the pair term of two run characters is 0xff and the two, which
 * no UTF-8 text can spell, so that a pair is never taken for a word that folds to the same two
 * characters.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/lexicon/term_codes.h"

#define BS_KEY_COMPOUND 0xff /* first byte of a pair term's key */

#define BS_LEXICON_BLOCK_TERMS    32u /* terms of a block; the last one may have fewer */
#define BS_LEXICON_CHAPTER_BLOCKS 64u /* blocks of a chapter, likewise */
/* a chapter's index entry: u64 the first eight bytes of its first separator, as a number that sorts
 * as they do, zeros for those it lacks; u64 where its first block begins, u64 where its separators
 * do */
#define BS_LEXICON_CHAPTER_BYTES 24u
/* u8 bytes of its block; half a byte of those to drop from the separator before, in the low bits,
 * and half a byte of those that follow */
#define BS_SEPARATOR_HEAD_BYTES 2
/* in place of the first: one of the three is too large, and varints follow */
#define BS_SEPARATOR_LONG 0u
/* zeros behind the last block, so that bits can be loaded words at a time */
#define BS_LEXICON_PAD_BYTES 8u

/* Any number of threads may read one. lexicon_write.h makes it. */

struct bs_lexicon {
	struct bs_section terms;
	struct bs_section separators;
	struct bs_section chapters;
	struct bs_section code_lengths;
	/* read from them when the first term is, which some never do: a place for one, NULL until
	 * then */
	struct bs_term_codes **codes;
	uint64_t n_terms;
	uint64_t n_docs; /* of the segment: no df is more */
};

/* n_terms and n_docs as the segment's head says. The caller's struct; release with
 * bs_lexicon_deinit, which is fine after a failure too. BS_CORRUPT if the sections do not fit;
 * BS_NO_MEMORY. */
enum bs_status bs_lexicon_open(struct bs_lexicon *lexicon, const struct bs_container *file,
                               uint64_t n_terms, uint64_t n_docs,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_lexicon_deinit(struct bs_lexicon *lexicon);

/* found_out says whether the term is there; then its ordinal and df. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_lexicon_find(const struct bs_lexicon *lexicon, const uint8_t *term,
                               uint32_t term_bytes, bool *found_out, uint64_t *ordinal_out,
                               uint64_t *df_out, struct bs_error *err) BS_WARN_UNUSED;

/* Walks the terms in order. Zero-initialise the cursor but for lexicon; release with
 * bs_lexicon_cursor_deinit. */
struct bs_lexicon_cursor {
	const struct bs_lexicon *lexicon;
	struct bs_buffer term; /* the current term */
	uint64_t ordinal;      /* of the current term */
	uint64_t df;
	/* leading bytes that the current term has in common with the one before, if both were
	 * walked */
	uint64_t n_shared;
	uint64_t next;   /* ordinal of the term after it */
	bool is_waiting; /* the current term is still to be given: a seek stopped at it */
	struct bs_buffer separator; /* of the block of the current term */
	/* bytes that it was not given, but has from the one before */
	uint64_t separator_shared;
	uint64_t next_block;     /* the one behind that */
	uint64_t next_block_off; /* where it begins in terms */
	const uint8_t *next_separator;
	const uint8_t *separators_end; /* of the chapter */
	struct bs_bits bits;           /* of the block, from the next term on */
	uint32_t head_context;         /* of the next term */
};

/* Positions before the first term >= from. */
enum bs_status bs_lexicon_cursor_seek(struct bs_lexicon_cursor *cursor, const uint8_t *from,
                                      uint32_t from_bytes, struct bs_error *err) BS_WARN_UNUSED;
/* The next term; end_out is true, and the cursor unchanged, when there is none. */
enum bs_status bs_lexicon_cursor_next(struct bs_lexicon_cursor *cursor, bool *end_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
void bs_lexicon_cursor_deinit(struct bs_lexicon_cursor *cursor);
