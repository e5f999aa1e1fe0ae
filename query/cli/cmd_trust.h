/* cmd_trust.h: `bitsift trust`, for main.c. */
#ifndef BS_QUERY_CLI_CMD_TRUST_H
#define BS_QUERY_CLI_CMD_TRUST_H

#include "query/cli/command_line.h"

extern const struct bs_command bs_command_trust;

/* argv[0] is "trust". Returns the exit status. */
int bs_cmd_trust(int argc, char **argv, const struct bs_consent *consent);

#endif
