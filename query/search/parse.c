/*
 * parse.c: the grammar of parse.h by recursive descent: tokens, what their text means as words, and the tree as it
 * grows.
 *
 * Only parentheses recurse (parse_or), so BS_QUERY_MAX_DEPTH bounds the stack. An operand that is ignored is NO_DRAFT,
 * which every operator passes by. The first failure sticks: no token follows it, and nothing more is built.
 */
#include "query/search/parse.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/utf8.h>

#include "core/base/hash.h"
#include "core/base/visible.h"

/* How much of a token a warning shows. */
#define SHOWN_BYTES 60

#define NO_DRAFT UINT32_MAX

#define ELEMENT_KIND_BYTES 2u /* in front of a term in bs_query.terms */

enum token_kind {
	TOKEN_START, /* before the first token */
	TOKEN_END,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_MINUS,
	TOKEN_PHRASE, /* inner: between the quotes */
	TOKEN_NEAR,   /* the same, with a distance */
	TOKEN_WORD,   /* inner: all of it, or what follows the fields that were taken off */
	TOKEN_FIELD,  /* the name and colon in front of a word */
};

/* Offsets into the query. */
struct token {
	enum token_kind kind;
	size_t start_byte;
	size_t end_byte;
	size_t inner_start_byte;
	size_t inner_end_byte;
	uint32_t distance; /* NEAR: at most BS_QUERY_MAX_DISTANCE */
	double weight;     /* WORD, PHRASE, NEAR, CLOSE: 1 where none stands */
};

/* A term of a token's text. */
struct word {
	size_t term_off; /* in parser.terms */
	uint32_t term_bytes;
	uint32_t position;
	uint64_t start_byte; /* in the token's text */
	bool is_bigram;
};

/* A node in the making; children are linked, so that an AND is taken into another without a copy. */
struct draft {
	enum bs_node_kind kind;
	uint32_t field;
	uint32_t distance;
	uint32_t n_items;
	uint32_t n_aids; /* they follow the items */
	uint32_t range;
	size_t first_item;
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next; /* sibling */
	uint32_t n_children;
	uint32_t final; /* its index in the query */
	double weight;  /* its own, of all below it */
};

struct parser {
	const uint8_t *text;
	size_t text_bytes;
	const struct bs_query_options *options;
	struct token before;    /* what asks for an operand at the current token */
	struct token token;     /* the current token */
	uint32_t field;         /* the field in force */
	uint32_t name_field;    /* that of records called "name"; BS_QUERY_ANY_FIELD: there is none */
	uint32_t depth;         /* of parentheses */
	uint32_t n_items;       /* of all leaves so far */
	uint32_t n_inexact;     /* those of them that are prefixes or fuzzy words */
	struct bs_buffer words; /* of struct word: the text of one token, analysed */
	struct bs_buffer terms; /* their bytes */
	struct bs_query *query;    /* terms and warnings grow here from the start */
	struct bs_buffer items;    /* of struct bs_query_item */
	struct bs_buffer ranges;   /* of struct bs_query_range */
	struct bs_buffer elements; /* of struct bs_element, their terms in query->terms */
	struct bs_buffer key;      /* of one in query->terms */
	struct bs_buffer drafts;   /* of struct draft */
	uint32_t n_drafts;
	uint32_t n_children; /* of the finished query so far */
	size_t error_byte;
	enum bs_status status; /* sticky */
	struct bs_error *err;
};

/* Only while there was no failure yet. */
static void keep(struct parser *parser, enum bs_status status)
{
	parser->status = status;
	if (status)
		parser->token.kind = TOKEN_END;
}

static void fail_at(struct parser *parser, size_t byte, const char *message)
{
	if (parser->status)
		return;
	parser->error_byte = byte;
	keep(parser, bs_fail(parser->err, BS_INVALID, "%s", message));
}

static void append(struct parser *parser, struct bs_buffer *to, const void *bytes, size_t n_bytes)
{
	if (!parser->status)
		keep(parser, bs_buffer_append(to, bytes, n_bytes, parser->err));
}

/* How many bytes of a token to show: all, or up to a character's end. */
static int shown_bytes(const uint8_t *text, size_t n_bytes)
{
	if (n_bytes <= SHOWN_BYTES)
		return (int)n_bytes;
	size_t shown = SHOWN_BYTES;
	while (shown > SHOWN_BYTES - U8_MAX_LENGTH && U8_IS_TRAIL(text[shown]))
		shown--;
	return (int)shown;
}

/* Warnings beyond those that are kept are counted. */
static void warn(struct parser *parser, size_t start_byte, size_t end_byte, const char *message)
{
	const uint8_t *text = parser->text + start_byte;
	int n_shown = shown_bytes(text, end_byte - start_byte);
	const char *cut = (size_t)n_shown < end_byte - start_byte ? "…" : "";
	uint32_t i = parser->query->n_warnings++;
	struct bs_error *warning = i < BS_QUERY_WARNINGS ? &parser->query->warnings[i] : NULL;
	(void)bs_fail(warning, BS_OK, "%.*s%s %s", n_shown, (const char *)text, cut, message);
}

/* The bytes of the white space at `at`, 0 if there is none. */
static size_t space_bytes(const struct parser *parser, size_t at)
{
	if (at >= parser->text_bytes)
		return 0;
	size_t next = at;
	return bs_visible_is_space(bs_visible_next(parser->text, parser->text_bytes, &next)) ? next - at : 0;
}

static bool is_delimiter(const struct parser *parser, size_t at)
{
	return at >= parser->text_bytes || parser->text[at] == '(' || parser->text[at] == ')' || parser->text[at] == '"' ||
	       space_bytes(parser, at) > 0;
}

