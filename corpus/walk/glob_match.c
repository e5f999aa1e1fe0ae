/* glob_match.c: running a glob's program over a path, as a set of states. See glob.h; glob.c compiles. */
#include "corpus/walk/glob_internal.h"

#include <string.h>

static void state_add(uint64_t *states, size_t state)
{
	states[state / 64] |= UINT64_C(1) << (state % 64);
}

/* Moves every state of from, in order, over one byte (or over the end of the path, byte -1) into to; steps that take
 * no byte stay in from and are met later in the same pass. Returns whether the end of the program was reached. */
static bool step(const struct bs_glob *glob, uint64_t *from, uint64_t *to, int byte)
{
	bool matched = false;
	for (size_t word = 0; word < bs_glob_state_words(glob); word++) {
		while (from[word]) {
			size_t state = word * 64 + (size_t)__builtin_ctzll(from[word]);
			const struct bs_glob_op *op = &glob->ops[state];
			from[word] &= from[word] - 1;
			switch ((enum bs_glob_op_kind)op->kind) {
			case OP_BYTE:
				if (byte == op->byte)
					state_add(to, state + 1);
				break;
			case OP_SET:
				if (byte >= 0 && bs_byte_set_has(&op->set, (uint8_t)byte))
					state_add(to, state + 1);
				break;
			case OP_NAME_BYTE:
				if (byte >= 0 && byte != '/')
					state_add(to, state + 1);
				break;
			case OP_NAME_BYTES:
				state_add(from, state + 1);
				if (byte >= 0 && byte != '/')
					state_add(to, state);
				break;
			case OP_BYTES:
				state_add(from, state + 1);
				if (byte >= 0)
					state_add(to, state);
				break;
			case OP_LINE_BYTES:
				state_add(from, state + 1);
				if (byte >= 0 && byte != '\n')
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
	size_t n_words = bs_glob_state_words(glob);
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
