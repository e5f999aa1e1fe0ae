/* cmd_shared.c: see cmd_shared.h. */
#include "query/cli/cmd_shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/index_dir.h"
#include "core/simd/kernels.h"
#include "query/search/fetch.h"

enum bs_status bs_cmd_locate(const char *option, char **dir_out, struct bs_error *err)
{
	const char *environment = getenv("BITSIFT_INDEX");
	const char *named = option ? option : (environment && *environment ? environment : NULL);
	if (!named)
		return bs_index_locate(dir_out, err);
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

void bs_cmd_show_unread(uint64_t n_documents)
{
	if (n_documents > BS_FETCH_TOLD_FAILURES)
		fprintf(stderr, "bitsift: %llu documents could not be read\n", (unsigned long long)n_documents);
}

int bs_cmd_show_help(const struct bs_command *command)
{
	bs_command_help(command, stdout);
	return 0;
}

int bs_cmd_list_kernels(void)
{
	const struct bs_kernel *kernels[8];
	size_t n = bs_kernel_list(kernels, 8);
	for (size_t i = 0; i < n; i++)
		printf("%s\n", kernels[i]->name);
	return 0;
}
