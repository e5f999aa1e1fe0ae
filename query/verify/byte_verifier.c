/*
 * byte_verifier.c: see byte_verifier.h. In order: preparing the query; deciding whether a place
 * where the bytes of a word were found has the word, and the phrase around it; evaluating the tree,
 * from the root down, until it is decided.
 *
 * The bytes next to the word decide most places. Consider a word that begins and ends with a letter
 * or digit, and that the analyzer returns as one word when it stands alone. It is a word of the
 * text if on either side there is an inert byte, the end of the text, or a byte such as ' . or :
 * (BS_BYTE_MID) and beyond that an inert byte or the end of the text. It is not a word of the text
 * if a letter, a digit or _ is adjacent, except where a word may end between two such bytes (in a
 * date or an identifier). All other places are analysed, from the last safe cut before the word to
 * the first one after it. tokenizer_near.h defines the kinds of bytes and the safe cuts.
 */
#include "query/verify/byte_verifier.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/utf8.h>

#include "core/base/bytes.h"
#include "core/store/field_weights.h"
#include "core/system/deadline.h"
#include "core/text/tokenizer_near.h"
#include "corpus/read/record_scan.h"

#define NO_ITEM UINT32_MAX

/* Larger queries are left to match.c. Longer words are not searched for, because a text can be made
 * to resemble a long word at every byte. */
#define MAX_ELEMENTS 64u
#define MAX_NODES    64u
#define MAX_LEAF     256u /* The most items of a leaf. */
#define MAX_WORD     256u /* The most bytes of a word. */
/* A phrase of more items is never confirmed, only rejected. */
#define MAX_ITEMS 32u

struct element {
	struct bs_needle needle; /* Unset if is_searchable is false. */
	bool is_searchable;      /* The element occurs only where its bytes occur. */
	/* The element is searchable and a plain word. (Other searchable elements are prefixes.) */
	bool is_term;
	/* Adjacent bytes can decide whether the element occurs: it is a term that begins and ends
	 * with a letter or digit and that the analyzer returns as one word; or it is a prefix of
	 * letters, digits and _ that does not begin with _. Never true for a term that may be part
	 * of a date. */
	bool is_plain;
	uint64_t df;
};

/* A text to search: a field's text or a line of JSON, in which escapes represent other
 * characters. */
struct text {
	const uint8_t *bytes;
	size_t n_bytes;
	bool is_json;
	/* The text is a piece of a longer text, which has more bytes before it. */
	bool goes_on_before;
	bool goes_on_after;
};

/* How far a text was searched for a word or phrase, and the verdict so far. */
struct searched {
	size_t to_byte;
	enum bs_verdict verdict;
};

/* In JSON, this many bytes on either side of a word are unescaped in order to be analysed. */
#define PIECE_BYTES ((size_t)384)

struct bs_byte_verifier {
	const struct bs_plan *plan;
	const struct bs_query_tree *query;
	struct bs_tokenizer *tokenizer;
	const struct bs_kernel *kernel;
	char *const *weights; /* The weights of fields. */
	uint8_t kinds[256];   /* The kind of each byte (enum bs_byte_kind). */
	/* If a text has a code point of this ASCII form or a later one, it may have a word of the
	 * query without the word's bytes. */
	enum bs_tokenizer_ascii_form worst;
	bool has_not;
	struct element elements[MAX_ELEMENTS];
	/* For each phrase, the index of its rarest item that is a searchable plain word; NO_ITEM:
	 * no such item. */
	uint32_t rarest[MAX_NODES];
	/* For each node, an upper bound of the number of documents that match; 0 for file names and
	 * ranges (see most_of). Under an AND, the child with the least is evaluated first. */
	uint64_t most[MAX_NODES];
	/* A copy of query->children in which the children of each AND are sorted by `most`. */
	uint32_t *children;
	uint32_t by_bytes[MAX_ELEMENTS]; /* The elements that score, sorted by their bytes. */
	size_t n_by_bytes;
	struct bs_match_word found[MAX_ELEMENTS]; /* The memory of bs_match.words. */
	/* For each element that scores, the idf that the caller stores; negative: none yet. */
	double idfs[MAX_ELEMENTS];

	/* The members below describe the current document. */
	struct bs_doc_ref ref;
	struct text text; /* The line of JSON, if doc_fields is NULL. */
	const struct bs_field *doc_fields;
	size_t n_doc_fields;
	bool is_json; /* The texts of the fields still have the escapes of JSON. */
	bool is_head; /* Only the beginning of the text was read so far. */
	/* For each element: 1 + the enum bs_verdict on whether any field has it; 0: not computed
	 * yet. */
	uint8_t known[MAX_ELEMENTS];
	/* A text that is searched while it is read: what was read so far. */
	struct bs_field grown;
	/* For each word and each phrase: how far `grown` was searched for it. */
	struct searched searched_words[MAX_ELEMENTS];
	struct searched searched_phrases[MAX_NODES];
	uint8_t piece[4 * PIECE_BYTES]; /* A piece of JSON, unescaped. */
	/* The number of bytes of the document that may still be analysed; 0: places that bytes do
	 * not decide stay undecided. */
	size_t left_bytes;
	struct bs_error *err;
	enum bs_status status; /* The first failure, which is sticky. */
};

static bool is_term(const struct bs_token *token, const struct bs_needle *needle)
{
	return token->term_bytes == needle->n_bytes &&
	       memcmp(token->term, needle->bytes, needle->n_bytes) == 0;
}

/* Context of probe_word: whether the word that begins at start_byte of the analysed text is the
 * needle. */
struct word_probe {
	const struct bs_needle *needle;
	uint64_t start_byte;
	bool is_found;
	/* The needle is the whole word: in the text, the word has as many bytes as the needle. */
	bool is_all;
};

static enum bs_status probe_word(void *context, const struct bs_token *tokens, size_t n_tokens,
                                 struct bs_error *err)
{
	struct word_probe *probe = context;
	(void)err;
	for (size_t i = 0; i < n_tokens; i++) {
		if (tokens[i].is_bigram || tokens[i].start_byte != probe->start_byte ||
		    !is_term(&tokens[i], probe->needle))
			continue;
		probe->is_found = true;
		probe->is_all |=
			tokens[i].end_byte - tokens[i].start_byte == probe->needle->n_bytes;
	}
	return BS_OK;
}

static bool is_ascii(const struct bs_element *element)
{
	uint8_t all = 0;
	for (uint32_t i = 0; i < element->term_bytes; i++)
		all |= element->term[i];
	return all < 0x80;
}

/* Whether the element consists of letters, digits and _ only. Code points that fold to other ASCII
 * characters cannot hide such an element. */
static bool is_wordy(const struct bs_byte_verifier *verifier, const struct bs_element *element)
{
	for (uint32_t i = 0; i < element->term_bytes; i++)
		if (verifier->kinds[element->term[i]] != BS_BYTE_LETTER && element->term[i] != '_')
			return false;
	return true;
}

