/* model_ask.c: queries, and the comparison of the index's answers with the model's. See model.h. */
#include <math.h>

#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "tests/property/model/model.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

#define VOCABULARY 20

/* ---- queries ---- */

enum kind {
	ALL, /* all documents: the excluded word never occurs */
	WORD,
	AND,
	OR,
	NOT,
	OR_NOT,
	PHRASE,
	NEAR,
	PREFIX,
	GROUP,
	N_KINDS,
};

struct model_query {
	enum kind kind;
	uint32_t words[3];
	char text[64];
};

static void query_make(struct model_query *query, enum kind kind)
{
	static const char *const forms[N_KINDS] = {
		"-absent",     "w%u",         "w%u w%u",       "w%u OR w%u", "w%u -w%u",
		"w%u OR -w%u", "\"w%u w%u\"", "\"w%u w%u\"~2", "w%u*",       "w%u (w%u OR w%u)"};
	query->kind = kind;
	query->words[0] = below(kind == PREFIX ? 3 : VOCABULARY);
	query->words[1] = (query->words[0] + 1 + below(VOCABULARY - 1)) % VOCABULARY;
	query->words[2] = below(VOCABULARY);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(query->text, sizeof(query->text), forms[kind], query->words[0], query->words[1],
	         query->words[2]);
#pragma GCC diagnostic pop
}

/* Whether `word` matches word i of the query, which is a prefix in a prefix query. */
static bool is_word(const struct model_query *query, uint32_t i, uint8_t word)
{
	uint32_t wanted = query->words[i];
	return word == wanted ||
	       (query->kind == PREFIX && wanted > 0 && word < 100 && word / 10 == wanted);
}

static bool has(const struct model_query *query, uint32_t i, const struct model_doc *doc)
{
	for (size_t k = 0; k < doc->n_words; k++)
		if (is_word(query, i, doc->words[k]))
			return true;
	return false;
}

/* Whether the query's two words occur in one field at positions that differ by 1 to `most`: the
 * first word first or, with any_order, in either order. */
static bool is_close(const struct model_query *query, const struct model_doc *doc, size_t most,
                     bool any_order)
{
	for (size_t i = 0; i < doc->n_words; i++) {
		bool is_first = doc->words[i] == query->words[0];
		if (!is_first && !(any_order && doc->words[i] == query->words[1]))
			continue;
		uint32_t other = query->words[is_first];
		for (size_t k = i + 1;
		     k < doc->n_words && k <= i + most && doc->words[k] != MODEL_BREAK; k++)
			if (doc->words[k] == other)
				return true;
	}
	return false;
}

static bool query_matches(const struct model_query *query, const struct model_doc *doc)
{
	bool first = has(query, 0, doc), second = has(query, 1, doc);
	switch (query->kind) {
	case ALL:
		return true;
	case WORD:
	case PREFIX:
		return first;
	case AND:
		return first && second;
	case OR:
		return first || second;
	case NOT:
		return first && !second;
	case OR_NOT:
		return first || !second;
	case PHRASE:
		return is_close(query, doc, 1, false);
	case NEAR:
		return is_close(query, doc, 3, true);
	case GROUP:
		return first && (second || has(query, 2, doc));
	case N_KINDS:
		break;
	}
	return false;
}

/* Returns how often the word occurs among the query's scored words. */
static uint32_t weight_of(const struct model_query *query, uint8_t word)
{
	static const uint32_t n_positive[N_KINDS] = {0, 1, 2, 2, 1, 1, 2, 2, 1, 3};
	uint32_t weight = 0;
	for (uint32_t i = 0; i < n_positive[query->kind]; i++)
		weight += is_word(query, i, word);
	return weight;
}

/* ---- scores ---- */

static uint32_t count_word(const struct model_doc *doc, uint8_t word)
{
	uint32_t n = 0;
	for (size_t k = 0; k < doc->n_words; k++)
		n += doc->words[k] == word;
	return n;
}

static double length_of(const struct model_doc *doc)
{
	return (double)(doc->n_words - count_word(doc, MODEL_BREAK));
}

