/* docs_complete.c: shell completions. See docs.h. */
#include "query/docs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A script being written. Sticky: after the first failure nothing more is done. */
struct script {
	struct bs_buffer *out;
	enum bs_status status;
	struct bs_error *err;
};

static void put(struct script *script, const char *text)
{
	if (!script->status)
		script->status = bs_buffer_append(script->out, text, strlen(text), script->err);
}

static void print(struct script *script, const char *format, ...) BS_PRINTF(2, 3);

static void print(struct script *script, const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	put(script, line);
}

/* Text inside a single-quoted string; those of its characters that are in `escaped` get a backslash. Backticks, which
 * are markup, are left out. */
static void quote(struct script *script, const char *text, const char *escaped)
{
	for (; *text && !script->status; text++) {
		if (*text == '`')
			continue;
		if (*text == '\'')
			put(script, "'\\''");
		else
			print(script, strchr(escaped, *text) ? "\\%c" : "%c", *text);
	}
}

/* ---- what may follow ---- */

enum wanted {
	WANTED_NOTHING, /* nothing that a shell could know */
	WANTED_FOLDER,
	WANTED_FILE,
	WANTED_LISTED, /* what `--option list` prints */
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

/* ---- bash ---- */

static const char bash_start[] =
	"# Completion of bitsift for bash. Made by `bitsift --generate bash`; do not edit.\n"
	"\n"
	"_bitsift()\n"
	"{\n"
	"    local word=${COMP_WORDS[COMP_CWORD]} before= command=${COMP_WORDS[1]} options= operands=nothing argument= i\n"
	"    ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"    # `--option=` comes as two words, `--option=x` as three.\n"
	"    if [[ $word == = ]]; then\n"
	"        word=\n"
	"    elif [[ $before == = ]]; then\n"
	"        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"    fi\n"
	"    COMPREPLY=()\n";

static const char bash_end[] =
	"    for ((i = 2; i < COMP_CWORD; i++)); do\n"
	"        [[ ${COMP_WORDS[i]} == -- ]] && options= argument=\n"
	"    done\n"
	"    if [[ -z $argument ]]; then\n"
	"        if [[ $word == -* && -n $options ]]; then\n"
	"            mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
	"            return\n"
	"        fi\n"
	"        argument=$operands\n"
	"    fi\n"
	"    case $argument in\n"
	"    folder)\n"
	"        compopt -o filenames 2> /dev/null\n"
	"        mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
	"        ;;\n"
	"    file)\n"
	"        compopt -o filenames 2> /dev/null\n"
	"        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	"        ;;\n"
	"    listed)\n"
	"        mapfile -t COMPREPLY < <(compgen -W \"$(bitsift \"$command\" \"$before\" list 2> /dev/null)\" -- \"$word\")\n"
	"        ;;\n"
	"    esac\n"
	"}\n"
	"\n"
	"complete -F _bitsift bitsift\n";

static const char *const bash_wanted[] = {"nothing", "folder", "file", "listed"};

static void bash_command(struct script *script, const struct bs_command *command)
{
	const struct bs_option *option;
	print(script, "    %s)\n        options='", command->name);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++) {
		print(script, "%s--%s", i ? " " : "", option->name);
		if (option->short_name)
			print(script, " -%c", option->short_name);
	}
	print(script, "'\n        operands=%s\n        case $before in\n", bash_wanted[operands_of(command)]);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++) {
		if (!option->argument)
			continue;
		print(script, "        --%s", option->name);
		if (option->short_name)
			print(script, " | -%c", option->short_name);
		print(script, ") argument=%s ;;\n", bash_wanted[argument_of(option)]);
	}
	put(script, "        esac\n        ;;\n");
}

enum bs_status bs_docs_bash(const struct bs_program *program, struct bs_buffer *out, struct bs_error *err)
{
	struct script script = {.out = out, .err = err};
	put(&script, bash_start);
	put(&script, "    if ((COMP_CWORD == 1)); then\n        mapfile -t COMPREPLY < <(compgen -W '");
	for (size_t i = 0; i < program->n_commands; i++)
		print(&script, "%s ", program->commands[i]->name);
	put(&script, "--help --version' -- \"$word\")\n        return\n    fi\n    case $command in\n");
	for (size_t i = 0; i < program->n_commands; i++)
		bash_command(&script, program->commands[i]);
	put(&script, "    esac\n");
	put(&script, bash_end);
	return script.status;
}

/* ---- zsh ---- */

static void zsh_wanted(struct script *script, enum wanted wanted, const struct bs_command *command,
                       const struct bs_option *option)
{
	switch (wanted) {
	case WANTED_NOTHING:
		put(script, " ");
		break;
	case WANTED_FOLDER:
		put(script, "_files -/");
		break;
	case WANTED_FILE:
		put(script, "_files");
		break;
	case WANTED_LISTED:
		print(script, "($(bitsift %s --%s list 2> /dev/null))", command->name, option->name);
		break;
	}
}

