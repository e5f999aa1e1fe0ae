/*
 * lex.c: see lex.h. Three passes: the first finds which quotes and brackets delimit
 * (mark_delimiters), the second reads the tokens (read_tokens), and the third finds operators and
 * fields without operands (settle).
 */
#include "query/language/lex.h"

#include <string.h>
#include <unicode/utf8.h>

#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/bitsift/terminal.h"
#include "core/system/deadline.h"
#include "core/system/icu.h"
#include "core/text/printable.h"
#include "query/language/like_name.h"

/* the most bytes of a token that a notice shows */
#define SHOWN_BYTES 60

/* The role of a byte of the text. A bracket or quote without a mark is text. */
enum mark {
	MARK_NONE,
	MARK_QUOTE,
	MARK_OPEN,
	MARK_CLOSE
};

struct bs_lex_bracket {
	size_t byte;
	bool groups; /* it opens a group, provided that it contains a word */
	bool has_word;
};

/* Estimated nanoseconds, for the deadline checks: per byte of the text (checked every SPEND_BYTES
 * bytes), per byte that the analyzer reads, per token read, per token settled, and per notice. */
#define SPEND_BYTES  1024u
#define BYTE_NS      4u
#define WORD_BYTE_NS 20u
#define TOKEN_NS     200u
#define SETTLE_NS    10u
#define NOTICE_NS    500u

void bs_lex_deinit(struct bs_lexing *lexing)
{
	bs_vector_deinit(&lexing->tokens);
	bs_buffer_deinit(&lexing->marks);
	bs_vector_deinit(&lexing->open);
}

void bs_lex_keep(struct bs_lexing *lexing, enum bs_status status)
{
	if (!lexing->status)
		lexing->status = status;
}

void bs_lex_fail(struct bs_lexing *lexing, size_t byte, const char *message)
{
	if (lexing->status)
		return;
	lexing->error_byte = byte;
	lexing->status = bs_fail(lexing->err, BS_INVALID, "%s", message);
}

/* The number of bytes of a token that a notice shows: all, but at most SHOWN_BYTES, and no part of
 * a character. */
static int shown_bytes(const uint8_t *text, size_t n_bytes)
{
	if (n_bytes <= SHOWN_BYTES)
		return (int)n_bytes;
	size_t shown = SHOWN_BYTES;
	while (shown > SHOWN_BYTES - U8_MAX_LENGTH && U8_IS_TRAIL(text[shown]))
		shown--;
	return (int)shown;
}

void bs_lex_notice(struct bs_lexing *lexing, size_t start_byte, size_t end_byte,
                   const char *message)
{
	struct bs_query_tree *query = lexing->query;
	const uint8_t *text = lexing->text + start_byte;
	int n_shown = shown_bytes(text, end_byte - start_byte);
	const char *cut = (size_t)n_shown < end_byte - start_byte ? "…" : "";
	struct bs_error notice;
	bool is_told = lexing->status || query->notices.n == BS_QUERY_NOTICES;
	if (is_told && !lexing->options->strict)
		return;
	bs_lex_keep(lexing, bs_deadline_check_after(NOTICE_NS, lexing->err));
	(void)bs_fail(&notice, BS_OK, "%.*s%s %s", n_shown, (const char *)text, cut, message);
	if (lexing->options->strict)
		bs_lex_fail(lexing, start_byte, notice.text);
	for (uint32_t i = 0; i < query->notices.n && !is_told; i++)
		is_told = strcmp(query->notices.lines[i].text, notice.text) == 0;
	if (!is_told)
		query->notices.lines[query->notices.n++] = notice;
}

/* The length of the white space at `at`; 0 if there is none. */
static size_t space_bytes(const struct bs_lexing *lexing, size_t at)
{
	if (at >= lexing->text_bytes)
		return 0;
	size_t next = at;
	return bs_is_white_space(bs_utf8_next(lexing->text, lexing->text_bytes, &next)) ? next - at
	                                                                                : 0;
}

static enum mark mark_at(const struct bs_lexing *lexing, size_t at)
{
	return at < lexing->marks.used_bytes ? (enum mark)lexing->marks.data[at] : MARK_NONE;
}

static bool is_delimiter(const struct bs_lexing *lexing, size_t at)
{
	return at >= lexing->text_bytes || mark_at(lexing, at) != MARK_NONE ||
	       space_bytes(lexing, at) > 0;
}

bool bs_lex_is_word_character(int32_t c)
{
	const uint32_t word = U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK;
	return c == '_' || (c > 0 && (U_MASK(bs_icu.u_charType(c)) & word));
}

