/* scan_columns.c: the AND of terms in one slab, and the scratch for it. See scan.h; the columns are core/matrix/slab_and.h's. */
#include "query/search/scan_internal.h"

#include <stdlib.h>
#include <string.h>

#define LINES_BYTES  (BS_SLAB_MAX_BLOCKS * BS_LINE_BYTES)
#define GROUPS_BYTES (BS_SLAB_MAX_BLOCKS / 8 * BS_LINE_BYTES)

enum bs_status bs_scan_new(struct bs_scan **scan_out, struct bs_error *err)
{
	*scan_out = calloc(1, sizeof(**scan_out));
	return *scan_out ? BS_OK : bs_fail_memory(err, "a scan", sizeof(**scan_out));
}

void bs_scan_free(struct bs_scan *scan)
{
	if (!scan)
		return;
	for (uint32_t i = 0; i < scan->n_frames; i++) {
		free(scan->frames[i].lines);
		free(scan->frames[i].groups);
	}
	free(scan->frames);
	bs_and_deinit(&scan->and);
	bs_buffer_deinit(&scan->here);
	bs_buffer_deinit(&scan->terms);
	bs_buffer_deinit(&scan->pointers);
	bs_buffer_deinit(&scan->truths);
	bs_buffer_deinit(&scan->merged);
	free(scan);
}

enum bs_status bs_scan_need_frame(struct bs_slab_scan *at, uint32_t depth)
{
	struct bs_scan *scan = at->scan;
	if (depth < scan->n_frames)
		return BS_OK;
	struct bs_and_frame *frames = realloc(scan->frames, ((size_t)depth + 1) * sizeof(*frames));
	if (!frames)
		return bs_fail_memory(at->err, "a scan", ((size_t)depth + 1) * sizeof(*frames));
	scan->frames = frames;
	struct bs_and_frame frame = {.lines = aligned_alloc(BS_LINE_BYTES, LINES_BYTES),
	                             .groups = aligned_alloc(BS_LINE_BYTES, GROUPS_BYTES)};
	if (!frame.lines || !frame.groups) {
		free(frame.lines);
		free(frame.groups);
		return bs_fail_memory(at->err, "a scan", LINES_BYTES + GROUPS_BYTES);
	}
	frames[scan->n_frames++] = frame;
	return BS_OK;
}

void bs_scan_fill_ones(const struct bs_slab_scan *at, uint64_t *lines, const struct bs_live *live)
{
	for (uint32_t block = 0; block < at->slab->n_blocks; block++)
		if (live->words[block / 64] >> (block % 64) & 1)
			memset(lines + (size_t)block * BS_LINE_WORDS, 0xff, BS_LINE_BYTES);
	uint32_t n_last = at->slab->n_docs % BS_LINE_BITS;
	uint64_t *last = lines + (size_t)(at->slab->n_blocks - 1) * BS_LINE_WORDS;
	if (n_last == 0 || !(live->words[(at->slab->n_blocks - 1) / 64] >> ((at->slab->n_blocks - 1) % 64) & 1))
		return;
	for (uint32_t word = 0; word < BS_LINE_WORDS; word++) {
		uint32_t start = word * 64;
		if (n_last <= start)
			last[word] = 0;
		else if (n_last < start + 64)
			last[word] = (UINT64_C(1) << (n_last - start)) - 1;
	}
}

/* ---- terms ---- */

enum bs_status bs_scan_start(struct bs_scan *scan, const struct bs_plan *plan, struct bs_error *err)
{
	bs_buffer_clear(&scan->here);
	enum bs_status status = bs_buffer_reserve(&scan->here, plan->n_terms * sizeof(struct bs_scan_term), err);
	struct bs_scan_term *here = (struct bs_scan_term *)(void *)scan->here.data;
	for (uint32_t t = 0; t < plan->n_terms && !status; t++)
		here[t] = (struct bs_scan_term){.slab = NULL};
	return status;
}

