/*
 * sqlite_check.c: see sqlite_check.h. Three steps: check every byte of the files; compare the
 * rowids in the index with those of the content; for a sample of rows, search three adjacent words
 * as a phrase, which must find the row. The last step detects content that was changed without the
 * virtual table.
 */
#include "bindings/sqlite/table/sqlite_check.h"

#include "core/bitsift/host.h"
#include "core/bitsift/search_request.h"
#include <stdlib.h>
#include <string.h>

SQLITE_EXTENSION_INIT3

#define SAMPLES 1000u
/* Words of this length or longer are not used for phrases. A phrase of three shorter words, with
 * two spaces, two quotes and a NUL, fits into 4 * WORD_BYTES. */
#define WORD_BYTES 40u

/* A query that matches every document. */
#define ALL "a OR -a"

static int complain(struct bsql_index *index, sqlite3_int64 id, const char *what)
{
	char text[24];
	sqlite3_snprintf(sizeof(text), text, "%lld", id);
	(void)bs_fail(&bsql_index_shadow(index)->err, BS_OK, "%s: row %s %s",
	              bsql_index_declaration(index)->table, text, what);
	return SQLITE_CORRUPT_VTAB;
}

static int compare_ids(const void *a, const void *b)
{
	sqlite3_int64 left = *(const sqlite3_int64 *)a, right = *(const sqlite3_int64 *)b;
	return left < right ? -1 : left > right;
}

static int check_ids(struct bsql_index *index, const struct bsql_hits *hits)
{
	struct bsql_shadow *shadow = bsql_index_shadow(index);
	sqlite3_stmt *statement;
	size_t n = 0;
	int code = bsql_shadow_statement(shadow, BSQL_IDS, &statement);
	while (!code && (code = bsql_shadow_step(shadow, statement)) == SQLITE_ROW) {
		code = SQLITE_OK;
		sqlite3_int64 id = sqlite3_column_int64(statement, 0);
		if (n == hits->n || hits->ids[n] > id)
			code = complain(index, id, "is not in the index");
		else if (hits->ids[n] < id)
			code = complain(index, hits->ids[n], "is in the index and nowhere else");
		n++;
	}
	sqlite3_reset(statement);
	/* An open statement on a virtual table would keep that table, and thereby the connection,
	 * open. */
	bsql_shadow_end(shadow);
	if (code != SQLITE_DONE)
		return code;
	return n < hits->n ? complain(index, hits->ids[n], "is in the index and nowhere else")
	                   : SQLITE_OK;
}

static bool is_plain(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9');
}

/* Finds three adjacent words of ASCII letters and digits and writes them as a phrase. False if the
 * text has none. */
static bool pick_phrase(const struct bs_text *text, char phrase[4 * WORD_BYTES])
{
	size_t n_words = 0, start = 0, word = 0;
	for (size_t i = 0; i <= text->text_bytes; i++) {
		if (i < text->text_bytes && text->text[i] != ' ')
			continue;
		bool is_word = i > word && i - word < WORD_BYTES;
		for (size_t at = word; at < i && is_word; at++)
			is_word = is_plain(text->text[at]);
		n_words = is_word ? n_words + 1 : 0;
		word = i + 1;
		if (n_words == 3) {
			phrase[0] = '"';
			memcpy(phrase + 1, text->text + start, i - start);
			strcpy(phrase + 1 + i - start, "\"");
			return true;
		}
		if (n_words == 0)
			start = word;
	}
	return false;
}

static int check_row(struct bsql_index *index, sqlite3_int64 id, struct bsql_hits *hits)
{
	struct bsql_shadow *shadow = bsql_index_shadow(index);
	const struct bs_text *texts;
	size_t n_texts;
	uint64_t n;
	char phrase[4 * WORD_BYTES] = "";
	int code = bsql_shadow_texts(shadow, id, &texts, &n_texts);
	bool has = false;
	for (size_t i = 0; i < n_texts && !code && !has; i++)
		has = pick_phrase(&texts[i], phrase);
	bsql_shadow_end(shadow);
	if (code || !has)
		return code == SQLITE_DONE ? SQLITE_OK : code;
	code = bsql_index_find(index, phrase, strlen(phrase), BS_SEARCH_IDS, 0, hits, &n);
	has = false;
	for (size_t i = 0; i < hits->n && !has && !code; i++)
		has = hits->ids[i] == id;
	return code || has ? code : complain(index, id, "is not found by its words");
}

int bsql_check(struct bsql_index *index)
{
	struct bsql_hits all = {.n = 0}, some = {.n = 0};
	struct bsql_info info;
	uint64_t n;
	int code = bsql_index_check_files(index);
	if (!code)
		code = bsql_index_find(index, ALL, strlen(ALL), BS_SEARCH_IDS, 0, &all, &n);
	if (!code) {
		if (all.n > 0)
			qsort(all.ids, all.n, sizeof(*all.ids), compare_ids);
		code = check_ids(index, &all);
	}
	/* A query of an index with other tokenizer rules reads every row instead of searching the
	 * index, so the samples would prove nothing. */
	if (!code)
		code = bsql_index_describe(index, &info);
	for (size_t i = 0; i < SAMPLES && i < all.n && !code && !info.has_other_rules; i++)
		code = check_row(index, all.ids[all.n <= SAMPLES ? i : i * (all.n / SAMPLES)],
		                 &some);
	bsql_hits_deinit(&all);
	bsql_hits_deinit(&some);
	return code;
}
