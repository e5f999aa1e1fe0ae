/* manual_pages.c: manual pages. See manual_pages.h. */
#include "query/manual/manual_pages.h"

#include <ctype.h>
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

/* One character so that roff prints it as it is, in every output device. Returns its bytes in
 * text. */
static size_t put_character(FILE *out, const char *text)
{
	static const char marks[] = "\\-'`~^", *const names[] = {"e",   "-",   "(aq",
	                                                         "(ga", "(ti", "(ha"};
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

/* Running text: `x` is bold, a line feed is a blank. */
static void prose(FILE *out, const char *text, size_t n)
{
	bool is_bold = false;
	if (n > 0 && text[0] == '.')
		fputs("\\&", out);
	for (size_t at = 0; at < n;) {
		if (text[at] == '\n') {
			at += 1 + strspn(text + at + 1, " ");
			putc(' ', out);
		} else if (text[at] == '`') {
			is_bold = !is_bold;
			fprintf(out, "\\f%c", is_bold ? 'B' : 'R');
			at++;
		} else {
			at += put_character(out, text + at);
		}
	}
}

/* Words in capitals are placeholders, in italics; `x` is bold: `-n` K, [OPTION]... (QUERY... |
 * --batch FILE) */
static void synopsis(FILE *out, const char *text, size_t n)
{
	bool is_italic = false, is_bold = false;
	for (size_t at = 0; at < n;) {
		bool is_name = !is_bold &&
		               (isupper((unsigned char)text[at]) || (is_italic && text[at] == '_'));
		if (is_name != is_italic)
			fprintf(out, "\\f%c", is_name ? 'I' : 'R');
		is_italic = is_name;
		if (text[at] == '`') {
			is_bold = !is_bold;
			fprintf(out, "\\f%c", is_bold ? 'B' : 'R');
			at++;
		} else {
			at += put_character(out, text + at);
		}
	}
	fputs(is_italic ? "\\fR\n" : "\n", out);
}

/* The page under way. */
struct page {
	const struct bs_program *program;
	const struct bs_command *command; /* NULL on the pages of the program and of topics */
	FILE *out;
};

static void put_option(FILE *out, const struct bs_option *option)
{
	fputs(".TP\n", out);
	if (option->short_name)
		fprintf(out, "\\fB\\-%c\\fR, ", option->short_name);
	fputs("\\fB\\-\\-", out);
	plain(out, option->name, strlen(option->name));
	fputs("\\fR", out);
	if (option->argument)
		fprintf(out, option->is_optional ? "[=\\fI%s\\fR]" : " \\fI%s\\fR",
		        option->argument);
	fprintf(out, "\n%c", toupper((unsigned char)option->help[0]));
	prose(out, option->help + 1, strlen(option->help) - 1);
	fputs(".\n", out);
}

static void put_example(FILE *out, const char *command, const char *explanation)
{
	fputs(".TP\n\\fB", out);
	plain(out, command, strlen(command));
	fputs("\\fR\n", out);
	prose(out, explanation, strlen(explanation));
	fputs("\n", out);
}

/* Replaces "@WORD". */
static void put_table(const struct page *page, const char *word)
{
	const struct bs_command *command = page->command;
	if (strncmp(word, "synopsis", 8) == 0) {
		fprintf(page->out, "\\fBbitsift%s%s\\fR ", command ? " " : "",
		        command ? command->name : "");
		const char *usage = command ? command->usage : page->program->usage;
		synopsis(page->out, usage, strlen(usage));
	} else if (strncmp(word, "options", 7) == 0) {
		for (size_t i = 0; bs_command_option(command, i); i++)
			put_option(page->out, bs_command_option(command, i));
	} else if (strncmp(word, "examples", 8) == 0) {
		for (const char *const *at = command->examples; *at; at += 2)
			put_example(page->out, at[0], at[1]);
	} else {
		for (size_t i = 0; i < page->program->n_commands; i++) {
			const char *summary = page->program->commands[i]->summary;
			fprintf(page->out, ".TP\n.BR bitsift\\-%s (1)\n",
			        page->program->commands[i]->name);
			prose(page->out, summary, strlen(summary));
			fputs("\n", page->out);
		}
	}
}

static void example_block(FILE *out, const char *text, size_t n)
{
	fputs(".RS 4\n.nf\n", out);
	for (size_t at = 0; at < n;) {
		size_t line = strcspn(text + at, "\n");
		plain(out, text + at + 4, line - 4);
		fputs("\n", out);
		at += line + 1;
	}
	fputs(".fi\n.RE\n", out);
}

/* The markup is described in manual.h. Returns true for a heading. */
static bool paragraph(const struct page *page, const char *text, size_t n, bool is_below_heading)
{
	FILE *out = page->out;
	bool is_heading = *text == '#', is_small = is_heading && text[1] == '#';
	const char *explained = memmem(text, n, "\n: ", 3);
	if (*text == '@') {
		put_table(page, text + 1);
	} else if (is_heading) {
		fputs(is_small ? ".SS " : ".SH ", out);
		plain(out, text + 2 + is_small, n - 2 - is_small);
		fputs("\n", out);
	} else if (explained) {
		size_t term = (size_t)(explained - text);
		fputs(".TP\n", out);
		synopsis(out, text, term);
		prose(out, explained + 3, n - term - 3);
		fputs("\n", out);
	} else {
		bool is_point = strncmp(text, "- ", 2) == 0,
		     is_example = strncmp(text, "    ", 4) == 0;
		fputs(is_point ? ".IP \\(bu 2\n" : is_below_heading ? "" : ".PP\n", out);
		if (is_example) {
			example_block(out, text, n);
		} else {
			prose(out, text + 2 * is_point, n - 2 * is_point);
			fputs("\n", out);
		}
	}
	return is_heading;
}

/* The paragraph that begins at *at, without its last line feed; *at moves to the next one. NULL at
 * the end. */
static const char *next_paragraph(const char **at, size_t *n_out)
{
	const char *text = *at, *end = strstr(text, "\n\n");
	if (!*text)
		return NULL;
	end = end ? end : text + strlen(text) - 1;
	*n_out = (size_t)(end - text);
	*at = end + strspn(end, "\n");
	return text;
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

/* self: the name of the command or the topic whose page it is; NULL: the program's. */
static void see_also(FILE *out, const struct bs_program *program, const char *self)
{
	fprintf(out, ".SH SEE ALSO\n%s", self ? ".BR bitsift (1),\n" : "");
	for (size_t i = 0; i < program->n_commands; i++)
		if (!self || strcmp(program->commands[i]->name, self) != 0)
			fprintf(out, ".BR bitsift\\-%s (1),\n", program->commands[i]->name);
	for (size_t i = 0; i < program->n_topics; i++)
		if (!self || strcmp(program->topics[i].name, self) != 0)
			fprintf(out, ".BR bitsift\\-%s (7),\n", program->topics[i].name);
	fputs(".BR rg (1)\n", out);
}

const struct bs_command *bs_program_command(const struct bs_program *program, const char *name)
{
	for (size_t i = 0; i < program->n_commands; i++)
		if (strcmp(program->commands[i]->name, name) == 0)
			return program->commands[i];
	return NULL;
}

static const struct bs_topic *find_topic(const struct bs_program *program, const char *name)
{
	for (size_t i = 0; i < program->n_topics; i++)
		if (strcmp(program->topics[i].name, name) == 0)
			return &program->topics[i];
	return NULL;
}

const char *bs_manual_text(const char *name)
{
	const struct bs_manual_text *text = bs_manual_texts;
	while (strcmp(text->name, name) != 0)
		text++;
	return text->text;
}

bool bs_docs_man(const struct bs_program *program, const char *name, FILE *out)
{
	struct page page = {.program = program,
	                    .command = name ? bs_program_command(program, name) : NULL,
	                    .out = out};
	const struct bs_topic *topic = name ? find_topic(program, name) : NULL;
	char full_name[64];
	size_t n;
	bool is_below_heading = false;
	if (name && !page.command && !topic)
		return false;
	snprintf(full_name, sizeof(full_name), name ? "bitsift-%s" : "bitsift", name);
	title(out, program, full_name, topic ? 7 : 1);
	name_line(out, full_name,
	          topic          ? topic->summary
	          : page.command ? page.command->summary
	                         : program->summary);
	for (const char *at = bs_manual_text(full_name), *text;
	     (text = next_paragraph(&at, &n)) != NULL;)
		is_below_heading = paragraph(&page, text, n, is_below_heading);
	see_also(out, program, name);
	return true;
}

/* The same text, with its backticks, as --help has them. */
bool bs_docs_text_topic(const struct bs_program *program, const char *name, FILE *out)
{
	const struct bs_topic *topic = find_topic(program, name);
	char page[64];
	size_t n;
	if (!topic)
		return false;
	snprintf(page, sizeof(page), "bitsift-%s", name);
	bs_command_wrap(out, topic->summary, 0, 0);
	for (const char *at = bs_manual_text(page), *text;
	     (text = next_paragraph(&at, &n)) != NULL;) {
		bool is_heading = strncmp(text, "## ", 3) == 0;
		/* Headings of the page itself are not shown. */
		if (*text == '#' && !is_heading)
			continue;
		putc('\n', out);
		if (strncmp(text, "    ", 4) == 0)
			fprintf(out, "%.*s\n", (int)n, text);
		else
			bs_command_wrap(out, text + 3 * is_heading, 0, *text == '-' ? 2 : 0);
	}
	return true;
}
