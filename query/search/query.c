/* query.c: a query without a searcher (bitsift/query.h): its analysis (query_analysis.h), its tree,
 * and the matcher of texts. */
#include "core/bitsift/query.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/bitsift/build.h"
#include "core/store/field_weights.h"
#include "core/system/deadline.h"
#include "query/answer/snippet.h"
#include "query/language/query_analysis.h"
#include "query/plan/plan.h"
#include "query/search/index_handle.h"
#include "query/statistics/bm25.h"
#include "query/verify/match.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The document reference for texts, which are not documents of an index. */
static const struct bs_doc_ref no_ref = {BS_DOC_NONE, 0};

/* A `name:` leaf of the query, as a query of its own. */
struct asked_name {
	uint32_t n; /* The number of the leaf's node in the query. */
	struct bs_query_node node;
	struct bs_query_tree query;
	struct bs_matcher *matcher;
	bool has; /* The name that the caller set matches the leaf. */
};

BS_VECTOR(bs_query_texts, struct bs_field);
BS_VECTOR(bs_query_places, struct bs_query_place);

struct bs_query {
	struct bs_file_names names;     /* Must be first: has_name casts it. */
	const struct bs_limits *limits; /* The limits of each call; borrowed, nullable. */
	struct asked_name *asked;       /* The `name:` leaves. */
	uint32_t n_asked;
	struct bs_snapshot_list list; /* The index whose analysis is used; empty: none. */
	struct bs_query_analysis analysis;
	struct bs_term_table own_fields; /* Without an index: the fields that the request names. */
	char **own_weights;              /* Without an index: the weights in the request. */
	struct bs_query_tree *tree;
	struct bs_matcher *matcher;
	struct bs_query_texts fields;  /* The caller's texts, as fields of a document. */
	struct bs_word_hits hits;      /* The hits in these texts. */
	struct bs_query_places places; /* The memory of bs_query_result.places. */
	struct bs_buffer snippet;      /* The memory of bs_query_snippet.text. */
};

void bs_query_free(struct bs_query *query)
{
	if (!query)
		return;
	for (uint32_t i = 0; i < query->n_asked; i++)
		bs_matcher_free(query->asked[i].matcher);
	free(query->asked);
	bs_matcher_free(query->matcher);
	bs_query_tree_free(query->tree);
	bs_query_analysis_deinit(&query->analysis);
	bs_term_table_deinit(&query->own_fields);
	bs_strings_free(query->own_weights);
	bs_snapshot_list_deinit(&query->list);
	bs_vector_deinit(&query->fields);
	bs_vector_deinit(&query->hits);
	bs_vector_deinit(&query->places);
	bs_buffer_deinit(&query->snippet);
	free(query);
}

/* Makes the query analysis from the request, for a query without an index. */
static enum bs_status read_as_told(struct bs_query *query, const struct bs_query_request *request,
                                   struct bs_error *err)
{
	struct bs_tokenizer_options words = {
		.stem_language = request->stem_language,
		.fold_accents = request->fold_accents,
		.split_identifiers = request->split_identifiers,
	};
	enum bs_status status = bs_query_analysis_init_words(&query->analysis, &words, err);
	for (const char *const *name = request->fields; name && *name && !status; name++) {
		uint32_t number;
		status = bs_term_table_intern(
			&query->own_fields, (const uint8_t *)*name, (uint32_t)strlen(*name),
			bs_hash_slot(*name, strlen(*name)), &number, NULL, err);
	}
	bs_query_analysis_set_fields(&query->analysis, &query->own_fields);
	query->analysis.fields.has_file_names = request->file_names;
	return status ? status : bs_field_weights_make(request->weights, &query->own_weights, err);
}

static enum bs_status read_as_index(struct bs_query *query, const struct bs_index *index,
                                    struct bs_error *err)
{
	const struct bs_list_entry entry = {.snapshot = &index->snapshot,
	                                    .has_other_words = index->has_other_words};
	enum bs_status status = bs_snapshot_list_init(&query->list, &entry, 1, err);
	return status ? status : bs_query_analysis_init(&query->analysis, &query->list, 0, err);
}

static enum bs_status read_query(struct bs_query *query, const struct bs_query_request *request,
                                 size_t *error_byte, struct bs_error *err)
{
	const struct bs_stop_choice stop = {request->stop_language, request->stop_words,
	                                    request->stop_words_bytes};
	enum bs_status status = request->index ? read_as_index(query, request->index, err)
	                                       : read_as_told(query, request, err);
	if (!status)
		status = bs_query_analysis_begin(&query->analysis, &stop, NULL, err);
	if (status)
		return status;
	struct bs_query_options options = bs_query_analysis_options(&query->analysis);
	options.any = request->any;
	options.strict = request->strict_query;
	status = bs_query_analysis_parse(&query->analysis, request->query, request->query_bytes,
	                                 &options, &query->tree, error_byte, err);
	if (status != BS_INVALID)
		*error_byte = SIZE_MAX;
	for (uint32_t i = 0; !status && i < query->tree->notices.n && request->notice; i++)
		request->notice(request->context, query->tree->notices.lines[i].text);
	return status;
}

