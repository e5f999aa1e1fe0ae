/*
 * rust_syntax.c: see rust_syntax.h. A recursive-descent parser that writes the translation while it
 * reads. It resolves flags itself, except i and s, which PCRE2 has with the same scope.
 */
#include "query/regex/rust/rust_syntax.h"

#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/bitsift/status.h"
#include "core/system/deadline.h"
#include "query/regex/rust/rust_class.h"
#include "query/regex/rust/rust_reader.h"

#define NO_ITEM SIZE_MAX
/* PCRE2's limits for names. */
#define NAME_BYTES 32u
#define MOST_NAMES 10000u

/*
 * As in Rust's crate regex-syntax, alternatives that are single characters become a set, and a
 * match needs only one of them: a|\n is no error, although \n alone is.
 */
struct merger {
	size_t n; /* alternatives */
	uint32_t first;
	bool has_others, has_bytes, has_characters, differs;
	bool has_text;      /* there are characters other than \n and \r */
	const char *banned; /* reader->banned before the alternatives */
};

static void merge(struct merger *merger, uint32_t single)
{
	merger->first = merger->n++ ? merger->first : single;
	merger->differs |= single != merger->first;
	merger->has_others |= single == BS_RUST_NOTHING || single == BS_RUST_NO_SINGLE;
	merger->has_bytes |= (single & BS_RUST_BYTE_FLAG) != 0;
	merger->has_characters |= single >= 0x80 && !(single & BS_RUST_BYTE_FLAG);
	merger->has_text |= single != '\n' && single != '\r';
}

/* Returns the single character of the alternatives, BS_RUST_NOTHING or BS_RUST_NO_SINGLE. Restores
 * reader->banned if they become a set with a character that may match. */
static uint32_t end_merging(struct bs_rust_reader *reader, const struct merger *merger)
{
	bool is_set = !merger->has_others && !(merger->has_bytes && merger->has_characters);
	if (merger->n == 1 || (is_set && !merger->differs))
		return merger->first;
	if (is_set && (merger->has_text || !reader->pattern->crlf))
		reader->banned = merger->banned;
	return BS_RUST_NO_SINGLE;
}

static size_t written(const struct bs_rust_reader *reader)
{
	return reader->writer.to.out->used_bytes;
}

/* Inserts text at a position of the output. */
static void insert(struct bs_rust_reader *reader, size_t at, const char *text)
{
	size_t n = strlen(text), n_before = written(reader);
	bs_rust_put_text(reader, text);
	if (reader->writer.to.status)
		return;
	uint8_t *out = reader->writer.to.out->data;
	memmove(out + at + n, out + at, n_before - at);
	memcpy(out + at, text, n);
}

/* Adds a literal character. Returns true if a quantifier after it needs a group. */
static bool add_literal(struct bs_rust_reader *reader, uint32_t c, bool is_byte)
{
	bs_rust_see_character(reader, c);
	if (bs_rust_put_banned(reader, c))
		return true;
	is_byte &= !reader->flags.unicode;
	if ((c >= 0x80 && !is_byte && !reader->flags.unicode) || bs_rust_is_cased(reader, c))
		reader->single = BS_RUST_NO_SINGLE;
	bs_rust_put_char(&reader->writer, &reader->flags, c, is_byte);
	return bs_rust_is_several(&reader->writer, &reader->flags, c) && !is_byte;
}

static void read_either(struct bs_rust_reader *reader);

/* Reads the rest of a group, which begins at `from`, through its closing parenthesis. outside: the
 * flags after the group. */
static void read_group_rest(struct bs_rust_reader *reader, size_t from,
                            const struct bs_rust_flags *outside)
{
	if (bs_rust_is_too_deep(reader, from, ++reader->depth))
		return;
	read_either(reader);
	reader->height++;
	if (!bs_rust_takes(reader, ")")) {
		reader->at = from + 1;
		bs_rust_refuse(reader, from, "unclosed group", "");
	}
	reader->depth--;
	reader->flags = *outside;
	bs_rust_put_text(reader, ")");
	reader->writer.follows_reference = false;
}

