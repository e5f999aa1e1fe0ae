/* search.c: see search.h. The stages meet here and nowhere else. */
#include "core/bitsift/limits.h"
#include "core/bitsift/search.h"
#include "core/program/find.h"
#include "query/search/finder.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/text/words.h"
#include "query/answer/explain.h"
#include "query/plan/statistics.h"
#include "query/search/find_request.h"
#include "query/search/suggest.h"

/* Also while a source is read that a query before this one opened. */
static void tell(void *context, const char *message)
{
	const struct bs_finder *finder = context;
	if (finder->request && finder->request->notice)
		finder->request->notice(finder->request->context, message);
}

/* What reads texts: on the caller's thread, and on others. */
static enum bs_status make_readers(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_index *index = finder->index;
	enum bs_status status = bs_fetcher_new(&index->snapshot, index->proofs, tell, finder, &finder->fetcher, err);
	if (!status)
		status = bs_verify_crew_new(&index->snapshot, index->proofs, finder->fetcher, &finder->crew, err);
	if (status) {
		bs_fetcher_free(finder->fetcher);
		finder->fetcher = NULL;
	}
	return status;
}

enum bs_status bs_finder_new(const struct bs_index *index, struct bs_finder **finder_out, struct bs_error *err)
{
	struct bs_finder *finder = calloc(1, sizeof(*finder));
	*finder_out = NULL;
	if (!finder)
		return bs_fail_memory(err, "a finder", sizeof(*finder));
	finder->index = index;
	finder->account.most_bytes = UINT64_MAX;
	struct bs_account *before = bs_account_here;
	bs_account_here = &finder->account;
	enum bs_status status = bs_reading_init(&finder->reading, index, NULL, err);
	if (!status)
		status = make_readers(finder, err);
	bs_account_here = before;
	if (status) {
		bs_finder_free(finder);
		return status;
	}
	*finder_out = finder;
	return BS_OK;
}

/* All that a query makes again. */
static void give_back(struct bs_finder *finder)
{
	bs_filter_free(finder->filter);
	finder->filter = NULL;
	bs_named_deinit(&finder->named);
	bs_scan_deinit(&finder->scan);
	bs_scorer_deinit(&finder->scorer);
	bs_top_scan_deinit(&finder->best);
	bs_plan_deinit(&finder->plan);
	bs_sorting_deinit(&finder->sorting);
	bs_buffer_deinit(&finder->top.heap);
	bs_buffer_deinit(&finder->candidates);
	bs_buffer_deinit(&finder->hits);
	bs_buffer_deinit(&finder->marks);
	bs_batches_free(finder->batches);
	finder->batches = NULL;
	bs_passages_deinit(&finder->passages);
	bs_feedback_deinit(&finder->feedback);
	bs_buffer_deinit(&finder->best_hits);
	bs_buffer_deinit(&finder->like);
	bs_buffer_deinit(&finder->id);
	bs_buffer_deinit(&finder->local_id);
	bs_buffer_deinit(&finder->path);
	bs_buffer_deinit(&finder->snippet);
	bs_buffer_deinit(&finder->text);
	bs_document_texts_deinit(&finder->texts);
	finder->scan = (struct bs_scan){0};
	finder->best = (struct bs_top_scan){0};
	finder->feedback = (struct bs_feedback){0};
	finder->passages = (struct bs_passages){0};
}

void bs_finder_free(struct bs_finder *finder)
{
	if (!finder)
		return;
	struct bs_account *before = bs_account_here;
	bs_account_here = &finder->account;
	give_back(finder);
	bs_verify_crew_free(finder->crew);
	bs_reading_deinit(&finder->reading);
	bs_fetcher_free(finder->fetcher);
	bs_account_here = before;
	free(finder);
}

enum bs_status bs_finder_enter(struct bs_finder *finder, const struct bs_limits *limits, struct bs_finder_use *use,
                               struct bs_error *err)
{
	enum bs_status status = bs_watch_begin(&use->watch, limits, err);
	if (status)
		return status;
	finder->account.most_bytes = limits && limits->memory_bytes ? limits->memory_bytes : UINT64_MAX;
	use->account = bs_account_here;
	bs_account_here = &finder->account;
	return BS_OK;
}

void bs_finder_leave(struct bs_finder_use *use)
{
	bs_account_here = use->account;
	bs_watch_end(&use->watch);
}

struct bs_document_texts *bs_finder_texts(struct bs_finder *finder)
{
	return &finder->texts;
}

struct bs_fetcher *bs_finder_fetcher(struct bs_finder *finder)
{
	return finder->fetcher;
}

struct bs_reading *bs_finder_reading(struct bs_finder *finder)
{
	return &finder->reading;
}

