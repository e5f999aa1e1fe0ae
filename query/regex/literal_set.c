/* literal_set.c: see literal_set.h. */
#include "query/regex/literal_set.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/bytes.h"
#include "core/base/icu.h"
#include "core/simd/needle.h"
#include "core/text/grams.h"

/* What is asked of a place first. */
#define BEGIN_BYTES 4u
#define EACH_BYTE   UINT32_C(0x01010101)
/* Of the table: as many bytes as literals begin in different ways, eight times, within these. At most, it fits into the
 * second level of cache. */
#define TABLE_LEAST_LOG 10u
#define TABLE_MOST_LOG  18u
/* Literals of three bytes are known by a hash of so many bits, shorter ones by two bytes. */
#define SHORT_BITS 65536u
#define NO_NODE    UINT32_MAX

/* Of a radix tree: what is common to all literals below it, behind what its parent has; then its children, which begin
 * with different bytes. */
struct node {
	const uint8_t *label;
	uint32_t n_label;
	uint32_t first_child, n_children;
	uint32_t literal; /* the first in the list that ends here, or BS_NO_LITERAL */
};

/* A tree of the literals that begin with the four bytes. */
struct root {
	uint32_t begin;
	uint32_t node; /* NO_NODE: none */
};

struct bs_literal_set {
	enum bs_literal_case letter_case;
	bool folds_all; /* ICU is at hand; if not, no literal holds more than ASCII */
	bool has_three, has_less;
	uint32_t empty;      /* the first that is empty, or BS_NO_LITERAL */
	uint32_t short_root; /* of those of fewer than four bytes, or NO_NODE */
	uint32_t case_bits;  /* set in each of four bytes before they are hashed */
	unsigned table_shift;
	uint8_t *table; /* bit i: behind the four bytes that hash to here may come one that ends in the bits i */
	uint64_t *three, *less; /* SHORT_BITS each, or NULL */
	unsigned roots_shift;
	struct root *roots;     /* hashed */
	struct bs_buffer nodes; /* of struct node */
	uint8_t *leads;         /* by node: the first byte of its label */
	uint32_t *same;         /* by literal: the next one that is equal, or BS_NO_LITERAL */
	struct bs_buffer folded;
};

static uint32_t hash_of(uint32_t begin, unsigned shift)
{
	return begin * UINT32_C(0x9e3779b1) >> shift;
}

/* Folding: a text as a stream of folded bytes. */

struct stream {
	const uint8_t *text;
	size_t at, n_bytes;
	uint8_t bytes[4]; /* of the character before at */
	uint8_t n, used;
};

/* What no folded character holds. */
#define NO_BYTE 0xff

/* ASCII is what two others fold to: U+017F and U+212A. */
static uint32_t fold_other(const struct bs_literal_set *set, UChar32 c)
{
	if (set->folds_all)
		return bs_gram_fold((uint32_t)c);
	return c == 0x17f ? 's' : c == 0x212a ? 'k' : (uint32_t)c;
}

static void take_character(const struct bs_literal_set *set, struct stream *stream)
{
	uint8_t byte = stream->text[stream->at];
	stream->used = 0;
	stream->n = 1;
	if (byte < 0x80 || set->letter_case != BS_LITERAL_UNICODE) {
		stream->bytes[0] = set->letter_case == BS_LITERAL_EXACT ? byte : bs_needle_fold(byte);
		stream->at++;
		return;
	}
	size_t at = stream->at, n = 0;
	UChar32 c;
	U8_NEXT(stream->text, at, stream->n_bytes, c);
	if (c < 0) {
		stream->bytes[0] = NO_BYTE;
		stream->at++;
		return;
	}
	uint32_t folded = fold_other(set, c);
	U8_APPEND_UNSAFE(stream->bytes, n, folded);
	stream->n = (uint8_t)n;
	stream->at = at;
}

/* False: the text is over. */
static inline bool next_byte(const struct bs_literal_set *set, struct stream *stream, uint8_t *byte_out)
{
	if (stream->used == stream->n) {
		if (stream->at == stream->n_bytes)
			return false;
		take_character(set, stream);
	}
	*byte_out = stream->bytes[stream->used++];
	return true;
}

