/*
 * grep_pattern.c: one pass over a pattern's text. See grep_pattern.h.
 *
 * The pass writes the pattern anew with every atom that could match a line feed narrowed so that it cannot: \s becomes
 * [^\S\n], [^a] becomes [^\na]. Then a line feed is to each atom what the end of the text is, to ^, $ and \b too, and a
 * search over many lines can begin and end matches only inside one. What depends on the text's own ends (\A, \z, \G), on
 * a line feed by name, or on more of the syntax than is worth reading here, is left to line by line.
 *
 * On the way it gathers literals: runs of characters at the top level that no quantifier makes optional.
 */
#include "query/grep_pattern.h"

#include <string.h>

#include "query/grep_join.h"

struct pass {
	const uint8_t *at, *end;
	struct bs_grep_analysis *analysis;
	bool is_caseless;
	size_t depth;
	bool has_alternative; /* at the top level */
	bool is_all_literal;
	bool dot_all;
	bool is_without_cr;   /* nothing is to match \r either, as rg's own engine has it with --crlf */
	struct bs_buffer run;   /* literal bytes so far */
	size_t last_char_bytes; /* of the run's last character; 0: it may not be taken back */
	enum bs_status status;
	struct bs_error *err;
};

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

/* ASCII's. */
static bool is_alphanumeric(uint8_t byte)
{
	return is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
}

static void append(struct pass *pass, struct bs_buffer *to, const void *bytes, size_t n)
{
	if (!pass->status)
		pass->status = bs_buffer_append(to, bytes, n, pass->err);
}

static void write_text(struct pass *pass, const char *text)
{
	append(pass, &pass->analysis->rewritten, text, strlen(text));
}

static void write_from(struct pass *pass, const uint8_t *from)
{
	append(pass, &pass->analysis->rewritten, from, (size_t)(pass->at - from));
}

/* What ends a line, and the class that began. */
static void write_ends(struct pass *pass)
{
	write_text(pass, pass->is_without_cr ? "\\n\\r]" : "\\n]");
}

static void only_by_line(struct pass *pass)
{
	pass->analysis->has_assertion = true;
	pass->analysis->reach = BS_GREP_REACH_LINE;
	pass->is_all_literal = false;
}

static void may_span(struct pass *pass)
{
	pass->analysis->can_span_lines = true;
}

/* Nothing is known any more, not even where groups end. */
static void give_up(struct pass *pass)
{
	only_by_line(pass);
	may_span(pass);
	bs_buffer_clear(&pass->run);
	bs_buffer_clear(&pass->analysis->literal);
	pass->has_alternative = true;
	pass->analysis->is_ascii = false;
	pass->at = pass->end;
}

/* ---- literals ---- */

static void end_run(struct pass *pass)
{
	struct bs_buffer *best = &pass->analysis->literal;
	if (pass->run.used_bytes > best->used_bytes) {
		bs_buffer_clear(best);
		append(pass, best, pass->run.data, pass->run.used_bytes);
	}
	bs_buffer_clear(&pass->run);
	pass->last_char_bytes = 0;
}

/*
 * Whether a character stands for itself in the literal. Letter case aside, k and s have third forms, U+212A and U+017F,
 * and beyond ASCII nearly all have others of other bytes.
 */
static bool is_plain(const struct pass *pass, const uint8_t *bytes, size_t n)
{
	if (!pass->is_caseless)
		return true;
	return n == 1 && bytes[0] < 0x80 && !strchr("kKsS", bytes[0]);
}

static void literal_character(struct pass *pass, const uint8_t *bytes, size_t n)
{
	if (pass->depth > 0) {
		return;
	}
	if (!is_plain(pass, bytes, n)) {
		end_run(pass);
		pass->is_all_literal = false;
		return;
	}
	append(pass, &pass->run, bytes, n);
	pass->last_char_bytes = n;
}

static void not_literal(struct pass *pass)
{
	pass->is_all_literal = false;
	if (pass->depth == 0)
		end_run(pass);
}

/* A quantifier was met: the character before it is in every match only if it must occur. */
static void quantified(struct pass *pass, bool must_occur)
{
	pass->is_all_literal = false;
	if (pass->depth > 0)
		return;
	if (!must_occur)
		pass->run.used_bytes -= pass->last_char_bytes;
	end_run(pass);
}

/* ---- escapes ---- */

static size_t character_bytes(const struct pass *pass, const uint8_t *at)
{
	size_t n = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
	size_t left = (size_t)(pass->end - at);
	return n < left ? n : left;
}

