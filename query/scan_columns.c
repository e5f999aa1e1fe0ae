/* scan_columns.c: the AND of terms in one slab, level by level. See scan.h; core/slab.h has the picture. */
#include "query/scan_internal.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

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
		free(scan->frames[i].mask);
	}
	free(scan->frames);
	bs_buffer_deinit(&scan->terms);
	bs_buffer_deinit(&scan->columns);
	bs_buffer_deinit(&scan->pointers);
	bs_buffer_deinit(&scan->truths);
	free(scan);
}

enum bs_status bs_scan_need_frame(struct bs_slab_scan *at, uint32_t depth)
{
	struct bs_scan *scan = at->scan;
	if (depth < scan->n_frames)
		return BS_OK;
	struct bs_scan_frame *frames = realloc(scan->frames, ((size_t)depth + 1) * sizeof(*frames));
	if (!frames)
		return bs_fail_memory(at->err, "a scan", ((size_t)depth + 1) * sizeof(*frames));
	scan->frames = frames;
	struct bs_scan_frame frame = {.lines = aligned_alloc(BS_LINE_BYTES, LINES_BYTES),
	                      .mask = aligned_alloc(BS_LINE_BYTES, MASK_BYTES)};
	if (!frame.lines || !frame.mask) {
		free(frame.lines);
		free(frame.mask);
		return bs_fail_memory(at->err, "a scan", LINES_BYTES + MASK_BYTES);
	}
	frames[scan->n_frames++] = frame;
	return BS_OK;
}

/* ---- live masks ---- */

void bs_live_all(struct bs_live *live, uint32_t n)
{
	memset(live, 0, sizeof(*live));
	for (uint32_t i = 0; i < n / 64; i++)
		live->words[i] = UINT64_MAX;
	if (n % 64)
		live->words[n / 64] = (UINT64_C(1) << (n % 64)) - 1;
}