/* Making a set. */

struct entry {
	uint64_t order; /* the first eight bytes, so that most comparisons see no more */
	const uint8_t *bytes;
	uint32_t n_bytes;
	uint32_t literal;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	int order = bs_compare_bytes(x->bytes, x->n_bytes, y->bytes, y->n_bytes);
	return order ? order : (x->literal > y->literal) - (x->literal < y->literal);
}

static uint64_t order_of(const uint8_t *bytes, uint32_t n_bytes)
{
	uint64_t order = 0;
	for (uint32_t i = 0; i < 8; i++)
		order = order << 8 | (i < n_bytes ? bytes[i] : 0);
	return order;
}

/* The bytes of all literals as they are compared: folded, or borrowed. */
static enum bs_status fold_literals(struct bs_literal_set *set, const struct bs_literal *literals, uint32_t n_literals,
                                    struct entry *entries, struct bs_error *err)
{
	size_t n_bytes = 0;
	for (uint32_t i = 0; i < n_literals; i++)
		n_bytes += literals[i].n_bytes;
	/* A character may grow by half. */
	enum bs_status status = set->letter_case == BS_LITERAL_EXACT
	                                ? BS_OK
	                                : bs_buffer_reserve(&set->folded, n_bytes + n_bytes / 2 + 8, err);
	for (uint32_t i = 0; i < n_literals && !status; i++) {
		struct entry *entry = &entries[i];
		*entry = (struct entry){.bytes = literals[i].bytes, .n_bytes = literals[i].n_bytes, .literal = i};
		if (set->letter_case != BS_LITERAL_EXACT) {
			struct stream stream = {.text = literals[i].bytes, .n_bytes = literals[i].n_bytes};
			size_t start = set->folded.used_bytes;
			uint8_t *to = set->folded.data + start, byte;
			while (next_byte(set, &stream, &byte))
				*to++ = byte;
			entry->bytes = set->folded.data + start;
			set->folded.used_bytes = (size_t)(to - set->folded.data);
			entry->n_bytes = (uint32_t)(set->folded.used_bytes - start);
		}
		entry->order = order_of(entry->bytes, entry->n_bytes);
	}
	return status;
}

/* A node in the making: entries[from..to) are below it, and have n_known bytes in common with its parents. */
struct task {
	uint32_t from, to, n_known;
};

struct making {
	struct bs_literal_set *set;
	const struct entry *entries; /* sorted, empty ones left out */
	uint32_t n_entries;
	struct bs_buffer tasks; /* of struct task, by node */
};

static uint32_t n_nodes(const struct bs_literal_set *set)
{
	return (uint32_t)(set->nodes.used_bytes / sizeof(struct node));
}

static struct node *node_of(const struct bs_literal_set *set, uint32_t index)
{
	return (struct node *)(void *)set->nodes.data + index;
}

static enum bs_status add_node(struct making *making, struct task task, struct bs_error *err)
{
	struct node node = {.literal = BS_NO_LITERAL};
	enum bs_status status = bs_buffer_append(&making->tasks, &task, sizeof(task), err);
	return status ? status : bs_buffer_append(&making->set->nodes, &node, sizeof(node), err);
}

/* Its label, the literals that end there, and its children, which are made later. */
static enum bs_status make_node(struct making *making, uint32_t index, struct bs_error *err)
{
	struct task task = ((const struct task *)(const void *)making->tasks.data)[index];
	const struct entry *first = &making->entries[task.from], *last = &making->entries[task.to - 1];
	struct node node = {.label = first->bytes + task.n_known, .literal = BS_NO_LITERAL};
	uint32_t n_known = task.n_known, n_most = first->n_bytes < last->n_bytes ? first->n_bytes : last->n_bytes;
	enum bs_status status = BS_OK;
	while (n_known < n_most && first->bytes[n_known] == last->bytes[n_known])
		n_known++;
	node.n_label = n_known - task.n_known;
	for (uint32_t before = BS_NO_LITERAL; task.from < task.to && making->entries[task.from].n_bytes == n_known;
	     task.from++) {
		uint32_t literal = making->entries[task.from].literal;
		if (before == BS_NO_LITERAL)
			node.literal = literal;
		else
			making->set->same[before] = literal;
		before = literal;
	}
	node.first_child = n_nodes(making->set);
	while (task.from < task.to && !status) {
		struct task child = {task.from, task.from + 1, n_known};
		uint8_t lead = making->entries[child.from].bytes[n_known];
		while (child.to < task.to && making->entries[child.to].bytes[n_known] == lead)
			child.to++;
		status = add_node(making, child, err);
		task.from = child.to;
		node.n_children++;
	}
	*node_of(making->set, index) = node;
	return status;
}

