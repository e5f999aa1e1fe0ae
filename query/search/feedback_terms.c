/* feedback_terms.c: see feedback_terms.h. */
#include "query/search/feedback_terms.h"

#include <string.h>

#include "corpus/changes/delete.h"
#include "query/answer/explain.h"
#include "query/search/ranked.h"

struct learner {
	struct bs_searcher *searcher;
	const struct bs_question *question;
	struct bs_feedback *feedback;
	struct bs_query_stats *stats;
	double avgdl;      /* The average length of documents (bm25.h). */
	uint64_t since_ns; /* The time up to which charge() has counted. */
};

/* Adds the time since the last call to that of planning. */
static void charge(struct learner *learner)
{
	uint64_t now = bs_now_ns();
	learner->stats->stage_ns[BS_STAGE_PLAN] += now - learner->since_ns;
	learner->since_ns = now;
}

static enum bs_status add_document(struct learner *learner, struct bs_doc_ref ref, double trust,
                                   struct bs_error *err)
{
	struct bs_searcher *searcher = learner->searcher;
	struct bs_document document;
	enum bs_load_state fetched;
	enum bs_status status = bs_load(searcher->loader, ref, &document, &fetched, err);
	if (status || fetched == BS_LOADED_GONE || fetched == BS_LOADED_FAILED)
		return status;
	learner->stats->verify.verified++;
	learner->stats->verify.bytes += document.text.n_bytes;
	return bs_feedback_add(learner->feedback, searcher->analysis->tokenizer,
	                       document.text.fields, document.text.n_fields, trust, learner->avgdl,
	                       err);
}

static enum bs_status df_here(void *context, uint32_t i, const uint8_t *word, uint32_t word_bytes,
                              uint64_t *df_out, struct bs_error *err)
{
	(void)i;
	return bs_plan_df(context, word, word_bytes, df_out, err);
}

static enum bs_status take(struct learner *learner, size_t n_most, double sum, struct bs_error *err)
{
	struct bs_searcher *searcher = learner->searcher;
	struct bs_feedback_numbers numbers = {searcher->list.n_docs, df_here, &searcher->list};
	return bs_feedback_take(learner->feedback, &numbers, &searcher->analysis->stop, n_most, sum,
	                        err);
}

/* Runs the query, and stores its n_best best documents in learning.best. */
static enum bs_status collect_best(struct bs_run *run, size_t n_best, struct bs_error *err)
{
	struct bs_ranked_hits *best = &run->searcher->learning.best;
	const struct bs_ranked_hit *hits;
	bool by_bounds;
	enum bs_status status = bs_ranked_prepare(run, n_best, &by_bounds, err);
	bs_run_charge(run, BS_STAGE_PLAN);
	if (!status)
		status = bs_ranked_search(run, n_best, &by_bounds, err);
	size_t n = status ? 0 : bs_top_finish(&run->searcher->memory.top, &hits);
	bs_run_charge(run, BS_STAGE_RANK);
	return status ? status : bs_vector_extend(best, hits, n, err);
}

/* Runs the query to find the documents whose words are taken. *weight_out: the sum of the weights
 * of the query's words. Of the statistics of this run, only the times and the numbers of documents
 * and bytes read are copied to learner->stats. */
static enum bs_status find_best(struct learner *learner, double *weight_out, size_t *error_byte_out,
                                struct bs_error *err)
{
	struct bs_question question = *learner->question;
	struct bs_query_stats stats = {.hits = 0};
	struct bs_run run = {.searcher = learner->searcher,
	                     .question = &question,
	                     .learnt = learner->feedback,
	                     .stats = &stats,
	                     .is_silent = true};
	question.run.mode = BS_SEARCH_TOP;
	question.run.n_best = question.like.feedback_docs;
	question.run.sort_field = NULL;
	question.run.exhaustive = false;
	enum bs_status status = bs_run_begin(&run, err);
	bs_run_charge(&run, BS_STAGE_PLAN);
	*error_byte_out = run.error_byte;
	if (!status)
		status = collect_best(&run, question.run.n_best, err);
	*weight_out = 0;
	for (size_t i = 0; !status && i < run.query->n_elements; i++)
		*weight_out += run.query->elements[i].weight;
	bs_run_end(&run);
	memcpy(learner->stats->stage_ns, stats.stage_ns, sizeof(stats.stage_ns));
	learner->stats->verify.verified = stats.verify.verified;
	learner->stats->verify.bytes = stats.verify.bytes;
	return status;
}

static enum bs_status learn_from_best(struct learner *learner, size_t *error_byte_out,
                                      struct bs_error *err)
{
	const struct bs_ranked_hits *best = &learner->searcher->learning.best;
	double weight;
	enum bs_status status = find_best(learner, &weight, error_byte_out, err);
	learner->since_ns = bs_now_ns();
	for (size_t i = 0; i < bs_vector_n(best) && !status && best->items[0].score > 0; i++)
		status = add_document(learner, bs_hit_ref(&best->items[i]),
		                      bs_feedback_trust(best->items[i].score, best->items[0].score),
		                      err);
	if (!status)
		status = take(learner, BS_FEEDBACK_WORDS, weight, err);
	charge(learner);
	return status;
}

