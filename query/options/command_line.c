/* command_line.c: see command_line.h. */
#include "query/options/command_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN   26
#define HELP_WIDTH    80
#define EXAMPLE_WIDTH 36
/* The longest name that is compared for a suggestion. */
#define GUESS_BYTES 32

static const struct bs_option help_option = {'h', "help", NULL, "show this help",
                                             .kind = BS_OPTION_NOTHING};

const struct bs_option *bs_command_option(const struct bs_command *command, size_t i)
{
	for (size_t n = 0; n < i; n++)
		if (!command->options[n].name)
			return NULL;
	return command->options[i].name ? &command->options[i] : &help_option;
}

/* The edit distance: how many letters must be changed, deleted, inserted or swapped with their
 * neighbour to turn a into b. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][GUESS_BYTES + 1], n_a = strlen(a), n_b = strlen(b);
	if (n_a > GUESS_BYTES || n_b > GUESS_BYTES)
		return SIZE_MAX;
	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3],
		       *two_above = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			size_t least = above[j - 1] + (a[i - 1] != b[j - 1]);
			least = above[j] + 1 < least ? above[j] + 1 : least;
			least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    two_above[j - 2] + 1 < least)
				least = two_above[j - 2] + 1;
			row[j] = least;
		}
	}
	return rows[n_a % 3][n_b];
}

/* Whether `name` is less than *least edits from `word`, and similar enough that it may have been
 * meant. If so, updates *least. A name that begins with `word` counts as 0 edits away. */
static bool is_closer(const char *word, const char *name, size_t *least)
{
	size_t n = strlen(word), d = strncmp(name, word, n) == 0 ? 0 : distance(word, name);
	/* At most one edit for each three letters. */
	if (n < 2 || d > 2 || d >= *least || d * 3 > n)
		return false;
	*least = d;
	return true;
}

const char *bs_command_guess(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t least = SIZE_MAX;
	for (; *names; names++)
		if (is_closer(word, *names, &least))
			best = *names;
	return best;
}

static enum bs_status refuse_unknown(const struct bs_command *command, const char *word,
                                     size_t name_bytes, struct bs_error *err)
{
	char name[GUESS_BYTES + 2];
	const char *guess = NULL;
	const struct bs_option *option;
	size_t least = SIZE_MAX;
	snprintf(name, sizeof(name), "%.*s", (int)name_bytes, word + 2);
	for (size_t i = 0; (option = bs_command_option(command, i)) != NULL; i++)
		if (is_closer(name, option->name, &least))
			guess = option->name;
	return bs_fail(err, BS_INVALID, "unknown option --%.*s%s%s%s see `bitsift %s --help`",
	               (int)name_bytes, word + 2, guess ? "; did you mean --" : ";",
	               guess ? guess : "", guess ? "? Or" : "", command->name);
}

enum bs_status bs_word_list_add(struct bs_word_list *words, const char *word, struct bs_error *err)
{
	size_t n_bytes = (words->n + 2) * sizeof(*words->list);
	/* The array grows whenever the number of its pointers, including the NULL at its end, has
	 * reached a power of two; it then gets room for at least twice as many. */
	bool is_full = words->n == 0 || ((words->n + 1) & words->n) == 0;
	const char **list = is_full ? realloc(words->list, n_bytes * 2) : words->list;
	if (!list)
		return bs_fail_memory(err, "arguments", n_bytes);
	words->list = list;
	list[words->n++] = word;
	list[words->n] = NULL;
	return BS_OK;
}

void bs_word_list_deinit(struct bs_word_list *words)
{
	free(words->list);
	*words = (struct bs_word_list){NULL, 0};
}

enum bs_status bs_parse_name(const char *option, const char *value, const char *const *names,
                             int *index_out, struct bs_error *err)
{
	char list[256] = "";
	for (int i = 0; names[i]; i++) {
		if (strcmp(value, names[i]) == 0) {
			*index_out = i;
			return BS_OK;
		}
		size_t used = strlen(list);
		snprintf(list + used, sizeof(list) - used, "%s%s",
		         i == 0         ? ""
		         : names[i + 1] ? ", "
		                        : " or ",
		         names[i]);
	}
	return bs_fail(err, BS_INVALID, "--%s %s: it can be %s", option, value, list);
}

