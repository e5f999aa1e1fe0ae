/*
 * walk.c: the walk: a stack of folders, each with its sorted entries, and one buffer that holds the
 * current path.
 *
 *     root given as "sub", working directory /home/me/notes:
 *
 *     path     /home/me/notes/sub/2024/a.txt
 *              |              |   |    |
 *              parents' rules |   |    name_off
 *                     shown_off   rel_off: what the caller receives
 *
 * If the real path of the root does not end in the given path (as for "../sub" or a symlink), there
 * are two buffers: `path` begins with the given path, and `above` has the real path, for the rules
 * of parents.
 *
 * ignore.c knows the rules and their meaning; this file decides which of them apply, and to which
 * part of the buffer. See walk.h.
 */
#include "corpus/walk/walk.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/bitsift/skip.h"
#include "core/collections/sort.h"
#include "core/system/deadline.h"
#include "corpus/walk/file.h"
#include "corpus/walk/file_types.h"
#include "corpus/walk/ignore.h"

/* If the path of a folder is longer than that of the nearest open folder by more than this, the
 * folder stays open, because entries below it must be opened relative to it. */
#define REACH_BYTES (PATH_MAX - NAME_MAX - 1)

/* kind of an entry whose stat failed; listings of folders do not contain such entries */
#define ENTRY_UNREADABLE BS_ENTRY_KINDS

struct entry {
	uint64_t key;     /* the first 8 bytes of the name, big-endian: decides most comparisons */
	const char *name; /* not NUL-terminated; set when the folder is complete */
	/* offset in folder.names */
	size_t name_off;
	uint32_t name_bytes;
	uint8_t kind;
	uint8_t error; /* ENTRY_UNREADABLE: the errno */
};
BS_VECTOR(entries, struct entry);

/* A folder on the path from the root to the current entry. */
struct folder {
	struct bs_buffer names;
	struct entries entries;
	size_t next; /* index of the entry to visit next */
	/* length of this folder's path in walk->path, including its final slash */
	size_t path_bytes;
	struct bs_ignore_level *level;
	/* depth of the nearest folder that is open: this folder or a parent */
	size_t open_depth;
	int fd; /* -1: closed */
	dev_t device;
	ino_t inode;
};
BS_VECTOR(folders, struct folder);

struct bs_walk {
	struct bs_walk_options options;
	const char *root;
	struct bs_buffer path;
	size_t shown_off;
	size_t rel_off;
	/* The real path of the root and, below it, the current entry; empty if `path` contains
	 * it. */
	struct bs_buffer above;
	size_t above_off; /* offset of the part below the root; 0: `above` is not used */
	/* the working directory, if the root was given as an absolute path */
	struct bs_buffer current;
	struct bs_ignore globs; /* -g, and then --iglob */
	struct bs_ignore global;
	struct bs_ignore named; /* rules of --ignore-file */
	struct bs_ignore_level *parents;
	struct folders folders; /* the root first */
	struct bs_buffer list;  /* scratch: a folder as a listing */
	bool has_met_part;
	/* bs_walk_judge: the path below the root of the folder judged last, ending in a slash */
	struct bs_buffer judged;
	bool is_judged_out; /* the globs exclude that folder or one above it */
	dev_t last_device;  /* device of the folder that is_sure checked last */
	bool has_device;    /* last_device is valid */
	/* the file system of last_device always updates a folder's times when entries change */
	bool is_device_sure;
};

static size_t depth_of(const struct bs_walk *walk)
{
	return bs_vector_n(&walk->folders);
}

static const char *path_from(const struct bs_walk *walk, size_t off)
{
	return (const char *)walk->path.data + off;
}

/* The start of the path in messages. The root may be given as ".//a", where shown_off is the offset
 * of "/a". */
static size_t off_in_messages(const struct bs_walk *walk)
{
	size_t off = walk->shown_off;
	while (walk->root[0] != '/' && *path_from(walk, off) == '/')
		off++;
	return off;
}

static void report(const struct bs_walk *walk, enum bs_skip reason, const char *what)
{
	struct bs_error line;
	if (!walk->options.report)
		return;
	const char *path =
		path_from(walk, walk->options.shown ? walk->rel_off : off_in_messages(walk));
	const char *root = walk->options.shown ? walk->root : "";
	if (*root && *path)
		(void)bs_fail(&line, BS_IO, "%s/%s: %s", root, path, what);
	else
		(void)bs_fail(&line, BS_IO, "%s: %s", *path ? path : *root ? root : ".", what);
	walk->options.report(walk->options.report_context, reason, line.text);
}

/* Reports that the current path could not be read, unless it is gone and `unread` is set. */
static enum bs_status report_unread(const struct bs_walk *walk, int error_number, const char *why,
                                    struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (walk->options.unread && (error_number == ENOENT || error_number == ENOTDIR))
		return BS_OK;
	if (walk->options.unread)
		status = walk->options.unread(walk->options.unread_context,
		                              path_from(walk, walk->rel_off),
		                              walk->path.used_bytes - walk->rel_off, err);
	report(walk, BS_SKIP_UNREADABLE, why);
	return status;
}

/* Truncates the path to path_bytes and appends n_bytes, NUL-terminated. */
static enum bs_status set_path(struct bs_walk *walk, size_t path_bytes, const void *bytes,
                               size_t n_bytes, struct bs_error *err)
{
	assert(path_bytes <= walk->path.used_bytes);
	enum bs_status status = bs_buffer_reserve(&walk->path, n_bytes + 1, err);
	walk->path.used_bytes = path_bytes;
	if (!status)
		status = bs_buffer_append(&walk->path, bytes, n_bytes, err);
	if (!status)
		walk->path.data[walk->path.used_bytes] = '\0';
	return status;
}

