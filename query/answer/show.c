/* show.c: hits are handed out: what they are called, and what is shown of their texts. See finder.h. */
#include "core/bitsift/search.h"
#include "query/answer/snippet.h"
#include "query/search/finder.h"

/* What is shown of the text: a snippet, passages. */
static enum bs_status look_again(struct bs_finder *finder, const struct bs_hit *hit, struct bs_find_hit *shown,
                                 struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	struct bs_snippet_options options = {
		.mark_start = request->mark_start, .mark_stop = request->mark_stop, .width = finder->program->snippet_columns};
	struct bs_passages *passages = &finder->passages;
	struct bs_document document;
	struct bs_match match;
	enum bs_fetched fetched;
	bs_buffer_clear(&finder->snippet);
	bs_buffer_clear(&finder->marks);
	enum bs_status status = bs_fetch(finder->fetcher, hit->segment, hit->document, &document, &fetched, err);
	if (status || fetched == BS_FETCHED_GONE || fetched == BS_FETCHED_FAILED) {
		shown->snippet = fetched == BS_FETCHED_GONE ? NULL : "";
		return status;
	}
	shown->is_changed = fetched == BS_FETCHED_CHANGED;
	status = bs_match_hits(finder->verifier.matcher, document.fields, document.n_fields, false, &match, &finder->marks, err);
	const struct bs_snippet_hit *marks = (const struct bs_snippet_hit *)(const void *)finder->marks.data;
	size_t n_marks = finder->marks.used_bytes / sizeof(*marks);
	options.shape = document.line > 0 ? BS_SNIPPET_JOINED : BS_SNIPPET_LINES;
	if (!status && request->snippets)
		status = bs_snippet_write(document.fields, document.n_fields, marks, n_marks, NULL, &options,
		                          &finder->snippet, err);
	if (!status && request->passages)
		status = bs_passages_find(passages, &document, marks, n_marks, err);
	if (status)
		return status;
	shown->snippet = finder->snippet.used_bytes ? (const char *)finder->snippet.data : "";
	shown->snippet_bytes = finder->snippet.used_bytes;
	if (!request->passages)
		return BS_OK;
	shown->passages = (const struct bs_passage *)(const void *)passages->list.data;
	shown->n_passages = n_marks > 0 ? passages->list.used_bytes / sizeof(*shown->passages) : 0;
	shown->best = shown->passages[passages->best];
	return BS_OK;
}

enum bs_status bs_finder_name(struct bs_finder *finder, struct bs_doc_ref ref, struct bs_find_hit *hit_out, struct bs_error *err)
{
	const uint8_t *name;
	uint32_t name_bytes;
	bool is_given;
	enum bs_status status = bs_fetch_given_id(finder->fetcher, ref.segment, ref.document, &is_given, &name, &name_bytes,
	                                          &hit_out->path, err);
	if (!status && is_given) {
		hit_out->id = hit_out->local_id = (const char *)name;
		hit_out->id_bytes = hit_out->local_id_bytes = name_bytes;
	}
	if (status || is_given)
		return status;
	status = bs_fetch_id(finder->fetcher, ref.segment, ref.document, &finder->id, &finder->local_id, &finder->path, err);
	if (status)
		return status;
	hit_out->id = finder->id.used_bytes ? (const char *)finder->id.data : "";
	hit_out->id_bytes = finder->id.used_bytes;
	hit_out->local_id = finder->local_id.used_bytes ? (const char *)finder->local_id.data : "";
	hit_out->local_id_bytes = finder->local_id.used_bytes;
	hit_out->path = (const char *)finder->path.data;
	return BS_OK;
}

/* sorted: NULL, or the hit with its value. */
static enum bs_status show_hit(struct bs_finder *finder, const struct bs_hit *hit, const struct bs_sorted_hit *sorted,
                               size_t rank, struct bs_error *err)
{
	struct bs_buffer value = {0};
	struct bs_find_hit shown = {
		.rank = rank,
		.score = finder->request->candidates ? 0 : hit->score,
		.document = (uint64_t)hit->segment << 32 | hit->document,
		.is_candidate = finder->request->candidates && hit->score > 0,
		.snippet = "",
		.best = {.field = "", .text = ""},
	};
	enum bs_status status = bs_finder_name(finder, (struct bs_doc_ref){hit->segment, hit->document}, &shown, err);
	if (!status && rank > 0 && (finder->request->snippets || finder->request->passages))
		status = look_again(finder, hit, &shown, err);
	if (!status && sorted && sorted->has_value) {
		status = bs_value_format(&sorted->value, &value, err);
		if (!status)
			status = bs_buffer_append(&value, "", 1, err);
		shown.value = (const char *)value.data;
		shown.is_date = sorted->value.bytes[0] == BS_VALUE_DATE;
	}
	if (status) {
		bs_buffer_deinit(&value);
		return status;
	}
	/* What the callback does is none of ours. */
	struct bs_account *account = bs_account_here;
	bs_account_here = NULL;
	finder->is_refused = finder->request->hit(finder->request->context, &shown) != 0;
	bs_account_here = account;
	bs_buffer_deinit(&value);
	return finder->is_refused ? bs_fail(err, BS_STOPPED, "stopped") : BS_OK;
}

