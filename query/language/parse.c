/*
 * parse.c: the grammar of parse.h, by recursive descent over the tokens of lex.h. Analyses the text
 * of tokens into words and builds the tree.
 *
 * Only brackets recurse (parse_or), so BS_QUERY_MAX_DEPTH bounds the stack; on a small stack, fewer
 * levels are allowed. An ignored operand is NO_DRAFT, which every operator skips. The first failure
 * is sticky: after it, token_of returns END, and nothing more is built.
 */
#include "query/language/parse.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/utf8.h>

#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/bitsift/search_request.h"
#include "core/system/deadline.h"
#include "core/system/stack.h"
#include "core/text/printable.h"
#include "core/text/tokenizer_run.h"
#include "query/language/lex.h"
#include "query/language/stop.h"
#include "query/language/wildcard.h"

#define NO_DRAFT UINT32_MAX

/* A key in bs_query_storage.terms begins with these bytes: kind and max_distance. */
#define ELEMENT_KIND_BYTES 2u

/* A word or bigram of the text analysed last, which is a token or a part of one. */
struct word {
	size_t term_off; /* offset in parser.terms */
	uint32_t term_bytes;
	uint32_t position;
	uint64_t start_byte; /* offset in the analysed text */
	bool is_bigram;
	bool is_stop;
};

/* A node under construction. Children are a linked list, so that the children of one AND can be
 * moved into another without a copy. */
struct draft {
	/* weight: the weight of this node alone, which applies to all nodes below it. The arrays
	 * are not set yet. */
	struct bs_query_node node;
	size_t first_item; /* leaves: index in parser.items; the aids follow the items */
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next;  /* next sibling */
	uint32_t final; /* index of the finished node in the query */
	bool is_stop;   /* a stop word and nothing else */
};

BS_VECTOR(words, struct word);
BS_VECTOR(drafts, struct draft);

struct parser {
	struct bs_lexing lexing; /* the text, its tokens, and the sticky status */
	const struct bs_query_options *options;
	size_t at;      /* index of the current token */
	uint32_t field; /* the field that applies now */
	/* the records' field "name"; BS_QUERY_ANY_FIELD: there is none */
	uint32_t name_field;
	uint32_t depth;             /* open brackets */
	uint32_t n_items;           /* items of all leaves so far */
	const struct bs_stop *stop; /* NULL: there are no stop words */
	uint32_t n_negations;       /* NOTs around the current token */
	bool has_stops;             /* the query contains stop words */
	/* The query's own text has a word that is not negated and not a stop word. */
	bool has_others;
	size_t n_own_items;     /* items of the query's own text; those of feedback terms follow */
	uint32_t n_inexact;     /* words with *, ? or ~ so far */
	struct words words;     /* the words of the text analysed last */
	struct bs_buffer terms; /* the terms of `words` */
	struct bs_query_tree *query; /* its terms and notices are filled during parsing */
	struct bs_query_items items;
	struct bs_query_ranges ranges;
	struct bs_elements elements; /* their terms are in query->storage.terms */
	struct bs_buffer key;        /* key of the current element */
	/* a text with wildcards in NFC, so that ? is one character of a word */
	struct bs_buffer nfc;
	struct drafts drafts;
	uint32_t n_drafts;
	uint32_t n_children; /* children in the finished query so far */
	struct bs_error *err;
};

/* Keeps the first failure. */
static void keep(struct parser *parser, enum bs_status status)
{
	bs_lex_keep(&parser->lexing, status);
}

/* Estimated nanoseconds for an operand and for a node. */
#define OPERAND_NS 500u
#define NODE_NS    50u

static void spend(struct parser *parser, uint64_t about_ns)
{
	if (!parser->lexing.status)
		keep(parser, bs_deadline_check_after(about_ns, parser->err));
}

static void append(struct parser *parser, struct bs_buffer *to, const void *bytes, size_t n_bytes)
{
	if (!parser->lexing.status)
		keep(parser, bs_buffer_append(to, bytes, n_bytes, parser->err));
}

/* The current token; END after the last token and after a failure. */
static const struct bs_lexeme *token_of(const struct parser *parser)
{
	static const struct bs_lexeme end = {.kind = BS_LEX_END};
	if (parser->lexing.status)
		return &end;
	return &parser->lexing.tokens.items[parser->at];
}

static bool starts_unary(const struct parser *parser)
{
	enum bs_lex_kind kind = (enum bs_lex_kind)token_of(parser)->kind;
	return kind != BS_LEX_END && kind != BS_LEX_CLOSE && kind != BS_LEX_AND &&
	       kind != BS_LEX_OR;
}

/*
 * Reads the suffix of the word text[start_byte..end_byte): `~1`, `~2`, or one or several `*`, if
 * other characters precede it. Returns the element kind, TERM without a suffix. *text_end_out is
 * the end of the text before the suffix.
 */
static enum bs_element_kind suffix_of(const struct parser *parser, size_t start_byte,
                                      size_t end_byte, uint8_t *distance_out, size_t *text_end_out)
{
	const uint8_t *end = parser->lexing.text + end_byte;
	size_t n_bytes = end_byte - start_byte;
	*distance_out = 0;
	*text_end_out = end_byte;
	if (n_bytes > 1 && end[-1] == '*') {
		while (*text_end_out > start_byte + 1 &&
		       parser->lexing.text[*text_end_out - 1] == '*')
			--*text_end_out;
		return BS_ELEMENT_PREFIX;
	}
	if (n_bytes > 2 && end[-2] == '~' && (end[-1] == '1' || end[-1] == '2')) {
		*distance_out = (uint8_t)(end[-1] - '0');
		*text_end_out = end_byte - 2;
		return BS_ELEMENT_FUZZY;
	}
	return BS_ELEMENT_TERM;
}

static struct draft *draft_at(struct parser *parser, uint32_t draft)
{
	assert(draft < parser->n_drafts);
	return &parser->drafts.items[draft];
}

