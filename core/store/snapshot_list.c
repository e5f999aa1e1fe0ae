/* snapshot_list.c: see snapshot_list.h. */
#include "core/store/snapshot_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/store/doc_order.h"

static void add_segments(struct bs_snapshot_list *list, uint32_t entry)
{
	const struct bs_snapshot *snapshot = list->entries[entry].snapshot;
	uint32_t n_segments = snapshot->manifest.n_segments;
	for (uint32_t s = 0; s <= n_segments; s++)
		list->segments[list->n_segments++] = (struct bs_list_segment){
			.snapshot = snapshot,
			.segment = s < n_segments ? &snapshot->segments[s] : NULL,
			.tombstones = snapshot->tombstones.bits[s],
			.n_docs = bs_snapshot_segment_docs(snapshot, s),
			.number = s,
			.entry = entry,
		};
	list->n_docs += snapshot->totals.n_docs;
	list->n_live_docs += snapshot->totals.n_live_docs;
	list->n_positions += snapshot->totals.n_positions;
}

enum bs_status bs_snapshot_list_init(struct bs_snapshot_list *list,
                                     const struct bs_list_entry *entries, uint32_t n_entries,
                                     struct bs_error *err)
{
	size_t n_segments = 0;
	for (uint32_t i = 0; i < n_entries; i++)
		n_segments += (size_t)entries[i].snapshot->manifest.n_segments + 1;
	*list = (struct bs_snapshot_list){.n_entries = n_entries};
	list->entries = calloc(n_entries, sizeof(*entries));
	list->segments = calloc(n_segments, sizeof(*list->segments));
	if (!list->entries || !list->segments) {
		bs_snapshot_list_deinit(list);
		return bs_fail_memory(err, "a list of indexes",
		                      n_segments * sizeof(*list->segments));
	}
	memcpy(list->entries, entries, n_entries * sizeof(*entries));
	for (uint32_t i = 0; i < n_entries; i++)
		add_segments(list, i);
	return BS_OK;
}

void bs_snapshot_list_deinit(struct bs_snapshot_list *list)
{
	free(list->entries);
	free(list->segments);
	*list = (struct bs_snapshot_list){0};
}

uint32_t bs_list_first_segment(const struct bs_snapshot_list *list, uint32_t entry)
{
	uint32_t first = 0;
	for (uint32_t i = 0; i < entry; i++)
		first += list->entries[i].snapshot->manifest.n_segments + 1;
	return first;
}

int bs_list_order(const struct bs_snapshot_list *list, struct bs_doc_ref a, struct bs_doc_ref b)
{
	const struct bs_list_segment *of_a = bs_list_segment(list, a.segment),
				     *of_b = bs_list_segment(list, b.segment);
	if (of_a->entry != of_b->entry)
		return of_a->entry < of_b->entry ? -1 : 1;
	return bs_document_order(of_a->snapshot, bs_list_own_ref(list, a),
	                         bs_list_own_ref(list, b));
}
