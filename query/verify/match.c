/* match.c: see match.h. A document is analysed once; then the tree is evaluated. */
#include "query/verify/match.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/collections/binary_search.h"
#include "core/collections/sort.h"
#include "core/collections/term_table.h"
#include "core/store/field_weights.h"
#include "core/system/deadline.h"
#include "core/text/tokenizer_run.h"
#include "query/language/fuzzy.h"
#include "query/language/wildcard.h"

/* The number of positions between the fields of a record. It must equal the indexer's
 * (indexer/batch/term_batch.c). */
#define FIELD_GAP 100u

/* An occurrence of an element of the query in the document. */
struct occurrence {
	uint32_t field; /* The index of the field among those of the document. */
	uint32_t position;
};

/* A word in the dictionary, in which the tokens of a text are looked up. If all elements of the
 * query are plain words, the dictionary has only these, and other tokens are ignored. If there are
 * prefixes, patterns or fuzzy words, each distinct token is added once with the list of the
 * elements that it matches, so that these comparisons are made once for each distinct word. */
struct known_word {
	uint32_t first_element; /* The index of the word's first element in element_lists. */
	uint32_t n_elements;
	/* The number of occurrences in the current document, multiplied by the weights of their
	 * fields. */
	uint32_t tf;
	bool is_positive; /* Some element of the word is not negated. */
	/* The sum of the weights of its elements, added in their order. 0: the word does not
	 * score. */
	double weight;
	double idf; /* See bs_match_word.idf. */
};

/* An occurrence of an item of a NEAR, or of a phrase that phrase_anywhere searches for. */
struct near_point {
	uint32_t field;
	uint32_t position;
	/* The index of the item's element among the distinct elements of the leaf. */
	uint32_t kind;
};

BS_VECTOR(occurrences, struct occurrence);
BS_VECTOR(known_words, struct known_word);
BS_VECTOR(near_points, struct near_point);
BS_VECTOR(match_words, struct bs_match_word);

/* The occurrences of an element of the query in the document. */
struct counted_element {
	struct bs_fuzzy *fuzzy; /* The matcher of a fuzzy element; NULL for other elements. */
	uint32_t tf;            /* The number of occurrences, without the weights of fields. */
	uint32_t need;          /* Scratch of near_needs; 0 between calls. */
	struct occurrences occurrences; /* Sorted by position. */
};

struct bs_matcher {
	const struct bs_query_tree *query;
	struct bs_tokenizer *tokenizer;
	struct bs_file_names *names;
	struct bs_doc_ref ref; /* The current document. */
	/* The elements that are prefixes, patterns or fuzzy words, ascending. */
	struct bs_u32s inexact;
	bool needs_positions;       /* Some leaf is a phrase or a NEAR, or is for one field. */
	struct bs_term_table table; /* The words of the dictionary. */
	/* The dictionary's words, indexed by their numbers in the table. */
	struct known_words known;
	/* The elements of all words of the dictionary, word by word (known_word.first_element). */
	struct bs_u32s element_lists;
	struct counted_element *elements; /* The occurrences of each element of the query. */
	struct near_points points;        /* Scratch of near_matches and phrase_anywhere. */
	struct bs_buffer needs, sets;     /* Scratch of the same functions (see zeros()). */
	struct bs_u32s found;             /* The numbers of the words with tf > 0. */
	struct match_words match_words;
	/* The members below describe the current document. */
	const struct bs_field *doc_fields;
	size_t n_doc_fields;
	uint32_t field;            /* The index of the field being analysed. */
	uint32_t weight;           /* The weight of the field being analysed. */
	char *const *weights;      /* See bs_matcher_weigh_fields. */
	struct bs_word_hits *hits; /* Receives hits while they are collected; otherwise NULL. */
	uint64_t span_start_byte;  /* The start_byte of the last token. */
	uint32_t span_position;    /* The position of the first token with the same start_byte. */
	struct bs_error *err;
	enum bs_status status; /* The first failure, which is sticky. */
};

#define NOT_PLAIN UINT32_MAX

/* A dictionary with more words is cleared before the next document: it must not grow with every
 * word of a long scan, and lookups are faster if it stays in the caches (1.0 instead of 1.2 us a
 * paragraph). */
#define MAX_KNOWN_WORDS (1u << 16)

static bool wants_positions(const struct bs_query_tree *query)
{
	for (size_t i = 0; i < query->n_nodes; i++) {
		const struct bs_query_node *node = &query->nodes[i];
		bool is_leaf = node->n_children == 0;
		bool is_anywhere =
			node->kind == BS_NODE_RANGE ||
			(node->kind == BS_NODE_WORD && node->field == BS_QUERY_ANY_FIELD);
		if (is_leaf && !is_anywhere)
			return true;
	}
	return false;
}

