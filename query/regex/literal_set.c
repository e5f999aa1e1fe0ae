/* literal_set.c: see literal_set.h. */
#include "query/regex/literal_set.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/bytes.h"
#include "core/collections/sort.h"
#include "core/simd/needle.h"
#include "core/system/deadline.h"
#include "core/system/icu.h"
#include "core/text/grams.h"

/* A position is first tested by its next four bytes. */
#define BEGIN_BYTES 4u
#define EACH_BYTE   UINT64_C(0x0101010101010101)
/* The table has 8 to 16 bytes for each distinct four-byte beginning of a literal, within these
 * limits. The largest fits into the second-level cache. */
#define TABLE_LEAST_LOG 10u
#define TABLE_MOST_LOG  18u
/* The number of bits of two tables: one for literals of three bytes, indexed by a hash, and one for
 * shorter literals, indexed by two bytes. */
#define SHORT_BITS 65536u
#define NO_NODE    UINT32_MAX

/* A node of a radix tree. In memory it is followed by its label (the bytes that all literals below
 * it have next in common), by the leading byte of each child, sorted, and by the offset of each
 * child, four bytes each. A tree is contiguous, so that a lookup touches one or two cache lines. */
struct node {
	/* the first literal of the list that ends here, or BS_NO_LITERAL */
	uint32_t literal;
	uint16_t n_label; /* a longer label continues in a child */
	uint16_t n_children;
};

/* The tree of the literals that begin with the same four bytes. */
struct root {
	uint32_t begin;
	uint32_t node; /* its offset in trees; NO_NODE: the slot is free */
};

struct bs_literal_set {
	enum bs_literal_case letter_case;
	/* letter_case is BS_LITERAL_UNICODE, and a literal is not ASCII: ICU is loaded, and folds
	 * all characters */
	bool folds_all;
	bool has_three, has_less;
	uint32_t empty;      /* the first empty literal, or BS_NO_LITERAL */
	uint32_t short_root; /* the tree of literals of 1 to 3 bytes, or NO_NODE */
	uint32_t case_bits;  /* set in each of the four bytes before they are hashed */
	unsigned table_shift;
	/* table[hash of four bytes]: bit i is set if a byte with (byte & 7) == i may follow
	 * them. */
	uint8_t *table;
	uint64_t *three, *less; /* tables of SHORT_BITS bits, or NULL */
	uint32_t n_slots;
	struct root *roots;     /* hash table with n_slots */
	struct bs_buffer trees; /* nodes of all trees */
	uint32_t *same;         /* same[i]: the next literal equal to literal i, or BS_NO_LITERAL */
	struct bs_buffer folded;
};

static uint32_t hash_of(uint32_t begin, unsigned shift)
{
	return begin * UINT32_C(0x9e3779b1) >> shift;
}

/* A text as a stream of folded bytes. */

struct stream {
	const uint8_t *text;
	size_t at, n_bytes;
	uint8_t bytes[4]; /* the folded character before `at` */
	uint8_t n, used;  /* bytes[used..n) were not returned yet */
};

/* A byte that no folded character contains. */
#define NO_BYTE 0xff

/* Two characters beyond ASCII fold to ASCII: U+017F and U+212A. */
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
		stream->bytes[0] =
			set->letter_case == BS_LITERAL_EXACT ? byte : bs_needle_fold(byte);
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

/* Returns false at the end of the text. */
static inline bool next_byte(const struct bs_literal_set *set, struct stream *stream,
                             uint8_t *byte_out)
{
	if (stream->used == stream->n) {
		if (stream->at == stream->n_bytes)
			return false;
		take_character(set, stream);
	}
	*byte_out = stream->bytes[stream->used++];
	return true;
}

struct entry {
	uint64_t order; /* the first eight bytes, which decide most comparisons */
	const uint8_t *bytes;
	uint32_t n_bytes;
	uint32_t literal;
};

static int compare_entries(const void *a, const void *b, void *context)
{
	(void)context;
	const struct entry *x = a, *y = b;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	int order = bs_compare_bytes(x->bytes, x->n_bytes, y->bytes, y->n_bytes);
	return order ? order : (x->literal > y->literal) - (x->literal < y->literal);
}

