/* tf_levels.c: see tf_levels.h. */
#include "core/tf_levels.h"

/*
 * Below one document a block or so, looking at each costs less than reading the lines of its levels (query/scan_best.c,
 * LOOK_NS): so words in fewer have none. Two columns leave a level a tenth of the documents that do not reach it, which
 * higher levels, asked for only of those, make a hundredth. Where columns are dense, so that the index is small, or because
 * documents are long and reach many levels, one is all that a level gets.
 */
#define MIN_SHARE (1.0 / 512)
#define MIN_DF    8u
#define N_COLUMNS 2u
#define MOST_DENSITY 0.35 /* of columns that are two a level */

struct bs_tf_levels bs_tf_levels_make(uint64_t n_docs, double density)
{
	uint64_t min_df = (uint64_t)((double)n_docs * MIN_SHARE);
	return (struct bs_tf_levels){
		.min_df = min_df < MIN_DF ? MIN_DF : min_df,
		.n_levels = 7,
		.n_columns = density > MOST_DENSITY ? 1 : N_COLUMNS,
		.least = {2, 3, 5, 9, 17, 33, 65},
	};
}

bool bs_tf_levels_are_valid(const struct bs_tf_levels *levels)
{
	if (levels->n_levels > BS_MAX_TF_LEVELS || levels->n_columns < 1 || levels->n_columns > BS_MAX_TF_COLUMNS)
		return false;
	for (uint32_t l = 0; l < levels->n_levels; l++)
		if (levels->least[l] < 2 || (l > 0 && levels->least[l] <= levels->least[l - 1]))
			return false;
	return true;
}
