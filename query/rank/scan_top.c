/* scan_top.c: see scan_top.h. */
#include "query/rank/scan_top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitsift/search_result.h"
#include "core/system/deadline.h"

/* The tolerance when a score is compared with a bound: sums that were computed in different orders
 * may be rounded differently. */
#define ROUNDING 1e-9

/* If a window has at most this many candidates, scoring each is faster than weighing all. */
#define LOOK_MAX 32u
/* seed() scores about k candidates early, to raise the threshold: those with the largest weights
 * in the first live blocks. It takes at least SEED_BLOCKS blocks, and enough to have about
 * SEED_FACTOR * k candidates. It pays only if there are more than SEED_LEAST + SEED_FACTOR * k
 * candidates. */
#define SEED_BLOCKS 32u
#define SEED_FACTOR 4u
#define SEED_LEAST  128u

void bs_top_scan_deinit(struct bs_top_scan *best)
{
	bs_vector_deinit(&best->waiting);
}

double bs_top_scan_threshold(const struct bs_top_scan *best)
{
	const struct bs_ranked_hits *heap = &best->top->heap;
	return bs_vector_n(heap) < best->top->k ? 0 : heap->items[0].score;
}

bool bs_top_scan_is_possible(const struct bs_top_scan *best, double score)
{
	return score * (1 + ROUNDING) >= bs_top_scan_threshold(best);
}

/* An OR of several words takes three rounds, so that later rounds can skip more documents. The
 * first scans documents with a rare word, which are few and mostly the best. The second scans the
 * documents without a rare word. The third scans the shards of forward indexes (long documents),
 * which the others leave out; most of these can then be skipped. */
enum round {
	ROUND_ONLY, /* The only round of a query that is not an OR of several words. */
	ROUND_RARE,
	ROUND_REST,
	ROUND_LISTS,
};

/* A word is rare if fewer than one in RARE_SHARE documents have it. With a smaller value, the first
 * round would read most of what the second reads; with a larger one, it would find too few hits. */
#define RARE_SHARE 2800u

/* Before each group of this many words is looked up, candidates that can no longer be among the
 * best are dropped. */
#define WORDS_TOGETHER 4u

/* The state of scanning a shard. */
struct best_scan {
	struct bs_shard_scan *at;
	const struct bs_segment *segment; /* The segment of `at`. */
	struct bs_top_scan *best;
	bool is_sure; /* Every candidate matches. */
	enum round round;
	/* For each word: some candidates may lack it. The documents that have the word are then in
	 * frame 1 + its number. */
	bool is_apart[BS_TOP_SCAN_WORDS];
	struct bs_live lives[BS_TOP_SCAN_WORDS]; /* The live blocks of these frames. */
	/* For each word, the meaning of a set bit in its frame: BS_HAS or BS_HAS_MAYBE. */
	uint8_t certainty[BS_TOP_SCAN_WORDS];
	/* For each word, enum bs_has of the document being scored. While seek_any runs: whether the
	 * word's frame is set. */
	uint8_t has[BS_TOP_SCAN_WORDS];
	struct bs_weighed_term inputs[BS_TOP_SCAN_WORDS]; /* The kernel's input for weighing. */
	size_t n_inputs;
	/* The word numbers, in descending order of bs_scored_word.worth. */
	uint8_t by_worth[BS_TOP_SCAN_WORDS];
	/* For each word, its weights in this shard; NULL: none. */
	const struct bs_weighed_term *weighed[BS_TOP_SCAN_WORDS];
};

/* Estimated cost of scoring a row. */
#define LOOK_NS 100u

/* Scores a document by scan->has. It then becomes a hit, is pushed on the heap of documents to be
 * read, or is dropped. */
static void look(struct best_scan *scan, uint32_t document, bool is_sure)
{
	struct bs_shard_scan *at = scan->at;
	struct bs_ranked_hit hit = {.segment = at->segment, .document = document};
	bool is_exact = is_sure && !at->plan->scope.is_open;
	at->status = bs_scorer_score(scan->best->scorer, at->segment, document, scan->has,
	                             &hit.score, &is_exact, at->err);
	scan->best->stats->scored++;
	if (at->status)
		return;
	*scan->best->n_hits += is_exact;
	if (is_exact)
		at->status = bs_top_offer(scan->best->top, &hit, at->err);
	else if (bs_top_scan_is_possible(scan->best, hit.score))
		at->status = bs_hits_push(&scan->best->waiting, &hit, at->err);
}

