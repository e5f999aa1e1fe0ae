/* grep_style.c: `--colors` and `--hyperlink-format`. The escape sequences for colours are those
 * that the termcolor crate of ripgrep 15 writes, in its order. The names and rules of hyperlink
 * formats are those of ripgrep 15. */
#include "query/cli/grep_style.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The style of one part of a line. */
struct style {
	const char *fg, *bg; /* As written in --colors; NULL: none. */
	bool is_bold, is_intense, is_underline, is_italic;
};

enum {
	PART_PATH,
	PART_LINE,
	PART_COLUMN,
	PART_MATCH,
	PART_HIGHLIGHT,
	N_PARTS,
};

static const char *const part_names[N_PARTS] = {"path", "line", "column", "match", "highlight"};

static const char *const color_names[] = {"black", "red",     "green", "yellow",
                                          "blue",  "magenta", "cyan",  "white"};

static bool parse_number(const char *text, const char *end, unsigned *number)
{
	char copy[8];
	size_t n = (size_t)(end - text);
	if (n == 0 || n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	char *stop;
	bool is_hex = strncmp(copy, "0x", 2) == 0;
	unsigned long value = strtoul(copy, &stop, is_hex ? 16 : 10);
	*number = (unsigned)value;
	return !*stop && copy[0] >= '0' && copy[0] <= '9' && value < 256;
}

/* Writes the SGR parameters of a colour (the text between ESC [ and m), given by its name, a
 * number, or three numbers. base: 3 (foreground) or 4 (background). */
static bool parse_color(const char *value, unsigned base, bool is_intense, char out[24])
{
	unsigned c[3];
	size_t n = 0;
	for (unsigned i = 0; i < 8; i++) {
		if (strcasecmp(value, color_names[i]) != 0)
			continue;
		snprintf(out, 24, is_intense ? "%u8;5;%u" : "%u%u", base, is_intense ? i + 8 : i);
		return true;
	}
	for (const char *at = value; n < 3; n++) {
		const char *end = at + strcspn(at, ",");
		if (!parse_number(at, end, &c[n]))
			return false;
		if (!*end) {
			n++;
			break;
		}
		at = end + 1;
	}
	if (n == 1)
		snprintf(out, 24, "%u8;5;%u", base, c[0]);
	else if (n == 3)
		snprintf(out, 24, "%u8;2;%u;%u;%u", base, c[0], c[1], c[2]);
	return n == 1 || n == 3;
}

static bool apply_style(struct style *style, const char *value)
{
	static const char *const names[] = {"nobold",      "bold",      "nointense", "intense",
	                                    "nounderline", "underline", "noitalic",  "italic"};
	bool *const which[] = {&style->is_bold, &style->is_intense, &style->is_underline,
	                       &style->is_italic};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcasecmp(value, names[i]) != 0)
			continue;
		*which[i / 2] = i % 2;
		return true;
	}
	return false;
}

static bool apply(struct style *style, const char *rest)
{
	char ignored[24];
	/* As in rg, a third part after none is ignored. */
	if (strncasecmp(rest, "none", 4) == 0 &&
	    (!rest[4] || (rest[4] == ':' && !strchr(rest + 5, ':')))) {
		*style = (struct style){0};
		return true;
	}
	bool is_fg = strncasecmp(rest, "fg:", 3) == 0;
	if (is_fg || strncasecmp(rest, "bg:", 3) == 0) {
		*(is_fg ? &style->fg : &style->bg) = rest + 3;
		return parse_color(rest + 3, is_fg ? 3 : 4, false, ignored);
	}
	return strncasecmp(rest, "style:", 6) == 0 && apply_style(style, rest + 6);
}

static bool apply_spec(struct style *parts, const char *spec)
{
	for (size_t i = 0; i < N_PARTS; i++) {
		size_t n = strlen(part_names[i]);
		if (strncasecmp(spec, part_names[i], n) == 0 && spec[n] == ':')
			return apply(&parts[i], spec + n + 1);
	}
	return false;
}

static void write_codes(const struct style *style, char out[96])
{
	char fg[24], bg[24];
	bool has_fg = style->fg && parse_color(style->fg, 3, style->is_intense, fg);
	bool has_bg = style->bg && parse_color(style->bg, 4, style->is_intense, bg);
	snprintf(out, 96, "\033[0m%s%s%s%s%s%s%s%s%s", style->is_bold ? "\033[1m" : "",
	         style->is_italic ? "\033[3m" : "", style->is_underline ? "\033[4m" : "",
	         has_fg ? "\033[" : "", has_fg ? fg : "", has_fg ? "m" : "", has_bg ? "\033[" : "",
	         has_bg ? bg : "", has_bg ? "m" : "");
}

enum bs_status bs_grep_colors_set(struct bs_grep_colors *colors, const char *const *specs,
                                  size_t n_specs, struct bs_error *err)
{
	static const char reset[] = "\033[0m";
	struct style parts[N_PARTS] = {
		[PART_PATH] = {.fg = "magenta"},
		[PART_LINE] = {.fg = "green"},
		[PART_MATCH] = {.fg = "red", .is_bold = true},
	};
	for (size_t i = 0; i < n_specs; i++)
		if (!apply_spec(parts, specs[i]))
			return bs_fail(err, BS_INVALID,
			               "--colors %s: write path, line, column, match or "
			               "highlight, then :none, :fg:COLOR, :bg:COLOR or "
			               ":style:STYLE",
			               specs[i]);
	write_codes(&parts[PART_PATH], colors->path);
	write_codes(&parts[PART_LINE], colors->line);
	write_codes(&parts[PART_COLUMN], colors->column);
	write_codes(&parts[PART_MATCH], colors->match);
	write_codes(&parts[PART_HIGHLIGHT], colors->highlight);
	/* A highlight without a style has no escape sequences; other parts without one still have a
	 * reset sequence. */
	if (strcmp(colors->highlight, reset) == 0)
		colors->highlight[0] = '\0';
	return BS_OK;
}

