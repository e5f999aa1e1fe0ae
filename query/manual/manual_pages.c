/* manual_pages.c: manual pages. See manual_pages.h. */
#include "query/manual/manual_pages.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The code point at text, valid UTF-8 (our own strings); its length in bytes in *n_out. */
static unsigned decode(const char *text, size_t *n_out)
{
	unsigned char lead = (unsigned char)*text;
	size_t n = lead < 0x80 ? 1 : (lead < 0xe0 ? 2 : (lead < 0xf0 ? 3 : 4));
	unsigned code = n == 1 ? lead : lead & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3fu);
	*n_out = n;
	return code;
}

/* One character so that roff prints it as it is, in every output device. Returns its bytes in text. */
static size_t put_character(FILE *out, const char *text)
{
	static const char marks[] = "\\-'`~^", *const names[] = {"e", "-", "(aq", "(ga", "(ti", "(ha"};
	size_t n;
	unsigned code = decode(text, &n);
	const char *mark = n == 1 ? strchr(marks, (int)code) : NULL;
	if (mark)
		fprintf(out, "\\%s", names[mark - marks]);
	else if (n == 1)
		putc(*text, out);
	else
		fprintf(out, "\\[u%04X]", code);
	return n;
}

/* A line as it stands. */
static void plain(FILE *out, const char *text, size_t n)
{
	if (n > 0 && (text[0] == '.'))
		fputs("\\&", out);
	for (size_t at = 0; at < n;)
		at += put_character(out, text + at);
}

/* Running text: what stands between backticks is bold. */
static void prose(FILE *out, const char *text, size_t n)
{
	bool is_bold = false;
	if (n > 0 && (text[0] == '.'))
		fputs("\\&", out);
	for (size_t at = 0; at < n;) {
		if (text[at] != '`') {
			at += put_character(out, text + at);
			continue;
		}
		is_bold = !is_bold;
		fprintf(out, "\\f%c", is_bold ? 'B' : 'R');
		at++;
	}
}

/* Words in capitals, which stand for something, are italic: [OPTION]... (QUERY... | --batch FILE) */
static void synopsis(FILE *out, const char *text)
{
	bool is_italic = false;
	for (const char *at = text; *at;) {
		bool is_name = isupper((unsigned char)*at) || (is_italic && *at == '_');
		if (is_name != is_italic)
			fprintf(out, "\\f%c", is_name ? 'I' : 'R');
		is_italic = is_name;
		at += put_character(out, at);
	}
	fprintf(out, "%s\n", is_italic ? "\\fR" : "");
}

/* "# ", "- " and "    " as manual.h has it. */
static void paragraph(FILE *out, const char *text, size_t n, bool *is_below_heading)
{
	const char *start = *is_below_heading ? "" : ".PP\n";
	*is_below_heading = n > 2 && strncmp(text, "# ", 2) == 0;
	if (*is_below_heading) {
		fputs(".SS ", out);
		plain(out, text + 2, n - 2);
	} else if (n > 2 && strncmp(text, "- ", 2) == 0) {
		fputs(".IP \\(bu 2\n", out);
		prose(out, text + 2, n - 2);
	} else if (n > 4 && strncmp(text, "    ", 4) == 0) {
		fprintf(out, "%s.RS 4\n.nf\n", start);
		for (size_t at = 0; at < n;) {
			size_t line = strcspn(text + at, "\n");
			line = line < n - at ? line : n - at;
			size_t indent = line < 4 ? line : 4;
			plain(out, text + at + indent, line - indent);
			fputs("\n", out);
			at += line + 1;
		}
		fputs(".fi\n.RE", out);
	} else {
		fputs(start, out);
		prose(out, text, n);
	}
	fputs("\n", out);
}

/* Those that follow a heading. */
static void paragraphs(FILE *out, const char *text)
{
	bool is_below_heading = true;
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t n = end ? (size_t)(end - text) : strlen(text);
		paragraph(out, text, n, &is_below_heading);
		text += n;
		text += strspn(text, "\n");
	}
}

