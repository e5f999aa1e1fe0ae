/* sequence_search.c: see sequence_search.h. */
#include "query/grep/match/sequence_search.h"

#include <string.h>

/* The number of 64-bit words, which represent 64 bytes of text each, that are searched at a time.
 * It is small at first, because the sequence may occur early, and doubles up to MOST_WORDS. */
#define FIRST_WORDS ((size_t)4)
#define MOST_WORDS  ((size_t)16)
#define GAP         BS_SEQUENCE_MOST_CLASSES /* the index of sequence.gap */

/* A part of the text, from text[from] on. words[i]: one bit per byte of the text, set if the byte
 * is in class i; computed when the class is first needed. There is one word more than n_words,
 * because a sequence may begin in one word and end in the next. */
struct part {
	const struct bs_class_sequence *sequence;
	const struct bs_kernel *kernel;
	const uint8_t *text;
	size_t from, end, n_words;
	uint64_t words[BS_SEQUENCE_MOST_CLASSES + 1][MOST_WORDS + 1];
	/* runs[i]: the places where run i begins, if it has more than one byte */
	uint64_t runs[BS_SEQUENCE_MOST_RUNS][MOST_WORDS + 2];
	bool has[BS_SEQUENCE_MOST_CLASSES + 1];
};

static const struct bs_byte_class *class_at(const struct part *part, size_t i)
{
	return i == GAP ? &part->sequence->gap : &part->sequence->classes[i];
}

