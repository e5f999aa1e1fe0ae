/* summary_make.c: see summary_make.h. */
#include "core/store/summary_make.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/source_kind.h"
#include "core/base/vector.h"
#include "core/collections/sort.h"
#include "core/lexicon/lexicon.h"

/* The number of places is chosen for 1/ROOM_SHARE more words than there are, and chosen again when
 * there are more words than that, or fewer than half. Less room would save 0.04 bits per word, but
 * small additions bring many words: 1 % of a corpus has 4 % of its words, and a word that an
 * addition shares with the rest may count twice (bs_multiset_n). */
#define ROOM_SHARE 16u

#define GRAM_BITS  24u /* bits of a trigram's number */
#define GRAM_LIMIT (UINT64_C(1) << GRAM_BITS)

/* Memory for each word of each segment, and for each trigram. Sorting takes twice the 8 bytes of a
 * hash; later the multiset of the last commit, the new one and its encoded form are in memory. */
#define MAKING_BYTES 24u

/* The numbers of terms and of trigrams of some segments, to estimate the work of reading them. */
struct sizes {
	uint64_t n_terms, n_grams;
};

struct making {
	const struct bs_dir *dir;
	/* dir if buffers are in temporary files, NULL if in memory. */
	const struct bs_dir *files;
	const struct bs_snapshot *old;        /* nullable */
	const struct bs_summary_cache *cache; /* nullable */
	const struct bs_manifest *manifest;
	struct bs_summary_file before; /* summary of the last commit; zeros if none is usable */
	struct bs_segment *own;        /* segments opened here, which the last commit lacks */
	uint32_t n_own;
	/* the segments of the manifest, in the order of the manifest */
	const struct bs_segment **segments;
	struct bs_summary_facts facts;
	struct bs_summary_multisets tallies;
	struct sizes all;  /* segments of the manifest */
	struct sizes came; /* segments of the manifest that the last commit does not have */
	struct sizes went; /* segments of the last commit that the manifest does not have */
};

/* Makes an empty buffer use a temporary file if buffers are in temporary files (at->files). */
static enum bs_status place(const struct making *at, struct bs_buffer *buffer, struct bs_error *err)
{
	return at->files ? bs_dir_place(at->files, buffer, err) : BS_OK;
}

/* Sorting hashes: one or two passes sort by the highest 11 or 22 bits, an insertion sort does the
 * rest. Few hashes share these bits, unless words were crafted to collide. */

#define DIGIT_BITS        11u
#define DIGITS            (1u << DIGIT_BITS)
#define FEW               8u   /* fewer hashes per digit, on average, need no second pass */
#define SORTED_BY_MERGING 256u /* fewer hashes are sorted by merging */
/* Maximum average number of moves per hash in the insertion sort; beyond it, the hashes are sorted
 * by merging. For the maximum number of words of a summary the average is four. */
#define MOST_MOVES 64u

/* Sorts stably by the digit at bit `shift`. starts: room for DIGITS numbers. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t n, uint32_t shift,
                          uint64_t *starts)
{
	uint64_t sum = 0;
	memset(starts, 0, DIGITS * sizeof(*starts));
	for (size_t i = 0; i < n; i++)
		starts[from[i] >> shift & (DIGITS - 1)]++;
	for (uint32_t digit = 0; digit < DIGITS; digit++) {
		uint64_t n_here = starts[digit];
		starts[digit] = sum;
		sum += n_here;
	}
	for (size_t i = 0; i < n; i++)
		to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static int compare_hashes(const void *a, const void *b, void *context)
{
	(void)context;
	return bs_compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

static enum bs_status sort_hashes(const struct making *at, struct bs_buffer *hashes,
                                  struct bs_error *err)
{
	struct bs_numbers all = bs_numbers_in(hashes);
	if (all.n < SORTED_BY_MERGING) {
		return bs_sort(all.at, all.n, sizeof(*all.at), compare_hashes, NULL, err);
	}
	struct bs_buffer room_buffer = {0};
	enum bs_status status = place(at, &room_buffer, err);
	if (!status)
		status = bs_buffer_reserve(&room_buffer, (all.n + DIGITS) * sizeof(*all.at), err);
	if (status) {
		bs_buffer_deinit(&room_buffer);
		return status;
	}
	uint64_t *room = (uint64_t *)(void *)room_buffer.data, *starts = room + all.n;
	/* Sort by the highest digit alone if that leaves few hashes with the same digit; otherwise
	 * by the two highest digits. */
	bool are_few = all.n / FEW < DIGITS;
	sort_by_digit(all.at, room, all.n, 64 - (are_few ? 1 : 2) * DIGIT_BITS, starts);
	if (are_few && all.n)
		memcpy(all.at, room, all.n * sizeof(*room));
	else
		sort_by_digit(room, all.at, all.n, 64 - DIGIT_BITS, starts);
	bs_buffer_deinit(&room_buffer);
	size_t n_moves = 0;
	for (size_t i = 1; i < all.n && n_moves < MOST_MOVES * all.n; i++) {
		uint64_t hash = all.at[i];
		size_t j = i;
		for (; j > 0 && all.at[j - 1] > hash; j--)
			all.at[j] = all.at[j - 1];
		all.at[j] = hash;
		n_moves += i - j;
	}
	if (all.n && n_moves >= MOST_MOVES * all.n)
		return bs_sort(all.at, all.n, sizeof(*all.at), compare_hashes, NULL, err);
	return BS_OK;
}

