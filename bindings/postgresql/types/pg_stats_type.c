/* pg_stats_type.c: see pg_stats_type.h. */
#include "bindings/postgresql/types/pg_stats_type.h"

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "bindings/postgresql/base/pg_array.h"
#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "core/bitsift/statistics.h"

PG_FUNCTION_INFO_V1(bitsift_stats_in);
PG_FUNCTION_INFO_V1(bitsift_stats_out);
PG_FUNCTION_INFO_V1(bitsift_stats_recv);
PG_FUNCTION_INFO_V1(bitsift_stats_send);
PG_FUNCTION_INFO_V1(bitsift_stats_add);

struct word {
	const char *bytes;
	uint32 n_bytes;
	uint64 n_docs; /* the number of documents that contain the word */
};

/* The contents of a datum; words are unsorted while they are collected. */
struct list {
	uint64 n_docs, n_positions;
	struct word *words;
	size_t n_words, capacity;
};

static void add_word(struct list *list, struct word word)
{
	list->words = bsp_grow(CurrentMemoryContext, list->words, list->n_words + 1,
	                       &list->capacity, sizeof(word));
	list->words[list->n_words++] = word;
}

static int compare_words(const void *a, const void *b)
{
	const struct word *one = a, *other = b;
	int order = memcmp(one->bytes, other->bytes, Min(one->n_bytes, other->n_bytes));
	return order ? order : (one->n_bytes > other->n_bytes) - (one->n_bytes < other->n_bytes);
}

/* Sorts the words and merges equal ones, adding up their n_docs. */
static void settle(struct list *list)
{
	size_t n = 0;
	if (list->n_words > 1)
		qsort(list->words, list->n_words, sizeof(*list->words), compare_words);
	for (size_t i = 0; i < list->n_words; i++) {
		if (n > 0 && compare_words(&list->words[n - 1], &list->words[i]) == 0)
			list->words[n - 1].n_docs += list->words[i].n_docs;
		else
			list->words[n++] = list->words[i];
	}
	list->n_words = n;
}

/* Returns the list as a datum. */
static struct bsp_stats_datum *pack(struct list *list)
{
	size_t n_bytes = VARHDRSZ + 16;
	settle(list);
	for (size_t i = 0; i < list->n_words; i++)
		n_bytes += 12 + list->words[i].n_bytes;
	struct bsp_stats_datum *stats = palloc(n_bytes);
	char *at = stats->parts;
	SET_VARSIZE(stats, n_bytes);
	memcpy(at, &list->n_docs, 8);
	memcpy(at + 8, &list->n_positions, 8);
	at += 16;
	for (size_t i = 0; i < list->n_words; i++) {
		const struct word *word = &list->words[i];
		memcpy(at, &word->n_docs, 8);
		memcpy(at + 8, &word->n_bytes, 4);
		memcpy(at + 12, word->bytes, word->n_bytes);
		at += 12 + word->n_bytes;
	}
	return stats;
}

/* Adds the contents of `parts` to the list, which borrows the words. */
static void unpack(struct list *list, const char *parts, size_t n_bytes)
{
	uint64 n_docs, n_positions;
	size_t at = 16;
	if (n_bytes < 16)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
		                errmsg("bitsift_stats of an unknown format")));
	memcpy(&n_docs, parts, 8);
	memcpy(&n_positions, parts + 8, 8);
	list->n_docs += n_docs;
	list->n_positions += n_positions;
	while (n_bytes - at >= 12) {
		struct word word;
		memcpy(&word.n_docs, parts + at, 8);
		memcpy(&word.n_bytes, parts + at + 8, 4);
		word.bytes = parts + at + 12;
		if (word.n_bytes > n_bytes - at - 12)
			break;
		add_word(list, word);
		at += 12 + word.n_bytes;
	}
	if (at != n_bytes)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
		                errmsg("bitsift_stats of an unknown format")));
}

const char *bsp_stats_parts(const struct bsp_stats_datum *stats, size_t *bytes_out)
{
	*bytes_out = VARSIZE(stats) - VARHDRSZ;
	return stats->parts;
}

struct bs_statistics *bsp_stats_load(const char *parts, size_t n_bytes)
{
	struct list list = {.n_words = 0};
	struct bs_statistics *statistics;
	struct bs_error err = {""};
	unpack(&list, parts, n_bytes);
	bsp_check(bs_statistics_new(&statistics, &err), &err, NULL);
	enum bs_status status = BS_OK;
	bs_statistics_set(statistics, list.n_docs, list.n_positions);
	for (size_t i = 0; i < list.n_words && !status; i++)
		status = bs_statistics_add_word(statistics, list.words[i].bytes,
		                                list.words[i].n_bytes, list.words[i].n_docs, &err);
	if (status)
		bs_statistics_free(statistics);
	bsp_check(status, &err, NULL);
	return statistics;
}

