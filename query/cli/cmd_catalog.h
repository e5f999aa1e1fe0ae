/* cmd_catalog.h: the catalog that a command searches. */
#ifndef BS_QUERY_CLI_CMD_CATALOG_H
#define BS_QUERY_CLI_CMD_CATALOG_H

#include "core/bitsift/status.h"

struct bs_catalog;
struct bs_consent;

/* Opens the catalog in that file; "": the user's, $XDG_CONFIG_HOME/bitsift/catalog, whose folder is
 * made. BS_NOT_FOUND: there is none, and make is false. */
enum bs_status bs_cmd_open_catalog(const char *file, bool make, const char *kernel, const struct bs_consent *consent,
                                   struct bs_catalog **catalog_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