static enum token_kind word_kind(const uint8_t *word, size_t word_bytes)
{
	if (word_bytes == 3 && memcmp(word, "AND", 3) == 0)
		return TOKEN_AND;
	if (word_bytes == 2 && memcmp(word, "OR", 2) == 0)
		return TOKEN_OR;
	if (word_bytes == 3 && memcmp(word, "NOT", 3) == 0)
		return TOKEN_NOT;
	return TOKEN_WORD;
}

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* The decimal number that is all of text[0..n_bytes). False: it is none. */
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
		} else if (!is_digit(text[i])) {
			return false;
		} else {
			n_digits++;
			if (is_fraction && unit >= enough)
				continue;
			digits = digits < enough * 10 ? digits * 10 + (text[i] - (uint8_t)'0') : digits;
			unit *= is_fraction ? 10 : 1;
		}
	}
	*number_out = (double)digits / (double)unit;
	return n_digits > 0;
}

/* Where the number that text[start..end) may end with begins: its characters alone, in whatever order. */
static size_t number_start(const uint8_t *text, size_t start, size_t end)
{
	while (end > start && (is_digit(text[end - 1]) || text[end - 1] == '.' || text[end - 1] == '-'))
		end--;
	return end;
}

static void warn(struct parser *parser, size_t start_byte, size_t end_byte, const char *message);

/* Whether text[start..end) is a weight, and a good one: that of what begins at of_byte. */
static bool read_weight(struct parser *parser, size_t of_byte, size_t start, size_t end, double *weight_out)
{
	double weight;
	if (end - start < 2 || parser->text[start] != '^')
		return false;
	bool is_good = read_decimal(parser->text + start + 1, end - start - 1, &weight) && weight <= BS_QUERY_MAX_WEIGHT;
	if (!is_good)
		warn(parser, of_byte, end, "is searched as text: a weight is a number from 0 to 1000, as in cat^2.5");
	else
		*weight_out = weight;
	return is_good;
}

/* Takes the weight off the end of a word, if it has one: not of digits, where it is a power (2^10). */
static void take_weight(struct parser *parser, struct token *token)
{
	const uint8_t *text = parser->text;
	size_t start = number_start(text, token->inner_start_byte, token->inner_end_byte), digit = token->inner_start_byte;
	start -= start > digit && text[start - 1] == '^';
	while (digit < start && is_digit(text[digit]))
		digit++;
	if (digit < start && read_weight(parser, token->start_byte, start, token->inner_end_byte, &token->weight))
		token->inner_end_byte = start;
}

/* Takes the ^N behind a closing quote or bracket into the token, if it is one. */
static void read_weight_behind(struct parser *parser, struct token *token)
{
	size_t end = token->end_byte;
	if (end >= parser->text_bytes || parser->text[end] != '^')
		return;
	for (end++; !is_delimiter(parser, end);)
		end++;
	bool is_number = number_start(parser->text, token->end_byte, end) == token->end_byte + 1;
	if (is_number && read_weight(parser, token->start_byte, token->end_byte, end, &token->weight))
		token->end_byte = end;
}

/* Takes the ~N behind a closing quote into the token, if it is one. */
static void read_distance(const struct parser *parser, struct token *token)
{
	size_t at = token->end_byte;
	if (at >= parser->text_bytes || parser->text[at] != '~')
		return;
	uint32_t distance = 0;
	for (at++; at < parser->text_bytes && is_digit(parser->text[at]); at++) {
		uint64_t longer = (uint64_t)distance * 10 + (parser->text[at] - (uint8_t)'0');
		distance = longer < BS_QUERY_MAX_DISTANCE ? (uint32_t)longer : BS_QUERY_MAX_DISTANCE;
	}
	bool ends = is_delimiter(parser, at) || parser->text[at] == '^';
	if (at == token->end_byte + 1 || !ends)
		return;
	token->kind = TOKEN_NEAR;
	token->distance = distance;
	token->end_byte = at;
}

static void read_phrase(struct parser *parser, struct token *token)
{
	token->kind = TOKEN_PHRASE;
	token->inner_start_byte = token->start_byte + 1;
	size_t left_bytes = parser->text_bytes - token->inner_start_byte;
	const uint8_t *close = left_bytes ? memchr(parser->text + token->inner_start_byte, '"', left_bytes) : NULL;
	if (!close) {
		fail_at(parser, token->start_byte, "unbalanced \": the phrase is never closed");
		token->kind = TOKEN_END;
		return;
	}
	token->inner_end_byte = (size_t)(close - parser->text);
	token->end_byte = token->inner_end_byte + 1;
	read_distance(parser, token);
	read_weight_behind(parser, token);
}

/* After a `-`, neither another nor AND, OR and NOT are more than text. */
static void read_word(struct parser *parser, bool is_after_minus, struct token *token)
{
	size_t at = token->start_byte;
	if (parser->text[at] == '-' && !is_after_minus && at + 1 < parser->text_bytes && space_bytes(parser, at + 1) == 0) {
		token->kind = TOKEN_MINUS;
		token->end_byte = at + 1;
		return;
	}
	/* Continuation bytes never look like a delimiter. */
	while (!is_delimiter(parser, token->end_byte))
		token->end_byte++;
	token->inner_start_byte = at;
	token->inner_end_byte = token->end_byte;
	token->kind = is_after_minus ? TOKEN_WORD : word_kind(parser->text + at, token->end_byte - at);
	if (token->kind == TOKEN_WORD)
		take_weight(parser, token);
}

