/* run_options.c: the options of a run: those of the request, or those that the index records. See
 * indexing.h. */
#include "indexer/run/indexing.h"

#include <stdlib.h>
#include <string.h>

#include "core/store/field_weights.h"
#include "core/text/tokenizer.h"

/* True if the request sets a recorded option that only a rebuild can change. */
static bool has_recorded_option(const struct bs_build_request *request)
{
	return request->index.words || request->index.grams || request->index.stem_language ||
	       request->index.fold_accents || request->rules.hidden || request->rules.no_ignore ||
	       request->rules.binary_as_text || request->rules.max_document_bytes ||
	       request->rules.id_field || request->rules.text_fields || request->rules.globs ||
	       request->index.density > 0 || request->rules.records || request->rules.no_records ||
	       request->index.split_identifiers || request->index.weights || request->rules.store;
}

enum bs_status bs_indexing_check_options(const struct bs_build_request *request,
                                         const struct bs_recorded_options *recorded,
                                         const char *path, struct bs_error *err)
{
	struct bs_recorded_options wanted = *recorded;
	if (!recorded->words)
		return bs_fail(err, BS_INVALID, "%s: this index has only grams, no words", path);
	if (!has_recorded_option(request))
		return BS_OK;
	enum bs_status status = bs_field_weights_make(request->index.weights, &wanted.weights, err);
	if (status)
		return status;
	wanted.stem_language = (char *)(uintptr_t)request->index.stem_language;
	wanted.fold_accents = request->index.fold_accents;
	wanted.split_identifiers = request->index.split_identifiers;
	wanted.density = request->index.density > 0 ? request->index.density : BS_DEFAULT_DENSITY;
	if (!bs_recorded_options_equal(&wanted, recorded))
		status = bs_fail(err, BS_INVALID,
		                 "%s: the options differ from those recorded in the index: give "
		                 "all of those, or none",
		                 path);
	bs_strings_free(wanted.weights);
	return status;
}

enum bs_status bs_indexing_check_grams(bool wants, const struct bs_recorded_options *recorded,
                                       const char *path, struct bs_error *err)
{
	return !wants || recorded->record_grams ? BS_OK
	                                        : bs_fail(err, BS_INVALID,
	                                                  "%s: made without grams of in-memory "
	                                                  "documents, which it cannot get any more",
	                                                  path);
}

static uint64_t summary_rate(const struct bs_build_request *request)
{
	double rate = request->index.summary_rate;
	return rate < 0   ? 0
	       : rate > 0 ? (uint64_t)(rate * BS_SUMMARY_RATE_UNIT + 0.5)
	                  : BS_SUMMARY_DEFAULT;
}

bool bs_indexing_is_all_new(const struct bs_indexing *at)
{
	return at->is_full || at->old.manifest.n_segments == 0;
}

static void take_revision(struct bs_indexing *at)
{
	struct bs_recorded_options *options = &at->writer.manifest.options;
	if (bs_indexing_is_all_new(at))
		options->words_revision = options->words ? BS_TOKENIZER_REVISION : 0;
}

/* For a run of in-memory documents: keeps the recorded options that concern files and records of
 * sources. */
static enum bs_status keep_options(struct bs_indexing *at, struct bs_error *err)
{
	const struct bs_recorded_options *old = &at->old.manifest.options;
	struct bs_recorded_options *options = &at->writer.manifest.options;
	enum bs_status status = bs_indexing_check_options(at->request, old, at->dir.path, err);
	if (!status)
		status = bs_indexing_check_grams(at->wants_grams, old, at->dir.path, err);
	if (!status)
		status = bs_recorded_options_copy(old, options, err);
	if (!status && at->request->index.summary_rate != 0)
		options->summary_rate = summary_rate(at->request);
	if (!status)
		take_revision(at);
	return status ? status
	              : bs_recorded_options_bind(options, at->request->host.analyzer, at->dir.path,
	                                         err);
}

/* Sets those options that determine the content of an index and that the request has. Borrows
 * strings. weights: field weights of the request; nullable. */
static void say_content(const struct bs_build_request *request, char **weights,
                        struct bs_recorded_options *options)
{
	if (request->index.words || request->index.grams) {
		options->words = request->index.words;
		options->grams = request->index.grams;
	}
	options->store |= request->rules.store;
	options->fold_accents |= request->index.fold_accents;
	options->split_identifiers |= request->index.split_identifiers;
	if (request->index.stem_language)
		options->stem_language = (char *)(uintptr_t)request->index.stem_language;
	if (request->rules.id_field)
		options->id_field = (char *)(uintptr_t)request->rules.id_field;
	if (request->rules.text_fields)
		options->text_fields = (char **)(uintptr_t)request->rules.text_fields;
	if (weights)
		options->weights = weights;
	if (request->rules.max_document_bytes)
		options->max_document = request->rules.max_document_bytes;
	if (request->index.density > 0)
		options->density = request->index.density;
}