/* Appends the documents of index `entry` that have the id `id` to learning.like. Sets *is_found if
 * there are any, and otherwise leaves it unchanged. */
static enum bs_status find_like_in(struct bs_searcher *searcher, uint32_t entry, const char *id,
                                   bool *is_found, struct bs_error *err)
{
	struct bs_doc_refs *like = &searcher->learning.like;
	size_t n_before = bs_vector_n(like);
	bool is_here = false;
	enum bs_status status = bs_delete_find(searcher->list.entries[entry].snapshot, false, &id,
	                                       1, &is_here, like, err);
	for (size_t k = n_before; k < bs_vector_n(like) && !status; k++)
		like->items[k].segment += bs_list_first_segment(&searcher->list, entry);
	*is_found |= is_here;
	return status;
}

/* Finds the documents with an id. NAME:ID is first taken as ID in the index called NAME; if that
 * has no such document, as an id that contains a colon, in any index. */
static enum bs_status find_like(struct bs_searcher *searcher, const char *id, struct bs_error *err)
{
	const struct bs_snapshot_list *list = &searcher->list;
	const char *colon = strchr(id, ':');
	bool is_found = false;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < list->n_entries && colon && !status; i++) {
		const char *name = list->entries[i].name;
		size_t n_name = (size_t)(colon - id);
		if (name && strncmp(name, id, n_name) == 0 && name[n_name] == '\0')
			status = find_like_in(searcher, i, colon + 1, &is_found, err);
	}
	bool is_named = is_found;
	for (uint32_t i = 0; i < list->n_entries && !is_named && !status; i++)
		status = find_like_in(searcher, i, id, &is_found, err);
	if (!status && !is_found)
		status = bs_fail(err, BS_NOT_FOUND, "%s: no document has this id", *id ? id : "''");
	return status;
}

static enum bs_status learn_from_like(struct learner *learner, struct bs_error *err)
{
	struct bs_searcher *searcher = learner->searcher;
	const struct bs_likeness *asked = &learner->question->like;
	const struct bs_doc_refs *like = &searcher->learning.like;
	struct bs_field text = {
		.name = "", .text = (const uint8_t *)asked->text, .text_bytes = asked->text_bytes};
	enum bs_status status = BS_OK;
	learner->since_ns = bs_now_ns();
	if (asked->id)
		status = find_like(searcher, asked->id, err);
	for (size_t i = 0; i < bs_vector_n(like) && !status; i++)
		status = add_document(learner, like->items[i], 1, err);
	if (!status && asked->text)
		status = bs_feedback_add(learner->feedback, searcher->analysis->tokenizer, &text, 1,
		                         1, learner->avgdl, err);
	if (!status)
		status = take(learner, BS_LIKE_WORDS, 0, err);
	if (!status && learner->feedback->n_texts == 0)
		return bs_fail(err, BS_IO, "%s: its text is gone, or cannot be read", asked->id);
	if (!status && bs_feedback_n_taken(learner->feedback) == 0)
		status = bs_question_learnt_nothing(learner->question->query.n_bytes,
		                                    &learner->question->listener, err);
	charge(learner);
	return status;
}

static enum bs_status explain(struct learner *learner, struct bs_error *err)
{
	const struct bs_search_callbacks *listener = &learner->question->listener;
	struct bs_buffer *text = &learner->searcher->memory.text;
	if (!listener->explain || learner->feedback->n_texts == 0)
		return BS_OK;
	bs_buffer_clear(text);
	enum bs_status status = bs_explain_learnt(learner->feedback, text, err);
	if (!status)
		listener->explain(listener->context, (const char *)text->data, text->used_bytes);
	return status;
}

enum bs_status bs_expand_question(struct bs_searcher *searcher, const struct bs_question *question,
                                  struct bs_query_stats *stats,
                                  const struct bs_feedback **learnt_out, size_t *error_byte_out,
                                  struct bs_error *err)
{
	struct bs_expansion *learning = &searcher->learning;
	const struct bs_corpus corpus = bs_question_corpus(question, &searcher->list);
	struct learner learner = {
		.searcher = searcher,
		.question = question,
		.feedback = &learning->feedback,
		.stats = stats,
		.avgdl = bs_corpus_avgdl(&corpus),
	};
	enum bs_status status = BS_OK;
	*learnt_out = &learning->feedback;
	*error_byte_out = SIZE_MAX;
	bs_feedback_begin(&learning->feedback);
	bs_vector_clear(&learning->best);
	bs_vector_clear(&learning->like);
	if (question->like.id || question->like.text)
		status = learn_from_like(&learner, err);
	else if (question->like.feedback_docs > 0)
		status = learn_from_best(&learner, error_byte_out, err);
	return status ? status : explain(&learner, err);
}