/* Moves to the next token. */
static void advance(struct parser *parser)
{
	size_t at = parser->token.end_byte;
	if (parser->status)
		return;
	for (size_t n_bytes; (n_bytes = space_bytes(parser, at)) > 0;)
		at += n_bytes;
	struct token token = {.kind = TOKEN_END, .start_byte = at, .end_byte = at, .weight = 1};
	if (at < parser->text_bytes && (parser->text[at] == '(' || parser->text[at] == ')')) {
		token.kind = parser->text[at] == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
		token.end_byte = at + 1;
		if (token.kind == TOKEN_CLOSE)
			read_weight_behind(parser, &token);
	} else if (at < parser->text_bytes && parser->text[at] == '"') {
		read_phrase(parser, &token);
	} else if (at < parser->text_bytes) {
		read_word(parser, parser->token.kind == TOKEN_MINUS, &token);
	}
	parser->token = token;
}

/* The current token asks for an operand: moves to where it must begin. */
static void advance_to_operand(struct parser *parser)
{
	parser->before = parser->token;
	advance(parser);
}

static bool starts_primary(const struct parser *parser)
{
	enum token_kind kind = parser->token.kind;
	return kind == TOKEN_WORD || kind == TOKEN_PHRASE || kind == TOKEN_NEAR || kind == TOKEN_OPEN;
}

static bool starts_unary(const struct parser *parser)
{
	return starts_primary(parser) || parser->token.kind == TOKEN_NOT || parser->token.kind == TOKEN_MINUS;
}

/* The current token cannot begin an operand, and one must stand here. */
static void fail_operand(struct parser *parser)
{
	static const char *const after[] = {
		[TOKEN_AND] = "AND needs something after it",
		[TOKEN_OR] = "OR needs something after it",
		[TOKEN_NOT] = "NOT needs a word, a phrase or parentheses after it",
		[TOKEN_MINUS] = "- needs a word, a phrase or parentheses after it",
		[TOKEN_FIELD] = "the field needs a word, a phrase or parentheses after it",
	};
	size_t at = parser->token.start_byte;
	size_t before_at = parser->before.start_byte;
	bool is_open = parser->before.kind == TOKEN_OPEN;
	if (after[parser->before.kind])
		fail_at(parser, before_at, after[parser->before.kind]);
	else if (parser->token.kind == TOKEN_AND)
		fail_at(parser, at, "AND needs something before it");
	else if (parser->token.kind == TOKEN_OR)
		fail_at(parser, at, "OR needs something before it");
	else if (parser->token.kind == TOKEN_CLOSE)
		fail_at(parser, at, is_open ? "nothing between the parentheses" : "unbalanced )");
	else if (is_open)
		fail_at(parser, before_at, "unbalanced (: it is never closed");
	else
		fail_at(parser, 0, "the query is empty");
}

/*
 * What stands at the end of a word, text[start_byte..end_byte): `*` or `~1` or `~2`, unless it is all of the word.
 * Returns the element kind, TERM without any, and where the text in front of it ends.
 */
static enum bs_element_kind suffix_of(const struct parser *parser, size_t start_byte, size_t end_byte,
                                      uint8_t *distance_out, size_t *text_end_out)
{
	const uint8_t *end = parser->text + end_byte;
	size_t n_bytes = end_byte - start_byte;
	*distance_out = 0;
	*text_end_out = end_byte;
	if (n_bytes > 1 && end[-1] == '*') {
		*text_end_out = end_byte - 1;
		return BS_ELEMENT_PREFIX;
	}
	if (n_bytes > 2 && end[-2] == '~' && (end[-1] == '1' || end[-1] == '2')) {
		*distance_out = (uint8_t)(end[-1] - '0');
		*text_end_out = end_byte - 2;
		return BS_ELEMENT_FUZZY;
	}
	return BS_ELEMENT_TERM;
}

/* Whether the word ends in ~ and digits that are no distance: surely a mistake, and worth a warning. */
static bool has_bad_distance(const uint8_t *text, size_t start_byte, size_t end_byte)
{
	size_t at = end_byte;
	while (at > start_byte && is_digit(text[at - 1]))
		at--;
	return at > start_byte + 1 && text[at - 1] == '~';
}

#define FILE_NAME "name"

/* The length of the field name, colon included, that the current word begins with, and its field; 0 if with none. */
static size_t find_field(struct parser *parser)
{
	const struct bs_term_table *fields = parser->options->fields;
	const uint8_t *word = parser->text + parser->token.inner_start_byte;
	size_t word_bytes = parser->token.inner_end_byte - parser->token.inner_start_byte;
	size_t longest_bytes = parser->options->longest_field_bytes;
	size_t reach = fields && word_bytes > longest_bytes ? longest_bytes + 1 : word_bytes;
	size_t found_bytes = 0;
	for (size_t at = 1; fields && at < reach; at++) {
		const uint8_t *colon = memchr(word + at, ':', reach - at);
		if (!colon)
			break;
		at = (size_t)(colon - word);
		if (bs_term_table_find(fields, word, (uint32_t)at, bs_hash_slot(word, at), &parser->field))
			found_bytes = at + 1;
	}
	if (parser->options->has_file_names && found_bytes <= sizeof(FILE_NAME) && word_bytes >= sizeof(FILE_NAME) &&
	    memcmp(word, FILE_NAME ":", sizeof(FILE_NAME)) == 0) {
		parser->field = BS_QUERY_FILE_NAME;
		found_bytes = sizeof(FILE_NAME);
	}
	return found_bytes;
}