/* Whether leaf n matches the file name that the caller set, which is that of all texts. */
static enum bs_status has_name(struct bs_file_names *names, uint32_t n, struct bs_doc_ref ref,
                               bool *has_out, struct bs_error *err)
{
	const struct asked_name *asked = ((struct bs_query *)(void *)names)->asked;
	(void)ref, (void)err;
	while (asked->n != n)
		asked++;
	*has_out = asked->has;
	return BS_OK;
}

static enum bs_status ask_names(struct bs_query *query, struct bs_error *err)
{
	const struct bs_query_tree *tree = query->tree;
	uint32_t n_leaves = 0;
	enum bs_status status = BS_OK;
	query->names.has = has_name;
	query->names.is_loose = true;
	bs_matcher_ask_names(query->matcher, &query->names);
	for (size_t n = 0; n < tree->n_nodes; n++)
		n_leaves += bs_query_is_file_name(&tree->nodes[n]);
	query->asked = calloc(n_leaves + (size_t)1, sizeof(*query->asked));
	if (!query->asked)
		return bs_fail_memory(err, "names", n_leaves * sizeof(*query->asked));
	for (uint32_t n = 0; n < tree->n_nodes && !status; n++) {
		struct asked_name *asked = &query->asked[query->n_asked];
		if (!bs_query_is_file_name(&tree->nodes[n]))
			continue;
		query->n_asked++;
		asked->n = n;
		asked->node = tree->nodes[n];
		asked->node.field = BS_QUERY_ANY_FIELD;
		asked->query = *tree;
		asked->query.nodes = &asked->node;
		asked->query.n_nodes = 1;
		status = bs_matcher_new(&asked->query, query->analysis.tokenizer, &asked->matcher,
		                        err);
	}
	return status;
}

static enum bs_status check_request(const struct bs_query_request *request, struct bs_error *err)
{
	bool is_told = request->stem_language || request->fold_accents ||
	               request->split_identifiers || request->weights || request->fields ||
	               request->file_names;
	if (request->index && is_told)
		return bs_fail(err, BS_INVALID,
		               "struct bs_query_request: the index says how words are cut and what "
		               "fields are, or the "
		               "request, not both");
	return BS_CHECK_RESERVED(err, BS_RESERVED(bs_query_request, *request));
}

static enum bs_status make_query(struct bs_query *query, const struct bs_query_request *request,
                                 size_t *error_byte, struct bs_error *err)
{
	enum bs_status status = read_query(query, request, error_byte, err);
	if (!status)
		status = bs_matcher_new(query->tree, query->analysis.tokenizer, &query->matcher,
		                        err);
	if (!status)
		status = ask_names(query, err);
	if (!status)
		bs_matcher_weigh_fields(query->matcher,
		                        request->index
		                                ? request->index->snapshot.manifest.options.weights
		                                : query->own_weights);
	return status;
}

enum bs_status bs_query_new(const struct bs_query_request *request, struct bs_query **query_out,
                            size_t *error_byte_out, struct bs_error *err)
{
	size_t error_byte = SIZE_MAX;
	struct bs_query *query = NULL;
	struct bs_deadline deadline;
	enum bs_status status = check_request(request, err);
	if (!status && !(query = calloc(1, sizeof(*query))))
		status = bs_fail_memory(err, "a query", sizeof(*query));
	if (!status)
		status = bs_deadline_begin(&deadline, request->limits, err);
	if (!status) {
		query->limits = request->limits;
		status = make_query(query, request, &error_byte, err);
		bs_deadline_end(&deadline);
	}
	if (status) {
		bs_query_free(query);
		query = NULL;
	}
	*query_out = query;
	if (error_byte_out)
		*error_byte_out = error_byte;
	return status;
}

enum bs_status bs_query_set_name(struct bs_query *query, const char *name, size_t name_bytes,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	const struct bs_field text = {
		.name = "", .text = (const uint8_t *)name, .text_bytes = name ? name_bytes : 0};
	for (uint32_t i = 0; i < query->n_asked && !status; i++) {
		struct bs_match match = {.matches = false};
		if (text.text_bytes > 0)
			status = bs_match_document(query->asked[i].matcher, no_ref, &text, 1,
			                           &match, err);
		query->asked[i].has = match.matches;
	}
	return status;
}

