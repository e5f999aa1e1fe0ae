/* grep_style.c: `--colors` and `--hyperlink-format`. The escape sequences for colours are those
 * that the termcolor crate of ripgrep 13 writes, in its order. The names and rules of hyperlink
 * formats are those of ripgrep 14. */
#include "query/cli/grep_style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The style of one part of a line. */
struct style {
	const char *fg, *bg; /* As written in --colors; NULL: none. */
	bool is_bold, is_intense, is_underline;
};

enum {
	PART_PATH,
	PART_LINE,
	PART_COLUMN,
	PART_MATCH,
	N_PARTS,
};

static const char *const part_names[N_PARTS] = {"path", "line", "column", "match"};

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
	static const char *const names[] = {"nobold",  "bold",        "nointense",
	                                    "intense", "nounderline", "underline"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcasecmp(value, names[i]) != 0)
			continue;
		bool *which = i < 2   ? &style->is_bold
		              : i < 4 ? &style->is_intense
		                      : &style->is_underline;
		*which = i % 2;
		return true;
	}
	return false;
}

static bool apply(struct style *style, const char *rest)
{
	char ignored[24];
	if (strcasecmp(rest, "none") == 0) {
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
	snprintf(out, 96, "\033[0m%s%s%s%s%s%s%s%s", style->is_bold ? "\033[1m" : "",
	         style->is_underline ? "\033[4m" : "", has_fg ? "\033[" : "", has_fg ? fg : "",
	         has_fg ? "m" : "", has_bg ? "\033[" : "", has_bg ? bg : "", has_bg ? "m" : "");
}

enum bs_status bs_grep_colors_set(struct bs_grep_colors *colors, const char *const *specs,
                                  size_t n_specs, struct bs_error *err)
{
	struct style parts[N_PARTS] = {
		[PART_PATH] = {.fg = "magenta"},
		[PART_LINE] = {.fg = "green"},
		[PART_MATCH] = {.fg = "red", .is_bold = true},
	};
	for (size_t i = 0; i < n_specs; i++)
		if (!apply_spec(parts, specs[i]))
			return bs_fail(err, BS_INVALID,
			               "--colors %s: write path, line, column or match, "
			               "then :none, :fg:COLOR, :bg:COLOR or :style:STYLE",
			               specs[i]);
	write_codes(&parts[PART_PATH], colors->path);
	write_codes(&parts[PART_LINE], colors->line);
	write_codes(&parts[PART_COLUMN], colors->column);
	write_codes(&parts[PART_MATCH], colors->match);
	/* A match without colour has no escape sequences; other parts without colour still have a
	 * reset sequence. */
	if (strcmp(colors->match, "\033[0m") == 0)
		colors->match[0] = '\0';
	return BS_OK;
}

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
