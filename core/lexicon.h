/*
 * lexicon.h: the distinct terms of a segment with their document frequencies, sorted by bytes.
 *
 * Front-coded in blocks of 16: the first term of a block stands whole, each other as the number of bytes it shares with
 * the one before and the rest. A look-up is a binary search over the first eight bytes of every block's first term (a
 * dense array), then a walk of at most 16 terms: under half a microsecond at random among a million terms. Measured size: see bench/README.md.
 *
 * A term's ordinal is its place in this order; exact columns and plain signatures name terms by it.
 *
 * Keys: a word is its folded UTF-8; the pair term of two run characters is 0xff and the two, which no UTF-8 text can
 * spell, so that a pair is never taken for a word that folds to the same two characters.
 */
#ifndef BS_CORE_LEXICON_H
#define BS_CORE_LEXICON_H

#include <stdbool.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/container.h"
#include "core/status.h"

#define BS_KEY_PAIR 0xff /* first byte of a pair term's key */

#define BS_LEXICON_BLOCK_TERMS 16u /* terms of a block; the last one may have fewer */
#define BS_LEXICON_INDEX_BYTES 16u /* a block's index entry: u64 the first eight bytes of its first term, as a number that
                                    * sorts as they do, zeros for those it lacks; u64 where the block begins */

/* ---- writing: terms in strictly ascending order of bytes ---- */

struct bs_lexicon_writer {
	struct bs_writer *writer;
	struct bs_buffer index; /* two u64 a block */
	struct bs_buffer last;  /* the term before */
	uint64_t n_terms;
	enum bs_status status;
};

/* Starts the lexicon's first section. The struct is the caller's; release with bs_lexicon_writer_finish. */
void bs_lexicon_writer_init(struct bs_lexicon_writer *lexicon, struct bs_writer *writer);
/* df >= 1. Sticky. */
void bs_lexicon_writer_add(struct bs_lexicon_writer *lexicon, const uint8_t *term, uint32_t term_bytes, uint64_t df);
/* Writes the second section and releases everything; the first failure is returned. */
enum bs_status bs_lexicon_writer_finish(struct bs_lexicon_writer *lexicon, struct bs_error *err) BS_WARN_UNUSED;

/* ---- reading: any number of threads ---- */

struct bs_lexicon {
	struct bs_section terms;
	struct bs_section index;
	uint64_t n_terms;
};

/* n_terms as the segment's head says. BS_CORRUPT if the sections do not fit it. */
enum bs_status bs_lexicon_open(struct bs_lexicon *lexicon, const struct bs_container *file, uint64_t n_terms,
                               struct bs_error *err) BS_WARN_UNUSED;

/* found_out says whether the term is there; then its ordinal and df. BS_CORRUPT. */
enum bs_status bs_lexicon_find(const struct bs_lexicon *lexicon, const uint8_t *term, uint32_t term_bytes,
                               bool *found_out, uint64_t *ordinal_out, uint64_t *df_out, struct bs_error *err)
	BS_WARN_UNUSED;

/* Walks the terms in order. Zero-initialise the cursor but for lexicon; release with bs_lexicon_cursor_deinit. */
struct bs_lexicon_cursor {
	const struct bs_lexicon *lexicon;
	struct bs_buffer term; /* the current term */
	uint64_t ordinal;      /* of the current term */
	uint64_t df;
	uint64_t n_shared;     /* leading bytes that the current term has in common with the one before, if both were walked */
	uint64_t next;         /* ordinal of the term after it */
	const uint8_t *at;
};

/* Positions before the first term >= from. */
enum bs_status bs_lexicon_cursor_seek(struct bs_lexicon_cursor *cursor, const uint8_t *from, uint32_t from_bytes,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* The next term; end_out is true, and the cursor unchanged, when there is none. */
enum bs_status bs_lexicon_cursor_next(struct bs_lexicon_cursor *cursor, bool *end_out, struct bs_error *err)
	BS_WARN_UNUSED;
void bs_lexicon_cursor_deinit(struct bs_lexicon_cursor *cursor);

#endif
