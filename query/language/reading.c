/* reading.c: see reading.h. */
#include "query/language/reading.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "query/plan/statistics.h"

enum bs_status bs_reading_init(struct bs_reading *reading, const struct bs_index *index, const struct bs_words_options *words,
                               struct bs_error *err)
{
	struct bs_words_options stemmed = index ? bs_index_words_options(&index->snapshot.manifest.options) : *words;
	struct bs_words_options unstemmed = stemmed;
	unstemmed.stem_language = NULL;
	unstemmed.split_identifiers = false;
	reading->index = index;
	reading->splits = stemmed.split_identifiers;
	enum bs_status status = bs_words_new(&stemmed, &reading->words, err);
	if (!status && stemmed.stem_language)
		status = bs_words_new(&unstemmed, &reading->words_unstemmed, err);
	return status;
}

void bs_reading_deinit(struct bs_reading *reading)
{
	bs_words_free(reading->words);
	bs_words_free(reading->words_unstemmed);
	bs_stop_deinit(&reading->stop);
	bs_term_table_deinit(&reading->joined);
}

void bs_reading_set_fields(struct bs_reading *reading, const struct bs_term_table *fields)
{
	reading->fields = fields;
	reading->longest_field_bytes = 0;
	for (uint32_t i = 0; i < fields->n_terms; i++) {
		uint32_t n_bytes = fields->entries[i].n_bytes;
		if (n_bytes > reading->longest_field_bytes && n_bytes <= BS_QUERY_MAX_FIELD_BYTES)
			reading->longest_field_bytes = n_bytes;
	}
}

static enum bs_status add_name(struct bs_term_table *table, const uint8_t *name, uint32_t name_bytes, struct bs_error *err)
{
	uint32_t number;
	return bs_term_table_intern(table, name, name_bytes, bs_hash_slot(name, name_bytes), &number, NULL, err);
}

/* Those of the index keep their numbers. */
static enum bs_status copy_fields(struct bs_reading *reading, struct bs_error *err)
{
	const struct bs_term_table *own = reading->fields;
	enum bs_status status = BS_OK;
	bs_term_table_clear(&reading->joined);
	for (uint32_t i = 0; i < own->n_terms && !status; i++)
		status = add_name(&reading->joined, bs_term_table_key(own, i), own->entries[i].n_bytes, err);
	reading->fields = &reading->joined;
	return status;
}

/* Most often the index has them all. */
static enum bs_status join_fields(struct bs_reading *reading, struct bs_error *err)
{
	struct bs_statistics_field field;
	enum bs_status status = BS_OK;
	for (size_t i = 0; !status && bs_statistics_field_at(reading->statistics, i, &field); i++) {
		uint32_t number;
		reading->has_file_names |= (field.kinds & BS_FIELD_OF_FILES) != 0;
		if (!(field.kinds & (BS_FIELD_OF_RECORDS | BS_FIELD_WITH_VALUES)) ||
		    bs_term_table_find(reading->fields, field.name, field.name_bytes, bs_hash_slot(field.name, field.name_bytes), &number))
			continue;
		if (reading->fields != &reading->joined)
			status = copy_fields(reading, err);
		if (!status)
			status = add_name(&reading->joined, field.name, field.name_bytes, err);
	}
	if (!status && reading->fields == &reading->joined)
		bs_reading_set_fields(reading, &reading->joined);
	return status;
}

/* Of BS_QUERY_ANY_FIELD: any. What cannot be read comes up again when it is searched. */
static bool has_values(void *context, uint32_t number)
{
	const struct bs_reading *reading = context;
	if (number == BS_QUERY_ANY_FIELD)
		return reading->index && bs_snapshot_has_some_values(&reading->index->snapshot);
	const uint8_t *name = bs_term_table_key(reading->fields, number);
	uint32_t name_bytes = reading->fields->entries[number].n_bytes;
	struct bs_error why;
	bool has = false;
	if (!reading->index || (reading->statistics && bs_statistics_has_values(reading->statistics, name, name_bytes)))
		return true;
	return bs_snapshot_has_values(&reading->index->snapshot, name, name_bytes, &has, &why) || has;
}

static bool has_dates_alone(void *context, uint32_t number)
{
	const struct bs_reading *reading = context;
	struct bs_error why;
	bool has = false;
	return reading->index && !reading->statistics &&
	       !bs_snapshot_has_dates_alone(&reading->index->snapshot, bs_term_table_key(reading->fields, number),
	                                    reading->fields->entries[number].n_bytes, &has, &why) && has;
}

enum bs_status bs_reading_begin(struct bs_reading *reading, const struct bs_find_request *request, struct bs_error *err)
{
	bs_words_split(reading->words, false);
	enum bs_status status = bs_stop_begin(&reading->stop, request, reading->words, reading->words_unstemmed, err);
	bs_words_split(reading->words, reading->splits);
	if (status || !reading->index)
		return status;
	reading->fields = &reading->index->snapshot.manifest.fields;
	reading->longest_field_bytes = reading->index->longest_field_bytes;
	reading->has_file_names = reading->index->has_files;
	reading->statistics = request->statistics;
	return reading->statistics ? join_fields(reading, err) : BS_OK;
}

struct bs_query_options bs_reading_options(struct bs_reading *reading)
{
	return (struct bs_query_options){
		.words = reading->words,
		.words_unstemmed = reading->words_unstemmed,
		.fields = reading->fields,
		.longest_field_bytes = reading->longest_field_bytes,
		.has_file_names = reading->has_file_names,
		.has_values = has_values,
		.has_dates_alone = has_dates_alone,
		.context = reading,
		.stop = reading->stop.text.used_bytes > 0 ? &reading->stop : NULL,
		.own_share = 1,
	};
}

enum bs_status bs_reading_keep_to_field(struct bs_reading *reading, const char *name, struct bs_query_options *options,
                                        struct bs_error *err)
{
	size_t n_bytes = strlen(name);
	if (n_bytes == 0 || n_bytes > BS_QUERY_MAX_FIELD_BYTES ||
	    !bs_term_table_find(reading->fields, (const uint8_t *)name, (uint32_t)n_bytes, bs_hash_slot(name, n_bytes), &options->own_field))
		return bs_fail(err, BS_NOT_FOUND, "no field %s", name);
	options->has_own_field = true;
	options->longest_field_bytes = 0;
	options->has_file_names = false;
	options->has_values = NULL;
	options->has_dates_alone = NULL;
	return BS_OK;
}

enum bs_status bs_reading_parse(struct bs_reading *reading, const char *query, size_t query_bytes,
                                const struct bs_query_options *options, struct bs_query_tree **query_out,
                                size_t *error_byte_out, struct bs_error *err)
{
	bs_words_split(reading->words, false);
	enum bs_status status = bs_query_parse((const uint8_t *)query, query_bytes, options, query_out, error_byte_out, err);
	bs_words_split(reading->words, reading->splits);
	return status;
}
