/* command_line.c: see command_line.h. */
#include "core/command_line.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS   192
#define HELP_COLUMN   26
#define HELP_WIDTH    80
#define EXAMPLE_WIDTH 36

static const struct bs_option help_option = {BS_OPTION_HELP, 'h', "help", NULL, "show this help"};

static size_t n_options(const struct bs_command *command)
{
	size_t n = 0;
	while (command->options[n].id)
		n++;
	return n;
}

/* Of n, and the one that all commands have. */
static const struct bs_option *option_at(const struct bs_command *command, size_t n, size_t i)
{
	return i < n ? &command->options[i] : &help_option;
}

const struct bs_option *bs_command_option(const struct bs_command *command, size_t i)
{
	size_t n = n_options(command);
	return i <= n ? option_at(command, n, i) : NULL;
}

/* ---- parsing ---- */

/* Tables in getopt's form. Short letters are returned as ids too: ids are all above them or are looked up. */
struct getopt_tables {
	char letters[MAX_OPTIONS * 2 + 2];
	struct option longs[MAX_OPTIONS + 1];
};

static void make_tables(const struct bs_command *command, struct getopt_tables *tables)
{
	size_t n_letters = 0, n = n_options(command);
	memset(tables, 0, sizeof(*tables));
	tables->letters[n_letters++] = ':'; /* a missing argument is ':', not '?' */
	for (size_t i = 0; i < MAX_OPTIONS && i <= n; i++) {
		const struct bs_option *option = option_at(command, n, i);
		int has_argument = option->argument ? required_argument : no_argument;
		tables->longs[i] = (struct option){option->name, has_argument, NULL, 1000 + (int)i};
		if (!option->short_name)
			continue;
		tables->letters[n_letters++] = option->short_name;
		if (option->argument)
			tables->letters[n_letters++] = ':';
	}
}

static enum bs_status refuse(const struct bs_arguments *arguments, int found, struct bs_error *err)
{
	const char *word = arguments->argv[optind - 1];
	if (found == '?' && optopt >= 1000)
		return bs_fail(err, BS_INVALID, "option %.*s takes no argument; see `bitsift %s --help`",
		               (int)strcspn(word, "="), word, arguments->command->name);
	if (optopt && optopt < 1000)
		return bs_fail(err, BS_INVALID, found == ':' ? "option -%c needs an argument; see `bitsift %s --help`"
		                                             : "unknown option -%c; see `bitsift %s --help`",
		               optopt, arguments->command->name);
	return bs_fail(err, BS_INVALID, found == ':' ? "option %s needs an argument; see `bitsift %s --help`"
	                                             : "unknown option %s; see `bitsift %s --help`",
	               word, arguments->command->name);
}

enum bs_status bs_arguments_next(struct bs_arguments *arguments, int *id_out, const char **value_out,
                                 struct bs_error *err)
{
	struct getopt_tables tables;
	make_tables(arguments->command, &tables);
	if (!arguments->started)
		optind = 0; /* glibc: start anew, and permute */
	arguments->started = true;
	opterr = 0;
	int found = getopt_long(arguments->argc, arguments->argv, tables.letters, tables.longs, NULL);
	*value_out = optarg;
	*id_out = 0;
	if (found == -1)
		return BS_OK;
	if (found == '?' || found == ':')
		return refuse(arguments, found, err);
	size_t n = n_options(arguments->command);
	for (size_t i = 0; i <= n; i++) {
		const struct bs_option *option = option_at(arguments->command, n, i);
		if (found == 1000 + (int)i || (option->short_name && found == option->short_name))
			*id_out = option->id;
	}
	return BS_OK;
}

size_t bs_arguments_operands(const struct bs_arguments *arguments, char ***operands_out)
{
	*operands_out = arguments->argv + optind;
	return (size_t)(arguments->argc - optind);
}

/* ---- help ---- */

static enum bs_status print(struct bs_buffer *text, struct bs_error *err, const char *format, ...) BS_PRINTF(3, 4);

static enum bs_status print(struct bs_buffer *text, struct bs_error *err, const char *format, ...)
{
	char line[1024];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	return bs_buffer_append(text, line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1, err);
}

