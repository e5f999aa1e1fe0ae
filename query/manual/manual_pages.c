/* manual_pages.c: see manual_pages.h. */
#include "query/manual/manual_pages.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define TEXT_WIDTH 80
/* The limit of a line of a topic's page, and of an option's help text. */
#define LINE_BYTES 512

/* The escapes of characters that are markup in mdoc, or that an output device would replace. */
static const struct escape {
	char character;
	const char *text;
} escapes[] = {
	{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'"', "\\(dq"},
	{'`', "\\(ga"}, {'~', "\\(ti"}, {'^', "\\(ha"},  {0},
};

/* Decodes the code point at the beginning of text, which is valid UTF-8. *n_out: its length in
 * bytes. */
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

/* Prints text in mdoc, with all markup characters escaped. */
static void put_text(FILE *out, const char *text, size_t n)
{
	for (size_t at = 0, n_bytes; at < n; at += n_bytes) {
		unsigned code = decode(text + at, &n_bytes);
		const struct escape *escape = escapes;
		while (escape->text && (unsigned char)escape->character != code)
			escape++;
		if (escape->text)
			fputs(escape->text, out);
		else
			fprintf(out, n_bytes == 1 ? "%c" : "\\[u%04X]", code);
	}
}

/* Prints a line of running text in mdoc, without the blanks at its end. */
static void put_text_line(FILE *out, const char *text, size_t n)
{
	while (n > 0 && text[n - 1] == ' ')
		n--;
	if (n == 0)
		return;
	fputs(*text == '.' ? "\\&" : "", out);
	put_text(out, text, n);
	putc('\n', out);
}

/* Prints running text of --help in mdoc. `x` becomes bold; it has blanks or punctuation around
 * it. */
static void put_prose(FILE *out, const char *text)
{
	const char *x, *end;
	while ((x = strchr(text, '`')) != NULL && (end = strchr(x + 1, '`')) != NULL) {
		const char *opening = x;
		while (opening > text && opening[-1] != ' ')
			opening--;
		put_text_line(out, text, (size_t)(opening - text));
		fputs(".Cm", out);
		for (; opening < x; opening++)
			fprintf(out, " %c", *opening);
		fputs(" \"", out);
		put_text(out, x + 1, (size_t)(end - x - 1));
		fputs("\"", out);
		for (text = end + 1; *text && *text != ' '; text++)
			fprintf(out, " %c", *text);
		putc('\n', out);
		text += strspn(text, " ");
	}
	put_text_line(out, text, strlen(text));
}

struct page {
	const struct bs_program *program;
	const struct bs_command *command; /* NULL: the page of the program or of a topic. */
	const char *self;                 /* The name of the command or topic; NULL: the program. */
	const char *summary;
	FILE *out;
};

static void put_version(const struct page *page)
{
	fprintf(page->out, ".Os bitsift %s\n", page->program->version);
}

/* Prints the first sentence of the summary as a phrase: for "Find it. Words ...", "find it". */
static void put_summary(const struct page *page)
{
	const char *summary = page->summary, *end = strstr(summary, ". ");
	size_t n = end ? (size_t)(end - summary) : strlen(summary);
	if (n > 0 && summary[n - 1] == '.')
		n--;
	fprintf(page->out, ".Nd %c", tolower((unsigned char)summary[0]));
	put_text(page->out, summary + 1, n - 1);
	putc('\n', page->out);
}

/* Prints the next part of a usage line: a placeholder, an option, a word, a bracket, or
 * punctuation. Returns its length in bytes. */
static size_t put_usage_part(FILE *out, const char *part)
{
	static const char brackets[] = "[]()", *const macros[] = {"Oo", "Oc", "Po", "Pc"};
	const char *bracket = strchr(brackets, *part);
	if (bracket) {
		fputs(macros[bracket - brackets], out);
		return 1;
	}
	if (*part == '|' || *part == '.') {
		size_t n_marks = strspn(part, "|.");
		fprintf(out, "%.*s", (int)n_marks, part);
		return n_marks;
	}
	bool is_option = *part == '-';
	size_t n = strcspn(part, " []()|.");
	fputs(is_option ? "Fl " : isupper((unsigned char)*part) ? "Ar " : "Cm ", out);
	put_text(out, part + is_option, n - is_option);
	return n;
}

/* Prints the usage, such as "[OPTION]... (QUERY... | --batch FILE)", in mdoc. Words in capitals are
 * placeholders. Each operand begins a line of the mdoc source, because mandoc breaks lines only
 * there. */
static void put_synopsis(const struct page *page)
{
	const struct bs_command *command = page->command;
	const char *usage = command ? command->usage : page->program->usage;
	fprintf(page->out, ".Nm bitsift%s%s\n", command ? " " : "", command ? command->name : "");
	for (const char *at = usage; *at; at += strspn(at, " ")) {
		char before = at > usage ? at[-1] : '\0';
		bool is_operand = *at == '[' || *at == '(' || islower((unsigned char)*at);
		if (at > usage && !(before == ' ' && is_operand))
			fputs(strchr(" [(", before) || strchr("])", *at) ? " " : " Ns ", page->out);
		else
			fputs(at > usage ? "\n." : ".", page->out);
		at += put_usage_part(page->out, at);
	}
	putc('\n', page->out);
}