static uint64_t df_of(const struct bs_plan *plan, uint32_t e)
{
	const struct bs_plan_element *planned = &plan->elements.items[e];
	uint64_t df = planned->is_too_broad ? UINT32_MAX : 0;
	for (uint32_t t = 0; t < planned->n_terms; t++)
		df += plan->terms.items[planned->first_term + t].df;
	return df;
}

static enum bs_status make_element(struct bs_byte_verifier *verifier, uint32_t e,
                                   struct bs_error *err)
{
	const struct bs_element *from = &verifier->query->elements[e];
	struct element *element = &verifier->elements[e];
	struct word_probe probe = {.needle = &element->needle};
	enum bs_status status = BS_OK;
	element->df = df_of(verifier->plan, e);
	element->is_searchable =
		(from->kind == BS_ELEMENT_TERM || from->kind == BS_ELEMENT_PREFIX) &&
		from->term_bytes <= MAX_WORD && is_ascii(from);
	element->is_term = element->is_searchable && from->kind == BS_ELEMENT_TERM;
	if (!element->is_searchable)
		return BS_OK;
	bs_needle_init(&element->needle, from->term, from->term_bytes);
	if (!is_wordy(verifier, from))
		verifier->worst = BS_ASCII_FORM_OTHER;
	if (element->is_term)
		status = bs_tokenizer_analyze(verifier->tokenizer, from->term, from->term_bytes, 0,
		                              probe_word, &probe, NULL, err);
	bool begins = verifier->kinds[from->term[0]] == BS_BYTE_LETTER;
	bool ends = verifier->kinds[from->term[from->term_bytes - 1]] == BS_BYTE_LETTER;
	if (element->is_term)
		element->is_plain = probe.is_all && begins && ends;
	else
		element->is_plain = begins && is_wordy(verifier, from);
	element->is_plain &=
		!bs_tokenizer_may_be_date(verifier->tokenizer, from->term, from->term_bytes);
	return status;
}

static bool is_leaf(const struct bs_query_node *node)
{
	return node->n_children == 0;
}

/* The index of the rarest item of a phrase that is a searchable plain word (is_term). */
static uint32_t find_rarest(const struct bs_byte_verifier *verifier,
                            const struct bs_query_node *node)
{
	uint32_t best = NO_ITEM;
	for (uint32_t i = 0; i < node->n_items; i++) {
		const struct element *element = &verifier->elements[node->items[i].element];
		if (element->is_term &&
		    (best == NO_ITEM ||
		     element->df < verifier->elements[node->items[best].element].df))
			best = i;
	}
	return best;
}

/* An upper bound of the number of documents that match a node. A file name or a range has no
 * bound; 0 makes an AND evaluate it first. */
static uint64_t most_of(const struct bs_byte_verifier *verifier, const struct bs_query_node *node)
{
	uint64_t least = UINT64_MAX, sum = 0;
	if (bs_query_is_file_name(node) || node->kind == BS_NODE_RANGE)
		return 0;
	for (uint32_t i = 0; i < node->n_items + node->n_children; i++) {
		uint64_t part = is_leaf(node) ? verifier->elements[node->items[i].element].df
		                              : verifier->most[node->children[i]];
		least = part < least ? part : least;
		sum = part > UINT64_MAX - sum ? UINT64_MAX : sum + part;
	}
	return node->kind == BS_NODE_NOT ? UINT64_MAX : node->kind == BS_NODE_OR ? sum : least;
}

/* Copies the children of a node, those of an AND sorted by `most`. Insertion sort, because most
 * nodes have two children. */
static void order_children(struct bs_byte_verifier *verifier, const struct bs_query_node *node)
{
	uint32_t *children = verifier->children + (node->children - verifier->query->children);
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint32_t child = node->children[i], at = i;
		for (; node->kind == BS_NODE_AND && at > 0 &&
		       verifier->most[children[at - 1]] > verifier->most[child];
		     at--)
			children[at] = children[at - 1];
		children[at] = child;
	}
}

static void list_scored(struct bs_byte_verifier *verifier)
{
	const struct bs_element *elements = verifier->query->elements;
	for (uint32_t e = 0; e < verifier->query->n_elements; e++) {
		size_t at = verifier->n_by_bytes;
		if (!(elements[e].weight > 0))
			continue;
		for (; at > 0; at--) {
			const struct bs_element *before = &elements[verifier->by_bytes[at - 1]];
			if (bs_compare_bytes(before->term, before->term_bytes, elements[e].term,
			                     elements[e].term_bytes) <= 0)
				break;
			verifier->by_bytes[at] = verifier->by_bytes[at - 1];
		}
		verifier->by_bytes[at] = e;
		verifier->n_by_bytes++;
		verifier->idfs[e] = -1;
	}
}

static enum bs_status make(struct bs_byte_verifier *verifier, bool *is_of_use_out,
                           struct bs_error *err)
{
	const struct bs_query_tree *query = verifier->query;
	enum bs_status status = BS_OK;
	size_t n_children = 0;
	*is_of_use_out = false;
	for (uint32_t e = 0; e < query->n_elements && !status; e++) {
		status = make_element(verifier, e, err);
		*is_of_use_out |= verifier->elements[e].is_searchable;
	}
	for (size_t i = 0; i < query->n_nodes; i++)
		n_children += query->nodes[i].n_children;
	verifier->children = calloc(n_children + 1, sizeof(*verifier->children));
	if (!status && !verifier->children)
		status = bs_fail_memory(err, "a matcher",
		                        (n_children + 1) * sizeof(*verifier->children));
	for (size_t i = 0; i < query->n_nodes && !status; i++) {
		const struct bs_query_node *node = &query->nodes[i];
		verifier->has_not |= node->kind == BS_NODE_NOT;
		verifier->rarest[i] = is_leaf(node) ? find_rarest(verifier, node) : NO_ITEM;
		verifier->most[i] = most_of(verifier, node);
		order_children(verifier, node);
	}
	list_scored(verifier);
	return status;
}

static bool is_too_large(const struct bs_query_tree *query)
{
	if (query->n_elements > MAX_ELEMENTS || query->n_nodes > MAX_NODES)
		return true;
	for (size_t i = 0; i < query->n_nodes; i++)
		if (query->nodes[i].n_items > MAX_LEAF)
			return true;
	return false;
}

