/* pg_snippet.c: bitsift_snippet: a part of a text, on one line, in which words of a query stand, with marks around them. */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/types/pg_parsed.h"
#include "core/bitsift/query.h"
#include "core/bitsift/terminal.h"

PG_FUNCTION_INFO_V1(bitsift_snippet);

#define ELLIPSIS "\xe2\x80\xa6"

struct span {
	size_t start, stop;
};

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f;
}

/* The last place at or before a byte, or the first at or after it, where no character of a reader is cut. */
static size_t cut(const struct bs_text *text, size_t at, bool is_forward)
{
	return bs_visible_cut((const uint8_t *)text->text, text->text_bytes, at, is_forward);
}

/* So many bytes around the places that lie closest, with whole words at its ends; the text's beginning if there is none. */
static struct span choose(const struct bs_text *text, const struct bs_query_result *result, size_t room)
{
	size_t best = 0, most = 0, start = 0, stop;
	/* Both ends of what lies within go forward only: a text may have millions of places. */
	for (size_t i = 0, end = 0; i < result->n_places; i++) {
		end = Max(end, i);
		while (end < result->n_places && result->places[end].stop_byte <= result->places[i].start_byte + room)
			end++;
		if (end - i > most) {
			most = end - i;
			best = i;
		}
	}
	if (result->n_places > 0) {
		const struct bs_query_place *first = &result->places[best],
					    *last = &result->places[best + (most > 0 ? most - 1 : 0)];
		size_t used = last->stop_byte - first->start_byte, before = used < room ? (room - used) / 3 : 0;
		start = first->start_byte > before ? first->start_byte - before : 0;
		for (; start > 0 && start < first->start_byte && !is_blank(text->text[start - 1]); start++)
			;
	}
	stop = text->text_bytes - start > room ? start + room : text->text_bytes;
	if (stop < text->text_bytes) {
		size_t blank = stop;
		while (blank > start + room / 2 && !is_blank(text->text[blank]))
			blank--;
		stop = blank > start + room / 2 ? blank : stop;
	}
	start = cut(text, start, false);
	stop = cut(text, stop, false);
	return (struct span){start, stop > start ? stop : cut(text, start + 1, true)};
}

/* White space and control characters become one space each time. */
static void append_text(StringInfo out, const struct bs_text *text, size_t start, size_t stop, int floor)
{
	for (size_t i = start; i < stop; i++) {
		if (!is_blank(text->text[i]))
			appendStringInfoChar(out, text->text[i]);
		else if (out->len > floor && out->data[out->len - 1] != ' ')
			appendStringInfoChar(out, ' ');
	}
}

static void append_marked(StringInfo out, const struct bs_text *text, struct span span,
                          const struct bs_query_result *result, const char *mark_start, const char *mark_stop)
{
	size_t at = span.start;
	int floor = out->len;
	for (size_t i = 0; i < result->n_places; i++) {
		size_t start = result->places[i].start_byte, stop = result->places[i].stop_byte;
		while (i + 1 < result->n_places && result->places[i + 1].start_byte < stop)
			stop = Max(stop, result->places[++i].stop_byte);
		if (start < at || stop > span.stop)
			continue;
		append_text(out, text, at, start, floor);
		appendStringInfoString(out, mark_start);
		append_text(out, text, start, stop, out->len);
		appendStringInfoString(out, mark_stop);
		at = stop;
	}
	append_text(out, text, at, span.stop, floor);
	while (out->len > floor && out->data[out->len - 1] == ' ')
		out->data[--out->len] = 0;
}

/* bitsift_snippet(text, query, mark_start, mark_stop, characters) */
PGDLLEXPORT Datum bitsift_snippet(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	struct bsp_query_datum *datum = BSP_QUERY_OF(PG_GETARG_DATUM(1));
	char *mark_start = text_to_cstring(PG_GETARG_TEXT_PP(2)), *mark_stop = text_to_cstring(PG_GETARG_TEXT_PP(3));
	int32 columns = PG_GETARG_INT32(4);
	struct bs_text asked = {.text = VARDATA_ANY(value), .text_bytes = VARSIZE_ANY_EXHDR(value)};
	struct bs_query_result result;
	struct bs_error err = {""};
	StringInfoData out;
	if (columns < 1 || columns > 1000000)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		                errmsg("bitsift_snippet: a length is 1 to 1000000, not %d", columns)));
	bsp_check(bs_query_match(bsp_parsed(datum), &asked, 1, &result, &err), &err, NULL);
	struct span span = choose(&asked, &result, (size_t)columns);
	initStringInfo(&out);
	if (span.start > 0)
		appendStringInfoString(&out, ELLIPSIS);
	append_marked(&out, &asked, span, &result, mark_start, mark_stop);
	if (span.stop < asked.text_bytes)
		appendStringInfoString(&out, ELLIPSIS);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}