/* Inlined because most appends are a few bytes long, and there are many. */
__attribute__((always_inline)) static inline void append(struct bs_matcher *matcher,
                                                         struct bs_buffer *to, const void *bytes,
                                                         size_t n_bytes)
{
	if (!matcher->status)
		matcher->status = bs_buffer_append(to, bytes, n_bytes, matcher->err);
}

/* Estimated costs, for the deadline: of comparing a word with an inexact element, and of checking
 * an occurrence. */
#define INEXACT_NS    50u
#define OCCURRENCE_NS 10u

static inline void spend(struct bs_matcher *matcher, uint64_t about_ns)
{
	if (!matcher->status)
		matcher->status = bs_deadline_check_after(about_ns, matcher->err);
}

/* Whether a term matches the inexact element e (a prefix, a pattern or a fuzzy word). */
static bool element_accepts(const struct bs_matcher *matcher, uint32_t e, const uint8_t *term,
                            uint32_t term_bytes)
{
	const struct bs_element *element = &matcher->query->elements[e];
	if (element->kind == BS_ELEMENT_FUZZY)
		return bs_fuzzy_matches(matcher->elements[e].fuzzy, term, term_bytes, 0);
	if (element->kind == BS_ELEMENT_PATTERN)
		return bs_pattern_matches(element->term, element->term_bytes, term, term_bytes);
	return element->term_bytes <= term_bytes &&
	       memcmp(element->term, term, element->term_bytes) == 0;
}

static void add_element(struct bs_matcher *matcher, struct known_word *word, uint32_t e)
{
	word->n_elements++;
	word->is_positive |= matcher->query->elements[e].is_positive;
	word->weight += matcher->query->elements[e].weight;
	append(matcher, &matcher->element_lists.bytes, &e, sizeof(e));
}

/* Adds a new term to the dictionary, with the elements that it matches in their order. plain: the
 * plain element that equals the term; NOT_PLAIN: none. Plain elements are added first, so a term
 * added later equals none of them. */
static void enter_word(struct bs_matcher *matcher, const uint8_t *term, uint32_t term_bytes,
                       uint32_t plain)
{
	struct known_word word = {.first_element = (uint32_t)bs_vector_n(&matcher->element_lists),
	                          .idf = -1};
	const uint32_t *inexact = matcher->inexact.items;
	const size_t n_inexact = bs_vector_n(&matcher->inexact);
	spend(matcher, n_inexact * INEXACT_NS);
	for (size_t i = 0; i < n_inexact && !matcher->status; i++) {
		if (!element_accepts(matcher, inexact[i], term, term_bytes))
			continue;
		if (plain < inexact[i])
			add_element(matcher, &word, plain);
		plain = plain < inexact[i] ? NOT_PLAIN : plain;
		add_element(matcher, &word, inexact[i]);
	}
	if (plain != NOT_PLAIN)
		add_element(matcher, &word, plain);
	append(matcher, &matcher->known.bytes, &word, sizeof(word));
}

/* The number of a term in the dictionary; a new term is added. Must not be called after a failure.
 * Inlined because it is called for every word of a text. */
static inline uint32_t know_word(struct bs_matcher *matcher, const uint8_t *term,
                                 uint32_t term_bytes, uint64_t hash, uint32_t plain)
{
	bool is_new;
	uint32_t number = 0;
	matcher->status = bs_term_table_intern(&matcher->table, term, term_bytes, hash, &number,
	                                       &is_new, matcher->err);
	if (!matcher->status && is_new)
		enter_word(matcher, term, term_bytes, plain);
	return number;
}

/* Resets the dictionary to the plain words of the query, in their order. */
static void know_elements(struct bs_matcher *matcher)
{
	bs_term_table_clear(&matcher->table);
	bs_vector_clear(&matcher->known);
	bs_vector_clear(&matcher->element_lists);
	for (uint32_t e = 0; e < matcher->query->n_elements && !matcher->status; e++) {
		const struct bs_element *element = &matcher->query->elements[e];
		if (element->kind == BS_ELEMENT_TERM)
			know_word(matcher, element->term, element->term_bytes,
			          bs_hash_slot(element->term, element->term_bytes), e);
	}
}

static void make_inexact(struct bs_matcher *matcher)
{
	for (uint32_t e = 0; e < matcher->query->n_elements; e++) {
		const struct bs_element *element = &matcher->query->elements[e];
		if (element->kind != BS_ELEMENT_TERM && element->kind != BS_ELEMENT_BIGRAM)
			append(matcher, &matcher->inexact.bytes, &e, sizeof(e));
		if (!matcher->status && element->kind == BS_ELEMENT_FUZZY)
			matcher->status = bs_fuzzy_new(element->term, element->term_bytes,
			                               element->max_distance,
			                               &matcher->elements[e].fuzzy, matcher->err);
	}
}

static int64_t elements_bytes(const struct bs_matcher *matcher)
{
	return (int64_t)(matcher->query->n_elements * sizeof(*matcher->elements));
}

