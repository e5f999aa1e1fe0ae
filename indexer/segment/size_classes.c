/* size_classes.c: what makes it worth merging two classes. See size_classes.h. */
#include "indexer/segment/size_classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/matrix/prices.h"
#include "core/simd/kernels.h"

/*
 * Documents start in classes of weights within a factor 1.5; then the two neighbours whose merging saves most are
 * merged, again and again, until none saves. The cost of a class is in bits a posting of the segment; work at query
 * time is charged in the same coin, at the price of core/matrix/treatment.h.
 */

struct load {
	uint64_t n_docs;
	double weight;
	double weight_squares;
	double n_listed;
	struct bs_forward_load list; /* as forward lists */
};

/* The rules, and what follows from them. */
struct cost_rules {
	struct bs_size_class_rules given;
	struct bs_forward_price price;
};

static struct load join(const struct load *a, const struct load *b)
{
	struct load both = {a->n_docs + b->n_docs, a->weight + b->weight, a->weight_squares + b->weight_squares,
	                    a->n_listed + b->n_listed, a->list};
	bs_forward_load_add(&both.list, &b->list);
	return both;
}

/* Bytes of a block of this class in a slab of its own: see level_width in slab_build.c. */
static double block_bytes(const struct load *load, const struct cost_rules *rules)
{
	double m = load->weight > 0 ? load->weight_squares / load->weight / -log1p(-rules->given.density) : 0;
	return fmax(m, 8) * BS_LINE_BYTES * BS_PRICE_EXACT_BYTES;
}

/* Rows of one slab, so that its columns stay below max_slab_bytes; 0 if not even one block does. */
static uint32_t slab_rows(const struct load *load, const struct cost_rules *rules)
{
	double n_blocks = floor((double)rules->given.max_slab_bytes / block_bytes(load, rules));
	if (n_blocks < 1)
		return 0;
	return (n_blocks < rules->given.max_blocks ? (uint32_t)n_blocks : rules->given.max_blocks) * BS_LINE_BITS;
}

/* What a document of so many terms is as a forward list. */
static struct bs_forward_load forward_load(uint32_t n_terms, const struct cost_rules *rules)
{
	const struct bs_forward_load *seen = &rules->given.lists[bs_forward_size(n_terms)];
	double share = seen->n_terms > 0 ? n_terms / seen->n_terms : 0;
	struct bs_forward_load load = {.n_docs = 1, .n_terms = n_terms, .n_bits = seen->n_bits * share};
	for (uint32_t i = 0; i < BS_FORWARD_NEARS; i++)
		load.near[i] = seen->near[i] * share;
	return load;
}

/* The cost of a class, as columns or as forward lists, and which of them it is. */
static double class_cost(const struct load *load, const struct cost_rules *rules, bool *is_forward_out)
{
	uint32_t rows = slab_rows(load, rules);
	double as_lists, as_matrix = INFINITY;
	bs_forward_choose(&load->list, &rules->price, &as_lists);
	if (rows > 0) {
		double n_slabs = ceil((double)load->n_docs / rows);
		double n_blocks = ceil((double)load->n_docs / BS_LINE_BITS);
		as_matrix = n_blocks * block_bytes(load, rules) * 8 + load->n_listed * BS_PRICE_CLASS_LISTED_BITS +
		            n_slabs * BS_PRICE_SLAB_NS * rules->price.ns_bits;
	}
	*is_forward_out = rules->given.forward_mode == BS_FORWARD_ALWAYS || rows == 0 ||
	                  (rules->given.forward_mode == BS_FORWARD_AUTO && as_lists < as_matrix);
	return *is_forward_out ? as_lists : as_matrix;
}

static uint32_t compute_class(uint64_t weight)
{
	uint32_t class = (uint32_t)(log((double)weight + 1) / log(BS_PRICE_CLASS_RATIO));
	return class < BS_MAX_SIZE_CLASSES ? class : BS_MAX_SIZE_CLASSES - 1;
}

/* Classes of the weights that most documents have: two logarithms a document add up. */
#define SMALL_WEIGHTS 2048u

static uint32_t class_of(const uint8_t of_small[SMALL_WEIGHTS], uint64_t weight)
{
	return weight < SMALL_WEIGHTS ? of_small[weight] : compute_class(weight);
}

/*
 * What merging two classes saves; less than 0: they are not merged. An empty class is no class. Where forward lists are
 * for what does not fit into columns only, what can be columns stays columns, though it would be smaller beside what
 * cannot be.
 */
