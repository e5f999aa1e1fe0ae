/*
 * verify.h: whether a candidate is a hit, by its text as it is now, and its score. The byte
 * verifier is asked first, on bytes that were not even parsed; where it cannot tell, and where
 * there is none, the document is analysed as a whole (match.h). Both give the same answer.
 */
#pragma once

#include "query/load/loader.h"
#include "query/plan/plan.h"
#include "query/verify/byte_verifier.h"
#include "query/verify/match.h"

/* What is asked of all documents of a query. Constant while any of them is verified. */
struct bs_verify_request {
	const struct bs_plan *plan;
	const struct bs_kernel *kernel; /* NULL: no text is asked by its bytes */
	bool is_scored;                 /* hits are to have their scores, */
	bool is_zero;                   /* which are 0 for all that is what was indexed */
	bool reads_whole;               /* and not only as much as proves that it matches */
	bool no_stat;                   /* all that is not read is what was indexed */
	double avgdl;
};

/* What one thread verifies with. The first three are borrowed. */
struct bs_verifier {
	const struct bs_verify_request *request;
	struct bs_tokenizer *tokenizer;
	struct bs_loader *loader;
	struct bs_matcher *matcher;
	struct bs_byte_verifier *byte_verifier; /* NULL: every document is analysed */
	/* the index whose weights of fields the matchers have; NULL: none yet */
	const struct bs_snapshot *weighed;
	bool leaves_changed;   /* to somebody else: what is not what was indexed comes back open */
	struct bs_doc_ref ref; /* the document under way */
	bool has_begun;        /* the byte verifier has seen the beginning of the file under way, */
	bool is_proven;        /* and that was enough */
};

/* Makes its matchers for the request's query. On failure, too, bs_verifier_end is for releasing
 * them. BS_NO_MEMORY, or what the analyzer returned. */
enum bs_status bs_verifier_begin(struct bs_verifier *verifier, struct bs_error *err) BS_WARN_UNUSED;
void bs_verifier_end(struct bs_verifier *verifier);

/* What came of a document. One that is gone or cannot be read is no hit. */
struct bs_verified {
	double score;        /* if scores are wanted */
	uint64_t read_bytes; /* of its text */
	bool is_read;        /* the text was looked at */
	bool is_hit;
	bool is_open; /* nothing is known */
};

/* is_sure: it matches if it is what was indexed. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_verify(struct bs_verifier *verifier, struct bs_doc_ref ref, bool is_sure,
                         struct bs_verified *verified_out, struct bs_error *err) BS_WARN_UNUSED;
