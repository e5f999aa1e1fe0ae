/* search.c: see search.h. The stages meet here and nowhere else. */
#include "query/search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/text/words.h"
#include "corpus/changes/fresh.h"
#include "query/search/explain.h"
#include "query/search/fetch.h"
#include "query/search/match.h"
#include "query/search/plan.h"
#include "query/search/rank.h"
#include "query/search/scan_top.h"
#include "query/search/scorer.h"
#include "query/search/snippet.h"
#include "query/search/verify.h"

/* ---- an opened index ---- */

static enum bs_status collect_fields(struct bs_search *search, struct bs_error *err)
{
	enum bs_status status = bs_manifest_number_fields(&search->snapshot.manifest, err);
	char *const *names = search->snapshot.manifest.fields;
	if (status)
		return status;
	free(search->fields);
	search->longest_field_bytes = 0;
	search->n_fields = bs_strings_length(names);
	search->fields = calloc(search->n_fields + 1, sizeof(*search->fields));
	if (!search->fields)
		return bs_fail_memory(err, "names of fields", (search->n_fields + 1) * sizeof(*search->fields));
	for (size_t i = 0; i < search->n_fields; i++) {
		size_t name_bytes = strlen(names[i]);
		search->fields[i] = (struct bs_query_field){.name = names[i], .name_bytes = name_bytes};
		if (name_bytes > search->longest_field_bytes && name_bytes <= BS_QUERY_MAX_FIELD_BYTES)
			search->longest_field_bytes = (uint32_t)name_bytes;
	}
	return BS_OK;
}

struct freshen_notices {
	struct bs_search *search;
	void (*notice)(void *context, const char *message);
	void *context;
	uint64_t n_unread;
};

/* Binary files and links are passed over as in indexing; what should have been a document is named. */
static void tell_skipped(void *context, enum bs_skip reason, const char *message)
{
	struct freshen_notices *notices = context;
	notices->search->n_unfollowed += reason == BS_SKIP_UNTRUSTED;
	bool is_told = reason > BS_SKIP_SPECIAL;
	if (reason == BS_SKIP_UNREADABLE)
		is_told = ++notices->n_unread <= BS_FETCH_TOLD_FAILURES;
	if (notices->notice && is_told)
		notices->notice(notices->context, message);
}

enum bs_status bs_search_freshen(struct bs_search *search, void (*notice)(void *context, const char *message),
                                 void *context, struct bs_error *err)
{
	struct freshen_notices notices = {search, notice, context, 0};
	struct bs_error line;
	enum bs_status status = bs_snapshot_freshen(&search->snapshot, tell_skipped, &notices, &search->n_unread, err);
	if (notice && notices.n_unread > BS_FETCH_TOLD_FAILURES) {
		(void)bs_fail(&line, BS_IO, "%llu files, folders and sources cannot be read", (unsigned long long)notices.n_unread);
		notice(context, line.text);
	}
	return status ? status : collect_fields(search, err);
}

enum bs_status bs_search_open(const char *path, const struct bs_consent *consent, const char *kernel_name,
                              struct bs_search *search_out, struct bs_error *err)
{
	*search_out = (struct bs_search){.dir = {.fd = -1}};
	enum bs_status status = bs_kernel_choose(kernel_name, &search_out->kernel, err);
	if (!status)
		status = bs_dir_open(&search_out->dir, path, consent, err);
	if (!status)
		status = bs_snapshot_open(&search_out->dir, &search_out->snapshot, err);
	if (!status)
		status = bs_manifest_is_other_unicode(&search_out->snapshot.manifest, &search_out->is_other_unicode, err);
	/* Silence would look like no match. */
	if (!status && !search_out->snapshot.manifest.options.words)
		status = bs_fail(err, BS_INVALID, "%s: an index of grams alone, which knows no words; `bitsift index --rebuild` makes "
		                 "one of both", path);
	if (!status)
		status = collect_fields(search_out, err);
	if (status)
		bs_search_deinit(search_out);
	return status;
}