/* All nodes below those that are there: a list, not a recursion, since literals may be nested deeply. */
static enum bs_status make_nodes(struct making *making, struct bs_error *err)
{
	struct bs_literal_set *set = making->set;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < n_nodes(set) && !status; i++)
		status = make_node(making, i, err);
	set->leads = status ? NULL : malloc(n_nodes(set) + 1);
	if (!status && !set->leads)
		status = bs_fail_memory(err, "a list of patterns", n_nodes(set));
	for (uint32_t i = 0; i < n_nodes(set) && !status; i++)
		set->leads[i] = node_of(set, i)->n_label ? node_of(set, i)->label[0] : 0;
	return status;
}

static void set_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= UINT64_C(1) << (at % 64);
}

static bool has_bit(const uint64_t *bits, uint32_t at)
{
	return bits[at / 64] >> (at % 64) & 1;
}

/* begin: the bytes of a place, the first lowest, with case_bits. */
static uint32_t three_of(uint32_t begin)
{
	return hash_of(begin << 8, 16);
}

static enum bs_status make_short(struct making *making, struct bs_error *err)
{
	struct bs_literal_set *set = making->set;
	set->three = calloc(SHORT_BITS / 64, sizeof(*set->three));
	set->less = calloc(SHORT_BITS / 64, sizeof(*set->less));
	if (!set->three || !set->less)
		return bs_fail_memory(err, "a list of patterns", SHORT_BITS / 4);
	for (uint32_t i = 0; i < making->n_entries; i++) {
		const struct entry *entry = &making->entries[i];
		uint8_t begin[4] = {0};
		memcpy(begin, entry->bytes, entry->n_bytes);
		uint32_t bytes = bs_load_u32(begin) | set->case_bits;
		set->has_three |= entry->n_bytes == 3;
		set->has_less |= entry->n_bytes < 3;
		if (entry->n_bytes == 3)
			set_bit(set->three, three_of(bytes));
		for (uint32_t second = 0; entry->n_bytes == 1 && second < 256; second++)
			set_bit(set->less, (bytes & 0xff) | second << 8);
		if (entry->n_bytes == 2)
			set_bit(set->less, bytes & 0xffff);
	}
	set->short_root = 0;
	return add_node(making, (struct task){0, making->n_entries, 0}, err);
}

static bool begins_alike(const struct entry *a, const struct entry *b)
{
	return a->order >> 32 == b->order >> 32;
}

static struct root *root_of(const struct bs_literal_set *set, uint32_t begin)
{
	uint32_t mask = UINT32_MAX >> set->roots_shift, at = hash_of(begin, set->roots_shift);
	while (set->roots[at].node != NO_NODE && set->roots[at].begin != begin)
		at = (at + 1) & mask;
	return &set->roots[at];
}

/* Room for n_roots: hashed, at most a third full. */
static enum bs_status make_tables(struct bs_literal_set *set, uint32_t n_roots, struct bs_error *err)
{
	unsigned log = TABLE_LEAST_LOG, roots_log = 4;
	while (log < TABLE_MOST_LOG && (UINT64_C(1) << log) < 8 * (uint64_t)n_roots)
		log++;
	while ((UINT64_C(1) << roots_log) < 3 * (uint64_t)n_roots)
		roots_log++;
	set->table_shift = 32 - log;
	set->roots_shift = 32 - roots_log;
	set->table = calloc((size_t)1 << log, 1);
	set->roots = malloc(sizeof(*set->roots) << roots_log);
	if (!set->table || !set->roots)
		return bs_fail_memory(err, "a list of patterns", sizeof(*set->roots) << roots_log);
	for (size_t i = 0; i < (size_t)1 << roots_log; i++)
		set->roots[i].node = NO_NODE;
	return BS_OK;
}