/* No date: the same source makes the same page on any day. */
static void title(FILE *out, const struct bs_program *program, const char *name, int section)
{
	fputs(".\\\" Made by `bitsift --generate man`; do not edit.\n.TH ", out);
	for (const char *at = name; *at; at++)
		fprintf(out, "%s%c", *at == '-' ? "\\" : "", toupper((unsigned char)*at));
	fprintf(out, " %d \"\" \"bitsift %s\" \"%s\"\n", section, program->version,
	        section == 1 ? "User Commands" : "Miscellaneous Information Manual");
}

/* The first sentence of a summary as a phrase: "Find documents. Words ..." -> "find documents". */
static void name_line(FILE *out, const char *name, const char *summary)
{
	const char *end = strstr(summary, ". ");
	size_t n = end ? (size_t)(end - summary) : strlen(summary);
	if (n > 0 && summary[n - 1] == '.')
		n--;
	fputs(".SH NAME\n", out);
	plain(out, name, strlen(name));
	char first = (char)tolower((unsigned char)summary[0]);
	fprintf(out, " \\- %c", first);
	plain(out, summary + 1, n - 1);
	fputs("\n", out);
}

static void option(FILE *out, const struct bs_option *option)
{
	fputs(".TP\n", out);
	if (option->short_name)
		fprintf(out, "\\fB\\-%c\\fR, ", option->short_name);
	fputs("\\fB\\-\\-", out);
	plain(out, option->name, strlen(option->name));
	fputs("\\fR", out);
	if (option->argument)
		fprintf(out, option->is_optional ? "[=\\fI%s\\fR]" : " \\fI%s\\fR", option->argument);
	fprintf(out, "\n%c", toupper((unsigned char)option->help[0]));
	prose(out, option->help + 1, strlen(option->help) - 1);
	fputs(".\n", out);
}

static void example(FILE *out, const char *command, const char *explanation)
{
	fputs(".TP\n\\fB", out);
	plain(out, command, strlen(command));
	fputs("\\fR\n", out);
	prose(out, explanation, strlen(explanation));
	fputs("\n", out);
}

/* self: the command or the topic whose page it is; NULL: the program's. */
static void see_also(FILE *out, const struct bs_program *program, const void *self)
{
	fprintf(out, ".SH SEE ALSO\n%s", self ? ".BR bitsift (1),\n" : "");
	for (size_t i = 0; i < program->n_commands; i++)
		if (program->commands[i] != self)
			fprintf(out, ".BR bitsift\\-%s (1),\n", program->commands[i]->name);
	for (size_t i = 0; i < program->n_topics; i++)
		if (program->topics[i] != self)
			fprintf(out, ".BR bitsift\\-%s (7),\n", program->topics[i]->name);
	fputs(".BR rg (1)\n", out);
}

void bs_docs_man_command(const struct bs_program *program, const struct bs_command *command, FILE *out)
{
	char name[64];
	snprintf(name, sizeof(name), "bitsift-%s", command->name);
	title(out, program, name, 1);
	name_line(out, name, command->summary);
	fprintf(out, ".SH SYNOPSIS\n\\fBbitsift %s\\fR ", command->name);
	synopsis(out, command->usage);
	fputs(".SH DESCRIPTION\n", out);
	paragraphs(out, command->description && *command->description ? command->description : command->summary);
	fputs(".SH OPTIONS\n", out);
	for (size_t i = 0; bs_command_option(command, i); i++)
		option(out, bs_command_option(command, i));
	if (command->exit_status) {
		fputs(".SH EXIT STATUS\n", out);
		prose(out, command->exit_status, strlen(command->exit_status));
		fputs("\n", out);
	}
	if (command->examples)
		fputs(".SH EXAMPLES\n", out);
	for (const char *const *at = command->examples; at && *at; at += 2)
		example(out, at[0], at[1]);
	see_also(out, program, command);
}

