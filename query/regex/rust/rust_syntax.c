/*
 * rust_syntax.c: see rust_syntax.h. A recursive-descent parser that writes the translation while it
 * reads. It resolves flags itself, except i and s, which PCRE2 has with the same scope.
 */
#include "query/regex/rust/rust_syntax.h"

#include <stdio.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/utf8.h"
#include "core/bitsift/status.h"
#include "core/system/deadline.h"
#include "core/system/icu.h"
#include "core/system/stack.h"
#include "query/regex/regex_set.h"
#include "query/regex/rust/unicode_property.h"

#define MOST_DEPTH  249u  /* ripgrep's limit for nested groups, classes and repetitions */
#define LEVEL_BYTES 1024u /* estimated stack for a level of nesting */
#define FEW_LEVELS  16u   /* levels that are allowed on any stack */
#define ITEM_NS     50u   /* estimated time to translate an item */
#define SHOWN_BYTES 200   /* most bytes of a pattern in a message */
#define END         UINT32_MAX
#define NO_ITEM     SIZE_MAX
#define NOTHING     UINT32_MAX       /* an item is empty */
#define NO_SINGLE   (UINT32_MAX - 1) /* an item is not a single character */
#define BYTE_FLAG   (1u << 31)       /* a single byte beyond ASCII */
/* PCRE2's limits for names. */
#define NAME_BYTES 32u
#define MOST_NAMES 10000u

struct name {
	const uint8_t *text;
	size_t n_bytes;
};

BS_VECTOR(names, struct name);

enum class_kind {
	CLASS_RANGE,
	CLASS_PERL,
	CLASS_ASCII,
	CLASS_PROPERTY,
	CLASS_NESTED,
	CLASS_OPERATION,
	CLASS_UNION,
};

/* A part of a bracketed class. */
struct class_node {
	uint8_t kind; /* enum class_kind */
	bool is_negated;
	bool is_byte;    /* the range was written as \xNN */
	char letter;     /* PERL: the letter after the backslash; OPERATION: & - or ~ */
	size_t from, to; /* position in the pattern */
	/* RANGE: its ends. ASCII: `first` is an index of bs_ascii_classes. OPERATION: the operands.
	 * NESTED, UNION: `first` is the first child, or NO_CHILD. */
	uint32_t first, last;
	size_t name_from, name_end; /* of a property or [:name:] */
	uint32_t next;              /* next sibling, or NO_CHILD */
};

#define NO_CHILD UINT32_MAX

BS_VECTOR(class_nodes, struct class_node);

struct reader {
	const uint8_t *text;
	size_t n_bytes, at;
	unsigned depth;
	unsigned most_depth; /* 0: not needed yet */
	unsigned height;     /* nested groups and repetitions in the last item or group */
	/* the only character that the last item or group matches, NOTHING or NO_SINGLE */
	uint32_t single;
	const struct bs_grep_pattern *pattern;
	const struct bs_rust_options *options;
	struct bs_rust_flags flags;
	struct bs_rust_writer writer;
	struct bs_rust_traits *traits;
	struct names names;       /* of groups, in all patterns */
	uint32_t n_groups;        /* capturing groups so far, in all patterns */
	struct class_nodes nodes; /* of the current class */
	bool sets_flags;          /* the pattern sets flags outside groups */
	/* A message: a required character cannot match, because no searched line has it. NULL:
	 * none. An error at the end of the pattern, unless the character is repeated 0 times. */
	const char *banned;
	enum bs_status status;
	struct bs_error *err;
};

static bool is_over(const struct reader *reader)
{
	return reader->status || reader->writer.to.status || reader->at >= reader->n_bytes;
}

/* Reports an error at text[from..reader->at). */
static void refuse(struct reader *reader, size_t from, const char *what, const char *hint)
{
	size_t end = reader->at > from ? reader->at : from;
	int n_construct = (int)bs_text_excerpt(reader->text + from, end - from, 40);
	int n_shown = (int)bs_text_excerpt(reader->text, reader->n_bytes, SHOWN_BYTES);
	if (reader->status)
		return;
	reader->status =
		bs_fail(reader->err, BS_INVALID,
	                "the pattern does not compile: %s%s%.*s%s (at byte %zu of %.*s%s)", what,
	                n_construct ? ": " : "", n_construct, (const char *)reader->text + from,
	                hint, from, n_shown, (const char *)reader->text,
	                (size_t)n_shown < reader->n_bytes ? "..." : "");
}

static uint32_t peek(const struct reader *reader)
{
	size_t at = reader->at;
	UChar32 c;
	if (is_over(reader))
		return END;
	U8_NEXT_UNSAFE(reader->text, at, c);
	return (uint32_t)c;
}

static uint32_t next(struct reader *reader)
{
	UChar32 c;
	if (is_over(reader))
		return END;
	U8_NEXT_UNSAFE(reader->text, reader->at, c);
	return (uint32_t)c;
}

static bool takes(struct reader *reader, const char *string)
{
	size_t n = strlen(string);
	if (is_over(reader) || reader->n_bytes - reader->at < n ||
	    memcmp(reader->text + reader->at, string, n) != 0)
		return false;
	reader->at += n;
	return true;
}