/* Sets scan->has for the document in a row. */
static void find_has(struct best_scan *scan, uint32_t row)
{
	row -= scan->at->first_block * BS_LINE_BITS;
	for (size_t i = 0; i < scan->best->scorer->n_words; i++) {
		bool has = !scan->is_apart[i] ||
		           (bs_scan_is_live(&scan->lives[i], row / BS_LINE_BITS) &&
		            (scan->at->scan->frames[1 + i].lines[row / 64] >> (row % 64) & 1));
		scan->has[i] = has ? scan->certainty[i] : BS_HAS_NOT;
	}
}

static void look_at_row(struct best_scan *scan, const struct bs_scan_row *looked)
{
	bool is_sure = scan->is_sure;
	if (bs_scan_is_out(scan->at, looked->document))
		return;
	find_has(scan, looked->row);
	for (size_t i = 0; i < scan->best->scorer->n_words; i++)
		is_sure |= scan->best->scorer->is_any && scan->has[i] == BS_HAS;
	look(scan, looked->document, is_sure);
}

/* The largest tf that word i can have in the row, by the first tf level whose columns the row does
 * not pass; 0: unknown. */
static uint32_t most_tf(const struct best_scan *scan, size_t i, uint32_t row)
{
	const struct bs_weighed_term *term = scan->weighed[i];
	const struct bs_tf_levels *levels = &scan->segment->terms.tf_levels;
	for (uint32_t l = 0; term && l < term->n_levels; l++)
		for (uint32_t c = 0; c < term->levels[l].n_columns; c++)
			if (!(term->levels[l].columns[c][row / 64] >> (row % 64) & 1))
				return levels->least[l] - 1;
	return 0;
}

/* Whether the document can be among the best, by its own length and its tf levels. Weighing uses
 * the shortest length in the shard, so most documents that it keeps are dropped here. This check
 * reads less memory than the tf codes. */
static bool is_hopeful(struct best_scan *scan, const struct bs_scan_row *looked)
{
	const struct bs_scorer *scorer = scan->best->scorer;
	uint32_t length = 0;
	double most = 0;
	if (!(bs_top_scan_threshold(scan->best) > 0) || scan->at->status)
		return !scan->at->status;
	scan->at->status = bs_packed_get_u32(&scan->segment->docs.lengths, looked->document,
	                                     &length, scan->at->err);
	find_has(scan, looked->row);
	for (size_t i = 0; i < scorer->n_words; i++)
		if (scan->has[i] != BS_HAS_NOT)
			most += bs_scorer_most(scorer, i, most_tf(scan, i, looked->row), length);
	return bs_top_scan_is_possible(scan->best, most);
}

static void look_at_rows(struct best_scan *scan, struct bs_scan_row *looked, size_t n)
{
	struct bs_shard_scan *at = scan->at;
	const struct bs_segment *segment = scan->segment;
	size_t n_hopeful = 0;
	if (!at->status)
		at->status = bs_deadline_check_after(n * LOOK_NS, at->err);
	bs_scan_documents(at, looked, n);
	for (size_t i = 0; i < n && !at->status; i++) {
		bs_packed_prefetch_entry(&segment->docs.lengths, looked[i].document);
		bs_packed_prefetch_entry(&segment->terms.tfs.offsets, looked[i].document);
	}
	for (size_t i = 0; i < n && !at->status; i++)
		bs_packed_prefetch(&segment->docs.lengths, looked[i].document);
	for (size_t i = 0; i < n; i++) {
		if (!is_hopeful(scan, &looked[i]))
			continue;
		looked[n_hopeful++] = looked[i];
		bs_packed_prefetch(&segment->terms.tfs.offsets, looked[i].document);
	}
	for (size_t i = 0; i < n_hopeful; i++)
		bs_packed_prefetch_target(&segment->terms.tfs.offsets, looked[i].document,
		                          &segment->terms.tfs.bits);
	for (size_t i = 0; i < n_hopeful && !at->status; i++)
		look_at_row(scan, &looked[i]);
}

