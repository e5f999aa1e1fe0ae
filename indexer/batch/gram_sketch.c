/*
 * gram_sketch.c: see gram_sketch.h.
 *
 *     text -> folded, in pieces -> 5-grams:  bits in 2^log words of 32 bits (core/text/grams.h)
 *                               -> trigrams: a list for each tier
 *
 * After the last piece, the number of bits to set is known, which determines the size class. If
 * there are more words than a row of this class has, the upper half of the words is ORed into the
 * lower half, as often as needed. Then the bits of the trigrams are set in the words, too, and each
 * word becomes four to seven columns of the row.
 *
 * 5-grams are not listed: testing each for being new took three fifths of the total time, while
 * setting its bits again is nearly free. The number of distinct 5-grams is estimated from the bits.
 * There are enough words that at most one bit in six is set; if there prove to be too few, the text
 * is processed again.
 *
 * Trigrams are listed, because a rare one has several bits and its tier must be looked up. Each
 * trigram has two state bits: the tier of a trigram to be listed, or 0 for one that is left out or
 * already listed.
 */
#include "indexer/batch/gram_sketch.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vector.h"
#include "core/simd/kernels.h"
#include "core/system/deadline.h"
#include "core/system/icu.h"
#include "core/text/grams.h"

#define PIECE_BYTES 4096u /* bytes of text that are folded at a time */
#define BYTE_NS     4u    /* estimated cost of a byte, for the deadline */
/* most folded bytes that begin incomplete grams, and so are kept until the next piece is folded */
#define CARRY_BYTES (BS_GRAM_LONG_BYTES - 1)
/* size of `folded`: kept bytes, a folded piece, and bytes after it that may be read */
#define FOLDED_BYTES (CARRY_BYTES + 2 * PIECE_BYTES + 8 + BS_GRAM_REACH)
#define STATE_WORDS  (BS_GRAM_TRIGRAMS / BS_GRAM_STATES_A_WORD)
/* places of the text that are processed at a time: their trigrams stay in the first-level cache */
#define PLACES    512u
#define LEAST_LOG 4u  /* least value of log: `bits` is then one line of 512 bits */
#define KEPT_LOG  20u /* if log is larger, `bits` is freed after a text */

_Static_assert(BS_GRAM_RARE == 3, "a tier of trigrams is a state of two bits");

/* Fields are scratch for one text, unless noted. */
struct bs_gram_sketch {
	const struct bs_gram_plan *plan;
	const struct bs_kernel *kernel;
	/* two bits for each trigram: its tier if it is to be listed; kept between texts */
	uint32_t *states;
	/* one bit for each bucket of longer grams: set if it is frequent, by the plan */
	uint32_t *frequent;
	uint64_t *bits;                         /* 32 << log bits, in cache lines */
	uint32_t log;                           /* log2 of the number of 32-bit words in `bits` */
	uint32_t capacity_log;                  /* the largest `log` for which `bits` has room */
	uint32_t *lists[BS_GRAM_TRIGRAM_TIERS]; /* by tier: distinct trigrams */
	uint32_t n_listed[BS_GRAM_TRIGRAM_TIERS];
	uint32_t list_capacity;
	uint32_t size_class;
	uint32_t trigrams[PLACES + 8]; /* trigrams of PLACES places of the text, with repetitions */
	/* one bit for each trigram: set if bs_gram_sketch_append_new has appended it; NULL before
	 * its first call */
	uint64_t *told;
	/* the trigrams whose bits are set in `told` */
	struct bs_u32s told_list;
	/* folded bytes at the end of the last piece that begin incomplete grams */
	size_t n_carried;
	/* for a stream: the unprocessed rest of the last piece, then the next piece */
	struct bs_buffer window;
	uint8_t folded[FOLDED_BYTES];
};

/* Columns of a row for 1,000 bits to set. In exactly 1,040 columns, 1,000 hashes set 0.62 of the
 * bits. In a row, 0.58 are set on average, because class widths are rounded up, by a tenth in the
 * mean. */
#define COLUMNS_A_THOUSAND_BITS 1040u

uint32_t bs_gram_size_class_of(uint64_t n_bits)
{
	uint64_t n_columns = n_bits / 1000 * COLUMNS_A_THOUSAND_BITS +
	                     n_bits % 1000 * COLUMNS_A_THOUSAND_BITS / 1000;
	uint32_t log = BS_GRAM_LEAST_LOG;
	if (n_bits == 0)
		return 0;
	while (log < BS_GRAM_MOST_LOG && UINT64_C(7) << log < n_columns)
		log++;
	uint64_t n = (n_columns + (UINT64_C(1) << log) - 1) >> log;
	/* A row of the last class may be too narrow for its file; the file is then a candidate for
	 * nearly every query. */
	return 1 + 4 * (log - BS_GRAM_LEAST_LOG) + (n < 4 ? 0 : n > 7 ? 3 : (uint32_t)n - 4);
}

