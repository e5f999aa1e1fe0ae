/* pattern.c: see pattern.h. */
#include "query/regex/pattern.h"

#include <string.h>

#include <unicode/utf8.h>

#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "core/simd/needle.h"
#include "core/system/deadline.h"
#include "core/system/icu.h"
#include "query/regex/regex_read.h"
#include "query/regex/regex_rewrite.h"
#include "query/regex/text.h"

/* True for the bytes \.+*?()|[]{}^$#&-~. A bitmap, because every byte of a long word list is
 * tested. */
static bool is_special(uint8_t byte)
{
	static const uint64_t specials[4] = {UINT64_C(0x80006f5800000000),
	                                     UINT64_C(0x7800000078000000)};
	return specials[byte / 64] >> (byte % 64) & 1;
}

static void put_fixed(struct bs_text_writer *to, const char *pattern, size_t n)
{
	size_t from = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_special((uint8_t)pattern[i]))
			continue;
		bs_text_put(to, pattern + from, i - from);
		bs_text_put_string(to, "\\");
		from = i;
	}
	bs_text_put(to, pattern + from, n - from);
}

#define PATTERN_NS 50u /* estimated time to join a pattern, without its bytes */
#define BYTE_NS    5u  /* estimated time per byte of a pattern */

static enum bs_status join_patterns(const struct bs_grep_pattern *pattern, struct bs_buffer *joined,
                                    struct bs_error *err)
{
	/* If there is only one pattern, ^(?: and )$ are added later, in finish(), so that its
	 * literal is found. */
	bool is_line = pattern->is_line && pattern->n_patterns > 1;
	struct bs_text_writer to = {
		.out = joined, .status = bs_buffer_reserve(joined, 1, err), .err = err};
	for (size_t i = 0; i < pattern->n_patterns && !to.status; i++) {
		to.status = bs_deadline_check_after(
			PATTERN_NS + pattern->pattern_bytes[i] * BYTE_NS, err);
		bs_text_put_string(&to, i > 0 ? "|" : "");
		/* In a group, a flag such as (?i) does not apply to the patterns after it. */
		bool has_flags = pattern->n_patterns > 1 && !pattern->is_fixed &&
		                 memmem(pattern->patterns[i], pattern->pattern_bytes[i], "(?", 2);
		bs_text_put_string(&to, is_line ? bs_rust_line_start(pattern) : "");
		bs_text_put_string(&to, is_line || has_flags ? "(?:" : "");
		if (pattern->is_fixed)
			put_fixed(&to, pattern->patterns[i], pattern->pattern_bytes[i]);
		else
			bs_text_put(&to, pattern->patterns[i], pattern->pattern_bytes[i]);
		bs_text_put_string(&to, is_line || has_flags ? ")" : "");
		bs_text_put_string(&to, is_line ? bs_rust_line_end(pattern) : "");
	}
	return to.status;
}

/* Collects the traits of a pattern's literal characters that smart case depends on. */
struct cases {
	struct bs_rust_traits traits;
	enum bs_status status;
	struct bs_error *err;
};

static void see_char(struct cases *cases, uint32_t c)
{
	if (!cases->status && !cases->traits.has_upper_case)
		cases->status = bs_rust_see_literal(&cases->traits, c, cases->err);
}

/* Adds the characters of text[0..n). is_escaped: without the characters that follow a backslash. */
static void see_text(struct cases *cases, const uint8_t *text, size_t n, bool is_escaped)
{
	for (size_t at = 0; at < n;) {
		UChar32 c;
		U8_NEXT_UNSAFE(text, at, c);
		if (c == '\\' && is_escaped)
			at++;
		else
			see_char(cases, (uint32_t)c);
	}
}

/* Adds the literal characters of a pattern, as defined by ripgrep's own engine. */
static void see_tree(struct cases *cases, const struct bs_regex *regex)
{
	for (uint32_t i = 0; i < bs_regex_n_nodes(regex); i++) {
		const struct bs_regex_node *node = bs_regex_node(regex, i);
		if (node->kind == BS_REGEX_RUN)
			see_text(cases, regex->bytes.data + node->first, node->n, false);
	}
	for (size_t i = 0; i < bs_vector_n(&regex->members); i++) {
		const struct bs_regex_member *member = &regex->members.items[i];
		if (member->letter)
			continue;
		see_char(cases, member->first);
		see_char(cases, member->last);
	}
}