/* Reads and writes the name of a group through >. */
static void read_name(struct bs_rust_reader *reader, size_t from)
{
	size_t start = reader->at;
	uint32_t c;
	while ((c = bs_rust_peek(reader)) != '>' && c != BS_RUST_END) {
		bool is_first = reader->at == start;
		bool is_ascii = c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
		                (!is_first && c >= '0' && c <= '9');
		bs_rust_next(reader);
		if (is_ascii)
			continue;
		if (c < 0x80 && (is_first || !strchr(".[]", (int)c)))
			bs_rust_refuse(reader, from, "invalid capture group character", "");
		else
			bs_rust_refuse(reader, from, "unsupported capture group name",
			               "; only ASCII letters, digits and _ are supported");
		return;
	}
	struct bs_rust_name name = {reader->text + start, reader->at - start};
	if (c == BS_RUST_END)
		bs_rust_refuse(reader, from, "unclosed capture group name", "");
	else if (name.n_bytes == 0)
		bs_rust_refuse(reader, from, "empty capture group name", "");
	else if (name.n_bytes > NAME_BYTES)
		bs_rust_refuse(reader, from, "unsupported capture group name",
		               "; 32 bytes are the most");
	else if (bs_vector_n(&reader->names) == MOST_NAMES)
		bs_rust_refuse(reader, from, "too many named groups", "; 10,000 are the most");
	for (size_t i = 0; i < bs_vector_n(&reader->names) && !reader->status; i++)
		if (reader->names.items[i].n_bytes == name.n_bytes &&
		    memcmp(reader->names.items[i].text, name.text, name.n_bytes) == 0)
			bs_rust_refuse(reader, from, "duplicate capture group name", "");
	if (!reader->status)
		reader->status = bs_vector_append(&reader->names, &name, reader->err);
	bs_rust_next(reader);
	bs_text_put(&reader->writer.to, name.text, name.n_bytes);
	bs_rust_put_text(reader, ">");
}

/* Reads flags after "(?", through ) or :. Returns which of the two; 0 after an error. */
static uint32_t read_flags(struct bs_rust_reader *reader, size_t from, struct bs_rust_flags *flags)
{
	static const char letters[] = "imsUuRx";
	bool *const places[] = {&flags->caseless,   &flags->multi_line, &flags->dot_all,
	                        &flags->swap_greed, &flags->unicode,    &flags->crlf,
	                        &flags->extended};
	bool is_set[sizeof(letters)] = {false}, is_on = true;
	uint32_t c, before = 0;
	for (; (c = bs_rust_next(reader)) != ')' && c != ':'; before = c) {
		const char *found = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
		if (c == BS_RUST_END)
			bs_rust_refuse(reader, from, "unclosed group", "");
		else if (c == '-' && !is_on)
			bs_rust_refuse(reader, from, "flag negation operator repeated", "");
		else if (c != '-' && !found)
			bs_rust_refuse(reader, from, "unrecognized flag",
			               reader->at - from == 3 && c < 0x80 &&
			                               strchr("|(#CP&+0123456789'*", (int)c)
			                       ? "; with -P it means what it means to PCRE2"
			                       : "");
		else if (found && is_set[found - letters])
			bs_rust_refuse(reader, from, "duplicate flag", "");
		if (reader->status)
			return 0;
		is_on &= c != '-';
		if (found) {
			is_set[found - letters] = true;
			*places[found - letters] = is_on;
		}
	}
	if (before == '-')
		bs_rust_refuse(reader, from, "dangling flag negation operator", "");
	else if (before == 0 && c == ')')
		bs_rust_refuse(reader, from, "repetition operator missing expression", "");
	return reader->status ? 0 : c;
}

/* Writes the changes of the flags i and s, which PCRE2 has, without parentheses. */
static void put_flags(struct bs_rust_reader *reader, const struct bs_rust_flags *flags)
{
	const struct bs_rust_flags *now = &reader->flags;
	bool sets_i = flags->caseless && !now->caseless,
	     clears_i = !flags->caseless && now->caseless, sets_s = flags->dot_all && !now->dot_all,
	     clears_s = !flags->dot_all && now->dot_all;
	/* In the other forms, every set is written out. */
	if (reader->writer.form != BS_RUST_CHARACTERS)
		return;
	bs_rust_put_text(reader, sets_i ? "i" : "");
	bs_rust_put_text(reader, sets_s ? "s" : "");
	bs_rust_put_text(reader, clears_i || clears_s ? "-" : "");
	bs_rust_put_text(reader, clears_i ? "i" : "");
	bs_rust_put_text(reader, clears_s ? "s" : "");
}

