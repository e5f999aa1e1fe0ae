/*
 * byte_verifier_near.c: one place of a text where a word was found by its bytes. See byte_verifier_internal.h.
 *
 * Most places are decided by the bytes beside the word. A word that begins and ends with a letter or digit, and is one
 * word for the analyzer when it stands alone, is one where an inert byte or nothing stands on either side, or a byte that
 * joins words (' . : and the like) with such a one behind it; and it is none where a letter, a digit or _ stands there.
 * All else is analysed, from the last safe cut before to the next one after.
 */
#include <string.h>

#include "corpus/read/record_scan.h"
#include "query/search/byte_verifier_internal.h"

/* A piece of text without a safe cut that is longer than this on one side is not worth it. */
#define MAX_REACH_BYTES ((size_t)4096)

/* ---- at a glance ---- */

/* An odd number of backslashes before text[at]: it is the second byte of an escape. */
static bool is_escaped(const uint8_t *text, size_t at)
{
	size_t n = 0;
	while (n < at && text[at - n - 1] == '\\')
		n++;
	return n % 2 == 1;
}

/* In JSON, whether text[..at), whose end is that of a character, ends with an escape; n_out: of how many bytes. One of \uXXXX
 * may be taken for such if it is text after a backslash of its own. A backslash that ends a character ends an escape: a run of
 * them is not counted again at each step through it. */
static bool ends_with_escape(const uint8_t *text, size_t at, size_t *n_out)
{
	*n_out = 6;
	if (at >= 6 && text[at - 6] == '\\' && text[at - 5] == 'u')
		return true;
	*n_out = 2;
	return at >= 2 && text[at - 2] == '\\' && (text[at - 1] == '\\' || is_escaped(text, at - 1));
}

/* What the escape with this byte after its backslash is to the words around it; BS_BYTE_HIGH: it takes more to know. */
static enum bs_byte_kind kind_of_escape(const struct bs_byte_verifier *byte_verifier, uint8_t byte)
{
	switch (byte) {
	case 'n':
		return (enum bs_byte_kind)byte_verifier->kinds['\n'];
	case 't':
		return (enum bs_byte_kind)byte_verifier->kinds['\t'];
	case 'r':
		return (enum bs_byte_kind)byte_verifier->kinds['\r'];
	case 'b':
		return (enum bs_byte_kind)byte_verifier->kinds['\b'];
	case 'f':
		return (enum bs_byte_kind)byte_verifier->kinds['\f'];
	case '"':
	case '\\':
	case '/':
		return (enum bs_byte_kind)byte_verifier->kinds[byte];
	default:
		return BS_BYTE_HIGH;
	}
}

/* What the first character of text[at..) is. at < n_bytes; n_out: how many bytes it has there. */
static enum bs_byte_kind kind_at(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t at, size_t *n_out)
{
	*n_out = 1;
	if (!text->is_json || text->bytes[at] != '\\')
		return (enum bs_byte_kind)byte_verifier->kinds[text->bytes[at]];
	*n_out = 2;
	return at + 1 < text->n_bytes ? kind_of_escape(byte_verifier, text->bytes[at + 1]) : BS_BYTE_HIGH;
}

/* What the last character of text[..at) is. at > 0. */
static enum bs_byte_kind kind_before(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t at,
                                     size_t *n_out)
{
	*n_out = 1;
	if (!text->is_json || !ends_with_escape(text->bytes, at, n_out)) {
		*n_out = 1;
		return (enum bs_byte_kind)byte_verifier->kinds[text->bytes[at - 1]];
	}
	return *n_out == 2 ? kind_of_escape(byte_verifier, text->bytes[at - 1]) : BS_BYTE_HIGH;
}

/* NO: something is joined to the word that ends there. YES: nothing is. */
static enum bs_byte_verdict glance_after(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t end)
{
	enum bs_byte_verdict at_edge = text->goes_on_after ? BS_VERDICT_UNKNOWN : BS_VERDICT_YES;
	size_t n = 0, ignored;
	if (end == text->n_bytes)
		return at_edge;
	switch (kind_at(byte_verifier, text, end, &n)) {
	case BS_BYTE_LETTER:
		return BS_VERDICT_NO;
	case BS_BYTE_JOINER:
		return text->bytes[end] == '_' ? BS_VERDICT_NO : BS_VERDICT_UNKNOWN;
	case BS_BYTE_INERT:
		return BS_VERDICT_YES;
	case BS_BYTE_MID:
		if (end + n == text->n_bytes)
			return at_edge;
		return kind_at(byte_verifier, text, end + n, &ignored) == BS_BYTE_INERT ? BS_VERDICT_YES : BS_VERDICT_UNKNOWN;
	case BS_BYTE_HIGH:
		break;
	}
	return BS_VERDICT_UNKNOWN;
}

