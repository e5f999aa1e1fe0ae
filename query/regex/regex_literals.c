/* regex_literals.c: see regex_literals.h. */
#include "query/regex/regex_literals.h"

#include <string.h>

struct literals {
	const struct bs_regex *regex;
	bool is_caseless;
	bool is_cut; /* more than one run, or some character was left out */
	struct bs_buffer run;
	struct bs_buffer *best;
	enum bs_status status;
	struct bs_error *err;
};

static void end_run(struct literals *literals)
{
	if (!literals->status && literals->run.used_bytes > literals->best->used_bytes) {
		bs_buffer_clear(literals->best);
		literals->status =
			bs_buffer_append(literals->best, literals->run.data, literals->run.used_bytes, literals->err);
	}
	bs_buffer_clear(&literals->run);
}

/* Letter case aside, k and s have third forms, U+212A and U+017F, and beyond ASCII nearly all have others of other
 * bytes. */
static void take_run(struct literals *literals, const struct bs_regex_node *node)
{
	const uint8_t *bytes = literals->regex->bytes.data + node->first;
	bool is_caseless = bs_regex_is(node->caseless, literals->is_caseless);
	literals->is_cut |= is_caseless;
	for (uint32_t i = 0; i < node->n && !literals->status; i++) {
		if (is_caseless && (bytes[i] >= 0x80 || (bytes[i] && strchr("kKsS", bytes[i]))))
			end_run(literals);
		else
			literals->status = bs_buffer_append(&literals->run, bytes + i, 1, literals->err);
	}
}

/* Of what stands in every match. */
static void take_node(struct literals *literals, const struct bs_regex_node *node)
{
	bool is_needed = node->kind == BS_REGEX_SEQUENCE || (node->kind == BS_REGEX_REPEAT && node->least > 0);
	if (node->kind == BS_REGEX_RUN) {
		take_run(literals, node);
		return;
	}
	for (uint32_t i = node->first; is_needed && i != BS_REGEX_NO_NODE; i = bs_regex_node(literals->regex, i)->next)
		take_node(literals, bs_regex_node(literals->regex, i));
	if (node->kind != BS_REGEX_SEQUENCE)
		end_run(literals);
	literals->is_cut = true;
}

enum bs_status bs_regex_literal(const struct bs_regex *regex, bool is_caseless, struct bs_buffer *literal,
                                bool *is_match_out, struct bs_error *err)
{
	struct literals literals = {.regex = regex, .is_caseless = is_caseless, .best = literal, .err = err};
	take_node(&literals, bs_regex_node(regex, regex->root));
	end_run(&literals);
	bs_buffer_deinit(&literals.run);
	*is_match_out = literal->used_bytes > 0 && !literals.is_cut && regex->n_captures == 0 && !regex->has_control;
	return literals.status;
}
