/* candidate_files.c: see candidate_files.h. The list merges documents and skipped files. */
#include "query/grep/candidate_files.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/source_kind.h"

/* Opens a cursor over the files of a source. A collection has one file, its row (the collection as
 * a file); its records are left out. */
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

bool bs_skipped_file_is_out(const struct bs_non_documents *file, uint64_t least_bytes)
{
	bool is_utf16 = file->nul_end == 0 && bs_non_document_has_fingerprint(file);
	return is_utf16 ? least_bytes == BS_ALL_BEFORE_NUL
	                : file->nul_end > 0 && file->nul_end <= least_bytes;
}

static void next_non_document(struct bs_candidate_files *list)
{
	struct bs_non_documents file;
	do {
		if (!bs_manifest_next_non_document(&list->snapshot->manifest,
		                                   &list->non_documents_at, &file) ||
		    file.source != list->source) {
			list->non_documents = NULL;
			return;
		}
	} while (list->kind == BS_SOURCE_FOLDER &&
	         bs_skipped_file_is_out(&file, list->least_bytes));
	list->non_documents = file.name;
	list->next_skipped = file;
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
	list->non_documents_at = bs_manifest_find_non_documents(&snapshot->manifest, source);
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
	list->found.segment = BS_DOC_NONE;
	list->skipped = (struct bs_non_documents){.nul_end = 0};
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
		list->skipped = list->next_skipped;
		next_non_document(list);
		return check_name(list, *name_out, *name_bytes_out, err);
	}
	if (!has_document)
		return BS_OK;
	*name_out = record.name;
	*name_bytes_out = record.name_bytes;
	list->found = ref;
	enum bs_status status = check_name(list, *name_out, *name_bytes_out, err);
	return status ? status : bs_doc_cursor_advance(&list->cursor, err);
}

void bs_candidate_files_deinit(struct bs_candidate_files *list)
{
	bs_doc_cursor_deinit(&list->cursor);
	*list = (struct bs_candidate_files){.source = 0};
}

static void next_skipped(struct bs_gram_cover *cover)
{
	cover->has_skipped = bs_manifest_next_non_document(&cover->snapshot->manifest,
	                                                   &cover->skipped_at, &cover->skipped) &&
	                     cover->skipped.source == cover->source;
	cover->n_skipped++;
}

static enum bs_status start_over(struct bs_gram_cover *cover, struct bs_error *err)
{
	bs_doc_cursor_deinit(&cover->cursor);
	cover->skipped_at =
		bs_manifest_find_non_documents(&cover->snapshot->manifest, cover->source);
	cover->n_skipped = UINT32_MAX;
	next_skipped(cover);
	return open_files(&cover->cursor, cover->snapshot, cover->source, NULL, err);
}

enum bs_status bs_gram_cover_init(struct bs_gram_cover *cover, const struct bs_snapshot *snapshot,
                                  const struct bs_doc_bits *candidates, uint32_t source,
                                  uint64_t least_bytes, struct bs_error *err)
{
	*cover = (struct bs_gram_cover){.snapshot = snapshot,
	                                .candidates = candidates,
	                                .source = source,
	                                .least_bytes = least_bytes};
	return start_over(cover, err);
}

/* True if the file is a skipped file of a folder, is unchanged and cannot match. fingerprint: as in
 * bs_gram_cover_ask. Sets cover->found. */
static bool is_skipped(struct bs_gram_cover *cover, const uint8_t *name, size_t name_bytes,
                       const uint64_t fingerprint[4])
{
	const struct bs_non_documents *file = &cover->skipped;
	int order = -1;
	for (; cover->has_skipped; next_skipped(cover)) {
		order = bs_compare_paths((const uint8_t *)file->name, strlen(file->name), name,
		                         name_bytes);
		if (order >= 0)
			break;
	}
	cover->found = (struct bs_doc_ref){cover->snapshot->manifest.n_segments, cover->n_skipped};
	return cover->has_skipped && order == 0 &&
	       cover->snapshot->manifest.sources[cover->source].kind == BS_SOURCE_FOLDER &&
	       bs_skipped_file_is_out(file, cover->least_bytes) &&
	       (!fingerprint ||
	        memcmp(file->fingerprint, fingerprint, sizeof(file->fingerprint)) == 0);
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
		if (order == 0 && is_same) {
			*answer_out = bs_doc_bits_has(cover->candidates, ref) ? BS_GRAM_CANDIDATE
			                                                      : BS_GRAM_NO_MATCH;
			cover->found = ref;
			return BS_OK;
		}
		if (order >= 0)
			break;
		status = bs_doc_cursor_advance(&cover->cursor, err);
	}
	if (!status && is_skipped(cover, name, name_bytes, fingerprint))
		*answer_out = BS_GRAM_NO_MATCH;
	return status;
}

void bs_gram_cover_deinit(struct bs_gram_cover *cover)
{
	bs_doc_cursor_deinit(&cover->cursor);
	bs_buffer_deinit(&cover->last);
	*cover = (struct bs_gram_cover){.source = 0};
}