void bs_summary_cache_deinit(struct bs_summary_cache *cache)
{
	bs_vector_deinit(&cache->segments);
	bs_vector_deinit(&cache->hashes);
}

/* Appends the hashes of a segment's words if the cache has them. */
static enum bs_status add_known(const struct bs_summary_cache *cache, uint64_t number,
                                bool *found_out, struct bs_buffer *hashes, struct bs_error *err)
{
	const uint64_t *from = cache ? cache->hashes.items : NULL;
	*found_out = false;
	for (size_t i = 0; cache && i < bs_vector_n(&cache->segments); i++) {
		const struct bs_summary_segment *segment = &cache->segments.items[i];
		*found_out = segment->number == number;
		if (*found_out)
			return bs_buffer_append(hashes, from,
			                        (size_t)segment->n_words * sizeof(*from), err);
		from += segment->n_words;
	}
	return BS_OK;
}

/* Appends the hashes of a segment's words from its lexicon. */
static enum bs_status read_hashes(const struct bs_segment *segment, struct bs_buffer *hashes,
                                  struct bs_error *err)
{
	struct bs_lexicon_cursor cursor = {.lexicon = &segment->terms.lexicon};
	bool end = false;
	enum bs_status status =
		segment->meta.n_terms ? bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, err)
				      : BS_OK;
	/* All other terms follow the words. */
	while (!status && segment->meta.n_terms &&
	       !(status = bs_lexicon_cursor_next(&cursor, &end, err)) && !end &&
	       cursor.term.data[0] != BS_KEY_COMPOUND) {
		uint64_t hash = bs_hash_term(cursor.term.data, cursor.term.used_bytes);
		status = bs_buffer_append(hashes, &hash, sizeof(hash), err);
	}
	bs_lexicon_cursor_deinit(&cursor);
	return status;
}

static enum bs_status add_hashes(const struct making *at, uint64_t number,
                                 const struct bs_segment *segment, struct bs_buffer *hashes,
                                 struct bs_error *err)
{
	bool found;
	enum bs_status status = add_known(at->cache, number, &found, hashes, err);
	return status || found ? status : read_hashes(segment, hashes, err);
}

static uint64_t places_for(uint64_t n_words, uint64_t rate)
{
	double n =
		(double)(n_words + n_words / ROOM_SHARE + 1) * BS_SUMMARY_RATE_UNIT / (double)rate;
	return n < (double)BS_CODED_MOST ? (uint64_t)n + 1 : BS_CODED_MOST;
}

/* Whether the number of places gives at most the requested false-positive rate, and is not far
 * larger than needed. */
static bool fits(const struct making *at)
{
	double n_words = (double)bs_multiset_n(&at->tallies.words);
	double most = (double)at->facts.n_places * (double)at->facts.rate / BS_SUMMARY_RATE_UNIT;
	return n_words <= most && (n_words >= 64 ? n_words * 2 >= most : most <= 256);
}

/* Replaces ascending hashes by their places. */
static void make_places(const struct making *at, struct bs_numbers hashes)
{
	for (size_t i = 0; i < hashes.n; i++)
		hashes.at[i] = bs_summary_place(hashes.at[i], at->facts.n_places);
}

