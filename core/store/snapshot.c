/* snapshot.c: see snapshot.h. */
#include "core/store/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

#include "core/base/bytes.h"
#include "core/base/source_kind.h"
#include "core/file/segment_sections.h"

static uint64_t count_deleted(const uint8_t *bits, uint64_t first, uint64_t end)
{
	uint64_t n_deleted = 0;
	for (uint64_t d = first; bits && d < end;) {
		bool is_word = d % 64 == 0 && end - d >= 64;
		n_deleted += is_word ? bs_count_bits(bs_load_u64(bits + d / 8))
		                     : (uint32_t)bits[d / 8] >> (d % 8) & 1;
		d += is_word ? 64 : 1;
	}
	return n_deleted;
}

/* Opens tombstones; checks that they have a bit for each document of the segment, and as many set
 * bits as the manifest records. */
static enum bs_status open_tombstones(const struct bs_dir *dir,
                                      const struct bs_segment_record *record,
                                      struct bs_container **file, const uint8_t **bits_out,
                                      struct bs_error *err)
{
	enum bs_status status =
		bs_index_file_open(dir, "del", record->tombstones, BS_FILE_TOMBSTONES, file, err);
	if (status)
		return status;
	struct bs_section bits = bs_container_section(*file, BS_SECTION_BITS, 0);
	if (bits.n_bytes != (record->n_docs + 7) / 8)
		return bs_container_corrupt(*file, err, "tombstones of another segment");
	status = bs_section_touch(&bits, 0, bits.n_bytes, err);
	if (status)
		return status;
	*bits_out = bits.data;
	uint64_t n_deleted = count_deleted(bits.data, 0, record->n_docs);
	if (record->n_docs % 8 && bits.data[record->n_docs / 8] >> (record->n_docs % 8))
		return bs_container_corrupt(*file, err, "bits past the last of %llu documents",
		                            (unsigned long long)record->n_docs);
	if (n_deleted != record->n_deleted)
		return bs_container_corrupt(
			*file, err, "%llu deleted documents where the manifest has %llu",
			(unsigned long long)n_deleted, (unsigned long long)record->n_deleted);
	return BS_OK;
}

/* Checks that the manifest has the source of each document. */
static enum bs_status check_sources(const struct bs_manifest *manifest,
                                    const struct bs_container *file,
                                    const struct bs_doc_table *docs, struct bs_error *err)
{
	for (uint32_t i = 0; i < docs->n_ranges; i++) {
		uint32_t source = bs_doc_table_range(docs, i).source;
		if (source >= manifest->n_sources)
			return bs_container_corrupt(file, err,
			                            "range %u of documents is of source %u of %u",
			                            i, source, manifest->n_sources);
	}
	return BS_OK;
}

/* Opens segment i; checks that it agrees with the manifest. */
static enum bs_status open_segment_file(const struct bs_dir *dir,
                                        const struct bs_manifest *manifest, uint32_t i,
                                        struct bs_segment *segment, struct bs_error *err)
{
	const struct bs_segment_record *record = &manifest->segments[i];
	char name[BS_INDEX_NAME_BYTES];
	enum bs_status status =
		bs_segment_open(segment, dir, bs_index_file_name("seg", record->number, name), err);
	if (status)
		return status;
	if (segment->meta.n_docs != record->n_docs)
		return bs_container_corrupt(segment->file, err,
		                            "%llu documents where the manifest has %llu",
		                            (unsigned long long)segment->meta.n_docs,
		                            (unsigned long long)record->n_docs);
	if (bs_container_bytes(segment->file) != record->n_bytes)
		return bs_container_corrupt(segment->file, err,
		                            "%llu bytes where the manifest has %llu",
		                            (unsigned long long)bs_container_bytes(segment->file),
		                            (unsigned long long)record->n_bytes);
	if (record->is_rows && (segment->meta.n_terms > 0 || segment->meta.n_positions > 0))
		return bs_container_corrupt(segment->file, err, "words in a segment of rows");
	return check_sources(manifest, segment->file, &segment->docs, err);
}

