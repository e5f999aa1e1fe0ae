/* verify.c: see verify.h. */
#include "query/search/verify.h"

#include "query/search/plan.h"
#include "query/search/rank.h"

/* A word's idf is worked out when it is first met, and kept by the matcher. */
static enum bs_status score(const struct bs_verifier *verifier, const struct bs_match *match, double *score_out,
                            struct bs_error *err)
{
	const struct bs_snapshot *snapshot = verifier->snapshot;
	*score_out = 0;
	for (size_t i = 0; i < match->n_words; i++) {
		const struct bs_match_word *word = &match->words[i];
		if (*word->idf < 0) {
			uint64_t df;
			enum bs_status status = bs_plan_df(snapshot, word->term, word->term_bytes, &df, err);
			if (status)
				return status;
			*word->idf = bs_bm25_idf(snapshot->n_docs, df);
		}
		*score_out += bs_bm25_weight(*word->idf, word->tf, match->length, verifier->avgdl);
	}
	return BS_OK;
}

/* A sure candidate whose source is what was indexed needs no text, unless it is to be scored. */
static enum bs_status is_proven(struct bs_verifier *verifier, uint32_t segment, const struct bs_candidate *candidate,
                                bool *proven_out, struct bs_error *err)
{
	*proven_out = false;
	if (!candidate->is_sure || verifier->is_scored)
		return BS_OK;
	return bs_fetch_is_unchanged(verifier->fetcher, segment, candidate->document, proven_out, err);
}

/* The document's text was looked at, n_bytes of it. */
static void count(struct bs_verifier *verifier, uint64_t n_bytes, bool is_hit)
{
	verifier->stats->verified++;
	verifier->stats->bytes_verified += n_bytes;
	verifier->stats->false_positives += !is_hit;
}

/* By analysing all of it. */
static enum bs_status match(struct bs_verifier *verifier, const struct bs_document *document, bool *is_hit_out,
                            double *score_out, struct bs_error *err)
{
	struct bs_match match;
	enum bs_status status = bs_match_document(verifier->matcher, document->fields, document->n_fields, &match, err);
	if (status)
		return status;
	count(verifier, document->text_bytes, match.matches);
	*is_hit_out = match.matches;
	return match.matches && verifier->is_scored ? score(verifier, &match, score_out, err) : BS_OK;
}

/* By its fields, which are JSON or not; the document is what was indexed, so that its length is in the index. */
static enum bs_status byte_verify_fields(struct bs_verifier *verifier, uint32_t segment, uint32_t number,
                                         const struct bs_document *document, bool is_json, enum bs_verdict *verdict_out,
                                         double *score_out, struct bs_error *err)
{
	struct bs_match found = {0};
	enum bs_status status = bs_byte_verifier_fields(verifier->byte_verifier, document->fields, document->n_fields, is_json,
	                                                verifier->is_scored, verdict_out, &found, err);
	if (status || *verdict_out == BS_VERDICT_UNKNOWN)
		return status;
	count(verifier, document->text_bytes, *verdict_out == BS_VERDICT_YES);
	if (*verdict_out == BS_VERDICT_NO || !verifier->is_scored)
		return BS_OK;
	status = bs_doc_table_length(&verifier->snapshot->segments[segment].docs, number, &found.length, err);
	return status ? status : score(verifier, &found, score_out, err);
}

/* The line as a whole; then its fields as they stand in it. */
static enum bs_status byte_verify_line(struct bs_verifier *verifier, uint32_t segment, uint32_t number, const uint8_t *line,
                                       size_t line_bytes, enum bs_verdict *verdict_out, double *score_out,
                                       struct bs_error *err)
{
	struct bs_document document;
	enum bs_status status = bs_byte_verifier_json(verifier->byte_verifier, line, line_bytes, verdict_out, err);
	if (status)
		return status;
	if (*verdict_out == BS_VERDICT_NO || (*verdict_out == BS_VERDICT_YES && !verifier->is_scored)) {
		count(verifier, line_bytes, *verdict_out == BS_VERDICT_YES);
		return BS_OK;
	}
	*verdict_out = BS_VERDICT_UNKNOWN;
	if (!bs_fetch_cut_line(verifier->fetcher, line, line_bytes, &document))
		return BS_OK;
	return byte_verify_fields(verifier, segment, number, &document, true, verdict_out, score_out, err);
}

enum bs_status bs_verify(struct bs_verifier *verifier, uint32_t segment, const struct bs_candidate *candidate,
                         bool *is_hit_out, double *score_out, struct bs_error *err)
{
	uint32_t number = candidate->document;
	struct bs_document document;
	enum bs_verdict verdict = BS_VERDICT_UNKNOWN;
	/* Documents of the overlay are in no segment's table. */
	bool can_verify_bytes = verifier->byte_verifier && segment < verifier->snapshot->manifest.n_segments;
	const uint8_t *line = NULL;
	size_t line_bytes;
	*is_hit_out = false;
	enum bs_status status = is_proven(verifier, segment, candidate, is_hit_out, err);
	if (status || *is_hit_out)
		return status;
	if (can_verify_bytes)
		status = bs_fetch_line(verifier->fetcher, segment, number, &line, &line_bytes, err);
	if (!status && line)
		status = byte_verify_line(verifier, segment, number, line, line_bytes, &verdict, score_out, err);
	if (status || verdict != BS_VERDICT_UNKNOWN)
		goto out;
	/* Then what the line or the file says. */
	bool is_indexed = line && bs_fetch_scan_line(verifier->fetcher, line, line_bytes, &document);
	if (!is_indexed) {
		enum bs_fetched fetched;
		status = bs_fetch(verifier->fetcher, segment, number, &document, &fetched, err);
		if (status || fetched == BS_FETCHED_GONE || fetched == BS_FETCHED_FAILED)
			return status;
		is_indexed = can_verify_bytes && fetched == BS_FETCHED_UNCHANGED;
	}
	if (is_indexed)
		status = byte_verify_fields(verifier, segment, number, &document, false, &verdict, score_out, err);
	if (!status && verdict == BS_VERDICT_UNKNOWN)
		return match(verifier, &document, is_hit_out, score_out, err);
out:
	*is_hit_out = !status && verdict == BS_VERDICT_YES;
	return status;
}
