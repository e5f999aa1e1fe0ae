/* unicode_property.c: see unicode_property.h. The properties are those of ICU. */
#include "query/regex/rust/unicode_property.h"

#include <stdio.h>
#include <string.h>

#include "core/bitsift/status.h"
#include "core/system/deadline.h"
#include "core/system/icu.h"

#define NAME_BYTES 64u

#define PROPERTY_NS 1000000u /* estimated time to find the characters of a property */
#define AGE_NS      10u      /* estimated time to find the age of a character */

/* Writes a name as UAX44-LM3 compares it: in lower case, without blanks, hyphens, underscores and a
 * leading "is". Characters beyond ASCII are left out. */
static void normalize(const uint8_t *name, size_t n_bytes, char out[NAME_BYTES])
{
	size_t n = 0, i = 0;
	bool has_is = n_bytes >= 2 && (name[0] | 0x20) == 'i' && (name[1] | 0x20) == 's';
	for (i = has_is ? 2 : 0; i < n_bytes && n < NAME_BYTES - 1; i++) {
		if (strchr(" _-", name[i]) || name[i] >= 0x80)
			continue;
		out[n++] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i]);
	}
	out[n] = '\0';
	/* isc is the short name of the property ISO_Comment; c would be the category Other */
	if (has_is && strcmp(out, "c") == 0)
		memcpy(out, "isc", 4);
}

/* The kinds of properties that have values. */
static const struct {
	const char *names; /* each between blanks */
	UProperty property;
} kinds[] = {
	{" gc generalcategory ", UCHAR_GENERAL_CATEGORY_MASK},
	{" sc script ", UCHAR_SCRIPT},
	{" scx scriptextensions ", UCHAR_SCRIPT_EXTENSIONS},
	{" age ", UCHAR_AGE},
	{" gcb graphemeclusterbreak ", UCHAR_GRAPHEME_CLUSTER_BREAK},
	{" wb wordbreak ", UCHAR_WORD_BREAK},
	{" sb sentencebreak ", UCHAR_SENTENCE_BREAK},
};

static bool has_name(const char *names, const char *name)
{
	char padded[NAME_BYTES + 2];
	snprintf(padded, sizeof(padded), " %s ", name);
	return *name && strstr(names, padded);
}

static void add_all(struct bs_char_set *set, USet *from)
{
	int32_t n = bs_icu.uset_getItemCount(from);
	for (int32_t i = 0; i < n; i++) {
		UChar32 first, last;
		UErrorCode code = U_ZERO_ERROR;
		if (bs_icu.uset_getItem(from, i, &first, &last, NULL, 0, &code) == 0)
			bs_char_set_add(set, (uint32_t)first, (uint32_t)last);
	}
}

/* Adds the characters for which an ICU property has the value. False: no character has the value.
 * True after a failure. */
static bool add_value(struct bs_char_set *set, UProperty property, int32_t value)
{
	UErrorCode code = U_ZERO_ERROR;
	if (!set->status)
		set->status = bs_deadline_check_after(PROPERTY_NS, set->err);
	if (set->status)
		return true;
	USet *found = bs_icu.uset_openEmpty();
	if (!found) {
		set->status = bs_fail_memory(set->err, "a set of characters", 1);
		return true;
	}
	bs_icu.uset_applyIntPropertyValue(found, property, value, &code);
	add_all(set, found);
	bs_icu.uset_close(found);
	return set->status || (U_SUCCESS(code) && bs_char_set_n(set) > 0);
}

static bool add_category(struct bs_char_set *set, const char *name)
{
	int32_t mask;
	if (strcmp(name, "any") == 0 || strcmp(name, "ascii") == 0) {
		bs_char_set_add(set, 0, name[1] == 'n' ? BS_CODE_MAX : 0x7f);
		return true;
	}
	if (strcmp(name, "assigned") == 0) {
		bool is_known = add_value(set, UCHAR_GENERAL_CATEGORY_MASK, (int32_t)U_GC_CN_MASK);
		bs_char_set_negate(set, BS_CODE_MAX);
		return is_known;
	}
	mask = bs_icu.u_getPropertyValueEnum(UCHAR_GENERAL_CATEGORY_MASK, name);
	return mask != UCHAR_INVALID_CODE && add_value(set, UCHAR_GENERAL_CATEGORY_MASK, mask);
}

