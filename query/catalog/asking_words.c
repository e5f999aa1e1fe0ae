/* asking_words.c: see asking.h. */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "core/system/icu.h"
#include "query/catalog/asking.h"
#include "query/language/reading.h"
#include "query/plan/may_match.h"
#include "query/statistics/collection_statistics.h"

void bs_asking_deinit(struct bs_asking *asking)
{
	bs_feedback_deinit(&asking->learnt);
	bs_buffer_deinit(&asking->learnt_df);
	for (size_t i = 0; i < asking->n_groups; i++) {
		bs_query_tree_free(asking->groups[i].tree);
		bs_reading_deinit(&asking->groups[i].reading);
	}
	free(asking->groups);
	bs_term_table_deinit(&asking->names);
	bs_term_table_deinit(&asking->fields);
	bs_statistics_free(asking->statistics);
}

static enum bs_status add_field(struct bs_asking *asking, const uint8_t *name, uint32_t name_bytes, unsigned kinds,
                                struct bs_error *err)
{
	uint32_t number;
	enum bs_status status = bs_statistics_add_field(asking->statistics, (const char *)name, name_bytes, kinds, err);
	asking->has_fields = true;
	if (status || !(kinds & BS_FIELD_OF_RECORDS))
		return status;
	return bs_term_table_intern(&asking->fields, name, name_bytes, bs_hash_slot(name, name_bytes), &number, NULL, err);
}

/* As the index has it that was gathered from: what is fresh may have more than the catalog knows. */
static unsigned gathered_kinds(const struct bs_statistics *statistics, const uint8_t *name, uint32_t name_bytes)
{
	struct bs_statistics_field field;
	for (size_t i = 0; bs_statistics_field_at(statistics, i, &field); i++)
		if (bs_compare_bytes(field.name, field.name_bytes, name, name_bytes) == 0)
			return field.kinds;
	return 0;
}

static enum bs_status find_field(struct bs_asking *asking, const uint8_t *name, uint32_t name_bytes, struct bs_error *err)
{
	static const char of_files[] = "name";
	bool is_name = name_bytes == sizeof(of_files) - 1 && memcmp(name, of_files, name_bytes) == 0;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < asking->n_asked && !status; i++) {
		const struct bs_asked *asked = &asking->asked[i];
		unsigned kinds = 0;
		if (!asked->is_reached)
			continue;
		if (asked->statistics)
			kinds = gathered_kinds(asked->statistics, name, name_bytes);
		else
			status = bs_catalog_field_kinds(asked->item, name, name_bytes, &kinds, err);
		if (is_name && (asked->item->flags & BS_CATALOG_HAS_FILES))
			kinds |= BS_FIELD_OF_FILES;
		if (!status && kinds)
			status = add_field(asking, name, name_bytes, kinds, err);
	}
	return status;
}

enum bs_status bs_asking_find_fields(struct bs_asking *asking, struct bs_error *err)
{
	const struct bs_find_request *find = asking->find;
	const uint8_t *sort = (const uint8_t *)find->sort_field, *query = (const uint8_t *)find->query;
	struct bs_term_table *names = &asking->names;
	uint32_t number;
	enum bs_status status = bs_icu_load(err);
	if (!status)
		status = bs_statistics_new(&asking->statistics, err);
	for (int joins = 0; joins < 2 && !status; joins++)
		status = bs_find_field_names(query, find->query_bytes, joins, names, err);
	if (!status && sort && *sort)
		status = bs_term_table_intern(names, sort, (uint32_t)strlen(find->sort_field), bs_hash_slot(sort, strlen(find->sort_field)),
		                              &number, NULL, err);
	for (uint32_t i = 0; i < names->n_terms && !status; i++)
		status = find_field(asking, bs_term_table_key(names, i), names->entries[i].n_bytes, err);
	/* Whoever is asked would say so, but perhaps nobody is. */
	if (!status && sort && !bs_statistics_has_values(asking->statistics, sort, (uint32_t)strlen(find->sort_field)))
		status = bs_fail(err, BS_INVALID, "%s: no field with numbers or dates to sort by", *sort ? find->sort_field : "''");
	return status;
}

/* As the indexes will have it that are asked with these statistics. */
static bool has_values(void *context, uint32_t number)
{
	const struct bs_asking *asking = context;
	const uint8_t *name = number == BS_QUERY_ANY_FIELD ? NULL : bs_term_table_key(&asking->fields, number);
	return !name || bs_statistics_has_values(asking->statistics, name, asking->fields.entries[number].n_bytes);
}