enum bs_status bs_byte_verifier_new(const struct bs_plan *plan, struct bs_tokenizer *tokenizer,
                                    const struct bs_kernel *kernel,
                                    struct bs_byte_verifier **verifier_out, struct bs_error *err)
{
	const struct bs_query_tree *query = plan->query;
	bool is_of_use;
	*verifier_out = NULL;
	if (!bs_tokenizer_keeps_bytes(tokenizer) || is_too_large(query))
		return BS_OK;
	struct bs_byte_verifier *verifier = calloc(1, sizeof(*verifier));
	if (!verifier)
		return bs_fail_memory(err, "a matcher", sizeof(*verifier));
	verifier->plan = plan;
	verifier->query = query;
	verifier->tokenizer = tokenizer;
	verifier->kernel = kernel;
	verifier->worst = BS_ASCII_FORM_WORD;
	bs_tokenizer_byte_kinds(tokenizer, verifier->kinds);
	enum bs_status status = make(verifier, &is_of_use, err);
	if (status || !is_of_use)
		bs_byte_verifier_free(verifier);
	else
		*verifier_out = verifier;
	return status;
}

void bs_byte_verifier_free(struct bs_byte_verifier *verifier)
{
	if (!verifier)
		return;
	free(verifier->children);
	free(verifier);
}

void bs_byte_verifier_weigh_fields(struct bs_byte_verifier *verifier, char *const *weights)
{
	verifier->weights = weights;
}

/* A place where the bytes of a word were found is analysed from the last safe cut before it to the
 * first one after it (tokenizer_near.h). A cut is searched within this many bytes on either side;
 * a place without a safe cut that near is not analysed. */
#define MAX_REACH_BYTES ((size_t)4096)

/* True if an odd number of backslashes precedes text[at], which makes it the second byte of an
 * escape. */
static bool is_escaped(const uint8_t *text, size_t at)
{
	size_t n = 0;
	while (n < at && text[at - n - 1] == '\\')
		n++;
	return n % 2 == 1;
}

/* True if text[..at) ends with a JSON escape; *n_out is then the escape's number of bytes. The text
 * ends with a complete character. An escaped backslash followed by the text uXXXX is mistaken for
 * an escape. Two backslashes at the end are taken for an escape without counting the backslashes
 * before them, so that a caller that steps back through a run of backslashes takes linear time. */
static bool ends_with_escape(const uint8_t *text, size_t at, size_t *n_out)
{
	*n_out = 6;
	if (at >= 6 && text[at - 6] == '\\' && text[at - 5] == 'u')
		return true;
	*n_out = 2;
	return at >= 2 && text[at - 2] == '\\' &&
	       (text[at - 1] == '\\' || is_escaped(text, at - 1));
}

/* The kind of the character that an escape represents. byte: the byte after the backslash.
 * BS_BYTE_HIGH: an escape that is not decoded here. */
static enum bs_byte_kind kind_of_escape(const struct bs_byte_verifier *verifier, uint8_t byte)
{
	static const uint8_t meanings[256] = {
		['n'] = '\n', ['t'] = '\t', ['r'] = '\r',  ['b'] = '\b',
		['f'] = '\f', ['"'] = '"',  ['\\'] = '\\', ['/'] = '/'};
	return meanings[byte] ? (enum bs_byte_kind)verifier->kinds[meanings[byte]] : BS_BYTE_HIGH;
}

/* The kind of the first character of text[at..). *n_out: its number of bytes. at < n_bytes. */
static enum bs_byte_kind kind_at(const struct bs_byte_verifier *verifier, const struct text *text,
                                 size_t at, size_t *n_out)
{
	*n_out = 1;
	if (!text->is_json || text->bytes[at] != '\\')
		return (enum bs_byte_kind)verifier->kinds[text->bytes[at]];
	*n_out = 2;
	return at + 1 < text->n_bytes ? kind_of_escape(verifier, text->bytes[at + 1])
	                              : BS_BYTE_HIGH;
}

/* The kind of the last character of text[..at). *n_out: its number of bytes. at > 0. */
static enum bs_byte_kind kind_before(const struct bs_byte_verifier *verifier,
                                     const struct text *text, size_t at, size_t *n_out)
{
	*n_out = 1;
	if (!text->is_json || !ends_with_escape(text->bytes, at, n_out)) {
		*n_out = 1;
		return (enum bs_byte_kind)verifier->kinds[text->bytes[at - 1]];
	}
	return *n_out == 2 ? kind_of_escape(verifier, text->bytes[at - 1]) : BS_BYTE_HIGH;
}

/* Whether a word ends at an adjacent character, by that character alone. kind and byte: of the
 * character. The border between the word and the character is at `at`. NO: the word continues. YES:
 * the word ends. */
static inline enum bs_verdict glance_at(const struct bs_byte_verifier *verifier,
                                        enum bs_byte_kind kind, const struct text *text, size_t at,
                                        uint8_t byte)
{
	if (kind == BS_BYTE_INERT)
		return BS_VERDICT_YES;
	if (kind != BS_BYTE_LETTER && (kind != BS_BYTE_JOINER || byte != '_'))
		return BS_VERDICT_UNKNOWN;
	return bs_tokenizer_may_end_between(verifier->tokenizer, text->bytes[at - 1],
	                                    text->bytes[at])
	               ? BS_VERDICT_UNKNOWN
	               : BS_VERDICT_NO;
}

static enum bs_verdict glance_after(const struct bs_byte_verifier *verifier,
                                    const struct text *text, size_t end)
{
	enum bs_verdict at_edge = text->goes_on_after ? BS_VERDICT_UNKNOWN : BS_VERDICT_YES;
	size_t n = 0, ignored;
	if (end == text->n_bytes)
		return at_edge;
	enum bs_byte_kind kind = kind_at(verifier, text, end, &n);
	if (kind != BS_BYTE_MID)
		return glance_at(verifier, kind, text, end, text->bytes[end]);
	if (end + n == text->n_bytes)
		return at_edge;
	return kind_at(verifier, text, end + n, &ignored) == BS_BYTE_INERT ? BS_VERDICT_YES
	                                                                   : BS_VERDICT_UNKNOWN;
}

static enum bs_verdict glance_before(const struct bs_byte_verifier *verifier,
                                     const struct text *text, size_t start)
{
	enum bs_verdict at_edge = text->goes_on_before ? BS_VERDICT_UNKNOWN : BS_VERDICT_YES;
	size_t n = 0, ignored;
	if (start == 0)
		return at_edge;
	/* The first letter of the supposed word belongs to an escape. */
	if (text->is_json && text->bytes[start - 1] == '\\' && is_escaped(text->bytes, start))
		return BS_VERDICT_NO;
	enum bs_byte_kind kind = kind_before(verifier, text, start, &n);
	if (kind != BS_BYTE_MID)
		return glance_at(verifier, kind, text, start, text->bytes[start - 1]);
	if (start == n)
		return at_edge;
	return kind_before(verifier, text, start - n, &ignored) == BS_BYTE_INERT
	               ? BS_VERDICT_YES
	               : BS_VERDICT_UNKNOWN;
}

/* Whether a word begins at `at` that begins with the prefix, by the bytes around it. YES if only
 * ASCII follows up to an inert byte: then nothing composes with the prefix, and it is part of a
 * word. (For ICU, a word cannot end with _ and a mark.) */
