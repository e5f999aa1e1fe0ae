/* word_pairs.c: see word_pairs.h. */
#include "core/lexicon/word_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"

void bs_word_pairs_deinit(struct bs_word_pairs *pairs)
{
	bs_term_table_deinit(&pairs->words);
	bs_buffer_deinit(&pairs->keys);
	bs_vector_deinit(&pairs->ends);
	bs_vector_deinit(&pairs->heads);
	free(pairs->slots);
	*pairs = (struct bs_word_pairs){0};
}

enum bs_status bs_word_pair_key(const uint8_t *a, uint32_t a_bytes, const uint8_t *b,
                                uint32_t b_bytes, struct bs_buffer *key, struct bs_error *err)
{
	static const uint8_t mark = BS_KEY_COMPOUND;
	enum bs_status status = bs_buffer_append(key, &mark, a[0] != BS_KEY_COMPOUND, err);
	if (!status)
		status = bs_buffer_append(key, a, a_bytes, err);
	if (!status)
		status = bs_buffer_append(key, &mark, 1, err);
	return status ? status : bs_buffer_append(key, b, b_bytes, err);
}

bool bs_word_pair_split(const uint8_t *key, uint32_t key_bytes, struct bs_word_pair *pair_out)
{
	if (key_bytes < 4 || key[0] != BS_KEY_COMPOUND)
		return false;
	const uint8_t *mark = memrchr(key + 1, BS_KEY_COMPOUND, key_bytes - 1);
	if (!mark || mark == key + 1 || mark[-1] == BS_KEY_COMPOUND || mark + 1 == key + key_bytes)
		return false;
	bool is_wide = memchr(key + 1, BS_KEY_COMPOUND, (size_t)(mark - key - 1));
	pair_out->first = key + !is_wide;
	pair_out->first_bytes = (uint32_t)(mark - pair_out->first);
	pair_out->second = mark + 1;
	pair_out->second_bytes = (uint32_t)(key + key_bytes - pair_out->second);
	return true;
}

/* The slot where the search for a pair begins. words: number of the first part << 16 | number of
 * the second part. */
static uint64_t slot_of(const struct bs_word_pairs *pairs, uint32_t words)
{
	return (words * pairs->factor >> 32) & (pairs->n_slots - 1);
}

static void put_slot(struct bs_word_pairs *pairs, uint64_t entry)
{
	uint64_t at = slot_of(pairs, (uint32_t)(entry >> 16));
	while (pairs->slots[at])
		at = (at + 1) & (pairs->n_slots - 1);
	pairs->slots[at] = entry;
}

static enum bs_status grow(struct bs_word_pairs *pairs, struct bs_error *err)
{
	uint32_t n_old = pairs->n_slots;
	uint64_t *old = pairs->slots;
	uint32_t n_slots = n_old ? n_old * 2 : 64;
	pairs->slots = calloc(n_slots, sizeof(*pairs->slots));
	if (!pairs->slots) {
		pairs->slots = old;
		return bs_fail_memory(err, "pairs of words", n_slots * sizeof(*pairs->slots));
	}
	pairs->n_slots = n_slots;
	pairs->factor = bs_hash_get_secret().words[1];
	for (uint32_t i = 0; i < n_old; i++)
		if (old[i])
			put_slot(pairs, old[i]);
	free(old);
	return BS_OK;
}

bool bs_word_pairs_find(const struct bs_word_pairs *pairs, uint16_t a, uint16_t b,
                        uint32_t *pair_out)
{
	uint32_t words = (uint32_t)a << 16 | b;
	if (pairs->n_slots == 0)
		return false;
	for (uint64_t at = slot_of(pairs, words); pairs->slots[at];
	     at = (at + 1) & (pairs->n_slots - 1)) {
		if (pairs->slots[at] >> 16 == words) {
			*pair_out = (uint32_t)(pairs->slots[at] & 0xffff) - 1;
			return true;
		}
	}
	return false;
}

uint16_t bs_word_pairs_word(const struct bs_word_pairs *pairs, const uint8_t *word,
                            uint32_t n_bytes, uint64_t hash)
{
	uint32_t number;
	return bs_term_table_find(&pairs->words, word, n_bytes, hash, &number) ? (uint16_t)number
	                                                                       : BS_NO_WORD;
}

const uint8_t *bs_word_pairs_key(const struct bs_word_pairs *pairs, uint32_t pair,
                                 uint32_t *key_bytes_out)
{
	const uint64_t *ends = pairs->ends.items;
	uint64_t start = pair ? ends[pair - 1] : 0;
	*key_bytes_out = (uint32_t)(ends[pair] - start);
	return pairs->keys.data + start;
}

/* True if the key is the key of a pair of the set; sets the number of the pair. */
static bool find_key(const struct bs_word_pairs *pairs, const uint8_t *key, uint32_t key_bytes,
                     uint32_t *pair_out)
{
	struct bs_word_pair is;
	if (!bs_word_pair_split(key, key_bytes, &is))
		return false;
	return bs_word_pairs_find(pairs,
	                          bs_word_pairs_word(pairs, is.first, is.first_bytes,
	                                             bs_hash_slot(is.first, is.first_bytes)),
	                          bs_word_pairs_word(pairs, is.second, is.second_bytes,
	                                             bs_hash_slot(is.second, is.second_bytes)),
	                          pair_out);
}

enum bs_status bs_word_pairs_add(struct bs_word_pairs *pairs, const uint8_t *a, uint32_t a_bytes,
                                 const uint8_t *b, uint32_t b_bytes, struct bs_error *err)
{
	static const uint16_t no_head = BS_NO_WORD;
	uint32_t first, second, found, head;
	bool is_wide = a[0] == BS_KEY_COMPOUND;
	if (pairs->n_word_pairs == BS_MAX_WORD_PAIRS ||
	    (is_wide && !find_key(pairs, a, a_bytes, &head)))
		return BS_OK;
	enum bs_status status = bs_term_table_intern(&pairs->words, a, a_bytes,
	                                             bs_hash_slot(a, a_bytes), &first, NULL, err);
	if (!status)
		status = bs_term_table_intern(&pairs->words, b, b_bytes, bs_hash_slot(b, b_bytes),
		                              &second, NULL, err);
	if (!status && is_wide)
		pairs->heads.items[head] = (uint16_t)first;
	if (status || bs_word_pairs_find(pairs, (uint16_t)first, (uint16_t)second, &found))
		return status;
	if ((pairs->n_word_pairs + 1) * 2 > pairs->n_slots)
		status = grow(pairs, err);
	if (!status)
		status = bs_word_pair_key(a, a_bytes, b, b_bytes, &pairs->keys, err);
	uint64_t end = pairs->keys.used_bytes;
	if (!status)
		status = bs_vector_append(&pairs->ends, &end, err);
	if (!status)
		status = bs_vector_append(&pairs->heads, &no_head, err);
	if (!status)
		put_slot(pairs,
		         (uint64_t)first << 32 | (uint64_t)second << 16 | ++pairs->n_word_pairs);
	return status;
}