/* bs_token_fn: stores the position of the first token in the context and stops the analysis. */
static enum bs_status stop_at_word(void *context, const struct bs_token *tokens, size_t n_tokens,
                                   struct bs_error *err)
{
	uint64_t *start_byte = context;
	(void)n_tokens, (void)err;
	*start_byte = tokens->start_byte;
	return BS_INVALID;
}

/* The position of the first word of text[start..end), as the analyzer cuts it; `end` if there is
 * none. */
static size_t first_word(struct bs_lexing *lexing, size_t start, size_t end)
{
	uint64_t found = UINT64_MAX;
	if (start == end || lexing->status)
		return end;
	bs_lex_keep(lexing, bs_deadline_check_after((end - start) * WORD_BYTE_NS, lexing->err));
	enum bs_status status =
		bs_tokenizer_analyze(lexing->options->tokenizer, lexing->text + start, end - start,
	                             0, stop_at_word, &found, NULL, lexing->err);
	if (found == UINT64_MAX)
		bs_lex_keep(lexing, status);
	return found == UINT64_MAX ? end : start + (size_t)found;
}

static bool has_word(struct bs_lexing *lexing, size_t start, size_t end)
{
	return first_word(lexing, start, end) < end;
}

/* True if a word or a word character begins at `at`. */
static bool begins_word(struct bs_lexing *lexing, size_t at, size_t end)
{
	size_t next = at;
	return at < end && (bs_lex_is_word_character(bs_utf8_next(lexing->text, end, &next)) ||
	                    first_word(lexing, at, end) == at);
}

static bool is_text(const struct bs_lexing *lexing, size_t start, size_t end, const char *text)
{
	return end - start == strlen(text) && memcmp(lexing->text + start, text, end - start) == 0;
}

/* Returns the operator if the whole token is one; otherwise BS_LEX_WORD. */
static enum bs_lex_kind operator_of(const struct bs_lexing *lexing, size_t start, size_t end)
{
	if (is_text(lexing, start, end, "AND") || is_text(lexing, start, end, "&&"))
		return BS_LEX_AND;
	if (is_text(lexing, start, end, "OR") || is_text(lexing, start, end, "||"))
		return BS_LEX_OR;
	return is_text(lexing, start, end, "NOT") ? BS_LEX_NOT : BS_LEX_WORD;
}

/* True if a word character precedes `at`. A combining mark counts like the character that it
 * follows: U+2260 is not a word character, so neither is its decomposition, = with U+0338. A mark
 * at the beginning of the text is not a word character. */
static bool is_after_word_character(const struct bs_lexing *lexing, size_t at)
{
	int32_t c = 0;
	while (at > 0) {
		c = bs_utf8_previous(lexing->text, &at);
		if (c <= 0 || !(U_MASK(bs_icu.u_charType(c)) & U_GC_M_MASK))
			break;
		c = 0;
	}
	return bs_lex_is_word_character(c);
}

/* True if the bracket at `at` may open a group, judged by the text before it. In f(x) the brackets
 * are punctuation. */
static bool may_group(const struct bs_lexing *lexing, size_t at)
{
	size_t start = at;
	if (!is_after_word_character(lexing, at))
		return true;
	/* Looks back as far as the longest operator and the delimiter before it. */
	for (start = at; start > 0 && at - start < sizeof("AND");) {
		size_t before = start;
		int32_t c = bs_utf8_previous(lexing->text, &before);
		if (bs_is_white_space(c) || c == '(' || c == ')' || c == '"')
			break;
		start = before;
	}
	return operator_of(lexing, start, at) != BS_LEX_WORD;
}

static struct bs_lex_bracket *innermost(const struct bs_lexing *lexing)
{
	size_t n = bs_vector_n(&lexing->open);
	return n ? &lexing->open.items[n - 1] : NULL;
}

static void close_bracket(struct bs_lexing *lexing, size_t at)
{
	const struct bs_lex_bracket *inner = innermost(lexing);
	if (!inner) {
		bs_lex_notice(lexing, at, at + 1, "closes nothing: it counts as punctuation");
		return;
	}
	struct bs_lex_bracket closed = *inner;
	bs_vector_set_n(&lexing->open, bs_vector_n(&lexing->open) - 1);
	struct bs_lex_bracket *around = innermost(lexing);
	if (around)
		around->has_word |= closed.has_word;
	if (!closed.groups || !closed.has_word)
		return;
	lexing->marks.data[closed.byte] = MARK_OPEN;
	lexing->marks.data[at] = MARK_CLOSE;
}