static enum bs_verdict glance_prefix(const struct bs_byte_verifier *verifier,
                                     const struct text *text, const struct element *element,
                                     size_t at)
{
	size_t end = at + element->needle.n_bytes, n;
	enum bs_verdict before = glance_before(verifier, text, at);
	if (before != BS_VERDICT_YES)
		return before;
	for (size_t i = end; i < text->n_bytes; i += n) {
		enum bs_byte_kind kind = kind_at(verifier, text, i, &n);
		if (kind == BS_BYTE_INERT)
			return BS_VERDICT_YES;
		if (kind == BS_BYTE_HIGH || i - end > MAX_WORD)
			return BS_VERDICT_UNKNOWN;
	}
	return text->goes_on_after ? BS_VERDICT_UNKNOWN : BS_VERDICT_YES;
}

/* Whether element e, whose bytes are at text[at], occurs there as a word. Decided by the adjacent
 * bytes only, without analysing. */
static enum bs_verdict may_be_word(const struct bs_byte_verifier *verifier, const struct text *text,
                                   uint32_t e, size_t at)
{
	const struct element *element = &verifier->elements[e];
	if (!element->is_plain)
		return BS_VERDICT_UNKNOWN;
	if (!element->is_term)
		return glance_prefix(verifier, text, element, at);
	enum bs_verdict after = glance_after(verifier, text, at + element->needle.n_bytes);
	if (after == BS_VERDICT_NO)
		return after;
	enum bs_verdict before = glance_before(verifier, text, at);
	return before == BS_VERDICT_YES ? after : before;
}

static bool equals_folded(const uint8_t *text, const struct bs_needle *needle)
{
	for (size_t i = 0; i < needle->n_bytes; i++)
		if (bs_needle_fold(text[i]) != needle->bytes[i])
			return false;
	return true;
}

/* Whether the needle may be the word that follows a word which ends at `end`. The next word begins
 * at the next letter or digit, unless another character that may begin a word comes first. (If no
 * word ends at `end`, the result does not matter.) */
static bool next_may_be(const struct bs_byte_verifier *verifier, const struct text *text,
                        size_t end, const struct bs_needle *needle)
{
	for (size_t at = end; at < text->n_bytes; at++) {
		uint8_t byte = text->bytes[at];
		uint8_t kind = verifier->kinds[byte];
		if (kind == BS_BYTE_LETTER)
			return needle->n_bytes <= text->n_bytes - at &&
			       equals_folded(text->bytes + at, needle);
		if (kind == BS_BYTE_HIGH || kind == BS_BYTE_JOINER)
			return true;
		if (!text->is_json)
			continue;
		if (byte == '"')
			return false;
		if (byte != '\\')
			continue;
		at++;
		if (at < text->n_bytes && text->bytes[at] == 'u')
			return true;
	}
	return text->goes_on_after;
}

/* Whether the needle may be the word that precedes a word which starts at `start`. The preceding
 * word ends with the last letter or digit before `start`. */
static bool last_may_be(const struct bs_byte_verifier *verifier, const struct text *text,
                        size_t start, const struct bs_needle *needle)
{
	for (size_t at = start; at > 0; at--) {
		uint8_t byte = text->bytes[at - 1];
		uint8_t kind = verifier->kinds[byte];
		size_t n_escape;
		if (text->is_json && ends_with_escape(text->bytes, at, &n_escape)) {
			if (n_escape == 6 || text->bytes[at - 1] == 'u')
				return true;
			at--;
			continue;
		}
		if (kind == BS_BYTE_LETTER)
			return needle->n_bytes <= at &&
			       equals_folded(text->bytes + at - needle->n_bytes, needle);
		if (kind == BS_BYTE_HIGH || kind == BS_BYTE_JOINER)
			return true;
		if (text->is_json && byte == '"')
			return false;
	}
	return false;
}

/* The element of the item directly before (step -1) or after (step 1) item i of a phrase. NULL: no
 * item is adjacent, or its element is not a plain word. */
static const struct element *neighbour(const struct bs_byte_verifier *verifier,
                                       const struct bs_query_node *phrase, uint32_t i, int step)
{
	if (step < 0 ? i == 0 : i + 1 == phrase->n_items)
		return NULL;
	const struct bs_query_item *item = &phrase->items[i];
	const struct bs_query_item *other = item + step;
	bool is_adjacent = step < 0 ? other->position + 1 == item->position
	                            : item->position + 1 == other->position;
	const struct element *element = &verifier->elements[other->element];
	return is_adjacent && element->is_term ? element : NULL;
}

/* Whether the phrase may occur where the bytes of its item i are at text[at], by the words before
 * and after. Analyses nothing. */
static bool may_be_phrase(const struct bs_byte_verifier *verifier, const struct text *text,
                          const struct bs_query_node *phrase, uint32_t i, size_t at)
{
	const struct element *before = neighbour(verifier, phrase, i, -1);
	const struct element *after = neighbour(verifier, phrase, i, 1);
	uint32_t e = phrase->items[i].element;
	size_t n_bytes = verifier->elements[e].needle.n_bytes, end = at + n_bytes;
	if (may_be_word(verifier, text, e, at) == BS_VERDICT_NO)
		return false;
	/* In two cases, the bytes that follow need not be the next word: at the T of a date, and in
	 * an identifier that is split into parts. */
	bool is_in_word = at > 0 && verifier->kinds[text->bytes[at - 1]] == BS_BYTE_LETTER;
	bool goes_on = end < text->n_bytes && text->bytes[end] == 'T';
	bool has_parts = bs_tokenizer_splits(verifier->tokenizer) &&
	                 bs_tokenizer_has_parts(verifier->tokenizer, text->bytes + at, n_bytes);
	if (after && !goes_on && !has_parts && !next_may_be(verifier, text, end, &after->needle))
		return false;
	return !before || is_in_word || last_may_be(verifier, text, at, &before->needle);
}

/* Subtracts n_bytes from the number of bytes that may be analysed for the document. False: too few
 * are left, or the deadline is over. */
static bool take_share(struct bs_byte_verifier *verifier, size_t n_bytes)
{
	if (!verifier->status)
		verifier->status = bs_deadline_check_after(n_bytes, verifier->err);
	bool has_left = !verifier->status && n_bytes <= verifier->left_bytes;
	verifier->left_bytes = has_left ? verifier->left_bytes - n_bytes : 0;
	return has_left;
}

/* Analyses text[from..to) and calls fn with the tokens. False: too few bytes may still be analysed,
 * or analysing failed. */
static bool analyze(struct bs_byte_verifier *verifier, const struct text *text, size_t from,
                    size_t to, bs_token_fn fn, void *context)
{
	if (!take_share(verifier, to - from))
		return false;
	verifier->status = bs_tokenizer_analyze(verifier->tokenizer, text->bytes + from, to - from,
	                                        0, fn, context, NULL, verifier->err);
	return !verifier->status;
}

