/*
 * pg_ordered.c: see pg_ordered.h.
 *
 * Rows that match are found and returned first, in pieces of growing size, because the number of
 * rows that the executor will fetch is unknown. Then the rows that do not match are returned, whose
 * distance is 0. Rows with NULL are among these although they sort last, so the executor is asked
 * to reorder them. If the index cannot rank (several distances, a query with another analysis, an
 * index of several columns), the executor sorts all rows: each is returned with the lower bound
 * -infinity.
 */
#include "bindings/postgresql/search/pg_ordered.h"

#include <math.h>

#include "access/relscan.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"

#include "bindings/postgresql/base/pg_array.h"
#include "bindings/postgresql/base/pg_document.h"
#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/search/pg_rank.h"
#include "bindings/postgresql/search/pg_search.h"
#include "bindings/postgresql/search/pg_strategy.h"
#include "bindings/postgresql/types/pg_parsed.h"
#include "core/bitsift/candidates.h"
#include "core/bitsift/search.h"

/* The number of rows of the first piece. Each further piece has GROWTH times as many as the one
 * before, up to 1 << 24. */
#define FIRST_PIECE 32
#define GROWTH      8

struct row {
	ItemPointerData tid;
	bool has_null;
	double score;
};

/* The rows that are being returned. */
enum step {
	MATCHES,
	OTHERS, /* those that do not match or, if the index cannot rank, all rows */
	END
};

/* A set of rows, sorted for bsearch by sort_set. */
struct row_set {
	struct bsp_rows rows; /* calls add_to_set, which adds rows to the set */
	struct ordered_tid {
		ItemPointerData tid;
		bool recheck;
	} * tids;
	size_t n, capacity;
	MemoryContext context;
};

struct bsp_ordered {
	struct bsp_view *view;
	MemoryContext context;
	struct bsp_query_datum *datum; /* NULL: the index cannot rank and returns all rows */
	bool by_statistics;            /* ranked by statistics that are not the index's own */
	struct row *rows;              /* the current piece */
	/* The next row to return is rows[at]. n_wanted: the number of rows of the next piece. */
	size_t n_rows, capacity, at, n_wanted;
	uint64 n_found; /* rows in all pieces so far */
	bool are_all;   /* the current piece contains the last match */
	enum step step;
	/* The scan also has the query itself as a condition (WHERE), so rows that do not match are
	 * omitted. */
	bool is_matching_only;
	/* The scan has conditions that were not evaluated here, so every row must be rechecked. */
	bool recheck;
	struct row_set condition; /* if has_condition: rows that are not in this set are skipped */
	bool has_condition;
	/* The rows that were returned as matches. They are skipped when the rows that do not match
	 * follow. */
	struct row_set found;
};

static void add_to_set(struct bsp_rows *rows, const ItemPointerData *tids, int n, bool recheck)
{
	struct row_set *set = (struct row_set *)rows;
	set->tids =
		bsp_grow(set->context, set->tids, set->n + n, &set->capacity, sizeof(*set->tids));
	for (int i = 0; i < n; i++)
		set->tids[set->n++] = (struct ordered_tid){tids[i], recheck};
}

static void sort_set(struct row_set *set)
{
	if (set->n > 1)
		qsort(set->tids, set->n, sizeof(*set->tids), bsp_compare_tids);
}

static const struct ordered_tid *find_in(const struct row_set *set, const ItemPointerData *tid)
{
	return set->n ? bsearch(tid, set->tids, set->n, sizeof(*set->tids), bsp_compare_tids)
	              : NULL;
}

/* True if both queries match the same rows. */
static bool is_same_query(const struct bsp_query *a, const struct bsp_query *b)
{
	uint8 both = BSP_QUERY_ANY | BSP_QUERY_FOLD_ACCENTS | BSP_QUERY_SPLIT_IDENTIFIERS;
	return (a->flags & both) == (b->flags & both) && a->text_bytes == b->text_bytes &&
	       a->stop_bytes == b->stop_bytes && a->stemmer_bytes == b->stemmer_bytes &&
	       memcmp(a->text, b->text, a->text_bytes) == 0 &&
	       memcmp(a->stop, b->stop, a->stop_bytes) == 0 &&
	       memcmp(a->stemmer, b->stemmer, a->stemmer_bytes) == 0;
}

