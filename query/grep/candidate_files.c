/* candidate_files.c: see candidate_files.h. The list merges documents and skipped sources. */
#include "query/grep/candidate_files.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/source_kind.h"

/* Opens a cursor over the files of a source. For a collection this is its row (the collection as a
 * file), not its records. */
static enum bs_status open_files(struct bs_doc_cursor *cursor, const struct bs_snapshot *snapshot,
                                 uint32_t source, const struct bs_doc_bits *among,
                                 struct bs_error *err)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	uint32_t kind = manifest->sources[source].kind;
	if (kind == BS_SOURCE_FOLDER || kind == BS_SOURCE_FILE)
		return bs_doc_cursor_init(cursor, snapshot, source, NULL, 0, among, err);
	bool *chosen = calloc((size_t)manifest->n_segments + 1, sizeof(*chosen));
	if (!chosen)
		return bs_fail_memory(err, "a list of segments", manifest->n_segments);
	for (uint32_t s = 0; s < manifest->n_segments; s++)
		chosen[s] = manifest->segments[s].is_rows;
	enum bs_status status = bs_doc_cursor_init(cursor, snapshot, source, chosen, 0, among, err);
	free(chosen);
	return status;
}

static void next_non_document(struct bs_candidate_files *list)
{
	struct bs_non_documents file;
	do {
		if (!bs_manifest_next_non_document(&list->snapshot->manifest,
		                                   &list->non_documents_at, &file)) {
			list->non_documents = NULL;
			return;
		}
	} while (file.source != list->source ||
	         (list->kind == BS_SOURCE_FOLDER && file.nul_end > 0 &&
	          file.nul_end <= list->least_bytes));
	list->non_documents = file.name;
}

enum bs_status bs_candidate_files_init(struct bs_candidate_files *list,
                                       const struct bs_snapshot *snapshot,
                                       const struct bs_doc_bits *candidates, uint32_t source,
                                       uint64_t least_bytes, struct bs_error *err)
{
	*list = (struct bs_candidate_files){
		.snapshot = snapshot,
		.source = source,
		.least_bytes = least_bytes,
		.kind = snapshot->manifest.sources[source].kind,
	};
	if (list->kind == BS_SOURCE_COLLECTION) {
		struct bs_doc_ref ref;
		struct bs_doc_record record;
		enum bs_status status = open_files(&list->cursor, snapshot, source, NULL, err);
		list->has_no_row = !status && !bs_doc_cursor_peek(&list->cursor, &ref, &record);
		bs_doc_cursor_deinit(&list->cursor);
		if (status)
			return status;
	}
	next_non_document(list);
	return open_files(&list->cursor, snapshot, source, candidates, err);
}

static enum bs_status check_name(const struct bs_candidate_files *list, const uint8_t *name,
                                 size_t name_bytes, struct bs_error *err)
{
	if (list->kind != BS_SOURCE_FOLDER || bs_doc_name_is_below(name, (uint32_t)name_bytes))
		return BS_OK;
	return bs_fail(err, BS_CORRUPT, "%s: corrupt: the name of a file leads out of its source",
	               list->snapshot->dir->path);
}

enum bs_status bs_candidate_files_next(struct bs_candidate_files *list, const uint8_t **name_out,
                                       size_t *name_bytes_out, struct bs_error *err)
{
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	bool has_document = bs_doc_cursor_peek(&list->cursor, &ref, &record);
	size_t other_bytes = list->non_documents ? strlen(list->non_documents) : 0;
	*name_out = NULL;
	*name_bytes_out = 0;
	if (list->has_no_row) {
		list->has_no_row = false;
		*name_out = (const uint8_t *)"";
		return BS_OK;
	}
	if (list->non_documents &&
	    (!has_document || bs_compare_paths((const uint8_t *)list->non_documents, other_bytes,
	                                       record.name, record.name_bytes) < 0)) {
		*name_out = (const uint8_t *)list->non_documents;
		*name_bytes_out = other_bytes;
		next_non_document(list);
		return check_name(list, *name_out, *name_bytes_out, err);
	}
	if (!has_document)
		return BS_OK;
	*name_out = record.name;
	*name_bytes_out = record.name_bytes;
	enum bs_status status = check_name(list, *name_out, *name_bytes_out, err);
	return status ? status : bs_doc_cursor_advance(&list->cursor, err);
}

void bs_candidate_files_deinit(struct bs_candidate_files *list)
{
	bs_doc_cursor_deinit(&list->cursor);
	*list = (struct bs_candidate_files){.source = 0};
}

static enum bs_status start_over(struct bs_gram_cover *cover, struct bs_error *err)
{
	bs_doc_cursor_deinit(&cover->cursor);
	return open_files(&cover->cursor, cover->snapshot, cover->source, NULL, err);
}

enum bs_status bs_gram_cover_init(struct bs_gram_cover *cover, const struct bs_snapshot *snapshot,
                                  const struct bs_doc_bits *candidates, uint32_t source,
                                  struct bs_error *err)
{
	*cover = (struct bs_gram_cover){
		.snapshot = snapshot, .candidates = candidates, .source = source};
	return start_over(cover, err);
}

enum bs_status bs_gram_cover_ask(struct bs_gram_cover *cover, const uint8_t *name,
                                 size_t name_bytes, const uint64_t fingerprint[4],
                                 enum bs_gram_answer *answer_out, struct bs_error *err)
{
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	enum bs_status status = BS_OK;
	*answer_out = BS_GRAM_NOT_COVERED;
	if (bs_compare_paths(name, name_bytes, cover->last.data, cover->last.used_bytes) < 0)
		status = start_over(cover, err);
	bs_buffer_clear(&cover->last);
	if (!status)
		status = bs_buffer_append(&cover->last, name, name_bytes, err);
	while (!status && bs_doc_cursor_peek(&cover->cursor, &ref, &record)) {
		int order = bs_compare_paths(record.name, record.name_bytes, name, name_bytes);
		bool is_same = !fingerprint ||
		               (!(record.flags & BS_DOC_RACY) &&
		                memcmp(record.place, fingerprint, sizeof(record.place)) == 0);
		if (order == 0 && is_same)
			*answer_out = bs_doc_bits_has(cover->candidates, ref) ? BS_GRAM_CANDIDATE
			                                                      : BS_GRAM_NO_MATCH;
		if (order >= 0)
			break;
		status = bs_doc_cursor_advance(&cover->cursor, err);
	}
	return status;
}

void bs_gram_cover_deinit(struct bs_gram_cover *cover)
{
	bs_doc_cursor_deinit(&cover->cursor);
	bs_buffer_deinit(&cover->last);
	*cover = (struct bs_gram_cover){.source = 0};
}
