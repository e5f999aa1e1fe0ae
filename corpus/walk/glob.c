/*
 * glob.c: a pattern is parsed into tokens. If no cheaper kind of match is possible, the tokens form
 * a small automaton, which is run as a set of states (no backtracking). See glob.h.
 *
 * The grammar is that of globset 0.4.17, the crate of ripgrep 15, including its special cases,
 * because the set of files must be equal: {a,} has one alternative, [a-c-e] is [a-e], a non-ASCII
 * character in a set is replaced by its bytes.
 */
#include "corpus/walk/glob.h"

#include <stdlib.h>
#include <string.h>

#include "core/simd/needle.h"

/* Limits memory. No path component is longer than 255 bytes, and few patterns are longer than one
 * component. */
#define PATTERN_MAX_BYTES 65536

struct bs_byte_set {
	uint64_t words[4];
};

static inline bool byte_set_has(const struct bs_byte_set *set, uint8_t byte)
{
	return set->words[byte / 64] >> (byte % 64) & 1;
}

enum token_kind {
	TOKEN_BYTE,
	TOKEN_ANY,  /* ? */
	TOKEN_STAR, /* * */
	/* double star and slash, at the start: nothing, or anything up to a slash */
	TOKEN_DEEP_PREFIX,
	/* double star and slash, after a slash: nothing, or anything up to a slash */
	TOKEN_DEEP_MIDDLE,
	TOKEN_ANYTHING, /* double star after a slash, at the end: anything */
	TOKEN_SET,
	TOKEN_GROUP_OPEN,  /* { */
	TOKEN_GROUP_NEXT,  /* the comma inside { } */
	TOKEN_GROUP_CLOSE, /* } */
	TOKEN_EMPTY,       /* a group of empty alternatives: matches the empty string */
};

struct bs_glob_token {
	uint8_t kind;
	/* BYTE: the byte; GROUP_OPEN, GROUP_NEXT: 1 if the alternative is empty. As in globset, an
	 * empty alternative is ignored: not even the empty string matches it. */
	uint8_t byte;
	/* SET: index in sets; GROUP_OPEN, GROUP_NEXT: index of the token that ends the
	 * alternative */
	uint32_t to;
	/* while parsing. GROUP_OPEN: index of the token that begins the alternative around the
	 * group; GROUP_NEXT: index of the group's GROUP_OPEN */
	uint32_t around;
};

struct parser {
	const uint8_t *at;
	const uint8_t *end;
	int previous; /* the byte before current; -1 at the start */
	int current;
	unsigned flags;   /* BS_GLOB_* */
	size_t n_open;    /* number of groups around the current position */
	size_t separator; /* in a group: index of the { or comma that begins the alternative */
	bool is_unclosed; /* a [ was not closed: each further one is literal, too */
	struct bs_glob_tokens tokens;
	struct bs_byte_sets sets;
	const char *fault; /* error in the pattern */
	struct bs_error *err;
};

static enum bs_status parse_fault(struct parser *parser, const char *fault)
{
	parser->fault = fault;
	return BS_INVALID;
}

static int parser_peek(const struct parser *parser)
{
	return parser->at < parser->end ? *parser->at : -1;
}

static int parser_take(struct parser *parser)
{
	parser->previous = parser->current;
	parser->current = parser_peek(parser);
	if (parser->current >= 0)
		parser->at++;
	return parser->current;
}

static enum bs_status push(struct parser *parser, enum token_kind kind, int byte)
{
	struct bs_glob_token token = {.kind = (uint8_t)kind, .byte = (uint8_t)byte};
	return bs_vector_append(&parser->tokens, &token, parser->err);
}

/* True if there is no token from i on except TOKEN_EMPTY. The alternative that begins at i then
 * matches only the empty string. */
static bool is_empty_from(const struct parser *parser, size_t i)
{
	for (; i < bs_vector_n(&parser->tokens); i++)
		if (parser->tokens.items[i].kind != TOKEN_EMPTY)
			return false;
	return true;
}

/* Ends the current alternative before the token that is added next. */
static void end_alternative(struct parser *parser)
{
	struct bs_glob_token *separator = &parser->tokens.items[parser->separator];
	separator->byte = is_empty_from(parser, parser->separator + 1);
	separator->to = (uint32_t)bs_vector_n(&parser->tokens);
}