/* The document's BM25 score; df and the mean length do not count deleted documents. */
static double score_of(const struct model_query *query, const struct model_docs *docs,
                       const struct model_doc *doc)
{
	double mean = 0, score = 0, n = (double)docs->n;
	for (size_t i = 0; i < docs->n; i++)
		mean += length_of(&docs->at[i]) / n;
	for (uint8_t word = 0; word < 100; word++) {
		double tf = count_word(doc, word), df = 0;
		if (tf == 0 || weight_of(query, word) == 0)
			continue;
		for (size_t i = 0; i < docs->n; i++)
			df += count_word(&docs->at[i], word) > 0;
		score += weight_of(query, word) * log(1 + (n - df + 0.5) / (df + 0.5)) * tf * 2.2 /
		         (tf + 1.2 * (0.25 + 0.75 * length_of(doc) / mean));
	}
	return score;
}

/* ---- an answer ---- */

struct hit {
	char *id;
	double score;
};

struct answer {
	struct hit *hits;
	size_t n;
	struct bs_search_result result;
};

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct answer *answer = context;
	answer->hits = realloc(answer->hits, (answer->n + 1) * sizeof(*answer->hits));
	assert_non_null(answer->hits);
	answer->hits[answer->n++] =
		(struct hit){strndup(hit->id_bytes ? hit->id : "", hit->id_bytes), hit->score};
	return hit->rank != 0 && hit->rank != answer->n;
}

static void answer_deinit(struct answer *answer)
{
	for (size_t i = 0; i < answer->n; i++)
		free(answer->hits[i].id);
	free(answer->hits);
}

/* ---- expected answers ---- */

struct comparison {
	const struct model_state *state;
	const struct model_docs *now; /* documents of the current files */
	/* For each document of the commit: its current version, or NULL. */
	const struct model_doc **now_of;
	struct bs_searcher *searcher;
	enum model_view view;
	bool is_clean;  /* the documents did not change after the commit */
	bool is_scored; /* scores can be compared: MODEL_CLEAN, and no deleted documents */
	const struct model_query *query;
	struct bs_search_request request;
	bool is_same;
};

static void print_docs(const char *what, const struct model_docs *docs)
{
	fprintf(stderr, "  %s:\n", what);
	for (size_t i = 0; i < docs->n && i < 60; i++) {
		fprintf(stderr, "    %u %s:", docs->at[i].source, docs->at[i].id);
		for (size_t k = 0; k < docs->at[i].n_words && k < 30; k++)
			fprintf(stderr, " %u", docs->at[i].words[k]);
		fprintf(stderr, "\n");
	}
}

BS_PRINTF(3, 4)
static void differ(struct comparison *comparison, const struct answer *answer, const char *format,
                   ...)
{
	static const char *const modes[] = {"top", "ids", "count"};
	static const char *const view_names[] = {"clean", "sources changed since", "fresh"};
	va_list args;
	fprintf(stderr, "difference: query %s (%s%s, %s): ", comparison->query->text,
	        modes[comparison->request.output.mode],
	        comparison->request.method.brute ? ", brute" : "", view_names[comparison->view]);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n  found %" PRIu64 ":", answer->result.n_hits);
	for (size_t i = 0; i < answer->n; i++)
		fprintf(stderr, " %s", answer->hits[i].id);
	fprintf(stderr, "\n");
	if (comparison->is_same) {
		print_docs("the commit, 100 is another word, 255 the end of a field",
		           &comparison->state->docs);
		if (!comparison->is_clean)
			print_docs("now", comparison->now);
	}
	comparison->is_same = false;
}

/* If a source changed, a hit is verified by the current text, but the index selects candidates by
 * the old text. Therefore a document that matches only now may be a hit, or not. */
static bool may_be_hit(const struct comparison *comparison, size_t i)
{
	const struct model_doc *now = comparison->now_of[i];
	return now && query_matches(comparison->query, now);
}

