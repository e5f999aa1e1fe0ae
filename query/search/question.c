/* question.c: see question.h. */
#include "query/search/question.h"

#include "core/system/log.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define USUAL_N_BEST 10

#define LOGGED_BYTES 200 /* The most bytes of a query that are logged. */

static enum bs_status check(const struct bs_search_request *request, struct bs_error *err)
{
	if ((unsigned)request->output.mode > BS_SEARCH_COUNT)
		return bs_fail(err, BS_UNSUPPORTED, "struct bs_search_request: no mode %d",
		               (int)request->output.mode);
	if (request->output.offset &&
	    (request->output.mode == BS_SEARCH_COUNT || request->method.approx))
		return bs_fail(
			err, BS_INVALID,
			"struct bs_search_request: an offset is of hits, and of all of them");
	if (request->method.approx && request->output.mode != BS_SEARCH_TOP)
		return bs_fail(
			err, BS_INVALID,
			"struct bs_search_request: only ranked hits can be had approximately");
	if (request->output.sort_field &&
	    (request->output.mode != BS_SEARCH_TOP || request->method.approx))
		return bs_fail(err, BS_INVALID,
		               "struct bs_search_request: only the first hits can be had sorted, "
		               "and not approximately");
	if (request->filter.date_field && !request->filter.newer && !request->filter.older)
		return bs_fail(err, BS_INVALID,
		               "struct bs_search_request: a field with a date, but no date to "
		               "compare with");
	if (request->query.feedback_docs && (request->query.like_id || request->query.like_text))
		return bs_fail(err, BS_INVALID,
		               "struct bs_search_request: words of the best documents, or of one "
		               "that hits are like");
	if (request->query.statistics &&
	    (request->query.feedback_docs || request->query.like_id || request->query.like_text))
		return bs_fail(err, BS_INVALID,
		               "struct bs_search_request: words like those of documents are chosen "
		               "by one index: "
		               "not with statistics");
	if (request->output.candidates && request->output.mode == BS_SEARCH_TOP)
		return bs_fail(err, BS_INVALID,
		               "struct bs_search_request: candidates are not ranked");
	if (request->output.candidates && (request->method.brute || request->query.feedback_docs ||
	                                   request->query.like_id || request->query.like_text))
		return bs_fail(
			err, BS_INVALID,
			"struct bs_search_request: candidates are had without reading a text");
	if (request->callbacks.batch && request->output.mode != BS_SEARCH_IDS)
		return bs_fail(
			err, BS_INVALID,
			"struct bs_search_request: only hits in document order come in batches");
	if (!request->callbacks.hit && !request->callbacks.batch &&
	    request->output.mode != BS_SEARCH_COUNT)
		return bs_fail(err, BS_INVALID, "struct bs_search_request: no function for hits");
	return BS_CHECK_RESERVED(err, BS_RESERVED(bs_search_request, *request),
	                         BS_RESERVED(bs_search_query, request->query),
	                         BS_RESERVED(bs_document_filter, request->filter),
	                         BS_RESERVED(bs_search_output, request->output),
	                         BS_RESERVED(bs_search_method, request->method),
	                         BS_RESERVED(bs_search_callbacks, request->callbacks));
}

size_t bs_question_n_wanted(const struct bs_search_request *request)
{
	size_t n = request->output.limit ? request->output.limit : USUAL_N_BEST;
	return request->output.offset > SIZE_MAX - n ? SIZE_MAX : request->output.offset + n;
}

enum bs_status bs_question_make(const struct bs_search_request *request,
                                const struct bs_search_program *program,
                                struct bs_question *question_out, struct bs_error *err)
{
	*question_out = (struct bs_question){
		.query = {request->query.text, request->query.text_bytes, request->query.any,
	                  request->query.strict, request->query.field},
		.stop = {request->query.stop_language, request->query.stop_words,
	                 request->query.stop_words_bytes},
		.like = {request->query.feedback_docs, request->query.like_id,
	                 request->query.like_text, request->query.like_text_bytes},
		.selection = {request->filter.globs, request->filter.types,
	                      request->filter.excluded_types, request->filter.places,
	                      request->filter.newer, request->filter.older,
	                      request->filter.date_field},
		.statistics = request->query.statistics,
		.run = {.mode = request->output.mode,
	                .n_best = bs_question_n_wanted(request),
	                .sort_field = request->output.sort_field,
	                .sort_descending = request->output.sort_descending,
	                .approx = request->method.approx,
	                .brute = request->method.brute,
	                .candidates = request->output.candidates,
	                .no_stat = request->method.no_stat,
	                .exhaustive = request->method.exhaustive,
	                .verbose = request->callbacks.verbose,
	                .n_threads = request->method.n_threads},
		.wanted = {request->output.snippets, request->output.passages,
	                   request->output.mark_start, request->output.mark_stop,
	                   program ? program->snippet_columns : 0},
		.offset = request->output.offset,
		.suggest = request->callbacks.suggest,
		.explain_bars = program && program->explain_bars,
		.listener = request->callbacks,
	};
	return check(request, err);
}

void bs_listener_notice_query(const struct bs_search_callbacks *listener, const char *message)
{
	void (*notice)(void *, const char *) =
		listener->notice_query ? listener->notice_query : listener->notice;
	if (notice)
		notice(listener->context, message);
}

enum bs_status bs_question_learnt_nothing(size_t query_bytes,
                                          const struct bs_search_callbacks *listener,
                                          struct bs_error *err)
{
	if (query_bytes == 0)
		return bs_fail(err, BS_INVALID,
		               "nothing to search for: no word of the example is in two or more "
		               "documents");
	bs_listener_notice_query(listener, "the example is not used, because none of its words "
	                                   "is in two or more documents; only the query counts");
	return BS_OK;
}

void bs_question_log(const struct bs_log *log, const struct bs_question *question,
                     const struct bs_search_result *result, enum bs_status status,
                     uint64_t elapsed_ns, const struct bs_error *err)
{
	bool is_cut = status == BS_DEADLINE || (!status && result->is_partial);
	enum bs_log_level level =
		is_cut ? BS_LOG_WARNING : bs_log_level_of(log, elapsed_ns, BS_LOG_DEBUG);
	const struct bs_query_text *query = &question->query;
	int n_bytes = query->n_bytes < LOGGED_BYTES ? (int)query->n_bytes : LOGGED_BYTES;
	if (bs_log_wants(log, level))
		bs_log_line(log, level, "query %.1f ms, %s%llu hits, %llu texts read%s%s: %.*s",
		            (double)elapsed_ns / 1e6, result->is_at_least ? "at least " : "",
		            (unsigned long long)result->n_hits,
		            (unsigned long long)result->stats.verify.verified,
		            result->is_partial ? ", cut off"
		            : status           ? ", "
		                               : "",
		            status ? err ? err->text : bs_status_name(status) : "", n_bytes,
		            query->text ? query->text : "");
}