static enum bs_byte_verdict glance_before(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t start)
{
	enum bs_byte_verdict at_edge = text->goes_on_before ? BS_VERDICT_UNKNOWN : BS_VERDICT_YES;
	size_t n = 0, ignored;
	if (start == 0)
		return at_edge;
	/* Its first letter is not what it looks like. */
	if (text->is_json && text->bytes[start - 1] == '\\' && is_escaped(text->bytes, start))
		return BS_VERDICT_NO;
	switch (kind_before(byte_verifier, text, start, &n)) {
	case BS_BYTE_LETTER:
		return BS_VERDICT_NO;
	case BS_BYTE_JOINER:
		return text->bytes[start - 1] == '_' ? BS_VERDICT_NO : BS_VERDICT_UNKNOWN;
	case BS_BYTE_INERT:
		return BS_VERDICT_YES;
	case BS_BYTE_MID:
		if (start == n)
			return at_edge;
		return kind_before(byte_verifier, text, start - n, &ignored) == BS_BYTE_INERT ? BS_VERDICT_YES : BS_VERDICT_UNKNOWN;
	case BS_BYTE_HIGH:
		break;
	}
	return BS_VERDICT_UNKNOWN;
}

/*
 * A word that begins there begins with the prefix if the prefix is of bytes that stay together, and what follows is
 * ASCII, so that it composes with nothing.
 */
static enum bs_byte_verdict glance_prefix(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text,
                                    const struct bs_byte_verifier_element *element, size_t at)
{
	size_t end = at + element->needle.n_bytes, ignored;
	enum bs_byte_verdict before = glance_before(byte_verifier, text, at);
	if (before != BS_VERDICT_YES)
		return before;
	bool is_plain_after = end == text->n_bytes ? !text->goes_on_after
	                                           : kind_at(byte_verifier, text, end, &ignored) != BS_BYTE_HIGH;
	return is_plain_after ? BS_VERDICT_YES : BS_VERDICT_UNKNOWN;
}

enum bs_byte_verdict bs_byte_verifier_may_match(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, uint32_t e, size_t at)
{
	const struct bs_byte_verifier_element *element = &byte_verifier->elements[e];
	if (!element->is_plain)
		return BS_VERDICT_UNKNOWN;
	if (!element->is_term)
		return glance_prefix(byte_verifier, text, element, at);
	enum bs_byte_verdict after = glance_after(byte_verifier, text, at + element->needle.n_bytes);
	if (after == BS_VERDICT_NO)
		return BS_VERDICT_NO;
	enum bs_byte_verdict before = glance_before(byte_verifier, text, at);
	if (before == BS_VERDICT_NO)
		return BS_VERDICT_NO;
	return before == BS_VERDICT_YES && after == BS_VERDICT_YES ? BS_VERDICT_YES : BS_VERDICT_UNKNOWN;
}

/* ---- the neighbours of a word in a phrase ---- */

static bool equals_folded(const uint8_t *text, const struct bs_needle *needle)
{
	for (size_t i = 0; i < needle->n_bytes; i++)
		if (bs_needle_fold(text[i]) != needle->bytes[i])
			return false;
	return true;
}

/*
 * The word after one that ends at `end` begins with the first letter or digit from there on, if nothing else that may
 * begin a word comes before it. (If what ends there is no word, it does not matter what is said.)
 */
static bool next_may_be(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t end,
                        const struct bs_needle *needle)
{
	for (size_t at = end; at < text->n_bytes; at++) {
		uint8_t byte = text->bytes[at];
		uint8_t kind = byte_verifier->kinds[byte];
		if (kind == BS_BYTE_LETTER)
			return needle->n_bytes <= text->n_bytes - at && equals_folded(text->bytes + at, needle);
		if (kind == BS_BYTE_HIGH || kind == BS_BYTE_JOINER)
			return true;
		if (!text->is_json)
			continue;
		if (byte == '"')
			return false;
		if (byte != '\\')
			continue;
		at++;
		if (at < text->n_bytes && text->bytes[at] == 'u')
			return true;
	}
	return false;
}

