/* words_rig.c: the naive tokenizer, and the comparison of tokens; see words_rig.h. */
#include "tests/rigs/words_rig.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/test.h"

#include <libstemmer.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

void kept_deinit(struct kept *kept)
{
	bs_buffer_deinit(&kept->tokens);
	bs_buffer_deinit(&kept->terms);
}

static void kept_clear(struct kept *kept)
{
	bs_buffer_clear(&kept->tokens);
	bs_buffer_clear(&kept->terms);
}

size_t kept_n(const struct kept *kept)
{
	return kept->tokens.used_bytes / sizeof(struct kept_token);
}

const struct kept_token *kept_at(const struct kept *kept, size_t i)
{
	return (const struct kept_token *)(const void *)kept->tokens.data + i;
}

static void keep(struct kept *kept, const uint8_t *term, size_t term_bytes, uint32_t position,
                 uint64_t start, uint64_t end, bool is_bigram, bool is_whole)
{
	struct kept_token token = {
		kept->terms.used_bytes, term_bytes, position, start, end, is_bigram, is_whole};
	append_bytes(&kept->terms, term, term_bytes);
	append_bytes(&kept->tokens, &token, sizeof(token));
}

enum bs_status keep_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                           struct bs_error *err)
{
	struct kept *kept = context;
	assert_true(n_tokens >= 1);
	if (n_tokens > kept->largest_batch)
		kept->largest_batch = n_tokens;
	/* Reads the readable bytes that must follow each term, so that a sanitizer detects if they
	 * are missing. */
	volatile uint8_t slack = 0;
	for (size_t i = 0; i < n_tokens; i++)
		for (size_t k = 0; k < BS_TOKEN_SLACK_BYTES; k++)
			slack = tokens[i].term[tokens[i].term_bytes + k];
	(void)slack;
	for (size_t i = 0; i < n_tokens; i++)
		keep(kept, tokens[i].term, tokens[i].term_bytes, tokens[i].position,
		     tokens[i].start_byte, tokens[i].end_byte, tokens[i].is_bigram,
		     tokens[i].is_whole);
	return BS_OK;
}

void kept_analyze(struct bs_tokenizer *tokenizer, const void *text, size_t text_bytes,
                  struct kept *kept)
{
	kept_clear(kept);
	enum bs_status status = bs_tokenizer_analyze(tokenizer, text, text_bytes, 0, keep_tokens,
	                                             kept, &kept->sum, ERR);
	if (status)
		fail_msg("%s", said.text);
}

static bool is_same(const struct kept *a, const struct kept *b)
{
	if (kept_n(a) != kept_n(b) || a->terms.used_bytes != b->terms.used_bytes ||
	    a->sum.next_position != b->sum.next_position ||
	    a->sum.n_positions != b->sum.n_positions)
		return false;
	if (a->terms.used_bytes && memcmp(a->terms.data, b->terms.data, a->terms.used_bytes) != 0)
		return false;
	for (size_t i = 0; i < kept_n(a); i++) {
		const struct kept_token *x = kept_at(a, i), *y = kept_at(b, i);
		if (x->term_bytes != y->term_bytes || x->position != y->position ||
		    x->start_byte != y->start_byte || x->end_byte != y->end_byte ||
		    x->is_bigram != y->is_bigram || x->is_whole != y->is_whole)
			return false;
	}
	return true;
}

static void print_kept(const char *name, const struct kept *kept)
{
	fprintf(stderr, "%s: %zu tokens, next %u, taken %u\n", name, kept_n(kept),
	        kept->sum.next_position, kept->sum.n_positions);
	for (size_t i = 0; i < kept_n(kept); i++) {
		const struct kept_token *token = kept_at(kept, i);
		fprintf(stderr, "  %u%s [%llu,%llu) %.*s\n", token->position,
		        token->is_bigram  ? "+"
		        : token->is_whole ? "="
		                          : "",
		        (unsigned long long)token->start_byte, (unsigned long long)token->end_byte,
		        (int)token->term_bytes, (const char *)kept->terms.data + token->term_off);
	}
}

void assert_same(const struct kept *expected, const struct kept *found, const uint8_t *text,
                 size_t text_bytes)
{
	if (is_same(expected, found))
		return;
	print_escaped("text", text, text_bytes < 2000 ? text_bytes : 2000);
	print_kept("expected", expected);
	print_kept("found", found);
	fail_msg("tokens differ");
}

