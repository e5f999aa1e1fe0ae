/* byte_verifier.c: see byte_verifier.h. The tree is asked from the root down and left at the first answer. */
#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "query/search/byte_verifier_internal.h"

#define NO_ITEM UINT32_MAX

/* ---- making ---- */

struct alone_probe {
	const struct bs_needle *needle;
	size_t n_tokens;
	bool is_it;
};

static enum bs_status probe_alone(void *context, const struct bs_token *tokens, size_t n_tokens, struct bs_error *err)
{
	struct alone_probe *probe = context;
	(void)err;
	probe->n_tokens += n_tokens;
	probe->is_it = tokens[0].term_bytes == probe->needle->n_bytes &&
	               memcmp(tokens[0].term, probe->needle->bytes, probe->needle->n_bytes) == 0;
	return BS_OK;
}

static bool is_ascii(const struct bs_element *element)
{
	for (uint32_t i = 0; i < element->term_bytes; i++)
		if (element->term[i] >= 0x80)
			return false;
	return true;
}

/* Letters, digits and _ only: what folds to other ASCII is no part of it. */
static bool is_wordy(const struct bs_byte_verifier *byte_verifier, const struct bs_element *element)
{
	for (uint32_t i = 0; i < element->term_bytes; i++)
		if (byte_verifier->kinds[element->term[i]] != BS_BYTE_LETTER && element->term[i] != '_')
			return false;
	return true;
}

static uint64_t df_of(const struct bs_plan *plan, uint32_t e)
{
	const struct bs_plan_element *planned = &plan->elements[e];
	uint64_t df = planned->is_too_broad ? UINT32_MAX : 0;
	for (uint32_t t = 0; t < planned->n_terms; t++)
		df += plan->terms[planned->first_term + t].df;
	return df;
}

static enum bs_status make_element(struct bs_byte_verifier *byte_verifier, uint32_t e, struct bs_error *err)
{
	const struct bs_element *from = &byte_verifier->query->elements[e];
	struct bs_byte_verifier_element *element = &byte_verifier->elements[e];
	struct alone_probe probe = {.needle = &element->needle};
	enum bs_status status = BS_OK;
	element->is_scored = from->is_scored;
	element->df = df_of(byte_verifier->plan, e);
	element->is_searchable = (from->kind == BS_ELEMENT_TERM || from->kind == BS_ELEMENT_PREFIX) &&
	                         from->term_bytes <= BS_BYTE_VERIFIER_MAX_WORD && is_ascii(from);
	element->is_term = element->is_searchable && from->kind == BS_ELEMENT_TERM;
	if (!element->is_searchable)
		return BS_OK;
	bs_needle_init(&element->needle, from->term, from->term_bytes);
	if (!is_wordy(byte_verifier, from))
		byte_verifier->worst = BS_ASCII_FORM_OTHER;
	if (element->is_term)
		status = bs_words_analyze(byte_verifier->words, from->term, from->term_bytes, 0, probe_alone, &probe, NULL, err);
	bool begins = byte_verifier->kinds[from->term[0]] == BS_BYTE_LETTER;
	bool ends = byte_verifier->kinds[from->term[from->term_bytes - 1]] == BS_BYTE_LETTER;
	if (element->is_term)
		element->is_plain = probe.n_tokens == 1 && probe.is_it && begins && ends;
	else
		element->is_plain = begins && is_wordy(byte_verifier, from);
	return status;
}

static bool is_leaf(const struct bs_query_node *node)
{
	return node->n_children == 0;
}

/* The rarest item of a phrase that can be searched for. */
static uint32_t find_rarest(const struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node)
{
	uint32_t best = NO_ITEM;
	for (uint32_t i = 0; i < node->n_items; i++) {
		const struct bs_byte_verifier_element *element = &byte_verifier->elements[node->items[i].element];
		if (element->is_term && (best == NO_ITEM || element->df < byte_verifier->elements[node->items[best].element].df))
			best = i;
	}
	return best;
}

static uint64_t least_of_items(const struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node)
{
	uint64_t least = UINT64_MAX;
	for (uint32_t i = 0; i < node->n_items; i++) {
		uint64_t df = byte_verifier->elements[node->items[i].element].df;
		least = df < least ? df : least;
	}
	return least;
}

