/* non_documents.c: see non_documents.h. */
#include "indexer/run/non_documents.h"

#include <string.h>

#include "core/store/doc_order.h"

enum bs_status bs_passed_over_add(struct bs_manifest *manifest, uint32_t source, const struct bs_term_batch *term_batch,
                                  struct bs_error *err)
{
	const struct bs_buffer *files = &term_batch->non_documents;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < files->used_bytes && !status;) {
		struct bs_non_documents file = {.source = source, .name = (const char *)files->data + i + 4};
		memcpy(&file.nul_end, files->data + i, sizeof(file.nul_end));
		status = bs_manifest_add_non_document(manifest, &file, err);
		i += 4 + strlen(file.name) + 1;
	}
	return status;
}

/* The next that stays; false: there is none. */
static bool next_kept(const struct bs_manifest *before, uint32_t source, const struct bs_feed *feed, size_t *at,
                      struct bs_non_documents *file_out)
{
	while (bs_manifest_next_non_document(before, at, file_out))
		if (file_out->source == source && (!feed || bs_feed_is_unread(feed, file_out->name)))
			return true;
	return false;
}

static bool is_before(const struct bs_non_documents *a, const struct bs_non_documents *b)
{
	return bs_compare_paths((const uint8_t *)a->name, strlen(a->name), (const uint8_t *)b->name, strlen(b->name)) < 0;
}

enum bs_status bs_passed_over_keep(struct bs_manifest *manifest, const struct bs_manifest *before, uint32_t source,
                                   const struct bs_feed *feed, size_t from, struct bs_error *err)
{
	struct bs_manifest found = {.n_sources = 0};
	struct bs_non_documents kept_file, found_file;
	size_t kept_at = 0, found_at = 0;
	if (!next_kept(before, source, feed, &kept_at, &kept_file))
		return BS_OK;
	enum bs_status status = bs_buffer_append(&found.non_documents, manifest->non_documents.data + from,
	                                         manifest->non_documents.used_bytes - from, err);
	if (!status)
		manifest->non_documents.used_bytes = from;
	bool has_kept = true;
	bool has_found = bs_manifest_next_non_document(&found, &found_at, &found_file);
	while (!status && (has_kept || has_found)) {
		bool takes_kept = has_kept && (!has_found || is_before(&kept_file, &found_file));
		status = bs_manifest_add_non_document(manifest, takes_kept ? &kept_file : &found_file, err);
		if (takes_kept)
			has_kept = next_kept(before, source, feed, &kept_at, &kept_file);
		else
			has_found = bs_manifest_next_non_document(&found, &found_at, &found_file);
	}
	bs_buffer_deinit(&found.non_documents);
	return status;
}
