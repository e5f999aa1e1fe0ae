/* term_batch.c: see term_batch.h. */
#include "indexer/batch/term_batch.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/value.h"
#include "core/base/vector.h"
#include "core/bitsift/skip.h"
#include "core/lexicon/lexicon.h"
#include "core/store/field_weights.h"
#include "core/store/manifest.h"
#include "core/system/deadline.h"
#include "corpus/read/coding.h"

#define FIELD_GAP   100u       /* positions between two fields of a record */
#define KEPT_BYTES  (1u << 20) /* larger buffers are freed after use */
#define FIRST_SLOTS (1u << 14) /* slots of a new dictionary */
#define KEPT_SLOTS  (1u << 18) /* if there are more, they are freed after use */
/* Estimated costs for the deadline: of a distinct term after tokenization, and of a field without
 * its words. */
#define TERM_NS  30u
#define FIELD_NS 200u

_Static_assert(BS_TOKEN_SLACK_BYTES >= BS_TERM_BATCH_KEY_BYTES,
               "a key is read whole, whatever its length");

/* Clears the first n_slots slots, and uses these. */
static void use_slots(struct bs_term_batch_terms *terms, uint32_t n_slots)
{
	memset(terms->slots, 0, (size_t)n_slots * sizeof(*terms->slots));
	terms->n_slots = n_slots;
	terms->secret = bs_hash_get_secret();
	terms->slot_shift = (uint32_t)__builtin_clzll(n_slots) + 1;
}

/* A key of up to 16 bytes as two words, in native byte order. */
struct short_key {
	uint64_t words[2];
};

/* Loads 16 bytes and clears all but the first n_bytes. */
static struct short_key load_key(const uint8_t *bytes, uint32_t n_bytes)
{
	static const uint8_t masks[2 * BS_TERM_BATCH_KEY_BYTES] = {
		255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
	struct short_key key, mask;
	memcpy(&key, bytes, sizeof(key));
	memcpy(&mask, masks + BS_TERM_BATCH_KEY_BYTES - n_bytes, sizeof(mask));
	key.words[0] &= mask.words[0];
	key.words[1] &= mask.words[1];
	return key;
}

/* The hash that determines a term's slot. It is used only within a batch: terms are numbered by
 * appearance, so nothing stored depends on it. Each half of the key is combined with a secret, to
 * prevent deliberate collisions, and then both are multiplied. */
static uint64_t mix_key(struct bs_hash_secret secret, struct short_key key, uint32_t n_bytes)
{
	struct bs_product product = bs_hash_multiply(key.words[0] ^ secret.words[0],
	                                             key.words[1] ^ secret.words[1] ^ n_bytes);
	return product.low ^ product.high;
}

/* The slot where probing for a term begins. For a long key: from its hash and length. */
static uint32_t home_slot(const struct bs_term_batch_terms *terms,
                          const struct bs_term_batch_term *term)
{
	struct short_key key;
	memcpy(&key, term->key, sizeof(key));
	if (term->key_bytes > BS_TERM_BATCH_KEY_BYTES)
		key.words[1] = 0;
	return (uint32_t)(mix_key(terms->secret, key, term->key_bytes) >> terms->slot_shift);
}

static enum bs_status grow_slots(struct bs_term_batch_terms *terms, struct bs_error *err)
{
	uint32_t n_slots = terms->n_slots ? terms->n_slots * 2 : FIRST_SLOTS;
	if (n_slots == 0 || n_slots > terms->most_slots) {
		uint32_t *slots = n_slots ? malloc((size_t)n_slots * sizeof(*slots)) : NULL;
		if (!slots)
			return bs_fail_memory(err, "the terms of a batch",
			                      (size_t)n_slots * sizeof(*slots));
		free(terms->slots);
		terms->slots = slots;
		terms->most_slots = n_slots;
	}
	use_slots(terms, n_slots);
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < terms->n_terms && !status; i++) {
		uint32_t at = home_slot(terms, &terms->entries.items[i]);
		while (terms->slots[at])
			at = (at + 1) & (n_slots - 1);
		terms->slots[at] = i + 1;
		status = bs_deadline_each(i, TERM_NS, err);
	}
	return status;
}

/* Adds a term at `slot`. If the table grows, the slot is computed again. */
static enum bs_status add_term(struct bs_term_batch_terms *terms,
                               const struct bs_term_batch_term *term, uint64_t hash, uint32_t slot,
                               uint32_t *number_out, struct bs_error *err)
{
	enum bs_status status = bs_vector_append(&terms->entries, term, err);
	if (!status)
		status = bs_vector_append(&terms->hashes, &hash, err);
	if (status)
		return status;
	*number_out = terms->n_terms++;
	if ((uint64_t)terms->n_terms * 2 > terms->n_slots)
		return grow_slots(terms, err);
	terms->slots[slot] = terms->n_terms;
	return BS_OK;
}

