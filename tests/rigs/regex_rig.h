/*
 * regex_rig.h: the questions of the tests of regex analysis. PCRE2 finds a match: does the text
 * have the grams, the literal and the window that a search looks for first? And does the pattern
 * that is rewritten for many lines find the lines that match alone? And a list that is matched in
 * parts, or by a set of literals, what it does as a whole?
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/bitsift/grep.h"
#include "core/simd/needle.h"
#include "query/grep/match/grep_list.h"
#include "query/regex/pattern.h"

/* What a pattern may be compiled with. */
enum {
	RIG_CASELESS = 1,
	RIG_MULTILINE = 2,
	RIG_DOTALL = 4,
	RIG_EXTENDED = 8, /* as by (?x) before it */
	RIG_LITERAL = 16,
	RIG_ALL = 31,
};

enum rig_result {
	RIG_NO_PATTERN, /* PCRE2 refuses it */
	RIG_NO_MATCH,   /* or it is given up by a limit */
	RIG_MATCH,
};

/* One pattern. Zero-initialise; rig_open releases what was before; rig_close at the end. */
struct regex_rig {
	void *code; /* pcre2_code */
	/* the same as a search has them, for each line and for many; NULL: no such search */
	void *alone, *many;
	void *match_data;
	void *match_context;
	/* of a list, as a search would have it in one piece; or NULL */
	void *whole;
	struct bs_grep_list *lists[2];     /* its parts; the literals it is */
	struct bs_grep_seeker *seekers[2]; /* of these; NULL: none */
	struct bs_grep_pattern asked;
	const char *asked_text;
	struct bs_gram_tree *tree;
	struct bs_byte_window window; /* n_bytes 0: none */
	const char *fault;            /* why the answer was not sound */
	struct bs_grep_analysis analysis;
	struct bs_buffer pattern, folded, keys;
};

/* Compiles and analyses; the analysis is done in any case. */
enum rig_result rig_open(struct regex_rig *rig, const uint8_t *pattern, size_t n_bytes,
                         unsigned options);

/* Matches. is_sound_out: false if there is a match, but not its grams, its literal or its window;
 * or if other lines are found in many. holds_out: whether the text satisfies grams and window. Of a
 * pattern that PCRE2 did not refuse. */
enum rig_result rig_ask(struct regex_rig *rig, const uint8_t *text, size_t n_bytes,
                        bool *is_sound_out, bool *holds_out);

/* The tree as text, for messages; the caller frees it. */
char *rig_tree_text(const struct regex_rig *rig);

void rig_close(struct regex_rig *rig);
