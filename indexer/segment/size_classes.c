/* size_classes.c: finds the cheapest division of documents into size classes. See
 * size_classes.h. */
#include "indexer/segment/size_classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/matrix/prices.h"
#include "core/matrix/shard.h"
#include "core/simd/kernels.h"

/*
 * Documents are sorted by weight into bins of 5 % width. In this order a cut between two classes
 * may be at every multiple of `step` documents (see cut_bins), and wherever the weight has grown by
 * half. Dynamic programming finds the set of cuts with the lowest cost. Cuts at multiples of a
 * number of documents let shards fill their lines: the line of a group column has 4,096 documents,
 * and with cuts by weight only, a quarter of the lines was padding in the Linux tree. Costs are in
 * bits; query time is converted to bits at the price of core/matrix/term_treatment.h.
 */
#define BINS_A_DOUBLING 14u
#define BINS            (32u * BINS_A_DOUBLING)
#define BINS_A_CUT      8u
#define MOST_STEPS      256u
#define MOST_PIECES     (MOST_STEPS + BINS / BINS_A_CUT)
/* added cost of a document in a forward index if the mode is BS_FORWARD_NEVER */
#define NEVER_BITS 1e12
_Static_assert(MOST_PIECES <= BS_MAX_SIZE_CLASSES, "each piece may be a class");

/* Sums over the documents of a class, a piece or a bin. */
struct load {
	double n_columns[BS_MAX_LEVELS]; /* by level: number of columns that a document sets */
	double squares[BS_MAX_LEVELS];   /* by level: square of this number */
	double n_listed;                 /* entries in rare-term lists */
	/* the load of these documents as forward indexes; includes n_docs */
	struct bs_forward_load list;
};

/* The rules, and values derived from them. */
struct cost_rules {
	struct bs_size_class_rules given;
	struct bs_forward_price price;
	/* by level: cost of a column relative to that of a column of the document level */
	double shares[BS_MAX_LEVELS];
};

/* The documents between two adjacent possible cuts. */
struct piece {
	uint32_t end; /* position after its last document, in the order by weight */
	struct load load;
	double cost; /* cost of the cheapest division of all documents up to end */
	/* in the cheapest division up to end: the last class begins after this many pieces */
	uint32_t before;
};

struct cutting {
	struct cost_rules rules;
	uint32_t bin_docs[BINS];
	struct load bins[BINS];
	struct piece pieces[MOST_PIECES];
	uint32_t n_pieces;
};

/* Adds other, multiplied by share, to load. */
static void add(struct load *load, const struct load *other, double share)
{
	struct bs_forward_load list = other->list;
	for (uint32_t level = 0; level < BS_MAX_LEVELS; level++) {
		load->n_columns[level] += other->n_columns[level] * share;
		load->squares[level] += other->squares[level] * share;
	}
	load->n_listed += other->n_listed * share;
	list.n_docs *= share;
	list.n_terms *= share;
	list.n_bits *= share;
	for (uint32_t i = 0; i < BS_FORWARD_NEARS; i++)
		list.near[i] *= share;
	bs_forward_load_add(&load->list, &list);
}

/* The mean number of columns of a level that a document sets, weighted by this number, because long
 * documents determine the width of a shard (shard_build.c). */
static double columns_of(const struct load *load, uint32_t level)
{
	return load->n_columns[level] > 0 ? load->squares[level] / load->n_columns[level] : 0;
}

