/* term_lines.c: see term_lines.h. In order: memory, rows and their documents, columns, forward
 * indexes, and the functions that choose between columns and forward indexes. */
#include "query/scan/term_lines.h"

#include <stdlib.h>
#include <string.h>

#define LINES_BYTES  (BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES)
#define GROUPS_BYTES (BS_SHARD_MAX_BLOCKS / 8 * BS_LINE_BYTES)

/* A term in the shard being scanned. It is looked up on first use. */
struct scan_term {
	const struct bs_shard *shard; /* The shard that `here` belongs to; NULL: none yet. */
	struct bs_shard_term here;
};

#define FRAME_BYTES (LINES_BYTES + GROUPS_BYTES)

void bs_scan_deinit(struct bs_scan *scan)
{
	(void)!bs_memory_budget_add(-(int64_t)(scan->n_frames * FRAME_BYTES), NULL);
	for (uint32_t i = 0; i < scan->n_frames; i++) {
		free(scan->frames[i].lines);
		free(scan->frames[i].groups);
	}
	free(scan->frames);
	bs_and_deinit(&scan->and);
	bs_vector_deinit(&scan->here);
	bs_vector_deinit(&scan->terms);
	bs_vector_deinit(&scan->ordered);
	bs_vector_deinit(&scan->merged);
	free(scan->best);
}

static enum bs_status need_frames(struct bs_scan *scan, uint32_t n_frames, struct bs_error *err)
{
	if (n_frames <= scan->n_frames)
		return BS_OK;
	struct bs_and_frame *frames = realloc(scan->frames, n_frames * sizeof(*frames));
	if (!frames)
		return bs_fail_memory(err, "a scan", n_frames * sizeof(*frames));
	scan->frames = frames;
	while (scan->n_frames < n_frames) {
		enum bs_status status = bs_memory_budget_add((int64_t)FRAME_BYTES, err);
		if (status)
			return status;
		struct bs_and_frame frame = {.lines = aligned_alloc(BS_LINE_BYTES, LINES_BYTES),
		                             .groups = aligned_alloc(BS_LINE_BYTES, GROUPS_BYTES)};
		if (!frame.lines || !frame.groups) {
			free(frame.lines);
			free(frame.groups);
			(void)!bs_memory_budget_add(-(int64_t)FRAME_BYTES, NULL);
			return bs_fail_memory(err, "a scan", FRAME_BYTES);
		}
		frames[scan->n_frames++] = frame;
	}
	return BS_OK;
}

enum bs_status bs_scan_start(struct bs_scan *scan, const struct bs_plan *plan, uint32_t n_frames,
                             struct bs_error *err)
{
	/* A leaf needs one frame for each node above it, two for an OR, and two more for an element
	 * with several terms. The second evaluation of the tree begins one frame deeper. */
	uint32_t n_deepest = 2 * plan->query->depth + 3;
	bs_vector_clear(&scan->here);
	bs_vector_clear(&scan->terms);
	enum bs_status status = bs_vector_reserve(&scan->here, plan->n_terms, err);
	for (uint32_t t = 0; t < plan->n_terms && !status; t++)
		scan->here.items[t] = (struct scan_term){.shard = NULL};
	return status ? status
	              : need_frames(scan, n_frames > n_deepest ? n_frames : n_deepest, err);
}

#define PREFETCHED_TERMS 16u

void bs_scan_prefetch(const struct bs_plan *plan, uint32_t segment, uint32_t next_shard)
{
	const struct bs_segment *from = bs_plan_segment(plan, segment);
	if (next_shard >= from->meta.n_shards || from->shards[next_shard].hashed.n_levels < 2)
		return;
	for (uint32_t t = 0; t < plan->n_terms && t < PREFETCHED_TERMS; t++)
		if (bs_plan_place(plan, segment, t)->is_found)
			bs_shard_prefetch(&from->shards[next_shard],
			                  &bs_plan_place(plan, segment, t)->term);
}

