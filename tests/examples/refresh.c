/* refresh.c DIR: the later life of an index: files change, an index opened with `fresh` answers for
 * their current content, and the index is refreshed, compacted and checked. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>

static int write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	return !file || fputs(text, file) < 0 || fclose(file);
}

static enum bs_status count(const char *what, bool fresh, struct bs_error *err)
{
	struct bs_open_request open = {.dir = "notes.index", .fresh = fresh};
	struct bs_search_request find = {
		.query.text = "harbour", .query.text_bytes = 7, .output.mode = BS_SEARCH_COUNT};
	struct bs_search_result result = {.n_hits = 0};
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	enum bs_status status = bs_index_open_with(&open, &index, err);
	if (!status)
		status = bs_searcher_new(index, &searcher, err);
	if (!status)
		status = bs_search(searcher, &find, &result, err);
	printf("%s: %llu\n", what, (unsigned long long)result.n_hits);
	bs_searcher_free(searcher);
	bs_index_close(index);
	return status;
}

int main(int argc, char **argv)
{
	const char *sources[] = {"notes"};
	struct bs_build_request build = {.dir = "notes.index",
	                                 .sources = sources,
	                                 .n_sources = 1,
	                                 .index.words = true,
	                                 .rebuild = true};
	/* the index records its sources and options */
	struct bs_build_request refresh = {.dir = "notes.index"};
	struct bs_check_request check = {.dir = "notes.index"};
	struct bs_build_report report;
	struct bs_check_report checked;
	struct bs_error err;

	if (argc != 2 || (mkdir(argv[1], 0777) && access(argv[1], W_OK)) || chdir(argv[1]) ||
	    (mkdir("notes", 0777) && access("notes", W_OK)) ||
	    write_file("notes/1.txt", "a harbour\n") || write_file("notes/2.txt", "a ferry\n"))
		return 2;
	enum bs_status status = bs_index_build(&build, &report, &err);
	if (!status && write_file("notes/2.txt", "a ferry in the harbour\n"))
		return 2;
	if (!status)
		status = count("of the commit", false, &err);
	if (!status)
		status = count("of now", true, &err);
	if (!status)
		status = bs_index_build(&refresh, &report, &err);
	if (!status) {
		printf("read again: %llu\n", (unsigned long long)report.n_indexed);
		status = count("of the next commit", false, &err);
	}
	if (!status)
		status = bs_index_compact(&refresh, &report, &err);
	if (!status)
		status = bs_index_check(&check, &checked, &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	else
		printf("sound: %llu documents in %llu segments\n",
		       (unsigned long long)checked.n_docs, (unsigned long long)checked.n_segments);
	return status != BS_OK;
}
