/* check_terms.c: a segment's lexicon, against itself and against the slabs. See check_parts.h. */
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/check/check_parts.h"
#include "core/base/hash.h"
#include "core/matrix/slab_and.h"

#define PROGRESS_TERMS 256u /* between two calls of progress */

/* How often words stand in documents, by their codes, against tf levels and lengths: of words whose documents are known
 * for certain, slab by slab. */
struct tf_check {
	struct bs_check *check;
	const struct bs_segment *segment;
	uint64_t *sums; /* of a document's words so far */
	enum bs_status status; /* of the words so far: kept, since a wrong document is best told by the df it breaks */
	struct bs_error err;
};

static enum bs_status tf_check_init(struct tf_check *tfs, struct bs_check *check, const struct bs_segment *segment)
{
	*tfs = (struct tf_check){.check = check, .segment = segment};
	tfs->sums = calloc((size_t)segment->meta.n_docs + 1, sizeof(*tfs->sums));
	return tfs->sums ? BS_OK : bs_fail_memory(check->err, "documents", segment->meta.n_docs * sizeof(*tfs->sums));
}

static void tf_check_deinit(struct tf_check *tfs)
{
	free(tfs->sums);
}

/* A word in a slab: the columns of its levels. */
struct word_columns {
	const struct bs_slab *slab;
	const struct bs_tf_levels *levels;
	uint32_t n_levels; /* 0: the word has none */
	bs_column columns[BS_MAX_TF_LEVELS][BS_MAX_TF_COLUMNS];
};

static enum bs_status find_columns(struct tf_check *tfs, uint32_t s, uint64_t hash, uint64_t df,
                                   struct word_columns *word)
{
	const struct bs_slab *slab = &tfs->segment->slabs[s];
	const struct bs_tf_levels *levels = &tfs->segment->tf_levels;
	enum bs_status status = BS_OK;
	word->slab = slab;
	word->levels = levels;
	word->n_levels = df >= levels->min_df && slab->levels[0].n_columns > 0 ? levels->n_levels : 0;
	for (uint32_t l = 0; l < word->n_levels; l++) {
		struct bs_probe probe = bs_hash_probe(bs_tf_level_hash(hash, l), BS_LEVEL_DOCUMENT);
		for (uint32_t i = 0; i < levels->n_columns && !status; i++)
			status = bs_slab_column(slab, &slab->levels[0], bs_hash_position(probe, i, slab->levels[0].n_columns), NULL,
			                        &word->columns[l][i], &tfs->err);
	}
	return status;
}

static bool reaches(const struct word_columns *word, uint32_t level, uint32_t row)
{
	for (uint32_t i = 0; i < word->levels->n_columns; i++)
		if (!(word->columns[level][i][row / 64] >> (row % 64) & 1))
			return false;
	return true;
}

static enum bs_status check_row(struct tf_check *tfs, const struct word_columns *word, uint64_t hash, uint32_t row)
{
	const uint8_t *bits;
	size_t n_bytes;
	uint32_t document;
	struct bs_error *err = &tfs->err;
	enum bs_status status = bs_slab_document(word->slab, row, &document, err);
	if (!status && document < tfs->segment->meta.n_docs)
		status = bs_tf_table_get(&tfs->segment->tfs, document, &bits, &n_bytes, err);
	if (status || document >= tfs->segment->meta.n_docs)
		return status;
	uint32_t tf = bs_tf_decode(bits, n_bytes, hash);
	tfs->sums[document] += tf == BS_TF_UNKNOWN ? 1 : tf;
	for (uint32_t l = 0; l < word->n_levels && tf != BS_TF_UNKNOWN && tf >= word->levels->least[l]; l++)
		if (!reaches(word, l, row))
			return bs_container_corrupt(tfs->segment->file, err, "document %u has a word %u times, but not its tf level %u",
			                            document, tf, l);
	return BS_OK;
}

