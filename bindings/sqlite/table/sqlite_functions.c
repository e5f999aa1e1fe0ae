/* sqlite_functions.c: see sqlite_functions.h. To find the words to mark, bs_query_match analyses
 * the current text of the row. */
#include "bindings/sqlite/table/sqlite_functions.h"

#include <string.h>

#include "bindings/sqlite/table/sqlite_weighted.h"
#include "core/bitsift/query.h"

SQLITE_EXTENSION_INIT3

/* The maximum number of words of a snippet, as in FTS5. */
#define MOST_WORDS 64

struct span {
	size_t start, stop;
};

/* The part of a text to show. `number` is the text's number among the indexed ones; `places` may
 * include those of other texts. */
struct shown {
	struct bs_text text;
	struct span span;
	int number;
	const struct bs_query_place *places;
	size_t n_places;
};

static void fail(sqlite3_context *context, struct bsql_cursor *cursor, int code)
{
	const char *message = code == SQLITE_RANGE ? "no such column"
	                      : code == SQLITE_MISMATCH
	                              ? "bm25: weights are whole numbers from 1 to 100"
	                              : bsql_cursor_error(cursor);
	if (code == SQLITE_NOMEM) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (message[0])
		sqlite3_result_error(context, message, -1);
	sqlite3_result_error_code(context, code);
}

/* Returns the cursor that the first argument refers to. If there is none, or if argc is not
 * n_wanted, sets an error and returns NULL. */
static struct bsql_cursor *cursor_of(sqlite3_context *context, int argc, int n_wanted,
                                     const char *usage, sqlite3_value **argv)
{
	struct bsql_cursor *cursor =
		argc == n_wanted ? bsql_cursor_of(sqlite3_user_data(context), argv[0]) : NULL;
	char *message = NULL;
	if (argc != n_wanted)
		message = sqlite3_mprintf("usage: %s", usage);
	else if (!cursor)
		message = sqlite3_mprintf("%s: can only be used in a query that searches its table",
		                          usage);
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

/* Appends the bytes of `span` with marks around the words; overlapping places get one pair of
 * marks. */
static void append_marked(sqlite3_str *out, const struct bs_text *text, int number,
                          struct span span, const struct bs_query_place *places, size_t n_places,
                          const char *open, const char *close)
{
	size_t at = span.start;
	bool is_open = false;
	size_t open_to = 0;
	for (size_t i = 0; i < n_places; i++) {
		const struct bs_query_place *place = &places[i];
		if ((int)place->text != number || place->start_byte < span.start ||
		    place->stop_byte > span.stop)
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
	struct bsql_cursor *cursor =
		cursor_of(context, argc, 4, "highlight(table, column, open, close)", argv);
	const struct bs_query_place *places = NULL;
	struct bs_text text;
	size_t n_places;
	int number;
	if (!cursor)
		return;
	int code = bsql_cursor_text(cursor, sqlite3_value_int(argv[1]), &text, &number);
	/* Like FTS5, ignores a column that does not exist. */
	if (code == SQLITE_RANGE || (!code && !text.text))
		return;
	if (!code)
		code = bsql_cursor_places(cursor, &places, &n_places);
	if (code) {
		fail(context, cursor, code);
		return;
	}
	sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(context));
	append_marked(out, &text, number, (struct span){0, text.text_bytes}, places, n_places,
	              text_of(argv[2]), text_of(argv[3]));
	give(context, out);
}

/* Finds the part to show, in one column or, with column -1, in any indexed one. If no word of the
 * query occurs there, it is the beginning of the column, or of the first indexed one. */
static int find_shown(struct bsql_cursor *cursor, int column, int n_words, struct shown *shown)
{
	const struct bs_query_place *places = NULL;
	const struct bs_text *texts = &shown->text;
	int n_columns = bsql_cursor_declaration(cursor)->n_columns, i = column < 0 ? 0 : column;
	size_t n_places, n_texts = 1;
	struct bs_query_span span;
	int code = bsql_cursor_places(cursor, &places, &n_places);
	if (!code)
		code = bsql_cursor_text(cursor, i, &shown->text, &shown->number);
	while (!code && column < 0 && shown->number < 0 && ++i < n_columns)
		code = bsql_cursor_text(cursor, i, &shown->text, &shown->number);
	while (column >= 0 && n_places > 0 && (int)places[n_places - 1].text != shown->number)
		n_places--;
	while (column >= 0 && n_places > 0 && (int)places->text != shown->number) {
		places++;
		n_places--;
	}
	if (n_places > 0)
		texts = bsql_cursor_texts(cursor, &n_texts);
	if (!code &&
	    bs_query_choose_span(texts, n_texts, places, n_places, (uint32_t)n_words, &span, NULL))
		code = SQLITE_NOMEM;
	if (code)
		return code;
	shown->places = places;
	shown->n_places = n_places;
	shown->span = (struct span){span.start_byte, span.stop_byte};
	if (n_places > 0) {
		shown->text = texts[span.text];
		shown->number = (int)span.text;
	}
	return SQLITE_OK;
}

static void snippet(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct bsql_cursor *cursor = cursor_of(
		context, argc, 6, "snippet(table, column, open, close, ellipsis, words)", argv);
	struct shown shown = {.number = 0};
	if (!cursor)
		return;
	int n_words = sqlite3_value_int(argv[5]);
	n_words = n_words < 1 ? 1 : n_words > MOST_WORDS ? MOST_WORDS : n_words;
	int code = find_shown(cursor, sqlite3_value_int(argv[1]), n_words, &shown);
	if (code) {
		fail(context, cursor, code);
		return;
	}
	if (!shown.text.text)
		return;
	const char *ellipsis = text_of(argv[4]);
	sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(context));
	sqlite3_str_appendall(out, shown.span.start > 0 ? ellipsis : "");
	append_marked(out, &shown.text, shown.number, shown.span, shown.places, shown.n_places,
	              text_of(argv[2]), text_of(argv[3]));
	sqlite3_str_appendall(out, shown.span.stop < shown.text.text_bytes ? ellipsis : "");
	give(context, out);
}

/* Computes the score of the cursor's row with weights that are arguments of bm25(). */
static int score_by(struct bsql_cursor *cursor, int n_weights, sqlite3_value **values,
                    double *score_out)
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
	struct bsql_cursor *cursor =
		cursor_of(context, argc > 0, 1, "bm25(table, weight of a column, ...)", argv);
	if (!cursor)
		return;
	int code = argc > 1 ? score_by(cursor, argc - 1, argv + 1, &score)
	                    : bsql_cursor_score(cursor, &score);
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
                       void (**function_out)(sqlite3_context *, int, sqlite3_value **),
                       void **argument_out)
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
