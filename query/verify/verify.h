/*
 * verify.h: decides whether a candidate is a hit, by its current text, and computes its score. The
 * byte verifier is tried first, on unparsed bytes. If it cannot decide, or there is none, the whole
 * document is analysed (match.h). Both give the same verdict.
 */
#pragma once

#include "query/load/loader.h"
#include "query/plan/plan.h"
#include "query/verify/byte_verifier.h"
#include "query/verify/match.h"

/* The inputs for verifying, which are the same for all documents of a query. Constant while any
 * document is verified. */
struct bs_verify_request {
	const struct bs_plan *plan;
	/* The kernel for the byte verifier; NULL: there is no byte verifier. */
	const struct bs_kernel *kernel;
	bool is_scored; /* Hits need their scores. */
	bool is_zero;   /* The score of every unchanged hit is 0. */
	/* Texts are read whole. Otherwise, reading may stop once a match is proven. */
	bool reads_whole;
	bool no_stat; /* Documents that are not read count as unchanged. */
	double avgdl; /* The average length of documents, for scores (bm25.h). */
};

/* The state of one thread. The caller sets the first three members, which are borrowed, and
 * leaves_changed. */
struct bs_verifier {
	const struct bs_verify_request *request;
	struct bs_tokenizer *tokenizer;
	struct bs_loader *loader;
	struct bs_matcher *matcher;
	/* The byte verifier; NULL: every document is analysed. */
	struct bs_byte_verifier *byte_verifier;
	/* The snapshot whose field weights are set in the matchers; NULL: none yet. */
	const struct bs_snapshot *weighed;
	/* Documents that are not certainly unchanged are returned with is_open, for another
	 * thread. */
	bool leaves_changed;
	struct bs_doc_ref ref; /* The current document. */
	/* The byte verifier has already searched the beginning of the current file. */
	bool has_begun;
	bool is_proven; /* The beginning of the current file was enough to prove a match. */
};

/* Makes the matchers for the request's query. bs_verifier_end must follow, even after a failure.
 * BS_NO_MEMORY, or the failures of the analyzer. */
enum bs_status bs_verifier_begin(struct bs_verifier *verifier, struct bs_error *err) BS_WARN_UNUSED;
void bs_verifier_end(struct bs_verifier *verifier);

/* The result for a document. A document that is gone or unreadable is not a hit. */
struct bs_verified {
	double score;        /* The hit's score, if the request is scored. */
	uint64_t read_bytes; /* The number of bytes of the text that were read. */
	bool is_read;        /* The text was read. */
	bool is_hit;
	bool is_open; /* The document was not decided: see leaves_changed. */
};

/* Verifies a candidate. is_sure: the document matches if it is unchanged. Returns the failures of
 * bs_load and bs_match_document, and BS_INVALID (the statistics are inconsistent). */
enum bs_status bs_verify(struct bs_verifier *verifier, struct bs_doc_ref ref, bool is_sure,
                         struct bs_verified *verified_out, struct bs_error *err) BS_WARN_UNUSED;