void bs_gram_plan_init(struct bs_gram_plan *plan)
{
	/* chosen by measuring: bench/NOTES.md */
	*plan = (struct bs_gram_plan){.n_hashes = {[BS_GRAM_COMMON] = 1,
	                                           [BS_GRAM_MIDDLING] = 2,
	                                           [BS_GRAM_RARE] = 3,
	                                           [BS_GRAM_LONG_FREQUENT] = 1,
	                                           [BS_GRAM_LONG] = 2}};
}

void bs_gram_plan_init_records(struct bs_gram_plan *plan)
{
	/* see core/matrix/prices.h */
	*plan = (struct bs_gram_plan){.n_hashes = {[BS_GRAM_COMMON] = 2,
	                                           [BS_GRAM_MIDDLING] = 3,
	                                           [BS_GRAM_RARE] = 2,
	                                           [BS_GRAM_LONG_FREQUENT] = 1,
	                                           [BS_GRAM_LONG] = 1}};
}

void bs_gram_plan_deinit(struct bs_gram_plan *plan)
{
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++)
		bs_vector_deinit(&plan->listed[tier]);
}

enum bs_status bs_gram_plan_add(struct bs_gram_plan *plan, enum bs_gram_tier tier, uint32_t gram,
                                struct bs_error *err)
{
	return bs_vector_append(&plan->listed[tier], &gram, err);
}

static void set_state(uint32_t *states, uint32_t trigram, uint32_t state)
{
	uint32_t shift = 2 * (trigram % BS_GRAM_STATES_A_WORD);
	uint32_t *word = &states[trigram / BS_GRAM_STATES_A_WORD];
	*word = (*word & ~(UINT32_C(3) << shift)) | state << shift;
}

static enum bs_status make_bits(struct bs_gram_sketch *sketch, uint32_t log, struct bs_error *err)
{
	size_t n_bytes = (size_t)4 << log;
	sketch->log = log;
	if (!sketch->bits || log > sketch->capacity_log ||
	    (log <= KEPT_LOG && sketch->capacity_log > KEPT_LOG)) {
		free(sketch->bits);
		sketch->bits = aligned_alloc(BS_LINE_BYTES, n_bytes);
		sketch->capacity_log = log;
	}
	if (!sketch->bits)
		return bs_fail_memory(err, "grams of a text", n_bytes);
	memset(sketch->bits, 0, n_bytes);
	return BS_OK;
}

/* Reserves space for n_more trigrams in each list. */
static enum bs_status make_lists(struct bs_gram_sketch *sketch, uint32_t n_more,
                                 struct bs_error *err)
{
	uint32_t most = 0;
	for (uint32_t tier = BS_GRAM_COMMON; tier < BS_GRAM_TRIGRAM_TIERS; tier++)
		most = sketch->n_listed[tier] > most ? sketch->n_listed[tier] : most;
	if (most + n_more <= sketch->list_capacity)
		return BS_OK;
	uint32_t capacity = 2 * (most + n_more);
	for (uint32_t tier = BS_GRAM_COMMON; tier < BS_GRAM_TRIGRAM_TIERS; tier++) {
		uint32_t *list = realloc(sketch->lists[tier], capacity * sizeof(*list));
		if (!list)
			return bs_fail_memory(err, "trigrams of a text", capacity * sizeof(*list));
		sketch->lists[tier] = list;
	}
	sketch->list_capacity = capacity;
	return BS_OK;
}

