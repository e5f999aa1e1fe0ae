/* error_rig.h: errors of the calls that a test makes. */
#pragma once

#include "core/bitsift/status.h"

/* The error of the last call that was given ERR, which is empty before the call. One for each
 * thread. */
/* By a call: gcc's sanitizer takes the address of a thread's variable in another file for NULL. */
struct bs_error *last_error(void);
#define said (*last_error())
#define ERR  empty_error()
struct bs_error *empty_error(void);

/* Fails the test with the message of err unless status is BS_OK. */
void expect_ok(enum bs_status status, const struct bs_error *err);
/* Fails the test unless status is the wanted one and err says something about it. */
void expect_status(enum bs_status status, enum bs_status wanted, const struct bs_error *err);
