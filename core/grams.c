/*
 * grams.c: see grams.h. Text goes through three steps, a few kilobytes at a time so that all of it stays in the first
 * level of cache: fold, find the windows that are grams, drop those that were there before.
 *
 *     staged   | tail of a sequence | text ...                 |   as it came; an unfinished sequence waits for more
 *     folded   | last 5 bytes       | folded ...               |   windows that span the cut are seen once
 *     windows    rolling 64 bits: the low 24 are a trigram, the low 48 a 6-gram
 *
 * Trigrams are known by a bitmap of all 2^24, 6-grams by a hash table that grows with the document.
 */
#include "core/grams.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "core/bytes.h"

#define STAGE_BYTES    8192u
#define SEQUENCE_BYTES 4u /* the longest UTF-8 sequence */
#define CARRY_BYTES    (BS_GRAM_LONG_BYTES - 1)
#define TRIGRAM_BITS   (1u << 24)
#define TRIGRAM_MASK   (TRIGRAM_BITS - 1)
#define LONG_MASK      ((UINT64_C(1) << (8 * BS_GRAM_LONG_BYTES)) - 1)
#define TRIGRAM_TAG    (UINT64_C(3) << 56)
#define LONG_TAG       ((uint64_t)BS_GRAM_LONG_BYTES << 56)
#define LEAST_SLOTS    1024u

/* A sequence may grow by half where it is folded (U+023A of two bytes to U+2C65 of three). */
#define FOLDED_BYTES (CARRY_BYTES + 2 * (STAGE_BYTES + SEQUENCE_BYTES))

struct bs_grams {
	uint64_t *seen;        /* bit t: trigram t is among keys */
	struct bs_buffer keys; /* uint64_t */
	uint64_t *slots;       /* keys of 6-grams; 0 is empty */
	size_t n_slots;        /* a power of two, of slots_capacity at most; at least half of it empty */
	size_t slots_capacity;
	size_t n_longs;
	size_t n_staged;
	size_t n_carried; /* folded bytes at the start of folded that were looked at before */
	bool is_taken;    /* keys were handed out, and go with the next call */
	uint8_t staged[STAGE_BYTES + SEQUENCE_BYTES];
	uint8_t folded[FOLDED_BYTES];
	uint64_t longs[FOLDED_BYTES]; /* of one piece, not yet distinct */
};

/* ---- folding ---- */

uint32_t bs_gram_fold(uint32_t c)
{
	return (uint32_t)u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT);
}

#define EVERY_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight ASCII bytes: no sum below passes 0xff, so bytes do not disturb each other. The high bit says "from A on" in the
 * one and "from [ on" in the other; what is in the first only is a capital. */
static inline uint64_t fold_ascii(uint64_t bytes)
{
	uint64_t from_a = bytes + EVERY_BYTE(0x80 - 'A');
	uint64_t from_bracket = bytes + EVERY_BYTE(0x80 - '[');
	return bytes | ((from_a & ~from_bracket & EVERY_BYTE(0x80)) >> 2);
}

/* The bytes that the lead byte says its sequence has. */
static size_t sequence_bytes(uint8_t lead)
{
	return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* One sequence that is not ASCII, or bytes that are none; returns where the next begins. */
static size_t fold_sequence(const uint8_t *from, size_t at, size_t n_bytes, uint8_t **to)
{
	size_t start = at, n = 0;
	UChar32 c;
	U8_NEXT(from, at, n_bytes, c);
	if (c < 0 || bs_gram_fold((uint32_t)c) == (uint32_t)c) {
		memcpy(*to, from + start, at - start);
		n = at - start;
	} else {
		uint32_t folded = bs_gram_fold((uint32_t)c);
		U8_APPEND_UNSAFE(*to, n, folded);
	}
	*to += n;
	return at;
}

/* Folds from[0..n_bytes) to to (room for twice as many and 8). Unless it is_end, a sequence that the end cuts off is left:
 * returns the bytes folded. */
static size_t fold(const uint8_t *from, size_t n_bytes, bool is_end, uint8_t *to, size_t *n_folded_out)
{
	uint8_t *start = to;
	size_t at = 0;
	while (at < n_bytes) {
		uint64_t bytes;
		if (n_bytes - at >= 8) {
			memcpy(&bytes, from + at, 8);
			if (!(bytes & EVERY_BYTE(0x80))) {
				bytes = fold_ascii(bytes);
				memcpy(to, &bytes, 8);
				to += 8;
				at += 8;
				continue;
			}
		}
		if (from[at] < 0x80) {
			*to++ = (uint8_t)fold_ascii(from[at++]);
			continue;
		}
		if (!is_end && sequence_bytes(from[at]) > n_bytes - at)
			break;
		at = fold_sequence(from, at, n_bytes, &to);
	}
	*n_folded_out = (size_t)(to - start);
	return at;
}

enum bs_status bs_grams_fold(const uint8_t *text, size_t n_bytes, struct bs_buffer *folded, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(folded, 2 * n_bytes + 8, err);
	if (status)
		return status;
	size_t n_folded;
	fold(text, n_bytes, true, folded->data + folded->used_bytes, &n_folded);
	folded->used_bytes += n_folded;
	return BS_OK;
}

/* ---- which windows are grams ---- */

/* bytes: of a 6-gram. The topmost bits of a product depend on all of them. */
static inline uint64_t long_hash(uint64_t bytes)
{
	return bytes * UINT64_C(0x9e3779b97f4a7c15);
}

static inline bool is_selected(uint64_t hash)
{
	return hash < UINT64_MAX / BS_GRAM_LONG_SHARE;
}

static enum bs_status append_new(struct bs_buffer *keys, size_t first_byte, uint64_t key, struct bs_error *err)
{
	for (size_t at = first_byte; at < keys->used_bytes; at += sizeof(key))
		if (memcmp(keys->data + at, &key, sizeof(key)) == 0)
			return BS_OK;
	return bs_buffer_append(keys, &key, sizeof(key), err);
}

enum bs_status bs_grams_of_literal(const uint8_t *folded, size_t n_bytes, struct bs_buffer *keys, struct bs_error *err)
{
	size_t first_byte = keys->used_bytes;
	uint64_t window = 0;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_bytes && !status; i++) {
		window = window << 8 | folded[i];
		if (i + 1 >= BS_GRAM_LEAST)
			status = append_new(keys, first_byte, TRIGRAM_TAG | (window & TRIGRAM_MASK), err);
	}
	window = 0;
	for (size_t i = 0; i < n_bytes && !status; i++) {
		window = (window << 8 | folded[i]) & LONG_MASK;
		if (i + 1 >= BS_GRAM_LONG_BYTES && is_selected(long_hash(window)))
			status = append_new(keys, first_byte, LONG_TAG | window, err);
	}
	return status;
}

