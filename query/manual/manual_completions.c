/* manual_completions.c: shell completions. See manual_completions.h. */
#include "query/manual/manual_completions.h"

#include <stdio.h>
#include <string.h>

/* Text inside a single-quoted string; those of its characters that are in `escaped` get a backslash. Backticks, which
 * are markup, are left out. */
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

static const char bash_start[] = "# Completion of bitsift for bash. Made by `bitsift --generate bash`; do not edit.\n"
				 "\n"
				 "_bitsift()\n"
				 "{\n"
				 "    local word=${COMP_WORDS[COMP_CWORD]} before= command=${COMP_WORDS[1]} options= "
                                 "operands=nothing argument= i\n"
				 "    ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}\n"
				 "    # `--option=` comes as two words, `--option=x` as three.\n"
				 "    if [[ $word == = ]]; then\n"
				 "        word=\n"
				 "    elif [[ $before == = ]]; then\n"
				 "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
				 "    fi\n"
				 "    COMPREPLY=()\n";

static const char bash_end[] = "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
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
			       "        mapfile -t COMPREPLY < <(compgen -W \"$(bitsift \"$command\" \"$before\" list "
                               "2> /dev/null)\" -- \"$word\")\n"
			       "        ;;\n"
			       "    esac\n"
			       "}\n"
			       "\n"
			       "complete -F _bitsift bitsift\n";

static const char *const bash_wanted[] = {"nothing", "folder", "file", "listed"};

static void bash_command(FILE *out, const struct bs_command *command)
{
	const struct bs_option *option;
	fprintf(out, "    %s)\n        options='", command->name);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++) {
		fprintf(out, "%s--%s", i ? " " : "", option->name);
		if (option->short_name)
			fprintf(out, " -%c", option->short_name);
	}
	fprintf(out, "'\n        operands=%s\n        case $before in\n", bash_wanted[operands_of(command)]);
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

void bs_docs_bash(const struct bs_program *program, FILE *out)
{
	fputs(bash_start, out);
	fputs("    if ((COMP_CWORD == 1)); then\n        mapfile -t COMPREPLY < <(compgen -W '", out);
	for (size_t i = 0; i < program->n_commands; i++)
		fprintf(out, "%s ", program->commands[i]->name);
	fputs("--help --version' -- \"$word\")\n        return\n    fi\n    case $command in\n", out);
	for (size_t i = 0; i < program->n_commands; i++)
		bash_command(out, program->commands[i]);
	fputs("    esac\n", out);
	fputs(bash_end, out);
}

/* By enum wanted; what is listed, an option's program says. */
static const char *const zsh_wanted[] = {" ", "_files -/", "_files", ""};

/* '(-j --jobs)'{-j+,--jobs=}'[threads]:N: ' */
static void zsh_option(FILE *out, const struct bs_command *command, const struct bs_option *option)
{
	bool is_repeatable = strstr(option->help, "repeatable") != NULL;
	fputs("            ", out);
	if (option->short_name) {
		if (is_repeatable)
			fputs("'*'", out);
		else
			fprintf(out, "'(-%c --%s)'", option->short_name, option->name);
		fprintf(out, "{-%c%s,--%s%s}'", option->short_name, option->argument ? "+" : "", option->name,
		        option->argument ? "=" : "");
	} else {
		fprintf(out, "'%s--%s%s", is_repeatable ? "*" : "", option->name,
		        option->is_optional ? "=-" : option->argument ? "=" : "");
	}
	fputs("[", out);
	quote(out, option->help, "\\[]:");
	fputs("]", out);
	if (option->argument) {
		fprintf(out, "%s:%s:", option->is_optional ? ":" : "", option->argument);
		fputs(zsh_wanted[argument_of(option)], out);
		if (argument_of(option) == WANTED_LISTED)
			fprintf(out, "($(bitsift %s --%s list 2> /dev/null))", command->name, option->name);
	}
	fputs("' \\\n", out);
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

void bs_docs_zsh(const struct bs_program *program, FILE *out)
{
	fputs("#compdef bitsift\n# Completion of bitsift for zsh. Made by `bitsift --generate zsh`; do not edit.\n\n",
	      out);
	fputs("_bitsift() {\n    local curcontext=$curcontext state line ret=1\n    local -A opt_args\n"
	      "    local -a commands\n    commands=(\n",
	      out);
	for (size_t i = 0; i < program->n_commands; i++) {
		fprintf(out, "        '%s:", program->commands[i]->name);
		quote(out, program->commands[i]->summary, "\\:");
		fputs("'\n", out);
	}
	fputs("    )\n    _arguments -C \\\n        '(- *)'{-h,--help}'[show the commands]' \\\n"
	      "        '(- *)--version[show the version]' \\\n"
	      "        '1:command:->command' '*::argument:->argument' && ret=0\n"
	      "    if [[ $state == command ]]; then\n        _describe command commands && ret=0\n"
	      "        return ret\n    fi\n    [[ $state == argument ]] || return ret\n    case $words[1] in\n",
	      out);
	for (size_t i = 0; i < program->n_commands; i++)
		zsh_command(out, program->commands[i]);
	fputs("    esac\n}\n\nif [[ $funcstack[1] == _bitsift ]]; then\n    _bitsift \"$@\"\nelse\n"
	      "    compdef _bitsift bitsift\nfi\n",
	      out);
}

static void fish_option(FILE *out, const struct bs_command *command, const struct bs_option *option)
{
	static const char *const wanted[] = {" -x", " -x -a '(__fish_complete_directories)'", " -r -F", " -x"};
	fprintf(out, "complete -c bitsift -n '__bitsift_in %s' -l %s", command->name, option->name);
	if (option->short_name)
		fprintf(out, " -s %c", option->short_name);
	if (option->argument && !option->is_optional)
		fputs(wanted[argument_of(option)], out);
	if (option->argument && argument_of(option) == WANTED_LISTED)
		fprintf(out, " -a '(bitsift %s --%s list 2> /dev/null)'", command->name, option->name);
	fputs(" -d '", out);
	quote(out, option->help, "\\");
	fputs("'\n", out);
}

void bs_docs_fish(const struct bs_program *program, FILE *out)
{
	const struct bs_option *option;
	fputs("# Completion of bitsift for fish. Made by `bitsift --generate fish`; do not edit.\n\n"
	      "function __bitsift_in --description 'Whether the command is the one named; without a name: none yet'\n"
	      "    set -l words (commandline -opc)\n"
	      "    if test (count $argv) -eq 0\n        test (count $words) -eq 1\n"
	      "    else\n        test (count $words) -ge 2; and test \"$words[2]\" = \"$argv[1]\"\n    end\nend\n\n"
	      "complete -c bitsift -f\n"
	      "complete -c bitsift -n __bitsift_in -l help -s h -d 'show the commands'\n"
	      "complete -c bitsift -n __bitsift_in -l version -d 'show the version'\n",
	      out);
	for (size_t i = 0; i < program->n_commands; i++) {
		const struct bs_command *command = program->commands[i];
		fprintf(out, "\ncomplete -c bitsift -n __bitsift_in -a %s -d '", command->name);
		quote(out, command->summary, "\\");
		fputs("'\n", out);
		if (operands_of(command) == WANTED_FILE)
			fprintf(out, "complete -c bitsift -n '__bitsift_in %s' -F\n", command->name);
		for (size_t o = 0; (option = bs_command_option(command, o)) != NULL; o++)
			fish_option(out, command, option);
	}
}
