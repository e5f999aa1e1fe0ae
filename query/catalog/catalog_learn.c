/*
 * catalog_learn.c: words that are typical of the best documents of all indexes, or of what hits are to be like, are taken into the query,
 * as query/search/learn.c does for one index. How frequent a word is in all of them is found out for many words at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "core/bitsift/host.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "corpus/changes/delete.h"
#include "query/catalog/finding.h"
#include "query/plan/plan.h"
#include "query/statistics/collection_statistics.h"
#include "query/statistics/bm25.h"
#include "query/search/finder.h"

/* Of so many words each index is asked at once. */
#define COUNTED 128u

struct counting {
	struct bs_finding *finding;
	uint32_t first, n; /* of the words found: those that are counted now */
	_Atomic uint64_t df[COUNTED];
	uint64_t *all; /* of each word that was counted */
};

static const uint8_t *word_at(const struct bs_feedback *learnt, uint32_t i, uint32_t *n_bytes_out)
{
	uint32_t number = learnt->found.items[i];
	*n_bytes_out = learnt->words.entries[number].n_bytes;
	return bs_term_table_key(&learnt->words, number);
}

/* A step: adds what an index has of each of the words, by the catalog, or else by itself. */
static enum bs_status count_words(struct bs_finding *finding, struct bs_asked *asked)
{
	struct counting *counting = finding->step_context;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < counting->n && !status; i++) {
		uint32_t n_bytes;
		const uint8_t *word = word_at(&finding->asking.learnt, counting->first + i, &n_bytes);
		bool may, is_known;
		uint64_t df;
		status = bs_asking_know_word(asked, word, n_bytes, &may, &is_known, &df, &asked->answer->why);
		bool is_open = may && !is_known;
		if (!status && is_open)
			status = bs_finding_open(finding, asked);
		if (!status && is_open)
			status = bs_plan_df(&asked->finder->list, word, n_bytes, &df, &asked->answer->why);
		if (!status)
			atomic_fetch_add(&counting->df[i], df);
	}
	return status;
}

static void list_reached(struct bs_finding *finding)
{
	finding->n_list = 0;
	for (size_t i = 0; i < finding->asking.n_asked; i++)
		if (finding->asking.asked[i].is_reached)
			finding->list[finding->n_list++] = &finding->asking.asked[i];
}

/* Where a word is asked about that was not counted, the next ones will be, too. */
static enum bs_status df_of_all(void *context, uint32_t i, const uint8_t *word, uint32_t word_bytes, uint64_t *df_out,
                                struct bs_error *err)
{
	struct counting *counting = context;
	const uint32_t n_left = counting->finding->asking.learnt.words.n_terms - i;
	enum bs_status status = BS_OK;
	(void)word, (void)word_bytes;
	if (i >= counting->first + counting->n) {
		counting->first = i;
		counting->n = n_left < COUNTED ? n_left : COUNTED;
		for (uint32_t k = 0; k < counting->n; k++)
			atomic_store(&counting->df[k], 0);
		list_reached(counting->finding);
		counting->finding->step_context = counting;
		status = bs_finding_run_whole(counting->finding, count_words, err);
	}
	*df_out = counting->all[i] = atomic_load(&counting->df[i - counting->first]);
	return status;
}

/* What scores of the words that are taken go by. */
static enum bs_status keep_df(struct counting *counting, struct bs_error *err)
{
	struct bs_asking *asking = &counting->finding->asking;
	const struct bs_weighted_term *taken = bs_feedback_taken(&asking->learnt);
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < bs_feedback_n_taken(&asking->learnt) && !status; i++) {
		uint32_t at = 0, n_bytes;
		while (word_at(&asking->learnt, at, &n_bytes) != taken[i].term)
			at++;
		status = bs_buffer_append(&asking->learnt_df, &counting->all[at], sizeof(*counting->all), err);
	}
	return status;
}

static enum bs_status take(struct bs_finding *finding, uint64_t n_docs, size_t n_most, double sum, struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	uint32_t n_words = asking->learnt.words.n_terms;
	struct counting counting = {.finding = finding, .all = calloc(n_words + (size_t)1, sizeof(*counting.all))};
	struct bs_feedback_numbers numbers = {n_docs, df_of_all, &counting};
	enum bs_status status = counting.all ? BS_OK : bs_fail_memory(err, "words", n_words * sizeof(*counting.all));
	if (!status && asking->n_groups > 0)
		status = bs_feedback_take(&asking->learnt, &numbers, &asking->groups[0].reading.stop, n_most, sum, err);
	if (!status)
		status = keep_df(&counting, err);
	free(counting.all);
	return status;
}

/* A document of an index; one that is gone, or cannot be read, teaches nothing. */
static enum bs_status learn_document(struct bs_finding *finding, struct bs_asked *asked, uint64_t number, double trust, double avgdl,
                                     struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	const struct bs_text *texts;
	size_t n_texts;
	enum bs_status status = bs_finding_open(finding, asked);
	if (!status)
		status = bs_document_numbered(asked->finder, number, &texts, &n_texts, NULL, &asked->answer->why);
	if (status == BS_NOT_FOUND || status == BS_IO)
		return BS_OK;
	if (status)
		return bs_fail(err, status, "%s: %s", asked->item->name, asked->answer->why.text);
	struct bs_field *fields = calloc(n_texts + 1, sizeof(*fields));
	if (!fields)
		return bs_fail_memory(err, "texts", n_texts * sizeof(*fields));
	for (size_t i = 0; i < n_texts; i++) {
		fields[i] = (struct bs_field){.name = "", .text = (const uint8_t *)texts[i].text, .text_bytes = texts[i].text_bytes};
		asked->answer->fed.verify.bytes += texts[i].text_bytes;
	}
	asked->answer->fed.verify.verified++;
	status = bs_feedback_add(&asking->learnt, asking->groups[0].reading.words, fields, n_texts, trust, avgdl, err);
	free(fields);
	return status;
}

