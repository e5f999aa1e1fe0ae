/* folder_listings.c: see folder_listings.h; bytes in FORMAT.md. */
#include "core/store/folder_listings.h"

#include <string.h>

#include "core/base/bytes.h"
#include "core/store/doc_order.h"

#define SECTION_FOLDERS 1u

/* A record: its size, the source, the fingerprint, the number of entries, the length of the path;
 * then the path and the list. */
#define HEAD_BYTES 48u

struct record {
	uint64_t n_bytes;
	uint32_t source;
	const uint8_t *fingerprint;
	const char *path;
	size_t path_bytes;
	struct bs_folder_listing list;
};

static bool is_name(const struct bs_entry *entry)
{
	bool is_dots = entry->name[0] == '.' && (entry->name_bytes == 1 ||
	                                         (entry->name_bytes == 2 && entry->name[1] == '.'));
	return !is_dots && !memchr(entry->name, '/', entry->name_bytes) &&
	       !memchr(entry->name, '\0', entry->name_bytes);
}

bool bs_folder_listing_is_valid(const struct bs_folder_listing *list)
{
	size_t at = 0;
	struct bs_entry before = {BS_ENTRY_FILE, "", 0};
	for (uint32_t i = 0; i < list->n_entries; i++) {
		if (list->n_bytes - at < 2 || list->n_bytes - at - 2 < list->data[at + 1] ||
		    list->data[at + 1] == 0)
			return false;
		struct bs_entry entry = bs_folder_listing_next(list, &at);
		if (entry.kind >= BS_ENTRY_KINDS || !is_name(&entry) ||
		    bs_compare_bytes((const uint8_t *)before.name, before.name_bytes,
		                     (const uint8_t *)entry.name, entry.name_bytes) >= 0)
			return false;
		before = entry;
	}
	return at == list->n_bytes;
}

static enum bs_status open_file(const struct bs_dir *dir, const char *name,
                                struct bs_folders *folders_out, struct bs_error *err)
{
	*folders_out = (struct bs_folders){.file = NULL};
	enum bs_status status =
		bs_container_open(dir, name, BS_FILE_FOLDERS, &folders_out->file, err);
	if (status)
		return status;
	folders_out->records = bs_container_section(folders_out->file, SECTION_FOLDERS, 0);
	return bs_section_touch(&folders_out->records, 0, folders_out->records.n_bytes, err);
}

enum bs_status bs_folders_open(const struct bs_dir *dir, struct bs_folders *folders_out,
                               struct bs_error *err)
{
	return open_file(dir, "folders", folders_out, err);
}

void bs_folders_close(struct bs_folders *folders)
{
	bs_container_close(folders->file);
	*folders = (struct bs_folders){.file = NULL};
}

static bool read_record(const struct bs_folders *folders, uint64_t at, struct record *record_out)
{
	uint64_t left = folders->records.n_bytes - at;
	const uint8_t *head = folders->records.data + at;
	if (left < HEAD_BYTES)
		return false;
	uint64_t n_bytes = bs_load_u32(head), path_bytes = bs_load_u32(head + 44);
	if (n_bytes > left || n_bytes < HEAD_BYTES || n_bytes - HEAD_BYTES < path_bytes)
		return false;
	*record_out = (struct record){
		.n_bytes = n_bytes,
		.source = bs_load_u32(head + 4),
		.fingerprint = head + 8,
		.path = (const char *)head + HEAD_BYTES,
		.path_bytes = (size_t)path_bytes,
		.list = {head + HEAD_BYTES + path_bytes,
	                 (size_t)(n_bytes - HEAD_BYTES - path_bytes), bs_load_u32(head + 40)},
	};
	return true;
}

/* Compares a folder with that of a record: by source, then in the order of a walk. */
static int compare_folders(uint32_t a_source, const char *a, size_t a_bytes, const struct record *b)
{
	if (a_source != b->source)
		return a_source < b->source ? -1 : 1;
	return bs_compare_paths((const uint8_t *)a, a_bytes, (const uint8_t *)b->path,
	                        b->path_bytes);
}

static bool fingerprint_is(const uint8_t *recorded, const uint64_t fingerprint[4])
{
	for (size_t i = 0; i < 4; i++)
		if (bs_load_u64(recorded + 8 * i) != fingerprint[i])
			return false;
	return true;
}

