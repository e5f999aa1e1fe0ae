/* oracle_eval.c: the naive search. It looks at every token of every document and follows the manual
 * pages literally. See oracle.h. */
#include <math.h>

#include <unicode/utf8.h>

#include "tests/property/oracle/oracle.h"
#include "tests/rigs/test.h"

/* ---- inexact words: prefixes, patterns, fuzzy words ---- */

struct code_points {
	UChar32 *c;
	size_t n;
};

static struct code_points decode(const uint8_t *bytes, size_t n_bytes)
{
	struct code_points decoded = {must_malloc((n_bytes + 1) * sizeof(UChar32)), 0};
	for (size_t at = 0; at < n_bytes; decoded.n++) {
		/* wildcards become negative numbers */
		if (bytes[at] >= ORACLE_ONE_CHAR)
			decoded.c[decoded.n] = -(UChar32)bytes[at++];
		else
			U8_NEXT_OR_FFFD(bytes, at, n_bytes, decoded.c[decoded.n]);
	}
	return decoded;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns the least number of insertions, deletions, replacements and swaps of neighbours that turn
 * a into b. No character is edited twice. */
static size_t count_edits(const struct code_points *a, const struct code_points *b)
{
	size_t width = b->n + 1, *d = must_calloc((a->n + 1) * width, sizeof(*d));
	for (size_t i = 0; i <= a->n; i++) {
		for (size_t k = 0; k <= b->n; k++) {
			size_t *here = &d[i * width + k];
			if (i == 0 || k == 0) {
				*here = i + k;
				continue;
			}
			*here = d[(i - 1) * width + k - 1] + (a->c[i - 1] != b->c[k - 1]);
			*here = least(*here,
			              least(d[(i - 1) * width + k], d[i * width + k - 1]) + 1);
			if (i > 1 && k > 1 && a->c[i - 1] == b->c[k - 2] &&
			    a->c[i - 2] == b->c[k - 1])
				*here = least(*here, d[(i - 2) * width + k - 2] + 1);
		}
	}
	size_t edits = d[a->n * width + b->n];
	free(d);
	return edits;
}

/* Whether a pattern matches. does[i * width + k]: whether its first i code points match the first k
 * of the term. */
static bool is_like(const struct code_points *pattern, const struct code_points *term)
{
	size_t width = term->n + 1;
	FREED bool *does = must_calloc((pattern->n + 1) * width, sizeof(*does));
	does[0] = true;
	for (size_t i = 1; i <= pattern->n; i++) {
		UChar32 c = pattern->c[i - 1];
		for (size_t k = 0; k <= term->n; k++) {
			if (c == -ORACLE_ANY_CHARS)
				does[i * width + k] = does[(i - 1) * width + k] ||
				                      (k > 0 && does[i * width + k - 1]);
			else
				does[i * width + k] =
					k > 0 && does[(i - 1) * width + k - 1] &&
					(c == -ORACLE_ONE_CHAR || c == term->c[k - 1]);
		}
	}
	return does[pattern->n * width + term->n];
}

static bool is_match(const char *suffix, const uint8_t *word, size_t word_bytes,
                     const uint8_t *term, size_t term_bytes)
{
	if (*suffix == '*')
		return term_bytes >= word_bytes && memcmp(term, word, word_bytes) == 0;
	struct code_points a = decode(word, word_bytes), b = decode(term, term_bytes);
	size_t limit = *suffix == '~' ? (size_t)(suffix[1] - '0') : 0;
	bool matches = *suffix == '?' ? is_like(&a, &b)
	                              : a.n <= b.n + limit && b.n <= a.n + limit &&
	                                        count_edits(&a, &b) <= limit;
	free(a.c);
	free(b.c);
	return matches;
}

size_t oracle_add_set(struct oracle_query *query, const struct oracle *oracle, const char *suffix,
                      const uint8_t *word, size_t word_bytes)
{
	size_t set_off = query->sets.used_bytes;
	for (size_t i = 0; i < bs_vector_n(&oracle->terms); i++) {
		const struct oracle_term *term = &oracle->terms.items[i];
		bool matches = is_match(suffix, word, word_bytes,
		                        oracle->bytes.data + term->term_off, term->term_bytes);
		append_bytes(&query->sets, &matches, 1);
	}
	return set_off;
}

/* Analyses a text as the text of a query, in which identifiers are not split. */
static void analyze_query(struct oracle *oracle, const void *text, size_t text_bytes,
                          struct kept *out)
{
	bool splits = oracle->naive.split_identifiers;
	oracle->naive.split_identifiers = false;
	naive_analyze(&oracle->naive, text, text_bytes, out);
	oracle->naive.split_identifiers = splits;
}

/* Appends the set of terms that match the last word of a leaf, which is folded but not stemmed.
 * Returns its offset in query->sets. */
static size_t make_set(struct oracle_query *query, const struct oracle_node *node,
                       struct oracle *oracle)
{
	AUTO(kept_deinit) struct kept kept = {0};
	struct sb_stemmer *stemmer = oracle->naive.stemmer;
	if (node->pattern_bytes > 0)
		return oracle_add_set(query, oracle, "?", query->bytes.data + node->pattern_off,
		                      node->pattern_bytes);
	oracle->naive.stemmer = NULL;
	analyze_query(oracle, query->bytes.data + node->text_off, node->text_bytes, &kept);
	oracle->naive.stemmer = stemmer;
	size_t last = kept_n(&kept) - 1;
	while (kept_at(&kept, last)->is_bigram)
		last--;
	return oracle_add_set(query, oracle, node->suffix,
	                      kept.terms.data + kept_at(&kept, last)->term_off,
	                      kept_at(&kept, last)->term_bytes);
}

/* Whether the last word of a leaf matches a set of terms: it is a pattern, or has a suffix. After a
 * code point of a script run the suffix is ignored. */
static bool is_blurred(const struct oracle_query *query, const struct oracle_node *node,
                       const struct kept_token *last)
{
	UChar32 c;
	size_t at = (size_t)last->start_byte;
	U8_NEXT_OR_FFFD(query->bytes.data + node->text_off, at, node->text_bytes, c);
	return node->pattern_bytes > 0 || (*node->suffix && !naive_starts_run(c));
}

bool oracle_is_stop(const struct oracle_query *query, struct oracle *oracle, const uint8_t *word,
                    size_t word_bytes)
{
	AUTO(kept_deinit) struct kept kept = {0};
	bool is_found = false;
	const uint8_t *text = query->stops.data;
	for (size_t at = 0, next; at < query->stops.used_bytes; at = next) {
		const uint8_t *feed = memchr(text + at, '\n', query->stops.used_bytes - at);
		assert_non_null(feed);
		next = (size_t)(feed - text) + 1;
		const uint8_t *bar = memchr(text + at, '|', next - at);
		size_t end = bar ? (size_t)(bar - text) : next - 1;
		if (text[at] == '#')
			continue;
		analyze_query(oracle, text + at, end - at, &kept);
		for (size_t i = 0; i < kept_n(&kept); i++) {
			const struct kept_token *token = kept_at(&kept, i);
			is_found |=
				!token->is_bigram && token->term_bytes == word_bytes &&
				memcmp(kept.terms.data + token->term_off, word, word_bytes) == 0;
		}
	}
	return is_found;
}

static void mark_stops(struct oracle_query *query, const struct oracle_node *node,
                       struct oracle *oracle)
{
	struct sb_stemmer *stemmer = oracle->naive.stemmer;
	struct oracle_item *items = query->items.items + node->first_item;
	AUTO(kept_deinit) struct kept kept = {0};
	size_t n = 0;
	oracle->naive.stemmer = NULL;
	analyze_query(oracle, query->bytes.data + node->text_off, node->text_bytes, &kept);
	for (size_t i = 0; i < kept_n(&kept); i++) {
		const struct kept_token *token = kept_at(&kept, i);
		if (token->is_bigram)
			continue;
		assert_true(n < node->n_items);
		items[n].is_stop = items[n].set_off == SIZE_MAX &&
		                   oracle_is_stop(query, oracle, kept.terms.data + token->term_off,
		                                  token->term_bytes);
		n++;
	}
	oracle->naive.stemmer = stemmer;
}

static void analyze_leaf(struct oracle_query *query, struct oracle_node *node,
                         struct oracle *oracle)
{
	struct kept *kept = &oracle->kept;
	const struct kept_token *last = NULL;
	node->first_item = bs_vector_n(&query->items);
	node->n_items = 0;
	analyze_query(oracle, query->bytes.data + node->text_off, node->text_bytes, kept);
	for (size_t i = 0; i < kept_n(kept); i++) {
		const struct kept_token *token = kept_at(kept, i);
		struct oracle_item item = {.position = token->position - kept_at(kept, 0)->position,
		                           .set_off = SIZE_MAX};
		if (token->is_bigram)
			continue;
		item.term = oracle_find_term(oracle, kept->terms.data + token->term_off,
		                             token->term_bytes);
		ok(bs_vector_append(&query->items, &item, ERR));
		node->n_items++;
		last = token;
	}
	if (!last || !is_blurred(query, node, last))
		return;
	query->items.items[node->first_item + node->n_items - 1].set_off =
		make_set(query, node, oracle);
}

static bool accepts(const struct oracle_query *query, const struct oracle_item *item, uint32_t term)
{
	return item->set_off == SIZE_MAX ? item->term == term
	                                 : query->sets.data[item->set_off + term];
}

/* For each word of the query under an even number of NOTs, except stop words, adds the product of
 * the weights around the word to the weight of each term that the word accepts. */
static void collect_weights(struct oracle_query *query, uint32_t number, bool is_positive,
                            double weight)
{
	const struct oracle_node *node = &query->nodes[number];
	weight *= node->weight;
	for (uint32_t i = 0; i < node->n_children; i++)
		collect_weights(query, node->children[i],
		                node->kind == ORACLE_NOT ? !is_positive : is_positive, weight);
	for (size_t i = 0; i < node->n_items && is_positive; i++) {
		const struct oracle_item *item = &query->items.items[node->first_item + i];
		if (item->is_stop)
			continue;
		query->own_weight += weight;
		for (uint32_t term = 0; term < bs_vector_n(&query->weights); term++)
			query->weights.items[term] += accepts(query, item, term) ? weight : 0;
	}
}

static bool is_anything(const struct oracle_query *query, uint32_t number)
{
	const struct oracle_node *node = &query->nodes[number];
	bool any = node->n_items > 0 || node->kind == ORACLE_RANGE;
	for (uint32_t i = 0; i < node->n_children; i++)
		any = any || is_anything(query, node->children[i]);
	return any;
}

/* Whether some word under an even number of NOTs is not a stop word. */
static bool has_others(const struct oracle_query *query, uint32_t number, bool is_positive)
{
	const struct oracle_node *node = &query->nodes[number];
	bool has = false;
	for (size_t i = 0; i < node->n_items && is_positive; i++)
		has = has || !query->items.items[node->first_item + i].is_stop;
	for (uint32_t i = 0; i < node->n_children && !has; i++)
		has = has_others(query, node->children[i],
		                 node->kind == ORACLE_NOT ? !is_positive : is_positive);
	return has;
}

void oracle_query_weigh(struct oracle_query *query, const struct oracle *oracle)
{
	bs_vector_clear(&query->weights);
	for (size_t i = 0; i < bs_vector_n(&oracle->terms); i++)
		ok(bs_vector_append(&query->weights, &(double){0}, ERR));
	query->own_weight = 0;
	collect_weights(query, query->root, true, 1);
}

bool oracle_query_analyze(struct oracle_query *query, struct oracle *oracle)
{
	bs_vector_clear(&query->items);
	bs_buffer_clear(&query->sets);
	for (uint32_t i = 0; i < query->n_nodes; i++)
		if (query->nodes[i].kind < ORACLE_RANGE)
			analyze_leaf(query, &query->nodes[i], oracle);
	for (uint32_t i = 0; i < query->n_nodes && query->stops.used_bytes > 0; i++)
		if (query->nodes[i].kind < ORACLE_RANGE)
			mark_stops(query, &query->nodes[i], oracle);
	if (!has_others(query, query->root, true))
		for (size_t i = 0; i < bs_vector_n(&query->items); i++)
			query->items.items[i].is_stop = false;
	oracle_query_weigh(query, oracle);
	return is_anything(query, query->root);
}

static bool is_words(const struct oracle_query *query, const struct oracle_node *node)
{
	bool are_words = node->field == ORACLE_NO_NAME;
	if (node->kind < ORACLE_AND)
		return are_words && node->n_items == 1 && !*node->suffix &&
		       node->pattern_bytes == 0;
	for (size_t i = 0; i < node->n_children && are_words; i++)
		are_words = is_words(query, &query->nodes[node->children[i]]);
	return are_words;
}

bool oracle_query_is_words(const struct oracle_query *query)
{
	return is_words(query, &query->nodes[query->root]);
}

/* One document's tokens. */
struct looking {
	const struct oracle_query *query;
	const struct oracle *oracle;
	const struct oracle_doc *doc;
	const struct oracle_token *tokens;
};

static bool is_in_field(const struct looking *looking, const struct oracle_token *token, int field)
{
	return field == ORACLE_NO_NAME || looking->oracle->fields.items[token->field].name == field;
}

/* Whether the item occurs `distance` positions after token t, in the same field. */
static bool is_followed(const struct looking *looking, size_t t, const struct oracle_item *item,
                        uint32_t distance)
{
	const struct oracle_token *first = &looking->tokens[t];
	for (size_t at = t; at < looking->doc->n_tokens; at++) {
		const struct oracle_token *token = &looking->tokens[at];
		if (token->field != first->field || token->position - first->position > distance)
			return false;
		if (token->position - first->position == distance &&
		    accepts(looking->query, item, token->term))
			return true;
	}
	return false;
}

static bool phrase_matches(const struct looking *looking, const struct oracle_node *node, int field)
{
	const struct oracle_item *items = &looking->query->items.items[node->first_item];
	for (size_t t = 0; t < looking->doc->n_tokens; t++) {
		const struct oracle_token *token = &looking->tokens[t];
		bool all = accepts(looking->query, &items[0], token->term) &&
		           is_in_field(looking, token, field);
		for (size_t i = 1; i < node->n_items && all; i++)
			all = is_followed(looking, t, &items[i], items[i].position);
		if (all)
			return true;
	}
	return false;
}

/* Whether the tokens from t on, in the field of t and at most `span` positions after it, contain
 * each item at least as often as `items` does. */
static bool window_holds(const struct looking *looking, size_t t, const struct oracle_item *items,
                         size_t n_items, uint64_t span)
{
	const struct oracle_token *first = &looking->tokens[t];
	for (size_t i = 0; i < n_items; i++) {
		size_t n_wanted = 0, n_found = 0;
		for (size_t k = 0; k < n_items; k++)
			n_wanted += items[k].term == items[i].term;
		for (size_t at = t; at < looking->doc->n_tokens; at++) {
			const struct oracle_token *token = &looking->tokens[at];
			if (token->field != first->field ||
			    token->position - first->position > span)
				break;
			n_found += token->term == items[i].term;
		}
		if (items[i].term == ORACLE_NO_TERM || n_found < n_wanted)
			return false;
	}
	return true;
}

static bool near_matches(const struct looking *looking, const struct oracle_node *node, int field)
{
	const struct oracle_item *items = &looking->query->items.items[node->first_item];
	for (size_t t = 0; t < looking->doc->n_tokens; t++) {
		bool is_item = false;
		for (size_t i = 0; i < node->n_items; i++)
			is_item = is_item || items[i].term == looking->tokens[t].term;
		if (is_item && is_in_field(looking, &looking->tokens[t], field) &&
		    window_holds(looking, t, items, node->n_items,
		                 (uint64_t)node->distance + node->n_items - 1))
			return true;
	}
	return false;
}

/* ---- the tree ---- */

static enum oracle_truth truth_of(bool is_true)
{
	return is_true ? ORACLE_YES : ORACLE_NO;
}

static enum oracle_truth join(bool is_or, enum oracle_truth a, enum oracle_truth b)
{
	if (a == ORACLE_IGNORED || b == ORACLE_IGNORED)
		return a == ORACLE_IGNORED ? b : a;
	return truth_of(is_or ? a == ORACLE_YES || b == ORACLE_YES
	                      : a == ORACLE_YES && b == ORACLE_YES);
}

/* Evaluates a node and its children. is_outside: no parentheses surround the node. in_not: a NOT
 * surrounds it. */
static enum oracle_truth eval(const struct looking *looking, uint32_t number, int field,
                              bool is_outside, bool in_not);

/* Evaluates adjacent operands with --any. Operands joined by AND form a group. A group that is a
 * single NOT must match; of the other groups one must match. */
static enum oracle_truth eval_any(const struct looking *looking, const struct oracle_node *node,
                                  int field, bool in_not)
{
	enum oracle_truth either = ORACLE_IGNORED, all = ORACLE_IGNORED;
	for (uint32_t i = 0; i < node->n_children;) {
		uint32_t start = i;
		enum oracle_truth part = ORACLE_IGNORED;
		do
			part = join(false, part,
			            eval(looking, node->children[i++], field, true, in_not));
		while (i < node->n_children && node->by_and[i]);
		const struct oracle_node *only = &looking->query->nodes[node->children[start]];
		if (i == start + 1 && only->kind == ORACLE_NOT && !only->in_parens)
			all = join(false, all, part);
		else
			either = join(true, either, part);
	}
	return join(false, either, all);
}

static bool leaf_matches(const struct looking *looking, const struct oracle_node *node, int field)
{
	if (node->kind == ORACLE_NEAR && node->n_items > 1)
		return near_matches(looking, node, field);
	return phrase_matches(looking, node, field);
}

/* Whether a leaf matches the words of the file's name or a record's own field "name". */
static bool name_matches(const struct looking *looking, const struct oracle_node *node)
{
	struct oracle_doc named = *looking->doc;
	struct looking at_name = {looking->query, looking->oracle, &named,
	                          looking->oracle->name_tokens.items + named.first_name};
	int own = oracle_find_field(looking->oracle, "name");
	named.n_tokens = named.n_names;
	return leaf_matches(&at_name, node, ORACLE_NO_NAME) ||
	       (own != ORACLE_NO_NAME && leaf_matches(looking, node, own));
}

static bool range_matches(const struct looking *looking, const struct oracle_node *node)
{
	for (size_t i = 0; i < looking->doc->n_fields; i++) {
		const struct oracle_field *at =
			&looking->oracle->fields.items[looking->doc->first_field + i];
		struct oracle_value value;
		if (at->name == node->field &&
		    oracle_value_take(looking->oracle->bytes.data + at->text_off, at->text_bytes,
		                      &value) &&
		    oracle_range_has(&node->range, &value))
			return true;
	}
	return false;
}

static enum oracle_truth eval_leaf(const struct looking *looking, const struct oracle_node *node,
                                   int field)
{
	if (node->kind == ORACLE_RANGE)
		return truth_of(range_matches(looking, node));
	if (node->n_items == 0)
		return ORACLE_IGNORED;
	if (field == ORACLE_FILE_NAME)
		return truth_of(name_matches(looking, node));
	return truth_of(leaf_matches(looking, node, field));
}

static enum oracle_truth eval(const struct looking *looking, uint32_t number, int field,
                              bool is_outside, bool in_not)
{
	const struct oracle_node *node = &looking->query->nodes[number];
	enum oracle_truth value = ORACLE_IGNORED;
	field = node->field != ORACLE_NO_NAME ? node->field : field;
	is_outside = is_outside && !node->in_parens;
	/* With --any, a stop word is ignored unless it is negated. */
	if (node->kind < ORACLE_AND && node->n_items == 1 && looking->query->any && !in_not &&
	    looking->query->items.items[node->first_item].is_stop)
		return ORACLE_IGNORED;
	if (node->kind < ORACLE_AND)
		return eval_leaf(looking, node, field);
	if (node->kind == ORACLE_AND && is_outside && looking->query->any)
		return eval_any(looking, node, field, in_not);
	for (uint32_t i = 0; i < node->n_children; i++)
		value = join(node->kind == ORACLE_OR, value,
		             eval(looking, node->children[i], field, is_outside,
		                  in_not || node->kind == ORACLE_NOT));
	if (node->kind == ORACLE_NOT && value != ORACLE_IGNORED)
		return truth_of(value == ORACLE_NO);
	return value;
}

/* ---- scores ---- */

static uint32_t weight_of(const struct oracle *oracle, int name)
{
	for (size_t i = 0; oracle->weights && oracle->weights[i] && name >= 0; i++) {
		size_t n_bytes = strlen(oracle->names[name]);
		if (strncmp(oracle->weights[i], oracle->names[name], n_bytes) == 0 &&
		    oracle->weights[i][n_bytes] == '=')
			return (uint32_t)atoi(oracle->weights[i] + n_bytes + 1);
	}
	return 1;
}

static uint32_t tf_of(const struct oracle *oracle, size_t doc, uint32_t term)
{
	const struct oracle_doc *counted = &oracle->docs.items[doc];
	uint32_t tf = 0;
	for (size_t i = 0; i < counted->n_tokens; i++) {
		const struct oracle_token *token = &oracle->tokens.items[counted->first_token + i];
		if (token->term == term)
			tf += weight_of(oracle, oracle->fields.items[token->field].name);
	}
	return tf;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* Adds in ascending order, so that the same parts always make the same sum. */
static double add_up(double *parts, size_t n)
{
	double sum = 0;
	qsort(parts, n, sizeof(*parts), compare_doubles);
	for (size_t i = 0; i < n; i++)
		sum += parts[i];
	return sum;
}

static double score_of(const struct oracle_query *query, const struct oracle *oracle, size_t d)
{
	const struct oracle_doc *doc = &oracle->docs.items[d];
	double n = (double)oracle_n_counted(oracle), avgdl = (double)oracle->n_positions / n;
	FREED double *parts = must_malloc((doc->n_tokens + 1) * sizeof(*parts));
	size_t n_parts = 0;
	for (size_t i = 0; i < doc->n_tokens; i++) {
		uint32_t term = oracle->tokens.items[doc->first_token + i].term;
		bool is_first = query->weights.items[term] > 0;
		for (size_t k = 0; k < i && is_first; k++)
			is_first = oracle->tokens.items[doc->first_token + k].term != term;
		if (!is_first)
			continue;
		double tf = tf_of(oracle, d, term), df = oracle->terms.items[term].df;
		double idf = log(1 + (n - df + 0.5) / (df + 0.5));
		parts[n_parts++] = query->weights.items[term] * idf * tf * 2.2 /
		                   (tf + 1.2 * (0.25 + 0.75 * doc->length / avgdl));
	}
	return add_up(parts, n_parts);
}

void oracle_search(const struct oracle_query *query, const struct oracle *oracle,
                   struct oracle_hits *hits)
{
	bs_vector_clear(hits);
	for (size_t d = 0; d < bs_vector_n(&oracle->docs); d++) {
		const struct oracle_doc *doc = &oracle->docs.items[d];
		struct looking looking = {query, oracle, doc, NULL};
		if (doc->n_tokens > 0)
			looking.tokens = &oracle->tokens.items[doc->first_token];
		if (doc->is_replaced ||
		    eval(&looking, query->root, ORACLE_NO_NAME, true, false) != ORACLE_YES)
			continue;
		struct oracle_hit hit = {d, score_of(query, oracle, d)};
		ok(bs_vector_append(hits, &hit, ERR));
	}
}

static int compare_hits(const void *a, const void *b)
{
	const struct oracle_hit *x = a, *y = b;
	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

void oracle_rank(struct oracle_hit *hits, size_t n_hits)
{
	if (n_hits > 0)
		qsort(hits, n_hits, sizeof(*hits), compare_hits);
}

static bool is_scored(const struct oracle_query *query, const struct oracle *oracle,
                      const struct oracle_doc *doc)
{
	bool any = false;
	for (size_t i = 0; i < doc->n_tokens && !any; i++)
		any = query->weights.items[oracle->tokens.items[doc->first_token + i].term] > 0;
	return any;
}

/* Whether every scored word of document a has the same count in b. */
static bool has_counts_of(const struct oracle_query *query, const struct oracle *oracle, size_t a,
                          size_t b)
{
	const struct oracle_doc *doc = &oracle->docs.items[a];
	bool all = true;
	for (size_t i = 0; i < doc->n_tokens && all; i++) {
		uint32_t term = oracle->tokens.items[doc->first_token + i].term;
		all = !(query->weights.items[term] > 0) ||
		      tf_of(oracle, a, term) == tf_of(oracle, b, term);
	}
	return all;
}

bool oracle_is_tie(const struct oracle_query *query, const struct oracle *oracle, size_t a,
                   size_t b)
{
	const struct oracle_doc *x = &oracle->docs.items[a], *y = &oracle->docs.items[b];
	if (!is_scored(query, oracle, x) && !is_scored(query, oracle, y))
		return true;
	return x->length == y->length && has_counts_of(query, oracle, a, b) &&
	       has_counts_of(query, oracle, b, a);
}

/* Finds the value to sort a document by: the field's least or, if is_descending, greatest value. */
static bool take_sorted(const struct oracle *oracle, size_t doc, int name, bool is_descending,
                        struct oracle_value *best)
{
	const struct oracle_doc *sorted = &oracle->docs.items[doc];
	bool has = false;
	for (size_t i = 0; i < sorted->n_fields; i++) {
		const struct oracle_field *at = &oracle->fields.items[sorted->first_field + i];
		struct oracle_value value;
		if (at->name != name ||
		    !oracle_value_take(oracle->bytes.data + at->text_off, at->text_bytes, &value))
			continue;
		int order = has ? oracle_value_compare(&value, best) : 0;
		if (!has || (is_descending ? order > 0 : order < 0))
			*best = value;
		has = true;
	}
	return has;
}

void oracle_sort(const struct oracle *oracle, const char *field, bool is_descending,
                 struct oracle_hit *hits, size_t n_hits)
{
	int name = oracle_find_field(oracle, field);
	for (size_t i = 1; i < n_hits; i++) {
		struct oracle_hit hit = hits[i];
		struct oracle_value value, other;
		bool has = take_sorted(oracle, hit.doc, name, is_descending, &value);
		size_t to = i;
		for (; to > 0; to--) {
			bool other_has =
				take_sorted(oracle, hits[to - 1].doc, name, is_descending, &other);
			int order = has && other_has ? oracle_value_compare(&value, &other)
			                             : (int)other_has - (int)has;
			order = has && other_has && is_descending ? -order : order;
			if (order >= 0)
				break;
			hits[to] = hits[to - 1];
		}
		hits[to] = hit;
	}
}