/* Finds or adds an element and returns its number. */
static uint32_t add_element(struct parser *parser, const struct bs_element *element)
{
	const uint8_t kind[ELEMENT_KIND_BYTES] = {(uint8_t)element->kind, element->max_distance};
	uint32_t number = 0;
	struct bs_buffer *key = &parser->key;
	bool is_new = false;
	bs_buffer_clear(key);
	append(parser, key, kind, sizeof(kind));
	append(parser, key, element->term, element->term_bytes);
	if (!parser->lexing.status)
		keep(parser, bs_term_table_intern(&parser->query->storage.terms, key->data,
		                                  (uint32_t)key->used_bytes,
		                                  bs_hash_slot(key->data, key->used_bytes), &number,
		                                  &is_new, parser->err));
	if (is_new)
		append(parser, &parser->elements.bytes, element, sizeof(*element));
	return number;
}

static void add_item(struct parser *parser, const struct bs_element *element, uint32_t position,
                     bool is_stop)
{
	struct bs_query_item item = {
		.element = add_element(parser, element), .position = position, .is_stop = is_stop};
	append(parser, &parser->items.bytes, &item, sizeof(item));
}

static uint32_t add_draft(struct parser *parser, const struct draft *draft)
{
	append(parser, &parser->drafts.bytes, draft, sizeof(*draft));
	return parser->lexing.status ? NO_DRAFT : parser->n_drafts++;
}

static struct draft new_draft(enum bs_node_kind kind)
{
	return (struct draft){.node = {.kind = kind, .field = BS_QUERY_ANY_FIELD, .weight = 1},
	                      .first_child = NO_DRAFT,
	                      .last_child = NO_DRAFT,
	                      .next = NO_DRAFT};
}

/* Makes the negation of a draft. NO_DRAFT remains NO_DRAFT. The negation of a NOT is its
 * operand. */
static uint32_t negate(struct parser *parser, uint32_t draft)
{
	struct draft negation = new_draft(BS_NODE_NOT);
	if (draft == NO_DRAFT)
		return NO_DRAFT;
	const struct draft *node = draft_at(parser, draft);
	negation.first_child = negation.last_child = draft;
	negation.node.n_children = 1;
	if (node->node.kind != BS_NODE_NOT)
		return add_draft(parser, &negation);
	draft_at(parser, node->first_child)->node.weight *= node->node.weight;
	draft_at(parser, node->first_child)->is_stop = false;
	return node->first_child;
}

static void add_operand(struct parser *parser, struct draft *parent, uint32_t draft)
{
	if (draft == NO_DRAFT)
		return;
	if (parent->node.n_children == 0)
		parent->first_child = draft;
	else
		draft_at(parser, parent->last_child)->next = draft;
	parent->last_child = draft;
	parent->node.n_children++;
}

/* Adds an AND or OR. If it has only one operand, returns this operand instead; if it has none,
 * NO_DRAFT. */
static uint32_t join(struct parser *parser, const struct draft *parent)
{
	return parent->node.n_children < 2 ? parent->first_child : add_draft(parser, parent);
}

/* bs_token_fn: collects the words and bigrams of the analysed text. */
static enum bs_status take_terms(void *context, const struct bs_token *tokens, size_t n_tokens,
                                 struct bs_error *err)
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
		append(parser, &parser->words.bytes, &word, sizeof(word));
	}
	return parser->lexing.status;
}

/* Marks the collected words that are stop words. */
static void mark_stops(struct parser *parser, const uint8_t *text, size_t text_bytes)
{
	struct word *words = parser->words.items;
	size_t n_words = bs_vector_n(&parser->words);
	bs_buffer_clear(&parser->key);
	if (!parser->lexing.status)
		keep(parser,
		     bs_stop_mark(parser->stop, text, text_bytes, &parser->key, parser->err));
	for (size_t i = 0, n = 0; i < n_words && n < parser->key.used_bytes; i++) {
		words[i].is_stop = !words[i].is_bigram && parser->key.data[n++];
		parser->has_stops |= words[i].is_stop;
	}
}

/* Analyses a text into parser->words. */
static void analyze(struct parser *parser, struct bs_tokenizer *tokenizer, const uint8_t *text,
                    size_t text_bytes)
{
	bs_vector_clear(&parser->words);
	bs_buffer_clear(&parser->terms);
	if (!parser->lexing.status)
		keep(parser, bs_tokenizer_analyze(tokenizer, text, text_bytes, 0, take_terms,
		                                  parser, NULL, parser->err));
	if (parser->stop)
		mark_stops(parser, text, text_bytes);
}

/* The last collected word that is not a bigram; there must be one. */
static const struct word *last_word(const struct parser *parser)
{
	size_t i = bs_vector_n(&parser->words) - 1;
	while (parser->words.items[i].is_bigram)
		i--;
	return &parser->words.items[i];
}

/*
 * Adds the collected words, or the collected bigrams, as items of a leaf and returns their number.
 * `last` (nullable) replaces the last word; if it does, the bigram that ends with the last word is
 * left out, because a match need not contain it. (A character of a script run cannot have ~N, but
 * the last word may still be part of a bigram: U+1F21A, which is not such a character, folds to
 * U+7121, which is one.)
 */
static uint32_t add_items(struct parser *parser, bool bigrams, const struct bs_element *last)
{
	const struct word *final = last_word(parser);
	uint32_t n = 0;
	for (size_t i = 0; i < bs_vector_n(&parser->words); i++) {
		const struct word *word = &parser->words.items[i];
		if (word->is_bigram != bigrams ||
		    (bigrams && last && word->position + 1 == final->position))
			continue;
		struct bs_element element = {
			.kind = bigrams ? BS_ELEMENT_BIGRAM : BS_ELEMENT_TERM,
			.term_bytes = word->term_bytes,
			.term = parser->terms.data + word->term_off,
		};
		bool is_last = word == final && last;
		add_item(parser, is_last ? last : &element,
		         word->position - parser->words.items[0].position,
		         word->is_stop && !is_last);
		n++;
	}
	return n;
}