bool bs_live_any(const struct bs_live *live)
{
	uint64_t any = 0;
	for (size_t i = 0; i < BS_SLAB_MAX_BLOCKS / 64; i++)
		any |= live->words[i];
	return any != 0;
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

/* ---- columns of one level for some terms ---- */

static enum bs_status push_column(struct bs_slab_scan *at, const struct bs_level *level, uint32_t c,
                                  const struct bs_live *live)
{
	struct bs_counted_column counted;
	enum bs_status status = bs_slab_column(at->slab, level, c, live, &counted.column, at->err);
	if (!status)
		status = bs_slab_popcount(at->slab, level, c, &counted.popcount, at->err);
	if (!status)
		status = bs_buffer_append(&at->scan->columns, &counted, sizeof(counted), at->err);
	return status;
}

/* The distinct columns of a hashed term at one level. A slab whose document level holds nothing has no hashed term. */
static enum bs_status push_hashed(struct bs_slab_scan *at, uint32_t term, uint32_t level_index, struct bs_live *live)
{
	const struct bs_level *level = &at->slab->levels[level_index];
	uint32_t k = bs_slab_hashes(bs_scan_place(at, term)->treatment, at->slab->n_columns, level_index);
	if (k > 0 && level->n_columns == 0) {
		memset(live, 0, sizeof(*live));
		return BS_OK;
	}
	struct bs_probe probe = bs_hash_probe(at->plan->terms[term].hash, level->rank);
	uint32_t seen[BS_SLAB_MAX_HASHES];
	uint32_t n_seen = 0;
	for (uint32_t i = 0; i < k; i++) {
		uint32_t c = bs_hash_position(probe, i, level->n_columns);
		bool is_new = true;
		for (uint32_t j = 0; j < n_seen; j++)
			is_new &= seen[j] != c;
		if (!is_new)
			continue;
		seen[n_seen++] = c;
		enum bs_status status = push_column(at, level, c, live);
		if (status)
			return status;
	}
	return BS_OK;
}

enum bs_status bs_scan_find_exact(struct bs_slab_scan *at, uint32_t term, bool *found_out, uint32_t *column_out)
{
	*found_out = false;
	if (at->slab->exact.n_columns == 0 || !bs_scan_place(at, term)->is_found)
		return BS_OK;
	return bs_slab_find_exact(at->slab, bs_scan_place(at, term)->ordinal, found_out, column_out, at->err);
}

static int compare_columns(const void *a, const void *b)
{
	uint32_t x = ((const struct bs_counted_column *)a)->popcount;
	uint32_t y = ((const struct bs_counted_column *)b)->popcount;
	return x < y ? -1 : x > y;
}

/* The columns pushed, sparsest first. */
static enum bs_status sorted_columns(struct bs_slab_scan *at, const bs_column **columns_out, size_t *n_out)
{
	struct bs_scan *scan = at->scan;
	size_t n = scan->columns.used_bytes / sizeof(struct bs_counted_column);
	struct bs_counted_column *counted = (struct bs_counted_column *)(void *)scan->columns.data;
	*columns_out = NULL;
	*n_out = n;
	if (n == 0)
		return BS_OK;
	qsort(counted, n, sizeof(*counted), compare_columns);
	bs_buffer_clear(&scan->pointers);
	for (size_t i = 0; i < n; i++) {
		enum bs_status status = bs_buffer_append(&scan->pointers, &counted[i].column, sizeof(bs_column), at->err);
		if (status)
			return status;
	}
	*columns_out = (const bs_column *)(const void *)scan->pointers.data;
	return BS_OK;
}

/* Pushes the columns of one level for all terms; exact columns stand for a term at rank 0, and for nothing above. */
static enum bs_status push_level(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms, uint32_t level_index,
                                 struct bs_live *live)
{
	bs_buffer_clear(&at->scan->columns);
	for (size_t i = 0; i < n_terms && bs_live_any(live); i++) {
		bool is_exact;
		uint32_t c;
		enum bs_status status = bs_scan_find_exact(at, terms[i], &is_exact, &c);
		if (!status && !is_exact)
			status = push_hashed(at, terms[i], level_index, live);
		else if (!status && level_index == 0)
			status = push_column(at, &at->slab->exact, c, live);
		if (status)
			return status;
	}
	return BS_OK;
}

/* ---- AND of terms ---- */

/* Blocks that have a lane set keep their live bit: a lane is a block, or 1/2, 1/4, ... of one in a smaller slab. */
static void keep_blocks(const struct bs_slab *slab, const uint64_t lanes[BS_LINE_WORDS], struct bs_live *live)
{
	uint32_t per_block_log2 = 9 - bs_slab_lane_shift(slab->n_docs);
	if (per_block_log2 == 0) {
		for (size_t word = 0; word < BS_LINE_WORDS; word++)
			live->words[word] &= lanes[word];
		return;
	}
	struct bs_live found = {{0}};
	for (size_t word = 0; word < BS_LINE_WORDS; word++) {
		for (uint64_t left = lanes[word]; left != 0; left &= left - 1) {
			size_t block = (word * 64 + (size_t)__builtin_ctzll(left)) >> per_block_log2;
			found.words[block / 64] |= UINT64_C(1) << (block % 64);
		}
	}
	for (size_t word = 0; word < BS_SLAB_MAX_BLOCKS / 64; word++)
		live->words[word] &= found.words[word];
}

static enum bs_status and_blocks(struct bs_slab_scan *at, uint32_t level, const uint32_t *terms, size_t n_terms,
                                 struct bs_live *live)
{
	enum bs_status status = push_level(at, terms, n_terms, level, live);
	size_t n = at->scan->columns.used_bytes / sizeof(struct bs_counted_column);
	const struct bs_counted_column *counted = (const struct bs_counted_column *)(const void *)at->scan->columns.data;
	uint64_t lanes[BS_LINE_WORDS];
	if (status || n == 0 || !bs_live_any(live))
		return status;
	memset(lanes, 0xff, sizeof(lanes));
	for (size_t i = 0; i < n; i++)
		for (size_t word = 0; word < BS_LINE_WORDS; word++)
			lanes[word] &= counted[i].column[word];
	at->stats->lines_read += n;
	keep_blocks(at->slab, lanes, live);
	return BS_OK;
}

/* Groups of eight blocks are the bytes of the live mask. Leaves the groups' lanes in the lines of the live blocks;
 * *fresh_io becomes false if it did. */
static enum bs_status and_groups(struct bs_slab_scan *at, uint32_t level, const uint32_t *terms, size_t n_terms,
                                 const struct bs_scan_frame *frame, struct bs_live *live, bool *fresh_io)
{
	const bs_column *columns;
	size_t n;
	enum bs_status status = push_level(at, terms, n_terms, level, live);
	if (!status)
		status = sorted_columns(at, &columns, &n);
	if (status || n == 0 || !bs_live_any(live))
		return status;
	struct bs_live groups = {{0}};
	for (size_t g = 0; g < BS_SLAB_MAX_BLOCKS / 8; g++)
		if (live->words[g / 8] >> (g % 8 * 8) & 0xff)
			groups.words[0] |= UINT64_C(1) << g;
	at->stats->lines_read += at->kernel->and_columns(frame->mask, &groups, columns, n, true);
	for (size_t g = 0; g < BS_SLAB_MAX_BLOCKS / 8; g++)
		if (!(groups.words[0] >> g & 1))
			live->words[g / 8] &= ~(UINT64_C(0xff) << (g % 8 * 8));
	at->kernel->spread_groups(frame->lines, live, frame->mask);
	*fresh_io = false;
	return BS_OK;
}

static enum bs_status and_documents(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms, uint64_t *lines,
                                    struct bs_live *live, bool fresh)
{
	const bs_column *columns;
	size_t n;
	enum bs_status status = push_level(at, terms, n_terms, 0, live);
	if (!status)
		status = sorted_columns(at, &columns, &n);
	if (status || !bs_live_any(live))
		return status;
	if (n == 0) {
		if (fresh)
			bs_scan_fill_ones(at, lines, live);
		return BS_OK;
	}
	uint64_t n_read = at->kernel->and_columns(lines, live, columns, n, fresh);
	at->stats->lines_read += n_read;
	at->stats->document_lines += n_read;
	return BS_OK;
}

enum bs_status bs_scan_and_terms(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms, const struct bs_scan_frame *frame,
                                struct bs_live *live)
{
	enum bs_status status = BS_OK;
	bool fresh = true;
	for (size_t i = 0; i < n_terms; i++) {
		if (!bs_scan_place(at, terms[i])->is_found) {
			memset(live, 0, sizeof(*live));
			return BS_OK;
		}
	}
	for (uint32_t level = at->slab->n_levels; level-- > 1 && !status && bs_live_any(live);) {
		if (at->slab->levels[level].rank == BS_RANK_BLOCK)
			status = and_blocks(at, level, terms, n_terms, live);
		else
			status = and_groups(at, level, terms, n_terms, frame, live, &fresh);
	}
	if (!status && bs_live_any(live))
		status = and_documents(at, terms, n_terms, frame->lines, live, fresh);
	return status;
}
