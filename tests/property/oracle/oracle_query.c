/* oracle_query.c: random query trees and their text. See oracle.h. */
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "tests/property/oracle/oracle.h"
#include "tests/rigs/test.h"

#define MAX_DEPTH 4
/* With more nodes than this, all further ones are leaves. */
#define MOST_NODES 40

struct growing {
	struct oracle_query *query;
	struct oracle *oracle;
	const struct oracle_vocabulary *vocabulary;
};

void oracle_query_deinit(struct oracle_query *query)
{
	bs_buffer_deinit(&query->bytes);
	bs_vector_deinit(&query->items);
	bs_buffer_deinit(&query->sets);
	bs_buffer_deinit(&query->text);
	bs_buffer_deinit(&query->stops);
	bs_vector_deinit(&query->weights);
}

/* ---- the text of leaves ---- */

/* Draws any non-empty field of any document; NULL after 8 empty ones. */
static const struct oracle_field *draw_field(struct growing *growing)
{
	size_t n_fields = bs_vector_n(&growing->oracle->fields);
	for (int i = 0; i < 8 && n_fields > 0; i++) {
		const struct oracle_field *field = &growing->oracle->fields.items[below(n_fields)];
		if (field->text_bytes > 0)
			return field;
	}
	return NULL;
}

/* Appends some code points from anywhere in a document: parts of script runs, parts of words, and
 * the characters between. */
static void append_cutting(struct growing *growing, struct bs_buffer *to)
{
	const struct oracle_field *field = draw_field(growing);
	if (!field)
		return;
	const uint8_t *text = growing->oracle->bytes.data + field->text_off;
	size_t n = field->text_bytes, start = below(n), end;
	while (start > 0 && U8_IS_TRAIL(text[start]))
		start--;
	end = start;
	for (uint32_t i = roll_between(1, 14); i > 0 && end < n; i--)
		U8_FWD_1(text, end, n);
	append_bytes(to, text + start, end - start);
}

/* Appends some consecutive words of a document, perhaps slightly changed. */
static void append_excerpt(struct growing *growing, struct bs_buffer *to)
{
	struct oracle *oracle = growing->oracle;
	const struct oracle_field *field = draw_field(growing);
	if (!field)
		return;
	const uint8_t *text = oracle->bytes.data + field->text_off;
	naive_analyze(&oracle->naive, text, field->text_bytes, &oracle->kept);
	size_t n_kept = kept_n(&oracle->kept);
	if (n_kept == 0)
		return;
	size_t first = below(n_kept), last = first + below(5);
	last = last < n_kept ? last : n_kept - 1;
	const struct kept_token *from = kept_at(&oracle->kept, first),
				*until = kept_at(&oracle->kept, last);
	if (by_chance(60)) {
		append_bytes(to, text + from->start_byte,
		             (size_t)(until->end_byte - from->start_byte));
		return;
	}
	/* One of the words may be left out, repeated, replaced, or swapped with its neighbour. */
	size_t odd = first + below(last - first + 1);
	uint32_t what = below(5);
	/* Folded words without a space may form a script run that the text did not have. */
	const char *between = by_chance(30) ? "" : " ";
	for (size_t i = first; i <= last; i++) {
		const struct kept_token *token = kept_at(&oracle->kept, i);
		size_t n_bytes;
		if (i == odd && what == 0)
			continue;
		if (what == 3 && i == odd && i < last)
			token = kept_at(&oracle->kept, i + 1);
		else if (what == 3 && i == odd + 1)
			token = kept_at(&oracle->kept, odd);
		for (int times = i == odd && what == 1 ? 2 : 1; times > 0; times--) {
			const uint8_t *word = oracle->kept.terms.data + token->term_off;
			n_bytes = token->term_bytes;
			if (i == odd && what == 2)
				word = oracle_draw_word(growing->vocabulary, &n_bytes);
			append_bytes(to, word, n_bytes);
			append_string(to, between);
		}
	}
}

static void append_words(struct growing *growing, uint32_t n_words, struct bs_buffer *to)
{
	for (uint32_t i = 0; i < n_words; i++) {
		size_t n_bytes;
		const uint8_t *word = oracle_draw_word(growing->vocabulary, &n_bytes);
		/* Zipf's law prefers common words; therefore some are drawn uniformly. */
		if (by_chance(40)) {
			uint32_t at = below(growing->vocabulary->n);
			word = growing->vocabulary->bytes.data + growing->vocabulary->offs[at];
			n_bytes = growing->vocabulary->offs[at + 1] - growing->vocabulary->offs[at];
		}
		append_bytes(to, word, n_bytes);
		if (i + 1 < n_words)
			append_string(to, " ");
	}
}

