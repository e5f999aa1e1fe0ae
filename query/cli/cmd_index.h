/* cmd_index.h: `bitsift index`, for main.c. */
#ifndef BS_QUERY_CLI_CMD_INDEX_H
#define BS_QUERY_CLI_CMD_INDEX_H

#include "query/cli/command_line.h"

extern const struct bs_command bs_command_index;

/* argv[0] is "index". Returns the exit status. */
int bs_cmd_index(int argc, char **argv, const struct bs_consent *consent);

#endif
