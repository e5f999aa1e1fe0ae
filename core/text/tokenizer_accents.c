/* tokenizer_accents.c: see tokenizer_accents.h. */
#include "core/text/tokenizer_accents.h"

#include "core/collections/binary_search.h"
#include "core/text/tokenizer_state.h"

/* Lower-case letters that NFD does not decompose, and their plain letters: those of Lucene's
 * ASCIIFoldingFilter, and letters with a stroke that Unicode added later. Sorted. */
static const struct {
	uint16_t c;
	char ascii[3];
} plain_letters[] = {
	{0x00e6, "ae"}, {0x00f0, "d"},  {0x00f8, "o"},  {0x00fe, "th"}, {0x0111, "d"},
	{0x0127, "h"},  {0x0131, "i"},  {0x0138, "q"},  {0x0142, "l"},  {0x014b, "n"},
	{0x0153, "oe"}, {0x0167, "t"},  {0x0180, "b"},  {0x0183, "b"},  {0x0188, "c"},
	{0x018c, "d"},  {0x0192, "f"},  {0x0195, "hv"}, {0x0199, "k"},  {0x019a, "l"},
	{0x019e, "n"},  {0x01a5, "p"},  {0x01ab, "t"},  {0x01ad, "t"},  {0x01b4, "y"},
	{0x01b6, "z"},  {0x01bf, "w"},  {0x01dd, "e"},  {0x01e5, "g"},  {0x021d, "z"},
	{0x0221, "d"},  {0x0223, "ou"}, {0x0225, "z"},  {0x0234, "l"},  {0x0235, "n"},
	{0x0236, "t"},  {0x0237, "j"},  {0x0238, "db"}, {0x0239, "qp"}, {0x023c, "c"},
	{0x023f, "s"},  {0x0240, "z"},  {0x0247, "e"},  {0x0249, "j"},  {0x024b, "q"},
	{0x024d, "r"},  {0x024f, "y"},  {0x0250, "a"},  {0x0253, "b"},  {0x0254, "o"},
	{0x0255, "c"},  {0x0256, "d"},  {0x0257, "d"},  {0x0258, "e"},  {0x0259, "a"},
	{0x025a, "a"},  {0x025b, "e"},  {0x025c, "e"},  {0x025d, "e"},  {0x025e, "e"},
	{0x025f, "j"},  {0x0260, "g"},  {0x0261, "g"},  {0x0262, "g"},  {0x0265, "h"},
	{0x0266, "h"},  {0x0268, "i"},  {0x0269, "i"},  {0x026a, "i"},  {0x026b, "l"},
	{0x026c, "l"},  {0x026d, "l"},  {0x026f, "m"},  {0x0270, "m"},  {0x0271, "m"},
	{0x0272, "n"},  {0x0273, "n"},  {0x0274, "n"},  {0x0275, "o"},  {0x0276, "oe"},
	{0x027c, "r"},  {0x027d, "r"},  {0x027e, "r"},  {0x027f, "r"},  {0x0280, "r"},
	{0x0281, "r"},  {0x0282, "s"},  {0x0284, "j"},  {0x0287, "t"},  {0x0288, "t"},
	{0x0289, "u"},  {0x028b, "v"},  {0x028c, "v"},  {0x028d, "w"},  {0x028e, "y"},
	{0x028f, "y"},  {0x0290, "z"},  {0x0291, "z"},  {0x0297, "c"},  {0x0299, "b"},
	{0x029a, "e"},  {0x029b, "g"},  {0x029c, "h"},  {0x029d, "j"},  {0x029e, "k"},
	{0x029f, "l"},  {0x02a0, "q"},  {0x02a3, "dz"}, {0x02a5, "dz"}, {0x02a6, "ts"},
	{0x02a8, "tc"}, {0x02aa, "ls"}, {0x02ab, "lz"}, {0x02ae, "h"},  {0x02af, "h"},
	{0x1d00, "a"},  {0x1d01, "ae"}, {0x1d02, "ae"}, {0x1d03, "b"},  {0x1d04, "c"},
	{0x1d05, "d"},  {0x1d06, "d"},  {0x1d07, "e"},  {0x1d08, "e"},  {0x1d09, "i"},
	{0x1d0a, "j"},  {0x1d0b, "k"},  {0x1d0c, "l"},  {0x1d0d, "m"},  {0x1d0e, "n"},
	{0x1d0f, "o"},  {0x1d10, "o"},  {0x1d14, "oe"}, {0x1d15, "ou"}, {0x1d16, "o"},
	{0x1d17, "o"},  {0x1d18, "p"},  {0x1d19, "r"},  {0x1d1a, "r"},  {0x1d1b, "t"},
	{0x1d1c, "u"},  {0x1d20, "v"},  {0x1d21, "w"},  {0x1d22, "z"},  {0x1d6b, "ue"},
	{0x1d6c, "b"},  {0x1d6d, "d"},  {0x1d6e, "f"},  {0x1d6f, "m"},  {0x1d70, "n"},
	{0x1d71, "p"},  {0x1d72, "r"},  {0x1d73, "r"},  {0x1d74, "s"},  {0x1d75, "t"},
	{0x1d76, "z"},  {0x1d77, "g"},  {0x1d79, "g"},  {0x1d7a, "th"}, {0x1d7b, "i"},
	{0x1d7c, "i"},  {0x1d7d, "p"},  {0x1d7e, "u"},  {0x1d80, "b"},  {0x1d81, "d"},
	{0x1d82, "f"},  {0x1d83, "g"},  {0x1d84, "k"},  {0x1d85, "l"},  {0x1d86, "m"},
	{0x1d87, "n"},  {0x1d88, "p"},  {0x1d89, "r"},  {0x1d8a, "s"},  {0x1d8c, "v"},
	{0x1d8d, "x"},  {0x1d8e, "z"},  {0x1d8f, "a"},  {0x1d91, "d"},  {0x1d92, "e"},
	{0x1d93, "e"},  {0x1d94, "e"},  {0x1d95, "a"},  {0x1d96, "i"},  {0x1d97, "o"},
	{0x1d99, "u"},  {0x1e9c, "s"},  {0x1e9d, "s"},  {0x1efb, "ll"}, {0x1efd, "v"},
	{0x1eff, "y"},  {0x2184, "c"},  {0x2c61, "l"},  {0x2c65, "a"},  {0x2c66, "t"},
	{0x2c68, "h"},  {0x2c6a, "k"},  {0x2c6c, "z"},  {0x2c71, "v"},  {0x2c73, "w"},
	{0x2c74, "v"},  {0x2c76, "h"},  {0x2c78, "e"},  {0x2c7a, "o"},  {0xa729, "tz"},
	{0xa730, "f"},  {0xa731, "s"},  {0xa733, "aa"}, {0xa735, "ao"}, {0xa737, "au"},
	{0xa739, "av"}, {0xa73b, "av"}, {0xa73d, "ay"}, {0xa73f, "c"},  {0xa741, "k"},
	{0xa743, "k"},  {0xa745, "k"},  {0xa747, "l"},  {0xa749, "l"},  {0xa74b, "o"},
	{0xa74d, "o"},  {0xa74f, "oo"}, {0xa751, "p"},  {0xa753, "p"},  {0xa755, "p"},
	{0xa757, "q"},  {0xa759, "q"},  {0xa75b, "r"},  {0xa75f, "v"},  {0xa761, "vy"},
	{0xa763, "z"},  {0xa765, "th"}, {0xa767, "th"}, {0xa769, "v"},  {0xa77a, "d"},
	{0xa77c, "f"},  {0xa77f, "g"},  {0xa781, "l"},  {0xa783, "r"},  {0xa785, "s"},
	{0xa787, "t"},  {0xa793, "c"},  {0xa799, "f"},  {0xa7a1, "g"},  {0xa7a3, "k"},
	{0xa7a5, "n"},  {0xa7a7, "r"},  {0xa7a9, "s"},  {0xa7b9, "u"},  {0xa7c8, "d"},
	{0xa7ca, "s"},  {0xa7fb, "f"},  {0xa7fc, "p"},  {0xa7fd, "m"},  {0xa7fe, "i"},
	{0xa7ff, "m"},
};