static double saving(const struct load *a, const struct load *b, const struct cost_rules *rules)
{
	bool a_is_forward, b_is_forward, is_forward;
	struct load both = join(a, b);
	if (a->n_docs == 0 || b->n_docs == 0)
		return INFINITY;
	double before = class_cost(a, rules, &a_is_forward) + class_cost(b, rules, &b_is_forward);
	double after = class_cost(&both, rules, &is_forward);
	if (rules->given.forward_mode == BS_FORWARD_NEVER && is_forward && !(a_is_forward && b_is_forward))
		return -1;
	return before - after;
}

/* Merges neighbours in loads[0..n), of which first_of[i] is the first class in loads[i]. Returns how many are left. */
static uint32_t merge_classes(struct load *loads, uint32_t n, uint32_t *first_of, const struct cost_rules *rules)
{
	for (;;) {
		double best = 0;
		uint32_t at = n;
		for (uint32_t i = 0; i + 1 < n; i++) {
			double saved = saving(&loads[i], &loads[i + 1], rules);
			if (saved > best || isinf(saved)) {
				best = saved;
				at = i;
			}
		}
		if (at == n)
			return n;
		loads[at] = join(&loads[at], &loads[at + 1]);
		memmove(&loads[at + 1], &loads[at + 2], (n - at - 2) * sizeof(*loads));
		memmove(&first_of[at + 1], &first_of[at + 2], (n - at - 2) * sizeof(*first_of));
		n--;
	}
}

enum bs_status bs_size_classes_make(const struct bs_size_class_doc *docs, uint32_t n_docs,
                                    const struct bs_size_class_rules *given, struct bs_size_classes *classes_out,
                                    struct bs_error *err)
{
	double n_postings = 0;
	for (uint32_t i = 0; i < n_docs; i++)
		n_postings += docs[i].n_terms;
	struct cost_rules rules = {.given = *given, .price = {n_postings / given->bit_ns, given->n_ordinals}};
	struct load loads[BS_MAX_SIZE_CLASSES] = {{0}};
	uint32_t first_of[BS_MAX_SIZE_CLASSES]; /* the first of the original classes in each merged one */
	memset(classes_out, 0, sizeof(*classes_out));
	classes_out->ns_bits = rules.price.ns_bits;
	if (n_docs == 0)
		return BS_OK;
	classes_out->docs = malloc((size_t)n_docs * sizeof(uint32_t));
	if (!classes_out->docs)
		return bs_fail_memory(err, "size classes", (size_t)n_docs * sizeof(uint32_t));
	uint8_t of_small[SMALL_WEIGHTS];
	for (uint32_t weight = 0; weight < SMALL_WEIGHTS; weight++)
		of_small[weight] = (uint8_t)compute_class(weight);
	for (uint32_t i = 0; i < BS_MAX_SIZE_CLASSES; i++)
		first_of[i] = i;
	for (uint32_t i = 0; i < n_docs; i++) {
		double weight = (double)docs[i].weight;
		struct load one = {1, weight, weight * weight, docs[i].n_listed, forward_load(docs[i].n_terms, &rules)};
		struct load *load = &loads[class_of(of_small, docs[i].weight)];
		*load = join(load, &one);
	}
	classes_out->n_classes = merge_classes(loads, BS_MAX_SIZE_CLASSES, first_of, &rules);
	uint32_t *at = classes_out->docs;
	uint8_t class_in[BS_MAX_SIZE_CLASSES];
	for (uint32_t c = 0; c < classes_out->n_classes; c++) {
		struct bs_size_class *class = &classes_out->classes[c];
		*class = (struct bs_size_class){.docs = at, .block_bytes = (uint64_t)block_bytes(&loads[c], &rules)};
		class_cost(&loads[c], &rules, &class->is_forward);
		class->max_rows = class->is_forward ? UINT32_MAX : slab_rows(&loads[c], &rules);
		at += loads[c].n_docs;
		uint32_t end = c + 1 < classes_out->n_classes ? first_of[c + 1] : BS_MAX_SIZE_CLASSES;
		for (uint32_t i = first_of[c]; i < end; i++)
			class_in[i] = (uint8_t)c;
	}
	for (uint32_t i = 0; i < n_docs; i++) {
		struct bs_size_class *class = &classes_out->classes[class_in[class_of(of_small, docs[i].weight)]];
		class->docs[class->n_docs++] = i;
	}
	return BS_OK;
}

void bs_size_classes_deinit(struct bs_size_classes *classes)
{
	free(classes->docs);
	memset(classes, 0, sizeof(*classes));
}
