/* cmd_trust.c: `bitsift trust`. Arguments and output; what is kept, and where, is cmd_consent.c's. */
#include "query/cli/cmd_trust.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "query/cli/cmd_consent.h"
#include "query/cli/cmd_shared.h"

struct trust_arguments {
	const char *dir, *remove;
	bool list;
};

#define SETS(kind, field) BS_OPTION_SETS(kind, struct trust_arguments, field)

static const struct bs_option trust_options[] = {
	{0, "list", NULL, "print what is trusted", SETS(FLAG, list)},
	{0, "remove", "DIR", "trust it no longer", SETS(STRING, remove)},
	{0},
};

static const char *const trust_examples[] = {
	"bitsift trust /srv/shared/.bitsift", "use this index, and read its sources",
	"bitsift trust --remove /srv/shared/.bitsift", "no longer",
	"bitsift trust '*'", "all indexes, as on a machine of one's own",
	NULL,
};

static const char trust_description[] =
	"Says that you trust an index, for good. DIR is the directory of the index itself, usually named .bitsift.\n\n"
	"An index may have come with an archive or lie in a shared place, and what it says is not only its maker's business: it "
	"names the places that commands read. So, unless it is trusted:\n\n"
	"- An index that belongs to another user is refused, also when it is found upward, and so is one with a file in it that "
	"does. Those of root are used by all, and root uses those of the user who called sudo(8).\n\n"
	"- Sources outside the folder that holds the index, links resolved, are read only if you named them to `bitsift index`. "
	"Others are not looked at; the command says which, and ends with 2.\n\n"
	"- An index that is found, and not named by `--index` or BITSIFT_INDEX, must not be a symbolic link. This remains so.\n\n"
	"The paths are kept in $XDG_CONFIG_HOME/bitsift/trusted (~/.config/bitsift/trusted), one a line; a line `*` trusts all. The "
	"sources that you named are kept in $XDG_STATE_HOME/bitsift/sources (~/.local/state/bitsift/sources), a file for each; to "
	"remove that folder forgets them all. Both hold for the place where an index is: one that was moved or copied is another. "
	"Without a home, or with one that cannot be written to, nothing can be kept.";

const struct bs_command bs_command_trust = {
	.name = "trust",
	.summary = "Use an index of another user, and all sources of an index.",
	.usage = "DIR | --list | --remove DIR",
	.description = trust_description,
	.options = trust_options,
	.examples = trust_examples,
	.exit_status = "0 when it is so now, 1 when DIR to be removed was not trusted, 2 on an error.",
};

static enum bs_status parse_arguments(struct trust_arguments *arguments, int argc, char **argv, bool *help_out,
                                      struct bs_error *err)
{
	struct bs_operands operands;
	enum bs_status status = bs_command_parse(&bs_command_trust, argc, argv, arguments, &operands, err);
	*help_out = operands.help;
	if (status || operands.help)
		return status;
	if (operands.n + arguments->list + (arguments->remove != NULL) != 1)
		return bs_fail(err, BS_INVALID, "one of: `bitsift trust DIR`, `bitsift trust --list`, `bitsift trust --remove DIR`");
	arguments->dir = arguments->remove ? arguments->remove : operands.n == 1 ? operands.list[0] : NULL;
	return BS_OK;
}

/* The line that stands for DIR. What is to be removed may be gone from the disk. */
static enum bs_status resolve(const struct trust_arguments *arguments, char **line_out, struct bs_error *err)
{
	const char *dir = arguments->dir;
	bool is_all = strcmp(dir, "*") == 0;
	struct stat found;
	char *manifest = NULL;
	*line_out = is_all ? strdup(dir) : realpath(dir, NULL);
	if (!*line_out && arguments->remove)
		*line_out = strdup(dir);
	if (!*line_out)
		return bs_fail(err, BS_NOT_FOUND, "%s: %s", dir, strerror(errno));
	if (is_all || arguments->remove)
		return BS_OK;
	if (asprintf(&manifest, "%s/manifest", *line_out) < 0)
		return bs_fail_memory(err, "a path", strlen(dir));
	/* A slip of the pen should not be kept for good. Whether it can be read is another question. */
	bool is_none = stat(manifest, &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
	free(manifest);
	return is_none ? bs_fail(err, BS_NOT_FOUND, "%s: no index here; DIR is the index itself, such as %s/.bitsift", dir, dir)
	               : BS_OK;
}

static enum bs_status run(const struct trust_arguments *arguments, bool *changed_out, struct bs_error *err)
{
	char *line = NULL;
	*changed_out = true;
	if (arguments->list)
		return bs_user_list_trusted(stdout, err);
	enum bs_status status = resolve(arguments, &line, err);
	if (!status)
		status = (arguments->remove ? bs_user_distrust : bs_user_trust)(line, changed_out, err);
	free(line);
	return status;
}

int bs_cmd_trust(int argc, char **argv, const struct bs_consent *consent)
{
	struct bs_error err = {""};
	struct trust_arguments arguments = {.dir = NULL};
	bool changed = false, help = false;
	(void)consent;
	enum bs_status status = parse_arguments(&arguments, argc, argv, &help, &err);
	if (!status && help)
		return bs_cmd_show_help(&bs_command_trust);
	if (!status)
		status = run(&arguments, &changed, &err);
	if (!status && fflush(stdout) != 0)
		status = bs_fail(&err, BS_IO, "standard output: %s", strerror(errno));
	if (!status && arguments.remove && !changed)
		fprintf(stderr, "bitsift: %s: was not trusted\n", arguments.dir);
	if (!status)
		return arguments.remove && !changed ? 1 : 0;
	fprintf(stderr, "bitsift: %s\n", err.text);
	return 2;
}