/* The same for the word before one that starts at `start`, which ends with the last letter or digit before. */
static bool last_may_be(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t start,
                        const struct bs_needle *needle)
{
	for (size_t at = start; at > 0; at--) {
		uint8_t byte = text->bytes[at - 1];
		uint8_t kind = byte_verifier->kinds[byte];
		size_t n_escape;
		if (text->is_json && ends_with_escape(text->bytes, at, &n_escape)) {
			if (n_escape == 6 || text->bytes[at - 1] == 'u')
				return true;
			at--;
			continue;
		}
		if (kind == BS_BYTE_LETTER)
			return needle->n_bytes <= at && equals_folded(text->bytes + at - needle->n_bytes, needle);
		if (kind == BS_BYTE_HIGH || kind == BS_BYTE_JOINER)
			return true;
		if (text->is_json && byte == '"')
			return false;
	}
	return false;
}

/* The element that must stand directly before or after item i, by `step` of -1 or 1; NULL: none that is known. */
static const struct bs_byte_verifier_element *neighbour(const struct bs_byte_verifier *byte_verifier, const struct bs_query_node *phrase,
                                               uint32_t i, int step)
{
	if (step < 0 ? i == 0 : i + 1 == phrase->n_items)
		return NULL;
	const struct bs_query_item *item = &phrase->items[i];
	const struct bs_query_item *other = item + step;
	bool is_adjacent = step < 0 ? other->position + 1 == item->position : item->position + 1 == other->position;
	const struct bs_byte_verifier_element *element = &byte_verifier->elements[other->element];
	return is_adjacent && element->is_term ? element : NULL;
}

bool bs_byte_verifier_phrase_may_be(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text,
                           const struct bs_query_node *phrase, uint32_t i, size_t at)
{
	const struct bs_byte_verifier_element *before = neighbour(byte_verifier, phrase, i, -1);
	const struct bs_byte_verifier_element *after = neighbour(byte_verifier, phrase, i, 1);
	uint32_t e = phrase->items[i].element;
	if (bs_byte_verifier_may_match(byte_verifier, text, e, at) == BS_VERDICT_NO)
		return false;
	if (after && !next_may_be(byte_verifier, text, at + byte_verifier->elements[e].needle.n_bytes, &after->needle))
		return false;
	return !before || last_may_be(byte_verifier, text, at, &before->needle);
}

/* ---- analysing what stands around ---- */

/* Gives text[from..to) to fn, unless the document has had its share. False: it was not. */
static bool analyze(struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t from, size_t to, bs_token_fn fn,
                    void *context)
{
	if (byte_verifier->status || to - from > byte_verifier->left_bytes)
		return false;
	byte_verifier->left_bytes -= to - from;
	byte_verifier->status = bs_words_analyze(byte_verifier->words, text->bytes + from, to - from, 0, fn, context, NULL, byte_verifier->err);
	return !byte_verifier->status;
}

static bool is_term(const struct bs_token *token, const struct bs_needle *needle)
{
	return token->term_bytes == needle->n_bytes && memcmp(token->term, needle->bytes, needle->n_bytes) == 0;
}

struct word_probe {
	const struct bs_needle *needle;
	uint64_t start_byte;
	bool is_found;
};

static enum bs_status probe_word(void *context, const struct bs_token *tokens, size_t n_tokens, struct bs_error *err)
{
	struct word_probe *probe = context;
	(void)err;
	for (size_t i = 0; i < n_tokens; i++)
		probe->is_found |= !tokens[i].is_bigram && tokens[i].start_byte == probe->start_byte &&
		                   is_term(&tokens[i], probe->needle);
	return BS_OK;
}

static size_t low_of(size_t at)
{
	return at > MAX_REACH_BYTES ? at - MAX_REACH_BYTES : 0;
}

static size_t high_of(const struct bs_byte_verifier_text *text, size_t at)
{
	return text->n_bytes - at > MAX_REACH_BYTES ? at + MAX_REACH_BYTES : text->n_bytes;
}

