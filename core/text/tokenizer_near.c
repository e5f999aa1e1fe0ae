/* tokenizer_near.c: see tokenizer_near.h. */
#include "core/text/tokenizer_near.h"

#include <stdlib.h>

#include "core/text/tokenizer_accents.h"
#include "core/text/tokenizer_class.h"
#include "core/text/tokenizer_parts.h"

static bool is_word_byte(UChar unit)
{
	return (UChar)((unit | 0x20) - 'a') < 26 || (UChar)(unit - '0') < 10 || unit == '_';
}

static enum bs_tokenizer_ascii_form ascii_form_of(const UChar *units, int32_t n_units)
{
	enum bs_tokenizer_ascii_form ascii_form =
		n_units > 0 ? BS_ASCII_FORM_NONE : BS_ASCII_FORM_WORD;
	for (int32_t i = 0; i < n_units; i++) {
		if (is_word_byte(units[i]))
			return BS_ASCII_FORM_WORD;
		if (units[i] < 0x80)
			ascii_form = BS_ASCII_FORM_OTHER;
	}
	return ascii_form;
}

static enum bs_status learn_ascii_form(struct bs_tokenizer *tokenizer, UChar32 c,
                                       enum bs_tokenizer_ascii_form *ascii_form_out,
                                       struct bs_error *err)
{
	UChar raw[2], folded[64], plain[256];
	UErrorCode code = U_ZERO_ERROR;
	int32_t n_raw = 0;
	if (c == 0x2019 || c == 0x2bc)
		c = '\'';
	U16_APPEND_UNSAFE(raw, n_raw, c);
	int32_t n = bs_icu.unorm2_normalize(tokenizer->icu.nfkc_casefold, raw, n_raw, folded, 64,
	                                    &code);
	if (U_SUCCESS(code))
		*ascii_form_out = ascii_form_of(folded, n);
	if (U_SUCCESS(code) && tokenizer->rules.fold_accents)
		n = bs_icu.unorm2_normalize(tokenizer->icu.nfd, folded, n, plain, 256, &code);
	for (int32_t at = 0; U_SUCCESS(code) && tokenizer->rules.fold_accents && at < n;)
		if (bs_accents_may_go(bs_tokenizer_next(plain, &at)))
			*ascii_form_out = BS_ASCII_FORM_WORD;
	/* The longest fold has 18 units, so there is room. */
	return U_SUCCESS(code) ? BS_OK : bs_tokenizer_fail_icu(err, "folding a character", code);
}

enum bs_status bs_tokenizer_ascii_form(struct bs_tokenizer *tokenizer, int32_t c,
                                       enum bs_tokenizer_ascii_form *ascii_form_out,
                                       struct bs_error *err)
{
	/* For each code point its ASCII form + 1; 0: not known yet. Only pages of scripts in use
	 * take memory. */
	if (!tokenizer->ascii.forms)
		tokenizer->ascii.forms = calloc(UCHAR_MAX_VALUE + 1, 1);
	if (!tokenizer->ascii.forms)
		return bs_fail_memory(err, "what code points fold to", UCHAR_MAX_VALUE + 1);
	*ascii_form_out = BS_ASCII_FORM_NONE;
	if (tokenizer->ascii.forms[c] == 0) {
		enum bs_status status = learn_ascii_form(tokenizer, c, ascii_form_out, err);
		if (status)
			return status;
		tokenizer->ascii.forms[c] = (uint8_t)(*ascii_form_out + 1);
	}
	*ascii_form_out = (enum bs_tokenizer_ascii_form)(tokenizer->ascii.forms[c] - 1);
	return BS_OK;
}

bool bs_tokenizer_may_end_between(const struct bs_tokenizer *tokenizer, uint8_t before,
                                  uint8_t after)
{
	const uint8_t *class = tokenizer->ascii.classes.of;
	const uint8_t pair[] = {tokenizer->ascii.parts[before], tokenizer->ascii.parts[after]};
	bool is_date = (before == 'T' && class[after] & BS_ASCII_DIGIT) ||
	               (after == 'T' && class[before] & BS_ASCII_DIGIT);
	/* Two upper-case letters are one part unless a lower-case letter follows. */
	bool is_split = bs_part_are_several(pair, 2) || pair[0] == BS_PART_GAP ||
	                pair[1] == BS_PART_GAP ||
	                (pair[0] == BS_PART_UPPER && pair[1] == BS_PART_UPPER);
	return is_date || (is_split && tokenizer->rules.split_identifiers);
}

bool bs_tokenizer_may_be_date(const struct bs_tokenizer *tokenizer, const uint8_t *term,
                              size_t term_bytes)
{
	size_t at = 0;
	while (at < term_bytes && tokenizer->ascii.classes.of[term[at]] & BS_ASCII_DIGIT)
		at++;
	if (at == 0 || at == term_bytes || term[at++] != 't')
		return false;
	while (at < term_bytes && tokenizer->ascii.classes.of[term[at]] & BS_ASCII_DIGIT)
		at++;
	return at == term_bytes;
}

bool bs_tokenizer_splits(const struct bs_tokenizer *tokenizer)
{
	return tokenizer->rules.split_identifiers;
}

bool bs_tokenizer_has_parts(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                            size_t n_bytes)
{
	uint8_t parts[256];
	for (size_t i = 0; i < n_bytes && n_bytes <= sizeof(parts); i++)
		parts[i] = tokenizer->ascii.parts[text[i] & 0x7f];
	return n_bytes > sizeof(parts) || bs_part_are_several(parts, n_bytes);
}

bool bs_tokenizer_keeps_bytes(const struct bs_tokenizer *tokenizer)
{
	return !tokenizer->rules.analyzer && !tokenizer->rules.stemmer;
}

void bs_tokenizer_byte_kinds(const struct bs_tokenizer *tokenizer, uint8_t kinds_out[256])
{
	for (unsigned byte = 0; byte < 256; byte++) {
		unsigned class = tokenizer->ascii.classes.of[byte];
		enum bs_byte_kind kind = BS_BYTE_MID;
		if (byte >= 0x80)
			kind = BS_BYTE_HIGH;
		else if (class & BS_ASCII_WORD)
			kind = bs_icu.u_isalnum((UChar32)byte) ? BS_BYTE_LETTER : BS_BYTE_JOINER;
		else if (class & BS_ASCII_CUT_AFTER)
			kind = BS_BYTE_INERT;
		kinds_out[byte] = (uint8_t)kind;
	}
}

static bool is_cut(const struct bs_tokenizer *tokenizer, const uint8_t *text, size_t text_bytes,
                   size_t at)
{
	return at == 0 || at == text_bytes || bs_tokenizer_is_cut(tokenizer, text, at);
}

bool bs_tokenizer_cut_before(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                             size_t text_bytes, size_t low, size_t at, size_t *cut_out)
{
	*cut_out = at < text_bytes ? bs_tokenizer_last_cut(tokenizer, text, low, at) : at;
	return is_cut(tokenizer, text, text_bytes, *cut_out);
}

bool bs_tokenizer_cut_after(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                            size_t text_bytes, size_t at, size_t high, size_t *cut_out)
{
	*cut_out = at > 0 ? bs_tokenizer_next_cut(tokenizer, text, at, high) : at;
	return is_cut(tokenizer, text, text_bytes, *cut_out);
}
