/* slab_audit.c: see slab_audit.h. */
#include "indexer/slab_audit.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

/* Scratch of one audit. */
struct audit {
	const struct bs_slab_plan *plan;
	struct bs_slab slab;
	struct bs_buffer terms; /* u32: numbers of the terms to ask for */
	struct bs_buffer first; /* u64: one a term and one more, where its rows begin */
	uint32_t *rows;         /* those that have the first term, ascending, then those of the second, ... */
	struct bs_buffer wrong; /* u32: exceptions of one term */
	struct bs_and_scratch and;
	struct bs_and_frame frame;
};

static void audit_deinit(struct audit *audit)
{
	bs_buffer_deinit(&audit->terms);
	bs_buffer_deinit(&audit->first);
	bs_buffer_deinit(&audit->wrong);
	bs_and_deinit(&audit->and);
	free(audit->rows);
	free(audit->frame.lines);
	free(audit->frame.groups);
}

/* The terms to ask for, those that the slab has not among them: it may seem to have them. The mark of a term becomes 1 + its
 * place among them. */
static enum bs_status choose_terms(const struct bs_slab_builder *builder, struct audit *audit, struct bs_error *err)
{
	const struct bs_slab_plan *plan = builder->plan;
	uint64_t n_rows = 0; /* of all terms: may be more than 2^32 */
	uint32_t n_terms = 0;
	enum bs_status status = BS_OK;
	for (uint32_t term = 0; term < plan->gather->terms.n_terms && !status; term++) {
		if (builder->exact_of[term] || !plan->treatments->entries[plan->treatment_of[term]].is_exact)
			continue;
		builder->last_block[term] = ++n_terms;
		status = bs_buffer_append(&audit->terms, &term, sizeof(term), err);
		if (!status)
			status = bs_buffer_append(&audit->first, &n_rows, sizeof(n_rows), err);
		n_rows += builder->counts[term];
	}
	if (!status)
		status = bs_buffer_append(&audit->first, &n_rows, sizeof(n_rows), err);
	audit->rows = status ? NULL : malloc((size_t)(n_rows + 1) * sizeof(uint32_t));
	if (!status && !audit->rows)
		status = bs_fail_memory(err, "the audit of a slab", (n_rows + 1) * sizeof(uint32_t));
	return status;
}

/* Turns documents -> terms round. first[i] ends as where the rows of term i end, which is where those of i + 1 begin. */
static void collect_rows(const struct bs_slab_builder *builder, struct audit *audit)
{
	const struct bs_slab_image *image = &builder->image;
	const struct bs_gathered_doc *docs = bs_gather_docs(builder->plan->gather);
	uint64_t *next = (uint64_t *)(void *)audit->first.data;
	for (uint32_t row = 0; row < image->shape.n_docs; row++) {
		const uint8_t *codes = docs[image->rows[row]].codes;
		for (uint32_t i = 0; i < docs[image->rows[row]].n_terms; i++) {
			uint32_t mark = builder->last_block[bs_gather_next(&codes)];
			if (mark)
				audit->rows[next[mark - 1]++] = row;
		}
	}
}

/* Rows that the AND left and that are not in rows[0..n_rows). */
static enum bs_status compare_rows(struct audit *audit, const struct bs_live *live, const uint32_t *rows,
                                   uint32_t n_rows, uint64_t first_row, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint32_t i = 0;
	bs_buffer_clear(&audit->wrong);
	for (uint32_t block = 0; block < audit->slab.n_blocks; block++) {
		if (!(live->words[block / 64] >> (block % 64) & 1))
			continue;
		for (uint32_t word = block * BS_LINE_WORDS; word < (block + 1) * BS_LINE_WORDS; word++) {
			for (uint64_t bits = audit->frame.lines[word]; bits && !status; bits &= bits - 1) {
				uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(bits);
				uint32_t in_segment = (uint32_t)(first_row + row);
				if (i < n_rows && rows[i] == row)
					i++;
				else
					status = bs_buffer_append(&audit->wrong, &in_segment, sizeof(in_segment), err);
			}
		}
	}
	return status;
}

static enum bs_status audit_term(const struct bs_slab_builder *builder, struct audit *audit, uint32_t i,
                                 uint64_t first_row, struct bs_exceptions_builder *exceptions, struct bs_error *err)
{
	const struct bs_slab_plan *plan = audit->plan;
	uint32_t number = ((const uint32_t *)(const void *)audit->terms.data)[i];
	const uint64_t *ends = (const uint64_t *)(const void *)audit->first.data;
	uint64_t start = i ? ends[i - 1] : 0;
	struct bs_and_term term;
	struct bs_slab_term here = {.term = &term, .exact_column = BS_NO_COLUMN};
	const struct bs_slab_term *only = &here;
	struct bs_and_cost cost = {0, 0};
	struct bs_live live;
	bs_and_term_init(&term, plan->gather->terms.entries[number].hash, plan->ordinal_of[number],
	                 plan->gather->terms.entries[number].df, plan->treatments);
	bs_live_all(&live, audit->slab.n_blocks);
	enum bs_status status = bs_slab_and(&audit->slab, builder->image.kernel, &only, 1, &audit->and, &audit->frame,
	                                    &live, &cost, err);
	if (!status)
		status = compare_rows(audit, &live, audit->rows + start, (uint32_t)(ends[i] - start), first_row, err);
	uint32_t n_wrong = (uint32_t)(audit->wrong.used_bytes / sizeof(uint32_t));
	if (!status && n_wrong > 0)
		status = bs_exceptions_add(exceptions, plan->ordinal_of[number],
		                           (const uint32_t *)(const void *)audit->wrong.data, n_wrong, err);
	return status;
}

static void forget_marks(const struct bs_slab_builder *builder, const struct audit *audit)
{
	const uint32_t *terms = (const uint32_t *)(const void *)audit->terms.data;
	for (size_t i = 0; i < audit->terms.used_bytes / sizeof(*terms); i++)
		builder->last_block[terms[i]] = 0;
}

enum bs_status bs_slab_audit(struct bs_slab_builder *builder, uint64_t first_row,
                             struct bs_exceptions_builder *exceptions, struct bs_error *err)
{
	struct audit audit = {.plan = builder->plan};
	size_t lines_bytes = (size_t)BS_SLAB_MAX_BLOCKS * BS_LINE_BYTES;
	audit.frame.lines = aligned_alloc(BS_LINE_BYTES, lines_bytes);
	audit.frame.groups = aligned_alloc(BS_LINE_BYTES, lines_bytes / 8);
	enum bs_status status = BS_OK;
	if (!audit.frame.lines || !audit.frame.groups)
		status = bs_fail_memory(err, "the audit of a slab", lines_bytes);
	bs_slab_in_memory(&audit.slab, &builder->image.shape, builder->image.treatments, builder->image.columns,
	                  builder->image.n_lines, (float)builder->plan->density);
	if (!status)
		status = choose_terms(builder, &audit, err);
	if (!status)
		collect_rows(builder, &audit);
	for (uint32_t i = 0; i < audit.terms.used_bytes / sizeof(uint32_t) && !status; i++)
		status = audit_term(builder, &audit, i, first_row, exceptions, err);
	forget_marks(builder, &audit);
	audit_deinit(&audit);
	return status;
}