/* The estimated time to fold, sort or add a literal. */
#define LITERAL_NS 100u

/* Sets the compared bytes of all entries: folded, or borrowed from the literals. */
static enum bs_status fold_literals(struct bs_literal_set *set, const struct bs_literal *literals,
                                    uint32_t n_literals, struct entry *entries,
                                    struct bs_error *err)
{
	size_t n_bytes = 0;
	for (uint32_t i = 0; i < n_literals; i++)
		n_bytes += literals[i].n_bytes;
	/* A folded character is at most 1.5 times as long. */
	enum bs_status status =
		set->letter_case == BS_LITERAL_EXACT
			? BS_OK
			: bs_buffer_reserve(&set->folded, n_bytes + n_bytes / 2 + 8, err);
	for (uint32_t i = 0; i < n_literals && !status; i++) {
		struct entry *entry = &entries[i];
		status = bs_deadline_check_after(LITERAL_NS, err);
		*entry = (struct entry){
			.bytes = literals[i].bytes, .n_bytes = literals[i].n_bytes, .literal = i};
		if (set->letter_case != BS_LITERAL_EXACT) {
			struct stream stream = {.text = literals[i].bytes,
			                        .n_bytes = literals[i].n_bytes};
			size_t start = set->folded.used_bytes;
			uint8_t *to = set->folded.data + start, byte;
			while (next_byte(set, &stream, &byte))
				*to++ = byte;
			entry->bytes = set->folded.data + start;
			set->folded.used_bytes = (size_t)(to - set->folded.data);
			entry->n_bytes = (uint32_t)(set->folded.used_bytes - start);
		}
		entry->order = bs_first_eight(entry->bytes, entry->n_bytes);
	}
	return status;
}

/* A node to be made for entries[from..to), which have their first n_known bytes in common. */
struct task {
	uint32_t from, to, n_known;
	uint32_t link; /* where to store the node's offset, or NO_NODE */
};
BS_VECTOR(tasks, struct task);

struct making {
	struct bs_literal_set *set;
	const struct entry *entries; /* sorted, without empty literals */
	uint32_t n_entries;
	struct tasks tasks; /* a stack */
};

/* The number of bytes after n_known that all entries of a task have in common, limited to the
 * longest label. */
static uint32_t label_bytes(const struct making *making, const struct task *task)
{
	const struct entry *first = &making->entries[task->from],
			   *last = &making->entries[task->to - 1];
	size_t n = bs_common_bytes(first->bytes + task->n_known, first->n_bytes - task->n_known,
	                           last->bytes + task->n_known, last->n_bytes - task->n_known);
	return n < UINT16_MAX ? (uint32_t)n : UINT16_MAX;
}

/* Removes from the task the entries that end with its label. Chains them in set->same and returns
 * the first. */
static uint32_t take_literal(struct making *making, struct task *task)
{
	uint32_t literal = BS_NO_LITERAL, before = BS_NO_LITERAL;
	for (; task->from < task->to && making->entries[task->from].n_bytes == task->n_known;
	     task->from++) {
		uint32_t equal = making->entries[task->from].literal;
		if (before == BS_NO_LITERAL)
			literal = equal;
		else
			making->set->same[before] = equal;
		before = equal;
	}
	return literal;
}

/* Returns a task for the entries whose next byte is the same as that of the task's first entry. */
static struct task first_child(const struct making *making, const struct task *task)
{
	struct task child = {task->from, task->from + 1, task->n_known + 1, NO_NODE};
	uint8_t lead = making->entries[child.from].bytes[task->n_known];
	while (child.to < task->to && making->entries[child.to].bytes[task->n_known] == lead)
		child.to++;
	return child;
}

