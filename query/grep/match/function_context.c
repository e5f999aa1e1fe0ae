/*
 * function_context.c: see function_context.h. The language, chosen by the file's name, decides
 * which lines are headings. The rules find the lines that git shows after the @@ of its diffs
 * (userdiff.c, gitattributes(5)); git chooses the language by attributes, not by names. A rule is
 * data: file names, a pattern for headings, and a pattern for lines that only look like headings.
 * The patterns are PCRE2's, on bytes.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "query/grep/match/function_context.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "query/grep/match/grep_matcher.h"
#include "query/regex/pcre2_compile.h"
#include "query/regex/text.h"

/* A longer line is not a heading. */
#define HEADING_MOST_BYTES ((size_t)1024)

struct rule {
	/* whole file names, and endings with their dot, in any letter case */
	const char *names;
	const char *heading, *other;
	bool is_caseless;
};

#define INDENT "^[ \t]*"
#define NAME   "[A-Za-z_]\\w*"
/* C#: a name, perhaps with types in angle brackets. A member begins with two such names or more. */
#define CS_NAME "(?:[][\\w@.](?:<[][\\w@, \t<>]+>)?)+"

static const struct rule rules[] = {
	{".ada .adb .ads", INDENT "(?:procedure|function|package|protected|task)[ \t]",
         "^(?:.*[ \t])?(?:is[ \t]+new|renames|is[ \t]+separate)(?:[ \t]|$)|" INDENT "with[ \t]",
         true},
	{".sh .bash .ksh .zsh .bats .bashrc .zshrc .profile .bash_profile",
         INDENT "(?:" NAME "[ \t]*\\([ \t]*\\)|function[ \t]+" NAME "(?:[ \t]*\\([ \t]*\\)|[ \t]))",
         NULL, false},
	{".bib", "@[A-Za-z]", NULL, false},
	{".c .h .cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .cu .cuh .ino",
         "^(?:::\\s*)?[A-Za-z_]", INDENT NAME ":\\s*(?:$|/[/*])", false},
	{".cs",
         INDENT CS_NAME "(?:[ \t]+" CS_NAME ")+(?:[ \t]*\\([^;]*|[^;=:,()]*)$|" INDENT
                        "(?:(?:static|public|internal|private|protected|new|unsafe|sealed|abstract|"
                        "partial)[ \t]+)*"
                        "(?:class|enum|interface|struct|record)[ \t]|" INDENT "namespace[ \t]",
         "(?:^|[ "
         "\t])(?:do|while|for|foreach|if|else|new|default|return|switch|case|throw|catch|using|"
         "lock|fixed)(?:[ \t(]|$)",
         false},
	{".css .less .scss", "^[:[@.#]?[_a-z0-9]", "[:;]\\s*$", true},
	{".dts .dtsi", INDENT "(?:/[ \t]*\\{|&?[A-Za-z_])", "[;=]", false},
	{".ex .exs", INDENT "(?:def(?:macro|module|impl|protocol|p)?|test)[ \t]", NULL, false},
	{".f .for .ftn .f77 .f90 .f95 .f03 .f08",
         INDENT "(?:end[ \t]+)?(?:program|module|block[ \t]+data|(?:[^!'\" \t]+[ "
                "\t]+)*(?:subroutine|function))[ \t]+[a-z]",
         "^(?:[c*]|[ \t]*!)|" INDENT "module[ \t]+procedure[ \t]", true},
	{".fountain", "^(?:\\.[^.]|(?:int|ext|est|int\\.?/ext|i/e)[. ])", NULL, true},
	{".go", INDENT "(?:func|type[ \t].*(?:struct|interface))", NULL, false},
	{".html .htm .xhtml", INDENT "<[Hh][1-6](?:[ \t].*)?>", NULL, false},
	{".ini .cfg .toml .gitconfig .editorconfig", INDENT "\\[[^]]+\\]", NULL, false},
	{".java",
         INDENT "(?:(?:[a-z-]+[ \t]+)*(?:class|enum|interface|record)[ \t]|"
                "(?:[A-Za-z_<>&][][?&<>.,\\w]*[ \t]+)+" NAME "[ \t]*\\([^;]*$)",
         INDENT "(?:catch|do|for|if|instanceof|new|return|switch|throw|while)", false},
	{".kt .kts", INDENT "(?:[a-z]+[ \t]+)*(?:fun|class|interface)[ \t]", NULL, false},
	{".md .markdown .mdown .mkd", "^ {0,3}#{1,6}[ \t]", NULL, false},
	{".m .mm",
         INDENT "(?:[-+][ \t]*\\([ \t]*[A-Za-z_][\\w* \t]*\\)[ \t]*[A-Za-z_]|(?:" NAME
                "[ \t]+)+" NAME "[ \t]*\\([^;]*$)|^@(?:implementation|interface|protocol)[ \t]",
         INDENT "(?:do|for|if|else|return|switch|while)", false},
	{".pas .dpr .lpr",
         "^(?:(?:class[ "
         "\t]+)?(?:procedure|function)|constructor|destructor|interface|implementation|"
         "initialization|"
         "finalization|.*=[ \t]*(?:class|record))",
         NULL, false},
	{".pl .pm .pod .t",
         "^(?:package |=head[0-9] |(?:sub [\\w':]+[ \t]*(?:\\([^)]*\\)[ \t]*)?(?::[^;#]*)?|"
         "(?:BEGIN|END|INIT|CHECK|UNITCHECK|AUTOLOAD|DESTROY)[ \t]*)(?:\\{[ \t]*)?(?:#.*)?$)",
         NULL, false},
	{".php .phtml",
         INDENT "(?:(?:(?:public|protected|private|static|abstract|final)[ "
                "\t]+)*function|(?:(?:final|abstract)[ \t]+)?class|"
                "enum|interface|trait)",
         NULL, false},
	{".py .pyi .pyw", INDENT "(?:class|(?:async[ \t]+)?def)[ \t]", NULL, false},
	{".r", INDENT "[A-Za-z][\\w.]*[ \t]*(?:<-|=)[ \t]*function", NULL, false},
	{".rb .rake .gemspec .ru Rakefile Gemfile Vagrantfile", INDENT "(?:class|module|def)[ \t]",
         NULL, false},
	{".rs",
         INDENT
         "(?:pub(?:\\([^)]+\\))?[ \t]+)?(?:(?:async|const|unsafe|extern[ \t]+\"[^\"]+\")[ \t]+)?"
         "(?:struct|enum|union|mod|trait|fn|impl|macro_rules!)[< \t]+[^;]*$",
         NULL, false},
	{".scm .ss .sld .sls .rkt",
         INDENT
         "\\((?:(?:define|def(?:struct|syntax|class|method|rules|record|proto|alias)?)[-*/ \t]|"
         "(?:library|module|struct|class)[*+ \t])",
         NULL, false},
	{".tex .sty .cls .ltx .dtx", "^\\\\(?:(?:sub)*section|chapter|part)\\*?\\{", NULL, false},
	/* Any other file. */
	{"", "^[A-Za-z_$]", NULL, false},
};
#define N_RULES (sizeof(rules) / sizeof(*rules))