/* lines: the documents of slab s that have the word. */
static void tf_check_word(struct tf_check *tfs, uint32_t s, uint64_t hash, uint64_t df, const uint64_t *lines,
                          const struct bs_live *live)
{
	struct word_columns word;
	if (df < tfs->segment->tf_levels.min_coded_df)
		return;
	if (!tfs->status)
		tfs->status = find_columns(tfs, s, hash, df, &word);
	for (uint32_t block = 0; !tfs->status && block < word.slab->n_blocks; block++) {
		if (!(live->words[block / 64] >> (block % 64) & 1))
			continue;
		for (uint32_t at = block * BS_LINE_WORDS; at < (block + 1) * BS_LINE_WORDS; at++)
			for (uint64_t left = lines[at]; left && !tfs->status; left &= left - 1)
				tfs->status = check_row(tfs, &word, hash, at * 64 + (uint32_t)__builtin_ctzll(left));
	}
}

/* What was wrong with the words so far. */
static enum bs_status tf_check_result(const struct tf_check *tfs)
{
	if (tfs->status && tfs->check->err)
		*tfs->check->err = tfs->err;
	return tfs->status;
}

/* After all words: none may stand in a document more often than there is room for. */
static enum bs_status tf_check_end(const struct tf_check *tfs)
{
	enum bs_status status = BS_OK;
	for (uint32_t document = 0; document < tfs->segment->meta.n_docs && !status; document++) {
		uint32_t length;
		status = bs_doc_table_length(&tfs->segment->docs, document, &length, tfs->check->err);
		if (!status && tfs->sums[document] > length)
			status = bs_container_corrupt(tfs->segment->file, tfs->check->err, "document %u has %llu words, by how often "
			                              "they stand in it, and %u positions", document,
			                              (unsigned long long)tfs->sums[document], length);
	}
	return status;
}

/* What the walk over all terms keeps. */
struct term_walk {
	struct bs_check *check;
	const struct bs_segment *segment;
	uint32_t *const *popcounts;
	const uint32_t *listed;
	struct bs_lexicon_cursor cursor;
	struct bs_buffer last; /* the term before */
	uint32_t *next_exact;  /* per slab: its first exact term that is not below the current one */
	uint64_t n_excepted;   /* terms so far that have exceptions */
	struct bs_buffer excepted; /* u32: the exceptions of the current term */
	size_t n_taken;            /* of them, by the slabs so far */
	struct bs_and_scratch scratch;
	struct bs_and_frame frame;
	struct tf_check tfs;
	uint64_t told_bytes;   /* to who waits: of the half of the columns' bytes that looking terms up stands for */
	uint64_t sum_df;
	struct bs_buffer last_separator;
	uint64_t terms_off;      /* where the next block begins */
	uint64_t separators_off; /* where its separator does */
};

static enum bs_status wrong(const struct term_walk *walk, const char *what)
{
	return bs_container_corrupt(walk->segment->file, walk->check->err, "lexicon: term %llu (\"%.*s\") %s",
	                            (unsigned long long)walk->cursor.ordinal,
	                            walk->cursor.term.used_bytes < 60 ? (int)walk->cursor.term.used_bytes : 60,
	                            (const char *)walk->cursor.term.data, what);
}

static size_t common_bytes(const struct bs_buffer *a, const struct bs_buffer *b)
{
	size_t n = 0;
	while (n < a->used_bytes && n < b->used_bytes && a->data[n] == b->data[n])
		n++;
	return n;
}

static uint64_t chapter_word(const struct bs_lexicon *lexicon, uint64_t chapter, uint32_t word)
{
	return bs_load_u64(lexicon->chapters.data + chapter * BS_LEXICON_CHAPTER_BYTES + (uint64_t)word * 8);
}

/* A chapter must begin where the one before ended, and its index say with what: a look-up trusts it. The cursor has
 * just read the chapter's first separator. */