static void put_option(FILE *out, const struct bs_option *option)
{
	char sentence[LINE_BYTES];
	fputs(".It Fl ", out);
	if (option->short_name)
		fprintf(out, "\\&%c , Fl ", option->short_name);
	fputs("\\-", out);
	put_text(out, option->name, strlen(option->name));
	const char *macros = option->is_optional ? "Ns Op = Ns Ar" : "Ar";
	if (option->argument)
		fprintf(out, " %s %s", macros, option->argument);
	putc('\n', out);
	snprintf(sentence, sizeof(sentence), "%s.", option->help);
	sentence[0] = (char)toupper((unsigned char)sentence[0]);
	put_prose(out, sentence);
}

static void put_options(const struct page *page)
{
	fputs(".Bl -tag -width Ds\n", page->out);
	for (size_t i = 0; bs_command_option(page->command, i); i++)
		put_option(page->out, bs_command_option(page->command, i));
	fputs(".El\n", page->out);
}

static void put_examples(const struct page *page)
{
	fputs(".Bl -tag -width Ds\n", page->out);
	for (const char *const *example = page->command->examples; *example; example += 2) {
		fputs(".It Cm \"", page->out);
		put_text(page->out, example[0], strlen(example[0]));
		fputs("\"\n", page->out);
		put_prose(page->out, example[1]);
	}
	fputs(".El\n", page->out);
}

static void put_commands(const struct page *page)
{
	fputs(".Bl -tag -width Ds\n", page->out);
	for (size_t i = 0; i < page->program->n_commands; i++) {
		fprintf(page->out, ".It Xr bitsift-%s 1\n", page->program->commands[i]->name);
		put_prose(page->out, page->program->commands[i]->summary);
	}
	fputs(".El\n", page->out);
}

/* The command that follows `name` alphabetically; NULL: there is none. For name NULL, the first
 * command. */
static const char *next_command(const struct bs_program *program, const char *name)
{
	const char *next = NULL;
	for (size_t i = 0; i < program->n_commands; i++) {
		const char *other = program->commands[i]->name;
		if ((!name || strcmp(other, name) > 0) && (!next || strcmp(other, next) < 0))
			next = other;
	}
	return next;
}

/* Prints references to the other pages, sorted by section and name, as mandoc requires. */
static void put_see_also(const struct page *page)
{
	const struct bs_program *program = page->program;
	const char *self = page->self ? page->self : "";
	fputs(page->self ? ".Xr bitsift 1 ,\n" : "", page->out);
	for (const char *name = NULL; (name = next_command(program, name)) != NULL;)
		if (strcmp(name, self) != 0)
			fprintf(page->out, ".Xr bitsift-%s 1 ,\n", name);
	fputs(".Xr rg 1", page->out);
	for (size_t i = 0; i < program->n_topics; i++)
		if (strcmp(program->topics[i].name, self) != 0)
			fprintf(page->out, " ,\n.Xr bitsift-%s 7", program->topics[i].name);
	putc('\n', page->out);
}

/* The lines that are replaced in the files of docs/man, and their replacements. */
static const struct insertion {
	const char *line;
	void (*put)(const struct page *page);
} insertions[] = {
	{".Os\n", put_version},
	{".Nd\n", put_summary},
	{".\\\" @synopsis\n", put_synopsis},
	{".\\\" @options\n", put_options},
	{".\\\" @examples\n", put_examples},
	{".\\\" @commands\n", put_commands},
	{".\\\" @see also\n", put_see_also},
	{0},
};

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

/* The mdoc source of a page. name: a command or topic; NULL: the program. */
static const char *page_file(const char *name, int section)
{
	char file[64];
	snprintf(file, sizeof(file), "bitsift%s%s.%d", name ? "-" : "", name ? name : "", section);
	return bs_manual_text(file);
}

bool bs_docs_man(const struct bs_program *program, const char *name, FILE *out)
{
	struct page page = {.program = program, .self = name, .out = out};
	const struct bs_topic *topic = name ? find_topic(program, name) : NULL;
	page.command = name ? bs_program_command(program, name) : NULL;
	if (name && !page.command && !topic)
		return false;
	page.summary = program->summary;
	if (name)
		page.summary = topic ? topic->summary : page.command->summary;
	fputs(".\\\" Made by `bitsift --generate man`; do not edit.\n", out);
	size_t n;
	for (const char *at = page_file(name, topic ? 7 : 1); *at; at += n) {
		const struct insertion *of = insertions;
		n = strcspn(at, "\n") + 1;
		while (of->line && !(strlen(of->line) == n && memcmp(of->line, at, n) == 0))
			of++;
		if (of->line)
			of->put(&page);
		else
			fwrite(at, 1, n, out);
	}
	return true;
}

