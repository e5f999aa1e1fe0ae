/* several_indexes.c DIR: two indexes rank as one. Each reports how frequent the query's words are
 * in it. Both are searched with the sums of these numbers, so that scores are comparable and the
 * best hits of both are those of one large index. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>
#include <bitsift/query.h>

#define N_INDEXES 2
#define N_BEST    3

struct hit {
	double score;
	const char *source;
	char id[32];
};

/* The best hits so far, of all indexes. */
struct best {
	struct hit hits[N_BEST];
	size_t n;
	const char *source; /* the index that is being searched */
};

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct best *best = context;
	size_t at = best->n < N_BEST ? best->n : N_BEST;
	/* hits with equal scores stay in the order of the indexes */
	while (at > 0 && best->hits[at - 1].score < hit->score)
		at--;
	if (at == N_BEST)
		return 0;
	best->n += best->n < N_BEST;
	memmove(&best->hits[at + 1], &best->hits[at], (best->n - 1 - at) * sizeof(struct hit));
	best->hits[at] = (struct hit){.score = hit->score, .source = best->source};
	snprintf(best->hits[at].id, sizeof(best->hits[at].id), "%.*s", (int)hit->id_bytes, hit->id);
	return 0;
}

static enum bs_status open_index(const char *source, const char *dir, const char *records,
                                 struct bs_index **index, struct bs_searcher **searcher,
                                 struct bs_error *err)
{
	struct bs_build_request build = {
		.dir = dir, .sources = &source, .n_sources = 1, .rebuild = true};
	FILE *file = fopen(source, "w");
	if (!file || fputs(records, file) < 0 || fclose(file))
		return bs_fail(err, BS_IO, "%s cannot be written", source);
	enum bs_status status = bs_index_build(&build, NULL, err);
	if (!status)
		status = bs_index_open(dir, index, err);
	return status ? status : bs_searcher_new(*index, searcher, err);
}

int main(int argc, char **argv)
{
	static const char *const sources[] = {"mail.jsonl", "news.jsonl"}, *const dirs[] = {"mail",
	                                                                                    "news"};
	static const char *const records[] = {
		"{\"id\": 1, \"text\": \"a bloom filter\"}\n{\"id\": 2, \"text\": \"a filter of "
		"coffee\"}\n",
		"{\"id\": 7, \"text\": \"filters: Bloom, Bloom filter\"}\n{\"id\": 8, \"text\": "
		"\"bloom of roses\"}\n{\"id\": 9, \"text\": \"tea\"}\n"};
	struct bs_index *indexes[N_INDEXES] = {NULL};
	struct bs_searcher *searchers[N_INDEXES] = {NULL};
	struct bs_statistics *statistics = NULL;
	struct best best = {.n = 0};
	struct bs_search_request find = {.query.text = "bloom filter",
	                                 .query.any = true,
	                                 .output.limit = N_BEST,
	                                 .callbacks.hit = take_hit,
	                                 .callbacks.context = &best};
	struct bs_error err;

	find.query.text_bytes = strlen(find.query.text);
	if (argc < 2 || (mkdir(argv[1], 0700), chdir(argv[1])))
		return EXIT_FAILURE;
	enum bs_status status = bs_statistics_new(&statistics, &err);
	for (int i = 0; i < N_INDEXES && !status; i++)
		status = open_index(sources[i], dirs[i], records[i], &indexes[i], &searchers[i],
		                    &err);
	for (int i = 0; i < N_INDEXES && !status; i++)
		status = bs_statistics_gather(searchers[i], &find, statistics, &err);
	find.query.statistics = statistics;
	for (int i = 0; i < N_INDEXES && !status; i++) {
		best.source = sources[i];
		status = bs_search(searchers[i], &find, NULL, &err);
	}
	for (size_t i = 0; i < best.n && !status; i++)
		printf("%.3f %s %s\n", best.hits[i].score, best.hits[i].source, best.hits[i].id);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	for (int i = 0; i < N_INDEXES; i++) {
		bs_searcher_free(searchers[i]);
		bs_index_close(indexes[i]);
	}
	bs_statistics_free(statistics);
	return status != BS_OK;
}
