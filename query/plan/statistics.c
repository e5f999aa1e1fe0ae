/* statistics.c: see bitsift/query.h and statistics.h. */
#include "query/plan/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "core/bitsift/terminal.h"
#include "core/system/watch.h"
#include "core/text/visible_append.h"
#include "query/language/lex.h"
#include "query/language/reading.h"
#include "query/plan/expand.h"
#include "query/plan/plan.h"
#include "query/rank/rank.h"

struct word_count {
	uint64_t n_docs;
	uint64_t counted_for; /* the element, of all that were ever gathered, that it was last counted for */
};

struct bs_statistics {
	uint64_t n_docs, n_positions;
	struct bs_term_table words, fields;
	struct bs_buffer counts; /* of each word, struct word_count */
	struct bs_buffer kinds;  /* of each field, u8 */
	uint64_t n_elements;     /* that were ever gathered, */
	uint64_t n_before;       /* and how many of them before this index */
};

enum bs_status bs_statistics_new(struct bs_statistics **statistics_out, struct bs_error *err)
{
	*statistics_out = calloc(1, sizeof(**statistics_out));
	return *statistics_out ? BS_OK : bs_fail_memory(err, "statistics", sizeof(**statistics_out));
}

void bs_statistics_free(struct bs_statistics *statistics)
{
	if (!statistics)
		return;
	bs_term_table_deinit(&statistics->words);
	bs_term_table_deinit(&statistics->fields);
	bs_buffer_deinit(&statistics->counts);
	bs_buffer_deinit(&statistics->kinds);
	free(statistics);
}

uint64_t bs_statistics_n_docs(const struct bs_statistics *statistics)
{
	return statistics->n_docs;
}

uint64_t bs_statistics_n_positions(const struct bs_statistics *statistics)
{
	return statistics->n_positions;
}

void bs_statistics_set(struct bs_statistics *statistics, uint64_t n_docs, uint64_t n_positions)
{
	statistics->n_docs = n_docs;
	statistics->n_positions = n_positions;
}

static struct word_count *count_at(const struct bs_statistics *statistics, uint32_t number)
{
	return (struct word_count *)(void *)statistics->counts.data + number;
}

/* The number of a string in a table, and beside it, if it is new, what it has at first. */
static enum bs_status intern(struct bs_term_table *table, const uint8_t *bytes, size_t n_bytes, struct bs_buffer *beside,
                             const void *at_first, size_t at_first_bytes, uint32_t *number_out, struct bs_error *err)
{
	bool is_new;
	if (n_bytes == 0 || n_bytes > UINT32_MAX)
		return bs_fail(err, BS_INVALID, "statistics: a word or a name of no bytes, or of too many");
	/* They are no finder's. */
	struct bs_account *account = bs_account_here;
	bs_account_here = NULL;
	enum bs_status status = bs_buffer_reserve(beside, at_first_bytes, err);
	if (!status)
		status = bs_term_table_intern(table, bytes, (uint32_t)n_bytes, bs_hash_slot(bytes, n_bytes), number_out, &is_new, err);
	if (!status && is_new)
		status = bs_buffer_append(beside, at_first, at_first_bytes, err);
	bs_account_here = account;
	return status;
}

static enum bs_status know_word(struct bs_statistics *statistics, const uint8_t *word, size_t word_bytes, uint32_t *number_out,
                                struct bs_error *err)
{
	static const struct word_count none;
	return intern(&statistics->words, word, word_bytes, &statistics->counts, &none, sizeof(none), number_out, err);
}

enum bs_status bs_statistics_add_word(struct bs_statistics *statistics, const char *word, size_t word_bytes, uint64_t n_docs,
                                      struct bs_error *err)
{
	uint32_t number;
	enum bs_status status = know_word(statistics, (const uint8_t *)word, word_bytes, &number, err);
	if (!status)
		count_at(statistics, number)->n_docs += n_docs;
	return status;
}

enum bs_status bs_statistics_set_word(struct bs_statistics *statistics, const uint8_t *word, uint32_t word_bytes, uint64_t n_docs,
                                      struct bs_error *err)
{
	uint32_t number;
	enum bs_status status = know_word(statistics, word, word_bytes, &number, err);
	if (!status)
		count_at(statistics, number)->n_docs = n_docs;
	return status;
}

