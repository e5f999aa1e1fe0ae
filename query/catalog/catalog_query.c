/* catalog_query.c: see catalog_query.h. */
#include "query/catalog/catalog_query.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/bitsift/query.h"
#include "core/system/icu.h"
#include "query/language/query_analysis.h"
#include "query/plan/may_match.h"
#include "query/search/question.h"

/* At most MOST_WORDS words of a query get suggestions, each from at most MOST_LIKE indexes. */
#define MOST_WORDS 3
#define MOST_LIKE  16u
/* If the summaries of more than MOST_UNSURE indexes allow a word, the word counts as present, and
 * no further indexes are opened to look it up. */
#define MOST_UNSURE 64u

/* A query analysis for indexes with equal tokenizer rules, and the query parsed with it. */
struct bs_catalog_analysis {
	const struct bs_catalog_item *item; /* The first of the indexes. */
	struct bs_query_analysis analysis;
	struct bs_query_tree *tree;
};

void bs_catalog_query_deinit(struct bs_catalog_query *query)
{
	for (size_t i = 0; i < query->n_analyses; i++) {
		bs_query_tree_free(query->analyses[i].tree);
		bs_query_analysis_deinit(&query->analyses[i].analysis);
	}
	free(query->analyses);
	bs_term_table_deinit(&query->fields);
	bs_statistics_free(query->others);
}

enum bs_status bs_catalog_query_check(const struct bs_catalog_query *query, struct bs_error *err)
{
	const struct bs_search_request *find = query->find;
	const bool learns =
		find->query.feedback_docs || find->query.like_id || find->query.like_text;
	const struct bs_catalog_item *first = NULL;
	for (size_t i = 0; i < query->n_parts && (query->is_scored || learns); i++) {
		const struct bs_catalog_item *item = query->parts[i].item;
		if (!query->parts[i].is_reached)
			continue;
		if (first && first->analysis != item->analysis)
			return bs_fail(err, BS_INVALID,
			               "%s and %s split words differently, so their scores cannot "
			               "be compared: "
			               "%sindex one of them again with the options of the other",
			               first->name, item->name,
			               learns ? "" : "use --ids or --count, or ");
		first = item;
	}
	return BS_OK;
}

static enum bs_status intern(struct bs_term_table *table, const uint8_t *name, size_t name_bytes,
                             struct bs_error *err)
{
	uint32_t number;
	return bs_term_table_intern(table, name, (uint32_t)name_bytes,
	                            bs_hash_slot(name, name_bytes), &number, NULL, err);
}

/* Adds a name to query->others if it is a field of some index; to query->fields, if of records. */
static enum bs_status find_field(struct bs_catalog_query *query, const uint8_t *name,
                                 uint32_t name_bytes, struct bs_error *err)
{
	static const char of_files[] = "name";
	const bool is_name =
		name_bytes == sizeof(of_files) - 1 && memcmp(name, of_files, name_bytes) == 0;
	unsigned kinds = 0;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < query->n_parts && !status; i++) {
		const struct bs_catalog_item *item = query->parts[i].item;
		unsigned here = 0;
		if (!query->parts[i].is_reached)
			continue;
		status = bs_catalog_field_kinds(item, name, name_bytes, &here, err);
		kinds |= here |
		         (is_name && (item->flags & BS_CATALOG_HAS_FILES) ? BS_FIELD_OF_FILES : 0u);
	}
	if (status || !kinds)
		return status;
	query->has_fields = true;
	status = bs_statistics_add_field(query->others, (const char *)name, name_bytes, kinds, err);
	return status || !(kinds & BS_FIELD_OF_RECORDS)
	               ? status
	               : intern(&query->fields, name, name_bytes, err);
}

/* Adds to query->fields the names in the query, and the sort field, that are fields of
 * records. */
