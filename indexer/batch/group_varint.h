/*
 * group_varint.h: numbers of 32 bits in as many bytes as each needs, four a group: a byte with their lengths, two bits each, and
 * then the numbers (Dean, "Challenges in Building Large-Scale Information Retrieval Systems", WSDM 2009). Unlike varints of
 * seven bits a byte they are told apart without looking at them: a quarter of the instructions, for documents' terms as
 * small. In memory only.
 */
#ifndef BS_INDEXER_BATCH_GROUP_VARINT_H
#define BS_INDEXER_BATCH_GROUP_VARINT_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/bytes.h"

/* Bytes that n numbers take at most, and those behind them that may be written or read, too. */
#define BS_GROUP_MOST_BYTES(n) (((size_t)(n) + 3) / 4 * 17 + BS_GROUP_SLACK)
#define BS_GROUP_SLACK         3u

/* numbers has room for a multiple of four; what there is beyond n is set to 0. Gives where the next group goes. */
static inline uint8_t *bs_group_put(uint8_t *to, uint32_t *numbers, uint32_t n)
{
	for (uint32_t i = n; i % 4; i++)
		numbers[i] = 0;
	for (uint32_t i = 0; i < n; i += 4) {
		uint8_t *lengths = to++;
		uint32_t all = 0;
		for (uint32_t k = 0; k < 4; k++) {
			uint32_t number = numbers[i + k];
			uint32_t length = (31u - (uint32_t)__builtin_clz(number | 1)) / 8;
			bs_store_u32(to, number);
			to += length + 1;
			all |= length << (2 * k);
		}
		*lengths = (uint8_t)all;
	}
	return to;
}

/* The next n numbers, and those up to a multiple of four. Gives where the next group stands. */
static inline const uint8_t *bs_group_get(const uint8_t *from, uint32_t *numbers, uint32_t n)
{
	static const uint32_t masks[4] = {0xff, 0xffff, 0xffffff, 0xffffffff};
	for (uint32_t i = 0; i < n; i += 4) {
		uint32_t lengths = *from++;
		for (uint32_t k = 0; k < 4; k++, lengths >>= 2) {
			numbers[i + k] = bs_load_u32(from) & masks[lengths & 3];
			from += (lengths & 3) + 1;
		}
	}
	return from;
}

#endif
