/*
 * pattern_tree.h: patterns built by calls, one for each part, for bs_candidates and struct
 * bs_text_filter (candidates.h). For hosts with a pattern syntax of their own, such as LIKE. Part
 * of the public interface; the rules are those of bitsift.h.
 *
 *      a%b_[cd]      bs_pattern_tree_new(false, &tree, err);
 *                    bs_pattern_tree_character(tree, 'a');
 *                    bs_pattern_tree_any(tree);
 *                    bs_pattern_tree_repeat(tree, 0, BS_PATTERN_NO_MAX);
 *                    bs_pattern_tree_character(tree, 'b');
 *                    bs_pattern_tree_any(tree);
 *                    bs_pattern_tree_class(tree, (struct bs_pattern_range[]){{'c', 'd'}}, 1,
 *                                          false);
 *                    bs_pattern_tree_end(tree, err);
 *
 * If a part of a pattern cannot be expressed by these calls, replace it by a part that matches more
 * texts. Then no matching text is ruled out.
 *
 * Parts are added in the order of the pattern's text. Calls after a failure do nothing;
 * bs_pattern_tree_end reports the failure.
 */
#ifndef BITSIFT_PATTERN_TREE_H
#define BITSIFT_PATTERN_TREE_H

#include "status.h"

BS_BEGIN_DECLS

#define BS_PATTERN_NO_MAX UINT32_MAX

/* A tree is built by one thread at a time. From bs_pattern_tree_end until it is cleared, any number
 * of threads may use it. */
struct bs_pattern_tree;

/* Code points, both included; first <= last. */
struct bs_pattern_range {
	uint32_t first, last;
};

enum bs_pattern_place {
	BS_PATTERN_TEXT_START,
	BS_PATTERN_TEXT_END,
	BS_PATTERN_LINE_START, /* the start of a line or of the text */
	BS_PATTERN_LINE_END,   /* the end of a line or of the text */
};

/* Creates an empty tree, which matches every text. fold_case: the pattern ignores letter case. Free
 * *tree_out with bs_pattern_tree_free. BS_NO_MEMORY. */
BS_API enum bs_status bs_pattern_tree_new(bool fold_case, struct bs_pattern_tree **tree_out,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_pattern_tree_free(struct bs_pattern_tree *tree);

/* Makes the tree empty again, so that another pattern can be built, and forgets an earlier
 * failure. */
BS_API void bs_pattern_tree_clear(struct bs_pattern_tree *tree);

/* Adds a character, by its code point. If the code point is invalid, the whole pattern matches
 * every text. */
BS_API void bs_pattern_tree_character(struct bs_pattern_tree *tree, uint32_t character);
/* Adds a part that matches any one character, including line ends. */
BS_API void bs_pattern_tree_any(struct bs_pattern_tree *tree);
/* Adds a part that matches one character in one of n ranges (n > 0), or with is_negated one
 * character in none of them. It never ignores letter case. */
BS_API void bs_pattern_tree_class(struct bs_pattern_tree *tree,
                                  const struct bs_pattern_range *ranges, size_t n, bool is_negated);

/* Adds an assertion, which matches a position between characters. */
BS_API void bs_pattern_tree_place(struct bs_pattern_tree *tree, enum bs_pattern_place place);
/* Adds an assertion that the character before the position (not_preceded) or after it
 * (not_followed) is in none of these n ranges (n > 0). It never ignores letter case. */
BS_API void bs_pattern_tree_not_preceded(struct bs_pattern_tree *tree,
                                         const struct bs_pattern_range *ranges, size_t n);
BS_API void bs_pattern_tree_not_followed(struct bs_pattern_tree *tree,
                                         const struct bs_pattern_range *ranges, size_t n);

/* Begins and ends a group, which is one part with any number of alternatives. If groups are nested
 * some hundreds deep, the whole pattern matches every text. */
BS_API void bs_pattern_tree_open(struct bs_pattern_tree *tree);
BS_API void bs_pattern_tree_close(struct bs_pattern_tree *tree);
/* Begins the next alternative of the group, or of the pattern. */
BS_API void bs_pattern_tree_either(struct bs_pattern_tree *tree);

/* Repeats the last part `least` to `most` times; least <= most. The part is a character, a class, a
 * group, or what bs_pattern_tree_any added, and is repeated only once. If one of them is over
 * 65,535 and not BS_PATTERN_NO_MAX, the whole pattern matches every text. */
BS_API void bs_pattern_tree_repeat(struct bs_pattern_tree *tree, uint32_t least, uint32_t most);

/* Completes the pattern: it can be used now, and further calls add nothing. BS_INVALID (an unopened
 * or unclosed group, an invalid range or repetition), BS_NO_MEMORY, BS_DEADLINE, BS_STOPPED. */
BS_API enum bs_status bs_pattern_tree_end(struct bs_pattern_tree *tree,
                                          struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
