/* check.c: the index as a whole: its files, its manifest, its tombstones. See check.h. */
#include "core/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "core/check/check_parts.h"
#include "core/store/doc_order.h"
#include "core/store/folder_listings.h"
#include "core/store/index_dir.h"
#include "core/file/segment_sections.h"
#include "core/base/source_kind.h"

#define TOUCH_BYTES (UINT64_C(1) << 20) /* between two calls of progress */

static enum bs_status touch_pages(struct bs_check *check, const struct bs_section *section)
{
	enum bs_status status = BS_OK;
	bool is_counted = section->id == BS_SECTION_COLUMNS; /* by bs_check_segment, as it read them */
	for (uint64_t at = 0; at < section->n_bytes && !status; at += TOUCH_BYTES) {
		uint64_t left = section->n_bytes - at;
		uint64_t n = left < TOUCH_BYTES ? left : TOUCH_BYTES;
		status = bs_section_touch(section, at, n, check->err);
		bs_check_advance(check, is_counted ? 0 : n);
	}
	return status;
}

/* Layout, and the pages of every section, known or not. end_bytes: of the files up to and with this one. */
static enum bs_status check_file(struct bs_check *check, const struct bs_container *file, uint64_t end_bytes)
{
	enum bs_status status = bs_container_check_layout(file, check->err);
	for (size_t i = 0; i < bs_container_n_sections(file) && !status; i++) {
		uint32_t instance;
		struct bs_section section = bs_container_section_at(file, i, &instance);
		status = touch_pages(check, &section);
	}
	check->done_bytes = end_bytes;
	return status;
}

static int compare_labels(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Ids begin with them. */
static enum bs_status check_labels(struct bs_check *check, const struct bs_container *file)
{
	const struct bs_manifest *manifest = &check->snapshot.manifest;
	size_t n = manifest->n_sources;
	const char **labels = malloc((n + 1) * sizeof(*labels));
	enum bs_status status = BS_OK;
	if (!labels)
		return bs_fail_memory(check->err, "labels of sources", (n + 1) * sizeof(*labels));
	for (size_t i = 0; i < n; i++)
		labels[i] = manifest->sources[i].label;
	qsort(labels, n, sizeof(*labels), compare_labels);
	for (size_t i = 1; i < n && !status; i++)
		if (strcmp(labels[i - 1], labels[i]) == 0)
			status = bs_container_corrupt(file, check->err, "two sources are named \"%.100s\"", labels[i]);
	free(labels);
	return status;
}

/* Files that a search opens by these names. */
static enum bs_status check_non_documents(struct bs_check *check, const struct bs_container *file)
{
	const struct bs_manifest *manifest = &check->snapshot.manifest;
	struct bs_non_documents entry;
	for (size_t at = 0; bs_manifest_next_non_document(manifest, &at, &entry);)
		if (manifest->sources[entry.source].kind == BS_SOURCE_FOLDER &&
		    !bs_doc_name_is_below((const uint8_t *)entry.name, (uint32_t)strlen(entry.name)))
			return bs_container_corrupt(file, check->err, "a file that is passed over, \"%.100s\", is not below its source",
			                            entry.name);
	return BS_OK;
}

static enum bs_status check_exclusions(struct bs_check *check, uint64_t end_bytes)
{
	const struct bs_snapshot *snapshot = &check->snapshot;
	const struct bs_manifest *manifest = &snapshot->manifest;
	const struct bs_container *file = snapshot->exclusion_file;
	if (!file)
		return BS_OK;
	struct bs_doc_record record, before = {.source = UINT32_MAX};
	enum bs_status status = check_file(check, file, end_bytes);
	if (!status)
		status = bs_packed_check(&snapshot->exclusions.lengths, check->err);
	for (uint32_t word = 0; word < 4 && !status; word++)
		status = bs_packed_check(&snapshot->exclusions.places[word], check->err);
	if (!status)
		status = bs_names_check(&snapshot->exclusions.names, check->err);
	for (uint32_t i = 0; i < snapshot->exclusions.n_docs && !status; i++, before = record) {
		status = bs_doc_table_get(&snapshot->exclusions, i, &record, check->err);
		if (!status && manifest->sources[record.source].kind == BS_SOURCE_FOLDER &&
		    !bs_doc_name_is_below(record.name, record.name_bytes))
			status = bs_container_corrupt(file, check->err, "the name of exclusion %u leads out of its source", i);
		/* A walk meets them in order. */
		if (!status && before.source == record.source && manifest->sources[record.source].kind == BS_SOURCE_FOLDER &&
		    bs_compare_records(BS_SOURCE_FOLDER, &before, &record) >= 0)
			status = bs_container_corrupt(file, check->err, "exclusion %u stands behind one that it comes before", i);
	}
	return status;
}

/* No part of the commit, but a search believes it. */
static enum bs_status check_folders(struct bs_check *check, const struct bs_dir *dir)
{
	struct bs_folders folders;
	enum bs_status status = bs_folders_open(dir, &folders, check->err);
	if (!status) {
		check->total_bytes += bs_container_bytes(folders.file);
		status = check_file(check, folders.file, check->total_bytes);
	} else if (status == BS_NOT_FOUND) {
		return BS_OK;
	}
	if (!status)
		status = bs_folders_check(&folders, check->err);
	bs_folders_close(&folders);
	return status;
}

static enum bs_status check_all(struct bs_check *check, const struct bs_container *manifest_file)
{
	const struct bs_snapshot *snapshot = &check->snapshot;
	uint64_t end_bytes = bs_container_bytes(manifest_file);
	enum bs_status status = check_file(check, manifest_file, end_bytes);
	if (!status)
		status = check_labels(check, manifest_file);
	if (!status)
		status = check_non_documents(check, manifest_file);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++) {
		const struct bs_segment *segment = &snapshot->segments[s];
		end_bytes += bs_container_bytes(segment->file);
		status = bs_check_segment(check, s);
		if (!status)
			status = check_file(check, segment->file, end_bytes);
		if (!status && segment->store_offsets.n_bytes > 0 && check->stored_text)
			status = check->stored_text(snapshot, s, check->err);
		if (status || !snapshot->tombstones[s])
			continue;
		end_bytes += bs_container_bytes(snapshot->tombstone_files[s]);
		status = check_file(check, snapshot->tombstone_files[s], end_bytes);
	}
	return status ? status : check_exclusions(check, check->total_bytes);
}