static void one_character(struct pass *pass)
{
	const uint8_t *from = pass->at;
	size_t n = character_bytes(pass, from);
	pass->at += n;
	if (*from == '\n') {
		only_by_line(pass);
		may_span(pass);
	}
	if (*from >= 0x80)
		pass->analysis->is_ascii = false;
	write_from(pass, from);
	literal_character(pass, from, n);
}

/* \Q...\E */
static void quoted(struct pass *pass)
{
	while (pass->at < pass->end) {
		if (pass->end - pass->at >= 2 && pass->at[0] == '\\' && pass->at[1] == 'E') {
			pass->at += 2;
			return;
		}
		const uint8_t *from = pass->at;
		size_t n = character_bytes(pass, from);
		if (*from == '\n' || *from >= 0x80) {
			one_character(pass);
			continue;
		}
		pass->at += n;
		if (!is_alphanumeric(*from))
			write_text(pass, "\\");
		write_from(pass, from);
		literal_character(pass, from, n);
	}
}

/* Whether \p{name} may hold a line feed, which is of category Cc and script Common. */
static bool property_may_span(const uint8_t *name, const uint8_t *end)
{
	static const char *const wide[] = {"Any", "Common", "Zyyy"};
	name += *name == '{';
	size_t n = (size_t)(end - name);
	n -= n > 0 && name[n - 1] == '}';
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (n == strlen(wide[i]) && strncasecmp((const char *)name, wide[i], n) == 0)
			return true;
	return n == 0 || *name == '^' || *name == 'X' || (n <= 2 && *name == 'C');
}

/* \p{Name}, \pL: its negation inside a negated class. */
static void property(struct pass *pass, const uint8_t *from)
{
	uint8_t letter = from[1];
	const uint8_t *name = pass->at;
	if (pass->at == pass->end) {
		only_by_line(pass);
		return;
	}
	if (*pass->at == '{') {
		const uint8_t *close = memchr(pass->at, '}', (size_t)(pass->end - pass->at));
		pass->at = close ? close + 1 : pass->end;
	} else {
		pass->at++;
	}
	write_text(pass, letter == 'p' ? "[^\\P" : "[^\\p");
	write_from(pass, name);
	write_ends(pass);
	if (letter == 'P' || property_may_span(name, pass->at))
		may_span(pass);
	not_literal(pass);
}