static enum bs_status open_group(struct parser *parser)
{
	struct bs_glob_token token = {.kind = TOKEN_GROUP_OPEN,
	                              .around = (uint32_t)parser->separator};
	parser->n_open++;
	parser->separator = bs_vector_n(&parser->tokens);
	return bs_vector_append(&parser->tokens, &token, parser->err);
}

/* The index of the { of the current group. */
static size_t current_group(const struct parser *parser)
{
	const struct bs_glob_token *separator = &parser->tokens.items[parser->separator];
	return separator->kind == TOKEN_GROUP_OPEN ? parser->separator : separator->around;
}

static enum bs_status next_alternative(struct parser *parser)
{
	struct bs_glob_token token = {.kind = TOKEN_GROUP_NEXT,
	                              .around = (uint32_t)current_group(parser)};
	end_alternative(parser);
	parser->separator = bs_vector_n(&parser->tokens);
	return bs_vector_append(&parser->tokens, &token, parser->err);
}

static enum bs_status close_group(struct parser *parser)
{
	size_t open = current_group(parser), n = bs_vector_n(&parser->tokens);
	const struct bs_glob_token *tokens = parser->tokens.items;
	bool is_empty = true;
	end_alternative(parser);
	for (size_t i = open; i < n; i = tokens[i].to)
		is_empty = is_empty && tokens[i].byte;
	parser->n_open--;
	parser->separator = tokens[open].around;
	if (!is_empty)
		return push(parser, TOKEN_GROUP_CLOSE, 0);
	bs_vector_set_n(&parser->tokens, open);
	return push(parser, TOKEN_EMPTY, 0);
}

/* The kind of the last token; -1 if there is none. */
static int last_kind(const struct parser *parser)
{
	size_t n = bs_vector_n(&parser->tokens);
	return n > 0 ? parser->tokens.items[n - 1].kind : -1;
}

/* Adds a star, unless the last token is one. */
static enum bs_status push_star(struct parser *parser)
{
	return last_kind(parser) == TOKEN_STAR ? BS_OK : push(parser, TOKEN_STAR, 0);
}

/* Handles a double star after other tokens; its second star has been read. */
static enum bs_status parse_inner_deep(struct parser *parser, int before, int last)
{
	bool in_group = parser->n_open > 0;
	bool after_slash = before == '/' || (in_group && (before == ',' || before == '{'));
	int next = parser_peek(parser);
	bool ends = next < 0 || (in_group && (next == ',' || next == '}'));
	if (!after_slash || (!ends && next != '/'))
		return push_star(parser);
	if (!ends)
		parser_take(parser);
	if (last == TOKEN_DEEP_PREFIX || last == TOKEN_ANYTHING)
		return BS_OK;
	struct bs_glob_token *token = &parser->tokens.items[bs_vector_n(&parser->tokens) - 1];
	if (last == TOKEN_DEEP_MIDDLE) {
		token->kind = ends ? TOKEN_ANYTHING : TOKEN_DEEP_MIDDLE;
		return BS_OK;
	}
	/* The last token is the slash before the stars. In a group it may be an escaped comma or
	 * brace instead, which globset replaces by a slash too. */
	*token = (struct bs_glob_token){.kind = TOKEN_BYTE, .byte = '/'};
	return push(parser, ends ? TOKEN_ANYTHING : TOKEN_DEEP_MIDDLE, 0);
}

static enum bs_status parse_star(struct parser *parser)
{
	int before = parser->previous, last = last_kind(parser);
	if (parser_peek(parser) != '*')
		return push_star(parser);
	parser_take(parser);
	/* There is a token before the stars in the pattern or in the current alternative. */
	if (last >= 0 && last != TOKEN_GROUP_OPEN && last != TOKEN_GROUP_NEXT)
		return parse_inner_deep(parser, before, last);
	int next = parser_peek(parser);
	if (next >= 0 && next != '/')
		return push_star(parser);
	parser_take(parser);
	return push(parser, TOKEN_DEEP_PREFIX, 0);
}

/* A character of a set: its bytes, and its code point, which orders ranges. The code point of an
 * invalid byte is the byte. */
struct character {
	uint32_t code;
	uint8_t bytes[4];
	size_t n_bytes;
};

