/* sorted_hits.c: see sorted_hits.h. */
#include "query/rank/sorted_hits.h"

#include <stdlib.h>
#include <string.h>

/* The matches in a window are offered in groups of this many blocks. Before each group, the
 * documents in it that cannot be among the first k are dropped. */
#define BLOCKS_TOGETHER 16u

static struct bs_sorted_hit *hits_of(const struct bs_sorting *sorting, size_t *n_out)
{
	*n_out = bs_vector_n(&sorting->heap);
	return sorting->heap.items;
}

static void free_tail(struct bs_sorted_hit *hit)
{
	free((void *)(uintptr_t)hit->value.tail);
	hit->value.tail = NULL;
}

void bs_sorting_clear(struct bs_sorting *sorting)
{
	size_t n;
	struct bs_sorted_hit *hits = hits_of(sorting, &n);
	for (size_t i = 0; i < n; i++)
		free_tail(&hits[i]);
	bs_vector_clear(&sorting->heap);
}

void bs_sorting_deinit(struct bs_sorting *sorting)
{
	bs_sorting_clear(sorting);
	bs_vector_deinit(&sorting->heap);
}

bool bs_sorting_value(const struct bs_sorting *sorting, const struct bs_field *fields,
                      size_t n_fields, struct bs_value *value_out)
{
	size_t name_bytes = strlen(sorting->field);
	bool has = false;
	for (size_t i = 0; i < n_fields; i++) {
		struct bs_value value;
		if (fields[i].name_bytes != name_bytes ||
		    memcmp(fields[i].name, sorting->field, name_bytes) != 0 ||
		    !bs_value_parse(fields[i].text, fields[i].text_bytes, &value))
			continue;
		int order = has ? bs_value_compare(&value, value_out) : 0;
		if (!has || (sorting->is_descending ? order > 0 : order < 0))
			*value_out = value;
		has = true;
	}
	return has;
}

/* Whether a comes after b in the sort order. */
static bool is_behind(const struct bs_sorting *sorting, const struct bs_sorted_hit *a,
                      const struct bs_sorted_hit *b)
{
	int order = a->has_value && b->has_value ? bs_value_compare(&a->value, &b->value) : 0;
	if (a->has_value != b->has_value)
		return b->has_value;
	if (order != 0)
		return (order > 0) != sorting->is_descending;
	return bs_list_order(sorting->list, bs_hit_ref(&a->hit), bs_hit_ref(&b->hit)) > 0;
}

/* Replaces the top of the heap hits[0..n) by a hit, and sifts it down. */
static void replace_top(const struct bs_sorting *sorting, struct bs_sorted_hit *hits, size_t n,
                        const struct bs_sorted_hit *hit)
{
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && is_behind(sorting, &hits[child + 1], &hits[child]);
		if (!is_behind(sorting, &hits[child], hit))
			break;
		hits[i] = hits[child];
	}
	hits[i] = *hit;
}

/* Replaces the borrowed tail of the hit's value by a copy. */
static enum bs_status keep_tail(struct bs_sorted_hit *hit, struct bs_error *err)
{
	uint8_t *tail;
	if (!hit->has_value || !hit->value.tail)
		return BS_OK;
	tail = malloc(hit->value.tail_bytes);
	if (!tail)
		return bs_fail_memory(err, "a number", hit->value.tail_bytes);
	memcpy(tail, hit->value.tail, hit->value.tail_bytes);
	hit->value.tail = tail;
	return BS_OK;
}

