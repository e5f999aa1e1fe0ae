/*
 * members_main.c: bitsift-bench-members INDEX...: stores the words of these indexes in filters of
 * several kinds, one filter per index, at a false-positive rate of .01. Prints a text table,
 * for catalog.sh: megabytes, bits per word, the rate as measured by words that the following
 * indexes of the list have and the index of the filter lacks, and the time to query all filters for
 * a word that no index has.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/buffer.h"
#include "core/base/hash.h"
#include "core/bitsift/bloom.h"
#include "core/bitsift/index.h"
#include "core/bitsift/matrix.h"
#include "core/file/coded.h"

#define RATE 0.01
/* The number of following indexes whose words are looked up in the filter of an index. */
#define N_NEXT   4
#define N_ASKED  101 /* the number of words that no index has and that are looked up */
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static struct bs_error err;

static void must(enum bs_status status)
{
	if (status) {
		fprintf(stderr, "%s: %s\n", bs_status_name(status), err.text);
		exit(1);
	}
}

/* The words of one index. */
struct words {
	struct bs_buffer hashes; /* ascending 64-bit hashes */
	size_t n;
	uint64_t n_bytes; /* of the words themselves, with a separator each */
};

static int take(void *context, const struct bs_matrix_term *term)
{
	struct words *words = context;
	if (memchr(term->term, 0xff, term->term_bytes))
		return 0; /* not a word */
	uint64_t hash = bs_hash_term(term->term, term->term_bytes);
	words->n_bytes += term->term_bytes + 1;
	must(bs_buffer_append(&words->hashes, &hash, sizeof(hash), &err));
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static const uint64_t *hashes_of(const struct words *words)
{
	return (const uint64_t *)(const void *)words->hashes.data;
}

static struct words read_words(const char *dir)
{
	struct words words = {0};
	struct bs_index *index;
	must(bs_index_open(dir, &index, &err));
	for (uint32_t i = 0; i < bs_matrix_n_segments(index); i++)
		must(bs_matrix_terms(index, i, "", 0, take, &words, &err));
	bs_index_close(index);
	uint64_t *hashes = (uint64_t *)(void *)words.hashes.data;
	size_t n = words.hashes.used_bytes / sizeof(*hashes);
	if (n)
		qsort(hashes, n, sizeof(*hashes), compare_numbers);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || hashes[i] != hashes[i - 1])
			hashes[words.n++] = hashes[i];
	return words;
}

/* The filters of one index. */
struct filters {
	struct bs_bloom *plain;
	/* A compressed Bloom filter with at most 64 bits of memory per word. */
	struct bs_bloom *sent;
	struct bs_buffer coded_bytes; /* `coded` borrows from it */
	struct bs_coded coded;        /* the words' hashes, reduced to 0 .. n_places - 1 */
	uint64_t n_places;
};

/* The totals of a kind of filter over all indexes. */
struct member {
	const char *name;
	double bytes;
	uint64_t n_probes; /* look-ups of absent words */
	uint64_t n_found;  /* look-ups that wrongly found the word */
	double us;         /* see time_asking */
};

enum {
	WORDS,
	PLAIN,
	COUNTING,
	COMPRESSED,
	CODED,
	DELTA,
	MEMBERS
};

static bool has(const struct filters *filters, int member, uint64_t hash)
{
	bool found = false;
	if (member == PLAIN)
		return bs_bloom_has(bs_bloom_look(filters->plain), bs_bloom_key_of_hash(hash));
	if (member == COMPRESSED)
		return bs_bloom_has(bs_bloom_look(filters->sent), bs_bloom_key_of_hash(hash));
	must(bs_coded_has(&filters->coded, bs_hash_multiply(hash, filters->n_places).high, &found,
	                  &err));
	return found;
}

static struct bs_bloom *fill(const struct words *words, size_t first, uint64_t n_bits,
                             uint32_t n_hashes)
{
	struct bs_bloom *bloom;
	must(bs_bloom_new(n_bits, n_hashes, &bloom, &err));
	for (size_t i = first; i < words->n; i++)
		bs_bloom_add(bloom, bs_bloom_key_of_hash(hashes_of(words)[i]));
	return bloom;
}

static void make_coded(struct filters *filters, const struct words *words)
{
	uint64_t *places = malloc((words->n + 1) * sizeof(*places));
	if (!places)
		exit(1);
	filters->n_places = (uint64_t)((double)words->n / RATE) + 1;
	for (size_t i = 0; i < words->n; i++)
		places[i] = bs_hash_multiply(hashes_of(words)[i], filters->n_places).high;
	must(bs_coded_write(places, words->n, &filters->coded_bytes, &err));
	must(bs_coded_open(filters->coded_bytes.data, filters->coded_bytes.used_bytes,
	                   &filters->coded, &err));
	free(places);
}

/* The size of the delta from `from`, which has the words of an index, to a filter in which 1 % of
 * these words are replaced by words of another index. */
static size_t delta_bytes(const struct words *words, const struct words *other,
                          struct bs_bloom *from)
{
	struct bs_bloom_view view = bs_bloom_look(from);
	size_t n_changed = words->n / 100, n_bytes;
	struct bs_bloom *to = fill(words, n_changed, view.n_bits, view.n_hashes);
	uint8_t *bytes;
	for (size_t i = 0; i < n_changed && i < other->n; i++)
		bs_bloom_add(to, bs_bloom_key_of_hash(hashes_of(other)[other->n - 1 - i]));
	must(bs_bloom_delta(view, bs_bloom_look(to), &bytes, &n_bytes, &err));
	free(bytes);
	bs_bloom_free(to);
	return n_bytes;
}