static enum bs_status open_segment(struct bs_snapshot *snapshot, uint32_t i, struct bs_error *err)
{
	const struct bs_segment_record *record = &snapshot->manifest.segments[i];
	struct bs_segment *segment = &snapshot->segments[i];
	enum bs_status status =
		open_segment_file(snapshot->dir, &snapshot->manifest, i, segment, err);
	if (status)
		return status;
	if (!record->is_rows) {
		snapshot->totals.n_word_segments++;
		snapshot->totals.n_docs += segment->meta.n_docs;
		snapshot->totals.n_live_docs += segment->meta.n_docs - record->n_deleted;
		snapshot->totals.n_positions += segment->meta.n_positions;
	}
	return record->tombstones
	               ? open_tombstones(snapshot->dir, record, &snapshot->tombstones.files[i],
	                                 &snapshot->tombstones.bits[i], err)
	               : BS_OK;
}

enum bs_status bs_exclusions_open(struct bs_snapshot_exclusions *exclusions,
                                  const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  struct bs_error *err)
{
	*exclusions = (struct bs_snapshot_exclusions){.file = NULL};
	if (!manifest->exclusions.number)
		return BS_OK;
	enum bs_status status = bs_index_file_open(dir, "exc", manifest->exclusions.number,
	                                           BS_FILE_EXCLUSIONS, &exclusions->file, err);
	if (!status)
		status = bs_doc_table_open(&exclusions->table, exclusions->file,
		                           manifest->exclusions.n_docs, err);
	return status ? status : check_sources(manifest, exclusions->file, &exclusions->table, err);
}

void bs_exclusions_close(struct bs_snapshot_exclusions *exclusions)
{
	bs_doc_table_deinit(&exclusions->table);
	bs_container_close(exclusions->file);
}

enum bs_status bs_snapshot_open_as(const struct bs_dir *dir, struct bs_manifest *manifest,
                                   struct bs_snapshot *snapshot, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*snapshot = (struct bs_snapshot){.manifest = *manifest};
	*manifest = (struct bs_manifest){.n_sources = 0};
	size_t n = (size_t)snapshot->manifest.n_segments + 1;
	snapshot->dir = dir;
	snapshot->segments = calloc(n, sizeof(*snapshot->segments));
	snapshot->tombstones.files = calloc(n, sizeof(struct bs_container *));
	snapshot->tombstones.bits = calloc(n, sizeof(const uint8_t *));
	snapshot->tombstones.changed = calloc(n, sizeof(uint8_t *));
	if (!snapshot->segments || !snapshot->tombstones.files || !snapshot->tombstones.bits ||
	    !snapshot->tombstones.changed)
		status = bs_fail_memory(err, "a snapshot", n * sizeof(*snapshot->segments));
	for (uint32_t i = 0; i < snapshot->manifest.n_segments && !status; i++)
		status = open_segment(snapshot, i, err);
	if (!status)
		status = bs_exclusions_open(&snapshot->exclusions, dir, &snapshot->manifest, err);
	if (status)
		bs_snapshot_deinit(snapshot);
	return status;
}

enum bs_status bs_snapshot_open(const struct bs_dir *dir, struct bs_snapshot *snapshot_out,
                                struct bs_error *err)
{
	/* After this process has read the manifest, a writer may commit and remove files that the
	 * manifest names. If a file is missing, the manifest is read again: if it is newer, opening
	 * is repeated; if it is unchanged, the index is damaged. */
	uint64_t generation = 0;
	for (;;) {
		struct bs_manifest manifest;
		*snapshot_out = (struct bs_snapshot){0};
		enum bs_status status = bs_manifest_read(dir, &manifest, err);
		if (!status)
			status = bs_snapshot_open_as(dir, &manifest, snapshot_out, err);
		if (status != BS_NOT_FOUND)
			return status;
		if (bs_manifest_read(dir, &manifest, err) != BS_OK)
			return bs_fail(err, BS_NOT_FOUND,
			               "%s: no index here; make one with `bitsift index`",
			               dir->path);
		bool is_newer = manifest.generation > generation;
		generation = manifest.generation;
		bs_manifest_deinit(&manifest);
		if (!is_newer)
			return bs_fail(err, BS_CORRUPT,
			               "%s: corrupt: a file that the manifest names is missing; "
			               "rebuild it with "
			               "`bitsift index --rebuild`",
			               dir->path);
	}
}