static int hex_digit(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* \xhh and \x{h...}, the x taken: the code point, or -1. */
static long hex_code(struct pass *pass)
{
	long code = 0;
	bool is_braced = pass->at < pass->end && *pass->at == '{';
	size_t n_most = is_braced ? 6 : 2, n = 0;
	pass->at += is_braced;
	for (; pass->at < pass->end && n < n_most && hex_digit(*pass->at) >= 0; n++)
		code = code * 16 + hex_digit(*pass->at++);
	if (!is_braced)
		return code;
	if (pass->at == pass->end || *pass->at != '}' || n == 0)
		return -1;
	pass->at++;
	return code;
}

static void hexadecimal(struct pass *pass, const uint8_t *from)
{
	long code = hex_code(pass);
	if (code < 0 || code == '\n') {
		only_by_line(pass);
		may_span(pass);
	}
	if (code >= 0x80)
		pass->analysis->is_ascii = false;
	write_from(pass, from);
	uint8_t byte = (uint8_t)code;
	if (code > 0 && code < 0x80)
		literal_character(pass, &byte, 1);
	else
		not_literal(pass);
}

static void class_escape(struct pass *pass, const char *rewritten)
{
	write_text(pass, rewritten);
	write_ends(pass);
	may_span(pass);
	not_literal(pass);
}

static void other_escape(struct pass *pass, const uint8_t *from)
{
	uint8_t letter = from[1];
	pass->analysis->has_assertion |= letter == 'b' || letter == 'B';
	bool is_named = letter == 'N' && pass->at < pass->end && *pass->at == '{';
	if ((strchr("SwdhNVbB", letter) && !is_named) || (letter >= '1' && letter <= '9' && pass->at < pass->end && !is_digit(*pass->at))) {
		write_from(pass, from);
		not_literal(pass);
	} else if (strchr("aeftr", letter)) {
		uint8_t byte = letter == 'a' ? 7 : letter == 'e' ? 27 : letter == 'f' ? 12 : letter == 't' ? 9 : 13;
		write_from(pass, from);
		literal_character(pass, &byte, 1);
	} else if (letter < 0x80 && !is_alphanumeric(letter) && letter != '\n') {
		write_from(pass, from);
		literal_character(pass, from + 1, 1);
	} else if (strchr("AzZGnvRXC", letter)) {
		only_by_line(pass);
		may_span(pass);
		not_literal(pass);
	} else {
		give_up(pass);
	}
}

static void escape(struct pass *pass)
{
	const uint8_t *from = pass->at;
	if (pass->end - from < 2) {
		only_by_line(pass);
		pass->at = pass->end;
		return;
	}
	pass->at += 2;
	switch (from[1]) {
	case 'Q':
		quoted(pass);
		break;
	case 'E':
		break;
	case 's':
		class_escape(pass, "[^\\S");
		break;
	case 'W':
		class_escape(pass, "[^\\w");
		break;
	case 'D':
		class_escape(pass, "[^\\d");
		break;
	case 'H':
		class_escape(pass, "[^\\h");
		break;
	case 'p':
	case 'P':
		property(pass, from);
		break;
	case 'x':
		hexadecimal(pass, from);
		break;
	default:
		other_escape(pass, from);
	}
}

/* ---- classes ---- */

/* A member of a class that is an escape; false if it may match a line feed. */
static bool class_member_escape(struct pass *pass, bool is_negated)
{
	const uint8_t *from = pass->at;
	uint8_t letter = pass->end - from >= 2 ? from[1] : 0;
	pass->at += letter ? 2 : 1;
	if (letter == 's' && !is_negated) {
		write_text(pass, "\\h\\x0b\\f\\x{85}\\p{Zl}\\p{Zp}");
		write_text(pass, pass->is_without_cr ? "" : "\\r");
		may_span(pass);
		return true;
	}
	if (letter == 'x') {
		long code = hex_code(pass);
		pass->analysis->is_ascii &= code < 0x80;
		write_from(pass, from);
		return code >= 0 && code != '\n';
	}
	write_from(pass, from);
	bool is_mark = letter && letter < 0x80 && !is_alphanumeric(letter) && letter != '\n';
	bool is_property = (letter | 0x20) == 'p';
	if (is_mark || (letter && strchr("SwdhVbaeftrs", letter)))
		return true;
	/* \c], \Q]\E and the like: there is no telling where the class ends. */
	if (!is_property && !strchr("nWDHvR", letter))
		give_up(pass);
	return false;
}

/* [:name:], the [ in hand; false if this is none. */
static bool posix_name(struct pass *pass, bool *is_tame)
{
	static const char *const wild[] = {"[:space:]", "[:cntrl:]", "[:ascii:]"};
	const uint8_t *from = pass->at;
	if (pass->end - from < 4 || from[1] != ':')
		return false;
	const uint8_t *close = memmem(from + 2, (size_t)(pass->end - from - 2), ":]", 2);
	if (!close)
		return false;
	pass->at = close + 2;
	write_from(pass, from);
	/* With -i, and without Unicode properties, these two mean any letter. */
	if (memmem(from, (size_t)(pass->at - from), "er:", 3))
		pass->analysis->is_ascii = false;
	*is_tame &= from[2] != '^';
	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++)
		*is_tame &= strncmp((const char *)from, wild[i], (size_t)(pass->at - from)) != 0;
	return true;
}

/* [...]; the [ is in hand. A range is tame if it does not run from a control character to something else. */
static void class(struct pass *pass)
{
	bool is_negated = pass->end - pass->at >= 2 && pass->at[1] == '^';
	bool is_tame = true, is_first = true, is_closed = false;
	write_text(pass, is_negated ? "[^\\n" : "[");
	write_text(pass, is_negated && pass->is_without_cr ? "\\r" : "");
	pass->at += 1 + is_negated;
	while (pass->at < pass->end && !is_closed) {
		const uint8_t *from = pass->at;
		bool is_control_range = pass->end - from >= 2 && from[1] == '-' && (from[0] < ' ');
		if (*from == ']' && !is_first) {
			pass->at++;
			is_closed = true;
		} else if (*from == '\\') {
			is_tame &= class_member_escape(pass, is_negated);
			/* \t-z and the like. */
			is_tame &= !(pass->end - pass->at >= 2 && pass->at[0] == '-' && pass->at[1] != ']' && (from[1] >= 0x80 || is_alphanumeric(from[1])));
			from = pass->at;
		} else if (*from != '[' || !posix_name(pass, &is_tame)) {
			pass->analysis->is_ascii &= *from < 0x80;
			is_tame &= *from != '\n' && !is_control_range;
			pass->at += character_bytes(pass, from);
		} else {
			from = pass->at;
		}
		write_from(pass, from);
		is_first = false;
	}
	if (is_negated || !is_tame)
		may_span(pass);
	if (!is_tame && !is_negated)
		pass->analysis->reach = BS_GREP_REACH_LINE;
	if (!is_closed)
		only_by_line(pass);
	not_literal(pass);
}

