/* main.c: the front door: a table of commands. The one file that may see every room. */
#include <stdio.h>
#include <string.h>

#include "indexer/cmd_index.h"
#include "query/cmd_query.h"

#ifndef BITSIFT_VERSION
#define BITSIFT_VERSION "unknown"
#endif

static const struct {
	const struct bs_command *command;
	int (*run)(int argc, char **argv);
} commands[] = {
	{&bs_command_index, bs_cmd_index},
	{&bs_command_query, bs_cmd_query},
};

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
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(to, "  %-8s %s\n", commands[i].command->name, commands[i].command->summary);
	fputs(outro, to);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
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
	if (*name)
		fprintf(stderr, "bitsift: no command \"%s\"; see `bitsift --help`\n", name);
	else
		show_help(stderr);
	return 2;
}
