/*
 * grams.h: the grams analyzer, text -> short strings of bytes that stand in it, for grep. The one definition of a gram.
 *
 * Text is folded first: simple case folding (Unicode's CaseFolding.txt, C and S) of every valid UTF-8 sequence; bytes
 * that are of none stay as they are. The grams of a text are then, of all windows over the folded bytes,
 *
 *     every trigram (3 bytes), and
 *     every 6-gram that its own hash selects, one in BS_GRAM_LONG_SHARE.
 *
 * Whether a window is a gram depends on nothing but its bytes. So whoever searches for a folded string knows which
 * grams every text that holds the string must have, and those of a part of it are among those of the whole. What was
 * measured to choose the 6-grams is in bench/README.md.
 */
#ifndef BS_CORE_GRAMS_H
#define BS_CORE_GRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The scheme: part of an index, because text and query must agree on it. */
#define BS_GRAM_SCHEME     1u
#define BS_GRAM_LEAST      3u /* bytes of the shortest gram: a shorter string has none */
#define BS_GRAM_LONG_BYTES 6u
#define BS_GRAM_LONG_SHARE 2u

/*
 * A gram is known by its key: its length in the topmost byte, its bytes below, the first of them highest. Different
 * grams have different keys, and no key is 0. A key may stand for a term's hash where positions are taken from one
 * (bs_hash_probe mixes it).
 */
static inline uint32_t bs_gram_bytes(uint64_t key)
{
	return (uint32_t)(key >> 56);
}

/* Simple case folding of one code point, 0 <= c <= 0x10ffff. */
uint32_t bs_gram_fold(uint32_t c);

/* Appends text folded, as a document is before its grams are taken. BS_NO_MEMORY. */
enum bs_status bs_grams_fold(const uint8_t *text, size_t n_bytes, struct bs_buffer *folded,
                             struct bs_error *err) BS_WARN_UNUSED;

/*
 * Appends the keys (uint64_t) of the distinct grams that every text has whose folded form holds these bytes; none if
 * there are fewer than BS_GRAM_LEAST. In order of first occurrence, trigrams before longer ones. BS_NO_MEMORY.
 */
enum bs_status bs_grams_of_literal(const uint8_t *folded, size_t n_bytes, struct bs_buffer *keys,
                                   struct bs_error *err) BS_WARN_UNUSED;

/*
 * The gram set of a document that comes in pieces, cut anywhere: windows and UTF-8 sequences span the cuts. Belongs to
 * one thread at a time; make one per thread (2 MB and what the document needs) and use it for any number of documents:
 *
 *     begin { add } end take        or, for a document in several parts:    begin { { add } take } end take
 *
 * Of the keys taken so, each take has what was added since the one before, windows across the cut in the later one. A
 * gram that stands in several parts is in each.
 */
struct bs_grams;

/* BS_NO_MEMORY. */
enum bs_status bs_grams_new(struct bs_grams **grams_out, struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
void bs_grams_free(struct bs_grams *grams);

/* Forgets everything; a new document. */
void bs_grams_begin(struct bs_grams *grams);
/* BS_NO_MEMORY; the document is then to be begun anew. */
enum bs_status bs_grams_add(struct bs_grams *grams, const uint8_t *text, size_t n_bytes,
                            struct bs_error *err) BS_WARN_UNUSED;
/* The document ends here: an unfinished UTF-8 sequence at its end is bytes. */
enum bs_status bs_grams_end(struct bs_grams *grams, struct bs_error *err) BS_WARN_UNUSED;
/* Distinct keys, in no order that means anything but the same for the same text and parts. Borrowed until the next call
 * with these grams. */
void bs_grams_take(struct bs_grams *grams, const uint64_t **keys_out, size_t *n_keys_out);

#ifdef __cplusplus
}
#endif
#endif
