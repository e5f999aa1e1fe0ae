/*
 * generate_main.c: bitsift-generate, the text generator of tests/generate/generate.h as a program,
 * with JSONL on standard output. For benchmarks and experiments; tests call the generator directly.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/generate/generate.h"

static const char usage[] =
	"usage: bitsift-generate [OPTION...] N SEED\n"
	"\n"
	"Write N made-up documents to standard output, one JSON object a line:\n"
	"{\"id\": \"d0\", \"text\": \"...\"}. The same arguments always give the same bytes.\n"
	"\n"
	"  -w, --words N           size of the vocabulary (default 100000, at most 16777216)\n"
	"  -z, --zipf S            exponent of Zipf's law, 0 to 3 (default 1.07)\n"
	"  -l, --length N          mean length of a document in words (default 200)\n"
	"  -s, --spread S          standard deviation of log2(length), 0 to 2 (default 1.1)\n"
	"  -t, --topic-share S     share of words from a topic, 0 to 1 (default 0.25)\n"
	"  -d, --topic-docs N      neighbouring documents of one topic (default 50)\n"
	"  -h, --help              this text\n";

/* Parses a decimal number, digits only, at most `most`. */
static bool parse_number(const char *text, uint64_t most, uint64_t *number_out)
{
	uint64_t number = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		uint64_t digit = (uint64_t)(*text - '0');
		if (number > (most - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*number_out = number;
	return true;
}

static bool parse_u32(const char *text, uint32_t *number_out)
{
	uint64_t number;
	if (!parse_number(text, UINT32_MAX, &number))
		return false;
	*number_out = (uint32_t)number;
	return true;
}

/* Parses "1.07" as 1070; at most three decimals, the precision of the generator. */
static bool parse_milli(const char *text, uint32_t *milli_out)
{
	char digits[16];
	const char *point = strchr(text, '.');
	size_t n_whole = point ? (size_t)(point - text) : strlen(text);
	size_t n_decimals = point ? strlen(point + 1) : 0;
	if (n_whole + n_decimals == 0 || n_whole > 6 || n_decimals > 3)
		return false;
	snprintf(digits, sizeof(digits), "%.*s%s%.*s", (int)n_whole, text, point ? point + 1 : "",
	         3 - (int)n_decimals, "000");
	return parse_u32(digits, milli_out);
}

static bool parse_option(int letter, const char *value, struct bs_generator_options *options)
{
	switch (letter) {
	case 'w':
		return parse_u32(value, &options->n_words);
	case 'z':
		return parse_milli(value, &options->zipf_milli);
	case 'l':
		return parse_u32(value, &options->mean_words);
	case 's':
		return parse_milli(value, &options->spread_milli);
	case 't':
		return parse_milli(value, &options->topic_milli);
	case 'd':
		return parse_u32(value, &options->topic_docs);
	}
	return false;
}

static int write_documents(const struct bs_generator_options *options)
{
	struct bs_error err;
	struct bs_generator *generator;
	enum bs_status status = bs_generator_new(options, &generator, &err);
	if (!status)
		status = bs_generator_write_jsonl(generator, stdout, &err);
	if (status)
		fprintf(stderr, "bitsift-generate: %s\n", err.text);
	bs_generator_free(generator);
	return status ? 2 : 0;
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"words", required_argument, NULL, 'w'},
		{"zipf", required_argument, NULL, 'z'},
		{"length", required_argument, NULL, 'l'},
		{"spread", required_argument, NULL, 's'},
		{"topic-share", required_argument, NULL, 't'},
		{"topic-docs", required_argument, NULL, 'd'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct bs_generator_options options = bs_generator_defaults();
	int letter;
	while ((letter = getopt_long(argc, argv, "w:z:l:s:t:d:h", long_options, NULL)) != -1) {
		if (letter == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		if (letter == '?') /* getopt has printed the error */
			return 2;
		if (!parse_option(letter, optarg, &options)) {
			fprintf(stderr, "bitsift-generate: -%c: not a number in its form: %s\n",
			        letter, optarg);
			return 2;
		}
	}
	if (argc - optind != 2 || !parse_number(argv[optind], UINT64_MAX, &options.n_docs) ||
	    !parse_number(argv[optind + 1], UINT64_MAX, &options.seed)) {
		fputs("bitsift-generate: wants the two numbers N and SEED; see --help\n", stderr);
		return 2;
	}
	return write_documents(&options);
}
