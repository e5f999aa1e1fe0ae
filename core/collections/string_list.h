/* string_list.h: NULL-terminated lists of strings. */
#pragma once

#include "core/base/error.h"

/* The number of strings; 0 for a NULL list. */
size_t bs_strings_length(char *const *list);
void bs_strings_free(char **list); /* list may be NULL */
/* Makes a deep copy. The copy of NULL is NULL. BS_NO_MEMORY. */
enum bs_status bs_strings_copy(char *const *list, char ***copy_out,
                               struct bs_error *err) BS_WARN_UNUSED;
