/* grammar_eval.c: evaluates a query's tree by comparing it with each word of a document, and
 * computes the document's BM25 score. See grammar.h. */
#include <math.h>

#include <unicode/utf8.h>

#include "tests/property/grammar/grammar.h"
#include "tests/rigs/test.h"

/* ---- words ---- */

#define MAX_CHARS 4000

static size_t decode(const uint8_t *bytes, size_t n_bytes, UChar32 *c)
{
	size_t n = 0;
	for (size_t at = 0; at < n_bytes; n++) {
		assert_true(n < MAX_CHARS);
		/* The wildcards of a pattern are bytes that UTF-8 never uses. */
		if (bytes[at] >= 0xfe)
			c[n] = -(UChar32)bytes[at++];
		else
			U8_NEXT_OR_FFFD(bytes, at, n_bytes, c[n]);
	}
	return n;
}

/* Whether the whole pattern matches the whole word. */
static bool is_like(const UChar32 *pattern, size_t n_pattern, const UChar32 *word, size_t n_word)
{
	while (n_pattern > 0 && pattern[0] != -0xff) {
		if (n_word == 0 || (pattern[0] != -0xfe && pattern[0] != word[0]))
			return false;
		pattern++, n_pattern--, word++, n_word--;
	}
	if (n_pattern == 0)
		return n_word == 0;
	for (size_t skipped = 0; skipped <= n_word; skipped++)
		if (is_like(pattern + 1, n_pattern - 1, word + skipped, n_word - skipped))
			return true;
	return false;
}

/* Whether at most `edits` insertions, deletions, replacements and swaps of neighbours turn a into
 * b. No character is edited twice. */
static bool is_near(const UChar32 *a, size_t n_a, const UChar32 *b, size_t n_b, uint32_t edits)
{
	while (n_a > 0 && n_b > 0 && a[0] == b[0] && edits == 0)
		a++, n_a--, b++, n_b--;
	if (n_a == 0 && n_b == 0)
		return true;
	if (n_a > 0 && n_b > 0 && a[0] == b[0] && is_near(a + 1, n_a - 1, b + 1, n_b - 1, edits))
		return true;
	if (edits == 0)
		return false;
	return (n_a > 0 && is_near(a + 1, n_a - 1, b, n_b, edits - 1)) ||
	       (n_b > 0 && is_near(a, n_a, b + 1, n_b - 1, edits - 1)) ||
	       (n_a > 0 && n_b > 0 && is_near(a + 1, n_a - 1, b + 1, n_b - 1, edits - 1)) ||
	       (n_a > 1 && n_b > 1 && a[0] == b[1] && a[1] == b[0] &&
	        is_near(a + 2, n_a - 2, b + 2, n_b - 2, edits - 1));
}

static bool accepts(const struct grammar_item *item, const uint8_t *term, size_t term_bytes)
{
	static UChar32 asked[MAX_CHARS], found[MAX_CHARS];
	if (item->match == GRAMMAR_EXACT)
		return item->n_bytes == term_bytes && memcmp(item->bytes, term, term_bytes) == 0;
	if (item->match == GRAMMAR_PREFIX)
		return item->n_bytes <= term_bytes && memcmp(item->bytes, term, item->n_bytes) == 0;
	size_t n_asked = decode(item->bytes, item->n_bytes, asked),
	       n_found = decode(term, term_bytes, found);
	if (item->match == GRAMMAR_PATTERN)
		return is_like(asked, n_asked, found, n_found);
	return n_asked <= n_found + item->distance && n_found <= n_asked + item->distance &&
	       is_near(asked, n_asked, found, n_found, item->distance);
}

static bool accepts_at(const struct grammar_item *item, const struct kept *words, size_t i)
{
	const struct kept_token *word = kept_at(words, i);
	return !word->is_bigram &&
	       accepts(item, words->terms.data + word->term_off, word->term_bytes);
}

/* ---- leaves, in one text ---- */

static bool has_phrase(const struct grammar_node *leaf, const struct kept *words)
{
	for (size_t start = 0; start < kept_n(words); start++) {
		size_t n_found = 0;
		if (!accepts_at(&leaf->items[0], words, start))
			continue;
		for (size_t k = 0; k < leaf->n_items; k++) {
			bool is_there = false;
			for (size_t i = 0; i < kept_n(words) && !is_there; i++)
				is_there = kept_at(words, i)->position ==
				                   kept_at(words, start)->position +
				                           leaf->items[k].position &&
				           accepts_at(&leaf->items[k], words, i);
			n_found += is_there;
		}
		if (n_found == leaf->n_items)
			return true;
	}
	return false;
}