/* Reads (?flags) or (?flags:...). Returns true for the former, which takes no quantifier. */
static bool read_flag_group(struct bs_rust_reader *reader, size_t from)
{
	struct bs_rust_flags flags = reader->flags, outside = reader->flags;
	size_t start = written(reader);
	uint32_t end = read_flags(reader, from, &flags);
	if (reader->status)
		return true;
	bs_rust_put_text(reader, "(?");
	put_flags(reader, &flags);
	bool is_empty = written(reader) == start + 2;
	reader->flags = flags;
	reader->writer.follows_reference = false;
	if (end == ':') {
		bs_rust_put_text(reader, ":");
		read_group_rest(reader, from, &outside);
		return false;
	}
	bs_rust_put_text(reader, ")");
	if (is_empty && !reader->writer.to.status)
		reader->writer.to.out->used_bytes = start;
	else
		reader->sets_flags |= reader->depth == 0;
	return true;
}

/* Reads a group after its parenthesis. Returns true for (?flags), which takes no quantifier. */
static bool read_group(struct bs_rust_reader *reader, size_t from)
{
	static const char *const extensions[] = {"?=", "?!", "?<=", "?<!", "?>"};
	struct bs_rust_flags outside = reader->flags;
	reader->writer.follows_reference = false;
	bs_rust_skip_space(reader);
	for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++) {
		if (!bs_rust_takes(reader, extensions[i]))
			continue;
		reader->traits->has_extension = true;
		bs_rust_put_text(reader, "(");
		bs_rust_put_text(reader, extensions[i]);
		read_group_rest(reader, from, &outside);
		reader->single = BS_RUST_NO_SINGLE;
		return false;
	}
	if (bs_rust_takes(reader, "?P=")) {
		size_t start = reader->at;
		while (!bs_rust_is_over(reader) && bs_rust_peek(reader) != ')')
			bs_rust_next(reader);
		reader->traits->has_extension = true;
		bs_rust_put_text(reader, "(?P=");
		bs_text_put(&reader->writer.to, reader->text + start, reader->at - start);
		bs_rust_put_text(reader, ")");
		if (!bs_rust_takes(reader, ")"))
			bs_rust_refuse(reader, from, "unclosed group", "");
		return false;
	}
	bool is_named = bs_rust_takes(reader, "?P<") || bs_rust_takes(reader, "?<");
	if (!is_named && bs_rust_takes(reader, "?"))
		return read_flag_group(reader, from);
	reader->n_groups++;
	bs_rust_put_text(reader, is_named ? "(?P<" : "(");
	if (is_named)
		read_name(reader, from);
	read_group_rest(reader, from, &outside);
	reader->single = BS_RUST_NO_SINGLE;
	return false;
}

/* The following functions read repetitions. */

/* Reads a decimal number. False: there is none. A number over 65535 becomes some number over
 * it. */
static bool read_decimal(struct bs_rust_reader *reader, uint32_t *number_out)
{
	bool has_digits = false;
	*number_out = 0;
	while (bs_rust_is_space(bs_rust_peek(reader)))
		bs_rust_next(reader);
	while (bs_rust_peek(reader) >= '0' && bs_rust_peek(reader) <= '9') {
		uint32_t digit = bs_rust_next(reader) - '0';
		*number_out =
			*number_out > UINT32_MAX / 20 ? *number_out : *number_out * 10 + digit;
		has_digits = true;
		bs_rust_skip_space(reader);
	}
	while (bs_rust_is_space(bs_rust_peek(reader))) {
		bs_rust_next(reader);
		bs_rust_skip_space(reader);
	}
	return has_digits;
}

struct repetition {
	uint32_t least, most;
	bool has_most;
};