bool bs_statistics_word(const struct bs_statistics *statistics, size_t i, const char **word_out, size_t *word_bytes_out,
                        uint64_t *n_docs_out)
{
	const struct bs_term_table *words = &statistics->words;
	if (i >= words->n_terms)
		return false;
	*word_out = (const char *)bs_term_table_key(words, (uint32_t)i);
	*word_bytes_out = words->entries[i].n_bytes;
	*n_docs_out = count_at(statistics, (uint32_t)i)->n_docs;
	return true;
}

enum bs_status bs_statistics_add_field(struct bs_statistics *statistics, const char *name, size_t name_bytes, unsigned kinds,
                                       struct bs_error *err)
{
	static const uint8_t none;
	const unsigned all = BS_FIELD_OF_RECORDS | BS_FIELD_WITH_VALUES | BS_FIELD_OF_FILES;
	uint32_t number;
	if (kinds == 0 || (kinds & ~all))
		return bs_fail(err, BS_UNSUPPORTED, "statistics: no field is of kind %u", kinds);
	enum bs_status status = intern(&statistics->fields, (const uint8_t *)name, name_bytes, &statistics->kinds, &none, 1, &number,
	                               err);
	if (!status)
		statistics->kinds.data[number] |= (uint8_t)kinds;
	return status;
}

bool bs_statistics_field_at(const struct bs_statistics *statistics, size_t i, struct bs_statistics_field *field_out)
{
	const struct bs_term_table *fields = &statistics->fields;
	if (i >= fields->n_terms)
		return false;
	field_out->name = bs_term_table_key(fields, (uint32_t)i);
	field_out->name_bytes = fields->entries[i].n_bytes;
	field_out->kinds = statistics->kinds.data[i];
	return true;
}

bool bs_statistics_field(const struct bs_statistics *statistics, size_t i, const char **name_out, size_t *name_bytes_out,
                         unsigned *kinds_out)
{
	struct bs_statistics_field field;
	if (!bs_statistics_field_at(statistics, i, &field))
		return false;
	*name_out = (const char *)field.name;
	*name_bytes_out = field.name_bytes;
	*kinds_out = field.kinds;
	return true;
}

bool bs_statistics_has_values(const struct bs_statistics *statistics, const uint8_t *name, uint32_t name_bytes)
{
	uint32_t number;
	return bs_term_table_find(&statistics->fields, name, name_bytes, bs_hash_slot(name, name_bytes), &number) &&
	       (statistics->kinds.data[number] & BS_FIELD_WITH_VALUES);
}

enum bs_status bs_statistics_add(struct bs_statistics *statistics, const struct bs_statistics *other, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	const char *bytes;
	size_t n_bytes;
	uint64_t n_docs;
	unsigned kinds;
	for (size_t i = 0; !status && bs_statistics_word(other, i, &bytes, &n_bytes, &n_docs); i++)
		status = bs_statistics_add_word(statistics, bytes, n_bytes, n_docs, err);
	for (size_t i = 0; !status && bs_statistics_field(other, i, &bytes, &n_bytes, &kinds); i++)
		status = bs_statistics_add_field(statistics, bytes, n_bytes, kinds, err);
	if (!status)
		bs_statistics_set(statistics, statistics->n_docs + other->n_docs, statistics->n_positions + other->n_positions);
	return status;
}

double bs_statistics_avgdl(const struct bs_statistics *statistics)
{
	return bs_bm25_avgdl(statistics->n_docs, statistics->n_positions);
}

static const struct word_count *find_word(const struct bs_statistics *statistics, const uint8_t *term, uint32_t term_bytes)
{
	uint32_t number;
	bool is_there = bs_term_table_find(&statistics->words, term, term_bytes, bs_hash_slot(term, term_bytes), &number);
	return is_there ? count_at(statistics, number) : NULL;
}