/* Whether the positions from first to last contain each word at least as often as the leaf does. */
static bool is_window(const struct grammar_node *leaf, const struct kept *words, uint32_t first,
                      uint64_t last)
{
	for (size_t k = 0; k < leaf->n_items; k++) {
		size_t n_asked = 0, n_found = 0;
		for (size_t i = 0; i < leaf->n_items; i++)
			n_asked += accepts(&leaf->items[k], leaf->items[i].bytes,
			                   leaf->items[i].n_bytes);
		for (size_t i = 0; i < kept_n(words); i++)
			n_found += kept_at(words, i)->position >= first &&
			           kept_at(words, i)->position <= last &&
			           accepts_at(&leaf->items[k], words, i);
		if (n_found < n_asked)
			return false;
	}
	return true;
}

static bool has_near(const struct grammar_node *leaf, const struct kept *words)
{
	for (size_t i = 0; i < kept_n(words); i++) {
		uint32_t first = kept_at(words, i)->position;
		if (is_window(leaf, words, first, first + leaf->distance + leaf->n_items - 1))
			return true;
	}
	return false;
}

static bool has_leaf(const struct grammar_node *leaf, const struct kept *words)
{
	if (leaf->kind == GRAMMAR_NEAR && leaf->n_items > 1)
		return has_near(leaf, words);
	return has_phrase(leaf, words);
}

/* ---- documents ---- */

static bool in_range(const struct grammar_node *leaf, const struct grammar_doc *doc)
{
	for (uint32_t i = 0; i < doc->n_texts; i++) {
		struct oracle_value value;
		const struct grammar_text *text = &doc->texts[i];
		if (text->field == leaf->field &&
		    oracle_value_take(text->text, strlen(text->text), &value) &&
		    oracle_range_has(&leaf->range, &value))
			return true;
	}
	return false;
}

bool grammar_matches(const struct grammar *grammar, const struct grammar_node *node,
                     const struct grammar_doc *doc)
{
	bool is_and = node->kind == GRAMMAR_AND;
	int field = node->field == GRAMMAR_FILE_NAME ? GRAMMAR_N_NAMES - 1 : node->field;
	switch (node->kind) {
	case GRAMMAR_AND:
	case GRAMMAR_OR:
		for (const struct grammar_node *child = node->child; child; child = child->next)
			if (grammar_matches(grammar, child, doc) != is_and)
				return !is_and;
		return is_and;
	case GRAMMAR_NOT:
		return !grammar_matches(grammar, node->child, doc);
	case GRAMMAR_RANGE:
		return in_range(node, doc);
	case GRAMMAR_LEAF:
	case GRAMMAR_NEAR:
		break;
	}
	if (node->field == GRAMMAR_FILE_NAME && has_leaf(node, &doc->path))
		return true;
	for (uint32_t i = 0; i < doc->n_texts; i++)
		if ((field == GRAMMAR_ANY_FIELD || doc->texts[i].field == field) &&
		    has_leaf(node, &doc->texts[i].words))
			return true;
	return false;
}

/* ---- scores ---- */

/* Returns the sum of the weights of the query's words that accept the term and are not negated. */
static double weight_of(const struct grammar_node *node, bool is_negated, const uint8_t *term,
                        size_t term_bytes)
{
	double weight = 0;
	for (const struct grammar_node *child = node->child; child; child = child->next)
		weight += weight_of(child, is_negated != (node->kind == GRAMMAR_NOT), term,
		                    term_bytes);
	for (size_t i = 0; i < node->n_items && !is_negated; i++)
		weight += accepts(&node->items[i], term, term_bytes) ? node->weight : 0;
	return weight;
}

/* Returns how often a document has a term. */
static uint32_t count(const struct grammar_doc *doc, const uint8_t *term, size_t term_bytes)
{
	const struct grammar_item asked = {.bytes = (uint8_t *)(uintptr_t)term,
	                                   .n_bytes = term_bytes};
	uint32_t n = 0;
	for (uint32_t t = 0; t < doc->n_texts; t++)
		for (size_t i = 0; i < kept_n(&doc->texts[t].words); i++)
			n += accepts_at(&asked, &doc->texts[t].words, i);
	return n;
}

double grammar_score(const struct grammar *grammar, const struct grammar_node *root,
                     const struct grammar_doc *doc)
{
	double score = 0, n = GRAMMAR_N_DOCS;
	for (uint32_t t = 0; t < doc->n_texts; t++) {
		const struct kept *words = &doc->texts[t].words;
		for (size_t i = 0; i < kept_n(words); i++) {
			const struct kept_token *word = kept_at(words, i);
			const uint8_t *term = words->terms.data + word->term_off;
			double weight = word->is_bigram
			                        ? 0
			                        : weight_of(root, false, term, word->term_bytes);
			if (!(weight > 0))
				continue;
			double tf = count(doc, term, word->term_bytes), df = 0;
			for (size_t d = 0; d < GRAMMAR_N_DOCS; d++)
				df += count(&grammar->docs[d], term, word->term_bytes) > 0;
			/* The loop adds this once for each occurrence of the word, that is, tf
			 * times. */
			score += weight * log(1 + (n - df + 0.5) / (df + 0.5)) * 2.2 /
			         (tf + 1.2 * (0.25 + 0.75 * doc->length / grammar->mean_length));
		}
	}
	return score;
}