_Static_assert(BS_QUERY_MAX_PHRASE == 16384 && BS_QUERY_MAX_WORDS == 100000 &&
                       BS_QUERY_MAX_INEXACT == 1024 && BS_QUERY_MAX_RANGES == 1024,
               "the messages below name them");

/* Fails if the current leaf makes the query too large to be answered in reasonable time. */
static void check_size(struct parser *parser, uint32_t n_items, bool is_inexact)
{
	size_t at = token_of(parser)->start_byte;
	parser->n_items += n_items;
	parser->n_inexact += is_inexact;
	if (n_items > BS_QUERY_MAX_PHRASE)
		bs_lex_fail(&parser->lexing, at, "a phrase may have at most 16384 words");
	if (parser->n_items > BS_QUERY_MAX_WORDS)
		bs_lex_fail(&parser->lexing, at, "a query may have at most 100000 words");
	if (parser->n_inexact > BS_QUERY_MAX_INEXACT)
		bs_lex_fail(&parser->lexing, at,
		            "a query may have at most 1024 words with *, ? or ~");
}

/* Makes a leaf for the current token; the leaf's text ends at end_byte. */
static struct draft new_leaf(const struct parser *parser, enum bs_node_kind kind, size_t end_byte)
{
	const struct bs_lexeme *token = token_of(parser);
	struct draft leaf = new_draft(kind);
	leaf.node.field = parser->field;
	leaf.node.text.start_byte = token->inner_start_byte;
	leaf.node.text.end_byte = (uint32_t)end_byte;
	leaf.node.text.is_quoted = token->kind != BS_LEX_WORD;
	leaf.node.text.is_near = token->kind == BS_LEX_NEAR;
	leaf.node.distance = token->value;
	return leaf;
}

/* Makes a leaf of the collected words: a WORD, a PHRASE, or with is_near a NEAR. For a `name:` of
 * files and records, makes an OR of two leaves. `last` (nullable) replaces the last word. end_byte:
 * the end of the words' text in the query text. */
static uint32_t make_leaf(struct parser *parser, const struct bs_element *last, bool is_near,
                          size_t end_byte)
{
	struct draft leaf = new_leaf(parser, BS_NODE_WORD, end_byte);
	leaf.first_item = bs_vector_n(&parser->items);
	if (parser->lexing.status)
		return NO_DRAFT;
	leaf.node.n_items = add_items(parser, false, last);
	check_size(parser, leaf.node.n_items, last != NULL);
	if (leaf.node.n_items > 1 && is_near) {
		leaf.node.kind = BS_NODE_NEAR;
	} else if (leaf.node.n_items > 1) {
		leaf.node.kind = BS_NODE_PHRASE;
		leaf.node.n_aids = add_items(parser, true, last);
	}
	leaf.is_stop = leaf.node.n_items == 1 && parser->words.items[0].is_stop && !last;
	uint32_t draft = add_draft(parser, &leaf);
	if (leaf.node.field != BS_QUERY_FILE_NAME || parser->name_field == BS_QUERY_ANY_FIELD)
		return draft;
	struct draft either = new_draft(BS_NODE_OR);
	leaf.node.field = parser->name_field;
	either.is_stop = leaf.is_stop;
	add_operand(parser, &either, draft);
	add_operand(parser, &either, add_draft(parser, &leaf));
	return join(parser, &either);
}

static uint32_t ignore(struct parser *parser)
{
	const struct bs_lexeme *token = token_of(parser);
	size_t start_byte =
		token->kind == BS_LEX_WORD ? token->inner_start_byte : token->start_byte;
	if (!token->is_rest)
		bs_lex_notice(&parser->lexing, start_byte, token->end_byte,
		              "is ignored: it has no words");
	return NO_DRAFT;
}

/*
 * Makes `last`, a prefix or fuzzy element, of the last collected word; *unstemmed_out holds the
 * bytes of last->term. In an index that stems, prefixes and fuzzy words are folded but not stemmed
 * (as in Lucene), and compared with the stems in the index.
 */
static void make_last(struct parser *parser, const uint8_t *text, size_t text_bytes,
                      struct bs_element *last, struct bs_buffer *unstemmed_out)
{
	struct bs_tokenizer *tokenizer = parser->options->words_unstemmed;
	if (tokenizer)
		analyze(parser, tokenizer, text, text_bytes);
	if (parser->lexing.status)
		return;
	const struct word *word = last_word(parser);
	append(parser, unstemmed_out, parser->terms.data + word->term_off, word->term_bytes);
	if (tokenizer)
		analyze(parser, parser->options->tokenizer, text, text_bytes);
	last->term = unstemmed_out->data;
	last->term_bytes = (uint32_t)unstemmed_out->used_bytes;
}

/* Makes a leaf of text[start_byte..end_byte). The caller has collected its words, at least one.
 * The last of them is followed by *, ~1 or ~2, as `last` says. */
static uint32_t parse_inexact(struct parser *parser, struct bs_element last, size_t start_byte,
                              size_t end_byte)
{
	const uint8_t *text = parser->lexing.text + start_byte;
	struct bs_buffer unstemmed = {0};
	size_t last_byte = (size_t)last_word(parser)->start_byte;
	if (bs_tokenizer_begins_run(parser->options->tokenizer, text, last_byte,
	                            end_byte - start_byte)) {
		if (last.kind == BS_ELEMENT_FUZZY)
			bs_lex_notice(&parser->lexing, start_byte, end_byte,
			              "is searched literally: its script has no words, so no edits "
			              "are allowed");
		/* A * after a script run is ignored. It is removed from the leaf's text, so that
		 * the normal form does not contain it. */
		while (end_byte > start_byte + 1 && parser->lexing.text[end_byte - 1] == '*')
			end_byte--;
		return make_leaf(parser, NULL, false, end_byte);
	}
	make_last(parser, text, end_byte - start_byte, &last, &unstemmed);
	uint32_t draft = make_leaf(parser, &last, false, token_of(parser)->inner_end_byte);
	bs_buffer_deinit(&unstemmed);
	return draft;
}

