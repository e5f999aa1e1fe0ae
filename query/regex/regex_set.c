/* regex_set.c: see regex_set.h. */
#include "query/regex/regex_set.h"

#include <string.h>

struct bs_regex_set bs_regex_set_of_range(uint32_t first, uint32_t last)
{
	struct bs_regex_set set = {.is_sure = true,
	                           .has_more = last >= 0x80,
	                           .has_all_more = first <= 0x80 && last >= 0x10ffff};
	for (uint32_t c = first; c <= last && c < 0x80; c++)
		set.ascii[c >> 6] |= UINT64_C(1) << (c & 63);
	return set;
}

static struct bs_regex_set unite(struct bs_regex_set a, struct bs_regex_set b)
{
	return (struct bs_regex_set){.ascii = {a.ascii[0] | b.ascii[0], a.ascii[1] | b.ascii[1]},
	                             .is_sure = a.is_sure && b.is_sure,
	                             .has_more = a.has_more || b.has_more,
	                             .has_all_more = a.has_all_more || b.has_all_more};
}

static struct bs_regex_set negate(struct bs_regex_set set)
{
	return (struct bs_regex_set){.ascii = {set.is_sure ? ~set.ascii[0] : UINT64_MAX,
	                                       set.is_sure ? ~set.ascii[1] : UINT64_MAX},
	                             .is_sure = set.is_sure,
	                             .has_more = !set.has_all_more,
	                             .has_all_more = !set.has_more};
}

struct bs_regex_set bs_regex_set_fold(struct bs_regex_set set)
{
	static const uint64_t letters = 0x07fffffe;
	const uint64_t k_and_s = UINT64_C(1) << ('k' & 63) | UINT64_C(1) << ('s' & 63);
	bool may_be_theirs = set.has_more;
	uint64_t both = (set.ascii[1] & letters) | (set.ascii[1] >> 32 & letters);
	set.ascii[1] |= both | both << 32;
	set.has_more |= (set.ascii[1] & k_and_s) != 0;
	if (may_be_theirs && (set.ascii[1] & k_and_s) != k_and_s) {
		set.ascii[1] |= k_and_s | k_and_s >> 32;
		set.is_sure = false;
	}
	return set;
}

/* Makes the set of a name or an escape from pairs of a first and a last ASCII character. Any
 * character beyond ASCII may also belong to it. */
static struct bs_regex_set set_of_pairs(const char *pairs, size_t n_bytes)
{
	struct bs_regex_set set = {.is_sure = true, .has_more = true};
	for (size_t i = 0; i < n_bytes; i += 2)
		set = unite(set, bs_regex_set_of_range((uint8_t)pairs[i], (uint8_t)pairs[i + 1]));
	return set;
}

const struct bs_ascii_class bs_ascii_classes[BS_N_ASCII_CLASSES] = {
	{"alnum", "09AZaz", 6, 0},
	{"alpha", "AZaz", 4, 0},
	{"ascii", "\0\x7f", 2, 0},
	{"blank", "\t\t  ", 4, 'h'},
	{"cntrl", "\0\x1f\x7f\x7f", 4, 0},
	{"digit", "09", 2, 'd'},
	{"graph", "!~", 2, 0},
	{"lower", "az", 2, 0},
	{"print", " ~", 2, 0},
	{"punct", "!/:@[`{~", 8, 0},
	{"space", "\t\r  ", 4, 's'},
	{"upper", "AZ", 2, 0},
	{"word", "09AZ__az", 8, 'w'},
	{"xdigit", "09AFaf", 6, 0},
};

size_t bs_ascii_class(const void *name, size_t n_bytes)
{
	size_t i = 0;
	while (i < BS_N_ASCII_CLASSES && (strlen(bs_ascii_classes[i].name) != n_bytes ||
	                                  memcmp(bs_ascii_classes[i].name, name, n_bytes) != 0))
		i++;
	return i;
}

/* The set for anything that is not understood. Also for the dot and \N, because the characters that
 * end lines may differ from those assumed here. */
static const struct bs_regex_set anything = {.ascii = {UINT64_MAX, UINT64_MAX}, .has_more = true};

/* The set of [:name:]. */
static struct bs_regex_set set_of_name(const void *name, size_t n_bytes)
{
	size_t i = bs_ascii_class(name, n_bytes);
	return i < BS_N_ASCII_CLASSES
	               ? set_of_pairs(bs_ascii_classes[i].pairs, bs_ascii_classes[i].n_bytes)
	               : anything;
}