static enum bs_status make_elements(struct bs_matcher *matcher, struct bs_error *err)
{
	size_t n = matcher->query->n_elements;
	enum bs_status status = bs_memory_budget_add(elements_bytes(matcher), err);
	if (status)
		return status;
	matcher->elements = calloc(n, sizeof(*matcher->elements));
	if (matcher->elements)
		return BS_OK;
	(void)!bs_memory_budget_add(-elements_bytes(matcher), NULL);
	return bs_fail_memory(err, "a matcher", n * sizeof(*matcher->elements));
}

enum bs_status bs_matcher_new(const struct bs_query_tree *query, struct bs_tokenizer *tokenizer,
                              struct bs_matcher **matcher_out, struct bs_error *err)
{
	struct bs_matcher *matcher = calloc(1, sizeof(*matcher));
	*matcher_out = NULL;
	if (!matcher)
		return bs_fail_memory(err, "a matcher", sizeof(*matcher));
	matcher->query = query;
	matcher->tokenizer = tokenizer;
	matcher->err = err;
	matcher->needs_positions = wants_positions(query);
	matcher->status = make_elements(matcher, err);
	if (!matcher->status)
		make_inexact(matcher);
	enum bs_status status = matcher->status;
	if (status)
		bs_matcher_free(matcher);
	else
		*matcher_out = matcher;
	return status;
}

void bs_matcher_free(struct bs_matcher *matcher)
{
	if (!matcher)
		return;
	for (size_t i = 0; matcher->elements && i < matcher->query->n_elements; i++) {
		bs_vector_deinit(&matcher->elements[i].occurrences);
		bs_fuzzy_free(matcher->elements[i].fuzzy);
	}
	bs_term_table_deinit(&matcher->table);
	bs_vector_deinit(&matcher->known);
	bs_vector_deinit(&matcher->element_lists);
	bs_vector_deinit(&matcher->inexact);
	bs_vector_deinit(&matcher->points);
	bs_buffer_deinit(&matcher->needs);
	bs_buffer_deinit(&matcher->sets);
	bs_vector_deinit(&matcher->found);
	bs_vector_deinit(&matcher->match_words);
	if (matcher->elements)
		(void)!bs_memory_budget_add(-elements_bytes(matcher), NULL);
	free(matcher->elements);
	free(matcher);
}

void bs_matcher_ask_names(struct bs_matcher *matcher, struct bs_file_names *names)
{
	matcher->names = names;
}

void bs_matcher_weigh_fields(struct bs_matcher *matcher, char *const *weights)
{
	matcher->weights = weights;
}

static struct known_word *word_at(const struct bs_matcher *matcher, uint32_t number)
{
	return &matcher->known.items[number];
}

static const uint32_t *elements_of(const struct bs_matcher *matcher, const struct known_word *word)
{
	return matcher->element_lists.items + word->first_element;
}

/* Counts an occurrence of a word, for the word and for each element that it matches. */
static void add_occurrence(struct bs_matcher *matcher, const struct bs_token *token,
                           uint32_t number)
{
	struct known_word *word = word_at(matcher, number);
	const uint32_t *elements = elements_of(matcher, word);
	struct occurrence occurrence = {.field = matcher->field, .position = token->position};
	if (word->tf == 0)
		append(matcher, &matcher->found.bytes, &number, sizeof(number));
	word->tf = bs_tf_add(word->tf, matcher->weight, 1);
	for (uint32_t i = 0; i < word->n_elements; i++) {
		struct counted_element *element = &matcher->elements[elements[i]];
		element->tf++;
		if (matcher->needs_positions)
			append(matcher, &element->occurrences.bytes, &occurrence,
			       sizeof(occurrence));
	}
}

static void add_hit(struct bs_matcher *matcher, const struct bs_token *token, uint32_t number)
{
	const struct known_word *word = word_at(matcher, number);
	struct bs_word_hit hit = {.field = matcher->field,
	                          .element = elements_of(matcher, word)[0],
	                          .start_byte = token->start_byte,
	                          .end_byte = token->end_byte,
	                          .position = token->position,
	                          .nth = token->position - matcher->span_position};
	if (word->is_positive)
		append(matcher, &matcher->hits->bytes, &hit, sizeof(hit));
}

/* Marks the hits at a position to be kept, because they are part of a match of a leaf. */
static void keep_hit(const struct bs_matcher *matcher, uint64_t position)
{
	struct bs_word_hit *hits = matcher->hits->items;
	size_t n = bs_vector_n(matcher->hits), at;
	BS_BINARY_SEARCH(at, i, 0, n, hits[i].position < position);
	for (; at < n && hits[at].position == position; at++)
		hits[at].is_kept = true;
}