/* By its value as its text is now. */
static enum bs_status sort_by_text(struct bs_finder *finder, const struct bs_hit *hit, struct bs_error *err)
{
	struct bs_sorted_hit sorted = {.hit = *hit};
	struct bs_document document;
	enum bs_fetched fetched;
	enum bs_status status = bs_fetch(finder->fetcher, hit->segment, hit->document, &document, &fetched, err);
	if (!status && fetched != BS_FETCHED_GONE && fetched != BS_FETCHED_FAILED)
		sorted.has_value = bs_sorting_value(&finder->sorting, document.fields, document.n_fields, &sorted.value);
	return status ? status : bs_sorting_take(&finder->sorting, &sorted, err);
}

static enum bs_status take_hit(struct bs_finder *finder, const struct bs_hit *hit, struct bs_error *err)
{
	finder->stats->hits++;
	if (finder->sorting.field)
		return sort_by_text(finder, hit, err);
	switch (finder->request->mode) {
	case BS_FIND_IDS:
		return bs_buffer_append(&finder->hits, hit, sizeof(*hit), err);
	case BS_FIND_TOP:
		return bs_top_offer(&finder->top, hit, err);
	case BS_FIND_COUNT:
		break;
	}
	return BS_OK;
}

/* Takes a document if it is a hit. */
static enum bs_status take_verified(struct bs_finder *finder, struct bs_doc_ref ref, const struct bs_verified *verified,
                                    struct bs_error *err)
{
	struct bs_hit hit = {.segment = ref.segment, .document = ref.document, .score = verified->score};
	bool is_hit = verified->is_hit;
	enum bs_status status = BS_OK;
	finder->stats->verified += verified->is_read;
	finder->stats->bytes_verified += verified->read_bytes;
	finder->stats->false_positives += verified->is_read && !is_hit;
	if (is_hit && finder->plan.is_open) {
		status = bs_filter_passes_text(finder->filter, ref, &is_hit, err);
		finder->stats->false_positives += !is_hit;
	}
	return !status && is_hit ? take_hit(finder, &hit, err) : status;
}

static enum bs_status verify_one(struct bs_finder *finder, uint32_t segment, uint32_t document, bool is_sure,
                                 struct bs_error *err)
{
	struct bs_doc_ref ref = {segment, document};
	struct bs_verified verified;
	finder->named.at = ref;
	enum bs_status status = bs_verify(&finder->verifier, ref, is_sure, &verified, err);
	return status ? status : take_verified(finder, ref, &verified, err);
}

/* What another thread found out, if one did, and if the finder's own sources say nothing else. */
static enum bs_status take_candidate(void *context, const struct bs_candidate *candidate, const struct bs_verified *verified,
                                     struct bs_error *err)
{
	struct bs_finder *finder = context;
	struct bs_doc_ref ref = {finder->segment, candidate->document};
	if (!verified->is_open && bs_fetch_agrees(finder->fetcher, ref.segment, ref.document))
		return take_verified(finder, ref, verified, err);
	return verify_one(finder, ref.segment, ref.document, candidate->is_sure, err);
}

/* As they are: nothing is read. */
static enum bs_status take_unverified(struct bs_finder *finder, uint32_t segment, struct bs_error *err)
{
	const struct bs_candidate *candidates = (const struct bs_candidate *)(const void *)finder->candidates.data;
	size_t n = finder->candidates.used_bytes / sizeof(*candidates);
	bool is_listed = finder->request->mode == BS_FIND_IDS;
	uint64_t n_maybe = 0;
	enum bs_status status = is_listed ? bs_buffer_reserve(&finder->hits, n * sizeof(struct bs_hit), err) : BS_OK;
	if (status)
		return status;
	struct bs_hit *hits = (struct bs_hit *)(void *)(finder->hits.data + finder->hits.used_bytes);
	for (size_t i = 0; i < n; i++) {
		n_maybe += !candidates[i].is_sure;
		if (is_listed)
			hits[i] = (struct bs_hit){.segment = segment, .document = candidates[i].document, .score = !candidates[i].is_sure};
	}
	finder->hits.used_bytes += is_listed ? n * sizeof(*hits) : 0;
	finder->stats->hits += n;
	finder->result->n_candidates += n_maybe;
	return BS_OK;
}

static enum bs_status verify(struct bs_finder *finder, uint32_t segment, struct bs_error *err)
{
	if (finder->request->candidates)
		return take_unverified(finder, segment, err);
	const struct bs_candidate *candidates = (const struct bs_candidate *)(const void *)finder->candidates.data;
	struct bs_verify_list list = {segment, candidates, finder->candidates.used_bytes / sizeof(*candidates), take_candidate, finder};
	finder->segment = segment;
	return bs_verify_many(finder->crew, &finder->verify_request, &list, finder->request->n_threads, err);
}

