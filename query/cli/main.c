/* main.c: the program's entry point: dispatches to the commands. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/bitsift/host.h"
#include "query/cli/commands.h"
#include "query/cli/program.h"
#include "query/manual/manual_pages.h"

static const char outro[] =
	"\n"
	"  bitsift help COMMAND      the options of a command\n"
	"  bitsift help bloom        Bloom filters: kinds, costs, and when to use them\n"
	"  bitsift --version\n"
	"\n"
	"Examples:\n"
	"  bitsift index .           # this folder, into ./.bitsift\n"
	"  bitsift query bloom filter\n";

static void show_help(FILE *to)
{
	fprintf(to, "Usage: bitsift %s\n%s\n\n", bs_cmd_program.usage, bs_cmd_program.summary);
	for (size_t i = 0; i < bs_cmd_program.n_commands; i++)
		fprintf(to, "  %-8s %s\n", bs_cmd_program.commands[i]->name,
		        bs_cmd_program.commands[i]->summary);
	fputs(outro, to);
}

/* `--generate KIND [COMMAND|TOPIC]`: prints the manual pages and completions for installation. */
static int generate(const char *kind, const char *name)
{
	if (bs_cmd_generate(kind, name))
		return 0;
	fputs("bitsift: --generate takes man [COMMAND|TOPIC], bash, zsh, fish or powershell\n",
	      stderr);
	return 2;
}

static int refuse(const char *name)
{
	const char *names[BS_CMD_MOST_COMMANDS + 1] = {NULL};
	struct bs_error line;
	for (size_t i = 0; i < bs_cmd_program.n_commands; i++)
		names[i] = bs_cmd_program.commands[i]->name;
	const char *guess = bs_command_guess(name, names);
	(void)bs_fail(&line, BS_INVALID, "no command \"%s\"%s%s%s see `bitsift --help`", name,
	              guess ? "; did you mean `bitsift " : ";", guess ? guess : "",
	              guess ? "`? Or" : "");
	fprintf(stderr, "bitsift: %s\n", line.text);
	return 2;
}

static int help(const char *name)
{
	const struct bs_command *command = name ? bs_program_command(&bs_cmd_program, name) : NULL;
	if (command)
		bs_command_help(command, stdout);
	else if (!name)
		show_help(stdout);
	return command || !name || bs_docs_text_topic(&bs_cmd_program, name, stdout) ? 0
	                                                                             : refuse(name);
}

/* Opens /dev/null as standard input, output and error if the shell closed them (`>&-`). Otherwise
 * the next file opened would get their number, and output would be written into it. grep then loses
 * its output, like rg; other commands report that they cannot write. */
static void fill_standard_files(bool is_grep)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null",
			            fd == STDOUT_FILENO && !is_grep ? O_RDONLY : O_RDWR);
}

/* Unsets environment variables for the user's folders whose paths are so long that no file in them
 * could be opened. */
static void drop_long_folders(void)
{
	static const char *const variables[] = {"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"};
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);
		if (!value || strlen(value) + NAME_MAX < PATH_MAX)
			continue;
		fprintf(stderr, "bitsift: %s is longer than a path can be, and is ignored\n",
		        variables[i]);
		unsetenv(variables[i]);
	}
}

/* Flushes standard output. Returns exit_status, or 2 if not all output was written. */
static int end_output(int exit_status)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return exit_status;
	fprintf(stderr, "bitsift: standard output: %s\n",
	        errno ? strerror(errno) : "cannot be written");
	return 2;
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	drop_long_folders();
	const struct bs_consent consent = bs_user_consent();
	const struct bs_command *command = bs_program_command(&bs_cmd_program, name);
	if (command)
		return bs_command_run(command, argc - 1, argv + 1, &consent);
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
		return help(strcmp(name, "help") == 0 && argc > 2 ? argv[2] : NULL);
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		printf("bitsift %s\n", bs_cmd_program.version);
		return 0;
	}
	if (strcmp(name, "--generate") == 0)
		return generate(argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : NULL);
	if (*name)
		return refuse(name);
	show_help(stderr);
	return 2;
}

int main(int argc, char **argv)
{
	/* At the limit of file sizes (ulimit -f), writing fails instead of ending the program. */
	(void)signal(SIGXFSZ, SIG_IGN);
	fill_standard_files(argc > 1 && strcmp(argv[1], "grep") == 0);
	bs_fault_catch();
	return end_output(run(argc, argv));
}
