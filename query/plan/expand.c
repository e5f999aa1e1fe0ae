/* expand.c: see expand.h. */
#include "query/plan/expand.h"

#include <string.h>

#include "core/lexicon/lexicon.h"
#include "core/system/deadline.h"
#include "query/language/fuzzy.h"
#include "query/language/wildcard.h"
#include "query/plan/may_match.h"

#define TERM_NS 50u /* Estimated cost of a step through a lexicon. */

/* Whether the term at the cursor matches the element. The term must begin with the first head_of()
 * bytes of the element. A fuzzy matcher rejects most terms by the bytes they share with the
 * previous term. */
static bool accepts(const struct bs_element *element, struct bs_fuzzy *fuzzy,
                    const struct bs_lexicon_cursor *cursor)
{
	const uint8_t *term = cursor->term.data;
	size_t n_bytes = cursor->term.used_bytes;
	if (element->kind == BS_ELEMENT_FUZZY)
		return bs_fuzzy_matches(fuzzy, term, (uint32_t)n_bytes, (uint32_t)cursor->n_shared);
	return element->kind == BS_ELEMENT_PREFIX ||
	       bs_pattern_matches(element->term, element->term_bytes, term, n_bytes);
}

/* The number of bytes at the beginning of the element that all its terms begin with. */
static uint32_t head_of(const struct bs_element *element)
{
	if (element->kind == BS_ELEMENT_PATTERN)
		return (uint32_t)bs_pattern_head(element->term, element->term_bytes);
	return element->kind == BS_ELEMENT_PREFIX ? element->term_bytes : 0;
}

enum bs_status bs_expand(const struct bs_snapshot *snapshot, const struct bs_element *element,
                         enum bs_status (*take)(void *context,
                                                const struct bs_lexicon_cursor *cursor,
                                                struct bs_error *err),
                         void *context, struct bs_error *err)
{
	uint32_t head_bytes = head_of(element);
	struct bs_fuzzy *fuzzy = NULL;
	bool may = true;
	enum bs_status status = BS_OK;
	if (snapshot->summary.container)
		status = bs_element_may_match(&snapshot->summary.summary, element, &may, err);
	/* The summary only saves time, so a damaged one is ignored. */
	if (status == BS_CORRUPT)
		status = BS_OK;
	else if (!status && !may)
		return BS_OK;
	if (!status && element->kind == BS_ELEMENT_FUZZY)
		status = bs_fuzzy_new(element->term, element->term_bytes, element->max_distance,
		                      &fuzzy, err);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++) {
		struct bs_lexicon_cursor cursor = {.lexicon = &snapshot->segments[s].terms.lexicon};
		bool end = false;
		status = bs_lexicon_cursor_seek(&cursor, element->term, head_bytes, err);
		while (!status && !(status = bs_deadline_check_after(TERM_NS, err)) &&
		       !(status = bs_lexicon_cursor_next(&cursor, &end, err)) && !end &&
		       cursor.term.data[0] != BS_KEY_COMPOUND &&
		       cursor.term.used_bytes >= head_bytes &&
		       memcmp(cursor.term.data, element->term, head_bytes) == 0)
			if (accepts(element, fuzzy, &cursor))
				status = take(context, &cursor, err);
		bs_lexicon_cursor_deinit(&cursor);
	}
	bs_fuzzy_free(fuzzy);
	return status;
}