static bool take_character(struct parser *parser, struct character *character)
{
	int lead = parser_take(parser);
	if (lead < 0)
		return false;
	*character =
		(struct character){.code = (uint32_t)lead, .bytes = {(uint8_t)lead}, .n_bytes = 1};
	size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	if (n > (size_t)(parser->end - parser->at) + 1)
		return true;
	uint32_t code = (uint32_t)lead & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((parser->at[i - 1] & 0xc0) != 0x80)
			return true;
		code = code << 6 | (parser->at[i - 1] & 0x3fu);
	}
	for (size_t i = 1; i < n; i++)
		character->bytes[i] = (uint8_t)parser_take(parser);
	character->n_bytes = n;
	character->code = n > 1 ? code : character->code;
	return true;
}

static void set_add(struct bs_byte_set *set, unsigned from, unsigned to)
{
	for (unsigned byte = from; byte <= to; byte++)
		set->words[byte / 64] |= UINT64_C(1) << (byte % 64);
}

/* Adds a range as globset does, which writes it into a bytewise regex: all bytes of both ends, and
 * the range from the last byte of `from` to the first byte of `to`. */
static void set_add_range(struct bs_byte_set *set, const struct character *from,
                          const struct character *to)
{
	for (size_t i = 0; i < from->n_bytes; i++)
		set_add(set, from->bytes[i], from->bytes[i]);
	if (from->code == to->code)
		return;
	for (size_t i = 0; i < to->n_bytes; i++)
		set_add(set, to->bytes[i], to->bytes[i]);
	set_add(set, from->bytes[from->n_bytes - 1], to->bytes[0]);
}

/* Adds the other case of each letter of the set. */
static void set_fold(struct bs_byte_set *set)
{
	for (unsigned letter = 'a'; letter <= 'z'; letter++) {
		unsigned upper = letter - 'a' + 'A';
		if (byte_set_has(set, (uint8_t)upper))
			set_add(set, letter, letter);
		else if (byte_set_has(set, (uint8_t)letter))
			set_add(set, upper, upper);
	}
}

/* Handles a [ without a ]: adds a literal [, or fails, by the flags. `before`: the parser's state
 * directly after the [, where parsing continues. */
static enum bs_status parse_unclosed(struct parser *parser, const struct parser *before)
{
	if (!(parser->flags & BS_GLOB_UNCLOSED_SET))
		return parse_fault(parser, "unclosed [");
	parser->at = before->at;
	parser->current = before->current;
	parser->previous = before->previous;
	parser->is_unclosed = true;
	return push(parser, TOKEN_BYTE, '[');
}

/* Parses a set after its [. A range is added only when no further "-x" can extend it. */
static enum bs_status parse_set(struct parser *parser)
{
	const struct parser before = *parser;
	struct bs_byte_set set = {{0}};
	struct character from = {0}, to = {0}, next;
	bool is_negated = parser_peek(parser) == '!' || parser_peek(parser) == '^';
	bool is_first = true, in_range = false;
	if (is_negated)
		parser_take(parser);
	for (;; is_first = false) {
		if (!take_character(parser, &next))
			return parse_unclosed(parser, &before);
		if (next.code == ']' && !is_first)
			break;
		if (next.code == '-' && !is_first && !in_range) {
			in_range = true;
			continue;
		}
		if (in_range && next.code < from.code)
			return parse_fault(parser, "a range that runs backwards");
		if (!in_range) {
			if (!is_first)
				set_add_range(&set, &from, &to);
			from = next;
		}
		to = next;
		in_range = false;
	}
	set_add_range(&set, &from, &to);
	if (in_range)
		set_add(&set, '-', '-');
	if (parser->flags & BS_GLOB_CASELESS)
		set_fold(&set);
	for (size_t i = 0; is_negated && i < 4; i++)
		set.words[i] = ~set.words[i];
	struct bs_glob_token token = {.kind = TOKEN_SET,
	                              .to = (uint32_t)bs_vector_n(&parser->sets)};
	enum bs_status status = bs_vector_append(&parser->sets, &set, parser->err);
	return status ? status : bs_vector_append(&parser->tokens, &token, parser->err);
}

static enum bs_status push_byte(struct parser *parser, int byte)
{
	bool is_caseless = parser->flags & BS_GLOB_CASELESS;
	return push(parser, TOKEN_BYTE, is_caseless ? bs_needle_fold((uint8_t)byte) : byte);
}

