/* string_list.h: NULL-ended lists of strings. */
#pragma once

#include "core/base/error.h"

/* Length of a NULL-ended list; NULL counts 0. */
size_t bs_strings_length(char *const *list);
void bs_strings_free(char **list); /* NULL is fine */
/* A deep copy of such a list (NULL stays NULL). */
enum bs_status bs_strings_copy(char *const *list, char ***copy_out,
                               struct bs_error *err) BS_WARN_UNUSED;