static enum bs_status parse_size_of(const struct bs_option *option, const char *argument,
                                    uint64_t *bytes_out, struct bs_error *err)
{
	enum bs_status status = bs_parse_size(option->name, argument, bytes_out, err);
	if (!status && option->most && (*bytes_out < option->least || *bytes_out > option->most))
		status = bs_fail(err, BS_INVALID, "--%s %s: not a size from %llu to %lluM",
		                 option->name, argument, (unsigned long long)option->least,
		                 (unsigned long long)option->most >> 20);
	return status;
}

static enum bs_status take(const struct bs_option *option, void *arguments, const char *argument,
                           struct bs_error *err)
{
	void *to = (char *)arguments + option->offset;
	switch (option->kind) {
	case BS_OPTION_NOTHING:
		break;
	case BS_OPTION_FLAG:
	case BS_OPTION_UNFLAG:
		*(bool *)to = option->kind == BS_OPTION_FLAG;
		break;
	case BS_OPTION_CHOICE:
		*(int *)to = option->value;
		break;
	case BS_OPTION_ADD:
		*(int *)to += 1;
		break;
	case BS_OPTION_ONCE:
		if (*(const char **)to)
			return bs_fail(err, BS_INVALID, "--%s is given twice: %s and %s",
			               option->name, *(const char **)to, argument);
		*(const char **)to = argument;
		break;
	case BS_OPTION_STRING:
		*(const char **)to = argument ? argument : "";
		break;
	case BS_OPTION_LIST:
		return bs_word_list_add(to, argument, err);
	case BS_OPTION_NUMBER:
		if (argument)
			return bs_parse_number(option->name, argument, option->least,
			                       option->most ? option->most : UINT64_MAX - 1, to,
			                       err);
		*(uint64_t *)to = (uint64_t)option->value;
		break;
	case BS_OPTION_SIZE:
		return parse_size_of(option, argument, to, err);
	case BS_OPTION_SIZE_AS_RG:
		return bs_parse_size_as_rg(option->name, argument, to, err);
	case BS_OPTION_DURATION:
		return bs_parse_duration(option->name, argument, to, err);
	case BS_OPTION_NAME:
		return bs_parse_name(option->name, argument, option->names, to, err);
	case BS_OPTION_CALL:
		return option->take(arguments, option, argument, err);
	}
	return BS_OK;
}

static const char unknown_option[] = "unknown option ";

bool bs_command_is_letter(const char *message)
{
	size_t n = strlen(unknown_option);
	return strncmp(message, unknown_option, n) == 0 && message[n + 1] != '-';
}

/* The state of reading the command line. */
struct walk {
	const struct bs_command *command;
	char **argv;
	int argc, at;
	void *arguments;
	/* The name of an option to look for; options are then not applied. NULL: options are
	 * applied. */
	const char *sought;
	const char *found; /* The argument of the sought option. */
	/* help: --help was read, which ends the reading. is_met: the sought option was read. */
	bool help, is_met;
};

static enum bs_status do_option(struct walk *walk, const struct bs_option *option,
                                const char *argument, struct bs_error *err)
{
	if (!walk->sought)
		return take(option, walk->arguments, argument, err);
	if (strcmp(option->name, walk->sought) == 0) {
		walk->is_met = true;
		walk->found = argument;
	}
	return BS_OK;
}

static enum bs_status refuse_incomplete(const struct walk *walk, const char *name,
                                        struct bs_error *err)
{
	return bs_fail(err, BS_INVALID, "option %s needs an argument; see `bitsift %s --help`",
	               name, walk->command->name);
}

/* Consumes the next word of the command line as the argument of an option, even if it begins with a
 * dash. NULL: there is no word. */
