/* grammar_read.c: parses a query's text by recursive descent: operators, brackets, quotes, fields
 * and tokens as the manual describes them. See grammar.h. */
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

#include "tests/property/grammar/grammar.h"
#include "tests/rigs/test.h"

/* The role of a byte of the text. Only brackets and double quotes that act as such have a role
 * other than TEXT. */
enum role {
	TEXT,
	OPEN,
	CLOSE,
	QUOTE,
	END_QUOTE
};

enum kind {
	WORD,
	PHRASE,
	FIELD,
	LEFT,
	RIGHT,
	AND,
	OR,
	NOT,
	END
};

struct token {
	enum kind kind;
	bool is_dropped;   /* an operator without an operand after it */
	size_t start, end; /* range of the text to analyse; for a field, the name with its colon */
	int field;
	bool is_near;
	uint32_t distance; /* capped */
	double weight;
};

struct reader {
	struct grammar *grammar;
	struct oracle_query *query;
	const uint8_t *text;
	size_t n;
	uint8_t role[GRAMMAR_MAX_TEXT];
	struct token tokens[GRAMMAR_MAX_TEXT + 1];
	size_t n_tokens, at;
	bool any;
	int depth, field;
};

/* ---- characters ---- */

static UChar32 char_at(const uint8_t *text, size_t n, size_t at)
{
	UChar32 c = 0;
	if (at < n)
		U8_NEXT_OR_FFFD(text, at, n, c);
	return c;
}

/* Returns 0 at the beginning of the text. */
static UChar32 char_before(const uint8_t *text, size_t at)
{
	UChar32 c = 0;
	int32_t i = (int32_t)at;
	if (i > 0)
		U8_PREV_OR_FFFD(text, 0, i, c);
	return c;
}

static size_t step_back(const uint8_t *text, size_t at)
{
	int32_t i = (int32_t)at;
	U8_BACK_1(text, 0, i);
	return (size_t)i;
}

/* Encodes a character in UTF-8. Returns its number of bytes. */
static size_t put_char(uint8_t *to, UChar32 c)
{
	uint32_t code_point = (uint32_t)c;
	size_t n = 0;
	U8_APPEND_UNSAFE(to, n, code_point);
	return n;
}

static bool is_mark(UChar32 c)
{
	return (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0;
}

static bool is_word_char(UChar32 c)
{
	return c == '_' || (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)) != 0;
}

static size_t space_at(const struct reader *reader, size_t at)
{
	size_t next = at;
	UChar32 c;
	if (at >= reader->n)
		return 0;
	U8_NEXT_OR_FFFD(reader->text, next, reader->n, c);
	return u_isUWhiteSpace(c) ? next - at : 0;
}

static bool holds_word(struct grammar *grammar, const uint8_t *text, size_t n)
{
	AUTO(kept_deinit) struct kept kept = {0};
	kept_analyze(grammar->tokenizer, text, n, &kept);
	return kept_n(&kept) > 0;
}

/* ---- quotes and brackets ---- */

static enum kind operator_kind(const uint8_t *text, size_t n)
{
	if (n == 2 && (memcmp(text, "OR", 2) == 0 || memcmp(text, "||", 2) == 0))
		return OR;
	if ((n == 3 && memcmp(text, "AND", 3) == 0) || (n == 2 && memcmp(text, "&&", 2) == 0))
		return AND;
	return n == 3 && memcmp(text, "NOT", 3) == 0 ? NOT : WORD;
}

/* Whether the bracket at `at` may open a group: directly after a word character it is text, unless
 * that character ends an operator. */
static bool can_group(const struct reader *reader, size_t at)
{
	size_t end = at, start = at;
	while (end > 0 && is_mark(char_before(reader->text, end)))
		end = step_back(reader->text, end);
	if (end == 0 || !is_word_char(char_before(reader->text, end)))
		return true;
	while (start > 0 && !memchr("()\"", reader->text[start - 1], 3) &&
	       !u_isUWhiteSpace(char_before(reader->text, start)))
		start = step_back(reader->text, start);
	return operator_kind(reader->text + start, at - start) != WORD;
}