enum bs_status bs_sorting_take(struct bs_sorting *sorting, const struct bs_sorted_hit *taken,
                               struct bs_error *err)
{
	size_t n;
	struct bs_sorted_hit *hits = hits_of(sorting, &n), kept, *hit = &kept;
	if (n >= sorting->k && (n == 0 || !is_behind(sorting, &hits[0], taken)))
		return BS_OK;
	kept = *taken;
	if (!kept.has_value)
		kept.value.tail = NULL;
	enum bs_status status = keep_tail(&kept, err);
	if (!status && n >= sorting->k) {
		free_tail(&hits[0]);
		replace_top(sorting, hits, n, hit);
		return BS_OK;
	}
	if (!status)
		status = bs_vector_append(&sorting->heap, hit, err);
	if (status) {
		free_tail(&kept);
		return status;
	}
	hits = hits_of(sorting, &n);
	size_t i = n - 1;
	for (; i > 0 && is_behind(sorting, hit, &hits[(i - 1) / 2]); i = (i - 1) / 2)
		hits[i] = hits[(i - 1) / 2];
	hits[i] = *hit;
	return BS_OK;
}

size_t bs_sorting_finish(struct bs_sorting *sorting, const struct bs_sorted_hit **hits_out)
{
	size_t n;
	struct bs_sorted_hit *hits = hits_of(sorting, &n);
	for (size_t left = n; left > 1; left--) {
		struct bs_sorted_hit last = hits[0], moved = hits[left - 1];
		replace_top(sorting, hits, left - 1, &moved);
		hits[left - 1] = last;
	}
	*hits_out = hits;
	return n;
}

/* The state of scanning a shard. */
struct sort_scan {
	struct bs_shard_scan *at;
	struct bs_sorting *sorting;
	const struct bs_value_table *table;
	/* The field in the segment. NULL: no document of the segment has a value in it, or is_known
	 * is false. */
	const struct bs_value_field *field;
	bool is_known; /* The segment's values of the field are known; there may be none. */
	bool is_trusted;
	/* The values of the field in the shard. NULL: no document of the shard has one. */
	const struct bs_value_part *part;
};

static void offer(struct sort_scan *scan, const struct bs_candidate *candidate)
{
	struct bs_shard_scan *at = scan->at;
	struct bs_sorted_hit hit = {
		.hit = {.segment = at->segment, .document = candidate->document}};
	uint32_t rank;
	if (scan->part &&
	    bs_value_part_rank(scan->part, candidate->row, scan->sorting->is_descending, &rank)) {
		at->status = bs_value_of_rank(scan->table, scan->field, rank, &hit.value, at->err);
		hit.has_value = true;
	}
	bool is_known =
		scan->is_known &&
		!(hit.has_value && bs_value_is_open_key(hit.value.bytes, hit.value.n_bytes));
	if (!at->status)
		at->status = scan->sorting->offer(scan->sorting->context, candidate, &hit, is_known,
		                                  at->err);
}

/* Finds the ranks of values that can still be among the first k. False: all can, or a failure. */
static bool find_bound(struct sort_scan *scan, struct bs_ranks *ranks)
{
	const struct bs_sorting *sorting = scan->sorting;
	struct bs_shard_scan *at = scan->at;
	size_t n;
	const struct bs_sorted_hit *last = hits_of(sorting, &n);
	if (!scan->is_trusted || !scan->is_known || sorting->is_exhaustive || n < sorting->k ||
	    n == 0 || !last->has_value)
		return false;
	*ranks = (struct bs_ranks){.n = 0};
	if (!scan->part)
		return true;
	uint32_t rank = 0, most = (uint32_t)((UINT64_C(1) << scan->field->n_slices) - 1);
	struct bs_value value = last->value;
	/* Values equal to that of the last hit are included. */
	value.is_behind = !sorting->is_descending;
	at->status = bs_value_rank(scan->table, scan->field, &value, &rank, at->err);
	ranks->n = sorting->is_descending ? rank < scan->field->n_values : rank > 0;
	ranks->spans[0].low = sorting->is_descending ? rank : 0;
	ranks->spans[0].last = sorting->is_descending ? most : rank - 1;
	return !at->status;
}

/* Drops the documents of the live blocks that cannot be among the first k. can_count: all documents
 * of the live blocks in frame 0 are hits, so the dropped ones are added to n_passed. */
