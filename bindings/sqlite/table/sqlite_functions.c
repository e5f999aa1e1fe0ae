/* sqlite_functions.c: see sqlite_functions.h. Where words stand is said by the query itself, of the row as it is now: bs_query_match. */
#include "bindings/sqlite/table/sqlite_functions.h"

#include <string.h>

#include "bindings/sqlite/table/sqlite_weighted.h"
#include "core/bitsift/query.h"
#include "core/bitsift/terminal.h"

SQLITE_EXTENSION_INIT3

/* Of a snippet at most, as FTS5 has it; and for how many beginnings the best is looked for. */
#define MOST_WORDS 64

struct span {
	size_t start, stop;
};

static void fail(sqlite3_context *context, struct bsql_cursor *cursor, int code)
{
	const char *message = code == SQLITE_RANGE      ? "no such column"
	                      : code == SQLITE_MISMATCH ? "bm25: weights are whole numbers from 1 to 100"
	                                                : bsql_cursor_error(cursor);
	if (code == SQLITE_NOMEM) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (message[0])
		sqlite3_result_error(context, message, -1);
	sqlite3_result_error_code(context, code);
}

/* NULL: told of. */
static struct bsql_cursor *cursor_of(sqlite3_context *context, int argc, int n_wanted, const char *usage,
                                     sqlite3_value **argv)
{
	struct bsql_cursor *cursor = argc == n_wanted ? bsql_cursor_of(sqlite3_user_data(context), argv[0]) : NULL;
	char *message = NULL;
	if (argc != n_wanted)
		message = sqlite3_mprintf("use as %s", usage);
	else if (!cursor)
		message = sqlite3_mprintf("%s: not where the rows of its table are found", usage);
	if (message)
		sqlite3_result_error(context, message, -1);
	sqlite3_free(message);
	return cursor;
}

static const char *text_of(sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);
	return text ? text : "";
}

/* Bytes [span) with marks around the words; two places may overlap. */
static void append_marked(sqlite3_str *out, const struct bs_text *text, int number, struct span span,
                          const struct bs_query_place *places, size_t n_places, const char *open, const char *close)
{
	size_t at = span.start;
	bool is_open = false;
	size_t open_to = 0;
	for (size_t i = 0; i < n_places; i++) {
		const struct bs_query_place *place = &places[i];
		if ((int)place->text != number || place->start_byte < span.start || place->stop_byte > span.stop)
			continue;
		if (is_open && place->start_byte < open_to) {
			open_to = place->stop_byte > open_to ? place->stop_byte : open_to;
			continue;
		}
		if (is_open) {
			sqlite3_str_append(out, text->text + at, (int)(open_to - at));
			sqlite3_str_appendall(out, close);
			at = open_to;
		}
		sqlite3_str_append(out, text->text + at, (int)(place->start_byte - at));
		sqlite3_str_appendall(out, open);
		at = place->start_byte;
		open_to = place->stop_byte;
		is_open = true;
	}
	if (is_open) {
		sqlite3_str_append(out, text->text + at, (int)(open_to - at));
		sqlite3_str_appendall(out, close);
		at = open_to;
	}
	sqlite3_str_append(out, text->text + at, (int)(span.stop - at));
}

static void give(sqlite3_context *context, sqlite3_str *out)
{
	int code = sqlite3_str_errcode(out), n_bytes = sqlite3_str_length(out);
	char *text = sqlite3_str_finish(out);
	if (code == SQLITE_NOMEM)
		sqlite3_result_error_nomem(context);
	else if (code)
		sqlite3_result_error_toobig(context);
	else
		sqlite3_result_text(context, text ? text : "", n_bytes, SQLITE_TRANSIENT);
	sqlite3_free(text);
}

static void highlight(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct bsql_cursor *cursor = cursor_of(context, argc, 4, "highlight(table, column, open, close)", argv);
	const struct bs_query_place *places = NULL;
	struct bs_text text;
	size_t n_places;
	int number;
	if (!cursor)
		return;
	int code = bsql_cursor_text(cursor, sqlite3_value_int(argv[1]), &text, &number);
	/* Of a column that there is not, FTS5 says nothing. */
	if (code == SQLITE_RANGE || (!code && !text.text))
		return;
	if (!code)
		code = bsql_cursor_places(cursor, &places, &n_places);
	if (code) {
		fail(context, cursor, code);
		return;
	}
	sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(context));
	append_marked(out, &text, number, (struct span){0, text.text_bytes}, places, n_places, text_of(argv[2]),
	              text_of(argv[3]));
	give(context, out);
}