static struct filters make_filters(const struct words *words, const struct words *other,
                                   struct member *members)
{
	struct filters filters = {0};
	struct bs_bloom_plan plan;
	struct bs_counting *counting;
	uint64_t n_bits = bs_bloom_optimal_bits(words->n, RATE);
	uint32_t n_hashes = bs_bloom_optimal_hashes(n_bits, words->n);
	uint8_t *bytes;
	size_t n_bytes;
	filters.plain = fill(words, 0, n_bits, n_hashes);
	must(bs_bloom_plan_for_rate(words->n, RATE, 64, &plan, &err));
	filters.sent = fill(words, 0, plan.n_bits, plan.n_hashes);
	must(bs_bloom_compress(bs_bloom_look(filters.sent), &bytes, &n_bytes, &err));
	free(bytes);
	make_coded(&filters, words);
	must(bs_counting_new(n_bits, n_hashes, &counting, &err));
	members[WORDS].bytes += (double)words->n_bytes;
	members[PLAIN].bytes += (double)bs_bloom_stored_bytes(bs_bloom_look(filters.plain));
	members[COUNTING].bytes += (double)bs_counting_stored_bytes(counting);
	members[COMPRESSED].bytes += (double)n_bytes;
	members[CODED].bytes += (double)filters.coded.n_bytes;
	members[DELTA].bytes += (double)delta_bytes(words, other, filters.plain);
	bs_counting_free(counting);
	return filters;
}

/* Looks up in `filters`, which have the words `mine`, the words of `other` that `mine` lacks. */
static void probe_absent(const struct filters *filters, const struct words *mine,
                         const struct words *other, struct member *members)
{
	static const int asked[] = {PLAIN, COMPRESSED, CODED};
	for (size_t i = 0, j = 0; i < other->n; i++) {
		uint64_t hash = hashes_of(other)[i];
		while (j < mine->n && hashes_of(mine)[j] < hash)
			j++;
		if (j < mine->n && hashes_of(mine)[j] == hash)
			continue;
		for (size_t m = 0; m < COUNT(asked); m++) {
			members[asked[m]].n_probes++;
			members[asked[m]].n_found += has(filters, asked[m], hash);
		}
	}
}

static double now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The median time to query all filters for a word. */
static double time_asking(const struct filters *filters, size_t n, int member)
{
	double times[N_ASKED];
	volatile uint64_t n_found = 0;
	for (uint64_t word = 0; word < N_ASKED; word++) {
		uint64_t hash = bs_hash_mix(word + 1);
		double begin = now_us();
		for (size_t i = 0; i < n; i++)
			n_found += has(&filters[i], member, hash);
		times[word] = now_us() - begin;
	}
	(void)n_found; /* keeps the compiler from removing the look-ups */
	qsort(times, N_ASKED, sizeof(*times), compare_doubles);
	return times[N_ASKED / 2];
}

static void print_member(const struct member *member, double n_words)
{
	char rate[16] = "-", us[16] = "-";
	if (member->n_probes)
		snprintf(rate, sizeof(rate), "%.2f %%",
		         100 * (double)member->n_found / (double)member->n_probes);
	if (member->us > 0)
		snprintf(us, sizeof(us), "%.0f", member->us);
	printf("%-24s %7.2f %11.2f %11s %10s\n", member->name, member->bytes / 1e6,
	       8 * member->bytes / n_words, rate, us);
}

int main(int argc, char **argv)
{
	struct member members[MEMBERS] = {{.name = "the words themselves"},
	                                  {.name = "classic"},
	                                  {.name = "counting"},
	                                  {.name = "compressed, as sent"},
	                                  {.name = "coded"},
	                                  {.name = "delta of 1 % changed"}};
	size_t n = argc > 1 ? (size_t)argc - 1 : 0;
	struct words *words = calloc(n + 1, sizeof(*words));
	struct filters *filters = calloc(n + 1, sizeof(*filters));
	double n_words = 0;
	if (n == 0 || !words || !filters) {
		fputs("usage: bitsift-bench-members INDEX...\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < n; i++) {
		words[i] = read_words(argv[i + 1]);
		n_words += (double)words[i].n;
	}
	for (size_t i = 0; i < n; i++)
		filters[i] = make_filters(&words[i], &words[(i + 1) % n], members);
	for (size_t i = 0; i < n; i++)
		for (size_t next = 1; next <= N_NEXT && next < n; next++)
			probe_absent(&filters[i], &words[i], &words[(i + next) % n], members);
	members[PLAIN].us = time_asking(filters, n, PLAIN);
	members[COMPRESSED].us = time_asking(filters, n, COMPRESSED);
	members[CODED].us = time_asking(filters, n, CODED);
	printf("%-24s %7s %11s %11s %10s\n", "member, at a rate of .01", "MB", "bits a word",
	       "false rate", "us to ask");
	for (int m = 0; m < MEMBERS; m++)
		print_member(&members[m], n_words);
	printf("%zu indexes, %.0f words each in the mean\n", n, n_words / (double)n);
	for (size_t i = 0; i < n; i++) {
		bs_bloom_free(filters[i].plain);
		bs_bloom_free(filters[i].sent);
		bs_buffer_deinit(&filters[i].coded_bytes);
		bs_buffer_deinit(&words[i].hashes);
	}
	free(filters);
	free(words);
	return 0;
}