/* Checks the segment and, if present, its condensed segment. */
static enum bs_status check_segment(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                    uint32_t i, struct bs_error *err)
{
	struct bs_segment segment;
	char name[BS_INDEX_NAME_BYTES];
	enum bs_status status = open_segment_file(dir, manifest, i, &segment, err);
	bs_segment_deinit(&segment);
	bs_index_file_name("condensed", manifest->segments[i].number, name);
	if (status || !dir->memory || !bs_dir_has(dir, name))
		return status;
	status = bs_segment_open_condensed(&segment, dir, name, err);
	bs_segment_deinit(&segment);
	return status;
}

static enum bs_status check_tombstones(const struct bs_dir *dir,
                                       const struct bs_segment_record *record, struct bs_error *err)
{
	struct bs_container *file = NULL;
	const uint8_t *bits;
	enum bs_status status = open_tombstones(dir, record, &file, &bits, err);
	bs_container_close(file);
	return status;
}

static enum bs_status check_exclusions(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                       struct bs_error *err)
{
	struct bs_snapshot_exclusions exclusions;
	enum bs_status status = bs_exclusions_open(&exclusions, dir, manifest, err);
	bs_exclusions_close(&exclusions);
	return status;
}

static enum bs_status check_summary(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                    struct bs_error *err)
{
	struct bs_summary_file file;
	enum bs_status status = bs_summary_file_open(dir, manifest, &file, err);
	if (!status)
		status = bs_summary_counts_open(dir, manifest, &file, err);
	bs_summary_file_close(&file);
	return status;
}

static enum bs_status check_new_files(const struct bs_dir *dir, const struct bs_manifest *before,
                                      const struct bs_manifest *manifest, struct bs_error *err)
{
	/* Files from this number on are new, and are checked. If the new manifest has fewer
	 * sources, all files are checked, because documents may refer to a missing source. */
	const uint64_t first_new =
		before && before->n_sources <= manifest->n_sources ? before->next_number : 0;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < manifest->n_segments && !status; i++) {
		const struct bs_segment_record *record = &manifest->segments[i];
		if (record->number >= first_new)
			status = check_segment(dir, manifest, i, err);
		if (!status && record->tombstones && record->tombstones >= first_new)
			status = check_tombstones(dir, record, err);
	}
	if (!status && manifest->exclusions.number >= first_new)
		status = check_exclusions(dir, manifest, err);
	return !status && manifest->summary.number && manifest->summary.number >= first_new
	               ? check_summary(dir, manifest, err)
	               : status;
}

enum bs_status bs_snapshot_commit(const struct bs_dir *dir, const struct bs_manifest *before,
                                  const struct bs_manifest *manifest, struct bs_error *err)
{
	struct bs_error why = {""};
	enum bs_status status = check_new_files(dir, before, manifest, &why);
	return status ? bs_manifest_refuse(dir, status, &why, err)
	              : bs_manifest_write(dir, manifest, err);
}

enum bs_status bs_snapshot_use_summary(struct bs_snapshot *snapshot, uint32_t least_segments,
                                       struct bs_error *err)
{
	if (snapshot->totals.n_word_segments < least_segments || snapshot->summary.container)
		return BS_OK;
	enum bs_status status =
		bs_summary_file_open(snapshot->dir, &snapshot->manifest, &snapshot->summary, err);
	return bs_summary_is_missing(status) ? BS_OK : status;
}

enum bs_status bs_snapshot_may_have(const struct bs_snapshot *snapshot, const uint8_t *key,
                                    uint64_t hash, bool *may_out, struct bs_error *err)
{
	const struct bs_summary_file *file = &snapshot->summary;
	*may_out = true;
	if (!file->container || key[0] == BS_KEY_COMPOUND)
		return BS_OK;
	enum bs_status status = bs_summary_may_have_word(&file->summary, hash, may_out, err);
	*may_out |= status != BS_OK;
	return status == BS_CORRUPT ? BS_OK : status;
}