static void find_roles(struct reader *reader)
{
	size_t open[GRAMMAR_MAX_TEXT], n_open = 0;
	FREED uint8_t *plain = must_malloc(reader->n + 1);
	memcpy(plain, reader->text, reader->n);
	for (size_t at = 0; at < reader->n; at++) {
		uint8_t c = reader->text[at];
		const uint8_t *close =
			c == '"' ? memchr(reader->text + at + 1, '"', reader->n - at - 1) : NULL;
		if (close) {
			size_t end = (size_t)(close - reader->text);
			reader->role[at] = QUOTE;
			reader->role[end] = END_QUOTE;
			plain[at] = plain[end] = ' ';
			/* Brackets inside quotes are text. */
			at = end;
		} else if (c == '(') {
			open[n_open++] = at;
		} else if (c == ')' && n_open > 0) {
			size_t start = open[--n_open];
			if (can_group(reader, start) &&
			    holds_word(reader->grammar, plain + start + 1, at - start - 1)) {
				reader->role[start] = OPEN;
				reader->role[at] = CLOSE;
			}
		}
		if (c == '(' || c == ')')
			plain[at] = ' ';
	}
}

/* ---- tokens ---- */

static bool ends_token(const struct reader *reader, size_t at)
{
	return at >= reader->n || reader->role[at] != TEXT || space_at(reader, at) > 0;
}

/* Parses a number from 0 to 1000, such as 2, 2.5 or .5. False: it is not one. */
static bool read_weight(const uint8_t *text, size_t n, double *weight)
{
	char copy[GRAMMAR_MAX_TEXT];
	size_t n_dots = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] != '.' && !(text[i] >= '0' && text[i] <= '9'))
			return false;
		n_dots += text[i] == '.';
	}
	if (n == 0 || n_dots > 1 || text[n - 1] == '.')
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	double value = strtod(copy, NULL);
	if (value > 1000)
		return false;
	*weight = value;
	return true;
}

/* Parses the ^N directly after a phrase or group; it must extend to the end of its token. Returns
 * the end of the ^N, or `at` if there is no valid ^N. */
static size_t take_weight(const struct reader *reader, size_t at, double *weight)
{
	size_t end = at;
	if (at >= reader->n || reader->text[at] != '^')
		return at;
	while (!ends_token(reader, end))
		end++;
	return read_weight(reader->text + at + 1, end - at - 1, weight) ? end : at;
}

static size_t field_at(const uint8_t *text, size_t n, int *field)
{
	size_t longest = 0;
	for (int i = 0; i < GRAMMAR_N_NAMES; i++) {
		size_t name_bytes = strlen(grammar_names[i]);
		if (n > name_bytes && name_bytes >= longest &&
		    memcmp(text, grammar_names[i], name_bytes) == 0 && text[name_bytes] == ':') {
			longest = name_bytes + 1;
			*field = i == GRAMMAR_N_NAMES - 1 ? ORACLE_FILE_NAME : i;
		}
	}
	return longest;
}

static struct token *add(struct reader *reader, enum kind kind, size_t start, size_t end)
{
	struct token *token = &reader->tokens[reader->n_tokens++];
	*token = (struct token){.kind = kind, .start = start, .end = end, .weight = 1};
	return token;
}

/* Reads a token that is not a phrase or a bracket. Returns its end. */
static size_t read_word(struct reader *reader, size_t at)
{
	const uint8_t *text = reader->text;
	size_t end = at, field_bytes, last = SIZE_MAX;
	int field = 0;
	double weight = 1;
	while (!ends_token(reader, end))
		end++;
	enum kind kind = operator_kind(text + at, end - at);
	if (kind != WORD) {
		add(reader, kind, at, end);
		return end;
	}
	if (text[at] == '-' || text[at] == '!') {
		bool is_alone = at + 1 == end;
		bool negates =
			is_alone ? end < reader->n &&
					   (reader->role[end] == QUOTE || reader->role[end] == OPEN)
				 : field_at(text + at + 1, end - at - 1, &field) > 0 ||
					   holds_word(reader->grammar, text + at + 1, end - at - 1);
		if (negates)
			add(reader, NOT, at, at + 1);
		at += negates;
		if (at == end)
			return end;
	}
	/* A ^N is a weight, unless only digits precede it: 2^10 is a number. */
	size_t inner_end = end, digits = at;
	for (size_t i = at; i < end; i++)
		last = text[i] == '^' ? i : last;
	while (digits < end && text[digits] >= '0' && text[digits] <= '9')
		digits++;
	if (last != SIZE_MAX && last > at && digits != last &&
	    read_weight(text + last + 1, end - last - 1, &weight))
		inner_end = last;
	while ((field_bytes = field_at(text + at, inner_end - at, &field)) > 0) {
		add(reader, FIELD, at, at + field_bytes)->field = field;
		at += field_bytes;
	}
	/* The ^2 of title:^2 is text, not a weight. */
	if (at == inner_end && inner_end < end) {
		inner_end = end;
		weight = 1;
	}
	if (at < inner_end)
		add(reader, WORD, at, inner_end)->weight = weight;
	return end;
}