/* Returns the position of the closing quote, or `at` if there is none. */
static size_t mark_quotes(struct bs_lexing *lexing, size_t at)
{
	const uint8_t *text = lexing->text,
		      *close = memchr(text + at + 1, '"', lexing->text_bytes - at - 1);
	if (!close) {
		bs_lex_notice(lexing, at, at + 1, "is never closed: it counts as punctuation");
		return at;
	}
	size_t end = (size_t)(close - text);
	struct bs_lex_bracket *around = innermost(lexing);
	if (around && !around->has_word)
		around->has_word = has_word(lexing, at + 1, end);
	lexing->marks.data[at] = lexing->marks.data[end] = MARK_QUOTE;
	return end;
}

static void mark_delimiters(struct bs_lexing *lexing)
{
	size_t at = 0;
	while (at < lexing->text_bytes && lexing->text[at] != '(' && lexing->text[at] != ')' &&
	       lexing->text[at] != '"')
		at++;
	if (at == lexing->text_bytes)
		return;
	bs_lex_keep(lexing, bs_buffer_reserve(&lexing->marks, lexing->text_bytes, lexing->err));
	if (lexing->status)
		return;
	memset(lexing->marks.data, MARK_NONE, lexing->text_bytes);
	lexing->marks.used_bytes = lexing->text_bytes;
	size_t piece = 0; /* the beginning of the text since the last delimiter */
	for (at = 0; at < lexing->text_bytes && !lexing->status; at++) {
		if (at % SPEND_BYTES == 0)
			bs_lex_keep(lexing,
			            bs_deadline_check_after(SPEND_BYTES * BYTE_NS, lexing->err));
		uint8_t byte = lexing->text[at];
		if (byte != '(' && byte != ')' && byte != '"')
			continue;
		struct bs_lex_bracket opened = {.byte = at}, *around = innermost(lexing);
		if (around && !around->has_word)
			around->has_word = has_word(lexing, piece, at);
		if (byte == '(') {
			opened.groups = may_group(lexing, at);
			bs_lex_keep(lexing, bs_vector_append(&lexing->open, &opened, lexing->err));
		} else if (byte == ')') {
			close_bracket(lexing, at);
		} else {
			at = mark_quotes(lexing, at);
		}
		piece = at + 1;
	}
	/* Of several brackets that are never closed, only the first gets a notice. */
	if (bs_vector_n(&lexing->open) > 0)
		bs_lex_notice(lexing, lexing->open.items[0].byte, lexing->open.items[0].byte + 1,
		              "is never closed: it counts as punctuation");
}

/* Reads text[0..n_bytes) as a decimal number. Returns false if it is not a number. */
static bool read_decimal(const uint8_t *text, size_t n_bytes, double *number_out)
{
	const uint64_t enough = UINT64_C(10000000000000);
	uint64_t digits = 0, unit = 1;
	size_t n_digits = 0;
	bool is_fraction = false;
	for (size_t i = 0; i < n_bytes; i++) {
		if (text[i] == '.' && !is_fraction) {
			is_fraction = true;
			n_digits = 0;
			continue;
		}
		if (!bs_lex_is_digit(text[i]))
			return false;
		n_digits++;
		if (digits >= enough || unit >= enough)
			continue;
		digits = digits * 10 + (text[i] - (uint8_t)'0');
		unit *= is_fraction ? 10 : 1;
	}
	*number_out = (double)digits / (double)unit;
	return n_digits > 0;
}

/* The offset of the digits, dots and minus signs at the end of text[start..end). They need not be a
 * valid number. */
static size_t number_start(const uint8_t *text, size_t start, size_t end)
{
	while (end > start &&
	       (bs_lex_is_digit(text[end - 1]) || text[end - 1] == '.' || text[end - 1] == '-'))
		end--;
	return end;
}

/* Sets the weight of the token if text[start..end), which begins with ^, is a valid weight;
 * otherwise returns false. */
static bool read_weight(const struct bs_lexing *lexing, struct bs_lexeme *token, size_t start,
                        size_t end)
{
	double weight;
	if (!read_decimal(lexing->text + start + 1, end - start - 1, &weight) ||
	    weight > BS_QUERY_MAX_WEIGHT)
		return false;
	token->weight = weight;
	return true;
}

static bool are_digits(const uint8_t *text, size_t start, size_t end)
{
	while (start < end && bs_lex_is_digit(text[start]))
		start++;
	return start == end;
}