/* Reads the scan's conditions. A condition that equals the query excludes rows that do not match.
 * The first other condition is evaluated; further ones are left to the recheck. */
static void read_conditions(struct bsp_ordered *ordered, IndexScanDesc scan)
{
	struct bsp_query query, other;
	if (ordered->datum)
		bsp_query_read(ordered->datum, &query);
	for (int i = 0; i < scan->numberOfKeys; i++) {
		ScanKey key = &scan->keyData[i];
		if (ordered->datum && key->sk_strategy == BSP_MATCH) {
			bsp_query_read(bsp_key_query(key), &other);
			if (is_same_query(&query, &other)) {
				ordered->is_matching_only = true;
				continue;
			}
		}
		ordered->recheck |= ordered->has_condition;
		if (ordered->has_condition)
			continue;
		ordered->has_condition = true;
		bsp_search(scan->indexRelation, ordered->view, key, &ordered->condition.rows);
		bsp_search_pending(ordered->view, &ordered->condition.rows);
		sort_set(&ordered->condition);
	}
}

/* True if the index can compute the distances. */
static bool can_rank(IndexScanDesc scan)
{
	struct bsp_query query;
	if (scan->numberOfOrderBys != 1 || (scan->orderByData->sk_flags & SK_ISNULL) ||
	    IndexRelationGetNumberOfKeyAttributes(scan->indexRelation) != 1)
		return false;
	bsp_query_read(bsp_key_query(scan->orderByData), &query);
	return bsp_is_answerable(scan->indexRelation, &query);
}

struct bsp_ordered *bsp_ordered_begin(IndexScanDesc scan)
{
	struct bsp_ordered *ordered = palloc0(sizeof(*ordered));
	struct bsp_query query;
	ordered->context = CurrentMemoryContext;
	ordered->n_wanted = FIRST_PIECE;
	ordered->condition.rows.take = ordered->found.rows.take = add_to_set;
	ordered->condition.context = ordered->found.context = CurrentMemoryContext;
	if (can_rank(scan)) {
		ordered->datum = bsp_key_query(scan->orderByData);
		(void)bsp_parsed(ordered->datum);
		bsp_query_read(ordered->datum, &query);
		if (query.statistics_bytes > 0 ||
		    query.index != RelationGetRelid(scan->indexRelation))
			ordered->by_statistics = bsp_statistics(ordered->datum, true) != NULL;
	}
	pgstat_count_index_scan(scan->indexRelation);
	ordered->view = bsp_view_acquire(scan->indexRelation, BSP_FOLD_ALL);
	ordered->step = ordered->datum ? MATCHES : OTHERS;
	read_conditions(ordered, scan);
	return ordered;
}

void bsp_ordered_end(struct bsp_ordered *ordered)
{
	if (!ordered)
		return;
	bsp_view_release(ordered->view);
	ordered->view = NULL;
}

static void add_row(struct bsp_ordered *ordered, const char *id, size_t id_bytes, double score)
{
	ordered->rows = bsp_grow(ordered->context, ordered->rows, ordered->n_rows + 1,
	                         &ordered->capacity, sizeof(*ordered->rows));
	ordered->rows[ordered->n_rows++] = (struct row){
		.tid = bsp_tid_of_id(id), .score = score, .has_null = id_bytes != BSP_ID_BYTES};
}

static void add_hit(void *context, const void *what)
{
	const struct bs_hit *hit = what;
	add_row(context, hit->id, hit->id_bytes, hit->score);
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	return bsp_call(add_hit, context, hit);
}

/* Finds the next piece of matches. A row with NULL may be among them if all words of the query are
 * negated; it is treated as a row that does not match. */