static enum bs_status parse_one(struct parser *parser, int byte)
{
	switch (byte) {
	case '?':
		return push(parser, TOKEN_ANY, 0);
	case '*':
		return parse_star(parser);
	case '[':
		return parser->is_unclosed ? push(parser, TOKEN_BYTE, byte) : parse_set(parser);
	case '{':
		return open_group(parser);
	case '}':
		return parser->n_open > 0 ? close_group(parser)
		                          : parse_fault(parser, "a } without {");
	case ',':
		return parser->n_open > 0 ? next_alternative(parser)
		                          : push(parser, TOKEN_BYTE, byte);
	case '\\':
		byte = parser_take(parser);
		return byte < 0 ? parse_fault(parser, "a \\ at the end") : push_byte(parser, byte);
	default:
		return push_byte(parser, byte);
	}
}

static enum bs_status parse(struct parser *parser)
{
	enum bs_status status = BS_OK;
	int byte;
	if (parser->end - parser->at > PATTERN_MAX_BYTES)
		return parse_fault(parser, "too long");
	while (!status && (byte = parser_take(parser)) >= 0)
		status = parse_one(parser, byte);
	if (!status && parser->n_open > 0)
		status = parse_fault(parser, "unclosed {");
	return status;
}

static bool all_bytes(const struct bs_glob_token *tokens, size_t n_tokens)
{
	for (size_t i = 0; i < n_tokens; i++)
		if (tokens[i].kind != TOKEN_BYTE)
			return false;
	return true;
}

static bool has_slash(const struct bs_glob_token *tokens, size_t n_tokens)
{
	for (size_t i = 0; i < n_tokens; i++)
		if (tokens[i].kind == TOKEN_BYTE && tokens[i].byte == '/')
			return true;
	return false;
}

/* True if these tokens match only strings without a slash. */
static bool within_name(const struct parser *parser, const struct bs_glob_token *tokens,
                        size_t n_tokens)
{
	const struct bs_byte_set *sets = parser->sets.items;
	for (size_t i = 0; i < n_tokens; i++) {
		bool is_deep =
			tokens[i].kind >= TOKEN_DEEP_PREFIX && tokens[i].kind <= TOKEN_ANYTHING;
		if (is_deep ||
		    (tokens[i].kind == TOKEN_SET && byte_set_has(&sets[tokens[i].to], '/')))
			return false;
	}
	return !has_slash(tokens, n_tokens);
}

static enum bs_glob_kind choose_kind(const struct parser *parser)
{
	const struct bs_glob_token *tokens = parser->tokens.items;
	size_t n = bs_vector_n(&parser->tokens);
	if (all_bytes(tokens, n))
		return BS_GLOB_PATH;
	if (tokens[0].kind != TOKEN_DEEP_PREFIX || n == 1 ||
	    !within_name(parser, tokens + 1, n - 1))
		return BS_GLOB_PATH_TOKENS;
	if (all_bytes(tokens + 1, n - 1))
		return BS_GLOB_NAME;
	if (tokens[1].kind != TOKEN_STAR || !all_bytes(tokens + 2, n - 2))
		return BS_GLOB_NAME_TOKENS;
	return BS_GLOB_NAME_ENDING;
}

/* Finds the longest sequence of bytes that every match contains. Bytes in groups do not count. */
static enum bs_status build_literal(struct bs_glob *glob, const struct parser *parser)
{
	const struct bs_glob_token *tokens = parser->tokens.items;
	size_t n = bs_vector_n(&parser->tokens), start = 0, length = 0, n_open = 0;
	for (size_t i = 0; i < n; i++) {
		n_open += tokens[i].kind == TOKEN_GROUP_OPEN;
		n_open -= tokens[i].kind == TOKEN_GROUP_CLOSE;
		length = tokens[i].kind == TOKEN_BYTE && n_open == 0 ? length + 1 : 0;
		if (length > glob->literal_bytes) {
			glob->literal_bytes = length;
			start = i + 1 - length;
		}
	}
	glob->literal = malloc(glob->literal_bytes + 1);
	if (!glob->literal)
		return bs_fail_memory(parser->err, "a glob", glob->literal_bytes + 1);
	for (size_t i = 0; i < glob->literal_bytes; i++)
		glob->literal[i] = tokens[start + i].byte;
	return BS_OK;
}

/*
 * The automaton has two states for each token, before it and within it, and an end state.
 * Transitions only lead to the same or to later states, so one pass in order finds all reachable
 * states.
 */
#define WITHIN 1u

static size_t end_state(const struct bs_glob *glob)
{
	return 2 * bs_vector_n(&glob->tokens);
}