/* The compiled rules. */
struct bs_headings {
	struct {
		pcre2_code *heading, *other; /* NULL: not needed yet, or the rule has none */
	} codes[N_RULES];
	pcre2_match_data *data;
	size_t rule; /* index of the rule for the current file */
};

enum bs_status bs_function_context_new(uint8_t line_end, struct bs_function_context **enclosing_out,
                                       struct bs_error *err)
{
	struct bs_function_context *context = *enclosing_out = calloc(1, sizeof(*context));
	struct bs_headings *headings = context ? calloc(1, sizeof(*headings)) : NULL;
	if (!headings || !(headings->data = pcre2_match_data_create(1, NULL))) {
		free(headings);
		return bs_fail_memory(err, "headings", sizeof(*headings));
	}
	context->line_end = line_end;
	context->headings = headings;
	return BS_OK;
}

void bs_function_context_free(struct bs_function_context *context)
{
	if (!context)
		return;
	for (size_t i = 0; i < N_RULES && context->headings; i++) {
		pcre2_code_free(context->headings->codes[i].heading);
		pcre2_code_free(context->headings->codes[i].other);
	}
	if (context->headings)
		pcre2_match_data_free(context->headings->data);
	free(context->headings);
	bs_buffer_deinit(&context->line);
	free(context);
}

