/*
 * words_ascii.c: words of pure ASCII text without ICU's iterator, at many times its speed. Not a second definition of a
 * word: which byte is a letter, a digit or a joint is asked of ICU when the analyzer is opened (ICU 72 made '@' a
 * letter and ':' no joint; other versions differ), and the tests compare both paths on all short strings.
 *
 * In ASCII the rules (UAX #29, ICU's root locale) come down to this. A segment that can be a word is
 *
 *     unit { unit | joint unit }        unit: letter, digit or _
 *
 * where a joint stands between two letters or two digits, as its class allows: ' and . between either, comma and
 * semicolon between digits only. Every other byte is no word by itself and a boundary on both sides (the spaces and
 * line ends that ICU keeps together are no words either), and a segment is a word unless it is a lone _.
 */
#include <string.h>

#include "core/text/words_internal.h"

/* Asks ICU for the first segment of units. */
static enum bs_status first_segment(struct bs_words *words, const UChar *units, int32_t n_units, int32_t *end_out,
                                    int32_t *rule_status_out, struct bs_error *err)
{
	UErrorCode code = U_ZERO_ERROR;
	bs_icu.ubrk_setText(words->breaks, units, n_units, &code);
	if (U_FAILURE(code))
		return bs_words_fail_icu(err, "asking for the class of a character", code);
	bs_icu.ubrk_first(words->breaks);
	*end_out = bs_icu.ubrk_next(words->breaks);
	*rule_status_out = bs_icu.ubrk_getRuleStatus(words->breaks);
	return BS_OK;
}

/* How ICU treats one character next to a letter and a digit. */
struct manners {
	int32_t rule_status; /* of the character alone */
	bool joins_letters;  /* a-c-a is one segment */
	bool joins_digits;   /* 1-c-1 is one segment */
	bool follows_letter; /* a-c is one segment */
	bool leads_letter;   /* c-a is one segment */
	bool follows_digit;
	bool leads_digit;
};

/* joined_out: before, c and after (0 for none) are one segment. */
static enum bs_status is_joined(struct bs_words *words, UChar before, UChar32 c, UChar after, bool *joined_out,
                                struct bs_error *err)
{
	UChar units[4];
	int32_t n_units = 0, end = 0, rule_status = 0;
	if (before)
		units[n_units++] = before;
	U16_APPEND_UNSAFE(units, n_units, c);
	if (after)
		units[n_units++] = after;
	enum bs_status status = first_segment(words, units, n_units, &end, &rule_status, err);
	*joined_out = end == n_units;
	return status;
}

static enum bs_status learn_manners(struct bs_words *words, UChar32 c, struct manners *manners_out,
                                    struct bs_error *err)
{
	UChar units[2];
	int32_t n_units = 0, end = 0;
	U16_APPEND_UNSAFE(units, n_units, c);
	enum bs_status status = first_segment(words, units, n_units, &end, &manners_out->rule_status, err);
	if (!status)
		status = is_joined(words, 'a', c, 'a', &manners_out->joins_letters, err);
	if (!status)
		status = is_joined(words, '1', c, '1', &manners_out->joins_digits, err);
	if (!status)
		status = is_joined(words, 'a', c, 0, &manners_out->follows_letter, err);
	if (!status)
		status = is_joined(words, 0, c, 'a', &manners_out->leads_letter, err);
	if (!status)
		status = is_joined(words, '1', c, 0, &manners_out->follows_digit, err);
	if (!status)
		status = is_joined(words, 0, c, '1', &manners_out->leads_digit, err);
	return status;
}

/* Whatever such a character is alone, ICU keeps it together with others and asks a dictionary about them. Before this
 * test, radicals (U+2F00, a symbol of Word_Break Other) counted as inert, and two of them, a word, were lost. */
static bool is_for_dictionaries(UChar32 c)
{
	switch (bs_icu.u_getIntPropertyValue(c, UCHAR_SCRIPT)) {
	case USCRIPT_HAN:
	case USCRIPT_HIRAGANA:
	case USCRIPT_KATAKANA:
		return true;
	default:
		return bs_icu.u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT;
	}
}

static bool is_inert(UChar32 c, const struct manners *manners)
{
	switch (bs_icu.u_getIntPropertyValue(c, UCHAR_WORD_BREAK)) {
	case U_WB_OTHER:
	case U_WB_WSEGSPACE:
	case U_WB_CR:
	case U_WB_LF:
	case U_WB_NEWLINE:
		break;
	default:
		return false;
	}
	return manners->rule_status < UBRK_WORD_NONE_LIMIT && !manners->joins_letters && !manners->joins_digits &&
	       !manners->follows_letter && !manners->leads_letter && !manners->follows_digit && !manners->leads_digit &&
	       !bs_icu.u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC) && !is_for_dictionaries(c);
}