/* Converts the caller's texts to fields for the matcher. */
static enum bs_status take_texts(struct bs_query *query, const struct bs_text *texts,
                                 size_t n_texts, struct bs_error *err)
{
	uint64_t n_bytes = 0;
	bs_vector_clear(&query->fields);
	enum bs_status status = bs_vector_reserve(&query->fields, n_texts, err);
	for (size_t i = 0; i < n_texts && !status; i++) {
		const struct bs_text *text = &texts[i];
		struct bs_field field = {
			.name = text->field_bytes ? text->field : "",
			.name_bytes = text->field_bytes,
			.text = (const uint8_t *)(text->text_bytes ? text->text : ""),
			.text_bytes = text->text_bytes,
		};
		status = bs_vector_append(&query->fields, &field, err);
		n_bytes = text->text_bytes <= BS_MAX_DOCUMENT_BYTES ? n_bytes + text->text_bytes
		                                                    : BS_MAX_DOCUMENT_BYTES + 1;
		if (!status && n_bytes > BS_MAX_DOCUMENT_BYTES)
			status = bs_fail(err, BS_INVALID, "a document of more than %llu bytes",
			                 (unsigned long long)BS_MAX_DOCUMENT_BYTES);
	}
	return status;
}

/* Advances *line (a line's number) and *line_start (its first byte) to the line that contains byte
 * `to`. *looked: the bytes before it were already searched for line feeds. */
static void move_to(const struct bs_field *field, size_t to, uint64_t *line, size_t *line_start,
                    size_t *looked)
{
	const uint8_t *feed;
	while (*looked < to && (feed = memchr(field->text + *looked, '\n', to - *looked))) {
		*looked = *line_start = (size_t)(feed - field->text) + 1;
		++*line;
	}
	if (*looked < to)
		*looked = to;
}

static size_t clamp(uint64_t offset, size_t most)
{
	return offset < most ? (size_t)offset : most;
}

/* Converts hits to the places that the caller gets, with lines and columns. */
static enum bs_status list_places(struct bs_query *query, struct bs_error *err)
{
	const struct bs_word_hit *hits = query->hits.items;
	size_t n = bs_vector_n(&query->hits), line_start = 0, looked = 0;
	uint64_t line = 1;
	enum bs_status status = BS_OK;
	bs_vector_clear(&query->places);
	for (size_t i = 0; i < n && !status; i++) {
		const struct bs_field *field = &query->fields.items[hits[i].field];
		size_t start = clamp(hits[i].start_byte, field->text_bytes),
		       stop = clamp(hits[i].end_byte, field->text_bytes);
		bool is_marked =
			field->text_bytes >= 3 && memcmp(field->text, "\xef\xbb\xbf", 3) == 0;
		if (i == 0 || hits[i].field != hits[i - 1].field) {
			line = 1;
			looked = line_start = is_marked ? 3 : 0;
		}
		move_to(field, start, &line, &line_start, &looked);
		struct bs_query_place place = {
			.text = hits[i].field,
			.line = line,
			.start_byte = start,
			.stop_byte = stop,
			.element = hits[i].element,
			.column = (start > line_start ? start - line_start : 0) + 1};
		status = bs_vector_append(&query->places, &place, err);
	}
	return status;
}

/* Matches the texts, and stores their hits in query->hits. */
static enum bs_status find_hits(struct bs_query *query, const struct bs_text *texts, size_t n_texts,
                                struct bs_match *match_out, struct bs_error *err)
{
	enum bs_status status = take_texts(query, texts, n_texts, err);
	return status ? status
	              : bs_match_hits(query->matcher, no_ref, query->fields.items, n_texts, true,
	                              match_out, &query->hits, err);
}

static enum bs_status match(struct bs_query *query, const struct bs_text *texts, size_t n_texts,
                            struct bs_query_result *result_out, struct bs_error *err)
{
	struct bs_match match = {.matches = false};
	enum bs_status status = find_hits(query, texts, n_texts, &match, err);
	if (!status)
		status = list_places(query, err);
	if (status)
		return status;
	*result_out = (struct bs_query_result){
		.is_match = match.matches,
		.places = query->places.items,
		.n_places = bs_vector_n(&query->places),
		.length = match.length,
	};
	return BS_OK;
}

enum bs_status bs_query_match(struct bs_query *query, const struct bs_text *texts, size_t n_texts,
                              struct bs_query_result *result_out, struct bs_error *err)
{
	struct bs_deadline deadline;
	*result_out = (struct bs_query_result){.is_match = false};
	enum bs_status status = bs_deadline_begin(&deadline, query->limits, err);
	if (status)
		return status;
	status = match(query, texts, n_texts, result_out, err);
	bs_deadline_end(&deadline);
	return status;
}

