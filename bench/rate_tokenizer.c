/*
 * rate_tokenizer.c: measures the rate of the tokenizer on the ASCII documents of a corpus: with its
 * fast path; without it (ICU processes all text), which must give equal tokens; and the rate of
 * ICU's word breaks alone, without folding and terms, which is the limit of every tokenizer built
 * on ICU. See rates.h.
 */
#include <stdlib.h>
#include <string.h>

#include <unicode/ubrk.h>
#include <unicode/ustring.h>

#include "bench/rates.h"
#include "bench/tool.h"
#include "core/base/hash.h"
#include "core/text/tokenizer.h"
#include "core/text/tokenizer_term.h"

#define MOST_BYTES  ((size_t)64 << 20)
#define REPETITIONS 3

/* ASCII documents, concatenated. */
struct sample {
	uint8_t *text;
	size_t n_bytes;
	uint64_t *ends; /* the end of each document in `text` */
	size_t n_docs;
};

static bool is_ascii(const char *text, size_t n_bytes)
{
	uint8_t any = 0;
	for (size_t i = 0; i < n_bytes; i++)
		any |= (uint8_t)text[i];
	return any < 128;
}

static struct sample read_sample(const struct corpus *corpus)
{
	struct sample sample = {.text = grown(NULL, MOST_BYTES),
	                        .ends = grown(NULL, corpus->n_docs * sizeof(uint64_t))};
	struct text_stream stream;
	for (text_stream_open(corpus, &stream); text_stream_next(&stream);) {
		if (!is_ascii(stream.text, stream.n_bytes) ||
		    sample.n_bytes + stream.n_bytes > MOST_BYTES)
			continue;
		memcpy(sample.text + sample.n_bytes, stream.text, stream.n_bytes);
		sample.n_bytes += stream.n_bytes;
		sample.ends[sample.n_docs++] = sample.n_bytes;
	}
	text_stream_close(&stream);
	return sample;
}

/* A checksum over all fields of the tokens, to compare two analyses. */
static enum bs_status sum_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                                 struct bs_error *err)
{
	uint64_t *sum = context;
	(void)err;
	for (size_t i = 0; i < n_tokens; i++)
		*sum = *sum * 31 + bs_hash_term(tokens[i].term, tokens[i].term_bytes) +
		       tokens[i].position + tokens[i].start_byte * 3 + tokens[i].end_byte * 5;
	return BS_OK;
}

static enum bs_status count_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                                   struct bs_error *err)
{
	(void)tokens, (void)err;
	*(uint64_t *)context += n_tokens;
	return BS_OK;
}

static uint64_t analyze(struct bs_tokenizer *tokenizer, const struct sample *sample, bs_token_fn fn)
{
	uint64_t context = 0, start = 0;
	struct bs_error err;
	for (size_t i = 0; i < sample->n_docs; start = sample->ends[i++])
		if (bs_tokenizer_analyze(tokenizer, sample->text + start, sample->ends[i] - start,
		                         0, fn, &context, NULL, &err))
			die("%s", err.text);
	return context;
}

static double words_rate(struct bs_tokenizer *tokenizer, const struct sample *sample,
                         bool ascii_path)
{
	uint64_t best = UINT64_MAX;
	tokenizer->ascii_path = ascii_path;
	for (int i = 0; i < REPETITIONS; i++) {
		uint64_t start = now_ns();
		(void)analyze(tokenizer, sample, count_tokens);
		uint64_t elapsed = now_ns() - start;
		best = elapsed < best ? elapsed : best;
	}
	return (double)sample->n_bytes * 1e3 / (double)best;
}

static void walk_breaks(UBreakIterator *breaks, UChar *units, const uint8_t *text, size_t n_bytes)
{
	UErrorCode code = U_ZERO_ERROR;
	int32_t n_units = 0;
	u_strFromUTF8(units, (int32_t)n_bytes + 1, &n_units, (const char *)text, (int32_t)n_bytes,
	              &code);
	ubrk_setText(breaks, units, n_units, &code);
	while (ubrk_next(breaks) != UBRK_DONE)
		(void)ubrk_getRuleStatus(breaks);
}

static double icu_rate(const struct sample *sample)
{
	UErrorCode code = U_ZERO_ERROR;
	UBreakIterator *breaks = ubrk_open(UBRK_WORD, "", NULL, 0, &code);
	UChar *units = grown(NULL, (sample->n_bytes + 1) * sizeof(*units));
	uint64_t start_ns = now_ns(), start = 0;
	if (U_FAILURE(code))
		die("ICU: %s", u_errorName(code));
	for (size_t i = 0; i < sample->n_docs; start = sample->ends[i++])
		walk_breaks(breaks, units, sample->text + start, sample->ends[i] - start);
	uint64_t elapsed = now_ns() - start_ns;
	ubrk_close(breaks);
	free(units);
	return (double)sample->n_bytes * 1e3 / (double)elapsed;
}

static bool are_equal(struct bs_tokenizer *tokenizer, const struct sample *sample)
{
	tokenizer->ascii_path = true;
	uint64_t sum = analyze(tokenizer, sample, sum_tokens);
	tokenizer->ascii_path = false;
	return analyze(tokenizer, sample, sum_tokens) == sum;
}

void tokenizer_report(const struct corpus *corpus, FILE *file, FILE *summary)
{
	struct sample sample = read_sample(corpus);
	struct bs_tokenizer *tokenizer;
	struct bs_error err;
	if (bs_tokenizer_new(NULL, &tokenizer, &err))
		die("%s", err.text);
	if (sample.n_bytes == 0)
		die("%s: no document of ASCII alone", corpus->dir);
	if (!are_equal(tokenizer, &sample))
		die("the tokenizer's two paths differ");
	double fast = words_rate(tokenizer, &sample, true),
	       slow = words_rate(tokenizer, &sample, false), icu = icu_rate(&sample);
	fprintf(file,
	        "\n### Tokenizer\n\n%.1f MB of ASCII documents, one thread; the tokens of the "
	        "first two are the same."
	        "\n\n"
	        "| | MB/s | |\n|---|--:|--:|\n| fast path | %.0f | %.1f |\n| the same through ICU "
	        "| %.0f | 1 |\n"
	        "| ICU's word breaks alone | %.0f | %.1f |\n",
	        (double)sample.n_bytes / 1e6, fast, fast / slow, slow, icu, icu / slow);
	if (summary)
		fprintf(summary, "rate\ttokenizer\t%.1f\nrate\ttokenizer-icu\t%.1f\n", fast, slow);
	bs_tokenizer_free(tokenizer);
	free(sample.text);
	free(sample.ends);
}