static enum bs_status check_chapter(const struct term_walk *walk, uint64_t chapter, uint64_t terms_off,
                                    uint64_t separators_off)
{
	const struct bs_lexicon *lexicon = &walk->segment->lexicon;
	const struct bs_buffer *separator = &walk->cursor.separator;
	uint64_t prefix = 0;
	for (size_t i = 0; i < 8; i++)
		prefix = prefix << 8 | (i < separator->used_bytes ? separator->data[i] : 0);
	if (chapter_word(lexicon, chapter, 0) != prefix)
		return wrong(walk, "is not behind what the index has as the first of its chapter");
	if (chapter_word(lexicon, chapter, 1) != terms_off || chapter_word(lexicon, chapter, 2) != separators_off)
		return wrong(walk, "begins a chapter that does not begin where the one before ends");
	return BS_OK;
}

/* The separator must be the shortest that comes after the last term. */
static enum bs_status check_block_start(struct term_walk *walk, uint64_t block)
{
	const struct bs_lexicon *lexicon = &walk->segment->lexicon;
	const struct bs_lexicon_cursor *cursor = &walk->cursor;
	enum bs_status status = BS_OK;
	if (block % BS_LEXICON_CHAPTER_BLOCKS == 0)
		status = check_chapter(walk, block / BS_LEXICON_CHAPTER_BLOCKS, walk->terms_off, walk->separators_off);
	if (!status && cursor->separator.used_bytes != (block == 0 ? 0 : cursor->n_shared + 1))
		status = wrong(walk, "is divided from the one before by a separator of a wrong length");
	if (!status && common_bytes(&walk->last_separator, &cursor->separator) != cursor->separator_shared &&
	    block % BS_LEXICON_CHAPTER_BLOCKS != 0)
		status = wrong(walk, "has a separator that does not share all that it has in common with the one before");
	walk->terms_off = cursor->next_block_off;
	walk->separators_off = (uint64_t)(cursor->next_separator - lexicon->separators.data);
	bs_buffer_clear(&walk->last_separator);
	if (!status)
		status = bs_buffer_append(&walk->last_separator, cursor->separator.data, cursor->separator.used_bytes,
		                          walk->check->err);
	return status;
}

/* After the last term of a block: fewer than eight bits are left, and they are zeros. */
static enum bs_status check_block_end(const struct term_walk *walk, uint64_t block)
{
	const struct bs_bits *bits = &walk->cursor.bits;
	int64_t n_left = (bits->end - bits->at) * 8 + bits->n_bits;
	if (n_left < 0 || n_left > 7 || (n_left > 0 && bits->window >> (64 - n_left) != 0))
		return bs_container_corrupt(walk->segment->file, walk->check->err, "lexicon: block %llu does not end with its "
		                            "last term", (unsigned long long)block);
	return BS_OK;
}

/* After the last of all: nothing is behind it but the padding. */
static enum bs_status check_end(const struct term_walk *walk)
{
	const struct bs_lexicon *lexicon = &walk->segment->lexicon;
	uint64_t pad_off = lexicon->n_terms ? lexicon->terms.n_bytes - BS_LEXICON_PAD_BYTES : 0;
	if (walk->terms_off != pad_off || walk->separators_off != lexicon->separators.n_bytes ||
	    (lexicon->n_terms && bs_load_u64(lexicon->terms.data + pad_off) != 0))
		return bs_container_corrupt(walk->segment->file, walk->check->err, "lexicon: bytes behind its last term");
	return BS_OK;
}

/* Strictly ascending, sharing exactly what is common: a look-up leaves a block early because of that. */
static enum bs_status check_order(const struct term_walk *walk)
{
	const struct bs_buffer *last = &walk->last;
	const struct bs_buffer *term = &walk->cursor.term;
	size_t n = last->used_bytes < term->used_bytes ? last->used_bytes : term->used_bytes;
	size_t n_common = common_bytes(last, term);
	if (walk->cursor.ordinal == 0)
		return BS_OK;
	bool is_after = n_common < n ? last->data[n_common] < term->data[n_common] : last->used_bytes < term->used_bytes;
	if (!is_after)
		return wrong(walk, "does not come after the one before");
	if (walk->cursor.n_shared != n_common)
		return wrong(walk, "does not share all that it has in common with the one before");
	return BS_OK;
}

