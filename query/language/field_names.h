/* field_names.h: the names in a query text that may be those of fields, before it is known which fields there are. */
#ifndef BS_QUERY_LANGUAGE_FIELD_NAMES_H
#define BS_QUERY_LANGUAGE_FIELD_NAMES_H

#include "core/collections/term_table.h"

/* Adds the text before each colon to names: from the colon before it on or, with joins, over that colon. Call bs_icu_load
 * first. BS_NO_MEMORY. */
enum bs_status bs_find_field_names(const uint8_t *text, size_t n_bytes, bool joins, struct bs_term_table *names,
                                   struct bs_error *err) BS_WARN_UNUSED;

#endif
