/* manual_completions.c: shell completions. See manual_completions.h. */
#include "query/manual/manual_completions.h"

#include <stdio.h>
#include <string.h>

#include "query/manual/manual_pages.h"

/* Prints text inside a single-quoted string, with a backslash before each character in `escaped`.
 * Backticks, which are markup, are omitted. */
static void quote(FILE *out, const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (*text == '`')
			continue;
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fprintf(out, strchr(escaped, *text) ? "\\%c" : "%c", *text);
	}
}

enum wanted {
	WANTED_NOTHING, /* Nothing that a shell can complete. */
	WANTED_FOLDER,
	WANTED_FILE,
	WANTED_LISTED, /* One of the words that `--option list` prints. */
};

static enum wanted argument_of(const struct bs_option *option)
{
	if (strcmp(option->argument, "DIR") == 0)
		return WANTED_FOLDER;
	if (strcmp(option->argument, "FILE") == 0)
		return WANTED_FILE;
	return strstr(option->help, "`list`") ? WANTED_LISTED : WANTED_NOTHING;
}

static enum wanted operands_of(const struct bs_command *command)
{
	bool is_file = strstr(command->usage, "SOURCE") || strstr(command->usage, "PATH");
	return is_file ? WANTED_FILE : WANTED_NOTHING;
}

static const char *const bash_wanted[] = {"nothing", "folder", "file", "listed"};

static void bash_name(FILE *out, const struct bs_command *command)
{
	fprintf(out, "%s ", command->name);
}

static void bash_command(FILE *out, const struct bs_command *command)
{
	const struct bs_option *option;
	fprintf(out, "    %s)\n        options='", command->name);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++) {
		fprintf(out, "%s--%s", i ? " " : "", option->name);
		if (option->short_name)
			fprintf(out, " -%c", option->short_name);
	}
	fprintf(out, "'\n        operands=%s\n        case $before in\n",
	        bash_wanted[operands_of(command)]);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++) {
		if (!option->argument || option->is_optional)
			continue;
		fprintf(out, "        --%s", option->name);
		if (option->short_name)
			fprintf(out, " | -%c", option->short_name);
		fprintf(out, ") argument=%s ;;\n", bash_wanted[argument_of(option)]);
	}
	fputs("        esac\n        ;;\n", out);
}

/* The zsh actions for arguments, indexed by enum wanted. For WANTED_LISTED, the caller adds the
 * call of the program. */
static const char *const zsh_wanted[] = {" ", "_files -/", "_files", ""};

/* Prints an option, such as '(-j --jobs)'{-j+,--jobs=}'[threads]:N: ' */
static void zsh_option(FILE *out, const struct bs_command *command, const struct bs_option *option)
{
	bool is_repeatable = strstr(option->help, "repeatable") != NULL;
	fputs("            ", out);
	if (option->short_name) {
		if (is_repeatable)
			fputs("'*'", out);
		else
			fprintf(out, "'(-%c --%s)'", option->short_name, option->name);
		fprintf(out, "{-%c%s,--%s%s}'", option->short_name, option->argument ? "+" : "",
		        option->name, option->argument ? "=" : "");
	} else {
		fprintf(out, "'%s--%s%s", is_repeatable ? "*" : "", option->name,
		        option->is_optional ? "=-"
		        : option->argument  ? "="
		                            : "");
	}
	fputs("[", out);
	quote(out, option->help, "\\[]:");
	fputs("]", out);
	if (option->argument) {
		fprintf(out, "%s:%s:", option->is_optional ? ":" : "", option->argument);
		fputs(zsh_wanted[argument_of(option)], out);
		if (argument_of(option) == WANTED_LISTED)
			fprintf(out, "($(bitsift %s --%s list 2> /dev/null))", command->name,
			        option->name);
	}
	fputs("' \\\n", out);
}

static void zsh_summary(FILE *out, const struct bs_command *command)
{
	fprintf(out, "        '%s:", command->name);
	quote(out, command->summary, "\\:");
	fputs("'\n", out);
}

