/* cmd_delete.h: `bitsift delete`. */
#ifndef BS_QUERY_CLI_CMD_DELETE_H
#define BS_QUERY_CLI_CMD_DELETE_H

#include "query/cli/command_line.h"

extern const struct bs_command bs_command_delete;

/* argv[0] is the command's name. Returns the exit status. */
int bs_cmd_delete(int argc, char **argv, const struct bs_consent *consent);

#endif
