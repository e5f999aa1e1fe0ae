/* catalog.c DIR: searches three indexes in a catalog; only indexes that may have a hit are
 * opened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>
#include <bitsift/catalog.h>
#include <bitsift/writer.h>

#define N_INDEXES 3

static const struct bs_consent all = {.all = true};

static enum bs_status make_index(const char *dir, const char *id, const char *letter,
                                 struct bs_error *err)
{
	struct bs_writer_request request = {.dir = dir, .host.consent = &all};
	struct bs_text text = {.field = "", .text = letter, .text_bytes = strlen(letter)};
	struct bs_writer *writer;
	enum bs_status status = bs_writer_open(&request, &writer, err);
	if (!status)
		status = bs_writer_add(writer, id, strlen(id), &text, 1, err);
	if (!status)
		status = bs_writer_commit(writer, NULL, err);
	bs_writer_close(writer);
	return status;
}

static int show(void *context, const struct bs_catalog_hit *hit)
{
	(void)context;
	printf("%.4f %s:%.*s\n", hit->hit->score, hit->index, (int)hit->hit->id_bytes,
	       hit->hit->id);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const dirs[N_INDEXES] = {"home", "office", "boat"};
	static const char *const letters[N_INDEXES] = {
		"the kettle sings", "the printer sings no more", "a kettle at sea"};
	struct bs_catalog_request opened = {.file = "all.catalog", .host.consent = &all};
	struct bs_catalog_search_request request = {
		.search = {.query.text = "kettle", .query.text_bytes = 6}, .hit = show};
	struct bs_catalog_search_result result;
	struct bs_catalog *catalog = NULL;
	struct bs_error err;
	enum bs_status status = BS_OK;
	if (argc == 2)
		(void)mkdir(argv[1], 0700); /* the folder may exist */
	if (argc != 2 || chdir(argv[1]) != 0) {
		fprintf(stderr, "usage: catalog DIR\n");
		return 2;
	}
	for (size_t i = 0; i < N_INDEXES && !status; i++)
		status = make_index(dirs[i], "letter", letters[i], &err);
	if (!status)
		status = bs_catalog_open(&opened, &catalog, &err);
	if (!status)
		status = bs_catalog_add(catalog, dirs, N_INDEXES, NULL, &err);
	if (!status)
		status = bs_catalog_search(catalog, &request, &result, &err);
	if (!status)
		printf("asked %llu of %llu\n", (unsigned long long)result.n_asked,
		       (unsigned long long)result.n_indexes);
	else
		fprintf(stderr, "%s\n", err.text);
	bs_catalog_close(catalog);
	return status ? 1 : 0;
}
