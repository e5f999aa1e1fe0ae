/* tokenizer_parts.c: see tokenizer_parts.h. */
#include "core/text/tokenizer_parts.h"

#include "core/system/icu.h"

enum bs_part_kind bs_part_kind_of(int32_t c)
{
	switch (bs_icu.u_charType(c)) {
	case U_UPPERCASE_LETTER:
	case U_TITLECASE_LETTER:
		return BS_PART_UPPER;
	case U_LOWERCASE_LETTER:
		return BS_PART_LOWER;
	case U_MODIFIER_LETTER:
	case U_OTHER_LETTER:
		return BS_PART_LETTER;
	case U_DECIMAL_DIGIT_NUMBER:
		return BS_PART_DIGIT;
	case U_CONNECTOR_PUNCTUATION:
		return BS_PART_GAP;
	case U_NON_SPACING_MARK:
	case U_ENCLOSING_MARK:
	case U_COMBINING_SPACING_MARK:
	case U_FORMAT_CHAR:
		return BS_PART_MARK;
	default:
		return BS_PART_OTHER;
	}
}

static bool begins_part(enum bs_part_kind before, enum bs_part_kind here, enum bs_part_kind after)
{
	if (here == BS_PART_UPPER)
		return before == BS_PART_LOWER || before == BS_PART_DIGIT ||
		       (before == BS_PART_UPPER && after == BS_PART_LOWER);
	if (here == BS_PART_DIGIT)
		return before >= BS_PART_LETTER;
	return here >= BS_PART_LETTER && before == BS_PART_DIGIT;
}

bool bs_part_next(const uint8_t *kinds, size_t n, size_t *start_out, size_t *end_out)
{
	size_t at = *end_out;
	while (at < n && (kinds[at] == BS_PART_GAP || kinds[at] == BS_PART_MARK))
		at++;
	*start_out = at;
	if (at == n)
		return false;
	enum bs_part_kind before = kinds[at++];
	for (; at < n && kinds[at] != BS_PART_GAP; at++) {
		size_t next = at + 1;
		if (kinds[at] == BS_PART_MARK)
			continue;
		while (next < n && kinds[next] == BS_PART_MARK)
			next++;
		if (begins_part(before, kinds[at], next < n ? kinds[next] : BS_PART_OTHER))
			break;
		before = kinds[at];
	}
	*end_out = at;
	return true;
}

bool bs_part_are_several(const uint8_t *kinds, size_t n)
{
	size_t start, end = 0;
	return bs_part_next(kinds, n, &start, &end) && bs_part_next(kinds, n, &start, &end);
}
