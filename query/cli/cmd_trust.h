/* cmd_trust.h: what the user of the program has consented to, and the files in which the program
 * keeps that and what else it knows of the user. */
#ifndef BS_QUERY_CLI_CMD_TRUST_H
#define BS_QUERY_CLI_CMD_TRUST_H

#include "core/bitsift/host.h"

/* The indexes and sources that the user has consented to. Root also trusts the user who called
 * sudo. */
struct bs_consent bs_user_consent(void);

/* The path of a file of this user in the folder of the program's configuration, for free(); NULL:
 * there is no home. make: makes its folders, too. */
char *bs_cmd_config_path(const char *name, bool make);

/* Whether this user asks for the first time with that name; false if that cannot be stored. */
bool bs_cmd_is_first(const char *name);

#endif