/* Moves a weight at the end of a word to token->weight. After digits, ^N is not a weight but a
 * power (2^10). */
static void take_weight(const struct bs_lexing *lexing, struct bs_lexeme *token)
{
	const uint8_t *text = lexing->text;
	size_t first = token->inner_start_byte, end = token->inner_end_byte,
	       start = number_start(text, first, end);
	if (start == first || text[start - 1] != '^')
		return;
	start--;
	if (!are_digits(text, first, start) && read_weight(lexing, token, start, end))
		token->inner_end_byte = (uint32_t)start;
}

/* Adds a weight ^N after a closing quote or bracket to the token. */
static void read_weight_behind(const struct bs_lexing *lexing, struct bs_lexeme *token)
{
	size_t end = token->end_byte;
	if (end >= lexing->text_bytes || lexing->text[end] != '^')
		return;
	while (!is_delimiter(lexing, end))
		end++;
	bool is_number = number_start(lexing->text, token->end_byte, end) == token->end_byte + 1;
	if (is_number && read_weight(lexing, token, token->end_byte, end))
		token->end_byte = (uint32_t)end;
}

/* Adds a distance ~N after a closing quote to the token. */
static void read_distance(const struct bs_lexing *lexing, struct bs_lexeme *token)
{
	size_t at = token->end_byte;
	if (at >= lexing->text_bytes || lexing->text[at] != '~')
		return;
	uint32_t distance = 0;
	for (at++; at < lexing->text_bytes && bs_lex_is_digit(lexing->text[at]); at++) {
		uint64_t longer = (uint64_t)distance * 10 + (lexing->text[at] - (uint8_t)'0');
		distance =
			longer < BS_QUERY_MAX_DISTANCE ? (uint32_t)longer : BS_QUERY_MAX_DISTANCE;
	}
	bool ends = is_delimiter(lexing, at) || lexing->text[at] == '^';
	if (at == token->end_byte + 1 || !ends)
		return;
	token->kind = BS_LEX_NEAR;
	token->value = distance;
	token->end_byte = (uint32_t)at;
}

/* The length of the field name at the beginning of text[start..end), with its colon; 0 if there is
 * none. */
static size_t find_field(const struct bs_lexing *lexing, size_t start, size_t end,
                         uint32_t *field_out)
{
	const struct bs_query_options *options = lexing->options;
	const uint8_t *word = lexing->text + start;
	size_t word_bytes = end - start, longest_bytes = options->longest_field_bytes,
	       found_bytes = 0;
	size_t reach =
		options->fields && word_bytes > longest_bytes ? longest_bytes + 1 : word_bytes;
	for (size_t at = 1; options->fields && at < reach; at++) {
		const uint8_t *colon = memchr(word + at, ':', reach - at);
		if (!colon)
			break;
		at = (size_t)(colon - word);
		if (bs_term_table_find(options->fields, word, (uint32_t)at, bs_hash_slot(word, at),
		                       field_out))
			found_bytes = at + 1;
	}
	if (options->has_file_names && found_bytes <= sizeof(BS_LEX_FILE_NAME) &&
	    word_bytes >= sizeof(BS_LEX_FILE_NAME) &&
	    memcmp(word, BS_LEX_FILE_NAME ":", sizeof(BS_LEX_FILE_NAME)) == 0) {
		*field_out = BS_QUERY_FILE_NAME;
		found_bytes = sizeof(BS_LEX_FILE_NAME);
	}
	return found_bytes;
}

/* Limits the work: a text may have a hundred thousand names, and an index as many fields. */
#define MOST_NAMES_TRIED 20u

static struct bs_field_suggestion find_like(struct bs_lexing *lexing, const uint8_t *name,
                                            size_t name_bytes)
{
	const struct bs_query_options *options = lexing->options;
	struct bs_field_suggestion like = {NULL, 0};
	if (++lexing->n_names_tried <= MOST_NAMES_TRIED && !lexing->status)
		bs_lex_keep(lexing,
		            bs_suggest_field(options->fields, options->longest_field_bytes,
		                             options->has_file_names ? BS_LEX_FILE_NAME : NULL,
		                             name, name_bytes, &like, lexing->err));
	return like;
}

/*
 * Adds a notice if a word looks like field:word but the index has no such field. It looks like this
 * if letters and one colon precede a word, a range, a phrase or a group, or if a name similar to a
 * field precedes a colon. There is no notice for 8080:80, std::string, C:\dir and https://host.
 */