static bool must_be_hit(const struct comparison *comparison, size_t i)
{
	return may_be_hit(comparison, i) &&
	       (comparison->request.method.brute ||
	        query_matches(comparison->query, &comparison->state->docs.at[i]));
}

/* Whether hit number `hit`, which has the id of document `doc`, must be a later document with this
 * id (two sources may have the same id). True if, from `hit` on, there are no more hits with the id
 * than documents after `doc` that have the id and must be found. */
static bool is_later_ones(const struct comparison *comparison, const struct answer *answer,
                          size_t hit, size_t doc)
{
	const struct model_docs *docs = &comparison->state->docs;
	size_t n_hits = 0, n_wanted = 0;
	for (size_t k = hit; k < answer->n; k++)
		n_hits += strcmp(answer->hits[k].id, docs->at[doc].id) == 0;
	for (size_t i = doc + 1; i < docs->n; i++)
		n_wanted +=
			strcmp(docs->at[i].id, docs->at[doc].id) == 0 && must_be_hit(comparison, i);
	return n_hits <= n_wanted;
}

/* Checks hits in document order against the documents of the commit. */
static void check_ids(struct comparison *comparison, const struct answer *answer)
{
	const struct model_docs *docs = &comparison->state->docs;
	size_t k = 0;
	for (size_t i = 0; i < docs->n; i++) {
		bool is_hit = k < answer->n && strcmp(answer->hits[k].id, docs->at[i].id) == 0;
		bool must = must_be_hit(comparison, i);
		if (is_hit && may_be_hit(comparison, i) &&
		    (must || !is_later_ones(comparison, answer, k, i))) {
			k++;
		} else if (must) {
			differ(comparison, answer,
			       "%s (source %u) is not found, or not in its place", docs->at[i].id,
			       docs->at[i].source);
			return;
		}
	}
	if (k < answer->n)
		differ(comparison, answer, "%s is found, or not in its place", answer->hits[k].id);
}

/* Returns a document with the id and score of a hit: the first one after `last` (NULL: none), else
 * the first one. NULL: there is none. */
static const struct model_doc *find_scored(const struct comparison *comparison,
                                           const struct hit *hit, const struct model_doc *last)
{
	const struct model_docs *docs = &comparison->state->docs;
	for (size_t i = last ? (size_t)(last - docs->at) + 1 : 0; i < docs->n; i++)
		if (strcmp(docs->at[i].id, hit->id) == 0 &&
		    query_matches(comparison->query, &docs->at[i]) &&
		    fabs(score_of(comparison->query, docs, &docs->at[i]) - hit->score) <=
		            1e-9 * (1 + fabs(hit->score)))
			return &docs->at[i];
	return last ? find_scored(comparison, hit, NULL) : NULL;
}

/* Checks that scores descend. If is_scored, also checks that ties are in document order, and that
 * scores follow the formula. */
static void check_scores(struct comparison *comparison, const struct answer *answer)
{
	const struct model_doc *last = NULL;
	for (size_t i = 0; i < answer->n; i++) {
		if (i > 0 && answer->hits[i].score > answer->hits[i - 1].score)
			differ(comparison, answer, "%s has a higher score than the one before it",
			       answer->hits[i].id);
		if (!comparison->is_scored)
			continue;
		bool is_tie = i > 0 && answer->hits[i].score == answer->hits[i - 1].score;
		const struct model_doc *doc =
			find_scored(comparison, &answer->hits[i], is_tie ? last : NULL);
		if (!doc)
			differ(comparison, answer, "%s has score %.17g", answer->hits[i].id,
			       answer->hits[i].score);
		if (is_tie && last && doc && last >= doc)
			differ(comparison, answer, "%s stands behind a later one of its score",
			       answer->hits[i].id);
		last = doc;
	}
}

/* ---- asking ---- */

