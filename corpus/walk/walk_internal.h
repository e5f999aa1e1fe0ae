/* walk_internal.h: the state of a walk, for walk.c, which moves, and walk_choose.c, which decides. Inside corpus/ only. */
#ifndef BS_CORPUS_WALK_WALK_INTERNAL_H
#define BS_CORPUS_WALK_WALK_INTERNAL_H

#include <sys/stat.h>

#include "core/base/buffer.h"
#include "corpus/walk/ignore.h"
#include "corpus/walk/walk.h"

/* As folder lists have them, and one that they do not have. */
enum entry_kind {
	ENTRY_FILE = BS_ENTRY_FILE,
	ENTRY_FOLDER = BS_ENTRY_FOLDER,
	ENTRY_LINK = BS_ENTRY_LINK,
	ENTRY_SPECIAL = BS_ENTRY_SPECIAL,
	ENTRY_UNREADABLE
};

struct entry {
	uint64_t key;     /* the first 8 bytes of the name, big-endian: most comparisons end here */
	const char *name; /* not NUL-ended; while the folder is read, still an offset in names */
	size_t name_off;
	uint32_t name_bytes;
	uint8_t kind;
	uint8_t error; /* ENTRY_UNREADABLE: the errno */
};

/* A folder on the way from the root to where we are. */
struct folder {
	struct bs_buffer names;
	struct bs_buffer entries; /* of struct entry */
	size_t n_entries;
	size_t next;           /* index of the entry to visit next */
	size_t n_folders_left; /* entries not yet visited that are folders */
	size_t path_bytes;     /* of the path of this folder in walk->path, a slash at its end included */
	struct bs_ignore_level *level;
	int fd; /* -1: closed, because nobody needs it or to save descriptors */
	dev_t device;
	ino_t inode;
};

struct bs_walk {
	struct bs_walk_options options;
	const char *root;
	struct bs_buffer path;
	size_t shown_off;
	size_t rel_off;
	struct bs_buffer current; /* the current directory if the root was given as an absolute path */
	struct bs_ignore *globs;
	struct bs_ignore *caseless_globs;
	struct bs_buffer small; /* the path with small letters, for these */
	struct bs_ignore *global;
	struct bs_ignore_level *parents;
	struct bs_buffer stack; /* of struct folder *, the root first */
	size_t depth;
	size_t n_open;
	struct bs_buffer list; /* scratch: a folder as a list */
	dev_t last_device;     /* of the folder told of last, */
	bool has_device;       /* if there was one, */
	bool is_device_sure;   /* and whether its file system keeps the times of folders */
	size_t first_open; /* at least 1: no folder above this depth is open, but the root */
};

/* Where the part of path below folder starts; 0 if it is not below. */
size_t bs_walk_off_below(const struct bs_buffer *path, const void *folder, size_t folder_bytes);
bool bs_walk_is_absolute(const struct bs_walk *walk);

/* Whether to visit the entry whose path is in the buffer. Links that are followed are what they point to by now. */
bool bs_walk_wants(struct bs_walk *walk, const struct folder *folder, const struct entry *found);

/* walk_listings.c. Fills a folder, whose path is in the buffer, from a list, if one is known for its stamp. BS_NO_MEMORY. */
enum bs_status bs_walk_find_listing(struct bs_walk *walk, struct folder *folder, const struct stat *info, bool *found_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Tells of a folder that has been filled, and is open at fd. BS_NO_MEMORY. */
enum bs_status bs_walk_take_listing(struct bs_walk *walk, const struct folder *folder, int fd, const struct stat *info,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Adds an entry, whose name is not copied. BS_NO_MEMORY. */
enum bs_status bs_walk_add_entry(struct folder *folder, const struct entry *entry, bool follow,
                                 struct bs_error *err) BS_WARN_UNUSED;
uint64_t bs_walk_name_key(const char *name, size_t n_bytes);

#endif