/* Finds or adds a short key. mixed: the result of mix_key; bytes, n_bytes: the key again. */
static inline enum bs_status find_mixed(struct bs_term_batch_terms *terms, struct short_key key,
                                        uint64_t mixed, const uint8_t *bytes, uint32_t n_bytes,
                                        uint32_t *number_out, struct bs_error *err)
{
	uint32_t at = (uint32_t)(mixed >> terms->slot_shift);
	for (uint32_t found; (found = terms->slots[at]) != 0;
	     at = (at + 1) & (terms->n_slots - 1)) {
		const struct bs_term_batch_term *entry = &terms->entries.items[found - 1];
		struct short_key other;
		memcpy(&other, entry->key, sizeof(other));
		if (!((key.words[0] ^ other.words[0]) | (key.words[1] ^ other.words[1]) |
		      (n_bytes ^ entry->key_bytes))) {
			*number_out = found - 1;
			return BS_OK;
		}
	}
	struct bs_term_batch_term term = {.key_bytes = n_bytes};
	memcpy(term.key, &key, sizeof(key));
	return add_term(terms, &term, bs_hash_slot(bytes, n_bytes), at, number_out, err);
}

static enum bs_status find_short(struct bs_term_batch_terms *terms, const uint8_t *bytes,
                                 uint32_t n_bytes, uint32_t *number_out, struct bs_error *err)
{
	struct short_key key = load_key(bytes, n_bytes);
	return find_mixed(terms, key, mix_key(terms->secret, key, n_bytes), bytes, n_bytes,
	                  number_out, err);
}

static enum bs_status find_long(struct bs_term_batch_terms *terms, const uint8_t *bytes,
                                uint32_t n_bytes, uint32_t *number_out, struct bs_error *err)
{
	uint64_t hash = bs_hash_slot(bytes, n_bytes);
	struct short_key key = {{hash, 0}};
	uint32_t at = (uint32_t)(mix_key(terms->secret, key, n_bytes) >> terms->slot_shift);
	for (uint32_t found; (found = terms->slots[at]) != 0;
	     at = (at + 1) & (terms->n_slots - 1)) {
		const struct bs_term_batch_term *entry = &terms->entries.items[found - 1];
		memcpy(&key, entry->key, sizeof(key));
		if (entry->key_bytes == n_bytes && key.words[0] == hash &&
		    memcmp(terms->long_keys.data + key.words[1], bytes, n_bytes) == 0) {
			*number_out = found - 1;
			return BS_OK;
		}
	}
	struct bs_term_batch_term term = {.key_bytes = n_bytes};
	key = (struct short_key){{hash, terms->long_keys.used_bytes}};
	memcpy(term.key, &key, sizeof(key));
	enum bs_status status = bs_buffer_append(&terms->long_keys, bytes, n_bytes, err);
	return status ? status : add_term(terms, &term, hash, at, number_out, err);
}

const uint8_t *bs_term_batch_key(const struct bs_term_batch *batch, uint32_t number,
                                 uint32_t *key_bytes_out)
{
	const struct bs_term_batch_term *term = &batch->terms.entries.items[number];
	struct short_key key;
	*key_bytes_out = term->key_bytes;
	if (term->key_bytes <= BS_TERM_BATCH_KEY_BYTES)
		return term->key;
	memcpy(&key, term->key, sizeof(key));
	return batch->terms.long_keys.data + key.words[1];
}

/* All buffers of a batch. bs_term_batch_bytes counts the first N_COUNTED of them. */
#define OFFSET_OF(buffer) offsetof(struct bs_term_batch, buffer)
#define N_COUNTED         13u
static const size_t buffer_offsets[] = {
	OFFSET_OF(terms.entries), OFFSET_OF(terms.hashes), OFFSET_OF(terms.long_keys),
	OFFSET_OF(postings),      OFFSET_OF(docs),         OFFSET_OF(names),
	OFFSET_OF(tfs),           OFFSET_OF(raws),         OFFSET_OF(gram_rows),
	OFFSET_OF(value_numbers), OFFSET_OF(other_fields), OFFSET_OF(skips),
	OFFSET_OF(non_documents), OFFSET_OF(unchanged),    OFFSET_OF(trigrams),
	OFFSET_OF(gram_text),     OFFSET_OF(key),          OFFSET_OF(pair_words),
	OFFSET_OF(pair_numbers),
};
#define N_BUFFERS (sizeof(buffer_offsets) / sizeof(*buffer_offsets))