/* The offset in path of the part below folder; 0 if path is not below it. Compares bytes, not
 * components, like ripgrep. */
static size_t off_below(const struct bs_buffer *path, const void *folder, size_t folder_bytes)
{
	if (folder_bytes > path->used_bytes || memcmp(path->data, folder, folder_bytes) != 0)
		return 0;
	return folder_bytes + (folder_bytes < path->used_bytes && path->data[folder_bytes] == '/');
}

static bool is_absolute(const struct bs_walk *walk)
{
	return walk->path.data[walk->shown_off] == '/';
}

/* The offset in the path of the part that rules relative to the working directory are matched
 * against: of -g, --ignore-file and the global excludes. An absolute path outside that directory
 * is matched whole, with its first slash. */
static size_t off_below_current(const struct bs_walk *walk)
{
	return is_absolute(walk)
	               ? off_below(&walk->path, walk->current.data, walk->current.used_bytes)
	               : walk->shown_off;
}

/* The verdict of -g and --iglob. */
static enum bs_ignore_verdict ask_globs(const struct bs_walk *walk,
                                        const struct bs_ignore_entry *entry)
{
	if (bs_ignore_n_rules(&walk->globs) == 0)
		return BS_IGNORE_SILENT;
	enum bs_ignore_verdict verdict =
		bs_ignore_match(&walk->globs, entry, off_below_current(walk));
	return bs_ignore_as_globs(verdict, walk->globs.n_plain, entry->is_folder);
}

/* The entry with the path that ignore rules of folders above the root are matched against. */
static struct bs_ignore_entry seen_above(const struct bs_walk *walk,
                                         const struct bs_ignore_entry *entry)
{
	struct bs_ignore_entry above = *entry;
	if (walk->above_off == 0)
		return above;
	above.path = walk->above.data;
	above.path_bytes = walk->above.used_bytes;
	above.name_off = walk->above_off + (entry->name_off - walk->rel_off);
	return above;
}

/* The verdict of the ignore files, then of the file types (-t, -T). A file that an ignore file
 * skips stays skipped. The file types are matched against all other files. They may skip a file
 * that an ignore file keeps, and they may keep a hidden file. */
static enum bs_ignore_verdict ask_files(const struct bs_walk *walk, const struct folder *folder,
                                        const struct bs_ignore_entry *entry)
{
	bool in_git = bs_ignore_level_in_git(folder->level) || walk->options.ignores_outside_git;
	struct bs_ignore_entry above = seen_above(walk, entry);
	enum bs_ignore_verdict verdict = bs_ignore_level_match(folder->level, entry, &above,
	                                                       walk->options.ignores_outside_git);
	bool has_more = bs_ignore_n_rules(&walk->global) + bs_ignore_n_rules(&walk->named) > 0;
	size_t off = has_more ? off_below_current(walk) : 0;
	if (verdict == BS_IGNORE_SILENT && in_git)
		verdict = bs_ignore_match(&walk->global, entry, off);
	if (verdict == BS_IGNORE_SILENT)
		verdict = bs_ignore_match(&walk->named, entry, off);
	if (verdict == BS_IGNORE_SKIP || !walk->options.types || entry->is_folder)
		return verdict;
	enum bs_ignore_verdict by_type =
		bs_file_types_match(walk->options.types, path_from(walk, entry->name_off));
	return by_type == BS_IGNORE_SILENT ? verdict : by_type;
}

/* True if the entry, whose path is in the buffer, is visited; otherwise *why_out is the reason. */
static bool wants(const struct bs_walk *walk, const struct folder *folder,
                  const struct entry *found, enum bs_skip *why_out)
{
	struct bs_ignore_entry entry = {.path = walk->path.data,
	                                .path_bytes = walk->path.used_bytes,
	                                .name_off = folder->path_bytes,
	                                .is_folder = found->kind == BS_ENTRY_FOLDER};
	enum bs_ignore_verdict verdict = ask_globs(walk, &entry);
	if (verdict == BS_IGNORE_SILENT)
		verdict = ask_files(walk, folder, &entry);
	*why_out = entry.is_folder ? BS_SKIP_IGNORED_FOLDER : BS_SKIP_IGNORED;
	if (verdict != BS_IGNORE_SILENT)
		return verdict == BS_IGNORE_KEEP;
	*why_out = entry.is_folder ? BS_SKIP_HIDDEN_FOLDER : BS_SKIP_HIDDEN;
	/* As in ripgrep, a path that ends in a dot has no name, so ".a." is not hidden. */
	return walk->options.hidden || found->name[0] != '.' ||
	       found->name[found->name_bytes - 1] == '.';
}

/* The path of the current entry relative to *fd_out, the nearest open folder. */
static const char *entry_path(const struct bs_walk *walk, int *fd_out)
{
	const struct folder *folders = walk->folders.items,
			    *above = &folders[folders[depth_of(walk) - 1].open_depth];
	*fd_out = above->fd;
	return path_from(walk, above->path_bytes);
}

static uint8_t kind_of_mode(mode_t mode)
{
	if (S_ISREG(mode))
		return BS_ENTRY_FILE;
	if (S_ISDIR(mode))
		return BS_ENTRY_FOLDER;
	return S_ISLNK(mode) ? BS_ENTRY_LINK : BS_ENTRY_SPECIAL;
}