/* Counts the words of all segments anew, by their places (bs_summary_place). n_places 0: chooses
 * the number of places. */
static enum bs_status count_words_anew(struct making *at, uint64_t n_places, struct bs_error *err)
{
	struct bs_buffer hashes = {0};
	enum bs_status status = place(at, &hashes, err);
	uint64_t n_words = 0;
	bs_multiset_deinit(&at->tallies.words);
	for (uint32_t i = 0; i < at->manifest->n_segments && !status; i++)
		status = add_hashes(at, at->manifest->segments[i].number, at->segments[i], &hashes,
		                    err);
	if (!status)
		status = sort_hashes(at, &hashes, err);
	struct bs_numbers all = bs_numbers_in(&hashes);
	for (size_t i = 0; i < all.n; i++)
		n_words += i == 0 || all.at[i] != all.at[i - 1];
	at->facts.n_places = n_places ? n_places : places_for(n_words, at->facts.rate);
	make_places(at, all);
	if (!status)
		status = bs_multiset_count(&at->tallies.words, all, err);
	bs_buffer_deinit(&hashes);
	return status;
}

/* The union of the trigrams of several segments, one bit for each possible trigram; NULL: empty. */
struct gram_bits {
	uint64_t *words;
};

static enum bs_status add_grams(const struct making *at, struct gram_bits *bits,
                                const struct bs_segment *segment, struct bs_error *err)
{
	struct bs_buffer grams = {0};
	if (!bits->words)
		bits->words = calloc(GRAM_LIMIT / 64, sizeof(*bits->words));
	if (!bits->words)
		return bs_fail_memory(err, "trigrams", GRAM_LIMIT / 8);
	enum bs_status status = place(at, &grams, err);
	if (!status)
		status = bs_coded_section_read(&segment->trigrams.set, &grams, err);
	struct bs_numbers all = bs_numbers_in(&grams);
	if (!status && all.n && all.at[all.n - 1] >= GRAM_LIMIT)
		status = bs_container_corrupt(segment->trigrams.set.section.file, err,
		                              "a trigram of more than three bytes");
	for (size_t i = 0; i < all.n && !status; i++)
		bits->words[all.at[i] / 64] |= UINT64_C(1) << (all.at[i] % 64);
	bs_buffer_deinit(&grams);
	return status;
}

/* Appends the numbers of the set bits, ascending, to a buffer, and frees the bits. */
static enum bs_status take_grams(struct gram_bits *bits, struct bs_buffer *numbers,
                                 struct bs_error *err)
{
	size_t n = 0;
	for (size_t i = 0; bits->words && i < GRAM_LIMIT / 64; i++)
		n += (size_t)__builtin_popcountll(bits->words[i]);
	enum bs_status status = bs_buffer_reserve(numbers, n * sizeof(uint64_t), err);
	uint64_t *to = status ? NULL : (uint64_t *)(void *)(numbers->data + numbers->used_bytes);
	for (size_t i = 0; n && to && i < GRAM_LIMIT / 64; i++)
		for (uint64_t word = bits->words[i]; word; word &= word - 1)
			*to++ = i * 64 + (uint32_t)__builtin_ctzll(word);
	numbers->used_bytes += status ? 0 : n * sizeof(uint64_t);
	free(bits->words);
	bits->words = NULL;
	return status;
}

/* Makes the set of trigrams from scratch. Its base is the encoded set of the segment with the most
 * trigrams, and `more` has the trigrams that only other segments have. But base is made of all
 * trigrams if the sets of the other segments add up to more than half of the largest set, or if
 * `more` would be larger than 1/BS_MULTISET_MORE_SHARE of it. */