enum bs_status bs_words_is_inert(struct bs_words *words, UChar32 c, bool *is_inert_out, struct bs_error *err)
{
	struct manners manners;
	enum bs_status status = learn_manners(words, c, &manners, err);
	*is_inert_out = !status && is_inert(c, &manners);
	return status;
}

static uint8_t ascii_class(UChar32 c, const struct manners *manners)
{
	unsigned class = 0;
	if (manners->follows_letter && manners->leads_letter) {
		if (manners->rule_status >= UBRK_WORD_LETTER)
			class = BS_ASCII_LETTER;
		else
			class = manners->rule_status >= UBRK_WORD_NUMBER ? BS_ASCII_DIGIT : BS_ASCII_EXTEND;
	} else {
		class |= manners->joins_letters ? BS_ASCII_MID_LETTER : 0;
		class |= manners->joins_digits ? BS_ASCII_MID_DIGIT : 0;
	}
	if (c == '.' || c == ':' || c == '@')
		class |= BS_ASCII_CUT;
	if (is_inert(c, manners))
		class |= BS_ASCII_CUT_AFTER;
	if ((class & (BS_ASCII_LETTER | BS_ASCII_DIGIT)) && bs_icu.u_isalnum(c))
		class |= BS_ASCII_CUT_BEFORE;
	return (uint8_t) class;
}

enum bs_status bs_words_learn_ascii(struct bs_words *words, struct bs_error *err)
{
	for (UChar32 c = 0; c < 0x80; c++) {
		struct manners manners;
		enum bs_status status = learn_manners(words, c, &manners, err);
		if (status)
			return status;
		words->ascii.of[c] = ascii_class(c, &manners);
	}
	bs_byte_classes_finish(&words->ascii);
	return BS_OK;
}

/* Letters as u_isalpha has them. '@' may be of the class of letters, and is none. */
static bool is_letter(uint8_t byte)
{
	return (uint8_t)((byte | 0x20) - 'a') < 26;
}

struct ascii_stretch {
	const uint8_t *text;
	size_t start;
	size_t end;
	bool alpha_before;
	bool alpha_after;
};

static bool is_cut(const struct ascii_stretch *stretch, size_t at)
{
	bool before = at > stretch->start ? is_letter(stretch->text[at - 1]) : stretch->alpha_before;
	bool after = at + 1 < stretch->end ? is_letter(stretch->text[at + 1]) : stretch->alpha_after;
	return before && after;
}

/* A segment with a cut character in it. */
static enum bs_status put_pieces(struct bs_analysis *analysis, const struct ascii_stretch *stretch, size_t start,
                                 size_t end)
{
	const uint8_t *text = stretch->text;
	size_t piece = start;
	for (size_t at = start; at <= end; at++) {
		bool is_piece_end =
			at == end || ((analysis->words->ascii.of[text[at]] & BS_ASCII_CUT) && is_cut(stretch, at));
		if (!is_piece_end)
			continue;
		enum bs_status status = BS_OK;
		if (at > piece)
			status = bs_words_put_ascii(analysis, text + piece, at - piece, piece);
		if (status)
			return status;
		piece = at + 1;
	}
	return BS_OK;
}

/* The end of the segment that starts with a unit at start; seen_out: the classes of its bytes, ORed. */
static size_t find_segment_end(const uint8_t *classes, const uint8_t *text, size_t start, size_t end,
                               unsigned *seen_out)
{
	unsigned last = classes[text[start]], seen = last;
	size_t at = start + 1;
	for (; at < end; at++) {
		unsigned class = classes[text[at]];
		if (!(class & BS_ASCII_WORD)) {
			unsigned next = at + 1 < end ? classes[text[at + 1]] : 0;
			if (!((class >> BS_ASCII_MID_SHIFT) & last & next & (BS_ASCII_LETTER | BS_ASCII_DIGIT)))
				break;
		}
		seen |= class;
		last = class;
	}
	*seen_out = seen;
	return at;
}

/* A segment too long for a window, or the rest of one: it starts at at, where a word does. Moves at to its end. */
static enum bs_status put_long(struct bs_analysis *analysis, const struct ascii_stretch *stretch, size_t *at)
{
	unsigned seen;
	size_t segment = *at;
	*at = find_segment_end(analysis->words->ascii.of, stretch->text, segment, stretch->end, &seen);
	return put_pieces(analysis, stretch, segment, *at);
}