static bool is_space(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static size_t cut(const struct bs_text *text, size_t at, bool is_forward)
{
	return bs_visible_cut((const uint8_t *)text->text, text->text_bytes, at, is_forward);
}

/* Where the word ends that begins at a byte: at a space, or, in scripts that know none, after a few characters. */
static size_t word_end(const struct bs_text *text, size_t at)
{
	size_t n_wide = 0;
	while (at < text->text_bytes && !is_space(text->text[at])) {
		unsigned char byte = (unsigned char)text->text[at++];
		n_wide += byte >= 0xE2;
		while (at < text->text_bytes && ((unsigned char)text->text[at] & 0xC0) == 0x80)
			at++;
		if (n_wide == 2)
			return cut(text, at, true);
	}
	return at;
}

/* The span of so many words from a byte on, which begins one. */
static struct span words_from(const struct bs_text *text, size_t start, int n_words)
{
	struct span span = {start, start};
	for (size_t at = start; n_words > 0 && at < text->text_bytes; n_words--) {
		span.stop = at = word_end(text, at);
		while (at < text->text_bytes && is_space(text->text[at]))
			at++;
	}
	return span;
}

/* The beginning of the word that stands so many words before a byte. */
static size_t words_before(const struct bs_text *text, size_t at, int n_words)
{
	while (at > 0 && n_words-- > 0) {
		while (at > 0 && is_space(text->text[at - 1]))
			at--;
		size_t end = at;
		while (at > 0 && !is_space(text->text[at - 1]) && end - at < 64)
			at--;
		at = cut(text, at, false);
	}
	return at;
}

/* Places of different words count more than places: those of equal texts are taken for one word. */
static int worth(const struct bs_text *text, int number, struct span span, const struct bs_query_place *places,
                 size_t from, size_t n)
{
	int worth = 0;
	for (size_t i = from; i < n && (int)places[i].text == number && places[i].stop_byte <= span.stop; i++) {
		size_t n_bytes = places[i].stop_byte - places[i].start_byte;
		bool is_new = true;
		for (size_t j = from; j < i && is_new; j++)
			is_new = places[j].stop_byte - places[j].start_byte != n_bytes ||
			         sqlite3_strnicmp(text->text + places[j].start_byte, text->text + places[i].start_byte,
			                          (int)n_bytes) != 0;
		worth += is_new ? 1000 : 1;
	}
	return worth;
}

struct shown {
	struct bs_text text;
	struct span span;
	int number, worth;
};

/* The best span of a column that begins with a place; the first of equal ones. */
static void choose(struct shown *best, const struct bs_text *text, int number, const struct bs_query_place *places,
                   size_t n_places, int n_words)
{
	for (size_t i = 0; i < n_places; i++) {
		if ((int)places[i].text != number)
			continue;
		struct span span = words_from(text, cut(text, places[i].start_byte, false), n_words);
		int is_worth = worth(text, number, span, places, i, n_places);
		if (is_worth > best->worth)
			*best = (struct shown){*text, span, number, is_worth};
	}
}

/* Room that the places leave goes before and behind them. */
static void center(struct shown *shown, const struct bs_query_place *places, size_t n_places, int n_words)
{
	size_t last = shown->span.start;
	int n_used = 0;
	for (size_t i = 0; i < n_places; i++)
		if ((int)places[i].text == shown->number && places[i].stop_byte <= shown->span.stop &&
		    places[i].stop_byte > last)
			last = places[i].stop_byte;
	for (size_t at = shown->span.start; at < last; n_used++)
		for (at = word_end(&shown->text, at); at < shown->text.text_bytes && is_space(shown->text.text[at]);)
			at++;
	shown->span = words_from(&shown->text, words_before(&shown->text, shown->span.start, (n_words - n_used) / 2),
	                         n_words);
	/* A text that ends before is shown from further ahead. */
	if (shown->span.stop == shown->text.text_bytes) {
		size_t start = words_before(&shown->text, shown->text.text_bytes, n_words);
		shown->span.start = start < shown->span.start ? start : shown->span.start;
	}
}

static int find_shown(struct bsql_cursor *cursor, int column, const struct bs_query_place *places, size_t n_places,
                      int n_words, struct shown *shown)
{
	int n_columns = bsql_cursor_declaration(cursor)->n_columns, number, code = SQLITE_OK;
	bool has_first = false;
	for (int i = column < 0 ? 0 : column; i < (column < 0 ? n_columns : column + 1) && !code; i++) {
		struct bs_text text;
		code = bsql_cursor_text(cursor, i, &text, &number);
		if (!code && !has_first && (column >= 0 || number >= 0)) {
			*shown = (struct shown){text, words_from(&text, 0, n_words), number, 0};
			has_first = true;
		}
		if (!code && number >= 0)
			choose(shown, &text, number, places, n_places, n_words);
	}
	return code;
}

static void snippet(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct bsql_cursor *cursor =
		cursor_of(context, argc, 6, "snippet(table, column, open, close, ellipsis, words)", argv);
	const struct bs_query_place *places = NULL;
	struct shown shown = {.text = {.text = ""}};
	size_t n_places;
	if (!cursor)
		return;
	int n_words = sqlite3_value_int(argv[5]);
	n_words = n_words < 1 ? 1 : n_words > MOST_WORDS ? MOST_WORDS : n_words;
	int code = bsql_cursor_places(cursor, &places, &n_places);
	if (!code)
		code = find_shown(cursor, sqlite3_value_int(argv[1]), places, n_places, n_words, &shown);
	if (code) {
		fail(context, cursor, code);
		return;
	}
	if (!shown.text.text)
		return;
	if (shown.worth > 0)
		center(&shown, places, n_places, n_words);
	const char *ellipsis = text_of(argv[4]);
	sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(context));
	sqlite3_str_appendall(out, shown.span.start > 0 ? ellipsis : "");
	append_marked(out, &shown.text, shown.number, shown.span, places, n_places, text_of(argv[2]), text_of(argv[3]));
	sqlite3_str_appendall(out, shown.span.stop < shown.text.text_bytes ? ellipsis : "");
	give(context, out);
}