static enum bs_status take_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                                  struct bs_error *err)
{
	struct bs_matcher *matcher = context;
	(void)err;
	for (size_t i = 0; i < n_tokens && !matcher->status; i++) {
		uint32_t number;
		if (tokens[i].is_bigram)
			continue;
		if (matcher->hits && tokens[i].start_byte != matcher->span_start_byte) {
			matcher->span_start_byte = tokens[i].start_byte;
			matcher->span_position = tokens[i].position;
		}
		uint64_t hash = bs_hash_slot(tokens[i].term, tokens[i].term_bytes);
		if (bs_vector_n(&matcher->inexact) > 0)
			number = know_word(matcher, tokens[i].term, tokens[i].term_bytes, hash,
			                   NOT_PLAIN);
		else if (!bs_term_table_find(&matcher->table, tokens[i].term, tokens[i].term_bytes,
		                             hash, &number))
			continue;
		if (matcher->status || word_at(matcher, number)->n_elements == 0)
			continue;
		if (matcher->hits)
			add_hit(matcher, &tokens[i], number);
		add_occurrence(matcher, &tokens[i], number);
	}
	return matcher->status;
}

/* Analyses the fields of a document, and returns its length in positions. */
static uint32_t analyze_fields(struct bs_matcher *matcher, const struct bs_field *fields,
                               size_t n_fields)
{
	uint32_t position = 0, length = 0;
	matcher->doc_fields = fields;
	matcher->n_doc_fields = n_fields;
	/* The dictionary is filled on first use, because many queries are answered without reading
	 * a text. */
	if (matcher->table.n_terms == 0)
		know_elements(matcher);
	for (size_t i = 0; i < n_fields && !matcher->status; i++) {
		struct bs_tokenizer_sum sum = {0};
		matcher->field = (uint32_t)i;
		matcher->weight =
			bs_field_weight(matcher->weights, fields[i].name, fields[i].name_bytes);
		matcher->span_start_byte = UINT64_MAX;
		matcher->status = bs_tokenizer_analyze(matcher->tokenizer, fields[i].text,
		                                       fields[i].text_bytes, position, take_tokens,
		                                       matcher, &sum, matcher->err);
		position = sum.next_position + FIELD_GAP;
		length += sum.n_positions;
	}
	return length;
}

/* Clears the state of the previous document. */
static void start_document(struct bs_matcher *matcher, struct bs_error *err)
{
	const uint32_t *found = matcher->found.items;
	for (size_t i = 0; i < bs_vector_n(&matcher->found); i++) {
		struct known_word *word = word_at(matcher, found[i]);
		const uint32_t *elements = elements_of(matcher, word);
		word->tf = 0;
		for (uint32_t e = 0; e < word->n_elements; e++) {
			matcher->elements[elements[e]].tf = 0;
			bs_vector_clear(&matcher->elements[elements[e]].occurrences);
		}
	}
	bs_vector_clear(&matcher->found);
	matcher->err = err;
	matcher->status = BS_OK;
	if (matcher->table.n_terms > MAX_KNOWN_WORDS)
		know_elements(matcher);
}

static int compare_words(const void *a, const void *b)
{
	const struct bs_match_word *x = a;
	const struct bs_match_word *y = b;
	return bs_compare_bytes(x->term, x->term_bytes, y->term, y->term_bytes);
}

/* Lists the words that score and were found, sorted by bytes. */
static void list_words(struct bs_matcher *matcher, struct bs_match *match)
{
	const uint32_t *found = matcher->found.items;
	bs_vector_clear(&matcher->match_words);
	for (size_t i = 0; i < bs_vector_n(&matcher->found); i++) {
		struct known_word *word = word_at(matcher, found[i]);
		struct bs_match_word listed = {.term = bs_term_table_key(&matcher->table, found[i]),
		                               .term_bytes =
		                                       matcher->table.entries[found[i]].n_bytes,
		                               .tf = word->tf,
		                               .weight = word->weight,
		                               .idf = &word->idf};
		if (word->weight > 0)
			append(matcher, &matcher->match_words.bytes, &listed, sizeof(listed));
	}
	match->words = matcher->match_words.items;
	match->n_words = bs_vector_n(&matcher->match_words);
	if (match->n_words > 1)
		qsort(matcher->match_words.items, match->n_words, sizeof(*match->words),
		      compare_words);
}

static const struct occurrence *occurrences_of(const struct bs_matcher *matcher, uint32_t element,
                                               size_t *n_out)
{
	const struct occurrences *occurrences = &matcher->elements[element].occurrences;
	*n_out = bs_vector_n(occurrences);
	return occurrences->items;
}

bool bs_match_field(const struct bs_query_tree *query, const struct bs_query_node *leaf,
                    const struct bs_field *field)
{
	if (leaf->field == BS_QUERY_ANY_FIELD)
		return true;
	uint32_t name_bytes = query->fields->entries[leaf->field].n_bytes;
	return name_bytes == field->name_bytes &&
	       memcmp(bs_term_table_key(query->fields, leaf->field), field->name, name_bytes) == 0;
}

static bool field_fits(const struct bs_matcher *matcher, const struct bs_query_node *node,
                       uint32_t field)
{
	return bs_match_field(matcher->query, node, &matcher->doc_fields[field]);
}