/* How many documents a node may match, at most: the fewer, the more is it worth to ask it first. */
static uint64_t most_of(const struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node)
{
	uint64_t most = node->kind == BS_NODE_AND ? UINT64_MAX : 0;
	if (node->kind == BS_NODE_NOT)
		return UINT64_MAX;
	if (is_leaf(node))
		return least_of_items(byte_verifier, node);
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint64_t child = byte_verifier->most[node->children[i]];
		if (node->kind == BS_NODE_AND)
			most = child < most ? child : most;
		else
			most = child > UINT64_MAX - most ? UINT64_MAX : most + child;
	}
	return most;
}

/* Insertion sort: most have two. */
static void order_children(struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node)
{
	uint32_t *children = byte_verifier->children + (node->children - byte_verifier->query->children);
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint32_t child = node->children[i], at = i;
		for (; node->kind == BS_NODE_AND && at > 0 && byte_verifier->most[children[at - 1]] > byte_verifier->most[child]; at--)
			children[at] = children[at - 1];
		children[at] = child;
	}
}

static int compare_terms(const struct bs_element *a, const struct bs_element *b)
{
	uint32_t n = a->term_bytes < b->term_bytes ? a->term_bytes : b->term_bytes;
	int order = memcmp(a->term, b->term, n);
	if (order)
		return order;
	return a->term_bytes < b->term_bytes ? -1 : a->term_bytes > b->term_bytes;
}

static void list_scored(struct bs_byte_verifier *byte_verifier)
{
	const struct bs_element *elements = byte_verifier->query->elements;
	for (uint32_t e = 0; e < byte_verifier->query->n_elements; e++) {
		size_t at = byte_verifier->n_by_bytes;
		if (!elements[e].is_scored)
			continue;
		for (; at > 0 && compare_terms(&elements[byte_verifier->by_bytes[at - 1]], &elements[e]) > 0; at--)
			byte_verifier->by_bytes[at] = byte_verifier->by_bytes[at - 1];
		byte_verifier->by_bytes[at] = e;
		byte_verifier->n_by_bytes++;
		byte_verifier->idfs[e] = -1;
	}
}

static enum bs_status make(struct bs_byte_verifier *byte_verifier, bool *is_of_use_out, struct bs_error *err)
{
	const struct bs_query *query = byte_verifier->query;
	enum bs_status status = BS_OK;
	size_t n_children = 0;
	*is_of_use_out = false;
	for (uint32_t e = 0; e < query->n_elements && !status; e++) {
		status = make_element(byte_verifier, e, err);
		*is_of_use_out |= byte_verifier->elements[e].is_searchable;
	}
	for (size_t i = 0; i < query->n_nodes; i++)
		n_children += query->nodes[i].n_children;
	byte_verifier->children = calloc(n_children + 1, sizeof(*byte_verifier->children));
	if (!status && !byte_verifier->children)
		status = bs_fail_memory(err, "a matcher", (n_children + 1) * sizeof(*byte_verifier->children));
	for (size_t i = 0; i < query->n_nodes && !status; i++) {
		const struct bs_query_node *node = &query->nodes[i];
		byte_verifier->has_not |= node->kind == BS_NODE_NOT;
		byte_verifier->rarest[i] = is_leaf(node) ? find_rarest(byte_verifier, node) : NO_ITEM;
		byte_verifier->most[i] = most_of(byte_verifier, node);
		order_children(byte_verifier, node);
	}
	list_scored(byte_verifier);
	return status;
}

static bool is_too_large(const struct bs_query *query)
{
	if (query->n_elements > BS_BYTE_VERIFIER_MAX_ELEMENTS || query->n_nodes > BS_BYTE_VERIFIER_MAX_NODES)
		return true;
	for (size_t i = 0; i < query->n_nodes; i++)
		if (query->nodes[i].n_items > BS_BYTE_VERIFIER_MAX_LEAF)
			return true;
	return false;
}

