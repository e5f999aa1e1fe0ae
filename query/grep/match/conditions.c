/* conditions.c: see conditions.h. */
#include "query/grep/match/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "core/bitsift/grep_request.h"
#include "query/regex/text.h"

enum bs_status bs_conditions_read(const struct bs_grep_request *request,
                                  struct bs_conditions *conditions, struct bs_error *err)
{
	const struct bs_grep_conditions *asked = &request->conditions;
	size_t n_ands = bs_text_list_length(asked->all_of),
	       n = n_ands + bs_text_list_length(asked->none_of);
	enum bs_status status = BS_OK;
	conditions->by_file = asked->by_file;
	conditions->list = n > 0 ? calloc(n, sizeof(*conditions->list)) : NULL;
	if (n > 0 && !conditions->list)
		return bs_fail_memory(err, "patterns", n * sizeof(*conditions->list));
	for (; conditions->n < n && !status; conditions->n++) {
		struct bs_condition *condition = &conditions->list[conditions->n];
		condition->is_not = conditions->n >= n_ands;
		condition->text = condition->is_not ? asked->none_of[conditions->n - n_ands]
		                                    : asked->all_of[conditions->n];
		condition->text_bytes = strlen(condition->text);
		condition->pattern = request->pattern;
		condition->pattern.patterns = &condition->text;
		condition->pattern.pattern_bytes = &condition->text_bytes;
		condition->pattern.n_patterns = 1;
		bool bans_nul = !request->files.is_text && !request->pattern.null_data;
		status = bs_grep_analyse_rust(&condition->pattern, bans_nul, &condition->analysis,
		                              err);
	}
	return status;
}

enum bs_status bs_conditions_compile(struct bs_conditions *conditions,
                                     const struct bs_kernel *kernel, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < conditions->n && !status; i++) {
		struct bs_condition *condition = &conditions->list[i];
		status = bs_grep_matcher_new(&condition->pattern, &condition->analysis, kernel,
		                             &condition->matcher, err);
	}
	return status;
}

void bs_conditions_deinit(struct bs_conditions *conditions)
{
	for (size_t i = 0; i < conditions->n; i++) {
		bs_grep_matcher_free(conditions->list[i].matcher);
		bs_grep_analysis_deinit(&conditions->list[i].analysis);
	}
	free(conditions->list);
	*conditions = (struct bs_conditions){.n = 0};
}

enum bs_status bs_condition_asker_init(struct bs_condition_matcher *asker,
                                       const struct bs_conditions *conditions, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*asker = (struct bs_condition_matcher){conditions,
	                                       calloc(conditions->n, sizeof(*asker->scratches))};
	if (!asker->scratches)
		return bs_fail_memory(err, "patterns", conditions->n * sizeof(*asker->scratches));
	for (size_t i = 0; i < conditions->n && !status; i++)
		status =
			bs_grep_scratch_new(conditions->list[i].matcher, &asker->scratches[i], err);
	return status;
}

void bs_condition_asker_deinit(struct bs_condition_matcher *asker)
{
	for (size_t i = 0; asker->scratches && i < asker->conditions->n; i++)
		bs_grep_scratch_free(asker->scratches[i]);
	free(asker->scratches);
}

/* *found_out: the lines contain a match. A match after the last line feed is in no line, and does
 * not count. */
static enum bs_status matches(struct bs_grep_scratch *scratch,
                              const struct bs_grep_matcher *matcher, const uint8_t *lines,
                              size_t n_bytes, bool *found_out, struct bs_error *err)
{
	struct bs_grep_span at;
	bs_grep_scratch_reset(scratch);
	if (bs_grep_matcher_traits(matcher)->by_line)
		return bs_grep_next_line(scratch, lines, 0, n_bytes, &at, found_out, err);
	enum bs_status status =
		bs_grep_next_match(scratch, lines, 0, n_bytes, false, &at, found_out, err);
	*found_out = !status && *found_out && at.start < n_bytes;
	return status;
}

enum bs_status bs_conditions_hold(struct bs_condition_matcher *asker, const uint8_t *lines,
                                  size_t n_bytes, bool *hold_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*hold_out = true;
	for (size_t i = 0; i < asker->conditions->n && *hold_out && !status; i++) {
		const struct bs_condition *condition = &asker->conditions->list[i];
		bool found = false;
		status = matches(asker->scratches[i], condition->matcher, lines, n_bytes, &found,
		                 err);
		*hold_out = !status && found != condition->is_not;
	}
	return status;
}