/* Marks the hits of an element to be kept, in the fields that the leaf applies to. */
static void keep_occurrences(const struct bs_matcher *matcher, const struct bs_query_node *node,
                             uint32_t element)
{
	size_t n;
	const struct occurrence *at = occurrences_of(matcher, element, &n);
	for (size_t i = 0; i < n; i++)
		if (field_fits(matcher, node, at[i].field))
			keep_hit(matcher, at[i].position);
}

/* Whether a leaf that is a word matches. While hits are collected, this function and those for
 * other leaves go through all matches and mark their hits; otherwise they stop at the first
 * match. */
static bool word_matches(const struct bs_matcher *matcher, const struct bs_query_node *node)
{
	uint32_t element = node->items[0].element;
	if (matcher->hits)
		keep_occurrences(matcher, node, element);
	if (node->field == BS_QUERY_ANY_FIELD)
		return matcher->elements[element].tf > 0;
	size_t n;
	const struct occurrence *at = occurrences_of(matcher, element, &n);
	for (size_t i = 0; i < n; i++)
		if (field_fits(matcher, node, at[i].field))
			return true;
	return false;
}

/* Whether an element occurs at a position, by binary search. Positions ascend through the whole
 * document, across fields. */
static bool stands_at(const struct bs_matcher *matcher, uint32_t element, uint32_t field,
                      uint64_t position)
{
	size_t n, first;
	const struct occurrence *at = occurrences_of(matcher, element, &n);
	BS_BINARY_SEARCH(first, i, 0, n, at[i].position < position);
	return first < n && at[first].position == position && at[first].field == field;
}

static int compare_points(const void *a, const void *b, void *context)
{
	(void)context;
	const struct near_point *x = a;
	const struct near_point *y = b;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* Makes an array of n_bytes zeros in `scratch`. NULL: a failure, now or earlier. */
static void *zeros(struct bs_matcher *matcher, struct bs_buffer *scratch, size_t n_bytes)
{
	bs_buffer_clear(scratch);
	if (!matcher->status)
		matcher->status = bs_buffer_reserve(scratch, n_bytes, matcher->err);
	return matcher->status ? NULL : memset(scratch->data, 0, n_bytes);
}

/* A distinct element of a NEAR or phrase. The array of these structs has as many entries as the
 * leaf has items, initially all zeros; only the first ones are used for distinct elements. */
struct near_need {
	uint32_t element;
	uint32_t wanted; /* How many items of the leaf have this element. */
	uint32_t held;   /* How many occurrences are in the current window. */
	/* In needs[i]: the index in `needs` of the element of item i. */
	uint32_t of_item;
};

/* Fills `needs`, and returns the number of distinct elements. */
static uint32_t near_needs(struct bs_matcher *matcher, const struct bs_query_node *node,
                           struct near_need *needs)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < node->n_items; i++) {
		uint32_t *known = &matcher->elements[node->items[i].element].need;
		if (!*known) {
			needs[n].element = node->items[i].element;
			*known = ++n;
		}
		needs[i].of_item = *known - 1;
		needs[*known - 1].wanted++;
	}
	for (uint32_t k = 0; k < n; k++)
		matcher->elements[needs[k].element].need = 0;
	return n;
}

/* Sets matcher->points to the occurrences of the distinct elements, in text order, and returns
 * their number. */
static size_t near_points(struct bs_matcher *matcher, const struct bs_query_node *node,
                          const struct near_need *needs, uint32_t n_needs)
{
	bs_vector_clear(&matcher->points);
	for (uint32_t k = 0; k < n_needs; k++) {
		size_t n;
		const struct occurrence *at = occurrences_of(matcher, needs[k].element, &n);
		for (size_t o = 0; o < n && !matcher->status; o++) {
			struct near_point point = {
				.field = at[o].field, .position = at[o].position, .kind = k};
			if (field_fits(matcher, node, at[o].field))
				append(matcher, &matcher->points.bytes, &point, sizeof(point));
		}
	}
	size_t n_points = matcher->status ? 0 : bs_vector_n(&matcher->points);
	if (!matcher->status)
		matcher->status =
			bs_sort(matcher->points.items, n_points, sizeof(*matcher->points.items),
		                compare_points, NULL, matcher->err);
	return matcher->status ? 0 : n_points;
}

/* Whether a NEAR matches: slides a window of at most `span` + 1 positions in one field over the
 * occurrences, in text order. */
static bool sweep_points(const struct bs_matcher *matcher, struct near_point *points,
                         size_t n_points, struct near_need *needs, uint32_t n_needs, uint64_t span)
{
	size_t start = 0, n_kept = 0;
	uint32_t n_satisfied = 0;
	for (size_t end = 0; end < n_points; end++) {
		struct near_need *need = &needs[points[end].kind];
		n_satisfied += ++need->held == need->wanted;
		while (points[start].field != points[end].field ||
		       points[end].position - points[start].position > span) {
			struct near_need *lost = &needs[points[start].kind];
			n_satisfied -= lost->held-- == lost->wanted;
			start++;
		}
		if (n_satisfied == n_needs && !matcher->hits)
			return true;
		if (n_satisfied == n_needs)
			for (n_kept = n_kept > start ? n_kept : start; n_kept <= end; n_kept++)
				keep_hit(matcher, points[n_kept].position);
	}
	return n_kept > 0;
}