static bool read_braces(struct bs_rust_reader *reader, size_t from, struct repetition *repetition)
{
	const char *why = NULL;
	bs_rust_skip_space(reader);
	bool has_least = read_decimal(reader, &repetition->least), has_most = true;
	repetition->most = repetition->least;
	repetition->has_most = true;
	if (bs_rust_takes(reader, ",")) {
		bs_rust_skip_space(reader);
		repetition->has_most = bs_rust_peek(reader) != '}';
		if (repetition->has_most)
			has_most = read_decimal(reader, &repetition->most);
	}
	if (bs_rust_is_over(reader))
		why = "unclosed counted repetition";
	else if (!has_least || !has_most)
		why = "repetition quantifier expects a valid decimal";
	else if (bs_rust_peek(reader) != '}')
		why = "unclosed counted repetition";
	else if (repetition->has_most && repetition->most < repetition->least)
		why = "invalid repetition count range, the start must be <= the end";
	if (why)
		bs_rust_refuse(reader, from, why, "");
	bs_rust_next(reader);
	bs_rust_skip_space(reader);
	return !reader->status;
}

/* An item that a quantifier may follow. */
struct item {
	size_t start;       /* where it was written, or NO_ITEM */
	bool is_several;    /* a quantifier needs a group around it */
	const char *banned; /* reader->banned before it */
	uint32_t n_groups;  /* reader->n_groups before it */
};

/* Reads a quantifier and writes it after the item. */
static void read_quantifier(struct bs_rust_reader *reader, const struct item *item)
{
	size_t from = reader->at;
	uint32_t c = bs_rust_next(reader);
	struct repetition repetition = {.least = c == '+', .most = 1, .has_most = c == '?'};
	char text[40];
	if (item->start == NO_ITEM) {
		bs_rust_refuse(reader, from, "repetition operator missing expression", "");
		return;
	}
	if (c == '{' && !read_braces(reader, from, &repetition))
		return;
	if (bs_rust_is_too_deep(reader, from, reader->depth + ++reader->height))
		return;
	if (c != '{' || !repetition.has_most || repetition.least != 1 || repetition.most != 1)
		reader->single = BS_RUST_NO_SINGLE;
	bool is_lazy = bs_rust_takes(reader, "?") != reader->flags.swap_greed;
	if (item->is_several) {
		insert(reader, item->start, "(?:");
		bs_rust_put_text(reader, ")");
	}
	if (c != '{')
		snprintf(text, sizeof(text), "%c", (char)c);
	else if (!repetition.has_most)
		snprintf(text, sizeof(text), "{%u,}", repetition.least);
	else if (repetition.most == repetition.least)
		snprintf(text, sizeof(text), "{%u}", repetition.least);
	else
		snprintf(text, sizeof(text), "{%u,%u}", repetition.least, repetition.most);
	if (c == '{' && repetition.has_most && repetition.most == 0) {
		/* An item without groups is removed, so that the analysis of the translation
		 * (pattern.h) does not see its characters. An item with groups stays, so that the
		 * groups keep their numbers. */
		reader->banned = item->banned;
		if (reader->n_groups == item->n_groups && !reader->writer.to.status) {
			reader->writer.to.out->used_bytes = item->start;
			bs_rust_put_text(reader, "(?:)");
		}
	}
	bs_rust_put_text(reader, text);
	bs_rust_put_text(reader, is_lazy ? "?" : "");
	reader->writer.follows_reference = false;
}

/* Adds an escape outside classes. Returns true if a quantifier after it needs a group. */
static bool add_escape(struct bs_rust_reader *reader)
{
	struct bs_rust_escape escape = bs_rust_read_escape(reader);
	switch (escape.primitive) {
	case BS_RUST_PRIMITIVE_LITERAL:
		return add_literal(reader, escape.c, escape.is_byte);
	case BS_RUST_PRIMITIVE_PERL:
		bs_rust_put_perl(&reader->writer, &reader->flags, (char)escape.c);
		return reader->writer.form != BS_RUST_CHARACTERS;
	case BS_RUST_PRIMITIVE_PROPERTY:
		bs_rust_add_property(reader, &escape);
		return false;
	case BS_RUST_PRIMITIVE_PLACE:
		bs_rust_put_place(&reader->writer, &reader->flags, escape.place);
		return true;
	case BS_RUST_PRIMITIVE_REFERENCE:
		reader->traits->has_extension = true;
		bs_text_put(&reader->writer.to, reader->text + escape.from,
		            reader->at - escape.from);
		reader->writer.follows_reference = true;
		return false;
	default:
		return false;
	}
}

