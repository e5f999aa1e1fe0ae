/* rust_reader.c: see rust_reader.h. */
#include "query/regex/rust/rust_reader.h"

#include <string.h>

#include <unicode/utf8.h>

#include "core/base/utf8.h"
#include "core/bitsift/status.h"
#include "core/system/stack.h"

#define MOST_DEPTH  249u  /* ripgrep's limit for nested groups, classes and repetitions */
#define LEVEL_BYTES 1024u /* estimated stack for a level of nesting */
#define FEW_LEVELS  16u   /* levels that are allowed on any stack */
#define SHOWN_BYTES 200   /* most bytes of a pattern in a message */

bool bs_rust_is_over(const struct bs_rust_reader *reader)
{
	return reader->status || reader->writer.to.status || reader->at >= reader->n_bytes;
}

void bs_rust_refuse(struct bs_rust_reader *reader, size_t from, const char *what, const char *hint)
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

uint32_t bs_rust_peek(const struct bs_rust_reader *reader)
{
	size_t at = reader->at;
	UChar32 c;
	if (bs_rust_is_over(reader))
		return BS_RUST_END;
	U8_NEXT_UNSAFE(reader->text, at, c);
	return (uint32_t)c;
}

uint32_t bs_rust_next(struct bs_rust_reader *reader)
{
	UChar32 c;
	if (bs_rust_is_over(reader))
		return BS_RUST_END;
	U8_NEXT_UNSAFE(reader->text, reader->at, c);
	return (uint32_t)c;
}

bool bs_rust_takes(struct bs_rust_reader *reader, const char *string)
{
	size_t n = strlen(string);
	if (bs_rust_is_over(reader) || reader->n_bytes - reader->at < n ||
	    memcmp(reader->text + reader->at, string, n) != 0)
		return false;
	reader->at += n;
	return true;
}

