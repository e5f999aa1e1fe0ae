/* term_symbols.c: see term_symbols.h. */
#include "core/lexicon/term_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/lexicon/term_codes.h"

/* More are no better: measured, 6 and 10 within 0.1 %. The first ones double the length of symbols. */
#define GENERATIONS 6

struct bs_symbol_slot {
	uint64_t bytes;
	uint32_t shape;  /* 2 n_bytes + is_end; 0: empty */
	uint32_t number;
};

static uint64_t first_bytes(uint64_t word, uint32_t n)
{
	return n >= 8 ? word : word & ((UINT64_C(1) << (8 * n)) - 1);
}

static uint32_t slot_of(const struct bs_symbols *symbols, uint64_t bytes, uint32_t shape)
{
	uint64_t x = (bytes + shape) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(x >> 40) & symbols->slot_mask;
}

/* 0 if there is none. */
static uint32_t find_joined(const struct bs_symbols *symbols, uint64_t bytes, uint32_t shape)
{
	for (uint32_t at = slot_of(symbols, bytes, shape);; at = (at + 1) & symbols->slot_mask) {
		const struct bs_symbol_slot *slot = &symbols->slots[at];
		if (slot->shape == 0)
			return 0;
		if (slot->bytes == bytes && slot->shape == shape)
			return slot->number;
	}
}

uint32_t bs_symbols_next(const struct bs_symbols *symbols, const uint8_t *bytes, size_t n_bytes)
{
	if (n_bytes == 0)
		return BS_SYMBOL_END;
	if (n_bytes == 1)
		return symbols->last_byte[bytes[0]] ? symbols->last_byte[bytes[0]] : bytes[0];
	uint64_t word = bs_load_u64(bytes);
	uint32_t lengths = symbols->lengths[word & 0xffff];
	if (n_bytes <= 8 && lengths >> (n_bytes + 7) & 1) {
		uint32_t number = find_joined(symbols, first_bytes(word, (uint32_t)n_bytes), (uint32_t)n_bytes * 2 + 1);
		if (number)
			return number;
	}
	lengths &= n_bytes < 8 ? (1u << n_bytes) - 1 : 0xff;
	while (lengths) {
		uint32_t n = 32 - (uint32_t)__builtin_clz(lengths);
		uint32_t number = find_joined(symbols, first_bytes(word, n), n * 2);
		if (number)
			return number;
		lengths ^= 1u << (n - 1);
	}
	return bytes[0];
}

/* Makes the tables that cutting looks things up in. */
static void index_symbols(struct bs_symbols *symbols)
{
	memset(symbols->slots, 0, ((size_t)symbols->slot_mask + 1) * sizeof(*symbols->slots));
	memset(symbols->lengths, 0, 65536 * sizeof(*symbols->lengths));
	memset(symbols->last_byte, 0, sizeof(symbols->last_byte));
	for (uint32_t i = BS_FIRST_JOINED; i < symbols->n_symbols; i++) {
		const struct bs_symbol *symbol = &symbols->symbols[i];
		if (symbol->n_bytes == 1) {
			symbols->last_byte[symbol->bytes] = (uint16_t)i;
			continue;
		}
		uint32_t shape = symbol->n_bytes * 2 + symbol->is_end;
		uint32_t at = slot_of(symbols, symbol->bytes, shape);
		while (symbols->slots[at].shape != 0)
			at = (at + 1) & symbols->slot_mask;
		symbols->slots[at] = (struct bs_symbol_slot){symbol->bytes, shape, i};
		symbols->lengths[symbol->bytes & 0xffff] |= (uint16_t)(1u << (symbol->n_bytes - 1 + 8 * symbol->is_end));
	}
}

/* Two symbols that stood side by side: first << 32 | second, plus 1; 0 is an empty slot. */
struct pair {
	uint64_t name;
	uint64_t count;
};

struct candidate {
	struct bs_symbol symbol;
	uint64_t score; /* bytes it stands for, the end counted as one */
};

struct training {
	struct bs_symbols *symbols;
	const struct bs_rest *sample;
	size_t n_sample;
	uint64_t *counts;  /* a symbol */
	struct pair *pairs;
	size_t pair_mask;
	struct candidate *candidates;
	size_t n_candidates;
};

static void count_pair(struct training *training, uint32_t first, uint32_t second)
{
	uint64_t name = ((uint64_t)first << 32 | second) + 1;
	size_t at = (size_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 32) & training->pair_mask;
	while (training->pairs[at].name != 0 && training->pairs[at].name != name)
		at = (at + 1) & training->pair_mask;
	training->pairs[at].name = name;
	training->pairs[at].count++;
}

static void count_sample(struct training *training)
{
	const struct bs_symbol *all = training->symbols->symbols;
	memset(training->counts, 0, training->symbols->n_symbols * sizeof(*training->counts));
	memset(training->pairs, 0, (training->pair_mask + 1) * sizeof(*training->pairs));
	for (size_t i = 0; i < training->n_sample; i++) {
		const struct bs_rest *rest = &training->sample[i];
		uint32_t last = UINT32_MAX;
		for (uint32_t at = 0, is_end = 0; !is_end;) {
			uint32_t number = bs_symbols_next(training->symbols, rest->bytes + at, rest->n_bytes - at);
			training->counts[number]++;
			if (last != UINT32_MAX && all[last].n_bytes + all[number].n_bytes <= BS_SYMBOL_BYTES)
				count_pair(training, last, number);
			last = number;
			at += all[number].n_bytes;
			is_end = all[number].is_end;
		}
	}
}

