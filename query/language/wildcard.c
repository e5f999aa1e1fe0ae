/* wildcard.c: see wildcard.h. */
#include "query/language/wildcard.h"

#include <string.h>
#include <unicode/utf8.h>

#include "core/base/utf8.h"
#include "core/bitsift/terminal.h"
#include "core/system/icu.h"
#include "query/language/lex.h"

/* Letters that replace wildcards while the analyzer reads a text (see wildcard.h). The n letters of
 * an alphabet differ only in their last byte; `first` is the last byte of the first letter. The
 * Hangul syllables have a final consonant, so that they do not combine with a following letter. */
static const struct {
	uint8_t n_bytes, bytes[3], first, n;
	/* first letters: U+10380, U+D789 */
} alphabets[] = {{3, {0xf0, 0x90, 0x8e}, 0x80, 30}, {2, {0xed, 0x9e}, 0x89, 27}};
enum {
	UGARITIC,
	HANGUL,
	N_ALPHABETS
};

/* A * before the end of a token is a wildcard only if the token has at least this many letters or
 * digits. */
#define LEAST_LETTERS 3u

/* Backtracks only to the last *: it can match whatever an earlier * could. */
bool bs_pattern_matches(const uint8_t *pattern, size_t pattern_bytes, const uint8_t *term,
                        size_t term_bytes)
{
	size_t at = 0, in = 0, behind_any = SIZE_MAX, resume = 0;
	while (in < term_bytes) {
		if (at < pattern_bytes && pattern[at] == BS_PATTERN_ANY) {
			behind_any = ++at;
			resume = in;
		} else if (at < pattern_bytes && pattern[at] == BS_PATTERN_ONE) {
			at++;
			U8_FWD_1(term, in, term_bytes);
		} else if (at < pattern_bytes && pattern[at] == term[in]) {
			at++;
			in++;
		} else if (behind_any != SIZE_MAX && behind_any < pattern_bytes) {
			U8_FWD_1(term, resume, term_bytes);
			in = resume;
			at = behind_any;
		} else {
			return behind_any == pattern_bytes;
		}
	}
	return at == pattern_bytes || (at + 1 == pattern_bytes && pattern[at] == BS_PATTERN_ANY);
}

size_t bs_pattern_head(const uint8_t *pattern, size_t pattern_bytes)
{
	size_t n = 0;
	while (n < pattern_bytes && pattern[n] < BS_PATTERN_ONE)
		n++;
	return n;
}

/* Chooses two letters of an alphabet that the text lacks. Returns false if it lacks fewer. */
static bool choose_letters(struct bs_wildcards *wildcards, uint32_t alphabet, const uint8_t *text,
                           size_t text_bytes)
{
	uint32_t used = 0, n = 0, n_bytes = alphabets[alphabet].n_bytes,
		 first = alphabets[alphabet].first;
	const uint8_t *found = text, *end = text + text_bytes;
	while ((found = memmem(found, (size_t)(end - found), alphabets[alphabet].bytes, n_bytes)) &&
	       found + n_bytes < end) {
		found += n_bytes;
		if (*found >= first && *found < first + alphabets[alphabet].n)
			used |= 1u << (*found - first);
	}
	for (uint32_t i = 0; i < alphabets[alphabet].n && n < 2; i++)
		if (!(used >> i & 1))
			(n++ ? wildcards->one : wildcards->any)[alphabet] = (uint8_t)(first + i);
	return n == 2;
}

static uint32_t count_letters(const uint8_t *text, size_t text_bytes)
{
	uint32_t n = 0;
	for (size_t at = 0; at < text_bytes && n < LEAST_LETTERS;) {
		int32_t c = bs_utf8_next(text, text_bytes, &at);
		n += c > 0 && bs_icu.u_isalnum(c);
	}
	return n;
}

/* The code points before and after text[at..behind); 0: none. */
struct neighbours {
	int32_t before, behind;
};

static struct neighbours neighbours_of(const uint8_t *text, size_t text_bytes, size_t at,
                                       size_t behind)
{
	struct neighbours found = {0};
	found.before = at > 0 ? bs_utf8_previous(text, &at) : 0;
	found.behind = behind < text_bytes ? bs_utf8_next(text, text_bytes, &behind) : 0;
	return found;
}

/* True if the sign at token[at] is a wildcard. The * of a keycap emoji is not. has_any: the token
 * has enough letters for * to be a wildcard. *alphabet_out: the alphabet of the letter that
 * replaces the sign; several * in a row use the same alphabet, which depends on the characters
 * around them. */
static bool is_wildcard(const uint8_t *token, size_t token_bytes, size_t at, bool has_any,
                        uint32_t *alphabet_out)
{
	size_t first = at, behind = at + 1;
	while (first > 0 && token[at] == '*' && token[first - 1] == '*')
		first--;
	while (behind < token_bytes && token[at] == '*' && token[behind] == '*')
		behind++;
	struct neighbours beside = neighbours_of(token, token_bytes, first, behind);
	bool is_keycap = behind == at + 1 && (beside.behind == 0xfe0f || beside.behind == 0x20e3);
	bool is_hangul = (beside.before >= 0xac00 && beside.before <= 0xd7a3) ||
	                 (beside.behind >= 0xac00 && beside.behind <= 0xd7a3);
	*alphabet_out = is_hangul ? HANGUL : UGARITIC;
	if (token[at] == '*')
		return has_any && !is_keycap;
	return token[at] == '?' && bs_lex_is_word_character(beside.before) &&
	       bs_lex_is_word_character(beside.behind);
}

