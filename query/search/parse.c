/*
 * parse.c: the grammar of parse.h by recursive descent, and what a token's text means as words.
 *
 * Only parentheses recurse (parse_or), so BS_QUERY_MAX_DEPTH bounds the stack. An operand that is ignored is
 * BS_DRAFT_NONE, which every operator passes by. The tree itself grows in parse_build.c, tokens come from parse_lex.c.
 */
#include "query/search/parse.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/utf8.h>

#include "query/search/parse_build.h"
#include "query/search/parse_lex.h"

/* How much of a token a warning shows. */
#define SHOWN_BYTES 60

struct parser {
	const uint8_t *text;
	size_t text_bytes;
	const struct bs_query_options *options;
	struct bs_build build;
	struct bs_lex_token before; /* what asks for an operand at the current token */
	struct bs_lex_token token;  /* the current token */
	uint32_t field;             /* the field in force */
	uint32_t depth;             /* of parentheses */
	uint32_t n_items;           /* of all leaves so far */
	uint32_t n_inexact;         /* those of them that are prefixes or fuzzy words */
	struct bs_buffer words;     /* of struct word: the text of one token, analysed */
	struct bs_buffer terms;     /* their bytes */
	size_t error_byte;
	struct bs_error *err;
};

/* A term of a token's text. */
struct word {
	size_t term_off; /* in parser.terms */
	uint32_t term_bytes;
	uint32_t position;
	uint64_t start_byte; /* in the token's text */
	bool is_bigram;
};

static enum bs_status fail_at(struct parser *parser, size_t byte, const char *message)
{
	parser->error_byte = byte;
	return bs_fail(parser->err, BS_INVALID, "%s", message);
}

/* The next line for a warning, or NULL: counted only. */
static struct bs_error *next_warning(struct parser *parser)
{
	struct bs_query *query = parser->build.query;
	uint32_t i = query->n_warnings++;
	return i < BS_QUERY_WARNINGS ? &query->warnings[i] : NULL;
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

static void warn(struct parser *parser, size_t start_byte, size_t end_byte, const char *message)
{
	const char *shown = (const char *)parser->text + start_byte;
	int n_shown = shown_bytes(parser->text + start_byte, end_byte - start_byte);
	const char *cut = (size_t)n_shown < end_byte - start_byte ? "…" : "";
	(void)bs_fail(next_warning(parser), BS_OK, "%.*s%s %s", n_shown, shown, cut, message);
}

/* Moves to the next token. */
static enum bs_status advance(struct parser *parser)
{
	bool after_minus = parser->token.kind == BS_LEX_MINUS;
	size_t from_byte = parser->token.end_byte;
	if (bs_lex_next(parser->text, parser->text_bytes, from_byte, after_minus, &parser->token))
		return BS_OK;
	return fail_at(parser, parser->token.start_byte, "unbalanced \": the phrase is never closed");
}

/* The current token asks for an operand: moves to where it must begin. */
static enum bs_status advance_to_operand(struct parser *parser)
{
	parser->before = parser->token;
	return advance(parser);
}

static bool starts_primary(const struct parser *parser)
{
	enum bs_lex_kind kind = parser->token.kind;
	return kind == BS_LEX_WORD || kind == BS_LEX_PHRASE || kind == BS_LEX_NEAR || kind == BS_LEX_OPEN;
}

static bool starts_unary(const struct parser *parser)
{
	return starts_primary(parser) || parser->token.kind == BS_LEX_NOT || parser->token.kind == BS_LEX_MINUS;
}

/* The current token cannot begin an operand, and one must stand here. */
static enum bs_status fail_operand(struct parser *parser)
{
	size_t at = parser->token.start_byte;
	size_t before_at = parser->before.start_byte;
	switch (parser->before.kind) {
	case BS_LEX_AND:
		return fail_at(parser, before_at, "AND needs something after it");
	case BS_LEX_OR:
		return fail_at(parser, before_at, "OR needs something after it");
	case BS_LEX_NOT:
		return fail_at(parser, before_at, "NOT needs a word, a phrase or parentheses after it");
	case BS_LEX_MINUS:
		return fail_at(parser, before_at, "- needs a word, a phrase or parentheses after it");
	case BS_LEX_FIELD:
		return fail_at(parser, before_at, "the field needs a word, a phrase or parentheses after it");
	default:
		break;
	}
	bool is_open = parser->before.kind == BS_LEX_OPEN;
	if (parser->token.kind == BS_LEX_AND)
		return fail_at(parser, at, "AND needs something before it");
	if (parser->token.kind == BS_LEX_OR)
		return fail_at(parser, at, "OR needs something before it");
	if (parser->token.kind == BS_LEX_CLOSE)
		return fail_at(parser, at, is_open ? "nothing between the parentheses" : "unbalanced )");
	return is_open ? fail_at(parser, before_at, "unbalanced (: it is never closed")
		       : fail_at(parser, 0, "the query is empty");
}

/* bs_token_fn: gathers a token's words. */
static enum bs_status gather(void *context, const struct bs_token *tokens, size_t n_tokens, struct bs_error *err)
{
	struct parser *parser = context;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_tokens && !status; i++) {
		struct word word = {
			.term_off = parser->terms.used_bytes,
			.term_bytes = tokens[i].term_bytes,
			.position = tokens[i].position,
			.start_byte = tokens[i].start_byte,
			.is_bigram = tokens[i].is_bigram,
		};
		status = bs_buffer_append(&parser->terms, tokens[i].term, tokens[i].term_bytes, err);
		if (!status)
			status = bs_buffer_append(&parser->words, &word, sizeof(word), err);
	}
	return status;
}