static size_t rule_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path,
		   *dot = strrchr(base, '.');
	size_t i = 0;
	while (i + 1 < N_RULES && !bs_text_has_word(rules[i].names, base, strlen(base)) &&
	       !(dot && bs_text_has_word(rules[i].names, dot, strlen(dot))))
		i++;
	return i;
}

static enum bs_status compile(const char *pattern, bool is_caseless, pcre2_code **code_out,
                              struct bs_error *err)
{
	uint32_t options = PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NO_AUTO_CAPTURE |
	                   (is_caseless ? PCRE2_CASELESS : 0);
	int error;
	PCRE2_SIZE off;
	if (!pattern || *code_out)
		return BS_OK;
	*code_out = bs_pcre2_compile((const uint8_t *)pattern, strlen(pattern), options, &error,
	                             &off, NULL);
	if (!*code_out)
		return bs_fail_memory(err, "a rule for headings", strlen(pattern));
	(void)pcre2_jit_compile(*code_out, PCRE2_JIT_COMPLETE);
	return BS_OK;
}

enum bs_status bs_function_context_begin(struct bs_function_context *context, const char *path,
                                         struct bs_error *err)
{
	struct bs_headings *headings = context->headings;
	size_t i = headings->rule = rule_of(path);
	context->has_line = false;
	context->seen_end = 0;
	enum bs_status status =
		compile(rules[i].heading, rules[i].is_caseless, &headings->codes[i].heading, err);
	return status ? status
	              : compile(rules[i].other, rules[i].is_caseless, &headings->codes[i].other,
	                        err);
}

static bool is_heading(const struct bs_function_context *context, const uint8_t *line,
                       size_t n_bytes)
{
	const struct bs_headings *headings = context->headings;
	const pcre2_code *heading = headings->codes[headings->rule].heading,
			 *other = headings->codes[headings->rule].other;
	if (n_bytes > 0 && line[n_bytes - 1] == context->line_end)
		n_bytes--;
	if (n_bytes > 0 && line[n_bytes - 1] == '\r')
		n_bytes--;
	return n_bytes > 0 && n_bytes <= HEADING_MOST_BYTES &&
	       pcre2_match(heading, line, n_bytes, 0, 0, headings->data, NULL) >= 0 &&
	       !(other && pcre2_match(other, line, n_bytes, 0, 0, headings->data, NULL) >= 0);
}

enum bs_status bs_function_context_go_on(struct bs_function_context *context, const uint8_t *text,
                                         uint64_t text_off, size_t upto, uint64_t number,
                                         struct bs_error *err)
{
	if (text_off + upto <= context->seen_end)
		return BS_OK;
	size_t from = (size_t)(context->seen_end - text_off), end = upto, start = upto;
	for (uint64_t n_lines = 1; end > from; end = start, n_lines++) {
		start = bs_grep_line_start(text, from, end - 1, context->line_end);
		if (!is_heading(context, text + start, end - start))
			continue;
		context->has_line = true;
		context->file_off = text_off + start;
		context->number = number ? number - n_lines : 0;
		bs_buffer_clear(&context->line);
		context->seen_end = text_off + upto;
		return bs_buffer_append(&context->line, text + start, end - start, err);
	}
	context->seen_end = text_off + upto;
	return BS_OK;
}