static void zsh_command(FILE *out, const struct bs_command *command)
{
	const struct bs_option *option;
	fprintf(out, "    %s)\n        _arguments -s -S \\\n", command->name);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++)
		zsh_option(out, command, option);
	fputs("            '*:", out);
	fputs(operands_of(command) == WANTED_FILE ? "source:" : "argument:", out);
	fputs(zsh_wanted[operands_of(command)], out);
	fputs("'\n        ;;\n", out);
}

static void fish_option(FILE *out, const struct bs_command *command, const struct bs_option *option)
{
	static const char *const wanted[] = {" -x", " -x -a '(__fish_complete_directories)'",
	                                     " -r -F", " -x"};
	fprintf(out, "complete -c bitsift -n '__bitsift_in %s' -l %s", command->name, option->name);
	if (option->short_name)
		fprintf(out, " -s %c", option->short_name);
	if (option->argument && !option->is_optional)
		fputs(wanted[argument_of(option)], out);
	if (option->argument && argument_of(option) == WANTED_LISTED)
		fprintf(out, " -a '(bitsift %s --%s list 2> /dev/null)'", command->name,
		        option->name);
	fputs(" -d '", out);
	quote(out, option->help, "\\");
	fputs("'\n", out);
}

static void fish_command(FILE *out, const struct bs_command *command)
{
	const struct bs_option *option;
	fprintf(out, "\ncomplete -c bitsift -n __bitsift_in -a %s -d '", command->name);
	quote(out, command->summary, "\\");
	fputs("'\n", out);
	if (operands_of(command) == WANTED_FILE)
		fprintf(out, "complete -c bitsift -n '__bitsift_in %s' -F\n", command->name);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++)
		fish_option(out, command, option);
}

/* Prints text as a string of PowerShell, without backticks. */
static void powershell_string(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++)
		if (*text != '`')
			fprintf(out, *text == '\'' ? "''" : "%c", *text);
	putc('\'', out);
}

static void powershell_summary(FILE *out, const struct bs_command *command)
{
	fprintf(out, "        , @('%s', ", command->name);
	powershell_string(out, command->summary);
	fputs(")\n", out);
}

static void powershell_command(FILE *out, const struct bs_command *command)
{
	const struct bs_option *option;
	fprintf(out, "        '%s' = @(\n", command->name);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++) {
		fprintf(out, "            , @('--%s', ", option->name);
		powershell_string(out, option->help);
		fputs(")\n", out);
		if (!option->short_name)
			continue;
		fprintf(out, "            , @('-%c', ", option->short_name);
		powershell_string(out, option->help);
		fputs(")\n", out);
	}
	fputs("        )\n", out);
}

/* For each shell: its script in docs/completions, and the marks in the script, in order. Each mark
 * is replaced by the output of its function for every command. */
static const struct shell {
	const char *name, *script;
	struct {
		const char *mark;
		void (*put)(FILE *out, const struct bs_command *command);
	} marks[2];
} shells[] = {
	{"bash", "bitsift.bash", {{"@names@", bash_name}, {"@options@\n", bash_command}}},
	{"zsh", "_bitsift", {{"@summaries@\n", zsh_summary}, {"@options@\n", zsh_command}}},
	{"fish", "bitsift.fish", {{"@options@\n", fish_command}}},
	{"powershell",
         "bitsift.ps1",
         {{"@summaries@\n", powershell_summary}, {"@options@\n", powershell_command}}},
};

bool bs_docs_completion(const struct bs_program *program, const char *shell, FILE *out)
{
	const struct shell *of = shells, *end = shells + sizeof(shells) / sizeof(*shells);
	while (of < end && strcmp(of->name, shell) != 0)
		of++;
	if (of == end)
		return false;
	const char *at = bs_manual_text(of->script);
	for (size_t i = 0; i < 2 && of->marks[i].mark; i++) {
		const char *mark = strstr(at, of->marks[i].mark);
		fwrite(at, 1, (size_t)(mark - at), out);
		for (size_t k = 0; k < program->n_commands; k++)
			of->marks[i].put(out, program->commands[k]);
		at = mark + strlen(of->marks[i].mark);
	}
	fputs(at, out);
	return true;
}
