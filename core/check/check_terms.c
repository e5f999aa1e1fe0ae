/* check_terms.c: see check_terms.h. bs_check_terms walks over all terms, then over the rare-term
 * lists, which are ordered by document and not by term. */
#include "core/check/check_terms.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/matrix/shard_and.h"
#include "core/simd/kernels.h"
#include "core/store/field_weights.h"

#define PROGRESS_TERMS 256u /* terms between two calls of the progress callback */

/* Flags of an entry of check->kinds; its low six bits are the index of the treatment. */
#define TERM_HAS_LEVELS 0x40u /* a word that has tf levels */
#define TERM_IS_WORD    0x80u
_Static_assert(BS_MAX_TREATMENTS <= TERM_HAS_LEVELS, "a treatment's number has six bits");

static const struct bs_shard *shard_of_row(const struct check *check, uint32_t row)
{
	const struct bs_shard *shard = check->segment->shards;
	while (row >= shard->first_row + shard->n_docs)
		shard++;
	return shard;
}

/* Calls `say` for each document and term of each rare-term list. */
static void walk_rare_term_lists(struct check *check,
                                 void (*say)(struct check *check, uint32_t document,
                                             uint32_t ordinal))
{
	const struct bs_rare_term_lists *lists = &check->segment->terms.rare_term_lists;
	struct bs_rare_terms terms = {0};
	for (uint64_t list = 0; list < lists->n_lists && !check->status; list++) {
		TRY(check, bs_rare_term_lists_check(lists, list, check->segment->meta.n_terms,
		                                    &terms, check->err));
		for (size_t i = 0; i < bs_vector_n(&terms) && !check->status; i++) {
			for (uint32_t docs = terms.items[i].docs; docs && !check->status;
			     docs &= docs - 1) {
				uint64_t document =
					(list << lists->docs_log2) + (uint32_t)__builtin_ctz(docs);
				EXPECT(check, document < check->segment->meta.n_docs,
				       "list %llu of rare terms has one of document %llu",
				       (unsigned long long)list, (unsigned long long)document);
				if (!check->status)
					say(check, (uint32_t)document, terms.items[i].ordinal);
			}
			TRY(check, bs_deadline_each(i, TERM_NS, check->err));
		}
	}
	bs_vector_deinit(&terms);
}

/* Counts a document and term of a rare-term list. Only shards with levels may have such lists. */
static void count_rare(struct check *check, uint32_t document, uint32_t ordinal)
{
	EXPECT(check, shard_of_row(check, check->row_of[document])->hashed.n_levels > 0,
	       "document %u, which has a forward index, has term %u in a list of rare terms, too",
	       document, ordinal);
	if (!check->status)
		check->listed[ordinal]++;
}

void bs_check_listed_terms(struct check *check)
{
	walk_rare_term_lists(check, count_rare);
}

/* Returns the tf of a word in a document that has it, from the tf codes. Adds it to tf_sums; an
 * unknown tf counts as 1. */
static uint32_t count_tf(struct check *check, uint32_t document, uint64_t hash)
{
	const uint8_t *bits;
	size_t n_bytes;
	TRY(check,
	    bs_tf_table_get(&check->segment->terms.tfs, document, &bits, &n_bytes, check->err));
	uint32_t tf = check->status ? BS_TF_UNKNOWN : bs_tf_decode(bits, n_bytes, hash);
	if (!check->status)
		check->tf_sums[document] += tf == BS_TF_UNKNOWN ? 1 : tf;
	return tf;
}

static bool has_bit(struct check *check, const struct bs_shard *shard, const struct bs_level *level,
                    uint32_t column, uint32_t row)
{
	bs_column bits;
	uint32_t lane = row >> bs_level_shift(level->rank, shard->n_docs);
	TRY(check, bs_shard_column(shard, level, column, NULL, &bits, check->err));
	return !check->status && bits[lane / 64] >> (lane % 64) & 1;
}

