/*
 * bloom_main.c: bitsift-bench-bloom TABLE [N]: measures the members of the Bloom family and
 * compares them with their formulas, as tables in Markdown. TABLE is rates, counting, compressed,
 * sizes, deltas, hops, levels or probes; N is the number of absent keys for each rate (10,000,000).
 * bloom.sh prints all tables, and pictures.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/bitsift/bloom.h"
#include "tests/generate/network.h"

static uint64_t n_absent = 10000000;

static void must(enum bs_status status, const struct bs_error *err)
{
	if (status) {
		fprintf(stderr, "%s: %s\n", bs_status_name(status), err->text);
		exit(1);
	}
}

static struct bs_bloom *filter_of(uint64_t n_bits, uint32_t n_hashes, uint64_t first, uint64_t end)
{
	struct bs_error err;
	struct bs_bloom *bloom;
	must(bs_bloom_new(n_bits, n_hashes, &bloom, &err), &err);
	for (; first < end; first++)
		bs_bloom_add(bloom, bs_bloom_key_of_hash(first));
	return bloom;
}

/* The false-positive rate, measured by querying keys that no filter of this program contains. */
static double measured_rate(struct bs_bloom_view view)
{
	uint64_t n_found = 0;
	for (uint64_t i = 0; i < n_absent; i++)
		n_found += bs_bloom_has(view, bs_bloom_key_of_hash((UINT64_C(1) << 48) + i));
	return (double)n_found / (double)n_absent;
}

static void print_rates(void)
{
	const uint64_t n = 100000;
	puts("| bits a key | hashes | rate by formula | measured | apart | keys by the estimate "
	     "|\n|---|---|---|---|---|---|");
	for (uint64_t bits = 2; bits <= 20; bits += bits < 12 ? 1 : 2) {
		uint32_t n_hashes = bs_bloom_optimal_hashes(bits * n, n);
		struct bs_bloom *bloom = filter_of(bits * n, n_hashes, 0, n);
		double formula = bs_bloom_false_rate(bits * n, n_hashes, n),
		       rate = measured_rate(bs_bloom_look(bloom));
		printf("| %" PRIu64 " | %" PRIu32 " | %.3g | %.3g | %+.1f %% | %.0f |\n", bits,
		       n_hashes, formula, rate, 100 * (rate / formula - 1),
		       bs_bloom_cardinality(bs_bloom_look(bloom)));
		bs_bloom_free(bloom);
	}
}

static void print_counting(void)
{
	puts("| keys | hashes | counters that are expected to overflow | bound, 1.37e-15 m "
	     "|\n|---|---|---|---|");
	for (uint64_t n = 10000; n <= 100000000; n *= 10) {
		uint64_t m = bs_bloom_optimal_bits(n, 0.01);
		uint32_t k = bs_bloom_optimal_hashes(m, n);
		printf("| %" PRIu64 " | %" PRIu32 " | %.2g | %.2g |\n", n, k,
		       bs_counting_overflow(m, k, n, 16), 1.37e-15 * (double)m);
	}
}

/* Adds n keys to a filter of this plan, compresses it and decompresses it. Returns the compressed
 * bits per key, without the header of 64 bytes. *rate_out: the false-positive rate, measured with
 * the decompressed filter. */
static double send(const struct bs_bloom_plan *plan, uint64_t n, double *rate_out)
{
	struct bs_error err;
	struct bs_bloom *bloom = filter_of(plan->n_bits, plan->n_hashes, 0, n), *got;
	uint8_t *bytes;
	size_t n_bytes;
	must(bs_bloom_compress(bs_bloom_look(bloom), &bytes, &n_bytes, &err), &err);
	must(bs_bloom_decompress(bytes, n_bytes, 0, &got, &err), &err);
	*rate_out = measured_rate(bs_bloom_look(got));
	free(bytes);
	bs_bloom_free(bloom);
	bs_bloom_free(got);
	return 8 * (double)(n_bytes - 64) / (double)n;
}

/* The best rates for limits on the bits sent per key and on memory. The first memory limit allows
 * only the plain filter. */
static void print_compressed(void)
{
	/* Limits of memory, as multiples of the bits sent; 0: no limit. */
	static const double memories[] = {1, 1.75, 4, 0};
	const uint64_t n = 100000;
	struct bs_error err;
	puts("| may send | memory | hashes | sent | of the entropy | rate planned | measured "
	     "|\n|---|---|---|---|---|---|---|");
	for (int bits = 4; bits <= 16; bits += 4) {
		for (size_t i = 0; i < sizeof(memories) / sizeof(*memories); i++) {
			struct bs_bloom_plan plan;
			double rate, most = memories[i] * bits;
			must(bs_bloom_plan_for_size(n, bits, most, &plan, &err), &err);
			double sent = send(&plan, n, &rate);
			printf("| %d | %.1f | %" PRIu32 " | %.3f | %+.2f %% | %.3g | %.3g |\n",
			       bits, (double)plan.n_bits / (double)n, plan.n_hashes, sent,
			       100 * (sent / plan.sent_bits - 1), plan.false_rate, rate);
		}
	}
}