/*
 * JSON around text[*at..*end) made into text: *text and the two places are then of byte verifier->piece. Cut where the bytes are
 * as many as fit, never inside an escape of two; half a \u at the beginning looks like letters and digits, which changes
 * nothing after the next safe cut. False: it has something that takes more to read, or too long a word.
 */
static bool make_piece(struct bs_byte_verifier *byte_verifier, struct bs_byte_verifier_text *text, size_t *at, size_t *end)
{
	const uint8_t *bytes = text->bytes;
	size_t word_bytes = *end - *at, before, after;
	if (word_bytes > BS_BYTE_VERIFIER_PIECE_BYTES || (*at > 0 && bytes[*at - 1] == '\\' && is_escaped(bytes, *at)))
		return false;
	size_t from = *at > BS_BYTE_VERIFIER_PIECE_BYTES ? *at - BS_BYTE_VERIFIER_PIECE_BYTES : 0;
	size_t to = text->n_bytes - *end > BS_BYTE_VERIFIER_PIECE_BYTES ? *end + BS_BYTE_VERIFIER_PIECE_BYTES : text->n_bytes;
	from -= from > 0 && is_escaped(bytes, from);
	to += to < text->n_bytes && is_escaped(bytes, to);
	if (!bs_record_unescape(bytes + from, *at - from, byte_verifier->piece, &before))
		return false;
	memcpy(byte_verifier->piece + before, bytes + *at, word_bytes);
	if (!bs_record_unescape(bytes + *end, to - *end, byte_verifier->piece + before + word_bytes, &after))
		return false;
	*text = (struct bs_byte_verifier_text){
		.bytes = byte_verifier->piece,
		.n_bytes = before + word_bytes + after,
		.goes_on_before = from > 0,
		.goes_on_after = to < text->n_bytes,
	};
	*at = before;
	*end = before + word_bytes;
	return true;
}

/* text[from..to) was to lie between two safe cuts; it does not if the text goes on where it ends. */
static bool is_edge(const struct bs_byte_verifier_text *text, size_t from, size_t to)
{
	return (from == 0 && text->goes_on_before) || (to == text->n_bytes && text->goes_on_after);
}

enum bs_byte_verdict bs_byte_verifier_is_word(struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *whole, uint32_t e, size_t at)
{
	struct word_probe probe = {.needle = &byte_verifier->elements[e].needle};
	struct bs_byte_verifier_text piece = *whole;
	const struct bs_byte_verifier_text *text = &piece;
	size_t end = at + probe.needle->n_bytes, from, to;
	enum bs_byte_verdict glance = bs_byte_verifier_may_match(byte_verifier, text, e, at);
	if (glance != BS_VERDICT_UNKNOWN || !byte_verifier->elements[e].is_term)
		return glance;
	if (text->is_json && !make_piece(byte_verifier, &piece, &at, &end))
		return BS_VERDICT_UNKNOWN;
	if (!bs_words_cut_before(byte_verifier->words, text->bytes, text->n_bytes, low_of(at), at, &from) ||
	    !bs_words_cut_after(byte_verifier->words, text->bytes, text->n_bytes, end, high_of(text, end), &to) ||
	    is_edge(text, from, to))
		return BS_VERDICT_UNKNOWN;
	probe.start_byte = at - from;
	if (!analyze(byte_verifier, text, from, to, probe_word, &probe))
		return BS_VERDICT_UNKNOWN;
	return probe.is_found ? BS_VERDICT_YES : BS_VERDICT_NO;
}

/* The tokens of a piece of text that are words of the phrase. */
#define MAX_SEEN 128

struct phrase_probe {
	const struct bs_byte_verifier *byte_verifier;
	const struct bs_query_node *phrase;
	uint32_t item;       /* the one that was found */
	uint64_t start_byte; /* where */
	bool is_found;
	uint32_t position; /* of that token */
	uint32_t last;     /* of the last token */
	size_t n_seen;     /* MAX_SEEN: perhaps not all */
	struct {
		uint32_t position;
		uint32_t items; /* bit i: it is item i's */
	} seen[MAX_SEEN];
};