void bs_snapshot_use_spill(struct bs_snapshot *snapshot, struct bs_spill *spill)
{
	/* A snapshot that failed to open may have only a manifest. */
	for (uint32_t i = 0; snapshot->segments && i < snapshot->manifest.n_segments; i++)
		snapshot->segments[i].docs.names.spill = spill;
}

void bs_snapshot_close_files(struct bs_snapshot *snapshot)
{
	bs_container_close_descriptor(snapshot->summary.container);
	bs_container_close_descriptor(snapshot->exclusions.file);
	for (uint32_t i = 0; i < snapshot->manifest.n_segments; i++) {
		bs_container_close_descriptor(snapshot->segments[i].file);
		bs_container_close_descriptor(snapshot->tombstones.files[i]);
	}
}

void bs_snapshot_deinit(struct bs_snapshot *snapshot)
{
	bs_summary_file_close(&snapshot->summary);
	for (uint32_t i = 0; i < snapshot->manifest.n_segments; i++) {
		if (snapshot->segments)
			bs_segment_deinit(&snapshot->segments[i]);
		if (snapshot->tombstones.files)
			bs_container_close(snapshot->tombstones.files[i]);
	}
	for (uint32_t i = 0; snapshot->tombstones.changed && i <= snapshot->manifest.n_segments;
	     i++)
		free(snapshot->tombstones.changed[i]);
	bs_exclusions_close(&snapshot->exclusions);
	bs_doc_table_builder_deinit(&snapshot->overlay.docs);
	bs_term_table_deinit(&snapshot->overlay.value_names);
	free(snapshot->segments);
	free(snapshot->tombstones.files);
	free(snapshot->tombstones.bits);
	free(snapshot->tombstones.changed);
	bs_manifest_deinit(&snapshot->manifest);
	*snapshot = (struct bs_snapshot){0};
}

enum bs_status bs_snapshot_record(const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                  struct bs_doc_record *record_out, struct bs_error *err)
{
	if (ref.segment == BS_DOC_EXCLUDED)
		return bs_doc_table_get(&snapshot->exclusions.table, ref.document, record_out, err);
	if (ref.segment < snapshot->manifest.n_segments)
		return bs_doc_table_get(&snapshot->segments[ref.segment].docs, ref.document,
		                        record_out, err);
	bs_doc_table_builder_get(&snapshot->overlay.docs, ref.document, record_out);
	return BS_OK;
}

enum bs_status bs_snapshot_name(const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                struct bs_doc_record *record_out, struct bs_error *err)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	*record_out = (struct bs_doc_record){.name = (const uint8_t *)""};
	if (ref.segment >= manifest->n_segments) {
		bs_doc_table_builder_get(&snapshot->overlay.docs, ref.document, record_out);
		return BS_OK;
	}
	const struct bs_doc_table *docs = &snapshot->segments[ref.segment].docs;
	record_out->source = bs_doc_table_range_of(docs, ref.document).source;
	if (record_out->source >= manifest->n_sources)
		return bs_container_corrupt(snapshot->segments[ref.segment].file, err,
		                            "document %u is of source %u, which is not recorded",
		                            ref.document, record_out->source);
	if (manifest->sources[record_out->source].kind != BS_SOURCE_FOLDER)
		return BS_OK;
	return bs_names_get(&docs->names, ref.document, &record_out->name, &record_out->name_bytes,
	                    err);
}

enum bs_status bs_snapshot_mark(struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                bool is_deleted, struct bs_error *err)
{
	size_t n_bytes = ((size_t)bs_snapshot_segment_docs(snapshot, ref.segment) + 7) / 8;
	uint8_t **changed = &snapshot->tombstones.changed[ref.segment];
	const uint8_t **bits = &snapshot->tombstones.bits[ref.segment];
	uint8_t bit = (uint8_t)(1u << (ref.document % 8));
	if (!*changed && !(*changed = calloc(n_bytes + 1, 1)))
		return bs_fail_memory(err, "tombstones", n_bytes);
	if (*bits && *bits != *changed)
		memcpy(*changed, *bits, n_bytes);
	*bits = *changed;
	uint8_t *byte = &(*changed)[ref.document / 8];
	*byte = is_deleted ? *byte | bit : *byte & (uint8_t)~bit;
	return BS_OK;
}