enum bs_status bs_statistics_check(const struct bs_statistics *statistics, const struct bs_query_tree *query,
                                   struct bs_error *err)
{
	for (size_t i = 0; i < query->n_elements; i++) {
		const struct bs_element *element = &query->elements[i];
		if (element->kind == BS_ELEMENT_TERM && element->weight > 0 && !find_word(statistics, element->term, element->term_bytes))
			return bs_fail(err, BS_INVALID, "the statistics do not name %.*s: they are of another query",
			               element->term_bytes < 100 ? (int)element->term_bytes : 100, (const char *)element->term);
	}
	return BS_OK;
}

enum bs_status bs_statistics_idf(const struct bs_statistics *statistics, const uint8_t *term, uint32_t term_bytes,
                                 double *idf_out, struct bs_error *err)
{
	const struct word_count *count = find_word(statistics, term, term_bytes);
	uint64_t n_docs = count ? count->n_docs : 0;
	*idf_out = bs_bm25_idf(statistics->n_docs, n_docs);
	if (n_docs > statistics->n_docs)
		return bs_fail(err, BS_INVALID, "the statistics have %.*s in more documents than there are",
		               term_bytes < 100 ? (int)term_bytes : 100, (const char *)term);
	return BS_OK;
}

/* An index that is gathered from. */
struct gathering {
	struct bs_statistics *statistics;
	struct bs_reading *reading;
	const struct bs_find_request *request;
	struct bs_term_table names; /* that may be fields */
	struct bs_error *err;
};

/* Adds documents for the element under way, unless another one of this index had the word. */
static enum bs_status count_word(struct bs_statistics *statistics, const uint8_t *term, size_t term_bytes, uint64_t df,
                                 struct bs_error *err)
{
	uint32_t number;
	enum bs_status status = know_word(statistics, term, term_bytes, &number, err);
	if (status)
		return status;
	struct word_count *count = count_at(statistics, number);
	if (count->counted_for > statistics->n_before && count->counted_for != statistics->n_elements)
		return BS_OK;
	count->counted_for = statistics->n_elements;
	count->n_docs += df;
	return BS_OK;
}

static enum bs_status count_expanded(void *context, const struct bs_lexicon_cursor *cursor, struct bs_error *err)
{
	return count_word(context, cursor->term.data, cursor->term.used_bytes, cursor->df, err);
}

static enum bs_status count_words(struct gathering *gathering, const struct bs_query_tree *query)
{
	const struct bs_snapshot *snapshot = &gathering->reading->index->snapshot;
	struct bs_statistics *statistics = gathering->statistics;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < query->n_elements && !status; i++) {
		const struct bs_element *element = &query->elements[i];
		uint64_t df;
		if (element->kind == BS_ELEMENT_BIGRAM)
			continue;
		statistics->n_elements++;
		if (element->kind != BS_ELEMENT_TERM) {
			status = bs_expand(snapshot, element, count_expanded, statistics, gathering->err);
			continue;
		}
		status = bs_plan_df(snapshot, element->term, element->term_bytes, &df, gathering->err);
		if (!status)
			status = count_word(statistics, element->term, element->term_bytes, df, gathering->err);
	}
	return status;
}

/* The words of the query as the index reads it, or, where there are names, as if they were fields without numbers and dates. */
static enum bs_status gather_words(struct gathering *gathering)
{
	struct bs_query_options options = bs_reading_options(gathering->reading);
	struct bs_query_tree *query;
	options.any = gathering->request->any;
	options.stop = NULL;
	if (gathering->names.n_terms > 0) {
		options.fields = &gathering->names;
		options.longest_field_bytes = BS_QUERY_MAX_FIELD_BYTES;
		options.has_file_names = false;
		options.has_values = NULL;
	}
	enum bs_status status = bs_reading_parse(gathering->reading, gathering->request->query, gathering->request->query_bytes, &options,
	                                         &query, NULL, gathering->err);
	/* What makes no sense when read otherwise is not read so anywhere. */
	if (status)
		return status == BS_INVALID && gathering->names.n_terms > 0 ? BS_OK : status;
	status = count_words(gathering, query);
	bs_query_tree_free(query);
	return status;
}

