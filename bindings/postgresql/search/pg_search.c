/* pg_search.c: see pg_search.h. */
#include "bindings/postgresql/search/pg_search.h"

#include "catalog/pg_collation.h"
#include "regex/regex.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "bindings/postgresql/base/pg_document.h"
#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/pattern/pg_letters.h"
#include "bindings/postgresql/pattern/pg_like.h"
#include "bindings/postgresql/pattern/pg_regex.h"
#include "bindings/postgresql/search/pg_prefilter.h"
#include "bindings/postgresql/search/pg_strategy.h"
#include "bindings/postgresql/types/pg_parsed.h"
#include "core/bitsift/candidates.h"
#include "core/bitsift/search.h"

/* The context of a callback that receives hits, whose ids are TIDs. */
struct taking {
	struct bsp_rows *rows;
	Relation index;
	struct bsp_prefilter *prefilter; /* nullable */
	bool never_certain;              /* all rows must be rechecked */
	bool keeps_null;                 /* rows with a NULL column are passed on for a recheck */
	int64 n_rows;                    /* rows passed on so far */
	/* Buffers for the rows of a batch that certainly match, and for those to recheck. */
	ItemPointerData *certain, *others;
	size_t capacity; /* of each buffer, in rows */
	MemoryContext context;
};

static void reserve(struct taking *taking, size_t n)
{
	if (n <= taking->capacity)
		return;
	if (taking->certain) {
		pfree(taking->certain);
		pfree(taking->others);
	}
	taking->capacity = Max(n, 1024);
	taking->certain =
		MemoryContextAlloc(taking->context, taking->capacity * sizeof(ItemPointerData));
	taking->others =
		MemoryContextAlloc(taking->context, taking->capacity * sizeof(ItemPointerData));
}

static void take(void *context, const void *what)
{
	struct taking *taking = context;
	const struct bs_hit_batch *batch = what;
	size_t n_certain = 0, n_others = 0, at = 0;
	reserve(taking, batch->n);
	for (size_t i = 0; i < batch->n; i++) {
		bool has_null = batch->id_ends[i] - at != BSP_ID_BYTES;
		ItemPointerData tid = bsp_tid_of_id(batch->ids + at);
		at = batch->id_ends[i];
		if (has_null && !taking->keeps_null)
			continue;
		if (has_null || taking->never_certain || batch->are_candidates[i])
			taking->others[n_others++] = tid;
		else
			taking->certain[n_certain++] = tid;
	}
	n_others = bsp_prefilter_rows(taking->prefilter, taking->others, n_others);
	taking->n_rows += (int64)(n_certain + n_others);
	if (n_certain > 0)
		taking->rows->take(taking->rows, taking->certain, (int)n_certain, false);
	if (n_others > 0)
		taking->rows->take(taking->rows, taking->others, (int)n_others, true);
}

static int take_batch(void *context, const struct bs_hit_batch *batch)
{
	return bsp_call(take, context, batch);
}

static struct taking taking_of(Relation index, struct bsp_rows *rows)
{
	/* With a single column, a row with NULL matches no condition. */
	return (struct taking){.rows = rows,
	                       .index = index,
	                       .context = CurrentMemoryContext,
	                       .keeps_null = IndexRelationGetNumberOfKeyAttributes(index) > 1};
}

static void free_taking(struct taking *taking)
{
	if (taking->certain) {
		pfree(taking->certain);
		pfree(taking->others);
	}
}

int64 bsp_search_pending(struct bsp_view *view, struct bsp_rows *rows)
{
	size_t n;
	const ItemPointerData *tids = bsp_view_pending(view, &n);
	if (n > 0)
		rows->take(rows, tids, (int)n, true);
	return (int64)n;
}

static int64 run_candidates(struct bsp_view *view, struct bs_candidates_request *request,
                            struct taking *taking)
{
	struct bs_error err = {""};
	request->batch = take_batch;
	request->context = taking;
	request->limits = bsp_limits();
	enum bs_status status = bs_candidates(bsp_view_searcher(view), request, NULL, &err);
	free_taking(taking);
	bsp_check(status, &err, taking->index);
	return taking->n_rows;
}

int64 bsp_search_all(Relation index, struct bsp_view *view, struct bsp_rows *rows)
{
	static const char *const patterns[] = {""};
	static const size_t pattern_bytes[] = {0};
	struct taking taking = taking_of(index, rows);
	struct bs_candidates_request request = {
		.pattern = {.patterns = patterns, .pattern_bytes = pattern_bytes, .n_patterns = 1}};
	taking.never_certain = true;
	return run_candidates(view, &request, &taking);
}

struct bsp_query_datum *bsp_key_query(ScanKey key)
{
	return BSP_QUERY_OF(key->sk_argument);
}

