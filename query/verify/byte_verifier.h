/*
 * byte_verifier.h: the quick half of the verifier: looks for the words of a query by their bytes,
 * and analyses only what stands around them. What it says is what match.h says of the same
 * document; where it cannot tell, it says so, and the document is analysed as a whole.
 *
 * Why bytes may decide stands in core/text/tokenizer_near.h. In short: a word of ASCII that stands
 * in a text is there byte by byte but for case, unless the text has a code point that folds to
 * ASCII or to nothing; whether it has is looked up before any word counts as absent.
 *
 * Words beyond ASCII and fuzzy words are never confirmed here, prefixes only where no score is
 * asked for; but a document may still fail by the others.
 */
#pragma once

#include "core/simd/kernels.h"
#include "core/text/tokenizer.h"
#include "corpus/walk/document.h"
#include "query/plan/plan.h"
#include "query/verify/match.h"

/* A query made ready for many documents, with the scratch for one. One thread. */
struct bs_byte_verifier;

/* All is borrowed; words must be the analyzer of the index. *verifier_out is NULL if bytes say
 * nothing of this query: it has no word of ASCII, or words are stemmed, or it is very large.
 * BS_NO_MEMORY, or what the analyzer returned. */
enum bs_status bs_byte_verifier_new(const struct bs_plan *plan, struct bs_tokenizer *tokenizer,
                                    const struct bs_kernel *kernel,
                                    struct bs_byte_verifier **verifier_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_byte_verifier_free(struct bs_byte_verifier *verifier);

/* As bs_matcher_weigh_fields. */
void bs_byte_verifier_weigh_fields(struct bs_byte_verifier *verifier, char *const *weights);

/* Looks at a record's line of JSON as it is, unparsed. It must be valid JSON; of anything else the
 * answer is any. UNKNOWN, here and below: the document must be analysed. ref, here and below: the
 * document, by which its name is known. */
enum bs_status bs_byte_verifier_json(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                     const uint8_t *line, size_t line_bytes,
                                     enum bs_verdict *verdict_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Looks at the fields of a document; is_json: as they stand in its line, escapes and all. With
 * needs_words, match_out->words and n_words are filled if the answer is YES, as bs_match_document
 * fills them; nothing else of match_out is. */
enum bs_status bs_byte_verifier_fields(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                       const struct bs_field *fields, size_t n_fields, bool is_json,
                                       bool needs_words, enum bs_verdict *verdict_out,
                                       struct bs_match *match_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Whether beginnings of a text can be enough: not where something must not be in it. */
bool bs_byte_verifier_takes_heads(const struct bs_byte_verifier *verifier);
/*
 * A document's one text, without a name, while it is read: is_new: the first that is seen of it,
 * else what was seen last and something behind it, wherever that stands now. Only what is new is
 * searched. Before is_whole there is only YES, and UNKNOWN.
 */
enum bs_status bs_byte_verifier_grown(struct bs_byte_verifier *verifier, struct bs_doc_ref ref,
                                      const uint8_t *text, size_t text_bytes, bool is_new,
                                      bool is_whole, enum bs_verdict *verdict_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