static size_t low_of(size_t at)
{
	return at > MAX_REACH_BYTES ? at - MAX_REACH_BYTES : 0;
}

static size_t high_of(const struct text *text, size_t at)
{
	return text->n_bytes - at > MAX_REACH_BYTES ? at + MAX_REACH_BYTES : text->n_bytes;
}

/* Unescapes the JSON around the word text[*at..*end) into verifier->piece, and makes *text, *at and
 * *end refer to that. The piece has up to PIECE_BYTES of the text on either side of the word.
 * It is never cut inside an escape of two bytes. It may begin with half of a \u escape; that looks
 * like letters and digits, and has no effect after the next safe cut. False: the JSON has an escape
 * that is not decoded here, or the word is too long. */
static bool make_piece(struct bs_byte_verifier *verifier, struct text *text, size_t *at,
                       size_t *end)
{
	const uint8_t *bytes = text->bytes;
	size_t word_bytes = *end - *at, before, after;
	if (word_bytes > PIECE_BYTES ||
	    (*at > 0 && bytes[*at - 1] == '\\' && is_escaped(bytes, *at)))
		return false;
	size_t from = *at > PIECE_BYTES ? *at - PIECE_BYTES : 0;
	size_t to = text->n_bytes - *end > PIECE_BYTES ? *end + PIECE_BYTES : text->n_bytes;
	from -= from > 0 && is_escaped(bytes, from);
	to += to < text->n_bytes && is_escaped(bytes, to);
	if (!bs_record_unescape(bytes + from, *at - from, false, verifier->piece, &before))
		return false;
	memcpy(verifier->piece + before, bytes + *at, word_bytes);
	if (!bs_record_unescape(bytes + *end, to - *end, false,
	                        verifier->piece + before + word_bytes, &after))
		return false;
	*text = (struct text){
		.bytes = verifier->piece,
		.n_bytes = before + word_bytes + after,
		.goes_on_before = from > 0,
		.goes_on_after = to < text->n_bytes,
	};
	*at = before;
	*end = before + word_bytes;
	return true;
}

/* Whether text[from..to) begins or ends at an end of `text` where the document's text goes on. Such
 * an end is not a safe cut. */
static bool is_edge(const struct text *text, size_t from, size_t to)
{
	return (from == 0 && text->goes_on_before) || (to == text->n_bytes && text->goes_on_after);
}

/* Searching a byte for a safe cut costs this many times less than analysing it. */
#define CUT_SHARE 4

/* cut_before moves *cut back to the nearest safe cut, cut_after forward. False: the nearest one is
 * too far away. */
static bool cut_before(struct bs_byte_verifier *verifier, const struct text *text, size_t low,
                       size_t *cut)
{
	size_t at = *cut;
	bool is_cut =
		verifier->left_bytes && bs_tokenizer_cut_before(verifier->tokenizer, text->bytes,
	                                                        text->n_bytes, low, at, cut);
	return take_share(verifier, (at - *cut) / CUT_SHARE) && is_cut;
}

static bool cut_after(struct bs_byte_verifier *verifier, const struct text *text, size_t high,
                      size_t *cut)
{
	size_t at = *cut;
	bool is_cut =
		verifier->left_bytes && bs_tokenizer_cut_after(verifier->tokenizer, text->bytes,
	                                                       text->n_bytes, at, high, cut);
	return take_share(verifier, (*cut - at) / CUT_SHARE) && is_cut;
}

/* Whether element e, whose bytes are at text[at], occurs there as a word. Analyses the surroundings
 * if the adjacent bytes do not decide. UNKNOWN: that would cost too much. A text in JSON must be
 * the inside of one string. */
static enum bs_verdict is_word(struct bs_byte_verifier *verifier, const struct text *whole,
                               uint32_t e, size_t at)
{
	struct word_probe probe = {.needle = &verifier->elements[e].needle};
	struct text piece = *whole;
	const struct text *text = &piece;
	size_t end = at + probe.needle->n_bytes;
	enum bs_verdict glance = may_be_word(verifier, text, e, at);
	if (glance != BS_VERDICT_UNKNOWN || !verifier->elements[e].is_term)
		return glance;
	if (text->is_json && !make_piece(verifier, &piece, &at, &end))
		return BS_VERDICT_UNKNOWN;
	size_t from = at, to = end;
	if (!cut_before(verifier, text, low_of(at), &from) ||
	    !cut_after(verifier, text, high_of(text, end), &to) || is_edge(text, from, to))
		return BS_VERDICT_UNKNOWN;
	probe.start_byte = at - from;
	if (!analyze(verifier, text, from, to, probe_word, &probe))
		return BS_VERDICT_UNKNOWN;
	return probe.is_found ? BS_VERDICT_YES : BS_VERDICT_NO;
}

/* The most words of the phrase that are recorded in a piece of text. */
#define MAX_SEEN 128

struct seen_token {
	uint32_t position;
	uint32_t items; /* Bit i: the token is the word of item i. */
};

struct phrase_probe {
	const struct bs_byte_verifier *verifier;
	const struct bs_query_node *phrase;
	uint32_t item;       /* The item of the phrase whose bytes were found. */
	uint64_t start_byte; /* Where these bytes begin. */
	bool is_found;
	uint32_t position; /* The position of the item's token. */
	uint32_t last;     /* The position of the last token. */
	size_t n_seen;     /* If it is MAX_SEEN, some tokens may be missing. */
	struct seen_token *seen;
};

static enum bs_status probe_phrase(void *context, const struct bs_token *tokens, size_t n_tokens,
                                   struct bs_error *err)
{
	struct phrase_probe *probe = context;
	(void)err;
	for (size_t t = 0; t < n_tokens; t++) {
		uint32_t items = 0;
		if (tokens[t].is_bigram)
			continue;
		probe->last = tokens[t].position;
		for (uint32_t i = 0; i < probe->phrase->n_items; i++)
			if (is_term(&tokens[t],
			            &probe->verifier->elements[probe->phrase->items[i].element]
			                     .needle))
				items |= UINT32_C(1) << i;
		if (!items || probe->n_seen == MAX_SEEN)
			continue;
		probe->seen[probe->n_seen++] = (struct seen_token){tokens[t].position, items};
		if (tokens[t].start_byte == probe->start_byte && (items >> probe->item & 1)) {
			probe->is_found = true;
			probe->position = tokens[t].position;
		}
	}
	return BS_OK;
}

static bool has_item(const struct phrase_probe *probe, uint32_t i)
{
	const struct bs_query_item *items = probe->phrase->items;
	uint64_t wanted = (uint64_t)probe->position + items[i].position;
	for (size_t k = 0; k < probe->n_seen; k++)
		if (probe->seen[k].position + (uint64_t)items[probe->item].position == wanted &&
		    (probe->seen[k].items >> i & 1))
			return true;
	return false;
}

