/* bloom.c: two hosts describe their words by Bloom filters: which host to ask for a word, and the
 * delta that one sends the other after changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bitsift/bloom.h>

static struct bs_bloom_key key_of(const char *word)
{
	return bs_bloom_key_of_bytes(word, strlen(word));
}

static void add_words(struct bs_counting *counting, const char *prefix, int first, int end)
{
	char word[32];
	for (; first < end; first++) {
		snprintf(word, sizeof(word), "%s%d", prefix, first);
		bs_counting_add(counting, key_of(word));
	}
}

int main(void)
{
	struct bs_error err = {""};
	struct bs_counting *cellar = NULL, *attic = NULL;
	struct bs_bloom *of_cellar = NULL, *of_attic = NULL, *later = NULL;
	uint8_t *delta = NULL;
	size_t delta_bytes = 0;
	uint64_t n_bits = bs_bloom_optimal_bits(10000, 0.01);
	uint32_t n_hashes = bs_bloom_optimal_hashes(n_bits, 10000);

	/* Each host keeps a counting filter of its words and publishes the plain filter. */
	enum bs_status status = bs_counting_new(n_bits, n_hashes, &cellar, &err);
	if (!status)
		status = bs_counting_new(n_bits, n_hashes, &attic, &err);
	if (status)
		goto out;
	add_words(cellar, "wine", 0, 10000);
	add_words(attic, "moth", 0, 10000);
	status = bs_counting_to_bloom(cellar, &of_cellar, &err);
	if (!status)
		status = bs_counting_to_bloom(attic, &of_attic, &err);
	if (status)
		goto out;
	struct bs_bloom_view views[2] = {bs_bloom_look(of_cellar), bs_bloom_look(of_attic)};
	uint32_t passed[2];
	struct bs_bloom_key key = key_of("moth77");
	size_t n = bs_bloom_pass(views, 2, &key, 1, passed);
	printf("moth77: ask %zu of 2, number %u\n", n, passed[0]);

	/* One word is removed, another is added; only the difference is sent. */
	if (!bs_counting_remove(attic, key))
		puts("never there");
	bs_counting_add(attic, key_of("trunk"));
	status = bs_counting_to_bloom(attic, &later, &err);
	if (!status)
		status = bs_bloom_delta(bs_bloom_look(of_attic), bs_bloom_look(later), &delta,
		                        &delta_bytes, &err);
	if (!status)
		status = bs_bloom_apply(of_attic, delta, delta_bytes, &err);
	if (status)
		goto out;
	printf("moth77 %d, trunk %d: %s\n", bs_bloom_has(bs_bloom_look(of_attic), key),
	       bs_bloom_has(bs_bloom_look(of_attic), key_of("trunk")),
	       delta_bytes < 150 ? "in a few bytes" : "in too many");

	/* The union of both filters: does either host have the word? */
	status = bs_bloom_unite(of_cellar, bs_bloom_look(of_attic), &err);
	if (!status)
		printf("either: about %.0f thousand words\n",
		       bs_bloom_cardinality(bs_bloom_look(of_cellar)) / 1000);
out:
	if (status)
		fprintf(stderr, "%s: %s\n", bs_status_name(status), err.text);
	free(delta);
	bs_bloom_free(later);
	bs_bloom_free(of_attic);
	bs_bloom_free(of_cellar);
	bs_counting_free(attic);
	bs_counting_free(cellar);
	return status != BS_OK;
}