bool bs_finder_is_partial(struct bs_finder *finder, enum bs_status status)
{
	bool may_be = bs_watch_ended(status) && !finder->is_refused && !finder->is_feeding;
	bool begins = may_be && !finder->result->is_partial && bs_watch_grace();
	finder->result->is_partial |= begins;
	return begins;
}

/* What will be read of the hits that are shown soon lies here and there: the memory is asked for it this many before. */
#define SHOWN_AHEAD 16u

#define SHOW_NS 300u /* what a hit costs about, without its text */

static void expect_shown(const struct bs_finder *finder, const struct bs_hit *hits, size_t n, size_t i)
{
	const struct bs_snapshot *snapshot = &finder->index->snapshot;
	for (unsigned step = 0; step < BS_DOC_PREFETCHES; step++) {
		size_t ahead = i + (BS_DOC_PREFETCHES - step) * SHOWN_AHEAD;
		if (ahead < n && hits[ahead].segment < snapshot->manifest.n_segments)
			bs_doc_table_prefetch(&snapshot->segments[hits[ahead].segment].docs, hits[ahead].document, step);
	}
}

/* What a hit costs about whose name alone is wanted. */
#define NAME_NS 50u

static enum bs_status show_batches(struct bs_finder *finder, const struct bs_hit *hits, size_t n, struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	struct bs_batches *batches;
	enum bs_status status = bs_batches_begin(finder, request->batch, request->context, &batches, err);
	for (size_t i = request->offset; i < n && !status; i++) {
		status = bs_watch_spend(NAME_NS, err);
		if (bs_finder_is_partial(finder, status))
			status = BS_OK;
		if (!status)
			status = bs_batches_add(batches, (struct bs_doc_ref){hits[i].segment, hits[i].document},
			                        request->candidates && hits[i].score > 0, err);
	}
	/* That is all the time there was. */
	if (finder->result->is_partial && bs_watch_ended(status) && !bs_batches_is_refused(batches))
		status = BS_OK;
	if (!status)
		status = bs_batches_flush(batches, err);
	finder->is_refused = bs_batches_is_refused(batches);
	return status;
}

enum bs_status bs_finder_show(struct bs_finder *finder, struct bs_error *err)
{
	bool is_top = finder->request->mode == BS_FIND_TOP;
	const struct bs_hit *hits = (const struct bs_hit *)(const void *)finder->hits.data;
	size_t n = finder->hits.used_bytes / sizeof(*hits);
	enum bs_status status = BS_OK;
	const struct bs_sorted_hit *sorted = NULL;
	if (finder->sorting.field)
		n = bs_sorting_finish(&finder->sorting, &sorted);
	else if (is_top)
		n = bs_top_finish(&finder->top, &hits);
	else
		bs_sort_by_document(&finder->index->snapshot, (struct bs_hit *)(void *)finder->hits.data, n);
	bs_finder_charge(finder, BS_STAGE_RANK);
	if (finder->request->batch)
		return show_batches(finder, hits, n, err);
	for (size_t i = finder->request->offset; i < n && !status;) {
		if (!sorted)
			expect_shown(finder, hits, n, i);
		status = bs_watch_spend(SHOW_NS, err);
		if (!status)
			status = show_hit(finder, sorted ? &sorted[i].hit : &hits[i], sorted ? &sorted[i] : NULL, is_top ? i + 1 : 0, err);
		if (bs_finder_is_partial(finder, status))
			status = BS_OK;
		else
			i++;
	}
	/* That is all the time there was. */
	return finder->result->is_partial && bs_watch_ended(status) && !finder->is_refused ? BS_OK : status;
}