static struct draft *draft_at(struct parser *parser, uint32_t draft)
{
	assert(draft < parser->n_drafts);
	return (struct draft *)(void *)parser->drafts.data + draft;
}

/* The number of the element, which is found or added. */
static uint32_t add_element(struct parser *parser, const struct bs_element *element)
{
	const uint8_t kind[ELEMENT_KIND_BYTES] = {(uint8_t)element->kind, element->max_distance};
	uint32_t number = 0;
	struct bs_buffer *key = &parser->key;
	bool is_new = false;
	bs_buffer_clear(key);
	append(parser, key, kind, sizeof(kind));
	append(parser, key, element->term, element->term_bytes);
	if (!parser->status)
		keep(parser, bs_term_table_intern(&parser->query->terms, key->data, (uint32_t)key->used_bytes,
		                                  bs_hash_slot(key->data, key->used_bytes), &number, &is_new, parser->err));
	if (is_new)
		append(parser, &parser->elements, element, sizeof(*element));
	return number;
}

/* Appends an item to the leaf that is being made. */
static void add_item(struct parser *parser, const struct bs_element *element, uint32_t position)
{
	struct bs_query_item item = {.element = add_element(parser, element), .position = position};
	append(parser, &parser->items, &item, sizeof(item));
}

static uint32_t add_draft(struct parser *parser, const struct draft *draft)
{
	append(parser, &parser->drafts, draft, sizeof(*draft));
	return parser->status ? NO_DRAFT : parser->n_drafts++;
}

static struct draft new_draft(enum bs_node_kind kind)
{
	return (struct draft){.kind = kind, .field = BS_QUERY_ANY_FIELD, .first_child = NO_DRAFT, .last_child = NO_DRAFT,
	                      .next = NO_DRAFT, .weight = 1};
}

/* NOT draft: nothing for nothing, and the operand of a NOT itself. */
static uint32_t negate(struct parser *parser, uint32_t draft)
{
	struct draft negation = new_draft(BS_NODE_NOT);
	if (draft == NO_DRAFT)
		return NO_DRAFT;
	const struct draft *node = draft_at(parser, draft);
	negation.first_child = negation.last_child = draft;
	negation.n_children = 1;
	if (node->kind != BS_NODE_NOT)
		return add_draft(parser, &negation);
	draft_at(parser, node->first_child)->weight *= node->weight;
	return node->first_child;
}

/* Adds an operand to an AND or OR. */
static void add_operand(struct parser *parser, struct draft *parent, uint32_t draft)
{
	if (draft == NO_DRAFT)
		return;
	if (parent->n_children == 0)
		parent->first_child = draft;
	else
		draft_at(parser, parent->last_child)->next = draft;
	parent->last_child = draft;
	parent->n_children++;
}

/* An AND or OR, if it has operands to be one of: nothing of none, the operand itself of one. */
static uint32_t join(struct parser *parser, const struct draft *parent)
{
	return parent->n_children < 2 ? parent->first_child : add_draft(parser, parent);
}

/* bs_token_fn: gathers a token's words. */
static enum bs_status take_terms(void *context, const struct bs_token *tokens, size_t n_tokens, struct bs_error *err)
{
	struct parser *parser = context;
	(void)err;
	for (size_t i = 0; i < n_tokens; i++) {
		struct word word = {
			.term_off = parser->terms.used_bytes,
			.term_bytes = tokens[i].term_bytes,
			.position = tokens[i].position,
			.start_byte = tokens[i].start_byte,
			.is_bigram = tokens[i].is_bigram,
		};
		append(parser, &parser->terms, tokens[i].term, tokens[i].term_bytes);
		append(parser, &parser->words, &word, sizeof(word));
	}
	return parser->status;
}

/* Leaves the words of the text in parser->words. */
static void analyze(struct parser *parser, struct bs_words *words, const uint8_t *text, size_t text_bytes)
{
	bs_buffer_clear(&parser->words);
	bs_buffer_clear(&parser->terms);
	if (!parser->status)
		keep(parser, bs_words_analyze(words, text, text_bytes, 0, take_terms, parser, NULL, parser->err));
}

static size_t count_words(const struct parser *parser)
{
	return parser->words.used_bytes / sizeof(struct word);
}

static const struct word *word_at(const struct parser *parser, size_t i)
{
	return (const struct word *)(const void *)parser->words.data + i;
}

/* The last one that is no bigram; there is one. */
static const struct word *last_word(const struct parser *parser)
{
	size_t i = count_words(parser) - 1;
	while (word_at(parser, i)->is_bigram)
		i--;
	return word_at(parser, i);
}

/* bs_token_fn: sees whether a second word begins where the first does. */
static enum bs_status find_second(void *context, const struct bs_token *tokens, size_t n_tokens, struct bs_error *err)
{
	(void)err;
	bool *found = context;
	for (size_t i = 0; i < n_tokens; i++)
		*found = *found || (!tokens[i].is_bigram && tokens[i].position > 0 && tokens[i].start_byte == 0);
	return BS_OK;
}

/*
 * Whether a word that begins at the start of this text is of a script run. The analyzer knows, but does not say: so it
 * is asked for the first code point twice over, which makes two words at least that both bear the whole run's place if
 * that code point is of a run, and only then.
 */
static bool is_of_run(struct parser *parser, const uint8_t *text, size_t text_bytes)
{
	uint8_t twice[2 * U8_MAX_LENGTH];
	size_t n_bytes = 0;
	bool found = false;
	U8_FWD_1(text, n_bytes, text_bytes);
	memcpy(twice, text, n_bytes);
	memcpy(twice + n_bytes, text, n_bytes);
	keep(parser,
	     bs_words_analyze(parser->options->words, twice, 2 * n_bytes, 0, find_second, &found, NULL, parser->err));
	return found && !parser->status;
}

