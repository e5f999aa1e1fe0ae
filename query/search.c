/* search.c: see search.h. The stages meet here and nowhere else. */
#include "query/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/words.h"
#include "corpus/fresh.h"
#include "query/explain.h"
#include "query/fetch.h"
#include "query/match.h"
#include "query/plan.h"
#include "query/rank.h"
#include "query/scan.h"
#include "query/snippet.h"
#include "query/verify.h"

/* ---- an opened index ---- */

static enum bs_status collect_fields(struct bs_search *search, struct bs_error *err)
{
	char *const *names = search->snapshot.manifest.fields;
	free(search->fields);
	search->n_fields = bs_list_length(names);
	search->fields = calloc(search->n_fields + 1, sizeof(*search->fields));
	if (!search->fields)
		return bs_fail_memory(err, "names of fields", (search->n_fields + 1) * sizeof(*search->fields));
	for (size_t i = 0; i < search->n_fields; i++)
		search->fields[i] = (struct bs_query_field){.name = names[i], .name_bytes = strlen(names[i])};
	return BS_OK;
}

struct freshen_notices {
	void (*notice)(void *context, const char *message);
	void *context;
};

/* Binary files and links are passed over as in indexing; what should have been a document is named. */
static void tell_skipped(void *context, enum bs_skip reason, const char *message)
{
	const struct freshen_notices *notices = context;
	if (notices->notice && reason > BS_SKIP_SPECIAL)
		notices->notice(notices->context, message);
}

enum bs_status bs_search_freshen(struct bs_search *search, void (*notice)(void *context, const char *message),
                                 void *context, struct bs_error *err)
{
	struct freshen_notices notices = {notice, context};
	enum bs_status status = bs_snapshot_freshen(&search->snapshot, tell_skipped, &notices, err);
	return status ? status : collect_fields(search, err);
}

enum bs_status bs_search_open(const char *dir, const char *kernel_name, struct bs_search *search_out,
                              struct bs_error *err)
{
	*search_out = (struct bs_search){0};
	enum bs_status status = bs_kernel_choose(kernel_name, &search_out->kernel, err);
	if (!status)
		status = bs_snapshot_open(dir, &search_out->snapshot, err);
	if (status)
		return status;
	search_out->is_other_unicode = bs_manifest_is_other_unicode(&search_out->snapshot.manifest);
	/* Silence would look like no match. */
	if (!search_out->snapshot.manifest.options.words)
		status = bs_fail(err, BS_INVALID, "%s: an index of grams alone, which knows no words; `bitsift index --rebuild` makes "
		                 "one of both", dir);
	if (!status)
		status = collect_fields(search_out, err);
	if (status)
		bs_search_deinit(search_out);
	return status;
}

void bs_search_deinit(struct bs_search *search)
{
	bs_snapshot_deinit(&search->snapshot);
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
	struct bs_buffer weights; /* double a term of the plan */
	struct bs_buffer id, path, snippet, text;
	/* The query being run. */
	const struct bs_search_request *request;
	struct bs_query *query;
	struct bs_matcher *matcher;
	struct bs_verifier verifier;
	struct bs_top top;
	struct bs_query_stats *stats;
	double avgdl;
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
	bs_plan_deinit(&searcher->plan);
	bs_buffer_deinit(&searcher->candidates);
	bs_buffer_deinit(&searcher->expected);
	bs_buffer_deinit(&searcher->hits);
	bs_buffer_deinit(&searcher->marks);
	bs_buffer_deinit(&searcher->weights);
	bs_buffer_deinit(&searcher->id);
	bs_buffer_deinit(&searcher->path);
	bs_buffer_deinit(&searcher->snippet);
	bs_buffer_deinit(&searcher->text);
	free(searcher);
}

