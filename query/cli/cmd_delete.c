/* cmd_delete.c: `bitsift delete`. Arguments and output; the work is bs_index_delete's. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/cli/commands.h"

struct delete_arguments {
	const char *index;
	const char *query;
	bool any, wait, quiet;
};

#define SETS(kind, field) BS_OPTION_SETS(kind, struct delete_arguments, field)

static const struct bs_option delete_options[] = {
	{0, "index", "DIR", "the index [the nearest .bitsift upward]", SETS(ONCE, index)},
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

static void show_notice(void *context, const char *message)
{
	(void)context;
	fprintf(stderr, "bitsift: %s\n", message);
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent, struct bs_error *err)
{
	const struct delete_arguments *arguments = set;
	struct bs_delete_result result = {0};
	char count[32], *dir = NULL;
	enum bs_status status = BS_OK;
	if (arguments->query && operands->n > 0)
		status = bs_fail(err, BS_INVALID, "ids or --query, not both; a query of several words goes in quotes");
	else if (!arguments->query && operands->n == 0)
		status = bs_fail(err, BS_INVALID,
		                 "what is to be deleted? `bitsift delete ID...` or `bitsift delete --query Q`");
	if (!status)
		status = bs_cmd_locate(arguments->index, &dir, err);
	struct bs_delete_request request = {
		.dir = dir,
		.ids = (const char *const *)operands->list,
		.n_ids = operands->n,
		.query = arguments->query,
		.query_bytes = arguments->query ? strlen(arguments->query) : 0,
		.any = arguments->any,
		.wait = arguments->wait,
		.notice = show_notice,
		.consent = consent,
	};
	if (!status)
		status = bs_index_delete(&request, &result, err);
	free(dir);
	bs_cmd_show_unread(result.n_unreadable);
	if (status)
		return -1;
	bs_format_count(result.n_deleted, count);
	if (!arguments->quiet)
		fprintf(stderr, "deleted %s document%s\n", count, result.n_deleted == 1 ? "" : "s");
	/* Documents that could not be read were named; they may have matched. */
	if (result.n_unreadable > 0)
		return 2;
	return result.n_deleted > 0 ? 0 : 1;
}

const struct bs_command bs_command_delete = {
	.name = "delete",
	.summary = "Remove documents from an index, by id or by query.",
	.usage = "[OPTION]... (ID... | --query Q)",
	.description = delete_description,
	.options = delete_options,
	.examples = delete_examples,
	.exit_status = "0 when something was deleted, 1 when there was nothing to delete, 2 on an error, or if documents that may match cannot "
	               "be read: the others are deleted.",
	.arguments_bytes = sizeof(struct delete_arguments),
	.run = run,
};