static void look_at_lines(struct best_scan *scan, const uint64_t *lines, const struct bs_live *live)
{
	struct bs_row_walk walk = bs_scan_walk(scan->at, lines, live);
	struct bs_scan_row looked[BS_SCAN_TOGETHER];
	for (size_t n; !scan->at->status && (n = bs_scan_take_rows(&walk, looked)) > 0;)
		look_at_rows(scan, looked, n);
}

static bool has_levels(const struct best_scan *scan, const struct bs_scored_word *word)
{
	const struct bs_tf_levels *levels = &scan->segment->terms.tf_levels;
	const struct bs_term_place *place = bs_scan_place(scan->at, word->term);
	return place->is_found && levels->n_levels > 0 && place->term.df >= levels->min_df &&
	       scan->at->shard->hashed.levels[0].n_columns > 0;
}

static bool is_rare(const struct best_scan *scan, size_t i)
{
	const struct bs_term_place *place =
		bs_scan_place(scan->at, scan->best->scorer->words[i].term);
	return !place->is_found ||
	       (uint64_t)place->term.df * RARE_SHARE < scan->segment->meta.n_docs;
}

/* Whether word i cannot occur in the documents of this round. */
static bool is_foreign(const struct best_scan *scan, size_t i)
{
	return scan->round == ROUND_REST && is_rare(scan, i);
}

/* Weights are integers: a score of `unit` is the weight 1. Sums of weights are at most
 * BS_WEIGH_MOST. */
struct scale {
	double unit;
	double most; /* An upper bound of the scores of the round's documents. */
};

static struct scale make_scale(const struct best_scan *scan)
{
	const struct bs_scorer *scorer = scan->best->scorer;
	struct scale scale = {.most = 0};
	for (size_t i = 0; i < scorer->n_words; i++)
		scale.most += is_foreign(scan, i) ? 0 : bs_scorer_most(scorer, i, 0, 0);
	/* `unit` leaves room for rounding each word's weight up once. */
	scale.unit = scale.most * (1 + ROUNDING) / (double)(BS_WEIGH_MOST - scorer->n_words);
	return scale;
}

/* The weight that a document with at least this score must reach. */
static uint32_t threshold_of(const struct scale *scale, double score)
{
	double threshold = ceil(score * (1 - ROUNDING) / scale->unit);
	return threshold > 0 ? (uint32_t)fmin(threshold, BS_WEIGH_MOST + 1) : 0;
}

/* Finds the columns of tf level l of a word. */
static void place_level(struct best_scan *scan, const struct bs_scored_word *word, uint32_t l,
                        const struct bs_live *live, struct bs_weighed_level *level)
{
	struct bs_shard_scan *at = scan->at;
	const struct bs_level *documents = &at->shard->hashed.levels[0];
	struct bs_probe probe = bs_hash_probe(bs_tf_level_hash(word->hash, l), BS_LEVEL_DOCUMENT);
	level->n_columns = scan->segment->terms.tf_levels.n_columns;
	for (uint32_t i = 0; i < level->n_columns && !at->status; i++)
		at->status = bs_shard_column(at->shard, documents,
		                             bs_hash_position(probe, i, documents->n_columns), live,
		                             &level->columns[i], at->err);
}

static uint32_t units_of(const struct scale *scale, double score)
{
	return (uint32_t)ceil(score * (1 + ROUNDING) / scale->unit);
}

/* Computes the weights of word i. A document gets `weight` for the word, and the weight of each tf
 * level that it reaches in addition, because a larger tf contributes more to the score. */