/* Decides whether smart case ignores letter case. rg -P looks at the text of the pattern. rg
 * without -P looks at its literal characters, but its engine does not know syntax that only PCRE2
 * has; for a pattern with such syntax, this function looks at the text, too. For a translated
 * pattern, bs_rust_translate has looked at the literal characters. */
static enum bs_status decide_case(const struct bs_grep_pattern *pattern,
                                  struct bs_grep_analysis *analysis, struct bs_error *err)
{
	const struct bs_regex *regex = &analysis->regex;
	bool is_unknown = bs_regex_node(regex, regex->root)->kind == BS_REGEX_UNKNOWN;
	struct cases cases = {.err = err};
	analysis->is_caseless = pattern->letter_case == BS_GREP_CASE_INSENSITIVE;
	if (pattern->letter_case != BS_GREP_CASE_SMART)
		return BS_OK;
	if (analysis->is_rust && !pattern->is_fixed) {
		analysis->is_caseless =
			analysis->rust.has_literal && !analysis->rust.has_upper_case;
		return BS_OK;
	}
	if (pattern->is_pcre2 || regex->is_of_pcre2 || is_unknown) {
		cases.traits.has_literal = true;
		see_text(&cases, regex->text, regex->n_bytes, true);
	} else {
		see_tree(&cases, regex);
	}
	analysis->is_caseless = cases.traits.has_literal && !cases.traits.has_upper_case;
	return cases.status;
}

/* Limits the recursion: repetitions of repetitions, such as a{1}{1}{1}, nest without parentheses,
 * as deep as the pattern is long. */
#define MOST_DEPTH (2 * BS_REGEX_MAX_DEPTH)

/* A walk over the nodes that are part of every match, for the longest literal. */
struct literals {
	const struct bs_regex *regex;
	bool is_caseless;
	bool is_cut; /* the pattern is not a single run, or ignores letter case */
	unsigned depth;
	struct bs_buffer *best;
	struct bs_text_writer run;
};

static void end_run(struct literals *literals)
{
	struct bs_text_writer *run = &literals->run;
	if (!run->status && run->out->used_bytes > literals->best->used_bytes) {
		bs_buffer_clear(literals->best);
		run->status = bs_buffer_append(literals->best, run->out->data, run->out->used_bytes,
		                               run->err);
	}
	bs_buffer_clear(run->out);
}

/* Adds the characters of a run to the current literal. If letter case is ignored, the literal ends
 * before a character whose other form may have a different length: k and s (U+212A, U+017F), and
 * nearly all letters beyond ASCII. */
static void take_run(struct literals *literals, const struct bs_regex_node *node)
{
	const uint8_t *bytes = literals->regex->bytes.data + node->first;
	bool is_caseless = bs_regex_is(node->caseless, literals->is_caseless);
	literals->is_cut |= is_caseless;
	for (uint32_t i = 0; i < node->n; i++) {
		if (is_caseless && (bytes[i] >= 0x80 || (bytes[i] && strchr("kKsS", bytes[i]))))
			end_run(literals);
		else
			bs_text_put(&literals->run, bytes + i, 1);
	}
}

static void take_node(struct literals *literals, const struct bs_regex_node *node)
{
	bool is_needed = node->kind == BS_REGEX_SEQUENCE ||
	                 (node->kind == BS_REGEX_REPEAT && node->least > 0);
	if (node->kind == BS_REGEX_RUN) {
		take_run(literals, node);
		return;
	}
	is_needed &= literals->depth++ < MOST_DEPTH;
	for (uint32_t i = node->first; is_needed && i != BS_REGEX_NO_NODE;
	     i = bs_regex_node(literals->regex, i)->next)
		take_node(literals, bs_regex_node(literals->regex, i));
	literals->depth--;
	if (node->kind != BS_REGEX_SEQUENCE)
		end_run(literals);
	literals->is_cut = true;
}

/* Finds the longest literal that is part of every match. It is the whole of every match if the
 * pattern is a single run that does not ignore letter case, without capturing groups or verbs. */
static enum bs_status find_literal(struct bs_grep_analysis *analysis, struct bs_error *err)
{
	const struct bs_regex *regex = &analysis->regex;
	struct bs_buffer run = {0}, *exact = &analysis->exact_literal;
	struct literals literals = {.regex = regex,
	                            .is_caseless = analysis->is_caseless,
	                            .best = exact,
	                            .run = {.out = &run, .err = err}};
	if (analysis->is_legible) {
		take_node(&literals, bs_regex_node(regex, regex->root));
		end_run(&literals);
	}
	bs_buffer_deinit(&run);
	analysis->literal_is_match = exact->used_bytes > 0 && !literals.is_cut &&
	                             regex->n_captures == 0 && !regex->has_control;
	enum bs_status status = literals.run.status;
	if (!status)
		status = bs_buffer_append(&analysis->literal, exact->data, exact->used_bytes, err);
	for (size_t i = 0; i < analysis->literal.used_bytes; i++)
		analysis->literal.data[i] = bs_needle_fold(analysis->literal.data[i]);
	return status;
}

