/*
 * glob.c: globs, in three steps: the pattern is cut into tokens, the tokens are looked at for a cheap kind of match,
 * and what has none becomes a small program that is run as a set of states (no backtracking). See glob.h.
 *
 * The grammar is that of globset 0.4.9, the crate in ripgrep 13, with its odd corners, since the set of files must be
 * the same: a lone } is an empty alternative, {a,} has one alternative, [a-c-e] is [a-e], a character beyond ASCII in
 * a set stands for each of its bytes.
 */
#include "corpus/walk/glob.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/vector.h"

/* No path component is longer than 255 bytes and few patterns are longer than one; this bounds memory. */
#define PATTERN_MAX_BYTES 65536

struct byte_set {
	uint64_t words[4];
};
BS_VECTOR(byte_sets, struct byte_set);

static inline bool byte_set_has(const struct byte_set *set, uint8_t byte)
{
	return set->words[byte / 64] >> (byte % 64) & 1;
}

enum op_kind {
	OP_BYTE,       /* takes this byte */
	OP_SET,        /* takes a byte of the set */
	OP_NAME_BYTE,  /* takes any byte but / */
	OP_NAME_BYTES, /* takes any number of them */
	OP_BYTES,      /* takes any number of any bytes */
	OP_LINE_BYTES, /* takes any number of any bytes but line feeds */
	OP_EITHER,     /* goes to the next and to target */
	OP_JUMP,       /* goes to target */
	OP_MATCH,
};

/* Targets always lie ahead, and a repeating op stays where it is: one pass in order finds all that can be reached. */
struct bs_glob_op {
	uint8_t kind;
	uint8_t byte;
	uint32_t target;
	struct byte_set set;
};

static inline size_t state_words(const struct bs_glob *glob)
{
	return (glob->n_ops + 63) / 64;
}

enum token_kind {
	TOKEN_BYTE,
	TOKEN_ANY,         /* ? */
	TOKEN_STAR,        /* * */
	TOKEN_DEEP_PREFIX, /* double star, slash, at the start: nothing, or anything up to a slash */
	TOKEN_DEEP_MIDDLE, /* slash, double star, slash: a slash, or anything between two */
	TOKEN_DEEP_SUFFIX, /* slash, double star, at the end: a slash and anything */
	TOKEN_SET,
	TOKEN_GROUP_OPEN,  /* { */
	TOKEN_GROUP_NEXT,  /* the comma inside { } */
	TOKEN_GROUP_CLOSE, /* } */
	TOKEN_EMPTY,       /* a } without {: matches the empty string */
};

struct token {
	uint8_t kind;
	uint8_t byte;
	uint32_t set; /* index into parser.sets */
};
BS_VECTOR(tokens, struct token);

struct parser {
	const uint8_t *at;
	const uint8_t *end;
	int previous; /* the byte before the one in hand, -1 at the start */
	int current;
	bool in_group;
	struct tokens tokens;
	struct byte_sets sets;
	const char *fault;       /* what is wrong with the pattern */
	struct bs_error *err;
};

static const struct token *tokens_of(const struct parser *parser, size_t *n_tokens_out)
{
	*n_tokens_out = bs_vector_n(&parser->tokens);
	return parser->tokens.items;
}

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
	struct token token = {.kind = (uint8_t)kind, .byte = (uint8_t)byte};
	return bs_vector_append(&parser->tokens, &token, parser->err);
}

/* -1: there is none. */
static int last_kind(const struct parser *parser)
{
	size_t n;
	const struct token *tokens = tokens_of(parser, &n);
	return n > 0 ? tokens[n - 1].kind : -1;
}

/* Several stars in a row are one. */
static enum bs_status push_star(struct parser *parser)
{
	return last_kind(parser) == TOKEN_STAR ? BS_OK : push(parser, TOKEN_STAR, 0);
}