static void append_leaf(struct growing *growing, enum oracle_kind kind, struct bs_buffer *to)
{
	static const char *const absent[] = {"qqqabsent", "\u5929\u5929", "\u6f22\u5929", "zzz.zzz",
	                                     "\U0001f9ff"};
	static const char *const wordless[] = {"+++", "...", "%", "\u3002", "=", "\xff"};
	uint32_t what = below(100);
	if (what < 4)
		append_string(to, absent[below(5)]);
	else if (what < 6)
		append_string(to, wordless[below(6)]);
	else if (what < 20)
		append_cutting(growing, to);
	else if (kind != ORACLE_WORD && what < 75)
		append_excerpt(growing, to);
	else
		append_words(growing, kind == ORACLE_WORD ? 1 : roll_between(1, 4), to);
}

static bool begins_with_field(const struct growing *growing, const uint8_t *text, size_t n_bytes)
{
	if (n_bytes >= 5 && memcmp(text, "name:", 5) == 0)
		return true;
	for (int i = 0; i < growing->oracle->n_names; i++) {
		size_t name_bytes = strlen(growing->oracle->names[i]);
		if (n_bytes > name_bytes && text[name_bytes] == ':' &&
		    memcmp(text, growing->oracle->names[i], name_bytes) == 0)
			return true;
	}
	return false;
}

/* Turns the bytes from `at` on into a bare token: cuts them at the first delimiter, and replaces
 * them by "word" if they are empty or would be read as an operator or a field. */
static void cut_token(const struct growing *growing, struct bs_buffer *bytes, size_t at)
{
	uint8_t *text = bytes->data + at;
	size_t n = bytes->used_bytes - at, end = 0;
	while (end < n) {
		size_t next = end;
		UChar32 c;
		U8_NEXT(text, next, n, c);
		/* Brackets of the token could pair with those that call() and print_signs() add
		 * later, so round brackets are delimiters, too. */
		if (c == '(' || c == ')' || c == '"' || c == '^' || c == '&' || c == '|' ||
		    (c >= 0 && u_isUWhiteSpace(c)))
			break;
		end = next;
	}
	while (end > 0 && (text[end - 1] == '*' || (end > 1 && text[end - 2] == '~')))
		end--;
	bool is_operator =
		(end == 3 && (memcmp(text, "AND", 3) == 0 || memcmp(text, "NOT", 3) == 0)) ||
		(end == 2 && memcmp(text, "OR", 2) == 0);
	bytes->used_bytes = at + end;
	if (end == 0 || text[0] == '-' || text[0] == '!' || is_operator ||
	    begins_with_field(growing, text, end)) {
		bytes->used_bytes = at;
		append_string(bytes, "word");
	}
}

static uint32_t new_node(struct growing *growing, enum oracle_kind kind)
{
	struct oracle_query *query = growing->query;
	assert_true(query->n_nodes < ORACLE_MAX_NODES);
	query->nodes[query->n_nodes] = (struct oracle_node){.kind = kind,
	                                                    .field = ORACLE_NO_NAME,
	                                                    .suffix = "",
	                                                    .weight_text = "",
	                                                    .weight = 1};
	if (growing->oracle->n_names > 0 && by_chance(12))
		query->nodes[query->n_nodes].field = (int)below((uint32_t)growing->oracle->n_names);
	bool is_name =
		query->nodes[query->n_nodes].field != ORACLE_NO_NAME &&
		strcmp(growing->oracle->names[query->nodes[query->n_nodes].field], "name") == 0;
	if (is_name || (growing->oracle->has_files && by_chance(8)))
		query->nodes[query->n_nodes].field = ORACLE_FILE_NAME;
	return query->n_nodes++;
}

/* Adds *, ~1 or ~2 to a bare token, often after cutting or misspelling it. */
static void blur(struct growing *growing, struct oracle_node *node)
{
	static const char *const suffixes[] = {"*", "*", "~1", "~2"};
	uint8_t *text = growing->query->bytes.data + node->text_off;
	uint32_t n = (uint32_t)node->text_bytes, at = below(n);
	node->suffix = suffixes[below(4)];
	bool is_ascii = text[at] < 0x80 && (at + 1 == n || text[at + 1] < 0x80);
	if (*node->suffix == '*' && at > 0 && !U8_IS_TRAIL(text[at]) && text[at - 1] != '*' &&
	    text[at - 1] != '~')
		node->text_bytes = at;
	else if (is_ascii && n > 2 && at + 1 < n && at > 0 && u_isalpha(text[at]) &&
	         u_isalpha(text[at + 1])) {
		uint8_t letter = text[at];
		text[at] = by_chance(50) ? text[at + 1] : 'e';
		text[at + 1] = letter;
	}
	growing->query->bytes.used_bytes = node->text_off + node->text_bytes;
}

