/* run.c: see run.h. */
#include "query/search/run.h"

/* Starts the filter. If the date field is a field of the index, the selected dates become a range
 * of the query (*within) instead. */
static enum bs_status begin_filter(struct bs_run *run, struct bs_query_range *within,
                                   bool *has_dates_out, struct bs_plan_scope *scope,
                                   struct bs_error *err)
{
	struct bs_searcher *searcher = run->searcher;
	const struct bs_selection *selection = &run->question->selection;
	bool is_any = true;
	*has_dates_out = false;
	enum bs_status status = bs_searcher_need_filter(searcher, err);
	if (!status)
		status = bs_filter_begin(searcher->filter, selection, &is_any, err);
	if (status || is_any)
		return status;
	*has_dates_out = bs_filter_dates(searcher->filter, selection,
	                                 searcher->analysis->fields.names, within);
	if (!*has_dates_out || bs_filter_has_more(searcher->filter))
		scope->filter = searcher->filter;
	scope->is_open = scope->filter && !*has_dates_out && bs_filter_asks_text(searcher->filter);
	return BS_OK;
}

static enum bs_status parse(struct bs_run *run, struct bs_plan_scope *scope, struct bs_error *err)
{
	const struct bs_query_text *asked = &run->question->query;
	struct bs_query_analysis *analysis = run->searcher->analysis;
	struct bs_query_options options = bs_query_analysis_options(analysis);
	struct bs_query_range within = {.field = 0};
	bool has_dates;
	enum bs_status status = begin_filter(run, &within, &has_dates, scope, err);
	if (!status && asked->field)
		status = bs_query_analysis_keep_to_field(analysis, asked->field, &options, err);
	options.within = !status && has_dates ? &within : NULL;
	options.any = asked->any;
	options.strict = asked->strict;
	options.terms = bs_feedback_taken(run->learnt);
	options.n_terms = bs_feedback_n_taken(run->learnt);
	if (!status)
		status = bs_query_analysis_parse(analysis, asked->text, asked->n_bytes, &options,
		                                 &run->query, &run->error_byte, err);
	if (status)
		return status;
	run->error_byte = SIZE_MAX;
	for (uint32_t i = 0; i < run->query->notices.n && !run->is_silent; i++)
		bs_listener_notice_query(&run->question->listener,
		                         run->query->notices.lines[i].text);
	return BS_OK;
}

static void notice_broad(struct bs_run *run)
{
	struct bs_error line;
	for (size_t i = 0;
	     i < run->query->n_elements && !run->question->run.brute && !run->is_silent; i++) {
		if (!run->plan->elements.items[i].is_too_broad)
			continue;
		bs_plan_describe_broad(&run->query->elements[i], &line);
		bs_searcher_notice(run->searcher, line.text);
	}
}

/* The kernel for the byte verifier; NULL: none. A brute search is the reference for all others, so
 * it analyses whole texts only. */
static const struct bs_kernel *byte_kernel(const struct bs_run *run)
{
	return bs_run_is_brute(run) ? NULL : run->searcher->index->kernel;
}

static enum bs_status make_plan(struct bs_run *run, const struct bs_plan_scope *scope,
                                struct bs_error *err)
{
	struct bs_searcher *searcher = run->searcher;
	struct bs_query_memory *memory = &searcher->memory;
	const struct bs_plan_inputs inputs = {
		.query = run->query,
		.list = &searcher->list,
		.scope = *scope,
		.names = &memory->named.names,
		.corpus = bs_question_corpus(run->question, &searcher->list),
	};
	run->plan = &memory->plan;
	enum bs_status status = bs_plan_make(&memory->plan, &inputs, err);
	return status ? status
	              : bs_filename_match_begin(&memory->named, run->plan,
	                                        searcher->analysis->tokenizer, byte_kernel(run),
	                                        err);
}

static enum bs_status begin_verifier(struct bs_run *run, struct bs_error *err)
{
	struct bs_searcher *searcher = run->searcher;
	const struct bs_run_options *options = &run->question->run;
	const struct bs_corpus corpus = bs_question_corpus(run->question, &searcher->list);
	run->verify = (struct bs_verify_request){
		.plan = run->plan,
		.kernel = byte_kernel(run),
		.is_scored = options->mode == BS_SEARCH_TOP && !options->sort_field,
		.reads_whole = options->exhaustive,
		.no_stat = options->no_stat,
		.avgdl = bs_corpus_avgdl(&corpus),
	};
	run->verifier = (struct bs_verifier){.request = &run->verify,
	                                     .tokenizer = searcher->analysis->tokenizer,
	                                     .loader = searcher->loader};
	return bs_verifier_begin(&run->verifier, err);
}