void naive_init(struct naive *naive, const struct bs_tokenizer_options *options)
{
	UErrorCode code = U_ZERO_ERROR;
	*naive = (struct naive){0};
	naive->breaks = ubrk_open(UBRK_WORD, "", NULL, 0, &code);
	naive->nfkc_casefold = unorm2_getNFKCCasefoldInstance(&code);
	naive->nfd = unorm2_getNFDInstance(&code);
	naive->nfc = unorm2_getNFCInstance(&code);
	assert_true(U_SUCCESS(code));
	if (options && options->stem_language)
		naive->stemmer = sb_stemmer_new(options->stem_language, "UTF_8");
	naive->fold_accents = options && options->fold_accents;
	naive->split_identifiers = options && options->split_identifiers;
}

void naive_deinit(struct naive *naive)
{
	ubrk_close(naive->breaks);
	if (naive->stemmer)
		sb_stemmer_delete(naive->stemmer);
	free(naive->c);
	free(naive->byte);
	free(naive->end_byte);
	free(naive->units);
	free(naive->other);
	free(naive->cp_of_unit);
	free(naive->utf8);
}

/* The NFC form of a text has at most three times as many UTF-16 units as the text has bytes. */
static void naive_reserve(struct naive *naive, size_t text_bytes)
{
	if (text_bytes + 1 <= naive->capacity)
		return;
	naive->capacity = text_bytes + 1;
	naive->units_capacity = (int32_t)text_bytes * 18 + 64;
	naive->c = realloc(naive->c, 3 * naive->capacity * sizeof(*naive->c));
	naive->byte = realloc(naive->byte, 3 * naive->capacity * sizeof(*naive->byte));
	naive->end_byte = realloc(naive->end_byte, 3 * naive->capacity * sizeof(*naive->end_byte));
	naive->cp_of_unit =
		realloc(naive->cp_of_unit, 6 * naive->capacity * sizeof(*naive->cp_of_unit));
	naive->units = realloc(naive->units, (size_t)naive->units_capacity * sizeof(UChar));
	naive->other = realloc(naive->other, (size_t)naive->units_capacity * sizeof(UChar));
	naive->utf8 = realloc(naive->utf8, (size_t)naive->units_capacity * 3);
}

