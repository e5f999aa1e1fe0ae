/*
 * glob_internal.h: the program a glob is compiled to (glob.c) and run as (glob_match.c). Inside corpus/ only.
 */
#ifndef BS_CORPUS_WALK_GLOB_INTERNAL_H
#define BS_CORPUS_WALK_GLOB_INTERNAL_H

#include "corpus/walk/glob.h"

struct bs_byte_set {
	uint64_t words[4];
};

static inline bool bs_byte_set_has(const struct bs_byte_set *set, uint8_t byte)
{
	return set->words[byte / 64] >> (byte % 64) & 1;
}

enum bs_glob_op_kind {
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
	struct bs_byte_set set;
};

static inline size_t bs_glob_state_words(const struct bs_glob *glob)
{
	return (glob->n_ops + 63) / 64;
}

#endif
