/* query_analysis.c: see query_analysis.h. */
#include "query/language/query_analysis.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/source_kind.h"
#include "core/bitsift/escape.h"
#include "core/text/printable.h"

enum bs_status bs_query_analysis_init_words(struct bs_query_analysis *analysis,
                                            const struct bs_tokenizer_options *words,
                                            struct bs_error *err)
{
	struct bs_tokenizer_options unstemmed = *words;
	unstemmed.stem_language = NULL;
	unstemmed.split_identifiers = false;
	analysis->splits = words->split_identifiers;
	enum bs_status status = bs_tokenizer_new(words, &analysis->tokenizer, err);
	if (!status && words->stem_language)
		status = bs_tokenizer_new(&unstemmed, &analysis->words_unstemmed, err);
	return status;
}

static enum bs_status add_name(struct bs_term_table *table, const uint8_t *name,
                               uint32_t name_bytes, struct bs_error *err)
{
	uint32_t number;
	return bs_term_table_intern(table, name, name_bytes, bs_hash_slot(name, name_bytes),
	                            &number, NULL, err);
}

enum bs_status bs_find_field_names(const uint8_t *text, size_t n_bytes, bool joins,
                                   struct bs_term_table *names, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t at = 0, next = 0, start = 0; at < n_bytes && !status; at = next) {
		int32_t c = bs_utf8_next(text, n_bytes, &next);
		bool is_sign = at == start && (c == '-' || c == '!');
		if (c == ':' && at > start && at - start <= BS_QUERY_MAX_FIELD_BYTES)
			status = add_name(names, text + start, (uint32_t)(at - start), err);
		if (is_sign || c == '(' || c == ')' || c == '"' || bs_is_white_space(c) ||
		    (c == ':' && !joins))
			start = next;
	}
	return status;
}

static enum bs_status add_names(struct bs_term_table *table, const struct bs_term_table *names,
                                struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < names->n_terms && !status; i++)
		status = add_name(table, bs_term_table_key(names, i), names->entries[i].n_bytes,
		                  err);
	return status;
}

