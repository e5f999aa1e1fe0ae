/*
 * byte_verifier.h: the fast part of the verifier. It searches a text for the bytes of the query's
 * words and analyses only the surroundings of the places found. Its verdict on a document is the
 * same as that of match.h, or UNKNOWN; then the whole document must be analysed.
 *
 * core/text/tokenizer_near.h explains why bytes can decide. In short: an ASCII word of a text
 * occurs in it byte by byte, except for case, unless the text has a code point that folds to ASCII
 * or to nothing. Before a word counts as absent, the text is searched for such code points.
 *
 * Words beyond ASCII, patterns and fuzzy words are never confirmed here, and prefixes only if no
 * score is needed; but a document may still be rejected because of the other words.
 */
#pragma once

#include "core/simd/kernels.h"
#include "core/text/tokenizer.h"
#include "corpus/walk/document.h"
#include "query/plan/plan.h"
#include "query/verify/match.h"

/* A query prepared for many documents, with the scratch for one. Used by one thread. */
struct bs_byte_verifier;

/* Makes the byte verifier for a plan. All inputs are borrowed; tokenizer must be the analyzer of
 * the index. *verifier_out is NULL if bytes cannot decide the query: it has no ASCII word, it is
 * very large, or the analyzer stems or is the application's. BS_NO_MEMORY, or the failures of the
 * analyzer. */
enum bs_status bs_byte_verifier_new(const struct bs_plan *plan, struct bs_tokenizer *tokenizer,
                                    const struct bs_kernel *kernel,
                                    struct bs_byte_verifier **verifier_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_byte_verifier_free(struct bs_byte_verifier *verifier);

/* Sets the weights of fields, like bs_matcher_weigh_fields. */
void bs_byte_verifier_weigh_fields(struct bs_byte_verifier *verifier, char *const *weights);

/* Searches a record's line of JSON without parsing it. If the line is not valid JSON, the verdict
 * is arbitrary. For this and the following functions: UNKNOWN means that the document must be
 * analysed; ref is the document, and is needed only for its file name. */
enum bs_status bs_byte_verifier_json(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                     const uint8_t *line, size_t line_bytes,
                                     enum bs_verdict *verdict_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Searches the fields of a document. is_json: the texts still have the escapes of JSON.
 * needs_words: for the verdict YES, sets words and n_words of match_out like bs_match_document, and
 * nothing else in match_out. */
enum bs_status bs_byte_verifier_fields(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                       const struct bs_field *fields, size_t n_fields, bool is_json,
                                       bool needs_words, enum bs_verdict *verdict_out,
                                       struct bs_match *match_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Whether the verdict on the beginning of a text can be YES. It cannot if the query has a NOT. */
bool bs_byte_verifier_takes_heads(const struct bs_byte_verifier *verifier);
/* Searches the only text of a document, which has no field name, while it is being read. is_new:
 * this is the first call for the document; otherwise `text` is the text of the previous call,
 * perhaps at another address, with more bytes at its end, and only the new part is searched. Unless
 * is_whole is set, the verdict is YES or UNKNOWN. */
enum bs_status bs_byte_verifier_grown(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                      const uint8_t *text, size_t text_bytes, bool is_new,
                                      bool is_whole, enum bs_verdict *verdict_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
