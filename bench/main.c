/*
 * main.c: bitsift-bench, the driver of the benchmark. Most commands work on one corpus, whose files
 * are in one folder. run.sh calls them in order. A command can be called alone to repeat a
 * measurement.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/build.h"
#include "bench/compare.h"
#include "bench/engine_lucene.h"
#include "bench/paragraphs.h"
#include "bench/rates.h"
#include "bench/sizes.h"
#include "bench/tool.h"

static const char usage[] =
	"usage: bitsift-bench COMMAND [OPTION...] [ARGUMENT...]\n"
	"\n"
	"  paragraphs FOLDER the paragraphs of 20 words and more of a tree of files, as JSONL on "
	"standard output\n"
	"  tokens SOURCE     analyse SOURCE, a folder or JSONL file, into DIR: what the other "
	"engines index\n"
	"  build [NAME...]   (re)build indexes in DIR; without NAME: all that are not there yet\n"
	"  queries           choose the queries, if the file is not there yet\n"
	"  compare           ask every engine every query, check the counts, print tables (exit 1: "
	"counts disagree)\n"
	"  sizes             what is in the corpus, bytes by part, what building took\n"
	"  tokenizer         its rate against ICU's\n"
	"  kernels           the rate of the AND kernels against that of memory\n"
	"  list              names of the indexes and of the engines\n"
	"\n"
	"  -c, --cache DIR       the folder of the corpus; all but paragraphs, kernels and list "
	"want it\n"
	"  -e, --engines LIST    compare: only these, comma-separated\n"
	"  -C, --classes LIST    compare: only these classes of queries\n"
	"  -n, --number N        queries of each class [200]\n"
	"  -s, --seed N          of the queries [1]\n"
	"  -q, --queries FILE    the queries [DIR/queries-N-SEED]\n"
	"  -i, --index DIR       bitsift's index [DIR/bitsift]\n"
	"  -k, --kernel NAME     bitsift's kernel [the best]\n"
	"  -l, --lucene PATH     class path of LuceneEngine and Lucene's jars; without it Lucene "
	"is left out\n"
	"  -o, --raw FILE        compare: also write every single time\n"
	"  -x, --exhaustive      compare: no count is a df in the lexicon: how many texts are read "
	"then, no times\n"
	"  -t, --in-turn         compare: all queries, then all again, not each three times; for "
	"few engines\n"
	"  -p, --processor-time  compare: measure processor time instead of time by the clock; "
	"for busy machines\n"
	"  -a, --asked           build: without NAME, only those that an engine asks, none built "
	"for its rate alone\n"
	"  -S, --summary FILE    append the numbers of the tables as tab-separated values\n"
	"  -h, --help            this text\n";

struct arguments {
	const char *cache, *engines, *classes, *queries, *raw, *summary;
	unsigned n_per_class;
	bool asked_only, in_turn, processor_time;
	uint64_t seed;
	int n_operands;
	char **operands;
};

static void parse_option(int letter, struct arguments *arguments)
{
	switch (letter) {
	case 'c':
		arguments->cache = optarg;
		break;
	case 'e':
		arguments->engines = optarg;
		break;
	case 'C':
		arguments->classes = optarg;
		break;
	case 'n':
		arguments->n_per_class = (unsigned)strtoul(optarg, NULL, 10);
		break;
	case 's':
		arguments->seed = strtoull(optarg, NULL, 10);
		break;
	case 'q':
		arguments->queries = optarg;
		break;
	case 'i':
		bitsift_options.index_path = optarg;
		break;
	case 'k':
		bitsift_options.kernel = optarg;
		break;
	case 'l':
		lucene_class_path = optarg;
		break;
	case 'x':
		bitsift_options.exhaustive = true;
		break;
	case 'a':
		arguments->asked_only = true;
		break;
	case 't':
		arguments->in_turn = true;
		break;
	case 'p':
		arguments->processor_time = true;
		break;
	case 'S':
		arguments->summary = optarg;
		break;
	case 'o':
		arguments->raw = optarg;
		break;
	default: /* getopt has printed the error */
		exit(2);
	}
}