bool bs_folders_find(const struct bs_folders *folders, struct bs_folder_cursor *cursor,
                     uint32_t source, const char *path, size_t path_bytes,
                     const uint64_t fingerprint[4], struct bs_folder_listing *list_out)
{
	struct record record;
	int order = -1;
	/* If the folder is before the cursor's position, search from the start of the file. */
	if (cursor->at > 0 && (!read_record(folders, cursor->before, &record) ||
	                       compare_folders(source, path, path_bytes, &record) <= 0))
		cursor->at = 0;
	while (read_record(folders, cursor->at, &record)) {
		order = compare_folders(source, path, path_bytes, &record);
		if (order <= 0)
			break;
		cursor->before = cursor->at;
		cursor->at += record.n_bytes;
	}
	if (order != 0 || !fingerprint_is(record.fingerprint, fingerprint) ||
	    !bs_folder_listing_is_valid(&record.list))
		return false;
	*list_out = record.list;
	return true;
}

enum bs_status bs_folders_check(const struct bs_folders *folders, struct bs_error *err)
{
	struct record record, before = {.source = 0};
	for (uint64_t at = 0; at < folders->records.n_bytes;
	     at += record.n_bytes, before = record) {
		if (!read_record(folders, at, &record) ||
		    !bs_folder_listing_is_valid(&record.list) ||
		    (record.path_bytes > 0 && record.path[record.path_bytes - 1] != '/'))
			return bs_container_corrupt(
				folders->file, err,
				"a folder's record at byte %llu does not decode",
				(unsigned long long)at);
		if (at > 0 &&
		    compare_folders(before.source, before.path, before.path_bytes, &record) >= 0)
			return bs_container_corrupt(
				folders->file, err, "folder \"%.*s\" is out of order",
				(int)(record.path_bytes < 100 ? record.path_bytes : 100),
				record.path);
	}
	return BS_OK;
}

enum bs_status bs_folders_add(struct bs_buffer *records, uint32_t source, const char *path,
                              size_t path_bytes, const uint64_t fingerprint[4],
                              const struct bs_folder_listing *list, struct bs_error *err)
{
	uint8_t head[HEAD_BYTES];
	uint64_t n_bytes = (uint64_t)HEAD_BYTES + path_bytes + list->n_bytes;
	/* A folder with 4 GiB of names is not recorded, so it is read each time. */
	if (n_bytes > UINT32_MAX)
		return BS_OK;
	bs_store_u32(head, (uint32_t)n_bytes);
	bs_store_u32(head + 4, source);
	for (size_t i = 0; i < 4; i++)
		bs_store_u64(head + 8 + 8 * i, fingerprint[i]);
	bs_store_u32(head + 40, list->n_entries);
	bs_store_u32(head + 44, (uint32_t)path_bytes);
	enum bs_status status = bs_buffer_reserve(records, (size_t)n_bytes, err);
	if (!status)
		status = bs_buffer_append(records, head, sizeof(head), err);
	if (!status)
		status = bs_buffer_append(records, path, path_bytes, err);
	return status ? status : bs_buffer_append(records, list->data, list->n_bytes, err);
}

enum bs_status bs_folders_copy(const struct bs_folders *folders, uint32_t source,
                               struct bs_buffer *records, struct bs_error *err)
{
	struct record record;
	enum bs_status status = BS_OK;
	for (uint64_t at = 0;
	     !status && read_record(folders, at, &record) && record.source <= source;
	     at += record.n_bytes)
		if (record.source == source && bs_folder_listing_is_valid(&record.list))
			status = bs_buffer_append(records, folders->records.data + at,
			                          (size_t)record.n_bytes, err);
	return status;
}

/* Whether the file of this name is readable and has exactly these records. */
static bool is_written(const struct bs_dir *dir, const char *name, const struct bs_buffer *records,
                       struct bs_error *err)
{
	struct bs_folders file;
	bool is_same = open_file(dir, name, &file, err) == BS_OK &&
	               file.records.n_bytes == records->used_bytes &&
	               memcmp(file.records.data, records->data, records->used_bytes) == 0;
	bs_folders_close(&file);
	return is_same;
}

enum bs_status bs_folders_write(const struct bs_dir *dir, const struct bs_buffer *records,
                                struct bs_error *err)
{
	static const char temporary[] = "folders.new";
	struct bs_file_writer *writer;
	if (records->used_bytes == 0)
		bs_dir_remove(dir, "folders");
	if (records->used_bytes == 0 || is_written(dir, "folders", records, NULL))
		return BS_OK;
	bs_dir_remove(dir, temporary);
	enum bs_status status = bs_file_writer_open(dir, temporary, BS_FILE_FOLDERS, &writer, err);
	if (status)
		return status;
	bs_file_writer_put(writer, SECTION_FOLDERS, 0, records->data, records->used_bytes);
	status = bs_file_writer_finish(writer, NULL, err);
	if (status || is_written(dir, temporary, records, err))
		return status ? status : bs_dir_rename(dir, temporary, "folders", err);
	bs_dir_remove(dir, temporary);
	return bs_fail(err, BS_IO, "%s/%s: what was written is not what can be read", dir->path,
	               temporary);
}