uint64_t bs_searcher_failures(const struct bs_searcher *searcher)
{
	return bs_fetcher_failures(searcher->fetcher);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Charges the time since *since to a stage, and starts the next. */
static void charge(struct bs_searcher *searcher, enum bs_stage stage, uint64_t *since)
{
	uint64_t now = now_ns();
	searcher->stats->stage_ns[stage] += now - *since;
	*since = now;
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
	bool is_scored = searcher->request->mode == BS_SEARCH_TOP;
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
		.fields = searcher->search->fields,
		.n_fields = searcher->search->n_fields,
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
		status = bs_matcher_new(query, search->fields, search->n_fields, searcher->words, &searcher->matcher, err);
	/* A brute search is what all others are compared with: it trusts nothing but the whole analysis. */
	if (!status && !searcher->request->brute && !search->is_other_unicode)
		status = bs_sift_new(&searcher->plan, search->fields, searcher->words, search->kernel,
		                     &searcher->verifier.sift, err);
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

/* ---- --approx: the candidates that look best ---- */

/* With a document of each k wanted, this many more are verified, for those that only look good. */
#define APPROX_FACTOR 4
#define APPROX_LEAST  100

static int compare_weights(const void *a, const void *b)
{
	const struct bs_candidate *x = a;
	const struct bs_candidate *y = b;
	if (x->weight > y->weight || x->weight < y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->document < y->document ? -1 : x->document > y->document;
}

/* idf of each scored term, 0 of the others. */
static enum bs_status term_weights(struct bs_searcher *searcher, struct bs_error *err)
{
	bs_buffer_clear(&searcher->weights);
	enum bs_status status = BS_OK;
	for (uint32_t t = 0; t < searcher->plan.n_terms && !status; t++) {
		const struct bs_plan_term *term = &searcher->plan.terms[t];
		bool is_scored = term->element != BS_PLAN_PAIR && searcher->query->elements[term->element].is_scored;
		double weight = is_scored ? bs_bm25_idf(searcher->search->snapshot.n_docs, term->df) : 0;
		status = bs_buffer_append(&searcher->weights, &weight, sizeof(weight), err);
	}
	return status;
}

/* Keeps the candidates of the segment that would score best if each of their words stood once; drops the others. */
static enum bs_status keep_best(struct bs_searcher *searcher, uint32_t segment, struct bs_error *err)
{
	struct bs_candidate *candidates = (struct bs_candidate *)(void *)searcher->candidates.data;
	const struct bs_search *search = searcher->search;
	size_t n = searcher->candidates.used_bytes / sizeof(*candidates);
	size_t n_kept = searcher->request->k * APPROX_FACTOR + APPROX_LEAST;
	if (n <= n_kept)
		return BS_OK;
	enum bs_status status = term_weights(searcher, err);
	if (!status)
		status = bs_scan_weigh(searcher->scan, &searcher->plan, segment, search->kernel,
		                       (const double *)(const void *)searcher->weights.data, candidates, n, searcher->stats,
		                       err);
	for (size_t i = 0; i < n && !status; i++) {
		struct bs_doc_record record;
		status = bs_doc_table_get(&search->snapshot.segments[segment].docs, candidates[i].document, &record, err);
		candidates[i].weight *= status ? 0 : (float)bs_bm25_weight(1, 1, record.length, searcher->avgdl);
	}
	if (status)
		return status;
	qsort(candidates, n, sizeof(*candidates), compare_weights);
	searcher->candidates.used_bytes = n_kept * sizeof(*candidates);
	struct bs_error line;
	(void)bs_fail(&line, BS_OK, "approximate: verifying the best %zu of %zu candidates", n_kept, n);
	if (searcher->sink.notice)
		searcher->sink.notice(searcher->sink.context, line.text);
	return BS_OK;
}

static enum bs_status search_segment(struct bs_searcher *searcher, uint32_t segment, uint64_t *since,
                                     struct bs_error *err)
{
	const struct bs_search *search = searcher->search;
	bool is_overlay = segment == search->snapshot.manifest.n_segments;
	bool brute = searcher->request->brute || search->is_other_unicode || is_overlay;
	bs_buffer_clear(&searcher->candidates);
	bool may_count = false;
	uint64_t n_counted = 0;
	enum bs_status status = BS_OK;
	if (!brute && searcher->request->mode == BS_SEARCH_COUNT)
		status = bs_fetch_is_segment_unchanged(searcher->fetcher, segment, &may_count, err);
	if (!status)
		status = brute ? all_candidates(searcher, segment, err)
		               : bs_scan_segment(searcher->scan, &searcher->plan, segment, search->kernel,
		                                 &searcher->candidates, may_count ? &n_counted : NULL, searcher->stats, err);
	searcher->stats->hits += n_counted;
	charge(searcher, BS_STAGE_SCAN, since);
	if (!status && searcher->request->approx && searcher->request->mode == BS_SEARCH_TOP && !brute)
		status = keep_best(searcher, segment, err);
	charge(searcher, BS_STAGE_RANK, since);
	if (!status)
		status = verify(searcher, segment, err);
	charge(searcher, BS_STAGE_VERIFY, since);
	return status;
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

static enum bs_status show_hits(struct bs_searcher *searcher, uint64_t *since, struct bs_error *err)
{
	bool is_top = searcher->request->mode == BS_SEARCH_TOP;
	const struct bs_hit *hits = (const struct bs_hit *)(const void *)searcher->hits.data;
	size_t n = searcher->hits.used_bytes / sizeof(*hits);
	enum bs_status status = BS_OK;
	if (is_top)
		n = bs_top_finish(&searcher->top, &hits);
	else
		bs_sort_by_document(&searcher->search->snapshot, (struct bs_hit *)(void *)searcher->hits.data, n);
	charge(searcher, BS_STAGE_RANK, since);
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
	uint64_t start = now_ns();
	uint64_t since = start;
	*stats_out = (struct bs_query_stats){0};
	searcher->request = request;
	searcher->stats = stats_out;
	searcher->query = NULL;
	searcher->matcher = NULL;
	searcher->verifier = (struct bs_verifier){0};
	bs_fetch_begin(searcher->fetcher);
	searcher->top = (struct bs_top){.snapshot = &searcher->search->snapshot, .k = request->k};
	bs_buffer_clear(&searcher->hits);
	enum bs_status status = parse(searcher, error_byte_out, err);
	charge(searcher, BS_STAGE_PARSE, &since);
	if (!status)
		status = plan(searcher, err);
	if (!status)
		status = explain(searcher, false, err);
	charge(searcher, BS_STAGE_PLAN, &since);
	for (uint32_t s = 0; s <= searcher->search->snapshot.manifest.n_segments && !status; s++)
		status = search_segment(searcher, s, &since, err);
	if (!status)
		status = show_hits(searcher, &since, err);
	/* The total is the sum of the stages: showing (ids, snippets) is the caller's pleasure, not the search's cost. */
	for (int stage = 0; stage < BS_STAGES; stage++)
		stats_out->total_ns += stats_out->stage_ns[stage];
	if (!status)
		status = explain(searcher, true, err);
	bs_top_deinit(&searcher->top);
	bs_sift_free(searcher->verifier.sift);
	bs_matcher_free(searcher->matcher);
	bs_query_free(searcher->query);
	return status;
}