static enum bs_status make_filter(struct bs_finder *finder, struct bs_error *err)
{
	return finder->filter ? BS_OK : bs_filter_new(&finder->index->snapshot, finder->fetcher, &finder->filter, err);
}

enum bs_status bs_finder_has_place(struct bs_finder *finder, const char *path, bool *has_out, struct bs_error *err)
{
	enum bs_status status = make_filter(finder, err);
	return status ? status : bs_filter_has_place(finder->filter, path, has_out, err);
}

/* Which documents the request wants. Dates of a field whose texts are in the index are a range of the query. */
static enum bs_status begin_filter(struct bs_finder *finder, struct bs_query_range *within, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &finder->index->snapshot;
	bool is_any = true;
	finder->has_dates = finder->is_filtered = false;
	enum bs_status status = make_filter(finder, err);
	if (!status)
		status = bs_filter_begin(finder->filter, finder->request, &is_any, err);
	if (status || is_any)
		return status;
	finder->has_dates = bs_filter_dates(finder->filter, finder->request, &snapshot->manifest.fields, within);
	finder->is_filtered = !finder->has_dates || bs_filter_has_more(finder->filter);
	return BS_OK;
}

static enum bs_status parse(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	struct bs_query_options options = bs_reading_options(&finder->reading);
	struct bs_query_range within = {.field = 0};
	enum bs_status status = begin_filter(finder, &within, err);
	if (!status && request->field)
		status = bs_reading_keep_to_field(&finder->reading, request->field, &options, err);
	options.within = finder->has_dates ? &within : NULL;
	options.any = request->any;
	options.strict = request->strict_query;
	const struct bs_feedback *feedback = finder->taught ? finder->taught->feedback : &finder->feedback;
	options.terms = bs_feedback_taken(feedback);
	options.n_terms = bs_feedback_n_taken(feedback);
	if (!status)
		status = bs_reading_parse(&finder->reading, request->query, request->query_bytes, &options, &finder->query,
		                          &finder->result->error_byte, err);
	if (status)
		return status;
	finder->result->error_byte = SIZE_MAX;
	finder->own_weight = 0;
	for (size_t i = 0; i < finder->query->n_elements; i++)
		finder->own_weight += finder->query->elements[i].weight;
	void (*notice)(void *, const char *) = request->notice_query ? request->notice_query : request->notice;
	for (uint32_t i = 0; i < finder->query->n_notices && notice && !finder->is_feeding; i++)
		notice(request->context, finder->query->notices[i].text);
	return BS_OK;
}

static void notice_broad(struct bs_finder *finder, const struct bs_element *element)
{
	struct bs_error line;
	if (finder->request->brute || finder->is_feeding)
		return;
	bs_plan_tell_broad(element, &line);
	tell(finder, line.text);
}

/* Which documents the query wants by their names. */
static enum bs_status begin_names(struct bs_finder *finder, struct bs_error *err)
{
	bool is_brute = finder->request->brute || finder->index->has_other_words;
	finder->plan.filter = finder->is_filtered ? finder->filter : NULL;
	finder->plan.is_open = finder->is_filtered && !finder->has_dates && bs_filter_asks_text(finder->filter);
	finder->plan.named = &finder->named;
	finder->plan.left_out = (const struct bs_doc_ref *)(const void *)finder->like.data;
	finder->plan.n_left_out = finder->like.used_bytes / sizeof(struct bs_doc_ref);
	return bs_named_begin(&finder->named, &finder->plan, finder->reading.words,
	                                        is_brute ? NULL : finder->index->kernel, err);
}

static enum bs_status plan(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_index *index = finder->index;
	const struct bs_snapshot *snapshot = &index->snapshot;
	const struct bs_query_tree *query = finder->query;
	const struct bs_statistics *statistics = finder->request->statistics;
	enum bs_status status = bs_plan_make(&finder->plan, query, snapshot, err);
	finder->plan.statistics = statistics;
	if (!status && statistics)
		status = bs_statistics_check(statistics, query, err);
	if (!status)
		status = begin_names(finder, err);
	/* A brute search is what all others are compared with: it trusts nothing but the whole analysis. */
	bool is_brute = finder->request->brute || index->has_other_words;
	finder->verify_request = (struct bs_verify_request){
		.snapshot = snapshot,
		.plan = &finder->plan,
		.kernel = is_brute ? NULL : index->kernel,
		.is_scored = finder->request->mode == BS_FIND_TOP,
		.reads_whole = finder->request->exhaustive,
		.no_stat = finder->request->no_stat,
		.avgdl = finder->avgdl,
	};
	finder->verifier = (struct bs_verifier){
		.request = &finder->verify_request, .words = finder->reading.words, .fetcher = finder->fetcher};
	if (!status)
		status = bs_verifier_begin(&finder->verifier, err);
	for (size_t i = 0; i < query->n_elements && !status; i++)
		if (finder->plan.elements[i].is_too_broad)
			notice_broad(finder, &query->elements[i]);
	return status;
}