static void find_piece(struct bsp_ordered *ordered, IndexScanDesc scan)
{
	struct bsp_query query;
	struct bsp_query_strings strings;
	struct bs_search_request request;
	struct bs_search_result result = {.error_byte = SIZE_MAX};
	struct bs_error err = {""};
	bsp_query_read(ordered->datum, &query);
	bsp_query_search_request(&query, &strings, &request);
	request.output.mode = BS_SEARCH_TOP;
	request.output.limit = ordered->n_wanted;
	request.output.offset = ordered->n_found;
	request.query.statistics =
		ordered->by_statistics ? bsp_statistics(ordered->datum, false) : NULL;
	request.callbacks.hit = take_hit;
	request.callbacks.context = ordered;
	ordered->n_rows = ordered->at = 0;
	enum bs_status status =
		bs_search(bsp_view_searcher(ordered->view), &request, &result, &err);
	if (status == BS_INVALID)
		bsp_query_fail(status, &err, &query, result.error_byte);
	bsp_check(status, &err, scan->indexRelation);
	ordered->are_all = ordered->n_rows < ordered->n_wanted;
	ordered->n_found += ordered->n_rows;
	ordered->n_wanted = Min(ordered->n_wanted * GROWTH, (size_t)1 << 24);
	for (size_t i = 0; i < ordered->n_rows && !ordered->is_matching_only; i++)
		if (!ordered->rows[i].has_null)
			add_to_set(&ordered->found.rows, &ordered->rows[i].tid, 1, false);
}

static void add_others(void *context, const void *what)
{
	struct bsp_ordered *ordered = context;
	const struct bs_hit_batch *batch = what;
	for (size_t i = 0, at = 0; i < batch->n; at = batch->id_ends[i++]) {
		ItemPointerData tid = bsp_tid_of_id(batch->ids + at);
		if (!find_in(&ordered->found, &tid))
			add_row(ordered, batch->ids + at, batch->id_ends[i] - at, 0);
	}
}

static int take_others(void *context, const struct bs_hit_batch *batch)
{
	return bsp_call(add_others, context, batch);
}

/* Finds all rows of the index that are not in `found`; an empty pattern matches each row. */
static void find_others(struct bsp_ordered *ordered, IndexScanDesc scan)
{
	static const char *const patterns[] = {""};
	static const size_t pattern_bytes[] = {0};
	struct bs_candidates_request request = {
		.pattern = {.patterns = patterns, .pattern_bytes = pattern_bytes, .n_patterns = 1},
		.batch = take_others,
		.context = ordered,
		.limits = bsp_limits(),
	};
	struct bs_error err = {""};
	sort_set(&ordered->found);
	ordered->n_rows = ordered->at = 0;
	bsp_check(bs_candidates(bsp_view_searcher(ordered->view), &request, NULL, &err), &err,
	          scan->indexRelation);
}

/* Stores the next row of the piece in the scan. False if the piece has no more rows. */
static bool hand_out(struct bsp_ordered *ordered, IndexScanDesc scan)
{
	Oid types[INDEX_MAX_KEYS];
	IndexOrderByDistance distances[INDEX_MAX_KEYS];
	while (ordered->at < ordered->n_rows) {
		const struct row *row = &ordered->rows[ordered->at++];
		const struct ordered_tid *in =
			ordered->has_condition ? find_in(&ordered->condition, &row->tid) : NULL;
		bool is_match = ordered->step == MATCHES;
		if ((ordered->has_condition && !in) || (is_match && row->has_null))
			continue;
		for (int i = 0; i < scan->numberOfOrderBys; i++) {
			types[i] = FLOAT8OID;
			distances[i] =
				(IndexOrderByDistance){.value = !ordered->datum  ? -HUGE_VAL
			                                        : row->score > 0 ? -row->score
			                                                         : 0};
		}
		scan->xs_heaptid = row->tid;
		scan->xs_recheck = ordered->recheck || (in && in->recheck) ||
		                   (ordered->has_condition && row->has_null);
		index_store_float8_orderby_distances(scan, types, distances,
		                                     !ordered->datum || row->has_null);
		return true;
	}
	return false;
}

bool bsp_ordered_next(struct bsp_ordered *ordered, IndexScanDesc scan)
{
	while (!hand_out(ordered, scan)) {
		CHECK_FOR_INTERRUPTS();
		if (ordered->step == MATCHES && !ordered->are_all) {
			find_piece(ordered, scan);
		} else if (ordered->step == MATCHES && !ordered->is_matching_only) {
			ordered->step = OTHERS;
			find_others(ordered, scan);
		} else if (ordered->step == OTHERS && !ordered->datum && ordered->n_rows == 0) {
			find_others(ordered, scan);
			if (ordered->n_rows == 0)
				ordered->step = END;
		} else {
			return false;
		}
	}
	return true;
}