/* The bits sent per key for a false-positive rate, for some memory limits. */
static void print_sizes(void)
{
	static const double rates[] = {0.1, 0.03, 0.01, 0.003, 0.001, 0.0001};
	static const double memories[] = {16, 32, 64, 0}; /* bits per key; 0: no limit */
	const uint64_t n = 100000;
	struct bs_error err;
	puts("| rate | plain | memory | hashes | sent | of plain | rate measured "
	     "|\n|---|---|---|---|---|---|---|");
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		double plain = (double)bs_bloom_optimal_bits(n, rates[i]) / (double)n;
		uint64_t last_bits = 0;
		for (size_t j = 0; j < sizeof(memories) / sizeof(*memories); j++) {
			struct bs_bloom_plan plan;
			double rate;
			/* Skip memory limits that give the same plan. */
			if (bs_bloom_plan_for_rate(n, rates[i], memories[j], &plan, &err) ||
			    plan.n_bits == last_bits)
				continue;
			last_bits = plan.n_bits;
			double sent = send(&plan, n, &rate);
			printf("| %g | %.2f | %.1f | %" PRIu32 " | %.2f | %.3f | %.3g |\n",
			       rates[i], plain, (double)plan.n_bits / (double)n, plan.n_hashes,
			       sent, sent / plain, rate);
		}
	}
}

/* The sizes of deltas: of 100,000 keys, some are removed and as many are added. */
static void print_deltas(void)
{
	const uint64_t n = 100000, m = bs_bloom_optimal_bits(n, 0.01);
	struct bs_bloom *from = filter_of(m, 7, 0, n);
	struct bs_error err;
	puts("| keys that changed | delta, bytes | bits a key that changed | of the whole filter "
	     "|\n|---|---|---|---|");
	for (uint64_t n_changed = 10; n_changed <= n; n_changed *= 10) {
		struct bs_bloom *to = filter_of(m, 7, n_changed / 2, n + n_changed / 2);
		uint8_t *bytes;
		size_t n_bytes;
		must(bs_bloom_delta(bs_bloom_look(from), bs_bloom_look(to), &bytes, &n_bytes, &err),
		     &err);
		printf("| %" PRIu64 " | %zu | %.1f | %.2f %% |\n", n_changed, n_bytes,
		       8 * (double)n_bytes / (double)n_changed,
		       100 * (double)n_bytes / (double)bs_bloom_stored_bytes(bs_bloom_look(from)));
		free(bytes);
		bs_bloom_free(to);
	}
	bs_bloom_free(from);
}

/* Totals of searches in a network of nodes; tests/generate/network.h explains the terms. */
struct hops {
	uint64_t n_searches;
	uint64_t n_asked; /* nodes that were asked */
	uint64_t n_false; /* of these: nodes whose filter had the word, but led to no holder */
	uint64_t n_blind; /* of these: nodes that were asked although no filter had the word */
};