static uint64_t low_bits(size_t n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* The words of a class. Bytes after the end of the text are in the gap and in no other class. */
static const uint64_t *words_of(struct part *part, size_t class)
{
	uint64_t *words = part->words[class];
	if (part->has[class])
		return words;
	size_t n_bytes = part->end - part->from, n = part->n_words + 1;
	size_t n_whole = n_bytes / 64 < n ? n_bytes / 64 : n;
	const uint8_t *text = part->text + part->from;
	part->has[class] = true;
	part->kernel->text.find_class(class_at(part, class), text, n_whole, words);
	for (size_t w = n_whole; w < n; w++) {
		size_t n_left = w == n_whole ? n_bytes % 64 : 0;
		uint8_t last[64] = {0};
		if (n_left > 0)
			memcpy(last, text + 64 * w, n_left);
		part->kernel->text.find_class(class_at(part, class), last, 1, &words[w]);
		words[w] &= low_bits(n_left);
		words[w] |= class == GAP ? ~low_bits(n_left) : 0;
	}
	return words;
}

/* Returns the words whose bits are set where run i begins, that is, where its n_bytes bytes of its
 * class follow each other. */
static const uint64_t *words_of_run(struct part *part, size_t i)
{
	const struct bs_class_run *runs = part->sequence->runs, *run = &runs[i];
	const uint64_t *words = words_of(part, run->class);
	if (run->n_bytes == 1)
		return words;
	for (size_t k = 0; k < i; k++)
		if (runs[k].class == run->class && runs[k].n_bytes == run->n_bytes)
			return part->runs[k];
	/* No word follows the last word, so runs that extend beyond it are not found. They are not
	 * needed, because each sequence ends at or before the last bit of that word. */
	uint64_t *places = part->runs[i];
	memcpy(places, words, (part->n_words + 1) * sizeof(*places));
	places[part->n_words + 1] = 0;
	for (uint32_t n = 1; n < run->n_bytes;) {
		uint32_t step = n < run->n_bytes - n ? n : run->n_bytes - n;
		part->kernel->text.and_shifted(places, places, part->n_words + 1, step);
		n += step;
	}
	return places;
}

/* The bits of word w that directly follow a byte of the gap. Before the first bit of the part, the
 * start of a line counts as a gap; elsewhere the byte before the part decides. */
static uint64_t after_gap(const struct part *part, const uint64_t *gap, size_t w,
                          bool is_line_start)
{
	uint64_t before = w > 0           ? gap[w - 1] >> 63
	                  : is_line_start ? 1
	                                  : part->sequence->gap.has[part->text[part->from - 1]];
	return gap[w] << 1 | before;
}

/* Clears the places that the gaps do not allow. */
static void keep_gaps(struct part *part, bool is_line_start, uint64_t *places)
{
	const struct bs_class_sequence *sequence = part->sequence;
	if (!sequence->has_gap_before && !sequence->has_gap_after)
		return;
	const uint64_t *gap = words_of(part, GAP);
	for (size_t w = 0; w < part->n_words && sequence->has_gap_before; w++)
		places[w] &= after_gap(part, gap, w, is_line_start);
	if (sequence->has_gap_after)
		part->kernel->text.and_shifted(places, gap, part->n_words, sequence->n_bytes);
}

static bool has_places(const struct part *part, const uint64_t *places)
{
	uint64_t any = 0;
	for (size_t w = 0; w < part->n_words; w++)
		any |= places[w];
	return any != 0;
}

/* Finds the places of the sequence in the words of the part. False: it does not occur. */
static bool find_places(struct part *part, bool is_line_start, uint64_t *places)
{
	const struct bs_class_sequence *sequence = part->sequence;
	memset(places, 0xff, part->n_words * sizeof(*places));
	for (uint32_t i = 0; i < sequence->n_runs; i++) {
		part->kernel->text.and_shifted(places, words_of_run(part, i), part->n_words,
		                               sequence->runs[i].offset);
		if (!has_places(part, places))
			return false;
	}
	keep_gaps(part, is_line_start, places);
	return has_places(part, places);
}

/* Passes the places of the part to the taker. Returns where the search goes on; SIZE_MAX:
 * nowhere. */
static size_t take_places(const struct part *part, uint64_t *places,
                          const struct bs_place_taker *to)
{
	size_t next = part->from;
	for (size_t w = 0; w < part->n_words; w++) {
		size_t at = part->from + 64 * w;
		while (next < at + 64) {
			places[w] &= ~low_bits(next > at ? next - at : 0);
			if (!places[w])
				break;
			next = to->take(to->context, at + (size_t)__builtin_ctzll(places[w]));
		}
	}
	return next;
}

/* The place of the first run of `least` bytes, more than 64, whose last needed byte is in the part;
 * the run may begin before the part. Returns part->end if no run ends in the part. *n_open: the
 * number of bytes of the class directly before the part; set to their number before its end. */
static size_t find_long_run(struct part *part, size_t least, size_t *n_open)
{
	const uint64_t *words = words_of(part, 0);
	for (size_t w = 0; w < part->n_words; w++) {
		size_t n_first = ~words[w] ? (size_t)__builtin_ctzll(~words[w]) : 64;
		if (*n_open + n_first >= least)
			return part->from + 64 * w - *n_open;
		*n_open = n_first == 64 ? *n_open + 64 : (size_t)__builtin_clzll(~words[w]);
	}
	return part->end;
}

/* Like take_places, for a sequence that is a long run. */
static size_t take_long_run(struct part *part, size_t *n_open, const struct bs_place_taker *to)
{
	size_t place = find_long_run(part, part->sequence->n_bytes, n_open);
	if (place == part->end)
		return part->from + 64 * part->n_words;
	*n_open = 0;
	return to->take(to->context, place);
}

void bs_class_sequence_find(const struct bs_class_sequence *sequence,
                            const struct bs_kernel *kernel, const uint8_t *text, size_t from,
                            size_t end, const struct bs_place_taker *to)
{
	struct part part;
	uint64_t places[MOST_WORDS];
	size_t n_words = FIRST_WORDS, at = from, n_open = 0;
	part.sequence = sequence;
	part.kernel = kernel;
	part.text = text;
	part.end = end;
	while (at < end) {
		size_t n_left = (end - at + 63) / 64, next = 0;
		part.from = at;
		part.n_words = n_words < n_left ? n_words : n_left;
		memset(part.has, 0, sizeof(part.has));
		if (sequence->n_bytes > BS_SEQUENCE_MOST_BYTES) {
			at = take_long_run(&part, &n_open, to);
		} else {
			if (find_places(&part, at == from, places))
				next = take_places(&part, places, to);
			at += 64 * part.n_words;
			at = next > at ? next : at;
		}
		n_words = n_words < MOST_WORDS ? 2 * n_words : n_words;
	}
}
