/*
 * rust_reader.h: reads a pattern in Rust's syntax character by character: white space, comments,
 * escapes, errors. rust_syntax.c reads groups and repetitions with it, rust_class.c bracketed
 * classes and properties. Private to these files.
 */
#pragma once

#include "core/base/vector.h"
#include "query/regex/rust/char_set.h"
#include "query/regex/rust/rust_options.h"
#include "query/regex/rust/rust_write.h"

#define BS_RUST_END       UINT32_MAX       /* no character follows */
#define BS_RUST_NOTHING   UINT32_MAX       /* reader->single: the item is empty */
#define BS_RUST_NO_SINGLE (UINT32_MAX - 1) /* reader->single: not a single character */
#define BS_RUST_BYTE_FLAG (1u << 31)       /* reader->single: a single byte beyond ASCII */
#define BS_RUST_ITEM_NS   50u              /* estimated time to translate an item */

struct bs_rust_name {
	const uint8_t *text;
	size_t n_bytes;
};

BS_VECTOR(bs_rust_names, struct bs_rust_name);

/* A part of a bracketed class. */
struct bs_rust_class_node {
	uint8_t kind; /* enum class_kind of rust_class.c */
	bool is_negated;
	bool is_byte;    /* the range was written as \xNN */
	char letter;     /* PERL: the letter after the backslash; OPERATION: & - or ~ */
	size_t from, to; /* position in the pattern */
	/* RANGE: its ends. ASCII: `first` is an index of bs_ascii_classes. OPERATION: the operands.
	 * NESTED, UNION: `first` is the first child, or none (NO_CHILD). */
	uint32_t first, last;
	size_t name_from, name_end; /* range of the name of a property or of [:name:] */
	uint32_t next;              /* next sibling, or NO_CHILD */
};

BS_VECTOR(bs_rust_class_nodes, struct bs_rust_class_node);

struct bs_rust_reader {
	const uint8_t *text;
	size_t n_bytes, at;
	unsigned depth;
	unsigned most_depth; /* the deepest nesting for which the stack has room; 0: unknown yet */
	unsigned height;     /* how deep the last item or group nests groups and repetitions */
	/* the only character that the last item or group matches, BS_RUST_NOTHING or
	 * BS_RUST_NO_SINGLE */
	uint32_t single;
	const struct bs_grep_pattern *pattern;
	const struct bs_rust_options *options;
	struct bs_rust_flags flags;
	struct bs_rust_writer writer;
	struct bs_rust_traits *traits;
	struct bs_rust_names names;       /* names of groups, in all patterns */
	uint32_t n_groups;                /* capturing groups so far, in all patterns */
	struct bs_rust_class_nodes nodes; /* nodes of the current class */
	bool sets_flags;                  /* the pattern sets flags outside groups */
	/* The message that a required character cannot match, because no searched line has it.
	 * NULL: no such character so far. The message becomes an error after the last pattern. It
	 * is dropped if the character turns out to be optional: repeated 0 times, or one of several
	 * alternatives that are single characters. */
	const char *banned;
	enum bs_status status;
	struct bs_error *err;
};

/* The kind of an escape, or of a character in a class. */
enum bs_rust_primitive {
	BS_RUST_PRIMITIVE_NONE, /* an error was reported */
	BS_RUST_PRIMITIVE_LITERAL,
	BS_RUST_PRIMITIVE_PERL,
	BS_RUST_PRIMITIVE_PROPERTY,
	BS_RUST_PRIMITIVE_PLACE,     /* an assertion, such as \b */
	BS_RUST_PRIMITIVE_REFERENCE, /* a back reference */
};

struct bs_rust_escape {
	enum bs_rust_primitive primitive;
	uint32_t c; /* the character, or the letter of \d or \p */
	bool is_byte;
	enum bs_rust_place place;
	/* from: position of the backslash. name_from, name_end: bounds of a property's name. */
	size_t from, name_from, name_end;
};

/* True at the end of the pattern, and after an error. */
bool bs_rust_is_over(const struct bs_rust_reader *reader);
/* Reports an error at text[from..reader->at). hint: appended to the message. */
void bs_rust_refuse(struct bs_rust_reader *reader, size_t from, const char *what, const char *hint);

/* Both return the next character; BS_RUST_END at the end. bs_rust_next also advances past it. */
uint32_t bs_rust_peek(const struct bs_rust_reader *reader);
uint32_t bs_rust_next(struct bs_rust_reader *reader);
/* The character after the next one and after ignored text; BS_RUST_END: there is none. */
uint32_t bs_rust_peek_after(struct bs_rust_reader *reader);
/* Reads the string if it follows, and returns whether it does. */
bool bs_rust_takes(struct bs_rust_reader *reader, const char *string);
/* True for characters with Unicode's property White_Space. */
bool bs_rust_is_space(uint32_t c);
/* Skips white space and comments, with the flag x. */
void bs_rust_skip_space(struct bs_rust_reader *reader);
/* Reads an escape, after the backslash. */
struct bs_rust_escape bs_rust_read_escape(struct bs_rust_reader *reader);

/* True if the depth is allowed and the stack has room for it. */
bool bs_rust_has_room(struct bs_rust_reader *reader, unsigned depth);
/* If there is no room, reports an error at `from` and returns true. */
bool bs_rust_is_too_deep(struct bs_rust_reader *reader, size_t from, unsigned depth);

/* Appends to the output. */
void bs_rust_put_text(struct bs_rust_reader *reader, const char *text);
/* Notes that the last item is the single character c. If c is a line end that no line has, writes a
 * text that never matches, and returns true. */
bool bs_rust_put_banned(struct bs_rust_reader *reader, uint32_t c);
/* Passes the failure of a set on to the reader. */
void bs_rust_settle(struct bs_rust_reader *reader, struct bs_char_set *set);

/* True if letter case is ignored, and the character may have another case. Any character beyond
 * ASCII may, because ICU is not loaded for this. */
bool bs_rust_is_cased(const struct bs_rust_reader *reader, uint32_t c);
/* With -S: notes whether a character of the pattern has upper case. */
void bs_rust_see_character(struct bs_rust_reader *reader, uint32_t c);
