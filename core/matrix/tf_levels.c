/* tf_levels.c: see tf_levels.h. */
#include "core/matrix/tf_levels.h"

#include "core/matrix/prices.h"

/* If a word has fewer than about one document per block, reading the tf code of each document is
 * cheaper than reading the lines of the word's levels (query/rank/scan_top.c), so such a word has
 * no levels. With two columns per level, a tenth of the documents that do not reach a level pass
 * it. The next level is read only for the documents that pass, and reduces these false positives to
 * a hundredth. Dense columns mean that the index is to be small, or that documents are long and
 * reach many levels. Then there are fewer levels, of one column each, and the minimum df is
 * higher. */
struct bs_tf_levels bs_tf_levels_make(uint64_t n_docs, double density, bool is_small)
{
	static const struct bs_tf_levels all = {
		.n_levels = 7, .n_columns = 2, .least = {2, 3, 5, 9, 17, 33, 65}};
	static const struct bs_tf_levels few = {
		.n_levels = 5, .n_columns = 1, .least = {2, 4, 8, 16, 32}};
	bool is_dense = density > BS_PRICE_LEVELS_DENSITY;
	struct bs_tf_levels levels = is_dense ? few : all;
	uint64_t share = (uint64_t)((double)n_docs * BS_PRICE_LEVELS_MIN_SHARE);
	uint64_t least = is_dense && !is_small ? BS_PRICE_FEW_MIN_DF : BS_PRICE_LEVELS_MIN_DF;
	levels.min_df = share < least ? least : share;
	return levels;
}

bool bs_tf_levels_are_valid(const struct bs_tf_levels *levels)
{
	if (levels->n_levels > BS_MAX_TF_LEVELS || levels->n_columns < 1 ||
	    levels->n_columns > BS_MAX_TF_COLUMNS)
		return false;
	for (uint32_t l = 0; l < levels->n_levels; l++)
		if (levels->least[l] < 2 || (l > 0 && levels->least[l] <= levels->least[l - 1]))
			return false;
	return true;
}
