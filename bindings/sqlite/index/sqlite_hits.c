/* sqlite_hits.c: see sqlite_hits.h. */
#include "bindings/sqlite/index/sqlite_hits.h"

#include <stdint.h>
#include <stdlib.h>

SQLITE_EXTENSION_INIT3

void bsql_hits_deinit(struct bsql_hits *hits)
{
	free(hits->ids);
	free(hits->scores);
	*hits = (struct bsql_hits){.n = 0};
}

int bsql_hits_add(struct bsql_hits *hits, sqlite3_int64 id, const double *score)
{
	if (hits->n == hits->capacity) {
		size_t wanted = hits->capacity * 2 + 64;
		sqlite3_int64 *ids = realloc(hits->ids, wanted * sizeof(*ids));
		hits->ids = ids ? ids : hits->ids;
		double *scores = ids && score ? realloc(hits->scores, wanted * sizeof(*scores))
		                              : hits->scores;
		hits->scores = scores ? scores : hits->scores;
		if (!ids || (score && !scores))
			return SQLITE_NOMEM;
		hits->capacity = wanted;
	}
	hits->ids[hits->n] = id;
	if (score)
		hits->scores[hits->n] = *score;
	hits->n++;
	return SQLITE_OK;
}

size_t bsql_hits_from(const struct bsql_hits *hits, sqlite3_int64 id)
{
	size_t from = 0, to = hits->n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (hits->ids[middle] < id)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

int bsql_hits_add_range(struct bsql_hits *hits, const struct bsql_hits *from, sqlite3_int64 least,
                        sqlite3_int64 greatest)
{
	int code = SQLITE_OK;
	for (size_t i = bsql_hits_from(from, least);
	     i < from->n && from->ids[i] <= greatest && !code; i++)
		code = bsql_hits_add(hits, from->ids[i], from->scores ? &from->scores[i] : NULL);
	return code;
}

void bsql_hits_keep(struct bsql_hits *hits, sqlite3_int64 least, sqlite3_int64 greatest)
{
	size_t n = 0;
	for (size_t i = 0; i < hits->n; i++) {
		if (hits->ids[i] < least || hits->ids[i] > greatest)
			continue;
		hits->ids[n] = hits->ids[i];
		if (hits->scores)
			hits->scores[n] = hits->scores[i];
		n++;
	}
	hits->n = n;
}

void bsql_hits_turn_around(struct bsql_hits *hits)
{
	for (size_t i = 0, j = hits->n; i + 1 < j--; i++) {
		sqlite3_int64 id = hits->ids[i];
		hits->ids[i] = hits->ids[j];
		hits->ids[j] = id;
		double score = hits->scores ? hits->scores[i] : 0;
		if (hits->scores) {
			hits->scores[i] = hits->scores[j];
			hits->scores[j] = score;
		}
	}
}

struct scored {
	sqlite3_int64 id;
	double score;
};

/* Compares two ids, or two struct scored, whose first member is the id. */
static int compare_ids(const void *a, const void *b)
{
	sqlite3_int64 left = *(const sqlite3_int64 *)a, right = *(const sqlite3_int64 *)b;
	return left < right ? -1 : left > right;
}

static int sort_scored(struct bsql_hits *hits)
{
	struct scored *scored = malloc(hits->n * sizeof(*scored));
	if (!scored)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < hits->n; i++)
		scored[i] = (struct scored){hits->ids[i], hits->scores[i]};
	qsort(scored, hits->n, sizeof(*scored), compare_ids);
	for (size_t i = 0; i < hits->n; i++) {
		hits->ids[i] = scored[i].id;
		hits->scores[i] = scored[i].score;
	}
	free(scored);
	return SQLITE_OK;
}

int bsql_hits_sort_by_id(struct bsql_hits *hits)
{
	bool is_sorted = true;
	for (size_t i = 1; i < hits->n && is_sorted; i++)
		is_sorted = hits->ids[i - 1] <= hits->ids[i];
	if (is_sorted)
		return SQLITE_OK;
	if (hits->scores)
		return sort_scored(hits);
	qsort(hits->ids, hits->n, sizeof(*hits->ids), compare_ids);
	return SQLITE_OK;
}