static bool near_matches(struct bs_matcher *matcher, const struct bs_query_node *node)
{
	for (uint32_t i = 0; i < node->n_items; i++)
		if (matcher->elements[node->items[i].element].tf == 0)
			return false;
	struct near_need *needs = zeros(matcher, &matcher->needs, node->n_items * sizeof(*needs));
	if (!needs)
		return false;
	uint32_t n_needs = near_needs(matcher, node, needs);
	size_t n_points = near_points(matcher, node, needs, n_needs);
	return sweep_points(matcher, matcher->points.items, n_points, needs, n_needs,
	                    (uint64_t)node->distance + node->n_items - 1);
}

/* Whether a phrase occurs, by looking for its other items around each occurrence of its rarest
 * item. */
static bool phrase_around(const struct bs_matcher *matcher, const struct bs_query_node *node,
                          const struct bs_query_item *rarest)
{
	size_t n;
	bool is_anywhere = false;
	const struct occurrence *at = occurrences_of(matcher, rarest->element, &n);
	for (size_t o = 0; o < n && (matcher->hits || !is_anywhere); o++) {
		if (at[o].position < rarest->position || !field_fits(matcher, node, at[o].field))
			continue;
		uint64_t start = at[o].position - rarest->position;
		bool all = true;
		for (uint32_t i = 0; i < node->n_items && all; i++)
			all = stands_at(matcher, node->items[i].element, at[o].field,
			                start + node->items[i].position);
		is_anywhere |= all;
		for (uint32_t i = 0; i < node->n_items && all && matcher->hits; i++)
			keep_hit(matcher, start + node->items[i].position);
	}
	return is_anywhere;
}

/* Searches for a phrase for which phrase_around would need too many lookups, such as "a a a a b" in
 * a text that consists of a. Goes once through the occurrences of all words of the phrase, in text
 * order. `state` has a bit for each position of the phrase: whether the phrase up to there occurs
 * such that it ends at the current position of the document. Each step shifts the bits by one, and
 * clears those whose word is not at the new position (`here`). Positions of the phrase without an
 * item (`open`) are never cleared. */
struct phrase_sweep {
	uint32_t n_words; /* The number of 64-bit words in each set. */
	uint64_t *state;
	uint64_t *open;
	/* The positions of the phrase whose words occur at the current position of the document. */
	uint64_t *here;
	uint64_t *masks; /* For each distinct element, the set of its positions in the phrase. */
};

static void step_sweep(struct phrase_sweep *sweep, bool *is_empty_out)
{
	uint64_t carry = 1, all = 0;
	for (uint32_t w = 0; w < sweep->n_words; w++) {
		uint64_t bits = sweep->state[w];
		sweep->state[w] = (bits << 1 | carry) & sweep->here[w];
		carry = bits >> 63;
		all |= sweep->state[w];
	}
	*is_empty_out = all == 0;
}

static bool sweep_phrase(struct phrase_sweep *sweep, uint32_t last_bit,
                         const struct near_point *points, size_t n_points)
{
	size_t set_bytes = sweep->n_words * sizeof(uint64_t);
	bool is_empty = true;
	for (size_t i = 0; i < n_points;) {
		const struct near_point *at = &points[i];
		bool goes_on = i > 0 && at->field == at[-1].field;
		/* The positions in between have no word of the phrase. */
		for (uint64_t p = goes_on ? at[-1].position + UINT64_C(1) : 0;
		     !is_empty && goes_on && p < at->position; p++) {
			memcpy(sweep->here, sweep->open, set_bytes);
			step_sweep(sweep, &is_empty);
		}
		if (!goes_on)
			memset(sweep->state, 0, set_bytes);
		memcpy(sweep->here, sweep->open, set_bytes);
		for (; i < n_points && points[i].position == at->position; i++)
			for (uint32_t w = 0; w < sweep->n_words; w++)
				sweep->here[w] |=
					sweep->masks[(size_t)points[i].kind * sweep->n_words + w];
		step_sweep(sweep, &is_empty);
		if (sweep->state[last_bit / 64] >> last_bit % 64 & 1)
			return true;
	}
	return false;
}

