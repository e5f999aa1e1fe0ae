/* sift.c: see sift.h. The tree is asked from the root down and left at the first answer. */
#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "query/sift_internal.h"

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
static bool is_wordy(const struct bs_sift *sift, const struct bs_element *element)
{
	for (uint32_t i = 0; i < element->term_bytes; i++)
		if (sift->kinds[element->term[i]] != BS_BYTE_LETTER && element->term[i] != '_')
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

static enum bs_status make_element(struct bs_sift *sift, uint32_t e, struct bs_error *err)
{
	const struct bs_element *from = &sift->query->elements[e];
	struct bs_sift_element *element = &sift->elements[e];
	struct alone_probe probe = {.needle = &element->needle};
	enum bs_status status = BS_OK;
	element->is_scored = from->is_scored;
	element->df = df_of(sift->plan, e);
	element->is_searchable = (from->kind == BS_ELEMENT_TERM || from->kind == BS_ELEMENT_PREFIX) &&
	                         from->term_bytes <= BS_SIFT_MAX_WORD && is_ascii(from);
	element->is_term = element->is_searchable && from->kind == BS_ELEMENT_TERM;
	if (!element->is_searchable)
		return BS_OK;
	bs_needle_init(&element->needle, from->term, from->term_bytes);
	if (!is_wordy(sift, from))
		sift->worst = BS_GUISE_OTHER;
	if (element->is_term)
		status = bs_words_analyze(sift->words, from->term, from->term_bytes, 0, probe_alone, &probe, NULL, err);
	bool begins = sift->kinds[from->term[0]] == BS_BYTE_LETTER;
	bool ends = sift->kinds[from->term[from->term_bytes - 1]] == BS_BYTE_LETTER;
	if (element->is_term)
		element->is_plain = probe.n_tokens == 1 && probe.is_it && begins && ends;
	else
		element->is_plain = begins && is_wordy(sift, from);
	return status;
}

static bool is_leaf(const struct bs_query_node *node)
{
	return node->n_children == 0;
}

/* The rarest item of a phrase that can be searched for. */
static uint32_t find_rarest(const struct bs_sift *sift, const struct bs_query_node *node)
{
	uint32_t best = NO_ITEM;
	for (uint32_t i = 0; i < node->n_items; i++) {
		const struct bs_sift_element *element = &sift->elements[node->items[i].element];
		if (element->is_term && (best == NO_ITEM || element->df < sift->elements[node->items[best].element].df))
			best = i;
	}
	return best;
}

static uint64_t least_of_items(const struct bs_sift *sift, const struct bs_query_node *node)
{
	uint64_t least = UINT64_MAX;
	for (uint32_t i = 0; i < node->n_items; i++) {
		uint64_t df = sift->elements[node->items[i].element].df;
		least = df < least ? df : least;
	}
	return least;
}

/* How many documents a node may match, at most: the fewer, the more is it worth to ask it first. */
static uint64_t most_of(const struct bs_sift *sift, const struct bs_query_node *node)
{
	uint64_t most = node->kind == BS_NODE_AND ? UINT64_MAX : 0;
	if (node->kind == BS_NODE_NOT)
		return UINT64_MAX;
	if (is_leaf(node))
		return least_of_items(sift, node);
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint64_t child = sift->most[node->children[i]];
		if (node->kind == BS_NODE_AND)
			most = child < most ? child : most;
		else
			most = child > UINT64_MAX - most ? UINT64_MAX : most + child;
	}
	return most;
}

