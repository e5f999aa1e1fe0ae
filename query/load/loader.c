/* loader.c: see loader.h. */
#include "query/load/loader.h"

#include <stdlib.h>
#include <string.h>

static void pass_on(void *context, const char *message)
{
	const struct bs_loader_notices *notices = context;
	struct bs_error line;
	(void)bs_fail(&line, BS_OK, "%s: %s", notices->name, message);
	notices->notice(notices->context, line.text);
}

static enum bs_status make_snapshot_loader(struct bs_loader *loader, uint32_t entry,
                                           struct bs_prefix_checks *prefix_checks,
                                           const struct bs_loader_notices *notices,
                                           struct bs_error *err)
{
	const struct bs_list_entry *of = &loader->list->entries[entry];
	loader->notices[entry] = *notices;
	loader->notices[entry].name = of->name;
	bool is_named = notices->notice && of->name;
	return bs_snapshot_loader_new(of->snapshot, prefix_checks,
	                              is_named ? pass_on : notices->notice,
	                              is_named ? &loader->notices[entry] : notices->context,
	                              &loader->snapshot_loaders[entry], err);
}

enum bs_status bs_loader_new(const struct bs_snapshot_list *list,
                             struct bs_prefix_checks *const *prefix_checks,
                             void (*notice)(void *context, const char *message), void *context,
                             struct bs_loader **loader_out, struct bs_error *err)
{
	size_t n_bytes =
		sizeof(struct bs_loader) + list->n_entries * sizeof(struct bs_snapshot_loader *);
	struct bs_loader *loader = calloc(1, n_bytes);
	enum bs_status status = BS_OK;
	*loader_out = NULL;
	if (!loader)
		return bs_fail_memory(err, "a loader", n_bytes);
	loader->list = list;
	loader->notices = calloc(list->n_entries, sizeof(*loader->notices));
	if (!loader->notices)
		status =
			bs_fail_memory(err, "a loader", list->n_entries * sizeof(*loader->notices));
	for (uint32_t i = 0; i < list->n_entries && !status; i++)
		status = make_snapshot_loader(loader, i, prefix_checks[i],
		                              &(struct bs_loader_notices){notice, context, NULL},
		                              err);
	if (status) {
		bs_loader_free(loader);
		return status;
	}
	*loader_out = loader;
	return BS_OK;
}

void bs_loader_free(struct bs_loader *loader)
{
	for (uint32_t i = 0; loader && i < loader->list->n_entries; i++)
		bs_snapshot_loader_free(loader->snapshot_loaders[i]);
	if (loader)
		free(loader->notices);
	free(loader);
}

const struct bs_snapshot_list *bs_loader_list(const struct bs_loader *loader)
{
	return loader->list;
}

struct bs_snapshot_loader *bs_loader_snapshot_loader(const struct bs_loader *loader, uint32_t entry)
{
	return loader->snapshot_loaders[entry];
}

void bs_loader_begin(struct bs_loader *loader, bool verbose, bool trusts)
{
	for (uint32_t i = 0; i < loader->list->n_entries; i++)
		bs_snapshot_load_begin(loader->snapshot_loaders[i], verbose, trusts);
}

void bs_loader_leave_changed(struct bs_loader *loader)
{
	for (uint32_t i = 0; i < loader->list->n_entries; i++)
		bs_snapshot_load_skip_changed(loader->snapshot_loaders[i]);
}

void bs_loader_ask_head(struct bs_loader *loader,
                        bool (*is_enough)(void *context, const uint8_t *text, size_t n_bytes),
                        void *context)
{
	for (uint32_t i = 0; i < loader->list->n_entries; i++)
		bs_snapshot_load_ask_head(loader->snapshot_loaders[i], is_enough, context);
}

uint64_t bs_loader_failures(const struct bs_loader *loader)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < loader->list->n_entries; i++)
		n += bs_snapshot_loader_failures(loader->snapshot_loaders[i]);
	return n;
}

