/* grep_hyperlink.c: `--hyperlink-format`, as ripgrep 14 has it: names of formats, and what is wrong with one. */
#include "query/cli/grep_hyperlink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name, *format;
} aliases[] = {
	{"none", ""},
	{"default", "file://{host}{path}"},
	{"file", "file://{host}{path}"},
	{"cursor", "cursor://file{path}:{line}:{column}"},
	{"grep+", "grep+://{path}:{line}"},
	{"kitty", "file://{host}{path}#{line}"},
	{"macvim", "mvim://open?url=file://{path}&line={line}&column={column}"},
	{"textmate", "txmt://open?url=file://{path}&line={line}&column={column}"},
	{"vscode", "vscode://file{path}:{line}:{column}"},
	{"vscode-insiders", "vscode-insiders://file{path}:{line}:{column}"},
	{"vscodium", "vscodium://file{path}:{line}:{column}"},
};

enum { PATH, LINE, COLUMN, HOST, WSL_PREFIX, N_VARIABLES };

static const char *const variables[N_VARIABLES] = {"{path}", "{line}", "{column}", "{host}", "{wslprefix}"};

/* What stands for the machine, or for its Linux within Windows; braces in it are doubled. */
static void read_value(int variable, char out[512])
{
	char host[256] = "";
	const char *distribution = getenv("WSL_DISTRO_NAME"), *value = host;
	size_t n = 0;
	if (variable == HOST && gethostname(host, sizeof(host) - 1) != 0)
		host[0] = '\0';
	if (variable == WSL_PREFIX && distribution)
		snprintf(host, sizeof(host), "wsl$/%s", distribution);
	for (; *value && n + 3 < 512; value++) {
		out[n++] = *value;
		if (*value == '{' || *value == '}')
			out[n++] = *value;
	}
	out[n] = '\0';
}

/* What stands first in format is a variable: which; N_VARIABLES: none. *n_out: its length. */
static int find_variable(const char *format, size_t *n_out)
{
	for (int i = 0; i < N_VARIABLES; i++) {
		*n_out = strlen(variables[i]);
		if (strncmp(format, variables[i], *n_out) == 0)
			return i;
	}
	return N_VARIABLES;
}

static bool has_scheme(const char *format)
{
	size_t n = strspn(format, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-.");
	return n > 0 && format[n] == ':';
}

/* Copies the format, with the values of the machine; *has_out: which variables it has. NULL, or what is wrong. */
static const char *translate(const char *format, FILE *to, bool has_out[N_VARIABLES])
{
	char value[512];
	size_t n;
	for (const char *at = format; *at; at += n) {
		int variable = find_variable(at, &n);
		if (at[0] == '{' && at[1] == '{' && variable == N_VARIABLES) {
			n = 2;
			fwrite(at, 1, n, to);
		} else if (variable < N_VARIABLES) {
			has_out[variable] = true;
			read_value(variable, value);
			fputs(variable >= HOST ? value : variables[variable], to);
		} else if (at[0] == '{') {
			return strchr(at, '}') ? "a variable is path, line, column, host or wslprefix" : "{ without }";
		} else {
			n = at[0] == '}' ? 2 : 1;
			if (at[0] == '}' && at[1] != '}')
				return "} without {";
			fwrite(at, 1, n, to);
		}
	}
	return NULL;
}

static const char *check(const char *format, const bool has[N_VARIABLES])
{
	if (!*format)
		return NULL;
	if (!has[PATH])
		return "it needs {path}; or it is default, file, grep+, kitty, macvim, none, textmate, vscode, vscode-insiders or vscodium";
	if (has[COLUMN] && !has[LINE])
		return "{column} needs {line}";
	return has_scheme(format) ? NULL : "it must begin with the scheme of a URL, as file:";
}

enum bs_status bs_grep_hyperlink_format(const char *format, char **out, struct bs_error *err)
{
	bool has[N_VARIABLES] = {false};
	size_t n_bytes = 0;
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (strcmp(format, aliases[i].name) == 0)
			format = aliases[i].format;
	*out = NULL;
	FILE *to = open_memstream(out, &n_bytes);
	if (!to)
		return bs_fail_memory(err, "a format", strlen(format));
	const char *wrong = translate(format, to, has);
	if (!wrong)
		wrong = check(format, has);
	if (fclose(to) != 0)
		return bs_fail_memory(err, "a format", strlen(format));
	if (!wrong)
		return BS_OK;
	free(*out);
	*out = NULL;
	return bs_fail(err, BS_INVALID, "--hyperlink-format %s: %s", format, wrong);
}