static enum bs_status read_entry(struct folder *folder, int fd, const struct dirent *found,
                                 struct bs_error *err)
{
	size_t name_bytes = strlen(found->d_name);
	struct stat info;
	struct entry entry = {.key = bs_first_eight((const uint8_t *)found->d_name, name_bytes),
	                      .name_off = folder->names.used_bytes,
	                      .name_bytes = (uint32_t)name_bytes};
	if (found->d_type != DT_UNKNOWN) {
		entry.kind = kind_of_mode((mode_t)DTTOIF(found->d_type));
	} else if (fstatat(fd, found->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
		entry.kind = kind_of_mode(info.st_mode);
	} else {
		entry.kind = ENTRY_UNREADABLE;
		entry.error = (uint8_t)errno;
	}
	enum bs_status status = bs_buffer_append(&folder->names, found->d_name, name_bytes, err);
	return status ? status : bs_vector_append(&folder->entries, &entry, err);
}

static int compare_entries(const void *left, const void *right, void *context)
{
	(void)context;
	const struct entry *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return bs_compare_bytes((const uint8_t *)a->name, a->name_bytes, (const uint8_t *)b->name,
	                        b->name_bytes);
}

/* estimated cost of an entry, and of trying a rule on it, for the deadline */
#define ENTRY_NS 500u
#define RULE_NS  50u

/* Drops entries with the name of the one before. Some file systems list an entry twice if the
 * folder changes meanwhile. */
static void drop_repeated(struct folder *folder)
{
	struct entry *entries = folder->entries.items;
	size_t n = bs_vector_n(&folder->entries), n_kept = n > 0;
	for (size_t i = 1; i < n; i++)
		if (compare_entries(&entries[i], &entries[n_kept - 1], NULL) != 0)
			entries[n_kept++] = entries[i];
	bs_vector_set_n(&folder->entries, n_kept);
}

/* Reads all entries of dir and sorts them. BS_IO (err is only the reason), BS_NO_MEMORY. */
static enum bs_status read_entries(struct folder *folder, DIR *dir, struct bs_error *err)
{
	for (;;) {
		errno = 0;
		const struct dirent *found = readdir(dir);
		if (!found)
			break;
		if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
			continue;
		enum bs_status status = bs_deadline_check_after(ENTRY_NS, err);
		if (!status)
			status = read_entry(folder, dirfd(dir), found, err);
		if (status)
			return status;
	}
	if (errno)
		return bs_fail(err, BS_IO, "%s", strerror(errno));
	struct entry *entries = folder->entries.items;
	size_t n = bs_vector_n(&folder->entries);
	for (size_t i = 0; i < n; i++)
		entries[i].name = (const char *)folder->names.data + entries[i].name_off;
	enum bs_status status = bs_sort(entries, n, sizeof(*entries), compare_entries, NULL, err);
	if (!status)
		drop_repeated(folder);
	return status;
}

/*
 * True for file systems that are known to update a folder's times at each change of its entries:
 * local file systems of Linux. False for network file systems, which update them late, for FUSE,
 * which may have no times, and for /proc and similar ones, whose entries appear by themselves.
 */
static bool is_sure(struct bs_walk *walk, int fd, dev_t device)
{
	struct statfs found;
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
	if (walk->has_device && walk->last_device == device)
		return walk->is_device_sure;
	walk->has_device = true;
	walk->last_device = device;
	walk->is_device_sure = false;
	if (fstatfs(fd, &found) == 0)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			walk->is_device_sure |= (uint32_t)found.f_type == kinds[i];
	return walk->is_device_sure;
}

/* Fills a folder from the cache of listings, if that has one with the folder's fingerprint.
 * BS_NO_MEMORY. */
static enum bs_status find_listing(struct bs_walk *walk, struct folder *folder,
                                   const struct stat *info, bool *found_out, struct bs_error *err)
{
	const struct bs_walk_listings *lists = walk->options.lists;
	struct bs_fingerprint fingerprint = bs_file_fingerprint(info);
	struct bs_folder_listing list;
	size_t at = 0;
	*found_out = lists && lists->find &&
	             lists->find(lists->context, walk->root, path_from(walk, walk->rel_off),
	                         folder->path_bytes - walk->rel_off, &fingerprint, &list);
	if (!*found_out)
		return BS_OK;
	enum bs_status status = bs_vector_reserve(&folder->entries, list.n_entries, err);
	for (uint32_t i = 0; i < list.n_entries && !status; i++) {
		struct bs_entry found = bs_folder_listing_next(&list, &at);
		struct entry entry = {
			.key = bs_first_eight((const uint8_t *)found.name, found.name_bytes),
			.name = found.name,
			.name_bytes = (uint32_t)found.name_bytes,
			.kind = (uint8_t)found.kind};
		status = bs_vector_append(&folder->entries, &entry, err);
	}
	return status;
}

/* Passes the content of a folder, which is open at fd, to `take` of the listings, unless a listing
 * cannot represent one of its entries. BS_NO_MEMORY. */
static enum bs_status take_listing(struct bs_walk *walk, const struct folder *folder, int fd,
                                   const struct stat *info, struct bs_error *err)
{
	const struct bs_walk_listings *lists = walk->options.lists;
	const struct entry *entries = folder->entries.items;
	size_t n = bs_vector_n(&folder->entries);
	struct bs_fingerprint fingerprint = bs_file_fingerprint(info);
	enum bs_status status = BS_OK;
	if (!lists || !lists->take || n > UINT32_MAX)
		return BS_OK;
	bs_buffer_clear(&walk->list);
	for (size_t i = 0; i < n && !status; i++) {
		uint8_t head[2] = {entries[i].kind, (uint8_t)entries[i].name_bytes};
		if (entries[i].kind >= BS_ENTRY_KINDS || entries[i].name_bytes > BS_ENTRY_NAME_MAX)
			return BS_OK;
		status = bs_buffer_append(&walk->list, head, sizeof(head), err);
		if (!status)
			status = bs_buffer_append(&walk->list, entries[i].name,
			                          entries[i].name_bytes, err);
	}
	if (status)
		return status;
	struct bs_folder_listing list = {walk->list.data, walk->list.used_bytes, (uint32_t)n};
	return lists->take(lists->context, path_from(walk, walk->rel_off),
	                   folder->path_bytes - walk->rel_off, &fingerprint,
	                   is_sure(walk, fd, info->st_dev), &list, err);
}

/* Removes from the bits of existing ignore files those that the options exclude, and adds the bits
 * of options. The bit of .git stays, because .git also marks a repository. */
static unsigned wanted_ignore_bits(const struct bs_walk *walk, unsigned bits)
{
	unsigned kinds = walk->options.no_ignore_kinds;
	if (kinds & BS_WALK_NO_DOT)
		bits &= ~(BS_IGNORE_HAS_IGNORE | BS_IGNORE_HAS_RGIGNORE);
	if (kinds & BS_WALK_NO_VCS)
		bits &= ~BS_IGNORE_HAS_GITIGNORE;
	if (bits && (kinds & BS_WALK_NO_EXCLUDE))
		bits |= BS_IGNORE_NO_EXCLUDE;
	if (bits && walk->options.caseless_ignore_files)
		bits |= BS_IGNORE_CASELESS;
	if (bits && walk->options.ignores_outside_git)
		bits |= BS_IGNORE_GIT_ANYWHERE;
	return bits && walk->options.unread ? bits | BS_IGNORE_MUST_READ : bits;
}

/* The bits of the ignore files among the entries. */
static unsigned ignore_bits(const struct folder *folder)
{
	const struct entry *entries = folder->entries.items;
	unsigned bits = 0;
	for (size_t i = 0; i < bs_vector_n(&folder->entries); i++)
		if (entries[i].name_bytes > 0 && entries[i].name[0] == '.')
			bits |= bs_ignore_name_bit(entries[i].name, entries[i].name_bytes);
	return bits;
}

/* The folder whose ignore files are being read, for messages. */
struct rule_place {
	const struct bs_walk *walk;
	const char *folder;
	size_t folder_bytes;
	bool is_above;
};

static void tell_bad_rule(void *context, const char *fault)
{
	const struct rule_place *place = context;
	struct bs_error line;
	bool is_ended = place->folder_bytes == 0 || place->folder[place->folder_bytes - 1] == '/';
	(void)bs_fail(&line, BS_INVALID, "%.*s%s%s", (int)place->folder_bytes, place->folder,
	              is_ended ? "" : "/", fault);
	place->walk->options.bad_rule(place->walk->options.report_context, place->is_above,
	                              line.text);
}

static void tell_bad_rules(const struct bs_walk *walk, const struct bs_ignore_level *level,
                           const struct bs_ignore_level *above, struct rule_place place)
{
	place.walk = walk;
	if (walk->options.bad_rule && level != above)
		bs_ignore_level_tell_faults(level, tell_bad_rule, &place);
}

static enum bs_status open_level(struct bs_walk *walk, int fd, struct folder *folder,
                                 struct bs_error *err)
{
	struct bs_ignore_level *above = folder->level;
	size_t off = off_in_messages(walk);
	enum bs_status status =
		bs_ignore_level_open(fd, wanted_ignore_bits(walk, ignore_bits(folder)),
	                             folder->path_bytes, above, &folder->level, err);
	if (!status)
		tell_bad_rules(walk, folder->level, above,
		               (struct rule_place){.folder = path_from(walk, off),
		                                   .folder_bytes = folder->path_bytes - off});
	return status;
}

/* Fills a folder from fd, and closes fd. BS_IO if it cannot be read; err is only the reason. */
static enum bs_status fill_folder(struct bs_walk *walk, struct folder *folder, int fd,
                                  const struct stat *info, struct bs_error *err)
{
	bool is_found;
	DIR *dir = NULL;
	enum bs_status status = find_listing(walk, folder, info, &is_found, err);
	if (!status && !is_found) {
		dir = fdopendir(fd);
		status = dir ? read_entries(folder, dir, err)
		             : bs_fail(err, errno == ENOMEM ? BS_NO_MEMORY : BS_IO, "%s",
		                       strerror(errno));
	}
	if (!status)
		status = take_listing(walk, folder, fd, info, err);
	if (!status && !walk->options.no_ignore)
		status = open_level(walk, fd, folder, err);
	if (!status && folder->open_depth == depth_of(walk)) {
		folder->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (folder->fd < 0)
			status = bs_fail(err, BS_IO, "%s", strerror(errno));
	}
	if (dir)
		closedir(dir);
	else
		close(fd);
	return status;
}

static struct bs_ignore_level *level_above(const struct bs_walk *walk, size_t depth)
{
	return depth > 0 ? walk->folders.items[depth - 1].level : walk->parents;
}

/* Frees a folder at this depth, or one that could not be pushed there. */
static void free_folder(struct bs_walk *walk, struct folder *folder, size_t depth)
{
	if (folder->fd >= 0)
		close(folder->fd);
	bs_ignore_level_close(folder->level, level_above(walk, depth));
	bs_buffer_deinit(&folder->names);
	bs_vector_deinit(&folder->entries);
}

static void pop_folder(struct bs_walk *walk)
{
	size_t depth = depth_of(walk) - 1;
	free_folder(walk, &walk->folders.items[depth], depth);
	bs_vector_set_n(&walk->folders, depth);
}

/* Reads the folder at fd, closes fd, and pushes the folder on the stack. Its path is in the buffer.
 * Does not push skip_inode's folder or, with one_file_system, a folder on another device. BS_IO if
 * the folder cannot be read (err is only the reason), BS_NO_MEMORY. */
static enum bs_status push_folder(struct bs_walk *walk, int fd, struct bs_error *err)
{
	struct stat info;
	enum bs_status status = BS_OK;
	if (fstat(fd, &info) != 0)
		status = bs_fail(err, BS_IO, "%s", strerror(errno));
	const struct folder *folders = walk->folders.items;
	size_t depth = depth_of(walk);
	bool is_skipped = !status && walk->options.skip_inode &&
	                  info.st_ino == walk->options.skip_inode &&
	                  info.st_dev == walk->options.skip_device;
	is_skipped |= !status && walk->options.one_file_system && depth > 0 &&
	              info.st_dev != folders[0].device;
	if (status || is_skipped) {
		close(fd);
		return status;
	}
	struct folder folder = {.fd = -1,
	                        .device = info.st_dev,
	                        .inode = info.st_ino,
	                        .path_bytes = walk->path.used_bytes,
	                        .level = level_above(walk, depth),
	                        .open_depth = depth > 0 ? folders[depth - 1].open_depth : 0};
	if (depth > 0 && folder.path_bytes - folders[folder.open_depth].path_bytes > REACH_BYTES)
		folder.open_depth = depth;
	status = fill_folder(walk, &folder, fd, &info, err);
	if (!status)
		status = bs_vector_append(&walk->folders, &folder, err);
	if (status)
		free_folder(walk, &folder, depth);
	return status;
}

/* Enters the folder whose path is in the buffer. An unreadable folder is reported; fails only with
 * BS_NO_MEMORY, at the deadline, or with a status of `unread`. */
static enum bs_status descend(struct bs_walk *walk, struct bs_error *err)
{
	struct bs_error why;
	size_t path_bytes = walk->path.used_bytes;
	int above_fd;
	const char *path = entry_path(walk, &above_fd);
	int fd = (walk->options.follow ? bs_file_open : bs_file_open_below)(above_fd, path,
	                                                                    O_RDONLY | O_DIRECTORY);
	/* The walk saw a folder, which is a symlink now: report it as ENOTDIR. */
	if (fd < 0)
		return report_unread(walk,
		                     errno == ELOOP && !walk->options.follow ? ENOTDIR : errno,
		                     strerror(errno), err);
	enum bs_status status = set_path(walk, path_bytes, "/", 1, err);
	if (status) {
		close(fd);
		return status;
	}
	status = push_folder(walk, fd, &why);
	if (status != BS_IO)
		return status ? bs_fail(err, status, "%s", why.text) : BS_OK;
	status = set_path(walk, path_bytes, "", 0, err);
	return status ? status : report_unread(walk, 0, why.text, err);
}

/* True if a folder of that name is an index, which is never visited. */
static bool is_index(const char *name, size_t name_bytes)
{
	static const char index[] = ".bitsift";
	return name_bytes == sizeof(index) - 1 && memcmp(name, index, sizeof(index) - 1) == 0;
}

/* Replaces the kind of a symlink, whose path is in the buffer, by that of its target;
 * ENTRY_UNREADABLE if the target cannot be found or is a folder above the symlink. */
static void follow_link(const struct bs_walk *walk, struct entry *entry)
{
	struct stat info;
	int above_fd;
	const char *path = entry_path(walk, &above_fd);
	entry->kind = ENTRY_UNREADABLE;
	if (bs_file_stat(above_fd, path, &info) != 0) {
		entry->error = (uint8_t)errno;
		return;
	}
	entry->kind = kind_of_mode(info.st_mode);
	for (size_t depth = 0; entry->kind == BS_ENTRY_FOLDER && depth < depth_of(walk); depth++) {
		const struct folder *above = &walk->folders.items[depth];
		if (above->device == info.st_dev && above->inode == info.st_ino) {
			entry->kind = ENTRY_UNREADABLE;
			entry->error = ELOOP;
		}
	}
}

/* True if the current path is one of the parts or below one. *is_above_out: it is a folder that
 * contains a part. */
static bool is_in_part(const struct bs_walk *walk, bool *is_above_out)
{
	const char *path = path_from(walk, walk->rel_off);
	size_t path_bytes = walk->path.used_bytes - walk->rel_off;
	*is_above_out = false;
	for (size_t i = 0; walk->options.parts[i]; i++) {
		const char *part = walk->options.parts[i];
		size_t n = strlen(part), least = n < path_bytes ? n : path_bytes;
		if (memcmp(part, path, least) != 0)
			continue;
		if (n <= path_bytes && (n == path_bytes || path[n] == '/'))
			return true;
		*is_above_out |= path_bytes < n && part[path_bytes] == '/';
	}
	return false;
}

/* Sets `above` to the real path of the current entry, if it is used. */
static enum bs_status set_above(struct bs_walk *walk, struct bs_error *err)
{
	if (walk->above_off == 0 || bs_ignore_level_n_rules(walk->parents) == 0)
		return BS_OK;
	walk->above.used_bytes = walk->above_off;
	return bs_buffer_append(&walk->above, walk->path.data + walk->rel_off,
	                        walk->path.used_bytes - walk->rel_off, err);
}

/* Visits the next entry of `folder`, the top of the stack. *is_file_out: the entry is a file that
 * the walk yields. */
static enum bs_status visit(struct bs_walk *walk, struct folder *folder, bool *is_file_out,
                            struct bs_error *err)
{
	struct entry *entry = &folder->entries.items[folder->next++];
	size_t n_rules = bs_ignore_level_n_rules(folder->level) + bs_ignore_n_rules(&walk->global) +
	                 bs_ignore_n_rules(&walk->named);
	enum bs_status status =
		bs_deadline_check_after(ENTRY_NS + RULE_NS * (uint64_t)n_rules, err);
	if (!status)
		status = set_path(walk, folder->path_bytes, entry->name, entry->name_bytes, err);
	if (!status)
		status = set_above(walk, err);
	if (status)
		return status;
	bool is_above = false, is_part = walk->options.parts && is_in_part(walk, &is_above);
	if (walk->options.parts && !is_part && !is_above)
		return BS_OK;
	bool is_link = walk->options.follow && entry->kind == BS_ENTRY_LINK;
	if (is_link)
		follow_link(walk, entry);
	if (entry->kind == BS_ENTRY_FOLDER && is_index(entry->name, entry->name_bytes))
		return BS_OK;
	enum bs_skip why;
	bool wanted = wants(walk, folder, entry, &why);
	bool is_special = entry->kind != BS_ENTRY_FILE && entry->kind != BS_ENTRY_FOLDER;
	if (!wanted && walk->options.left_out && !is_index(entry->name, entry->name_bytes))
		walk->options.left_out(walk->options.left_out_context, why, is_special,
		                       path_from(walk, off_in_messages(walk)),
		                       path_from(walk, walk->rel_off));
	*is_file_out = wanted && entry->kind == BS_ENTRY_FILE;
	size_t depth = depth_of(walk);
	bool is_deep = walk->options.max_depth && depth >= walk->options.max_depth;
	walk->has_met_part |= is_part && *is_file_out;
	if (wanted && entry->kind == BS_ENTRY_FOLDER && !is_deep) {
		status = descend(walk, err);
		walk->has_met_part |= is_part && depth_of(walk) > depth;
	} else if (wanted && entry->kind == BS_ENTRY_LINK) {
		report(walk, BS_SKIP_LINK, "symbolic link");
	} else if (wanted && entry->kind == BS_ENTRY_SPECIAL) {
		report(walk, BS_SKIP_SPECIAL, "not a regular file");
	} else if ((wanted || is_link) && entry->kind == ENTRY_UNREADABLE) {
		/* rg follows symlinks before it checks whether they are wanted, so it also reports
		 * unwanted ones that are broken. */
		status = report_unread(walk, entry->error, strerror(entry->error), err);
	}
	return status;
}

enum bs_status bs_walk_next(struct bs_walk *walk, const char **path_out, size_t *path_bytes_out,
                            struct bs_error *err)
{
	*path_out = NULL;
	*path_bytes_out = 0;
	while (depth_of(walk) > 0) {
		struct folder *folder = &walk->folders.items[depth_of(walk) - 1];
		bool is_file = false;
		if (folder->next == bs_vector_n(&folder->entries)) {
			pop_folder(walk);
			continue;
		}
		enum bs_status status = visit(walk, folder, &is_file, err);
		if (status)
			return status;
		if (is_file) {
			*path_out = path_from(walk, walk->rel_off);
			*path_bytes_out = walk->path.used_bytes - walk->rel_off;
			break;
		}
	}
	return BS_OK;
}

/* Appends a folder's path to a buffer, and a slash unless the path is empty or ends in one. */
static enum bs_status append_folder(struct bs_buffer *buffer, const char *folder,
                                    struct bs_error *err)
{
	size_t n = strlen(folder);
	enum bs_status status = bs_buffer_append(buffer, folder, n, err);
	return status || n == 0 || folder[n - 1] == '/' ? status
	                                                : bs_buffer_append(buffer, "/", 1, err);
}

/* True if the path of a folder ends with the components of `end`, which may end in a slash.
 * *off_out: their offset, set only if true. */
static bool ends_with_folder(const char *path, const char *end, size_t *off_out)
{
	size_t n = strlen(path), end_bytes = strlen(end);
	if (end_bytes > 1 && end[end_bytes - 1] == '/')
		end_bytes--;
	if (end_bytes > n || memcmp(path + n - end_bytes, end, end_bytes) != 0)
		return false;
	size_t off = n - end_bytes;
	if (off > 0 && path[off - 1] != '/')
		return false;
	*off_out = off;
	return true;
}

/*
 * Sets the path buffer to the root, and `above` if it is needed.
 *
 * ripgrep 15 matches the rules of a folder above the root against the real path of the root and the
 * entry below it. But if several roots are given, and the folder is also above the previous root,
 * it uses the path of that root (`base`). So such a rule may ignore files of another root.
 */
static enum bs_status start_path(struct bs_walk *walk, const char *root, const char *real_root,
                                 struct bs_error *err)
{
	const char *shown = walk->options.shown ? walk->options.shown : root;
	const char *base = walk->options.base ? walk->options.base : real_root;
	enum bs_status status;
	while (shown[0] == '.' && shown[1] == '/')
		shown += 2;
	if (strcmp(shown, ".") == 0)
		shown++;
	bool is_one = base && *shown && ends_with_folder(base, shown, &walk->shown_off);
	if (base && !*shown) {
		status = append_folder(&walk->path, base, err);
		walk->shown_off = walk->path.used_bytes;
	} else {
		status = append_folder(&walk->path, is_one ? base : shown, err);
	}
	walk->rel_off = walk->path.used_bytes;
	if (!status && base && *shown && !is_one)
		status = append_folder(&walk->above, base, err);
	walk->above_off = walk->above.used_bytes;
	return status ? status : set_path(walk, walk->rel_off, "", 0, err);
}

/* Finds the working directory, if rules are relative to it and the root is given as an absolute
 * path. */
static enum bs_status find_current(struct bs_walk *walk, struct bs_error *err)
{
	size_t n_rules = bs_ignore_n_rules(&walk->globs) + bs_ignore_n_rules(&walk->global) +
	                 bs_ignore_n_rules(&walk->named);
	char *current;
	if (n_rules == 0 || !is_absolute(walk))
		return BS_OK;
	enum bs_status status = bs_file_real_path(".", &current, err);
	if (current)
		status = bs_buffer_append(&walk->current, current, strlen(current), err);
	free(current);
	return status;
}

static enum bs_status add_globs(struct bs_walk *walk, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < walk->options.n_globs && !status; i++) {
		const char *glob = walk->options.globs[i];
		status = bs_ignore_add_line(&walk->globs, (const uint8_t *)glob, strlen(glob), err);
	}
	walk->globs.is_caseless = true;
	for (size_t i = 0; i < walk->options.n_caseless_globs && !status; i++) {
		const char *glob = walk->options.caseless_globs[i];
		status = bs_ignore_add_line(&walk->globs, (const uint8_t *)glob, strlen(glob), err);
	}
	return status;
}