enum bs_status bs_gram_sketch_new(const struct bs_gram_plan *plan,
                                  struct bs_gram_sketch **sketch_out, struct bs_error *err)
{
	struct bs_gram_sketch *sketch = calloc(1, sizeof(*sketch));
	*sketch_out = NULL;
	if (!sketch)
		return bs_fail_memory(err, "a sketch", sizeof(*sketch));
	sketch->plan = plan;
	enum bs_status status = bs_icu_load(err);
	sketch->states = malloc(STATE_WORDS * sizeof(*sketch->states));
	sketch->frequent = calloc(BS_GRAM_BUCKETS / 32, sizeof(*sketch->frequent));
	if (!status)
		status = sketch->states && sketch->frequent
		                 ? bs_kernel_choose(NULL, &sketch->kernel, err)
		                 : bs_fail_memory(err, "a sketch",
		                                  STATE_WORDS * sizeof(*sketch->states));
	if (status) {
		bs_gram_sketch_free(sketch);
		return status;
	}
	bs_buffer_advise(sketch->states, STATE_WORDS * sizeof(*sketch->states));
	memset(sketch->states, 0xff, STATE_WORDS * sizeof(*sketch->states));
	uint32_t n;
	/* the initial state of a trigram is its tier */
	for (uint32_t tier = 0; tier < BS_GRAM_RARE; tier++) {
		const uint32_t *trigrams = bs_gram_plan_list(plan, tier, &n);
		for (uint32_t i = 0; i < n; i++)
			set_state(sketch->states, trigrams[i], tier);
	}
	const uint32_t *buckets = bs_gram_plan_list(plan, BS_GRAM_LONG_FREQUENT, &n);
	for (uint32_t i = 0; i < n; i++)
		sketch->frequent[buckets[i] / 32] |= UINT32_C(1) << (buckets[i] % 32);
	/* If longer grams have one column anyway, mark all buckets as frequent. */
	if (plan->n_hashes[BS_GRAM_LONG] == 1)
		memset(sketch->frequent, 0xff, BS_GRAM_BUCKETS / 8);
	*sketch_out = sketch;
	return BS_OK;
}

void bs_gram_sketch_free(struct bs_gram_sketch *sketch)
{
	if (!sketch)
		return;
	for (uint32_t tier = BS_GRAM_COMMON; tier < BS_GRAM_TRIGRAM_TIERS; tier++)
		free(sketch->lists[tier]);
	free(sketch->states);
	free(sketch->frequent);
	free(sketch->bits);
	bs_buffer_deinit(&sketch->window);
	bs_vector_deinit(&sketch->told_list);
	free(sketch->told);
	free(sketch);
}

/* Appends those of n trigrams that are not listed yet to the lists of their tiers. Has no branches,
 * because it is unpredictable whether a trigram is new, and what its tier is. */
static enum bs_status list_trigrams(struct bs_gram_sketch *sketch, size_t n, struct bs_error *err)
{
	enum bs_status status = make_lists(sketch, (uint32_t)n, err);
	if (status)
		return status;
	uint32_t *states = sketch->states, *n_listed = sketch->n_listed;
	uint32_t *common = sketch->lists[BS_GRAM_COMMON], n_common = n_listed[BS_GRAM_COMMON];
	uint32_t *middling = sketch->lists[BS_GRAM_MIDDLING],
		 n_middling = n_listed[BS_GRAM_MIDDLING];
	uint32_t *rare = sketch->lists[BS_GRAM_RARE], n_rare = n_listed[BS_GRAM_RARE];
	for (size_t i = 0; i < n; i++) {
		uint32_t trigram = sketch->trigrams[i],
			 shift = 2 * (trigram % BS_GRAM_STATES_A_WORD);
		uint32_t word = states[trigram / BS_GRAM_STATES_A_WORD], state = word >> shift & 3;
		states[trigram / BS_GRAM_STATES_A_WORD] = word & ~(UINT32_C(3) << shift);
		common[n_common] = middling[n_middling] = rare[n_rare] = trigram;
		n_common += state == BS_GRAM_COMMON;
		n_middling += state == BS_GRAM_MIDDLING;
		n_rare += state == BS_GRAM_RARE;
	}
	n_listed[BS_GRAM_COMMON] = n_common;
	n_listed[BS_GRAM_MIDDLING] = n_middling;
	n_listed[BS_GRAM_RARE] = n_rare;
	return BS_OK;
}

/* Processes the next piece of the text. *n_left_out: number of bytes at the end of the piece that
 * were not processed, which the caller must pass again with the next piece; 0 if is_end. */
static enum bs_status add_piece(struct bs_gram_sketch *sketch, const uint8_t *text, size_t n_bytes,
                                bool is_end, size_t *n_left_out, struct bs_error *err)
{
	size_t n_carried = sketch->n_carried, at = 0;
	enum bs_status status = BS_OK;
	while (at < n_bytes && !status) {
		size_t left = n_bytes - at, n_folded;
		bool is_last = is_end && left <= PIECE_BYTES;
		size_t n_done =
			bs_grams_fold_piece(text + at, left <= PIECE_BYTES ? left : PIECE_BYTES,
		                            is_last, sketch->folded + n_carried, &n_folded);
		if (n_done == 0)
			break;
		at += n_done;
		status = bs_deadline_check_after(n_done * BYTE_NS, err);
		n_folded += n_carried;
		size_t n_places = n_folded < CARRY_BYTES ? 0 : n_folded - CARRY_BYTES;
		for (size_t place = 0; place < n_places && !status; place += PLACES) {
			size_t n = n_places - place < PLACES ? n_places - place : PLACES;
			n = sketch->kernel->text.find_grams(sketch->folded + place, n, sketch->log,
			                                    sketch->bits, sketch->frequent,
			                                    sketch->states, sketch->trigrams);
			status = list_trigrams(sketch, n, err);
		}
		n_carried = n_folded - n_places;
		memmove(sketch->folded, sketch->folded + n_places, n_carried);
	}
	sketch->n_carried = n_carried;
	*n_left_out = n_bytes - at;
	return status;
}