/* Adds the characters of Unicode versions up to the version in the name, such as 3.0 or v30. */
static bool add_age(struct bs_char_set *set, const char *name)
{
	unsigned major = 0, minor = 0;
	int n = 0;
	bool is_dotted = sscanf(name, "%2u.%1u%n", &major, &minor, &n) == 2 && !name[n];
	size_t n_digits = *name == 'v' ? strspn(name + 1, "0123456789") : 0;
	if (!is_dotted) {
		if (n_digits < 2 || n_digits > 3 || name[1 + n_digits])
			return false;
		minor = (unsigned)(name[n_digits] - '0');
		major = (unsigned)(name[1] - '0');
		major = n_digits == 3 ? 10 * major + (unsigned)(name[2] - '0') : major;
	}
	for (uint32_t c = 0; c <= BS_CODE_MAX && !set->status; c++) {
		UVersionInfo age;
		uint32_t first = c;
		for (; c <= BS_CODE_MAX; c++) {
			bs_icu.u_charAge((UChar32)c, age);
			if (age[0] == 0 || age[0] > major || (age[0] == major && age[1] > minor))
				break;
		}
		if (c > first)
			bs_char_set_add(set, first, c - 1);
		if (!set->status)
			set->status = bs_deadline_check_after((c - first) * AGE_NS, set->err);
	}
	return set->status || bs_char_set_n(set) > 0;
}

static bool add_of_kind(struct bs_char_set *set, UProperty property, const char *value)
{
	if (property == UCHAR_GENERAL_CATEGORY_MASK)
		return add_category(set, value);
	if (property == UCHAR_AGE)
		return add_age(set, value);
	UProperty names = property == UCHAR_SCRIPT_EXTENSIONS ? UCHAR_SCRIPT : property;
	int32_t number = bs_icu.u_getPropertyValueEnum(names, value);
	return number != UCHAR_INVALID_CODE &&
	       !(names == UCHAR_SCRIPT && number == USCRIPT_UNKNOWN) &&
	       add_value(set, property, number);
}

/* True for a property of Unicode that is either true or false. ICU has others of its own. */
static bool is_binary(UProperty property)
{
	return property >= UCHAR_BINARY_START && property < UCHAR_BINARY_LIMIT &&
	       property != UCHAR_FULL_COMPOSITION_EXCLUSION && property != UCHAR_SEGMENT_STARTER &&
	       property != UCHAR_CASE_SENSITIVE && property != UCHAR_CHANGES_WHEN_NFKC_CASEFOLDED &&
	       !(property >= UCHAR_NFD_INERT && property <= UCHAR_NFKC_INERT) &&
	       !(property >= UCHAR_POSIX_ALNUM && property <= UCHAR_POSIX_XDIGIT) &&
	       property < UCHAR_EXTENDED_PICTOGRAPHIC + 1;
}

/* Adds the characters of a property that is true or false, of a category or of a script. */
static bool add_named(struct bs_char_set *set, const char *name)
{
	bool is_category = has_name(" cf sc lc ", name);
	UProperty property = is_category ? UCHAR_INVALID_CODE : bs_icu.u_getPropertyEnum(name);
	if (is_binary(property))
		return add_value(set, property, 1);
	/* The name of a property that needs a value is not enough. */
	for (size_t i = 0; !is_category && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (has_name(kinds[i].names, name))
			return false;
	return add_category(set, name) || add_of_kind(set, UCHAR_SCRIPT, name);
}

enum bs_status bs_unicode_property(const uint8_t *name, size_t n_bytes, struct bs_char_set *set,
                                   const char **why_out)
{
	char left[NAME_BYTES], right[NAME_BYTES];
	const uint8_t *colon = memchr(name, ':', n_bytes);
	const uint8_t *sign = colon ? colon : memchr(name, '=', n_bytes);
	size_t n_left = sign ? (size_t)(sign - name) : n_bytes;
	*why_out = "Unicode property not found";
	set->status = bs_icu_load(set->err);
	if (set->status)
		return BS_OK;
	normalize(name, n_left, left);
	if (!sign)
		return add_named(set, left) ? BS_OK : BS_INVALID;
	normalize(sign + 1, n_bytes - n_left - 1, right);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!has_name(kinds[i].names, left))
			continue;
		*why_out = "Unicode property value not found";
		return add_of_kind(set, kinds[i].property, right) ? BS_OK : BS_INVALID;
	}
	return BS_INVALID;
}

static void add_property(struct bs_char_set *set, UProperty property, int32_t value)
{
	struct bs_char_set one = {.err = set->err};
	(void)add_value(&one, property, value);
	bs_char_set_unite(set, &one);
	bs_char_set_deinit(&one);
}

void bs_unicode_perl_class(char letter, struct bs_char_set *set)
{
	set->status = bs_icu_load(set->err);
	if (set->status)
		return;
	if (letter == 's') {
		add_property(set, UCHAR_WHITE_SPACE, 1);
		return;
	}
	add_property(set, UCHAR_GENERAL_CATEGORY_MASK, (int32_t)U_GC_ND_MASK);
	if (letter == 'd')
		return;
	add_property(set, UCHAR_GENERAL_CATEGORY_MASK, (int32_t)(U_GC_M_MASK | U_GC_PC_MASK));
	add_property(set, UCHAR_ALPHABETIC, 1);
	add_property(set, UCHAR_JOIN_CONTROL, 1);
}