static void weigh_word(struct best_scan *scan, size_t i, const struct scale *scale,
                       const struct bs_live *live, struct bs_weighed_term *term)
{
	const struct bs_scorer *scorer = scan->best->scorer;
	const struct bs_scored_word *word = &scorer->words[i];
	const struct bs_tf_levels *levels = &scan->segment->terms.tf_levels;
	uint32_t sum = 0;
	*term = (struct bs_weighed_term){.n_levels = has_levels(scan, word) ? levels->n_levels : 0};
	if (scan->is_apart[i]) {
		term->lines = scan->at->scan->frames[1 + i].lines;
		term->live = &scan->lives[i];
	}
	for (uint32_t l = 0; l <= term->n_levels && !scan->at->status; l++) {
		uint32_t most_tf = l < term->n_levels ? levels->least[l] - 1 : 0;
		uint32_t units = units_of(
			scale, bs_scorer_most(scorer, i, most_tf, scan->at->shard->least_length));
		uint32_t weight = units > sum ? units - sum : 0;
		sum += weight;
		*(l ? &term->levels[l - 1].weight : &term->weight) = weight;
		if (l > 0)
			place_level(scan, word, l - 1, live, &term->levels[l - 1]);
	}
	term->most = sum;
}

static void weigh_words(struct best_scan *scan, const struct scale *scale,
                        const struct bs_live *live)
{
	scan->n_inputs = 0;
	for (size_t i = 0; i < scan->best->scorer->n_words && !scan->at->status; i++)
		if (!is_foreign(scan, scan->by_worth[i])) {
			scan->weighed[scan->by_worth[i]] = &scan->inputs[scan->n_inputs];
			weigh_word(scan, scan->by_worth[i], scale, live,
			           &scan->inputs[scan->n_inputs++]);
		}
}

static void order_by_worth(struct best_scan *scan)
{
	const struct bs_scored_word *words = scan->best->scorer->words;
	for (size_t i = 0; i < scan->best->scorer->n_words; i++) {
		size_t at = i;
		for (; at > 0 && words[scan->by_worth[at - 1]].worth < words[i].worth; at--)
			scan->by_worth[at] = scan->by_worth[at - 1];
		scan->by_worth[at] = (uint8_t)i;
	}
}

/* Sets `kept` (which may be `lines`) to the documents of `lines` whose weights add up to at least
 * the threshold. */
static void weigh(struct best_scan *scan, uint32_t threshold, const uint64_t *lines, uint64_t *kept,
                  struct bs_live *live)
{
	if (threshold <= BS_WEIGH_MOST)
		scan->at->kernel->lines.weigh(lines, kept, live, scan->inputs, scan->n_inputs,
		                              threshold);
	else
		memset(live, 0, sizeof(*live));
}

/* The first n of the live blocks. */
static struct bs_live first_blocks(const struct bs_live *live, uint32_t n)
{
	struct bs_live first = {{0}};
	for (uint32_t word = 0; word < BS_SHARD_MAX_BLOCKS / 64; word++)
		for (uint64_t left = live->words[word]; left && n > 0; left &= left - 1, n--)
			first.words[word] |= left & -left;
	return first;
}

/* The number of blocks for seed(): at least SEED_BLOCKS, and enough to have about SEED_FACTOR * k
 * candidates. */
static uint32_t seed_blocks(const struct best_scan *scan, uint32_t n_live, uint64_t n_candidates)
{
	uint64_t n = SEED_FACTOR * (uint64_t)scan->best->top->k * n_live / n_candidates + 1;
	return n < SEED_BLOCKS ? SEED_BLOCKS : n < n_live ? (uint32_t)n : n_live;
}

/* Scores the candidates with the largest weights in the first n_blocks live blocks, about k, and
 * removes them from the candidates. Their scores raise the threshold, so that most other candidates
 * can be dropped. The largest weight that k candidates reach is found bit by bit, from the highest
 * bit; each step counts only the candidates that passed the steps before. */
static void seed(struct best_scan *scan, uint32_t n_blocks, struct bs_live *live)
{
	const struct bs_kernel *kernel = scan->at->kernel;
	const struct bs_and_frame *frames = scan->at->scan->frames;
	size_t spare = 1 + scan->best->scorer->n_words;
	uint64_t *const candidates = frames[0].lines, *best = candidates;
	uint64_t *tried = frames[spare].lines, *other = frames[spare + 1].lines;
	struct bs_live some = first_blocks(live, n_blocks);
	uint32_t threshold = 0;
	for (uint32_t bit = 1u << (BS_WEIGH_BITS - 1); bit; bit >>= 1) {
		struct bs_live left = some;
		weigh(scan, threshold | bit, best, tried, &left);
		if (kernel->lines.count(tried, &left) < scan->best->top->k)
			continue;
		threshold |= bit;
		some = left;
		best = tried;
		tried = other;
		other = best;
	}
	look_at_lines(scan, best, &some);
	kernel->lines.and_not_lines(candidates, live, best, &some);
}