/* True if the bit of the row is set in all n columns of the hash at this level. */
static bool row_passes(struct check *check, const struct bs_shard *shard,
                       const struct bs_level *level, uint64_t hash, uint32_t n, uint32_t row)
{
	struct bs_probe probe = bs_hash_probe(hash, level->rank);
	bool passes = n == 0 || level->n_columns > 0;
	for (uint32_t i = 0; i < n && passes; i++)
		passes = has_bit(check, shard, level, bs_hash_position(probe, i, level->n_columns),
		                 row);
	return passes;
}

/* Checks a word that a rare-term list has for a document: the document must pass all tf levels up
 * to the tf of the word. */
static void check_rare_tf(struct check *check, const struct bs_shard *shard, uint32_t document,
                          uint32_t row, uint32_t ordinal)
{
	const struct bs_tf_levels *levels = &check->segment->terms.tf_levels;
	bool has_levels =
		check->kinds[ordinal] & TERM_HAS_LEVELS && shard->hashed.levels[0].n_columns > 0;
	uint32_t tf = count_tf(check, document, check->hashes[ordinal]);
	for (uint32_t l = 0;
	     l < levels->n_levels && has_levels && tf != BS_TF_UNKNOWN && tf >= levels->least[l];
	     l++)
		EXPECT(check,
		       row_passes(check, shard, &shard->hashed.levels[0],
		                  bs_tf_level_hash(check->hashes[ordinal], l), levels->n_columns,
		                  row),
		       "document %u has a word %u times, but not its tf level %u", document, tf, l);
}

/* Checks an entry of a rare-term list: the document must pass the columns of the term, or have its
 * bit in the exact column of the term. */
static void find_rare(struct check *check, uint32_t document, uint32_t ordinal)
{
	const struct bs_shard *shard = shard_of_row(check, check->row_of[document]);
	const struct bs_term_treatment *treatment =
		&check->segment->terms.treatments
			 .entries[check->kinds[ordinal] & (TERM_HAS_LEVELS - 1)];
	uint32_t row = check->row_of[document] - (uint32_t)shard->first_row, exact;
	bool is_exact = false, passes = true;
	EXPECT(check, !treatment->has_false_positives,
	       "document %u has term %u in a list, which is not rare", document, ordinal);
	TRY(check, bs_shard_find_exact(shard, ordinal, &is_exact, &exact, check->err));
	for (uint32_t l = 0; l < shard->hashed.n_levels && !is_exact && !check->status; l++)
		passes &= row_passes(check, shard, &shard->hashed.levels[l], check->hashes[ordinal],
		                     bs_shard_hashes(treatment, shard->hashed.n_columns, l), row);
	if (is_exact)
		passes = has_bit(check, shard, &shard->exact.level, exact, row);
	EXPECT(check, passes, "document %u has term %u in a list, but does not pass its columns",
	       document, ordinal);
	check->n_rare_exact -= is_exact;
	if (check->kinds[ordinal] & TERM_IS_WORD)
		check_rare_tf(check, shard, document, row, ordinal);
}

struct term_walk {
	struct check *check;
	const struct bs_segment *segment;
	struct bs_lexicon_cursor cursor;
	struct bs_buffer last; /* the previous term */
	/* For each shard: the number of the first exact column whose term is not below the current
	 * term. */
	uint32_t *next_exact;
	uint64_t n_excepted;     /* terms with a false-positive list so far */
	struct bs_u32s excepted; /* the false positives of the current term */
	size_t n_taken;          /* number of `excepted` that take_false_positives has removed */
	struct bs_and_scratch scratch;
	struct bs_and_frame frame;
	/* The error in the tfs of the current term, if any. It is reported only after the df was
	 * checked: if the columns have a wrong document, the message about the df is the better
	 * one. */
	enum bs_status tf_status;
	struct bs_error tf_err;
	uint64_t told_bytes;             /* bytes that tell_progress has reported so far */
	uint64_t sum_df;                 /* sum of the dfs of the terms so far */
	struct bs_buffer last_separator; /* the separator of the previous block */
	uint64_t terms_off;              /* offset of the next block in the terms */
	uint64_t separators_off;         /* offset of the next separator in the separators */
};