#define DOCUMENT_NS 5u /* what a look at one costs about */

/* Every document that is not deleted: what --brute looks at, and all that can be done with an overlay. */
static enum bs_status all_candidates(struct bs_finder *finder, uint32_t segment, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &finder->index->snapshot;
	enum bs_status status = BS_OK;
	for (uint32_t d = 0; d < bs_snapshot_segment_docs(snapshot, segment) && !status; d++) {
		status = bs_watch_spend(DOCUMENT_NS, err);
		struct bs_candidate candidate = {.document = d};
		bool passes = !bs_snapshot_is_deleted(snapshot, segment, d) &&
		              !bs_plan_leaves_out(&finder->plan, (struct bs_doc_ref){segment, d});
		if (passes && finder->plan.filter && !status)
			status = bs_filter_passes(finder->filter, (struct bs_doc_ref){segment, d}, &passes, err);
		if (status || !passes)
			continue;
		finder->stats->candidates++;
		status = bs_buffer_append(&finder->candidates, &candidate, sizeof(candidate), err);
	}
	return status;
}

/* While there is nothing to compare bounds with, so many documents are read after each slab: k and some. */
#define SETTLE_MORE 8

/* With --approx, so many are read at most of those that wait: for each document of the k wanted, and in any case. */
#define APPROX_FACTOR 4
#define APPROX_LEAST  100

/* A document that may be among the first. */
static enum bs_status offer_sorted(void *context, const struct bs_candidate *candidate, const struct bs_sorted_hit *hit,
                                   bool is_known, struct bs_error *err)
{
	struct bs_finder *finder = context;
	bool is_unchanged = finder->is_trusted;
	enum bs_status status = BS_OK;
	if (candidate->is_sure && is_known && !is_unchanged)
		status = bs_fetch_is_unchanged(finder->fetcher, hit->hit.segment, hit->hit.document, &is_unchanged, err);
	if (status)
		return status;
	if (!candidate->is_sure || !is_known || !is_unchanged)
		return verify_one(finder, hit->hit.segment, hit->hit.document, candidate->is_sure, err);
	finder->stats->hits++;
	return bs_sorting_take(&finder->sorting, hit, err);
}

/* What cannot be read comes up again when it is sorted by. */
static bool is_sortable(const struct bs_snapshot *snapshot, const uint8_t *name, uint32_t name_bytes)
{
	uint32_t number;
	struct bs_error why;
	bool has = false;
	return bs_term_table_find(&snapshot->manifest.fields, name, name_bytes, bs_hash_slot(name, name_bytes), &number) &&
	       (bs_snapshot_has_values(snapshot, name, name_bytes, &has, &why) || has);
}

/* What is meant by year:up may be year. */
static enum bs_status check_sort_field(struct bs_finder *finder, const char *field, struct bs_error *err)
{
	const struct bs_index *index = finder->index;
	const struct bs_term_table *fields = &index->snapshot.manifest.fields;
	const uint8_t *name = (const uint8_t *)field;
	struct bs_like_name like = {NULL, 0};
	size_t n_bytes = strlen(field);
	const struct bs_statistics *statistics = finder->request->statistics;
	if (is_sortable(&index->snapshot, name, (uint32_t)n_bytes) ||
	    (statistics && bs_statistics_has_values(statistics, name, (uint32_t)n_bytes)))
		return BS_OK;
	enum bs_status status = bs_suggest_field(fields, index->longest_field_bytes, NULL, name, n_bytes, &like, err);
	if (!status && !like.name)
		status = bs_suggest_field(fields, index->longest_field_bytes, NULL, name, strcspn(field, ": "), &like, err);
	if (status)
		return status;
	bool is_like = like.name && is_sortable(&index->snapshot, like.name, like.n_bytes);
	return bs_fail(err, BS_INVALID, "%s: no field with numbers or dates to sort by%s%.*s%s", *field ? field : "''", is_like ? ": did you mean " : "",
	               is_like ? (int)like.n_bytes : 0, is_like ? (const char *)like.name : "", is_like ? "?" : "");
}