void bs_term_batch_clear(struct bs_term_batch *batch)
{
	struct bs_term_batch_terms *terms = &batch->terms;
	for (size_t i = 0; i < N_BUFFERS; i++)
		bs_buffer_trim((struct bs_buffer *)(void *)((char *)batch + buffer_offsets[i]),
		               KEPT_BYTES);
	bs_term_table_clear(&batch->fields);
	bs_term_table_clear(&batch->values);
	bs_term_batch_seal(batch);
	/* If few slots were used, reduce their number, so that later batches do not spread over
	 * more of the cache than needed because one batch had very many terms. */
	while (terms->n_slots > FIRST_SLOTS && (uint64_t)terms->n_terms * 8 < terms->n_slots)
		terms->n_slots /= 2;
	if (terms->slots)
		use_slots(terms, terms->n_slots);
	terms->n_terms = 0;
	batch->n_docs = 0;
	batch->is_alone = false;
}

void bs_term_batch_seal(struct bs_term_batch *batch)
{
	struct bs_term_batch_terms *terms = &batch->terms;
	if (terms->most_slots <= KEPT_SLOTS)
		return;
	free(terms->slots);
	terms->slots = NULL;
	terms->n_slots = terms->most_slots = 0;
}

void bs_term_batch_deinit(struct bs_term_batch *batch)
{
	for (size_t i = 0; i < N_BUFFERS; i++)
		bs_buffer_deinit((struct bs_buffer *)(void *)((char *)batch + buffer_offsets[i]));
	bs_term_table_deinit(&batch->fields);
	bs_term_table_deinit(&batch->values);
	free(batch->terms.slots);
}

uint64_t bs_term_batch_bytes(const struct bs_term_batch *batch)
{
	uint64_t n_bytes = (uint64_t)batch->terms.n_terms * 4 * sizeof(*batch->terms.slots) +
	                   bs_term_table_bytes(&batch->values);
	for (size_t i = 0; i < N_COUNTED; i++)
		n_bytes += ((const struct bs_buffer *)(const void *)((const char *)batch +
		                                                     buffer_offsets[i]))
		                   ->used_bytes;
	return n_bytes;
}

/* Finds or adds a bigram or a word pair. rest: its key without the leading BS_KEY_COMPOUND. */
static enum bs_status find_pair(struct bs_term_batch *batch, const uint8_t *rest,
                                uint32_t rest_bytes, uint32_t *number_out, struct bs_error *err)
{
	bs_buffer_clear(&batch->key);
	enum bs_status status = bs_buffer_reserve(
		&batch->key, 1 + (size_t)rest_bytes + BS_TERM_BATCH_KEY_BYTES, err);
	if (status)
		return status;
	uint8_t *key = batch->key.data;
	key[0] = BS_KEY_COMPOUND;
	memcpy(key + 1, rest, rest_bytes);
	return (rest_bytes < BS_TERM_BATCH_KEY_BYTES ? find_short : find_long)(
		&batch->terms, key, rest_bytes + 1, number_out, err);
}

/* Records the number that the newest term has among the words of the word pairs. Called for each
 * new term, in order. */
static enum bs_status know_pair_word(struct bs_term_batch *batch, const struct bs_token *token,
                                     struct bs_error *err)
{
	uint16_t word = BS_NO_WORD;
	if (!token->is_bigram)
		word = bs_word_pairs_word(batch->pairs, token->term, token->term_bytes,
		                          batch->terms.hashes.items[batch->terms.n_terms - 1]);
	return bs_vector_append(&batch->pair_words, &word, err);
}

/* The term number of a word pair in this batch. */
static enum bs_status pair_number(struct bs_term_batch *batch, uint32_t pair, uint32_t *number_out,
                                  struct bs_error *err)
{
	static const uint16_t none = BS_NO_WORD;
	uint32_t *known = batch->pair_numbers.items + pair;
	uint32_t n_before = batch->terms.n_terms;
	uint32_t key_bytes;
	const uint8_t *key = bs_word_pairs_key(batch->pairs, pair, &key_bytes);
	if (*known) {
		*number_out = *known - 1;
		return BS_OK;
	}
	enum bs_status status = find_pair(batch, key + 1, key_bytes - 1, number_out, err);
	if (!status && batch->terms.n_terms > n_before)
		status = bs_vector_append(&batch->pair_words, &none, err);
	if (!status)
		*known = *number_out + 1;
	return status;
}