/* entries: of four bytes and more. */
static enum bs_status make_long(struct making *making, const struct entry *entries, uint32_t n_entries,
                                struct bs_error *err)
{
	struct bs_literal_set *set = making->set;
	uint32_t n_roots = 0;
	for (uint32_t i = 0; i < n_entries; i++)
		n_roots += i == 0 || !begins_alike(&entries[i - 1], &entries[i]);
	enum bs_status status = make_tables(set, n_roots, err);
	for (uint32_t i = 0, to; i < n_entries && !status; i = to) {
		uint32_t begin = bs_load_u32(entries[i].bytes);
		uint8_t *mask = &set->table[hash_of(begin | set->case_bits, set->table_shift)];
		for (to = i; to < n_entries && begins_alike(&entries[i], &entries[to]); to++)
			*mask |=
				(uint8_t)(entries[to].n_bytes == BEGIN_BYTES ? 0xff : 1u << (entries[to].bytes[4] & 7));
		*root_of(set, begin) = (struct root){begin, n_nodes(set)};
		uint32_t before = (uint32_t)(entries - making->entries);
		status = add_node(making, (struct task){before + i, before + to, BEGIN_BYTES}, err);
	}
	return status;
}

/* Empty ones to the front, then the short ones, then the others, each in order. */
static int compare_lengths(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int x_class = x->n_bytes == 0 ? 0 : x->n_bytes < BEGIN_BYTES ? 1 : 2;
	int y_class = y->n_bytes == 0 ? 0 : y->n_bytes < BEGIN_BYTES ? 1 : 2;
	return x_class != y_class ? x_class - y_class : compare_entries(a, b);
}

static enum bs_status make(struct bs_literal_set *set, struct entry *entries, uint32_t n_literals, struct bs_error *err)
{
	uint32_t n_empty = 0, n_short = 0;
	qsort(entries, n_literals, sizeof(*entries), compare_lengths);
	while (n_empty < n_literals && entries[n_empty].n_bytes == 0)
		n_empty++;
	while (n_empty + n_short < n_literals && entries[n_empty + n_short].n_bytes < BEGIN_BYTES)
		n_short++;
	set->empty = n_empty ? entries[0].literal : BS_NO_LITERAL;
	struct making making = {.set = set, .entries = entries + n_empty, .n_entries = n_short};
	enum bs_status status = n_short ? make_short(&making, err) : BS_OK;
	if (!status)
		status = make_long(&making, making.entries + n_short, n_literals - n_empty - n_short, err);
	if (!status)
		status = make_nodes(&making, err);
	bs_buffer_deinit(&making.tasks);
	return status;
}

static bool is_all_ascii(const struct bs_literal *literals, uint32_t n_literals)
{
	bool is_ascii = true;
	for (uint32_t i = 0; i < n_literals && is_ascii; i++)
		is_ascii = bs_is_ascii(literals[i].bytes, literals[i].n_bytes);
	return is_ascii;
}