/* Collects the words of a text without stemming. Wildcards are allowed only in the last word, and
 * only if it has other characters; all other wildcards are turned back into * and ?. This may
 * change the words, so it is repeated until nothing changes. True if wildcards are left. */
static bool gather_pattern(struct parser *parser, struct bs_wildcards *wildcards)
{
	const struct bs_query_options *options = parser->options;
	const struct bs_buffer *text = &wildcards->text;
	uint32_t n = wildcards->n + 1;
	while (wildcards->n > 0 && wildcards->n < n && !parser->lexing.status) {
		n = wildcards->n;
		analyze(parser,
		        options->words_unstemmed ? options->words_unstemmed : options->tokenizer,
		        text->data, text->used_bytes);
		if (parser->lexing.status || bs_vector_n(&parser->words) == 0)
			return false;
		const struct word *last = last_word(parser);
		size_t excess = bs_wildcards_excess(wildcards, parser->terms.data + last->term_off,
		                                    last->term_bytes);
		bs_wildcards_take_back(wildcards, (size_t)last->start_byte + excess);
	}
	return wildcards->n > 0 && !parser->lexing.status;
}

/* Makes a leaf of the collected words. The last one is a pattern; if its only wildcard is a * at
 * its end, it becomes a prefix instead. is_open: a * follows the last word. */
static uint32_t make_pattern(struct parser *parser, const struct bs_wildcards *wildcards,
                             bool is_open)
{
	struct bs_buffer pattern = {0};
	const struct word *word = last_word(parser);
	struct bs_element last = {.kind = BS_ELEMENT_PATTERN};
	keep(parser, bs_wildcards_append(wildcards, parser->terms.data + word->term_off,
	                                 word->term_bytes, is_open, &pattern, parser->err));
	if (parser->options->words_unstemmed)
		analyze(parser, parser->options->tokenizer, wildcards->text.data,
		        wildcards->text.used_bytes);
	size_t n_bytes = pattern.used_bytes, head_bytes = bs_pattern_head(pattern.data, n_bytes);
	if (head_bytes + 1 == n_bytes && pattern.data[head_bytes] == BS_PATTERN_ANY) {
		last.kind = BS_ELEMENT_PREFIX;
		n_bytes = head_bytes;
	}
	last.term = pattern.data;
	last.term_bytes = (uint32_t)n_bytes;
	uint32_t draft = make_leaf(parser, &last, false, token_of(parser)->inner_end_byte);
	bs_buffer_deinit(&pattern);
	return draft;
}

/*
 * Makes a leaf of text[start_byte..end_byte) if its last word has wildcards; otherwise returns
 * false. token_byte: the beginning of the last token. suffix: the kind of the suffix after
 * end_byte.
 */
static bool parse_pattern(struct parser *parser, size_t start_byte, size_t token_byte,
                          size_t end_byte, enum bs_element_kind suffix, uint32_t *draft_out)
{
	struct bs_wildcards wildcards = {0};
	const uint8_t *text = parser->lexing.text;
	const char *message = NULL;
	size_t token;
	if (!memchr(text + token_byte, '*', end_byte - token_byte) &&
	    !memchr(text + token_byte, '?', end_byte - token_byte))
		return false;
	bs_buffer_clear(&parser->nfc);
	keep(parser, bs_tokenizer_append_nfc(parser->options->tokenizer, text + start_byte,
	                                     token_byte - start_byte, &parser->nfc, parser->err));
	token = parser->nfc.used_bytes;
	if (!parser->lexing.status)
		keep(parser,
		     bs_tokenizer_append_nfc(parser->options->tokenizer, text + token_byte,
		                             end_byte - token_byte, &parser->nfc, parser->err));
	if (!parser->lexing.status)
		keep(parser, bs_wildcards_find(&wildcards, parser->nfc.data, token,
		                               parser->nfc.used_bytes, parser->err));
	bool is_pattern = suffix != BS_ELEMENT_FUZZY && gather_pattern(parser, &wildcards);
	if (wildcards.is_too_long)
		message = "is searched as text: a word with wildcards has at most 1024 bytes";
	else if (suffix == BS_ELEMENT_FUZZY && wildcards.n > 0)
		message =
			"is searched without its * and ?: they do not go together with a distance";
	else if (wildcards.is_misplaced)
		message =
			"is searched as text up to its last word: only the last word may have a *";
	if (message)
		bs_lex_notice(&parser->lexing, token_byte, token_of(parser)->inner_end_byte,
		              message);
	if (is_pattern)
		*draft_out = make_pattern(parser, &wildcards, suffix == BS_ELEMENT_PREFIX);
	bs_wildcards_deinit(&wildcards);
	return is_pattern;
}

_Static_assert(BS_PATTERN_MAX_BYTES == 1024, "the message above names it");

/* Returns the beginning of the last token in text[start..*end), the text of a phrase. Sets *end to
 * the end of this token. */
static size_t last_token(const uint8_t *text, size_t start, size_t *end)
{
	size_t at = *end, before = at;
	while (before > start && bs_is_white_space(bs_utf8_previous(text, &before)))
		at = before;
	*end = at;
	for (before = at; before > start && !bs_is_white_space(bs_utf8_previous(text, &before));)
		at = before;
	return at;
}

/* Adds a range to the query, and its leaf. leaf: a RANGE node whose field and range are not set. */
static uint32_t add_range(struct parser *parser, struct draft leaf,
                          const struct bs_query_range *range)
{
	leaf.node.field = range->field;
	leaf.node.range = (uint32_t)bs_vector_n(&parser->ranges);
	append(parser, &parser->ranges.bytes, range, sizeof(*range));
	if (parser->lexing.status)
		free(range->long_text);
	return add_draft(parser, &leaf);
}