/*
 * Adds the gathered words, or the gathered bigrams, as items of a leaf, the last word as `last`, and returns how many.
 * A last word that stands for others (U+1F21A, which folds to U+7121 and is of no run, may bear ~2) has no bigram that
 * must be there.
 */
static uint32_t add_items(struct parser *parser, bool bigrams, const struct bs_element *last)
{
	const struct word *final = last_word(parser);
	uint32_t n = 0;
	for (size_t i = 0; i < count_words(parser); i++) {
		const struct word *word = word_at(parser, i);
		if (word->is_bigram != bigrams || (bigrams && last && word->position + 1 == final->position))
			continue;
		struct bs_element element = {
			.kind = bigrams ? BS_ELEMENT_BIGRAM : BS_ELEMENT_TERM,
			.term_bytes = word->term_bytes,
			.term = parser->terms.data + word->term_off,
		};
		add_item(parser, word == final && last ? last : &element, word->position - word_at(parser, 0)->position);
		n++;
	}
	return n;
}

_Static_assert(BS_QUERY_MAX_PHRASE == 16384 && BS_QUERY_MAX_WORDS == 100000 && BS_QUERY_MAX_INEXACT == 1024 &&
                       BS_QUERY_MAX_RANGES == 1024,
               "the messages below name them");

/* Refuses the leaf just gathered if it makes the query larger than is answered in good time. */
static void check_size(struct parser *parser, uint32_t n_items, bool is_inexact)
{
	size_t at = parser->token.start_byte;
	parser->n_items += n_items;
	parser->n_inexact += is_inexact;
	if (n_items > BS_QUERY_MAX_PHRASE)
		fail_at(parser, at, "a phrase may have 16384 words");
	if (parser->n_items > BS_QUERY_MAX_WORDS)
		fail_at(parser, at, "a query may have 100000 words");
	if (parser->n_inexact > BS_QUERY_MAX_INEXACT)
		fail_at(parser, at, "a query may have 1024 words with * or ~");
}

/* The gathered words as a leaf: a WORD, a PHRASE, or with is_near a NEAR. */
static uint32_t make_leaf(struct parser *parser, const struct bs_element *last, bool is_near)
{
	struct draft leaf = new_draft(BS_NODE_WORD);
	leaf.field = parser->field;
	leaf.first_item = parser->items.used_bytes / sizeof(struct bs_query_item);
	if (parser->status)
		return NO_DRAFT;
	leaf.n_items = add_items(parser, false, last);
	check_size(parser, leaf.n_items, last != NULL);
	if (leaf.n_items > 1 && is_near) {
		leaf.kind = BS_NODE_NEAR;
		leaf.distance = parser->token.distance;
	} else if (leaf.n_items > 1) {
		leaf.kind = BS_NODE_PHRASE;
		leaf.n_aids = add_items(parser, true, last);
	}
	uint32_t draft = add_draft(parser, &leaf);
	if (leaf.field != BS_QUERY_FILE_NAME || parser->name_field == BS_QUERY_ANY_FIELD)
		return draft;
	struct draft either = new_draft(BS_NODE_OR);
	leaf.field = parser->name_field;
	add_operand(parser, &either, draft);
	add_operand(parser, &either, add_draft(parser, &leaf));
	return join(parser, &either);
}

static uint32_t parse_phrase(struct parser *parser)
{
	const struct token *token = &parser->token;
	bool is_near = token->kind == TOKEN_NEAR;
	analyze(parser, parser->options->words, parser->text + token->inner_start_byte,
	        token->inner_end_byte - token->inner_start_byte);
	if (parser->status || count_words(parser) > 0)
		return make_leaf(parser, NULL, is_near);
	warn(parser, token->start_byte, token->end_byte, "is ignored: it holds no words");
	return NO_DRAFT;
}

/*
 * The last gathered word as a prefix or fuzzy element, its term in *unstemmed_out: in an index that stems, prefixes and
 * fuzzy words are folded only (as in Lucene), and matched with the stems that the index holds.
 */
static void make_last(struct parser *parser, const uint8_t *text, size_t text_bytes, struct bs_element *last,
                      struct bs_buffer *unstemmed_out)
{
	struct bs_words *words = parser->options->words_unstemmed;
	if (words)
		analyze(parser, words, text, text_bytes);
	if (parser->status)
		return;
	const struct word *word = last_word(parser);
	append(parser, unstemmed_out, parser->terms.data + word->term_off, word->term_bytes);
	if (words)
		analyze(parser, parser->options->words, text, text_bytes);
	last->term = unstemmed_out->data;
	last->term_bytes = (uint32_t)unstemmed_out->used_bytes;
}

/* Words that end in * or ~1 or ~2; there is one at least. */
static uint32_t parse_inexact(struct parser *parser, struct bs_element last, size_t start_byte, size_t end_byte)
{
	const uint8_t *text = parser->text + start_byte;
	struct bs_buffer unstemmed = {0};
	size_t last_byte = (size_t)last_word(parser)->start_byte;
	if (is_of_run(parser, text + last_byte, end_byte - start_byte - last_byte)) {
		if (last.kind == BS_ELEMENT_FUZZY)
			warn(parser, start_byte, end_byte, "is searched as it is: the script has no words to be near to");
		return make_leaf(parser, NULL, false);
	}
	make_last(parser, text, end_byte - start_byte, &last, &unstemmed);
	uint32_t draft = make_leaf(parser, &last, false);
	bs_buffer_deinit(&unstemmed);
	return draft;
}

