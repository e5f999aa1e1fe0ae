/* stored.c: see stored.h. */
#include "core/bloom/stored.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/bloom/bits.h"

#define STORED_MAGIC   "BSBLOOM\n"
#define STORED_VERSION 1u
/* The scheme of bitsift/bloom.h. Scheme 1 is that of the matrix, core/base/hash.h. */
#define STORED_HASH_SCHEME 2u

static const char *const names[BS_STORED_KINDS] = {
	NULL,
	"Bloom filter",
	"counting Bloom filter",
	"compressed Bloom filter",
	"delta of a Bloom filter",
	"attenuated Bloom filter",
};

enum bs_status bs_stored_corrupt(enum bs_stored_kind kind, uint64_t at, struct bs_error *err,
                                 const char *format, ...)
{
	char what[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	return bs_fail(err, BS_CORRUPT, "%s: byte %llu: %s", names[kind], (unsigned long long)at,
	               what);
}

void bs_stored_seal(const struct bs_stored *stored, uint8_t *bytes, size_t n_bytes)
{
	memcpy(bytes, STORED_MAGIC, 8);
	bs_store_u32(bytes + 8, STORED_VERSION);
	bs_store_u32(bytes + 12, stored->kind);
	bs_store_u32(bytes + 16, STORED_HASH_SCHEME);
	bs_store_u32(bytes + 20, stored->n_hashes);
	bs_store_u64(bytes + 24, stored->n_bits);
	bs_store_u64(bytes + 32, n_bytes);
	bs_store_u64(bytes + 40, stored->number);
	bs_store_u64(bytes + 48,
	             bs_checksum(bytes + BS_STORED_HEAD_BYTES, n_bytes - BS_STORED_HEAD_BYTES));
	bs_store_u64(bytes + 56, bs_checksum(bytes, 56));
}

enum bs_status bs_stored_read(enum bs_stored_kind kind, const uint8_t *bytes, size_t n_bytes,
                              struct bs_stored *stored_out, struct bs_error *err)
{
	if (n_bytes < BS_STORED_HEAD_BYTES)
		return bs_stored_corrupt(kind, n_bytes, err, "the head is cut off");
	if (memcmp(bytes, STORED_MAGIC, 8) != 0)
		return bs_stored_corrupt(kind, 0, err, "no filter begins so");
	if (bs_load_u64(bytes + 56) != bs_checksum(bytes, 56))
		return bs_stored_corrupt(kind, 56, err, "checksum mismatch of the head");
	uint32_t version = bs_load_u32(bytes + 8), found = bs_load_u32(bytes + 12),
		 scheme = bs_load_u32(bytes + 16);
	if (version != STORED_VERSION)
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s: of version %u, which this program does not know", names[kind],
		               version);
	if (found != (uint32_t)kind)
		return bs_stored_corrupt(kind, 12, err, "of another kind: %s",
		                         found && found < BS_STORED_KINDS ? names[found]
		                                                          : "none that is known");
	if (scheme != STORED_HASH_SCHEME)
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s: of hash scheme %u, which this program does not know",
		               names[kind], scheme);
	struct bs_stored stored = {kind, bs_load_u32(bytes + 20), bs_load_u64(bytes + 24),
	                           bs_load_u64(bytes + 40)};
	if (stored.n_hashes == 0 || stored.n_hashes > BS_BLOOM_MAX_HASHES)
		return bs_stored_corrupt(kind, 20, err, "%u hashes", stored.n_hashes);
	if (stored.n_bits == 0 || stored.n_bits > UINT32_MAX)
		return bs_stored_corrupt(kind, 24, err, "%llu bits",
		                         (unsigned long long)stored.n_bits);
	if (bs_load_u64(bytes + 32) != n_bytes)
		return bs_stored_corrupt(kind, 32, err, "%llu bytes, of which there are %zu",
		                         (unsigned long long)bs_load_u64(bytes + 32), n_bytes);
	*stored_out = stored;
	return BS_OK;
}

enum bs_status bs_stored_check_body(enum bs_stored_kind kind, const uint8_t *bytes, size_t n_bytes,
                                    struct bs_error *err)
{
	if (bs_load_u64(bytes + 48) !=
	    bs_checksum(bytes + BS_STORED_HEAD_BYTES, n_bytes - BS_STORED_HEAD_BYTES))
		return bs_stored_corrupt(kind, 48, err, "checksum mismatch");
	return BS_OK;
}
