/* cmd_shared.c: see cmd_shared.h. */
#include "query/cmd_shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/index_dir.h"

enum bs_status bs_cmd_locate(const char *option, char **dir_out, struct bs_error *err)
{
	const char *environment = getenv("BITSIFT_INDEX");
	const char *named = option ? option : (environment && *environment ? environment : NULL);
	if (!named)
		return bs_index_find(dir_out, err);
	*dir_out = strdup(named);
	return *dir_out ? BS_OK : bs_fail_memory(err, "a path", strlen(named));
}

enum bs_status bs_cmd_open(const char *option, const struct bs_consent *consent, struct bs_dir *dir, struct bs_error *err)
{
	char *path = NULL;
	*dir = (struct bs_dir){.fd = -1};
	enum bs_status status = bs_cmd_locate(option, &path, err);
	if (!status)
		status = bs_dir_open(dir, path, consent, err);
	free(path);
	return status;
}

int bs_cmd_show_help(const struct bs_command *command)
{
	struct bs_buffer text = {0};
	if (bs_command_help(command, &text, NULL) == BS_OK)
		fwrite(text.data, 1, text.used_bytes, stdout);
	bs_buffer_deinit(&text);
	return 0;
}
