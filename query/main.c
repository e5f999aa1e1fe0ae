/* main.c: the front door: a table of commands. The one file that may see every room. */
#include <stdio.h>
#include <string.h>

#include "indexer/cmd_compact.h"
#include "indexer/cmd_index.h"
#include "query/cmd_check.h"
#include "query/cmd_delete.h"
#include "query/cmd_grep.h"
#include "query/cmd_query.h"
#include "query/cmd_stats.h"
#include "query/docs.h"

#ifndef BITSIFT_VERSION
#define BITSIFT_VERSION "unknown"
#endif

static const struct {
	const struct bs_command *command;
	int (*run)(int argc, char **argv);
} commands[] = {
	{&bs_command_index, bs_cmd_index},
	{&bs_command_query, bs_cmd_query},
	{&bs_command_grep, bs_cmd_grep},
	{&bs_command_delete, bs_cmd_delete},
	{&bs_command_compact, bs_cmd_compact},
	{&bs_command_stats, bs_cmd_stats},
	{&bs_command_check, bs_cmd_check},
};

#define N_COMMANDS (sizeof(commands) / sizeof(*commands))

static const char intro[] =
	"Usage: bitsift COMMAND [ARGUMENT]...\n"
	"Exact full-text search without an inverted index.\n"
	"\n";

static const char outro[] =
	"\n"
	"  bitsift COMMAND --help    the options of a command\n"
	"  bitsift --version\n"
	"\n"
	"Examples:\n"
	"  bitsift index .           # the files below here, into ./.bitsift\n"
	"  bitsift query bloom filter\n";

static void show_help(FILE *to)
{
	fputs(intro, to);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i].command->name, commands[i].command->summary);
	fputs(outro, to);
}

/* `--generate KIND [COMMAND]`: the manual pages and completions that are installed. */
static int generate(const char *kind, const char *name)
{
	static const char *const kinds[] = {"bash", "zsh", "fish"};
	static enum bs_status (*const makers[])(const struct bs_program *, struct bs_buffer *, struct bs_error *) = {
		bs_docs_bash, bs_docs_zsh, bs_docs_fish};
	const struct bs_command *list[N_COMMANDS];
	struct bs_program program = {.version = BITSIFT_VERSION, .commands = list, .n_commands = N_COMMANDS};
	struct bs_buffer text = {0};
	struct bs_error err = {""};
	enum bs_status status = BS_NOT_FOUND;
	for (size_t i = 0; i < N_COMMANDS; i++)
		list[i] = commands[i].command;
	if (strcmp(kind, "man") == 0 && !name)
		status = bs_docs_man_program(&program, &text, &err);
	for (size_t i = 0; i < N_COMMANDS && strcmp(kind, "man") == 0 && name; i++)
		if (strcmp(name, list[i]->name) == 0)
			status = bs_docs_man_command(&program, list[i], &text, &err);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !name; i++)
		if (strcmp(kind, kinds[i]) == 0)
			status = makers[i](&program, &text, &err);
	if (status)
		fprintf(stderr, "bitsift: %s\n", *err.text ? err.text : "--generate takes man [COMMAND], bash, zsh or fish");
	else
		fwrite(text.data, 1, text.used_bytes, stdout);
	bs_buffer_deinit(&text);
	return status || fflush(stdout) != 0 ? 2 : 0;
}

static int refuse(const char *name)
{
	struct bs_error line;
	(void)bs_fail(&line, BS_INVALID, "no command \"%s\"; see `bitsift --help`", name);
	fprintf(stderr, "bitsift: %s\n", line.text);
	return 2;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(name, commands[i].command->name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		show_help(stdout);
		return 0;
	}
	if (strcmp(name, "--version") == 0) {
		puts("bitsift " BITSIFT_VERSION);
		return 0;
	}
	if (strcmp(name, "--generate") == 0)
		return generate(argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : NULL);
	if (*name)
		return refuse(name);
	show_help(stderr);
	return 2;
}
