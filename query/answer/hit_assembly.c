/* hit_assembly.c: see hit_assembly.h. */
#include "query/answer/hit_assembly.h"

#include "query/answer/snippet.h"

void bs_hit_assembly_deinit(struct bs_hit_assembly *assembly)
{
	bs_buffer_deinit(&assembly->id);
	bs_buffer_deinit(&assembly->local_id);
	bs_buffer_deinit(&assembly->path);
	bs_buffer_deinit(&assembly->snippet);
	bs_vector_deinit(&assembly->words);
	bs_passages_deinit(&assembly->passages);
	*assembly = (struct bs_hit_assembly){.passages = {.best = 0}};
}

enum bs_status bs_hit_assembly_name(struct bs_hit_assembly *assembly, struct bs_loader *loader,
                                    struct bs_doc_ref ref, struct bs_hit *hit_out,
                                    struct bs_error *err)
{
	struct bs_buffer *id = &assembly->id, *local_id = &assembly->local_id,
			 *path = &assembly->path;
	const uint8_t *name;
	uint32_t name_bytes;
	bool is_in_memory;
	enum bs_status status = bs_loader_in_memory_id(loader, ref, &is_in_memory, &name,
	                                               &name_bytes, &hit_out->path, err);
	if (!status && is_in_memory) {
		hit_out->id = hit_out->local_id = (const char *)name;
		hit_out->id_bytes = hit_out->local_id_bytes = name_bytes;
	}
	if (status || is_in_memory)
		return status;
	status = bs_loader_id(loader, ref, id, local_id, path, err);
	if (status)
		return status;
	hit_out->id = id->used_bytes ? (const char *)id->data : "";
	hit_out->id_bytes = id->used_bytes;
	hit_out->local_id = local_id->used_bytes ? (const char *)local_id->data : "";
	hit_out->local_id_bytes = local_id->used_bytes;
	hit_out->path = (const char *)path->data;
	return BS_OK;
}

enum bs_status bs_hit_assembly_text(struct bs_hit_assembly *assembly, struct bs_loader *loader,
                                    struct bs_matcher *matcher, const struct bs_hit_parts *wanted,
                                    struct bs_doc_ref ref, struct bs_hit *hit_out,
                                    struct bs_error *err)
{
	struct bs_snippet_options options = {.mark_start = wanted->mark_start,
	                                     .mark_stop = wanted->mark_stop,
	                                     .width = wanted->snippet_columns};
	struct bs_passages *passages = &assembly->passages;
	struct bs_word_hits *words = &assembly->words;
	struct bs_document document;
	struct bs_match match;
	enum bs_load_state fetched;
	bs_buffer_clear(&assembly->snippet);
	bs_vector_clear(words);
	enum bs_status status = bs_load(loader, ref, &document, &fetched, err);
	if (status || fetched == BS_LOADED_GONE || fetched == BS_LOADED_FAILED) {
		hit_out->snippet = fetched == BS_LOADED_GONE ? NULL : "";
		return status;
	}
	hit_out->is_changed = fetched == BS_LOADED_CHANGED;
	status = bs_match_hits(matcher, ref, document.text.fields, document.text.n_fields, false,
	                       &match, words, err);
	size_t n_words = bs_vector_n(words);
	options.shape = document.place.line > 0 ? BS_SNIPPET_JOINED : BS_SNIPPET_LINES;
	if (!status && wanted->snippets)
		status =
			bs_snippet_write(document.text.fields, document.text.n_fields, words->items,
		                         n_words, NULL, &options, &assembly->snippet, err);
	if (!status && wanted->passages)
		status = bs_passages_find(passages, &document, words->items, n_words, err);
	if (status)
		return status;
	hit_out->snippet = assembly->snippet.used_bytes ? (const char *)assembly->snippet.data : "";
	hit_out->snippet_bytes = assembly->snippet.used_bytes;
	if (!wanted->passages)
		return BS_OK;
	hit_out->passages = passages->list.items;
	hit_out->n_passages = n_words > 0 ? bs_vector_n(&passages->list) : 0;
	hit_out->best = passages->list.items[passages->best];
	return BS_OK;
}

/* The data of hits is scattered in memory, so it is prefetched in steps. A hit's next step is done
 * this many hits later. */
#define PREFETCHED_HITS 16u

void bs_hit_assembly_prefetch(const struct bs_snapshot_list *list, const struct bs_ranked_hit *hits,
                              size_t n_hits, size_t i)
{
	for (unsigned step = 0; step < BS_DOC_PREFETCHES; step++) {
		size_t ahead = i + (BS_DOC_PREFETCHES - step) * PREFETCHED_HITS;
		const struct bs_segment *segment =
			ahead < n_hits ? bs_list_segment(list, hits[ahead].segment)->segment : NULL;
		if (segment)
			bs_doc_table_prefetch(&segment->docs, hits[ahead].document, step);
	}
}
