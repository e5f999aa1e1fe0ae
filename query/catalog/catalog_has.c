/* catalog_has.c: bs_catalog_has: finds the indexes that may have words, from their summaries
 * only. */
#include "core/bitsift/catalog.h"
#include "query/catalog/catalog_handle.h"
#include "query/language/query_analysis.h"
#include "query/plan/may_match.h"

#include <string.h>

/* The words to find. Each is a query of its own, in quotes, so that it contains no operators. */
struct holding {
	const char *const *words;
	size_t n_words;
	struct bs_buffer text; /* The text of the current word's query. */
	/* The query analysis of `item`, reused for other indexes with the same analysis, because
	 * creating one takes longer than testing an index. */
	struct bs_query_analysis analysis;
	/* The item that `analysis` belongs to; NULL: no analysis yet. */
	const struct bs_catalog_item *item;
};

static enum bs_status may_hold(struct holding *holding, const struct bs_summary *summary, bool *may,
                               struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*may = true;
	for (size_t i = 0; i < holding->n_words && *may && !status; i++) {
		struct bs_query_options options = bs_query_analysis_options(&holding->analysis);
		struct bs_query_tree *tree = NULL;
		bs_buffer_clear(&holding->text);
		status = bs_buffer_append(&holding->text, "\"", 1, err);
		for (const char *at = holding->words[i]; *at && !status; at++)
			status = bs_buffer_append(&holding->text, *at == '"' ? " " : at, 1, err);
		if (!status)
			status = bs_buffer_append(&holding->text, "\"", 1, err);
		if (!status)
			status = bs_query_analysis_parse(
				&holding->analysis, (const char *)holding->text.data,
				holding->text.used_bytes, &options, &tree, NULL, err);
		if (!status)
			status = bs_query_may_match(tree, summary, may, err);
		bs_query_tree_free(tree);
	}
	return status;
}

static enum bs_status read_as(struct bs_catalog *catalog, struct holding *holding,
                              struct bs_catalog_item *item, struct bs_error *err)
{
	static const struct bs_term_table no_fields;
	if (holding->item && holding->item->analysis == item->analysis)
		return BS_OK;
	bs_query_analysis_deinit(&holding->analysis);
	holding->analysis = (struct bs_query_analysis){.list = NULL};
	holding->item = NULL;
	enum bs_status status =
		bs_recorded_options_bind(&item->read.options, catalog->analyzer, item->place, err);
	if (status)
		return status;
	struct bs_tokenizer_options words = bs_index_words_options(&item->read.options);
	status = bs_query_analysis_init_words(&holding->analysis, &words, err);
	bs_query_analysis_set_fields(&holding->analysis, &no_fields);
	holding->item = status ? NULL : item;
	return status;
}

/* Whether an index may have all words. It may have any word if it has other tokenizer rules or no
 * summary of words, or if its analyzer is missing. */
static enum bs_status ask(struct bs_catalog *catalog, struct holding *holding,
                          struct bs_catalog_item *item, bool *may, struct bs_error *err)
{
	bool is_other = false;
	*may = true;
	enum bs_status status = bs_manifest_has_other_words(&item->read, &is_other, err);
	if (status || is_other || !(item->flags & BS_CATALOG_SUMMARY) ||
	    !item->summary.facts.has_words)
		return status;
	status = read_as(catalog, holding, item, err);
	if (status)
		return status == BS_UNSUPPORTED ? BS_OK : status;
	return may_hold(holding, &item->summary, may, err);
}

enum bs_status bs_catalog_has(struct bs_catalog *catalog, const char *const *words, size_t n_words,
                              void (*may_have)(void *context, size_t entry), void *context,
                              struct bs_error *err)
{
	struct holding holding = {.words = words, .n_words = n_words};
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < catalog->file.n_items && !status; i++) {
		bool may;
		status = ask(catalog, &holding, &catalog->file.items[i], &may, err);
		if (!status && may)
			may_have(context, i);
	}
	bs_query_analysis_deinit(&holding.analysis);
	bs_buffer_deinit(&holding.text);
	return status;
}
