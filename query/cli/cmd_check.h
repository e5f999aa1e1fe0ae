/* cmd_check.h: `bitsift check`, for main.c. */
#ifndef BS_QUERY_CLI_CMD_CHECK_H
#define BS_QUERY_CLI_CMD_CHECK_H

#include "query/cli/command_line.h"

extern const struct bs_command bs_command_check;

/* argv[0] is "check". Returns the exit status. */
int bs_cmd_check(int argc, char **argv, const struct bs_consent *consent);

#endif