static enum bs_status start_pairs(struct bs_term_batch *batch, struct bs_error *err)
{
	const size_t n = batch->pairs->n_word_pairs;
	if (bs_vector_n(&batch->pair_numbers) == n)
		return BS_OK;
	bs_vector_clear(&batch->pair_numbers);
	enum bs_status status = bs_vector_reserve(&batch->pair_numbers, n, err);
	if (!status) {
		memset(batch->pair_numbers.items, 0, n * sizeof(*batch->pair_numbers.items));
		bs_vector_set_n(&batch->pair_numbers, n);
	}
	return status;
}

/* Tokens that are looked up at a time: each step prefetches, for all of them, the memory that the
 * next step reads. */
#define LOOK_AHEAD 16u

/* Most postings that a token adds: its term, and the pairs that end with it. */
#define MOST_POSTINGS (1 + 2 + BS_TERM_BATCH_MOST_HEADS)

/* A token that is about to be looked up. */
struct looked_up {
	struct short_key key;
	uint64_t mixed; /* hash of key */
	bool is_short;  /* key holds the whole term; otherwise key and mixed are not used */
};

static void look_ahead(const struct bs_term_batch_terms *terms, const struct bs_token *tokens,
                       size_t n, struct looked_up looked_up[LOOK_AHEAD])
{
	for (size_t i = 0; i < n; i++) {
		struct looked_up *here = &looked_up[i];
		here->is_short =
			!tokens[i].is_bigram && tokens[i].term_bytes <= BS_TERM_BATCH_KEY_BYTES;
		uint32_t n_bytes = here->is_short ? tokens[i].term_bytes : 0;
		here->key = load_key(tokens[i].term, n_bytes);
		here->mixed = mix_key(terms->secret, here->key, n_bytes);
		__builtin_prefetch(&terms->slots[here->mixed >> terms->slot_shift]);
	}
	const struct bs_term_batch_term *entries = terms->entries.items;
	for (size_t i = 0; entries && i < n; i++) {
		uint32_t found = terms->slots[looked_up[i].mixed >> terms->slot_shift];
		__builtin_prefetch(&entries[found ? found - 1 : 0], 1);
	}
}

/* Counts an occurrence of a term. Always writes its number at *posting, but advances *posting only
 * if the term is new in the document. */
static inline void count_term(struct bs_term_batch *batch, uint32_t number, uint32_t **posting)
{
	/* This has no branch, because it is unpredictable whether a word is new in the document. */
	struct bs_term_batch_term *entry = &batch->terms.entries.items[number];
	uint32_t this_doc = batch->n_docs + 1;
	bool is_first = entry->last_doc != this_doc;
	**posting = number;
	*posting += is_first;
	entry->tf = (is_first ? 0 : entry->tf) + batch->weight;
	if (batch->weight > 1 && entry->tf > BS_MOST_WEIGHTED_TF)
		entry->tf = BS_MOST_WEIGHTED_TF;
	entry->last_doc = this_doc;
}

/* A word b at `position` and the words at the position before it: a word, and a whole identifier
 * that has the same position as its first part. */
struct meeting {
	uint16_t a;     /* the word before b, or BS_NO_WORD */
	uint16_t whole; /* the whole identifier, or BS_NO_WORD */
	uint16_t b;
	uint32_t position;
};

/* Adds a pair to the postings, unless the document has it. */
static enum bs_status take_pair(struct bs_term_batch *batch, uint32_t pair, uint32_t **posting,
                                struct bs_error *err)
{
	uint32_t number = 0;
	enum bs_status status = pair_number(batch, pair, &number, err);
	if (status)
		return status;
	struct bs_term_batch_term *entry = &batch->terms.entries.items[number];
	**posting = number;
	*posting += entry->last_doc != batch->n_docs + 1;
	entry->last_doc = batch->n_docs + 1;
	return BS_OK;
}

/* Adds the pair of the words a and meeting->b, if it is among the pairs to index. */
static enum bs_status take_two(struct bs_term_batch *batch, uint16_t a,
                               const struct meeting *meeting, uint32_t **posting,
                               struct bs_error *err)
{
	struct bs_term_batch_heads *heads = &batch->heads[meeting->position & 1];
	uint32_t pair;
	if (a == BS_NO_WORD || !bs_word_pairs_find(batch->pairs, a, meeting->b, &pair))
		return BS_OK;
	uint16_t head = bs_word_pairs_head(batch->pairs, pair);
	if (head != BS_NO_WORD && heads->n < BS_TERM_BATCH_MOST_HEADS)
		heads->words[heads->n++] = head;
	return take_pair(batch, pair, posting, err);
}

