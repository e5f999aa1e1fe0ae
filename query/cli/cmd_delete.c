/* cmd_delete.c: `bitsift delete`: arguments and output; bs_index_delete does the work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/build.h"
#include "core/bitsift/index_build.h"
#include "core/bitsift/index_delete.h"
#include "query/cli/commands.h"
#include "query/format/hit_format.h"
#include "query/options/shared_options.h"

struct delete_arguments {
	const char *index;
	const char *query;
	bool any, undo, dry_run, yes, nul, wait, quiet;
	bool has_failed; /* An id could not be printed. */
};

#define SETS(kind, field) BS_OPTION_SETS(kind, struct delete_arguments, field)

static const struct bs_option delete_options[] = {
	BS_SHARED_INDEX(struct delete_arguments, index),
	{0, "query", "Q", "every document that matches Q, instead of ids", SETS(STRING, query)},
	{0, "any", NULL, "with --query: documents with any of the words, not all", SETS(FLAG, any)},
	{'n', "dry-run", NULL, "print the names only; delete nothing", SETS(FLAG, dry_run)},
	{'0', "null", NULL, "with --dry-run: end names with NUL instead of a line feed",
         SETS(FLAG, nul)},
	{'y', "yes", NULL, "with --query on a terminal: do not ask", SETS(FLAG, yes)},
	{0, "undo", NULL, "restore deleted documents", SETS(FLAG, undo)},
	BS_SHARED_WAIT(struct delete_arguments, wait),
	BS_SHARED_QUIET(struct delete_arguments, quiet),
	{0},
};

static const char *const delete_examples[] = {
	"bitsift delete notes/old.txt",
	"a document by its name",
	"bitsift delete --query 'spam -ham'",
	"all hits of a query",
	"bitsift query -l0 'spam -ham' | xargs -0 bitsift delete",
	"the same, by names",
	"bitsift delete --undo --query spam",
	"restore deleted documents with the word",
	NULL,
};

static int ask(void *context, uint64_t n_documents)
{
	char answer[16] = "";
	(void)context;
	fprintf(stderr, "delete %s? [y/N] ", BS_THINGS(n_documents, "document"));
	return !fgets(answer, sizeof(answer), stdin) || (*answer != 'y' && *answer != 'Y');
}

static void show_id(void *context, const char *local_id, size_t local_id_bytes)
{
	struct delete_arguments *arguments = context;
	if (arguments->nul && bs_cmd_refuse_nul(local_id, local_id_bytes)) {
		arguments->has_failed = true;
		return;
	}
	bs_format_exact(local_id, local_id_bytes, isatty(STDOUT_FILENO), stdout);
	putchar(arguments->nul ? '\0' : '\n');
}

/* Refreshes the index, so that restored documents whose data is no longer in it are indexed again.
 * The index stays as private or shared as it is. */
static enum bs_status read_again(const char *dir, const struct delete_arguments *arguments,
                                 const struct bs_consent *consent, struct bs_error *err)
{
	struct stat found;
	struct bs_error why = {""};
	struct bs_build_report report;
	struct bs_build_request request = {
		.dir = dir, .write.wait = arguments->wait, .host.consent = consent};
	request.shared = stat(dir, &found) == 0 && (found.st_mode & 077);
	enum bs_status status = bs_index_build(&request, &report, &why);
	return status ? bs_fail(err, status,
	                        "%s; restored documents that are not found come back with the next "
	                        "`bitsift index`",
	                        why.text)
	              : BS_OK;
}

static void show_result(const struct delete_arguments *arguments,
                        const struct bs_delete_result *result)
{
	const char *done = arguments->undo ? "restored" : "deleted";
	if (arguments->dry_run)
		done = arguments->undo ? "would restore" : "would delete";
	if (!arguments->quiet)
		fprintf(stderr, "%s %s%s\n", done,
		        BS_THINGS(result->n_deleted - result->n_lost, "document"),
		        result->n_to_read > 0 ? "; the sources were read again" : "");
	if (result->n_lost > 0)
		fprintf(stderr,
		        "bitsift: %s from standard input cannot be restored, because the text "
		        "is no longer stored: pass the records to `bitsift index -` again\n",
		        BS_THINGS(result->n_lost, "document"));
}

static enum bs_status check_arguments(const struct delete_arguments *arguments, size_t n_ids,
                                      struct bs_error *err)
{
	if (arguments->query && n_ids > 0)
		return bs_fail(err, BS_INVALID,
		               "ids or --query, not both; a query of several words goes in quotes");
	if (!arguments->query && n_ids == 0)
		return bs_fail(err, BS_INVALID,
		               "no documents named: use `bitsift delete ID...` or `bitsift delete "
		               "--query Q`");
	return BS_OK;
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent,
               struct bs_error *err)
{
	const struct delete_arguments *arguments = set;
	struct bs_delete_result result = {0};
	char *dir = NULL;
	bool asks = arguments->query && !arguments->undo && !arguments->yes &&
	            isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
	enum bs_status status = check_arguments(arguments, operands->n, err);
	if (!status)
		status = bs_cmd_locate(arguments->index, &dir, err);
	struct bs_delete_request request = {
		.dir = dir,
		.ids = (const char *const *)operands->list,
		.n_ids = operands->n,
		.query = arguments->query,
		.query_bytes = arguments->query ? strlen(arguments->query) : 0,
		.any = arguments->any,
		.undo = arguments->undo,
		.dry_run = arguments->dry_run,
		.wait = arguments->wait,
		.callbacks.notice = bs_cmd_notice,
		.callbacks.document = arguments->dry_run ? show_id : NULL,
		.callbacks.confirm = asks ? ask : NULL,
		.callbacks.context = set,
		.host.consent = consent,
	};
	if (!status)
		status = bs_index_delete(&request, &result, err);
	if (!status && result.n_to_read > 0)
		status = read_again(dir, arguments, consent, err);
	free(dir);
	bs_cmd_show_changes(&result.changes, arguments->index, false);
	bs_cmd_show_unread(result.n_unreadable);
	if (status == BS_STOPPED)
		fprintf(stderr, "bitsift: %s\n", err->text);
	if (status)
		return status == BS_STOPPED ? 1 : -1;
	show_result(arguments, &result);
	/* Exit status 2 if documents that may match cannot be read, if texts are lost, or if ids
	 * cannot be printed. */
	if (result.n_unreadable > 0 || result.n_lost > 0 || arguments->has_failed)
		return 2;
	return result.n_deleted > 0 ? 0 : 1;
}

const struct bs_command bs_command_delete = {
	.name = "delete",
	.summary = "Remove documents from an index, or restore them.",
	.usage = "[OPTION]... (ID... | --query Q)",
	.options = delete_options,
	.examples = delete_examples,
	.arguments_bytes = sizeof(struct delete_arguments),
	.run = run,
};