static size_t state_words(const struct bs_glob *glob)
{
	return end_state(glob) / 64 + 1;
}

/* Moves the tokens from the parser to the glob. */
static enum bs_status keep_tokens(struct bs_glob *glob, struct parser *parser)
{
	glob->tokens = parser->tokens;
	glob->sets = parser->sets;
	parser->tokens = (struct bs_glob_tokens){0};
	parser->sets = (struct bs_byte_sets){0};
	/* A lone double star matches everything, also a path without a slash. */
	if (bs_vector_n(&glob->tokens) == 1 && glob->tokens.items[0].kind == TOKEN_DEEP_PREFIX)
		glob->tokens.items[0].kind = TOKEN_ANYTHING;
	size_t states_bytes = 2 * state_words(glob) * sizeof(uint64_t);
	glob->states = malloc(states_bytes);
	return glob->states ? BS_OK : bs_fail_memory(parser->err, "a glob", states_bytes);
}

/* The last byte of every matching path; -1 if there are several. */
static int16_t find_last_byte(const struct parser *parser)
{
	size_t n = bs_vector_n(&parser->tokens);
	const struct bs_glob_token *last = n > 0 ? &parser->tokens.items[n - 1] : NULL;
	bool is_letter = last && last->byte >= 'a' && last->byte <= 'z';
	if (!last || last->kind != TOKEN_BYTE || (is_letter && parser->flags & BS_GLOB_CASELESS))
		return -1;
	return last->byte;
}

enum bs_status bs_glob_init(struct bs_glob *glob, const uint8_t *pattern, size_t pattern_bytes,
                            unsigned flags, struct bs_error *err)
{
	struct parser parser = {.at = pattern,
	                        .end = pattern + pattern_bytes,
	                        .previous = -1,
	                        .current = -1,
	                        .flags = flags,
	                        .err = err};
	*glob = (struct bs_glob){.last_byte = -1, .is_caseless = flags & BS_GLOB_CASELESS};
	enum bs_status status = parse(&parser);
	if (status == BS_INVALID)
		bs_fail(err, BS_INVALID, "glob '%.*s': %s",
		        (int)(pattern_bytes < 200 ? pattern_bytes : 200), (const char *)pattern,
		        parser.fault);
	if (!status) {
		glob->kind = choose_kind(&parser);
		glob->last_byte = find_last_byte(&parser);
		status = build_literal(glob, &parser);
	}
	if (!status && (glob->kind == BS_GLOB_NAME_TOKENS || glob->kind == BS_GLOB_PATH_TOKENS))
		status = keep_tokens(glob, &parser);
	if (status)
		bs_glob_deinit(glob);
	bs_vector_deinit(&parser.tokens);
	bs_vector_deinit(&parser.sets);
	return status;
}

void bs_glob_deinit(struct bs_glob *glob)
{
	free(glob->literal);
	bs_vector_deinit(&glob->tokens);
	bs_vector_deinit(&glob->sets);
	free(glob->states);
	*glob = (struct bs_glob){.last_byte = -1};
}

static void state_add(uint64_t *states, size_t state)
{
	states[state / 64] |= UINT64_C(1) << (state % 64);
}

/* Adds the successors of a state of a { or a comma. The state before { leads to the state within.
 * The state before a comma is reached when an alternative was matched, so it leads to the end of
 * the group. The state within { or a comma leads to the alternative that begins here, and to the
 * state within the next comma. */
static void step_group(const struct bs_glob *glob, uint64_t *from, size_t state)
{
	const struct bs_glob_token *token = &glob->tokens.items[state / 2];
	size_t end = token->to;
	if (!(state & WITHIN)) {
		state_add(from, token->kind == TOKEN_GROUP_OPEN ? state | WITHIN : 2 * end);
		return;
	}
	if (!token->byte)
		state_add(from, state + 1);
	if (glob->tokens.items[end].kind == TOKEN_GROUP_NEXT)
		state_add(from, 2 * end | WITHIN);
}

/* Adds the successors of a state: to `to` those that read `byte`, to `from` those that read
 * nothing. byte -1 is the end of the path, which no state reads. */
