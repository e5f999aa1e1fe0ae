/* build_and_search.c DIR: indexes the files of a folder and searches them: the best hits, with a
 * snippet and the places of the words. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>

static int show(void *context, const struct bs_hit *hit)
{
	(void)context;
	printf("%llu. %s: %.*s\n", (unsigned long long)hit->rank, hit->path,
	       (int)hit->snippet_bytes, hit->snippet);
	for (size_t i = 0; i < hit->n_passages; i++)
		printf("   line %llu, column %llu\n", (unsigned long long)hit->passages[i].line,
		       (unsigned long long)hit->passages[i].column);
	return 0; /* continue */
}

static int write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	return !file || fputs(text, file) < 0 || fclose(file);
}

int main(int argc, char **argv)
{
	const char *sources[] = {"letters"};
	struct bs_build_request build = {
		.dir = "letters.index", .sources = sources, .n_sources = 1};
	struct bs_open_request open = {.dir = build.dir};
	struct bs_search_request find = {
		.query.text = "harbour lantern", .query.text_bytes = 15, .callbacks.hit = show};
	struct bs_build_report report;
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err;

	find.output.snippets = find.output.passages = true;
	find.output.mark_start = "[";
	find.output.mark_stop = "]";
	if (argc != 2 || (mkdir(argv[1], 0777) && access(argv[1], W_OK)) || chdir(argv[1]) ||
	    (mkdir("letters", 0777) && access("letters", W_OK)) ||
	    write_file("letters/may.txt",
	               "Dear Nora,\nthe harbour is cold,\nand a lantern burns.\n") ||
	    write_file("letters/june.txt", "No lantern any more.\n"))
		return 2;
	/* on later calls, only new and changed files are read */
	enum bs_status status = bs_index_build(&build, &report, &err);
	if (!status)
		status = bs_index_open_with(&open, &index, &err); /* shared by all threads */
	if (!status)
		status = bs_searcher_new(index, &searcher, &err); /* one per thread */
	if (!status)
		status = bs_search(searcher, &find, NULL, &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	else
		printf("of %llu documents\n", (unsigned long long)report.n_docs);
	bs_searcher_free(searcher);
	bs_index_close(index);
	return status != BS_OK;
}
