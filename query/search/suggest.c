/* suggest.c: see suggest.h. */
#include "query/search/suggest.h"

#include "core/lexicon/lexicon.h"
#include "query/search/fuzzy.h"
#include "query/search/plan.h"

/* Of a word of so many bytes each letter counts more, and of a shorter one too much. */
#define LEAST_BYTES     3u
#define LEAST_BYTES_TWO 6u

struct suggesting {
	const struct bs_snapshot *snapshot;
	struct bs_fuzzy *fuzzy;
	struct bs_buffer *best;
	uint64_t best_df;
};

static enum bs_status offer(struct suggesting *at, const struct bs_buffer *term, struct bs_error *err)
{
	uint64_t df;
	enum bs_status status = bs_plan_df(at->snapshot, term->data, (uint32_t)term->used_bytes, &df, err);
	if (status || df <= at->best_df)
		return status;
	at->best_df = df;
	bs_buffer_clear(at->best);
	return bs_buffer_append(at->best, term->data, term->used_bytes, err);
}

static enum bs_status walk(struct suggesting *at, const struct bs_lexicon *lexicon, struct bs_error *err)
{
	struct bs_lexicon_cursor cursor = {.lexicon = lexicon};
	const struct bs_buffer *term = &cursor.term;
	bool end = false;
	enum bs_status status = bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, err);
	if (!status)
		status = bs_lexicon_cursor_next(&cursor, &end, err);
	while (!status && !end && term->data[0] != BS_KEY_COMPOUND) {
		if (bs_fuzzy_matches(at->fuzzy, term->data, (uint32_t)term->used_bytes, (uint32_t)cursor.n_shared))
			status = offer(at, term, err);
		if (!status)
			status = bs_lexicon_cursor_next(&cursor, &end, err);
	}
	bs_lexicon_cursor_deinit(&cursor);
	return status;
}

enum bs_status bs_suggest(const struct bs_snapshot *snapshot, const uint8_t *term, uint32_t term_bytes,
                          struct bs_buffer *word_out, struct bs_error *err)
{
	struct suggesting at = {.snapshot = snapshot, .best = word_out};
	enum bs_status status = BS_OK;
	bs_buffer_clear(word_out);
	if (term_bytes < LEAST_BYTES)
		return BS_OK;
	for (uint32_t edits = 1; edits <= 1u + (term_bytes >= LEAST_BYTES_TWO) && !status && at.best_df == 0; edits++) {
		status = bs_fuzzy_new(term, term_bytes, edits, &at.fuzzy, err);
		for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++)
			status = walk(&at, &snapshot->segments[s].lexicon, err);
		bs_fuzzy_free(at.fuzzy);
	}
	return status;
}
