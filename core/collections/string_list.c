/* string_list.c: see string_list.h. */
#include "core/collections/string_list.h"

#include <stdlib.h>
#include <string.h>

size_t bs_strings_length(char *const *list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	return n;
}

void bs_strings_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

enum bs_status bs_strings_copy(char *const *list, char ***copy_out, struct bs_error *err)
{
	*copy_out = NULL;
	if (!list)
		return BS_OK;
	size_t n = bs_strings_length(list);
	char **copy = calloc(n + 1, sizeof(*copy));
	if (!copy)
		return bs_fail_memory(err, "a list", (n + 1) * sizeof(*copy));
	for (size_t i = 0; i < n; i++) {
		copy[i] = strdup(list[i]);
		if (!copy[i]) {
			bs_strings_free(copy);
			return bs_fail_memory(err, "a list", strlen(list[i]));
		}
	}
	*copy_out = copy;
	return BS_OK;
}