void bs_search_deinit(struct bs_search *search)
{
	bs_snapshot_deinit(&search->snapshot);
	bs_dir_close(&search->dir);
	free(search->fields);
	*search = (struct bs_search){0};
}

/* ---- a searcher ---- */

struct bs_searcher {
	const struct bs_search *search;
	struct bs_search_sink sink;
	struct bs_words *words;
	struct bs_words *words_unstemmed; /* NULL: words does not stem */
	struct bs_fetcher *fetcher;
	struct bs_scan *scan;
	struct bs_plan plan;
	struct bs_buffer candidates;
	struct bs_buffer expected; /* u32 each */
	struct bs_buffer hits;  /* struct bs_hit each */
	struct bs_buffer marks; /* struct bs_snippet_hit each */
	struct bs_buffer id, path, snippet, text;
	/* The query being run. */
	const struct bs_search_request *request;
	struct bs_query *query;
	struct bs_matcher *matcher;
	struct bs_verifier verifier;
	struct bs_top top;
	struct bs_query_stats *stats;
	double avgdl;
	uint64_t since_ns;      /* when the stage under way began */
	struct bs_scorer scorer;
	struct bs_top_scan best;
	bool is_ranked;         /* the k best are found by bounds (scan_top.h), not by scoring every match */
};

enum bs_status bs_searcher_new(const struct bs_search *search, const struct bs_search_sink *sink,
                               struct bs_searcher **searcher_out, struct bs_error *err)
{
	const struct bs_index_options *options = &search->snapshot.manifest.options;
	struct bs_words_options words = {.stem_language = options->stem_language, .fold_accents = options->fold_accents};
	struct bs_words_options unstemmed = {.fold_accents = options->fold_accents};
	struct bs_searcher *searcher = calloc(1, sizeof(*searcher));
	*searcher_out = NULL;
	if (!searcher)
		return bs_fail_memory(err, "a searcher", sizeof(*searcher));
	searcher->search = search;
	searcher->sink = *sink;
	enum bs_status status = bs_words_new(&words, &searcher->words, err);
	if (!status && options->stem_language)
		status = bs_words_new(&unstemmed, &searcher->words_unstemmed, err);
	if (!status)
		status = bs_fetcher_new(&search->snapshot, sink->notice, sink->context, &searcher->fetcher, err);
	if (!status)
		status = bs_scan_new(&searcher->scan, err);
	if (status) {
		bs_searcher_free(searcher);
		return status;
	}
	*searcher_out = searcher;
	return BS_OK;
}

void bs_searcher_free(struct bs_searcher *searcher)
{
	if (!searcher)
		return;
	bs_words_free(searcher->words);
	bs_words_free(searcher->words_unstemmed);
	bs_fetcher_free(searcher->fetcher);
	bs_scan_free(searcher->scan);
	bs_scorer_deinit(&searcher->scorer);
	bs_top_scan_deinit(&searcher->best);
	bs_plan_deinit(&searcher->plan);
	bs_buffer_deinit(&searcher->candidates);
	bs_buffer_deinit(&searcher->expected);
	bs_buffer_deinit(&searcher->hits);
	bs_buffer_deinit(&searcher->marks);
	bs_buffer_deinit(&searcher->id);
	bs_buffer_deinit(&searcher->path);
	bs_buffer_deinit(&searcher->snippet);
	bs_buffer_deinit(&searcher->text);
	free(searcher);
}