static enum bs_status count_grams_anew(struct making *at, struct bs_error *err)
{
	struct bs_multiset *multiset = &at->tallies.grams;
	struct bs_buffer *all = &multiset->made[BS_MULTISET_BASE],
			 *more = &multiset->made[BS_MULTISET_MORE];
	struct gram_bits bits = {NULL};
	const struct bs_segment *largest = at->manifest->n_segments ? at->segments[0] : NULL;
	uint64_t n_all = 0;
	bs_multiset_deinit(multiset);
	enum bs_status status = place(at, all, err);
	for (uint32_t i = 0; i < at->manifest->n_segments; i++) {
		largest = at->segments[i]->trigrams.set.coded.n > largest->trigrams.set.coded.n
		                  ? at->segments[i]
		                  : largest;
		n_all += at->segments[i]->trigrams.set.coded.n;
	}
	if (status || !largest)
		return status;
	const struct bs_coded_section *base = &largest->trigrams.set;
	bool may_stay = n_all - base->coded.n <= base->coded.n / 2;
	for (uint32_t i = 0; i < at->manifest->n_segments && !status; i++)
		if (at->segments[i] != largest || !may_stay)
			status = add_grams(at, &bits, at->segments[i], err);
	if (!may_stay || status)
		goto out;
	status = place(at, more, err);
	if (!status)
		status = take_grams(&bits, more, err);
	if (!status)
		status = bs_multiset_subtract(base, more, err);
	if (!status && bs_numbers_in(more).n <= base->coded.n / BS_MULTISET_MORE_SHARE) {
		multiset->kept[BS_MULTISET_BASE] = base;
		return BS_OK;
	}
	bs_buffer_clear(more);
	for (uint32_t i = 0; i < at->manifest->n_segments && !status; i++)
		status = add_grams(at, &bits, at->segments[i], err);
out:
	if (!status)
		return take_grams(&bits, all, err);
	free(bits.words);
	return status;
}

static bool has_segment(const struct bs_manifest *manifest, uint64_t number)
{
	for (uint32_t i = 0; i < manifest->n_segments; i++)
		if (manifest->segments[i].number == number)
			return true;
	return false;
}

/* Appends the places of words, or the trigrams, of the segments that `has` names and `has_not` does
 * not; ascending. */
static enum bs_status add_changed(const struct making *at, bool of_grams,
                                  const struct bs_manifest *has, const struct bs_manifest *has_not,
                                  struct bs_buffer *numbers, struct bs_error *err)
{
	struct gram_bits bits = {NULL};
	enum bs_status status = place(at, numbers, err);
	uint32_t n_segments = 0;
	for (uint32_t i = 0; i < has->n_segments && of_grams; i++)
		n_segments += !has_segment(has_not, has->segments[i].number);
	for (uint32_t i = 0; i < has->n_segments && !status; i++) {
		const struct bs_segment *segment =
			has == at->manifest ? at->segments[i] : &at->old->segments[i];
		uint64_t number = has->segments[i].number;
		if (has_segment(has_not, number))
			continue;
		if (!of_grams)
			status = add_hashes(at, number, segment, numbers, err);
		else if (n_segments > 1)
			status = add_grams(at, &bits, segment, err);
		else
			status = bs_coded_section_read(&segment->trigrams.set, numbers, err);
	}
	if (!status && bits.words)
		return take_grams(&bits, numbers, err);
	free(bits.words);
	if (!status && !of_grams)
		status = sort_hashes(at, numbers, err);
	if (!of_grams)
		make_places(at, bs_numbers_in(numbers));
	return status;
}

/* Updates the words for added and removed segments. *is_done_out is false if they must be counted
 * from scratch. */
static enum bs_status change_words(struct making *at, bool *is_done_out, struct bs_error *err)
{
	struct bs_multiset *multiset = &at->tallies.words;
	struct bs_buffer came = {0}, went = {0};
	enum bs_status status =
		add_changed(at, false, at->manifest, &at->old->manifest, &came, err);
	if (!status)
		status = add_changed(at, false, &at->old->manifest, at->manifest, &went, err);
	if (!status)
		status = bs_multiset_change(&at->before.words, bs_numbers_in(&came),
		                            bs_numbers_in(&went), multiset, is_done_out, err);
	if (!status && !(*is_done_out && fits(at)))
		status = bs_multiset_fold(&at->before.words, bs_numbers_in(&came),
		                          bs_numbers_in(&went), multiset, is_done_out, err);
	*is_done_out = !status && *is_done_out && fits(at);
	bs_buffer_deinit(&came);
	bs_buffer_deinit(&went);
	return status;
}

/* Finds a segment of both commits whose set of trigrams (BS_SECTION_GRAM_SET of its file) equals
 * the list `base` of the last summary's trigrams: while this segment stays, no trigram of base is
 * removed. NULL: there is none. */
