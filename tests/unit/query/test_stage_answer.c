/* test_stage_answer.c: the answer (query/answer) over two indexes: names, snippets, passages,
 * batches, documents by id, and explanations. */
#include "query/answer/batches.h"
#include "query/answer/document_text.h"
#include "query/answer/explain.h"
#include "query/answer/hit_assembly.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/stages_rig.h"

AUTO_OF(struct bs_matcher, bs_matcher_free)

static struct bs_hit_assembly assembly;
static const struct bs_hit_parts snippets = {.snippets = true, .mark_start = "[", .mark_stop = "]"};

static int teardown(void **state)
{
	bs_hit_assembly_deinit(&assembly);
	return rig_teardown(state);
}

/* ---- names ---- */

static struct bs_hit name(const struct rig_doc *doc)
{
	struct bs_hit hit = {.snippet = ""};
	ok(bs_hit_assembly_name(&assembly, rig.loader, doc->ref, &hit, ERR));
	return hit;
}

static void test_names(void **state)
{
	rig_load();
	for (size_t i = 0; i < rig.n_docs; i++) {
		const struct rig_doc *doc = &rig.docs[i * 211 % rig.n_docs];
		struct bs_hit hit = name(doc);
		assert_true(rig_is_text(hit.id, hit.id_bytes, doc->id));
		assert_true(rig_is_text(hit.local_id, hit.local_id_bytes, doc->id));
		assert_string_equal(hit.path, doc->line ? RIG_RECORDS : doc->id);
	}
}

/* ---- texts ---- */

static struct bs_matcher *new_matcher(const char *query)
{
	struct bs_matcher *matcher;
	rig_parse(query);
	ok(bs_matcher_new(rig.query, rig.analysis.tokenizer, &matcher, ERR));
	return matcher;
}

static struct bs_hit show(struct bs_matcher *matcher, const struct bs_hit_parts *wanted,
                          const struct rig_doc *doc)
{
	struct bs_hit hit = name(doc);
	ok(bs_hit_assembly_text(&assembly, rig.loader, matcher, wanted, doc->ref, &hit, ERR));
	return hit;
}

/* The snippet has the marked words, and without its marks it is a part of the text. */
static void check_snippet(const struct rig_doc *doc, const struct bs_hit *hit, const char *marked)
{
	char shown[2048], plain[2048];
	size_t n = 0;
	bool is_of_doc = false;
	snprintf(shown, sizeof(shown), "%.*s", (int)hit->snippet_bytes, hit->snippet);
	if (!strstr(shown, marked))
		fail_msg("%s: %s", doc->id, shown);
	for (const char *at = shown; *at; at++)
		if (*at != '[' && *at != ']')
			plain[n++] = *at;
	plain[n] = '\0';
	/* An ellipsis, "…", has three bytes. */
	char *start = strncmp(plain, "\xe2\x80\xa6", 3) == 0 ? plain + 3 : plain,
	     *end = strstr(start, "\xe2\x80\xa6");
	if (end)
		*end = '\0';
	for (n = strlen(start); n > 0 && start[n - 1] == ' '; n--)
		start[n - 1] = '\0';
	while (*start == ' ')
		start++;
	for (uint32_t f = 0; f < RIG_N_FIELDS; f++)
		is_of_doc |= strstr(doc->fields[f], start) != NULL;
	if (!is_of_doc)
		fail_msg("%s: %s", doc->id, start);
}

/* The first passage begins at the first occurrence of the word. */
static void check_passages(const struct rig_doc *doc, const struct bs_hit *hit, const char *word)
{
	static const char *const names[] = {"title", "body", "year"};
	uint32_t f = 0;
	while (rig_count(doc, f, word) == 0)
		f++;
	const char *text = doc->fields[f], *at = text;
	while (strncmp(at, word, strlen(word)) != 0 ||
	       (at[strlen(word)] != ' ' && at[strlen(word)] != '\0'))
		at += strcspn(at, " ") + 1;
	assert_true(hit->n_passages > 0);
	const struct bs_passage *passage = &hit->passages[0];
	assert_true(rig_is_text(passage->field, passage->field_bytes, doc->line ? names[f] : ""));
	assert_int_equal(passage->line, doc->line ? doc->line : 1);
	assert_int_equal(passage->column, at - text + 1);
	assert_int_equal(passage->start_byte, at - text);
	assert_true(passage->stop_byte >= passage->start_byte + strlen(word) &&
	            passage->stop_byte <= strlen(text));
	assert_true(passage->text_bytes > 0 && hit->best.text_bytes > 0);
}