uint64_t bs_searcher_failures(const struct bs_searcher *searcher)
{
	return bs_fetcher_failures(searcher->fetcher) + searcher->search->n_unfollowed;
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Charges the time since the last charge to a stage. */
static void charge(struct bs_searcher *searcher, enum bs_stage stage)
{
	uint64_t now = now_ns();
	searcher->stats->stage_ns[stage] += now - searcher->since_ns;
	searcher->since_ns = now;
}

/* ---- verifying ---- */

static enum bs_status take_hit(struct bs_searcher *searcher, const struct bs_hit *hit, struct bs_error *err)
{
	searcher->stats->hits++;
	switch (searcher->request->mode) {
	case BS_SEARCH_IDS:
		return bs_buffer_append(&searcher->hits, hit, sizeof(*hit), err);
	case BS_SEARCH_TOP:
		return bs_top_offer(&searcher->top, hit, err);
	case BS_SEARCH_COUNT:
		break;
	}
	return BS_OK;
}

/* The candidates whose text will be read, so that neighbours are read together. */
static enum bs_status expect(struct bs_searcher *searcher, uint32_t segment, const struct bs_candidate *candidates,
                             size_t n, struct bs_error *err)
{
	bool is_scored = searcher->verifier.is_scored;
	struct bs_buffer *expected = &searcher->expected;
	bs_buffer_clear(expected);
	enum bs_status status = bs_buffer_reserve(expected, n * sizeof(uint32_t), err);
	uint32_t *documents = (uint32_t *)(void *)expected->data;
	size_t n_expected = 0;
	for (size_t i = 0; i < n && !status; i++)
		if (is_scored || !candidates[i].is_sure)
			documents[n_expected++] = candidates[i].document;
	if (!status)
		bs_fetch_expect(searcher->fetcher, segment, documents, n_expected);
	return status;
}

static enum bs_status verify(struct bs_searcher *searcher, uint32_t segment, struct bs_error *err)
{
	const struct bs_candidate *candidates = (const struct bs_candidate *)(const void *)searcher->candidates.data;
	size_t n = searcher->candidates.used_bytes / sizeof(*candidates);
	enum bs_status status = n > 0 ? expect(searcher, segment, candidates, n, err) : BS_OK;
	for (size_t i = 0; i < n && !status; i++) {
		struct bs_hit hit = {.segment = segment, .document = candidates[i].document};
		bool is_hit;
		status = bs_verify(&searcher->verifier, segment, &candidates[i], &is_hit, &hit.score, err);
		if (!status && is_hit)
			status = take_hit(searcher, &hit, err);
	}
	return status;
}

/* ---- the stages ---- */

static enum bs_status parse(struct bs_searcher *searcher, size_t *error_byte_out, struct bs_error *err)
{
	const struct bs_search_request *request = searcher->request;
	struct bs_query_options options = {
		.words = searcher->words,
		.words_unstemmed = searcher->words_unstemmed,
		.fields = &searcher->search->snapshot.manifest.field_numbers,
		.longest_field_bytes = searcher->search->longest_field_bytes,
		.any = request->any,
	};
	enum bs_status status = bs_query_parse(request->text, request->text_bytes, &options, &searcher->query,
	                                       error_byte_out, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < searcher->query->n_warnings && i < BS_QUERY_WARNINGS && searcher->sink.notice; i++)
		searcher->sink.notice(searcher->sink.context, searcher->query->warnings[i].text);
	return BS_OK;
}

static void notice_broad(struct bs_searcher *searcher, const struct bs_element *element)
{
	struct bs_error line;
	int n_bytes = element->term_bytes < 100 ? (int)element->term_bytes : 100;
	if (searcher->request->brute || !searcher->sink.notice)
		return;
	(void)bs_fail(&line, BS_OK, "%.*s%s stands for more than %u words of this index; answering without it first, by "
	              "reading more documents: a longer word is faster", n_bytes, (const char *)element->term,
	              element->kind == BS_ELEMENT_PREFIX ? "*" : "~", BS_PLAN_MAX_EXPANSION);
	searcher->sink.notice(searcher->sink.context, line.text);
}

static enum bs_status plan(struct bs_searcher *searcher, struct bs_error *err)
{
	const struct bs_search *search = searcher->search;
	const struct bs_snapshot *snapshot = &search->snapshot;
	const struct bs_query *query = searcher->query;
	enum bs_status status = bs_plan_make(&searcher->plan, query, snapshot, err);
	if (!status)
		status = bs_matcher_new(query, search->fields, searcher->words, &searcher->matcher, err);
	/* A brute search is what all others are compared with: it trusts nothing but the whole analysis. */
	if (!status && !searcher->request->brute && !search->is_other_unicode)
		status = bs_byte_verifier_new(&searcher->plan, search->fields, searcher->words, search->kernel,
		                     &searcher->verifier.byte_verifier, err);
	for (size_t i = 0; i < query->n_elements && !status; i++)
		if (searcher->plan.elements[i].is_too_broad)
			notice_broad(searcher, &query->elements[i]);
	searcher->avgdl = snapshot->n_docs ? (double)snapshot->n_positions / (double)snapshot->n_docs : 1;
	if (searcher->avgdl <= 0)
		searcher->avgdl = 1;
	searcher->verifier.snapshot = snapshot;
	searcher->verifier.fetcher = searcher->fetcher;
	searcher->verifier.matcher = searcher->matcher;
	searcher->verifier.stats = searcher->stats;
	searcher->verifier.is_scored = searcher->request->mode == BS_SEARCH_TOP;
	searcher->verifier.avgdl = searcher->avgdl;
	return status;
}

/* Every document that is not deleted: what --brute looks at, and all that can be done with an overlay. */
static enum bs_status all_candidates(struct bs_searcher *searcher, uint32_t segment, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &searcher->search->snapshot;
	enum bs_status status = BS_OK;
	for (uint32_t d = 0; d < bs_snapshot_segment_docs(snapshot, segment) && !status; d++) {
		struct bs_candidate candidate = {.document = d};
		if (bs_snapshot_is_deleted(snapshot, segment, d))
			continue;
		searcher->stats->candidates++;
		status = bs_buffer_append(&searcher->candidates, &candidate, sizeof(candidate), err);
	}
	return status;
}

/* ---- the k best, by bounds ---- */

/* Of a prefix that stands for more words than this, or a longer query, every match is scored. */
#define RANKED_MAX_WORDS 64u

/* While there is nothing to compare bounds with, so many documents are read after each slab: k and some. */
#define SETTLE_MORE 8

/* With --approx, so many are read at most of those that wait: for each document of the k wanted, and in any case. */
#define APPROX_FACTOR 4
#define APPROX_LEAST  100

static enum bs_status prepare_ranking(struct bs_searcher *searcher, struct bs_error *err)
{
	const struct bs_search_request *request = searcher->request;
	searcher->is_ranked = false;
	if (request->mode != BS_SEARCH_TOP || request->brute || searcher->search->is_other_unicode)
		return BS_OK;
	enum bs_status status = bs_scorer_make(&searcher->scorer, &searcher->plan, searcher->avgdl, err);
	size_t n_words = searcher->scorer.n_words;
	searcher->is_ranked = !status && !request->exhaustive && searcher->scorer.is_complete && n_words > 0 &&
	                      n_words <= RANKED_MAX_WORDS && request->k > 0;
	/* Where nothing scores, the first in order are the best, and those who are sure need not be read. */
	searcher->verifier.is_scored = false;
	for (size_t i = 0; i < searcher->query->n_elements; i++)
		searcher->verifier.is_scored |= searcher->query->elements[i].is_scored;
	return status;
}

static bool is_full(const struct bs_top *top)
{
	return top->heap.used_bytes / sizeof(struct bs_hit) >= top->k;
}

/* Reads a document that waits. */
static enum bs_status verify_bound(struct bs_searcher *searcher, const struct bs_bound *bound, struct bs_error *err)
{
	struct bs_candidate candidate = {.document = bound->document};
	struct bs_hit hit = {.segment = bound->segment, .document = bound->document};
	bool is_hit;
	enum bs_status status = bs_verify(&searcher->verifier, bound->segment, &candidate, &is_hit, &hit.score, err);
	return !status && is_hit ? take_hit(searcher, &hit, err) : status;
}

/* Reads up to so many of those that wait, in the order of their bounds, until none can be among the best. */
static enum bs_status verify_waiting(struct bs_searcher *searcher, size_t n_most, bool until_full, struct bs_error *err)
{
	struct bs_bound bound;
	enum bs_status status = BS_OK;
	charge(searcher, BS_STAGE_RANK);
	for (size_t n = 0; n < n_most && !status && !(until_full && is_full(&searcher->top)); n++) {
		if (!bs_top_scan_next(&searcher->best, &bound))
			break;
		if (bs_top_scan_is_possible(&searcher->best, bound.most))
			status = verify_bound(searcher, &bound, err);
		else
			bs_buffer_clear(&searcher->best.waiting);
	}
	charge(searcher, BS_STAGE_VERIFY);
	return status;
}

static void end_filter(void *context)
{
	charge(context, BS_STAGE_SCAN);
}

static enum bs_status settle_slab(void *context, bool are_few, struct bs_error *err)
{
	struct bs_searcher *searcher = context;
	size_t n_waiting = bs_top_scan_n_waiting(&searcher->best);
	charge(searcher, BS_STAGE_RANK);
	if (n_waiting == 0 || (!are_few && (is_full(&searcher->top) || n_waiting <= searcher->request->k)))
		return BS_OK;
	return verify_waiting(searcher, searcher->request->k + SETTLE_MORE, !are_few, err);
}

/* Those that still wait. */
static enum bs_status settle_rest(struct bs_searcher *searcher, struct bs_error *err)
{
	const struct bs_search_request *request = searcher->request;
	size_t n_waiting = bs_top_scan_n_waiting(&searcher->best);
	size_t n_most = request->approx ? request->k * APPROX_FACTOR + APPROX_LEAST : SIZE_MAX;
	enum bs_status status = verify_waiting(searcher, n_most, false, err);
	struct bs_error line;
	if (status || bs_top_scan_n_waiting(&searcher->best) == 0 || !searcher->sink.notice)
		return status;
	(void)bs_fail(&line, BS_OK, "approximate: verified the best %zu of %zu candidates", n_most, n_waiting);
	searcher->sink.notice(searcher->sink.context, line.text);
	return BS_OK;
}

/* Scores and bounds are of what was indexed. Where the sources of the best have changed since, they prove nothing. */
static enum bs_status are_hits_unchanged(struct bs_searcher *searcher, bool *unchanged_out, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &searcher->search->snapshot;
	uint32_t overlay = snapshot->manifest.n_segments;
	size_t n_bytes = searcher->top.heap.used_bytes;
	*unchanged_out = true;
	bs_buffer_clear(&searcher->hits);
	enum bs_status status = n_bytes ? bs_buffer_append(&searcher->hits, searcher->top.heap.data, n_bytes, err) : BS_OK;
	struct bs_hit *hits = (struct bs_hit *)(void *)searcher->hits.data;
	/* In document order, so that what has changed is told in that order. */
	if (!status)
		bs_sort_by_document(snapshot, hits, n_bytes / sizeof(*hits));
	for (size_t i = 0; i < n_bytes / sizeof(*hits) && *unchanged_out && !status; i++)
		if (hits[i].segment != overlay)
			status = bs_fetch_is_unchanged(searcher->fetcher, hits[i].segment, hits[i].document, unchanged_out, err);
	charge(searcher, BS_STAGE_VERIFY);
	return status;
}

/* ---- segments ---- */

static enum bs_status rank_segment(struct bs_searcher *searcher, uint32_t segment, struct bs_error *err)
{
	enum bs_status status = bs_scan_top(searcher->scan, &searcher->plan, segment, searcher->search->kernel,
	                                     &searcher->best, searcher->stats, err);
	charge(searcher, BS_STAGE_SCAN);
	return status;
}

static enum bs_status search_segment(struct bs_searcher *searcher, uint32_t segment, struct bs_error *err)
{
	const struct bs_search *search = searcher->search;
	bool is_overlay = segment == search->snapshot.manifest.n_segments;
	bool brute = searcher->request->brute || search->is_other_unicode || is_overlay;
	bs_buffer_clear(&searcher->candidates);
	bool may_count = false;
	uint64_t n_counted = 0;
	enum bs_status status = BS_OK;
	if (!brute && searcher->is_ranked)
		return rank_segment(searcher, segment, err);
	if (!brute && searcher->request->mode == BS_SEARCH_COUNT)
		status = bs_fetch_is_segment_unchanged(searcher->fetcher, segment, &may_count, err);
	if (!status)
		status = brute ? all_candidates(searcher, segment, err)
		               : bs_scan_segment(searcher->scan, &searcher->plan, segment, search->kernel,
		                                 &searcher->candidates, may_count ? &n_counted : NULL, searcher->stats, err);
	searcher->stats->hits += n_counted;
	charge(searcher, BS_STAGE_SCAN);
	if (!status)
		status = verify(searcher, segment, err);
	charge(searcher, BS_STAGE_VERIFY);
	return status;
}

static void start_top(struct bs_searcher *searcher)
{
	bs_top_deinit(&searcher->top);
	searcher->top = (struct bs_top){.snapshot = &searcher->search->snapshot, .k = searcher->request->k};
	searcher->best.scorer = &searcher->scorer;
	searcher->best.top = &searcher->top;
	searcher->best.settle = settle_slab;
	searcher->best.filtered = end_filter;
	searcher->best.context = searcher;
	bs_buffer_clear(&searcher->best.waiting);
	searcher->stats->hits = 0;
}

static enum bs_status search_segments(struct bs_searcher *searcher, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool is_unchanged = true;
	start_top(searcher);
	for (uint32_t s = 0; s <= searcher->search->snapshot.manifest.n_segments && !status; s++)
		status = search_segment(searcher, s, err);
	if (!searcher->is_ranked || status)
		return status;
	status = settle_rest(searcher, err);
	searcher->stats->threshold = bs_top_scan_threshold(&searcher->best);
	if (!status)
		status = are_hits_unchanged(searcher, &is_unchanged, err);
	if (status || is_unchanged)
		return status;
	searcher->is_ranked = false;
	return search_segments(searcher, err);
}

/* ---- showing ---- */

static enum bs_status make_snippet(struct bs_searcher *searcher, const struct bs_hit *hit, struct bs_error *err)
{
	const struct bs_search_request *request = searcher->request;
	struct bs_snippet_options options = {.mark_start = request->mark_start, .mark_stop = request->mark_stop};
	struct bs_document document;
	enum bs_fetched fetched;
	bs_buffer_clear(&searcher->snippet);
	bs_buffer_clear(&searcher->marks);
	enum bs_status status = bs_fetch(searcher->fetcher, hit->segment, hit->document, &document, &fetched, err);
	if (status || fetched == BS_FETCHED_GONE || fetched == BS_FETCHED_FAILED)
		return status;
	status = bs_match_hits(searcher->matcher, document.fields, document.n_fields, &searcher->marks, err);
	if (status)
		return status;
	return bs_snippet_write(document.fields, document.n_fields,
	                        (const struct bs_snippet_hit *)(const void *)searcher->marks.data,
	                        searcher->marks.used_bytes / sizeof(struct bs_snippet_hit), &options, &searcher->snippet,
	                        err);
}

static enum bs_status show_hit(struct bs_searcher *searcher, const struct bs_hit *hit, size_t rank,
                               struct bs_error *err)
{
	struct bs_search_hit shown = {.rank = rank, .score = hit->score};
	enum bs_status status = bs_fetch_id(searcher->fetcher, hit->segment, hit->document, &searcher->id, &searcher->path,
	                                    err);
	if (!status && rank > 0 && searcher->request->snippets)
		status = make_snippet(searcher, hit, err);
	if (status)
		return status;
	shown.ref = (struct bs_doc_ref){hit->segment, hit->document};
	shown.id = searcher->id.data;
	shown.id_bytes = searcher->id.used_bytes;
	shown.path = (const char *)searcher->path.data;
	shown.snippet = searcher->snippet.data;
	shown.snippet_bytes = searcher->snippet.used_bytes;
	return searcher->sink.hit(searcher->sink.context, &shown, err);
}

static enum bs_status show_hits(struct bs_searcher *searcher, struct bs_error *err)
{
	bool is_top = searcher->request->mode == BS_SEARCH_TOP;
	const struct bs_hit *hits = (const struct bs_hit *)(const void *)searcher->hits.data;
	size_t n = searcher->hits.used_bytes / sizeof(*hits);
	enum bs_status status = BS_OK;
	if (is_top)
		n = bs_top_finish(&searcher->top, &hits);
	else
		bs_sort_by_document(&searcher->search->snapshot, (struct bs_hit *)(void *)searcher->hits.data, n);
	charge(searcher, BS_STAGE_RANK);
	bs_buffer_clear(&searcher->snippet);
	for (size_t i = 0; i < n && !status && searcher->sink.hit; i++)
		status = show_hit(searcher, &hits[i], is_top ? i + 1 : 0, err);
	return status;
}

static enum bs_status explain(struct bs_searcher *searcher, bool is_done, struct bs_error *err)
{
	if (!searcher->request->explain || !searcher->sink.explain)
		return BS_OK;
	bs_buffer_clear(&searcher->text);
	enum bs_status status = is_done ? bs_explain_stats(searcher->stats, &searcher->text, err)
	                                : bs_explain_plan(&searcher->plan, searcher->search->fields, searcher->search->kernel,
	                                                  &searcher->text, err);
	if (!status)
		searcher->sink.explain(searcher->sink.context, (const char *)searcher->text.data, searcher->text.used_bytes);
	return status;
}

enum bs_status bs_searcher_run(struct bs_searcher *searcher, const struct bs_search_request *request,
                               struct bs_query_stats *stats_out, size_t *error_byte_out, struct bs_error *err)
{
	*stats_out = (struct bs_query_stats){0};
	searcher->request = request;
	searcher->stats = stats_out;
	searcher->since_ns = now_ns();
	searcher->query = NULL;
	searcher->matcher = NULL;
	searcher->verifier = (struct bs_verifier){0};
	bs_fetch_begin(searcher->fetcher);
	searcher->top = (struct bs_top){.k = 0};
	bs_buffer_clear(&searcher->hits);
	enum bs_status status = parse(searcher, error_byte_out, err);
	charge(searcher, BS_STAGE_PARSE);
	if (!status)
		status = plan(searcher, err);
	if (!status)
		status = prepare_ranking(searcher, err);
	if (!status)
		status = explain(searcher, false, err);
	charge(searcher, BS_STAGE_PLAN);
	if (!status)
		status = search_segments(searcher, err);
	if (!status)
		status = show_hits(searcher, err);
	/* The total is the sum of the stages: showing (ids, snippets) is the caller's pleasure, not the search's cost. */
	for (int stage = 0; stage < BS_STAGES; stage++)
		stats_out->total_ns += stats_out->stage_ns[stage];
	if (!status)
		status = explain(searcher, true, err);
	bs_top_deinit(&searcher->top);
	bs_byte_verifier_free(searcher->verifier.byte_verifier);
	bs_matcher_free(searcher->matcher);
	bs_query_free(searcher->query);
	return status;
}
