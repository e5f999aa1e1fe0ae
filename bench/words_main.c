/*
 * words_main.c: bitsift-bench-words FILE...: measures the MB/s of the tokenizer on each file, with
 * and without its ASCII path, in turns. Checks that both give the same tokens.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/hash.h"
#include "core/text/tokenizer.h"
#include "core/text/tokenizer_term.h"

#define ROUNDS 5

struct count {
	uint64_t n_tokens;
	uint64_t sum; /* checksum of the tokens, if `hashes` is set */
	bool hashes;  /* compute `sum`, in runs that are not measured */
};

static enum bs_status count_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                                   struct bs_error *err)
{
	struct count *count = context;
	(void)err;
	count->n_tokens += n_tokens;
	for (size_t i = 0; i < n_tokens && count->hashes; i++)
		count->sum =
			(count->sum + bs_hash_term(tokens[i].term, tokens[i].term_bytes) +
		         tokens[i].start_byte * 3 + tokens[i].end_byte * 5 + tokens[i].position) *
			7;
	return BS_OK;
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint8_t *load(const char *path, size_t *n_bytes_out)
{
	FILE *file = fopen(path, "rb");
	struct bs_buffer bytes = {0};
	struct bs_error err = {""};
	size_t n = 0;
	do {
		bytes.used_bytes += n;
		if (!file || bs_buffer_reserve(&bytes, 1 << 20, &err)) {
			fprintf(stderr, "%s: cannot be read\n", path);
			exit(2);
		}
		n = fread(bytes.data + bytes.used_bytes, 1, 1 << 20, file);
	} while (n > 0);
	fclose(file);
	*n_bytes_out = bytes.used_bytes;
	return bytes.data;
}

/* Tokenizes the text once; returns the seconds. */
static double measure(struct bs_tokenizer *tokenizer, const uint8_t *text, size_t text_bytes,
                      bool ascii_path, struct count *count)
{
	struct bs_error err = {""};
	tokenizer->ascii_path = ascii_path;
	double start = now_s();
	if (bs_tokenizer_analyze(tokenizer, text, text_bytes, 0, count_tokens, count, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(2);
	}
	return now_s() - start;
}

static int run(struct bs_tokenizer *tokenizer, const char *path)
{
	size_t text_bytes;
	uint8_t *text = load(path, &text_bytes);
	struct count all[2] = {{.hashes = true}, {.hashes = true}};
	double best[2] = {1e9, 1e9};
	for (int k = 0; k < 2; k++)
		(void)measure(tokenizer, text, text_bytes, k, &all[k]);
	for (int round = 0; round < 2 * ROUNDS; round++) {
		struct count count = {.n_tokens = 0};
		double elapsed = measure(tokenizer, text, text_bytes, round & 1, &count);
		best[round & 1] = elapsed < best[round & 1] ? elapsed : best[round & 1];
	}
	bool is_same = all[0].n_tokens == all[1].n_tokens && all[0].sum == all[1].sum;
	printf("%s: %.1f MB, %llu tokens; ICU %.1f MB/s, with the ASCII path %.1f MB/s, %.1fx%s\n",
	       path, (double)text_bytes * 1e-6, (unsigned long long)all[0].n_tokens,
	       (double)text_bytes * 1e-6 / best[0], (double)text_bytes * 1e-6 / best[1],
	       best[0] / best[1], is_same ? "" : "; THE TOKENS DIFFER");
	free(text);
	return !is_same;
}

int main(int argc, char **argv)
{
	struct bs_tokenizer *tokenizer;
	struct bs_error err = {""};
	int failed = 0;
	if (argc < 2 || bs_tokenizer_new(NULL, &tokenizer, &err)) {
		fprintf(stderr, "usage: bitsift-bench-words FILE...\n%s\n", err.text);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		failed |= run(tokenizer, argv[i]);
	bs_tokenizer_free(tokenizer);
	return failed;
}