/* Adds the pairs of the adjacent words. Then adds the wide pairs that end with b: each begins with
 * a pair that ends at the position before b. */
static enum bs_status take_meeting(struct bs_term_batch *batch, const struct meeting *meeting,
                                   uint32_t **posting, struct bs_error *err)
{
	struct bs_term_batch_heads *before = &batch->heads[~meeting->position & 1];
	if (batch->heads_position != meeting->position) {
		batch->heads[meeting->position & 1].n = 0;
		if (batch->heads_position + 1 != meeting->position)
			before->n = 0;
		batch->heads_position = meeting->position;
	}
	enum bs_status status = take_two(batch, meeting->a, meeting, posting, err);
	if (!status)
		status = take_two(batch, meeting->whole, meeting, posting, err);
	for (uint32_t i = 0; i < before->n && !status; i++)
		status = take_two(batch, before->words[i], meeting, posting, err);
	return status;
}

/* Fills *meeting with the words before a token, in a text with whole identifiers, and remembers the
 * token for the next call. Returns true if the token and a word before it may be a pair. */
static bool meet_whole(struct bs_term_batch *batch, const struct bs_token *token, uint16_t word,
                       struct meeting *meeting)
{
	uint32_t position = token->position;
	*meeting = (struct meeting){BS_NO_WORD, BS_NO_WORD, word, position};
	if (position == batch->last_position + 1)
		meeting->a = batch->last_word;
	if (position == batch->whole_position + 1)
		meeting->whole = batch->whole_word;
	if (token->is_whole) {
		batch->whole_word = word;
		batch->whole_position = position;
	} else {
		batch->last_word = word;
		batch->last_position = position;
		if (position != batch->whole_position)
			batch->whole_word = BS_NO_WORD;
	}
	return word != BS_NO_WORD && (meeting->a != BS_NO_WORD || meeting->whole != BS_NO_WORD);
}

/* Adds to the postings the pairs that end with one of n tokens, unless the document has them.
 * Candidates are selected without branches. */
static enum bs_status take_pairs(struct bs_term_batch *batch, const struct bs_token *tokens,
                                 const uint32_t *numbers, size_t n, uint32_t **posting,
                                 struct bs_error *err)
{
	struct meeting met[LOOK_AHEAD];
	const uint16_t *words = batch->pair_words.items;
	enum bs_status status = BS_OK;
	size_t n_met = 0;
	for (size_t i = 0; i < n; i++) {
		uint16_t word = words[numbers[i]];
		if (tokens[i].is_bigram)
			continue;
		if (tokens[i].is_whole | (batch->whole_word != BS_NO_WORD)) {
			n_met += meet_whole(batch, &tokens[i], word, &met[n_met]);
			continue;
		}
		met[n_met] =
			(struct meeting){batch->last_word, BS_NO_WORD, word, tokens[i].position};
		n_met += (word != BS_NO_WORD) & (batch->last_word != BS_NO_WORD) &
		         (tokens[i].position == batch->last_position + 1);
		batch->last_word = word;
		batch->last_position = tokens[i].position;
	}
	for (size_t i = 0; i < n_met && !status; i++)
		status = take_meeting(batch, &met[i], posting, err);
	return status;
}

static enum bs_status take_some(struct bs_term_batch *batch, const struct bs_token *tokens,
                                size_t n, uint32_t **posting, struct bs_error *err)
{
	struct looked_up looked_up[LOOK_AHEAD];
	uint32_t numbers[LOOK_AHEAD];
	enum bs_status status = BS_OK;
	look_ahead(&batch->terms, tokens, n, looked_up);
	for (size_t i = 0; i < n && !status; i++) {
		uint32_t number = 0;
		if (looked_up[i].is_short)
			status = find_mixed(&batch->terms, looked_up[i].key, looked_up[i].mixed,
			                    tokens[i].term, tokens[i].term_bytes, &number, err);
		else
			status = tokens[i].is_bigram
			                 ? find_pair(batch, tokens[i].term, tokens[i].term_bytes,
			                             &number, err)
			                 : find_long(&batch->terms, tokens[i].term,
			                             tokens[i].term_bytes, &number, err);
		if (!status && batch->pairs && bs_vector_n(&batch->pair_words) == number)
			status = know_pair_word(batch, &tokens[i], err);
		if (status)
			return status;
		count_term(batch, number, posting);
		numbers[i] = number;
	}
	return batch->pairs ? take_pairs(batch, tokens, numbers, n, posting, err) : BS_OK;
}

