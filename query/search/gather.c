/* gather.c: bs_statistics_gather (bitsift/query.h): counts the documents of an index that have the
 * words of a query. */
#include <string.h>

#include "core/base/hash.h"
#include "core/bitsift/query.h"
#include "query/language/lex.h"
#include "query/language/query_analysis.h"
#include "query/plan/expand.h"
#include "query/search/searcher.h"

struct gathering {
	struct bs_statistics *statistics;
	struct bs_query_analysis *analysis;
	const struct bs_search_request *request;
	struct bs_term_table names; /* Names in the query that may be the names of fields. */
	struct bs_error *err;
};

static enum bs_status count_expanded(void *context, const struct bs_lexicon_cursor *cursor,
                                     struct bs_error *err)
{
	return bs_statistics_count(context, cursor->term.data, cursor->term.used_bytes, cursor->df,
	                           err);
}

static enum bs_status count_words(struct gathering *gathering, const struct bs_query_tree *query)
{
	const struct bs_snapshot_list *list = gathering->analysis->list;
	struct bs_statistics *statistics = gathering->statistics;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < query->n_elements && !status; i++) {
		const struct bs_element *element = &query->elements[i];
		uint64_t df;
		if (element->kind == BS_ELEMENT_BIGRAM)
			continue;
		bs_statistics_begin_element(statistics);
		for (uint32_t k = 0;
		     k < list->n_entries && element->kind != BS_ELEMENT_TERM && !status; k++)
			status = bs_expand(list->entries[k].snapshot, element, count_expanded,
			                   statistics, gathering->err);
		if (status || element->kind != BS_ELEMENT_TERM)
			continue;
		status = bs_plan_df(list, element->term, element->term_bytes, &df, gathering->err);
		if (!status)
			status = bs_statistics_count(statistics, element->term, element->term_bytes,
			                             df, gathering->err);
	}
	return status;
}

/* Counts the documents that have the words of the query, as this index parses it. If `names` is not
 * empty, parses it as if these were fields without numbers and dates. */
static enum bs_status gather_words(struct gathering *gathering)
{
	struct bs_query_options options = bs_query_analysis_options(gathering->analysis);
	struct bs_query_tree *query;
	options.any = gathering->request->query.any;
	options.stop = NULL;
	if (gathering->names.n_terms > 0) {
		options.fields = &gathering->names;
		options.longest_field_bytes = BS_QUERY_MAX_FIELD_BYTES;
		options.has_file_names = false;
		options.has_values = NULL;
	}
	enum bs_status status = bs_query_analysis_parse(
		gathering->analysis, gathering->request->query.text,
		gathering->request->query.text_bytes, &options, &query, NULL, gathering->err);
	/* If the query is invalid with these fields, no index parses it so, and there is nothing to
	 * count. */
	if (status)
		return status == BS_INVALID && gathering->names.n_terms > 0 ? BS_OK : status;
	status = count_words(gathering, query);
	bs_query_tree_free(query);
	return status;
}

/* Finds whether some index of the list has the field, and whether it has values there. */
static enum bs_status find_kinds(const struct gathering *gathering, const uint8_t *name,
                                 uint32_t name_bytes, unsigned *kinds)
{
	const struct bs_snapshot_list *list = gathering->analysis->list;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < list->n_entries && !status; i++) {
		const struct bs_snapshot *snapshot = list->entries[i].snapshot;
		uint32_t number;
		bool has = false;
		if (!bs_term_table_find(&snapshot->manifest.fields, name, name_bytes,
		                        bs_hash_slot(name, name_bytes), &number))
			continue;
		status = bs_snapshot_has_values(snapshot, name, name_bytes, &has, gathering->err);
		*kinds |= BS_FIELD_OF_RECORDS | (has ? BS_FIELD_WITH_VALUES : 0);
	}
	return status;
}

/* Adds a field to the statistics, if this index has it. */
static enum bs_status gather_field(struct gathering *gathering, const uint8_t *name,
                                   size_t name_bytes)
{
	unsigned kinds = 0;
	if (gathering->analysis->of_list.has_file_names &&
	    name_bytes == sizeof(BS_LEX_FILE_NAME) - 1 &&
	    memcmp(name, BS_LEX_FILE_NAME, name_bytes) == 0)
		kinds |= BS_FIELD_OF_FILES;
	enum bs_status status = find_kinds(gathering, name, (uint32_t)name_bytes, &kinds);
	return status || !kinds ? status
	                        : bs_statistics_add_field(gathering->statistics, (const char *)name,
	                                                  name_bytes, kinds, gathering->err);
}

static enum bs_status find_names(struct gathering *gathering, bool joins)
{
	struct bs_term_table *names = &gathering->names;
	bs_term_table_clear(names);
	enum bs_status status = bs_find_field_names((const uint8_t *)gathering->request->query.text,
	                                            gathering->request->query.text_bytes, joins,
	                                            names, gathering->err);
	for (uint32_t i = 0; i < names->n_terms && !status; i++)
		status = gather_field(gathering, bs_term_table_key(names, i),
		                      names->entries[i].n_bytes);
	return status;
}

/* Other indexes may have fields that this one lacks. To them, "a:b" may be a word in a field; to
 * this one, two words. So the query is parsed several times, to count the words of either way: with
 * the fields of this index, and as if every name that may be a field were one. Whether a word
 * scores may differ as well; so all words are counted, even negated words and stop words. */
static enum bs_status gather(struct gathering *gathering)
{
	const char *sort = gathering->request->output.sort_field;
	enum bs_status status = gather_words(gathering);
	if (!status && sort && *sort)
		status = gather_field(gathering, (const uint8_t *)sort, strlen(sort));
	for (int joins = 0; joins < 2 && !status; joins++) {
		status = find_names(gathering, joins);
		if (!status && gathering->names.n_terms > 0)
			status = gather_words(gathering);
	}
	return status;
}

enum bs_status bs_statistics_gather(struct bs_searcher *searcher,
                                    const struct bs_search_request *request,
                                    struct bs_statistics *statistics, struct bs_error *err)
{
	struct gathering gathering = {.statistics = statistics,
	                              .analysis = searcher->analysis,
	                              .request = request,
	                              .err = err};
	const struct bs_stop_choice stop = {request->query.stop_language, request->query.stop_words,
	                                    request->query.stop_words_bytes};
	if (request->query.feedback_docs || request->query.like_id || request->query.like_text)
		return bs_fail(err, BS_INVALID,
		               "statistics: words like those of documents are chosen by one index, "
		               "not for several");
	struct bs_searcher_use use;
	enum bs_status status = bs_searcher_enter(searcher, request->limits, &use, err);
	if (status)
		return status;
	bs_statistics_begin_index(statistics);
	status = bs_query_analysis_begin(gathering.analysis, &stop, NULL, err);
	if (!status)
		status = gather(&gathering);
	if (!status)
		status = bs_deadline_check(err);
	bs_term_table_deinit(&gathering.names);
	bs_searcher_leave(&use);
	if (!status)
		bs_statistics_set(
			statistics, bs_statistics_n_docs(statistics) + searcher->list.n_docs,
			bs_statistics_n_positions(statistics) + searcher->list.n_positions);
	return status;
}
