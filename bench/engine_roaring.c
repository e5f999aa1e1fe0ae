/*
 * engine_roaring.c: CRoaring, one bitmap of documents per term, in memory: the fastest AND
 * available. It has no positions, no text, no verification, and no disk format of its own: the
 * index file is its portable serialization, bitmap by bitmap, in the order of the dictionary of the
 * corpus (terms in tokens.h, whose bytes are not counted). Writing this file is not part of the
 * build time.
 *
 * Opening reads the file and makes the bitmaps of the words in the queries. A query looks up each
 * word in a hash table and intersects the bitmaps from the smallest on; the last step only counts.
 */
#include "bench/engine_roaring.h"

#include <stdlib.h>
#include <string.h>

#include <roaring/roaring.h>

#include "bench/tool.h"
#include "core/base/hash.h"

/* Building. */

/* The number of documents of a term that are collected before they are added to its bitmap, because
 * adding many at once is much faster. */
#define WAITING 15

/* The documents of a term that are not in its bitmap yet. */
struct waiting {
	uint32_t n;
	uint32_t documents[WAITING];
};

static void add_posting(roaring_bitmap_t **bitmap, struct waiting *waiting, uint32_t document)
{
	if (waiting->n && waiting->documents[waiting->n - 1] == document)
		return;
	if (waiting->n == WAITING) {
		roaring_bitmap_add_many(*bitmap, waiting->n, waiting->documents);
		waiting->n = 0;
	}
	waiting->documents[waiting->n++] = document;
}

static void write_bitmaps(roaring_bitmap_t **bitmaps, uint64_t n_terms, const char *path)
{
	FILE *file = open_file(path, "w");
	char *bytes = NULL;
	size_t capacity = 0;
	for (uint64_t i = 0; i < n_terms; i++) {
		size_t n_bytes = roaring_bitmap_portable_size_in_bytes(bitmaps[i]);
		if (n_bytes > capacity)
			bytes = grown(bytes, capacity = n_bytes * 2);
		roaring_bitmap_portable_serialize(bitmaps[i], bytes);
		fwrite_unlocked(bytes, 1, n_bytes, file);
	}
	free(bytes);
	close_file(file, path);
}

void roaring_build(const struct corpus *corpus, const char *path, struct build_times *times_out)
{
	struct token_stream stream;
	build_begins(times_out);
	roaring_bitmap_t **bitmaps = grown(NULL, corpus->n_terms * sizeof(*bitmaps));
	struct waiting *waiting = grown(NULL, corpus->n_terms * sizeof(*waiting));
	for (uint64_t i = 0; i < corpus->n_terms; i++) {
		bitmaps[i] = roaring_bitmap_create();
		waiting[i].n = 0;
	}
	for (token_stream_open(corpus, &stream); token_stream_next(&stream);)
		for (size_t i = 0; i < stream.n_tokens; i++)
			add_posting(&bitmaps[stream.tokens[i].term],
			            &waiting[stream.tokens[i].term], stream.document);
	token_stream_close(&stream);
	for (uint64_t i = 0; i < corpus->n_terms; i++)
		roaring_bitmap_add_many(bitmaps[i], waiting[i].n, waiting[i].documents);
	build_finishes(times_out);
	for (uint64_t i = 0; i < corpus->n_terms; i++) {
		roaring_bitmap_run_optimize(bitmaps[i]);
		roaring_bitmap_shrink_to_fit(bitmaps[i]);
	}
	build_ends(times_out);
	write_bitmaps(bitmaps, corpus->n_terms, path);
}

/* Querying. */

struct slot {
	uint32_t hash;
	uint32_t term; /* number of the term + 1; 0: empty */
};

struct roaring {
	struct terms terms;
	struct slot *slots;
	uint32_t slot_mask;
	roaring_bitmap_t **bitmaps; /* NULL: no query has the word */
	uint64_t *bitmap_bytes;     /* sizes of the bitmaps in the file, by term */
};

static uint32_t hash_of(const char *word, size_t n_bytes)
{
	return (uint32_t)bs_hash_term(word, n_bytes);
}

static void fill_slots(struct roaring *roaring)
{
	uint32_t n_slots = 1024;
	while (n_slots < roaring->terms.n_terms * 2)
		n_slots *= 2;
	roaring->slots = calloc(n_slots, sizeof(*roaring->slots));
	roaring->slot_mask = n_slots - 1;
	for (uint32_t i = 0; i < roaring->terms.n_terms && roaring->slots; i++) {
		uint32_t hash =
			hash_of(roaring->terms.terms[i].text, roaring->terms.terms[i].n_bytes);
		uint32_t at = hash & roaring->slot_mask;
		while (roaring->slots[at].term)
			at = (at + 1) & roaring->slot_mask;
		roaring->slots[at] = (struct slot){hash, i + 1};
	}
}