/* Reads one item, without quantifiers. Returns true if a quantifier after it needs a group.
 * *is_item_out: it may have a quantifier. */
static bool read_item(struct bs_rust_reader *reader, bool *is_item_out)
{
	size_t from = reader->at;
	uint32_t c = bs_rust_next(reader);
	switch (c) {
	case '(':
		*is_item_out = !read_group(reader, from);
		return false;
	case '[':
		bs_rust_read_class(reader, from);
		return false;
	case '\\':
		return add_escape(reader);
	case '.':
		bs_rust_put_dot(&reader->writer, &reader->flags);
		return reader->writer.form != BS_RUST_CHARACTERS;
	case '^':
	case '$':
		bs_rust_put_place(&reader->writer, &reader->flags,
		                  c == '^' ? BS_RUST_LINE_START : BS_RUST_LINE_END);
		return true;
	default:
		return add_literal(reader, c, false);
	}
}

/* Reads alternatives up to a closing parenthesis or the end. */
static void read_either(struct bs_rust_reader *reader)
{
	struct item item = {.start = NO_ITEM};
	unsigned height = 0;
	struct merger merger = {.banned = reader->banned};
	/* the only character that the current alternative matches (see struct bs_rust_reader) */
	uint32_t single = BS_RUST_NOTHING;
	for (;;) {
		height = reader->height > height ? reader->height : height;
		bs_rust_skip_space(reader);
		uint32_t c = bs_rust_peek(reader);
		if (c == BS_RUST_END || c == ')')
			break;
		if (!reader->status)
			reader->status = bs_deadline_check_after(BS_RUST_ITEM_NS, reader->err);
		if (c == '|') {
			bs_rust_next(reader);
			bs_rust_put_text(reader, "|");
			merge(&merger, single);
			single = BS_RUST_NOTHING;
			item.start = NO_ITEM;
			reader->writer.follows_reference = false;
		} else if (c == '?' || c == '*' || c == '+' || c == '{') {
			read_quantifier(reader, &item);
			item.is_several = true;
			single = reader->single == BS_RUST_NO_SINGLE ? BS_RUST_NO_SINGLE : single;
		} else {
			bool is_item = true;
			reader->height = 0;
			reader->single = BS_RUST_NO_SINGLE;
			item = (struct item){.start = written(reader),
			                     .banned = reader->banned,
			                     .n_groups = reader->n_groups};
			item.is_several = read_item(reader, &is_item);
			item.start = is_item ? item.start : NO_ITEM;
			if (is_item && reader->single != BS_RUST_NOTHING)
				single = single == BS_RUST_NOTHING ? reader->single
				                                   : BS_RUST_NO_SINGLE;
		}
	}
	merge(&merger, single);
	reader->single = end_merging(reader, &merger);
	reader->height = height;
}

/* Reads a pattern of -F: every character is a literal. */
static void read_fixed(struct bs_rust_reader *reader)
{
	while (!bs_rust_is_over(reader))
		add_literal(reader, bs_rust_next(reader), false);
}

static void read_pattern(struct bs_rust_reader *reader, size_t index)
{
	size_t start = written(reader);
	reader->text = (const uint8_t *)reader->pattern->patterns[index];
	reader->n_bytes = reader->pattern->pattern_bytes[index];
	reader->at = 0;
	reader->sets_flags = false;
	reader->flags = reader->writer.initial;
	if (!bs_text_is_utf8(reader->text, reader->n_bytes)) {
		reader->status = bs_fail(reader->err, BS_INVALID, "the pattern is not valid UTF-8");
		return;
	}
	if (reader->pattern->is_fixed)
		read_fixed(reader);
	else
		read_either(reader);
	if (!bs_rust_is_over(reader)) {
		size_t from = reader->at++;
		bs_rust_refuse(reader, from, "unopened group", "");
	}
	/* Flags that a pattern sets do not apply to the patterns after it. */
	if (reader->sets_flags) {
		insert(reader, start, "(?:");
		bs_rust_put_text(reader, ")");
	}
}

static enum bs_rust_place word_edge(const struct bs_rust_reader *reader, enum bs_rust_place half)
{
	return reader->options->has_word_edges ? BS_RUST_WORD_BOUNDARY : half;
}