static const char *next_word(struct walk *walk)
{
	return walk->at < walk->argc ? walk->argv[walk->at++] : NULL;
}

static enum bs_status take_long(struct walk *walk, const char *word, struct bs_error *err)
{
	size_t name_bytes = strcspn(word + 2, "=");
	const char *argument = word[2 + name_bytes] ? word + 3 + name_bytes : NULL;
	const struct bs_option *option;
	for (size_t i = 0; (option = bs_command_option(walk->command, i)) != NULL; i++)
		if (strlen(option->name) == name_bytes &&
		    memcmp(option->name, word + 2, name_bytes) == 0)
			break;
	if (!option)
		return refuse_unknown(walk->command, word, name_bytes, err);
	if (argument && !option->argument)
		return bs_fail(err, BS_INVALID,
		               "option --%s takes no argument; see `bitsift %s --help`",
		               option->name, walk->command->name);
	if (option->argument && !option->is_optional && !argument && !(argument = next_word(walk)))
		return refuse_incomplete(walk, word, err);
	walk->help |= option == &help_option;
	return do_option(walk, option, option->argument ? argument : NULL, err);
}

/* Reports an unknown option of one letter. If the letter is not ASCII, its whole UTF-8 character is
 * shown. */
static enum bs_status refuse_letter(const struct bs_command *command, const char *letter,
                                    struct bs_error *err)
{
	int n_bytes = 1;
	while ((letter[0] & 0xc0) == 0xc0 && (letter[n_bytes] & 0xc0) == 0x80)
		n_bytes++;
	return bs_fail(err, BS_INVALID, "%s-%.*s; see `bitsift %s --help`", unknown_option, n_bytes,
	               letter, command->name);
}

/* Applies a word with one or several option letters after a dash, such as "-il". */
static enum bs_status take_letters(struct walk *walk, const char *word, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (const char *letter = word + 1; *letter && !status && !walk->help; letter++) {
		char name[3] = {'-', *letter, '\0'};
		const struct bs_option *option;
		for (size_t i = 0; (option = bs_command_option(walk->command, i)) != NULL; i++)
			if (option->short_name == *letter)
				break;
		if (!option)
			return refuse_letter(walk->command, letter, err);
		walk->help |= option == &help_option;
		if (!option->argument) {
			status = do_option(walk, option, NULL, err);
			continue;
		}
		const char *argument =
			letter[1] ? letter + 1 + (letter[1] == '=') : next_word(walk);
		return argument ? do_option(walk, option, argument, err)
		                : refuse_incomplete(walk, name, err);
	}
	return status;
}

/* Reads the command line up to --help. operands (nullable): receives the words that are not
 * options. */
static enum bs_status go_through(struct walk *walk, struct bs_operands *operands,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool has_ended = false;
	while (walk->at < walk->argc && !status && !walk->help) {
		char *word = walk->argv[walk->at++];
		if (!has_ended && strcmp(word, "--") == 0)
			has_ended = true;
		else if (!has_ended && word[0] == '-' && word[1])
			status = word[1] == '-' ? take_long(walk, word, err)
			                        : take_letters(walk, word, err);
		else if (operands)
			operands->list[operands->n++] = word;
	}
	return status;
}

bool bs_command_has(const struct bs_command *command, int argc, char **argv, const char *option,
                    const char **value_out)
{
	struct walk walk = {
		.command = command, .argv = argv, .argc = argc, .at = 1, .sought = option};
	struct bs_error err;
	bool has = go_through(&walk, NULL, &err) == BS_OK && walk.is_met;
	if (value_out)
		*value_out = walk.found;
	return has;
}