static uint64_t sum_bytes(const struct bs_snapshot *snapshot)
{
	uint64_t n_bytes = 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		n_bytes += bs_container_bytes(snapshot->segments[s].file);
		if (snapshot->tombstone_files[s])
			n_bytes += bs_container_bytes(snapshot->tombstone_files[s]);
	}
	return n_bytes + (snapshot->exclusion_file ? bs_container_bytes(snapshot->exclusion_file) : 0);
}

/* BS_CORRUPT if the file of that number (0: none) is not there. */
static enum bs_status find_file(const struct bs_dir *dir, const char *prefix, uint64_t number, struct bs_error *err)
{
	char name[BS_INDEX_NAME_BYTES];
	if (!number || bs_dir_has(dir, bs_index_file_name(prefix, number, name)))
		return BS_OK;
	return bs_fail(err, BS_CORRUPT, "%s/%s: corrupt: the manifest names it, but it is missing; rebuild it with "
	               "`bitsift index --rebuild`", dir->path, name);
}

/* Which file is it that the manifest names and that is missing? BS_OK if none is. */
static enum bs_status find_missing(const struct bs_dir *dir, struct bs_error *err)
{
	struct bs_manifest manifest;
	enum bs_status status = bs_manifest_read(dir, &manifest, NULL);
	for (uint32_t i = 0; !status && i < manifest.n_segments; i++) {
		status = find_file(dir, "seg", manifest.segments[i].number, err);
		if (!status)
			status = find_file(dir, "del", manifest.segments[i].tombstones, err);
	}
	if (!status)
		status = find_file(dir, "exc", manifest.exclusions, err);
	bs_manifest_deinit(&manifest);
	return status;
}

enum bs_status bs_check_dir(const struct bs_dir *dir, const struct bs_check_request *request, bs_check_stored_text *stored_text,
                            struct bs_check_report *report_out, struct bs_error *err)
{
	static const struct bs_check_request none = {.dir = NULL};
	struct bs_check check = {.request = request ? request : &none, .stored_text = stored_text, .err = err};
	struct bs_container *manifest_file = NULL; /* the snapshot keeps only what it says */
	*report_out = (struct bs_check_report){0};
	enum bs_status status = bs_kernel_choose(NULL, &check.kernel, err);
	if (!status)
		status = bs_snapshot_open(dir, &check.snapshot, err);
	if (status == BS_CORRUPT) {
		enum bs_status missing = find_missing(dir, err);
		return missing == BS_CORRUPT ? missing : status;
	}
	if (status)
		return status;
	status = bs_manifest_open(dir, &manifest_file, err);
	if (!status) {
		check.total_bytes = bs_container_bytes(manifest_file) + sum_bytes(&check.snapshot);
		status = check_all(&check, manifest_file);
	}
	if (!status)
		status = check_folders(&check, dir);
	*report_out = (struct bs_check_report){
		.n_docs = check.snapshot.n_live_docs,
		.n_segments = check.snapshot.manifest.n_segments,
		.n_bytes = check.total_bytes,
	};
	bs_container_close(manifest_file);
	bs_snapshot_deinit(&check.snapshot);
	return status;
}