static size_t read_phrase(struct reader *reader, size_t at)
{
	size_t end = at + 1, next;
	while (reader->role[end] != END_QUOTE)
		end++;
	struct token *token = add(reader, PHRASE, at + 1, end);
	end++;
	for (next = end + 1;
	     next < reader->n && reader->text[next] >= '0' && reader->text[next] <= '9'; next++)
		token->distance =
			token->distance < 100000000
				? token->distance * 10 + (reader->text[next] - (uint32_t)'0')
				: token->distance;
	if (end < reader->n && reader->text[end] == '~' && next > end + 1 &&
	    (ends_token(reader, next) || reader->text[next] == '^')) {
		token->is_near = true;
		end = next;
	}
	return take_weight(reader, end, &token->weight);
}

static bool starts_operand(enum kind kind)
{
	return kind == WORD || kind == PHRASE || kind == FIELD || kind == LEFT;
}

static void read_tokens(struct reader *reader)
{
	size_t at = 0, n_bytes;
	while (at < reader->n) {
		if ((n_bytes = space_at(reader, at)) > 0) {
			at += n_bytes;
		} else if (reader->role[at] == QUOTE) {
			at = read_phrase(reader, at);
		} else if (reader->role[at] == OPEN) {
			add(reader, LEFT, at, at + 1);
			at++;
		} else if (reader->role[at] == CLOSE) {
			struct token *token = add(reader, RIGHT, at, at + 1);
			at = take_weight(reader, at + 1, &token->weight);
		} else {
			at = read_word(reader, at);
		}
	}
	/* Without an operand after it, an operator is punctuation, and a field is a word. */
	enum kind next = END;
	for (size_t i = reader->n_tokens; i-- > 0;) {
		struct token *token = &reader->tokens[i];
		bool is_binary = token->kind == AND || token->kind == OR;
		token->is_dropped = (is_binary && !starts_operand(next) && next != NOT) ||
		                    (token->kind == NOT && !starts_operand(next));
		if (token->kind == FIELD && !starts_operand(next))
			token->kind = WORD;
		next = token->is_dropped ? next : token->kind;
	}
	add(reader, END, reader->n, reader->n);
}

/* ---- nodes ---- */

#define NO_NODE UINT32_MAX

static struct oracle_node *node_at(const struct reader *reader, uint32_t number)
{
	return &reader->query->nodes[number];
}

static uint32_t new_node(struct reader *reader, enum oracle_kind kind, int field)
{
	assert_true(reader->query->n_nodes < ORACLE_MAX_NODES);
	*node_at(reader, reader->query->n_nodes) =
		(struct oracle_node){.kind = kind, .field = field, .weight = 1};
	return reader->query->n_nodes++;
}

/* Makes an operator of two trees, or returns one of them if the other is NO_NODE. */
static uint32_t join(struct reader *reader, enum oracle_kind kind, uint32_t a, uint32_t b)
{
	if (a == NO_NODE || b == NO_NODE)
		return a == NO_NODE ? b : a;
	uint32_t number = new_node(reader, kind, ORACLE_NO_NAME);
	struct oracle_node *node = node_at(reader, number);
	node->n_children = 2;
	node->children[0] = a;
	node->children[1] = b;
	return number;
}

/* ---- leaves ---- */

