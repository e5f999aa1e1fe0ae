/* hash.c: hashes and checksums by xxHash. See hash.h. */
#include "core/base/hash.h"

#include <unistd.h>

/* Inlined, because a term has few bytes, and a call takes half of the time of hashing it. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/clock.h"

uint64_t bs_hash_term(const void *key, size_t key_bytes)
{
	return XXH3_64bits(key, key_bytes);
}

/* Chosen when the library is loaded, so that no use needs to test whether it has been chosen. */
static struct bs_hash_secret secret;

__attribute__((constructor)) static void choose_secret(void)
{
	/* Fallback if the kernel has no entropy: values that differ between processes. */
	if (getentropy(&secret, sizeof(secret)) != 0) {
		uint64_t now = bs_now_ns();
		secret.words[0] = bs_hash_mix(now ^ (uint64_t)getpid() << 32);
		secret.words[1] = bs_hash_mix(secret.words[0] ^ (uint64_t)(uintptr_t)&now);
	}
	secret.words[0] |= 1;
	secret.words[1] |= 1;
}

struct bs_hash_secret bs_hash_get_secret(void)
{
	return secret;
}

uint64_t bs_hash_slot(const void *bytes, size_t n_bytes)
{
	return XXH3_64bits_withSeed(bytes, n_bytes, secret.words[0]);
}

uint64_t bs_checksum(const void *bytes, size_t n_bytes)
{
	return XXH3_64bits(bytes, n_bytes);
}

/* A bs_checksum_stream is an XXH3_state_t. The type of its own keeps xxHash's header out of
 * hash.h. */
struct bs_checksum_stream *bs_checksum_stream_new(void)
{
	XXH3_state_t *state = XXH3_createState();
	if (state)
		XXH3_64bits_reset(state);
	return (struct bs_checksum_stream *)(void *)state;
}

void bs_checksum_stream_add(struct bs_checksum_stream *stream, const void *bytes, size_t n_bytes)
{
	XXH3_64bits_update((XXH3_state_t *)(void *)stream, bytes, n_bytes);
}

uint64_t bs_checksum_stream_value(const struct bs_checksum_stream *stream)
{
	return XXH3_64bits_digest((const XXH3_state_t *)(const void *)stream);
}

void bs_checksum_stream_free(struct bs_checksum_stream *stream)
{
	XXH3_freeState((XXH3_state_t *)(void *)stream);
}
