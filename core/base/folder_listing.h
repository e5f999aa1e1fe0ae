/* folder_listing.h: the entries of a folder, as a walk finds them and the index file `folders`
 * records them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Kinds of entries. BS_ENTRY_SPECIAL: sockets, pipes and devices. A folder has no listing if the
 * kind of one of its entries cannot be determined. */
enum bs_entry_kind {
	BS_ENTRY_FILE,
	BS_ENTRY_FOLDER,
	BS_ENTRY_LINK,
	BS_ENTRY_SPECIAL,
	BS_ENTRY_KINDS,
};

#define BS_ENTRY_NAME_MAX 255u

/* The entries of a folder in bytewise order of their names. An entry is one byte for its kind, one
 * byte for the length of its name, and the name. */
struct bs_folder_listing {
	const uint8_t *data; /* the entries, one after another */
	size_t n_bytes;
	uint32_t n_entries;
};

struct bs_entry {
	enum bs_entry_kind kind;
	const char *name; /* not NUL-terminated */
	size_t name_bytes;
};

/* Returns the entry at *at and advances *at to the next one. Begin with *at = 0, and call this
 * n_entries times. The listing must be valid. */
static inline struct bs_entry bs_folder_listing_next(const struct bs_folder_listing *list,
                                                     size_t *at)
{
	const uint8_t *entry = list->data + *at;
	*at += 2u + entry[1];
	return (struct bs_entry){(enum bs_entry_kind)entry[0], (const char *)entry + 2, entry[1]};
}
