/*
 * bit_code.h: an array of bits, of which some are set at random, in as few bits as its entropy, n
 * H(t / n), where t of n bits are set.
 *
 * A block of 2^L bits is empty with the probability (1 - t / n)^(2^L). It is said whether it is; if
 * it is not, whether its left half is, then its right half, unless that follows; and so on down to
 * single bits. The probabilities of these answers multiply to those of the bits, so that nothing is
 * lost against coding bit by bit, and what is empty costs no time. Blocks are as large as are empty
 * about every other time. Of bits that are mostly set, the others are coded.
 *
 * Probabilities are fractions of 2^32, computed by integers from t and n, which both sides know.
 */
#pragma once

#include "core/base/buffer.h"

/* Appends the code of n_bits bits (bits.h), of which n_set are set; n_bits below 2^32.
 * BS_NO_MEMORY. */
enum bs_status bs_bit_encode(const uint8_t *bits, uint64_t n_bits, uint64_t n_set,
                             struct bs_buffer *out, struct bs_error *err) BS_WARN_UNUSED;

/* Sets the bits, which are all 0, to those of the code: false if the bytes are no code of n_bits
 * bits of which n_set are set. */
bool bs_bit_decode(const uint8_t *bytes, size_t n_bytes, uint64_t n_bits, uint64_t n_set,
                   uint8_t *bits);