static void count_search(struct hops *hops, const struct bs_network_search *search)
{
	hops->n_searches++;
	hops->n_asked += search->n_asked;
	hops->n_false += search->n_false;
	hops->n_blind += search->n_blind;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static double asked_each(const struct hops *hops)
{
	return hops->n_searches ? (double)hops->n_asked / (double)hops->n_searches : 0;
}

/* Results of searching each word from one node: with the filters of neighbours alone, and with the
 * homes of words (tests/generate/network.h). */
struct hops_measured {
	/* Only searches whose nearest holder is at most n_levels hops away, as far as filters
	 * reach. */
	struct hops near;
	struct hops all;        /* all searches, with filters alone */
	struct hops homes;      /* all searches, with homes */
	uint64_t n_not_nearest; /* words whose nearest holder a search missed */
};

static struct hops_measured measure_hops(const struct bs_network *network,
                                         const struct bs_network_options *options,
                                         struct bs_route *route)
{
	struct hops_measured measured = {0};
	for (uint32_t word = 0; word < options->n_words; word++) {
		struct bs_network_search alone, home;
		uint32_t from = word * 7919 % options->n_nodes,
			 distance = bs_network_distance(network, from, word);
		if (distance == UINT32_MAX)
			continue;
		if (!bs_network_search(network, route, from, word, false, &alone) ||
		    !bs_network_search(network, route, from, word, true, &home))
			exit(1);
		measured.n_not_nearest += !alone.is_found || alone.hops != distance ||
		                          !home.is_found || home.hops != distance;
		if (distance <= options->n_levels)
			count_search(&measured.near, &alone);
		count_search(&measured.all, &alone);
		count_search(&measured.homes, &home);
	}
	return measured;
}

static struct bs_network_options network_options(uint32_t degree, uint32_t n_levels,
                                                 double bits_per_word)
{
	return (struct bs_network_options){.seed = degree / 2,
	                                   .n_nodes = 64,
	                                   .degree = degree,
	                                   .n_levels = n_levels,
	                                   .node_words = 1000,
	                                   .home_bits = 16,
	                                   .n_words = 30000,
	                                   .bits_per_word = bits_per_word};
}

static void print_hops(void)
{
	static const uint32_t degrees[] = {2, 4, 6, 8};
	static const double bits[] = {1, 2, 3, 4, 6, 8, 12, 16};
	struct bs_error err;
	struct bs_route *route;
	must(bs_route_new(&route, &err), &err);
	puts("| neighbours | bits a word | bytes a level | within 3 hops | asked | false | all "
	     "words | asked | false | "
	     "blind | "
	     "with homes: bytes | asked | false | not the nearest "
	     "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
	for (size_t i = 0; i < sizeof(degrees) / sizeof(*degrees); i++) {
		for (size_t j = 0; j < sizeof(bits) / sizeof(*bits); j++) {
			struct bs_network_options options = network_options(degrees[i], 3, bits[j]);
			struct bs_network *network = bs_network_new(&options);
			if (!network)
				exit(1);
			struct hops_measured m = measure_hops(network, &options, route);
			printf("| %" PRIu32 " | %g | %zu | %" PRIu64 " | %.2f | %.2f %% | %" PRIu64
			       " | %.2f | %.2f %% | %.2f %% "
			       "| %zu | %.2f | %.2f %% | %" PRIu64 " |\n",
			       degrees[i], bits[j], bs_network_level_bytes(network),
			       m.near.n_searches, asked_each(&m.near),
			       percent(m.near.n_false, m.near.n_asked), m.all.n_searches,
			       asked_each(&m.all), percent(m.all.n_false, m.all.n_asked),
			       percent(m.all.n_blind, m.all.n_asked),
			       bs_network_home_bytes(network), asked_each(&m.homes),
			       percent(m.homes.n_false, m.homes.n_asked), m.n_not_nearest);
			bs_network_free(network);
		}
	}
	bs_route_free(route);
}

/* Searches by filters of 2 to 4 levels, without homes. */
static void print_levels(void)
{
	static const uint32_t degrees[] = {2, 4, 6, 8};
	struct bs_error err;
	struct bs_route *route;
	must(bs_route_new(&route, &err), &err);
	puts("| neighbours | levels | bytes an entry | asked | false | blind "
	     "|\n|---|---|---|---|---|---|");
	for (size_t i = 0; i < sizeof(degrees) / sizeof(*degrees); i++) {
		for (uint32_t n_levels = 2; n_levels <= 4; n_levels++) {
			struct bs_network_options options =
				network_options(degrees[i], n_levels, 16);
			struct bs_network *network = bs_network_new(&options);
			if (!network)
				exit(1);
			struct hops_measured m = measure_hops(network, &options, route);
			printf("| %" PRIu32 " | %" PRIu32 " | %zu | %.2f | %.2f %% | %.2f %% |\n",
			       degrees[i], n_levels, n_levels * bs_network_level_bytes(network),
			       asked_each(&m.all), percent(m.all.n_false, m.all.n_asked),
			       percent(m.all.n_blind, m.all.n_asked));
			bs_network_free(network);
		}
	}
	bs_route_free(route);
}

/* CPU time of this thread, because the machine may be busy. */
static double now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Filters of equal size, consecutive in a file, each aligned to a cache line. */
struct catalog {
	int fd;
	uint32_t n_filters;
	uint32_t n_bits;     /* of each filter */
	size_t filter_bytes; /* the size of each filter in the file */
	struct bs_bloom_view *views;
	uint32_t *passed; /* buffer for bs_bloom_pass */
	uint8_t *bytes;   /* the mapped file */
	size_t n_passed;  /* positive answers of all filters, summed over all probes */
};

static void map_catalog(struct catalog *catalog, int protection)
{
	size_t n_bytes = catalog->filter_bytes * catalog->n_filters;
	if (catalog->bytes)
		munmap(catalog->bytes, n_bytes);
	catalog->bytes = mmap(NULL, n_bytes, protection, MAP_SHARED, catalog->fd, 0);
	if (catalog->bytes == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	for (uint32_t i = 0; i < catalog->n_filters; i++)
		catalog->views[i] = (struct bs_bloom_view){
			catalog->bytes + i * catalog->filter_bytes + 64, catalog->n_bits, 7};
}

static struct catalog make_catalog(uint32_t n_filters, uint64_t n_keys)
{
	struct catalog catalog = {.n_filters = n_filters,
	                          .n_bits = (uint32_t)bs_bloom_optimal_bits(n_keys, 0.01)};
	char path[] = "bloom-bench-XXXXXX";
	struct bs_bloom_view shape = {NULL, catalog.n_bits, 7};
	catalog.filter_bytes = (bs_bloom_stored_bytes(shape) + 63) / 64 * 64;
	catalog.views = calloc(n_filters, sizeof(struct bs_bloom_view));
	catalog.passed = calloc(n_filters, sizeof(uint32_t));
	catalog.fd = mkstemp(path);
	if (catalog.fd < 0 || unlink(path) ||
	    ftruncate(catalog.fd, (off_t)(catalog.filter_bytes * n_filters)) || !catalog.views ||
	    !catalog.passed) {
		perror(path);
		exit(1);
	}
	map_catalog(&catalog, PROT_READ | PROT_WRITE);
	for (uint32_t i = 0; i < n_filters; i++) {
		struct bs_bloom *bloom = filter_of(catalog.n_bits, 7, i * n_keys, (i + 1) * n_keys);
		bs_bloom_store(bs_bloom_look(bloom), catalog.bytes + i * catalog.filter_bytes);
		bs_bloom_free(bloom);
	}
	map_catalog(&catalog, PROT_READ);
	return catalog;
}

/* Queries all filters for a word. is_together: by a single call of bs_bloom_pass. Returns the
 * microseconds. */
static double probe(struct catalog *catalog, uint64_t hash, bool is_together)
{
	struct bs_bloom_key key = bs_bloom_key_of_hash(hash);
	double begin = now_us();
	if (is_together)
		catalog->n_passed +=
			bs_bloom_pass(catalog->views, catalog->n_filters, &key, 1, catalog->passed);
	for (uint32_t i = 0; !is_together && i < catalog->n_filters; i++)
		catalog->n_passed += bs_bloom_has(catalog->views[i], key);
	return now_us() - begin;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

#define N_WORDS 101

static double median(double times[N_WORDS])
{
	qsort(times, N_WORDS, sizeof(*times), compare_doubles);
	return times[N_WORDS / 2];
}

/* The time to query many filters with a rate of .01, in a mapped file that is in the page cache.
 * The first query after the file was mapped includes the page faults. */
static void print_probes(void)
{
	static const struct {
		uint32_t n_filters;
		uint64_t n_keys;
	} cases[] = {{500, 20000}, {10000, 2000}, {100000, 2000}};
	puts("| filters | keys each | MB | first word, us | another, filter by filter | another, "
	     "all at once | ns a "
	     "filter "
	     "| pass |\n|---|---|---|---|---|---|---|---|");
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct catalog catalog = make_catalog(cases[c].n_filters, cases[c].n_keys);
		double first[N_WORDS], alone[N_WORDS], together[N_WORDS];
		for (uint64_t i = 0; i < N_WORDS; i++) {
			map_catalog(&catalog, PROT_READ);
			first[i] = probe(&catalog, (UINT64_C(1) << 48) + i, true);
		}
		probe(&catalog, 1, true);
		for (uint64_t i = 0; i < N_WORDS; i++) {
			alone[i] = probe(&catalog, (UINT64_C(2) << 48) + i, false);
			together[i] = probe(&catalog, (UINT64_C(3) << 48) + i, true);
		}
		double us = median(together);
		printf("| %" PRIu32 " | %" PRIu64
		       " | %.1f | %.0f | %.0f | %.0f | %.1f | %.2f %% |\n",
		       cases[c].n_filters, cases[c].n_keys,
		       (double)(catalog.filter_bytes * catalog.n_filters) / 1e6, median(first),
		       median(alone), us, 1000 * us / cases[c].n_filters,
		       100 * (double)catalog.n_passed / (3 * N_WORDS + 1) / cases[c].n_filters);
		munmap(catalog.bytes, catalog.filter_bytes * catalog.n_filters);
		close(catalog.fd);
		free(catalog.views);
		free(catalog.passed);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} tables[] = {{"rates", print_rates},           {"counting", print_counting},
	              {"compressed", print_compressed}, {"sizes", print_sizes},
	              {"deltas", print_deltas},         {"hops", print_hops},
	              {"levels", print_levels},         {"probes", print_probes}};
	if (argc > 2)
		n_absent = strtoull(argv[2], NULL, 10);
	for (size_t i = 0; argc > 1 && n_absent > 0 && i < sizeof(tables) / sizeof(*tables); i++) {
		if (strcmp(argv[1], tables[i].name) == 0) {
			tables[i].print();
			return 0;
		}
	}
	fputs("usage: bitsift-bench-bloom "
	      "rates|counting|compressed|sizes|deltas|hops|levels|probes [N]\n",
	      stderr);
	return 2;
}
