/* gram_choice.c: chooses the frequent grams. See gram_choice.h. */
#include "indexer/choose/gram_choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/matrix/prices.h"
#include "core/system/deadline.h"
#include "core/text/grams.h"
#include "indexer/choose/sample.h"

/* estimated costs for the deadline: of counting a gram, and of examining its count */
#define GRAM_NS     5u
#define LOOK_NS     2u
#define LISTED_DOCS 2u /* a gram in fewer files of the sample may be frequent by chance */

struct bucket_count {
	uint32_t df;   /* files with a gram in the bucket */
	uint32_t last; /* 1 + the index of the last of these files */
};

/* A gram is in a tier if at least this share of the documents has the gram. */
struct tiers {
	double left_out, common, middling, long_frequent;
};

static const struct tiers tiers_of_files = {.left_out = BS_PRICE_GRAM_LEFT_OUT,
                                            .common = BS_PRICE_GRAM_COMMON,
                                            .middling = BS_PRICE_GRAM_MIDDLING,
                                            .long_frequent = BS_PRICE_GRAM_LONG_FREQUENT};

static const struct tiers tiers_of_records = {.left_out = BS_PRICE_RECORD_GRAM_LEFT_OUT,
                                              .common = BS_PRICE_RECORD_GRAM_COMMON,
                                              .middling = BS_PRICE_RECORD_GRAM_MIDDLING,
                                              .long_frequent =
                                                      2 /* unreachable: all have one column */};

/* Trigrams are marked in blocks: most texts have few, and a block that no text has is not read, so
 * its memory is never mapped. */
#define BLOCK_TRIGRAMS 4096u
#define N_BLOCKS       (BS_GRAM_TRIGRAMS / BLOCK_TRIGRAMS)

/* The grams of a sample while they are counted. */
struct sample {
	const struct tiers *tiers;
	/* no gram is listed in it, so the sketch returns every gram as a rare one */
	struct bs_gram_plan plan;
	struct bs_gram_sketch *sketch; /* NULL before the first text */
	struct bs_buffer folded;
	uint32_t *dfs;                /* by trigram: files with it */
	bool is_used[N_BLOCKS];       /* by block of trigrams: whether a file has one of them */
	struct bucket_count *buckets; /* buckets of longer grams */
	uint64_t n_in_buckets;        /* sum of the buckets' dfs */
	uint32_t n_docs;
};

/* grams that are counted before the deadline is checked */
#define STEP_GRAMS ((size_t)65536)

static enum bs_status count_buckets(struct sample *sample, const uint8_t *folded, size_t n_bytes,
                                    struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t n = n_bytes < BS_GRAM_LONG_BYTES ? 0 : n_bytes - BS_GRAM_LONG_BYTES + 1;
	for (size_t at = 0; at < n && !status;) {
		size_t end = n - at > STEP_GRAMS ? at + STEP_GRAMS : n;
		for (; at < end; at++) {
			uint32_t hash = bs_gram_long_hash(bs_load_u32(folded + at), folded[at + 4]);
			struct bucket_count *bucket = &sample->buckets[bs_gram_bucket(hash)];
			if (bucket->last == sample->n_docs)
				continue;
			*bucket = (struct bucket_count){bucket->df + 1, sample->n_docs};
			sample->n_in_buckets++;
		}
		status = bs_deadline_check_after(STEP_GRAMS * GRAM_NS, err);
	}
	return status;
}

static enum bs_status start_sample(struct sample *sample, struct bs_error *err)
{
	sample->dfs = calloc(BS_GRAM_TRIGRAMS, sizeof(*sample->dfs));
	sample->buckets = calloc(BS_GRAM_BUCKETS, sizeof(*sample->buckets));
	if (!sample->dfs || !sample->buckets)
		return bs_fail_memory(err, "a sample", BS_GRAM_TRIGRAMS * sizeof(*sample->dfs));
	bs_gram_plan_init(&sample->plan);
	return bs_gram_sketch_new(&sample->plan, &sample->sketch, err);
}

static enum bs_status sample_text(struct sample *sample, const struct bs_field *field,
                                  struct bs_error *err)
{
	struct bs_gram_sum sum;
	enum bs_status status = sample->sketch ? BS_OK : start_sample(sample, err);
	if (!status)
		status = bs_gram_sketch_take(sample->sketch, NULL, field->text, field->text_bytes,
		                             &sum, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < sum.n_trigrams[BS_GRAM_RARE]; i++) {
		uint32_t trigram = sum.trigrams[BS_GRAM_RARE][i];
		sample->dfs[trigram]++;
		sample->is_used[trigram / BLOCK_TRIGRAMS] = true;
	}
	sample->n_docs++;
	bs_buffer_clear(&sample->folded);
	status = bs_deadline_check_after(sum.n_trigrams[BS_GRAM_RARE] * GRAM_NS, err);
	if (!status)
		status = bs_grams_fold(field->text, field->text_bytes, &sample->folded, err);
	return status ? status
	              : count_buckets(sample, sample->folded.data, sample->folded.used_bytes, err);
}

