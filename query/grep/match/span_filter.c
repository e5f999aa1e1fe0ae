/* span_filter.c: see span_filter.h. */
#include "query/grep/match/span_filter.h"

#include "query/grep/match/sequence_search.h"

/* A sequence that is expected at more than this share of the places is not used, because it would
 * skip too little text. */
#define MOST_RATE (1.0 / 1000)

void bs_span_filter_init(struct bs_class_sequence *sequence, const struct bs_regex *regex,
                         const struct bs_byte_superset_options *options)
{
	double rate;
	bool is_exact;
	bs_regex_class_sequence(regex, options, true, sequence, &rate, &is_exact);
	if (rate > MOST_RATE)
		sequence->n_runs = 0;
}

static size_t take_first(void *context, size_t place)
{
	size_t *place_out = context;
	*place_out = place;
	return SIZE_MAX;
}

size_t bs_span_filter_start(const struct bs_class_sequence *sequence,
                            const struct bs_kernel *kernel, const uint8_t *text, size_t from,
                            size_t end)
{
	size_t at = SIZE_MAX;
	struct bs_place_taker to = {take_first, &at};
	bs_class_sequence_find(sequence, kernel, text, from, end, &to);
	if (at == SIZE_MAX || sequence->before_bytes >= at - from)
		return at == SIZE_MAX ? at : from;
	at -= sequence->before_bytes;
	while (at > from && (text[at] & 0xc0) == 0x80)
		at--;
	return at;
}