/* Unicode's White_Space. */
static bool is_space(uint32_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

/* Skips white space and comments, with the flag x. */
static void skip_space(struct reader *reader)
{
	while (reader->flags.extended && !is_over(reader)) {
		if (is_space(peek(reader))) {
			next(reader);
			continue;
		}
		if (peek(reader) != '#')
			break;
		while (!is_over(reader) && next(reader) != '\n')
			continue;
	}
}

/* The character after the next one and after ignored text; END: there is none. */
static uint32_t peek_after(struct reader *reader)
{
	size_t at = reader->at;
	next(reader);
	skip_space(reader);
	uint32_t c = peek(reader);
	reader->at = at;
	return c;
}

/* True if the stack has room for this depth. */
static bool has_room(struct reader *reader, unsigned depth)
{
	if (depth <= FEW_LEVELS)
		return true;
	if (reader->most_depth == 0) {
		size_t n = bs_stack_levels(LEVEL_BYTES);
		reader->most_depth =
			n < MOST_DEPTH - FEW_LEVELS ? FEW_LEVELS + (unsigned)n : MOST_DEPTH;
	}
	return depth <= reader->most_depth;
}

static bool is_too_deep(struct reader *reader, size_t from, unsigned depth)
{
	if (has_room(reader, depth))
		return false;
	refuse(reader, from, "groups, classes and repetitions are nested too deeply", "");
	return true;
}

static void put(struct reader *reader, const char *text)
{
	bs_text_put_string(&reader->writer.to, text);
}

static size_t written(const struct reader *reader)
{
	return reader->writer.to.out->used_bytes;
}

/* Inserts text at a position of the output. */
static void insert(struct reader *reader, size_t at, const char *text)
{
	size_t n = strlen(text), n_before = written(reader);
	put(reader, text);
	if (reader->writer.to.status)
		return;
	uint8_t *out = reader->writer.to.out->data;
	memmove(out + at + n, out + at, n_before - at);
	memcpy(out + at, text, n);
}

const char *bs_rust_banned(const struct bs_grep_pattern *pattern, bool bans_nul, uint32_t c)
{
	bool is_by_line = !pattern->is_multi_line;
	if (c == 0 && bans_nul)
		return "\\x00 cannot match, because files with NUL bytes are left out "
		       "(-a searches them)";
	if (c == 0 && is_by_line && pattern->null_data)
		return "\\x00 cannot match, because it ends lines";
	if (c == '\n' && is_by_line && !pattern->null_data)
		return "\\n cannot match, because it ends lines (-U lets matches span lines)";
	if (c == '\r' && is_by_line && pattern->crlf && !pattern->null_data)
		return "\\r cannot match, because it ends lines (-U lets matches span lines)";
	return NULL;
}

/* Passes the failure of a set on to the reader. */
static void settle(struct reader *reader, struct bs_char_set *set)
{
	if (!reader->status)
		reader->status = set->status;
}

/* Notes that the last item is a single character. A character that no line has is written as what
 * never matches, and true is returned. */
static bool put_banned(struct reader *reader, uint32_t c)
{
	const char *banned = bs_rust_banned(reader->pattern, reader->options->bans_nul, c);
	reader->single = c >= 0x80 && !reader->flags.unicode ? c | BYTE_FLAG : c;
	if (!banned)
		return false;
	reader->banned = banned;
	reader->writer.follows_reference = false;
	bs_rust_put_never(&reader->writer);
	return true;
}

/*
 * As in Rust's crate regex-syntax, alternatives that are single characters become a set, of which
 * lines need not have all characters: a|\n is no error, though \n is.
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
	merger->has_others |= single == NOTHING || single == NO_SINGLE;
	merger->has_bytes |= (single & BYTE_FLAG) != 0;
	merger->has_characters |= single >= 0x80 && !(single & BYTE_FLAG);
	merger->has_text |= single != '\n' && single != '\r';
}

/* Returns the single character of the alternatives, NOTHING or NO_SINGLE. */
static uint32_t end_merging(struct reader *reader, const struct merger *merger)
{
	bool is_set = !merger->has_others && !(merger->has_bytes && merger->has_characters);
	if (merger->n == 1 || (is_set && !merger->differs))
		return merger->first;
	if (is_set && (merger->has_text || !reader->pattern->crlf))
		reader->banned = merger->banned;
	return NO_SINGLE;
}

/* True if the letter case of a character is ignored, and it may have another one. ICU, which would
 * know beyond ASCII, is not loaded for this. */
static bool is_cased(const struct reader *reader, uint32_t c)
{
	return reader->flags.caseless && (c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'));
}

enum bs_status bs_rust_see_literal(struct bs_rust_traits *traits, uint32_t c, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool is_upper = c >= 'A' && c <= 'Z';
	traits->has_literal = true;
	if (c >= 0x80 && !traits->has_upper_case && (status = bs_icu_load(err)) == BS_OK)
		is_upper = bs_icu.u_hasBinaryProperty((UChar32)c, UCHAR_UPPERCASE);
	traits->has_upper_case |= is_upper;
	return status;
}

static void see_literal(struct reader *reader, uint32_t c)
{
	if (reader->pattern->letter_case == BS_GREP_CASE_SMART && !reader->status)
		reader->status = bs_rust_see_literal(reader->traits, c, reader->err);
}

/* Adds a literal character. Returns true if a quantifier after it needs a group. */
static bool add_literal(struct reader *reader, uint32_t c, bool is_byte)
{
	see_literal(reader, c);
	if (put_banned(reader, c))
		return true;
	is_byte &= !reader->flags.unicode;
	if ((c >= 0x80 && !is_byte && !reader->flags.unicode) || is_cased(reader, c))
		reader->single = NO_SINGLE;
	bs_rust_put_char(&reader->writer, &reader->flags, c, is_byte);
	return bs_rust_is_several(&reader->writer, &reader->flags, c) && !is_byte;
}

/* The kind of an escape, or of a character in a class. */
enum primitive {
	PRIMITIVE_NONE, /* an error was reported */
	PRIMITIVE_LITERAL,
	PRIMITIVE_PERL,
	PRIMITIVE_PROPERTY,
	PRIMITIVE_PLACE,     /* an assertion, such as \b */
	PRIMITIVE_REFERENCE, /* a back reference */
};

struct escape {
	enum primitive primitive;
	uint32_t c; /* the character, or the letter of \d or \p */
	bool is_byte;
	enum bs_rust_place place;
	/* from: position of the backslash. name_from, name_end: bounds of a property's name. */
	size_t from, name_from, name_end;
};

static bool is_hex(uint32_t c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static uint32_t hex_value(uint32_t c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

static bool is_scalar(uint32_t c)
{
	return c <= BS_CODE_MAX && (c < 0xd800 || c > 0xdfff);
}

/* Reads the rest of \x41, \x{41}, \u0041, \u{41}, \U00000041 or \U{41}. */
static void read_hex(struct reader *reader, uint32_t letter, struct escape *escape)
{
	size_t n_digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8, n = 0;
	escape->c = 0;
	skip_space(reader);
	bool is_braced = takes(reader, "{");
	for (;; n++) {
		if (n > 0 || is_braced)
			skip_space(reader);
		if (!is_braced && n == n_digits)
			break;
		uint32_t c = next(reader);
		if (is_braced && c == '}')
			break;
		if (c == END || !is_hex(c)) {
			refuse(reader, escape->from,
			       c == END ? "incomplete escape sequence"
			                : "invalid hexadecimal digit",
			       "");
			return;
		}
		escape->c = escape->c > BS_CODE_MAX ? escape->c : escape->c * 16 + hex_value(c);
	}
	if (n == 0)
		refuse(reader, escape->from, "hexadecimal literal empty", "");
	else if (!is_scalar(escape->c))
		refuse(reader, escape->from, "hexadecimal literal is not a Unicode scalar value",
		       "");
	escape->is_byte = letter == 'x' && !is_braced;
	escape->primitive = PRIMITIVE_LITERAL;
}

static void read_property(struct reader *reader, struct escape *escape)
{
	escape->primitive = PRIMITIVE_PROPERTY;
	skip_space(reader);
	escape->name_from = reader->at;
	uint32_t c = next(reader);
	escape->name_end = reader->at;
	if (c == '\\')
		refuse(reader, escape->from, "invalid Unicode character class", "");
	if (c == '{') {
		escape->name_from = reader->at;
		while (!is_over(reader) && peek(reader) != '}')
			next(reader);
		escape->name_end = reader->at;
		c = next(reader);
	}
	if (c == END)
		refuse(reader, escape->from, "incomplete escape sequence", "");
}

/* Reads the braces of \b{start} and the like. \b{2} is a repetition of \b. */
static void read_word_place(struct reader *reader, struct escape *escape)
{
	static const struct {
		const char *name;
		enum bs_rust_place place;
	} places[] = {{"start", BS_RUST_WORD_START},
	              {"end", BS_RUST_WORD_END},
	              {"start-half", BS_RUST_WORD_START_HALF},
	              {"end-half", BS_RUST_WORD_END_HALF}};
	size_t start = reader->at, n = 0;
	char name[12] = "";
	if (!takes(reader, "{"))
		return;
	skip_space(reader);
	uint32_t c = peek(reader);
	if (c != '-' && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
		if (c == END)
			refuse(reader, escape->from, "unclosed brace after \\b", "");
		reader->at = start;
		return;
	}
	while (c == '-' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
		if (n < sizeof(name) - 1)
			name[n++] = (char)c;
		next(reader);
		skip_space(reader);
		c = peek(reader);
	}
	if (!takes(reader, "}")) {
		refuse(reader, escape->from, "special word boundary assertion is unclosed", "");
		return;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (strcmp(places[i].name, name) == 0) {
			escape->place = places[i].place;
			return;
		}
	}
	refuse(reader, escape->from, "unrecognized special word boundary assertion",
	       "; valid are start, end, start-half and end-half");
}

/* Skips the number of a back reference, or the name of \k<name>. */
static void read_reference(struct reader *reader, uint32_t c, struct escape *escape)
{
	static const char openings[] = "{<'", closings[] = "}>'";
	uint32_t opening;
	escape->primitive = PRIMITIVE_REFERENCE;
	if (c != 'k') {
		while (peek(reader) >= '0' && peek(reader) <= '9')
			next(reader);
		return;
	}
	opening = next(reader);
	const char *found = opening < 0x80 && opening ? strchr(openings, (int)opening) : NULL;
	while (found && !is_over(reader) && peek(reader) != (uint32_t)closings[found - openings])
		next(reader);
	if (!found || next(reader) == END)
		refuse(reader, escape->from, "unrecognized escape sequence", "");
}

/* Reads an escape, after the backslash. */
static struct escape read_escape(struct reader *reader)
{
	static const char letters[] = "aftnrv", meanings[] = "\a\f\t\n\r\v";
	struct escape escape = {.primitive = PRIMITIVE_PLACE, .from = reader->at - 1};
	uint32_t c = next(reader);
	const char *special = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
	escape.c = c;
	if (c == END) {
		refuse(reader, escape.from, "incomplete escape sequence", "");
	} else if (c == 'x' || c == 'u' || c == 'U') {
		read_hex(reader, c, &escape);
	} else if (c == 'p' || c == 'P') {
		read_property(reader, &escape);
	} else if (c && c < 0x80 && strchr("dDsSwW", (int)c)) {
		escape.primitive = PRIMITIVE_PERL;
	} else if (special) {
		escape.primitive = PRIMITIVE_LITERAL;
		escape.c = (uint8_t)meanings[special - letters];
	} else if ((c >= '1' && c <= '9') || c == 'k') {
		read_reference(reader, c, &escape);
	} else if (c == '0') {
		refuse(reader, escape.from, "octal escapes and \\0 are not supported",
		       "; write \\x00");
	} else if (c == 'b') {
		escape.place = BS_RUST_WORD_BOUNDARY;
		read_word_place(reader, &escape);
	} else if (c && c < 0x80 && strchr("ABz<>", (int)c)) {
		escape.place = c == 'A'   ? BS_RUST_TEXT_START
		               : c == 'B' ? BS_RUST_NOT_WORD_BOUNDARY
		               : c == 'z' ? BS_RUST_TEXT_END
		               : c == '<' ? BS_RUST_WORD_START
		                          : BS_RUST_WORD_END;
	} else if (c < 0x80 && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
		escape.primitive = PRIMITIVE_LITERAL;
	} else {
		refuse(reader, escape.from, "unrecognized escape sequence",
		       c && c < 0x80 && strchr("hHRKZGQEXNcegov", (int)c)
		               ? "; with -P it means what it means to PCRE2"
		               : "");
	}
	escape.primitive = reader->status ? PRIMITIVE_NONE : escape.primitive;
	return escape;
}

/* Adds the characters of \p{...} to a set. Letter case is folded before the negation. */
static void add_property(struct reader *reader, size_t from, size_t name_from, size_t name_end,
                         bool is_negated, struct bs_char_set *set)
{
	const char *why;
	struct bs_char_set one = {.err = reader->err};
	const uint8_t *name = reader->text + name_from;
	if (!reader->flags.unicode) {
		refuse(reader, from, "Unicode not allowed here", "");
		return;
	}
	if (memmem(name, name_end - name_from, "!=", 2)) {
		refuse(reader, from, "versions of rg disagree about !=", "; use \\P");
		return;
	}
	if (bs_unicode_property(name, name_end - name_from, &one, &why))
		refuse(reader, from, why, "");
	if (reader->flags.caseless)
		bs_char_set_fold(&one, false);
	if (is_negated)
		bs_char_set_negate(&one, BS_CODE_MAX);
	bs_char_set_unite(set, &one);
	bs_char_set_deinit(&one);
}

/* Notes a set of one character like a literal; true: it is written as what never matches. With
 * --crlf, a set of both line ends is treated like one character, too. */
static bool is_banned_set(struct reader *reader, struct bs_char_set *set)
{
	size_t n = bs_char_set_n(set);
	const struct bs_char_range *ranges = set->ranges.items;
	bool is_one = n == 1 && ranges[0].first == ranges[0].last;
	bool are_ends = n == 2 && reader->pattern->crlf && ranges[0].first == '\n' &&
	                ranges[0].last == '\n' && ranges[1].first == '\r' && ranges[1].last == '\r';
	return (is_one || are_ends) && put_banned(reader, ranges[0].first);
}

/* Writes the set of a \p{...} or of a whole class. */
static void put_set(struct reader *reader, struct bs_char_set *set)
{
	(void)bs_char_set_n(set);
	settle(reader, set);
	if (reader->status)
		return;
	/* In a set of several characters, one that no line has is no error, because another one may
	 * match. */
	if (is_banned_set(reader, set))
		return;
	bs_rust_put_set(&reader->writer, &reader->flags, set);
}

/* True for a general category that PCRE2 knows by the same name, so that the set need not be
 * written out. */
static bool is_category(const uint8_t *name, size_t n)
{
	static const char names[] =
		" C Cc Cf Cn Co L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe "
		"Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs ";
	char padded[5] = {' ', n ? (char)name[0] : ' ', n > 1 ? (char)name[1] : ' ', ' ', '\0'};
	padded[n == 1 ? 3 : 4] = '\0';
	return (n == 1 || n == 2) && strstr(names, padded) && name[0] != ' ' && name[n - 1] != ' ';
}

static void add_property_item(struct reader *reader, const struct escape *escape)
{
	struct bs_char_set set = {.err = reader->err};
	size_t n = escape->name_end - escape->name_from;
	const uint8_t *name = reader->text + escape->name_from;
	char text[] = {'\\', (char)escape->c, '{', '\0', '\0', '\0', '\0'};
	if (reader->flags.unicode && !reader->flags.caseless && is_category(name, n) &&
	    reader->writer.form == BS_RUST_CHARACTERS && reader->writer.initial.unicode) {
		memcpy(text + 3, name, n);
		put(reader, text);
		put(reader, "}");
		reader->writer.has_characters = true;
		reader->writer.follows_reference = false;
		return;
	}
	add_property(reader, escape->from, escape->name_from, escape->name_end, escape->c == 'P',
	             &set);
	put_set(reader, &set);
	bs_char_set_deinit(&set);
}

/* The following functions read bracketed classes. */

static uint32_t add_node(struct reader *reader, struct class_node node)
{
	node.next = NO_CHILD;
	node.to = reader->at;
	if (!reader->status)
		reader->status = bs_vector_append(&reader->nodes, &node, reader->err);
	return reader->status ? 0 : (uint32_t)bs_vector_n(&reader->nodes) - 1;
}

/* Appends a child to a list of siblings. */
static void link_node(struct reader *reader, uint32_t *first, uint32_t *last, uint32_t child)
{
	if (reader->status)
		return;
	if (*first == NO_CHILD)
		*first = child;
	else
		reader->nodes.items[*last].next = child;
	*last = child;
}

/* Reads [:name:] or [:^name:]. False: the text is a nested class. */
static bool take_ascii_class(struct reader *reader, uint32_t *node_out)
{
	size_t start = reader->at;
	if (!takes(reader, "[:"))
		return false;
	struct class_node node = {.kind = CLASS_ASCII, .from = start};
	node.is_negated = takes(reader, "^");
	node.name_from = reader->at;
	while (reader->at < reader->n_bytes && reader->at - node.name_from < 8 &&
	       reader->text[reader->at] != ':')
		reader->at++;
	node.name_end = reader->at;
	node.first = (uint32_t)bs_ascii_class(reader->text + node.name_from,
	                                      node.name_end - node.name_from);
	if (!takes(reader, ":]") || node.first == BS_N_ASCII_CLASSES) {
		reader->at = start;
		return false;
	}
	*node_out = add_node(reader, node);
	return true;
}

/* Reads an item of a class: a character or an escape. */
static struct escape read_class_item(struct reader *reader)
{
	size_t from = reader->at;
	if (takes(reader, "\\")) {
		struct escape escape = read_escape(reader);
		if (escape.primitive == PRIMITIVE_PLACE ||
		    escape.primitive == PRIMITIVE_REFERENCE) {
			refuse(reader, from, "invalid escape sequence found in character class",
			       "");
			escape.primitive = PRIMITIVE_NONE;
		}
		return escape;
	}
	return (struct escape){.primitive = PRIMITIVE_LITERAL, .c = next(reader), .from = from};
}

static uint32_t add_escape_node(struct reader *reader, const struct escape *escape)
{
	struct class_node node = {.kind = CLASS_RANGE,
	                          .from = escape->from,
	                          .first = escape->c,
	                          .last = escape->c,
	                          .is_byte = escape->is_byte,
	                          .name_from = escape->name_from,
	                          .name_end = escape->name_end};
	if (escape->primitive == PRIMITIVE_PERL) {
		node.kind = CLASS_PERL;
		node.letter = (char)escape->c;
	} else if (escape->primitive == PRIMITIVE_PROPERTY) {
		node.kind = CLASS_PROPERTY;
		node.is_negated = escape->c == 'P';
	} else {
		see_literal(reader, escape->c);
	}
	return add_node(reader, node);
}

/* Reads an item, and the end of the range if it begins one. */
static uint32_t read_class_range(struct reader *reader)
{
	size_t from = reader->at;
	struct escape first = read_class_item(reader);
	skip_space(reader);
	if (reader->status)
		return 0;
	uint32_t after = peek_after(reader);
	if (peek(reader) != '-' || after == ']' || after == '-')
		return add_escape_node(reader, &first);
	next(reader);
	skip_space(reader);
	if (is_over(reader))
		return 0; /* the class is unclosed */
	struct escape last = read_class_item(reader);
	if (!reader->status &&
	    (first.primitive != PRIMITIVE_LITERAL || last.primitive != PRIMITIVE_LITERAL))
		refuse(reader, from, "invalid range boundary, must be a literal", "");
	else if (!reader->status && first.c > last.c)
		refuse(reader, from, "invalid character class range, the start must be <= the end",
		       "");
	if (reader->status)
		return 0;
	see_literal(reader, first.c);
	see_literal(reader, last.c);
	return add_node(reader, (struct class_node){.kind = CLASS_RANGE,
	                                            .from = from,
	                                            .first = first.c,
	                                            .last = last.c,
	                                            .is_byte = first.is_byte && last.is_byte});
}

/* Reads the start of a class after its bracket: ^, and - and ] as characters. */
static bool begin_class(struct reader *reader, uint32_t *first, uint32_t *last)
{
	bool is_negated;
	skip_space(reader);
	is_negated = takes(reader, "^");
	if (is_negated)
		skip_space(reader);
	bool has_hyphen = false;
	while (peek(reader) == '-') {
		struct escape escape = read_class_item(reader);
		link_node(reader, first, last, add_escape_node(reader, &escape));
		has_hyphen = true;
		skip_space(reader);
	}
	if (!has_hyphen && peek(reader) == ']') {
		struct escape escape = read_class_item(reader);
		link_node(reader, first, last, add_escape_node(reader, &escape));
		skip_space(reader);
	}
	return is_negated;
}

/* Ends the union of the items from `first` on: the right operand of an operation, or, if left is
 * NO_CHILD, the only or the left operand. Returns the node of the union or of the operation. */
static uint32_t end_operand(struct reader *reader, uint32_t left, char operation, uint32_t first,
                            size_t from)
{
	uint32_t operand = add_node(
		reader, (struct class_node){.kind = CLASS_UNION, .from = from, .first = first});
	if (left == NO_CHILD || reader->status)
		return operand;
	reader->nodes.items[left].next = NO_CHILD;
	return add_node(reader, (struct class_node){.kind = CLASS_OPERATION,
	                                            .from = from,
	                                            .letter = operation,
	                                            .first = left,
	                                            .last = operand});
}

/* Reads a class after its opening bracket, which is at `from`. */
static uint32_t read_class(struct reader *reader, size_t from)
{
	uint32_t first = NO_CHILD, last = NO_CHILD, left = NO_CHILD, node;
	char operation = 0;
	unsigned n_operations = 0;
	if (is_too_deep(reader, from, ++reader->depth))
		return 0;
	bool is_negated = begin_class(reader, &first, &last);
	for (;;) {
		skip_space(reader);
		size_t at = reader->at;
		if (is_over(reader)) {
			reader->at = from + 1;
			refuse(reader, from, "unclosed character class", "");
			return 0;
		}
		if (takes(reader, "]"))
			break;
		if (!reader->status)
			reader->status = bs_deadline_check_after(ITEM_NS, reader->err);
		if (takes(reader, "&&") || takes(reader, "--") || takes(reader, "~~")) {
			if (!has_room(reader, reader->depth + ++n_operations))
				refuse(reader, from, "a class has too many operations", "");
			left = end_operand(reader, left, operation, first, from);
			operation = (char)reader->text[at];
			first = last = NO_CHILD;
			continue;
		}
		if (peek(reader) == '[') {
			if (!take_ascii_class(reader, &node)) {
				next(reader);
				node = read_class(reader, at);
			}
		} else {
			node = read_class_range(reader);
		}
		link_node(reader, &first, &last, node);
	}
	left = end_operand(reader, left, operation, first, from);
	reader->depth--;
	return add_node(reader, (struct class_node){.kind = CLASS_NESTED,
	                                            .from = from,
	                                            .first = left,
	                                            .is_negated = is_negated});
}

static void fold(const struct reader *reader, struct bs_char_set *set)
{
	if (reader->flags.caseless)
		bs_char_set_fold(set, !reader->flags.unicode);
}

static void negate(const struct reader *reader, struct bs_char_set *set)
{
	bs_char_set_negate(set, reader->flags.unicode ? BS_CODE_MAX : BS_BYTE_MAX);
}

static void eval(struct reader *reader, uint32_t index, struct bs_char_set *set);

static void eval_range(struct reader *reader, const struct class_node *node,
                       struct bs_char_set *set)
{
	bool is_valid =
		reader->flags.unicode || node->last < 0x80 || (node->is_byte && node->last <= 0xff);
	if (!is_valid) {
		reader->at = node->to;
		refuse(reader, node->from, "Unicode not allowed here", "");
	}
	bs_char_set_add(set, node->first, node->last);
}

static void eval_perl(struct reader *reader, char letter, struct bs_char_set *set)
{
	struct bs_char_set one = {.err = reader->err};
	char lower = (char)(letter | 0x20);
	if (reader->flags.unicode) {
		bs_unicode_perl_class(lower, &one);
	} else if (lower == 's') {
		bs_char_set_add(&one, '\t', '\r');
		bs_char_set_add(&one, ' ', ' ');
	} else {
		bs_char_set_add(&one, '0', '9');
		for (const char *c = lower == 'w' ? "Aa__" : ""; *c; c += 2)
			bs_char_set_add(&one, (uint8_t)c[0],
			                c[0] == '_' ? '_' : (uint8_t)c[0] + 25u);
		if (lower == 'w')
			bs_char_set_add(&one, 'a', 'z');
	}
	if (letter != lower)
		negate(reader, &one);
	bs_char_set_unite(set, &one);
	bs_char_set_deinit(&one);
}

static void eval_ascii(struct reader *reader, const struct class_node *node,
                       struct bs_char_set *set)
{
	struct bs_char_set one = {.err = reader->err};
	const char *pairs = bs_ascii_classes[node->first].pairs;
	for (size_t i = 0; i < bs_ascii_classes[node->first].n_bytes; i += 2)
		bs_char_set_add(&one, (uint8_t)pairs[i], (uint8_t)pairs[i + 1]);
	fold(reader, &one);
	if (node->is_negated)
		negate(reader, &one);
	bs_char_set_unite(set, &one);
	bs_char_set_deinit(&one);
}

static void eval_operation(struct reader *reader, const struct class_node *node,
                           struct bs_char_set *set)
{
	struct bs_char_set left = {.err = reader->err}, right = {.err = reader->err};
	char operation = node->letter;
	uint32_t right_index = node->last;
	eval(reader, node->first, &left);
	eval(reader, right_index, &right);
	fold(reader, &left);
	fold(reader, &right);
	if (operation == '&')
		bs_char_set_intersect(&left, &right);
	else if (operation == '-')
		bs_char_set_subtract(&left, &right);
	else
		bs_char_set_differ(&left, &right);
	bs_char_set_unite(set, &left);
	bs_char_set_deinit(&left);
	bs_char_set_deinit(&right);
}

/* Adds the characters of a part of a class, as Rust's crate regex-syntax does: letter case is
 * folded in each class before the class is negated. */
static void eval(struct reader *reader, uint32_t index, struct bs_char_set *set)
{
	struct class_node node = reader->nodes.items[index];
	struct bs_char_set one = {.err = reader->err};
	if (!set->status)
		set->status = bs_deadline_check_after(ITEM_NS, reader->err);
	switch (node.kind) {
	case CLASS_RANGE:
		eval_range(reader, &node, set);
		break;
	case CLASS_PERL:
		eval_perl(reader, node.letter, set);
		break;
	case CLASS_ASCII:
		eval_ascii(reader, &node, set);
		break;
	case CLASS_PROPERTY:
		reader->at = node.to;
		add_property(reader, node.from, node.name_from, node.name_end, node.is_negated,
		             set);
		break;
	case CLASS_OPERATION:
		eval_operation(reader, &node, set);
		break;
	case CLASS_NESTED:
		eval(reader, node.first, &one);
		fold(reader, &one);
		if (node.is_negated)
			negate(reader, &one);
		bs_char_set_unite(set, &one);
		break;
	default: /* CLASS_UNION */
		for (uint32_t i = node.first; i != NO_CHILD && !reader->status;
		     i = reader->nodes.items[i].next)
			eval(reader, i, set);
		break;
	}
	bs_char_set_deinit(&one);
}

BS_VECTOR(members, struct bs_rust_member);

static void add_member(struct reader *reader, struct members *members, uint32_t first,
                       uint32_t last, char letter)
{
	struct bs_rust_member member = {first, last, letter};
	if (!reader->status)
		reader->status = bs_vector_append(members, &member, reader->err);
}

/* Collects the members of a class that can be written nearly verbatim: a union of ranges, ASCII
 * classes and \d \s \w. False: the class has other parts. */
static bool find_members(struct reader *reader, const struct class_node *class,
                         struct members *members)
{
	const struct class_node *operand = &reader->nodes.items[class->first];
	bool is_simple = operand->kind == CLASS_UNION && reader->flags.unicode &&
	                 reader->writer.form == BS_RUST_CHARACTERS &&
	                 reader->writer.initial.unicode;
	for (uint32_t i = operand->first; is_simple && i != NO_CHILD;) {
		const struct class_node *node = &reader->nodes.items[i];
		const char *pairs = "";
		size_t n_pairs = 0;
		if (node->kind == CLASS_RANGE)
			add_member(reader, members, node->first, node->last, 0);
		else if (node->kind == CLASS_PERL && reader->writer.initial.crlf &&
		         strchr("DW", node->letter))
			is_simple = false; /* regex_rewrite.c could not remove \r from it */
		else if (node->kind == CLASS_PERL)
			add_member(reader, members, 0, 0, node->letter);
		else if (node->kind == CLASS_ASCII && !node->is_negated) {
			pairs = bs_ascii_classes[node->first].pairs;
			n_pairs = bs_ascii_classes[node->first].n_bytes;
		} else
			is_simple = false;
		for (size_t k = 0; k < n_pairs; k += 2)
			add_member(reader, members, (uint8_t)pairs[k], (uint8_t)pairs[k + 1], 0);
		i = node->next;
	}
	return is_simple && bs_vector_n(members) > 0;
}

/* is_banned_set for members. */
static bool are_banned(struct reader *reader, const struct members *members, bool is_negated)
{
	struct bs_char_set set = {.err = reader->err};
	bool may_be_single = true;
	for (size_t i = 0; i < bs_vector_n(members) && may_be_single; i++) {
		bs_char_set_add(&set, members->items[i].first, members->items[i].last);
		/* \d \s \w and their negations contain several characters. */
		may_be_single =
			!members->items[i].letter && (is_negated || bs_char_set_n(&set) <= 2);
	}
	if (may_be_single && is_negated)
		negate(reader, &set);
	if (may_be_single)
		settle(reader, &set);
	bool is_banned = may_be_single && !reader->status && is_banned_set(reader, &set);
	if (!is_banned && reader->single != NO_SINGLE && is_cased(reader, reader->single))
		reader->single = NO_SINGLE;
	bs_char_set_deinit(&set);
	return is_banned;
}

static void read_class_item_outside(struct reader *reader, size_t from)
{
	struct members members = {0};
	struct bs_char_set set = {.err = reader->err};
	bs_vector_clear(&reader->nodes);
	uint32_t index = read_class(reader, from);
	size_t end = reader->at;
	if (!reader->status) {
		struct class_node class = reader->nodes.items[index];
		if (find_members(reader, &class, &members)) {
			if (!are_banned(reader, &members, class.is_negated))
				bs_rust_put_members(&reader->writer, &reader->flags, members.items,
				                    bs_vector_n(&members), class.is_negated);
		} else {
			eval(reader, index, &set);
			put_set(reader, &set);
			reader->at = reader->status ? reader->at : end;
		}
	}
	bs_vector_deinit(&members);
	bs_char_set_deinit(&set);
}

/* The following functions read groups. */

static void read_either(struct reader *reader);

/* Reads the rest of a group, which begins at `from`, through its closing parenthesis. outside: the
 * flags after the group. */
static void read_group_rest(struct reader *reader, size_t from, const struct bs_rust_flags *outside)
{
	if (is_too_deep(reader, from, ++reader->depth))
		return;
	read_either(reader);
	reader->height++;
	if (!takes(reader, ")")) {
		reader->at = from + 1;
		refuse(reader, from, "unclosed group", "");
	}
	reader->depth--;
	reader->flags = *outside;
	put(reader, ")");
	reader->writer.follows_reference = false;
}

/* Reads and writes the name of a group through >. */
static void read_name(struct reader *reader, size_t from)
{
	size_t start = reader->at;
	uint32_t c;
	while ((c = peek(reader)) != '>' && c != END) {
		bool is_first = reader->at == start;
		bool is_ascii = c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
		                (!is_first && c >= '0' && c <= '9');
		next(reader);
		if (is_ascii)
			continue;
		if (c < 0x80 && (is_first || !strchr(".[]", (int)c)))
			refuse(reader, from, "invalid capture group character", "");
		else
			refuse(reader, from, "unsupported capture group name",
			       "; only ASCII letters, digits and _ are supported");
		return;
	}
	struct name name = {reader->text + start, reader->at - start};
	if (c == END)
		refuse(reader, from, "unclosed capture group name", "");
	else if (name.n_bytes == 0)
		refuse(reader, from, "empty capture group name", "");
	else if (name.n_bytes > NAME_BYTES)
		refuse(reader, from, "unsupported capture group name", "; 32 bytes are the most");
	else if (bs_vector_n(&reader->names) == MOST_NAMES)
		refuse(reader, from, "too many named groups", "; 10,000 are the most");
	for (size_t i = 0; i < bs_vector_n(&reader->names) && !reader->status; i++)
		if (reader->names.items[i].n_bytes == name.n_bytes &&
		    memcmp(reader->names.items[i].text, name.text, name.n_bytes) == 0)
			refuse(reader, from, "duplicate capture group name", "");
	if (!reader->status)
		reader->status = bs_vector_append(&reader->names, &name, reader->err);
	next(reader);
	bs_text_put(&reader->writer.to, name.text, name.n_bytes);
	put(reader, ">");
}

/* Reads flags after "(?", through ) or :. Returns which of the two; 0 after an error. */
static uint32_t read_flags(struct reader *reader, size_t from, struct bs_rust_flags *flags)
{
	static const char letters[] = "imsUuRx";
	bool *const places[] = {&flags->caseless,   &flags->multi_line, &flags->dot_all,
	                        &flags->swap_greed, &flags->unicode,    &flags->crlf,
	                        &flags->extended};
	bool is_set[sizeof(letters)] = {false}, is_on = true;
	uint32_t c, before = 0;
	for (; (c = next(reader)) != ')' && c != ':'; before = c) {
		const char *found = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
		if (c == END)
			refuse(reader, from, "unclosed group", "");
		else if (c == '-' && !is_on)
			refuse(reader, from, "flag negation operator repeated", "");
		else if (c != '-' && !found)
			refuse(reader, from, "unrecognized flag",
			       reader->at - from == 3 && c < 0x80 &&
			                       strchr("|(#CP&+0123456789'*", (int)c)
			               ? "; with -P it means what it means to PCRE2"
			               : "");
		else if (found && is_set[found - letters])
			refuse(reader, from, "duplicate flag", "");
		if (reader->status)
			return 0;
		is_on &= c != '-';
		if (found) {
			is_set[found - letters] = true;
			*places[found - letters] = is_on;
		}
	}
	if (before == '-')
		refuse(reader, from, "dangling flag negation operator", "");
	else if (before == 0 && c == ')')
		refuse(reader, from, "repetition operator missing expression", "");
	return reader->status ? 0 : c;
}

/* Writes the changes of the flags i and s, which PCRE2 has, without parentheses. */
static void put_flags(struct reader *reader, const struct bs_rust_flags *flags)
{
	const struct bs_rust_flags *now = &reader->flags;
	bool sets_i = flags->caseless && !now->caseless,
	     clears_i = !flags->caseless && now->caseless, sets_s = flags->dot_all && !now->dot_all,
	     clears_s = !flags->dot_all && now->dot_all;
	/* In the other forms, every set is written out. */
	if (reader->writer.form != BS_RUST_CHARACTERS)
		return;
	put(reader, sets_i ? "i" : "");
	put(reader, sets_s ? "s" : "");
	put(reader, clears_i || clears_s ? "-" : "");
	put(reader, clears_i ? "i" : "");
	put(reader, clears_s ? "s" : "");
}

/* Reads (?flags) or (?flags:...). Returns true for the former, which takes no quantifier. */
static bool read_flag_group(struct reader *reader, size_t from)
{
	struct bs_rust_flags flags = reader->flags, outside = reader->flags;
	size_t start = written(reader);
	uint32_t end = read_flags(reader, from, &flags);
	if (reader->status)
		return true;
	put(reader, "(?");
	put_flags(reader, &flags);
	bool is_empty = written(reader) == start + 2;
	reader->flags = flags;
	reader->writer.follows_reference = false;
	if (end == ':') {
		put(reader, ":");
		read_group_rest(reader, from, &outside);
		return false;
	}
	put(reader, ")");
	if (is_empty && !reader->writer.to.status)
		reader->writer.to.out->used_bytes = start;
	else
		reader->sets_flags |= reader->depth == 0;
	return true;
}

/* Reads a group after its parenthesis. Returns true for (?flags), which takes no quantifier. */
static bool read_group(struct reader *reader, size_t from)
{
	static const char *const extensions[] = {"?=", "?!", "?<=", "?<!", "?>"};
	struct bs_rust_flags outside = reader->flags;
	reader->writer.follows_reference = false;
	skip_space(reader);
	for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++) {
		if (!takes(reader, extensions[i]))
			continue;
		reader->traits->has_extension = true;
		put(reader, "(");
		put(reader, extensions[i]);
		read_group_rest(reader, from, &outside);
		reader->single = NO_SINGLE;
		return false;
	}
	if (takes(reader, "?P=")) {
		size_t start = reader->at;
		while (!is_over(reader) && peek(reader) != ')')
			next(reader);
		reader->traits->has_extension = true;
		put(reader, "(?P=");
		bs_text_put(&reader->writer.to, reader->text + start, reader->at - start);
		put(reader, ")");
		if (!takes(reader, ")"))
			refuse(reader, from, "unclosed group", "");
		return false;
	}
	bool is_named = takes(reader, "?P<") || takes(reader, "?<");
	if (!is_named && takes(reader, "?"))
		return read_flag_group(reader, from);
	reader->n_groups++;
	put(reader, is_named ? "(?P<" : "(");
	if (is_named)
		read_name(reader, from);
	read_group_rest(reader, from, &outside);
	reader->single = NO_SINGLE;
	return false;
}

/* The following functions read repetitions. */

/* Reads a decimal number. False: there is none. A number over 65535 becomes some number over
 * it. */
static bool read_decimal(struct reader *reader, uint32_t *number_out)
{
	bool has_digits = false;
	*number_out = 0;
	while (is_space(peek(reader)))
		next(reader);
	while (peek(reader) >= '0' && peek(reader) <= '9') {
		uint32_t digit = next(reader) - '0';
		*number_out =
			*number_out > UINT32_MAX / 20 ? *number_out : *number_out * 10 + digit;
		has_digits = true;
		skip_space(reader);
	}
	while (is_space(peek(reader))) {
		next(reader);
		skip_space(reader);
	}
	return has_digits;
}

struct repetition {
	uint32_t least, most;
	bool has_most;
};

static bool read_braces(struct reader *reader, size_t from, struct repetition *repetition)
{
	const char *why = NULL;
	skip_space(reader);
	bool has_least = read_decimal(reader, &repetition->least), has_most = true;
	repetition->most = repetition->least;
	repetition->has_most = true;
	if (takes(reader, ",")) {
		skip_space(reader);
		repetition->has_most = peek(reader) != '}';
		if (repetition->has_most)
			has_most = read_decimal(reader, &repetition->most);
	}
	if (is_over(reader))
		why = "unclosed counted repetition";
	else if (!has_least || !has_most)
		why = "repetition quantifier expects a valid decimal";
	else if (peek(reader) != '}')
		why = "unclosed counted repetition";
	else if (repetition->has_most && repetition->most < repetition->least)
		why = "invalid repetition count range, the start must be <= the end";
	if (why)
		refuse(reader, from, why, "");
	next(reader);
	skip_space(reader);
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
static void read_quantifier(struct reader *reader, const struct item *item)
{
	size_t from = reader->at;
	uint32_t c = next(reader);
	struct repetition repetition = {.least = c == '+', .most = 1, .has_most = c == '?'};
	char text[40];
	if (item->start == NO_ITEM) {
		refuse(reader, from, "repetition operator missing expression", "");
		return;
	}
	if (c == '{' && !read_braces(reader, from, &repetition))
		return;
	if (is_too_deep(reader, from, reader->depth + ++reader->height))
		return;
	if (c != '{' || !repetition.has_most || repetition.least != 1 || repetition.most != 1)
		reader->single = NO_SINGLE;
	bool is_lazy = takes(reader, "?") != reader->flags.swap_greed;
	if (item->is_several) {
		insert(reader, item->start, "(?:");
		put(reader, ")");
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
			put(reader, "(?:)");
		}
	}
	put(reader, text);
	put(reader, is_lazy ? "?" : "");
	reader->writer.follows_reference = false;
}

/* Adds an escape outside classes. Returns true if a quantifier after it needs a group. */
static bool add_escape(struct reader *reader)
{
	struct escape escape = read_escape(reader);
	switch (escape.primitive) {
	case PRIMITIVE_LITERAL:
		return add_literal(reader, escape.c, escape.is_byte);
	case PRIMITIVE_PERL:
		bs_rust_put_perl(&reader->writer, &reader->flags, (char)escape.c);
		return reader->writer.form != BS_RUST_CHARACTERS;
	case PRIMITIVE_PROPERTY:
		add_property_item(reader, &escape);
		return false;
	case PRIMITIVE_PLACE:
		bs_rust_put_place(&reader->writer, &reader->flags, escape.place);
		return true;
	case PRIMITIVE_REFERENCE:
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
static bool read_item(struct reader *reader, bool *is_item_out)
{
	size_t from = reader->at;
	uint32_t c = next(reader);
	switch (c) {
	case '(':
		*is_item_out = !read_group(reader, from);
		return false;
	case '[':
		read_class_item_outside(reader, from);
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
static void read_either(struct reader *reader)
{
	struct item item = {.start = NO_ITEM};
	unsigned height = 0;
	struct merger merger = {.banned = reader->banned};
	uint32_t single = NOTHING; /* of the current alternative */
	for (;;) {
		height = reader->height > height ? reader->height : height;
		skip_space(reader);
		uint32_t c = peek(reader);
		if (c == END || c == ')')
			break;
		if (!reader->status)
			reader->status = bs_deadline_check_after(ITEM_NS, reader->err);
		if (c == '|') {
			next(reader);
			put(reader, "|");
			merge(&merger, single);
			single = NOTHING;
			item.start = NO_ITEM;
			reader->writer.follows_reference = false;
		} else if (c == '?' || c == '*' || c == '+' || c == '{') {
			read_quantifier(reader, &item);
			item.is_several = true;
			single = reader->single == NO_SINGLE ? NO_SINGLE : single;
		} else {
			bool is_item = true;
			reader->height = 0;
			reader->single = NO_SINGLE;
			item = (struct item){.start = written(reader),
			                     .banned = reader->banned,
			                     .n_groups = reader->n_groups};
			item.is_several = read_item(reader, &is_item);
			item.start = is_item ? item.start : NO_ITEM;
			if (is_item && reader->single != NOTHING)
				single = single == NOTHING ? reader->single : NO_SINGLE;
		}
	}
	merge(&merger, single);
	reader->single = end_merging(reader, &merger);
	reader->height = height;
}

/* Reads a pattern of -F: every character is a literal. */
static void read_fixed(struct reader *reader)
{
	while (!is_over(reader))
		add_literal(reader, next(reader), false);
}

static void read_pattern(struct reader *reader, size_t index)
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
	if (!is_over(reader)) {
		size_t from = reader->at++;
		refuse(reader, from, "unopened group", "");
	}
	/* Flags that a pattern sets do not apply to the patterns after it. */
	if (reader->sets_flags) {
		insert(reader, start, "(?:");
		put(reader, ")");
	}
}

static enum bs_rust_place word_edge(const struct reader *reader, enum bs_rust_place half)
{
	return reader->options->has_word_edges ? BS_RUST_WORD_BOUNDARY : half;
}

/* In the other forms than that of characters, the additions of -w and -x are written here. */
static void begin_bytes(struct reader *reader)
{
	bool is_line = reader->pattern->is_line && reader->pattern->n_patterns == 1;
	if (reader->pattern->is_word)
		bs_rust_put_place(&reader->writer, &reader->writer.initial,
		                  word_edge(reader, BS_RUST_WORD_START_HALF));
	else if (is_line)
		bs_rust_put_place(&reader->writer, &reader->writer.initial, BS_RUST_LINE_START);
	put(reader, "(?:");
}

static void end_bytes(struct reader *reader)
{
	bool is_line = reader->pattern->is_line && reader->pattern->n_patterns == 1;
	put(reader, ")");
	if (reader->pattern->is_word)
		bs_rust_put_place(&reader->writer, &reader->writer.initial,
		                  word_edge(reader, BS_RUST_WORD_END_HALF));
	else if (is_line)
		bs_rust_put_place(&reader->writer, &reader->writer.initial, BS_RUST_LINE_END);
	put(reader, bs_rust_start_anywhere(reader->pattern));
	if (!reader->status)
		bs_rust_put_definitions(&reader->writer);
}

enum bs_status bs_rust_translate(const struct bs_grep_pattern *pattern,
                                 const struct bs_rust_options *options, struct bs_buffer *text_out,
                                 struct bs_rust_traits *traits_out, struct bs_error *err)
{
	bool is_line = pattern->is_line && pattern->n_patterns > 1;
	struct reader reader = {
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
		put(&reader, i > 0 ? "|" : "");
		put(&reader, is_line ? bs_rust_line_start(pattern) : "");
		put(&reader, is_line ? "(?:" : "");
		read_pattern(&reader, i);
		merge(&merger, reader.single);
		n_unbanned += !reader.banned;
		put(&reader, is_line ? ")" : "");
		put(&reader, is_line ? bs_rust_line_end(pattern) : "");
	}
	if (merger.n)
		(void)end_merging(&reader, &merger);
	if (reader.banned) {
		reader.text = (const uint8_t *)pattern->patterns[n_unbanned];
		reader.n_bytes = pattern->pattern_bytes[n_unbanned];
		reader.at = 0;
		refuse(&reader, 0, reader.banned, "");
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