static enum bs_status find_fields(struct bs_catalog_query *query, struct bs_error *err)
{
	const struct bs_search_request *find = query->find;
	const uint8_t *sort = (const uint8_t *)find->output.sort_field;
	struct bs_term_table names = {0};
	enum bs_status status = bs_icu_load(err);
	for (int joins = 0; joins < 2 && !status; joins++)
		status = bs_find_field_names((const uint8_t *)find->query.text,
		                             find->query.text_bytes, joins, &names, err);
	if (!status && sort && *sort)
		status = intern(&names, sort, strlen(find->output.sort_field), err);
	for (uint32_t i = 0; i < names.n_terms && !status; i++)
		status = find_field(query, bs_term_table_key(&names, i), names.entries[i].n_bytes,
		                    err);
	/* If no index is searched, nothing else reports a wrong sort field. */
	if (!status && sort &&
	    !bs_statistics_has_values(query->others, sort,
	                              (uint32_t)strlen(find->output.sort_field)))
		status = bs_fail(err, BS_INVALID, "%s: no field with numbers or dates to sort by",
		                 *sort ? find->output.sort_field : "''");
	bs_term_table_deinit(&names);
	return status;
}

static bool has_values(void *context, uint32_t number)
{
	const struct bs_catalog_query *query = context;
	const uint8_t *name =
		number == BS_QUERY_ANY_FIELD ? NULL : bs_term_table_key(&query->fields, number);
	return !name ||
	       bs_statistics_has_values(query->others, name, query->fields.entries[number].n_bytes);
}

/* Parses the query as if for a single index with the fields of all indexes of the catalog. */
static enum bs_status parse(struct bs_catalog_query *query, struct bs_catalog_analysis *analysis,
                            struct bs_error *err)
{
	const struct bs_search_request *find = query->find;
	const struct bs_stop_choice stop = {find->query.stop_language, find->query.stop_words,
	                                    find->query.stop_words_bytes};
	const struct bs_tokenizer_options words =
		bs_index_words_options(&analysis->item->read.options);
	struct bs_statistics_field field;
	size_t error_byte = SIZE_MAX;
	enum bs_status status = bs_query_analysis_init_words(&analysis->analysis, &words, err);
	if (!status)
		status = bs_query_analysis_begin(&analysis->analysis, &stop, NULL, err);
	if (status)
		return status;
	bs_query_analysis_set_fields(&analysis->analysis, &query->fields);
	for (size_t i = 0; bs_statistics_field_at(query->others, i, &field); i++)
		analysis->analysis.fields.has_file_names |= (field.kinds & BS_FIELD_OF_FILES) != 0;
	struct bs_query_options options = bs_query_analysis_options(&analysis->analysis);
	options.any = find->query.any;
	options.strict = find->query.strict;
	options.has_values = has_values;
	options.has_dates_alone = NULL;
	options.context = query;
	status = bs_query_analysis_parse(&analysis->analysis, find->query.text,
	                                 find->query.text_bytes, &options, &analysis->tree,
	                                 &error_byte, err);
	if (status == BS_INVALID)
		query->error_byte = error_byte;
	return status;
}

static enum bs_status find_analysis(struct bs_catalog_query *query, struct bs_catalog_part *part,
                                    struct bs_error *err)
{
	for (size_t i = 0; i < query->n_analyses && !part->analysis; i++)
		if (query->analyses[i].item->analysis == part->item->analysis)
			part->analysis = &query->analyses[i];
	if (part->analysis)
		return BS_OK;
	struct bs_catalog_analysis *analysis = &query->analyses[query->n_analyses++];
	part->analysis = analysis;
	analysis->item = part->item;
	return parse(query, analysis, err);
}

/* Whether the index was made with other tokenizer rules. Reuses the result for the previous index
 * if the recorded versions are equal. */
static enum bs_status has_other_words(const struct bs_catalog_part *part,
                                      const struct bs_manifest **before, bool *is_other,
                                      struct bs_error *err)
{
	const struct bs_manifest *read = &part->item->read;
	if (*before && strcmp((*before)->versions.icu, read->versions.icu) == 0 &&
	    strcmp((*before)->versions.unicode, read->versions.unicode) == 0 &&
	    (*before)->options.words_revision == read->options.words_revision &&
	    !(*before)->options.analyzer_name == !read->options.analyzer_name)
		return BS_OK;
	*before = read;
	return bs_manifest_has_other_words(read, is_other, err);
}

static enum bs_status parse_all(struct bs_catalog_query *query, struct bs_error *err)
{
	const struct bs_manifest *before = NULL;
	bool is_other = false;
	query->analyses = calloc(query->n_parts + 1, sizeof(*query->analyses));
	if (!query->analyses)
		return bs_fail_memory(err, "a query", query->n_parts * sizeof(*query->analyses));
	enum bs_status status = bs_statistics_new(&query->others, err);
	if (!status)
		status = find_fields(query, err);
	for (size_t i = 0; i < query->n_parts && !status; i++) {
		struct bs_catalog_part *part = &query->parts[i];
		if (!part->is_reached)
			continue;
		status = has_other_words(part, &before, &is_other, err);
		part->is_unknown = is_other || !(part->item->flags & BS_CATALOG_SUMMARY);
		if (!status)
			status = find_analysis(query, part, err);
	}
	return status;
}