enum bs_status bs_literal_set_new(const struct bs_literal *literals, uint32_t n_literals,
                                  enum bs_literal_case letter_case, struct bs_literal_set **set_out,
                                  struct bs_error *err)
{
	struct bs_literal_set *set = calloc(1, sizeof(*set));
	struct entry *entries = malloc(n_literals * sizeof(*entries));
	uint32_t *same = malloc(n_literals * sizeof(*same));
	enum bs_status status = BS_OK;
	*set_out = NULL;
	if (!set || !entries || !same) {
		free(set);
		free(same);
		free(entries);
		return bs_fail_memory(err, "a list of patterns", n_literals * sizeof(*entries));
	}
	for (uint32_t i = 0; i < n_literals; i++)
		same[i] = BS_NO_LITERAL;
	*set = (struct bs_literal_set){.letter_case = letter_case,
	                               .short_root = NO_NODE,
	                               .case_bits = letter_case == BS_LITERAL_EXACT ? 0 : 0x20 * EACH_BYTE,
	                               .same = same};
	set->folds_all = letter_case == BS_LITERAL_UNICODE && !is_all_ascii(literals, n_literals);
	if (set->folds_all)
		status = bs_icu_load(err);
	if (!status)
		status = fold_literals(set, literals, n_literals, entries, err);
	if (!status)
		status = make(set, entries, n_literals, err);
	free(entries);
	if (status)
		bs_literal_set_free(set);
	else
		*set_out = set;
	return status;
}

void bs_literal_set_free(struct bs_literal_set *set)
{
	if (!set)
		return;
	free(set->table);
	free(set->three);
	free(set->less);
	free(set->roots);
	free(set->leads);
	free(set->same);
	bs_buffer_deinit(&set->nodes);
	bs_buffer_deinit(&set->folded);
	free(set);
}

/* Looking. */

static inline bool may_be_short(const struct bs_literal_set *set, uint32_t begin)
{
	return (set->has_less && has_bit(set->less, begin & 0xffff)) ||
	       (set->has_three && has_bit(set->three, three_of(begin)));
}

/* Whether some literal may begin as a place does: its first four bytes, the first lowest, and the one behind them. */
static inline bool may_begin(const struct bs_literal_set *set, uint32_t begin, uint8_t fifth, bool has_short)
{
	begin |= set->case_bits;
	return (set->table[hash_of(begin, set->table_shift)] >> (fifth & 7) & 1) ||
	       (has_short && may_be_short(set, begin));
}

/* The same of any place: near the end, or one whose bytes are not what is compared. */
static bool may_begin_at(const struct bs_literal_set *set, const uint8_t *text, size_t at, size_t n_bytes)
{
	struct stream stream = {.text = text, .at = at, .n_bytes = n_bytes};
	uint8_t bytes[BEGIN_BYTES + 1] = {0};
	/* Within a character nothing begins. */
	if (set->letter_case == BS_LITERAL_UNICODE && (text[at] & 0xc0) == 0x80)
		return false;
	for (size_t i = 0; i < sizeof(bytes) && next_byte(set, &stream, &bytes[i]); i++)
		continue;
	return may_begin(set, bs_load_u32(bytes), bytes[BEGIN_BYTES], set->short_root != NO_NODE);
}

/* The next place where a literal may begin, or n_bytes. */
static inline __attribute__((always_inline)) size_t next_place_of(const struct bs_literal_set *set, const uint8_t *text,
                                                                  size_t at, size_t n_bytes, bool folds, bool has_short)
{
	for (; n_bytes - at >= 8; at++) {
		uint64_t bytes = bs_load_u64(text + at);
		if (folds && (bytes & UINT64_C(0x8080808080))) {
			if (may_begin_at(set, text, at, n_bytes))
				return at;
		} else if (may_begin(set, (uint32_t)bytes, (uint8_t)(bytes >> 32), has_short)) {
			return at;
		}
	}
	while (at < n_bytes && !may_begin_at(set, text, at, n_bytes))
		at++;
	return at;
}

static size_t next_place(const struct bs_literal_set *set, const uint8_t *text, size_t at, size_t n_bytes)
{
	bool has_short = set->short_root != NO_NODE;
	if (set->letter_case == BS_LITERAL_UNICODE)
		return has_short ? next_place_of(set, text, at, n_bytes, true, true)
		                 : next_place_of(set, text, at, n_bytes, true, false);
	return has_short ? next_place_of(set, text, at, n_bytes, false, true)
	                 : next_place_of(set, text, at, n_bytes, false, false);
}

struct look {
	const struct bs_literal_set *set;
	const uint8_t *text;
	size_t n_bytes;
	bs_literal_counts counts;
	void *context;
	struct bs_literal_found found; /* the best so far of the place */
};