/* Estimated costs: of a term in a shard, a row, a block of a column, and a lookup in a forward
 * index. */
#define TERM_NS  200u
#define ROW_NS   50u
#define BLOCK_NS 4u
#define LIST_NS  100u

void bs_scan_fill(struct bs_shard_scan *at, uint32_t frame, const uint64_t *within,
                  const struct bs_live *live)
{
	uint64_t *lines = at->scan->frames[frame].lines;
	for (uint32_t block = 0; block < bs_scan_n_blocks(at); block++) {
		if (!bs_scan_is_live(live, block))
			continue;
		if (within)
			memcpy(lines + (size_t)block * BS_LINE_WORDS,
			       within + (size_t)block * BS_LINE_WORDS, BS_LINE_BYTES);
		for (uint32_t word = 0; word < BS_LINE_WORDS && !within; word++)
			lines[(size_t)block * BS_LINE_WORDS + word] = bs_scan_rows(at, block, word);
	}
}

/* Finds the term in the current shard (struct bs_shard_term), from the cache scan->here if it was
 * found before. NULL: a failure. */
static const struct bs_shard_term *look_up(struct bs_shard_scan *at, uint32_t term)
{
	struct scan_term *found = &at->scan->here.items[term];
	if (found->shard != at->shard)
		bs_scan_spend(at, TERM_NS);
	if (found->shard != at->shard && !at->status) {
		at->status = bs_shard_term_init(&found->here, at->shard,
		                                &bs_scan_place(at, term)->term, at->err);
		found->shard = at->status ? NULL : at->shard;
	}
	return at->status ? NULL : &found->here;
}

/* Sorts the terms into scan->ordered, rarest first: the order in which their columns are read. */
static void order_terms(struct bs_shard_scan *at, const uint32_t *terms, size_t n_terms)
{
	bs_vector_clear(&at->scan->ordered);
	at->status = bs_vector_reserve(&at->scan->ordered, n_terms, at->err);
	const struct bs_shard_term **ordered = at->scan->ordered.items;
	for (size_t i = 0; i < n_terms && !at->status; i++) {
		const struct bs_shard_term *here = look_up(at, terms[i]);
		size_t to = i;
		for (; here && to > 0 && ordered[to - 1]->term->df > here->term->df; to--)
			ordered[to] = ordered[to - 1];
		ordered[to] = here;
	}
}

/* Whether a false-positive list corrects the hashed columns of a term. *by_list_out: rare-term
 * lists correct them. Both are false if the columns of the term need no correction. */
static bool has_false_positives(struct bs_shard_scan *at, uint32_t term, bool *by_list_out)
{
	const struct bs_shard_term *here = look_up(at, term);
	bool is_hashed = here && here->exact_column == BS_NO_COLUMN,
	     has = bs_scan_place(at, term)->term.treatment->has_false_positives;
	*by_list_out = is_hashed && !has;
	return is_hashed && has;
}

/* The first live block from `block` on; BS_SHARD_MAX_BLOCKS if there is none. */
static uint32_t next_live(const struct bs_live *live, uint32_t block)
{
	while (block < BS_SHARD_MAX_BLOCKS) {
		uint64_t left = live->words[block / 64] >> (block % 64);
		if (left)
			return block + (uint32_t)__builtin_ctzll(left);
		block = (block / 64 + 1) * 64;
	}
	return BS_SHARD_MAX_BLOCKS;
}

void bs_scan_fail_past_end(struct bs_shard_scan *at)
{
	at->status = bs_container_corrupt(at->shard->rows.file, at->err,
	                                  "a column has bits past the last document");
}

