/* pattern_grams.c: see pattern_grams.h. */
#include "query/regex/pattern_grams.h"

#include "core/bitsift/grep.h"
#include "core/bitsift/status.h"
#include "query/regex/list_grams.h"
#include "query/regex/pattern.h"
#include "query/regex/regex_grams.h"

enum bs_status bs_pattern_grams(const struct bs_grep_pattern *pattern, struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct bs_grep_analysis analysis = {.is_legible = false};
	*tree_out = NULL;
	enum bs_status status = bs_grep_analyse(pattern, &analysis, err);
	if (!status && analysis.is_legible && bs_list_has_grams(&analysis.list))
		status = bs_list_grams(&analysis.list, tree_out, err);
	else if (!status && analysis.is_legible)
		status = bs_regex_grams(&analysis.regex, tree_out, err);
	bs_grep_analysis_deinit(&analysis);
	return status;
}