/* Lists the trigrams in the last bytes, where no longer gram begins. */
static enum bs_status end_text(struct bs_gram_sketch *sketch, struct bs_error *err)
{
	size_t n_last = 0;
	for (; n_last + BS_GRAM_LEAST <= sketch->n_carried; n_last++) {
		uint32_t key = (uint32_t)bs_gram_key(sketch->folded + n_last, BS_GRAM_LEAST);
		sketch->trigrams[n_last] = key & (BS_GRAM_TRIGRAMS - 1);
	}
	return list_trigrams(sketch, n_last, err);
}

static enum bs_status add_text(struct bs_gram_sketch *sketch, const uint8_t *text, size_t n_bytes,
                               struct bs_error *err)
{
	size_t n_left;
	enum bs_status status = add_piece(sketch, text, n_bytes, true, &n_left, err);
	return status ? status : end_text(sketch, err);
}

static enum bs_status add_stream(struct bs_gram_sketch *sketch, struct bs_text_stream *stream,
                                 struct bs_error *err)
{
	struct bs_buffer *window = &sketch->window;
	enum bs_status status = BS_OK;
	bs_buffer_clear(window);
	stream->rewind(stream->context);
	for (size_t n_bytes = 1, n_left; n_bytes > 0 && !status;) {
		const uint8_t *bytes;
		stream->next(stream->context, &bytes, &n_bytes);
		status = bs_buffer_append(window, bytes, n_bytes, err);
		if (!status)
			status = add_piece(sketch, window->data, window->used_bytes, n_bytes == 0,
			                   &n_left, err);
		if (!status && n_left > 0)
			memmove(window->data, window->data + window->used_bytes - n_left, n_left);
		window->used_bytes = status ? 0 : n_left;
	}
	return status ? status : end_text(sketch, err);
}

/* Estimates how many distinct hashes have set n_set of n_bits bits: -n_bits ln(1 - x), x = n_set /
 * n_bits, by the first terms of its series. For large x the result is too small, but still shows
 * that more bits are needed. Uses integers, so that all machines agree. */
static uint64_t estimate(uint64_t n_set, uint64_t n_bits)
{
	uint64_t share = (n_set << 32) / n_bits, power = n_set << 8, sum = 0;
	for (uint64_t i = 1; i <= 8; i++) {
		sum += power / i;
		power = (power >> 8) * share >> 24;
	}
	return sum >> 8;
}

/* Initial log of the number of words for a text of n_bytes. Longer texts have fewer new grams for
 * each byte. Chosen so that one file in thirty of a source tree needs more words and is processed
 * again. */
static uint32_t first_log(size_t n_bytes)
{
	uint32_t log_bytes = 63 - (uint32_t)__builtin_clzll((uint64_t)n_bytes | 1);
	uint32_t log = log_bytes * 3 / 5 + 5;
	return log < LEAST_LOG ? LEAST_LOG : log > BS_GRAM_MOST_LOG ? BS_GRAM_MOST_LOG : log;
}

static void sum_up(struct bs_gram_sketch *sketch, struct bs_gram_sum *sum)
{
	uint64_t n_bits = UINT64_C(32) << sketch->log;
	uint64_t n_set = sketch->kernel->lines.popcount(sketch->bits, n_bits / BS_LINE_BITS);
	*sum = (struct bs_gram_sum){.n_bits = estimate(n_set, n_bits)};
	for (uint32_t tier = 0; tier < BS_GRAM_TRIGRAM_TIERS; tier++) {
		sum->trigrams[tier] = sketch->lists[tier];
		sum->n_trigrams[tier] = sketch->n_listed[tier];
		sum->n_bits += (uint64_t)sketch->n_listed[tier] * sketch->plan->n_hashes[tier];
	}
	sum->size_class = sketch->size_class = bs_gram_size_class_of(sum->n_bits);
}