static void expect_of_term(const struct term_walk *walk, bool is_so, const char *what)
{
	const struct bs_buffer *term = &walk->cursor.term;
	EXPECT(walk->check, is_so, "lexicon: term %llu (\"%.*s\") %s",
	       (unsigned long long)walk->cursor.ordinal,
	       term->used_bytes < 60 ? (int)term->used_bytes : 60, (const char *)term->data, what);
}

static uint64_t hash_of(const struct term_walk *walk)
{
	return bs_hash_term(walk->cursor.term.data, walk->cursor.term.used_bytes);
}

/* A word in a shard, with the columns of its tf levels. */
struct word_columns {
	const struct bs_shard *shard;
	const struct bs_tf_levels *levels;
	uint64_t hash;
	uint32_t n_levels; /* 0: the word has no tf levels */
	bs_column columns[BS_MAX_TF_LEVELS][BS_MAX_TF_COLUMNS];
};

/* Finds the columns of the word's tf levels. */
static enum bs_status find_columns(struct term_walk *walk, struct word_columns *word)
{
	const struct bs_tf_levels *levels = word->levels;
	const struct bs_level *documents = &word->shard->hashed.levels[0];
	enum bs_status status = BS_OK;
	word->n_levels = walk->cursor.df >= levels->min_df && documents->n_columns > 0
	                         ? levels->n_levels
	                         : 0;
	for (uint32_t l = 0; l < word->n_levels; l++) {
		struct bs_probe probe =
			bs_hash_probe(bs_tf_level_hash(word->hash, l), BS_LEVEL_DOCUMENT);
		for (uint32_t i = 0; i < levels->n_columns && !status; i++)
			status = bs_shard_column(word->shard, documents,
			                         bs_hash_position(probe, i, documents->n_columns),
			                         NULL, &word->columns[l][i], &walk->tf_err);
	}
	return status;
}

/* True if the row has its bit in all columns of a tf level of the word. */
static bool reaches(const struct word_columns *word, uint32_t level, uint32_t row)
{
	for (uint32_t i = 0; i < word->levels->n_columns; i++)
		if (!(word->columns[level][i][row / 64] >> (row % 64) & 1))
			return false;
	return true;
}

/* Checks the document of a row, which has the word: it must pass all tf levels up to the tf that
 * its tf code has for the word. Adds this tf to tf_sums; an unknown tf counts as 1. */
static enum bs_status check_row(struct term_walk *walk, const struct word_columns *word,
                                uint32_t row)
{
	const struct bs_segment *segment = walk->segment;
	const uint8_t *bits;
	size_t n_bytes;
	uint32_t document;
	enum bs_status status =
		bs_packed_get_u32(&word->shard->rows, row, &document, &walk->tf_err);
	if (!status)
		status = bs_tf_table_get(&segment->terms.tfs, document, &bits, &n_bytes,
		                         &walk->tf_err);
	if (status)
		return status;
	uint32_t tf = bs_tf_decode(bits, n_bytes, word->hash);
	walk->check->tf_sums[document] += tf == BS_TF_UNKNOWN ? 1 : tf;
	for (uint32_t l = 0;
	     l < word->n_levels && tf != BS_TF_UNKNOWN && tf >= word->levels->least[l]; l++)
		if (!reaches(word, l, row))
			return bs_container_corrupt(
				segment->file, &walk->tf_err,
				"document %u has a word %u times, but not its tf "
				"level %u",
				document, tf, l);
	return BS_OK;
}

/* Checks the tf of the current word against its tf levels, in all documents of shard s that
 * certainly have it (`lines`). Word pairs have no tf. */
static void check_word_tfs(struct term_walk *walk, uint32_t s, const uint64_t *lines,
                           const struct bs_live *live)
{
	const struct bs_segment *segment = walk->segment;
	struct word_columns word = {.shard = &segment->shards[s],
	                            .levels = &segment->terms.tf_levels,
	                            .hash = hash_of(walk)};
	if (walk->cursor.term.data[0] == BS_KEY_COMPOUND)
		return;
	if (!walk->tf_status)
		walk->tf_status = find_columns(walk, &word);
	for (uint32_t block = 0; !walk->tf_status && block < word.shard->n_blocks; block++) {
		if (!(live->words[block / 64] >> (block % 64) & 1))
			continue;
		for (uint32_t at = block * BS_LINE_WORDS; at < (block + 1) * BS_LINE_WORDS; at++)
			for (uint64_t left = lines[at]; left && !walk->tf_status; left &= left - 1)
				walk->tf_status = check_row(
					walk, &word, at * 64 + (uint32_t)__builtin_ctzll(left));
	}
}