static size_t to_nfc(const uint8_t *text, size_t n, uint8_t *out, size_t room)
{
	static UChar units[GRAMMAR_MAX_TEXT * 2], composed[GRAMMAR_MAX_TEXT * 4];
	UErrorCode code = U_ZERO_ERROR;
	int32_t n_units, n_composed, n_out;
	u_strFromUTF8WithSub(units, COUNT(units), &n_units, (const char *)text, (int32_t)n, 0xfffd,
	                     NULL, &code);
	n_composed = unorm2_normalize(unorm2_getNFCInstance(&code), units, n_units, composed,
	                              COUNT(composed), &code);
	u_strToUTF8((char *)out, (int32_t)room, &n_out, composed, n_composed, &code);
	assert_true(U_SUCCESS(code));
	return (size_t)n_out;
}

static const struct kept_token *last_word(const struct kept *kept)
{
	size_t i = kept_n(kept);
	while (i > 0 && kept_at(kept, i - 1)->is_bigram)
		i--;
	return i > 0 ? kept_at(kept, i - 1) : NULL;
}

/* Adds a leaf with the words of a text. */
static uint32_t add_leaf(struct reader *reader, enum oracle_kind kind, const struct kept *kept)
{
	struct oracle_items *items = &reader->query->items;
	uint32_t number = new_node(reader, kind, reader->field);
	struct oracle_node *leaf = node_at(reader, number);
	leaf->first_item = bs_vector_n(items);
	for (size_t i = 0; i < kept_n(kept); i++) {
		const struct kept_token *word = kept_at(kept, i);
		struct oracle_item item = {.position = word->position - kept_at(kept, 0)->position,
		                           .set_off = SIZE_MAX};
		if (word->is_bigram)
			continue;
		item.term = oracle_find_term(&reader->grammar->oracle,
		                             kept->terms.data + word->term_off, word->term_bytes);
		ok(bs_vector_append(items, &item, ERR));
		leaf->n_items++;
	}
	return number;
}

/* Makes the last word of the last leaf inexact. suffix: as of oracle_add_set. */
static void set_last(struct reader *reader, const char *suffix, const uint8_t *word, size_t n)
{
	struct oracle_items *items = &reader->query->items;
	items->items[bs_vector_n(items) - 1].set_off =
		oracle_add_set(reader->query, &reader->grammar->oracle, suffix, word, n);
}

/* Letters that stand in for wildcards while the tokenizer splits a text: Gothic letters, or Hangul
 * syllables next to Hangul. */
enum {
	ANY_LETTER,
	ONE_LETTER,
	N_LETTERS
};
static const UChar32 letters[2][N_LETTERS] = {{0x10330, 0x10331}, {0xd7a2, 0xd7a1}};

static int letter_of(UChar32 c)
{
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < N_LETTERS; k++)
			if (letters[i][k] == c)
				return k;
	return -1;
}

static bool is_hangul(UChar32 c)
{
	return c >= 0xac00 && c <= 0xd7a3;
}

/* A text as code points, some of which are wildcards. */
struct wild {
	UChar32 c[GRAMMAR_MAX_TEXT * 2];
	bool is_wild[GRAMMAR_MAX_TEXT * 2];
	size_t n;
};

static void decode(struct wild *wild, const uint8_t *text, size_t n)
{
	for (size_t at = 0; at < n; wild->n++) {
		assert_true(wild->n < GRAMMAR_MAX_TEXT * 2);
		wild->is_wild[wild->n] = false;
		U8_NEXT_OR_FFFD(text, at, n, wild->c[wild->n]);
	}
}

/* Decides which * and ? are wildcards, from the code point `start` on, where the last token begins.
 * Returns whether any is. */
static bool find_wild(struct wild *wild, size_t start)
{
	size_t n_letters = 0;
	bool has_any = false;
	for (size_t i = start; i < wild->n; i++)
		n_letters += u_isalnum(wild->c[i]) != 0;
	for (size_t i = start; i < wild->n; i++) {
		UChar32 before = i > start ? wild->c[i - 1] : 0,
			behind = i + 1 < wild->n ? wild->c[i + 1] : 0;
		bool is_keycap = before != '*' && (behind == 0xfe0f || behind == 0x20e3);
		if (wild->c[i] == '*')
			wild->is_wild[i] = n_letters >= 3 && !is_keycap;
		if (wild->c[i] == '?')
			wild->is_wild[i] = is_word_char(before) && is_word_char(behind);
		has_any |= wild->is_wild[i];
	}
	return has_any;
}