/* Leaves the words of the text in parser->words. */
static enum bs_status analyze(struct parser *parser, struct bs_words *words, const uint8_t *text, size_t text_bytes)
{
	bs_buffer_clear(&parser->words);
	bs_buffer_clear(&parser->terms);
	return bs_words_analyze(words, text, text_bytes, 0, gather, parser, NULL, parser->err);
}

static size_t count_words(const struct parser *parser)
{
	return parser->words.used_bytes / sizeof(struct word);
}

static const struct word *word_at(const struct parser *parser, size_t i)
{
	return (const struct word *)(const void *)parser->words.data + i;
}

/* The last one that is no pair; there is one. */
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
 * Whether a word that begins at the start of this text is of a run. The analyzer knows, but does not say: so it is
 * asked for the first code point twice over, which makes two words at least that both bear the whole run's place if
 * that code point is of a run, and only then.
 */
static enum bs_status is_run(struct parser *parser, const uint8_t *text, size_t text_bytes, bool *is_run_out)
{
	uint8_t twice[2 * U8_MAX_LENGTH];
	size_t n_bytes = 0;
	U8_FWD_1(text, n_bytes, text_bytes);
	memcpy(twice, text, n_bytes);
	memcpy(twice + n_bytes, text, n_bytes);
	*is_run_out = false;
	return bs_words_analyze(parser->options->words, twice, 2 * n_bytes, 0, find_second, is_run_out, NULL,
				parser->err);
}

static struct bs_element element_of(const struct parser *parser, const struct word *word, enum bs_element_kind kind)
{
	struct bs_element element = {.kind = kind, .term_bytes = word->term_bytes};
	element.term = parser->terms.data + word->term_off;
	return element;
}

/*
 * Adds the gathered words, or the gathered pairs, as items of a leaf, the last word as `last`. A last word that stands
 * for others (U+1F21A, which folds to U+7121 and is of no run, may bear ~2) pairs with nothing that must be there.
 */
static enum bs_status add_items(struct parser *parser, bool pairs, const struct bs_element *last, uint32_t *n_out)
{
	const struct word *final = last_word(parser);
	enum bs_status status = BS_OK;
	*n_out = 0;
	for (size_t i = 0; i < count_words(parser) && !status; i++) {
		const struct word *word = word_at(parser, i);
		if (word->is_bigram != pairs || (pairs && last && word->position + 1 == final->position))
			continue;
		struct bs_element element = element_of(parser, word, pairs ? BS_ELEMENT_BIGRAM : BS_ELEMENT_TERM);
		if (word == final && last)
			element = *last;
		status = bs_build_item(&parser->build, &element, word->position - word_at(parser, 0)->position,
				       parser->err);
		++*n_out;
	}
	return status;
}