static enum bs_status prepare_sorting(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	const char *field = request->sort_field;
	bs_sorting_clear(&finder->sorting);
	finder->sorting = (struct bs_sorting){
		.snapshot = &finder->index->snapshot,
		.field = field,
		.is_descending = request->sort_descending,
		.k = finder->n_best,
		.is_exhaustive = request->exhaustive,
		.offer = offer_sorted,
		.context = finder,
		.heap = finder->sorting.heap,
		.listed = finder->sorting.listed,
	};
	return field ? check_sort_field(finder, field, err) : BS_OK;
}

static enum bs_status prepare_ranking(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	struct bs_verify_request *verify = &finder->verify_request;
	finder->is_ranked = false;
	if (request->sort_field) {
		verify->is_scored = false;
		return BS_OK;
	}
	if (request->mode != BS_FIND_TOP || request->brute || finder->index->has_other_words)
		return BS_OK;
	enum bs_status status = bs_scorer_make(&finder->scorer, &finder->plan, verify->avgdl, err);
	size_t n_words = finder->scorer.n_words;
	/* Words of names may stand in no text. */
	verify->is_zero = !status && finder->scorer.is_complete && n_words == 0;
	finder->is_ranked = !status && !request->exhaustive && finder->scorer.is_complete && n_words > 0 &&
	                      n_words <= BS_TOP_SCAN_WORDS && finder->n_best > 0;
	/* Where nothing scores, the first in order are the best, and those who are sure need not be read. */
	verify->is_scored = false;
	for (size_t i = 0; i < finder->query->n_elements; i++)
		verify->is_scored |= finder->query->elements[i].weight > 0;
	return status;
}

static bool is_full(const struct bs_top *top)
{
	return bs_n_hits(&top->heap) >= top->k;
}

/* Reads up to so many of those that wait, in the order of their bounds, until none can be among the best. */
static enum bs_status verify_waiting(struct bs_finder *finder, size_t n_most, bool until_full, struct bs_error *err)
{
	struct bs_buffer *waiting = &finder->best.waiting;
	enum bs_status status = BS_OK;
	bs_finder_charge(finder, BS_STAGE_RANK);
	for (size_t n = 0; n < n_most && bs_n_hits(waiting) > 0 && !status && !(until_full && is_full(&finder->top)); n++) {
		struct bs_hit bound = bs_hits_pop(waiting);
		if (bs_top_scan_is_possible(&finder->best, bound.score))
			status = verify_one(finder, bound.segment, bound.document, false, err);
		else
			bs_buffer_clear(waiting);
	}
	bs_finder_charge(finder, BS_STAGE_VERIFY);
	return status;
}

static void end_filter(void *context)
{
	bs_finder_charge(context, BS_STAGE_SCAN);
}

static enum bs_status settle_slab(void *context, bool are_few, struct bs_error *err)
{
	struct bs_finder *finder = context;
	size_t n_waiting = bs_n_hits(&finder->best.waiting);
	bs_finder_charge(finder, BS_STAGE_RANK);
	if (n_waiting == 0 || (!are_few && (is_full(&finder->top) || n_waiting <= finder->n_best)))
		return BS_OK;
	return verify_waiting(finder, finder->n_best + SETTLE_MORE, !are_few, err);
}

/* Those that still wait. */
static enum bs_status settle_rest(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	size_t n_waiting = bs_n_hits(&finder->best.waiting);
	size_t n_most = request->approx ? finder->n_best * APPROX_FACTOR + APPROX_LEAST : SIZE_MAX;
	enum bs_status status = verify_waiting(finder, n_most, false, err);
	struct bs_error line;
	if (status || bs_n_hits(&finder->best.waiting) == 0)
		return status;
	(void)bs_fail(&line, BS_OK, "approximate: verified the best %zu of %zu candidates", n_most, n_waiting);
	tell(finder, line.text);
	return BS_OK;
}

/* Scores and bounds are of what was indexed. Where the sources of the best have changed since, they prove nothing. */
static enum bs_status are_hits_unchanged(struct bs_finder *finder, bool *unchanged_out, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &finder->index->snapshot;
	uint32_t overlay = snapshot->manifest.n_segments;
	size_t n_bytes = finder->top.heap.used_bytes;
	*unchanged_out = true;
	bs_buffer_clear(&finder->hits);
	enum bs_status status = n_bytes ? bs_buffer_append(&finder->hits, finder->top.heap.data, n_bytes, err) : BS_OK;
	struct bs_hit *hits = (struct bs_hit *)(void *)finder->hits.data;
	/* In document order, so that what has changed is told in that order. */
	if (!status)
		bs_sort_by_document(snapshot, hits, n_bytes / sizeof(*hits));
	for (size_t i = 0; i < n_bytes / sizeof(*hits) && *unchanged_out && !status; i++)
		if (hits[i].segment != overlay)
			status = bs_fetch_is_unchanged(finder->fetcher, hits[i].segment, hits[i].document, unchanged_out, err);
	bs_finder_charge(finder, BS_STAGE_VERIFY);
	return status;
}

