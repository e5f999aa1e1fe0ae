/* forward_build.c: see forward_build.h. */
#include "indexer/segment/forward_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/collections/sort.h"
#include "core/matrix/prices.h"

/* Most hashes of a filter. More would reject few further lists, because most of the lists that pass
 * have the neighbourhood. */
#define MOST_HASHES 7u
/* The smallest neighbourhoods that are tried have 2^LEAST_NEAR ordinals. A neighbourhood is a group
 * of consecutive ordinals; filters hash these instead of terms (core/matrix/forward_index.h). */
#define LEAST_NEAR 1u

void bs_forward_load_add(struct bs_forward_load *load, const struct bs_forward_load *other)
{
	load->n_docs += other->n_docs;
	load->n_terms += other->n_terms;
	load->n_bits += other->n_bits;
	for (uint32_t i = 0; i < BS_FORWARD_NEARS; i++)
		load->near[i] += other->near[i];
}

/* Time of a query for one term in all documents: to look into the lists that pass the filters, and
 * to read the filters, which takes about n_hashes words for each group of 64 documents. */
static double look_ns(const struct bs_forward_load *load, const struct bs_forward_price *price,
                      struct bs_forward_hashing hashing)
{
	double near = ldexp(load->near[hashing.near_log2], (int)hashing.near_log2) /
	              fmax(price->n_ordinals, 1);
	near = fmin(near * BS_PRICE_NEAR_FACTOR, load->n_docs);
	double passes = near + (load->n_docs - near) * ldexp(1, -(int)hashing.n_hashes);
	return passes * BS_PRICE_FORWARD_LOOK_NS +
	       load->n_docs / BS_FORWARD_GROUP_ROWS * hashing.n_hashes * BS_PRICE_FILTER_NS;
}

struct bs_forward_hashing bs_forward_choose(const struct bs_forward_load *load,
                                            const struct bs_forward_price *price, double *cost_out)
{
	struct bs_forward_hashing best = {0, 0};
	double least = INFINITY;
	for (uint32_t near_log2 = LEAST_NEAR; near_log2 < BS_FORWARD_NEARS; near_log2++) {
		for (uint32_t n_hashes = 1; n_hashes <= MOST_HASHES; n_hashes++) {
			struct bs_forward_hashing hashing = {n_hashes, near_log2};
			double filter_bits = load->near[near_log2] * n_hashes / M_LN2;
			double cost = filter_bits + look_ns(load, price, hashing) * price->ns_bits;
			if (cost < least) {
				least = cost;
				best = hashing;
			}
		}
	}
	*cost_out = load->n_bits + least + BS_PRICE_FORWARD_SHARD_NS * price->ns_bits;
	return best;
}

/* Reads the ordinals of a document's terms, and sorts them. */
static void take_ordinals(const struct bs_indexing_buffer *indexing_buffer,
                          const uint32_t *ordinal_of, uint32_t document, uint32_t *ordinals,
                          uint32_t *spare)
{
	struct bs_term_reader reader = bs_indexing_buffer_read(indexing_buffer, document);
	uint32_t numbers[BS_TERM_CHUNK];
	uint32_t n_terms = 0;
	for (uint32_t n; (n = bs_indexing_buffer_next(&reader, numbers)) > 0;)
		for (uint32_t i = 0; i < n; i++)
			ordinals[n_terms++] = ordinal_of[numbers[i]];
	bs_sort_u32(ordinals, spare, n_terms, indexing_buffer->terms.n_terms);
}

/* For each size, at most SAMPLE_DOCS documents are measured: fewer, but at least one, if they would
 * have more than about SAMPLE_TERMS terms. */
#define SAMPLE_DOCS  32u
#define SAMPLE_TERMS (32u << 10)

struct size_sample {
	uint64_t n_docs;             /* documents of this size */
	uint64_t n_seen;             /* documents of this size until now, measured or not */
	struct bs_forward_load load; /* sum of the measured documents */
};

static struct bs_forward_load load_of(const uint32_t *ordinals, uint32_t n)
{
	struct bs_forward_load load = {.n_docs = 1, .n_terms = n};
	for (uint32_t i = 0; i < BS_FORWARD_NEARS; i++)
		load.near[i] = bs_forward_neighbourhoods(i, ordinals, n);
	return load;
}