/* Encodes the text with a letter for each wildcard. starts[i]: offset of code point i. */
static size_t encode(const struct wild *wild, size_t token, uint8_t *out, size_t *starts)
{
	size_t n = 0;
	for (size_t i = 0; i < wild->n; i++) {
		UChar32 c = wild->c[i];
		/* Several adjacent * count as one wildcard, so their neighbours are those of the
		 * whole sequence. */
		size_t first = i, last = i;
		while (c == '*' && first > token && wild->c[first - 1] == '*')
			first--;
		while (c == '*' && last + 1 < wild->n && wild->c[last + 1] == '*')
			last++;
		bool beside = (first > token && is_hangul(wild->c[first - 1])) ||
		              (last + 1 < wild->n && is_hangul(wild->c[last + 1]));
		if (wild->is_wild[i])
			c = letters[beside][c == '*' ? ANY_LETTER : ONE_LETTER];
		starts[i] = n;
		n += put_char(out + n, c);
	}
	return n;
}

/* Makes a pattern of a word, in which encode() has replaced each wildcard by a letter. With
 * is_open, a * is appended. Returns the pattern's length; 0 if the word has no wildcard, or no
 * letter or digit besides. */
static size_t to_pattern(const uint8_t *word, size_t n, bool is_open, uint8_t *pattern)
{
	size_t n_out = 0, n_wild = 0;
	bool has_letter = false;
	for (size_t at = 0; at < n;) {
		UChar32 c;
		U8_NEXT_OR_FFFD(word, at, n, c);
		int letter = letter_of(c);
		n_wild += letter >= 0;
		has_letter |= letter < 0 && (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_N_MASK)) != 0;
		if (letter >= 0)
			pattern[n_out++] =
				letter == ANY_LETTER ? ORACLE_ANY_CHARS : ORACLE_ONE_CHAR;
		else
			n_out += put_char(pattern + n_out, c);
	}
	if (is_open)
		pattern[n_out++] = ORACLE_ANY_CHARS;
	return has_letter && n_wild > 0 ? n_out : 0;
}

/* Returns a leaf if the last word of the text has wildcards, otherwise NO_NODE. Wildcards count
 * only in the last word, and only if it has a letter or digit; a ? at its beginning does not
 * count. */
static uint32_t read_pattern(struct reader *reader, const uint8_t *text, size_t token, size_t n,
                             bool is_open)
{
	static struct wild wild;
	static uint8_t nfc[GRAMMAR_MAX_TEXT * 4], spelt[GRAMMAR_MAX_TEXT * 8],
		pattern[GRAMMAR_MAX_TEXT * 8];
	static size_t starts[GRAMMAR_MAX_TEXT * 2];
	AUTO(kept_deinit) struct kept kept = {0};
	size_t first, n_pattern = 0;
	wild.n = 0;
	decode(&wild, nfc, to_nfc(text, token, nfc, sizeof(nfc)));
	first = wild.n;
	decode(&wild, nfc, to_nfc(text + token, n - token, nfc, sizeof(nfc)));
	bool has_wild = find_wild(&wild, first);
	while (has_wild) {
		size_t n_spelt = encode(&wild, first, spelt, starts);
		bool has_changed = false;
		kept_analyze(reader->grammar->unstemmed, spelt, n_spelt, &kept);
		const struct kept_token *last = last_word(&kept);
		if (!last)
			break;
		const uint8_t *word = kept.terms.data + last->term_off;
		n_pattern = to_pattern(word, last->term_bytes, is_open, pattern);
		bool is_first_one = letter_of(char_at(word, last->term_bytes, 0)) == ONE_LETTER;
		has_wild = false;
		for (size_t i = 0; i < wild.n; i++) {
			bool is_before = starts[i] < last->start_byte;
			bool is_first = starts[i] == last->start_byte && is_first_one;
			if (wild.is_wild[i] && (is_before || is_first || n_pattern == 0)) {
				wild.is_wild[i] = false;
				has_changed = true;
			}
			has_wild |= wild.is_wild[i];
		}
		if (!has_changed)
			break;
		n_pattern = 0;
	}
	if (!has_wild || n_pattern == 0)
		return NO_NODE;
	kept_analyze(reader->grammar->tokenizer, spelt, encode(&wild, first, spelt, starts), &kept);
	uint32_t leaf = add_leaf(reader, ORACLE_PHRASE, &kept);
	set_last(reader, "?", pattern, n_pattern);
	return leaf;
}