static void parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct option long_options[] = {
		{"cache", required_argument, NULL, 'c'},
		{"engines", required_argument, NULL, 'e'},
		{"classes", required_argument, NULL, 'C'},
		{"number", required_argument, NULL, 'n'},
		{"seed", required_argument, NULL, 's'},
		{"queries", required_argument, NULL, 'q'},
		{"index", required_argument, NULL, 'i'},
		{"kernel", required_argument, NULL, 'k'},
		{"lucene", required_argument, NULL, 'l'},
		{"raw", required_argument, NULL, 'o'},
		{"summary", required_argument, NULL, 'S'},
		{"asked", no_argument, NULL, 'a'},
		{"exhaustive", no_argument, NULL, 'x'},
		{"in-turn", no_argument, NULL, 't'},
		{"processor-time", no_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	for (int letter; (letter = getopt_long(argc, argv, "c:e:C:n:s:q:i:k:l:o:S:axtph",
	                                       long_options, NULL)) != -1;) {
		if (letter == 'h') {
			fputs(usage, stdout);
			exit(0);
		}
		parse_option(letter, arguments);
	}
	if (arguments->n_per_class == 0)
		die("--number wants a number above 0");
	arguments->n_operands = argc - optind;
	arguments->operands = argv + optind;
}

/* Commands. */

static int cmd_paragraphs(const struct arguments *arguments)
{
	if (arguments->n_operands != 1)
		die("paragraphs wants one FOLDER");
	setvbuf(stdout, NULL, _IOFBF, (size_t)1 << 20);
	paragraphs_write(arguments->operands[0], stdout);
	return 0;
}

static int cmd_tokens(const struct arguments *arguments)
{
	if (arguments->n_operands != 1)
		die("tokens wants one SOURCE");
	corpus_make(arguments->cache, arguments->operands[0]);
	return 0;
}

static bool can_be_built(const struct corpus *corpus, const struct index_kind *kind)
{
	struct build_times times;
	uint64_t n_bytes;
	char *path = text_of("%s/%s", corpus->dir, kind->name);
	bool is_built = build_times_read(path, &times, &n_bytes);
	free(path);
	return !is_built && (lucene_class_path || strncmp(kind->name, "lucene", 6) != 0);
}

static int cmd_build(const struct arguments *arguments)
{
	struct corpus corpus;
	corpus_open(arguments->cache, &corpus);
	for (int i = 0; i < arguments->n_operands; i++)
		build_index(&corpus, index_kind_named(arguments->operands[i]));
	for (const struct index_kind *kind = index_kinds; kind->name && !arguments->n_operands;
	     kind++)
		if (can_be_built(&corpus, kind) && !(kind->is_rate_only && arguments->asked_only))
			build_index(&corpus, kind);
	corpus_close(&corpus);
	return 0;
}

static char *queries_path(const struct arguments *arguments)
{
	if (arguments->queries)
		return text_of("%s", arguments->queries);
	return text_of("%s/queries-%u-%llu", arguments->cache, arguments->n_per_class,
	               (unsigned long long)arguments->seed);
}

static int cmd_queries(const struct arguments *arguments)
{
	struct corpus corpus;
	char *path = queries_path(arguments);
	corpus_open(arguments->cache, &corpus);
	if (access(path, R_OK) != 0)
		queries_choose(&corpus, arguments->n_per_class, arguments->seed, path);
	corpus_close(&corpus);
	free(path);
	return 0;
}

static FILE *open_summary(const struct arguments *arguments)
{
	return arguments->summary ? open_file(arguments->summary, "a") : NULL;
}

static void close_summary(FILE *summary, const struct arguments *arguments)
{
	if (summary)
		close_file(summary, arguments->summary);
}

static int cmd_compare(const struct arguments *arguments)
{
	struct corpus corpus;
	struct comparison comparison;
	cmd_queries(arguments);
	char *path = queries_path(arguments);
	struct compare_request request = {.queries_path = path,
	                                  .engines = arguments->engines,
	                                  .classes = arguments->classes,
	                                  .in_turn = arguments->in_turn,
	                                  .is_processor_time = arguments->processor_time,
	                                  .raw_path = arguments->raw};
	corpus_open(arguments->cache, &corpus);
	compare_run(&corpus, &request, &comparison);
	FILE *summary = open_summary(arguments);
	compare_report(&comparison, stdout, summary);
	close_summary(summary, arguments);
	int status = comparison.n_wrong > 0;
	compare_free(&comparison);
	corpus_close(&corpus);
	free(path);
	return status;
}

static int cmd_sizes(const struct arguments *arguments)
{
	struct corpus corpus;
	FILE *summary = open_summary(arguments);
	corpus_open(arguments->cache, &corpus);
	sizes_report(&corpus, stdout, summary);
	corpus_close(&corpus);
	close_summary(summary, arguments);
	return 0;
}

static int cmd_tokenizer(const struct arguments *arguments)
{
	struct corpus corpus;
	FILE *summary = open_summary(arguments);
	corpus_open(arguments->cache, &corpus);
	tokenizer_report(&corpus, stdout, summary);
	corpus_close(&corpus);
	close_summary(summary, arguments);
	return 0;
}

static int cmd_kernels(const struct arguments *arguments)
{
	FILE *summary = open_summary(arguments);
	kernels_report((size_t)96 << 20, stdout, summary);
	close_summary(summary, arguments);
	return 0;
}

static int cmd_list(const struct arguments *arguments)
{
	(void)arguments;
	for (const struct index_kind *kind = index_kinds; kind->name; kind++)
		printf("index   %-18s %s\n", kind->name, kind->description);
	for (const struct engine *engine = engines; engine->name; engine++)
		printf("engine  %s\n", engine->name);
	return 0;
}

struct command {
	const char *name;
	bool wants_cache;
	int (*run)(const struct arguments *arguments);
};

static const struct command commands[] = {
	{"paragraphs", false, cmd_paragraphs},
	{"tokens", true, cmd_tokens},
	{"build", true, cmd_build},
	{"queries", true, cmd_queries},
	{"compare", true, cmd_compare},
	{"sizes", true, cmd_sizes},
	{"tokenizer", true, cmd_tokenizer},
	{"kernels", false, cmd_kernels},
	{"list", false, cmd_list},
	{0},
};

int main(int argc, char **argv)
{
	struct arguments arguments = {.n_per_class = 200, .seed = 1};
	if (argc < 2 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
		fputs(usage, argc < 2 ? stderr : stdout);
		return argc < 2 ? 2 : 0;
	}
	for (const struct command *command = commands; command->name; command++) {
		if (strcmp(command->name, argv[1]) != 0)
			continue;
		parse_arguments(argc - 1, argv + 1, &arguments);
		if (command->wants_cache && !arguments.cache)
			die("%s wants --cache DIR; see --help", command->name);
		return command->run(&arguments);
	}
	die("%s: no such command; see --help", argv[1]);
}