/* Counts the grams of a document. Each field counts as a document, so grams of documents with
 * several fields seem less frequent than they are. */
static enum bs_status sample_document(void *context, const struct bs_document *document,
                                      struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < document->text.n_fields && !status; i++)
		status = sample_text(context, &document->text.fields[i], err);
	return status;
}

/* The tier of a trigram that occurs in df texts of the sample. */
static enum bs_gram_tier tier_of(const struct sample *sample, uint32_t df)
{
	double share = (double)df / (double)sample->n_docs;
	if (share < sample->tiers->middling)
		return BS_GRAM_RARE;
	if (share < sample->tiers->common)
		return BS_GRAM_MIDDLING;
	return share < sample->tiers->left_out ? BS_GRAM_COMMON : BS_GRAM_LEFT_OUT;
}

/* True if a bucket of longer grams is frequent. The mean df of all buckets is subtracted, because
 * by chance many files have some rare gram of the bucket; the longer files are, the more. */
static bool is_frequent(const struct sample *sample, uint32_t bucket)
{
	double n = (double)sample->n_docs,
	       by_chance = (double)sample->n_in_buckets / BS_GRAM_BUCKETS;
	uint32_t df = sample->buckets[bucket].df;
	return df >= LISTED_DOCS &&
	       (double)df - by_chance >= sample->tiers->long_frequent * (n - by_chance);
}

static enum bs_status list_trigrams(const struct sample *sample, uint32_t block,
                                    struct bs_gram_plan *plan, struct bs_error *err)
{
	uint32_t from = block * BLOCK_TRIGRAMS;
	enum bs_status status = bs_deadline_check_after((uint64_t)BLOCK_TRIGRAMS * LOOK_NS, err);
	for (uint32_t trigram = from; trigram < from + BLOCK_TRIGRAMS && !status; trigram++) {
		if (sample->dfs[trigram] < LISTED_DOCS) /* true for most trigrams */
			continue;
		enum bs_gram_tier tier = tier_of(sample, sample->dfs[trigram]);
		if (tier != BS_GRAM_RARE)
			status = bs_gram_plan_add(plan, tier, trigram, err);
	}
	return status;
}

/* Adds the frequent grams of the sample to the plan. */
static enum bs_status list_grams(const struct sample *sample, struct bs_gram_plan *plan,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t block = 0; block < N_BLOCKS && !status; block++)
		if (sample->is_used[block])
			status = list_trigrams(sample, block, plan, err);
	for (uint32_t bucket = 0; bucket < BS_GRAM_BUCKETS && !status; bucket++)
		if (is_frequent(sample, bucket))
			status = bs_gram_plan_add(plan, BS_GRAM_LONG_FREQUENT, bucket, err);
	return status;
}

enum bs_status bs_gram_plan_choose(bs_give_sample_fn give, void *context, bool of_records,
                                   struct bs_gram_plan *plan, struct bs_error *err)
{
	struct sample sample = {.tiers = of_records ? &tiers_of_records : &tiers_of_files};
	(of_records ? bs_gram_plan_init_records : bs_gram_plan_init)(plan);
	enum bs_status status = give(context, sample_document, &sample, err);
	if (!status && sample.n_docs > 0)
		status = list_grams(&sample, plan, err);
	free(sample.dfs);
	free(sample.buckets);
	bs_buffer_deinit(&sample.folded);
	bs_gram_sketch_free(sample.sketch);
	bs_gram_plan_deinit(&sample.plan);
	return status;
}

enum bs_status bs_gram_plan_of_snapshot(const struct bs_snapshot *snapshot,
                                        struct bs_gram_plan *plan, struct bs_error *err)
{
	const struct bs_gram_shards *largest = NULL;
	enum bs_status status = BS_OK;
	bs_gram_plan_init(plan);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		const struct bs_gram_shards *grams = &snapshot->segments[s].grams;
		if (grams->n_shards > 0 && (!largest || grams->meta.n_docs > largest->meta.n_docs))
			largest = grams;
	}
	if (!largest)
		return BS_OK;
	memcpy(plan->n_hashes, largest->meta.n_hashes, sizeof(plan->n_hashes));
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++) {
		const struct bs_packed *list = &largest->listed[tier];
		uint32_t end = bs_gram_listed_end(tier);
		for (uint64_t i = 0, least = 0; end > 0 && i < list->n && !status; i++) {
			uint32_t gram = 0;
			status = bs_packed_get_u32(list, i, &gram, err);
			if (!status && (gram < least || gram >= end))
				status = bs_packed_corrupt(list, i, err);
			if (!status)
				status = bs_gram_plan_add(plan, (enum bs_gram_tier)tier, gram, err);
			least = (uint64_t)gram + 1;
		}
	}
	return status;
}