struct bs_changes bs_loader_changes(const struct bs_loader *loader)
{
	struct bs_changes sum = *bs_snapshot_loader_changes(loader->snapshot_loaders[0]);
	for (uint32_t i = 1; i < loader->list->n_entries; i++) {
		struct bs_changes changes =
			*bs_snapshot_loader_changes(loader->snapshot_loaders[i]);
		changes.n_changed += sum.n_changed;
		changes.n_gone += sum.n_gone;
		if (sum.example[0])
			memcpy(changes.example, sum.example, sizeof(sum.example));
		sum = changes;
	}
	return sum;
}

bool bs_loader_is_of_line(struct bs_loader *loader, struct bs_doc_ref ref)
{
	uint32_t own;
	struct bs_snapshot_loader *snapshot_loader =
		bs_loader_snapshot_loader_of(loader, ref.segment, &own);
	return bs_snapshot_load_is_of_line(snapshot_loader, own, ref.document);
}

enum bs_status bs_loader_is_unchanged(struct bs_loader *loader, struct bs_doc_ref ref,
                                      bool *unchanged_out, struct bs_error *err)
{
	uint32_t own;
	struct bs_snapshot_loader *snapshot_loader =
		bs_loader_snapshot_loader_of(loader, ref.segment, &own);
	return bs_snapshot_load_is_unchanged(snapshot_loader, own, ref.document, unchanged_out,
	                                     err);
}

enum bs_status bs_loader_is_segment_unchanged(struct bs_loader *loader, uint32_t segment,
                                              bool *unchanged_out, struct bs_error *err)
{
	uint32_t own;
	struct bs_snapshot_loader *snapshot_loader =
		bs_loader_snapshot_loader_of(loader, segment, &own);
	return bs_snapshot_load_is_segment_unchanged(snapshot_loader, own, unchanged_out, err);
}

void bs_loader_expect(struct bs_loader *loader, uint32_t segment, const uint32_t *documents,
                      size_t n_documents)
{
	uint32_t own;
	struct bs_snapshot_loader *snapshot_loader =
		bs_loader_snapshot_loader_of(loader, segment, &own);
	bs_snapshot_load_expect(snapshot_loader, own, documents, n_documents);
}

bool bs_loader_cut_line(struct bs_loader *loader, struct bs_doc_ref ref, const uint8_t *line,
                        size_t line_bytes, struct bs_document *document_out)
{
	return bs_snapshot_load_cut_line(
		loader->snapshot_loaders[bs_list_segment(loader->list, ref.segment)->entry], line,
		line_bytes, document_out);
}

bool bs_loader_resolve(struct bs_loader *loader, struct bs_doc_ref ref,
                       struct bs_document *document)
{
	return bs_snapshot_load_resolve(
		loader->snapshot_loaders[bs_list_segment(loader->list, ref.segment)->entry],
		document);
}

enum bs_status bs_loader_id(struct bs_loader *loader, struct bs_doc_ref ref, struct bs_buffer *id,
                            struct bs_buffer *local_id, struct bs_buffer *path,
                            struct bs_error *err)
{
	uint32_t own;
	struct bs_snapshot_loader *snapshot_loader =
		bs_loader_snapshot_loader_of(loader, ref.segment, &own);
	return bs_snapshot_load_id(snapshot_loader, own, ref.document, id, local_id, path, err);
}

enum bs_status bs_loader_in_memory_id(struct bs_loader *loader, struct bs_doc_ref ref,
                                      bool *is_in_memory_out, const uint8_t **id_out,
                                      uint32_t *id_bytes_out, const char **path_out,
                                      struct bs_error *err)
{
	uint32_t own;
	struct bs_snapshot_loader *snapshot_loader =
		bs_loader_snapshot_loader_of(loader, ref.segment, &own);
	return bs_snapshot_load_in_memory_id(snapshot_loader, own, ref.document, is_in_memory_out,
	                                     id_out, id_bytes_out, path_out, err);
}
