/* commands.c: see commands.h. */
#include "query/cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitsift/host.h"
#include "core/bitsift/index_locate.h"
#include "core/bitsift/kernel_names.h"
#include "core/bitsift/search_result.h"
#include "core/bitsift/terminal.h"
#include "query/cli/cmd_input.h"
#include "query/format/hit_format.h"

/* Splits a text into arguments, one per line, without surrounding white space. Empty lines and
 * lines that begin with # are ignored. The strings are on the heap. */
static enum bs_status take_lines(const char *text, size_t n_bytes, struct bs_word_list *arguments,
                                 struct bs_error *err)
{
	static const char space[] = " \t\n\v\f\r";
	enum bs_status status = BS_OK;
	const char *at = text, *from;
	size_t n;
	while (!status && (from = bs_input_line(&at, text + n_bytes, &n))) {
		const char *stop = from + n;
		while (stop > from && stop[-1] && strchr(space, stop[-1]))
			stop--;
		while (from < stop && *from && strchr(space, *from))
			from++;
		if (from == stop || *from == '#')
			continue;
		char *copy = strndup(from, (size_t)(stop - from));
		status = copy ? bs_word_list_add(arguments, copy, err)
		              : bs_fail_memory(err, "arguments", (size_t)(stop - from));
		if (status)
			free(copy);
	}
	return status;
}

/* Reads the arguments in a configuration file. Like rg, reports and ignores an unreadable file; a
 * file that is too long is an error. BS_NO_MEMORY, BS_INVALID, BS_DEADLINE. */
static enum bs_status read_config(const char *variable, const char *path,
                                  const struct bs_timer *timer, struct bs_word_list *arguments,
                                  struct bs_error *err)
{
	char *bytes;
	size_t n_bytes;
	struct bs_error why;
	enum bs_status status = bs_input_read_file(path, timer, &bytes, &n_bytes, &why);
	if (status)
		(void)bs_fail(err, status, "%s (named by %s)", why.text, variable);
	else
		status = take_lines(bytes, n_bytes, arguments, err);
	free(bytes);
	if (status == BS_IO)
		fprintf(stderr, "bitsift: %s\n", err->text);
	return status == BS_IO ? BS_OK : status;
}

/* Starts the time limit that the arguments give, because it also covers reading the configuration
 * file. An invalid limit is reported later, with the other options. */
static void start_timer(const struct bs_command *command, int argc, char **argv,
                        struct bs_timer *timer)
{
	const char *limit = NULL;
	uint64_t limit_ns = 0;
	if (bs_command_has(command, argc, argv, "time-limit", &limit) && limit)
		(void)!bs_parse_duration("time-limit", limit, &limit_ns, NULL);
	bs_timer_start(timer, limit_ns);
}

/* The variable that names the configuration file. NULL: none, or the arguments ask for no file, or
 * for help or a version, which a configuration cannot affect. */
static const char *config_variable(const struct bs_command *command, int argc, char **argv)
{
	static const char *const without[] = {"no-config", "help", "version", "pcre2-version"};
	const char *const *variable = command->config_variables;
	while (variable && *variable && !getenv(*variable))
		variable++;
	if (!variable || !*variable)
		return NULL;
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		if (bs_command_has(command, argc, argv, without[i], NULL))
			return NULL;
	return *variable;
}

/* Reads the configuration file, if there is one. read_out: the arguments in it, to be freed by the
 * caller. all_out: argv[0], these arguments, and the rest of argv. Fails like read_config. */
static enum bs_status configure(const struct bs_command *command, int argc, char **argv,
                                struct bs_word_list *read_out, struct bs_word_list *all_out,
                                struct bs_error *err)
{
	const char *variable = config_variable(command, argc, argv),
		   *path = variable ? getenv(variable) : NULL;
	struct bs_timer timer;
	enum bs_status status = bs_word_list_add(all_out, argv[0], err);
	if (!status && path && *path) {
		start_timer(command, argc, argv, &timer);
		status = read_config(variable, path, &timer, read_out, err);
	}
	for (size_t i = 0; i < read_out->n && !status; i++)
		status = bs_word_list_add(all_out, read_out->list[i], err);
	for (int i = 1; i < argc && !status; i++)
		status = bs_word_list_add(all_out, argv[i], err);
	return status;
}