/* Bits of the columns of a shard with n_docs documents of the class. */
static double shard_bits(const struct load *load, uint32_t n_docs, const struct cost_rules *rules)
{
	double bits_a_column = 1 / -log1p(-rules->given.density);
	uint32_t n_blocks = (n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
	double document_columns = columns_of(load, 0), bits = 0;
	for (uint32_t level = 1; level < rules->given.n_levels; level++) {
		uint8_t rank = rules->given.ranks[level];
		double span = ldexp(1, (int)bs_level_shift(rank, n_docs)),
		       columns = columns_of(load, level);
		double width = columns * pow(span, BS_PRICE_SPAN_POWER) * bits_a_column;
		double level_bits = width * bs_level_lines(rank, n_blocks) * BS_LINE_BITS;
		if (n_blocks >= BS_PRICE_COARSE_MIN_BLOCKS &&
		    level_bits <= columns * n_docs * bits_a_column * BS_PRICE_COARSE_WORTH)
			bits += level_bits;
		else
			document_columns += columns;
	}
	return bits + fmax(document_columns * bits_a_column, 8) * n_blocks * BS_LINE_BITS *
	                      BS_PRICE_EXACT_BYTES;
}

static double block_bytes(const struct load *load, const struct cost_rules *rules)
{
	return shard_bits(load, BS_LINE_BITS, rules) / 8;
}

/* The number of rows with which a shard stays within max_shard_bytes and max_blocks; 0 if a single
 * block exceeds max_shard_bytes. */
static uint32_t shard_rows(const struct load *load, const struct cost_rules *rules)
{
	double n_blocks = floor((double)rules->given.max_shard_bytes / block_bytes(load, rules));
	if (n_blocks < 1)
		return 0;
	return (n_blocks < rules->given.max_blocks ? (uint32_t)n_blocks : rules->given.max_blocks) *
	       BS_LINE_BITS;
}

/* Estimates the load of a document of n_terms terms as a forward index. */
static struct bs_forward_load forward_load(uint32_t n_terms, const struct cost_rules *rules)
{
	const struct bs_forward_load *seen = &rules->given.lists[bs_forward_size(n_terms)];
	double share = seen->n_terms > 0 ? n_terms / seen->n_terms : 0;
	struct bs_forward_load load = {
		.n_docs = 1, .n_terms = n_terms, .n_bits = seen->n_bits * share};
	for (uint32_t i = 0; i < BS_FORWARD_NEARS; i++)
		load.near[i] = seen->near[i] * share;
	return load;
}

static double matrix_cost(const struct load *load, uint32_t rows, const struct cost_rules *rules)
{
	double n_docs = ceil(load->list.n_docs - 0.5), n_full = floor(n_docs / rows);
	uint32_t n_left = (uint32_t)(n_docs - n_full * rows);
	double bits = n_full > 0 ? n_full * shard_bits(load, rows, rules) : 0;
	if (n_left > 0)
		bits += shard_bits(load, n_left, rules);
	return bits + load->n_listed * BS_PRICE_CLASS_LISTED_BITS +
	       (n_full + (n_left > 0)) * BS_PRICE_SHARD_NS * rules->price.ns_bits;
}

/* The cost of a class as a matrix or as forward indexes, whichever is lower. */
static double class_cost(const struct load *load, const struct cost_rules *rules,
                         bool *is_forward_out)
{
	uint32_t rows = shard_rows(load, rules);
	double as_lists = load->list.n_bits;
	double as_matrix = rows ? matrix_cost(load, rows, rules) : INFINITY;
	if (rules->given.forward_mode == BS_FORWARD_ALWAYS)
		as_matrix = INFINITY;
	if (rules->given.forward_mode == BS_FORWARD_NEVER)
		as_lists += load->list.n_docs * NEVER_BITS;
	/* The cost of filters is computed only if forward indexes without filters cost less than a
	 * matrix. */
	if (as_lists < as_matrix) {
		double n_never = as_lists - load->list.n_bits;
		bs_forward_choose(&load->list, &rules->price, &as_lists);
		as_lists += n_never;
	}
	*is_forward_out = as_lists < as_matrix;
	return *is_forward_out ? as_lists : as_matrix;
}

/* The bin of a document. Its weight is about the number of bits that it takes in columns; bins are
 * on a logarithmic scale. */
static uint32_t bin_of(const struct bs_size_class_doc *doc, const struct cost_rules *rules)
{
	double weight = 1;
	for (uint32_t level = 0; level < rules->given.n_levels; level++)
		weight += doc->n_columns[level] * rules->shares[level];
	uint32_t bin = (uint32_t)(log2(weight) * BINS_A_DOUBLING);
	return bin < BINS ? bin : BINS - 1;
}

/* Counts and sums the documents of each bin. bins_out: the bin of each document. */
static void fill_bins(struct cutting *cutting, const struct bs_size_class_doc *docs,
                      uint32_t n_docs, uint16_t *bins_out)
{
	struct cost_rules *rules = &cutting->rules;
	for (uint32_t level = 0; level < rules->given.n_levels; level++)
		rules->shares[level] =
			pow(ldexp(1, rules->given.ranks[level]), BS_PRICE_SPAN_POWER - 1);
	for (uint32_t i = 0; i < n_docs; i++) {
		uint32_t bin = bin_of(&docs[i], rules);
		struct load one = {.n_listed = docs[i].n_listed,
		                   .list = forward_load(docs[i].n_terms, rules)};
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++) {
			one.n_columns[level] = docs[i].n_columns[level];
			one.squares[level] = one.n_columns[level] * one.n_columns[level];
		}
		bins_out[i] = (uint16_t)bin;
		cutting->bin_docs[bin]++;
		add(&cutting->bins[bin], &one, 1);
	}
}

/* Makes a piece of the documents since the last possible cut, and clears load. */
static void cut(struct cutting *cutting, uint32_t rank, struct load *load)
{
	if (load->list.n_docs <= 0)
		return;
	cutting->pieces[cutting->n_pieces++] = (struct piece){.end = rank, .load = *load};
	*load = (struct load){.n_listed = 0};
}

