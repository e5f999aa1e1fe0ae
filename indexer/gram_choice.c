/* gram_choice.c: see gram_choice.h. */
#include "indexer/gram_choice.h"

#include <stdlib.h>

#include "indexer/sample.h"

#define SAMPLE_BYTES (24u << 20)
/*
 * A hashed gram takes 2.8 bits, a column of its own one bit for each file: from a share of 0.36 on that is cheaper. What
 * half of the files have filters little, and a literal has other grams.
 */
#define EXACT_SHARE    0.36
#define LEFT_OUT_SHARE 0.5
#define LEAST_DOCS     24u /* of a class: of fewer it is not known what is frequent */
#define TRIGRAMS       (1u << 24)

void bs_gram_sample_deinit(struct bs_gram_sample *sample)
{
	for (uint32_t class = 0; class < BS_GRAM_CLASSES; class++)
		bs_buffer_deinit(&sample->classes[class].trigrams);
	bs_grams_free(sample->grams);
}

/* ---- sampling ---- */

static enum bs_status sample_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct bs_gram_sample *sample = context;
	const uint64_t *keys;
	size_t n_keys;
	bs_grams_begin(sample->grams);
	enum bs_status status = bs_grams_add(sample->grams, document->fields[0].text, document->fields[0].text_bytes, err);
	if (!status)
		status = bs_grams_end(sample->grams, err);
	if (status)
		return status;
	bs_grams_take(sample->grams, &keys, &n_keys);
	uint32_t class = bs_gram_class_of(n_keys);
	for (size_t i = 0; i < n_keys && !status; i++) {
		uint32_t trigram = (uint32_t)keys[i] & (TRIGRAMS - 1);
		if (bs_gram_bytes(keys[i]) == BS_GRAM_LEAST)
			status = bs_buffer_append(&sample->classes[class].trigrams, &trigram, sizeof(trigram), err);
	}
	sample->classes[class].n_grams += n_keys;
	sample->classes[class].n_docs++;
	return status;
}

enum bs_status bs_gram_sample_source(struct bs_gram_sample *sample, const struct bs_source *source,
                                     const struct bs_source_options *options, struct bs_error *err)
{
	if (source->kind != BS_SOURCE_FOLDER && source->kind != BS_SOURCE_FILE)
		return BS_OK;
	enum bs_status status = sample->grams ? BS_OK : bs_grams_new(&sample->grams, err);
	return status ? status : bs_sample_source(source, options, SAMPLE_BYTES, sample_document, sample, err);
}

/* ---- choosing ---- */

struct choice {
	const struct bs_gram_sample *sample;
	uint32_t *dfs; /* by trigram, of one class */
	struct bs_buffer exact, left_out; /* u32 each */
};