/* seek_word sets the frame of word i to the documents that pass the word's columns or filters.
 * keep_word keeps those that really have the word. */
static void seek_word(struct best_scan *scan, size_t i, const struct bs_live *within)
{
	scan->lives[i] = *within;
	bs_scan_seek(scan->at, scan->best->scorer->words[i].term, (uint32_t)i + 1, &scan->lives[i]);
}

static void keep_word(struct best_scan *scan, size_t i)
{
	bs_scan_keep(scan->at, scan->best->scorer->words[i].term, (uint32_t)i + 1, &scan->lives[i]);
}

/* Finds the words that candidates may lack, and sets the frame of each to the documents that have
 * it. */
static void find_words(struct best_scan *scan, const struct bs_live *live)
{
	const struct bs_scorer *scorer = scan->best->scorer;
	for (size_t i = 0; i < scorer->n_words; i++) {
		scan->is_apart[i] = !scorer->words[i].is_implied;
		scan->certainty[i] = scan->is_sure || scan->is_apart[i] ? BS_HAS : BS_HAS_MAYBE;
		if (!scan->is_apart[i])
			continue;
		scan->lives[i] = *live;
		bs_scan_terms(scan->at, &scorer->words[i].term, 1, BS_SURELY, (uint32_t)i + 1,
		              scan->at->scan->frames[0].lines, &scan->lives[i]);
	}
}

/* Chooses the essential words: a document of the round that has none of them cannot be among the
 * best. Starting with the least worth, words become inessential as long as a document with all
 * inessential words and no other cannot be among the best (Turtle and Flood's MaxScore, 1995). */
static void choose_essential(const struct best_scan *scan, uint8_t *essential)
{
	const struct bs_scorer *scorer = scan->best->scorer;
	double most = 0;
	for (size_t i = 0; i < scorer->n_words; i++)
		essential[i] = scan->round == ROUND_LISTS ||
		               is_rare(scan, i) == (scan->round == ROUND_RARE);
	for (;;) {
		size_t least = scorer->n_words;
		for (size_t i = 0; i < scorer->n_words; i++)
			if (essential[i] && (least == scorer->n_words ||
			                     scorer->words[i].worth < scorer->words[least].worth))
				least = i;
		if (least == scorer->n_words || scan->round == ROUND_RARE)
			return;
		most += bs_scorer_most(scorer, least, 0, 0);
		if (bs_top_scan_is_possible(scan->best, most))
			return;
		essential[least] = 0;
	}
}

/* Drops the documents of frame 0 that could not be among the best even if they had all words that
 * were not looked up yet. is_found: for each word, whether it was looked up. */
static void drop_hopeless(struct best_scan *scan, const uint8_t *is_found, struct bs_live *live)
{
	struct scale scale = make_scale(scan);
	uint64_t *lines = scan->at->scan->frames[0].lines;
	uint32_t threshold = threshold_of(&scale, bs_top_scan_threshold(scan->best)), left = 0;
	scan->n_inputs = 0;
	for (size_t n = 0; n < scan->best->scorer->n_words; n++) {
		size_t i = scan->by_worth[n];
		uint32_t most =
			is_foreign(scan, i)
				? 0
				: units_of(&scale, bs_scorer_most(scan->best->scorer, i, 0, 0));
		left += is_found[i] ? 0 : most;
		if (is_found[i])
			scan->inputs[scan->n_inputs++] = (struct bs_weighed_term){
				.lines = scan->at->scan->frames[1 + i].lines,
				.live = &scan->lives[i],
				.weight = most,
				.most = most};
	}
	if (threshold > left)
		weigh(scan, threshold - left, lines, lines, live);
}

/* Sets frame 0 to the documents that pass the columns of an essential word. Drops those that cannot
 * be among the best even if they have every word whose columns they pass. */