static enum bs_status find_base(const struct making *at, const struct bs_segment **found_out,
                                struct bs_error *err)
{
	const struct bs_coded_set *set = &at->before.summary.grams;
	const uint64_t n_bytes = set->base.coded.n_bytes;
	enum bs_status status = BS_OK;
	*found_out = NULL;
	for (uint32_t i = 0;
	     i < at->manifest->n_segments && set->gone.coded.n == 0 && !*found_out && !status;
	     i++) {
		const struct bs_coded_section *grams = &at->segments[i]->trigrams.set;
		if (!has_segment(&at->old->manifest, at->manifest->segments[i].number) ||
		    grams->coded.n != set->base.coded.n || grams->coded.n_bytes != n_bytes)
			continue;
		status = bs_section_touch(&grams->section, grams->offset, n_bytes, err);
		if (!status &&
		    memcmp(grams->coded.bytes, set->base.coded.bytes, (size_t)n_bytes) == 0)
			*found_out = at->segments[i];
	}
	return status;
}

/* Updates the trigrams for added and removed segments. A trigram of a removed segment is removed if
 * no other segment has it. */
static enum bs_status change_grams(struct making *at, bool *is_done_out, struct bs_error *err)
{
	struct bs_buffer came = {0}, went = {0}, more = {0};
	const struct bs_segment *base;
	enum bs_status status = add_changed(at, true, at->manifest, &at->old->manifest, &came, err);
	if (!status)
		status = add_changed(at, true, &at->old->manifest, at->manifest, &went, err);
	if (!status)
		status = find_base(at, &base, err);
	if (!status)
		status = place(at, &more, err);
	if (!status)
		status = bs_coded_section_read(&at->before.summary.grams.more, &more, err);
	if (status)
		goto out;
	bs_multiset_leave_out_both(&came, &went);
	if (base)
		bs_multiset_keep(&went, bs_numbers_in(&more));
	for (uint32_t i = 0; i < at->manifest->n_segments && went.used_bytes && !status; i++)
		if (at->segments[i] != base)
			status = bs_multiset_subtract(&at->segments[i]->trigrams.set, &went, err);
	if (!status)
		status = bs_multiset_change_set(&at->before.summary.grams, bs_numbers_in(&more),
		                                bs_numbers_in(&came), bs_numbers_in(&went), base,
		                                &at->tallies.grams, is_done_out, err);
out:
	bs_buffer_deinit(&came);
	bs_buffer_deinit(&went);
	bs_buffer_deinit(&more);
	return status;
}

/* Whether reading the added and removed segments is less work than reading all segments. */
static bool is_change_small(const struct making *at)
{
	return at->came.n_terms + at->came.n_grams + at->went.n_terms + at->went.n_grams <
	       at->all.n_terms + at->all.n_grams;
}

static enum bs_status count_words(struct making *at, struct bs_error *err)
{
	const struct bs_summary_facts *before = &at->before.summary.facts;
	bool is_done = false;
	enum bs_status status = BS_OK;
	at->facts.n_places = before->n_places;
	if (at->before.container && before->has_words && before->rate == at->facts.rate &&
	    is_change_small(at))
		status = change_words(at, &is_done, err);
	/* If the previous summary is damaged, count from scratch. */
	return (status && status != BS_CORRUPT) || is_done ? status : count_words_anew(at, 0, err);
}

static enum bs_status count_grams(struct making *at, struct bs_error *err)
{
	bool is_done = false;
	enum bs_status status = BS_OK;
	if (at->before.container && at->before.summary.facts.has_grams && is_change_small(at))
		status = change_grams(at, &is_done, err);
	return (status && status != BS_CORRUPT) || is_done ? status : count_grams_anew(at, err);
}

static uint64_t count_files(const struct bs_manifest *manifest, const struct bs_doc_table *docs,
                            bool is_rows)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < docs->n_ranges; i++) {
		struct bs_source_range range = bs_doc_table_range(docs, i);
		uint32_t kind = manifest->sources[range.source].kind;
		n += is_rows || kind == BS_SOURCE_FOLDER || kind == BS_SOURCE_FILE
		             ? range.end - range.first
		             : 0;
	}
	return n;
}

/* The number of files, or of rows of collections, in a segment that have no grams. */
static uint64_t count_unknown(const struct bs_manifest *manifest, const struct bs_segment *segment,
                              bool is_rows)
{
	uint64_t n = count_files(manifest, &segment->docs, is_rows);
	return n < segment->grams.meta.n_docs ? 0 : n - segment->grams.meta.n_docs;
}