/* A name that the query may name as a field, if it is one here. */
static enum bs_status gather_field(struct gathering *gathering, const uint8_t *name, size_t name_bytes)
{
	const struct bs_index *index = gathering->reading->index;
	const struct bs_term_table *fields = &index->snapshot.manifest.fields;
	uint32_t number;
	bool has = false;
	unsigned kinds = 0;
	enum bs_status status = BS_OK;
	if (index->has_files && name_bytes == sizeof(BS_LEX_FILE_NAME) - 1 && memcmp(name, BS_LEX_FILE_NAME, name_bytes) == 0)
		kinds |= BS_FIELD_OF_FILES;
	if (bs_term_table_find(fields, name, (uint32_t)name_bytes, bs_hash_slot(name, name_bytes), &number)) {
		status = bs_snapshot_has_values(&index->snapshot, name, (uint32_t)name_bytes, &has, gathering->err);
		kinds |= BS_FIELD_OF_RECORDS | (has ? BS_FIELD_WITH_VALUES : 0);
	}
	return status || !kinds ? status
	                        : bs_statistics_add_field(gathering->statistics, (const char *)name, name_bytes, kinds, gathering->err);
}

enum bs_status bs_statistics_find_names(const uint8_t *text, size_t n_bytes, bool joins, struct bs_term_table *names,
                                        struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t at = 0, next = 0, start = 0; at < n_bytes && !status; at = next) {
		uint32_t number;
		int32_t c = bs_visible_next(text, n_bytes, &next);
		bool is_sign = at == start && (c == '-' || c == '!');
		if (c == ':' && at > start && at - start <= BS_QUERY_MAX_FIELD_BYTES)
			status = bs_term_table_intern(names, text + start, (uint32_t)(at - start), bs_hash_slot(text + start, at - start), &number,
			                              NULL, err);
		if (is_sign || c == '(' || c == ')' || c == '"' || bs_visible_is_space(c) || (c == ':' && !joins))
			start = next;
	}
	return status;
}

static enum bs_status find_names(struct gathering *gathering, bool joins)
{
	struct bs_term_table *names = &gathering->names;
	bs_term_table_clear(names);
	enum bs_status status = bs_statistics_find_names((const uint8_t *)gathering->request->query, gathering->request->query_bytes, joins,
	                                                 names, gathering->err);
	for (uint32_t i = 0; i < names->n_terms && !status; i++)
		status = gather_field(gathering, bs_term_table_key(names, i), names->entries[i].n_bytes);
	return status;
}

/*
 * Other indexes may have fields that this one lacks. For them a query has other words, which must be counted here, too: so it is
 * read as it is here, and as it is where all that may be a field is one. Each token is read in one of these ways, whatever the
 * others are; but whether its words score, depends on those: all are counted, negated ones and stop words, too.
 */
static enum bs_status gather(struct gathering *gathering)
{
	const char *sort = gathering->request->sort_field;
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

enum bs_status bs_statistics_gather(struct bs_finder *finder, const struct bs_find_request *request,
                                    struct bs_statistics *statistics, struct bs_error *err)
{
	struct bs_find_request asked = *request;
	struct gathering gathering = {.statistics = statistics, .reading = bs_finder_reading(finder), .request = &asked, .err = err};
	const struct bs_snapshot *snapshot = &gathering.reading->index->snapshot;
	if (request->feedback_docs || request->like_id || request->like_text)
		return bs_fail(err, BS_INVALID, "statistics: words like those of documents are chosen by one index, not for several");
	struct bs_finder_use use;
	enum bs_status status = bs_finder_enter(finder, request->limits, &use, err);
	if (status)
		return status;
	asked.statistics = NULL;
	statistics->n_before = statistics->n_elements;
	status = bs_reading_begin(gathering.reading, &asked, err);
	if (!status)
		status = gather(&gathering);
	if (!status)
		status = bs_watch_ask(err);
	bs_term_table_deinit(&gathering.names);
	bs_finder_leave(&use);
	if (!status)
		bs_statistics_set(statistics, statistics->n_docs + snapshot->n_docs, statistics->n_positions + snapshot->n_positions);
	return status;
}