/* A bare word that is a range of the field in force, as a leaf; NO_DRAFT: it is none. `name:` is of files, unless records
 * have such a field. */
static uint32_t parse_range(struct parser *parser)
{
	const struct bs_query_options *options = parser->options;
	size_t start_byte = parser->token.inner_start_byte, n_bytes = parser->token.inner_end_byte - start_byte;
	const uint8_t *text = parser->text + start_byte;
	uint32_t field = parser->field == BS_QUERY_FILE_NAME ? parser->name_field : parser->field;
	struct bs_query_range range = {.field = field};
	struct draft leaf = new_draft(BS_NODE_RANGE);
	if (parser->field == BS_QUERY_ANY_FIELD || !bs_range_is_meant(text, n_bytes))
		return NO_DRAFT;
	bool has_values = field != BS_QUERY_ANY_FIELD && options->has_values && options->has_values(options->context, field);
	bool is_range = bs_range_parse(text, n_bytes, &range.values);
	if (!has_values || !is_range) {
		warn(parser, parser->token.start_byte, parser->token.end_byte,
		     is_range ? "is searched as text: the field has no numbers or dates"
		              : "is searched as text: what it is to lie between is no number and no date");
		return NO_DRAFT;
	}
	leaf.field = field;
	leaf.range = (uint32_t)(parser->ranges.used_bytes / sizeof(range));
	if (leaf.range == BS_QUERY_MAX_RANGES)
		fail_at(parser, parser->token.start_byte, "a query may have 1024 ranges");
	memcpy(range.text, text, n_bytes < BS_QUERY_RANGE_SHOWN ? n_bytes : BS_QUERY_RANGE_SHOWN);
	append(parser, &parser->ranges, &range, sizeof(range));
	return add_draft(parser, &leaf);
}

/* A bare word, its fields taken off. */
static uint32_t parse_word(struct parser *parser)
{
	size_t start_byte = parser->token.inner_start_byte, end_byte = parser->token.inner_end_byte, text_end;
	struct bs_element last = {0};
	uint32_t range = parse_range(parser);
	if (range != NO_DRAFT)
		return range;
	last.kind = suffix_of(parser, start_byte, end_byte, &last.max_distance, &text_end);
	analyze(parser, parser->options->words, parser->text + start_byte, text_end - start_byte);
	if (parser->status)
		return NO_DRAFT;
	if (count_words(parser) == 0) {
		warn(parser, start_byte, end_byte, "is ignored: it holds no words");
		return NO_DRAFT;
	}
	if (last.kind != BS_ELEMENT_TERM)
		return parse_inexact(parser, last, start_byte, text_end);
	if (has_bad_distance(parser->text, start_byte, end_byte))
		warn(parser, start_byte, end_byte, "is searched as text: the distance of a word is ~1 or ~2");
	return make_leaf(parser, NULL, false);
}

static uint32_t parse_or(struct parser *parser);

static uint32_t parse_parentheses(struct parser *parser)
{
	size_t open_byte = parser->token.start_byte;
	if (parser->depth == BS_QUERY_MAX_DEPTH) {
		fail_at(parser, open_byte, "parentheses are nested too deep");
		return NO_DRAFT;
	}
	parser->depth++;
	advance_to_operand(parser);
	uint32_t draft = parse_or(parser);
	parser->depth--;
	if (parser->token.kind != TOKEN_CLOSE)
		fail_at(parser, open_byte, "unbalanced (: it is never closed");
	return draft;
}

/* The fields are taken off the current word; the innermost is in force for their operand. */
static uint32_t parse_primary(struct parser *parser)
{
	uint32_t field_around = parser->field, draft = NO_DRAFT;
	struct token *token = &parser->token;
	size_t n_bytes;
	while (token->kind == TOKEN_WORD && (n_bytes = find_field(parser)) > 0) {
		token->inner_start_byte += n_bytes;
		if (token->inner_start_byte < token->inner_end_byte)
			continue;
		token->kind = TOKEN_FIELD;
		advance_to_operand(parser);
	}
	if (!starts_primary(parser))
		fail_operand(parser);
	else if (token->kind == TOKEN_WORD)
		draft = parse_word(parser);
	else if (token->kind == TOKEN_OPEN)
		draft = parse_parentheses(parser);
	else
		draft = parse_phrase(parser);
	if (draft != NO_DRAFT)
		draft_at(parser, draft)->weight *= token->weight;
	parser->field = field_around;
	advance(parser);
	return draft;
}

/* is_negated_out: by - or NOT at this very place. */
static uint32_t parse_unary(struct parser *parser, bool *is_negated_out)
{
	*is_negated_out = parser->token.kind == TOKEN_NOT || parser->token.kind == TOKEN_MINUS;
	if (!*is_negated_out)
		return parse_primary(parser);
	advance_to_operand(parser);
	return negate(parser, parse_primary(parser));
}

/* unary { "AND" unary }; is_negated_out: a single one, negated. */
static uint32_t parse_explicit_and(struct parser *parser, bool *is_negated_out)
{
	struct draft all = new_draft(BS_NODE_AND);
	bool is_negated;
	add_operand(parser, &all, parse_unary(parser, is_negated_out));
	while (parser->token.kind == TOKEN_AND) {
		*is_negated_out = false;
		advance_to_operand(parser);
		add_operand(parser, &all, parse_unary(parser, &is_negated));
	}
	return join(parser, &all);
}