/* Of the best so far, those whose sources have not changed: of others the score is not known. As many as there is time for. */
static enum bs_status keep_unchanged(struct bs_finder *finder, struct bs_error *err)
{
	size_t n = bs_n_hits(&finder->top.heap);
	bs_buffer_clear(&finder->hits);
	enum bs_status status = n ? bs_buffer_append(&finder->hits, finder->top.heap.data, n * sizeof(struct bs_hit), err) : BS_OK;
	const struct bs_hit *hits = (const struct bs_hit *)(const void *)finder->hits.data;
	bs_buffer_clear(&finder->top.heap);
	for (size_t i = 0; i < n && !status; i++) {
		bool is_unchanged = hits[i].segment == finder->index->snapshot.manifest.n_segments;
		if (!is_unchanged)
			status = bs_fetch_is_unchanged(finder->fetcher, hits[i].segment, hits[i].document, &is_unchanged, err);
		if (!status && is_unchanged)
			status = bs_top_offer(&finder->top, &hits[i], err);
	}
	finder->stats->hits -= n - bs_n_hits(&finder->top.heap);
	return bs_watch_ended(status) ? BS_OK : status;
}

/* Whether the matches in a segment are the documents that have one term, a word or a word pair, and so many as the lexicon
 * says; then adds them. */
static bool count_by_lexicon(struct bs_finder *finder, uint32_t segment)
{
	const struct bs_plan *plan = &finder->plan;
	if (finder->query->n_nodes > 1 || plan->filter || plan->n_left_out > 0 || finder->request->exhaustive || finder->index->snapshot.tombstones[segment])
		return false;
	uint32_t term = bs_plan_whole(plan, segment, 0);
	if (term == UINT32_MAX)
		return false;
	finder->stats->candidates += bs_plan_place(plan, segment, term)->df;
	finder->stats->hits += bs_plan_place(plan, segment, term)->df;
	return true;
}

static enum bs_status search_segment(struct bs_finder *finder, uint32_t segment, struct bs_error *err)
{
	const struct bs_index *index = finder->index;
	bool is_overlay = segment == index->snapshot.manifest.n_segments;
	bool brute = finder->request->brute || index->has_other_words || is_overlay;
	bs_buffer_clear(&finder->candidates);
	bool may_count = false;
	uint64_t n_counted = 0;
	enum bs_status status = BS_OK;
	if (!brute && finder->is_ranked) {
		status = bs_scan_top(&finder->scan, &finder->plan, segment, index->kernel, &finder->best, finder->stats, err);
		bs_finder_charge(finder, BS_STAGE_SCAN);
		return status;
	}
	if (!brute && finder->sorting.field) {
		status = bs_fetch_is_segment_unchanged(finder->fetcher, segment, &finder->is_trusted, err);
		if (!status)
			status = bs_scan_sorted(&finder->scan, &finder->plan, segment, index->kernel, finder->is_trusted,
			                        &finder->sorting, finder->stats, err);
		bs_finder_charge(finder, BS_STAGE_SCAN);
		return status;
	}
	if (finder->request->candidates)
		may_count = finder->request->mode == BS_FIND_COUNT;
	else if (!brute && finder->request->mode == BS_FIND_COUNT)
		status = bs_fetch_is_segment_unchanged(finder->fetcher, segment, &may_count, err);
	if (!status && !brute && may_count && count_by_lexicon(finder, segment))
		return BS_OK;
	if (!status)
		status = brute ? all_candidates(finder, segment, err)
		               : bs_scan_segment(&finder->scan, &finder->plan, segment, index->kernel,
		                                 &finder->candidates, may_count ? &n_counted : NULL, finder->stats, err);
	finder->stats->hits += n_counted;
	bs_finder_charge(finder, BS_STAGE_SCAN);
	if (!status)
		status = verify(finder, segment, err);
	bs_finder_charge(finder, BS_STAGE_VERIFY);
	return status;
}

static void start_top(struct bs_finder *finder)
{
	finder->top.snapshot = &finder->index->snapshot;
	finder->top.k = finder->n_best;
	bs_buffer_clear(&finder->top.heap);
	finder->best.scorer = &finder->scorer;
	finder->best.top = &finder->top;
	finder->best.settle = settle_slab;
	finder->best.filtered = end_filter;
	finder->best.context = finder;
	bs_buffer_clear(&finder->best.waiting);
	finder->stats->hits = 0;
}