static void notice_field(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	const uint8_t *text = lexing->text;
	size_t start = token->inner_start_byte, end = token->inner_end_byte;
	const uint8_t *found = memchr(text + start, ':', end - start);
	size_t colon = found ? (size_t)(found - text) : start, after = colon + 1;
	bool is_name = true, is_like_name = true;
	struct bs_range range;
	if (colon == start || (after < end && (text[after] == ':' || text[after] == '/')))
		return;
	for (size_t at = start; at < colon;) {
		int32_t c = bs_utf8_next(text, colon, &at);
		is_name &= c > 0 && (U_MASK(bs_icu.u_charType(c)) & (U_GC_L_MASK | U_GC_M_MASK));
		is_like_name &= bs_lex_is_word_character(c) || c == '.' || c == '-';
	}
	struct bs_field_suggestion like = {NULL, 0};
	if (is_like_name)
		like = find_like(lexing, text + start, colon - start);
	bool is_before = after == end
	                         ? mark_at(lexing, after) == MARK_QUOTE ||
	                                   mark_at(lexing, after) == MARK_OPEN
	                         : begins_word(lexing, after, end) ||
	                                   bs_range_parse(text + after, end - after, NULL, &range);
	bool is_one = after >= end || !memchr(text + after, ':', end - after);
	struct bs_error message;
	if (!like.name && !(is_name && is_before && is_one))
		return;
	(void)bs_fail(&message, BS_OK,
	              "is not a field of this index and is searched as text%s%.*s%s",
	              like.name ? ": did you mean " : "", (int)like.n_bytes,
	              like.name ? (const char *)like.name : "", like.name ? ":?" : "");
	bs_lex_notice(lexing, start, after, message.text);
}

/* The functions seems_... are called for a token that is searched as text. They return true if it
 * looks like syntax that the user may have meant; the user then gets a notice (`semblances`). */

/* True for /regex/ as a whole token (a path such as /usr/lib/ has slashes inside) and for .* before
 * a word. */
static bool seems_regex(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	const uint8_t *word = lexing->text + token->inner_start_byte;
	size_t n_bytes = token->inner_end_byte - token->inner_start_byte;
	const uint8_t *dot = memmem(word, n_bytes, ".*", 2);
	size_t behind = dot ? (size_t)(dot - word) + 2 : n_bytes;
	if (behind < n_bytes && bs_lex_is_word_character(bs_utf8_next(word, n_bytes, &behind)))
		return true;
	return n_bytes > 2 && word[0] == '/' && word[n_bytes - 1] == '/' &&
	       !memchr(word + 1, '/', n_bytes - 2);
}

/* True for && and || within a token. */
static bool seems_operator(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	const uint8_t *word = lexing->text + token->inner_start_byte;
	size_t n_bytes = token->inner_end_byte - token->inner_start_byte;
	return memmem(word, n_bytes, "&&", 2) || memmem(word, n_bytes, "||", 2);
}

/* True if the token directly follows a phrase or a group and does not begin with a field. */
static bool is_behind(const struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	return token->start_byte > 0 && token->start_byte == token->inner_start_byte &&
	       mark_at(lexing, token->start_byte - 1u) != MARK_NONE;
}

/* True for ^ and a number, perhaps signed, after a word that is not only digits: cat^1e2, cat^2^3,
 * cat^2~1, cat^-1. Also if they are the whole token, or the beginning of a token directly after a
 * phrase or group. */
static bool seems_weight(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	const uint8_t *text = lexing->text;
	size_t start = token->inner_start_byte, end = token->inner_end_byte;
	for (size_t at = start; at < end; at++) {
		size_t digit = at + 1, before = at;
		while (text[at] == '^' && digit < end && memchr("+-.", text[digit], 3))
			digit++;
		if (text[at] != '^' || digit == end || !bs_lex_is_digit(text[digit]))
			continue;
		if (at == start)
			return is_behind(lexing, token) ||
			       number_start(text, start, end) == start + 1;
		return bs_lex_is_word_character(bs_utf8_previous(text, &before)) &&
		       !are_digits(text, start, at);
	}
	return false;
}

/* True for a token that looks like a distance but is searched as text: it begins with ~ directly
 * after a phrase or group, or ends with ~ and a number other than 1 and 2 (cat~3). */