/* Looks a word up in the catalog's data about an index. *may_out: some document may have the word.
 * *is_known_out: its df is known, and is *df_out. */
static enum bs_status know_word(const struct bs_catalog_part *part,
                                const struct bs_element *element, bool *may_out, bool *is_known_out,
                                uint64_t *df_out, struct bs_error *err)
{
	*may_out = true;
	*is_known_out = false;
	*df_out = 0;
	if (part->is_unknown)
		return BS_OK;
	enum bs_status status = bs_summary_may_have_word(
		&part->item->summary, bs_hash_term(element->term, element->term_bytes), may_out,
		err);
	if (!status && *may_out)
		status = bs_catalog_df(part->item, element->term, element->term_bytes, is_known_out,
		                       df_out, err);
	return status;
}

/* For an index that cannot match: sets is_probed, so that the index is opened nevertheless, if
 * scores need its df of a term and the catalog does not have that df. */
static enum bs_status choose_probe(struct bs_catalog_part *part, struct bs_error *err)
{
	const struct bs_query_tree *tree = part->analysis->tree;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < tree->n_elements && !status && !part->is_probed; i++) {
		const struct bs_element *element = &tree->elements[i];
		bool may = true, is_known = false;
		uint64_t df;
		if (element->kind == BS_ELEMENT_BIGRAM || !element->is_positive ||
		    !(element->weight > 0))
			continue;
		if (element->kind == BS_ELEMENT_TERM)
			status = know_word(part, element, &may, &is_known, &df, err);
		else if (!part->is_unknown)
			status = bs_element_may_match(&part->item->summary, element, &may, err);
		part->is_probed = may && !is_known;
	}
	return status;
}

enum bs_status bs_catalog_query_choose(struct bs_catalog_query *query, struct bs_error *err)
{
	bool is_any_asked = false;
	enum bs_status status = parse_all(query, err);
	for (size_t i = 0; i < query->n_parts && !status; i++) {
		struct bs_catalog_part *part = &query->parts[i];
		if (!part->is_reached)
			continue;
		part->is_asked = true;
		if (!part->is_unknown)
			status = bs_query_may_match(part->analysis->tree, &part->item->summary,
			                            &part->is_asked, err);
		is_any_asked |= part->is_asked;
	}
	/* If no index may match, nothing is scored. */
	for (size_t i = 0; i < query->n_parts && is_any_asked && query->is_scored && !status; i++)
		if (query->parts[i].is_reached && !query->parts[i].is_asked)
			status = choose_probe(&query->parts[i], err);
	return status;
}

/* Adds the dfs of the query's words in an index to query->others, as far as the catalog has
 * them. */
static enum bs_status count_words(struct bs_catalog_query *query,
                                  const struct bs_catalog_part *part, struct bs_error *err)
{
	const struct bs_query_tree *tree = part->analysis->tree;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < tree->n_elements && !status; i++) {
		const struct bs_element *element = &tree->elements[i];
		bool may, is_known;
		uint64_t df = 0;
		if (element->kind != BS_ELEMENT_TERM)
			continue;
		status = know_word(part, element, &may, &is_known, &df, err);
		if (!status && df > 0)
			status = bs_statistics_add_word(query->others, (const char *)element->term,
			                                element->term_bytes, df, err);
	}
	return status;
}

enum bs_status bs_catalog_query_count_others(struct bs_catalog_query *query, struct bs_error *err)
{
	struct bs_statistics *fields = query->others, *others;
	struct bs_statistics_field field;
	uint64_t n_docs = 0, n_positions = 0;
	enum bs_status status = bs_statistics_new(&others, err);
	for (size_t i = 0; !status && bs_statistics_field_at(fields, i, &field); i++)
		status = bs_statistics_add_field(others, (const char *)field.name, field.name_bytes,
		                                 field.kinds, err);
	bs_statistics_free(fields);
	query->others = others;
	for (size_t i = 0; i < query->n_parts && !status; i++) {
		const struct bs_catalog_part *part = &query->parts[i];
		if (!part->is_reached || part->index)
			continue;
		n_docs += part->item->n_docs;
		n_positions += part->item->n_positions;
		status = count_words(query, part, err);
	}
	if (!status)
		bs_statistics_set(others, n_docs, n_positions);
	return status;
}