static void cut_bins(struct cutting *cutting, uint32_t n_docs)
{
	uint32_t step = BS_LINE_BITS, rank = 0;
	struct load load = {.n_listed = 0};
	while (n_docs / step >= MOST_STEPS)
		step *= 2;
	for (uint32_t bin = 0; bin < BINS; bin++) {
		uint32_t end = rank + cutting->bin_docs[bin];
		if (bin % BINS_A_CUT == 0)
			cut(cutting, rank, &load);
		while (rank < end) {
			uint32_t next = rank / step * step + step, to = next < end ? next : end;
			add(&load, &cutting->bins[bin],
			    (double)(to - rank) / cutting->bin_docs[bin]);
			rank = to;
			if (rank == next)
				cut(cutting, rank, &load);
		}
	}
	cut(cutting, rank, &load);
}

/* For the documents up to each possible cut, finds the cheapest division into classes. */
static void choose(struct cutting *cutting)
{
	for (uint32_t end = 1; end <= cutting->n_pieces; end++) {
		struct piece *last = &cutting->pieces[end - 1];
		struct load load = {.n_listed = 0};
		last->cost = INFINITY;
		for (uint32_t first = end; first-- > 0;) {
			bool is_forward;
			add(&load, &cutting->pieces[first].load, 1);
			double before = first ? cutting->pieces[first - 1].cost : 0;
			double cost = before + class_cost(&load, &cutting->rules, &is_forward);
			if (cost < last->cost) {
				last->cost = cost;
				last->before = first;
			}
		}
	}
}

/* Makes the classes of the cheapest division, the last class first. place_docs adds their
 * documents. */
static void make_classes(const struct cutting *cutting, struct bs_size_classes *classes)
{
	for (uint32_t end = cutting->n_pieces; end > 0; end = cutting->pieces[end - 1].before)
		classes->n_classes++;
	uint32_t c = classes->n_classes;
	for (uint32_t end = cutting->n_pieces, first; end > 0; end = first) {
		struct bs_size_class *class = &classes->classes[--c];
		struct load load = {.n_listed = 0};
		first = cutting->pieces[end - 1].before;
		for (uint32_t i = first; i < end; i++)
			add(&load, &cutting->pieces[i].load, 1);
		class->docs = classes->docs + (first ? cutting->pieces[first - 1].end : 0);
		class->block_bytes = (uint64_t)block_bytes(&load, &cutting->rules);
		class_cost(&load, &cutting->rules, &class->is_forward);
		class->max_rows =
			class->is_forward ? UINT32_MAX : shard_rows(&load, &cutting->rules);
	}
}

/* Assigns documents to classes by their position in the order by weight; documents of one bin stay
 * in document order. */
static void place_docs(const struct cutting *cutting, const uint16_t *bins, uint32_t n_docs,
                       struct bs_size_classes *classes)
{
	uint32_t ranks[BINS], in[BINS], rank = 0;
	for (uint32_t bin = 0; bin < BINS; bin++) {
		ranks[bin] = rank;
		in[bin] = 0;
		rank += cutting->bin_docs[bin];
	}
	for (uint32_t i = 0; i < n_docs; i++) {
		uint32_t bin = bins[i], *class = &in[bin];
		rank = ranks[bin]++;
		while (*class + 1 < classes->n_classes &&
		       classes->docs + rank >= classes->classes[*class + 1].docs)
			++*class;
		classes->classes[*class].docs[classes->classes[*class].n_docs++] = i;
	}
}

enum bs_status bs_size_classes_make(const struct bs_size_class_doc *docs, uint32_t n_docs,
                                    const struct bs_size_class_rules *given,
                                    struct bs_size_classes *classes_out, struct bs_error *err)
{
	double n_postings = 0;
	for (uint32_t i = 0; i < n_docs; i++)
		n_postings += docs[i].n_terms;
	memset(classes_out, 0, sizeof(*classes_out));
	classes_out->ns_bits = n_postings / given->bit_ns;
	if (n_docs == 0)
		return BS_OK;
	struct cutting *cutting = calloc(1, sizeof(*cutting));
	uint16_t *bins = malloc((size_t)n_docs * sizeof(*bins));
	enum bs_status status = BS_OK;
	classes_out->docs = malloc((size_t)n_docs * sizeof(uint32_t));
	if (!cutting || !bins || !classes_out->docs) {
		status = bs_fail_memory(err, "size classes", (size_t)n_docs * sizeof(uint32_t));
		goto out;
	}
	cutting->rules = (struct cost_rules){.given = *given,
	                                     .price = {classes_out->ns_bits, given->n_ordinals}};
	fill_bins(cutting, docs, n_docs, bins);
	cut_bins(cutting, n_docs);
	choose(cutting);
	make_classes(cutting, classes_out);
	place_docs(cutting, bins, n_docs, classes_out);
out:
	free(cutting);
	free(bins);
	return status;
}

void bs_size_classes_deinit(struct bs_size_classes *classes)
{
	free(classes->docs);
	memset(classes, 0, sizeof(*classes));
}