/* The state of converting a topic's page to plain text. */
struct plain {
	FILE *out;
	size_t column, indent;
	bool is_below_break; /* An empty line is due before the next word. */
	bool is_literal;     /* Lines are printed verbatim, up to .Ed. */
};

static void end_paragraph(struct plain *plain, size_t next_indent)
{
	if (plain->column > 0)
		putc('\n', plain->out);
	plain->column = 0;
	plain->indent = next_indent;
	plain->is_below_break = true;
}

static void begin_text(struct plain *plain)
{
	if (plain->is_below_break)
		putc('\n', plain->out);
	plain->is_below_break = false;
}

/* Prints words, and breaks lines between them. */
static void put_words(struct plain *plain, const char *words)
{
	begin_text(plain);
	for (size_t n; *(words += strspn(words, " ")); words += n) {
		n = strcspn(words, " ");
		if (plain->column > 0 && plain->column + 1 + n > TEXT_WIDTH) {
			fprintf(plain->out, "\n%*s", (int)plain->indent, "");
			plain->column = plain->indent;
		} else if (plain->column > 0) {
			putc(' ', plain->out);
			plain->column++;
		}
		plain->column += fwrite(words, 1, n, plain->out);
	}
}

/* Replaces the escapes in a line of mdoc, in place. */
static void unescape(char *line)
{
	char *to = line;
	for (const char *at = line; *at;) {
		const struct escape *escape = escapes;
		while (escape->text && strncmp(at, escape->text, strlen(escape->text)) != 0)
			escape++;
		*to++ = escape->text ? escape->character : *at;
		at += escape->text ? strlen(escape->text) : 1;
	}
	*to = '\0';
}

/* Moves the punctuation at the end of a macro line into `marks`: ".Ql x ) ," becomes ".Ql x", and
 * marks "),". */
static void cut_marks(char *line, char marks[8])
{
	size_t n = strlen(line), n_marks = 0;
	for (; n > 6 && n_marks < 7 && line[n - 2] == ' ' && strchr(".,:;)", line[n - 1]); n -= 2) {
		memmove(marks + 1, marks, n_marks++);
		marks[0] = line[n - 1];
		line[n - 2] = '\0';
	}
	marks[n_marks] = '\0';
}

/* Prints ".Nm bitsift grep Fl -x ," as "`bitsift grep --x`," and ".Xr rg 1 ." as "rg(1)." */
static void put_inline(struct plain *plain, char *line)
{
	char words[LINE_BYTES + 16], marks[8];
	cut_marks(line, marks);
	const char *rest = line + 4, *flag = strstr(line, "Fl "), *section = strrchr(line, ' ') + 1;
	int n_before = flag && flag > rest ? (int)(flag - rest) : 0;
	int n_name = (int)(section - 1 - rest);
	if (strncmp(line, ".Xr ", 4) == 0)
		snprintf(words, sizeof(words), "%.*s(%s)%s", n_name, rest, section, marks);
	else if (flag)
		snprintf(words, sizeof(words), "`%.*s-%s`%s", n_before, rest, flag + 3, marks);
	else
		snprintf(words, sizeof(words), "`%s`%s", rest, marks);
	put_words(plain, words);
}

static void put_plain_line(struct plain *plain, char *line)
{
	bool is_display = strncmp(line, ".Bd ", 4) == 0, is_end = strcmp(line, ".Ed") == 0;
	if (plain->is_literal && !is_end) {
		begin_text(plain);
		fprintf(plain->out, "    %s\n", line);
	} else if (is_display || is_end || strcmp(line, ".Pp") == 0) {
		end_paragraph(plain, 0);
		plain->is_literal = is_display;
	} else if (strcmp(line, ".It") == 0) {
		end_paragraph(plain, 2);
		put_words(plain, "-");
	} else if (strncmp(line, ".Ss ", 4) == 0) {
		end_paragraph(plain, 0);
		put_words(plain, line + 4);
		end_paragraph(plain, 0);
	} else if (line[0] != '.') {
		put_words(plain, line);
	} else if (strchr(line, ' ') && strncmp(line, ".Bl ", 4) != 0) {
		put_inline(plain, line);
	}
}

bool bs_docs_text_topic(const struct bs_program *program, const char *name, FILE *out)
{
	static const char first[] = ".Sh DESCRIPTION\n";
	const struct bs_topic *topic = find_topic(program, name);
	struct plain plain = {.out = out};
	char line[LINE_BYTES];
	if (!topic)
		return false;
	put_words(&plain, topic->summary);
	end_paragraph(&plain, 0);
	const char *page = page_file(name, 7), *end = strstr(page, ".Sh SEE ALSO\n");
	for (const char *at = strstr(page, first) + strlen(first); at < end;) {
		size_t n = strcspn(at, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)n, at);
		unescape(line);
		put_plain_line(&plain, line);
		at += n + 1;
	}
	end_paragraph(&plain, 0);
	return true;
}
