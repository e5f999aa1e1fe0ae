/*
 * verify.h: a candidate and its text: is it a hit, and with what score? Where the source is what was indexed the byte
 * verifier (byte_verifier.h) is asked first, on bytes that were not even parsed; where it cannot tell, and where there is
 * none, the document is analysed as a whole (match.h). Both give the same answer.
 */
#ifndef BS_QUERY_SEARCH_VERIFY_H
#define BS_QUERY_SEARCH_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/store/snapshot.h"
#include "core/base/status.h"
#include "query/search/fetch.h"
#include "query/search/match.h"
#include "query/search/scan.h"
#include "query/search/byte_verifier.h"

/* What verifying needs during one query; all borrowed. */
struct bs_verifier {
	const struct bs_snapshot *snapshot;
	struct bs_fetcher *fetcher;
	struct bs_matcher *matcher;
	struct bs_byte_verifier *byte_verifier; /* NULL: every document is analysed */
	struct bs_query_stats *stats;
	bool is_scored;       /* hits are to have their scores */
	double avgdl;
};

/* *is_hit_out, and *score_out if it is one and scores are wanted. A document that is gone or cannot be read is none.
 * BS_CORRUPT, BS_NO_MEMORY, and what the analyzer returns. */
enum bs_status bs_verify(struct bs_verifier *verifier, uint32_t segment, const struct bs_candidate *candidate,
                         bool *is_hit_out, double *score_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