_Static_assert(BS_QUERY_MAX_PHRASE == 16384 && BS_QUERY_MAX_WORDS == 100000 && BS_QUERY_MAX_INEXACT == 1024,
	       "the messages below name them");

/* Refuses the leaf just gathered if it makes the query larger than is answered in good time. */
static enum bs_status check_size(struct parser *parser, uint32_t n_items, bool is_inexact)
{
	size_t at = parser->token.start_byte;
	parser->n_items += n_items;
	parser->n_inexact += is_inexact;
	if (n_items > BS_QUERY_MAX_PHRASE)
		return fail_at(parser, at, "a phrase may have 16384 words");
	if (parser->n_items > BS_QUERY_MAX_WORDS)
		return fail_at(parser, at, "a query may have 100000 words");
	if (parser->n_inexact > BS_QUERY_MAX_INEXACT)
		return fail_at(parser, at, "a query may have 1024 words with * or ~");
	return BS_OK;
}

/* The gathered words as a leaf: a WORD, a PHRASE, or with is_near a NEAR. */
static enum bs_status make_leaf(struct parser *parser, const struct bs_element *last, bool is_near, uint32_t *draft_out)
{
	struct bs_draft leaf = {.kind = BS_NODE_WORD, .field = parser->field};
	enum bs_status status = add_items(parser, false, last, &leaf.n_items);
	if (!status)
		status = check_size(parser, leaf.n_items, last != NULL);
	if (!status && leaf.n_items > 1 && !is_near) {
		leaf.kind = BS_NODE_PHRASE;
		status = add_items(parser, true, last, &leaf.n_aids);
	} else if (leaf.n_items > 1) {
		leaf.kind = BS_NODE_NEAR;
		leaf.distance = parser->token.distance;
	}
	return status ? status : bs_build_leaf(&parser->build, &leaf, draft_out, parser->err);
}

static enum bs_status parse_phrase(struct parser *parser, uint32_t *draft_out)
{
	const struct bs_lex_token *token = &parser->token;
	size_t n_bytes = token->inner_end_byte - token->inner_start_byte;
	enum bs_status status =
		analyze(parser, parser->options->words, parser->text + token->inner_start_byte, n_bytes);
	if (status)
		return status;
	if (count_words(parser) > 0)
		return make_leaf(parser, NULL, token->kind == BS_LEX_NEAR, draft_out);
	warn(parser, token->start_byte, token->end_byte, "is ignored: it holds no words");
	return BS_OK;
}

/*
 * The last gathered word as a prefix or fuzzy element, its term in *unstemmed_out: in an index that stems, prefixes and
 * fuzzy words are folded only (as in Lucene), and matched with the stems that the index holds.
 */
static enum bs_status make_last(struct parser *parser, const uint8_t *text, size_t text_bytes, struct bs_element *last,
				struct bs_buffer *unstemmed_out)
{
	struct bs_words *words = parser->options->words_unstemmed;
	enum bs_status status = words ? analyze(parser, words, text, text_bytes) : BS_OK;
	if (status)
		return status;
	const struct word *word = last_word(parser);
	const uint8_t *term = parser->terms.data + word->term_off;
	status = bs_buffer_append(unstemmed_out, term, word->term_bytes, parser->err);
	if (!status && words)
		status = analyze(parser, parser->options->words, text, text_bytes);
	last->term = unstemmed_out->data;
	last->term_bytes = (uint32_t)unstemmed_out->used_bytes;
	return status;
}

/* Words that end in * or ~1 or ~2; there is one at least. */
static enum bs_status parse_inexact(struct parser *parser, struct bs_element last, size_t start_byte, size_t end_byte,
				    uint32_t *draft_out)
{
	const uint8_t *text = parser->text + start_byte;
	struct bs_buffer unstemmed = {0};
	size_t last_byte = (size_t)last_word(parser)->start_byte;
	bool of_run;
	enum bs_status status = is_run(parser, text + last_byte, end_byte - start_byte - last_byte, &of_run);
	if (status)
		goto out;
	if (of_run) {
		if (last.kind == BS_ELEMENT_FUZZY)
			warn(parser, start_byte, end_byte,
			     "is searched as it is: the script has no words to be near to");
		status = make_leaf(parser, NULL, false, draft_out);
		goto out;
	}
	status = make_last(parser, text, end_byte - start_byte, &last, &unstemmed);
	if (!status)
		status = make_leaf(parser, &last, false, draft_out);
out:
	bs_buffer_deinit(&unstemmed);
	return status;
}