/* Appends a file's name, or the end of it from a random code point on. */
static void append_name(struct growing *growing, struct bs_buffer *to)
{
	const struct oracle *oracle = growing->oracle;
	const struct oracle_doc *doc = &oracle->docs.items[below(bs_vector_n(&oracle->docs))];
	const char *name = (const char *)oracle->bytes.data + doc->name_off;
	size_t n = strlen(name), start = n ? below(n) : 0;
	start = by_chance(50) ? 0 : start;
	while (start > 0 && U8_IS_TRAIL((uint8_t)name[start]))
		start--;
	append_bytes(to, name + start, n - start);
}

/* Sometimes appends the text of an earlier leaf, so that words occur in the query more than once.
 * False: it appended nothing. */
static bool append_again(struct growing *growing, uint32_t number, struct bs_buffer *to)
{
	uint32_t other = below(number + 1);
	struct oracle_node *nodes = growing->query->nodes;
	if (!by_chance(15) || nodes[other].kind != nodes[number].kind || other == number)
		return false;
	assert_int_equal(bs_buffer_reserve(to, nodes[other].text_bytes, NULL), BS_OK);
	append_bytes(to, to->data + nodes[other].text_off, nodes[other].text_bytes);
	return true;
}

/* Draws a weight, except for a token of digits, because 2^10 is a number without a weight. */
static void draw_weight(struct growing *growing, struct oracle_node *node)
{
	static const char *const weights[] = {"^2", "^2.5", "^0",    "^.5",  "^0.125",
	                                      "^1", "^60",  "^3.30", "^0.03"};
	const uint8_t *text = growing->query->bytes.data + node->text_off;
	bool all_digits =
		node->kind == ORACLE_WORD && node->field == ORACLE_NO_NAME && !*node->suffix;
	for (size_t i = 0; i < node->text_bytes && all_digits; i++)
		all_digits = text[i] >= '0' && text[i] <= '9';
	if (!all_digits && by_chance(25)) {
		node->weight_text = weights[below(COUNT(weights))];
		node->weight = strtod(node->weight_text + 1, NULL);
	}
}

/* Draws a field that has values, except "name"; ORACLE_NO_NAME after 6 tries. */
static int draw_value_field(struct growing *growing)
{
	const struct oracle *oracle = growing->oracle;
	for (int i = 0; i < 6 && oracle->n_names > 0; i++) {
		int name = (int)below((uint32_t)oracle->n_names);
		if (oracle->has_values[name] && strcmp(oracle->names[name], "name") != 0)
			return name;
	}
	return ORACLE_NO_NAME;
}

static uint32_t grow_range(struct growing *growing, int field)
{
	char text[ORACLE_RANGE_BYTES];
	uint32_t number = new_node(growing, ORACLE_RANGE);
	struct oracle_node *node = &growing->query->nodes[number];
	node->field = field;
	oracle_range_draw(&node->range, text);
	node->text_off = growing->query->bytes.used_bytes;
	node->text_bytes = strlen(text);
	append_string(&growing->query->bytes, text);
	return number;
}

/* Makes some words look like a call or an array element, whose brackets are ordinary characters. */
static void call(struct growing *growing, struct oracle_node *node)
{
	static const char *const brackets[] = {"()", "(x)", "(the(x))", "[x]", "->x", "(+)"};
	struct bs_buffer *bytes = &growing->query->bytes;
	bool is_plain = true;
	for (size_t i = node->text_off; i < bytes->used_bytes; i++)
		is_plain &= bytes->data[i] >= 'a' && bytes->data[i] <= 'z';
	if (!is_plain || *node->suffix || !by_chance(25))
		return;
	append_string(bytes, brackets[below(6)]);
	node->text_bytes = bytes->used_bytes - node->text_off;
}

/* Puts wildcards into a word of small letters. At least three letters remain if there is a *; a ?
 * has letters on both sides. Returns whether it succeeded. */