/* The term as it is in this slab. */
static enum bs_status look_up(struct bs_slab_scan *at, uint32_t term, struct bs_scan_term **term_out)
{
	struct bs_scan_term *found = (struct bs_scan_term *)(void *)at->scan->here.data + term;
	enum bs_status status = BS_OK;
	*term_out = found;
	if (found->slab == at->slab)
		return BS_OK;
	status = bs_slab_term_init(&found->here, at->slab, &bs_scan_place(at, term)->term, at->err);
	found->slab = status ? NULL : at->slab;
	return status;
}

enum bs_status bs_scan_exact_column(struct bs_slab_scan *at, uint32_t term, uint32_t *column_out)
{
	struct bs_scan_term *found;
	enum bs_status status = look_up(at, term, &found);
	*column_out = status ? BS_NO_COLUMN : found->here.exact_column;
	return status;
}

enum bs_status bs_scan_is_exact(struct bs_slab_scan *at, uint32_t term, bool *exact_out)
{
	const struct bs_term_place *place = bs_scan_place(at, term);
	struct bs_scan_term *found;
	*exact_out = true;
	if (!place->is_found || place->term.treatment->is_exact)
		return BS_OK;
	enum bs_status status = look_up(at, term, &found);
	*exact_out = !status && found->here.exact_column != BS_NO_COLUMN;
	return status;
}

/* Clears the rows of this slab that only seem to have the term. */
static enum bs_status drop_exceptions(struct bs_slab_scan *at, uint32_t term, const struct bs_live *live,
                                      uint64_t *lines)
{
	struct bs_scan_term *found;
	enum bs_status status = look_up(at, term, &found);
	if (status || found->here.exact_column != BS_NO_COLUMN)
		return status;
	return bs_exceptions_clear(&bs_scan_place(at, term)->exceptions, at->slab->first_row, live, lines, at->err);
}

/* ---- AND of terms ---- */

static uint64_t df_of(const struct bs_slab_term *term)
{
	return term->term->df;
}

/* Pointers to the terms, rarest first: the order in which their columns are read. */
static enum bs_status order_terms(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms)
{
	struct bs_buffer *pointers = &at->scan->pointers;
	bs_buffer_clear(pointers);
	enum bs_status status = bs_buffer_reserve(pointers, n_terms * sizeof(struct bs_slab_term *), at->err);
	const struct bs_slab_term **ordered = (const struct bs_slab_term **)(void *)pointers->data;
	for (size_t i = 0; i < n_terms && !status; i++) {
		struct bs_scan_term *found = NULL;
		status = look_up(at, terms[i], &found);
		size_t to = i;
		for (; to > 0 && df_of(ordered[to - 1]) > df_of(&found->here); to--)
			ordered[to] = ordered[to - 1];
		ordered[to] = &found->here;
	}
	return status;
}

enum bs_status bs_scan_and_terms(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms,
                                 const struct bs_and_frame *frame, struct bs_live *live)
{
	struct bs_and_cost cost = {0, 0};
	for (size_t i = 0; i < n_terms; i++) {
		if (!bs_scan_place(at, terms[i])->is_found) {
			memset(live, 0, sizeof(*live));
			return BS_OK;
		}
	}
	enum bs_status status = order_terms(at, terms, n_terms);
	if (!status)
		status = bs_slab_and(at->slab, at->kernel,
		                     (const struct bs_slab_term *const *)(const void *)at->scan->pointers.data, n_terms,
		                     &at->scan->and, frame, live, &cost, at->err);
	at->stats->lines_read += cost.lines;
	at->stats->document_lines += cost.document_lines;
	for (size_t i = 0; i < n_terms && !status && bs_live_any(live); i++)
		if (bs_scan_place(at, terms[i])->term.treatment->is_exact)
			status = drop_exceptions(at, terms[i], live, frame->lines);
	return status;
}