/* What stands beside a line, each 0 or 1. */
struct neighbour {
	uint64_t is_letter;
	uint64_t is_digit;
	uint64_t is_unit;
	uint64_t is_alpha;
};

static struct neighbour neighbour_of(unsigned class)
{
	return (struct neighbour){
		.is_letter = class & BS_ASCII_LETTER,
		.is_digit = class / BS_ASCII_DIGIT & 1,
		.is_unit = (class & BS_ASCII_WORD) != 0,
		.is_alpha = class / BS_ASCII_CUT_BEFORE & class & 1,
	};
}

/* The index of a class in struct bs_line_classes. */
enum {
	LINE_LETTER = 0,
	LINE_DIGIT = 1,
	LINE_EXTEND = 2,
	LINE_MID_LETTER = 3,
	LINE_MID_DIGIT = 4,
	LINE_CUT = 5,
	LINE_CUT_BEFORE = 7,
};

/*
 * Which bytes of a line are of words: the rules above, 64 bytes at a time. last is the line's last byte that counts;
 * carry: the byte before the line is of a word.
 *
 *      text     it's 3.14 _ a.b
 *      units    ## # # ## # # #      letters, digits and _
 *      joints     #   #      #       where both neighbours are of the class that it joins
 *      cuts                  #       . : @ between letters (a joint, or a unit: ICU 72's @)
 *      words    #### ####   # #      units and joints without the cuts, and without a _ that stands alone
 */
static uint64_t word_bits(const struct bs_line_classes *line, struct neighbour before, struct neighbour after,
                          unsigned last, uint64_t carry)
{
	uint64_t letters = line->of[LINE_LETTER], digits = line->of[LINE_DIGIT];
	uint64_t alphas = letters & line->of[LINE_CUT_BEFORE];
	uint64_t units = letters | digits | line->of[LINE_EXTEND];
	uint64_t joints = (line->of[LINE_MID_LETTER] & (letters << 1 | before.is_letter) &
	                   (letters >> 1 | after.is_letter << last)) |
	                  (line->of[LINE_MID_DIGIT] & (digits << 1 | before.is_digit) &
	                   (digits >> 1 | after.is_digit << last));
	uint64_t cuts = line->of[LINE_CUT] & (alphas << 1 | before.is_alpha) & (alphas >> 1 | after.is_alpha << last);
	uint64_t words = (units | joints) & ~cuts;
	uint64_t lone = line->of[LINE_EXTEND] & ~(words << 1 | carry) & ~(units >> 1 | after.is_unit << last);
	return words & ~lone;
}

/* A part of a stretch. The byte before it is of no word. */
struct ascii_window {
	size_t start;
	size_t n_bytes;
	const uint8_t *folded;
	size_t n_edges;
	uint16_t edges[BS_WORDS_ASCII_WINDOW_BYTES + 2]; /* where words begin and end, by turns, counted from start */
};

static struct neighbour neighbour_at(const struct bs_words *words, const struct ascii_stretch *stretch, size_t at)
{
	return at < stretch->end ? neighbour_of(words->ascii.of[stretch->text[at]])
	                         : (struct neighbour){.is_alpha = stretch->alpha_after};
}

/* Finds the words of a window. A last one that reaches its end may go on behind it. */
static void find_edges(const struct bs_words *words, const struct ascii_stretch *stretch,
                       const struct bs_line_classes *lines, struct ascii_window *window)
{
	struct neighbour before = {.is_alpha = stretch->alpha_before};
	uint16_t *edge = window->edges;
	uint64_t carry = 0;
	if (window->start > stretch->start)
		before = neighbour_of(words->ascii.of[stretch->text[window->start - 1]]);
	for (size_t at = 0; at < window->n_bytes; at += 64) {
		size_t left = window->n_bytes - at;
		size_t next = left < 64 ? left : 64;
		struct neighbour after = neighbour_at(words, stretch, window->start + at + next);
		const struct bs_line_classes *line = &lines[at / 64];
		uint64_t of_words = word_bits(line, before, after, (unsigned)next - 1, carry);
		for (uint64_t found = of_words ^ (of_words << 1 | carry); found; found &= found - 1)
			*edge++ = (uint16_t)(at + (size_t)__builtin_ctzll(found));
		carry = of_words >> 63;
		before = (struct neighbour){
			.is_letter = line->of[LINE_LETTER] >> 63,
			.is_digit = line->of[LINE_DIGIT] >> 63,
			.is_alpha = (line->of[LINE_LETTER] & line->of[LINE_CUT_BEFORE]) >> 63,
		};
	}
	if (carry)
		*edge++ = (uint16_t)window->n_bytes;
	window->n_edges = (size_t)(edge - window->edges);
}