static bool seems_distance(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	const uint8_t *text = lexing->text;
	size_t start = token->inner_start_byte, end = token->inner_end_byte, at = end;
	while (at > start && (bs_lex_is_digit(text[at - 1]) || text[at - 1] == '.'))
		at--;
	bool is_distance = end - at == 1 && (text[at] == '1' || text[at] == '2');
	if (text[start] == '~' && is_behind(lexing, token))
		return true;
	return at > start + 1 && at < end && text[at - 1] == '~' && !is_distance;
}

/* True for the first of several words in curly quotes. */
static bool seems_phrase(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	const uint8_t *word = lexing->text + token->inner_start_byte;
	size_t n_bytes = token->inner_end_byte - token->inner_start_byte;
	bool is_open = n_bytes > 3 && (memcmp(word, "“", 3) == 0 || memcmp(word, "„", 3) == 0);
	return is_open && !memmem(word + 3, n_bytes - 3, "“", 3) &&
	       !memmem(word + 3, n_bytes - 3, "”", 3);
}

/* True for a negation after a field (title:-dog), where it is punctuation; false for the sign of a
 * number. */
static bool seems_left_out(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	const uint8_t *text = lexing->text;
	size_t sign = token->inner_start_byte, next = sign + 1;
	return sign > token->start_byte && (text[sign] == '-' || text[sign] == '!') &&
	       next < token->inner_end_byte && !bs_lex_is_digit(text[next]) &&
	       begins_word(lexing, next, token->inner_end_byte);
}

/* True for +word if `any` is set, because the + then does not make the word required. */
static bool seems_required(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	const uint8_t *text = lexing->text;
	size_t next = token->start_byte + 1u;
	return lexing->options->any && text[token->start_byte] == '+' &&
	       next < token->inner_end_byte && !bs_lex_is_digit(text[next]) &&
	       begins_word(lexing, next, token->inner_end_byte);
}

static const struct {
	bool (*seems)(struct bs_lexing *lexing, const struct bs_lexeme *token);
	const char *message;
} semblances[] = {
	{seems_regex, "is searched as words: regular expressions are for `bitsift grep`"},
	{seems_operator, "is searched as text: && and || must be tokens of their own, as in "
                         "cat || dog"},
	{seems_weight, "is searched as text: a weight is a number from 0 to 1000 directly after "
                       "its word, at the end, as in cat~1^2.5"},
	{seems_distance, "is searched as text: a distance is ~1 or ~2 after a word, and a whole "
                         "number after a phrase"},
	{seems_phrase, "is searched as words: a phrase has straight quotes, as in \"big dog\""},
	{seems_left_out,
         "is searched without its sign: write the - or ! before the field, as in -title:dog"},
	{seems_required, "is not required by its +: join required words with AND, as in "
                         "cat AND (dog OR bird)"},
};

static void notice_semblances(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	notice_field(lexing, token);
	for (size_t i = 0; i < sizeof(semblances) / sizeof(*semblances); i++)
		if (semblances[i].seems(lexing, token))
			bs_lex_notice(lexing, token->inner_start_byte, token->end_byte,
			              semblances[i].message);
}

static void add(struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	if (!lexing->status)
		lexing->status = bs_vector_append(&lexing->tokens, token, lexing->err);
}

/* True if the token contains a quote, or ( and ) in unequal numbers; these do not delimit here. */
static bool is_rest(const struct bs_lexing *lexing, const struct bs_lexeme *token)
{
	size_t n_open = 0, n_close = 0;
	bool has_quote = false;
	for (size_t at = token->start_byte; at < token->end_byte; at++) {
		n_open += lexing->text[at] == '(';
		n_close += lexing->text[at] == ')';
		has_quote |= lexing->text[at] == '"';
	}
	return n_open != n_close || has_quote;
}

static struct bs_lexeme make(enum bs_lex_kind kind, size_t start, size_t end)
{
	return (struct bs_lexeme){.kind = (uint8_t)kind,
	                          .start_byte = (uint32_t)start,
	                          .end_byte = (uint32_t)end,
	                          .inner_start_byte = (uint32_t)start,
	                          .inner_end_byte = (uint32_t)end,
	                          .weight = 1};
}

/* Adds the FIELD tokens at the beginning of a word, then the word itself. */
static void add_word(struct bs_lexing *lexing, struct bs_lexeme *token)
{
	uint32_t field;
	size_t n_bytes, start = token->start_byte;
	token->is_rest = is_rest(lexing, token);
	take_weight(lexing, token);
	while ((n_bytes = find_field(lexing, start, token->inner_end_byte, &field)) > 0) {
		struct bs_lexeme name = make(BS_LEX_FIELD, start, start + n_bytes);
		name.value = field;
		add(lexing, &name);
		start += n_bytes;
	}
	/* In title:^2 nothing is left that the weight applies to, so ^2 is text. */
	if (start == token->inner_end_byte && start < token->end_byte) {
		token->inner_end_byte = token->end_byte;
		token->weight = 1;
	}
	token->inner_start_byte = (uint32_t)start;
	if (start == token->inner_end_byte)
		return;
	notice_semblances(lexing, token);
	add(lexing, token);
}

