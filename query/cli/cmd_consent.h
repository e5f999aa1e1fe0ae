/*
 * cmd_consent.h: which indexes and sources the user of the program has consented to, and where that is kept. Only for the
 * program: it reads the environment and prints.
 *
 *      $XDG_CONFIG_HOME/bitsift/trusted        index directories, one a line; * is all (~/.config)
 *      $XDG_STATE_HOME/bitsift/sources/HASH    a source outside its index's folder that was named to `bitsift index`
 *                                              (~/.local/state)
 *
 * A mark of a named source is a file of its own: index directory, recorded path and canonical place, each NUL-ended. It lies
 * with the user and not in the index, so it needs no key to be believed, survives every rebuild and refresh, whoever
 * makes it, and is worth nothing to a copy of the index or where another file stands under the path. Any number of runs may
 * make marks at once: a mark appears whole, by rename, and two of the same say the same.
 */
#ifndef BS_QUERY_CLI_CMD_CONSENT_H
#define BS_QUERY_CLI_CMD_CONSENT_H

#include <stdio.h>

#include "core/bitsift.h"

/* What the commands go by. Root also trusts whoever called sudo. */
struct bs_consent bs_user_consent(void);

/* Adds a line to the trusted ones, or removes it; *changed_out is false if it was there, or not there. BS_IO, BS_INVALID,
 * BS_NO_MEMORY. */
enum bs_status bs_user_trust(const char *dir, bool *changed_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_user_distrust(const char *dir, bool *changed_out, struct bs_error *err) BS_WARN_UNUSED;
/* Prints them. */
enum bs_status bs_user_list_trusted(FILE *to, struct bs_error *err) BS_WARN_UNUSED;

#endif