/* Makes a node, and pushes the tasks of its children. */
static enum bs_status make_node(struct making *making, struct task task, struct bs_error *err)
{
	struct bs_buffer *trees = &making->set->trees;
	const uint8_t *label = making->entries[task.from].bytes + task.n_known;
	struct node node = {.n_label = (uint16_t)label_bytes(making, &task)};
	size_t place = trees->used_bytes;
	enum bs_status status = bs_deadline_check_after(LITERAL_NS, err);
	if (status)
		return status;
	task.n_known += node.n_label;
	node.literal = take_literal(making, &task);
	uint8_t leads[256];
	for (struct task rest = task; rest.from < rest.to;
	     rest.from = first_child(making, &rest).to)
		leads[node.n_children++] = making->entries[rest.from].bytes[rest.n_known];
	size_t n_links = sizeof(uint32_t) * node.n_children;
	status = bs_buffer_append(trees, &node, sizeof(node), err);
	if (!status)
		status = bs_buffer_append(trees, label, node.n_label, err);
	if (!status)
		status = bs_buffer_append(trees, leads, node.n_children, err);
	if (!status)
		status = bs_buffer_reserve(trees, n_links, err);
	if (!status && trees->used_bytes + n_links > UINT32_MAX)
		status = bs_fail_memory(err, "a list of patterns", trees->used_bytes);
	for (; task.from < task.to && !status; trees->used_bytes += sizeof(uint32_t)) {
		struct task child = first_child(making, &task);
		child.link = (uint32_t)trees->used_bytes;
		status = bs_vector_append(&making->tasks, &child, err);
		task.from = child.to;
	}
	if (!status && task.link != NO_NODE)
		bs_store_u32(trees->data + task.link, (uint32_t)place);
	return status;
}

/* Makes the tree of entries[from..to) without their first n_known bytes. Uses a stack of tasks
 * instead of recursion, because a tree may be deep. */
static enum bs_status make_tree(struct making *making, uint32_t from, uint32_t to, uint32_t n_known,
                                uint32_t *node_out, struct bs_error *err)
{
	struct task task = {from, to, n_known, NO_NODE};
	*node_out = (uint32_t)making->set->trees.used_bytes;
	enum bs_status status = make_node(making, task, err);
	while (bs_vector_n(&making->tasks) > 0 && !status) {
		task = making->tasks.items[bs_vector_n(&making->tasks) - 1];
		bs_vector_set_n(&making->tasks, bs_vector_n(&making->tasks) - 1);
		status = make_node(making, task, err);
	}
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

/* The index in the table `three`. begin: the bytes at a position, the first byte lowest, combined
 * with case_bits. */
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
	return make_tree(making, 0, making->n_entries, 0, &set->short_root, err);
}

static bool begins_alike(const struct entry *a, const struct entry *b)
{
	return a->order >> 32 == b->order >> 32;
}

static struct root *root_of(const struct bs_literal_set *set, uint32_t begin)
{
	uint32_t at = (uint32_t)((uint64_t)hash_of(begin, 0) * set->n_slots >> 32);
	/* A free slot ends the probe. */
	while (set->roots[at].begin != begin && set->roots[at].node != NO_NODE)
		at = at + 1 < set->n_slots ? at + 1 : 0;
	return &set->roots[at];
}

/* Allocates the tables; the hash table will be half full. */
static enum bs_status make_tables(struct bs_literal_set *set, uint32_t n_roots,
                                  struct bs_error *err)
{
	unsigned log = TABLE_LEAST_LOG;
	while (log < TABLE_MOST_LOG && (UINT64_C(1) << log) < 8 * (uint64_t)n_roots)
		log++;
	set->table_shift = 32 - log;
	set->n_slots = 2 * n_roots + 1;
	set->table = calloc((size_t)1 << log, 1);
	set->roots = malloc(sizeof(*set->roots) * set->n_slots);
	if (!set->table || !set->roots)
		return bs_fail_memory(err, "a list of patterns",
		                      sizeof(*set->roots) * set->n_slots);
	for (uint32_t i = 0; i < set->n_slots; i++)
		set->roots[i] = (struct root){0, NO_NODE};
	return BS_OK;
}

