/* suggest.c: see suggest.h. */
#include "query/plan/suggest.h"

#include <string.h>

#include "core/lexicon/lexicon.h"
#include "core/system/deadline.h"
#include "query/language/fuzzy.h"
#include "query/language/query_tree.h"
#include "query/plan/plan.h"

/* The fewest bytes of a word for which terms one edit or two edits away are suggested. A shorter
 * word has too many unrelated neighbours. */
#define LEAST_BYTES     3u
#define LEAST_BYTES_TWO 6u

struct suggesting {
	const struct bs_snapshot_list *list;
	struct bs_fuzzy *fuzzy;
	struct bs_buffer *best;
	uint64_t best_df;
};

static enum bs_status offer(struct suggesting *at, const struct bs_buffer *term,
                            struct bs_error *err)
{
	uint64_t df;
	enum bs_status status =
		bs_plan_df(at->list, term->data, (uint32_t)term->used_bytes, &df, err);
	if (status || df <= at->best_df)
		return status;
	at->best_df = df;
	bs_buffer_clear(at->best);
	return bs_buffer_append(at->best, term->data, term->used_bytes, err);
}

#define TERM_NS 50u /* Estimated cost of a step through a lexicon. */

static enum bs_status walk(struct suggesting *at, const struct bs_lexicon *lexicon,
                           struct bs_error *err)
{
	struct bs_lexicon_cursor cursor = {.lexicon = lexicon};
	const struct bs_buffer *term = &cursor.term;
	bool end = false;
	enum bs_status status = bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, err);
	if (!status)
		status = bs_lexicon_cursor_next(&cursor, &end, err);
	while (!status && !end && term->data[0] != BS_KEY_COMPOUND &&
	       !(status = bs_deadline_check_after(TERM_NS, err))) {
		if (bs_fuzzy_matches(at->fuzzy, term->data, (uint32_t)term->used_bytes,
		                     (uint32_t)cursor.n_shared))
			status = offer(at, term, err);
		if (!status)
			status = bs_lexicon_cursor_next(&cursor, &end, err);
	}
	bs_lexicon_cursor_deinit(&cursor);
	return status;
}

/* Whether the term ends with a Hangul syllable (U+AC00 to U+D7A3) or a digit. Such a term is more
 * often the beginning of longer words than misspelt. */
static bool may_go_on(const uint8_t *term, uint32_t term_bytes)
{
	const uint8_t *end = term + term_bytes;
	if (end[-1] >= '0' && end[-1] <= '9')
		return true;
	if (term_bytes < 3 || end[-3] < 0xea || end[-3] > 0xed)
		return false;
	uint32_t c = (end[-3] & 0xfu) << 12 | (end[-2] & 0x3fu) << 6 | (end[-1] & 0x3fu);
	return c >= 0xac00 && c <= 0xd7a3;
}

/* If a term of the index begins with `term`, suggests `term` itself as a prefix. */
static enum bs_status offer_beginning(const struct suggesting *at, const uint8_t *term,
                                      uint32_t term_bytes, bool *is_beginning_out,
                                      struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s < at->list->n_segments && !status && !*is_beginning_out; s++) {
		const struct bs_segment *segment = bs_list_segment(at->list, s)->segment;
		bool end = false;
		if (!segment)
			continue;
		struct bs_lexicon_cursor cursor = {.lexicon = &segment->terms.lexicon};
		status = bs_lexicon_cursor_seek(&cursor, term, term_bytes, err);
		if (!status)
			status = bs_lexicon_cursor_next(&cursor, &end, err);
		*is_beginning_out = !status && !end && cursor.term.used_bytes >= term_bytes &&
		                    memcmp(cursor.term.data, term, term_bytes) == 0;
		bs_lexicon_cursor_deinit(&cursor);
	}
	return *is_beginning_out ? bs_buffer_append(at->best, term, term_bytes, err) : status;
}

enum bs_status bs_suggest(const struct bs_snapshot_list *list, const uint8_t *term,
                          uint32_t term_bytes, struct bs_buffer *word_out, bool *is_beginning_out,
                          struct bs_error *err)
{
	struct suggesting at = {.list = list, .best = word_out};
	enum bs_status status = BS_OK;
	bs_buffer_clear(word_out);
	*is_beginning_out = false;
	if (term_bytes < LEAST_BYTES)
		return BS_OK;
	if (may_go_on(term, term_bytes))
		status = offer_beginning(&at, term, term_bytes, is_beginning_out, err);
	if (status || *is_beginning_out)
		return status;
	for (uint32_t edits = 1;
	     edits <= 1u + (term_bytes >= LEAST_BYTES_TWO) && !status && at.best_df == 0; edits++) {
		status = bs_fuzzy_new(term, term_bytes, edits, &at.fuzzy, err);
		for (uint32_t s = 0; s < list->n_segments && !status; s++)
			if (bs_list_segment(list, s)->segment)
				status =
					walk(&at, &bs_list_segment(list, s)->segment->terms.lexicon,
				             err);
		bs_fuzzy_free(at.fuzzy);
	}
	if (!status && at.best_df == 0)
		status = offer_beginning(&at, term, term_bytes, is_beginning_out, err);
	return status;
}

#define MOST_SUGGESTIONS 3

enum bs_status bs_suggest_words(const struct bs_plan *plan, bool is_stemmed, struct bs_buffer *text,
                                void (*tell)(void *context, const char *message), void *context,
                                struct bs_error *err)
{
	const struct bs_query_tree *query = plan->query;
	const char *star = is_stemmed ? "*" : "";
	bool is_one = !plan->list->entries[0].name;
	enum bs_status status = BS_OK;
	for (size_t i = 0, n = 0; i < query->n_elements && n < MOST_SUGGESTIONS && !status; i++) {
		const struct bs_element *element = &query->elements[i];
		struct bs_error line;
		if (element->kind != BS_ELEMENT_TERM || !element->is_positive ||
		    bs_plan_term_occurs(plan, plan->elements.items[i].first_term))
			continue;
		bool is_beginning = false;
		status = bs_suggest(plan->list, element->term, element->term_bytes, text,
		                    &is_beginning, err);
		bool is_like = text->used_bytes > 0;
		(void)bs_fail(&line, BS_OK, "%s%.*s%s%s%s%.*s%s", is_one ? "" : "no index has ",
		              (int)element->term_bytes, (const char *)element->term,
		              is_beginning ? "" : star, is_one ? " is not in the index" : "",
		              is_like ? "; did you mean " : "", (int)text->used_bytes,
		              (const char *)text->data,
		              is_like ? star[0] || is_beginning ? "*?" : "?" : "");
		if (!status)
			tell(context, line.text);
		n++;
	}
	return status;
}
