/* docs_man.c: manual pages. See docs.h. */
#include "query/docs.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A page being written. Sticky: after the first failure nothing more is done. */
struct page {
	struct bs_buffer *out;
	bool is_below_heading; /* where a paragraph begins without being told */
	enum bs_status status;
	struct bs_error *err;
};

/* ---- roff ---- */

static void put(struct page *page, const char *bytes, size_t n)
{
	if (!page->status)
		page->status = bs_buffer_append(page->out, bytes, n, page->err);
}

static void raw(struct page *page, const char *format, ...) BS_PRINTF(2, 3);

static void raw(struct page *page, const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	put(page, line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

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
static size_t put_character(struct page *page, const char *text)
{
	size_t n;
	unsigned code = decode(text, &n);
	switch (code) {
	case '\\':
		put(page, "\\e", 2);
		break;
	case '-':
		put(page, "\\-", 2);
		break;
	case '\'':
		put(page, "\\(aq", 4);
		break;
	case '`':
		put(page, "\\(ga", 4);
		break;
	case '~':
		put(page, "\\(ti", 4);
		break;
	case '^':
		put(page, "\\(ha", 4);
		break;
	default:
		if (n == 1)
			put(page, text, 1);
		else
			raw(page, "\\[u%04X]", code);
	}
	return n;
}

/* A line as it stands. */
static void plain(struct page *page, const char *text, size_t n)
{
	if (n > 0 && (text[0] == '.'))
		put(page, "\\&", 2);
	for (size_t at = 0; at < n;)
		at += put_character(page, text + at);
}

/* Running text: what stands between backticks is bold. */
static void prose(struct page *page, const char *text, size_t n)
{
	bool is_bold = false;
	if (n > 0 && (text[0] == '.'))
		put(page, "\\&", 2);
	for (size_t at = 0; at < n;) {
		if (text[at] != '`') {
			at += put_character(page, text + at);
			continue;
		}
		is_bold = !is_bold;
		raw(page, "\\f%c", is_bold ? 'B' : 'R');
		at++;
	}
}

/* Words in capitals, which stand for something, are italic: [OPTION]... (QUERY... | --batch FILE) */
static void synopsis(struct page *page, const char *text)
{
	bool is_italic = false;
	for (const char *at = text; *at;) {
		bool is_name = isupper((unsigned char)*at) || (is_italic && *at == '_');
		if (is_name != is_italic)
			raw(page, "\\f%c", is_name ? 'I' : 'R');
		is_italic = is_name;
		at += put_character(page, at);
	}
	raw(page, "%s\n", is_italic ? "\\fR" : "");
}

static void heading(struct page *page, const char *title)
{
	raw(page, ".SH %s\n", title);
	page->is_below_heading = true;
}

/* "# ", "- " and "    " as docs.h has it. */
static void paragraph(struct page *page, const char *text, size_t n)
{
	const char *start = page->is_below_heading ? "" : ".PP\n";
	page->is_below_heading = n > 2 && strncmp(text, "# ", 2) == 0;
	if (page->is_below_heading) {
		raw(page, ".SS ");
		plain(page, text + 2, n - 2);
	} else if (n > 2 && strncmp(text, "- ", 2) == 0) {
		raw(page, ".IP \\(bu 2\n");
		prose(page, text + 2, n - 2);
	} else if (n > 4 && strncmp(text, "    ", 4) == 0) {
		raw(page, "%s.RS 4\n.nf\n", start);
		for (size_t at = 0; at < n;) {
			size_t line = strcspn(text + at, "\n");
			line = line < n - at ? line : n - at;
			size_t indent = line < 4 ? line : 4;
			plain(page, text + at + indent, line - indent);
			raw(page, "\n");
			at += line + 1;
		}
		raw(page, ".fi\n.RE");
	} else {
		put(page, start, strlen(start));
		prose(page, text, n);
	}
	raw(page, "\n");
}

static void paragraphs(struct page *page, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t n = end ? (size_t)(end - text) : strlen(text);
		paragraph(page, text, n);
		text += n;
		text += strspn(text, "\n");
	}
}

/* ---- the parts of a page ---- */

/* No date: the same source makes the same page on any day. */
static void title(struct page *page, const struct bs_program *program, const char *name)
{
	raw(page, ".\\\" Made by `bitsift --generate man`; do not edit.\n.TH ");
	for (const char *at = name; *at; at++)
		raw(page, "%s%c", *at == '-' ? "\\" : "", toupper((unsigned char)*at));
	raw(page, " 1 \"\" \"bitsift %s\" \"User Commands\"\n", program->version);
}

/* The first sentence of a summary as a phrase: "Find documents. Words ..." -> "find documents". */
static void name_line(struct page *page, const char *name, const char *summary)
{
	const char *end = strstr(summary, ". ");
	size_t n = end ? (size_t)(end - summary) : strlen(summary);
	if (n > 0 && summary[n - 1] == '.')
		n--;
	raw(page, ".SH NAME\n");
	plain(page, name, strlen(name));
	char first = (char)tolower((unsigned char)summary[0]);
	raw(page, " \\- %c", first);
	plain(page, summary + 1, n - 1);
	raw(page, "\n");
}

static void option(struct page *page, const struct bs_option *option)
{
	raw(page, ".TP\n");
	if (option->short_name)
		raw(page, "\\fB\\-%c\\fR, ", option->short_name);
	raw(page, "\\fB\\-\\-");
	plain(page, option->name, strlen(option->name));
	raw(page, "\\fR");
	if (option->argument)
		raw(page, " \\fI%s\\fR", option->argument);
	raw(page, "\n%c", toupper((unsigned char)option->help[0]));
	prose(page, option->help + 1, strlen(option->help) - 1);
	raw(page, ".\n");
}

static void example(struct page *page, const char *command, const char *explanation)
{
	raw(page, ".TP\n\\fB");
	plain(page, command, strlen(command));
	raw(page, "\\fR\n");
	prose(page, explanation, strlen(explanation));
	raw(page, "\n");
}

static void see_also(struct page *page, const struct bs_program *program, const struct bs_command *self)
{
	raw(page, ".SH SEE ALSO\n%s", self ? ".BR bitsift (1),\n" : "");
	for (size_t i = 0; i < program->n_commands; i++)
		if (program->commands[i] != self)
			raw(page, ".BR bitsift\\-%s (1),\n", program->commands[i]->name);
	raw(page, ".BR rg (1)\n");
}

/* ---- pages ---- */

enum bs_status bs_docs_man_command(const struct bs_program *program, const struct bs_command *command,
                                   struct bs_buffer *out, struct bs_error *err)
{
	struct page page = {.out = out, .err = err};
	char name[64];
	snprintf(name, sizeof(name), "bitsift-%s", command->name);
	title(&page, program, name);
	name_line(&page, name, command->summary);
	raw(&page, ".SH SYNOPSIS\n\\fBbitsift %s\\fR ", command->name);
	synopsis(&page, command->usage);
	heading(&page, "DESCRIPTION");
	paragraphs(&page, command->description && *command->description ? command->description : command->summary);
	raw(&page, ".SH OPTIONS\n");
	for (size_t i = 0; bs_command_option(command, i); i++)
		option(&page, bs_command_option(command, i));
	if (command->exit_status) {
		raw(&page, ".SH EXIT STATUS\n");
		prose(&page, command->exit_status, strlen(command->exit_status));
		raw(&page, "\n");
	}
	if (command->examples)
		raw(&page, ".SH EXAMPLES\n");
	for (const char *const *at = command->examples; at && *at; at += 2)
		example(&page, at[0], at[1]);
	see_also(&page, program, command);
	return page.status;
}

static const char program_description[] =
	"`bitsift` finds documents by their words: files, folders, and records of JSONL collections. Its answers are exact: "
	"what a full scan would return, and nothing else.\n\n"
	"Instead of lists of postings, an index holds a short Bloom signature of every document, stored column by column. A "
	"query reads the few columns that its words hash to, 512 documents at a step; the documents that are left are "
	"verified by their text, which is read from where it is: nothing is copied.\n\n"
	"`bitsift index` makes an index, `bitsift query` asks it. Each command has a page of its own.";

static const char program_files[] =
	"An index is a directory, `.bitsift` unless told otherwise. `bitsift index` makes it in the working directory; the "
	"commands that read one take the nearest upward, as git finds `.git`. It may be removed and made again, unless it "
	"holds what came from standard input. Nothing else is ever written.";

enum bs_status bs_docs_man_program(const struct bs_program *program, struct bs_buffer *out, struct bs_error *err)
{
	struct page page = {.out = out, .err = err};
	title(&page, program, "bitsift");
	name_line(&page, "bitsift", "Exact full-text search without an inverted index.");
	raw(&page, ".SH SYNOPSIS\n\\fBbitsift\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n");
	heading(&page, "DESCRIPTION");
	paragraphs(&page, program_description);
	heading(&page, "COMMANDS");
	for (size_t i = 0; i < program->n_commands; i++) {
		const struct bs_command *command = program->commands[i];
		raw(&page, ".TP\n.BR bitsift\\-%s (1)\n", command->name);
		prose(&page, command->summary, strlen(command->summary));
		raw(&page, "\n");
	}
	raw(&page, ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nShow the list of commands.\n");
	raw(&page, ".TP\n\\fB\\-\\-version\\fR\nShow the version.\n");
	raw(&page, ".TP\n\\fB\\-\\-generate\\fR \\fIKIND\\fR [\\fICOMMAND\\fR]\n"
	           "Print a manual page (man) or the completions of a shell (bash, zsh or fish).\n");
	heading(&page, "FILES");
	paragraphs(&page, program_files);
	raw(&page, ".SH ENVIRONMENT\n.TP\n\\fBBITSIFT_INDEX\\fR\nThe index, where no \\fB\\-\\-index\\fR names one.\n");
	raw(&page, ".TP\n\\fBNO_COLOR\\fR\nIf set, nothing is printed in colour.\n");
	raw(&page, ".SH EXIT STATUS\n2 on errors; otherwise 0, or 1 if nothing was found.\n");
	raw(&page, ".SH EXAMPLES\n");
	example(&page, "bitsift index .", "Index the files below here, into ./.bitsift");
	example(&page, "bitsift query bloom filter", "Find those that hold both words");
	see_also(&page, program, NULL);
	return page.status;
}