enum bs_status bs_forward_measure(const struct bs_indexing_buffer *indexing_buffer,
                                  const uint32_t *ordinal_of,
                                  struct bs_forward_load loads_out[BS_FORWARD_SIZES],
                                  struct bs_error *err)
{
	struct size_sample samples[BS_FORWARD_SIZES] = {{0}};
	const struct bs_buffered_doc *docs = indexing_buffer->docs.items;
	uint32_t n_docs = bs_indexing_buffer_n_docs(indexing_buffer);
	uint32_t most = 1;
	for (uint32_t i = 0; i < n_docs; i++) {
		samples[bs_forward_size(docs[i].n_terms)].n_docs++;
		most = docs[i].n_terms > most ? docs[i].n_terms : most;
	}
	uint32_t *ordinals = malloc((size_t)most * 2 * sizeof(*ordinals));
	if (!ordinals)
		return bs_fail_memory(err, "terms of a document",
		                      (size_t)most * 2 * sizeof(*ordinals));
	for (uint32_t i = 0; i < n_docs; i++) {
		uint32_t size = bs_forward_size(docs[i].n_terms);
		struct size_sample *sample = &samples[size];
		uint64_t wanted = SAMPLE_TERMS >> size;
		wanted = wanted < 1 ? 1 : (wanted > SAMPLE_DOCS ? SAMPLE_DOCS : wanted);
		uint64_t n_before = sample->n_seen++;
		/* Measure documents that are spread evenly over all of this size. */
		if (sample->n_docs > wanted &&
		    n_before * wanted / sample->n_docs == sample->n_seen * wanted / sample->n_docs)
			continue;
		take_ordinals(indexing_buffer, ordinal_of, i, ordinals, ordinals + most);
		struct bs_forward_load load = load_of(ordinals, docs[i].n_terms);
		load.n_bits = (double)bs_forward_index_bytes(ordinals, docs[i].n_terms) * 8 +
		              BS_PRICE_FORWARD_ENTRY_BITS;
		bs_forward_load_add(&sample->load, &load);
	}
	for (uint32_t size = 0; size < BS_FORWARD_SIZES; size++)
		loads_out[size] = samples[size].load;
	free(ordinals);
	return BS_OK;
}

void bs_shard_product_deinit(struct bs_shard_product *product)
{
	free(product->rows);
	free(product->offsets);
	free(product->terms);
	free(product->filter_offsets);
	free(product->filter_words);
	free(product->exact_terms);
	free(product->columns);
	bs_false_positives_builder_deinit(&product->false_positives);
	*product = (struct bs_shard_product){0};
}

/* Compares documents by number of terms, because documents that share a filter should have similar
 * lengths. */
static int compare_lengths(const void *a, const void *b, void *context)
{
	const struct bs_buffered_doc *docs = context;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	int order = bs_compare_u64(docs[x].n_terms, docs[y].n_terms);
	return order ? order : bs_compare_u64(x, y);
}

static enum bs_status place_rows(const struct bs_indexing_buffer *indexing_buffer,
                                 const uint32_t *docs, uint32_t n_docs,
                                 struct bs_shard_product *product, struct bs_error *err)
{
	const struct bs_buffered_doc *accumulated = indexing_buffer->docs.items;
	product->rows = malloc((size_t)n_docs * sizeof(*product->rows));
	product->offsets = calloc((size_t)n_docs + 1, sizeof(*product->offsets));
	product->filter_offsets =
		calloc((size_t)bs_forward_groups(n_docs) + 1, sizeof(*product->filter_offsets));
	if (!product->rows || !product->offsets || !product->filter_offsets)
		return bs_fail_memory(err, "forward indexes", n_docs * sizeof(*product->offsets));
	memcpy(product->rows, docs, (size_t)n_docs * sizeof(*product->rows));
	qsort_r(product->rows, n_docs, sizeof(*product->rows), compare_lengths,
	        (void *)(uintptr_t)accumulated);
	for (uint32_t row = 0; row < n_docs; row++)
		product->offsets[row + 1] =
			product->offsets[row] + accumulated[product->rows[row]].n_terms;
	return BS_OK;
}