static enum bs_status check_term(struct term_walk *walk)
{
	uint64_t ordinal = walk->cursor.ordinal;
	uint64_t block = ordinal / BS_LEXICON_BLOCK_TERMS;
	bool is_last = ordinal + 1 == walk->segment->lexicon.n_terms;
	enum bs_status status = check_order(walk);
	if (!status && walk->cursor.term.used_bytes == 0)
		status = wrong(walk, "is empty");
	if (!status && (walk->cursor.df < 1 || walk->cursor.df > walk->segment->meta.n_docs))
		status = wrong(walk, "is in no document, or in more than there are");
	if (!status && ordinal % BS_LEXICON_BLOCK_TERMS == 0)
		status = check_block_start(walk, block);
	if (!status && (is_last || (ordinal + 1) % BS_LEXICON_BLOCK_TERMS == 0))
		status = check_block_end(walk, block);
	walk->sum_df += walk->cursor.df;
	return status;
}

/* Documents that the columns of a hashed term leave room for in a slab: an upper bound by every one of them. */
static uint64_t room_in_slab(const struct term_walk *walk, uint32_t s, uint64_t hash, const struct bs_treatment *treatment)
{
	const struct bs_slab *slab = &walk->segment->slabs[s];
	uint64_t room = slab->n_docs;
	for (uint32_t l = 0; l < slab->n_levels; l++) {
		const struct bs_level *level = &slab->levels[l];
		struct bs_probe probe = bs_hash_probe(hash, level->rank);
		uint32_t k = bs_slab_hashes(treatment, slab->n_columns, l);
		if (k > 0 && level->n_columns == 0)
			return 0;
		for (uint32_t i = 0; i < k; i++) {
			uint64_t c = level->first_column + bs_hash_position(probe, i, level->n_columns);
			uint64_t n = (uint64_t)walk->popcounts[s][c] << bs_level_shift(level->rank, slab->n_docs);
			room = n < room ? n : room;
		}
	}
	return room;
}

/* Whether the slab has an exact column for the current term, and its documents. */
static bool exact_in_slab(struct term_walk *walk, uint32_t s, uint64_t *n_docs_out)
{
	const struct bs_slab *slab = &walk->segment->slabs[s];
	uint32_t *next = &walk->next_exact[s];
	while (*next < slab->exact.n_columns &&
	       bs_load_u32(slab->exact_terms.data + (uint64_t)*next * 4) < walk->cursor.ordinal)
		++*next;
	if (*next == slab->exact.n_columns ||
	    bs_load_u32(slab->exact_terms.data + (uint64_t)*next * 4) != walk->cursor.ordinal)
		return false;
	*n_docs_out = walk->popcounts[s][slab->exact.first_column + *next];
	return true;
}

/* The exceptions of the current term, if it has any, into walk->excepted, of which none is taken yet. */
static enum bs_status find_exceptions(struct term_walk *walk, bool is_exact)
{
	const struct bs_exceptions *exceptions = &walk->segment->exceptions;
	struct bs_term_exceptions list;
	uint64_t next;
	bs_buffer_clear(&walk->excepted);
	walk->n_taken = 0;
	if (walk->n_excepted == exceptions->n_terms)
		return BS_OK;
	enum bs_status status = bs_packed_get(&exceptions->terms, walk->n_excepted, &next, walk->check->err);
	if (status || next != walk->cursor.ordinal)
		return status;
	walk->n_excepted++;
	if (!is_exact)
		return wrong(walk, "has exceptions where its treatment has none");
	status = bs_exceptions_find(exceptions, walk->cursor.ordinal, &list, walk->check->err);
	return status ? status : bs_exceptions_read(&list, &walk->excepted, walk->check->err);
}