/* Called when tf_sums is complete. The sum of the tfs of the words of a document must not exceed
 * what its positions allow. A position can have two words, an identifier and its first part, and
 * each counts up to the greatest field weight. */
static void check_tf_sums(const struct term_walk *walk)
{
	struct check *check = walk->check;
	const struct bs_recorded_options *options = &check->snapshot.manifest.options;
	uint64_t most = (uint64_t)bs_field_weights_most(options->weights) *
	                (options->split_identifiers ? 2 : 1);
	for (uint32_t document = 0; document < walk->segment->meta.n_docs && !check->status;
	     document++) {
		uint32_t length = packed_u32_at(check, &walk->segment->docs.lengths, document);
		EXPECT(check, walk->check->tf_sums[document] <= length * most,
		       "document %u has %llu words, by how often they stand in it, and %u "
		       "positions",
		       document, (unsigned long long)walk->check->tf_sums[document], length);
	}
}

static size_t common_bytes(const struct bs_buffer *a, const struct bs_buffer *b)
{
	return bs_common_bytes(a->data, a->used_bytes, b->data, b->used_bytes);
}

/* Checks a chapter: it must begin where the previous chapter ended, and its index entry must have
 * the first bytes of its first separator, because look-ups rely on them. The cursor has just read
 * that separator. */
static void check_chapter(const struct term_walk *walk, uint64_t chapter)
{
	const uint8_t *entry =
		walk->segment->terms.lexicon.chapters.data + chapter * BS_LEXICON_CHAPTER_BYTES;
	const struct bs_buffer *separator = &walk->cursor.separator;
	expect_of_term(walk,
	               bs_load_u64(entry) == bs_first_eight(separator->data, separator->used_bytes),
	               "does not match the chapter's entry in the term index");
	expect_of_term(walk,
	               bs_load_u64(entry + 8) == walk->terms_off &&
	                       bs_load_u64(entry + 16) == walk->separators_off,
	               "begins a chapter that does not begin where the one before ends");
}

/* Checks the separator of a block: it must be the shortest prefix of the block's first term that is
 * greater than the last term of the previous block. */
static void check_block_start(struct term_walk *walk, uint64_t block)
{
	const struct bs_lexicon_cursor *cursor = &walk->cursor;
	const struct bs_buffer *separator = &cursor->separator;
	bool is_chapter = block % BS_LEXICON_CHAPTER_BLOCKS == 0;
	if (is_chapter)
		check_chapter(walk, block / BS_LEXICON_CHAPTER_BLOCKS);
	expect_of_term(walk, separator->used_bytes == (block == 0 ? 0 : cursor->n_shared + 1),
	               "is divided from the one before by a separator of a wrong length");
	expect_of_term(walk,
	               is_chapter || common_bytes(&walk->last_separator, separator) ==
	                                     cursor->separator_shared,
	               "has a separator that does not share all that it has in common with the one "
	               "before");
	walk->terms_off = cursor->next_block_off;
	walk->separators_off =
		(uint64_t)(cursor->next_separator - walk->segment->terms.lexicon.separators.data);
	bs_buffer_clear(&walk->last_separator);
	TRY(walk->check, bs_buffer_append(&walk->last_separator, separator->data,
	                                  separator->used_bytes, walk->check->err));
}

/* Checks the end of a block: after its last term at most seven bits are left, and they are zero. */
static void check_block_end(const struct term_walk *walk, uint64_t block)
{
	const struct bs_bits *bits = &walk->cursor.bits;
	int64_t n_left = (bits->end - bits->at) * 8 + bits->n_bits;
	EXPECT(walk->check,
	       n_left == 0 || (n_left > 0 && n_left <= 7 && bits->window >> (64 - n_left) == 0),
	       "lexicon: block %llu does not end with its last term", (unsigned long long)block);
}