/* Collects the sorted ordinals of all rows. */
static enum bs_status take_terms(const struct bs_indexing_buffer *indexing_buffer,
                                 const uint32_t *ordinal_of, uint32_t n_docs,
                                 struct bs_shard_product *product, struct bs_error *err)
{
	uint64_t n_terms = product->offsets[n_docs];
	uint64_t most = n_terms - product->offsets[n_docs - 1]; /* the last row is the longest */
	uint32_t *spare = malloc((size_t)(most + 1) * sizeof(*spare));
	product->terms = malloc((size_t)(n_terms + 1) * sizeof(*product->terms));
	if (!spare || !product->terms) {
		free(spare);
		return bs_fail_memory(err, "forward indexes", n_terms * sizeof(*product->terms));
	}
	for (uint32_t row = 0; row < n_docs; row++)
		take_ordinals(indexing_buffer, ordinal_of, product->rows[row],
		              product->terms + product->offsets[row], spare);
	free(spare);
	return BS_OK;
}

/* The least df for which an exact column costs less than entries in lists. These cost bits * df for
 * memory, and look_bits * df * df for the time of queries: a query looks into df lists, and a word
 * is assumed to be queried as often as it occurs. Solves bits * df + look_bits * df^2 =
 * column_bits. */
static uint32_t least_exact(uint32_t n_docs, const struct bs_shard_product *product,
                            const struct bs_forward_price *price)
{
	double n_terms = fmax((double)product->offsets[n_docs], 1);
	double column_bits =
		bs_forward_groups(n_docs) * (double)BS_FORWARD_GROUP_ROWS + BS_PRICE_EXACT_BITS;
	double look_bits = BS_PRICE_FREQUENT_NS * price->ns_bits / n_terms;
	double bits = BS_PRICE_FREQUENT_BITS; /* bits of a posting */
	return (uint32_t)ceil(2 * column_bits /
	                      (bits + sqrt(bits * bits + 4 * look_bits * column_bits)));
}

/* Chooses the terms that get exact columns, fills these columns, and removes the terms from the
 * lists. */
static enum bs_status make_exact(uint32_t n_docs, uint32_t n_terms,
                                 const struct bs_forward_price *price,
                                 struct bs_shard_product *product, uint32_t *n_exact_out,
                                 struct bs_error *err)
{
	uint32_t least = least_exact(n_docs, product, price);
	uint32_t n_groups = bs_forward_groups(n_docs);
	uint32_t n_exact = 0;
	/* by ordinal: first the df, then the exact column + 1 */
	uint32_t *column_of = calloc((size_t)n_terms + 1, sizeof(*column_of));
	if (!column_of)
		return bs_fail_memory(err, "exact columns", (size_t)n_terms * sizeof(*column_of));
	for (uint64_t i = 0; i < product->offsets[n_docs]; i++)
		n_exact += ++column_of[product->terms[i]] == least;
	*n_exact_out = n_exact;
	product->exact_terms = malloc(((size_t)n_exact + 1) * sizeof(*product->exact_terms));
	product->columns = calloc((size_t)n_exact * n_groups + 1, sizeof(*product->columns));
	if (!product->exact_terms || !product->columns) {
		free(column_of);
		return bs_fail_memory(err, "exact columns",
		                      ((size_t)n_exact + 1) * sizeof(*product->exact_terms));
	}
	n_exact = 0;
	for (uint32_t term = 0; term < n_terms; term++) {
		bool is_exact = column_of[term] >= least;
		if (is_exact)
			product->exact_terms[n_exact++] = term;
		column_of[term] = is_exact ? n_exact : 0;
	}
	uint32_t *to = product->terms;
	uint64_t start = 0;
	for (uint32_t row = 0; row < n_docs; row++) {
		uint64_t end = product->offsets[row + 1];
		for (uint64_t i = start; i < end; i++) {
			uint32_t column = column_of[product->terms[i]];
			*to = product->terms[i];
			to += column == 0;
			if (column > 0)
				product->columns[(size_t)(column - 1) * n_groups + row / 64] |=
					UINT64_C(1) << (row % 64);
		}
		start = end;
		product->offsets[row + 1] = (uint64_t)(to - product->terms);
	}
	free(column_of);
	return BS_OK;
}