/* Takes the exceptions of slab s out of the documents that pass the term's columns; live NULL: there must be none. */
static enum bs_status take_exceptions(struct term_walk *walk, uint32_t s, const struct bs_live *live)
{
	const struct bs_slab *slab = &walk->segment->slabs[s];
	const uint32_t *rows = (const uint32_t *)(const void *)walk->excepted.data;
	size_t n = walk->excepted.used_bytes / sizeof(*rows);
	for (; walk->n_taken < n && rows[walk->n_taken] < slab->first_row + slab->n_docs; walk->n_taken++) {
		uint64_t row = rows[walk->n_taken] - slab->first_row;
		uint64_t block = row / BS_LINE_BITS;
		uint64_t bit = UINT64_C(1) << (row % 64);
		if (!live)
			return wrong(walk, "has exceptions in a slab where it has no hashed columns");
		if (!(live->words[block / 64] >> (block % 64) & 1) || !(walk->frame.lines[row / 64] & bit))
			return wrong(walk, "has an exception that does not pass its columns");
		walk->frame.lines[row / 64] &= ~bit;
	}
	return BS_OK;
}

/* Pairs are not counted in documents. */
static bool is_word(const struct term_walk *walk)
{
	return walk->cursor.term.data[0] != BS_KEY_COMPOUND;
}

/* Adds the documents of slab s that have the term by its hashed columns and its exceptions. */
static enum bs_status count_exact(struct term_walk *walk, uint32_t s, const struct bs_and_term *term, uint64_t *n_docs)
{
	const struct bs_slab *slab = &walk->segment->slabs[s];
	struct bs_slab_term here = {.term = term, .exact_column = BS_NO_COLUMN};
	const struct bs_slab_term *only = &here;
	struct bs_and_cost cost = {0, 0};
	struct bs_live live;
	bs_live_all(&live, slab->n_blocks);
	enum bs_status status = bs_slab_and(slab, walk->check->kernel, &only, 1, &walk->scratch, &walk->frame, &live, &cost,
	                                    walk->check->err);
	if (!status)
		status = take_exceptions(walk, s, &live);
	if (!status)
		*n_docs += walk->check->kernel->count(walk->frame.lines, &live);
	if (!status && is_word(walk))
		tf_check_word(&walk->tfs, s, bs_hash_term(walk->cursor.term.data, walk->cursor.term.used_bytes), walk->cursor.df,
		                 walk->frame.lines, &live);
	return status;
}

/* The tfs in the documents of slab s of a term that has an exact column there, the one found last. */
static enum bs_status check_exact_tfs(struct term_walk *walk, uint32_t s, uint64_t hash)
{
	const struct bs_slab *slab = &walk->segment->slabs[s];
	struct bs_live live;
	bs_column column;
	bs_live_all(&live, slab->n_blocks);
	enum bs_status status = bs_slab_column(slab, &slab->exact, walk->next_exact[s], NULL, &column, walk->check->err);
	if (!status)
		tf_check_word(&walk->tfs, s, hash, walk->cursor.df, column, &live);
	return status;
}

/* The documents that df promises must be in the slabs: so many surely, and the rest where there is room for them. */
static enum bs_status check_documents(struct term_walk *walk)
{
	const struct bs_segment *segment = walk->segment;
	struct bs_and_term term;
	uint64_t hash = bs_hash_term(walk->cursor.term.data, walk->cursor.term.used_bytes);
	uint64_t n_sure = walk->listed ? walk->listed[walk->cursor.ordinal] : 0;
	uint64_t n_room = 0;
	bs_and_term_init(&term, hash, walk->cursor.ordinal, walk->cursor.df, &segment->treatments);
	enum bs_status status = find_exceptions(walk, term.treatment->is_exact);
	for (uint32_t s = 0; s < segment->meta.n_slabs && !status; s++) {
		bool is_forward = segment->slabs[s].n_levels == 0;
		uint64_t n_docs = 0;
		if (is_forward || exact_in_slab(walk, s, &n_docs)) {
			n_sure += n_docs;
			status = take_exceptions(walk, s, NULL);
			if (!status && !is_forward && is_word(walk))
				status = check_exact_tfs(walk, s, hash);
		} else if (term.treatment->is_exact) {
			status = count_exact(walk, s, &term, &n_sure);
		} else if (n_sure + n_room < walk->cursor.df) {
			n_room += room_in_slab(walk, s, hash, term.treatment);
		}
	}
	if (status)
		return status;
	if (n_sure > walk->cursor.df)
		return wrong(walk, "is in more documents of the slabs than its frequency says");
	if (n_sure + n_room < walk->cursor.df)
		return wrong(walk, "is in fewer documents of the slabs than its frequency says");
	return tf_check_result(&walk->tfs);
}