bool bs_rust_is_space(uint32_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

void bs_rust_skip_space(struct bs_rust_reader *reader)
{
	while (reader->flags.extended && !bs_rust_is_over(reader)) {
		if (bs_rust_is_space(bs_rust_peek(reader))) {
			bs_rust_next(reader);
			continue;
		}
		if (bs_rust_peek(reader) != '#')
			break;
		while (!bs_rust_is_over(reader) && bs_rust_next(reader) != '\n')
			continue;
	}
}

uint32_t bs_rust_peek_after(struct bs_rust_reader *reader)
{
	size_t at = reader->at;
	bs_rust_next(reader);
	bs_rust_skip_space(reader);
	uint32_t c = bs_rust_peek(reader);
	reader->at = at;
	return c;
}

bool bs_rust_has_room(struct bs_rust_reader *reader, unsigned depth)
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

bool bs_rust_is_too_deep(struct bs_rust_reader *reader, size_t from, unsigned depth)
{
	if (bs_rust_has_room(reader, depth))
		return false;
	bs_rust_refuse(reader, from, "groups, classes and repetitions are nested too deeply", "");
	return true;
}

void bs_rust_put_text(struct bs_rust_reader *reader, const char *text)
{
	bs_text_put_string(&reader->writer.to, text);
}

void bs_rust_settle(struct bs_rust_reader *reader, struct bs_char_set *set)
{
	if (!reader->status)
		reader->status = set->status;
}

bool bs_rust_put_banned(struct bs_rust_reader *reader, uint32_t c)
{
	const char *banned = bs_rust_banned(reader->pattern, reader->options->bans_nul, c);
	reader->single = c >= 0x80 && !reader->flags.unicode ? c | BS_RUST_BYTE_FLAG : c;
	if (!banned)
		return false;
	reader->banned = banned;
	/* If other alternatives lift the ban, NUL may match in a named file, as in rg. */
	if (c == 0)
		return false;
	reader->writer.follows_reference = false;
	bs_rust_put_never(&reader->writer);
	return true;
}

bool bs_rust_is_cased(const struct bs_rust_reader *reader, uint32_t c)
{
	return reader->flags.caseless && (c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'));
}

void bs_rust_see_character(struct bs_rust_reader *reader, uint32_t c)
{
	if (reader->pattern->letter_case == BS_GREP_CASE_SMART && !reader->status)
		reader->status = bs_rust_see_literal(reader->traits, c, reader->err);
}

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
static void read_hex(struct bs_rust_reader *reader, uint32_t letter, struct bs_rust_escape *escape)
{
	size_t n_digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8, n = 0;
	escape->c = 0;
	bs_rust_skip_space(reader);
	bool is_braced = bs_rust_takes(reader, "{");
	for (;; n++) {
		if (n > 0 || is_braced)
			bs_rust_skip_space(reader);
		if (!is_braced && n == n_digits)
			break;
		uint32_t c = bs_rust_next(reader);
		if (is_braced && c == '}')
			break;
		if (c == BS_RUST_END || !is_hex(c)) {
			bs_rust_refuse(reader, escape->from,
			               c == BS_RUST_END ? "incomplete escape sequence"
			                                : "invalid hexadecimal digit",
			               "");
			return;
		}
		escape->c = escape->c > BS_CODE_MAX ? escape->c : escape->c * 16 + hex_value(c);
	}
	if (n == 0)
		bs_rust_refuse(reader, escape->from, "hexadecimal literal empty", "");
	else if (!is_scalar(escape->c))
		bs_rust_refuse(reader, escape->from,
		               "hexadecimal literal is not a Unicode scalar value", "");
	escape->is_byte = letter == 'x' && !is_braced;
	escape->primitive = BS_RUST_PRIMITIVE_LITERAL;
}

static void read_property(struct bs_rust_reader *reader, struct bs_rust_escape *escape)
{
	escape->primitive = BS_RUST_PRIMITIVE_PROPERTY;
	bs_rust_skip_space(reader);
	escape->name_from = reader->at;
	uint32_t c = bs_rust_next(reader);
	escape->name_end = reader->at;
	if (c == '\\')
		bs_rust_refuse(reader, escape->from, "invalid Unicode character class", "");
	if (c == '{') {
		escape->name_from = reader->at;
		while (!bs_rust_is_over(reader) && bs_rust_peek(reader) != '}')
			bs_rust_next(reader);
		escape->name_end = reader->at;
		c = bs_rust_next(reader);
	}
	if (c == BS_RUST_END)
		bs_rust_refuse(reader, escape->from, "incomplete escape sequence", "");
}

/* Reads the braces of \b{start} and the like. \b{2} is a repetition of \b. */
static void read_word_place(struct bs_rust_reader *reader, struct bs_rust_escape *escape)
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
	if (!bs_rust_takes(reader, "{"))
		return;
	bs_rust_skip_space(reader);
	uint32_t c = bs_rust_peek(reader);
	if (c != '-' && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
		if (c == BS_RUST_END)
			bs_rust_refuse(reader, escape->from, "unclosed brace after \\b", "");
		reader->at = start;
		return;
	}
	while (c == '-' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
		if (n < sizeof(name) - 1)
			name[n++] = (char)c;
		bs_rust_next(reader);
		bs_rust_skip_space(reader);
		c = bs_rust_peek(reader);
	}
	if (!bs_rust_takes(reader, "}")) {
		bs_rust_refuse(reader, escape->from, "special word boundary assertion is unclosed",
		               "");
		return;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (strcmp(places[i].name, name) == 0) {
			escape->place = places[i].place;
			return;
		}
	}
	bs_rust_refuse(reader, escape->from, "unrecognized special word boundary assertion",
	               "; valid are start, end, start-half and end-half");
}

/* Skips the number of a back reference, or the name of \k<name>. */
static void read_reference(struct bs_rust_reader *reader, uint32_t c, struct bs_rust_escape *escape)
{
	static const char openings[] = "{<'", closings[] = "}>'";
	uint32_t opening;
	escape->primitive = BS_RUST_PRIMITIVE_REFERENCE;
	if (c != 'k') {
		while (bs_rust_peek(reader) >= '0' && bs_rust_peek(reader) <= '9')
			bs_rust_next(reader);
		return;
	}
	opening = bs_rust_next(reader);
	const char *found = opening < 0x80 && opening ? strchr(openings, (int)opening) : NULL;
	while (found && !bs_rust_is_over(reader) &&
	       bs_rust_peek(reader) != (uint32_t)closings[found - openings])
		bs_rust_next(reader);
	if (!found || bs_rust_next(reader) == BS_RUST_END)
		bs_rust_refuse(reader, escape->from, "unrecognized escape sequence", "");
}

struct bs_rust_escape bs_rust_read_escape(struct bs_rust_reader *reader)
{
	static const char letters[] = "aftnrv", meanings[] = "\a\f\t\n\r\v";
	struct bs_rust_escape escape = {.primitive = BS_RUST_PRIMITIVE_PLACE,
	                                .from = reader->at - 1};
	uint32_t c = bs_rust_next(reader);
	const char *special = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
	escape.c = c;
	if (c == BS_RUST_END) {
		bs_rust_refuse(reader, escape.from, "incomplete escape sequence", "");
	} else if (c == 'x' || c == 'u' || c == 'U') {
		read_hex(reader, c, &escape);
	} else if (c == 'p' || c == 'P') {
		read_property(reader, &escape);
	} else if (c && c < 0x80 && strchr("dDsSwW", (int)c)) {
		escape.primitive = BS_RUST_PRIMITIVE_PERL;
	} else if (special) {
		escape.primitive = BS_RUST_PRIMITIVE_LITERAL;
		escape.c = (uint8_t)meanings[special - letters];
	} else if ((c >= '1' && c <= '9') || c == 'k') {
		read_reference(reader, c, &escape);
	} else if (c == '0') {
		bs_rust_refuse(reader, escape.from, "octal escapes and \\0 are not supported",
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
		escape.primitive = BS_RUST_PRIMITIVE_LITERAL;
	} else {
		bs_rust_refuse(reader, escape.from, "unrecognized escape sequence",
		               c && c < 0x80 && strchr("hHRKZGQEXNcegov", (int)c)
		                       ? "; with -P it means what it means to PCRE2"
		                       : "");
	}
	escape.primitive = reader->status ? BS_RUST_PRIMITIVE_NONE : escape.primitive;
	return escape;
}