/* Measured memory that a distinct word takes until it is in a segment, and additional memory if the
 * document repeats the word. */
#define WORD_BYTES     90u
#define REPEATED_BYTES 70u

/* True if the words of the current document fit into room_bytes, the limit of a document that is
 * the only one of its batch; always true for others. n_repeated: its words with tf > 1. */
static bool has_room(const struct bs_term_batch *batch, uint32_t n_repeated)
{
	/* names of fields count like words */
	uint64_t n_words = (uint64_t)batch->terms.n_terms + batch->fields.n_terms;
	uint64_t n_bytes = n_words * WORD_BYTES + (uint64_t)n_repeated * REPEATED_BYTES +
	                   (batch->terms.long_keys.used_bytes + batch->fields.bytes.used_bytes) * 2;
	return batch->room_bytes == 0 || n_bytes <= batch->room_bytes;
}

static enum bs_status fail_room(struct bs_error *err)
{
	return bs_fail(err, BS_UNSUPPORTED, "more distinct words than --memory has room for");
}

static enum bs_status take_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                                  struct bs_error *err)
{
	struct bs_term_batch *batch = context;
	struct bs_u32s *postings = &batch->postings;
	enum bs_status status = bs_vector_reserve(postings, MOST_POSTINGS * n_tokens, err);
	if (!status && !batch->terms.slots)
		status = grow_slots(&batch->terms, err);
	if (!status && batch->pairs)
		status = start_pairs(batch, err);
	if (status)
		return status;
	uint32_t *posting = postings->items + bs_vector_n(postings);
	for (size_t i = 0; i < n_tokens && !status; i += LOOK_AHEAD)
		status = take_some(batch, tokens + i,
		                   n_tokens - i < LOOK_AHEAD ? n_tokens - i : LOOK_AHEAD, &posting,
		                   err);
	bs_vector_set_n(postings, (size_t)(posting - postings->items));
	return status || has_room(batch, 0) ? status : fail_room(err);
}

/* If the text is a number or a date, adds it to the document's values. Otherwise adds its field to
 * other_fields, which are counted later. */
static enum bs_status take_value(struct bs_term_batch *batch, const struct bs_field *field,
                                 uint32_t field_number, struct bs_error *err)
{
	uint8_t key[4 + BS_VALUE_MOST_BYTES];
	struct bs_value value;
	uint32_t number;
	enum bs_status status = bs_deadline_check_after(field->text_bytes, err);
	if (status)
		return status;
	if (!bs_value_parse(field->text, field->text_bytes, &value))
		return bs_vector_append(&batch->other_fields, &field_number, err);
	bs_store_u32(key, field_number);
	memcpy(key + 4, value.bytes, value.n_bytes);
	uint32_t key_bytes = 4 + (uint32_t)value.n_bytes;
	status = bs_term_table_intern(&batch->values, key, key_bytes, bs_hash_slot(key, key_bytes),
	                              &number, NULL, err);
	return status ? status : bs_vector_append(&batch->value_numbers, &number, err);
}

static enum bs_status take_fields(struct bs_term_batch *batch, const struct bs_document *document,
                                  uint32_t *length_out, struct bs_error *err)
{
	uint32_t position = 0;
	*length_out = 0;
	for (size_t i = 0; i < document->text.n_fields; i++) {
		const struct bs_field *field = &document->text.fields[i];
		struct bs_tokenizer_sum sum;
		uint32_t number;
		batch->last_word = batch->whole_word = BS_NO_WORD;
		batch->heads[0].n = batch->heads[1].n = 0;
		batch->weight = bs_field_weight(batch->weights, field->name, field->name_bytes);
		enum bs_status status = bs_deadline_each(i, FIELD_NS, err);
		if (!status)
			status = bs_tokenizer_analyze(batch->tokenizer, field->text,
			                              field->text_bytes, position, take_tokens,
			                              batch, &sum, err);
		if (!status && field->name_bytes > 0 && field->name_bytes <= BS_MOST_FIELD_BYTES)
			status = bs_term_table_intern(&batch->fields, (const uint8_t *)field->name,
			                              (uint32_t)field->name_bytes,
			                              bs_hash_slot(field->name, field->name_bytes),
			                              &number, NULL, err);
		if (!status && field->name_bytes > 0 && field->name_bytes <= BS_MOST_FIELD_BYTES)
			status = take_value(batch, field, number, err);
		if (status)
			return status;
		position = sum.next_position + FIELD_GAP;
		*length_out += sum.n_positions;
	}
	return BS_OK;
}