struct bsp_stats_datum *bsp_stats_save(const struct bs_statistics *statistics)
{
	struct list list = {.n_docs = bs_statistics_n_docs(statistics),
	                    .n_positions = bs_statistics_n_positions(statistics)};
	const char *bytes;
	size_t n_bytes;
	uint64_t n_docs;
	for (size_t i = 0; bs_statistics_word(statistics, i, &bytes, &n_bytes, &n_docs); i++)
		add_word(&list, (struct word){bytes, (uint32)n_bytes, n_docs});
	return pack(&list);
}

char *bsp_stats_format(const char *parts, size_t n_bytes)
{
	struct list list = {.n_words = 0};
	StringInfoData out;
	unpack(&list, parts, n_bytes);
	initStringInfo(&out);
	appendStringInfo(&out, UINT64_FORMAT " " UINT64_FORMAT, list.n_docs, list.n_positions);
	for (size_t i = 0; i < list.n_words; i++) {
		const struct word *word = &list.words[i];
		appendStringInfoString(&out, " \"");
		for (uint32 b = 0; b < word->n_bytes; b++) {
			if (word->bytes[b] == '"' || word->bytes[b] == '\\')
				appendStringInfoChar(&out, '\\');
			appendStringInfoChar(&out, word->bytes[b]);
		}
		appendStringInfo(&out, "\"=" UINT64_FORMAT, word->n_docs);
	}
	return out.data;
}

static const char *skip_blanks(const char *at)
{
	while (*at == ' ')
		at++;
	return at;
}

static bool read_number(const char **at, uint64 *number_out)
{
	char *end;
	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*number_out = strtoull(*at, &end, 10);
	*at = end;
	return errno == 0;
}

/* Reads one "word"=N. */
static bool read_word(const char **at, struct word *word)
{
	StringInfoData bytes;
	const char *from = *at;
	initStringInfo(&bytes);
	if (*from++ != '"')
		return false;
	for (; *from && *from != '"'; from++) {
		if (*from == '\\' && !*++from)
			return false;
		appendStringInfoChar(&bytes, *from);
	}
	if (from[0] != '"' || from[1] != '=' || bytes.len == 0)
		return false;
	*at = from + 2;
	word->bytes = bytes.data;
	word->n_bytes = (uint32)bytes.len;
	return read_number(at, &word->n_docs);
}

struct bsp_stats_datum *bsp_stats_parse(const char *text)
{
	struct list list = {.n_words = 0};
	const char *at = skip_blanks(text);
	struct word word;
	if (!read_number(&at, &list.n_docs))
		return NULL;
	at = skip_blanks(at);
	if (!read_number(&at, &list.n_positions))
		return NULL;
	for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
		if (!read_word(&at, &word))
			return NULL;
		add_word(&list, word);
	}
	return pack(&list);
}

static struct bsp_stats_datum *parse_or_fail(const char *text)
{
	struct bsp_stats_datum *stats = bsp_stats_parse(text);
	if (!stats)
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
		                errmsg("invalid bitsift_stats: \"%s\"", text),
		                errhint("It is two numbers, then words with their numbers: 3 40 "
		                        "\"dog\"=1 \"house\"=2")));
	return stats;
}

PGDLLEXPORT Datum bitsift_stats_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(parse_or_fail(PG_GETARG_CSTRING(0)));
}

PGDLLEXPORT Datum bitsift_stats_out(PG_FUNCTION_ARGS)
{
	size_t n_bytes;
	const char *parts = bsp_stats_parts(BSP_STATS_OF(PG_GETARG_DATUM(0)), &n_bytes);
	PG_RETURN_CSTRING(bsp_stats_format(parts, n_bytes));
}

PGDLLEXPORT Datum bitsift_stats_recv(PG_FUNCTION_ARGS)
{
	StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
	int n_bytes;
	PG_RETURN_POINTER(
		parse_or_fail(pq_getmsgtext(message, message->len - message->cursor, &n_bytes)));
}

PGDLLEXPORT Datum bitsift_stats_send(PG_FUNCTION_ARGS)
{
	size_t n_bytes;
	const char *parts = bsp_stats_parts(BSP_STATS_OF(PG_GETARG_DATUM(0)), &n_bytes);
	const char *text = bsp_stats_format(parts, n_bytes);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendtext(&out, text, (int)strlen(text));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

PGDLLEXPORT Datum bitsift_stats_add(PG_FUNCTION_ARGS)
{
	struct list list = {.n_words = 0};
	for (int i = 0; i < 2; i++) {
		size_t n_bytes;
		const char *parts = bsp_stats_parts(BSP_STATS_OF(PG_GETARG_DATUM(i)), &n_bytes);
		unpack(&list, parts, n_bytes);
	}
	PG_RETURN_POINTER(pack(&list));
}
