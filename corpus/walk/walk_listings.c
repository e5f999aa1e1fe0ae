/* walk_listings.c: folders that need not be read, since a list of what they hold is known. See struct bs_walk_listings. */
#include "corpus/walk/walk_internal.h"

#include <sys/vfs.h>

#include "corpus/walk/file.h"

/*
 * File systems of which it is known that each change of a folder's entries sets its times, whoever makes it: local ones of
 * Linux. Not so those on the network, whose times come late, those in user space, which may have none, and /proc and its
 * like, where entries come and go by themselves.
 */
static bool is_sure_kind(int64_t kind)
{
	static const uint32_t kinds[] = {
		0xef53,     /* ext2, ext3, ext4 */
		0x58465342, /* XFS */
		0x9123683e, /* Btrfs */
		0xf2f52010, /* F2FS */
		0x2fc12fc1, /* ZFS */
		0xca451a4e, /* bcachefs */
		0x01021994, /* tmpfs */
		0x794c7630, /* overlayfs */
		0x73717368, /* SquashFS */
		0xe0f5e1e2, /* EROFS */
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((uint32_t)kind == kinds[i])
			return true;
	return false;
}

static bool is_sure(struct bs_walk *walk, int fd, dev_t device)
{
	struct statfs found;
	if (walk->has_device && walk->last_device == device)
		return walk->is_device_sure;
	walk->has_device = true;
	walk->last_device = device;
	walk->is_device_sure = fstatfs(fd, &found) == 0 && is_sure_kind(found.f_type);
	return walk->is_device_sure;
}

/* The folder's path below the root, of *n_bytes_out; the buffer has a NUL where its last slash will stand. */
static const char *path_of(struct bs_walk *walk, const struct folder *folder, size_t *n_bytes_out)
{
	*n_bytes_out = folder->path_bytes - walk->rel_off;
	if (*n_bytes_out > 0)
		walk->path.data[folder->path_bytes - 1] = '/';
	return (const char *)walk->path.data + walk->rel_off;
}

static void end_path(struct bs_walk *walk, const struct folder *folder)
{
	if (folder->path_bytes > walk->rel_off)
		walk->path.data[folder->path_bytes - 1] = '\0';
}

enum bs_status bs_walk_find_listing(struct bs_walk *walk, struct folder *folder, const struct stat *info, bool *found_out,
                                 struct bs_error *err)
{
	const struct bs_walk_listings *lists = walk->options.lists;
	struct bs_stamp stamp = bs_file_stamp(info);
	struct bs_folder_listing list;
	size_t n_bytes, at = 0;
	*found_out = false;
	if (!lists || !lists->find)
		return BS_OK;
	const char *path = path_of(walk, folder, &n_bytes);
	*found_out = lists->find(lists->context, walk->root, path, n_bytes, &stamp, &list);
	end_path(walk, folder);
	enum bs_status status = BS_OK;
	if (*found_out)
		status = bs_buffer_reserve(&folder->entries, list.n_entries * sizeof(struct entry), err);
	for (uint32_t i = 0; *found_out && i < list.n_entries && !status; i++) {
		struct bs_entry found = bs_folder_listing_next(&list, &at);
		struct entry entry = {.key = bs_walk_name_key(found.name, found.name_bytes),
		                      .name = found.name,
		                      .name_bytes = (uint32_t)found.name_bytes,
		                      .kind = (uint8_t)found.kind};
		status = bs_walk_add_entry(folder, &entry, walk->options.follow, err);
	}
	return status;
}

/* False if it cannot be one. */
static bool make_list(struct bs_walk *walk, const struct folder *folder, struct bs_folder_listing *list_out,
                      enum bs_status *status, struct bs_error *err)
{
	const struct entry *entries = (const struct entry *)(const void *)folder->entries.data;
	bs_buffer_clear(&walk->list);
	*list_out = (struct bs_folder_listing){.data = NULL};
	if (folder->n_entries > UINT32_MAX)
		return false;
	for (size_t i = 0; i < folder->n_entries; i++) {
		uint8_t head[2] = {entries[i].kind, (uint8_t)entries[i].name_bytes};
		if (entries[i].kind >= BS_ENTRY_KINDS || entries[i].name_bytes > BS_ENTRY_NAME_MAX)
			return false;
		*status = bs_buffer_append(&walk->list, head, sizeof(head), err);
		if (!*status)
			*status = bs_buffer_append(&walk->list, entries[i].name, entries[i].name_bytes, err);
		if (*status)
			return false;
	}
	*list_out = (struct bs_folder_listing){walk->list.data, walk->list.used_bytes, (uint32_t)folder->n_entries};
	return true;
}

enum bs_status bs_walk_take_listing(struct bs_walk *walk, const struct folder *folder, int fd, const struct stat *info,
                                 struct bs_error *err)
{
	const struct bs_walk_listings *lists = walk->options.lists;
	struct bs_stamp stamp = bs_file_stamp(info);
	struct bs_folder_listing list;
	size_t n_bytes;
	enum bs_status status = BS_OK;
	if (!lists || !lists->take || !make_list(walk, folder, &list, &status, err))
		return status;
	bool has_times = is_sure(walk, fd, info->st_dev);
	const char *path = path_of(walk, folder, &n_bytes);
	status = lists->take(lists->context, path, n_bytes, &stamp, has_times, &list, err);
	end_path(walk, folder);
	return status;
}