/* The code point of exactly n bytes that text starts with, or -1. */
static UChar32 decode_exactly(const uint8_t *text, size_t n)
{
	static const UChar32 least[] = {0, 0, 0x80, 0x800, 0x10000};
	UChar32 c = n == 1 ? text[0] : text[0] & (0xff >> (n + 1));
	if (n == 1 ? text[0] >= 0x80 : (text[0] >> (7 - n)) != (0xff >> (7 - n)) - 1)
		return -1;
	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (text[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? -1 : c;
}

static void naive_decode(struct naive *naive, const uint8_t *text, size_t text_bytes)
{
	naive->n = 0;
	for (size_t at = 0; at < text_bytes;) {
		UChar32 c = -1;
		size_t n = 1;
		for (; n <= 4 && at + n <= text_bytes && c < 0; n++)
			c = decode_exactly(text + at, n);
		n = c < 0 ? 1 : n - 1;
		naive->c[naive->n] = c < 0 ? 0xfffd : c;
		naive->byte[naive->n] = at;
		naive->end_byte[naive->n++] = at + n;
		at += n;
	}
}

static bool is_mark(UChar32 c)
{
	return U_GET_GC_MASK(c) & U_GC_M_MASK;
}

bool naive_starts_run(UChar32 c)
{
	if (!(U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)))
		return false;
	return uscript_hasScript(c, USCRIPT_HAN) || uscript_hasScript(c, USCRIPT_HIRAGANA) ||
	       uscript_hasScript(c, USCRIPT_KATAKANA) || uscript_hasScript(c, USCRIPT_THAI) ||
	       uscript_hasScript(c, USCRIPT_LAO) || uscript_hasScript(c, USCRIPT_KHMER) ||
	       uscript_hasScript(c, USCRIPT_MYANMAR);
}

/* Sets naive->units to the code points [start, end). */
static void naive_take(struct naive *naive, size_t start, size_t end)
{
	naive->n_units = 0;
	for (size_t i = start; i < end; i++) {
		naive->cp_of_unit[naive->n_units] = i;
		naive->cp_of_unit[naive->n_units + 1] = i;
		U16_APPEND_UNSAFE(naive->units, naive->n_units, (uint32_t)naive->c[i]);
	}
	naive->cp_of_unit[naive->n_units] = end;
}

static void naive_normalize(struct naive *naive, const UNormalizer2 *form)
{
	UErrorCode code = U_ZERO_ERROR;
	int32_t n = unorm2_normalize(form, naive->units, naive->n_units, naive->other,
	                             naive->units_capacity, &code);
	assert_true(U_SUCCESS(code));
	memcpy(naive->units, naive->other, (size_t)n * sizeof(UChar));
	naive->n_units = n;
}

/*
 * Converts the text to NFC, each piece between two normalization boundaries by itself. In a piece
 * that changes, the code points between an unchanged beginning and an unchanged end represent all
 * bytes that were there. Then replaces typographic apostrophes by '.
 */
static void naive_to_nfc(struct naive *naive)
{
	size_t n_text = naive->n, n = 0;
	UChar32 *c = malloc((n_text + 1) * sizeof(*c));
	size_t *byte = malloc((n_text + 1) * sizeof(*byte)),
	       *end_byte = malloc((n_text + 1) * sizeof(*byte));
	memcpy(c, naive->c, n_text * sizeof(*c));
	memcpy(byte, naive->byte, n_text * sizeof(*byte));
	memcpy(end_byte, naive->end_byte, n_text * sizeof(*byte));
	for (size_t start = 0, end; start < n_text; start = end) {
		for (end = start + 1;
		     end < n_text && !unorm2_hasBoundaryBefore(naive->nfc, c[end]);)
			end++;
		naive->n_units = 0;
		for (size_t i = start; i < end; i++)
			U16_APPEND_UNSAFE(naive->units, naive->n_units, (uint32_t)c[i]);
		naive_normalize(naive, naive->nfc);
		size_t first = n, head = 0, tail = 0, n_old = end - start;
		for (int32_t at = 0; at < naive->n_units;)
			naive->c[n++] = bs_tokenizer_next(naive->units, &at);
		size_t n_new = n - first;
		while (head < n_old && head < n_new && naive->c[first + head] == c[start + head])
			head++;
		while (head + tail < n_old && head + tail < n_new &&
		       naive->c[n - tail - 1] == c[end - tail - 1])
			tail++;
		for (size_t i = 0; i < n_new; i++) {
			bool is_head = i < head, is_tail = i + tail >= n_new;
			size_t old = is_head ? start + i : end - (n_new - i);
			naive->byte[first + i] = byte[is_head || is_tail ? old : start + head];
			naive->end_byte[first + i] =
				end_byte[is_head || is_tail ? old : end - tail - 1];
		}
	}
	naive->n = n;
	free(c);
	free(byte);
	free(end_byte);
	for (size_t i = 0; i < n; i++)
		if (naive->c[i] == 0x2019 || naive->c[i] == 0x2bc)
			naive->c[i] = '\'';
}

static size_t naive_utf8(struct naive *naive, int32_t start, int32_t end)
{
	int32_t n = 0;
	UErrorCode code = U_ZERO_ERROR;
	u_strToUTF8((char *)naive->utf8, naive->units_capacity * 3, &n, naive->units + start,
	            end - start, &code);
	assert_true(U_SUCCESS(code));
	return (size_t)n;
}

static void naive_units_from_utf8(struct naive *naive, const uint8_t *utf8, int n_bytes)
{
	UErrorCode code = U_ZERO_ERROR;
	u_strFromUTF8(naive->units, naive->units_capacity, &naive->n_units, (const char *)utf8,
	              n_bytes, &code);
	assert_true(U_SUCCESS(code));
}

static void naive_stem(struct naive *naive)
{
	int n_bytes = (int)naive_utf8(naive, 0, naive->n_units);
	const uint8_t *stem = sb_stemmer_stem(naive->stemmer, naive->utf8, n_bytes);
	int stem_bytes = sb_stemmer_length(naive->stemmer);
	if (stem_bytes > 0)
		naive_units_from_utf8(naive, stem, stem_bytes);
}

/* Plain letters, and after a space the letters that differ from these by a stroke, a hook, their
 * shape, or a ligature. */
static const char *const naive_plain[] = {
	"a \u0250\u0259\u025a\u1d00\u1d8f\u1d95\u2c65", "aa \ua733", "ae \u00e6\u1d01\u1d02",
	"ao \ua735", "au \ua737", "av \ua739\ua73b", "ay \ua73d",
	"b \u0180\u0183\u0253\u0299\u1d03\u1d6c\u1d80",
	"c \u0188\u023c\u0255\u0297\u1d04\u2184\ua73f\ua793",
	"d \u00f0\u0111\u018c\u0221\u0256\u0257\u1d05\u1d06\u1d6d\u1d81\u1d91\ua77a\ua7c8",
	"db \u0238", "dz \u02a3\u02a5",
	"e \u01dd\u0247\u0258\u025b\u025c\u025d\u025e\u029a\u1d07\u1d08\u1d92\u1d93\u1d94\u2c78",
	"f \u0192\u1d6e\u1d82\ua730\ua77c\ua799\ua7fb",
	"g \u01e5\u0260\u0261\u0262\u029b\u1d77\u1d79\u1d83\ua77f\ua7a1",
	"h \u0127\u0265\u0266\u029c\u02ae\u02af\u2c68\u2c76", "hv \u0195",
	"i \u0131\u0268\u0269\u026a\u1d09\u1d7b\u1d7c\u1d96\ua7fe",
	"j \u0237\u0249\u025f\u0284\u029d\u1d0a",
	"k \u0199\u029e\u1d0b\u1d84\u2c6a\ua741\ua743\ua745\ua7a3",
	"l \u0142\u019a\u0234\u026b\u026c\u026d\u029f\u1d0c\u1d85\u2c61\ua747\ua749\ua781",
	"ll \u1efb", "ls \u02aa", "lz \u02ab",
	/* The second half of the alphabet. */
	"m \u026f\u0270\u0271\u1d0d\u1d6f\u1d86\ua7fd\ua7ff",
	"n \u014b\u019e\u0235\u0272\u0273\u0274\u1d0e\u1d70\u1d87\ua7a5",
	"o \u00f8\u0254\u0275\u1d0f\u1d10\u1d16\u1d17\u1d97\u2c7a\ua74b\ua74d",
	"oe \u0153\u0276\u1d14", "oo \ua74f", "ou \u0223\u1d15",
	"p \u01a5\u1d18\u1d71\u1d7d\u1d88\ua751\ua753\ua755\ua7fc",
	"q \u0138\u024b\u02a0\ua757\ua759", "qp \u0239",
	"r \u024d\u027c\u027d\u027e\u027f\u0280\u0281\u1d19",
	"r \u1d1a\u1d72\u1d73\u1d89\ua75b\ua783\ua7a7",
	"s \u023f\u0282\u1d74\u1d8a\u1e9c\u1e9d\ua731\ua785\ua7a9\ua7ca",
	"t \u0167\u01ab\u01ad\u0236\u0287\u0288\u1d1b\u1d75\u2c66\ua787", "tc \u02a8",
	"th \u00fe\u1d7a\ua765\ua767", "ts \u02a6", "tz \ua729", "u \u0289\u1d1c\u1d7e\u1d99\ua7b9",
	"ue \u1d6b", "v \u028b\u028c\u1d20\u1d8c\u1efd\u2c71\u2c74\ua75f\ua769", "vy \ua761",
	"w \u01bf\u028d\u1d21\u2c73", "x \u1d8d", "y \u01b4\u024f\u028e\u028f\u1eff",
	"z \u01b6\u021d\u0225\u0240\u0290\u0291\u1d22\u1d76\u1d8e\u2c6c\ua763"};

static bool naive_is_accented(UChar32 c)
{
	UErrorCode code = U_ZERO_ERROR;
	UScriptCode script = uscript_getScript(c, &code);
	return U_GET_GC_MASK(c) & U_GC_L_MASK &&
	       (script == USCRIPT_LATIN || script == USCRIPT_GREEK || script == USCRIPT_CYRILLIC);
}

/* Appends c, or its plain letters if it has any, to naive->other. Returns the new length. */
static int32_t naive_append_plain(struct naive *naive, int32_t n, UChar32 c)
{
	uint8_t utf8[5] = {0};
	size_t n_bytes = 0;
	const char *plain = NULL;
	U8_APPEND_UNSAFE(utf8, n_bytes, (uint32_t)c);
	for (size_t i = 0; i < COUNT(naive_plain) && c >= 0x80; i++)
		if (strstr(naive_plain[i], (const char *)utf8))
			plain = naive_plain[i];
	if (!plain)
		U16_APPEND_UNSAFE(naive->other, n, (uint32_t)c);
	for (; plain && *plain != ' '; plain++)
		naive->other[n++] = (UChar)*plain;
	return n;
}

static void naive_drop_accents(struct naive *naive)
{
	naive_normalize(naive, naive->nfd);
	int32_t n = 0;
	bool is_accented = false;
	for (int32_t at = 0; at < naive->n_units;) {
		UErrorCode code = U_ZERO_ERROR;
		UChar32 c = bs_tokenizer_next(naive->units, &at);
		bool is_accent = u_charType(c) == U_NON_SPACING_MARK &&
		                 uscript_getScript(c, &code) == USCRIPT_INHERITED;
		if (!is_mark(c))
			is_accented = naive_is_accented(c);
		if (!is_accent || !is_accented)
			n = naive_append_plain(naive, n, c);
	}
	memcpy(naive->units, naive->other, (size_t)n * sizeof(UChar));
	naive->n_units = n;
	naive_normalize(naive, naive->nfc);
}

/* The code point of a term that is a single character of a script without spaces, else -1. */
static UChar32 of_run(const uint8_t *term, size_t term_bytes)
{
	UChar32 c = term_bytes <= 4 ? decode_exactly(term, term_bytes) : -1;
	return c >= 0 && naive_starts_run(c) ? c : -1;
}

/* Adds the term in naive->utf8 as a token, after the bigram, if any, that it forms with the term at
 * the previous position. */
static void naive_keep(struct naive *naive, size_t term_bytes, uint64_t start_byte,
                       uint64_t end_byte)
{
	struct kept *out = naive->out;
	size_t i = kept_n(out);
	while (i > 0 && kept_at(out, i - 1)->is_bigram)
		i--;
	if (i > 0 && kept_at(out, i - 1)->position + 1 == naive->position) {
		const struct kept_token *last = kept_at(out, i - 1);
		uint8_t pair[8];
		if (of_run(out->terms.data + last->term_off, last->term_bytes) >= 0 &&
		    of_run(naive->utf8, term_bytes) >= 0) {
			size_t last_bytes = last->term_bytes;
			memcpy(pair, out->terms.data + last->term_off, last_bytes);
			memcpy(pair + last_bytes, naive->utf8, term_bytes);
			keep(out, pair, last_bytes + term_bytes, naive->position - 1, start_byte,
			     end_byte, true, false);
		}
	}
	keep(out, naive->utf8, term_bytes, naive->position++, start_byte, end_byte, false, false);
	naive->n_positions++;
}

static void naive_term(struct naive *naive, size_t start, size_t end)
{
	naive_take(naive, start, end);
	naive_normalize(naive, naive->nfkc_casefold);
	if (naive->n_units == 0)
		return;
	if (naive->stemmer)
		naive_stem(naive);
	if (naive->fold_accents)
		naive_drop_accents(naive);
	size_t n_bytes = naive_utf8(naive, 0, naive->n_units);
	naive_keep(naive, n_bytes, naive->byte[start], naive->end_byte[end - 1]);
	naive->after_script_run = false;
}

/* True for characters that belong to the preceding character. */
static bool naive_is_unseen(UChar32 c)
{
	return is_mark(c) || u_charType(c) == U_FORMAT_CHAR;
}

/* The last visible character before i (step -1), or the first after it (step 1); 0 if there is none
 * in [start, end). */
static UChar32 naive_seen(const struct naive *naive, size_t start, size_t end, size_t i, int step)
{
	for (i += (size_t)step; i >= start && i < end; i += (size_t)step)
		if (!naive_is_unseen(naive->c[i]))
			return naive->c[i];
	return 0;
}

static bool naive_is_upper(UChar32 c)
{
	return U_GET_GC_MASK(c) & (U_GC_LU_MASK | U_GC_LT_MASK);
}

static bool naive_is_lower(UChar32 c)
{
	return U_GET_GC_MASK(c) & U_GC_LL_MASK;
}

/* True if character i of the word is a connector such as _ or, unless i is start, begins a part. */
static bool naive_begins_part(const struct naive *naive, size_t start, size_t end, size_t i)
{
	UChar32 c = naive->c[i], before = naive_seen(naive, start, end, i, -1),
		after = naive_seen(naive, start, end, i, 1);
	bool is_gap = u_charType(c) == U_CONNECTOR_PUNCTUATION;
	if (naive_is_unseen(c))
		return false;
	return is_gap || u_charType(before) == U_CONNECTOR_PUNCTUATION ||
	       (naive_is_lower(before) && naive_is_upper(c)) ||
	       (naive_is_upper(before) && naive_is_upper(c) && naive_is_lower(after)) ||
	       (u_isdigit(before) && U_GET_GC_MASK(c) & U_GC_L_MASK) ||
	       (U_GET_GC_MASK(before) & U_GC_L_MASK && u_isdigit(c));
}

/* Adds a word and, if identifiers are split and the word has several parts, these parts. */
static void naive_piece(struct naive *naive, size_t start, size_t end)
{
	struct part {
		size_t start, end;
	} *parts = calloc(end - start + 1, sizeof(*parts));
	size_t n_parts = 0, n_before = kept_n(naive->out);
	uint32_t position = naive->position, n_positions = naive->n_positions;
	bool is_part = false;
	for (size_t i = start; i < end && naive->split_identifiers; i++) {
		bool is_gap = u_charType(naive->c[i]) == U_CONNECTOR_PUNCTUATION;
		bool begins = naive_begins_part(naive, start, end, i) ||
		              (!is_part && !naive_is_unseen(naive->c[i]));
		if (is_gap) {
			is_part = false;
		} else if (begins) {
			parts[n_parts++].start = i;
			is_part = true;
		}
		if (is_part)
			parts[n_parts - 1].end = i + 1;
	}
	naive_term(naive, start, end);
	if (n_parts > 1 && kept_n(naive->out) > n_before) {
		((struct kept_token *)(void *)naive->out->tokens.data)[kept_n(naive->out) - 1]
			.is_whole = true;
		naive->position = position;
		naive->n_positions = n_positions;
		for (size_t i = 0; i < n_parts; i++)
			naive_term(naive, parts[i].start, parts[i].end);
		if (naive->position == position) {
			naive->position++;
			naive->n_positions++;
		}
	}
	free(parts);
}

/* True if character t is the T of a segment that otherwise consists of digits before and after
 * it. */
static bool naive_is_date(const struct naive *naive, size_t start, size_t end, size_t t)
{
	for (size_t i = start; i < end; i++)
		if (i == t ? naive->c[i] != 'T' : !u_isdigit(naive->c[i]))
			return false;
	return t > start && t + 1 < end;
}

/* True if the word is split at the . or : at character i. */
static bool naive_is_between_letters(const struct naive *naive, size_t i)
{
	size_t letter = i;
	while (letter > 0 && is_mark(naive->c[letter - 1]))
		letter--;
	return letter > 0 && u_isalpha(naive->c[letter - 1]) && i + 1 < naive->n &&
	       u_isalpha(naive->c[i + 1]);
}

static void naive_segment(struct naive *naive, size_t start, size_t end)
{
	size_t piece = start;
	for (size_t i = start; i < end; i++) {
		UChar32 c = naive->c[i];
		if (naive_is_date(naive, start, end, i) || c == '@' ||
		    ((c == '.' || c == ':') && naive_is_between_letters(naive, i))) {
			naive_piece(naive, piece, i);
			piece = i + 1;
		}
	}
	naive_piece(naive, piece, end);
}

static bool naive_is_flag_or_keycap(const struct naive *naive, size_t start, size_t end)
{
	const UChar32 *c = naive->c + start;
	size_t n = end - start;
	bool is_flag = n >= 2 && u_hasBinaryProperty(c[0], UCHAR_REGIONAL_INDICATOR) &&
	               u_hasBinaryProperty(c[1], UCHAR_REGIONAL_INDICATOR);
	bool is_keycap = n >= 3 && u_hasBinaryProperty(c[0], UCHAR_EMOJI) && c[0] < 0x80 &&
	                 c[1] == 0xfe0f && c[2] == 0x20e3;
	return is_flag || is_keycap;
}

static void naive_stretch(struct naive *naive, size_t start, size_t end)
{
	struct segment {
		size_t start, end;
	};
	if (start == end)
		return;
	UErrorCode code = U_ZERO_ERROR;
	naive_take(naive, start, end);
	FREED struct segment *segments = malloc(((size_t)naive->n_units + 1) * sizeof(*segments));
	size_t n_segments = 0;
	ubrk_setText(naive->breaks, naive->units, naive->n_units, &code);
	assert_true(U_SUCCESS(code));
	for (int32_t from = ubrk_first(naive->breaks), to;
	     (to = ubrk_next(naive->breaks)) != UBRK_DONE; from = to)
		if (ubrk_getRuleStatus(naive->breaks) >= UBRK_WORD_NONE_LIMIT ||
		    naive_is_flag_or_keycap(naive, naive->cp_of_unit[from],
		                            naive->cp_of_unit[to]) ||
		    u_hasBinaryProperty(naive->c[naive->cp_of_unit[from]],
		                        UCHAR_EXTENDED_PICTOGRAPHIC))
			segments[n_segments++] =
				(struct segment){naive->cp_of_unit[from], naive->cp_of_unit[to]};
	for (size_t i = 0; i < n_segments; i++)
		naive_segment(naive, segments[i].start, segments[i].end);
}

static void naive_run(struct naive *naive, size_t start, size_t end)
{
	naive_take(naive, start, end);
	naive_normalize(naive, naive->nfkc_casefold);
	if (naive->n_units == 0)
		return;
	if (naive->after_script_run)
		naive->position++;
	naive->after_script_run = true;
	uint64_t start_byte = naive->byte[start], end_byte = naive->end_byte[end - 1];
	for (int32_t at = 0; at < naive->n_units;) {
		int32_t first = at;
		bs_tokenizer_next(naive->units, &at);
		naive_keep(naive, naive_utf8(naive, first, at), start_byte, end_byte);
	}
}

void naive_analyze(struct naive *naive, const void *text, size_t text_bytes, struct kept *out)
{
	kept_clear(out);
	naive->out = out;
	naive->position = naive->n_positions = 0;
	naive->after_script_run = false;
	naive_reserve(naive, text_bytes);
	naive_decode(naive, text, text_bytes);
	naive_to_nfc(naive);
	for (size_t i = 0; i < naive->n;) {
		size_t stretch = i;
		while (i < naive->n && !naive_starts_run(naive->c[i]))
			i++;
		naive_stretch(naive, stretch, i);
		size_t run = i;
		while (i < naive->n &&
		       (naive_starts_run(naive->c[i]) || (i > run && is_mark(naive->c[i]))))
			i++;
		if (i > run)
			naive_run(naive, run, i);
	}
	out->sum = (struct bs_tokenizer_sum){naive->position, naive->n_positions};
}

void rig_init(struct rig *rig, const struct bs_tokenizer_options *options)
{
	*rig = (struct rig){0};
	ok(bs_tokenizer_new(options, &rig->tokenizer, ERR));
	naive_init(&rig->naive, options);
}

void rig_deinit(struct rig *rig)
{
	bs_tokenizer_free(rig->tokenizer);
	naive_deinit(&rig->naive);
	kept_deinit(&rig->expected);
	kept_deinit(&rig->found);
}

void rig_check(struct rig *rig, const void *text, size_t text_bytes, const size_t *windows,
               size_t n_windows)
{
	naive_analyze(&rig->naive, text, text_bytes, &rig->expected);
	for (size_t i = 0; i < n_windows; i++)
		for (int ascii_path = 0; ascii_path < 2; ascii_path++) {
			rig->tokenizer->window_bytes = windows[i];
			rig->tokenizer->ascii_path = ascii_path;
			kept_analyze(rig->tokenizer, text, text_bytes, &rig->found);
			assert_same(&rig->expected, &rig->found, text, text_bytes);
		}
}

static const size_t some_windows[] = {1, 13, BS_TOKENIZER_WINDOW_BYTES};

void rig_check_all(struct rig *rig, const void *text, size_t text_bytes)
{
	rig_check(rig, text, text_bytes, some_windows, 3);
}
