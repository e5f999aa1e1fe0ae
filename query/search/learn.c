/* learn.c: the words that are typical of the best documents, or of what hits are to be like, are taken into the query. See
 * finder.h; feedback.h has the arithmetic. */
#include <string.h>

#include "core/bitsift/search.h"
#include "corpus/changes/delete.h"
#include "query/answer/explain.h"
#include "query/search/find_request.h"
#include "query/search/finder.h"

/* The text of a document, by which what is typical of it is known. */
static enum bs_status learn(struct bs_finder *finder, struct bs_doc_ref ref, double trust, struct bs_error *err)
{
	struct bs_document document;
	enum bs_fetched fetched;
	enum bs_status status = bs_fetch(finder->fetcher, ref.segment, ref.document, &document, &fetched, err);
	if (status || fetched == BS_FETCHED_GONE || fetched == BS_FETCHED_FAILED)
		return status;
	finder->stats->verified++;
	finder->stats->bytes_verified += document.text_bytes;
	return bs_feedback_add(&finder->feedback, finder->reading.words, document.fields, document.n_fields, trust, finder->avgdl, err);
}

static int keep_hit(void *context, const struct bs_find_hit *hit)
{
	struct bs_finder *finder = context;
	struct bs_doc_ref ref = bs_find_hit_ref(hit);
	struct bs_hit kept = {.score = hit->score, .segment = ref.segment, .document = ref.document};
	return bs_buffer_append(&finder->best_hits, &kept, sizeof(kept), NULL) != BS_OK;
}

/* What the request under way is told of, its own context not being there. */
static void pass_notice(void *context, const char *message)
{
	const struct bs_finder *finder = context;
	if (finder->asked->notice)
		finder->asked->notice(finder->asked->context, message);
}

/* Runs the query for its best documents, and forgets what came of it but the time. */
static enum bs_status find_best(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	struct bs_find_request best = *request;
	best.mode = BS_FIND_TOP;
	best.hit = keep_hit;
	best.batch = NULL;
	best.notice = pass_notice;
	best.context = finder;
	finder->asked = request;
	best.explain = NULL;
	best.sort_field = NULL;
	best.offset = 0;
	best.snippets = best.passages = best.suggest = best.exhaustive = false;
	bs_buffer_clear(&finder->best_hits);
	finder->request = &best;
	finder->n_best = request->feedback_docs;
	finder->is_feeding = true;
	enum bs_status status = bs_finder_run(finder, err);
	finder->is_feeding = false;
	finder->n_best = bs_find_request_wanted(request);
	finder->request = request;
	struct bs_query_stats spent = *finder->stats;
	*finder->stats = (struct bs_query_stats){.verified = spent.verified, .bytes_verified = spent.bytes_verified};
	memcpy(finder->stats->stage_ns, spent.stage_ns, sizeof(spent.stage_ns));
	bool lacks_memory = status == BS_STOPPED && !bs_watch_is_over();
	return lacks_memory ? bs_fail_memory(err, "hits", finder->best_hits.used_bytes) : status;
}

static enum bs_status df_here(void *context, uint32_t i, const uint8_t *word, uint32_t word_bytes, uint64_t *df_out,
                              struct bs_error *err)
{
	(void)i;
	return bs_plan_df(context, word, word_bytes, df_out, err);
}

static enum bs_status take(struct bs_finder *finder, size_t n_most, double sum, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &finder->index->snapshot;
	struct bs_feedback_numbers numbers = {snapshot->n_docs, df_here, (void *)(uintptr_t)snapshot};
	return bs_feedback_take(&finder->feedback, &numbers, &finder->reading.stop, n_most, sum, err);
}

static enum bs_status learn_from_best(struct bs_finder *finder, struct bs_error *err)
{
	enum bs_status status = find_best(finder, err);
	const struct bs_hit *best = (const struct bs_hit *)(const void *)finder->best_hits.data;
	finder->since_ns = bs_now_ns();
	for (size_t i = 0; i < bs_n_hits(&finder->best_hits) && !status && best[0].score > 0; i++)
		status = learn(finder, (struct bs_doc_ref){best[i].segment, best[i].document},
		               bs_feedback_trust(best[i].score, best[0].score), err);
	if (!status)
		status = take(finder, BS_FEEDBACK_WORDS, finder->own_weight, err);
	bs_finder_charge(finder, BS_STAGE_PLAN);
	return status;
}

static enum bs_status learn_from_like(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	struct bs_field text = {.name = "", .text = (const uint8_t *)request->like_text, .text_bytes = request->like_text_bytes};
	bool is_found = true;
	enum bs_status status = BS_OK;
	finder->since_ns = bs_now_ns();
	if (request->like_id)
		status = bs_delete_find(&finder->index->snapshot, false, &request->like_id, 1, &is_found, &finder->like, err);
	if (!status && !is_found)
		status = bs_fail(err, BS_NOT_FOUND, "%s: no document has this id", *request->like_id ? request->like_id : "''");
	const struct bs_doc_ref *refs = (const struct bs_doc_ref *)(const void *)finder->like.data;
	for (size_t i = 0; i < finder->like.used_bytes / sizeof(*refs) && !status; i++)
		status = learn(finder, refs[i], 1, err);
	if (!status && request->like_text)
		status = bs_feedback_add(&finder->feedback, finder->reading.words, &text, 1, 1, finder->avgdl, err);
	if (!status)
		status = take(finder, BS_LIKE_WORDS, 0, err);
	if (!status && finder->feedback.n_texts == 0)
		return bs_fail(err, BS_IO, "%s: its text is gone, or cannot be read", request->like_id);
	if (!status && bs_feedback_n_taken(&finder->feedback) == 0)
		status = bs_find_learnt_nothing(request, err);
	bs_finder_charge(finder, BS_STAGE_PLAN);
	return status;
}

void bs_finder_teach(struct bs_finder *finder, const struct bs_taught *taught)
{
	finder->taught = taught;
}

static enum bs_status leave_out(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_buffer *left_out = finder->taught->left_out;
	return left_out->used_bytes ? bs_buffer_append(&finder->like, left_out->data, left_out->used_bytes, err) : BS_OK;
}

enum bs_status bs_finder_learn(struct bs_finder *finder, struct bs_error *err)
{
	const struct bs_find_request *request = finder->request;
	enum bs_status status = bs_reading_begin(&finder->reading, request, err);
	bs_feedback_begin(&finder->feedback);
	bs_buffer_clear(&finder->like);
	if (!status && finder->taught)
		status = leave_out(finder, err);
	else if (!status && (request->like_id || request->like_text))
		status = learn_from_like(finder, err);
	else if (!status && request->feedback_docs > 0)
		status = learn_from_best(finder, err);
	if (status || !request->explain || finder->feedback.n_texts == 0)
		return status;
	bs_buffer_clear(&finder->text);
	status = bs_explain_learnt(&finder->feedback, &finder->text, err);
	if (!status)
		request->explain(request->context, (const char *)finder->text.data, finder->text.used_bytes);
	return status;
}
