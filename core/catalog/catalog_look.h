/* catalog_look.h: looks at an index for a catalog (catalog_file.h). */
#pragma once

#include "core/catalog/catalog_file.h"

/* The fingerprint of the last commit of the index in that place. BS_NOT_FOUND, BS_IO. */
enum bs_status bs_catalog_fingerprint(const char *place,
                                      uint64_t fingerprint_out[BS_CATALOG_FINGERPRINTS],
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Looks at the index in a directory: all but the name, and what was imported is known now. As
 * bs_snapshot_open; of the item nothing is changed on failure. */
enum bs_status bs_catalog_look(const char *dir, const struct bs_consent *consent,
                               struct bs_catalog_item *item, struct bs_error *err) BS_WARN_UNUSED;