static bool phrase_anywhere(struct bs_matcher *matcher, const struct bs_query_node *node)
{
	uint32_t last_bit = node->items[node->n_items - 1].position;
	struct phrase_sweep sweep = {.n_words = last_bit / 64 + 1};
	struct near_need *needs = zeros(matcher, &matcher->needs, node->n_items * sizeof(*needs));
	uint32_t n_needs = needs ? near_needs(matcher, node, needs) : 0;
	uint64_t *sets = zeros(matcher, &matcher->sets,
	                       (n_needs + (size_t)3) * sweep.n_words * sizeof(*sets));
	if (!sets)
		return false;
	sweep.state = sets;
	sweep.open = sets + sweep.n_words;
	sweep.here = sweep.open + sweep.n_words;
	sweep.masks = sweep.here + sweep.n_words;
	memset(sweep.open, 0xff, sweep.n_words * sizeof(*sets));
	for (uint32_t i = 0; i < node->n_items; i++) {
		uint32_t position = node->items[i].position;
		uint64_t *mask = sweep.masks + (size_t)needs[i].of_item * sweep.n_words;
		mask[position / 64] |= UINT64_C(1) << position % 64;
		sweep.open[position / 64] &= ~(UINT64_C(1) << position % 64);
	}
	size_t n_points = near_points(matcher, node, needs, n_needs);
	return sweep_phrase(&sweep, last_bit, matcher->points.items, n_points);
}

/* A phrase that needs more lookups than this is searched for in one sweep. */
#define MOST_LOOKS 65536u

static bool phrase_matches(struct bs_matcher *matcher, const struct bs_query_node *node)
{
	const struct bs_query_item *rarest = &node->items[0];
	for (uint32_t i = 1; i < node->n_items; i++)
		if (matcher->elements[node->items[i].element].tf <
		    matcher->elements[rarest->element].tf)
			rarest = &node->items[i];
	bool are_many =
		(uint64_t)matcher->elements[rarest->element].tf * node->n_items > MOST_LOOKS;
	/* If so many lookups are needed, all words of the phrase become hits, even outside of the
	 * phrase: hits are only for display, and finding the right ones would take too long. */
	for (uint32_t i = 0; i < node->n_items && are_many && matcher->hits; i++)
		keep_occurrences(matcher, node, node->items[i].element);
	if (are_many)
		return phrase_anywhere(matcher, node);
	return phrase_around(matcher, node, rarest);
}

enum bs_verdict bs_match_tree(const struct bs_query_tree *query, const uint32_t *children,
                              uint32_t n, enum bs_verdict (*ask_leaf)(void *context, uint32_t n),
                              void *context)
{
	const struct bs_query_node *node = &query->nodes[n];
	enum bs_verdict decisive = node->kind == BS_NODE_AND ? BS_VERDICT_NO : BS_VERDICT_YES;
	enum bs_verdict verdict = node->kind == BS_NODE_AND ? BS_VERDICT_YES : BS_VERDICT_NO;
	if (node->n_children == 0)
		return ask_leaf(context, n);
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint32_t child = children[node->children - query->children + i];
		enum bs_verdict found = bs_match_tree(query, children, child, ask_leaf, context);
		if (node->kind == BS_NODE_NOT)
			return found == BS_VERDICT_UNKNOWN ? found
			       : found == BS_VERDICT_NO    ? BS_VERDICT_YES
			                                   : BS_VERDICT_NO;
		if (found == decisive)
			return found;
		verdict = found == BS_VERDICT_UNKNOWN ? found : verdict;
	}
	return verdict;
}

static bool range_matches(const struct bs_matcher *matcher, const struct bs_query_node *node)
{
	const struct bs_range *range = &matcher->query->ranges[node->range].values;
	struct bs_value value;
	for (size_t i = 0; i < matcher->n_doc_fields; i++) {
		const struct bs_field *field = &matcher->doc_fields[i];
		if (bs_match_field(matcher->query, node, field) &&
		    bs_value_parse(field->text, field->text_bytes, &value) &&
		    bs_range_has(range, &value))
			return true;
	}
	return false;
}

bool bs_match_has_own_name(const struct bs_field *fields, size_t n_fields)
{
	static const char name[] = "name";
	for (size_t i = 0; i < n_fields; i++)
		if (fields[i].name_bytes == sizeof(name) - 1 &&
		    memcmp(fields[i].name, name, sizeof(name) - 1) == 0)
			return true;
	return false;
}

/* The verdict on leaf n. After a failure, NO. */
static enum bs_verdict ask_leaf(void *context, uint32_t n)
{
	struct bs_matcher *matcher = context;
	const struct bs_query_node *node = &matcher->query->nodes[n];
	bool matches = false;
	for (uint32_t i = 0; i < node->n_items; i++)
		spend(matcher,
		      OCCURRENCE_NS * (1 + (uint64_t)matcher->elements[node->items[i].element].tf));
	if (matcher->status)
		return BS_VERDICT_NO;
	if (bs_query_is_file_name(node)) {
		matcher->status = matcher->names->has(matcher->names, n, matcher->ref, &matches,
		                                      matcher->err);
		matches &= !matcher->names->is_loose ||
		           !bs_match_has_own_name(matcher->doc_fields, matcher->n_doc_fields);
	} else if (node->kind == BS_NODE_WORD) {
		matches = word_matches(matcher, node);
	} else if (node->kind == BS_NODE_RANGE) {
		matches = range_matches(matcher, node);
	} else if (node->kind == BS_NODE_PHRASE) {
		matches = phrase_matches(matcher, node);
	} else {
		matches = near_matches(matcher, node);
	}
	return matches ? BS_VERDICT_YES : BS_VERDICT_NO;
}

