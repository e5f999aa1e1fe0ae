/* verify.c: see verify.h. */
#include "query/verify/verify.h"

#include "core/system/deadline.h"
#include "query/statistics/bm25.h"

enum bs_status bs_verifier_begin(struct bs_verifier *verifier, struct bs_error *err)
{
	const struct bs_verify_request *request = verifier->request;
	enum bs_status status =
		bs_matcher_new(request->plan->query, verifier->tokenizer, &verifier->matcher, err);
	if (status)
		return status;
	verifier->weighed = NULL;
	bs_matcher_ask_names(verifier->matcher, request->plan->names);
	if (request->kernel)
		status = bs_byte_verifier_new(request->plan, verifier->tokenizer, request->kernel,
		                              &verifier->byte_verifier, err);
	return status;
}

/* Sets the weights of fields that the index of the document has. */
static void take_weights(struct bs_verifier *verifier, uint32_t segment)
{
	const struct bs_snapshot *snapshot =
		bs_list_segment(verifier->request->plan->list, segment)->snapshot;
	if (snapshot == verifier->weighed)
		return;
	verifier->weighed = snapshot;
	bs_matcher_weigh_fields(verifier->matcher, snapshot->manifest.options.weights);
	if (verifier->byte_verifier)
		bs_byte_verifier_weigh_fields(verifier->byte_verifier,
		                              snapshot->manifest.options.weights);
}

void bs_verifier_end(struct bs_verifier *verifier)
{
	bs_byte_verifier_free(verifier->byte_verifier);
	bs_matcher_free(verifier->matcher);
	verifier->byte_verifier = NULL;
	verifier->matcher = NULL;
}

/* Computes the score of a match. The idf of a word is computed on first use, and stored in
 * *word->idf. */
static enum bs_status score(const struct bs_verify_request *request, const struct bs_match *match,
                            double *score_out, struct bs_error *err)
{
	*score_out = 0;
	for (size_t i = 0; i < match->n_words; i++) {
		const struct bs_match_word *word = &match->words[i];
		if (*word->idf < 0) {
			enum bs_status status = bs_plan_idf(request->plan, word->term,
			                                    word->term_bytes, word->idf, err);
			if (status)
				return status;
		}
		*score_out += bs_bm25_share(word->weight * *word->idf, word->tf, match->length,
		                            request->avgdl);
	}
	return BS_OK;
}

static void note_read(struct bs_verified *verified, uint64_t n_bytes, bool is_hit)
{
	verified->is_read = true;
	verified->read_bytes = n_bytes;
	verified->is_hit = is_hit;
}

/* Verifies a document by analysing all of it (match.h). */
static enum bs_status analyse(struct bs_verifier *verifier, struct bs_doc_ref ref,
                              const struct bs_document *document, struct bs_verified *verified,
                              struct bs_error *err)
{
	struct bs_match match;
	enum bs_status status = bs_match_document(verifier->matcher, ref, document->text.fields,
	                                          document->text.n_fields, &match, err);
	if (status)
		return status;
	note_read(verified, document->text.n_bytes, match.matches);
	return match.matches && verifier->request->is_scored
	               ? score(verifier->request, &match, &verified->score, err)
	               : BS_OK;
}

/* Verifies a document by the bytes of its fields. The document must be unchanged, because its
 * length is taken from the index. */
static enum bs_status ask_fields(struct bs_verifier *verifier, struct bs_doc_ref ref,
                                 const struct bs_document *document, bool is_json,
                                 struct bs_verified *verified, enum bs_verdict *verdict_out,
                                 struct bs_error *err)
{
	const struct bs_verify_request *request = verifier->request;
	const struct bs_field *fields = document->text.fields;
	struct bs_match found = {0};
	enum bs_status status =
		verifier->has_begun
			? bs_byte_verifier_grown(verifier->byte_verifier, ref, fields->text,
	                                         fields->text_bytes, false, true, verdict_out, err)
			: bs_byte_verifier_fields(verifier->byte_verifier, ref, fields,
	                                          document->text.n_fields, is_json,
	                                          request->is_scored, verdict_out, &found, err);
	if (status || *verdict_out == BS_VERDICT_UNKNOWN)
		return status;
	note_read(verified, document->text.n_bytes, *verdict_out == BS_VERDICT_YES);
	if (!verified->is_hit || !request->is_scored)
		return BS_OK;
	status = bs_packed_get_u32(&bs_plan_segment(request->plan, ref.segment)->docs.lengths,
	                           ref.document, &found.length, err);
	return status ? status : score(request, &found, &verified->score, err);
}

/* Verifies a record by the bytes of its line of JSON. If these do not decide, or if the record
 * matches and needs a score, splits the line into fields, whose escapes are not decoded, and
 * verifies by their bytes. *is_cut_out: document_out has the fields. */