/* Writes the pattern to compile, with the additions of -w and -x. ends_in_comment: the text ends in
 * a comment, which would swallow an addition. As in ripgrep's own engine, a line feed ends the
 * comment before the addition of -w. As in rg -P and rg -x, there is no line feed otherwise, and
 * the pattern fails to compile. passes_cr: -x also lets a match end before a \r that ends the
 * line. */
static enum bs_status finish(const struct bs_grep_pattern *pattern, const uint8_t *text,
                             size_t n_bytes, bool ends_in_comment, bool passes_cr,
                             struct bs_buffer *finished, struct bs_error *err)
{
	bool is_line = pattern->is_line && pattern->n_patterns == 1;
	const char *end = passes_cr ? "(?=\\r?$)" : bs_rust_line_end(pattern);
	struct bs_text_writer to = {.out = finished, .err = err};
	bs_text_put_string(&to, pattern->is_word ? "(?<!\\w)(?:"
	                        : is_line        ? bs_rust_line_start(pattern)
	                                         : "");
	bs_text_put_string(&to, is_line && !pattern->is_word ? "(?:" : "");
	bs_text_put(&to, text, n_bytes);
	bs_text_put_string(&to,
	                   ends_in_comment && pattern->is_word && !pattern->is_pcre2 ? "\n" : "");
	bs_text_put_string(&to, pattern->is_word ? ")(?!\\w)" : is_line ? ")" : "");
	bs_text_put_string(&to, is_line && !pattern->is_word ? end : "");
	bs_text_put_string(&to, bs_rust_start_anywhere(pattern));
	bs_text_put(&to, "", 1);
	return to.status;
}

static struct bs_regex_rewrite_options rewrite_options(const struct bs_grep_pattern *pattern,
                                                       const struct bs_grep_analysis *analysis)
{
	bool is_crlf = pattern->crlf && !pattern->is_pcre2 && !pattern->is_multi_line &&
	               !pattern->null_data;
	return (struct bs_regex_rewrite_options){
		.dot_all = pattern->is_multi_line && pattern->dot_all,
		.is_crlf = is_crlf,
		.end_passes_cr = is_crlf && !analysis->is_rust && analysis->literal.used_bytes > 0};
}

static enum bs_status write_for_pcre2(const struct bs_grep_pattern *pattern,
                                      struct bs_grep_analysis *analysis, struct bs_error *err)
{
	struct bs_regex_rewrite_options options = rewrite_options(pattern, analysis);
	struct bs_buffer rewritten = {0};
	struct bs_regex_lines lines;
	const struct bs_regex *regex = &analysis->regex;
	analysis->strips_cr = options.is_crlf;
	enum bs_status status = bs_regex_rewrite(regex, &options, &rewritten, &lines, err);
	if (!status)
		status = finish(pattern, options.is_crlf ? rewritten.data : regex->text,
		                options.is_crlf ? rewritten.used_bytes : regex->n_bytes,
		                regex->ends_in_comment, options.end_passes_cr, &analysis->alone,
		                err);
	if (!status)
		status =
			finish(pattern, rewritten.data, rewritten.used_bytes,
		               regex->ends_in_comment, options.end_passes_cr, &analysis->many, err);
	analysis->literal_is_match &=
		lines.is_exact && !pattern->is_word && !pattern->is_line && !pattern->crlf;
	analysis->is_exact =
		lines.is_exact && !pattern->null_data && !pattern->crlf && !analysis->needs_bytes;
	analysis->is_ascii = lines.is_ascii;
	analysis->can_span_lines =
		pattern->null_data ? lines.has_nul : lines.can_span || pattern->is_line;
	analysis->has_assertion = lines.has_assertion || pattern->is_word || pattern->is_line;
	bs_buffer_deinit(&rewritten);
	return status;
}

/* Decides how the pattern is matched: by characters, by bytes, or as bs_grep_write_bytes writes it
 * because it has parts of both kinds. */
