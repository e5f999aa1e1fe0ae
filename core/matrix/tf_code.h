/*
 * tf_code.h: the frequency (tf) of each word of a document, in about one and a half bits per word,
 * without storing the words.
 *
 * The tf code of a document is not a list but a static function, from words to tfs (Dillinger and
 * Walzer, "Ribbon filter", 2021; Chazelle et al., "The Bloomier filter", 2004). Each word gives a
 * few linear equations over GF(2). Their coefficients come from the word's hash, and their right
 * sides are the bits of its coded tf. A solution of the system is stored. For a word of the
 * document, as known from its signature, a few parities give the exact tf; for any other word the
 * result is meaningless. No word is stored, nothing is searched, and a document of 30 words takes
 * one or two machine words.
 *
 * A tf is coded in a prefix code; equation j gives bit j of the code. The code of 1 is 0. The code
 * of tf >= 2 is 1 and the Elias gamma code of tf - 1: a one for each binary digit after the first,
 * a zero, then these digits. So 2 is 10, 3 is 1100 and 4 is 1101. A document without a repeated
 * word has no bits.
 *
 * With m stored bits and w = min(m, 64), equation j of a word has w coefficients, for the bits from
 * a multiple of 8 on:
 *
 *      start = 8 * reduce(a, (m - w) / 8 + 1)      coefficients = the low w bits of a ^ b
 *      a + b * 2^64 = (hash + (32 + j) * GOLDEN) * 94d049bb133111eb      one multiplication
 *
 * m is a multiple of 8. core/base/hash.h has GOLDEN, and reduce as bs_hash_reduce. Format:
 * FORMAT.md, sections 37 and 38.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/packed.h"
#include "core/simd/kernels.h"

#define BS_TF_PAD_BYTES 8u /* readable bytes after a document's bits */

struct bs_tf_word {
	uint64_t hash; /* bs_hash_term of the word */
	uint32_t tf;   /* >= 1 */
};

/* Scratch of one thread. Zero-initialise, then set the kernel. */
struct bs_tf_coder {
	const struct bs_kernel *kernel;
	struct bs_buffer equations; /* the equations of a document */
	struct bs_buffer scratch;   /* memory of the system of equations */
};
void bs_tf_coder_deinit(struct bs_tf_coder *coder);

/* May be decoded instead of the tf of a word whose hash another word of the document shares. */
#define BS_TF_UNKNOWN UINT32_MAX

/* Appends the tf code of a document with these words to `bits`; appends nothing if no word is
 * repeated. May change `words`. BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_tf_encode(struct bs_tf_coder *coder, struct bs_tf_word *words, size_t n_words,
                            struct bs_buffer *bits, struct bs_error *err) BS_WARN_UNUSED;

/* The tf, >= 1, of a word of the document; an arbitrary number for other words. BS_TF_PAD_BYTES
 * bytes after bits + n_bytes must be readable. */
uint32_t bs_tf_decode(const uint8_t *bits, size_t n_bytes, uint64_t hash);

/* A key holds the parts of decoding that do not depend on the document, for decoding one word in
 * many documents. bs_tf_decode_key returns what bs_tf_decode returns. */
#define BS_TF_KEY_BITS 12u
struct bs_tf_equation {
	uint64_t a;
	uint64_t mask; /* a ^ b: the coefficients; only the low m if m < 64 bits are stored */
};
struct bs_tf_key {
	uint64_t hash;
	struct bs_tf_equation equations[BS_TF_KEY_BITS]; /* the first equations of the word */
};
void bs_tf_key_init(struct bs_tf_key *key, uint64_t hash);
uint32_t bs_tf_decode_key(const uint8_t *bits, size_t n_bytes, const struct bs_tf_key *key);

/* The tf codes of a segment, document by document. Zero-initialise. */
struct bs_tf_table_builder {
	struct bs_buffer ends; /* u64 each: 0, then the end of each document's code in `bits` */
	struct bs_buffer bits;
};
enum bs_status bs_tf_table_add(struct bs_tf_table_builder *builder, const uint8_t *bits,
                               size_t n_bytes, struct bs_error *err) BS_WARN_UNUSED;
/* Returns the tf code of a document that was added. The pad follows the last document only after
 * bs_tf_table_pad. */
const uint8_t *bs_tf_table_added(const struct bs_tf_table_builder *builder, uint32_t document,
                                 size_t *n_bytes_out);
/* Appends the pad after the last document. Call it before the first bs_tf_table_added. */
enum bs_status bs_tf_table_pad(struct bs_tf_table_builder *builder,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_tf_table_write(const struct bs_tf_table_builder *builder, struct bs_file_writer *writer);
void bs_tf_table_builder_clear(struct bs_tf_table_builder *builder);
void bs_tf_table_builder_deinit(struct bs_tf_table_builder *builder);

/* Reading. Any number of threads may read the same table. */

/* bs_packed_prefetch_target (packed.h) prefetches the code of a document through `offsets`. */
struct bs_tf_table {
	struct bs_packed offsets; /* one per document, plus one */
	struct bs_section bits;   /* the codes, then BS_TF_PAD_BYTES zero bytes */
};
/* Opens the tf codes of a segment. BS_CORRUPT if the sections do not fit n_docs documents. */
enum bs_status bs_tf_table_open(struct bs_tf_table *table, const struct bs_container *file,
                                uint64_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
/* Finds the tf code of a document, for bs_tf_decode; borrowed. BS_CORRUPT. */
enum bs_status bs_tf_table_get(const struct bs_tf_table *table, uint32_t document,
                               const uint8_t **bits_out, size_t *n_bytes_out,
                               struct bs_error *err) BS_WARN_UNUSED;