/* ---- the set ---- */

enum bs_status bs_grams_new(struct bs_grams **grams_out, struct bs_error *err)
{
	struct bs_grams *grams = calloc(1, sizeof(*grams));
	if (grams) {
		grams->seen = calloc(TRIGRAM_BITS / 64, sizeof(*grams->seen));
		grams->slots = calloc(LEAST_SLOTS, sizeof(*grams->slots));
		grams->n_slots = grams->slots_capacity = LEAST_SLOTS;
	}
	if (!grams || !grams->seen || !grams->slots) {
		bs_grams_free(grams);
		return bs_fail_memory(err, "a set of grams", TRIGRAM_BITS / 8 + sizeof(*grams));
	}
	*grams_out = grams;
	return BS_OK;
}

void bs_grams_free(struct bs_grams *grams)
{
	if (!grams)
		return;
	free(grams->seen);
	free(grams->slots);
	bs_buffer_deinit(&grams->keys);
	free(grams);
}

/* Undoes what the keys did, which for most documents is less than clearing two megabytes. */
static void forget_keys(struct bs_grams *grams)
{
	const uint64_t *keys = (const uint64_t *)(const void *)grams->keys.data;
	size_t n_keys = grams->keys.used_bytes / sizeof(*keys);
	for (size_t i = 0; i < n_keys; i++)
		if (bs_gram_bytes(keys[i]) == BS_GRAM_LEAST)
			grams->seen[(keys[i] & TRIGRAM_MASK) / 64] = 0;
	memset(grams->slots, 0, grams->n_slots * sizeof(*grams->slots));
	grams->n_slots = LEAST_SLOTS;
	grams->n_longs = 0;
	bs_buffer_clear(&grams->keys);
	grams->is_taken = false;
}

void bs_grams_begin(struct bs_grams *grams)
{
	forget_keys(grams);
	grams->n_staged = 0;
	grams->n_carried = 0;
}

void bs_grams_take(struct bs_grams *grams, const uint64_t **keys_out, size_t *n_keys_out)
{
	*keys_out = (const uint64_t *)(const void *)grams->keys.data;
	*n_keys_out = grams->keys.used_bytes / sizeof(**keys_out);
	grams->is_taken = true;
}

/* Where the key is, or would be. */
static inline size_t slot_of(const struct bs_grams *grams, uint64_t key)
{
	size_t mask = grams->n_slots - 1;
	size_t at = (size_t)(long_hash(key & LONG_MASK) >> 20) & mask;
	while (grams->slots[at] && grams->slots[at] != key)
		at = (at + 1) & mask;
	return at;
}