static void test_texts(void **state)
{
	const struct bs_hit_parts both = {
		.snippets = true, .passages = true, .mark_start = "[", .mark_stop = "]"};
	AUTO(bs_matcher_free_at) struct bs_matcher *matcher = new_matcher("river");
	uint32_t n[RIG_N_INDEXES] = {0};
	rig_load();
	for (const struct rig_doc *doc = NULL; (doc = rig_next(doc)) != NULL;) {
		struct bs_hit hit = show(matcher, &both, doc);
		assert_false(hit.is_changed);
		assert_true(hit.snippet_bytes > 0);
		if (!rig_has(doc, "river")) {
			assert_int_equal(hit.n_passages, 0);
			assert_null(memchr(hit.snippet, '[', hit.snippet_bytes));
			continue;
		}
		check_snippet(doc, &hit, "[river]");
		check_passages(doc, &hit, "river");
		n[doc->entry]++;
	}
	assert_true(n[0] > 0 && n[1] > 0);
}

/* Words of a phrase are marked only in the phrase. Without snippets and passages no text is
 * returned. */
static void test_phrases(void **state)
{
	const struct bs_hit_parts nothing = {.mark_start = "[", .mark_stop = "]"};
	AUTO(bs_matcher_free_at) struct bs_matcher *matcher = new_matcher("\"quick brown\"");
	rig_load();
	for (const struct rig_doc *doc = NULL; (doc = rig_next(doc)) != NULL;) {
		struct bs_hit hit = show(matcher, &snippets, doc);
		if (rig_has(doc, "quick brown"))
			check_snippet(doc, &hit, "[quick] [brown]");
		else
			assert_null(memchr(hit.snippet, '[', hit.snippet_bytes));
		hit = show(matcher, &nothing, doc);
		assert_int_equal(hit.snippet_bytes + hit.n_passages, 0);
	}
}

static void test_changed(void **state)
{
	struct rig_doc *changed = rig_doc(RIG_FILES "/d001.txt"),
		       *gone = rig_doc(RIG_FILES "/d002.txt");
	AUTO(bs_matcher_free_at) struct bs_matcher *matcher = new_matcher("river");
	rig_change_file(changed, "now a river of paper");
	rig_remove_file(gone);
	rig_load();
	struct bs_hit hit = show(matcher, &snippets, changed);
	assert_true(hit.is_changed);
	assert_true(rig_is_text(hit.snippet, hit.snippet_bytes, "now a [river] of paper"));
	assert_null(show(matcher, &snippets, gone).snippet);
}

/* ---- batches ---- */

#define BATCH_HITS 500u

/* docs: the hits that were added. n, n_batches: the hits and batches that were passed on. */
struct taken {
	size_t n, n_batches;
	size_t most; /* the number of the batch that is refused; 0: none */
	const struct rig_doc *docs[BATCH_HITS];
};

static int take_batch(void *context, const struct bs_hit_batch *batch)
{
	struct taken *taken = context;
	assert_true(batch->n > 0);
	for (size_t i = 0, start = 0; i < batch->n; start = batch->id_ends[i++]) {
		const struct rig_doc *doc = taken->docs[taken->n];
		assert_true(rig_is_text(batch->ids + start, batch->id_ends[i] - start, doc->id));
		assert_int_equal(batch->documents[i],
		                 (uint64_t)doc->ref.segment << 32 | doc->ref.document);
		assert_int_equal(batch->are_candidates[i], taken->n % 3 == 0);
		taken->n++;
	}
	return ++taken->n_batches == taken->most;
}

static void test_batches(void **state)
{
	struct bs_batches *batches = NULL;
	rig_load();
	for (unsigned is_refused = 0; is_refused < 2; is_refused++) {
		struct taken taken = {.most = is_refused};
		const struct bs_batch_target target = {rig.loader, &assembly, take_batch, &taken};
		enum bs_status status = BS_OK;
		ok(bs_batches_begin(&batches, &target, ERR));
		for (size_t i = 0; i < BATCH_HITS && !status; i++) {
			taken.docs[i] = &rig.docs[i * 211 % rig.n_docs];
			status = bs_batches_add(batches, taken.docs[i]->ref, i % 3 == 0, ERR);
		}
		if (!status)
			status = bs_batches_flush(batches, ERR);
		assert_int_equal(status, is_refused ? BS_STOPPED : BS_OK);
		assert_int_equal(bs_batches_is_refused(batches), is_refused);
		assert_true(is_refused ? taken.n > 0 : taken.n == BATCH_HITS);
		assert_true(taken.n_batches > 0 && taken.n_batches < taken.n);
	}
	bs_batches_free(batches);
}

/* ---- documents by their ids ---- */