/* True if - or ! at `at` is a NOT: before a token that contains a word or begins with a field, or
 * before a phrase or group. */
static bool is_minus(struct bs_lexing *lexing, size_t at, size_t end)
{
	uint32_t field;
	if (lexing->text[at] != '-' && lexing->text[at] != '!')
		return false;
	if (end == at + 1)
		return mark_at(lexing, end) == MARK_QUOTE || mark_at(lexing, end) == MARK_OPEN;
	return find_field(lexing, at + 1, end, &field) > 0 || has_word(lexing, at + 1, end);
}

/* True for the option of a command, such as --verbose, that was pasted into the query. */
static bool is_option(const struct bs_lexing *lexing, size_t at, size_t end)
{
	size_t next = at + 2;
	return next < end && lexing->text[at] == '-' && lexing->text[at + 1] == '-' &&
	       bs_lex_is_word_character(bs_utf8_next(lexing->text, end, &next));
}

/* Returns the end of the word. After a minus, another minus is text, and so are AND, OR and NOT. */
static size_t read_word(struct bs_lexing *lexing, size_t at)
{
	struct bs_lexeme token = make(BS_LEX_NOT, at, at + 1);
	size_t end = at;
	/* Continuation bytes never look like a delimiter. */
	while (!is_delimiter(lexing, end))
		end++;
	/* The word may be the whole text and is scanned several times. */
	bs_lex_keep(lexing, bs_deadline_check_after((end - at) * WORD_BYTE_NS, lexing->err));
	if (lexing->status)
		return end;
	enum bs_lex_kind kind = operator_of(lexing, at, end);
	bool is_negated = is_minus(lexing, at, end);
	if (lexing->status)
		return end;
	if (is_negated)
		add(lexing, &token);
	if (is_negated && is_option(lexing, at, end))
		bs_lex_notice(lexing, at, end,
		              "excludes documents with the word, like a single -: put it in quotes "
		              "to search for it");
	at += is_negated;
	token = make(kind, at, end);
	if (kind != BS_LEX_WORD)
		add(lexing, &token);
	else if (at < end)
		add_word(lexing, &token);
	return end;
}

static size_t read_phrase(struct bs_lexing *lexing, size_t at)
{
	size_t close = at + 1;
	while (mark_at(lexing, close) != MARK_QUOTE)
		close++;
	struct bs_lexeme token = make(BS_LEX_PHRASE, at, close + 1);
	token.inner_start_byte++;
	token.inner_end_byte--;
	read_distance(lexing, &token);
	read_weight_behind(lexing, &token);
	add(lexing, &token);
	return token.end_byte;
}

static size_t read_bracket(struct bs_lexing *lexing, size_t at)
{
	bool closes = mark_at(lexing, at) == MARK_CLOSE;
	struct bs_lexeme token = make(closes ? BS_LEX_CLOSE : BS_LEX_OPEN, at, at + 1);
	if (closes)
		read_weight_behind(lexing, &token);
	add(lexing, &token);
	return token.end_byte;
}

static void read_tokens(struct bs_lexing *lexing)
{
	for (size_t at = 0, n_bytes; at < lexing->text_bytes && !lexing->status;) {
		bs_lex_keep(lexing, bs_deadline_check_after(TOKEN_NS, lexing->err));
		if ((n_bytes = space_bytes(lexing, at)) > 0)
			at += n_bytes;
		else if (mark_at(lexing, at) == MARK_QUOTE)
			at = read_phrase(lexing, at);
		else if (mark_at(lexing, at) != MARK_NONE)
			at = read_bracket(lexing, at);
		else
			at = read_word(lexing, at);
	}
}

static bool ends_operand(enum bs_lex_kind kind)
{
	return kind == BS_LEX_WORD || kind == BS_LEX_PHRASE || kind == BS_LEX_NEAR ||
	       kind == BS_LEX_CLOSE;
}

static bool starts_primary(enum bs_lex_kind kind)
{
	return kind == BS_LEX_WORD || kind == BS_LEX_PHRASE || kind == BS_LEX_NEAR ||
	       kind == BS_LEX_OPEN || kind == BS_LEX_FIELD;
}