/* Checks the end of the lexicon: only the padding follows the last term. Checks the sum of dfs. */
static void check_end(const struct term_walk *walk)
{
	const struct bs_lexicon *lexicon = &walk->segment->terms.lexicon;
	const struct bs_segment_meta *meta = &walk->segment->meta;
	uint64_t pad_off = lexicon->n_terms ? lexicon->terms.n_bytes - BS_LEXICON_PAD_BYTES : 0;
	bool is_end =
		walk->terms_off == pad_off && walk->separators_off == lexicon->separators.n_bytes;
	EXPECT(walk->check,
	       is_end && (!lexicon->n_terms || bs_load_u64(lexicon->terms.data + pad_off) == 0),
	       "lexicon: trailing bytes");
	EXPECT(walk->check, walk->sum_df == meta->n_postings,
	       "%llu postings where the lexicon has %llu", (unsigned long long)meta->n_postings,
	       (unsigned long long)walk->sum_df);
}

/* Checks that the current term is greater than the previous one, and that it is coded with the
 * longest prefix that they have in common. Look-ups skip the rest of a block on that assumption. */
static void check_term_order(const struct term_walk *walk)
{
	const struct bs_buffer *last = &walk->last;
	const struct bs_buffer *term = &walk->cursor.term;
	size_t n_common = common_bytes(last, term);
	if (walk->cursor.ordinal == 0)
		return;
	bool is_after =
		n_common < term->used_bytes &&
		(n_common == last->used_bytes || last->data[n_common] < term->data[n_common]);
	expect_of_term(walk, is_after, "does not come after the one before");
	expect_of_term(walk, walk->cursor.n_shared == n_common,
	               "does not share all that it has in common with the one before");
}

/* Checks the current term as an entry of the lexicon: order, df, separators, ends of blocks. */
static void check_term(struct term_walk *walk)
{
	uint64_t ordinal = walk->cursor.ordinal;
	uint64_t block = ordinal / BS_LEXICON_BLOCK_TERMS;
	bool is_last = ordinal + 1 == walk->segment->terms.lexicon.n_terms;
	check_term_order(walk);
	expect_of_term(walk, walk->cursor.term.used_bytes > 0, "is empty");
	expect_of_term(walk, walk->cursor.df >= 1 && walk->cursor.df <= walk->segment->meta.n_docs,
	               "is in no document, or in more than there are");
	if (ordinal % BS_LEXICON_BLOCK_TERMS == 0)
		check_block_start(walk, block);
	if (is_last || (ordinal + 1) % BS_LEXICON_BLOCK_TERMS == 0)
		check_block_end(walk, block);
	walk->sum_df += walk->cursor.df;
}

/* True if the shard has an exact column for the current term; its number is then next_exact[s]. */
static bool exact_in_shard(struct term_walk *walk, uint32_t s)
{
	const struct bs_shard *shard = &walk->segment->shards[s];
	uint32_t *next = &walk->next_exact[s];
	while (*next < shard->exact.level.n_columns &&
	       u32_at(&shard->exact.terms, *next) < walk->cursor.ordinal)
		++*next;
	return *next < shard->exact.level.n_columns &&
	       u32_at(&shard->exact.terms, *next) == walk->cursor.ordinal;
}

/* Reads the false positives of the current term, if it has any, into walk->excepted. */
static void find_false_positives(struct term_walk *walk, bool is_exact)
{
	const struct bs_false_positives *false_positives = &walk->segment->terms.false_positives;
	struct check *check = walk->check;
	struct bs_term_false_positives list;
	bs_vector_clear(&walk->excepted);
	walk->n_taken = 0;
	if (walk->n_excepted == false_positives->n_terms ||
	    packed_at(check, &false_positives->terms, walk->n_excepted) != walk->cursor.ordinal ||
	    check->status)
		return;
	walk->n_excepted++;
	expect_of_term(walk, is_exact, "has false positives where its treatment has none");
	TRY(check,
	    bs_false_positives_find(false_positives, walk->cursor.ordinal, &list, check->err));
	TRY(check, bs_false_positives_read(&list, &walk->excepted, check->err));
}

/* Removes the false positives of shard s from the documents that pass the term's columns
 * (walk->frame.lines). live NULL: there must be none in this shard. */