size_t bs_scan_take_rows(struct bs_row_walk *walk, struct bs_scan_row rows[BS_SCAN_TOGETHER])
{
	size_t n = 0;
	while (n < BS_SCAN_TOGETHER) {
		if (walk->bits) {
			rows[n++].row = walk->first_row + (walk->next_word - 1) * 64 +
			                (uint32_t)__builtin_ctzll(walk->bits);
			walk->bits &= walk->bits - 1;
			continue;
		}
		if (walk->next_word % BS_LINE_WORDS == 0)
			walk->next_word = next_live(walk->live, walk->next_word / BS_LINE_WORDS) *
			                  BS_LINE_WORDS;
		if (walk->next_word == BS_SHARD_MAX_BLOCKS * BS_LINE_WORDS)
			break;
		walk->bits = walk->lines[walk->next_word++];
	}
	return n;
}

void bs_scan_documents(struct bs_shard_scan *at, struct bs_scan_row *rows, size_t n)
{
	const struct bs_packed *documents = &at->shard->rows;
	uint64_t n_docs = bs_plan_segment(at->plan, at->segment)->meta.n_docs;
	struct bs_packed_place places[BS_SCAN_TOGETHER];
	bool is_found[BS_SCAN_TOGETHER];
	for (size_t i = 0; i < n; i++)
		bs_packed_prefetch_entry(documents, rows[i].row);
	for (size_t i = 0; i < n; i++)
		is_found[i] = bs_packed_prefetch_place(documents, rows[i].row, &places[i]);
	for (size_t i = 0; i < n && !at->status; i++) {
		bool is_ready = is_found[i] && bs_packed_is_verified(documents, &places[i]);
		uint64_t document = is_ready ? bs_packed_value(documents, &places[i]) : n_docs;
		if (document < n_docs)
			rows[i].document = (uint32_t)document;
		else
			bs_scan_document(at, rows[i].row, &rows[i].document);
	}
}

/* Clears those of the n rows whose documents lack the term, by looking into the rare-term lists of
 * these documents. */
static void ask_lists(struct bs_shard_scan *at, uint32_t ordinal, struct bs_scan_row *asked,
                      size_t n, uint64_t *lines)
{
	const struct bs_rare_term_lists *lists =
		&bs_plan_segment(at->plan, at->segment)->terms.rare_term_lists;
	bs_scan_spend(at, n * ROW_NS);
	bs_scan_documents(at, asked, n);
	for (size_t i = 0; i < n && !at->status; i++)
		bs_packed_prefetch_entry(&lists->offsets,
		                         bs_rare_term_list_of(lists, asked[i].document));
	for (size_t i = 0; i < n && !at->status; i++)
		bs_packed_prefetch(&lists->offsets, bs_rare_term_list_of(lists, asked[i].document));
	for (size_t i = 0; i < n && !at->status; i++)
		bs_packed_prefetch_target(&lists->offsets,
		                          bs_rare_term_list_of(lists, asked[i].document),
		                          &lists->bytes);
	for (size_t i = 0; i < n && !at->status; i++) {
		bool has = false;
		at->status =
			bs_rare_term_lists_find(lists, asked[i].document, ordinal, &has, at->err);
		lines[asked[i].row / 64] &= ~((uint64_t)!has << (asked[i].row % 64));
	}
	at->stats->asked += n;
}

/* Clears the rows that pass the columns of a term without having it, by looking into the rare-term
 * lists. */
static void keep_listed(struct bs_shard_scan *at, uint32_t term, const struct bs_live *live,
                        uint64_t *lines)
{
	uint32_t ordinal = (uint32_t)bs_scan_place(at, term)->term.ordinal;
	struct bs_row_walk walk = bs_scan_walk(at, lines, live);
	struct bs_scan_row asked[BS_SCAN_TOGETHER];
	for (size_t n; !at->status && (n = bs_scan_take_rows(&walk, asked)) > 0;)
		ask_lists(at, ordinal, asked, n, lines);
}

/* Clears the rows that pass the columns of all terms without having all of them: first by the
 * terms' false-positive lists, then by the rare-term lists of the remaining documents. */
