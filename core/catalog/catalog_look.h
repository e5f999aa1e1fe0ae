/* catalog_look.h: reads from an index what a catalog stores about it (catalog_file.h). */
#pragma once

#include "core/catalog/catalog_file.h"

/* The fingerprint of the manifest of the index in the directory `place`. BS_NOT_FOUND, BS_IO. */
enum bs_status bs_catalog_fingerprint(const char *place,
                                      uint64_t fingerprint_out[BS_CATALOG_FINGERPRINTS],
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Fills the item from the index in a directory. The item's name is kept; BS_CATALOG_IMPORTED is
 * cleared. On failure the item is unchanged. Fails like bs_dir_open and bs_snapshot_open. */
enum bs_status bs_catalog_look(const char *dir, const struct bs_consent *consent,
                               struct bs_catalog_item *item, struct bs_error *err) BS_WARN_UNUSED;
