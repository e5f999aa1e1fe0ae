#include <bitsift.h>
#include <stdio.h>

static int print_hit(void *context, const struct bs_hit *hit)
{
	(void)context;
	printf("%.3f  %.*s\n", hit->score, (int)hit->id_bytes, hit->id);
	return 0; /* continue */
}

int main(void)
{
	const char *sources[] = {"."};
	struct bs_build_request build = {.dir = ".bitsift", .sources = sources, .n_sources = 1};
	struct bs_search_request search = {.query = {.text = "bloom filter", .text_bytes = 12},
	                                   .callbacks = {.hit = print_hit}};
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err;
	enum bs_status status = bs_index_build(&build, NULL, &err);

	if (!status)
		status = bs_index_open(build.dir, &index, &err);
	if (!status)
		status = bs_searcher_new(index, &searcher, &err); /* one for each thread */
	if (!status)
		status = bs_search(searcher, &search, NULL, &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	bs_searcher_free(searcher);
	bs_index_close(index);
	return status != BS_OK;
}