enum bs_status bs_gram_sketch_take(struct bs_gram_sketch *sketch, struct bs_text_stream *stream,
                                   const uint8_t *text, uint64_t n_bytes,
                                   struct bs_gram_sum *sum_out, struct bs_error *err)
{
	uint32_t log = first_log((size_t)n_bytes);
	/* restore the states that the previous text changed */
	for (uint32_t tier = 0; tier < BS_GRAM_TRIGRAM_TIERS; tier++) {
		for (uint32_t i = 0; i < sketch->n_listed[tier]; i++)
			set_state(sketch->states, sketch->lists[tier][i], tier);
		sketch->n_listed[tier] = 0;
	}
	for (;;) {
		enum bs_status status = make_bits(sketch, log, err);
		sketch->n_carried = 0;
		if (!status)
			status = stream ? add_stream(sketch, stream, err)
			                : add_text(sketch, text, (size_t)n_bytes, err);
		if (status)
			return status;
		sum_up(sketch, sum_out);
		log = bs_gram_size_class_log(sum_out->size_class);
		if (log <= sketch->log)
			return BS_OK;
	}
}

void bs_gram_sketch_row(struct bs_gram_sketch *sketch, uint64_t *row)
{
	uint32_t n = bs_gram_size_class_n(sketch->size_class),
		 n_words = bs_gram_row_words(sketch->size_class);
	uint64_t *bits = sketch->bits;
	if (n_words == 0)
		return;
	/* Fold the upper half of the words into the lower one down to the size of the class. */
	for (uint32_t log = bs_gram_size_class_log(sketch->size_class); sketch->log > log;
	     sketch->log--) {
		size_t half = (size_t)1 << (sketch->log - 2);
		for (size_t i = 0; i < half; i++)
			bits[i] |= bits[half + i];
	}
	uint32_t mask = (UINT32_C(32) << sketch->log) - 1;
	for (uint32_t tier = BS_GRAM_COMMON; tier < BS_GRAM_TRIGRAM_TIERS; tier++) {
		uint32_t n_hashes = sketch->plan->n_hashes[tier];
		for (uint32_t i = 0; i < sketch->n_listed[tier]; i++) {
			struct bs_gram_probe probe = bs_gram_trigram_probe(sketch->lists[tier][i]);
			for (uint32_t hash = probe.start, k = 0; k < n_hashes;
			     k++, hash += probe.step)
				bits[(hash & mask) / 64] |= UINT64_C(1) << (hash % 64);
		}
	}
	row[n_words - 1] = 0;
	sketch->kernel->text.fill_gram_row(bits, (size_t)1 << (sketch->log - 3), n, (uint8_t *)row);
}

static enum bs_status tell_list(struct bs_gram_sketch *sketch, uint32_t tier, struct bs_error *err)
{
	struct bs_u32s *list = &sketch->told_list;
	const uint32_t *trigrams = sketch->lists[tier];
	uint64_t *told = sketch->told;
	uint32_t n = sketch->n_listed[tier];
	const size_t n_before = bs_vector_n(list);
	enum bs_status status = bs_vector_reserve(list, n, err);
	uint32_t *to = list->items + n_before, n_new = 0;
	for (uint32_t i = 0; i < n && !status; i++) {
		uint32_t trigram = trigrams[i];
		if (told[trigram / 64] >> (trigram % 64) & 1) /* mostly true */
			continue;
		told[trigram / 64] |= UINT64_C(1) << (trigram % 64);
		to[n_new++] = trigram;
	}
	bs_vector_set_n(list, n_before + n_new);
	return status;
}

enum bs_status bs_gram_sketch_append_new(struct bs_gram_sketch *sketch, bool anew,
                                         struct bs_u32s *trigrams, struct bs_error *err)
{
	struct bs_u32s *list = &sketch->told_list;
	if (!sketch->told)
		sketch->told = calloc(BS_GRAM_TRIGRAMS / 64, sizeof(*sketch->told));
	if (!sketch->told)
		return bs_fail_memory(err, "trigrams", BS_GRAM_TRIGRAMS / 8);
	if (anew) {
		const uint32_t *trigrams_told = list->items;
		for (size_t i = 0, n = bs_vector_n(list); i < n; i++)
			sketch->told[trigrams_told[i] / 64] = 0;
		bs_vector_clear(list);
	}
	const size_t n_before = bs_vector_n(list);
	enum bs_status status = BS_OK;
	for (uint32_t tier = BS_GRAM_COMMON; tier < BS_GRAM_TRIGRAM_TIERS && !status; tier++)
		status = tell_list(sketch, tier, err);
	return status ? status
	              : bs_vector_extend(trigrams, list->items + n_before,
	                                 bs_vector_n(list) - n_before, err);
}
