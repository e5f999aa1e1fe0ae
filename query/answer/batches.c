/* batches.c: see batches.h. */
#include "query/answer/batches.h"

#include <stdlib.h>

#include "core/base/source_kind.h"

#define BATCH_HITS 1024u

struct bs_batches {
	struct bs_batch_target target;
	bool is_refused; /* The callback asked to stop. */
	/* The members below are the current batch, as in struct bs_hit_batch. */
	struct bs_buffer ids;
	size_t n;
	size_t id_ends[BATCH_HITS];
	uint64_t documents[BATCH_HITS]; /* segment << 32 | document */
	bool are_candidates[BATCH_HITS];
};

enum bs_status bs_batches_begin(struct bs_batches **batches, const struct bs_batch_target *target,
                                struct bs_error *err)
{
	if (!*batches)
		*batches = calloc(1, sizeof(**batches));
	if (!*batches)
		return bs_fail_memory(err, "hits", sizeof(**batches));
	(*batches)->target = *target;
	(*batches)->is_refused = false;
	(*batches)->n = 0;
	return BS_OK;
}

void bs_batches_free(struct bs_batches *batches)
{
	if (!batches)
		return;
	bs_buffer_deinit(&batches->ids);
	free(batches);
}

bool bs_batches_is_refused(const struct bs_batches *batches)
{
	return batches && batches->is_refused;
}

static struct bs_doc_ref ref_of(const struct bs_batches *batches, size_t i)
{
	return (struct bs_doc_ref){(uint32_t)(batches->documents[i] >> 32),
	                           (uint32_t)batches->documents[i]};
}

/* Sets *n_out to the number of consecutive hits, from the i-th on, that are in-memory documents of
 * one segment and one of its source ranges (struct bs_source_range) and that were added with an id
 * (BS_DOC_SEPARATE_ID). The ids of such documents are their names in the document table. */
static enum bs_status count_given(const struct bs_batches *batches, size_t i, size_t *n_out,
                                  struct bs_error *err)
{
	struct bs_doc_ref ref = ref_of(batches, i);
	const struct bs_list_segment *segment =
		bs_list_segment(bs_loader_list(batches->target.loader), ref.segment);
	const struct bs_manifest *manifest = &segment->snapshot->manifest;
	*n_out = 0;
	if (!segment->segment || ref.document >= segment->segment->docs.n_docs)
		return BS_OK;
	const struct bs_doc_table *docs = &segment->segment->docs;
	struct bs_source_range range = bs_doc_table_range_of(docs, ref.document);
	if (range.source >= manifest->n_sources ||
	    manifest->sources[range.source].kind != BS_SOURCE_STDIN)
		return BS_OK;
	uint64_t first = (uint64_t)ref.segment << 32 | range.first,
		 n_docs = range.end - range.first;
	enum bs_status status = BS_OK;
	for (uint8_t flags = BS_DOC_SEPARATE_ID;
	     i + *n_out < batches->n && batches->documents[i + *n_out] - first < n_docs; ++*n_out) {
		status = bs_doc_table_flags(docs, (uint32_t)batches->documents[i + *n_out], &flags,
		                            err);
		if (status || !(flags & BS_DOC_SEPARATE_ID))
			break;
	}
	return status;
}

static enum bs_status name_one(struct bs_batches *batches, size_t i, struct bs_error *err)
{
	const struct bs_batch_target *target = &batches->target;
	struct bs_hit hit;
	enum bs_status status = bs_hit_assembly_name(target->assembly, target->loader,
	                                             ref_of(batches, i), &hit, err);
	if (!status)
		status = bs_buffer_append(&batches->ids, hit.id, hit.id_bytes, err);
	batches->id_ends[i] = batches->ids.used_bytes;
	return status;
}

static enum bs_status name_hits(struct bs_batches *batches, struct bs_error *err)
{
	const struct bs_snapshot_list *list = bs_loader_list(batches->target.loader);
	enum bs_status status = BS_OK;
	bs_buffer_clear(&batches->ids);
	for (size_t i = 0, n; i < batches->n && !status; i += n ? n : 1) {
		status = count_given(batches, i, &n, err);
		if (!status && n > 0)
			status = bs_names_append(&bs_list_segment(list, ref_of(batches, i).segment)
			                                  ->segment->docs.names,
			                         batches->documents + i, n, &batches->ids,
			                         batches->id_ends + i, err);
		else if (!status)
			status = name_one(batches, i, err);
	}
	return status;
}

enum bs_status bs_batches_flush(struct bs_batches *batches, struct bs_error *err)
{
	enum bs_status status = name_hits(batches, err);
	struct bs_hit_batch batch = {
		.n = batches->n,
		.ids = batches->ids.used_bytes ? (const char *)batches->ids.data : "",
		.id_ends = batches->id_ends,
		.documents = batches->documents,
		.are_candidates = batches->are_candidates,
	};
	batches->n = 0;
	if (status || batch.n == 0)
		return status;
	/* What the callback allocates is not counted in the searcher's memory budget. */
	struct bs_memory_budget *budget = bs_memory_budget_here;
	bs_memory_budget_here = NULL;
	batches->is_refused = batches->target.batch(batches->target.context, &batch) != 0;
	bs_memory_budget_here = budget;
	return batches->is_refused ? bs_fail(err, BS_STOPPED, "stopped") : BS_OK;
}

enum bs_status bs_batches_add(struct bs_batches *batches, struct bs_doc_ref ref, bool is_candidate,
                              struct bs_error *err)
{
	size_t i = batches->n++;
	batches->documents[i] = (uint64_t)ref.segment << 32 | ref.document;
	batches->are_candidates[i] = is_candidate;
	return batches->n == BATCH_HITS ? bs_batches_flush(batches, err) : BS_OK;
}