/* The notice for a word that was meant as a range; NULL: none. */
static const char *range_notice(bool has_field, bool has_values, bool is_range, bool is_empty,
                                bool is_of_other_kind)
{
	if (!has_field)
		return is_range && has_values ? "is searched as text: a range follows a field, as "
		                                "in year:1990..2000"
		                              : NULL;
	if (!is_range)
		return "is searched as text: a range is A..B, >A, >=A, <A or <=A, of numbers such "
		       "as 1990 or 2.5k, or "
		       "of dates such as "
		       "2024-05-17";
	if (!has_values)
		return "is searched as text: the field has no numbers or dates";
	if (is_of_other_kind)
		return "is a range of numbers, but the field has dates: write dates as in "
		       "2024-05-17";
	return is_empty ? "finds nothing: write the lower end of the range first" : NULL;
}

static bool has_no_dates(const struct bs_range *range)
{
	const struct bs_value_span *dates = &range->spans[BS_RANGE_DATES];
	return bs_value_compare(&dates->first, &dates->end) >= 0;
}

/* Reads a range with bs_range_parse. The caller must keep or free range->long_text, also if this
 * returns false. */
static bool read_range(struct parser *parser, const uint8_t *text, size_t n_bytes,
                       struct bs_query_range *range)
{
	range->long_text = malloc(n_bytes + BS_RANGE_ROOM(n_bytes));
	if (!range->long_text) {
		keep(parser, bs_fail_memory(parser->err, "a range", n_bytes));
		return false;
	}
	memcpy(range->long_text, text, n_bytes);
	return bs_range_parse(range->long_text, n_bytes, range->long_text + n_bytes,
	                      &range->values);
}

/*
 * Makes a RANGE leaf of the current token in the current field. NO_DRAFT: its text is not a range,
 * or no field with values applies. If records have a field "name", `name:` refers to it here.
 * is_quoted: no notice if the text is not a range.
 */
static uint32_t parse_range(struct parser *parser, bool is_quoted)
{
	const struct bs_query_options *options = parser->options;
	const struct bs_lexeme *token = token_of(parser);
	size_t n_bytes = token->inner_end_byte - token->inner_start_byte;
	const uint8_t *text = parser->lexing.text + token->inner_start_byte;
	bool has_field = parser->field != BS_QUERY_ANY_FIELD;
	uint32_t field = parser->field == BS_QUERY_FILE_NAME ? parser->name_field : parser->field;
	struct bs_query_range range = {.field = field};
	if (!bs_range_looks_like(text, n_bytes))
		return NO_DRAFT;
	/* For BS_QUERY_ANY_FIELD, has_values returns whether any field has values. It is not called
	 * for a `name:` that refers only to files: `field` is BS_QUERY_ANY_FIELD then, too, but
	 * file paths have no values. */
	bool is_asked = options->has_values && (!has_field || field != BS_QUERY_ANY_FIELD);
	bool has_values = is_asked && options->has_values(options->context, field);
	bool is_range = read_range(parser, text, n_bytes, &range);
	bool is_none = !has_field || !has_values || !is_range;
	/* If the field has no values, an invalid range that begins with one of these characters is
	 * ordinary text and gets no notice. */
	bool is_silent =
		is_quoted ? is_none : !has_values && !is_range && memchr("=![{\xe2", *text, 5);
	bool is_empty = is_range && bs_range_is_empty(&range.values);
	bool is_of_other_kind = has_field && has_values && is_range && !is_empty &&
	                        options->has_dates_alone && has_no_dates(&range.values) &&
	                        options->has_dates_alone(options->context, field);
	const char *message = is_silent ? NULL
	                                : range_notice(has_field, has_values, is_range, is_empty,
	                                               is_of_other_kind);
	if (message)
		bs_lex_notice(&parser->lexing, token->start_byte, token->end_byte, message);
	if (!is_none && bs_vector_n(&parser->ranges) == BS_QUERY_MAX_RANGES)
		bs_lex_fail(&parser->lexing, token->start_byte,
		            "a query may have at most 1024 ranges");
	if (is_none || parser->lexing.status) {
		free(range.long_text);
		return NO_DRAFT;
	}
	memcpy(range.text, text, n_bytes < BS_QUERY_RANGE_SHOWN ? n_bytes : BS_QUERY_RANGE_SHOWN);
	return add_range(parser, new_leaf(parser, BS_NODE_RANGE, token->inner_end_byte), &range);
}

/* Makes a leaf for a phrase or NEAR. The last token of a phrase may be a prefix or a pattern. */
static uint32_t parse_phrase(struct parser *parser)
{
	const struct bs_lexeme *token = token_of(parser);
	const uint8_t *text = parser->lexing.text;
	bool is_near = token->kind == BS_LEX_NEAR;
	size_t start = token->inner_start_byte, end = token->inner_end_byte,
	       last_byte = last_token(text, start, &end), text_end;
	struct bs_element last = {.kind = BS_ELEMENT_TERM};
	uint8_t distance;
	/* A date may have a space before its time. */
	uint32_t draft = is_near || !memchr(text + start, ' ', end - start)
	                         ? NO_DRAFT
	                         : parse_range(parser, true);
	if (draft != NO_DRAFT || parser->lexing.status)
		return draft;
	if (suffix_of(parser, last_byte, end, &distance, &text_end) == BS_ELEMENT_PREFIX &&
	    !is_near)
		last.kind = BS_ELEMENT_PREFIX;
	else
		text_end = end;
	if (!is_near && parse_pattern(parser, start, last_byte, text_end, last.kind, &draft))
		return draft;
	analyze(parser, parser->options->tokenizer, text + start, text_end - start);
	if (bs_vector_n(&parser->words) == 0)
		return ignore(parser);
	if (last.kind == BS_ELEMENT_PREFIX && last_word(parser)->start_byte >= last_byte - start)
		return parse_inexact(parser, last, start, text_end);
	return make_leaf(parser, NULL, is_near, token->inner_end_byte);
}