/* Returns a copy of a text, which becomes part of query->bytes. */
static const char *keep(struct reader *reader, const uint8_t *text, size_t n)
{
	struct bs_buffer *bytes = &reader->query->bytes;
	size_t at = bytes->used_bytes;
	append_bytes(bytes, text, n);
	append_bytes(bytes, "", 1);
	return (const char *)bytes->data + at;
}

/* Splits a range into its ends. False: the text is not a range. */
static bool split_range(struct reader *reader, const uint8_t *text, size_t n,
                        struct oracle_range *range)
{
	size_t dots = 0;
	*range = (struct oracle_range){0};
	if (n > 1 && (text[0] == '<' || text[0] == '>')) {
		size_t skip = text[1] == '=' ? 2 : 1;
		range->is_out = skip == 1;
		*(text[0] == '>' ? &range->low : &range->high) =
			keep(reader, text + skip, n - skip);
		return !memchr(text, '\0', n);
	}
	while (dots + 1 < n && !(text[dots] == '.' && text[dots + 1] == '.'))
		dots++;
	if (dots + 1 >= n || n == 2 || (dots + 2 < n && text[dots + 2] == '.') ||
	    memchr(text, '\0', n))
		return false;
	range->low = dots > 0 ? keep(reader, text, dots) : NULL;
	range->high = dots + 2 < n ? keep(reader, text + dots + 2, n - dots - 2) : NULL;
	return true;
}

static uint32_t read_range(struct reader *reader, const uint8_t *text, size_t n)
{
	int field = reader->field == ORACLE_FILE_NAME ? GRAMMAR_N_NAMES - 1 : reader->field;
	struct oracle_range range;
	if (field < 0 || !reader->grammar->oracle.has_values[field] ||
	    !split_range(reader, text, n, &range) || !oracle_range_is_one(&range))
		return NO_NODE;
	uint32_t leaf = new_node(reader, ORACLE_RANGE, field);
	node_at(reader, leaf)->range = range;
	return leaf;
}

static uint32_t read_leaf(struct reader *reader, const struct token *token)
{
	const uint8_t *text = reader->text + token->start;
	size_t n = token->end - token->start, last = 0;
	bool is_phrase = token->kind == PHRASE;
	const char *suffix = "";
	uint32_t leaf = NO_NODE;
	/* A quoted text can be a range only if it has a space, as between a date and its time. */
	if (!is_phrase || (!token->is_near && memchr(text, ' ', n)))
		leaf = read_range(reader, text, n);
	if (leaf != NO_NODE)
		return leaf;
	if (is_phrase) {
		while (n > 0 && u_isUWhiteSpace(char_before(text, n)))
			n = step_back(text, n);
		for (last = n; last > 0 && !u_isUWhiteSpace(char_before(text, last));)
			last = step_back(text, last);
	}
	size_t whole = n;
	if (!token->is_near && n > last + 1 && text[n - 1] == '*') {
		suffix = "*";
		while (n > last + 1 && text[n - 1] == '*')
			n--;
	} else if (!is_phrase && n > 2 && text[n - 2] == '~' &&
	           (text[n - 1] == '1' || text[n - 1] == '2')) {
		suffix = text[n - 1] == '1' ? "~1" : "~2";
		n -= 2;
	}
	if (!token->is_near && *suffix != '~')
		leaf = read_pattern(reader, text, last, n, *suffix == '*');
	if (leaf != NO_NODE)
		return leaf;
	AUTO(kept_deinit) struct kept kept = {0};
	kept_analyze(reader->grammar->tokenizer, text, is_phrase && !*suffix ? whole : n, &kept);
	const struct kept_token *word = last_word(&kept);
	if (!word)
		return NO_NODE;
	leaf = add_leaf(reader, token->is_near ? ORACLE_NEAR : ORACLE_PHRASE, &kept);
	node_at(reader, leaf)->distance = token->distance;
	/* A word with * or ~N is not stemmed; a character of a script run is compared exactly. */
	bool is_in_last = word->start_byte >= last;
	bool is_run = naive_starts_run(char_at(text, n, (size_t)word->start_byte));
	if (*suffix && is_in_last && !is_run) {
		kept_analyze(reader->grammar->unstemmed, text, n, &kept);
		word = last_word(&kept);
		set_last(reader, suffix, kept.terms.data + word->term_off, word->term_bytes);
	}
	return leaf;
}

