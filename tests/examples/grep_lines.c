/* grep_lines.c DIR: finds lines that match a regular expression, with an index that rules files
 * out. Each line is passed as a struct with its matches. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>

/* May be called on any thread, one call at a time; files are in the order of their paths. */
static int show(void *context, const struct bs_grep_line *line)
{
	(void)context;
	printf("%s:%llu:", line->path, (unsigned long long)line->number);
	for (size_t i = 0; i < line->n_matches; i++)
		printf(" [%.*s]", (int)(line->matches[i].end - line->matches[i].start),
		       line->text + line->matches[i].start);
	printf(" in %.*s", (int)line->text_bytes, line->text);
	return 0; /* continue */
}

static void tell(void *context, const char *message)
{
	(void)context;
	fprintf(stderr, "%s\n", message);
}

static int write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	return !file || fputs(text, file) < 0 || fclose(file);
}

int main(int argc, char **argv)
{
	const char *paths[] = {"code"}, *patterns[] = {"bs_(open|close)\\w*\\("};
	size_t pattern_bytes[] = {strlen(patterns[0])};
	struct bs_build_request build = {
		.dir = "code.index", .sources = paths, .n_sources = 1, .index.grams = true};
	struct bs_grep_request grep = {
		.pattern = {.patterns = patterns, .pattern_bytes = pattern_bytes, .n_patterns = 1},
		.files = {.paths = paths, .n_paths = 1},
		.output = {.line_numbers = true},
		.index.dir = "code.index",
		.callbacks.line = show,
		.callbacks.notice = tell};
	struct bs_grep_result result;
	struct bs_error err;

	if (argc != 2 || (mkdir(argv[1], 0777) && access(argv[1], W_OK)) || chdir(argv[1]) ||
	    (mkdir("code", 0777) && access("code", W_OK)) ||
	    write_file("code/a.c", "int main(void)\n{\n\tbs_open(); bs_close_all();\n}\n") ||
	    write_file("code/b.c", "int nothing;\n"))
		return 2;
	enum bs_status status = bs_index_build(&build, NULL, &err);
	if (!status)
		status = bs_grep(&grep, &result, &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	else
		printf("%llu of 2 files ruled out\n", (unsigned long long)result.n_ruled_out);
	return status != BS_OK;
}
