/* rare_build.c: see rare_build.h. Codes are chosen from a sample of lists. Then all lists are made
 * and written; each task of a thread makes TASK_LISTS lists. */
#include "indexer/segment/rare_build.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vector.h"
#include "core/matrix/prices.h"
#include "core/matrix/rare_term_list.h"
#include "core/system/workers.h"

#define TASK_LISTS 2048u /* lists that a thread makes at a time */
/* minimum number of lists in the sample from which codes are chosen; if there are fewer than twice
 * as many, all are used */
#define SAMPLE_LISTS 4096u

/* Scratch of a thread. */
struct maker {
	struct bs_u64s pairs; /* ordinal << 32 | document within the list */
	struct bs_u64s spare;
	struct bs_rare_terms terms;
};

struct task {
	struct bs_buffer bytes;
	struct bs_u64s ends; /* by list: its end in bytes */
};

struct all {
	const struct bs_shard_plan *plan;
	/* by place: the term belongs in rare-term lists; [n_repeated] is for all further places */
	const uint8_t *is_listed;
	/* by document: it has a forward index, so it has no entry in rare-term lists */
	const uint8_t *is_out;
	uint32_t n_docs;
	/* log2 of the number of documents of a list */
	uint32_t docs_log2;
	uint64_t n_lists;
	struct bs_rare_codes codes;
	struct maker *makers;
	struct task *tasks;
	struct bs_file_writer *writer;
	/* starts of all lists that were written so far, and the end of the last one */
	struct bs_u64s offsets;
};

static enum bs_status take_document(const struct all *all, uint32_t document, uint32_t which,
                                    struct maker *maker, struct bs_error *err)
{
	const struct bs_shard_plan *plan = all->plan;
	struct bs_term_reader reader = bs_indexing_buffer_read(plan->indexing_buffer, document);
	uint32_t n_terms = plan->indexing_buffer->docs.items[document].n_terms;
	uint32_t places[BS_TERM_CHUNK], listed[BS_TERM_CHUNK];
	enum bs_status status = bs_vector_reserve(&maker->pairs, (size_t)n_terms, err);
	if (status)
		return status;
	uint64_t *to = maker->pairs.items + bs_vector_n(&maker->pairs);
	for (uint32_t n; (n = bs_indexing_buffer_next(&reader, places)) > 0;) {
		/* Terms are selected without branches, because branches on terms are
		 * unpredictable. */
		uint32_t n_listed = 0;
		for (uint32_t i = 0; i < n; i++) {
			listed[n_listed] = places[i];
			n_listed += all->is_listed[bs_shard_plan_repeated(plan, places[i])];
		}
		for (uint32_t i = 0; i < n_listed; i++)
			__builtin_prefetch(&plan->ordinals[listed[i]]);
		for (uint32_t i = 0; i < n_listed; i++)
			*to++ = (uint64_t)plan->ordinals[listed[i]] << 32 | which;
	}
	bs_vector_set_n(&maker->pairs, (size_t)(to - maker->pairs.items));
	return BS_OK;
}

#define DIGIT_BITS 11u /* bits of a digit in the radix sort of pairs */
#define FEW_PAIRS  64u /* up to this many pairs are sorted by insertion */

static void sort_few(uint64_t *pairs, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t pair = pairs[i];
		size_t to = i;
		for (; to > 0 && pairs[to - 1] > pair; to--)
			pairs[to] = pairs[to - 1];
		pairs[to] = pair;
	}
}

/* Sorts pairs by ordinal; pairs with equal ordinals keep their order, that of documents. spare: an
 * array of the same size. Returns the array with the result: pairs or spare. */
static uint64_t *sort_pairs(uint64_t *pairs, uint64_t *spare, size_t n, uint32_t n_ordinals)
{
	if (n <= FEW_PAIRS) {
		sort_few(pairs, n);
		return pairs;
	}
	for (uint32_t shift = 0; shift < 32 && n_ordinals >> shift; shift += DIGIT_BITS) {
		uint32_t starts[(1u << DIGIT_BITS) + 1] = {0};
		uint32_t mask = (1u << DIGIT_BITS) - 1;
		for (size_t i = 0; i < n; i++)
			starts[(pairs[i] >> 32 >> shift & mask) + 1]++;
		for (uint32_t digit = 0; digit < mask; digit++)
			starts[digit + 1] += starts[digit];
		for (size_t i = 0; i < n; i++)
			spare[starts[pairs[i] >> 32 >> shift & mask]++] = pairs[i];
		uint64_t *sorted = spare;
		spare = pairs;
		pairs = sorted;
	}
	return pairs;
}

