/* folder_listing.h: what a folder holds, as a walk finds it and the file `folders` of an index
 * records it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What an entry of a folder is; nothing else is listed. */
enum bs_entry_kind {
	BS_ENTRY_FILE,
	BS_ENTRY_FOLDER,
	BS_ENTRY_LINK,
	BS_ENTRY_SPECIAL,
	BS_ENTRY_KINDS,
};

#define BS_ENTRY_NAME_MAX 255u

/* The entries of a folder: for each a byte with its kind, one with the bytes of its name, and the
 * name; by name, bytewise. */
struct bs_folder_listing {
	const uint8_t *data;
	size_t n_bytes;
	uint32_t n_entries;
};

struct bs_entry {
	enum bs_entry_kind kind;
	const char *name; /* not NUL-ended */
	size_t name_bytes;
};

/* The entries of a valid listing, from *at = 0 on, n_entries times. */
static inline struct bs_entry bs_folder_listing_next(const struct bs_folder_listing *list,
                                                     size_t *at)
{
	const uint8_t *entry = list->data + *at;
	*at += 2u + entry[1];
	return (struct bs_entry){(enum bs_entry_kind)entry[0], (const char *)entry + 2, entry[1]};
}