/* An index, and how many trigrams of a word it may have. */
struct likely {
	struct bs_catalog_part *part;
	uint32_t n_grams;
};

static int compare_likely(const void *a, const void *b)
{
	const struct likely *x = a, *y = b;
	int order = bs_compare_u64(y->n_grams, x->n_grams);
	if (!order)
		order = bs_compare_u64(y->part->item->n_docs, x->part->item->n_docs);
	return order ? order : bs_compare_u64((uintptr_t)x->part, (uintptr_t)y->part);
}

/* Selects the indexes (is_probed) that may have the most trigrams of a word, at most MOST_LIKE;
 * among equals, those with most documents. */
static enum bs_status probe_likely(struct bs_catalog_query *query, const struct bs_element *element,
                                   struct bs_error *err)
{
	struct likely *likely = calloc(query->n_parts, sizeof(*likely));
	size_t n = 0;
	enum bs_status status =
		likely ? BS_OK : bs_fail_memory(err, "a list", query->n_parts * sizeof(*likely));
	for (size_t i = 0; i < query->n_parts && !status; i++) {
		struct bs_catalog_part *part = &query->parts[i];
		if (!part->is_reached)
			continue;
		likely[n].part = part;
		for (uint32_t k = 2; k < element->term_bytes && !status; k++) {
			bool may = true;
			if (!part->is_unknown)
				status = bs_summary_may_have_gram(&part->item->summary,
				                                  element->term + k - 2, &may, err);
			likely[n].n_grams += may;
		}
		n++;
	}
	if (n > 0)
		qsort(likely, n, sizeof(*likely), compare_likely);
	for (size_t i = 0; i < n && i < MOST_LIKE && !status; i++)
		likely[i].part->is_probed = true;
	free(likely);
	return status;
}

/* Selects the indexes that may have the word (is_probed), until *occurs_out is true: an index is
 * known to have the word, or so many may have it that one probably does. */
static enum bs_status probe_unsure(struct bs_catalog_query *query, const struct bs_element *element,
                                   bool *occurs_out, struct bs_error *err)
{
	size_t n_unsure = 0;
	enum bs_status status = BS_OK;
	*occurs_out = false;
	for (size_t i = 0; i < query->n_parts && !*occurs_out && !status; i++) {
		struct bs_catalog_part *part = &query->parts[i];
		bool may = false, is_known = false;
		uint64_t df = 0;
		if (part->is_reached)
			status = know_word(part, element, &may, &is_known, &df, err);
		if (status || !may)
			continue;
		*occurs_out = is_known || ++n_unsure > MOST_UNSURE;
		part->is_probed |= !*occurs_out;
	}
	return status;
}

enum bs_status bs_catalog_query_choose_like(struct bs_catalog_query *query, struct bs_error *err)
{
	const struct bs_query_tree *tree = query->n_analyses ? query->analyses[0].tree : NULL;
	enum bs_status status = BS_OK;
	for (size_t i = 0, n = 0; tree && i < tree->n_elements && n < MOST_WORDS && !status; i++) {
		const struct bs_element *element = &tree->elements[i];
		bool occurs;
		if (element->kind != BS_ELEMENT_TERM || !element->is_positive)
			continue;
		status = probe_unsure(query, element, &occurs, err);
		if (!status && occurs)
			status = bs_statistics_add_word(query->others, (const char *)element->term,
			                                element->term_bytes, 1, err);
		else if (!status)
			status = probe_likely(query, element, err);
		n += !occurs;
	}
	return status;
}

void bs_catalog_query_notices(const struct bs_catalog_query *query)
{
	const struct bs_search_request *find = query->find;
	const struct bs_search_callbacks listener = {.notice = find->callbacks.notice,
	                                             .notice_query = find->callbacks.notice_query,
	                                             .context = find->callbacks.context};
	const struct bs_query_tree *tree = query->n_analyses ? query->analyses[0].tree : NULL;
	for (uint32_t i = 0; tree && i < tree->notices.n; i++)
		bs_listener_notice_query(&listener, tree->notices.lines[i].text);
}