/* A bare word, its fields taken off. */
static enum bs_status parse_word(struct parser *parser, uint32_t *draft_out)
{
	size_t start_byte = parser->token.inner_start_byte, end_byte = parser->token.inner_end_byte, text_end;
	struct bs_element last = {0};
	last.kind = bs_lex_suffix(parser->text, start_byte, end_byte, &last.max_distance, &text_end);
	enum bs_status status =
		analyze(parser, parser->options->words, parser->text + start_byte, text_end - start_byte);
	if (status)
		return status;
	if (count_words(parser) == 0) {
		warn(parser, start_byte, end_byte, "is ignored: it holds no words");
		return BS_OK;
	}
	if (last.kind != BS_ELEMENT_TERM)
		return parse_inexact(parser, last, start_byte, text_end, draft_out);
	if (bs_lex_has_bad_distance(parser->text, start_byte, end_byte))
		warn(parser, start_byte, end_byte, "is searched as text: the distance of a word is ~1 or ~2");
	return make_leaf(parser, NULL, false, draft_out);
}

static enum bs_status parse_or(struct parser *parser, uint32_t *draft_out);

static enum bs_status parse_parentheses(struct parser *parser, uint32_t *draft_out)
{
	size_t open_byte = parser->token.start_byte;
	if (parser->depth == BS_QUERY_MAX_DEPTH)
		return fail_at(parser, open_byte, "parentheses are nested too deep");
	parser->depth++;
	enum bs_status status = advance_to_operand(parser);
	if (!status)
		status = parse_or(parser, draft_out);
	parser->depth--;
	if (!status && parser->token.kind != BS_LEX_CLOSE)
		status = fail_at(parser, open_byte, "unbalanced (: it is never closed");
	return status;
}

/* Takes the fields off the current word; the innermost is then in force, and the current token is their operand. */
static enum bs_status parse_fields(struct parser *parser)
{
	while (parser->token.kind == BS_LEX_WORD) {
		struct bs_lex_token *token = &parser->token;
		size_t n_bytes = bs_lex_field(parser->text, token->inner_start_byte, token->inner_end_byte,
					      parser->options->fields, parser->options->longest_field_bytes,
					      &parser->field);
		if (n_bytes == 0)
			break;
		token->inner_start_byte += n_bytes;
		if (token->inner_start_byte < token->inner_end_byte)
			continue;
		token->kind = BS_LEX_FIELD;
		enum bs_status status = advance_to_operand(parser);
		if (status)
			return status;
	}
	return starts_primary(parser) ? BS_OK : fail_operand(parser);
}

static enum bs_status parse_primary(struct parser *parser, uint32_t *draft_out)
{
	uint32_t field_around = parser->field;
	*draft_out = BS_DRAFT_NONE;
	enum bs_status status = parse_fields(parser);
	if (status)
		return status;
	if (parser->token.kind == BS_LEX_WORD)
		status = parse_word(parser, draft_out);
	else if (parser->token.kind == BS_LEX_OPEN)
		status = parse_parentheses(parser, draft_out);
	else
		status = parse_phrase(parser, draft_out);
	parser->field = field_around;
	return status ? status : advance(parser);
}

/* is_negated_out: by - or NOT at this very place. */
static enum bs_status parse_unary(struct parser *parser, bool *is_negated_out, uint32_t *draft_out)
{
	*is_negated_out = parser->token.kind == BS_LEX_NOT || parser->token.kind == BS_LEX_MINUS;
	if (!*is_negated_out)
		return parse_primary(parser, draft_out);
	uint32_t draft;
	enum bs_status status = advance_to_operand(parser);
	if (!status)
		status = parse_primary(parser, &draft);
	return status ? status : bs_build_not(&parser->build, draft, draft_out, parser->err);
}