/* Writes the additions of -w and -x before the patterns. Only for BS_RUST_BYTES and BS_RUST_LINEAR;
 * for BS_RUST_CHARACTERS, pattern.c makes these additions. */
static void begin_bytes(struct bs_rust_reader *reader)
{
	bool is_line = reader->pattern->is_line && reader->pattern->n_patterns == 1;
	if (reader->pattern->is_word)
		bs_rust_put_place(&reader->writer, &reader->writer.initial,
		                  word_edge(reader, BS_RUST_WORD_START_HALF));
	else if (is_line)
		bs_rust_put_place(&reader->writer, &reader->writer.initial, BS_RUST_LINE_START);
	bs_rust_put_text(reader, "(?:");
}

static void end_bytes(struct bs_rust_reader *reader)
{
	bool is_line = reader->pattern->is_line && reader->pattern->n_patterns == 1;
	bs_rust_put_text(reader, ")");
	if (reader->pattern->is_word)
		bs_rust_put_place(&reader->writer, &reader->writer.initial,
		                  word_edge(reader, BS_RUST_WORD_END_HALF));
	else if (is_line)
		bs_rust_put_place(&reader->writer, &reader->writer.initial, BS_RUST_LINE_END);
	bs_rust_put_text(reader, bs_rust_start_anywhere(reader->pattern));
	if (!reader->status)
		bs_rust_put_definitions(&reader->writer);
}

enum bs_status bs_rust_translate(const struct bs_grep_pattern *pattern,
                                 const struct bs_rust_options *options, struct bs_buffer *text_out,
                                 struct bs_rust_traits *traits_out, struct bs_error *err)
{
	bool is_line = pattern->is_line && pattern->n_patterns > 1;
	struct bs_rust_reader reader = {
		.pattern = pattern,
		.options = options,
		.traits = traits_out,
		.writer = {.to = {.out = text_out, .err = err},
	                   .form = options->form,
	                   .initial = {.caseless = options->caseless,
	                               .multi_line = true,
	                               .dot_all = pattern->is_multi_line && pattern->dot_all,
	                               .unicode = !pattern->no_unicode,
	                               .crlf = pattern->crlf},
	                   .strips_cr = options->strips_cr,
	                   .is_ascii = options->is_ascii,
	                   .calls = options->calls},
		.err = err};
	*traits_out = (struct bs_rust_traits){.has_literal = false};
	struct merger merger = {.banned = NULL};
	size_t n_unbanned = 0; /* patterns before the first with a banned character */
	reader.status = bs_buffer_reserve(text_out, 1, err);
	if (options->form != BS_RUST_CHARACTERS)
		begin_bytes(&reader);
	for (size_t i = 0; i < pattern->n_patterns && !reader.status; i++) {
		bs_rust_put_text(&reader, i > 0 ? "|" : "");
		bs_rust_put_text(&reader, is_line ? bs_rust_line_start(pattern) : "");
		bs_rust_put_text(&reader, is_line ? "(?:" : "");
		read_pattern(&reader, i);
		merge(&merger, reader.single);
		n_unbanned += !reader.banned;
		bs_rust_put_text(&reader, is_line ? ")" : "");
		bs_rust_put_text(&reader, is_line ? bs_rust_line_end(pattern) : "");
	}
	if (merger.n)
		(void)end_merging(&reader, &merger);
	if (reader.banned) {
		reader.text = (const uint8_t *)pattern->patterns[n_unbanned];
		reader.n_bytes = pattern->pattern_bytes[n_unbanned];
		reader.at = 0;
		bs_rust_refuse(&reader, 0, reader.banned, "");
	}
	if (options->form != BS_RUST_CHARACTERS)
		end_bytes(&reader);
	traits_out->has_bytes = reader.writer.has_bytes;
	traits_out->has_characters = reader.writer.has_characters;
	traits_out->sees_validity = reader.writer.sees_validity;
	traits_out->is_beyond_linear = reader.writer.is_beyond_linear || traits_out->has_extension;
	bs_vector_deinit(&reader.names);
	bs_vector_deinit(&reader.nodes);
	bs_buffer_deinit(&reader.writer.definitions);
	return reader.status ? reader.status : reader.writer.to.status;
}