/* True if the term is a bigram or a word pair; these have no tf. */
static bool is_bigram(const struct bs_term_batch *batch, const struct bs_term_batch_term *term)
{
	struct short_key key;
	memcpy(&key, term->key, sizeof(key));
	return (term->key_bytes <= BS_TERM_BATCH_KEY_BYTES
	                ? term->key[0]
	                : batch->terms.long_keys.data[key.words[1]]) == BS_KEY_COMPOUND;
}

/* Moves the words with tf > 1 to the front of the document's postings (the last postings of the
 * batch), and records their tfs. */
static enum bs_status take_tfs(struct bs_term_batch *batch, struct bs_term_batch_doc *doc,
                               struct bs_error *err)
{
	doc->first_tf = bs_vector_n(&batch->tfs);
	if (doc->n_terms == 0) /* no terms, for example because words are not indexed */
		return BS_OK;
	uint32_t *postings = batch->postings.items + doc->first_posting;
	enum bs_status status = bs_vector_reserve(&batch->tfs, doc->n_terms, err);
	if (status)
		return status;
	uint32_t *tfs = batch->tfs.items + doc->first_tf;
	for (uint32_t i = 0; i < doc->n_terms && !status; i++) {
		uint32_t number = postings[i];
		const struct bs_term_batch_term *term = &batch->terms.entries.items[number];
		postings[i] = postings[doc->n_repeated];
		postings[doc->n_repeated] = number;
		tfs[doc->n_repeated] = term->tf;
		doc->n_repeated += (term->tf > 1) & !is_bigram(batch, term);
		status = bs_deadline_each(i, TERM_NS, err);
	}
	bs_vector_set_n(&batch->tfs, doc->first_tf + doc->n_repeated);
	return status;
}

/* Joins the texts of all fields, to make their grams. No match spans two fields; the few grams that
 * do cost little. */
static enum bs_status join_fields(struct bs_term_batch *batch, const struct bs_document *document,
                                  struct bs_field *joined_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bs_buffer_clear(&batch->gram_text);
	for (size_t i = 0; i < document->text.n_fields && !status; i++) {
		status = bs_buffer_append(&batch->gram_text, document->text.fields[i].text,
		                          document->text.fields[i].text_bytes, err);
		if (!status && i + 1 < document->text.n_fields)
			status = bs_buffer_append(&batch->gram_text, "\n", 1, err);
		if (!status)
			status = bs_deadline_each(i, TERM_NS, err);
	}
	joined_out->text = batch->gram_text.data;
	joined_out->text_bytes = batch->gram_text.used_bytes;
	return status;
}

/* Makes the gram row of a file, from its single field (the text that grep searches), or of a
 * record. */
static enum bs_status take_grams(struct bs_term_batch *batch, const struct bs_document *document,
                                 struct bs_term_batch_doc *doc, struct bs_error *err)
{
	struct bs_gram_sum sum;
	struct bs_field joined = {.text = NULL};
	const struct bs_field *field =
		document->text.n_fields == 1 ? &document->text.fields[0] : &joined;
	enum bs_status status =
		document->text.n_fields > 1 ? join_fields(batch, document, &joined, err) : BS_OK;
	if (!status)
		status = bs_gram_sketch_take(batch->grams, document->text.stream,
		                             document->text.stream ? NULL : field->text,
		                             document->text.stream ? document->text.n_bytes
		                                                   : field->text_bytes,
		                             &sum, err);
	if (status || (document->text.stream && document->text.stream->has_failed))
		return status;
	doc->n_gram_bits = sum.n_bits;
	doc->gram_size_class = sum.size_class;
	doc->gram_row = bs_vector_n(&batch->gram_rows);
	const size_t row_words = bs_gram_row_words(sum.size_class);
	status = bs_gram_sketch_append_new(batch->grams, bs_vector_n(&batch->trigrams) == 0,
	                                   &batch->trigrams, err);
	if (!status)
		status = bs_vector_reserve(&batch->gram_rows, row_words, err);
	if (status || row_words == 0)
		return status;
	bs_gram_sketch_row(batch->grams, batch->gram_rows.items + doc->gram_row);
	bs_vector_set_n(&batch->gram_rows, doc->gram_row + row_words);
	return BS_OK;
}