static void ask(struct comparison *comparison, enum bs_search_mode mode, bool brute,
                struct answer *answer)
{
	*answer = (struct answer){.n = 0};
	comparison->request = (struct bs_search_request){
		QUERY(comparison->query->text), .output.mode = mode,
		.output.limit = 100000,         .method.brute = brute,
		.callbacks.hit = take_hit,      .callbacks.context = answer};
	enum bs_status status =
		bs_search(comparison->searcher, &comparison->request, &answer->result, ERR);
	if (status)
		differ(comparison, answer, "%s: %s", bs_status_name(status), said.text);
	else if (comparison->is_clean && answer->result.n_unreadable > 0)
		differ(comparison, answer, "%" PRIu64 " unreadable", answer->result.n_unreadable);
	else if (mode != BS_SEARCH_COUNT && answer->n != answer->result.n_hits)
		differ(comparison, answer, "%zu hits", answer->n);
	else if (mode == BS_SEARCH_IDS)
		check_ids(comparison, answer);
	else if (mode == BS_SEARCH_TOP)
		check_scores(comparison, answer);
}

static void compare_answers(struct comparison *comparison, const struct answer *a,
                            const struct answer *b)
{
	if (a->result.n_hits != b->result.n_hits)
		differ(comparison, b, "%" PRIu64 " hits, not %" PRIu64, b->result.n_hits,
		       a->result.n_hits);
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->hits[i].id, b->hits[i].id) != 0 ||
		    a->hits[i].score != b->hits[i].score) {
			differ(comparison, b, "rank %zu: %s %.17g, not %s %.17g", i + 1,
			       b->hits[i].id, b->hits[i].score, a->hits[i].id, a->hits[i].score);
			return;
		}
}

static void check_query(struct comparison *comparison)
{
	AUTO(answer_deinit) struct answer ids, brute_ids, count, top, brute_top;
	ask(comparison, BS_SEARCH_IDS, false, &ids);
	ask(comparison, BS_SEARCH_IDS, true, &brute_ids);
	ask(comparison, BS_SEARCH_COUNT, by_chance(30) && comparison->is_clean, &count);
	compare_answers(comparison, &ids, &count);
	ask(comparison, BS_SEARCH_TOP, false, &top);
	compare_answers(comparison, &ids, &(struct answer){.result = top.result});
	ask(comparison, BS_SEARCH_TOP, true, &brute_top);
	if (comparison->is_clean)
		compare_answers(comparison, &top, &brute_top);
}

bool model_compare(struct bs_index *index, const struct model_state *state,
                   const struct model_disk *disk, enum model_view view, unsigned n_queries)
{
	bool is_clean = view != MODEL_CHANGED;
	struct model_docs now = {0};
	struct bs_index_info info;
	struct model_query query;
	struct comparison comparison = {.state = state,
	                                .now = &now,
	                                .is_clean = is_clean,
	                                .view = view,
	                                .query = &query,
	                                .is_same = true};
	bs_index_describe(index, &info);
	for (uint32_t i = 0; i < state->n_sources; i++)
		if (strcmp(state->sources[i], "-") != 0)
			model_read_source(disk, state->sources[i], i, true, &now);
	comparison.now_of = must_calloc(state->docs.n + 1, sizeof(*comparison.now_of));
	for (size_t i = 0; i < state->docs.n; i++) {
		struct model_doc *doc = &state->docs.at[i];
		bool is_kept = is_clean || strcmp(state->sources[doc->source], "-") == 0;
		comparison.now_of[i] = is_kept ? doc : docs_find(&now, doc->source, doc->id);
	}
	comparison.is_scored = view == MODEL_CLEAN && info.n_deleted == 0;
	query_make(&query, ALL);
	if (info.n_docs != state->docs.n)
		differ(&comparison, &(struct answer){.n = 0}, "%" PRIu64 " documents, not %zu",
		       info.n_docs, state->docs.n);
	ok(bs_searcher_new(index, &comparison.searcher, ERR));
	for (unsigned i = 0; i < n_queries && comparison.is_same; i++) {
		query_make(&query, i == 0 ? ALL : (enum kind)below(N_KINDS));
		check_query(&comparison);
	}
	bs_searcher_free(comparison.searcher);
	free(comparison.now_of);
	docs_deinit(&now);
	return comparison.is_same;
}
