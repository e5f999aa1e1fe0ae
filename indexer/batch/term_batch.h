/*
 * term_batch.h: one batch of documents analysed, by one thread, on its own: their distinct terms
 * under numbers of the batch, in order of first appearance, and every document's terms as such
 * numbers. See indexing_buffer.h for the next step.
 *
 * The dictionary of a batch is looked up once a word, so it is made to stay in the nearer caches:
 * keys of up to 16 bytes stand in their entries, entries are dense in order of appearance, and
 * slots are four bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/bitsift/skip.h"
#include "core/collections/term_table.h"
#include "core/lexicon/word_pairs.h"
#include "core/text/tokenizer.h"
#include "corpus/walk/document.h"
#include "indexer/batch/gram_sketch.h"

#define BS_TERM_BATCH_KEY_BYTES 16u

/* One distinct term. */
struct bs_term_batch_term {
	/* padded with zeros; of a longer key: bs_hash_slot and offset in long_keys */
	uint8_t key[BS_TERM_BATCH_KEY_BYTES];
	uint32_t key_bytes;
	uint32_t last_doc; /* the document that had it last, + 1 */
	uint32_t tf;       /* how often it stands there, weighted */
};

BS_VECTOR(bs_term_batch_entries, struct bs_term_batch_term);

struct bs_term_batch_terms {
	struct bs_term_batch_entries entries;
	struct bs_u64s hashes; /* bs_hash_slot of the keys */
	struct bs_buffer long_keys;
	struct bs_hash_secret secret; /* known as soon as there are slots */
	uint32_t *slots;              /* number + 1; 0 is empty */
	uint32_t slot_shift;          /* the slot of a hash is its upper bits */
	uint32_t n_slots;
	uint32_t most_slots; /* that there is memory for */
	uint32_t n_terms;
};

struct bs_term_batch_doc {
	uint64_t first_posting; /* index of its first term number in postings */
	uint32_t n_terms;
	/* the first of its terms are words that count more than once there: so many */
	uint32_t n_repeated;
	uint32_t length;      /* positions */
	uint64_t name_offset; /* in names */
	uint64_t raw_offset;  /* in raws, if kept */
	uint64_t first_tf;    /* index in tfs of how often the first of these does */
	uint64_t first_value; /* index in value_numbers of the first of its numbers and dates: */
	uint32_t n_values;
	uint64_t first_other; /* index in other_fields of the fields of its other texts: */
	uint32_t n_others;
	uint64_t gram_row; /* where its row begins in gram_rows, in words */
	uint64_t n_gram_bits;
	uint32_t gram_size_class;    /* BS_GRAM_NO_SIZE_CLASS: it has none */
	struct bs_document document; /* as read, but its pointers are dead */
};

BS_VECTOR(bs_term_batch_doc_list, struct bs_term_batch_doc);

/* Pairs with which wide ones begin. There are no more where identifiers stand beside their parts:
 * of two words two, of three four, and twice as many where a part folds to nothing. */
#define BS_TERM_BATCH_MOST_HEADS 12u
struct bs_term_batch_heads {
	uint16_t words[BS_TERM_BATCH_MOST_HEADS];
	uint32_t n;
};

/* Zero-initialise but for words, pairs, grams and keep_raws. Reusable. */
struct bs_term_batch {
	struct bs_tokenizer *tokenizer; /* borrowed; NULL: no words */
	struct bs_gram_sketch *grams;   /* borrowed; NULL: no grams */
	/* borrowed; those to be terms of their own; NULL: none */
	const struct bs_word_pairs *pairs;
	char *const *weights;  /* of fields, borrowed: see field_weights.h */
	uint64_t memory_bytes; /* what a document may take, its text among it; 0: never mind */
	bool is_alone;         /* the next document is: the batch is empty */
	uint64_t room_bytes;   /* for the words of the document in hand; 0: never mind */
	/* a document of so many comes alone, in the next batch; 0: none is announced */
	uint64_t next_bytes;
	bool is_row;    /* the documents are rows of collections: without words */
	bool keep_raws; /* copy what the documents were read from, for a store */
	struct bs_term_batch_terms terms;
	struct bs_term_table fields;
	/* numbers and dates: a field's number, four bytes, and the key (core/base/value.h) */
	struct bs_term_table values;
	struct bs_u32s postings;
	struct bs_term_batch_doc_list docs;
	/* things passed over: a byte for the reason, a line for the user, NUL-ended */
	struct bs_buffer skips;
	struct bs_buffer names;
	struct bs_u32s tfs;
	struct bs_u32s value_numbers; /* of the values of documents */
	struct bs_u32s other_fields;  /* the field of a text of a document that is no value */
	struct bs_buffer raws;
	struct bs_u64s gram_rows;
	struct bs_buffer gram_text;     /* of several fields, one */
	struct bs_u32s trigrams;        /* those of the documents that have rows, each once */
	struct bs_buffer non_documents; /* names of files, NUL-ended */
	struct bs_doc_refs unchanged;
	uint32_t n_docs;
	struct bs_buffer key; /* scratch for pair terms */
	/* of each term its number among the words of the pairs, or BS_NO_WORD */
	struct bs_u16s pair_words;
	struct bs_u32s pair_numbers; /* of each pair its term number + 1 in this batch, or 0 */
	uint32_t weight;             /* of the field in hand */
	uint16_t last_word;          /* the one just met, or BS_NO_WORD */
	uint32_t last_position;
	/* an identifier that stands there, or just before, as a whole; or BS_NO_WORD */
	uint16_t whole_word;
	uint32_t whole_position;
	/* of the pairs that end at an even position and at an odd one, the last two */
	struct bs_term_batch_heads heads[2];
	uint32_t heads_position; /* the latter of them */
};
void bs_term_batch_clear(struct bs_term_batch *batch);
void bs_term_batch_deinit(struct bs_term_batch *batch);
/* Gives back what finds the terms, if it is large: until the analysed batch is cleared, no document
 * can be added. */
void bs_term_batch_seal(struct bs_term_batch *batch);
/* Bytes held, counted by content. */
uint64_t bs_term_batch_bytes(const struct bs_term_batch *batch);
/* Where a reader puts a batch: this sink fills the analysed batch. */
struct bs_document_sink bs_term_batch_sink(struct bs_term_batch *batch);

/* The line for the next thing passed over, from *at = 0 on; NULL: there is none. */
static inline const char *bs_term_batch_next_skip(const struct bs_term_batch *batch, size_t *at,
                                                  enum bs_skip *reason_out)
{
	if (*at == batch->skips.used_bytes)
		return NULL;
	const char *skip = (const char *)batch->skips.data + *at;
	*reason_out = (enum bs_skip) * skip;
	*at += 1 + strlen(skip + 1) + 1;
	return skip + 1;
}

/* The lexicon's key of a term of the batch. */
const uint8_t *bs_term_batch_key(const struct bs_term_batch *batch, uint32_t number,
                                 uint32_t *key_bytes_out);
