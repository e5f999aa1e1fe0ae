/* corpus_statistics.c: see bitsift/statistics.h and corpus_statistics.h. */
#include "query/statistics/corpus_statistics.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/collections/term_table.h"
#include "query/statistics/bm25.h"

struct word_count {
	uint64_t n_docs; /* The number of documents that have the word. */
	/* The number of the element that last counted the word (see n_elements); 0: none. */
	uint64_t counted_for;
};

BS_VECTOR(word_counts, struct word_count);

struct bs_statistics {
	uint64_t n_docs, n_positions;
	struct bs_term_table words, fields;
	struct word_counts counts; /* Indexed by the number of a word. */
	/* For each field, by its number, a byte: bits of enum bs_field_kind. */
	struct bs_buffer kinds;
	uint64_t n_elements; /* The number of elements counted so far, over all indexes. */
	uint64_t n_before;   /* The value of n_elements when the current index began. */
};

enum bs_status bs_statistics_new(struct bs_statistics **statistics_out, struct bs_error *err)
{
	*statistics_out = calloc(1, sizeof(**statistics_out));
	return *statistics_out ? BS_OK
	                       : bs_fail_memory(err, "statistics", sizeof(**statistics_out));
}

void bs_statistics_free(struct bs_statistics *statistics)
{
	if (!statistics)
		return;
	bs_term_table_deinit(&statistics->words);
	bs_term_table_deinit(&statistics->fields);
	bs_vector_deinit(&statistics->counts);
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
	return &statistics->counts.items[number];
}

/* Finds the number of a string in a table. If the string is new, adds it and appends its initial
 * data to `beside`, an array parallel to the table. */
static enum bs_status intern(struct bs_term_table *table, const uint8_t *bytes, size_t n_bytes,
                             struct bs_buffer *beside, const void *at_first, size_t at_first_bytes,
                             uint32_t *number_out, struct bs_error *err)
{
	bool is_new;
	if (n_bytes == 0 || n_bytes > UINT32_MAX)
		return bs_fail(err, BS_INVALID,
		               "statistics: a word or a name of no bytes, or of too many");
	/* Statistics are not counted in any memory budget, because they belong to no searcher. */
	struct bs_memory_budget *budget = bs_memory_budget_here;
	bs_memory_budget_here = NULL;
	enum bs_status status = bs_buffer_reserve(beside, at_first_bytes, err);
	if (!status)
		status = bs_term_table_intern(table, bytes, (uint32_t)n_bytes,
		                              bs_hash_slot(bytes, n_bytes), number_out, &is_new,
		                              err);
	if (!status && is_new)
		status = bs_buffer_append(beside, at_first, at_first_bytes, err);
	bs_memory_budget_here = budget;
	return status;
}

static enum bs_status know_word(struct bs_statistics *statistics, const uint8_t *word,
                                size_t word_bytes, uint32_t *number_out, struct bs_error *err)
{
	static const struct word_count none;
	return intern(&statistics->words, word, word_bytes, &statistics->counts.bytes, &none,
	              sizeof(none), number_out, err);
}

enum bs_status bs_statistics_add_word(struct bs_statistics *statistics, const char *word,
                                      size_t word_bytes, uint64_t n_docs, struct bs_error *err)
{
	uint32_t number;
	enum bs_status status =
		know_word(statistics, (const uint8_t *)word, word_bytes, &number, err);
	if (!status)
		count_at(statistics, number)->n_docs += n_docs;
	return status;
}

bool bs_statistics_word(const struct bs_statistics *statistics, size_t i, const char **word_out,
                        size_t *word_bytes_out, uint64_t *n_docs_out)
{
	const struct bs_term_table *words = &statistics->words;
	if (i >= words->n_terms)
		return false;
	*word_out = (const char *)bs_term_table_key(words, (uint32_t)i);
	*word_bytes_out = words->entries[i].n_bytes;
	*n_docs_out = count_at(statistics, (uint32_t)i)->n_docs;
	return true;
}

enum bs_status bs_statistics_add_field(struct bs_statistics *statistics, const char *name,
                                       size_t name_bytes, unsigned kinds, struct bs_error *err)
{
	static const uint8_t none;
	const unsigned all = BS_FIELD_OF_RECORDS | BS_FIELD_WITH_VALUES | BS_FIELD_OF_FILES;
	uint32_t number;
	if (kinds == 0 || (kinds & ~all))
		return bs_fail(err, BS_UNSUPPORTED, "statistics: invalid field kinds: %u", kinds);
	enum bs_status status = intern(&statistics->fields, (const uint8_t *)name, name_bytes,
	                               &statistics->kinds, &none, 1, &number, err);
	if (!status)
		statistics->kinds.data[number] |= (uint8_t)kinds;
	return status;
}