static bool append_wild(struct growing *growing, const uint8_t *word, size_t n_bytes)
{
	struct bs_buffer *to = &growing->query->bytes;
	uint32_t n_letters = 0, n_any = 0, n_one = 0;
	bool is_behind_letter = false;
	for (size_t at = 0, next; at < n_bytes; at = next) {
		UChar32 c;
		next = at;
		U8_NEXT(word, next, n_bytes, c);
		if (!(c >= 'a' && c <= 'z') && !(c >= 0x430 && c <= 0x44f))
			return false;
		if (n_any < 3 && by_chance(20)) {
			append_bytes(to, (uint8_t[]){ORACLE_ANY_CHARS, ORACLE_ANY_CHARS},
			             by_chance(20) ? 2 : 1);
			for (uint32_t n = below(4); n > 0 && next < n_bytes; n--)
				U8_FWD_1(word, next, n_bytes);
			next = by_chance(30) ? at : next;
			is_behind_letter = false;
			n_any++;
			continue;
		}
		if (is_behind_letter && next < n_bytes && by_chance(20)) {
			append_bytes(to, &(uint8_t){ORACLE_ONE_CHAR}, 1);
			at = next;
			n_one++;
			U8_NEXT(word, next, n_bytes, c);
			if (!(c >= 'a' && c <= 'z') && !(c >= 0x430 && c <= 0x44f))
				return false;
		}
		append_bytes(to, word + at, next - at);
		is_behind_letter = true;
		n_letters++;
	}
	return n_letters > 0 && n_any + n_one > 0 && (n_any == 0 || n_letters >= 3);
}

/* Makes a leaf whose last word is a pattern that matches a word of a document. Returns whether it
 * succeeded. */
static bool make_wild(struct growing *growing, struct oracle_node *node)
{
	static const char *const before[] = {"", "", "", "", "foo.", "bar-", "+", "\u6f22"};
	struct oracle *oracle = growing->oracle;
	struct bs_buffer *bytes = &growing->query->bytes;
	const struct oracle_field *field = draw_field(growing);
	if (!field)
		return false;
	naive_analyze(&oracle->naive, oracle->bytes.data + field->text_off, field->text_bytes,
	              &oracle->kept);
	size_t n_kept = kept_n(&oracle->kept), at = n_kept ? below(n_kept) : 0;
	if (n_kept == 0)
		return false;
	const struct kept_token *token = kept_at(&oracle->kept, at);
	node->pattern_off = bytes->used_bytes;
	if (!append_wild(growing, oracle->kept.terms.data + token->term_off, token->term_bytes)) {
		bytes->used_bytes = node->pattern_off;
		return false;
	}
	node->pattern_bytes = bytes->used_bytes - node->pattern_off;
	node->text_off = bytes->used_bytes;
	/* In a phrase, the preceding word of the text comes first, so that some phrases match. */
	uint64_t start = at > 0 ? kept_at(&oracle->kept, at - 1)->start_byte : token->start_byte;
	if (node->kind == ORACLE_WORD)
		append_string(bytes, before[below(COUNT(before))]);
	else if (start < token->start_byte) {
		append_bytes(bytes, oracle->bytes.data + field->text_off + start,
		             (size_t)(token->start_byte - start));
		append_string(bytes, " ");
	}
	append_string(bytes, ORACLE_PATTERN);
	return true;
}

static uint32_t grow_leaf(struct growing *growing)
{
	int value_field = by_chance(15) ? draw_value_field(growing) : ORACLE_NO_NAME;
	if (value_field != ORACLE_NO_NAME)
		return grow_range(growing, value_field);
	uint32_t what = below(100);
	enum oracle_kind kind = what < 55 ? ORACLE_WORD : what < 88 ? ORACLE_PHRASE : ORACLE_NEAR;
	uint32_t number = new_node(growing, kind);
	struct oracle_node *node = &growing->query->nodes[number];
	struct bs_buffer *bytes = &growing->query->bytes;
	node->text_off = bytes->used_bytes;
	append_bytes(bytes, "", 0);
	bool is_wild = kind != ORACLE_NEAR && by_chance(15) && make_wild(growing, node);
	bool is_name = !is_wild && node->field == ORACLE_FILE_NAME &&
	               bs_vector_n(&growing->oracle->docs) > 0 && by_chance(75);
	if (is_name)
		append_name(growing, bytes);
	else if (!is_wild && !append_again(growing, number, bytes))
		append_leaf(growing, kind, bytes);
	if (kind == ORACLE_WORD && !is_wild)
		cut_token(growing, bytes, node->text_off);
	node->text_bytes = bytes->used_bytes - node->text_off;
	for (size_t i = 0; i < node->text_bytes; i++)
		if (strchr("\"*?", bytes->data[node->text_off + i]) &&
		    bytes->data[node->text_off + i])
			bytes->data[node->text_off + i] =
				bytes->data[node->text_off + i] == '"' ? ' ' : '+';
	if (kind == ORACLE_WORD && !is_wild && node->text_bytes > 0 && by_chance(15))
		blur(growing, node);
	if (kind == ORACLE_WORD && !is_wild)
		call(growing, node);
	node->distance = by_chance(10) ? below(300) : below(8);
	draw_weight(growing, node);
	return number;
}

