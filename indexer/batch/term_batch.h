/*
 * term_batch.h: one batch of documents, analysed by one thread independently of other batches: its
 * distinct terms, numbered in order of first appearance in the batch, and the term numbers of each
 * document. The next step is indexing_buffer.h.
 *
 * The dictionary of a batch is accessed once for each word, so it is made to stay in the nearest
 * caches: keys of up to 16 bytes are inside the entries, entries are consecutive in order of
 * appearance, and a slot has four bytes.
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
	/* the key, padded with zeros; if longer than 16 bytes: its bs_hash_slot, and its offset in
	 * long_keys */
	uint8_t key[BS_TERM_BATCH_KEY_BYTES];
	uint32_t key_bytes;
	uint32_t last_doc; /* number of the last document that has the term, plus 1 */
	uint32_t tf;       /* occurrences in last_doc, weighted by field */
};

BS_VECTOR(bs_term_batch_entries, struct bs_term_batch_term);

/* The dictionary of a batch, with open addressing. */
struct bs_term_batch_terms {
	struct bs_term_batch_entries entries;
	struct bs_u64s hashes; /* by term: bs_hash_slot of its key */
	struct bs_buffer long_keys;
	struct bs_hash_secret secret; /* valid if there are slots */
	uint32_t *slots;              /* term number + 1; 0: empty */
	uint32_t slot_shift;          /* the home slot of a hash: hash >> slot_shift */
	uint32_t n_slots;
	uint32_t most_slots; /* allocated slots */
	uint32_t n_terms;
};

/* A document of the batch. */
struct bs_term_batch_doc {
	uint64_t first_posting; /* index of its first term number in postings */
	uint32_t n_terms;
	/* the first n_repeated terms are words with tf > 1 */
	uint32_t n_repeated;
	uint32_t length;      /* number of positions */
	uint64_t name_offset; /* offset in names */
	uint64_t raw_offset;  /* offset in raws; valid if keep_raws */
	uint64_t first_tf;    /* index in tfs of the tfs of the repeated words */
	uint64_t first_value; /* index in value_numbers of its first value */
	uint32_t n_values;
	uint64_t first_other; /* index in other_fields of the fields of its other texts */
	uint32_t n_others;
	uint64_t gram_row;           /* index in gram_rows of its row */
	uint64_t n_gram_bits;        /* estimated number of bits to set in its row */
	uint32_t gram_size_class;    /* BS_GRAM_NO_SIZE_CLASS: no row */
	uint32_t lines;              /* see struct bs_doc_record */
	struct bs_document document; /* as read, but its pointers are invalid */
};

BS_VECTOR(bs_term_batch_doc_list, struct bs_term_batch_doc);

/* Heads: pairs of two or three words that end at one position and with which wide pairs may begin.
 * If identifiers are indexed in addition to their parts, a position may have two words: an
 * identifier and its first part. The next position then has one, so that at most two pairs of two
 * words and four of three end at a position. If a part folds to nothing, positions with two words
 * can be adjacent: then four and eight, 12 in all. */
#define BS_TERM_BATCH_MOST_HEADS 12u
struct bs_term_batch_heads {
	uint16_t words[BS_TERM_BATCH_MOST_HEADS]; /* the pairs, numbered by bs_word_pairs_head */
	uint32_t n;
};

/* Zero-initialise all but tokenizer, grams, pairs, weights, memory_bytes and keep_raws.
 * Reusable. */
struct bs_term_batch {
	struct bs_tokenizer *tokenizer; /* borrowed; NULL: words are not indexed */
	struct bs_gram_sketch *grams;   /* borrowed; NULL: grams are not indexed */
	/* word pairs to index, borrowed; nullable */
	const struct bs_word_pairs *pairs;
	char *const *weights;  /* weights of fields, borrowed; see field_weights.h */
	uint64_t memory_bytes; /* limit for one document, including its text; 0: none */
	bool is_alone;         /* the next document is the only one of the batch */
	uint64_t room_bytes;   /* memory limit for the words of the current document; 0: none */
	/* size of an announced large document, which will be the only one of the next batch; 0:
	 * none */
	uint64_t next_bytes;
	bool is_row;    /* documents are rows of collections: words are not indexed */
	bool keep_raws; /* copy the bytes of documents to raws, because they will be stored */
	struct bs_term_batch_terms terms;
	struct bs_term_table fields;
	/* numbers and dates; key: the field's number, four bytes, and the value's key
	 * (core/base/value.h) */
	struct bs_term_table values;
	struct bs_u32s postings;
	struct bs_term_batch_doc_list docs;
	/* skipped files and records: a byte with the reason, then the message, NUL-terminated */
	struct bs_buffer skips;
	struct bs_buffer names;
	/* by document: the tfs of its repeated words */
	struct bs_u32s tfs;
	struct bs_u32s value_numbers; /* by document: its entries of values */
	/* by document: the fields of its texts that are neither numbers nor dates */
	struct bs_u32s other_fields;
	struct bs_buffer raws;
	/* the documents' rows of gram bits, one after another, of bs_gram_row_words() words each */
	struct bs_u64s gram_rows;
	struct bs_buffer gram_text; /* scratch: the joined fields of a document */
	struct bs_u32s trigrams;    /* distinct trigrams of the documents that have rows */
	/* skipped files: nul_end (u32), fingerprint (4 u64) and the NUL-terminated name of each */
	struct bs_buffer non_documents;
	struct bs_doc_refs unchanged; /* indexed documents that were found unchanged */
	uint32_t n_docs;
	struct bs_buffer key; /* scratch for keys of pairs */
	/* by term: its number among the words of pairs, or BS_NO_WORD */
	struct bs_u16s pair_words;
	struct bs_u32s pair_numbers; /* by pair: its term number in this batch + 1, or 0 */
	uint32_t weight;             /* weight of the current field */
	uint16_t last_word;          /* the previous word, or BS_NO_WORD */
	/* position of last_word */
	uint32_t last_position;
	/* the whole identifier at the current or the previous position, or BS_NO_WORD */
	uint16_t whole_word;
	/* position of whole_word */
	uint32_t whole_position;
	/* heads[p % 2]: the heads (struct bs_term_batch_heads) that end at position p, for p =
	 * heads_position and the position before it */
	struct bs_term_batch_heads heads[2];
	uint32_t heads_position; /* the last position that was checked for heads */
};
void bs_term_batch_clear(struct bs_term_batch *batch);
void bs_term_batch_deinit(struct bs_term_batch *batch);
/* Frees the slots if they are large. Afterwards no document can be added until the batch is
 * cleared. */
void bs_term_batch_seal(struct bs_term_batch *batch);
/* Bytes used. Computed from the content, not from allocated sizes. */
uint64_t bs_term_batch_bytes(const struct bs_term_batch *batch);
/* Returns a sink that analyses documents into the batch. */
struct bs_document_sink bs_term_batch_sink(struct bs_term_batch *batch);

/* Returns the next skip message, or NULL if there are no more. *at is 0 before the first call. */
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

/* The key of a term, as in the lexicon. */
const uint8_t *bs_term_batch_key(const struct bs_term_batch *batch, uint32_t number,
                                 uint32_t *key_bytes_out);