/* ---- the grammar ---- */

static const struct token *peek(struct reader *reader)
{
	while (reader->tokens[reader->at].is_dropped)
		reader->at++;
	return &reader->tokens[reader->at];
}

static uint32_t read_or(struct reader *reader);

static uint32_t read_primary(struct reader *reader)
{
	int around = reader->field;
	uint32_t node;
	while (peek(reader)->kind == FIELD) {
		reader->field = peek(reader)->field;
		reader->at++;
	}
	if (peek(reader)->kind == LEFT) {
		reader->at++;
		reader->depth++;
		node = read_or(reader);
		reader->depth--;
		assert_int_equal(peek(reader)->kind, RIGHT);
	} else {
		node = read_leaf(reader, peek(reader));
	}
	if (node != NO_NODE)
		node_at(reader, node)->weight *= peek(reader)->weight;
	reader->at++;
	reader->field = around;
	return node;
}

static uint32_t read_unary(struct reader *reader, bool *is_negated)
{
	*is_negated = peek(reader)->kind == NOT;
	reader->at += *is_negated;
	uint32_t operand = read_primary(reader);
	if (!*is_negated || operand == NO_NODE)
		return operand;
	uint32_t node = new_node(reader, ORACLE_NOT, ORACLE_NO_NAME);
	node_at(reader, node)->n_children = 1;
	node_at(reader, node)->children[0] = operand;
	return node;
}

/* Reads operands joined by AND. *is_negated: there is only one, and it has NOT. */
static uint32_t read_explicit(struct reader *reader, bool *is_negated)
{
	uint32_t all = read_unary(reader, is_negated);
	while (peek(reader)->kind == AND) {
		bool ignored;
		reader->at++;
		*is_negated = false;
		all = join(reader, ORACLE_AND, all, read_unary(reader, &ignored));
	}
	return all;
}

/* Reads adjacent operands. All must match. With --any, outside brackets, at least one operand
 * without NOT must match, and all operands with NOT. */
static uint32_t read_and(struct reader *reader)
{
	uint32_t all = NO_NODE, either = NO_NODE;
	bool is_any = reader->any && reader->depth == 0;
	for (;;) {
		enum kind kind = peek(reader)->kind;
		bool is_negated;
		if (kind != NOT && !starts_operand(kind))
			break;
		uint32_t next = read_explicit(reader, &is_negated);
		if (is_any && !is_negated)
			either = join(reader, ORACLE_OR, either, next);
		else
			all = join(reader, ORACLE_AND, all, next);
	}
	return join(reader, ORACLE_AND, either, all);
}

static uint32_t read_or(struct reader *reader)
{
	/* An operator without a left operand counts as punctuation. */
	while (peek(reader)->kind == AND || peek(reader)->kind == OR)
		reader->at++;
	uint32_t either = read_and(reader);
	while (peek(reader)->kind == OR) {
		reader->at++;
		either = join(reader, ORACLE_OR, either, read_and(reader));
	}
	return either;
}

bool grammar_read(struct grammar *grammar, const uint8_t *text, size_t n_bytes, bool any,
                  struct oracle_query *query)
{
	FREED struct reader *reader = must_calloc(1, sizeof(*reader));
	assert_true(n_bytes < GRAMMAR_MAX_TEXT);
	*reader = (struct reader){.grammar = grammar,
	                          .query = query,
	                          .text = text,
	                          .n = n_bytes,
	                          .any = any,
	                          .field = ORACLE_NO_NAME};
	query->n_nodes = 0;
	bs_buffer_clear(&query->bytes);
	bs_vector_clear(&query->items);
	bs_buffer_clear(&query->sets);
	/* Each byte is in at most one range, whose ends have two more; so the bytes never move. */
	ok(bs_buffer_reserve(&query->bytes, 3 * GRAMMAR_MAX_TEXT, ERR));
	find_roles(reader);
	read_tokens(reader);
	query->root = read_or(reader);
	assert_int_equal(peek(reader)->kind, END);
	if (query->root == NO_NODE)
		return false;
	oracle_query_weigh(query, &grammar->oracle);
	return true;
}
