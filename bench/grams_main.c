/*
 * grams_main.c: bitsift-bench-grams FOLDER [--rate | N]: compares which grams an index could have
 * in addition to trigrams. For several selections of longer grams, prints the postings, the bytes
 * of the index, and the number of candidates of a random literal for each file that contains it. N:
 * uses only every N-th file. With --rate, measures only MB/s of computing the grams of an index, on
 * one thread. README.md has the results.
 *
 * Whether a selection has an n-gram depends only on the bytes of the n-gram, so the files are
 * searched once for all selections. Hash noise is simulated: a file without a gram passes with
 * probability d, unless the gram is in so many files that its column is exact.
 */
#include <ftw.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/hash.h"
#include "core/text/grams.h"
#include "indexer/batch/gram_sketch.h"

#define N_QUERIES    200 /* of each length */
#define N_LENGTHS    4
#define MOST_BYTES   30         /* of a query */
#define MOST_GRAM    12         /* bytes of the longest gram */
#define EXACT_SHARE  0.3        /* a gram in at least this share of the files has an exact column */
#define SAMPLE_EVERY 16         /* postings are counted in each 16th file */
#define FILTER_BITS  (1u << 21) /* small enough for the L2 cache */
#define COUNT(a)     (sizeof(a) / sizeof(*(a)))

static const unsigned lengths[N_LENGTHS] = {8, 12, 20, 30};

/* Selections. */

/* The hash of an n-gram. May read 8 bytes beyond its end, so buffers of texts have room for
 * these. */
static inline uint64_t hash_of(const uint8_t *bytes, unsigned n)
{
	uint64_t low, high = 0;
	memcpy(&low, bytes, 8);
	if (n < 8)
		low &= (UINT64_C(1) << (8 * n)) - 1;
	if (n > 8)
		memcpy(&high, bytes + 8, n - 8);
	return bs_hash_mix((n > 8 ? low ^ bs_hash_mix(high) : low) +
	                   n * UINT64_C(0x9e3779b97f4a7c15));
}

struct selection {
	const char *name;
	unsigned one_in[MOST_GRAM + 1]; /* selects 1 of one_in[n] n-grams; 0: none */
	/* Selects the sparse n-grams: those of 4 to 8 bytes whose first and last pairs of bytes
	 * weigh more (pair_weight) than all pairs between them. */
	bool is_sparse;
};

static const struct selection selections[] = {
	{"trigrams", {0}, false},
	{"+ 4-grams, 1 in 4", {[4] = 4}, false},
	{"+ 4-grams, 1 in 2", {[4] = 2}, false},
	{"+ 5-grams, 1 in 4", {[5] = 4}, false},
	{"+ 5-grams, 1 in 3", {[5] = 3}, false},
	{"+ 5-grams, 1 in 2", {[5] = 2}, false},
	{"+ 6-grams, 1 in 8", {[6] = 8}, false},
	{"+ 6-grams, 1 in 4", {[6] = 4}, false},
	{"+ 6-grams, 1 in 3", {[6] = 3}, false},
	{"+ 6-grams, 1 in 2", {[6] = 2}, false},
	{"+ 5- and 6-grams, 1 in 4", {[5] = 4, [6] = 4}, false},
	{"+ 4- and 6-grams, 1 in 4", {[4] = 4, [6] = 4}, false},
	{"+ 8-grams, 1 in 4", {[8] = 4}, false},
	{"+ 8-grams, 1 in 2", {[8] = 2}, false},
	{"+ 4- and 6-grams, 1 in 6", {[4] = 6, [6] = 6}, false},
	{"+ 5- and 8-grams, 1 in 6", {[5] = 6, [8] = 6}, false},
	{"+ 6- and 12-grams, 1 in 6", {[6] = 6, [12] = 6}, false},
	{"+ sparse 4..8-grams", {0}, true},
};

static uint64_t pair_weight(const uint8_t *bytes)
{
	return bs_hash_mix((uint64_t)bytes[0] << 8 | bytes[1]);
}

