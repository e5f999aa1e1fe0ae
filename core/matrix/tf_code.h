/*
 * tf_code.h: how often each word of a document stands in it (tf), in about one and a half bits a
 * word and without the words.
 *
 * A static function, not a list (Dillinger and Walzer, "Ribbon filter", 2021; Chazelle et al., "The
 * Bloomier filter", 2004): every word gives a few linear equations over GF(2) whose coefficients
 * come from its hash, and whose right sides spell its tf; what is stored is a solution. Who knows
 * that the document has the word (its signature says so) gets the tf exactly, by a few parities; of
 * a word that it has not the answer means nothing. So no word is stored, nothing is searched, and a
 * document of 30 words takes one or two machine words.
 *
 * A tf is spelled in prefix code, equation j saying its bit j: 0 for 1; from 2 on 1 and the Elias
 * gamma code of tf - 1 (as many ones as its binary form has digits behind the first, a zero, and
 * these digits): so 10 for 2, 1100 and 1101 for 3 and 4. A document without a word that is repeated
 * has no bits at all.
 *
 * With m stored bits and w = min(m, 64), equation j of a word has w coefficients, those of the bits
 * from a multiple of 8 on:
 *
 *      start = 8 * reduce(a, (m - w) / 8 + 1)      coefficients = the low w bits of a ^ b
 *      a + b * 2^64 = (hash + (32 + j) * GOLDEN) * 94d049bb133111eb       (as in hash.h; one
 *        multiplication)
 *
 * m is a multiple of 8: the bytes that hold it. In FORMAT.md: sections 37 and 38.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/packed.h"
#include "core/simd/kernels.h"

#define BS_TF_PAD_BYTES 8u /* so many bytes may be read behind a document's bits */

struct bs_tf_word {
	uint64_t hash; /* bs_hash_term of the word */
	uint32_t tf;   /* >= 1 */
};

/* Scratch; one thread. Zero-initialise but for the kernel. */
struct bs_tf_coder {
	const struct bs_kernel *kernel;
	struct bs_buffer equations;
	struct bs_buffer scratch; /* of the system */
};
void bs_tf_coder_deinit(struct bs_tf_coder *coder);

/* What is decoded for two words of a document that share a hash: how often they stand there is not
 * known. */
#define BS_TF_UNKNOWN UINT32_MAX

/* Appends the bits of a document's words to bits; nothing if none stands twice. May change words.
 * BS_NO_MEMORY. */
enum bs_status bs_tf_encode(struct bs_tf_coder *coder, struct bs_tf_word *words, size_t n_words,
                            struct bs_buffer *bits, struct bs_error *err) BS_WARN_UNUSED;

/* The tf, >= 1, of a word that the document has: any number of one that it has not. BS_TF_PAD_BYTES
 * behind bits + n_bytes can be read. */
uint32_t bs_tf_decode(const uint8_t *bits, size_t n_bytes, uint64_t hash);

/* The same for a word that is asked for in many documents: what does not depend on the document is
 * worked out once. */
#define BS_TF_KEY_BITS 12u
struct bs_tf_equation {
	uint64_t a;
	uint64_t mask; /* a ^ b: the coefficients, where there are as many bits */
};
struct bs_tf_key {
	uint64_t hash;
	struct bs_tf_equation equations[BS_TF_KEY_BITS]; /* the first ones */
};
void bs_tf_key_init(struct bs_tf_key *key, uint64_t hash);
uint32_t bs_tf_decode_key(const uint8_t *bits, size_t n_bytes, const struct bs_tf_key *key);

/* The tf codes of a segment, one document after the other, and where each begins.
 * Zero-initialise. */
struct bs_tf_table_builder {
	struct bs_buffer ends; /* u64: 0, and for each document where its bits end */
	struct bs_buffer bits;
};
enum bs_status bs_tf_table_add(struct bs_tf_table_builder *builder, const uint8_t *bits,
                               size_t n_bytes, struct bs_error *err) BS_WARN_UNUSED;
/* The bits of a document added before; the pad is there once all are. */
const uint8_t *bs_tf_table_added(const struct bs_tf_table_builder *builder, uint32_t document,
                                 size_t *n_bytes_out);
/* Before the first bs_tf_table_added: puts the pad behind the last document. */
enum bs_status bs_tf_table_pad(struct bs_tf_table_builder *builder,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_tf_table_write(const struct bs_tf_table_builder *builder, struct bs_file_writer *writer);
void bs_tf_table_builder_clear(struct bs_tf_table_builder *builder);
void bs_tf_table_builder_deinit(struct bs_tf_table_builder *builder);

/* Reading: any number of threads. */

/* Prefetched by document through offsets and bits: packed.h. */
struct bs_tf_table {
	struct bs_packed offsets; /* one a document and one more */
	struct bs_section bits;   /* and BS_TF_PAD_BYTES zero bytes */
};
/* BS_CORRUPT if the sections do not fit n_docs documents. */
enum bs_status bs_tf_table_open(struct bs_tf_table *table, const struct bs_container *file,
                                uint64_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
/* The bits of a document, for bs_tf_decode. BS_CORRUPT. */
enum bs_status bs_tf_table_get(const struct bs_tf_table *table, uint32_t document,
                               const uint8_t **bits_out, size_t *n_bytes_out,
                               struct bs_error *err) BS_WARN_UNUSED;