enum bs_status bs_byte_verifier_new(const struct bs_plan *plan, const struct bs_query_field *fields, struct bs_words *words,
                           const struct bs_kernel *kernel, struct bs_byte_verifier **byte_verifier_out, struct bs_error *err)
{
	const struct bs_query *query = plan->query;
	bool is_of_use;
	*byte_verifier_out = NULL;
	if (!bs_words_keeps_bytes(words) || is_too_large(query))
		return BS_OK;
	struct bs_byte_verifier *byte_verifier = calloc(1, sizeof(*byte_verifier));
	if (!byte_verifier)
		return bs_fail_memory(err, "a matcher", sizeof(*byte_verifier));
	byte_verifier->plan = plan;
	byte_verifier->query = query;
	byte_verifier->fields = fields;
	byte_verifier->words = words;
	byte_verifier->kernel = kernel;
	byte_verifier->worst = BS_ASCII_FORM_WORD;
	bs_words_byte_kinds(words, byte_verifier->kinds);
	enum bs_status status = make(byte_verifier, &is_of_use, err);
	if (status || !is_of_use)
		bs_byte_verifier_free(byte_verifier);
	else
		*byte_verifier_out = byte_verifier;
	return status;
}

void bs_byte_verifier_free(struct bs_byte_verifier *byte_verifier)
{
	if (!byte_verifier)
		return;
	free(byte_verifier->children);
	free(byte_verifier);
}

/* ---- code points that hide words ---- */

static int32_t hex_unit(const uint8_t *at)
{
	int32_t unit = 0;
	for (int i = 0; i < 4; i++) {
		uint8_t byte = at[i], letter = byte | 0x20;
		bool is_digit = (uint8_t)(byte - '0') < 10;
		if (!is_digit && (uint8_t)(letter - 'a') >= 6)
			return -1;
		unit = unit * 16 + (is_digit ? byte - '0' : letter - 'a' + 10);
	}
	return unit;
}

/* The code point of the \uXXXX at text[*at], of a pair of them if it is one, and moves behind it. U+FFFD for half a
 * pair; negative for what is no escape. */
