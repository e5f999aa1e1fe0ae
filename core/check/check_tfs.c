/* check_tfs.c: how often words stand in documents, by their codes, against tf levels and lengths. See check_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "core/check/check_internal.h"
#include "core/matrix/slab_and.h"

enum bs_status bs_tf_check_init(struct bs_tf_check *tfs, struct bs_check *check, const struct bs_segment *segment)
{
	*tfs = (struct bs_tf_check){.check = check, .segment = segment};
	tfs->sums = calloc((size_t)segment->meta.n_docs + 1, sizeof(*tfs->sums));
	return tfs->sums ? BS_OK : bs_fail_memory(check->err, "documents", segment->meta.n_docs * sizeof(*tfs->sums));
}

void bs_tf_check_deinit(struct bs_tf_check *tfs)
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

static enum bs_status find_columns(struct bs_tf_check *tfs, uint32_t s, uint64_t hash, uint64_t df,
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

static enum bs_status check_row(struct bs_tf_check *tfs, const struct word_columns *word, uint64_t hash, uint32_t row)
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

void bs_tf_check_word(struct bs_tf_check *tfs, uint32_t s, uint64_t hash, uint64_t df, const uint64_t *lines,
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

enum bs_status bs_tf_check_result(const struct bs_tf_check *tfs)
{
	if (tfs->status && tfs->check->err)
		*tfs->check->err = tfs->err;
	return tfs->status;
}

enum bs_status bs_tf_check_end(const struct bs_tf_check *tfs)
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