static uint32_t grow(struct growing *growing, uint32_t depth);

/* Draws an operand of AND, OR or NOT, with parentheses where the tree needs them, and sometimes
 * elsewhere. */
static uint32_t grow_operand(struct growing *growing, enum oracle_kind under, uint32_t depth)
{
	uint32_t number = grow(growing, depth);
	struct oracle_node *node = &growing->query->nodes[number];
	bool is_leaf = node->kind < ORACLE_AND;
	bool is_needed = !is_leaf &&
	                 (under == ORACLE_NOT || (under == ORACLE_AND && node->kind != ORACLE_NOT));
	if (!is_leaf)
		node->in_parens = node->in_parens || is_needed || by_chance(15);
	if (node->in_parens)
		draw_weight(growing, node);
	return number;
}

static uint32_t grow(struct growing *growing, uint32_t depth)
{
	uint32_t what = below(100);
	if (depth == 0 || growing->query->n_nodes > MOST_NODES || what < 25)
		return grow_leaf(growing);
	enum oracle_kind kind = what < 60 ? ORACLE_AND : what < 85 ? ORACLE_OR : ORACLE_NOT;
	uint32_t number = new_node(growing, kind);
	uint32_t n_children =
		kind == ORACLE_NOT ? 1 : roll_between(2, by_chance(70) ? 2 : ORACLE_MAX_CHILDREN);
	for (uint32_t i = 0; i < n_children; i++) {
		uint32_t child = grow_operand(growing, kind, depth - 1);
		struct oracle_node *node = &growing->query->nodes[number];
		node->children[node->n_children] = child;
		node->by_and[node->n_children++] = i > 0 && by_chance(35);
	}
	struct oracle_node *node = &growing->query->nodes[number];
	node->is_minus = by_chance(60);
	/* A field precedes only a leaf or parentheses, so an operator with a field needs them. */
	if (kind == ORACLE_NOT && node->field != ORACLE_NO_NAME && !by_chance(30))
		node->field = ORACLE_NO_NAME;
	node->in_parens = node->field != ORACLE_NO_NAME;
	return number;
}

/* ---- printing ---- */

static void print_node(struct growing *growing, uint32_t number);

static void print_operator(struct growing *growing, const struct oracle_node *node, uint32_t child)
{
	struct bs_buffer *text = &growing->query->text;
	static const char *const negations[] = {"-", "!", "NOT "}, *const ors[] = {" OR ", " || "},
				 *const ands[] = {" AND ", " && "};
	/* The spellings are equivalent. The choice depends on the length of the text so far, not on
	 * the dice, so that it does not change which queries a seed draws. */
	size_t style = text->used_bytes;
	if (node->kind == ORACLE_NOT)
		append_string(text, node->is_minus ? negations[style % 2] : negations[2]);
	else if (child > 0)
		append_string(text, node->kind == ORACLE_OR ? ors[style % 3 == 0]
		                    : node->by_and[child]   ? ands[style % 3 == 0]
		                                            : " ");
}

static void print_leaf(struct growing *growing, const struct oracle_node *node)
{
	struct bs_buffer *text = &growing->query->text;
	char distance[16];
	bool is_bare = node->kind == ORACLE_WORD || node->kind == ORACLE_RANGE;
	if (!is_bare)
		append_string(text, "\"");
	size_t pattern_bytes = node->pattern_bytes,
	       n_bytes = node->text_bytes - (pattern_bytes ? strlen(ORACLE_PATTERN) : 0);
	append_bytes(text, growing->query->bytes.data + node->text_off, n_bytes);
	append_bytes(text, growing->query->bytes.data + node->pattern_off, pattern_bytes);
	/* Some patterns are printed in capital letters, because patterns ignore case. */
	for (size_t i = text->used_bytes - pattern_bytes; i < text->used_bytes; i++) {
		uint8_t *c = &text->data[i];
		if (*c >= ORACLE_ONE_CHAR)
			*c = *c == ORACLE_ANY_CHARS ? '*' : '?';
		else if (text->used_bytes % 2 && *c >= 'a' && *c <= 'z')
			*c = (uint8_t)(*c - 'a' + 'A');
	}
	append_string(text, is_bare ? node->suffix : "\"");
	if (node->kind == ORACLE_NEAR) {
		snprintf(distance, sizeof(distance), "~%u", node->distance);
		append_string(text, distance);
	}
}