/* Makes a leaf of a bare word. parse_primary has already read the fields before it. */
static uint32_t parse_word(struct parser *parser)
{
	const struct bs_lexeme *token = token_of(parser);
	size_t start_byte = token->inner_start_byte, end_byte = token->inner_end_byte, text_end;
	struct bs_element last = {0};
	uint32_t draft = parse_range(parser, false);
	if (draft != NO_DRAFT)
		return draft;
	last.kind = suffix_of(parser, start_byte, end_byte, &last.max_distance, &text_end);
	if (parse_pattern(parser, start_byte, start_byte, text_end, last.kind, &draft))
		return draft;
	analyze(parser, parser->options->tokenizer, parser->lexing.text + start_byte,
	        text_end - start_byte);
	if (bs_vector_n(&parser->words) == 0)
		return ignore(parser);
	if (last.kind != BS_ELEMENT_TERM)
		return parse_inexact(parser, last, start_byte, text_end);
	return make_leaf(parser, NULL, false, end_byte);
}

static uint32_t parse_or(struct parser *parser);

/* Nested brackets and trees up to this depth fit into any stack. */
#define FEW_LEVELS 16u
/* The most stack bytes per node of functions that walk over the tree: eval and eval_and of
 * scan.c. */
#define NODE_STACK_BYTES 640u

/* Parses a group. Leaves the parser at the closing bracket. */
static uint32_t parse_group(struct parser *parser)
{
	if (parser->depth == BS_QUERY_MAX_DEPTH) {
		bs_lex_fail(&parser->lexing, token_of(parser)->start_byte,
		            "brackets are nested too deep");
		return NO_DRAFT;
	}
	if (parser->depth >= FEW_LEVELS && bs_stack_levels(1) == 0) {
		bs_lex_fail(&parser->lexing, token_of(parser)->start_byte,
		            "brackets are nested too deep for the small stack of this thread");
		return NO_DRAFT;
	}
	parser->depth++;
	parser->at++;
	uint32_t draft = parse_or(parser);
	parser->depth--;
	return draft;
}

/* Parses a primary and the fields before it; the innermost field applies. */
static uint32_t parse_primary(struct parser *parser)
{
	uint32_t field_around = parser->field, draft;
	for (; token_of(parser)->kind == BS_LEX_FIELD; parser->at++)
		parser->field = token_of(parser)->value;
	if (token_of(parser)->kind == BS_LEX_WORD)
		draft = parse_word(parser);
	else if (token_of(parser)->kind == BS_LEX_OPEN)
		draft = parse_group(parser);
	else
		draft = parse_phrase(parser);
	if (draft != NO_DRAFT && !parser->lexing.status)
		draft_at(parser, draft)->node.weight *= token_of(parser)->weight;
	parser->field = field_around;
	parser->at++;
	spend(parser, OPERAND_NS);
	return draft;
}

/* With --any, drops an operand that is only a stop word, except under a negation. */
static uint32_t unless_stop(struct parser *parser, uint32_t number)
{
	if (!parser->options->any || parser->n_negations > 0 || parser->lexing.status ||
	    number == NO_DRAFT)
		return number;
	return draft_at(parser, number)->is_stop ? NO_DRAFT : number;
}

/* Parses [-|NOT] primary. *is_negated_out: the operand begins with - or NOT. */
static uint32_t parse_unary(struct parser *parser, bool *is_negated_out)
{
	*is_negated_out = token_of(parser)->kind == BS_LEX_NOT;
	if (!*is_negated_out)
		return unless_stop(parser, parse_primary(parser));
	parser->at++;
	parser->n_negations++;
	uint32_t draft = parse_primary(parser);
	parser->n_negations--;
	return negate(parser, draft);
}

/* Parses unary { "AND" unary }. *is_negated_out: there is only one operand, and it is negated. */
static uint32_t parse_explicit_and(struct parser *parser, bool *is_negated_out)
{
	struct draft all = new_draft(BS_NODE_AND);
	bool is_negated;
	add_operand(parser, &all, parse_unary(parser, is_negated_out));
	while (token_of(parser)->kind == BS_LEX_AND) {
		*is_negated_out = false;
		parser->at++;
		add_operand(parser, &all, parse_unary(parser, &is_negated));
	}
	return join(parser, &all);
}

/* With --any, parses adjacent operands outside brackets: a match needs one of them and none of the
 * negated ones. */
__attribute__((noinline)) static uint32_t parse_any(struct parser *parser)
{
	struct draft either = new_draft(BS_NODE_OR), all = new_draft(BS_NODE_AND),
		     both = new_draft(BS_NODE_AND);
	while (starts_unary(parser)) {
		bool is_negated;
		uint32_t draft = parse_explicit_and(parser, &is_negated);
		add_operand(parser, is_negated ? &all : &either, draft);
	}
	add_operand(parser, &both, join(parser, &either));
	add_operand(parser, &both, join(parser, &all));
	return join(parser, &both);
}

/* Parses adjacent operands: a match needs all of them. */
static uint32_t parse_and(struct parser *parser)
{
	struct draft all = new_draft(BS_NODE_AND);
	bool is_negated;
	if (parser->options->any && parser->depth == 0)
		return parse_any(parser);
	while (starts_unary(parser))
		add_operand(parser, &all, parse_explicit_and(parser, &is_negated));
	return join(parser, &all);
}

static uint32_t parse_or(struct parser *parser)
{
	struct draft either = new_draft(BS_NODE_OR);
	add_operand(parser, &either, parse_and(parser));
	while (token_of(parser)->kind == BS_LEX_OR) {
		parser->at++;
		add_operand(parser, &either, parse_and(parser));
	}
	return join(parser, &either);
}

/* True if some leaf of the draft has words, is not negated, and has a weight above 0. */
static bool is_scoring(struct parser *parser, uint32_t number, bool is_positive)
{
	const struct draft *draft = draft_at(parser, number);
	bool is_found = is_positive && draft->node.n_items > 0;
	for (uint32_t i = draft->first_child; i != NO_DRAFT && !is_found;
	     i = draft_at(parser, i)->next)
		is_found = is_scoring(parser, i, is_positive != (draft->node.kind == BS_NODE_NOT));
	return is_found && draft->node.weight > 0;
}

/* Distributes the operands of the query's AND: NOTs, and operands for which is_scoring is false,
 * are added to `bound` and remain required; the others are added to `loose`, and a match needs
 * either all of `loose` or a feedback term. weight: the product of the weights around the node. */
