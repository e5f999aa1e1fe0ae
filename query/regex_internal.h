/* regex_internal.h: the parser of regex_parse.c, and what it leaves to regex_group.c and regex_escape.c. Inside query/
 * only. */
#ifndef BS_QUERY_REGEX_INTERNAL_H
#define BS_QUERY_REGEX_INTERNAL_H

#include "query/regex_parse.h"

struct bs_regex_parser {
	const uint8_t *text;
	size_t n_bytes;
	size_t at;
	unsigned depth;
	uint32_t n_alternatives; /* of the group parsed last */
	bool is_extended;        /* white space and comments are ignored */
	bool is_quoting;         /* between \Q and \E */
	bool keeps_classes;      /* of the options */
	bool is_caseless;
	bool is_odd_newline;     /* a verb set what ends a line, and so a comment */
	bool gave_up;            /* the pattern is anything; what follows does not matter */
	enum bs_status status;
	struct bs_regex *regex;
	struct bs_error *err;
};

/* What will be the children of one node. */
struct bs_regex_children {
	uint32_t n;
	uint32_t first;
	uint32_t last;
};

/* Whether properties of characters up to c may be asked for: of more than ASCII, only with ICU. If not, status is set. */
bool bs_regex_knows(struct bs_regex_parser *parser, uint32_t c);

/* All that make a node return its index; after a failure some index, with status set. */
uint32_t bs_regex_add(struct bs_regex_parser *parser, enum bs_regex_kind kind);
void bs_regex_adopt(struct bs_regex_parser *parser, uint32_t parent, uint32_t child);
uint32_t bs_regex_give_up(struct bs_regex_parser *parser);
/* A node of the character, folded. */
uint32_t bs_regex_add_char(struct bs_regex_parser *parser, uint32_t c);
/* With keeps_classes: a node of the class, and of whatever letter case makes of it. */
uint32_t bs_regex_add_class(struct bs_regex_parser *parser, const struct bs_regex_class *class);

static inline void bs_regex_class_put(struct bs_regex_class *class, uint32_t c)
{
	if (c < 0x80)
		class->ascii[c >> 3] |= (uint8_t)(1u << (c & 7));
	else
		class->has_more = true;
}

static inline bool bs_regex_class_has(const struct bs_regex_class *class, uint32_t c)
{
	return c < 0x80 ? class->ascii[c >> 3] >> (c & 7) & 1 : class->has_more;
}

static inline bool bs_regex_is_over(const struct bs_regex_parser *parser)
{
	return parser->at >= parser->n_bytes || parser->gave_up || parser->status;
}

/* Whether the text goes on with the string. */
bool bs_regex_sees(const struct bs_regex_parser *parser, const char *string);
/* The same, and goes past it. */
bool bs_regex_takes(struct bs_regex_parser *parser, const char *string);
/* Goes past the next end; gives up without one. */
void bs_regex_skip_past(struct bs_regex_parser *parser, char end);
/* The next character; must not be over. The pattern is known to be UTF-8. */
uint32_t bs_regex_next(struct bs_regex_parser *parser);

/* Decimal digits; a number over 65535 is some number over 65535. */
bool bs_regex_take_number(struct bs_regex_parser *parser, uint32_t *number_out);

/* Alternatives, up to a parenthesis that closes or the end. */
uint32_t bs_regex_parse_either(struct bs_regex_parser *parser);

/* regex_group.c: behind ( , behind (? and behind (* . Options set inside a group end with it. */
uint32_t bs_regex_parse_rest(struct bs_regex_parser *parser);
uint32_t bs_regex_parse_group(struct bs_regex_parser *parser);
uint32_t bs_regex_parse_verb(struct bs_regex_parser *parser);

/* regex_escape.c: what begins with a backslash, outside of classes, and is no \Q or \E; and what begins with a bracket. */
uint32_t bs_regex_parse_escape(struct bs_regex_parser *parser);
uint32_t bs_regex_parse_class(struct bs_regex_parser *parser);

#endif