/* '(-j --jobs)'{-j+,--jobs=}'[threads]:N: ' */
static void zsh_option(struct script *script, const struct bs_command *command, const struct bs_option *option)
{
	bool is_repeatable = strstr(option->help, "repeatable") != NULL;
	put(script, "            ");
	if (option->short_name) {
		if (is_repeatable)
			put(script, "'*'");
		else
			print(script, "'(-%c --%s)'", option->short_name, option->name);
		print(script, "{-%c%s,--%s%s}'", option->short_name, option->argument ? "+" : "", option->name,
		      option->argument ? "=" : "");
	} else {
		print(script, "'%s--%s%s", is_repeatable ? "*" : "", option->name, option->argument ? "=" : "");
	}
	put(script, "[");
	quote(script, option->help, "\\[]:");
	put(script, "]");
	if (option->argument) {
		print(script, ":%s:", option->argument);
		zsh_wanted(script, argument_of(option), command, option);
	}
	put(script, "' \\\n");
}

static void zsh_command(struct script *script, const struct bs_command *command)
{
	const struct bs_option *option;
	print(script, "    %s)\n        _arguments -s -S \\\n", command->name);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++)
		zsh_option(script, command, option);
	put(script, "            '*:");
	put(script, operands_of(command) == WANTED_FILE ? "source:" : "argument:");
	zsh_wanted(script, operands_of(command), command, NULL);
	put(script, "'\n        ;;\n");
}

enum bs_status bs_docs_zsh(const struct bs_program *program, struct bs_buffer *out, struct bs_error *err)
{
	struct script script = {.out = out, .err = err};
	put(&script, "#compdef bitsift\n# Completion of bitsift for zsh. Made by `bitsift --generate zsh`; do not edit.\n\n");
	put(&script, "_bitsift() {\n    local curcontext=$curcontext state line ret=1\n    local -A opt_args\n"
	             "    local -a commands\n    commands=(\n");
	for (size_t i = 0; i < program->n_commands; i++) {
		print(&script, "        '%s:", program->commands[i]->name);
		quote(&script, program->commands[i]->summary, "\\:");
		put(&script, "'\n");
	}
	put(&script, "    )\n    _arguments -C \\\n        '(- *)'{-h,--help}'[show the commands]' \\\n"
	             "        '(- *)--version[show the version]' \\\n"
	             "        '1:command:->command' '*::argument:->argument' && ret=0\n"
	             "    if [[ $state == command ]]; then\n        _describe command commands && ret=0\n"
	             "        return ret\n    fi\n    [[ $state == argument ]] || return ret\n    case $words[1] in\n");
	for (size_t i = 0; i < program->n_commands; i++)
		zsh_command(&script, program->commands[i]);
	put(&script, "    esac\n}\n\nif [[ $funcstack[1] == _bitsift ]]; then\n    _bitsift \"$@\"\nelse\n"
	             "    compdef _bitsift bitsift\nfi\n");
	return script.status;
}

/* ---- fish ---- */

static void fish_option(struct script *script, const struct bs_command *command, const struct bs_option *option)
{
	static const char *const wanted[] = {" -x", " -x -a '(__fish_complete_directories)'", " -r -F", " -x"};
	print(script, "complete -c bitsift -n '__bitsift_in %s' -l %s", command->name, option->name);
	if (option->short_name)
		print(script, " -s %c", option->short_name);
	if (option->argument)
		put(script, wanted[argument_of(option)]);
	if (option->argument && argument_of(option) == WANTED_LISTED)
		print(script, " -a '(bitsift %s --%s list 2> /dev/null)'", command->name, option->name);
	put(script, " -d '");
	quote(script, option->help, "\\");
	put(script, "'\n");
}

enum bs_status bs_docs_fish(const struct bs_program *program, struct bs_buffer *out, struct bs_error *err)
{
	struct script script = {.out = out, .err = err};
	const struct bs_option *option;
	put(&script, "# Completion of bitsift for fish. Made by `bitsift --generate fish`; do not edit.\n\n"
	             "function __bitsift_in --description 'Whether the command is the one named; without a name: none yet'\n"
	             "    set -l words (commandline -opc)\n"
	             "    if test (count $argv) -eq 0\n        test (count $words) -eq 1\n"
	             "    else\n        test (count $words) -ge 2; and test \"$words[2]\" = \"$argv[1]\"\n    end\nend\n\n"
	             "complete -c bitsift -f\n"
	             "complete -c bitsift -n __bitsift_in -l help -s h -d 'show the commands'\n"
	             "complete -c bitsift -n __bitsift_in -l version -d 'show the version'\n");
	for (size_t i = 0; i < program->n_commands; i++) {
		const struct bs_command *command = program->commands[i];
		print(&script, "\ncomplete -c bitsift -n __bitsift_in -a %s -d '", command->name);
		quote(&script, command->summary, "\\");
		put(&script, "'\n");
		if (operands_of(command) == WANTED_FILE)
			print(&script, "complete -c bitsift -n '__bitsift_in %s' -F\n", command->name);
		for (size_t o = 0; (option = bs_command_option(command, o)) != NULL; o++)
			fish_option(&script, command, option);
	}
	return script.status;
}