void bs_docs_man_topic(const struct bs_program *program, const struct bs_topic *topic, FILE *out)
{
	char name[64];
	snprintf(name, sizeof(name), "bitsift-%s", topic->name);
	title(out, program, name, 7);
	name_line(out, name, topic->summary);
	fputs(".SH DESCRIPTION\n", out);
	paragraphs(out, topic->text);
	see_also(out, program, topic);
}

/* The same text, with its backticks, as --help has them. */
void bs_docs_text_topic(const struct bs_topic *topic, FILE *out)
{
	bs_command_wrap(out, topic->summary, 0, 0);
	for (const char *text = topic->text; *text; text += strspn(text, "\n")) {
		const char *end = strstr(text, "\n\n");
		size_t n = end ? (size_t)(end - text) : strlen(text);
		putc('\n', out);
		if (strncmp(text, "    ", 4) == 0)
			fprintf(out, "%.*s\n", (int)n, text);
		else
			bs_command_wrap(out, text + (*text == '#' ? 2 : 0), 0, *text == '-' ? 2 : 0);
		text += n;
	}
}

static const char program_description[] =
	"`bitsift` finds documents by their words: files, folders, and records of JSONL collections. Its answers are "
	"exact: what a full scan would return, and nothing else.\n\n"
	"An index has no posting lists. It holds a short Bloom signature of every document, stored column by column. A "
	"query reads the few columns that its words hash to, 512 documents at a time. The documents that remain are "
	"verified by their text, which is read from its source and not copied into the index.\n\n"
	"`bitsift index` makes an index, `bitsift query` and `bitsift grep` search it. Each command has a page of its "
	"own.";

static const char program_files[] = "An index is a directory, `.bitsift` unless told otherwise. `bitsift index` "
                                    "makes it in the working directory; the commands that read one take the nearest "
                                    "upward, as git finds `.git`. You may delete it and make it again, unless it "
                                    "holds records from standard input. bitsift writes nothing else.";

void bs_docs_man_program(const struct bs_program *program, FILE *out)
{
	title(out, program, "bitsift", 1);
	name_line(out, "bitsift", "Exact full-text search without an inverted index.");
	fputs(".SH SYNOPSIS\n\\fBbitsift\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n", out);
	fputs(".SH DESCRIPTION\n", out);
	paragraphs(out, program_description);
	fputs(".SH COMMANDS\n", out);
	for (size_t i = 0; i < program->n_commands; i++) {
		const struct bs_command *command = program->commands[i];
		fprintf(out, ".TP\n.BR bitsift\\-%s (1)\n", command->name);
		prose(out, command->summary, strlen(command->summary));
		fputs("\n", out);
	}
	fputs(".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nShow the list of commands.\n", out);
	fputs(".TP\n\\fB\\-\\-version\\fR\nShow the version.\n", out);
	fprintf(out, ".TP\n\\fB\\-\\-generate\\fR \\fIKIND\\fR [\\fICOMMAND\\fR]\n"
	             "Print a manual page (man; a topic is named as a command is) or the completions of a shell (bash, zsh or fish).\n");
	fputs(".SH FILES\n", out);
	paragraphs(out, program_files);
	fputs(".SH ENVIRONMENT\n.TP\n\\fBBITSIFT_INDEX\\fR\nThe index, where no \\fB\\-\\-index\\fR names one.\n", out);
	fputs(".TP\n\\fBNO_COLOR\\fR\nIf set, nothing is printed in colour.\n", out);
	fputs(".SH EXIT STATUS\n2 on errors; otherwise 0, or 1 if nothing was found.\n", out);
	fputs(".SH EXAMPLES\n", out);
	example(out, "bitsift index .", "Index the files below here, into ./.bitsift");
	example(out, "bitsift query bloom filter", "Find those that hold both words");
	see_also(out, program, NULL);
}