/* Collects the terms of one rare-term list in maker->terms. */
static enum bs_status take_list(const struct all *all, uint64_t list, struct maker *maker,
                                struct bs_error *err)
{
	uint32_t first = (uint32_t)(list << all->docs_log2);
	enum bs_status status = BS_OK;
	bs_vector_clear(&maker->pairs);
	bs_vector_clear(&maker->terms);
	for (uint32_t i = 0; i < 1u << all->docs_log2 && first + i < all->n_docs && !status; i++)
		if (!all->is_out[first + i])
			status = take_document(all, first + i, i, maker, err);
	size_t n = bs_vector_n(&maker->pairs);
	bs_vector_clear(&maker->spare);
	if (!status)
		status = bs_vector_reserve(&maker->spare, n, err);
	if (!status)
		status = bs_vector_reserve(&maker->terms, n, err);
	if (status || n == 0)
		return status;
	const uint64_t *pairs = sort_pairs(maker->pairs.items, maker->spare.items, n,
	                                   all->plan->indexing_buffer->terms.n_terms);
	struct bs_rare_term *terms = maker->terms.items;
	size_t n_terms = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t ordinal = (uint32_t)(pairs[i] >> 32);
		if (n_terms == 0 || terms[n_terms - 1].ordinal != ordinal)
			terms[n_terms++] = (struct bs_rare_term){.ordinal = ordinal};
		terms[n_terms - 1].docs |= 1u << (pairs[i] & UINT32_MAX);
	}
	bs_vector_set_n(&maker->terms, n_terms);
	return BS_OK;
}

static const struct bs_rare_term *terms_of(const struct maker *maker, size_t *n_out)
{
	*n_out = bs_vector_n(&maker->terms);
	return maker->terms.items;
}

static enum bs_status make_codes(struct all *all, struct bs_error *err)
{
	struct bs_rare_counts counts = {{0}, {0}, {0}};
	uint64_t step = all->n_lists / SAMPLE_LISTS;
	enum bs_status status = BS_OK;
	for (uint64_t list = 0; list < all->n_lists && !status; list += step > 1 ? step : 1) {
		size_t n;
		status = take_list(all, list, &all->makers[0], err);
		const struct bs_rare_term *terms = terms_of(&all->makers[0], &n);
		if (!status)
			bs_rare_count(&counts, terms, n);
	}
	return status ? status : bs_rare_codes_make(&all->codes, &counts, all->docs_log2, err);
}

static enum bs_status make_lists(void *context, const struct bs_task *which, struct bs_error *err)
{
	struct all *all = context;
	struct task *task = &all->tasks[which->number];
	struct maker *maker = &all->makers[which->worker];
	uint64_t list = which->number * TASK_LISTS;
	uint64_t end = list + TASK_LISTS < all->n_lists ? list + TASK_LISTS : all->n_lists;
	enum bs_status status = BS_OK;
	for (; list < end && !status; list++) {
		size_t n;
		status = take_list(all, list, maker, err);
		const struct bs_rare_term *terms = terms_of(maker, &n);
		if (!status)
			status = bs_rare_term_list_append(&all->codes, terms, n, &task->bytes, err);
		uint64_t n_bytes = task->bytes.used_bytes;
		if (!status)
			status = bs_vector_append(&task->ends, &n_bytes, err);
	}
	return status;
}

static void task_deinit(struct task *task)
{
	bs_buffer_deinit(&task->bytes);
	bs_vector_deinit(&task->ends);
}

static enum bs_status put_lists(void *context, uint64_t number, struct bs_error *err)
{
	struct all *all = context;
	struct task *task = &all->tasks[number];
	uint64_t *ends = task->ends.items;
	uint64_t start = bs_file_writer_section_bytes(all->writer);
	for (size_t i = 0; i < bs_vector_n(&task->ends); i++)
		ends[i] += start;
	bs_file_writer_bytes(all->writer, task->bytes.data, task->bytes.used_bytes);
	enum bs_status status =
		bs_vector_extend(&all->offsets, ends, bs_vector_n(&task->ends), err);
	task_deinit(task);
	return status;
}