static void split(struct parser *parser, uint32_t number, double weight, struct draft *loose,
                  struct draft *bound)
{
	struct draft *draft = draft_at(parser, number);
	uint32_t next;
	draft->node.weight *= weight;
	for (uint32_t i = draft->first_child; draft->node.kind == BS_NODE_AND && i != NO_DRAFT;
	     i = next) {
		next = draft_at(parser, i)->next;
		split(parser, i, draft->node.weight, loose, bound);
	}
	if (draft->node.kind == BS_NODE_AND)
		return;
	bool binds = draft->node.kind == BS_NODE_NOT || !is_scoring(parser, number, true);
	draft->next = NO_DRAFT;
	add_operand(parser, binds ? bound : loose, number);
}

/* Adds a feedback term. has_leaf: returns a leaf for the term. Otherwise the term only adds to
 * scores, and NO_DRAFT is returned. */
static uint32_t add_term(struct parser *parser, const struct bs_weighted_term *term, bool has_leaf)
{
	struct bs_element element = {
		.kind = BS_ELEMENT_TERM, .term = term->term, .term_bytes = term->term_bytes};
	struct draft leaf = new_draft(BS_NODE_WORD);
	leaf.first_item = bs_vector_n(&parser->items);
	leaf.node.weight = term->weight;
	leaf.node.n_items = 1;
	if (has_leaf) {
		add_item(parser, &element, 0, false);
		return add_draft(parser, &leaf);
	}
	uint32_t number = add_element(parser, &element);
	if (parser->lexing.status)
		return NO_DRAFT;
	struct bs_element *added = &parser->elements.items[number];
	added->is_positive = true;
	added->weight += term->weight;
	return NO_DRAFT;
}

/* Adds the feedback terms; see struct bs_query_options. Returns the root. */
static uint32_t add_terms(struct parser *parser, uint32_t root)
{
	struct draft loose = new_draft(BS_NODE_AND), bound = loose, all = loose,
		     either = new_draft(BS_NODE_OR);
	if (root != NO_DRAFT)
		split(parser, root, 1, &loose, &bound);
	uint32_t own = join(parser, &loose);
	if (own != NO_DRAFT)
		draft_at(parser, own)->node.weight *= parser->options->own_share;
	add_operand(parser, &either, own);
	for (size_t i = 0; i < parser->options->n_terms && !parser->lexing.status; i++)
		add_operand(parser, &either,
		            add_term(parser, &parser->options->terms[i],
		                     own != NO_DRAFT || root == NO_DRAFT));
	add_operand(parser, &all, join(parser, &either));
	add_operand(parser, &all, join(parser, &bound));
	return join(parser, &all);
}

/* Limits a weight; one too small to count becomes 0. */
static double bounded(double weight)
{
	return weight < BS_QUERY_LEAST_WEIGHT ? 0 : fmin(weight, BS_QUERY_MOST_WEIGHT);
}

/* Sets the arrays of a leaf. If is_positive, adds its weight to the elements of its words. `name:`
 * makes two leaves if records have a field "name"; of these, only the leaf of the records adds its
 * weight. */
static void finish_leaf(struct parser *parser, const struct draft *draft,
                        struct bs_query_node *node, bool is_positive)
{
	const struct bs_query_tree *query = parser->query;
	bool is_counted =
		node->field != BS_QUERY_FILE_NAME || parser->name_field == BS_QUERY_ANY_FIELD;
	node->items = query->storage.items.items + draft->first_item;
	node->aids = node->items + node->n_items;
	if (node->kind == BS_NODE_WORD && node->items[0].is_stop)
		node->weight = 0;
	for (uint32_t i = 0; is_positive && i < node->n_items; i++) {
		struct bs_element *element = &query->elements[node->items[i].element];
		element->is_positive = true;
		element->weight += is_counted && !node->items[i].is_stop ? node->weight : 0;
		parser->has_others |=
			!node->items[i].is_stop && draft->first_item < parser->n_own_items;
	}
}

/* True if the child of an AND or OR has the same kind; its children then take its place. */
static bool is_joined(const struct draft *parent, const struct draft *child)
{
	return child->node.kind == parent->node.kind &&
	       (child->node.kind == BS_NODE_AND || child->node.kind == BS_NODE_OR);
}

static uint32_t finish_node(struct parser *parser, struct draft *draft, bool is_positive,
                            double weight);

/* Finishes the children of a draft. Returns the depth of the deepest one. */
static uint32_t finish_children(struct parser *parser, const struct draft *draft, bool is_positive,
                                double weight)
{
	uint32_t depth = 0;
	for (uint32_t i = draft->first_child; i != NO_DRAFT && !parser->lexing.status;
	     i = draft_at(parser, i)->next) {
		struct draft *child = draft_at(parser, i);
		spend(parser, NODE_NS);
		uint32_t child_depth =
			is_joined(draft, child)
				? finish_children(parser, child, is_positive,
		                                  bounded(weight * child->node.weight))
				: finish_node(parser, child, is_positive, weight);
		depth = child_depth > depth ? child_depth : depth;
	}
	return depth;
}

static void list_children(struct parser *parser, const struct draft *draft,
                          struct bs_query_node *node)
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

/* Adds the node after those below it. Recurses at most three levels for each bracket (an OR, an AND
 * and a NOT), and a few more outside brackets. Returns the depth. */
static uint32_t finish_node(struct parser *parser, struct draft *draft, bool is_positive,
                            double weight)
{
	struct bs_query_tree *query = parser->query;
	weight = bounded(weight * draft->node.weight);
	uint32_t depth = finish_children(parser, draft,
	                                 is_positive != (draft->node.kind == BS_NODE_NOT), weight);
	struct bs_query_node *node = &query->nodes[query->n_nodes];
	*node = draft->node;
	node->n_children = 0;
	node->children = query->children + parser->n_children;
	node->weight = weight;
	list_children(parser, draft, node);
	if (node->n_items)
		finish_leaf(parser, draft, node, is_positive);
	draft->final = (uint32_t)query->n_nodes++;
	return depth + 1;
}

