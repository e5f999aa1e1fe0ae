/* walk_internal.h: the state of a walk, for walk.c, which moves, and walk_choose.c, which decides. Inside corpus/ only. */
#ifndef BS_CORPUS_WALK_INTERNAL_H
#define BS_CORPUS_WALK_INTERNAL_H

#include "core/buffer.h"
#include "corpus/ignore.h"
#include "corpus/walk.h"

enum entry_kind {
	ENTRY_FILE,
	ENTRY_FOLDER,
	ENTRY_LINK,
	ENTRY_SPECIAL,
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
	size_t first_open; /* at least 1: no folder above this depth is open, but the root */
};

/* Where the part of path below folder starts; 0 if it is not below. */
size_t bs_walk_off_below(const struct bs_buffer *path, const void *folder, size_t folder_bytes);
bool bs_walk_is_absolute(const struct bs_walk *walk);

/* Whether to visit the entry whose path is in the buffer. Links that are followed are what they point to by now. */
bool bs_walk_wants(struct bs_walk *walk, const struct folder *folder, const struct entry *found);

#endif