static const uint32_t *trigrams_of(const struct bs_gram_sample *sample, uint32_t class, size_t *n_out)
{
	*n_out = sample->classes[class].trigrams.used_bytes / sizeof(uint32_t);
	return (const uint32_t *)(const void *)sample->classes[class].trigrams.data;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void sort_list(struct bs_buffer *list)
{
	if (list->used_bytes)
		qsort(list->data, list->used_bytes / sizeof(uint32_t), sizeof(uint32_t), compare_u32);
}

/* Lists the frequent ones of a class; *n_hashed_out: how many of its grams are in neither list. */
static enum bs_status list_frequent(struct choice *choice, uint32_t class, uint64_t *n_hashed_out, struct bs_error *err)
{
	size_t n;
	const uint32_t *trigrams = trigrams_of(choice->sample, class, &n);
	double n_docs = choice->sample->classes[class].n_docs;
	enum bs_status status = BS_OK;
	*n_hashed_out = choice->sample->classes[class].n_grams;
	bs_buffer_clear(&choice->exact);
	bs_buffer_clear(&choice->left_out);
	for (size_t i = 0; i < n; i++)
		choice->dfs[trigrams[i]]++;
	for (size_t i = 0; i < n && !status; i++) {
		uint32_t df = choice->dfs[trigrams[i]];
		choice->dfs[trigrams[i]] = 0; /* as it is to be for the next class, and for this one: it is listed once */
		if (df < EXACT_SHARE * n_docs || df == 0)
			continue;
		struct bs_buffer *list = df >= LEFT_OUT_SHARE * n_docs ? &choice->left_out : &choice->exact;
		status = bs_buffer_append(list, &trigrams[i], sizeof(uint32_t), err);
		*n_hashed_out -= df;
	}
	sort_list(&choice->exact);
	sort_list(&choice->left_out);
	return status;
}

static enum bs_status choose_class(struct choice *choice, uint32_t class, struct bs_gram_plan *plan, struct bs_error *err)
{
	uint64_t n_hashed;
	enum bs_status status = list_frequent(choice, class, &n_hashed, err);
	double share = (double)n_hashed / (double)choice->sample->classes[class].n_grams;
	if (status)
		return status;
	return bs_gram_plan_set(plan, class, bs_gram_class_columns(class, share),
	                        (const uint32_t *)(const void *)choice->exact.data,
	                        (uint32_t)(choice->exact.used_bytes / sizeof(uint32_t)),
	                        (const uint32_t *)(const void *)choice->left_out.data,
	                        (uint32_t)(choice->left_out.used_bytes / sizeof(uint32_t)), err);
}

enum bs_status bs_gram_sample_choose(const struct bs_gram_sample *sample, struct bs_gram_plan *plan,
                                     struct bs_error *err)
{
	struct choice choice = {.sample = sample, .dfs = calloc(TRIGRAMS, sizeof(uint32_t))};
	enum bs_status status = choice.dfs ? BS_OK : bs_fail_memory(err, "frequent trigrams", TRIGRAMS * sizeof(uint32_t));
	for (uint32_t class = 1; class < BS_GRAM_CLASSES && !status; class++)
		if (sample->classes[class].n_docs >= LEAST_DOCS)
			status = choose_class(&choice, class, plan, err);
	if (!status)
		status = bs_gram_plan_finish(plan, err);
	free(choice.dfs);
	bs_buffer_deinit(&choice.exact);
	bs_buffer_deinit(&choice.left_out);
	return status;
}

/* ---- what an index has ---- */

/* A list, whole and in order; *is_good_out: it is. */
static enum bs_status read_list(const struct bs_packed *list, uint32_t **list_out, bool *is_good_out, struct bs_error *err)
{
	uint32_t n = (uint32_t)list->n;
	*list_out = malloc(((size_t)n + 1) * sizeof(uint32_t));
	if (!*list_out)
		return bs_fail_memory(err, "frequent trigrams", n * sizeof(uint32_t));
	enum bs_status status = BS_OK;
	*is_good_out = true;
	for (uint32_t i = 0; i < n && !status; i++) {
		status = bs_packed_get_u32(list, i, &(*list_out)[i], err);
		*is_good_out &= !status && (*list_out)[i] < TRIGRAMS && (i == 0 || (*list_out)[i] > (*list_out)[i - 1]);
	}
	return status;
}

static enum bs_status take_slab(const struct bs_gram_slab *slab, struct bs_gram_plan *plan, struct bs_error *err)
{
	const struct bs_gram_slab_shape *shape = &slab->shape;
	uint32_t *exact = NULL, *left_out = NULL;
	bool has_exact = false, has_left_out = false;
	enum bs_status status = read_list(&slab->exact, &exact, &has_exact, err);
	if (!status)
		status = read_list(&slab->left_out, &left_out, &has_left_out, err);
	if (!status && has_exact && has_left_out)
		status = bs_gram_plan_set(plan, shape->class, shape->n_columns, exact, shape->n_exact, left_out,
		                          shape->n_left_out, err);
	free(exact);
	free(left_out);
	return status;
}

/* As writers make them: others could be of any width. */
static bool is_usable(const struct bs_gram_slab_shape *shape)
{
	return shape->class > 0 && shape->n_columns > 0 && shape->n_exact <= BS_GRAM_MOST_EXACT &&
	       shape->n_columns <= bs_gram_class_columns(shape->class, 1);
}

enum bs_status bs_gram_plan_of_snapshot(const struct bs_snapshot *snapshot, struct bs_gram_plan *plan,
                                        struct bs_error *err)
{
	const struct bs_gram_slab *largest[BS_GRAM_CLASSES] = {NULL};
	uint64_t docs_of[BS_GRAM_CLASSES] = {0}; /* of the segment that it is in */
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		const struct bs_gram_slabs *grams = &snapshot->segments[s].grams;
		for (uint32_t i = 0; i < grams->n_slabs; i++) {
			uint32_t class = grams->slabs[i].shape.class;
			if (!is_usable(&grams->slabs[i].shape) || docs_of[class] >= grams->meta.n_docs)
				continue;
			largest[class] = &grams->slabs[i];
			docs_of[class] = grams->meta.n_docs;
		}
	}
	for (uint32_t class = 1; class < BS_GRAM_CLASSES && !status; class++)
		if (largest[class])
			status = take_slab(largest[class], plan, err);
	return status ? status : bs_gram_plan_finish(plan, err);
}