/* Fills is_listed, which has an element for each element of plan->kinds. Returns the mean number of
 * terms of a document that belong in rare-term lists. */
static double find_listed(const struct bs_shard_plan *plan, uint8_t *is_listed)
{
	const struct bs_term_table *terms = &plan->indexing_buffer->terms;
	uint64_t n = 0;
	for (uint32_t place = 0; place <= plan->n_repeated; place++)
		is_listed[place] =
			!plan->treatments->entries[plan->kinds[place] & ~BS_KIND_HAS_LEVELS]
				 .has_false_positives;
	for (uint32_t i = 0; i < terms->n_terms; i++)
		n += bs_term_treatment_find(plan->treatments, terms->entries[i].df)
		                     ->has_false_positives
		             ? 0
		             : terms->entries[i].df;
	uint32_t n_docs = bs_indexing_buffer_n_docs(plan->indexing_buffer);
	return n_docs ? (double)n / n_docs : 0;
}

/* Sets is_out (see struct all). */
static void find_out(const struct bs_size_classes *classes, uint8_t *is_out)
{
	for (uint32_t i = 0; i < classes->n_classes; i++)
		for (uint32_t k = 0;
		     classes->classes[i].is_forward && k < classes->classes[i].n_docs; k++)
			is_out[classes->classes[i].docs[k]] = 1;
}

enum bs_status bs_rare_build(const struct bs_shard_plan *plan,
                             const struct bs_size_classes *classes, uint32_t n_threads,
                             struct bs_file_writer *writer, struct bs_error *err)
{
	struct all all = {.plan = plan,
	                  .n_docs = bs_indexing_buffer_n_docs(plan->indexing_buffer),
	                  .writer = writer};
	struct bs_workers_plan work = {
		.n_threads = n_threads, .work = make_lists, .put = put_lists, .context = &all};
	uint8_t *is_listed = malloc((size_t)plan->n_repeated + 1);
	uint8_t *is_out = calloc((size_t)all.n_docs + 1, 1);
	uint64_t n_tasks = 0;
	enum bs_status status = BS_OK;
	all.makers = calloc(n_threads, sizeof(*all.makers));
	all.tasks = calloc((size_t)all.n_docs / TASK_LISTS + 1, sizeof(*all.tasks));
	if (!is_listed || !is_out || !all.makers || !all.tasks) {
		status = bs_fail_memory(err, "lists of rare terms",
		                        (uint64_t)all.n_docs + plan->n_repeated);
		goto out;
	}
	all.docs_log2 =
		find_listed(plan, is_listed) < BS_PRICE_SHARED_BELOW ? BS_RARE_MOST_DOCS_LOG2 : 0;
	all.n_lists = (all.n_docs + (UINT64_C(1) << all.docs_log2) - 1) >> all.docs_log2;
	n_tasks = (all.n_lists + TASK_LISTS - 1) / TASK_LISTS;
	find_out(classes, is_out);
	all.is_listed = is_listed;
	all.is_out = is_out;
	status = make_codes(&all, err);
	if (!status)
		status = bs_vector_append(&all.offsets, &(uint64_t){0}, err);
	if (status)
		goto out;
	bs_rare_term_lists_begin(&all.codes, writer);
	status = bs_workers_run(&work, n_tasks, err);
	if (!status)
		bs_rare_term_lists_end(&all.offsets, writer);
out:
	for (uint32_t i = 0; all.makers && i < n_threads; i++) {
		bs_vector_deinit(&all.makers[i].pairs);
		bs_vector_deinit(&all.makers[i].spare);
		bs_vector_deinit(&all.makers[i].terms);
	}
	for (uint64_t i = 0; all.tasks && i < n_tasks; i++)
		task_deinit(&all.tasks[i]);
	bs_vector_deinit(&all.offsets);
	free(all.makers);
	free(all.tasks);
	free(is_listed);
	free(is_out);
	return status;
}