/* By weights that the statement gives. */
static int score_by(struct bsql_cursor *cursor, int n_weights, sqlite3_value **values, double *score_out)
{
	const struct bsql_declaration *of = bsql_cursor_declaration(cursor);
	unsigned char *weights = bsql_weights_new(of);
	int code = weights ? SQLITE_OK : SQLITE_NOMEM;
	for (int i = 0; i < n_weights && !code; i++)
		if (!bsql_weights_put(weights, of, i, sqlite3_value_double(values[i])))
			code = SQLITE_MISMATCH;
	if (!code)
		code = bsql_cursor_score_by(cursor, weights, score_out);
	sqlite3_free(weights);
	return code;
}

static void bm25(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	double score;
	struct bsql_cursor *cursor = cursor_of(context, argc > 0, 1, "bm25(table, weight of a column, ...)", argv);
	if (!cursor)
		return;
	int code = argc > 1 ? score_by(cursor, argc - 1, argv + 1, &score) : bsql_cursor_score(cursor, &score);
	if (code)
		fail(context, cursor, code);
	else
		sqlite3_result_double(context, -score);
}

static const struct {
	const char *name;
	void (*function)(sqlite3_context *, int, sqlite3_value **);
} FUNCTIONS[] = {{"bm25", bm25}, {"highlight", highlight}, {"snippet", snippet}};

int bsql_functions_register(sqlite3 *db)
{
	int code = SQLITE_OK;
	for (size_t i = 0; i < sizeof(FUNCTIONS) / sizeof(*FUNCTIONS) && !code; i++)
		code = sqlite3_overload_function(db, FUNCTIONS[i].name, -1);
	return code;
}

int bsql_find_function(sqlite3_vtab *vtab, int n_arguments, const char *name,
                       void (**function_out)(sqlite3_context *, int, sqlite3_value **), void **argument_out)
{
	(void)n_arguments;
	for (size_t i = 0; i < sizeof(FUNCTIONS) / sizeof(*FUNCTIONS); i++) {
		if (sqlite3_stricmp(name, FUNCTIONS[i].name))
			continue;
		*function_out = FUNCTIONS[i].function;
		*argument_out = ((struct bsql_table *)vtab)->registry;
		return 1;
	}
	return 0;
}