/* Insertion sort: most have two. */
static void order_children(struct bs_sift *sift, const struct bs_query_node *node)
{
	uint32_t *children = sift->children + (node->children - sift->query->children);
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint32_t child = node->children[i], at = i;
		for (; node->kind == BS_NODE_AND && at > 0 && sift->most[children[at - 1]] > sift->most[child]; at--)
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

static void list_scored(struct bs_sift *sift)
{
	const struct bs_element *elements = sift->query->elements;
	for (uint32_t e = 0; e < sift->query->n_elements; e++) {
		size_t at = sift->n_by_bytes;
		if (!elements[e].is_scored)
			continue;
		for (; at > 0 && compare_terms(&elements[sift->by_bytes[at - 1]], &elements[e]) > 0; at--)
			sift->by_bytes[at] = sift->by_bytes[at - 1];
		sift->by_bytes[at] = e;
		sift->n_by_bytes++;
		sift->idfs[e] = -1;
	}
}

static enum bs_status make(struct bs_sift *sift, bool *is_of_use_out, struct bs_error *err)
{
	const struct bs_query *query = sift->query;
	enum bs_status status = BS_OK;
	size_t n_children = 0;
	*is_of_use_out = false;
	for (uint32_t e = 0; e < query->n_elements && !status; e++) {
		status = make_element(sift, e, err);
		*is_of_use_out |= sift->elements[e].is_searchable;
	}
	for (size_t i = 0; i < query->n_nodes; i++)
		n_children += query->nodes[i].n_children;
	sift->children = calloc(n_children + 1, sizeof(*sift->children));
	if (!status && !sift->children)
		status = bs_fail_memory(err, "a matcher", (n_children + 1) * sizeof(*sift->children));
	for (size_t i = 0; i < query->n_nodes && !status; i++) {
		const struct bs_query_node *node = &query->nodes[i];
		sift->has_not |= node->kind == BS_NODE_NOT;
		sift->rarest[i] = is_leaf(node) ? find_rarest(sift, node) : NO_ITEM;
		sift->most[i] = most_of(sift, node);
		order_children(sift, node);
	}
	list_scored(sift);
	return status;
}

static bool is_too_large(const struct bs_query *query)
{
	if (query->n_elements > BS_SIFT_MAX_ELEMENTS || query->n_nodes > BS_SIFT_MAX_NODES)
		return true;
	for (size_t i = 0; i < query->n_nodes; i++)
		if (query->nodes[i].n_items > BS_SIFT_MAX_LEAF)
			return true;
	return false;
}

enum bs_status bs_sift_new(const struct bs_plan *plan, const struct bs_query_field *fields, struct bs_words *words,
                           const struct bs_kernel *kernel, struct bs_sift **sift_out, struct bs_error *err)
{
	const struct bs_query *query = plan->query;
	bool is_of_use;
	*sift_out = NULL;
	if (!bs_words_keeps_bytes(words) || is_too_large(query))
		return BS_OK;
	struct bs_sift *sift = calloc(1, sizeof(*sift));
	if (!sift)
		return bs_fail_memory(err, "a matcher", sizeof(*sift));
	sift->plan = plan;
	sift->query = query;
	sift->fields = fields;
	sift->words = words;
	sift->kernel = kernel;
	sift->worst = BS_GUISE_WORD;
	bs_words_byte_kinds(words, sift->kinds);
	enum bs_status status = make(sift, &is_of_use, err);
	if (status || !is_of_use)
		bs_sift_free(sift);
	else
		*sift_out = sift;
	return status;
}

void bs_sift_free(struct bs_sift *sift)
{
	if (!sift)
		return;
	free(sift->children);
	free(sift);
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
static int32_t next_escaped(const struct bs_sift_text *text, size_t *at)
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
static bool is_clear(struct bs_sift *sift, const struct bs_sift_text *text)
{
	size_t at = sift->kernel->find_opaque(text->bytes, 0, text->n_bytes, text->is_json);
	while (at < text->n_bytes) {
		enum bs_words_guise guise;
		UChar32 c;
		if (text->bytes[at] < 0x80)
			c = next_escaped(text, &at);
		else
			U8_NEXT_OR_FFFD(text->bytes, at, text->n_bytes, c);
		/* A control character written as an escape is part of no word; other ASCII may be. */
		if (c < 0 || (c >= 0x20 && c < 0x80))
			return false;
		if (c >= 0x80) {
			sift->status = bs_words_guise(sift->words, c, &guise, sift->err);
			if (sift->status || guise >= sift->worst)
				return false;
		}
		at = sift->kernel->find_opaque(text->bytes, at, text->n_bytes, text->is_json);
	}
	return true;
}

static struct bs_sift_text field_text(const struct bs_sift *sift, const struct bs_field *field)
{
	return (struct bs_sift_text){.bytes = field->text, .n_bytes = field->text_bytes, .is_json = sift->is_json};
}

static bool is_document_clear(struct bs_sift *sift)
{
	if (!sift->doc_fields)
		return is_clear(sift, &sift->text);
	for (size_t i = 0; i < sift->n_doc_fields; i++) {
		struct bs_sift_text text = field_text(sift, &sift->doc_fields[i]);
		if (!is_clear(sift, &text))
			return false;
	}
	return true;
}

/* ---- leaves ---- */

static size_t find(const struct bs_sift *sift, const struct bs_sift_text *text, size_t from, uint32_t e)
{
	return sift->kernel->find_needle(text->bytes, from, text->n_bytes, &sift->elements[e].needle);
}

/* Calls for each place where the bytes of element e stand. */
#define FOR_EACH_PLACE(sift, text, e, at)                                                                              \
	for (size_t at = find(sift, text, 0, e); at < (text)->n_bytes; at = find(sift, text, at + 1, e))

/* NO: it is not in the line, if that hides nothing; else UNKNOWN. */
static enum bs_sifted element_in_json(struct bs_sift *sift, uint32_t e)
{
	const struct bs_sift_text *text = &sift->text;
	FOR_EACH_PLACE (sift, text, e, at)
		if (bs_sift_glance(sift, text, e, at) != BS_SIFTED_NO)
			return BS_SIFTED_UNKNOWN;
	return BS_SIFTED_NO;
}

static enum bs_sifted element_in_text(struct bs_sift *sift, const struct bs_sift_text *text, uint32_t e)
{
	enum bs_sifted sifted = BS_SIFTED_NO;
	FOR_EACH_PLACE (sift, text, e, at) {
		enum bs_sifted here = bs_sift_is_word(sift, text, e, at);
		if (here == BS_SIFTED_YES)
			return here;
		sifted = here == BS_SIFTED_UNKNOWN ? here : sifted;
	}
	return sifted;
}

static bool field_fits(const struct bs_sift *sift, const struct bs_query_node *node, const struct bs_field *field)
{
	if (node->field == BS_QUERY_ANY_FIELD)
		return true;
	const struct bs_query_field *wanted = &sift->fields[node->field];
	return wanted->name_bytes == field->name_bytes && memcmp(wanted->name, field->name, wanted->name_bytes) == 0;
}

static enum bs_sifted element_in_fields(struct bs_sift *sift, const struct bs_query_node *node, uint32_t e)
{
	enum bs_sifted sifted = BS_SIFTED_NO;
	for (size_t i = 0; i < sift->n_doc_fields && sifted != BS_SIFTED_YES; i++) {
		struct bs_sift_text text = field_text(sift, &sift->doc_fields[i]);
		if (!field_fits(sift, node, &sift->doc_fields[i]))
			continue;
		enum bs_sifted here = element_in_text(sift, &text, e);
		sifted = here == BS_SIFTED_NO ? sifted : here;
	}
	return sifted;
}

/* Whether an element stands in the document, in a field of the leaf. */
static enum bs_sifted ask_element(struct bs_sift *sift, const struct bs_query_node *node, uint32_t e)
{
	bool is_anywhere = !sift->doc_fields || node->field == BS_QUERY_ANY_FIELD;
	if (!sift->elements[e].is_searchable)
		return BS_SIFTED_UNKNOWN;
	if (is_anywhere && sift->known[e])
		return (enum bs_sifted)(sift->known[e] - 1);
	enum bs_sifted sifted = sift->doc_fields ? element_in_fields(sift, node, e) : element_in_json(sift, e);
	if (is_anywhere)
		sift->known[e] = (uint8_t)(sifted + 1);
	return sifted;
}

/* All words somewhere: NO, or UNKNOWN. */
static enum bs_sifted ask_all(struct bs_sift *sift, const struct bs_query_node *node)
{
	for (uint32_t i = 0; i < node->n_items; i++)
		if (ask_element(sift, node, node->items[i].element) == BS_SIFTED_NO)
			return BS_SIFTED_NO;
	return BS_SIFTED_UNKNOWN;
}

static bool is_confirmable(const struct bs_sift *sift, const struct bs_query_node *node)
{
	for (uint32_t i = 0; i < node->n_items; i++)
		if (!sift->elements[node->items[i].element].is_term)
			return false;
	return node->n_items <= BS_SIFT_MAX_ITEMS;
}

static enum bs_sifted phrase_in_text(struct bs_sift *sift, const struct bs_sift_text *text,
                                     const struct bs_query_node *node, uint32_t item)
{
	enum bs_sifted sifted = BS_SIFTED_NO;
	bool can_confirm = sift->doc_fields && is_confirmable(sift, node);
	FOR_EACH_PLACE (sift, text, node->items[item].element, at) {
		if (!bs_sift_phrase_may_be(sift, text, node, item, at))
			continue;
		enum bs_sifted here = can_confirm ? bs_sift_is_phrase(sift, text, node, item, at) : BS_SIFTED_UNKNOWN;
		if (here == BS_SIFTED_YES || !can_confirm)
			return here;
		sifted = here == BS_SIFTED_UNKNOWN ? here : sifted;
	}
	return sifted;
}

static enum bs_sifted ask_phrase(struct bs_sift *sift, const struct bs_query_node *node, uint32_t item)
{
	if (item == NO_ITEM)
		return ask_all(sift, node);
	enum bs_sifted sifted = BS_SIFTED_NO;
	if (!sift->doc_fields)
		return phrase_in_text(sift, &sift->text, node, item);
	for (size_t i = 0; i < sift->n_doc_fields && sifted != BS_SIFTED_YES; i++) {
		struct bs_sift_text text = field_text(sift, &sift->doc_fields[i]);
		if (!field_fits(sift, node, &sift->doc_fields[i]))
			continue;
		enum bs_sifted here = phrase_in_text(sift, &text, node, item);
		sifted = here == BS_SIFTED_NO ? sifted : here;
	}
	return sifted;
}

/* ---- tree ---- */

static enum bs_sifted ask(struct bs_sift *sift, uint32_t number);

/* AND leaves at the first NO, OR at the first YES. */
static enum bs_sifted ask_children(struct bs_sift *sift, const struct bs_query_node *node, enum bs_sifted leave)
{
	const uint32_t *children = sift->children + (node->children - sift->query->children);
	enum bs_sifted sifted = leave == BS_SIFTED_NO ? BS_SIFTED_YES : BS_SIFTED_NO;
	for (uint32_t i = 0; i < node->n_children; i++) {
		enum bs_sifted child = ask(sift, children[i]);
		if (child == leave)
			return leave;
		if (child == BS_SIFTED_UNKNOWN)
			sifted = child;
	}
	return sifted;
}

/* No deeper than there are nodes, BS_SIFT_MAX_NODES. */
static enum bs_sifted ask(struct bs_sift *sift, uint32_t number)
{
	const struct bs_query_node *node = &sift->query->nodes[number];
	enum bs_sifted child;
	switch (node->kind) {
	case BS_NODE_WORD:
		return ask_element(sift, node, node->items[0].element);
	case BS_NODE_PHRASE:
		return ask_phrase(sift, node, sift->rarest[number]);
	case BS_NODE_NEAR:
		return ask_all(sift, node);
	case BS_NODE_AND:
		return ask_children(sift, node, BS_SIFTED_NO);
	case BS_NODE_OR:
		return ask_children(sift, node, BS_SIFTED_YES);
	case BS_NODE_NOT:
		child = ask(sift, node->children[0]);
		return child == BS_SIFTED_UNKNOWN ? child : child == BS_SIFTED_NO ? BS_SIFTED_YES : BS_SIFTED_NO;
	}
	return BS_SIFTED_UNKNOWN;
}

/* What is found is there; what is not found is not, if nothing hides it. */
static enum bs_sifted ask_root(struct bs_sift *sift)
{
	enum bs_sifted sifted = ask(sift, (uint32_t)sift->query->n_nodes - 1);
	bool needs_clear = sifted == BS_SIFTED_NO || sift->has_not;
	if (sifted != BS_SIFTED_UNKNOWN && needs_clear && !is_document_clear(sift))
		return BS_SIFTED_UNKNOWN;
	return sifted;
}

static void begin(struct bs_sift *sift, size_t text_bytes, struct bs_error *err)
{
	memset(sift->known, 0, sift->query->n_elements);
	sift->status = BS_OK;
	sift->err = err;
	/* Twice the text: then analysing all of it would have been the better way. */
	sift->left_bytes = 2 * text_bytes + 4096;
}

enum bs_status bs_sift_json(struct bs_sift *sift, const uint8_t *line, size_t line_bytes, enum bs_sifted *sifted_out,
                            struct bs_error *err)
{
	begin(sift, line_bytes, err);
	sift->text = (struct bs_sift_text){.bytes = line, .n_bytes = line_bytes, .is_json = true};
	sift->doc_fields = NULL;
	*sifted_out = ask_root(sift);
	return sift->status;
}

/* ---- the words of a hit ---- */

/* False: it cannot be told. */
static bool count_words(struct bs_sift *sift, const struct bs_sift_text *text, uint32_t e, uint32_t *tf)
{
	size_t n_bytes = sift->elements[e].needle.n_bytes;
	for (size_t at = find(sift, text, 0, e); at < text->n_bytes;) {
		enum bs_sifted here = bs_sift_is_word(sift, text, e, at);
		if (here == BS_SIFTED_UNKNOWN)
			return false;
		*tf += here == BS_SIFTED_YES;
		at = find(sift, text, at + (here == BS_SIFTED_YES ? n_bytes : 1), e);
	}
	return true;
}

static bool list_words(struct bs_sift *sift, struct bs_match *match)
{
	match->words = sift->found;
	match->n_words = 0;
	for (size_t i = 0; i < sift->n_by_bytes; i++) {
		uint32_t e = sift->by_bytes[i], tf = 0;
		if (!sift->elements[e].is_term)
			return false;
		for (size_t f = 0; f < sift->n_doc_fields; f++) {
			struct bs_sift_text text = field_text(sift, &sift->doc_fields[f]);
			if (!count_words(sift, &text, e, &tf))
				return false;
		}
		if (tf > 0)
			sift->found[match->n_words++] = (struct bs_match_word){
				.term = sift->query->elements[e].term,
				.term_bytes = sift->query->elements[e].term_bytes,
				.tf = tf,
				.idf = &sift->idfs[e],
			};
	}
	return is_document_clear(sift);
}

enum bs_status bs_sift_fields(struct bs_sift *sift, const struct bs_field *fields, size_t n_fields, bool is_json,
                              bool needs_words, enum bs_sifted *sifted_out, struct bs_match *match_out,
                              struct bs_error *err)
{
	size_t text_bytes = 0;
	for (size_t i = 0; i < n_fields; i++)
		text_bytes += fields[i].text_bytes;
	begin(sift, text_bytes, err);
	sift->doc_fields = fields;
	sift->n_doc_fields = n_fields;
	sift->is_json = is_json;
	*sifted_out = ask_root(sift);
	if (*sifted_out == BS_SIFTED_YES && needs_words && !list_words(sift, match_out))
		*sifted_out = BS_SIFTED_UNKNOWN;
	return sift->status;
}
