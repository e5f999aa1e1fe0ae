/*
 * bit_code.h: entropy coding of an array of n bits of which t are set at random. A code has about
 * n H(t / n) bits, where H is the binary entropy (bs_bloom_entropy).
 *
 * The coder works on blocks of 2^L bits. A block is empty if none of its bits is set, which has the
 * probability (1 - t / n)^(2^L). The code says whether the block is empty. If not, it says whether
 * the left half is empty; if the left half is not, it says whether the right half is; and so on
 * down to single bits. The probabilities of these answers multiply to the probability of the bits;
 * therefore nothing is lost compared with coding each bit, and an empty area takes few answers. The
 * largest blocks have 64 bits or, if most blocks of 64 bits are empty, the size at which about half
 * of the blocks are empty. If most bits are set, the inverted array is coded.
 *
 * Probabilities are fractions of 2^32. Encoder and decoder compute them with integers from t and n,
 * which both know.
 */
#pragma once

#include "core/base/buffer.h"

/* Appends the code of n_bits bits (bits.h), n_set of which are set; n_bits < 2^32. BS_NO_MEMORY. */
enum bs_status bs_bit_encode(const uint8_t *bits, uint64_t n_bits, uint64_t n_set,
                             struct bs_buffer *out, struct bs_error *err) BS_WARN_UNUSED;

/* Decodes into `bits`, which must be all 0. False if the bytes are not the code of n_bits bits of
 * which n_set are set; then the contents of `bits` are undefined. */
bool bs_bit_decode(const uint8_t *bytes, size_t n_bytes, uint64_t n_bits, uint64_t n_set,
                   uint8_t *bits);