/* ---- groups ---- */

/* (?flags) and (?flags: with only i, m, s, U, J, n and no switching off of m. False: something else. */
static bool inline_flags(struct pass *pass, const uint8_t *flags)
{
	bool is_off = false;
	const uint8_t *at = flags;
	for (; at < pass->end && strchr("imsUJn-", *at) && *at; at++) {
		is_off |= *at == '-';
		if (*at == 'i')
			pass->is_caseless = true;
		if (*at == 's' && !is_off) {
			only_by_line(pass);
			may_span(pass);
		}
		if (*at == 'm' && is_off)
			only_by_line(pass);
	}
	if (at == pass->end || (*at != ':' && *at != ')'))
		return false;
	pass->depth += *at == ':';
	pass->at = at + 1;
	return true;
}

static bool starts_with(const struct pass *pass, const char *text)
{
	size_t n = strlen(text);
	return (size_t)(pass->end - pass->at) >= n && memcmp(pass->at, text, n) == 0;
}

/* The ( is in hand. */
static void group(struct pass *pass)
{
	static const char *const known[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?|"};
	const uint8_t *from = pass->at;
	/* Runs end here whatever follows: a group may be optional. */
	not_literal(pass);
	if (!starts_with(pass, "(?") && !starts_with(pass, "(*")) {
		pass->depth++;
		pass->at++;
		write_from(pass, from);
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (starts_with(pass, known[i])) {
			pass->depth++;
			pass->analysis->has_assertion |= strchr("=!<", from[2]) != NULL;
			pass->at += strlen(known[i]);
			write_from(pass, from);
			return;
		}
	}
	if (starts_with(pass, "(?P<") || starts_with(pass, "(?<")) {
		const uint8_t *close = memchr(from, '>', (size_t)(pass->end - from));
		pass->at = close ? close + 1 : pass->end;
		pass->depth++;
		write_from(pass, from);
		return;
	}
	if (from[1] == '?' && inline_flags(pass, from + 2)) {
		write_from(pass, from);
		return;
	}
	/* Verbs, conditions, recursion, comments. */
	give_up(pass);
}

/* {n}, {n,}, {n,m}: whether it is one, and then if n > 0. */
static bool counted(struct pass *pass, bool *must_occur)
{
	const uint8_t *at = pass->at + 1;
	const uint8_t *digits = at;
	*must_occur = false;
	for (; at < pass->end && *at >= '0' && *at <= '9'; at++)
		*must_occur |= *at != '0';
	if (at == digits || at == pass->end)
		return false;
	if (*at == ',')
		for (at++; at < pass->end && *at >= '0' && *at <= '9';)
			at++;
	if (at == pass->end || *at != '}')
		return false;
	pass->at = at + 1;
	return true;
}

static void step(struct pass *pass)
{
	const uint8_t *from = pass->at;
	bool must_occur;
	switch (*from) {
	case '\\':
		escape(pass);
		return;
	case '[':
		class(pass);
		return;
	case '(':
		group(pass);
		return;
	case ')':
		/* A quantifier behind it does not take back a character: its run has ended. */
		pass->depth -= pass->depth > 0;
		not_literal(pass);
		break;
	case '|':
		pass->has_alternative |= pass->depth == 0;
		not_literal(pass);
		break;
	case '*':
	case '?':
		quantified(pass, false);
		break;
	case '+':
		quantified(pass, true);
		break;
	case '{':
		if (!counted(pass, &must_occur)) {
			one_character(pass);
			return;
		}
		quantified(pass, must_occur);
		write_from(pass, from);
		return;
	case '^':
	case '$':
		pass->analysis->has_assertion = true;
		/* Nothing of it matches a line feed, but rg goes across lines because of it. */
		may_span(pass);
		not_literal(pass);
		break;
	case '.':
		if (pass->dot_all) {
			only_by_line(pass);
			may_span(pass);
		}
		not_literal(pass);
		if (pass->is_without_cr) {
			pass->at++;
			write_text(pass, "[^");
			write_ends(pass);
			return;
		}
		break;
	default:
		one_character(pass);
		return;
	}
	pass->at++;
	write_from(pass, from);
}

/* ---- the patterns as one ---- */

/* Puts text around what a buffer holds. */
static enum bs_status surround(struct bs_buffer *buffer, const char *before, const char *after, struct bs_error *err)
{
	struct bs_buffer whole = {0};
	enum bs_status status = bs_buffer_append(&whole, before, strlen(before), err);
	if (!status && buffer->used_bytes)
		status = bs_buffer_append(&whole, buffer->data, buffer->used_bytes, err);
	if (!status)
		status = bs_buffer_append(&whole, after, strlen(after), err);
	bs_buffer_deinit(buffer);
	*buffer = whole;
	return status;
}

static bool is_without_cr(const struct bs_grep_pattern *pattern)
{
	return pattern->crlf && !pattern->is_pcre2 && !pattern->is_multi_line && pattern->line_end == '\n';
}

/* What is left once the pass is over. */
static enum bs_status conclude(const struct bs_grep_pattern *pattern, struct bs_grep_analysis *analysis, bool is_literal,
                               struct bs_error *err)
{
	enum bs_status status = BS_OK;
	analysis->literal_is_match = is_literal && !pattern->is_word && !pattern->is_line && !pattern->crlf &&
	                             analysis->literal.used_bytes > 0;
	if (analysis->literal.used_bytes)
		status = bs_buffer_append(&analysis->exact_literal, analysis->literal.data, analysis->literal.used_bytes, err);
	for (size_t i = 0; i < analysis->literal.used_bytes; i++)
		analysis->literal.data[i] = bs_needle_fold(analysis->literal.data[i]);
	if (is_without_cr(pattern) && analysis->reach == BS_GREP_REACH_EXACT) {
		struct bs_buffer held = analysis->joined;
		analysis->joined = analysis->rewritten;
		analysis->rewritten = held;
	}
	if (pattern->line_end != '\n' || pattern->crlf)
		analysis->reach = BS_GREP_REACH_LINE;
	bool is_line = pattern->is_line && pattern->n_patterns == 1;
	const char *before = pattern->is_word ? "(?<!\\w)(?:" : is_line ? "^(?:" : "";
	const char *after = pattern->is_word ? ")(?!\\w)" : is_line ? ")$" : "";
	if (!status)
		status = surround(&analysis->joined, before, after, err);
	if (!status)
		status = surround(&analysis->rewritten, before, after, err);
	if (!status)
		status = bs_buffer_append(&analysis->joined, "", 1, err);
	if (!status)
		status = bs_buffer_append(&analysis->rewritten, "", 1, err);
	return status;
}

enum bs_status bs_grep_analyse(const struct bs_grep_pattern *pattern, struct bs_grep_analysis *analysis,
                               struct bs_error *err)
{
	enum bs_status status = bs_grep_join(pattern, &analysis->joined, err);
	const struct bs_buffer *joined = &analysis->joined;
	bool has_upper_case = false;
	if (!status && pattern->letter_case == BS_GREP_CASE_SMART)
		status = bs_grep_has_upper_case(joined->data, joined->used_bytes, pattern->is_pcre2, &has_upper_case, err);
	if (status)
		return status;
	analysis->is_caseless = pattern->letter_case == BS_GREP_CASE_INSENSITIVE ||
	                        (pattern->letter_case == BS_GREP_CASE_SMART && !has_upper_case);
	analysis->is_ascii = true;
	analysis->has_assertion = pattern->is_word || pattern->is_line;
	analysis->reach = BS_GREP_REACH_EXACT;
	analysis->can_span_lines = pattern->is_line;
	struct pass pass = {.at = joined->data,
	                    .end = joined->data + joined->used_bytes,
	                    .analysis = analysis,
	                    .is_caseless = analysis->is_caseless,
	                    .is_all_literal = !analysis->is_caseless,
	                    .dot_all = pattern->is_multi_line && pattern->dot_all,
	                    .is_without_cr = is_without_cr(pattern),
	                    .err = err};
	while (pass.at < pass.end && !pass.status)
		step(&pass);
	bool is_literal = pass.is_all_literal;
	end_run(&pass);
	if (pass.has_alternative || (pass.depth > 0)) {
		bs_buffer_clear(&analysis->literal);
		is_literal = false;
	}
	bs_buffer_deinit(&pass.run);
	return pass.status ? pass.status : conclude(pattern, analysis, is_literal, err);
}

void bs_grep_analysis_deinit(struct bs_grep_analysis *analysis)
{
	bs_buffer_deinit(&analysis->joined);
	bs_buffer_deinit(&analysis->rewritten);
	bs_buffer_deinit(&analysis->literal);
	bs_buffer_deinit(&analysis->exact_literal);
}