static const char *plain_letters_of(UChar32 c)
{
	const size_t n = sizeof(plain_letters) / sizeof(*plain_letters);
	size_t at;
	BS_BINARY_SEARCH(at, i, 0, n, plain_letters[i].c < c);
	return at < n && plain_letters[at].c == c ? plain_letters[at].ascii : NULL;
}

static UScriptCode script_of(UChar32 c)
{
	UErrorCode code = U_ZERO_ERROR;
	return bs_icu.uscript_getScript(c, &code);
}

static bool is_accent(UChar32 c)
{
	return c >= 0x300 && bs_icu.u_charType(c) == U_NON_SPACING_MARK &&
	       script_of(c) == USCRIPT_INHERITED;
}

/* Whether accents that follow this letter are removed. */
static bool has_accents(UChar32 c)
{
	UScriptCode script = script_of(c);
	return U_MASK(bs_icu.u_charType(c)) & U_GC_L_MASK &&
	       (script == USCRIPT_LATIN || script == USCRIPT_GREEK || script == USCRIPT_CYRILLIC);
}

bool bs_accents_may_go(UChar32 c)
{
	return is_accent(c) || plain_letters_of(c);
}

int32_t bs_accents_drop(const UChar *nfd, int32_t n_units, UChar *to)
{
	int32_t n = 0;
	bool is_after_letter = false;
	for (int32_t at = 0; at < n_units;) {
		UChar32 c = bs_tokenizer_next(nfd, &at);
		if (is_after_letter && is_accent(c))
			continue;
		if (!bs_tokenizer_is_mark(c))
			is_after_letter = has_accents(c);
		const char *plain = c < 0x80 ? NULL : plain_letters_of(c);
		if (!plain)
			U16_APPEND_UNSAFE(to, n, (uint32_t)c);
		for (; plain && *plain; plain++)
			to[n++] = (UChar)*plain;
	}
	return n;
}