/* Makes the table so large that n_more keys leave half of it empty. */
static enum bs_status make_room(struct bs_grams *grams, size_t n_more, struct bs_error *err)
{
	size_t n_slots = grams->n_slots;
	while ((grams->n_longs + n_more) * 2 > n_slots)
		n_slots *= 2;
	if (n_slots == grams->n_slots)
		return BS_OK;
	if (n_slots > grams->slots_capacity) {
		uint64_t *slots = realloc(grams->slots, n_slots * sizeof(*slots));
		if (!slots)
			return bs_fail_memory(err, "grams of a document", n_slots * sizeof(*slots));
		grams->slots = slots;
		grams->slots_capacity = n_slots;
	}
	grams->n_slots = n_slots;
	memset(grams->slots, 0, n_slots * sizeof(*grams->slots));
	const uint64_t *keys = (const uint64_t *)(const void *)grams->keys.data;
	for (size_t i = 0; i < grams->keys.used_bytes / sizeof(*keys); i++)
		if (bs_gram_bytes(keys[i]) != BS_GRAM_LEAST)
			grams->slots[slot_of(grams, keys[i])] = keys[i];
	return BS_OK;
}

/* The grams of folded[0..n_folded) that end behind the first n_carried bytes: trigrams go to keys at once, the selected
 * 6-grams to longs. There must be room in keys. */
static size_t find_grams(struct bs_grams *grams, size_t n_folded)
{
	const uint8_t *folded = grams->folded;
	uint64_t *seen = grams->seen, *longs = grams->longs;
	uint64_t *keys = (uint64_t *)(void *)(grams->keys.data + grams->keys.used_bytes);
	size_t n_keys = 0, n_longs = 0, at = 0;
	uint64_t window = 0;
	for (; at < n_folded && (at < grams->n_carried || at + 1 < BS_GRAM_LONG_BYTES); at++) {
		window = window << 8 | folded[at];
		uint64_t trigram = window & TRIGRAM_MASK;
		if (at < grams->n_carried || at + 1 < BS_GRAM_LEAST || seen[trigram / 64] >> (trigram % 64) & 1)
			continue;
		seen[trigram / 64] |= UINT64_C(1) << (trigram % 64);
		keys[n_keys++] = TRIGRAM_TAG | trigram;
	}
	for (; at < n_folded; at++) {
		window = window << 8 | folded[at];
		uint64_t trigram = window & TRIGRAM_MASK, bit = UINT64_C(1) << (trigram % 64);
		if (!(seen[trigram / 64] & bit)) {
			seen[trigram / 64] |= bit;
			keys[n_keys++] = TRIGRAM_TAG | trigram;
		}
		/* Without a branch: whether it is selected nobody could predict. */
		longs[n_longs] = LONG_TAG | (window & LONG_MASK);
		n_longs += is_selected(long_hash(window & LONG_MASK));
	}
	grams->keys.used_bytes += n_keys * sizeof(*keys);
	return n_longs;
}

/* Takes over those of longs[0..n_longs) that are new. There must be room in keys and slots. */
static void add_longs(struct bs_grams *grams, size_t n_longs)
{
	uint64_t *keys = (uint64_t *)(void *)(grams->keys.data + grams->keys.used_bytes);
	size_t n_keys = 0;
	for (size_t i = 0; i < n_longs; i++) {
		size_t slot = slot_of(grams, grams->longs[i]);
		if (grams->slots[slot])
			continue;
		grams->slots[slot] = grams->longs[i];
		keys[n_keys++] = grams->longs[i];
	}
	grams->n_longs += n_keys;
	grams->keys.used_bytes += n_keys * sizeof(*keys);
}

/* What is staged, but for an unfinished sequence. */
static enum bs_status flush(struct bs_grams *grams, bool is_end, struct bs_error *err)
{
	size_t n_new;
	size_t n_used = fold(grams->staged, grams->n_staged, is_end, grams->folded + grams->n_carried, &n_new);
	memmove(grams->staged, grams->staged + n_used, grams->n_staged - n_used);
	grams->n_staged -= n_used;
	size_t n_folded = grams->n_carried + n_new;
	enum bs_status status = bs_buffer_reserve(&grams->keys, 2 * n_folded * sizeof(uint64_t), err);
	if (status)
		return status;
	size_t n_longs = find_grams(grams, n_folded);
	status = make_room(grams, n_longs, err);
	if (status)
		return status;
	add_longs(grams, n_longs);
	grams->n_carried = n_folded < CARRY_BYTES ? n_folded : CARRY_BYTES;
	memmove(grams->folded, grams->folded + n_folded - grams->n_carried, grams->n_carried);
	return BS_OK;
}

enum bs_status bs_grams_add(struct bs_grams *grams, const uint8_t *text, size_t n_bytes, struct bs_error *err)
{
	if (grams->is_taken)
		forget_keys(grams);
	for (size_t at = 0; at < n_bytes;) {
		size_t n = n_bytes - at, room = STAGE_BYTES + SEQUENCE_BYTES - grams->n_staged;
		if (n > room)
			n = room;
		memcpy(grams->staged + grams->n_staged, text + at, n);
		grams->n_staged += n;
		at += n;
		enum bs_status status = flush(grams, false, err);
		if (status)
			return status;
	}
	return BS_OK;
}

enum bs_status bs_grams_end(struct bs_grams *grams, struct bs_error *err)
{
	if (grams->is_taken)
		forget_keys(grams);
	return flush(grams, true, err);
}
