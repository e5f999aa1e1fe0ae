/*
 * words_ascii.c: words of pure ASCII text without ICU's iterator, at many times its speed. Not a second definition of
 * a word: which byte is a letter, a digit or a joint is asked of ICU when the analyzer is opened (ICU 72 made '@' a
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
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "core/words_internal.h"

/* Asks ICU for the first segment of units. */
static enum bs_status first_segment(struct bs_words *words, const UChar *units, int32_t n_units, int32_t *end_out,
                                    int32_t *rule_status_out, struct bs_error *err)
{
	UErrorCode code = U_ZERO_ERROR;
	ubrk_setText(words->breaks, units, n_units, &code);
	if (U_FAILURE(code))
		return bs_words_fail_icu(err, "asking for the class of a character", code);
	ubrk_first(words->breaks);
	*end_out = ubrk_next(words->breaks);
	*rule_status_out = ubrk_getRuleStatus(words->breaks);
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
	switch (u_getIntPropertyValue(c, UCHAR_SCRIPT)) {
	case USCRIPT_HAN:
	case USCRIPT_HIRAGANA:
	case USCRIPT_KATAKANA:
		return true;
	default:
		return u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT;
	}
}

static bool is_inert(UChar32 c, const struct manners *manners)
{
	switch (u_getIntPropertyValue(c, UCHAR_WORD_BREAK)) {
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
	       !u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC) && !is_for_dictionaries(c);
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
	if ((class & (BS_ASCII_LETTER | BS_ASCII_DIGIT)) && u_isalnum(c))
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
		words->ascii_classes[c] = ascii_class(c, &manners);
	}
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
			at == end || ((analysis->words->ascii_classes[text[at]] & BS_ASCII_CUT) && is_cut(stretch, at));
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

enum bs_status bs_words_analyze_ascii(struct bs_analysis *analysis, size_t start, size_t end, bool alpha_before,
                                      bool alpha_after)
{
	const uint8_t *classes = analysis->words->ascii_classes, *text = analysis->text;
	struct ascii_stretch stretch = {text, start, end, alpha_before, alpha_after};
	enum bs_status status = BS_OK;
	for (size_t at = start; at < end && !status;) {
		if (!(classes[text[at]] & BS_ASCII_WORD)) {
			at++;
			continue;
		}
		size_t segment = at;
		unsigned seen;
		at = find_segment_end(classes, text, segment, end, &seen);
		if (at - segment == 1 && !(seen & (BS_ASCII_LETTER | BS_ASCII_DIGIT)))
			continue; /* a lone _ */
		if (seen & BS_ASCII_CUT)
			status = put_pieces(analysis, &stretch, segment, at);
		else
			status = bs_words_put_ascii(analysis, text + segment, at - segment, segment);
	}
	return status;
}