static void keep_true(struct bs_shard_scan *at, const uint32_t *terms, size_t n_terms,
                      const struct bs_live *live, uint64_t *lines)
{
	bool by_list, any_listed = false;
	for (size_t i = 0; i < n_terms && !at->status; i++) {
		if (has_false_positives(at, terms[i], &by_list))
			at->status = bs_false_positives_clear(
				&bs_scan_place(at, terms[i])->false_positives, at->shard->first_row,
				live, lines, at->err);
		any_listed |= by_list;
	}
	for (size_t i = 0; i < n_terms && any_listed && !at->status; i++)
		if (!has_false_positives(at, terms[i], &by_list) && by_list)
			keep_listed(at, terms[i], live, lines);
}

/* Sets the frame to the documents that pass the columns of all terms. */
static void and_columns(struct bs_shard_scan *at, const uint32_t *terms, size_t n_terms,
                        uint32_t frame, struct bs_live *live)
{
	struct bs_and_cost cost = {0, 0};
	bs_scan_spend(at, TERM_NS + n_terms * at->shard->n_blocks * BLOCK_NS);
	bool is_possible = !at->status;
	for (size_t i = 0; i < n_terms && is_possible; i++)
		is_possible = bs_scan_place(at, terms[i])->is_found;
	if (is_possible)
		order_terms(at, terms, n_terms);
	if (is_possible && !at->status)
		at->status = bs_shard_and(at->shard, at->kernel, at->scan->ordered.items, n_terms,
		                          &at->scan->and, &at->scan->frames[frame], live, &cost,
		                          at->err);
	at->stats->lines_read += cost.lines;
	at->stats->document_lines += cost.document_lines;
	if (!is_possible || at->status)
		memset(live, 0, sizeof(*live));
}

/* Looks the term up in the forward indexes of these rows of a group, and returns the rows that have
 * it. */
static uint64_t look_up_rows(struct bs_shard_scan *at, uint32_t group, uint64_t ordinal,
                             uint64_t rows)
{
	uint64_t has = 0;
	for (uint64_t left = rows; left && !at->status; left &= left - 1) {
		uint32_t row = (uint32_t)__builtin_ctzll(left);
		bool found = false;
		bs_scan_spend(at, LIST_NS);
		at->status = bs_shard_forward_find(at->shard, group * BS_FORWARD_GROUP_ROWS + row,
		                                   ordinal, &found, at->err);
		has |= (uint64_t)found << row;
	}
	return has;
}

/* A term in a shard of forward indexes. */
struct list_term {
	uint64_t ordinal;
	struct bs_probe probe; /* The term's bits in the filter of the forward indexes. */
	const uint8_t *words;  /* The bits of its exact column; NULL: the term has none. */
};

/* Finds a term in a shard of forward indexes. False: no document of the shard has it, or a failure
 * occurred. */
static bool find_list_term(struct bs_shard_scan *at, uint32_t term, struct list_term *out)
{
	const struct bs_term_place *place = bs_scan_place(at, term);
	const struct bs_shard_term *here = place->is_found ? look_up(at, term) : NULL;
	*out = (struct list_term){.words = NULL};
	if (!here)
		return false;
	if (here->exact_column != BS_NO_COLUMN)
		at->status = bs_shard_forward_column(at->shard, here->exact_column, &out->words,
		                                     at->err);
	out->ordinal = place->term.ordinal;
	out->probe = bs_forward_filter_probe(at->shard->forward.filter.hashing, out->ordinal);
	return !at->status;
}

/* Returns the rows of a group that have the term. Without an exact column, and before is_lookup is
 * set, only the filter is asked: a row that passes it may have the term, but not surely. */
static inline uint64_t rows_of(struct bs_shard_scan *at, const struct list_term *term,
                               enum bs_claim claim, uint32_t group, uint64_t within)
{
	uint64_t rows = 0;
	if (within == 0 || at->status)
		return 0;
	if (term->words)
		return within & bs_load_u64(term->words + (size_t)group * 8);
	at->status = bs_forward_filter_rows(&at->shard->forward.filter, group, term->probe, within,
	                                    &rows, at->err);
	at->has_doubts |= rows != 0;
	if (at->is_lookup)
		return rows ? look_up_rows(at, group, term->ordinal, rows) : 0;
	return claim == BS_MAY ? rows : 0;
}