static int run_command(const struct bs_command *command, int argc, char **argv,
                       const struct bs_consent *consent)
{
	struct bs_error err = {""};
	struct bs_operands operands = {.help = false};
	int exit_status = -1;
	void *arguments = calloc(1, command->arguments_bytes);
	enum bs_status status =
		arguments ? BS_OK : bs_fail_memory(&err, "arguments", command->arguments_bytes);
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
	if (arguments)
		bs_command_release(command, arguments);
	free(arguments);
	return exit_status < 0 ? 2 : exit_status;
}

int bs_command_run(const struct bs_command *command, int argc, char **argv,
                   const struct bs_consent *consent)
{
	struct bs_word_list read = {NULL, 0}, all = {NULL, 0};
	struct bs_error err = {""};
	int exit_status = 2;
	if (configure(command, argc, argv, &read, &all, &err) == BS_OK)
		exit_status =
			run_command(command, (int)all.n, (char **)(uintptr_t)all.list, consent);
	else
		fprintf(stderr, "bitsift: %s\n", err.text);
	for (size_t i = 0; i < read.n; i++)
		free((char *)(uintptr_t)read.list[i]);
	bs_word_list_deinit(&read);
	bs_word_list_deinit(&all);
	return exit_status;
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

void bs_cmd_notice(void *context, const char *message)
{
	(void)context;
	fflush(stdout);
	fprintf(stderr, "bitsift: %s\n", message);
}

bool bs_cmd_refuse_nul(const char *id, size_t id_bytes)
{
	if (id_bytes == 0 || !memchr(id, '\0', id_bytes))
		return false;
	fputs("bitsift: ", stderr);
	bs_format_escaped(id, id_bytes, stderr);
	fputs(": this id holds a NUL byte and is left out, because -0 ends each id with one\n",
	      stderr);
	return true;
}

const char *bs_cmd_refresh_command(const char *index, struct bs_error *command_out)
{
	const char *words[] = {"bitsift", "index", index ? "--index" : NULL, index, NULL};
	if (bs_shell_command(words, command_out->text, sizeof(command_out->text)) >=
	    sizeof(command_out->text))
		(void)bs_fail(command_out, BS_OK, "bitsift index --index DIR");
	return command_out->text;
}

void bs_cmd_show_changes(const struct bs_changes *changes, const char *index, bool names_all)
{
	struct bs_error refresh;
	uint64_t n_changed = changes->n_changed, n_gone = changes->n_gone;
	bs_cmd_refresh_command(index, &refresh);
	if (n_changed + n_gone == 1)
		fprintf(stderr, "bitsift: %s: %s since it was indexed; run `%s`\n",
		        changes->example, n_changed > 0 ? "changed" : "gone", refresh.text);
	if (n_changed + n_gone < 2)
		return;
	fprintf(stderr, "bitsift: %s%s%s%s since they were indexed, such as %s; run `%s`%s\n",
	        n_changed > 0 ? BS_THINGS(n_changed, "file") : "",
	        n_changed == 0 ? ""
	        : n_gone > 0   ? " changed, "
	                       : " changed",
	        n_gone > 0 ? BS_THINGS(n_gone, "file") : "", n_gone > 0 ? " gone" : "",
	        changes->example, refresh.text, names_all ? " (-v names them)" : "");
}

void bs_cmd_show_unread(uint64_t n_documents)
{
	if (n_documents > BS_MAX_UNREADABLE_NOTICES)
		fprintf(stderr, "bitsift: %llu documents could not be read\n",
		        (unsigned long long)n_documents);
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
