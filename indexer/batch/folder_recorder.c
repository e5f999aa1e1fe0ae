/* folder_recorder.c: see folder_recorder.h. */
#include "indexer/batch/folder_recorder.h"

static bool find(void *context, const char *root, const char *path, size_t path_bytes,
                 const struct bs_fingerprint *fingerprint, struct bs_folder_listing *list_out)
{
	struct bs_folder_recorder *notes = context;
	uint64_t recorded[4];
	(void)root;
	bs_fingerprint_record(fingerprint, recorded);
	return notes->old.file && bs_folders_find(&notes->old, &notes->cursor, notes->source, path,
	                                          path_bytes, recorded, list_out);
}

/* Records a folder, unless the old records of the source are kept, or the folder may change later
 * without changing its fingerprint: because of its file system (!is_sure), or because the
 * fingerprint is racy (bs_fingerprint_is_racy). */
static enum bs_status take(void *context, const char *path, size_t path_bytes,
                           const struct bs_fingerprint *fingerprint, bool is_sure,
                           const struct bs_folder_listing *list, struct bs_error *err)
{
	struct bs_folder_recorder *notes = context;
	uint64_t recorded[4];
	if (!is_sure || notes->is_kept || bs_fingerprint_is_racy(fingerprint, notes->racy_from_ns))
		return BS_OK;
	bs_fingerprint_record(fingerprint, recorded);
	return bs_folders_add(&notes->records, notes->source, path, path_bytes, recorded, list,
	                      err);
}

void bs_folder_recorder_init(struct bs_folder_recorder *notes, const struct bs_dir *dir,
                             int64_t racy_from_ns)
{
	*notes = (struct bs_folder_recorder){.racy_from_ns = racy_from_ns,
	                                     .lists = {find, take, notes}};
	if (bs_folders_open(dir, &notes->old, NULL) != BS_OK)
		bs_folders_close(&notes->old);
}

enum bs_status bs_folder_recorder_keep(struct bs_folder_recorder *notes, struct bs_error *err)
{
	return notes->old.file ? bs_folders_copy(&notes->old, notes->source, &notes->records, err)
	                       : BS_OK;
}

void bs_folder_recorder_deinit(struct bs_folder_recorder *notes)
{
	bs_folders_close(&notes->old);
	bs_buffer_deinit(&notes->records);
}
