/* program.c: see program.h. */
#include "query/cli/program.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "query/cli/commands.h"
#include "query/manual/manual_completions.h"
#include "query/manual/manual_pages.h"

#ifndef BITSIFT_VERSION
#define BITSIFT_VERSION "unknown"
#endif

static const struct bs_command *const commands[] = {
	&bs_command_index,  &bs_command_query,   &bs_command_grep,
	&bs_command_delete, &bs_command_compact, &bs_command_stats,
	&bs_command_check,  &bs_command_trust,   &bs_command_catalog,
};

static const struct bs_topic topics[] = {
	{"bloom", "Bloom filters: what each kind is, what it costs, and when to use it."},
};

#define N_COMMANDS (sizeof(commands) / sizeof(*commands))

static_assert(N_COMMANDS <= BS_CMD_MOST_COMMANDS, "too many commands");

const struct bs_program bs_cmd_program = {
	.version = BITSIFT_VERSION,
	.summary = "Exact full-text search without an inverted index.",
	.usage = "COMMAND [ARGUMENT]...",
	.commands = commands,
	.n_commands = N_COMMANDS,
	.topics = topics,
	.n_topics = sizeof(topics) / sizeof(*topics),
};

bool bs_cmd_generate(const char *kind, const char *name)
{
	return strcmp(kind, "man") == 0
	               ? bs_docs_man(&bs_cmd_program, name, stdout)
	               : !name && bs_docs_completion(&bs_cmd_program, kind, stdout);
}