/* What stands side by side: all of it; or with --any outside parentheses, any of it but none of the negated. */
static uint32_t parse_and(struct parser *parser)
{
	bool any = parser->options->any && parser->depth == 0;
	struct draft either = new_draft(BS_NODE_OR), all = new_draft(BS_NODE_AND), both = new_draft(BS_NODE_AND);
	do {
		bool is_negated;
		uint32_t draft = parse_explicit_and(parser, &is_negated);
		add_operand(parser, any && !is_negated ? &either : &all, draft);
	} while (starts_unary(parser));
	add_operand(parser, &both, join(parser, &either));
	add_operand(parser, &both, join(parser, &all));
	return join(parser, &both);
}

static uint32_t parse_or(struct parser *parser)
{
	struct draft either = new_draft(BS_NODE_OR);
	add_operand(parser, &either, parse_and(parser));
	while (parser->token.kind == TOKEN_OR) {
		advance_to_operand(parser);
		add_operand(parser, &either, parse_and(parser));
	}
	return join(parser, &either);
}

/* Whether a leaf counts in scores. */
static bool is_scoring(struct parser *parser, uint32_t number, bool is_positive)
{
	const struct draft *draft = draft_at(parser, number);
	bool is_found = is_positive && draft->n_items > 0;
	for (uint32_t i = draft->first_child; i != NO_DRAFT && !is_found; i = draft_at(parser, i)->next)
		is_found = is_scoring(parser, i, is_positive != (draft->kind == BS_NODE_NOT));
	return is_found && draft->weight > 0;
}

/* Sorts what every match must be as: without a score, bound; else loose. weight: of what stands around. */
static void split(struct parser *parser, uint32_t number, double weight, struct draft *loose, struct draft *bound)
{
	struct draft *draft = draft_at(parser, number);
	uint32_t next;
	draft->weight *= weight;
	for (uint32_t i = draft->first_child; draft->kind == BS_NODE_AND && i != NO_DRAFT; i = next) {
		next = draft_at(parser, i)->next;
		split(parser, i, draft->weight, loose, bound);
	}
	if (draft->kind == BS_NODE_AND)
		return;
	bool binds = draft->kind == BS_NODE_NOT || !is_scoring(parser, number, true);
	draft->next = NO_DRAFT;
	add_operand(parser, binds ? bound : loose, number);
}

static uint32_t add_term(struct parser *parser, const struct bs_weighted_term *term, bool has_leaf)
{
	struct bs_element element = {.kind = BS_ELEMENT_TERM, .term = term->term, .term_bytes = term->term_bytes};
	struct draft leaf = new_draft(BS_NODE_WORD);
	leaf.first_item = parser->items.used_bytes / sizeof(struct bs_query_item);
	leaf.weight = term->weight;
	leaf.n_items = 1;
	if (has_leaf) {
		add_item(parser, &element, 0);
		return add_draft(parser, &leaf);
	}
	uint32_t number = add_element(parser, &element);
	if (parser->status)
		return NO_DRAFT;
	struct bs_element *added = (struct bs_element *)(void *)parser->elements.data + number;
	added->is_positive = true;
	added->weight += term->weight;
	return NO_DRAFT;
}

/* The words beside the query; see struct bs_query_options. Returns the root. */
static uint32_t add_terms(struct parser *parser, uint32_t root)
{
	struct draft loose = new_draft(BS_NODE_AND), bound = loose, all = loose, either = new_draft(BS_NODE_OR);
	if (root != NO_DRAFT)
		split(parser, root, 1, &loose, &bound);
	uint32_t own = join(parser, &loose);
	if (own != NO_DRAFT)
		draft_at(parser, own)->weight *= parser->options->own_share;
	add_operand(parser, &either, own);
	for (size_t i = 0; i < parser->options->n_terms && !parser->status; i++)
		add_operand(parser, &either, add_term(parser, &parser->options->terms[i], own != NO_DRAFT || root == NO_DRAFT));
	add_operand(parser, &all, join(parser, &either));
	add_operand(parser, &all, join(parser, &bound));
	return join(parser, &all);
}

/* What is too small to count is 0. */
static double bounded(double weight)
{
	return weight < BS_QUERY_LEAST_WEIGHT ? 0 : fmin(weight, BS_QUERY_MOST_WEIGHT);
}

/* Of the two leaves of a `name:` that is a record's too, the record's counts. */
static void finish_leaf(const struct parser *parser, const struct draft *draft, struct bs_query_node *node,
                        bool is_positive)
{
	const struct bs_query *query = parser->query;
	bool is_counted = draft->field != BS_QUERY_FILE_NAME || parser->name_field == BS_QUERY_ANY_FIELD;
	node->n_items = draft->n_items;
	node->n_aids = draft->n_aids;
	node->items = query->items + draft->first_item;
	node->aids = node->items + draft->n_items;
	for (uint32_t i = 0; is_positive && i < node->n_items; i++) {
		struct bs_element *element = &query->elements[node->items[i].element];
		element->is_positive = true;
		element->weight += is_counted ? node->weight : 0;
	}
}

/* Whether the child of an AND or OR is one, too: then its children stand in its place. */
static bool is_joined(const struct draft *parent, const struct draft *child)
{
	return child->kind == parent->kind && (child->kind == BS_NODE_AND || child->kind == BS_NODE_OR);
}

static uint32_t finish_node(struct parser *parser, struct draft *draft, bool is_positive, double weight);