/* Unicode's categories with their ASCII characters, which are the same in all versions. */
static const struct bs_ascii_class categories[] = {
	{"L", "AZaz", 4, 0},
	{"M", "", 0, 0},
	{"N", "09", 2, 0},
	{"P", "!#%*,/:;?@[]__{{}}", 18, 0},
	{"S", "$$++<>^^``||~~", 14, 0},
	{"Z", "  ", 2, 0},
	{"L&", "AZaz", 4, 0},
	{"Lu", "AZ", 2, 0},
	{"Ll", "az", 2, 0},
	{"Lt", "", 0, 0},
	{"Lm", "", 0, 0},
	{"Lo", "", 0, 0},
	{"Mn", "", 0, 0},
	{"Mc", "", 0, 0},
	{"Me", "", 0, 0},
	{"Nd", "09", 2, 0},
	{"Nl", "", 0, 0},
	{"No", "", 0, 0},
	{"Pc", "__", 2, 0},
	{"Pd", "--", 2, 0},
	{"Ps", "(([[{{", 6, 0},
	{"Pe", "))]]}}", 6, 0},
	{"Pi", "", 0, 0},
	{"Pf", "", 0, 0},
	{"Po", "!#%'**,,./:;?@\\\\", 16, 0},
	{"Sm", "++<>||~~", 8, 0},
	{"Sc", "$$", 2, 0},
	{"Sk", "^^``", 4, 0},
	{"So", "", 0, 0},
	{"Zs", "  ", 2, 0},
	{"Zl", "", 0, 0},
	{"Zp", "", 0, 0},
};

/*
 * The set of \p{name}. For other properties than categories, the set is an upper bound: all of
 * ASCII, but control characters (which include line ends) only if the property may contain them.
 * Control characters are in category Cc, script Common and a few other properties.
 */
static struct bs_regex_set set_of_property(const uint8_t *name, size_t n_bytes)
{
	static const char *const wide[] = {"Any",        "Common", "Zyyy",
	                                   "ASCII",      "Space",  "WSpace",
	                                   "WhiteSpace", "PatWS",  "PatternWhiteSpace"};
	struct bs_regex_set set = anything;
	if (n_bytes > 1 && *name == '{') {
		name++;
		n_bytes -= 2;
	}
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++)
		if (strlen(categories[i].name) == n_bytes &&
		    memcmp(categories[i].name, name, n_bytes) == 0)
			return set_of_pairs(categories[i].pairs, categories[i].n_bytes);
	bool is_wide = n_bytes == 0 || *name == '^' || (*name | 0x20) == 'x' ||
	               (n_bytes <= 2 && (*name | 0x20) == 'c');
	for (size_t i = 0; i < n_bytes && !is_wide; i++)
		is_wide = strchr(" \t-_:=", name[i]) != NULL;
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide) && !is_wide; i++)
		is_wide = n_bytes == strlen(wide[i]) &&
		          strncasecmp((const char *)name, wide[i], n_bytes) == 0;
	if (!is_wide)
		set.ascii[0] &= ~UINT64_C(0xffffffff);
	return set;
}

static struct bs_regex_set set_of_letter(const struct bs_regex *regex,
                                         const struct bs_regex_member *member)
{
	if (member->letter == 'v')
		return set_of_pairs("\n\r", 2);
	if (member->letter == 'p')
		return set_of_property(regex->text + member->from + 2,
		                       member->to - member->from - 2);
	for (size_t i = 0; i < BS_N_ASCII_CLASSES; i++)
		if (bs_ascii_classes[i].letter == member->letter)
			return set_of_pairs(bs_ascii_classes[i].pairs, bs_ascii_classes[i].n_bytes);
	return anything;
}

struct bs_regex_set bs_regex_set_of_member(const struct bs_regex *regex,
                                           const struct bs_regex_member *member)
{
	struct bs_regex_member positive = *member;
	if (member->letter == 0)
		return bs_regex_set_of_range(member->first, member->last);
	if (member->letter == ':')
		return set_of_name(regex->text + member->from + 2, member->to - member->from - 4);
	if (!strchr("DHSVWP", member->letter))
		return set_of_letter(regex, member);
	positive.letter |= 0x20;
	return negate(set_of_letter(regex, &positive));
}

struct bs_regex_set bs_regex_set_of(const struct bs_regex *regex, const struct bs_regex_node *node,
                                    bool is_caseless)
{
	struct bs_regex_set set = {.is_sure = true};
	bool folds = bs_regex_is(node->caseless, is_caseless);
	for (uint32_t i = 0; i < node->n; i++) {
		const struct bs_regex_member *member = bs_regex_member(regex, node->first + i);
		struct bs_regex_set one = bs_regex_set_of_member(regex, member);
		/* Ignoring letter case leaves the set of an escape such as \w unchanged, but \p{Lu}
		 * may then match as \p{L&} does. */
		bool is_cased = member->letter == 0 || strchr(":pP", member->letter);
		/* PCRE2 may fold a name such as [:upper:] or not. */
		one.is_sure &= !folds || member->letter == 0 || !is_cased;
		set = unite(set, folds && is_cased ? bs_regex_set_fold(one) : one);
	}
	return node->letter == '^' ? negate(set) : set;
}
