/*
 * lexicon.h: the sorted terms of a segment with their document frequencies.
 *
 * Terms are front-coded in blocks of 32. A term is stored as the number of bytes to drop from the
 * end of the previous term, and a rest to append. Both are in prefix codes made for the segment
 * (term_codes.h). A term of source code takes less than four bytes, including df and index
 * (bench/NOTES.md). A block has a separator: the shortest string that is greater than the terms of
 * earlier blocks and not greater than those of this block. 64 blocks are a chapter; its separators
 * are stored together, front-coded in plain bytes. A look-up is a binary search over the first
 * eight bytes of every chapter's first separator, then a scan of the separators of one chapter,
 * then a scan of one block.
 *
 * A term's ordinal is its index in the bytewise order of all terms. Exact columns and forward
 * indexes refer to terms by ordinal.
 *
 * Keys: the key of a word is its folded UTF-8. The key of a bigram of two characters of a script
 * run is 0xff and the two characters. UTF-8 has no byte 0xff, so no bigram has the key of a word.
 * word_pairs.h has the keys of word pairs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/lexicon/term_codes.h"

#define BS_KEY_COMPOUND 0xff /* first byte of the key of a bigram or word pair */

#define BS_LEXICON_BLOCK_TERMS    32u /* terms of a block; the last one may have fewer */
#define BS_LEXICON_CHAPTER_BLOCKS 64u /* blocks of a chapter; the last one may have fewer */
/* The index entry of a chapter: a u64 with the first eight bytes of its first separator, as a
 * number with the same order (bs_first_eight); a u64 with the offset of its first block in the
 * terms; a u64 with the offset of its separators. */
#define BS_LEXICON_CHAPTER_BYTES 24u
/* The header of a separator: a u8 with the length of its block in bytes; a u8 with the number of
 * bytes to drop from the end of the previous separator (low four bits) and the length of the rest
 * (high four bits). */
#define BS_SEPARATOR_HEAD_BYTES 2
/* First byte of a header whose three numbers do not fit; the numbers follow the header as
 * varints. */
#define BS_SEPARATOR_LONG 0u
/* Zeros follow the last block, so that bits can be loaded as words. */
#define BS_LEXICON_PAD_BYTES 8u

/* A lexicon is safe to read from many threads. lexicon_write.h writes it. */

struct bs_lexicon {
	struct bs_section terms;        /* the coded blocks */
	struct bs_section separators;   /* of all blocks */
	struct bs_section chapters;     /* an index entry for each chapter, a group of blocks */
	struct bs_section code_lengths; /* the prefix codes: term_codes.h */
	/* Points to a pointer to the codes, which is NULL until the first term is read. */
	struct bs_term_codes **codes;
	uint64_t n_terms;
	uint64_t n_docs; /* documents of the segment; no df is greater */
};

/* Opens the lexicon of a segment. n_terms and n_docs are from the section META of the segment. The
 * caller calls bs_lexicon_deinit, which is allowed after a failure, too. BS_CORRUPT if the sizes of
 * the sections do not fit n_terms; BS_NO_MEMORY. */
enum bs_status bs_lexicon_open(struct bs_lexicon *lexicon, const struct bs_container *file,
                               uint64_t n_terms, uint64_t n_docs,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_lexicon_deinit(struct bs_lexicon *lexicon);

/* Looks up a term; *found_out is false if it is absent. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_lexicon_find(const struct bs_lexicon *lexicon, const uint8_t *term,
                               uint32_t term_bytes, bool *found_out, uint64_t *ordinal_out,
                               uint64_t *df_out, struct bs_error *err) BS_WARN_UNUSED;

/* Iterates over the terms in order. Zero-initialise the cursor except `lexicon`; release it with
 * bs_lexicon_cursor_deinit. */
struct bs_lexicon_cursor {
	const struct bs_lexicon *lexicon;
	struct bs_buffer term; /* the current term */
	uint64_t ordinal;      /* ordinal of the current term */
	uint64_t df;           /* df of the current term */
	/* Length of the prefix that the current term shares with the term before it. 0 for the
	 * first term that a seek decodes. */
	uint64_t n_shared;
	uint64_t next; /* ordinal of the term to decode next */
	/* bs_lexicon_cursor_next has not returned the current term yet: a seek stopped at it */
	bool is_waiting;
	struct bs_buffer separator; /* separator of the current term's block */
	/* Length of the prefix that `separator` shares with the previous separator. */
	uint64_t separator_shared;
	uint64_t next_block;     /* the block after the current term's block */
	uint64_t next_block_off; /* where next_block begins in the terms */
	/* the stored separator of next_block, if that block is in the current block's chapter */
	const uint8_t *next_separator;
	const uint8_t *separators_end; /* end of the separators of the chapter */
	struct bs_bits bits;           /* bits of the block, from the next term on */
	/* The context of the next term's head: it selects the code of the head (term_codes.h). */
	uint32_t head_context;
};

/* Positions the cursor before the first term >= from. BS_CORRUPT, BS_NO_MEMORY, or the deadline's
 * status. */
enum bs_status bs_lexicon_cursor_seek(struct bs_lexicon_cursor *cursor, const uint8_t *from,
                                      uint32_t from_bytes, struct bs_error *err) BS_WARN_UNUSED;
/* Advances to the next term. *end_out is true, and the cursor unchanged, if there is none. Fails
 * like bs_lexicon_cursor_seek. */
enum bs_status bs_lexicon_cursor_next(struct bs_lexicon_cursor *cursor, bool *end_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
void bs_lexicon_cursor_deinit(struct bs_lexicon_cursor *cursor);