/* Makes the tables and trees for the literals of four bytes or more. */
static enum bs_status make_long(struct making *making, const struct entry *entries,
                                uint32_t n_entries, struct bs_error *err)
{
	struct bs_literal_set *set = making->set;
	uint32_t n_roots = 0;
	for (uint32_t i = 0; i < n_entries; i++)
		n_roots += i == 0 || !begins_alike(&entries[i - 1], &entries[i]);
	enum bs_status status = make_tables(set, n_roots, err);
	for (uint32_t i = 0, to; i < n_entries && !status; i = to) {
		uint32_t begin = bs_load_u32(entries[i].bytes);
		uint8_t *mask = &set->table[hash_of(begin | set->case_bits, set->table_shift)];
		/* Sets a bit for the fifth byte, or all bits for a literal without a fifth byte. */
		for (to = i; to < n_entries && begins_alike(&entries[i], &entries[to]); to++)
			*mask = (uint8_t)(*mask |
			                  (entries[to].n_bytes == BEGIN_BYTES
			                           ? 0xff
			                           : 1u << (entries[to].bytes[BEGIN_BYTES] & 7)));
		struct root *root = root_of(set, begin);
		uint32_t before = (uint32_t)(entries - making->entries);
		root->begin = begin;
		status = make_tree(making, before + i, before + to, BEGIN_BYTES, &root->node, err);
	}
	/* is_label and child_of read eight bytes at once. */
	return status ? status : bs_buffer_reserve(&set->trees, sizeof(uint64_t), err);
}

/* Moves the entries of at most most_bytes to the front and returns their number. */
static uint32_t part_entries(struct entry *entries, uint32_t n, uint32_t most_bytes)
{
	uint32_t n_front = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct entry entry = entries[i];
		if (entry.n_bytes > most_bytes)
			continue;
		entries[i] = entries[n_front];
		entries[n_front++] = entry;
	}
	return n_front;
}