/* Words of a text in lines of at most HELP_WIDTH columns, from column `column` on, indented by `indent`. */
static enum bs_status wrap(struct bs_buffer *text, struct bs_error *err, const char *words, size_t column,
                           size_t indent)
{
	enum bs_status status = BS_OK;
	bool is_first = true;
	while (*words && !status) {
		size_t n = strcspn(words, " ");
		if (!is_first && column + 1 + n > HELP_WIDTH) {
			status = print(text, err, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!is_first) {
			status = print(text, err, " ");
			column++;
		}
		if (!status)
			status = bs_buffer_append(text, words, n, err);
		column += n;
		words += n + strspn(words + n, " ");
		is_first = false;
	}
	return status ? status : print(text, err, "\n");
}

static enum bs_status help_line(const struct bs_option *option, struct bs_buffer *text, struct bs_error *err)
{
	char head[64];
	int n = option->short_name ? snprintf(head, sizeof(head), "  -%c, --%s", option->short_name, option->name)
	                           : snprintf(head, sizeof(head), "      --%s", option->name);
	if (option->argument)
		n += snprintf(head + n, sizeof(head) - (size_t)n, " %s", option->argument);
	bool fits = n + 2 <= HELP_COLUMN;
	enum bs_status status = fits ? print(text, err, "%-*s", HELP_COLUMN, head)
	                             : print(text, err, "%s\n%*s", head, HELP_COLUMN, "");
	return status ? status : wrap(text, err, option->help, HELP_COLUMN, HELP_COLUMN);
}

/* The explanation beside its command, or below where that does not fit. */
static enum bs_status help_example(const char *command, const char *explanation, struct bs_buffer *text,
                                   struct bs_error *err)
{
	bool fits = strlen(command) <= EXAMPLE_WIDTH && EXAMPLE_WIDTH + 6 + strlen(explanation) <= HELP_WIDTH;
	enum bs_status status = fits ? print(text, err, "  %-*s  # ", EXAMPLE_WIDTH, command)
	                             : print(text, err, "  %s\n      # ", command);
	return status ? status : wrap(text, err, explanation, fits ? EXAMPLE_WIDTH + 6 : 8, 8);
}

enum bs_status bs_command_help(const struct bs_command *command, struct bs_buffer *text, struct bs_error *err)
{
	char start[64];
	snprintf(start, sizeof(start), "Usage: bitsift %s ", command->name);
	enum bs_status status = print(text, err, "%s", start);
	if (!status)
		status = wrap(text, err, command->usage, strlen(start), strlen(start));
	if (!status)
		status = wrap(text, err, command->summary, 0, 0);
	if (!status)
		status = print(text, err, "\n");
	size_t n_most = command->n_in_help;
	for (size_t i = 0; bs_command_option(command, i) && (!n_most || i < n_most) && !status; i++)
		status = help_line(bs_command_option(command, i), text, err);
	if (!status && n_most)
		status = print(text, err, "All options: man bitsift-%s\n", command->name);
	if (!status && command->examples)
		status = print(text, err, "\nExamples:\n");
	for (const char *const *example = command->examples; example && *example && !status; example += 2)
		status = help_example(example[0], example[1], text, err);
	return status;
}

/* ---- numbers ---- */

enum bs_status bs_parse_size(const char *option, const char *value, uint64_t *bytes_out, struct bs_error *err)
{
	static const char units[] = "kmgt";
	char *end;
	errno = 0;
	double number = strtod(value, &end);
	/* A digit or a dot first: strtod also takes blanks, signs, "inf" and "nan". */
	bool is_number = end != value && errno == 0 && strchr("0123456789.", value[0]) && !strpbrk(value, "xX");
	if (is_number && *end) {
		const char *unit = strchr(units, *end | 0x20);
		for (const char *u = units; unit && u <= unit; u++)
			number *= 1024;
		is_number = unit != NULL && (strcmp(end + 1, "") == 0 || strcmp(end + 1, "B") == 0 || strcmp(end + 1, "iB") == 0);
	}
	if (!is_number || number >= 9e18)
		return bs_fail(err, BS_INVALID, "%s %s: not a size; write 64M, 1.5G or a number of bytes", option, value);
	*bytes_out = (uint64_t)number;
	return BS_OK;
}

enum bs_status bs_parse_number(const char *option, const char *value, uint64_t least, uint64_t most,
                               uint64_t *number_out, struct bs_error *err)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	/* A digit first: strtoull also takes blanks, and a minus sign that wraps around. */
	if (value[0] < '0' || value[0] > '9' || *end || errno || number < least || number > most)
		return bs_fail(err, BS_INVALID, "%s %s: not a whole number from %llu to %llu", option, value,
		               (unsigned long long)least, (unsigned long long)most);
	*number_out = number;
	return BS_OK;
}

void bs_format_bytes(uint64_t n_bytes, char out[24])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double number = (double)n_bytes;
	size_t unit = 0;
	/* From 1023.95 on it would be printed as 1024.0. */
	while (number >= 1023.95 && unit + 1 < sizeof(units) / sizeof(*units)) {
		number /= 1024;
		unit++;
	}
	snprintf(out, 24, unit == 0 ? "%.0f %s" : (number < 9.995 ? "%.2f %s" : "%.1f %s"), number, units[unit]);
}

void bs_format_count(uint64_t n, char out[32])
{
	char digits[24];
	int n_digits = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	size_t used = 0;
	for (int i = 0; i < n_digits; i++) {
		if (i > 0 && (n_digits - i) % 3 == 0)
			out[used++] = ',';
		out[used++] = digits[i];
	}
	out[used] = '\0';
}
