/*
 * byte_verifier.h: the fast part of the verifier. It searches a text for the bytes of the query's
 * words and analyses only the surroundings of the places found. Its verdict on a document is the
 * same as that of match.h, or UNKNOWN; then the whole document must be analysed.
 *
 * core/text/tokenizer_near.h explains why bytes can decide. In short: an ASCII word of a text
 * occurs in it byte by byte, except for case, unless the text has a code point that folds to ASCII
 * or to nothing. Before a word counts as absent, the text is searched for such code points.
 *
 * Words beyond ASCII and fuzzy words are never confirmed here, and prefixes only if no score is
 * needed; but a document may still be rejected because of the other words.
 */
#pragma once

#include "core/simd/kernels.h"
#include "core/text/tokenizer.h"
#include "corpus/walk/document.h"
#include "query/plan/plan.h"
#include "query/verify/match.h"

/* A query prepared for many documents, with the scratch for one. Used by one thread. */
struct bs_byte_verifier;

/* All inputs are borrowed; tokenizer must be the analyzer of the index. *verifier_out is NULL if
 * bytes cannot decide this query: it has no ASCII word, words are stemmed, or it is very large.
 * BS_NO_MEMORY, or what the analyzer returned. */
enum bs_status bs_byte_verifier_new(const struct bs_plan *plan, struct bs_tokenizer *tokenizer,
                                    const struct bs_kernel *kernel,
                                    struct bs_byte_verifier **verifier_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_byte_verifier_free(struct bs_byte_verifier *verifier);

/* See bs_matcher_weigh_fields. */
void bs_byte_verifier_weigh_fields(struct bs_byte_verifier *verifier, char *const *weights);

/* Searches a record's line of JSON without parsing it. The line must be valid JSON; otherwise the
 * verdict is arbitrary. For this and the following functions: UNKNOWN means that the document must
 * be analysed, and ref names the document, for its file name. */
enum bs_status bs_byte_verifier_json(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                     const uint8_t *line, size_t line_bytes,
                                     enum bs_verdict *verdict_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Searches the fields of a document. is_json: the texts are as in the line of JSON, with escapes.
 * needs_words: if the verdict is YES, match_out->words and n_words are set as by bs_match_document;
 * no other member of match_out is set. */
enum bs_status bs_byte_verifier_fields(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                       const struct bs_field *fields, size_t n_fields, bool is_json,
                                       bool needs_words, enum bs_verdict *verdict_out,
                                       struct bs_match *match_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Whether the beginning of a text can suffice for a YES. It cannot if the query has a NOT. */
bool bs_byte_verifier_takes_heads(const struct bs_byte_verifier *verifier);
/*
 * Searches the single, unnamed text of a document while it is read. is_new: the first call for this
 * document; otherwise `text` is the previous text, perhaps at another address, with more after it,
 * and only the new part is searched. Until is_whole is set, the verdict is YES or UNKNOWN.
 */
enum bs_status bs_byte_verifier_grown(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                      const uint8_t *text, size_t text_bytes, bool is_new,
                                      bool is_whole, enum bs_verdict *verdict_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