/* Keeps in the live blocks the rows that have the term, by the claim. */
static void keep_in_lists(struct bs_shard_scan *at, uint32_t term, enum bs_claim claim,
                          uint64_t *lines, struct bs_live *live)
{
	struct list_term here;
	if (!find_list_term(at, term, &here))
		memset(live, 0, sizeof(*live));
	bs_scan_spend(at, bs_scan_n_blocks(at) * BS_LINE_WORDS * BLOCK_NS);
	for (uint32_t block = next_live(live, 0); block < BS_SHARD_MAX_BLOCKS;
	     block = next_live(live, block + 1)) {
		uint64_t *line = lines + (size_t)block * BS_LINE_WORDS, any = 0;
		for (uint32_t word = 0; word < BS_LINE_WORDS; word++)
			any |= line[word] = rows_of(
				at, &here, claim, (at->first_block + block) * BS_LINE_WORDS + word,
				line[word]);
		if (!any)
			live->words[block / 64] &= ~(UINT64_C(1) << (block % 64));
	}
}

void bs_scan_terms(struct bs_shard_scan *at, const uint32_t *terms, size_t n_terms,
                   enum bs_claim claim, uint32_t frame, const uint64_t *within,
                   struct bs_live *live)
{
	uint64_t *lines = at->scan->frames[frame].lines;
	if (bs_scan_has_columns(at)) {
		and_columns(at, terms, n_terms, frame, live);
		if (bs_live_any(live))
			keep_true(at, terms, n_terms, live, lines);
	} else {
		bs_scan_fill(at, frame, within, live);
		for (size_t i = 0; i < n_terms && bs_live_any(live); i++)
			keep_in_lists(at, terms[i], claim, lines, live);
	}
	if (at->status)
		memset(live, 0, sizeof(*live));
}

void bs_scan_any_term(struct bs_shard_scan *at, uint32_t first_term, uint32_t n_terms,
                      enum bs_claim claim, uint32_t frame, struct bs_live *live)
{
	const struct bs_and_frame *frames = &at->scan->frames[frame];
	const bool is_narrowed = !bs_scan_has_columns(at);
	struct bs_live joined = {{0}};
	for (uint32_t term = first_term;
	     term < first_term + n_terms && bs_live_any(live) && !at->status; term++) {
		struct bs_live one = *live;
		bs_scan_terms(at, &term, 1, claim, frame + 2, frames->lines, &one);
		at->kernel->lines.or_lines(frames[1].lines, &joined, frames[2].lines, &one);
		/* Documents that have one of the terms need not be looked up again. */
		if (is_narrowed)
			at->kernel->lines.and_not_lines(frames->lines, live, frames[2].lines, &one);
	}
	if (is_narrowed)
		memset(live, 0, sizeof(*live));
	(is_narrowed ? at->kernel->lines.or_lines
	             : at->kernel->lines.and_lines)(frames->lines, live, frames[1].lines, &joined);
}

void bs_scan_seek(struct bs_shard_scan *at, uint32_t term, uint32_t frame, struct bs_live *live)
{
	at->is_lookup = false;
	if (bs_scan_has_columns(at))
		and_columns(at, &term, 1, frame, live);
	else
		bs_scan_terms(at, &term, 1, BS_MAY, frame, NULL, live);
}

void bs_scan_keep(struct bs_shard_scan *at, uint32_t term, uint32_t frame, struct bs_live *live)
{
	uint64_t *lines = at->scan->frames[frame].lines;
	at->is_lookup = true;
	if (bs_live_any(live) && bs_scan_has_columns(at))
		keep_true(at, &term, 1, live, lines);
	else if (bs_live_any(live))
		keep_in_lists(at, term, BS_SURELY, lines, live);
}