/* Sorts the empty, the short and the other entries separately and builds the set from them. */
static enum bs_status make(struct bs_literal_set *set, struct entry *entries, uint32_t n_literals,
                           struct bs_error *err)
{
	uint32_t n_empty = part_entries(entries, n_literals, 0);
	uint32_t n_short = part_entries(entries + n_empty, n_literals - n_empty, BEGIN_BYTES - 1),
		 n_before = n_empty + n_short;
	enum bs_status status =
		bs_sort(entries, n_empty, sizeof(*entries), compare_entries, NULL, err);
	if (!status)
		status = bs_sort(entries + n_empty, n_short, sizeof(*entries), compare_entries,
		                 NULL, err);
	if (!status)
		status = bs_sort(entries + n_before, n_literals - n_before, sizeof(*entries),
		                 compare_entries, NULL, err);
	if (status)
		return status;
	set->empty = n_empty ? entries[0].literal : BS_NO_LITERAL;
	struct making making = {.set = set, .entries = entries + n_empty, .n_entries = n_short};
	status = n_short ? make_short(&making, err) : BS_OK;
	if (!status)
		status = make_long(&making, making.entries + n_short,
		                   n_literals - n_empty - n_short, err);
	bs_vector_deinit(&making.tasks);
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
	*set = (struct bs_literal_set){
		.letter_case = letter_case,
		.short_root = NO_NODE,
		.case_bits = letter_case == BS_LITERAL_EXACT ? 0 : (uint32_t)(0x20 * EACH_BYTE),
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
	free(set->same);
	bs_buffer_deinit(&set->trees);
	bs_buffer_deinit(&set->folded);
	free(set);
}

static inline bool may_be_short(const struct bs_literal_set *set, uint32_t begin)
{
	return (set->has_less && has_bit(set->less, begin & 0xffff)) ||
	       (set->has_three && has_bit(set->three, three_of(begin)));
}

/* True if a literal may begin at a position. begin: the four bytes at the position, the first byte
 * lowest, combined with case_bits. fifth: the byte after them. */
static inline bool may_begin(const struct bs_literal_set *set, uint32_t begin, uint8_t fifth,
                             bool has_short)
{
	return (set->table[hash_of(begin, set->table_shift)] >> (fifth & 7) & 1) ||
	       (has_short && may_be_short(set, begin));
}

/* Like may_begin, but also for positions near the end of the text and for text that must be
 * folded. */
static bool may_begin_at(const struct bs_literal_set *set, const uint8_t *text, size_t at,
                         size_t n_bytes)
{
	struct stream stream = {.text = text, .at = at, .n_bytes = n_bytes};
	uint8_t bytes[BEGIN_BYTES + 1] = {0};
	/* No literal begins within a character. */
	if (set->letter_case == BS_LITERAL_UNICODE && (text[at] & 0xc0) == 0x80)
		return false;
	for (size_t i = 0; i < sizeof(bytes) && next_byte(set, &stream, &bytes[i]); i++)
		continue;
	return may_begin(set, bs_load_u32(bytes) | set->case_bits, bytes[BEGIN_BYTES],
	                 set->short_root != NO_NODE);
}

/* The next position where a literal may begin, or n_bytes. Callers pass constants for has_short,
 * one also for letter_case, so that the branches on constants are compiled away. */
static inline __attribute__((always_inline)) size_t next_place_of(const struct bs_literal_set *set,
                                                                  const uint8_t *text, size_t at,
                                                                  size_t n_bytes,
                                                                  enum bs_literal_case letter_case,
                                                                  bool has_short)
{
	uint32_t case_bits = letter_case == BS_LITERAL_EXACT ? 0 : (uint32_t)(0x20 * EACH_BYTE);
	for (; n_bytes - at >= 8; at += 4) {
		bool is_other = letter_case == BS_LITERAL_UNICODE &&
		                (bs_load_u64(text + at) & 0x80 * EACH_BYTE);
		for (size_t i = 0; i < 4; i++) {
			const uint8_t *place = text + at + i;
			if (is_other ? may_begin_at(set, text, at + i, n_bytes)
			             : may_begin(set, bs_load_u32(place) | case_bits,
			                         place[BEGIN_BYTES], has_short))
				return at + i;
		}
	}
	while (at < n_bytes && !may_begin_at(set, text, at, n_bytes))
		at++;
	return at;
}

static size_t next_place(const struct bs_literal_set *set, const uint8_t *text, size_t at,
                         size_t n_bytes)
{
	if (set->short_root != NO_NODE)
		return next_place_of(set, text, at, n_bytes, set->letter_case, true);
	if (set->letter_case == BS_LITERAL_EXACT)
		return next_place_of(set, text, at, n_bytes, BS_LITERAL_EXACT, false);
	return next_place_of(set, text, at, n_bytes, set->letter_case, false);
}

struct look {
	const struct bs_literal_set *set;
	const uint8_t *text;
	size_t n_bytes;
	bs_literal_accept counts;
	void *context;
	struct bs_literal_found found; /* the best literal found at the position so far */
};

/* Passes a literal found at text[found.start..end), and those equal to it, to counts. Skips the
 * literals that are later in the list than the best one so far. */
static void meet(struct look *look, uint32_t literal, size_t end)
{
	for (; literal < look->found.literal; literal = look->set->same[literal]) {
		struct bs_literal_found found = {look->found.start, end, literal};
		if (!look->counts ||
		    look->counts(look->context, look->text, look->n_bytes, &found)) {
			look->found = found;
			return;
		}
	}
}

/* A node, and a pointer to its label. After the label come the leading bytes and the offsets of its
 * children. */
struct place {
	struct node node;
	const uint8_t *label;
};

static inline struct place place_of(const struct bs_literal_set *set, uint32_t node)
{
	struct place place;
	memcpy(&place.node, set->trees.data + node, sizeof(place.node));
	place.label = set->trees.data + node + sizeof(place.node);
	return place;
}

/* The child for a byte, or NO_NODE. Most nodes have fewer than eight children, whose leading bytes
 * are compared at once. */
static inline uint32_t child_of(const struct place *place, uint8_t byte)
{
	uint32_t n = place->node.n_children;
	const uint8_t *leads = place->label + place->node.n_label, *links = leads + n;
	if (n < 8) {
		uint64_t differ = bs_load_u64(leads) ^ byte * EACH_BYTE;
		uint64_t equal = (differ - EACH_BYTE) & ~differ & 0x80 * EACH_BYTE;
		/* The lowest bit set marks an equal byte for certain; higher ones may be wrong.
		 * Bits of bytes that are not leading bytes of children are removed. */
		equal &= (UINT64_C(1) << 8 * n) - 1;
		return equal ? bs_load_u32(links + sizeof(uint32_t) *
		                                           ((unsigned)__builtin_ctzll(equal) / 8))
		             : NO_NODE;
	}
	const uint8_t *found = memchr(leads, byte, n);
	return found ? bs_load_u32(links + sizeof(uint32_t) * (size_t)(found - leads)) : NO_NODE;
}

/* True if the text begins with the label. Nearly all labels have fewer than eight bytes. */
static inline bool is_label(const uint8_t *text, size_t n_bytes, const struct place *place)
{
	uint32_t n = place->node.n_label;
	if (n < 8 && n_bytes >= 8)
		return ((bs_load_u64(text) ^ bs_load_u64(place->label)) &
		        ((UINT64_C(1) << 8 * n) - 1)) == 0;
	return n_bytes >= n && memcmp(text, place->label, n) == 0;
}

/* Finds the literals in the tree below a node. `at` is the position in the text after the bytes
 * that lead to the node. */
static void walk_exact(struct look *look, uint32_t node, size_t at)
{
	while (node != NO_NODE) {
		struct place place = place_of(look->set, node);
		if (!is_label(look->text + at, look->n_bytes - at, &place))
			return;
		at += place.node.n_label;
		if (place.node.literal != BS_NO_LITERAL)
			meet(look, place.node.literal, at);
		if (at == look->n_bytes)
			return;
		node = child_of(&place, look->text[at++]);
	}
}

static void walk_folded(struct look *look, uint32_t node, struct stream *stream)
{
	uint8_t byte;
	while (node != NO_NODE) {
		struct place place = place_of(look->set, node);
		for (uint32_t n = 0; n < place.node.n_label; n++)
			if (!next_byte(look->set, stream, &byte) || byte != place.label[n])
				return;
		/* A literal ends at a character boundary, so stream->at is the end of the match in
		 * the text. */
		if (place.node.literal != BS_NO_LITERAL)
			meet(look, place.node.literal, stream->at);
		if (place.node.n_children == 0 || !next_byte(look->set, stream, &byte))
			return;
		node = child_of(&place, byte);
	}
}

static void look_at_folded(struct look *look, size_t at)
{
	const struct bs_literal_set *set = look->set;
	struct stream stream = {.text = look->text, .at = at, .n_bytes = look->n_bytes},
		      short_stream = stream;
	uint8_t begin[BEGIN_BYTES];
	if (set->short_root != NO_NODE)
		walk_folded(look, set->short_root, &short_stream);
	for (size_t i = 0; i < BEGIN_BYTES; i++)
		if (!next_byte(set, &stream, &begin[i]))
			return;
	walk_folded(look, root_of(set, bs_load_u32(begin))->node, &stream);
}

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
		walk_exact(look, root_of(set, bs_load_u32(look->text + at))->node,
		           at + BEGIN_BYTES);
}

bool bs_literal_set_find(const struct bs_literal_set *set, const uint8_t *text, size_t from,
                         size_t n_bytes, bs_literal_accept counts, void *context,
                         struct bs_literal_found *found_out)
{
	struct look look = {
		.set = set, .text = text, .n_bytes = n_bytes, .counts = counts, .context = context};
	look.found = (struct bs_literal_found){from, from, set->empty};
	if (set->empty != BS_NO_LITERAL && from < n_bytes)
		look_at(&look, from);
	for (size_t at = from; look.found.literal == BS_NO_LITERAL; at++) {
		at = next_place(set, text, at, n_bytes);
		if (at == n_bytes)
			return false;
		look_at(&look, at);
	}
	*found_out = look.found;
	return true;
}