static enum bs_status ask_line(struct bs_verifier *verifier, struct bs_doc_ref ref,
                               const uint8_t *line, size_t line_bytes,
                               struct bs_document *document_out, bool *is_cut_out,
                               struct bs_verified *verified, enum bs_verdict *verdict_out,
                               struct bs_error *err)
{
	enum bs_status status = bs_byte_verifier_json(verifier->byte_verifier, ref, line,
	                                              line_bytes, verdict_out, err);
	if (status)
		return status;
	if (*verdict_out == BS_VERDICT_NO ||
	    (*verdict_out == BS_VERDICT_YES && !verifier->request->is_scored)) {
		note_read(verified, line_bytes, *verdict_out == BS_VERDICT_YES);
		return BS_OK;
	}
	*verdict_out = BS_VERDICT_UNKNOWN;
	*is_cut_out = bs_loader_cut_line(verifier->loader, ref, line, line_bytes, document_out);
	return *is_cut_out
	               ? ask_fields(verifier, ref, document_out, true, verified, verdict_out, err)
	               : BS_OK;
}

static bool is_enough(void *context, const uint8_t *text, size_t n_bytes)
{
	struct bs_verifier *verifier = context;
	enum bs_verdict verdict;
	struct bs_error why;
	/* After a failure, the whole text is read, and the failure will be reported then. */
	verifier->is_proven =
		!bs_byte_verifier_grown(verifier->byte_verifier, verifier->ref, text, n_bytes,
	                                !verifier->has_begun, false, &verdict, &why) &&
		verdict == BS_VERDICT_YES;
	verifier->has_begun = true;
	return verifier->is_proven;
}

/* Loads the text of a document. If a proof of the match suffices, reading an unchanged file stops
 * once there is one. */
static enum bs_status fetch_text(struct bs_verifier *verifier, struct bs_doc_ref ref,
                                 bool may_ask_bytes, struct bs_document *document_out,
                                 enum bs_load_state *fetched_out, struct bs_error *err)
{
	const struct bs_verify_request *request = verifier->request;
	bool may_prove = may_ask_bytes && !request->is_scored && !request->reads_whole &&
	                 bs_byte_verifier_takes_heads(verifier->byte_verifier);
	if (may_prove)
		bs_loader_ask_head(verifier->loader, is_enough, verifier);
	enum bs_status status = bs_load(verifier->loader, ref, document_out, fetched_out, err);
	if (may_prove)
		bs_loader_ask_head(verifier->loader, NULL, NULL);
	return status;
}

/* Estimated cost of a document, without reading its bytes. */
#define DOCUMENT_NS 500u

enum bs_status bs_verify(struct bs_verifier *verifier, struct bs_doc_ref ref, bool is_sure,
                         struct bs_verified *verified_out, struct bs_error *err)
{
	const struct bs_verify_request *request = verifier->request;
	struct bs_document document;
	enum bs_verdict verdict = BS_VERDICT_UNKNOWN;
	enum bs_load_state fetched = BS_LOADED_UNCHANGED;
	enum bs_status status = BS_OK;
	/* Documents of the overlay belong to no segment; they are analysed. */
	bool may_ask_bytes = verifier->byte_verifier && bs_plan_segment(request->plan, ref.segment),
	     is_cut = false;
	const uint8_t *line = NULL;
	size_t line_bytes;
	*verified_out = (struct bs_verified){0};
	verifier->has_begun = verifier->is_proven = false;
	verifier->ref = ref;
	take_weights(verifier, ref.segment);
	status = bs_deadline_check_after(DOCUMENT_NS, err);
	if (status)
		return status;
	if (is_sure && (!request->is_scored || request->is_zero))
		status = bs_loader_is_unchanged(verifier->loader, ref, &verified_out->is_hit, err);
	if (status || verified_out->is_hit)
		return status;
	if (may_ask_bytes)
		status = bs_loader_line(verifier->loader, ref, &line, &line_bytes, err);
	if (!status && line)
		status = ask_line(verifier, ref, line, line_bytes, &document, &is_cut, verified_out,
		                  &verdict, err);
	if (status || verdict != BS_VERDICT_UNKNOWN)
		return status;
	/* Replaces the escapes in the fields; if that is impossible, loads the document. */
	if (!is_cut || !bs_loader_resolve(verifier->loader, ref, &document)) {
		status = fetch_text(verifier, ref, may_ask_bytes, &document, &fetched, err);
		verified_out->is_open = fetched != BS_LOADED_UNCHANGED && verifier->leaves_changed;
		if (status || verified_out->is_open || fetched == BS_LOADED_GONE ||
		    fetched == BS_LOADED_FAILED)
			return status;
	}
	if (verifier->is_proven) {
		note_read(verified_out, document.text.n_bytes, true);
		return BS_OK;
	}
	if (may_ask_bytes && fetched == BS_LOADED_UNCHANGED)
		status = ask_fields(verifier, ref, &document, false, verified_out, &verdict, err);
	return !status && verdict == BS_VERDICT_UNKNOWN
	               ? analyse(verifier, ref, &document, verified_out, err)
	               : status;
}