/* Counts files deleted by id as unknown: they still exist, so a search of files reads them. */
static enum bs_status count_excluded(struct making *at, struct bs_error *err)
{
	struct bs_snapshot_exclusions exclusions;
	enum bs_status status = bs_exclusions_open(&exclusions, at->dir, at->manifest, err);
	at->facts.n_unknown_files +=
		status ? 0 : count_files(at->manifest, &exclusions.table, false);
	bs_exclusions_close(&exclusions);
	return status;
}

/* The number of collections that a search of files must read, because they have no row among the
 * grams. */
static uint64_t count_rowless(const struct bs_manifest *manifest)
{
	uint64_t n = 0, n_rows = 0;
	for (uint32_t i = 0; i < manifest->n_sources; i++)
		n += manifest->sources[i].kind == BS_SOURCE_COLLECTION;
	for (uint32_t i = 0; i < manifest->n_segments; i++)
		n_rows += manifest->segments[i].is_rows
		                  ? manifest->segments[i].n_docs - manifest->segments[i].n_deleted
		                  : 0;
	return n < n_rows ? 0 : n - n_rows;
}

static enum bs_status find_facts(struct making *at, struct bs_error *err)
{
	const struct bs_manifest *manifest = at->manifest;
	struct bs_non_documents file;
	at->facts = (struct bs_summary_facts){.rate = manifest->options.summary_rate,
	                                      .has_words = manifest->options.words,
	                                      .has_grams = true,
	                                      .n_unknown_files = count_rowless(manifest)};
	for (uint32_t i = 0; i < manifest->n_segments; i++) {
		const struct bs_segment *segment = at->segments[i];
		bool is_rows = manifest->segments[i].is_rows;
		at->facts.n_docs += is_rows ? 0 : segment->meta.n_docs;
		at->facts.n_positions += is_rows ? 0 : segment->meta.n_positions;
		at->facts.n_unknown_files += count_unknown(manifest, segment, is_rows);
		at->facts.has_grams &= segment->trigrams.are_known;
	}
	at->facts.has_text_grams = at->facts.has_grams && manifest->options.grams;
	struct bs_non_document_place place = {0};
	while (bs_manifest_next_non_document(manifest, &place, &file)) {
		uint64_t end = file.nul_end ? file.nul_end : UINT64_MAX;
		at->facts.most_nul_end =
			end > at->facts.most_nul_end ? end : at->facts.most_nul_end;
	}
	enum bs_status status = count_excluded(at, err);
	return status ? status : bs_summary_analysis(manifest, &at->facts.analysis, err);
}

static void add_sizes(struct sizes *sizes, const struct bs_segment *segment)
{
	sizes->n_terms += segment->meta.n_terms;
	sizes->n_grams += segment->trigrams.set.coded.n;
}

static void measure(struct making *at)
{
	for (uint32_t i = 0; i < at->manifest->n_segments; i++) {
		add_sizes(&at->all, at->segments[i]);
		if (at->old && !has_segment(&at->old->manifest, at->manifest->segments[i].number))
			add_sizes(&at->came, at->segments[i]);
	}
	for (uint32_t i = 0; at->old && i < at->old->manifest.n_segments; i++)
		if (!has_segment(at->manifest, at->old->manifest.segments[i].number))
			add_sizes(&at->went, &at->old->segments[i]);
}

static enum bs_status find_segments(struct making *at, struct bs_error *err)
{
	const struct bs_manifest *manifest = at->manifest;
	char name[BS_INDEX_NAME_BYTES];
	enum bs_status status = BS_OK;
	at->segments = calloc((size_t)manifest->n_segments + 1, sizeof(*at->segments));
	at->own = calloc((size_t)manifest->n_segments + 1, sizeof(*at->own));
	if (!at->segments || !at->own)
		return bs_fail_memory(err, "segments", manifest->n_segments * sizeof(*at->own));
	for (uint32_t i = 0; i < manifest->n_segments && !status; i++) {
		for (uint32_t j = 0; at->old && j < at->old->manifest.n_segments; j++)
			if (at->old->manifest.segments[j].number == manifest->segments[i].number)
				at->segments[i] = &at->old->segments[j];
		if (at->segments[i])
			continue;
		status = bs_segment_open(
			&at->own[at->n_own], at->dir,
			bs_index_file_name("seg", manifest->segments[i].number, name), err);
		at->segments[i] = &at->own[at->n_own];
		at->n_own += !status;
	}
	if (!status)
		measure(at);
	return status;
}