/* The words between edges as tokens whose terms lie in the arena already. */
static enum bs_status put_edges(struct bs_analysis *analysis, const struct ascii_window *window)
{
	struct bs_words *words = analysis->words;
	for (size_t i = 0; i < window->n_edges;) {
		size_t room = 2 * (BS_WORDS_BATCH_TOKENS - words->n_tokens);
		size_t end = window->n_edges - i < room ? window->n_edges : i + room;
		uint32_t position = (uint32_t)analysis->next_position;
		struct bs_token *token = words->tokens + words->n_tokens;
		analysis->next_position += (end - i) / 2;
		analysis->n_positions += (end - i) / 2;
		words->n_tokens += (end - i) / 2;
		for (; i < end; i += 2) {
			uint32_t from = window->edges[i], to = window->edges[i + 1];
			*token++ = (struct bs_token){
				.term = window->folded + from,
				.term_bytes = to - from,
				.position = position++,
				.start_byte = window->start + from,
				.end_byte = window->start + to,
			};
		}
		enum bs_status status = BS_OK;
		if (words->n_tokens == BS_WORDS_BATCH_TOKENS)
			status = bs_words_hand_on(analysis);
		if (status)
			return status;
	}
	return BS_OK;
}

/* The same with options, word by word. */
static enum bs_status put_edges_with_stem(struct bs_analysis *analysis, const struct ascii_window *window)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < window->n_edges && !status; i += 2) {
		size_t from = window->start + window->edges[i];
		status = bs_words_put_ascii(analysis, analysis->text + from,
		                            (size_t)window->edges[i + 1] - window->edges[i], from);
	}
	return status;
}

/* text[at..at + n_bytes) -> tokens; next_out is where the next window starts: behind it, or with its last word, which
 * may go on. At at itself if that is all there is in it. */
static enum bs_status put_window(struct bs_analysis *analysis, const struct ascii_stretch *stretch, size_t at,
                                 size_t n_bytes, size_t *next_out)
{
	struct bs_words *words = analysis->words;
	struct bs_line_classes lines[BS_WORDS_ASCII_WINDOW_BYTES / 64];
	struct ascii_window window;
	size_t n_lines = (n_bytes + 63) / 64;
	enum bs_status status = bs_words_make_room(analysis, 1, n_lines * 64);
	if (status)
		return status;
	uint8_t *folded = words->arena.data + words->arena.used_bytes;
	memcpy(folded, analysis->text + at, n_bytes);
	memset(folded + n_bytes, 0, n_lines * 64 - n_bytes);
	words->kernel->classify(&words->ascii, folded, n_lines, lines);
	window.start = at;
	window.n_bytes = n_bytes;
	window.folded = folded;
	find_edges(words, stretch, lines, &window);
	*next_out = at + n_bytes;
	if (*next_out < stretch->end && window.n_edges && window.edges[window.n_edges - 1] == n_bytes) {
		window.n_edges -= 2;
		*next_out = at + window.edges[window.n_edges];
	}
	if (window.n_edges == 0)
		return BS_OK;
	if (words->stemmer)
		return put_edges_with_stem(analysis, &window);
	words->arena.used_bytes += n_bytes;
	analysis->last_of_script_run = 0;
	analysis->after_script_run = false;
	return put_edges(analysis, &window);
}

enum bs_status bs_words_analyze_ascii(struct bs_analysis *analysis, size_t start, size_t end, bool alpha_before,
                                      bool alpha_after)
{
	struct ascii_stretch stretch = {analysis->text, start, end, alpha_before, alpha_after};
	size_t most_bytes = analysis->words->window_bytes;
	if (most_bytes > BS_WORDS_ASCII_WINDOW_BYTES)
		most_bytes = BS_WORDS_ASCII_WINDOW_BYTES;
	enum bs_status status = BS_OK;
	for (size_t at = start, next; at < end && !status; at = next) {
		status = put_window(analysis, &stretch, at, end - at < most_bytes ? end - at : most_bytes, &next);
		if (!status && next == at)
			status = put_long(analysis, &stretch, &next);
	}
	return status;
}