/* Adds signs that change nothing before or after the query: operators without an operand, unpaired
 * brackets, brackets without words. */
static void print_signs(struct growing *growing)
{
	static const char *const before[] = {"AND ", "|| ",  "() ", ") ", "- ",
	                                     "-> ",  "+++ ", "{ ",  "OR "};
	static const char *const after[] = {" AND", " ||",  " ()", " )",   " -",
	                                    " ++",  " NOT", " ;",  " ( )", " &&"};
	struct bs_buffer *text = &growing->query->text;
	AUTO(bs_buffer_deinit) struct bs_buffer own = *text;
	uint32_t sign = below(9);
	*text = (struct bs_buffer){0};
	if (by_chance(50))
		append_string(text, before[sign]);
	append_bytes(text, own.data, own.used_bytes);
	if (by_chance(50))
		append_string(text, after[below(COUNT(after))]);
}

static void print_node(struct growing *growing, uint32_t number)
{
	const struct oracle_node *node = &growing->query->nodes[number];
	struct bs_buffer *text = &growing->query->text;
	if (node->field != ORACLE_NO_NAME) {
		append_string(text, node->field == ORACLE_FILE_NAME
		                            ? "name"
		                            : growing->oracle->names[node->field]);
		append_string(text, ":");
	}
	if (node->in_parens)
		append_string(text, "(");
	if (node->kind < ORACLE_AND)
		print_leaf(growing, node);
	for (uint32_t i = 0; i < node->n_children; i++) {
		print_operator(growing, node, i);
		print_node(growing, node->children[i]);
	}
	if (node->in_parens)
		append_string(text, ")");
	append_string(text, node->weight_text);
}

/* Sometimes draws stop words as a user types them: words of the query and others. */
static void draw_stops(struct growing *growing)
{
	struct oracle_query *query = growing->query;
	bs_buffer_clear(&query->stops);
	if (!by_chance(30))
		return;
	for (uint32_t n = roll_between(1, 8); n > 0; n--) {
		const struct oracle_node *node = &query->nodes[below(query->n_nodes)];
		size_t start = query->stops.used_bytes;
		if (node->kind == ORACLE_WORD)
			append_bytes(&query->stops, query->bytes.data + node->text_off,
			             node->text_bytes);
		else
			append_words(growing, 1, &query->stops);
		for (size_t i = start; i < query->stops.used_bytes; i++)
			if (strchr("#|\n", query->stops.data[i]))
				query->stops.data[i] = ' ';
		append_string(&query->stops, by_chance(10) ? "| of no use\n#remark\n" : "\n");
	}
}

void oracle_query_draw(struct oracle_query *query, struct oracle *oracle,
                       const struct oracle_vocabulary *vocabulary)
{
	struct growing growing = {query, oracle, vocabulary};
	query->n_nodes = 0;
	query->any = by_chance(20);
	bs_buffer_clear(&query->bytes);
	bs_buffer_clear(&query->text);
	query->root = grow(&growing, by_chance(25) ? 0 : MAX_DEPTH);
	print_node(&growing, query->root);
	if (by_chance(15))
		print_signs(&growing);
	draw_stops(&growing);
}

void oracle_query_set(struct oracle_query *query, enum oracle_kind kind, const char *text)
{
	struct growing growing = {.query = query};
	query->any = false;
	query->n_nodes = 1;
	query->root = 0;
	query->nodes[0] = (struct oracle_node){.kind = kind,
	                                       .field = ORACLE_NO_NAME,
	                                       .suffix = "",
	                                       .weight_text = "",
	                                       .weight = 1,
	                                       .text_bytes = strlen(text)};
	bs_buffer_clear(&query->bytes);
	bs_buffer_clear(&query->text);
	bs_buffer_clear(&query->stops);
	append_string(&query->bytes, text);
	print_node(&growing, 0);
}