/* Reads the ignore files of the parents of the root. real_root: its path without symlinks. */
static enum bs_status add_parents(struct bs_walk *walk, char *real_root, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	struct bs_error why = {""};
	unsigned no_kinds = walk->options.no_ignore_kinds;
	/* If neither the rules of parents nor .gitignore files apply, the parents are not examined,
	 * and faults in their ignore files are not reported, as in ripgrep. */
	if (no_kinds & BS_WALK_NO_PARENT && no_kinds & BS_WALK_NO_VCS)
		return BS_OK;
	for (char *slash = strchr(real_root, '/'); slash && slash[1] && !status;
	     slash = strchr(slash + 1, '/')) {
		char *end = slash == real_root ? slash + 1 : slash;
		char held = *end;
		*end = '\0';
		int fd = open(real_root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		*end = held;
		if (fd < 0)
			continue;
		/* The rules of parents may be disabled, but a repository is recognized anyway, and
		 * as in ripgrep, invalid rules are reported. */
		bool has_rules = !(no_kinds & BS_WALK_NO_PARENT);
		unsigned bits = wanted_ignore_bits(walk, BS_IGNORE_HAS_ANY);
		if (!has_rules)
			bits |= BS_IGNORE_MUTE;
		struct bs_ignore_level *above = walk->parents;
		status = bs_ignore_level_open(fd, bits | BS_IGNORE_ABOVE,
		                              (size_t)(slash - real_root) + 1, above,
		                              &walk->parents, &why);
		if (status)
			status = bs_fail(err, status, "%.*s/%s", (int)(slash - real_root),
			                 real_root, why.text);
		else
			tell_bad_rules(
				walk, walk->parents, above,
				(struct rule_place){.folder = real_root,
			                            .folder_bytes = (size_t)(end - real_root),
			                            .is_above = true});
		close(fd);
	}
	return status;
}

static enum bs_status push_root(struct bs_walk *walk, const char *root, struct bs_error *err)
{
	struct bs_error why = {""};
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return bs_fail(err, BS_IO, "%s: %s", root, strerror(errno));
	enum bs_status status = push_folder(walk, fd, &why);
	return status ? bs_fail(err, status, "%s: %s", root, why.text) : BS_OK;
}

/* Reads the files of --ignore-file. */
static enum bs_status add_named(struct bs_walk *walk, struct bs_error *err)
{
	const struct bs_walk_options *options = &walk->options;
	const char *const *path = options->ignore_files;
	enum bs_status status = BS_OK;
	walk->named.reports_encoding = true;
	for (; path && *path && !status; path++) {
		struct rule_place here = {.walk = walk, .folder = ""};
		status = bs_ignore_read_file(AT_FDCWD, *path, options->unread != NULL, &walk->named,
		                             err);
		if (!status && options->bad_rule)
			bs_ignore_tell_faults(&walk->named, *path, tell_bad_rule, &here);
		bs_buffer_clear(&walk->named.faults);
	}
	return status;
}

enum bs_status bs_walk_open(const char *root, const struct bs_walk_options *options,
                            struct bs_walk **walk_out, struct bs_error *err)
{
	char *real_root = NULL;
	*walk_out = NULL;
	struct bs_walk *walk = calloc(1, sizeof(*walk));
	if (!walk)
		return bs_fail_memory(err, "a walk", sizeof(*walk));
	walk->options = *options;
	walk->root = root;
	/* real_root is NULL if the path is too long or may not be searched. Then the ignore files
	 * of parents are not read, as in ripgrep. */
	enum bs_status status = bs_file_real_path(root, &real_root, err);
	if (!status)
		status = start_path(walk, root, real_root, err);
	if (!status)
		status = add_globs(walk, err);
	walk->global.is_caseless = options->caseless_ignore_files;
	if (!status)
		status = add_named(walk, err);
	if (!status && !options->no_ignore && !(options->no_ignore_kinds & BS_WALK_NO_GLOBAL))
		status = bs_ignore_read_global(options->unread != NULL, &walk->global, err);
	if (!status)
		status = find_current(walk, err);
	if (!status && !options->no_ignore && real_root)
		status = add_parents(walk, real_root, err);
	if (!status)
		status = push_root(walk, root, err);
	if (status)
		bs_walk_close(walk);
	else
		*walk_out = walk;
	free(real_root);
	return status;
}

enum bs_status bs_walk_open_rules(const char *root, const struct bs_walk_options *options,
                                  struct bs_walk **walk_out, struct bs_error *err)
{
	*walk_out = NULL;
	struct bs_walk *walk = calloc(1, sizeof(*walk));
	if (!walk)
		return bs_fail_memory(err, "a walk", sizeof(*walk));
	walk->options = *options;
	walk->root = root;
	enum bs_status status = start_path(walk, root, NULL, err);
	if (!status)
		status = add_globs(walk, err);
	if (!status)
		status = find_current(walk, err);
	if (status)
		bs_walk_close(walk);
	else
		*walk_out = walk;
	return status;
}

/* The verdict of the globs on the current path. */
static enum bs_ignore_verdict ask_about(struct bs_walk *walk, bool is_folder)
{
	const uint8_t *slash = memrchr(walk->path.data, '/', walk->path.used_bytes);
	struct bs_ignore_entry entry = {.path = walk->path.data,
	                                .path_bytes = walk->path.used_bytes,
	                                .name_off =
	                                        slash ? (size_t)(slash - walk->path.data) + 1 : 0,
	                                .is_folder = is_folder};
	return ask_globs(walk, &entry);
}

/* *is_out: the globs exclude a folder above the file or folder `name`. */
static enum bs_status judge_folders(struct bs_walk *walk, const char *name, size_t name_bytes,
                                    bool *is_out, struct bs_error *err)
{
	struct bs_buffer *judged = &walk->judged;
	const char *last = memrchr(name, '/', name_bytes);
	size_t n_bytes = last ? (size_t)(last - name) + 1 : 0, same = 0;
	enum bs_status status = BS_OK;
	for (size_t i = 0;
	     i < n_bytes && i < judged->used_bytes && name[i] == (char)judged->data[i]; i++)
		same = name[i] == '/' ? i + 1 : same;
	*is_out = walk->is_judged_out && same == judged->used_bytes;
	if (*is_out || (same == n_bytes && same == judged->used_bytes))
		return BS_OK;
	judged->used_bytes = same;
	walk->is_judged_out = false;
	while (same < n_bytes && !status && !walk->is_judged_out) {
		size_t end =
			(size_t)((const char *)memchr(name + same, '/', n_bytes - same) - name);
		status = set_path(walk, walk->rel_off, name, end, err);
		if (!status)
			status = bs_buffer_append(judged, name + same, end + 1 - same, err);
		walk->is_judged_out = !status && ask_about(walk, true) == BS_IGNORE_SKIP;
		same = end + 1;
	}
	*is_out = walk->is_judged_out;
	return status;
}

enum bs_status bs_walk_judge(struct bs_walk *walk, const void *name, size_t name_bytes,
                             bool is_folder, enum bs_walk_judgement *judgement_out,
                             struct bs_error *err)
{
	uint32_t depth = 1;
	bool is_out = false;
	*judgement_out = BS_WALK_NO;
	for (size_t i = 0; i < name_bytes && walk->options.max_depth; i++)
		depth += ((const char *)name)[i] == '/';
	if (walk->options.max_depth && depth > walk->options.max_depth)
		return BS_OK;
	enum bs_status status = judge_folders(walk, name, name_bytes, &is_out, err);
	if (!status && !is_out)
		status = set_path(walk, walk->rel_off, name, name_bytes, err);
	if (status || is_out)
		return status;
	enum bs_ignore_verdict verdict = ask_about(walk, is_folder);
	bool by_glob = verdict != BS_IGNORE_SILENT;
	if (!by_glob && !is_folder && walk->options.types) {
		const char *slash = memrchr(name, '/', name_bytes);
		size_t off = slash ? (size_t)(slash - (const char *)name) + 1 : 0;
		verdict = bs_file_types_match(walk->options.types,
		                              path_from(walk, walk->rel_off + off));
	}
	*judgement_out = verdict == BS_IGNORE_SKIP     ? BS_WALK_NO
	                 : verdict == BS_IGNORE_SILENT ? BS_WALK_BY_RULES
	                 : by_glob                     ? BS_WALK_BY_GLOB
	                                               : BS_WALK_BY_TYPE;
	return BS_OK;
}

bool bs_walk_has_met_part(const struct bs_walk *walk)
{
	return walk->has_met_part;
}

void bs_walk_close(struct bs_walk *walk)
{
	if (!walk)
		return;
	while (depth_of(walk) > 0)
		pop_folder(walk);
	bs_ignore_level_close(walk->parents, NULL);
	bs_ignore_deinit(&walk->globs);
	bs_buffer_deinit(&walk->above);
	bs_ignore_deinit(&walk->global);
	bs_ignore_deinit(&walk->named);
	bs_buffer_deinit(&walk->current);
	bs_buffer_deinit(&walk->list);
	bs_buffer_deinit(&walk->judged);
	bs_buffer_deinit(&walk->path);
	bs_vector_deinit(&walk->folders);
	free(walk);
}