static enum bs_status read_as(struct bs_asking *asking, struct bs_asking_group *group, struct bs_error *err)
{
	const struct bs_find_request *find = asking->find;
	struct bs_statistics_field field;
	struct bs_index_options *options = &((struct bs_catalog_item *)(uintptr_t)group->item)->read.options;
	enum bs_status status = bs_index_options_bind(options, asking->catalog->analyzer, group->item->place, err);
	if (status)
		return status;
	struct bs_words_options words = bs_index_words_options(options);
	const struct bs_stop_choice stop = {find->stop_language, find->stop_words, find->stop_words_bytes};
	status = bs_reading_init_words(&group->reading, &words, err);
	if (!status)
		status = bs_reading_begin(&group->reading, &stop, NULL, err);
	if (status)
		return status;
	bs_reading_set_fields(&group->reading, &asking->fields);
	for (size_t i = 0; bs_statistics_field_at(asking->statistics, i, &field); i++)
		group->reading.fields.has_file_names |= (field.kinds & BS_FIELD_OF_FILES) != 0;
	return BS_OK;
}

static enum bs_status parse_as(struct bs_asking *asking, struct bs_asking_group *group, struct bs_error *err)
{
	const struct bs_find_request *find = asking->find;
	struct bs_query_options read_by = bs_reading_options(&group->reading);
	read_by.any = find->any;
	read_by.strict = find->strict_query;
	read_by.has_values = has_values;
	read_by.has_dates_alone = NULL;
	read_by.context = asking;
	read_by.terms = bs_feedback_taken(&asking->learnt);
	read_by.n_terms = bs_feedback_n_taken(&asking->learnt);
	size_t error_byte = SIZE_MAX;
	bs_query_tree_free(group->tree);
	group->tree = NULL;
	enum bs_status status = bs_reading_parse(&group->reading, find->query, find->query_bytes, &read_by, &group->tree, &error_byte, err);
	if (status == BS_INVALID)
		asking->error_byte = error_byte;
	return status;
}

static enum bs_status group_of(struct bs_asking *asking, struct bs_asked *asked, struct bs_error *err)
{
	for (size_t i = 0; i < asking->n_groups && !asked->group; i++)
		if (asking->groups[i].item->analysis == asked->item->analysis)
			asked->group = &asking->groups[i];
	if (asked->group)
		return BS_OK;
	if (asking->n_groups > 0 && (asking->is_scored || asking->learns))
		return bs_fail(err, BS_INVALID, "%s and %s cut their words in different ways, so that their scores are not of one kind: %sindex one of "
		                                "them again as the other",
		               asking->groups[0].item->name, asked->item->name, asking->learns ? "" : "ask for --ids or --count, or ");
	struct bs_asking_group *group = &asking->groups[asking->n_groups++];
	asked->group = group;
	group->item = asked->item;
	return read_as(asking, group, err);
}

/* Mostly it is as the one before. */
static enum bs_status has_other_words(const struct bs_asked *asked, const struct bs_manifest **before, bool *is_other,
                                      struct bs_error *err)
{
	const struct bs_manifest *read = &asked->item->read;
	if (*before && strcmp((*before)->versions.icu, read->versions.icu) == 0 &&
	    strcmp((*before)->versions.unicode, read->versions.unicode) == 0 &&
	    (*before)->options.words_revision == read->options.words_revision &&
	    !(*before)->options.analyzer_name == !read->options.analyzer_name)
		return BS_OK;
	*before = read;
	return bs_manifest_has_other_words(read, is_other, err);
}

enum bs_status bs_asking_read(struct bs_asking *asking, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	asking->groups = calloc(asking->n_asked + 1, sizeof(*asking->groups));
	if (!asking->groups)
		return bs_fail_memory(err, "a query", asking->n_asked * sizeof(*asking->groups));
	const struct bs_manifest *before = NULL;
	bool is_other = false;
	for (size_t i = 0; i < asking->n_asked && !status; i++) {
		struct bs_asked *asked = &asking->asked[i];
		if (!asked->is_reached)
			continue;
		status = has_other_words(asked, &before, &is_other, err);
		asked->is_unknown = is_other || asking->is_fresh || !(asked->item->flags & BS_CATALOG_SUMMARY);
		if (!status)
			status = group_of(asking, asked, err);
	}
	return status;
}

enum bs_status bs_asking_parse(struct bs_asking *asking, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < asking->n_groups && !status; i++)
		status = parse_as(asking, &asking->groups[i], err);
	return status;
}

enum bs_status bs_asking_know_word(const struct bs_asked *asked, const uint8_t *word, uint32_t word_bytes, bool *may_out,
                                   bool *is_known_out, uint64_t *df_out, struct bs_error *err)
{
	*may_out = true;
	*is_known_out = false;
	*df_out = 0;
	if (asked->is_unknown)
		return BS_OK;
	enum bs_status status = bs_summary_may_have_word(&asked->item->summary, bs_hash_term(word, word_bytes), may_out, err);
	if (!status && *may_out)
		status = bs_catalog_df(asked->item, word, word_bytes, is_known_out, df_out, err);
	return status;
}

