/* sqlite_weighted.c: see sqlite_weighted.h. */
#include "bindings/sqlite/table/sqlite_weighted.h"

#include "core/bitsift/query.h"
#include "core/bitsift/statistics.h"
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

struct bsql_weighted {
	struct bs_query *query; /* the parsed query, with the weights */
	struct bs_statistics *statistics;
	unsigned char *weights; /* one for each column */
	/* n_columns counts all columns, n_texts only the indexed ones. */
	size_t n_columns, n_texts;
};

unsigned char *bsql_weights_new(const struct bsql_declaration *declaration)
{
	unsigned char *weights = sqlite3_malloc(declaration->n_columns);
	if (weights)
		memset(weights, 1, (size_t)declaration->n_columns);
	return weights;
}

bool bsql_weights_put(unsigned char *weights, const struct bsql_declaration *declaration,
                      int column, double weight)
{
	if (!(weight >= 1 && weight <= BSQL_MOST_WEIGHT) || weight != (double)(int)weight)
		return false;
	if (column < declaration->n_columns)
		weights[column] = (unsigned char)weight;
	return true;
}

bool bsql_weights_read(unsigned char *weights, const struct bsql_declaration *declaration,
                       const char *text)
{
	const char *at = text;
	char *end;
	if (sqlite3_strnicmp(at, "bm25(", 5) != 0)
		return false;
	at += 5 + strspn(at + 5, " ");
	for (int i = 0; *at != ')'; i++, at += strspn(at, " ,")) {
		double weight = strtod(at, &end);
		if (end == at || !strchr(" ,)", *end) ||
		    !bsql_weights_put(weights, declaration, i, weight))
			return false;
		at = end;
	}
	return at[1 + strspn(at + 1, " ")] == '\0';
}

/* Returns a string such as "title=3" for each indexed column; the array is NULL-terminated. Array
 * and strings are one allocation, to be freed with sqlite3_free. */
static const char **name_weights(const struct bsql_declaration *declaration,
                                 const unsigned char *weights)
{
	size_t n = 0, n_bytes = ((size_t)declaration->n_columns + 1) * sizeof(char *);
	for (int i = 0; i < declaration->n_columns; i++)
		n_bytes += strlen(declaration->columns[i].name) + 5;
	const char **named = sqlite3_malloc64(n_bytes);
	char *at = named ? (char *)(named + declaration->n_columns + 1) : NULL;
	for (int i = 0; i < declaration->n_columns && named; i++) {
		if (!declaration->columns[i].is_indexed)
			continue;
		size_t room = strlen(declaration->columns[i].name) + 5;
		sqlite3_snprintf((int)room, at, "%s=%d", declaration->columns[i].name, weights[i]);
		named[n++] = at;
		at += room;
	}
	if (named)
		named[n] = NULL;
	return named;
}

int bsql_weighted_new(struct bsql_index *index, const char *query, size_t query_bytes,
                      const unsigned char *weights, struct bsql_weighted **weighted_out)
{
	const struct bsql_declaration *of = bsql_index_declaration(index);
	struct bsql_weighted *weighted = calloc(1, sizeof(*weighted));
	const char **named = name_weights(of, weights);
	int code = weighted && named ? SQLITE_OK : SQLITE_NOMEM;
	*weighted_out = NULL;
	if (!code && !(weighted->weights = bsql_weights_new(of)))
		code = SQLITE_NOMEM;
	if (!code)
		code = bsql_index_query(index, query, query_bytes, named, &weighted->query);
	if (!code)
		code = bsql_index_gather(index, query, query_bytes, &weighted->statistics);
	sqlite3_free(named);
	if (code) {
		bsql_weighted_free(weighted);
		return code;
	}
	memcpy(weighted->weights, weights, (size_t)of->n_columns);
	weighted->n_columns = (size_t)of->n_columns;
	weighted->n_texts = (size_t)of->n_fields;
	*weighted_out = weighted;
	return SQLITE_OK;
}

void bsql_weighted_free(struct bsql_weighted *weighted)
{
	if (!weighted)
		return;
	bs_query_free(weighted->query);
	bs_statistics_free(weighted->statistics);
	sqlite3_free(weighted->weights);
	free(weighted);
}

bool bsql_weighted_is(const struct bsql_weighted *weighted, const unsigned char *weights)
{
	return weighted && memcmp(weighted->weights, weights, weighted->n_columns) == 0;
}

int bsql_weighted_score(struct bsql_weighted *weighted, const struct bs_text *texts,
                        double *score_out)
{
	enum bs_status status = bs_query_score(weighted->query, texts, weighted->n_texts,
	                                       weighted->statistics, score_out, NULL);
	return status == BS_OK ? SQLITE_OK : status == BS_NO_MEMORY ? SQLITE_NOMEM : SQLITE_ERROR;
}