enum bs_status bs_command_parse(const struct bs_command *command, int argc, char **argv,
                                void *arguments, struct bs_operands *operands_out,
                                struct bs_error *err)
{
	struct walk walk = {
		.command = command, .argv = argv, .argc = argc, .at = 1, .arguments = arguments};
	*operands_out = (struct bs_operands){.list = argv + 1};
	enum bs_status status = go_through(&walk, operands_out, err);
	operands_out->help = walk.help;
	if (!status && !walk.help && command->no_operands && operands_out->n > 0)
		status = bs_fail(err, BS_INVALID,
		                 "%s: `%s` takes no arguments; the index is named by --index DIR",
		                 operands_out->list[0], command->name);
	return status;
}

void bs_command_release(const struct bs_command *command, void *arguments)
{
	for (const struct bs_option *option = command->options; option->name; option++)
		if (option->kind == BS_OPTION_LIST)
			bs_word_list_deinit((void *)((char *)arguments + option->offset));
	if (command->release)
		command->release(arguments);
}

void bs_command_wrap(FILE *out, const char *words, size_t column, size_t indent)
{
	for (bool is_first = true; *words && *words != '\n'; is_first = false) {
		size_t n = strcspn(words, " \n");
		if (!is_first && column + 1 + n > HELP_WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!is_first) {
			putc(' ', out);
			column++;
		}
		fwrite(words, 1, n, out);
		column += n;
		words += n + strspn(words + n, " ");
		if (words[0] == '\n' && words[1] != '\n')
			words += 1 + strspn(words + 1, " ");
	}
	putc('\n', out);
}

static void help_line(const struct bs_option *option, FILE *out)
{
	char head[64];
	int n = option->short_name ? snprintf(head, sizeof(head), "  -%c, --%s", option->short_name,
	                                      option->name)
	                           : snprintf(head, sizeof(head), "      --%s", option->name);
	if (option->argument)
		n += snprintf(head + n, sizeof(head) - (size_t)n,
		              option->is_optional ? "[=%s]" : " %s", option->argument);
	if (n + 2 <= HELP_COLUMN)
		fprintf(out, "%-*s", HELP_COLUMN, head);
	else
		fprintf(out, "%s\n%*s", head, HELP_COLUMN, "");
	bs_command_wrap(out, option->help, HELP_COLUMN, HELP_COLUMN);
}

/* Prints an example for --help: the command, and its explanation next to it, or below if it does
 * not fit. */
static void help_example(const char *command, const char *explanation, FILE *out)
{
	bool fits = strlen(command) <= EXAMPLE_WIDTH &&
	            EXAMPLE_WIDTH + 6 + strlen(explanation) <= HELP_WIDTH;
	if (fits)
		fprintf(out, "  %-*s  # ", EXAMPLE_WIDTH, command);
	else
		fprintf(out, "  %s\n      # ", command);
	bs_command_wrap(out, explanation, fits ? EXAMPLE_WIDTH + 6 : 8, 8);
}

void bs_command_help(const struct bs_command *command, FILE *out)
{
	int n = fprintf(out, "Usage: bitsift %s ", command->name);
	bs_command_wrap(out, command->usage, (size_t)n, (size_t)n);
	bs_command_wrap(out, command->summary, 0, 0);
	putc('\n', out);
	size_t n_most = command->n_in_help;
	for (size_t i = 0; bs_command_option(command, i) && (!n_most || i < n_most); i++)
		help_line(bs_command_option(command, i), out);
	if (n_most)
		fprintf(out, "All options: man bitsift-%s\n", command->name);
	if (command->examples)
		fputs("\nExamples:\n", out);
	for (const char *const *example = command->examples; example && *example; example += 2)
		help_example(example[0], example[1], out);
}

/* Parses a decimal number. *unit_out: the text after it. Rejects what strtod also accepts: white
 * space, signs, "inf", "nan" and hexadecimal numbers. */
static bool parse_decimal(const char *value, double *number_out, char **unit_out)
{
	errno = 0;
	*number_out = strtod(value, unit_out);
	return *unit_out != value && errno == 0 && strchr("0123456789.", value[0]) &&
	       !strpbrk(value, "xX");
}