/* The number of a word + 1; 0 if it does not exist. */
static uint32_t find_term(const struct roaring *roaring, const char *word)
{
	size_t n_bytes = strlen(word);
	uint32_t hash = hash_of(word, n_bytes);
	for (uint32_t at = hash & roaring->slot_mask; roaring->slots[at].term;
	     at = (at + 1) & roaring->slot_mask) {
		const struct term *term = &roaring->terms.terms[roaring->slots[at].term - 1];
		if (roaring->slots[at].hash == hash && term->n_bytes == n_bytes &&
		    memcmp(term->text, word, n_bytes) == 0)
			return roaring->slots[at].term;
	}
	return 0;
}

static void load_bitmaps(struct roaring *roaring, const char *path, const struct query_set *set)
{
	uint8_t *is_wanted = calloc(roaring->terms.n_terms + 1, 1);
	size_t n_bytes = path_bytes(path);
	char *bytes = grown(NULL, n_bytes);
	FILE *file = open_file(path, "r");
	if (!is_wanted || fread(bytes, 1, n_bytes, file) != n_bytes)
		die("%s: cannot be read", path);
	close_file(file, path);
	for (size_t q = 0; q < set->n_queries; q++)
		for (unsigned w = 0; w < set->queries[q].n_words; w++)
			is_wanted[find_term(roaring, set->queries[q].words[w])] = 1;
	char *at = bytes;
	for (uint32_t i = 0; i < roaring->terms.n_terms; i++) {
		roaring_bitmap_t *bitmap = roaring_bitmap_portable_deserialize(at);
		if (!bitmap)
			die("%s: not what it should be", path);
		roaring->bitmap_bytes[i] = roaring_bitmap_portable_size_in_bytes(bitmap);
		at += roaring->bitmap_bytes[i];
		roaring->bitmaps[i] = is_wanted[i + 1] ? bitmap : NULL;
		if (!is_wanted[i + 1])
			roaring_bitmap_free(bitmap);
	}
	free(bytes);
	free(is_wanted);
}

void *roaring_open(const struct corpus *corpus, const char *index_path, const struct query_set *set)
{
	struct roaring *roaring = grown(NULL, sizeof(*roaring));
	terms_read(corpus, &roaring->terms);
	fill_slots(roaring);
	roaring->bitmaps = grown(NULL, roaring->terms.n_terms * sizeof(*roaring->bitmaps));
	roaring->bitmap_bytes =
		grown(NULL, roaring->terms.n_terms * sizeof(*roaring->bitmap_bytes));
	load_bitmaps(roaring, index_path, set);
	return roaring;
}

/* The terms of the query by ascending df; for a NOT query, in the order of its words. Returns false
 * if a word does not exist. */
static bool find_terms(const struct roaring *roaring, const struct query *query, uint32_t *terms)
{
	for (unsigned i = 0; i < query->n_words; i++) {
		uint32_t term = find_term(roaring, query->words[i]);
		if (!term)
			return false;
		unsigned at = i;
		for (; at > 0 && !query->is_not &&
		       roaring->terms.terms[terms[at - 1]].df > roaring->terms.terms[term - 1].df;
		     at--)
			terms[at] = terms[at - 1];
		terms[at] = term - 1;
	}
	return true;
}

void roaring_ask(void *handle, const struct query *query, struct answer *answer_out)
{
	const struct roaring *roaring = handle;
	uint32_t terms[QUERY_MAX_WORDS] = {0};
	answer_out->count = 0;
	answer_out->touched.is_known = true;
	if (!find_terms(roaring, query, terms))
		return;
	for (unsigned i = 0; i < query->n_words && query->n_words > 1; i++)
		answer_out->touched.index_bytes += roaring->bitmap_bytes[terms[i]];
	const roaring_bitmap_t *first = roaring->bitmaps[terms[0]];
	if (query->n_words == 1) {
		answer_out->count = roaring_bitmap_get_cardinality(first);
		return;
	}
	if (query->is_not) {
		answer_out->count =
			roaring_bitmap_andnot_cardinality(first, roaring->bitmaps[terms[1]]);
		return;
	}
	const roaring_bitmap_t *last = roaring->bitmaps[terms[query->n_words - 1]];
	roaring_bitmap_t *sofar =
		query->n_words > 2 ? roaring_bitmap_and(first, roaring->bitmaps[terms[1]]) : NULL;
	for (unsigned i = 2; i + 1 < query->n_words; i++)
		roaring_bitmap_and_inplace(sofar, roaring->bitmaps[terms[i]]);
	answer_out->count = roaring_bitmap_and_cardinality(sofar ? sofar : first, last);
	if (sofar)
		roaring_bitmap_free(sofar);
}

void roaring_close(void *handle)
{
	struct roaring *roaring = handle;
	for (uint32_t i = 0; i < roaring->terms.n_terms; i++)
		if (roaring->bitmaps[i])
			roaring_bitmap_free(roaring->bitmaps[i]);
	free(roaring->bitmaps);
	free(roaring->bitmap_bytes);
	free(roaring->slots);
	terms_free(&roaring->terms);
	free(roaring);
}