enum bs_status bs_run_begin(struct bs_run *run, struct bs_error *err)
{
	const struct bs_doc_refs *left_out = &run->searcher->learning.like;
	struct bs_plan_scope scope = {.left_out = left_out->items,
	                              .n_left_out = bs_vector_n(left_out),
	                              .is_brute = run->question->run.brute,
	                              .analysis = run->analysis};
	run->searcher->analysis = &run->searcher->readings[run->analysis];
	run->since_ns = bs_now_ns();
	run->error_byte = SIZE_MAX;
	enum bs_status status = parse(run, &scope, err);
	bs_run_charge(run, BS_STAGE_PARSE);
	if (!status)
		status = make_plan(run, &scope, err);
	if (!status)
		status = begin_verifier(run, err);
	if (!status)
		notice_broad(run);
	return status;
}

void bs_run_end(struct bs_run *run)
{
	bs_verifier_end(&run->verifier);
	bs_verify_crew_end(run->searcher->crew);
	bs_query_tree_free(run->query);
	run->query = NULL;
}

enum bs_status bs_run_restart(struct bs_run *run, uint32_t analysis, struct bs_error *err)
{
	bool is_silent = run->is_silent;
	bs_run_end(run);
	run->analysis = analysis;
	run->is_silent = true;
	enum bs_status status = bs_run_begin(run, err);
	run->is_silent = is_silent;
	return status;
}

bool bs_run_is_cut(struct bs_run *run, enum bs_status status)
{
	bool begins = bs_deadline_ended(status) && !run->is_silent && !run->is_partial &&
	              bs_deadline_extend();
	run->is_partial |= begins;
	return begins;
}

/* Counts a verified document, and passes it to the sink if it is a hit. */
static enum bs_status take_verified(struct bs_run *run, struct bs_doc_ref ref,
                                    const struct bs_verified *verified,
                                    const struct bs_hit_sink *sink, struct bs_error *err)
{
	struct bs_ranked_hit hit = {
		.segment = ref.segment, .document = ref.document, .score = verified->score};
	struct bs_verify_stats *stats = &run->stats->verify;
	bool is_hit = verified->is_hit;
	enum bs_status status = BS_OK;
	stats->verified += verified->is_read;
	stats->bytes += verified->read_bytes;
	stats->false_positives += verified->is_read && !is_hit;
	if (is_hit && run->plan->scope.is_open) {
		status = bs_filter_passes_text(run->plan->scope.filter, ref, &is_hit, err);
		stats->false_positives += !is_hit;
	}
	if (status || !is_hit)
		return status;
	run->stats->hits++;
	return sink->take ? sink->take(sink->context, &hit, err) : BS_OK;
}

enum bs_status bs_run_verify_one(struct bs_run *run, struct bs_doc_ref ref, bool is_sure,
                                 const struct bs_hit_sink *sink, struct bs_error *err)
{
	struct bs_verified verified;
	enum bs_status status = bs_verify(&run->verifier, ref, is_sure, &verified, err);
	return status ? status : take_verified(run, ref, &verified, sink, err);
}

/* The context of take_candidate. */
struct verification {
	struct bs_run *run;
	const struct bs_hit_sink *sink;
	uint32_t segment;
};

/* Takes the result of another thread, if there is one and this thread's loader agrees that the
 * document is unchanged. Otherwise verifies the document here. */
static enum bs_status take_candidate(void *context, const struct bs_candidate *candidate,
                                     const struct bs_verified *verified, struct bs_error *err)
{
	const struct verification *at = context;
	struct bs_doc_ref ref = {at->segment, candidate->document};
	if (!verified->is_open && bs_loader_agrees(at->run->searcher->loader, ref))
		return take_verified(at->run, ref, verified, at->sink, err);
	return bs_run_verify_one(at->run, ref, candidate->is_sure, at->sink, err);
}

enum bs_status bs_run_verify(struct bs_run *run, uint32_t segment,
                             const struct bs_candidate_list *candidates,
                             const struct bs_hit_sink *sink, struct bs_error *err)
{
	struct verification at = {run, sink, segment};
	struct bs_verify_list list = {segment, candidates->items, bs_vector_n(candidates),
	                              take_candidate, &at};
	/* Worker threads have only the query analysis of the first index. */
	uint32_t n_threads = run->searcher->n_readings > 1 ? 1 : run->question->run.n_threads;
	enum bs_status status =
		bs_verify_many(run->searcher->crew, &run->verify, &list, n_threads, err);
	bs_run_charge(run, BS_STAGE_VERIFY);
	return status;
}

enum bs_status bs_run_candidates(struct bs_run *run, uint32_t segment,
                                 struct bs_candidate_list *candidates, uint64_t *n_counted,
                                 struct bs_error *err)
{
	struct bs_searcher *searcher = run->searcher;
	struct bs_scan_stats *stats = &run->stats->scan;
	enum bs_status status = BS_OK;
	bs_vector_clear(candidates);
	switch (bs_plan_source(run->plan, segment)) {
	case BS_PLAN_NOTHING:
		break;
	case BS_PLAN_COLUMNS:
		status =
			bs_scan_segment(&searcher->memory.scan, run->plan, segment,
		                        searcher->index->kernel, candidates, n_counted, stats, err);
		break;
	case BS_PLAN_ALL:
		status = bs_scan_all(run->plan, segment, candidates, stats, err);
		break;
	}
	bs_run_charge(run, BS_STAGE_SCAN);
	return status;
}