static void seek_any(struct best_scan *scan, struct bs_live *live)
{
	struct bs_shard_scan *at = scan->at;
	const struct bs_scorer *scorer = scan->best->scorer;
	const struct bs_live all = *live;
	bool is_open = !(bs_top_scan_threshold(scan->best) > 0);
	size_t n_sought = 0;
	uint8_t *is_found = scan->has;
	choose_essential(scan, is_found);
	memset(live, 0, sizeof(*live));
	for (size_t i = 0; i < scorer->n_words; i++) {
		if (!is_found[i])
			continue;
		seek_word(scan, i, &all);
		at->kernel->lines.or_lines(at->scan->frames[0].lines, live,
		                           at->scan->frames[1 + i].lines, &scan->lives[i]);
	}
	for (size_t n = 0; n < scorer->n_words && bs_live_any(live); n++) {
		size_t i = scan->by_worth[n];
		if (is_found[i] || is_foreign(scan, i))
			continue;
		if (!is_open && n_sought++ % WORDS_TOGETHER == 0)
			drop_hopeless(scan, is_found, live);
		seek_word(scan, i, live);
		is_found[i] = 1;
	}
	if (!is_open && bs_live_any(live))
		drop_hopeless(scan, is_found, live);
}

/* Removes from each word's frame the documents that pass the word's columns but lack the word.
 * Keeps in frame 0 the documents of the round: in the first those with a rare word, in the second
 * those without a rare word but with another, in the third those with any word. */
static void prove_words(struct best_scan *scan, struct bs_live *live)
{
	struct bs_shard_scan *at = scan->at;
	const struct bs_kernel *kernel = at->kernel;
	const struct bs_scorer *scorer = scan->best->scorer;
	const struct bs_and_frame *frames = at->scan->frames,
				  *having = &frames[1 + scorer->n_words];
	struct bs_live having_live = {{0}};
	for (size_t i = 0; i < scorer->n_words; i++) {
		scan->is_apart[i] = true;
		scan->certainty[i] = BS_HAS;
		if (is_foreign(scan, i))
			seek_word(scan, i, live);
		kernel->lines.and_lines(frames[1 + i].lines, &scan->lives[i], frames->lines, live);
		keep_word(scan, i);
		if (is_foreign(scan, i))
			kernel->lines.and_not_lines(frames->lines, live, frames[1 + i].lines,
			                            &scan->lives[i]);
		else if (scan->round != ROUND_RARE || is_rare(scan, i))
			kernel->lines.or_lines(having->lines, &having_live, frames[1 + i].lines,
			                       &scan->lives[i]);
	}
	kernel->lines.and_lines(frames->lines, live, having->lines, &having_live);
}

/* Sets frame 0 to the documents of the round that have an essential word. Columns drop most
 * documents, but may be wrong about single words; so the rest is checked exactly. */
static void find_any(struct best_scan *scan, struct bs_live *live)
{
	seek_any(scan, live);
	if (bs_live_any(live))
		prove_words(scan, live);
	if (scan->at->status)
		memset(live, 0, sizeof(*live));
}

static bool should_seed(const struct best_scan *scan, uint64_t n_left)
{
	return (scan->is_sure || scan->round != ROUND_ONLY) &&
	       n_left > SEED_LEAST + SEED_FACTOR * (uint64_t)scan->best->top->k;
}

/* Scores the candidates in frame 0: all if there are few, or if there is no threshold and seed()
 * does not pay; otherwise those whose weights reach the threshold. */
static void look_at_best(struct best_scan *scan, struct bs_live *live, uint64_t n_candidates)
{
	struct bs_shard_scan *at = scan->at;
	uint32_t n_live = bs_scan_count_live(live);
	struct scale scale = make_scale(scan);
	uint64_t *lines = at->scan->frames[0].lines;
	bool is_open = !(bs_top_scan_threshold(scan->best) > 0);
	if (n_candidates <= LOOK_MAX || (is_open && !should_seed(scan, n_candidates))) {
		look_at_lines(scan, lines, live);
		return;
	}
	weigh_words(scan, &scale, live);
	if (at->status)
		return;
	scan->best->stats->blocks_weighed += n_live;
	scan->best->stats->planes = BS_WEIGH_BITS;
	if (!is_open)
		weigh(scan, threshold_of(&scale, bs_top_scan_threshold(scan->best)), lines, lines,
		      live);
	uint64_t n_left = is_open ? n_candidates : at->kernel->lines.count(lines, live);
	if (should_seed(scan, n_left)) {
		seed(scan, seed_blocks(scan, bs_scan_count_live(live), n_left), live);
		/* There is no threshold while fewer than k hits have been found. */
		if (bs_top_scan_threshold(scan->best) > 0)
			weigh(scan, threshold_of(&scale, bs_top_scan_threshold(scan->best)), lines,
			      lines, live);
	}
	scan->best->stats->blocks_dropped += n_live - bs_scan_count_live(live);
	look_at_lines(scan, lines, live);
}