static const struct {
	const char *name, *format;
} aliases[] = {
	{"none", ""},
	{"default", "file://{host}{path}"},
	{"file", "file://{host}{path}"},
	{"grep+", "grep+://{path}:{line}"},
	{"kitty", "file://{host}{path}#{line}"},
	{"macvim", "mvim://open?url=file://{path}&line={line}&column={column}"},
	{"textmate", "txmt://open?url=file://{path}&line={line}&column={column}"},
	{"vscode", "vscode://file{path}:{line}:{column}"},
	{"vscode-insiders", "vscode-insiders://file{path}:{line}:{column}"},
	{"vscodium", "vscodium://file{path}:{line}:{column}"},
};

enum {
	PATH,
	LINE,
	COLUMN,
	HOST,
	WSL_PREFIX,
	N_VARIABLES
};

static const char *const variables[N_VARIABLES] = {"{path}", "{line}", "{column}", "{host}",
                                                   "{wslprefix}"};

/* Sets `out` to the value of {host} or {wslprefix}, with its braces doubled. */
static void read_value(int variable, const char *host, char out[2 * BS_GREP_HOST_BYTES])
{
	char prefix[BS_GREP_HOST_BYTES] = "";
	const char *distribution = getenv("WSL_DISTRO_NAME");
	size_t n = 0;
	if (variable == WSL_PREFIX && distribution)
		snprintf(prefix, sizeof(prefix), "wsl$/%s", distribution);
	for (const char *value = variable == HOST ? host : prefix; *value; value++) {
		out[n++] = *value;
		if (*value == '{' || *value == '}')
			out[n++] = *value;
	}
	out[n] = '\0';
}

/* The variable at the beginning of format; N_VARIABLES: none. *n_out: its length in bytes. */
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
	size_t n =
		strspn(format, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-.");
	return n > 0 && format[n] == ':';
}

/* Copies the format, and replaces {host} and {wslprefix} by their values. has_out: the variables
 * that occur. Returns NULL, or an error message. */
static const char *translate(const char *format, const char *host, FILE *to,
                             bool has_out[N_VARIABLES])
{
	char value[2 * BS_GREP_HOST_BYTES];
	size_t n;
	for (const char *at = format; *at; at += n) {
		int variable = find_variable(at, &n);
		if (at[0] == '{' && at[1] == '{' && variable == N_VARIABLES) {
			n = 2;
			fwrite(at, 1, n, to);
		} else if (variable < N_VARIABLES) {
			has_out[variable] = true;
			read_value(variable, host, value);
			fputs(variable >= HOST ? value : variables[variable], to);
		} else if (at[0] == '{') {
			return strchr(at, '}')
			               ? "a variable is path, line, column, host or wslprefix"
			               : "{ without }";
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
		return "it needs {path}; or it is default, file, grep+, kitty, macvim, none, "
		       "textmate, vscode, vscode-insiders or vscodium";
	if (has[COLUMN] && !has[LINE])
		return "{column} needs {line}";
	return has_scheme(format) ? NULL : "it must begin with the scheme of a URL, as file:";
}

enum bs_status bs_grep_hyperlink_format(const char *format, const char *host, char **out,
                                        struct bs_error *err)
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
	const char *wrong = translate(format, host, to, has);
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

/* Runs a program without arguments. Reads the beginning of its output into `out`, NUL-terminated.
 * False: it cannot be run, or fails. */
static bool run_for_output(const char *command, char out[BS_GREP_HOST_BYTES])
{
	char *const argv[] = {(char *)(uintptr_t)command, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], wait_status = 1;
	size_t n = 0;
	pid_t child;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	bool has_actions = posix_spawn_file_actions_init(&actions) == 0;
	bool is_run = has_actions &&
	              posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
	                                               O_RDONLY, 0) == 0 &&
	              posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0 &&
	              posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
	                                               O_WRONLY, 0) == 0 &&
	              posix_spawnp(&child, command, &actions, NULL, argv, environ) == 0;
	if (has_actions)
		posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	for (ssize_t got = is_run; got != 0;) {
		got = read(ends[0], out + n, BS_GREP_HOST_BYTES - 1 - n);
		if (got < 0 && errno != EINTR)
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	out[n] = '\0';
	close(ends[0]);
	while (is_run && waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
		continue;
	return is_run && wait_status == 0;
}

void bs_grep_host_name(const char *command, char out[BS_GREP_HOST_BYTES])
{
	static const char space[] = " \t\n\v\f\r";
	if (command && *command && run_for_output(command, out)) {
		size_t start = strspn(out, space), end = strlen(out);
		while (end > start && strchr(space, out[end - 1]))
			end--;
		memmove(out, out + start, end - start);
		out[end - start] = '\0';
		if (*out)
			return;
	}
	if (gethostname(out, BS_GREP_HOST_BYTES - 1) != 0)
		*out = '\0';
	out[BS_GREP_HOST_BYTES - 1] = '\0';
}