static enum bs_status search_segments(struct bs_finder *finder, struct bs_error *err)
{
	enum bs_status status = bs_watch_ask(err);
	bool is_unchanged = true;
	start_top(finder);
	for (uint32_t s = 0; s <= finder->index->snapshot.manifest.n_segments && !status; s++)
		if (bs_snapshot_has_words(&finder->index->snapshot, s))
			status = search_segment(finder, s, err);
	if (!finder->is_ranked || status)
		return status;
	status = settle_rest(finder, err);
	finder->stats->threshold = bs_top_scan_threshold(&finder->best);
	if (!status)
		status = are_hits_unchanged(finder, &is_unchanged, err);
	if (status || is_unchanged)
		return status;
	finder->is_ranked = false;
	return search_segments(finder, err);
}

static enum bs_status explain(struct bs_finder *finder, bool is_done, struct bs_error *err)
{
	if (!finder->request->explain)
		return BS_OK;
	const struct bs_kernel *kernel = finder->index->kernel;
	enum bs_status status = BS_OK;
	bs_buffer_clear(&finder->text);
	/* Without the filter there is nothing that falls. */
	if (is_done && !finder->request->brute && !finder->index->has_other_words)
		status = bs_explain_waterfall(&finder->plan, kernel, &finder->scan, finder->stats, !finder->is_ranked,
		                              finder->program->explain_bars, &finder->text, err);
	if (!status)
		status = is_done ? bs_explain_stats(finder->stats, &finder->text, err)
		                 : bs_explain_plan(&finder->plan, finder->request->query, kernel, &finder->text, err);
	if (!status)
		finder->request->explain(finder->request->context, (const char *)finder->text.data, finder->text.used_bytes);
	return status;
}

/* A query's plan; finish() is to follow, whatever comes of it. */
static enum bs_status prepare(struct bs_finder *finder, struct bs_error *err)
{
	finder->since_ns = bs_now_ns();
	finder->query = NULL;
	finder->verifier = (struct bs_verifier){.request = NULL};
	finder->is_refused = false;
	bs_buffer_clear(&finder->hits);
	enum bs_status status = parse(finder, err);
	bs_finder_charge(finder, BS_STAGE_PARSE);
	return status ? status : plan(finder, err);
}

static void finish(struct bs_finder *finder)
{
	bs_verifier_end(&finder->verifier);
	bs_verify_crew_end(finder->crew);
	bs_query_tree_free(finder->query);
}

enum bs_status bs_finder_run(struct bs_finder *finder, struct bs_error *err)
{
	enum bs_status status = prepare(finder, err);
	if (!status)
		status = prepare_sorting(finder, err);
	if (!status)
		status = prepare_ranking(finder, err);
	bs_finder_charge(finder, BS_STAGE_PLAN);
	if (!status)
		status = explain(finder, false, err);
	finder->since_ns = bs_now_ns();
	bool is_planned = !status;
	if (!status)
		status = search_segments(finder, err);
	if (bs_finder_is_partial(finder, status))
		status = is_planned && finder->is_ranked ? keep_unchanged(finder, err) : BS_OK;
	if (!status && is_planned)
		status = bs_finder_show(finder, err);
	if (!status && finder->request->suggest && finder->stats->hits == 0 && !finder->result->is_partial)
		status = bs_suggest_words(&finder->plan, finder->reading.words_unstemmed != NULL, &finder->text, tell, finder, err);
	finder->stats->total_ns = 0;
	/* The total is the sum of the stages: showing (ids, snippets) is the caller's pleasure, not the search's
	 * cost. */
	for (int stage = 0; stage < BS_STAGES; stage++)
		finder->stats->total_ns += finder->stats->stage_ns[stage];
	if (!status && !finder->result->is_partial)
		status = explain(finder, true, err);
	/* There was no time for what is told beside the hits. */
	if (bs_finder_is_partial(finder, status))
		status = BS_OK;
	finish(finder);
	return status;
}

static enum bs_status begin(struct bs_finder *finder, const struct bs_find_request *request, struct bs_find_result *result,
                            struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &finder->index->snapshot;
	finder->request = request;
	finder->n_best = bs_find_request_wanted(request);
	finder->result = result;
	finder->stats = &result->stats;
	finder->sorting.n_passed = 0;
	finder->avgdl = request->statistics ? bs_statistics_avgdl(request->statistics)
	                                    : bs_bm25_avgdl(snapshot->n_docs, snapshot->n_positions);
	bs_fetch_begin(finder->fetcher, request->verbose, request->no_stat);
	return bs_finder_learn(finder, err);
}

const struct bs_index *bs_finder_index(const struct bs_finder *finder)
{
	return finder->index;
}