static void decide_form(const struct bs_grep_pattern *pattern, struct bs_grep_analysis *analysis)
{
	const struct bs_rust_traits *rust = &analysis->rust;
	/* -w looks at characters, unless Unicode is turned off for the whole search. */
	bool has_characters = rust->has_characters || (pattern->is_word && !pattern->no_unicode),
	     has_bytes = rust->has_bytes || pattern->no_unicode;
	analysis->needs_bytes = analysis->is_rust && has_bytes && has_characters;
	analysis->is_by_bytes =
		pattern->no_unicode || (analysis->is_rust && has_bytes && !has_characters);
	analysis->is_legible = !has_bytes || analysis->regex.is_ascii;
	analysis->is_legible &= !pattern->no_unicode || !rust->has_characters;
	analysis->sees_validity =
		analysis->is_rust && !analysis->is_by_bytes &&
		(rust->sees_validity || (pattern->is_word && !pattern->no_unicode)) &&
		!rust->has_extension;
}

/* Derives the fields of the analysis that the callers have not set. */
static enum bs_status derive(const struct bs_grep_pattern *pattern,
                             struct bs_grep_analysis *analysis, struct bs_error *err)
{
	decide_form(pattern, analysis);
	enum bs_status status = decide_case(pattern, analysis, err);
	if (!status)
		status = find_literal(analysis, err);
	/* If text and pattern are matched as bytes, a tree with characters beyond ASCII is correct
	 * only for fixed strings (-F). */
	if (!status && !analysis->needs_bytes && (analysis->is_legible || pattern->is_fixed))
		status = bs_pattern_list_make(&analysis->list, &analysis->regex,
		                              analysis->is_caseless,
		                              pattern->is_line && pattern->n_patterns > 1, err);
	return status ? status : write_for_pcre2(pattern, analysis, err);
}

enum bs_status bs_grep_analyse(const struct bs_grep_pattern *pattern,
                               struct bs_grep_analysis *analysis, struct bs_error *err)
{
	struct bs_buffer *joined = &analysis->joined;
	enum bs_status status = join_patterns(pattern, joined, err);
	if (!status)
		status = bs_regex_read(&analysis->regex, joined->data, joined->used_bytes, err);
	if (!status && !analysis->regex.is_utf8)
		status = bs_fail(err, BS_INVALID, "the pattern is not valid UTF-8");
	return status ? status : derive(pattern, analysis, err);
}

/* As in ripgrep, a fixed string with a line end is an error without -U. With -i or -S, a NUL byte
 * is an error, too, if no searched line has one (bans_nul). */
static enum bs_status check_fixed(const struct bs_grep_pattern *pattern, bool bans_nul,
                                  struct bs_error *err)
{
	static const char ends[] = {'\n', '\r', '\0'};
	bans_nul &= pattern->letter_case != BS_GREP_CASE_SENSITIVE;
	for (size_t k = 0; k < sizeof(ends); k++) {
		const char *why = bs_rust_banned(pattern, bans_nul, (uint8_t)ends[k]);
		for (size_t i = 0; why && i < pattern->n_patterns; i++)
			if (pattern->pattern_bytes[i] &&
			    memchr(pattern->patterns[i], ends[k], pattern->pattern_bytes[i]))
				return bs_fail(err, BS_INVALID, "the pattern does not compile: %s",
				               why);
	}
	return BS_OK;
}

/* Translates the patterns. With smart case, the first translation shows whether letter case is
 * ignored; if it is, they are translated again. */
static enum bs_status translate(const struct bs_grep_pattern *pattern, bool bans_nul,
                                struct bs_grep_analysis *analysis, struct bs_error *err)
{
	struct bs_rust_options options = {
		.bans_nul = bans_nul, .caseless = pattern->letter_case == BS_GREP_CASE_INSENSITIVE};
	struct bs_buffer *joined = &analysis->joined;
	struct bs_rust_traits *traits = &analysis->rust;
	enum bs_status status = bs_rust_translate(pattern, &options, joined, traits, err);
	if (status || pattern->letter_case != BS_GREP_CASE_SMART || !traits->has_literal ||
	    traits->has_upper_case)
		return status;
	options.caseless = true;
	bs_buffer_clear(joined);
	return bs_rust_translate(pattern, &options, joined, traits, err);
}