enum bs_status bs_parse_size(const char *option, const char *value, uint64_t *bytes_out,
                             struct bs_error *err)
{
	static const char units[] = "kmgt";
	char *end;
	double number;
	bool is_number = parse_decimal(value, &number, &end);
	if (is_number && *end) {
		const char *unit = strchr(units, *end | 0x20);
		for (const char *u = units; unit && u <= unit; u++)
			number *= 1024;
		is_number =
			unit != NULL && (strcmp(end + 1, "") == 0 || strcmp(end + 1, "B") == 0 ||
		                         strcmp(end + 1, "iB") == 0);
	}
	if (!is_number || number >= 9e18)
		return bs_fail(err, BS_INVALID,
		               "--%s %s: not a size; write 64M, 1.5G or a number of bytes", option,
		               value);
	*bytes_out = (uint64_t)number;
	return BS_OK;
}

enum bs_status bs_parse_size_as_rg(const char *option, const char *value, uint64_t *bytes_out,
                                   struct bs_error *err)
{
	static const char units[] = "KMG";
	size_t n_digits = strspn(value, "0123456789");
	const char *unit = value[n_digits] ? strchr(units, value[n_digits]) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	errno = 0;
	unsigned long long number = strtoull(value, NULL, 10);
	if (n_digits == 0 || (value[n_digits] && !(unit && !value[n_digits + 1])) || errno ||
	    number > UINT64_MAX >> shift)
		return bs_fail(err, BS_INVALID,
		               "--%s %s: not a size; write a number of bytes, or with the suffix "
		               "K, M or G",
		               option, value);
	*bytes_out = number << shift;
	return BS_OK;
}

enum bs_status bs_parse_duration(const char *option, const char *value, uint64_t *ns_out,
                                 struct bs_error *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"", 1e9},   {"s", 1e9},    {"ms", 1e6},  {"us", 1e3},
	             {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
	char *end;
	double number;
	bool is_number = parse_decimal(value, &number, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units) && is_number; i++) {
		if (strcmp(end, units[i].name) != 0 || number * units[i].ns < 1 ||
		    number * units[i].ns >= 9e18)
			continue;
		*ns_out = (uint64_t)(number * units[i].ns);
		return BS_OK;
	}
	return bs_fail(err, BS_INVALID, "--%s %s: not a time; write 250ms, 1.5s or 2m", option,
	               value);
}

enum bs_status bs_parse_number(const char *option, const char *value, uint64_t least, uint64_t most,
                               uint64_t *number_out, struct bs_error *err)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	const char *digits = value + (value[0] == '+');
	/* strtoull also accepts white space and a minus sign, so a digit must come first, or after
	 * a plus sign. */
	bool is_number = *digits >= '0' && *digits <= '9' && !*end;
	if (most >= UINT64_MAX - 1 && !errno && (!is_number || number < least))
		return bs_fail(err, BS_INVALID, "--%s %s: not a whole number of at least %llu",
		               option, value, (unsigned long long)least);
	if (!is_number || errno || number < least || number > most)
		return bs_fail(err, BS_INVALID, "--%s %s: not a whole number from %llu to %llu",
		               option, value, (unsigned long long)least, (unsigned long long)most);
	*number_out = number;
	return BS_OK;
}

const char *bs_format_bytes(uint64_t n_bytes, char out[24])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double number = (double)n_bytes;
	size_t unit = 0;
	/* A number of 1023.95 or more would be rounded to 1024.0, so it gets the next unit. */
	while (number >= 1023.95 && unit + 1 < sizeof(units) / sizeof(*units)) {
		number /= 1024;
		unit++;
	}
	snprintf(out, 24, unit == 0 ? "%.0f %s" : (number < 9.995 ? "%.2f %s" : "%.1f %s"), number,
	         units[unit]);
	return out;
}

const char *bs_format_count(uint64_t n, char out[32])
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
	return out;
}

const char *bs_format_things(uint64_t n, const char *thing, char out[64])
{
	snprintf(out, 64, "%s %.29s%s", BS_COUNT(n), thing, n == 1 ? "" : "s");
	return out;
}