static int32_t next_escaped(const struct bs_byte_verifier_text *text, size_t *at)
{
	int32_t unit = text->n_bytes - *at < 6 ? -1 : hex_unit(text->bytes + *at + 2);
	*at += unit < 0 ? 2 : 6;
	if (unit < 0xd800 || unit > 0xdfff)
		return unit;
	const uint8_t *next = text->bytes + *at;
	if (unit > 0xdbff || text->n_bytes - *at < 6 || next[0] != '\\' || next[1] != 'u')
		return 0xfffd;
	int32_t low = hex_unit(next + 2);
	if (low < 0xdc00 || low > 0xdfff)
		return 0xfffd;
	*at += 6;
	return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

/* Whether no code point of the text can hide one of the query's words: what was not found is not there. A backslash
 * before the \ of \uXXXX makes it text; then we may see a code point where there is none, but the text is ASCII. */
static bool is_clear(struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text)
{
	size_t at = byte_verifier->kernel->find_opaque(text->bytes, 0, text->n_bytes, text->is_json);
	while (at < text->n_bytes) {
		enum bs_words_ascii_form ascii_form;
		UChar32 c;
		if (text->bytes[at] < 0x80)
			c = next_escaped(text, &at);
		else
			U8_NEXT_OR_FFFD(text->bytes, at, text->n_bytes, c);
		/* A control character written as an escape is part of no word; other ASCII may be. */
		if (c < 0 || (c >= 0x20 && c < 0x80))
			return false;
		if (c >= 0x80) {
			byte_verifier->status = bs_words_ascii_form(byte_verifier->words, c, &ascii_form, byte_verifier->err);
			if (byte_verifier->status || ascii_form >= byte_verifier->worst)
				return false;
		}
		at = byte_verifier->kernel->find_opaque(text->bytes, at, text->n_bytes, text->is_json);
	}
	return true;
}

static struct bs_byte_verifier_text field_text(const struct bs_byte_verifier *byte_verifier, const struct bs_field *field)
{
	return (struct bs_byte_verifier_text){.bytes = field->text, .n_bytes = field->text_bytes, .is_json = byte_verifier->is_json};
}

static bool is_document_clear(struct bs_byte_verifier *byte_verifier)
{
	if (!byte_verifier->doc_fields)
		return is_clear(byte_verifier, &byte_verifier->text);
	for (size_t i = 0; i < byte_verifier->n_doc_fields; i++) {
		struct bs_byte_verifier_text text = field_text(byte_verifier, &byte_verifier->doc_fields[i]);
		if (!is_clear(byte_verifier, &text))
			return false;
	}
	return true;
}

/* ---- leaves ---- */

static size_t find(const struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, size_t from, uint32_t e)
{
	return byte_verifier->kernel->find_needle(text->bytes, from, text->n_bytes, &byte_verifier->elements[e].needle);
}

/* Calls for each place where the bytes of element e stand. */
#define FOR_EACH_PLACE(byte_verifier, text, e, at)                                                                              \
	for (size_t at = find(byte_verifier, text, 0, e); at < (text)->n_bytes; at = find(byte_verifier, text, at + 1, e))

/* NO: it is not in the line, if that hides nothing; else UNKNOWN. */
static enum bs_byte_verdict element_in_json(struct bs_byte_verifier *byte_verifier, uint32_t e)
{
	const struct bs_byte_verifier_text *text = &byte_verifier->text;
	FOR_EACH_PLACE (byte_verifier, text, e, at)
		if (bs_byte_verifier_may_match(byte_verifier, text, e, at) != BS_VERDICT_NO)
			return BS_VERDICT_UNKNOWN;
	return BS_VERDICT_NO;
}

static enum bs_byte_verdict element_in_text(struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, uint32_t e)
{
	enum bs_byte_verdict byte_verdict = BS_VERDICT_NO;
	FOR_EACH_PLACE (byte_verifier, text, e, at) {
		enum bs_byte_verdict here = bs_byte_verifier_is_word(byte_verifier, text, e, at);
		if (here == BS_VERDICT_YES)
			return here;
		byte_verdict = here == BS_VERDICT_UNKNOWN ? here : byte_verdict;
	}
	return byte_verdict;
}

static bool field_fits(const struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node, const struct bs_field *field)
{
	if (node->field == BS_QUERY_ANY_FIELD)
		return true;
	const struct bs_query_field *wanted = &byte_verifier->fields[node->field];
	return wanted->name_bytes == field->name_bytes && memcmp(wanted->name, field->name, wanted->name_bytes) == 0;
}

static enum bs_byte_verdict element_in_fields(struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node, uint32_t e)
{
	enum bs_byte_verdict byte_verdict = BS_VERDICT_NO;
	for (size_t i = 0; i < byte_verifier->n_doc_fields && byte_verdict != BS_VERDICT_YES; i++) {
		struct bs_byte_verifier_text text = field_text(byte_verifier, &byte_verifier->doc_fields[i]);
		if (!field_fits(byte_verifier, node, &byte_verifier->doc_fields[i]))
			continue;
		enum bs_byte_verdict here = element_in_text(byte_verifier, &text, e);
		byte_verdict = here == BS_VERDICT_NO ? byte_verdict : here;
	}
	return byte_verdict;
}

/* Whether an element stands in the document, in a field of the leaf. */
static enum bs_byte_verdict ask_element(struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node, uint32_t e)
{
	bool is_anywhere = !byte_verifier->doc_fields || node->field == BS_QUERY_ANY_FIELD;
	if (!byte_verifier->elements[e].is_searchable)
		return BS_VERDICT_UNKNOWN;
	if (is_anywhere && byte_verifier->known[e])
		return (enum bs_byte_verdict)(byte_verifier->known[e] - 1);
	enum bs_byte_verdict byte_verdict = byte_verifier->doc_fields ? element_in_fields(byte_verifier, node, e) : element_in_json(byte_verifier, e);
	if (is_anywhere)
		byte_verifier->known[e] = (uint8_t)(byte_verdict + 1);
	return byte_verdict;
}

/* All words somewhere: NO, or UNKNOWN. */
static enum bs_byte_verdict ask_all(struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node)
{
	for (uint32_t i = 0; i < node->n_items; i++)
		if (ask_element(byte_verifier, node, node->items[i].element) == BS_VERDICT_NO)
			return BS_VERDICT_NO;
	return BS_VERDICT_UNKNOWN;
}

static bool is_confirmable(const struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node)
{
	for (uint32_t i = 0; i < node->n_items; i++)
		if (!byte_verifier->elements[node->items[i].element].is_term)
			return false;
	return node->n_items <= BS_BYTE_VERIFIER_MAX_ITEMS;
}

static enum bs_byte_verdict phrase_in_text(struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text,
                                     const struct bs_query_node *node, uint32_t item)
{
	enum bs_byte_verdict byte_verdict = BS_VERDICT_NO;
	bool can_confirm = byte_verifier->doc_fields && is_confirmable(byte_verifier, node);
	FOR_EACH_PLACE (byte_verifier, text, node->items[item].element, at) {
		if (!bs_byte_verifier_phrase_may_be(byte_verifier, text, node, item, at))
			continue;
		enum bs_byte_verdict here = can_confirm ? bs_byte_verifier_is_phrase(byte_verifier, text, node, item, at) : BS_VERDICT_UNKNOWN;
		if (here == BS_VERDICT_YES || !can_confirm)
			return here;
		byte_verdict = here == BS_VERDICT_UNKNOWN ? here : byte_verdict;
	}
	return byte_verdict;
}

static enum bs_byte_verdict ask_phrase(struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node, uint32_t item)
{
	if (item == NO_ITEM)
		return ask_all(byte_verifier, node);
	enum bs_byte_verdict byte_verdict = BS_VERDICT_NO;
	if (!byte_verifier->doc_fields)
		return phrase_in_text(byte_verifier, &byte_verifier->text, node, item);
	for (size_t i = 0; i < byte_verifier->n_doc_fields && byte_verdict != BS_VERDICT_YES; i++) {
		struct bs_byte_verifier_text text = field_text(byte_verifier, &byte_verifier->doc_fields[i]);
		if (!field_fits(byte_verifier, node, &byte_verifier->doc_fields[i]))
			continue;
		enum bs_byte_verdict here = phrase_in_text(byte_verifier, &text, node, item);
		byte_verdict = here == BS_VERDICT_NO ? byte_verdict : here;
	}
	return byte_verdict;
}

/* ---- tree ---- */

static enum bs_byte_verdict ask(struct bs_byte_verifier *byte_verifier, uint32_t number);

/* AND leaves at the first NO, OR at the first YES. */
static enum bs_byte_verdict ask_children(struct bs_byte_verifier *byte_verifier, const struct bs_query_node *node, enum bs_byte_verdict leave)
{
	const uint32_t *children = byte_verifier->children + (node->children - byte_verifier->query->children);
	enum bs_byte_verdict byte_verdict = leave == BS_VERDICT_NO ? BS_VERDICT_YES : BS_VERDICT_NO;
	for (uint32_t i = 0; i < node->n_children; i++) {
		enum bs_byte_verdict child = ask(byte_verifier, children[i]);
		if (child == leave)
			return leave;
		if (child == BS_VERDICT_UNKNOWN)
			byte_verdict = child;
	}
	return byte_verdict;
}

/* No deeper than there are nodes, BS_BYTE_VERIFIER_MAX_NODES. */
static enum bs_byte_verdict ask(struct bs_byte_verifier *byte_verifier, uint32_t number)
{
	const struct bs_query_node *node = &byte_verifier->query->nodes[number];
	enum bs_byte_verdict child;
	switch (node->kind) {
	case BS_NODE_WORD:
		return ask_element(byte_verifier, node, node->items[0].element);
	case BS_NODE_PHRASE:
		return ask_phrase(byte_verifier, node, byte_verifier->rarest[number]);
	case BS_NODE_NEAR:
		return ask_all(byte_verifier, node);
	case BS_NODE_AND:
		return ask_children(byte_verifier, node, BS_VERDICT_NO);
	case BS_NODE_OR:
		return ask_children(byte_verifier, node, BS_VERDICT_YES);
	case BS_NODE_NOT:
		child = ask(byte_verifier, node->children[0]);
		return child == BS_VERDICT_UNKNOWN ? child : child == BS_VERDICT_NO ? BS_VERDICT_YES : BS_VERDICT_NO;
	}
	return BS_VERDICT_UNKNOWN;
}

/* What is found is there; what is not found is not, if nothing hides it. */
static enum bs_byte_verdict ask_root(struct bs_byte_verifier *byte_verifier)
{
	enum bs_byte_verdict byte_verdict = ask(byte_verifier, (uint32_t)byte_verifier->query->n_nodes - 1);
	bool needs_clear = byte_verdict == BS_VERDICT_NO || byte_verifier->has_not;
	if (byte_verdict != BS_VERDICT_UNKNOWN && needs_clear && !is_document_clear(byte_verifier))
		return BS_VERDICT_UNKNOWN;
	return byte_verdict;
}

static void begin(struct bs_byte_verifier *byte_verifier, size_t text_bytes, struct bs_error *err)
{
	memset(byte_verifier->known, 0, byte_verifier->query->n_elements);
	byte_verifier->status = BS_OK;
	byte_verifier->err = err;
	/* Twice the text: then analysing all of it would have been the better way. */
	byte_verifier->left_bytes = 2 * text_bytes + 4096;
}

enum bs_status bs_byte_verifier_json(struct bs_byte_verifier *byte_verifier, const uint8_t *line, size_t line_bytes, enum bs_byte_verdict *byte_verdict_out,
                            struct bs_error *err)
{
	begin(byte_verifier, line_bytes, err);
	byte_verifier->text = (struct bs_byte_verifier_text){.bytes = line, .n_bytes = line_bytes, .is_json = true};
	byte_verifier->doc_fields = NULL;
	*byte_verdict_out = ask_root(byte_verifier);
	return byte_verifier->status;
}

/* ---- the words of a hit ---- */

/* False: it cannot be told. */
static bool count_words(struct bs_byte_verifier *byte_verifier, const struct bs_byte_verifier_text *text, uint32_t e, uint32_t *tf)
{
	size_t n_bytes = byte_verifier->elements[e].needle.n_bytes;
	for (size_t at = find(byte_verifier, text, 0, e); at < text->n_bytes;) {
		enum bs_byte_verdict here = bs_byte_verifier_is_word(byte_verifier, text, e, at);
		if (here == BS_VERDICT_UNKNOWN)
			return false;
		*tf += here == BS_VERDICT_YES;
		at = find(byte_verifier, text, at + (here == BS_VERDICT_YES ? n_bytes : 1), e);
	}
	return true;
}

static bool list_words(struct bs_byte_verifier *byte_verifier, struct bs_match *match)
{
	match->words = byte_verifier->found;
	match->n_words = 0;
	for (size_t i = 0; i < byte_verifier->n_by_bytes; i++) {
		uint32_t e = byte_verifier->by_bytes[i], tf = 0;
		if (!byte_verifier->elements[e].is_term)
			return false;
		for (size_t f = 0; f < byte_verifier->n_doc_fields; f++) {
			struct bs_byte_verifier_text text = field_text(byte_verifier, &byte_verifier->doc_fields[f]);
			if (!count_words(byte_verifier, &text, e, &tf))
				return false;
		}
		if (tf > 0)
			byte_verifier->found[match->n_words++] = (struct bs_match_word){
				.term = byte_verifier->query->elements[e].term,
				.term_bytes = byte_verifier->query->elements[e].term_bytes,
				.tf = tf,
				.idf = &byte_verifier->idfs[e],
			};
	}
	return is_document_clear(byte_verifier);
}

enum bs_status bs_byte_verifier_fields(struct bs_byte_verifier *byte_verifier, const struct bs_field *fields, size_t n_fields, bool is_json,
                              bool needs_words, enum bs_byte_verdict *byte_verdict_out, struct bs_match *match_out,
                              struct bs_error *err)
{
	size_t text_bytes = 0;
	for (size_t i = 0; i < n_fields; i++)
		text_bytes += fields[i].text_bytes;
	begin(byte_verifier, text_bytes, err);
	byte_verifier->doc_fields = fields;
	byte_verifier->n_doc_fields = n_fields;
	byte_verifier->is_json = is_json;
	*byte_verdict_out = ask_root(byte_verifier);
	if (*byte_verdict_out == BS_VERDICT_YES && needs_words && !list_words(byte_verifier, match_out))
		*byte_verdict_out = BS_VERDICT_UNKNOWN;
	return byte_verifier->status;
}
