/* gram_choice.c: see gram_choice.h. */
#include "indexer/choose/gram_choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/text/grams.h"
#include "indexer/choose/sample.h"

#define SAMPLE_BYTES (24u << 20)
/* Shares of the files from which on a gram is of a tier. What was measured: bench/NOTES.md. */
#define LEFT_OUT_SHARE      0.4
#define COMMON_SHARE        0.1
#define MIDDLING_SHARE      0.02
#define LONG_FREQUENT_SHARE 0.05
#define LISTED_DOCS         2u /* what one file has may be there by chance */

void bs_gram_sample_deinit(struct bs_gram_sample *sample)
{
	free(sample->dfs);
	free(sample->buckets);
	bs_buffer_deinit(&sample->folded);
	bs_gram_sketch_free(sample->sketch);
	bs_gram_plan_deinit(&sample->plan);
}

static void count_buckets(struct bs_gram_sample *sample, const uint8_t *folded, size_t n_bytes)
{
	for (size_t at = 0; at + BS_GRAM_LONG_BYTES <= n_bytes; at++) {
		uint32_t hash = bs_gram_long_hash(bs_load_u32(folded + at), folded[at + 4]);
		struct bs_gram_bucket_count *bucket = &sample->buckets[bs_gram_bucket(hash)];
		if (bucket->last == sample->n_docs)
			continue;
		*bucket = (struct bs_gram_bucket_count){bucket->df + 1, sample->n_docs};
		sample->n_in_buckets++;
	}
}

static enum bs_status sample_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct bs_gram_sample *sample = context;
	struct bs_gram_sum sum;
	const struct bs_field *field = &document->fields[0];
	enum bs_status status = bs_gram_sketch_text(sample->sketch, field->text, field->text_bytes, &sum, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < sum.n_trigrams[BS_GRAM_RARE]; i++)
		sample->dfs[sum.trigrams[BS_GRAM_RARE][i]]++;
	sample->n_docs++;
	bs_buffer_clear(&sample->folded);
	status = bs_grams_fold(field->text, field->text_bytes, &sample->folded, err);
	if (!status)
		count_buckets(sample, sample->folded.data, sample->folded.used_bytes);
	return status;
}

enum bs_status bs_gram_sample_source(struct bs_gram_sample *sample, const struct bs_source *source,
                                     const struct bs_source_options *options, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (source->kind != BS_SOURCE_FOLDER && source->kind != BS_SOURCE_FILE)
		return BS_OK;
	if (!sample->dfs)
		sample->dfs = calloc(BS_GRAM_TRIGRAMS, sizeof(*sample->dfs));
	if (!sample->buckets)
		sample->buckets = calloc(BS_GRAM_BUCKETS, sizeof(*sample->buckets));
	if (!sample->dfs || !sample->buckets)
		return bs_fail_memory(err, "a sample", BS_GRAM_TRIGRAMS * sizeof(*sample->dfs));
	if (!sample->sketch) {
		bs_gram_plan_init(&sample->plan);
		status = bs_gram_sketch_new(&sample->plan, &sample->sketch, err);
	}
	return status ? status : bs_sample_source(source, options, SAMPLE_BYTES, sample_document, sample, err);
}

static enum bs_gram_tier tier_of(const struct bs_gram_sample *sample, uint32_t trigram)
{
	uint32_t df = sample->dfs[trigram];
	double share = (double)df / (double)sample->n_docs;
	if (df < LISTED_DOCS || share < MIDDLING_SHARE)
		return BS_GRAM_RARE;
	return share < COMMON_SHARE ? BS_GRAM_MIDDLING : share < LEFT_OUT_SHARE ? BS_GRAM_COMMON : BS_GRAM_LEFT_OUT;
}

/* A bucket has some rare gram of many a file, of more where files are longer: as many files as it has in the mean do not
 * count. */
static bool is_frequent(const struct bs_gram_sample *sample, uint32_t bucket)
{
	double n = (double)sample->n_docs, by_chance = (double)sample->n_in_buckets / BS_GRAM_BUCKETS;
	uint32_t df = sample->buckets[bucket].df;
	return df >= LISTED_DOCS && (double)df - by_chance >= LONG_FREQUENT_SHARE * (n - by_chance);
}

enum bs_status bs_gram_sample_choose(const struct bs_gram_sample *sample, struct bs_gram_plan *plan,
                                     struct bs_error *err)
{
	struct bs_buffer lists[BS_GRAM_TIERS] = {{0}}; /* u32 each */
	enum bs_status status = BS_OK;
	bs_gram_plan_init(plan);
	for (uint32_t trigram = 0; sample->n_docs > 0 && trigram < BS_GRAM_TRIGRAMS && !status; trigram++) {
		enum bs_gram_tier tier = tier_of(sample, trigram);
		if (tier != BS_GRAM_RARE)
			status = bs_buffer_append(&lists[tier], &trigram, sizeof(trigram), err);
	}
	for (uint32_t bucket = 0; sample->n_docs > 0 && bucket < BS_GRAM_BUCKETS && !status; bucket++)
		if (is_frequent(sample, bucket))
			status = bs_buffer_append(&lists[BS_GRAM_LONG_FREQUENT], &bucket, sizeof(bucket), err);
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++) {
		if (!status && bs_gram_listed_end(tier) > 0)
			status = bs_gram_plan_set_tier(plan, (enum bs_gram_tier)tier,
			                               (const uint32_t *)(const void *)lists[tier].data,
			                               (uint32_t)(lists[tier].used_bytes / sizeof(uint32_t)), err);
		bs_buffer_deinit(&lists[tier]);
	}
	return status;
}

enum bs_status bs_gram_plan_of_snapshot(const struct bs_snapshot *snapshot, struct bs_gram_plan *plan,
                                        struct bs_error *err)
{
	const struct bs_gram_slabs *largest = NULL;
	enum bs_status status = BS_OK;
	bs_gram_plan_init(plan);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		const struct bs_gram_slabs *grams = &snapshot->segments[s].grams;
		if (grams->n_slabs > 0 && (!largest || grams->meta.n_docs > largest->meta.n_docs))
			largest = grams;
	}
	if (largest)
		memcpy(plan->n_hashes, largest->meta.n_hashes, sizeof(plan->n_hashes));
	for (uint32_t tier = 0; largest && tier < BS_GRAM_TIERS && !status; tier++) {
		const struct bs_packed *list = &largest->listed[tier];
		uint32_t end = bs_gram_listed_end(tier);
		struct bs_buffer copy = {0};
		for (uint64_t i = 0, least = 0; end > 0 && i < list->n && !status; i++) {
			uint32_t gram = 0;
			status = bs_packed_get_u32(list, i, &gram, err);
			if (!status && (gram < least || gram >= end))
				status = bs_packed_corrupt(list, i, err);
			if (!status)
				status = bs_buffer_append(&copy, &gram, sizeof(gram), err);
			least = (uint64_t)gram + 1;
		}
		if (!status && end > 0)
			status = bs_gram_plan_set_tier(plan, (enum bs_gram_tier)tier, (const uint32_t *)(const void *)copy.data,
			                               (uint32_t)list->n, err);
		bs_buffer_deinit(&copy);
	}
	return status;
}