bool bs_statistics_field_at(const struct bs_statistics *statistics, size_t i,
                            struct bs_statistics_field *field_out)
{
	const struct bs_term_table *fields = &statistics->fields;
	if (i >= fields->n_terms)
		return false;
	field_out->name = bs_term_table_key(fields, (uint32_t)i);
	field_out->name_bytes = fields->entries[i].n_bytes;
	field_out->kinds = statistics->kinds.data[i];
	return true;
}

bool bs_statistics_field(const struct bs_statistics *statistics, size_t i, const char **name_out,
                         size_t *name_bytes_out, unsigned *kinds_out)
{
	struct bs_statistics_field field;
	if (!bs_statistics_field_at(statistics, i, &field))
		return false;
	*name_out = (const char *)field.name;
	*name_bytes_out = field.name_bytes;
	*kinds_out = field.kinds;
	return true;
}

bool bs_statistics_has_values(const struct bs_statistics *statistics, const uint8_t *name,
                              uint32_t name_bytes)
{
	uint32_t number;
	return bs_term_table_find(&statistics->fields, name, name_bytes,
	                          bs_hash_slot(name, name_bytes), &number) &&
	       (statistics->kinds.data[number] & BS_FIELD_WITH_VALUES);
}

enum bs_status bs_statistics_add(struct bs_statistics *statistics,
                                 const struct bs_statistics *other, struct bs_error *err)
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
		bs_statistics_set(statistics, statistics->n_docs + other->n_docs,
		                  statistics->n_positions + other->n_positions);
	return status;
}

static const struct word_count *find_word(const struct bs_statistics *statistics,
                                          const uint8_t *term, uint32_t term_bytes)
{
	uint32_t number;
	bool is_there = bs_term_table_find(&statistics->words, term, term_bytes,
	                                   bs_hash_slot(term, term_bytes), &number);
	return is_there ? count_at(statistics, number) : NULL;
}

bool bs_statistics_has_word(const struct bs_statistics *statistics, const uint8_t *term,
                            uint32_t term_bytes)
{
	return find_word(statistics, term, term_bytes) != NULL;
}

uint64_t bs_statistics_df(const struct bs_statistics *statistics, const uint8_t *term,
                          uint32_t term_bytes)
{
	const struct word_count *count = find_word(statistics, term, term_bytes);
	return count ? count->n_docs : 0;
}

void bs_statistics_begin_index(struct bs_statistics *statistics)
{
	statistics->n_before = statistics->n_elements;
}

void bs_statistics_begin_element(struct bs_statistics *statistics)
{
	statistics->n_elements++;
}

enum bs_status bs_statistics_count(struct bs_statistics *statistics, const uint8_t *term,
                                   size_t term_bytes, uint64_t df, struct bs_error *err)
{
	uint32_t number;
	enum bs_status status = know_word(statistics, term, term_bytes, &number, err);
	if (status)
		return status;
	struct word_count *count = count_at(statistics, number);
	if (count->counted_for > statistics->n_before &&
	    count->counted_for != statistics->n_elements)
		return BS_OK;
	count->counted_for = statistics->n_elements;
	count->n_docs += df;
	return BS_OK;
}

static uint64_t n_docs_of(const struct bs_corpus *corpus)
{
	return (corpus->list ? corpus->list->n_docs : 0) +
	       (corpus->statistics ? bs_statistics_n_docs(corpus->statistics) : 0);
}

double bs_corpus_avgdl(const struct bs_corpus *corpus)
{
	uint64_t n_positions =
		(corpus->list ? corpus->list->n_positions : 0) +
		(corpus->statistics ? bs_statistics_n_positions(corpus->statistics) : 0);
	return bs_bm25_avgdl(n_docs_of(corpus), n_positions);
}

enum bs_status bs_corpus_idf(const struct bs_corpus *corpus, const uint8_t *term,
                             uint32_t term_bytes, uint64_t df, double *idf_out,
                             struct bs_error *err)
{
	uint64_t n_docs = n_docs_of(corpus);
	if (!corpus->list)
		df = 0;
	if (corpus->statistics)
		df += bs_statistics_df(corpus->statistics, term, term_bytes);
	*idf_out = bs_bm25_idf(n_docs, df);
	if (df > n_docs)
		return bs_fail(err, BS_INVALID,
		               "the statistics have %.*s in more documents than there are",
		               term_bytes < 100 ? (int)term_bytes : 100, (const char *)term);
	return BS_OK;
}
