/* sorted.c: see sorted.h. */
#include "query/search/sorted.h"

#include <string.h>

#include "core/base/hash.h"
#include "query/language/like_name.h"

struct sorted_search {
	struct bs_run *run;
	bool is_trusted; /* All documents of the segment are unchanged. */
};

/* Adds a verified hit, with the value in its current text. */
static enum bs_status take_hit(void *context, const struct bs_ranked_hit *hit, struct bs_error *err)
{
	struct bs_run *run = context;
	struct bs_sorting *sorting = &run->searcher->memory.sorting;
	struct bs_sorted_hit sorted = {.hit = *hit};
	struct bs_document document;
	enum bs_load_state fetched;
	enum bs_status status =
		bs_load(run->searcher->loader, bs_hit_ref(hit), &document, &fetched, err);
	if (!status && fetched != BS_LOADED_GONE && fetched != BS_LOADED_FAILED)
		sorted.has_value = bs_sorting_value(sorting, document.text.fields,
		                                    document.text.n_fields, &sorted.value);
	return status ? status : bs_sorting_take(sorting, &sorted, err);
}

/* Receives a candidate that may be among the first: adds it, or verifies it first. */
static enum bs_status offer_sorted(void *context, const struct bs_candidate *candidate,
                                   const struct bs_sorted_hit *hit, bool is_known,
                                   struct bs_error *err)
{
	const struct sorted_search *search = context;
	struct bs_run *run = search->run;
	const struct bs_hit_sink sink = {take_hit, run};
	struct bs_doc_ref ref = bs_hit_ref(&hit->hit);
	bool is_unchanged = search->is_trusted;
	enum bs_status status = BS_OK;
	if (candidate->is_sure && is_known && !is_unchanged)
		status = bs_loader_is_unchanged(run->searcher->loader, ref, &is_unchanged, err);
	if (status)
		return status;
	if (!candidate->is_sure || !is_known || !is_unchanged)
		return bs_run_verify_one(run, ref, candidate->is_sure, &sink, err);
	run->stats->hits++;
	return bs_sorting_take(&run->searcher->memory.sorting, hit, err);
}

/* Whether some index has values in the field. True after an error, which the search then
 * reports. */
static bool is_sortable(const struct bs_snapshot_list *list, const uint8_t *name,
                        uint32_t name_bytes)
{
	for (uint32_t i = 0; i < list->n_entries; i++) {
		const struct bs_snapshot *snapshot = list->entries[i].snapshot;
		struct bs_error why;
		uint32_t number;
		bool has = false;
		if (bs_term_table_find(&snapshot->manifest.fields, name, name_bytes,
		                       bs_hash_slot(name, name_bytes), &number) &&
		    (bs_snapshot_has_values(snapshot, name, name_bytes, &has, &why) || has))
			return true;
	}
	return false;
}

/* Checks that the field can be sorted by. The message may suggest a similar field, also for the
 * part before a colon or a space: "year:up" suggests year. */
static enum bs_status check_field(const struct bs_run *run, const char *field, struct bs_error *err)
{
	const struct bs_snapshot_list *list = run->plan->list;
	const struct bs_query_fields *fields = &run->searcher->analysis->of_list;
	const struct bs_statistics *statistics = run->question->statistics;
	const uint8_t *name = (const uint8_t *)field;
	struct bs_field_suggestion like = {NULL, 0};
	size_t n_bytes = strlen(field);
	if (is_sortable(list, name, (uint32_t)n_bytes) ||
	    (statistics && bs_statistics_has_values(statistics, name, (uint32_t)n_bytes)))
		return BS_OK;
	enum bs_status status = bs_suggest_field(fields->names, fields->longest_bytes, NULL, name,
	                                         n_bytes, &like, err);
	if (!status && !like.name)
		status = bs_suggest_field(fields->names, fields->longest_bytes, NULL, name,
		                          strcspn(field, ": "), &like, err);
	if (status)
		return status;
	bool is_like = like.name && is_sortable(list, like.name, like.n_bytes);
	return bs_fail(err, BS_INVALID, "%s: no field with numbers or dates to sort by%s%.*s%s",
	               *field ? field : "''", is_like ? ": did you mean " : "",
	               is_like ? (int)like.n_bytes : 0, is_like ? (const char *)like.name : "",
	               is_like ? "?" : "");
}

enum bs_status bs_sorted_prepare(struct bs_run *run, struct bs_error *err)
{
	const struct bs_run_options *options = &run->question->run;
	struct bs_sorting *sorting = &run->searcher->memory.sorting;
	bs_sorting_clear(sorting);
	*sorting = (struct bs_sorting){
		.list = run->plan->list,
		.field = options->sort_field,
		.is_descending = options->sort_descending,
		.k = options->n_best,
		.is_exhaustive = options->exhaustive,
		.offer = offer_sorted,
		.heap = sorting->heap,
	};
	return check_field(run, options->sort_field, err);
}

static enum bs_status search_segment(struct sorted_search *search, uint32_t segment,
                                     struct bs_error *err)
{
	struct bs_run *run = search->run;
	struct bs_searcher *searcher = run->searcher;
	struct bs_query_memory *memory = &searcher->memory;
	const struct bs_hit_sink sink = {take_hit, run};
	enum bs_status status;
	if (bs_plan_source(run->plan, segment) != BS_PLAN_COLUMNS) {
		status = bs_run_candidates(run, segment, &memory->candidates, NULL, err);
		return status ? status
		              : bs_run_verify(run, segment, &memory->candidates, &sink, err);
	}
	status =
		bs_loader_is_segment_unchanged(searcher->loader, segment, &search->is_trusted, err);
	if (!status)
		status = bs_scan_sorted(&memory->scan, run->plan, segment, searcher->index->kernel,
		                        search->is_trusted, &memory->sorting, &run->stats->scan,
		                        err);
	bs_run_charge(run, BS_STAGE_SCAN);
	return status;
}

enum bs_status bs_sorted_search(struct bs_run *run, struct bs_error *err)
{
	struct sorted_search search = {.run = run};
	enum bs_status status = bs_deadline_check(err);
	run->searcher->memory.sorting.context = &search;
	for (uint32_t s = 0; s < run->plan->list->n_segments && !status; s++)
		if (bs_plan_source(run->plan, s) != BS_PLAN_NOTHING)
			status = search_segment(&search, s, err);
	return status;
}
