/* cmd_shared.c: see cmd_shared.h. */
#include "query/cmd_shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/index_dir.h"
#include "query/fetch.h"

enum bs_status bs_cmd_locate(const char *option, char **dir_out, struct bs_error *err)
{
	const char *environment = getenv("BITSIFT_INDEX");
	const char *named = option ? option : (environment && *environment ? environment : NULL);
	if (!named)
		return bs_index_find(dir_out, err);
	*dir_out = strdup(named);
	return *dir_out ? BS_OK : bs_fail_memory(err, "a path", strlen(named));
}

void bs_cmd_show_unread(uint64_t n_documents)
{
	if (n_documents > BS_FETCH_TOLD_FAILURES)
		fprintf(stderr, "bitsift: %llu documents could not be read\n", (unsigned long long)n_documents);
}

int bs_cmd_show_help(const struct bs_command *command)
{
	struct bs_buffer text = {0};
	if (bs_command_help(command, &text, NULL) == BS_OK)
		fwrite(text.data, 1, text.used_bytes, stdout);
	bs_buffer_deinit(&text);
	return 0;
}
