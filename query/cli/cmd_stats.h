/* cmd_stats.h: `bitsift stats`, for main.c. */
#ifndef BS_QUERY_CLI_CMD_STATS_H
#define BS_QUERY_CLI_CMD_STATS_H

#include "query/cli/command_line.h"

extern const struct bs_command bs_command_stats;

/* argv[0] is "stats". Returns the exit status. */
int bs_cmd_stats(int argc, char **argv, const struct bs_consent *consent);

#endif