static void take_false_positives(struct term_walk *walk, uint32_t s, const struct bs_live *live)
{
	const struct bs_shard *shard = &walk->segment->shards[s];
	const uint32_t *rows = walk->excepted.items;
	size_t n = bs_vector_n(&walk->excepted);
	for (; walk->n_taken < n && rows[walk->n_taken] < shard->first_row + shard->n_docs;
	     walk->n_taken++) {
		uint64_t row = rows[walk->n_taken] - shard->first_row;
		uint64_t block = row / BS_LINE_BITS;
		uint64_t bit = UINT64_C(1) << (row % 64);
		expect_of_term(walk, live,
		               "has false positives in a shard where it has no hashed columns");
		if (walk->check->status)
			return;
		expect_of_term(walk,
		               (live->words[block / 64] >> (block % 64) & 1) &&
		                       (walk->frame.lines[row / 64] & bit),
		               "has an exception that does not pass its columns");
		walk->frame.lines[row / 64] &= ~bit;
	}
}

/* Counts the documents of shard s that have the term, by its hashed columns and false positives. */
static uint64_t count_hashed(struct term_walk *walk, uint32_t s, const struct bs_and_term *term)
{
	struct check *check = walk->check;
	const struct bs_shard *shard = &walk->segment->shards[s];
	const struct bs_shard_term *only =
		&(struct bs_shard_term){.term = term, .exact_column = BS_NO_COLUMN};
	struct bs_and_cost cost = {0, 0};
	struct bs_live live;
	bs_live_all(&live, shard->n_blocks);
	TRY(check, bs_shard_and(shard, check->kernel, &only, 1, &walk->scratch, &walk->frame, &live,
	                        &cost, check->err));
	if (!check->status)
		take_false_positives(walk, s, &live);
	if (check->status)
		return 0;
	uint64_t n_docs = check->kernel->lines.count(walk->frame.lines, &live);
	check_word_tfs(walk, s, walk->frame.lines, &live);
	return n_docs;
}

/* Counts the documents of shard s that have the term, by its exact column next_exact[s]. There must
 * be no false positives. */
static uint64_t count_exact(struct term_walk *walk, uint32_t s)
{
	struct check *check = walk->check;
	const struct bs_shard *shard = &walk->segment->shards[s];
	struct bs_live live;
	bs_column column;
	bs_live_all(&live, shard->n_blocks);
	take_false_positives(walk, s, NULL);
	TRY(check, bs_shard_column(shard, &shard->exact.level, walk->next_exact[s], NULL, &column,
	                           check->err));
	if (!check->status)
		check_word_tfs(walk, s, column, &live);
	return check->popcounts[s][shard->exact.level.first_column + walk->next_exact[s]];
}

/* Stores the hash, the treatment and the flags of a term, for find_rare. */
static void note_term(struct term_walk *walk, const struct bs_and_term *term, uint64_t hash)
{
	struct check *check = walk->check;
	bool is_word = walk->cursor.term.data[0] != BS_KEY_COMPOUND;
	size_t treatment = (size_t)(term->treatment - walk->segment->terms.treatments.entries);
	if (check->status)
		return;
	check->hashes[walk->cursor.ordinal] = hash;
	check->kinds[walk->cursor.ordinal] =
		(uint8_t)(treatment | (is_word ? TERM_IS_WORD : 0) |
	                  (is_word && walk->cursor.df >= walk->segment->terms.tf_levels.min_df
	                           ? TERM_HAS_LEVELS
	                           : 0));
}

/* Checks that the df of the current term is the number of documents that have the term by their
 * columns and false-positive lists, by forward indexes, or by rare-term lists. */