/* If the request has any rule for folders, takes all of these rules from the request. */
static void say_folder_rules(const struct bs_build_request *request,
                             struct bs_recorded_options *options)
{
	bool is_said = request->rules.hidden || request->rules.no_ignore ||
	               request->rules.binary_as_text || request->rules.globs ||
	               request->rules.records || request->rules.no_records;
	if (!is_said)
		return;
	options->hidden = request->rules.hidden;
	options->no_ignore = request->rules.no_ignore;
	options->binary_as_text = request->rules.binary_as_text;
	options->globs = (char **)(uintptr_t)request->rules.globs;
	options->records = (char **)(uintptr_t)request->rules.records;
	options->reads_records = !request->rules.no_records;
}

/* Chooses the options for a rebuild of some sources. Options that determine the content of all
 * sources must not change. Rules of folders may change; the other sources use the new rules from
 * their next refresh on. */
static enum bs_status choose_options_of_some(struct bs_indexing *at, struct bs_error *err)
{
	const struct bs_build_request *request = at->request;
	const struct bs_recorded_options *old = &at->old.manifest.options;
	struct bs_recorded_options *options = &at->writer.manifest.options;
	struct bs_recorded_options wanted = *old; /* strings are borrowed */
	char **weights;
	enum bs_status status = bs_field_weights_make(request->index.weights, &weights, err);
	if (status)
		return status;
	say_content(request, weights, &wanted);
	if (!bs_recorded_options_equal(&wanted, old))
		status = bs_fail(err, BS_INVALID,
		                 "%s: the options differ from those it was made with, and hold for "
		                 "all its sources: "
		                 "only --rebuild alone, without a source, can change them",
		                 at->dir.path);
	say_folder_rules(request, &wanted);
	if (!status)
		status = bs_recorded_options_copy(&wanted, options, err);
	bs_strings_free(weights);
	options->gram_collections |= request->index.grams;
	if (request->index.summary_rate != 0)
		options->summary_rate = summary_rate(request);
	if (at->is_full)
		options->words_revision = options->words ? BS_TOKENIZER_REVISION : 0;
	if (!status && options->words)
		status = bs_recorded_options_bind(options, request->host.analyzer, at->dir.path,
		                                  err);
	return status;
}

enum bs_status bs_indexing_choose_options(struct bs_indexing *at, struct bs_error *err)
{
	const struct bs_build_request *request = at->request;
	char **weights;
	if (request->host.analyzer &&
	    (request->index.stem_language || request->index.fold_accents ||
	     request->index.split_identifiers))
		return bs_fail(err, BS_INVALID,
		               "an analyzer makes words as they are: without stems, folded accents "
		               "or split identifiers");
	if (at->is_in_memory && at->has_old)
		return keep_options(at, err);
	if (at->is_partial)
		return choose_options_of_some(at, err);
	enum bs_status status = bs_field_weights_make(request->index.weights, &weights, err);
	if (status)
		return status;
	/* Strings are borrowed here, and copied later. */
	struct bs_recorded_options wanted = {
		.words = true,
		.grams = !at->is_in_memory,
		.reads_records = true,
		.gram_collections = request->index.grams,
		.analyzer_name = request->host.analyzer
	                                 ? (char *)(uintptr_t)request->host.analyzer->name
	                                 : NULL,
		.density = BS_DEFAULT_DENSITY,
	};
	say_content(request, weights, &wanted);
	say_folder_rules(request, &wanted);
	bool is_said = has_recorded_option(request);
	const char *old_name = at->old.manifest.options.analyzer_name;
	/* Whether records have grams is decided only by a writer of in-memory documents. */
	wanted.record_grams =
		at->is_in_memory ? at->wants_grams : at->old.manifest.options.record_grams;
	/* An analyzer in the request counts as a changed option only if it is not the recorded
	 * one. */
	is_said |= request->host.analyzer &&
	           (!old_name || strcmp(old_name, request->host.analyzer->name) != 0);
	/* A damaged index's options are kept, too, if its manifest can be read. */
	bool is_kept = at->old.manifest.generation > 0 && !(request->rebuild && is_said);
	/* reads_records stays unless the request sets it; this includes an index that was made
	 * before the option existed. */
	if (is_kept && !request->rules.records && !request->rules.no_records)
		wanted.reads_records = at->old.manifest.options.reads_records;
	if (is_kept && is_said && !bs_recorded_options_equal(&wanted, &at->old.manifest.options))
		status =
			bs_fail(err, BS_INVALID,
		                "%s: the options differ from those recorded in the index: give all "
		                "of those, or none, or add --rebuild to index everything again "
		                "with the new ones",
		                at->dir.path);
	else
		status = bs_recorded_options_copy(is_kept ? &at->old.manifest.options : &wanted,
		                                  &at->writer.manifest.options, err);
	if (!status && at->writer.manifest.options.words)
		status = bs_recorded_options_bind(&at->writer.manifest.options,
		                                  request->host.analyzer, at->dir.path, err);
	at->writer.manifest.options.gram_collections |= request->index.grams;
	if (request->index.summary_rate != 0 || !is_kept)
		at->writer.manifest.options.summary_rate = summary_rate(request);
	take_revision(at);
	bs_strings_free(weights);
	return status;
}