enum bs_status bs_grep_analyse_rust(const struct bs_grep_pattern *pattern, bool bans_nul,
                                    struct bs_grep_analysis *analysis, struct bs_error *err)
{
	if (pattern->is_pcre2)
		return bs_grep_analyse(pattern, analysis, err);
	analysis->is_rust = true;
	if (pattern->is_fixed) {
		enum bs_status status = check_fixed(pattern, bans_nul, err);
		return status ? status : bs_grep_analyse(pattern, analysis, err);
	}
	enum bs_status status = translate(pattern, bans_nul, analysis, err);
	if (!status)
		status = bs_regex_read(&analysis->regex, analysis->joined.data,
		                       analysis->joined.used_bytes, err);
	return status ? status : derive(pattern, analysis, err);
}

enum bs_status bs_grep_analyse_regex(const struct bs_grep_pattern *pattern,
                                     const struct bs_regex *regex,
                                     struct bs_grep_analysis *analysis, struct bs_error *err)
{
	analysis->regex = *regex;
	analysis->is_borrowed = true;
	return derive(pattern, analysis, err);
}

/* Writes a literal of a list, with the additions of -x to each of several patterns. */
static enum bs_status write_literal(const struct bs_grep_pattern *pattern,
                                    const struct bs_grep_analysis *analysis,
                                    const struct bs_literal *literal, struct bs_buffer *out,
                                    struct bs_error *err)
{
	bool is_line = pattern->is_line && pattern->n_patterns > 1,
	     is_caseless = analysis->list.is_caseless;
	struct bs_text_writer to = {.out = out, .err = err};
	bs_text_put_string(&to, is_line ? bs_rust_line_start(pattern) : "");
	bs_text_put_string(&to, is_caseless == analysis->is_caseless ? "(?:"
	                        : is_caseless                        ? "(?i:"
	                                                             : "(?-i:");
	put_fixed(&to, (const char *)literal->bytes, literal->n_bytes);
	bs_text_put_string(&to, ")");
	bs_text_put_string(&to, is_line ? bs_rust_line_end(pattern) : "");
	return to.status;
}

enum bs_status bs_grep_write_part(const struct bs_grep_pattern *pattern,
                                  const struct bs_grep_analysis *analysis, uint32_t part,
                                  struct bs_buffer *text_out, struct bs_error *err)
{
	const struct bs_pattern_list *list = &analysis->list;
	struct bs_pattern_part place = bs_pattern_part_at(list, part);
	struct bs_regex_rewrite_options options = rewrite_options(pattern, analysis);
	struct bs_buffer text = {0}, rewritten = {0};
	struct bs_regex regex = {.root = 0};
	struct bs_regex_lines lines;
	enum bs_status status = list->is_literal
	                                ? write_literal(pattern, analysis,
	                                                bs_pattern_literal(list, part), &text, err)
	                                : bs_buffer_append(&text, list->regex->text + place.from,
	                                                   place.to - place.from, err);
	if (!status && options.is_crlf)
		status = bs_regex_read(&regex, text.data, text.used_bytes, err);
	if (!status && options.is_crlf)
		status = bs_regex_rewrite(&regex, &options, &rewritten, &lines, err);
	bool ends_in_comment = !list->is_literal && place.to == list->regex->n_bytes &&
	                       list->regex->ends_in_comment;
	if (!status)
		status = finish(pattern, options.is_crlf ? rewritten.data : text.data,
		                options.is_crlf ? rewritten.used_bytes : text.used_bytes,
		                ends_in_comment, options.end_passes_cr, text_out, err);
	bs_regex_deinit(&regex);
	bs_buffer_deinit(&rewritten);
	bs_buffer_deinit(&text);
	return status;
}

enum bs_status bs_grep_write_bytes(const struct bs_grep_pattern *pattern,
                                   const struct bs_grep_analysis *analysis, bool calls,
                                   struct bs_buffer *text_out, struct bs_error *err)
{
	struct bs_rust_options options = {.form = BS_RUST_BYTES,
	                                  .caseless = analysis->is_caseless,
	                                  .strips_cr = analysis->strips_cr,
	                                  .calls = calls};
	struct bs_rust_traits traits;
	enum bs_status status = bs_rust_translate(pattern, &options, text_out, &traits, err);
	return status ? status : bs_buffer_append(text_out, "", 1, err);
}

void bs_grep_analysis_deinit(struct bs_grep_analysis *analysis)
{
	bs_pattern_list_deinit(&analysis->list);
	if (!analysis->is_borrowed)
		bs_regex_deinit(&analysis->regex);
	bs_buffer_deinit(&analysis->joined);
	bs_buffer_deinit(&analysis->alone);
	bs_buffer_deinit(&analysis->many);
	bs_buffer_deinit(&analysis->literal);
	bs_buffer_deinit(&analysis->exact_literal);
}