/* Analyses a document and decides whether it matches. hits (nullable): receives the occurrences of
 * the query's words that are not negated. */
static void decide(struct bs_matcher *matcher, const struct bs_field *doc_fields,
                   size_t n_doc_fields, struct bs_word_hits *hits, struct bs_match *match_out,
                   struct bs_error *err)
{
	const struct bs_query_tree *query = matcher->query;
	uint32_t root = (uint32_t)query->n_nodes - 1;
	start_document(matcher, err);
	matcher->hits = hits;
	*match_out = (struct bs_match){.length = analyze_fields(matcher, doc_fields, n_doc_fields)};
	matcher->hits = NULL;
	match_out->matches =
		bs_match_tree(query, query->children, root, ask_leaf, matcher) == BS_VERDICT_YES &&
		!matcher->status;
}

enum bs_status bs_match_document(struct bs_matcher *matcher, struct bs_doc_ref ref,
                                 const struct bs_field *doc_fields, size_t n_doc_fields,
                                 struct bs_match *match_out, struct bs_error *err)
{
	matcher->ref = ref;
	decide(matcher, doc_fields, n_doc_fields, NULL, match_out, err);
	if (match_out->matches)
		list_words(matcher, match_out);
	match_out->matches &= !matcher->status;
	return matcher->status;
}

/* Marks the hits of the leaves at or below node n that are not negated. is_positive: node n itself
 * is not negated. */
static void keep_leaves(struct bs_matcher *matcher, uint32_t n, bool is_positive)
{
	const struct bs_query_node *node = &matcher->query->nodes[n];
	if (node->n_children == 0 && is_positive)
		(void)ask_leaf(matcher, n);
	for (uint32_t i = 0; i < node->n_children; i++)
		keep_leaves(matcher, node->children[i], is_positive != (node->kind == BS_NODE_NOT));
}

/* Drops the hits outside of their phrase or field. */
static void drop_hits(struct bs_matcher *matcher)
{
	struct bs_word_hit *hits = matcher->hits->items;
	size_t n = bs_vector_n(matcher->hits), n_kept = 0;
	keep_leaves(matcher, (uint32_t)matcher->query->n_nodes - 1, true);
	for (size_t i = 0; i < n; i++)
		if (hits[i].is_kept)
			hits[n_kept++] = hits[i];
	bs_vector_set_n(matcher->hits, n_kept);
}

/* Sets each hit in a script run to the bytes of its own characters. Before, it has those of the
 * whole run, like all tokens of the run. */
static void place_in_runs(struct bs_matcher *matcher)
{
	struct bs_word_hit *hits = matcher->hits->items;
	size_t n = bs_vector_n(matcher->hits), n_terms = 0, n_before = 0, start = 0, at = 0;
	/* text[start..at) is the part of the run that was stepped over last. It has n_terms terms,
	 * and n_before terms of the run precede it. */
	struct bs_word_hit before = {.field = UINT32_MAX};
	for (size_t i = 0; i < n && !matcher->status; i++) {
		const struct bs_field *field = &matcher->doc_fields[hits[i].field];
		if (!bs_tokenizer_begins_run(matcher->tokenizer, field->text, hits[i].start_byte,
		                             hits[i].end_byte))
			continue;
		if (before.field != hits[i].field || before.start_byte != hits[i].start_byte) {
			n_terms = n_before = 0;
			at = (size_t)hits[i].start_byte;
		}
		before = hits[i];
		while (n_before + n_terms <= hits[i].nth && at < hits[i].end_byte &&
		       !matcher->status) {
			n_before += n_terms;
			start = at;
			matcher->status = bs_tokenizer_step_in_run(matcher->tokenizer, field->text,
			                                           hits[i].end_byte, &at, &n_terms,
			                                           matcher->err);
		}
		hits[i].start_byte = start;
		hits[i].end_byte = at;
	}
}

enum bs_status bs_match_hits(struct bs_matcher *matcher, struct bs_doc_ref ref,
                             const struct bs_field *doc_fields, size_t n_doc_fields, bool of_match,
                             struct bs_match *match_out, struct bs_word_hits *hits,
                             struct bs_error *err)
{
	matcher->ref = ref;
	bs_vector_clear(hits);
	decide(matcher, doc_fields, n_doc_fields, hits, match_out, err);
	if (of_match && !match_out->matches)
		bs_vector_clear(hits);
	matcher->hits = hits;
	if (!matcher->status && matcher->needs_positions)
		drop_hits(matcher);
	if (!matcher->status)
		place_in_runs(matcher);
	matcher->hits = NULL;
	return matcher->status;
}