static bool has_files(const struct bs_manifest *manifest)
{
	for (uint32_t i = 0; i < manifest->n_sources; i++)
		if (manifest->sources[i].kind == BS_SOURCE_FOLDER ||
		    manifest->sources[i].kind == BS_SOURCE_FILE)
			return true;
	return false;
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool bs_query_analysis_is_alike(const struct bs_list_entry *a, const struct bs_list_entry *b)
{
	const struct bs_tokenizer_options x =
		bs_index_words_options(&a->snapshot->manifest.options);
	const struct bs_tokenizer_options y =
		bs_index_words_options(&b->snapshot->manifest.options);
	return is_same_text(x.stem_language, y.stem_language) && x.fold_accents == y.fold_accents &&
	       x.split_identifiers == y.split_identifiers && x.analyzer == y.analyzer;
}

enum bs_status bs_query_analysis_init(struct bs_query_analysis *analysis,
                                      const struct bs_snapshot_list *list, uint32_t entry,
                                      struct bs_error *err)
{
	const struct bs_tokenizer_options words =
		bs_index_words_options(&list->entries[entry].snapshot->manifest.options);
	enum bs_status status = BS_OK;
	analysis->list = list;
	for (uint32_t i = 0; i < list->n_entries && list->n_entries > 1 && !status; i++)
		status = add_names(&analysis->listed, &list->entries[i].snapshot->manifest.fields,
		                   err);
	bs_query_analysis_set_fields(
		analysis, list->n_entries > 1 ? &analysis->listed
					      : &list->entries[0].snapshot->manifest.fields);
	for (uint32_t i = 0; i < list->n_entries; i++)
		analysis->fields.has_file_names |= has_files(&list->entries[i].snapshot->manifest);
	analysis->of_list = analysis->fields;
	return status ? status : bs_query_analysis_init_words(analysis, &words, err);
}

void bs_query_analysis_deinit(struct bs_query_analysis *analysis)
{
	bs_tokenizer_free(analysis->tokenizer);
	bs_tokenizer_free(analysis->words_unstemmed);
	bs_stop_deinit(&analysis->stop);
	bs_term_table_deinit(&analysis->listed);
	bs_term_table_deinit(&analysis->joined);
}

void bs_query_analysis_set_fields(struct bs_query_analysis *analysis,
                                  const struct bs_term_table *names)
{
	struct bs_query_fields *fields = &analysis->fields;
	fields->names = names;
	fields->longest_bytes = 0;
	for (uint32_t i = 0; i < names->n_terms; i++) {
		uint32_t n_bytes = names->entries[i].n_bytes;
		if (n_bytes > fields->longest_bytes && n_bytes <= BS_QUERY_MAX_FIELD_BYTES)
			fields->longest_bytes = n_bytes;
	}
}

/* Copies the field names, so that names can be added. The fields keep their numbers. */
static enum bs_status copy_fields(struct bs_query_analysis *analysis, struct bs_error *err)
{
	bs_term_table_clear(&analysis->joined);
	enum bs_status status = add_names(&analysis->joined, analysis->fields.names, err);
	analysis->fields.names = &analysis->joined;
	return status;
}

/* Adds fields that only the statistics have, if any. */
static enum bs_status join_fields(struct bs_query_analysis *analysis, struct bs_error *err)
{
	struct bs_statistics_field field;
	enum bs_status status = BS_OK;
	for (size_t i = 0; !status && bs_statistics_field_at(analysis->statistics, i, &field);
	     i++) {
		uint32_t number;
		analysis->fields.has_file_names |= (field.kinds & BS_FIELD_OF_FILES) != 0;
		if (!(field.kinds & (BS_FIELD_OF_RECORDS | BS_FIELD_WITH_VALUES)) ||
		    bs_term_table_find(analysis->fields.names, field.name, field.name_bytes,
		                       bs_hash_slot(field.name, field.name_bytes), &number))
			continue;
		if (analysis->fields.names != &analysis->joined)
			status = copy_fields(analysis, err);
		if (!status)
			status = add_name(&analysis->joined, field.name, field.name_bytes, err);
	}
	if (!status && analysis->fields.names == &analysis->joined)
		bs_query_analysis_set_fields(analysis, &analysis->joined);
	return status;
}

/* True if a field of a snapshot has values; for BS_QUERY_ANY_FIELD, if some field has. Also true
 * after an error, which execution reports. */
static bool has_values_in(const struct bs_query_analysis *analysis,
                          const struct bs_snapshot *snapshot, uint32_t number)
{
	struct bs_error why;
	bool has = false;
	if (number == BS_QUERY_ANY_FIELD)
		return bs_snapshot_has_some_values(snapshot);
	const uint8_t *name = bs_term_table_key(analysis->fields.names, number);
	return bs_snapshot_has_values(snapshot, name,
	                              analysis->fields.names->entries[number].n_bytes, &has,
	                              &why) ||
	       has;
}

static bool has_values(void *context, uint32_t number)
{
	const struct bs_query_analysis *analysis = context;
	if (!analysis->list)
		return number != BS_QUERY_ANY_FIELD;
	if (number != BS_QUERY_ANY_FIELD && analysis->statistics &&
	    bs_statistics_has_values(analysis->statistics,
	                             bs_term_table_key(analysis->fields.names, number),
	                             analysis->fields.names->entries[number].n_bytes))
		return true;
	for (uint32_t i = 0; i < analysis->list->n_entries; i++)
		if (has_values_in(analysis, analysis->list->entries[i].snapshot, number))
			return true;
	return false;
}

/* True if some snapshot has values in the field, and every such snapshot has dates alone. False
 * without a list, with statistics, and after an error. */
static bool has_dates_alone(void *context, uint32_t number)
{
	const struct bs_query_analysis *analysis = context;
	const uint8_t *name = bs_term_table_key(analysis->fields.names, number);
	uint32_t name_bytes = analysis->fields.names->entries[number].n_bytes;
	struct bs_error why;
	bool has = false;
	if (!analysis->list || analysis->statistics)
		return false;
	for (uint32_t i = 0; i < analysis->list->n_entries; i++) {
		const struct bs_snapshot *snapshot = analysis->list->entries[i].snapshot;
		bool is_alone = false;
		if (bs_snapshot_has_dates_alone(snapshot, name, name_bytes, &is_alone, &why))
			return false;
		if (!is_alone &&
		    (analysis->list->n_entries == 1 || has_values_in(analysis, snapshot, number)))
			return false;
		has |= is_alone;
	}
	return has;
}

enum bs_status bs_query_analysis_begin(struct bs_query_analysis *analysis,
                                       const struct bs_stop_choice *stop,
                                       const struct bs_statistics *statistics, struct bs_error *err)
{
	bs_tokenizer_split(analysis->tokenizer, false);
	enum bs_status status = bs_stop_begin(&analysis->stop, stop, analysis->tokenizer,
	                                      analysis->words_unstemmed, err);
	bs_tokenizer_split(analysis->tokenizer, analysis->splits);
	if (status || !analysis->list)
		return status;
	analysis->fields = analysis->of_list;
	analysis->statistics = statistics;
	return statistics ? join_fields(analysis, err) : BS_OK;
}

struct bs_query_options bs_query_analysis_options(struct bs_query_analysis *analysis)
{
	return (struct bs_query_options){
		.tokenizer = analysis->tokenizer,
		.words_unstemmed = analysis->words_unstemmed,
		.fields = analysis->fields.names,
		.longest_field_bytes = analysis->fields.longest_bytes,
		.has_file_names = analysis->fields.has_file_names,
		.has_values = has_values,
		.has_dates_alone = has_dates_alone,
		.context = analysis,
		.stop = analysis->stop.text.used_bytes > 0 ? &analysis->stop : NULL,
		.own_share = 1,
	};
}

enum bs_status bs_query_analysis_keep_to_field(struct bs_query_analysis *analysis, const char *name,
                                               struct bs_query_options *options,
                                               struct bs_error *err)
{
	size_t n_bytes = strlen(name);
	if (n_bytes == 0 || n_bytes > BS_QUERY_MAX_FIELD_BYTES ||
	    !bs_term_table_find(analysis->fields.names, (const uint8_t *)name, (uint32_t)n_bytes,
	                        bs_hash_slot(name, n_bytes), &options->own_field))
		return bs_fail(err, BS_NOT_FOUND, "no field %s", name);
	options->has_own_field = true;
	options->longest_field_bytes = 0;
	options->has_file_names = false;
	options->has_values = NULL;
	options->has_dates_alone = NULL;
	return BS_OK;
}

enum bs_status bs_query_analysis_parse(struct bs_query_analysis *analysis, const char *query,
                                       size_t query_bytes, const struct bs_query_options *options,
                                       struct bs_query_tree **query_out, size_t *error_byte_out,
                                       struct bs_error *err)
{
	bs_tokenizer_split(analysis->tokenizer, false);
	enum bs_status status = bs_query_parse((const uint8_t *)query, query_bytes, options,
	                                       query_out, error_byte_out, err);
	bs_tokenizer_split(analysis->tokenizer, analysis->splits);
	return status;
}
