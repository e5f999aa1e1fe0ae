/* cmd_delete.c: `bitsift delete`. Arguments and output; the work is bs_index_delete's. */
#include "query/cli/cmd_delete.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/cli/cmd_shared.h"

struct delete_arguments {
	const char *index;
	const char *query;
	bool any, wait, quiet;
	char **ids;
	size_t n_ids;
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

static void show_notice(void *context, const char *message)
{
	(void)context;
	fprintf(stderr, "bitsift: %s\n", message);
}

int bs_cmd_delete(int argc, char **argv, const struct bs_consent *consent)
{
	struct bs_error err = {""};
	struct delete_arguments arguments = {0};
	struct bs_delete_result result = {0};
	char *dir = NULL;
	bool help = false;
	enum bs_status status = parse_arguments(&arguments, argc, argv, &help, &err);
	if (!status && help)
		return bs_cmd_show_help(&bs_command_delete);
	if (!status)
		status = bs_cmd_locate(arguments.index, &dir, &err);
	if (!status) {
		struct bs_delete_request request = {
			.dir = dir,
			.ids = (const char *const *)arguments.ids,
			.n_ids = arguments.n_ids,
			.query = arguments.query,
			.query_bytes = arguments.query ? strlen(arguments.query) : 0,
			.any = arguments.any,
			.wait = arguments.wait,
			.notice = show_notice,
			.consent = consent,
		};
		status = bs_index_delete(&request, &result, &err);
	}
	free(dir);
	bs_cmd_show_changes(&result.changes, false);
	bs_cmd_show_unread(result.n_unreadable);
	if (status) {
		fprintf(stderr, "bitsift: %s\n", err.text);
		return 2;
	}
	char count[32];
	bs_format_count(result.n_deleted, count);
	if (!arguments.quiet)
		fprintf(stderr, "deleted %s document%s\n", count, result.n_deleted == 1 ? "" : "s");
	/* Documents that could not be read were named; they may have matched. */
	if (result.n_unreadable > 0)
		return 2;
	return result.n_deleted > 0 ? 0 : 1;
}