static enum bs_status probe_phrase(void *context, const struct bs_token *tokens, size_t n_tokens, struct bs_error *err)
{
	struct phrase_probe *probe = context;
	(void)err;
	for (size_t t = 0; t < n_tokens; t++) {
		uint32_t items = 0;
		if (tokens[t].is_bigram)
			continue;
		probe->last = tokens[t].position;
		for (uint32_t i = 0; i < probe->phrase->n_items; i++)
			if (is_term(&tokens[t], &probe->byte_verifier->elements[probe->phrase->items[i].element].needle))
				items |= UINT32_C(1) << i;
		if (!items || probe->n_seen == MAX_SEEN)
			continue;
		probe->seen[probe->n_seen].position = tokens[t].position;
		probe->seen[probe->n_seen++].items = items;
		if (tokens[t].start_byte == probe->start_byte && (items >> probe->item & 1)) {
			probe->is_found = true;
			probe->position = tokens[t].position;
		}
	}
	return BS_OK;
}

static bool has_item(const struct phrase_probe *probe, uint32_t i)
{
	const struct bs_query_item *items = probe->phrase->items;
	uint64_t wanted = (uint64_t)probe->position + items[i].position;
	for (size_t k = 0; k < probe->n_seen; k++)
		if (probe->seen[k].position + (uint64_t)items[probe->item].position == wanted &&
		    (probe->seen[k].items >> i & 1))
			return true;
	return false;
}

static bool has_all(const struct phrase_probe *probe)
{
	for (uint32_t i = 0; i < probe->phrase->n_items; i++)
		if (!has_item(probe, i))
			return false;
	return true;
}

/* Moves *cut back, or forth, over n_words + 1 safe cuts: nearly always that many words. False: they are too far. */
static bool step_back(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t *cut, uint32_t n_words)
{
	size_t low = low_of(*cut);
	for (uint32_t i = 0; i <= n_words && *cut > 0; i++)
		if (!bs_words_cut_before(byte_verifier->words, text->bytes, text->n_bytes, low, i ? *cut - 1 : *cut, cut))
			return false;
	return true;
}

static bool step_forth(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t *cut, uint32_t n_words)
{
	size_t high = high_of(text, *cut);
	for (uint32_t i = 0; i <= n_words && *cut < text->n_bytes; i++)
		if (*cut + (i > 0) > high ||
		    !bs_words_cut_after(byte_verifier->words, text->bytes, text->n_bytes, *cut + (i > 0), high, cut))
			return false;
	return true;
}

enum bs_byte_verdict bs_byte_verifier_is_phrase(struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *whole,
                                 const struct bs_query_node *phrase, uint32_t i, size_t at)
{
	struct bs_byte_verifier_text piece = *whole;
	const struct bs_byte_verifier_text *text = &piece;
	size_t end = at + byte_verifier->elements[phrase->items[i].element].needle.n_bytes;
	if (text->is_json && !make_piece(byte_verifier, &piece, &at, &end))
		return BS_VERDICT_UNKNOWN;
	uint32_t n_before = phrase->items[i].position - phrase->items[0].position;
	uint32_t n_after = phrase->items[phrase->n_items - 1].position - phrase->items[i].position;
	size_t from = at, to = end;
	if (!step_back(byte_verifier, text, &from, n_before) || !step_forth(byte_verifier, text, &to, n_after))
		return BS_VERDICT_UNKNOWN;
	for (;;) {
		struct phrase_probe probe;
		if (is_edge(text, from, to))
			return BS_VERDICT_UNKNOWN;
		probe.byte_verifier = byte_verifier;
		probe.phrase = phrase;
		probe.item = i;
		probe.start_byte = at - from;
		probe.is_found = false;
		probe.position = probe.last = 0;
		probe.n_seen = 0;
		if (!analyze(byte_verifier, text, from, to, probe_phrase, &probe) || probe.n_seen == MAX_SEEN)
			return BS_VERDICT_UNKNOWN;
		if (!probe.is_found)
			return BS_VERDICT_NO;
		if (has_all(&probe))
			return BS_VERDICT_YES;
		bool lacks_before = from > 0 && probe.position < n_before;
		bool lacks_after = to < text->n_bytes && probe.last - probe.position < n_after;
		if (!lacks_before && !lacks_after)
			return BS_VERDICT_NO;
		if (lacks_before && !step_back(byte_verifier, text, &from, 2 * n_before + 1))
			return BS_VERDICT_UNKNOWN;
		if (lacks_after && !step_forth(byte_verifier, text, &to, 2 * n_after + 1))
			return BS_VERDICT_UNKNOWN;
	}
}
