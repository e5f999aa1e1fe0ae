/* hash.c: the one place that calls xxHash. See hash.h. */
#include "core/hash.h"

#include <xxhash.h>

uint64_t bs_hash_term(const void *key, size_t key_bytes)
{
	return XXH3_64bits(key, key_bytes);
}

uint64_t bs_checksum(const void *bytes, size_t n_bytes)
{
	return XXH3_64bits(bytes, n_bytes);
}