/* `lines` of struct bs_doc_record. */
static uint32_t count_lines(const struct bs_document_raw *raw)
{
	size_t n_bytes = (size_t)raw->n_bytes, mark_bytes;
	(void)bs_coding_of(raw->bytes, n_bytes, &mark_bytes);
	if (mark_bytes > 0 || (n_bytes > 0 && memchr(raw->bytes, 0, n_bytes)))
		return 0;
	uint64_t n_lines = bs_count_byte(raw->bytes, n_bytes, '\n') +
	                   (n_bytes > 0 && raw->bytes[n_bytes - 1] != '\n');
	return n_lines < UINT32_MAX ? (uint32_t)n_lines + 1 : 0;
}

static enum bs_status take_document(void *context, const struct bs_document *document,
                                    struct bs_error *err)
{
	struct bs_term_batch *batch = context;
	struct bs_term_batch_doc doc = {
		.first_posting = bs_vector_n(&batch->postings),
		.name_offset = batch->names.used_bytes,
		.raw_offset = batch->raws.used_bytes,
		.first_value = bs_vector_n(&batch->value_numbers),
		.first_other = bs_vector_n(&batch->other_fields),
		.gram_size_class = BS_GRAM_NO_SIZE_CLASS,
		.document = *document,
	};
	uint64_t most_bytes = batch->memory_bytes + BS_BESIDE_MEMORY_BYTES;
	batch->room_bytes = 0;
	if (batch->is_alone && batch->memory_bytes < UINT64_MAX)
		batch->room_bytes =
			most_bytes > document->held_bytes ? most_bytes - document->held_bytes : 1;
	enum bs_status status =
		batch->tokenizer ? take_fields(batch, document, &doc.length, err) : BS_OK;
	if (!status && batch->grams && (document->text.n_fields > 0 || document->text.stream))
		status = take_grams(batch, document, &doc, err);
	if (!status && batch->grams && document->is_file)
		doc.lines = count_lines(&document->raw);
	if (!status)
		status = bs_buffer_append(&batch->names, document->name.bytes,
		                          document->name.n_bytes, err);
	if (!status && batch->keep_raws && !batch->is_row)
		status = bs_buffer_append(&batch->raws, document->raw.bytes,
		                          (size_t)document->raw.n_bytes, err);
	doc.n_terms = (uint32_t)(bs_vector_n(&batch->postings) - doc.first_posting);
	doc.n_values = (uint32_t)(bs_vector_n(&batch->value_numbers) - doc.first_value);
	doc.n_others = (uint32_t)(bs_vector_n(&batch->other_fields) - doc.first_other);
	if (!status)
		status = take_tfs(batch, &doc, err);
	if (!status && !has_room(batch, doc.n_repeated))
		status = fail_room(err);
	/* The refused document is the only one of the batch, so clearing the batch removes only its
	 * data. */
	if (status == BS_UNSUPPORTED)
		bs_term_batch_clear(batch);
	batch->is_alone = false;
	if (!status)
		status = bs_vector_append(&batch->docs, &doc, err);
	if (!status)
		batch->n_docs++;
	return status;
}

static enum bs_status take_skip(void *context, enum bs_skip reason, const char *message,
                                struct bs_error *err)
{
	struct bs_term_batch *batch = context;
	uint8_t byte = (uint8_t)reason;
	batch->is_alone = false;
	enum bs_status status = bs_buffer_append(&batch->skips, &byte, sizeof(byte), err);
	return status ? status : bs_buffer_append(&batch->skips, message, strlen(message) + 1, err);
}

static enum bs_status take_unchanged(void *context, struct bs_doc_ref known, struct bs_error *err)
{
	struct bs_term_batch *batch = context;
	return bs_vector_append(&batch->unchanged, &known, err);
}

static enum bs_status take_non_documents(void *context, const char *name,
                                         const struct bs_refusal *why, struct bs_error *err)
{
	struct bs_term_batch *batch = context;
	enum bs_status status =
		bs_buffer_append(&batch->non_documents, &why->nul_end, sizeof(why->nul_end), err);
	if (!status)
		status = bs_buffer_append(&batch->non_documents, why->fingerprint,
		                          sizeof(why->fingerprint), err);
	return status ? status
	              : bs_buffer_append(&batch->non_documents, name, strlen(name) + 1, err);
}

struct bs_document_sink bs_term_batch_sink(struct bs_term_batch *batch)
{
	return (struct bs_document_sink){
		.context = batch,
		.document = take_document,
		.skip = take_skip,
		.unchanged = take_unchanged,
		.non_documents = take_non_documents,
	};
}