static void step_state(const struct bs_glob *glob, uint64_t *from, uint64_t *to, size_t state,
                       int byte)
{
	const struct bs_glob_token *token = &glob->tokens.items[state / 2];
	size_t next = (state | WITHIN) + 1;
	bool takes = false, stays = false;
	switch ((enum token_kind)token->kind) {
	case TOKEN_BYTE:
		takes = byte == token->byte;
		break;
	case TOKEN_SET:
		takes = byte_set_has(&glob->sets.items[token->to], (uint8_t)byte);
		break;
	case TOKEN_ANY:
		takes = byte != '/';
		break;
	case TOKEN_STAR:
	case TOKEN_ANYTHING:
		state_add(from, next);
		stays = token->kind == TOKEN_ANYTHING || byte != '/';
		break;
	case TOKEN_DEEP_PREFIX:
	case TOKEN_DEEP_MIDDLE:
		if (!(state & WITHIN)) {
			state_add(from, next);
			state_add(from, state | WITHIN);
			break;
		}
		takes = byte == '/';
		stays = true;
		break;
	case TOKEN_GROUP_OPEN:
	case TOKEN_GROUP_NEXT:
		step_group(glob, from, state);
		break;
	case TOKEN_GROUP_CLOSE:
	case TOKEN_EMPTY:
		state_add(from, next);
		break;
	}
	if (takes && byte >= 0)
		state_add(to, next);
	if (stays && byte >= 0)
		state_add(to, state);
}

/* Advances all states of `from`, in order. Returns true if the end state was reached at the end of
 * the path. */
static bool step(const struct bs_glob *glob, uint64_t *from, uint64_t *to, int byte)
{
	size_t end = end_state(glob);
	bool matched = false;
	for (size_t word = 0; word <= end / 64; word++) {
		while (from[word]) {
			size_t state = word * 64 + (size_t)__builtin_ctzll(from[word]);
			from[word] &= from[word] - 1;
			if (state == end)
				matched = byte < 0;
			else
				step_state(glob, from, to, state, byte);
		}
	}
	return matched;
}

static bool run(struct bs_glob *glob, const uint8_t *bytes, size_t n_bytes)
{
	/* Fast path: most paths do not contain the literal. */
	if (!glob->is_caseless && !memmem(bytes, n_bytes, glob->literal, glob->literal_bytes))
		return false;
	size_t n_words = state_words(glob);
	uint64_t *from = glob->states, *to = glob->states + n_words;
	memset(from, 0, 2 * n_words * sizeof(*from));
	/* The kind BS_GLOB_NAME_TOKENS is matched against the name only, so the first token, a deep
	 * prefix, is skipped. */
	state_add(from, glob->kind == BS_GLOB_NAME_TOKENS ? 2 : 0);
	for (size_t i = 0; i < n_bytes; i++) {
		step(glob, from, to, glob->is_caseless ? bs_needle_fold(bytes[i]) : bytes[i]);
		uint64_t *emptied = from, any = 0;
		for (size_t word = 0; word < n_words; word++)
			any |= to[word];
		if (!any)
			return false;
		from = to;
		to = emptied;
	}
	return step(glob, from, to, -1);
}

static bool is_literal(const struct bs_glob *glob, const uint8_t *bytes, size_t n_bytes)
{
	if (n_bytes != glob->literal_bytes)
		return false;
	if (!glob->is_caseless)
		return memcmp(bytes, glob->literal, n_bytes) == 0;
	for (size_t i = 0; i < n_bytes; i++)
		if (bs_needle_fold(bytes[i]) != glob->literal[i])
			return false;
	return true;
}

bool bs_glob_is_about_name(const struct bs_glob *glob)
{
	return glob->kind == BS_GLOB_NAME || glob->kind == BS_GLOB_NAME_ENDING ||
	       glob->kind == BS_GLOB_NAME_TOKENS;
}

bool bs_glob_match(struct bs_glob *glob, const struct bs_glob_path *path)
{
	const uint8_t *name = path->bytes + path->name_off;
	size_t name_bytes = path->n_bytes - path->name_off;
	switch (glob->kind) {
	case BS_GLOB_PATH:
		return is_literal(glob, path->bytes, path->n_bytes);
	case BS_GLOB_NAME:
		return is_literal(glob, name, name_bytes);
	case BS_GLOB_NAME_ENDING:
		return name_bytes >= glob->literal_bytes &&
		       is_literal(glob, name + name_bytes - glob->literal_bytes,
		                  glob->literal_bytes);
	case BS_GLOB_NAME_TOKENS:
		return run(glob, name, name_bytes);
	case BS_GLOB_PATH_TOKENS:
		return run(glob, path->bytes, path->n_bytes);
	}
	return false;
}