static enum bs_status append_letter(struct bs_wildcards *wildcards, uint32_t alphabet, uint8_t sign,
                                    struct bs_error *err)
{
	uint8_t last = sign == '*' ? wildcards->any[alphabet] : wildcards->one[alphabet];
	enum bs_status status = bs_buffer_append(&wildcards->text, alphabets[alphabet].bytes,
	                                         alphabets[alphabet].n_bytes, err);
	wildcards->n++;
	return status ? status : bs_buffer_append(&wildcards->text, &last, 1, err);
}

enum bs_status bs_wildcards_find(struct bs_wildcards *wildcards, const uint8_t *text, size_t token,
                                 size_t text_bytes, struct bs_error *err)
{
	bool has_any = memchr(text + token, '*', text_bytes - token),
	     has_one = memchr(text + token, '?', text_bytes - token);
	uint32_t alphabet;
	wildcards->n = 0;
	bs_buffer_clear(&wildcards->text);
	has_any = has_any && count_letters(text + token, text_bytes - token) == LEAST_LETTERS;
	if (!has_any && !has_one)
		return BS_OK;
	for (uint32_t i = 0; i < N_ALPHABETS; i++)
		if (!choose_letters(wildcards, i, text, text_bytes))
			return BS_OK;
	wildcards->is_too_long = has_any && text_bytes - token > BS_PATTERN_MAX_BYTES;
	enum bs_status status = bs_buffer_append(&wildcards->text, text, token, err);
	for (size_t at = token;
	     at < text_bytes && !status && text_bytes - token <= BS_PATTERN_MAX_BYTES; at++) {
		bool is_sign = text[at] == '*' || text[at] == '?';
		if (is_sign &&
		    is_wildcard(text + token, text_bytes - token, at - token, has_any, &alphabet))
			status = append_letter(wildcards, alphabet, text[at], err);
		else
			status = bs_buffer_append(&wildcards->text, text + at, 1, err);
	}
	return status;
}

void bs_wildcards_deinit(struct bs_wildcards *wildcards)
{
	bs_buffer_deinit(&wildcards->text);
}

/* While a text is analysed, letters replace its wildcards (wildcard.h). Returns the wildcard, * or
 * ?, that the letter at text[at] replaces; 0 if no such letter begins there. *behind_out: the
 * offset after the letter or, if 0 is returned, after the byte at text[at]. */
static uint8_t sign_at(const struct bs_wildcards *wildcards, const uint8_t *text, size_t at,
                       size_t end, size_t *behind_out)
{
	*behind_out = at + 1;
	for (uint32_t i = 0; i < N_ALPHABETS; i++) {
		size_t n_bytes = alphabets[i].n_bytes;
		if (end - at <= n_bytes || memcmp(text + at, alphabets[i].bytes, n_bytes) != 0)
			continue;
		uint8_t last = text[at + n_bytes], sign = last == wildcards->any[i]   ? '*'
		                                          : last == wildcards->one[i] ? '?'
		                                                                      : 0;
		*behind_out = sign ? at + n_bytes + 1 : at + 1;
		return sign;
	}
	return 0;
}

/* True if a * between two such characters was probably meant as a wildcard: 192.*.0.1. */
static bool joins(int32_t c)
{
	return c == '.' || bs_lex_is_word_character(c);
}

void bs_wildcards_take_back(struct bs_wildcards *wildcards, size_t end_byte)
{
	uint8_t *text = wildcards->text.data;
	size_t n_bytes = wildcards->text.used_bytes, to = 0;
	for (size_t at = 0, behind; at < n_bytes; at = behind) {
		uint8_t sign = sign_at(wildcards, text, at, n_bytes, &behind);
		if (at >= end_byte || !sign) {
			memmove(text + to, text + at, behind - at);
			to += behind - at;
			continue;
		}
		wildcards->n--;
		text[to++] = sign;
		struct neighbours beside = neighbours_of(text, n_bytes, to - 1, behind);
		wildcards->is_misplaced |=
			sign == '*' && joins(beside.before) && joins(beside.behind);
	}
	wildcards->text.used_bytes = to;
}

size_t bs_wildcards_excess(const struct bs_wildcards *wildcards, const uint8_t *term,
                           size_t term_bytes)
{
	size_t behind = 0;
	size_t excess = sign_at(wildcards, term, 0, term_bytes, &behind) == '?' ? behind : 0;
	for (size_t at = 0; at < term_bytes; at = behind) {
		if (sign_at(wildcards, term, at, term_bytes, &behind))
			continue;
		behind = at;
		int32_t c = bs_utf8_next(term, term_bytes, &behind);
		if (c > 0 && (U_MASK(bs_icu.u_charType(c)) & (U_GC_L_MASK | U_GC_N_MASK)))
			return excess;
	}
	return term_bytes;
}

enum bs_status bs_wildcards_append(const struct bs_wildcards *wildcards, const uint8_t *term,
                                   size_t term_bytes, bool is_open, struct bs_buffer *pattern,
                                   struct bs_error *err)
{
	static const uint8_t any = BS_PATTERN_ANY, one = BS_PATTERN_ONE;
	enum bs_status status = BS_OK;
	for (size_t at = 0, behind; at < term_bytes && !status; at = behind) {
		uint8_t sign = sign_at(wildcards, term, at, term_bytes, &behind);
		bool is_again = sign == '*' && pattern->used_bytes > 0 &&
		                pattern->data[pattern->used_bytes - 1] == any;
		if (!is_again)
			status = bs_buffer_append(pattern,
			                          sign == '*'   ? &any
			                          : sign == '?' ? &one
			                                        : term + at,
			                          1, err);
	}
	if (!status && is_open && pattern->data[pattern->used_bytes - 1] != any)
		status = bs_buffer_append(pattern, &any, 1, err);
	return status;
}
