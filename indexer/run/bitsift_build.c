/* bitsift_build.c: the building part of bitsift.h, put upon indexer.h. */
#include "core/bitsift.h"

#include "indexer/run/indexer.h"

_Static_assert((int)BS_SKIP_REASONS <= (int)BS_SKIP_MAX, "no room for every reason in struct bs_build_report");

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void copy_report(const struct bs_index_report *from, struct bs_build_report *to)
{
	*to = (struct bs_build_report){
		.n_docs = from->n_docs,
		.n_replaced = from->n_replaced,
		.text_bytes = from->text_bytes,
		.n_terms = from->n_terms,
		.n_postings = from->n_postings,
		.n_segments = from->n_segments,
		.index_bytes = from->index_bytes,
		.elapsed_ns = from->elapsed_ns,
		.source_bytes = from->source_bytes,
		.source_total = from->source_total,
		.n_indexed = from->n_indexed,
		.n_unchanged = from->n_unchanged,
		.n_changed = from->n_changed,
		.n_removed = from->n_removed,
		.n_compacted = from->n_compacted,
		.compacted_bytes = from->compacted_bytes,
		.is_shared = from->is_shared,
		.n_unread = from->n_unread,
	};
	for (size_t reason = 0; reason < BS_SKIP_REASONS; reason++)
		to->skipped[reason] = from->skipped[reason];
}

static int tell_progress(void *context, const struct bs_index_report *so_far)
{
	const struct bs_build_request *request = context;
	struct bs_build_report report;
	copy_report(so_far, &report);
	return request->progress(request->context, &report);
}

static void tell_skipped(void *context, enum bs_skip reason, const char *message)
{
	const struct bs_build_request *request = context;
	request->skipped(request->context, reason, message);
}

/* Whether an option is set that is recorded with the index. */
static bool has_recorded_option(const struct bs_build_request *request)
{
	return request->words || request->grams || request->stem_language || request->fold_accents || request->hidden || request->no_ignore ||
	       request->binary_as_text || request->max_document_bytes || request->id_field || request->text_fields || request->globs ||
	       request->density > 0;
}

static enum bs_status check_request(const struct bs_build_request *request, struct bs_error *err)
{
	if (!request->dir || !*request->dir)
		return bs_fail(err, BS_INVALID, "no directory for the index");
	if (request->density != 0 && !(request->density >= 0.05 && request->density <= 0.6))
		return bs_fail(err, BS_INVALID, "density %g: not a number from 0.05 to 0.6", request->density);
	return bs_check_reserved("struct bs_build_request", request->reserved, COUNT(request->reserved), err);
}

/* The request in the indexer's words; everything borrowed. */
static struct bs_index_job make_job(const struct bs_build_request *request)
{
	struct bs_index_job job = {
		.dir = request->dir,
		.consent = request->consent,
		.sources = request->sources,
		.n_sources = request->n_sources,
		.use_recorded_options = !has_recorded_option(request) && !request->rebuild,
		.rebuild = request->rebuild,
		.strict = request->strict,
		.wait = request->wait,
		.shared = request->shared,
		.memory_bytes = request->memory_bytes,
		.n_threads = request->n_threads,
		.progress = request->progress ? tell_progress : NULL,
		.skipped = request->skipped ? tell_skipped : NULL,
		.context = (void *)(uintptr_t)request, /* read only */
	};
	/* An index owns the strings of its options; the job only borrows them. */
	job.options = (struct bs_index_options){
		.words = request->words || !request->grams,
		.grams = request->grams || !request->words,
		.fold_accents = request->fold_accents,
		.stem_language = (char *)(uintptr_t)request->stem_language,
		.id_field = (char *)(uintptr_t)request->id_field,
		.text_fields = (char **)(uintptr_t)request->text_fields,
		.globs = (char **)(uintptr_t)request->globs,
		.hidden = request->hidden,
		.no_ignore = request->no_ignore,
		.binary_as_text = request->binary_as_text,
		.max_document = request->max_document_bytes,
		.density = request->density > 0 ? request->density : BS_DEFAULT_DENSITY,
	};
	return job;
}

enum bs_status bs_index_build(const struct bs_build_request *request, struct bs_build_report *report_out,
                              struct bs_error *err)
{
	struct bs_index_report report = {0};
	enum bs_status status = check_request(request, err);
	if (!status) {
		struct bs_index_job job = make_job(request);
		status = bs_index_run(&job, &report, err);
	}
	if (report_out)
		copy_report(&report, report_out);
	return status;
}

enum bs_status bs_index_compact(const struct bs_build_request *request, struct bs_build_report *report_out,
                                struct bs_error *err)
{
	struct bs_index_report report = {0};
	enum bs_status status = check_request(request, err);
	if (!status) {
		struct bs_index_job job = make_job(request);
		status = bs_compact_run(&job, &report, err);
	}
	if (report_out)
		copy_report(&report, report_out);
	return status;
}
