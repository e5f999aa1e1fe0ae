/* json_text.h: the parts of JSON messages that take the most time: texts and numbers. */
#pragma once

#include "core/bitsift/grep_request.h"
#include "query/regex/text.h"

/* Puts {"text":"..."}, or {"bytes":"..."} in base64 if the bytes are not UTF-8. is_terminal:
 * terminal controls are escaped, too. */
void bs_json_put_data(struct bs_text_writer *to, const void *bytes, size_t n_bytes,
                      bool is_terminal);
/* Writes the digits of a number, at most 20, so that they end before `end`. Returns their start. */
char *bs_write_digits(char *end, uint64_t number);
void bs_json_put_number(struct bs_text_writer *to, uint64_t number);
/* Puts {"match":{"text":"..."},"start":1,"end":4}. text: the line of the match. replacement: the
 * text that replaces the match, put as a further member; NULL: none. */
void bs_json_put_match(struct bs_text_writer *to, const uint8_t *text, struct bs_grep_span match,
                       const uint8_t *replacement, size_t replacement_bytes, bool is_terminal);
