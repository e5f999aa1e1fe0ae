/* pattern_grams.c: see pattern_grams.h. */
#include "query/regex/pattern_grams.h"

#include "query/regex/built_pattern.h"
#include "query/regex/pattern.h"
#include "query/regex/prefilter/regex_grams.h"

/* The fewest literals of a long list. For shorter lists, bs_regex_grams makes a more selective
 * tree. */
#define LONG_LITERALS 64u

bool bs_list_has_grams(const struct bs_pattern_list *list)
{
	return list->n_parts > 0 && (list->is_literal || list->are_all_known) &&
	       bs_pattern_n_literals(list) >= LONG_LITERALS;
}

/* Derives the tree, and releases the analysis. */
static enum bs_status take_grams(struct bs_grep_analysis *analysis, enum bs_status status,
                                 struct bs_gram_tree **tree_out, struct bs_error *err)
{
	*tree_out = NULL;
	if (!status && analysis->is_legible && bs_list_has_grams(&analysis->list))
		status = bs_regex_grams_of_literals(&analysis->list.literals, tree_out, err);
	else if (!status && analysis->is_legible)
		status = bs_regex_grams(&analysis->regex, tree_out, err);
	bs_grep_analysis_deinit(analysis);
	return status;
}

enum bs_status bs_pattern_grams(const struct bs_grep_pattern *pattern,
                                struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct bs_grep_analysis analysis = {.is_legible = false};
	return take_grams(&analysis, bs_grep_analyse(pattern, &analysis, err), tree_out, err);
}

enum bs_status bs_pattern_grams_rust(const struct bs_grep_pattern *pattern,
                                     struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct bs_grep_analysis analysis = {.is_legible = false};
	return take_grams(&analysis, bs_grep_analyse_rust(pattern, false, &analysis, err), tree_out,
	                  err);
}

enum bs_status bs_pattern_tree_grams(const struct bs_pattern_tree *pattern,
                                     struct bs_gram_tree **tree_out, struct bs_error *err)
{
	struct bs_grep_analysis analysis = {.is_legible = false};
	return take_grams(&analysis, bs_pattern_tree_analyse(pattern, &analysis, err), tree_out,
	                  err);
}