static void making_deinit(struct making *at)
{
	for (uint32_t i = 0; i < at->n_own; i++)
		bs_segment_deinit(&at->own[i]);
	free(at->own);
	free(at->segments);
	bs_summary_file_close(&at->before);
	bs_multiset_deinit(&at->tallies.words);
	bs_multiset_deinit(&at->tallies.grams);
}

/* Whether the summary files of the last commit are also correct for the next one. */
static bool is_same(const struct making *at)
{
	struct bs_summary_facts before = at->before.summary.facts;
	bool is_of_these =
		at->before.container && at->old->manifest.n_segments == at->manifest->n_segments;
	for (uint32_t i = 0; i < at->manifest->n_segments && is_of_these; i++)
		is_of_these = has_segment(&at->old->manifest, at->manifest->segments[i].number);
	/* Not compared: these three follow from the segments. */
	before.n_places = at->facts.n_places;
	before.n_docs = at->facts.n_docs;
	before.n_positions = at->facts.n_positions;
	return is_of_these && bs_summary_facts_equal(&before, &at->facts);
}

static enum bs_status write_files(struct making *at, const struct bs_manifest *manifest,
                                  struct bs_error *err)
{
	struct bs_buffer summary = {0}, counts = {0};
	enum bs_status status = place(at, &summary, err);
	if (!status)
		status = place(at, &counts, err);
	if (!status)
		status = bs_summary_write(&at->facts, &at->tallies, &summary, &counts, err);
	if (!status)
		status = bs_summary_file_write(at->dir, manifest, &summary, &counts, err);
	bs_buffer_deinit(&summary);
	bs_buffer_deinit(&counts);
	return status;
}

/* Opens the summary and the counts of the last commit, or neither. Verifies all pages, so that
 * damaged files are made from scratch instead of failing later, when they are copied. */
static enum bs_status open_before(struct making *at, struct bs_error *err)
{
	const uint8_t *bytes;
	enum bs_status status =
		at->old ? bs_summary_file_open(at->dir, &at->old->manifest, &at->before, err)
			: BS_OK;
	if (!status && at->old)
		status = bs_summary_counts_open(at->dir, &at->old->manifest, &at->before, err);
	if (!status && at->old)
		status = bs_summary_bytes(&at->before.summary, &bytes, err);
	if (status)
		bs_summary_file_close(&at->before);
	return bs_summary_is_missing(status) ? BS_OK : status;
}

/* Whether the estimated memory exceeds the limit, so that temporary files are used. */
static bool is_large(const struct making *at, uint64_t memory_bytes)
{
	uint64_t n_words = at->all.n_terms + at->went.n_terms,
		 n_grams = at->all.n_grams + at->went.n_grams;
	return (n_words + (n_grams < GRAM_LIMIT ? n_grams : GRAM_LIMIT)) * MAKING_BYTES >
	       memory_bytes;
}

enum bs_status bs_summary_update(const struct bs_dir *dir, const struct bs_snapshot *old,
                                 const struct bs_summary_cache *cache, uint64_t memory_bytes,
                                 struct bs_manifest *manifest, struct bs_error *err)
{
	struct making at = {.dir = dir, .old = old, .cache = cache, .manifest = manifest};
	manifest->summary.number = manifest->summary.counts_number = 0;
	if (!manifest->options.summary_rate)
		return BS_OK;
	enum bs_status status = open_before(&at, err);
	if (!status)
		status = find_segments(&at, err);
	if (!status)
		status = find_facts(&at, err);
	if (!status && is_same(&at)) {
		manifest->summary.number = old->manifest.summary.number;
		manifest->summary.counts_number = old->manifest.summary.counts_number;
	} else if (!status && at.all.n_terms <= BS_SUMMARY_MOST_TERMS) {
		if (is_large(&at, memory_bytes) && bs_dir_has_folder(dir))
			at.files = at.tallies.words.files = at.tallies.grams.files = dir;
		status = at.facts.has_words ? count_words(&at, err) : BS_OK;
		if (!status && at.facts.has_grams)
			status = count_grams(&at, err);
		manifest->summary.number = manifest->next_number++;
		manifest->summary.counts_number = manifest->next_number++;
		if (!status)
			status = write_files(&at, manifest, err);
	}
	making_deinit(&at);
	return status;
}