/* A literal, and those equal to it, from found.start to end. */
static void meet(struct look *look, uint32_t literal, size_t end)
{
	for (; literal < look->found.literal; literal = look->set->same[literal]) {
		struct bs_literal_found found = {look->found.start, end, literal};
		if (!look->counts || look->counts(look->context, look->text, look->n_bytes, &found)) {
			look->found = found;
			return;
		}
	}
}

/* The child whose label begins with the byte. */
static uint32_t child_of(const struct bs_literal_set *set, const struct node *node, uint8_t byte)
{
	const uint8_t *leads = set->leads + node->first_child;
	const uint8_t *found = memchr(leads, byte, node->n_children);
	return found ? node->first_child + (uint32_t)(found - leads) : NO_NODE;
}

/* The literals below a node that stand at the place; the text behind what leads to the node begins at `at`. */
static void walk_exact(struct look *look, uint32_t index, size_t at)
{
	while (index != NO_NODE) {
		const struct node *node = node_of(look->set, index);
		if (look->n_bytes - at < node->n_label || memcmp(look->text + at, node->label, node->n_label) != 0)
			return;
		at += node->n_label;
		if (node->literal != BS_NO_LITERAL)
			meet(look, node->literal, at);
		if (node->n_children == 0 || at == look->n_bytes)
			return;
		index = child_of(look->set, node, look->text[at]);
	}
}

static void walk_folded(struct look *look, uint32_t index, struct stream *stream)
{
	uint8_t byte;
	uint32_t n = 0; /* of the label: what led here is taken */
	while (index != NO_NODE) {
		const struct node *node = node_of(look->set, index);
		for (; n < node->n_label; n++)
			if (!next_byte(look->set, stream, &byte) || byte != node->label[n])
				return;
		/* Folded characters begin and end alike in text and literal. */
		if (node->literal != BS_NO_LITERAL)
			meet(look, node->literal, stream->at);
		if (node->n_children == 0 || !next_byte(look->set, stream, &byte))
			return;
		index = child_of(look->set, node, byte);
		n = 1;
	}
}

static void look_at_folded(struct look *look, size_t at)
{
	const struct bs_literal_set *set = look->set;
	struct stream stream = {.text = look->text, .at = at, .n_bytes = look->n_bytes}, short_stream = stream;
	uint8_t begin[BEGIN_BYTES];
	if (set->short_root != NO_NODE)
		walk_folded(look, set->short_root, &short_stream);
	for (size_t i = 0; i < BEGIN_BYTES; i++)
		if (!next_byte(set, &stream, &begin[i]))
			return;
	walk_folded(look, root_of(set, bs_load_u32(begin))->node, &stream);
}

/* Which literals stand at a place. */
static void look_at(struct look *look, size_t at)
{
	const struct bs_literal_set *set = look->set;
	look->found.start = at;
	if (set->letter_case != BS_LITERAL_EXACT) {
		look_at_folded(look, at);
		return;
	}
	if (set->short_root != NO_NODE)
		walk_exact(look, set->short_root, at);
	if (look->n_bytes - at >= BEGIN_BYTES)
		walk_exact(look, root_of(set, bs_load_u32(look->text + at))->node, at + BEGIN_BYTES);
}

bool bs_literal_set_find(const struct bs_literal_set *set, const uint8_t *text, size_t from, size_t n_bytes,
                         bs_literal_counts counts, void *context, struct bs_literal_found *found_out)
{
	struct look look = {.set = set, .text = text, .n_bytes = n_bytes, .counts = counts, .context = context};
	look.found = (struct bs_literal_found){from, from, set->empty};
	if (set->empty != BS_NO_LITERAL) {
		if (from < n_bytes)
			look_at(&look, from);
		*found_out = look.found;
		return true;
	}
	for (size_t at = from; (at = next_place(set, text, at, n_bytes)) < n_bytes; at++) {
		look_at(&look, at);
		if (look.found.literal != BS_NO_LITERAL) {
			*found_out = look.found;
			return true;
		}
	}
	return false;
}