/* Returns NULL after a failure. */
static void *reserve_zeros(struct parser *parser, struct bs_buffer *memory, size_t n_bytes)
{
	keep(parser, bs_buffer_reserve(memory, n_bytes, parser->err));
	return parser->lexing.status ? NULL : memset(memory->data, 0, n_bytes);
}

static void finish(struct parser *parser, uint32_t root)
{
	struct bs_query_tree *query = parser->query;
	struct bs_query_storage *storage = &query->storage;
	storage->elements = parser->elements;
	storage->items = parser->items;
	storage->ranges = parser->ranges;
	parser->elements = (struct bs_elements){0};
	parser->items = (struct bs_query_items){0};
	parser->ranges = (struct bs_query_ranges){0};
	query->elements = storage->elements.items;
	query->ranges = storage->ranges.items;
	query->n_ranges = (uint32_t)bs_vector_n(&storage->ranges);
	query->nodes = reserve_zeros(parser, &storage->nodes.bytes,
	                             parser->n_drafts * sizeof(*query->nodes));
	query->children = reserve_zeros(parser, &storage->children.bytes,
	                                parser->n_drafts * sizeof(*query->children));
	if (parser->lexing.status)
		return;
	query->n_elements = query->storage.terms.n_terms;
	for (uint32_t i = 0; i < query->n_elements; i++)
		query->elements[i].term =
			bs_term_table_key(&query->storage.terms, i) + ELEMENT_KIND_BYTES;
	query->depth = finish_node(parser, draft_at(parser, root), true, 1);
	if (query->depth > FEW_LEVELS && bs_stack_levels(NODE_STACK_BYTES) < query->depth)
		bs_lex_fail(&parser->lexing, 0,
		            "the query is nested too deep for the small stack of this thread");
}

/* Restricts the query to the range options->within. */
static uint32_t keep_within(struct parser *parser, uint32_t root)
{
	struct draft both = new_draft(BS_NODE_AND);
	add_operand(parser, &both, root);
	add_operand(parser, &both,
	            add_range(parser, new_draft(BS_NODE_RANGE), parser->options->within));
	return join(parser, &both);
}

static void parse_query(struct parser *parser)
{
	parser->query = calloc(1, sizeof(*parser->query));
	if (!parser->query) {
		keep(parser, bs_fail_memory(parser->err, "a query", sizeof(*parser->query)));
		return;
	}
	parser->query->fields = parser->options->fields;
	parser->query->field.own = parser->field;
	parser->query->field.name = parser->name_field;
	parser->lexing.query = parser->query;
	bs_lex(&parser->lexing);
	bool is_empty = token_of(parser)->kind == BS_LEX_END && parser->query->notices.n == 0;
	uint32_t root = parse_or(parser);
	parser->n_own_items = bs_vector_n(&parser->items);
	if (parser->options->n_terms > 0 && !parser->lexing.status)
		root = add_terms(parser, root);
	if (root != NO_DRAFT && parser->options->within && !parser->lexing.status)
		root = keep_within(parser, root);
	if (root == NO_DRAFT)
		bs_lex_fail(&parser->lexing, 0,
		            is_empty ? "the query is empty" : "the query has no words");
	if (!parser->lexing.status)
		finish(parser, root);
}

/* Parses the text once. *is_all_stops_out: the query has stop words, and its other words are all
 * negated. */
static enum bs_status parse(const uint8_t *text, size_t text_bytes,
                            const struct bs_query_options *options, const struct bs_stop *stop,
                            struct bs_query_tree **query_out, size_t *error_byte_out,
                            bool *is_all_stops_out, struct bs_error *err)
{
	const uint8_t *name = (const uint8_t *)BS_LEX_FILE_NAME;
	const uint32_t name_bytes = sizeof(BS_LEX_FILE_NAME) - 1;
	struct parser parser = {.options = options, .stop = stop, .err = err};
	parser.lexing = (struct bs_lexing){
		.text = text, .text_bytes = text_bytes, .options = options, .err = err};
	parser.name_field = BS_QUERY_ANY_FIELD;
	parser.field = options->has_own_field ? options->own_field : BS_QUERY_ANY_FIELD;
	if (options->fields)
		(void)bs_term_table_find(options->fields, name, name_bytes,
		                         bs_hash_slot(name, name_bytes), &parser.name_field);
	if (text_bytes > BS_QUERY_MAX_BYTES) {
		parser.lexing.error_byte = BS_QUERY_MAX_BYTES;
		parser.lexing.status = bs_fail(err, BS_INVALID, "the query is longer than %u bytes",
		                               BS_QUERY_MAX_BYTES);
	} else {
		parse_query(&parser);
	}
	if (parser.lexing.status)
		bs_query_tree_free(parser.query);
	*query_out = parser.lexing.status ? NULL : parser.query;
	*is_all_stops_out = parser.has_stops && !parser.has_others;
	if (error_byte_out)
		*error_byte_out = parser.lexing.error_byte;
	bs_lex_deinit(&parser.lexing);
	bs_vector_deinit(&parser.items);
	bs_vector_deinit(&parser.elements);
	bs_query_ranges_free(&parser.ranges);
	bs_buffer_deinit(&parser.key);
	bs_buffer_deinit(&parser.nfc);
	bs_vector_deinit(&parser.drafts);
	bs_vector_deinit(&parser.words);
	bs_buffer_deinit(&parser.terms);
	return parser.lexing.status;
}

enum bs_status bs_query_parse(const uint8_t *text, size_t text_bytes,
                              const struct bs_query_options *options,
                              struct bs_query_tree **query_out, size_t *error_byte_out,
                              struct bs_error *err)
{
	bool is_all_stops;
	enum bs_status status = parse(text, text_bytes, options, options->stop, query_out,
	                              error_byte_out, &is_all_stops, err);
	if (!is_all_stops)
		return status;
	bs_query_tree_free(*query_out);
	return parse(text, text_bytes, options, NULL, query_out, error_byte_out, &is_all_stops,
	             err);
}
