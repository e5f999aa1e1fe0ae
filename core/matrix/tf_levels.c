/* tf_levels.c: see tf_levels.h. */
#include "core/matrix/tf_levels.h"

/* Below one document a block or so, looking at each costs less than reading the lines of its levels
 * (query/search/scan_top.c, LOOK_MAX): so words in fewer have none. Two columns leave a level a tenth of the documents
 * that do not reach it, which higher levels, asked for only of those, make a hundredth. Where columns are dense, so
 * that the index is small, or because documents are long and reach many levels, there are fewer, of words of some
 * number, and one column is all that each gets. */
#define MIN_SHARE    (1.0 / 512)
#define MIN_DF       8u
#define MIN_DF_FEW   2048u
#define MOST_DENSITY 0.35 /* of columns that have all levels, two columns each */

/* Words of fewer documents have no tf code: two fifths of those of source code, a quarter of those of paragraphs. Of
 * about as many, ten best are asked for, so that nearly all are read anyway; but not long documents, which are exact
 * (forward lists) and take long to read: they have codes of all words. In a small segment, which is one of several, a
 * word of so few documents need not be rare, and there is little to be saved: all words of several documents have
 * one. */
#define MIN_CODED_DF     16u
#define MIN_CODED_DOCS   (1u << 14)
#define CODED_LENGTH     (1u << 14)
#define CODED_LENGTH_FEW (1u << 16) /* where levels are few: most documents are long */

struct bs_tf_levels bs_tf_levels_make(uint64_t n_docs, double density, bool is_small)
{
	static const struct bs_tf_levels all = {.n_levels = 7, .n_columns = 2, .least = {2, 3, 5, 9, 17, 33, 65}};
	static const struct bs_tf_levels few = {.n_levels = 5, .n_columns = 1, .least = {2, 4, 8, 16, 32}};
	bool is_dense = density > MOST_DENSITY;
	struct bs_tf_levels levels = is_dense ? few : all;
	uint64_t share = (uint64_t)((double)n_docs * MIN_SHARE);
	uint64_t least = is_dense && !is_small ? MIN_DF_FEW : MIN_DF;
	levels.min_df = share < least ? least : share;
	levels.min_coded_df = n_docs < MIN_CODED_DOCS ? 2 : MIN_CODED_DF;
	levels.min_coded_length = is_small ? 40 : is_dense ? CODED_LENGTH_FEW : CODED_LENGTH;
	return levels;
}

bool bs_tf_levels_are_valid(const struct bs_tf_levels *levels)
{
	if (levels->n_levels > BS_MAX_TF_LEVELS || levels->n_columns < 1 || levels->n_columns > BS_MAX_TF_COLUMNS)
		return false;
	if (levels->min_coded_df < 2)
		return false;
	for (uint32_t l = 0; l < levels->n_levels; l++)
		if (levels->least[l] < 2 || (l > 0 && levels->least[l] <= levels->least[l - 1]))
			return false;
	return true;
}