/* The second star was just taken and something stands before; the slash before it is part of the token. */
static enum bs_status parse_inner_deep(struct parser *parser, int before, int last)
{
	bool after_slash = before == '/' || (parser->in_group && (before == ',' || before == '{'));
	int next = parser_peek(parser);
	bool ends = next < 0 || (parser->in_group && (next == ',' || next == '}'));
	if (!after_slash || (!ends && next != '/'))
		return push_star(parser);
	if (!ends)
		parser_take(parser);
	if (last == TOKEN_DEEP_PREFIX || last == TOKEN_DEEP_SUFFIX)
		return BS_OK;
	bs_vector_set_n(&parser->tokens, bs_vector_n(&parser->tokens) - 1);
	return push(parser, ends ? TOKEN_DEEP_SUFFIX : TOKEN_DEEP_MIDDLE, 0);
}

static enum bs_status parse_star(struct parser *parser)
{
	int before = parser->previous, last = last_kind(parser);
	if (parser_peek(parser) != '*')
		return push_star(parser);
	parser_take(parser);
	/* Whether anything stands before us in the pattern, or in the alternative that we are in. */
	if (last >= 0 && last != TOKEN_GROUP_OPEN && last != TOKEN_GROUP_NEXT)
		return parse_inner_deep(parser, before, last);
	int next = parser_peek(parser);
	if (next >= 0 && next != '/')
		return push_star(parser);
	parser_take(parser);
	return push(parser, TOKEN_DEEP_PREFIX, 0);
}

/* One character of a set: its bytes and its code point, for the order of a range. A stray byte is itself. */
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
	*character = (struct character){.code = (uint32_t)lead, .bytes = {(uint8_t)lead}, .n_bytes = 1};
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

static void set_add(struct byte_set *set, unsigned from, unsigned to)
{
	for (unsigned byte = from; byte <= to; byte++)
		set->words[byte / 64] |= UINT64_C(1) << (byte % 64);
}

/* The bytes of both ends, with a range only between the last of one and the first of the other: what globset makes
 * of a range when it writes it into a byte-wise regex. */
static void set_add_range(struct byte_set *set, const struct character *from, const struct character *to)
{
	for (size_t i = 0; i < from->n_bytes; i++)
		set_add(set, from->bytes[i], from->bytes[i]);
	if (from->code == to->code)
		return;
	for (size_t i = 0; i < to->n_bytes; i++)
		set_add(set, to->bytes[i], to->bytes[i]);
	set_add(set, from->bytes[from->n_bytes - 1], to->bytes[0]);
}

