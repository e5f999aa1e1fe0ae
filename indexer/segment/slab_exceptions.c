/* slab_exceptions.c: see slab_exceptions.h. */
#include "indexer/segment/slab_exceptions.h"

#include <stdlib.h>

#include "core/matrix/slab_and.h"

/* Terms whose block columns the memory is asked for ahead; a power of two. */
#define AHEAD 8u

/* Scratch of one audit. */
struct audit {
	const struct bs_slab_builder *builder;
	struct bs_slab slab;
	struct bs_and_term terms[AHEAD]; /* term i is i % AHEAD */
	struct bs_buffer wrong;          /* u32: exceptions of one term */
	struct bs_and_scratch and;
	struct bs_and_frame frame;
};

static void audit_deinit(struct audit *audit)
{
	bs_buffer_deinit(&audit->wrong);
	bs_and_deinit(&audit->and);
	free(audit->frame.lines);
	free(audit->frame.groups);
}

/* The rows that the AND left, and that are not among rows[0..n_rows), which it has left for certain. */
static enum bs_status find_wrong(struct audit *audit, const struct bs_live *live, const uint32_t *rows,
                                 uint32_t n_rows, uint64_t first_row, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint64_t *lines = audit->frame.lines;
	bs_buffer_clear(&audit->wrong);
	for (uint32_t i = 0; i < n_rows; i++)
		lines[rows[i] / 64] &= ~(UINT64_C(1) << (rows[i] % 64));
	for (uint32_t live_word = 0; live_word < BS_SLAB_MAX_BLOCKS / 64; live_word++) {
		for (uint64_t blocks = live->words[live_word]; blocks && !status; blocks &= blocks - 1) {
			uint32_t block = live_word * 64 + (uint32_t)__builtin_ctzll(blocks);
			for (uint32_t word = block * BS_LINE_WORDS; word < (block + 1) * BS_LINE_WORDS; word++) {
				for (uint64_t bits = lines[word]; bits && !status; bits &= bits - 1) {
					uint32_t row = (uint32_t)first_row + word * 64 + (uint32_t)__builtin_ctzll(bits);
					status = bs_buffer_append(&audit->wrong, &row, sizeof(row), err);
				}
			}
		}
	}
	return status;
}

static enum bs_status audit_term(struct audit *audit, const struct bs_and_term *term, const uint32_t *rows,
                                 uint32_t n_rows, uint64_t first_row, struct bs_exceptions_builder *exceptions,
                                 struct bs_error *err)
{
	struct bs_slab_term here = {.term = term, .exact_column = BS_NO_COLUMN};
	const struct bs_slab_term *only = &here;
	struct bs_and_cost cost = {0, 0};
	struct bs_live live;
	bs_live_all(&live, audit->slab.n_blocks);
	enum bs_status status = bs_slab_and(&audit->slab, audit->builder->plan->kernel, &only, 1, &audit->and,
	                                    &audit->frame, &live, &cost, err);
	if (!status)
		status = find_wrong(audit, &live, rows, n_rows, first_row, err);
	uint32_t n_wrong = (uint32_t)(audit->wrong.used_bytes / sizeof(uint32_t));
	if (!status && n_wrong > 0)
		status = bs_exceptions_add(exceptions, (uint32_t)term->ordinal,
		                           (const uint32_t *)(const void *)audit->wrong.data, n_wrong, err);
	return status;
}

/* The next frequent term from index on that has to be asked for, those that the slab has not among them: it may seem to
 * have them. */
static uint32_t next_audited(const struct bs_slab_builder *builder, uint32_t index)
{
	while (index < builder->plan->n_frequent && !bs_slab_is_audited(builder, index))
		index++;
	return index;
}

static void prepare(struct audit *audit, uint32_t index, struct bs_and_term *term)
{
	const struct bs_slab_plan *plan = audit->builder->plan;
	const struct bs_frequent_term *frequent = &plan->frequent[index];
	bs_and_term_init(term, plan->hashes[index], frequent->ordinal, frequent->df, plan->treatments);
	bs_slab_prefetch(&audit->slab, term);
}

enum bs_status bs_slab_audit(const struct bs_slab_builder *builder, uint64_t first_row,
                             struct bs_slab_product *product, struct bs_error *err)
{
	struct audit audit = {.builder = builder};
	const struct bs_slab_plan *plan = builder->plan;
	size_t lines_bytes = (size_t)BS_SLAB_MAX_BLOCKS * BS_LINE_BYTES;
	audit.frame.lines = aligned_alloc(BS_LINE_BYTES, lines_bytes);
	audit.frame.groups = aligned_alloc(BS_LINE_BYTES, lines_bytes / 8);
	enum bs_status status = BS_OK;
	if (!audit.frame.lines || !audit.frame.groups)
		status = bs_fail_memory(err, "the audit of a slab", lines_bytes);
	bs_slab_in_memory(&audit.slab, &builder->shape, plan->treatments, product->columns, product->image.n_lines,
	                  (float)plan->density);
	uint32_t ahead = next_audited(builder, 0);
	uint32_t n_ahead = 0;
	uint32_t n_done = 0;
	uint32_t start = 0;
	for (uint32_t index = ahead; index < plan->n_frequent && !status; index = next_audited(builder, index + 1)) {
		for (; n_ahead < n_done + AHEAD && ahead < plan->n_frequent; n_ahead++) {
			prepare(&audit, ahead, &audit.terms[n_ahead % AHEAD]);
			ahead = next_audited(builder, ahead + 1);
		}
		uint32_t end = builder->frequent[index].next;
		status = audit_term(&audit, &audit.terms[n_done++ % AHEAD], builder->audit_rows + start, end - start, first_row,
		                    &product->exceptions, err);
		start = end;
	}
	audit_deinit(&audit);
	return status;
}
