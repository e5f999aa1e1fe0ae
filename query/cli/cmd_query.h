/* cmd_query.h: `bitsift query`, for main.c. */
#ifndef BS_QUERY_CLI_CMD_QUERY_H
#define BS_QUERY_CLI_CMD_QUERY_H

#include "query/cli/command_line.h"

extern const struct bs_command bs_command_query;

/* argv[0] is "query". Returns the exit status. */
int bs_cmd_query(int argc, char **argv, const struct bs_consent *consent);

#endif