/* The [ was taken. A range is held back until it is known that no "-x" follows to stretch it. */
static enum bs_status parse_set(struct parser *parser)
{
	struct byte_set set = {{0}};
	struct character from = {0}, to = {0}, next;
	bool is_negated = parser_peek(parser) == '!' || parser_peek(parser) == '^';
	bool is_first = true, in_range = false;
	if (is_negated)
		parser_take(parser);
	for (;; is_first = false) {
		if (!take_character(parser, &next))
			return parse_fault(parser, "unclosed [");
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
	for (size_t i = 0; is_negated && i < 4; i++)
		set.words[i] = ~set.words[i];
	struct token token = {.kind = TOKEN_SET, .set = (uint32_t)bs_vector_n(&parser->sets)};
	enum bs_status status = bs_vector_append(&parser->sets, &set, parser->err);
	return status ? status : bs_vector_append(&parser->tokens, &token, parser->err);
}

static enum bs_status parse_one(struct parser *parser, int byte)
{
	bool was_in_group = parser->in_group;
	switch (byte) {
	case '?':
		return push(parser, TOKEN_ANY, 0);
	case '*':
		return parse_star(parser);
	case '[':
		return parse_set(parser);
	case '{':
		parser->in_group = true;
		return was_in_group ? parse_fault(parser, "a { inside { }") : push(parser, TOKEN_GROUP_OPEN, 0);
	case '}':
		parser->in_group = false;
		return push(parser, was_in_group ? TOKEN_GROUP_CLOSE : TOKEN_EMPTY, 0);
	case ',':
		return push(parser, was_in_group ? TOKEN_GROUP_NEXT : TOKEN_BYTE, byte);
	case '\\':
		byte = parser_take(parser);
		return byte < 0 ? parse_fault(parser, "a \\ at the end") : push(parser, TOKEN_BYTE, byte);
	default:
		return push(parser, TOKEN_BYTE, byte);
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
	if (!status && parser->in_group)
		status = parse_fault(parser, "unclosed {");
	return status;
}

static bool all_bytes(const struct token *tokens, size_t n_tokens)
{
	for (size_t i = 0; i < n_tokens; i++)
		if (tokens[i].kind != TOKEN_BYTE)
			return false;
	return true;
}

static bool has_slash(const struct token *tokens, size_t n_tokens)
{
	for (size_t i = 0; i < n_tokens; i++)
		if (tokens[i].kind == TOKEN_BYTE && tokens[i].byte == '/')
			return true;
	return false;
}

/* Whether these tokens can match nothing that holds a slash. */
static bool within_name(const struct parser *parser, const struct token *tokens, size_t n_tokens)
{
	const struct byte_set *sets = parser->sets.items;
	for (size_t i = 0; i < n_tokens; i++) {
		bool is_deep = tokens[i].kind >= TOKEN_DEEP_PREFIX && tokens[i].kind <= TOKEN_DEEP_SUFFIX;
		if (is_deep || (tokens[i].kind == TOKEN_SET && byte_set_has(&sets[tokens[i].set], '/')))
			return false;
	}
	return !has_slash(tokens, n_tokens);
}

/* Whether the pattern ends in bytes that hold a file name's extension: ".c", but not "c" or "./c". */
static bool ends_in_extension(const struct token *tokens, size_t n_tokens)
{
	for (size_t i = n_tokens; i > 0 && tokens[i - 1].kind == TOKEN_BYTE && tokens[i - 1].byte != '/'; i--)
		if (tokens[i - 1].byte == '.')
			return true;
	return false;
}

/*
 * Scar: ripgrep holds a path that ends in a dot to have no name and no extension. Its globs that are decided by the
 * name or the extension never match such a path, so ".gitignore: foo." leaves the file "foo." alone, and "*." too.
 * Those decided by the whole path ("/foo.", "a/foo.") do match. Before we did the same, random trees differed.
 */
static bool never_matches(const struct token *tokens, size_t n_tokens)
{
	if (n_tokens == 0 || tokens[n_tokens - 1].kind != TOKEN_BYTE || tokens[n_tokens - 1].byte != '.')
		return false;
	bool is_deep = tokens[0].kind == TOKEN_DEEP_PREFIX;
	const struct token *rest = tokens + is_deep;
	size_t n_rest = n_tokens - is_deep;
	return !all_bytes(rest, n_rest) || (is_deep && !has_slash(rest, n_rest));
}

/* Chooses the kind; *skip_out tokens at the front are answered for by it. */
static enum bs_glob_kind choose_kind(const struct parser *parser, size_t *skip_out)
{
	size_t n;
	const struct token *tokens = tokens_of(parser, &n);
	*skip_out = 0;
	if (never_matches(tokens, n))
		return BS_GLOB_NEVER;
	if (all_bytes(tokens, n))
		return BS_GLOB_PATH;
	if (tokens[0].kind != TOKEN_DEEP_PREFIX || n == 1 || !within_name(parser, tokens + 1, n - 1))
		return BS_GLOB_PATH_OPS;
	*skip_out = 1;
	if (all_bytes(tokens + 1, n - 1))
		return BS_GLOB_NAME;
	if (tokens[1].kind != TOKEN_STAR || !all_bytes(tokens + 2, n - 2))
		return BS_GLOB_NAME_OPS;
	return BS_GLOB_NAME_ENDING;
}

/*
 * Scar: ripgrep runs the globs that it cannot decide by literals as regexes in which a dot is no line feed, the ones
 * with a literal extension as regexes in which it is one.
 */
static bool stops_at_line_feed(const struct token *tokens, size_t n_tokens)
{
	bool is_deep = n_tokens > 0 && tokens[0].kind == TOKEN_DEEP_PREFIX;
	bool is_literal = n_tokens > is_deep && all_bytes(tokens + is_deep, n_tokens - is_deep);
	return !is_literal && !ends_in_extension(tokens, n_tokens);
}

struct compiler {
	struct bs_glob_op *ops;
	size_t n_ops;
	enum op_kind deep; /* OP_BYTES or OP_LINE_BYTES */
};

static struct bs_glob_op *emit(struct compiler *compiler, enum op_kind kind, uint8_t byte)
{
	struct bs_glob_op *op = &compiler->ops[compiler->n_ops++];
	*op = (struct bs_glob_op){.kind = (uint8_t)kind, .byte = byte};
	return op;
}

static void emit_token(struct compiler *compiler, const struct token *token, const struct byte_set *sets)
{
	static const uint8_t plain[] = {[TOKEN_BYTE] = OP_BYTE, [TOKEN_ANY] = OP_NAME_BYTE, [TOKEN_STAR] = OP_NAME_BYTES};
	if (token->kind <= TOKEN_STAR)
		emit(compiler, (enum op_kind)plain[token->kind], token->byte);
	if (token->kind == TOKEN_SET)
		emit(compiler, OP_SET, 0)->set = sets[token->set];
	if (token->kind == TOKEN_DEEP_MIDDLE || token->kind == TOKEN_DEEP_SUFFIX)
		emit(compiler, OP_BYTE, '/');
	if (token->kind == TOKEN_DEEP_SUFFIX)
		emit(compiler, compiler->deep, 0);
	if (token->kind == TOKEN_DEEP_PREFIX || token->kind == TOKEN_DEEP_MIDDLE) {
		struct bs_glob_op *either = emit(compiler, OP_EITHER, 0);
		emit(compiler, compiler->deep, 0);
		emit(compiler, OP_BYTE, '/');
		either->target = (uint32_t)compiler->n_ops;
	}
}

/* Emits the alternatives of a group, the empty ones left out, each as EITHER ... JUMP; returns the tokens used. */
static size_t emit_group(struct compiler *compiler, const struct token *tokens, const struct byte_set *sets)
{
	size_t at = 0, first = compiler->n_ops, either = SIZE_MAX;
	do {
		at++;
		if (tokens[at].kind == TOKEN_GROUP_NEXT || tokens[at].kind == TOKEN_GROUP_CLOSE)
			continue;
		if (either != SIZE_MAX) {
			emit(compiler, OP_JUMP, 0);
			compiler->ops[either].target = (uint32_t)compiler->n_ops;
		}
		either = compiler->n_ops;
		emit(compiler, OP_EITHER, 0);
		for (; tokens[at].kind != TOKEN_GROUP_NEXT && tokens[at].kind != TOKEN_GROUP_CLOSE; at++)
			emit_token(compiler, &tokens[at], sets);
	} while (tokens[at].kind != TOKEN_GROUP_CLOSE);
	/* The last alternative has no other beside it; the jumps go to the end. */
	if (either != SIZE_MAX)
		compiler->ops[either].target = (uint32_t)either + 1;
	for (; first < compiler->n_ops; first++)
		if (compiler->ops[first].kind == OP_JUMP)
			compiler->ops[first].target = (uint32_t)compiler->n_ops;
	return at + 1;
}

static void emit_all(struct compiler *compiler, const struct token *tokens, size_t n_tokens,
                     const struct byte_set *sets)
{
	/* A lone double star is everything, a path without a slash too. */
	if (n_tokens == 1 && tokens[0].kind == TOKEN_DEEP_PREFIX) {
		emit(compiler, compiler->deep, 0);
		n_tokens = 0;
	}
	for (size_t i = 0; i < n_tokens;) {
		if (tokens[i].kind == TOKEN_GROUP_OPEN) {
			i += emit_group(compiler, &tokens[i], sets);
		} else {
			emit_token(compiler, &tokens[i], sets);
			i++;
		}
	}
	emit(compiler, OP_MATCH, 0);
}

static enum bs_status build_ops(struct bs_glob *glob, const struct parser *parser, size_t skip)
{
	size_t n;
	const struct token *tokens = tokens_of(parser, &n);
	/* A deep token takes four ops, a group two for each alternative beside its tokens, any other one. */
	size_t max_ops = 4 * n + 1;
	struct compiler compiler = {.ops = calloc(max_ops, sizeof(*glob->ops)),
	                            .deep = glob->stops_at_line_feed ? OP_LINE_BYTES : OP_BYTES};
	if (!compiler.ops)
		return bs_fail_memory(parser->err, "a glob", max_ops * sizeof(*glob->ops));
	glob->ops = compiler.ops;
	emit_all(&compiler, tokens + skip, n - skip, parser->sets.items);
	glob->n_ops = compiler.n_ops;
	struct bs_glob_op *smaller = realloc(glob->ops, glob->n_ops * sizeof(*glob->ops));
	glob->ops = smaller ? smaller : glob->ops;
	size_t states_bytes = 2 * state_words(glob) * sizeof(uint64_t);
	glob->states = malloc(states_bytes);
	return glob->states ? BS_OK : bs_fail_memory(parser->err, "a glob", states_bytes);
}

/* The longest stretch of bytes that stands in every match: those outside groups. */
static enum bs_status build_literal(struct bs_glob *glob, const struct parser *parser)
{
	size_t n, start = 0, length = 0;
	const struct token *tokens = tokens_of(parser, &n);
	bool in_group = false;
	for (size_t i = 0; i < n; i++) {
		in_group = (in_group || tokens[i].kind == TOKEN_GROUP_OPEN) && tokens[i].kind != TOKEN_GROUP_CLOSE;
		length = tokens[i].kind == TOKEN_BYTE && !in_group ? length + 1 : 0;
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

enum bs_status bs_glob_init(struct bs_glob *glob, const uint8_t *pattern, size_t pattern_bytes, struct bs_error *err)
{
	struct parser parser = {
		.at = pattern, .end = pattern + pattern_bytes, .previous = -1, .current = -1, .err = err};
	*glob = (struct bs_glob){.last_byte = -1};
	enum bs_status status = parse(&parser);
	if (status == BS_INVALID)
		bs_fail(err, BS_INVALID, "glob '%.*s': %s", (int)(pattern_bytes < 200 ? pattern_bytes : 200),
		        (const char *)pattern, parser.fault);
	if (status)
		goto out;
	size_t n, skip;
	const struct token *tokens = tokens_of(&parser, &n);
	glob->kind = choose_kind(&parser, &skip);
	glob->stops_at_line_feed = stops_at_line_feed(tokens, n);
	if (n > 0 && tokens[n - 1].kind == TOKEN_BYTE)
		glob->last_byte = tokens[n - 1].byte;
	status = build_literal(glob, &parser);
	if (!status && (glob->kind == BS_GLOB_NAME_OPS || glob->kind == BS_GLOB_PATH_OPS))
		status = build_ops(glob, &parser, skip);
	if (status)
		bs_glob_deinit(glob);
out:
	bs_vector_deinit(&parser.tokens);
	bs_vector_deinit(&parser.sets);
	return status;
}

void bs_glob_deinit(struct bs_glob *glob)
{
	free(glob->literal);
	free(glob->ops);
	free(glob->states);
	*glob = (struct bs_glob){.last_byte = -1};
}

static void state_add(uint64_t *states, size_t state)
{
	states[state / 64] |= UINT64_C(1) << (state % 64);
}

/* Moves every state of from, in order, over one byte (or over the end of the path, byte -1) into to; steps that take
 * no byte stay in from and are met later in the same pass. Returns whether the end of the program was reached. */
static bool step(const struct bs_glob *glob, uint64_t *from, uint64_t *to, int byte)
{
	bool matched = false;
	for (size_t word = 0; word < state_words(glob); word++) {
		while (from[word]) {
			size_t state = word * 64 + (size_t)__builtin_ctzll(from[word]);
			const struct bs_glob_op *op = &glob->ops[state];
			from[word] &= from[word] - 1;
			switch ((enum op_kind)op->kind) {
			case OP_BYTE:
				if (byte == op->byte)
					state_add(to, state + 1);
				break;
			case OP_SET:
				if (byte >= 0 && byte_set_has(&op->set, (uint8_t)byte))
					state_add(to, state + 1);
				break;
			case OP_NAME_BYTE:
				if (byte >= 0 && byte != '/')
					state_add(to, state + 1);
				break;
			case OP_NAME_BYTES:
			case OP_BYTES:
			case OP_LINE_BYTES:
				state_add(from, state + 1);
				if (byte >= 0 && !(byte == '/' && op->kind == OP_NAME_BYTES) &&
				    !(byte == '\n' && op->kind == OP_LINE_BYTES))
					state_add(to, state);
				break;
			case OP_EITHER:
				state_add(from, state + 1);
				state_add(from, op->target);
				break;
			case OP_JUMP:
				state_add(from, op->target);
				break;
			case OP_MATCH:
				matched = byte < 0;
				break;
			}
		}
	}
	return matched;
}

static bool run(struct bs_glob *glob, const uint8_t *bytes, size_t n_bytes)
{
	/* Most paths are done with here. */
	if (!memmem(bytes, n_bytes, glob->literal, glob->literal_bytes))
		return false;
	size_t n_words = state_words(glob);
	uint64_t *from = glob->states, *to = glob->states + n_words;
	memset(from, 0, 2 * n_words * sizeof(*from));
	state_add(from, 0);
	for (size_t i = 0; i < n_bytes; i++) {
		step(glob, from, to, bytes[i]);
		uint64_t any = 0;
		for (size_t word = 0; word < n_words; word++)
			any |= to[word];
		if (!any)
			return false;
		uint64_t *emptied = from;
		from = to;
		to = emptied;
	}
	return step(glob, from, to, -1);
}

static bool is_literal(const struct bs_glob *glob, const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes == glob->literal_bytes && memcmp(bytes, glob->literal, n_bytes) == 0;
}

/* Whether the folders of the path may be skipped to get to its name. */
static bool may_skip_folders(const struct bs_glob *glob, const struct bs_glob_path *path)
{
	return !glob->stops_at_line_feed || !memchr(path->bytes, '\n', path->name_off);
}

bool bs_glob_match(struct bs_glob *glob, const struct bs_glob_path *path)
{
	const uint8_t *name = path->bytes + path->name_off;
	size_t name_bytes = path->n_bytes - path->name_off;
	switch (glob->kind) {
	case BS_GLOB_NEVER:
		return false;
	case BS_GLOB_PATH:
		return is_literal(glob, path->bytes, path->n_bytes);
	case BS_GLOB_NAME:
		return is_literal(glob, name, name_bytes);
	case BS_GLOB_NAME_ENDING:
		return name_bytes >= glob->literal_bytes &&
		       is_literal(glob, name + name_bytes - glob->literal_bytes, glob->literal_bytes) &&
		       may_skip_folders(glob, path);
	case BS_GLOB_NAME_OPS:
		return run(glob, name, name_bytes) && may_skip_folders(glob, path);
	case BS_GLOB_PATH_OPS:
		return run(glob, path->bytes, path->n_bytes);
	}
	return false;
}