/* Compares the words in the files with words counted from scratch: first those of the summary, then
 * those of the counts. */
static enum bs_status compare_words(const struct making *at, struct bs_error *err)
{
	const struct bs_numbers none = {.n = 0};
	const struct bs_buffer *made = at->tallies.words.made;
	struct bs_multiset folded = {.kept = {NULL}};
	struct bs_buffer set = {0};
	bool is_sound;
	enum bs_status status = bs_multiset_read_set(&at->before.summary.words, &set, err);
	if (!status && !bs_buffer_equals(&set, &made[BS_MULTISET_BASE]))
		status = bs_container_corrupt(at->before.container, err,
		                              "its words are not those of its segments");
	if (!status)
		status = bs_multiset_fold(&at->before.words, none, none, &folded, &is_sound, err);
	if (!status &&
	    (!is_sound ||
	     !bs_buffer_equals(&folded.made[BS_MULTISET_BASE], &made[BS_MULTISET_BASE]) ||
	     !bs_buffer_equals(&folded.made[BS_MULTISET_BEYOND], &made[BS_MULTISET_BEYOND])))
		status = bs_container_corrupt(at->before.counts_container, err,
		                              "its counts are not those of its segments");
	bs_multiset_deinit(&folded);
	bs_buffer_deinit(&set);
	return status;
}

static enum bs_status compare_grams(const struct making *at, struct bs_error *err)
{
	const struct bs_multiset *made = &at->tallies.grams;
	const struct bs_coded_section *kept = made->kept[BS_MULTISET_BASE];
	struct bs_buffer set = {0};
	struct bs_multiset all = {.kept = {NULL}};
	struct bs_buffer *of_all = &all.made[BS_MULTISET_BASE];
	enum bs_status status = bs_multiset_read_set(&at->before.summary.grams, &set, err);
	if (!status && kept)
		status = bs_coded_section_read(kept, of_all, err);
	if (!status && kept)
		status = bs_multiset_add(&all, bs_numbers_in(&made->made[BS_MULTISET_MORE]), err);
	if (!status && !bs_buffer_equals(&set, kept ? of_all : &made->made[BS_MULTISET_BASE]))
		status = bs_container_corrupt(at->before.container, err,
		                              "its trigrams are not those of its segments");
	bs_buffer_deinit(&set);
	bs_multiset_deinit(&all);
	return status;
}

static enum bs_status compare(const struct making *at, struct bs_error *err)
{
	const struct bs_summary *summary = &at->before.summary;
	enum bs_status status = bs_summary_check(summary, err);
	if (!status)
		status = compare_words(at, err);
	if (!status)
		status = compare_grams(at, err);
	if (!status && (!is_same(at) || summary->facts.n_docs != at->facts.n_docs ||
	                summary->facts.n_positions != at->facts.n_positions))
		status = bs_container_corrupt(at->before.container, err,
		                              "its head does not fit the index");
	return status;
}

enum bs_status bs_summary_verify(const struct bs_snapshot *snapshot,
                                 struct bs_summary_file *file_out, struct bs_error *err)
{
	struct making at = {.dir = snapshot->dir, .old = snapshot, .manifest = &snapshot->manifest};
	if (file_out)
		*file_out = (struct bs_summary_file){.container = NULL};
	enum bs_status status =
		bs_summary_file_open(snapshot->dir, &snapshot->manifest, &at.before, err);
	if (status)
		return status == BS_NOT_FOUND && !snapshot->manifest.summary.number ? BS_OK
		                                                                    : status;
	status = bs_summary_counts_open(snapshot->dir, &snapshot->manifest, &at.before, err);
	if (!status)
		status = find_segments(&at, err);
	if (!status)
		status = find_facts(&at, err);
	if (!status && at.facts.has_words)
		status = count_words_anew(&at, at.before.summary.facts.n_places, err);
	if (!status && at.facts.has_grams)
		status = count_grams_anew(&at, err);
	if (!status)
		status = compare(&at, err);
	if (!status && file_out) {
		*file_out = at.before;
		at.before = (struct bs_summary_file){.container = NULL};
	}
	making_deinit(&at);
	return status;
}
