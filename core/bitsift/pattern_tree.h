/*
 * pattern_tree.h: a pattern that is built by calls, one for each part of it, for bs_candidates and struct bs_text_filter
 * (candidates.h). For a host with a syntax of its own, such as LIKE: it need not write PCRE2's. Part of the public interface of
 * libbitsift; the rules are those of bitsift.h.
 *
 *      a%b_[cd]      bs_pattern_tree_new(false, &tree, err);
 *                    bs_pattern_tree_character(tree, 'a');
 *                    bs_pattern_tree_any(tree);
 *                    bs_pattern_tree_repeat(tree, 0, BS_PATTERN_NO_MAX);
 *                    bs_pattern_tree_character(tree, 'b');
 *                    bs_pattern_tree_any(tree);
 *                    bs_pattern_tree_class(tree, (struct bs_pattern_range[]){{'c', 'd'}}, 1, false);
 *                    bs_pattern_tree_end(tree, err);
 *
 * A part that a host cannot express is replaced by one that matches more texts: then nothing is ruled out that matches.
 *
 * Parts follow one another as in the pattern's text. Calls after a failure do nothing; bs_pattern_tree_end reports the failure.
 */
#ifndef BITSIFT_PATTERN_TREE_H
#define BITSIFT_PATTERN_TREE_H

#include "status.h"

BS_BEGIN_DECLS

#define BS_PATTERN_NO_MAX UINT32_MAX

/* One thread at a time builds it. Once ended it is immutable, and any number of threads may use it. */
struct bs_pattern_tree;

/* Code points, both included; first <= last. */
struct bs_pattern_range {
	uint32_t first, last;
};

enum bs_pattern_place {
	BS_PATTERN_TEXT_START,
	BS_PATTERN_TEXT_END,
	BS_PATTERN_LINE_START, /* or of the text */
	BS_PATTERN_LINE_END,   /* or of the text */
};

/* An empty tree, which matches every text. fold_case: characters match in any letter case. *tree_out is the caller's, for
 * bs_pattern_tree_free. BS_NO_MEMORY. */
BS_API enum bs_status bs_pattern_tree_new(bool fold_case, struct bs_pattern_tree **tree_out, struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_pattern_tree_free(struct bs_pattern_tree *tree);

/* The tree is empty again, and not ended; earlier failures are forgotten. */
BS_API void bs_pattern_tree_clear(struct bs_pattern_tree *tree);

/* A character, by its code point. With one that UTF-8 does not have, the whole pattern matches every text. */
BS_API void bs_pattern_tree_character(struct bs_pattern_tree *tree, uint32_t character);
/* Any one character, line ends among them. */
BS_API void bs_pattern_tree_any(struct bs_pattern_tree *tree);
/* One character of n ranges, n > 0, or of none of them. Letter case counts, whatever fold_case says. */
BS_API void bs_pattern_tree_class(struct bs_pattern_tree *tree, const struct bs_pattern_range *ranges, size_t n, bool is_negated);

/* These match a place between characters. */
BS_API void bs_pattern_tree_place(struct bs_pattern_tree *tree, enum bs_pattern_place place);
/* No character of these n ranges, n > 0, stands right before the place, or right after it. Letter case counts. */
BS_API void bs_pattern_tree_not_preceded(struct bs_pattern_tree *tree, const struct bs_pattern_range *ranges, size_t n);
BS_API void bs_pattern_tree_not_followed(struct bs_pattern_tree *tree, const struct bs_pattern_range *ranges, size_t n);

/* A group: one part, of any number of alternatives. Deeper than some hundred, the whole pattern matches every text. */
BS_API void bs_pattern_tree_open(struct bs_pattern_tree *tree);
BS_API void bs_pattern_tree_close(struct bs_pattern_tree *tree);
/* Between two alternatives of a group, or of the pattern. */
BS_API void bs_pattern_tree_either(struct bs_pattern_tree *tree);

/* The last part (a character, any, a class or a group, not repeated yet) stands there least to most times; least <= most. If one of
 * them is over 65,535 and not BS_PATTERN_NO_MAX, the whole pattern matches every text. */
BS_API void bs_pattern_tree_repeat(struct bs_pattern_tree *tree, uint32_t least, uint32_t most);

/* The pattern is complete: from now on it can be used, and calls add nothing. BS_INVALID (a group that was not opened or not closed, a
 * range or a repetition that is none), BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED. */
BS_API enum bs_status bs_pattern_tree_end(struct bs_pattern_tree *tree, struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