static void scan_window(struct best_scan *scan)
{
	struct bs_shard_scan *at = scan->at;
	struct bs_live live;
	bs_live_all(&live, bs_scan_n_blocks(at));
	memset(scan->weighed, 0, sizeof(scan->weighed));
	if (scan->round != ROUND_ONLY)
		find_any(scan, &live);
	else
		scan->is_sure = bs_scan_matches(at, &live);
	if (at->status || !bs_live_any(&live))
		return;
	uint64_t n_candidates = at->kernel->lines.count(at->scan->frames[0].lines, &live);
	at->stats->candidates += n_candidates;
	if (bs_scan_has_columns(at) || scan->round == ROUND_LISTS)
		at->stats->blocks_live += bs_scan_count_live(&live);
	if (scan->round == ROUND_ONLY)
		find_words(scan, &live);
	scan->best->filtered(scan->best->context);
	if (!at->status)
		look_at_best(scan, &live, n_candidates);
}

static bool is_of_round(const struct bs_shard *shard, enum round round)
{
	return round == ROUND_ONLY || (shard->hashed.n_levels == 0) == (round == ROUND_LISTS);
}

static enum bs_status scan_round(struct best_scan *scan, enum round round,
                                 const struct bs_shard_scan *first)
{
	enum bs_status status = BS_OK;
	scan->round = round;
	for (uint32_t i = 0; i < scan->segment->meta.n_shards && !status; i++) {
		struct bs_shard_scan at = *first;
		at.shard = &scan->segment->shards[i];
		scan->at = &at;
		scan->is_sure = false;
		if (!is_of_round(at.shard, round))
			continue;
		bs_scan_prefetch(at.plan, at.segment, i + 1);
		/* If no document of the shard can be among the best, the shard is skipped. */
		if (!bs_top_scan_is_possible(scan->best, make_scale(scan).most))
			scan->best->stats->blocks_skipped += at.shard->n_blocks;
		else
			for (; at.first_block < at.shard->n_blocks && !at.status;
			     at.first_block += BS_SHARD_MAX_BLOCKS)
				scan_window(scan);
		status = at.status ? at.status
		                   : scan->best->settle(scan->best->context,
		                                        scan->round == ROUND_RARE, at.err);
	}
	return status;
}

enum bs_status bs_scan_top(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                           const struct bs_kernel *kernel, struct bs_top_scan *best,
                           struct bs_scan_stats *stats, struct bs_error *err)
{
	struct bs_shard_scan at = {.scan = scan,
	                           .plan = plan,
	                           .kernel = kernel,
	                           .stats = stats,
	                           .err = err,
	                           .segment = s};
	struct best_scan *best_scan = scan->best ? scan->best : malloc(sizeof(*best_scan));
	scan->best = best_scan;
	if (!best_scan)
		return bs_fail_memory(err, "a scan", sizeof(*best_scan));
	best_scan->best = best;
	best_scan->segment = bs_plan_segment(plan, s);
	order_by_worth(best_scan);
	enum bs_status status = bs_scan_start(scan, plan, (uint32_t)best->scorer->n_words + 3, err);
	if (status)
		return status;
	if (!best->scorer->is_any || best->scorer->n_words < 2)
		return scan_round(best_scan, ROUND_ONLY, &at);
	status = scan_round(best_scan, ROUND_RARE, &at);
	status = status ? status : scan_round(best_scan, ROUND_REST, &at);
	return status ? status : scan_round(best_scan, ROUND_LISTS, &at);
}