static enum bs_status know_word(const struct bs_asked *asked, const struct bs_element *element, bool *may_out, bool *is_known_out,
                                uint64_t *df_out, struct bs_error *err)
{
	return bs_asking_know_word(asked, element->term, element->term_bytes, may_out, is_known_out, df_out, err);
}

/* Of what was learnt it is known already how frequent it is in all. */
static bool is_learnt(const struct bs_asking *asking, const struct bs_element *element)
{
	const struct bs_weighted_term *taken = bs_feedback_taken(&asking->learnt);
	size_t i = 0, n = bs_feedback_n_taken(&asking->learnt);
	while (i < n && bs_compare_bytes(taken[i].term, taken[i].term_bytes, element->term, element->term_bytes) != 0)
		i++;
	return i < n;
}

/* Whether the words that a beginning, a pattern or the like stands for may be there: as a query of its own. */
static enum bs_status may_expand(const struct bs_asked *asked, const struct bs_element *element, bool *may_out, struct bs_error *err)
{
	struct bs_element alone = *element;
	struct bs_query_item item = {.element = 0};
	struct bs_query_node node = {.kind = BS_NODE_WORD, .field = BS_QUERY_ANY_FIELD, .n_items = 1};
	struct bs_query_tree tree = {.elements = &alone, .n_elements = 1, .nodes = &node, .n_nodes = 1};
	node.items = &item;
	*may_out = true;
	return asked->is_unknown ? BS_OK : bs_query_may_match(&tree, &asked->item->summary, may_out, err);
}

/* Whether the catalog does not know all that scores go by. */
static enum bs_status needs_probe(const struct bs_asking *asking, struct bs_asked *asked, struct bs_error *err)
{
	const struct bs_query_tree *tree = asked->group->tree;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < tree->n_elements && !status && !asked->is_probed; i++) {
		const struct bs_element *element = &tree->elements[i];
		bool may = false, is_known = false;
		uint64_t df;
		if (element->kind == BS_ELEMENT_BIGRAM || !element->is_positive || !(element->weight > 0))
			continue;
		if (element->kind == BS_ELEMENT_TERM && is_learnt(asking, element))
			continue;
		if (element->kind == BS_ELEMENT_TERM)
			status = know_word(asked, element, &may, &is_known, &df, err);
		else
			status = may_expand(asked, element, &may, err);
		asked->is_probed = may && !is_known;
	}
	return status;
}

enum bs_status bs_asking_choose(struct bs_asking *asking, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool any = false;
	for (size_t i = 0; i < asking->n_asked && !status; i++) {
		struct bs_asked *asked = &asking->asked[i];
		if (!asked->is_reached)
			continue;
		asked->is_asked = true;
		if (!asked->is_unknown && !asking->find->brute)
			status = bs_query_may_match(asked->group->tree, &asked->item->summary, &asked->is_asked, err);
		any |= asked->is_asked;
	}
	/* Where nobody is asked, nothing is scored. */
	for (size_t i = 0; i < asking->n_asked && any && asking->is_scored && !asking->is_added_up && !status; i++)
		if (asking->asked[i].is_reached && !asking->asked[i].is_asked)
			status = needs_probe(asking, &asking->asked[i], err);
	return status;
}

/* The plain words of the query, once each, with what the catalog has of them. */
static enum bs_status add_known(struct bs_asking *asking, const struct bs_asked *asked, struct bs_error *err)
{
	const struct bs_query_tree *tree = asked->group->tree;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < tree->n_elements && !status; i++) {
		const struct bs_element *element = &tree->elements[i];
		bool may, is_known;
		uint64_t df = 0;
		if (element->kind != BS_ELEMENT_TERM)
			continue;
		if (asking->is_scored)
			status = know_word(asked, element, &may, &is_known, &df, err);
		if (!status)
			status = bs_statistics_add_word(asking->statistics, (const char *)element->term, element->term_bytes, df, err);
	}
	bs_statistics_set(asking->statistics, bs_statistics_n_docs(asking->statistics) + asked->item->n_docs,
	                  bs_statistics_n_positions(asking->statistics) + asked->item->n_positions);
	return status;
}

enum bs_status bs_asking_add_statistics(struct bs_asking *asking, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < asking->n_asked && !status && !asking->is_added_up; i++) {
		const struct bs_asked *asked = &asking->asked[i];
		if (asked->is_reached && asked->statistics)
			status = bs_statistics_add(asking->statistics, asked->statistics, err);
		else if (asked->is_reached)
			status = add_known(asking, asked, err);
	}
	asking->is_added_up = true;
	const struct bs_weighted_term *taken = bs_feedback_taken(&asking->learnt);
	for (size_t i = 0; i < bs_feedback_n_taken(&asking->learnt) && !status; i++)
		status = bs_statistics_set_word(asking->statistics, taken[i].term, taken[i].term_bytes,
		                                ((const uint64_t *)(const void *)asking->learnt_df.data)[i], err);
	return status;
}
