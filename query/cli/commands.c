/* commands.c: see commands.h. */
#include "query/cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bs_command_run(const struct bs_command *command, int argc, char **argv, const struct bs_consent *consent)
{
	struct bs_error err = {""};
	struct bs_operands operands = {.help = false};
	int exit_status = -1;
	void *arguments = calloc(1, command->arguments_bytes);
	enum bs_status status = arguments ? BS_OK : bs_fail_memory(&err, "arguments", command->arguments_bytes);
	if (!status && command->defaults)
		memcpy(arguments, command->defaults, command->arguments_bytes);
	if (!status)
		status = bs_command_parse(command, argc, argv, arguments, &operands, &err);
	if (!status && operands.help) {
		bs_command_help(command, stdout);
		exit_status = 0;
	} else if (!status) {
		exit_status = command->run(arguments, &operands, consent, &err);
	}
	if (exit_status < 0)
		fprintf(stderr, "bitsift: %s\n", err.text);
	if (status && command->letter_hint && bs_command_is_letter(err.text))
		fprintf(stderr, "bitsift: %s\n", command->letter_hint);
	if (arguments && command->release)
		command->release(arguments);
	free(arguments);
	return exit_status < 0 ? 2 : exit_status;
}

const char *bs_cmd_environment_index(void)
{
	const char *named = getenv("BITSIFT_INDEX");
	return named && *named ? named : NULL;
}

enum bs_status bs_cmd_locate(const char *option, char **dir_out, struct bs_error *err)
{
	const char *named = option ? option : bs_cmd_environment_index();
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

bool bs_cmd_lists_kernels(const char *kernel)
{
	const char *names[8];
	if (!kernel || strcmp(kernel, "list") != 0)
		return false;
	size_t n = bs_kernel_names(names, 8);
	for (size_t i = 0; i < n && i < 8; i++)
		puts(names[i]);
	return true;
}
