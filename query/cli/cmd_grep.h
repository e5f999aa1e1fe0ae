/* cmd_grep.h: `bitsift grep`. */
#ifndef BS_QUERY_CLI_CMD_GREP_H
#define BS_QUERY_CLI_CMD_GREP_H

#include "query/cli/command_line.h"

extern const struct bs_command bs_command_grep;

int bs_cmd_grep(int argc, char **argv, const struct bs_consent *consent);

#endif