/* Returns how deep the deepest is. */
static uint32_t finish_children(struct parser *parser, const struct draft *draft, bool is_positive, double weight)
{
	uint32_t depth = 0;
	for (uint32_t i = draft->first_child; i != NO_DRAFT; i = draft_at(parser, i)->next) {
		struct draft *child = draft_at(parser, i);
		uint32_t child_depth = is_joined(draft, child)
		                           ? finish_children(parser, child, is_positive, bounded(weight * child->weight))
		                           : finish_node(parser, child, is_positive, weight);
		depth = child_depth > depth ? child_depth : depth;
	}
	return depth;
}

static void list_children(struct parser *parser, const struct draft *draft, struct bs_query_node *node)
{
	for (uint32_t i = draft->first_child; i != NO_DRAFT; i = draft_at(parser, i)->next) {
		const struct draft *child = draft_at(parser, i);
		if (is_joined(draft, child)) {
			list_children(parser, child, node);
			continue;
		}
		parser->query->children[parser->n_children++] = child->final;
		node->n_children++;
	}
}

/* Post-order. Recurses at most 3 * (BS_QUERY_MAX_DEPTH + 1) deep: OR, AND, NOT, and parentheses again. Returns how
 * deep. */
static uint32_t finish_node(struct parser *parser, struct draft *draft, bool is_positive, double weight)
{
	struct bs_query *query = parser->query;
	weight = bounded(weight * draft->weight);
	uint32_t depth = finish_children(parser, draft, is_positive != (draft->kind == BS_NODE_NOT), weight);
	struct bs_query_node *node = &query->nodes[query->n_nodes];
	*node = (struct bs_query_node){.kind = draft->kind, .field = draft->field, .distance = draft->distance,
	                                .range = draft->range};
	node->children = query->children + parser->n_children;
	node->weight = weight;
	list_children(parser, draft, node);
	if (draft->n_items)
		finish_leaf(parser, draft, node, is_positive);
	draft->final = (uint32_t)query->n_nodes++;
	return depth + 1;
}

static void finish(struct parser *parser, uint32_t root)
{
	struct bs_query *query = parser->query;
	query->nodes = calloc(parser->n_drafts, sizeof(*query->nodes));
	query->children = calloc(parser->n_drafts, sizeof(*query->children));
	if (!query->nodes || !query->children) {
		keep(parser, bs_fail_memory(parser->err, "a query", parser->n_drafts * sizeof(*query->nodes)));
		return;
	}
	query->elements = (struct bs_element *)(void *)parser->elements.data;
	query->items = (struct bs_query_item *)(void *)parser->items.data;
	query->ranges = (struct bs_query_range *)(void *)parser->ranges.data;
	query->n_ranges = (uint32_t)(parser->ranges.used_bytes / sizeof(*query->ranges));
	parser->elements = parser->items = parser->ranges = (struct bs_buffer){0};
	query->n_elements = query->terms.n_terms;
	for (uint32_t i = 0; i < query->n_elements; i++)
		query->elements[i].term = bs_term_table_key(&query->terms, i) + ELEMENT_KIND_BYTES;
	query->depth = finish_node(parser, draft_at(parser, root), true, 1);
}

static void parse_query(struct parser *parser)
{
	parser->query = calloc(1, sizeof(*parser->query));
	if (!parser->query) {
		keep(parser, bs_fail_memory(parser->err, "a query", sizeof(*parser->query)));
		return;
	}
	parser->query->fields = parser->options->fields;
	advance(parser);
	bool is_bare = parser->token.kind == TOKEN_END && parser->options->n_terms > 0;
	uint32_t root = is_bare ? NO_DRAFT : parse_or(parser);
	if (parser->token.kind == TOKEN_CLOSE)
		fail_at(parser, parser->token.start_byte, "unbalanced )");
	if (parser->options->n_terms > 0 && !parser->status)
		root = add_terms(parser, root);
	if (root == NO_DRAFT)
		fail_at(parser, 0, "the query has no words");
	if (!parser->status)
		finish(parser, root);
}

enum bs_status bs_query_parse(const uint8_t *text, size_t text_bytes, const struct bs_query_options *options,
                              struct bs_query **query_out, size_t *error_byte_out, struct bs_error *err)
{
	struct parser parser = {.text = text, .text_bytes = text_bytes, .options = options, .err = err};
	const size_t name_bytes = sizeof(FILE_NAME) - 1;
	parser.field = parser.name_field = BS_QUERY_ANY_FIELD;
	if (options->fields)
		(void)bs_term_table_find(options->fields, (const uint8_t *)FILE_NAME, (uint32_t)name_bytes,
		                         bs_hash_slot((const uint8_t *)FILE_NAME, name_bytes), &parser.name_field);
	if (text_bytes > BS_QUERY_MAX_BYTES) {
		parser.error_byte = BS_QUERY_MAX_BYTES;
		parser.status = bs_fail(err, BS_INVALID, "the query is longer than %u bytes", BS_QUERY_MAX_BYTES);
	} else {
		parse_query(&parser);
	}
	if (parser.status)
		bs_query_free(parser.query);
	*query_out = parser.status ? NULL : parser.query;
	if (error_byte_out)
		*error_byte_out = parser.error_byte;
	bs_buffer_deinit(&parser.items);
	bs_buffer_deinit(&parser.elements);
	bs_buffer_deinit(&parser.ranges);
	bs_buffer_deinit(&parser.key);
	bs_buffer_deinit(&parser.drafts);
	bs_buffer_deinit(&parser.words);
	bs_buffer_deinit(&parser.terms);
	return parser.status;
}

void bs_query_free(struct bs_query *query)
{
	if (!query)
		return;
	free(query->elements);
	bs_term_table_deinit(&query->terms);
	free(query->nodes);
	free(query->items);
	free(query->children);
	free(query->ranges);
	free(query);
}