/* Looking terms up takes longer than reading the columns, and stands for half of their bytes. */
static void tell_progress(struct term_walk *walk)
{
	uint64_t n_terms = walk->segment->lexicon.n_terms, n_bytes = 0;
	if ((walk->cursor.ordinal + 1) % PROGRESS_TERMS != 0)
		return;
	for (uint32_t s = 0; s < walk->segment->meta.n_slabs; s++)
		n_bytes += walk->segment->slabs[s].columns.n_bytes / 2;
	n_bytes = (uint64_t)((double)n_bytes * (double)walk->cursor.ordinal / (double)n_terms);
	bs_check_advance(walk->check, n_bytes - walk->told_bytes);
	walk->told_bytes = n_bytes;
}

static enum bs_status walk_terms(struct term_walk *walk)
{
	struct bs_error *err = walk->check->err;
	for (bool end = false;;) {
		enum bs_status status = bs_lexicon_cursor_next(&walk->cursor, &end, err);
		if (status || end)
			return status;
		status = check_term(walk);
		if (!status)
			status = check_documents(walk);
		tell_progress(walk);
		bs_buffer_clear(&walk->last);
		if (!status)
			status = bs_buffer_append(&walk->last, walk->cursor.term.data, walk->cursor.term.used_bytes, err);
		if (status)
			return status;
	}
}

static enum bs_status walk_init(struct term_walk *walk)
{
	size_t lines_bytes = (size_t)BS_SLAB_MAX_BLOCKS * BS_LINE_BYTES;
	walk->next_exact = calloc((size_t)walk->segment->meta.n_slabs + 1, sizeof(*walk->next_exact));
	walk->frame.lines = aligned_alloc(BS_LINE_BYTES, lines_bytes);
	walk->frame.groups = aligned_alloc(BS_LINE_BYTES, lines_bytes / 8);
	if (walk->next_exact && walk->frame.lines && walk->frame.groups)
		return BS_OK;
	return bs_fail_memory(walk->check->err, "slabs", walk->segment->meta.n_slabs * sizeof(*walk->next_exact) + lines_bytes);
}

static void walk_deinit(struct term_walk *walk)
{
	free(walk->next_exact);
	free(walk->frame.lines);
	free(walk->frame.groups);
	bs_and_deinit(&walk->scratch);
	tf_check_deinit(&walk->tfs);
	bs_buffer_deinit(&walk->last);
	bs_buffer_deinit(&walk->excepted);
	bs_buffer_deinit(&walk->last_separator);
	bs_lexicon_cursor_deinit(&walk->cursor);
}

enum bs_status bs_check_terms(struct bs_check *check, const struct bs_segment *segment, uint32_t *const *popcounts,
                              const uint32_t *listed)
{
	const struct bs_lexicon *lexicon = &segment->lexicon;
	struct term_walk walk = {.check = check, .segment = segment, .popcounts = popcounts, .listed = listed,
	                         .cursor = {.lexicon = lexicon}};
	enum bs_status status = bs_section_touch(&lexicon->chapters, 0, lexicon->chapters.n_bytes, check->err);
	if (status)
		return status;
	if (lexicon->n_terms > UINT32_MAX)
		return bs_container_corrupt(segment->file, check->err, "lexicon: %llu terms are more than can be numbered",
		                            (unsigned long long)lexicon->n_terms);
	status = walk_init(&walk);
	if (!status)
		status = tf_check_init(&walk.tfs, check, segment);
	if (!status)
		status = walk_terms(&walk);
	if (!status)
		status = tf_check_end(&walk.tfs);
	if (!status)
		status = check_end(&walk);
	if (!status && walk.sum_df != segment->meta.n_postings)
		status = bs_container_corrupt(segment->file, check->err, "%llu postings where the lexicon has %llu",
		                              (unsigned long long)segment->meta.n_postings, (unsigned long long)walk.sum_df);
	walk_deinit(&walk);
	return status;
}