static bool is_sparse_gram(const uint8_t *bytes, unsigned n)
{
	uint64_t first = pair_weight(bytes), last = pair_weight(bytes + n - 2),
		 least = first < last ? first : last;
	for (unsigned i = 1; i + 2 < n; i++)
		if (pair_weight(bytes + i) >= least)
			return false;
	return true;
}

static bool is_selected(const struct selection *selection, const uint8_t *bytes, unsigned n)
{
	if (n == 3)
		return true;
	if (selection->is_sparse)
		return n >= 4 && n <= 8 && is_sparse_gram(bytes, n);
	unsigned one_in = selection->one_in[n];
	return one_in && bs_hash_reduce(bs_hash_mix(hash_of(bytes, n)), one_in) == 0;
}

/* Files. */

struct files {
	char **paths;
	size_t n;
	size_t capacity;
};

static struct files files;

static int add_file(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	(void)walk;
	if (type != FTW_F || info->st_size == 0)
		return 0;
	if (files.n == files.capacity) {
		files.capacity = files.capacity * 2 + 1024;
		files.paths = realloc(files.paths, files.capacity * sizeof(*files.paths));
	}
	files.paths[files.n++] = strdup(path);
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool read_file(const char *path, struct bs_buffer *bytes)
{
	FILE *file = fopen(path, "rb");
	bs_buffer_clear(bytes);
	for (size_t n = 1; file && n > 0; bytes->used_bytes += n) {
		if (bs_buffer_reserve(bytes, 1 << 18, NULL))
			exit(2);
		n = fread(bytes->data + bytes->used_bytes, 1, 1 << 18, file);
	}
	if (file)
		fclose(file);
	return file != NULL;
}

static bool read_folded(const char *path, struct bs_buffer *raw, struct bs_buffer *folded)
{
	bs_buffer_clear(folded);
	if (!read_file(path, raw))
		return false;
	if (bs_grams_fold(raw->data, raw->used_bytes, folded, NULL))
		exit(2);
	return bs_buffer_reserve(folded, 8, NULL) == BS_OK;
}

/* Keeps only every one_in-th file. */
static void thin_out(size_t one_in)
{
	size_t n = 0;
	for (size_t f = 0; f < files.n; f += one_in)
		files.paths[n++] = files.paths[f];
	files.n = n;
}

/* Literals, and the n-grams in them. */

struct query {
	uint8_t bytes[MOST_BYTES + 8];
	unsigned n_bytes;
	/* By position in the literal and n: its n-gram's index in the global array `grams`. */
	uint32_t grams[MOST_BYTES][MOST_GRAM + 1];
	uint64_t n_true; /* files that contain the literal */
};

static struct query queries[N_LENGTHS * N_QUERIES];

struct gram {
	uint64_t hash;
	uint64_t *files; /* one bit per file */
	uint64_t df;
};

/* The n-grams of all literals, for each usable n (is_usable); a hash table over them (slots: number
 * + 1; 0: empty); and a filter with one bit per n-gram that is tested before the hash table. */
static struct gram *grams;
static uint32_t n_grams, n_slots, *slots;
static uint64_t *filter;
static size_t n_words; /* of gram.files */

static uint32_t find_gram(uint64_t hash)
{
	if (!(filter[(hash >> 43) / 64] >> (hash >> 43) % 64 & 1))
		return UINT32_MAX;
	for (uint32_t at = (uint32_t)hash & (n_slots - 1); slots[at]; at = (at + 1) & (n_slots - 1))
		if (grams[slots[at] - 1].hash == hash)
			return slots[at] - 1;
	return UINT32_MAX;
}

static uint32_t add_gram(uint64_t hash)
{
	uint32_t found = find_gram(hash), at = (uint32_t)hash & (n_slots - 1);
	if (found != UINT32_MAX)
		return found;
	while (slots[at])
		at = (at + 1) & (n_slots - 1);
	filter[(hash >> 43) / 64] |= UINT64_C(1) << (hash >> 43) % 64;
	grams[n_grams] = (struct gram){.hash = hash, .files = calloc(n_words, sizeof(uint64_t))};
	slots[at] = ++n_grams;
	return n_grams - 1;
}

static bool is_usable(unsigned n)
{
	return n >= 3 && n <= MOST_GRAM && n != 9 && n != 10 && n != 11;
}

static void add_query(struct query *query, const uint8_t *bytes, unsigned n_bytes)
{
	memcpy(query->bytes, bytes, n_bytes);
	query->n_bytes = n_bytes;
	for (unsigned at = 0; at < n_bytes; at++)
		for (unsigned n = 3; n <= MOST_GRAM && at + n <= n_bytes; n++)
			if (is_usable(n))
				query->grams[at][n] = add_gram(hash_of(bytes + at, n));
}

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	return bs_hash_mix(random_state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Draws random literals: each is some bytes of a line of a random file. */
static void draw_queries(void)
{
	struct bs_buffer raw = {0}, folded = {0};
	n_slots = 1u << 21;
	slots = calloc(n_slots, sizeof(*slots));
	grams = calloc(n_slots / 2, sizeof(*grams));
	filter = calloc(FILTER_BITS / 64, sizeof(*filter));
	for (size_t i = 0; i < COUNT(queries);) {
		unsigned n = lengths[i % N_LENGTHS];
		if (!read_folded(files.paths[next_random() % files.n], &raw, &folded) ||
		    folded.used_bytes < n)
			continue;
		const uint8_t *bytes = folded.data + next_random() % (folded.used_bytes - n + 1);
		if (!memchr(bytes, '\n', n) && !memchr(bytes, 0, n))
			add_query(&queries[i++], bytes, n);
	}
	bs_buffer_deinit(&raw);
	bs_buffer_deinit(&folded);
}

/* Postings. */

struct counts {
	uint64_t postings[COUNT(selections)]; /* in the sample */
	uint64_t sampled_files;
	uint32_t *trigram_df; /* in the sample */
	uint64_t *seen;       /* hash table of the n-grams of the current file */
	size_t seen_capacity;
};

/* Adds the hash to counts->seen, a hash table with enough room; returns whether it is new. */
static bool see(struct counts *counts, size_t mask, uint64_t hash)
{
	size_t at = hash & mask;
	for (; counts->seen[at]; at = (at + 1) & mask)
		if (counts->seen[at] == hash)
			return false;
	counts->seen[at] = hash;
	return true;
}

static void count_postings(struct counts *counts, const struct bs_buffer *folded)
{
	size_t capacity = 1024, n_bytes = folded->used_bytes;
	while (capacity < n_bytes * 12)
		capacity *= 2;
	if (capacity > counts->seen_capacity) {
		free(counts->seen);
		counts->seen = malloc(capacity * sizeof(*counts->seen));
		counts->seen_capacity = capacity;
	}
	memset(counts->seen, 0, capacity * sizeof(*counts->seen));
	counts->sampled_files++;
	for (unsigned n = 3; n <= MOST_GRAM; n++) {
		for (size_t at = 0; is_usable(n) && at + n <= n_bytes; at++) {
			const uint8_t *bytes = folded->data + at;
			if (!see(counts, capacity - 1, hash_of(bytes, n) | 1))
				continue;
			for (size_t s = 0; s < COUNT(selections); s++)
				counts->postings[s] += is_selected(&selections[s], bytes, n);
			if (n == 3)
				counts->trigram_df[(size_t)bytes[0] << 16 | (size_t)bytes[1] << 8 |
				                   bytes[2]]++;
		}
	}
}

/* The pass over all files. */

static bool has_file(uint32_t gram, size_t f)
{
	return grams[gram].files[f / 64] >> (f % 64) & 1;
}

static void find_true(const struct bs_buffer *folded, size_t f)
{
	for (size_t q = 0; q < COUNT(queries); q++) {
		struct query *query = &queries[q];
		bool has_all = true;
		for (unsigned at = 0; at + 3 <= query->n_bytes && has_all; at++)
			has_all = has_file(query->grams[at][3], f);
		query->n_true += has_all && memmem(folded->data, folded->used_bytes, query->bytes,
		                                   query->n_bytes);
	}
}

static uint64_t pass_files(struct counts *counts)
{
	struct bs_buffer raw = {0}, folded = {0};
	uint64_t n_bytes = 0;
	for (size_t f = 0; f < files.n; f++) {
		if (!read_folded(files.paths[f], &raw, &folded))
			continue;
		n_bytes += raw.used_bytes;
		for (unsigned n = 3; n <= MOST_GRAM; n++) {
			for (size_t at = 0; is_usable(n) && at + n <= folded.used_bytes; at++) {
				uint32_t gram = find_gram(hash_of(folded.data + at, n));
				if (gram != UINT32_MAX)
					grams[gram].files[f / 64] |= UINT64_C(1) << (f % 64);
			}
		}
		find_true(&folded, f);
		if (f % SAMPLE_EVERY == 0)
			count_postings(counts, &folded);
	}
	for (uint32_t g = 0; g < n_grams; g++)
		for (size_t w = 0; w < n_words; w++)
			grams[g].df += (uint64_t)__builtin_popcountll(grams[g].files[w]);
	bs_buffer_deinit(&raw);
	bs_buffer_deinit(&folded);
	return n_bytes;
}

/* Candidates. */

/* 64 bits, each set with probability density / 256. */
static uint64_t draw_noise(uint64_t seed, unsigned density)
{
	uint64_t bits = 0;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t coin = bs_hash_mix(seed + i * UINT64_C(0x9e3779b97f4a7c15));
		bits = density >> i & 1 ? bits | coin : bits & coin;
	}
	return bits;
}

static double count_candidates(const struct query *query, const struct selection *selection,
                               unsigned density)
{
	uint64_t live[1 << 14];
	uint64_t n_candidates = 0;
	memset(live, 0xff, n_words * sizeof(*live));
	for (unsigned at = 0; at < query->n_bytes; at++) {
		for (unsigned n = 3; n <= MOST_GRAM && at + n <= query->n_bytes; n++) {
			if (!is_usable(n) || !is_selected(selection, query->bytes + at, n))
				continue;
			const struct gram *gram = &grams[query->grams[at][n]];
			bool is_exact = (double)gram->df >= EXACT_SHARE * (double)files.n;
			for (size_t w = 0; w < n_words; w++)
				if (live[w])
					live[w] &= gram->files[w] |
					           (is_exact || !density
					                    ? 0
					                    : draw_noise(gram->hash + w * 977,
					                                 density));
		}
	}
	for (size_t w = 0; w < n_words; w++)
		n_candidates += (uint64_t)__builtin_popcountll(live[w]);
	return (double)n_candidates / (double)(query->n_true ? query->n_true : 1);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Prints the median and the 90th percentile. Sorts the ratios. */
static void print_quantiles(double *ratios, size_t n)
{
	qsort(ratios, n, sizeof(*ratios), compare_doubles);
	printf(" %6.1f / %6.1f", ratios[n / 2], ratios[n * 9 / 10]);
}

/* Prints the quantiles of candidates per matching file, for the literals of each length and for
 * all. density: of the simulated noise, in 256ths. */
static void print_candidates(const struct selection *selection, unsigned density)
{
	static double all[COUNT(queries)];
	printf("  d = %.2f:", density / 256.0);
	for (size_t l = 0; l < N_LENGTHS; l++) {
		for (size_t i = 0; i < N_QUERIES; i++)
			all[l * N_QUERIES + i] =
				count_candidates(&queries[i * N_LENGTHS + l], selection, density);
		print_quantiles(all + l * N_QUERIES, N_QUERIES);
	}
	print_quantiles(all, COUNT(all));
	printf("\n");
}

/* Bytes of an index with one hash per gram at this density, and exact columns for frequent
 * trigrams. */
static double index_bytes(const struct counts *counts, size_t s, double density)
{
	double scale = (double)files.n / (double)counts->sampled_files;
	double hashed = (double)counts->postings[s], n_exact = 0;
	for (size_t t = 0; t < 1u << 24; t++) {
		if ((double)counts->trigram_df[t] >= EXACT_SHARE * (double)counts->sampled_files) {
			hashed -= counts->trigram_df[t];
			n_exact++;
		}
	}
	return (hashed * scale / -log(1 - density) + n_exact * (double)files.n) / 8;
}

static void print_selections(const struct counts *counts, uint64_t tree_bytes)
{
	double scale = (double)files.n / (double)counts->sampled_files;
	for (size_t s = 0; s < COUNT(selections); s++) {
		printf("%-26s %6.1f M postings, %.2f of trigrams; index %.1f %% of the tree at d = "
		       "0.25, %.1f %% at "
		       "0.3, %.1f %% at 0.4\n",
		       selections[s].name, (double)counts->postings[s] * scale / 1e6,
		       (double)counts->postings[s] / (double)counts->postings[0],
		       100 * index_bytes(counts, s, 0.25) / (double)tree_bytes,
		       100 * index_bytes(counts, s, 0.3) / (double)tree_bytes,
		       100 * index_bytes(counts, s, 0.4) / (double)tree_bytes);
		print_candidates(&selections[s], 0);
		print_candidates(&selections[s], 64);
		print_candidates(&selections[s], 77);
		print_candidates(&selections[s], 102);
		fflush(stdout);
	}
}

/* Speed. */

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Measures how fast an indexer computes the grams of files. The files are a sample; the time to
 * read them is not included. */
static void print_rate(void)
{
	struct bs_buffer raw = {0};
	struct bs_buffer row = {0};
	struct bs_gram_plan plan; /* all grams are rare */
	struct bs_gram_sketch *sketch;
	uint64_t n_bytes = 0, n_bits = 0;
	double seconds = 0;
	bs_gram_plan_init(&plan);
	if (bs_gram_sketch_new(&plan, &sketch, NULL))
		exit(2);
	for (size_t f = 0; f < files.n; f += SAMPLE_EVERY / 2) {
		struct bs_gram_sum sum;
		if (!read_file(files.paths[f], &raw))
			continue;
		double start = now_s();
		if (bs_gram_sketch_take(sketch, NULL, raw.data, raw.used_bytes, &sum, NULL) ||
		    bs_buffer_reserve(&row, bs_gram_row_words(sum.size_class) * sizeof(uint64_t),
		                      NULL))
			exit(2);
		bs_gram_sketch_row(sketch, (uint64_t *)(void *)row.data);
		seconds += now_s() - start;
		n_bytes += raw.used_bytes;
		n_bits += sum.n_bits;
	}
	printf("indexer/batch/gram_sketch.c: %.0f MB/s on one thread, %.1f bits asked for a KB\n",
	       (double)n_bytes / 1e6 / seconds, (double)n_bits * 1e3 / (double)n_bytes);
	bs_gram_sketch_free(sketch);
	bs_gram_plan_deinit(&plan);
	bs_buffer_deinit(&row);
	bs_buffer_deinit(&raw);
}

int main(int argc, char **argv)
{
	struct counts counts = {.trigram_df = calloc(1u << 24, sizeof(uint32_t))};
	if (argc < 2 || nftw(argv[1], add_file, 32, FTW_PHYS) || files.n == 0 ||
	    files.n > 1u << 20) {
		fprintf(stderr, "usage: bitsift-bench-grams FOLDER [--rate | ONE-FILE-IN]\n");
		return 2;
	}
	qsort(files.paths, files.n, sizeof(*files.paths), compare_paths);
	print_rate();
	if (argc > 2 && strcmp(argv[2], "--rate") == 0)
		return 0;
	if (argc > 2)
		thin_out(strtoul(argv[2], NULL, 10));
	n_words = (files.n + 63) / 64;
	draw_queries();
	uint64_t tree_bytes = pass_files(&counts);
	printf("%zu files, %.0f MB, %u n-grams asked for\n", files.n, (double)tree_bytes / 1e6,
	       n_grams);
	print_selections(&counts, tree_bytes);
	return 0;
}