bool bsp_is_answerable(Relation index, const struct bsp_query *query)
{
	struct bsp_analysis analysis;
	bsp_index_analysis(index, &analysis);
	return bsp_query_is_analysed_as(query, &analysis);
}

/* Searches words. If the field of the column does not exist (BS_NOT_FOUND), no text has been
 * indexed for it; then all rows are returned for a recheck. */
static int64 search_query(Relation index, struct bsp_view *view, ScanKey key, struct bsp_rows *rows)
{
	struct bsp_query_datum *datum = bsp_key_query(key);
	struct bsp_query query;
	struct bsp_query_strings strings;
	struct bs_search_request request;
	struct bs_search_result result = {.error_byte = SIZE_MAX};
	struct bs_error err = {""};
	char field[BSP_FIELD_BYTES];
	struct taking taking = taking_of(index, rows);
	bsp_query_read(datum, &query);
	(void)bsp_parsed(datum);
	if (!bsp_is_answerable(index, &query))
		return bsp_search_all(index, view, rows);
	bsp_field_name(index, key->sk_attno, field);
	bsp_query_search_request(&query, &strings, &request);
	request.output.mode = BS_SEARCH_IDS;
	request.output.candidates = true;
	request.query.field = field[0] ? field : NULL;
	request.callbacks.batch = take_batch;
	request.callbacks.context = &taking;
	enum bs_status status = bs_search(bsp_view_searcher(view), &request, &result, &err);
	free_taking(&taking);
	if (status == BS_NOT_FOUND)
		return bsp_search_all(index, view, rows);
	if (status == BS_INVALID)
		bsp_query_fail(status, &err, &query, result.error_byte);
	bsp_check(status, &err, index);
	return taking.n_rows;
}

const struct bs_pattern_tree *bsp_key_pattern(ScanKey key, MemoryContext context)
{
	MemoryContext before = MemoryContextSwitchTo(context);
	text *pattern = DatumGetTextPP(key->sk_argument);
	const char *bytes = VARDATA_ANY(pattern);
	size_t n_bytes = VARSIZE_ANY_EXHDR(pattern);
	bool is_caseless = key->sk_strategy == BSP_ILIKE || key->sk_strategy == BSP_REGEX_CASELESS;
	struct bs_pattern_tree *tree;
	if (OidIsValid(key->sk_collation) && !get_collation_isdeterministic(key->sk_collation)) {
		/* LIKE throws for nondeterministic collations. All rows become candidates, so that
		 * the recheck throws. */
		tree = bsp_pattern_tree(is_caseless);
		bsp_pattern_tree_end(tree);
	} else if (key->sk_strategy == BSP_LIKE || key->sk_strategy == BSP_ILIKE) {
		tree = bsp_like_pattern(bytes, n_bytes, is_caseless, key->sk_collation);
	} else {
		/* An invalid expression must be an error even if there is no row to check. */
		(void)RE_compile_and_cache(pattern, REG_ADVANCED | (is_caseless ? REG_ICASE : 0),
		                           key->sk_collation);
		tree = bsp_regex_pattern(bytes, n_bytes, is_caseless, key->sk_collation);
	}
	MemoryContextSwitchTo(before);
	return tree;
}

/* Searches a pattern. Every row is rechecked: grams only select candidates, and they do not
 * distinguish the columns of the index. */
static int64 search_pattern(Relation index, struct bsp_view *view, ScanKey key,
                            struct bsp_rows *rows)
{
	MemoryContext own = AllocSetContextCreate(CurrentMemoryContext, "bitsift pattern",
	                                          ALLOCSET_SMALL_SIZES);
	struct taking taking = taking_of(index, rows);
	struct bs_candidates_request request = {.tree = bsp_key_pattern(key, own),
	                                        .batch = take_batch,
	                                        .context = &taking,
	                                        .limits = bsp_limits()};
	struct bs_error err = {""};
	taking.never_certain = true;
	taking.prefilter = bsp_prefilter_begin(index, key, request.tree, rows->snapshot, NULL);
	enum bs_status status = bs_candidates(bsp_view_searcher(view), &request, NULL, &err);
	free_taking(&taking);
	bsp_prefilter_end(taking.prefilter);
	MemoryContextDelete(own);
	bsp_check(status, &err, index);
	return taking.n_rows;
}

int64 bsp_search(Relation index, struct bsp_view *view, ScanKey key, struct bsp_rows *rows)
{
	if (key->sk_flags & SK_ISNULL)
		return 0;
	return key->sk_strategy == BSP_MATCH ? search_query(index, view, key, rows)
	                                     : search_pattern(index, view, key, rows);
}