enum bs_status bs_finder_plan(struct bs_finder *finder, const struct bs_find_request *request,
                              enum bs_status (*use)(void *context, const struct bs_plan *plan, struct bs_scan *scan,
                                                    struct bs_error *err),
                              void *context, size_t *error_byte_out, struct bs_error *err)
{
	struct bs_find_request planned = *request;
	struct bs_find_result result = {.error_byte = SIZE_MAX};
	planned.mode = BS_FIND_COUNT;
	planned.approx = false;
	planned.batch = NULL;
	planned.offset = 0;
	planned.sort_field = NULL;
	struct bs_finder_use call;
	enum bs_status status = bs_find_request_check(&planned, err);
	if (!status)
		status = bs_finder_enter(finder, request->limits, &call, err);
	if (status)
		return status;
	status = begin(finder, &planned, &result, err);
	if (!status) {
		status = prepare(finder, err);
		if (!status)
			status = bs_watch_ask(err);
		if (!status)
			status = use(context, &finder->plan, &finder->scan, err);
		finish(finder);
	}
	bs_finder_leave(&call);
	finder->request = NULL;
	if (error_byte_out && status == BS_INVALID)
		*error_byte_out = result.error_byte;
	return status;
}

/* Whether some documents were passed over that may match, since they cannot be among the best. */
static bool is_count_open(const struct bs_finder *finder)
{
	const struct bs_query_stats *stats = finder->stats;
	bool has_unasked = finder->scorer.is_any && finder->scorer.n_words > 1 && stats->threshold > 0;
	return finder->is_ranked && (stats->blocks_skipped > 0 || stats->hits + stats->false_positives != stats->candidates ||
	                             has_unasked);
}

/* Gives all back that is more than a limit. After a failure it holds what it held. */
static enum bs_status renew(struct bs_finder *finder, struct bs_error *err)
{
	struct bs_fetcher *fetcher = finder->fetcher;
	struct bs_verify_crew *crew = finder->crew;
	uint64_t most_bytes = finder->account.most_bytes;
	finder->account.most_bytes = UINT64_MAX;
	enum bs_status status = make_readers(finder, err);
	finder->account.most_bytes = most_bytes;
	if (status) {
		finder->fetcher = fetcher;
		finder->crew = crew;
		return status;
	}
	give_back(finder);
	bs_verify_crew_free(crew);
	bs_fetcher_free(fetcher);
	return BS_OK;
}

/* With the watch and the account set. */
static enum bs_status find(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	struct bs_find_result *result = finder->result;
	bool is_too_much = finder->account.held_bytes > 0 && (uint64_t)finder->account.held_bytes > finder->account.most_bytes;
	enum bs_status status = is_too_much ? renew(finder, err) : BS_OK;
	uint64_t n_failures = bs_fetcher_failures(finder->fetcher);
	if (!status)
		status = begin(finder, request, result, err);
	if (!status)
		status = bs_finder_run(finder, err);
	else if (bs_finder_is_partial(finder, status))
		status = BS_OK;
	finder->request = NULL;
	if (status != BS_INVALID)
		result->error_byte = SIZE_MAX;
	result->stats.hits += request->sort_field && !status ? finder->sorting.n_passed : 0;
	result->n_hits = result->stats.hits;
	result->is_at_least = !status && (is_count_open(finder) || (finder->sorting.field && finder->sorting.is_open) ||
	                                  result->is_partial);
	result->changes = *bs_fetcher_changes(finder->fetcher);
	result->n_unreadable = bs_fetcher_failures(finder->fetcher) - n_failures + finder->index->n_unfollowed;
	return status;
}

enum bs_status bs_find(struct bs_finder *finder, const struct bs_find_request *request,
                       struct bs_find_result *result_out, struct bs_error *err)
{
	return bs_find_for_program(finder, request, NULL, result_out, err);
}

enum bs_status bs_find_for_program(struct bs_finder *finder, const struct bs_find_request *request,
                                   const struct bs_find_program *program, struct bs_find_result *result_out,
                                   struct bs_error *err)
{
	static const struct bs_find_program none;
	struct bs_find_result own, *result = result_out ? result_out : &own;
	struct bs_finder_use use;
	*result = (struct bs_find_result){.error_byte = SIZE_MAX};
	enum bs_status status = bs_find_request_check(request, err);
	if (!status)
		status = bs_finder_enter(finder, request->limits, &use, err);
	if (status)
		return status;
	uint64_t start_ns = finder->index->log ? bs_now_ns() : 0;
	finder->request = request;
	finder->program = program ? program : &none;
	finder->result = result;
	finder->stats = &result->stats;
	status = find(finder, err);
	bs_finder_leave(&use);
	if (finder->index->log)
		bs_find_request_log(finder->index->log, request, result, status, bs_now_ns() - start_ns, err);
	return status;
}