uint32_t bs_snapshot_n_live(const struct bs_snapshot *snapshot, uint32_t segment, uint32_t first,
                            uint32_t end)
{
	return end - first -
	       (uint32_t)count_deleted(snapshot->tombstones.bits[segment], first, end);
}

uint64_t bs_snapshot_n_deleted(const struct bs_snapshot *snapshot, uint32_t segment)
{
	return count_deleted(snapshot->tombstones.bits[segment], 0,
	                     bs_snapshot_segment_docs(snapshot, segment));
}

enum bs_status bs_doc_bits_set(struct bs_doc_bits *bits, const struct bs_snapshot *snapshot,
                               struct bs_doc_ref ref, struct bs_error *err)
{
	uint32_t n = snapshot->manifest.n_segments + 1;
	if (!bits->segments) {
		bits->segments = calloc(n, sizeof(uint8_t *));
		bits->n_segments = bits->segments ? n : 0;
	}
	if (!bits->segments)
		return bs_fail_memory(err, "bits of documents", n * sizeof(uint8_t *));
	uint8_t **segment = &bits->segments[ref.segment];
	size_t n_bytes = (size_t)bs_snapshot_segment_docs(snapshot, ref.segment) / 8 + 1;
	if (!*segment)
		*segment = calloc(n_bytes, 1);
	if (!*segment)
		return bs_fail_memory(err, "bits of documents", n_bytes);
	(*segment)[ref.document / 8] |= (uint8_t)(1u << (ref.document % 8));
	return BS_OK;
}

void bs_doc_bits_deinit(struct bs_doc_bits *bits)
{
	for (uint32_t i = 0; i < bits->n_segments; i++)
		free(bits->segments[i]);
	free(bits->segments);
	*bits = (struct bs_doc_bits){0};
}

/* Whether it is known which fields of a segment have values. */
static bool tells_values(const struct bs_segment *segment)
{
	return segment->values.is_there ? !segment->values.is_partial
	                                : segment->field_names.n_bytes == 0;
}

bool bs_snapshot_has_some_values(const struct bs_snapshot *snapshot)
{
	bool has = snapshot->overlay.value_names.n_terms > 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !has; s++)
		has = !tells_values(&snapshot->segments[s]) ||
		      snapshot->segments[s].values.n_fields > 0;
	return has;
}

static bool overlay_has_values(const struct bs_snapshot *snapshot, const uint8_t *name,
                               uint32_t name_bytes)
{
	uint32_t number;
	return bs_term_table_find(&snapshot->overlay.value_names, name, name_bytes,
	                          bs_hash_slot(name, name_bytes), &number);
}

enum bs_status bs_snapshot_has_values(const struct bs_snapshot *snapshot, const uint8_t *name,
                                      uint32_t name_bytes, bool *has_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	struct bs_value_field field;
	*has_out = overlay_has_values(snapshot, name, name_bytes);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status && !*has_out; s++) {
		*has_out = !tells_values(&snapshot->segments[s]);
		if (!*has_out)
			status = bs_value_field_find(&snapshot->segments[s].values, name,
			                             name_bytes, has_out, &field, err);
	}
	return status;
}

enum bs_status bs_snapshot_has_dates_alone(const struct bs_snapshot *snapshot, const uint8_t *name,
                                           uint32_t name_bytes, bool *has_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool may = !overlay_has_values(snapshot, name, name_bytes);
	*has_out = false;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status && may; s++) {
		const struct bs_value_table *values = &snapshot->segments[s].values;
		struct bs_value_field field;
		struct bs_value first;
		bool is_found = false;
		may = tells_values(&snapshot->segments[s]);
		if (may)
			status = bs_value_field_find(values, name, name_bytes, &is_found, &field,
			                             err);
		if (status || !is_found || field.n_values == 0)
			continue;
		/* Numbers sort before dates. */
		status = bs_value_of_rank(values, &field, 0, &first, err);
		may = !status && first.bytes[0] == BS_VALUE_DATE;
		*has_out = may;
	}
	*has_out &= may;
	return status;
}
