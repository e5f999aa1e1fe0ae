/* conditions.c: see conditions.h. */
#include "query/grep/match/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "core/bitsift/grep_request.h"
#include "query/grep/match/text_lines.h"
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
	size_t n_bytes = conditions->n * sizeof(*asker->states);
	*asker = (struct bs_condition_matcher){conditions, calloc(1, n_bytes)};
	if (!asker->states)
		return bs_fail_memory(err, "patterns", n_bytes);
	for (size_t i = 0; i < conditions->n && !status; i++)
		status = bs_grep_scratch_new(conditions->list[i].matcher, &asker->states[i].scratch,
		                             err);
	return status;
}

void bs_condition_asker_deinit(struct bs_condition_matcher *asker)
{
	for (size_t i = 0; asker->states && i < asker->conditions->n; i++)
		bs_grep_scratch_free(asker->states[i].scratch);
	free(asker->states);
}

void bs_conditions_reset(struct bs_condition_matcher *asker)
{
	for (size_t i = 0; i < asker->conditions->n; i++) {
		bs_grep_scratch_reset(asker->states[i].scratch);
		asker->states[i].from = asker->states[i].upto = asker->states[i].limit = 0;
	}
}

/* If a line begins within NEAR_BYTES after the lines that were decided last, about AHEAD_BYTES of
 * the lines after it are searched with it, because a search of many lines takes less time per
 * line. */
#define NEAR_BYTES  ((size_t)256)
#define AHEAD_BYTES ((size_t)4096)

/* Returns the end of a search that begins at the line: the end of the line, or about AHEAD_BYTES
 * later, at the end of another line. end: the end of the lines that may be searched. */
static size_t choose_limit(const struct bs_condition_state *state,
                           const struct bs_grep_matcher *matcher, const uint8_t *text,
                           struct bs_grep_span line, size_t end)
{
	bool is_near = line.start >= state->upto && line.start - state->upto < NEAR_BYTES;
	/* A lookbehind must not see the line before. */
	if (!is_near || bs_grep_matcher_traits(matcher)->looks_back)
		return line.end;
	return end - line.end > AHEAD_BYTES
	               ? bs_grep_line_end(text, line.end + AHEAD_BYTES, end, text[line.end - 1])
	               : end;
}

/* Searches the line, and perhaps lines after it up to `end`, for the next matching line. */
static enum bs_status search_ahead(struct bs_condition_state *state,
                                   const struct bs_grep_matcher *matcher, const uint8_t *text,
                                   struct bs_grep_span line, size_t end, struct bs_error *err)
{
	struct bs_grep_span found;
	bool is_found;
	if (line.start < state->from || line.start >= state->limit) {
		state->limit = choose_limit(state, matcher, text, line, end);
		bs_grep_scratch_reset(state->scratch);
	}
	enum bs_status status = bs_grep_next_line(state->scratch, text, line.start, state->limit,
	                                          &found, &is_found, err);
	/* PCRE2 may have given up on a later line, so this line is tried alone. */
	if (status == BS_UNSUPPORTED && state->limit > line.end) {
		state->limit = line.end;
		bs_grep_scratch_reset(state->scratch);
		status = bs_grep_next_line(state->scratch, text, line.start, line.end, &found,
		                           &is_found, err);
	}
	if (!status) {
		state->from = line.start;
		state->found = is_found ? found.start : state->limit;
		state->upto = is_found ? found.end : state->limit;
	}
	return status;
}

/* *found_out: the lines, matched as a text of their own, contain a match. A match after the last
 * line feed is in no line, and does not count. */
static enum bs_status search_lines(struct bs_condition_state *state,
                                   const struct bs_grep_matcher *matcher, const uint8_t *lines,
                                   size_t n_bytes, bool *found_out, struct bs_error *err)
{
	struct bs_grep_span at;
	bs_grep_scratch_reset(state->scratch);
	if (bs_grep_matcher_traits(matcher)->by_line)
		return bs_grep_next_line(state->scratch, lines, 0, n_bytes, &at, found_out, err);
	enum bs_status status =
		bs_grep_next_match(state->scratch, lines, 0, n_bytes, false, &at, found_out, err);
	*found_out = !status && *found_out && at.start < n_bytes;
	return status;
}

enum bs_status bs_conditions_hold(struct bs_condition_matcher *asker, const uint8_t *text,
                                  struct bs_grep_span lines, size_t end, bool *hold_out,
                                  struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*hold_out = true;
	for (size_t i = 0; i < asker->conditions->n && *hold_out && !status; i++) {
		const struct bs_condition *condition = &asker->conditions->list[i];
		struct bs_condition_state *state = &asker->states[i];
		bool found = false;
		if (end == lines.end || !bs_grep_matcher_traits(condition->matcher)->by_line) {
			status = search_lines(state, condition->matcher, text + lines.start,
			                      lines.end - lines.start, &found, err);
		} else {
			if (lines.start < state->from || lines.start >= state->upto)
				status = search_ahead(state, condition->matcher, text, lines, end,
				                      err);
			found = lines.start == state->found;
		}
		*hold_out = !status && found != condition->is_not;
	}
	return status;
}
