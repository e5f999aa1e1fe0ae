/*
 * regex_rig.h: properties of the analysis of regular expressions, tested on a pattern and a text.
 * If PCRE2 finds a match, the text must have the grams, the literal and the window that a search
 * looks for first. The form of a pattern for several lines must find the lines that its form for a
 * single line matches. A list of patterns must find the same if it is matched pattern by pattern,
 * by a literal set, or as a single pattern.
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

enum {
	RIG_CASELESS = 1,
	RIG_MULTILINE = 2,
	RIG_DOTALL = 4,
	RIG_EXTENDED = 8, /* (?x) is put before the pattern, unless RIG_LITERAL is set */
	RIG_LITERAL = 16,
	RIG_ALL = 31,
};

enum rig_result {
	RIG_NO_PATTERN, /* PCRE2 or a search refuses the pattern */
	RIG_NO_MATCH,   /* also if a limit of PCRE2 was reached */
	RIG_MATCH,
};

/* A pattern. Zero-initialise; rig_open releases the previous pattern; rig_close at the end. */
struct regex_rig {
	void *code; /* pcre2_code */
	/* The pattern as a search compiles it, for a single line and for several lines. Both are
	 * NULL if the latter would not find the same lines (is_exact is false). */
	void *alone, *many;
	void *match_data;
	void *match_context;
	/* the patterns of a list (grep_list.h), compiled as one; NULL: not a list */
	void *whole;
	/* [0]: the list, pattern by pattern; [1]: as a literal set; NULL: not such a list */
	struct bs_grep_list *lists[2];
	struct bs_grep_list_scratch *seekers[2]; /* seekers of `lists`, nullable */
	struct bs_grep_pattern asked;
	const char *asked_text;
	struct bs_gram_tree *tree;
	struct bs_byte_window window; /* n_bytes 0: no window */
	const char *fault;            /* describes why the answer was not sound */
	struct bs_grep_analysis analysis;
	struct bs_buffer pattern, folded, keys;
};

/* Analyses the pattern and compiles it. The analysis is also done if PCRE2 refuses the pattern.
 * Returns RIG_NO_PATTERN or RIG_NO_MATCH. */
enum rig_result rig_open(struct regex_rig *rig, const uint8_t *pattern, size_t n_bytes,
                         unsigned options);

/* Matches the text; the pattern must be valid. is_sound_out: false if the text matches but lacks
 * the pattern's grams, literal or window, if the search for several lines finds other lines, or if
 * the list finds other matches. holds_out: the text has the grams and the window. */
enum rig_result rig_ask(struct regex_rig *rig, const uint8_t *text, size_t n_bytes,
                        bool *is_sound_out, bool *holds_out);

/* The gram tree as a text, for messages; the caller frees it. */
char *rig_tree_text(const struct regex_rig *rig);

void rig_close(struct regex_rig *rig);
