/* tokenizer_class.h: the classes of code points by which text is split into words, from ICU.
 * Private to the tokenizer_*.c files and the tests. */
#pragma once

#include "core/text/tokenizer_state.h"

/* Opens the parts of ICU that only text beyond ASCII needs, unless they are open. Most queries are
 * ASCII, and opening takes longer than parsing one. BS_NO_MEMORY, BS_UNSUPPORTED. */
enum bs_status bs_tokenizer_need_icu(struct bs_tokenizer *tokenizer,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_tokenizer_close_icu(struct bs_tokenizer *tokenizer);

/* Sets *is_inert_out to whether c is never a part of a word: ICU joins it with no letter or digit,
 * and finds no word in c alone or in a sequence of characters like c. */
enum bs_status bs_tokenizer_is_inert(struct bs_tokenizer *tokenizer, UChar32 c, bool *is_inert_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Fills in ascii.classes and ascii.parts of the tokenizer. BS_NO_MEMORY, BS_UNSUPPORTED. */
enum bs_status bs_tokenizer_load_ascii_classes(struct bs_tokenizer *tokenizer,
                                               struct bs_error *err) BS_WARN_UNUSED;

/* Whether c is a letter, mark or digit of a script that forms script runs (Han and others). Does
 * not use the iterator icu.breaks. */
bool bs_tokenizer_is_of_script_run(struct bs_tokenizer *tokenizer, UChar32 c);

/* Determines the class of a code point that is met for the first time, and stores it in
 * icu.code_point_classes. Uses the iterator icu.breaks, which loses its text. */
enum bs_status bs_tokenizer_learn_class(struct bs_tokenizer *tokenizer, UChar32 c,
                                        uint8_t *class_out, struct bs_error *err) BS_WARN_UNUSED;

static inline enum bs_status bs_tokenizer_class_of(struct bs_tokenizer *tokenizer, UChar32 c,
                                                   uint8_t *class_out, struct bs_error *err)
{
	*class_out = tokenizer->icu.code_point_classes[c];
	return *class_out == BS_CODE_POINT_UNKNOWN
	               ? bs_tokenizer_learn_class(tokenizer, c, class_out, err)
	               : BS_OK;
}

/* Reports an ICU failure; returns BS_NO_MEMORY or BS_UNSUPPORTED. */
enum bs_status bs_tokenizer_fail_icu(struct bs_error *err, const char *what,
                                     UErrorCode code) BS_WARN_UNUSED;
