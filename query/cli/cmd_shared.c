/* cmd_shared.c: see cmd_shared.h. */
#include "query/cli/cmd_shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>


enum bs_status bs_cmd_locate(const char *option, char **dir_out, struct bs_error *err)
{
	const char *environment = getenv("BITSIFT_INDEX");
	const char *named = option ? option : (environment && *environment ? environment : NULL);
	if (!named)
		return bs_index_locate(dir_out, err);
	*dir_out = strdup(named);
	return *dir_out ? BS_OK : bs_fail_memory(err, "a path", strlen(named));
}

void bs_cmd_show_unread(uint64_t n_documents)
{
	if (n_documents > BS_FIND_TOLD_UNREADABLE)
		fprintf(stderr, "bitsift: %llu documents could not be read\n", (unsigned long long)n_documents);
}

uint64_t bs_cmd_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int bs_cmd_show_help(const struct bs_command *command)
{
	bs_command_help(command, stdout);
	return 0;
}

int bs_cmd_list_kernels(void)
{
	const char *names[8];
	size_t n = bs_kernel_names(names, 8);
	for (size_t i = 0; i < n && i < 8; i++)
		puts(names[i]);
	return 0;
}