enum bs_status bs_query_make_snippet(struct bs_query *query, const struct bs_text *texts,
                                     size_t n_texts, const struct bs_query_snippet_request *request,
                                     struct bs_query_snippet *snippet_out, struct bs_error *err)
{
	const struct bs_snippet_options options = {.mark_start = request->mark_start,
	                                           .mark_stop = request->mark_stop,
	                                           .width = request->columns,
	                                           .favours_after = request->favours_after};
	struct bs_match match = {.matches = false};
	struct bs_deadline deadline;
	*snippet_out = (struct bs_query_snippet){.text = ""};
	enum bs_status status =
		BS_CHECK_RESERVED(err, BS_RESERVED(bs_query_snippet_request, *request));
	if (!status)
		status = bs_deadline_begin(&deadline, query->limits, err);
	if (status)
		return status;
	bs_buffer_clear(&query->snippet);
	status = find_hits(query, texts, n_texts, &match, err);
	if (!status)
		status = bs_snippet_write(query->fields.items, n_texts, query->hits.items,
		                          bs_vector_n(&query->hits), NULL, &options,
		                          &query->snippet, err);
	bs_deadline_end(&deadline);
	if (!status && query->snippet.used_bytes > 0)
		*snippet_out = (struct bs_query_snippet){.text = (const char *)query->snippet.data,
		                                         .text_bytes = query->snippet.used_bytes};
	snippet_out->is_match = match.matches;
	return status;
}

enum bs_status bs_query_choose_span(const struct bs_text *texts, size_t n_texts,
                                    const struct bs_query_place *places, size_t n_places,
                                    uint32_t n_words, struct bs_query_span *span_out,
                                    struct bs_error *err)
{
	struct bs_field *fields = malloc((n_texts + 1) * sizeof(*fields));
	struct bs_word_hit *hits = malloc((n_places + 1) * sizeof(*hits)), span;
	*span_out = (struct bs_query_span){.text = 0};
	enum bs_status status =
		fields && hits ? BS_OK : bs_fail_memory(err, "a snippet", n_places * sizeof(*hits));
	for (size_t i = 0; i < n_texts && !status; i++)
		fields[i] = (struct bs_field){.text = (const uint8_t *)texts[i].text,
		                              .text_bytes = texts[i].text_bytes};
	for (size_t i = 0; i < n_places && !status; i++)
		hits[i] = (struct bs_word_hit){.field = (uint32_t)places[i].text,
		                               .element = (uint32_t)places[i].element,
		                               .start_byte = places[i].start_byte,
		                               .end_byte = places[i].stop_byte};
	if (!status && n_texts > 0 &&
	    !(status = bs_snippet_span(fields, n_texts, hits, n_places, n_words, &span, err)))
		*span_out = (struct bs_query_span){
			span.field, (size_t)span.start_byte, (size_t)span.end_byte, {0}};
	free(fields);
	free(hits);
	return status;
}

static enum bs_status score(struct bs_query *query, const struct bs_text *texts, size_t n_texts,
                            const struct bs_statistics *statistics, double *score_out,
                            struct bs_error *err)
{
	struct bs_match match = {.matches = false};
	const struct bs_corpus corpus = {NULL, statistics};
	double avgdl = bs_corpus_avgdl(&corpus), idf;
	enum bs_status status = bs_plan_check_statistics(statistics, query->tree, err);
	if (!status)
		status = take_texts(query, texts, n_texts, err);
	if (!status)
		status = bs_match_document(query->matcher, no_ref, query->fields.items, n_texts,
		                           &match, err);
	for (size_t i = 0; i < match.n_words && !status; i++) {
		const struct bs_match_word *word = &match.words[i];
		status = bs_corpus_idf(&corpus, word->term, word->term_bytes, 0, &idf, err);
		*score_out +=
			status ? 0
			       : bs_bm25_share(word->weight * idf, word->tf, match.length, avgdl);
	}
	return status;
}

enum bs_status bs_query_score(struct bs_query *query, const struct bs_text *texts, size_t n_texts,
                              const struct bs_statistics *statistics, double *score_out,
                              struct bs_error *err)
{
	struct bs_deadline deadline;
	*score_out = 0;
	enum bs_status status = bs_deadline_begin(&deadline, query->limits, err);
	if (status)
		return status;
	status = score(query, texts, n_texts, statistics, score_out, err);
	bs_deadline_end(&deadline);
	return status;
}