static void test_documents(void **state)
{
	AUTO(bs_document_texts_deinit) struct bs_document_texts texts = {.ids = NULL};
	struct bs_doc_ref ref;
	bool is_changed;
	rig_load();
	for (const struct rig_doc *doc = NULL; (doc = rig_next(doc)) != NULL;) {
		size_t n = 0;
		ok(bs_document_find(&texts, &rig.list, doc->id, strlen(doc->id), &ref, ERR));
		assert_true(rig_is_same(ref, doc->ref));
		ok(bs_document_read(&texts, rig.loader, ref, &is_changed, ERR));
		assert_false(is_changed);
		for (uint32_t f = 0; f < RIG_N_FIELDS; f++) {
			if (!doc->fields[f][0])
				continue;
			assert_true(n < bs_vector_n(&texts.texts));
			assert_true(rig_is_text(texts.texts.items[n].text,
			                        texts.texts.items[n].text_bytes, doc->fields[f]));
			n++;
		}
		assert_int_equal(bs_vector_n(&texts.texts), n);
	}
	/* A deleted document and an unknown id. */
	assert_int_equal(bs_document_find(&texts, &rig.list, "c10", 3, &ref, ERR), BS_NOT_FOUND);
	assert_int_equal(bs_document_find(&texts, &rig.list, "c9999", 5, &ref, ERR), BS_NOT_FOUND);
	assert_non_null(strstr(said.text, "c9999"));
	struct rig_doc *changed = rig_doc(RIG_FILES "/d001.txt"),
		       *gone = rig_doc(RIG_FILES "/d002.txt");
	rig_change_file(changed, "another paper");
	rig_remove_file(gone);
	ok(bs_document_read(&texts, rig.loader, changed->ref, &is_changed, ERR));
	assert_true(is_changed && rig_is_text(texts.texts.items[0].text,
	                                      texts.texts.items[0].text_bytes, "another paper"));
	assert_int_equal(bs_document_read(&texts, rig.loader, gone->ref, &is_changed, ERR),
	                 BS_NOT_FOUND);
}

/* ---- explanations ---- */

/* Appends a NUL. Returns the text, which is valid until the buffer changes. */
static const char *text_of(struct bs_buffer *text)
{
	append_bytes(text, "", 1);
	return (const char *)text->data;
}

static void test_explanations(void **state)
{
	static const char query[] = "(river OR zebra) -only27";
	static const char *const terms[] = {"river", "zebra", "only27"};
	struct bs_query_stats stats = {.hits = 0};
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	AUTO(bs_scan_deinit) struct bs_scan scan = {.n_frames = 0};
	AUTO(vector_deinit) struct bs_candidate_list candidates = {.items = NULL};
	rig_plan(query);
	ok(bs_explain_plan(&rig.plan, query, rig.kernel, &text, ERR));
	const char *shown = text_of(&text);
	for (size_t i = 0; i < 3; i++) {
		char df[64];
		const char *line = shown;
		snprintf(df, sizeof(df), "df %u", (unsigned)rig_df(terms[i]));
		/* The explanation has a line for each term, with its df, which is the sum over both
		 * indexes. */
		while ((line = strstr(line, terms[i])) != NULL) {
			size_t n = strcspn(line, "\n");
			const char *found = strstr(line, df);
			if (found && found < line + n)
				break;
			line += n;
		}
		if (!line)
			fail_msg("no %s of %s in: %s", df, terms[i], shown);
	}
	assert_non_null(strstr(shown, "\"river\""));
	/* The explanation of a phrase has a line for its word pair. */
	static const char phrase[] = "\"quick brown\"";
	char df[64];
	rig_plan(phrase);
	bs_buffer_clear(&text);
	ok(bs_explain_plan(&rig.plan, phrase, rig.kernel, &text, ERR));
	snprintf(df, sizeof(df), ": df %u\n",
	         (unsigned)rig.plan.terms.items[rig.plan.pairs.items[0].term].df);
	assert_non_null(strstr(text_of(&text), df));
	rig_plan(query);
	bs_buffer_clear(&text);
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		if (bs_plan_source(&rig.plan, s) == BS_PLAN_COLUMNS)
			ok(bs_scan_segment(&scan, &rig.plan, s, rig.kernel, &candidates, NULL,
			                   &stats.scan, ERR));
	}
	ok(bs_explain_waterfall(&rig.plan, rig.kernel, &scan, &stats, true, false, &text, ERR));
	shown = text_of(&text);
	for (size_t i = 0; i < 3; i++)
		assert_non_null(strstr(shown, terms[i]));
	char n_docs[32];
	snprintf(n_docs, sizeof(n_docs), "%u", (unsigned)bs_vector_n(&candidates));
	assert_non_null(strstr(shown, n_docs));
	bs_buffer_clear(&text);
	stats.hits = 123;
	stats.verify.verified = 45;
	ok(bs_explain_stats(&stats, &text, ERR));
	shown = text_of(&text);
	assert_non_null(strstr(shown, "123"));
	assert_non_null(strstr(shown, "45"));
}

RUN_TESTS_EACH_WITH(rig_setup, teardown, test_names, test_texts, test_phrases, test_changed,
                    test_batches, test_documents, test_explanations)