static bool is_binary(enum bs_lex_kind kind)
{
	return kind == BS_LEX_AND || kind == BS_LEX_OR;
}

/* Returns a message if the operand after a token of this kind is missing, because a token of kind
 * `next` follows. NULL: none is missing. */
static const char *lack_behind(enum bs_lex_kind kind, enum bs_lex_kind next)
{
	if (is_binary(kind) && !starts_primary(next) && next != BS_LEX_NOT)
		return "has nothing after it to combine: it counts as punctuation";
	if (kind == BS_LEX_NOT && !starts_primary(next))
		return "has nothing after it to leave out: it counts as punctuation";
	if (kind == BS_LEX_FIELD && !starts_primary(next))
		return "has nothing after it to look for: it is searched as text";
	return NULL;
}

/* Compares text[start..end) with word, in which lower-case letters match both cases. */
static bool is_word(const struct bs_lexing *lexing, size_t start, size_t end, const char *word)
{
	size_t at = start;
	while (at < end && word[at - start] &&
	       (lexing->text[at] == (uint8_t)word[at - start] ||
	        (lexing->text[at] | 0x20) == word[at - start]))
		at++;
	return at == end && !word[at - start];
}

/* Adds a notice if a word between operands is NEAR or an operator in the wrong letter case. */
static void notice_spelling(struct bs_lexing *lexing, const struct bs_lexeme *token,
                            enum bs_lex_kind before, enum bs_lex_kind next)
{
	static const struct {
		const char *word, *message;
	} operators[] = {{"or", "is searched as a word: the operator is written OR"},
	                 {"and", "is searched as a word: the operator is written AND"},
	                 {"not", "is searched as a word: the operator is written NOT"},
	                 {"NEAR", "is searched as a word: nearness is written \"cat dog\"~5"}};
	bool is_between = token->kind == BS_LEX_WORD && ends_operand(before) &&
	                  (starts_primary(next) || next == BS_LEX_NOT);
	for (size_t i = 0; is_between && i < sizeof(operators) / sizeof(*operators); i++)
		if (is_word(lexing, token->start_byte, token->end_byte, operators[i].word))
			bs_lex_notice(lexing, token->start_byte, token->end_byte,
			              operators[i].message);
}

/* Resolves tokens with a missing operand: first, from the end, those without an operand after them;
 * then, from the start, those without an operand before them. */
static void settle(struct bs_lexing *lexing)
{
	struct bs_lexeme *tokens = lexing->tokens.items;
	size_t n = bs_vector_n(&lexing->tokens), n_kept = n, first = n;
	enum bs_lex_kind next = BS_LEX_END, before = BS_LEX_END;
	for (size_t i = n; i-- > 0 && !lexing->status;) {
		bs_lex_keep(lexing, bs_deadline_check_after(SETTLE_NS, lexing->err));
		const char *lack = lack_behind((enum bs_lex_kind)tokens[i].kind, next);
		if (lack)
			bs_lex_notice(lexing, tokens[i].start_byte, tokens[i].end_byte, lack);
		if (lack && tokens[i].kind != BS_LEX_FIELD)
			continue;
		tokens[--first] = tokens[i];
		tokens[first].kind = lack ? (uint8_t)BS_LEX_WORD : tokens[i].kind;
		next = (enum bs_lex_kind)tokens[first].kind;
	}
	for (n_kept = 0; first < n && !lexing->status; first++) {
		bs_lex_keep(lexing, bs_deadline_check_after(SETTLE_NS, lexing->err));
		struct bs_lexeme token = tokens[first];
		next = first + 1 < n ? (enum bs_lex_kind)tokens[first + 1].kind : BS_LEX_END;
		notice_spelling(lexing, &token, before, next);
		if (is_binary((enum bs_lex_kind)token.kind) && !ends_operand(before)) {
			bs_lex_notice(lexing, token.start_byte, token.end_byte,
			              "has nothing before it to combine: it counts as punctuation");
			continue;
		}
		tokens[n_kept++] = token;
		before = (enum bs_lex_kind)token.kind;
	}
	bs_vector_set_n(&lexing->tokens, n_kept);
}

void bs_lex(struct bs_lexing *lexing)
{
	const struct bs_lexeme end = make(BS_LEX_END, lexing->text_bytes, lexing->text_bytes);
	mark_delimiters(lexing);
	read_tokens(lexing);
	if (!lexing->status)
		settle(lexing);
	add(lexing, &end);
}