/* step_back and step_forth move *cut over n_words + 1 safe cuts. There are nearly always n_words
 * words between these. False: the cuts are too far away. */
static bool step_back(struct bs_byte_verifier *verifier, const struct text *text, size_t *cut,
                      uint32_t n_words)
{
	size_t low = low_of(*cut);
	for (uint32_t i = 0; i <= n_words && *cut > 0; i++) {
		*cut -= i > 0;
		if (*cut < low || !cut_before(verifier, text, low, cut))
			return false;
	}
	return true;
}

static bool step_forth(struct bs_byte_verifier *verifier, const struct text *text, size_t *cut,
                       uint32_t n_words)
{
	size_t high = high_of(text, *cut);
	for (uint32_t i = 0; i <= n_words && *cut < text->n_bytes; i++) {
		*cut += i > 0;
		if (*cut > high || !cut_after(verifier, text, high, cut))
			return false;
	}
	return true;
}

/* Whether the phrase occurs where the bytes of its item i are at text[at]. UNKNOWN: deciding would
 * cost too much. A text in JSON must be the inside of one string. */
static enum bs_verdict is_phrase(struct bs_byte_verifier *verifier, const struct text *whole,
                                 const struct bs_query_node *phrase, uint32_t i, size_t at)
{
	struct text piece = *whole;
	const struct text *text = &piece;
	size_t end = at + verifier->elements[phrase->items[i].element].needle.n_bytes;
	if (text->is_json && !make_piece(verifier, &piece, &at, &end))
		return BS_VERDICT_UNKNOWN;
	uint32_t n_before = phrase->items[i].position - phrase->items[0].position;
	uint32_t n_after = phrase->items[phrase->n_items - 1].position - phrase->items[i].position;
	size_t from = at, to = end;
	if (!step_back(verifier, text, &from, n_before) ||
	    !step_forth(verifier, text, &to, n_after))
		return BS_VERDICT_UNKNOWN;
	for (;;) {
		struct seen_token seen[MAX_SEEN];
		struct phrase_probe probe = {.verifier = verifier,
		                             .phrase = phrase,
		                             .item = i,
		                             .start_byte = at - from,
		                             .seen = seen};
		if (is_edge(text, from, to) ||
		    !analyze(verifier, text, from, to, probe_phrase, &probe) ||
		    probe.n_seen == MAX_SEEN)
			return BS_VERDICT_UNKNOWN;
		if (!probe.is_found)
			return BS_VERDICT_NO;
		uint32_t n_there = 0;
		while (n_there < phrase->n_items && has_item(&probe, n_there))
			n_there++;
		if (n_there == phrase->n_items)
			return BS_VERDICT_YES;
		bool lacks_before = from > 0 && probe.position < n_before;
		bool lacks_after = to < text->n_bytes && probe.last - probe.position < n_after;
		if (!lacks_before && !lacks_after)
			return BS_VERDICT_NO;
		if (lacks_before && !step_back(verifier, text, &from, 2 * n_before + 1))
			return BS_VERDICT_UNKNOWN;
		if (lacks_after && !step_forth(verifier, text, &to, 2 * n_after + 1))
			return BS_VERDICT_UNKNOWN;
	}
}

/* Whether a word is absent from the text if its bytes are: false if the text has a code point
 * beyond ASCII, or an escape, that the analyzer may turn into a part of the word. An escaped
 * backslash followed by the text uXXXX is mistaken for an escape; that is harmless, because the
 * result can only become false by it. */
static bool is_clear(struct bs_byte_verifier *verifier, const struct text *text)
{
	size_t at =
		verifier->kernel->text.find_opaque(text->bytes, 0, text->n_bytes, text->is_json);
	while (at < text->n_bytes) {
		enum bs_tokenizer_ascii_form ascii_form;
		UChar32 c;
		if (text->bytes[at] < 0x80)
			c = bs_record_code_point(text->bytes, text->n_bytes, &at);
		else
			U8_NEXT_OR_FFFD(text->bytes, at, text->n_bytes, c);
		/* An escaped control character cannot be part of a word; other escaped ASCII
		 * characters can. */
		if (c < 0 || (c >= 0x20 && c < 0x80))
			return false;
		if (c >= 0x80) {
			verifier->status = bs_tokenizer_ascii_form(verifier->tokenizer, c,
			                                           &ascii_form, verifier->err);
			if (verifier->status || ascii_form >= verifier->worst)
				return false;
		}
		at = verifier->kernel->text.find_opaque(text->bytes, at, text->n_bytes,
		                                        text->is_json);
	}
	return true;
}

static struct text field_text(const struct bs_byte_verifier *verifier, const struct bs_field *field)
{
	return (struct text){.bytes = field->text,
	                     .n_bytes = field->text_bytes,
	                     .is_json = verifier->is_json,
	                     .goes_on_after = verifier->is_head};
}

static bool is_document_clear(struct bs_byte_verifier *verifier)
{
	if (!verifier->doc_fields)
		return is_clear(verifier, &verifier->text);
	for (size_t i = 0; i < verifier->n_doc_fields; i++) {
		struct text text = field_text(verifier, &verifier->doc_fields[i]);
		if (!is_clear(verifier, &text))
			return false;
	}
	return true;
}

/* For the deadline: the estimated cost of a place where a word's bytes were found, and the number
 * of bytes searched per ns. */
#define PLACE_NS   10u
#define BYTES_A_NS 16u

/* The next place at or after `from` with the bytes of element e; the end of the text if there is
 * none, or if the call must end (verifier->status). */
static size_t find(struct bs_byte_verifier *verifier, const struct text *text, size_t from,
                   uint32_t e)
{
	size_t at = verifier->kernel->text.find_needle(text->bytes, from, text->n_bytes,
	                                               &verifier->elements[e].needle);
	if (!verifier->status)
		verifier->status =
			bs_deadline_check_after(PLACE_NS + (at - from) / BYTES_A_NS, verifier->err);
	return verifier->status ? text->n_bytes : at;
}

/* In a text that is still being read, places this close to its present end are not decided yet,
 * because the text after them is missing. */
#define EDGE_BYTES (2 * MAX_REACH_BYTES)

static size_t searchable_bytes(const struct text *text)
{
	return !text->goes_on_after         ? text->n_bytes
	       : text->n_bytes > EDGE_BYTES ? text->n_bytes - EDGE_BYTES
	                                    : 0;
}

/* A loop over the places, from `from` on, with the bytes of element e. */
#define FOR_EACH_PLACE(verifier, text, from, e, at)                                               \
	for (size_t at = find(verifier, text, from, e), end_ = searchable_bytes(text); at < end_; \
	     at = find(verifier, text, at + 1, e))

/* Whether element e may occur in the line. NO: it does not, provided that the line is clear
 * (is_clear). UNKNOWN: it may. */