static void add_candidate(struct training *training, struct bs_symbol symbol, uint64_t count)
{
	training->candidates[training->n_candidates++] =
		(struct candidate){symbol, count * (symbol.n_bytes + symbol.is_end)};
}

static void take_candidates(struct training *training, uint32_t least_count)
{
	const struct bs_symbol *all = training->symbols->symbols;
	training->n_candidates = 0;
	for (uint32_t i = BS_FIRST_JOINED; i < training->symbols->n_symbols; i++)
		if (training->counts[i] >= least_count)
			add_candidate(training, all[i], training->counts[i]);
	for (size_t i = 0; i <= training->pair_mask; i++) {
		const struct pair *pair = &training->pairs[i];
		if (pair->name == 0 || pair->count < least_count)
			continue;
		const struct bs_symbol *a = &all[(pair->name - 1) >> 32];
		const struct bs_symbol *b = &all[(uint32_t)(pair->name - 1)];
		uint64_t bytes = a->bytes | (b->n_bytes ? b->bytes << (8 * a->n_bytes) : 0);
		add_candidate(training, (struct bs_symbol){bytes, a->n_bytes + b->n_bytes, b->is_end}, pair->count);
	}
}

static int compare_symbols(const struct bs_symbol *x, const struct bs_symbol *y)
{
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	uint32_t x_shape = x->n_bytes * 2 + x->is_end;
	uint32_t y_shape = y->n_bytes * 2 + y->is_end;
	return x_shape < y_shape ? -1 : x_shape > y_shape;
}

/* The better one of two that are equal stands first. */
static int compare_by_symbol(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;
	int order = compare_symbols(&x->symbol, &y->symbol);
	return order ? order : (x->score < y->score) - (x->score > y->score);
}

static int compare_by_score(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return compare_symbols(&x->symbol, &y->symbol);
}

/* The best candidates become the joined symbols. */
static void choose(struct training *training, uint32_t max_symbols)
{
	struct candidate *all = training->candidates;
	struct bs_symbols *symbols = training->symbols;
	size_t n = 0;
	qsort(all, training->n_candidates, sizeof(*all), compare_by_symbol);
	for (size_t i = 0; i < training->n_candidates; i++)
		if (n == 0 || compare_symbols(&all[n - 1].symbol, &all[i].symbol) != 0)
			all[n++] = all[i];
	qsort(all, n, sizeof(*all), compare_by_score);
	symbols->n_symbols = BS_FIRST_JOINED;
	for (size_t i = 0; i < n && symbols->n_symbols < max_symbols; i++)
		symbols->symbols[symbols->n_symbols++] = all[i].symbol;
	index_symbols(symbols);
}

static size_t power_of_two(size_t least)
{
	size_t n = 16;
	while (n < least)
		n *= 2;
	return n;
}

static enum bs_status allocate(struct training *training, uint32_t max_symbols, struct bs_error *err)
{
	struct bs_symbols *symbols = training->symbols;
	size_t n_bytes = 0;
	for (size_t i = 0; i < training->n_sample; i++)
		n_bytes += training->sample[i].n_bytes;
	size_t n_slots = power_of_two((size_t)max_symbols * 4);
	training->pair_mask = power_of_two(n_bytes + n_bytes / 2) - 1; /* a rest of n bytes has at most n pairs */
	symbols->slot_mask = (uint32_t)n_slots - 1;
	symbols->symbols = calloc(max_symbols, sizeof(*symbols->symbols));
	symbols->slots = calloc(n_slots, sizeof(*symbols->slots));
	symbols->lengths = calloc(65536, sizeof(*symbols->lengths));
	training->counts = calloc(max_symbols, sizeof(*training->counts));
	training->pairs = calloc(training->pair_mask + 1, sizeof(*training->pairs));
	training->candidates = calloc(n_bytes + max_symbols, sizeof(*training->candidates));
	if (symbols->symbols && symbols->slots && symbols->lengths && training->counts && training->pairs &&
	    training->candidates)
		return BS_OK;
	return bs_fail_memory(err, "the symbols of the lexicon", n_bytes * (sizeof(struct pair) + sizeof(struct candidate)));
}

enum bs_status bs_symbols_find(struct bs_symbols *symbols, const struct bs_rest *sample, size_t n_sample,
                               uint32_t max_symbols, uint32_t least_count, struct bs_error *err)
{
	struct training training = {.symbols = symbols, .sample = sample, .n_sample = n_sample};
	*symbols = (struct bs_symbols){0};
	enum bs_status status = allocate(&training, max_symbols, err);
	if (status)
		goto out;
	for (uint32_t i = 0; i < 256; i++)
		symbols->symbols[i] = (struct bs_symbol){i, 1, false};
	symbols->symbols[BS_SYMBOL_END] = (struct bs_symbol){0, 0, true};
	symbols->n_symbols = BS_FIRST_JOINED;
	index_symbols(symbols);
	for (int i = 0; i < GENERATIONS && max_symbols > BS_FIRST_JOINED; i++) {
		count_sample(&training);
		take_candidates(&training, least_count);
		choose(&training, max_symbols);
	}
out:
	free(training.counts);
	free(training.pairs);
	free(training.candidates);
	return status;
}

void bs_symbols_deinit(struct bs_symbols *symbols)
{
	free(symbols->symbols);
	free(symbols->slots);
	free(symbols->lengths);
	*symbols = (struct bs_symbols){0};
}