static const uint32_t *term_vectors(const struct bs_shard_product *product, uint32_t row,
                                    uint32_t *n_out)
{
	*n_out = (uint32_t)(product->offsets[row + 1] - product->offsets[row]);
	return product->terms + product->offsets[row];
}

/* Chooses the parameters of the filters for the lists, and makes the filter of each row group. */
static enum bs_status make_filters(uint32_t n_docs, const struct bs_forward_price *price,
                                   struct bs_shard_product *product,
                                   struct bs_forward_hashing *hashing_out, struct bs_error *err)
{
	struct bs_forward_load all = {0};
	double cost;
	uint64_t n_near = 0;
	uint32_t n;
	for (uint32_t row = 0; row < n_docs; row++) {
		const uint32_t *terms = term_vectors(product, row, &n);
		struct bs_forward_load one = load_of(terms, n);
		bs_forward_load_add(&all, &one);
	}
	struct bs_forward_hashing hashing = *hashing_out = bs_forward_choose(&all, price, &cost);
	for (uint32_t row = 0; row < n_docs; row++) {
		uint64_t *filter = product->filter_offsets + row / BS_FORWARD_GROUP_ROWS;
		uint32_t n_in_group = row % BS_FORWARD_GROUP_ROWS + 1;
		const uint32_t *terms = term_vectors(product, row, &n);
		n_near = (n_in_group == 1 ? 0 : n_near) +
		         bs_forward_neighbourhoods(hashing.near_log2, terms, n);
		filter[1] = filter[0] + bs_forward_filter_width(hashing, n_near / n_in_group);
	}
	size_t n_words = (size_t)product->filter_offsets[bs_forward_groups(n_docs)];
	product->filter_words = calloc(n_words + 1, sizeof(*product->filter_words));
	if (!product->filter_words)
		return bs_fail_memory(err, "the filter of forward indexes",
		                      n_words * sizeof(*product->filter_words));
	for (uint32_t row = 0; row < n_docs; row++) {
		const uint64_t *filter = product->filter_offsets + row / BS_FORWARD_GROUP_ROWS;
		const uint32_t *terms = term_vectors(product, row, &n);
		bs_forward_filter_set(hashing, product->filter_words + filter[0],
		                      (uint32_t)(filter[1] - filter[0]),
		                      row % BS_FORWARD_GROUP_ROWS, terms, n);
	}
	return BS_OK;
}

enum bs_status bs_forward_build(const struct bs_indexing_buffer *indexing_buffer,
                                const uint32_t *ordinal_of, const uint32_t *docs, uint32_t n_docs,
                                double ns_bits, struct bs_shard_product *product,
                                struct bs_error *err)
{
	struct bs_forward_price price = {.ns_bits = ns_bits,
	                                 .n_ordinals = indexing_buffer->terms.n_terms};
	struct bs_forward_hashing hashing = {0, 0};
	uint32_t n_exact = 0;
	*product = (struct bs_shard_product){0};
	enum bs_status status = place_rows(indexing_buffer, docs, n_docs, product, err);
	if (!status)
		status = take_terms(indexing_buffer, ordinal_of, n_docs, product, err);
	if (!status)
		status = make_exact(n_docs, indexing_buffer->terms.n_terms, &price, product,
		                    &n_exact, err);
	if (!status)
		status = make_filters(n_docs, &price, product, &hashing, err);
	product->image = (struct bs_shard_image){
		.shape = {.n_docs = n_docs,
	                  .is_forward = true,
	                  .n_exact = n_exact,
	                  .hashing = hashing},
		.rows = product->rows,
		.forward_offsets = product->offsets,
		.forward_terms = product->terms,
		.filter_offsets = product->filter_offsets,
		.filter_words = product->filter_words,
		.exact_terms = product->exact_terms,
		.forward_columns = product->columns,
	};
	return status;
}