enum bs_status bs_finding_learn_from_best(struct bs_finding *finding, struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	const size_t most = asking->find->feedback_docs;
	const struct bs_find_hit *hit;
	struct bs_asked *asked;
	double best = 0, own_weight = 0;
	enum bs_status status = bs_asking_parse(asking, err);
	for (size_t i = 0; !status && asking->n_groups > 0 && i < asking->groups[0].tree->n_elements; i++)
		own_weight += asking->groups[0].tree->elements[i].weight;
	if (!status)
		status = bs_finding_feed(finding, err);
	double avgdl = bs_statistics_avgdl(asking->statistics);
	for (size_t i = 0; i < most && !status && (asked = bs_finding_next(finding, &hit)); i++) {
		best = i == 0 ? hit->score : best;
		if (!(best > 0))
			break;
		status = learn_document(finding, asked, hit->document, bs_feedback_trust(hit->score, best), avgdl, err);
	}
	return status ? status : take(finding, bs_statistics_n_docs(asking->statistics), BS_FEEDBACK_WORDS, own_weight, err);
}

/* A step: whether the index has documents of this id. */
static enum bs_status seek(struct bs_finding *finding, struct bs_asked *asked)
{
	const char *id = finding->step_context;
	bool is_found;
	enum bs_status status = bs_finding_open(finding, asked);
	return status ? status : bs_delete_find(&asked->index->snapshot, false, &id, 1, &is_found, &asked->like, &asked->answer->why);
}

/* NAME:ID, as ids are printed; or what some indexes have by that id. */
static enum bs_status find_like(struct bs_finding *finding, const char *id, bool *is_found_out, struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	const char *colon = strchr(id, ':');
	size_t n_name = colon ? (size_t)(colon - id) : 0;
	enum bs_status status = BS_OK;
	*is_found_out = false;
	for (int by_name = colon != NULL; by_name >= 0 && !*is_found_out && !status; by_name--) {
		size_t n = 0;
		list_reached(finding);
		for (size_t i = 0; i < finding->n_list && by_name; i++) {
			const char *name = finding->list[i]->item->name;
			if (strncmp(name, id, n_name) == 0 && name[n_name] == '\0')
				finding->list[n++] = finding->list[i];
		}
		finding->n_list = by_name ? n : finding->n_list;
		finding->step_context = (void *)(uintptr_t)(by_name ? colon + 1 : id);
		status = bs_finding_run_whole(finding, seek, err);
		for (size_t i = 0; i < asking->n_asked; i++)
			*is_found_out |= bs_vector_n(&asking->asked[i].like) > 0;
	}
	return status;
}

enum bs_status bs_finding_learn_from_like(struct bs_finding *finding, struct bs_error *err)
{
	struct bs_asking *asking = &finding->asking;
	const struct bs_find_request *find = asking->find;
	const struct bs_field text = {.name = "", .text = (const uint8_t *)find->like_text, .text_bytes = find->like_text_bytes};
	uint64_t n_docs = 0, n_positions = 0;
	bool is_found = true;
	enum bs_status status = find->like_id ? find_like(finding, find->like_id, &is_found, err) : BS_OK;
	if (!status && !is_found)
		status = bs_fail(err, BS_NOT_FOUND, "%s: no document of any index has this id", *find->like_id ? find->like_id : "''");
	for (size_t i = 0; i < asking->n_asked; i++) {
		const struct bs_catalog_item *item = asking->asked[i].item;
		n_docs += asking->asked[i].is_reached ? item->n_docs : 0;
		n_positions += asking->asked[i].is_reached ? item->n_positions : 0;
	}
	double avgdl = bs_bm25_avgdl(n_docs, n_positions);
	for (size_t i = 0; i < asking->n_asked && !status; i++) {
		const struct bs_doc_refs *like = &asking->asked[i].like;
		for (size_t k = 0; k < bs_vector_n(like) && !status; k++)
			status = learn_document(finding, &asking->asked[i], (uint64_t)like->items[k].segment << 32 | like->items[k].document, 1, avgdl, err);
	}
	if (!status && find->like_text && asking->n_groups > 0)
		status = bs_feedback_add(&asking->learnt, asking->groups[0].reading.words, &text, 1, 1, avgdl, err);
	if (!status)
		status = take(finding, n_docs, BS_LIKE_WORDS, 0, err);
	if (!status && find->like_id && asking->learnt.n_texts == 0)
		return bs_fail(err, BS_IO, "%s: its text is gone, or cannot be read", find->like_id);
	const struct bs_listener listener = {.notice = find->notice, .notice_query = find->notice_query, .context = find->context};
	return status || bs_feedback_n_taken(&asking->learnt) > 0 ? status : bs_question_learnt_nothing(find->query_bytes, &listener, err);
}