/* unary { "AND" unary }; is_negated_out: a single one, negated. */
static enum bs_status parse_explicit_and(struct parser *parser, bool *is_negated_out, uint32_t *draft_out)
{
	struct bs_operands all = bs_operands_none(BS_NODE_AND);
	uint32_t draft;
	enum bs_status status = parse_unary(parser, is_negated_out, &draft);
	while (!status) {
		bs_build_add(&parser->build, &all, draft);
		if (parser->token.kind != BS_LEX_AND)
			break;
		bool is_negated;
		*is_negated_out = false;
		status = advance_to_operand(parser);
		if (!status)
			status = parse_unary(parser, &is_negated, &draft);
	}
	return status ? status : bs_build_join(&parser->build, &all, draft_out, parser->err);
}

/* What stands side by side: all of it; or with --any outside parentheses, any of it but none of the negated. */
static enum bs_status parse_and(struct parser *parser, uint32_t *draft_out)
{
	bool any = parser->options->any && parser->depth == 0;
	struct bs_operands either = bs_operands_none(BS_NODE_OR), all = bs_operands_none(BS_NODE_AND);
	struct bs_operands both = bs_operands_none(BS_NODE_AND);
	uint32_t draft;
	do {
		bool is_negated;
		enum bs_status status = parse_explicit_and(parser, &is_negated, &draft);
		if (status)
			return status;
		bs_build_add(&parser->build, any && !is_negated ? &either : &all, draft);
	} while (starts_unary(parser));
	enum bs_status status = bs_build_join(&parser->build, &either, &draft, parser->err);
	if (status)
		return status;
	bs_build_add(&parser->build, &both, draft);
	status = bs_build_join(&parser->build, &all, &draft, parser->err);
	if (status)
		return status;
	bs_build_add(&parser->build, &both, draft);
	return bs_build_join(&parser->build, &both, draft_out, parser->err);
}

static enum bs_status parse_or(struct parser *parser, uint32_t *draft_out)
{
	struct bs_operands either = bs_operands_none(BS_NODE_OR);
	for (;;) {
		uint32_t draft;
		enum bs_status status = starts_unary(parser) ? parse_and(parser, &draft) : fail_operand(parser);
		if (status)
			return status;
		bs_build_add(&parser->build, &either, draft);
		if (parser->token.kind != BS_LEX_OR)
			break;
		status = advance_to_operand(parser);
		if (status)
			return status;
	}
	return bs_build_join(&parser->build, &either, draft_out, parser->err);
}

static enum bs_status parse_all(struct parser *parser, struct bs_query **query_out)
{
	uint32_t root;
	enum bs_status status = bs_build_init(&parser->build, parser->err);
	if (!status)
		status = advance(parser);
	if (!status)
		status = parse_or(parser, &root);
	if (status)
		return status;
	if (parser->token.kind == BS_LEX_CLOSE)
		return fail_at(parser, parser->token.start_byte, "unbalanced )");
	if (root == BS_DRAFT_NONE)
		return fail_at(parser, 0, "the query has no words");
	return bs_build_finish(&parser->build, root, query_out, parser->err);
}

enum bs_status bs_query_parse(const uint8_t *text, size_t text_bytes, const struct bs_query_options *options,
			      struct bs_query **query_out, size_t *error_byte_out, struct bs_error *err)
{
	struct parser parser = {.text = text, .text_bytes = text_bytes, .options = options, .err = err};
	parser.field = BS_QUERY_ANY_FIELD;
	*query_out = NULL;
	enum bs_status status = BS_OK;
	if (text_bytes > BS_QUERY_MAX_BYTES) {
		parser.error_byte = BS_QUERY_MAX_BYTES;
		status = bs_fail(err, BS_INVALID, "the query is longer than %u bytes", BS_QUERY_MAX_BYTES);
	} else {
		status = parse_all(&parser, query_out);
	}
	if (error_byte_out)
		*error_byte_out = parser.error_byte;
	bs_build_deinit(&parser.build);
	bs_buffer_deinit(&parser.words);
	bs_buffer_deinit(&parser.terms);
	return status;
}