static enum bs_verdict element_in_json(struct bs_byte_verifier *verifier, uint32_t e)
{
	FOR_EACH_PLACE(verifier, &verifier->text, 0, e, at)
	if (may_be_word(verifier, &verifier->text, e, at) != BS_VERDICT_NO)
		return BS_VERDICT_UNKNOWN;
	return BS_VERDICT_NO;
}

static enum bs_verdict element_in_text(struct bs_byte_verifier *verifier, const struct text *text,
                                       const struct bs_query_node *node, uint32_t e, size_t from)
{
	enum bs_verdict verdict = BS_VERDICT_NO;
	(void)node;
	FOR_EACH_PLACE(verifier, text, from, e, at)
	{
		enum bs_verdict here = is_word(verifier, text, e, at);
		if (here == BS_VERDICT_YES)
			return here;
		verdict = here == BS_VERDICT_UNKNOWN ? here : verdict;
	}
	return verdict;
}

/* A function that finds whether a leaf occurs in a text at or after `from`. which: the element of
 * a word, or the item by which a phrase is searched. */
typedef enum bs_verdict ask_text(struct bs_byte_verifier *verifier, const struct text *text,
                                 const struct bs_query_node *node, uint32_t which, size_t from);

/* The verdict of in_text on the growing text. Searches only the part that is new since the last
 * call. */
static enum bs_verdict ask_grown(struct bs_byte_verifier *verifier,
                                 const struct bs_query_node *node, uint32_t which,
                                 ask_text *in_text, struct searched *searched)
{
	struct text text = field_text(verifier, &verifier->grown);
	if (searched->verdict == BS_VERDICT_YES)
		return BS_VERDICT_YES;
	enum bs_verdict verdict = in_text(verifier, &text, node, which, searched->to_byte);
	searched->to_byte = searchable_bytes(&text);
	searched->verdict = verdict == BS_VERDICT_NO ? searched->verdict : verdict;
	return searched->verdict;
}

/* The verdict of in_text on all fields that the leaf applies to. */
static enum bs_verdict ask_fields(struct bs_byte_verifier *verifier,
                                  const struct bs_query_node *node, uint32_t which,
                                  ask_text *in_text)
{
	enum bs_verdict verdict = BS_VERDICT_NO;
	for (size_t i = 0; i < verifier->n_doc_fields && verdict != BS_VERDICT_YES; i++) {
		struct text text = field_text(verifier, &verifier->doc_fields[i]);
		if (!bs_match_field(verifier->query, node, &verifier->doc_fields[i]))
			continue;
		enum bs_verdict here = in_text(verifier, &text, node, which, 0);
		verdict = here == BS_VERDICT_NO ? verdict : here;
	}
	return verdict;
}

/* Whether the document is a growing text and the leaf applies to it. A leaf for a named field does
 * not apply to such a text, because the text has no field name. */
static bool is_grown(const struct bs_byte_verifier *verifier, const struct bs_query_node *leaf)
{
	return verifier->doc_fields == &verifier->grown && leaf->field == BS_QUERY_ANY_FIELD;
}

/* Whether an element occurs in the document, in a field that the leaf applies to. */
static enum bs_verdict ask_element(struct bs_byte_verifier *verifier,
                                   const struct bs_query_node *node, uint32_t e)
{
	bool is_anywhere = !verifier->doc_fields || node->field == BS_QUERY_ANY_FIELD;
	if (!verifier->elements[e].is_searchable)
		return BS_VERDICT_UNKNOWN;
	if (is_anywhere && verifier->known[e])
		return (enum bs_verdict)(verifier->known[e] - 1);
	enum bs_verdict verdict;
	if (is_grown(verifier, node))
		return ask_grown(verifier, node, e, element_in_text, &verifier->searched_words[e]);
	verdict = verifier->doc_fields ? ask_fields(verifier, node, e, element_in_text)
	                               : element_in_json(verifier, e);
	if (is_anywhere)
		verifier->known[e] = (uint8_t)(verdict + 1);
	return verdict;
}

/* NO: one of the leaf's words is absent. Otherwise UNKNOWN. */
static enum bs_verdict ask_all(struct bs_byte_verifier *verifier, const struct bs_query_node *node)
{
	for (uint32_t i = 0; i < node->n_items; i++)
		if (ask_element(verifier, node, node->items[i].element) == BS_VERDICT_NO)
			return BS_VERDICT_NO;
	return BS_VERDICT_UNKNOWN;
}

static bool is_confirmable(const struct bs_byte_verifier *verifier,
                           const struct bs_query_node *node)
{
	for (uint32_t i = 0; i < node->n_items; i++)
		if (!verifier->elements[node->items[i].element].is_term)
			return false;
	return node->n_items <= MAX_ITEMS;
}

static enum bs_verdict phrase_in_text(struct bs_byte_verifier *verifier, const struct text *text,
                                      const struct bs_query_node *node, uint32_t item, size_t from)
{
	enum bs_verdict verdict = BS_VERDICT_NO;
	bool can_confirm = verifier->doc_fields && is_confirmable(verifier, node);
	FOR_EACH_PLACE(verifier, text, from, node->items[item].element, at)
	{
		if (!may_be_phrase(verifier, text, node, item, at))
			continue;
		enum bs_verdict here = can_confirm ? is_phrase(verifier, text, node, item, at)
		                                   : BS_VERDICT_UNKNOWN;
		if (here == BS_VERDICT_YES || !can_confirm)
			return here;
		verdict = here == BS_VERDICT_UNKNOWN ? here : verdict;
	}
	return verdict;
}

static enum bs_verdict ask_phrase(struct bs_byte_verifier *verifier,
                                  const struct bs_query_node *node, uint32_t item)
{
	if (item == NO_ITEM)
		return ask_all(verifier, node);
	if (!verifier->doc_fields)
		return phrase_in_text(verifier, &verifier->text, node, item, 0);
	if (is_grown(verifier, node))
		return ask_grown(verifier, node, item, phrase_in_text,
		                 &verifier->searched_phrases[node - verifier->query->nodes]);
	return ask_fields(verifier, node, item, phrase_in_text);
}

/* Whether a text is a value in the range. UNKNOWN: it has escapes, which values normally do not
 * have. */
static enum bs_verdict range_in_text(struct bs_byte_verifier *verifier, const struct text *text,
                                     const struct bs_query_node *node, uint32_t which, size_t from)
{
	struct bs_value value;
	(void)which;
	/* `from` is 0, because only the texts of files grow, and these have no values. */
	(void)from;
	if (text->is_json && memchr(text->bytes, '\\', text->n_bytes))
		return BS_VERDICT_UNKNOWN;
	bool is_in = bs_value_parse(text->bytes, text->n_bytes, &value) &&
	             bs_range_has(&verifier->query->ranges[node->range].values, &value);
	return is_in ? BS_VERDICT_YES : BS_VERDICT_NO;
}

/* Estimated cost of a leaf, for the deadline. */
#define LEAF_NS 20u