static void check_documents(struct term_walk *walk)
{
	const struct bs_segment *segment = walk->segment;
	struct check *check = walk->check;
	struct bs_and_term term;
	uint64_t hash = hash_of(walk);
	uint64_t n_sure = check->status ? 0 : check->listed[walk->cursor.ordinal];
	bs_and_term_init(&term, hash, walk->cursor.ordinal, walk->cursor.df,
	                 &segment->terms.treatments);
	find_false_positives(walk, term.treatment->has_false_positives);
	note_term(walk, &term, hash);
	for (uint32_t s = 0; s < segment->meta.n_shards && !check->status; s++) {
		const struct bs_shard *shard = &segment->shards[s];
		if (shard->hashed.n_levels == 0)
			take_false_positives(walk, s, NULL);
		else if (exact_in_shard(walk, s) && !term.treatment->has_false_positives)
			check->n_rare_exact += check->popcounts[s][shard->exact.level.first_column +
			                                           walk->next_exact[s]];
		else if (exact_in_shard(walk, s))
			n_sure += count_exact(walk, s);
		else if (term.treatment->has_false_positives)
			n_sure += count_hashed(walk, s, &term);
	}
	uint64_t df = walk->cursor.df;
	expect_of_term(walk, n_sure <= df,
	               "is in more documents of the shards than its frequency says");
	expect_of_term(walk, n_sure >= df,
	               "is in fewer documents of the shards than its frequency says");
	if (!check->status && walk->tf_status && check->err)
		*check->err = walk->tf_err;
	TRY(check, walk->tf_status);
}

/* Reports progress. The walk over the terms, which takes longer than reading the columns, counts as
 * half of the bytes of the columns. */
static void tell_progress(struct term_walk *walk)
{
	uint64_t n_terms = walk->segment->terms.lexicon.n_terms, n_bytes = 0;
	if ((walk->cursor.ordinal + 1) % PROGRESS_TERMS != 0)
		return;
	for (uint32_t s = 0; s < walk->segment->meta.n_shards; s++)
		n_bytes += walk->segment->shards[s].columns.n_bytes / 2;
	n_bytes = (uint64_t)((double)n_bytes * (double)walk->cursor.ordinal / (double)n_terms);
	advance(walk->check, n_bytes - walk->told_bytes);
	walk->told_bytes = n_bytes;
}

static void walk_terms(struct term_walk *walk)
{
	struct check *check = walk->check;
	const struct bs_buffer *term = &walk->cursor.term;
	for (bool end = false;;) {
		TRY(check, bs_lexicon_cursor_next(&walk->cursor, &end, check->err));
		if (check->status || end)
			return;
		TRY(check, bs_deadline_check_after(TERM_NS, check->err));
		check_term(walk);
		if (!check->status)
			check_documents(walk);
		tell_progress(walk);
		bs_buffer_clear(&walk->last);
		TRY(check, bs_buffer_append(&walk->last, term->data, term->used_bytes, check->err));
	}
}

void bs_check_terms(struct check *check)
{
	const struct bs_segment *segment = check->segment;
	const struct bs_lexicon *lexicon = &segment->terms.lexicon;
	size_t lines_bytes = (size_t)BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES;
	struct term_walk walk = {
		.check = check, .segment = segment, .cursor = {.lexicon = lexicon}};
	touch_all(check, &lexicon->chapters);
	EXPECT(check, lexicon->n_terms <= UINT32_MAX,
	       "lexicon: %llu terms are more than can be numbered",
	       (unsigned long long)lexicon->n_terms);
	walk.next_exact =
		allocate(check, segment->meta.n_shards, sizeof(*walk.next_exact), "shards");
	walk.frame.lines = aligned_alloc(BS_LINE_BYTES, lines_bytes);
	walk.frame.groups = aligned_alloc(BS_LINE_BYTES, lines_bytes / 8);
	if (!walk.frame.lines || !walk.frame.groups)
		TRY(check, bs_fail_memory(check->err, "shards", lines_bytes));
	walk_terms(&walk);
	walk_rare_term_lists(check, find_rare);
	EXPECT(check, check->n_rare_exact == 0,
	       "exact columns of rare terms have documents whose lists do not have them");
	check_tf_sums(&walk);
	check_end(&walk);
	free(walk.next_exact);
	free(walk.frame.lines);
	free(walk.frame.groups);
	bs_and_deinit(&walk.scratch);
	bs_buffer_deinit(&walk.last);
	bs_vector_deinit(&walk.excepted);
	bs_buffer_deinit(&walk.last_separator);
	bs_lexicon_cursor_deinit(&walk.cursor);
}
