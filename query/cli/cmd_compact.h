/* cmd_compact.h: `bitsift compact`. */
#ifndef BS_QUERY_CLI_CMD_COMPACT_H
#define BS_QUERY_CLI_CMD_COMPACT_H

#include "query/cli/command_line.h"

extern const struct bs_command bs_command_compact;

/* argv[0] is the command's name. Returns the exit status. */
int bs_cmd_compact(int argc, char **argv, const struct bs_consent *consent);

#endif