static enum bs_verdict ask_leaf(void *context, uint32_t n)
{
	struct bs_byte_verifier *verifier = context;
	const struct bs_query_node *node = &verifier->query->nodes[n];
	struct bs_file_names *names = verifier->plan->names;
	bool has = false;
	if (!verifier->status)
		verifier->status = bs_deadline_check_after(LEAF_NS, verifier->err);
	if (verifier->status)
		return BS_VERDICT_UNKNOWN;
	if (bs_query_is_file_name(node)) {
		if (!verifier->status)
			verifier->status = names->has(names, n, verifier->ref, &has, verifier->err);
		if (has && names->is_loose && !verifier->doc_fields)
			return BS_VERDICT_UNKNOWN;
		if (has && names->is_loose)
			has = !bs_match_has_own_name(verifier->doc_fields, verifier->n_doc_fields);
		return has ? BS_VERDICT_YES : BS_VERDICT_NO;
	}
	if (node->kind == BS_NODE_RANGE)
		return verifier->doc_fields ? ask_fields(verifier, node, 0, range_in_text)
		                            : BS_VERDICT_UNKNOWN;
	if (node->kind == BS_NODE_WORD)
		return ask_element(verifier, node, node->items[0].element);
	return node->kind == BS_NODE_PHRASE ? ask_phrase(verifier, node, verifier->rarest[n])
	                                    : ask_all(verifier, node);
}

/* The verdict on the whole query. A word that was found is certainly present; one that was not
 * found is only absent if the document is clear (is_clear). */
static enum bs_verdict ask_root(struct bs_byte_verifier *verifier)
{
	uint32_t root = (uint32_t)verifier->query->n_nodes - 1;
	enum bs_verdict verdict =
		bs_match_tree(verifier->query, verifier->children, root, ask_leaf, verifier);
	bool needs_clear = verdict == BS_VERDICT_NO || verifier->has_not;
	if (verifier->is_head && needs_clear)
		return BS_VERDICT_UNKNOWN;
	if (verdict != BS_VERDICT_UNKNOWN && needs_clear && !is_document_clear(verifier))
		return BS_VERDICT_UNKNOWN;
	return verdict;
}

static void begin(struct bs_byte_verifier *verifier, struct bs_doc_ref ref, size_t text_bytes,
                  struct bs_error *err)
{
	memset(verifier->known, 0, verifier->query->n_elements);
	verifier->status = BS_OK;
	verifier->err = err;
	verifier->ref = ref;
	verifier->is_head = false;
	/* If more than twice the text had to be analysed, match.c would be faster. */
	verifier->left_bytes = 2 * text_bytes + 4096;
}

enum bs_status bs_byte_verifier_json(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                     const uint8_t *line, size_t line_bytes,
                                     enum bs_verdict *verdict_out, struct bs_error *err)
{
	begin(verifier, ref, line_bytes, err);
	verifier->text = (struct text){.bytes = line, .n_bytes = line_bytes, .is_json = true};
	verifier->doc_fields = NULL;
	*verdict_out = ask_root(verifier);
	return verifier->status;
}

/* Adds the occurrences of element e in the text to *tf. False: some place is undecided. */
static bool count_words(struct bs_byte_verifier *verifier, const struct text *text, uint32_t e,
                        uint32_t *tf)
{
	size_t n_bytes = verifier->elements[e].needle.n_bytes;
	for (size_t at = find(verifier, text, 0, e); at < text->n_bytes;) {
		enum bs_verdict here = is_word(verifier, text, e, at);
		if (here == BS_VERDICT_UNKNOWN)
			return false;
		*tf += here == BS_VERDICT_YES;
		at = find(verifier, text, at + (here == BS_VERDICT_YES ? n_bytes : 1), e);
	}
	return true;
}

static bool list_words(struct bs_byte_verifier *verifier, struct bs_match *match)
{
	match->words = verifier->found;
	match->n_words = 0;
	for (size_t i = 0; i < verifier->n_by_bytes; i++) {
		uint32_t e = verifier->by_bytes[i], tf = 0;
		if (!verifier->elements[e].is_term)
			return false;
		for (size_t f = 0; f < verifier->n_doc_fields; f++) {
			const struct bs_field *field = &verifier->doc_fields[f];
			struct text text = field_text(verifier, field);
			uint32_t n = 0;
			if (!count_words(verifier, &text, e, &n))
				return false;
			tf = bs_tf_add(
				tf,
				bs_field_weight(verifier->weights, field->name, field->name_bytes),
				n);
		}
		if (tf > 0)
			verifier->found[match->n_words++] = (struct bs_match_word){
				.term = verifier->query->elements[e].term,
				.term_bytes = verifier->query->elements[e].term_bytes,
				.tf = tf,
				.weight = verifier->query->elements[e].weight,
				.idf = &verifier->idfs[e],
			};
	}
	return is_document_clear(verifier);
}

enum bs_status bs_byte_verifier_fields(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                       const struct bs_field *fields, size_t n_fields, bool is_json,
                                       bool needs_words, enum bs_verdict *verdict_out,
                                       struct bs_match *match_out, struct bs_error *err)
{
	size_t text_bytes = 0;
	for (size_t i = 0; i < n_fields; i++)
		text_bytes += fields[i].text_bytes;
	begin(verifier, ref, text_bytes, err);
	verifier->doc_fields = fields;
	verifier->n_doc_fields = n_fields;
	verifier->is_json = is_json;
	*verdict_out = ask_root(verifier);
	if (*verdict_out == BS_VERDICT_YES && needs_words && !list_words(verifier, match_out))
		*verdict_out = BS_VERDICT_UNKNOWN;
	return verifier->status;
}

bool bs_byte_verifier_takes_heads(const struct bs_byte_verifier *verifier)
{
	return !verifier->has_not;
}

enum bs_status bs_byte_verifier_grown(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                      const uint8_t *text, size_t text_bytes, bool is_new,
                                      bool is_whole, enum bs_verdict *verdict_out,
                                      struct bs_error *err)
{
	size_t before_bytes = is_new ? 0 : verifier->grown.text_bytes,
	       left_bytes = verifier->left_bytes;
	begin(verifier, ref, text_bytes - before_bytes, err);
	if (is_new) {
		memset(verifier->searched_words, 0,
		       verifier->query->n_elements * sizeof(*verifier->searched_words));
		memset(verifier->searched_phrases, 0,
		       verifier->query->n_nodes * sizeof(*verifier->searched_phrases));
	} else {
		verifier->left_bytes += left_bytes;
	}
	verifier->grown = (struct bs_field){.name = "", .text = text, .text_bytes = text_bytes};
	verifier->doc_fields = &verifier->grown;
	verifier->n_doc_fields = 1;
	verifier->is_json = false;
	verifier->is_head = !is_whole;
	*verdict_out = ask_root(verifier);
	return verifier->status;
}