static void drop(struct sort_scan *scan, bool can_count, struct bs_live *live)
{
	struct bs_shard_scan *at = scan->at;
	struct bs_and_frame *frames = at->scan->frames;
	uint64_t *scratch[2] = {frames[1].lines, frames[2].lines};
	struct bs_ranks ranks;
	if (!find_bound(scan, &ranks))
		return;
	uint64_t n_before = can_count ? at->kernel->lines.count(frames->lines, live) : 0;
	if (ranks.n > 0)
		at->stats->lines_read +=
			bs_value_part_keep(scan->part, at->kernel, &ranks, at->first_block,
		                           bs_scan_n_blocks(at), frames->lines, live, scratch);
	else
		memset(live, 0, sizeof(*live));
	scan->sorting->is_open |= !can_count;
	if (can_count)
		scan->sorting->n_passed += n_before - at->kernel->lines.count(frames->lines, live);
}

static void offer_blocks(struct sort_scan *scan, const struct bs_live *live, bool is_sure)
{
	struct bs_shard_scan *at = scan->at;
	struct bs_row_walk walk = bs_scan_walk(at, at->scan->frames[0].lines, live);
	struct bs_scan_row rows[BS_SCAN_TOGETHER];
	for (size_t n; !at->status && (n = bs_scan_take_rows(&walk, rows)) > 0;) {
		bs_scan_documents(at, rows, n);
		for (size_t i = 0; i < n && !at->status; i++) {
			struct bs_candidate candidate = {.row = rows[i].row,
			                                 .document = rows[i].document,
			                                 .is_sure = is_sure &&
			                                            !at->plan->scope.is_open};
			if (bs_scan_is_out(at, candidate.document))
				continue;
			at->stats->candidates++;
			offer(scan, &candidate);
		}
	}
}

static void sort_window(struct sort_scan *scan)
{
	struct bs_shard_scan *at = scan->at;
	struct bs_live live;
	bs_live_all(&live, bs_scan_n_blocks(at));
	bool is_sure = bs_scan_matches(at, &live);
	bool can_count = is_sure && bs_scan_has_all(at);
	for (uint32_t first = 0; first < bs_scan_n_blocks(at) && !at->status;
	     first += BLOCKS_TOGETHER) {
		uint64_t mask = (UINT64_C(1) << BLOCKS_TOGETHER) - 1;
		struct bs_live some = {{0}};
		some.words[first / 64] = live.words[first / 64] & mask << (first % 64);
		drop(scan, can_count, &some);
		if (!at->status)
			offer_blocks(scan, &some, is_sure);
	}
}

enum bs_status bs_scan_sorted(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                              const struct bs_kernel *kernel, bool is_trusted,
                              struct bs_sorting *sorting, struct bs_scan_stats *stats,
                              struct bs_error *err)
{
	const struct bs_segment *segment = bs_plan_segment(plan, s);
	const struct bs_value_table *table = &segment->values;
	struct bs_value_field field;
	bool has_field = false;
	enum bs_status status = bs_scan_start(scan, plan, 3, err);
	if (!status && table->is_there)
		status = bs_value_field_find(table, (const uint8_t *)sorting->field,
		                             (uint32_t)strlen(sorting->field), &has_field, &field,
		                             err);
	for (uint32_t i = 0; i < segment->meta.n_shards && !status; i++) {
		struct bs_shard_scan at = {scan,  plan, &segment->shards[i], kernel, stats, err, s,
		                           BS_OK, {0}};
		struct bs_value_part part;
		struct sort_scan sorted = {
			.at = &at, .sorting = sorting, .table = table, .is_trusted = is_trusted};
		sorted.field = has_field ? &field : NULL;
		sorted.is_known =
			has_field ||
			(table->is_there ? !table->is_partial : segment->field_names.n_bytes == 0);
		bool has_part = false;
		if (has_field)
			at.status = bs_value_part_find(table, &field, i, at.shard->n_docs,
			                               &has_part, &part, err);
		sorted.part = has_part ? &part : NULL;
		bs_scan_prefetch(plan, s, i + 1);
		for (; at.first_block < at.shard->n_blocks && !at.status;
		     at.first_block += BS_SHARD_MAX_BLOCKS)
			sort_window(&sorted);
		status = at.status;
	}
	return status;
}
