/* cmd_delete.c: `bitsift delete`. Arguments and output; the work is corpus/changes/delete.c's, and the query's. */
#include "query/cli/cmd_delete.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/index_dir.h"
#include "corpus/changes/delete.h"
#include "query/cli/cmd_shared.h"
#include "query/search/search.h"

struct delete_arguments {
	const char *index;
	const char *query;
	bool any, wait, quiet;
	char **ids;
	size_t n_ids;
};

#define SETS(kind, field) BS_OPTION_SETS(kind, struct delete_arguments, field)

static const struct bs_option delete_options[] = {
	{0, "index", "DIR", "the index [the nearest .bitsift upward]", SETS(STRING, index)},
	{0, "query", "Q", "every document that matches Q, instead of ids", SETS(STRING, query)},
	{0, "any", NULL, "with --query: documents with any of the words, not all", SETS(FLAG, any)},
	{0, "wait", NULL, "wait for another bitsift that is writing the index", SETS(FLAG, wait)},
	{'q', "quiet", NULL, "no summary", SETS(FLAG, quiet)},
	{0},
};

static const char *const delete_examples[] = {
	"bitsift delete notes/old.txt", "a document by its id",
	"bitsift delete --query 'spam -ham'", "all that `bitsift query` finds",
	NULL,
};

static const char delete_description[] =
	"Removes documents from the index; their sources are not touched. A deleted document stays out of the index, "
	"also after a refresh, until it changes; then it is indexed again. The ids are those that `bitsift query --ids` "
	"prints; an id that is in several sources is deleted in all of them.\n\n"
	"With `--query`, everything that the query finds is deleted; try it with `bitsift query --ids` first. A document "
	"whose source changed since it was indexed comes back with the next refresh.";

const struct bs_command bs_command_delete = {
	.name = "delete",
	.summary = "Remove documents from an index, by id or by query.",
	.usage = "[OPTION]... (ID... | --query Q)",
	.description = delete_description,
	.options = delete_options,
	.examples = delete_examples,
	.exit_status = "0 when something was deleted, 1 when there was nothing to delete, 2 on an error, or if documents that may match cannot "
	               "be read: the others are deleted.",
};

static enum bs_status parse_arguments(struct delete_arguments *arguments, int argc, char **argv, bool *help_out,
                                      struct bs_error *err)
{
	struct bs_operands operands;
	enum bs_status status = bs_command_parse(&bs_command_delete, argc, argv, arguments, &operands, err);
	*help_out = operands.help;
	if (status || operands.help)
		return status;
	arguments->ids = operands.list;
	arguments->n_ids = operands.n;
	if (arguments->query && arguments->n_ids > 0)
		return bs_fail(err, BS_INVALID, "ids or --query, not both; a query of several words goes in quotes");
	if (!arguments->query && arguments->n_ids == 0)
		return bs_fail(err, BS_INVALID, "what is to be deleted? `bitsift delete ID...` or `bitsift delete --query Q`");
	return BS_OK;
}

/* ---- by id ---- */

static enum bs_status delete_ids(const struct delete_arguments *arguments, struct bs_dir *dir, uint64_t *n_deleted_out,
                                 struct bs_error *err)
{
	bool *found = calloc(arguments->n_ids, sizeof(*found));
	if (!found)
		return bs_fail_memory(err, "ids", arguments->n_ids);
	enum bs_status status = bs_delete_ids(dir, arguments->wait, (const char *const *)arguments->ids, arguments->n_ids,
	                                      found, n_deleted_out, err);
	for (size_t i = 0; i < arguments->n_ids && !status; i++) {
		struct bs_error line;
		if (found[i])
			continue;
		(void)bs_fail(&line, BS_OK, "%s: no document has this id", arguments->ids[i]);
		fprintf(stderr, "bitsift: %s\n", line.text);
	}
	free(found);
	return status;
}

/* ---- by query ---- */

static enum bs_status take_hit(void *context, const struct bs_search_hit *hit, struct bs_error *err)
{
	return bs_buffer_append(context, &hit->ref, sizeof(hit->ref), err);
}

static void show_notice(void *context, const char *message)
{
	(void)context;
	fprintf(stderr, "bitsift: %s\n", message);
}

static enum bs_status find_matches(const struct delete_arguments *arguments, const struct bs_search *search,
                                   struct bs_buffer *refs, bool *is_whole_out, struct bs_error *err)
{
	struct bs_search_request request = {
		.text = (const uint8_t *)arguments->query,
		.text_bytes = strlen(arguments->query),
		.mode = BS_SEARCH_IDS,
		.any = arguments->any,
	};
	struct bs_search_sink sink = {.context = refs, .hit = take_hit, .notice = show_notice};
	struct bs_searcher *searcher = NULL;
	struct bs_query_stats stats;
	size_t error_byte;
	enum bs_status status = bs_searcher_new(search, &sink, &searcher, err);
	if (!status)
		status = bs_searcher_run(searcher, &request, &stats, &error_byte, err);
	uint64_t n_unread = status ? 0 : bs_searcher_failures(searcher);
	bs_cmd_show_unread(n_unread);
	*is_whole_out = !status && n_unread == 0;
	bs_searcher_free(searcher);
	return status;
}

/* With the lock held from before the query is run: what is deleted is what was found. */
static enum bs_status delete_matches(const struct delete_arguments *arguments, struct bs_dir *dir, uint64_t *n_deleted_out,
                                     bool *is_whole_out, struct bs_error *err)
{
	struct bs_index_lock lock;
	struct bs_search search = {0};
	struct bs_buffer refs = {0};
	enum bs_status status = bs_index_lock_existing(dir, arguments->wait, &lock, err);
	if (!status)
		status = bs_search_open(dir->path, dir->consent, NULL, &search, err);
	if (!status)
		status = find_matches(arguments, &search, &refs, is_whole_out, err);
	size_t n = refs.used_bytes / sizeof(struct bs_doc_ref);
	if (!status && n > 0)
		status = bs_delete_documents(&search.snapshot, (const struct bs_doc_ref *)(const void *)refs.data, n, err);
	*n_deleted_out = status ? 0 : n;
	bs_search_deinit(&search);
	bs_index_lock_release(&lock);
	bs_buffer_deinit(&refs);
	return status;
}

int bs_cmd_delete(int argc, char **argv, const struct bs_consent *consent)
{
	struct bs_error err = {""};
	struct delete_arguments arguments = {0};
	struct bs_dir dir = {.fd = -1};
	uint64_t n_deleted = 0;
	bool is_whole = true, help = false;
	enum bs_status status = parse_arguments(&arguments, argc, argv, &help, &err);
	if (!status && help)
		return bs_cmd_show_help(&bs_command_delete);
	if (!status)
		status = bs_cmd_open(arguments.index, consent, &dir, &err);
	if (!status)
		status = arguments.query ? delete_matches(&arguments, &dir, &n_deleted, &is_whole, &err)
		                         : delete_ids(&arguments, &dir, &n_deleted, &err);
	bs_dir_close(&dir);
	if (status) {
		fprintf(stderr, "bitsift: %s\n", err.text);
		return 2;
	}
	char count[32];
	bs_format_count(n_deleted, count);
	if (!arguments.quiet)
		fprintf(stderr, "deleted %s document%s\n", count, n_deleted == 1 ? "" : "s");
	/* Documents that could not be read were named; they may have matched. */
	if (!is_whole)
		return 2;
	return n_deleted > 0 ? 0 : 1;
}
